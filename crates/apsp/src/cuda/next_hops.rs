//! Next hops on GPUs, from the distances that these hold or that pass through them.
//!
//! One pass finds the hops of all pairs in graphs whose weights are positive. Pairs behind arcs
//! that add nothing are placed level by level, in passes over what is left; so are all pairs in
//! graphs with negative arcs. `kernels/apsp/next_hops.cu` has the rule, which is that of
//! `host/next_hops.rs`. Hops to a vertex follow from its column alone. One GPU with the whole
//! matrix and room for the hops finds all at once. Else strips of columns are brought together,
//! from the rows that GPUs have or from the host, and each GPU takes one at a time. O(a) a pass for
//! each column, of a arcs that begin a shortest path.
//!
//! Reference: floyd-1962, origin-out-of-core

use std::ops::Range;
use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig, PinnedBuffer, Rectangle};
use graph_formats::{Csr, VertexId, Weight, parallel, tell};
use ndarray::{Array2, Axis};
use paths::{HopStorage, NextHops};
use sssp::Progress;

use super::arcs::DeviceArcs;
use super::arithmetic::Kernels;
use super::cut::Cut;
use super::floyd_warshall::GpuShare;
use super::tile::Tile;
use crate::host::next_hops::Hop;
use crate::pairs::milliseconds;
use crate::{ApspError, Report};

/// Rows of hops that are copied to the host at a time.
const ROWS_AT_A_TIME: usize = 64;
/// Columns of a block of threads, and of a strip at most.
pub(super) const COLUMNS: usize = 1024;
/// Columns of a strip if memory is short.
const FEWER_COLUMNS: [usize; 2] = [512, 256];

/// Whether a hop has a spare bit, by which levels mark hops.
fn has_spare_bit<H>(n_vertices: usize) -> bool {
    (n_vertices as u64) < 1 << (u8::BITS as usize * size_of::<H>() - 1)
}

/// Copies the hops of `n` vertices to the host, from rows of `side`.
pub(super) fn copied(
    hops: &Buffer<VertexId>,
    side: usize,
    n: usize,
) -> Result<HopStorage, GpuError> {
    Ok(match NextHops::is_narrow(n) {
        true => HopStorage::Narrow(copied_as(hops, side, n)?),
        false => HopStorage::Wide(copied_as(hops, side, n)?),
    })
}

fn copied_as<H: Hop>(
    hops: &Buffer<VertexId>,
    side: usize,
    n: usize,
) -> Result<Array2<H>, GpuError> {
    let mut copy = Array2::from_elem((n, n), H::NONE);
    let parts = copy.axis_chunks_iter_mut(Axis(0), ROWS_AT_A_TIME);
    for (mut part, first) in parts.zip((0..n).step_by(ROWS_AT_A_TIME)) {
        let hops = hops.download_range(first * side..(first + part.nrows()) * side)?;
        for (mut row, hops) in part.rows_mut().into_iter().zip(hops.chunks(side)) {
            // none is the greatest number of either type
            row.iter_mut().zip(hops).for_each(|(cell, &hop)| *cell = H::of(hop));
        }
    }
    Ok(copy)
}

/// `Graph` of the kernels.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Graph {
    offsets: u64,
    ends: u64,
    weights: u64,
    first: u32,
    n_columns: u32,
    by_levels: u32,
    padding: u32,
}

/// The place of the closed matrix: on the GPUs that have its blocks, or on the host.
#[derive(Clone, Copy)]
pub(super) enum Closed<'a> {
    OnGpus(&'a [GpuShare]),
    Passing(&'a PinnedBuffer<u32>),
}

/// The input of the search for hops.
pub(super) struct Finder<'a> {
    pub(super) gpus: &'a [Gpu],
    pub(super) kernels: Vec<&'a Kernels>,
    pub(super) closed: Closed<'a>,
    pub(super) cut: Cut,
    /// Whether an arc is negative.
    pub(super) by_levels: bool,
}

/// A GPU with its buffers for a strip.
struct Device<'a, H> {
    gpu: &'a Gpu,
    kernels: &'a Kernels,
    arcs: DeviceArcs,
    /// The distances of the strip, if the GPU does not have them already.
    distances: Option<Buffer<u32>>,
    hops: Buffer<H>,
    /// The numbers of pairs without a hop after a pass, and of pairs that the pass gave one.
    counts: Buffer<u64>,
}

impl Finder<'_> {
    /// The hops, from the arcs that begin a shortest path, of which no sum
    /// [rounds](crate::host::useful_arcs::rounds). `None` if a GPU has no memory for a strip, or if
    /// levels are needed for too many vertices.
    pub(super) fn find<W: Weight>(
        &self,
        useful: &Csr<W>,
        report: &mut Report,
        progress: Option<Progress<'_>>,
    ) -> Result<Option<HopStorage>, ApspError> {
        let (start, downloads) = (Instant::now(), report.download_ms);
        report.hop_strips = 0;
        let (n, arithmetic) = (useful.n_vertices(), self.cut.arithmetic);
        let bytes = DeviceArcs::bytes(useful, arithmetic);
        let upload = |gpu: &Gpu| DeviceArcs::of(gpu, useful, arithmetic);
        let found = match NextHops::is_narrow(n) {
            true => self.fill::<u16>(n, bytes, &upload, report, progress)?.map(HopStorage::Narrow),
            false => self.fill::<u32>(n, bytes, &upload, report, progress)?.map(HopStorage::Wide),
        };
        report.next_hops_ms += milliseconds(start) - (report.download_ms - downloads);
        Ok(found)
    }

    /// Finds the hops from the arcs of `n` vertices, which `upload` copies to a GPU and which take
    /// `bytes_of_arcs` bytes there.
    fn fill<H: Hop + Pod>(
        &self,
        n: usize,
        bytes_of_arcs: u64,
        upload: &dyn Fn(&Gpu) -> Result<Option<DeviceArcs>, GpuError>,
        report: &mut Report,
        progress: Option<Progress<'_>>,
    ) -> Result<Option<Array2<H>>, ApspError> {
        let Some(width) = self.width::<H>(n, bytes_of_arcs)? else { return Ok(None) };
        let mut devices = Vec::new();
        for (gpu, &kernels) in self.gpus.iter().zip(&self.kernels) {
            let Some(arcs) = upload(gpu)? else { return Ok(None) };
            let stride = self.cut.arithmetic.stride(width.min(self.cut.side()));
            devices.push(Device {
                gpu,
                kernels,
                arcs,
                distances: if self.lies_there() { None } else { Some(gpu.buffer(n * stride)?) },
                hops: gpu.buffer::<H>(n * width.min(n))?,
                counts: gpu.buffer(2)?,
            });
        }
        // all entries are written; the system gives the memory when they are
        let mut hops = if width < n { vec![H::zeroed(); n * n] } else { Vec::new() };
        let strips: Vec<_> = (0..n).step_by(width).map(|v| v..(v + width).min(n)).collect();
        report.hop_strips = strips.len() as u64;
        for strips in strips.chunks(devices.len()) {
            tell(progress, strips[0].start as u64, n as u64)?;
            for (device, columns) in devices.iter_mut().zip(strips) {
                self.load(device, columns, width)?;
                device.hops.fill_bytes(0xff)?;
                let place = Place::of(&self.tile(device, columns, width));
                device.start_pass(place, columns, self.by_levels)?;
            }
            for (device, columns) in devices.iter_mut().zip(strips) {
                let place = Place::of(&self.tile(device, columns, width));
                if !device.finish(place, columns, self.by_levels)? {
                    report.hop_strips = 0;
                    return Ok(None);
                }
                let start = Instant::now();
                let found = device.hops.download_range(0..n * columns.len())?;
                if columns.len() == n {
                    hops = found;
                } else {
                    let rows = hops.chunks_mut(n).zip(found.chunks(columns.len()));
                    parallel::for_each_of(rows, &|(row, found)| {
                        row[columns.clone()].copy_from_slice(found);
                    });
                }
                report.download_ms += milliseconds(start);
            }
        }
        Ok(Some(Array2::from_shape_vec((n, n), hops).expect("n² hops")))
    }

    /// Whether one GPU has the whole matrix.
    fn lies_there(&self) -> bool {
        matches!(self.closed, Closed::OnGpus([_]))
    }

    /// Columns of a strip: all, if the GPU has the whole matrix and memory for the hops.
    fn width<H: Hop>(&self, n: usize, bytes_of_arcs: u64) -> Result<Option<usize>, GpuError> {
        if self.by_levels && !has_spare_bit::<H>(n) {
            return Ok(None);
        }
        let available = self.gpus.iter().map(Gpu::available_bytes);
        let available = available.collect::<Result<Vec<_>, _>>()?;
        let available = available.into_iter().min().unwrap_or_default();
        let bytes = |width: usize| {
            let words = if self.lies_there() { 0 } else { n * self.cut.arithmetic.stride(width) };
            let strip = words * size_of::<u32>() + n * width * size_of::<H>();
            strip as u64 + bytes_of_arcs + 2 * size_of::<u64>() as u64
        };
        let whole = self.lies_there().then_some(n.max(1));
        let mut widths = whole.into_iter().chain([COLUMNS]).chain(FEWER_COLUMNS);
        Ok(widths.find(|&width| bytes(width) <= available))
    }

    /// The place of the distances to some vertices on a GPU.
    fn tile<'a, H>(
        &'a self,
        device: &'a Device<'_, H>,
        columns: &Range<usize>,
        width: usize,
    ) -> Tile<'a> {
        let (arithmetic, side) = (self.cut.arithmetic, self.cut.side());
        let n = device.arcs.n_vertices;
        let end = (columns.start + width).next_multiple_of(arithmetic.side_step());
        let columns = columns.start..end.min(side);
        match (self.closed, &device.distances) {
            (Closed::OnGpus([share]), _) => {
                Tile::rows_of(&share.matrix, arithmetic, side, 0..n).columns(columns)
            }
            (_, Some(strip)) => Tile::rows_of(strip, arithmetic, columns.len(), 0..n),
            _ => unreachable!("a strip has a buffer unless the matrix is whole"),
        }
    }

    /// Copies these distances to the GPU.
    fn load<H>(
        &self,
        device: &Device<'_, H>,
        columns: &Range<usize>,
        width: usize,
    ) -> Result<(), GpuError> {
        let (cut, n) = (self.cut, device.arcs.n_vertices);
        let Some(strip) = &device.distances else { return Ok(()) };
        let to = self.tile(device, columns, width);
        let columns = columns.start..columns.start + to.n_columns;
        match self.closed {
            Closed::Passing(matrix) => {
                let first = cut.arithmetic.stride(columns.start);
                let from = Rectangle { first, stride: cut.stride(), ..to.rectangle() };
                // SAFETY: the matrix is closed, so it is not written; the strip is used on this
                // stream alone.
                unsafe { device.gpu.queue_upload_rectangle(matrix, from, strip, to.rectangle()) }
            }
            Closed::OnGpus(shares) => (0..cut.blocks.count()).try_for_each(|block| {
                let rows = cut.blocks.rows(block);
                let rows = rows.start.min(n)..rows.end.min(n);
                let first = cut.blocks.first_place(block);
                let from = &shares[cut.blocks.owner(block)].matrix;
                let kept = first..first + rows.len();
                let from = Tile::rows_of(from, cut.arithmetic, cut.side(), kept);
                let from = from.columns(columns.clone());
                let to = Tile::rows_of(strip, cut.arithmetic, to.n_columns, rows).rectangle();
                // SAFETY: as above.
                unsafe { device.gpu.queue_copy_rectangle(from.buffer, from.rectangle(), strip, to) }
            }),
        }
    }
}

/// Where distances lie on a GPU.
#[derive(Clone, Copy)]
struct Place {
    address: u64,
    /// Elements from row to row.
    stride: u64,
}

impl Place {
    fn of(tile: &Tile<'_>) -> Self {
        Self { address: tile.address(), stride: tile.stride as u64 }
    }
}

/// Finds the hops of all pairs of a matrix of which a GPU has the whole: rows as long as its own.
pub(super) fn of_matrix<W: Weight>(
    gpu: &Gpu,
    kernels: &Kernels,
    matrix: &Tile<'_>,
    graph: &Csr<W>,
    hops: Buffer<u32>,
) -> Result<Buffer<u32>, ApspError> {
    let arcs = DeviceArcs::for_matrix(gpu, graph, matrix.arithmetic)?;
    let mut device = Device { gpu, kernels, arcs, distances: None, hops, counts: gpu.buffer(2)? };
    device.hops.fill_bytes(0xff)?;
    if graph.n_vertices() > 0 {
        let (place, columns) = (Place::of(matrix), 0..matrix.n_columns);
        let by_levels = graph.first_negative().is_some();
        device.start_pass(place, &columns, by_levels)?;
        let has_all = device.finish(place, &columns, by_levels)?;
        debug_assert!(has_all, "sums are exact");
    }
    Ok(device.hops)
}

impl<H: Hop + Pod> Device<'_, H> {
    /// The kernels for hops of this width: one that finds them, and one that settles a level.
    fn kernels(&self) -> (&Kernel, &Kernel) {
        let kernels = self.kernels;
        match size_of::<H>() {
            2 => (&kernels.next_hops_narrow, &kernels.settle_hops_narrow),
            _ => (&kernels.next_hops_wide, &kernels.settle_hops_wide),
        }
    }

    /// Queues a pass over a strip.
    fn start_pass(
        &self,
        place: Place,
        columns: &Range<usize>,
        by_levels: bool,
    ) -> Result<(), GpuError> {
        let Self { gpu, arcs, hops, counts, .. } = self;
        let graph = Graph {
            offsets: arcs.offsets.address(),
            ends: arcs.ends.address(),
            weights: arcs.weights.address(),
            first: columns.start as u32,
            n_columns: columns.len() as u32,
            by_levels: u32::from(by_levels),
            padding: 0,
        };
        let args: [Arg<'_>; 5] = [
            place.address.into(),
            place.stride.into(),
            Arg::structure(&graph),
            hops.into(),
            counts.into(),
        ];
        let grid = (arcs.n_vertices as u32, columns.len().div_ceil(COLUMNS) as u32, 1);
        let shape = LaunchConfig { grid, ..LaunchConfig::new(1, 256) };
        // SAFETY: blocks read the distances of vertices, at rows below n and columns of the tile,
        // and the arcs of their row. They write this number of hops of their row, and add to two
        // counts.
        unsafe { gpu.launch(self.kernels().0, shape, &args) }
    }

    /// Waits for the first pass over a strip, and runs the passes by levels. Returns whether all
    /// pairs have their hops.
    fn finish(
        &mut self,
        place: Place,
        columns: &Range<usize>,
        mut by_levels: bool,
    ) -> Result<bool, GpuError> {
        let n = self.arcs.n_vertices;
        loop {
            let (open, placed) = self.end_pass()?;
            if by_levels {
                let n_hops = n * columns.len();
                let args = [(&self.hops).into(), (n_hops as u64).into()];
                let shape = LaunchConfig::covering(n_hops.div_ceil(4) as u64, 256);
                // SAFETY: the kernel reads and writes `n_hops` hops.
                unsafe { self.gpu.launch(self.kernels().1, shape, &args)? };
            }
            if open == 0 || by_levels && placed == 0 || !has_spare_bit::<H>(n) {
                return Ok(open == 0);
            }
            by_levels = true;
            self.start_pass(place, columns, by_levels)?;
        }
    }

    /// Waits for a pass. Returns the number of pairs without a hop, and for levels the number of
    /// pairs that got one.
    fn end_pass(&mut self) -> Result<(u64, u64), GpuError> {
        let counts = self.counts.download()?;
        self.counts.fill_bytes(0)?;
        Ok((counts[0], counts[1]))
    }
}
