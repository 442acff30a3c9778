//! Arcs sorted by the segments of vertices that they touch.
//!
//! An edge-parallel solver reads and writes the distances of both ends of each arc. Here the
//! distances are cut into segments of P vertices. The arcs are grouped by the segment of their end,
//! and within a group by the segment of their start. So consecutive arcs touch only two segments,
//! which stay in the cache. The article names no method of sorting; here it is two stable counting
//! sorts, by start and then by end. O(m + n / P) time, one word of memory per arc.
//!
//! Reference: origin-segments

use rayon::prelude::*;

use super::check_length;
use crate::{Coo, GraphError, VertexId, Weight};

/// A bijection on the positions of arcs that sorts them by segments.
///
/// ```
/// use graph_formats::Coo;
/// use graph_formats::permute::SegmentOrder;
///
/// // two segments: {0, 1} and {2, 3}
/// let arcs = Coo::new(4, vec![0, 3, 2, 1], vec![2, 0, 3, 1], vec![5u32, 6, 7, 8])?;
/// let order = SegmentOrder::new(&arcs, 2)?;
/// let sorted = order.apply(&arcs)?;
/// assert_eq!(
///     sorted.arcs().collect::<Vec<_>>(),
///     [(1, 1, 8), (3, 0, 6), (0, 2, 5), (2, 3, 7)],
/// );
/// assert_eq!(order.restore(sorted.weights())?, arcs.weights());
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentOrder {
    old_positions: Vec<usize>,
}

impl SegmentOrder {
    /// The order of `arcs` for segments of `vertices_per_segment`: arcs of equal segments keep
    /// their order.
    ///
    /// # Errors
    /// [`GraphError::BadParameter`] for segments of 0 vertices.
    pub fn new<W: Weight>(arcs: &Coo<W>, vertices_per_segment: u32) -> Result<Self, GraphError> {
        if vertices_per_segment == 0 {
            return Err(GraphError::BadParameter {
                name: "vertices_per_segment",
                value: "0".into(),
                expected: "1 or more".into(),
            });
        }
        let n_segments = arcs.n_vertices().div_ceil(vertices_per_segment as usize);
        let segment = |vertex: VertexId| (vertex / vertices_per_segment) as usize;
        let by_start = counting_sort(n_segments, arcs.sources(), segment, 0..arcs.n_arcs());
        let old_positions = counting_sort(n_segments, arcs.destinations(), segment, by_start);
        Ok(Self { old_positions })
    }

    /// The number of arcs.
    pub fn n_arcs(&self) -> usize {
        self.old_positions.len()
    }

    /// The old position of each arc of the new order.
    pub fn old_positions(&self) -> &[usize] {
        &self.old_positions
    }

    /// The arcs in the new order.
    ///
    /// # Errors
    /// [`GraphError::LengthMismatch`] for a graph of another number of arcs. O(m).
    pub fn apply<W: Weight>(&self, arcs: &Coo<W>) -> Result<Coo<W>, GraphError> {
        Ok(Coo::from_valid(
            arcs.n_vertices(),
            self.permute(arcs.sources())?,
            self.permute(arcs.destinations())?,
            self.permute(arcs.weights())?,
        ))
    }

    /// Values that belong to arcs, from the old order to the new.
    ///
    /// # Errors
    /// [`GraphError::LengthMismatch`] unless there is one for each arc. O(m).
    pub fn permute<T: Copy + Send + Sync>(&self, values: &[T]) -> Result<Vec<T>, GraphError> {
        check_length("values of arcs", self.n_arcs(), values.len())?;
        Ok(self.old_positions.par_iter().map(|&old| values[old]).collect())
    }

    /// Values that belong to arcs, from the new order back to the old.
    ///
    /// # Errors
    /// [`GraphError::LengthMismatch`] unless there is one for each arc. O(m).
    pub fn restore<T: Copy>(&self, values: &[T]) -> Result<Vec<T>, GraphError> {
        check_length("values of arcs", self.n_arcs(), values.len())?;
        let mut restored = values.to_vec();
        for (&old, &value) in self.old_positions.iter().zip(values) {
            restored[old] = value;
        }
        Ok(restored)
    }
}

/// `positions` of arcs sorted, stably, by the segment of the arc's vertex in `ends`.
fn counting_sort(
    n_segments: usize,
    ends: &[VertexId],
    segment: impl Fn(VertexId) -> usize,
    positions: impl IntoIterator<Item = usize>,
) -> Vec<usize> {
    let mut next = vec![0; n_segments + 1];
    for &end in ends {
        next[segment(end) + 1] += 1;
    }
    for segment in 0..n_segments {
        next[segment + 1] += next[segment];
    }
    let mut sorted = vec![0; ends.len()];
    for position in positions {
        let slot = &mut next[segment(ends[position])];
        sorted[*slot] = position;
        *slot += 1;
    }
    sorted
}
