//! Betweenness: the share of shortest paths that pass through each vertex, or along each arc.
//!
//! The dependency δ of a source on a vertex v is the sum, over all targets, of the share of the
//! shortest paths to the target that go through v. Let σ be the number of shortest paths from the
//! source. Then δ(v) is the sum of σ(v)/σ(w)·(1 + δ(w)) over arcs from v to w on such paths. Paths
//! are counted in the order of distances, and dependencies are found in the reverse order. O(n + m)
//! a source in hops; in weights, a search and as much again.
//!
//! Sources are taken in blocks of eight, a block a thread, whose dependencies are added up vertex by
//! vertex in the order of the blocks, so that no sum depends on threads. Where levels are few and
//! large, a block is searched at once ([`batch`]), else one source after another ([`single`]).
//!
//! The dependency on the arc from v to w is its term of this sum. Arcs take one source after another
//! on every graph: a thread then has 8 bytes more for each arc.
//!
//! How it differs from the paper: vertices are not sorted by distance, and numbers of paths do not
//! overflow ([`single`]).
//!
//! Reference: brandes-2001, brandes-pich-2007, brandes-2008

mod batch;
mod gpu;
mod nearby;
mod single;

use std::num::NonZeroUsize;

use gpu_runtime::Gpu;
use graph_formats::permute::Relabelling;
use graph_formats::{Csr, Direction, GraphError, VertexId, Weight, ensure_granted, parallel, tell};
use paths::Progress;
use sssp::{SearchWeight, Solver, SsspError};

use self::batch::{Batch, LANES};
use self::single::{GoesOn, Single, Tied};
use crate::checkpoint::{Bytes, Checkpoint, State, add_up, put_list};
use crate::sample::draw;
use crate::search::{MeasureKeys, unsigned};
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
/// And those that scores of arcs need, for each arc.
const BYTES_PER_SUM: usize = size_of::<f64>();
/// Bytes for each arc to bring scores of arcs into the order of the graph.
const BYTES_TO_RESTORE: usize = 48;
/// Vertices that a thread adds up at a time.
const SUMMED_PER_TASK: usize = 1 << 12;

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
    n_sources: usize,
}

impl Betweenness {
    /// For each vertex the sum, over ordered pairs of other vertices, of the share of their
    /// shortest paths that go through it; for each arc, over all ordered pairs. A sample of k
    /// sources gives an estimate: the sum over its pairs, times n/k.
    ///
    /// NetworkX without `normalized` and igraph count each pair of an undirected graph once: half
    /// of this. Their value of an edge is half the sum of its two arcs.
    pub fn raw(&self) -> Vec<f64> {
        let scale = self.n_vertices as f64 / self.n_sources as f64;
        self.sums.iter().map(|sum| sum * scale).collect()
    }

    /// Betweenness divided by the number of these pairs, so that it is at most 1, as in NetworkX:
    /// (n − 1)(n − 2) for vertices, and zero for fewer than three of them; n(n − 1) for arcs. Its
    /// value of an undirected edge is the sum of the two arcs.
    pub fn normalised(&self) -> Vec<f64> {
        let n = self.n_vertices as f64;
        let pairs = match self.scored {
            Scored::Vertices => (n - 1.0) * (n - 2.0),
            Scored::Arcs => n * (n - 1.0),
        };
        self.raw().into_iter().map(|sum| sum / pairs.max(1.0)).collect()
    }

    /// The number of vertices of the graph.
    pub fn n_vertices(&self) -> usize {
        self.n_vertices
    }

    /// The number of sources.
    pub fn n_sources(&self) -> usize {
        self.n_sources
    }

    /// Whether it is exact, because all vertices were sources.
    pub fn is_exact(&self) -> bool {
        self.n_sources == self.n_vertices
    }
}

/// On the first of these GPUs, or where there are none on the CPU.
pub(crate) fn find<W: MeasureKeys>(
    gpus: &[Gpu],
    graph: &Csr<W>,
    scored: Scored,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Betweenness, CentralityError> {
    if !(0.0..1.0).contains(&config.tie_tolerance) {
        return Err(CentralityError::BadTolerance(config.tie_tolerance));
    }
    let measure = match scored {
        Scored::Vertices => "betweenness, ",
        Scored::Arcs => "betweenness of arcs, ",
    };
    let keep = |path| Checkpoint::new(path, graph, measure, config);
    if let Some(gpu) = gpus.first() {
        if config.lengths == Lengths::Weights || scored == Scored::Arcs {
            let reason = "it finds the betweenness of vertices by hops; use the CPU".to_owned();
            return Err(SsspError::NotOnGpu { reason }.into());
        }
        // sources have another order there
        let keep = |path| Checkpoint::new(path, graph, "betweenness on a GPU, ", config);
        let checkpoint = config.checkpoint.as_deref().map(keep);
        return gpu::find(gpu, &graph.clone().unweighted(), config, checkpoint, progress);
    }
    match config.lengths {
        Lengths::Hops => {
            let checkpoint = config.checkpoint.as_deref().map(keep);
            by_hops(&graph.clone().unweighted(), scored, config, checkpoint, progress)
        }
        Lengths::Weights => {
            let unsigned = unsigned(graph)?;
            refuse_without_length(&unsigned)?;
            let checkpoint = config.checkpoint.as_deref().map(keep);
            by_weights(&unsigned, scored, config, checkpoint, progress)
        }
    }
}

fn by_hops(
    graph: &Csr<u32>,
    scored: Scored,
    config: &Config,
    checkpoint: Option<Checkpoint>,
    progress: Option<Progress<'_>>,
) -> Result<Betweenness, CentralityError> {
    let Task { transposed, mut sources, n_sources, n_spaces } = Task::new(graph, scored, config)?;
    let searched = transposed.as_ref().unwrap_or(graph);
    let is_flat = is_flat(searched, &sources)?;
    let relabelling = relabelling(searched, &sources, is_flat)?;
    let relabelled = relabelling.as_ref().map(|to| to.apply(searched)).transpose()?;
    if let Some(to) = &relabelling {
        sources.iter_mut().for_each(|source| *source = to.new_ids()[*source as usize]);
    }
    let searched = relabelled.as_ref().unwrap_or(searched);
    let spaces = (0..n_spaces).map(|_| WorkSpace::new(searched, scored, is_flat)).collect();
    let n_sums = scored.number_in(graph);
    let sums =
        sum_up(n_sums, spaces, &sources, checkpoint, progress, &mut |spaces, sources, goes_on| {
            for_each_block(spaces, sources, &|space, _, sources| {
                space.search(searched, scored, sources, goes_on)
            })
        })?;
    let sums = match (scored, &relabelling) {
        (Scored::Arcs, to) => restored(sums, graph, transposed.is_some(), to.as_ref())?,
        (Scored::Vertices, Some(to)) => to.restore(&sums)?,
        (Scored::Vertices, None) => sums,
    };
    Ok(Betweenness { scored, sums, n_vertices: graph.n_vertices(), n_sources })
}

fn by_weights<U: SearchWeight>(
    graph: &Csr<U>,
    scored: Scored,
    config: &Config,
    checkpoint: Option<Checkpoint>,
    progress: Option<Progress<'_>>,
) -> Result<Betweenness, CentralityError> {
    let Task { transposed, sources, n_sources, n_spaces } = Task::new(graph, scored, config)?;
    let searched = transposed.as_ref().unwrap_or(graph);
    let tolerance = config.tie_tolerance;
    let config = sssp::Config {
        threads: config.threads,
        expected_searches: NonZeroUsize::new(sources.len()),
        ..sssp::Config::default()
    };
    let mut solver = Solver::new(searched, &config)?;
    let all: Vec<VertexId> = graph.vertices().collect();
    let spaces = (0..n_spaces).map(|_| WorkSpace::new(searched, scored, false)).collect();
    let n_sums = scored.number_in(graph);
    let sums =
        sum_up(n_sums, spaces, &sources, checkpoint, progress, &mut |spaces, sources, goes_on| {
            let table = solver.table(sources, &all)?;
            for_each_block(spaces, sources, &|space, first, sources| {
                let WorkSpace { dependencies, single, .. } = space;
                dependencies.fill(0.0);
                for (row, &source) in (first..).zip(sources) {
                    let distances = table.as_storage().row(row);
                    let tied = Tied { distances, tolerance };
                    single.count_weights(searched, source, tied, goes_on)?;
                    match scored {
                        Scored::Vertices => single.add_dependencies(dependencies),
                        Scored::Arcs => single.add_to_arcs_in_weights(searched, tied, dependencies),
                    }
                }
                Ok(())
            })
        })?;
    let sums = match scored {
        Scored::Arcs => restored(sums, graph, transposed.is_some(), None)?,
        Scored::Vertices => sums,
    };
    Ok(Betweenness { scored, sums, n_vertices: graph.n_vertices(), n_sources })
}

/// The sums of arcs in the order of the arcs of `graph`, from their order in the graph that was
/// searched.
fn restored<W: Weight>(
    sums: Vec<f64>,
    graph: &Csr<W>,
    is_transposed: bool,
    relabelling: Option<&Relabelling>,
) -> Result<Vec<f64>, GraphError> {
    if !is_transposed && relabelling.is_none() {
        return Ok(sums);
    }
    // numbers in place of weights go with the arcs
    let numbers: Vec<u64> = (0..graph.n_arcs() as u64).collect();
    let mut numbered = graph.with_other_weights(numbers)?;
    if is_transposed {
        numbered = numbered.transposed();
    }
    if let Some(to) = relabelling {
        numbered = to.apply(&numbered)?;
    }
    let mut restored = vec![0.0; sums.len()];
    for (&arc, sum) in numbered.weights().iter().zip(sums) {
        restored[arc as usize] = sum;
    }
    Ok(restored)
}

/// What is searched, from where, and by how many threads at a time.
struct Task<W: Weight> {
    /// The graph with its arcs reversed, if that is searched.
    transposed: Option<Csr<W>>,
    sources: Vec<VertexId>,
    /// The number of sources requested.
    n_sources: usize,
    n_spaces: usize,
}

impl<W: Weight> Task<W> {
    fn new(graph: &Csr<W>, scored: Scored, config: &Config) -> Result<Self, CentralityError> {
        let n = graph.n_vertices();
        let drawn = draw(n, &config.sources)?;
        let n_sources = drawn.as_ref().map_or(n, Vec::len);
        // paths through a vertex of an undirected graph are the same both ways, along an arc not
        let is_directed = graph.direction() == Direction::Directed || scored == Scored::Arcs;
        let is_transposed = drawn.is_some() && config.side == Side::In && is_directed;
        ensure_granted(usize::from(is_transposed) * graph.bytes())?;
        let transposed = is_transposed.then(|| graph.transposed());
        let graph = transposed.as_ref().unwrap_or(graph);
        let mut sources = drawn.unwrap_or_else(|| graph.vertices().collect());
        // no path begins at others
        sources.retain(|&source| graph.out_degree(source) > 0);
        let threads = config.threads.map_or_else(rayon::current_num_threads, NonZeroUsize::get);
        let bytes_per_arc = match scored {
            Scored::Vertices => BYTES_PER_ARC,
            Scored::Arcs => BYTES_PER_ARC + BYTES_PER_SUM,
        };
        let fit = MAX_BYTES / (n * BYTES_PER_VERTEX + bytes_per_arc * graph.n_arcs()).max(1);
        let n_spaces = threads.min(fit.max(1)).min(sources.len().div_ceil(LANES));
        if scored == Scored::Arcs {
            let bytes = n_spaces * BYTES_PER_SUM + BYTES_TO_RESTORE;
            ensure_granted(bytes * graph.n_arcs())?;
        }
        Ok(Self { transposed, sources, n_sources, n_spaces })
    }
}

/// Finds the dependencies of some sources, those of a block in each work space.
type Find<'a> =
    &'a mut dyn FnMut(&mut [WorkSpace], &[VertexId], GoesOn<'_>) -> Result<(), CentralityError>;

/// Adds up the dependencies of all sources, as many at a time as there are work spaces for.
fn sum_up(
    n_sums: usize,
    mut spaces: Vec<WorkSpace>,
    sources: &[VertexId],
    checkpoint: Option<Checkpoint>,
    progress: Option<Progress<'_>>,
    find: Find<'_>,
) -> Result<Vec<f64>, CentralityError> {
    let total = sources.len() as u64;
    let mut sums = Sums(vec![0.0; n_sums]);
    let at_a_time = spaces.len() * LANES;
    add_up(&mut sums, sources, at_a_time, checkpoint, &mut |sums, sources, done| {
        let goes_on = || tell(progress, done as u64, total);
        goes_on()?;
        find(&mut spaces, sources, &goes_on)?;
        sums.add(&spaces[..sources.len().div_ceil(LANES)]);
        Ok(())
    })?;
    Ok(sums.0)
}

/// Searches in a work space from these sources, the first of which has that place.
type SearchBlock<'a> =
    &'a (dyn Fn(&mut WorkSpace, usize, &[VertexId]) -> Result<(), CentralityError> + Sync);

/// Searches from the sources of each block, the first of which has that place, in a work space.
fn for_each_block(
    spaces: &mut [WorkSpace],
    sources: &[VertexId],
    search: SearchBlock<'_>,
) -> Result<(), CentralityError> {
    let blocks = (0..).step_by(LANES).zip(sources.chunks(LANES)).zip(spaces).collect();
    let searched =
        parallel::try_map_of(blocks, &|((first, sources), space)| search(space, first, sources));
    searched.map(drop)
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

/// Numbers of vertices by which those that are read together lie side by side: where levels are few,
/// those with many arcs, and otherwise neighbours. `None` where sources are few.
fn relabelling(
    graph: &Csr<u32>,
    sources: &[VertexId],
    is_flat: bool,
) -> Result<Option<Relabelling>, GraphError> {
    if sources.len() < MIN_SOURCES_TO_RELABEL {
        return Ok(None);
    }
    Ok(Some(match is_flat {
        true => Relabelling::by_descending_degree(graph),
        false => Relabelling::breadth_first(graph, sources[0])?,
    }))
}

/// Whether levels are few and large, from the source with the most arcs.
fn is_flat(graph: &Csr<u32>, sources: &[VertexId]) -> Result<bool, SsspError> {
    let Some(&source) = sources.iter().max_by_key(|&&source| graph.out_degree(source)) else {
        return Ok(false);
    };
    let n_levels = Single::new(graph).count_hops(graph, source, &|| Ok(()))?;
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
    fn new<W: Weight>(graph: &Csr<W>, scored: Scored, is_flat: bool) -> Self {
        let has_batch = is_flat && scored == Scored::Vertices;
        Self {
            dependencies: vec![0.0; scored.number_in(graph)],
            single: Single::new(graph),
            batch: has_batch.then(|| Batch::new(graph.n_vertices())),
        }
    }

    /// Finds the dependencies of a block, in hops.
    fn search(
        &mut self,
        graph: &Csr<u32>,
        scored: Scored,
        sources: &[VertexId],
        goes_on: GoesOn<'_>,
    ) -> Result<(), CentralityError> {
        let Self { dependencies, single, batch } = self;
        dependencies.fill(0.0);
        if let Some(batch) = batch
            && batch.add_dependencies(graph, sources, dependencies, goes_on)?
        {
            return Ok(());
        }
        for &source in sources {
            single.count_hops(graph, source, goes_on)?;
            match scored {
                Scored::Vertices => single.add_dependencies(dependencies),
                Scored::Arcs => single.add_to_arcs_in_hops(graph, dependencies),
            }
        }
        Ok(())
    }
}

/// The dependencies of all blocks so far.
struct Sums(Vec<f64>);

impl Sums {
    /// Adds those of the next blocks, in their order.
    fn add(&mut self, blocks: &[WorkSpace]) {
        let parts = self.0.chunks_mut(SUMMED_PER_TASK);
        let parts = (0..).step_by(SUMMED_PER_TASK).zip(parts).collect();
        parallel::map_of(parts, &|(first, sums): (usize, &mut [f64])| {
            for block in blocks {
                let dependencies = &block.dependencies[first..];
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
