//! `starpath path --k`: the k shortest simple paths between two vertices.

use std::fmt;
use std::mem;
use std::num::NonZeroUsize;
use std::time::Instant;

use graph_formats::{AnyCsr, Coo, Csr, VertexId, Weight, ensure_granted, with_csr};
use paths::Number;
use serde::Serialize;
use sssp::Path;

use crate::backend;
use crate::cli::{Common, PathArgs};
use crate::commands::sssp::parse_cutoff;
use crate::failure::say;
use crate::ids::{Id, Names};
use crate::load::{Loaded, load};
use crate::progress::progress;
use crate::report::{ARCS, Amount, Head, Ms, PATHS, counted, milliseconds};
use crate::search::repeated;

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    /// Time of what is done once for the graph, before any search; `None` if the graph is prepared.
    #[serde(skip_serializing_if = "Option::is_none")]
    prepare_ms: Option<Ms>,
    /// Arcs relaxed by searches.
    #[serde(skip_serializing_if = "Option::is_none")]
    relaxations: Option<u64>,
    source: Id,
    target: Id,
    /// The number of paths that the command line asks for.
    k: NonZeroUsize,
    /// The length of the longest path that the command line asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    cutoff: Option<Amount>,
    /// Sorted by length, then by their vertices; fewer than `k` if there are no more.
    paths: Vec<Found>,
}

#[derive(Serialize)]
struct Found {
    distance: Amount,
    /// The vertices on the way, both ends included.
    path: Vec<Id>,
}

impl Found {
    /// A path without the vertices that [`with_parallel_arcs_apart`] adds.
    fn of(path: Path<Number>, names: &Names<'_>) -> Self {
        let is_own = |&vertex: &VertexId| (vertex as usize) < names.n_vertices;
        let ids = path.vertices.into_iter().filter(is_own).map(|vertex| names.name(vertex).into());
        Self { distance: path.length.into(), path: ids.collect() }
    }
}

pub(crate) fn run(args: &PathArgs, k: NonZeroUsize, common: &Common) -> anyhow::Result<()> {
    backend::cpu("path --k", common)?;
    let loaded = load(&args.graph, common)?;
    loaded.print(solve(&loaded, args, k, common), common)
}

/// With distances to the target from a hierarchy if there is one, else from a search.
fn solve(
    loaded: &Loaded,
    args: &PathArgs,
    k: NonZeroUsize,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let (source, target) = args.ends(&names)?;
    let cutoff = args.cutoff.as_deref().map(|text| parse_cutoff(text, loaded.csr.kind()));
    let cutoff = cutoff.transpose()?;
    let head = loaded.head("path");
    // negative weights are refused by the search, which names their arcs
    let apart = (args.parallel_arcs && loaded.csr.first_negative().is_none())
        .then(|| with_csr!(&loaded.csr, |graph| with_parallel_arcs_apart(graph).map(AnyCsr::from)))
        .transpose()?;
    let (head, mut paths, prepare_ms, relaxations) = match &loaded.prepared {
        Some(prepared) if !args.parallel_arcs => {
            let metric = hierarchy::any::metric(prepared, &loaded.csr)?;
            let step = progress("searching", common);
            let (paths, times) = repeated(common, || {
                Ok(metric.k_shortest_paths(source, target, k.get(), Some(&step))?)
            })?;
            let head = Head { threads: 1, ..head.solved("hierarchy", &times, common) };
            (head, paths, None, None)
        }
        _ => {
            let graph = apart.as_ref().unwrap_or(&loaded.csr);
            let step = progress("searching", common);
            let start = Instant::now();
            let mut solver = sssp::any::solver(graph, &common.config(), Some(&step))?;
            let prepare_ms = milliseconds(start.elapsed());
            let (found, times) =
                repeated(common, || Ok(solver.k_shortest_paths(source, target, k.get())?))?;
            let (plan, work) = (&found.plan, found.work);
            if common.explain {
                say(format_args!("distances to the target: {plan}"));
                let (arcs, settled) = (work.relaxations, work.settled);
                say(format_args!("work: {arcs} arcs relaxed, {settled} vertices settled"));
            }
            let head = Head { threads: plan.threads, ..head.solved("yen", &times, common) };
            (head, found.answer, Some(prepare_ms), Some(work.relaxations))
        }
    };
    if let Some(cutoff) = cutoff {
        paths.retain(|path| path.length <= cutoff);
    }
    Ok(Report {
        head,
        prepare_ms,
        relaxations,
        source: names.name(source).into(),
        target: names.name(target).into(),
        k,
        cutoff: cutoff.map(Amount::from),
        paths: paths.into_iter().map(|path| Found::of(path, &names)).collect(),
    })
}

/// The graph without parallel arcs, whose simple paths are those of `graph` by one arc or another:
/// each arc beyond the first between two vertices leads through a vertex of its own. These vertices
/// come after all others. O(n + m).
fn with_parallel_arcs_apart<W: Weight>(graph: &Csr<W>) -> anyhow::Result<Csr<W>> {
    // the arcs, and the graph that is made of them
    ensure_granted(2 * graph.bytes())?;
    let (mut sources, mut destinations, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    let mut push = |from, to, weight| {
        sources.push(from);
        destinations.push(to);
        weights.push(weight);
    };
    // the vertex that last had an arc to each vertex
    let mut tails = vec![VertexId::MAX; graph.n_vertices()];
    let mut n_vertices = graph.n_vertices();
    for (from, to, weight) in graph.arcs() {
        let is_first = mem::replace(&mut tails[to as usize], from) != from;
        if is_first {
            push(from, to, weight);
        } else {
            push(from, n_vertices as VertexId, weight);
            push(n_vertices as VertexId, to, W::ZERO);
            n_vertices += 1;
        }
    }
    Ok(Csr::from_coo(&Coo::new(n_vertices, sources, destinations, weights)?)?)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { head, source, target, k, cutoff, paths, .. } = self;
        writeln!(f, "{head}")?;
        let within = cutoff.as_ref().map(|cutoff| format!(" of at most {cutoff}"));
        let within = within.unwrap_or_default();
        if paths.is_empty() {
            return writeln!(f, "no path{within} leads from {source} to {target}");
        }
        let found = counted(paths.len(), PATHS);
        let more = format!(", and there are no more{within}");
        let all = if paths.len() < k.get() { more } else { String::new() };
        writeln!(f, "{source} to {target}: {found}{all}")?;
        for Found { distance, path } in paths {
            let vertices: Vec<_> = path.iter().map(Id::to_string).collect();
            writeln!(f, "{distance}, {}: {}", counted(path.len() - 1, ARCS), vertices.join(" "))?;
        }
        Ok(())
    }
}
