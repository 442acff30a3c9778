//! A metric that takes changes of its graph: arcs closed, opened, or with other weights.
//!
//! The hierarchy has a place for an arc wherever an arc or a shortcut joins two vertices, so that
//! it serves every graph with no other arcs. A batch that only gives arcs other weights is an
//! [update](super::update). After any other batch the graph is another, and all is customized; the
//! order and the shortcuts stay. What can be refused is, before anything is changed.

use graph_formats::{Change, DynamicGraph, Weight};

use super::Metric;
use crate::HierarchyError;
use crate::prepare::hierarchy::structure;

impl<W: Weight> Metric<W> {
    pub(crate) fn take_changes(&mut self, changes: &[Change<W>]) -> Result<(), HierarchyError> {
        let mut graph = DynamicGraph::new(&self.graph)?;
        let _ = graph.apply(changes)?;
        for (position, change) in changes.iter().enumerate() {
            match *change {
                Change::InsertVertex => return Err(HierarchyError::NewVertex { position }),
                Change::Insert { from, to, .. }
                    if !self.hierarchy.joins(from, to) && from != to =>
                {
                    return Err(HierarchyError::NoPlace { position, from, to });
                }
                _ => {}
            }
        }
        let graph = graph.to_csr()?;
        let has_same_arcs = graph.row_offsets() == self.graph.row_offsets()
            && graph.column_indices() == self.graph.column_indices();
        if has_same_arcs {
            self.take_all(graph.weights())?;
            // undirected too, if it was
            self.graph = graph;
            return Ok(());
        }
        let hierarchy = self.hierarchy.of_other_arcs(&structure(&graph));
        *self = Self::new(hierarchy, graph)?;
        Ok(())
    }
}
