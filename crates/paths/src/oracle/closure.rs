//! The transitive closure by a depth-first search from every vertex. O(n (n + m)).

use graph_formats::{Csr, Weight};

use crate::Closure;

/// Which vertices each vertex reaches by at least one arc; weights do not matter.
pub fn closure<W: Weight>(graph: &Csr<W>) -> Closure {
    let mut closure = Closure::without_pairs(graph.n_vertices());
    for source in graph.vertices() {
        // the source itself is found only when an arc leads back to it
        let mut stack = vec![source];
        while let Some(u) = stack.pop() {
            for (v, _) in graph.arcs_from(u) {
                if !closure.reaches(source, v) {
                    closure.insert(source, v);
                    stack.push(v);
                }
            }
        }
    }
    closure
}
