//! Edges of edge-parallel kernels, made on the device from the rows of a graph.
//!
//! Three steps, the last two where they are asked for: which vertex each arc starts at; of
//! an undirected graph, each edge once; the edges sorted by segments of P vertices, first
//! by that of their head and then by that of their tail. The results are those of the
//! host, `Csr::to_coo`, `Csr::undirected_edges` and `SegmentOrder`, to the order of equal
//! edges. O(n + m log(n / P) / 8).
//!
//! The article does not say how it sorts. Here it is a radix sort of positions, eight bits
//! a pass, by the head alone: rows come in the order of their vertices, so that arcs are
//! sorted by tail as they stand, and each pass keeps the order of what is equal.
//!
//! Reference: origin-segments

use std::num::NonZeroU32;
use std::time::Instant;

use gpu_runtime::{Buffer, Gpu, GpuError};
use graph_formats::{Csr, VertexId, Weight};

use super::edge_kernels::EdgeKernels;
use crate::{DeviceTimes, EdgeOrder};

/// Edges on the device, an entry of each array for every edge.
pub(super) struct DeviceEdges<W> {
    pub(super) tails: Buffer<VertexId>,
    pub(super) heads: Buffer<VertexId>,
    pub(super) weights: Buffer<W>,
}

/// The vertices of a graph, cut into segments.
#[derive(Clone, Copy)]
pub(super) struct Segments {
    /// Vertices of a segment.
    pub(super) vertices: NonZeroU32,
    /// The number of the last segment.
    last: u32,
}

impl<W: Weight> DeviceEdges<W> {
    /// The arcs of `graph`, which are fewer than 2^32, or of an undirected graph that is
    /// taken for `pairs`, each edge once; in this order. Adds to `times` what it takes.
    pub(super) fn of(
        gpu: &Gpu,
        kernels: &EdgeKernels,
        graph: &Csr<W>,
        pairs: bool,
        order: EdgeOrder,
        times: &mut DeviceTimes,
    ) -> Result<Self, GpuError> {
        let start = Instant::now();
        let row_offsets = gpu.upload(graph.row_offsets())?;
        let heads = gpu.upload(graph.column_indices())?;
        let weights = gpu.upload(graph.weights())?;
        times.upload_ms += start.elapsed().as_secs_f64() * 1e3;

        let start = Instant::now();
        let tails = kernels.expand_rows(gpu, &row_offsets, heads.len())?;
        drop(row_offsets);
        let arcs = Self { tails, heads, weights };
        let mut positions = match pairs {
            true => Some(kernels.pairs(gpu, &arcs.tails, &arcs.heads)?),
            false => None,
        };
        if let Some(vertices) = order.segment(graph.n_vertices()) {
            let last = (graph.n_vertices() as u32).saturating_sub(1) / vertices;
            let unsorted = match positions {
                Some(positions) => positions,
                None => kernels.all_positions(gpu, arcs.len())?,
            };
            positions = Some(arcs.sorted(gpu, kernels, unsorted, Segments { vertices, last })?);
        }
        let edges = match positions {
            Some(positions) => arcs.at(gpu, kernels, &positions)?,
            None => arcs,
        };
        gpu.synchronize()?;
        times.prepare_ms += start.elapsed().as_secs_f64() * 1e3;
        Ok(edges)
    }

    /// Positions of arcs, ascending, sorted by the segments of heads.
    fn sorted(
        &self,
        gpu: &Gpu,
        kernels: &EdgeKernels,
        mut positions: Buffer<u32>,
        segments: Segments,
    ) -> Result<Buffer<u32>, GpuError> {
        for shift in (0..u32::BITS).step_by(8).take_while(|shift| segments.last >> shift > 0) {
            positions = kernels.sort_by_segment(gpu, &positions, &self.heads, segments, shift)?;
        }
        Ok(positions)
    }

    /// The edges at these positions, all of which there are. Frees each array as soon as
    /// it is copied.
    fn at(
        self,
        gpu: &Gpu,
        kernels: &EdgeKernels,
        positions: &Buffer<u32>,
    ) -> Result<Self, GpuError> {
        let Self { tails, heads, weights } = self;
        let gathered = kernels.gather(gpu, &tails, positions)?;
        drop(tails);
        let tails = gathered;
        let gathered = kernels.gather(gpu, &heads, positions)?;
        drop(heads);
        let heads = gathered;
        let weights = kernels.gather(gpu, &weights, positions)?;
        Ok(Self { tails, heads, weights })
    }
}

impl<W> DeviceEdges<W> {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }
}

#[cfg(test)]
mod tests {
    use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
    use graph_formats::permute::SegmentOrder;
    use graph_formats::{Coo, Direction};
    use paths::zoo::zoo;

    use super::*;
    use crate::cuda::tests::gpu;

    /// The edges as the host makes them.
    fn expected<W: Weight>(graph: &Csr<W>, pairs: bool, order: EdgeOrder) -> Coo<W> {
        let edges = if pairs { graph.undirected_edges().unwrap() } else { graph.to_coo() };
        match order.segment(graph.n_vertices()) {
            None => edges,
            Some(vertices) => {
                SegmentOrder::new(&edges, vertices.get()).unwrap().apply(&edges).unwrap()
            }
        }
    }

    fn agree<W: Weight>(gpu: &Gpu, name: &str, graph: &Csr<W>) {
        let kernels = EdgeKernels::load(gpu).unwrap();
        let segments = [1, 3, 64, 4096]
            .map(|vertices| EdgeOrder::Segments { vertices: NonZeroU32::new(vertices).unwrap() });
        for order in [EdgeOrder::AsStored].into_iter().chain(segments) {
            for pairs in [false, true] {
                if pairs && graph.direction() == Direction::Directed {
                    continue;
                }
                let mut times = DeviceTimes::default();
                let found = DeviceEdges::of(gpu, &kernels, graph, pairs, order, &mut times);
                let found = found.unwrap();
                let expected = expected(graph, pairs, order);
                let case = format!("{name}, {}, {order:?}, pairs: {pairs}", W::KIND);
                assert!(found.tails.download().unwrap() == expected.sources(), "{case}");
                assert!(found.heads.download().unwrap() == expected.destinations(), "{case}");
                assert!(found.weights.download().unwrap() == expected.weights(), "{case}");
            }
        }
    }

    #[test]
    fn edges_are_those_of_the_host() {
        let Some(gpu) = gpu() else { return };
        for (name, graph) in zoo::<u32>() {
            agree(&gpu, name, &graph);
        }
        for (name, graph) in zoo::<f64>() {
            agree(&gpu, name, &graph);
        }
        // 2^17 vertices have segments whose numbers take three passes
        let config = RmatConfig { scale: 17, edge_factor: 4, ..RmatConfig::default() };
        agree(&gpu, "rmat", &rmat(&config).unwrap());
        agree(&gpu, "directed rmat", &Csr::from_coo(&rmat(&config).unwrap().to_coo()));
        let square = grid(&GridConfig { side: 100, ..GridConfig::default() }).unwrap();
        agree(&gpu, "grid", &square.convert_weights::<f64>().unwrap());
    }
}
