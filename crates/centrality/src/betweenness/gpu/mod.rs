//! The dependencies of many sources at once, on GPUs.
//!
//! A batch has up to 32 sources and a team of blocks, and a launch has as many batches as there are
//! [teams]. By hops, a team goes along the arcs of a vertex once for all sources that have it on a
//! level (`kernels/centrality/path_counts.cu`). In weights, the lengths of all paths of a batch are
//! found first ([`lengths`]), and a team goes along the arcs of each pair of a vertex and a source
//! (`path_pairs.cu`). Where levels are many, sources of a batch are [near one another](super::nearby),
//! so that they read the same arcs at about the same time. Of many sources, an undirected graph is
//! first [cut down](super::trees), and vertices are renumbered.
//!
//! Sources are dealt out in parts, and each GPU takes some parts that follow one another. What the
//! batches of a part find is added up in their order, and then the [parts](crate::parts) in theirs.
//! So no sum depends on how many GPUs, teams or launches there are.
//!
//! Numbers of paths are `f64`. A batch in which one is 2^1000 or more, or in which a weight is too
//! small to make a float longer, is left to the CPU.
//!
//! How it differs from the papers: sources share the reading of arcs, and levels are pulled, so
//! that sums need no atomics on floats.
//!
//! Reference: brandes-2001, then-2015

mod lengths;
mod teams;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use breadth_first::depth;
use gpu_runtime::Gpu;
use graph_formats::{Csr, Interrupted, VertexId, Weight, WeightKind};
use search_parts::side_by_side;
use sssp::{SearchWeight, SsspError};

use self::lengths::LengthsOnGpu;
pub(super) use self::teams::MAX_WIDTH;
use self::teams::{Method, Teams};
use super::batch::LANES;
use super::blocks::{ByWeights, WorkSpace, add_blocks, work_spaces};
use super::nearby::nearby;
use super::single::GoesOn;
use super::task::{FLAT_DEPTH, Order, Task};
use super::{Betweenness, Scored};
use crate::parts::{Shared, Steps, Told, add_up};
use crate::{CentralityError, Config, Lengths};

/// Sources from which on it pays to cut a graph down and to renumber vertices.
const MIN_SOURCES_TO_CHANGE: usize = 2048;
/// Parts, so that GPUs have equal work, unless sources are too few or scores too many for that.
const PARTS: usize = 8;
/// Sources of a part, at most; likewise.
const SOURCES_PER_PART: usize = 512;
/// Scores for each source of a part, at most: the scores of a part are brought to the host.
const SCORES_PER_SOURCE: usize = 1 << 13;
/// Bytes of the scores of all parts of a step, unless one part of each GPU has more.
const MAX_BYTES: usize = 1 << 30;
/// Launches of a GPU in a step, at least.
const LAUNCHES_PER_STEP: usize = 4;
/// Parts of a GPU in a step, at least, so that GPUs seldom wait for one another.
const PARTS_PER_STEP: usize = 8;

pub(super) fn find<U: SearchWeight>(
    gpus: &[Gpu],
    graph: &Csr<U>,
    scored: Scored,
    config: &Config,
    shared: &Shared<'_>,
) -> Result<Betweenness, CentralityError> {
    if config.lengths == Lengths::Weights && is_too_long(graph) {
        let graph = graph.clone().convert_weights::<u64>()?;
        return find(gpus, &graph, scored, config, shared);
    }
    let mut task = Task::new(graph, scored, config)?;
    let depth = depth(&task.searched);
    if task.sources.len() >= MIN_SOURCES_TO_CHANGE {
        task.reduce(Order::of_depth(depth))?;
    }
    if depth > FLAT_DEPTH {
        task.sources = nearby(&task.searched.clone().unweighted(), &task.sources)?;
    }
    let n_scores = task.n_scores();
    let mut sums = vec![0.0; n_scores];
    if !task.sources.is_empty() {
        let few = task.sources.len().div_ceil(PARTS).min(SOURCES_PER_PART);
        let of_part = few.max(n_scores / SCORES_PER_SOURCE).next_multiple_of(MAX_WIDTH);
        let n_parts = task.sources.len().div_ceil(of_part);
        let gpus = &gpus[..gpus.len().min(n_parts)];
        let devices = side_by_side(gpus.iter().collect(), |gpu| {
            let made = OnGpu::new(gpu, &task, config, depth);
            made.map_err(|error| error.named(std::slice::from_ref(gpu)))
        });
        let mut devices = devices.into_iter().collect::<Result<Vec<_>, _>>()?;
        let by_bytes = MAX_BYTES / (n_scores * size_of::<f64>()).max(1);
        let launches = LAUNCHES_PER_STEP * devices[0].teams.n_sources();
        let by_launches = gpus.len() * launches.div_ceil(of_part).max(PARTS_PER_STEP);
        let steps = Steps { of_part, n_parts: by_launches.min(by_bytes).max(gpus.len()) };
        let host = OnHost { task: &task, config, made: Mutex::new(None) };
        let told = shared.told(task.sources.len());
        add_up(&mut sums, &task.sources, steps, shared, &told, &mut |sources, give| {
            let run = Run { task: &task, host: &host, done: AtomicU64::new(0), told: &told };
            run.parts(&mut devices, sources, of_part)?.iter().try_for_each(give)
        })?;
    }
    Ok(task.finish(sums)?)
}

/// Whether a path may be too long for the integers of 32 bits that the weights are.
fn is_too_long<U: Weight>(graph: &Csr<U>) -> bool {
    let most = graph.weight_summary().greatest.to_i128().unwrap_or(0);
    U::KIND == WeightKind::U32 && most * graph.n_vertices() as i128 >= i128::from(u32::MAX)
}

/// What GPUs share in a run.
struct Run<'r, 't, 'g, U: SearchWeight> {
    task: &'t Task<'g, U>,
    host: &'r OnHost<'t, 'g, U>,
    /// How many sources are done.
    done: AtomicU64,
    told: &'r Told<'r>,
}

impl<U: SearchWeight> Run<'_, '_, '_, U> {
    /// The scores of each part of these sources, of which each GPU takes some.
    fn parts(
        &self,
        devices: &mut [OnGpu<U>],
        sources: &[VertexId],
        of_part: usize,
    ) -> Result<Vec<Vec<f64>>, CentralityError> {
        let of_gpu = sources.len().div_ceil(of_part).div_ceil(devices.len()) * of_part;
        let dealt = devices.iter_mut().zip(sources.chunks(of_gpu)).collect();
        let found = side_by_side(dealt, |(device, sources): (&mut OnGpu<U>, &[VertexId])| {
            device.parts(self, sources, of_part)
        });
        let found = found.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    fn tell(&self) -> Result<(), Interrupted> {
        self.told.tell(self.done.load(Relaxed))
    }
}

/// A GPU with the graph and its teams.
struct OnGpu<U: SearchWeight> {
    gpu: Gpu,
    lengths: Option<LengthsOnGpu<U>>,
    teams: Teams<U>,
}

impl<U: SearchWeight> OnGpu<U> {
    fn new(gpu: &Gpu, task: &Task<'_, U>, config: &Config, depth: f64) -> Result<Self, SsspError> {
        let (lengths, method) = match config.lengths {
            Lengths::Hops => (None, Method::Places),
            Lengths::Weights => {
                let tolerance = config.tie_tolerance;
                let lengths = LengthsOnGpu::new(gpu, &task.searched)?;
                (Some(lengths), Method::Pairs { tolerance })
            }
        };
        let teams = Teams::new(gpu, task, method, depth)?;
        Ok(Self { gpu: gpu.clone(), lengths, teams })
    }

    /// The scores of each part of these sources.
    fn parts(
        &mut self,
        run: &Run<'_, '_, '_, U>,
        sources: &[VertexId],
        of_part: usize,
    ) -> Result<Vec<Vec<f64>>, CentralityError> {
        let named = |error: SsspError| error.named(std::slice::from_ref(&self.gpu));
        let (width, mut parts) = (self.teams.width(), Vec::new());
        let mut first = 0;
        while first < sources.len() {
            run.tell()?;
            let end = sources.len().min(first + self.teams.n_sources());
            let next = &sources[first..end];
            let step = |_, _| match run.tell() {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            };
            if let Some(lengths) = &mut self.lengths {
                lengths.find(next, &self.teams, Some(&step)).map_err(named)?;
            }
            let shares: Vec<f64> =
                next.iter().map(|&source| run.task.standing.sources[source as usize]).collect();
            let report = run.told.is_heard().then_some(|_| step(0, 0));
            let aside = self.teams.search(next, &shares, report).map_err(named)?;
            for team in aside {
                let sources = next.chunks(width).nth(team).expect("a team has sources");
                let scores = run.host.scores(sources, &|| run.tell())?;
                self.teams.set_aside(team, &scores).map_err(named)?;
            }
            // parts end where they end, and not where launches do
            let mut at = first;
            while at < end {
                let until = end.min((at / of_part + 1) * of_part);
                let teams = (at - first) / width..(until - first).div_ceil(width);
                self.teams.add(teams).map_err(named)?;
                if until.is_multiple_of(of_part) || until == sources.len() {
                    parts.push(self.teams.take().map_err(named)?);
                }
                at = until;
            }
            run.done.fetch_add(next.len() as u64, Relaxed);
            first = end;
        }
        Ok(parts)
    }
}

/// Searches on the CPU, for what GPUs cannot hold.
struct OnHost<'t, 'g, U: SearchWeight> {
    task: &'t Task<'g, U>,
    config: &'t Config,
    /// Made on first use.
    made: Mutex<Option<(ByWeights<'t, U>, Vec<WorkSpace>)>>,
}

impl<U: SearchWeight> OnHost<'_, '_, U> {
    /// The scores of these sources.
    fn scores(
        &self,
        sources: &[VertexId],
        goes_on: GoesOn<'_>,
    ) -> Result<Vec<f64>, CentralityError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let (searches, spaces) = match &mut *made {
            Some(made) => made,
            empty => {
                let searches = ByWeights::new(self.task, self.config)?;
                empty.insert((searches, work_spaces(self.task, self.config, false)?))
            }
        };
        let mut sums = vec![0.0; self.task.n_scores()];
        for sources in sources.chunks(spaces.len() * LANES) {
            searches.search(spaces, sources, goes_on)?;
            add_blocks(&mut sums, &spaces[..sources.len().div_ceil(LANES)]);
        }
        Ok(sums)
    }
}
