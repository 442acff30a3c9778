//! Bellman-Ford in rounds over all arcs, until a round changes nothing; and the state that its
//! form with a [queue](super::bellman_ford_queue) shares with it.
//!
//! A lowered tentative distance is used at once, in the same round. So the vertices of a path that
//! follows the order of the arcs are all final after one round. O(n·m), and O(h·m) for shortest
//! paths of at most h arcs.
//!
//! Both forms store for every vertex its parent: the vertex that lowered it last. The parents form
//! a tree unless there is a negative cycle, which becomes a cycle of parents. A check of all
//! parents every n + m relaxations costs less than the relaxations, and finds the cycle long
//! before the n rounds of the textbook.
//!
//! The article of origin-segments relaxes the arcs of a round in parallel, on a GPU; its stopping
//! rule, a flag set by any change, is the same.
//!
//! Reference: bellman-1958, ford-1956, moore-1959

use std::iter;

use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::{Distances, Predecessors};
use search_parts::{Pool, Query};

use crate::search::Search;
use crate::{SsspError, Work, predecessors};

/// The code for "no parent"; no graph has this many vertices.
const NO_VERTEX: VertexId = VertexId::MAX;

/// Lowers tentative distances until none changes; see the module.
pub(super) struct BellmanFord<'g, W: Weight> {
    graph: &'g Csr<W>,
    pub(super) tentative: Vec<W::Distance>,
    parents: Vec<VertexId>,
    pub(super) work: Work,
    /// The number of relaxations at which the parents are checked next.
    next_check: u64,
}

impl<W: Weight> Search<W> for BellmanFord<'_, W> {
    fn run(&mut self, query: &Query<'_, W::Distance>) -> Result<Work, SsspError> {
        self.reset(query.source);
        let graph = self.graph;
        let mut changed = true;
        while changed {
            changed = false;
            for from in graph.vertices() {
                if self.tentative[from as usize] == W::Distance::UNREACHED {
                    continue;
                }
                for (to, weight) in graph.arcs_from(from) {
                    changed |= self.relax(from, to, weight)?;
                }
            }
            self.work.rounds += 1;
            self.check_if_due()?;
            query.report(self.work.rounds, graph.n_vertices() as u64)?;
        }
        Ok(self.work)
    }

    fn distances(&mut self) -> Vec<W::Distance> {
        self.tentative.clone()
    }

    /// The parents may differ from these, since they depend on the order of relaxations.
    fn predecessors(&mut self, pool: &Pool, source: VertexId, limit: W::Distance) -> Predecessors {
        pool.run(|| {
            let distances = Distances::from_storage(self.tentative.clone()).within(limit);
            predecessors::from_distances(self.graph, source, &distances)
        })
    }
}

impl<'g, W: Weight> BellmanFord<'g, W> {
    pub(super) fn new(graph: &'g Csr<W>) -> Self {
        let n = graph.n_vertices();
        let (tentative, parents) = (vec![W::Distance::UNREACHED; n], vec![NO_VERTEX; n]);
        Self { graph, tentative, parents, work: Work::default(), next_check: 0 }
    }

    /// Begins a search.
    pub(super) fn reset(&mut self, source: VertexId) {
        self.tentative.fill(W::Distance::UNREACHED);
        self.parents.fill(NO_VERTEX);
        self.tentative[source as usize] = W::Distance::ZERO;
        self.work = Work::default();
        self.next_check = self.check_interval();
    }

    /// Relaxes the arc from `from`, which is reached, to `to`. Returns whether the distance of `to`
    /// is lowered. A sum too great for the type lowers nothing; a sum too small is an error.
    #[inline(always)]
    pub(super) fn relax(
        &mut self,
        from: VertexId,
        to: VertexId,
        weight: W,
    ) -> Result<bool, SsspError> {
        self.work.relaxations += 1;
        let Some(distance) = weight.after(self.tentative[from as usize]) else {
            return if weight.is_negative() { Err(self.too_small(from, to)) } else { Ok(false) };
        };
        let current = &mut self.tentative[to as usize];
        let falls = distance < *current;
        if falls {
            *current = distance;
            self.parents[to as usize] = from;
            self.work.improvements += 1;
        }
        Ok(falls)
    }

    #[cold]
    fn too_small(&mut self, from: VertexId, to: VertexId) -> SsspError {
        self.parents[to as usize] = from;
        let overflow =
            SsspError::Overflow { vertex: to, kind: std::any::type_name::<W::Distance>() };
        self.check_parents().err().unwrap_or(overflow)
    }

    /// An error with the cycle, if the parents have one. O(n).
    fn check_parents(&self) -> Result<(), SsspError> {
        // the number of the first walk through each vertex, 0 for none
        let mut walks = vec![0 as VertexId; self.parents.len()];
        for start in 0..self.parents.len() as VertexId {
            let walk = start + 1;
            let mut at = start;
            while at != NO_VERTEX && walks[at as usize] == 0 {
                walks[at as usize] = walk;
                at = self.parents[at as usize];
            }
            if at != NO_VERTEX && walks[at as usize] == walk {
                let before = |&v: &VertexId| Some(self.parents[v as usize]).filter(|&v| v != at);
                let mut cycle: Vec<_> = iter::successors(Some(at), before).collect();
                cycle.reverse();
                return Err(SsspError::NegativeCycle { cycle });
            }
        }
        Ok(())
    }

    /// Checks the parents for a cycle every n + m + 1 relaxations.
    pub(super) fn check_if_due(&mut self) -> Result<(), SsspError> {
        if self.work.relaxations >= self.next_check {
            self.next_check = self.work.relaxations + self.check_interval();
            self.check_parents()?;
        }
        Ok(())
    }

    fn check_interval(&self) -> u64 {
        (self.graph.n_vertices() + self.graph.n_arcs()) as u64 + 1
    }
}
