//! The paper's machine as printed, so that its tables stand beside the same thing: a launch an
//! operation, given by the host, with the paper's own launches and with ours.
//!
//! Table 1 has the mean of many calls, and of 100 rows and columns the least and the greatest time
//! of one. Table 2 has `WARSHALL` and `WARSHALL-C`; for each the matrices grow until its time is
//! over. What a matrix is by then is compared with what the same pivots make of it on the host.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use std::ops::Range;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use gpu_runtime::Gpu;
use serde::Serialize;
use star_machine::{Cuda, Host, Machine, StarError, TableVar, Warshall, procedures};

use super::operations::{self, Bench, By};
use super::problem::Problem;
use super::published::{Row, matrix, paper_seconds};
use super::variables::{Data, Operation};
use super::{DENSE, Options};
use crate::table::{best, digits, table};

/// Rows and columns of the table for which the paper has the extremes.
const SMALL: usize = 100;

/// The operations of the paper's table, and the microseconds it gives for the small table: the
/// mean, the least and the greatest. Its two kernels for FND are added up.
const OPERATIONS: [(Operation, [f64; 3]); 4] = [
    (Operation::RowRead, [18.6, 18.5, 19.7]),
    (Operation::RowWrite, [4.1, 2.9, 5.6]),
    (Operation::Or, [1.9, 1.9, 3.0]),
    (Operation::Find, [2.5 + 3.2, 2.3 + 3.1, 2.8 + 4.0]),
];

type Procedure = fn(&mut Cuda, TableVar, Range<usize>) -> Result<(), StarError>;

/// All of it.
#[derive(Debug, Default, Serialize)]
pub(super) struct Printed {
    operations: Vec<operations::Line>,
    one_by_one: Vec<Extremes>,
    closures: Vec<Closed>,
}

/// The calls of an operation, one by one, by the GPU's clock.
#[derive(Debug, Serialize)]
struct Extremes {
    operation: Operation,
    by: By,
    us: Vec<f64>,
}

/// A matrix, closed or on the way there.
#[derive(Debug, Serialize)]
struct Closed {
    form: &'static str,
    by: By,
    n_vertices: usize,
    /// That were treated before the time was over.
    n_pivots: usize,
    seconds: f64,
    launches: u64,
}

pub(super) fn measure(gpu: &Gpu, options: &Options) -> Result<Printed> {
    let mut printed = Printed::default();
    let machine = |by| match by {
        By::Printed => Cuda::as_printed(gpu),
        _ => Cuda::new(gpu),
    };
    for n in options.operation_sizes.iter().map(|n| n.get()) {
        let data = Data::random(n, n)?;
        for (operation, by) in each() {
            let bench = Bench { operation, data: &data, options };
            let line = bench.by_machine(by, machine(by)?, || Ok(gpu.synchronize()?))?;
            printed.operations.push(line);
            if n == SMALL {
                let us = bench.one_by_one(gpu, machine(by)?)?;
                printed.one_by_one.push(Extremes { operation, by, us });
            }
        }
    }
    let forms: [(Warshall, Procedure); 2] =
        [(Warshall::Rows, procedures::warshall), (Warshall::Columns, procedures::warshall_columns)];
    for (form, procedure) in forms {
        for by in [By::Printed, By::Gpu] {
            let mut left = Duration::from_secs(options.patience);
            for n in options.paper_sizes.iter().map(|n| n.get()) {
                let problem = Problem::random(n, DENSE)?;
                let mut m = machine(by)?;
                let (n_pivots, took) = closed(gpu, &mut m, &problem, procedure, left)?;
                let (form, seconds, launches) = (form.name(), took.as_secs_f64(), m.launches());
                eprintln!("{form} of {n} vertices on {by:?}: {n_pivots} pivots in {seconds:.1} s");
                printed.closures.push(Closed {
                    form,
                    by,
                    n_vertices: n,
                    n_pivots,
                    seconds,
                    launches,
                });
                left = left.saturating_sub(took);
                if n_pivots < n {
                    break;
                }
            }
        }
    }
    Ok(printed)
}

fn each() -> impl Iterator<Item = (Operation, By)> {
    let both = |operation| [By::Printed, By::Gpu].map(|by| (operation, by));
    OPERATIONS.into_iter().flat_map(move |(operation, _)| both(operation))
}

/// Treats pivots for some time: how many, and how long that took.
fn closed(
    gpu: &Gpu,
    m: &mut Cuda,
    problem: &Problem,
    procedure: Procedure,
    left: Duration,
) -> Result<(usize, Duration)> {
    let matrix = matrix(problem)?;
    let p = m.load_table(&matrix)?;
    let start = Instant::now();
    let mut pivots = 0;
    while pivots < problem.n && start.elapsed() < left {
        procedure(m, p, pivots..pivots + 1)?;
        pivots += 1;
    }
    gpu.synchronize()?;
    let took = start.elapsed();
    let mut host = Host::new();
    let expected = host.load_table(&matrix)?;
    procedures::warshall_columns(&mut host, expected, 0..pivots)?;
    let is_right = m.table_value(p)? == host.table_value(expected)?;
    ensure!(is_right, "{pivots} pivots of {} leave other bits than on the host", problem.name());
    Ok((pivots, took))
}

pub(super) fn section(printed: &Printed, options: &Options) -> String {
    if printed.operations.is_empty() {
        return String::new();
    }
    let of_small = |(operation, k40): (Operation, [f64; 3])| {
        let of = |by| {
            let is_it = |line: &&Extremes| (line.operation, line.by) == (operation, by);
            let us = &printed.one_by_one.iter().find(is_it)?.us;
            let greatest = us.iter().copied().reduce(f64::max);
            Some([us.iter().sum::<f64>() / us.len() as f64, best(us)?, greatest?])
        };
        let cell = |us: Option<[f64; 3]>| {
            us.map_or("-".to_owned(), |us| {
                let [mean, least, greatest] = us.map(|us| digits(Some(us)));
                format!("{mean} ({least} to {greatest})")
            })
        };
        vec![operation.name().to_owned(), cell(Some(k40)), cell(of(By::Printed)), cell(of(By::Gpu))]
    };
    let mut text = format!(
        "\n## As printed\n\nA launch an operation, given by the host. The paper's launches: a block \
         of one thread a word, searches by folds of 64, rows by blocks of 64 threads.\n\nMicroseconds \
         an operation, means of many calls with their answers:\n\n{}",
        operations::by_size(&printed.operations)
    );
    if !printed.one_by_one.is_empty() {
        text += &format!(
            "\n{SMALL} rows and columns, calls one by one by the GPU's clock: the mean (the least \
             to the greatest):\n\n{}",
            table(
                1,
                &["operation", "K40, the paper", "the paper's launches", "ours"],
                &OPERATIONS.map(of_small)
            )
        );
    }
    text += &format!(
        "\nSeconds, {DENSE} arcs a vertex, {} s for all sizes of a row; with pivots where these were \
         not all:\n\n{}",
        options.patience,
        by_vertices(&printed.closures)
    );
    text
}

fn by_vertices(closures: &[Closed]) -> String {
    let mut sizes: Vec<usize> = closures.iter().map(|closed| closed.n_vertices).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let paper = sizes.iter().map(|&n| digits(paper_seconds(Row::Columns, n)));
    let mut rows: Vec<Vec<String>> = vec![
        ["warshall-c", "K40, the paper"].map(str::to_owned).into_iter().chain(paper).collect(),
    ];
    let is_alike = |a: &Closed, b: &Closed| (a.form, a.by) == (b.form, b.by);
    for group in closures.chunk_by(is_alike) {
        let by = if group[0].by == By::Printed { "the paper's launches" } else { "ours" };
        let mut add = |what: String, cell: &dyn Fn(&Closed) -> String| {
            let of = |&n| group.iter().find(|closed| closed.n_vertices == n);
            let cells = sizes.iter().map(|n| of(n).map_or("-".to_owned(), cell));
            rows.push([group[0].form.to_owned(), what].into_iter().chain(cells).collect());
        };
        add(by.to_owned(), &|closed| {
            let seconds = digits(Some(closed.seconds));
            match closed.n_pivots < closed.n_vertices {
                true => format!("{seconds} ({} pivots)", closed.n_pivots),
                false => seconds,
            }
        });
        add(format!("{by}, µs a launch"), &|closed| {
            digits(Some(closed.seconds * 1e6 / closed.launches.max(1) as f64))
        });
    }
    let names: Vec<String> = sizes.iter().map(|n| format!("n = {n}")).collect();
    let headings: Vec<&str> =
        ["procedure", "by"].into_iter().chain(names.iter().map(String::as_str)).collect();
    table(2, &headings, &rows)
}
