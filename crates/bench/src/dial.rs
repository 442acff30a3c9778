//! Dial's queue as anyone would write it in an afternoon: the yardstick.
//!
//! It is no part of the project and is not meant to become faster: a solver that needs
//! two threads, or thought, has to beat it. One bucket a distance, in a circular array;
//! overtaken entries stay in place and are passed over. O(m + d) for distances up to d,
//! on one thread.

use graph_formats::{Csr, VertexId};

/// Unreached.
pub(crate) const NONE: u32 = u32::MAX;

/// The distances from `source`, with [`NONE`] for unreached vertices. `n_buckets` is a
/// power of two above the greatest weight. Sums stop at [`NONE`].
pub(crate) fn dial(graph: &Csr<u32>, source: VertexId, n_buckets: usize) -> Vec<u32> {
    let bucket_of = |distance: u32| distance as usize & (n_buckets - 1);
    let mut distances = vec![NONE; graph.n_vertices()];
    let mut buckets: Vec<Vec<VertexId>> = vec![Vec::new(); n_buckets];
    distances[source as usize] = 0;
    buckets[0].push(source);
    let (mut distance, mut n_queued) = (0, 1_usize);
    while n_queued > 0 {
        while let Some(from) = buckets[bucket_of(distance)].pop() {
            n_queued -= 1;
            if distances[from as usize] != distance {
                continue;
            }
            for (to, weight) in graph.arcs_from(from) {
                let through = distance.saturating_add(weight);
                if through < distances[to as usize] {
                    distances[to as usize] = through;
                    buckets[bucket_of(through)].push(to);
                    n_queued += 1;
                }
            }
        }
        distance += 1;
    }
    distances
}
