//! Closure by blocks of vertices, on all threads: the bit engine of the CPU.
//!
//! A line belongs to a vertex, and has a bit for every vertex that it is known to reach. For a
//! block of vertices, the pivots, there are three steps. (1) The square of the pivots' bits is
//! closed. (2) A line that reaches some of the pivots reaches the pivots that these reach within
//! the block: its selectors are multiplied by the closed square. (3) The line is united with the
//! lines of all pivots that it now reaches, as these lines were before the block. The pivots' own
//! lines are treated as all others are. After all blocks every path has been taken together from
//! its parts.
//!
//! n³ / 64 steps of Warshall's method become n³ / 256 by the Four Russians' tables, and the
//! matrix goes through the caches once for each block. A line may be read as a selector while
//! it is raised: everything that is ever in it lies between the graph and its closure.
//!
//! Reference: warshall-1962, venkataraman-2003, arlazarov-1970

use std::array;

use graph_formats::{Csr, tell};
use paths::{BitMatrix, Progress};
use rayon::prelude::*;

use crate::ClosureError;
use crate::unite::{Lines, WORD, unite};

/// Words of the selectors of a line: more pivots are fewer ways through memory, but a longer
/// work of one thread on their square.
const SELECTORS: usize = 4;
/// Pivots of a block.
const PIVOTS: usize = SELECTORS * WORD;

/// Lines that a task raises: they and the tables stay in a core's second cache, up to some
/// ten thousand vertices.
const LINES_A_TASK: usize = 256;

/// What it takes one core, in nanoseconds: for an arc to become a bit,
const ARC: f64 = 1.0;
/// for a word of a line to be looked up and united,
const LOOK_UP: f64 = 0.1;
/// and for a block to start, which other threads wait for.
const BLOCK: f64 = 20_000.0;

type Selectors = [u64; SELECTORS];

/// How long [`blocked`] takes for a graph on all threads of the current rayon pool, in
/// nanoseconds.
pub(crate) fn time(graph: &Csr<u32>) -> f64 {
    let n = graph.n_vertices() as f64;
    let look_ups = n * n / 4.0 * (n / WORD as f64);
    let shared = graph.n_arcs() as f64 * ARC + look_ups * LOOK_UP;
    let n_blocks = graph.n_vertices().div_ceil(PIVOTS);
    n_blocks as f64 * BLOCK + shared / rayon::current_num_threads() as f64
}

/// Closes the relation: a line gets a bit for every vertex that a path of one arc or more
/// leads to. On all threads of the current rayon pool. O(n³ / 256), and memory for
/// 256 lines.
///
/// # Errors
/// [`ClosureError::Interrupted`] where `progress`, which is told of vertices, ends it.
pub(crate) fn blocked(
    matrix: &mut BitMatrix,
    progress: Option<Progress<'_>>,
) -> Result<(), ClosureError> {
    let (n, stride) = (matrix.n(), matrix.stride());
    let words = matrix.lines_mut();
    let mut pivots = Vec::new();
    for first in (0..n).step_by(PIVOTS) {
        tell(progress, first as u64, n as u64)?;
        let n_pivots = PIVOTS.min(n - first);
        pivots.clear();
        pivots.extend_from_slice(&words[first * stride..][..n_pivots * stride]);
        let selectors = |line: &[u64]| -> Selectors {
            array::from_fn(|w| line.get(first / WORD + w).copied().unwrap_or(0))
        };
        let mut square: Vec<Selectors> = pivots.chunks_exact(stride).map(selectors).collect();
        close(&mut square);
        let square = Lines { words: square.as_flattened(), stride: SELECTORS };
        let pivots = Lines { words: &pivots, stride };
        words.par_chunks_mut(LINES_A_TASK * stride).for_each(|lines| {
            let before: Vec<Selectors> = lines.chunks_exact(stride).map(selectors).collect();
            let mut reached = before.clone();
            let before = Lines { words: before.as_flattened(), stride: SELECTORS };
            unite(reached.as_flattened_mut(), before, square);
            let reached = Lines { words: reached.as_flattened(), stride: SELECTORS };
            unite(lines, reached, pivots);
        });
    }
    Ok(())
}

/// Warshall's method on the square of bits of a block.
fn close(square: &mut [Selectors]) {
    for pivot in 0..square.len() {
        let reached = square[pivot];
        for line in &mut *square {
            // all ones or zeros: no branch to guess
            let reaches = 0u64.wrapping_sub(line[pivot / WORD] >> (pivot % WORD) & 1);
            line.iter_mut().zip(reached).for_each(|(word, more)| *word |= more & reaches);
        }
    }
}
