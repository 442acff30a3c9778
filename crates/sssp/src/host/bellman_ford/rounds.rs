//! Bellman-Ford in rounds over all arcs, until a round changes nothing.
//!
//! A label that falls counts at once, also in the round it fell in, so vertices on a
//! path that runs along the order of the arcs are all done in one round. O(n·m), and
//! O(h·m) for shortest paths of at most h arcs.
//!
//! The paper runs the arcs of a round in parallel, on a GPU; its stopping rule, a mark
//! that a changed label leaves, is the same.
//!
//! Reference: bellman-1958, ford-1956

use graph_formats::{Csr, Distance, Weight};

use super::{CycleWatch, Labels};
use crate::SsspError;
use crate::query::Query;

/// Lowers labels until none falls; see the module.
pub(crate) struct BellmanFord<'g, W: Weight> {
    graph: &'g Csr<W>,
    pub(crate) labels: Labels<W>,
}

impl<'g, W: Weight> BellmanFord<'g, W> {
    pub(crate) fn new(graph: &'g Csr<W>) -> Self {
        Self { graph, labels: Labels::new(graph.n_vertices()) }
    }

    pub(crate) fn solve(&mut self, query: &Query<'_, W::Distance>) -> Result<(), SsspError> {
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
        Ok(())
    }
}
