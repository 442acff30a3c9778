//! A graph as a matrix, and rows of its distances that every solve is held against.

use anyhow::{Context, Result, bail, ensure};
use apsp::published::{Element, SIDE_STEP};
use graph_formats::generate::{Duplicates, GraphOptions, UniformConfig, uniform};
use graph_formats::{Csr, Direction, VertexId};
use sssp::{Config, Goal, Solver};

/// Rows that are compared.
const MOST_ROWS: usize = 8;

/// An element of the study: a matrix of small integers, whatever their type, so that sums of
/// floats are exact and must be equal too.
pub(super) trait Number: Element {
    fn of(weight: u32) -> Self;
    fn to_f64(self) -> f64;
}

impl Number for i32 {
    fn of(weight: u32) -> Self {
        weight as Self
    }

    fn to_f64(self) -> f64 {
        self.into()
    }
}

impl Number for f32 {
    fn of(weight: u32) -> Self {
        weight as Self
    }

    fn to_f64(self) -> f64 {
        self.into()
    }
}

/// A graph to solve.
pub(super) struct Problem {
    pub(super) name: String,
    graph: Csr<u32>,
    /// Sources, and the distances from each; `None` is unreached.
    rows: Vec<(usize, Vec<Option<u64>>)>,
}

impl Problem {
    /// A graph, with searches from some of its vertices.
    pub(super) fn new(name: impl Into<String>, graph: Csr<u32>) -> Result<Self> {
        let n = graph.n_vertices();
        ensure!(n > 0, "a graph without vertices has nothing to measure");
        let largest: u64 = graph.weights().iter().copied().max().unwrap_or(0).into();
        ensure!(largest * (n as u64) < 1 << 28, "sums may be larger than an i32 takes");
        let mut solver = Solver::new(&graph, &Config::default())?;
        let n_rows = n.min(MOST_ROWS);
        let mut rows = Vec::new();
        for source in (0..n_rows).map(|row| row * n / n_rows) {
            let distances = solver.distances(source as VertexId, Goal::All)?;
            let row: Vec<Option<u64>> = graph.vertices().map(|v| distances.get(v)).collect();
            let farthest = row.iter().flatten().max();
            ensure!(farthest < Some(&(1 << 24)), "distances are larger than floats are exact for");
            rows.push((source, row));
        }
        drop(solver);
        Ok(Self { name: name.into(), graph, rows })
    }

    /// n vertices and so many arcs a vertex, drawn at random, of weights 1 ... 255.
    pub(super) fn random(n_vertices: usize, degree: u64) -> Result<Self> {
        let options = GraphOptions {
            direction: Direction::Directed,
            duplicates: Duplicates::Keep,
            ..GraphOptions::default()
        };
        let n_edges = n_vertices as u64 * degree;
        let graph = uniform(&UniformConfig { n_vertices, n_edges, options })?;
        Self::new(format!("random-{n_vertices}"), graph)
    }

    pub(super) fn n(&self) -> usize {
        self.graph.n_vertices()
    }

    pub(super) fn n_arcs(&self) -> usize {
        self.graph.n_arcs()
    }

    /// The side of the matrix.
    pub(super) fn side(&self) -> usize {
        self.n().next_multiple_of(SIDE_STEP)
    }

    /// The arcs, of parallel ones the shortest.
    pub(super) fn matrix<E: Number>(&self) -> Vec<E> {
        let side = self.side();
        let mut matrix = vec![E::NO_PATH; side * side];
        (0..side).for_each(|v| matrix[v * side + v] = E::of(0));
        for (u, v, weight) in self.graph.arcs() {
            let known = &mut matrix[u as usize * side + v as usize];
            let weight = E::of(weight);
            if weight < *known {
                *known = weight;
            }
        }
        matrix
    }

    /// That a solved matrix, of which `row` tells a row, has the distances of the searches.
    pub(super) fn check<E: Number>(&self, row: impl Fn(usize) -> Result<Vec<E>>) -> Result<()> {
        for (source, expected) in &self.rows {
            let found = row(*source).context("a row of the result cannot be read")?;
            ensure!(found.len() >= expected.len(), "the row of vertex {source} is too short");
            let value = |element: E| element.is_path().then(|| element.to_f64());
            let differs = |(&element, expected): (&E, &Option<u64>)| {
                value(element) != expected.map(|distance| distance as f64)
            };
            if let Some(target) = found.iter().zip(expected).position(differs) {
                let (found, expected) = (value(found[target]), expected[target]);
                bail!("from {source} to {target} it has {found:?} instead of {expected:?}");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::floyd_warshall::host;

    fn checked<E: Number>(problem: &Problem, matrix: &[E]) -> Result<()> {
        let side = problem.side();
        problem.check(|row| Ok(matrix[row * side..][..problem.n()].to_vec()))
    }

    #[test]
    fn right_rows_pass_and_wrong_ones_are_named() {
        let problem = Problem::random(60, 4).unwrap();
        let (n, side) = (problem.n(), problem.side());
        assert_eq!((n, side, problem.n_arcs()), (60, 128, 240));
        let mut matrix = problem.matrix::<i32>();
        assert!(checked(&problem, &matrix).is_err());
        host::close(&mut matrix, side, n);
        checked(&problem, &matrix).unwrap();
        let mut floats = problem.matrix::<f32>();
        host::close(&mut floats, side, n);
        checked(&problem, &floats).unwrap();
        floats[59] += 1.0;
        let error = checked(&problem, &floats).unwrap_err().to_string();
        assert!(error.starts_with("from 0 to 59 it has"), "{error}");
    }
}
