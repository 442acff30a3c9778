//! Floyd-Warshall over a matrix, in three orders: the distances of all pairs through growing
//! sets of vertices.
//!
//! *Plain*: for each vertex k one pass over the matrix relaxes all pairs through it.
//!
//! *Recursive*: the vertices are halved. The first half is closed, paths between the halves
//! and within the second are relaxed through it; then the second half is closed and the
//! others are relaxed through that. All of it are relaxations of one part of the matrix
//! through another, many pivots at a time, which read a number once for many sums.
//!
//! *Blocked*: vertices are taken as pivots a block at a time. The pivots are closed among
//! themselves (recursively), then their rows relaxed through them, and then all other rows.
//! Nearly all time is in the last.
//!
//! Rows are shared among threads. O(n³) time; n² numbers.
//!
//! What differs from the published forms: the pivots' columns need no phase of their own.
//! Where D is closed and R = D·R₀ are the pivots' rows, C·R is (C·D)·R₀, so other rows can be
//! multiplied with what they had before; and for columns of pivots R is D, which gives C·D.
//! Recursion ends at 48 vertices instead of one.
//!
//! Weights may be negative, if there is no negative cycle: the caller has checked. Then no
//! sum is beyond the bound that the plan has checked. Floats are added at the middle vertex,
//! so that they may round otherwise than a search does.
//!
//! Reference: floyd-1962, warshall-1962, venkataraman-2003, buluc-2010

use std::ops::Range;

use rayon::prelude::*;
use sssp::{Progress, SsspError};

use super::matrix::Matrix;
use super::min_plus::MinPlus;
use crate::ApspError;

/// Vertices that are closed by passes.
const FEW: usize = 48;
/// Pivots of a block: their rows of a strip, and a few rows of other vertices, stay in the
/// cache of a processor.
const MOST_PIVOTS: usize = 240;
/// Blocks of pivots that there are at least: the more, the less of the work is theirs.
const LEAST_BLOCKS: usize = 8;

/// Tells how many vertices have been pivots.
fn report<E>(
    matrix: &Matrix<E>,
    done: usize,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    match progress {
        Some(tell) if tell(done as u64, matrix.n as u64).is_break() => {
            Err(SsspError::Interrupted.into())
        }
        _ => Ok(()),
    }
}

/// One pass for each vertex.
pub(crate) fn plain<E: MinPlus>(
    matrix: &mut Matrix<E>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    let stride = matrix.stride;
    for k in 0..matrix.n {
        report(matrix, k, progress)?;
        let through = matrix.row(k).to_vec();
        matrix.numbers.par_chunks_mut(stride).for_each(|row| relax_row(row, k, &through));
    }
    Ok(())
}

/// Vertices by halves.
pub(crate) fn recursive<E: MinPlus>(
    matrix: &mut Matrix<E>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    close(matrix, 0..matrix.n, progress)
}

/// A block of pivots after the other.
pub(crate) fn blocked<E: MinPlus>(
    matrix: &mut Matrix<E>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    let n = matrix.n;
    let n_pivots = (n / LEAST_BLOCKS).next_multiple_of(FEW).clamp(FEW, MOST_PIVOTS);
    for first in (0..n).step_by(n_pivots) {
        report(matrix, first, progress)?;
        let pivots = first..n.min(first + n_pivots);
        close(matrix, pivots.clone(), None)?;
        matrix.relax([pivots.clone()], pivots.clone(), 0..n)?;
        matrix.relax([0..first, pivots.end..n], pivots, 0..n)?;
    }
    Ok(())
}

/// Relaxes paths among some vertices through all of them, by halves.
fn close<E: MinPlus>(
    matrix: &mut Matrix<E>,
    all: Range<usize>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    if all.len() <= FEW {
        report(matrix, all.start, progress)?;
        let stride = matrix.stride;
        for k in all.clone() {
            let through = matrix.numbers[k * stride..][all.clone()].to_vec();
            for row in matrix.numbers.chunks_exact_mut(stride).take(all.end).skip(all.start) {
                relax_row(&mut row[all.clone()], k - all.start, &through);
            }
        }
        return Ok(());
    }
    let middle = all.start + (all.len() / 2).next_multiple_of(FEW);
    let (first, second) = (all.start..middle, middle..all.end);
    for (through, other) in [(&first, &second), (&second, &first)] {
        close(matrix, through.clone(), progress)?;
        matrix.relax([through.clone()], through.clone(), other.clone())?;
        matrix.relax([other.clone()], through.clone(), through.clone())?;
        matrix.relax([other.clone()], through.clone(), other.clone())?;
    }
    Ok(())
}

/// Relaxes the paths that go through the vertex of column `k`, whose row is given.
fn relax_row<E: MinPlus>(row: &mut [E], k: usize, through: &[E]) {
    let first = row[k];
    for (least, &second) in row.iter_mut().zip(through) {
        *least = least.lesser(first.plus(second));
    }
}
