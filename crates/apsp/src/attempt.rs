//! Numbers of 16 bits that are not proven to hold all distances, and the look at the finished
//! matrix that tells whether they did.
//!
//! Such a matrix has, of each pair, its distance or the [limit](crate::element::Element::INFINITE),
//! whichever is less. So a pair at the limit has no path, or one too long: which, the arcs alone
//! decide. A source has to have distances to as many vertices as it leads to. In the strongly
//! connected components, each after those that it leads to, sets of vertices are united, a word of
//! 64 at a time; of the next components the last first, for what they lead to needs no look of its
//! own. O(n²) for the look, and where a pair is at the limit O(n + m log m) and at most
//! O(n m / 64), n² / 8 bytes.
//!
//! Reference: tarjan-1972

use std::cmp::Reverse;

use collectives::{Communicator, RanksError};
use graph_formats::{Components, Csr, Distance, VertexId, Weight, parallel};
use paths::DistanceTable;
use rayon::ThreadPool;

use crate::{Certainty, Plan};

impl Plan {
    /// Takes wider numbers where those of the plan have not held all distances, from these sources
    /// and from those of other ranks; whether it does, and the work is to be done again. To be
    /// called by all ranks.
    pub(crate) fn widen<W: Weight>(
        &mut self,
        ranks: &dyn Communicator,
        pool: &ThreadPool,
        graph: &Csr<W>,
        sources: &[VertexId],
        distances: &DistanceTable<W>,
    ) -> Result<bool, RanksError> {
        if self.certainty != Certainty::Checked {
            return Ok(false);
        }
        let is_complete = pool.install(|| is_complete(graph, sources, distances));
        if !ranks.any(!is_complete)? {
            return Ok(false);
        }
        (self.number, self.certainty) = (self.widest(), Certainty::Retried);
        Ok(true)
    }
}

/// Whether there is a distance from each of these sources to every vertex that it has a path to,
/// and to no other.
fn is_complete<W: Weight>(
    graph: &Csr<W>,
    sources: &[VertexId],
    distances: &DistanceTable<W>,
) -> bool {
    let n = graph.n_vertices();
    let cells = distances.as_storage().as_slice().expect("rows one after the other");
    let reached =
        |row: &[W::Distance]| row.iter().filter(|&&d| d != W::Distance::UNREACHED).count();
    let found = parallel::map(sources.len(), &|row| reached(&cells[row * n..(row + 1) * n]));
    if found.iter().all(|&found| found == n) {
        return true;
    }
    let components = Components::of(graph);
    let expected = n_reachable(graph, &components);
    let pairs = sources.iter().zip(&found);
    pairs.into_iter().all(|(&u, &found)| found == expected[components.component_of(u)])
}

/// How many vertices those of each component have a path to, they themselves among them.
fn n_reachable<W: Weight>(graph: &Csr<W>, components: &Components) -> Vec<usize> {
    // vertices by their places in the order of the components
    let mut starts = vec![0];
    let mut sets: Vec<Vec<u64>> = Vec::with_capacity(components.n_components());
    for component in 0..components.n_components() {
        let (members, start) = (components.members(component), starts[component]);
        let end = start + members.len();
        let mut set = vec![0u64; end.div_ceil(64)];
        (start..end).for_each(|place| set[place / 64] |= 1 << (place % 64));
        let arcs = members.iter().flat_map(|&member| graph.arcs_from(member));
        let next = arcs.map(|(to, _)| components.component_of(to));
        let mut next: Vec<_> = next.filter(|&next| next != component).collect();
        next.sort_unstable_by_key(|&next| Reverse(next));
        for next in next {
            let place = starts[next];
            if set[place / 64] >> (place % 64) & 1 == 0 {
                set.iter_mut().zip(&sets[next]).for_each(|(word, more)| *word |= more);
            }
        }
        sets.push(set);
        starts.push(end);
    }
    let size = |set: &Vec<u64>| set.iter().map(|word| word.count_ones() as usize).sum();
    sets.iter().map(size).collect()
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;
    use paths::oracle;
    use proptest::prelude::*;
    use test_support::arbitrary_graph;

    use super::*;

    fn vertices(graph: &Csr<u32>) -> Vec<VertexId> {
        graph.vertices().collect()
    }

    #[test]
    fn a_pair_that_lacks_its_distance_is_found_in_any_component() {
        // two cycles, one of which leads to the other, and a vertex alone
        let arcs = [(0, 1, 1u32), (1, 0, 1), (1, 2, 1), (2, 3, 1), (3, 2, 1)];
        let graph = Csr::from_arcs(5, &arcs).unwrap();
        let right = oracle::floyd_warshall(&graph).unwrap();
        assert!(is_complete(&graph, &vertices(&graph), &right));
        for (u, v) in (0..5).flat_map(|u| (0..5).map(move |v| (u, v))) {
            let mut cells: Array2<u64> = right.as_storage().clone();
            let reached = cells[(u, v)] != u64::UNREACHED;
            cells[(u, v)] = if reached { u64::UNREACHED } else { 7 };
            assert!(!is_complete(&graph, &vertices(&graph), &DistanceTable::from_storage(cells)));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn as_many_are_reachable_as_have_a_distance(
            graph in arbitrary_graph::<u32>(150, 300, 0..=9),
        ) {
            let components = Components::of(&graph);
            let expected = n_reachable(&graph, &components);
            let found = oracle::floyd_warshall(&graph).unwrap();
            for u in graph.vertices() {
                let reached = found.row(u as usize).flatten().count();
                prop_assert_eq!(reached, expected[components.component_of(u)]);
            }
        }
    }
}
