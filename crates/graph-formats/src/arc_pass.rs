//! The pass over the arcs of a new graph. Its parts are looked at once each, while they are in a
//! cache: ends, order within rows, weights and, where asked for, reverses.

use std::ops::Range;

use crate::weight_summary::{Extremes, extremes_of};
use crate::{VertexId, Weight, parallel};

/// Arcs of a part: their ends take 256 kB. Sums of weights are added up part by part, so that they
/// do not depend on the threads.
pub(crate) const ARCS_PER_PART: usize = 1 << 16;

/// A pass over arcs that are laid out by row offsets, which have been checked.
pub(crate) struct ArcPass<'a> {
    pub(crate) row_offsets: &'a [u64],
    /// The vertex of the first of these rows.
    pub(crate) first_row: VertexId,
    /// Whether to find out if every arc has its reverse.
    pub(crate) seeks_reverses: bool,
}

/// What the pass found in some arcs that lie side by side.
pub(crate) struct Found<W> {
    greatest_end: VertexId,
    /// The ends of the first arc and of the last.
    bounds: (VertexId, VertexId),
    /// Whether the first arc is the first of its row.
    starts_row: bool,
    pub(crate) rows_ascend: bool,
    /// Of the weights; `None` if they have no array.
    pub(crate) extremes: Option<Extremes<W>>,
    /// The sum of the [hashes](ArcPass::excess); 0 if reverses are not sought.
    pub(crate) excess: u64,
}

impl<W: Weight> Found<W> {
    /// What was found in a graph without arcs.
    fn none() -> Self {
        let (bounds, extremes) = ((0, 0), None);
        Self { greatest_end: 0, bounds, starts_row: true, rows_ascend: true, extremes, excess: 0 }
    }

    /// Whether every end is one of `n_vertices`; for at least one arc.
    pub(crate) fn ends_are_below(&self, n_vertices: usize) -> bool {
        (self.greatest_end as usize) < n_vertices
    }

    /// Whether the sum of the weights is finite, and so is each.
    pub(crate) fn weights_are_finite(&self) -> bool {
        self.extremes.is_none_or(|extremes| extremes.sum_of_sizes.is_finite())
    }

    /// Whether every arc has its reverse, if that was sought.
    #[cfg(feature = "files")]
    pub(crate) fn reverses_cancel(&self) -> bool {
        self.excess == 0
    }

    /// What was found in these arcs and the `next`.
    fn and(self, next: Self) -> Self {
        let (last, first) = (self.bounds.1, next.bounds.0);
        let extremes = match (self.extremes, next.extremes) {
            (Some(a), Some(b)) => Some(a.and(b)),
            (a, b) => a.or(b),
        };
        Self {
            greatest_end: self.greatest_end.max(next.greatest_end),
            bounds: (self.bounds.0, next.bounds.1),
            starts_row: self.starts_row,
            rows_ascend: self.rows_ascend && next.rows_ascend && (last <= first || next.starts_row),
            extremes,
            excess: self.excess.wrapping_add(next.excess),
        }
    }
}

impl<'a> ArcPass<'a> {
    /// A pass that does not seek reverses.
    pub(crate) fn of(row_offsets: &'a [u64]) -> Self {
        Self { row_offsets, first_row: 0, seeks_reverses: false }
    }

    /// Looks at all arcs, in parallel. `weights` is empty if all are equal.
    pub(crate) fn over<W: Weight>(&self, ends: &[VertexId], weights: &[W]) -> Found<W> {
        let parts = parallel::map(ends.len().div_ceil(ARCS_PER_PART), &|part| {
            let arcs = part * ARCS_PER_PART..ends.len().min((part + 1) * ARCS_PER_PART);
            let weights = if weights.is_empty() { weights } else { &weights[arcs.clone()] };
            self.look(arcs.start, &ends[arcs], weights)
        });
        Self::join(parts)
    }

    /// What was found in all parts, which are in order.
    pub(crate) fn join<W: Weight>(parts: Vec<Found<W>>) -> Found<W> {
        parts.into_iter().reduce(Found::and).unwrap_or(Found::none())
    }

    /// Looks at some arcs, at least one; `first` is the position of the first.
    pub(crate) fn look<W: Weight>(
        &self,
        first: usize,
        ends: &[VertexId],
        weights: &[W],
    ) -> Found<W> {
        // Counted without a branch: an end is less than the one before only where a row begins.
        let falls = ends.iter().zip(&ends[1..]).map(|(a, b)| u32::from(a > b)).sum::<u32>();
        let mut falls_at_rows = 0;
        for (_, arcs) in self.rows(first, ends.len()) {
            falls_at_rows += u32::from(arcs.start > 0 && ends[arcs.start - 1] > ends[arcs.start]);
        }
        let excess = if self.seeks_reverses { self.excess(first, ends, weights) } else { 0 };
        Found {
            greatest_end: ends.iter().copied().max().unwrap_or(0),
            bounds: (ends[0], ends[ends.len() - 1]),
            starts_row: self.row_offsets.binary_search(&(first as u64)).is_ok(),
            rows_ascend: falls == falls_at_rows,
            extremes: (!weights.is_empty()).then(|| extremes_of(weights)),
            excess,
        }
    }

    /// The rows of `n_arcs` arcs from `first` on that are not empty, each with the range of its
    /// arcs, which count from `first`.
    fn rows(
        &self,
        first: usize,
        n_arcs: usize,
    ) -> impl Iterator<Item = (VertexId, Range<usize>)> + '_ {
        let next_row = self.row_offsets.partition_point(|&offset| offset <= first as u64);
        let ends = self.row_offsets[next_row..].iter().map(move |&end| end as usize - first);
        let mut start = 0;
        (self.first_row + next_row as VertexId - 1..)
            .zip(ends)
            .map(move |(row, end)| {
                let arcs = start..end.min(n_arcs);
                start = arcs.end;
                (row, arcs)
            })
            .take_while(move |(_, arcs)| arcs.start < n_arcs)
            .filter(|(_, arcs)| !arcs.is_empty())
    }

    /// A sum over arcs that is zero if every arc has its reverse.
    ///
    /// Vertices have hashes f and g, weights have h. An arc (u, v, w) adds
    /// h(w) · (f(u) g(v) − g(u) f(v)), and its reverse subtracts the same. If an arc has no
    /// reverse, the sum is not zero, except with a probability of about 1 in 2^32, or for arcs
    /// chosen to collide. Such a graph has wrong distances, and nothing worse. Of each row, the
    /// sums of h g and of h f are multiplied by f(u) and g(u) once.
    pub(crate) fn excess<W: Weight>(&self, first: usize, ends: &[VertexId], weights: &[W]) -> u64 {
        let mut excess = 0_u64;
        for (row, arcs) in self.rows(first, ends.len()) {
            let (mut sum_f, mut sum_g) = (0_u64, 0_u64);
            let mut add = |end: VertexId, factor: u64| {
                let [f, g] = vertex_hashes(end);
                sum_f = sum_f.wrapping_add(factor * f);
                sum_g = sum_g.wrapping_add(factor * g);
            };
            match weights.get(arcs.clone()) {
                Some(weights) => {
                    ends[arcs].iter().zip(weights).for_each(|(&end, &w)| add(end, weight_hash(w)));
                }
                None => ends[arcs].iter().for_each(|&end| add(end, 1)),
            }
            let [f, g] = vertex_hashes(row);
            let of_row = f.wrapping_mul(sum_g).wrapping_sub(g.wrapping_mul(sum_f));
            excess = excess.wrapping_add(of_row);
        }
        excess
    }
}

/// Two hashes of 32 bits, by products of 32 bits by 32, which compilers vectorise.
#[inline(always)]
fn vertex_hashes(vertex: VertexId) -> [u64; 2] {
    let low = |bits: u64| bits & 0xFFFF_FFFF;
    let spread = u64::from(vertex ^ 0x7F4A_7C15) * 0x9E37_79B1;
    let spread = low(spread ^ spread >> 29) * 0x85EB_CA6B;
    let spread = spread ^ spread >> 31;
    [low(spread), spread >> 32]
}

/// A hash of 32 bits that is not zero.
#[inline(always)]
fn weight_hash<W: Weight>(weight: W) -> u64 {
    let bits = weight.to_i128().map_or(weight.to_f64().to_bits(), |whole| whole as u64);
    (bits ^ bits >> 32).wrapping_mul(0xA076_1D64_78BD_642F) >> 32 | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows_ascend(row_offsets: &[u64], ends: &[VertexId]) -> bool {
        ArcPass::of(row_offsets).over::<u32>(ends, &[]).rows_ascend
    }

    #[test]
    fn rows_ascend_or_do_not() {
        assert!(rows_ascend(&[0], &[]));
        assert!(rows_ascend(&[0, 0, 3, 3, 5, 5], &[1, 1, 4, 0, 2]));
        assert!(!rows_ascend(&[0, 2], &[1, 0]));
        assert!(!rows_ascend(&[0, 0, 3, 3, 5], &[1, 4, 3, 0, 2]));
        // across the end of a part, within a row and between two
        let n = ARCS_PER_PART as u64;
        let mut ends: Vec<VertexId> = (0..2 * n as VertexId).collect();
        ends[ARCS_PER_PART..].iter_mut().for_each(|end| *end -= n as VertexId);
        assert!(rows_ascend(&[0, 0, n, n, 2 * n], &ends));
        assert!(!rows_ascend(&[0, n - 1, 2 * n], &ends));
        assert!(!rows_ascend(&[0, 2 * n], &ends));
    }

    /// A row of several parts has its sums in each.
    #[test]
    fn sums_do_not_depend_on_the_parts() {
        let n = 3 * ARCS_PER_PART / 2;
        let mut row_offsets = vec![0, n as u64];
        row_offsets.extend((1..=n as u64).map(|more| n as u64 + more));
        let mut ends: Vec<VertexId> = (1..=n as VertexId).collect();
        ends.resize(2 * n, 0);
        let excess = |ends: &[VertexId]| {
            let pass = ArcPass { row_offsets: &row_offsets, first_row: 0, seeks_reverses: true };
            let parts = pass.over::<u32>(ends, &[]).excess;
            assert_eq!(parts, pass.excess::<u32>(0, ends, &[]));
            parts
        };
        assert_eq!(excess(&ends), 0);
        ends[n + 7] = 5;
        assert_ne!(excess(&ends), 0);
    }
}
