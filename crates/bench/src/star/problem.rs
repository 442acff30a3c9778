//! A random digraph, and what every closure of it is held against.

use std::cell::Cell;

use anyhow::{Context, Result, ensure};
use graph_formats::{Csr, VertexId};
use paths::Closure;

use crate::draws::Draws;

/// Rows of every answer that are compared with searches.
pub(super) const ROWS: usize = 40;
const SEED: u64 = 5;
/// Bits of a word.
const WORD: usize = u64::BITS as usize;

/// A digraph G(n, p), with searches from some of its vertices.
pub(super) struct Problem {
    pub(super) n: usize,
    /// The mean number of arcs out of a vertex.
    pub(super) degree: f64,
    pub(super) graph: Csr<u32>,
    /// Vertices, and whom each reaches, ascending.
    rows: Vec<(VertexId, Vec<VertexId>)>,
    /// Of the first answer, which all others are to have.
    n_pairs: Cell<Option<usize>>,
}

impl Problem {
    /// Each of the n (n - 1) arcs is there with the same probability, so that there are
    /// `degree` at a vertex in the mean.
    pub(super) fn random(n: usize, degree: f64) -> Result<Self> {
        ensure!(n > 0, "a graph without vertices has nothing to measure");
        let mut draws = Draws::new(SEED);
        let graph = random(n, degree, &mut draws)?;
        let mut row = || {
            let from = draws.below(n) as VertexId;
            (from, reached(&graph, from))
        };
        let rows = (0..ROWS.min(n)).map(|_| row()).collect();
        Ok(Self { n, degree, graph, rows, n_pairs: Cell::new(None) })
    }

    /// What it is called in messages.
    pub(super) fn name(&self) -> String {
        format!("{} vertices, {} arcs a vertex", self.n, self.degree)
    }

    /// That a closure has the rows of the searches, and as many pairs as those before it. How
    /// many these are.
    pub(super) fn check(&self, closure: &Closure) -> Result<usize> {
        let n = closure.n_vertices();
        ensure!(n == self.n, "the closure has {n} vertices instead of {}", self.n);
        for (from, expected) in &self.rows {
            let is_right = closure.reached_from(*from).eq(expected.iter().copied());
            ensure!(is_right, "vertex {from} does not reach what a search from it finds");
        }
        let n_pairs = closure.n_pairs();
        let expected = self.n_pairs.get().unwrap_or(n_pairs);
        ensure!(n_pairs == expected, "{n_pairs} pairs where another form found {expected}");
        self.n_pairs.set(Some(n_pairs));
        Ok(n_pairs)
    }

    /// How many unions of columns WARSHALL-C does: for every vertex, in their order, as many as
    /// there are ones in its row by then. O(n³ / 64).
    pub(super) fn column_unions(&self) -> u64 {
        let stride = self.n.div_ceil(WORD);
        let mut words = vec![0u64; self.n * stride];
        for (u, v, _) in self.graph.arcs() {
            words[u as usize * stride + v as usize / WORD] |= 1 << (v as usize % WORD);
        }
        let mut unions = 0;
        for pivot in 0..self.n {
            let row = words[pivot * stride..][..stride].to_vec();
            unions += row.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
            for other in words.chunks_exact_mut(stride) {
                if other[pivot / WORD] >> (pivot % WORD) & 1 == 1 {
                    other.iter_mut().zip(&row).for_each(|(word, more)| *word |= more);
                }
            }
        }
        unions
    }
}

/// Goes from arc to arc, over as many as are missing between them.
fn random(n: usize, degree: f64, draws: &mut Draws) -> Result<Csr<u32>> {
    let others = n.saturating_sub(1);
    let p = degree / others.max(1) as f64;
    ensure!(p > 0.0 && p < 1.0, "{n} vertices cannot have {degree} arcs each; take other sizes");
    let all = (n * others) as f64;
    let mut arcs = Vec::with_capacity((n as f64 * degree * 1.1) as usize);
    let mut at = -1.0;
    loop {
        at += 1.0 + ((1.0 - draws.fraction()).ln() / (-p).ln_1p()).floor();
        if at >= all {
            break;
        }
        let (u, other) = (at as usize / others, at as usize % others);
        let v = other + usize::from(other >= u);
        arcs.push((u as VertexId, v as VertexId, 1));
    }
    Csr::from_arcs(n, &arcs).context("the arcs of a random digraph")
}

/// Whom `from` reaches by one arc or more, ascending.
fn reached(graph: &Csr<u32>, from: VertexId) -> Vec<VertexId> {
    let heads = |u: VertexId| &graph.column_indices()[graph.row(u)];
    let mut is_reached = vec![false; graph.n_vertices()];
    let mut left = heads(from).to_vec();
    while let Some(v) = left.pop() {
        if !std::mem::replace(&mut is_reached[v as usize], true) {
            left.extend(heads(v));
        }
    }
    graph.vertices().filter(|&v| is_reached[v as usize]).collect()
}

#[cfg(test)]
mod tests {
    use paths::oracle;

    use super::*;

    #[test]
    fn right_closures_pass_and_wrong_ones_do_not() {
        let problem = Problem::random(90, 1.5).unwrap();
        let right = oracle::closure(&problem.graph);
        assert_eq!(problem.check(&right).unwrap(), right.n_pairs());
        let from = problem.rows[0].0;
        let mut wrong = right.clone();
        let missing = (0..90).find(|&v| !right.reaches(from, v)).unwrap();
        wrong.insert(from, missing);
        assert!(problem.check(&wrong).unwrap_err().to_string().contains("a search from it"));
        // a row that no search is for
        let elsewhere = (0..90).find(|&u| {
            !right.reaches(u, missing) && problem.rows.iter().all(|(from, _)| *from != u)
        });
        let mut wrong = right.clone();
        wrong.insert(elsewhere.unwrap(), missing);
        assert!(problem.check(&wrong).unwrap_err().to_string().contains("pairs where another"));
    }

    #[test]
    fn digraphs_have_about_as_many_arcs_as_asked_for_and_no_loops() {
        for (n, degree) in [(300, 5.0), (300, 50.0), (2, 0.5), (100, 98.0)] {
            let graph = random(n, degree, &mut Draws::new(1)).unwrap();
            let (expected, m) = (n as f64 * degree, graph.n_arcs() as f64);
            assert!((m - expected).abs() < 6.0 * expected.sqrt() + 1.0, "{m} of {expected}");
            assert!(graph.arcs().all(|(u, v, _)| u != v));
            let is_simple = |u| graph.column_indices()[graph.row(u)].is_sorted_by(|a, b| a < b);
            assert!(graph.vertices().all(is_simple));
        }
        assert!(random(5, 4.0, &mut Draws::new(1)).is_err());
    }
}
