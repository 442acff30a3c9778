//! Graphs that the tests share, and the same graphs with other weights or fewer arcs.

use std::ops::{Range, RangeInclusive};

use graph_formats::generate::{
    GeometricConfig, GridConfig, RmatConfig, UniformConfig, geometric, grid, rmat, uniform,
};
use graph_formats::{AnyCsr, Csr, VertexId, Weight, read};
use proptest::prelude::*;
use test_support::{arbitrary_graph, data, undirected};

/// An R-MAT graph, whose degrees differ widely.
pub(crate) fn skewed(scale: u32) -> Csr<u32> {
    rmat(&RmatConfig { scale, ..RmatConfig::default() }).unwrap()
}

/// A square grid.
pub(crate) fn square(side: u32) -> Csr<u32> {
    grid(&GridConfig { side, ..GridConfig::default() }).unwrap()
}

/// A random geometric graph: points are joined within `radius`.
pub(crate) fn points(n_vertices: usize, radius: f64) -> Csr<u32> {
    geometric(&GeometricConfig { n_vertices, radius, ..GeometricConfig::default() }).unwrap()
}

/// The usual radius of [`points`].
pub(crate) const RADIUS: f64 = 0.0088;

/// Graphs with their names.
pub(crate) type Named = Vec<(&'static str, Csr<u32>)>;

/// Makes a dense graph and a sparse one.
pub(crate) fn two_kinds(scale: u32, side: u32) -> impl Fn() -> Named {
    move || vec![("rmat", skewed(scale)), ("grid", square(side))]
}

/// Makes a graph by each generator.
pub(crate) fn four_kinds(
    [scale, side]: [u32; 2],
    (n_vertices, n_edges): (usize, u64),
    (n_points, radius): (usize, f64),
) -> impl Fn() -> Named {
    let spread = UniformConfig { n_vertices, n_edges, ..UniformConfig::default() };
    move || {
        let mut graphs = two_kinds(scale, side)();
        graphs.push(("uniform", uniform(&spread).unwrap()));
        graphs.push(("geometric", points(n_points, radius)));
        graphs
    }
}

/// Graphs of the usual size.
pub(crate) fn large_ones() -> Named {
    four_kinds([14, 200], (9_000, 99_000), (20_000, RADIUS))()
}

/// Real graphs, road networks first.
pub(crate) const REAL: [&str; 10] = [
    "dimacs/rome99.gr",
    "dimacs/DE.gr",
    "dimacs/USA-road-d.NY.gr.gz",
    "metis/power.graph",
    "mtx/ca-GrQc.mtx",
    "snap/wiki-Vote.txt",
    "mtx/cage8.mtx",
    "dimacs/fastpaths_graph_23rd.gr",
    "connectome/larva_unmatched_full.csv.gz",
    "gapbs/4.gr",
];

/// The real graphs of these names that are in the folder.
pub(crate) fn real<'a>(names: &'a [&'a str]) -> impl Iterator<Item = (&'a str, AnyCsr)> {
    names.iter().filter_map(|&name| Some((name, read(data(name)?).unwrap().csr)))
}

/// Arbitrary graphs with these weights, which `raised` raises to one of `powers`; directed and
/// undirected.
pub(crate) fn arbitrary<W: Weight>(
    max_n: usize,
    weights: RangeInclusive<i64>,
    powers: Range<u32>,
    raised: fn(u32, u32) -> W,
) -> impl Strategy<Value = Csr<W>> {
    let drawn = (arbitrary_graph::<u32>(max_n, 400, weights), any::<bool>(), powers);
    drawn.prop_map(move |(graph, is_both_ways, power)| {
        let graph = with_weights(&graph, |_, _, w| raised(w, power));
        if is_both_ways { undirected(&graph) } else { graph }
    })
}

/// An undirected path whose arcs weigh 1 to 7.
pub(crate) fn path(n_edges: VertexId) -> Csr<u32> {
    let edges: Vec<_> = (0..n_edges).map(|v| (v, v + 1, 1 + v % 7)).collect();
    Csr::from_edges(n_edges as usize + 1, &edges).unwrap()
}

/// A directed path of arcs of equal weight.
pub(crate) fn even_path<W: Weight>(n_arcs: VertexId, weight: W) -> Csr<W> {
    let arcs: Vec<_> = (0..n_arcs).map(|v| (v, v + 1, weight)).collect();
    Csr::from_arcs(n_arcs as usize + 1, &arcs).unwrap()
}

/// A path of 40 edges whose sums have more than 32 bits, and isolated vertices.
pub(crate) fn heavy_path(n_vertices: usize) -> Csr<u32> {
    let edges: Vec<_> = (0..40).map(|v| (v, v + 1, 4_000_000_000 - v)).collect();
    Csr::from_edges(n_vertices, &edges).unwrap()
}

/// A path of 40 arcs with the weights `least`, `least` + 1, and so on.
pub(crate) fn deep_path(least: i32) -> Csr<i32> {
    let arcs: Vec<_> = (0..40).map(|v| (v, v + 1, least + v as i32)).collect();
    Csr::from_arcs(41, &arcs).unwrap()
}

/// A path that ends in a cycle of length -1, and an arc back to the start.
pub(crate) fn cycle_far_away() -> Csr<i32> {
    let mut arcs: Vec<_> = (0..3000).map(|v| (v, v + 1, 5)).collect();
    arcs.extend([(3000, 2990, -51), (3000, 0, 9)]);
    Csr::from_arcs(3001, &arcs).unwrap()
}

/// A grid of 90,000 vertices with one negative undirected edge.
pub(crate) fn cycle_in_a_square() -> Csr<i32> {
    let square = square(300);
    let mut edges: Vec<_> = square.arcs().map(|(u, v, w)| (u, v, w as i32)).collect();
    edges.push((4, 5, -1));
    Csr::from_edges(square.n_vertices(), &edges).unwrap()
}

/// An undirected edge of negative weight, which is a cycle of two arcs.
pub(crate) fn cycle_of_an_edge() -> Csr<i32> {
    Csr::from_edges(3, &[(0, 1, 4), (1, 2, -1)]).unwrap()
}

/// The first vertex, one in the middle, and the last.
pub(crate) fn some_sources<W: Weight>(graph: &Csr<W>) -> Vec<VertexId> {
    let n = graph.n_vertices() as VertexId;
    let mut sources: Vec<_> =
        [0, n / 2, n.saturating_sub(1)].into_iter().filter(|&v| v < n).collect();
    sources.dedup();
    sources
}

/// The vertex of greatest out-degree.
pub(crate) fn hub<W: Weight>(graph: &Csr<W>) -> VertexId {
    graph.vertices().max_by_key(|&v| graph.out_degree(v)).unwrap()
}

/// The same arcs with other weights.
pub(crate) fn with_weights<V: Weight, W: Weight>(
    graph: &Csr<V>,
    weight: impl Fn(VertexId, VertexId, V) -> W,
) -> Csr<W> {
    let arcs: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, weight(u, v, w))).collect();
    Csr::from_arcs(graph.n_vertices(), &arcs).unwrap()
}

/// The undirected graph of the arcs that lead to no lower vertex, with other weights. An undirected
/// graph keeps its edges.
pub(crate) fn reweighted<V: Weight, W: Weight>(graph: &Csr<V>, weight: impl Fn(V) -> W) -> Csr<W> {
    let arcs = graph.arcs().filter(|arc| arc.0 <= arc.1);
    let edges: Vec<_> = arcs.map(|(u, v, w)| (u, v, weight(w))).collect();
    Csr::from_edges(graph.n_vertices(), &edges).unwrap()
}

/// The arcs from lower to higher vertices, and one in three of the others: a directed graph.
pub(crate) fn one_way<W: Weight>(graph: &Csr<W>) -> Csr<W> {
    let arcs: Vec<_> = graph.arcs().filter(|&(u, v, _)| u < v || (u + v) % 3 == 0).collect();
    Csr::from_arcs(graph.n_vertices(), &arcs).unwrap()
}

/// The same graph with floats of all magnitudes.
pub(crate) fn as_floats(graph: &Csr<u32>) -> Csr<f32> {
    reweighted(graph, |w| (w as f32 / 7.0).exp2() - 1.0)
}

/// The same graph with weights divided by `divisor`, rounded down.
pub(crate) fn coarse(graph: &Csr<u32>, divisor: u32) -> Csr<u32> {
    reweighted(graph, |w| w / divisor)
}

/// The same graph with weights divided by 3, so that sums round.
pub(crate) fn thirds(graph: &Csr<u32>) -> Csr<f64> {
    reweighted(graph, |w| f64::from(w) / 3.0)
}
