//! The certificates of branchings and arborescences: their form, and their weight against
//! what [potentials](super::potentials) prove to be the best.

use graph_formats::{Coo, VertexId, Weight};

use super::SelectionViolation;
use super::potentials::{Arc, least_cost};

/// Proves that the arcs at the positions `branching` enter no vertex twice, close no cycle
/// and weigh as much as any such arcs of the list.
///
/// With weights negated, and a root with an arc of cost zero to every vertex, branchings are
/// spanning arborescences; that none weighs more is proved by potentials of sets of vertices, which
/// need no branching. O(n + m log² m) time.
///
/// # Errors
/// The first [`SelectionViolation`].
///
/// ```
/// use graph_formats::Coo;
/// use paths::spanning::{SelectionViolation, check_maximum_branching};
///
/// // a cycle of 4 and 5, which 7 enters
/// let arcs = Coo::new(3, vec![0, 1, 2], vec![1, 2, 1], vec![7u32, 5, 4])?;
/// check_maximum_branching(&arcs, &[0, 1])?;
/// let violation = check_maximum_branching(&arcs, &[1]).unwrap_err();
/// assert_eq!(violation, SelectionViolation::NotOptimal { total: 5, optimum: 12 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_maximum_branching<W: Weight + Into<i128>>(
    arcs: &Coo<W>,
    branching: &[usize],
) -> Result<(), SelectionViolation> {
    check_branching(arcs, branching)?;
    let n = arcs.n_vertices();
    let from_root = (0..n).map(|head| Arc { tail: n, head, cost: 0 });
    let least = least_cost(n + 1, n, &from_root.chain(costs(arcs, -1)).collect::<Vec<_>>());
    check_total(arcs, branching, -least.expect("the root has an arc to every vertex"))
}

/// Proves that the arcs at the positions `arborescence` lead from the root to every vertex, one
/// into each, and weigh no more than any such arcs of the list. If it is `None`, proves that the
/// root does not reach every vertex.
///
/// That none weighs less is proved by potentials of sets of vertices. O(n + m log² m) time.
///
/// # Errors
/// The first [`SelectionViolation`].
///
/// ```
/// use graph_formats::Coo;
/// use paths::spanning::{SelectionViolation, check_minimum_arborescence};
///
/// let arcs = Coo::new(3, vec![0, 1, 2, 0], vec![1, 2, 1, 2], vec![9u32, 1, 1, 4])?;
/// check_minimum_arborescence(&arcs, 0, Some(&[2, 3]))?;
/// check_minimum_arborescence(&arcs, 1, None)?;
/// let violation = check_minimum_arborescence(&arcs, 0, Some(&[0, 1])).unwrap_err();
/// assert_eq!(violation, SelectionViolation::NotOptimal { total: 10, optimum: 5 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_minimum_arborescence<W: Weight + Into<i128>>(
    arcs: &Coo<W>,
    root: VertexId,
    arborescence: Option<&[usize]>,
) -> Result<(), SelectionViolation> {
    let n_vertices = arcs.n_vertices();
    if root as usize >= n_vertices {
        return Err(SelectionViolation::RootOutOfRange { root, n_vertices });
    }
    if let Some(arborescence) = arborescence {
        let entering = check_branching(arcs, arborescence)?;
        if entering[root as usize].is_some() {
            return Err(SelectionViolation::RootEntered { root });
        }
        let left_out = (0..).zip(&entering).find(|&(v, arc)| v != root && arc.is_none());
        if let Some((vertex, _)) = left_out {
            return Err(SelectionViolation::NotEntered { vertex });
        }
    }
    let least = least_cost(n_vertices, root as usize, &costs(arcs, 1).collect::<Vec<_>>());
    match (arborescence, least) {
        (Some(arborescence), Some(least)) => check_total(arcs, arborescence, least),
        (None, Some(_)) => Err(SelectionViolation::ArborescenceMissed { root }),
        (_, None) => Ok(()),
    }
}

/// The arc that enters each vertex, where no vertex has two and none is on a cycle.
fn check_branching<W: Weight>(
    arcs: &Coo<W>,
    branching: &[usize],
) -> Result<Vec<Option<usize>>, SelectionViolation> {
    let mut entering = vec![None; arcs.n_vertices()];
    for &position in branching {
        let Some(&vertex) = arcs.destinations().get(position) else {
            let length = arcs.n_arcs();
            return Err(SelectionViolation::PositionOutOfRange { position, length });
        };
        if let Some(first) = entering[vertex as usize].replace(position) {
            return Err(SelectionViolation::EnteredTwice { vertex, first, second: position });
        }
    }
    // backwards from every vertex, until there is no arc or an earlier walk has passed
    let mut passed = vec![None; arcs.n_vertices()];
    for start in 0..arcs.n_vertices() {
        let mut v = start;
        while passed[v].is_none() {
            passed[v] = Some(start);
            let Some(position) = entering[v] else { break };
            v = arcs.sources()[position] as usize;
            if passed[v] == Some(start) {
                return Err(SelectionViolation::ArcCycle { vertex: v as VertexId });
            }
        }
    }
    Ok(entering)
}

fn check_total<W: Weight + Into<i128>>(
    arcs: &Coo<W>,
    selected: &[usize],
    optimum: i128,
) -> Result<(), SelectionViolation> {
    let total = selected.iter().map(|&at| arcs.weights()[at].into()).sum();
    if total == optimum {
        return Ok(());
    }
    Err(SelectionViolation::NotOptimal { total, optimum })
}

fn costs<W: Weight + Into<i128>>(arcs: &Coo<W>, sign: i128) -> impl Iterator<Item = Arc> + '_ {
    arcs.arcs().map(move |(tail, head, weight)| Arc {
        tail: tail as usize,
        head: head as usize,
        cost: sign * weight.into(),
    })
}
