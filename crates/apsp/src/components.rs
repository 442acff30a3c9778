//! The strongly connected components of a graph, by one depth-first search. O(n + m).
//!
//! Reference: tarjan-1972

use graph_formats::{Csr, VertexId, Weight};

/// The strongly connected components, each before those that lead to it.
pub(crate) struct Components {
    /// Of each vertex.
    pub(crate) component_of: Vec<VertexId>,
    /// The vertices, component by component.
    members: Vec<VertexId>,
    /// Where each component starts among them, and last their number.
    starts: Vec<usize>,
}

impl Components {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn members(&self, component: usize) -> &[VertexId] {
        &self.members[self.starts[component]..self.starts[component + 1]]
    }

    /// By Tarjan's method, without recursion.
    pub(crate) fn of<W: Weight>(graph: &Csr<W>) -> Self {
        const NEW: VertexId = VertexId::MAX;
        let n = graph.n_vertices();
        // when each vertex was met, and the earliest vertex on the stack that it leads to
        let (mut met, mut earliest) = (vec![NEW; n], vec![NEW; n]);
        let mut component_of = vec![NEW; n];
        let (mut members, mut starts) = (Vec::with_capacity(n), vec![0]);
        let mut clock = 0;
        // vertices without a component yet, and those whose arcs are being followed
        let (mut open, mut path) = (Vec::new(), Vec::new());
        for root in graph.vertices() {
            if met[root as usize] == NEW {
                path.push((root, graph.row(root)));
            }
            while let Some((vertex, arcs)) = path.last_mut() {
                let v = *vertex as usize;
                if met[v] == NEW {
                    (met[v], earliest[v]) = (clock, clock);
                    clock += 1;
                    open.push(*vertex);
                }
                if let Some(arc) = arcs.next() {
                    let to = graph.column_indices()[arc];
                    if met[to as usize] == NEW {
                        path.push((to, graph.row(to)));
                    } else if component_of[to as usize] == NEW {
                        earliest[v] = earliest[v].min(met[to as usize]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    earliest[parent as usize] = earliest[parent as usize].min(earliest[v]);
                }
                if earliest[v] == met[v] {
                    let component = starts.len() as VertexId - 1;
                    while let Some(member) = open.pop() {
                        component_of[member as usize] = component;
                        members.push(member);
                        if member as usize == v {
                            break;
                        }
                    }
                    starts.push(members.len());
                }
            }
        }
        Self { component_of, members, starts }
    }
}
