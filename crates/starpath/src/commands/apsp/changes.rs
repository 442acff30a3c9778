//! `starpath apsp --changes`: all pairs that follow changes of the graph, from distances that are
//! found now or were saved before.
//!
//! Saved distances are those of the graph after some of the files, most often none. The mark beside
//! them says after which. It is put in place apart from them, so that it is only where the search
//! begins; what counts is that every distance is right.

mod folder;

use std::fmt;
use std::path::Path;
use std::time::Instant;

use anyhow::{anyhow, bail};
use apsp::any::{AnyDynamicPairs, dynamic_pairs, dynamic_pairs_on_gpus, saved_pairs};
use apsp::{ApspError, Config, Updated};
use gpu_runtime::Gpu;
use graph_formats::{Change, Progress};
use paths::Number;
use serde::Serialize;

use super::{Outputs, Results, config};
use crate::backend;
use crate::changes::{Batch, Batches, Device};
use crate::cli::{ApspArgs, Common};
use crate::failure::say;
use crate::ids::shown;
use crate::load::{Loaded, load};
use crate::output::Mark;
use crate::progress::{check_interrupt, progress};
use crate::report::{Head, grouped, milliseconds};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    device: Option<Device>,
    batches: Vec<Batch<Followed>>,
    #[serde(flatten)]
    results: Results,
}

/// What the changes of a file did to the pairs.
#[derive(Serialize)]
struct Followed {
    /// Whether the saved distances, or those of the folder, were found after them.
    saved: bool,
    /// Why all pairs were found anew, if they were.
    new_solve: Option<&'static str>,
    /// Pairs that were searched for again.
    searched_pairs: u64,
    /// Pairs that lowered and new arcs have brought nearer.
    nearer_pairs: u64,
}

impl fmt::Display for Followed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.new_solve {
            _ if self.saved => f.write_str(", for the distances were found after them"),
            Some(why) => write!(f, ", by a new solve, because {why}"),
            None => {
                let [searched, nearer] = [self.searched_pairs, self.nearer_pairs].map(grouped);
                write!(f, "; {searched} pairs were searched for again, {nearer} are nearer")
            }
        }
    }
}

pub(super) fn run(args: &ApspArgs, common: &Common) -> anyhow::Result<()> {
    if let Some(path) = &args.scratch {
        return folder::run(args, path, common);
    }
    let outputs = Outputs::check(args)?;
    let gpus = backend::gpus_on_request(args.gpus, args.memory, common)?;
    let loaded = load(&args.graph, common)?;
    loaded.print(solve(&loaded, args, &gpus, &outputs, common), common)
}

fn solve(
    loaded: &Loaded,
    args: &ApspArgs,
    gpus: &[Gpu],
    outputs: &Outputs,
    common: &Common,
) -> anyhow::Result<Report> {
    let config = config(args, common);
    let batches = Batches::read(loaded, &args.changes)?;
    let names = batches.names();
    let step = progress("solving", common);
    let start = Instant::now();
    let (n_made, mut pairs) = match &args.saved {
        Some(saved) => batches.saved(saved, &config, &step)?,
        None => {
            let found = match gpus {
                [] => dynamic_pairs(&loaded.csr, &config, Some(&step)),
                _ => dynamic_pairs_on_gpus(gpus, &loaded.csr, &config, Some(&step)),
            };
            (0, found.map_err(|error| names.explain(error))?)
        }
    };
    let start_ms = milliseconds(start.elapsed());
    drop(step);
    if common.explain {
        say(format_args!("{}", pairs.plan()));
    }
    let step = progress("changing", common);
    let made = batches.follow(n_made, |changes| pairs.update(changes, Some(&step)))?;
    drop(step);
    let graph = pairs.graph()?;
    let (threads, backend) = (pairs.plan().threads, backend::name(gpus.first()));
    let copied = Device::copy(gpus, || Ok(pairs.pairs()?));
    let (pairs, device) = copied.map_err(|error| names.explain(error))?;
    let results = outputs.write(&graph, &names, pairs, common);
    let head = loaded.head_of("apsp", &graph);
    Ok(Report {
        head: Head { threads, backend, ..head.solved("dynamic", &[start_ms.0], common) },
        device,
        batches: made,
        results: results.map_err(|error| names.explain(error))?,
    })
}

impl Batches<'_> {
    /// Makes the changes of the files after the first `n_made`, with whose distances it begins.
    fn follow(
        &self,
        n_made: usize,
        mut update: impl FnMut(&[Change<Number>]) -> Result<Updated, ApspError>,
    ) -> anyhow::Result<Vec<Batch<Followed>>> {
        let (names, mut place) = (self.names(), 0);
        self.make(|changes| {
            place += 1;
            let saved = place <= n_made;
            let updated = if saved { Ok(Updated::default()) } else { update(changes.list()) };
            let updated = updated.map_err(|error| match &error {
                ApspError::BadChange(bad) => changes.explain(bad),
                ApspError::Search(_) => {
                    anyhow!("{}: {}", shown(&changes.path), names.explain(error))
                }
                _ => names.explain(error),
            })?;
            let Updated { solved: new_solve, n_searched, n_nearer, .. } = updated;
            Ok(Followed { saved, new_solve, searched_pairs: n_searched, nearer_pairs: n_nearer })
        })
    }

    /// Pairs with saved distances, and after how many of the files they are those of the graph.
    fn saved(
        &self,
        saved: &Path,
        config: &Config,
        progress: Progress<'_>,
    ) -> anyhow::Result<(usize, Box<dyn AnyDynamicPairs>)> {
        let first = match Mark::beside(saved)? {
            Some(mark) => self.marked(saved, &mark)?,
            None => 0,
        };
        let names = self.names();
        let mut reason = None;
        for n_made in (first..=self.list.len()).chain(0..first) {
            check_interrupt()?;
            match saved_pairs(&*self.graph(n_made)?, saved, config, Some(progress)) {
                Ok(pairs) => return Ok((n_made, pairs)),
                Err(error @ (ApspError::OtherDistance { .. } | ApspError::OtherShape { .. })) => {
                    reason.get_or_insert(names.explain(error));
                }
                Err(error) => return Err(names.explain(error)),
            }
        }
        let (file, graph) = (saved.display(), shown(&self.loaded.path));
        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        bail!(
            "{file} does not have the distances of {graph}, before the changes or after the first \
             of their files{reason}"
        );
    }

    /// The number of files after which the graph has this mark.
    fn marked(&self, saved: &Path, mark: &Mark) -> anyhow::Result<usize> {
        for n_made in 0..=self.list.len() {
            if Mark::of(&*self.graph(n_made)?, &self.loaded.path)?.is_same(mark) {
                return Ok(n_made);
            }
        }
        bail!(
            "{} is for {mark}, which is not {} before the changes or after the first of their files",
            saved.display(),
            shown(&self.loaded.path)
        );
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        self.batches.iter().try_for_each(|batch| writeln!(f, "{batch}"))?;
        self.results.fmt(f)
    }
}
