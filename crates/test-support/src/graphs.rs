//! Graphs for the tests of solvers: those with known corner cases, and arbitrary ones.

use std::ops::RangeInclusive;

use graph_formats::{Csr, VertexId, Weight, WeightKind};
use proptest::prelude::*;

use crate::draws;

/// Every corner case by name. No weight is negative, all are whole numbers, and every
/// distance between two vertices of the same graph fits its type, so that all solvers
/// have the same answers, whatever the source.
///
/// The largest has 10,000 vertices. The last 71 have 0, 1, 2, …, 70.
///
/// ```
/// use test_support::corner_cases;
///
/// let (name, graph) = &corner_cases::<u32>()[0];
/// assert_eq!((*name, graph.n_vertices()), ("empty", 0));
/// ```
pub fn corner_cases<W: Weight>() -> Vec<(&'static str, Csr<W>)> {
    let directed = |n, arcs: &[(VertexId, VertexId, i64)]| {
        let arcs: Vec<_> = arcs.iter().map(|&(u, v, w)| (u, v, weight::<W>(w))).collect();
        Csr::from_arcs(n, &arcs).expect("arcs between vertices")
    };
    let path: Vec<_> = (0..9_999).map(|v| (v, v + 1, 1 + i64::from(v % 3))).collect();
    let backwards: Vec<_> = path.iter().map(|&(u, v, w)| (v, u, w)).collect();
    let ring_of_zeros: Vec<_> =
        (0..64).flat_map(|v| [(v, (v + 1) % 64, 0), (v, v * 7 % 64, 0)]).collect();
    let plateau = [(0, 4, 3), (4, 3, 0), (3, 2, 0), (2, 4, 0), (4, 1, 0), (1, 2, 0), (1, 5, 2)];
    let hub: Vec<_> =
        (1..1_000).flat_map(|v| [(0, v, i64::from(v % 7)), (v, 0, i64::from(v % 5))]).collect();
    let mut graphs = vec![
        ("empty", directed(0, &[])),
        ("one vertex", directed(1, &[])),
        ("one vertex, self-loops", directed(1, &[(0, 0, 0), (0, 0, 3)])),
        ("no edges", directed(5, &[])),
        ("isolated source", directed(4, &[(1, 2, 1), (2, 3, 1), (3, 1, 1)])),
        ("only arcs into the source", directed(3, &[(1, 0, 1), (2, 0, 0)])),
        ("self-loops", directed(3, &[(0, 0, 0), (0, 1, 2), (1, 1, 5), (1, 2, 1), (2, 2, 0)])),
        ("parallel edges", directed(3, &[(0, 1, 7), (0, 1, 3), (0, 1, 3), (1, 2, 9), (1, 2, 1)])),
        ("zero weights", directed(6, &plateau)),
        ("all zero weights", directed(64, &ring_of_zeros)),
        ("two ways of equal length", directed(4, &[(0, 2, 1), (0, 1, 1), (1, 3, 1), (2, 3, 1)])),
        ("largest weights", largest_weights()),
        ("one hub", directed(1_000, &hub)),
        ("path of 10,000", directed(10_000, &path)),
        ("path of 10,000, against the order", directed(10_000, &backwards)),
        ("two components", directed(6, &[(0, 1, 2), (1, 2, 2), (2, 0, 2), (3, 4, 1), (4, 5, 1)])),
    ];
    graphs.extend((0..=70).map(|n| ("every size", directed(n as usize, &scattered_arcs(n, 3)))));
    graphs
}

/// An arbitrary graph of 1 to `max_n` vertices and up to `max_m` arcs, self-loops and
/// parallel arcs among them, with whole weights from a range.
///
/// If the weight type is its own distance type, every fourth graph has all weights multiplied by
/// one number. So lengths of paths exceed what `f64` holds exactly. Integers go up to 2^60; floats
/// are multiplied by a power of two, and become large.
///
/// It shrinks to fewer arcs, fewer and smaller vertices, and weights nearer zero, all
/// independently: an arc that names too large a vertex wraps round to a smaller one.
///
/// # Panics
/// When `max_n` is zero, or `W` cannot hold a weight of the range.
pub fn arbitrary_graph<W: Weight>(
    max_n: usize,
    max_m: usize,
    weights: RangeInclusive<i64>,
) -> impl Strategy<Value = Csr<W>> {
    let vertex = 0..max_n as VertexId;
    let greatest = weights.start().unsigned_abs().max(weights.end().unsigned_abs());
    let unit = large_unit::<W>((max_n as u64).saturating_mul(greatest).max(1));
    let arcs = prop::collection::vec((vertex.clone(), vertex, weights), 0..=max_m);
    (1..=max_n, arcs, prop::bool::weighted(0.25)).prop_map(move |(n, arcs, is_large)| {
        let wrap = |v| v % n as VertexId;
        let unit = if is_large { unit } else { W::ONE };
        let arcs: Vec<_> = arcs
            .into_iter()
            .map(|(u, v, w)| (wrap(u), wrap(v), times(weight::<W>(w), unit)))
            .collect();
        Csr::from_arcs(n, &arcs).expect("arcs between vertices")
    })
}

/// What weights may be multiplied by whose paths are no longer than `longest`.
fn large_unit<W: Weight>(longest: u64) -> W {
    let unit = match W::KIND {
        WeightKind::U64 | WeightKind::I64 => W::from_i128(((1 << 60) / i128::from(longest)) | 1),
        WeightKind::F32 => W::from_f64(2f64.powi(90)),
        WeightKind::F64 => W::from_f64(2f64.powi(900)),
        _ => Some(W::ONE),
    };
    unit.expect("within the range of its own type")
}

fn times<W: Weight>(weight: W, unit: W) -> W {
    let product = match (weight.to_i128(), unit.to_i128()) {
        (Some(weight), Some(unit)) => W::from_i128(weight * unit),
        _ => W::from_f64(weight.to_f64() * unit.to_f64()),
    };
    product.expect("a weight that the type can hold")
}

/// A graph of `n` vertices and `degree` arcs for each of them, with ends and weights from 0 to 9
/// that follow no pattern.
pub fn scattered(n: VertexId, degree: u32) -> Csr<u32> {
    let arcs = scattered_arcs(n, degree).into_iter().map(|(u, v, w)| (u, v, w as u32));
    Csr::from_arcs(n as usize, &arcs.collect::<Vec<_>>()).expect("arcs between vertices")
}

fn scattered_arcs(n: VertexId, degree: u32) -> Vec<(VertexId, VertexId, i64)> {
    let mut draw = draws(n.into());
    let mut below = |bound: u32| draw(bound.into()) as u32;
    (0..n * degree).map(|_| (below(n), below(n), below(10).into())).collect()
}

/// A test for each weight type: this law on small graphs, directed and undirected. Weights are few
/// and integral, so that many paths are equally long and zeros are frequent.
#[macro_export]
macro_rules! small_graph_tests {
    ($law:expr; $($test:ident $weight:ty),+) => {
        proptest::proptest! {
            #![proptest_config(proptest::prelude::ProptestConfig::with_cases(96))]
            $(
                #[test]
                fn $test(graph in $crate::arbitrary_graph::<$weight>(6, 18, 0..=3)) {
                    for graph in [$crate::undirected(&graph), graph] {
                        $law(&graph);
                    }
                }
            )+
        }
    };
}

/// The same graph with every arc both ways, self-loops and parallel arcs included.
pub fn undirected<W: Weight>(graph: &Csr<W>) -> Csr<W> {
    let edges: Vec<_> = graph.arcs().collect();
    Csr::from_edges(graph.n_vertices(), &edges).expect("edges between vertices")
}

/// A grid of `side` by `side` vertices whose edges weigh 1.
pub fn streets(side: VertexId) -> Csr<u32> {
    let n = side * side;
    let edges = (0..n).flat_map(|v| {
        let right = (v % side + 1 < side).then_some((v, v + 1, 1));
        right.into_iter().chain((v + side < n).then_some((v, v + side, 1)))
    });
    Csr::from_edges(n as usize, &edges.collect::<Vec<_>>()).expect("edges between vertices")
}

/// A path of `n` vertices with arcs of weight 1, and an arc of weight 4 around each inner vertex.
pub fn road_with_detours(n: VertexId) -> Csr<u32> {
    let road = (0..n - 1).map(|v| (v, v + 1, 1));
    let detours = (0..n - 2).map(|v| (v, v + 2, 4));
    let arcs: Vec<_> = road.chain(detours).collect();
    Csr::from_arcs(n as usize, &arcs).expect("arcs between vertices")
}

/// Three paths from vertex 0 to 3, of two arcs of weight 1, of one `large` arc and of two; directed
/// and undirected.
pub fn large_detours<W: Weight>(large: W) -> [Csr<W>; 2] {
    let one = W::ONE;
    let arcs = [(0, 1, one), (1, 3, one), (0, 2, large), (2, 3, large), (0, 3, large)];
    let directed = Csr::from_arcs(4, &arcs).expect("arcs between vertices");
    [undirected(&directed), directed]
}

/// A forest of `n` vertices: each joins an arbitrary one before it, but for every
/// `root_every`-th. Weights are 0 to 10.
pub fn forest(n: VertexId, root_every: u32, seed: u32) -> Csr<u64> {
    let parent = |v: VertexId| v.wrapping_mul(2_654_435_761).wrapping_add(seed) % v;
    let others = (1..n).filter(|v| v % root_every != 0);
    let edges: Vec<_> = others.map(|v| (parent(v), v, u64::from(v % 11))).collect();
    Csr::from_edges(n as usize, &edges).expect("edges between vertices")
}

/// A list of `count` vertices of the graph, in no order; some may occur twice.
pub fn some_vertices<W: Weight>(graph: &Csr<W>, count: usize) -> Vec<VertexId> {
    let n = graph.n_vertices() as u64;
    (0..count as u64).filter(|_| n > 0).map(|i| (i * 7_919 % n) as VertexId).collect()
}

fn weight<W: Weight>(value: i64) -> W {
    W::from_i128(value.into()).expect("a weight that the type can hold")
}

/// Four vertices, all joined by the largest weight whose distance fits. The sum of two
/// leaves the 64-bit types and the floats, but no shortest path needs it.
fn largest_weights<W: Weight>() -> Csr<W> {
    let largest = match W::KIND {
        WeightKind::U32 => W::from_i128(u32::MAX.into()),
        WeightKind::I32 => W::from_i128(i32::MAX.into()),
        WeightKind::U64 => W::from_i128(i128::from(u64::MAX) - 1),
        WeightKind::I64 => W::from_i128(i128::from(i64::MAX) - 1),
        WeightKind::F32 => W::from_f64(f32::MAX.into()),
        _ => W::from_f64(f64::MAX),
    };
    let largest = largest.expect("within the range of its own type");
    let pairs = (0..4).flat_map(|u| (0..4).filter(move |&v| v != u).map(move |v| (u, v, largest)));
    Csr::from_arcs(4, &pairs.collect::<Vec<_>>()).expect("arcs between vertices")
}
