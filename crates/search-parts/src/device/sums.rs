//! Searches by forms of Bellman-Ford on a device, whose distances are in the weights' own type.

use std::time::Instant;

use gpu_runtime::{Buffer, Gpu, GpuError};
use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::Predecessors;

use super::edge_predecessors::{EdgeTree, Edges};
use super::keys;
use super::negative_cycle::lowers_itself;
use super::search::DeviceSearch;
use crate::{DeviceTimes, NO_VERTEX, Query, SearchError, Work, milliseconds};

/// A form of Bellman-Ford with its edges on a device.
///
/// # Safety
/// The edges must be those of the graph of the [`Sums`], on their GPU.
pub unsafe trait BellmanFordForm<W: Weight>: Send {
    /// Lowers the distances until none falls; the graph has the source. `None` if there is no
    /// result.
    fn lower(&mut self, query: &Query<'_, W::Distance>) -> Result<Option<Work>, SearchError>;

    /// The distances.
    fn sums(&mut self) -> &mut Sums<W>;

    /// The distances and all edges; no edges if the device has others too.
    fn with_edges(&mut self) -> Result<(&mut Sums<W>, Option<Edges<'_, W>>), SearchError>;
}

/// A search by a form of Bellman-Ford.
pub struct BellmanFordSearch<F>(pub F);

impl<W: Weight, F: BellmanFordForm<W>> DeviceSearch<W> for BellmanFordSearch<F> {
    fn run(&mut self, query: &Query<'_, W::Distance>) -> Result<Option<Work>, SearchError> {
        let sums = self.0.sums();
        sums.times = sums.times.without_search();
        query.check(sums.graph.n_vertices())?;
        self.0.lower(query)
    }

    fn distances(&mut self) -> Result<Vec<W::Distance>, SearchError> {
        Ok(self.0.sums().download()?)
    }

    fn predecessors(
        &mut self,
        source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SearchError> {
        let (sums, Some(edges)) = self.0.with_edges()? else { return Ok(None) };
        let Sums { gpu, negative, distances, tree, .. } = sums;
        let tree = match tree {
            Some(tree) => tree,
            empty => empty.insert(EdgeTree::load(gpu, W::KIND, false, distances.len())?),
        };
        // SAFETY: the form promises it of the edges; there is a distance for each vertex.
        let found = unsafe { tree.predecessors(gpu, edges, distances, *negative, source)? };
        let Some(mut chosen) = found else { return Ok(None) };
        if limit < W::Distance::UNREACHED {
            // a vertex within the limit has a predecessor within it
            let distances = sums.download()?;
            let beyond = chosen.iter_mut().zip(distances).filter(|vertex| vertex.1 > limit);
            beyond.for_each(|(chosen, _)| *chosen = NO_VERTEX);
        }
        Ok(Some(Predecessors::from_storage(chosen)))
    }

    fn times(&mut self) -> &mut DeviceTimes {
        &mut self.0.sums().times
    }
}

/// A distance for each vertex, as the last search has left it.
pub struct Sums<W: Weight> {
    gpu: Gpu,
    /// The graph.
    pub graph: Csr<W>,
    /// Whether some weight is negative.
    pub negative: bool,
    /// The distances.
    pub distances: Buffer<W>,
    tree: Option<EdgeTree>,
    /// The times of the preparation and of the last search.
    pub times: DeviceTimes,
}

impl<W: Weight> Sums<W> {
    /// Allocates the distances of `graph`. Without a `tree` the first call of
    /// [`predecessors`](DeviceSearch::predecessors) makes it, for edges that lead one way.
    ///
    /// # Errors
    /// Where the device fails or has too little memory.
    pub fn new(
        gpu: &Gpu,
        graph: &Csr<W>,
        tree: Option<EdgeTree>,
        times: DeviceTimes,
    ) -> Result<Self, GpuError> {
        let distances = gpu.buffer(graph.n_vertices())?;
        let negative = graph.first_negative().is_some();
        Ok(Self { gpu: gpu.clone(), graph: graph.clone(), negative, distances, tree, times })
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
        let shows = lowers_itself(&self.graph, &self.download()?);
        self.times.solve_ms += milliseconds(start);
        Ok(shows)
    }
}
