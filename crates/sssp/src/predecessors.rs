//! The shortest-path tree, computed from the distances.
//!
//! An arc (u, v, w) is tight if the distance of u plus w equals that of v. The distances of all
//! solvers are equal and have the same tight arcs. So a rule that chooses among tight arcs gives
//! the same tree on every backend and in every run, without a race in the search.
//!
//! Without negative weights the rule is: the predecessor of v is the smallest tight u that is
//! strictly nearer than v. A vertex without such a u is on a plateau: its tight arcs do not
//! increase the distance. Plateaus are filled breadth-first from the vertices that have a
//! predecessor, and a vertex takes the smallest u one level before it. With negative weights the
//! distances do not order the vertices of a path, and all vertices are filled breadth-first from
//! the source. Neither rule makes a cycle: each predecessor is strictly nearer, or one level
//! earlier.
//!
//! In a directed graph, a pass over all rows lowers the choices at the ends of tight arcs. In an
//! undirected graph with ascending rows, each vertex [scans its own row](look_along).
//!
//! O(n + m); the pass over all arcs is parallel, plateaus are not.

mod look_along;

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use graph_formats::{Csr, Direction, Distance, DistanceKey, VertexId, Weight, parallel};
use paths::{Distances, Predecessors};
use rayon::prelude::*;

use crate::arc_split::ArcSplit;
use crate::key::{FullKey, FullKeys, KeyArithmetic, Keys, mapped};

/// The code for "no predecessor"; no graph has this many vertices.
const NO_VERTEX: VertexId = VertexId::MAX;
/// Rows and arcs, in sum, of one task of the parallel pass.
const ROWS_AND_ARCS_PER_TASK: usize = 1 << 16;
/// Arcs whose ends are sampled to find the nearest vertices.
const SAMPLES: usize = 4096;
/// One in this many arcs ends at the nearest vertices.
const ARCS_PER_NEAREST: usize = 256;

/// The predecessors for these distances, of which there is one for each vertex.
pub(crate) fn from_distances<W: Weight>(
    graph: &Csr<W>,
    source: VertexId,
    distances: &Distances<W::Distance>,
) -> Predecessors {
    let distances = distances.as_storage();
    if let Some(graph) = graph.as_unsigned() {
        let keys = mapped(distances, FullKey::<W>::LEAST, |distance| distance.to_key());
        let limit = DistanceKey::GREATEST;
        let keys = Keys::Plain(&keys);
        return from_keys::<_, FullKeys>(&graph, source, limit, None, keys);
    }
    let mut chosen = vec![NO_VERTEX; graph.n_vertices()];
    if distances[source as usize] != W::Distance::UNREACHED {
        fill_by_levels(graph, source, vec![source], &mut chosen, |from, weight, to| {
            let distance = distances[from as usize];
            // a sum never equals the code for unreached
            weight.after(distance) == Some(distances[to as usize])
        });
    }
    Predecessors::from_storage(chosen)
}

/// The predecessors for the distances up to `limit` from `source`; no weight is negative. A copy of
/// the short arcs makes this faster.
pub(crate) fn from_keys<W: Weight, L: KeyArithmetic<W>>(
    graph: &Csr<W>,
    source: VertexId,
    limit: L::Key,
    short_arcs: Option<&ArcSplit<W>>,
    keys: Keys<'_, L::Key>,
) -> Predecessors {
    let within = |key: L::Key| if key > limit { L::Key::GREATEST } else { key };
    let lengths = PhantomData::<L>;
    match keys {
        Keys::Plain(keys) => {
            let key = |&key: &L::Key| within(key);
            Tails { graph, source, short_arcs, keys, key, lengths }.choose()
        }
        Keys::Shared(keys) => {
            let key = |key: &_| within(L::Key::load(key));
            Tails { graph, source, short_arcs, keys, key, lengths }.choose()
        }
    }
}

/// The data by which tails of tight arcs are chosen.
struct Tails<'a, W: Weight, L, T, K> {
    graph: &'a Csr<W>,
    source: VertexId,
    short_arcs: Option<&'a ArcSplit<W>>,
    keys: &'a [T],
    key: K,
    lengths: PhantomData<L>,
}

impl<W: Weight, L: KeyArithmetic<W>, T: Sync, K: Fn(&T) -> L::Key + Sync> Tails<'_, W, L, T, K> {
    #[inline(always)]
    fn key(&self, vertex: VertexId) -> L::Key {
        (self.key)(&self.keys[vertex as usize])
    }

    fn choose(&self) -> Predecessors {
        let (chosen, left) = self.nearer();
        Predecessors::from_storage(self.fill_plateaus(chosen, &left))
    }

    /// Whether an arc of this weight is tight; its tail is reached.
    #[inline(always)]
    fn is_tight(&self, from: VertexId, weight: W, to: VertexId) -> bool {
        let there = self.key(to);
        // a sum that overflows has the key of an unreached vertex
        (L::after(self.key(from), weight) == there) & (there != L::Key::GREATEST)
    }

    /// For every vertex the smallest tight tail that is strictly nearer; and the reached vertices
    /// without one, ascending.
    fn nearer(&self) -> (Vec<VertexId>, Vec<VertexId>) {
        let scans_rows =
            self.graph.direction() == Direction::Undirected && self.graph.rows_ascend();
        let near = if scans_rows { self.near() } else { L::Key::GREATEST };
        let chosen = unchosen(self.graph.n_vertices());
        let tasks = tasks(self.graph.row_offsets());
        parallel::for_each(tasks.len(), &|task| {
            for from in tasks[task].clone().filter(|&from| self.key(from) < near) {
                let key = self.key(from);
                for (to, weight) in self.graph.arcs_from(from) {
                    if self.is_tight(from, weight, to) && key < self.key(to) {
                        lower(&chosen[to as usize], from);
                    }
                }
            }
        });
        let is_left = |v: VertexId| {
            let is_placed = v == self.source || chosen[v as usize].load(Relaxed) != NO_VERTEX;
            !is_placed && self.key(v) != L::Key::GREATEST
        };
        let left = parallel::map(tasks.len(), &|task| match scans_rows {
            true => self.look_along(tasks[task].clone(), near, &chosen),
            false => tasks[task].clone().filter(|&v| is_left(v)).collect(),
        });
        let left = left.concat();
        (chosen.into_iter().map(AtomicU32::into_inner).collect(), left)
    }

    /// A key above those of only the nearest vertices, by a sample.
    fn near(&self) -> L::Key {
        let step = self.graph.n_arcs() / SAMPLES + 1;
        let ends = self.graph.column_indices().iter().step_by(step).map(|&end| self.key(end));
        let mut keys: Vec<_> = ends.filter(|&key| key != L::Key::GREATEST).collect();
        let rank = keys.len() / ARCS_PER_NEAREST;
        if keys.is_empty() { L::Key::GREATEST } else { *keys.select_nth_unstable(rank).1 }
    }

    /// Gives the vertices in `left` a predecessor on their plateau.
    fn fill_plateaus(&self, mut chosen: Vec<VertexId>, left: &[VertexId]) -> Vec<VertexId> {
        let placed =
            |chosen: &[VertexId], v: VertexId| v == self.source || chosen[v as usize] != NO_VERTEX;
        if left.is_empty() {
            return chosen;
        }
        let level = match self.graph.direction() {
            Direction::Directed => self.graph.vertices().filter(|&v| placed(&chosen, v)).collect(),
            // of the placed vertices, the neighbours of `left` are enough
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
        let is_tight = |from, weight, to| self.is_tight(from, weight, to);
        fill_by_levels(self.graph, self.source, level, &mut chosen, is_tight);
        chosen
    }
}

/// Fills `chosen` level by level, from a level of placed vertices. Levels ascend, so the first tail
/// that finds a vertex is the smallest.
fn fill_by_levels<W: Weight>(
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

/// Choices for `n_vertices` vertices, all without a predecessor.
fn unchosen(n_vertices: usize) -> Vec<AtomicU32> {
    let vertices = (0..n_vertices).into_par_iter().with_min_len(ROWS_AND_ARCS_PER_TASK);
    vertices.map(|_| AtomicU32::new(NO_VERTEX)).collect()
}

/// Lowers a choice to `from`, if that is smaller.
#[inline(always)]
fn lower(choice: &AtomicU32, from: VertexId) {
    if from < choice.load(Relaxed) {
        choice.fetch_min(from, Relaxed);
    }
}

/// Ranges of rows, with about the same sum of rows and arcs.
fn tasks(row_offsets: &[u64]) -> Vec<Range<VertexId>> {
    let n = row_offsets.len() - 1;
    let n_tasks = (n + row_offsets[n] as usize).div_ceil(ROWS_AND_ARCS_PER_TASK);
    let first_row = |task: usize| {
        // the first row with at least this many rows and arcs before it
        let before = task * ROWS_AND_ARCS_PER_TASK;
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
