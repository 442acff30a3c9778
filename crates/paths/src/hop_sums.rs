//! Sums of hop counts from many sources.

/// For every vertex, sums over searches from many sources that count arcs.
///
/// All are whole numbers, so that they do not depend on the order in which searches end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HopSums {
    /// For each vertex, how many of the sources reach it, itself included.
    pub n_sources: Vec<u32>,
    /// For each vertex, the sum of the hops from these sources.
    pub sums: Vec<u64>,
    /// For each vertex, the greatest number of hops from one of them.
    pub greatest: Vec<u32>,
    /// For each vertex, the sum of 1 / hops from each of them but itself, in units of 2^-64; each
    /// term is rounded down.
    pub reciprocals: Vec<u128>,
    /// The number of pairs of a source and a vertex for each number of hops, up to the greatest.
    pub by_hop: Vec<u64>,
}

impl HopSums {
    /// The sums of no sources, for `n_vertices` vertices.
    pub fn new(n_vertices: usize) -> Self {
        Self {
            n_sources: vec![0; n_vertices],
            sums: vec![0; n_vertices],
            greatest: vec![0; n_vertices],
            reciprocals: vec![0; n_vertices],
            by_hop: Vec::new(),
        }
    }

    /// 1 / `hops` in units of 2^-64, rounded down; 0 for 0 hops.
    pub fn reciprocal(hops: u32) -> u128 {
        u128::checked_div(1 << 64, hops.into()).unwrap_or(0)
    }

    /// Adds the sums of other sources of the same graph.
    ///
    /// ```
    /// use paths::HopSums;
    ///
    /// // an arc between two vertices: the hops from each of them
    /// let of_first = HopSums { n_sources: vec![1, 1], sums: vec![0, 1], ..HopSums::new(2) };
    /// let mut both = HopSums { n_sources: vec![1, 1], sums: vec![1, 0], ..HopSums::new(2) };
    /// both.add(&of_first);
    /// assert_eq!((both.n_sources, both.sums), (vec![2, 2], vec![1, 1]));
    /// ```
    ///
    /// # Panics
    /// When the numbers of vertices differ.
    pub fn add(&mut self, other: &Self) {
        let n = self.n_sources.len();
        assert_eq!(n, other.n_sources.len(), "sums of the same vertices are added");
        for v in 0..n {
            self.n_sources[v] += other.n_sources[v];
            self.sums[v] += other.sums[v];
            self.greatest[v] = self.greatest[v].max(other.greatest[v]);
            self.reciprocals[v] += other.reciprocals[v];
        }
        self.add_pairs(&other.by_hop);
    }

    /// Adds numbers of pairs by their hops.
    pub fn add_pairs(&mut self, by_hop: &[u64]) {
        self.by_hop.resize(self.by_hop.len().max(by_hop.len()), 0);
        for (pairs, others) in self.by_hop.iter_mut().zip(by_hop) {
            *pairs += others;
        }
    }
}
