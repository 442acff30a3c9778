//! `starpath sssp --source --changes`: distances before and after changes of the graph.

use std::fmt;
use std::slice::from_ref;
use std::time::Instant;

use anyhow::anyhow;
use gpu_runtime::Gpu;
use serde::Serialize;
use sssp::{Config, SsspError, any};

use super::sssp::{All, Outputs};
use crate::backend;
use crate::changes::{Batch, Batches, Changes, Device};
use crate::cli::{Common, SsspArgs};
use crate::ids::{Id, Names, shown};
use crate::load::{Loaded, load};
use crate::progress::progress;
use crate::report::{Head, counted, milliseconds};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    device: Option<Device>,
    source: Id,
    batches: Vec<Batch<Updated>>,
    /// Of the tree after the changes.
    #[serde(flatten)]
    all: All,
}

/// What the changes of a file did to the tree.
#[derive(Serialize)]
struct Updated {
    /// Whether a whole search was made.
    new_search: bool,
    /// Vertices that have another distance than before.
    changed: usize,
}

pub(super) fn run(args: &SsspArgs, common: &Common) -> anyhow::Result<()> {
    common.refuse_repeat(&args.changes)?;
    let outputs = Outputs::check(args)?;
    let gpu = backend::gpu_on_request(common)?;
    let loaded = load(&args.graph, common)?;
    loaded.print(solve(&loaded, args, gpu.as_ref(), &outputs, common), common)
}

fn solve(
    loaded: &Loaded,
    args: &SsspArgs,
    gpu: Option<&Gpu>,
    outputs: &Outputs,
    common: &Common,
) -> anyhow::Result<Report> {
    let source = args.source.as_deref().unwrap_or_default();
    let source = loaded.names().vertex("source", source)?;
    let batches = Batches::read(loaded, &args.changes)?;
    let names = batches.names();
    let start = Instant::now();
    let config = Config { threads: common.threads, ..Config::default() };
    let mut trees = match gpu {
        Some(gpu) => any::dynamic_trees_on_gpu(gpu, &loaded.csr, &[source])?,
        None => any::dynamic_trees(&loaded.csr, &[source], &config)?,
    };
    let searched = milliseconds(start.elapsed());
    let step = progress("changing", common);
    let batches = batches.make(|changes| {
        let updated = trees.update(changes.list(), Some(&step));
        let updated = updated.map_err(|error| explain(changes, &names, error))?;
        let sssp::Updated { is_new_search, changed, .. } = &updated[0];
        Ok(Updated { new_search: *is_new_search, changed: changed.len() })
    })?;
    drop(step);
    let (tree, device) = Device::copy(gpu.map_or(&[], from_ref), || Ok(trees.tree(0)?))?;
    outputs.write(&names, &tree)?;
    let head = loaded.head_of("sssp", &trees.graph()?).solved("dynamic", &[searched.0], common);
    Ok(Report {
        head: Head { backend: backend::name(gpu), ..head },
        device,
        source: names.name(source).into(),
        batches,
        all: All::of(&tree),
    })
}

/// The error with its line, or with the file that it comes after.
fn explain(changes: &Changes, names: &Names<'_>, error: SsspError) -> anyhow::Error {
    match &error {
        SsspError::BadChange(bad) => changes.explain(bad),
        SsspError::NegativeCycle { .. } | SsspError::Overflow { .. } => {
            anyhow!("{}: {}", shown(&changes.path), names.explain(error))
        }
        _ => names.explain(error),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        self.batches.iter().try_for_each(|batch| writeln!(f, "{batch}"))?;
        writeln!(f, "{} {}", self.source, self.all)
    }
}

impl fmt::Display for Updated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.new_search { ", by a new search" } else { "" };
        let changed = counted(self.changed, ("vertex has", "vertices have"));
        write!(f, "{how}; {changed} another distance")
    }
}
