//! The files of a matrix in a folder, and the journal of the run that closes it.

use std::ops::Range;
use std::path::Path;

use collectives::Communicator;
use graph_formats::{Weight, tell};
use sssp::Progress;

use super::ScratchError;
use super::folder::Folder;
use super::journal::{Journal, State};
use super::map::{Mapped, Output};
use super::sums::{Section, Sums};
use crate::ApspError;
use crate::element::{Element, write_row};
use crate::error::agree;
use crate::job::Job;

pub(super) const MATRIX: &str = "matrix.bin";
pub(super) const PANELS: &str = "panels.bin";
/// Rows that are compared with their checksums between two reports of progress.
const ROWS_CHECKED: usize = 512;

/// A matrix in a folder.
#[derive(Debug)]
pub(super) struct Scratch<E> {
    pub(super) folder: Folder,
    pub(super) journal: Journal,
    pub(super) matrix: Mapped<E>,
    pub(super) panels: Mapped<E>,
    pub(super) sums: Sums,
    /// Whether a run before may have lowered rows by the panels of the next block, or parts of them.
    pub(super) may_be_torn: bool,
}

impl<E: Element> Scratch<E> {
    /// The matrix of the run that `journal`, one of the job's graph, tells of, filled with the arcs
    /// by rank 0 if it is not yet.
    pub(super) fn open<W: Weight>(
        folder: Folder,
        mut journal: Journal,
        job: &Job<'_, W>,
    ) -> Result<Self, ApspError> {
        let Journal { n_vertices, side, .. } = journal;
        let bytes = side as u128 * side as u128 * size_of::<E>() as u128;
        if usize::try_from(bytes).is_err() {
            return Err(ApspError::too_large(n_vertices, bytes));
        }
        if journal.matrix == State::Filling {
            let filled = match job.ranks.is_root() {
                true => fill::<W, E>(&folder, &journal, job),
                false => Ok(()),
            };
            agree(job.ranks, filled)?;
            journal.matrix = State::Filled;
        }
        agree(job.ranks, Self::map(folder, journal).map_err(ApspError::from))
    }

    /// The files as they are on the disk.
    pub(super) fn map(folder: Folder, journal: Journal) -> Result<Self, ScratchError> {
        let Journal { side, block, panels_ready, .. } = journal;
        let matrix = Mapped::open(folder.path().join(MATRIX), side * side)?;
        let panels = Mapped::open(folder.path().join(PANELS), 2 * block * side)?;
        let sums = Sums::open(folder.path(), &journal)?;
        Ok(Self { folder, journal, matrix, panels, sums, may_be_torn: panels_ready })
    }

    /// The same with all rows of the matrix, when all ranks are done with theirs.
    pub(super) fn opened_again(self) -> Result<Self, ScratchError> {
        let Self { folder, journal, matrix, panels, sums, .. } = self;
        drop((matrix, panels, sums));
        Self::map(folder, journal)
    }

    /// Row `i` of the matrix, padding included.
    pub(super) fn row(&self, i: usize) -> &[E] {
        self.matrix.rows(i..i + 1, self.journal.side)
    }

    /// An error where a row of the matrix, while no block is at work, is not as it was written.
    pub(super) fn check(&self, progress: Option<Progress<'_>>) -> Result<(), ApspError> {
        let side = self.journal.side;
        for first in (0..side).step_by(ROWS_CHECKED) {
            tell(progress, first as u64, side as u64)?;
            self.check_rows(first..side.min(first + ROWS_CHECKED))?;
        }
        Ok(())
    }

    /// The same of some of its rows.
    pub(super) fn check_rows(&self, rows: Range<usize>) -> Result<(), ScratchError> {
        let Self { journal, matrix, sums, .. } = self;
        sums.check((Section::Matrix, journal.step()), rows, matrix, journal.side)
    }

    /// Has the journal on the disk.
    pub(super) fn write_journal(&self) -> Result<(), ScratchError> {
        self.journal.write(self.folder.path())
    }

    /// The same by rank 0; all go on when it is there.
    pub(super) fn write_journal_once(&self, ranks: &dyn Communicator) -> Result<(), ApspError> {
        let written = if ranks.is_root() { self.write_journal() } else { Ok(()) };
        agree(ranks, written.map_err(ApspError::from))
    }
}

/// Makes the files of a new run: the matrix of the arcs, and room for panels.
fn fill<W: Weight, E: Element>(
    folder: &Folder,
    journal: &Journal,
    job: &Job<'_, W>,
) -> Result<(), ApspError> {
    let (side, path) = (journal.side, folder.path());
    // from here on the folder is of this run, whatever happens
    journal.write(path)?;
    let mut sums = Sums::create(path, journal)?;
    let mut row = vec![E::INFINITE; side];
    let mut out = Output::create(path.join(MATRIX))?;
    for u in 0..side {
        tell(job.progress, u as u64, side as u64)?;
        write_row(job.graph, u, &mut row);
        out.write(&row)?;
        let sum = sums.seed().sum(Section::Matrix, 0, u, &row);
        sums.set(Section::Matrix, u, sum);
    }
    out.sync()?;
    sums.flush()?;
    write_panels::<E>(path, journal)?;
    Ok(Journal { matrix: State::Filled, ..journal.clone() }.write(path)?)
}

/// Makes room for panels, in the folder of this name.
pub(super) fn write_panels<E: Element>(path: &Path, journal: &Journal) -> Result<(), ScratchError> {
    let row = vec![E::INFINITE; journal.side];
    let mut out = Output::create(path.join(PANELS))?;
    (0..2 * journal.block).try_for_each(|_| out.write(&row))?;
    out.sync()
}
