//! Builds a graph from edges that are drawn one by one.
//!
//! An arc is packed into 64 bits, source above destination, so that sorting the packed arcs in
//! place sorts rows, and columns within rows; nothing is scattered. The weight of the k-th of the
//! parallel arcs from u to v is a hash of (seed, u, v, k). In undirected graphs the smaller end
//! comes first, so that both arcs of an edge get the same weight independently. Dropping duplicates
//! therefore keeps an edge's first weight.
//!
//! O(m log m) for the sort, and at most 16 bytes of memory per arc.

use rayon::prelude::*;

use super::random::{Purpose, Stream, below};
use super::{Duplicates, GraphOptions, check_memory};
use crate::{Csr, Direction, GraphError, VertexId};

/// Marks a slot without an arc. It sorts last, and no arc has this value, because the greatest
/// 32-bit number is never a vertex.
const NO_ARC: u64 = u64::MAX;

/// The graph of the edges `draw(0)`, `draw(1)`, … `draw(n_edges − 1)`.
pub(super) fn graph_of_draws(
    n_vertices: usize,
    n_edges: u64,
    options: &GraphOptions,
    draw: impl Fn(u64) -> (VertexId, VertexId) + Sync,
) -> Result<Csr<u32>, GraphError> {
    let arcs_per_edge = match options.direction {
        Direction::Directed => 1,
        Direction::Undirected => 2,
    };
    let n_slots = u128::from(n_edges) * arcs_per_edge as u128;
    check_memory(n_vertices, n_slots)?;

    let mut arcs = vec![NO_ARC; n_slots as usize];
    arcs.par_chunks_mut(arcs_per_edge).enumerate().for_each(|(edge, slots)| {
        let (u, v) = draw(edge as u64);
        if u != v {
            slots[0] = pack(u, v);
            if let Some(back) = slots.get_mut(1) {
                *back = pack(v, u);
            }
        } else if options.duplicates == Duplicates::Keep {
            slots[0] = pack(u, u);
        }
    });
    arcs.par_sort_unstable();
    arcs.truncate(arcs.partition_point(|&arc| arc != NO_ARC));
    let weights = match options.duplicates {
        Duplicates::Drop => {
            arcs.dedup();
            arcs.par_iter().map(|&arc| weight(arc, 0, options)).collect()
        }
        Duplicates::Keep => weights_of_parallels(&arcs, options),
    };
    let row_offsets = offsets_of_sorted(n_vertices, &arcs);
    let column_indices = arcs.par_iter().map(|&arc| arc as VertexId).collect();
    Ok(Csr::from_valid(row_offsets, column_indices, weights, options.direction))
}

fn pack(source: VertexId, destination: VertexId) -> u64 {
    u64::from(source) << 32 | u64::from(destination)
}

/// The weight of the `copy`-th of the parallel arcs packed as `arc`.
fn weight(arc: u64, copy: u64, options: &GraphOptions) -> u32 {
    let edge = match options.direction {
        Direction::Directed => arc,
        Direction::Undirected => arc.min(arc.rotate_left(32)),
    };
    let random = Stream::new(options.seed, Purpose::Weights).of(edge).at(copy);
    let (least, greatest) = (*options.weights.start(), *options.weights.end());
    least + below(random, u64::from(greatest - least) + 1) as u32
}

/// Weights of sorted arcs, ascending among parallel ones as in every graph built here.
fn weights_of_parallels(arcs: &[u64], options: &GraphOptions) -> Vec<u32> {
    let mut weights = Vec::with_capacity(arcs.len());
    for parallels in arcs.chunk_by(|a, b| a == b) {
        let start = weights.len();
        weights.extend((0..).zip(parallels).map(|(copy, &arc)| weight(arc, copy, options)));
        weights[start..].sort_unstable();
    }
    weights
}

/// Row offsets of sorted arcs: each row starts where the arcs of lower sources end.
fn offsets_of_sorted(n_vertices: usize, arcs: &[u64]) -> Vec<u64> {
    let mut offsets = vec![0u64; n_vertices + 1];
    for arc in arcs {
        offsets[(arc >> 32) as usize + 1] += 1;
    }
    for row in 0..n_vertices {
        offsets[row + 1] += offsets[row];
    }
    offsets
}
