//! `star`: the basic procedures of the STAR-machine on columns of numbers.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Search, compare and add columns of numbers as the STAR-machine does: bit by bit, all rows
/// at once
#[derive(Debug, Args)]
#[command(after_help = "\
A table is a file with a column of unsigned integers, one a line; empty lines and what follows #
do not count. Rows are numbered from 0. In the machine a row is a word of --bits bits, and an
operation takes a column of bits of all rows: what a procedure costs there depends on the bits
of a word, not on the rows.

Results (-o OUT.csv): a line for every row. Procedures that find rows write 1 for a row found and
0 for every other; add and subtract write the numbers, 0 for rows that take no part.

Example:
  starpath star match ages.csv --word 42 -o found.csv
  starpath star min ages.csv --rows found.csv
  starpath star max ages.csv --rows 0,3,10-19
  starpath star compare ages.csv --word 42
  starpath star setmin before.csv after.csv
  starpath star add before.csv --word 5 --bits 8 -o dearer.csv
  starpath star subtract before.csv after.csv --json")]
pub(crate) struct StarArgs {
    /// What to do
    #[arg(value_enum)]
    pub(crate) procedure: StarProcedure,
    /// The table
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
    /// Rows that take part: a list as 0,3,10-19, or a file as -o writes it [default: all]
    #[arg(long, value_name = "ROWS")]
    pub(crate) rows: Option<String>,
    /// Write the result: OUT.csv, see below
    #[arg(short, long, value_name = "OUT.csv")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StarProcedure {
    /// MATCH: rows equal to --word
    Match,
    /// LESS and GREAT: rows less than --word, equal to it, and greater
    Compare,
    /// MIN: all rows with the least number
    Min,
    /// MAX: all rows with the greatest number
    Max,
    /// HIT: rows in which the two tables are equal
    Hit,
    /// SETMIN: rows in which the first table is less than the second
    Setmin,
    /// SETMAX: rows in which the first table is greater than the second
    Setmax,
    /// ADDC, ADDV: the table and --word, or the second table, modulo 2 to the bits
    Add,
    /// SUBTC, SUBTV: the table less --word, or the second table, modulo 2 to the bits
    Subtract,
}
