//! Who reaches whom while arcs come and go, after each change against what the graph has become.

use std::collections::{BTreeMap, BTreeSet};

use graph_formats::VertexId;
use proptest::prelude::*;
use star_machine::algorithms::{Change, DYNAMIC_CLOSURE, Dynamic, Edge, Runner, dynamic_closure};
use star_machine::{Host, StarError, Table};
use test_support::corner_cases;

use crate::changing::{Changing, check_costs, check_flaws, drive, expect};
use crate::common::{Checked, arcs, proptests};
use crate::random::Random;

/// What the graph is to be: an arc for each row that has one.
pub(crate) struct Graph {
    n: usize,
    room: usize,
    arcs: BTreeMap<usize, (VertexId, VertexId)>,
    /// Whether arcs lead to greater vertices alone.
    is_acyclic: bool,
}

impl Graph {
    pub(crate) fn new(n: usize, arcs: &[Edge], room: usize) -> (Self, Dynamic) {
        let closure = dynamic_closure(n, arcs, room).unwrap();
        let arcs = arcs.iter().map(|arc| (arc.0, arc.1)).enumerate().collect();
        (Self { n, room, arcs, is_acyclic: false }, closure)
    }

    /// What a vertex reaches along these arcs, itself too.
    fn reached<'a>(
        &self,
        from: usize,
        arcs: impl Iterator<Item = &'a (VertexId, VertexId)> + Clone,
    ) -> Vec<usize> {
        let mut is_reached = vec![false; self.n];
        is_reached[from] = true;
        let mut open = vec![from];
        while let Some(u) = open.pop() {
            for &(_, v) in arcs.clone().filter(|arc| arc.0 as usize == u) {
                if !std::mem::replace(&mut is_reached[v as usize], true) {
                    open.push(v as usize);
                }
            }
        }
        (0..self.n).filter(|&v| is_reached[v]).collect()
    }
}

impl Changing for Graph {
    fn next(&self, random: &mut Random) -> Change {
        let (u, v) = (random.below(self.n) as VertexId, random.below(self.n) as VertexId);
        let (u, v) = if self.is_acyclic { (u.min(v), u.max(v)) } else { (u, v) };
        let all: Vec<_> = self.arcs.values().collect();
        match random.below(9) {
            0 => Change::Delete { u, v, w: None },
            1..4 if !all.is_empty() => {
                let &(u, v) = all[random.below(all.len())];
                // what it weighs does not matter
                Change::Delete { u, v, w: random.bit().then_some(7) }
            }
            _ => Change::Insert { u, v, w: 5 },
        }
    }

    fn change(&mut self, change: Change) -> Option<usize> {
        match change {
            Change::Insert { u, v, .. } => {
                let row = (0..self.room).find(|row| !self.arcs.contains_key(row))?;
                self.arcs.insert(row, (u, v));
                Some(row)
            }
            Change::Delete { u, v, .. } => {
                let (&row, _) = self.arcs.iter().find(|(_, arc)| **arc == (u, v))?;
                self.arcs.remove(&row);
                Some(row)
            }
            _ => None,
        }
    }

    /// The closure, and a tree for each vertex.
    fn check(&self, run: &mut impl Runner) -> Checked {
        let rows: Vec<_> = self.arcs.keys().copied().collect();
        expect("X", run.slice("X")?.positions().collect(), &rows)?;
        for (name, of) in [("L", 0), ("R", 1)] {
            let codes = run.table(name)?.to_values()?;
            let is_code = |(&row, arc): (&usize, &(VertexId, VertexId))| {
                codes[row] == u64::from([arc.0, arc.1][of])
            };
            if !self.arcs.iter().all(is_code) {
                return Err(format!("{name} is not as the graph is").into());
            }
        }
        let (closure, trees) = (run.table("TC")?, run.table("S")?);
        for x in 0..self.n {
            let reached = self.reached(x, self.arcs.values());
            expect("TC", closure.row(x)?.as_slice().positions().collect(), &reached)?;
            let tree = trees.col(x)?;
            let tree = tree.positions().map(|row| self.arcs.get(&row)).collect::<Option<Vec<_>>>();
            let tree = tree.ok_or_else(|| format!("an arc of the tree of {x} is gone"))?;
            expect("the tree", self.reached(x, tree.iter().copied()), &reached)?;
            // no arc more than a tree has: as many heads as vertices that are reached, without x
            let heads: BTreeSet<_> = tree.iter().map(|arc| arc.1 as usize).collect();
            if tree.len() + 1 != reached.len() || heads.len() != tree.len() || heads.contains(&x) {
                return Err(format!("what {x} has is no tree").into());
            }
        }
        Ok(())
    }
}

/// A small graph for each seed, each third without cycles.
fn case(seed: u64) -> (Graph, Dynamic) {
    let mut random = Random(seed);
    let n = 1 + random.below(8);
    let is_acyclic = seed.is_multiple_of(3);
    let mut arc = || {
        let (u, v) = (random.below(n) as VertexId, random.below(n) as VertexId);
        if is_acyclic { (u.min(v), u.max(v), 1) } else { (u, v, 1) }
    };
    let arcs: Vec<_> = (0..n).map(|_| arc()).collect();
    let (graph, closure) = Graph::new(n, &arcs, 2 * n + 3);
    (Graph { is_acyclic, ..graph }, closure)
}

#[test]
fn closures_stay_right() {
    for seed in 0..40 {
        drive(case(seed), 60, Random(seed)).unwrap();
    }
}

#[test]
fn closures_of_corner_cases_stay_right() {
    let is_small = |entry: &&(_, graph_formats::Csr<u32>)| {
        (1..70).contains(&entry.1.n_vertices()) && entry.1.n_arcs() <= 250
    };
    for (name, graph) in corner_cases::<u32>().iter().filter(is_small) {
        println!("{name}");
        let case = Graph::new(graph.n_vertices(), &arcs(graph), graph.n_arcs() + 3);
        drive(case, 12, Random(1)).unwrap();
    }
}

#[test]
fn flaws_are_noticed() {
    let flaws = [
        // an arc that comes
        ["COL(i, TC) and not COL(j, TC)", "COL(i, TC)"],
        ["COL(i, TC) and not COL(j, TC)", "not COL(j, TC)"],
        ["N := B and not CONVERT(ROW(x, TC))", "N := B"],
        ["ENDS(R, A, N, Z)", "CLR(Z)"],
        ["ENDS(R, A, N, Z)", "Z := A"],
        ["D(e) := 1", "D(e) := 0"],
        ["ROW(x, TC) or CONVERT(N)", "CONVERT(N)"],
        ["Z := Z or MATCH(T, X, WORD(x))", "Z := MATCH(T, X, WORD(x))"],
        // an arc that goes
        ["X(e) := 0", "X(e) := 1"],
        ["t(e) := 0", "t(e) := 1"],
        ["t := t and not Z", "t := t"],
        ["B(v) := 1;  Q(v) := 1", "B(v) := 1"],
        ["Q(v) := 1", "Q(v) := 0"],
        // vertices of a cycle that keep each other
        ["K := CONVERT(ROW(x, TC)) and not B", "K := CONVERT(ROW(x, TC))"],
        ["ENDS(R, X, B, Z)", "ENDS(R, t, B, Z)"],
        ["t(f) := 1", "t(e) := 0"],
        ["K(v) := 1", "K(v) := 0"],
        ["Z := Z and not MATCH(R, X, WORD(v))", "Z(f) := 0"],
        ["A := A or MATCH(L, X, WORD(v))", "A := A"],
        ["COL(x, S) := t", "t := t"],
        ["ROW(x, TC) := CONVERT(K)", "K := K"],
        // from scratch, and rows
        ["w(x) := 1", "w(x) := 0"],
        ["w(x) := 0", "w(x) := 1"],
        ["COL(x, S) := Y;", ""],
        ["X(done) := 1", "done := done"],
        ["FND(not X)", "FND(X)"],
        ["MATCH(R, MATCH(L, X, WORD(u)), WORD(v))", "MATCH(R, X, WORD(v))"],
    ];
    check_flaws(DYNAMIC_CLOSURE, &flaws, 0..40, case);
}

#[test]
fn changes_cost_what_is_claimed() {
    for seed in 0..40 {
        check_costs(case(seed), ["TC", "S", "L"], Random(seed), |graph, change, done, tables| {
            let [[reach, trees, codes], [now, ..]] = tables;
            let (n, l) = (graph.n as u64, codes.columns() as u64);
            Some(match (change, done) {
                // each vertex that reaches more, and what it reaches anew
                (Change::Insert { .. }, Some(_)) => {
                    let (mut grown, mut new) = (0, 0);
                    for x in 0..graph.n {
                        let count = |table: &Table| table.row(x).unwrap().as_slice().numb() as u64;
                        grown += u64::from(count(&now) > count(&reach));
                        new += count(&now) - count(&reach);
                    }
                    13 * grown + (2 * l + 4) * new + 13
                }
                // each tree that it was in: its vertices, each at most three times
                (Change::Delete { .. }, Some(row)) => {
                    let trees = trees.row(row).unwrap().as_slice().numb() as u64;
                    4 * l + 6 + trees * (n * (6 * l + 25) + 20)
                }
                _ => 4 * l + 4,
            })
        });
    }
}

#[test]
fn what_can_not_be_is_refused() {
    let closure = dynamic_closure(3, &[(0, 1, 1), (1, 1, -7)], 2).unwrap();
    let mut m = Host::new();
    let mut run = closure.task().on(&mut m).unwrap();
    closure.build(&mut run).unwrap();
    for (change, expected) in [
        ("insert 0 1", "insert 0 1 1: there is no room"),
        ("insert 3 1", "there is no vertex 3: there are 3, counted from 0"),
        ("delete 1 0", "delete 1 0: there is none"),
        ("delete-vertex 1", "delete-vertex 1: only arcs come and go here"),
    ] {
        let change = Change::read(change).unwrap()[0];
        assert_eq!(closure.apply(&mut run, change).unwrap_err().to_string(), expected);
    }
    let error = dynamic_closure(3, &[(0, 3, 1)], 2).unwrap_err();
    assert!(matches!(error, StarError::OutOfRange { what: "vertex", index: 3, len: 3 }));
    let error = dynamic_closure(3, &[(0, 1, 1); 3], 2).unwrap_err();
    assert!(matches!(error, StarError::OutOfRange { what: "row", index: 2, len: 2 }));
    let empty = dynamic_closure(0, &[], 0).unwrap();
    let mut m = Host::new();
    empty.build(&mut empty.task().on(&mut m).unwrap()).unwrap();
}

proptest! {
    #![proptest_config(proptests(32))]

    #[test]
    fn closures_of_larger_graphs_stay_right(
        n in 1..70usize,
        list in prop::collection::vec((0..70u32, 0..70u32), 0..140),
        seed: u64,
    ) {
        let n_vertices = n as VertexId;
        let list: Vec<_> = list.iter().map(|&(u, v)| (u % n_vertices, v % n_vertices, 1)).collect();
        let case = Graph::new(n, &list, list.len() + 10);
        drive(case, 20, Random(seed)).unwrap();
    }
}
