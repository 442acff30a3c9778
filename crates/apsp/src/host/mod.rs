//! Solvers for the processor.

mod aligned;
pub(crate) mod floyd_warshall;
pub(crate) mod johnson;
mod matrix;
mod min_plus;
pub(crate) mod next_hops;
pub(crate) mod settle;
pub(crate) mod useful_arcs;

use collectives::{Alone, Communicator};
use pivots::{Blocks, Share};

pub(crate) use aligned::Aligned;
pub(crate) use matrix::Matrix;
pub(crate) use min_plus::{
    Kernel, MinPlus, copies, pack_groups, pack_some, packed_len, packed_place, relax_packed,
    unpack_row,
};

/// Rows of a block are a multiple of this: of the rows of every kernel's block, so that no
/// kernel relaxes rows of two blocks together.
const STEP: usize = 48;
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
