//! Rows of arcs with room for more.
//!
//! A row has room for an eighth more arcs than it has. One that has no room left moves to the end of
//! the array, where it gets a quarter more. When more than half of the array is out of use, all rows
//! are written anew. So a batch takes the time of the rows in which it changes arcs, each once, and
//! others are rarely moved: O(d) amortized. Threads share these rows.

use std::cmp::Ordering;
use std::mem::take;

use super::ArcChange;
use crate::{Csr, VertexId, Weight, parallel, prefetch};

/// Room of a row that moves, at least.
const MIN_ROOM: usize = 4;
/// Rows that a thread changes at a time: few, for some are long.
const ROWS_PER_TASK: usize = 4;
/// Rows for which no other thread is woken.
const FEW_ROWS: usize = 32;

/// Where a row is.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    start: usize,
    len: usize,
    room: usize,
}

impl Place {
    /// That of the arcs from `start` on; puts room behind them.
    fn of<W: Weight>(arcs: &mut Vec<(VertexId, W)>, start: usize) -> Self {
        let len = arcs.len() - start;
        arcs.resize(start + with_room(len), (0, W::ZERO));
        Self { start, len, room: with_room(len) }
    }
}

/// How many arcs there is room for, by the number of arcs.
fn with_room(n_arcs: usize) -> usize {
    n_arcs + n_arcs / 8
}

/// The rows of a graph, each sorted by column and then weight.
#[derive(Clone, Debug)]
pub(super) struct Rows<W> {
    places: Vec<Place>,
    /// Ends and weights, and whatever is out of use.
    arcs: Vec<(VertexId, W)>,
    /// Up to here rows are in the order of vertices; what has moved lies behind.
    packed: usize,
    n_arcs: usize,
}

impl<W: Weight> Rows<W> {
    /// Those of a graph. O(n + m), and the sorting of rows that do not ascend.
    pub(super) fn of(graph: &Csr<W>) -> Self {
        let mut arcs = Vec::with_capacity(with_room(graph.n_arcs()));
        let mut places = Vec::with_capacity(graph.n_vertices());
        for vertex in graph.vertices() {
            let start = arcs.len();
            arcs.extend(graph.arcs_from(vertex));
            // parallel arcs may be out of order where columns ascend
            if !arcs[start..].is_sorted_by(|one, other| order(one, other).is_le()) {
                arcs[start..].sort_unstable_by(order);
            }
            places.push(Place::of(&mut arcs, start));
        }
        Self { places, packed: arcs.len(), arcs, n_arcs: graph.n_arcs() }
    }

    /// Bytes of those of a graph.
    pub(super) fn bytes_of(graph: &Csr<W>) -> usize {
        let of_arcs = with_room(graph.n_arcs()) * size_of::<(VertexId, W)>();
        graph.n_vertices() * size_of::<Place>() + of_arcs
    }

    pub(super) fn n_vertices(&self) -> usize {
        self.places.len()
    }

    pub(super) fn n_arcs(&self) -> usize {
        self.n_arcs
    }

    #[inline]
    pub(super) fn arcs(&self, vertex: VertexId) -> &[(VertexId, W)] {
        let Place { start, len, .. } = self.places[vertex as usize];
        &self.arcs[start..start + len]
    }

    /// Loads where a row is into the cache.
    #[inline]
    pub(super) fn prefetch(&self, vertex: VertexId) {
        prefetch(&self.places, vertex as usize);
    }

    /// The weight of the lightest arc to `to`, or of one that weighs `weight`, if there is one.
    pub(super) fn find(&self, from: VertexId, to: VertexId, weight: Option<W>) -> Option<W> {
        let at = position(self.arcs(from), to, weight);
        let &(end, found) = self.arcs(from).get(at)?;
        (end == to && weight.is_none_or(|weight| weight == found)).then_some(found)
    }

    /// Makes these changes, sorted by row, column and weight, of arcs that there are or are not yet.
    /// Then there are `n_vertices`; those that come or go have no other arcs.
    pub(super) fn change(&mut self, changes: &[ArcChange<W>], n_vertices: usize) {
        self.places.resize(n_vertices.max(self.n_vertices()), Place::default());
        let by_row = || changes.chunk_by(|one, other| one.from == other.from);
        // so that the rows' places are not waited for one after another
        by_row().for_each(|changes| self.prefetch(changes[0].from));
        let has_room = |changes: &[ArcChange<W>]| {
            let Place { len, room, .. } = self.places[changes[0].from as usize];
            n_after(changes, len) <= room
        };
        if self.is_sparse() && !by_row().all(has_room) {
            self.fold();
        }
        let old_end = self.arcs.len();
        let (mut places, mut first, mut end) = (&mut self.places[..], 0, old_end);
        let mut rows: Vec<_> = by_row()
            .map(|changes| {
                let at = changes[0].from as usize;
                let (place, later) =
                    take(&mut places)[at - first..].split_first_mut().expect("rows ascend");
                (places, first) = (later, at + 1);
                let (old, n_after) = (*place, n_after(changes, place.len));
                self.n_arcs = self.n_arcs + n_after - old.len;
                if n_after > old.room {
                    (place.start, place.room) = (end, (n_after + old.len / 4).max(MIN_ROOM));
                    end += place.room;
                }
                Row { old, place, before: &mut [], arcs: &mut [], changes }
            })
            .collect();
        self.arcs.resize(end, (0, W::ZERO));
        let (before, mut after) = self.arcs.split_at_mut(old_end);
        for row in rows.iter_mut().filter(|row| row.place.start >= old_end) {
            (row.arcs, after) = after.split_at_mut(row.place.room);
        }
        let (packed, moved) = before.split_at_mut(self.packed);
        // rows without room may lie where others begin
        let with_room = rows.iter_mut().filter(|row| row.old.room > 0);
        let (in_order, mut others): (Vec<_>, Vec<_>) =
            with_room.partition(|row| row.old.start < self.packed);
        others.sort_unstable_by_key(|row| row.old.start);
        cut(packed, 0, in_order);
        cut(moved, self.packed, others);
        let change = |rows: &mut [Row<'_, W>]| rows.iter_mut().for_each(Row::change);
        let per_task = if rows.len() <= FEW_ROWS { FEW_ROWS } else { ROWS_PER_TASK };
        parallel::for_each_of(rows.chunks_mut(per_task), &change);
        self.places.truncate(n_vertices);
    }

    /// Writes all rows anew, one after another.
    fn fold(&mut self) {
        let mut arcs = Vec::with_capacity(with_room(self.n_arcs));
        for place in &mut self.places {
            let start = arcs.len();
            arcs.extend_from_slice(&self.arcs[place.start..place.start + place.len]);
            *place = Place::of(&mut arcs, start);
        }
        (self.packed, self.arcs) = (arcs.len(), arcs);
    }

    /// The offsets, columns and weights of all rows, one after another.
    pub(super) fn packed(&self) -> (Vec<u64>, Vec<VertexId>, Vec<W>) {
        let mut offsets = Vec::with_capacity(self.n_vertices() + 1);
        let mut columns = Vec::with_capacity(self.n_arcs);
        let mut weights = Vec::with_capacity(self.n_arcs);
        offsets.push(0);
        for vertex in 0..self.n_vertices() as VertexId {
            let row = self.arcs(vertex);
            columns.extend(row.iter().map(|&(end, _)| end));
            weights.extend(row.iter().map(|&(_, weight)| weight));
            offsets.push(columns.len() as u64);
        }
        (offsets, columns, weights)
    }

    /// Bytes that arcs in these rows may take, one in each.
    pub(super) fn bytes_to_insert(&self, rows: impl Iterator<Item = VertexId>) -> usize {
        let room = |vertex: VertexId| {
            let len = self.places.get(vertex as usize).map_or(0, |place| place.len);
            // all may be in one row
            4 * len + 4 * MIN_ROOM
        };
        let more: usize = rows.map(room).sum();
        let is_room = self.arcs.len() + more <= self.arcs.capacity() && !self.is_sparse();
        let arcs = if is_room { 0 } else { 2 * (self.arcs.len() + more) };
        arcs * size_of::<(VertexId, W)>()
    }

    /// Whether more than half of the array is out of use.
    fn is_sparse(&self) -> bool {
        self.arcs.len() > 2 * self.n_arcs + self.n_vertices()
    }
}

/// Gives each row its own part of the arcs, which begin at `start`; the rows ascend.
fn cut<'r, W>(mut arcs: &'r mut [(VertexId, W)], mut start: usize, rows: Vec<&mut Row<'r, W>>) {
    for row in rows {
        let (own, later) = arcs.split_at_mut(row.old.start - start).1.split_at_mut(row.old.room);
        (arcs, start) = (later, row.old.start + row.old.room);
        *(if row.arcs.is_empty() { &mut row.arcs } else { &mut row.before }) = own;
    }
}

/// How many arcs a row of this length has after these changes.
fn n_after<W>(changes: &[ArcChange<W>], len: usize) -> usize {
    let n_new = changes.iter().filter(|change| change.before.is_none()).count();
    len + n_new - changes.iter().filter(|change| change.after.is_none()).count()
}

/// A row with its room, of which arcs change.
struct Row<'r, W> {
    old: Place,
    /// Where it is then.
    place: &'r mut Place,
    /// Where it was, if it moves.
    before: &'r mut [(VertexId, W)],
    arcs: &'r mut [(VertexId, W)],
    changes: &'r [ArcChange<W>],
}

impl<W: Weight> Row<'_, W> {
    fn change(&mut self) {
        if !self.before.is_empty() {
            self.arcs[..self.old.len].copy_from_slice(&self.before[..self.old.len]);
        }
        for change in self.changes {
            if let (Some(before), Some(after)) = (change.before, change.after) {
                self.reweight(change.to, before, after);
            }
        }
        self.remove();
        self.insert();
    }

    fn reweight(&mut self, to: VertexId, before: W, after: W) {
        let row = &mut self.arcs[..self.place.len];
        let mut at = position(row, to, Some(before));
        row[at].1 = after;
        // among parallel arcs
        while at + 1 < row.len() && order(&row[at + 1], &row[at]).is_lt() {
            row.swap(at, at + 1);
            at += 1;
        }
        while at > 0 && order(&row[at], &row[at - 1]).is_lt() {
            row.swap(at, at - 1);
            at -= 1;
        }
    }

    /// Takes arcs out; those between them move once.
    fn remove(&mut self) {
        let deleted = self.changes.iter().filter(|change| change.after.is_none());
        let (mut len, mut next) = (0, 0);
        for change in deleted {
            // of equal arcs the next one
            let at = position(&self.arcs[..self.place.len], change.to, change.before).max(next);
            if next > 0 {
                self.arcs.copy_within(next..at, len);
            }
            len = if next > 0 { len + at - next } else { at };
            next = at + 1;
        }
        if next > 0 {
            self.arcs.copy_within(next..self.place.len, len);
            self.place.len = len + self.place.len - next;
        }
    }

    /// Puts arcs in, the last first, so that those between them move once.
    fn insert(&mut self) {
        let new = || self.changes.iter().filter(|change| change.before.is_none());
        let mut n_left = new().count();
        let mut end = self.place.len;
        self.place.len += n_left;
        for change in new().rev() {
            let Some(weight) = change.after else { continue };
            let at = position(&self.arcs[..end], change.to, Some(weight));
            self.arcs.copy_within(at..end, at + n_left);
            n_left -= 1;
            self.arcs[at + n_left] = (change.to, weight);
            end = at;
        }
    }
}

/// Where the first arc to `to` is in its row that weighs no less than `weight`, or would be.
fn position<W: Weight>(row: &[(VertexId, W)], to: VertexId, weight: Option<W>) -> usize {
    row.partition_point(|&(end, own)| {
        end < to || end == to && weight.is_some_and(|weight| own.order(weight).is_lt())
    })
}

fn order<W: Weight>(one: &(VertexId, W), other: &(VertexId, W)) -> Ordering {
    one.0.cmp(&other.0).then_with(|| one.1.order(other.1))
}
