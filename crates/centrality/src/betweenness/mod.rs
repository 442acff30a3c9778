//! Betweenness: which share of shortest paths goes through each vertex.
//!
//! The dependency δ of a source on a vertex v is the sum, over all targets, of the share of the
//! shortest paths to the target that go through v. Where σ is the number of shortest paths from the
//! source, δ(v) is the sum of σ(v)/σ(w)·(1 + δ(w)) over arcs from v to w on such paths: paths are
//! counted in the order of distances, and dependencies found in the reverse order. O(n + m) a
//! source in hops; in weights, a search and as much again.
//!
//! Sources are taken in blocks of eight, a block a thread, whose dependencies are added up vertex by
//! vertex in the order of the blocks, so that no sum depends on threads. Where levels are few and
//! large, a block is searched at once ([`batch`]), else one source after another ([`single`]).
//!
//! How it differs from the paper: vertices are not sorted by distance, and numbers of paths do not
//! overflow ([`single`]).
//!
//! Reference: brandes-2001, brandes-pich-2007

mod batch;
mod single;

use std::num::NonZeroUsize;

use graph_formats::permute::Relabelling;
use graph_formats::{Csr, Direction, GraphError, VertexId, Weight};
use ndarray::ArrayView1;
use paths::Progress;
use rayon::prelude::*;
use sssp::{SearchWeight, Solver, SsspError};

use self::batch::{Batch, LANES};
use self::single::Single;
use crate::checkpoint::{Bytes, Checkpoint, State, add_up, put_list};
use crate::sample::draw;
use crate::search::refuse_negative;
use crate::{CentralityError, Config, Lengths, Side};

/// Levels up to which they are large enough for eight sources at once.
const MAX_LEVELS: u32 = 32;
/// Sources from which on it pays to renumber vertices.
const MIN_SOURCES_TO_RELABEL: usize = 32;
/// Bytes that all work spaces may have together, unless one needs more.
const MAX_BYTES: usize = 4 << 30;
/// Bytes of a work space for each vertex.
const BYTES_PER_VERTEX: usize = 256;
/// Those for each arc.
const BYTES_PER_ARC: usize = 12;
/// Vertices that a thread adds up at a time.
const SUMMED_PER_TASK: usize = 1 << 12;

/// An error where the progress callback ends the work.
type GoesOn<'a> = &'a (dyn Fn() -> Result<(), SsspError> + Sync);

/// Betweenness of every vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Betweenness {
    sums: Vec<f64>,
    n_sources: usize,
}

impl Betweenness {
    /// For each vertex the sum, over ordered pairs of other vertices, of the share of their shortest
    /// paths that go through it; of a sample, an estimate: that of the pairs that it has, times n/k.
    ///
    /// NetworkX without `normalized` and igraph count each pair of an undirected graph once: half
    /// of this.
    pub fn raw(&self) -> Vec<f64> {
        let scale = self.sums.len() as f64 / self.n_sources as f64;
        self.sums.iter().map(|sum| sum * scale).collect()
    }

    /// The same divided by the number of these pairs, (n − 1)(n − 2), so that it is at most 1, as
    /// NetworkX has it. Zero of fewer than three vertices.
    pub fn normalised(&self) -> Vec<f64> {
        let n = self.sums.len() as f64;
        let pairs = ((n - 1.0) * (n - 2.0)).max(1.0);
        self.raw().into_iter().map(|sum| sum / pairs).collect()
    }

    /// How many vertices the graph has.
    pub fn n_vertices(&self) -> usize {
        self.sums.len()
    }

    /// How many sources there were.
    pub fn n_sources(&self) -> usize {
        self.n_sources
    }

    /// Whether it is exact, for all vertices were sources.
    pub fn is_exact(&self) -> bool {
        self.n_sources == self.sums.len()
    }
}

/// Finds the betweenness of every vertex, from the shortest paths that begin at the sources that
/// `config` asks for, or end there, by its side; of all, that is the same.
///
/// The ends of a path are not between. Arcs count one by one: two from the same vertex to the same
/// are two paths, as in igraph; loops are on none. In weights, paths are shortest where the sums of
/// their weights are the same number: sums of floats are rounded, and then may differ.
///
/// Tells `progress` how many sources are done. O(s·(n + m)), besides the searches in weights; up to
/// 256 bytes a vertex and 12 an arc for each thread, and in hops a copy of the graph.
///
/// # Errors
/// Where weights are to be added up and an arc makes a path no longer, or shorter, a distance
/// overflows its type, or the progress callback ended the work.
///
/// ```
/// use centrality::{Config, betweenness};
/// use graph_formats::Csr;
///
/// // from 0 to 3 there are two paths, and on to 4 as well
/// let graph = Csr::from_arcs(5, &[(0, 1, 1u32), (0, 2, 1), (1, 3, 1), (2, 3, 1), (3, 4, 1)])?;
/// let found = betweenness(&graph, &Config::default(), None)?;
/// assert_eq!(found.raw(), [0.0, 1.0, 1.0, 3.0, 0.0]);
/// assert_eq!(found.normalised()[3], 3.0 / 12.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn betweenness<W: SearchWeight>(
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Betweenness, CentralityError> {
    let n = graph.n_vertices();
    refuse_without_length(graph, config.lengths)?;
    let checkpoint = config.checkpoint.as_deref();
    let checkpoint = checkpoint.map(|path| Checkpoint::new(path, graph, "betweenness, ", config));
    let drawn = draw(n, config.sources)?;
    let n_sources = drawn.as_ref().map_or(n, Vec::len);
    let is_transposed =
        drawn.is_some() && config.side == Side::In && graph.direction() == Direction::Directed;
    let transposed = is_transposed.then(|| graph.transposed());
    let graph = transposed.as_ref().unwrap_or(graph);
    let mut sources = drawn.unwrap_or_else(|| graph.vertices().collect());
    // no path begins at others
    sources.retain(|&source| graph.out_degree(source) > 0);
    let threads = config.threads.map_or_else(rayon::current_num_threads, NonZeroUsize::get);
    let fit = MAX_BYTES / (n * BYTES_PER_VERTEX + BYTES_PER_ARC * graph.n_arcs()).max(1);
    let n_spaces = threads.min(fit.max(1)).min(sources.len().div_ceil(LANES));
    let is_flat = config.lengths == Lengths::Hops && is_flat(graph, &sources)?;
    let relabelling = relabelling(graph, &sources, config.lengths, is_flat)?;
    let relabelled = relabelling.as_ref().map(|to| to.apply(graph)).transpose()?;
    if let Some(to) = &relabelling {
        sources.iter_mut().for_each(|source| *source = to.new_ids()[*source as usize]);
    }
    let graph = relabelled.as_ref().unwrap_or(graph);
    let mut spaces: Vec<_> = (0..n_spaces).map(|_| WorkSpace::new(n, is_flat)).collect();
    let mut solver = match config.lengths {
        Lengths::Hops => None,
        Lengths::Weights => {
            let solver_config = sssp::Config {
                threads: config.threads,
                expected_searches: NonZeroUsize::new(sources.len()),
                ..sssp::Config::default()
            };
            Some(Solver::new(graph, &solver_config)?)
        }
    };
    let all: Vec<VertexId> = graph.vertices().collect();
    let total = sources.len() as u64;
    let mut sums = Sums(vec![0.0; n]);
    add_up(&mut sums, &sources, n_spaces * LANES, checkpoint, |sums, sources, done| {
        let goes_on = || match progress {
            Some(step) if step(done as u64, total).is_break() => Err(SsspError::Interrupted),
            _ => Ok(()),
        };
        goes_on()?;
        let table = solver.as_mut().map(|solver| solver.table(sources, &all)).transpose()?;
        let blocks = sources.par_chunks(LANES).zip(&mut spaces).enumerate();
        blocks.try_for_each(|(block, (sources, space))| {
            let row = |i| Some(table.as_ref()?.as_storage().row(block * LANES + i));
            space.search(graph, sources, row, &goes_on)
        })?;
        sums.add(&spaces[..sources.len().div_ceil(LANES)]);
        Ok(())
    })?;
    let sums = match relabelling {
        Some(to) => to.restore(&sums.0)?,
        None => sums.0,
    };
    Ok(Betweenness { sums, n_sources })
}

/// An error where weights are to be added up and an arc has none, or less.
fn refuse_without_length<W: Weight>(
    graph: &Csr<W>,
    lengths: Lengths,
) -> Result<(), CentralityError> {
    refuse_negative(graph, lengths)?;
    if lengths == Lengths::Hops || graph.weight_summary().least > W::ZERO {
        return Ok(());
    }
    match graph.arcs().find(|&(from, to, weight)| from != to && weight == W::ZERO) {
        Some((from, to, weight)) => {
            Err(CentralityError::WithoutLength { from, to, weight: weight.to_string() })
        }
        None => Ok(()),
    }
}

/// Numbers of vertices by which those that are read together lie side by side: where levels are few,
/// those with many arcs, and otherwise neighbours. `None` where sources are few, and in weights,
/// where the search takes most of the time.
fn relabelling<W: Weight>(
    graph: &Csr<W>,
    sources: &[VertexId],
    lengths: Lengths,
    is_flat: bool,
) -> Result<Option<Relabelling>, GraphError> {
    if sources.len() < MIN_SOURCES_TO_RELABEL || lengths == Lengths::Weights {
        return Ok(None);
    }
    Ok(Some(match is_flat {
        true => Relabelling::by_descending_degree(graph),
        false => Relabelling::breadth_first(graph, sources[0])?,
    }))
}

/// Whether levels are few and large, from the source with the most arcs.
fn is_flat<W: Weight>(graph: &Csr<W>, sources: &[VertexId]) -> Result<bool, SsspError> {
    let Some(&source) = sources.iter().max_by_key(|&&source| graph.out_degree(source)) else {
        return Ok(false);
    };
    let n_levels = Single::new(graph.n_vertices()).count_hops(graph, source, &|| Ok(()))?;
    Ok(n_levels <= MAX_LEVELS)
}

/// What a thread works in.
struct WorkSpace {
    /// The dependencies of the sources of a block.
    dependencies: Vec<f64>,
    single: Single,
    batch: Option<Batch>,
}

impl WorkSpace {
    fn new(n_vertices: usize, is_flat: bool) -> Self {
        Self {
            dependencies: vec![0.0; n_vertices],
            single: Single::new(n_vertices),
            batch: is_flat.then(|| Batch::new(n_vertices)),
        }
    }

    /// Finds the dependencies of a block; `row` are the distances from a source, where weights are
    /// added up.
    fn search<'a, W: Weight>(
        &mut self,
        graph: &Csr<W>,
        sources: &[VertexId],
        row: impl Fn(usize) -> Option<ArrayView1<'a, W::Distance>>,
        goes_on: GoesOn<'_>,
    ) -> Result<(), CentralityError> {
        let Self { dependencies, single, batch } = self;
        dependencies.fill(0.0);
        if let Some(batch) = batch
            && batch.add_dependencies(graph, sources, dependencies, goes_on)?
        {
            return Ok(());
        }
        for (i, &source) in sources.iter().enumerate() {
            match row(i) {
                Some(distances) => single.count_weights(graph, source, distances, goes_on)?,
                None => drop(single.count_hops(graph, source, goes_on)?),
            }
            single.add_dependencies(dependencies);
        }
        Ok(())
    }
}

/// The dependencies of all blocks so far.
struct Sums(Vec<f64>);

impl Sums {
    /// Adds those of the next blocks, in their order.
    fn add(&mut self, blocks: &[WorkSpace]) {
        let tasks = self.0.par_chunks_mut(SUMMED_PER_TASK).enumerate();
        tasks.for_each(|(task, sums)| {
            for block in blocks {
                let dependencies = &block.dependencies[task * SUMMED_PER_TASK..];
                for (sum, dependency) in sums.iter_mut().zip(dependencies) {
                    *sum += dependency;
                }
            }
        });
    }
}

impl State for Sums {
    fn write(&self, bytes: &mut Vec<u8>) {
        put_list(bytes, &self.0);
    }

    fn read(&mut self, bytes: &mut Bytes<'_>) -> Option<()> {
        self.0 = bytes.list_of(self.0.len())?;
        Some(())
    }
}
