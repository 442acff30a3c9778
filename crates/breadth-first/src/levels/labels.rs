//! How each vertex was found: in which level, and from which vertex of the level before.
//!
//! A label is a number with the level above the predecessor, and of two the greater is the better
//! one: that of the nearer level, or of the smaller predecessor. So offers to a vertex may come in
//! any order. Levels count down from a number that is higher in each search than all that stand in
//! labels of earlier ones: those lose against every offer, and need not be cleared.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use graph_formats::VertexId;

/// The code for "no predecessor"; no graph has this many vertices.
pub(super) const NO_VERTEX: VertexId = VertexId::MAX;

/// A label for each vertex.
pub(super) struct Labels {
    labels: Vec<AtomicU64>,
    epoch: Epoch,
}

/// Which labels are of the last search.
#[derive(Clone, Copy, Default)]
pub(super) struct Epoch {
    /// What stands for its level 0,
    first: u32,
    /// and for that of the search before; all numbers between are this one's.
    before: u32,
}

impl Labels {
    /// 8 bytes a vertex, which the system gives out when they are first touched.
    pub(super) fn new(n_vertices: usize) -> Self {
        Self { labels: bytemuck::zeroed_vec(n_vertices), epoch: Epoch::default() }
    }

    /// Begins a search from `source`. O(1), and O(n) each time that the numbers are used up.
    pub(super) fn begin(&mut self, source: VertexId) {
        let n = self.labels.len() as u32;
        let before = self.epoch.first;
        self.epoch = match before.checked_add(n) {
            Some(first) => Epoch { first, before },
            None => {
                self.labels.iter_mut().for_each(|label| *label.get_mut() = 0);
                Epoch { first: n, before: 0 }
            }
        };
        *self.labels[source as usize].get_mut() = self.epoch.label(0, NO_VERTEX);
    }

    pub(super) fn epoch(&self) -> Epoch {
        self.epoch
    }

    pub(super) fn as_slice(&self) -> &[AtomicU64] {
        &self.labels
    }

    #[inline(always)]
    pub(super) fn of(&self, vertex: VertexId) -> &AtomicU64 {
        &self.labels[vertex as usize]
    }

    #[inline(always)]
    pub(super) fn get(&self, vertex: VertexId) -> u64 {
        self.of(vertex).load(Relaxed)
    }

    pub(super) fn is_found(&self, vertex: VertexId) -> bool {
        self.epoch.is_found(self.get(vertex))
    }

    /// The level of a vertex; one that has not been found has a greater number than all levels.
    #[inline(always)]
    pub(super) fn level(&self, vertex: VertexId) -> u32 {
        self.epoch.level(self.get(vertex))
    }
}

impl Epoch {
    /// The label of a vertex in `level`, of which there are fewer than vertices, or one more.
    #[inline(always)]
    pub(super) fn label(self, level: u32, predecessor: VertexId) -> u64 {
        u64::from(self.first - level) << 32 | u64::from(!predecessor)
    }

    #[inline(always)]
    pub(super) fn is_found(self, label: u64) -> bool {
        (label >> 32) as u32 > self.before
    }

    /// As [`Labels::level`].
    #[inline(always)]
    pub(super) fn level(self, label: u64) -> u32 {
        self.first - (label >> 32) as u32
    }
}

/// The predecessor of a vertex that has this label.
#[inline(always)]
pub(super) fn predecessor(label: u64) -> VertexId {
    !(label as VertexId)
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn numbers_that_are_used_up_begin_anew() {
        let mut labels = Labels::new(3);
        labels.epoch = Epoch { first: u32::MAX - 2, before: u32::MAX - 5 };
        *labels.labels[1].get_mut() = labels.epoch.label(2, 0);
        labels.begin(2);
        assert!(!labels.is_found(1) && labels.level(2) == 0 && labels.epoch.first == 3);
        labels.begin(0);
        assert!(labels.is_found(0) && !labels.is_found(2));
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
