//! Times every solver of the project beside its peers, and writes a report.

#![forbid(unsafe_code)]

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use bench::report::{Options, run};
use bench::roster::{Family, Sweep};
use bench::workloads::Workload;
use clap::Parser;

/// Times every solver of the project beside its peers, and writes a report.
///
/// Every answer is checked before it is timed. The report is a new folder with
/// raw.csv (every run), summary.md (tables) and a plot for each graph.
#[derive(Parser)]
#[command(
    version,
    after_help = "Examples:\n  cargo xtask bench\n  \
                  cargo xtask bench --graphs rmat-16,grid-256 --runs 9\n  \
                  cargo xtask bench --graphs rmat-20 --solvers auto,yardstick,graph --sweep"
)]
struct Arguments {
    /// The short form, which is what runs by default: a few widths of delta only
    #[arg(long, conflicts_with = "sweep")]
    short: bool,
    /// Try every width of delta, for the crate graph and for our own delta-stepping
    #[arg(long)]
    sweep: bool,
    /// Graphs: rmat-S, grid-K, geometric-S, new-york, rome99
    /// [default: rmat-18, rmat-20, grid-1024, geometric-18, and new-york where it is]
    #[arg(long, value_delimiter = ',', value_name = "GRAPH")]
    graphs: Vec<Workload>,
    /// Solvers [default: all]
    #[arg(long, value_delimiter = ',', value_name = "SOLVER")]
    solvers: Vec<Family>,
    /// Timed runs of each solver
    #[arg(long, default_value = "5")]
    runs: NonZeroUsize,
    /// Threads for solvers that take several [default: all processors]
    #[arg(long)]
    threads: Option<NonZeroUsize>,
    /// Seconds that the timed runs of one solver on one graph may take together
    #[arg(long, value_name = "SECONDS", default_value = "3")]
    patience: u64,
    /// Where the folder of this run is made [default: target/bench of the workspace]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The name of that folder [default: date, time and commit]
    #[arg(long)]
    name: Option<String>,
}

fn main() -> ExitCode {
    match report(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn report(arguments: Arguments) -> Result<()> {
    let mut workloads = arguments.graphs;
    if workloads.is_empty() {
        let (here, missing): (Vec<_>, Vec<_>) =
            Workload::DEFAULTS.into_iter().partition(|workload| workload.is_available());
        workloads = here;
        for workload in missing {
            let file = workload.file().unwrap_or_default();
            eprintln!("SKIPPED: {workload}: there is no file {}", file.display());
        }
    }
    let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench");
    let options = Options {
        workloads,
        families: arguments.solvers,
        runs: arguments.runs.get(),
        threads: arguments.threads.unwrap_or_else(all),
        sweep: if arguments.sweep { Sweep::Full } else { Sweep::Short },
        patience: Duration::from_secs(arguments.patience),
        out: arguments.out.unwrap_or_else(beside),
        name: arguments.name,
    };
    let written = run(&options)?;
    println!("{}", written.summary);
    println!("written to {}", written.folder.display());
    Ok(())
}
