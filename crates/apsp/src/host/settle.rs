//! Recomputes distances of floats as sums in one order, so that they do not depend on the
//! algorithm.
//!
//! Rounded sums depend on their order. A matrix adds at the middle of a path, a search from
//! its start, and Johnson's method adds potentials, so that the last bits differ, and along
//! the arcs no sum may come out exactly. What is settled has them all the same: d(u, v) is
//! the least sum over all paths, added from v backwards, so that d(u, v) = w + d(x, v) for
//! some arc (u, x, w). That is what a search from v finds in the reversed graph; it has to
//! follow only the arcs that the unsettled distances show to be useful, with a margin for
//! their rounding. O(n (n + a) log n) for a useful arcs; with negative arcs Bellman-Ford's
//! method takes the place of Dijkstra's.
//!
//! Reference: dijkstra-1959, bellman-1958

use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};

use graph_formats::{Csr, VertexId, Weight};
use ndarray::Array2;
use sssp::{Config, Progress, SearchWeight, Solver, SsspError};

/// Searches for the distances along the useful arcs of a graph.
pub(crate) struct Settler<W: Weight> {
    reversed: Csr<W>,
    config: Config,
}

impl<W: SearchWeight> Settler<W> {
    pub(crate) fn new(arcs: &Csr<W>, threads: usize) -> Self {
        let threads = NonZeroUsize::new(threads);
        Self { reversed: arcs.transposed(), config: Config { threads, ..Config::default() } }
    }

    /// The distances to some vertices, a row for each of them, a column for each vertex.
    pub(crate) fn columns(
        &self,
        columns: Range<usize>,
        progress: Option<Progress<'_>>,
    ) -> Result<Array2<W::Distance>, SsspError> {
        let n = self.reversed.n_vertices();
        let all: Vec<VertexId> = self.reversed.vertices().collect();
        let first = columns.start as u64;
        let tell = |done, _| {
            progress.map_or(ControlFlow::Continue(()), |tell| tell(first + done, n as u64))
        };
        let found = Solver::new(&self.reversed, &self.config)
            .and_then(|solver| solver.with_progress(&tell).table(&all[columns], &all));
        Ok(found.map_err(reversed_cycle)?.answer.into_storage())
    }
}

/// A cycle of the reversed graph runs the other way.
fn reversed_cycle(error: SsspError) -> SsspError {
    match error {
        SsspError::NegativeCycle { mut cycle } => {
            cycle.reverse();
            SsspError::NegativeCycle { cycle }
        }
        other => other,
    }
}
