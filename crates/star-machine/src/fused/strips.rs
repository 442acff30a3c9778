//! One pass over the columns of some fields, block of rows after block of rows.
//!
//! Rows of a table do not depend on each other but for `SOME`. So a procedure can take all columns
//! for some rows, then all for the next, and what it has of them stays in the nearest cache. (A
//! block of one register of rows would jump from column to column at every load, which costs more
//! than it saves.) For each row a column is read and written in the order of the procedure, which
//! is all that fields that overlap can tell. Large tables are cut into strips of rows, on all
//! threads.

use std::array::from_fn;
use std::mem::take;

use rayon::prelude::*;

use crate::language::{FieldVar, SliceVar};
use crate::procedures::{Pass, Second};
use crate::{Host, Slice, StarError};

/// Words of a column that are looked at together, 16,384 rows: 2 KiB of each column, slice of
/// marks and result.
pub(super) const BLOCK: usize = 256;
/// Words of columns from which on threads are worth waking.
const PARALLEL: usize = 1 << 19;
/// Strips for each thread.
const STRIPS: usize = 2;

/// A block of rows, as a kernel sees it.
pub(super) struct Block<'a, 's, const R: usize> {
    /// The marked rows.
    pub(super) x: &'a [u64],
    /// The results, zeros at first.
    pub(super) results: [&'a mut [u64]; R],
    /// As many words, for whatever the kernel likes.
    pub(super) spare: &'a mut [u64],
    pub(super) columns: Columns<'a, 's>,
}

/// The columns of a block.
pub(super) struct Columns<'a, 's> {
    a: Source<'a>,
    b: Source<'a>,
    /// Of this strip of the table that is written, the columns that the pass has to do with.
    strip: &'a mut Vec<&'s mut [u64]>,
    /// Which of them is the first of the field that is written.
    written: usize,
    /// Words before the strip, and in it before the block.
    from: usize,
    at: usize,
}

/// Where columns are read.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// They are all ones or all zeros.
    Known(bool),
    /// They are all ones or all zeros, each as a bit says.
    Bits(&'a [bool]),
    /// In another table than the one that is written: its words, and those of a column.
    Other(&'a [u64], usize),
    /// In the one that is written: which of the strip's columns is the first.
    Written(usize),
}

/// A column of a block.
enum Column<'a> {
    Known(bool),
    Words(&'a [u64]),
}

impl Columns<'_, '_> {
    /// Changes `state` by what of(state, x, a, b) gives, where a and b are bits of column j.
    #[inline(always)]
    pub(super) fn each<const S: usize>(
        &self,
        j: usize,
        x: &[u64],
        state: [&mut [u64]; S],
        of: impl Fn([u64; S], u64, u64, u64) -> [u64; S],
    ) {
        let a = match self.column(self.a, j, x.len()) {
            Column::Words(a) => a,
            Column::Known(_) => &[0; BLOCK][..x.len()],
        };
        match self.column(self.b, j, x.len()) {
            Column::Words(b) => each(state, [x, a, b], |s, [x, a, b]| of(s, x, a, b)),
            Column::Known(true) => each(state, [x, a], |s, [x, a]| of(s, x, a, !0)),
            Column::Known(false) => each(state, [x, a], |s, [x, a]| of(s, x, a, 0)),
        }
    }

    /// Column j becomes what is second, in the rows x.
    pub(super) fn copy(&mut self, j: usize, x: &[u64], spare: &mut [u64]) {
        match self.b {
            Source::Other(words, stride) => {
                self.write(j, &words[j * stride + self.from + self.at..][..x.len()]);
            }
            source => match self.column(source, j, x.len()) {
                Column::Words(b) => {
                    spare.copy_from_slice(b);
                    self.write(j, spare);
                }
                Column::Known(true) => self.write(j, x),
                Column::Known(false) => self.write(j, &[0; BLOCK][..x.len()]),
            },
        }
    }

    /// `COL(j, written) := x`
    pub(super) fn write(&mut self, j: usize, x: &[u64]) {
        self.strip[self.written + j][self.at..][..x.len()].copy_from_slice(x);
    }

    fn column<'a>(&'a self, source: Source<'a>, j: usize, len: usize) -> Column<'a> {
        match source {
            Source::Known(bit) => Column::Known(bit),
            Source::Bits(bits) => Column::Known(bits[j]),
            Source::Other(words, stride) => {
                Column::Words(&words[j * stride + self.from + self.at..][..len])
            }
            Source::Written(first) => Column::Words(&self.strip[first + j][self.at..][..len]),
        }
    }
}

/// Changes words that belong together, one of each of `state` and of `read` at a time.
///
/// Written so that compilers make a loop over vectors of it: plain loops over the small
/// arrays, which are unrolled and vanish, and equal lengths, seen before the loop. With
/// iterators in their place it takes five times as long.
#[inline(always)]
pub(super) fn each<const S: usize, const R: usize>(
    mut state: [&mut [u64]; S],
    mut read: [&[u64]; R],
    of: impl Fn([u64; S], [u64; R]) -> [u64; S],
) {
    let n = state[0].len();
    state.iter_mut().for_each(|words| *words = &mut take(words)[..n]);
    read.iter_mut().for_each(|words| *words = &words[..n]);
    for i in 0..n {
        let (mut old, mut operands) = ([0; S], [0; R]);
        for s in 0..S {
            old[s] = state[s][i];
        }
        for r in 0..R {
            operands[r] = read[r][i];
        }
        let new = of(old, operands);
        for s in 0..S {
            state[s][i] = new[s];
        }
    }
}

/// Calls the kernel for all blocks of rows and stores its results, which may be operands.
/// Nothing is changed where a variable is unknown.
pub(super) fn over_strips<const R: usize>(
    host: &mut Host,
    pass: &Pass,
    results: [SliceVar; R],
    kernel: impl Fn(Block<'_, '_, R>) + Sync,
) -> Result<(), StarError> {
    results.iter().try_for_each(|z| host.vector_ref(z.0).map(drop))?;
    let mut found = None;
    match pass.to {
        None => found = Some(run(host, pass, &mut [], &kernel)?),
        Some(to) => host.change(to.table, |host, table| {
            found = Some(run(host, pass, table.as_words_mut(), &kernel)?);
            Ok(())
        })?,
    }
    for (z, words) in results.into_iter().zip(found.into_iter().flatten()) {
        *host.vector_mut(z.0)? = Slice::of_words(z.0.len as usize, words);
    }
    Ok(())
}

/// The results for all rows; `table` is the words of the one that is written.
fn run<const R: usize>(
    host: &Host,
    pass: &Pass,
    table: &mut [u64],
    kernel: &(impl Fn(Block<'_, '_, R>) + Sync),
) -> Result<[Vec<u64>; R], StarError> {
    let all = || pass.fields().into_iter().flatten();
    let n = pass.size().0.div_ceil(64) as usize;
    let rows = pass.rows.map(|rows| host.vector_ref(rows.0)).transpose()?.map(Slice::as_words);
    let word = pass.word().map(|word| host.vector_ref(word.0)).transpose()?;
    let word: Vec<bool> = word.map_or_else(Vec::new, |word| word.iter().collect());

    // of the table that is written, the columns that the pass has to do with
    let of_written = |field: &FieldVar| pass.to.is_some_and(|to| to.table == field.table);
    let first = all().filter(of_written).map(|f| f.first as usize).min().unwrap_or(0);
    let end = all().filter(of_written).map(|f| (f.first + f.columns) as usize).max().unwrap_or(0);
    let written = pass.to.map_or(0, |to| to.first as usize - first);
    let source = |field: FieldVar| {
        if of_written(&field) {
            return Ok::<_, StarError>(Source::Written(field.first as usize - first));
        }
        Ok(Source::Other(host.field(field)?.as_words(), n))
    };
    let a = pass.a.map_or(Ok(Source::Known(false)), source)?;
    let b = match pass.b {
        Second::Known(bit) => Source::Known(bit),
        Second::Word(_) => Source::Bits(&word),
        Second::Field(field) => source(field)?,
    };

    let columns: usize = all().map(|field| field.columns as usize).sum();
    let threads = if n * columns < PARALLEL { 1 } else { rayon::current_num_threads() };
    let len = if threads == 1 { n } else { n.div_ceil(STRIPS * threads).next_multiple_of(BLOCK) };
    let mut strips: Vec<Vec<&mut [u64]>> = Vec::new();
    strips.resize_with(n.div_ceil(len.max(1)), Vec::new);
    for column in table[first * n..end * n].chunks_mut(n.max(1)) {
        strips.iter_mut().zip(column.chunks_mut(len)).for_each(|(strip, part)| strip.push(part));
    }

    let over_strip = |(number, mut strip): (usize, Vec<&mut [u64]>)| {
        let from = number * len;
        let words = len.min(n - from);
        let mut found: [Vec<u64>; R] = from_fn(|_| vec![0; words]);
        let (mut spare, all_rows) = ([0; BLOCK], [!0; BLOCK]);
        for at in (0..words).step_by(BLOCK) {
            let len = BLOCK.min(words - at);
            let x = rows.map_or(&all_rows[..len], |rows| &rows[from + at..][..len]);
            let results = found.each_mut().map(|words| &mut words[at..][..len]);
            let columns = Columns { a, b, strip: &mut strip, written, from, at };
            kernel(Block { x, results, spare: &mut spare[..len], columns });
        }
        found
    };
    let strips = strips.into_iter().enumerate();
    let parts: Vec<_> = if threads == 1 {
        strips.map(over_strip).collect()
    } else {
        strips.collect::<Vec<_>>().into_par_iter().map(over_strip).collect()
    };
    let mut found: [Vec<u64>; R] = from_fn(|_| Vec::with_capacity(n));
    for part in parts {
        found.iter_mut().zip(part).for_each(|(found, words)| found.extend(words));
    }
    Ok(found)
}
