//! Shortest-path trees of a graph in memory that is dealt to several GPUs: distances are found there, and
//! their predecessors on the CPU. Where all weights are the same, distances are multiples of levels.

use std::time::{Duration, Instant};

use gpu_runtime::Gpu;
use graph_formats::{AnyCsr, Csr, Distance, DistanceKey, Progress, VertexId, Weight, with_csr};
use paths::{AnyTree, Distances, Number, Tree};
use rayon::prelude::*;
use search_parts::device::limit_key;
use search_parts::{Query, SearchError, Work};
use sssp::{Goal, SearchWeight, SsspError};

use super::{DistancesOnGpus, LevelsOnGpus, Memory};
use crate::Found;
use crate::level_keys::LevelKeys;

/// Searches of a graph of any weight type, one after the other.
pub struct TreesOnGpus<'g> {
    gpus: Vec<Gpu>,
    graph: &'g AnyCsr,
    searches: Searches,
}

enum Searches {
    Levels(LevelsOnGpus),
    Distances(DistancesOnGpus),
}

/// What was found, the work, and the milliseconds that it took.
type Searched<D> = (Distances<D>, Work, f64);

impl<'g> TreesOnGpus<'g> {
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

    /// The shortest-path tree from `source` within `goal`: the same as from every other solver of the
    /// workspace. `progress` gets the number of steps. [`Found::exchanges`] are steps, and no vertices
    /// are counted as settled.
    ///
    /// # Errors
    /// As [`DistancesOnGpus::search`], and [`SsspError::Overflow`].
    pub fn tree(
        &mut self,
        source: VertexId,
        goal: Goal<Number>,
        progress: Option<Progress<'_>>,
    ) -> Result<Found<AnyTree>, SsspError> {
        with_csr!(self.graph, |graph| self.typed_tree(graph, source, goal.typed()?, progress))
    }

    fn typed_tree<W: SearchWeight>(
        &mut self,
        graph: &Csr<W>,
        source: VertexId,
        goal: Goal<W::Distance>,
        progress: Option<Progress<'_>>,
    ) -> Result<Found<AnyTree>, SsspError> {
        let (target, mut limit) = match goal {
            Goal::Target(target) => (Some(target), None),
            Goal::Within(limit) => {
                (None, Some(limit).filter(|&limit| limit < W::Distance::UNREACHED))
            }
            Goal::All => (None, None),
        };
        let not_negative =
            |limit: W::Distance| if limit < W::Distance::ZERO { W::Distance::ZERO } else { limit };
        let query = Query {
            source,
            targets: target.as_slice(),
            limit: limit.map_or(u64::MAX, |limit| limit_key::<W>(not_negative(limit))),
            progress,
        };
        let (mut distances, work, ms) = self.distances(graph, &query)?;
        if let Some(target) = target {
            limit = distances.get(target);
        }
        if let Some(limit) = limit {
            distances = distances.within(limit);
        }
        let start = Instant::now();
        let predecessors = sssp::predecessors(graph, source, &distances)?;
        Ok(Found {
            tree: AnyTree::from(Tree::<W> { source, limit, distances, predecessors }),
            algorithm: match self.searches {
                Searches::Levels(_) => "breadth-first",
                Searches::Distances(_) => "delta-stepping",
            },
            relaxations: work.relaxations,
            settled: 0,
            exchanges: work.rounds,
            search_time: Duration::from_secs_f64(ms / 1e3),
            predecessors_time: start.elapsed(),
        })
    }

    fn distances<W: SearchWeight>(
        &mut self,
        graph: &Csr<W>,
        query: &Query<'_, u64>,
    ) -> Result<Searched<W::Distance>, SearchError> {
        if let Searches::Levels(searches) = &mut self.searches {
            let weight = graph.weights().first().copied().unwrap_or(W::ZERO);
            if let Some(found) = multiples_of_levels(searches, weight, query)? {
                return Ok(found);
            }
            self.searches = Searches::Distances(DistancesOnGpus::new(&self.gpus, graph)?);
        }
        let Searches::Distances(searches) = &mut self.searches else {
            unreachable!("levels were replaced")
        };
        let work = searches.search(query)?;
        Ok((searches.distances::<W>()?, work, searches.solve_ms))
    }
}

/// Distances where all arcs have this weight; `None` where sums of floats stop growing, or sums overflow.
fn multiples_of_levels<W: Weight>(
    searches: &mut LevelsOnGpus,
    weight: W,
    query: &Query<'_, u64>,
) -> Result<Option<Searched<W::Distance>>, SearchError> {
    let mut keys = LevelKeys::<W>::new(weight);
    let &Query { source, targets, limit, progress } = query;
    let limit = match limit {
        u64::MAX => u32::MAX,
        limit => keys.last_within(limit, searches.dealt().n_vertices()),
    };
    let work = searches.search(&Query { source, targets, limit, progress })?;
    let levels = searches.levels()?;
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
