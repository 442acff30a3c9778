//! Betweenness from random paths, beside the exact one.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use centrality::{
    ApproximateBetweenness, ApproximateConfig, CentralityError, Config, approximate_betweenness,
    betweenness,
};
use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
use graph_formats::{Csr, Direction, VertexId};
use test_support::{corner_cases, scattered, undirected};

fn find(graph: &Csr<u32>, config: &ApproximateConfig) -> ApproximateBetweenness {
    approximate_betweenness(graph, config, None).unwrap()
}

fn within(error: f64, seed: u64) -> ApproximateConfig {
    ApproximateConfig { error, seed, ..ApproximateConfig::default() }
}

/// Graphs with paths of many kinds.
pub(crate) fn graphs() -> Vec<Csr<u32>> {
    let mut graphs = Vec::new();
    for direction in [Direction::Directed, Direction::Undirected] {
        let mut config = RmatConfig { scale: 9, ..Default::default() };
        config.options.direction = direction;
        graphs.push(rmat(&config).unwrap());
        let mut config = GridConfig { side: 12, ..Default::default() };
        config.options.direction = direction;
        graphs.push(grid(&config).unwrap());
    }
    for degree in [1, 2, 5] {
        graphs.push(scattered(300, degree));
        graphs.push(undirected(&scattered(200, degree)));
    }
    // a star, whose middle is nearly everywhere, and another component
    let star = (1..50).map(|leaf| (0, leaf, 1)).chain([(50, 51, 1), (51, 52, 1)]);
    graphs.push(Csr::from_edges(60, &star.collect::<Vec<_>>()).unwrap());
    // two of three paths by parallel arcs, beside loops
    let arcs = [(0, 1, 1), (0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 3, 1), (1, 1, 1), (3, 3, 1)];
    graphs.push(Csr::from_arcs(4, &arcs).unwrap());
    // hubs of more arcs than a block shares or a filter needs, and their neighbours' neighbours
    let spokes = (0..700).flat_map(|v| [(700 + v % 3, v, 1), (703, v, 1), (v, 704 + v % 90, 1)]);
    graphs.push(Csr::from_edges(800, &spokes.collect::<Vec<_>>()).unwrap());
    graphs
}

/// Layers of four vertices, each with arcs to all of the next: 4^(n − 2) paths from end to end.
pub(crate) fn layers(n: VertexId) -> Csr<u32> {
    let layer = |i| 4 * i..4 * i + 4;
    let between = |i: VertexId| layer(i).flat_map(move |u| layer(i + 1).map(move |v| (u, v, 1)));
    let arcs: Vec<_> = (0..n - 1).flat_map(between).collect();
    Csr::from_arcs(4 * n as usize, &arcs).unwrap()
}

fn check(graph: &Csr<u32>, config: &ApproximateConfig) {
    let exact = betweenness(graph, &Config::default(), None).unwrap().normalised();
    let found = find(graph, config).normalised();
    assert_eq!(found.len(), exact.len());
    for (v, (a, b)) in found.iter().zip(&exact).enumerate() {
        assert!((a - b).abs() <= config.error, "{v}: {a} {b}");
        // a vertex inside no path is never counted
        assert!(*b > 0.0 || *a == 0.0, "{v}: {a} {b}");
    }
}

/// Of the seeds a tenth may fail; these do not.
#[test]
fn estimates_are_within_the_error() {
    for (at, graph) in graphs().iter().enumerate() {
        for seed in 1..3 {
            println!("{at}, seed {seed}");
            check(graph, &within(0.04, seed));
        }
    }
    check(&graphs()[11], &within(0.01, 3));
    check(&layers(5), &within(0.01, 3));
}

#[test]
fn corner_cases_are_within_the_error() {
    for (name, graph) in corner_cases::<u32>() {
        if graph.n_vertices() <= 300 {
            println!("{name}");
            check(&graph, &within(0.1, 1));
        }
    }
}

#[test]
fn graphs_without_inner_vertices_have_zeros() {
    let complete = (0..9).flat_map(|u| (0..9).map(move |v| (u, v, 1)));
    let graphs = [
        (Csr::from_arcs(0, &[]).unwrap(), true),
        (Csr::from_arcs(2, &[(0, 1, 7)]).unwrap(), true),
        (Csr::from_arcs(5, &[]).unwrap(), true),
        (Csr::from_arcs(5, &[(0, 1, 7), (2, 3, 7)]).unwrap(), true),
        (Csr::from_edges(5, &[(0, 1, 7), (2, 3, 7)]).unwrap(), false),
        (Csr::from_edges(9, &complete.collect::<Vec<_>>()).unwrap(), false),
    ];
    for (graph, is_known) in graphs {
        let found = find(&graph, &within(0.01, 1));
        assert!(found.normalised().iter().all(|&value| value == 0.0));
        assert_eq!(found.n_samples() == 0, is_known, "{found:?}");
    }
}

#[test]
fn threads_and_weights_change_nothing() {
    let graph = &graphs()[0];
    let of = |threads| {
        let threads = NonZeroUsize::new(threads);
        find(graph, &ApproximateConfig { threads, ..within(0.03, 5) })
    };
    let found = of(1);
    for threads in [2, 5] {
        assert_eq!(of(threads), found);
    }
    let floats: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, f64::from(w) - 99.5)).collect();
    let floats = Csr::from_arcs(graph.n_vertices(), &floats).unwrap();
    assert_eq!(approximate_betweenness(&floats, &within(0.03, 5), None).unwrap(), found);
    assert_ne!(find(graph, &within(0.03, 6)), found);
}

/// 4^597 is beyond floats.
#[test]
fn numbers_of_paths_do_not_overflow() {
    let graph = layers(600);
    check(&graph, &within(0.1, 1));
}

#[test]
fn what_is_not_between_0_and_1_is_refused() {
    let graph = layers(3);
    for (error, failure) in [(0.0, 0.1), (1.0, 0.1), (f64::NAN, 0.1), (0.1, 0.0), (0.1, 1.0)] {
        let config = ApproximateConfig { error, failure, ..within(0.1, 1) };
        let refused = approximate_betweenness(&graph, &config, None).unwrap_err();
        assert!(matches!(refused, CentralityError::NotBetween { .. }), "{refused}");
    }
}

#[test]
fn it_can_be_ended() {
    let step = |done, total| {
        assert!(done <= total);
        if done > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let ended = approximate_betweenness(&graphs()[0], &within(0.002, 1), Some(&step));
    assert!(matches!(ended, Err(CentralityError::Interrupted(_))));
}
