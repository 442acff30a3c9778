//! The elimination tree of an order, and its vertices in postorder.
//!
//! The parent of a vertex is the least important of its neighbours at the time when it is
//! contracted, and all of these are its ancestors. The parents are found without the shortcuts, by
//! paths to the roots that are compressed; any postorder of the tree has the same shortcuts as the
//! order that it was made from. O(m log n).
//!
//! Reference: liu-1990

use graph_formats::VertexId;

use crate::order::Part;

/// No parent.
pub(crate) const ROOT: u32 = u32::MAX;

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

fn subtrees(parents: &[u32]) -> Vec<u32> {
    let mut subtrees: Vec<u32> = (0..parents.len() as u32).collect();
    for rank in 0..parents.len() {
        if let Some(above) = subtrees.get(parents[rank] as usize) {
            subtrees[parents[rank] as usize] = subtrees[rank].min(*above);
        }
    }
    subtrees
}

/// The vertices in postorder of the elimination tree: each after its descendants, which are
/// contiguous.
pub(crate) fn in_postorder(graph: &Part, order: &[VertexId]) -> Vec<VertexId> {
    let parents = parents(graph, order);
    let n = parents.len();
    // children as lists, the least important first
    let (mut first_child, mut sibling) = (vec![ROOT; n], vec![ROOT; n]);
    let mut first_root = ROOT;
    for rank in (0..n).rev() {
        let list = match parents[rank] {
            ROOT => &mut first_root,
            parent => &mut first_child[parent as usize],
        };
        sibling[rank] = std::mem::replace(list, rank as u32);
    }
    let mut postorder = Vec::with_capacity(n);
    let mut stack = Vec::new();
    let mut next = first_root;
    loop {
        while next != ROOT {
            stack.push(next);
            next = first_child[next as usize];
        }
        let Some(rank) = stack.pop() else { return postorder };
        postorder.push(order[rank as usize]);
        next = sibling[rank as usize];
    }
}

/// The parent of each place of `order`.
fn parents(graph: &Part, order: &[VertexId]) -> Vec<u32> {
    let rank = inverse(order).expect("an order has each vertex once");
    let mut parents = vec![ROOT; order.len()];
    // an ancestor of each vertex, as far up as is known
    let mut ancestors = parents.clone();
    for (vertex, at) in order.iter().zip(0..) {
        for &end in graph.neighbours(*vertex) {
            let mut below = rank[end as usize];
            while below < at {
                let above = std::mem::replace(&mut ancestors[below as usize], at);
                if above == ROOT {
                    parents[below as usize] = at;
                    break;
                }
                below = above;
            }
        }
    }
    parents
}

/// Where each vertex is in `order`; none where that has not each vertex once.
pub(crate) fn inverse(order: &[VertexId]) -> Option<Vec<u32>> {
    let mut ranks = vec![ROOT; order.len()];
    for (&vertex, rank) in order.iter().zip(0..) {
        let place = ranks.get_mut(vertex as usize).filter(|place| **place == ROOT)?;
        *place = rank;
    }
    Some(ranks)
}
