//! One graph, many searches: what a [`Solver`] is asked, and where the code for it is generated.
//!
//! The compiler generates a generic function anew in every crate that calls it with a type. The
//! methods of [`SearchWeight`] have no type parameters, so that the code of the solvers is
//! generated here, once for each of the six types, and all crates above link to it. The public
//! generic functions only call these methods. What is new and generic, and has a loop, is reached
//! through a method here.

mod core;
mod k_paths;
mod nearest;
mod rows;
mod table;
mod trees;

use std::slice;

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId, Weight};
use paths::{DistanceTable, Distances, Nearest, Predecessors, Progress, Tree};

use self::core::Device;
pub use self::core::Solver;
use crate::found::Found;
use crate::gpu::{self, Arrays, DeviceSolver};
use crate::weights::SearchKeys;
use crate::{Config, Goal, Path, Plan, SsspError};

/// What an answer is, or why there is none.
type Answer<T> = Result<T, SsspError>;

/// The lengths of a graph's paths.
type Length<W> = <W as Weight>::Distance;

/// A table of distances, and the predecessor of each vertex in each row, as
/// [`Predecessors`] stores them.
pub type Trees<T> = (T, Vec<VertexId>);

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
        match &self.device {
            Device::Cpu(_) => &[],
            Device::Gpus(on_gpus) => &on_gpus.gpus,
        }
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

    /// The distances of all vertices from each of `sources`, as far as `goal` asks, and the paths
    /// that have them; a row a source, in the order given.
    ///
    /// Each row is that of [`tree`](Self::tree). On the CPU many searches run at once, one a
    /// thread; on a GPU one after the other. O(s·(n + m)), and O(s·n) memory besides what each
    /// thread's search takes.
    ///
    /// # Errors
    /// As [`Solver::distances`], of any of the searches, and [`SsspError::TableTooLarge`].
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
    ) -> Result<Found<Trees<DistanceTable<W>>>, SsspError> {
        W::trees(self, sources, goal)
    }

    /// The `k` shortest simple paths from `source` to `target`, or all where there are fewer: by
    /// length, and those of equal length in the order of their vertices, compared one by one.
    ///
    /// A simple path passes no vertex twice, and is its sequence of vertices: of parallel arcs it
    /// takes the lightest. From a vertex to itself there is one, which has no arcs. The same paths
    /// in the same order with every algorithm and any number of threads. Lengths of floats are the
    /// least sums; where sums that differ are rounded to the same, the order is fixed, but not by
    /// vertices.
    ///
    /// The distances to `target` are found first, on a GPU where the solver is on one and the graph
    /// is undirected; a directed graph is transposed, once a solver. The rest
    /// is done by one thread of the CPU. With l arcs on a path, O(k·l) rows of arcs and about k
    /// searches as a rule; at most O(k·l) of O(m + n log n). O(n + k·l) memory.
    ///
    /// # Errors
    /// When a vertex does not exist, a weight is negative, or the progress callback, which is told
    /// of paths, ended the work. [`SsspError::Overflow`] where one of the `k` paths has a length
    /// that its type cannot hold, and [`SsspError::NoMemory`].
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
        W::paths(self, source, target, k)
    }
}

impl<W: SearchWeight> DeviceSolver<W> {
    /// Looks at the graph, chooses the width of buckets and makes the work space: for n vertices
    /// and m arcs 64 bytes a vertex and 8.5 an arc, and on a dense graph whose arcs all have their
    /// reverses up to 4 more; with distances or weights of 64 bits nearly twice that. The arrays
    /// are not needed any more then. O(n + m).
    ///
    /// # Errors
    /// [`SsspError::NotAGraph`] where the arrays do not fit together, [`SsspError::NegativeWeight`],
    /// [`SsspError::NotOnGpu`] where there are 2^32 arcs or more, or where sums may be too large for
    /// a distance, and [`SsspError::Gpu`].
    pub fn new(gpu: &Gpu, arrays: &Arrays<'_, W>) -> Result<Self, SsspError> {
        W::device_solver(gpu, arrays)
    }
}

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

/// The predecessor of every reached vertex but the source, by the rule above.
///
/// `distances` must be those of `graph` from `source`, as any solver here returns
/// them, whole or up to a limit; vertices without a tight arc get no predecessor. O(n + m).
///
/// # Errors
/// [`SsspError::NoSuchVertex`] for the source, and [`SsspError::NotAllVertices`] where there is
/// not one distance for each vertex.
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
    W::predecessors(graph, source, distances)
}

/// A weight type that searches take: each of the six. The trait is sealed; its methods are those
/// of [`Solver`] and the functions of this crate.
pub trait SearchWeight: SearchKeys {
    #[doc(hidden)]
    fn solver_on_cpu<'g>(graph: &'g Csr<Self>, config: &Config) -> Answer<Solver<'g, Self>>;
    #[doc(hidden)]
    fn solver_on_gpus<'g>(
        gpus: &[Gpu],
        graph: &'g Csr<Self>,
        config: &gpu::Config,
    ) -> Answer<Solver<'g, Self>>;
    #[doc(hidden)]
    fn distances(
        solver: &mut Solver<'_, Self>,
        source: VertexId,
        goal: Goal<Length<Self>>,
    ) -> Answer<Found<Distances<Length<Self>>>>;
    #[doc(hidden)]
    fn tree(
        solver: &mut Solver<'_, Self>,
        source: VertexId,
        goal: Goal<Length<Self>>,
    ) -> Answer<Found<Tree<Self>>>;
    #[doc(hidden)]
    fn table(
        solver: &mut Solver<'_, Self>,
        sources: &[VertexId],
        targets: &[VertexId],
    ) -> Answer<Found<DistanceTable<Self>>>;
    #[doc(hidden)]
    fn trees(
        solver: &mut Solver<'_, Self>,
        sources: &[VertexId],
        goal: Goal<Length<Self>>,
    ) -> Answer<Found<Trees<DistanceTable<Self>>>>;
    #[doc(hidden)]
    fn nearest(solver: &mut Solver<'_, Self>, sources: &[VertexId])
    -> Answer<Found<Nearest<Self>>>;
    #[doc(hidden)]
    fn paths(
        solver: &mut Solver<'_, Self>,
        source: VertexId,
        target: VertexId,
        k: usize,
    ) -> Answer<Found<Vec<Path<Length<Self>>>>>;
    #[doc(hidden)]
    fn predecessors(
        graph: &Csr<Self>,
        source: VertexId,
        distances: &Distances<Length<Self>>,
    ) -> Answer<Predecessors>;
    #[doc(hidden)]
    fn device_solver(gpu: &Gpu, arrays: &Arrays<'_, Self>) -> Answer<DeviceSolver<Self>>;
}

macro_rules! search_weights {
    ($($weight:ty),*) => {$(
        impl SearchWeight for $weight {
            fn solver_on_cpu<'g>(graph: &'g Csr<Self>, config: &Config) -> Answer<Solver<'g, Self>> {
                Solver::on_cpu(graph, config)
            }
            fn solver_on_gpus<'g>(
                gpus: &[Gpu],
                graph: &'g Csr<Self>,
                config: &gpu::Config,
            ) -> Answer<Solver<'g, Self>> {
                Solver::on_all(gpus, graph, config)
            }
            fn distances(
                solver: &mut Solver<'_, Self>,
                source: VertexId,
                goal: Goal<Length<Self>>,
            ) -> Answer<Found<Distances<Length<Self>>>> {
                solver.find_distances(source, goal)
            }
            fn tree(
                solver: &mut Solver<'_, Self>,
                source: VertexId,
                goal: Goal<Length<Self>>,
            ) -> Answer<Found<Tree<Self>>> {
                solver.find_tree(source, goal)
            }
            fn table(
                solver: &mut Solver<'_, Self>,
                sources: &[VertexId],
                targets: &[VertexId],
            ) -> Answer<Found<DistanceTable<Self>>> {
                solver.find_table(sources, targets)
            }
            fn trees(
                solver: &mut Solver<'_, Self>,
                sources: &[VertexId],
                goal: Goal<Length<Self>>,
            ) -> Answer<Found<Trees<DistanceTable<Self>>>> {
                solver.find_trees(sources, goal)
            }
            fn nearest(
                solver: &mut Solver<'_, Self>,
                sources: &[VertexId],
            ) -> Answer<Found<Nearest<Self>>> {
                solver.find_nearest(sources)
            }
            fn paths(
                solver: &mut Solver<'_, Self>,
                source: VertexId,
                target: VertexId,
                k: usize,
            ) -> Answer<Found<Vec<Path<Length<Self>>>>> {
                solver.find_paths(source, target, k)
            }
            fn predecessors(
                graph: &Csr<Self>,
                source: VertexId,
                distances: &Distances<Length<Self>>,
            ) -> Answer<Predecessors> {
                crate::predecessors::checked_from_distances(graph, source, distances)
            }
            fn device_solver(gpu: &Gpu, arrays: &Arrays<'_, Self>) -> Answer<DeviceSolver<Self>> {
                DeviceSolver::of_arrays(gpu, arrays)
            }
        }
    )*};
}

search_weights!(u32, i32, u64, i64, f32, f64);
