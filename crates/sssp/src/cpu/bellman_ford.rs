//! Bellman-Ford in rounds over all arcs, until a round changes nothing; and what its form with
//! a [queue](super::bellman_ford_queue) shares with it.
//!
//! A label that falls counts at once, also in the round it fell in, so vertices on a
//! path that runs along the order of the arcs are all done in one round. O(n·m), and
//! O(h·m) for shortest paths of at most h arcs.
//!
//! Both forms keep, for every vertex, the vertex that lowered it last. Those parents form a
//! tree unless there is a negative cycle, which shows up as a cycle of parents; looking for one
//! every n relaxations or so costs no more than they do, and finds it long before the n rounds
//! are over that the textbook waits for.
//!
//! The article of origin-segments runs the arcs of a round in parallel, on a GPU; its stopping
//! rule, a mark that a changed label leaves, is the same.
//!
//! Reference: bellman-1958, ford-1956, moore-1959

use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::{Distances, Predecessors};
use search_parts::{Pool, Query};

use crate::search::Search;
use crate::{SsspError, Work, predecessors};

/// The code for "no parent"; no graph has this many vertices.
const NO_VERTEX: VertexId = VertexId::MAX;

/// Lowers labels until none falls; see the module.
pub(crate) struct BellmanFord<'g, W: Weight> {
    graph: &'g Csr<W>,
    labels: Labels<W>,
}

impl<'g, W: Weight> BellmanFord<'g, W> {
    pub(crate) fn new(graph: &'g Csr<W>) -> Self {
        Self { graph, labels: Labels::new(graph.n_vertices()) }
    }
}

impl<W: Weight> Search<W> for BellmanFord<'_, W> {
    fn run(&mut self, query: &Query<'_, W::Distance>) -> Result<Work, SsspError> {
        self.labels.reset(query.source);
        let mut watch = CycleWatch::new(self.graph);
        let mut changed = true;
        while changed {
            changed = false;
            for from in self.graph.vertices() {
                if self.labels.distances[from as usize] == W::Distance::UNREACHED {
                    continue;
                }
                for (to, weight) in self.graph.arcs_from(from) {
                    changed |= self.labels.relax(from, to, weight)?;
                }
            }
            self.labels.work.rounds += 1;
            watch.look(&self.labels)?;
            query.report(self.labels.work.rounds, self.graph.n_vertices() as u64)?;
        }
        Ok(self.labels.work)
    }

    fn distances(&mut self) -> Vec<W::Distance> {
        self.labels.distances.clone()
    }

    fn predecessors(&mut self, pool: &Pool, source: VertexId, limit: W::Distance) -> Predecessors {
        pool.run(|| self.labels.predecessors(self.graph, source, limit))
    }
}

/// Labels and parents, shared by both forms.
pub(super) struct Labels<W: Weight> {
    pub(super) distances: Vec<W::Distance>,
    parents: Vec<VertexId>,
    pub(super) work: Work,
}

impl<W: Weight> Labels<W> {
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

    /// Those of the vertices within `limit` of `source`. The parents are others: which of several
    /// it is depends on the order of the work.
    pub(super) fn predecessors(
        &self,
        graph: &Csr<W>,
        source: VertexId,
        limit: W::Distance,
    ) -> Predecessors {
        let distances = Distances::from_storage(self.distances.clone()).within(limit);
        predecessors::from_distances(graph, source, &distances)
    }

    /// Lowers the label of `to` if the arc from `from`, which has a label, does that.
    /// Returns whether it did. A sum too great for the type lowers nothing; one too
    /// small is an error.
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
        let label = &mut self.distances[to as usize];
        let falls = distance < *label;
        if falls {
            *label = distance;
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
        // the number of the walk that came through a vertex, 0 for none
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

    /// The cycle of parents that `vertex` is on, in the order of travel.
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

/// Counts relaxations towards the next look for a cycle.
pub(super) struct CycleWatch {
    every: u64,
    next: u64,
}

impl CycleWatch {
    pub(super) fn new<W: Weight>(graph: &Csr<W>) -> Self {
        let every = (graph.n_vertices() + graph.n_arcs()) as u64 + 1;
        Self { every, next: every }
    }

    pub(super) fn look<W: Weight>(&mut self, labels: &Labels<W>) -> Result<(), SsspError> {
        if labels.work.relaxations >= self.next {
            self.next = labels.work.relaxations + self.every;
            labels.check_parents()?;
        }
        Ok(())
    }
}
