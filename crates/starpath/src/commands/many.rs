//! `starpath sssp --sources`: a table of distances between many vertices, or for every
//! vertex the nearest of many.

use std::fmt;

use anyhow::anyhow;
use graph_formats::{Csr, VertexId, Weight, with_csr};
use serde::Serialize;
use sssp::SsspError;
use sssp::cost::Searches;

use crate::backend;
use crate::cli::{Common, Configs, SsspArgs};
use crate::commands::sssp::output_file;
use crate::failure::say;
use crate::ids::IdList;
use crate::load::{Loaded, load};
use crate::output::ResultFile;
use crate::progress::Bar;
use crate::report::{Head, Ms, Number, grouped};
use crate::search::{Device, Times, repeated};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    /// What was done once for the graph and the searches on a GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    prepare_ms: Option<Ms>,
    #[serde(flatten)]
    device: Option<Device>,
    sources: usize,
    /// How many there are in a table; `None` when every vertex is looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    targets: Option<usize>,
    /// Pairs, or vertices, that have a distance.
    reached: usize,
    distance_sum: Number,
    max_distance: Option<Number>,
}

pub(crate) fn run(args: &SsspArgs, mut configs: Configs, common: &Common) -> anyhow::Result<()> {
    let mut output = output_file(args)?;
    if args.nearest {
        output = output.map(|file| file.needs_columns("both sources and distances")).transpose()?;
    }
    // the searches of a table run together, so that trials of single ones tell nothing of it
    if let Some(config) = &mut configs.gpu {
        config.expected_searches = None;
    }
    let path = args.sources.as_deref().ok_or_else(|| anyhow!("--sources is missing"))?;
    let sources = IdList::read(path)?;
    let targets = args.targets.as_deref().map(IdList::read).transpose()?;
    let loaded = load(&args.graph, common)?;
    let names = loaded.names();
    let request = Request {
        sources: sources.vertices(&names)?,
        targets: targets.map(|targets| targets.vertices(&names)).transpose()?,
        output,
    };
    let report = with_csr!(&loaded.csr, |graph| match &request.targets {
        Some(targets) => table(graph, &loaded, &configs, &request, targets, common),
        None => nearest(graph, &loaded, &configs, &request, common),
    })?;
    loaded.print(&report, common)
}

/// What is asked for, in terms of the graph.
struct Request {
    sources: Vec<VertexId>,
    /// `None` asks for the nearest source of every vertex.
    targets: Option<Vec<VertexId>>,
    output: Option<ResultFile>,
}

/// Finds the distances of every pair, and writes them.
fn table<W: Weight>(
    graph: &Csr<W>,
    loaded: &Loaded,
    configs: &Configs,
    request: &Request,
    targets: &[VertexId],
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let sources = &request.sources;
    let n_tables = common.repeat.map_or(1, |n| n.get());
    let searches = Searches::Table(sources.len().saturating_mul(n_tables));
    let solver = backend::solver(graph, configs, searches, common)?;
    let (solver, backend) = solver.map_err(|e| names.explain(e))?;
    let bar = Bar::new("searching", common);
    let step = |done, total| bar.step(done, total);
    let mut solver = solver.with_progress(&step);
    let mut on_device = Vec::new();
    let (table, times) = repeated(common, || {
        let table = solver.table(sources, targets).map_err(|e| names.explain(e))?;
        on_device.extend(solver.device_times().map(|times| times.solve_ms));
        Ok(table)
    })?;
    let solve = Times::of(if on_device.is_empty() { times } else { on_device })?;
    let (plan, device_times) = (solver.plan(), solver.device_times());
    let at_once = configs.cpu.as_ref().map_or(1, |config| config.n_threads().min(sources.len()));
    let threads = if plan.device.is_some() { plan.threads } else { plan.threads.max(at_once) };
    if common.explain {
        let each = sources.len();
        say(format_args!("{plan}, for each of {each} sources; {threads} threads in all"));
    }
    if let Some(output) = &request.output {
        output.write_table(&names, sources, targets, &table)?;
    }
    let distances = (0..table.n_sources()).flat_map(|row| table.row(row)).flatten();
    Ok(Report {
        head: Head {
            command: "sssp",
            algorithm: Some(plan.algorithm),
            backend,
            threads,
            vertices: graph.n_vertices(),
            edges: graph.n_arcs(),
            load_ms: Some(loaded.load_ms),
            solve_ms: Some(solve.median()),
            solve_min_ms: solve.least(common),
        },
        prepare_ms: device_times.map(|times| Ms(times.prepare_ms)),
        device: device_times.map(|times| Device::of(&times, plan)),
        sources: sources.len(),
        targets: Some(targets.len()),
        reached: table.n_reachable_pairs(),
        distance_sum: table.sum().into(),
        max_distance: distances.max_by(|a, b| a.order(*b)).map(Number::of),
    })
}

/// Finds the nearest source of every vertex, and writes them.
fn nearest<W: Weight>(
    graph: &Csr<W>,
    loaded: &Loaded,
    configs: &Configs,
    request: &Request,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let explain = |error| match error {
        SsspError::NegativeWeight { from, to, weight, .. } => anyhow!(
            "--nearest needs weights of at least zero, but the arc from {} to {} has {weight}; ask \
             for a table with --targets",
            names.name(from),
            names.name(to)
        ),
        other => names.explain(other),
    };
    let searches = Searches::Trees(common.repeat.map_or(1, |n| n.get()));
    let solver = backend::solver(graph, configs, searches, common)?;
    let (solver, backend) = solver.map_err(explain)?;
    let bar = Bar::new("searching", common);
    let step = |done, total| bar.step(done, total);
    let mut solver = solver.with_progress(&step);
    let (nearest, times) = repeated(common, || solver.nearest(&request.sources).map_err(explain))?;
    let solve = Times::of(times)?;
    let (plan, device_times) = (solver.plan(), solver.device_times());
    if let Some(output) = &request.output {
        output.write_nearest(&names, &nearest)?;
    }
    Ok(Report {
        head: Head {
            command: "sssp",
            algorithm: Some(if device_times.is_some() { plan.algorithm } else { "dijkstra" }),
            backend,
            threads: 1,
            vertices: graph.n_vertices(),
            edges: graph.n_arcs(),
            load_ms: Some(loaded.load_ms),
            solve_ms: Some(solve.median()),
            solve_min_ms: solve.least(common),
        },
        prepare_ms: device_times.map(|times| Ms(times.prepare_ms)),
        device: device_times.map(|times| Device::of(&times, plan)),
        sources: request.sources.len(),
        targets: None,
        reached: nearest.distances.n_reached(),
        distance_sum: nearest.distances.sum().into(),
        max_distance: nearest.distances.max().map(Number::of),
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        let (sources, reached) = (grouped(self.sources as u128), grouped(self.reached as u128));
        match self.targets {
            Some(targets) => {
                let targets = grouped(targets as u128);
                write!(f, "{sources} sources x {targets} targets: {reached} pairs have a path")?;
            }
            None => write!(f, "{reached} vertices are reached from the nearest of {sources}")?,
        }
        write!(f, "; distances sum to {}", self.distance_sum)?;
        match self.max_distance {
            Some(max) => writeln!(f, ", the greatest is {max}"),
            None => writeln!(f),
        }
    }
}
