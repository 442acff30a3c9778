//! How many arcs vertices are away from many sources, all in all.

/// Sums over searches from many sources that count arcs, for every vertex that they reach.
///
/// All are whole numbers, so that they do not depend on the order in which searches end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HopSums {
    /// For each vertex, how many of the sources reach it, itself included.
    pub n_sources: Vec<u32>,
    /// The hops from these, added up.
    pub sums: Vec<u64>,
    /// The most hops from one of them.
    pub greatest: Vec<u32>,
    /// One part in so many hops from each of them but itself, added up, in units of 2^-64 to
    /// which each is rounded down.
    pub reciprocals: Vec<u128>,
    /// How many pairs of a source and a vertex are so many hops apart; as long as there are any.
    pub by_hop: Vec<u64>,
}

impl HopSums {
    /// Of no sources, for so many vertices.
    pub fn new(n_vertices: usize) -> Self {
        Self {
            n_sources: vec![0; n_vertices],
            sums: vec![0; n_vertices],
            greatest: vec![0; n_vertices],
            reciprocals: vec![0; n_vertices],
            by_hop: Vec::new(),
        }
    }

    /// One part in so many hops, in units of 2^-64, rounded down; none for no hops.
    pub fn reciprocal(hops: u32) -> u128 {
        u128::checked_div(1 << 64, hops.into()).unwrap_or(0)
    }

    /// Adds those of other sources of the same graph.
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
    /// Where they are of a graph with more or fewer vertices.
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

    /// Adds pairs by their hops.
    pub fn add_pairs(&mut self, by_hop: &[u64]) {
        self.by_hop.resize(self.by_hop.len().max(by_hop.len()), 0);
        for (pairs, others) in self.by_hop.iter_mut().zip(by_hop) {
            *pairs += others;
        }
    }
}
