//! Questions about many sources at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use graph_formats::{Csr, Distance, VertexId, Weight, ensure_granted, parallel};
use ndarray::Array2;
use paths::{DistanceTable, Distances, Nearest};

use crate::cpu::bit_parallel::{self, Searches};
use crate::cpu::threads::EndsOnPanic;
use crate::cpu::{self, Chosen, Prepared, nearest};
use crate::level_distances::LevelDistances;
use crate::outline::Outline;
use crate::query::{Query, awaited, check_overflow, check_overflow_to, check_vertices};
use crate::search::Search;
use crate::solver::in_own_pool;
use crate::weights::SearchWeight;
use crate::{Config, Found, Plan, Progress, Solver, SsspError, Work};

/// Vertices and arcs of all searches together for which another thread is woken, unless threads
/// are asked for.
const STEPS_A_WORKER: usize = 1 << 15;

impl<W: SearchWeight> Solver<'_, W> {
    /// The distances from each of `sources` to each of `targets`; a row a source, in the
    /// order given.
    ///
    /// Many searches run at once: on the CPU one a thread, which share what is prepared for the
    /// graph; on a GPU with Δ-stepping each on a part of the multiprocessors, and on [several
    /// GPUs](Self::on_gpus) a share on each. What was chosen for them is in [`Found::plan`]. A
    /// search may end when all targets are settled.
    /// O(s·(n + m)), and O(s·t) memory for the table, besides up to 24 bytes a vertex for each
    /// thread; of a GPU's up to 44 bytes a vertex and half a byte an arc for each search at once.
    ///
    /// # Errors
    /// As [`Solver::distances`], of any of the searches, and [`SsspError::TableTooLarge`].
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use sssp::{Config, Solver};
    ///
    /// let graph = Csr::from_arcs(4, &[(0, 1, 5u32), (1, 2, 2), (2, 0, 4)])?;
    /// let table = Solver::new(&graph, &Config::default())?.table(&[0, 2], &[1, 2, 3])?;
    /// assert_eq!(table.row(0).collect::<Vec<_>>(), [Some(5), Some(7), None]);
    /// assert_eq!(table.row(1).collect::<Vec<_>>(), [Some(9), Some(0), None]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
    ) -> Result<Found<DistanceTable<W>>, SsspError> {
        W::table(self, sources, targets)
    }

    /// For every vertex, which of `sources` is nearest, and how far it is. Of several that
    /// are equally near it is the smallest.
    ///
    /// One search from all of them. On a GPU with Δ-stepping, and then from its distances a pass of
    /// as many rounds as a path has arcs: O(n + m) where few vertices have ties. Otherwise
    /// Dijkstra's algorithm on one thread of the CPU: O((n + m) log n) for however many sources, and
    /// 16 to 24 bytes a vertex.
    ///
    /// # Errors
    /// When a source does not exist, a weight is negative, a distance overflows its type, the
    /// device fails, the system refuses the memory, or the progress callback ended the search.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use sssp::{Config, Solver};
    ///
    /// let graph = Csr::from_edges(4, &[(0, 1, 2u32), (1, 2, 2), (2, 3, 1)])?;
    /// let nearest = Solver::new(&graph, &Config::default())?.nearest(&[3, 0])?;
    /// assert_eq!((nearest.source_of(1), nearest.distance(1)), (Some(0), Some(2)));
    /// assert_eq!((nearest.source_of(2), nearest.distance(2)), (Some(3), Some(1)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nearest(&mut self, sources: &[VertexId]) -> Result<Found<Nearest<W>>, SsspError> {
        W::nearest(self, sources)
    }
}

impl<W: SearchWeight> Solver<'_, W> {
    pub(crate) fn find_table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
    ) -> Result<Found<DistanceTable<W>>, SsspError> {
        check_vertices(self.graph, "source", sources)?;
        check_vertices(self.graph, "target", targets)?;
        let mut table = empty_table::<W::Distance>(sources.len(), targets.len())?;
        let cells = table.as_slice_mut().unwrap_or_default();
        let found = match self.cpu.clone() {
            _ if cells.is_empty() => self.found_elsewhere((), Work::default()),
            Some(config) => self.fill_on_cpu(&config, sources, targets, cells)?,
            None => self.fill_on_gpus(sources, targets, cells)?,
        };
        Ok(found.map(|()| DistanceTable::from_storage(table)))
    }

    pub(crate) fn find_nearest(
        &mut self,
        sources: &[VertexId],
    ) -> Result<Found<Nearest<W>>, SsspError> {
        check_vertices(self.graph, "source", sources)?;
        if let Some((arc, from, to)) = self.graph.first_negative() {
            let weight = self.graph.weights()[arc].to_string();
            return Err(SsspError::NegativeWeight { algorithm: "dijkstra", from, to, weight });
        }
        let found = self.search.nearest(sources, self.progress);
        match found.map_err(|error| error.named(&self.gpus))? {
            Some(((distances, work), owners)) => {
                let distances = Distances::from_storage(distances);
                check_overflow(self.graph, &distances)?;
                Ok(self.found(Nearest::from_storage(distances, owners), work))
            }
            None => {
                ensure_granted(nearest::BYTES_OF_VERTEX * self.graph.n_vertices())?;
                let nearest = nearest::solve(self.graph, sources, self.progress)?;
                Ok(self.found_elsewhere(nearest, Work::default()))
            }
        }
    }

    /// Fills the rows, of one cell at least, by threads that take one after the other.
    fn fill_on_cpu(
        &mut self,
        config: &Config,
        sources: &[VertexId],
        targets: &[VertexId],
        cells: &mut [W::Distance],
    ) -> Result<Found<()>, SsspError> {
        let (graph, progress) = (self.graph, self.progress);
        let (mut plan, chosen) = Plan::for_table(graph, config, sources.len())?;
        if matches!(chosen, Chosen::BreadthFirst { .. })
            && bit_parallel::pays(&Outline::of(graph), sources.len())
        {
            let threads = config.n_threads();
            let is_held = in_own_pool(&self.cpu, &self.pool, || {
                let searches = Searches::new(graph, sources.len(), threads, progress);
                searches.rows(LevelDistances::of(graph), sources, targets, cells)
            });
            if is_held? {
                plan.reason += ", and searches go on together, a bit each";
                plan.threads = threads;
                return Ok(Found { plan, ..self.found((), Work::default()) });
            }
        }
        if let Prepared::Nothing = self.prepared {
            self.prepared = cpu::prepare(graph, chosen);
        }
        let n_workers = n_workers(config, graph, sources.len());
        ensure_granted(n_workers.saturating_mul(chosen.bytes_for(graph)))?;
        let rows = sources.iter().zip(cells.chunks_exact_mut(targets.len()));
        let rows = Rows::new(rows, sources.len(), progress);
        let prepared = &self.prepared;
        let fill = |_| {
            let _ends = EndsOnPanic(&rows.failed);
            // made by the thread that has it in its caches
            let mut search = cpu::search(graph, chosen, plan.narrow, prepared.clone());
            let mut work = Work::default();
            while let Some((&source, row)) = rows.next() {
                let filled = fill_row(graph, &plan, &mut *search, source, targets, row);
                rows.settle(filled.map(|row| work.add(&row)));
            }
            work
        };
        let fill_all = || parallel::map(n_workers, &fill);
        let works = in_own_pool(&self.cpu, &self.pool, fill_all);
        rows.result()?;
        let mut work = Work::default();
        works.iter().for_each(|part| work.add(part));
        Ok(Found { plan, ..self.found((), work) })
    }
}

/// Fills a row of a table, of one cell at least.
pub(crate) fn fill_row<W: Weight>(
    graph: &Csr<W>,
    plan: &Plan,
    search: &mut dyn Search<W>,
    source: VertexId,
    targets: &[VertexId],
    row: &mut [W::Distance],
) -> Result<Work, SsspError> {
    if let Some(work) = search.row(source, targets, row)? {
        return Ok(work);
    }
    let awaited = awaited(targets, graph.n_vertices());
    let limit = W::Distance::UNREACHED;
    let query = Query { source, targets: awaited, limit, progress: None };
    let (distances, work) = search.search(&query)?;
    for (cell, &target) in row.iter_mut().zip(targets) {
        *cell = distances[target as usize];
    }
    // where no weight is negative, a distance hangs on none that is greater
    if !plan.bounded && (plan.negative.is_some() || row.contains(&W::Distance::UNREACHED)) {
        check_overflow_to(graph, &Distances::from_storage(distances), source, targets)?;
    }
    Ok(work)
}

/// As many threads as so many searches are worth.
pub(crate) fn n_workers<W: Weight>(config: &Config, graph: &Csr<W>, n_searches: usize) -> usize {
    let steps = n_searches.saturating_mul(graph.n_vertices() + graph.n_arcs());
    let worth_waking = match config.threads {
        Some(threads) => threads.get(),
        None => config.n_threads().min(1 + steps / STEPS_A_WORKER),
    };
    worth_waking.min(n_searches)
}

/// A table of zeros, if there is memory for it: the system gives it out when it is first
/// touched, by the thread that fills a row.
pub(crate) fn empty_table<T: Weight>(
    sources: usize,
    targets: usize,
) -> Result<Array2<T>, SsspError> {
    ensure_memory(sources, targets, size_of::<T>())?;
    Ok(Array2::from_elem((sources, targets), T::ZERO))
}

/// An error where memory has no place for a table of cells of so many bytes.
pub(crate) fn ensure_memory(sources: usize, targets: usize, cell: usize) -> Result<(), SsspError> {
    let bytes = sources as u128 * targets as u128 * cell as u128;
    let too_large = || SsspError::TableTooLarge { sources, targets, bytes };
    let whole = usize::try_from(bytes).map_err(|_| too_large())?;
    Vec::<u8>::new().try_reserve_exact(whole).map_err(|_| too_large())
}

/// The rows that threads still have to fill.
pub(crate) struct Rows<'a, I> {
    left: Mutex<I>,
    done: AtomicU64,
    total: u64,
    failed: AtomicBool,
    error: Mutex<Option<SsspError>>,
    progress: Option<Progress<'a>>,
}

impl<'a, I: Iterator> Rows<'a, I> {
    /// These, so many.
    pub(crate) fn new(rows: I, n_rows: usize, progress: Option<Progress<'a>>) -> Self {
        Self {
            left: Mutex::new(rows),
            done: AtomicU64::new(0),
            total: n_rows as u64,
            failed: AtomicBool::new(false),
            error: Mutex::new(None),
            progress,
        }
    }

    /// The error, if there was one.
    pub(crate) fn result(self) -> Result<(), SsspError> {
        self.error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// The next row; none after a failure.
    pub(crate) fn next(&self) -> Option<I::Item> {
        if self.failed.load(Relaxed) {
            return None;
        }
        self.left.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    /// Counts a row that was filled, or keeps the error.
    pub(crate) fn settle(&self, filled: Result<(), SsspError>) {
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
