//! All pairs of a graph whose weight type is known only when its file has been read.
//!
//! A [`Solver`] takes an [`AnyCsr`] as it takes a [`Csr`]. The results are then behind traits, with
//! distances [of any type](paths::AnyDistances).
//!
//! ```
//! use apsp::{Config, Solver};
//! use graph_formats::{AnyCsr, Csr};
//! use paths::Number;
//!
//! let graph = AnyCsr::from(Csr::from_arcs(3, &[(0, 1, 0.5f32), (1, 2, 0.25)])?);
//! let pairs = Solver::new(&graph, &Config::default()).solve(None)?;
//! assert_eq!(pairs.distance(0, 2), Some(Number::F32(0.75)));
//! assert_eq!(pairs.distance(2, 0), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::borrow::Cow;
use std::io::Write;
use std::ops::ControlFlow;

use collectives::{Communicator, RanksError};
use graph_formats::{
    AnyCsr, Change, Csr, Direction, Distance, Interrupted, VertexId, Weight, WeightKind,
    ensure_granted, with_csr,
};
use paths::{AnyDistances, AnyTable, Distances, NextHops, Number, typed_changes};
use sssp::Progress;
use sssp::cost::{self, Machine, Outline, Searches};

pub use crate::check::{RowError, check_rows, spread};
pub use crate::dynamic::any::{
    AnyDynamicPairs, changed, dynamic_pairs, dynamic_pairs_on_gpus, saved_pairs,
};
pub use crate::saved::{SavedError, SavedMatrix, SavedProblem};
use crate::{
    Algorithm, ApspError, InFolder, Ordered, Pairs, PairsWeight, Plan, RankPairs, Report, Solver,
    Summary, Updated, scratch,
};

/// Sums per second of one thread in Floyd-Warshall: half of the peak rate of a core with AVX2.
const SUMS_PER_SECOND: f64 = 2e10;
/// Sums per second of one thread in products of supernodes, many of which are small.
const SUMS_PER_SECOND_OF_SUPERNODES: f64 = 5e9;

/// [`Pairs`] of any weight type, with the same methods.
#[expect(missing_docs, reason = "each does what the method of its name does")]
pub trait AnyPairs: Send + Sync {
    fn plan(&self) -> &Plan;
    fn report(&self) -> &Report;
    fn n_vertices(&self) -> usize;
    fn row(&self, source: VertexId) -> AnyDistances;
    /// The distance of one pair, as in [`row`](Self::row).
    fn distance(&self, source: VertexId, target: VertexId) -> Option<Number>;
    fn path(&self, source: VertexId, target: VertexId) -> Option<Vec<VertexId>>;
    fn hops(&self, source: VertexId) -> Vec<Option<VertexId>>;
    fn next_hops(&self) -> Option<&NextHops>;
    fn into_distances(self: Box<Self>) -> Option<AnyTable>;
    fn summary(&self, progress: Option<Progress<'_>>) -> Result<Summary<Number>, ApspError>;
    fn write_npy(
        &self,
        out: &mut dyn Write,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError>;
    fn write_next_hops_npy(
        &self,
        out: &mut dyn Write,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError>;
}

/// [`RankPairs`] of any weight type, with the same methods.
#[expect(missing_docs, reason = "each does what the method of its name does")]
pub trait AnyRankPairs {
    fn plan(&self) -> &Plan;
    fn report(&self) -> &Report;
    fn sources(&self) -> &[VertexId];
    /// The distances from the rank's source with index `place`.
    fn row(&self, place: usize) -> AnyDistances;
    fn summary(&self, ranks: &dyn Communicator) -> Result<Summary<Number>, RanksError>;
    fn gather_rows(
        &self,
        ranks: &dyn Communicator,
        take: &mut dyn FnMut(VertexId, AnyDistances) -> ControlFlow<()>,
    ) -> Result<(), RanksError>;
    fn write_npy(
        &self,
        ranks: &dyn Communicator,
        out: Option<&mut dyn Write>,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError>;
    fn write_next_hops_npy(
        &self,
        ranks: &dyn Communicator,
        out: Option<&mut dyn Write>,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError>;
}

/// A hash of a graph in 64 hexadecimal digits: the SHA-256 of the type of its weights and of its
/// arrays in this machine's byte order. Graphs with the same arcs in another order have another
/// hash. O(n + m). `progress` counts bytes.
///
/// ```
/// use apsp::any::digest;
/// use graph_formats::Csr;
///
/// let graph = |weight: u32| Csr::from_arcs(2, &[(0, 1, weight)]).map(Into::into);
/// assert_eq!(digest(&graph(5)?, None)?, digest(&graph(5)?, None)?);
/// assert_ne!(digest(&graph(5)?, None)?, digest(&graph(6)?, None)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the progress callback ends the work.
pub fn digest(graph: &AnyCsr, progress: Option<Progress<'_>>) -> Result<String, Interrupted> {
    with_csr!(graph, |graph| scratch::digest(graph, progress))
}

/// Broadcasts the graph of rank 0. To be called by all ranks. O(n + m), and O(m log d) where it is
/// undirected, which each rank checks.
///
/// ```
/// use apsp::any::broadcast;
/// use collectives::{Communicator, Threads};
/// use graph_formats::{AnyCsr, Csr};
///
/// let graph = AnyCsr::from(Csr::from_arcs(2, &[(0, 1, 0.5f32)])?);
/// let graphs = Threads::run(2, |ranks| {
///     let own = (ranks.rank() == 0).then_some(&graph);
///     Ok::<_, collectives::RanksError>(broadcast(ranks, own)?.into_owned())
/// })?;
/// assert_eq!(graphs, [graph.clone(), graph]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of the ranks, if one has no memory for the graph, and [`RanksError::Invalid`] if rank 0
/// sends no valid graph.
pub fn broadcast<'g>(
    ranks: &dyn Communicator,
    own: Option<&'g AnyCsr>,
) -> Result<Cow<'g, AnyCsr>, RanksError> {
    let code_of = |graph: &AnyCsr| KINDS.iter().take_while(|kind| kind.0 != graph.kind()).count();
    let is_undirected = own.is_some_and(|graph| graph.direction() == Direction::Undirected);
    let mut code = [own.map_or(0, code_of) as u8, is_undirected.into()];
    match own {
        Some(graph) if ranks.size() == 1 => return Ok(Cow::Borrowed(graph)),
        _ => ranks.broadcast(0, &mut code)?,
    }
    let Some(graph) = own else {
        let Some((_, receive)) = KINDS.get(usize::from(code[0])) else {
            return Err(invalid(format!("there is no weight type {}", code[0])));
        };
        return receive(ranks, code[1] > 0).map(Cow::Owned);
    };
    with_csr!(graph, |graph| {
        ranks.broadcast_vec(0, graph.row_offsets().to_vec())?;
        ranks.broadcast_vec(0, graph.column_indices().to_vec())?;
        ranks.broadcast_vec(0, graph.stored_weights().to_vec())?;
    });
    Ok(Cow::Borrowed(graph))
}

/// The function that receives a graph of each weight type; the index in this list is its code.
const KINDS: [(WeightKind, Receive); 6] = [
    (WeightKind::U32, receive::<u32>),
    (WeightKind::I32, receive::<i32>),
    (WeightKind::U64, receive::<u64>),
    (WeightKind::I64, receive::<i64>),
    (WeightKind::F32, receive::<f32>),
    (WeightKind::F64, receive::<f64>),
];

type Receive = fn(&dyn Communicator, bool) -> Result<AnyCsr, RanksError>;

fn receive<W: Weight>(ranks: &dyn Communicator, is_undirected: bool) -> Result<AnyCsr, RanksError>
where
    Csr<W>: Into<AnyCsr>,
{
    let row_offsets = ranks.broadcast_vec(0, Vec::<u64>::new())?;
    let columns = ranks.broadcast_vec(0, Vec::<u32>::new())?;
    let weights = ranks.broadcast_vec(0, Vec::<W>::new())?;
    let graph = match weights[..] {
        [weight] => Csr::with_equal_weights(row_offsets, columns, weight),
        _ => Csr::new(row_offsets, columns, weights),
    };
    let graph = graph.and_then(|graph| match is_undirected {
        true => {
            ensure_granted(graph.bytes())?;
            graph.into_undirected()
        }
        false => Ok(graph),
    });
    Ok(graph.map_err(|error| invalid(error.to_string()))?.into())
}

/// The error for a graph of rank 0 that is not valid.
fn invalid(reason: String) -> RanksError {
    RanksError::Invalid { rank: 0, reason }
}

impl Solver<'_, AnyCsr> {
    /// As for a [`Csr`].
    ///
    /// # Errors
    /// The same.
    pub fn order(&self, progress: Option<Progress<'_>>) -> Result<Ordered, ApspError> {
        with_csr!(self.graph, |graph| self.of(graph).order(progress))
    }

    /// An estimate of the seconds that the CPU takes in memory, if [ordered](Self::in_order). A GPU
    /// pays if opening and closing it, as [`Machine`](sssp::cost::Machine) has it, takes less.
    pub fn seconds_on_cpu(&self) -> f64 {
        let (n, threads) = (self.graph.n_vertices(), self.config.n_threads());
        if let Some(supernodes) = self.ordered.and_then(|ordered| ordered.supernodes.as_ref()) {
            return supernodes.n_sums() / (SUMS_PER_SECOND_OF_SUPERNODES * threads as f64);
        }
        let by_matrix = (n as f64).powi(3) / (SUMS_PER_SECOND * threads as f64);
        let machine = Machine { threads, ..Machine::default() };
        let by_search = || cost::seconds(&Outline::of(self.graph), Searches::Table(n), &machine).0;
        match self.config.algorithm {
            Algorithm::Auto => by_search().min(by_matrix),
            Algorithm::Johnson => by_search(),
            _ => by_matrix,
        }
    }

    /// As for a [`Csr`].
    ///
    /// # Errors
    /// The same.
    pub fn solve(self, progress: Option<Progress<'_>>) -> Result<Box<dyn AnyPairs>, ApspError> {
        with_csr!(self.graph, |graph| Ok(Box::new(self.of(graph).solve(progress)?)))
    }

    /// As for a [`Csr`].
    ///
    /// # Errors
    /// The same.
    pub fn solve_over(
        self,
        ranks: &dyn Communicator,
        progress: Option<Progress<'_>>,
    ) -> Result<Box<dyn AnyRankPairs>, ApspError> {
        with_csr!(self.graph, |graph| Ok(Box::new(self.of(graph).solve_over(ranks, progress)?)))
    }
}

impl InFolder<'_, AnyCsr> {
    /// As for a [`Csr`].
    ///
    /// # Errors
    /// The same.
    pub fn solve(self, progress: Option<Progress<'_>>) -> Result<Box<dyn AnyPairs>, ApspError> {
        let Self { solver, folder } = self;
        with_csr!(solver.graph, |graph| {
            Ok(Box::new(solver.of(graph).in_folder(folder).solve(progress)?))
        })
    }

    /// As for a [`Csr`].
    ///
    /// # Errors
    /// The same.
    pub fn solve_over(
        self,
        ranks: &dyn Communicator,
        progress: Option<Progress<'_>>,
    ) -> Result<Option<Box<dyn AnyPairs>>, ApspError> {
        let Self { solver, folder } = self;
        with_csr!(solver.graph, |graph| {
            let found = solver.of(graph).in_folder(folder).solve_over(ranks, progress)?;
            Ok(found.map(|pairs| Box::new(pairs) as Box<dyn AnyPairs>))
        })
    }

    /// As for a [`Csr`].
    ///
    /// # Errors
    /// The same, and [`ApspError::BadChange`] for a weight that the type does not have.
    pub fn update(
        self,
        changes: &[Change<Number>],
        progress: Option<Progress<'_>>,
    ) -> Result<(AnyCsr, Updated), ApspError> {
        let Self { solver, folder } = self;
        with_csr!(solver.graph, |graph| {
            let folder = solver.of(graph).in_folder(folder);
            let (after, updated) = folder.update(&typed_changes(changes)?, progress)?;
            Ok((after.into(), updated))
        })
    }
}

impl<W: PairsWeight> AnyPairs for Pairs<W> {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn n_vertices(&self) -> usize {
        Pairs::n_vertices(self)
    }

    fn row(&self, source: VertexId) -> AnyDistances {
        Pairs::row(self, source).collect::<Distances<_>>().into()
    }

    fn distance(&self, source: VertexId, target: VertexId) -> Option<Number> {
        let distance = match self.distances() {
            Some(table) => table.get(source as usize, target as usize),
            None => Pairs::row(self, source).nth(target as usize).flatten(),
        };
        distance.map(Number::of)
    }

    fn path(&self, source: VertexId, target: VertexId) -> Option<Vec<VertexId>> {
        Pairs::path(self, source, target)
    }

    fn hops(&self, source: VertexId) -> Vec<Option<VertexId>> {
        Pairs::hops(self, source)
    }

    fn next_hops(&self) -> Option<&NextHops> {
        Pairs::next_hops(self)
    }

    fn into_distances(self: Box<Self>) -> Option<AnyTable> {
        Pairs::into_distances(*self).map(AnyTable::from)
    }

    fn summary(&self, progress: Option<Progress<'_>>) -> Result<Summary<Number>, ApspError> {
        Pairs::summary(self, progress).map(Summary::any)
    }

    fn write_npy(
        &self,
        out: &mut dyn Write,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError> {
        Pairs::write_npy(self, out, progress)
    }

    fn write_next_hops_npy(
        &self,
        out: &mut dyn Write,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError> {
        Pairs::write_next_hops_npy(self, out, progress)
    }
}

impl<W: PairsWeight> AnyRankPairs for RankPairs<W> {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn sources(&self) -> &[VertexId] {
        &self.sources
    }

    fn row(&self, place: usize) -> AnyDistances {
        self.distances.row(place).collect::<Distances<_>>().into()
    }

    fn summary(&self, ranks: &dyn Communicator) -> Result<Summary<Number>, RanksError> {
        RankPairs::summary(self, ranks).map(Summary::any)
    }

    fn gather_rows(
        &self,
        ranks: &dyn Communicator,
        take: &mut dyn FnMut(VertexId, AnyDistances) -> ControlFlow<()>,
    ) -> Result<(), RanksError> {
        RankPairs::gather_rows(self, ranks, |source, row| {
            take(source, Distances::from_storage(row.to_vec()).into())
        })
    }

    fn write_npy(
        &self,
        ranks: &dyn Communicator,
        out: Option<&mut dyn Write>,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError> {
        RankPairs::write_npy(self, ranks, out, progress)
    }

    fn write_next_hops_npy(
        &self,
        ranks: &dyn Communicator,
        out: Option<&mut dyn Write>,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError> {
        RankPairs::write_next_hops_npy(self, ranks, out, progress)
    }
}

impl<D: Distance> Summary<D> {
    /// The summary with its greatest distance as a number of any type.
    fn any(self) -> Summary<Number> {
        let Self { n_reachable_pairs, sum, max } = self;
        Summary { n_reachable_pairs, sum, max: max.map(Number::of) }
    }
}
