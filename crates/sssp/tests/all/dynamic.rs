//! Trees that follow changes, beside searches of the changed graph.

use std::ops::ControlFlow;

use gpu_runtime::Gpu;
use graph_formats::generate::{RmatConfig, rmat};
use graph_formats::{Change, Csr, DynamicGraph, VertexId, Weight};
use paths::Tree;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use sssp::gpu::DynamicDeviceTrees;
use sssp::{Config, DynamicTrees, SearchWeight, SsspError, Updated, shortest_paths};
use test_support::{arbitrary_graph, draws, streets, undirected};

/// A change of an arc that there is, or of any pair: what, which, and the weight.
type Draw = (u8, Index, Index, Index);

/// Batches of changes, each a list of draws.
fn batches() -> impl Strategy<Value = Vec<Vec<Draw>>> {
    let draw = (0..12u8, any::<Index>(), any::<Index>(), any::<Index>());
    vec(vec(draw, 0..6), 1..8)
}

/// The changes that these draws are of this graph; `weights` has those of new arcs.
fn changes<W: SearchWeight>(
    graph: &DynamicGraph<W>,
    draws: &[Draw],
    weights: &[W],
) -> Vec<Change<W>> {
    let arcs: Vec<_> = graph.to_csr().unwrap().arcs().collect();
    let n = graph.n_vertices();
    let mut pairs = Vec::new();
    let mut changes = Vec::new();
    for (what, first, second, weight) in draws {
        let weight = *weight.get(weights);
        let any = || (first.index(n) as VertexId, second.index(n) as VertexId);
        let old = || {
            if arcs.is_empty() {
                any()
            } else {
                let arc = first.get(&arcs);
                (arc.0, arc.1)
            }
        };
        let (from, to) = if *what < 4 { any() } else { old() };
        let change = match what {
            0..4 => Change::Insert { from, to, weight },
            4..7 => Change::Delete { from, to, weight: None },
            7..10 => Change::Reweight { from, to, weight },
            10 => Change::InsertVertex,
            _ => Change::DeleteVertex(from),
        };
        let is_of_pair = !matches!(change, Change::InsertVertex);
        let is_new = |&(u, v): &(VertexId, VertexId)| {
            if matches!(change, Change::DeleteVertex(_)) {
                return u != from && v != from && u != to && v != to;
            }
            (u, v) != (from, to) && (v, u) != (from, to)
        };
        if is_of_pair && (arcs.is_empty() && *what >= 4 || !pairs.iter().all(is_new)) {
            continue;
        }
        changes.push(change);
        if matches!(change, Change::DeleteVertex(_)) {
            // it is alone in its batch
            return vec![change];
        }
        if is_of_pair {
            pairs.push((from, to));
        }
    }
    changes
}

/// What follows changes.
enum Followed<W: Weight> {
    OnCpu(Box<DynamicTrees<W>>),
    OnGpu(Box<DynamicDeviceTrees<W>>),
}

impl<W: SearchWeight> Followed<W> {
    fn graph(&self) -> &DynamicGraph<W> {
        match self {
            Self::OnCpu(trees) => trees.graph(),
            Self::OnGpu(trees) => trees.graph(),
        }
    }

    fn tree(&self, source: usize) -> Tree<W> {
        match self {
            Self::OnCpu(trees) => trees.tree(source).clone(),
            Self::OnGpu(trees) => trees.tree(source).unwrap(),
        }
    }

    fn update(&mut self, changes: &[Change<W>]) -> Result<Vec<Updated>, SsspError> {
        match self {
            Self::OnCpu(trees) => trees.update(changes, None),
            Self::OnGpu(trees) => trees.update(changes),
        }
    }
}

fn check<W: SearchWeight>(graph: &Csr<W>, batches: &[Vec<Draw>], weights: &[W]) {
    let sources: Vec<VertexId> = (0..graph.n_vertices().min(3) as VertexId).collect();
    let Ok(trees) = DynamicTrees::new(graph, &sources, &Config::default()) else { return };
    check_all(Followed::OnCpu(Box::new(trees)), &sources, batches, weights);
}

fn check_on<W: SearchWeight>(gpu: &Gpu, graph: &Csr<W>, batches: &[Vec<Draw>], weights: &[W]) {
    let sources: Vec<VertexId> = (0..graph.n_vertices().min(3) as VertexId).collect();
    let trees = DynamicDeviceTrees::new(gpu, graph, &sources).unwrap();
    check_all(Followed::OnGpu(Box::new(trees)), &sources, batches, weights);
}

/// Makes all batches, and compares each time with searches of the graph that is then. What is
/// refused is what a search refuses, and changes nothing.
fn check_all<W: SearchWeight>(
    mut trees: Followed<W>,
    sources: &[VertexId],
    batches: &[Vec<Draw>],
    weights: &[W],
) {
    let config = Config::default();
    for draws in batches {
        let changes = changes(trees.graph(), draws, weights);
        let before: Vec<_> = (0..sources.len()).map(|at| trees.tree(at)).collect();
        let mut expected = trees.graph().clone();
        let _ = expected.apply(&changes).unwrap();
        let expected = expected.to_csr().unwrap();
        let new: Result<Vec<_>, _> =
            sources.iter().map(|&source| shortest_paths(&expected, source, &config)).collect();
        let old_graph = trees.graph().to_csr().unwrap();
        match (trees.update(&changes), new) {
            (Ok(updated), Ok(new)) => {
                assert_eq!(trees.graph().to_csr().unwrap(), expected);
                for (at, new) in new.iter().enumerate() {
                    assert_eq!(&trees.tree(at), new, "{changes:?} of {old_graph:?}");
                    let is_changed = |&v: &VertexId| before[at].distance(v) != new.distance(v);
                    let changed: Vec<_> = expected.vertices().filter(is_changed).collect();
                    let mut found = updated[at].changed.clone();
                    found.sort_unstable();
                    assert_eq!(found, changed);
                }
            }
            (Err(error), Err(new)) => {
                let kinds = [&error, &new].map(std::mem::discriminant);
                assert_eq!(kinds[0], kinds[1], "{error} and {new}");
                assert_eq!(trees.graph().to_csr().unwrap(), old_graph);
                for (at, before) in before.iter().enumerate() {
                    assert_eq!(&trees.tree(at), before);
                }
            }
            (one, other) => panic!("{one:?} and {other:?}: {changes:?} of {old_graph:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Arcs of no length, their cycles and plateaus among them.
    #[test]
    fn as_new_searches(
        graph in arbitrary_graph::<u32>(12, 30, 0..=4),
        signed in arbitrary_graph::<i64>(8, 16, -2..=9),
        batches in batches(),
    ) {
        let weights = [0, 0, 1, 2, 3, 7];
        check(&graph, &batches, &weights);
        check(&undirected(&graph), &batches, &weights);
        check(&signed, &batches, &[0, 1, 2, 3, 5, 9, -1]);
        check(&graph.clone().convert_weights::<i32>().unwrap(), &batches, &[0, 1, 5]);
    }

    /// Sums of floats are rounded, and some arcs are too short to count.
    #[test]
    fn as_new_searches_of_floats(
        graph in arbitrary_graph::<f32>(12, 30, 0..=4),
        batches in batches(),
    ) {
        let weights = [0.1, 0.7, 1e-9, 3e-8, 1.0 / 3.0, 0.0, 1e8];
        let graph = graph.map_weights(|weight| weight * 0.3).unwrap();
        check(&graph, &batches, &weights);
        check(&undirected(&graph), &batches, &weights);
        let near_most = graph.map_weights(|weight| (f64::from(weight) * 1e307).min(1e308)).unwrap();
        check(&near_most, &batches, &[f64::MAX, 1.0, 1e308]);
    }

    /// Distances that their type cannot hold are refused.
    #[test]
    fn as_new_searches_near_the_greatest_distance(
        graph in arbitrary_graph::<u64>(8, 20, 0..=4),
        batches in batches(),
    ) {
        let large = u64::MAX / 4;
        let graph = graph.map_weights(|weight| weight.saturating_mul(large)).unwrap();
        check(&graph, &batches, &[large, 0, u64::MAX - 1, u64::MAX, 1]);
    }
}

/// Streets, of which some are closed, opened or slower, until a batch concerns so much that a search
/// is faster.
#[test]
fn large_batches_are_searched_anew() {
    let graph = streets(60);
    let mut trees = DynamicTrees::new(&graph, &[0, 1800], &Config::default()).unwrap();
    let mut draw = draws(5);
    let arcs: Vec<_> = graph.arcs().filter(|(u, v, _)| u < v).collect();
    let mut searched = [false; 2];
    for n in [1, 1, 3, 3, 10, 30, 100, 500] {
        let mut batch = Vec::new();
        let mut seen = Vec::new();
        for _ in 0..n {
            let (from, to, _) = arcs[draw(arcs.len() as u64) as usize];
            let weight = draw(300) as u32 + 1;
            if !seen.contains(&(from, to)) {
                seen.push((from, to));
                batch.push(Change::Reweight { from, to, weight });
            }
        }
        let updated = trees.update(&batch, None).unwrap();
        let now = trees.graph().to_csr().unwrap();
        for (at, source) in [0, 1800].into_iter().enumerate() {
            let new = shortest_paths(&now, source, &Config::default()).unwrap();
            assert_eq!(trees.tree(at), &new);
            searched[usize::from(updated[at].is_new_search)] = true;
        }
    }
    assert_eq!(searched, [true; 2]);
}

#[test]
fn what_is_refused_changes_nothing() {
    let graph = Csr::from_arcs(3, &[(0, 1, 5i32), (1, 2, 7)]).unwrap();
    let mut trees = DynamicTrees::new(&graph, &[0], &Config::default()).unwrap();
    let before = trees.tree(0).clone();
    let cycle = [
        Change::Insert { from: 2, to: 1, weight: -8 },
        Change::Insert { from: 0, to: 2, weight: 1 },
    ];
    let error = trees.update(&cycle, None).unwrap_err();
    assert!(matches!(error, SsspError::NegativeCycle { .. }), "{error}");
    let bad = [Change::InsertVertex, Change::Delete { from: 2, to: 0, weight: None }];
    let error = trees.update(&bad, None).unwrap_err();
    assert_eq!(error.to_string(), "change 1: there is no arc 2 -> 0");
    let slower = [Change::InsertVertex, Change::Reweight { from: 0, to: 1, weight: 9 }];
    let end = |_, _| ControlFlow::Break(());
    let interrupted = trees.update(&slower, Some(&end)).unwrap_err();
    assert!(matches!(interrupted, SsspError::Interrupted(_)));
    assert_eq!((trees.tree(0), trees.graph().to_csr().unwrap()), (&before, graph));
    let updated = trees.update(&slower, None).unwrap();
    assert_eq!((updated[0].changed.clone(), trees.tree(0).distance(2)), (vec![1, 2], Some(16)));
    let none = DynamicTrees::<i32>::new(
        trees.graph().to_csr().as_ref().unwrap(),
        &[9],
        &Config::default(),
    );
    assert!(matches!(none, Err(SsspError::NoSuchVertex { vertex: 9, .. })));
}

#[test]
fn on_a_gpu_as_new_searches() {
    let Some(gpu) = test_support::gpu(Gpu::open()) else { return };
    let strategy = (arbitrary_graph::<u32>(12, 30, 0..=4), batches());
    let mut runner = TestRunner::new(ProptestConfig::with_cases(60));
    let law = |(graph, batches): (Csr<u32>, Vec<Vec<Draw>>)| {
        for weights in [&[1, 2, 3, 7][..], &[0, 0, 1, 2, 3, 7]] {
            check_on(&gpu, &graph, &batches, weights);
            check_on(&gpu, &undirected(&graph), &batches, weights);
        }
        // sums of 64 bits, from the beginning or from some batch on
        let large = [u32::MAX, 1, 5, u32::MAX / 2];
        check_on(&gpu, &graph, &batches, &large);
        let wide = graph.clone().convert_weights::<u64>().unwrap();
        check_on(&gpu, &wide, &batches, &[1, 5, 1 << 40, 0, u64::from(u32::MAX)]);
        check_on(
            &gpu,
            &graph.clone().convert_weights::<i64>().unwrap(),
            &batches,
            &[1, 3, 1 << 33],
        );
        let floats = graph.map_weights(|weight| weight as f32 * 0.3).unwrap();
        let weights = [0.1, 0.7, 1e-9, 3e-8, 1.0 / 3.0, 0.0, -0.0, 1e8];
        check_on(&gpu, &undirected(&floats), &batches, &weights);
        let floats = graph.map_weights(|weight| f64::from(weight) * 0.3).unwrap();
        check_on(&gpu, &floats, &batches, &weights.map(f64::from));
        Ok(())
    };
    runner.run(&strategy, law).unwrap();
}

/// Larger graphs, with rows of more than a piece, which are followed until so much changes that
/// they are searched anew.
#[test]
fn on_a_gpu_small_batches_are_followed() {
    let Some(gpu) = test_support::gpu(Gpu::open()) else { return };
    let dense = rmat(&RmatConfig { scale: 11, ..RmatConfig::default() }).unwrap();
    let directed = Csr::from_arcs(dense.n_vertices(), &dense.arcs().collect::<Vec<_>>()).unwrap();
    for graph in [streets(60), dense, directed] {
        let mut trees = DynamicDeviceTrees::new(&gpu, &graph, &[0, 1800]).unwrap();
        let mut draw = draws(5);
        let mut searched = [false; 2];
        for n in [1, 3, 10, 30, 3, 1, 100, 1000, 3] {
            let now: Vec<_> = trees.graph().to_csr().unwrap().arcs().collect();
            let mut batch = Vec::new();
            let mut seen = Vec::new();
            for k in 0..n {
                let (from, mut to, _) = now[draw(now.len() as u64) as usize];
                let weight = draw(300) as u32 + 1;
                if k % 3 == 0 {
                    to = draw(graph.n_vertices() as u64) as VertexId;
                }
                let pair = (from.min(to), from.max(to));
                if seen.contains(&pair) {
                    continue;
                }
                seen.push(pair);
                batch.push(match k % 3 {
                    0 => Change::Insert { from, to, weight },
                    1 => Change::Delete { from, to, weight: None },
                    _ => Change::Reweight { from, to, weight },
                });
            }
            let updated = trees.update(&batch).unwrap();
            let now = trees.graph().to_csr().unwrap();
            for (at, source) in [0, 1800].into_iter().enumerate() {
                let new = shortest_paths(&now, source, &Config::default()).unwrap();
                assert_eq!(trees.tree(at).unwrap(), new);
                searched[usize::from(updated[at].is_new_search)] = true;
            }
        }
        assert!(searched[0], "none was followed");
    }
}

#[test]
fn what_a_gpu_refuses_changes_nothing() {
    let Some(gpu) = test_support::gpu(Gpu::open()) else { return };
    let graph = Csr::from_arcs(3, &[(0, 1, 5i32), (1, 2, 7)]).unwrap();
    let mut trees = DynamicDeviceTrees::new(&gpu, &graph, &[0]).unwrap();
    let before = trees.tree(0).unwrap();
    let negative = [Change::InsertVertex, Change::Insert { from: 2, to: 1, weight: -8 }];
    let error = trees.update(&negative).unwrap_err();
    assert!(matches!(error, SsspError::NegativeWeight { from: 2, to: 1, .. }), "{error}");
    let bad = [Change::InsertVertex, Change::Delete { from: 2, to: 0, weight: None }];
    let error = trees.update(&bad).unwrap_err();
    assert_eq!(error.to_string(), "change 1: there is no arc 2 -> 0");
    assert_eq!((trees.tree(0).unwrap(), trees.graph().to_csr().unwrap()), (before, graph));
    let wide = Csr::from_arcs(2, &[(0, 1, 5u64)]).unwrap();
    let mut trees = DynamicDeviceTrees::new(&gpu, &wide, &[0]).unwrap();
    let error = trees.update(&[Change::Reweight { from: 0, to: 1, weight: u64::MAX }]).unwrap_err();
    assert!(matches!(error, SsspError::NotOnGpu { .. }), "{error}");
    assert_eq!(trees.tree(0).unwrap().distance(1), Some(5));
    // 70 vertices more than there is room for
    let updated = trees.update(&vec![Change::InsertVertex; 70]).unwrap();
    assert!(updated[0].changed.is_empty() && trees.tree(0).unwrap().distance(71).is_none());
}
