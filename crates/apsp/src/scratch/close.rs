//! The loop over blocks of pivots, by all ranks, whatever does the arithmetic.
//!
//! Each rank has a part of the rows of the matrix, and closes a part of the rows of the pivots. It
//! gets all of these rows from the ranks that have them, before they are closed and after. O(n³ /
//! p) on each of p ranks, to which 2 n² numbers are sent. While a rank has rows of pivots, it has
//! so much less to lower, so that the others wait for no more than a block.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use collectives::Communicator;
use graph_formats::{Distance, Weight, parallel, tell};
use pivots::Blocks;
use rayon::ThreadPool;

use super::ScratchError;
use super::engine::{Engine, RowChecks};
use super::half_lowered::is_right;
use super::journal::{ALIGNMENT, Journal};
use super::matrix::Scratch;
use super::sums::Section;
use crate::ApspError;
use crate::element::Element;
use crate::error::agree;
use crate::job::Job;

/// Rows that are sent at one time; 128 are a multiple of them.
pub(super) const ROWS_SENT: usize = 16;

/// A rank, with its engine and the threads for that, among those that do the same meanwhile.
pub(super) struct Rank<'a, W: Weight, E> {
    pub(super) job: &'a Job<'a, W>,
    pub(super) engine: &'a mut dyn Engine<E>,
    pub(super) pool: &'a ThreadPool,
}

/// The part that one of `n_ranks` ranks has of some rows. It is a block of a multiple of 128 rows,
/// which take a multiple of 32 KiB, so that no two ranks touch one page of a file.
fn part(rows: &Range<usize>, rank: usize, n_ranks: usize) -> Range<usize> {
    let own = Blocks::one_each(rows.len(), ALIGNMENT, n_ranks).rows(rank);
    rows.start + own.start..rows.start + own.end
}

/// The part of a range that is in another; where there is none, an empty one within the first.
fn common(range: &Range<usize>, other: &Range<usize>) -> Range<usize> {
    let within = |at: usize| at.clamp(range.start, range.end);
    within(other.start)..within(other.end)
}

/// Where rows are among those from `first` on: those of pivots in the row panel.
fn places(rows: &Range<usize>, first: usize) -> Range<usize> {
    rows.start - first..rows.end - first
}

/// Where the pivots' columns of rows are among rows as long in the panels: the row panel before them
/// is as large as `side` of these.
fn column_panel(rows: &Range<usize>, side: usize) -> Range<usize> {
    side + rows.start..side + rows.end
}

/// Broadcasts the pivots' rows, each from the rank that `holds` it, where `read` finds it. On all
/// ranks `load` gets them, with the vertex of the first.
fn broadcast_pivots<'m, E: Element>(
    ranks: &dyn Communicator,
    pivots: &Range<usize>,
    side: usize,
    holds: impl Fn(usize) -> Range<usize>,
    read: impl Fn(Range<usize>) -> &'m [E],
    mut load: impl FnMut(usize, &[E]) -> Result<(), ApspError>,
) -> Result<(), ApspError> {
    if ranks.size() == 1 {
        return load(pivots.start, read(pivots.clone()));
    }
    let mut rows = vec![E::ZERO; ROWS_SENT * side];
    let mut loaded = Ok(());
    for rank in 0..ranks.size() {
        for first in holds(rank).step_by(ROWS_SENT) {
            if rank == ranks.rank() {
                rows.copy_from_slice(read(first..first + ROWS_SENT));
            }
            ranks.broadcast(rank, &mut rows)?;
            loaded = loaded.and_then(|()| load(first, &rows));
        }
    }
    agree(ranks, loaded)
}

impl<E: Element> Scratch<E> {
    /// Distances in place of arcs, from wherever the run is. Progress is of this rank's rows, those
    /// of all blocks together, and may end the work of all.
    pub(super) fn close<W: Weight>(&mut self, mut rank: Rank<'_, W, E>) -> Result<(), ApspError> {
        let Job { ranks, progress, .. } = *rank.job;
        while let Some(pivots) = self.journal.pivots() {
            let (n_done, n_rows) = self.progress(ranks);
            agree(ranks, tell(progress, n_done, n_rows).map_err(ApspError::from))?;
            if !self.journal.panels_ready {
                self.write_panels(&pivots, &mut rank)?;
            }
            self.lower(&pivots, &mut rank)?;
        }
        Ok(())
    }

    /// How many rows this rank has lowered, one for each block, and how many it has to.
    fn progress(&self, ranks: &dyn Communicator) -> (u64, u64) {
        let Journal { side, blocks_done, .. } = self.journal;
        let n_own = part(&(0..side), ranks.rank(), ranks.size()).len();
        ((blocks_done * n_own) as u64, (self.journal.n_blocks() * n_own) as u64)
    }

    /// Step 1 of a block: its panels.
    pub(super) fn write_panels<W: Weight>(
        &mut self,
        pivots: &Range<usize>,
        rank: &mut Rank<'_, W, E>,
    ) -> Result<(), ApspError> {
        let Rank { job, engine, pool } = rank;
        let ranks = job.ranks;
        let Journal { side, blocks_done: step, .. } = self.journal;
        let (number, n_ranks, width) = (ranks.rank(), ranks.size(), pivots.len());
        let holds = |rank| common(pivots, &part(&(0..side), rank, n_ranks));
        let intact = parallel::install(pool, || self.check_rows(holds(number)));
        agree(ranks, intact.map_err(ApspError::from))?;
        let Self { matrix, panels, sums, .. } = self;
        let read = |rows| matrix.rows(rows, side);
        broadcast_pivots(ranks, pivots, side, holds, read, |first, rows| {
            parallel::install(pool, || engine.load_pivots(pivots, first, rows))
        })?;
        let own = part(&(0..side), number, n_ranks);
        let closed = part(pivots, number, n_ranks);
        let written = parallel::install(pool, || {
            let (row_panel, column_panel) =
                (places(&closed, pivots.start), column_panel(&own, side));
            if !closed.is_empty() {
                let rows = panels.rows_mut(row_panel.clone(), side);
                engine.close_pivots(pivots, closed.start, rows)?;
            }
            let columns = panels.rows_mut(column_panel.clone(), width).chunks_mut(width);
            let rows = matrix.rows(own.clone(), side).chunks(side);
            parallel::for_each_of(columns.zip(rows), &|(column, row)| {
                column.copy_from_slice(&row[pivots.clone()]);
            });
            let rows = panels.rows(row_panel.clone(), side);
            sums.record((Section::Pivots, step), row_panel, rows);
            sums.record((Section::Columns, step), own, panels.rows(column_panel, width));
            panels.flush()?;
            Ok(sums.flush()?)
        });
        agree(ranks, written)?;
        self.journal.panels_ready = true;
        self.write_journal_once(ranks)
    }

    /// Step 2 of a block: the matrix by its panels.
    pub(super) fn lower<W: Weight>(
        &mut self,
        pivots: &Range<usize>,
        rank: &mut Rank<'_, W, E>,
    ) -> Result<(), ApspError> {
        let Rank { job, engine, pool } = rank;
        let Job { ranks, graph, progress, .. } = **job;
        let Journal { side, blocks_done: step, .. } = self.journal;
        let (number, n_ranks) = (ranks.rank(), ranks.size());
        let (n_done, n_rows) = self.progress(ranks);
        let Self { folder, matrix, panels, sums, may_be_torn, .. } = self;
        let own = part(&(0..side), number, n_ranks);
        let holds = |rank| part(pivots, rank, n_ranks);
        let held = places(&holds(number), pivots.start);
        let intact =
            parallel::install(pool, || sums.check((Section::Pivots, step), held, panels, side));
        agree(ranks, intact.map_err(ApspError::from))?;
        let read = |rows| panels.rows(places(&rows, pivots.start), side);
        broadcast_pivots(ranks, pivots, side, holds, read, |first, rows| {
            let here = common(&(first..first + rows.len() / side), &own);
            let from = places(&here, first);
            let to = matrix.rows_mut(here, side);
            to.copy_from_slice(&rows[from.start * side..from.end * side]);
            parallel::install(pool, || engine.load_pivots(pivots, first, rows))
        })?;
        let closed = common(&own, pivots);
        let lowered = parallel::install(pool, || {
            let rows = matrix.rows(closed.clone(), side);
            sums.record((Section::Matrix, step + 1), closed.clone(), rows);
            let checks = RowChecks {
                folder: folder.path(),
                step,
                may_be_torn: *may_be_torn,
                sums: Mutex::new(&mut *sums),
                half_lowered: Mutex::default(),
                progress,
                n_done: AtomicU64::new(n_done),
                n_rows,
            };
            for rows in [own.start..closed.start, closed.end..own.end] {
                let columns = panels.rows(column_panel(&rows, side), pivots.len());
                let first = rows.start;
                engine.lower(pivots, first, matrix.rows_mut(rows, side), columns, &checks)?;
            }
            let half_lowered = checks.take_half_lowered();
            let lowered_again = parallel::try_map_of(half_lowered, &|row| {
                checks.advance(0)?;
                match is_right(graph, row, pivots.end, matrix.rows(row..row + 1, side)) {
                    true => Ok::<_, ApspError>(row),
                    false => Err(ScratchError::of_row(matrix.path(), row).into()),
                }
            })?;
            for row in lowered_again {
                let numbers = matrix.rows_mut(row..row + 1, side);
                // what stands for no path may be any of several numbers, and was not compared
                let is_none = |number: &E| number.decode::<W::Distance>() == W::Distance::UNREACHED;
                numbers.iter_mut().filter(|number| is_none(number)).for_each(|n| *n = E::INFINITE);
                checks.after(row, numbers);
            }
            checks.advance(closed.len())?;
            matrix.flush()?;
            Ok(sums.flush()?)
        });
        agree(ranks, lowered)?;
        *may_be_torn = false;
        self.journal.blocks_done += 1;
        self.journal.panels_ready = false;
        self.write_journal_once(ranks)
    }
}
