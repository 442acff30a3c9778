//! Bellman-Ford on a GPU as products of the graph's matrix with the vector of distances,
//! where the least takes the place of the sum and the sum that of the product.
//!
//! d' = min(d, Aᵀ ⊗ d), until nothing falls. Every product looks at every arc; the kernels,
//! and the forms in which rows are stored and shared among threads, stand in
//! `kernels/sssp/spmv.cu`. A search is one launch. Where weights are below zero it is one for
//! each chunk of rounds, the next twice as long, and in between the host looks for a negative
//! [cycle](search_parts::device::lowers_itself). O(n m) work, and O(h m) for shortest paths of at most h
//! arcs; a barrier a round; a distance a vertex beside the [matrix](super::spmv_matrix).
//!
//! Our copy of the paper breaks off before its section on this family. So this is
//! reconstructed from the abstract and the introduction, which name products in CSR and ELL,
//! and from Bell and Garland, where these forms come from. What differs from what they say:
//! one vector in place of two, so that a row sees what fell earlier in its round, which saves
//! rounds, and makes their number depend on the race; the balanced form; an answer where
//! there is a negative cycle or a sum does not fit, which is the CPU's.
//!
//! Reference: origin-four-families, bell-garland-2009, merrill-garland-2016

use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu, LaunchConfig};
use graph_formats::{Csr, VertexId, Weight};
use kernels::sssp::{SPMV_F32, SPMV_F64, SPMV_I32, SPMV_U32};
use paths::Predecessors;
use search_parts::device::{Answer, DeviceSearch, RowTree, Searched, lowers_itself, no_answer};
use search_parts::{Kernels, Launch, Query, check_size, milliseconds};

use super::spmv_matrix::Matrix;
use crate::settings::Layout;
use search_parts::device;
use search_parts::{DeviceTimes, SearchError, Work};

/// Threads of a block: what the source says.
const BLOCK: u32 = 512;
/// Rounds before the first look for a negative cycle; each later look is after twice as many.
const FIRST_LOOK: u32 = 1 << 8;

/// `Control` of `spmv/rounds.cuh`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct SpmvControl {
    arrived: u32,
    stopped: u32,
    fell: [u32; 3],
    dropped: [u32; 3],
    rounds: u32,
    has_fallen: u32,
    has_dropped: u32,
    padding: u32,
    improvements: u64,
}

/// `Spmv` of `spmv/rounds.cuh`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Spmv {
    offsets: u64,
    starts: u64,
    weights: u64,
    distances: u64,
    control: u64,
    host: u64,
    n_vertices: u32,
    n_arcs: u32,
    source: VertexId,
    width: u32,
    first_round: u32,
    last_round: u32,
}

/// The solver with its matrix and vector on a device.
pub(crate) struct SpmvOnGpu<'g, W: Weight> {
    graph: &'g Csr<W>,
    /// Whether to look for negative cycles.
    negative: bool,
    launch: Launch,
    matrix: Matrix<W>,
    distances: Buffer<W>,
    control: Buffer<SpmvControl>,
    /// All but the source, the host's words and the rounds.
    spmv: Spmv,
    /// Made when the first tree is asked for.
    tree: Option<RowTree>,
    times: DeviceTimes,
}

impl<'g, W: Weight> SpmvOnGpu<'g, W> {
    /// Uploads the matrix of `graph`, whose weights may be below zero where `negative`, as
    /// `layout` has it.
    pub(crate) fn new(gpu: &Gpu, graph: &'g Csr<W>, layout: Layout) -> Result<Self, SearchError> {
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        check_size(n, m)?;
        let negative = graph.first_negative().is_some();
        let jit_before = gpu.jit_ms();
        let kernels = Kernels::of(gpu, &[SPMV_U32, SPMV_I32, SPMV_F32, SPMV_F64], W::KIND)?;
        let kernel = kernels.get(match layout {
            Layout::CsrScalar => "spmv_scalar",
            Layout::CsrVector => "spmv_vector",
            Layout::CsrBalanced => "spmv_balanced",
            Layout::Ell => "spmv_ell",
        })?;
        let mut times = DeviceTimes { jit_ms: gpu.jit_ms() - jit_before, ..Default::default() };
        let others = (n * size_of::<W>() + size_of::<SpmvControl>()) as u64;
        let matrix = Matrix::of(gpu, graph, layout, others, &mut times)?;
        let width = match layout {
            Layout::CsrVector => lanes_a_row(n, m),
            _ => matrix.width as u32,
        };
        let threads = match layout {
            Layout::CsrScalar | Layout::Ell => n as u64,
            Layout::CsrVector => n as u64 * u64::from(width),
            // a warp takes 64 rows and arcs at least
            Layout::CsrBalanced => (n + m) as u64 / 2,
        };
        // blocks wait for one another: no more than are resident at once, nor than have work
        let resident = kernel.occupancy(BLOCK, 0)?.max(1) * gpu.properties().multiprocessors;
        let useful = LaunchConfig::covering(threads, BLOCK).grid.0;
        let launch = Launch::new(gpu, kernel, resident.min(useful), BLOCK)?;
        let (distances, control) = (gpu.buffer(n)?, gpu.buffer(1)?);
        let spmv = Spmv {
            offsets: matrix.offsets.as_ref().map_or(0, Buffer::address),
            starts: matrix.starts.address(),
            weights: matrix.weights.address(),
            distances: distances.address(),
            control: control.address(),
            n_vertices: n as u32,
            n_arcs: m as u32,
            width,
            ..Spmv::zeroed()
        };
        Ok(Self { graph, negative, launch, matrix, distances, control, spmv, tree: None, times })
    }

    /// Rounds until nothing falls, and what they did; `None` where there is no answer.
    fn iterate(&mut self, query: &Query<'_, W::Distance>) -> Result<Option<Work>, SearchError> {
        let most = self.spmv.n_vertices;
        let mut work = Work::default();
        let mut first = 1;
        let mut last = if self.negative { FIRST_LOOK.min(most) } else { most };
        loop {
            let control = self.rounds(query, first, last)?;
            work.rounds = u64::from(control.rounds);
            work.relaxations = work.rounds * self.matrix.slots();
            work.improvements += control.improvements;
            if control.has_fallen == 0 {
                return Ok((control.has_dropped == 0).then_some(work));
            }
            if last == most {
                return Ok(None);
            }
            let start = Instant::now();
            let falls_for_ever = lowers_itself(self.graph, &device::download(&self.distances)?);
            self.times.solve_ms += milliseconds(start);
            if falls_for_ever {
                return Ok(None);
            }
            query.report(work.rounds, most.into())?;
            first = last + 1;
            last = last.saturating_mul(2).min(most);
        }
    }

    /// The rounds from `first` to at most `last`, of which the first of all starts from the
    /// source.
    fn rounds(
        &mut self,
        query: &Query<'_, W::Distance>,
        first: u32,
        last: u32,
    ) -> Result<SpmvControl, SearchError> {
        self.control.fill_bytes(0)?;
        let host = self.launch.start(query.progress.is_some())?;
        let source = query.source;
        let spmv = Spmv { source, host, first_round: first, last_round: last, ..self.spmv };
        // SAFETY: the kernel reads the matrix, whose rows lie in its arcs (or have `width`
        // slots each) and whose arcs begin at vertices, and writes one distance a vertex and
        // the control; all of it is of the same GPU and of the kernel's type, and the solver
        // has checked the source.
        unsafe { self.launch.queue(&spmv)? };
        let (before, total) = (u64::from(first - 1), u64::from(self.spmv.n_vertices));
        // until the kernel has told, the rounds of earlier launches are what is done
        let tell = query.progress.map(|tell| move |rounds: u64| tell(rounds.max(before), total));
        self.times.solve_ms += self.launch.wait(tell)?;
        Ok(self.control.download()?[0])
    }
}

impl<W: Weight> DeviceSearch<W> for SpmvOnGpu<'_, W> {
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SearchError> {
        self.times = self.times.without_search();
        let Some(work) = self.iterate(query)? else { return Err(no_answer()) };
        let start = Instant::now();
        let distances = device::download(&self.distances)?;
        self.times.download_ms = milliseconds(start);
        Ok((distances, work))
    }

    fn predecessors(
        &mut self,
        source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SearchError> {
        let (gpu, Matrix { offsets, starts, weights, .. }) = (&self.launch.gpu, &self.matrix);
        // padded rows have arcs that the graph has not
        let Some(offsets) = offsets else { return Ok(None) };
        let RowTree { tree, rows } =
            RowTree::made(&mut self.tree, gpu, W::KIND, offsets, starts.len())?;
        let (distances, negative) = (&self.distances, self.negative);
        let searched = Searched { tails: starts, heads: rows, weights, distances, negative };
        let found = tree.predecessors(gpu, searched, source, limit)?;
        Ok(found.map(Predecessors::from_storage))
    }

    fn times(&self) -> DeviceTimes {
        self.times
    }
}

/// Lanes that share a row of an average graph's: the fewest, a power of two, that have no
/// more than an arc each; two at least, and at most a warp.
fn lanes_a_row(n: usize, m: usize) -> u32 {
    let mean = m.div_ceil(n.max(1));
    mean.clamp(2, 32).next_power_of_two() as u32
}

#[cfg(test)]
mod tests {
    use test_support::assert_same_layout;

    use super::*;

    #[test]
    fn structures_are_as_the_kernel_has_them() {
        assert_same_layout! { Spmv as "Spmv" of ["sssp/spmv/rounds.cuh"]:
            offsets, starts, weights, distances, control, host, n_vertices, n_arcs, source,
            width, first_round, last_round
        }
        assert_same_layout! { SpmvControl as "Control" of ["sssp/spmv/rounds.cuh"]:
            arrived, stopped, fell, dropped, rounds, has_fallen, has_dropped, padding,
            improvements
        }
    }

    #[test]
    fn lanes_follow_the_mean_degree() {
        assert_eq!(lanes_a_row(0, 0), 2);
        assert_eq!([1, 8, 12, 20, 33, 900].map(|m| lanes_a_row(4, m)), [2, 2, 4, 8, 16, 32]);
    }
}
