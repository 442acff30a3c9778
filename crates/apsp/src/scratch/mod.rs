//! Matrices larger than memory: in a file, and in such a way that a run which is ended at
//! any moment, by a signal, a full disk or a power cut, goes on where it was.
//!
//! A scratch folder holds `matrix.bin`, the square matrix row by row, its side padded to a
//! multiple of 128 vertices; `panels.bin`; and a small `journal` that says what is done. The
//! two files are memory-mapped: what is in memory of them is the system's to decide. Blocks
//! of pivots are as wide as memory allows, for the matrix is read and written once for each.
//!
//! For the block K of pivots
//! 1. the row panel, which is D\[K\]\[·\] through all of K, is computed into `panels.bin`,
//!    and the column panel, D\[·\]\[K\], copied there; the matrix is left as it is. The panels
//!    are forced to the disk; then the journal says that they are ready.
//! 2. Every entry (i, j) outside the rows of K becomes the least of itself and of the sums
//!    of entry (i, k) of the column panel and entry (k, j) of the row panel, for k in K.
//! 3. The row panel is copied into the rows of K. The matrix is forced to the disk; then the
//!    journal says that K is done.
//!
//! *Whenever a run ends, the matrix in the end is the same, byte for byte.* The journal is
//! replaced whole, and only when what it speaks of is on the disk. So it is found in one of
//! two states. "K is not ready": the matrix is what step 3 of the block before left, for
//! step 1 does not write into it, and begins again with the same numbers. "K is ready": the
//! panels are whole, and nothing writes into them before K is done. Steps 2 and 3 begin again,
//! on a matrix in which some entries were changed already and others not, no matter which:
//! the disk may have taken them in any order, but a number of 8 bytes or fewer lies within one of
//! its sectors. Step 2 reads no entry but the one that it writes, beside panels, and step 3
//! none. And for the entry, step 2 begins with x, and each sum s₁, …, sₘ replaces what is
//! there only if it is less. Whatever was kept of it is what is there after some sⱼ, the first
//! of the least of x, s₁, …, sⱼ. Going through all sums again from there, the first j change
//! nothing, and the others what they would have changed: it ends as one pass from x does, for
//! floats too. So nothing but the last block is done twice, and that does no harm.
//!
//! What differs from the paper: it keeps the matrix in the memory of the host, where a run
//! that ends is lost, and updates panels in place. The columns of the pivots have no step of
//! their own: sums with the closed row panel close them too.
//!
//! Reference: origin-out-of-core, venkataraman-2003

mod digest;
mod error;
mod folder;
mod hops;
mod host;
mod journal;
mod map;
mod memory;
#[cfg(test)]
mod resumed;
mod solve;
#[cfg(test)]
mod torn;

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering};

use graph_formats::{Csr, Weight};
use sssp::{Progress, SsspError};

use crate::ApspError;
use crate::element::{Element, write_row};
use folder::Folder;
use journal::{Journal, State};

pub use error::ScratchError;
pub(crate) use map::Mapped;
pub(crate) use memory::Bytes;
pub use solve::ScratchFolder;
pub(crate) use solve::solve;

/// Sides of matrices and blocks are multiples of this, so that blocks of any engine fit.
pub(crate) const ALIGNMENT: usize = 128;

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
}

/// A block of pivots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Its vertices, a multiple of 128 of them.
    pub(crate) pivots: Range<usize>,
    /// Whether its panels are there from a run before.
    pub(crate) panels_ready: bool,
}

/// What an engine works on.
pub(crate) struct Parts<'a, E> {
    /// The matrix, row by row.
    pub(crate) matrix: &'a mut [E],
    /// The rows of the pivots, through all pivots: each as long as those of the matrix.
    pub(crate) row_panel: &'a mut [E],
    /// The columns of the pivots as they were: a row for each of the matrix, as long as there
    /// are pivots.
    pub(crate) column_panel: &'a mut [E],
}

/// Hears of so many rows more that were lowered, and may end the work.
pub(crate) type GoOn<'a> = &'a (dyn Fn(usize) -> Result<(), SsspError> + Sync);

/// Who does the arithmetic: the processor or GPUs.
pub(crate) trait Engine<E> {
    /// Step 1 of a block: its panels from the matrix, which stays as it is.
    fn write_panels(&mut self, parts: Parts<'_, E>, block: &Block) -> Result<(), ApspError>;

    /// Step 2 of a block, whose panels may be of a run before: lowers the entries of all other
    /// rows.
    fn lower(
        &mut self,
        parts: Parts<'_, E>,
        block: &Block,
        go_on: GoOn<'_>,
    ) -> Result<(), ApspError>;
}

impl<E: Element> Scratch<E> {
    /// Distances in place of arcs, from wherever the run is. `progress` hears of rows, those of
    /// all blocks together.
    pub(crate) fn close(
        &mut self,
        engine: &mut dyn Engine<E>,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError> {
        let Journal { side, blocks_done, .. } = self.journal;
        let total = (self.journal.n_blocks() * side) as u64;
        let done = AtomicU64::new((blocks_done * side) as u64);
        let go_on = |rows: usize| {
            let done = done.fetch_add(rows as u64, Ordering::Relaxed) + rows as u64;
            match progress {
                Some(tell) if tell(done, total).is_break() => Err(SsspError::Interrupted),
                _ => Ok(()),
            }
        };
        while let Some(block) = self.next_block() {
            go_on(0)?;
            if !block.panels_ready {
                engine.write_panels(self.parts_mut(&block), &block)?;
                self.panels_ready()?;
            }
            engine.lower(self.parts_mut(&block), &block, &go_on)?;
            self.block_done(&block)?;
            go_on(block.pivots.len())?;
        }
        Ok(())
    }

    /// The matrix of the run that `journal`, one of this graph, tells of, filled with the arcs of `graph` if it
    /// is not yet. `progress` hears of rows filled.
    pub(crate) fn open<W: Weight>(
        folder: Folder,
        mut journal: Journal,
        graph: &Csr<W>,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, ApspError> {
        let n = graph.n_vertices();
        let side = side_of(n);
        let bytes = side as u128 * side as u128 * size_of::<E>() as u128;
        let len = side.checked_mul(side).filter(|_| usize::try_from(bytes).is_ok());
        let len = len.ok_or(ApspError::TooLarge { n_vertices: n, bytes })?;
        let panels_len = 2 * journal.block * side;
        let matrix = folder.path().join("matrix.bin");
        let panels = folder.path().join("panels.bin");
        if journal.matrix == State::Filling {
            // from here on these files are ours, whatever happens
            journal.write(folder.path())?;
            fill::<W, E>(&matrix, graph, progress)?;
            map::create(&panels, |out| {
                let row = vec![E::INFINITE; side];
                (0..2 * journal.block).try_for_each(|_| map::write(out, &row))
            })?;
            journal.matrix = State::Filled;
            journal.write(folder.path())?;
        }
        let matrix = Mapped::open(matrix, len)?;
        let panels = Mapped::open(panels, panels_len)?;
        Ok(Self { folder, journal, matrix, panels })
    }

    /// The block to be worked on; `None` when the matrix is closed.
    fn next_block(&self) -> Option<Block> {
        let Journal { side, block, blocks_done, panels_ready, .. } = self.journal;
        let first = blocks_done * block;
        (first < side).then(|| Block { pivots: first..(first + block).min(side), panels_ready })
    }

    /// All there is, for work on `block`.
    fn parts_mut(&mut self, block: &Block) -> Parts<'_, E> {
        let len = block.pivots.len() * self.journal.side;
        let (row_panel, column_panel) = self.panels.numbers_mut()[..2 * len].split_at_mut(len);
        Parts { matrix: self.matrix.numbers_mut(), row_panel, column_panel }
    }

    /// Row `i` of the matrix, padding included.
    pub(crate) fn row(&self, i: usize) -> &[E] {
        &self.matrix.numbers()[i * self.journal.side..][..self.journal.side]
    }

    /// The same row, to be changed when the matrix is closed.
    fn row_mut(&mut self, i: usize) -> &mut [E] {
        let side = self.journal.side;
        &mut self.matrix.numbers_mut()[i * side..][..side]
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

    /// The panels of the next block are written; from here on they are read only.
    fn panels_ready(&mut self) -> Result<(), ScratchError> {
        self.panels.flush()?;
        self.journal.panels_ready = true;
        self.journal.write(self.folder.path())
    }

    /// All entries outside the rows of `block` are lowered: puts the row panel in its place.
    fn block_done(&mut self, block: &Block) -> Result<(), ScratchError> {
        let side = self.journal.side;
        let Parts { matrix, row_panel, .. } = self.parts_mut(block);
        matrix[block.pivots.start * side..block.pivots.end * side].copy_from_slice(row_panel);
        self.matrix.flush()?;
        self.journal.blocks_done += 1;
        self.journal.panels_ready = false;
        self.journal.write(self.folder.path())
    }
}

/// Writes the arcs as a matrix, of parallel ones the shortest.
fn fill<W: Weight, E: Element>(
    path: &std::path::Path,
    graph: &Csr<W>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    let side = side_of(graph.n_vertices());
    let mut row = vec![E::INFINITE; side];
    let mut stopped = ControlFlow::Continue(());
    map::create(path, |out| {
        for u in 0..side {
            stopped = progress.map_or(stopped, |tell| tell(u as u64, side as u64));
            if stopped.is_break() {
                break;
            }
            write_row(graph, u, &mut row);
            map::write(out, &row)?;
        }
        Ok(())
    })?;
    if stopped.is_break() { Err(SsspError::Interrupted.into()) } else { Ok(()) }
}
