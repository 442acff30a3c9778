//! Times every solver of the project beside its peers, and writes a report.

#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use bench::report::{Options, Written, run};
use bench::roster::{Family, Sweep};
use bench::workloads::Workload;
use bench::{choice, cli, families, floyd_warshall, segments, studies};
use clap::{Parser, Subcommand};

/// Times every solver of the project beside its peers, and writes a report.
///
/// Every answer is checked before it is timed. The report is a new folder with
/// raw.csv (every run), summary.md (tables) and a plot for each graph. --suite NAME in front
/// of a study's arguments is the same as the study's name.
#[derive(Parser)]
#[command(
    version,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "Examples:\n  cargo xtask bench\n  \
                  cargo xtask bench --graphs rmat-16,grid-256 --runs 9\n  \
                  cargo xtask bench --graphs rmat-20 --solvers auto,yardstick,graph --sweep\n  \
                  cargo xtask bench segments --help\n  \
                  cargo xtask bench --suite sssp-families    # the same as: sssp-families"
)]
struct Arguments {
    #[command(subcommand)]
    study: Option<Study>,
    /// The short form, which is what runs by default: a few widths of delta only
    #[arg(long, conflicts_with = "sweep")]
    short: bool,
    /// Try every width of delta, for the crate graph and for our own delta-stepping
    #[arg(long)]
    sweep: bool,
    /// Graphs: rmat-S, grid-K, geometric-S, new-york, delaware, rome99
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

#[derive(Subcommand)]
enum Study {
    /// Studies the edge-parallel Bellman-Ford on a GPU: its four variants on R-MAT graphs
    ///
    /// Beside them run delta-stepping on the same GPU, and Dijkstra and delta-stepping on
    /// the host. Every solve is checked. The report is a new folder with raw.csv (every
    /// timed solve), summary.md (tables) and two plots for each type of weights.
    #[command(after_help = "Examples:\n  \
                      cargo xtask bench segments\n  \
                      cargo xtask bench segments --scales 14-24\n\n\
                      In a bundle:\n  \
                      sh bench.sh segments --scales 26 --types u32 --certify 2")]
    Segments(Box<segments::Options>),
    /// Studies the published forms of Floyd-Warshall on a GPU: the papers' tables again
    ///
    /// Parameters are tuned first, for each form, side of a tile and size. Rows of every
    /// solve are compared with searches. The report is a new folder with raw.json (every
    /// timed solve) and summary.md (tables).
    #[command(after_help = "Examples:\n  \
                      cargo xtask bench floyd-warshall\n  \
                      cargo xtask bench floyd-warshall --sizes 512,1024 --types i32\n\n\
                      One launch sequence under a profiler:\n  \
                      ncu bench floyd-warshall --once blocked-product --tile 32 --sizes 8192")]
    FloydWarshall(Box<floyd_warshall::Options>),
    /// Studies the families of shortest paths on a GPU and the host, and how well auto chooses
    ///
    /// Every answer is checked. The report is a new folder with raw.csv (every timed turn),
    /// summary.md (tables) and plots.
    #[command(after_help = "Examples:\n  \
                      cargo xtask bench --suite sssp-families\n  \
                      cargo xtask bench sssp-families --parts auto --backend cpu\n  \
                      cargo xtask bench sssp-families --parts auto --graphs \
                      rmat-17+zeros+seed-5,torus-300")]
    SsspFamilies(Box<families::Options>),
    /// Studies what the program's auto costs: whole commands, beside each backend and algorithm
    ///
    /// All answers of a row must have the same sum of distances. The report is a new folder with
    /// raw.csv (every timed run) and summary.md (a table with a verdict).
    #[command(after_help = "Examples:\n  \
                      cargo xtask bench choice\n  \
                      cargo xtask bench choice --graphs rmat-20,rome99 --sources 1 --runs 9")]
    Choice(choice::Options),
}

fn main() -> ExitCode {
    let given: Vec<_> = std::env::args_os().collect();
    let first = given.get(1).and_then(|first| first.to_str()).unwrap_or_default();
    if studies::find(first).is_some() || ["compare", "report", "--list"].contains(&first) {
        return told(cli::run(&given));
    }
    let mut arguments = Arguments::parse_from(without_suite(std::env::args_os().collect()));
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench");
    let written = match arguments.study.take() {
        Some(Study::Segments(options)) => segments::run(&options, &beside),
        Some(Study::FloydWarshall(options)) => match options.once {
            Some(algorithm) => return told(floyd_warshall::once(&options, algorithm)),
            None => floyd_warshall::run(&options, &beside),
        },
        Some(Study::SsspFamilies(options)) => families::run(&options, &beside),
        Some(Study::Choice(options)) => choice::run(&options, &beside),
        None => report(arguments, beside),
    };
    told(
        written.map(|Written { folder, summary }| {
            format!("{summary}\nwritten to {}", folder.display())
        }),
    )
}

/// The arguments with `--suite NAME` at their head as the name of the study alone.
fn without_suite(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let suite = arguments.get(1).and_then(|first| first.to_str()).map(str::to_owned);
    match suite.as_deref() {
        Some("--suite") if arguments.len() > 2 => {
            arguments.remove(1);
        }
        Some(suite) if let Some(name) = suite.strip_prefix("--suite=") => {
            arguments[1] = name.into();
        }
        _ => {}
    }
    arguments
}

/// Prints what a run has to say, or why it failed.
fn told(said: Result<String>) -> ExitCode {
    match said {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn report(arguments: Arguments, beside: PathBuf) -> Result<Written> {
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
    let options = Options {
        workloads,
        families: arguments.solvers,
        runs: arguments.runs.get(),
        threads: arguments.threads.unwrap_or_else(all),
        sweep: if arguments.sweep { Sweep::Full } else { Sweep::Short },
        patience: Duration::from_secs(arguments.patience),
        out: arguments.out.unwrap_or(beside),
        name: arguments.name,
    };
    run(&options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_is_a_study() {
        let study = |arguments: &str| {
            let arguments = arguments.split(' ').map(OsString::from).collect();
            Arguments::try_parse_from(without_suite(arguments)).map(|found| found.study)
        };
        for arguments in ["bench --suite sssp-families --runs 3", "bench --suite=sssp-families"] {
            assert!(matches!(study(arguments), Ok(Some(Study::SsspFamilies(_)))), "{arguments}");
        }
        assert!(matches!(study("bench --runs 3"), Ok(None)));
        for wrong in ["bench --suite", "bench --suite sssp", "bench --suite="] {
            assert!(study(wrong).is_err(), "{wrong}");
        }
    }
}
