//! Where a graph is undirected, each vertex looks along its own row for its predecessor.
//!
//! Rows ascend, so that the first tail that it finds is the smallest; it passes over arcs that
//! are longer than it is far. For that to be most of them, the few nearest vertices offer
//! themselves all the same, and all others look for what is not so near: in R-MAT graphs, most
//! arcs are longer than the way from the nearest hubs to any vertex. Where searches have a copy
//! of the short arcs, most vertices need to look at no others. The time goes into waiting for
//! memory, so that many rows are looked along side by side, and what each needs next is
//! prefetched.

use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use graph_formats::{Distance, DistanceKey, VertexId, Weight};
use search_parts::prefetch;

use super::{NO_VERTEX, Tails};
use crate::key::KeyArithmetic;

/// Arcs of a row from which on weights are looked at first, to pass over arcs that are too long.
const LONG_ROW: usize = 16;
/// Arcs of a row that are all looked at in one go.
const SHORT_ROW: usize = 4;
/// How many long rows are looked along side by side.
const SIDE_BY_SIDE: usize = 64;
/// How many rows before it is looked along one is prefetched.
const ROWS_AHEAD: usize = 16;

/// Where a row is looked along.
#[derive(Clone, Copy)]
enum List {
    Graph,
    ShortArcs,
}

/// How far a vertex has looked along its row.
struct Look<W, K> {
    vertex: VertexId,
    key: K,
    /// Longer arcs are passed over.
    longest: W,
    /// Whose arcs they are.
    list: List,
    /// From the next arc to the end of the row.
    arcs: Range<usize>,
}

impl<W: Weight, L: KeyArithmetic<W>, T: Sync, K: Fn(&T) -> L::Key + Sync> Tails<'_, W, L, T, K> {
    /// Offers each of these vertices the smallest tight tail that is strictly nearer, and not
    /// below `near`; others may be passed over. Returns the vertices that are reached and have
    /// none, ascending. The graph is undirected, with ascending rows.
    pub(super) fn look_along(
        &self,
        mut rows: Range<VertexId>,
        near: L::Key,
        chosen: &[AtomicU32],
    ) -> Vec<VertexId> {
        let offsets = self.graph.row_offsets();
        let (columns, weights) = (self.graph.column_indices(), self.graph.weights());
        let short = self.short_arcs.map(|split| (split.limit, &split.short));
        let mut left = Vec::new();
        // in these rows nobody else chooses by now
        let mut choose = |vertex: VertexId, from: VertexId| {
            let choice = &chosen[vertex as usize];
            let from = from.min(choice.load(Relaxed));
            choice.store(from, Relaxed);
            if from == NO_VERTEX && vertex != self.source {
                left.push(vertex);
            }
        };
        let mut looks = Vec::with_capacity(SIDE_BY_SIDE);
        loop {
            while looks.len() < SIDE_BY_SIDE
                && let Some(vertex) = rows.next()
            {
                let key = self.key(vertex);
                if key == L::Key::GREATEST {
                    continue;
                }
                if let Some(&later) = offsets.get(vertex as usize + ROWS_AHEAD) {
                    prefetch(weights, later as usize);
                    prefetch(columns, later as usize);
                    if let Some((_, short)) = short {
                        prefetch(short.arcs(), short.row_offsets()[vertex as usize + ROWS_AHEAD]);
                    }
                }
                let row = self.graph.row(vertex);
                let longest = self.longest(key, near);
                if key <= near {
                    choose(vertex, NO_VERTEX);
                } else if let Some(longest) = longest
                    && let Some((ahead, short)) = short
                    && longest < ahead
                {
                    let arcs = short.row_range(vertex);
                    looks.push(self.look(vertex, key, longest, List::ShortArcs, arcs));
                } else if let Some(longest) = longest
                    && row.len() >= LONG_ROW
                {
                    looks.push(self.look(vertex, key, longest, List::Graph, row));
                } else {
                    choose(vertex, self.first(key, row));
                }
            }
            if looks.is_empty() {
                left.sort_unstable();
                return left;
            }
            for look in looks.iter().filter(|look| !look.arcs.is_empty()) {
                prefetch(self.labels, self.arc(look.list, look.arcs.start).0 as usize);
            }
            looks.retain_mut(|look| {
                let Some(arc) = look.arcs.next() else {
                    choose(look.vertex, NO_VERTEX);
                    return false;
                };
                let (from, weight) = self.arc(look.list, arc);
                if self.leads(look.key, from, weight) {
                    choose(look.vertex, from);
                    return false;
                }
                look.arcs = self.skip_long(look.list, look.arcs.clone(), look.longest);
                true
            });
        }
    }

    /// How long an arc to a vertex with this key can be from one not below `near`, if some
    /// arcs of the graph are longer.
    fn longest(&self, key: L::Key, near: L::Key) -> Option<W> {
        let distance = |key| W::Distance::from_key(L::full(key));
        let (distance, nearest) = (distance(key), distance(near));
        let longest = match (distance.to_i128(), nearest.to_i128()) {
            (Some(distance), Some(nearest)) => W::from_i128(distance - nearest)?,
            // differences round, but no weight is greater than a sum with it
            _ => W::from_f64(distance.to_f64())?,
        };
        (longest < self.graph.weight_summary().greatest).then_some(longest)
    }

    /// The look along these arcs, of a row of the list.
    fn look(
        &self,
        vertex: VertexId,
        key: L::Key,
        longest: W,
        list: List,
        arcs: Range<usize>,
    ) -> Look<W, L::Key> {
        Look { vertex, key, longest, list, arcs: self.skip_long(list, arcs, longest) }
    }

    /// An arc of the list.
    #[inline(always)]
    fn arc(&self, list: List, at: usize) -> (VertexId, W) {
        match (list, self.short_arcs) {
            (List::ShortArcs, Some(split)) => split.short.arcs()[at],
            _ => (self.graph.column_indices()[at], self.graph.weights()[at]),
        }
    }

    /// The same arcs without those before the first that is not too long.
    #[inline(always)]
    fn skip_long(&self, list: List, arcs: Range<usize>, longest: W) -> Range<usize> {
        let short = if let (List::ShortArcs, Some(split)) = (list, self.short_arcs) {
            split.short.arcs()[arcs.clone()].iter().position(|arc| arc.1 <= longest)
        } else {
            self.graph.weights()[arcs.clone()].iter().position(|&weight| weight <= longest)
        };
        let first = arcs.start + short.unwrap_or(arcs.len());
        if let List::Graph = list {
            prefetch(self.graph.column_indices(), first);
        }
        first..arcs.end
    }

    /// The first end in this row that is a tight tail.
    fn first(&self, key: L::Key, row: Range<usize>) -> VertexId {
        let ends = &self.graph.column_indices()[row.clone()];
        let weights = &self.graph.weights()[row];
        if ends.len() <= SHORT_ROW {
            return self.smallest::<SHORT_ROW>(key, ends, weights);
        }
        let (ends, last_end) = ends.as_chunks::<2>();
        let (weights, last_weight) = weights.as_chunks::<2>();
        let mut found = ends.iter().zip(weights).map(|(e, w)| self.smallest::<2>(key, e, w));
        let found = found.find(|&from| from != NO_VERTEX);
        found.unwrap_or_else(|| self.smallest::<1>(key, last_end, last_weight))
    }

    /// The smallest end that is a tight tail, of at most N. There is no branch that cannot be
    /// foretold: the last arc is looked at again in the place of those that are not there.
    #[inline(always)]
    fn smallest<const N: usize>(&self, key: L::Key, ends: &[VertexId], weights: &[W]) -> VertexId {
        let Some(last) = ends.len().checked_sub(1) else { return NO_VERTEX };
        let weights = &weights[..=last];
        (0..N).map(|at| at.min(last)).fold(NO_VERTEX, |least, at| {
            let leads = self.leads(key, ends[at], weights[at]);
            least.min(if leads { ends[at] } else { NO_VERTEX })
        })
    }

    /// Whether an arc of this weight is tight, and its tail nearer than its head's key.
    #[inline(always)]
    fn leads(&self, key: L::Key, from: VertexId, weight: W) -> bool {
        let before = self.key(from);
        (L::after(before, weight) == key) & (before < key)
    }
}
