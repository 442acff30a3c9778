//! Disjoint sets that are merged step by step, with the step at which two vertices came together.
//!
//! Union by size without path compression: the root of a set gets as its parent the root of a set
//! at least as large, so that no vertex is deeper than log n. The steps ascend on every path to a
//! root.

/// Sets of the vertices 0 to n − 1.
pub(super) struct Merges {
    /// The parent of each vertex; a root is its own parent.
    parents: Vec<usize>,
    /// The step that gave a vertex its parent.
    steps: Vec<usize>,
    sizes: Vec<usize>,
}

impl Merges {
    /// Every vertex on its own.
    pub(super) fn new(n: usize) -> Self {
        Self { parents: (0..n).collect(), steps: vec![usize::MAX; n], sizes: vec![1; n] }
    }

    /// The root of the set of `v`. O(log n).
    pub(super) fn root(&self, mut v: usize) -> usize {
        while self.parents[v] != v {
            v = self.parents[v];
        }
        v
    }

    /// Merges the sets of `u` and `v` at `step`, which must not be below those before; false if
    /// they are one already. O(log n).
    pub(super) fn merge(&mut self, u: usize, v: usize, step: usize) -> bool {
        let (u, v) = (self.root(u), self.root(v));
        let (below, above) = if self.sizes[u] < self.sizes[v] { (u, v) } else { (v, u) };
        if below == above {
            return false;
        }
        self.parents[below] = above;
        self.steps[below] = step;
        self.sizes[above] += self.sizes[below];
        true
    }

    /// The step at which `u` and `v` came into one set; `None` if they are in two, or the same
    /// vertex. O(log n).
    pub(super) fn merged_at(&self, mut u: usize, mut v: usize) -> Option<usize> {
        let mut last = None;
        while u != v {
            if self.steps[u] > self.steps[v] {
                (u, v) = (v, u);
            }
            if self.parents[u] == u {
                return None;
            }
            last = Some(self.steps[u]);
            u = self.parents[u];
        }
        last
    }
}
