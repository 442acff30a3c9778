//! `starpath closure --changes`: which vertices reach which after changes of the graph.

use std::fmt;
use std::slice::from_ref;
use std::time::Instant;

use closure::{ClosureError, Config, DynamicClosure, DynamicDeviceClosure};
use gpu_runtime::Gpu;
use graph_formats::{Csr, DynamicGraph, Progress};
use paths::Closure;
use serde::Serialize;

use super::Outputs;
use crate::backend;
use crate::changes::{Batch, Batches, Changes, Device};
use crate::cli::{ClosureArgs, Common};
use crate::load::{Loaded, load};
use crate::progress::progress;
use crate::report::{Head, counted, grouped, milliseconds};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    device: Option<Device>,
    batches: Vec<Batch<Updated>>,
    /// Ordered pairs joined by a path of at least one arc, after the changes.
    reachable_pairs: usize,
}

/// A closure that follows changes, here or on a GPU.
enum Followed {
    Here(DynamicClosure),
    OnGpu(Box<DynamicDeviceClosure>),
}

impl Followed {
    fn new(gpu: Option<&Gpu>, graph: &Csr<u32>, progress: Progress<'_>) -> anyhow::Result<Self> {
        let (config, progress) = (Config::default(), Some(progress));
        Ok(match gpu {
            Some(gpu) => {
                Self::OnGpu(Box::new(DynamicDeviceClosure::new(gpu, graph, &config, progress)?))
            }
            None => Self::Here(DynamicClosure::new(graph, &config, progress)?),
        })
    }

    fn update(
        &mut self,
        changes: &Changes,
        progress: Progress<'_>,
    ) -> Result<closure::Updated, ClosureError> {
        match self {
            Self::Here(closure) => closure.update(changes.list(), Some(progress)),
            Self::OnGpu(closure) => closure.update(changes.list(), Some(progress)),
        }
    }

    fn graph(&self) -> &DynamicGraph<u32> {
        match self {
            Self::Here(closure) => closure.graph(),
            Self::OnGpu(closure) => closure.graph(),
        }
    }

    fn into_closure(self) -> Result<Closure, ClosureError> {
        match self {
            Self::Here(closure) => Ok(closure.into_closure()),
            Self::OnGpu(closure) => closure.closure(),
        }
    }
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
    let gpu = backend::gpu_on_request(common)?;
    let loaded = load(&args.graph, common)?;
    loaded.print(solve(&loaded, args, gpu.as_ref(), outputs, common), common)
}

fn solve(
    loaded: &Loaded,
    args: &ClosureArgs,
    gpu: Option<&Gpu>,
    outputs: &Outputs,
    common: &Common,
) -> anyhow::Result<Report> {
    let batches = Batches::read(loaded, &args.changes)?;
    let names = batches.names();
    let step = progress("solving", common);
    let start = Instant::now();
    let mut followed = Followed::new(gpu, &loaded.csr.unweighted(), &step)?;
    let closed = milliseconds(start.elapsed());
    drop(step);
    let step = progress("changing", common);
    let batches = batches.make(|changes| {
        let updated = followed.update(changes, &step).map_err(|error| match &error {
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
    let (vertices, edges) = (followed.graph().n_vertices(), followed.graph().n_arcs());
    let (closure, device) =
        Device::copy(gpu.map_or(&[], from_ref), || Ok(followed.into_closure()?))?;
    outputs.write(&names, &closure)?;
    let head = loaded.head("closure").solved("dynamic", &[closed.0], common);
    Ok(Report {
        head: Head { vertices, edges, backend: backend::name(gpu), ..head },
        device,
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
        let new = counted(self.new_pairs, ("pair is new", "pairs are new"));
        let gone = counted(self.gone_pairs, ("is gone", "are gone"));
        write!(f, "{how}; {new}, {gone}")
    }
}
