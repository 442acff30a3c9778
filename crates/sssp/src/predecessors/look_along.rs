//! In an undirected graph, each vertex scans its own row for its predecessor.
//!
//! Rows ascend, so the first tight tail is the smallest. The scan skips arcs that are longer than
//! the vertex's distance. To skip more arcs, the few nearest vertices are handled first by the pass
//! over their own rows, and the scans need only the other tails. In R-MAT graphs, most arcs are
//! longer than the distance from the nearest hubs to any vertex. If there is a copy of the short
//! arcs, most vertices need no others. The time is dominated by cache misses. So several rows are
//! scanned in turn, and the next key of each is prefetched.

use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use graph_formats::{Distance, DistanceKey, VertexId, Weight};
use search_parts::prefetch;

use super::{NO_VERTEX, Tails};
use crate::arc_split::{ArcSplit, ShortArcs};
use crate::key::KeyArithmetic;

/// Least arcs of a row whose weights are read first, to skip arcs that are too long.
const MIN_LONG_ROW: usize = 16;
/// Most arcs of a row that is scanned without branches.
const MAX_SHORT_ROW: usize = 4;
/// Long rows that are scanned in turn.
const ROWS_AT_ONCE: usize = 64;
/// The row this many rows ahead is prefetched.
const ROWS_AHEAD: usize = 16;

/// The scan of a vertex's row.
struct Scan<'a, W, K> {
    vertex: VertexId,
    key: K,
    /// Longer arcs are skipped.
    longest: W,
    /// The list that has the arcs; `None` for the graph.
    short: Option<&'a ShortArcs<W>>,
    /// The arcs that are left.
    arcs: Range<usize>,
}

impl<W: Weight, L: KeyArithmetic<W>, T: Sync, K: Fn(&T) -> L::Key + Sync> Tails<'_, W, L, T, K> {
    /// Lowers the choice of each of these vertices to its smallest tight tail that is strictly
    /// nearer and has a key of at least `near`; other tails may be skipped. Returns the reached
    /// vertices without a choice, ascending. The graph is undirected, with ascending rows.
    pub(super) fn look_along(
        &self,
        mut rows: Range<VertexId>,
        near: L::Key,
        chosen: &[AtomicU32],
    ) -> Vec<VertexId> {
        let offsets = self.graph.row_offsets();
        let (columns, weights) = (self.graph.column_indices(), self.graph.weights());
        let mut left = Vec::new();
        // no other thread changes these choices now
        let mut choose = |vertex: VertexId, from: VertexId| {
            let choice = &chosen[vertex as usize];
            let from = from.min(choice.load(Relaxed));
            choice.store(from, Relaxed);
            if from == NO_VERTEX && vertex != self.source {
                left.push(vertex);
            }
        };
        let mut scans = Vec::with_capacity(ROWS_AT_ONCE);
        loop {
            while scans.len() < ROWS_AT_ONCE
                && let Some(vertex) = rows.next()
            {
                let key = self.key(vertex);
                if key == L::Key::GREATEST {
                    continue;
                }
                if let Some(&later) = offsets.get(vertex as usize + ROWS_AHEAD) {
                    prefetch(weights, later as usize);
                    prefetch(columns, later as usize);
                    if let Some(ArcSplit { short, .. }) = self.short_arcs {
                        prefetch(&short.arcs, short.row_offsets[vertex as usize + ROWS_AHEAD]);
                    }
                }
                let row = self.graph.row(vertex);
                if key <= near {
                    choose(vertex, NO_VERTEX);
                    continue;
                }
                let (longest, short, arcs) = match (self.longest(key, near), self.short_arcs) {
                    (Some(longest), Some(split)) if longest < split.limit => {
                        (longest, Some(&split.short), split.short.row_range(vertex))
                    }
                    (Some(longest), _) if row.len() >= MIN_LONG_ROW => (longest, None, row),
                    _ => {
                        choose(vertex, self.first(key, row));
                        continue;
                    }
                };
                let arcs = self.skip_long(short, arcs, longest);
                scans.push(Scan { vertex, key, longest, short, arcs });
            }
            if scans.is_empty() {
                left.sort_unstable();
                return left;
            }
            for scan in scans.iter().filter(|scan| !scan.arcs.is_empty()) {
                prefetch(self.keys, self.arc(scan.short, scan.arcs.start).0 as usize);
            }
            scans.retain_mut(|scan| {
                let Some(arc) = scan.arcs.next() else {
                    choose(scan.vertex, NO_VERTEX);
                    return false;
                };
                let (from, weight) = self.arc(scan.short, arc);
                if self.leads(scan.key, from, weight) {
                    choose(scan.vertex, from);
                    return false;
                }
                scan.arcs = self.skip_long(scan.short, scan.arcs.clone(), scan.longest);
                true
            });
        }
    }

    /// The greatest weight of an arc to a vertex with this key from one with a key of at least
    /// `near`; `None` if no arc of the graph is longer.
    fn longest(&self, key: L::Key, near: L::Key) -> Option<W> {
        let distance = |key| W::Distance::from_key(L::full(key));
        let (distance, nearest) = (distance(key), distance(near));
        let longest = match (distance.to_i128(), nearest.to_i128()) {
            (Some(distance), Some(nearest)) => W::from_i128(distance - nearest)?,
            // differences of floats round; but no weight exceeds a sum that includes it
            _ => W::from_f64(distance.to_f64())?,
        };
        (longest < self.graph.weight_summary().greatest).then_some(longest)
    }

    /// An arc of the short ones, or of the graph.
    #[inline(always)]
    fn arc(&self, short: Option<&ShortArcs<W>>, at: usize) -> (VertexId, W) {
        match short {
            Some(short) => short.arcs[at],
            None => (self.graph.column_indices()[at], self.graph.weights()[at]),
        }
    }

    /// The arcs from the first one on that is not too long.
    #[inline(always)]
    fn skip_long(
        &self,
        short: Option<&ShortArcs<W>>,
        arcs: Range<usize>,
        longest: W,
    ) -> Range<usize> {
        let skipped = match short {
            Some(short) => short.arcs[arcs.clone()].iter().position(|arc| arc.1 <= longest),
            None => self.graph.weights()[arcs.clone()].iter().position(|&weight| weight <= longest),
        };
        let first = arcs.start + skipped.unwrap_or(arcs.len());
        if short.is_none() {
            prefetch(self.graph.column_indices(), first);
        }
        first..arcs.end
    }

    /// The first end in this row that is a tight tail.
    fn first(&self, key: L::Key, row: Range<usize>) -> VertexId {
        let ends = &self.graph.column_indices()[row.clone()];
        let weights = &self.graph.weights()[row];
        if ends.len() <= MAX_SHORT_ROW {
            return self.smallest::<MAX_SHORT_ROW>(key, ends, weights);
        }
        let (ends, last_end) = ends.as_chunks::<2>();
        let (weights, last_weight) = weights.as_chunks::<2>();
        let mut found = ends.iter().zip(weights).map(|(e, w)| self.smallest::<2>(key, e, w));
        let found = found.find(|&from| from != NO_VERTEX);
        found.unwrap_or_else(|| self.smallest::<1>(key, last_end, last_weight))
    }

    /// The smallest of at most N ends that is a tight tail. It has no unpredictable branch: the
    /// last arc is checked again in the place of missing ones.
    #[inline(always)]
    fn smallest<const N: usize>(&self, key: L::Key, ends: &[VertexId], weights: &[W]) -> VertexId {
        let Some(last) = ends.len().checked_sub(1) else { return NO_VERTEX };
        let weights = &weights[..=last];
        (0..N).map(|at| at.min(last)).fold(NO_VERTEX, |least, at| {
            let leads = self.leads(key, ends[at], weights[at]);
            least.min(if leads { ends[at] } else { NO_VERTEX })
        })
    }

    /// Whether an arc of this weight from `from` is tight, and `from` is strictly nearer.
    #[inline(always)]
    fn leads(&self, key: L::Key, from: VertexId, weight: W) -> bool {
        let before = self.key(from);
        (L::after(before, weight) == key) & (before < key)
    }
}
