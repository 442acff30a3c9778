//! What a strip of rows takes from pivots whose rows lie elsewhere, closed.
//!
//! Reference: katz-kider-2008

use gpu_runtime::{Arg, Gpu, GpuError, LaunchConfig};

use super::arithmetic::{Arithmetic, Kernels, TILE_ROWS};

/// Launches of [`take_through`].
pub(super) const LAUNCHES: u64 = 2;

/// A strip of rows on the GPU, and what it is taken through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strip {
    /// Where its rows lie, `n_rows` of them as long as the side of the matrix.
    pub(super) rows: u64,
    pub(super) n_rows: usize,
    pub(super) side: usize,
    /// Where its columns at the pivots lie, as they were before, with so many elements from
    /// row to row.
    pub(super) columns: u64,
    pub(super) columns_stride: usize,
    /// Room for these columns turned over: a row of `n_rows` words for each pivot.
    pub(super) turned: u64,
    /// The closed rows of the pivots, as long as the strip's.
    pub(super) panel: u64,
    pub(super) n_pivots: usize,
    /// What all of these are of.
    pub(super) arithmetic: Arithmetic,
}

/// Queues the arithmetic of a strip: its rows, or the sums of its columns and the panel.
///
/// # Safety
/// What the strip names lies on the GPU as it says, and nobody writes it meanwhile.
pub(super) unsafe fn take_through(
    gpu: &Gpu,
    kernels: &Kernels,
    strip: &Strip,
) -> Result<(), GpuError> {
    let arithmetic = strip.arithmetic;
    let stride = arithmetic.words(strip.side);
    let (n_rows, pivot_words) = (strip.n_rows as u32, arithmetic.words(strip.n_pivots) as u32);
    let turn_over: [Arg<'_>; 4] = [
        strip.columns.into(),
        (arithmetic.words(strip.columns_stride) as u64).into(),
        n_rows.into(),
        strip.turned.into(),
    ];
    let multiply: [Arg<'_>; 7] = [
        strip.rows.into(),
        (stride as u64).into(),
        strip.turned.into(),
        u64::from(n_rows).into(),
        strip.panel.into(),
        (stride as u64).into(),
        (strip.n_pivots as u32).into(),
    ];
    let shape = |grid| LaunchConfig { grid, ..LaunchConfig::new(1, 256) };
    let turning = shape((pivot_words / 32, n_rows / 32, 1));
    let across = arithmetic.tiles_across(strip.side) as u32;
    let tiles = shape((across, n_rows / TILE_ROWS as u32, 1));
    // SAFETY: by the caller's promise the kernels read and write inside the strip, its
    // columns, its room for them and the panel, whose rows are as long.
    unsafe {
        gpu.launch(&kernels.turn_over, turning, &turn_over)?;
        gpu.launch(&kernels.multiply, tiles, &multiply)
    }
}
