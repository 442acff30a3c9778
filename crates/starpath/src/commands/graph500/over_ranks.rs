//! `starpath graph500 --partitioned`: the benchmark over ranks, none of which has the whole graph.

use std::time::Instant;

use anyhow::anyhow;
use collectives::Communicator;
use graph_formats::generate::{Graph500Config, Graph500Draws};
use graph_formats::{GraphError, VertexId, ensure_granted};
use partitioned::{Part, PartitionedError, check_edges, tree_part};
use sssp::Goal;

use super::{Edge, Measured, Report, Searched, check_roots, refuse_repeat};
use crate::backend::{self, gpus_of_rank};
use crate::cli::{Common, Graph500Args, Kernels};
use crate::failure::WrongUse;
use crate::progress::{check_interrupt, progress};
use crate::ranks::agree;
use crate::report::{self, Head, Ms, milliseconds};

/// Called by all ranks. Times are those of the slowest rank.
pub(crate) fn run(
    ranks: &dyn Communicator,
    args: &Graph500Args,
    common: &Common,
) -> anyhow::Result<()> {
    refuse_repeat(common)?;
    let &Graph500Args { scale, edge_factor, kernel, .. } = args;
    let config = Graph500Config { scale, edge_factor, ..Default::default() };
    let draws = config.draws().map_err(|error: GraphError| WrongUse(error.to_string()))?;
    let (edges, generate_ms) = timed(ranks, || own_edges(ranks, &draws))?;
    let (mut part, construction_ms) =
        timed(ranks, || Ok(Part::of_edges(ranks, draws.n_vertices(), &edges)?))?;
    let is_joined = joined(ranks, &part)?;
    let roots = draws.roots_among(is_joined, args.roots.get());
    check_roots(&roots)?;
    let gpu = gpus_of_rank(ranks, None, None, common).map(|gpus| gpus.into_iter().next());
    let gpu = agree(ranks, gpu)?;
    let to_gpu = |part: &mut Part| gpu.as_ref().map(|gpu| part.move_to_gpu(ranks, gpu)).transpose();
    let backend = backend::name(gpu.as_ref());
    let search = Search { ranks, edges: &edges, roots: &roots, backend, common };
    let bfs = (kernel != Kernels::Sssp).then(|| {
        let (levels, prepare_ms) = timed(ranks, || {
            let mut levels = part.unweighted(ranks)?;
            to_gpu(&mut levels)?;
            Ok(levels)
        })?;
        search.run("breadth-first search", &levels, |_| 1.0, prepare_ms)
    });
    let bfs = bfs.transpose()?;
    let sssp = (kernel != Kernels::Bfs).then(|| {
        let (_, prepare_ms) = timed(ranks, || Ok(to_gpu(&mut part)?))?;
        search.run("shortest paths", &part, |weight| weight, prepare_ms)
    });
    let sssp = sssp.transpose()?;
    if !ranks.is_root() {
        return Ok(());
    }
    let head = Head {
        command: "graph500",
        algorithm: None,
        backend,
        threads: 1,
        vertices: draws.n_vertices(),
        edges: part.n_arcs() as usize,
        load_ms: None,
        solve_ms: None,
        solve_min_ms: None,
    };
    let report = Report {
        head,
        scale,
        edge_factor,
        drawn_edges: draws.n_edges(),
        generate_ms,
        construction_ms,
        roots: roots.len(),
        ranks: Some(ranks.size()).filter(|&n| n > 1),
        bfs,
        sssp,
    };
    report::print(&report, common)
}

/// The result of work that all ranks do, and the time until all are done.
fn timed<T>(
    ranks: &dyn Communicator,
    work: impl FnOnce() -> anyhow::Result<T>,
) -> anyhow::Result<(T, Ms)> {
    ranks.barrier()?;
    let start = Instant::now();
    let result = work();
    ranks.barrier()?;
    let time = milliseconds(start.elapsed());
    let result = result.and_then(|result| Ok(check_interrupt().map(|()| result)?));
    Ok((agree(ranks, result)?, time))
}

/// A rank's share of the edges drawn.
fn own_edges(ranks: &dyn Communicator, draws: &Graph500Draws) -> anyhow::Result<Vec<Edge>> {
    let share = draws.n_edges().div_ceil(ranks.size() as u64);
    let first = share * ranks.rank() as u64;
    let own = first.min(draws.n_edges())..draws.n_edges().min(first + share);
    let bytes = (own.end - own.start).saturating_mul(size_of::<Edge>() as u64);
    ensure_granted(usize::try_from(bytes).unwrap_or(usize::MAX))?;
    Ok(own.map(|edge| draws.edge(edge)).collect())
}

/// Whether a vertex is joined to another, of all vertices on all ranks.
fn joined(
    ranks: &dyn Communicator,
    part: &Part,
) -> Result<impl Fn(VertexId) -> bool + use<>, PartitionedError> {
    let mut own = vec![0_u8; part.row_offsets().len().div_ceil(8)];
    for (place, row) in part.row_offsets().windows(2).enumerate() {
        own[place / 8] |= u8::from(row[0] < row[1]) << (place % 8);
    }
    let (deal, bits) = (part.deal(), ranks.exchange_bytes(&vec![&own[..]; ranks.size()])?);
    Ok(move |vertex| {
        let (rank, place) = deal.place_of(vertex);
        bits[rank][place / 8] >> (place % 8) & 1 != 0
    })
}

/// Searches from all roots.
struct Search<'a> {
    ranks: &'a dyn Communicator,
    edges: &'a [Edge],
    roots: &'a [VertexId],
    backend: &'static str,
    common: &'a Common,
}

impl Search<'_> {
    /// Searches one after the other, and checks each result by the edges drawn, which have these
    /// weights.
    fn run(
        &self,
        what: &str,
        part: &Part,
        weight: fn(f32) -> f32,
        prepare_ms: Ms,
    ) -> anyhow::Result<Searched> {
        let &Self { ranks, edges, roots, backend, common } = self;
        let step = progress("searching", common);
        let algorithm = tree_part(ranks, part, roots[0], Goal::All, Some(&step))?.algorithm;
        let mut measured = Measured::default();
        for &root in roots {
            let (found, time) =
                timed(ranks, || Ok(tree_part(ranks, part, root, Goal::All, Some(&step))?))?;
            measured.times.push(time.0);
            let (n_traversed, time) = timed(ranks, || {
                let edges = edges.iter().map(|&(u, v, drawn)| (u, v, weight(drawn)));
                check_edges(ranks, part, &found.tree, edges)
                    .map_err(|wrong| anyhow!("{what} from vertex {root} is wrong: {wrong}"))
            })?;
            measured.checks.push(time.0);
            measured.traversed.push(n_traversed as f64);
            let reached = found.tree.distances.reached().map(|(place, _)| place as usize);
            let degree = |place: usize| part.row_offsets()[place + 1] - part.row_offsets()[place];
            measured.stored.push(ranks.sum(reached.map(degree).sum::<u64>())? as f64);
        }
        Ok(measured.searched(algorithm, (backend, 1), prepare_ms))
    }
}
