//! `starpath sssp --partitioned`: searches of a graph in parts, by the processes that `mpirun` has
//! started, by one, or by GPUs.
//!
//! Of an `.spg` file each rank reads its rows. Files of other formats are read by rank 0, which
//! deals the rows. Results stay on the ranks. Rank 0 has the names of the vertices, and gets the
//! results in blocks, which it writes. For GPUs one process reads the graph.

mod many;

use std::time::Instant;

use anyhow::anyhow;
use collectives::Communicator;
use gpu_runtime::Gpu;
use graph_formats::{IdKind, Ids, SpgRows, VertexId, WeightKind};
use partitioned::gpu::SearchesOnGpus;
use partitioned::{Deal, NEAREST_BYTES, Need, Part, SEARCH_BYTES, TreePart};
use paths::Number;
use sssp::Goal;

use super::sssp::{Outputs, Report, Summary, Surveyed, parse_cutoff};
use crate::backend::{gpus_of_rank, gpus_on_request};
use crate::cli::{Backend, Common, GpuCount, GraphArgs, SsspArgs};
use crate::failure::{WrongUse, say};
use crate::ids::Names;
use crate::load::{Loaded, load, print_with_notes};
use crate::progress::progress;
use crate::ranks::{agree, refuse};
use crate::report::{Head, Ms, by_ranks, median, milliseconds};
use crate::search::{Searched, repeated, repeated_by};

/// Vertices of which rank 0 gets the results at a time.
const VERTICES_PER_BLOCK: usize = 1 << 20;
/// Arcs of each vertex from which on several GPUs are faster than one.
const ARCS_PER_VERTEX_OF_SEVERAL: usize = 5;
/// What a search takes of a GPU at most, while the graph is put there.
const BYTES_PER_ARC: usize = 32;
const BYTES_PER_VERTEX: usize = 160;

/// The part of a rank, and what rank 0 knows of the file beside.
pub(super) struct Dealt {
    pub(super) part: Part,
    ids: Ids,
    pub(super) notes: Vec<String>,
    load_ms: Ms,
    prepare_ms: Ms,
    /// That of this rank, if the part is on one.
    gpu: Option<Gpu>,
}

/// Called by all ranks.
pub(crate) fn run(
    ranks: &dyn Communicator,
    args: &SsspArgs,
    common: &Common,
) -> anyhow::Result<()> {
    GpuCount::check(args.gpus, common)?;
    if args.sources.is_some() {
        return many::run(ranks, args, common);
    }
    if common.backend == Backend::Cuda && ranks.size() == 1 {
        return on_gpus(args, common);
    }
    refuse("--gpus", args.gpus.is_some())?;
    let outputs = agree(ranks, ranks.is_root().then(|| Outputs::check(args)).transpose())?;
    ensure_memory(ranks, args, common)?;
    let mut dealt = Dealt::load(ranks, &args.graph, false, common)?;
    dealt.move_to_gpu(ranks, args, common)?;
    let names = dealt.names(&args.graph);
    let mut ends = agree(ranks, if ranks.is_root() { ends(&names, args) } else { Ok([0; 2]) })?;
    ranks.broadcast(0, &mut ends)?;
    let [source, target] = ends;
    let target = args.target.as_ref().map(|_| target);
    let goal = goal(target, args, dealt.part.kind())?;
    let step = progress("searching", common);
    let (mut search_ms, mut predecessors_ms) = (Vec::new(), Vec::new());
    let (found, _) = repeated_by(ranks, common, || {
        let found = partitioned::tree_part(ranks, &dealt.part, source, goal, Some(&step));
        let found = found.map_err(|error| names.explain(error))?;
        search_ms.push(milliseconds(found.search_time).0);
        predecessors_ms.push(milliseconds(found.predecessors_time).0);
        Ok(found)
    })?;
    drop(step);
    let n_ranks = Some(ranks.size()).filter(|&n| n > 1);
    let tree = &found.tree;
    // the limit of a search to a target that is reached is its distance
    let n_arcs = target.filter(|_| tree.limit.is_some());
    let n_arcs = n_arcs.map(|target| tree.arcs_to(ranks, &dealt.part, target)).transpose()?;
    let summary = write_in_blocks(ranks, &dealt, &names, tree, outputs.as_ref())?;
    let written = summary.map(|summary| {
        if common.explain {
            say(format_args!("{}", by_ranks(&found.algorithm, n_ranks)));
            say(format_args!(
                "work: {} arcs relaxed, {} vertices settled, {} exchanges between ranks",
                found.relaxations, found.settled, found.exchanges
            ));
        }
        let head = dealt.head("sssp").solved(found.algorithm, &search_ms, common);
        let (prepare_ms, predecessors_ms) = (dealt.prepare_ms, median(&predecessors_ms));
        let searched = Searched::on_cpus(head, prepare_ms, predecessors_ms, found.relaxations);
        let searched = match &dealt.gpu {
            Some(gpu) => searched.on_device(gpu, gpu.jit_ms(), Ms(0.0)),
            None => searched,
        };
        let target = target.map(|target| (target, tree.limit, n_arcs));
        let surveyed = Surveyed { source, limit: tree.limit, summary, target };
        let mut report = Report::new(&names, &surveyed, searched);
        report.ranks = n_ranks;
        report
    });
    match written {
        Some(report) => print_with_notes(&report, &dealt.notes, common),
        None => Ok(()),
    }
}

/// Writes a tree at rank 0, which gets it in blocks, and what a report says of it.
fn write_in_blocks(
    ranks: &dyn Communicator,
    dealt: &Dealt,
    names: &Names<'_>,
    tree: &TreePart,
    outputs: Option<&Outputs>,
) -> anyhow::Result<Option<Summary>> {
    let files = outputs.map(|outputs| outputs.start(names, &tree.distances)).transpose();
    let [mut distances, mut predecessors] = agree(ranks, files)?.unwrap_or_default();
    let (mut summary, mut written) = (None, Ok(()));
    tree.in_blocks(ranks, &dealt.part, VERTICES_PER_BLOCK, |of_block, tails| {
        summary = Some(Summary::with(summary, &of_block));
        // after an error the other ranks still send what they have
        let mut add = || {
            let added = distances.as_mut().map(|file| file.add(names, &of_block, tails));
            added.transpose()?;
            predecessors.as_mut().map(|file| file.add_predecessors(tails)).transpose()?;
            Ok(())
        };
        if written.is_ok() {
            written = add();
        }
    })?;
    let mut files = distances.into_iter().chain(predecessors);
    agree(ranks, written.and_then(|()| files.try_for_each(|file| file.finish(names))))?;
    Ok(summary)
}

/// An error on all ranks, before they read their parts, where one needs more than its `--memory`. With GPUs
/// that is for them, and is checked when parts move there.
fn ensure_memory(ranks: &dyn Communicator, args: &SsspArgs, common: &Common) -> anyhow::Result<()> {
    let memory = args.memory.filter(|_| common.backend != Backend::Cuda);
    let checked = match (args.graph.is_in_parts(), memory) {
        (false, Some(_)) => Err(WrongUse(format!(
            "--memory on ranks is for .spg files, because others are read whole by rank 0; run \
             starpath convert on {}",
            args.graph.path.display()
        ))),
        _ => Ok(()),
    };
    agree(ranks, checked.map_err(Into::into))?;
    let per_vertex = if args.nearest { NEAREST_BYTES } else { SEARCH_BYTES };
    match needs(ranks, &args.graph, args.graph.unweighted, per_vertex, common)? {
        Some([own, greatest]) => Ok(own.ensure_within(ranks, &greatest, memory)?),
        None => Ok(()),
    }
}

/// What this rank needs for its part and `per_vertex` bytes for each vertex, and the greatest need of all,
/// where each reads its part. With `--explain` it is told.
pub(super) fn needs(
    ranks: &dyn Communicator,
    graph: &GraphArgs,
    is_unweighted: bool,
    per_vertex: u64,
    common: &Common,
) -> anyhow::Result<Option<[Need; 2]>> {
    if !graph.is_in_parts() {
        return Ok(None);
    }
    let own = SpgRows::open(&graph.path).and_then(|file| {
        let deal = Deal::new(file.n_vertices(), ranks.size());
        Need::of_file(&file, &deal, ranks.rank(), is_unweighted, per_vertex)
    });
    let own = agree(ranks, own.map_err(Into::into))?;
    let greatest = own.greatest(ranks)?;
    if common.explain {
        let (bytes, Need { part, search }) = (greatest.bytes(), greatest);
        say(format_args!(
            "memory: up to {bytes} bytes on a rank: {part} for its part, and {search} beside it"
        ));
    }
    Ok(Some([own, greatest]))
}

/// How far the search goes.
fn goal(
    target: Option<VertexId>,
    args: &SsspArgs,
    weights: WeightKind,
) -> anyhow::Result<Goal<Number>> {
    Ok(match (target, &args.cutoff) {
        (Some(target), _) => Goal::Target(target),
        (None, Some(cutoff)) => Goal::Within(parse_cutoff(cutoff, weights)?),
        (None, None) => Goal::All,
    })
}

/// The search on the GPUs of this machine.
fn on_gpus(args: &SsspArgs, common: &Common) -> anyhow::Result<()> {
    let outputs = Outputs::check(args)?;
    let loaded = load(&args.graph, common)?;
    loaded.print(search_on_gpus(&loaded, args, &outputs, common), common)
}

fn search_on_gpus(
    loaded: &Loaded,
    args: &SsspArgs,
    outputs: &Outputs,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let [source, target] = ends(&names, args)?;
    let target = args.target.as_ref().map(|_| target);
    let goal = goal(target, args, loaded.csr.kind())?;
    let gpus = worthwhile(gpus_on_request(args.gpus, args.memory, common)?, loaded, args, common)?;
    let step = progress("searching", common);
    let (mut searches, prepare_ms) = dealt(&gpus, loaded)?;
    let (mut search_ms, mut predecessors_ms, mut others_ms) = (Vec::new(), Vec::new(), Ms(0.0));
    let (found, _) = repeated(common, || {
        let start = Instant::now();
        let found = searches.tree(source, goal, Some(&step));
        let found = found.map_err(|error| names.explain(error))?;
        others_ms = milliseconds(start.elapsed() - found.search_time - found.predecessors_time);
        search_ms.push(milliseconds(found.search_time).0);
        predecessors_ms.push(milliseconds(found.predecessors_time).0);
        Ok(found)
    })?;
    drop(step);
    let tree = found.tree;
    outputs.write(&names, &tree)?;
    if common.explain {
        explain(&searches, found.relaxations, found.exchanges);
    }
    let head = loaded.head("sssp").solved(found.algorithm, &search_ms, common);
    let head = Head { backend: "cuda", threads: 1, ..head };
    let searched = Searched::on_cpus(head, prepare_ms, median(&predecessors_ms), found.relaxations)
        .on_device(&gpus[0], gpus.iter().map(Gpu::jit_ms).sum(), others_ms);
    let mut report = Report::of(&names, &tree, target, searched);
    report.gpus = Some(gpus.len());
    Ok(report)
}

/// Deals the graph to these GPUs, and says how long it took.
fn dealt<'g>(gpus: &[Gpu], loaded: &'g Loaded) -> anyhow::Result<(SearchesOnGpus<'g>, Ms)> {
    let start = Instant::now();
    let searches = SearchesOnGpus::new(gpus, &loaded.csr);
    let searches = searches.map_err(|error| loaded.names().explain(error))?;
    Ok((searches, milliseconds(start.elapsed())))
}

/// Says what GPUs have done, and what the graph and its searches take.
fn explain(searches: &SearchesOnGpus<'_>, relaxed: u64, steps: u64) {
    say(format_args!("work: {relaxed} arcs relaxed, {steps} steps of all GPUs"));
    for (at, memory) in searches.memory().into_iter().enumerate() {
        let (gpu, host) = (memory.gpu, memory.host);
        say(format_args!("memory: {gpu} bytes on GPU {at}, {host} of the host for it"));
    }
}

/// Of all GPUs the first alone, if it can have the graph and a search has many steps, as of roads: others would
/// wait for each other there.
fn worthwhile(
    mut gpus: Vec<Gpu>,
    loaded: &Loaded,
    args: &SsspArgs,
    common: &Common,
) -> anyhow::Result<Vec<Gpu>> {
    let (n, m) = (loaded.csr.n_vertices(), loaded.csr.n_arcs());
    let is_free = matches!(args.gpus, Some(GpuCount::All)) && gpus.len() > 1;
    if is_free && m < ARCS_PER_VERTEX_OF_SEVERAL * n {
        let most = (BYTES_PER_ARC * m + BYTES_PER_VERTEX * n) as u64;
        if most < gpus[0].available_bytes()? {
            gpus.truncate(1);
            if common.explain {
                say(format_args!(
                    "gpus: 1, because a graph of few arcs a vertex has many steps, in which GPUs wait for \
                     each other; --gpus N takes N"
                ));
            }
        }
    }
    Ok(gpus)
}

/// The source and the target, if there is one.
fn ends(names: &Names<'_>, args: &SsspArgs) -> anyhow::Result<[VertexId; 2]> {
    let source = args.source.as_deref();
    let source = source.ok_or_else(|| anyhow!("--source is missing; name a vertex"))?;
    let target = args.target.as_deref().map(|id| names.vertex("target", id)).transpose()?;
    Ok([names.vertex("source", source)?, target.unwrap_or_default()])
}

impl Dealt {
    /// Called by all ranks. `is_unweighted`: each arc weighs 1, whatever the options say.
    pub(super) fn load(
        ranks: &dyn Communicator,
        graph: &GraphArgs,
        is_unweighted: bool,
        common: &Common,
    ) -> anyhow::Result<Self> {
        match graph.is_in_parts() {
            true => Self::read(ranks, graph, graph.unweighted || is_unweighted, common),
            false => Self::of_graph(ranks, graph, is_unweighted, common),
        }
    }

    /// Each rank reads its part of the file.
    fn read(
        ranks: &dyn Communicator,
        graph: &GraphArgs,
        is_unweighted: bool,
        common: &Common,
    ) -> anyhow::Result<Self> {
        // options that do not apply to the format
        graph.options()?;
        let step = progress("reading", common);
        let start = Instant::now();
        let path = &graph.path;
        let named = ranks.is_root().then(|| {
            let file = SpgRows::open(path)?;
            Ok((file.ids()?, file.n_vertices()))
        });
        let named = agree(ranks, named.transpose())?;
        let part = Part::read(ranks, path, is_unweighted).map_err(|error| match &named {
            Some((ids, n_vertices)) => {
                let id_kind = IdKind::Auto;
                Names { path, ids, id_kind, n_vertices: *n_vertices, new: &[] }.explain(error)
            }
            None => error.into(),
        });
        let part = agree(ranks, part)?;
        drop(step);
        let ids = named.map_or(Ids::FromZero, |(ids, _)| ids);
        let load_ms = milliseconds(start.elapsed());
        Ok(Self { part, ids, notes: Vec::new(), load_ms, prepare_ms: Ms(0.0), gpu: None })
    }

    /// Rank 0 reads the file.
    fn of_graph(
        ranks: &dyn Communicator,
        graph: &GraphArgs,
        is_unweighted: bool,
        common: &Common,
    ) -> anyhow::Result<Self> {
        let loaded = ranks.is_root().then(|| load(graph, common));
        let mut loaded = agree(ranks, loaded.transpose())?;
        let start = Instant::now();
        if let Some(loaded) = loaded.as_mut().filter(|_| is_unweighted) {
            loaded.csr = loaded.csr.unweighted().into();
        }
        let part = Part::of_graph(ranks, loaded.as_ref().map(|loaded| &loaded.csr));
        let part = part.map_err(|error| match &loaded {
            Some(loaded) => loaded.names().explain(error),
            None => error.into(),
        });
        let part = agree(ranks, part)?;
        let (ids, notes, load_ms) = match loaded {
            Some(loaded) => (loaded.ids, loaded.notes, loaded.load_ms),
            None => (Ids::FromZero, Vec::new(), Ms(0.0)),
        };
        let prepare_ms = milliseconds(start.elapsed());
        Ok(Self { part, ids, notes, load_ms, prepare_ms, gpu: None })
    }

    /// Copies the part to the GPU of this rank, if the command line asks for it.
    fn move_to_gpu(
        &mut self,
        ranks: &dyn Communicator,
        args: &SsspArgs,
        common: &Common,
    ) -> anyhow::Result<()> {
        let gpu =
            gpus_of_rank(ranks, None, args.memory, common).map(|gpus| gpus.into_iter().next());
        self.gpu = agree(ranks, gpu)?;
        let Some(gpu) = &self.gpu else { return Ok(()) };
        let start = Instant::now();
        let hosts = self.part.move_to_gpu(ranks, gpu)?;
        self.prepare_ms.0 += milliseconds(start.elapsed()).0;
        if common.explain && ranks.is_root() && ranks.size() > 1 {
            match hosts {
                None => say(format_args!("NCCL brings what GPUs send each other")),
                Some(why) => say(format_args!(
                    "what GPUs send each other comes through the hosts' memory, because {why}"
                )),
            }
        }
        Ok(())
    }

    pub(super) fn names<'a>(&'a self, graph: &'a GraphArgs) -> Names<'a> {
        let n_vertices = self.part.deal().n_vertices();
        let (path, id_kind) = (&graph.path, graph.id_kind());
        Names { path, ids: &self.ids, id_kind, n_vertices, new: &[] }
    }

    pub(super) fn head(&self, command: &'static str) -> Head {
        Head {
            command,
            algorithm: None,
            backend: crate::backend::name(self.gpu.as_ref()),
            threads: 1,
            vertices: self.part.deal().n_vertices(),
            edges: self.part.n_arcs() as usize,
            load_ms: Some(self.load_ms),
            solve_ms: None,
            solve_min_ms: None,
        }
    }
}
