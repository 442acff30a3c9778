//! The shortest-path tree, from the distances alone.
//!
//! An arc (u, v, w) is tight when the distance of u plus w is that of v. Any solver's
//! distances have the same tight arcs, so a rule that chooses among them gives the same
//! tree on every backend and in every run, and nothing races with the search itself.
//!
//! Without negative arcs the rule is: the smallest u that is strictly nearer than v. A
//! vertex that has none is on a plateau, which it was reached on by arcs that add
//! nothing; plateaus are filled breadth-first from the vertices that have a
//! predecessor, and a vertex takes the smallest u one level before it. With negative
//! arcs distance says nothing of the order on a path, and the breadth-first rule holds
//! for all vertices, from the source. Neither can make a cycle: each predecessor is
//! strictly nearer, or one level earlier.
//!
//! A vertex of a directed graph offers itself to the ends of its tight arcs. In an
//! undirected graph with ascending rows, each looks along its own row instead, and the first
//! that it finds is the smallest; it passes over arcs that are longer than it is far. For
//! that to be most of them, the few nearest vertices offer themselves all the same, and all
//! others look for what is not so near: in R-MAT graphs, most arcs are longer than the way
//! from the nearest hubs to any vertex. There the time goes into waiting for memory, so that
//! many rows are looked along side by side, and what each needs next is prefetched.
//!
//! O(n + m); the pass over all arcs is parallel, plateaus are not.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use graph_formats::{Csr, Direction, Distance, DistanceKey, VertexId, Weight};
use paths::{Distances, Predecessors};
use rayon::prelude::*;

use crate::SsspError;
use crate::cpu::prefetch::prefetch;
use crate::key::{FullKeys, KeyArithmetic};
use crate::query::check_vertices;

/// The code for "no predecessor"; no graph has this many vertices.
const NO_VERTEX: VertexId = VertexId::MAX;
/// Rows and arcs that one task of the parallel pass takes.
const ROWS_AND_ARCS_A_TASK: usize = 1 << 16;
/// Arcs whose ends are looked at to tell the nearest vertices from others.
const SAMPLES: usize = 4096;
/// The nearest vertices have one arc of so many.
const PART_OF_NEAREST: usize = 256;
/// Arcs of a row from which on weights are looked at first, to pass over arcs that are too long.
const LONG_ROW: usize = 16;
/// Arcs of a row that are all looked at in one go.
const SHORT_ROW: usize = 4;
/// How many long rows are looked along side by side.
const SIDE_BY_SIDE: usize = 64;
/// How many rows before it is looked along one is prefetched.
const ROWS_AHEAD: usize = 16;

/// The predecessor of every reached vertex but the source, by the rule above.
///
/// `distances` must be those of `graph` from `source`, as any solver here returns
/// them, whole or up to a limit; vertices without a tight arc get no predecessor. O(n + m).
///
/// # Errors
/// [`SsspError::NoSuchVertex`] for the source, and [`SsspError::NotAllVertices`] where there is
/// not one distance for each vertex.
///
/// ```
/// use graph_formats::Csr;
/// use paths::Distances;
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 1u32), (0, 2, 1), (1, 2, 0)])?;
/// let distances = Distances::from_iter([Some(0), Some(1), Some(1)]);
/// let predecessors = sssp::predecessors(&graph, 0, &distances)?;
/// assert_eq!(predecessors.get(2), Some(0)); // strictly nearer than 1 is
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn predecessors<W: Weight>(
    graph: &Csr<W>,
    source: VertexId,
    distances: &Distances<W::Distance>,
) -> Result<Predecessors, SsspError> {
    check_vertices(graph, "source", &[source])?;
    let (n_distances, n_vertices) = (distances.as_storage().len(), graph.n_vertices());
    if n_distances != n_vertices {
        return Err(SsspError::NotAllVertices { n_distances, n_vertices });
    }
    Ok(from_distances(graph, source, distances))
}

/// The same where the lengths are known to agree.
pub(crate) fn from_distances<W: Weight>(
    graph: &Csr<W>,
    source: VertexId,
    distances: &Distances<W::Distance>,
) -> Predecessors {
    let distances = distances.as_storage();
    if graph.first_negative().is_none() {
        let key = |distance: &W::Distance| distance.to_key();
        return from_labels::<W, FullKeys, _>(graph, source, DistanceKey::GREATEST, distances, key);
    }
    let mut chosen = vec![NO_VERTEX; graph.n_vertices()];
    if distances[source as usize] != W::Distance::UNREACHED {
        spread(graph, source, vec![source], &mut chosen, |from, weight, to| {
            let distance = distances[from as usize];
            // a sum is never the code for unreached
            weight.after(distance) == Some(distances[to as usize])
        });
    }
    Predecessors::from_storage(chosen)
}

/// The predecessors that belong to the distances up to `limit` from `source`, where no weight
/// is negative; `key` reads the label of a vertex.
pub(crate) fn from_labels<W: Weight, L: KeyArithmetic<W>, T: Sync>(
    graph: &Csr<W>,
    source: VertexId,
    limit: L::Key,
    labels: &[T],
    key: impl Fn(&T) -> L::Key + Sync,
) -> Predecessors {
    let key = |label: &T| match key(label) {
        beyond if beyond > limit => L::Key::GREATEST,
        key => key,
    };
    let tails = Tails::<W, L, _, _> { graph, source, labels, key, lengths: PhantomData };
    let (chosen, left) = tails.nearer();
    Predecessors::from_storage(tails.fill_plateaus(chosen, &left))
}

/// The tails of tight arcs.
struct Tails<'a, W: Weight, L, T, K> {
    graph: &'a Csr<W>,
    source: VertexId,
    labels: &'a [T],
    key: K,
    lengths: PhantomData<L>,
}

/// How far a vertex has looked along its row.
struct Look<W, K> {
    vertex: VertexId,
    key: K,
    /// Longer arcs are passed over.
    longest: W,
    /// From the next arc to the end of the row.
    arcs: Range<usize>,
}

impl<W: Weight, L: KeyArithmetic<W>, T: Sync, K: Fn(&T) -> L::Key + Sync> Tails<'_, W, L, T, K> {
    #[inline(always)]
    fn key(&self, vertex: VertexId) -> L::Key {
        (self.key)(&self.labels[vertex as usize])
    }

    /// Whether an arc of this weight is tight; its tail is reached.
    #[inline(always)]
    fn is_tight(&self, from: VertexId, weight: W, to: VertexId) -> bool {
        let there = self.key(to);
        // a sum that cannot be held has the key of what is unreached
        (L::after(self.key(from), weight) == there) & (there != L::Key::GREATEST)
    }

    /// The smallest tight tail that is strictly nearer, for every vertex; and the vertices that
    /// are reached and have none, ascending.
    fn nearer(&self) -> (Vec<VertexId>, Vec<VertexId>) {
        let looks = self.graph.direction() == Direction::Undirected && self.graph.rows_ascend();
        let near = if looks { self.near() } else { L::Key::GREATEST };
        let none = |_| AtomicU32::new(NO_VERTEX);
        let chosen: Vec<_> = (0..self.graph.n_vertices()).into_par_iter().map(none).collect();
        let tasks = tasks(self.graph.row_offsets());
        tasks.par_iter().for_each(|rows| {
            for from in rows.clone().filter(|&from| self.key(from) < near) {
                let key = self.key(from);
                for (to, weight) in self.graph.arcs_from(from) {
                    if self.is_tight(from, weight, to) && key < self.key(to) {
                        offer(&chosen[to as usize], from);
                    }
                }
            }
        });
        let is_left = |v: VertexId| {
            let is_placed = v == self.source || chosen[v as usize].load(Relaxed) != NO_VERTEX;
            !is_placed && self.key(v) != L::Key::GREATEST
        };
        let left = tasks.par_iter().flat_map_iter(|rows| match looks {
            true => self.look_along(rows.clone(), near, &chosen),
            false => rows.clone().filter(|&v| is_left(v)).collect(),
        });
        let left = left.collect();
        (chosen.into_iter().map(AtomicU32::into_inner).collect(), left)
    }

    /// A key that only the nearest vertices are below.
    fn near(&self) -> L::Key {
        let step = self.graph.n_arcs() / SAMPLES + 1;
        let ends = self.graph.column_indices().iter().step_by(step).map(|&end| self.key(end));
        let mut keys: Vec<_> = ends.filter(|&key| key != L::Key::GREATEST).collect();
        let rank = keys.len() / PART_OF_NEAREST;
        if keys.is_empty() { L::Key::GREATEST } else { *keys.select_nth_unstable(rank).1 }
    }

    /// Offers each of these vertices the smallest tight tail that is strictly nearer, and not
    /// below `near`; others may be passed over. Returns the vertices that are reached and have
    /// none, ascending. The graph is undirected, with ascending rows.
    fn look_along(
        &self,
        mut rows: Range<VertexId>,
        near: L::Key,
        chosen: &[AtomicU32],
    ) -> Vec<VertexId> {
        let offsets = self.graph.row_offsets();
        let (columns, weights) = (self.graph.column_indices(), self.graph.weights());
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
                }
                let row = self.graph.row(vertex);
                if key <= near {
                    choose(vertex, NO_VERTEX);
                } else if row.len() >= LONG_ROW
                    && let Some(longest) = self.longest(key, near)
                {
                    looks.push(Look { vertex, key, longest, arcs: self.skip_long(row, longest) });
                } else {
                    choose(vertex, self.first(key, row));
                }
            }
            if looks.is_empty() {
                left.sort_unstable();
                return left;
            }
            let next = looks.iter().filter_map(|look| columns.get(look.arcs.start));
            next.for_each(|&from| prefetch(self.labels, from as usize));
            looks.retain_mut(|look| {
                let Some(arc) = look.arcs.next() else {
                    choose(look.vertex, NO_VERTEX);
                    return false;
                };
                if self.leads(look.key, columns[arc], weights[arc]) {
                    choose(look.vertex, columns[arc]);
                    return false;
                }
                look.arcs = self.skip_long(look.arcs.clone(), look.longest);
                true
            });
        }
    }

    /// How long an arc to a vertex with this key can be from one not below `near`, if some
    /// arcs of the graph are longer.
    fn longest(&self, key: L::Key, near: L::Key) -> Option<W> {
        let (distance, nearest) = (L::distance(key), L::distance(near));
        let longest = match (distance.to_i128(), nearest.to_i128()) {
            (Some(distance), Some(nearest)) => W::from_i128(distance - nearest)?,
            // differences round, but no weight is greater than a sum with it
            _ => W::from_f64(distance.to_f64())?,
        };
        (longest < self.graph.weight_summary().greatest).then_some(longest)
    }

    /// The same arcs without those before the first that is not too long.
    #[inline(always)]
    fn skip_long(&self, arcs: Range<usize>, longest: W) -> Range<usize> {
        let mut weights = self.graph.weights()[arcs.clone()].iter();
        let short = weights.position(|&weight| weight <= longest).unwrap_or(arcs.len());
        prefetch(self.graph.column_indices(), arcs.start + short);
        arcs.start + short..arcs.end
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

    /// Gives the vertices that are left, as no nearer one leads there, a predecessor on their
    /// plateau.
    fn fill_plateaus(&self, mut chosen: Vec<VertexId>, left: &[VertexId]) -> Vec<VertexId> {
        let placed =
            |chosen: &[VertexId], v: VertexId| v == self.source || chosen[v as usize] != NO_VERTEX;
        if left.is_empty() {
            return chosen;
        }
        let level = match self.graph.direction() {
            Direction::Directed => self.graph.vertices().filter(|&v| placed(&chosen, v)).collect(),
            // of the placed ones, those beside them are enough
            Direction::Undirected => {
                let beside = left.iter().flat_map(|&v| {
                    let arcs = self.graph.arcs_from(v);
                    arcs.filter_map(move |(to, weight)| self.is_tight(v, weight, to).then_some(to))
                });
                let mut level: Vec<_> = beside.filter(|&v| placed(&chosen, v)).collect();
                level.sort_unstable();
                level.dedup();
                level
            }
        };
        spread(self.graph, self.source, level, &mut chosen, |from, weight, to| {
            self.is_tight(from, weight, to)
        });
        chosen
    }
}

/// From a level of placed vertices, ascending, to the next, until none is left. The first tail
/// that finds a vertex is the smallest.
fn spread<W: Weight>(
    graph: &Csr<W>,
    source: VertexId,
    mut level: Vec<VertexId>,
    chosen: &mut [VertexId],
    is_tight: impl Fn(VertexId, W, VertexId) -> bool,
) {
    while !level.is_empty() {
        let mut next = Vec::new();
        for &from in &level {
            for (to, weight) in graph.arcs_from(from) {
                if chosen[to as usize] == NO_VERTEX && to != source && is_tight(from, weight, to) {
                    chosen[to as usize] = from;
                    next.push(to);
                }
            }
        }
        next.sort_unstable();
        level = next;
    }
}

/// Lowers a choice to `from`.
#[inline(always)]
fn offer(choice: &AtomicU32, from: VertexId) {
    if from < choice.load(Relaxed) {
        choice.fetch_min(from, Relaxed);
    }
}

/// All rows, cut for as many rows and arcs in each task.
fn tasks(row_offsets: &[u64]) -> Vec<Range<VertexId>> {
    let n = row_offsets.len() - 1;
    let n_tasks = (n + row_offsets[n] as usize).div_ceil(ROWS_AND_ARCS_A_TASK);
    let first_row = |task: usize| {
        // so many rows and arcs, or more, are before it
        let before = task * ROWS_AND_ARCS_A_TASK;
        let (mut low, mut high) = (0, n);
        while low < high {
            let middle = low.midpoint(high);
            match middle + row_offsets[middle] as usize {
                fewer if fewer < before => low = middle + 1,
                _ => high = middle,
            }
        }
        low as VertexId
    };
    (0..n_tasks).map(|task| first_row(task)..first_row(task + 1)).collect()
}
