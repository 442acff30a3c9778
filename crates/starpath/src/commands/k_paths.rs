//! `starpath path --k`: the shortest paths between two vertices, several of them.

use std::fmt;
use std::num::NonZeroUsize;
use std::time::Instant;

use graph_formats::{Csr, Distance, with_csr};
use hierarchy::{MetricWeight, Prepared};
use serde::Serialize;
use sssp::{Config, Path, SearchWeight, Solver, SsspError};

use crate::backend;
use crate::cli::{Common, PathArgs};
use crate::failure::say;
use crate::ids::{Id, Names};
use crate::load::{Loaded, load};
use crate::progress::Bar;
use crate::report::{ARCS, Head, Ms, Number, PATHS, counted, milliseconds};
use crate::search::{Times, repeated};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    /// What is done once for the graph, before any search; `None` where it is prepared.
    #[serde(skip_serializing_if = "Option::is_none")]
    prepare_ms: Option<Ms>,
    /// Arcs looked at by searches.
    #[serde(skip_serializing_if = "Option::is_none")]
    relaxations: Option<u64>,
    source: Id,
    target: Id,
    /// How many paths were asked for.
    k: NonZeroUsize,
    /// By length, then by their vertices; fewer than `k` where there are no more.
    paths: Vec<Found>,
}

#[derive(Serialize)]
struct Found {
    distance: Number,
    /// The vertices on the way, both ends included.
    path: Vec<Id>,
}

impl Found {
    fn of<D: Distance>(path: Path<D>, names: &Names<'_>) -> Self {
        let ids = path.vertices.into_iter().map(|vertex| names.name(vertex).into());
        Self { distance: Number::of(path.length), path: ids.collect() }
    }
}

pub(crate) fn run(args: &PathArgs, k: NonZeroUsize, common: &Common) -> anyhow::Result<()> {
    let backend = backend::cpu("path --k", common)?;
    let loaded = load(&args.graph, common)?;
    let report = match &loaded.prepared {
        Some(prepared) => {
            with_csr!(&loaded.csr, |graph| ask(graph, &loaded, prepared, args, k, common))
        }
        None => with_csr!(&loaded.csr, |graph| solve(graph, &loaded, args, k, backend, common)),
    };
    loaded.print(&report?, common)
}

/// By the distances of the hierarchy.
fn ask<W: MetricWeight>(
    graph: &Csr<W>,
    loaded: &Loaded,
    prepared: &Prepared,
    args: &PathArgs,
    k: NonZeroUsize,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let (source, target) = args.ends(&names)?;
    let explain = |error| names.explain_hierarchy(error);
    let metric = prepared.metric(graph).map_err(explain)?;
    let (paths, times) =
        repeated(common, || metric.k_shortest_paths(source, target, k.get()).map_err(explain))?;
    let times = Times::of(times)?;
    Ok(Report {
        head: Head {
            command: "path",
            algorithm: Some("hierarchy"),
            backend: "cpu",
            threads: 1,
            vertices: graph.n_vertices(),
            edges: graph.n_arcs(),
            load_ms: Some(loaded.load_ms),
            solve_ms: Some(times.median()),
            solve_min_ms: times.least(common),
        },
        prepare_ms: None,
        relaxations: None,
        source: names.name(source).into(),
        target: names.name(target).into(),
        k,
        paths: paths.into_iter().map(|path| Found::of(path, &names)).collect(),
    })
}

fn solve<W: SearchWeight>(
    graph: &Csr<W>,
    loaded: &Loaded,
    args: &PathArgs,
    k: NonZeroUsize,
    backend: &'static str,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let (source, target) = args.ends(&names)?;
    let explain = |error: SsspError| names.explain(error);
    let config =
        Config { threads: common.threads, expected_searches: common.repeat, ..Config::default() };
    let bar = Bar::new("searching", common);
    let step = |done, total| bar.step(done, total);
    let start = Instant::now();
    let mut solver = Solver::new(graph, &config).map_err(explain)?.with_progress(&step);
    let prepare_ms = milliseconds(start.elapsed());
    let (found, times) =
        repeated(common, || solver.k_shortest_paths(source, target, k.get()).map_err(explain))?;
    let (times, plan, work) = (Times::of(times)?, &found.plan, found.work);
    if common.explain {
        say(format_args!("distances to the target: {plan}"));
        let (arcs, settled) = (work.relaxations, work.settled);
        say(format_args!("work: {arcs} arcs looked at, {settled} vertices settled"));
    }
    let head = Head {
        command: "path",
        algorithm: Some("yen"),
        backend,
        threads: plan.threads,
        vertices: graph.n_vertices(),
        edges: graph.n_arcs(),
        load_ms: Some(loaded.load_ms),
        solve_ms: Some(times.median()),
        solve_min_ms: times.least(common),
    };
    Ok(Report {
        head,
        prepare_ms: Some(prepare_ms),
        relaxations: Some(work.relaxations),
        source: names.name(source).into(),
        target: names.name(target).into(),
        k,
        paths: found.answer.into_iter().map(|path| Found::of(path, &names)).collect(),
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { head, source, target, k, paths, .. } = self;
        writeln!(f, "{head}")?;
        if paths.is_empty() {
            return writeln!(f, "no path leads from {source} to {target}");
        }
        let found = counted(paths.len(), PATHS);
        let all = if paths.len() < k.get() { ", and there are no more" } else { "" };
        writeln!(f, "{source} to {target}: {found}{all}")?;
        for Found { distance, path } in paths {
            let vertices: Vec<_> = path.iter().map(Id::to_string).collect();
            writeln!(f, "{distance}, {}: {}", counted(path.len() - 1, ARCS), vertices.join(" "))?;
        }
        Ok(())
    }
}
