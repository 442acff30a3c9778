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
//! *Blocked*: vertices are pivots a block at a time. The pivots are closed among themselves
//! (recursively), then their rows relaxed through them, and then all other rows, in the order of
//! [`pivots::close`]. Nearly all time is in the last.
//!
//! Rows are shared among threads, and those of the blocked order among ranks: the rank that has a
//! block of pivots closes it and broadcasts its rows, while all ranks update others of their own.
//! A row takes the same sums in the same order wherever it is, so that the numbers do not depend on
//! the ranks, floats included. O(n³) time; n² numbers, and 2 b n for the pivots of two blocks, on
//! each rank.
//!
//! What differs from the published forms: recursion ends at 48 vertices instead of one; and see
//! there.
//!
//! Weights may be negative, if there is no negative cycle: the caller has checked. Then no
//! sum is beyond the bound that the plan has checked. Floats are added at the middle vertex,
//! so that they may round otherwise than a search does.
//!
//! Reference: floyd-1962, warshall-1962, venkataraman-2003, buluc-2010

use std::cell::RefCell;
use std::ops::Range;

use collectives::Communicator;
use graph_formats::{Interrupted, parallel, tell};
use pivots::{Part, Share, Strip, Work};
use rayon::ThreadPool;
use rayon::prelude::*;
use sssp::Progress;

use super::matrix::{Matrix, STEP};
use super::min_plus::{MinPlus, Panel};
use crate::ApspError;
use crate::error::agree;

/// Vertices that are closed by passes.
const FEW: usize = STEP;
/// Vertices that are pivots together in [`through`].
const PIVOTS: usize = 64;

/// One pass for each vertex.
pub(crate) fn plain<E: MinPlus>(
    matrix: &mut Matrix<E>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    let n = matrix.n_rows();
    for k in 0..n {
        tell(progress, k as u64, matrix.n_rows() as u64)?;
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
    let n = matrix.n_rows();
    let greater = half(n).max(n.saturating_sub(half(n)));
    let mut panel = matrix.panel(greater, greater)?;
    close(matrix, 0..n, &mut panel, progress)
}

/// A block of pivots after the other, on all ranks, each with the threads of `pool`, of which the
/// caller may be one where nothing is sent. The progress callback of any rank may end the work of
/// all.
pub(crate) fn blocked<E: MinPlus>(
    matrix: &mut Matrix<E>,
    ranks: &dyn Communicator,
    pool: &ThreadPool,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    let (share, n) = (matrix.share, matrix.n_columns());
    let panel = || matrix.panel(share.blocks.rows(0).len(), n);
    let panels = panel().and_then(|first| Ok([first, panel()?]));
    let panels = agree(ranks, panels)?.map(RefCell::new);
    let rank = Rank { share, matrix: RefCell::new(matrix), panels, ranks, pool };
    pivots::close(&[rank], progress)?;
    Ok(())
}

/// What a rank does of the work.
struct Rank<'a, E> {
    share: Share,
    matrix: RefCell<&'a mut Matrix<E>>,
    /// The closed rows of a block and of the next.
    panels: [RefCell<Panel<E>>; 2],
    ranks: &'a dyn Communicator,
    pool: &'a ThreadPool,
}

impl<E: MinPlus> Part for Rank<'_, E> {
    type Error = ApspError;

    fn share(&self) -> Share {
        self.share
    }

    fn n_strips(&self, _block: usize) -> usize {
        1
    }

    fn close(&self, block: usize, progress: Option<Progress<'_>>) -> Result<u64, ApspError> {
        let (pivots, all) = (self.share.blocks.rows(block), 0..self.share.blocks.n_rows);
        let mut matrix = self.matrix.borrow_mut();
        let (matrix, panel) = (&mut **matrix, &mut *self.panels[block % 2].borrow_mut());
        parallel::install(self.pool, || {
            close(matrix, pivots.clone(), panel, progress)?;
            matrix.relax([pivots.clone()], &pivots, &all, panel);
            matrix.pack(panel, &pivots, &all);
            Ok(0)
        })
    }

    fn receive(&self, block: usize, _owner: Option<&Self>) -> Result<u64, ApspError> {
        let Self { share: Share { blocks, .. }, panels, ranks, .. } = self;
        let mut panel = panels[block % 2].borrow_mut();
        let panel = panel.reshape(blocks.rows(block).len(), blocks.n_rows);
        ranks.broadcast(blocks.owner(block), panel.strips_mut())?;
        Ok(0)
    }

    fn free_before(&self, _block: usize, _parts: &[Self]) -> Result<(), ApspError> {
        Ok(())
    }

    fn update(&self, pivots: usize, strip: Strip) -> Result<u64, ApspError> {
        let blocks = self.share.blocks;
        let mut matrix = self.matrix.borrow_mut();
        let (matrix, panel) = (&mut **matrix, &*self.panels[pivots % 2].borrow());
        parallel::install(self.pool, || {
            matrix.update([blocks.rows(strip.block)], &blocks.rows(pivots), 0, panel);
        });
        Ok(0)
    }

    fn go_on(&self, is_ended: bool) -> Result<(), ApspError> {
        match self.ranks.any(is_ended)? {
            true => Err(Interrupted.into()),
            false => Ok(()),
        }
    }

    /// All rows together, and meanwhile the next pivots come.
    fn update_rest(parts: &[Self], pivots: usize, work: &mut Work<'_>) -> Result<(), ApspError> {
        let rank = &parts[0];
        let (blocks, next) = (rank.share.blocks, pivots + 1);
        let through = blocks.rows(pivots);
        let rest = [0..through.start, blocks.rows(next).end..blocks.n_rows];
        let is_ended = work.is_ended();
        let strips = rank.share.own_blocks().filter(|&block| block != pivots && block != next);
        work.add(0, strips.count() as u64);
        let mut matrix = rank.matrix.borrow_mut();
        let (matrix, panel) = (&mut **matrix, &*rank.panels[pivots % 2].borrow());
        rank.pool.in_place_scope(|scope| {
            scope.spawn(|_| matrix.update(rest, &through, 0, panel));
            rank.go_on(is_ended)?;
            work.receive(parts, next)
        })
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
        tell(progress, all.start as u64, matrix.n_rows() as u64)?;
        close_few(matrix, &all);
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

/// The same of few, by a pass for each.
fn close_few<E: MinPlus>(matrix: &mut Matrix<E>, all: &Range<usize>) {
    for k in all.clone() {
        let through = matrix.row(k)[all.clone()].to_vec();
        let (rows, stride) = matrix.rows_mut(all);
        for row in rows.chunks_exact_mut(stride) {
            relax_row(&mut row[all.clone()], k - all.start, &through);
        }
    }
}

/// Relaxes all pairs of a row and a column through some vertices, which are rows and columns of the
/// same number. Blocks of these vertices are taken one after the other: each is closed, and its
/// rows are relaxed before all others. For small matrices, which others are closed beside. O(pivots
/// · rows · columns), in parallel.
pub(crate) fn through<E: MinPlus>(
    matrix: &mut Matrix<E>,
    pivots: Range<usize>,
) -> Result<(), ApspError> {
    let (n_rows, columns) = (matrix.n_rows(), 0..matrix.n_columns());
    let mut panel = matrix.panel(PIVOTS.min(pivots.len()), columns.len())?;
    for first in pivots.clone().step_by(PIVOTS) {
        let block = first..(first + PIVOTS).min(pivots.end);
        close_few(matrix, &block);
        matrix.relax([block.clone()], &block, &columns, &mut panel);
        matrix.relax([0..block.start, block.end..n_rows], &block, &columns, &mut panel);
    }
    Ok(())
}

/// Relaxes the paths that go through the vertex of column `k`, whose row is given.
fn relax_row<E: MinPlus>(row: &mut [E], k: usize, through: &[E]) {
    let first = row[k];
    for (least, &second) in row.iter_mut().zip(through) {
        *least = least.smaller(first.plus(second));
    }
}
