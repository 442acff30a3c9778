//! Disjoint sets of vertices (union-find).
//!
//! Each set is a tree of parents whose root is its smallest vertex; a search for a root splits its
//! path. O(log n) per operation, amortised.
//!
//! Reference: tarjan-van-leeuwen-1984

use crate::{Csr, VertexId, Weight};

/// Vertices in disjoint sets, at first one each.
///
/// ```
/// use graph_formats::DisjointSets;
///
/// let mut sets = DisjointSets::new(4);
/// assert!(sets.unite(3, 1) && sets.unite(0, 3) && !sets.unite(0, 1));
/// assert_eq!(sets.root(3), 0);
/// assert_eq!(sets.labels(), (2, vec![0, 0, 1, 0]));
/// ```
#[derive(Clone, Debug)]
pub struct DisjointSets {
    parents: Vec<VertexId>,
}

impl DisjointSets {
    /// `n_vertices` vertices, each in a set of its own.
    pub fn new(n_vertices: usize) -> Self {
        Self { parents: (0..n_vertices as VertexId).collect() }
    }

    /// The weakly connected components of a graph. O(n + m log n).
    pub fn joined_by<W: Weight>(graph: &Csr<W>) -> Self {
        let mut sets = Self::new(graph.n_vertices());
        for u in graph.vertices() {
            graph.ends_from(u).iter().for_each(|&v| _ = sets.unite(u, v));
        }
        sets
    }

    /// The smallest vertex of a set.
    ///
    /// # Panics
    /// When there is no such vertex, as does [`unite`](Self::unite).
    #[inline]
    pub fn root(&mut self, mut vertex: VertexId) -> VertexId {
        loop {
            let parent = self.parents[vertex as usize];
            if parent == vertex {
                return vertex;
            }
            self.parents[vertex as usize] = self.parents[parent as usize];
            vertex = parent;
        }
    }

    /// Unites the sets of two vertices; returns whether they were different.
    #[inline]
    pub fn unite(&mut self, u: VertexId, v: VertexId) -> bool {
        let (u, v) = (self.root(u), self.root(v));
        self.parents[u.max(v) as usize] = u.min(v);
        u != v
    }

    /// The number of sets, and the set of each vertex. Sets are numbered from 0 in the order of
    /// their smallest vertices. O(n).
    pub fn labels(&self) -> (usize, Vec<VertexId>) {
        let mut labels = self.parents.clone();
        let mut n_sets = 0;
        for (v, &parent) in (0..).zip(&self.parents) {
            // a parent is smaller, so its label is final
            labels[v as usize] = if parent == v { n_sets } else { labels[parent as usize] };
            n_sets += VertexId::from(parent == v);
        }
        (n_sets as usize, labels)
    }
}
