//! What a program gives: as JSON and people have it, and as files.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use graph_formats::AtomicFile;
use serde::{Serialize, Serializer};
use star_machine::{Parameter, StarError, Table, Word};

use super::arguments::{Arguments, Value};
use super::table::BITS;
use crate::cli::{Named, RunArgs};
use crate::commands::star::Listed;
use crate::failure::WrongUse;
use crate::output::{check_file, is_standard_output};
use crate::progress::check_interrupt;
use crate::report::grouped;

/// A word as a number; where it is longer, its bits.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Row {
    Number(u64),
    Bits(String),
}

/// What a parameter holds in the end.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Held {
    Rows(Vec<Row>),
    /// The rows of a slice that are marked.
    Marked(Vec<usize>),
    Word(Row),
    /// As the text counts.
    Integer(i64),
}

/// Results by name.
pub(super) struct Results(pub(super) Vec<(String, Held)>);

impl Row {
    fn of(word: &Word) -> Result<Self, StarError> {
        Ok(match word.len() {
            ..=64 => Self::Number(word.to_u64()?),
            _ => Self::Bits(format!("{BITS}{word}")),
        })
    }
}

impl Held {
    /// What a parameter of this type holds, where positions count from `first`.
    pub(super) fn of(of: &str, value: &Value, first: usize) -> Result<Self, StarError> {
        Ok(match value {
            Value::Table(table) => Self::Rows(rows(table)?),
            Value::Bits(bits) if of == "slice" => {
                Self::Marked(bits.positions().map(|row| row + first).collect())
            }
            Value::Bits(bits) => Self::Word(Row::of(&bits.clone().into_word())?),
            Value::Integer(value) => {
                Self::Integer(value.map_or(-1, i64::from) + i64::from(first as u32))
            }
        })
    }
}

fn rows(table: &Table) -> Result<Vec<Row>, StarError> {
    if table.columns() <= 64 {
        return Ok(table.to_values()?.into_iter().map(Row::Number).collect());
    }
    (0..table.rows()).map(|row| Row::of(&table.row(row)?)).collect()
}

/// The files that results go to, by parameter: checked, and opened when all is computed.
pub(super) struct Outputs<'a>(Vec<(usize, &'a Path)>);

impl<'a> Outputs<'a> {
    pub(super) fn check(
        args: &'a RunArgs,
        proc: &str,
        parameters: &[Parameter],
        inputs: &[PathBuf],
    ) -> anyhow::Result<Self> {
        let mut inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
        inputs.push(&args.file);
        let mut outputs: Vec<(usize, &Path)> = Vec::new();
        for Named { name, value } in &args.outputs {
            let path = Path::new(value);
            let refuse = |text: String| Err(WrongUse(format!("-o {name}={value}: {text}")).into());
            let is_result = |parameter: &Parameter| parameter.is_result && parameter.name == *name;
            let Some(number) = parameters.iter().position(is_result) else {
                let results = parameters.iter().filter(|parameter| parameter.is_result);
                let names: Vec<_> = results.map(|parameter| &*parameter.name).collect();
                return refuse(match &names[..] {
                    [] => format!("{proc} has no results: no parameter is declared after var"),
                    names => format!("the results of {proc} are {}", names.join(", ")),
                });
            };
            let is_csv = path.extension().is_some_and(|suffix| suffix == "csv");
            if !is_csv && !is_standard_output(path) {
                return refuse("unknown format for a result; expected .csv, or -".to_owned());
            }
            if outputs.iter().any(|&(other, file)| other == number || file == path) {
                return refuse("is given twice; write each result to a file of its own".to_owned());
            }
            check_file(path, &inputs)?;
            outputs.push((number, path));
        }
        Ok(Self(outputs))
    }

    /// Whether the parameter of this number is written to a file.
    pub(super) fn has(&self, number: usize) -> bool {
        self.0.iter().any(|&(other, _)| other == number)
    }

    /// Writes them, and puts them in place when all are complete.
    pub(super) fn write(
        &self,
        arguments: &Arguments,
        values: &[Value],
        first: usize,
    ) -> anyhow::Result<()> {
        let mut written = Vec::new();
        for &(number, path) in &self.0 {
            let mut file = AtomicFile::create(path)?;
            let of = arguments.0[number].parameter.of;
            let held = match &values[number] {
                // a line for every row, marked or not
                Value::Bits(bits) if of == "slice" => {
                    let row = |bit| Row::Number(u64::from(bit));
                    Held::Rows(bits.iter().map(row).collect())
                }
                value => Held::of(of, value, first)?,
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
            Self::Marked(rows) => rows.iter().try_for_each(|row| writeln!(file, "{row}")),
            Self::Word(word) => writeln!(file, "{word}"),
            Self::Integer(number) => writeln!(file, "{number}"),
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
        let counted =
            |n: usize| format!("{} {}", grouped(n as u128), if n == 1 { "row" } else { "rows" });
        for (name, held) in &self.0 {
            match held {
                Held::Rows(rows) => write!(f, "\n{name}: {}{}", counted(rows.len()), Listed(rows)),
                Held::Marked(rows) => {
                    write!(f, "\n{name}: {}{}", counted(rows.len()), Listed(rows))
                }
                Held::Word(word) => write!(f, "\n{name}: {word}"),
                Held::Integer(number) => write!(f, "\n{name}: {number}"),
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
