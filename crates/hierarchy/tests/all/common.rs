//! What the tests share.

use std::collections::BTreeSet;
use std::iter;

use graph_formats::{Csr, VertexId, Weight};
use hierarchy::{Hierarchy, Metric, MetricWeight, Order, Path};
use paths::{Distances, oracle};
use test_support::draws;

/// The hierarchy of a graph by the order that needs no coordinates.
pub(crate) fn hierarchy_of<W: MetricWeight>(graph: &Csr<W>) -> Hierarchy {
    Hierarchy::new(graph, &Order::by_landmarks(graph).unwrap()).unwrap()
}

/// The k shortest paths by the distances of the oracle; `None` where there is an error.
pub(crate) fn k_shortest<W: MetricWeight>(
    graph: &Csr<W>,
    source: VertexId,
    target: VertexId,
    k: usize,
) -> Option<Vec<k_paths::Path<W::Distance>>> {
    let to_target = oracle::dijkstra(&graph.transposed(), target).ok()?;
    let distance = |vertex| to_target.get(vertex);
    Some(k_paths::k_shortest_paths(graph, source, target, k, distance, None).ok()?.paths)
}

/// Compares all that `metric` answers about these vertices with the oracle.
pub(crate) fn check<W: MetricWeight>(graph: &Csr<W>, metric: &Metric<W>, vertices: &[VertexId]) {
    let mut query = metric.query();
    let all = metric.distances(vertices).unwrap();
    let table = metric.table(vertices, vertices).unwrap();
    let labels = metric.labels().unwrap();
    let mut labelled_query = labels.query();
    for (i, &source) in vertices.iter().enumerate() {
        let expected = oracle::dijkstra(graph, source).unwrap();
        assert_eq!(all[i], expected, "from {source}");
        let pairs: Vec<_> = vertices.iter().map(|&target| (source, target)).collect();
        let expected_pairs: Vec<_> = vertices.iter().map(|&target| expected.get(target)).collect();
        assert_eq!(metric.pairs(&pairs).unwrap(), expected_pairs, "from {source}");
        let labelled = labels.pairs(&pairs).unwrap();
        assert_eq!(labelled.iter().collect::<Vec<_>>(), expected_pairs, "from {source}");
        check_near(metric, source, vertices, &expected);
        for (j, &target) in vertices.iter().enumerate() {
            let distance = expected.get(target);
            assert_eq!(query.distance(source, target), Ok(distance), "{source} -> {target}");
            assert_eq!(table.get(i, j), distance, "{source} -> {target}");
            assert_eq!(labels.distance(source, target), Ok(distance), "{source} -> {target}");
            check_path(graph, [source, target], distance, query.path(source, target).unwrap());
            check_path(
                graph,
                [source, target],
                distance,
                labelled_query.path(source, target).unwrap(),
            );
            assert_eq!(
                labelled_query.distance(source, target),
                Ok(distance),
                "{source} -> {target}"
            );
        }
    }
}

/// Whether a path leads from one end to the other along arcs of the graph, and is this long.
fn check_path<W: MetricWeight>(
    graph: &Csr<W>,
    [source, target]: [VertexId; 2],
    distance: Option<W::Distance>,
    path: Option<Path<W::Distance>>,
) {
    assert_eq!(path.is_some(), distance.is_some(), "{source} -> {target}");
    let Some(path) = path else { return };
    assert_eq!(Some(path.length), distance, "{source} -> {target}");
    assert_eq!((path.vertices[0], path.vertices.last()), (source, Some(&target)));
    let mut length = W::Distance::ZERO;
    for (ends, &arc) in path.vertices.windows(2).zip(&path.arcs) {
        assert!(graph.row(ends[0]).contains(&arc), "{source} -> {target}");
        assert_eq!(graph.column_indices()[arc], ends[1], "{source} -> {target}");
        length = graph.weight(arc).after(length).unwrap();
    }
    assert_eq!((path.length, path.vertices.len()), (length, path.arcs.len() + 1));
    if W::ZERO.to_i128().is_some() {
        let n_different = path.vertices.iter().collect::<BTreeSet<_>>().len();
        assert_eq!(n_different, path.vertices.len(), "{source} -> {target}: a cycle");
    }
}

/// Compares the nearest of `vertices`, and what is within the distance of the middle one.
pub(crate) fn check_near<W: MetricWeight>(
    metric: &Metric<W>,
    source: VertexId,
    vertices: &[VertexId],
    expected: &Distances<W::Distance>,
) {
    let reached = vertices.iter().filter_map(|&target| Some((target, expected.get(target)?)));
    let mut reached: Vec<_> = reached.collect();
    reached.sort_by(|a, b| a.1.order(b.1));
    let middle = reached.len() / 2;
    assert_eq!(metric.nearest(source, vertices, middle).unwrap(), reached[..middle]);
    let Some(&(_, radius)) = reached.get(middle) else { return };
    let within: Vec<_> = expected.clone().within(radius).reached().collect();
    assert_eq!(metric.within(source, radius).unwrap(), within);
}

/// Numbers below `bound` as if they were drawn.
pub(crate) fn drawn(seed: u64, bound: usize) -> impl Iterator<Item = u32> {
    let mut draw = draws(seed);
    iter::repeat_with(move || draw(bound as u64) as u32)
}

/// The arcs of a graph with other weights, those of the two directions unequal.
pub(crate) fn reweighted<W: MetricWeight>(graph: &Csr<W>, seed: u32) -> Csr<u32> {
    let weights = (0..graph.n_arcs() as u32).map(|arc| arc.wrapping_mul(2_654_435_761) ^ seed);
    let weights: Vec<u32> = weights.map(|weight| weight % 1_000).collect();
    Csr::new(graph.row_offsets().to_vec(), graph.column_indices().to_vec(), weights).unwrap()
}
