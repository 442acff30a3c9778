//! The paper's machine as printed: its closures by a launch an operation, given by the host, with
//! the paper's own launches (a block of one thread a word, searches by folds of 64, rows by blocks
//! of 64 threads) and with ours.
//!
//! For `WARSHALL` and for `WARSHALL-C` the matrices grow until its time is over. What a matrix is
//! by then is compared with what the same pivots make of it on the host.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use std::ops::Range;
use std::time::Instant;

use star_machine::{Cuda, Host, Machine, StarError, TableVar, Warshall, procedures};

use super::digraph::{DENSE, Digraph};
use super::star_closures::{PAPER, paper_ms};
use super::star_operations::{A_LAUNCH_EACH, PRINTED, machine};
use super::*;

type Procedure = fn(&mut Cuda, TableVar, Range<usize>) -> Result<(), StarError>;

const FORMS: [(Warshall, Procedure); 2] =
    [(Warshall::Rows, procedures::warshall), (Warshall::Columns, procedures::warshall_columns)];

/// The STAR-machine as printed: closures by the paper's launches and by ours, an operation each
///
/// --patience is for all sizes of a closure together; star-operations has the operations.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example:\n  cargo xtask bench star-printed --patience 60")]
pub(super) struct StarPrinted {
    /// Vertices
    #[arg(long, value_name = "N", default_value = "1000,2000,3000,4000,5000")]
    sizes: Vec<usize>,
}

impl Study for StarPrinted {
    const NAME: &'static str = "star-printed";

    fn measure(&self, bench: &Bench) -> Result<()> {
        let gpu = bench.gpu()?;
        for ((form, procedure), by) in FORMS.map(|f| [(f, PRINTED), (f, A_LAUNCH_EACH)]).concat() {
            let mut left_ms = bench.terms().patience.as_secs_f64() * 1e3;
            for &n in &self.sizes {
                let (digraph, mut machine) = (Digraph::random(n, DENSE)?, machine(gpu, by)?);
                let (pivots, ms) = closed(&mut machine, &digraph, procedure, left_ms)?;
                let us = ms * 1e3 / machine.launches().max(1) as f64;
                let run = vec![("ms", ms), ("pivots", pivots as f64), ("us", us)];
                bench.records().push(digraph.record(form.name(), by).ran(run));
                left_ms -= ms;
                if pivots < n {
                    break;
                }
            }
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("The STAR-machine as printed");
        page.text(&format!(
            "A launch an operation, given by the host, {DENSE} arcs a vertex, until the time for \
             all sizes was over: some pivots of the last one. The paper has no times of `WARSHALL`."
        ));
        let paper = |r: &Record| Some(paper_ms(r.label("form"), r.number("n") as usize)? / 1e3);
        page.list(
            records,
            &["form", "on", "n"],
            &[
                (PAPER, &paper),
                ("seconds", &|record| Some(record.median("ms")? / 1e3)),
                ("pivots", &median("pivots")),
                ("µs a launch", &median("us")),
            ],
        );
        page
    }
}

/// Treats pivots for some milliseconds: how many, and how long that took.
fn closed(
    machine: &mut Cuda,
    digraph: &Digraph,
    procedure: Procedure,
    left_ms: f64,
) -> Result<(usize, f64)> {
    let table = digraph.table()?;
    let p = machine.load_table(&table)?;
    let (start, mut pivots) = (Instant::now(), 0);
    let passed_ms = || start.elapsed().as_secs_f64() * 1e3;
    while pivots < table.rows() && passed_ms() < left_ms {
        procedure(machine, p, pivots..pivots + 1)?;
        pivots += 1;
    }
    machine.gpu().synchronize()?;
    let ms = passed_ms();
    let mut host = Host::new();
    let expected = host.load_table(&table)?;
    procedures::warshall_columns(&mut host, expected, 0..pivots)?;
    let is_right = machine.table_value(p)? == host.table_value(expected)?;
    ensure!(is_right, "{pivots} pivots of {} leave other bits than on the host", table.rows());
    Ok((pivots, ms))
}
