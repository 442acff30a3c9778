//! WARSHALL-adapt: the closure as the paper adapts it to GPUs.
//!
//! Each vertex k has a launch, one after the other. It ORs column k into all columns j with P(k, j)
//! = 1 at once, a block of threads a column. That is n launches, each reading and writing up to the
//! whole matrix, n² / 8 bytes. In the paper a block has a thread for each word of a column; here
//! threads go through the words in steps, so that n may exceed 65,536. Why the columns do not
//! disturb one another stands in `kernels/star/adapted.cu`.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use std::ops::Range;

use gpu_runtime::LaunchConfig;

use super::listings::side;
use crate::cuda::BLOCK;
use crate::{Cuda, StarError, TableVar};

/// Treats the pivots in this range, with a launch for each. All of them, `0..n`, put the
/// transitive closure of a digraph in place of its adjacency matrix, of which row i has the
/// heads of the arcs from vertex i. A vertex reaches itself where it is on a cycle.
///
/// ```
/// use star_machine::{Cuda, Machine, Table, warshall_adapted};
///
/// let Ok(gpu) = gpu_runtime::Gpu::open() else { return Ok(()) };
/// let mut m = Cuda::new(&gpu)?;
/// let table = m.new_table(3, 3)?;
/// m.set_table(table, &Table::from_values(&[0b010, 0b001, 0b000], 3)?)?;
/// warshall_adapted(&mut m, table, 0..3)?;
/// assert_eq!(m.table_value(table)?.to_values()?, [0b011, 0b001, 0b000]);
/// # Ok::<(), star_machine::StarError>(())
/// ```
///
/// # Errors
/// [`StarError::LengthMismatch`] where the table is not square, [`StarError::OutOfRange`] for
/// pivots beyond it, [`StarError::Unknown`], and [`StarError::Gpu`] where the GPU
/// fails, which may leave some launches done.
pub fn warshall_adapted(
    machine: &mut Cuda,
    table: TableVar,
    pivots: Range<usize>,
) -> Result<(), StarError> {
    let n = side(table, "WARSHALL", &pivots)?;
    let address = machine.table_words(table)?.address();
    let stride = n.div_ceil(64) as u64;
    let threads = stride.min(BLOCK.into()).next_multiple_of(32) as u32;
    for k in pivots {
        let args = [address.into(), stride.into(), (k as u64).into()];
        // SAFETY: the table is this machine's and square: there are as many columns of
        // `stride` words as blocks, and k is one of its columns and rows.
        unsafe {
            machine.launch(|k| &k.adapted, LaunchConfig::new(table.columns, threads), &args)
        }?;
    }
    Ok(())
}
