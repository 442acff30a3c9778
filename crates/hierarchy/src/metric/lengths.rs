//! From the keys in which lengths are added up to distances.

use graph_formats::{Distance, VertexId};

use crate::HierarchyError;
use crate::metric::key::Key;

/// That no distance of this type holds the length of the path between these.
pub(crate) fn too_far<D: Distance>(source_vertex: VertexId, target: VertexId) -> HierarchyError {
    HierarchyError::Overflow { source_vertex, target, kind: D::KIND }
}

/// Writes the distances that keys stand for into cells, as storage has them; the place of the last
/// that its type cannot hold.
#[inline(always)]
pub(crate) fn write_distances<D: Distance, K: Key>(
    keys: impl Iterator<Item = K>,
    cells: &mut [D],
) -> Option<usize> {
    let mut too_far = None;
    for ((cell, key), place) in cells.iter_mut().zip(keys).zip(0..) {
        let (distance, fits) = key.to_cell();
        *cell = distance;
        if !fits {
            too_far = Some(place);
        }
    }
    too_far
}
