//! A checksum of each row of the files in a folder, so that no changed bit comes into a result.
//!
//! `sums.bin` has them for 128 vertices at a time: those of their rows of the matrix, of their
//! columns of the pivots in the panels, and of their next hops. For 128 pivots at a time those of
//! the row panel follow. Each 128 take as many bytes as the smallest 128 rows of a matrix, so that
//! here, too, no two ranks touch one page.
//!
//! A checksum is the CRC-32 of the run, of the part of the folder, of the step that has left the
//! row so, of the number of the row, and of its numbers. So rows that change places are found, and
//! those of another graph or of another moment. One bit that changes is always found, and other
//! damage but for one time in 2³². O(n) for a row.

use std::ops::Range;
use std::path::Path;

use bytemuck::{Pod, cast_slice};
use crc32fast::Hasher;
use graph_formats::parallel;

use super::ScratchError;
use super::journal::{ALIGNMENT, Journal};
use super::map::{Mapped, Output};

pub(super) const NAME: &str = "sums.bin";
/// Bytes of the checksums of [`ALIGNMENT`] rows, padding included.
const RECORD: usize = ALIGNMENT * ALIGNMENT * size_of::<u16>() / size_of::<u32>();
/// Rows that a thread checks together.
const ROWS_PER_TASK: usize = 16;

/// What a row is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// The matrix: a row for each vertex.
    Matrix,
    /// The column panel: likewise.
    Columns,
    /// The next hops: likewise.
    Hops,
    /// The arcs that settled distances lead along: one row.
    Marks,
    /// The row panel: a row for each pivot of the block.
    Pivots,
}

/// What a run begins its checksums with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seed(u32);

impl Seed {
    fn of(journal: &Journal) -> Self {
        let Journal { graph, numbers, n_vertices, side, block, .. } = journal;
        let run = format!("{graph} {numbers} {n_vertices} {side} {block}");
        Self(crc32fast::hash(run.as_bytes()))
    }

    /// The checksum of a row of which nothing is known yet.
    pub(super) fn begin(self, section: Section, step: usize, row: usize) -> u32 {
        go_on(self.0, &[section as u64, step as u64, row as u64])
    }

    /// The checksum of a row of these numbers.
    pub(super) fn sum<T: Pod>(
        self,
        section: Section,
        step: usize,
        row: usize,
        numbers: &[T],
    ) -> u32 {
        go_on(self.begin(section, step, row), numbers)
    }
}

/// The checksum of what one is of and these numbers after it.
pub(super) fn go_on<T: Pod>(sum: u32, numbers: &[T]) -> u32 {
    let mut hasher = Hasher::new_with_initial(sum);
    hasher.update(cast_slice(numbers));
    hasher.finalize()
}

/// The checksums of a folder.
#[derive(Debug)]
pub(super) struct Sums {
    seed: Seed,
    side: usize,
    file: Mapped<u32>,
}

impl Sums {
    fn len(journal: &Journal) -> usize {
        (journal.side + journal.block) / ALIGNMENT * RECORD
    }

    /// Bytes of the file.
    pub(super) fn bytes(journal: &Journal) -> u128 {
        (Self::len(journal) * size_of::<u32>()) as u128
    }

    /// Those of a new run: of nothing yet.
    pub(super) fn create(folder: &Path, journal: &Journal) -> Result<Self, ScratchError> {
        let mut out = Output::create(folder.join(NAME))?;
        (0..Self::len(journal) / RECORD).try_for_each(|_| out.write(&[0u32; RECORD]))?;
        out.sync()?;
        Self::open(folder, journal)
    }

    /// Those that a folder has.
    pub(super) fn open(folder: &Path, journal: &Journal) -> Result<Self, ScratchError> {
        let file = Mapped::open(folder.join(NAME), Self::len(journal))?;
        Ok(Self { seed: Seed::of(journal), side: journal.side, file })
    }

    pub(super) fn seed(&self) -> Seed {
        self.seed
    }

    /// Where a row's is.
    fn place(&self, section: Section, row: usize) -> Range<usize> {
        let first = if section == Section::Pivots { self.side / ALIGNMENT } else { 0 };
        let record = (first + row / ALIGNMENT) * RECORD;
        let at = record + section as usize * ALIGNMENT + row % ALIGNMENT;
        at..at + 1
    }

    pub(super) fn get(&self, section: Section, row: usize) -> u32 {
        self.file.rows(self.place(section, row), 1)[0]
    }

    pub(super) fn set(&mut self, section: Section, row: usize, sum: u32) {
        self.file.rows_mut(self.place(section, row), 1)[0] = sum;
    }

    /// Sets those of some rows, which have these numbers and were left so by `step`.
    pub(super) fn record<T: Pod + Sync>(
        &mut self,
        (section, step): (Section, usize),
        rows: Range<usize>,
        numbers: &[T],
    ) {
        let (seed, first, width) = (self.seed, rows.start, numbers.len() / rows.len().max(1));
        let row = |i: usize| &numbers[i * width..(i + 1) * width];
        let sums = parallel::map(rows.len(), &|i| seed.sum(section, step, first + i, row(i)));
        rows.zip(sums).for_each(|(row, sum)| self.set(section, row, sum));
    }

    /// An error where one of some rows, which are as long in `file`, is not as `step` has left it.
    pub(super) fn check<T: Pod + Sync>(
        &self,
        (section, step): (Section, usize),
        rows: Range<usize>,
        file: &Mapped<T>,
        width: usize,
    ) -> Result<(), ScratchError> {
        let is_damaged = |row: usize| {
            let numbers = file.rows(row..row + 1, width);
            self.seed.sum(section, step, row, numbers) != self.get(section, row)
        };
        let find = |part: Range<usize>| part.map(|i| rows.start + i).find(|&row| is_damaged(row));
        let damaged = parallel::find_first(rows.len(), ROWS_PER_TASK, &find);
        damaged.map_or(Ok(()), |row| Err(ScratchError::of_row(file.path(), row)))
    }

    /// Returns when all of them are on the disk.
    pub(super) fn flush(&self) -> Result<(), ScratchError> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Number;

    fn journal(graph: &str, block: usize) -> Journal {
        Journal::new(graph.to_owned(), Number::I32, 300, block)
    }

    #[test]
    fn each_row_has_its_own_checksum() {
        let folder = tempfile::tempdir().unwrap();
        let mut sums = Sums::create(folder.path(), &journal("a graph", 256)).unwrap();
        let sections = [
            (Section::Matrix, 384),
            (Section::Columns, 384),
            (Section::Hops, 384),
            (Section::Marks, 1),
            (Section::Pivots, 256),
        ];
        let all = || sections.into_iter().flat_map(|(of, n)| (0..n).map(move |row| (of, row)));
        for (sum, (section, row)) in (1..).zip(all()) {
            sums.set(section, row, sum);
        }
        for (sum, (section, row)) in (1..).zip(all()) {
            assert_eq!(sums.get(section, row), sum, "{section:?} {row}");
        }
    }

    #[test]
    fn what_a_row_is_of_counts() {
        let seed = |graph, block| Seed::of(&journal(graph, block));
        let (this, numbers) = (seed("a graph", 256), [1i32, 2, 3]);
        let sum = this.sum(Section::Matrix, 1, 7, &numbers);
        let begun = go_on(this.begin(Section::Matrix, 1, 7), &numbers[..1]);
        assert_eq!(sum, go_on(begun, &numbers[1..]));
        let others = [
            this.sum(Section::Hops, 1, 7, &numbers),
            this.sum(Section::Matrix, 2, 7, &numbers),
            this.sum(Section::Matrix, 1, 8, &numbers),
            this.sum(Section::Matrix, 1, 7, &[1i32, 3, 2]),
            seed("another", 256).sum(Section::Matrix, 1, 7, &numbers),
            seed("a graph", 128).sum(Section::Matrix, 1, 7, &numbers),
        ];
        assert!(others.iter().all(|&other| other != sum), "{others:?} {sum}");
    }
}
