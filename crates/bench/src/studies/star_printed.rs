//! The paper's machine as printed: its closures by a launch an operation, given by the host, with
//! the paper's own launches (a block of one thread a word, searches by folds of 64, rows by blocks
//! of 64 threads) and with ours.
//!
//! For `WARSHALL` and for `WARSHALL-C` the matrices grow until its time is over. What a matrix is
//! by then is compared with what the same pivots make of it on the host.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use std::ops::Range;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use clap::Args;
use star_machine::{Cuda, Host, Machine, StarError, TableVar, Warshall, procedures};

use super::digraph::{DENSE, Digraph};
use super::star_closures::{PAPER, paper_ms};
use super::star_operations::{A_LAUNCH_EACH, PRINTED, machine};
use crate::page::{Page, median};
use crate::records::{Record, Records};
use crate::study::{Bench, Study};

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
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "N",
        default_value = "1000,2000,3000,4000,5000"
    )]
    sizes: Vec<usize>,
}

impl Study for StarPrinted {
    const NAME: &'static str = "star-printed";

    fn measure(&self, bench: &Bench) -> Result<()> {
        let gpu = bench.gpu()?;
        for ((form, procedure), by) in FORMS.map(|f| [(f, PRINTED), (f, A_LAUNCH_EACH)]).concat() {
            let mut left = bench.terms().patience;
            for &n in &self.sizes {
                let (digraph, mut machine) = (Digraph::random(n, DENSE)?, machine(gpu, by)?);
                let (pivots, took) = closed(&mut machine, &digraph, procedure, left)?;
                let ms = took.as_secs_f64() * 1e3;
                let us = ms * 1e3 / machine.launches().max(1) as f64;
                let run = vec![("ms", ms), ("pivots", pivots as f64), ("us", us)];
                bench.records().push(digraph.record(form.name(), by).ran(run));
                left = left.saturating_sub(took);
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

/// Treats pivots for some time: how many, and how long that took.
fn closed(
    machine: &mut Cuda,
    digraph: &Digraph,
    procedure: Procedure,
    left: Duration,
) -> Result<(usize, Duration)> {
    let table = digraph.table()?;
    let p = machine.load_table(&table)?;
    let start = Instant::now();
    let mut pivots = 0;
    while pivots < table.rows() && start.elapsed() < left {
        procedure(machine, p, pivots..pivots + 1)?;
        pivots += 1;
    }
    machine.gpu().synchronize()?;
    let took = start.elapsed();
    let mut host = Host::new();
    let expected = host.load_table(&table)?;
    procedures::warshall_columns(&mut host, expected, 0..pivots)?;
    let is_right = machine.table_value(p)? == host.table_value(expected)?;
    ensure!(is_right, "{pivots} pivots of {} leave other bits than on the host", table.rows());
    Ok((pivots, took))
}

#[cfg(test)]
mod tests {
    use super::super::star_closures::WARSHALL_C;
    use super::*;

    #[test]
    fn pivots_stand_beside_the_papers_seconds() {
        let mut records = Records::default();
        let closure = Record::of(&[("form", &WARSHALL_C), ("on", &PRINTED), ("n", &1000)]);
        records.push(closure.ran(vec![("ms", 15_000.0), ("pivots", 890.0), ("us", 4.93)]));
        let files = StarPrinted::page(&records).files("").unwrap();
        let summary = &files.iter().find(|file| file.0 == "summary.md").unwrap().1;
        assert!(
            summary.contains("|           4.83 |      15 |    890 |        4.93 |"),
            "{summary}"
        );
    }
}
