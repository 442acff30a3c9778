//! `starpath star`: the STAR-machine, its basic procedures and programs for it.

mod column;
mod execution;
mod graph;
mod operations;
mod procedure;
mod results;
mod run;
mod task;

use std::fmt;

use crate::cli::{Common, StarArgs, StarCommand};

/// Rows or numbers that a report lists; JSON and files have all of them.
const SHOWN: usize = 20;

pub(crate) fn run(args: &StarArgs, common: &Common) -> anyhow::Result<()> {
    match &args.command {
        StarCommand::Procedure(procedure) => procedure::run(procedure, common),
        StarCommand::Run(args) => run::run(args, common),
        StarCommand::Graph(algorithm) => graph::run(algorithm, common),
    }
}

/// The first numbers of a list, after a colon; nothing for an empty list.
struct Listed<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for Listed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, number) in self.0.iter().take(SHOWN).enumerate() {
            write!(f, "{} {number}", if i == 0 { ":" } else { "" })?;
        }
        if self.0.len() > SHOWN { write!(f, " ..") } else { Ok(()) }
    }
}
