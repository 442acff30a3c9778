//! The strongly connected components of a graph, by one depth-first search. O(n + m).
//!
//! Reference: tarjan-1972, pearce-2016

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
    /// Finds them by Pearce's form of Tarjan's method, without recursion. One array has all that an
    /// arc needs to know of its end. O(n + m).
    pub fn of<W: Weight>(graph: &Csr<W>) -> Self {
        const NEW: VertexId = 0;
        let n = graph.n_vertices();
        let (row_offsets, columns) = (graph.row_offsets(), graph.column_indices());
        // When the earliest vertex without a component that each vertex reaches was met. Vertices of
        // a component have a code, which is greater than all times that are still in use.
        let mut earliest = vec![NEW; n];
        let (mut members, mut starts) = (Vec::with_capacity(n), vec![0]);
        let code = |component: usize| VertexId::MAX - component as VertexId;
        let mut clock = NEW;
        // vertices behind the path that have no component yet; the path of the search, where each
        // vertex has the time when it was met, and its next arc
        let (mut open, mut path) = (Vec::new(), Vec::new());
        for root in graph.vertices() {
            let mut new = (earliest[root as usize] == NEW).then_some(root);
            loop {
                if let Some(vertex) = new.take() {
                    clock += 1;
                    earliest[vertex as usize] = clock;
                    path.push((vertex, clock, row_offsets[vertex as usize] as usize));
                }
                let Some((vertex, met, next)) = path.last_mut() else { break };
                let end = row_offsets[*vertex as usize + 1] as usize;
                let mut least = earliest[*vertex as usize];
                while *next < end && new.is_none() {
                    let to = columns[*next];
                    *next += 1;
                    match earliest[to as usize] {
                        NEW => new = Some(to),
                        reached => least = least.min(reached),
                    }
                }
                let (vertex, met) = (*vertex, *met);
                earliest[vertex as usize] = least;
                if new.is_some() {
                    continue;
                }
                path.pop();
                if least < met {
                    open.push(vertex);
                    let (parent, ..) = path.last().expect("the first of a path reaches no earlier");
                    let parent = &mut earliest[*parent as usize];
                    *parent = least.min(*parent);
                    continue;
                }
                let component = code(starts.len() - 1);
                while let Some(member) = open.pop_if(|member| earliest[*member as usize] >= met) {
                    earliest[member as usize] = component;
                    members.push(member);
                }
                earliest[vertex as usize] = component;
                members.push(vertex);
                starts.push(members.len());
                // all that were met since have a component
                clock = met - 1;
            }
        }
        let mut component_of = earliest;
        component_of.iter_mut().for_each(|component| *component = VertexId::MAX - *component);
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
