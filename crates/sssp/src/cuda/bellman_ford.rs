//! Edge-parallel Bellman-Ford on a GPU: a launch relaxes every edge, until one lowers
//! nothing.
//!
//! The method, and what differs from the article, stands in `kernels/sssp/bellman_ford.cu`;
//! this is its host loop, one launch an iteration, after which the host reads whether a
//! distance fell. Four variants: edges as stored or [sorted by segments](EdgeOrder), and
//! distances read [plainly or as if nobody wrote them](Reads). The latter is not what the
//! language promises, so there the last iteration reads plainly, and has to find nothing.
//!
//! Sums are as wide as the weights. Where one does not fit, and where the n-th iteration
//! still lowers a distance, which proves a negative cycle, there is no answer here. Where
//! weights are below zero, the host looks for such a [cycle](super::negative_cycle) earlier.
//! O(n m) work, and O(h m) for shortest paths of at most h arcs. Memory: a distance and two
//! words a vertex, two ends and a weight an edge; while edges are prepared, all arcs, and
//! two words an edge.
//!
//! Reference: origin-segments

use std::time::{Duration, Instant};

use gpu_runtime::{Buffer, Gpu, Timer};
use graph_formats::{Csr, Direction, VertexId, Weight};

use super::edge_kernels::{EDGES_A_LAUNCH, EdgeKernels, RelaxKernels};
use super::edge_predecessors::EdgeTree;
use super::negative_cycle::lowers_itself;
use super::prepare::DeviceEdges;
use super::{check_size, typed_distances};
use crate::engine::Found;
use crate::{Config, DeviceTimes, EdgeOrder, Progress, Reads, SsspError, Work};

/// Iterations before the first look for a negative cycle; each later one is after twice as
/// many.
const FIRST_LOOK: u32 = 1 << 8;

/// The solver with its edges and distances on a device.
pub(crate) struct BellmanFordOnGpu<'g, W: Weight> {
    pub(super) graph: &'g Csr<W>,
    /// Whether to look for negative cycles.
    negative: bool,
    gpu: Gpu,
    kernels: RelaxKernels,
    timer: Timer,
    edges: DeviceEdges<W>,
    distances: Buffer<W>,
    tree: EdgeTree,
    /// The source whose distances the device holds.
    pub(super) searched: Option<VertexId>,
    /// The last iteration that lowered a distance, and the last that dropped a sum.
    mark: Buffer<[u32; 2]>,
    reads: Reads,
    times: DeviceTimes,
}

impl<'g, W: Weight> BellmanFordOnGpu<'g, W> {
    /// Uploads `graph`, whose weights may be below zero where `negative`, and prepares its
    /// edges. O(n + m).
    pub(crate) fn new(
        gpu: &Gpu,
        graph: &'g Csr<W>,
        negative: bool,
        config: &Config,
    ) -> Result<Self, SsspError> {
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        check_size(n, m)?;
        let both_ways = graph.direction() == Direction::Undirected;
        let jit_before = gpu.jit_ms();
        let kernels = RelaxKernels::load::<W>(gpu, both_ways)?;
        let edge_kernels = EdgeKernels::load(gpu)?;
        let required = required_bytes::<W>(n, m, both_ways, config.edge_order);
        gpu.check_fits("the graph, its edges and distances", required)?;
        let tree = EdgeTree::load::<W>(gpu, both_ways, n)?;
        let mut times = DeviceTimes { jit_ms: gpu.jit_ms() - jit_before, ..Default::default() };
        let order = config.edge_order;
        let edges = DeviceEdges::of(gpu, &edge_kernels, graph, both_ways, order, &mut times)?;
        Ok(Self {
            graph,
            negative,
            gpu: gpu.clone(),
            kernels,
            timer: gpu.timer()?,
            edges,
            distances: gpu.buffer(n)?,
            tree,
            searched: None,
            mark: gpu.buffer(1)?,
            reads: config.reads,
            times,
        })
    }

    /// The distances of all vertices from `source`, which there is; `None` where a
    /// negative cycle can be reached or a distance may not fit.
    pub(crate) fn solve(
        &mut self,
        source: VertexId,
        progress: Option<Progress<'_>>,
    ) -> Result<Option<Found<W>>, SsspError> {
        self.searched = None;
        self.times = DeviceTimes { solve_ms: 0.0, download_ms: 0.0, ..self.times };
        self.timer.start()?;
        let iterations = self.iterate(source, progress)?;
        self.timer.stop()?;
        self.times.solve_ms = self.timer.elapsed_ms()?;
        let Some(iterations) = iterations else { return Ok(None) };
        let start = Instant::now();
        let distances = typed_distances::download(&self.distances)?;
        self.times.download_ms = start.elapsed().as_secs_f64() * 1e3;
        self.searched = Some(source);
        let rounds = u64::from(iterations);
        let relaxations = rounds * self.graph.n_arcs() as u64;
        let work = Work { relaxations, rounds, ..Work::default() };
        Ok(Some((distances, work)))
    }

    /// Iterates until nothing falls; how often that was.
    fn iterate(
        &mut self,
        source: VertexId,
        progress: Option<Progress<'_>>,
    ) -> Result<Option<u32>, SsspError> {
        let n_vertices = self.distances.len() as u32;
        self.kernels.start(&self.gpu, &mut self.distances, source)?;
        self.mark.fill_bytes(0)?;
        let mut reads = self.reads;
        for iteration in 1.. {
            let [lowered, dropped] = self.relax_all(iteration, reads)?;
            match (lowered == iteration, reads) {
                (false, Reads::Plain) => return Ok((dropped != iteration).then_some(iteration)),
                (false, Reads::ReadOnly) => reads = Reads::Plain,
                (true, _) if iteration >= n_vertices => return Ok(None),
                (true, _) => reads = self.reads,
            }
            let look = self.negative && iteration >= FIRST_LOOK && iteration.is_power_of_two();
            if look && lowers_itself(self.graph, &typed_distances::download(&self.distances)?) {
                return Ok(None);
            }
            let (done, total) = (u64::from(iteration), u64::from(n_vertices));
            if progress.is_some_and(|tell| tell(done, total).is_break()) {
                return Err(SsspError::Interrupted);
            }
        }
        unreachable!("there are fewer vertices than numbers of iterations")
    }

    /// One iteration; the mark after it.
    fn relax_all(&mut self, iteration: u32, reads: Reads) -> Result<[u32; 2], SsspError> {
        let Self { gpu, kernels, edges, distances, mark, .. } = self;
        for first in (0..edges.len()).step_by(EDGES_A_LAUNCH) {
            let count = EDGES_A_LAUNCH;
            kernels.relax(gpu, edges, first, count, distances, iteration, mark, reads)?;
        }
        Ok(mark.download()?[0])
    }

    /// The predecessors that belong to the distances of the last search, which was from
    /// `source`; `None` where that would take too many launches.
    pub(crate) fn predecessors(
        &mut self,
        source: VertexId,
    ) -> Result<Option<Vec<VertexId>>, SsspError> {
        let Self { gpu, edges, distances, tree, negative, .. } = self;
        Ok(tree.predecessors(gpu, edges, distances, source, *negative)?)
    }

    pub(crate) fn times(&self) -> DeviceTimes {
        self.times
    }

    /// Counts what the CPU has done in the device's place as part of the search.
    pub(crate) fn add_solve_time(&mut self, time: Duration) {
        self.times.solve_ms += time.as_secs_f64() * 1e3;
    }
}

/// The most that is taken at once for a graph of `n` vertices and `m` arcs, but for a few
/// MB of counts. Where both ways are relaxed, edges are half the arcs, self-loops aside.
fn required_bytes<W>(n: usize, m: usize, both_ways: bool, order: EdgeOrder) -> u64 {
    const WORD: usize = size_of::<VertexId>();
    let arc = 2 * WORD + size_of::<W>();
    let n_edges = if both_ways { m / 2 } else { m };
    // the predecessors' words are there from the first
    let tree = n * 2 * WORD;
    let preparing = match (order.segment(n), both_ways) {
        (None, false) => 0,
        // positions twice while they are sorted; or, while weights are gathered by them,
        // those and all that comes of it, beside the weights of all arcs
        _ => {
            let weights = (m + n_edges) * size_of::<W>();
            (m * arc + n_edges * 2 * WORD).max(weights + n_edges * 3 * WORD)
        }
    };
    let uploading = m * arc + (n + 1) * size_of::<u64>();
    let searching = n_edges * arc + n * size_of::<W>();
    (tree + uploading.max(preparing).max(searching)) as u64
}
