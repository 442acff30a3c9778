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
//!   predecessor, so that the least is the one, and pushes may come in any order. A pull looks
//!   along rows that ascend, where the first vertex of the level is the smallest.
//! * Threads meet after a *window* of levels where levels do not grow, as on roads and grids. Each
//!   goes on from its part of the first level by itself. What it finds may lie nearer to a part of
//!   another, whose offer is then the better one, and who goes on from there again. How often that
//!   happens says how many levels the next window has: up to 32, and fewer than one vertex in
//!   ten is found again. Where a level turns out to be much larger than that before the window, only
//!   the first level of the window counts. Several levels between two meetings are the idea of the second paper,
//!   whose threads end after a fixed number of vertices instead.
//! * Arcs are asked for some vertices ahead, which on graphs whose vertices lie in any order
//!   halves the time.
//! * Of a directed graph, pulls need the arcs by their ends. Turning them round costs as much as
//!   some searches, so it is done where that many are expected.
//! * Threads share only what is worth it; small levels are one thread's, while the others wait.
//!
//! Reference: beamer-2012, wang-2023

mod course;
mod labels;
mod levels;
mod steps;

use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::{Distances, Predecessors};
use search_parts::Query;

use self::labels::{NO_VERTEX, predecessor};
use self::levels::Levels;
use crate::cpu::arcs::Arcs;
use crate::cpu::pool::Pool;
use crate::level_distances::LevelDistances;
use crate::search::Search;
use crate::{SsspError, Team, Work, predecessors};

/// The solver with its work space, for any number of sources.
pub(crate) struct BreadthFirst<'g, W: Weight> {
    graph: &'g Csr<W>,
    levels: Levels<'g>,
    distances: LevelDistances<W>,
}

impl<'g, W: Weight> BreadthFirst<'g, W> {
    /// All arcs of `graph` have the same weight, which is positive. Levels are pulled along
    /// `incoming` arcs where there are.
    pub(crate) fn new(
        graph: &'g Csr<W>,
        incoming: Option<Csr<u32>>,
        threads: usize,
        team: Team,
    ) -> Self {
        let levels = Levels::new(Arcs::of_graph(graph), incoming, threads, team);
        Self { graph, levels, distances: LevelDistances::of(graph) }
    }
}

impl<W: Weight> Search<W> for BreadthFirst<'_, W> {
    fn run(&mut self, query: &Query<'_, W::Distance>) -> Result<Work, SsspError> {
        let last = match query.limit {
            limit if limit < W::Distance::UNREACHED => self.distances.last_within(limit),
            _ => u32::MAX,
        };
        let (work, n_levels) = self.levels.search(&query.with_limit(last))?;
        self.distances.extend_to(n_levels as usize);
        Ok(work)
    }

    fn distances(&mut self) -> Vec<W::Distance> {
        let epoch = self.levels.labels().epoch();
        let of_levels = self.distances.or_unreached();
        // without a branch, which on many graphs would be a coin's toss
        let distance = |label| of_levels[(epoch.level(label) as usize).min(of_levels.len() - 1)];
        self.levels.of_labels(distance)
    }

    fn row(&mut self, targets: &[VertexId], row: &mut [W::Distance]) {
        for (cell, &target) in row.iter_mut().zip(targets) {
            *cell = self.distances.get(self.levels.labels().level(target));
        }
    }

    fn predecessors(&mut self, pool: &Pool, source: VertexId, limit: W::Distance) -> Predecessors {
        let Some(last) = self.distances.last_distinct_within(limit) else {
            // where a float stops growing, vertices of one distance lead to one another
            let distances = Distances::from_storage(self.distances()).within(limit);
            return pool.run(|| predecessors::from_distances(self.graph, source, &distances));
        };
        let epoch = self.levels.labels().epoch();
        let least = epoch.label(last, NO_VERTEX);
        let predecessors = self.levels.of_labels(|label| match label >= least {
            true => predecessor(label),
            false => NO_VERTEX,
        });
        Predecessors::from_storage(predecessors)
    }
}
