//! One file for each command: from its arguments to its report.
//!
//! `tests/all/every.rs` runs every command with little memory, into all kinds of files, and until a
//! signal: a new command has a line there. One of the STAR-machine is a file in `star/` and a variant
//! of `StarCommand` in `cli/star.rs`.

mod aggregate;
mod apsp;
mod centrality;
mod changes;
mod closure;
mod components;
mod convert;
mod generate;
mod graph500;
mod info;
mod k_paths;
mod many;
mod pairs;
mod partitioned;
mod path;
#[cfg(feature = "plot")]
mod plot;
mod prepare;
mod query;
mod sssp;
mod star;

use std::fmt::Display;
use std::num::NonZeroUsize;

use anyhow::anyhow;
use clap::CommandFactory;
use collectives::Communicator;

use crate::cli::{Cli, Command, CompletionsArgs};
use crate::failure::WrongUse;
use crate::{progress, report};

/// Runs the command of a command line, on one rank or several.
pub(crate) fn run(cli: Cli, ranks: &dyn Communicator) -> anyhow::Result<()> {
    let no_threads = |reason: &dyn Display| anyhow!("cannot start threads: {reason}");
    progress::catch_interrupts().map_err(|error| no_threads(&error))?;
    // for reading and generating; solvers have their own number of threads
    let threads = cli.common.threads.map_or(0, NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build_global().map_err(|error| no_threads(&error))?;
    let common = &cli.common;
    match &cli.command {
        Command::Apsp(args) if ranks.size() > 1 => apsp::run_over(ranks, args, common),
        Command::Sssp(args) if args.partitioned => partitioned::run(ranks, args, common),
        Command::Components(args) if args.partitioned => components::run_over(ranks, args, common),
        Command::Graph500(args) if args.partitioned => graph500::run_over(ranks, args, common),
        Command::Generate(args) if args.is_partitioned() => generate::run_over(ranks, args, common),
        Command::Sssp(args) if args.sources.is_some() => {
            many::run(ranks, args, args.solver.configs(common)?, common)
        }
        Command::Centrality(args) => centrality::run(ranks, args, common),
        _ if ranks.size() > 1 => {
            let text = "only apsp, centrality, sssp --sources --targets, and sssp, components, \
                        graph500 and generate with --partitioned run on several ranks; run other commands without mpirun";
            Err(WrongUse(text.to_owned()).into())
        }
        Command::Info(args) => info::run(args, common),
        Command::Generate(args) => generate::run(args, common),
        Command::Convert(args) => convert::run(args, common),
        Command::Sssp(args) if !args.changes.is_empty() => changes::run(args, common),
        Command::Sssp(args) => sssp::run(args, &args.solver.configs(common)?, common),
        Command::Path(args) if let Some(k) = args.k => k_paths::run(args, k, common),
        Command::Path(args) if let Some(file) = &args.pairs => pairs::run(args, file, common),
        Command::Path(args) => path::run(args, &args.solver.configs(common)?, common),
        Command::Prepare(args) => prepare::prepare(args, common),
        Command::Customize(args) => prepare::customize(args, common),
        Command::Apsp(args) => apsp::run(args, common),
        Command::Query(args) => query::run(args, common),
        Command::Closure(args) => closure::run(args, common),
        Command::Components(args) => components::run(args, common),
        Command::Aggregate(args) => aggregate::run(args, common),
        Command::Graph500(args) => graph500::run(args, common),
        #[cfg(feature = "plot")]
        Command::Plot(args) => plot::run(args, common),
        #[cfg(not(feature = "plot"))]
        Command::Plot(_) => {
            let text = "this build cannot draw pictures; in a checkout of starpath, run cargo \
                        install --locked --path crates/starpath --features plot";
            Err(WrongUse(text.to_owned()).into())
        }
        Command::Star(args) => star::run(args, common),
        Command::Completions(args) => completions(args),
    }
}

fn completions(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "starpath", &mut script);
    report::print_bytes(&script)
}
