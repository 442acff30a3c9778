//! Betweenness: the share of shortest paths that pass through each vertex, or along each arc.
//!
//! The dependency δ of a source on a vertex v is the sum, over all targets, of the share of the
//! shortest paths to the target that go through v. Let σ be the number of shortest paths from the
//! source. Then δ(v) is the sum of σ(v)/σ(w)·(1 + δ(w)) over arcs from v to w on such paths. Paths
//! are counted in the order of distances, and dependencies are found in the reverse order. O(n + m)
//! a source in hops; in weights, a search and as much again.
//!
//! An undirected graph is first [cut down to its core](trees). Sources are taken in blocks of eight, a
//! block a thread. Their dependencies are added up vertex by vertex in the order of the blocks, to the
//! sums of [parts](crate::parts), so that no sum depends on threads or ranks. Where levels are few and large, a block is searched at once
//! ([`batch`]), else one source after another ([`single`]).
//!
//! The dependency on the arc from v to w is its term of this sum. For these a thread has 8 bytes more
//! for each arc.
//!
//! How it differs from the paper: vertices are not sorted by distance, and numbers of paths do not
//! overflow ([`single`]).
//!
//! Reference: brandes-2001, brandes-pich-2007, brandes-2008

mod batch;
mod blocks;
mod convention;
mod ends;
mod gpu;
mod nearby;
pub(crate) mod single;
mod task;
mod trees;

use breadth_first::depth;
use graph_formats::{Csr, VertexId, Weight};
use paths::Progress;
use sssp::SearchWeight;

pub use self::convention::Convention;

use self::blocks::{ByWeights, for_each_block, sum_up, work_spaces};
use self::task::{FLAT_DEPTH, Order, Task};
use crate::checkpoint::Checkpoint;
use crate::parts::{Shared, Workers};
use crate::search::{MeasureKeys, unsigned};
use crate::{CentralityError, Config, Lengths};

/// Sources from which on it pays to cut a graph down and to renumber vertices.
const MIN_SOURCES_TO_CHANGE: usize = 32;
/// What has a betweenness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scored {
    /// Every vertex.
    Vertices,
    /// Every arc, by its position in the graph.
    Arcs,
}

impl Scored {
    fn number_in<W: Weight>(self, graph: &Csr<W>) -> usize {
        match self {
            Self::Vertices => graph.n_vertices(),
            Self::Arcs => graph.n_arcs(),
        }
    }
}

/// Betweenness of every vertex, or of every arc by its position in the graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Betweenness {
    scored: Scored,
    sums: Vec<f64>,
    n_vertices: usize,
    /// The sources, if not all vertices.
    sources: Option<Vec<VertexId>>,
    is_undirected: bool,
    /// Whether paths count at their ends.
    endpoints: bool,
}

impl Betweenness {
    /// For each vertex the sum, over ordered pairs of other vertices, of the share of their
    /// shortest paths that go through it; for each arc, over all ordered pairs. A sample of k
    /// sources gives an estimate: the sum over its pairs, times n/k.
    ///
    /// Other programs [state](Self::stated) it otherwise.
    pub fn raw(&self) -> Vec<f64> {
        let scale = self.n_vertices as f64 / self.n_sources() as f64;
        self.sums.iter().map(|sum| sum * scale).collect()
    }

    /// Betweenness divided by the number of these pairs, so that it is at most 1, as in NetworkX:
    /// (n − 1)(n − 2) for vertices, and zero for fewer than three of them; n(n − 1) for arcs. Its
    /// value of an undirected edge is the sum of the two arcs. Where [ends](Config::endpoints) count,
    /// vertices are in n(n − 1) pairs too.
    pub fn normalised(&self) -> Vec<f64> {
        let n = self.n_vertices as f64;
        let pairs = match self.scored {
            Scored::Vertices if !self.endpoints => (n - 1.0) * (n - 2.0),
            _ => n * (n - 1.0),
        };
        self.raw().into_iter().map(|sum| sum / pairs.max(1.0)).collect()
    }

    /// The number of vertices of the graph.
    pub fn n_vertices(&self) -> usize {
        self.n_vertices
    }

    /// The number of sources.
    pub fn n_sources(&self) -> usize {
        self.sources.as_ref().map_or(self.n_vertices, Vec::len)
    }

    /// Whether it is exact, because all vertices were sources.
    pub fn is_exact(&self) -> bool {
        self.n_sources() == self.n_vertices
    }
}

/// On the GPUs of the ranks, or where they have none on their CPUs.
pub(crate) fn find<W: MeasureKeys>(
    workers: Workers<'_>,
    graph: &Csr<W>,
    scored: Scored,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Betweenness, CentralityError> {
    if !(0.0..1.0).contains(&config.tie_tolerance) {
        return Err(CentralityError::BadTolerance(config.tie_tolerance));
    }
    let of = match scored {
        Scored::Vertices => "vertices",
        Scored::Arcs => "arcs",
    };
    // sums have another order there
    let on = if workers.gpus.is_empty() { "" } else { " on GPUs" };
    let keep = || Checkpoint::new(workers, graph, &format!("betweenness of {of}{on}, "), config);
    let mut found = match config.lengths {
        Lengths::Hops => {
            let graph = graph.clone().unweighted();
            Shared::run(workers.ranks, keep(), progress, |shared| match workers.gpus {
                [] => by_hops(&graph, scored, config, shared),
                gpus => gpu::find(gpus, &graph, scored, config, shared),
            })
        }
        Lengths::Weights => {
            let graph = unsigned(graph)?;
            refuse_without_length(&graph)?;
            Shared::run(workers.ranks, keep(), progress, |shared| match workers.gpus {
                [] => by_weights(&graph, scored, config, shared),
                gpus => gpu::find(gpus, &graph, scored, config, shared),
            })
        }
    }?;
    if config.endpoints && scored == Scored::Vertices {
        let ends = ends::count(workers, graph, found.sources.as_deref(), config, progress)?;
        found.sums.iter_mut().zip(ends).for_each(|(sum, ends)| *sum += ends);
        found.endpoints = true;
    }
    Ok(found)
}

fn by_hops(
    graph: &Csr<u32>,
    scored: Scored,
    config: &Config,
    shared: &Shared<'_>,
) -> Result<Betweenness, CentralityError> {
    let mut task = Task::new(graph, scored, config)?;
    let depth = depth(&task.searched);
    if task.sources.len() >= MIN_SOURCES_TO_CHANGE {
        task.reduce(Order::of_depth(depth))?;
    }
    let spaces = work_spaces(&task, config, depth <= FLAT_DEPTH)?;
    let Task { searched, standing, .. } = &task;
    let sums = sum_up(&task, spaces, shared, &mut |spaces, sources, goes_on| {
        for_each_block(spaces, sources, &|space, _, sources| {
            space.search(searched, standing, scored, sources, goes_on)
        })
    })?;
    Ok(task.finish(sums)?)
}

fn by_weights<U: SearchWeight>(
    graph: &Csr<U>,
    scored: Scored,
    config: &Config,
    shared: &Shared<'_>,
) -> Result<Betweenness, CentralityError> {
    let mut task = Task::new(graph, scored, config)?;
    if task.sources.len() >= MIN_SOURCES_TO_CHANGE {
        task.reduce(Order::AsGiven)?;
    }
    let spaces = work_spaces(&task, config, false)?;
    let mut searches = ByWeights::new(&task, config)?;
    let sums = sum_up(&task, spaces, shared, &mut |spaces, sources, goes_on| {
        searches.search(spaces, sources, goes_on)
    })?;
    Ok(task.finish(sums)?)
}

/// An error where an arc has no length.
fn refuse_without_length<U: Weight>(graph: &Csr<U>) -> Result<(), CentralityError> {
    if graph.weight_summary().least > U::ZERO {
        return Ok(());
    }
    match graph.arcs().find(|&(from, to, weight)| from != to && weight == U::ZERO) {
        Some((from, to, weight)) => {
            Err(CentralityError::WithoutLength { from, to, weight: weight.to_string() })
        }
        None => Ok(()),
    }
}
