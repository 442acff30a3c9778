//! The nearest of several sources, for every vertex.
//!
//! Dijkstra's algorithm on pairs of a distance and a source, in lexicographic order: the end of an
//! arc gets the source of its tail. Pairs only fall, and the least one in the queue is final. On a
//! plateau of zero weights the source may fall at an unchanged distance, and the vertex is queued
//! again. O((n + m) log n).
//!
//! Reference: dijkstra-1959

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use graph_formats::{Csr, Distance, DistanceKey, VertexId, Weight, tell};
use paths::{Distances, Nearest};

use crate::key::{FullKeys, KeyArithmetic};
use crate::overflow::check_overflow;
use crate::{Progress, SsspError};

/// Pairs popped between two calls of the progress callback.
const POPS_PER_REPORT: u64 = 1 << 16;

/// Bytes per vertex: its pair, an entry of the queue, and the result.
pub(crate) const BYTES_OF_VERTEX: usize = 16 + 16 + 12;

/// The nearest of `sources` for every vertex that is no farther from it than `cutoff`.
pub(crate) fn solve<W: Weight>(
    graph: &Csr<W>,
    sources: &[VertexId],
    cutoff: W::Distance,
    progress: Option<Progress<'_>>,
) -> Result<Nearest<W>, SsspError> {
    type Key<W> = <<W as Weight>::Distance as Distance>::Key;
    let mut best = vec![(Key::<W>::GREATEST, VertexId::MAX); graph.n_vertices()];
    let mut queue = BinaryHeap::new();
    let limit = cutoff.to_key();
    let sources = if cutoff < W::Distance::ZERO { &[] } else { sources };
    for &source in sources {
        best[source as usize] = (Key::<W>::LEAST, source);
        queue.push(Reverse((Key::<W>::LEAST, source, source)));
    }
    let mut pops = 0u64;
    while let Some(Reverse((key, owner, vertex))) = queue.pop() {
        pops += 1;
        if pops.is_multiple_of(POPS_PER_REPORT) {
            tell(progress, 0, 0)?;
        }
        if best[vertex as usize] != (key, owner) {
            continue;
        }
        for (to, weight) in graph.arcs_from(vertex) {
            let through = (<FullKeys as KeyArithmetic<W>>::after(key, weight), owner);
            let current = &mut best[to as usize];
            // a sum that overflows has the greatest key
            let is_within = through.0 <= limit && through.0 < Key::<W>::GREATEST;
            if is_within && through < *current {
                *current = through;
                queue.push(Reverse((through.0, owner, to)));
            }
        }
    }
    let distances = best.iter().map(|pair| W::Distance::from_key(pair.0)).collect();
    let distances = Distances::from_storage(distances);
    if cutoff == W::Distance::UNREACHED {
        check_overflow(graph, &distances)?;
    }
    let owners = best.iter().map(|pair| pair.1).collect();
    Ok(Nearest::from_storage(distances, owners))
}
