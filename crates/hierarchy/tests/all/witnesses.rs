//! The same distances as another library has: its own hierarchy, customization and queries.

use cch::Cch;
use graph_formats::generate::{GraphOptions, GridConfig, grid};
use graph_formats::{Csr, VertexId, read};
use hierarchy::Order;
use test_support::{data, forest};

use crate::common::{drawn, hierarchy_of, reweighted};

fn of_cch(graph: &Csr<u32>) -> cch::graph::Graph {
    cch::graph::Graph {
        first_out: graph.row_offsets().iter().map(|&offset| offset as u32).collect(),
        head: graph.column_indices().to_vec(),
        weight: graph.weights().to_vec(),
    }
}

/// Compares random pairs; the library contracts in the order given.
fn compare(graph: &Csr<u32>, order: &[VertexId]) {
    let other = of_cch(graph);
    let witness = Cch::build(&other, order);
    let weights = witness.customize(&other.weight);
    let hierarchy = hierarchy_of(graph);
    let metric = hierarchy.customize(graph).unwrap();
    let mut vertices = drawn(17, graph.n_vertices());
    for source in vertices.by_ref().take(20).collect::<Vec<_>>() {
        let targets: Vec<_> = vertices.by_ref().take(100).collect();
        let found = cch::distances_from(&witness.view(), &weights.view(), source, &targets);
        let found = found.into_iter().map(|d| (d != cch::INF_WEIGHT).then_some(u64::from(d)));
        let table = metric.table(&[source], &targets).unwrap();
        let pairs: Vec<_> = targets.iter().map(|&target| (source, target)).collect();
        let distances = metric.pairs(&pairs).unwrap();
        assert!(found.clone().eq(distances), "from {source}");
        assert!(found.eq(table.row(0)), "from {source}");
    }
}

/// By its order too, from the coordinates.
#[test]
fn grids() {
    let options = GraphOptions { weights: 0..=50, ..Default::default() };
    let config = GridConfig { side: 70, options, ..Default::default() };
    let graph = grid(&config).unwrap();
    let places = config.coordinates::<2>().unwrap();
    let along = |axis: usize| places.iter().map(|place| place[axis] as f32).collect::<Vec<_>>();
    let tails: Vec<_> = graph.arcs().map(|(from, _, _)| from).collect();
    let (n, heads) = (graph.n_vertices() as u32, graph.column_indices());
    let order = cch::inertial_order(n, &tails, heads, &along(0), &along(1));
    compare(&graph, &order);
    compare(&reweighted(&graph, 5), &order);
}

#[test]
fn trees() {
    for seed in 0..3 {
        let graph = reweighted(&forest(4_000, 4_000, seed), seed);
        compare(&graph, &cch::degree_order(&of_cch(&graph)));
    }
}

#[test]
fn delaware() {
    let Some(path) = data("dimacs/DE.gr") else { return };
    let graph: Csr<u32> = read(path).unwrap().csr.into_csr().unwrap();
    compare(&graph, Order::by_landmarks(&graph).unwrap().vertices());
}
