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

use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::{Distances, Predecessors};
use search_parts::{Pool, Query};

use crate::search::Search;
use crate::{SsspError, Work, predecessors};

/// The code for "no parent"; no graph has this many vertices.
const NO_VERTEX: VertexId = VertexId::MAX;

/// Lowers tentative distances until none changes; see the module.
pub(crate) struct BellmanFord<'g, W: Weight> {
    graph: &'g Csr<W>,
    tentative: Tentative<W>,
}

impl<'g, W: Weight> BellmanFord<'g, W> {
    pub(crate) fn new(graph: &'g Csr<W>) -> Self {
        Self { graph, tentative: Tentative::new(graph.n_vertices()) }
    }
}

impl<W: Weight> Search<W> for BellmanFord<'_, W> {
    fn run(&mut self, query: &Query<'_, W::Distance>) -> Result<Work, SsspError> {
        self.tentative.reset(query.source);
        let mut cycle_check = CycleCheck::new(self.graph);
        let mut changed = true;
        while changed {
            changed = false;
            for from in self.graph.vertices() {
                if self.tentative.distances[from as usize] == W::Distance::UNREACHED {
                    continue;
                }
                for (to, weight) in self.graph.arcs_from(from) {
                    changed |= self.tentative.relax(from, to, weight)?;
                }
            }
            self.tentative.work.rounds += 1;
            cycle_check.run_if_due(&self.tentative)?;
            query.report(self.tentative.work.rounds, self.graph.n_vertices() as u64)?;
        }
        Ok(self.tentative.work)
    }

    fn distances(&mut self) -> Vec<W::Distance> {
        self.tentative.distances.clone()
    }

    fn predecessors(&mut self, pool: &Pool, source: VertexId, limit: W::Distance) -> Predecessors {
        pool.run(|| self.tentative.predecessors(self.graph, source, limit))
    }
}

/// Tentative distances and parents, for both forms.
pub(super) struct Tentative<W: Weight> {
    pub(super) distances: Vec<W::Distance>,
    parents: Vec<VertexId>,
    pub(super) work: Work,
}

impl<W: Weight> Tentative<W> {
    pub(super) fn new(n_vertices: usize) -> Self {
        Self {
            distances: vec![W::Distance::UNREACHED; n_vertices],
            parents: vec![NO_VERTEX; n_vertices],
            work: Work::default(),
        }
    }

    pub(super) fn reset(&mut self, source: VertexId) {
        self.distances.fill(W::Distance::UNREACHED);
        self.parents.fill(NO_VERTEX);
        self.distances[source as usize] = W::Distance::ZERO;
        self.work = Work::default();
    }

    /// The predecessors of the vertices within `limit` of `source`. The parents may differ from
    /// these, since they depend on the order of relaxations.
    pub(super) fn predecessors(
        &self,
        graph: &Csr<W>,
        source: VertexId,
        limit: W::Distance,
    ) -> Predecessors {
        let distances = Distances::from_storage(self.distances.clone()).within(limit);
        predecessors::from_distances(graph, source, &distances)
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
        let Some(distance) = weight.after(self.distances[from as usize]) else {
            return if weight.is_negative() { Err(self.too_small(from, to)) } else { Ok(false) };
        };
        let current = &mut self.distances[to as usize];
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
                return Err(SsspError::NegativeCycle { cycle: self.cycle_through(at) });
            }
        }
        Ok(())
    }

    /// The cycle of parents through `vertex`, in the direction of the arcs.
    fn cycle_through(&self, vertex: VertexId) -> Vec<VertexId> {
        let mut cycle = vec![vertex];
        let mut at = self.parents[vertex as usize];
        while at != vertex {
            cycle.push(at);
            at = self.parents[at as usize];
        }
        cycle.reverse();
        cycle
    }
}

/// Checks the parents for a cycle every n + m + 1 relaxations.
pub(super) struct CycleCheck {
    every: u64,
    next: u64,
}

impl CycleCheck {
    pub(super) fn new<W: Weight>(graph: &Csr<W>) -> Self {
        let every = (graph.n_vertices() + graph.n_arcs()) as u64 + 1;
        Self { every, next: every }
    }

    pub(super) fn run_if_due<W: Weight>(
        &mut self,
        tentative: &Tentative<W>,
    ) -> Result<(), SsspError> {
        if tentative.work.relaxations >= self.next {
            self.next = tentative.work.relaxations + self.every;
            tentative.check_parents()?;
        }
        Ok(())
    }
}
