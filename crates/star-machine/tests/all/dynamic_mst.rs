//! A minimum spanning forest while edges and vertices come and go, after each change against what
//! the graph has become.

use std::collections::{BTreeMap, BTreeSet};

use graph_formats::VertexId;
use paths::spanning::check_spanning_forest;
use proptest::prelude::*;
use star_machine::algorithms::{Change, DYNAMIC_MST, Dynamic, Edge, Room, Runner, dynamic_mst};
use star_machine::{Host, Table};
use test_support::corner_cases;

use crate::changing::{Changing, check_costs, check_flaws, drive, expect};
use crate::common::{Checked, arcs, coo, proptests};
use crate::random::Random;

/// What the graph is to be: an edge for each row that has one, and the vertices that are there.
pub(crate) struct Graph {
    room: Room,
    edges: BTreeMap<usize, Edge>,
    is_there: Vec<bool>,
}

impl Graph {
    pub(crate) fn new(n_vertices: usize, edges: &[Edge], room: Room) -> (Self, Dynamic) {
        let forest = dynamic_mst(n_vertices, edges, &room).unwrap();
        let is_there = (0..room.n_vertices).map(|v| v < n_vertices).collect();
        (Self { room, edges: edges.iter().copied().enumerate().collect(), is_there }, forest)
    }

    /// The edges of the tree between a vertex and each other.
    fn paths(&self, from: usize, taken: &[usize]) -> Vec<Option<BTreeSet<usize>>> {
        let mut paths = vec![None; self.room.n_vertices];
        paths[from] = Some(BTreeSet::new());
        let mut open = vec![from];
        while let Some(u) = open.pop() {
            for row in taken {
                let (a, b, _) = self.edges[row];
                for (a, b) in [(a as usize, b as usize), (b as usize, a as usize)] {
                    if a == u && paths[b].is_none() {
                        let mut path = paths[u].clone().expect("it was met");
                        path.insert(*row);
                        paths[b] = Some(path);
                        open.push(b);
                    }
                }
            }
        }
        paths
    }
}

impl Changing for Graph {
    /// Most of the changes can be made.
    fn next(&self, random: &mut Random) -> Change {
        let n = self.room.n_vertices;
        let width = (self.room.weights.end() - self.room.weights.start()) as usize + 1;
        let (u, v) = (random.below(n) as VertexId, random.below(n) as VertexId);
        let mut w = self.room.weights.start() + random.below(width) as i64;
        let edges: Vec<_> = self.edges.values().copied().collect();
        match random.below(20) {
            0 => Change::InsertVertex(u),
            1 => Change::DeleteVertex(u),
            2..8 if !edges.is_empty() => {
                let edge = edges[random.below(edges.len())];
                let (u, v) = if random.bit() { (edge.0, edge.1) } else { (edge.1, edge.0) };
                w = if random.bit() { edge.2 } else { w };
                Change::Delete { u, v, w: random.bit().then_some(w) }
            }
            8 => Change::Delete { u, v, w: None },
            _ => Change::Insert { u, v, w },
        }
    }

    fn change(&mut self, change: Change) -> Option<usize> {
        match change {
            Change::Insert { u, v, w } => {
                let is_there = self.is_there[u as usize] && self.is_there[v as usize];
                let is_free = |row: &usize| !self.edges.contains_key(row);
                let row = (0..self.room.n_edges).find(is_free).filter(|_| is_there)?;
                self.edges.insert(row, (u, v, w));
                Some(row)
            }
            Change::Delete { u, v, w } => {
                let is_it = |edge: &Edge| {
                    let ends = [(edge.0, edge.1), (edge.1, edge.0)];
                    ends.contains(&(u, v)) && w.is_none_or(|w| w == edge.2)
                };
                let (&row, _) = self.edges.iter().find(|(_, edge)| is_it(edge))?;
                self.edges.remove(&row);
                Some(row)
            }
            Change::InsertVertex(x) | Change::DeleteVertex(x) => {
                let comes = matches!(change, Change::InsertVertex(_));
                if comes == std::mem::replace(&mut self.is_there[x as usize], comes) {
                    return None;
                }
                self.edges.retain(|_, edge| edge.0 != x && edge.1 != x);
                Some(x as usize)
            }
        }
    }

    /// A minimum spanning forest, the roots of its trees and the paths from there.
    fn check(&self, run: &mut impl Runner) -> Checked {
        let n = self.room.n_vertices;
        let rows: Vec<_> = self.edges.keys().copied().collect();
        expect("X", run.slice("X")?.positions().collect(), &rows)?;
        let is_there: Vec<_> = (0..n).filter(|&v| self.is_there[v]).collect();
        expect("V", run.slice("V")?.positions().collect(), &is_there)?;
        for (name, of) in [("L", 0), ("R", 1), ("W", 2)] {
            let least = *self.room.weights.start();
            let numbers =
                |edge: &Edge| [u64::from(edge.0), u64::from(edge.1), edge.2.abs_diff(least)][of];
            let expected: Vec<_> = self.edges.values().map(numbers).collect();
            let all = run.table(name)?.to_values()?;
            expect(name, rows.iter().map(|&row| all[row]).collect(), &expected)?;
        }
        let taken: Vec<_> = run.slice("T")?.positions().collect();
        let numbers = taken.iter().map(|row| rows.binary_search(row).map_err(|_| "T is not in X"));
        let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
        let edges: Vec<_> = self.edges.values().copied().collect();
        check_spanning_forest(&coo(n, &edges), &numbers)?;

        let roots = run.table("C")?.to_values()?;
        let paths = run.table("M")?;
        for v in 0..n {
            let root = roots[v] as usize;
            if roots.get(root) != Some(&roots[v]) {
                return Err(format!("the root of {v} is {root}, which is none").into());
            }
            if root != v {
                continue;
            }
            for (x, path) in self.paths(v, &taken).iter().enumerate() {
                let Some(path) = path else { continue };
                expect("C", roots[x] as usize, &v)?;
                expect("M", paths.col(x)?.positions().collect(), path)?;
            }
        }
        Ok(())
    }
}

/// A small graph for each seed, with room for some more.
fn case(seed: u64) -> (Graph, Dynamic) {
    let mut random = Random(seed);
    let n = 1 + random.below(9);
    let n_edges = random.below(2 * n);
    let mut edge = || (random.below(n) as VertexId, random.below(n) as VertexId, seed as i64 - 5);
    let edges: Vec<_> = (0..n_edges).map(|_| edge()).collect();
    let room = Room {
        n_vertices: n + random.below(2),
        n_edges: n_edges + 1 + random.below(9),
        weights: -5..=[-4, 4, 60, 15][random.below(4)],
    };
    let edges: Vec<_> = edges
        .into_iter()
        .map(|(u, v, _)| (u, v, -5 + random.below((room.weights.end() + 6) as usize) as i64))
        .collect();
    Graph::new(n, &edges, room)
}

#[test]
fn forests_stay_minimal() {
    for seed in 0..40 {
        drive(case(seed), 60, Random(seed)).unwrap();
    }
}

#[test]
fn forests_of_corner_cases_stay_minimal() {
    for (name, graph) in corner_cases::<u32>().iter().filter(|entry| entry.1.n_arcs() <= 250) {
        println!("{name}");
        let (n, edges) = (graph.n_vertices(), arcs(graph));
        let greatest = edges.iter().map(|edge| edge.2).max().unwrap_or(0);
        let room =
            Room { n_vertices: n + 1, n_edges: edges.len() + 3, weights: 0..=greatest.max(9) };
        let case = Graph::new(n, &edges, room);
        drive(case, 12, Random(1)).unwrap();
    }
}

#[test]
fn flaws_are_noticed() {
    let flaws = [
        // paths
        ["COL(u, M) xor COL(v, M);\n  D(e) := 1", "COL(u, M) xor COL(v, M)"],
        ["D := COL(u, M) xor COL(v, M)", "D := COL(u, M)"],
        ["MOVE(B, D, M)", "SET(D)"],
        ["T(e) := 1", "T(e) := 0"],
        // trees that join
        ["B := A;  a := b", "B := A"],
        ["WMERGE(a, B; C)", "WMERGE(b, B; C)"],
        ["WMERGE(a, B; C)", "a := b"],
        ["NOTEQ(ROW(u, C), ROW(v, C))", "NOTEQ(WORD(u), ROW(v, C))"],
        ["else if u <> v then", "else"],
        // an edge that takes another's place
        ["MAX(W, COL", "MIN(W, COL"],
        ["COL(u, M) xor COL(v, M)));", "COL(u, M) or COL(v, M)));"],
        ["LESS(ROW(e, W), ROW(f, W))", "GREAT(ROW(e, W), ROW(f, W))"],
        ["T(f) := 0", "T(e) := 0"],
        // an edge that goes
        ["Z := Z xor MATCH(L", "Z := Z or MATCH(L"],
        ["X(e) := 0", "X(e) := 1"],
        ["MIN(W, Z)", "Z"],
        ["if not B(v) then v := NUMBER(ROW(e, L))", "f := e"],
        ["CUT(L, R, X, B, Z) else", "CUT(L, R, X or not X, B, Z) else"],
        ["MOVE(B, COL(v, M), M)", "f := e"],
        ["WMERGE(WORD(v), B; C)", "f := e"],
        // vertices
        ["X := X and not Y", "X := X"],
        ["V(u) := 1;  done := u", "done := u"],
        ["V(u) := 0;", ""],
        // from scratch
        ["COL(x, M) := Z", "Z := Z"],
        ["ROW(x, C) := WORD(x)", "Z := Z"],
        // rows
        ["FND(not X)", "FND(X)"],
        ["X(done) := 1", "done := done"],
        ["if change = 3 then Y := MATCH(W, Y, w)", "Y := Y"],
        ["else if V(u) and V(v)", "else if V(u)"],
        ["or MATCH(L, MATCH(R, X, WORD(u)), WORD(v))", ""],
    ];
    check_flaws(DYNAMIC_MST, &flaws, 0..40, case);
}

#[test]
fn changes_cost_what_is_claimed() {
    let columns =
        |table: &Table| -> Vec<_> { (0..table.columns()).map(|v| table.col(v).unwrap()).collect() };
    for seed in 0..40 {
        check_costs(case(seed), ["M", "C", "W"], Random(seed), |_, change, done, tables| {
            let [[paths, roots, weights], [now, ..]] = tables;
            let (l, h) = (roots.columns() as u64, weights.columns() as u64);
            let moved =
                columns(&paths).iter().zip(&columns(&now)).filter(|(a, b)| a != b).count() as u64;
            Some(match (change, done) {
                // the heaviest of a path, or two trees, and what moves
                (Change::Insert { .. }, _) => 3 * h + 7 * l + 5 * moved + 25,
                // the edge; then what is joined to the smaller part, and the lightest of that
                (Change::Delete { .. }, Some(row)) => {
                    let part = paths.row(row).unwrap();
                    let below = part.as_slice().numb() as u64;
                    let tree = part.as_slice().fnd().map_or(0, |v| {
                        let all = roots.to_values().unwrap();
                        all.iter().filter(|&&root| root == all[v]).count() as u64
                    });
                    let smaller = below.min(tree - below);
                    16 * l + 5 * h + smaller * (4 * l + 6) + 5 * moved + 30
                }
                (Change::Delete { .. }, None) => 8 * l + 2 * h + 10,
                (Change::InsertVertex(_), _) | (_, None) => 2,
                // as its edges
                (Change::DeleteVertex(_), _) => return None,
            })
        });
    }
}

#[test]
fn what_can_not_be_is_refused() {
    let room = Room { n_vertices: 3, n_edges: 2, weights: 0..=5 };
    let refused = |edges: &[_]| dynamic_mst(3, edges, &room).unwrap_err().to_string();
    assert!(refused(&[(0, 1, 6)]).ends_with("there is no room for its weight"));
    assert!(refused(&[(0, 3, 1)]).starts_with("there is no vertex 3"));
    assert!(refused(&[(0, 1, 1); 3]).starts_with("there is no row 2"));
    let forest = dynamic_mst(3, &[(0, 1, 1), (1, 1, 1)], &room).unwrap();
    let mut m = Host::new();
    let mut run = forest.task().on(&mut m).unwrap();
    forest.build(&mut run).unwrap();
    for (change, expected) in [
        ("insert 0 1 1", "insert 0 1 1: an end of it is not there, or there is no room"),
        ("insert 0 1 -1", "insert 0 1 -1: no weight may be negative"),
        ("insert 0 3 1", "there is no vertex 3: there are 3, counted from 0"),
        ("delete 0 2", "delete 0 2: there is none"),
        ("delete 0 1 2", "delete 0 1 2: there is none"),
        ("delete 0 1 9", "delete 0 1 9: there is none"),
        ("insert-vertex 2", "insert-vertex 2: it is there"),
    ] {
        let change = Change::read(change).unwrap()[0];
        assert_eq!(forest.apply(&mut run, change).unwrap_err().to_string(), expected);
    }
    for (text, line) in [("insert 1\n", 1), ("\n# as\ndelete 1 2 3 4", 3), ("insert 0 0 1.5", 1)] {
        let error = Change::read(text).unwrap_err();
        assert!(error.line == line);
    }
    // nothing to hold
    let empty = Room { n_vertices: 0, n_edges: 0, weights: 0..=0 };
    let forest = dynamic_mst(0, &[], &empty).unwrap();
    let mut m = Host::new();
    forest.build(&mut forest.task().on(&mut m).unwrap()).unwrap();
}

proptest! {
    #![proptest_config(proptests(32))]

    #[test]
    fn forests_of_larger_graphs_stay_minimal(
        n in 1..70usize,
        list in prop::collection::vec((0..70u32, 0..70u32, -9..9i64), 0..140),
        seed: u64,
    ) {
        let n_vertices = n as VertexId;
        let list: Vec<_> = list.iter().map(|&(u, v, w)| (u % n_vertices, v % n_vertices, w)).collect();
        let room = Room { n_vertices: n, n_edges: list.len() + 10, weights: -9..=9 };
        let case = Graph::new(n, &list, room);
        drive(case, 40, Random(seed)).unwrap();
    }
}
