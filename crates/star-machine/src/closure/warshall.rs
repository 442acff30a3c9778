//! Warshall's method as published for the STAR-machine.
//!
//! `WARSHALL` and `WARSHALL-C` run on the host machine, each operation as it stands in the
//! paper: n³ / 64 words and, for the reading and writing of rows, n² of them bit by bit.
//! `WARSHALL-adapt` treats all columns of a pivot at once, on all threads. Here it has rows in
//! place of columns: the closure of the reversed arcs is the reversed closure.
//!
//! Reference: snytnikova-nepomniaschaya-2016, warshall-1962

use std::ops::Range;

use paths::Progress;
use rayon::prelude::*;

use super::bit_matrix::{BitMatrix, WORD};
use super::tell;
use crate::{Host, Machine, StarError, Table, TableVar, procedures};

/// Lines that a task unites with the pivot's, if they reach it.
const LINES_A_TASK: usize = 256;

/// `WARSHALL`: a row at a time.
///
/// # Errors
/// As [`adapt`], and [`StarError::TooLarge`] where memory cannot hold the machine's table.
pub(super) fn rows(
    matrix: &mut BitMatrix,
    progress: Option<Progress<'_>>,
) -> Result<(), StarError> {
    on_the_machine(matrix, progress, procedures::warshall)
}

/// `WARSHALL-C`: a column at a time.
///
/// # Errors
/// As [`rows`].
pub(super) fn columns(
    matrix: &mut BitMatrix,
    progress: Option<Progress<'_>>,
) -> Result<(), StarError> {
    on_the_machine(matrix, progress, procedures::warshall_columns)
}

fn on_the_machine(
    matrix: &mut BitMatrix,
    progress: Option<Progress<'_>>,
    procedure: fn(&mut Host, TableVar, Range<usize>) -> Result<(), StarError>,
) -> Result<(), StarError> {
    let n = matrix.n;
    let mut machine = Host::new();
    // a table stores its columns, a matrix its rows
    let table = Table::from_words(n, n, matrix.transposed()?.words).expect("n columns of n bits");
    let table = machine.load_table(&table)?;
    for pivot in 0..n {
        tell(progress, pivot, n)?;
        procedure(&mut machine, table, pivot..pivot + 1)?;
    }
    let words = machine.table_value(table)?.into_words();
    *matrix = BitMatrix { n, stride: n.div_ceil(WORD), words }.transposed()?;
    Ok(())
}

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
        tell(progress, pivot, n)?;
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
