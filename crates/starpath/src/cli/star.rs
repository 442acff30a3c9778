//! `star`: the basic procedures of the STAR-machine on columns of numbers, and programs for it.

mod graph;
mod run;

use std::path::PathBuf;

use clap::{Arg, Args, Subcommand};

pub(crate) use graph::{GraphAlgorithm, OnChanges};
pub(crate) use run::{Named, RunArgs};

/// Search, compare and add columns of numbers as the STAR-machine does, bit by bit and all rows
/// at once; run programs for it
#[derive(Debug, Args)]
#[command(after_help = "\
A table is a file with one unsigned integer a line. Empty lines, and text after #, are ignored. Rows
are numbered from 0. In the machine a row is a word of --bits bits, and an operation takes one bit of
all rows: the cost of a procedure depends on the number of bits, not on the number of rows.

Results (-o OUT.csv): a line for every row. Procedures that find rows write 1 for a row found and
0 for every other; add and subtract write the numbers, and 0 for rows that do not take part.

It runs on the CPU unless --backend cuda asks for a GPU.

Example:
  starpath star match ages.csv --word 42 -o found.csv
  starpath star min ages.csv --rows found.csv
  starpath star max ages.csv --rows 0,3,10-19
  starpath star setmin before.csv after.csv
  starpath star add before.csv --word 5 --bits 8 -o dearer.csv
  starpath star run nearest.star --table T=ages.csv --slice X=all")]
pub(crate) struct StarArgs {
    #[command(subcommand)]
    pub(crate) command: StarCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StarCommand {
    #[command(flatten)]
    Procedure(Procedure),
    Run(RunArgs),
    #[command(flatten)]
    Graph(GraphAlgorithm),
}

/// Not shown in the help of a procedure that does not take it.
fn hidden(arg: Arg) -> Arg {
    arg.hide(true)
}

/// A basic procedure.
#[derive(Debug, Subcommand)]
pub(crate) enum Procedure {
    /// MATCH: rows equal to --word
    #[command(
        mut_arg("other", hidden),
        after_help = "Example:\n  starpath star match ages.csv --word 42 -o found.csv"
    )]
    Match(ProcedureArgs),
    /// LESS and GREAT: the rows less than --word, equal to it, and greater
    #[command(
        mut_arg("other", hidden),
        after_help = "Example:\n  starpath star compare ages.csv --word 42"
    )]
    Compare(ProcedureArgs),
    /// MIN: the rows that hold the least number
    #[command(
        mut_arg("other", hidden),
        mut_arg("word", hidden),
        after_help = "Example:\n  starpath star min ages.csv --rows found.csv"
    )]
    Min(ProcedureArgs),
    /// MAX: the rows that hold the greatest number
    #[command(
        mut_arg("other", hidden),
        mut_arg("word", hidden),
        after_help = "Example:\n  starpath star max ages.csv --rows 0,3,10-19"
    )]
    Max(ProcedureArgs),
    /// HIT: rows in which the two tables are equal
    #[command(
        mut_arg("word", hidden),
        after_help = "Example:\n  starpath star hit before.csv after.csv"
    )]
    Hit(ProcedureArgs),
    /// SETMIN: rows in which the first table is less than the second
    #[command(
        mut_arg("word", hidden),
        after_help = "Example:\n  starpath star setmin before.csv after.csv"
    )]
    Setmin(ProcedureArgs),
    /// SETMAX: rows in which the first table is greater than the second
    #[command(
        mut_arg("word", hidden),
        after_help = "Example:\n  starpath star setmax before.csv after.csv"
    )]
    Setmax(ProcedureArgs),
    /// ADDC, ADDV: the table plus --word, or plus the second table, modulo 2^K for numbers of K
    /// bits
    #[command(
        after_help = "Example:\n  starpath star add before.csv --word 5 --bits 8 -o dearer.csv"
    )]
    Add(ProcedureArgs),
    /// SUBTC, SUBTV: the table minus --word, or minus the second table, modulo 2^K for numbers of K
    /// bits
    #[command(after_help = "Example:\n  starpath star subtract before.csv after.csv --json")]
    Subtract(ProcedureArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ProcedureArgs {
    /// The table: a file with one unsigned integer a line
    #[arg(value_name = "TABLE.csv")]
    pub(crate) table: PathBuf,
    /// A second table, with as many rows
    #[arg(value_name = "OTHER.csv")]
    pub(crate) other: Option<PathBuf>,
    /// A number, the same for all rows
    #[arg(long, value_name = "N")]
    pub(crate) word: Option<u64>,
    /// Bits of a number, up to 64 [default: as many as the largest needs]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) bits: Option<u8>,
    /// Rows that take part: a list such as 0,3,10-19, or a file as -o writes it [default: all]
    #[arg(long, value_name = "ROWS")]
    pub(crate) rows: Option<String>,
    /// Write the result: OUT.csv, a line for every row
    #[arg(short, long, value_name = "OUT.csv")]
    pub(crate) output: Option<PathBuf>,
}

impl Procedure {
    /// Its name and its arguments.
    pub(crate) fn parts(&self) -> (&'static str, &ProcedureArgs) {
        match self {
            Self::Match(args) => ("match", args),
            Self::Compare(args) => ("compare", args),
            Self::Min(args) => ("min", args),
            Self::Max(args) => ("max", args),
            Self::Hit(args) => ("hit", args),
            Self::Setmin(args) => ("setmin", args),
            Self::Setmax(args) => ("setmax", args),
            Self::Add(args) => ("add", args),
            Self::Subtract(args) => ("subtract", args),
        }
    }
}
