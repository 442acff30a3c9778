//! Memory is asked for before the work.

use graph_formats::ensure_granted;

use crate::ApspError;

/// An error if all pairs of so many vertices, which take `bytes`, are more than is `allowed`, or
/// than the system grants.
pub(crate) fn check(n_vertices: usize, bytes: u128, allowed: Option<u64>) -> Result<(), ApspError> {
    match allowed {
        Some(memory) if u128::from(memory) < bytes => {
            Err(ApspError::OverMemory { n_vertices, bytes: bytes.into(), memory })
        }
        _ if usize::try_from(bytes).is_ok_and(|bytes| ensure_granted(bytes).is_ok()) => Ok(()),
        _ => Err(too_large(n_vertices, bytes)),
    }
}

/// The error if memory cannot hold these bytes.
pub(crate) fn too_large(n_vertices: usize, bytes: u128) -> ApspError {
    ApspError::TooLarge { n_vertices, bytes: bytes.into() }
}
