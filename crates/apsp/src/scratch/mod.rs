//! Matrices larger than memory: in a file, and in such a way that a run which is ended at
//! any moment, by a signal, a full disk or a power cut, goes on where it was.
//!
//! A scratch folder holds `matrix.bin`, the square matrix row by row, its side padded to a
//! multiple of 128 vertices; `panels.bin`; the checksums of both, `sums.bin`; and a small `journal`
//! that says what is done. The files are memory-mapped: what is in memory of them is the system's to decide. Blocks
//! of pivots are as wide as memory allows, for the matrix is read and written once for each.
//!
//! For the block K of pivots
//! 1. the row panel, which is D\[K\]\[·\] through all of K, is computed into `panels.bin`,
//!    and the column panel, D\[·\]\[K\], copied there; the matrix is left as it is. The panels
//!    are forced to the disk; then the journal says that they are ready.
//! 2. The row panel is copied into the rows of K. Every entry (i, j) outside them becomes the
//!    least of itself and of the sums of entry (i, k) of the column panel and entry (k, j) of the
//!    row panel, for k in K. The matrix is forced to the disk; then the journal says that K is
//!    done.
//!
//! *Whenever a run ends, the matrix in the end is the same, byte for byte.* The journal is
//! replaced whole, and only when what it speaks of is on the disk. So it is found in one of
//! two states. "K is not ready": the matrix is what step 2 of the block before left, for
//! step 1 does not write into it, and begins again with the same numbers. "K is ready": the
//! panels are whole, and nothing writes into them before K is done. Step 2 begins again,
//! on a matrix in which some entries were changed already and others not, no matter which:
//! the disk may have taken them in any order, but a number of 8 bytes or fewer lies within one of
//! its sectors. Step 2 reads no entry but the one that it writes, beside panels. And for an entry
//! outside the rows of K it begins with x, and each sum s₁, …, sₘ replaces what is
//! there only if it is less. Whatever was kept of it is what is there after some sⱼ, the first
//! of the least of x, s₁, …, sⱼ. Going through all sums again from there, the first j change
//! nothing, and the others what they would have changed: it ends as one pass from x does, for
//! floats too. So nothing but the last block is done twice, and that does no harm.
//!
//! *No changed bit comes into a result.* Each row of each file has a checksum, of the state that
//! it is in (`sums.rs`), on the disk before the journal says so. It is compared when the row is
//! read: by step 1 for the rows of the pivots, by step 2 for all others and for the panels, when
//! the matrix is closed for all, and again when it has been settled, and for the next hops when all
//! are found. In step 2 a row gets its new checksum as soon as it is lowered; after an end of the
//! run in the midst of it, either may be its own. A row that has neither was being lowered:
//! it is lowered again, and then compared with the graph (`half_lowered.rs`). While floats are
//! settled no row has one: then the matrix is not read, for the arcs that settled distances lead
//! along are in `marks.bin` by then, with a checksum too.
//!
//! *Ranks* share the folder, which all of them see. A file that several machines have mapped is
//! the same on all of them only when it is opened anew, so that during a run each rank touches
//! numbers that no other does: its part of the rows of the matrix, of those of the column panel,
//! and of the row panel, whose closing is shared, too. What others need of it is broadcast. Each
//! forces its own numbers to the disk, and when all have, rank 0 writes the journal. The parts
//! are nowhere written down: any number of ranks may go on where another was ended.
//!
//! What differs from the paper: it keeps the matrix in the memory of the host, where a run
//! that ends is lost, and updates panels in place. The columns of the pivots have no step of
//! their own: sums with the closed row panel close them too.
//!
//! Reference: origin-out-of-core, venkataraman-2003

mod close;
mod digest;
mod error;
mod folder;
mod half_lowered;
mod hops;
mod host;
mod journal;
mod map;
mod memory;
#[cfg(test)]
mod resumed;
mod solve;
mod sums;
#[cfg(test)]
mod torn;

use std::ops::Range;
use std::path::Path;

use collectives::Communicator;
use graph_formats::{Csr, Weight, tell};
use sssp::Progress;

use crate::ApspError;
use crate::element::{Element, write_row};
use crate::error::agree;
use folder::Folder;
use journal::{Journal, State};
use sums::{Part, Sums};

pub(crate) use close::{Engine, Watch};
pub(crate) use digest::digest;
pub use error::ScratchError;
pub(crate) use map::Mapped;
pub(crate) use memory::Bytes;
pub use solve::ScratchFolder;
pub(crate) use solve::solve;

/// Sides of matrices and blocks are multiples of this, so that blocks of any engine fit.
pub(crate) const ALIGNMENT: usize = 128;
/// Rows that are compared with their checksums between two reports of progress.
const ROWS_CHECKED: usize = 512;

/// Rows and columns of a matrix for `n` vertices; never none, for no empty file is mapped.
pub(crate) fn side_of(n: usize) -> usize {
    n.max(1).next_multiple_of(ALIGNMENT)
}

/// A matrix in a folder, and the journal of the run that closes it.
#[derive(Debug)]
pub(crate) struct Scratch<E> {
    folder: Folder,
    journal: Journal,
    matrix: Mapped<E>,
    panels: Mapped<E>,
    sums: Sums,
}

impl<E: Element> Scratch<E> {
    /// The matrix of the run that `journal`, one of this graph, tells of, filled with the arcs of
    /// `graph` by rank 0 if it is not yet. `progress` hears of rows filled.
    pub(crate) fn open<W: Weight>(
        folder: Folder,
        mut journal: Journal,
        graph: &Csr<W>,
        ranks: &dyn Communicator,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, ApspError> {
        let n = graph.n_vertices();
        let side = side_of(n);
        let bytes = side as u128 * side as u128 * size_of::<E>() as u128;
        if usize::try_from(bytes).is_err() {
            return Err(ApspError::TooLarge { n_vertices: n, bytes: bytes.into() });
        }
        if journal.matrix == State::Filling {
            let filled = match ranks.is_root() {
                true => fill::<W, E>(&folder, &mut journal, graph, progress),
                false => Ok(()),
            };
            agree(ranks, filled)?;
            journal.matrix = State::Filled;
        }
        agree(ranks, Self::map(folder, journal).map_err(ApspError::from))
    }

    /// The files as they are on the disk.
    fn map(folder: Folder, journal: Journal) -> Result<Self, ScratchError> {
        let Journal { side, block, .. } = journal;
        let matrix = Mapped::open(folder.path().join("matrix.bin"), side * side)?;
        let panels = Mapped::open(folder.path().join("panels.bin"), 2 * block * side)?;
        let sums = Sums::open(folder.path(), &journal)?;
        Ok(Self { folder, journal, matrix, panels, sums })
    }

    /// The same with all rows of the matrix, when all ranks are done with theirs.
    fn opened_again(self) -> Result<Self, ScratchError> {
        let Self { folder, journal, matrix, panels, sums } = self;
        drop((matrix, panels, sums));
        Self::map(folder, journal)
    }

    /// Row `i` of the matrix, padding included.
    pub(crate) fn row(&self, i: usize) -> &[E] {
        let side = self.journal.side;
        self.matrix.part(i * side..(i + 1) * side)
    }

    /// The same row, to be changed when the matrix is closed.
    fn row_mut(&mut self, i: usize) -> &mut [E] {
        let side = self.journal.side;
        self.matrix.part_mut(i * side..(i + 1) * side)
    }

    /// An error where a row of the matrix, while no block is at work, is not as it was written.
    /// `progress` hears of rows.
    fn check_matrix(&self, progress: Option<Progress<'_>>) -> Result<(), ApspError> {
        let side = self.journal.side;
        for first in (0..side).step_by(ROWS_CHECKED) {
            tell(progress, first as u64, side as u64)?;
            self.check_rows(first..side.min(first + ROWS_CHECKED))?;
        }
        Ok(())
    }

    /// The same of some of its rows.
    fn check_rows(&self, rows: Range<usize>) -> Result<(), ScratchError> {
        let of = (Part::Matrix, self.journal.step());
        let damaged = self.sums.first_damaged(of, rows, &|row| self.row(row));
        damaged.map_or(Ok(()), |row| Err(ScratchError::of_row(self.matrix.path(), row)))
    }

    /// What the matrix holds from here on.
    fn set_state(&mut self, state: State) -> Result<(), ScratchError> {
        self.journal.matrix = state;
        self.journal.write(self.folder.path())
    }

    /// So many rows of next hops are on the disk, as they stay.
    fn hop_rows_done(&mut self, n_rows: usize) -> Result<(), ScratchError> {
        self.journal.hop_rows = n_rows;
        self.journal.write(self.folder.path())
    }

    /// Writes the journal, by rank 0; all go on when it is on the disk.
    fn write_journal(&self, ranks: &dyn Communicator) -> Result<(), ApspError> {
        let written = match ranks.is_root() {
            true => self.journal.write(self.folder.path()),
            false => Ok(()),
        };
        agree(ranks, written.map_err(ApspError::from))
    }
}

/// Makes the files of a new run: the matrix of the arcs, and room for panels.
fn fill<W: Weight, E: Element>(
    folder: &Folder,
    journal: &mut Journal,
    graph: &Csr<W>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    // from here on these files are ours, whatever happens
    journal.write(folder.path())?;
    let mut sums = Sums::create(folder.path(), journal)?;
    write_arcs::<W, E>(&folder.path().join("matrix.bin"), graph, &mut sums, progress)?;
    sums.flush()?;
    map::create(&folder.path().join("panels.bin"), |out| {
        let row = vec![E::INFINITE; journal.side];
        (0..2 * journal.block).try_for_each(|_| map::write(out, &row))
    })?;
    journal.matrix = State::Filled;
    Ok(journal.write(folder.path())?)
}

/// Writes the arcs as a matrix, of parallel ones the shortest.
fn write_arcs<W: Weight, E: Element>(
    path: &Path,
    graph: &Csr<W>,
    sums: &mut Sums,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    let side = side_of(graph.n_vertices());
    let mut row = vec![E::INFINITE; side];
    let mut told = Ok(());
    map::create(path, |out| {
        for u in 0..side {
            told = tell(progress, u as u64, side as u64);
            if told.is_err() {
                break;
            }
            write_row(graph, u, &mut row);
            map::write(out, &row)?;
            sums.set(Part::Matrix, u, sums.seed().sum(Part::Matrix, 0, u, &row));
        }
        Ok(())
    })?;
    Ok(told?)
}
