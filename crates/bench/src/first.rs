//! A process of its own that reads a graph and searches it a few times. Its first search pays for
//! what later ones find made: threads, work space, and memory that is touched for the first time.
//!
//! `bench sssp --first` starts it as it starts [programs of others](crate::peers).

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use graph_formats::VertexId;
use rayon::ThreadPoolBuilder;
use sssp::{Config, Goal, any};

use crate::clock::timed;
use crate::peers::Peer;

/// Searches of a process.
const SEARCHES: usize = 4;

/// What the process is told.
#[derive(Args, Debug)]
pub(crate) struct First {
    graph: PathBuf,
    source: VertexId,
    threads: NonZeroUsize,
}

impl First {
    /// This program, described as those of others are.
    pub(crate) fn peer() -> Result<Peer> {
        let program = std::env::current_exe().context("cannot find this program")?;
        Peer::new(
            program,
            "name = \"auto/process\"\nformat = \"spg\"\ntime = \"search ms:\"\nunit = \"ms\"\n\
             arguments = [\"first\", \"{graph}\", \"{source}\", \"{threads}\"]\n\
             sum = \"sum:\"\nreached = \"reached:\"",
        )
    }

    /// Searches, and says how long each search took and what it found.
    pub(crate) fn run(&self) -> Result<String> {
        ThreadPoolBuilder::new().num_threads(self.threads.get()).build()?.install(|| self.search())
    }

    fn search(&self) -> Result<String> {
        let (load_ms, loaded) = timed(|| graph_formats::read(&self.graph));
        let csr = loaded?.csr;
        let mut text = format!("load ms: {load_ms:.3}\n");
        let config = Config { threads: Some(self.threads), ..Config::default() };
        let mut solver = None;
        for _ in 0..SEARCHES {
            let (ms, found) = timed(|| {
                // the first search makes the solver
                let solver = match &mut solver {
                    Some(solver) => solver,
                    none => none.insert(any::solver(&csr, &config, None)?),
                };
                solver.distances(self.source, Goal::All)
            });
            let (sum, reached) = found.map(|found| (found.sum(), found.n_reached()))?;
            writeln!(text, "search ms: {ms:.4}\nsum: {sum}\nreached: {reached}")?;
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_how_long_each_search_took_and_what_it_found() {
        let folder = tempfile::tempdir().unwrap();
        let graph = folder.path().join("three.gr");
        std::fs::write(&graph, "p sp 4 2\na 1 2 3\na 2 3 4\n").unwrap();
        let said = First { graph, source: 0, threads: NonZeroUsize::MIN }.run().unwrap();
        let lines: Vec<_> = said.lines().collect();
        assert_eq!(lines.len(), 1 + 3 * SEARCHES);
        for search in lines[1..].chunks(3) {
            assert!(search[0].starts_with("search ms: "), "{said}");
            assert_eq!(search[1..], ["sum: 10", "reached: 3"]);
        }
        First::peer().unwrap();
    }
}
