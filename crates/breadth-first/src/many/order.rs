//! The order of sources: those of a batch are near one another, so that their frontiers overlap.
//!
//! A batch visits a vertex once for each distance at which one of its sources finds it. Sources
//! within a ball of r hops find it within 2 r levels, so a batch of them costs at most 2 r
//! searches, not 64 or 512. Each ball grows from a vertex that borders on earlier balls. O(n + m).

use std::collections::VecDeque;

use graph_formats::Csr;

/// The position of each vertex in an order by balls. A ball has as many vertices as contain
/// `in_a_batch` of `n_sources` evenly distributed sources.
pub(super) fn by_balls(graph: &Csr<u32>, n_sources: usize, in_a_batch: usize) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let n = graph.n_vertices();
    let size = in_a_batch as u128 * n as u128 / n_sources.max(1) as u128;
    let size = size.clamp(1, u128::from(u32::MAX)) as u32;
    let mut ranks = vec![NONE; n];
    let (mut rank, mut ball, mut borders) = (0_u32, VecDeque::new(), VecDeque::new());
    for vertex in graph.vertices() {
        borders.push_back(vertex);
        while let Some(centre) = borders.pop_front() {
            let end = rank.saturating_add(size);
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
