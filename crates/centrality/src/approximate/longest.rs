//! A bound of the number of arcs on a shortest path, by a few searches.
//!
//! Where edges have no direction, two vertices that a search finds are at most twice as far apart as
//! its farthest vertex is. Searches begin at the vertex with most arcs among those not found so far.
//! A path among the vertices that all of them leave has fewer arcs than these are. Where arcs have a
//! direction, the bound is that of the diameter by one search each way. O(n + m) a search.

use std::num::NonZeroUsize;

use graph_formats::{Csr, Direction, VertexId};
use sssp::{Goal, Solver};

use crate::{CentralityError, diameter};

/// Searches, at most.
const SEARCHES: usize = 8;

/// No shortest path has more arcs.
pub(super) fn longest(
    graph: &Csr<u32>,
    threads: Option<NonZeroUsize>,
) -> Result<usize, CentralityError> {
    if graph.direction() == Direction::Directed {
        return diameter::bound_of_hops(graph, threads);
    }
    let config = sssp::Config { threads, ..sssp::Config::default() };
    let mut solver = Solver::new(graph, &config)?;
    let mut left: Vec<VertexId> = graph.vertices().filter(|&v| graph.out_degree(v) > 0).collect();
    let mut longest = 0;
    for _ in 0..SEARCHES {
        let Some(&source) = left.iter().max_by_key(|&&v| graph.out_degree(v)) else { break };
        let found = solver.distances(source, Goal::All)?.answer;
        let farthest = left.iter().filter_map(|&v| found.get(v)).max();
        longest = longest.max(2 * farthest.unwrap_or(0) as usize);
        left.retain(|&v| found.get(v).is_none());
    }
    Ok(longest.max(left.len().saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use paths::Number;
    use test_support::{corner_cases, scattered, undirected};

    use super::*;
    use crate::Lengths;

    #[test]
    fn no_path_is_longer() {
        let mut graphs: Vec<_> =
            corner_cases::<u32>().into_iter().map(|(_, graph)| graph).collect();
        for degree in [1, 2, 4] {
            graphs.push(scattered(300, degree));
            graphs.push(undirected(&scattered(300, degree)));
        }
        // more components than searches, the longest path in the last
        let edges =
            (0..20).flat_map(|c| (1..=c / 2 + 2).map(move |v| (15 * c + v - 1, 15 * c + v, 1)));
        graphs.push(Csr::from_edges(300, &edges.collect::<Vec<_>>()).unwrap());
        for (at, graph) in graphs.iter().enumerate().filter(|(_, graph)| graph.n_vertices() > 0) {
            let exact = crate::diameter(graph, Lengths::Hops, None, None).unwrap().unwrap();
            let bound = longest(&graph.clone().unweighted(), None).unwrap();
            assert!(exact.value <= Number::of(bound as u64), "{at}: {exact:?} {bound}");
            assert!(bound <= graph.n_vertices(), "{at}: {bound}");
        }
    }
}
