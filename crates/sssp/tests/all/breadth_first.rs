//! Breadth-first search against the oracle: pushed and pulled, alone and shared.

use std::num::NonZeroUsize;

use graph_formats::generate::{GraphOptions, GridConfig, RmatConfig, grid, rmat};
use graph_formats::{Csr, Direction, VertexId, Weight};
use paths::certificate::check_tree;
use paths::oracle;
use proptest::prelude::*;
use sssp::{Algorithm, Config, Goal, SearchWeight, Solver, SsspError, Team, shortest_paths};
use test_support::arbitrary_graph;

/// A search by this number of threads, which share every level.
fn shared(threads: usize) -> Config {
    let threads = NonZeroUsize::new(threads);
    Config { threads, team: Team::Always, ..Config::with(Algorithm::BreadthFirst) }
}

/// The same with enough expected searches for the graph to be transposed.
fn often(config: Config) -> Config {
    Config { expected_searches: NonZeroUsize::new(1000), ..config }
}

fn configs() -> impl Iterator<Item = Config> {
    let once = [Config::default()].into_iter().chain((1..=4).map(shared));
    once.flat_map(|config| [config.clone(), often(config)])
}

/// The arcs of `graph`, all with this weight, as a graph of this direction.
fn alike<W: Weight>(graph: &Csr<u32>, weight: W, direction: Direction) -> Csr<W> {
    let arcs: Vec<_> = graph.arcs().map(|(u, v, _)| (u, v, weight)).collect();
    match direction {
        Direction::Directed => Csr::from_arcs(graph.n_vertices(), &arcs).unwrap(),
        Direction::Undirected => Csr::from_edges(graph.n_vertices(), &arcs).unwrap(),
    }
}

/// Checks trees from each of `sources` against the oracle's, with one solver: complete, within a
/// limit, and up to a target.
fn agrees<W: SearchWeight>(graph: &Csr<W>, sources: &[VertexId]) {
    let exists = |source: &VertexId| (*source as usize) < graph.n_vertices();
    let sources: Vec<_> = sources.iter().copied().filter(exists).collect();
    for config in configs() {
        let mut solver = Solver::new(graph, &config).unwrap();
        assert!(solver.plan().algorithm == "breadth-first" || graph.n_arcs() == 0);
        for &source in &sources {
            let expected = oracle::tree(graph, source, None).unwrap();
            assert!(
                solver.tree(source, Goal::All).unwrap().answer == expected,
                "from {source}, {config:?}"
            );
            let target = (source + 7) % graph.n_vertices() as VertexId;
            if let Some(limit) = expected.distance(target) {
                let within = oracle::tree(graph, source, Some(limit)).unwrap();
                for goal in [Goal::Within(limit), Goal::Target(target)] {
                    let tree = solver.tree(source, goal).unwrap();
                    assert!(tree.answer == within, "{goal:?} from {source}, {config:?}");
                }
            }
        }
        let table = solver.table(&sources, &sources).unwrap();
        for (at, &source) in sources.iter().enumerate() {
            let expected = oracle::tree(graph, source, None).unwrap();
            let row: Vec<_> = sources.iter().map(|&target| expected.distance(target)).collect();
            assert_eq!(table.row(at).collect::<Vec<_>>(), row, "from {source}, {config:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn directed(graph in arbitrary_graph::<u32>(90, 300, 1..=1)) {
        agrees(&alike(&graph, 1u32, Direction::Directed), &[0, 1]);
    }

    #[test]
    fn undirected(graph in arbitrary_graph::<u32>(150, 400, 1..=1)) {
        agrees(&alike(&graph, 3i64, Direction::Undirected), &[0, 1]);
    }

    /// Nearly all vertices have level 1 or 2.
    #[test]
    fn dense(graph in arbitrary_graph::<u32>(30, 800, 1..=1)) {
        agrees(&alike(&graph, 1u64, Direction::Undirected), &[0, 1]);
        agrees(&alike(&graph, 1u64, Direction::Directed), &[0, 1]);
    }

    /// Weights of 0.1, so that sums round.
    #[test]
    fn floats(graph in arbitrary_graph::<u32>(90, 150, 1..=1)) {
        agrees(&alike(&graph, 0.1f32, Direction::Undirected), &[0, 1]);
        agrees(&alike(&graph, 0.1f64, Direction::Directed), &[0, 1]);
    }
}

/// Tables from many sources, some of them repeated, with one bit for each.
fn tables_agree<W: SearchWeight>(graph: &Csr<W>, n_sources: usize) {
    let n = graph.n_vertices();
    let sources: Vec<_> = (0..n_sources).map(|i| (i * 37 % n) as VertexId).collect();
    let targets: Vec<_> = (0..n + 5).map(|i| (i * 11 % n) as VertexId).collect();
    let expected: Vec<Vec<_>> = sources
        .iter()
        .map(|&source| {
            let tree = oracle::tree(graph, source, None).unwrap();
            targets.iter().map(|&target| tree.distance(target)).collect()
        })
        .collect();
    for threads in 1..=3 {
        let config = Config { threads: NonZeroUsize::new(threads), ..Config::default() };
        let mut solver = Solver::new(graph, &config).unwrap();
        for targets in [&targets[..], &targets[..3]] {
            let table = solver.table(&sources, targets).unwrap();
            assert!(table.plan.reason.ends_with("one bit each"), "{}", table.plan);
            for (row, expected) in expected.iter().enumerate() {
                let row: Vec<_> = table.row(row).collect();
                assert_eq!(row, expected[..targets.len()], "{threads} threads");
            }
        }
    }
}

#[test]
fn tables_of_many_sources_agree() {
    let graph = rmat(&RmatConfig { scale: 8, edge_factor: 4, ..Default::default() }).unwrap();
    for direction in [Direction::Undirected, Direction::Directed] {
        tables_agree(&alike(&graph, 7u32, direction), 16);
        tables_agree(&alike(&graph, 0.1f32, direction), 700);
    }
    // a path, with enough levels that neighbours are placed together
    let path: Vec<_> = (0..599).map(|v| (v, v + 1, 3i64)).collect();
    tables_agree(&Csr::from_edges(600, &path).unwrap(), 600);
}

#[test]
fn tables_whose_distances_overflow_say_so() {
    let path: Vec<_> = (0..99).map(|v| (v, v + 1, u64::MAX / 50)).collect();
    let graph = Csr::from_edges(100, &path).unwrap();
    let all: Vec<_> = graph.vertices().collect();
    let mut solver = Solver::new(&graph, &Config::default()).unwrap();
    assert!(matches!(solver.table(&all, &all), Err(SsspError::Overflow { .. })));
    let near = solver.table(&all[..20], &all[..20]).unwrap();
    assert_eq!(near.row(0).nth(19).unwrap(), Some(u64::MAX / 50 * 19));
}

/// Levels of these graphs are pulled, and then pushed again.
#[test]
fn rmat_agrees() {
    let graph = rmat(&RmatConfig { scale: 13, edge_factor: 16, ..Default::default() }).unwrap();
    for direction in [Direction::Undirected, Direction::Directed] {
        let graph = alike(&graph, 5u32, direction);
        let source = graph.vertices().find(|&v| graph.out_degree(v) > 0).unwrap();
        agrees(&graph, &[source, 4000]);
        let mut solver = Solver::new(&graph, &often(Config::default())).unwrap();
        let work = solver.distances(source, Goal::All).unwrap().work;
        assert!(work.relaxations < graph.n_arcs() as u64 / 2, "{work:?}");
    }
}

/// Levels grow slowly, so threads find several levels between two barriers.
#[test]
fn deep_graphs_agree() {
    let options = GraphOptions { weights: 1..=1, ..Default::default() };
    let grid = grid(&GridConfig { side: 60, options, ..Default::default() }).unwrap();
    // neighbours are far apart in memory
    let n = grid.n_vertices() as u64;
    let place = |v: VertexId| (u64::from(v) * 1_777 % n) as VertexId;
    let arcs: Vec<_> = grid.arcs().map(|(u, v, w)| (place(u), place(v), w)).collect();
    let mixed = Csr::from_arcs(n as usize, &arcs).unwrap();
    for graph in [&grid, &mixed] {
        agrees(graph, &[0, 1_830, 59]);
        let mut solver = Solver::new(graph, &shared(3)).unwrap();
        let distances = solver.distances(0, Goal::All).unwrap();
        let (levels, work) = (distances.max().unwrap() + 1, distances.work);
        assert!(work.rounds < levels / 3, "{work:?} for {levels} levels");
        assert_eq!(work.settled, n);
    }
}

/// A long grid with levels of equal width, followed by a graph of few levels. If each thread went
/// on alone into that graph, its vertices would be found many times.
#[test]
fn threads_share_a_level_that_is_suddenly_large() {
    let (width, n_grid, n) = (100, 6_000, 40_000);
    let along = (0..n_grid).map(|v| (v, v + width, 1u32));
    let across = (0..n_grid).filter(|v| v % width != 0).map(|v| (v - 1, v, 1));
    let behind = (n_grid..n).flat_map(|v| {
        (1..8).map(move |k| (v, n_grid + (v * 31 + k * k * 7_919) % (n - n_grid), 1))
    });
    let edges: Vec<_> = along.chain(across).chain(behind).collect();
    let graph = Csr::from_edges(n as usize, &edges).unwrap();
    agrees(&graph, &[0, 50]);
    let mut solver = Solver::new(&graph, &shared(3)).unwrap();
    let work = solver.distances(50, Goal::All).unwrap().work;
    assert_eq!(work.settled, u64::from(n));
    let most = graph.n_arcs() as u64 / 20 * 19;
    assert!(work.relaxations < most, "{work:?}, at most {most} arcs");
}

/// A broom: a level of many vertices after many levels of one vertex.
#[test]
fn levels_widen_and_narrow() {
    let handle = (0..700).map(|v| (v, v + 1, 1u32));
    let straws = (701..9_000).flat_map(|v| [(700, v, 1), (v, 9_000 + v % 5, 1)]);
    let graph = Csr::from_edges(9_005, &handle.chain(straws).collect::<Vec<_>>()).unwrap();
    agrees(&graph, &[0, 350, 9_004]);
}

/// A sum of ones as `f32` stops growing at 2^24.
#[test]
fn sums_that_stop_growing_have_a_tree() {
    let n = (1 << 24) + 5;
    let row_offsets: Vec<u64> = (0..=n).map(|v| v.min(n - 1)).collect();
    let columns: Vec<VertexId> = (1..n as VertexId).collect();
    let graph = Csr::new(row_offsets, columns, vec![1.0f32; n as usize - 1]).unwrap();
    let tree = shortest_paths(&graph, 0, &Config::with(Algorithm::BreadthFirst)).unwrap();
    assert_eq!(tree.distance(n as VertexId - 1), Some(16_777_216.0));
    check_tree(&graph, &tree).unwrap();
}

#[test]
fn weights_that_differ_are_refused() {
    let refused = |arcs: &[(VertexId, VertexId, f32)]| {
        let graph = Csr::from_arcs(3, arcs).unwrap();
        shortest_paths(&graph, 0, &Config::with(Algorithm::BreadthFirst)).unwrap_err().to_string()
    };
    let text = refused(&[(0, 1, 0.5), (1, 2, 2.0)]);
    assert!(
        text.contains("0.5") && text.contains('2') && text.contains("delta-stepping"),
        "{text}"
    );
    assert!(refused(&[(0, 1, 0.0)]).contains("above zero"));
    let graph = Csr::<f32>::from_arcs(3, &[]).unwrap();
    let tree = shortest_paths(&graph, 1, &Config::with(Algorithm::BreadthFirst)).unwrap();
    assert_eq!(tree.distance(1), Some(0.0));
    let graph = Csr::from_arcs(3, &[(0, 1, -1i32), (1, 2, -1)]).unwrap();
    let refused = shortest_paths(&graph, 0, &Config::with(Algorithm::BreadthFirst)).unwrap_err();
    assert!(matches!(refused, SsspError::NegativeWeight { what: "breadth-first", .. }));
}
