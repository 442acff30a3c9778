//! `starpath`: shortest paths in graph files, from the command line.
//!
//! A command reads its graph, calls a library crate, and prints a report; nothing is computed here.
//! Results go to standard output or to the file asked for, everything else to standard error.

mod backend;
mod changes;
mod cli;
mod commands;
mod explain;
mod failure;
mod ids;
mod load;
mod numbers;
mod output;
#[cfg(feature = "plot")]
mod plot;
mod progress;
mod ranks;
mod report;
mod route;
mod saved;
mod search;
mod size;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    if let Err(error) = failure::fail_on_abort() {
        return failure::report(&error.into()).into();
    }
    // the ranks live until the last of them is done
    let ranks = match collectives_mpi::start() {
        Err(error) => return failure::report(&error.into()).into(),
        Ok(ranks) => ranks,
    };
    if cfg!(not(feature = "mpi")) {
        ranks::warn_without_mpi();
    }
    if !ranks.is_root() {
        failure::be_silent();
    }
    let parsed = cli::Cli::try_parse();
    let agreed = ranks::agree_on_arguments(&*ranks, parsed.as_ref().err());
    let code = match (parsed, agreed) {
        (Err(error), _) => failure::report_usage(&error),
        (Ok(_), Err(error)) => failure::report(&error),
        (Ok(cli), Ok(())) => match commands::run(cli, &*ranks) {
            Err(error) => failure::report(&error),
            Ok(()) => 0,
        },
    };
    code.into()
}
