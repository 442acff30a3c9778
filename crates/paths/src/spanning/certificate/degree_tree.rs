//! The certificate of a cheapest spanning tree with a given number of edges at its root.
//!
//! If a spanning tree is the lightest with some price added to every edge at the root, then it is
//! the lightest of its degree without the price. For every lightest tree of a degree such a price
//! exists, because the least weight is convex in the degree. A tree is the lightest if it has the
//! cycle property: no edge that is left out is lighter than one between its ends. A pair with one
//! edge at the root bounds the price. The bound is from below if this edge is the one left out,
//! from above if it is the one selected. Other pairs do not depend on the price.
//!
//! O(m log n) time.
//!
//! Reference: gabow-tarjan-1984

use graph_formats::{Coo, VertexId, Weight};

use super::super::Degree;
use super::SelectionViolation;
use super::forest::{merged, replaceable};
use super::merges::Merges;

/// Proves that the edges at the positions `tree` are a spanning tree with `degree` edges at the
/// root, and that no other such tree is lighter. If it is `None`, proves that there is no such
/// tree. O(m log n) time.
///
/// # Errors
/// The first [`SelectionViolation`].
///
/// ```
/// use graph_formats::Coo;
/// use paths::spanning::{Degree, check_tree_of_degree};
///
/// // a triangle
/// let edges = Coo::new(3, vec![0, 1, 2], vec![1, 2, 0], vec![3u32, 1, 5])?;
/// check_tree_of_degree(&edges, 0, Degree::Exactly(1), Some(&[0, 1]))?;
/// check_tree_of_degree(&edges, 0, Degree::Exactly(2), Some(&[0, 2]))?;
/// check_tree_of_degree(&edges, 0, Degree::Exactly(3), None)?;
/// assert!(check_tree_of_degree(&edges, 0, Degree::Exactly(1), Some(&[1, 2])).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_tree_of_degree<W: Weight + Into<i128>>(
    edges: &Coo<W>,
    root: VertexId,
    degree: Degree,
    tree: Option<&[usize]>,
) -> Result<(), SelectionViolation> {
    let n_vertices = edges.n_vertices();
    if root as usize >= n_vertices {
        return Err(SelectionViolation::RootOutOfRange { root, n_vertices });
    }
    let Some(tree) = tree else { return check_that_none_exists(edges, root, degree) };
    let (_, merges) = merged(edges, tree)?;
    let is_joined = |&v: &VertexId| merges.root(v as usize) == merges.root(root as usize);
    if let Some(vertex) = (0..n_vertices as VertexId).find(|v| !is_joined(v)) {
        return Err(SelectionViolation::NotJoined { vertex, root });
    }
    let (at_root, others): (Vec<_>, Vec<_>) =
        tree.iter().partition(|&&at| other_end(edges, root, at).is_some());
    let found = at_root.len();
    let (is_right, may_fall, may_rise) = match degree {
        Degree::Exactly(degree) => (found == degree, false, false),
        Degree::AtMost(degree) => (found <= degree, true, found < degree),
    };
    if !is_right {
        return Err(SelectionViolation::WrongDegree { root, found, degree });
    }
    match prices(edges, root, &at_root, &others)? {
        (_, Some(fewer)) if may_fall && fewer.price < 0 => {
            Err(replaceable(edges, fewer.position, fewer.by))
        }
        (Some(more), _) if may_rise && more.price > 0 => {
            Err(replaceable(edges, more.position, more.by))
        }
        (Some(more), Some(fewer)) if more.price > fewer.price => {
            Err(SelectionViolation::LighterByTwo {
                more: (more.position, more.by),
                fewer: (fewer.position, fewer.by),
            })
        }
        _ => Ok(()),
    }
}

/// A selected edge, another that changes the degree if it replaces it, and the price at which both
/// weigh the same.
struct Exchange {
    price: i128,
    position: usize,
    by: usize,
}

/// The exchanges that bound the price from below and from above; the edges `at_root` and the
/// `others` are a spanning tree.
fn prices<W: Weight + Into<i128>>(
    edges: &Coo<W>,
    root: VertexId,
    at_root: &[usize],
    others: &[usize],
) -> Result<(Option<Exchange>, Option<Exchange>), SelectionViolation> {
    let weight = |position: usize| -> i128 { edges.weights()[position].into() };
    let (by_weight, merges) = merged(edges, others)?;
    // for each branch, by the root of its set, its edge at the root of the tree and the end of that
    // edge
    let mut branches = vec![(0, 0); edges.n_vertices()];
    for &position in at_root {
        let joint = other_end(edges, root, position).expect("an edge at the root") as usize;
        branches[merges.root(joint)] = (position, joint);
    }
    let branch = |v: VertexId| branches[merges.root(v as usize)];
    let heaviest = |u: VertexId, v: usize| merges.merged_at(u as usize, v).map(|at| by_weight[at]);
    let (mut least, mut greatest): (Option<Exchange>, Option<Exchange>) = (None, None);
    for (by, (u, v, _)) in edges.arcs().enumerate().filter(|(_, (u, v, _))| u != v) {
        // selected edges that this one may replace without changing the degree
        let mut rivals = Vec::new();
        if let Some(end) = other_end(edges, root, by) {
            let (position, joint) = branch(end);
            rivals.push(position);
            if let Some(position) = heaviest(end, joint) {
                let price = weight(position) - weight(by);
                if least.as_ref().is_none_or(|known| price > known.price) {
                    least = Some(Exchange { price, position, by });
                }
            }
        } else if merges.root(u as usize) == merges.root(v as usize) {
            rivals.extend(heaviest(u, v as usize));
        } else {
            for (position, joint, end) in [u, v].map(|end| (branch(end).0, branch(end).1, end)) {
                rivals.extend(heaviest(end, joint));
                let price = weight(by) - weight(position);
                if greatest.as_ref().is_none_or(|known| price < known.price) {
                    greatest = Some(Exchange { price, position, by });
                }
            }
        }
        if let Some(position) = rivals.into_iter().find(|&rival| weight(rival) > weight(by)) {
            return Err(replaceable(edges, position, by));
        }
    }
    Ok((least, greatest))
}

/// Checks that the root cannot be joined with every component of the others, or not by the number
/// of edges asked for. All numbers from one per component to one per neighbour are possible.
fn check_that_none_exists<W: Weight>(
    edges: &Coo<W>,
    root: VertexId,
    degree: Degree,
) -> Result<(), SelectionViolation> {
    let n = edges.n_vertices();
    let mut merges = Merges::new(n);
    for (u, v, _) in edges.arcs().filter(|&(u, v, _)| u != root && v != root) {
        merges.merge(u as usize, v as usize, 0);
    }
    let (mut is_neighbour, mut is_joined) = (vec![false; n], vec![false; n]);
    for end in (0..edges.n_arcs()).filter_map(|at| other_end(edges, root, at)) {
        is_neighbour[end as usize] = true;
        is_joined[merges.root(end as usize)] = true;
    }
    let count = |marks: &[bool]| marks.iter().filter(|&&mark| mark).count();
    let n_components = (0..n).filter(|&v| v != root as usize && merges.root(v) == v).count();
    let exists = count(&is_joined) == n_components
        && match degree {
            Degree::Exactly(degree) => (n_components..=count(&is_neighbour)).contains(&degree),
            Degree::AtMost(degree) => n_components <= degree,
        };
    if exists { Err(SelectionViolation::TreeMissed { root, degree }) } else { Ok(()) }
}

/// The other end of an edge at the root; `None` for a loop and for other edges.
fn other_end<W: Weight>(edges: &Coo<W>, root: VertexId, position: usize) -> Option<VertexId> {
    let ends = (edges.sources()[position], edges.destinations()[position]);
    match ends {
        (u, v) if u == v => None,
        (u, v) if u == root => Some(v),
        (u, v) if v == root => Some(u),
        _ => None,
    }
}
