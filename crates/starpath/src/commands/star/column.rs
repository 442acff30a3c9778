//! Files with a number for every row, and lists of rows.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use star_machine::{Slice, Table};

use crate::failure::WrongUse;
use crate::numbers::read_numbers;

/// A number for every row, and where it stands.
pub(super) struct Column {
    path: PathBuf,
    lines: Vec<usize>,
    pub(super) values: Vec<u64>,
}

impl Column {
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let (lines, values) = read_numbers(path, "unsigned integer")?.into_iter().unzip();
        Ok(Self { path: path.to_owned(), lines, values })
    }

    /// Reads a file that is about the rows of another.
    pub(super) fn read_beside(path: &Path, table: &Self) -> anyhow::Result<Self> {
        let column = Self::read(path)?;
        let (found, expected) = (column.values.len(), table.values.len());
        if found != expected {
            let (shown, table) = (path.display(), table.path.display());
            bail!(
                "{shown}: {found} numbers for the {expected} rows of {table}; it needs one a row"
            );
        }
        Ok(column)
    }

    /// The numbers as words of so many bits.
    pub(super) fn to_table(&self, bits: usize) -> anyhow::Result<Table> {
        if let Some(row) = self.values.iter().position(|&value| n_bits(value) > bits) {
            let (shown, line, value) = (self.path.display(), self.lines[row], self.values[row]);
            let least = n_bits(value);
            bail!(
                "{shown}:{line}: {value} does not fit into {bits} bits; allow {least} with --bits"
            );
        }
        Ok(Table::from_values(&self.values, bits)?)
    }

    /// Ones and zeros as a set of rows.
    pub(super) fn into_slice(self) -> anyhow::Result<Slice> {
        if let Some(row) = self.values.iter().position(|&value| value > 1) {
            let (shown, line, value) = (self.path.display(), self.lines[row], self.values[row]);
            bail!(
                "{shown}:{line}: {value} marks no row; expected 1 for a row that takes part, or 0"
            );
        }
        let bits: Vec<bool> = self.values.iter().map(|&value| value == 1).collect();
        Ok(Slice::from_bits(&bits)?)
    }
}

/// The bits that a number needs, at least 1.
pub(super) fn n_bits(value: u64) -> usize {
    value.checked_ilog2().unwrap_or(0) as usize + 1
}

/// A set of rows as a list like 0,3,10-19.
pub(super) fn listed(list: &str, n_rows: usize) -> anyhow::Result<Slice> {
    let mut rows = Slice::zeros(n_rows)?;
    for part in list.split(',') {
        let wrong = || {
            let text =
                format!("--rows '{part}' is no row; expected a list as 0,3,10-19, or a .csv");
            anyhow!(WrongUse(text))
        };
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(wrong());
        }
        if last >= n_rows {
            bail!("--rows: there is no row {last}; the {n_rows} rows are numbered from 0");
        }
        (first..=last).try_for_each(|row| rows.set(row, true))?;
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_rows() {
        let rows = listed("0, 3,5-7,6", 9).unwrap();
        assert_eq!(rows.positions().collect::<Vec<_>>(), [0, 3, 5, 6, 7]);
        for bad in ["", "1,", "-", "3-", "-3", "5-3", "x", "9", "0-9", "99999999999999999999"] {
            assert!(listed(bad, 9).is_err(), "{bad}");
        }
        assert_eq!([0, 1, 2, 255, 256, u64::MAX].map(n_bits), [1, 1, 2, 8, 9, 64]);
    }
}
