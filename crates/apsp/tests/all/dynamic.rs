//! Pairs that follow changes, beside pairs of the changed graph: after every batch they are equal.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use apsp::{
    Algorithm, ApspError, Config, DevicePairs, DynamicDevicePairs, DynamicPairs, PairsWeight,
    Solver, Updated,
};
use gpu_runtime::Gpu;
use graph_formats::{
    Change, ChangeProblem, Csr, Direction, Distance, DynamicGraph, VertexId, Weight,
};
use ndarray::Array2;
use paths::{DistanceTable, HopStorage, NextHops};
use sssp::SsspError;
use test_support::draws;

use crate::common::same;
use crate::scratch_changes::FolderPairs;

pub(crate) type Draw<'a> = &'a mut dyn FnMut(u64) -> u64;

/// Pairs that follow changes: in the host's memory, in a GPU's, or in a folder.
enum Followed<W: Weight> {
    Here(Box<DynamicPairs<W>>),
    OnGpu(Box<DynamicDevicePairs<W>>),
    InFolder(Box<FolderPairs<W>>),
}

impl<W: PairsWeight> Followed<W> {
    fn new(walk: &Walk<W>, graph: &Csr<W>, config: &Config) -> Result<Self, ApspError> {
        Ok(match &walk.gpus[..] {
            [] if walk.in_folder => Self::InFolder(Box::new(FolderPairs::new(graph, config)?)),
            [] => Self::Here(Box::new(DynamicPairs::new(graph, config, None)?)),
            gpus => Self::OnGpu(Box::new(DynamicDevicePairs::new(gpus, graph, config, None)?)),
        })
    }

    fn graph(&self) -> &DynamicGraph<W> {
        match self {
            Self::Here(all) => all.graph(),
            Self::OnGpu(all) => all.graph(),
            Self::InFolder(all) => &all.graph,
        }
    }

    fn update(&mut self, changes: &[Change<W>]) -> Result<Updated, ApspError> {
        match self {
            Self::Here(all) => all.update(changes, None),
            Self::OnGpu(all) => all.update(changes, None),
            Self::InFolder(all) => all.update(changes, None),
        }
    }

    fn distances(&self) -> DistanceTable<W> {
        match self {
            Self::Here(all) => all.pairs().distances().unwrap().clone(),
            Self::OnGpu(all) => all.pairs().to_host().unwrap().into_distances().unwrap(),
            Self::InFolder(all) => {
                let all = all.pairs();
                table(all.n_vertices(), |u| all.row(u).collect())
            }
        }
    }

    fn next_hops(&self) -> Option<NextHops> {
        match self {
            Self::Here(all) => all.pairs().next_hops().cloned(),
            Self::OnGpu(all) => all.pairs().to_host().unwrap().next_hops().cloned(),
            Self::InFolder(all) => {
                let all = all.pairs();
                next_hops(all.n_vertices(), |u| all.hops(u))
            }
        }
    }
}

/// The table of these rows.
fn table<W: Weight>(
    n: usize,
    row: impl Fn(VertexId) -> Vec<Option<W::Distance>>,
) -> DistanceTable<W> {
    let rows = (0..n as VertexId).flat_map(row);
    let cells = rows.map(|distance| distance.unwrap_or(W::Distance::UNREACHED)).collect();
    DistanceTable::from_storage(Array2::from_shape_vec((n, n), cells).unwrap())
}

/// The next hops that are in a GPU's memory, `None` without any.
pub(crate) fn next_hops_on_gpu<W: Weight>(all: &DevicePairs<W>) -> Option<NextHops> {
    next_hops(all.n_vertices(), |u| all.next_hops(u).unwrap())
}

/// The next hops of these rows, `None` if they are empty.
fn next_hops(n: usize, row: impl Fn(VertexId) -> Vec<Option<VertexId>>) -> Option<NextHops> {
    let rows = (0..n as VertexId).flat_map(row);
    let hops = rows.map(|hop| hop.map_or(u16::MAX, |hop| hop as u16)).collect();
    let hops = Array2::from_shape_vec((n, n), hops).ok()?;
    Some(NextHops::from_storage(HopStorage::Narrow(hops)).unwrap())
}

/// A walk from batch to batch.
pub(crate) struct Walk<W> {
    pub(crate) name: &'static str,
    pub(crate) n: u64,
    pub(crate) arcs: u64,
    pub(crate) batches: usize,
    pub(crate) direction: Direction,
    /// The weight of an arc between these vertices.
    pub(crate) weight: fn(Draw<'_>, VertexId, VertexId) -> W,
    pub(crate) next_hops: bool,
    /// Whether sums of floats are rounded.
    pub(crate) is_rounded: bool,
    /// Follows on these GPUs,
    pub(crate) gpus: Vec<Gpu>,
    /// or in a folder, else here.
    pub(crate) in_folder: bool,
}

/// Changes that can be made together, of up to `most` pairs and vertices.
fn batch<W: Weight>(walk: &Walk<W>, graph: &DynamicGraph<W>, draw: Draw<'_>) -> Vec<Change<W>> {
    let is_directed = walk.direction == Direction::Directed;
    let (mut n, mut seen, mut changes) = (graph.n_vertices() as u64, Vec::new(), Vec::new());
    let most = if draw(9) == 0 { 3 * n } else { 1 + draw(5) };
    for _ in 0..most {
        let (from, to) = (draw(n) as VertexId, draw(n) as VertexId);
        let pair = if is_directed { (from, to) } else { (from.min(to), from.max(to)) };
        if seen.contains(&pair) {
            continue;
        }
        let weight = (walk.weight)(draw, from, to);
        let is_deleted = |v: VertexId| changes.contains(&Change::DeleteVertex(v));
        let is_free = !is_deleted(from) && !is_deleted(to);
        let is_arc = graph.weight(from, to).is_some();
        let change = match draw(60) {
            0 if n < walk.n + 3 => Change::InsertVertex,
            1 if seen.iter().all(|&(u, v)| u != from && v != from) && !is_deleted(from) => {
                Change::DeleteVertex(from)
            }
            2..24 if is_free && is_arc => Change::Reweight { from, to, weight },
            24..42 if is_free && is_arc => {
                let parallel = graph.arcs_from(from).iter().rfind(|arc| arc.0 == to);
                let weight = parallel.map(|arc| arc.1).filter(|_| draw(2) == 0);
                Change::Delete { from, to, weight }
            }
            42.. if is_free && (!is_arc || draw(4) == 0) => Change::Insert { from, to, weight },
            _ => continue,
        };
        match change {
            Change::InsertVertex => n += 1,
            Change::DeleteVertex(_) => {}
            _ => seen.push(pair),
        }
        changes.push(change);
    }
    changes
}

impl<W: PairsWeight> Walk<W> {
    /// Walks, and compares after each batch. How many batches were followed, and refused.
    pub(crate) fn go(&self, seed: u64) -> (usize, usize) {
        let mut draw = draws(seed);
        let n = self.n as usize;
        let ends = (0..self.arcs).map(|_| (draw(self.n) as VertexId, draw(self.n) as VertexId));
        let ends: Vec<_> = ends.filter(|(u, v)| u != v).collect();
        let arcs: Vec<_> =
            ends.into_iter().map(|(u, v)| (u, v, (self.weight)(&mut draw, u, v))).collect();
        let graph = match self.direction {
            Direction::Directed => Csr::from_arcs(n, &arcs),
            Direction::Undirected => Csr::from_edges(n, &arcs),
        };
        let config = Config { next_hops: self.next_hops, ..Config::default() };
        let Ok(mut all) = Followed::new(self, &graph.unwrap(), &config) else {
            return (0, 0);
        };
        let (mut n_followed, mut n_refused) = (0, 0);
        for number in 0..self.batches {
            let changes = batch(self, all.graph(), &mut draw);
            let mut changed = all.graph().clone();
            let _ = changed.apply(&changes).unwrap();
            let changed = changed.to_csr().unwrap();
            let expected = Solver::new(&changed, &config).solve(None);
            let name = || format!("{}, seed {seed}, batch {number}: {changes:?}", self.name);
            match (all.update(&changes), expected) {
                (Ok(update), Ok(_)) => n_followed += usize::from(update.solved.is_none()),
                (
                    Err(ApspError::Search(SsspError::NegativeCycle { .. })),
                    Err(ApspError::Search(SsspError::NegativeCycle { .. })),
                ) => n_refused += 1,
                other => panic!("{}: {other:?}", name()),
            }
            self.check(&all, &config, &name);
        }
        (n_followed, n_refused)
    }

    /// That the pairs are those of the graph.
    fn check(&self, all: &Followed<W>, config: &Config, name: &dyn Fn() -> String) {
        let graph = all.graph().to_csr().unwrap();
        let expected = Solver::new(&graph, config).solve(None).unwrap();
        let table = &all.distances();
        match self.is_rounded {
            true => assert!(same(table, expected.distances().unwrap()), "{}", name()),
            false => assert_eq!(table, expected.distances().unwrap(), "{}", name()),
        }
        assert_eq!(all.next_hops().as_ref(), expected.next_hops(), "{}", name());
    }

    /// Several walks on graphs of any number of arcs, most of whose batches are followed.
    pub(crate) fn all(mut self, seeds: u64) {
        let (mut n_followed, mut n_refused, mut n_batches) = (0, 0, 0);
        for seed in 1..=seeds {
            for direction in [Direction::Directed, Direction::Undirected] {
                (self.arcs, self.direction) = (self.n * (1 + seed % 4) * 2 / 3, direction);
                let (followed, refused) = self.go(seed);
                n_followed += followed;
                n_refused += refused;
                n_batches += self.batches;
            }
        }
        println!("{}: {n_followed} followed, {n_refused} refused of {n_batches}", self.name);
        assert!(2 * (n_followed + n_refused) > n_batches || self.is_rounded && self.next_hops);
    }
}

pub(crate) fn walk<W>(
    name: &'static str,
    weight: fn(Draw<'_>, VertexId, VertexId) -> W,
) -> Walk<W> {
    let direction = Direction::Directed;
    Walk {
        name,
        n: 11,
        arcs: 0,
        batches: 40,
        direction,
        weight,
        next_hops: true,
        is_rounded: false,
        gpus: Vec::new(),
        in_folder: false,
    }
}

#[test]
fn positive_weights() {
    walk("u32", |draw, _, _| 1 + draw(9) as u32).all(12);
    walk("u64", |draw, _, _| 1 + draw(3)).all(6);
    walk("i64", |draw, _, _| (1 + draw(9) as i64) << 40).all(6);
    walk("f32", |draw, _, _| 1.0 + draw(9) as f32).all(6);
    walk("f64", |draw, _, _| 1.0 + draw(4) as f64).all(6);
    Walk { next_hops: false, ..walk("i32 without hops", |draw, _, _| 1 + draw(9) as i32) }.all(6);
}

/// Cycles of weight zero, too.
#[test]
fn weights_of_zero() {
    walk("zeros", |draw, _, _| draw(3) as u32).all(8);
    walk("nearly all zeros", |draw, _, _| u64::from(draw(6) == 0)).all(8);
    walk("zeros of floats", |draw, _, _| draw(3) as f64).all(4);
    Walk { next_hops: false, ..walk("without hops", |draw, _, _| draw(3) as u32) }.all(6);
}

/// Along slopes, so that few cycles are negative.
pub(crate) fn slope(draw: Draw<'_>, from: VertexId, to: VertexId) -> i64 {
    let height = |v: VertexId| i64::from(v * v % 7);
    height(to) - height(from) + draw(12) as i64 - i64::from(draw(20) == 0)
}

#[test]
fn negative_weights() {
    walk("slope", slope).all(8);
    walk("slope of i32", |draw, u, v| slope(draw, u, v) as i32).all(4);
    walk("slope of floats", |draw, u, v| slope(draw, u, v) as f32).all(4);
    Walk { next_hops: false, ..walk("slope without hops", slope) }.all(12);
}

/// Within rounding without next hops, to the bit with them.
#[test]
fn floats_that_are_rounded() {
    fn third(draw: Draw<'_>, _: VertexId, _: VertexId) -> f64 {
        (1.0 + draw(900) as f64) / 3.0
    }
    let rounded = |name| Walk { is_rounded: true, ..walk(name, third) };
    Walk { next_hops: false, ..rounded("thirds") }.all(12);
    let of_f32 = walk("thirds of f32", |draw, u, v| third(draw, u, v) as f32);
    Walk { next_hops: false, is_rounded: true, ..of_f32 }.all(6);
    rounded("thirds with hops").all(2);
    let slope = walk("slope", |draw, u, v| (f64::from(v) - f64::from(u) + draw(9) as f64) / 7.0);
    Walk { next_hops: false, is_rounded: true, batches: 10, ..slope }.go(5);
}

/// Errors of rounding do not add up for ever.
#[test]
fn rounded_floats_are_found_anew_now_and_then() {
    let graph = Csr::from_arcs(3, &[(0, 1, 0.1), (1, 2, 0.2), (2, 0, 0.7)]).unwrap();
    let mut all = DynamicPairs::new(&graph, &Config::default(), None).unwrap();
    let solved: Vec<_> = (1..=8)
        .map(|i| Change::Reweight { from: 0, to: 1, weight: f64::from(i) / 7.0 })
        .map(|change| all.update(&[change], None).unwrap().solved.is_some())
        .collect();
    assert_eq!(solved, [false, false, false, true, false, false, false, true]);
}

/// Rows in several blocks, and threads that share them.
#[test]
fn larger_graphs() {
    let weight = |draw: Draw<'_>, _, _| 1 + draw(1000) as u32;
    let large = Walk { n: 400, arcs: 2400, batches: 6, ..walk("large", weight) };
    assert!(large.go(3).0 > 2);
    let sparse = Walk { arcs: 800, direction: Direction::Undirected, ..large };
    sparse.go(4);
}

#[test]
fn many_changes_are_left_to_the_solver() {
    let arcs =
        |step: u32| (0..500).flat_map(move |u| (1..=step).map(move |k| (u, (u + k * k) % 500, k)));
    let graph = Csr::<u32>::from_arcs(500, &arcs(6).collect::<Vec<_>>()).unwrap();
    let config = Config::with(Algorithm::Blocked);
    let mut all = DynamicPairs::new(&graph, &config, None).unwrap();
    let one = Change::Insert { from: 3, to: 9, weight: 50 };
    assert_eq!(all.update(&[one], None).unwrap().solved, None);
    let longer = |(from, to, weight)| Change::Reweight { from, to, weight: weight + 5 };
    let changes: Vec<_> = arcs(6).filter(|arc| arc.2 > 2).map(longer).collect();
    let update = all.update(&changes, None).unwrap();
    assert_eq!(update.solved, Some("the solver takes less time"));
    let graph = all.graph().to_csr().unwrap();
    let expected = Solver::new(&graph, &config).solve(None).unwrap();
    assert_eq!(all.pairs().distances(), expected.distances());
}

/// A bad batch of any kind, and one that is ended at any moment, leave everything as it was.
#[test]
fn what_fails_changes_nothing() {
    let arcs = [(0, 1, 3i64), (1, 2, 4), (2, 3, 5), (0, 3, 20), (3, 4, -2), (4, 4, 1)];
    let graph = Csr::from_arcs(6, &arcs).unwrap();
    let config = Config { next_hops: true, ..Config::default() };
    let mut all = DynamicPairs::new(&graph, &config, None).unwrap();
    let expected = Solver::new(&graph, &config).solve(None).unwrap();
    let is_unchanged = |all: &DynamicPairs<i64>| {
        assert_eq!(all.graph().to_csr().unwrap(), graph);
        assert_eq!(all.pairs().distances(), expected.distances());
        assert_eq!(all.pairs().next_hops(), expected.next_hops());
    };
    let insert = |from, to, weight| Change::Insert { from, to, weight };
    let good = [Change::Delete { from: 1, to: 2, weight: None }, insert(2, 0, 1), insert(0, 5, 1)];
    for (bad, says) in [
        (Change::Delete { from: 5, to: 2, weight: None }, "change 3: there is no arc 5 -> 2"),
        (insert(2, 0, 2), "change 3: an earlier change is of 2 -> 0 too"),
        (insert(4, 3, 1), "negative cycle"),
        (insert(5, 5, -1), "negative cycle"),
        (insert(4, 0, i64::MIN / 2), "negative cycle"),
    ] {
        let changes = [good.to_vec(), vec![bad]].concat();
        match all.update(&changes, None) {
            Err(error) => assert!(error.to_string().contains(says), "{bad}: {error}"),
            Ok(_) => panic!("{bad}"),
        }
        is_unchanged(&all);
        let more = [vec![Change::InsertVertex], changes].concat();
        assert!(all.update(&more, None).is_err(), "{bad}");
        is_unchanged(&all);
    }
    let unknown = all.update(&[Change::DeleteVertex(6)], None).unwrap_err();
    let ApspError::BadChange(unknown) = unknown else { panic!("{unknown}") };
    assert!(matches!(unknown.problem, ChangeProblem::NoSuchVertex { vertex: 6, .. }));
    let changes = [good.to_vec(), vec![Change::InsertVertex]].concat();
    for calls in 0.. {
        let left = AtomicUsize::new(calls);
        let progress = |_, _| match left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1))
        {
            Ok(_) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        };
        match all.update(&changes, Some(&progress)) {
            Ok(_) => {
                assert!(calls > 3, "{calls}");
                break;
            }
            Err(ApspError::Interrupted(_)) => is_unchanged(&all),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn distances_that_overflow_are_an_error() {
    let graph = Csr::from_arcs(3, &[(1, 2, u64::MAX / 2 + 5)]).unwrap();
    let mut all = DynamicPairs::new(&graph, &Config::default(), None).unwrap();
    let long = Change::Insert { from: 0, to: 1, weight: u64::MAX / 2 + 5 };
    let error = all.update(&[long], None).unwrap_err();
    assert!(matches!(error, ApspError::Search(SsspError::Overflow { .. })), "{error}");
    assert_eq!(all.graph().to_csr().unwrap(), graph);
    assert_eq!(all.pairs().row(0).collect::<Vec<_>>(), [Some(0), None, None]);
    let shorter = Change::Insert { from: 0, to: 1, weight: u64::MAX / 2 - 7 };
    let update = all.update(&[shorter], None).unwrap();
    assert_eq!(update.solved, Some("sums of weights may be too large for their type"));
    assert_eq!(all.pairs().row(0).last(), Some(Some(u64::MAX - 3)));
}

/// What the configuration allows holds for an update too.
#[test]
fn memory_is_asked_for_beforehand() {
    let arcs: Vec<_> = (0..600u32).map(|v| (v, (v + 1) % 600, 1u32)).collect();
    let graph = Csr::from_arcs(600, &arcs).unwrap();
    let config = Config { memory: Some(4_000_000), ..Config::with(Algorithm::Johnson) };
    let mut all = DynamicPairs::new(&graph, &config, None).unwrap();
    let error = all.update(&[Change::InsertVertex], None).unwrap_err();
    assert!(matches!(error, ApspError::OverMemory { .. }), "{error}");
    assert_eq!((all.graph().n_vertices(), all.pairs().n_vertices()), (600, 600));
    let _ = all.update(&[Change::Reweight { from: 0, to: 1, weight: 1 }], None).unwrap();
}
