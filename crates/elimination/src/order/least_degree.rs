//! Small parts: always the vertex of least degree next, the neighbours of which become joined.
//!
//! The neighbours in separators count too, which are all contracted later. A row of the adjacency
//! matrix is a word of 128 bits: the vertices of the part, and as many others as have room.
//!
//! Reference: tinney-walker-1967

use graph_formats::VertexId;

use crate::part::Part;

/// The vertices of the largest part that is ordered here.
pub(super) const MAX_VERTICES: usize = 64;

/// Writes the vertices of `part` of the graph `whole` into `order`. O(n²).
pub(super) fn order(part: &Part, whole: &Part, order: &mut [VertexId]) {
    let mut columns = part.vertices.clone();
    let mut rows = [0u128; MAX_VERTICES];
    for (row, &vertex) in rows.iter_mut().zip(&part.vertices) {
        for &end in whole.neighbours(vertex) {
            let known = columns.iter().position(|&column| column == end);
            let column = known.unwrap_or(columns.len());
            if column < u128::BITS as usize {
                *row |= 1 << column;
                columns.extend(known.is_none().then_some(end));
            }
        }
    }
    let mut left: Vec<usize> = (0..part.n_vertices()).collect();
    for place in order {
        let degrees = left.iter().map(|&v| rows[v].count_ones());
        let Some((at, _)) = degrees.enumerate().min_by_key(|&(_, degree)| degree) else { return };
        let vertex = left.remove(at);
        *place = part.vertices[vertex];
        for &v in &left {
            if rows[vertex] >> v & 1 == 1 {
                rows[v] = (rows[v] | rows[vertex]) & !(1 << v | 1 << vertex);
            }
        }
    }
}
