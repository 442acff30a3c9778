//! The division of an elimination order into supernodes.
//!
//! A supernode is a run of ranks in the subtree of its last one. All arcs that leave such a run go
//! to the higher neighbours of that one. For a rank's higher neighbours, except its parent, are
//! higher neighbours of its parent. So any cut of the ranks into such runs is right. A cut of least
//! cost is found from the lowest rank upwards. The cost of a run is that of its two dense products,
//! whose sides the kernels round up, and what starting them takes. O(n · longest run).
//!
//! The published form merges whole separators, and their ends rank by rank; here runs begin and end
//! where it costs least, inside a separator or across small subtrees.
//!
//! Reference: sao-2020, liu-1990

use elimination::{Completion, EliminationError, Order, subtrees};
use graph_formats::{Csr, Progress};

use super::{Supernode, Supernodes};

/// Ranks of a run at most.
const MAX_RANKS: u32 = 4096;
/// Sides of the products are multiples of these.
const OWN_STEP: usize = 32;
const ENDS_STEP: usize = 16;
/// The cost of a sum in the dense matrix of a supernode, which the CPU closes, in sums of the
/// matrix of all pairs, which a GPU may take.
const FRONT_COST: f64 = 16.0;
/// What a supernode costs beside its sums, for each column of its rows.
const NODE_COST: f64 = 512.0;

impl Supernodes {
    /// Of a graph, whose weights do not matter, where its completion has no more than `max_arcs`.
    /// The order takes most of the time. `progress` is only asked whether to go on.
    pub(super) fn of(
        graph: &Csr<u32>,
        max_arcs: u64,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, EliminationError> {
        // arcs are numbered in 32 bits
        let max_arcs = max_arcs.min(u64::from(u32::MAX));
        let ask = progress.map(|progress| move |_, _| progress(0, 0));
        let ask = ask.as_ref().map(|ask| ask as Progress<'_>);
        let order = Order::within(graph, None, ask, max_arcs)?;
        let completion = Completion::new(graph, &order, max_arcs)?;
        let mut nodes: Vec<Supernode> = Vec::new();
        let firsts = cut(&completion);
        let mut end = completion.vertices.len() as u32;
        while let Some(last) = end.checked_sub(1) {
            let ranks = firsts[last as usize]..end;
            end = ranks.start;
            nodes.push(Supernode { ranks, ends: completion.higher(last).to_vec() });
        }
        nodes.reverse();
        Ok(Self::new(completion.vertices, nodes))
    }
}

/// The first rank of the run that each rank would end, in a cut of it and all lower ones that
/// costs least.
fn cut(completion: &Completion) -> Vec<u32> {
    let n = completion.vertices.len();
    let subtrees = subtrees(&completion.parents());
    let mut costs = vec![0.0; n + 1];
    let mut firsts = Vec::with_capacity(n);
    for (last, subtree) in (0..).zip(subtrees) {
        let n_ends = completion.higher(last).len();
        let lowest = subtree.max((last + 1).saturating_sub(MAX_RANKS));
        let mut least = (f64::INFINITY, last);
        for first in (lowest..=last).rev() {
            let n_own = (last + 1 - first) as usize;
            let cost = costs[first as usize] + run_cost(n, n_own, n_ends);
            if cost < least.0 {
                least = (cost, first);
            }
        }
        costs[last as usize + 1] = least.0;
        firsts.push(least.1);
    }
    firsts
}

/// The cost of a run of `n_own` ranks with `n_ends` ends.
fn run_cost(n: usize, n_own: usize, n_ends: usize) -> f64 {
    let (own, ends) = (n_own.next_multiple_of(OWN_STEP), n_ends.next_multiple_of(ENDS_STEP));
    let front = n_own as f64 * ((n_own + n_ends) as f64).powi(2);
    n as f64 * ((own * ends) as f64 + NODE_COST) + FRONT_COST * front
}

#[cfg(test)]
mod tests {
    use graph_formats::generate::{GridConfig, grid};
    use proptest::prelude::*;
    use test_support::arbitrary_graph;

    use super::*;

    /// Supernodes have all ranks in order, and the ends of one are higher, ascending, and among the
    /// next higher supernode and its ends.
    fn check(graph: &Csr<u32>) {
        let supernodes = Supernodes::of(graph, 1 << 40, None).unwrap();
        let mut next = 0;
        for (number, node) in (0..).zip(&supernodes.nodes) {
            assert!(node.ranks.start == next && node.len() > 0, "{:?}", node.ranks);
            next = node.ranks.end;
            assert!(node.ends.is_sorted_by(|a, b| a < b), "{:?}", node.ends);
            assert!(node.ends.first().is_none_or(|&end| end >= next), "{:?}", node.ends);
            let above = supernodes.parent(number).map(|above| supernodes.node(above));
            let is_among = |&end| above.is_some_and(|above| above.place(end).is_some());
            assert!(node.ends.iter().all(is_among), "{:?}", node.ends);
        }
        assert_eq!(next as usize, graph.n_vertices());
    }

    /// A cube takes far fewer sums than Floyd-Warshall, and what is dense is found out early.
    #[test]
    fn sums_are_counted_before_they_are_made() {
        let cube = grid(&GridConfig { side: 12, dimensions: 3, ..Default::default() }).unwrap();
        let square = grid(&GridConfig { side: 50, ..Default::default() }).unwrap();
        for (graph, advantage) in [(&cube, 5.0), (&square, 20.0)] {
            check(graph);
            let n = graph.n_vertices() as f64;
            let supernodes = Supernodes::of(graph, 1 << 40, None).unwrap();
            assert!(supernodes.n_sums() < n.powi(3) / advantage);
        }
        let refused = Supernodes::of(&cube, 10_000, None);
        assert!(matches!(refused, Err(EliminationError::NoSmallSeparators { .. })), "{refused:?}");
    }

    proptest! {
        #[test]
        fn arbitrary_graphs(graph in arbitrary_graph::<u32>(60, 150, 0..=9)) {
            check(&graph);
        }
    }
}
