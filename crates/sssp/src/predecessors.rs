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
//! undirected graph with ascending rows, each [looks along its own row](look_along) instead.
//!
//! O(n + m); the pass over all arcs is parallel, plateaus are not.

mod look_along;

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use graph_formats::{Csr, Direction, Distance, DistanceKey, VertexId, Weight, parallel};
use paths::{Distances, Predecessors};
use rayon::prelude::*;
use search_parts::check_vertices;

use crate::SsspError;
use crate::arc_split::ArcSplit;
use crate::key::{FullKey, FullKeys, KeyArithmetic, Labels};

/// Distances of which a task makes keys.
const DISTANCES_PER_TASK: usize = 1 << 14;
/// The code for "no predecessor"; no graph has this many vertices.
const NO_VERTEX: VertexId = VertexId::MAX;
/// Rows and arcs that one task of the parallel pass takes.
const ROWS_AND_ARCS_A_TASK: usize = 1 << 16;
/// Arcs whose ends are looked at to tell the nearest vertices from others.
const SAMPLES: usize = 4096;
/// The nearest vertices have one arc of so many.
const PART_OF_NEAREST: usize = 256;

pub(crate) fn checked_from_distances<W: Weight>(
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
    if let Some(graph) = graph.as_unsigned() {
        let mut keys = vec![FullKey::<W>::LEAST; distances.len()];
        parallel::fill(&mut keys, DISTANCES_PER_TASK, &|first, part| {
            for (key, distance) in part.iter_mut().zip(&distances[first..]) {
                *key = distance.to_key();
            }
        });
        let limit = DistanceKey::GREATEST;
        let labels = Labels::Plain(&keys);
        return from_labels::<_, FullKeys>(&graph, source, limit, None, labels);
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
/// is negative. A copy of the short arcs, if there is one, makes it faster.
pub(crate) fn from_labels<W: Weight, L: KeyArithmetic<W>>(
    graph: &Csr<W>,
    source: VertexId,
    limit: L::Key,
    short_arcs: Option<&ArcSplit<W>>,
    labels: Labels<'_, L::Key>,
) -> Predecessors {
    let within = |key: L::Key| if key > limit { L::Key::GREATEST } else { key };
    let lengths = PhantomData::<L>;
    match labels {
        Labels::Plain(labels) => {
            let key = |&label: &L::Key| within(label);
            Tails { graph, source, short_arcs, labels, key, lengths }.choose()
        }
        Labels::Shared(labels) => {
            let key = |label: &_| within(L::Key::load(label));
            Tails { graph, source, short_arcs, labels, key, lengths }.choose()
        }
    }
}

/// The tails of tight arcs.
struct Tails<'a, W: Weight, L, T, K> {
    graph: &'a Csr<W>,
    source: VertexId,
    short_arcs: Option<&'a ArcSplit<W>>,
    labels: &'a [T],
    key: K,
    lengths: PhantomData<L>,
}

impl<W: Weight, L: KeyArithmetic<W>, T: Sync, K: Fn(&T) -> L::Key + Sync> Tails<'_, W, L, T, K> {
    #[inline(always)]
    fn key(&self, vertex: VertexId) -> L::Key {
        (self.key)(&self.labels[vertex as usize])
    }

    fn choose(&self) -> Predecessors {
        let (chosen, left) = self.nearer();
        Predecessors::from_storage(self.fill_plateaus(chosen, &left))
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
        let chosen = unchosen(self.graph.n_vertices());
        let tasks = tasks(self.graph.row_offsets());
        parallel::for_each(tasks.len(), &|task| {
            for from in tasks[task].clone().filter(|&from| self.key(from) < near) {
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
        let left = parallel::map(tasks.len(), &|task| match looks {
            true => self.look_along(tasks[task].clone(), near, &chosen),
            false => tasks[task].clone().filter(|&v| is_left(v)).collect(),
        });
        let left = left.concat();
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

/// A choice for each of so many vertices, none made.
fn unchosen(n_vertices: usize) -> Vec<AtomicU32> {
    let vertices = (0..n_vertices).into_par_iter().with_min_len(ROWS_AND_ARCS_A_TASK);
    vertices.map(|_| AtomicU32::new(NO_VERTEX)).collect()
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
