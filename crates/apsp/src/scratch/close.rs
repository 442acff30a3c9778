//! The loop over blocks of pivots, by all ranks, whoever does the arithmetic.
//!
//! Each rank has a part of the rows of the matrix, and closes a part of the rows of the pivots; it
//! gets all of these rows from those that have them, before they are closed and after. O(n³ / p)
//! on each of p ranks, to which 2 n² numbers are sent. While a rank has rows of pivots, it has so
//! much less to lower, so that the others wait for no more than a block.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use collectives::Communicator;
use graph_formats::{Csr, Distance, Interrupted, Weight, parallel, tell};
use pivots::Blocks;
use rayon::ThreadPool;
use sssp::Progress;

use super::half_lowered::is_right;
use super::journal::Journal;
use super::sums::{Part, Seed, Sums};
use super::{ALIGNMENT, Scratch, ScratchError};
use crate::ApspError;
use crate::element::Element;
use crate::error::agree;

/// Rows that are sent at one time; 128 are a multiple of them.
pub(super) const ROWS_SENT: usize = 16;

/// Hears of so many rows more that were lowered, and may end the work.
pub(super) type GoOn<'a> = &'a (dyn Fn(usize) -> Result<(), Interrupted> + Sync);

/// Who looks at each row that an engine lowers. Rows count from the first that the engine was given.
pub(crate) trait Watch<E>: Sync {
    /// Looks at a row, and its columns of the pivots, before it is lowered.
    fn before(&self, row: usize, numbers: &[E], columns: &[E]) -> Result<(), ApspError>;

    /// Looks at a row when it has been lowered, and lies where it is to stay.
    fn after(&self, row: usize, numbers: &[E]);

    /// Hears of so many rows more that were lowered, and may end the work.
    fn go_on(&self, n_rows: usize) -> Result<(), ApspError>;
}

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
    /// pivots are given as they were, a row for each. `watch` sees each row before and after.
    fn lower(
        &mut self,
        pivots: &Range<usize>,
        rows: &mut [E],
        columns: &[E],
        watch: &dyn Watch<E>,
    ) -> Result<(), ApspError>;
}

/// A rank, with its engine and the threads for that, among those that do the same meanwhile.
pub(crate) struct Team<'a, E> {
    pub(super) engine: &'a mut dyn Engine<E>,
    pub(super) pool: &'a ThreadPool,
    pub(super) ranks: &'a dyn Communicator,
}

/// The part of some rows that a rank has, of so many: a block of a multiple of 128 rows, which take
/// a multiple of 32 KiB, so that no two ranks touch one page of a file.
fn part(rows: &Range<usize>, rank: usize, n_ranks: usize) -> Range<usize> {
    let own = Blocks::one_each(rows.len(), ALIGNMENT, n_ranks).rows(rank);
    rows.start + own.start..rows.start + own.end
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
    pub(super) fn close<W: Weight>(
        &mut self,
        graph: &Csr<W>,
        mut team: Team<'_, E>,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError> {
        let Journal { side, blocks_done, .. } = self.journal;
        let n_own = team.own(&(0..side)).len();
        let total = (self.journal.n_blocks() * n_own) as u64;
        let done = AtomicU64::new((blocks_done * n_own) as u64);
        let go_on = |rows: usize| {
            let done = done.fetch_add(rows as u64, Ordering::Relaxed) + rows as u64;
            tell(progress, done, total)
        };
        while let Some(block) = self.next_block() {
            agree(team.ranks, go_on(0).map_err(ApspError::from))?;
            if !block.panels_ready {
                self.write_panels(&block.pivots, &mut team)?;
            }
            self.lower(graph, &block, &mut team, &go_on)?;
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
        let (side, step) = (self.journal.side, self.journal.blocks_done);
        let (rank, n_ranks) = (team.ranks.rank(), team.ranks.size());
        let holds = |rank| common(pivots, &part(&(0..side), rank, n_ranks));
        let held = holds(rank);
        let intact = team.pool.install(|| self.check_rows(held));
        agree(team.ranks, intact.map_err(ApspError::from))?;
        let Self { matrix, panels, sums, journal, .. } = self;
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
            let closed = closed.start - pivots.start..closed.end - pivots.start;
            let row = |row: usize| panels.part(numbers(&(row..row + 1), side));
            sums.take((Part::Pivots, step), closed, &row);
            let columns = |row: usize| panels.part(column_panel(pivots, &(row..row + 1), side));
            sums.take((Part::Columns, step), own, &columns);
            panels.flush()?;
            Ok(sums.flush()?)
        });
        agree(*ranks, written)?;
        journal.panels_ready = true;
        self.write_journal(*ranks)
    }

    /// Step 2 of a block: the matrix by its panels.
    pub(super) fn lower<W: Weight>(
        &mut self,
        graph: &Csr<W>,
        block: &Block,
        team: &mut Team<'_, E>,
        go_on: GoOn<'_>,
    ) -> Result<(), ApspError> {
        let Self { matrix, panels, sums, journal, .. } = self;
        let pivots = &block.pivots;
        let (side, step, n_ranks) = (journal.side, journal.blocks_done, team.ranks.size());
        let own = team.own(&(0..side));
        let holds = |rank| part(pivots, rank, n_ranks);
        let read = |rows: Range<usize>| panels.part(row_panel(pivots, &rows, side));
        let held = holds(team.ranks.rank());
        let intact = team.pool.install(|| {
            let held = held.start - pivots.start..held.end - pivots.start;
            let row = |row: usize| panels.part(numbers(&(row..row + 1), side));
            let damaged = sums.first_damaged((Part::Pivots, step), held, &row);
            damaged.map_or(Ok(()), |row| Err(ScratchError::of_row(panels.path(), row).into()))
        });
        agree(team.ranks, intact)?;
        team.bring(pivots, side, holds, read, |first, rows| {
            let here = common(&(first..first + rows.len() / side), &own);
            let rows = &rows[numbers(&(here.start - first..here.end - first), side)];
            matrix.part_mut(numbers(&here, side)).copy_from_slice(rows);
        })?;
        let Team { engine, pool, ranks } = team;
        let closed = common(&own, pivots);
        let lowered = pool.install(|| {
            let row = |row: usize| matrix.part(numbers(&(row..row + 1), side));
            sums.take((Part::Matrix, step + 1), closed.clone(), &row);
            let mut halves = Vec::new();
            for rows in [own.start..closed.start, closed.end..own.end] {
                let files = [matrix.path().to_owned(), panels.path().to_owned()];
                let watch = Checked {
                    first: rows.start,
                    step,
                    is_resumed: block.panels_ready,
                    files,
                    seed: sums.seed(),
                    sums: Mutex::new(&mut *sums),
                    halves: Mutex::default(),
                    go_on,
                };
                let columns = panels.part(column_panel(pivots, &rows, side));
                engine.lower(pivots, matrix.part_mut(numbers(&rows, side)), columns, &watch)?;
                halves.extend(watch.halves.into_inner().unwrap_or_else(PoisonError::into_inner));
            }
            let row = |row: usize| matrix.part(numbers(&(row..row + 1), side));
            let halves = parallel::try_map_of(halves, &|half| {
                go_on(0)?;
                match is_right(graph, half, pivots.end, row(half)) {
                    true => Ok::<_, ApspError>(half),
                    false => Err(ScratchError::of_row(matrix.path(), half).into()),
                }
            })?;
            for half in halves {
                let numbers = matrix.part_mut(numbers(&(half..half + 1), side));
                // what stands for no path may be any of several numbers, and was not compared
                let is_none = |number: &E| number.decode::<W::Distance>() == W::Distance::UNREACHED;
                numbers.iter_mut().filter(|number| is_none(number)).for_each(|n| *n = E::INFINITE);
                sums.set(
                    Part::Matrix,
                    half,
                    sums.seed().sum(Part::Matrix, step + 1, half, numbers),
                );
            }
            go_on(closed.len())?;
            matrix.flush()?;
            Ok(sums.flush()?)
        });
        agree(*ranks, lowered)?;
        journal.blocks_done += 1;
        journal.panels_ready = false;
        self.write_journal(*ranks)
    }
}

/// Compares rows with their checksums before they are lowered, and gives them new ones after that.
struct Checked<'a> {
    /// The vertex of the first row.
    first: usize,
    /// Blocks that were done before.
    step: usize,
    /// Whether a run before has lowered some of the rows, or parts of them.
    is_resumed: bool,
    /// The matrix and the panels.
    files: [PathBuf; 2],
    seed: Seed,
    sums: Mutex<&'a mut Sums>,
    /// Vertices whose rows a run before has left half lowered.
    halves: Mutex<BTreeSet<usize>>,
    go_on: GoOn<'a>,
}

impl<E: Element> Watch<E> for Checked<'_> {
    fn before(&self, row: usize, numbers: &[E], columns: &[E]) -> Result<(), ApspError> {
        let Self { step, seed, files: [matrix, panels], .. } = self;
        let (row, step) = (self.first + row, *step);
        let sums = lock(&self.sums);
        let (sum, of_columns) = (sums.get(Part::Matrix, row), sums.get(Part::Columns, row));
        drop(sums);
        if seed.sum(Part::Columns, step, row, columns) != of_columns {
            return Err(ScratchError::of_row(panels, row).into());
        }
        let is_after = |step| seed.sum(Part::Matrix, step, row, numbers) == sum;
        if is_after(step) {
            return Ok(());
        }
        if !self.is_resumed {
            return Err(ScratchError::of_row(matrix, row).into());
        }
        if !is_after(step + 1) {
            lock(&self.halves).insert(row);
        }
        Ok(())
    }

    fn after(&self, row: usize, numbers: &[E]) {
        let row = self.first + row;
        if self.is_resumed && lock(&self.halves).contains(&row) {
            return;
        }
        let sum = self.seed.sum(Part::Matrix, self.step + 1, row, numbers);
        lock(&self.sums).set(Part::Matrix, row, sum);
    }

    fn go_on(&self, n_rows: usize) -> Result<(), ApspError> {
        Ok((self.go_on)(n_rows)?)
    }
}

/// What a thread has left, even one that has panicked: the run ends then.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
