//! The order in which warps and blocks sweep the vertices.
//!
//! A vertex needs its ancestors. Subtrees of little work are each swept by one warp in preorder,
//! several small ones by the same, and none of them waits for another: one launch has them all. The
//! vertices above them are few, but each branch has hundreds, most of them in chains, the
//! separators of the graph. So a block sweeps a chain, and launches are as many as chains follow
//! one another on a branch. That is about the logarithm of the number of subtrees, where levels of
//! vertices would be hundreds. O(n).
//!
//! Reference: delling-2011

use std::ops::Range;

use crate::prepare::hierarchy::Hierarchy;

/// Subtrees into which the work is divided, about.
const N_SUBTREES: usize = 1 << 12;
/// The work of a subtree, at least.
const MIN_WORK: usize = 1 << 6;
/// The work of a vertex, in arcs.
const ARCS_PER_VERTEX: usize = 4;

/// Segments of vertices.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Segments {
    /// The vertices, segment by segment; ancestors before descendants in each.
    pub(super) ranks: Vec<u32>,
    /// Where each segment begins, and the last ends.
    pub(super) starts: Vec<u32>,
    /// The chains of each launch, which need those of the launches before.
    pub(super) chains: Vec<Range<u32>>,
    /// The subtrees below, of the last launch.
    pub(super) subtrees: Range<u32>,
}

impl Segments {
    /// Those of `ranks`, which descend and have the parent of each.
    pub(super) fn of(hierarchy: &Hierarchy, ranks: &[u32]) -> Self {
        let work = |rank: u32| hierarchy.row(rank).len() + ARCS_PER_VERTEX;
        let all: usize = ranks.iter().map(|&rank| work(rank)).sum();
        let max_work = (all / N_SUBTREES).max(MIN_WORK);
        let parents = parents(hierarchy, ranks);
        let mut works: Vec<usize> = ranks.iter().map(|&rank| work(rank)).collect();
        let mut n_large_children = vec![0u32; ranks.len()];
        for at in (0..ranks.len()).rev() {
            if let Some(parent) = parents[at] {
                works[parent] += works[at];
                n_large_children[parent] += u32::from(works[at] > max_work);
            }
        }
        let mut chains: Vec<Vec<u32>> = Vec::new();
        let mut levels: Vec<usize> = Vec::new();
        let mut chain_of = vec![0; ranks.len()];
        let mut small = Segments { starts: vec![0], ..Self::default() };
        let mut work_of_last = 0;
        for (at, &rank) in ranks.iter().enumerate() {
            let parent = parents[at];
            if works[at] > max_work {
                chain_of[at] = match parent {
                    Some(parent) if n_large_children[parent] == 1 => chain_of[parent],
                    parent => {
                        levels.push(parent.map_or(0, |parent| levels[chain_of[parent]] + 1));
                        chains.push(Vec::new());
                        chains.len() - 1
                    }
                };
                chains[chain_of[at]].push(rank);
                continue;
            }
            // a subtree begins whose parent is above
            let begins = parent.is_none_or(|parent| works[parent] > max_work);
            if begins && work_of_last > 0 && work_of_last + works[at] > max_work {
                small.starts.push(small.ranks.len() as u32);
                work_of_last = 0;
            }
            work_of_last += if begins { works[at] } else { 0 };
            small.ranks.push(rank);
        }
        if !small.ranks.is_empty() {
            small.starts.push(small.ranks.len() as u32);
        }
        let mut segments = Self { starts: vec![0], ..Self::default() };
        for level in 0..levels.iter().max().map_or(0, |&last| last + 1) {
            let of_level = (0..chains.len()).filter(|&chain| levels[chain] == level);
            let launch = segments.add(of_level.map(|chain| &chains[chain][..]));
            segments.chains.push(launch);
        }
        let starts = small.starts.windows(2);
        let subtrees = starts.map(|ends| &small.ranks[ends[0] as usize..ends[1] as usize]);
        segments.subtrees = segments.add(subtrees);
        segments
    }

    /// Adds these segments. Their numbers.
    fn add<'a>(&mut self, segments: impl Iterator<Item = &'a [u32]>) -> Range<u32> {
        let first = self.starts.len() as u32 - 1;
        for segment in segments {
            self.ranks.extend_from_slice(segment);
            self.starts.push(self.ranks.len() as u32);
        }
        first..self.starts.len() as u32 - 1
    }
}

/// The place of the parent of each of `ranks` among them.
fn parents(hierarchy: &Hierarchy, ranks: &[u32]) -> Vec<Option<usize>> {
    // by depth, the place of the last vertex; all vertices of preorder are below it
    let mut last = vec![0; hierarchy.height()];
    let place = |(at, &rank): (usize, &u32)| {
        let depth = usize::from(hierarchy.depths[rank as usize]);
        last[depth] = at;
        depth.checked_sub(1).map(|above| last[above])
    };
    ranks.iter().enumerate().map(place).collect()
}
