//! A checksum of each row of the files in a folder, so that no changed bit comes into a result.
//!
//! `sums.bin` has them for 128 vertices at a time: those of their rows of the matrix, of their
//! columns of the pivots in the panels, and of their next hops. For 128 pivots at a time those of
//! the row panel follow. Each 128 take as many bytes as the smallest 128 rows of a matrix, so that
//! here, too, no two ranks touch one page.
//!
//! A checksum is the CRC-32 of the run, of the part of the folder, of the step that has left the
//! row so, of the number of the row, and of its numbers: rows that change places are found, and
//! those of another graph or of another moment. One bit that changes is always found, and other
//! damage but for one time in 2³². O(n) for a row.

use std::ops::Range;
use std::path::Path;

use bytemuck::{Pod, cast_slice};
use crc32fast::Hasher;
use graph_formats::parallel;

use super::journal::Journal;
use super::map::{Mapped, create, write};
use super::{ALIGNMENT, ScratchError};

const NAME: &str = "sums.bin";
/// Checksums, and room, for so many rows.
const RECORD: usize = ALIGNMENT * ALIGNMENT * size_of::<u16>() / size_of::<u32>();
/// Rows that a thread looks at together.
const ROWS: usize = 16;

/// What a row is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
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
    pub(super) fn begin(self, part: Part, step: usize, row: usize) -> u32 {
        go_on(self.0, &[part as u64, step as u64, row as u64])
    }

    /// The checksum of a row.
    pub(super) fn sum<T: Pod>(self, part: Part, step: usize, row: usize, numbers: &[T]) -> u32 {
        go_on(self.begin(part, step, row), numbers)
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

    /// Those of a new run: of nothing yet.
    pub(super) fn create(folder: &Path, journal: &Journal) -> Result<Self, ScratchError> {
        let record = [0u32; RECORD];
        create(&folder.join(NAME), |out| {
            (0..Self::len(journal) / RECORD).try_for_each(|_| write(out, &record))
        })?;
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
    fn place(&self, part: Part, row: usize) -> Range<usize> {
        let first = if part == Part::Pivots { self.side / ALIGNMENT } else { 0 };
        let record = (first + row / ALIGNMENT) * RECORD;
        let at = record + part as usize * ALIGNMENT + row % ALIGNMENT;
        at..at + 1
    }

    pub(super) fn get(&self, part: Part, row: usize) -> u32 {
        self.file.part(self.place(part, row))[0]
    }

    pub(super) fn set(&mut self, part: Part, row: usize, sum: u32) {
        self.file.part_mut(self.place(part, row))[0] = sum;
    }

    /// Takes those of some rows as they are now, `step` having left them so.
    pub(super) fn take<'a, T: Pod + Sync>(
        &mut self,
        (part, step): (Part, usize),
        rows: Range<usize>,
        numbers: &(dyn Fn(usize) -> &'a [T] + Sync),
    ) {
        let (seed, first) = (self.seed, rows.start);
        let sum = |i: usize| seed.sum(part, step, first + i, numbers(first + i));
        let sums = parallel::map(rows.len(), &sum);
        rows.zip(sums).for_each(|(row, sum)| self.set(part, row, sum));
    }

    /// The first of some rows that is not as `step` has left it.
    pub(super) fn first_damaged<'a, T: Pod + Sync>(
        &self,
        (part, step): (Part, usize),
        rows: Range<usize>,
        numbers: &(dyn Fn(usize) -> &'a [T] + Sync),
    ) -> Option<usize> {
        let first = rows.start;
        let is_damaged = |row| self.seed.sum(part, step, row, numbers(row)) != self.get(part, row);
        let find = |part: Range<usize>| {
            (first + part.start..first + part.end).find(|&row| is_damaged(row))
        };
        parallel::find_first(rows.len(), ROWS, &find)
    }

    /// Returns when all of them are on the disk.
    pub(super) fn flush(&self) -> Result<(), ScratchError> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::super::journal::State;
    use super::*;
    use crate::Number;

    fn journal() -> Journal {
        Journal {
            graph: "ab".repeat(32),
            numbers: Number::I32,
            n_vertices: 300,
            side: 384,
            block: 256,
            matrix: State::Filled,
            blocks_done: 1,
            panels_ready: true,
            hop_rows: 0,
        }
    }

    #[test]
    fn each_row_has_its_own_checksum() {
        let folder = tempfile::tempdir().unwrap();
        let mut sums = Sums::create(folder.path(), &journal()).unwrap();
        let rows = |part| match part {
            Part::Marks => 1,
            Part::Pivots => 256,
            _ => 384,
        };
        let parts = [Part::Matrix, Part::Columns, Part::Hops, Part::Marks, Part::Pivots];
        let all = || parts.into_iter().flat_map(|part| (0..rows(part)).map(move |row| (part, row)));
        for (sum, (part, row)) in (1..).zip(all()) {
            sums.set(part, row, sum);
        }
        for (sum, (part, row)) in (1..).zip(all()) {
            assert_eq!(sums.get(part, row), sum, "{part:?} {row}");
        }
    }

    #[test]
    fn what_a_row_is_of_counts() {
        let seed = Seed::of(&journal());
        let numbers = [1i32, 2, 3];
        let sum = seed.sum(Part::Matrix, 1, 7, &numbers);
        assert_eq!(sum, go_on(go_on(seed.begin(Part::Matrix, 1, 7), &numbers[..1]), &numbers[1..]));
        let others = [
            seed.sum(Part::Hops, 1, 7, &numbers),
            seed.sum(Part::Matrix, 2, 7, &numbers),
            seed.sum(Part::Matrix, 1, 8, &numbers),
            seed.sum(Part::Matrix, 1, 7, &[1i32, 3, 2]),
            Seed::of(&Journal { graph: "cd".repeat(32), ..journal() }).sum(
                Part::Matrix,
                1,
                7,
                &numbers,
            ),
            Seed::of(&Journal { block: 128, ..journal() }).sum(Part::Matrix, 1, 7, &numbers),
        ];
        assert!(others.iter().all(|&other| other != sum), "{others:?} {sum}");
    }
}
