//! The nearest of several sources for every vertex, by the distances of a search from all of them.
//!
//! The owner of a vertex is the smallest source from which tight arcs lead to it. In rounds, those whose
//! owner has fallen pass it along their tight arcs, until none falls. O(n + m) if no vertex has ties.
//!
//! Reference: dijkstra-1959

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::Distances;
use rayon::prelude::*;

/// The owners, `VertexId::MAX` for none. No weight is negative.
pub(super) fn owners<W: Weight>(
    graph: &Csr<W>,
    sources: &[VertexId],
    distances: &Distances<W::Distance>,
) -> Vec<VertexId> {
    let distances = distances.as_storage();
    let mut owners = Vec::new();
    owners.resize_with(graph.n_vertices(), || AtomicU32::new(VertexId::MAX));
    let is_reached = |&source: &VertexId| distances[source as usize] != W::Distance::UNREACHED;
    let mut fallen: Vec<_> = sources.iter().copied().filter(is_reached).collect();
    fallen.iter().for_each(|&source| owners[source as usize] = source.into());
    while !fallen.is_empty() {
        let pass = |&tail: &VertexId| {
            let (owners, distance) = (&owners, distances[tail as usize]);
            let owner = owners[tail as usize].load(Relaxed);
            graph.arcs_from(tail).filter_map(move |(head, weight)| {
                let is_tight = weight.after(distance) == Some(distances[head as usize]);
                let falls = is_tight && owners[head as usize].fetch_min(owner, Relaxed) > owner;
                falls.then_some(head)
            })
        };
        fallen = fallen.par_iter().flat_map_iter(pass).collect();
        fallen.par_sort_unstable();
        fallen.dedup();
    }
    owners.into_iter().map(AtomicU32::into_inner).collect()
}

#[cfg(test)]
mod tests {
    use paths::oracle;
    use test_support::{corner_cases, some_vertices};

    use super::*;

    #[test]
    fn owners_are_those_of_the_oracle() {
        for (name, graph) in corner_cases::<u32>() {
            let sources = some_vertices(&graph, 5);
            let expected = oracle::nearest(&graph, &sources).unwrap();
            let found = owners(&graph, &sources, &expected.distances);
            assert_eq!(found, expected.owners_as_storage(), "{name}");
        }
    }
}
