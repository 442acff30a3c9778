//! The columns of an arc in the order of a tree, so that rows skip those that it cannot help.
//!
//! Let x(j) be the distances from an arc's head, and p the vertex before j on such a path. Where
//! d(i, p) is less than the way of row i over the arc to p, d(i, j) is less than its way to j. So a
//! row that has no use for p has none for what lies behind p. Columns come in preorder, each with
//! the place of the next one that is not behind it. A vertex that has no such p that is nearer is
//! a root. O(c log c) for c columns, and their arcs.

use graph_formats::{Distance, DynamicGraph, VertexId, Weight};

/// A column of an arc.
#[derive(Clone, Copy)]
pub(super) struct Column<D> {
    pub(super) vertex: VertexId,
    /// The place of the first column after those behind it.
    next: u32,
    /// Its distance from the head of the arc.
    pub(super) rest: D,
}

/// Bytes for the rows and columns of arcs, at most.
pub(super) fn bytes<D>(n: usize, n_arcs: usize) -> u128 {
    bytes_of_columns::<D>(n, n_arcs) + n as u128 * bytes_of_row::<D>(n_arcs)
}

/// Bytes for the columns of arcs, at most.
pub(super) fn bytes_of_columns<D>(n: usize, n_arcs: usize) -> u128 {
    n as u128 * n_arcs as u128 * size_of::<Column<D>>() as u128
}

/// Bytes for the arcs that a row uses, at most.
pub(super) fn bytes_of_row<D>(n_arcs: usize) -> u128 {
    n_arcs as u128 * size_of::<(u32, D)>() as u128
}

/// The vertices that have a distance in `rest`. Without a graph none is behind another.
pub(super) fn columns<W: Weight>(
    rest: &[W::Distance],
    graph: Option<&DynamicGraph<W>>,
) -> Vec<Column<W::Distance>> {
    let vertices = (0..rest.len() as VertexId).zip(rest).filter(|(_, d)| is_reached(**d));
    let Some(graph) = graph else {
        let column = |(next, (vertex, &rest))| Column { vertex, next, rest };
        return (1..).zip(vertices).map(column).collect();
    };
    let mut order: Vec<_> = vertices.map(|(vertex, _)| vertex).collect();
    order.sort_unstable_by(|&u, &v| rest[u as usize].order(rest[v as usize]));
    let before = |&vertex: &VertexId| {
        let own = rest[vertex as usize];
        let mut arcs = graph.arcs_to(vertex).iter().copied();
        let is_before = |&(from, weight): &(VertexId, W)| {
            let distance = rest[from as usize];
            is_reached(distance) && distance < own && weight.after(distance) == Some(own)
        };
        arcs.find(is_before).map(|(from, _)| from as usize)
    };
    let before: Vec<_> = order.iter().map(before).collect();
    let mut n_behind = vec![1u32; rest.len()];
    for (&vertex, before) in order.iter().zip(&before).rev() {
        before.iter().for_each(|&before| n_behind[before] += n_behind[vertex as usize]);
    }
    // of a vertex the place of the next one behind it
    let (mut free, mut roots) = (vec![0u32; rest.len()], 0);
    let nothing = Column { vertex: 0, next: 0, rest: W::Distance::ZERO };
    let mut columns = vec![nothing; order.len()];
    for (&vertex, before) in order.iter().zip(before) {
        let at = vertex as usize;
        let place = before.map_or(&mut roots, |before| &mut free[before]);
        let (own, next) = (*place, *place + n_behind[at]);
        *place = next;
        free[at] = own + 1;
        columns[own as usize] = Column { vertex, next, rest: rest[at] };
    }
    columns
}

/// For each of `n_arcs` arcs, how many rows use it.
pub(super) fn n_rows(n_arcs: usize, used: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut n_rows = vec![0; n_arcs];
    used.for_each(|at| n_rows[at] += 1);
    n_rows
}

/// Whether an order of an arc's columns saves more than it takes: not for few rows. Where it is not
/// known how many use the arc, all may.
pub(super) fn is_worth<W: Weight>(n_rows: Option<usize>, graph: &DynamicGraph<W>) -> bool {
    n_rows.is_none_or(|n_rows| n_rows * graph.n_vertices() > graph.n_arcs())
}

/// Calls `visit` with columns; those behind one for which it returns false are skipped.
pub(super) fn walk<D: Distance>(columns: &[Column<D>], mut visit: impl FnMut(VertexId, D) -> bool) {
    let mut at = 0;
    while let Some(column) = columns.get(at) {
        at = if visit(column.vertex, column.rest) { at + 1 } else { column.next as usize };
    }
}

fn is_reached<D: Distance>(distance: D) -> bool {
    distance != D::UNREACHED
}
