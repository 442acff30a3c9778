//! The triangles of a hierarchy, by level.
//!
//! A triangle is two arcs that lead up from one vertex and the arc between their ends. Its level is
//! the height of that vertex above the leaves of the elimination tree: all arcs of the vertex are
//! customized when lower levels are done. Every triangle is listed, so that threads share them
//! evenly and search for nothing. O(triangles · longest row), and hardly more than O(triangles).
//!
//! Reference: dibbelt-2016

use rayon::prelude::*;

use crate::prepare::below::by_rank;
use crate::prepare::hierarchy::Hierarchy;

/// Vertices that a thread lists the triangles of at a time.
const VERTICES_PER_TASK: usize = 1 << 10;

/// Triangles, those of a level contiguous.
#[derive(Default)]
pub(super) struct Triangles {
    /// Where those of each level begin, and the last end; at least two.
    pub(super) levels: Vec<u64>,
    /// The two arcs that lead up, the one to the lower end first, and the third.
    pub(super) arcs: [Vec<u32>; 3],
}

impl Triangles {
    /// Those of a hierarchy whose arcs end at the ranks `heads`.
    pub(super) fn of(hierarchy: &Hierarchy, heads: &[u32]) -> Self {
        let (starts, ranks) = by_height(hierarchy);
        let tasks = ranks.par_chunks(VERTICES_PER_TASK);
        let parts: Vec<_> = tasks.map(|ranks| list(hierarchy, heads, ranks)).collect();
        let arcs = [0, 1, 2].map(|i| {
            let lists: Vec<&[u32]> = parts.iter().map(|part| &part[i][..]).collect();
            lists.concat()
        });
        let count =
            |rank: u32| (hierarchy.row(rank).len() * (hierarchy.row(rank).len() - 1) / 2) as u64;
        let mut levels = vec![0];
        let mut n_triangles = 0;
        for level in starts.windows(2) {
            n_triangles +=
                ranks[level[0] as usize..level[1] as usize].iter().map(|&r| count(r)).sum::<u64>();
            levels.push(n_triangles);
        }
        levels.dedup();
        if levels.len() < 2 {
            levels.push(0);
        }
        Self { levels, arcs }
    }
}

/// The ranks that have triangles, by their height; and where each height begins.
fn by_height(hierarchy: &Hierarchy) -> (Vec<u32>, Vec<u32>) {
    let mut heights = vec![0u32; hierarchy.n_vertices()];
    for (rank, &parent) in hierarchy.parents.iter().enumerate() {
        let above = heights[rank] + 1;
        if let Some(height) = heights.get_mut(parent as usize) {
            *height = above.max(*height);
        }
    }
    by_rank(hierarchy.height(), || {
        let ranks = (0..).zip(&heights).filter(|&(rank, _)| hierarchy.row(rank).len() > 1);
        ranks.map(|(rank, &height)| (height, rank))
    })
}

/// The triangles above each of `ranks`.
fn list(hierarchy: &Hierarchy, heads: &[u32], ranks: &[u32]) -> [Vec<u32>; 3] {
    let mut arcs = [Vec::new(), Vec::new(), Vec::new()];
    for &rank in ranks {
        let row = hierarchy.row(rank);
        for first in row.clone() {
            // the row of the nearer end has all farther ends, in the same order
            let mut third = hierarchy.offsets[heads[first] as usize] as usize;
            for second in first + 1..row.end {
                while hierarchy.ends[third] != hierarchy.ends[second] {
                    third += 1;
                }
                for (list, arc) in arcs.iter_mut().zip([first, second, third]) {
                    list.push(arc as u32);
                }
            }
        }
    }
    arcs
}
