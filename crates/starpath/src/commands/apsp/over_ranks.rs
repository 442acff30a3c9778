//! `starpath apsp` by the processes that `mpirun` has started.
//!
//! Rank 0 reads the graph, sends it to the others, and writes what they bring; every other rank
//! computes its rows and is silent.

use std::ops::ControlFlow;
use std::path::Path;

use apsp::{Config, Solver};
use collectives::Communicator;
use graph_formats::{Csr, Weight, with_csr};

use super::{Report, explain};
use crate::cli::{ApspArgs, Backend, Common};
use crate::failure::say;
use crate::ids::Names;
use crate::load::{Loaded, load};
use crate::output::ResultFile;
use crate::progress::Bar;
use crate::ranks::{agree, refuse, share_graph};
use crate::report::{Head, Number};
use crate::search::{Times, repeated_by};

/// What rank 0 alone has.
struct Root {
    loaded: Loaded,
    distances: Option<ResultFile>,
}

/// As [`run`](super::run), called by all ranks.
pub(crate) fn run_over(
    ranks: &dyn Communicator,
    args: &ApspArgs,
    common: &Common,
) -> anyhow::Result<()> {
    refuse("--next-hops", args.next_hops.is_some())?;
    refuse("--scratch", args.scratch.is_some())?;
    refuse("--backend cuda", common.backend == Backend::Cuda)?;
    let root = agree(ranks, ranks.is_root().then(|| Root::new(args, common)).transpose())?;
    let graph = share_graph(ranks, root.as_ref().map(|root| &root.loaded.csr))?;
    let report = with_csr!(&*graph, |graph| solve(ranks, graph, root.as_ref(), args, common))?;
    match root {
        Some(root) => root.loaded.print(&report, common),
        None => Ok(()),
    }
}

impl Root {
    fn new(args: &ApspArgs, common: &Common) -> anyhow::Result<Self> {
        let inputs: Vec<&Path> = args.graph.inputs().collect();
        let check = |path| ResultFile::check(path, &inputs);
        let distances = args.distances.as_deref().map(check).transpose()?;
        Ok(Self { distances, loaded: load(&args.graph, common)? })
    }
}

fn solve<W: Weight>(
    ranks: &dyn Communicator,
    graph: &Csr<W>,
    root: Option<&Root>,
    args: &ApspArgs,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = root.map_or(Names::numbers(graph.n_vertices()), |root| root.loaded.names());
    let bar = Bar::new("solving", common);
    let step = |done, total| bar.step(done, total);
    let config = Config {
        algorithm: args.algorithm,
        threads: common.threads,
        memory: args.memory,
        ..Config::default()
    };
    let (found, times) = repeated_by(ranks, common, || {
        let found = Solver::new(graph, &config).solve_over(ranks, Some(&step));
        found.map_err(|error| explain(&names, error))
    })?;
    drop(bar);
    let (plan, summary) = (&found.plan, found.summary(ranks)?);
    if common.explain {
        say(format_args!("{plan} on each of {} ranks", ranks.size()));
    }
    if args.distances.is_some() {
        let bar = Bar::new("writing", common);
        let step = |done, total| bar.step(done, total);
        let output = root.and_then(|root| root.distances.as_ref());
        let file = agree(ranks, output.map(ResultFile::create).transpose())?;
        let written = match output.zip(file) {
            Some((output, file)) => output.write_gathered(file, &names, ranks, &found, &step),
            None => Ok(found.gather_rows(ranks, |_, _| ControlFlow::Continue(()))?),
        };
        agree(ranks, written)?;
    }
    let solve = Times::of(times)?;
    Ok(Report {
        head: Head {
            command: "apsp",
            algorithm: Some(plan.algorithm.name()),
            backend: "cpu",
            threads: plan.threads,
            vertices: graph.n_vertices(),
            edges: graph.n_arcs(),
            load_ms: root.map(|root| root.loaded.load_ms),
            solve_ms: Some(solve.median()),
            solve_min_ms: solve.least(common),
        },
        device: None,
        ranks: Some(ranks.size()),
        reachable_pairs: summary.n_reachable_pairs,
        distance_sum: summary.sum.into(),
        max_distance: summary.max.map(Number::of),
    })
}
