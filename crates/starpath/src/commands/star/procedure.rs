//! A basic procedure of the STAR-machine on columns of numbers.

use std::fmt;
use std::path::Path;

use anyhow::anyhow;
use graph_formats::AtomicFile;
use serde::Serialize;
use star_machine::algorithms::Value;
use star_machine::{Counting, Cuda, Host, Machine, Slice, StarError, Table, Word};

use super::Listed;
use super::column::{Column, listed, n_bits};
use super::operations::Operations;
use super::results::{Held, Results, write_value};
use super::task::{Found, Task};
use crate::backend;
use crate::cli::{Common, Procedure};
use crate::failure::WrongUse;
use crate::output::{check_file, is_standard_output, shown_output};
use crate::report::{self, Ms, grouped, least, median};
use crate::search::repeated;

#[derive(Serialize)]
struct Report {
    command: &'static str,
    procedure: &'static str,
    backend: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<String>,
    rows: usize,
    bits: usize,
    /// Rows that take part.
    taking_part: usize,
    /// The median, where the work was repeated.
    solve_ms: Ms,
    #[serde(skip_serializing_if = "Option::is_none")]
    solve_min_ms: Option<Ms>,
    found: Results,
    /// The numbers that a procedure computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<Vec<u64>>,
    operations: Operations,
}

pub(super) fn run(procedure: &Procedure, common: &Common) -> anyhow::Result<()> {
    let (name, args) = procedure.parts();
    let is_csv = |path: &&Path| path.extension().is_some_and(|suffix| suffix == "csv");
    let rows_file = args.rows.as_deref().map(Path::new).filter(is_csv);
    if let Some(output) = args.output.as_deref() {
        let is_column = is_csv(&output) || is_standard_output(output);
        if !is_column || matches!(procedure, Procedure::Compare(_)) {
            let shown = shown_output(output);
            let message = if is_column {
                format!("{shown}: compare has three results, and a file holds one; use --json")
            } else {
                format!("{shown}: unknown format; expected a file that ends in .csv, or -")
            };
            return Err(WrongUse(message).into());
        }
        let read = [Some(&*args.table), args.other.as_deref(), rows_file];
        check_file(output, &read.into_iter().flatten().collect::<Vec<_>>())?;
    }
    let column = Column::read(&args.table)?;
    let n_rows = column.values.len();
    let beside = |path: &Path| Column::read_beside(path, &column);
    let other = args.other.as_deref().map(beside).transpose()?;
    let rows = match (&args.rows, rows_file) {
        (_, Some(path)) => beside(path)?.into_slice()?,
        (Some(list), None) => listed("--rows", list, n_rows, 0)?,
        (None, None) => Slice::ones(n_rows)?,
    };
    let values = column.values.iter().chain(other.iter().flat_map(|other| &other.values));
    let largest = values.chain(&args.word).copied().max().unwrap_or(0);
    let bits = args.bits.map_or(n_bits(largest), usize::from);
    let table = column.to_table(bits, "--bits ")?;
    let other = other.map(|other| other.to_table(bits, "--bits ")).transpose()?;
    let word = args.word.map(|word| match Word::from_u64(word, bits) {
        Ok(word) => Ok(word),
        Err(_) => {
            let least = n_bits(word);
            Err(anyhow!("--word {word} does not fit into {bits} bits; use --bits {least}"))
        }
    });
    let task = Task::of(procedure, word.transpose()?, other)?;
    let gpu = backend::gpu_on_request(common)?;
    let (found, times) = match &gpu {
        Some(gpu) => timed(&mut Cuda::new(gpu)?, &task, &table, &rows, common)?,
        None => timed(&mut Host::new(), &task, &table, &rows, common)?,
    };
    let mut counting = Counting::new(Host::new());
    task.carry_out(&mut counting, &table, &rows)?;
    let numbers = found.numbers.as_ref().map(|table| table.to_values()).transpose()?;
    let first = found.sets.first().map(|(_, set)| Value::Slice(set.clone()));
    if let (Some(output), Some(value)) = (&args.output, found.numbers.map(Value::Table).or(first)) {
        let mut file = AtomicFile::create(output)?;
        write_value(&mut file, &value, 0)?;
        file.commit()?;
    }
    let held = |(name, set): (&str, Slice)| Ok((name.to_owned(), Held::of(&Value::Slice(set), 0)?));
    let report = Report {
        command: "star",
        procedure: name,
        backend: if gpu.is_some() { "cuda" } else { "cpu" },
        device: gpu.map(|gpu| gpu.properties().name.clone()),
        rows: n_rows,
        bits,
        taking_part: rows.numb(),
        solve_ms: median(&times),
        solve_min_ms: least(&times, common),
        found: Results(found.sets.into_iter().map(held).collect::<Result<_, StarError>>()?),
        numbers: numbers.filter(|_| args.output.is_none()),
        operations: Operations::of(counting.cost()),
    };
    report::print(&report, common)
}

/// What the procedure finds on a machine, and the times of its runs, with the copies of the table
/// to the machine and of the results back.
fn timed<M: Machine>(
    machine: &mut M,
    task: &Task<'_>,
    table: &Table,
    rows: &Slice,
    common: &Common,
) -> anyhow::Result<(Found, Vec<f64>)> {
    repeated(common, || {
        let mark = machine.mark();
        let found = task.carry_out(machine, table, rows);
        machine.release(mark);
        Ok(found?)
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { procedure, bits, taking_part, solve_ms, .. } = self;
        let rows = grouped(self.rows as u64);
        writeln!(
            f,
            "{rows} rows of {bits} bits, {} take part; {procedure} took {solve_ms} ms{}",
            grouped(*taking_part as u64),
            self.found
        )?;
        if let Some(numbers) = &self.numbers {
            writeln!(f, "numbers{}", Listed(numbers))?;
        }
        write!(f, "{}", self.operations)
    }
}
