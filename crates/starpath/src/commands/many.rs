//! `starpath sssp --sources`: a table of distances between many vertices, for every vertex the
//! nearest of many, or what lies within a cutoff of each of many.

use std::fmt;

use anyhow::anyhow;
use collectives::Communicator;
use graph_formats::{AnyCsr, VertexId};
use hierarchy::gpu::DeviceHierarchy;
use hierarchy::{Prepared, any};
use paths::{AnyDistances, AnyTable, Distances, Number, with_distances};
use serde::Serialize;
use sssp::SsspError;
use sssp::cost::Searches;

use crate::backend;
use crate::cli::{Backend, Common, Configs, GpuCount, SsspArgs};
use crate::commands::sssp::{output_file, parse_cutoff};
use crate::failure::say;
use crate::ids::{IdList, Names};
use crate::load::{Loaded, load};
use crate::output::ResultFile;
use crate::progress::{EndAtOnce, progress};
use crate::ranks::{agree, refuse, share_graph};
use crate::report::{Amount, Head, Ms, Sums, by_ranks, grouped};
use crate::search::{Device, repeated, repeated_by};

#[derive(Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    head: Head,
    /// Time of what is done once for the graph before searches on a GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prepare_ms: Option<Ms>,
    #[serde(flatten)]
    pub(super) device: Option<Device>,
    /// The number of GPUs that shared the sources, or the graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gpus: Option<usize>,
    sources: usize,
    /// The number of targets of a table; `None` without `--targets`, for every vertex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) targets: Option<usize>,
    /// The greatest distance, if the command line has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cutoff: Option<Amount>,
    /// Processes that shared the sources, each with `threads` threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ranks: Option<usize>,
    /// Pairs, or vertices, that have a distance.
    reached: usize,
    /// `None` for pairs of every source and vertex.
    #[serde(flatten)]
    sums: Option<Sums>,
}

/// What only rank 0 has read.
struct Root {
    loaded: Loaded,
    sources: Vec<VertexId>,
    /// `None` without `--targets`.
    targets: Option<Vec<VertexId>>,
    output: Option<ResultFile>,
}

/// To be called by all ranks. Several ranks can share a table only.
pub(crate) fn run(
    ranks: &dyn Communicator,
    args: &SsspArgs,
    mut configs: Configs,
    common: &Common,
) -> anyhow::Result<()> {
    GpuCount::check(args.gpus, common)?;
    if ranks.size() > 1 {
        refuse("--nearest", args.nearest)?;
        refuse("--cutoff without --targets", args.targets.is_none())?;
        refuse("--backend cuda", common.backend == Backend::Cuda)?;
        refuse("an algorithm that runs on a GPU only", configs.cpu.is_none())?;
    }
    // the searches of a table run together, so timing single searches would not help to choose
    if let Some(config) = &mut configs.gpu {
        config.expected_searches = None;
    }
    let root = agree(ranks, ranks.is_root().then(|| Root::read(args, common)).transpose())?;
    let graph = share_graph(ranks, root.as_ref().map(|root| &root.loaded.csr))?;
    let cutoff = args.cutoff.as_deref().map(|text| parse_cutoff(text, graph.kind()));
    let cutoff = agree(ranks, cutoff.transpose().map_err(Into::into))?;
    let report = match &root {
        Some(Root { loaded, sources, targets: None, output }) => {
            let asked = Asked { sources, cutoff, output: output.as_ref() };
            match (args.nearest, cutoff) {
                (false, Some(cutoff)) => within(loaded, &asked, cutoff, &configs, common),
                _ => nearest(loaded, &asked, &configs, common),
            }
        }
        Some(Root { loaded, sources, targets: Some(targets), output })
            if let Some(prepared) = &loaded.prepared
                && configs.is_auto()
                && cutoff.is_none()
                && ranks.size() == 1 =>
        {
            ask(loaded, prepared, [sources, targets], args.gpus, output.as_ref(), common)
        }
        _ => table(ranks, &graph, root.as_ref(), (&configs, cutoff), args.gpus, common),
    };
    let report = report.map(|report| Report { cutoff: cutoff.map(Amount::from), ..report });
    match &root {
        Some(root) => root.loaded.print(report, common),
        None => report.map(drop),
    }
}

/// A question about every vertex.
struct Asked<'a> {
    sources: &'a [VertexId],
    cutoff: Option<Number>,
    output: Option<&'a ResultFile>,
}

impl Root {
    fn read(args: &SsspArgs, common: &Common) -> anyhow::Result<Self> {
        let mut output = output_file(args)?;
        if args.targets.is_none() {
            let what = "both sources and distances";
            output = output.map(|file| file.needs_columns(what)).transpose()?;
        }
        let path = args
            .sources
            .as_deref()
            .ok_or_else(|| anyhow!("--sources is missing; name a file of sources"))?;
        let sources = IdList::read(path)?;
        let targets = args.targets.as_deref().map(IdList::read).transpose()?;
        let loaded = load(&args.graph, common)?;
        let names = loaded.names();
        let sources = sources.vertices(&names)?;
        let targets = targets.map(|targets| targets.vertices(&names)).transpose()?;
        Ok(Self { loaded, sources, targets, output })
    }
}

/// Finds the distances of every pair, from a share of the sources on each rank, and writes them.
fn table(
    ranks: &dyn Communicator,
    graph: &AnyCsr,
    root: Option<&Root>,
    (configs, cutoff): (&Configs, Option<Number>),
    gpus: Option<GpuCount>,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = root.map_or(Names::numbers(graph.n_vertices()), |root| root.loaded.names());
    let sources = root.map(|root| root.sources.clone()).unwrap_or_default();
    let targets = root.and_then(|root| root.targets.clone()).unwrap_or_default();
    let (sources, targets) = (ranks.broadcast_vec(0, sources)?, ranks.broadcast_vec(0, targets)?);
    let share = sources.len().div_ceil(ranks.size()).max(1);
    let own = sources.chunks(share).nth(ranks.rank()).unwrap_or_default();
    let n_tables = common.repeat.map_or(1, |n| n.get());
    let searches = Searches::Table(own.len().saturating_mul(n_tables));
    let step = progress("searching", common);
    let solver = match (ranks.size(), &configs.cpu) {
        (2.., Some(config)) => {
            let solver = sssp::any::solver(graph, config, Some(&step));
            solver.map(|solver| (solver, "cpu")).map_err(Into::into)
        }
        _ => backend::solver(graph, configs, searches, gpus, &step, common),
    };
    let solver = solver.and_then(|(mut solver, backend)| {
        cutoff.map_or(Ok(()), |cutoff| solver.set_cutoff(cutoff))?;
        Ok((solver, backend))
    });
    let (mut solver, backend) = agree(ranks, solver.map_err(|e| names.explain(e)))?;
    let mut on_device = Vec::new();
    let ((table, plan, device_times), times) = repeated_by(ranks, common, || {
        let found = solver.table(own, &targets).map_err(|e| names.explain(e));
        let found = agree(ranks, found)?;
        on_device.extend(found.device_times.map(|times| times.solve_ms));
        let table = gathered(ranks, found.answer, sources.len())?;
        Ok((table, found.plan, found.device_times))
    })?;
    let times = if on_device.is_empty() { times } else { on_device };
    let at_once = configs.cpu.as_ref().map_or(1, |config| config.n_threads().min(own.len()));
    let threads = if plan.device.is_some() { plan.threads } else { plan.threads.max(at_once) };
    if common.explain {
        let each = sources.len();
        say(format_args!("{plan}, for each of {each} sources; {threads} threads in all"));
    }
    if let Some(output) = root.and_then(|root| root.output.as_ref()) {
        output.write_table(&names, &sources, &targets, &table)?;
    }
    let load_ms = root.map(|root| root.loaded.load_ms);
    let head = Head::of("sssp", graph).solved(plan.algorithm, &times, common);
    let head = Head { backend, threads, load_ms, ..head };
    Ok(Report {
        prepare_ms: device_times.map(|times| Ms(times.prepare_ms)),
        device: device_times.map(|times| Device::of(&times, &plan)),
        gpus: Some(solver.gpus().len()).filter(|&n_gpus| n_gpus > 0),
        targets: Some(targets.len()),
        ranks: (ranks.size() > 1).then_some(ranks.size()),
        ..Report::of_all(head, sources.len(), &table.distances)
    })
}

/// Finds the distances of every pair in the hierarchy.
fn ask(
    loaded: &Loaded,
    prepared: &Prepared,
    [sources, targets]: [&[VertexId]; 2],
    gpus: Option<GpuCount>,
    output: Option<&ResultFile>,
    common: &Common,
) -> anyhow::Result<Report> {
    let gpus = backend::gpus_on_request(gpus, None, common)?;
    let step = progress("sweeping", common);
    let (table, times) = if gpus.is_empty() {
        let metric = any::metric(prepared, &loaded.csr)?;
        // nothing is open for writing yet
        let _at_once = EndAtOnce::new();
        repeated(common, || Ok(metric.table(sources, targets)?))?
    } else {
        let arcs = loaded.csr.unweighted();
        let on_gpu = |gpu| DeviceHierarchy::new(prepared.hierarchy(), &arcs, gpu);
        let devices: Vec<_> = gpus.iter().map(on_gpu).collect::<Result<_, _>>()?;
        let mut metrics = any::customize_on_gpus(&devices, &loaded.csr)?;
        repeated(common, || Ok(metrics.table(sources, targets, Some(&step))?))?
    };
    let backend = if gpus.is_empty() { "cpu" } else { "cuda" };
    if let Some(output) = output {
        output.write_table(&loaded.names(), sources, targets, &table)?;
    }
    let head = loaded.head("sssp").solved("hierarchy", &times, common);
    Ok(Report {
        gpus: Some(gpus.len()).filter(|&n_gpus| n_gpus > 0),
        targets: Some(targets.len()),
        ..Report::of_all(Head { backend, ..head }, sources.len(), &table.distances)
    })
}

/// The rows of all ranks, at rank 0; the others keep their own.
fn gathered(ranks: &dyn Communicator, own: AnyTable, n_sources: usize) -> anyhow::Result<AnyTable> {
    if ranks.size() == 1 {
        return Ok(own);
    }
    let distances: AnyDistances = with_distances!(&own.distances, |own| {
        Distances::from_storage(ranks.gather(0, own.as_storage())?.concat()).into()
    });
    Ok(if ranks.is_root() { AnyTable { n_sources, distances, ..own } } else { own })
}

/// Finds what lies within `cutoff` of each source, and writes it.
fn within(
    loaded: &Loaded,
    &Asked { sources, output, .. }: &Asked<'_>,
    cutoff: Number,
    configs: &Configs,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let n_runs = common.repeat.map_or(1, |n| n.get());
    let searches = Searches::Trees(sources.len().saturating_mul(n_runs));
    let step = progress("searching", common);
    let solver = backend::solver(&loaded.csr, configs, searches, None, &step, common);
    let (mut solver, backend) = solver.map_err(|error| names.explain(error))?;
    let search = || solver.within(sources, cutoff).map_err(|error| names.explain(error));
    let (found, times) = repeated(common, search)?;
    if common.explain {
        say(format_args!("{}, for each of {} sources", found.plan, sources.len()));
    }
    if let Some(output) = output {
        output.write_within(&names, &found.answer)?;
    }
    let head = loaded.head("sssp").solved(found.plan.algorithm, &times, common);
    let sizes = found.answer.iter().map(|within| within.vertices.len());
    Ok(Report {
        prepare_ms: found.device_times.map(|times| Ms(times.prepare_ms)),
        device: found.device_times.map(|times| Device::of(&times, &found.plan)),
        ..Report::of(Head { backend, ..head }, sources.len(), sizes.sum(), None)
    })
}

/// Finds the nearest source of every vertex, and writes them.
fn nearest(
    loaded: &Loaded,
    &Asked { sources, cutoff, output }: &Asked<'_>,
    configs: &Configs,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let explain = |error: anyhow::Error| match error.downcast_ref() {
        Some(SsspError::NegativeWeight { from, to, weight, .. }) => anyhow!(
            "--nearest needs weights of at least zero, but the arc from {} to {} has {weight}; ask \
             for a table with --targets",
            names.name(*from),
            names.name(*to)
        ),
        _ => error,
    };
    let searches = Searches::Trees(common.repeat.map_or(1, |n| n.get()));
    let step = progress("searching", common);
    let solver = backend::solver(&loaded.csr, configs, searches, None, &step, common);
    let (mut solver, backend) = solver.map_err(explain)?;
    cutoff.map_or(Ok(()), |cutoff| solver.set_cutoff(cutoff)).map_err(|e| explain(e.into()))?;
    let (found, times) =
        repeated(common, || solver.nearest(sources).map_err(|error| explain(error.into())))?;
    let (plan, device_times, nearest) = (&found.plan, found.device_times, &found.answer);
    if let Some(output) = output {
        output.write_nearest(&names, nearest)?;
    }
    let algorithm = if device_times.is_some() { plan.algorithm } else { "dijkstra" };
    let head = loaded.head("sssp").solved(algorithm, &times, common);
    Ok(Report {
        prepare_ms: device_times.map(|times| Ms(times.prepare_ms)),
        device: device_times.map(|times| Device::of(&times, plan)),
        ..Report::of_all(Head { backend, threads: 1, ..head }, sources.len(), &nearest.distances)
    })
}

impl Report {
    /// The report of one process without a GPU, on these distances.
    pub(super) fn of_all(head: Head, sources: usize, distances: &AnyDistances) -> Self {
        let sums = Sums::of(distances.sum(), distances.max());
        Self::of(head, sources, distances.n_reached(), Some(sums))
    }

    /// The report of one process without a GPU.
    fn of(head: Head, sources: usize, reached: usize, sums: Option<Sums>) -> Self {
        Self {
            head,
            prepare_ms: None,
            device: None,
            gpus: None,
            sources,
            targets: None,
            cutoff: None,
            ranks: None,
            reached,
            sums,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", by_ranks(&self.head, self.ranks))?;
        let (sources, reached) = (grouped(self.sources as u64), grouped(self.reached as u64));
        let within = self.cutoff.map(|cutoff| format!(" of at most {cutoff}")).unwrap_or_default();
        match (self.targets, &self.sums) {
            (Some(targets), Some(sums)) => {
                let targets = grouped(targets as u64);
                writeln!(
                    f,
                    "{sources} sources x {targets} targets: {reached} pairs have a path{within}; {sums}"
                )
            }
            (None, Some(sums)) => {
                let nearest = format!("reached from the nearest of {sources}");
                let by =
                    if within.is_empty() { String::new() } else { format!(" by a path{within}") };
                writeln!(f, "{reached} vertices are {nearest}{by}; {sums}")
            }
            _ => writeln!(
                f,
                "{sources} sources: {reached} pairs of a source and a vertex have a path{within}"
            ),
        }
    }
}
