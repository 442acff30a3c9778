//! Distances of floats as sums in one order, whichever algorithm has found them.
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
use std::ops::ControlFlow;

use graph_formats::{Csr, VertexId, Weight};
use ndarray::ArrayView2;
use sssp::{Config, Progress, Solver, SsspError};

/// Destinations whose distances are kept twice at a time.
const COLUMNS_A_BLOCK: usize = 256;

/// Bytes beside the distances, of which each has `size`.
pub(crate) fn bytes_of_columns(n: usize, size: usize) -> u128 {
    n as u128 * COLUMNS_A_BLOCK.min(n) as u128 * size as u128
}

/// Finds all distances along the useful arcs of a graph, and `put`s them some columns at a
/// time, from that of the vertex that it is given on.
pub(crate) fn settle<W: Weight>(
    arcs: &Csr<W>,
    threads: usize,
    progress: Option<Progress<'_>>,
    mut put: impl FnMut(usize, ArrayView2<'_, W::Distance>),
) -> Result<(), SsspError> {
    let reversed = arcs.transposed();
    let threads = NonZeroUsize::new(threads);
    let config = Config { threads, ..Config::default() };
    let all: Vec<VertexId> = arcs.vertices().collect();
    for block in all.chunks(COLUMNS_A_BLOCK) {
        let (first, n) = (block[0] as usize, all.len() as u64);
        let tell = |done, _| {
            progress.map_or(ControlFlow::Continue(()), |tell| tell(first as u64 + done, n))
        };
        let found = Solver::new(&reversed, &config)
            .and_then(|solver| solver.with_progress(&tell).table(block, &all));
        let found = found.map_err(turned_round)?.into_storage();
        put(first, found.t());
    }
    Ok(())
}

/// A cycle of the reversed graph runs the other way.
fn turned_round(error: SsspError) -> SsspError {
    match error {
        SsspError::NegativeCycle { mut cycle } => {
            cycle.reverse();
            SsspError::NegativeCycle { cycle }
        }
        other => other,
    }
}
