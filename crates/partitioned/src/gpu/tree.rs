//! Shortest-path trees of a graph in memory that is dealt to several GPUs: distances are found there, and
//! their predecessors on the CPU.

use std::time::{Duration, Instant};

use gpu_runtime::Gpu;
use graph_formats::{AnyCsr, Csr, Distance, Progress, VertexId, Weight, with_csr};
use paths::{AnyTree, Distances, Number, Tree};
use search_parts::Query;
use search_parts::device::limit_key;
use sssp::{Goal, SearchWeight, SsspError};

use super::DistancesOnGpus;
use crate::Found;

/// Searches of a graph of any weight type, one after the other.
pub struct TreesOnGpus<'g> {
    graph: &'g AnyCsr,
    searches: DistancesOnGpus,
}

impl<'g> TreesOnGpus<'g> {
    /// Deals `graph` to these GPUs, 1 to 8. O(n + m).
    ///
    /// # Errors
    /// As [`DistancesOnGpus::new`].
    pub fn new(gpus: &[Gpu], graph: &'g AnyCsr) -> Result<Self, SsspError> {
        let searches = with_csr!(graph, |graph| DistancesOnGpus::new(gpus, graph))?;
        Ok(Self { graph, searches })
    }

    /// The shortest-path tree from `source` within `goal`: the same as from every other solver of the
    /// workspace. `progress` gets the number of turns. [`Found::exchanges`] are turns, and no vertices
    /// are counted as settled.
    ///
    /// # Errors
    /// As [`DistancesOnGpus::search`], and [`SsspError::Overflow`].
    pub fn tree(
        &mut self,
        source: VertexId,
        goal: Goal<Number>,
        progress: Option<Progress<'_>>,
    ) -> Result<Found, SsspError> {
        let searches = &mut self.searches;
        with_csr!(self.graph, |graph| found(searches, graph, source, goal.typed()?, progress))
    }
}

fn found<W: SearchWeight>(
    searches: &mut DistancesOnGpus,
    graph: &Csr<W>,
    source: VertexId,
    goal: Goal<W::Distance>,
    progress: Option<Progress<'_>>,
) -> Result<Found, SsspError> {
    let (target, mut limit) = match goal {
        Goal::Target(target) => (Some(target), None),
        Goal::Within(limit) => (None, Some(limit).filter(|&limit| limit < W::Distance::UNREACHED)),
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
    let work = searches.search(&query)?;
    let search_time = Duration::from_secs_f64(searches.solve_ms / 1e3);
    let mut distances: Distances<W::Distance> = searches.distances::<W>()?;
    if let Some(target) = target {
        limit = distances.get(target);
    }
    if let Some(limit) = limit {
        distances = distances.within(limit);
    }
    let start = Instant::now();
    let predecessors = sssp::predecessors(graph, source, &distances)?;
    Ok(Found {
        tree: Some(AnyTree::from(Tree::<W> { source, limit, distances, predecessors })),
        algorithm: "delta-stepping",
        relaxations: work.relaxations,
        settled: 0,
        exchanges: work.rounds,
        search_time,
        predecessors_time: start.elapsed(),
    })
}
