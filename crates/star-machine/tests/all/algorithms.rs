//! The graph algorithms on every machine, against oracles.

use std::collections::BTreeSet;

use graph_formats::{Csr, VertexId};
use paths::corner_cases::corner_cases;
use paths::{Total, oracle};
use proptest::prelude::*;
use star_machine::{
    CountFrom, Counting, Host, Machine, Program, Size, Slice, StarError, Table, Text, Variable,
    Word, algorithms,
};

use crate::bodies::Value;

/// A list of edges as tables, and the sizes of these.
pub(crate) struct Edges {
    pub(crate) list: Vec<(VertexId, VertexId, u32)>,
    pub(crate) n: usize,
    code_bits: usize,
    weight_bits: usize,
}

impl Edges {
    /// Each arc is an edge.
    pub(crate) fn of(graph: &Csr<u32>) -> Self {
        let list: Vec<_> = graph.arcs().collect();
        let n = graph.n_vertices();
        let bits = |value: u32| value.checked_ilog2().unwrap_or(0) as usize + 1;
        let greatest = list.iter().map(|arc| arc.2).max().unwrap_or(0);
        Self { n, code_bits: bits(n.max(1) as u32 - 1), weight_bits: bits(greatest), list }
    }

    fn m(&self) -> usize {
        self.list.len()
    }

    /// `L`, `R` and `W`.
    fn tables(&self) -> [Table; 3] {
        let column = |of: fn(&(VertexId, VertexId, u32)) -> u32, bits| {
            let values: Vec<_> = self.list.iter().map(|arc| u64::from(of(arc))).collect();
            Table::from_values(&values, bits).unwrap()
        };
        let (l, h) = (self.code_bits, self.weight_bits);
        [column(|arc| arc.0, l), column(|arc| arc.1, l), column(|arc| arc.2, h)]
    }

    fn sizes(&self) -> Vec<Size> {
        let (m, l, h) = (self.m(), self.code_bits, self.weight_bits);
        vec![Size::Table(m, l), Size::Table(m, l), Size::Table(m, h), Size::Bits(m)]
    }

    pub(crate) fn kruskal(&self, text: &str) -> Program {
        let sizes = [self.sizes(), vec![Size::Bits(self.m())]].concat();
        let program = Text::parse(text).unwrap().compile("KRUSKAL", &sizes, CountFrom::Zero);
        program.unwrap().with_most_turns(MOST_TURNS)
    }

    pub(crate) fn prim(&self, text: &str) -> Program {
        let sizes = [self.sizes(), vec![Size::Bits(self.code_bits), Size::Bits(self.m())]].concat();
        let program = Text::parse(text).unwrap().compile("PRIM", &sizes, CountFrom::Zero);
        program.unwrap().with_most_turns(MOST_TURNS)
    }

    /// The tree of a run, `root` among the arguments if there is one.
    pub(crate) fn run(
        &self,
        m: &mut impl Machine,
        program: &Program,
        root: Option<VertexId>,
    ) -> Result<Slice, StarError> {
        let mut arguments: Vec<Variable> = Vec::new();
        for value in self.values(root) {
            arguments.push(match value {
                Value::Table(table) => m.load_table(&table).unwrap().into(),
                Value::Vector(x) => m.load_slice(&x).unwrap().into(),
                Value::Int(_) => unreachable!("it takes none"),
            });
        }
        program.run(m, &arguments)?;
        let Some(Variable::Vector(tree)) = arguments.last() else { unreachable!("a slice") };
        m.vector_value(*tree)
    }

    /// What a run takes, in order.
    pub(crate) fn values(&self, root: Option<VertexId>) -> Vec<Value> {
        let ones = || Value::Vector(Slice::ones(self.m()).unwrap());
        let mut values: Vec<_> = self.tables().into_iter().map(Value::Table).collect();
        values.push(ones());
        if let Some(root) = root {
            let root = Word::from_u64(root.into(), self.code_bits).unwrap();
            values.push(Value::Vector(root.into_slice()));
        }
        // what the result was before does not matter
        values.push(ones());
        values
    }

    /// If these edges are a forest: how many trees it has, and its weight.
    fn forest(&self, edges: impl Iterator<Item = usize>) -> Option<(usize, u64)> {
        let mut trees: Vec<usize> = (0..self.n).collect();
        let mut weight = 0;
        for e in edges {
            let (u, v, w) = self.list[e];
            let (u, v) = (trees[u as usize], trees[v as usize]);
            if u == v {
                return None;
            }
            trees.iter_mut().filter(|tree| **tree == v).for_each(|tree| *tree = u);
            weight += u64::from(w);
        }
        Some((trees.iter().collect::<BTreeSet<_>>().len(), weight))
    }

    /// The edges of a tree of each component, by Prim's algorithm.
    fn trees(&self, prim: &Program) -> Result<Vec<usize>, StarError> {
        let (mut is_reached, mut all) = (vec![false; self.n], Vec::new());
        for root in 0..self.n {
            if is_reached[root] {
                continue;
            }
            is_reached[root] = true;
            let tree = self.run(&mut Host::new(), prim, Some(root as VertexId))?;
            for e in tree.positions() {
                let (u, v, _) = self.list[e];
                (is_reached[u as usize], is_reached[v as usize]) = (true, true);
                all.push(e);
            }
        }
        Ok(all)
    }
}

/// Turns of loops: one for each column of a procedure too.
const MOST_TURNS: u64 = 1_000_000;

/// Whether these give forests of least weight that join all that can be joined.
fn are_right(graph: &Csr<u32>, [kruskal, prim]: [&str; 2]) -> [bool; 2] {
    let edges = Edges::of(graph);
    let expected = oracle::minimum_spanning_forest(graph);
    let Total::Integer(weight) = expected.total else { unreachable!("weights are whole") };
    let expected = Some((edges.n - expected.edges.len(), weight as u64));
    let forest = edges.run(&mut Host::new(), &edges.kruskal(kruskal), None);
    let trees = edges.trees(&edges.prim(prim));
    [
        forest.is_ok_and(|forest| edges.forest(forest.positions()) == expected),
        trees.is_ok_and(|trees| edges.forest(trees.into_iter()) == expected),
    ]
}

const TEXTS: [&str; 2] = [algorithms::KRUSKAL, algorithms::PRIM];

#[test]
fn spanning_trees_of_corner_cases() {
    for (name, graph) in corner_cases::<u32>().iter().filter(|entry| entry.1.n_arcs() <= 400) {
        assert_eq!(are_right(graph, TEXTS), [true; 2], "{name}");
    }
}

#[test]
fn flaws_are_noticed() {
    // two triangles, a bridge, a loop on the cheapest vertex, parallel edges, equal weights
    let arcs = [
        (0, 0, 1),
        (0, 1, 4),
        (1, 2, 8),
        (2, 0, 5),
        (0, 1, 2),
        (2, 3, 9),
        (3, 4, 1),
        (4, 5, 1),
        (5, 3, 1),
        (4, 4, 0),
        (6, 7, 3),
    ];
    let graph = Csr::from_arcs(9, &arcs).unwrap();
    assert_eq!(are_right(&graph, TEXTS), [true; 2]);
    let flawed = |number: usize, [from, to]: [&str; 2]| {
        assert!(TEXTS[number].contains(from), "{from}");
        let mut texts = TEXTS.map(str::to_owned);
        texts[number] = texts[number].replacen(from, to, 1);
        let right = are_right(&graph, [&texts[0], &texts[1]])[number];
        assert!(!right, "{from} may as well be {to}");
    };
    for flaw in [
        ["Y := X and not HIT(A, B, X)", "Y := X"],
        ["    Y := Y and not HIT(A, B, Y)", "    Y(e) := 0"],
        ["MIN(W, Y)", "MAX(W, Y)"],
        ["MIN(W, Y)", "Y"],
        ["WMERGE(u, MATCH(A, Y, v); A)", "u := u"],
        ["WMERGE(u, MATCH(B, Y, v); B)", "u := u"],
        ["u := ROW(e, A)", "u := ROW(e, L)"],
        ["CLR(T)", "SET(T)"],
    ] {
        flawed(0, flaw);
    }
    for flaw in [
        ["C := A xor B", "C := A or B"],
        ["    C := A xor B", "    C := A or B"],
        ["MIN(W, C)", "MAX(W, C)"],
        ["v := ROW(e, R) else v := ROW(e, L)", "v := ROW(e, L) else v := ROW(e, R)"],
        ["A := A or MATCH(L, X, v)", "A := MATCH(L, X, v)"],
        ["B := MATCH(R, X, r)", "CLR(B)"],
        ["CLR(T)", "SET(T)"],
    ] {
        flawed(1, flaw);
    }
}

#[test]
fn costs_are_of_the_class_that_is_claimed() {
    // a path of 40 edges, and 100 loops
    let path = (0..40).map(|u| (u, u + 1, u * 7 % 13));
    let arcs: Vec<_> = path.chain((0..100).map(|v| (v % 41, v % 41, 1))).collect();
    let edges = Edges::of(&Csr::from_arcs(41, &arcs).unwrap());
    let (h, l) = (edges.weight_bits as u64, edges.code_bits as u64);
    let cost = |program: Program, root| {
        let mut m = Counting::new(Host::new());
        edges.run(&mut m, &program, root).unwrap();
        m.cost().total()
    };
    // copies of the ends and loops; then the least edge, its codes, two changes, loops
    let (first, each) = (2 * 2 * l + 4 * l + 2, 3 * h + 1 + 2 + 2 * (2 * l + 3 * l) + 4 * l + 2);
    assert_eq!(cost(edges.kruskal(algorithms::KRUSKAL), None), first + 40 * each);
    // the edges of the root; then the least edge, a code, those of its other end
    let (first, each) = (2 * 2 * l + 2, 3 * h + 1 + 1 + 2 * (2 * l + 1) + 2);
    assert_eq!(cost(edges.prim(algorithms::PRIM), Some(0)), first + 40 * each);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn spanning_trees_of_arbitrary_graphs(
        n in 1..30u32,
        arcs in prop::collection::vec((0..30u32, 0..30u32, 0..9u32), 0..80),
    ) {
        let arcs: Vec<_> = arcs.into_iter().map(|(u, v, w)| (u % n, v % n, w)).collect();
        let graph = Csr::from_arcs(n as usize, &arcs).unwrap();
        prop_assert_eq!(are_right(&graph, TEXTS), [true; 2]);
    }
}
