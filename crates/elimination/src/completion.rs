//! The chordal completion of a graph: its arcs, and those that eliminating its vertices adds.
//!
//! All higher neighbours of a vertex are its ancestors in the elimination tree, the least of them
//! its parent, and those of a child are the vertex and higher neighbours of it. So a row is made of
//! what the graph has and of the rows of the children. O(n + arcs of the completion · log).
//!
//! Reference: dibbelt-2016, liu-1990

use graph_formats::{Csr, NoMemory, VertexId};

use crate::part::Part;
use crate::tree::{ROOT, in_postorder, inverse};
use crate::{EliminationError, Order};

/// The vertices of a graph by rank, in a postorder of the elimination tree, with all arcs that lead
/// up from each when lower ones are eliminated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The vertex of each rank.
    pub vertices: Vec<VertexId>,
    /// Where the higher neighbours of each rank start; n + 1 entries.
    pub offsets: Vec<u32>,
    /// The higher neighbours of each rank, ascending; the first is the parent.
    pub heads: Vec<u32>,
}

impl Completion {
    /// Of `graph`, whose arcs are taken both ways and whose weights do not matter, in any postorder
    /// that eliminates as `order` does.
    ///
    /// # Errors
    /// When the order is of another number of vertices, or the graph has too many arcs. When the
    /// completion would have more than `max_arcs`, which are [`u32::MAX`] at most. When the system
    /// refuses the memory.
    pub fn new(graph: &Csr<u32>, order: &Order, max_arcs: u64) -> Result<Self, EliminationError> {
        let (expected, found) = (graph.n_vertices(), order.vertices().len());
        if expected != found {
            let what = "places in the order";
            return Err(EliminationError::NotAllVertices { what, expected, found });
        }
        let max_arcs = max_arcs.min(u32::MAX.into());
        let undirected = Part::of_graph(graph)?;
        let vertices = in_postorder(&undirected, order.vertices());
        let ranks = inverse(&vertices).expect("a postorder has each vertex once");
        let (mut offsets, mut heads) = (vec![0], Vec::new());
        let (mut last_child, mut sibling) = (vec![ROOT; found], vec![ROOT; found]);
        let mut row: Vec<u32> = Vec::new();
        for (rank, &vertex) in (0..).zip(&vertices) {
            row.clear();
            let ends = undirected.neighbours(vertex).iter();
            row.extend(ends.map(|&end| ranks[end as usize]).filter(|&end| end > rank));
            let mut child = last_child[rank as usize];
            while child != ROOT {
                let of_child =
                    offsets[child as usize] as usize..offsets[child as usize + 1] as usize;
                // the first of a row is the parent
                row.extend_from_slice(&heads[of_child][1..]);
                child = sibling[child as usize];
            }
            row.sort_unstable();
            row.dedup();
            let bytes = 2 * size_of_val(&*heads);
            heads.try_reserve(row.len()).map_err(|_| NoMemory { bytes })?;
            heads.extend_from_slice(&row);
            if heads.len() as u64 > max_arcs {
                return Err(EliminationError::NoSmallSeparators { max_arcs });
            }
            offsets.push(heads.len() as u32);
            if let Some(&parent) = row.first() {
                sibling[rank as usize] = std::mem::replace(&mut last_child[parent as usize], rank);
            }
        }
        Ok(Self { vertices, offsets, heads })
    }

    /// The higher neighbours of a rank, ascending.
    pub fn higher(&self, rank: u32) -> &[u32] {
        &self.heads[self.offsets[rank as usize] as usize..self.offsets[rank as usize + 1] as usize]
    }

    /// The parent of each rank, or [`ROOT`].
    pub fn parents(&self) -> Vec<u32> {
        let parent = |rank| self.higher(rank).first().copied().unwrap_or(ROOT);
        (0..self.vertices.len() as u32).map(parent).collect()
    }
}
