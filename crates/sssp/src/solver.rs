//! The interface of a [`Solver`], and the methods for which its code is generated.
//!
//! The compiler generates a generic function in every crate that calls it with a type, but the
//! methods behind a `dyn` pointer where the pointer is made. [`SearchWeight::generated`] makes it
//! here, once for each of the six types, and all dependent crates link to that code. The public
//! generic functions only call the methods of [`Generated`]. A new generic function with a loop
//! must be called through a method there.
//!
//! The way of a search, and the files of this crate that have it:
//!
//! ```text
//! Solver::tree → Generated::tree → Solver::answer → Device::search   solver.rs, solver/
//!   within a limit or to one target first: NearSearch::search        cpu/near.rs
//!   on the CPU: Search::run                                          search.rs
//!     OnKeys: Dijkstra                                               cpu/key_search.rs, cpu/dijkstra.rs
//!       or DeltaStepping::solve → settle_buckets → settle_all
//!         → relax, relax_if; relax_deferred, pull_to                 cpu/delta_stepping/
//!     ByLevels → breadth_first::BreadthFirst::run                    cpu/breadth_first.rs
//!     BellmanFord, QueuedBellmanFord                                 cpu/bellman_ford*.rs
//!     then Search::distances, predecessors                           predecessors.rs
//!   on a GPU: OnGpus → OnGpu (no answer: the CPU's Search)           gpu/several.rs, gpu/on_gpu.rs
//!     DeviceSearch::search                                           search-parts, device/search.rs
//!       by ByLevelsOnGpu, DeltaSteppingOnGpu, QueueOnGpu             gpu/
//!       or a form of published; the CPU waits for the Launch         search-parts, launch.rs
//!     then distances, DeviceSearch::predecessors                     search-parts, device/
//! ```

mod core;
mod generated;
mod rows;
mod table;

use std::slice;

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId};
use paths::{DistanceTable, Distances, Nearest, Predecessors, Progress, Tree, Within};

use self::core::Device;
pub use self::core::Solver;
use self::generated::{Answer, Generated};
use crate::found::Found;
use crate::gpu::{self, Arrays, DeviceSolver};
use crate::weights::SearchKeys;
use crate::{Aggregate, Config, Goal, Path, Plan, Points, SsspError};

impl<'g, W: SearchWeight> Solver<'g, W> {
    /// Chooses the algorithm for `graph` and makes the work space. It takes 12 to 24 bytes a
    /// vertex, besides the queues: for Δ-stepping up to 200 kB a thread while they are empty, for
    /// Dial's queue four bytes a unit of the largest weight. With enough
    /// [`Config::expected_searches`], Δ-stepping on a dense undirected graph has a copy of its
    /// short arcs, a sixth of all arcs if weights are uniform. Breadth-first search on a dense
    /// directed graph then has the transposed graph, four bytes an arc. O(n + m).
    ///
    /// # Errors
    /// If the configuration does not fit the graph: negative weights for an algorithm that does
    /// not admit them, a bad Δ, a queue for other weights. If the system refuses the memory; but a
    /// queue that outgrows the memory ends the program.
    pub fn new(graph: &'g Csr<W>, config: &Config) -> Result<Self, SsspError> {
        W::generated().on_cpu(graph, config)
    }

    /// The same on a GPU: uploads the graph, of fewer than 2^32 arcs. Δ-stepping takes nonnegative
    /// weights of every type. The forms of Bellman-Ford take `u32`, `i32`, `f32` and `f64` of any
    /// sign. All others take nonnegative weights of 32 bits, or integers that fit 32 bits.
    ///
    /// The default is Δ-stepping, or with negative weights a form of Bellman-Ford, or with equal
    /// weights breadth-first search. With enough [`Config::expected_searches`], several algorithms
    /// are tried first, for which the graph is uploaded several times.
    ///
    /// # Errors
    /// As [`Solver::new`]; [`SsspError::NotOnGpu`] for a graph that only the CPU can search, and
    /// [`SsspError::Gpu`] if the device fails or has too little memory.
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

    /// The same on several GPUs of this machine, each of which has the graph. They share the
    /// sources of a [table](Self::table), which is the same as with one GPU. All other searches run
    /// on the first GPU.
    ///
    /// # Errors
    /// As [`Solver::on_gpu`], and [`SsspError::NotOnGpu`] without a GPU.
    pub fn on_gpus(
        gpus: &[Gpu],
        graph: &'g Csr<W>,
        config: &gpu::Config,
    ) -> Result<Self, SsspError> {
        W::generated().on_gpus(gpus, graph, config)
    }

    /// The GPUs of the solver; none for the CPU.
    pub(crate) fn gpus(&self) -> &[Gpu] {
        match &self.device {
            Device::Cpu(_) => &[],
            Device::Gpus(on_gpus) => &on_gpus.gpus,
        }
    }

    /// This solver with a progress callback.
    pub fn with_progress(mut self, progress: Progress<'g>) -> Self {
        self.progress = Some(progress);
        self
    }

    /// This solver with a cutoff. All its results leave out what is farther: vertices, cells of
    /// tables, and paths. A search takes the time of what lies within.
    ///
    /// # Errors
    /// [`SsspError::BadCutoff`] for NaN, and [`SsspError::NegativeWeight`] if a weight is negative:
    /// a path may then return from beyond any cutoff.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use sssp::{Config, Solver};
    ///
    /// let graph = Csr::from_edges(4, &[(0, 1, 5u32), (1, 2, 2), (2, 3, 4)])?;
    /// let mut solver = Solver::new(&graph, &Config::default())?.with_cutoff(6)?;
    /// let table = solver.table(&[0, 3], &[1, 2])?;
    /// assert_eq!(table.row(0).collect::<Vec<_>>(), [Some(5), None]);
    /// assert_eq!(table.row(1).collect::<Vec<_>>(), [Some(6), Some(4)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_cutoff(mut self, cutoff: W::Distance) -> Result<Self, SsspError> {
        self.cutoff_at(cutoff)?;
        Ok(self)
    }

    /// Sets the cutoff.
    pub(crate) fn cutoff_at(&mut self, cutoff: W::Distance) -> Result<(), SsspError> {
        self.cutoff = self.checked_limit(cutoff)?;
        Ok(())
    }

    /// The plan for single searches.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The distances from `source` within `goal`.
    ///
    /// They are the same in every run, with every algorithm and any number of threads; floats too,
    /// since each path is summed from its source.
    ///
    /// # Errors
    /// If a vertex does not exist, a distance overflows its type, a negative cycle is reachable,
    /// the system refuses the memory, or the progress callback ended the search.
    pub fn distances(
        &mut self,
        source: VertexId,
        goal: Goal<W::Distance>,
    ) -> Result<Found<Distances<W::Distance>>, SsspError> {
        W::generated().distances(self, source, goal)
    }

    /// The shortest-path tree from `source`. Predecessors take a second pass,
    /// [`predecessors`](crate::predecessors()), which runs on the GPU if the search did.
    ///
    /// # Errors
    /// As [`Solver::distances`].
    pub fn tree(
        &mut self,
        source: VertexId,
        goal: Goal<W::Distance>,
    ) -> Result<Found<Tree<W>>, SsspError> {
        W::generated().tree(self, source, goal)
    }

    /// The vertices no farther than `limit` from each of `sources`, with their distances and paths.
    ///
    /// Each search takes O(r log r) time and O(r) memory for r vertices and arcs within the limit.
    /// There is no pass over all vertices, unless r is a large part of the graph. On the CPU many
    /// searches run at once. With an algorithm of the configuration and on a GPU, each search is a
    /// whole [`tree`](Self::tree), of which the rest is left out.
    ///
    /// # Errors
    /// As [`Solver::distances`] for [`Goal::Within`], for any of the searches.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use sssp::{Config, Solver};
    ///
    /// let graph = Csr::from_edges(5, &[(0, 1, 5u32), (1, 2, 2), (2, 3, 4), (3, 4, 1)])?;
    /// let near = Solver::new(&graph, &Config::default())?.within(&[1, 4], 5)?.answer;
    /// assert_eq!(near[0].iter().collect::<Vec<_>>(), [(0, 5), (1, 0), (2, 2)]);
    /// assert_eq!(near[1].path_to(2), Some(vec![4, 3, 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn within(
        &mut self,
        sources: &[VertexId],
        limit: W::Distance,
    ) -> Result<Found<Vec<Within<W>>>, SsspError> {
        W::generated().within(self, sources, limit)
    }

    /// The distances from each of `sources` to each of `targets`; a row for each source, in the
    /// order given.
    ///
    /// Many searches run at once. On the CPU each thread has one, and they share what is prepared
    /// for the graph. On a GPU with Δ-stepping, each search runs on some of the multiprocessors.
    /// [Several GPUs](Self::on_gpus) share the sources. [`Found::plan`] has the plan for the table.
    /// A search may end when all targets are settled. O(s·(n + m)), and O(s·t) memory for the
    /// table. Each thread takes up to 24 bytes a vertex besides; on a GPU, each concurrent search
    /// up to 44 bytes a vertex and half a byte an arc.
    ///
    /// # Errors
    /// As [`Solver::distances`], for any of the searches, and [`SsspError::TableTooLarge`].
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
        W::generated().table(self, sources, targets)
    }

    /// The nearest of `sources` for every vertex, and its distance. Of equally near sources it is
    /// the smallest.
    ///
    /// One search starts from all sources. On a GPU it is Δ-stepping, followed by a pass with as
    /// many rounds as a path has arcs: O(n + m) if few vertices have ties. Otherwise it is
    /// Dijkstra's algorithm on one thread of the CPU: O((n + m) log n) for any number of sources,
    /// and 16 to 24 bytes a vertex.
    ///
    /// # Errors
    /// If a source does not exist, a weight is negative, a distance overflows its type, the
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
        W::generated().nearest(self, sources)
    }

    /// An aggregate of the points within `cutoff` of every vertex. The result has a row for each
    /// vertex with a number for each category, row after row. Where a vertex has no point within
    /// the cutoff, a count and a sum are zero, a mean and a minimum NaN.
    ///
    /// It is a search from each vertex that has points, within the cutoff: O(r log r) for r
    /// vertices and arcs that all these searches reach. On the CPU each thread has a search, and up
    /// to 28 bytes a vertex; a number takes 8 bytes, a mean 16. In a directed graph the transposed
    /// graph is made once a solver for distances to the points. On a GPU the CPU does it.
    ///
    /// Counts are exact below 2^53. All numbers have the same bits with any number of threads.
    /// Distances of floats are summed from the points.
    ///
    /// # Errors
    /// If a point does not exist, a weight is negative, the system refuses the memory, or the
    /// progress callback, which gets the number of searches, ended the work. For points that do not
    /// fit what is asked: [`SsspError::BadAggregate`].
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use sssp::{Aggregate, Config, Decay, Points, Solver, Statistic};
    ///
    /// let graph = Csr::from_edges(4, &[(0, 1, 2u32), (1, 2, 2), (2, 3, 1)])?;
    /// let mut solver = Solver::new(&graph, &Config::default())?;
    /// let shops = Points::at(&[0, 0, 3]);
    /// let count = solver.aggregate(&shops, 3.0, &Aggregate::default())?;
    /// assert_eq!(*count, [2.0, 3.0, 1.0, 1.0]);
    /// let (statistic, decay) = (Statistic::Sum, Decay::Linear);
    /// let wanted = Aggregate { statistic, decay, ..Aggregate::default() };
    /// let sum = solver.aggregate(&Points { values: Some(&[3.0, 6.0, 6.0]), ..shops }, 4.0, &wanted)?;
    /// assert_eq!(*sum, [9.0, 6.0, 4.5, 6.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn aggregate(
        &mut self,
        points: &Points<'_>,
        cutoff: f64,
        aggregate: &Aggregate,
    ) -> Result<Found<Vec<f64>>, SsspError> {
        W::generated().aggregate(self, points, cutoff, aggregate)
    }

    /// The shortest-path trees from each of `sources` within `goal`. The result is a table of
    /// distances, with a row for each source in the order given, and the predecessor of each vertex
    /// in each row, as [`Predecessors`] stores them.
    ///
    /// Each row is a result of [`tree`](Self::tree). On the CPU many searches run at once, one on
    /// each thread; on a GPU one after the other. O(s·(n + m)), and O(s·n) memory besides the work
    /// space of each thread.
    ///
    /// # Errors
    /// As [`Solver::distances`], for any of the searches, and [`SsspError::TableTooLarge`].
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use sssp::{Config, Goal, Solver};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2)])?;
    /// let found = Solver::new(&graph, &Config::default())?.trees(&[0, 1], Goal::All)?;
    /// let (distances, predecessors) = &found.answer;
    /// assert_eq!(distances.row(1).collect::<Vec<_>>(), [None, Some(0), Some(2)]);
    /// assert_eq!(*predecessors, [u32::MAX, 0, 1, u32::MAX, u32::MAX, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn trees(
        &mut self,
        sources: &[VertexId],
        goal: Goal<W::Distance>,
    ) -> Answer<Found<(DistanceTable<W>, Vec<VertexId>)>> {
        W::generated().trees(self, sources, goal)
    }

    /// The `k` shortest simple paths from `source` to `target`, or all if there are fewer. They are
    /// sorted by length, then lexicographically by vertices.
    ///
    /// A simple path passes no vertex twice, and is identified by its sequence of vertices: of
    /// parallel arcs it takes the lightest. From a vertex to itself there is one path, without
    /// arcs. The paths and their order are the same with every algorithm and any number of threads.
    /// Lengths of floats are the least sums; if different sums are rounded to the same number, the
    /// order is fixed, but not by vertices.
    ///
    /// First the distances to `target` are found: on the solver's GPU if the graph is undirected,
    /// else on the CPU in the transposed graph, which is made once a solver. The rest runs on one
    /// thread of the CPU. With l arcs on a path it usually scans O(k·l) rows of arcs and makes
    /// about k searches; at most O(k·l) searches of O(m + n log n). O(n + k·l) memory.
    ///
    /// # Errors
    /// If a vertex does not exist, a weight is negative, or the progress callback, which is called
    /// with the number of paths, ended the work. [`SsspError::Overflow`] if the length of one of
    /// the `k` paths overflows its type, and [`SsspError::NoMemory`].
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use sssp::{Config, Solver};
    ///
    /// let graph = Csr::from_edges(4, &[(0, 1, 1u32), (1, 3, 4), (0, 2, 2), (2, 3, 1), (1, 2, 1)])?;
    /// let paths = Solver::new(&graph, &Config::default())?.k_shortest_paths(0, 3, 3)?;
    /// let found: Vec<_> = paths.iter().map(|path| (path.length, &path.vertices[..])).collect();
    /// assert_eq!(found, [(3, &[0, 1, 2, 3][..]), (3, &[0, 2, 3]), (5, &[0, 1, 3])]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn k_shortest_paths(
        &mut self,
        source: VertexId,
        target: VertexId,
        k: usize,
    ) -> Result<Found<Vec<Path<W::Distance>>>, SsspError> {
        W::generated().paths(self, source, target, k)
    }
}

impl<W: SearchWeight> DeviceSolver<W> {
    /// Checks the graph, chooses the width of buckets and makes the work space. It takes 64 bytes a
    /// vertex and 8.5 bytes an arc, and up to 4 bytes an arc more on a dense graph in which each
    /// arc has its reverse. With distances or weights of 64 bits it takes nearly twice that. Where
    /// all arcs weigh 1, 17 bytes a vertex and 4 an arc more are used if they are free. The arrays
    /// are not needed afterwards. O(n + m).
    ///
    /// # Errors
    /// [`SsspError::NotAGraph`] if the arrays are inconsistent, [`SsspError::NegativeWeight`],
    /// [`SsspError::NotOnGpu`] if there are 2^32 arcs or more or if sums may overflow a distance,
    /// and [`SsspError::Gpu`].
    pub fn new(gpu: &Gpu, arrays: &Arrays<'_, W>) -> Result<Self, SsspError> {
        W::generated().device_solver(gpu, arrays)
    }
}

/// The shortest-path tree from `source`: a [`Solver`] for one search.
///
/// # Errors
/// As [`Solver::new`] and [`Solver::distances`].
///
/// ```
/// use graph_formats::Csr;
/// use sssp::{Algorithm, Config, shortest_paths};
///
/// // one weight is negative
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

/// A shortest path from `source` to `target`, with its length; `None` if there is none. A target
/// near the source costs what lies no farther. The path is that of [`shortest_paths`]; for many
/// pairs of one graph use a [`Solver`].
///
/// # Errors
/// As [`Solver::new`] and [`Solver::distances`].
///
/// ```
/// use graph_formats::Csr;
/// use sssp::shortest_path;
///
/// let graph = Csr::from_edges(4, &[(0, 1, 7u32), (1, 2, 1), (0, 2, 3)])?;
/// let path = shortest_path(&graph, 0, 1)?.expect("an edge leads there");
/// assert_eq!((path.length, path.vertices), (4, vec![0, 2, 1]));
/// assert_eq!(shortest_path(&graph, 0, 3)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn shortest_path<W: SearchWeight>(
    graph: &Csr<W>,
    source: VertexId,
    target: VertexId,
) -> Result<Option<Path<W::Distance>>, SsspError> {
    W::generated().path(graph, source, target)
}

/// The predecessor of every reached vertex but the source, by a rule that gives the same tree on
/// every backend and in every run. Without negative weights, it is the smallest vertex before it on
/// a shortest path that is strictly nearer to the source, if there is one.
///
/// `distances` must be those of `graph` from `source`, complete or up to a limit. Vertices without
/// a tight arc have no predecessor. O(n + m).
///
/// # Errors
/// [`SsspError::NoSuchVertex`] for the source, and [`SsspError::NotAllVertices`] if the number of
/// distances is not that of vertices.
///
/// ```
/// use graph_formats::Csr;
/// use paths::Distances;
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 1u32), (0, 2, 1), (1, 2, 0)])?;
/// let distances = Distances::from_iter([Some(0), Some(1), Some(1)]);
/// let predecessors = sssp::predecessors(&graph, 0, &distances)?;
/// assert_eq!(predecessors.get(2), Some(0)); // strictly nearer than 1 is
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn predecessors<W: SearchWeight>(
    graph: &Csr<W>,
    source: VertexId,
    distances: &Distances<W::Distance>,
) -> Result<Predecessors, SsspError> {
    W::generated().predecessors(graph, source, distances)
}

/// A weight type of searches: one of the six. The trait is sealed.
pub trait SearchWeight: SearchKeys {
    #[doc(hidden)]
    fn generated() -> &'static dyn Generated<Self>;
}

macro_rules! search_weights {
    ($($weight:ty),*) => {$(
        impl SearchWeight for $weight {
            // inlined in another crate, it would make the pointer, and the code behind it, there
            #[inline(never)]
            fn generated() -> &'static dyn Generated<Self> { &() }
        }
    )*};
}

search_weights!(u32, i32, u64, i64, f32, f64);
