//! What is going to be done, and why.

use std::fmt;

use graph_formats::{Csr, Weight, WeightKind};
use sssp::Progress;

use crate::element::Element;
use crate::proof::greatest_distance;
use crate::{Algorithm, ApspError, Config, Number};

/// A search takes as long for a vertex as the matrix does for so many entries of 32 bits,
const ENTRIES_A_VERTEX: f64 = 1000.0;
/// and for an arc as for so many: on two cores with AVX2, where the matrix does some 70 G
/// entries a second.
const ENTRIES_AN_ARC: f64 = 200.0;

/// What was chosen for a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The algorithm, never [`Algorithm::Auto`].
    pub algorithm: Algorithm,
    /// Why this one.
    pub reason: String,
    /// Threads that work on it.
    pub threads: usize,
    /// What a matrix is of, if the algorithm has one; `None` where no width is sure to hold
    /// all sums.
    pub number: Option<Number>,
}

impl Plan {
    /// Decides for `graph`. O(m), and where narrow numbers may do, searches to prove it.
    /// `progress` is only asked whether to go on.
    pub(crate) fn new<W: Weight>(
        graph: &Csr<W>,
        config: &Config,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, ApspError> {
        if let Algorithm::BlockedProduct | Algorithm::BlockedTwoLevel = config.algorithm {
            return Err(ApspError::NotHere { algorithm: config.algorithm });
        }
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        let weights = graph.weight_summary();
        let bound = (n as f64 * weights.greatest_size()).min(weights.sum_of_sizes) * (1.0 + 1e-9);
        let degree = m as f64 / n.max(1) as f64;
        let search = ENTRIES_A_VERTEX + degree * ENTRIES_AN_ARC;
        let by_matrix = |number| n as f64 * cost(number) <= search;
        // a proof is worth its searches only where a matrix is
        let may_be_narrow = match config.algorithm {
            Algorithm::Johnson => false,
            Algorithm::Auto => by_matrix(Number::U16),
            _ => true,
        };
        let is_whole = !matches!(W::KIND, WeightKind::F32 | WeightKind::F64);
        let may_be_narrow = may_be_narrow && is_whole && graph.first_negative().is_none();
        let least = f64::from(u16::INFINITE);
        let bound = match may_be_narrow && bound >= least {
            true => bound.min(greatest_distance(graph, config.threads, progress)?),
            false => bound,
        };
        let number = match may_be_narrow && bound < least {
            true => Some(Number::U16),
            false => number(W::KIND, bound),
        };
        let (algorithm, reason) = match (config.algorithm, number) {
            (Algorithm::Auto, None) => {
                (Algorithm::Johnson, "sums may be too large for a matrix of fixed width".to_owned())
            }
            (Algorithm::Auto, Some(number)) if by_matrix(number) => {
                let why = format!("{degree:.1} arcs a vertex are many for {n} vertices");
                (Algorithm::Blocked, why)
            }
            (Algorithm::Auto, Some(_)) => {
                (Algorithm::Johnson, format!("{degree:.1} arcs a vertex are few for {n} vertices"))
            }
            (Algorithm::Johnson, _) => (Algorithm::Johnson, "it was asked for".to_owned()),
            (_, None) => return Err(ApspError::TooHeavy { bound }),
            (asked, Some(_)) => (asked, "it was asked for".to_owned()),
        };
        Ok(Self { algorithm, reason, threads: config.n_threads(), number })
    }
}

/// Numbers that are sure to hold all sums up to `bound`; without a proof of anything else.
fn number(kind: WeightKind, bound: f64) -> Option<Number> {
    match kind {
        WeightKind::F32 => (bound < f64::from(f32::MAX) / 1e3).then_some(Number::F32),
        WeightKind::F64 => (bound < f64::MAX / 1e3).then_some(Number::F64),
        // sums with what stands for infinity stay far from it
        _ if bound < f64::from(i32::MAX) / 16.0 => Some(Number::I32),
        _ => (bound < i64::MAX as f64 / 16.0).then_some(Number::I64),
    }
}

/// What an entry of the matrix takes, in parts of one of 32 bits.
fn cost(number: Number) -> f64 {
    match number {
        Number::U16 => 0.5,
        Number::I32 => 1.0,
        Number::F32 => 1.5,
        Number::I64 | Number::F64 => 3.0,
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = if self.threads == 1 { "thread" } else { "threads" };
        write!(f, "{}: {}", self.algorithm, self.reason)?;
        if let Some(number) = self.number.filter(|_| self.algorithm != Algorithm::Johnson) {
            write!(f, "; its matrix is of {number}")?;
        }
        write!(f, "; {} {threads}", self.threads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_or_dense_graphs_go_by_matrix_and_others_by_search() {
        let plan = |n: u32, degree: u32, weight: i64| {
            let arcs: Vec<_> = (0..n)
                .flat_map(|u| (1..=degree).map(move |step| (u, (u + step) % n, weight)))
                .collect();
            let graph = Csr::from_arcs(n as usize, &arcs).unwrap();
            Plan::new(&graph, &Config::default(), None).unwrap()
        };
        assert_eq!(plan(1000, 3, 5).algorithm, Algorithm::Blocked);
        assert_eq!(plan(20_000, 3, 5).algorithm, Algorithm::Johnson);
        assert_eq!(plan(6_000, 50, 5).algorithm, Algorithm::Blocked);
        assert_eq!(plan(10, 1, i64::MAX / 9).algorithm, Algorithm::Johnson);
        let why = plan(20_000, 3, 5).to_string();
        assert!(
            why.starts_with("johnson: 3.0 arcs a vertex are few for 20000 vertices; "),
            "{why}"
        );
        assert!(!why.contains("matrix"), "{why}");
        let why = plan(500, 3, 1 << 40).to_string();
        assert!(why.contains(" vertices; its matrix is of i64; "), "{why}");
    }
}
