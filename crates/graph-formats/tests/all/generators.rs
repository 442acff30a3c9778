//! Laws of the generators: the same graph on any number of threads, as the options promise.

use graph_formats::generate::{
    Duplicates, GeometricConfig, GraphOptions, GridConfig, RmatConfig, UniformConfig,
    VertexNumbering, geometric, grid, rmat, uniform,
};
use graph_formats::{Csr, Direction, GraphError};
use proptest::prelude::*;

/// One graph of each kind, with a few hundred vertices at most.
fn one_of_each(size: u32, options: &GraphOptions) -> [Csr<u32>; 5] {
    let options = options.clone();
    let drawn = RmatConfig { scale: size, edge_factor: 5, options, ..Default::default() };
    let options = drawn.options.clone();
    let n_vertices = 1 << size;
    let radius = 0.15;
    [
        rmat(&RmatConfig { numbering: VertexNumbering::AsDrawn, ..drawn.clone() }).unwrap(),
        rmat(&drawn).unwrap(),
        grid(&GridConfig { side: size * 2, options: options.clone(), ..Default::default() })
            .unwrap(),
        uniform(&UniformConfig { n_vertices, n_edges: 999, options: options.clone() }).unwrap(),
        geometric(&GeometricConfig { n_vertices, radius, options }).unwrap(),
    ]
}

fn options() -> impl Strategy<Value = GraphOptions> {
    let weights = (0u32..20, 0u32..20).prop_map(|(least, more)| least..=least + more);
    let direction = prop_oneof![Just(Direction::Directed), Just(Direction::Undirected)];
    let duplicates = prop_oneof![Just(Duplicates::Drop), Just(Duplicates::Keep)];
    (weights, any::<u64>(), direction, duplicates).prop_map(
        |(weights, seed, direction, duplicates)| GraphOptions {
            weights,
            seed,
            direction,
            duplicates,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_number_of_threads_changes_nothing(options in options(), size in 0u32..10) {
        let on = |n_threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            pool.install(|| one_of_each(size, &options))
        };
        let alone = on(1);
        prop_assert_eq!(&on(2), &alone);
        prop_assert_eq!(&on(5), &alone);
    }

    #[test]
    fn options_are_obeyed(options in options(), size in 0u32..10) {
        for graph in one_of_each(size, &options) {
            prop_assert_eq!(graph.direction(), options.direction);
            prop_assert!(graph.weights().iter().all(|weight| options.weights.contains(weight)));
            // valid, and sorted by row, destination and weight
            let unmarked = Csr::from_coo(&graph.to_coo()).unwrap();
            prop_assert!(unmarked.arcs().eq(graph.arcs()));
            if options.direction == Direction::Undirected {
                prop_assert_eq!(&unmarked.into_undirected().unwrap(), &graph);
            }
            if options.duplicates == Duplicates::Drop {
                prop_assert!(graph.arcs().all(|(u, v, _)| u != v));
                let ends: Vec<_> = graph.arcs().map(|(u, v, _)| (u, v)).collect();
                prop_assert!(ends.is_sorted_by(|a, b| a < b));
            }
        }
    }

    #[test]
    fn kept_duplicates_are_counted(mut options in options(), n_edges in 0u64..500) {
        options.duplicates = Duplicates::Keep;
        let direction = options.direction;
        let graph = uniform(&UniformConfig { n_vertices: 5, n_edges, options }).unwrap();
        let n_loops = graph.arcs().filter(|(u, v, _)| u == v).count() as u64;
        let n_arcs = graph.n_arcs() as u64;
        prop_assert_eq!(n_edges, match direction {
            Direction::Directed => n_arcs,
            Direction::Undirected => (n_arcs - n_loops) / 2 + n_loops,
        });
    }

    #[test]
    fn rows_of_the_edges_drawn_make_the_same_graph(options in options(), scale in 0u32..8) {
        let skewed =
            RmatConfig { scale, edge_factor: 5, options: options.clone(), ..Default::default() };
        let even = UniformConfig { n_vertices: 90, n_edges: 300, options: options.clone() };
        let both = [
            (skewed.draws().unwrap(), rmat(&skewed).unwrap()),
            (even.draws().unwrap(), uniform(&even).unwrap()),
        ];
        for (draws, graph) in both {
            let mut rows = vec![Vec::new(); draws.n_vertices()];
            for (u, v) in (0..draws.n_edges()).map(|edge| draws.edge(edge)) {
                if u != v || options.duplicates == Duplicates::Keep {
                    rows[u as usize].push(v);
                }
                if u != v && options.direction == Direction::Undirected {
                    rows[v as usize].push(u);
                }
            }
            let mut offsets = vec![0];
            for row in &mut rows {
                row.sort_unstable();
                if options.duplicates == Duplicates::Drop {
                    row.dedup();
                }
                offsets.push(offsets[offsets.len() - 1] + row.len() as u64);
            }
            prop_assert_eq!(draws.graph_of_rows(offsets, rows.concat()).unwrap(), graph);
            prop_assert!(draws.graph_of_rows(vec![0], Vec::new()).is_err());
        }
    }

    #[test]
    fn a_grid_joins_exactly_the_neighbours(options in options(), side in 0u32..12) {
        let graph = grid(&GridConfig { side, options, ..Default::default() }).unwrap();
        let mut expected = Vec::new();
        for u in 0..side * side {
            let (row, column) = (u / side, u % side);
            if row > 0 { expected.push((u, u - side)); }
            if column > 0 { expected.push((u, u - 1)); }
            if column + 1 < side { expected.push((u, u + 1)); }
            if row + 1 < side { expected.push((u, u + side)); }
        }
        prop_assert_eq!(graph.n_vertices(), (side * side) as usize);
        prop_assert!(graph.arcs().map(|(u, v, _)| (u, v)).eq(expected));
    }

    #[test]
    fn a_cube_joins_exactly_those_a_step_apart(options in options(), side in 0u32..6) {
        let config = GridConfig { side, dimensions: 3, options };
        let graph = grid(&config).unwrap();
        let places = config.coordinates::<3>().unwrap();
        prop_assert_eq!((graph.n_vertices(), places.len()), (side.pow(3) as usize, graph.n_vertices()));
        for (u, from) in graph.vertices().zip(&places) {
            let is_beside = |to: &[f64; 3]| {
                let apart: f64 = from.iter().zip(to).map(|(a, b)| (a - b).abs()).sum();
                apart == 1.0
            };
            let beside = graph.vertices().zip(&places).filter(|(_, to)| is_beside(to));
            let ends = graph.arcs_from(u).map(|arc| arc.0);
            prop_assert!(ends.eq(beside.map(|(v, _)| v)));
        }
    }
}

#[test]
fn seeds_make_different_graphs_and_different_weights() {
    let [first, second] =
        [1, 2].map(|seed| one_of_each(6, &GraphOptions { seed, ..Default::default() }));
    for (a, b) in first.iter().zip(&second) {
        assert_ne!(a, b);
    }
    let (a, b) = (&first[2], &second[2]);
    assert_eq!(a.column_indices(), b.column_indices(), "grids differ by weights alone");
    let directed = GraphOptions { direction: Direction::Directed, ..Default::default() };
    let grid = &one_of_each(6, &directed)[2];
    assert!(Csr::from_coo(&grid.to_coo()).unwrap().into_undirected().is_err(), "weighed apart");
}

#[test]
fn all_weights_of_the_range_occur() {
    for weights in [0..=0, 0..=6, u32::MAX - 2..=u32::MAX, 0..=u32::MAX] {
        let options = GraphOptions { weights: weights.clone(), ..Default::default() };
        for graph in one_of_each(9, &options) {
            let mut seen = graph.weights().to_vec();
            seen.sort_unstable();
            assert!(seen.iter().all(|weight| weights.contains(weight)));
            seen.dedup();
            let n_weights = u64::from(weights.end() - weights.start()) + 1;
            assert!(seen.len() as u64 == n_weights || n_weights > 100 && seen.len() > 100);
        }
    }
}

#[test]
fn rmat_has_hubs_anywhere_and_low_hubs_unscrambled() {
    let config = RmatConfig { scale: 14, edge_factor: 8, ..Default::default() };
    let hub = |graph: &Csr<u32>| graph.vertices().max_by_key(|&v| graph.out_degree(v)).unwrap();
    let scrambled = rmat(&config).unwrap();
    let mean = scrambled.n_arcs() / scrambled.n_vertices();
    assert!((8..=16).contains(&mean), "few of the draws coincide: mean degree {mean}");
    assert!(scrambled.out_degree(hub(&scrambled)) > 30 * mean);
    let drawn = rmat(&RmatConfig { numbering: VertexNumbering::AsDrawn, ..config }).unwrap();
    assert_eq!(hub(&drawn), 0);
    assert_ne!(hub(&scrambled), 0);
    let degrees = |graph: &Csr<u32>| {
        let mut degrees: Vec<_> = graph.vertices().map(|v| graph.out_degree(v)).collect();
        degrees.sort_unstable();
        degrees
    };
    assert_eq!(degrees(&drawn), degrees(&scrambled), "numbers alone differ");
}

#[test]
fn least_sizes_are_graphs() {
    let options = GraphOptions::default();
    let sizes = [
        rmat(&RmatConfig { scale: 0, ..Default::default() }),
        rmat(&RmatConfig { scale: 3, edge_factor: 0, ..Default::default() }),
        grid(&GridConfig { side: 0, ..Default::default() }),
        grid(&GridConfig { side: 1, ..Default::default() }),
        grid(&GridConfig { side: 0, dimensions: 3, ..Default::default() }),
        grid(&GridConfig { side: 1, dimensions: 3, ..Default::default() }),
        uniform(&UniformConfig { n_vertices: 0, n_edges: 0, options: options.clone() }),
        geometric(&GeometricConfig { n_vertices: 0, radius: 1.0, options: options.clone() }),
        geometric(&GeometricConfig { n_vertices: 4, radius: 0.0, options }),
    ];
    let sizes = sizes.map(|graph| graph.map(|graph| (graph.n_vertices(), graph.n_arcs())).unwrap());
    assert_eq!(sizes, [(1, 0), (8, 0), (0, 0), (1, 0), (0, 0), (1, 0), (0, 0), (0, 0), (4, 0)]);
}

#[track_caller]
fn assert_refuses(result: Result<Csr<u32>, GraphError>, parameter: &str) {
    match result {
        Err(GraphError::BadParameter { name, .. }) => assert_eq!(name, parameter),
        other => panic!("expected a complaint about {parameter}, got {other:?}"),
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    let default = RmatConfig::default;
    assert_refuses(rmat(&RmatConfig { scale: 32, ..default() }), "scale");
    assert_refuses(rmat(&RmatConfig { scale: 40, ..default() }), "scale");
    for quadrants in [
        [0.5, 0.5, 0.5, 0.5],
        [0.25; 4].map(|p| p * 0.999),
        [1.5, -0.5, 0.0, 0.0],
        [f64::NAN, 0.5, 0.5, 0.0],
        [f64::INFINITY, 0.0, 0.0, 0.0],
    ] {
        assert_refuses(rmat(&RmatConfig { quadrants, ..default() }), "quadrants");
    }
    for radius in [-0.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_refuses(geometric(&GeometricConfig { radius, ..Default::default() }), "radius");
    }
    for dimensions in [0, 1, 4] {
        assert_refuses(grid(&GridConfig { dimensions, ..Default::default() }), "dimensions");
    }
    let edges = UniformConfig { n_vertices: 0, n_edges: 1, options: GraphOptions::default() };
    assert_refuses(uniform(&edges), "n_edges");

    #[expect(clippy::reversed_empty_ranges, reason = "what is refused")]
    let options = GraphOptions { weights: 2..=1, ..Default::default() };
    assert_refuses(rmat(&RmatConfig { options: options.clone(), ..default() }), "weights");
    let refused = grid(&GridConfig { options: options.clone(), ..Default::default() });
    assert_refuses(refused, "weights");
    let refused = uniform(&UniformConfig { options: options.clone(), ..Default::default() });
    assert_refuses(refused, "weights");
    assert_refuses(geometric(&GeometricConfig { options, ..Default::default() }), "weights");
}

#[test]
fn sizes_beyond_ids_or_memory_are_refused() {
    let too_many = [
        grid(&GridConfig { side: 65_536, ..Default::default() }),
        grid(&GridConfig { side: u32::MAX, ..Default::default() }),
        grid(&GridConfig { side: 1_626, dimensions: 3, ..Default::default() }),
        grid(&GridConfig { side: u32::MAX, dimensions: 3, ..Default::default() }),
        uniform(&UniformConfig { n_vertices: 1 << 32, ..Default::default() }),
        geometric(&GeometricConfig { n_vertices: usize::MAX, ..Default::default() }),
    ];
    for result in too_many {
        assert!(matches!(result, Err(GraphError::TooManyVertices { .. })), "{result:?}");
    }
    // more bytes than an address has bits for, whatever the machine
    let edge_factor = u32::MAX;
    assert_refuses(rmat(&RmatConfig { scale: 31, edge_factor, ..Default::default() }), "size");
    assert_refuses(uniform(&UniformConfig { n_edges: u64::MAX, ..Default::default() }), "size");
}
