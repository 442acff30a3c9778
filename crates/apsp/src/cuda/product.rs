//! Updates a strip of rows with pivots whose closed rows are in a panel.
//!
//! Reference: katz-kider-2008

use gpu_runtime::{Arg, Buffer, Gpu, GpuError, LaunchConfig};

use super::arithmetic::{Kernels, TILE_ROWS};
use super::tile::Tile;

/// Launches of [`update_strip`].
pub(super) const LAUNCHES: u64 = 2;

/// Queues the arithmetic of a strip: its rows, or the sums of its columns at the pivots, as they
/// were before, and the panel. The panel has the closed rows of the pivots, as long as the strip's.
/// `turned` is a work space for the transposed columns: a row of words for each pivot.
///
/// # Panics
/// If the sizes of these do not agree.
///
/// # Safety
/// All arguments lie on this GPU, and no other stream writes them until the launches have ended.
pub(super) unsafe fn update_strip(
    gpu: &Gpu,
    kernels: &Kernels,
    rows: Tile<'_>,
    columns: Tile<'_>,
    turned: &Buffer<u32>,
    panel: Tile<'_>,
) -> Result<(), GpuError> {
    let arithmetic = rows.arithmetic;
    assert_eq!((columns.n_rows, panel.n_columns), (rows.n_rows, rows.n_columns));
    assert_eq!(columns.n_columns, panel.n_rows);
    assert!(arithmetic.turned(rows.n_rows * panel.n_rows) <= turned.len());
    let words = |n_elements| arithmetic.words(n_elements) as u64;
    let n_rows = rows.n_rows as u32;
    let turn_over: [Arg<'_>; 4] =
        [columns.address().into(), words(columns.stride).into(), n_rows.into(), turned.into()];
    let multiply: [Arg<'_>; 7] = [
        rows.address().into(),
        words(rows.stride).into(),
        turned.into(),
        u64::from(n_rows).into(),
        panel.address().into(),
        words(panel.stride).into(),
        (panel.n_rows as u32).into(),
    ];
    let shape = |grid| LaunchConfig { grid, ..LaunchConfig::new(1, 256) };
    let turning = shape((words(columns.n_columns) as u32 / 32, n_rows / 32, 1));
    let across = arithmetic.tiles_across(rows.n_columns) as u32;
    let tiles = shape((across, n_rows / TILE_ROWS as u32, 1));
    // SAFETY: the kernels read and write inside the strip, its columns, its room for them and
    // the panel, whose sizes fit as was checked, and which are the caller's.
    unsafe {
        gpu.launch(&kernels.turn_over, turning, &turn_over)?;
        gpu.launch(&kernels.multiply, tiles, &multiply)
    }
}
