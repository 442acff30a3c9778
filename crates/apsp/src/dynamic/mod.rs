//! All pairs of a graph that changes: distances, and next hops, that follow batches of changes.
//!
//! A batch is made in two steps. Raised and deleted arcs come first: pairs of which a shortest
//! path may have used one are reset and searched for again (`raised.rs`). Then come lowered and
//! new arcs: their ends are closed as pivots, and rows take the paths through them that are shorter
//! (`lowered.rs`). Either step leaves a closed matrix. Next hops are found again for the pairs of
//! the first step, and for those with a shortest path over an arc of the second (`next_hops.rs`):
//! the tight arcs of no other pair have changed.
//!
//! O(n k) for the rows that k arcs look at, and the pairs that they touch. Where an estimate says
//! that the solver takes less, it finds all pairs anew. It also does so where sums might overflow,
//! and where those of floats are rounded and there are next hops or negative weights. Until a batch
//! is done, the old distances are kept of all pairs that have others.
//!
//! A matrix in a folder follows by the same steps, a block of rows at a time (`blocks.rs`).
//!
//! What differs from the published form: Ramalingam and Reps follow one change at a time from
//! vertex to vertex, for each source. Here a batch is followed for all sources at once, row by row
//! in parallel. Pairs are reset by the tightness of the old matrix and not by counts of tight arcs,
//! so that cycles of weight zero need no care.
//!
//! Reference: ramalingam-reps-1996

pub(crate) mod any;
mod behind;
pub(crate) mod blocks;
mod certificate;
mod lowered;
mod next_hops;
pub(crate) mod raised;
mod table;
pub(crate) mod weights;

use collectives::Alone;
use graph_formats::{Change, Changed, Csr, DynamicGraph, NoMemory, VertexId, Weight, parallel};
use paths::{DistanceTable, NextHops};
use rayon::{ThreadPool, ThreadPoolBuilder};
use sssp::Progress;

use crate::host::all_rows;
use crate::pairs::Rows;
use crate::potentials::RaisedWeight;
use crate::solver::WithDistances;
use crate::width::{Narrow, search_of_degree};
use crate::{Algorithm, ApspError, Config, Pairs, PairsWeight, Plan, Report, Solver, error, hops};
use lowered::Lowered;
use raised::Lost;
use table::{Ends, Old};
use weights::Weights;

/// Heavy arcs are left out where as many pairs are lost as these rows have.
const FEW_ROWS: usize = 4;
/// The time to compare a path with a distance, in entries of a matrix of 32 bits.
const ENTRIES_A_PAIR: f64 = 35.0;
/// The same to read a distance from a row that is in no cache.
const ENTRIES_A_LOOK: f64 = 500.0;
/// The same of the solver, to find a next hop.
const ENTRIES_A_HOP: f64 = 1000.0;
/// The same, to start threads and make tables.
const ENTRIES_A_SOLVE: f64 = 4e6;
/// The time to find that a pair is lost, and to search for it again, in vertices that a search from
/// a source finds.
const SEARCHES_A_PAIR: f64 = 7.0;

/// All pairs of a graph that takes changes in batches, by the CPU in memory.
///
/// After every batch they are, to the bit, what [`Solver`] finds for the changed graph, next hops
/// included. Only floats whose sums are rounded may differ within 16 n ε of the greatest distance,
/// and only without next hops and negative weights; with these the solver finds them anew. It also
/// does after n batches of such floats, so that errors do not add up.
///
/// ```
/// use apsp::{Config, DynamicPairs};
/// use graph_formats::{Change, Csr};
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 7)])?;
/// let config = Config { next_hops: true, ..Config::default() };
/// let mut all = DynamicPairs::new(&graph, &config, None)?;
/// let new = Change::Insert { from: 0, to: 2, weight: 9 };
/// let update = all.update(&[new, Change::Delete { from: 0, to: 1, weight: None }], None)?;
/// assert_eq!((update.solved, update.n_searched), (None, 2));
/// assert_eq!(all.pairs().row(0).collect::<Vec<_>>(), [Some(0), None, Some(9)]);
/// assert_eq!(all.pairs().path(0, 2), Some(vec![0, 2]));
///
/// let error = all.update(&[Change::Delete { from: 0, to: 1, weight: None }], None).unwrap_err();
/// assert_eq!(error.to_string(), "change 0: there is no arc 0 -> 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DynamicPairs<W: Weight> {
    graph: DynamicGraph<W>,
    pairs: Pairs<W>,
    config: Config,
    pool: ThreadPool,
    weights: Weights,
    /// Of floats that are rounded, a bound on the distances,
    greatest: f64,
    /// and the batches since all pairs were found anew.
    n_batches: usize,
}

/// What an update has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Updated {
    /// Why the solver has found all pairs anew; `None` if only some were looked at.
    pub solved: Option<&'static str>,
    /// Pairs that were searched for again, because a raised or deleted arc may have been on their
    /// path.
    pub n_searched: u64,
    /// The sources of these pairs: a search from each, over the pairs that were lost.
    pub n_searches: u64,
    /// Those of them from which most pairs were lost: whole searches from the source.
    pub n_whole_searches: u64,
    /// Pairs that lowered and new arcs have brought nearer.
    pub n_nearer: u64,
    /// Pairs whose next hop was found again.
    pub n_hops: u64,
}

impl<W: PairsWeight> DynamicPairs<W> {
    /// Finds all pairs by the [`Solver`], with this configuration. It takes what that takes, and a
    /// copy of the graph; of a directed one, both rows and columns.
    ///
    /// # Errors
    /// Those of [`Solver::solve`].
    pub fn new(
        graph: &Csr<W>,
        config: &Config,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, ApspError> {
        (W::functions().new_dynamic)(Solver::new(graph, config), progress)
    }

    /// Takes distances that were found before, as [`new`](Self::new) would find them. It looks
    /// whether they are those of the graph: every distance that of a path, and none longer than a
    /// distance and an arc after it. Where sums of floats are rounded, these may differ by 16 n ε of
    /// the greatest distance. O(n (n + m)), and for next hops as much again. It takes a copy of the
    /// graph, and next hops beside the distances.
    ///
    /// ```
    /// use apsp::{ApspError, Config, DynamicPairs, Solver};
    /// use graph_formats::{Change, Csr};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 7)])?;
    /// let config = Config::default();
    /// let found = Solver::new(&graph, &config).solve(None)?.into_distances().expect("in memory");
    /// let mut all = DynamicPairs::from_distances(&graph, found.clone(), &config, None)?;
    /// all.update(&[Change::Insert { from: 0, to: 2, weight: 9 }], None)?;
    /// assert_eq!(all.pairs().row(0).collect::<Vec<_>>(), [Some(0), Some(5), Some(9)]);
    ///
    /// let other = Csr::from_arcs(3, &[(0, 1, 4u32), (1, 2, 7)])?;
    /// let error = DynamicPairs::from_distances(&other, found, &config, None).unwrap_err();
    /// assert!(matches!(error, ApspError::OtherDistance { source_vertex: 0, target: 1 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ApspError::OtherShape`] or [`ApspError::OtherDistance`] where they are not the graph's, and
    /// memory that does not suffice.
    pub fn from_distances(
        graph: &Csr<W>,
        distances: DistanceTable<W>,
        config: &Config,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, ApspError> {
        (W::functions().of_distances)((Solver::new(graph, config), distances), progress)
    }

    /// Makes all of these changes, or none, and finds the pairs that they change. No pair of
    /// vertices may occur twice. New vertices take a copy of the matrix; pairs that are found anew
    /// take the memory of a [`Solver`] beside the old ones.
    ///
    /// Next hops are found anew for all pairs, in O(n m), where a weight is or was zero or less.
    /// `progress` is called during the work, and may end it.
    ///
    /// # Errors
    /// [`ApspError::BadChange`] for the first change that cannot be made, a negative cycle, an
    /// overflow, memory that does not suffice, or where the progress callback ended the work. Then
    /// graph and pairs are as they were.
    pub fn update(
        &mut self,
        changes: &[Change<W>],
        progress: Option<Progress<'_>>,
    ) -> Result<Updated, ApspError> {
        (W::functions().update)((self, changes), progress)
    }
}

impl<W: Weight> DynamicPairs<W> {
    /// The pairs of the graph as it is now. Plan and report are of the last time that all were found.
    pub fn pairs(&self) -> &Pairs<W> {
        &self.pairs
    }

    /// The graph as it is now.
    pub fn graph(&self) -> &DynamicGraph<W> {
        &self.graph
    }
}

impl Updated {
    /// Counts the pairs that rows of `n` columns have lost.
    fn count_lost(&mut self, lost: &[Vec<VertexId>], n: usize) {
        for lost in lost.iter().filter(|lost| !lost.is_empty()) {
            self.n_searched += lost.len() as u64;
            self.n_searches += 1;
            self.n_whole_searches += u64::from(raised::is_most(lost.len(), n));
        }
    }
}

/// Why an update cannot go on.
pub(crate) enum Stop {
    Failed(ApspError),
    /// The solver has to find all pairs.
    Solve(&'static str),
}

impl<E: Into<ApspError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// A batch that is being made: what it has changed, to be taken back if it fails, and what it found.
struct Batch<'a, W: Weight> {
    progress: Option<Progress<'a>>,
    changed: Vec<Changed<W>>,
    old: Old<W::Distance>,
    /// The pairs before, if there are new vertices.
    smaller: Option<Pairs<W>>,
    weights: Weights,
    greatest: f64,
    /// Of each row, the pairs whose next hops may have changed, in order.
    touched: Vec<Vec<VertexId>>,
    /// Entries that may still be spent, for the solver would take no more.
    left: f64,
    update: Updated,
}

impl<W: Weight> Batch<'_, W> {
    /// Whether following the changes still pays.
    fn spend(&mut self, entries: f64) -> Result<(), Stop> {
        self.left -= entries;
        if self.left < 0.0 { Err(Stop::Solve("the solver takes less time")) } else { Ok(()) }
    }
}

impl<W: RaisedWeight> DynamicPairs<W> {
    pub(crate) fn make(
        solver: Solver<'_, Csr<W>>,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, ApspError> {
        let (csr, config) = (solver.graph, solver.config.clone());
        let graph = DynamicGraph::new(csr);
        let graph = graph
            .map_err(|refused| ApspError::too_large(csr.n_vertices(), refused.bytes as u128))?;
        let pool = ThreadPoolBuilder::new().num_threads(config.n_threads()).build()?;
        let pairs = solver.find(progress)?;
        let (weights, greatest) = (Weights::of(csr), 0.0);
        let mut made = Self { graph, pairs, config, pool, weights, greatest, n_batches: 0 };
        made.found_anew();
        Ok(made)
    }

    pub(crate) fn of_distances(
        (solver, distances): WithDistances<'_, W>,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, ApspError> {
        let (csr, config) = (solver.graph, solver.config.clone());
        let n_vertices = csr.n_vertices();
        let (n_rows, n_columns) = (distances.n_sources(), distances.n_targets());
        if (n_rows, n_columns) != (n_vertices, n_vertices) {
            return Err(ApspError::OtherShape { n_rows, n_columns, n_vertices });
        }
        let share = all_rows(n_vertices);
        let of_hops = if config.next_hops { hops::bytes(csr, share) } else { 0 };
        // it says what finding all pairs anew would take
        let algorithm = match config.algorithm {
            Algorithm::Supernodes => Algorithm::Auto,
            other => other,
        };
        let likely = Config { algorithm, ..config.clone() };
        let plan = Plan::new(csr, &likely, Narrow::Never, progress)?;
        let reason = "distances that were found before".to_owned();
        let plan = Plan { reason, ..plan };
        let left = config.memory.map(|all| all.saturating_sub(table::bytes_of::<W>(n_vertices)));
        error::check_memory(n_vertices, of_hops, left)?;
        let refused = |refused: NoMemory| ApspError::too_large(n_vertices, refused.bytes as u128);
        let graph = DynamicGraph::new(csr).map_err(refused)?;
        let pool = ThreadPoolBuilder::new().num_threads(config.n_threads()).build()?;
        let distances = DistanceTable::from_storage(table::by_rows(distances.into_storage()));
        let weights = Weights::of(csr);
        let wrong = parallel::install(&pool, || {
            certificate::wrong_pair(csr, &distances, weights, progress)
        })?;
        if let Some((source_vertex, target)) = wrong {
            return Err(ApspError::OtherDistance { source_vertex, target });
        }
        let mut report = Report::default();
        let (distances, next_hops) = match config.next_hops {
            true => {
                let work = hops::Work { ranks: &Alone, graph: csr, share, pool: &pool, progress };
                let (distances, hops) = work.find(distances, &mut report)?;
                (distances, Some(hops))
            }
            false => (distances, None),
        };
        let pairs = Pairs { plan, report, rows: Rows::in_memory(distances, next_hops) };
        let mut made = Self { graph, pairs, config, pool, weights, greatest: 0.0, n_batches: 0 };
        made.found_anew();
        Ok(made)
    }

    pub(crate) fn change(
        &mut self,
        changes: &[Change<W>],
        progress: Option<Progress<'_>>,
    ) -> Result<Updated, ApspError> {
        // all together, so that an error is of the first that cannot be made
        let _ = self.graph.check(changes)?;
        let (lowered, raised) = split(&self.graph, changes);
        let mut batch = Batch {
            progress,
            changed: Vec::new(),
            old: Vec::new(),
            smaller: None,
            weights: self.weights,
            greatest: self.greatest,
            touched: Vec::new(),
            left: self.entries_of_solver(),
            update: Updated::default(),
        };
        let done = match self.follow(&raised, &lowered, &mut batch) {
            Err(Stop::Solve(why)) => self.solve(why, &lowered, &mut batch),
            Err(Stop::Failed(error)) => Err(error),
            Ok(()) => Ok(batch.update.clone()),
        };
        if done.is_err() {
            self.take_back(batch);
        }
        done
    }

    /// Makes the changes, raised ones first, and follows them.
    fn follow(
        &mut self,
        raised: &[Change<W>],
        lowered: &[Change<W>],
        batch: &mut Batch<'_, W>,
    ) -> Result<(), Stop> {
        batch.changed.push(self.graph.apply(raised)?);
        self.weights = self.weights.and(raised).and(lowered);
        let n = self.graph.n_vertices();
        let (weights, is_rounded) = (self.weights, self.weights.are_rounded(W::KIND, n));
        if !weights.have_sums(W::KIND, n) {
            return Err(Stop::Solve("sums of weights may be too large for their type"));
        }
        if is_rounded && (self.config.next_hops || weights.least < 0.0) {
            return Err(Stop::Solve("sums of floats are rounded"));
        }
        if is_rounded && self.n_batches >= n {
            return Err(Stop::Solve(
                "floats were rounded in as many batches as there are vertices",
            ));
        }
        if n > self.pairs.n_vertices() {
            self.check_memory(table::bytes(&self.pairs, n))?;
            let larger = table::larger(&self.pairs, n)?;
            batch.smaller = Some(std::mem::replace(&mut self.pairs, larger));
        }
        batch.touched.resize_with(n, Vec::new);
        self.follow_raised(batch)?;
        batch.changed.push(self.graph.apply(lowered)?);
        self.follow_lowered(batch)?;
        if self.config.next_hops {
            self.find_hops(batch)?;
        }
        if is_rounded {
            self.n_batches += 1;
            let cells = table::cells(&mut self.pairs);
            self.greatest = table::greatest(cells, &batch.old).max(self.greatest);
        }
        Ok(())
    }

    fn follow_raised(&mut self, batch: &mut Batch<'_, W>) -> Result<(), Stop> {
        let (n, progress) = (self.graph.n_vertices(), batch.progress);
        let slack = self.weights.slack(W::KIND, n, self.greatest);
        let changed = batch.changed.last().map_or(&[][..], |changed| &changed.arcs);
        let gone = raised::gone(changed, &self.graph);
        let arcs = raised::arcs(&gone, Ends::all(n, table::cells(&mut self.pairs)), slack);
        batch.spend(looks(n, arcs.len()))?;
        self.check_memory(behind::bytes::<W::Distance>(n, arcs.len()))?;
        let cells = table::cells(&mut self.pairs);
        let lost = parallel::install(&self.pool, || {
            let used = raised::used(&arcs, n, cells, slack);
            let lost = Lost::new(arcs, &self.graph, Ends::all(n, cells), Some(&used), slack);
            lost.find(0, n, cells, &used, progress)
        })?;
        let n_lost: usize = lost.iter().map(Vec::len).sum();
        let useful = match n_lost > FEW_ROWS * n {
            true => parallel::install(&self.pool, || raised::useful(&self.graph, cells, &lost))
                .map(Some),
            false => Ok(None),
        };
        let useful = useful.map_err(|refused| ApspError::too_large(n, refused.bytes as u128))?;
        let graph = useful.as_ref().unwrap_or(&self.graph);
        let degree = graph.n_arcs() as f64 / n.max(1) as f64;
        batch.spend(SEARCHES_A_PAIR * n_lost as f64 * search_of_degree(degree))?;
        self.check_memory(table::bytes_of_old::<W::Distance>(n_lost))?;
        let searched = raised::Search { graph, lost: &lost, progress };
        let cells = table::cells(&mut self.pairs);
        batch.update.count_lost(&lost, n);
        parallel::install(&self.pool, || searched.search(cells, &mut batch.old))?;
        batch.touched = lost;
        Ok(())
    }

    fn follow_lowered(&mut self, batch: &mut Batch<'_, W>) -> Result<(), Stop> {
        let n = self.graph.n_vertices();
        let changed = batch.changed.last().map_or(&[][..], |changed| &changed.arcs);
        let with_ties = self.config.next_hops;
        let ends = Ends::all(n, table::cells(&mut self.pairs));
        let arcs = lowered::arcs(changed, ends, with_ties);
        let k = arcs.len();
        // the pivots are closed by one thread
        let closing = (k as f64).powi(3) * self.config.n_threads() as f64;
        batch.spend(looks(n, k) + ENTRIES_A_PAIR * (closing + (k * n) as f64))?;
        self.check_memory(behind::bytes::<W::Distance>(n, k))?;
        let cells = table::cells(&mut self.pairs);
        // the solver names the cycle
        let cycle = || Stop::Solve("there is a negative cycle");
        let pivots = lowered::closed(&arcs, Ends::all(n, cells)).ok_or_else(cycle)?;
        batch.spend(ENTRIES_A_PAIR * (pivots.n_shorter() * n) as f64)?;
        let (lowered, used) = parallel::install(&self.pool, || {
            let used = lowered::used(&arcs, n, cells, with_ties);
            let (graph, ends) = (&self.graph, Ends::all(n, cells));
            (Lowered::new(arcs, &pivots, graph, ends, Some(&used), with_ties), used)
        });
        batch.spend(ENTRIES_A_PAIR * lowered.n_pairs(&used) as f64)?;
        let first = batch.old.len();
        let ask = self.asks();
        let cells = table::cells(&mut self.pairs);
        let Batch { old, touched, progress, .. } = batch;
        parallel::install(&self.pool, || {
            lowered.relax(cells, &used, old, touched, &ask, *progress)
        })?;
        batch.update.n_nearer = batch.old[first..].iter().map(|row| row.1.len() as u64).sum();
        Ok(())
    }

    /// Finds the next hops of the pairs that were touched.
    fn find_hops(&mut self, batch: &mut Batch<'_, W>) -> Result<(), ApspError> {
        let (n, progress) = (self.graph.n_vertices(), batch.progress);
        let n_touched: usize = batch.touched.iter().map(Vec::len).sum();
        // with weights of zero and less, hops depend on those of other pairs
        if self.weights.least > 0.0 {
            self.check_memory(n_touched as u128 * size_of::<(VertexId, VertexId)>() as u128)?;
            let (distances, hops) = table::parts(&mut self.pairs);
            let touched = &batch.touched;
            let find = || next_hops::find(&self.graph, distances.as_storage(), touched, progress);
            let found = parallel::install(&self.pool, find)?;
            let hops = hops.as_mut().into_iter();
            hops.for_each(|hops| next_hops::write(hops, touched, &found));
            batch.update.n_hops = n_touched as u64;
        } else if n_touched > 0 {
            // the first negative arc touches the pair of its ends, and so does the last
            let (graph, share) = (self.csr()?, all_rows(n));
            self.check_memory(hops::bytes(&graph, share))?;
            let work =
                hops::Work { ranks: &Alone, graph: &graph, share, pool: &self.pool, progress };
            let found = work.find_of(table::cells(&mut self.pairs))?;
            let (_, hops) = table::parts(&mut self.pairs);
            *hops = Some(NextHops::from_storage(found).expect("vertices of the graph"));
            self.weights = Weights::of(&graph);
            batch.update.n_hops = (n * n) as u64;
        }
        Ok(())
    }

    /// Makes what is left of the changes, and finds all pairs anew.
    fn solve(
        &mut self,
        why: &'static str,
        lowered: &[Change<W>],
        batch: &mut Batch<'_, W>,
    ) -> Result<Updated, ApspError> {
        if batch.changed.len() == 1 {
            batch.changed.push(self.graph.apply(lowered)?);
        }
        let graph = self.csr()?;
        self.pairs = Solver::new(&graph, &self.config).find(batch.progress)?;
        self.weights = Weights::of(&graph);
        self.found_anew();
        Ok(Updated { solved: Some(why), ..Updated::default() })
    }

    fn take_back(&mut self, batch: Batch<'_, W>) {
        batch.changed.iter().rev().for_each(|changed| self.graph.undo(changed));
        (self.weights, self.greatest) = (batch.weights, batch.greatest);
        match batch.smaller {
            Some(pairs) => self.pairs = pairs,
            None => table::take_back(table::cells(&mut self.pairs), batch.old),
        }
    }

    fn found_anew(&mut self) {
        self.n_batches = 0;
        if self.weights.are_rounded(W::KIND, self.pairs.n_vertices()) {
            self.greatest = table::greatest_of(table::cells(&mut self.pairs));
        }
    }

    fn csr(&self) -> Result<Csr<W>, ApspError> {
        let (n, m) = (self.graph.n_vertices(), self.graph.n_arcs());
        let bytes = m as u128 * size_of::<(VertexId, W)>() as u128;
        self.graph.to_csr().map_err(|_| ApspError::too_large(n, bytes))
    }

    /// An error where an update may not take these bytes beside the pairs.
    fn check_memory(&self, bytes: u128) -> Result<(), ApspError> {
        self.asks()(bytes)
    }

    fn asks(&self) -> impl Fn(u128) -> Result<(), ApspError> + use<W> {
        let n = self.pairs.n_vertices();
        let own = u64::try_from(table::bytes(&self.pairs, n)).unwrap_or(u64::MAX);
        let left = self.config.memory.map(|all| all.saturating_sub(own));
        move |bytes| error::check_memory(n, bytes, left)
    }

    /// About what finding all pairs anew takes.
    fn entries_of_solver(&self) -> f64 {
        let (n, m) = (self.graph.n_vertices() as f64, self.graph.n_arcs() as f64);
        let by_search = search_of_degree(m / n.max(1.0));
        let by_matrix = self.pairs.plan.number.map_or(f64::INFINITY, |number| n * number.cost());
        let of_row = match self.pairs.plan.algorithm {
            Algorithm::Johnson => by_search,
            Algorithm::Supernodes => by_search.min(by_matrix),
            _ => by_matrix,
        };
        let of_hops = if self.config.next_hops { ENTRIES_A_HOP } else { 0.0 };
        ENTRIES_A_SOLVE + n * n * (of_row + of_hops)
    }
}

/// The changes that lower or add an arc, and the others.
pub(crate) fn split<W: Weight>(
    graph: &DynamicGraph<W>,
    changes: &[Change<W>],
) -> (Vec<Change<W>>, Vec<Change<W>>) {
    changes.iter().copied().partition(|change| match *change {
        Change::Insert { .. } => true,
        Change::Reweight { from, to, weight } => {
            graph.weight(from, to).is_some_and(|before| weight < before)
        }
        _ => false,
    })
}

/// What it takes to look from all rows at both ends of arcs.
fn looks(n: usize, n_arcs: usize) -> f64 {
    2.0 * ENTRIES_A_LOOK * n as f64 * n_arcs as f64
}
