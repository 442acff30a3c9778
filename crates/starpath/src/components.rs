//! Weakly connected components by union-find.
//!
//! Each arc joins the sets of its ends; roots are the least vertices of their sets, and
//! every look-up halves the path it walks. O((n + m) log n) at worst, near O(n + m) in
//! practice. Tarjan and van Leeuwen, "Worst-case analysis of set union algorithms",
//! J. ACM 1984; linking by vertex number in place of by rank.

use graph_formats::{Csr, VertexId, Weight};

/// How many components the graph falls into when arcs may be walked both ways, and how
/// many vertices the largest has.
pub(crate) fn components<W: Weight>(graph: &Csr<W>) -> (usize, usize) {
    let mut parents: Vec<VertexId> = graph.vertices().collect();
    for (u, v, _) in graph.arcs() {
        let (u, v) = (root(&mut parents, u), root(&mut parents, v));
        parents[u.max(v) as usize] = u.min(v);
    }
    let mut sizes = vec![0usize; graph.n_vertices()];
    for vertex in graph.vertices() {
        sizes[root(&mut parents, vertex) as usize] += 1;
    }
    let n_components = sizes.iter().filter(|&&size| size > 0).count();
    (n_components, sizes.into_iter().max().unwrap_or(0))
}

fn root(parents: &mut [VertexId], mut vertex: VertexId) -> VertexId {
    while parents[vertex as usize] != vertex {
        let parent = parents[vertex as usize];
        parents[vertex as usize] = parents[parent as usize];
        vertex = parent;
    }
    vertex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_join_both_ways() {
        let graph = Csr::from_arcs(6, &[(3, 0, 1u32), (4, 3, 1), (2, 2, 1), (5, 1, 1)]).unwrap();
        assert_eq!(components(&graph), (3, 3));
        assert_eq!(components(&Csr::<u32>::from_arcs(0, &[]).unwrap()), (0, 0));
    }
}
