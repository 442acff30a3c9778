//! Breadth-first search: level by level, where all arcs weigh the same.
//!
//! A vertex is as many arcs from the source as the level that it is found in, and its distance is
//! the weight added so many times: the sum that every other solver comes to, for floats too. A
//! level is found from the one before in either direction: by *pushing*, where the vertices of the
//! level offer themselves to the ends of their arcs, or by *pulling*, where each vertex that has not
//! been found looks along its own arcs until one leads to the level. Pushing costs as many arcs as
//! leave the level; pulling ends early where the level is a large part of the graph, which on
//! social networks leaves most arcs out. O(n + m); a pull costs O(n / 64) besides what it looks at.
//!
//! What differs from the paper:
//!
//! * The tree is found in the same pass, and it is the one that every solver gives: the
//!   predecessor is the smallest vertex of the level before. A label holds the level above the
//!   predecessor, so that the least label is the one, and pushes may come in any order. A pull
//!   looks along rows that ascend, where the first vertex of the level is the smallest.
//! * Of a directed graph, pulls need the arcs by their ends. Turning them round costs as much as
//!   some searches, so it is done where that many are expected.
//! * Threads share only levels that are worth it; on small ones one of them goes on alone.
//!
//! Reference: beamer-2012

mod levels;
mod steps;

use graph_formats::{Csr, Direction, Distance, VertexId, Weight};
use paths::Predecessors;
use rayon::prelude::*;

use self::levels::{Levels, Rows};
use crate::query::{Query, awaited};
use crate::search::{Answer, Search};
use crate::{SsspError, Team, Work};

/// Labels that a thread turns into distances at a time.
const LABELS_A_TASK: usize = 1 << 14;

/// The arcs by their ends, in rows that ascend: of the graph itself where it is undirected, else
/// turned round if they are to be. O(n + m).
pub(crate) fn incoming<W: Weight>(graph: &Csr<W>, turns_arcs: bool) -> Option<Csr<u32>> {
    let unweighted = || graph.clone().unweighted();
    if graph.direction() == Direction::Undirected && graph.rows_ascend() {
        return Some(unweighted());
    }
    turns_arcs.then(|| unweighted().transposed())
}

/// The solver with its work space, for any number of sources.
pub(crate) struct BreadthFirst<'g, W: Weight> {
    graph: &'g Csr<W>,
    levels: Levels<'g>,
    /// The distance of each level, as far as one was needed and can be held.
    distances: Vec<W::Distance>,
}

impl<'g, W: Weight> BreadthFirst<'g, W> {
    /// All arcs of `graph` have the same weight, which is positive. Levels are pulled along
    /// [`incoming`] arcs where there are.
    pub(crate) fn new(
        graph: &'g Csr<W>,
        incoming: Option<Csr<u32>>,
        threads: usize,
        team: Team,
    ) -> Self {
        let levels = Levels::new(Rows::of(graph), incoming, threads, team);
        Self { graph, levels, distances: vec![W::Distance::ZERO] }
    }

    fn solve(&mut self, query: &Query<'_, W::Distance>) -> Result<Work, SsspError> {
        let last = match query.limit {
            limit if limit < W::Distance::UNREACHED => self.levels_within(limit),
            _ => u32::MAX,
        };
        let work = self.levels.search(&query.with_limit(last))?;
        self.extend_to(work.rounds as usize);
        Ok(work)
    }

    /// The last level that is no farther than `limit`.
    fn levels_within(&mut self, limit: W::Distance) -> u32 {
        let n = self.graph.n_vertices();
        while self.distances.len() < n && self.distances.last().is_some_and(|&d| d <= limit) {
            let n_known = self.distances.len();
            self.extend_to(n_known + 1);
            if self.distances.len() == n_known {
                break;
            }
        }
        self.distances.partition_point(|&distance| distance <= limit) as u32 - 1
    }

    /// Adds up the distances of so many levels, unless one cannot be held.
    fn extend_to(&mut self, n_levels: usize) {
        let weight = self.graph.weight_summary().greatest;
        while self.distances.len() < n_levels
            && let Some(next) = self.distances.last().and_then(|&last| weight.after(last))
        {
            self.distances.push(next);
        }
    }

    #[inline(always)]
    fn distance(&self, level: u32) -> W::Distance {
        self.distances.get(level as usize).copied().unwrap_or(W::Distance::UNREACHED)
    }
}

impl<W: Weight> Search<W> for BreadthFirst<'_, W> {
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SsspError> {
        let work = self.solve(query)?;
        let labels = self.levels.labels().par_iter().with_min_len(LABELS_A_TASK);
        Ok((labels.map(|label| self.distance(levels::level(label))).collect(), work))
    }

    fn predecessors(
        &mut self,
        _source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SsspError> {
        let farthest = self.distances.partition_point(|&distance| distance <= limit);
        // where a float stops growing, vertices of one distance lead to one another
        if self.distances[..farthest].windows(2).any(|two| two[0] == two[1]) {
            return Ok(None);
        }
        let labels = self.levels.labels().par_iter().with_min_len(LABELS_A_TASK);
        let chosen = labels.map(|label| match levels::level(label) {
            level if (level as usize) < farthest => levels::predecessor(label),
            _ => levels::NO_VERTEX,
        });
        Ok(Some(Predecessors::from_storage(chosen.collect())))
    }

    fn row(
        &mut self,
        source: VertexId,
        targets: &[VertexId],
        row: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        let awaited = awaited(targets, self.graph.n_vertices());
        let query = Query { source, targets: awaited, limit: u32::MAX, progress: None };
        let work = self.levels.search(&query)?;
        self.extend_to(work.rounds as usize);
        if self.distances.len() < work.rounds as usize {
            return Ok(None);
        }
        for (cell, &target) in row.iter_mut().zip(targets) {
            *cell = self.distance(levels::level(&self.levels.labels()[target as usize]));
        }
        Ok(Some(work))
    }
}
