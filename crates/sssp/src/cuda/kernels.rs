//! The launches: what each kernel of `kernels/sssp` takes, in Rust's types.

use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig, Ptx};

use super::graph::DeviceRows;
use super::memory::{Control, Search};
use super::words::Arithmetic;

static ROWS_U32: Ptx = ptx(kernels::sssp::ROWS_U32);
static ROWS_F32: Ptx = ptx(kernels::sssp::ROWS_F32);
static DELTA_STEPPING_U32: Ptx = ptx(kernels::sssp::DELTA_STEPPING_U32);
static DELTA_STEPPING_F32: Ptx = ptx(kernels::sssp::DELTA_STEPPING_F32);

/// Threads of a block of the preparing kernels, and blocks of a multiprocessor.
const PREPARE_BLOCK: u32 = 256;
const PREPARE_BLOCKS: u32 = 8;
/// Threads of a block of the search: `warps_a_block` of its source, times 32.
pub(super) const SEARCH_BLOCK: u32 = 512;

pub(super) const fn ptx(module: kernels::Module) -> Ptx {
    Ptx::new(module.name, module.ptx)
}

/// The kernels of `rows.cu`.
pub(super) struct PrepareKernels {
    zip_arcs: Kernel,
    row_bounds: Kernel,
    count_short: Kernel,
    copy_short: Kernel,
}

impl PrepareKernels {
    pub(super) fn load(gpu: &Gpu, arithmetic: Arithmetic) -> Result<Self, GpuError> {
        let (module, [zip_arcs, row_bounds, count_short, copy_short]) = match arithmetic {
            Arithmetic::U32 => {
                (&ROWS_U32, ["zip_arcs_u32", "row_bounds_u32", "count_short_u32", "copy_short_u32"])
            }
            Arithmetic::F32 => {
                (&ROWS_F32, ["zip_arcs_f32", "row_bounds_f32", "count_short_f32", "copy_short_f32"])
            }
        };
        Ok(Self {
            zip_arcs: gpu.kernel(module, zip_arcs)?,
            row_bounds: gpu.kernel(module, row_bounds)?,
            count_short: gpu.kernel(module, count_short)?,
            copy_short: gpu.kernel(module, copy_short)?,
        })
    }

    /// `arcs[first..]` from ends and weights, as far as these go.
    pub(super) fn zip_arcs(
        &self,
        gpu: &Gpu,
        ends: &Buffer<u32>,
        weights: &Buffer<u32>,
        arcs: &mut Buffer<[u32; 2]>,
        first: usize,
    ) -> Result<(), GpuError> {
        let n = ends.len().min(weights.len()).min(arcs.len().saturating_sub(first)) as u64;
        let args = [ends.into(), weights.into(), (&*arcs).into(), (first as u64).into(), n.into()];
        // SAFETY: threads read `ends` and `weights` and write `arcs` from `first` on, all
        // below `n`, which each of them has.
        unsafe { gpu.launch(&self.zip_arcs, whole(gpu), &args) }
    }

    /// The bounds of the rows from their offsets, which are one more and below 2^32.
    pub(super) fn row_bounds(
        &self,
        gpu: &Gpu,
        offsets: &Buffer<u64>,
        bounds: &mut Buffer<[u32; 2]>,
    ) -> Result<(), GpuError> {
        let n = bounds.len().min(offsets.len().saturating_sub(1)) as u32;
        let args = [offsets.into(), (&*bounds).into(), n.into()];
        // SAFETY: threads read `offsets` up to `n` and write `bounds` below it.
        unsafe { gpu.launch(&self.row_bounds, whole(gpu), &args) }
    }

    /// Counts the short arcs of `rows` and gives them places; `used` is 0 before, and
    /// their number after.
    pub(super) fn count_short(
        &self,
        gpu: &Gpu,
        rows: &DeviceRows,
        limit: u32,
        used: &mut Buffer<u32>,
        bounds: &mut Buffer<[u32; 2]>,
    ) -> Result<(), GpuError> {
        let n = rows.bounds.len().min(bounds.len()) as u32;
        let args = [
            (&rows.bounds).into(),
            (&rows.arcs).into(),
            n.into(),
            limit.into(),
            (&*used).into(),
            (&*bounds).into(),
        ];
        // SAFETY: rows lie inside their arcs, as in every `DeviceRows`; threads write
        // `bounds` below `n` and the one element of `used`.
        unsafe { gpu.launch(&self.count_short, whole(gpu), &args) }
    }

    /// Copies the short arcs to the places in `bounds` that [`Self::count_short`] gave.
    pub(super) fn copy_short(
        &self,
        gpu: &Gpu,
        rows: &DeviceRows,
        limit: u32,
        bounds: &Buffer<[u32; 2]>,
        arcs: &mut Buffer<[u32; 2]>,
    ) -> Result<(), GpuError> {
        let n = rows.bounds.len().min(bounds.len()) as u32;
        let args = [
            (&rows.bounds).into(),
            (&rows.arcs).into(),
            n.into(),
            limit.into(),
            bounds.into(),
            (&*arcs).into(),
        ];
        // SAFETY: `bounds` were counted for these rows and this limit, and `arcs` has room
        // for as many as were counted.
        unsafe { gpu.launch(&self.copy_short, whole(gpu), &args) }
    }
}

/// As many threads as the preparing kernels keep busy.
fn whole(gpu: &Gpu) -> LaunchConfig {
    LaunchConfig::new(gpu.properties().multiprocessors * PREPARE_BLOCKS, PREPARE_BLOCK)
}

/// The kernel of `delta_stepping.cu`.
pub(super) struct SearchKernel {
    kernel: Kernel,
    shape: LaunchConfig,
}

impl SearchKernel {
    /// For searches on graphs of `n_arcs` arcs.
    pub(super) fn load(gpu: &Gpu, arithmetic: Arithmetic, n_arcs: usize) -> Result<Self, GpuError> {
        let (module, name) = match arithmetic {
            Arithmetic::U32 => (&DELTA_STEPPING_U32, "delta_stepping_u32"),
            Arithmetic::F32 => (&DELTA_STEPPING_F32, "delta_stepping_f32"),
        };
        let kernel = gpu.kernel(module, name)?;
        // more blocks than are resident at once would wait for one another for ever; one
        // a multiprocessor always fits. Small graphs have work for few, and the fewer
        // blocks, the shorter each barrier: this measured best, or nearly, from 600 arcs on.
        let blocks = ((n_arcs as f64).sqrt() as u32 / 8).clamp(1, gpu.properties().multiprocessors);
        Ok(Self {
            kernel,
            shape: LaunchConfig { cooperative: true, ..LaunchConfig::new(blocks, SEARCH_BLOCK) },
        })
    }

    /// Queues a search.
    ///
    /// # Safety
    /// The addresses in `search` must be of buffers of `gpu` that are as long as `Search`
    /// says, and stay until the launch has ended; the source must exist.
    pub(super) unsafe fn launch(&self, gpu: &Gpu, search: &Search) -> Result<(), GpuError> {
        const { assert!(size_of::<Control>() == 168) };
        // SAFETY: the kernel reads and writes inside the buffers of `search`, by its own
        // comment and the caller's promise.
        unsafe { gpu.launch(&self.kernel, self.shape, &[Arg::structure(search)]) }
    }
}
