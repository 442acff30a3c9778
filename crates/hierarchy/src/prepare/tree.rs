//! The elimination tree of a hierarchy.

use elimination::{ROOT, subtrees};

/// The elimination tree of vertices in postorder.
pub(crate) struct Tree {
    /// The parent of each rank, or [`ROOT`].
    pub(crate) parents: Vec<u32>,
    /// The first rank of the subtree of each rank, which ends with itself.
    pub(crate) subtrees: Vec<u32>,
    /// How many ancestors each rank has.
    pub(crate) depths: Vec<u16>,
}

impl Tree {
    /// Of the arcs that lead up from each rank, given by the depths where they end, descending: the
    /// first leads to the parent. None where that is no tree. O(n + arcs).
    pub(crate) fn of_arcs(offsets: &[u32], ends: &[u16]) -> Option<Self> {
        let n = offsets.len() - 1;
        let (mut parents, mut depths) = (vec![ROOT; n], vec![0; n]);
        let mut ancestors: Vec<u32> = Vec::new();
        for rank in (0..n).rev() {
            let row = ends.get(offsets[rank] as usize..offsets[rank + 1] as usize)?;
            let depth = row.first().map_or(Some(0), |&end| end.checked_add(1))?;
            if usize::from(depth) > ancestors.len() || !row.is_sorted_by(|a, b| a > b) {
                return None;
            }
            ancestors.truncate(depth.into());
            parents[rank] = ancestors.last().copied().unwrap_or(ROOT);
            depths[rank] = depth;
            ancestors.push(rank as u32);
        }
        Some(Self { subtrees: subtrees(&parents), parents, depths })
    }
}
