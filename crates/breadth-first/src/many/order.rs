//! Which sources are searched from together: those near one another, whose frontiers overlap.
//!
//! A vertex takes part in a level for every number of hops at which a source of the batch finds
//! it. Sources within a ball of r hops find it within 2 r levels of one another, so that a batch of
//! them costs 2 r searches at most, not 64 or 512. Balls are grown from vertices that border on
//! those before. O(n + m).

use std::collections::VecDeque;

use graph_formats::Csr;

/// The position of each vertex in the order of balls that have `in_a_batch` of so many sources each,
/// if these are spread evenly.
pub(super) fn by_balls(graph: &Csr<u32>, n_sources: usize, in_a_batch: usize) -> Vec<u32> {
    let n = graph.n_vertices();
    let size = (in_a_batch as u128 * n as u128 / n_sources.max(1) as u128) as usize;
    ranks(graph, size.max(1))
}

/// The position of each vertex in the order of balls of `size` vertices.
fn ranks(graph: &Csr<u32>, size: usize) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut ranks = vec![NONE; graph.n_vertices()];
    let (mut rank, mut ball, mut borders) = (0, VecDeque::new(), VecDeque::new());
    for vertex in graph.vertices() {
        borders.push_back(vertex);
        while let Some(centre) = borders.pop_front() {
            let end = rank + size as u32;
            ball.push_back(centre);
            while let Some(next) = ball.pop_front() {
                if ranks[next as usize] != NONE {
                    continue;
                }
                if rank == end {
                    borders.push_back(next);
                    continue;
                }
                ranks[next as usize] = rank;
                rank += 1;
                let ends = graph.ends_from(next).iter();
                ball.extend(ends.filter(|&&end| ranks[end as usize] == NONE));
            }
        }
    }
    ranks
}
