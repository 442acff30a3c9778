//! Breadth-first search from up to 1,024 sources at once on a GPU: sums over all sources, or a
//! table.
//!
//! The method is in `kernels/sssp/hop_sums.cu`: each vertex has a bit for each source, and a launch
//! searches from as many sources as there are bits. Sums stay on the device until the last batch.
//! For sums, sources are sorted by number: where near vertices have near numbers, as in most road
//! networks, few vertices change at a time.
//!
//! O(s·m/1024) word operations where paths have few arcs. Memory: 256 bytes a vertex for the bits,
//! 16 for up to 64 sources; 50 more, for sums 40 again; 4 an arc. A directed graph is first
//! transposed on the CPU.
//!
//! Differences from the paper: a vertex pulls from its neighbours in every level, since pushing on
//! a GPU needs atomics; and long rows are split.
//!
//! Reference: then-2015

use std::borrow::Cow;
use std::ops::Range;
use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu, GpuError, Ptx};
use graph_formats::{Csr, Direction, VertexId, tell};
use paths::{HopSums, Progress};
use rayon::prelude::*;
use search_parts::device::DeviceArcs;
use search_parts::{
    DeviceTimes, Launch, SearchError, check_size, check_vertices, length, milliseconds,
    two_blocks_each,
};

use super::schedule::Schedule;

static FEW: Ptx = Ptx::new(kernels::sssp::HOP_SUMS_64.name, kernels::sssp::HOP_SUMS_64.ptx);
static MANY: Ptx = Ptx::new(kernels::sssp::HOP_SUMS_1024.name, kernels::sssp::HOP_SUMS_1024.ptx);

/// Cells of the table of one launch, unless a single row has more.
const MAX_CELLS: usize = 1 << 26;

/// `HopBatch` of `hop_sums.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Batch {
    offsets: u64,
    ends: u64,
    order: u64,
    parts: u64,
    sources: u64,
    seen: [u64; 2],
    changed: [u64; 2],
    n_sources: u64,
    greatest: u64,
    sums: u64,
    reciprocals: u64,
    by_hop: u64,
    targets: u64,
    table: u64,
    control: u64,
    host: u64,
    n_vertices: u32,
    n_batch: u32,
    n_long: u32,
    n_parts: u32,
    n_targets: u32,
    n_rows: u32,
}

/// `HopControl` of `hop_sums.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Control {
    arrived: u32,
    stopped: u32,
    changed: [u32; 3],
    levels: u32,
    pairs: [u64; 3],
}

/// The graph and the work space of batches of one width.
pub struct HopSearches {
    /// Bits of a vertex: 64 or 1,024.
    width: usize,
    launch: Launch,
    /// The parameters that are the same for every batch.
    parameters: Batch,
    control: Buffer<Control>,
    /// The other buffers whose addresses `parameters` has.
    _graph: (DeviceArcs, Buffer<VertexId>, Buffer<[u32; 4]>),
    _bits: ([Buffer<u64>; 2], [Buffer<u8>; 2]),
}

impl HopSearches {
    /// The searches in `place`, made if they are not yet for as many as `n_sources` sources: uploads
    /// `graph`, for batches whose width depends on them. O(n log n + m).
    ///
    /// # Errors
    /// Those of [`BreadthFirstOnGpu::new`](super::BreadthFirstOnGpu::new).
    pub fn made<'p>(
        place: &'p mut Option<Self>,
        gpu: &Gpu,
        graph: &Csr<u32>,
        n_sources: usize,
    ) -> Result<&'p mut Self, SearchError> {
        let width = if n_sources <= 64 { 64 } else { 1024 };
        match place.take_if(|made| made.width == width) {
            Some(made) => Ok(place.insert(made)),
            None => Ok(place.insert(Self::new(gpu, graph, width)?)),
        }
    }

    fn new(gpu: &Gpu, graph: &Csr<u32>, width: usize) -> Result<Self, SearchError> {
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        check_size(n, m)?;
        let leading_in = match graph.direction() {
            Direction::Undirected => Cow::Borrowed(graph),
            Direction::Directed => Cow::Owned(graph.transposed()),
        };
        let Schedule { order, n_long, parts } = Schedule::of(&leading_in);
        let words = n * width / 64;
        let lists = size_of_val(&order[..]) + size_of_val(&parts[..]);
        let bits = 2 * (words * size_of::<u64>() + n);
        let bytes = DeviceArcs::bytes(n, m) + (lists + bits) as u64;
        gpu.check_fits("the graph and its searches", bytes)?;
        let ptx = if width == 64 { &FEW } else { &MANY };
        let kernel = gpu.kernel(ptx, &format!("hop_sums_{width}"))?;
        let shape = two_blocks_each(gpu);
        let launch = Launch::new(gpu, kernel, shape.grid.0, shape.block)?;
        let rows = DeviceArcs::upload(gpu, &leading_in)?;
        let (order, parts) = (gpu.upload(&order)?, gpu.upload(&parts)?);
        let seen = [gpu.buffer(words)?, gpu.buffer(words)?];
        let changed = [gpu.buffer(n)?, gpu.buffer(n)?];
        let control = gpu.buffer(1)?;
        let parameters = Batch {
            offsets: rows.offsets.address(),
            ends: rows.ends.address(),
            order: order.address(),
            parts: parts.address(),
            seen: [seen[0].address(), seen[1].address()],
            changed: [changed[0].address(), changed[1].address()],
            control: control.address(),
            n_vertices: n as u32,
            n_rows: length(&order),
            n_long: n_long as u32,
            n_parts: length(&parts),
            ..Batch::zeroed()
        };
        let (_graph, _bits) = ((rows, order, parts), (seen, changed));
        Ok(Self { width, launch, parameters, control, _graph, _bits })
    }

    /// The sums over searches from all of `sources`, each of which has an arc, and the times.
    /// `progress` gets the number of sources done.
    ///
    /// # Errors
    /// [`SearchError::Interrupted`] where the callback ends it, and [`SearchError::Gpu`].
    pub(crate) fn sums(
        &mut self,
        mut sources: Vec<VertexId>,
        progress: Option<Progress<'_>>,
    ) -> Result<(HopSums, DeviceTimes), SearchError> {
        let n = self.parameters.n_vertices as usize;
        check_vertices(n, "source", &sources)?;
        sources.par_sort_unstable();
        let gpu = self.launch.gpu.clone();
        let (n_sources, greatest) = (filled::<u32>(&gpu, n, 0)?, filled::<u32>(&gpu, n, 0)?);
        let (sums, by_hop) = (filled::<u64>(&gpu, n, 0)?, filled::<u64>(&gpu, n, 0)?);
        let reciprocals = filled::<u128>(&gpu, n, 0)?;
        let batch = Batch {
            n_sources: n_sources.address(),
            greatest: greatest.address(),
            sums: sums.address(),
            reciprocals: reciprocals.address(),
            by_hop: by_hop.address(),
            ..self.parameters
        };
        let (n_rows, mut times) = (self.width, DeviceTimes::default());
        for first in (0..sources.len()).step_by(n_rows) {
            let rows = first..sources.len().min(first + n_rows);
            // SAFETY: sums have an element for each vertex, and `by_hop` one for each number of
            // hops, which is less than the number of vertices.
            times.solve_ms += unsafe { self.search(batch, &sources, rows, progress)? };
        }
        let start = Instant::now();
        let greatest = greatest.download()?;
        let n_hops = greatest.par_iter().max().map_or(0, |&most| most as usize + 1);
        let sums = HopSums {
            n_sources: n_sources.download()?,
            sums: sums.download()?,
            greatest,
            reciprocals: reciprocals.download()?,
            by_hop: by_hop.download_range(0..n_hops)?,
        };
        times.download_ms = milliseconds(start);
        Ok((sums, times))
    }

    /// Passes the hops to `targets`, `u32::MAX` where there is no path, to `take`: row by row, some
    /// of `sources` at a time, with the range of their positions. Returns the times on the device.
    ///
    /// # Errors
    /// [`SearchError::Interrupted`] where the callback ends it, and [`SearchError::Gpu`].
    pub fn rows(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        take: &mut dyn FnMut(Range<usize>, &[u32]),
    ) -> Result<DeviceTimes, SearchError> {
        let n_vertices = self.parameters.n_vertices as usize;
        check_vertices(n_vertices, "source", sources)?;
        check_vertices(n_vertices, "target", targets)?;
        let gpu = self.launch.gpu.clone();
        let targets = gpu.upload(targets)?;
        let n_rows = rows_at_once(sources.len(), targets.len()).min(self.width);
        let mut times = DeviceTimes::default();
        for first in (0..sources.len()).step_by(n_rows) {
            let rows = first..sources.len().min(first + n_rows);
            let table = filled::<u32>(&gpu, rows.len() * targets.len(), 0xff)?;
            let batch = Batch {
                targets: targets.address(),
                table: table.address(),
                n_targets: length(&targets),
                ..self.parameters
            };
            // SAFETY: targets are vertices, and the table has a row for each source.
            times.solve_ms += unsafe { self.search(batch, sources, rows.clone(), progress)? };
            let start = Instant::now();
            let levels = table.download()?;
            times.download_ms += milliseconds(start);
            take(rows, &levels);
        }
        Ok(times)
    }

    /// Searches from the sources at `rows`, at most as many as there are bits. Returns the time in
    /// milliseconds.
    ///
    /// # Safety
    /// The results in `batch` must be of the lengths that the kernel requires, on this GPU.
    unsafe fn search(
        &mut self,
        batch: Batch,
        sources: &[VertexId],
        rows: Range<usize>,
        progress: Option<Progress<'_>>,
    ) -> Result<f64, SearchError> {
        let on_device = self.launch.gpu.upload(&sources[rows.clone()])?;
        self.control.fill_bytes(0)?;
        let batch = Batch {
            sources: on_device.address(),
            n_batch: length(&on_device),
            host: self.launch.start(progress.is_some())?,
            ..batch
        };
        // SAFETY: this work space made graph, bits and control; sources are vertices; the
        // caller guarantees the results.
        unsafe { self.launch.queue(&batch)? };
        let total = sources.len() as u64;
        let report = progress.map(|progress| move |_| progress(rows.start as u64, total));
        let ms = self.launch.wait(report)?;
        tell(progress, rows.end as u64, total)?;
        Ok(ms)
    }
}

/// Rows of a table of this size that one launch finds.
pub fn rows_at_once(n_sources: usize, n_targets: usize) -> usize {
    n_sources.min((MAX_CELLS / n_targets.max(1)).max(1))
}

fn filled<T: Pod>(gpu: &Gpu, n: usize, byte: u8) -> Result<Buffer<T>, GpuError> {
    let mut buffer = gpu.buffer(n)?;
    buffer.fill_bytes(byte)?;
    Ok(buffer)
}

#[cfg(test)]
test_support::layout_test! {
    Batch as "HopBatch" of ["sssp/hop_sums.cu"]:
        offsets, ends, order, parts, sources, seen, changed, n_sources, greatest, sums,
        reciprocals, by_hop, targets, table, control, host, n_vertices, n_batch, n_long, n_parts,
        n_targets, n_rows;
    Control as "HopControl" of ["sssp/hop_sums.cu"]:
        arrived, stopped, changed, levels, pairs;
}
