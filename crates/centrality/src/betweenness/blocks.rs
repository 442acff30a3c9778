//! Blocks of sources on the CPU: one for each work space at a time, and their sum.

use std::num::NonZeroUsize;

use graph_formats::{Csr, VertexId, Weight, ensure_granted, parallel};
use sssp::{SearchWeight, Solver};

use super::Scored;
use super::batch::{Batch, LANES};
use super::single::{GoesOn, Single, Tied};
use super::task::Task;
use super::trees::Standing;
use crate::checkpoint::{Bytes, put_list};
use crate::parts::{Shared, State, Steps, add_up, sources_of_part};
use crate::{CentralityError, Config};

/// Bytes that all work spaces may have together, unless one needs more.
const MAX_BYTES: usize = 4 << 30;
/// Bytes of a work space for each vertex.
const BYTES_PER_VERTEX: usize = 256;
/// Those for each arc.
const BYTES_PER_ARC: usize = 12;
/// And those that scores of arcs need, for each arc.
const BYTES_PER_SUM: usize = size_of::<f64>();
/// Blocks of each work space in a step of several ranks, at least, so that few stay idle at its end.
const ROUNDS: usize = 8;
/// Scores that a thread adds up at a time.
const SUMMED_PER_TASK: usize = 1 << 12;

/// Searches in weights.
pub(super) struct ByWeights<'t, U: SearchWeight> {
    graph: &'t Csr<U>,
    standing: &'t Standing,
    scored: Scored,
    tolerance: f64,
    solver: Solver<'t, U>,
    all: Vec<VertexId>,
}

impl<'t, U: SearchWeight> ByWeights<'t, U> {
    pub(super) fn new(task: &'t Task<'_, U>, config: &Config) -> Result<Self, CentralityError> {
        let Task { searched: graph, standing, scored, .. } = task;
        let tolerance = config.tie_tolerance;
        let config = sssp::Config {
            threads: config.threads,
            expected_searches: NonZeroUsize::new(task.sources.len()),
            ..sssp::Config::default()
        };
        let (solver, all) = (Solver::new(graph, &config)?, graph.vertices().collect());
        Ok(Self { graph, standing, scored: *scored, tolerance, solver, all })
    }

    /// Finds the dependencies of these sources, those of a block in each work space.
    pub(super) fn search(
        &mut self,
        spaces: &mut [WorkSpace],
        sources: &[VertexId],
        goes_on: GoesOn<'_>,
    ) -> Result<(), CentralityError> {
        let Self { graph, standing, scored, tolerance, solver, all } = self;
        let table = solver.table(sources, all)?;
        for_each_block(spaces, sources, &|space, first, sources| {
            let WorkSpace { dependencies, single, .. } = space;
            dependencies.fill(0.0);
            for (row, &source) in (first..).zip(sources) {
                let tied = Tied { distances: table.as_storage().row(row), tolerance: *tolerance };
                single.count_weights(graph, source, tied, goes_on)?;
                match scored {
                    Scored::Vertices => single.add_dependencies(standing, source, dependencies),
                    Scored::Arcs => {
                        single.add_to_arcs_in_weights(graph, standing, source, tied, dependencies);
                    }
                }
            }
            Ok(())
        })
    }
}

/// Work spaces for as many threads as there are, and for which the memory suffices.
pub(super) fn work_spaces<W: Weight>(
    task: &Task<'_, W>,
    config: &Config,
    is_flat: bool,
) -> Result<Vec<WorkSpace>, CentralityError> {
    let (graph, scored) = (&task.searched, task.scored);
    let threads = config.threads.map_or_else(rayon::current_num_threads, NonZeroUsize::get);
    let bytes_per_arc = match scored {
        Scored::Vertices => BYTES_PER_ARC,
        Scored::Arcs => BYTES_PER_ARC + BYTES_PER_SUM,
    };
    let bytes = graph.n_vertices() * BYTES_PER_VERTEX + bytes_per_arc * graph.n_arcs();
    let fit = (MAX_BYTES / bytes.max(1)).max(1);
    let n_spaces = threads.min(fit).min(task.sources.len().div_ceil(LANES));
    if scored == Scored::Arcs {
        ensure_granted(n_spaces * BYTES_PER_SUM * graph.n_arcs())?;
    }
    Ok((0..n_spaces).map(|_| WorkSpace::new(graph, scored, is_flat)).collect())
}

/// Finds the dependencies of some sources, those of a block in each work space.
type Find<'a> =
    &'a mut dyn FnMut(&mut [WorkSpace], &[VertexId], GoesOn<'_>) -> Result<(), CentralityError>;

/// Adds up the dependencies of all sources, as many at a time as there are work spaces for.
pub(super) fn sum_up<W: Weight>(
    task: &Task<'_, W>,
    mut spaces: Vec<WorkSpace>,
    shared: &Shared<'_>,
    find: Find<'_>,
) -> Result<Vec<f64>, CentralityError> {
    let (n_scores, sources) = (task.n_scores(), &task.sources);
    let mut sums = vec![0.0; n_scores];
    let at_a_time = spaces.len() * LANES;
    let of_part = sources_of_part(sources.len());
    let steps = Steps { of_part, n_parts: (ROUNDS * at_a_time).div_ceil(of_part) };
    let told = shared.told(sources.len());
    add_up(&mut sums, sources, steps, shared, &told, &mut |sources, give| {
        let mut part = vec![0.0; n_scores];
        let mut done = 0;
        for next in sources.chunks(at_a_time) {
            let before = done as u64;
            let goes_on = || told.tell(before);
            goes_on()?;
            find(&mut spaces, next, &goes_on)?;
            let mut blocks = &spaces[..next.len().div_ceil(LANES)];
            while !blocks.is_empty() {
                let left_of_part = (of_part - done % of_part) / LANES;
                let (own, others) = blocks.split_at(left_of_part.min(blocks.len()));
                add_blocks(&mut part, own);
                done = sources.len().min(done + own.len() * LANES);
                if done.is_multiple_of(of_part) || done == sources.len() {
                    give(&part)?;
                    part.fill(0.0);
                }
                blocks = others;
            }
        }
        Ok(())
    })?;
    Ok(sums)
}

/// Searches in a work space from these sources, the first of which has that place.
type SearchBlock<'a> =
    &'a (dyn Fn(&mut WorkSpace, usize, &[VertexId]) -> Result<(), CentralityError> + Sync);

/// Searches from the sources of each block, the first of which has that place, in a work space.
pub(super) fn for_each_block(
    spaces: &mut [WorkSpace],
    sources: &[VertexId],
    search: SearchBlock<'_>,
) -> Result<(), CentralityError> {
    let blocks = (0..).step_by(LANES).zip(sources.chunks(LANES)).zip(spaces).collect();
    let searched =
        parallel::try_map_of(blocks, &|((first, sources), space)| search(space, first, sources));
    searched.map(drop)
}

/// What a thread works in.
pub(super) struct WorkSpace {
    /// The dependencies of the sources of a block.
    dependencies: Vec<f64>,
    single: Single,
    batch: Option<Batch>,
}

impl WorkSpace {
    fn new<W: Weight>(graph: &Csr<W>, scored: Scored, is_flat: bool) -> Self {
        Self {
            dependencies: vec![0.0; scored.number_in(graph)],
            single: Single::new(graph),
            batch: is_flat.then(|| Batch::new(graph.n_vertices())),
        }
    }

    /// Finds the dependencies of a block, in hops.
    pub(super) fn search(
        &mut self,
        graph: &Csr<u32>,
        standing: &Standing,
        scored: Scored,
        sources: &[VertexId],
        goes_on: GoesOn<'_>,
    ) -> Result<(), CentralityError> {
        let Self { dependencies, single, batch } = self;
        dependencies.fill(0.0);
        if let Some(batch) = batch
            && batch.add_dependencies(graph, standing, scored, sources, dependencies, goes_on)?
        {
            return Ok(());
        }
        for &source in sources {
            single.count_hops(graph, source, goes_on)?;
            match scored {
                Scored::Vertices => single.add_dependencies(standing, source, dependencies),
                Scored::Arcs => {
                    single.add_to_arcs_in_hops(graph, standing, source, dependencies);
                }
            }
        }
        Ok(())
    }
}

/// Adds the dependencies of blocks, in their order.
pub(super) fn add_blocks(sums: &mut [f64], blocks: &[WorkSpace]) {
    let tasks = (0..).step_by(SUMMED_PER_TASK).zip(sums.chunks_mut(SUMMED_PER_TASK)).collect();
    parallel::map_of(tasks, &|(first, sums): (usize, &mut [f64])| {
        for block in blocks {
            let dependencies = &block.dependencies[first..];
            for (sum, dependency) in sums.iter_mut().zip(dependencies) {
                *sum += dependency;
            }
        }
    });
}

/// The sums of the dependencies, by vertex or by arc.
impl State for Vec<f64> {
    fn add(&mut self, part: &Self) {
        parallel::fill(self, SUMMED_PER_TASK, &|first, sums| {
            sums.iter_mut().zip(&part[first..]).for_each(|(sum, more)| *sum += more);
        });
    }

    fn n_bytes(&self) -> usize {
        size_of::<u64>() + size_of_val(&self[..])
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        put_list(bytes, self);
    }

    fn read(&mut self, bytes: &mut Bytes<'_>) -> Option<()> {
        *self = bytes.list_of(self.len())?;
        Some(())
    }
}
