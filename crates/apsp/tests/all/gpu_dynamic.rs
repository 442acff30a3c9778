//! Pairs on a GPU that follow changes, beside pairs of the changed graph.

use std::ops::ControlFlow;
use std::slice::from_ref;

use apsp::{ApspError, Config, DynamicDevicePairs, PairsWeight, Solver};
use gpu_runtime::Gpu;
use graph_formats::{Change, Csr, Direction, VertexId};

use crate::common::rounding_path;
use crate::dynamic::{Draw, Walk, next_hops_on_gpu, slope, walk};
use crate::gpu::{gpu, in_32_bits, in_64_bits, light, plateaus, slope as gpu_slope, some_gpus};

/// A walk on the GPU, or `None` without one.
fn on_gpu<W: PairsWeight>(
    name: &'static str,
    weight: fn(Draw<'_>, VertexId, VertexId) -> W,
) -> Option<Walk<W>> {
    Some(Walk { gpus: vec![gpu()?], batches: 20, ..walk(name, weight) })
}

/// More arcs than are followed at a time, and vertices beyond a tile.
fn go<W: PairsWeight>(name: &'static str, weight: fn(Draw<'_>, VertexId, VertexId) -> W) {
    for next_hops in [false, true] {
        let Some(walk) = on_gpu(name, weight) else { return };
        Walk { next_hops, ..walk }.all(2);
        let Some(walk) = on_gpu(name, weight) else { return };
        let large = Walk { next_hops, n: 300, arcs: 1500, batches: 8, ..walk };
        assert!(large.go(1).0 > 1, "{name}");
        let _ = Walk { direction: Direction::Undirected, arcs: 500, ..large }.go(2);
    }
}

#[test]
fn positive_weights_on_a_gpu() {
    go("u32", |draw, _, _| 1 + draw(9) as u32);
    go("u64", |draw, _, _| (1 + draw(9)) << 40);
    go("i32", |draw, _, _| 1 + draw(900) as i32);
    go("f32", |draw, _, _| 1.0 + draw(9) as f32);
    go("f64", |draw, _, _| 1.0 + draw(9) as f64);
}

#[test]
fn weights_of_zero_and_less_on_a_gpu() {
    go("zeros", |draw, _, _| draw(3) as u32);
    go("nearly all zeros", |draw, _, _| u64::from(draw(6) == 0));
    let Some(walk) = on_gpu("slope", slope) else { return };
    walk.all(6);
    if let Some(walk) = on_gpu("slope of i32", |draw, u, v| slope(draw, u, v) as i32) {
        walk.all(3);
    }
    if let Some(walk) = on_gpu("slope of floats", |draw, u, v| slope(draw, u, v) as f32) {
        walk.all(3);
    }
}

/// Each has some of the rows, in one block or in several, and copies of those of arcs' ends.
#[test]
fn several_gpus_follow_changes() {
    fn go<W: PairsWeight>(
        name: &'static str,
        weight: fn(Draw<'_>, VertexId, VertexId) -> W,
    ) -> bool {
        for n_gpus in [2, 3, 5] {
            let Some(gpus) = some_gpus(n_gpus) else { return false };
            let walk = Walk { next_hops: false, gpus, batches: 8, ..walk(name, weight) };
            let large = Walk { n: 300, arcs: 1500, ..walk };
            assert!(large.go(n_gpus.into()).0 > 1, "{name}");
            let larger = Walk { n: 1400, arcs: 3000, batches: 4, ..large };
            assert!(larger.go(n_gpus.into()).0 > 1, "{name}");
            Walk { n: 11, arcs: 20, batches: 20, ..larger }.all(1);
        }
        true
    }
    if go("u32", |draw, _, _| 1 + draw(9) as u32) {
        go("u64", |draw, _, _| (1 + draw(9)) << 40);
        go("f32", |draw, _, _| draw(9) as f32);
        go("slope", slope);
    }
}

/// Within rounding; raised ones are found anew. With next hops all are, to the bit.
#[test]
fn rounded_floats_on_a_gpu() {
    for next_hops in [false, true] {
        if let Some(walk) = on_gpu("thirds", |draw, _, _| (1.0 + draw(900) as f64) / 3.0) {
            let _ = Walk { is_rounded: !next_hops, next_hops, ..walk }.go(1);
        }
        if let Some(walk) = on_gpu("thirds of f32", |draw, _, _| (1.0 + draw(900) as f32) / 3.0) {
            let _ = Walk { is_rounded: !next_hops, next_hops, ..walk }.go(1);
        }
    }
}

/// An arc of no weight makes all next hops be found anew, and when it is gone they follow again.
#[test]
fn next_hops_on_a_gpu_follow_ties_and_zeros() {
    let Some(gpu) = gpu() else { return };
    let graph = Csr::from_arcs(4, &[(0, 2, 4u32), (2, 3, 4), (1, 3, 6)]).unwrap();
    let config = Config { next_hops: true, ..Config::default() };
    let mut all = DynamicDevicePairs::new(from_ref(&gpu), &graph, &config, None).unwrap();
    let path = |all: &DynamicDevicePairs<u32>| all.pairs().path(0, 3).unwrap();
    assert_eq!(path(&all), Some(vec![0, 2, 3]));
    let weigh = |from, to, weight| Change::Reweight { from, to, weight };
    let batches: [(Change<u32>, u64, [VertexId; 3]); 5] = [
        // as short, by a smaller vertex
        (Change::Insert { from: 0, to: 1, weight: 2 }, 2, [0, 1, 3]),
        (weigh(1, 3, 7), 2, [0, 2, 3]),
        (weigh(1, 3, 0), 16, [0, 1, 3]),
        (weigh(1, 3, 6), 16, [0, 1, 3]),
        (weigh(0, 1, 3), 2, [0, 2, 3]),
    ];
    for (change, n_hops, expected) in batches {
        let update = all.update(&[change], None).unwrap();
        assert_eq!((update.solved, update.n_hops), (None, n_hops), "{change}");
        assert_eq!(path(&all), Some(expected.to_vec()), "{change}");
    }
    assert_eq!(all.pairs().path(3, 0).unwrap(), None);
    assert_eq!(all.pairs().path(0, 4).unwrap(), None);
    assert_eq!(all.pairs().next_hops(0).unwrap(), [None, Some(1), Some(2), Some(2)]);
}

/// What one GPU keeps of a graph that does not change, in numbers of any width.
#[test]
fn next_hops_stay_on_a_gpu() {
    let Some(gpu) = gpu() else { return };
    fn check<W: PairsWeight>(gpu: &Gpu, graph: &Csr<W>) {
        let config = Config { next_hops: true, ..Config::default() };
        let solver = Solver::new(graph, &config);
        let found = solver.on(std::slice::from_ref(gpu)).solve_on_gpus(None).unwrap();
        let expected = solver.solve(None).unwrap();
        assert_eq!(next_hops_on_gpu(&found).as_ref(), expected.next_hops());
        let target = (graph.n_vertices() as VertexId).saturating_sub(1);
        for source in graph.vertices() {
            assert_eq!(found.path(source, target).unwrap(), expected.path(source, target));
        }
    }
    check(&gpu, &light(500, 1500));
    check(&gpu, &in_32_bits(1200, 4000, 50_000));
    check(&gpu, &in_64_bits(&gpu_slope(150)));
    check(&gpu, &gpu_slope(300).convert_weights::<f32>().unwrap());
    check(&gpu, &plateaus(300));
    check(&gpu, &rounding_path());
    check(&gpu, &Csr::<u32>::from_arcs(0, &[]).unwrap());
}

/// A bad batch, a cycle behind many good arcs, and an end asked for leave all as it was.
#[test]
fn what_fails_on_a_gpu_changes_nothing() {
    let Some(gpu) = gpu() else { return };
    let arcs: Vec<_> = (0..200).map(|v| (v, (v + 1) % 200, 5i64)).collect();
    let graph = Csr::from_arcs(200, &arcs).unwrap();
    let config = Config { next_hops: true, ..Config::default() };
    let mut all = DynamicDevicePairs::new(from_ref(&gpu), &graph, &config, None).unwrap();
    let rows = |all: &DynamicDevicePairs<i64>| -> Vec<_> {
        let row = |v| (all.pairs().row(v).unwrap(), all.pairs().next_hops(v).unwrap());
        (0..200).map(row).collect()
    };
    let before = rows(&all);
    let mut changes = vec![Change::InsertVertex, Change::Delete { from: 7, to: 8, weight: None }];
    changes.extend((0..150).map(|v| Change::Insert { from: v, to: v + 2, weight: 1 }));
    let is_unchanged = |all: &DynamicDevicePairs<i64>| {
        assert_eq!((all.pairs().n_vertices(), all.graph().n_arcs()), (200, 200));
        assert_eq!(rows(all), before);
    };
    for (bad, says) in [
        (Change::Insert { from: 190, to: 160, weight: -999 }, "negative cycle"),
        (Change::Delete { from: 190, to: 160, weight: None }, "change 152: there is no arc"),
    ] {
        let bad = [&changes[..], &[bad]].concat();
        let error = all.update(&bad, None).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
        is_unchanged(&all);
    }
    let stop = |_, _| ControlFlow::Break(());
    let stopped = all.update(&changes, Some(&stop));
    assert!(matches!(stopped, Err(ApspError::Interrupted(_))), "{stopped:?}");
    is_unchanged(&all);
    let update = all.update(&changes, None).unwrap();
    assert_eq!((update.solved, all.pairs().n_vertices()), (None, 201));
    assert_eq!(all.pairs().row(0).unwrap()[4], Some(2));
}

/// Vertices beyond the padding, wider numbers, and the first negative float are found anew.
#[test]
fn what_the_matrix_cannot_hold_is_found_anew() {
    let Some(gpu) = gpu() else { return };
    let solved = |changes: &[Change<f32>], n: usize| {
        let arcs: Vec<_> = (1..n as u32).map(|v| (v - 1, v, 1.0f32)).collect();
        let graph = Csr::from_arcs(n, &arcs).unwrap();
        let mut all =
            DynamicDevicePairs::new(from_ref(&gpu), &graph, &Config::default(), None).unwrap();
        all.update(changes, None).unwrap().solved
    };
    let negative = Change::Insert { from: 0, to: 2, weight: -1.0 };
    assert_eq!(solved(&[negative], 5), Some("the first negative weight is another kind of sum"));
    let room = Some("the matrix has no room for more vertices");
    assert_eq!(solved(&[Change::InsertVertex], 128), room);
    let graph = Csr::from_arcs(3, &[(0, 1, 4u64), (1, 2, 4)]).unwrap();
    let mut all =
        DynamicDevicePairs::new(from_ref(&gpu), &graph, &Config::default(), None).unwrap();
    let heavy = Change::Reweight { from: 0, to: 1, weight: 1 << 40 };
    assert_eq!(all.update(&[heavy], None).unwrap().solved, Some("sums may need wider numbers"));
    assert_eq!(all.pairs().row(0).unwrap(), [Some(0), Some(1 << 40), Some((1 << 40) + 4)]);
}
