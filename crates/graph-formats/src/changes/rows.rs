//! Rows of arcs with room for more.
//!
//! A row that has no room left moves to the end of the arrays, where it gets as much again. When
//! more than half of the arrays is out of use, all rows are written anew, without room. So an arc
//! goes in or out in the time of its row, and others are rarely moved: O(d) amortized.

use crate::{Csr, VertexId, Weight};

/// Room of a row that moves, at least.
const MIN_ROOM: usize = 4;

/// Where a row is.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    start: usize,
    len: u32,
    room: u32,
}

/// The rows of a graph, each sorted by column and then weight.
#[derive(Clone, Debug)]
pub(super) struct Rows<W> {
    places: Vec<Place>,
    columns: Vec<VertexId>,
    weights: Vec<W>,
    n_arcs: usize,
}

impl<W: Weight> Rows<W> {
    /// Those of a graph. O(n + m), and the sorting of rows that do not ascend.
    pub(super) fn of(graph: &Csr<W>) -> Self {
        let place = |vertex| {
            let row = graph.row(vertex);
            Place { start: row.start, len: row.len() as u32, room: row.len() as u32 }
        };
        let places = graph.vertices().map(place).collect();
        let (columns, weights) = (graph.column_indices().to_vec(), graph.weights().to_vec());
        let mut rows = Self { places, columns, weights, n_arcs: graph.n_arcs() };
        // parallel arcs may be out of order where columns ascend
        for vertex in graph.vertices() {
            let is_sorted = rows
                .arcs(vertex)
                .is_sorted_by(|&(u, v), &(to, w)| u < to || u == to && v.order(w).is_le());
            if !is_sorted {
                let mut arcs: Vec<_> = rows.arcs(vertex).collect();
                arcs.sort_unstable_by(|&(u, v), &(to, w)| u.cmp(&to).then_with(|| v.order(w)));
                for (at, (to, weight)) in graph.row(vertex).zip(arcs) {
                    (rows.columns[at], rows.weights[at]) = (to, weight);
                }
            }
        }
        rows
    }

    pub(super) fn n_vertices(&self) -> usize {
        self.places.len()
    }

    pub(super) fn n_arcs(&self) -> usize {
        self.n_arcs
    }

    #[inline]
    pub(super) fn columns(&self, vertex: VertexId) -> &[VertexId] {
        let Place { start, len, .. } = self.places[vertex as usize];
        &self.columns[start..start + len as usize]
    }

    #[inline]
    pub(super) fn weights(&self, vertex: VertexId) -> &[W] {
        let Place { start, len, .. } = self.places[vertex as usize];
        &self.weights[start..start + len as usize]
    }

    #[inline]
    pub(super) fn arcs(&self, vertex: VertexId) -> impl ExactSizeIterator<Item = (VertexId, W)> {
        self.columns(vertex).iter().copied().zip(self.weights(vertex).iter().copied())
    }

    /// The weight of the lightest arc to `to`, or of one that weighs `weight`, if there is one.
    pub(super) fn find(&self, from: VertexId, to: VertexId, weight: Option<W>) -> Option<W> {
        let at = self.position(from, to, weight);
        let found = *self.columns(from).get(at)? == to;
        let found = found.then(|| self.weights(from)[at])?;
        weight.is_none_or(|weight| weight == found).then_some(found)
    }

    /// Where the first arc to `to` is in its row that weighs no less than `weight`, or would be.
    fn position(&self, from: VertexId, to: VertexId, weight: Option<W>) -> usize {
        let columns = self.columns(from);
        let first = columns.partition_point(|&column| column < to);
        let Some(weight) = weight else { return first };
        let parallel = columns[first..].iter().take_while(|&&column| column == to);
        let lighter = parallel.zip(&self.weights(from)[first..]);
        first + lighter.take_while(|&(_, own)| own.order(weight).is_lt()).count()
    }

    /// Puts an arc in.
    pub(super) fn insert(&mut self, from: VertexId, to: VertexId, weight: W) {
        let at = self.position(from, to, Some(weight));
        let Place { len, room, .. } = self.places[from as usize];
        if len == room {
            self.move_to_end(from);
        }
        let Place { start, .. } = self.places[from as usize];
        let end = start + len as usize;
        self.columns.copy_within(start + at..end, start + at + 1);
        self.weights.copy_within(start + at..end, start + at + 1);
        (self.columns[start + at], self.weights[start + at]) = (to, weight);
        self.places[from as usize].len += 1;
        self.n_arcs += 1;
    }

    /// Takes an arc of this weight out, which there is.
    pub(super) fn remove(&mut self, from: VertexId, to: VertexId, weight: W) {
        let at = self.position(from, to, Some(weight));
        let Place { start, len, .. } = self.places[from as usize];
        let end = start + len as usize;
        self.columns.copy_within(start + at + 1..end, start + at);
        self.weights.copy_within(start + at + 1..end, start + at);
        self.places[from as usize].len -= 1;
        self.n_arcs -= 1;
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
        let row = start..start + len as usize;
        let room = (2 * len as usize).max(MIN_ROOM);
        let new = self.columns.len();
        self.columns.extend_from_within(row.clone());
        self.weights.extend_from_within(row);
        self.columns.resize(new + room, 0);
        self.weights.resize(new + room, W::ZERO);
        self.places[vertex as usize] = Place { start: new, len, room: room as u32 };
    }

    /// Writes all rows anew, one after another.
    fn fold(&mut self) {
        let (_, columns, weights) = self.packed();
        let mut start = 0;
        for place in &mut self.places {
            *place = Place { start, len: place.len, room: place.len };
            start += place.len as usize;
        }
        (self.columns, self.weights) = (columns, weights);
    }

    /// The offsets, columns and weights of all rows, one after another.
    pub(super) fn packed(&self) -> (Vec<u64>, Vec<VertexId>, Vec<W>) {
        let mut offsets = Vec::with_capacity(self.n_vertices() + 1);
        let mut columns = Vec::with_capacity(self.n_arcs);
        let mut weights = Vec::with_capacity(self.n_arcs);
        for vertex in 0..self.n_vertices() as VertexId {
            offsets.push(columns.len() as u64);
            columns.extend_from_slice(self.columns(vertex));
            weights.extend_from_slice(self.weights(vertex));
        }
        offsets.push(columns.len() as u64);
        (offsets, columns, weights)
    }

    /// Bytes that arcs in these rows may take, one in each.
    pub(super) fn bytes_to_insert(&self, rows: impl Iterator<Item = VertexId>) -> usize {
        let room = |vertex: VertexId| {
            let len = self.places.get(vertex as usize).map_or(0, |place| place.len as usize);
            // all arcs may be of one row
            4 * len + 4 * MIN_ROOM
        };
        let more: usize = rows.map(room).sum();
        let is_room = self.columns.len() + more <= self.columns.capacity() && !self.is_sparse();
        let arcs = if is_room { 0 } else { 2 * (self.columns.len() + more) };
        arcs * (size_of::<VertexId>() + size_of::<W>())
    }

    /// Whether more than half of the arrays is out of use.
    fn is_sparse(&self) -> bool {
        self.columns.len() > 2 * self.n_arcs + self.n_vertices()
    }
}
