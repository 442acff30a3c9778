//! The loop over blocks of pivots, by all ranks, whoever does the arithmetic.
//!
//! Each rank has a part of the rows of the matrix, and closes a part of the rows of the pivots; it
//! gets all of these rows from those that have them, before they are closed and after. O(n³ / p)
//! on each of p ranks, to which 2 n² numbers are sent. While a rank has rows of pivots, it has so
//! much less to lower, so that the others wait for no more than a block.

use graph_formats::parallel;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use collectives::Communicator;
use rayon::ThreadPool;
use sssp::{Progress, SsspError};

use super::journal::Journal;
use super::{ALIGNMENT, Scratch};
use crate::ApspError;
use crate::element::Element;
use crate::error::agree;

/// Rows that are sent at one time; 128 are a multiple of them.
pub(super) const ROWS_SENT: usize = 16;

/// Hears of so many rows more that were lowered, and may end the work.
pub(crate) type GoOn<'a> = &'a (dyn Fn(usize) -> Result<(), SsspError> + Sync);

/// Who does the arithmetic of a rank: the processor or GPUs.
pub(crate) trait Engine<E>: Send {
    /// Takes rows of the pivots, from that of vertex `first` on, each as long as those of the
    /// matrix. It gets all of them before each step.
    fn take(&mut self, pivots: &Range<usize>, first: usize, rows: &[E]) -> Result<(), ApspError>;

    /// Closes the rows that it has taken, and writes some of them to `rows`, from that of vertex
    /// `first` on.
    fn close(
        &mut self,
        pivots: &Range<usize>,
        first: usize,
        rows: &mut [E],
    ) -> Result<(), ApspError>;

    /// Lowers rows of other vertices by the closed rows, which it has taken. Their columns of the
    /// pivots are given as they were, a row for each.
    fn lower(
        &mut self,
        pivots: &Range<usize>,
        rows: &mut [E],
        columns: &[E],
        go_on: GoOn<'_>,
    ) -> Result<(), ApspError>;
}

/// A rank, with its engine and the threads for that, among those that do the same meanwhile.
pub(crate) struct Team<'a, E> {
    pub(super) engine: &'a mut dyn Engine<E>,
    pub(super) pool: &'a ThreadPool,
    pub(super) ranks: &'a dyn Communicator,
}

/// The part of some rows that a rank has, of so many: an equal part in whole blocks of 128 rows,
/// which take a multiple of 32 KiB, so that no two ranks touch one page of a file.
fn part(rows: &Range<usize>, rank: usize, n_ranks: usize) -> Range<usize> {
    let blocks = rows.len() / ALIGNMENT;
    let start = |rank: usize| rows.start + (blocks * rank).div_ceil(n_ranks) * ALIGNMENT;
    start(rank)..start(rank + 1)
}

/// The part of a range that is in another; where there is none, an empty one within the first.
fn common(range: &Range<usize>, other: &Range<usize>) -> Range<usize> {
    let within = |at: usize| at.clamp(range.start, range.end);
    within(other.start)..within(other.end)
}

/// Where rows of so many numbers are in a file.
fn numbers(rows: &Range<usize>, width: usize) -> Range<usize> {
    rows.start * width..rows.end * width
}

/// Where pivots' rows are in the panels.
fn row_panel(pivots: &Range<usize>, rows: &Range<usize>, side: usize) -> Range<usize> {
    numbers(&(rows.start - pivots.start..rows.end - pivots.start), side)
}

/// Where the pivots' columns of rows are there: after the row panel.
fn column_panel(pivots: &Range<usize>, rows: &Range<usize>, side: usize) -> Range<usize> {
    numbers(&(side + rows.start..side + rows.end), pivots.len())
}

impl<E: Element> Team<'_, E> {
    /// The part of some rows that this rank has.
    fn own(&self, rows: &Range<usize>) -> Range<usize> {
        part(rows, self.ranks.rank(), self.ranks.size())
    }

    /// Brings the pivots' rows to the engines of all ranks, each from the rank that `holds` it, where
    /// `read` finds it. `hear` gets them too, with the vertex of the first.
    fn bring<'m>(
        &mut self,
        pivots: &Range<usize>,
        side: usize,
        holds: impl Fn(usize) -> Range<usize>,
        read: impl Fn(Range<usize>) -> &'m [E],
        mut hear: impl FnMut(usize, &[E]),
    ) -> Result<(), ApspError> {
        let Self { engine, pool, ranks } = self;
        let mut take = |first: usize, rows: &[E]| {
            hear(first, rows);
            pool.install(|| engine.take(pivots, first, rows))
        };
        if ranks.size() == 1 {
            return take(pivots.start, read(pivots.clone()));
        }
        let mut rows = vec![E::ZERO; ROWS_SENT * side];
        let mut taken = Ok(());
        for rank in 0..ranks.size() {
            for first in holds(rank).step_by(ROWS_SENT) {
                if rank == ranks.rank() {
                    rows.copy_from_slice(read(first..first + ROWS_SENT));
                }
                ranks.broadcast(rank, &mut rows)?;
                taken = taken.and_then(|()| take(first, &rows));
            }
        }
        agree(*ranks, taken)
    }
}

/// A block of pivots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// Its vertices, a multiple of 128 of them.
    pub(super) pivots: Range<usize>,
    /// Whether its panels are there from a run before.
    pub(super) panels_ready: bool,
}

impl<E: Element> Scratch<E> {
    /// Distances in place of arcs, from wherever the run is. `progress` hears of this rank's rows,
    /// those of all blocks together, and may end the work of all.
    pub(super) fn close(
        &mut self,
        mut team: Team<'_, E>,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError> {
        let Journal { side, blocks_done, .. } = self.journal;
        let n_own = team.own(&(0..side)).len();
        let total = (self.journal.n_blocks() * n_own) as u64;
        let done = AtomicU64::new((blocks_done * n_own) as u64);
        let go_on = |rows: usize| {
            let done = done.fetch_add(rows as u64, Ordering::Relaxed) + rows as u64;
            match progress {
                Some(tell) if tell(done, total).is_break() => Err(SsspError::Interrupted),
                _ => Ok(()),
            }
        };
        while let Some(Block { pivots, panels_ready }) = self.next_block() {
            agree(team.ranks, go_on(0).map_err(ApspError::from))?;
            if !panels_ready {
                self.write_panels(&pivots, &mut team)?;
            }
            self.lower(&pivots, &mut team, &go_on)?;
        }
        Ok(())
    }

    /// The block to be worked on; `None` when the matrix is closed.
    pub(super) fn next_block(&self) -> Option<Block> {
        let Journal { side, block, blocks_done, panels_ready, .. } = self.journal;
        let first = blocks_done * block;
        (first < side).then(|| Block { pivots: first..(first + block).min(side), panels_ready })
    }

    /// Step 1 of a block: its panels.
    pub(super) fn write_panels(
        &mut self,
        pivots: &Range<usize>,
        team: &mut Team<'_, E>,
    ) -> Result<(), ApspError> {
        let Self { matrix, panels, journal, .. } = self;
        let (side, n_ranks) = (journal.side, team.ranks.size());
        let holds = |rank| common(pivots, &part(&(0..side), rank, n_ranks));
        let read = |rows: Range<usize>| matrix.part(numbers(&rows, side));
        team.bring(pivots, side, holds, read, |_, _| ())?;
        let (own, closed) = (team.own(&(0..side)), team.own(pivots));
        let Team { engine, pool, ranks } = team;
        let written = pool.install(|| {
            if !closed.is_empty() {
                let rows = panels.part_mut(row_panel(pivots, &closed, side));
                engine.close(pivots, closed.start, rows)?;
            }
            let columns = panels.part_mut(column_panel(pivots, &own, side));
            let rows = matrix.part(numbers(&own, side)).chunks(side);
            let columns = columns.chunks_mut(pivots.len()).zip(rows);
            parallel::for_each_of(columns, &|(column, row)| {
                column.copy_from_slice(&row[pivots.clone()]);
            });
            Ok(panels.flush()?)
        });
        agree(*ranks, written)?;
        journal.panels_ready = true;
        self.write_journal(*ranks)
    }

    /// Step 2 of a block: the matrix by its panels.
    pub(super) fn lower(
        &mut self,
        pivots: &Range<usize>,
        team: &mut Team<'_, E>,
        go_on: GoOn<'_>,
    ) -> Result<(), ApspError> {
        let Self { matrix, panels, journal, .. } = self;
        let (side, n_ranks) = (journal.side, team.ranks.size());
        let own = team.own(&(0..side));
        let holds = |rank| part(pivots, rank, n_ranks);
        let read = |rows: Range<usize>| panels.part(row_panel(pivots, &rows, side));
        team.bring(pivots, side, holds, read, |first, rows| {
            let here = common(&(first..first + rows.len() / side), &own);
            let rows = &rows[numbers(&(here.start - first..here.end - first), side)];
            matrix.part_mut(numbers(&here, side)).copy_from_slice(rows);
        })?;
        let Team { engine, pool, ranks } = team;
        let closed = common(&own, pivots);
        let lowered = pool.install(|| {
            for rows in [own.start..closed.start, closed.end..own.end] {
                let columns = panels.part(column_panel(pivots, &rows, side));
                let rows = matrix.part_mut(numbers(&rows, side));
                engine.lower(pivots, rows, columns, go_on)?;
            }
            go_on(closed.len())?;
            Ok(matrix.flush()?)
        });
        agree(*ranks, lowered)?;
        journal.blocks_done += 1;
        journal.panels_ready = false;
        self.write_journal(*ranks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_of_one_rank() {
        for n_ranks in 1..=7 {
            for rows in [0..128, 256..640, 128..128 * 12] {
                let mut end = rows.start;
                for rank in 0..n_ranks {
                    let part = part(&rows, rank, n_ranks);
                    assert_eq!((part.start, part.len() % ALIGNMENT), (end, 0));
                    assert!(part.len().abs_diff(rows.len() / n_ranks) <= ALIGNMENT);
                    end = part.end;
                }
                assert_eq!(end, rows.end);
            }
        }
    }
}
