//! One graph, many searches.

use std::num::NonZeroUsize;
use std::slice;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use gpu_runtime::Gpu;
use graph_formats::{Csr, Distance, VertexId, Weight, ensure_granted};
use paths::{Distances, Tree};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::cpu::{self, Prepared};
use crate::k_paths::Reversed;
use crate::query::{Query, check_overflow_to, check_vertices};
use crate::search::Search;
use crate::weights::SearchWeight;
use crate::{Config, DeviceTimes, Found, Goal, Plan, Progress, SsspError, Work, gpu, predecessors};

/// Bytes of an answer, a vertex, while it is made: two of distances, and the predecessor.
const BYTES_OF_TREE: usize = 20;

/// Searches a graph from one source after another, in the same work space.
///
/// ```
/// use graph_formats::Csr;
/// use sssp::{Config, Goal, Solver};
///
/// let graph = Csr::from_arcs(4, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9), (2, 3, 1)])?;
/// let mut solver = Solver::new(&graph, &Config::default())?;
/// let tree = solver.tree(0, Goal::All)?;
/// assert_eq!(tree.distance(3), Some(8));
/// assert_eq!(tree.path_to(3), Some(vec![0, 1, 2, 3]));
/// assert_eq!(solver.distances(1, Goal::All)?.get(0), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solver<'g, W: Weight> {
    pub(crate) graph: &'g Csr<W>,
    pub(crate) plan: Plan,
    pub(crate) search: Box<dyn Search<W> + 'g>,
    preparation: Option<DeviceTimes>,
    /// The GPUs that it is on, of which the first makes all searches that are no table's.
    pub(crate) gpus: Vec<Gpu>,
    /// The searches on the others.
    pub(crate) others: Vec<Box<dyn Search<W> + 'g>>,
    /// What to solve with on the CPU; `None` on a GPU.
    pub(crate) cpu: Option<Config>,
    pub(crate) prepared: Prepared<W>,
    pub(crate) progress: Option<Progress<'g>>,
    /// The threads of [`in_own_pool`]; empty where the system refuses one.
    pub(crate) pool: OnceLock<Option<ThreadPool>>,
    /// The graph transposed, once paths were asked for and where it is directed.
    pub(crate) reversed: Option<Reversed<W>>,
}

impl<'g, W: SearchWeight> Solver<'g, W> {
    /// Chooses how to search `graph` and makes the work space: some 12 to 24 bytes a
    /// vertex, and the queues: empty, up to 200 kB a thread for Δ-stepping, and for Dial's
    /// four bytes a unit of the largest weight. For Δ-stepping on a dense undirected graph
    /// also a copy of its short arcs, a sixth of all where weights are spread evenly; for
    /// breadth-first search on a dense directed graph all its arcs turned round, four bytes each,
    /// where [`Config::expected_searches`] make up for it.
    /// O(n + m).
    ///
    /// # Errors
    /// When the configuration does not fit the graph: negative weights for an algorithm
    /// that does not take them, a bad Δ, a queue for other weights. Where the system refuses the
    /// memory; queues that outgrow it end the program.
    pub fn new(graph: &'g Csr<W>, config: &Config) -> Result<Self, SsspError> {
        W::solver_on_cpu(graph, config)
    }

    /// The same on a GPU: uploads the graph, of fewer than 2^32 arcs. Δ-stepping takes weights
    /// of every type that are not negative; the forms of Bellman-Ford those of type `u32`, `i32`,
    /// `f32` and `f64` of any sign; all others those of 32 bits, or integers that fit, none
    /// negative.
    ///
    /// Where no algorithm is named it is Δ-stepping, or where weights are negative a form of
    /// Bellman-Ford. Where [`Config::expected_searches`] make up for it,
    /// some are tried first, for which the graph is uploaded a few times over.
    ///
    /// # Errors
    /// As [`Solver::new`]; [`SsspError::NotOnGpu`] for what only the CPU can solve, and
    /// [`SsspError::Gpu`] where the device fails or has too little memory.
    ///
    /// ```no_run
    /// use gpu_runtime::Gpu;
    /// use graph_formats::Csr;
    /// use sssp::{Goal, Solver, gpu};
    ///
    /// let graph = Csr::from_edges(3, &[(0, 1, 5u32), (1, 2, 2)])?;
    /// let mut solver = Solver::on_gpu(&Gpu::open()?, &graph, &gpu::Config::default())?;
    /// assert_eq!(solver.distances(0, Goal::All)?.get(2), Some(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_gpu(gpu: &Gpu, graph: &'g Csr<W>, config: &gpu::Config) -> Result<Self, SsspError> {
        Self::on_gpus(slice::from_ref(gpu), graph, config)
    }

    /// The same on several GPUs of this machine, each of which gets the graph. They share the
    /// sources of a [table](Self::table), which is the one that any of them would find alone; all
    /// other searches are the first one's.
    ///
    /// # Errors
    /// As [`Solver::on_gpu`], and [`SsspError::NotOnGpu`] where none is given.
    pub fn on_gpus(
        gpus: &[Gpu],
        graph: &'g Csr<W>,
        config: &gpu::Config,
    ) -> Result<Self, SsspError> {
        W::solver_on_gpus(gpus, graph, config)
    }

    /// The GPUs that it is on; none on the CPU.
    pub fn gpus(&self) -> &[Gpu] {
        &self.gpus
    }

    /// What making the solver took on the device, if it is on one.
    pub fn preparation(&self) -> Option<DeviceTimes> {
        self.preparation
    }

    /// This solver, which tells `progress` from now on how far a search is.
    pub fn with_progress(mut self, progress: Progress<'g>) -> Self {
        self.progress = Some(progress);
        self
    }

    /// What was chosen for single searches, and why.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The distances from `source`, as far as `goal` asks.
    ///
    /// The same on every run, with every algorithm and any number of threads; floats
    /// too, for each path is summed from its source on.
    ///
    /// # Errors
    /// When a vertex does not exist, a distance overflows its type, a negative cycle
    /// can be reached, the system refuses the memory, or the progress callback ended the search.
    pub fn distances(
        &mut self,
        source: VertexId,
        goal: Goal<W::Distance>,
    ) -> Result<Found<Distances<W::Distance>>, SsspError> {
        W::distances(self, source, goal)
    }

    /// The distances from `source` and the paths that have them; predecessors take a
    /// second pass, [`predecessors`](crate::predecessors()), on the GPU where that is where
    /// the distances are.
    ///
    /// # Errors
    /// As [`Solver::distances`].
    pub fn tree(
        &mut self,
        source: VertexId,
        goal: Goal<W::Distance>,
    ) -> Result<Found<Tree<W>>, SsspError> {
        W::tree(self, source, goal)
    }
}

impl<'g, W: SearchWeight> Solver<'g, W> {
    pub(crate) fn on_cpu(graph: &'g Csr<W>, config: &Config) -> Result<Self, SsspError> {
        let (plan, chosen) = Plan::on_cpu(graph, config)?;
        let prepared = cpu::prepare(graph, chosen);
        let search = cpu::search(graph, chosen, plan.narrow, prepared.clone());
        let cpu = Some(config.clone());
        Ok(Self { cpu, prepared, ..Self::with_search(graph, plan, search) })
    }

    pub(crate) fn on_all(
        gpus: &[Gpu],
        graph: &'g Csr<W>,
        config: &gpu::Config,
    ) -> Result<Self, SsspError> {
        // a build without the feature has no GPUs, and need not generate what searches on them
        if gpus.is_empty() || !cfg!(feature = "cuda") {
            return Err(SsspError::NotOnGpu { reason: "none was named".to_owned() });
        }
        let (plan, search, others) = gpu::searches(gpus, graph, config)?;
        let gpus = gpus.to_vec();
        Ok(Self { gpus, others, ..Self::with_search(graph, plan, search) })
    }

    fn with_search(graph: &'g Csr<W>, plan: Plan, search: Box<dyn Search<W> + 'g>) -> Self {
        Self {
            graph,
            plan,
            preparation: search.device_times().map(DeviceTimes::without_search),
            search,
            gpus: Vec::new(),
            others: Vec::new(),
            cpu: None,
            prepared: Prepared::Nothing,
            progress: None,
            pool: OnceLock::new(),
            reversed: None,
        }
    }

    /// What a single search found, and what it took.
    pub(crate) fn found<T>(&self, answer: T, work: Work) -> Found<T> {
        let device_times = self.search.device_times();
        Found { device_times, ..self.found_elsewhere(answer, work) }
    }

    /// What was found without the device, whose times are those of another call.
    pub(crate) fn found_elsewhere<T>(&self, answer: T, work: Work) -> Found<T> {
        let device_times = self.preparation;
        let (plan, predecessors_time) = (self.plan.clone(), Duration::ZERO);
        Found { answer, plan, work, device_times, predecessors_time }
    }

    pub(crate) fn find_distances(
        &mut self,
        source: VertexId,
        goal: Goal<W::Distance>,
    ) -> Result<Found<Distances<W::Distance>>, SsspError> {
        Ok(self.limited(source, goal)?.map(|(distances, _)| distances))
    }

    pub(crate) fn find_tree(
        &mut self,
        source: VertexId,
        goal: Goal<W::Distance>,
    ) -> Result<Found<Tree<W>>, SsspError> {
        let found = self.limited(source, goal)?;
        let (distances, limit) = &found.answer;
        let start = Instant::now();
        let limit_of_tree = limit.unwrap_or(W::Distance::UNREACHED);
        let has_own_threads = self.search.has_own_threads();
        let search = &mut self.search;
        let mut ask = || match distances.get(source) {
            Some(_) => search.predecessors(source, limit_of_tree),
            // a cutoff below zero leaves out the source itself, and there was no search
            None => Ok(None),
        };
        let known = match has_own_threads {
            true => ask(),
            false => in_own_pool(&self.cpu, &self.pool, ask),
        };
        let known = known.map_err(|error| error.named(&self.gpus))?;
        let from_distances = || predecessors::from_distances(self.graph, source, distances);
        let predecessors =
            known.unwrap_or_else(|| in_own_pool(&self.cpu, &self.pool, from_distances));
        let predecessors_time = start.elapsed();
        let tree = |(distances, limit)| Tree { source, limit, predecessors, distances };
        Ok(Found { predecessors_time, ..found.map(tree) })
    }

    /// The distances that `goal` asks for, and the limit that it comes to.
    fn limited(
        &mut self,
        source: VertexId,
        goal: Goal<W::Distance>,
    ) -> Result<Found<Limited<W>>, SsspError> {
        let progress = self.progress;
        let all = Query { source, targets: &[], limit: W::Distance::UNREACHED, progress };
        match goal {
            Goal::All => self.answer(&all),
            Goal::Target(target) => self.answer(&Query { targets: &[target], ..all }),
            Goal::Within(limit) => self.answer(&Query { limit, ..all }),
        }
    }

    /// The distances of all vertices no farther than the limit of `query`, or than the farthest
    /// of its targets if there are any and all can be reached.
    fn answer(&mut self, query: &Query<'_, W::Distance>) -> Result<Found<Limited<W>>, SsspError> {
        let &Query { source, targets, limit, .. } = query;
        check_vertices(self.graph, "source", &[source])?;
        check_vertices(self.graph, "target", targets)?;
        // NaN compares with nothing
        if limit.partial_cmp(&W::Distance::ZERO).is_none() {
            return Err(SsspError::BadCutoff(limit.to_string()));
        }
        ensure_granted(BYTES_OF_TREE * self.graph.n_vertices())?;
        // nothing lies beyond the greatest of all, so that what overflows is no farther
        let mut limit = Some(limit).filter(|&limit| limit < W::Distance::UNREACHED);
        if let (Some((arc, from, to)), Some(_)) = (self.plan.negative, limit) {
            let weight = self.graph.weights()[arc].to_string();
            return Err(SsspError::CutoffWithNegativeWeight { from, to, weight });
        }
        if limit.is_some_and(|limit| limit < W::Distance::ZERO) {
            let nothing = vec![W::Distance::UNREACHED; self.graph.n_vertices()];
            let nothing = Distances::from_storage(nothing);
            return Ok(self.found_elsewhere((nothing, limit), Work::default()));
        }
        // a zero may have a sign, which keys tell apart
        let zero = query.limit == W::Distance::ZERO;
        let query = query.with_limit(if zero { W::Distance::ZERO } else { query.limit });
        let found = self.search.search(&query);
        let (distances, work) = found.map_err(|error| error.named(&self.gpus))?;
        let distances = Distances::from_storage(distances);
        if limit.is_none() && self.plan.negative.is_none() {
            let of_targets = targets.iter().map(|&target| distances.get(target));
            limit = of_targets.reduce(|a, b| Some(if a? < b? { b? } else { a? })).flatten();
        }
        let distances = match limit {
            Some(limit) => distances.within(limit),
            None => {
                if !self.plan.bounded {
                    check_overflow_to(self.graph, &distances, source, targets)?;
                }
                distances
            }
        };
        Ok(self.found((distances, limit), work))
    }
}

/// Distances, and the greatest that was asked for if not all were.
type Limited<W> = (Distances<<W as Weight>::Distance>, Option<<W as Weight>::Distance>);

/// The tree of shortest paths from `source`: a [`Solver`] for one search.
///
/// # Errors
/// As [`Solver::new`] and [`Solver::distances`].
///
/// ```
/// use graph_formats::Csr;
/// use sssp::{Algorithm, Config, shortest_paths};
///
/// // an arc may take away what another cost
/// let graph = Csr::from_arcs(3, &[(0, 1, 4i32), (0, 2, 3), (2, 1, -2)])?;
/// let tree = shortest_paths(&graph, 0, &Config::with(Algorithm::BellmanFord))?;
/// assert_eq!(tree.path_to(1), Some(vec![0, 2, 1]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn shortest_paths<W: SearchWeight>(
    graph: &Csr<W>,
    source: VertexId,
    config: &Config,
) -> Result<Tree<W>, SsspError> {
    Ok(Solver::new(graph, config)?.tree(source, Goal::All)?.answer)
}

/// Does what needs no answers from other threads, so that it may wait in a pool: one of as many
/// threads as are asked for on the CPU, where rayon's are more or fewer.
pub(crate) fn in_own_pool<T: Send>(
    config: &Option<Config>,
    pool: &OnceLock<Option<ThreadPool>>,
    work: impl FnOnce() -> T + Send,
) -> T {
    let n = config.as_ref().and_then(|config| config.threads).map(NonZeroUsize::get);
    let build = |n| ThreadPoolBuilder::new().num_threads(n).build().ok();
    match n.filter(|&n| n != rayon::current_num_threads()) {
        Some(n) => match pool.get_or_init(|| build(n)) {
            Some(pool) => pool.install(work),
            None => work(),
        },
        None => work(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Answer;

    /// A device that makes single searches, and nothing else.
    struct Device {
        solve_ms: f64,
    }

    impl Search<i32> for Device {
        fn search(&mut self, _query: &Query<'_, i64>) -> Result<Answer<i32>, SsspError> {
            self.solve_ms = 2.0;
            Ok((vec![0, 5, 12], Work::default()))
        }

        fn device_times(&self) -> Option<DeviceTimes> {
            let Self { solve_ms } = *self;
            Some(DeviceTimes { upload_ms: 1.0, solve_ms, ..DeviceTimes::default() })
        }
    }

    #[test]
    fn what_takes_no_search_on_the_device_has_no_times_of_one() {
        let graph = Csr::from_arcs(3, &[(0, 1, 5i32), (1, 2, 7)]).unwrap();
        let plan = Plan::of(&graph, "crauser", false, String::new()).unwrap();
        let mut solver = Solver::with_search(&graph, plan, Box::new(Device { solve_ms: 0.0 }));
        let preparation = solver.preparation();
        assert_eq!(preparation.unwrap().upload_ms, 1.0);
        for goal in [Goal::All, Goal::Target(1), Goal::Within(0)] {
            assert_eq!(solver.tree(0, goal).unwrap().device_times.unwrap().solve_ms, 2.0);
        }
        assert_eq!(solver.tree(0, Goal::Within(-1)).unwrap().device_times, preparation);
        assert_eq!(solver.table(&[], &[0]).unwrap().device_times, preparation);
        assert_eq!(solver.nearest(&[0]).unwrap().device_times, preparation);
        assert_eq!(solver.hop_sums(&[0]).unwrap().device_times, preparation);
        assert_eq!(solver.k_shortest_paths(0, 2, 1).unwrap().device_times, preparation);
        assert_eq!(solver.preparation(), preparation);
    }
}
