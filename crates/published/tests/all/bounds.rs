//! No search of Δ-stepping repeats more than its bounds.

use std::collections::BTreeSet;

use graph_formats::{Csr, VertexId};
use proptest::prelude::*;
use published::Bounds;
use test_support::arbitrary_graph;

/// The bounds from all vertices, and the counts of the paper's loop from vertex 0: a phase
/// makes the requests of all queued vertices, and then relaxes them.
fn bounds_and_counts(graph: &Csr<u32>, width: u32) -> (Bounds, Bounds) {
    let n = graph.n_vertices();
    let (mut key, mut taken) = (vec![u32::MAX; n], vec![0_u32; n]);
    let (mut waiting, mut counts) = (BTreeSet::from([0_usize]), Bounds::default());
    key[0] = 0;
    while let Some(bucket) = waiting.iter().map(|&v| key[v] / width).min() {
        let mut kept = BTreeSet::new();
        loop {
            let now: Vec<usize> =
                waiting.iter().copied().filter(|&v| key[v] / width == bucket).collect();
            let is_heavy = now.is_empty();
            let of = if is_heavy { kept.iter().copied().collect() } else { now };
            let mut requests = Vec::new();
            for v in of {
                let arcs = graph.arcs_from(v as VertexId).filter(|a| (a.1 > width) == is_heavy);
                let from = key[v];
                let before = requests.len();
                requests.extend(arcs.map(|(to, weight)| (to as usize, from + weight)));
                if !is_heavy {
                    waiting.remove(&v);
                    kept.insert(v);
                    let again = f64::from(taken[v].min(1));
                    counts.insertions += again;
                    counts.relaxations += again * (requests.len() - before) as f64;
                    taken[v] += 1;
                }
            }
            counts.phases += 1.0;
            for (to, through) in requests {
                if through < key[to] {
                    key[to] = through;
                    waiting.insert(to);
                }
            }
            if is_heavy {
                break;
            }
        }
    }
    let farthest = key.iter().copied().filter(|&key| key < u32::MAX).max().unwrap_or(0);
    let all: Vec<VertexId> = graph.vertices().collect();
    (Bounds::of(graph, width.into(), farthest.into(), &all), counts)
}

#[test]
fn a_detour_of_more_arcs_is_as_bad_as_it_may_be() {
    // each vertex is reached by one arc first, and then by more and lighter arcs
    let arcs = [(0, 1, 1u32), (0, 2, 5), (0, 3, 7), (1, 2, 2), (1, 3, 5), (2, 3, 1)];
    let graph = Csr::from_arcs(4, &arcs).unwrap();
    let (bounds, counts) = bounds_and_counts(&graph, 8);
    assert_eq!((bounds.insertions, bounds.relaxations, bounds.phases), (6.0, 4.0, 5.0));
    assert_eq!((counts.insertions, counts.relaxations, counts.phases), (3.0, 1.0, 5.0));
    let (bounds, counts) = bounds_and_counts(&graph, 1);
    assert_eq!((bounds.insertions, counts.insertions), (2.0, 0.0));
    // a sample is scaled to all vertices
    let sampled = Bounds::of(&graph, 8.9, 4.0, &[0]);
    assert_eq!((sampled.insertions, sampled.phases), (12.0, 5.0));
    assert_eq!(Bounds::of(&graph, 8.0, 0.0, &[]).insertions, 0.0);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_search_does_more_again(
        graph in arbitrary_graph::<u32>(24, 200, 0..=30),
        width in 1..60_u32,
    ) {
        if graph.n_vertices() > 0 {
            let (bounds, counts) = bounds_and_counts(&graph, width);
            prop_assert!(counts.insertions <= bounds.insertions, "{counts:?}, {bounds:?}");
            prop_assert!(counts.relaxations <= bounds.relaxations, "{counts:?}, {bounds:?}");
            prop_assert!(counts.phases <= bounds.phases, "{counts:?}, {bounds:?}");
        }
    }
}
