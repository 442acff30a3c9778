//! The certificates of minimum spanning forests and trees, by the cycle property: the forest joins
//! the ends of an edge that is left out by edges that are not heavier.
//!
//! Merging the ends of the selected edges, the lightest first, finds whether they close a
//! cycle; and the step at which two vertices came together is the heaviest edge between
//! them. O(m log n) time.

use graph_formats::{Coo, VertexId, Weight};

use super::SelectionViolation;
use super::merges::Merges;

/// Proves that the edges at the positions `forest` close no cycle, join all that can be
/// joined, and weigh no more than any such edges of the list. O(m log n) time.
///
/// # Errors
/// The first [`SelectionViolation`].
///
/// ```
/// use graph_formats::Coo;
/// use paths::spanning::{SelectionViolation, check_spanning_forest};
///
/// let edges = Coo::new(4, vec![0, 1, 2], vec![1, 2, 0], vec![3u32, 1, 2])?;
/// check_spanning_forest(&edges, &[1, 2])?;
/// let violation = check_spanning_forest(&edges, &[0, 1]).unwrap_err();
/// assert!(matches!(violation, SelectionViolation::Replaceable { by: 2, position: 0, .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_spanning_forest<W: Weight>(
    edges: &Coo<W>,
    forest: &[usize],
) -> Result<(), SelectionViolation> {
    let (by_weight, merges) = merged(edges, forest)?;
    check_left_out(edges, &by_weight, &merges, |_| true)
}

/// Proves that the edges at the positions `tree` are a minimum spanning tree of the vertices
/// that can be joined with `root`. O(m log n) time.
///
/// # Errors
/// The first [`SelectionViolation`].
///
/// ```
/// use graph_formats::Coo;
/// use paths::spanning::check_spanning_tree;
///
/// let edges = Coo::new(5, vec![0, 1, 2, 3], vec![1, 2, 0, 4], vec![3u32, 1, 2, 5])?;
/// check_spanning_tree(&edges, 0, &[1, 2])?;
/// check_spanning_tree(&edges, 4, &[3])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_spanning_tree<W: Weight>(
    edges: &Coo<W>,
    root: VertexId,
    tree: &[usize],
) -> Result<(), SelectionViolation> {
    let n_vertices = edges.n_vertices();
    if root as usize >= n_vertices {
        return Err(SelectionViolation::RootOutOfRange { root, n_vertices });
    }
    let (by_weight, merges) = merged(edges, tree)?;
    let is_joined = |v: VertexId| merges.root(v as usize) == merges.root(root as usize);
    if let Some(&position) = tree.iter().find(|&&at| !is_joined(edges.sources()[at])) {
        return Err(SelectionViolation::NotAtRoot { position, root });
    }
    check_left_out(edges, &by_weight, &merges, is_joined)
}

/// The selected edges by weight, and their ends merged in this order; the step is the place
/// in the order.
pub(super) fn merged<W: Weight>(
    edges: &Coo<W>,
    selected: &[usize],
) -> Result<(Vec<usize>, Merges), SelectionViolation> {
    let length = edges.n_arcs();
    if let Some(&position) = selected.iter().find(|&&position| position >= length) {
        return Err(SelectionViolation::PositionOutOfRange { position, length });
    }
    let weights = edges.weights();
    let mut by_weight = selected.to_vec();
    by_weight.sort_by(|&a, &b| weights[a].order(weights[b]));
    let mut merges = Merges::new(edges.n_vertices());
    for (step, &position) in by_weight.iter().enumerate() {
        let (from, to) = (edges.sources()[position], edges.destinations()[position]);
        if !merges.merge(from as usize, to as usize, step) {
            return Err(SelectionViolation::EdgeCycle { from, to, position });
        }
    }
    Ok((by_weight, merges))
}

/// Whether the ends of every edge of the list are joined by selected edges that are no
/// heavier, where one end is a vertex that `counts`.
fn check_left_out<W: Weight>(
    edges: &Coo<W>,
    by_weight: &[usize],
    merges: &Merges,
    counts: impl Fn(VertexId) -> bool,
) -> Result<(), SelectionViolation> {
    for (by, (from, to, weight)) in edges.arcs().enumerate() {
        if from == to || !(counts(from) || counts(to)) {
            continue;
        }
        let Some(step) = merges.merged_at(from as usize, to as usize) else {
            return Err(SelectionViolation::Apart { from, to, position: by });
        };
        let position = by_weight[step];
        if weight < edges.weights()[position] {
            return Err(replaceable(edges, position, by));
        }
    }
    Ok(())
}

pub(super) fn replaceable<W: Weight>(
    edges: &Coo<W>,
    position: usize,
    by: usize,
) -> SelectionViolation {
    let weight = |at: usize| edges.weights()[at].to_string();
    SelectionViolation::Replaceable { position, heavier: weight(position), by, weight: weight(by) }
}
