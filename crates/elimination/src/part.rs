//! A part of the undirected graph, with vertices numbered from 0.

use graph_formats::{Csr, VertexId, ensure_granted};
use rayon::prelude::*;

use crate::EliminationError;

/// Bytes that it takes for each vertex to sort its neighbours, and what is cut off of them.
const BYTES_OF_VERTEX: usize = 96;
/// The same for each arc, both ways.
const BYTES_OF_ARC: usize = 24;

/// The vertex has no number here.
const NONE: u32 = u32::MAX;

/// A connected part of the graph, or all of it: neighbours without loops, each once.
pub(crate) struct Part {
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
    /// What the graph calls the vertices.
    pub(crate) vertices: Vec<VertexId>,
}

impl Part {
    /// All of `graph`, every arc taken both ways. O(n + m log d).
    pub(crate) fn of_graph(graph: &Csr<u32>) -> Result<Self, EliminationError> {
        // both ways they have numbers of 32 bits
        let (limit, found) = (i32::MAX as usize, graph.n_arcs().max(graph.n_vertices()));
        if found > limit {
            return Err(EliminationError::TooLarge { what: "arcs or vertices", found, limit });
        }
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        ensure_granted(graph.bytes() + BYTES_OF_VERTEX * n + BYTES_OF_ARC * m)?;
        let reversed = graph.transposed();
        let row = |vertex: VertexId| {
            let mut row = graph.ends_from(vertex).to_vec();
            row.extend_from_slice(reversed.ends_from(vertex));
            row.sort_unstable();
            row.dedup();
            row.retain(|&end| end != vertex);
            row
        };
        let rows: Vec<Vec<u32>> = graph.vertices().into_par_iter().map(row).collect();
        let mut offsets = Vec::with_capacity(n + 1);
        offsets.push(0);
        let mut neighbours = Vec::with_capacity(rows.iter().map(Vec::len).sum());
        for row in rows {
            neighbours.extend_from_slice(&row);
            offsets.push(neighbours.len() as u32);
        }
        Ok(Self { offsets, neighbours, vertices: graph.vertices().collect() })
    }

    pub(crate) fn n_vertices(&self) -> usize {
        self.vertices.len()
    }

    #[inline(always)]
    pub(crate) fn neighbours(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.neighbours[self.offsets[v] as usize..self.offsets[v + 1] as usize]
    }

    /// The connected components of what is left without the vertices for which `is_removed`,
    /// each numbered in the order of a breadth-first search. O(n + m).
    pub(crate) fn components(&self, is_removed: impl Fn(u32) -> bool) -> Vec<Self> {
        let mut number = vec![NONE; self.n_vertices()];
        let mut components = Vec::new();
        let mut found: Vec<u32> = Vec::new();
        for root in 0..self.n_vertices() as u32 {
            if number[root as usize] != NONE || is_removed(root) {
                continue;
            }
            found.clear();
            found.push(root);
            number[root as usize] = 0;
            let mut n_expanded = 0;
            while let Some(&vertex) = found.get(n_expanded) {
                n_expanded += 1;
                for &end in self.neighbours(vertex) {
                    if number[end as usize] == NONE && !is_removed(end) {
                        number[end as usize] = found.len() as u32;
                        found.push(end);
                    }
                }
            }
            components.push(self.induced(&found, &number));
        }
        components
    }

    /// The part of these vertices, a component, with the numbers they have in it.
    fn induced(&self, vertices: &[u32], number: &[u32]) -> Self {
        let (mut offsets, mut neighbours) = (vec![0], Vec::new());
        let is_left = |&end: &u32| {
            let at = number[end as usize];
            vertices.get(at as usize) == Some(&end)
        };
        for &vertex in vertices {
            let left = self.neighbours(vertex).iter().filter(|end| is_left(end));
            neighbours.extend(left.map(|&end| number[end as usize]));
            offsets.push(neighbours.len() as u32);
        }
        let vertices = vertices.iter().map(|&v| self.vertices[v as usize]).collect();
        Self { offsets, neighbours, vertices }
    }
}
