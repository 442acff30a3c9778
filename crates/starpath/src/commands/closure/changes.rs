//! `starpath closure --changes`: which vertices reach which after changes of the graph.

use std::fmt;
use std::time::Instant;

use closure::{ClosureError, Config, DynamicClosure};
use serde::Serialize;

use super::Outputs;
use crate::backend;
use crate::changes::{Batch, Batches};
use crate::cli::{ClosureArgs, Common};
use crate::load::{Loaded, load};
use crate::progress::progress;
use crate::report::{Head, grouped, milliseconds};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    batches: Vec<Batch<Updated>>,
    /// Ordered pairs joined by a path of at least one arc, after the changes.
    reachable_pairs: usize,
}

/// What the changes of a file did to the closure.
#[derive(Serialize)]
struct Updated {
    /// Whether the whole graph was closed again.
    new_closure: bool,
    new_pairs: usize,
    gone_pairs: usize,
}

pub(super) fn run(args: &ClosureArgs, outputs: &Outputs, common: &Common) -> anyhow::Result<()> {
    backend::cpu("closure --changes", common)?;
    let loaded = load(&args.graph, common)?;
    loaded.print(solve(&loaded, args, outputs, common), common)
}

fn solve(
    loaded: &Loaded,
    args: &ClosureArgs,
    outputs: &Outputs,
    common: &Common,
) -> anyhow::Result<Report> {
    let batches = Batches::read(loaded, &args.changes)?;
    let names = batches.names();
    let step = progress("solving", common);
    let start = Instant::now();
    let graph = loaded.csr.unweighted();
    let mut closure = DynamicClosure::new(&graph, &Config::default(), Some(&step))?;
    let closed = milliseconds(start.elapsed());
    drop(step);
    let step = progress("changing", common);
    let batches = batches.make(|changes| {
        let updated =
            closure.update(changes.list(), Some(&step)).map_err(|error| match &error {
                ClosureError::BadChange(bad) => changes.explain(bad),
                _ => error.into(),
            })?;
        Ok(Updated {
            new_closure: updated.is_new_closure,
            new_pairs: updated.n_new,
            gone_pairs: updated.n_gone,
        })
    })?;
    drop(step);
    let (vertices, edges) = (closure.graph().n_vertices(), closure.graph().n_arcs());
    let closure = closure.into_closure();
    outputs.write(&names, &closure)?;
    let head = loaded.head("closure").solved("dynamic", &[closed.0], common);
    Ok(Report {
        head: Head { vertices, edges, ..head },
        batches,
        reachable_pairs: closure.n_pairs(),
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        self.batches.iter().try_for_each(|batch| writeln!(f, "{batch}"))?;
        writeln!(f, "{} pairs have a path", grouped(self.reachable_pairs as u64))
    }
}

impl fmt::Display for Updated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.new_closure { ", by a new closure" } else { "" };
        let [new, gone] = [self.new_pairs, self.gone_pairs].map(|pairs| grouped(pairs as u64));
        write!(f, "{how}; {new} pairs are new, {gone} are gone")
    }
}
