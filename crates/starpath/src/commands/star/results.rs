//! The results of a program or a procedure: in JSON, in the report, and in files.

use std::fmt;
use std::io::Write;

use graph_formats::AtomicFile;
use serde::{Serialize, Serializer};
use star_machine::algorithms::Value;
use star_machine::{StarError, Table, Word};

use super::Listed;
use crate::report::{ROWS, counted};

/// The prefix of bits.
pub(super) const BITS: &str = "0b";

/// A word as a number, or its bits if it has more than 64.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Row {
    Number(i128),
    Bits(String),
}

/// The value of a parameter after the run.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Held {
    /// The rows of a table, or those of a slice that are marked.
    Rows(Vec<Row>),
    /// A word, or an integer, which counts from 1 with `--from-one`.
    One(Row),
}

/// Results by name.
pub(super) struct Results(pub(super) Vec<(String, Held)>);

impl Row {
    fn of(word: &Word) -> Result<Self, StarError> {
        Ok(match word.len() {
            ..=64 => Self::Number(word.to_u64()?.into()),
            _ => Self::Bits(format!("{BITS}{word}")),
        })
    }
}

impl Held {
    /// The value of a parameter; positions count from `first`.
    pub(super) fn of(value: &Value, first: usize) -> Result<Self, StarError> {
        Ok(match value {
            Value::Table(table) => Self::Rows(rows(table)?),
            Value::Slice(x) => {
                let number = |row| Row::Number((row + first) as i128);
                Self::Rows(x.positions().map(number).collect())
            }
            Value::Word(word) => Self::One(Row::of(word)?),
            Value::Int(value) => {
                Self::One(Row::Number(value.map_or(-1, i128::from) + first as i128))
            }
        })
    }
}

fn rows(table: &Table) -> Result<Vec<Row>, StarError> {
    if table.columns() <= 64 {
        return Ok(table.to_values()?.into_iter().map(|n| Row::Number(n.into())).collect());
    }
    (0..table.rows()).map(|row| Row::of(&table.row(row)?)).collect()
}

/// Writes a line for every number, and for every row of a slice, marked or not.
pub(super) fn write_value(
    file: &mut AtomicFile,
    value: &Value,
    first: usize,
) -> anyhow::Result<()> {
    let held = match value {
        Value::Slice(x) => Held::Rows(x.iter().map(|bit| Row::Number(bit.into())).collect()),
        value => Held::of(value, first)?,
    };
    let written = match held {
        Held::Rows(rows) => rows.iter().try_for_each(|row| writeln!(file, "{row}")),
        Held::One(row) => writeln!(file, "{row}"),
    };
    Ok(written.and_then(|()| file.flush()).map_err(|error| file.error(error))?)
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Bits(bits) => bits.fmt(f),
        }
    }
}

/// A line for each parameter.
impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, held) in &self.0 {
            match held {
                Held::Rows(rows) => {
                    write!(f, "\n{name}: {}{}", counted(rows.len(), ROWS), Listed(rows))
                }
                Held::One(row) => write!(f, "\n{name}: {row}"),
            }?;
        }
        Ok(())
    }
}

impl Serialize for Results {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, held)| (name, held)))
    }
}
