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
use std::ops::{ControlFlow, Range};
use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu, GpuError, Ptx};
use graph_formats::{Csr, Direction, VertexId};
use paths::{HopSums, Progress};
use rayon::prelude::*;
use search_parts::device::DeviceArcs;
use search_parts::{
    DeviceTimes, Launch, SearchError, check_size, check_vertices, milliseconds, two_blocks_each,
};

use super::schedule::Schedule;

static FEW: Ptx = Ptx::new(kernels::sssp::HOP_SUMS_64.name, kernels::sssp::HOP_SUMS_64.ptx);
static MANY: Ptx = Ptx::new(kernels::sssp::HOP_SUMS_1024.name, kernels::sssp::HOP_SUMS_1024.ptx);

/// Bits of a vertex.
#[derive(Clone, Copy, PartialEq)]
enum Width {
    Few = 64,
    Many = 1024,
}

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
    width: Width,
    launch: Launch,
    rows: DeviceArcs,
    n_long: u32,
    order: Buffer<VertexId>,
    parts: Buffer<[u32; 4]>,
    seen: [Buffer<u64>; 2],
    changed: [Buffer<u8>; 2],
    control: Buffer<Control>,
}

impl HopSearches {
    /// Uploads `graph` for `n_sources` sources; the width of a batch depends on them.
    /// O(n log n + m).
    ///
    /// # Errors
    /// Those of [`BreadthFirstOnGpu::new`](super::BreadthFirstOnGpu::new).
    pub fn new(gpu: &Gpu, graph: &Csr<u32>, n_sources: usize) -> Result<Self, SearchError> {
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        check_size(n, m)?;
        let leading_in = match graph.direction() {
            Direction::Undirected => Cow::Borrowed(graph),
            Direction::Directed => Cow::Owned(graph.transposed()),
        };
        let Schedule { order, n_long, parts } = Schedule::of(&leading_in);
        let width = width_for(n_sources);
        let words = n * width as usize / 64;
        let lists = size_of_val(&order[..]) + size_of_val(&parts[..]);
        let bits = 2 * (words * size_of::<u64>() + n);
        gpu.check_fits(
            "the graph and its searches",
            DeviceArcs::bytes(n, m) + (lists + bits) as u64,
        )?;
        let (ptx, name) = match width {
            Width::Few => (&FEW, "hop_sums_64"),
            Width::Many => (&MANY, "hop_sums_1024"),
        };
        let shape = two_blocks_each(gpu);
        let launch = Launch::new(gpu, gpu.kernel(ptx, name)?, shape.grid.0, shape.block)?;
        Ok(Self {
            width,
            launch,
            rows: DeviceArcs::upload(gpu, &leading_in)?,
            n_long: n_long as u32,
            order: gpu.upload(&order)?,
            parts: gpu.upload(&parts)?,
            seen: [gpu.buffer(words)?, gpu.buffer(words)?],
            changed: [gpu.buffer(n)?, gpu.buffer(n)?],
            control: gpu.buffer(1)?,
        })
    }

    /// Whether the width is the one for `n_sources`.
    pub fn is_for(&self, n_sources: usize) -> bool {
        self.width == width_for(n_sources)
    }

    /// The sums over searches from all of `sources`, each of which has an arc, and the times.
    /// `progress` gets the number of sources done.
    ///
    /// # Errors
    /// [`SearchError::Interrupted`] where the callback ends it, and [`SearchError::Gpu`].
    pub fn sums(
        &mut self,
        mut sources: Vec<VertexId>,
        progress: Option<Progress<'_>>,
    ) -> Result<(HopSums, DeviceTimes), SearchError> {
        let n = self.n_vertices();
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
            ..self.batch()
        };
        let mut times = DeviceTimes::default();
        let mut done = 0;
        for part in sources.chunks(self.width as usize) {
            let report = report_batch(progress, done, sources.len());
            // SAFETY: sums have an element for each vertex, and `by_hop` one for each number of
            // hops, which is less than the number of vertices.
            times.solve_ms += unsafe { self.search(batch, part, report)? };
            done += part.len();
        }
        report_end(progress, done)?;
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
        check_vertices(self.n_vertices(), "source", sources)?;
        check_vertices(self.n_vertices(), "target", targets)?;
        let gpu = self.launch.gpu.clone();
        let targets = gpu.upload(targets)?;
        let n_rows = rows_at_once(sources.len(), targets.len()).min(self.width as usize);
        let mut times = DeviceTimes::default();
        for first in (0..sources.len()).step_by(n_rows) {
            let rows = first..(first + n_rows).min(sources.len());
            let table = filled::<u32>(&gpu, rows.len() * targets.len(), 0xff)?;
            let batch = Batch {
                targets: targets.address(),
                table: table.address(),
                n_targets: targets.len() as u32,
                ..self.batch()
            };
            let report = report_batch(progress, first, sources.len());
            // SAFETY: targets are vertices, and the table has a row for each source.
            times.solve_ms += unsafe { self.search(batch, &sources[rows.clone()], report)? };
            let start = Instant::now();
            let levels = table.download()?;
            times.download_ms += milliseconds(start);
            take(rows, &levels);
        }
        report_end(progress, sources.len())?;
        Ok(times)
    }

    fn n_vertices(&self) -> usize {
        self.rows.offsets.len() - 1
    }

    /// The part of the parameters that all batches share.
    fn batch(&self) -> Batch {
        Batch {
            offsets: self.rows.offsets.address(),
            ends: self.rows.ends.address(),
            order: self.order.address(),
            parts: self.parts.address(),
            seen: [self.seen[0].address(), self.seen[1].address()],
            changed: [self.changed[0].address(), self.changed[1].address()],
            control: self.control.address(),
            n_vertices: self.n_vertices() as u32,
            n_rows: self.order.len() as u32,
            n_long: self.n_long,
            n_parts: self.parts.len() as u32,
            ..Batch::zeroed()
        }
    }

    /// Searches from `sources`, at most as many as there are bits. Returns the time in
    /// milliseconds.
    ///
    /// # Safety
    /// The results in `batch` must be of the lengths that the kernel requires, on this GPU.
    unsafe fn search(
        &mut self,
        batch: Batch,
        sources: &[VertexId],
        report: Option<impl Fn(u64) -> ControlFlow<()>>,
    ) -> Result<f64, SearchError> {
        let on_device = self.launch.gpu.upload(sources)?;
        self.control.fill_bytes(0)?;
        let batch = Batch {
            sources: on_device.address(),
            n_batch: sources.len() as u32,
            host: self.launch.start(report.is_some())?,
            ..batch
        };
        // SAFETY: this work space made graph, bits and control; sources are vertices; the
        // caller guarantees the results.
        unsafe { self.launch.queue(&batch)? };
        self.launch.wait(report)
    }
}

/// The callback of a batch that starts when `done` of `total` sources are done.
fn report_batch(
    progress: Option<Progress<'_>>,
    done: usize,
    total: usize,
) -> Option<impl Fn(u64) -> ControlFlow<()>> {
    progress.map(|progress| move |_| progress(done as u64, total as u64))
}

/// Reports that all are done.
fn report_end(progress: Option<Progress<'_>>, total: usize) -> Result<(), SearchError> {
    match progress {
        Some(progress) if progress(total as u64, total as u64).is_break() => {
            Err(SearchError::Interrupted)
        }
        _ => Ok(()),
    }
}

/// Rows of a table of this size that one launch finds.
pub fn rows_at_once(n_sources: usize, n_targets: usize) -> usize {
    n_sources.min((MAX_CELLS / n_targets.max(1)).max(1))
}

fn width_for(n_sources: usize) -> Width {
    if n_sources <= Width::Few as usize { Width::Few } else { Width::Many }
}

fn filled<T: Pod>(gpu: &Gpu, n: usize, byte: u8) -> Result<Buffer<T>, GpuError> {
    let mut buffer = gpu.buffer(n)?;
    buffer.fill_bytes(byte)?;
    Ok(buffer)
}

#[cfg(test)]
mod tests {
    use test_support::assert_same_layout;

    use super::*;

    #[test]
    fn structures_are_as_the_kernel_has_them() {
        assert_same_layout! { Batch as "HopBatch" of ["sssp/hop_sums.cu"]:
            offsets, ends, order, parts, sources, seen, changed, n_sources, greatest, sums,
            reciprocals, by_hop, targets, table, control, host, n_vertices, n_batch, n_long,
            n_parts, n_targets, n_rows
        }
        assert_same_layout! { Control as "HopControl" of ["sssp/hop_sums.cu"]:
            arrived, stopped, changed, levels, pairs
        }
    }
}
