//! A hundred thousand queries of random pairs, all as searches answer them.

use graph_formats::generate::{GeometricConfig, GraphOptions, GridConfig, geometric, grid};
use graph_formats::{Csr, Direction, VertexId, read};
use hierarchy::{HierarchyError, Metric, MetricWeight};
use paths::oracle;
use test_support::{corner_cases, data, forest};

use crate::common::{drawn, hierarchy_of, reweighted};

/// How many sources are searched from, and how many targets each is asked about.
struct Pairs {
    sources: usize,
    targets: usize,
}

/// Compares random pairs, and the paths of some, with searches; how many there were.
fn compare<W: MetricWeight>(graph: &Csr<W>, metric: &Metric<W>, pairs: &Pairs, seed: u64) -> usize {
    if graph.n_vertices() == 0 {
        return 0;
    }
    let (mut vertices, mut query) = (drawn(seed, graph.n_vertices()), metric.query());
    for source in vertices.by_ref().take(pairs.sources).collect::<Vec<_>>() {
        let expected = oracle::dijkstra(graph, source).unwrap();
        let asked: Vec<_> = vertices.by_ref().take(pairs.targets).map(|v| (source, v)).collect();
        let found = metric.pairs(&asked).unwrap();
        for (i, (&(_, target), found)) in asked.iter().zip(found).enumerate() {
            assert_eq!(found, expected.get(target), "{source} -> {target}");
            if i % 8 == 0 {
                let path = query.path(source, target).unwrap();
                assert_eq!(path.map(|path| path.length), found, "{source} -> {target}");
            }
        }
    }
    pairs.sources * pairs.targets
}

/// The same with the weights of the graph and with others, for which the hierarchy is customized
/// again; those answers are also the ones of a hierarchy that is prepared for them.
fn compare_both<W: MetricWeight>(graph: &Csr<W>, pairs: &Pairs, seed: u64) -> usize {
    let hierarchy = hierarchy_of(graph);
    let n_own = match hierarchy.customize(graph) {
        Ok(metric) => compare(graph, &metric, pairs, seed),
        // floats near the greatest of all
        Err(error) => {
            assert!(matches!(error, HierarchyError::SumsTooLarge { .. }), "{error}");
            0
        }
    };
    let other = reweighted(graph, seed as u32);
    let again = hierarchy.customize(&other).unwrap();
    let n_other = compare(&other, &again, pairs, seed + 1);
    let prepared = hierarchy_of(&other);
    let fresh = prepared.customize(&other).unwrap();
    let vertices: Vec<VertexId> = drawn(seed, graph.n_vertices().max(1)).take(48).collect();
    if graph.n_vertices() > 0 {
        assert_eq!(again.table(&vertices, &vertices), fresh.table(&vertices, &vertices));
    }
    n_own + n_other
}

/// Some of the edges of a grid, so few that it falls into hundreds of components.
fn disconnected() -> Csr<u32> {
    let whole = grid(&GridConfig { side: 100, ..Default::default() }).unwrap();
    let kept = whole.arcs().zip(drawn(3, 100)).filter(|&(_, percent)| percent < 30);
    let edges: Vec<_> = kept.map(|(edge, _)| edge).collect();
    Csr::from_edges(whole.n_vertices(), &edges).unwrap()
}

#[test]
fn a_hundred_thousand() {
    let some = Pairs { sources: 30, targets: 400 };
    let options = GraphOptions { weights: 0..=90, ..Default::default() };
    let one_way = GraphOptions { direction: Direction::Directed, ..options.clone() };
    let square = grid(&GridConfig { side: 120, options: one_way, ..Default::default() }).unwrap();
    let points = GeometricConfig { n_vertices: 10_000, radius: 0.018, options };
    let points = geometric(&points).unwrap();
    let mut n = compare_both(&square, &some, 1) + compare_both(&points, &some, 3);
    n += compare_both(&disconnected(), &some, 5);
    n += (0..3)
        .map(|seed| compare_both(&forest(9_000, 9_000, seed), &some, seed.into()))
        .sum::<usize>();
    for (name, graph) in corner_cases::<f64>() {
        println!("{name}");
        n += compare_both(&graph, &Pairs { sources: 4, targets: 50 }, 7);
    }
    assert!(n > 100_000, "{n}");
}

#[test]
fn of_real_graphs() {
    for (file, sources) in [("dimacs/USA-road-d.NY.gr.gz", 12), ("dimacs/DE.gr", 30)] {
        let Some(path) = data(file) else { continue };
        let graph: Csr<u32> = read(path).unwrap().csr.into_csr().unwrap();
        let n = compare_both(&graph, &Pairs { sources, targets: 1_000 }, 9);
        assert_eq!(n, 2 * sources * 1_000, "{file}");
    }
}
