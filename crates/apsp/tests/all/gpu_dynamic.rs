//! Pairs on a GPU that follow changes, beside pairs of the changed graph.

use std::ops::ControlFlow;

use apsp::{ApspError, Config, DynamicDevicePairs, PairsWeight};
use graph_formats::{Change, Csr, Direction, VertexId};

use crate::dynamic::{Draw, Walk, slope, walk};
use crate::gpu::gpu;

/// A walk on the GPU, or `None` without one.
fn on_gpu<W: PairsWeight>(
    name: &'static str,
    weight: fn(Draw<'_>, VertexId, VertexId) -> W,
) -> Option<Walk<W>> {
    let gpu = Some(gpu()?);
    Some(Walk { next_hops: false, gpu, batches: 20, ..walk(name, weight) })
}

/// More arcs than are followed at a time, and vertices beyond a tile.
fn go<W: PairsWeight>(name: &'static str, weight: fn(Draw<'_>, VertexId, VertexId) -> W) {
    let Some(small) = on_gpu(name, weight) else { return };
    let large = on_gpu(name, weight).map(|walk| Walk { n: 300, arcs: 1500, batches: 8, ..walk });
    small.all(4);
    if let Some(large) = large {
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

/// Within rounding; raised ones are found anew.
#[test]
fn rounded_floats_on_a_gpu() {
    if let Some(walk) = on_gpu("thirds", |draw, _, _| (1.0 + draw(900) as f64) / 3.0) {
        let _ = Walk { is_rounded: true, ..walk }.go(1);
    }
    if let Some(walk) = on_gpu("thirds of f32", |draw, _, _| (1.0 + draw(900) as f32) / 3.0) {
        let _ = Walk { is_rounded: true, ..walk }.go(1);
    }
}

/// A bad batch, a cycle behind many good arcs, and an end asked for leave all as it was.
#[test]
fn what_fails_on_a_gpu_changes_nothing() {
    let Some(gpu) = gpu() else { return };
    let arcs: Vec<_> = (0..200).map(|v| (v, (v + 1) % 200, 5i64)).collect();
    let graph = Csr::from_arcs(200, &arcs).unwrap();
    let mut all = DynamicDevicePairs::new(&gpu, &graph, &Config::default(), None).unwrap();
    let rows = |all: &DynamicDevicePairs<i64>| -> Vec<_> {
        (0..200).map(|v| all.pairs().row(v).unwrap()).collect()
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
        let mut all = DynamicDevicePairs::new(&gpu, &graph, &Config::default(), None).unwrap();
        all.update(changes, None).unwrap().solved
    };
    let negative = Change::Insert { from: 0, to: 2, weight: -1.0 };
    assert_eq!(solved(&[negative], 5), Some("the first negative weight is another kind of sum"));
    let room = Some("the matrix has no room for more vertices");
    assert_eq!(solved(&[Change::InsertVertex], 128), room);
    let graph = Csr::from_arcs(3, &[(0, 1, 4u64), (1, 2, 4)]).unwrap();
    let mut all = DynamicDevicePairs::new(&gpu, &graph, &Config::default(), None).unwrap();
    let heavy = Change::Reweight { from: 0, to: 1, weight: 1 << 40 };
    assert_eq!(all.update(&[heavy], None).unwrap().solved, Some("sums may need wider numbers"));
    assert_eq!(all.pairs().row(0).unwrap(), [Some(0), Some(1 << 40), Some((1 << 40) + 4)]);
}
