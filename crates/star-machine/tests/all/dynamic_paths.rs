//! All shortest paths to a vertex while arcs come and go, after each change against what the graph
//! has become.

use std::collections::BTreeMap;

use graph_formats::{Csr, VertexId};
use paths::certificate::check_shortest_path_subgraph;
use paths::{Distances, ShortestPathSubgraph, oracle};
use proptest::prelude::*;
use star_machine::algorithms::{
    Change, DYNAMIC_PATHS, Dynamic, Edge, Runner, Value, dynamic_paths,
};
use star_machine::{Host, StarError};
use test_support::corner_cases;

use crate::changing::{Changing, check_costs, check_flaws, drive, expect};
use crate::common::{Checked, arcs, proptests};
use crate::random::Random;

/// What the graph is to be: a weight for each arc.
pub(crate) struct Graph {
    n: usize,
    sink: VertexId,
    greatest: i64,
    arcs: BTreeMap<(VertexId, VertexId), i64>,
}

impl Graph {
    pub(crate) fn new(n: usize, list: &[Edge], sink: VertexId, greatest: i64) -> (Self, Dynamic) {
        let mut arcs = BTreeMap::new();
        for &(u, v, w) in list {
            let least = arcs.entry((u, v)).or_insert(w);
            *least = w.min(*least);
        }
        (Self { n, sink, greatest, arcs }, dynamic_paths(n, list, sink, greatest).unwrap())
    }

    fn csr(&self) -> Csr<u32> {
        let arcs: Vec<_> = self.arcs.iter().map(|(&(u, v), &w)| (u, v, w as u32)).collect();
        Csr::from_arcs(self.n, &arcs).unwrap()
    }

    fn distances(&self) -> Distances<u64> {
        oracle::dijkstra(&self.csr().transposed(), self.sink).unwrap()
    }

    /// Whether arcs that weigh 0 lead from one vertex to another.
    fn leads_for_nothing(&self, from: VertexId, to: VertexId) -> bool {
        let free: Vec<_> = self.arcs.iter().filter(|arc| *arc.1 == 0).map(|arc| arc.0).collect();
        let (mut met, mut next) = (vec![from], 0);
        while next < met.len() {
            let heads = free.iter().filter(|arc| arc.0 == met[next]).map(|arc| arc.1);
            let new: Vec<_> = heads.filter(|v| !met.contains(v)).collect();
            met.extend(new);
            next += 1;
        }
        met.contains(&to)
    }
}

impl Changing for Graph {
    fn next(&self, random: &mut Random) -> Change {
        let (u, v) = (random.below(self.n) as VertexId, random.below(self.n) as VertexId);
        let w = random.below(self.greatest as usize + 1) as i64;
        let all: Vec<_> = self.arcs.iter().collect();
        match random.below(9) {
            0 => Change::Delete { u, v, w: None },
            1..4 if !all.is_empty() => {
                let (&(u, v), &weight) = all[random.below(all.len())];
                Change::Delete { u, v, w: [None, Some(weight), Some(w)][random.below(3)] }
            }
            // lighter than it is, perhaps
            4 if !all.is_empty() => {
                let &(u, v) = all[random.below(all.len())].0;
                Change::Insert { u, v, w }
            }
            _ => Change::Insert { u, v, w },
        }
    }

    /// How many vertices have another distance then.
    fn change(&mut self, change: Change) -> Option<usize> {
        let before = self.distances();
        match change {
            Change::Insert { u, v, w } => {
                let is_lighter = self.arcs.get(&(u, v)).is_none_or(|&old| w < old);
                if !is_lighter || w == 0 && self.leads_for_nothing(v, u) {
                    return None;
                }
                self.arcs.insert((u, v), w);
            }
            Change::Delete { u, v, w } => {
                self.arcs.get(&(u, v)).filter(|&&old| w.is_none_or(|w| w == old))?;
                self.arcs.remove(&(u, v));
            }
            _ => return None,
        }
        let now = self.distances();
        let vertices = 0..self.n as VertexId;
        Some(vertices.filter(|&v| before.get(v) != now.get(v)).count())
    }

    /// Both matrices, distances, and all arcs that shortest paths go along.
    fn check(&self, run: &mut impl Runner) -> Checked {
        let n = self.n as VertexId;
        let distances = run.table("D")?;
        let (h, infinity) = (distances.columns(), u64::MAX >> (64 - distances.columns()));
        for (name, is_turned) in [("IN", true), ("OUT", false)] {
            let table = run.table(name)?;
            for x in 0..n {
                let columns = x as usize * h..(x as usize + 1) * h;
                let found = table.field(columns)?.to_values()?;
                let arc = |y| if is_turned { (y, x) } else { (x, y) };
                let weight = |y| self.arcs.get(&arc(y)).map_or(infinity, |w| w.unsigned_abs());
                expect(name, found, &(0..n).map(weight).collect())?;
            }
        }
        let distances = distances.to_values()?;
        let on_paths = run.table("SP")?;
        let pairs = (0..n).flat_map(|u| (0..n).map(move |v| (u, v)));
        let is_on_path = |&(u, v): &(VertexId, VertexId)| {
            on_paths.get(u as usize, v as usize).expect("there is a bit for each pair")
        };
        let subgraph = ShortestPathSubgraph {
            sink: self.sink,
            distances: distances.into_iter().map(|d| (d != infinity).then_some(d)).collect(),
            arcs: pairs.filter(is_on_path).collect(),
        };
        Ok(check_shortest_path_subgraph(&self.csr(), &subgraph)?)
    }
}

/// A small graph for each seed; in some an arc may weigh 0.
fn case(seed: u64) -> (Graph, Dynamic) {
    let mut random = Random(seed);
    let n = 1 + random.below(8);
    let greatest = [1, 3, 12][random.below(3)];
    let mut arc = || {
        let (u, v) = (random.below(n) as VertexId, random.below(n) as VertexId);
        (u, v, 1 + random.below(greatest as usize) as i64)
    };
    let arcs: Vec<_> = (0..2 * n).map(|_| arc()).collect();
    Graph::new(n, &arcs, random.below(n) as VertexId, greatest)
}

#[test]
fn paths_stay_shortest() {
    for seed in 0..60 {
        drive(case(seed), 60, Random(seed)).unwrap();
    }
}

#[test]
fn paths_in_corner_cases_stay_shortest() {
    for (name, graph) in corner_cases::<u32>() {
        let n = graph.n_vertices();
        let list = arcs(&graph);
        let greatest = list.iter().map(|arc| arc.2).max().unwrap_or(0).max(9);
        if !(1..=40).contains(&n) || list.iter().any(|arc| arc.2 == 0) {
            continue;
        }
        println!("{name}");
        let case = Graph::new(n, &list, n as VertexId / 2, greatest);
        drive(case, 12, Random(1)).unwrap();
    }
}

#[test]
fn an_arc_that_comes_back_restores_everything() {
    for seed in 0..40 {
        let (mut graph, paths) = case(seed);
        let mut m = Host::new();
        let mut run = paths.task().on(&mut m).unwrap();
        paths.build(&mut run).unwrap();
        let state = |run: &mut _| {
            ["IN", "OUT", "D", "SP"].map(|name| -> Value { Runner::get(run, name).unwrap() })
        };
        let before = state(&mut run);
        for ((u, v), w) in std::mem::take(&mut graph.arcs) {
            let gone = paths.apply(&mut run, Change::Delete { u, v, w: Some(w) }).unwrap();
            let back = paths.apply(&mut run, Change::Insert { u, v, w }).unwrap();
            assert_eq!(gone, back);
            assert!(state(&mut run) == before, "{u} to {v}, seed {seed}");
        }
    }
}

#[test]
fn flaws_are_noticed() {
    let flaws = [
        // arcs along which distances agree
        ["Y := MATCH(S, X and not C, ROW(u, D))", "Y := MATCH(S, X and not C, inf)"],
        ["HIT(S, D, X and not C)", "HIT(S, D, X)"],
        ["X := X and not MATCH(D, X, inf);\n  Z := A", "Z := A"],
        ["COL(u, SP) := Y", "Y := Y"],
        ["ROW(u, SP) := CONVERT(Y)", "Y := Y"],
        // distances that spread
        ["SETMIN(S, D, X) and not C", "SETMIN(S, D, X)"],
        ["Z := Z or Y", "Z := Y"],
        ["A := A or Y", "A := A"],
        ["A := Q;\n  Z := Q", "CLR(A);\n  Z := Q"],
        // an arc that comes
        ["if NOTEQ(ROW(v, D), inf) then", "if NOTEQ(w, inf) then"],
        ["r(v) := 1;", ""],
        ["ROW(u, D) := d", "d := d"],
        // an arc that goes
        ["r(v) := 0", "r(v) := 1"],
        ["if not SOME(r) then Q(u) := 1", "Q(u) := 1"],
        ["COL(x, SP) := zeros", "Y := Y"],
        ["if not SOME(ROW(y, SP)) then Q(y) := 1", "Q(y) := 1"],
        ["if not SOME(ROW(y, SP)) then Q(y) := 1", "y := y"],
        ["WMERGE(inf, A; D)", "Y := A"],
        ["MIN(S, X and not C)", "MIN(S, X)"],
        ["SPREAD(IN, A, D, Y);", ""],
        // from scratch, and what is refused
        ["ROW(t, D) := zero", "ROW(u, D) := zero"],
        ["if EQ(w, zero) then REACH(OUT, v, w, X)", "inf := inf"],
        [
            "Q := (Q or MATCH(OUT.field(x), X, w)) and not Z",
            "Q := MATCH(OUT.field(x), X, w) and not X",
        ],
        ["LESS(w, old)", "LESSEQ(w, old)"],
        ["ROW(u, IN.field(v)) := w", "A := A"],
        ["ROW(u, IN.field(v)) := inf", "A := A"],
        ["change = 2 or EQ(old, w)", "change >= 2"],
    ];
    check_flaws(DYNAMIC_PATHS, &flaws, 0..60, case);
}

#[test]
fn changes_cost_what_is_claimed() {
    for seed in 0..60 {
        check_costs(case(seed), ["D", "SP"], Random(seed), |graph, change, done, tables| {
            let [[distances, on_paths], [now, _]] = tables;
            let (h, k) = (distances.columns() as u64, done.unwrap_or(0) as u64);
            // arcs of SP to vertices with another distance
            let is_new = |v: &usize| now.row(*v).unwrap() != distances.row(*v).unwrap();
            let into = |v| on_paths.col(v).unwrap().numb() as u64;
            let n_arcs = (0..graph.n).filter(is_new).map(into).sum::<u64>();
            // each vertex: the way through the rest, how distances spread, its arcs both ways
            let each = (16 * h + 8) + (23 * h + 10) + (24 * h + 12);
            let cycle = match change {
                Change::Insert { w: 0, .. } => graph.n as u64 * (2 * h + 4),
                _ => 0,
            };
            Some(each * k + 4 * n_arcs + cycle + 8 * h + 20)
        });
    }
}

#[test]
fn what_can_not_be_is_refused() {
    let refused = |arcs: &[_], sink| dynamic_paths(3, arcs, sink, 5).unwrap_err();
    assert!(matches!(refused(&[(0, 1, -1)], 0), StarError::Negative { weight: -1 }));
    assert!(refused(&[(0, 1, 6)], 0).to_string().ends_with("there is no room for its weight"));
    assert!(matches!(refused(&[], 3), StarError::OutOfRange { what: "vertex", index: 3, len: 3 }));
    assert!(matches!(refused(&[(3, 0, 1)], 0), StarError::OutOfRange { .. }));
    let nothing = refused(&[(0, 1, 0), (1, 2, 0), (2, 1, 0)], 0).to_string();
    assert_eq!(nothing, "insert 1 2 0: a cycle of arcs that weigh 0 leads to it");
    assert!(refused(&[(1, 1, 0)], 0).to_string().starts_with("insert 1 1 0: a cycle"));
    let wide = dynamic_paths(3, &[], 0, i64::MAX).unwrap_err();
    assert!(matches!(wide, StarError::TooHeavy { bits: 65 }), "{wide}");

    let paths = dynamic_paths(3, &[(0, 1, 0), (1, 2, 0), (0, 1, 4)], 2, 5).unwrap();
    let mut m = Host::new();
    let mut run = paths.task().on(&mut m).unwrap();
    paths.build(&mut run).unwrap();
    let closes = "one as light is there, or it would close a cycle that weighs 0";
    for (change, why) in [
        ("insert 2 0 0", closes),
        ("insert 1 1 0", closes),
        ("insert 0 1 0", closes),
        ("insert 2 0 6", "there is no room for its weight"),
        ("insert 2 0 -1", "no weight may be negative"),
        ("delete 0 1 6", "there is none"),
        ("delete 0 2", "there is none"),
        ("delete 0 1 4", "there is none"),
        ("insert-vertex 1", "only arcs come and go here"),
    ] {
        let change = Change::read(change).unwrap()[0];
        let error = paths.apply(&mut run, change).unwrap_err();
        assert_eq!(error.to_string(), format!("{change}: {why}"));
    }
}

proptest! {
    #![proptest_config(proptests(32))]

    #[test]
    fn paths_in_larger_graphs_stay_shortest(
        n in 1..50usize,
        list in prop::collection::vec((0..50u32, 0..50u32, 1..9i64), 0..140),
        seed: u64,
    ) {
        let n_vertices = n as VertexId;
        let list: Vec<_> = list.iter().map(|&(u, v, w)| (u % n_vertices, v % n_vertices, w)).collect();
        let case = Graph::new(n, &list, seed as VertexId % n_vertices, 9);
        drive(case, 20, Random(seed)).unwrap();
    }
}
