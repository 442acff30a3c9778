//! The arguments of a procedure: the values of the command line, and zeros for results of a known
//! size.

use std::fmt;
use std::path::PathBuf;

use anyhow::{anyhow, bail};
use serde::Serialize;
use star_machine::algorithms::Value;
use star_machine::{Parameter, Size, Slice, Table, Word};

use super::given::{integer, slice, with_bits, word, zeros};
use super::table::TableFile;
use crate::cli::{Named, RunArgs};
use crate::failure::WrongUse;

/// A parameter and its value.
pub(super) struct Argument {
    pub(super) parameter: Parameter,
    pub(super) value: Value,
}

/// The arguments of a procedure, in the order of its parameters.
pub(super) struct Arguments(pub(super) Vec<Argument>);

/// A parameter, what the command line gives for it, and the value made from that.
struct Slot<'a> {
    parameter: &'a Parameter,
    given: Option<&'a str>,
    read: Option<TableFile>,
    value: Option<Value>,
}

impl Arguments {
    /// Reads the values that the command line gives for the parameters of `proc`.
    pub(super) fn read(
        args: &RunArgs,
        proc: &str,
        parameters: &[Parameter],
    ) -> anyhow::Result<Self> {
        let mut slots = slots(args, proc, parameters)?;
        read_tables(&mut slots)?;
        size_tables(&mut slots)?;
        let first = usize::from(args.from_one);
        let tables: Vec<(String, Size)> = slots.iter().filter_map(Slot::sized).collect();
        for slot in &mut slots {
            let size = slot.parameter.sized_by.as_ref();
            let size = size.and_then(|of| Some(tables.iter().find(|(name, _)| name == of)?.1));
            slot.find(size, first)?;
        }
        let argument = |slot: Slot<'_>| {
            let parameter = slot.parameter.clone();
            let Some(value) = slot.value else { return Err(slot.missing(proc, parameters)) };
            Ok(Argument { parameter, value })
        };
        slots.into_iter().map(argument).collect::<Result<_, _>>().map(Self)
    }

    /// Their values, in the order of the parameters.
    pub(super) fn values(&self) -> impl Iterator<Item = Value> {
        self.0.iter().map(|argument| argument.value.clone())
    }
}

/// The files that are read for arguments.
pub(super) fn inputs(args: &RunArgs) -> Vec<PathBuf> {
    let tables = args.tables.iter().map(|Named { value, .. }| with_bits(value).0.into());
    let slices = args.slices.iter().map(|Named { value, .. }| value.into());
    tables.chain(slices).collect()
}

/// The parameters, each with what the command line gives for it.
fn slots<'a>(
    args: &'a RunArgs,
    proc: &str,
    parameters: &'a [Parameter],
) -> Result<Vec<Slot<'a>>, WrongUse> {
    if let Some(Parameter { name, .. }) = parameters.iter().find(|p| p.of == "array") {
        let takes = signature(proc, parameters);
        let text = format!(
            "{takes}: {name} is an array, which the command line cannot give; run a \
                     procedure that declares the array and calls this one"
        );
        return Err(WrongUse(text));
    }
    let slot = |parameter| Slot { parameter, given: None, read: None, value: None };
    let mut slots: Vec<_> = parameters.iter().map(slot).collect();
    let given = [
        ("table", &args.tables),
        ("slice", &args.slices),
        ("word", &args.words),
        ("integer", &args.integers),
    ];
    for (of, Named { name, value }) in
        given.iter().flat_map(|(of, all)| all.iter().map(|n| (*of, n)))
    {
        let Some(slot) = slots.iter_mut().find(|slot| slot.parameter.name == *name) else {
            let takes = signature(proc, parameters);
            return Err(WrongUse(format!("--{of} {name}: {takes} has no parameter of this name")));
        };
        let is = slot.parameter.of;
        if is != of {
            let text = format!(
                "--{of} {name}: the parameter {name} of {proc} is of type {is}; use --{is}"
            );
            return Err(WrongUse(text));
        }
        if slot.given.replace(value).is_some() {
            return Err(WrongUse(format!("--{of} {name} is given twice; give it once")));
        }
    }
    Ok(slots)
}

/// Reads the tables of the command line. Numbers have the bits that it sets for their table. All
/// others have as many bits as the largest of them needs.
fn read_tables(slots: &mut [Slot<'_>]) -> anyhow::Result<()> {
    let is_table = |slot: &&mut Slot<'_>| slot.parameter.of == "table";
    for slot in slots.iter_mut().filter(is_table) {
        let Some(given) = slot.given else { continue };
        match zeros(given) {
            Some((rows, columns)) => slot.value = Some(Value::Table(Table::zeros(rows, columns)?)),
            None => slot.read = Some(TableFile::read(with_bits(given).0)?),
        }
    }
    let is_open = |slot: &&Slot<'_>| slot.given.is_some_and(|given| with_bits(given).1.is_none());
    let open = slots.iter().filter(is_open).filter_map(|slot| slot.read.as_ref()?.least_bits());
    let bits_of_all = open.max().unwrap_or(1);
    for slot in slots {
        let (Some(given), Some(read)) = (slot.given, slot.read.take()) else { continue };
        let (name, (path, bits)) = (&slot.parameter.name, with_bits(given));
        let table = match read {
            TableFile::Bits(table) if bits.is_some_and(|bits| bits != table.columns()) => {
                let (shown, columns) = (path.display(), table.columns());
                bail!(
                    "{shown}: its rows have {columns} bits; leave out the number of bits of \
                       --table {name}"
                )
            }
            TableFile::Bits(table) => table,
            TableFile::Numbers(column) => {
                let bits = bits.unwrap_or(bits_of_all);
                if !(1..=64).contains(&bits) {
                    let text = format!("--table {name}: expected 1 to 64 bits, found {bits}");
                    return Err(WrongUse(text).into());
                }
                column.to_table(bits, &format!("--table {name}={}:", path.display()))?
            }
        };
        slot.value = Some(Value::Table(table));
    }
    Ok(())
}

/// Makes the tables that are results and have the size of another table.
fn size_tables(slots: &mut [Slot<'_>]) -> anyhow::Result<()> {
    // the size of one may be that of another that this loop has not reached yet
    for _ in 0..slots.len() {
        let known: Vec<_> = slots.iter().filter_map(Slot::sized).collect();
        for slot in slots.iter_mut().filter(|slot| slot.is_unset("table")) {
            let of = slot.parameter.sized_by.as_ref();
            let like = of.and_then(|of| known.iter().find(|(name, _)| name == of));
            if let Some(&(_, Size::Table(rows, columns))) = like {
                slot.value = Some(Value::Table(Table::zeros(rows, columns)?));
            }
        }
    }
    Ok(())
}

impl Slot<'_> {
    /// Whether it is a result of this type without a value.
    fn is_unset(&self, of: &str) -> bool {
        let Self { parameter, given, value, .. } = self;
        parameter.of == of && parameter.is_result && given.is_none() && value.is_none()
    }

    /// A table's name and size, if it has a value.
    fn sized(&self) -> Option<(String, Size)> {
        let size = self.value.as_ref()?.size();
        matches!(size, Size::Table(..)).then(|| (self.parameter.name.clone(), size))
    }

    /// Finds the value of a parameter that is not a table; `size` is that of the table which it
    /// names.
    fn find(&mut self, size: Option<Size>, first: usize) -> anyhow::Result<()> {
        let (rows, columns) = match size {
            Some(Size::Table(rows, columns)) => (Some(rows), Some(columns)),
            _ => (None, None),
        };
        let name = &self.parameter.name;
        let found = match (self.parameter.of, self.given) {
            ("slice", Some(given)) => Some(Value::Slice(slice(name, given, rows, first)?)),
            ("word", Some(given)) => Some(Value::Word(word(name, given, columns)?)),
            ("integer", Some(given)) => Some(Value::Int(integer(name, given, first)?)),
            ("integer", None) if self.parameter.is_result => Some(Value::Int(None)),
            ("slice", None) if self.parameter.is_result => {
                rows.map(|len| Slice::zeros(len).map(Value::Slice)).transpose()?
            }
            ("word", None) if self.parameter.is_result => {
                columns.map(|len| Word::zeros(len).map(Value::Word)).transpose()?
            }
            _ => return Ok(()),
        };
        self.value = found;
        Ok(())
    }

    /// The error for a parameter without a value, which says how to give it.
    fn missing(&self, proc: &str, parameters: &[Parameter]) -> anyhow::Error {
        let Parameter { name, of, is_result, .. } = self.parameter;
        let (what, how) = match (is_result, *of) {
            (true, "table") => ("has no size", "ROWSxBITS"),
            (true, "slice") => ("has no size", "none:ROWS"),
            (true, _) => ("has no size", "0:BITS"),
            (false, "table") => ("has no value", "FILE.csv"),
            (false, "slice") => ("has no value", "FILE.csv, a list, all or none"),
            (false, _) => ("has no value", "NUMBER"),
        };
        let takes = signature(proc, parameters);
        anyhow!(WrongUse(format!("{takes}: {name} {what}; give it with --{of} {name}={how}")))
    }
}

/// A procedure and its parameters, as the program declares them.
fn signature(proc: &str, parameters: &[Parameter]) -> String {
    let declared = |Parameter { name, of, sized_by, is_result }: &Parameter| {
        let var = if *is_result { "var " } else { "" };
        let of_table = sized_by.as_ref().map_or_else(String::new, |table| format!("({table})"));
        format!("{var}{name}: {of}{of_table}")
    };
    let all: Vec<_> = parameters.iter().map(declared).collect();
    format!("{proc}({})", all.join("; "))
}

/// Names and sizes, as `T: 100x8, X: 100, i`.
impl fmt::Display for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, Argument { parameter, value }) in self.0.iter().enumerate() {
            write!(f, "{}{}", if number == 0 { "" } else { ", " }, parameter.name)?;
            match value.size() {
                Size::Integer => Ok(()),
                Size::Bits(len) => write!(f, ": {len}"),
                Size::Table(rows, columns) => write!(f, ": {rows}x{columns}"),
            }?;
        }
        Ok(())
    }
}

/// An argument as a report has it.
#[derive(Serialize)]
pub(super) struct Described {
    name: String,
    #[serde(rename = "type")]
    of: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bits: Option<usize>,
}

impl Described {
    pub(super) fn of(Argument { parameter, value }: &Argument) -> Self {
        let (rows, bits) = match value {
            Value::Table(table) => (Some(table.rows()), Some(table.columns())),
            Value::Slice(x) => (Some(x.len()), None),
            Value::Word(word) => (None, Some(word.len())),
            Value::Int(_) => (None, None),
        };
        Self { name: parameter.name.clone(), of: parameter.of, rows, bits }
    }
}
