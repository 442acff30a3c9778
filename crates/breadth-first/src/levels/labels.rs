//! The level and the predecessor of each vertex, packed into one label.
//!
//! A label has the level, counted down, in its high half and the inverted predecessor in its low
//! half. The greater of two labels is the better: it has the lower level, or the smaller
//! predecessor. So arcs may be relaxed in any order, by a maximum. Level 0 has a greater number in
//! each search than in all earlier ones: labels of earlier searches lose every comparison and need
//! not be cleared.

use std::sync::atomic::AtomicU64;

use graph_formats::VertexId;

/// The code for "no predecessor"; no graph has this many vertices.
pub(super) const NO_VERTEX: VertexId = VertexId::MAX;

/// The range of level numbers of one search.
#[derive(Clone, Copy, Default)]
pub(super) struct Epoch {
    /// The number of this search's level 0.
    first: u32,
    /// The number of the previous search's level 0. The numbers of this search are above it.
    before: u32,
}

impl Epoch {
    /// Begins the next search, from `source`. O(1); O(n) each time that the numbers run out.
    pub(super) fn begin(&mut self, labels: &mut [AtomicU64], source: VertexId) {
        let (n, before) = (labels.len() as u32, self.first);
        *self = match before.checked_add(n) {
            Some(first) => Self { first, before },
            None => {
                labels.iter_mut().for_each(|label| *label.get_mut() = 0);
                Self { first: n, before: 0 }
            }
        };
        *labels[source as usize].get_mut() = self.label(0, NO_VERTEX);
    }

    /// The label of a vertex in `level`, which is at most the number of vertices.
    #[inline(always)]
    pub(super) fn label(self, level: u32, predecessor: VertexId) -> u64 {
        u64::from(self.first - level) << 32 | u64::from(!predecessor)
    }

    #[inline(always)]
    pub(super) fn is_found(self, label: u64) -> bool {
        (label >> 32) as u32 > self.before
    }

    /// The level of a vertex; if it was not found, a number greater than all levels.
    #[inline(always)]
    pub(super) fn level(self, label: u64) -> u32 {
        self.first - (label >> 32) as u32
    }
}

/// The predecessor in a label.
#[inline(always)]
pub(super) fn predecessor(label: u64) -> VertexId {
    !(label as VertexId)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;

    #[test]
    fn earlier_searches_are_forgotten() {
        let n = 1 << 30;
        let [earlier, later] = [0, n].map(|before| Epoch { first: before + n, before });
        let best = earlier.label(0, 0);
        let worst = later.label(n - 1, NO_VERTEX - 1);
        assert!(worst > best && later.is_found(worst) && !later.is_found(best));
        assert_eq!(later.level(worst), n - 1);
        assert!(later.level(best) >= n);
    }

    fn found(labels: &[AtomicU64; 3], epoch: Epoch) -> [bool; 3] {
        labels.each_ref().map(|label| epoch.is_found(label.load(Relaxed)))
    }

    #[test]
    fn labels_are_cleared_when_numbers_run_out() {
        let mut epoch = Epoch { first: u32::MAX - 2, before: u32::MAX - 5 };
        let mut labels = [0, epoch.label(2, 0), 0].map(AtomicU64::new);
        epoch.begin(&mut labels, 2);
        assert_eq!((found(&labels, epoch), epoch.first), ([false, false, true], 3));
        assert_eq!(epoch.level(labels[2].load(Relaxed)), 0);
        epoch.begin(&mut labels, 0);
        assert_eq!(found(&labels, epoch), [true, false, false]);
    }

    #[test]
    fn the_greater_label_is_better() {
        let epoch = Epoch { first: 100, before: 50 };
        assert!(epoch.label(3, 9) > epoch.label(4, 1));
        assert!(epoch.label(3, 8) > epoch.label(3, 9));
        let label = epoch.label(3, 8);
        assert_eq!((epoch.level(label), predecessor(label)), (3, 8));
    }
}
