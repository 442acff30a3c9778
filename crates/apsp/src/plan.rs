//! The plan of a solve: what it does, and why.

use std::fmt;

use collectives::{Communicator, RanksError};
use graph_formats::{Csr, VertexId, Weight, parallel};
use paths::DistanceTable;
use published::pairs::Form;
use rayon::ThreadPool;
use sssp::Progress;

use crate::potentials::RaisedWeight;
use crate::width::{Narrow, Width, degree, is_complete, search};
use crate::{Algorithm, ApspError, Certainty, Config, Number};

/// The choices for a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The algorithm, never [`Algorithm::Auto`].
    pub algorithm: Algorithm,
    /// Why this algorithm.
    pub reason: String,
    /// The number of threads.
    pub threads: usize,
    /// The type of the matrix's entries, if the algorithm has a matrix. `None` if no type is
    /// certain to hold all sums.
    pub number: Option<Number>,
    /// Why this type holds all distances.
    pub certainty: Certainty,
}

impl Plan {
    /// Decides for `graph`. O(m), and where narrow numbers may do, searches to prove it.
    /// `progress` is only asked whether to go on.
    pub(crate) fn new<W: RaisedWeight>(
        graph: &Csr<W>,
        config: &Config,
        narrow: Narrow,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, ApspError> {
        match config.algorithm {
            Algorithm::Published(Form::FloydWarshall | Form::Recursive) => {}
            algorithm @ Algorithm::Published(_) => return Err(ApspError::NotHere { algorithm }),
            _ => {}
        }
        if config.algorithm == Algorithm::Supernodes {
            return Err(ApspError::NotBySupernodes);
        }
        let (n, degree) = (graph.n_vertices(), degree(graph));
        let by_bits = graph.weight_summary().common().is_some();
        let by_matrix = |number: Number| !by_bits && n as f64 * number.cost() <= search(graph);
        let least = |narrow| Width::least(graph, config, narrow, progress);
        let Width { number, certainty, bound } = match (config.algorithm, narrow) {
            (Algorithm::Johnson, _) => Width::of_sums(graph),
            // only a matrix needs a proof
            (Algorithm::Auto, _) if !by_matrix(Number::U16) => Width::of_sums(graph),
            // if 16 bits fail, the matrix in 32 bits must still be the best choice
            (Algorithm::Auto, Narrow::Tried { .. }) if !by_matrix(Number::I32) => {
                least(Narrow::Proven)?
            }
            (_, narrow) => least(narrow)?,
        };
        let (algorithm, reason) = match (config.algorithm, number) {
            (Algorithm::Auto, None) => (
                Algorithm::Johnson,
                "sums may be too large for any type of matrix entry".to_owned(),
            ),
            (Algorithm::Auto, Some(number)) if by_matrix(number) => {
                let why = format!("{degree:.1} arcs a vertex are many for {n} vertices");
                (Algorithm::Blocked, why)
            }
            (Algorithm::Auto, Some(_)) if by_bits => {
                let why = "all weights are equal, and searches share their work, one bit each";
                (Algorithm::Johnson, why.to_owned())
            }
            (Algorithm::Auto, Some(_)) => {
                (Algorithm::Johnson, format!("{degree:.1} arcs a vertex are few for {n} vertices"))
            }
            (Algorithm::Johnson, _) => (Algorithm::Johnson, "chosen by the caller".to_owned()),
            (_, None) => return Err(ApspError::TooHeavy { bound }),
            (asked, Some(_)) => (asked, "chosen by the caller".to_owned()),
        };
        let threads = config.n_threads();
        Ok(Self { algorithm, reason, threads, number, certainty })
    }

    /// The plan of rank 0, on all ranks, each with its own threads.
    pub(crate) fn broadcast(
        own: Option<Self>,
        ranks: &dyn Communicator,
        config: &Config,
    ) -> Result<Self, ApspError> {
        let place = |plan: &Self| {
            let algorithm = Algorithm::ALL.iter().position(|&a| a == plan.algorithm);
            let number = Number::ALL.iter().position(|&n| Some(n) == plan.number);
            let certainty = Certainty::ALL.iter().position(|&c| c == plan.certainty);
            [algorithm, number, certainty].map(|place| place.map_or(0, |place| place as u8 + 1))
        };
        let mut places = own.as_ref().map_or([0; 3], place);
        ranks.broadcast(0, &mut places)?;
        let reason = own.map(|plan| plan.reason.into_bytes()).unwrap_or_default();
        let reason = ranks.broadcast_vec(0, reason)?;
        let [algorithm, number, certainty] = places.map(|place| usize::from(place).checked_sub(1));
        Ok(Self {
            algorithm: algorithm.map_or(Algorithm::Auto, |place| Algorithm::ALL[place]),
            reason: String::from_utf8_lossy(&reason).into_owned(),
            threads: config.n_threads(),
            number: number.map(|place| Number::ALL[place]),
            certainty: certainty.map_or_else(Certainty::default, |place| Certainty::ALL[place]),
        })
    }

    /// Takes wider numbers where those of the plan have not held all distances, from these sources
    /// and from those of other ranks; whether it does, and the work is to be done again. To be
    /// called by all ranks.
    pub(crate) fn widen<W: Weight>(
        &mut self,
        ranks: &dyn Communicator,
        pool: &ThreadPool,
        graph: &Csr<W>,
        sources: &[VertexId],
        distances: &DistanceTable<W>,
    ) -> Result<bool, RanksError> {
        if self.certainty != Certainty::Checked {
            return Ok(false);
        }
        let is_complete = parallel::install(pool, || is_complete(graph, sources, distances));
        if !ranks.any(!is_complete)? {
            return Ok(false);
        }
        (self.number, self.certainty) = (self.widest(), Certainty::Retried);
        Ok(true)
    }

    /// The widest numbers that the work may end in.
    pub(crate) fn widest(&self) -> Option<Number> {
        match self.certainty {
            Certainty::Checked => Some(Number::I32),
            Certainty::Proven | Certainty::Retried => self.number,
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = if self.threads == 1 { "thread" } else { "threads" };
        write!(f, "{}: {}", self.algorithm, self.reason)?;
        if let Some(number) = self.number.filter(|_| self.algorithm != Algorithm::Johnson) {
            write!(f, "; its matrix has entries of type {number}")?;
            f.write_str(match self.certainty {
                Certainty::Proven if number == Number::U16 => ", proven to hold all distances",
                Certainty::Proven => "",
                Certainty::Checked => ", which hold all distances, as a check has shown",
                Certainty::Retried => ", because 16 bits did not hold all distances",
            })?;
        }
        write!(f, "; {} {threads}", self.threads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_or_dense_graphs_go_by_matrix_and_others_by_search() {
        let with_loop = |n: u32, degree: u32, weight: i64, least: i64| {
            let arcs: Vec<_> = (0..n)
                .flat_map(|u| (1..=degree).map(move |step| (u, (u + step) % n, weight)))
                .chain([(0, 0, least)])
                .collect();
            let graph = Csr::from_arcs(n as usize, &arcs).unwrap();
            Plan::new(&graph, &Config::default(), Narrow::Proven, None).unwrap()
        };
        let plan = |n, degree, weight| with_loop(n, degree, weight, weight - 1);
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
        let why = with_loop(300, 3, 5, 5).to_string();
        assert!(why.contains("all weights are equal") && !why.contains("matrix"), "{why}");
        let why = plan(500, 3, 1 << 40).to_string();
        assert!(why.contains(" vertices; its matrix has entries of type i64; "), "{why}");
    }
}
