//! Floyd-Warshall over a matrix, in three orders: the distances of all pairs through growing
//! sets of vertices.
//!
//! *Plain*: for each vertex k one pass over the matrix relaxes all pairs through it.
//!
//! *Recursive*: the vertices are halved. The first half is closed, paths between the halves
//! and within the second are relaxed through it; then the second half is closed and the
//! others are relaxed through that. All of it are relaxations of one part of the matrix
//! through another, many pivots at a time, which read a number once for many sums.
//!
//! *Blocked*: vertices are taken as pivots a block at a time. The pivots are closed among
//! themselves (recursively), then their rows relaxed through them, and then all other rows.
//! Nearly all time is in the last.
//!
//! Rows are shared among threads, and those of the blocked order among ranks, by turns: the
//! rank that has a block of pivots closes it and broadcasts its rows, and all update their own.
//! The next pivots' rows are updated first, so that closing them and sending them is done while
//! all other rows are updated (look-ahead). A row takes the same sums in the same order wherever
//! it is, so that the numbers do not depend on the ranks, floats included. O(n³) time; n²
//! numbers, and 2 b n for the pivots of two blocks, on each rank.
//!
//! What differs from the published forms: the pivots' columns need no phase of their own.
//! Where D is closed and R = D·R₀ are the pivots' rows, C·R is (C·D)·R₀, so other rows can be
//! multiplied with what they had before; and for columns of pivots R is D, which gives C·D.
//! Recursion ends at 48 vertices instead of one.
//!
//! Weights may be negative, if there is no negative cycle: the caller has checked. Then no
//! sum is beyond the bound that the plan has checked. Floats are added at the middle vertex,
//! so that they may round otherwise than a search does.
//!
//! Reference: floyd-1962, warshall-1962, venkataraman-2003, buluc-2010

use std::ops::Range;

use collectives::Communicator;
use rayon::ThreadPool;
use rayon::prelude::*;
use sssp::{Progress, SsspError};

use super::deal::STEP;
use super::matrix::{Matrix, Panel};
use super::min_plus::MinPlus;
use crate::ApspError;
use crate::error::agree;

/// Vertices that are closed by passes.
const FEW: usize = STEP;

/// Tells how many vertices have been pivots.
fn report<E>(
    matrix: &Matrix<E>,
    done: usize,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    match progress {
        Some(tell) if tell(done as u64, matrix.deal.n_vertices as u64).is_break() => {
            Err(SsspError::Interrupted.into())
        }
        _ => Ok(()),
    }
}

/// One pass for each vertex.
pub(crate) fn plain<E: MinPlus>(
    matrix: &mut Matrix<E>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    let n = matrix.deal.n_vertices;
    for k in 0..n {
        report(matrix, k, progress)?;
        let through = matrix.row(k).to_vec();
        let (rows, stride) = matrix.rows_mut(&(0..n));
        rows.par_chunks_mut(stride).for_each(|row| relax_row(row, k, &through));
    }
    Ok(())
}

/// Vertices by halves.
pub(crate) fn recursive<E: MinPlus>(
    matrix: &mut Matrix<E>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    let n = matrix.deal.n_vertices;
    let greater = half(n).max(n.saturating_sub(half(n)));
    let mut panel = matrix.panel(greater, greater)?;
    close(matrix, 0..n, &mut panel, progress)
}

/// A block of pivots after the other, on all ranks, each with the threads of `pool`, or of that
/// which calls. The progress callback of any rank may end the work of all.
pub(crate) fn blocked<E: MinPlus>(
    matrix: &mut Matrix<E>,
    ranks: &dyn Communicator,
    pool: Option<&ThreadPool>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    let deal = matrix.deal;
    let all = 0..deal.n_vertices;
    let [mut panel, mut next_panel] = agree(ranks, matrix.panels())?;
    let mut pivots = 0..0;
    for block in 0..=deal.n_blocks() {
        let next = deal.block(block);
        if deal.owns(block) {
            on(pool, || {
                matrix.update([next.clone()], &pivots, &all, &panel);
                close_panel(matrix, &next, &mut next_panel)
            })?;
        }
        let is_ended = report(matrix, pivots.end, progress).is_err();
        let packed = matrix.packed(&mut next_panel, &next);
        beside(
            pool,
            || matrix.update([0..pivots.start, next.end..all.end], &pivots, &all, &panel),
            || broadcast(ranks, deal.owner(block), packed, is_ended),
        )?;
        std::mem::swap(&mut panel, &mut next_panel);
        pivots = next;
    }
    Ok(())
}

/// Closes the rows of pivots, and packs them.
fn close_panel<E: MinPlus>(
    matrix: &mut Matrix<E>,
    pivots: &Range<usize>,
    panel: &mut Panel<E>,
) -> Result<(), ApspError> {
    let all = 0..matrix.deal.n_vertices;
    close(matrix, pivots.clone(), panel, None)?;
    matrix.relax([pivots.clone()], pivots, &all, panel);
    matrix.pack(panel, pivots, &all);
    Ok(())
}

/// Broadcasts the rows of pivots, unless a rank ends the work.
fn broadcast<E: MinPlus>(
    ranks: &dyn Communicator,
    owner: usize,
    packed: &mut [E],
    is_ended: bool,
) -> Result<(), ApspError> {
    if ranks.any(is_ended)? {
        return Err(SsspError::Interrupted.into());
    }
    Ok(ranks.broadcast(owner, packed)?)
}

fn on<T: Send>(pool: Option<&ThreadPool>, work: impl FnOnce() -> T + Send) -> T {
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// Does some work in the pool, and other work meanwhile on this thread.
fn beside<T>(pool: Option<&ThreadPool>, work: impl FnOnce() + Send, here: impl FnOnce() -> T) -> T {
    match pool {
        Some(pool) => pool.in_place_scope(|scope| {
            scope.spawn(|_| work());
            here()
        }),
        None => {
            work();
            here()
        }
    }
}

/// Where vertices are halved.
fn half(n_vertices: usize) -> usize {
    (n_vertices / 2).next_multiple_of(FEW)
}

/// Relaxes paths among some vertices through all of them, by halves; the panel is work space.
fn close<E: MinPlus>(
    matrix: &mut Matrix<E>,
    all: Range<usize>,
    panel: &mut Panel<E>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    if all.len() <= FEW {
        report(matrix, all.start, progress)?;
        for k in all.clone() {
            let through = matrix.row(k)[all.clone()].to_vec();
            let (rows, stride) = matrix.rows_mut(&all);
            for row in rows.chunks_exact_mut(stride) {
                relax_row(&mut row[all.clone()], k - all.start, &through);
            }
        }
        return Ok(());
    }
    let middle = all.start + half(all.len());
    let (first, second) = (all.start..middle, middle..all.end);
    for (through, other) in [(&first, &second), (&second, &first)] {
        close(matrix, through.clone(), panel, progress)?;
        matrix.relax([through.clone()], through, other, panel);
        matrix.relax([other.clone()], through, through, panel);
        matrix.relax([other.clone()], through, other, panel);
    }
    Ok(())
}

/// Relaxes the paths that go through the vertex of column `k`, whose row is given.
fn relax_row<E: MinPlus>(row: &mut [E], k: usize, through: &[E]) {
    let first = row[k];
    for (least, &second) in row.iter_mut().zip(through) {
        *least = least.lesser(first.plus(second));
    }
}
