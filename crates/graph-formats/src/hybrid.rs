//! The hybrid of ELL and COO: the regular part of every row padded, the excess as triples.
//!
//! The ELL part is as wide as the shortest row of the longest third of the rows. Each of
//! its columns is then at least a third full, so that the slots are never more than three
//! for an arc: any graph fits. What sticks out of longer rows is a COO tail. O(n + m).
//!
//! A third is the rule of Bell and Garland, for a slot in ELL cost a third of an entry in
//! COO; their least number of rows for a column, tuned to the machine of that time, is
//! left out.
//!
//! Reference: bell-garland-2009

use crate::ell::csr_of_rows;
use crate::{Coo, Csr, Ell, VertexId, Weight};

/// A graph as an [`Ell`] of the first arcs of each row and a [`Coo`] of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Hybrid<W: Weight> {
    ell: Ell<W>,
    tail: Coo<W>,
}

impl<W: Weight> Hybrid<W> {
    /// The graph in hybrid storage; it takes at most three slots for each arc.
    ///
    /// ```
    /// use graph_formats::{Csr, Hybrid};
    ///
    /// // a hub with three arcs, and two rows of one
    /// let arcs = [(0, 1, 1u32), (0, 2, 1), (0, 3, 1), (1, 0, 1), (2, 0, 1)];
    /// let graph = Csr::from_arcs(4, &arcs)?;
    /// let hybrid = Hybrid::from_csr(&graph);
    /// assert_eq!((hybrid.ell().width(), hybrid.tail().n_arcs()), (1, 2));
    /// assert_eq!(hybrid.to_csr(), graph);
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    pub fn from_csr(graph: &Csr<W>) -> Self {
        let width = width_for(graph);
        let ell = Ell::of_first_arcs(graph, width);
        let n_excess = graph.n_arcs() - ell.n_arcs();
        let mut sources = Vec::with_capacity(n_excess);
        let mut destinations = Vec::with_capacity(n_excess);
        let mut weights = Vec::with_capacity(n_excess);
        for source in graph.vertices() {
            for (destination, weight) in graph.arcs_from(source).skip(width as usize) {
                sources.push(source);
                destinations.push(destination);
                weights.push(weight);
            }
        }
        let tail = Coo::from_valid(graph.n_vertices(), sources, destinations, weights);
        Self { ell, tail }
    }

    /// The same graph by rows, each in the order it had. O(n log m + m).
    pub fn to_csr(&self) -> Csr<W> {
        let direction = self.ell.direction();
        csr_of_rows(self.n_vertices(), self.n_arcs(), direction, |v| self.arcs_from(v))
    }

    /// The first arcs of each row.
    pub fn ell(&self) -> &Ell<W> {
        &self.ell
    }

    /// The arcs that the ELL part has no room for, by ascending source.
    pub fn tail(&self) -> &Coo<W> {
        &self.tail
    }

    /// How many vertices.
    pub fn n_vertices(&self) -> usize {
        self.ell.n_vertices()
    }

    /// How many arcs are stored in both parts. O(n).
    pub fn n_arcs(&self) -> usize {
        self.ell.n_arcs() + self.tail.n_arcs()
    }

    /// The arcs that leave `vertex`, as (destination, weight). O(log m) to begin.
    ///
    /// # Panics
    /// When the graph has no such vertex.
    pub fn arcs_from(&self, vertex: VertexId) -> impl Iterator<Item = (VertexId, W)> + '_ {
        let sources = self.tail.sources();
        let first = sources.partition_point(|&source| source < vertex);
        let end = sources.partition_point(|&source| source <= vertex);
        let destinations = self.tail.destinations()[first..end].iter().copied();
        let weights = self.tail.weights()[first..end].iter().copied();
        self.ell.arcs_from(vertex).chain(destinations.zip(weights))
    }
}

/// The greatest width that a third of the rows reach.
fn width_for<W: Weight>(graph: &Csr<W>) -> u32 {
    let mut degrees: Vec<usize> = graph.vertices().map(|v| graph.out_degree(v)).collect();
    if degrees.is_empty() {
        return 0;
    }
    let enough = degrees.len().div_ceil(3) - 1;
    let (_, &mut width, _) = degrees.select_nth_unstable_by(enough, |a, b| b.cmp(a));
    u32::try_from(width).unwrap_or(u32::MAX)
}
