//! Files with a number for each row, and lists of rows.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use star_machine::{Slice, Table};

use crate::failure::WrongUse;
use crate::numbers::read_numbers;

/// What a message calls an entry.
pub(super) const WHAT: &str = "unsigned integer";

/// A number for each row, with its line in the file.
pub(super) struct Column {
    path: PathBuf,
    lines: Vec<usize>,
    pub(super) values: Vec<u64>,
}

impl Column {
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        Self::of(path, read_numbers(path, WHAT)?)
    }

    /// The entries of a file, each with its line.
    pub(super) fn of(path: &Path, entries: Vec<(usize, String)>) -> anyhow::Result<Self> {
        let number = |(line, entry): (usize, String)| {
            let value = entry.parse().map_err(|_| {
                anyhow!("{}:{line}: expected one {WHAT} a line, found '{entry}'", path.display())
            });
            Ok((line, value?))
        };
        let numbers: Vec<(usize, u64)> =
            entries.into_iter().map(number).collect::<anyhow::Result<_>>()?;
        let (lines, values) = numbers.into_iter().unzip();
        Ok(Self { path: path.to_owned(), lines, values })
    }

    /// Reads a file that must have as many rows as `table`.
    pub(super) fn read_beside(path: &Path, table: &Self) -> anyhow::Result<Self> {
        let column = Self::read(path)?;
        let (found, expected) = (column.values.len(), table.values.len());
        if found != expected {
            let (shown, table) = (path.display(), table.path.display());
            bail!(
                "{shown}: it has {found} numbers, and {table} has {expected} rows; they must be as \
                 many"
            );
        }
        Ok(column)
    }

    /// The numbers as words of `bits` bits; `option` is the flag that sets this number, for the
    /// error.
    pub(super) fn to_table(&self, bits: usize, option: &str) -> anyhow::Result<Table> {
        if let Some(row) = self.values.iter().position(|&value| n_bits(value) > bits) {
            let (shown, line, value) = (self.path.display(), self.lines[row], self.values[row]);
            let least = n_bits(value);
            bail!("{shown}:{line}: {value} does not fit into {bits} bits; use {option}{least}");
        }
        Ok(Table::from_values(&self.values, bits)?)
    }

    /// Ones and zeros as a set of rows.
    pub(super) fn into_slice(self) -> anyhow::Result<Slice> {
        if let Some(row) = self.values.iter().position(|&value| value > 1) {
            let (shown, line, value) = (self.path.display(), self.lines[row], self.values[row]);
            bail!("{shown}:{line}: expected 1 for a row that takes part, or 0, found {value}");
        }
        let bits: Vec<bool> = self.values.iter().map(|&value| value == 1).collect();
        Ok(Slice::from_bits(&bits)?)
    }
}

/// The bits that a number needs, at least 1.
pub(super) fn n_bits(value: u64) -> usize {
    value.checked_ilog2().unwrap_or(0) as usize + 1
}

/// A set of rows from a list such as 0,3,10-19, which counts from `first_row`; `option` is the flag
/// that has the list, for errors.
pub(super) fn listed(
    option: &str,
    list: &str,
    n_rows: usize,
    first_row: usize,
) -> anyhow::Result<Slice> {
    let mut rows = Slice::zeros(n_rows)?;
    let numbered = first_row..n_rows.saturating_add(first_row);
    for part in list.split(',') {
        let wrong = || {
            let text = format!(
                "{option}: '{part}' is not a row; expected a list such as 0,3,10-19, or a .csv file"
            );
            anyhow!(WrongUse(text))
        };
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(wrong());
        }
        if let Some(row) = [first, last].into_iter().find(|row| !numbered.contains(row)) {
            bail!(
                "{option}: there is no row {row}; the {n_rows} rows are numbered from {first_row}"
            );
        }
        (first..=last).try_for_each(|row| rows.set(row - first_row, true))?;
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_rows() {
        for (list, first) in [("0, 3,5-7,6", 0), ("1, 4,6-8,7", 1)] {
            let rows = listed("--rows", list, 9, first).unwrap();
            assert_eq!(rows.positions().collect::<Vec<_>>(), [0, 3, 5, 6, 7]);
        }
        for bad in ["", "1,", "-", "3-", "-3", "5-3", "x", "9", "0-9", "99999999999999999999"] {
            assert!(listed("--rows", bad, 9, 0).is_err(), "{bad}");
        }
        assert!(listed("--rows", "0", 9, 1).is_err() && listed("--rows", "9", 9, 1).is_ok());
        assert_eq!([0, 1, 2, 255, 256, u64::MAX].map(n_bits), [1, 1, 2, 8, 9, 64]);
    }
}
