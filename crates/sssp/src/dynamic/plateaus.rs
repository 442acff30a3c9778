//! Plateaus: vertices of one distance with tight arcs between them.
//!
//! A vertex without a tail that is strictly nearer has its predecessor by breadth-first search on its
//! plateau. Where a batch concerns one of its vertices, the plateau is filled again.

use graph_formats::{VertexId, Weight};

use super::update::{NO_VERTEX, ON_PLATEAU, Update};

impl<W: Weight> Update<'_, W> {
    /// Whether a vertex has no predecessor that is nearer, but a distance.
    fn is_on_plateau(&self, vertex: VertexId) -> bool {
        let predecessor = self.predecessors[vertex as usize];
        let has_nearer = predecessor != NO_VERTEX && !self.is_level(predecessor, vertex);
        vertex != self.source && !has_nearer
    }

    /// Fills the plateaus of the vertices in `fellows` again.
    pub(super) fn fill_plateaus(&mut self) {
        let graph = self.graph;
        let (mut members, mut level) = (Vec::new(), Vec::new());
        let mut open = std::mem::take(&mut self.fellows);
        while let Some(vertex) = open.pop() {
            if self.space.marks[vertex as usize] & ON_PLATEAU != 0 || !self.is_on_plateau(vertex) {
                continue;
            }
            self.note(vertex);
            self.space.marks[vertex as usize] |= ON_PLATEAU;
            members.push(vertex);
            for &(tail, weight) in graph.arcs_to(vertex) {
                if self.is_level(tail, vertex) && self.is_tight(tail, weight, vertex) {
                    if self.is_on_plateau(tail) { open.push(tail) } else { level.push(tail) }
                }
            }
            let heads = graph.arcs_from(vertex).iter().filter(|&&(head, weight)| {
                self.is_level(vertex, head) && self.is_tight(vertex, weight, head)
            });
            open.extend(heads.map(|&(head, _)| head));
        }
        for &vertex in &members {
            self.predecessors[vertex as usize] = NO_VERTEX;
        }
        while !level.is_empty() {
            level.sort_unstable();
            level.dedup();
            let mut next = Vec::new();
            for &from in &level {
                for &(to, weight) in graph.arcs_from(from) {
                    let is_open = self.space.marks[to as usize] & ON_PLATEAU != 0
                        && self.predecessors[to as usize] == NO_VERTEX;
                    if is_open && self.is_level(from, to) && self.is_tight(from, weight, to) {
                        self.predecessors[to as usize] = from;
                        next.push(to);
                    }
                }
            }
            level = next;
        }
    }
}
