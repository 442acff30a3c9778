//! Which rows of the matrix a rank has.

use collectives::{Alone, Communicator};
use pivots::{Blocks, Share};

/// Rows of a block are a multiple of this: of the rows of every kernel's block, so that no
/// kernel relaxes rows of two blocks together.
pub(super) const STEP: usize = 48;
/// Rows of a block at most: with so many pivots, their rows of a strip, and a few rows of other
/// vertices, stay in the cache of a processor.
const MAX_ROWS: usize = 240;
/// Blocks that there are at least: the more, the less of the work is their closing.
const MIN_BLOCKS: usize = 8;

/// The rows of this rank. The blocks do not depend on the number of ranks.
pub(crate) fn rows_of_rank(n_vertices: usize, ranks: &dyn Communicator) -> Share {
    let block_rows = (n_vertices / MIN_BLOCKS).next_multiple_of(STEP).clamp(STEP, MAX_ROWS);
    Blocks { n_rows: n_vertices, block_rows, n_parts: ranks.size() }.share(ranks.rank())
}

/// All rows, for the only rank.
pub(crate) fn all_rows(n_vertices: usize) -> Share {
    rows_of_rank(n_vertices, &Alone)
}
