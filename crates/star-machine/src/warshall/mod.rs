//! Warshall's method on whole graphs, as published for the STAR-machine.
//!
//! `WARSHALL` and `WARSHALL-C` run on the host machine, each operation as it stands in the
//! paper: n³ / 64 words and, for the reading and writing of rows, n² of them bit by bit.
//! `WARSHALL-adapt` treats all columns of a pivot at once, on all threads. Here it has rows in
//! place of columns: the closure of the reversed arcs is the reversed closure.
//!
//! Reference: snytnikova-nepomniaschaya-2016, warshall-1962

mod adapted;
mod listings;
mod on_gpu;

use std::ops::Range;

use graph_formats::{Csr, Weight, tell};
use paths::{BitMatrix, Closure, Progress};
use rayon::prelude::*;

use crate::{Host, Machine, StarError, Table, TableVar};

pub use adapted::warshall_adapted;
pub use listings::{warshall, warshall_columns};
pub use on_gpu::{WarshallOnGpu, WarshallTimes};

/// Bits of a word.
const WORD: usize = u64::BITS as usize;

/// Lines that a task unites with the pivot's, if they reach it.
const LINES_A_TASK: usize = 256;

/// A form of Warshall's method. All give the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Warshall {
    /// `WARSHALL`: a row at a time is united with the pivot's.
    Rows,
    /// `WARSHALL-C`: the same by columns.
    Columns,
    /// `WARSHALL-adapt`: all columns of a pivot at once.
    Adapted,
}

impl Warshall {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Rows, Self::Columns, Self::Adapted];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rows => "warshall",
            Self::Columns => "warshall-c",
            Self::Adapted => "warshall-adapt",
        }
    }

    /// The pairs (u, v) with a path of at least one arc from u to v; weights do not matter. A
    /// vertex reaches itself only along a cycle.
    ///
    /// Takes n² / 8 bytes, and up to thrice as many while rows and columns are exchanged.
    ///
    /// # Errors
    /// [`StarError::TooLarge`] where memory cannot hold the bits, and
    /// [`StarError::Interrupted`] where `progress`, which is told of pivots, ends the work.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use star_machine::Warshall;
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 1u32), (1, 2, 1), (2, 1, 1)])?;
    /// let closure = Warshall::Columns.closure(&graph, None)?;
    /// assert!(closure.reaches(0, 2) && !closure.reaches(0, 0));
    /// assert_eq!(Warshall::Adapted.closure(&graph, None)?, closure);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn closure<W: Weight>(
        self,
        graph: &Csr<W>,
        progress: Option<Progress<'_>>,
    ) -> Result<Closure, StarError> {
        let arcs = graph.clone().unweighted();
        match self {
            Self::Rows => on_the_machine(&arcs, progress, warshall),
            Self::Columns => on_the_machine(&arcs, progress, warshall_columns),
            Self::Adapted => adapted(&arcs, progress),
        }
    }
}

fn on_the_machine(
    graph: &Csr<u32>,
    progress: Option<Progress<'_>>,
    procedure: fn(&mut Host, TableVar, Range<usize>) -> Result<(), StarError>,
) -> Result<Closure, StarError> {
    let n = graph.n_vertices();
    let mut machine = Host::new();
    let table = machine.load_table(&adjacency(graph)?)?;
    for pivot in 0..n {
        tell(progress, pivot as u64, n as u64)?;
        procedure(&mut machine, table, pivot..pivot + 1)?;
    }
    closure_of(machine.table_value(table)?)
}

/// For each pivot, all lines that reach it are united with its own.
fn adapted(graph: &Csr<u32>, progress: Option<Progress<'_>>) -> Result<Closure, StarError> {
    let n = graph.n_vertices();
    let mut matrix = BitMatrix::of(graph).ok_or(too_large(n))?;
    let stride = matrix.stride();
    let words = matrix.lines_mut();
    let mut of_pivot = vec![0; stride];
    for pivot in 0..n {
        tell(progress, pivot as u64, n as u64)?;
        of_pivot.copy_from_slice(&words[pivot * stride..][..stride]);
        words.par_chunks_mut(LINES_A_TASK * stride).for_each(|lines| {
            for line in lines.chunks_exact_mut(stride) {
                if line[pivot / WORD] >> (pivot % WORD) & 1 == 1 {
                    line.iter_mut().zip(&of_pivot).for_each(|(word, more)| *word |= more);
                }
            }
        });
    }
    Ok(matrix.into_closure())
}

/// Row u has the heads of the arcs from u; a table stores its columns, so these are the tails.
fn adjacency(graph: &Csr<u32>) -> Result<Table, StarError> {
    let n = graph.n_vertices();
    let columns = BitMatrix::of(&graph.transposed()).map(BitMatrix::into_words);
    columns.and_then(|words| Table::from_words(n, n, words)).ok_or(too_large(n))
}

/// Row u as the vertices that u reaches.
fn closure_of(table: Table) -> Result<Closure, StarError> {
    let (n, stride) = (table.rows(), table.stride());
    let columns = BitMatrix::from_words(n, stride, table.into_words());
    let rows = columns.and_then(|columns| columns.transposed()).ok_or(too_large(n))?;
    Ok(rows.into_closure())
}

fn too_large(n: usize) -> StarError {
    StarError::TooLarge { what: "a closure", rows: n, columns: n }
}
