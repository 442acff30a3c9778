//! What a program gives: as JSON and people have it, and as files.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use graph_formats::AtomicFile;
use serde::{Serialize, Serializer};
use star_machine::algorithms::Value;
use star_machine::{Parameter, StarError, Table, Word};

use super::table::BITS;
use crate::cli::{Named, RunArgs};
use crate::commands::star::Listed;
use crate::failure::WrongUse;
use crate::output::{check_file, is_standard_output};
use crate::progress::check_interrupt;
use crate::report::{ROWS, counted};

/// A word as a number; where it is longer, its bits.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Row {
    Number(i128),
    Bits(String),
}

/// What a parameter holds in the end.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Held {
    /// The rows of a table, or those of a slice that are marked.
    Rows(Vec<Row>),
    /// A word, or an integer as the text counts.
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
    /// What a parameter holds, where positions count from `first`.
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

/// The files that results go to, by the name of the parameter: checked, and opened when all is computed.
pub(super) struct Outputs<'a>(Vec<(&'a str, &'a Path)>);

impl<'a> Outputs<'a> {
    pub(super) fn check(
        args: &'a RunArgs,
        proc: &str,
        parameters: &[Parameter],
        inputs: &[PathBuf],
    ) -> anyhow::Result<Self> {
        let mut inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
        inputs.push(&args.file);
        let mut outputs: Vec<(&str, &Path)> = Vec::new();
        for Named { name, value } in &args.outputs {
            let path = Path::new(value);
            let refuse = |text: String| Err(WrongUse(format!("-o {name}={value}: {text}")).into());
            let is_result = |parameter: &Parameter| parameter.is_result && parameter.name == *name;
            if !parameters.iter().any(is_result) {
                let results = parameters.iter().filter(|parameter| parameter.is_result);
                let names: Vec<_> = results.map(|parameter| &*parameter.name).collect();
                return refuse(match &names[..] {
                    [] => format!("{proc} has no results: no parameter is declared after var"),
                    names => format!("the results of {proc} are {}", names.join(", ")),
                });
            }
            let is_csv = path.extension().is_some_and(|suffix| suffix == "csv");
            if !is_csv && !is_standard_output(path) {
                return refuse("unknown format for a result; expected .csv, or -".to_owned());
            }
            if outputs.iter().any(|&(other, file)| other == name || file == path) {
                return refuse("is given twice; write each result to a file of its own".to_owned());
            }
            check_file(path, &inputs)?;
            outputs.push((name, path));
        }
        Ok(Self(outputs))
    }

    /// Whether the parameter of this name is written to a file.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|&(other, _)| other == name)
    }

    /// Writes them, and puts them in place when all are complete.
    pub(super) fn write(
        &self,
        values: &HashMap<String, Value>,
        first: usize,
    ) -> anyhow::Result<()> {
        let mut written = Vec::new();
        for &(name, path) in &self.0 {
            let mut file = AtomicFile::create(path)?;
            let held = match &values[name] {
                // a line for every row, marked or not
                Value::Slice(x) => {
                    Held::Rows(x.iter().map(|bit| Row::Number(bit.into())).collect())
                }
                value => Held::of(value, first)?,
            };
            held.write(&mut file).map_err(|error| file.error(error))?;
            written.push(file);
        }
        check_interrupt()?;
        for file in written {
            file.commit()?;
        }
        Ok(())
    }
}

impl Held {
    /// A line for every number.
    fn write(&self, file: &mut AtomicFile) -> io::Result<()> {
        match self {
            Self::Rows(rows) => rows.iter().try_for_each(|row| writeln!(file, "{row}")),
            Self::One(row) => writeln!(file, "{row}"),
        }?;
        file.flush()
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Bits(bits) => bits.fmt(f),
        }
    }
}

/// A line for each.
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
