//! Breadth-first search, for graphs whose weights are all equal.
//!
//! The level of a vertex is its number of arcs from the source. Its distance is the weight added
//! that many times, the same sum as every other solver's, for floats too. The search is
//! [`breadth_first::BreadthFirst`]; here its levels become distances. O(n + m).
//!
//! Reference: beamer-2012

use breadth_first::BreadthFirst;
use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::{Distances, Predecessors};
use search_parts::{Pool, Query, Team};

use crate::level_distances::LevelDistances;
use crate::search::Search;
use crate::{SsspError, Work, predecessors};

/// The solver with its work space, for any number of sources.
pub(super) struct ByLevels<'g, W: Weight> {
    graph: &'g Csr<W>,
    levels: BreadthFirst<'g>,
    distances: LevelDistances<W>,
}

impl<'g, W: Weight> ByLevels<'g, W> {
    /// A solver for `graph`, whose arcs all have the same positive weight. Levels are pulled along
    /// `incoming` arcs if they are given.
    pub(super) fn new(
        graph: &'g Csr<W>,
        incoming: Option<Csr<u32>>,
        threads: usize,
        team: Team,
    ) -> Self {
        let levels = BreadthFirst::new(graph, incoming, threads, team);
        Self { graph, levels, distances: LevelDistances::of(graph) }
    }
}

impl<W: Weight> Search<W> for ByLevels<'_, W> {
    fn run(&mut self, query: &Query<'_, W::Distance>) -> Result<Work, SsspError> {
        let (work, n_levels) = self.levels.run(&self.distances.in_levels(query))?;
        self.distances.extend_to(n_levels as usize);
        Ok(work)
    }

    fn distances(&mut self) -> Vec<W::Distance> {
        let of_levels = self.distances.or_unreached();
        // without a branch, which on many graphs would be unpredictable
        self.levels.map_levels(|level| of_levels[(level as usize).min(of_levels.len() - 1)])
    }

    fn row(&mut self, targets: &[VertexId], row: &mut [W::Distance]) {
        for (cell, &target) in row.iter_mut().zip(targets) {
            let level = self.levels.level(target);
            *cell = level.map_or(W::Distance::UNREACHED, |level| self.distances.get(level));
        }
    }

    fn predecessors(&mut self, pool: &Pool, source: VertexId, limit: W::Distance) -> Predecessors {
        match self.distances.last_distinct_within(limit) {
            Some(last) => self.levels.predecessors(last),
            // where sums of floats stop growing, several levels have the same distance
            None => {
                let distances = Distances::from_storage(self.distances()).within(limit);
                pool.run(|| predecessors::from_distances(self.graph, source, &distances))
            }
        }
    }
}
