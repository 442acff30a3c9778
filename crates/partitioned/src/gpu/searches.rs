//! Trees, tables and nearest sources of a graph in memory that is dealt to several GPUs: distances are found
//! there, and the rest on the CPU. Where all weights are the same, distances are multiples of levels.

use std::time::{Duration, Instant};

use gpu_runtime::Gpu;
use graph_formats::{
    AnyCsr, Csr, Distance, DistanceKey, Progress, VertexId, Weight, ensure_granted, with_csr,
};
use paths::{AnyNearest, AnyTable, AnyTree, Distances, Nearest, Number};
use rayon::prelude::*;
use search_parts::device::limit_key;
use search_parts::{NO_VERTEX, Query, SearchError, Work, check_vertices};
use sssp::{Goal, SearchWeight, SsspError};

use super::owners::owners;
use super::{DistancesOnGpus, LevelsOnGpus, Memory};
use crate::Found;
use crate::level_keys::LevelKeys;

/// Searches of a graph of any weight type, one after the other. Their results are those of every other
/// solver of the workspace. [`Found::exchanges`] are steps, and no vertices are counted as settled.
pub struct SearchesOnGpus<'g> {
    gpus: Vec<Gpu>,
    graph: &'g AnyCsr,
    searches: Searches,
}

enum Searches {
    Levels(LevelsOnGpus),
    Distances(DistancesOnGpus),
}

/// A question about the distances of vertices from the nearest source.
struct Question<'a, D> {
    sources: &'a [VertexId],
    goal: Goal<D>,
    /// The vertices; all, if `None`.
    of: Option<&'a [VertexId]>,
    progress: Option<Progress<'a>>,
}

/// Distances, and the greatest that was asked for, if there is one.
type Limited<D> = (Distances<D>, Option<D>);
/// What was found, the work, and the milliseconds that it took.
type Searched<D> = (Distances<D>, Work, f64);

impl<'g> SearchesOnGpus<'g> {
    /// Deals `graph` to these GPUs, 1 to 32. O(n + m).
    ///
    /// # Errors
    /// As [`DistancesOnGpus::new`].
    pub fn new(gpus: &[Gpu], graph: &'g AnyCsr) -> Result<Self, SsspError> {
        let are_levels = graph.common_weight().is_some_and(|weight| weight > 0.0);
        let searches = with_csr!(graph, |graph| match are_levels {
            true => LevelsOnGpus::new(gpus, graph).map(Searches::Levels),
            false => DistancesOnGpus::new(gpus, graph).map(Searches::Distances),
        })?;
        Ok(Self { gpus: gpus.to_vec(), graph, searches })
    }

    /// As [`DistancesOnGpus::memory`].
    pub fn memory(&self) -> Vec<Memory> {
        match &self.searches {
            Searches::Levels(searches) => searches.memory(),
            Searches::Distances(searches) => searches.memory(),
        }
    }

    /// The shortest-path tree from `source` within `goal`. `progress` gets the number of steps.
    ///
    /// # Errors
    /// As [`DistancesOnGpus::search`], and [`SsspError::Overflow`].
    pub fn tree(
        &mut self,
        source: VertexId,
        goal: Goal<Number>,
        progress: Option<Progress<'_>>,
    ) -> Result<Found<AnyTree>, SsspError> {
        with_csr!(self.graph, |graph| {
            let question = Question { sources: &[source], goal: goal.typed()?, of: None, progress };
            let found = self.find(graph, &question)?;
            let start = Instant::now();
            let predecessors = sssp::predecessors(graph, source, &found.tree.0)?;
            Ok(found.with(start.elapsed(), |(distances, limit)| {
                let limit = limit.map(Number::of);
                AnyTree { source, limit, distances: distances.into(), predecessors }
            }))
        })
    }

    /// The distances from each of `sources` to each of `targets` that are no greater than `cutoff`: a search
    /// from each source. `progress` gets the number of steps of the present one.
    ///
    /// # Errors
    /// As [`tree`](Self::tree), for any of the searches, and where there is no memory for the table.
    pub fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        cutoff: Option<Number>,
        progress: Option<Progress<'_>>,
    ) -> Result<Found<AnyTable>, SsspError> {
        check_vertices(self.graph.n_vertices(), "source", sources)?;
        check_vertices(self.graph.n_vertices(), "target", targets)?;
        let (n_sources, n_targets) = (sources.len(), targets.len());
        let goal = cutoff.map_or(Goal::All, Goal::Within);
        with_csr!(self.graph, |graph| {
            let goal = goal.typed()?;
            let found = self.rows(graph, [sources, targets], goal, progress)?;
            Ok(found.with(Duration::ZERO, |cells| {
                let distances = Distances::from_storage(cells).into();
                AnyTable { n_sources, n_targets, distances }
            }))
        })
    }

    fn rows<W: SearchWeight>(
        &mut self,
        graph: &Csr<W>,
        [sources, targets]: [&[VertexId]; 2],
        goal: Goal<W::Distance>,
        progress: Option<Progress<'_>>,
    ) -> Result<Found<Vec<W::Distance>>, SsspError> {
        let n_cells = sources.len().saturating_mul(targets.len());
        ensure_granted(n_cells.saturating_mul(size_of::<W::Distance>()))?;
        let mut cells = Vec::with_capacity(n_cells);
        let mut all = Found::<()>::nothing();
        for source in sources.iter().filter(|_| !targets.is_empty()) {
            let sources = std::slice::from_ref(source);
            let question = Question { sources, goal, of: Some(targets), progress };
            let row = self.find(graph, &question)?;
            cells.extend_from_slice(row.tree.0.as_storage());
            all.add(&row.with(Duration::ZERO, |_| ()));
        }
        Ok(all.with(Duration::ZERO, |()| cells))
    }

    /// The nearest of `sources` for every vertex that is no farther from it than `cutoff`. `progress` gets the
    /// number of steps.
    ///
    /// # Errors
    /// As [`tree`](Self::tree).
    pub fn nearest(
        &mut self,
        sources: &[VertexId],
        cutoff: Option<Number>,
        progress: Option<Progress<'_>>,
    ) -> Result<Found<AnyNearest>, SsspError> {
        let goal = cutoff.map_or(Goal::All, Goal::Within);
        with_csr!(self.graph, |graph| {
            let question = Question { sources, goal: goal.typed()?, of: None, progress };
            let found = self.find(graph, &question)?;
            let start = Instant::now();
            let owners = owners(graph, sources, &found.tree.0);
            Ok(found.with(start.elapsed(), |(distances, _)| nearest_of(graph, distances, owners)))
        })
    }

    fn find<W: SearchWeight>(
        &mut self,
        graph: &Csr<W>,
        question: &Question<'_, W::Distance>,
    ) -> Result<Found<Limited<W::Distance>>, SsspError> {
        let (target, mut limit) = match question.goal {
            Goal::Target(target) => (Some(target), None),
            Goal::Within(limit) => {
                (None, Some(limit).filter(|&limit| limit < W::Distance::UNREACHED))
            }
            Goal::All => (None, None),
        };
        let not_negative =
            |limit: W::Distance| if limit < W::Distance::ZERO { W::Distance::ZERO } else { limit };
        let limit_key = limit.map_or(u64::MAX, |limit| limit_key::<W>(not_negative(limit)));
        let targets = question.of.unwrap_or(target.as_slice());
        let (mut distances, work, ms) = self.distances(graph, question, targets, limit_key)?;
        if let Some(target) = target {
            limit = distances.get(target);
        }
        if let Some(limit) = limit {
            distances = distances.within(limit);
        }
        Ok(Found {
            tree: (distances, limit),
            algorithm: match self.searches {
                Searches::Levels(_) => "breadth-first",
                Searches::Distances(_) => "delta-stepping",
            },
            relaxations: work.relaxations,
            settled: 0,
            exchanges: work.rounds,
            search_time: Duration::from_secs_f64(ms / 1e3),
            predecessors_time: Duration::ZERO,
        })
    }

    fn distances<W: SearchWeight>(
        &mut self,
        graph: &Csr<W>,
        question: &Question<'_, W::Distance>,
        targets: &[VertexId],
        limit: u64,
    ) -> Result<Searched<W::Distance>, SearchError> {
        let &Question { sources, of, progress, .. } = question;
        let query = Query { source: NO_VERTEX, targets, limit, progress };
        if let Searches::Levels(searches) = &mut self.searches {
            let weight = graph.weights().first().copied().unwrap_or(W::ZERO);
            if let Some(found) = multiples_of_levels(searches, weight, sources, of, &query)? {
                return Ok(found);
            }
            self.searches = Searches::Distances(DistancesOnGpus::new(&self.gpus, graph)?);
        }
        let Searches::Distances(searches) = &mut self.searches else {
            unreachable!("levels were replaced")
        };
        let work = searches.search_from(sources, &query)?;
        let distances = match of {
            Some(vertices) => searches.distances_of::<W>(vertices)?,
            None => searches.distances::<W>()?,
        };
        Ok((distances, work, searches.solve_ms))
    }
}

/// Distances where all arcs have this weight, of these vertices or of all; `None` where sums of floats stop
/// growing, or sums overflow.
fn multiples_of_levels<W: Weight>(
    searches: &mut LevelsOnGpus,
    weight: W,
    sources: &[VertexId],
    of: Option<&[VertexId]>,
    query: &Query<'_, u64>,
) -> Result<Option<Searched<W::Distance>>, SearchError> {
    let mut keys = LevelKeys::<W>::new(weight);
    let limit = match query.limit {
        u64::MAX => u32::MAX,
        limit => keys.last_within(limit, searches.dealt().n_vertices()),
    };
    let work = searches.search_from(sources, &query.with_limit(limit))?;
    let levels = match of {
        Some(vertices) => searches.levels_of(vertices)?,
        None => searches.levels()?,
    };
    let deepest = levels.par_iter().copied().filter(|&level| level != u32::MAX).max().unwrap_or(0);
    let keys: Vec<u64> = keys.up_to(deepest).iter().map(|key| key.to_u64()).collect();
    let keys = &keys[..=deepest as usize];
    let unreached = W::Distance::UNREACHED.to_key().to_u64();
    if !keys.is_sorted_by(|a, b| a < b) || keys.iter().any(|&key| key >= unreached) {
        return Ok(None);
    }
    let distance = |&level: &u32| match keys.get(level as usize) {
        Some(&key) => W::Distance::from_key(DistanceKey::from_u64(key)),
        None => W::Distance::UNREACHED,
    };
    let distances = Distances::from_storage(levels.par_iter().map(distance).collect());
    Ok(Some((distances, work, searches.solve_ms)))
}

/// As of a graph of this weight type.
fn nearest_of<W: Weight>(
    _: &Csr<W>,
    distances: Distances<W::Distance>,
    owners: Vec<VertexId>,
) -> AnyNearest {
    Nearest::<W>::from_storage(distances, owners).into()
}
