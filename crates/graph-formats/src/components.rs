//! The strongly connected components of a graph, by one depth-first search. O(n + m).
//!
//! Reference: tarjan-1972

use crate::{Csr, VertexId, Weight};

/// The strongly connected components of a graph: the largest sets of vertices with a path from each
/// to each. A component is numbered before the others that have arcs to it.
///
/// ```
/// use graph_formats::{Components, Csr};
///
/// // a cycle of 1 and 2, and an arc to it from 0
/// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 5), (2, 1, 5)])?;
/// let components = Components::of(&graph);
/// assert_eq!(components.n_components(), 2);
/// assert_eq!(components.component_of(1), components.component_of(2));
/// assert_eq!(components.members(1), [0]);
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The component of each vertex.
    component_of: Vec<VertexId>,
    /// The vertices, component by component.
    members: Vec<VertexId>,
    /// Where each component starts in `members`, and, last, the number of vertices.
    starts: Vec<usize>,
}

impl Components {
    /// Finds them by Tarjan's method, without recursion. O(n + m).
    pub fn of<W: Weight>(graph: &Csr<W>) -> Self {
        const NEW: VertexId = VertexId::MAX;
        let n = graph.n_vertices();
        // when each vertex was found, and when the earliest vertex on the stack that it reaches was
        let (mut met, mut earliest) = (vec![NEW; n], vec![NEW; n]);
        let mut component_of = vec![NEW; n];
        let (mut members, mut starts) = (Vec::with_capacity(n), vec![0]);
        let mut clock = 0;
        // vertices without a component yet, and the current path of the search
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

    /// The number of components.
    pub fn n_components(&self) -> usize {
        self.starts.len() - 1
    }

    /// The component of a vertex. An arc leads from a component to itself or to one with a smaller
    /// number.
    ///
    /// # Panics
    /// When there is no such vertex.
    pub fn component_of(&self, vertex: VertexId) -> usize {
        self.component_of[vertex as usize] as usize
    }

    /// The vertices of a component, in no order.
    ///
    /// # Panics
    /// When there is no such component.
    pub fn members(&self, component: usize) -> &[VertexId] {
        &self.members[self.starts[component]..self.starts[component + 1]]
    }
}
