//! The distances of a form of Bellman-Ford on a device, in the weights' own type, and what follows
//! from them.

use std::time::Instant;

use gpu_runtime::{Buffer, Gpu, GpuError};
use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::Predecessors;

use super::edge_predecessors::{EdgeTree, Searched};
use super::keys;
use super::negative_cycle::lowers_itself;
use crate::{DeviceTimes, NO_VERTEX, Query, SearchError, milliseconds};

/// A distance for each vertex, as the last search has left it.
pub struct Sums<'g, W: Weight> {
    gpu: Gpu,
    graph: &'g Csr<W>,
    /// Whether some weight is negative.
    pub negative: bool,
    /// The distances.
    pub distances: Buffer<W>,
    tree: Option<EdgeTree>,
    /// The times of the preparation and of the last search.
    pub times: DeviceTimes,
}

impl<'g, W: Weight> Sums<'g, W> {
    /// Allocates the distances of `graph`. Without a `tree` the first call of
    /// [`predecessors`](Self::predecessors) makes it, for edges that lead one way.
    ///
    /// # Errors
    /// Where the device fails or has too little memory.
    pub fn new(
        gpu: &Gpu,
        graph: &'g Csr<W>,
        tree: Option<EdgeTree>,
        times: DeviceTimes,
    ) -> Result<Self, GpuError> {
        let distances = gpu.buffer(graph.n_vertices())?;
        let negative = graph.first_negative().is_some();
        Ok(Self { gpu: gpu.clone(), graph, negative, distances, tree, times })
    }

    /// Checks the query, and resets the times of the last search.
    ///
    /// # Errors
    /// [`SearchError::NoSuchVertex`].
    pub fn begin(&mut self, query: &Query<'_, W::Distance>) -> Result<(), SearchError> {
        self.times = self.times.without_search();
        query.check(self.graph.n_vertices())
    }

    /// The distances, in storage form. O(n).
    ///
    /// # Errors
    /// Where the device fails.
    pub fn download(&self) -> Result<Vec<W::Distance>, GpuError> {
        keys::download(&self.distances)
    }

    /// Whether the distances, which still fall, prove a negative cycle. The time counts as the
    /// search's. O(n + m).
    ///
    /// # Errors
    /// Where the device fails.
    pub fn show_a_cycle(&mut self) -> Result<bool, GpuError> {
        let start = Instant::now();
        let shows = lowers_itself(self.graph, &self.download()?);
        self.times.solve_ms += milliseconds(start);
        Ok(shows)
    }

    /// The predecessors of the vertices within `limit` of `source`, the source of the search; `None`
    /// if there are too many levels.
    ///
    /// # Safety
    /// The edges must be those of the graph, equally many in each buffer, and of the GPU of
    /// [`new`](Self::new).
    ///
    /// # Errors
    /// Where the device fails or has too little memory.
    pub unsafe fn predecessors(
        &mut self,
        [tails, heads]: [&Buffer<VertexId>; 2],
        weights: &Buffer<W>,
        source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SearchError> {
        let Self { gpu, negative, distances, tree, .. } = self;
        let tree = match tree {
            Some(tree) => tree,
            empty => empty.insert(EdgeTree::load(gpu, W::KIND, false, distances.len())?),
        };
        let searched = Searched { tails, heads, weights, distances, negative: *negative };
        // SAFETY: the caller promises it of the edges; there is a distance for each vertex.
        let Some(mut chosen) = (unsafe { tree.predecessors(gpu, searched, source)? }) else {
            return Ok(None);
        };
        if limit < W::Distance::UNREACHED {
            // a vertex within the limit has a predecessor within it
            let distances = self.download()?;
            let beyond = chosen.iter_mut().zip(distances).filter(|vertex| vertex.1 > limit);
            beyond.for_each(|(chosen, _)| *chosen = NO_VERTEX);
        }
        Ok(Some(Predecessors::from_storage(chosen)))
    }
}
