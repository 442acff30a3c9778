//! `starpath apsp --scratch --changes`: a matrix in a folder that follows changes of the graph.
//!
//! The journal of the folder says after how many of the files it is. An empty folder gets the matrix
//! of the graph after all of them, which takes no longer than that of the graph before.

use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

use anyhow::bail;
use apsp::any::digest;
use apsp::{ScratchFolder, Solver};

use super::super::{Outputs, config, say_kept};
use super::{Batches, Report};
use crate::backend;
use crate::cli::{ApspArgs, Common};
use crate::failure::say;
use crate::ids::shown;
use crate::load::{Loaded, load};
use crate::progress::{check_interrupt, progress};
use crate::report::{Head, Ms, milliseconds};

pub(super) fn run(args: &ApspArgs, path: &Path, common: &Common) -> anyhow::Result<()> {
    backend::cpu("apsp --changes with --scratch", common)?;
    let outputs = Outputs::check(args)?;
    let loaded = load(&args.graph, common)?;
    let folder = ScratchFolder { path: path.to_owned(), resume: true };
    let report = solve(&loaded, args, &folder, &outputs, common);
    loaded.print(report.inspect_err(|error| say_kept(error, Some(&folder))), common)
}

fn solve(
    loaded: &Loaded,
    args: &ApspArgs,
    folder: &ScratchFolder,
    outputs: &Outputs,
    common: &Common,
) -> anyhow::Result<Report> {
    let config = config(args, common);
    let batches = Batches::read(loaded, &args.changes)?;
    let names = batches.names();
    let n_made = batches.in_folder(folder)?;
    let mut graph = batches.graph(n_made)?;
    let step = progress("changing", common);
    let made = batches.follow(n_made, |changes| {
        let solver = Solver::new(&*graph, &config).in_folder(folder);
        let (after, updated) = solver.update(changes, Some(&step))?;
        graph = Cow::Owned(after);
        Ok(updated)
    })?;
    drop(step);
    let step = progress("solving", common);
    let start = Instant::now();
    let solver = Solver::new(&*graph, &config).in_folder(folder);
    let pairs = solver.solve(Some(&step)).map_err(|error| names.explain(error))?;
    let Ms(solve_ms) = milliseconds(start.elapsed());
    drop(step);
    let plan = pairs.plan();
    if common.explain {
        say(format_args!("{plan}"));
    }
    let results = outputs.write(&graph, &names, &*pairs, common);
    let head = loaded.head_of("apsp", &graph).solved("dynamic", &[solve_ms], common);
    Ok(Report {
        device: None,
        head: Head { threads: plan.threads, ..head },
        batches: made,
        results: results.map_err(|error| names.explain(error))?,
    })
}

impl Batches<'_> {
    /// After how many of the files the folder has the distances, or is to have them.
    fn in_folder(&self, folder: &ScratchFolder) -> anyhow::Result<usize> {
        let Some(found) = folder.graph()? else { return Ok(self.list.len()) };
        for n_made in 0..=self.list.len() {
            check_interrupt()?;
            if digest(&*self.graph(n_made)?, None)? == found {
                return Ok(n_made);
            }
        }
        bail!(
            "{} holds a run on another graph, not on {} before the changes or after the first of \
             their files; name another folder, or delete this one",
            folder.path.display(),
            shown(&self.loaded.path)
        );
    }
}
