//! One pass over the columns of some fields, 512 rows after the other.
//!
//! Rows of a table do not depend on each other but for `SOME`, so a procedure can take all
//! columns for some rows, then all for the next, with what it knows of a row in registers. A
//! column is read and written in the order of the procedure, which is all that fields that
//! overlap can tell. Large tables are cut into strips of rows, on all threads.

use rayon::prelude::*;

use super::lanes::{LANES, Lanes};
use crate::language::{FieldVar, SliceVar};
use crate::{Host, Slice, StarError};

/// Words of columns from which on threads are worth waking.
const PARALLEL: usize = 1 << 16;
/// Strips for each thread.
const STRIPS: usize = 2;

/// What a procedure reads and writes.
pub(super) struct Pass<'a> {
    /// The rows that take part; none where it has no such operand.
    pub(super) rows: Option<SliceVar>,
    /// What is read, by its number here.
    pub(super) read: &'a [FieldVar],
    /// What is written.
    pub(super) write: Option<FieldVar>,
}

impl<'a> Pass<'a> {
    pub(super) fn reads(rows: SliceVar, read: &'a [FieldVar]) -> Self {
        Self { rows: Some(rows), read, write: None }
    }

    pub(super) fn writes(rows: SliceVar, read: &'a [FieldVar], to: FieldVar) -> Self {
        Self { rows: Some(rows), read, write: Some(to) }
    }
}

/// The columns of some rows.
pub(super) struct Columns<'s, 'a> {
    sources: &'s [Source<'a>],
    /// Columns of the table that is written.
    strip: &'s mut Vec<&'a mut [u64]>,
    /// Which of them is the first of the field that is written.
    written: usize,
    /// Words of the strip before, and those of all strips before.
    at: usize,
    from: usize,
    /// At most [`LANES`].
    len: usize,
}

/// Where a field is read.
enum Source<'a> {
    /// Another table than the one that is written: its words, and those of a column.
    Other(&'a [u64], usize),
    /// The one that is written: which of the strip's columns is the first.
    Written(usize),
}

impl Columns<'_, '_> {
    /// `COL(j, field)` for these rows.
    pub(super) fn read(&self, field: usize, j: usize) -> Lanes {
        match self.sources[field] {
            Source::Other(words, stride) => {
                Lanes::load(&words[j * stride + self.from + self.at..][..self.len])
            }
            Source::Written(first) => Lanes::load(&self.strip[first + j][self.at..][..self.len]),
        }
    }

    /// `COL(j, written) := x` for these rows.
    pub(super) fn write(&mut self, j: usize, x: Lanes) {
        x.store(&mut self.strip[self.written + j][self.at..][..self.len]);
    }
}

/// Calls the kernel for all rows, with the bits of `pass.rows`; what it returns becomes the
/// results, which may be operands. Nothing is changed where a variable is unknown.
pub(super) fn pass<const R: usize>(
    host: &mut Host,
    pass: &Pass<'_>,
    results: [SliceVar; R],
    kernel: impl Fn(Lanes, &mut Columns<'_, '_>) -> [Lanes; R] + Sync,
) -> Result<(), StarError> {
    results.iter().try_for_each(|z| host.vector_ref(z.0).map(drop))?;
    let mut found = None;
    match pass.write {
        None => found = Some(over_strips(host, pass, &mut [], &kernel)?),
        Some(to) => host.change(to.table, |host, table| {
            found = Some(over_strips(host, pass, table.as_words_mut(), &kernel)?);
            Ok(())
        })?,
    }
    for (z, words) in results.into_iter().zip(found.into_iter().flatten()) {
        *host.vector_mut(z.0)? = Slice::of_words(z.0.len as usize, words);
    }
    Ok(())
}

fn over_strips<const R: usize>(
    host: &Host,
    pass: &Pass<'_>,
    table: &mut [u64],
    kernel: &(impl Fn(Lanes, &mut Columns<'_, '_>) -> [Lanes; R] + Sync),
) -> Result<[Vec<u64>; R], StarError> {
    let all = || pass.read.iter().chain(&pass.write);
    let n = all().next().map_or(0, |field| field.table.rows.div_ceil(64) as usize);
    let rows = pass.rows.map(|rows| host.vector_ref(rows.0)).transpose()?.map(Slice::as_words);

    // of the table that is written, the columns that the pass has to do with
    let of_written = |field: &&FieldVar| pass.write.is_some_and(|to| to.table == field.table);
    let first = all().filter(of_written).map(|f| f.first as usize).min().unwrap_or(0);
    let end = all().filter(of_written).map(|f| (f.first + f.columns) as usize).max().unwrap_or(0);
    let written = pass.write.map_or(0, |to| to.first as usize - first);
    let source = |field: &FieldVar| {
        if of_written(&field) {
            return Ok(Source::Written(field.first as usize - first));
        }
        Ok(Source::Other(host.field(*field)?.as_words(), n))
    };
    let sources = pass.read.iter().map(source).collect::<Result<Vec<_>, StarError>>()?;

    let columns: usize = all().map(|field| field.columns as usize).sum();
    let threads = if n * columns < PARALLEL { 1 } else { rayon::current_num_threads() };
    let len = if threads == 1 { n } else { n.div_ceil(STRIPS * threads).next_multiple_of(LANES) };
    let mut strips: Vec<Vec<&mut [u64]>> = Vec::new();
    strips.resize_with(n.div_ceil(len.max(1)), Vec::new);
    for column in table[first * n..end * n].chunks_mut(n.max(1)) {
        strips.iter_mut().zip(column.chunks_mut(len)).for_each(|(strip, part)| strip.push(part));
    }

    let run = |(number, mut strip): (usize, Vec<&mut [u64]>)| {
        let from = number * len;
        let words = len.min(n - from);
        let mut found: [Vec<u64>; R] = std::array::from_fn(|_| vec![0; words]);
        for at in (0..words).step_by(LANES) {
            let len = LANES.min(words - at);
            let x = rows.map_or(Lanes::ZERO, |rows| Lanes::load(&rows[from + at..][..len]));
            let sources = &sources;
            let mut columns = Columns { sources, strip: &mut strip, written, at, from, len };
            let results = kernel(x, &mut columns);
            for (found, result) in found.iter_mut().zip(results) {
                result.store(&mut found[at..][..len]);
            }
        }
        found
    };
    let strips = strips.into_iter().enumerate();
    let parts: Vec<_> = if threads == 1 {
        strips.map(run).collect()
    } else {
        strips.collect::<Vec<_>>().into_par_iter().map(run).collect()
    };
    let mut found: [Vec<u64>; R] = std::array::from_fn(|_| Vec::with_capacity(n));
    for part in parts {
        found.iter_mut().zip(part).for_each(|(found, words)| found.extend(words));
    }
    Ok(found)
}
