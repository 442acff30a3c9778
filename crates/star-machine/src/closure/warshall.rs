//! Warshall's method as published for the STAR-machine.
//!
//! `WARSHALL` and `WARSHALL-C` run on the host machine, each operation as it stands in the
//! paper: n³ / 64 words and, for the reading and writing of rows, n² of them bit by bit.
//! `WARSHALL-adapt` treats all columns of a pivot at once, on all threads. Here it has rows in
//! place of columns: the closure of the reversed arcs is the reversed closure.
//!
//! Reference: snytnikova-nepomniaschaya-2016, warshall-1962

use paths::Progress;
use rayon::prelude::*;

use super::bit_matrix::{BitMatrix, WORD};
use crate::StarError;

/// Lines that a task unites with the pivot's, if they reach it.
const LINES_A_TASK: usize = 256;

/// `WARSHALL-adapt`: for each pivot, all lines that reach it are united with its own.
///
/// # Errors
/// [`StarError::Interrupted`] where `progress`, which is told of pivots, ends it.
pub(super) fn adapt(
    matrix: &mut BitMatrix,
    progress: Option<Progress<'_>>,
) -> Result<(), StarError> {
    let BitMatrix { n, stride, ref mut words } = *matrix;
    let mut of_pivot = vec![0; stride];
    for pivot in 0..n {
        if progress.is_some_and(|tell| tell(pivot as u64, n as u64).is_break()) {
            return Err(StarError::Interrupted);
        }
        of_pivot.copy_from_slice(&words[pivot * stride..][..stride]);
        words.par_chunks_mut(LINES_A_TASK * stride).for_each(|lines| {
            for line in lines.chunks_exact_mut(stride) {
                if line[pivot / WORD] >> (pivot % WORD) & 1 == 1 {
                    line.iter_mut().zip(&of_pivot).for_each(|(word, more)| *word |= more);
                }
            }
        });
    }
    Ok(())
}
