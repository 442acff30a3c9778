//! Questions about many sources at once.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use graph_formats::{Csr, Distance, VertexId, Weight};
use ndarray::{Array2, ArrayViewMut1, Axis};
use paths::{DistanceTable, Nearest};

use crate::cost::{self, Outline};
use crate::cpu::nearest;
use crate::cpu::threads::{EndsOnPanic, Threads};
use crate::plan::Chosen;
use crate::query::{Query, check_vertices};
use crate::search::{self, awaited};
use crate::{Algorithm, Config, DeviceTimes, Plan, Progress, Queue, Solver, SsspError, Team, Work};

/// The distances from each of `sources` to each of `targets`; a row a source, in the
/// order given.
///
/// Sources are shared among the threads, each with a work space of its own, and a
/// search may end when all targets are settled. What is prepared once for the graph is there
/// once; [`Plan::of_table`] tells what was chosen. O(s·(n + m)) and O(s·t) memory for the
/// table, besides up to 24 bytes a vertex for each thread.
///
/// # Errors
/// As [`Solver::new`] and [`Solver::distances`]; the first that any thread meets.
///
/// ```
/// use graph_formats::Csr;
/// use sssp::{Config, distance_table};
///
/// let graph = Csr::from_arcs(4, &[(0, 1, 5u32), (1, 2, 2), (2, 0, 4)])?;
/// let table = distance_table(&graph, &[0, 2], &[1, 2, 3], &Config::default(), None)?;
/// assert_eq!(table.row(0).collect::<Vec<_>>(), [Some(5), Some(7), None]);
/// assert_eq!(table.row(1).collect::<Vec<_>>(), [Some(9), Some(0), None]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distance_table<W: Weight>(
    graph: &Csr<W>,
    sources: &[VertexId],
    targets: &[VertexId],
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<DistanceTable<W>, SsspError> {
    check_vertices(graph, "source", sources)?;
    check_vertices(graph, "target", targets)?;
    let mut table = empty_table::<W>(sources.len(), targets.len())?;
    let n_workers = config.n_threads().min(sources.len()).max(1);
    let (plan, chosen) = plan_of_many(graph, config, sources.len())?;
    let window = search::window(graph, chosen);
    let solver = || Solver::planned(graph, plan.clone(), chosen, window.clone());
    let mut solvers: Vec<_> = std::iter::repeat_with(solver).take(n_workers).collect();
    let rows = Rows {
        left: Mutex::new(sources.iter().zip(table.axis_iter_mut(Axis(0)))),
        done: AtomicU64::new(0),
        total: sources.len() as u64,
        failed: AtomicBool::new(false),
        error: Mutex::new(None),
        progress,
    };
    Threads::new(n_workers).each(&mut solvers, |_, solver| {
        let _ends = EndsOnPanic(&rows.failed);
        while let Some((&source, mut row)) = rows.next() {
            let filled = match row.as_slice_mut() {
                Some(cells) if !targets.is_empty() => {
                    solver.search.table(&[source], targets, None, cells)
                }
                _ => Ok(None),
            };
            rows.settle(match filled {
                Ok(None) => fill(solver, source, targets, &mut row),
                filled => filled.map(drop),
            });
        }
    });
    let error = rows.error.into_inner().unwrap_or_else(PoisonError::into_inner);
    error.map_or(Ok(DistanceTable::from_storage(table)), Err)
}

impl<W: Weight> Solver<'_, W> {
    /// The distances from each of `sources` to each of `targets`; a row a source, in the
    /// order given.
    ///
    /// On a GPU the graph is there already, and with Δ-stepping several searches run at
    /// once, each on a part of the multiprocessors. Otherwise one search follows the other;
    /// on a CPU with several processors [`distance_table`] is faster. A search may end when
    /// all targets are settled. O(s·(n + m)), and O(s·t) memory for the table, besides up
    /// to 44 bytes a vertex and half a byte an arc of the GPU's for each search at once.
    ///
    /// # Errors
    /// As [`Solver::distances`], and [`SsspError::TableTooLarge`].
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use sssp::{Config, Solver};
    ///
    /// let graph = Csr::from_arcs(4, &[(0, 1, 5u32), (1, 2, 2), (2, 0, 4)])?;
    /// let table = Solver::new(&graph, &Config::default())?.table(&[0, 2], &[1, 3])?;
    /// assert_eq!(table.row(1).collect::<Vec<_>>(), [Some(9), None]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
    ) -> Result<DistanceTable<W>, SsspError> {
        check_vertices(self.graph, "source", sources)?;
        check_vertices(self.graph, "target", targets)?;
        let mut table = empty_table::<W>(sources.len(), targets.len())?;
        self.work = self.fill(sources, targets, &mut table)?;
        Ok(DistanceTable::from_storage(table))
    }

    /// Fills the table, telling of rows, while searches tell nobody.
    fn fill(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        table: &mut Array2<W::Distance>,
    ) -> Result<Work, SsspError> {
        let progress = self.progress;
        let mut work = Work::default();
        if sources.is_empty() || targets.is_empty() {
            return Ok(work);
        }
        self.device_times = None;
        if let Some(cells) = table.as_slice_mut()
            && let Some(work) = self.search.table(sources, targets, progress, cells)?
        {
            return Ok(work);
        }
        let mut times: Option<DeviceTimes> = None;
        for (done, (&source, mut cells)) in (1..).zip(sources.iter().zip(table.rows_mut())) {
            fill(self, source, targets, &mut cells)?;
            work.add(&self.work);
            times = match (times, self.search.device_times()) {
                (Some(before), Some(now)) => Some(before.and(now)),
                (before, now) => before.or(now),
            };
            if progress.is_some_and(|tell| tell(done, sources.len() as u64).is_break()) {
                return Err(SsspError::Interrupted);
            }
        }
        self.device_times = times;
        Ok(work)
    }
}

/// For every vertex, which of `sources` is nearest, and how far it is. Of several that
/// are equally near it is the smallest.
///
/// One search from all of them, on one thread: O((n + m) log n) for however many
/// sources, and 16 to 24 bytes a vertex.
///
/// # Errors
/// When a source does not exist, a weight is negative, a distance overflows its type,
/// or the progress callback ended the search.
///
/// ```
/// use graph_formats::Csr;
/// use sssp::nearest_sources;
///
/// let graph = Csr::from_edges(4, &[(0, 1, 2u32), (1, 2, 2), (2, 3, 1)])?;
/// let nearest = nearest_sources(&graph, &[3, 0], None)?;
/// assert_eq!((nearest.source_of(1), nearest.distance(1)), (Some(0), Some(2)));
/// assert_eq!((nearest.source_of(2), nearest.distance(2)), (Some(3), Some(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn nearest_sources<W: Weight>(
    graph: &Csr<W>,
    sources: &[VertexId],
    progress: Option<Progress<'_>>,
) -> Result<Nearest<W>, SsspError> {
    check_vertices(graph, "source", sources)?;
    if let Some((arc, from, to)) = graph.first_negative() {
        let weight = graph.weights()[arc].to_string();
        return Err(SsspError::NegativeWeight { algorithm: "dijkstra", from, to, weight });
    }
    nearest::solve(graph, sources, progress)
}

/// A table of zeros, if there is memory for it: the system gives it out when it is first
/// touched, by the thread that fills a row.
fn empty_table<W: Weight>(
    sources: usize,
    targets: usize,
) -> Result<Array2<W::Distance>, SsspError> {
    let bytes = sources as u128 * targets as u128 * size_of::<W::Distance>() as u128;
    let too_large = || SsspError::TableTooLarge { sources, targets, bytes };
    let n_cells = sources.checked_mul(targets).ok_or_else(too_large)?;
    Vec::<W::Distance>::new().try_reserve_exact(n_cells).map_err(|_| too_large())?;
    let cells = vec![W::Distance::ZERO; n_cells];
    Array2::from_shape_vec((sources, targets), cells).map_err(|_| too_large())
}

/// What each of so many searches that run side by side is solved with: by a team of threads
/// where there are enough for each, and that is faster.
fn plan_of_many<W: Weight>(
    graph: &Csr<W>,
    config: &Config,
    n_sources: usize,
) -> Result<(Plan, Chosen), SsspError> {
    let most = config.n_threads() / config.n_threads().min(n_sources).max(1);
    let threads = match config.team {
        Team::WhereItPays if most > 1 => cost::team_for(&Outline::of(graph), most),
        _ => most,
    };
    let (threads, expected_searches) = (NonZeroUsize::new(threads), NonZeroUsize::new(n_sources));
    let config = Config { threads, expected_searches, ..config.clone() };
    let planned = Plan::on_cpu(graph, &config)?;
    if config.algorithm.is_none()
        && matches!(planned.1, Chosen::DeltaStepping { .. })
        && let Some(greatest) = graph.weight_summary().greatest.to_i128()
        && cost::is_for_dial(graph.n_vertices(), graph.n_arcs(), greatest)
    {
        let dijkstra = Config { algorithm: Some(Algorithm::Dijkstra(None)), ..config };
        let (mut plan, chosen) = Plan::on_cpu(graph, &dijkstra)?;
        if chosen == Chosen::Dijkstra(Queue::Dial) {
            plan.reason = "vertices have few arcs, and searches run side by side".to_owned();
            return Ok((plan, chosen));
        }
    }
    Ok(planned)
}

impl Plan {
    /// What [`distance_table`] decides for each of so many sources. O(n + m).
    ///
    /// # Errors
    /// As [`Solver::new`].
    pub fn of_table<W: Weight>(
        graph: &Csr<W>,
        n_sources: usize,
        config: &Config,
    ) -> Result<Self, SsspError> {
        Ok(plan_of_many(graph, config, n_sources)?.0)
    }
}

fn fill<W: Weight>(
    solver: &mut Solver<'_, W>,
    source: VertexId,
    targets: &[VertexId],
    row: &mut ArrayViewMut1<'_, W::Distance>,
) -> Result<(), SsspError> {
    if targets.is_empty() {
        return Ok(());
    }
    let awaited = awaited(targets, solver.graph.n_vertices());
    let limit = W::Distance::UNREACHED;
    let (distances, _) =
        solver.answer(&Query { source, targets: awaited, limit, progress: None })?;
    for (cell, &target) in row.iter_mut().zip(targets) {
        *cell = distances.as_storage()[target as usize];
    }
    Ok(())
}

/// The rows that threads still have to fill.
struct Rows<'a, I> {
    left: Mutex<I>,
    done: AtomicU64,
    total: u64,
    failed: AtomicBool,
    error: Mutex<Option<SsspError>>,
    progress: Option<Progress<'a>>,
}

impl<I: Iterator> Rows<'_, I> {
    /// The next row; none after a failure.
    fn next(&self) -> Option<I::Item> {
        if self.failed.load(Relaxed) {
            return None;
        }
        self.left.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    /// Counts a row that was filled, or keeps the error.
    fn settle(&self, filled: Result<(), SsspError>) {
        let done = self.done.fetch_add(1, Relaxed) + 1;
        let told = match self.progress {
            Some(progress) if progress(done, self.total).is_break() => Err(SsspError::Interrupted),
            _ => Ok(()),
        };
        if let Err(error) = filled.and(told) {
            self.failed.store(true, Relaxed);
            let mut slot = self.error.lock().unwrap_or_else(PoisonError::into_inner);
            slot.get_or_insert(error);
        }
    }
}
