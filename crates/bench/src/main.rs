//! Times every solver of the project beside its peers, and writes a report.

#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use bench::folder::Written;
use bench::{cli, floyd_warshall, segments, studies};
use clap::{Parser, Subcommand};

/// The studies with reports of their own.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    study: Study,
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
}

fn main() -> ExitCode {
    let given: Vec<_> = std::env::args_os().collect();
    let first = given.get(1).and_then(|first| first.to_str()).unwrap_or_default();
    if !["segments", "floyd-warshall"].contains(&first) || studies::find(first).is_some() {
        return told(cli::run(&given));
    }
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench");
    let written = match Arguments::parse().study {
        Study::Segments(options) => segments::run(&options, &beside),
        Study::FloydWarshall(options) => match options.once {
            Some(algorithm) => return told(floyd_warshall::once(&options, algorithm)),
            None => floyd_warshall::run(&options, &beside),
        },
    };
    told(
        written.map(|Written { folder, summary }| {
            format!("{summary}\nwritten to {}", folder.display())
        }),
    )
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
