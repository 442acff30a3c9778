//! Matrices larger than memory, in a file. A run that is ended at any moment, by a signal, a full
//! disk or a power cut, goes on where it was.
//!
//! A scratch folder holds `matrix.bin`, the square matrix row by row, its side padded to a
//! multiple of 128 vertices; `panels.bin`; the checksums of both, `sums.bin`; and a small `journal`
//! that says what is done. The files are memory-mapped, so that the system decides what of them is
//! in memory. Blocks of pivots are as wide as memory allows, for the matrix is read and written once
//! for each.
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
//! *Whenever a run ends, the matrix in the end is the same, byte for byte.* The journal is replaced
//! whole, and only when what it speaks of is on the disk. So it is found in one of two states. "K
//! is not ready": the matrix is what step 2 of the block before left, for step 1 does not write
//! into it, and begins again with the same numbers. "K is ready": the panels are whole, and nothing
//! writes into them before K is done. Step 2 begins again, on a matrix in which some entries were
//! changed already and others not, no matter which. The disk may have taken them in any order, but
//! a number of 8 bytes or fewer lies within one of its sectors. Step 2 reads no entry but the one
//! that it writes, beside panels. And for an entry outside the rows of K it begins with x, and each
//! sum s₁, …, sₘ replaces what is there only if it is less. Whatever was kept of it is what is
//! there after some sⱼ, the first of the least of x, s₁, …, sⱼ. Going through all sums again from
//! there, the first j change nothing, and the others what they would have changed: it ends as one
//! pass from x does, for floats too. So nothing but the last block is done twice, and that does no
//! harm.
//!
//! *No changed bit comes into a result.* Each row of each file has a checksum, of the state that
//! it is in (`sums.rs`), on the disk before the journal says so. It is compared when the row is
//! read:
//! * rows of the pivots by step 1 (`close.rs`);
//! * the row panel by step 2, and all other rows, with their columns of the pivots, before they are
//!   lowered (`engine.rs`);
//! * all rows of the matrix when it is closed (`solve.rs`), and again when it has been settled, and
//!   next hops when all are found (`hops.rs`).
//!
//! In step 2 a row gets its new checksum as soon as it is lowered. Where a run ended in the midst
//! of that, a row may fit its checksum as it was before the step, or as it is after it. One that
//! fits neither was being lowered: it is lowered again, and then compared with the graph
//! (`half_lowered.rs`). While floats are settled no row has a checksum: then the matrix is not
//! read, for the arcs that settled distances lead along are in `marks.bin` by then, with a checksum
//! too.
//!
//! *Ranks* share the folder, which all of them see. A file that several machines have mapped is the
//! same on all of them only when it is opened anew. So during a run each rank touches numbers that
//! no other does. These are its parts of the rows of the matrix, of those of the column panel, and
//! of the row panel, whose closing is shared, too. What others need of it is broadcast. Each forces
//! its own numbers to the disk, and when all have, rank 0 writes the journal. No file says which
//! rank had what: any number of ranks may go on where another was ended.
//!
//! *Changes of the graph* are followed when the matrix is closed, in one pass over its rows
//! (`update.rs`). They are written into a second matrix, which takes the place of the first as a whole
//! (`next.rs`).
//!
//! What differs from the paper: it keeps the matrix in the memory of the host, where a run
//! that ends is lost, and updates panels in place. The columns of the pivots have no step of
//! their own: sums with the closed row panel close them too.
//!
//! Reference: origin-out-of-core, venkataraman-2003

mod close;
mod cpu;
mod digest;
mod engine;
mod error;
mod folder;
mod half_lowered;
mod hops;
mod journal;
mod map;
mod matrix;
mod memory;
mod next;
mod solve;
mod sums;
#[cfg(test)]
mod tests;
mod update;

pub(crate) use digest::digest;
pub(crate) use engine::{Bytes, Engine, RowChecks};
pub use error::ScratchError;
pub(crate) use map::Mapped;
pub use solve::ScratchFolder;
pub(crate) use solve::solve;
pub(crate) use update::update;
