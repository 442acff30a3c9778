//! Edge-parallel Bellman-Ford on a GPU: a launch relaxes every edge, until one lowers nothing.
//!
//! The method, and its differences from the article, are in `kernels/sssp/bellman_ford.cu`. This is
//! its host loop: one launch an iteration, after which the CPU reads whether a distance fell. There
//! are eight variants: edges as stored or [sorted by segments](EdgeOrder), distances read [plainly
//! or through the read-only cache](Loads), and written [by an atomic minimum or, as published, in a
//! race](Stores). The language does not allow the read-only cache for data that a kernel writes. So
//! the last iteration reads plainly, and must find nothing.
//!
//! Sums are as wide as the weights. If a sum overflows, or if the n-th iteration still lowers a
//! distance, which proves a negative cycle, there is no result. With negative weights, the CPU
//! checks earlier for such a [cycle](Sums::show_a_cycle). O(n m) work, and O(h m) for shortest paths
//! of at most h arcs. Memory: a distance and two words a vertex, two ends and a weight an edge; while
//! edges are prepared, all arcs, and two words an edge.
//!
//! Reference: origin-segments

use gpu_runtime::{Buffer, Gpu, Kernel, Timer};
use graph_formats::{Csr, Direction, VertexId, Weight};
use search_parts::device::{BellmanFordForm, EdgeTree, Edges, Sums};
use search_parts::{
    DeviceTimes, EDGES_PER_LAUNCH, Kernels, Query, SearchError, Work, a_thread_each, check_size,
    length,
};

use super::edges::DeviceEdges;
use crate::settings::{EdgeOrder, Loads, Stores};

/// Iterations before the first check for a negative cycle; each check doubles the number.
const FIRST_CHECK: u32 = 1 << 8;

/// The solver, with its edges and distances on a device.
pub(crate) struct BellmanFordOnGpu<W: Weight> {
    gpu: Gpu,
    start: Kernel,
    plain: Kernel,
    read_only: Kernel,
    timer: Timer,
    edges: DeviceEdges<W>,
    sums: Sums<W>,
    /// The last iteration that lowered a distance, and the last in which a sum overflowed.
    mark: Buffer<[u32; 2]>,
    loads: Loads,
    stores: Stores,
    /// The arcs that an iteration relaxes.
    n_arcs: u64,
}

impl<W: Weight> BellmanFordOnGpu<W> {
    /// Uploads `graph` and prepares its edges. O(n + m).
    pub(crate) fn new(
        gpu: &Gpu,
        graph: &Csr<W>,
        order: EdgeOrder,
        loads: Loads,
        stores: Stores,
    ) -> Result<Self, SearchError> {
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        check_size(n, m)?;
        let both_ways = graph.direction() == Direction::Undirected;
        let ends = if both_ways { "pairs" } else { "arcs" };
        let race = if stores == Stores::Racing { "_race" } else { "" };
        let mut times = DeviceTimes::default();
        let (([start, plain, read_only], tree), _) = times.apart_from_jit(gpu, || {
            let kernels = Kernels::of(gpu, &kernels::sssp::BELLMAN_FORD, W::KIND)?;
            let kernels = [
                kernels.get("bellman_ford_start")?,
                kernels.get(&format!("bellman_ford_{ends}{race}"))?,
                kernels.get(&format!("bellman_ford_{ends}_ldg{race}"))?,
            ];
            let required = required_bytes::<W>(n, m, both_ways, order);
            gpu.check_fits("the graph, its edges and distances", required)?;
            Ok::<_, SearchError>((kernels, EdgeTree::load(gpu, W::KIND, both_ways, n)?))
        })?;
        let edges = DeviceEdges::of(gpu, graph, both_ways, order, &mut times)?;
        Ok(Self {
            gpu: gpu.clone(),
            start,
            plain,
            read_only,
            timer: gpu.timer()?,
            edges,
            sums: Sums::new(gpu, graph, Some(tree), times)?,
            mark: gpu.buffer(1)?,
            loads,
            stores,
            n_arcs: m as u64,
        })
    }

    /// Iterates until no distance falls. Returns the number of iterations; `None` if there is no
    /// result.
    fn iterate(&mut self, query: &Query<'_, W::Distance>) -> Result<Option<u32>, SearchError> {
        let distances = &self.sums.distances;
        let n_vertices = length(distances);
        let args = [distances.into(), n_vertices.into(), query.source.into()];
        // SAFETY: threads write `distances`, which are of the kernel's type, below its length.
        unsafe { self.gpu.launch(&self.start, a_thread_each(distances.len()), &args)? };
        self.mark.fill_bytes(0)?;
        let mut loads = self.loads;
        for iteration in 1..=u32::MAX {
            let [lowered, dropped] = self.relax_all(iteration, loads)?;
            match (lowered == iteration, loads) {
                (false, Loads::Plain) => return Ok((dropped != iteration).then_some(iteration)),
                (false, Loads::ReadOnly) => loads = Loads::Plain,
                (true, _) if iteration >= n_vertices && self.stores == Stores::Atomic => {
                    return Ok(None);
                }
                (true, _) => loads = self.loads,
            }
            let checks =
                self.sums.negative && iteration >= FIRST_CHECK && iteration.is_power_of_two();
            if checks && self.sums.show_a_cycle()? {
                return Ok(None);
            }
            query.report(iteration.into(), n_vertices.into())?;
        }
        // 2^32 launches would take days
        Ok(None)
    }

    /// Runs one iteration. Returns the mark after it.
    fn relax_all(&mut self, iteration: u32, loads: Loads) -> Result<[u32; 2], SearchError> {
        let Self { gpu, edges, sums, mark, .. } = self;
        let kernel = match loads {
            Loads::Plain => &self.plain,
            Loads::ReadOnly => &self.read_only,
        };
        for first in (0..edges.len()).step_by(EDGES_PER_LAUNCH) {
            let count = EDGES_PER_LAUNCH.min(edges.len() - first);
            let args = [
                (&edges.tails).into(),
                (&edges.heads).into(),
                (&edges.weights).into(),
                (&sums.distances).into(),
                (first as u32).into(),
                (count as u32).into(),
                iteration.into(),
                (&*mark).into(),
            ];
            // SAFETY: threads read `count` edges from `first` on, which exist; the ends of edges
            // are vertices, and `distances` has an element for each, of the kernel's type; `mark`
            // has its two words.
            unsafe { gpu.launch(kernel, a_thread_each(count), &args)? };
        }
        Ok(mark.download()?[0])
    }
}

// SAFETY: these are edges of the graph that `new` takes for both, on one GPU.
unsafe impl<W: Weight> BellmanFordForm<W> for BellmanFordOnGpu<W> {
    fn lower(&mut self, query: &Query<'_, W::Distance>) -> Result<Option<Work>, SearchError> {
        self.timer.start()?;
        let iterations = self.iterate(query)?;
        self.timer.stop()?;
        self.sums.times.solve_ms = self.timer.elapsed_ms()?;
        let m = self.n_arcs;
        let work = |rounds| Work { relaxations: rounds * m, rounds, ..Work::default() };
        Ok(iterations.map(|iterations| work(iterations.into())))
    }

    fn sums(&mut self) -> &mut Sums<W> {
        &mut self.sums
    }

    fn with_edges(&mut self) -> Result<(&mut Sums<W>, Option<Edges<'_, W>>), SearchError> {
        let DeviceEdges { tails, heads, weights } = &self.edges;
        Ok((&mut self.sums, Some(Edges { tails, heads, weights })))
    }
}

/// The peak of device memory for a graph of `n` vertices and `m` arcs, besides a few MB of counts.
/// If both ways are relaxed, edges are half the arcs, self-loops aside.
fn required_bytes<W>(n: usize, m: usize, both_ways: bool, order: EdgeOrder) -> u64 {
    const WORD: usize = size_of::<VertexId>();
    let arc = 2 * WORD + size_of::<W>();
    let n_edges = if both_ways { m / 2 } else { m };
    // the tree's words are allocated at the start
    let tree = n * 2 * WORD;
    let preparing = match (order.segment(n), both_ways) {
        (None, false) => 0,
        // positions twice while they are sorted; or, while weights are gathered by them, positions
        // and edges beside the weights of all arcs
        _ => {
            let weights = (m + n_edges) * size_of::<W>();
            (m * arc + n_edges * 2 * WORD).max(weights + n_edges * 3 * WORD)
        }
    };
    let uploading = m * arc + (n + 1) * size_of::<u64>();
    let searching = n_edges * arc + n * size_of::<W>();
    (tree + uploading.max(preparing).max(searching)) as u64
}
