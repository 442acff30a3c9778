//! Detects a negative cycle from distances that still fall.
//!
//! Edge-parallel Bellman-Ford keeps no predecessors, so it proves a negative cycle only after n
//! iterations. Distances show one earlier. Take for each vertex the arc with the least sum; that
//! sum is at most the vertex's distance. Around a cycle of such arcs the weights add up to at most
//! zero, and to less if one of the sums is below the distance. If such arcs form no cycle, they
//! form a tree from the source, and each distance is at least the sum of the weights along it. So
//! with a negative cycle they form a cycle in the end. A cycle of length zero with the same sums
//! can hide a negative one from this test, but not from the n-th iteration. O(n + m).

use graph_formats::{Csr, Distance, VertexId, Weight};

use crate::NO_VERTEX;

/// Whether arcs of least sums form a cycle that lowers its own distances. With floats, rounding
/// alone may lower them.
pub(super) fn lowers_itself<W: Weight>(graph: &Csr<W>, distances: &[W::Distance]) -> bool {
    let mut least = distances.to_vec();
    let mut parents = vec![NO_VERTEX; distances.len()];
    for (from, to, weight) in graph.arcs() {
        let distance = distances[from as usize];
        // a self-loop that lowers nothing would hide other arcs
        if distance == W::Distance::UNREACHED || (from == to && !weight.is_negative()) {
            continue;
        }
        let Some(sum) = weight.after(distance) else { continue };
        let (least, parent) = (&mut least[to as usize], &mut parents[to as usize]);
        if sum < *least || (sum == *least && *parent == NO_VERTEX) {
            (*least, *parent) = (sum, from);
        }
    }
    // the number of the first walk through a vertex, 0 for none
    let mut walks = vec![0 as VertexId; parents.len()];
    for start in 0..parents.len() as VertexId {
        let walk = start + 1;
        let (mut at, mut last) = (start, NO_VERTEX);
        while at != NO_VERTEX && walks[at as usize] == 0 {
            walks[at as usize] = walk;
            last = at;
            at = parents[at as usize];
        }
        if at == NO_VERTEX || walks[at as usize] != walk || last == NO_VERTEX {
            continue;
        }
        // `last` is on a cycle; this visits each of its vertices once
        let falls = |vertex: VertexId| least[vertex as usize] < distances[vertex as usize];
        let mut vertex = parents[last as usize];
        while vertex != last && !falls(vertex) {
            vertex = parents[vertex as usize];
        }
        if falls(vertex) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use paths::oracle;
    use proptest::prelude::*;
    use test_support::arbitrary_graph;

    use super::*;

    /// The distances after `iterations` rounds, each of which reads those of the round before.
    fn distances_after(graph: &Csr<i32>, iterations: usize) -> Vec<i64> {
        let mut distances = vec![i64::UNREACHED; graph.n_vertices()];
        distances[0] = 0;
        for _ in 0..iterations {
            let before = distances.clone();
            for (from, to, weight) in graph.arcs() {
                let from = before[from as usize];
                if from != i64::UNREACHED {
                    let to = &mut distances[to as usize];
                    *to = (*to).min(from + i64::from(weight));
                }
            }
        }
        distances
    }

    #[test]
    fn a_cycle_of_length_zero_does_not_lower_itself() {
        let graph = Csr::from_arcs(3, &[(0, 1, 3i32), (1, 2, -2), (2, 0, -1)]).unwrap();
        for iterations in 0..5 {
            assert!(!lowers_itself(&graph, &distances_after(&graph, iterations)));
        }
        let graph = Csr::from_arcs(3, &[(0, 1, 3i32), (1, 2, -2), (2, 0, -2)]).unwrap();
        assert!(lowers_itself(&graph, &distances_after(&graph, 3)));
    }

    #[test]
    fn a_long_negative_cycle_is_detected_early() {
        // a path, a cycle of 100 vertices whose weights add up to -1, and a path out of it
        let mut arcs: Vec<_> = (0..50).map(|v| (v, v + 1, 3i32)).collect();
        arcs.extend((50..149).map(|v| (v, v + 1, if v % 2 == 0 { 7 } else { -7 })));
        arcs.extend([(149, 50, -8), (149, 150, -20), (20, 80, 1000)]);
        let graph = Csr::from_arcs(151, &arcs).unwrap();
        assert!(!lowers_itself(&graph, &distances_after(&graph, 148)));
        for iterations in 149..300 {
            assert!(lowers_itself(&graph, &distances_after(&graph, iterations)), "{iterations}");
        }
    }

    proptest! {
        #[test]
        fn what_lowers_itself_is_a_negative_cycle(graph in arbitrary_graph::<i32>(12, 40, -3..=9)) {
            let is_negative = oracle::tree(&graph, 0, None).is_err();
            for iterations in [1, 2, 5, 12, 400] {
                let found = lowers_itself(&graph, &distances_after(&graph, iterations));
                prop_assert!(is_negative || !found);
            }
        }
    }
}
