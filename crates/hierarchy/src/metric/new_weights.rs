//! New weights for the arcs of a graph: whether a metric accepts them, and which of them differ.
//!
//! The keys of a metric are as wide as the longest path may need. A bound on its length goes with
//! them: it grows with each weight that does, and is found anew when all is customized. O(changes ·
//! log), or for all weights a comparison of each with the one before, at the speed of memory.

use std::collections::BTreeMap;

use bytemuck::cast_slice;
use graph_formats::{Csr, Weight};

use super::key::KeyKind;
use crate::HierarchyError;

/// If more than 1/SHARE of the arcs have another weight, all are customized, unless there are no
/// more of them than FEW.
const SHARE: usize = 1 << 7;
/// The number of changed arcs that are always customized alone.
const FEW: usize = 8;
/// Weights that are compared at a time.
const BLOCK: usize = 64;

/// What a metric has.
pub(crate) struct Current<'m, W: Weight> {
    pub(crate) graph: &'m Csr<W>,
    pub(crate) kind: KeyKind,
    /// On the length of every path.
    pub(crate) bound: f64,
}

/// The weights that a metric receives.
pub(crate) enum NewWeights<W: Weight> {
    /// Others for a few arcs, ascending and each once, which need no wider keys; and the bound then.
    Few(Vec<(usize, W)>, f64),
    /// All of this graph, which has the same arcs.
    Many(Csr<W>),
}

impl<W: Weight> NewWeights<W> {
    /// One for each arc.
    pub(crate) fn of_all(current: &Current<'_, W>, weights: &[W]) -> Result<Self, HierarchyError> {
        let graph = current.graph;
        let (expected, found) = (graph.n_arcs(), weights.len());
        if expected != found {
            return Err(HierarchyError::NotAllArcs { expected, found });
        }
        let [before, after]: [&[W::Unsigned]; 2] = [graph.weights(), weights].map(cast_slice);
        if let Some(changed) = changed(before, after, most(expected)) {
            let changes: Vec<_> = changed.into_iter().map(|arc| (arc, weights[arc])).collect();
            return Self::of_some(current, &changes);
        }
        if let Some(arc) = weights.iter().position(|weight| !weight.is_finite()) {
            check(graph, arc, weights[arc])?;
        }
        let graph = graph.with_other_weights(weights.to_vec());
        Ok(Self::Many(graph.expect("there is a finite weight for each arc")))
    }

    /// For arcs by their positions; the last of two for one counts.
    pub(crate) fn of_some(
        current: &Current<'_, W>,
        changes: &[(usize, W)],
    ) -> Result<Self, HierarchyError> {
        let &Current { graph, kind, bound } = current;
        let mut others = BTreeMap::new();
        for &(arc, weight) in changes {
            check(graph, arc, weight)?;
            others.insert(arc, weight);
        }
        others.retain(|&arc, weight| graph.weight(arc) != *weight);
        let growth = |(&arc, weight): (&usize, &W)| weight.to_f64() - graph.weight(arc).to_f64();
        let growth = others.iter().map(growth).filter(|&growth| growth > 0.0);
        let bound = bound + growth.sum::<f64>() * (1.0 + 1e-6);
        let changes: Vec<_> = others.into_iter().collect();
        if changes.len() <= most(graph.n_arcs()) && kind.holds(bound) {
            return Ok(Self::Few(changes, bound));
        }
        let mut graph = graph.clone();
        graph.set_weights(&changes).expect("arcs and weights have been checked");
        Ok(Self::Many(graph))
    }
}

/// How many changes are few.
fn most(n_arcs: usize) -> usize {
    FEW.max(n_arcs / SHARE)
}

/// An error where there is no such arc, or it cannot have this weight.
fn check<W: Weight>(graph: &Csr<W>, arc: usize, weight: W) -> Result<(), HierarchyError> {
    let n_arcs = graph.n_arcs();
    if arc >= n_arcs {
        return Err(HierarchyError::NoSuchArc { arc, n_arcs });
    }
    if weight.is_finite() && !weight.is_negative() {
        return Ok(());
    }
    let ((from, to), is_finite) = (graph.ends(arc), weight.is_finite());
    let weight = weight.to_string();
    Err(match is_finite {
        true => HierarchyError::NegativeWeight { from, to, weight },
        false => HierarchyError::WeightNotFinite { from, to, weight },
    })
}

/// The positions at which two lists differ; `None` if they are more than `most`.
fn changed<U: Weight>(before: &[U], after: &[U], most: usize) -> Option<Vec<usize>> {
    let mut changed = Vec::new();
    for (block, (before, after)) in before.chunks(BLOCK).zip(after.chunks(BLOCK)).enumerate() {
        if before != after {
            let pairs = (block * BLOCK..).zip(before.iter().zip(after));
            changed.extend(pairs.filter(|(_, (a, b))| a != b).map(|(arc, _)| arc));
            if changed.len() > most {
                return None;
            }
        }
    }
    Some(changed)
}
