//! `star run`: a program in the language Star, and the values of its parameters.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

/// Run a program in the language Star, in which the papers print their procedures
#[derive(Debug, Args)]
#[command(after_help = "\
The file crates/star-machine/LANGUAGE.md describes the language. PROC is the procedure to run. Its
parameters get their values by name:
  --table T=FILE.csv       a row for each unsigned integer of the file; T=FILE.csv:8 sets the number
                           of bits of a row. The default, for all tables without a number of bits,
                           is what their largest number needs. Lines may also be bits, 0b0110, all
                           of one length.
  --table T=100x8          100 rows of 8 bits, all zero
  --slice X=FILE.csv       a 1 for every row that is marked and a 0 for every other
  --slice X=0,3,10-19      these rows; also all, none
  --word v=42              a number; v=42:8 sets its number of bits
  --integer i=5            a number, or -1 for none
A parameter declared as slice(T), word(T) or table(T) has the size of T; for others X=none:100 and
v=42:8 set the size. Parameters after var need no value if their size is known: they start with
zeros, integers with none.

Results (-o NAME=OUT.csv): parameters after var. Tables and slices are written as they are read, a
word or an integer as one number, and words and rows of more than 64 bits as bits.

With --from-one, positions count from 1 in the program, in lists and in results, and the integer 0
means none. Programs of the papers then run as they are printed.

Example:
  starpath star run nearest.star --table T=ages.csv --slice X=all -o Z=nearest.csv
  starpath star run kruskal.star --table L=from.csv --table R=to.csv --table W=weights.csv:16 \\
      --slice X=all -o T=forest.csv --cost
  starpath star run listing1.star WARSHALL --from-one --integer n=5 --table P=arcs.csv:5
  starpath star run nearest.star --table T=1000x8 --slice X=none --list")]
pub(crate) struct RunArgs {
    /// The file with the program
    #[arg(value_name = "FILE.star")]
    pub(crate) file: PathBuf,
    /// The procedure to run [default: the last of the file]
    #[arg(value_name = "PROC")]
    pub(crate) procedure: Option<String>,
    /// The value of a table, see below
    #[arg(long = "table", value_name = "NAME=FILE.csv")]
    pub(crate) tables: Vec<Named>,
    /// The value of a slice, see below
    #[arg(long = "slice", value_name = "NAME=ROWS")]
    pub(crate) slices: Vec<Named>,
    /// The value of a word, see below
    #[arg(long = "word", value_name = "NAME=NUMBER")]
    pub(crate) words: Vec<Named>,
    /// The value of an integer, see below
    #[arg(long = "integer", value_name = "NAME=NUMBER")]
    pub(crate) integers: Vec<Named>,
    /// Write a result, see below
    #[arg(short = 'o', long = "output", value_name = "NAME=OUT.csv")]
    pub(crate) outputs: Vec<Named>,
    /// Count positions from 1, as the papers do [default: from 0]
    #[arg(long)]
    pub(crate) from_one: bool,
    /// Stop the program after N iterations of its loops, added up over all loops [default: 2^36]
    #[arg(long, value_name = "N")]
    pub(crate) most_turns: Option<u64>,
    /// Count the operations of the abstract machine, by a second run on the CPU
    #[arg(long)]
    pub(crate) cost: bool,
    /// Print the steps of the compiled program and do not run it
    #[arg(long, conflicts_with_all = ["outputs", "cost"])]
    pub(crate) list: bool,
}

/// A parameter and the value that the command line gives it.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) value: String,
}

impl FromStr for Named {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() && !value.is_empty() => {
                Ok(Self { name: name.to_owned(), value: value.to_owned() })
            }
            _ => Err("expected NAME=VALUE, with the name of a parameter"),
        }
    }
}
