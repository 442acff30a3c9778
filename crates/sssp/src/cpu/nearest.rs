//! The nearest of several sources, for every vertex.
//!
//! Dijkstra's algorithm on labels that are a distance and a source, in the order of the
//! dictionary: an arc passes its tail's source on. Labels only fall, and the least one
//! in the queue can fall no further, as without sources; a vertex whose source fell on
//! a zero-weight plateau at an unchanged distance is looked at again.
//! O((n + m) log n) unless plateaus are large.
//!
//! Reference: dijkstra-1959

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use graph_formats::{Csr, Distance, DistanceKey, VertexId, Weight};
use paths::{Distances, Nearest};

use crate::key::{FullKeys, KeyArithmetic};
use crate::overflow::check_overflow;
use crate::{Progress, SsspError};

/// Labels taken from the queue between two calls of the progress callback.
const POPS_A_REPORT: u64 = 1 << 16;

/// Bytes of a vertex: its label, an entry of the queue, and the answer.
pub(crate) const BYTES_OF_VERTEX: usize = 16 + 16 + 12;

pub(crate) fn solve<W: Weight>(
    graph: &Csr<W>,
    sources: &[VertexId],
    progress: Option<Progress<'_>>,
) -> Result<Nearest<W>, SsspError> {
    type Key<W> = <<W as Weight>::Distance as Distance>::Key;
    let mut labels = vec![(Key::<W>::GREATEST, VertexId::MAX); graph.n_vertices()];
    let mut queue = BinaryHeap::new();
    for &source in sources {
        labels[source as usize] = (Key::<W>::LEAST, source);
        queue.push(Reverse((Key::<W>::LEAST, source, source)));
    }
    let mut pops = 0u64;
    while let Some(Reverse((key, owner, vertex))) = queue.pop() {
        pops += 1;
        if pops.is_multiple_of(POPS_A_REPORT) && progress.is_some_and(|tell| tell(0, 0).is_break())
        {
            return Err(SsspError::Interrupted);
        }
        if labels[vertex as usize] != (key, owner) {
            continue;
        }
        for (to, weight) in graph.arcs_from(vertex) {
            let through = (<FullKeys as KeyArithmetic<W>>::after(key, weight), owner);
            let label = &mut labels[to as usize];
            if through.0 < Key::<W>::GREATEST && through < *label {
                *label = through;
                queue.push(Reverse((through.0, owner, to)));
            }
        }
    }
    let distances = labels.iter().map(|label| W::Distance::from_key(label.0)).collect();
    let distances = Distances::from_storage(distances);
    check_overflow(graph, &distances)?;
    let owners = labels.iter().map(|label| label.1).collect();
    Ok(Nearest::from_storage(distances, owners))
}
