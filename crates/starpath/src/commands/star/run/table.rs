//! Files with a table: for each row a number, or its bits.

use std::path::Path;

use anyhow::{anyhow, bail};
use star_machine::{Slice, Table};

use crate::commands::star::column::{Column, WHAT, n_bits};
use crate::commands::star::results::BITS;
use crate::numbers::read_numbers;

/// A table that was read.
pub(super) enum TableFile {
    /// Numbers, whose number of bits is decided later.
    Numbers(Column),
    Bits(Table),
}

impl TableFile {
    /// Reads a file; its first line decides whether it holds numbers or bits.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let entries = read_numbers(path, WHAT)?;
        match entries.first() {
            Some((_, first)) if first.starts_with(BITS) => of_bits(path, &entries).map(Self::Bits),
            _ => Column::of(path, entries).map(Self::Numbers),
        }
    }

    /// The bits that its largest number needs; `None` for rows of bits.
    pub(super) fn least_bits(&self) -> Option<usize> {
        match self {
            Self::Numbers(column) => column.values.iter().map(|&value| n_bits(value)).max(),
            Self::Bits(_) => None,
        }
    }
}

/// Rows of bits, all as long as the first.
fn of_bits(path: &Path, entries: &[(usize, String)]) -> anyhow::Result<Table> {
    let digits = |entry: &str| entry.strip_prefix(BITS).map_or(0, str::len);
    let columns = entries.first().map_or(0, |(_, first)| digits(first));
    let mut table = Table::zeros(entries.len(), columns)?;
    for (row, (line, entry)) in entries.iter().enumerate() {
        let wrong = || {
            anyhow!(
                "{}:{line}: expected a row of bits such as 0b0110, found '{entry}'",
                path.display()
            )
        };
        let bits = bits_of(entry).ok_or_else(wrong)?;
        if bits.len() != columns {
            let shown = path.display();
            bail!(
                "{shown}:{line}: this row has {} bits, and the first row has {columns}; all rows \
                   must have as many",
                bits.len()
            );
        }
        table.set_row(row, &bits.into_word())?;
    }
    Ok(table)
}

/// The bits of a text such as `0b0110`; `None` for any other text.
pub(super) fn bits_of(text: &str) -> Option<Slice> {
    let digits = text.strip_prefix(BITS).filter(|digits| !digits.is_empty())?;
    let bit = |digit| match digit {
        '0' => Some(false),
        '1' => Some(true),
        _ => None,
    };
    let bits: Vec<bool> = digits.chars().map(bit).collect::<Option<_>>()?;
    Slice::from_bits(&bits).ok()
}
