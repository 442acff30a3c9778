//! Rows of arcs with room for more.
//!
//! A row that has no room left moves to the end of the array, where it gets as much again. When
//! more than half of the array is out of use, all rows are written anew, without room. So an arc
//! goes in or out in the time of its row, and others are rarely moved: O(d) amortized.

use std::cmp::Ordering;

use crate::{Csr, VertexId, Weight, prefetch};

/// Room of a row that moves, at least.
const MIN_ROOM: usize = 4;

/// Where a row is.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    start: usize,
    len: usize,
    room: usize,
}

/// The rows of a graph, each sorted by column and then weight.
#[derive(Clone, Debug)]
pub(super) struct Rows<W> {
    places: Vec<Place>,
    /// Ends and weights, and whatever is out of use.
    arcs: Vec<(VertexId, W)>,
    n_arcs: usize,
}

impl<W: Weight> Rows<W> {
    /// Those of a graph. O(n + m), and the sorting of rows that do not ascend.
    pub(super) fn of(graph: &Csr<W>) -> Self {
        let place = |vertex| {
            let row = graph.row(vertex);
            Place { start: row.start, len: row.len(), room: row.len() }
        };
        let places = graph.vertices().map(place).collect();
        let ends = graph.column_indices().iter().copied();
        let arcs = ends.zip(graph.weights().iter().copied()).collect();
        let mut rows = Self { places, arcs, n_arcs: graph.n_arcs() };
        for vertex in graph.vertices() {
            let row = &mut rows.arcs[graph.row(vertex)];
            // parallel arcs may be out of order where columns ascend
            if !row.is_sorted_by(|one, other| order(one, other).is_le()) {
                row.sort_unstable_by(order);
            }
        }
        rows
    }

    /// Bytes of those of a graph.
    pub(super) fn bytes_of(graph: &Csr<W>) -> usize {
        let of_arcs = graph.n_arcs() * size_of::<(VertexId, W)>();
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
        let at = self.position(from, to, weight);
        let &(end, found) = self.arcs(from).get(at)?;
        (end == to && weight.is_none_or(|weight| weight == found)).then_some(found)
    }

    /// Where the first arc to `to` is in its row that weighs no less than `weight`, or would be.
    fn position(&self, from: VertexId, to: VertexId, weight: Option<W>) -> usize {
        let is_before = |&(end, own): &(VertexId, W)| {
            end < to || end == to && weight.is_some_and(|weight| own.order(weight).is_lt())
        };
        self.arcs(from).partition_point(is_before)
    }

    /// Puts an arc in.
    pub(super) fn insert(&mut self, from: VertexId, to: VertexId, weight: W) {
        let at = self.position(from, to, Some(weight));
        let Place { len, room, .. } = self.places[from as usize];
        if len == room {
            self.move_to_end(from);
        }
        let Place { start, .. } = self.places[from as usize];
        self.arcs.copy_within(start + at..start + len, start + at + 1);
        self.arcs[start + at] = (to, weight);
        self.places[from as usize].len += 1;
        self.n_arcs += 1;
    }

    /// Takes an arc of this weight out, which there is.
    pub(super) fn remove(&mut self, from: VertexId, to: VertexId, weight: W) {
        let at = self.position(from, to, Some(weight));
        let Place { start, len, .. } = self.places[from as usize];
        self.arcs.copy_within(start + at + 1..start + len, start + at);
        self.places[from as usize].len -= 1;
        self.n_arcs -= 1;
    }

    /// Gives an arc of this weight, which there is, another one.
    pub(super) fn reweight(&mut self, from: VertexId, to: VertexId, old: W, new: W) {
        let mut at = self.position(from, to, Some(old));
        let Place { start, len, .. } = self.places[from as usize];
        let row = &mut self.arcs[start..start + len];
        row[at].1 = new;
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

    /// Adds vertices without arcs, or takes them out, up to this number.
    pub(super) fn resize(&mut self, n_vertices: usize) {
        self.places.resize(n_vertices, Place::default());
    }

    /// Gives a row as much room again.
    fn move_to_end(&mut self, vertex: VertexId) {
        if self.is_sparse() {
            self.fold();
        }
        let Place { start, len, .. } = self.places[vertex as usize];
        let new = self.arcs.len();
        let room = (2 * len).max(MIN_ROOM);
        self.arcs.extend_from_within(start..start + len);
        self.arcs.resize(new + room, (0, W::ZERO));
        self.places[vertex as usize] = Place { start: new, len, room };
    }

    /// Writes all rows anew, one after another.
    fn fold(&mut self) {
        let mut arcs = Vec::with_capacity(self.n_arcs);
        for place in &mut self.places {
            let row = place.start..place.start + place.len;
            *place = Place { start: arcs.len(), len: place.len, room: place.len };
            arcs.extend_from_slice(&self.arcs[row]);
        }
        self.arcs = arcs;
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

fn order<W: Weight>(one: &(VertexId, W), other: &(VertexId, W)) -> Ordering {
    one.0.cmp(&other.0).then_with(|| one.1.order(other.1))
}
