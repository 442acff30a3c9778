//! What totals say of each vertex, and of the graph.
//!
//! Distances of whole numbers have measures of whole numbers, whatever their size; what is a quotient
//! is a float, made of exact sums. Sums of floats that leave the range of `f64` are infinite, and what
//! is made of them is not.
//!
//! If some pairs have no path, the measures use the distances of the pairs that have one, as in
//! igraph. NetworkX refuses such graphs for eccentricity, diameter and mean distance, or returns
//! infinity. [`Totals::is_connected`] says whether all pairs have a path.
//!
//! Reference: freeman-1978, wasserman-faust-1994, marchiori-latora-2000

use graph_formats::VertexId;
use paths::{Number, Total};

use crate::Totals;

/// What closeness makes of vertices that have no path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Correction {
    /// The share of the vertices that have one is a factor: NetworkX's `wf_improved`, which it
    /// applies unless told otherwise.
    #[default]
    WassermanFaust,
    /// None: they are left out, as igraph does.
    None,
}

impl Totals {
    /// Closeness of each vertex: one part in its mean distance, from 0 to 1 where distances are
    /// at least 1. Zero where it has no path, or none longer than zero.
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

    /// Harmonic closeness of each vertex: one part in each distance, added up, as NetworkX has it.
    /// Divided by n − 1 it is igraph's. Nothing comes of a vertex without a path, nor of a
    /// distance of zero.
    pub fn harmonic(&self) -> Vec<f64> {
        let all = self.n_vertices().saturating_sub(1) as f64;
        let harmonic = |v: usize| match self.others(v) {
            (0, _) => 0.0,
            (others, _) => self.found.reciprocals[v] * (all / others as f64),
        };
        (0..self.n_vertices()).map(harmonic).collect()
    }

    /// How many other vertices each has a path to, or from. Of a sample it is an estimate.
    pub fn reached(&self) -> Vec<f64> {
        let all = self.n_vertices().saturating_sub(1) as f64;
        let reached = |v: usize| match self.others(v) {
            (0, _) => 0.0,
            (others, reached) => reached as f64 * (all / others as f64),
        };
        (0..self.n_vertices()).map(reached).collect()
    }

    /// The sum of the distances of each vertex. Of a sample, of those that were found.
    pub fn sums(&self) -> Vec<Total> {
        (0..self.n_vertices()).map(|v| self.sum_of(v)).collect()
    }

    /// Eccentricity of each vertex: its greatest distance, [`Number::U64`] of whole numbers and
    /// [`Number::F64`] of floats. Of a sample it is at least that.
    pub fn eccentricities(&self) -> Vec<Number> {
        (0..self.n_vertices()).map(|v| self.greatest_of(v)).collect()
    }

    /// The least eccentricity; `None` of no vertex. A vertex without arcs makes it zero.
    pub fn radius(&self) -> Option<Number> {
        self.eccentricities().into_iter().reduce(|a, b| if b < a { b } else { a })
    }

    /// The greatest eccentricity; `None` of no vertex. Of a sample the diameter is at least that.
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

    /// How many ordered pairs of a source and another vertex have a path.
    pub fn n_pairs(&self) -> u64 {
        (0..self.n_vertices()).map(|v| self.others(v).1 as u64).sum()
    }

    /// The mean of the distances of these; `None` where there is no pair.
    pub fn mean_distance(&self) -> Option<f64> {
        Some(self.n_pairs())
            .filter(|&pairs| pairs > 0)
            .map(|pairs| self.sum_and_mean(pairs as f64).1)
    }

    /// The sum of the distances of all pairs that have a path: where a graph is undirected, of
    /// every pair once, and otherwise of ordered pairs. `None` of a sample.
    pub fn wiener_index(&self) -> Option<Total> {
        let halves = if self.is_undirected { 2 } else { 1 };
        self.is_exact().then(|| match self.sum_and_mean(1.0).0 {
            Total::Integer(sum) => Total::Integer(sum / halves),
            Total::Float(sum) => Total::Float(sum / halves as f64),
        })
    }

    /// The number of ordered pairs of a source and a vertex that are at most 0, 1, 2 and so on hops
    /// apart. The last number is that of all pairs with a path; a source and itself are a pair.
    /// `None` where weights were added up.
    pub fn hop_plot(&self) -> Option<Vec<u64>> {
        let by_hop = self.by_hop.as_ref()?;
        let within = by_hop.iter().scan(0, |within, pairs| {
            *within += pairs;
            Some(*within)
        });
        Some(within.collect())
    }
}
