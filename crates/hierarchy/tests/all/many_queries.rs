//! A hundred thousand queries of random pairs of a graph, each way as searches answer them.

use graph_formats::generate::{GeometricConfig, GraphOptions, GridConfig, geometric, grid};
use graph_formats::{Csr, Direction, VertexId, parallel, read};
use hierarchy::{HierarchyError, Metric, MetricWeight};
use paths::oracle;
use test_support::{corner_cases, data, forest};

use crate::common::{check_near, drawn, hierarchy_of, reweighted};

/// How many sources are searched from, and how many targets all of them are asked about.
struct Pairs {
    sources: usize,
    targets: usize,
}

/// More than a hundred thousand, by few searches.
const MANY: Pairs = Pairs { sources: 317, targets: 317 };
/// Many enough for what differs between graphs and types, and not between pairs.
const SOME: Pairs = Pairs { sources: 60, targets: 317 };
const OF_LARGE_GRAPHS: Pairs = Pairs { sources: 26, targets: 4_000 };
/// As many pairs at a time are always found by walks.
const PAIRS_BY_WALKS: usize = 1_000;

/// Compares random pairs, and the paths of some, with searches; how many there were.
fn compare<W: MetricWeight>(graph: &Csr<W>, metric: &Metric<W>, pairs: &Pairs, seed: u64) -> usize {
    if graph.n_vertices() == 0 {
        return 0;
    }
    let mut vertices = drawn(seed, graph.n_vertices());
    let sources: Vec<_> = vertices.by_ref().take(pairs.sources).collect();
    let targets: Vec<_> = vertices.take(pairs.targets).collect();
    let to_targets = |source| targets.iter().map(move |&target| (source, target));
    let all: Vec<_> = sources.iter().flat_map(|&source| to_targets(source)).collect();
    let (found, table) = (metric.pairs(&all).unwrap(), metric.table(&sources, &targets).unwrap());
    let labelled: Vec<_> = metric.labels().unwrap().pairs(&all).unwrap().iter().collect();
    let swept = metric.map_distances(&sources, |_, distances| distances.clone()).unwrap();
    parallel::for_each(sources.len(), &|row| {
        let (source, first) = (sources[row], row * targets.len());
        let expected = oracle::dijkstra(graph, source).unwrap();
        assert_eq!(swept[row], expected, "from {source}");
        let right: Vec<_> = targets.iter().map(|&target| expected.get(target)).collect();
        assert!(table.row(row).eq(right.iter().copied()), "from {source}");
        assert_eq!(found[first..first + right.len()], right, "from {source}");
        assert_eq!(labelled[first..first + right.len()], right, "from {source}");
        if row % 8 == 0 {
            let parts = all[first..first + right.len()].chunks(PAIRS_BY_WALKS);
            let walked: Vec<_> = parts.flat_map(|pairs| metric.pairs(pairs).unwrap()).collect();
            assert_eq!(walked, right, "from {source}");
        }
        let mut query = metric.query();
        for (&target, &distance) in targets.iter().zip(&right).step_by(16) {
            let path = query.path(source, target).unwrap();
            assert_eq!(path.map(|path| path.length), distance, "{source} -> {target}");
            assert_eq!(query.distance(source, target), Ok(distance), "{source} -> {target}");
        }
        if row % 16 == 0 {
            check_near(metric, source, &targets, &expected);
        }
    });
    all.len()
}

/// The same with the weights of the graph and, from fewer sources, with others, for which the
/// hierarchy is customized again; those answers are also the ones of a hierarchy that is prepared
/// for them.
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
    let fewer = Pairs { sources: pairs.sources.div_ceil(8), ..*pairs };
    let n_other = compare(&other, &again, &fewer, seed + 1);
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
    let options = GraphOptions { weights: 0..=90, ..Default::default() };
    let one_way = GraphOptions { direction: Direction::Directed, ..options.clone() };
    let square = grid(&GridConfig { side: 90, options: one_way, ..Default::default() }).unwrap();
    let points = GeometricConfig { n_vertices: 7_000, radius: 0.021, options };
    let points = geometric(&points).unwrap();
    let n = compare_both(&square, &MANY, 1);
    assert!(n > 110_000, "{n}");
    compare_both(&points, &SOME, 3);
    compare_both(&disconnected(), &SOME, 5);
    compare_both(&forest(7_000, 7_000, 1), &SOME, 7);
    for (name, graph) in corner_cases::<f64>() {
        println!("{name}");
        compare_both(&graph, &Pairs { sources: 4, targets: 50 }, 9);
    }
}

/// Weights of each type, and such that lengths take keys of 32 bits, 64 and 128.
#[test]
fn of_weights_of_all_types() {
    fn check<W: MetricWeight>(graph: &Csr<u32>, weight: impl Fn(u32) -> W) {
        let graph = graph.map_weights(weight).unwrap();
        let metric = hierarchy_of(&graph).customize(&graph).unwrap();
        compare(&graph, &metric, &SOME, 11);
    }
    let one_way = Direction::Directed;
    let options = GraphOptions { weights: 0..=90, direction: one_way, ..Default::default() };
    let square = &grid(&GridConfig { side: 30, options, ..Default::default() }).unwrap();
    check(square, |weight| weight as i32);
    check(square, |weight| u64::from(weight) << 40);
    check(square, |weight| i64::from(weight) << 40);
    check(square, |weight| u64::from(weight) << 48);
    check(square, |weight| weight as f32);
    check(square, f64::from);
}

#[test]
fn of_real_graphs() {
    for (file, pairs) in [
        ("dimacs/rome99.gr", MANY),
        ("dimacs/DE.gr", OF_LARGE_GRAPHS),
        ("dimacs/USA-road-d.NY.gr.gz", OF_LARGE_GRAPHS),
    ] {
        let Some(path) = data(file) else { continue };
        let graph: Csr<u32> = read(path).unwrap().csr.into_csr().unwrap();
        assert!(compare_both(&graph, &pairs, 9) > 110_000, "{file}");
    }
}
