//! Bellman-Ford on a GPU as products of the graph's matrix with the vector of distances, over the
//! semiring (min, +).
//!
//! d' = min(d, Aᵀ ⊗ d), until no distance falls. Every product reads every arc. The kernels, and
//! the ways to store rows and share them among threads, are in `kernels/sssp/spmv.cu`. A search is
//! one launch. With negative weights it is one launch for each chunk of rounds, which doubles the
//! number of rounds, and in between the CPU checks for a negative [cycle](Sums::show_a_cycle). O(n m)
//! work, and O(h m) for shortest paths of at most h arcs; a barrier a round; a distance a vertex beside the [matrix](super::spmv_matrix).
//!
//! Our copy of the paper ends before its section on this family. So this is reconstructed from the
//! abstract and the introduction, which name products in CSR and ELL, and from Bell and Garland,
//! where these forms come from. Differences from their description: there is one vector in place of
//! two, so that a row reads distances that fell earlier in its round. This saves rounds, and makes
//! their number depend on the race. The balanced form is added. The CPU computes the result if
//! there is a negative cycle or a sum overflows.
//!
//! Reference: origin-four-families, bell-garland-2009, merrill-garland-2016

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu, LaunchConfig};
use graph_formats::{Csr, VertexId, Weight};
use search_parts::device::{BellmanFordForm, Edges, Sums, expanded};
use search_parts::{DeviceTimes, Kernels, Launch, Query, SearchError, Work, check_size};

use super::spmv_matrix::Matrix;
use crate::settings::Layout;

/// Threads of a block, as in `spmv.cu`.
const BLOCK: u32 = 512;
/// Rounds before the first check for a negative cycle; each check doubles the number.
const FIRST_CHECK: u32 = 1 << 8;

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

/// The solver, with its matrix and vector on a device.
pub(crate) struct SpmvOnGpu<W: Weight> {
    launch: Launch,
    matrix: Matrix<W>,
    sums: Sums<W>,
    control: Buffer<SpmvControl>,
    /// The parameters without the source, the address of the shared words, and the rounds.
    spmv: Spmv,
    /// The row of each arc; made for the first tree.
    rows: Option<Buffer<VertexId>>,
}

impl<W: Weight> SpmvOnGpu<W> {
    /// Uploads the matrix of `graph` in the given layout.
    pub(crate) fn new(gpu: &Gpu, graph: &Csr<W>, layout: Layout) -> Result<Self, SearchError> {
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        check_size(n, m)?;
        let lanes = lanes_per_row(n, m);
        let (name, threads) = match layout {
            Layout::CsrScalar => ("spmv_scalar", n as u64),
            Layout::CsrVector => ("spmv_vector", n as u64 * u64::from(lanes)),
            // a warp takes at least 64 rows and arcs
            Layout::CsrBalanced => ("spmv_balanced", (n + m) as u64 / 2),
            Layout::Ell => ("spmv_ell", n as u64),
        };
        let mut times = DeviceTimes::default();
        let (kernel, _) = times.apart_from_jit(gpu, || {
            Ok::<_, SearchError>(Kernels::of(gpu, &kernels::sssp::SPMV, W::KIND)?.get(name)?)
        })?;
        let others = (n * size_of::<W>() + size_of::<SpmvControl>()) as u64;
        let matrix = Matrix::of(gpu, graph, layout, others, &mut times)?;
        let width = if layout == Layout::CsrVector { lanes } else { matrix.width as u32 };
        // a grid barrier allows only resident blocks; blocks without work are useless
        let resident = kernel.occupancy(BLOCK, 0)?.max(1) * gpu.properties().multiprocessors;
        let useful = LaunchConfig::covering(threads, BLOCK).grid.0;
        let launch = Launch::new(gpu, kernel, resident.min(useful), BLOCK)?;
        let (sums, control) = (Sums::new(gpu, graph, None, times)?, gpu.buffer(1)?);
        let spmv = Spmv {
            offsets: matrix.offsets.as_ref().map_or(0, Buffer::address),
            starts: matrix.starts.address(),
            weights: matrix.weights.address(),
            distances: sums.distances.address(),
            control: control.address(),
            n_vertices: n as u32,
            n_arcs: m as u32,
            width,
            ..Spmv::zeroed()
        };
        Ok(Self { launch, matrix, sums, control, spmv, rows: None })
    }

    /// Runs the rounds from `first` to at most `last`. Round 1 initialises the distances from the
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
        // SAFETY: the kernel reads the matrix, whose rows lie in its arcs (or have `width` slots
        // each) and whose arcs begin at vertices. It writes one distance a vertex and the control.
        // All buffers are of the same GPU and of the kernel's type, and the solver has checked the
        // source.
        unsafe { self.launch.queue(&spmv)? };
        let (before, total) = (u64::from(first - 1), u64::from(self.spmv.n_vertices));
        // until the kernel reports, the rounds of earlier launches are done
        let report =
            query.progress.map(|report| move |rounds: u64| report(rounds.max(before), total));
        self.sums.times.solve_ms += self.launch.wait(report)?;
        Ok(self.control.download()?[0])
    }
}

// SAFETY: these are the arcs of the graph that `new` takes for both, on one GPU.
unsafe impl<W: Weight> BellmanFordForm<W> for SpmvOnGpu<W> {
    fn lower(&mut self, query: &Query<'_, W::Distance>) -> Result<Option<Work>, SearchError> {
        let most = self.spmv.n_vertices;
        let mut work = Work::default();
        let mut first = 1;
        let mut last = if self.sums.negative { FIRST_CHECK.min(most) } else { most };
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
            if self.sums.show_a_cycle()? {
                return Ok(None);
            }
            query.report(work.rounds, most.into())?;
            first = last + 1;
            last = last.saturating_mul(2).min(most);
        }
    }

    fn sums(&mut self) -> &mut Sums<W> {
        &mut self.sums
    }

    fn with_edges(&mut self) -> Result<(&mut Sums<W>, Option<Edges<'_, W>>), SearchError> {
        let Matrix { offsets, starts: tails, weights, .. } = &self.matrix;
        // padded rows contain arcs that the graph does not have
        let Some(offsets) = offsets else { return Ok((&mut self.sums, None)) };
        let heads = expanded(&mut self.rows, &self.launch.gpu, offsets, tails.len())?;
        Ok((&mut self.sums, Some(Edges { tails, heads, weights })))
    }
}

/// Lanes that share a row: the least power of two with at most one arc of an average row each; at
/// least two, at most a warp.
fn lanes_per_row(n: usize, m: usize) -> u32 {
    let mean = m.div_ceil(n.max(1));
    mean.clamp(2, 32).next_power_of_two() as u32
}

#[cfg(test)]
test_support::layout_test! {
    Spmv as "Spmv" of ["sssp/spmv/rounds.cuh"]:
        offsets, starts, weights, distances, control, host, n_vertices, n_arcs, source, width,
        first_round, last_round;
    SpmvControl as "Control" of ["sssp/spmv/rounds.cuh"]:
        arrived, stopped, fell, dropped, rounds, has_fallen, has_dropped, padding, improvements;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_follow_the_mean_degree() {
        assert_eq!(lanes_per_row(0, 0), 2);
        assert_eq!([1, 8, 12, 20, 33, 900].map(|m| lanes_per_row(4, m)), [2, 2, 4, 8, 16, 32]);
    }
}
