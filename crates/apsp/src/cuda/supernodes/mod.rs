//! All pairs by supernodes on a GPU, which holds the matrix in the order of the ranks.
//!
//! The CPU has closed the fronts. All supernodes of a level are lowered together, by a launch for
//! each height of tiles. First they are lowered in the columns of the ranks above them and in their
//! own: transposed, this is what these ranks lack. When that is done for all levels, they are
//! lowered in all columns that are left. Where arcs do not lead both ways, a second matrix has the
//! paths back until then. O(n · arcs of the hierarchy), a tile of 128 rows at the rate of dense
//! Floyd-Warshall.
//!
//! Reference: sao-2020

mod closer;
mod kernels;
mod layout;

use std::time::Instant;

use bytemuck::cast_slice;
use gpu_runtime::{Arg, Buffer, Gpu, LaunchConfig};
use graph_formats::{Weight, parallel};
use paths::DistanceTable;

use self::closer::{Closer, Lists};
use self::kernels::{Kernels, Shape};
use self::layout::Layout;
use super::arithmetic::Arithmetic;
use crate::host::MinPlus;
use crate::pairs::{Table, decode, milliseconds};
use crate::supernodes::{Fronts, Steps, Supernodes};
use crate::{ApspError, Report};

/// Bytes of distances that come back at a time.
const DOWNLOADED: usize = 256 << 20;

/// The matrix of all pairs on a GPU, by rank.
pub(crate) struct OnGpu<'a> {
    gpu: &'a Gpu,
    supernodes: &'a Supernodes,
    kernels: Kernels,
    shape: Shape,
    matrix: Buffer<u32>,
}

/// Bytes of the host's memory for what is uploaded, which is there twice while it is made.
pub(crate) fn bytes_on_host<E>(supernodes: &Supernodes, arithmetic: Arithmetic) -> u128 {
    2 * u128::from(layout::bytes::<E>(supernodes, arithmetic))
}

/// Closes the matrix of all pairs on `gpu`.
pub(crate) fn close<'a, E: MinPlus>(
    gpu: &'a Gpu,
    arithmetic: Arithmetic,
    supernodes: &'a Supernodes,
    fronts: &Fronts<E>,
    steps: &Steps<'_>,
    report: &mut Report,
) -> Result<OnGpu<'a>, ApspError> {
    let shape = Shape::of(arithmetic, supernodes.n_vertices());
    let n_matrices = if fronts.is_symmetric { 1 } else { 2 };
    let matrices = n_matrices * (shape.len() * size_of::<u32>()) as u64;
    let required = matrices + layout::bytes::<E>(supernodes, arithmetic);
    gpu.check_fits("the matrix of all pairs, and the paths of supernodes", required)?;
    let jit_before = gpu.jit_ms();
    let kernels = Kernels::load(gpu, arithmetic)?;
    report.jit_ms += gpu.jit_ms() - jit_before;

    let start = Instant::now();
    let layout = Layout::of(supernodes, fronts, arithmetic);
    report.prepare_ms += milliseconds(start);
    let start = Instant::now();
    let matrix = gpu.buffer::<u32>(shape.len())?;
    let back = if fronts.is_symmetric { None } else { Some(gpu.buffer::<u32>(shape.len())?) };
    let squares = gpu.upload(&layout.squares)?;
    let elements = gpu.upload(cast_slice::<E, u8>(&layout.elements))?;
    let lists = Lists::of(gpu, &layout)?;
    gpu.synchronize()?;
    report.upload_ms += milliseconds(start);

    let closer = Closer {
        gpu,
        kernels: &kernels,
        shape,
        matrix: &matrix,
        back: back.as_ref(),
        lists: &lists,
    };
    let timer = gpu.timer()?;
    timer.start()?;
    closer.clear()?;
    let mut launches = 1 + closer.place(&squares, &elements)?;
    for level in &layout.levels {
        launches += closer.between(level)?;
        steps.next()?;
    }
    for level in &layout.levels {
        launches += closer.rows(level)?;
        steps.next()?;
    }
    timer.stop()?;
    report.solve_ms += timer.elapsed_ms()?;
    report.launches += launches;
    Ok(OnGpu { gpu, supernodes, kernels, shape, matrix })
}

impl OnGpu<'_> {
    /// The distances, in the order of the vertices.
    pub(crate) fn table<W: Weight, E: MinPlus>(
        &self,
        report: &mut Report,
    ) -> Result<DistanceTable<W>, ApspError> {
        let start = Instant::now();
        let n = self.supernodes.n_vertices();
        let mut table = Table::<W>::new(n, n)?;
        let ranks = self.gpu.upload(&self.supernodes.ranks)?;
        let n_rows = (DOWNLOADED / (n * size_of::<E>()).max(1)).clamp(1, n.max(1));
        let rows =
            self.gpu.buffer::<u32>((n_rows * n * size_of::<E>()).div_ceil(size_of::<u32>()))?;
        for first in (0..n).step_by(n_rows) {
            let here = n_rows.min(n - first);
            let args: [Arg<'_>; 6] = [
                (&self.matrix).into(),
                (self.shape.side as u64).into(),
                (&ranks).into(),
                (n as u32).into(),
                (first as u32).into(),
                (&rows).into(),
            ];
            let shape = LaunchConfig::new(here as u32, 256);
            // SAFETY: ranks are rows and columns of the matrix, and the buffer has space for these
            // rows.
            unsafe { self.gpu.launch(&self.kernels.rows_of_vertices, shape, &args)? };
            let words = (here * n * size_of::<E>()).div_ceil(size_of::<u32>());
            let found = rows.download_range(0..words)?;
            let numbers = cast_slice::<u32, E>(&found).chunks(n);
            let rows = table.rows(1).into_iter().skip(first).take(here).zip(numbers);
            parallel::for_each_of(rows, &|(row, numbers)| decode(row, numbers));
        }
        report.download_ms += milliseconds(start);
        Ok(table.finish())
    }
}
