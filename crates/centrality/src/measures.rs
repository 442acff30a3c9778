//! The measures of vertices and of the graph, computed from totals.
//!
//! For integer weights, sums and greatest distances are integers of any size, and quotients are
//! floats computed from exact sums. A sum of floats beyond the range of `f64` is infinite; means
//! computed from it are not.
//!
//! If some pairs have no path, the measures use the distances of the pairs that have one, as in
//! igraph. NetworkX refuses such graphs for eccentricity, diameter and mean distance, or returns
//! infinity. [`Totals::is_connected`] says whether all pairs have a path.
//!
//! Reference: freeman-1978, wasserman-faust-1994, marchiori-latora-2000

use graph_formats::VertexId;
use paths::{Number, Total};

use crate::Totals;

/// How closeness treats vertices that have no path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Correction {
    /// Multiplies by the share of the vertices that have a path: NetworkX's `wf_improved`, its
    /// default.
    #[default]
    WassermanFaust,
    /// Ignores them, as igraph does.
    None,
}

impl Totals {
    /// Closeness of each vertex: the reciprocal of its mean distance, from 0 to 1 if distances are
    /// at least 1. Zero if it has no path, or none longer than zero.
    pub fn closeness(&self, correction: Correction) -> Vec<f64> {
        let closeness = |v: usize| {
            let (others, reached) = self.others(v);
            let reached = reached as f64;
            match correction {
                Correction::WassermanFaust => {
                    self.one_in_mean(v, reached * reached / others as f64)
                }
                Correction::None => self.one_in_mean(v, reached),
            }
        };
        (0..self.n_vertices()).map(closeness).collect()
    }

    /// Harmonic closeness of each vertex: the sum of the reciprocals of its distances, as in
    /// NetworkX. Divided by n − 1 it is igraph's. Pairs without a path, and distances of zero, add
    /// nothing.
    pub fn harmonic(&self) -> Vec<f64> {
        let all = self.n_vertices().saturating_sub(1) as f64;
        let harmonic = |v: usize| match self.others(v) {
            (0, _) => 0.0,
            (others, _) => self.found.reciprocals[v] * (all / others as f64),
        };
        (0..self.n_vertices()).map(harmonic).collect()
    }

    /// The number of other vertices that each has a path to, or from; for a sample, an estimate.
    pub fn reached(&self) -> Vec<f64> {
        let all = self.n_vertices().saturating_sub(1) as f64;
        let reached = |v: usize| match self.others(v) {
            (0, _) => 0.0,
            (others, reached) => reached as f64 * (all / others as f64),
        };
        (0..self.n_vertices()).map(reached).collect()
    }

    /// The sum of the distances of each vertex; for a sample, of the distances to its sources.
    pub fn sums(&self) -> Vec<Total> {
        (0..self.n_vertices()).map(|v| self.sum_of(v)).collect()
    }

    /// Eccentricity of each vertex: its greatest distance, as [`Number::U64`] for integer weights
    /// or [`Number::F64`] for floats. For a sample it is a lower bound.
    pub fn eccentricities(&self) -> Vec<Number> {
        (0..self.n_vertices()).map(|v| self.greatest_of(v)).collect()
    }

    /// The least eccentricity; `None` without vertices. A vertex without arcs makes it zero.
    pub fn radius(&self) -> Option<Number> {
        self.eccentricities().into_iter().reduce(|a, b| if b < a { b } else { a })
    }

    /// The greatest eccentricity; `None` without vertices. For a sample it is a lower bound.
    pub fn diameter(&self) -> Option<Number> {
        self.eccentricities().into_iter().reduce(|a, b| if b > a { b } else { a })
    }

    /// The vertices whose eccentricity is the radius.
    pub fn centre(&self) -> Vec<VertexId> {
        self.of_eccentricity(self.radius())
    }

    /// The vertices whose eccentricity is the diameter.
    pub fn periphery(&self) -> Vec<VertexId> {
        self.of_eccentricity(self.diameter())
    }

    fn of_eccentricity(&self, eccentricity: Option<Number>) -> Vec<VertexId> {
        let vertices = (0..).zip(self.eccentricities());
        vertices.filter(|&(_, found)| Some(found) == eccentricity).map(|(v, _)| v).collect()
    }

    /// Whether every vertex has a path to, or from, every source.
    pub fn is_connected(&self) -> bool {
        self.found.n_sources.iter().all(|&n_sources| n_sources as usize == self.n_sources)
    }

    /// The number of ordered pairs of a source and another vertex that have a path.
    pub fn n_pairs(&self) -> u64 {
        (0..self.n_vertices()).map(|v| self.others(v).1 as u64).sum()
    }

    /// The mean distance of these pairs; `None` if there are none.
    pub fn mean_distance(&self) -> Option<f64> {
        Some(self.n_pairs())
            .filter(|&pairs| pairs > 0)
            .map(|pairs| self.sum_and_mean(pairs as f64).1)
    }

    /// The sum of the distances of all pairs that have a path: unordered pairs of an undirected
    /// graph, ordered pairs of a directed one. `None` for a sample.
    pub fn wiener_index(&self) -> Option<Total> {
        let halves = if self.is_undirected { 2 } else { 1 };
        self.is_exact().then(|| match self.sum_and_mean(1.0).0 {
            Total::Integer(sum) => Total::Integer(sum / halves),
            Total::Float(sum) => Total::Float(sum / halves as f64),
        })
    }

    /// The number of ordered pairs of a source and a vertex that are at most 0, 1, 2 and so on hops
    /// apart. The last number is that of all pairs with a path; a source and itself are a pair.
    /// `None` if lengths are weights.
    pub fn hop_plot(&self) -> Option<Vec<u64>> {
        let by_hop = self.by_hop.as_ref()?;
        let within = by_hop.iter().scan(0, |within, pairs| {
            *within += pairs;
            Some(*within)
        });
        Some(within.collect())
    }
}
