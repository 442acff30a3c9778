//! The elimination tree of an order, and its vertices in postorder.
//!
//! The parent of a vertex is the least important of its neighbours at the time when it is
//! eliminated, and all of these are its ancestors. The parents are found without the shortcuts, by
//! paths to the roots that are compressed; any postorder of the tree has the same shortcuts as the
//! order that it was made from. O(m log n).
//!
//! Reference: liu-1990

use graph_formats::VertexId;

use crate::part::Part;

/// No parent.
pub const ROOT: u32 = u32::MAX;

/// The first rank of the subtree of each rank in postorder, which ends with itself, by the parents of
/// all. O(n).
pub fn subtrees(parents: &[u32]) -> Vec<u32> {
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
pub fn inverse(order: &[VertexId]) -> Option<Vec<u32>> {
    let mut ranks = vec![ROOT; order.len()];
    for (&vertex, rank) in order.iter().zip(0..) {
        let place = ranks.get_mut(vertex as usize).filter(|place| **place == ROOT)?;
        *place = rank;
    }
    Some(ranks)
}
