//! The interface of a [`Solver`] of all pairs: on a CPU or GPUs, in memory or in a folder.
//!
//! As in `sssp`, the functions of a solver are pointers that [`PairsWeight`] has, so that their code is
//! generated here, once for each of the six weight types, and all crates above link to it.
//!
//! The way of a solve in memory on the CPU, and the files of this crate that have it:
//!
//! ```text
//! Solver::solve → find            supernodes, if they pay       solver.rs, supernodes/ordered.rs
//! Job::solve                      plan, memory, potentials      job.rs, plan.rs, width.rs
//! Cpu::find                       searches, or by_matrix        cpu.rs, host/johnson.rs
//! floyd_warshall::blocked         a Part of pivots::close       host/floyd_warshall.rs
//! Matrix::update                  rows shared among threads     host/matrix.rs
//! Panel::relax → the kernel       the minimum of sums           host/min_plus/panel.rs, x86.rs, neon.rs
//! Table::fill                     distances; then next hops     pairs.rs, hops.rs
//! ```
//!
//! `auto` chooses supernodes (one process, at most one GPU) in `supernodes/ordered.rs`, and a
//! matrix or searches on the CPU in `plan.rs`. GPUs (`cuda/solve.rs`, `on_gpus.rs`) and folders
//! (`scratch/solve.rs`) always take a matrix.

use collectives::{Alone, Communicator};
use gpu_runtime::Gpu;
use graph_formats::{Change, Csr, Weight};
use paths::DistanceTable;
use sssp::Progress;

use crate::cpu::Cpu;
use crate::cuda;
use crate::error::agree;
use crate::job::Job;
use crate::pairs::Rows;
use crate::potentials::RaisedWeight;
use crate::ranks::RankPairs;
use crate::supernodes::{BySupernodes, Ordered};
use crate::{
    Algorithm, ApspError, Config, DevicePairs, DynamicDevicePairs, DynamicPairs, Pairs,
    ScratchFolder, Updated, scratch,
};

/// Finds the distances of all pairs of vertices of a graph and, with [`Config::next_hops`], the
/// paths. By default it works in memory on the CPU.
///
/// Integers are exact and the same with every algorithm, on every device. Floats may differ in
/// their last bits between algorithms, for paths are not summed in the same order.
///
/// With [`Config::next_hops`], paths as well: n² numbers of 2 bytes, or from 65535 vertices
/// on 4. They come from the distances, so that they are the same with every algorithm, number
/// of threads and backend: those of [`paths::oracle::next_hops`], which says which of several
/// shortest paths it is. Floats then do not differ either: each distance is
/// the least sum over all paths, taken from the target backwards, bit for bit, and
/// [`check_next_hops`](paths::certificate::check_next_hops) holds exactly. O(n m) more, of
/// arcs that no path undercuts; for floats also a search from each vertex. With negative
/// floats a cycle that rounds to less than nothing may be found only then, and is an error.
///
/// ```
/// use apsp::{Config, Solver};
/// use graph_formats::Csr;
///
/// let graph = Csr::from_arcs(2, &[(0, 1, 4u32)])?;
/// let pairs = Solver::new(&graph, &Config::default()).solve(None)?;
/// assert_eq!(pairs.row(0).collect::<Vec<_>>(), [Some(0), Some(4)]);
/// assert_eq!(pairs.row(1).collect::<Vec<_>>(), [None, Some(0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Solver<'a, G> {
    pub(crate) graph: &'a G,
    pub(crate) config: &'a Config,
    pub(crate) gpus: Option<&'a [Gpu]>,
    pub(crate) ordered: Option<&'a Ordered>,
}

// not derived, for that would ask the same of `G`
impl<G> Clone for Solver<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Solver<'_, G> {}

impl<'a, G> Solver<'a, G> {
    /// A solver for this graph: a [`Csr`], or an [`AnyCsr`](graph_formats::AnyCsr), whose results
    /// are of [any type](crate::any).
    pub fn new(graph: &'a G, config: &'a Config) -> Self {
        Self { graph, config, gpus: None, ordered: None }
    }

    /// Solves on these GPUs of this machine, which share the rows of the matrix. Each uses the
    /// memory that it is [allowed](Gpu::with_memory_cap). Rows are copied directly between GPUs
    /// that [reach](Gpu::reach) each other, else through the host's memory.
    ///
    /// [`Algorithm::Auto`] is [`Blocked`](Algorithm::Blocked) there, or on one GPU
    /// [`Supernodes`](Algorithm::Supernodes), and that has all forms of Floyd-Warshall. With
    /// [`Johnson`](Algorithm::Johnson) each has the graph and a share of the searches, which
    /// find what the processor's do, bit for bit. A matrix that the GPUs' memory does not hold
    /// stays in pinned memory of the host and passes through them in strips. Numbers have as many
    /// bits as sums need, 16 only where the device adds and compares in one instruction and that
    /// pays; in published forms they have 32. Next hops are found there where no sum rounds,
    /// else on the host: by strips of columns, unless one GPU has the matrix and room for all.
    ///
    /// ```
    /// use apsp::{Config, Solver};
    /// use gpu_runtime::Gpu;
    /// use graph_formats::Csr;
    ///
    /// let Ok(gpu) = Gpu::open() else { return Ok(()) };
    /// let graph = Csr::from_arcs(2, &[(0, 1, 4u32)])?;
    /// let pairs = Solver::new(&graph, &Config::default()).on(&[gpu]).solve(None)?;
    /// assert_eq!(pairs.row(0).last(), Some(Some(4)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on(self, gpus: &'a [Gpu]) -> Self {
        Self { gpus: Some(gpus), ..self }
    }

    /// Keeps the matrix in a folder, and solves by blocked Floyd-Warshall. Memory holds panels
    /// only, of the width that [`Config::memory`] allows. Results are read from the folder row by
    /// row.
    ///
    /// A run that ended early, for any reason, is continued with [`resume`](ScratchFolder::resume).
    /// At most one block of pivots is computed again, and the result is the same to the last bit.
    /// GPUs may continue a run of the CPU, and the CPU one of GPUs, if the blocks of pivots fit
    /// into the memory there; floats may then differ in their last bits. With [`Config::next_hops`]
    /// the folder holds n² next hops too, of 2 or 4 bytes, and floats are settled there; from then
    /// on the folder's distances are these, with next hops or without. Numbers have 16 bits only
    /// where that is proven to do, for a run of weeks is not begun again. Some 8 to n / 128 passes
    /// over the file.
    ///
    /// All needs of memory are known, and the memory taken, before the matrix is written. After
    /// [`ApspError::NotOnGpu`] and [`ApspError::Gpu`], whenever they come, the processor goes on
    /// with what there is.
    ///
    /// ```
    /// use apsp::{Config, ScratchFolder, Solver};
    /// use graph_formats::Csr;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let graph = Csr::from_arcs(3, &[(0, 1, 4u32), (1, 2, 1)])?;
    /// let scratch = ScratchFolder::new(folder.path());
    /// let config = Config { memory: Some(64 << 20), ..Config::default() };
    /// let found = Solver::new(&graph, &config).in_folder(&scratch).solve(None)?;
    /// assert_eq!(found.row(0).collect::<Vec<_>>(), [Some(0), Some(4), Some(5)]);
    /// assert_eq!(found.summary(None)?.n_reachable_pairs, 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_folder(self, folder: &'a ScratchFolder) -> InFolder<'a, G> {
        InFolder { solver: self, folder }
    }

    /// Uses this [order](Solver::order) of the vertices for [`Algorithm::Supernodes`], if the
    /// configuration names it or [`Auto`](Algorithm::Auto) chooses it. An order serves all graphs
    /// with the same arcs, whatever their weights, and saves the time to make one.
    pub fn in_order(self, ordered: &'a Ordered) -> Self {
        Self { ordered: Some(ordered), ..self }
    }

    /// The same configuration for the graph in another form.
    pub(crate) fn of<H>(self, graph: &'a H) -> Solver<'a, H> {
        let Self { graph: _, config, gpus, ordered } = self;
        Solver { graph, config, gpus, ordered }
    }
}

/// A solver whose matrix is [in a folder](Solver::in_folder).
#[derive(Clone, Copy, Debug)]
pub struct InFolder<'a, G> {
    pub(crate) solver: Solver<'a, G>,
    pub(crate) folder: &'a ScratchFolder,
}

/// A weight type that the solver takes: each of the six. The trait is sealed.
pub trait PairsWeight: RaisedWeight {
    #[doc(hidden)]
    fn functions<'a>() -> Functions<'a, Self>;
}

type Solve<S, T> = fn(S, Option<Progress<'_>>) -> Result<T, ApspError>;
type SolveOver<S, T> = fn(S, &dyn Communicator, Option<Progress<'_>>) -> Result<T, ApspError>;

/// What would solve a graph, and the distances that were found before.
pub(crate) type WithDistances<'a, W> = (Solver<'a, Csr<W>>, DistanceTable<W>);

/// A folder, and the changes of its graph that it is to follow.
pub(crate) type WithChanges<'a, W> = (InFolder<'a, Csr<W>>, &'a [Change<W>]);

/// What the methods of the same names call.
#[doc(hidden)]
pub struct Functions<'a, W: Weight> {
    order: Solve<Solver<'a, Csr<W>>, Ordered>,
    solve: Solve<Solver<'a, Csr<W>>, Pairs<W>>,
    solve_on_gpus: Solve<Solver<'a, Csr<W>>, DevicePairs<W>>,
    solve_over: SolveOver<Solver<'a, Csr<W>>, RankPairs<W>>,
    solve_in_folder: SolveOver<InFolder<'a, Csr<W>>, Option<Pairs<W>>>,
    update_in_folder: Solve<WithChanges<'a, W>, (Csr<W>, Updated)>,
    pub(crate) new_dynamic: Solve<Solver<'a, Csr<W>>, DynamicPairs<W>>,
    pub(crate) of_distances: Solve<WithDistances<'a, W>, DynamicPairs<W>>,
    pub(crate) update: Solve<(&'a mut DynamicPairs<W>, &'a [Change<W>]), Updated>,
    pub(crate) new_on_gpus: Solve<Solver<'a, Csr<W>>, DynamicDevicePairs<W>>,
    pub(crate) update_on_gpus: Solve<(&'a mut DynamicDevicePairs<W>, &'a [Change<W>]), Updated>,
}

macro_rules! pairs_weights {
    ($($weight:ty)*) => {$(
        impl PairsWeight for $weight {
            // where it were inlined, the functions would be generated too
            #[inline(never)]
            fn functions<'a>() -> Functions<'a, Self> {
                Functions {
                    order: Solver::find_order,
                    solve: Solver::find,
                    solve_on_gpus: Solver::find_on_gpus,
                    solve_over: Solver::find_over,
                    solve_in_folder: InFolder::find,
                    update_in_folder: scratch::update,
                    new_dynamic: DynamicPairs::make,
                    of_distances: DynamicPairs::of_distances,
                    update: |(pairs, changes), progress| pairs.change(changes, progress),
                    new_on_gpus: DynamicDevicePairs::make,
                    update_on_gpus: |(pairs, changes), progress| pairs.change(changes, progress),
                }
            }
        }
    )*};
}

pairs_weights! { u32 i32 u64 i64 f32 f64 }

impl<W: PairsWeight> Solver<'_, Csr<W>> {
    /// Orders the vertices for supernodes, if the configuration names them, or if
    /// [`Auto`](Algorithm::Auto) finds that they take far fewer sums. [`solve`](Self::solve) calls
    /// this itself unless it has an [order](Self::in_order). About O((n + m) c log n) with
    /// separators of c vertices; `progress` can only end the work.
    ///
    /// # Errors
    /// When supernodes are asked for and there is no memory for the order, or the progress callback
    /// ended the work.
    ///
    /// ```
    /// use apsp::{Algorithm, Config, Solver};
    /// use graph_formats::generate::{GridConfig, grid};
    ///
    /// let config = Config::with(Algorithm::Supernodes);
    /// let graph = grid(&GridConfig { side: 6, dimensions: 3, ..Default::default() })?;
    /// let ordered = Solver::new(&graph, &config).order(None)?;
    /// // at night all roads are empty
    /// let at_night = graph.clone().unweighted::<u32>();
    /// let pairs = Solver::new(&at_night, &config).in_order(&ordered).solve(None)?;
    /// assert_eq!(pairs.row(0).last(), Some(Some(15)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn order(&self, progress: Option<Progress<'_>>) -> Result<Ordered, ApspError> {
        (W::functions().order)(*self, progress)
    }

    /// Finds all pairs. O(n³ / p) on p threads or GPUs, or for Johnson's algorithm O(n (n + m) log
    /// n). It takes memory for n² distances, and for Floyd-Warshall also for n² numbers of 2 to 8
    /// bytes. `progress` is called during the work, and may end it.
    ///
    /// # Errors When there is a negative cycle anywhere in the graph, or a distance overflows its
    /// type. When the memory of the system, or that which is allowed, does not suffice. When the
    /// algorithm does not run on this device, or the progress callback ended the work. On GPUs also
    /// [`ApspError::Gpu`] with the name of the GPU that failed, and [`ApspError::NotOnGpu`] for
    /// numbers of 64 bits in a published form, and if no GPU is given.
    pub fn solve(self, progress: Option<Progress<'_>>) -> Result<Pairs<W>, ApspError> {
        (W::functions().solve)(self, progress)
    }

    /// Finds all pairs on the [given GPUs](Self::on) and leaves them there. The host has no table
    /// of n² numbers, and copies a row when the caller reads it. It takes the
    /// [blocked](Algorithm::Blocked) algorithm; the memory of all GPUs together must hold the
    /// matrix. Next hops, 4 n² bytes, stay on one GPU; those of floats whose sums are rounded are found
    /// on the host first. Numbers have 16 bits only where that is proven to suffice, because the whole
    /// matrix is not checked afterwards. O(n³ / p) by p GPUs.
    ///
    /// # Errors
    /// Those of [`solve`](Self::solve) on GPUs, and [`ApspError::NotOnGpu`] if none are given, or
    /// if the configuration names another algorithm, or next hops on several.
    ///
    /// ```
    /// use apsp::{Config, Solver};
    /// use gpu_runtime::Gpu;
    /// use graph_formats::Csr;
    ///
    /// let Ok(gpu) = Gpu::open() else { return Ok(()) };
    /// let graph = Csr::from_arcs(2, &[(0, 1, 4u32)])?;
    /// let pairs = Solver::new(&graph, &Config::default()).on(&[gpu]).solve_on_gpus(None)?;
    /// assert_eq!(pairs.row(1)?, [None, Some(0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve_on_gpus(
        self,
        progress: Option<Progress<'_>>,
    ) -> Result<DevicePairs<W>, ApspError> {
        (W::functions().solve_on_gpus)(self, progress)
    }

    /// Finds all pairs on several ranks. All hold the graph, and share the rows. To be called by
    /// all ranks; each has its own configuration and `progress`, but rank 0 alone plans.
    ///
    /// The distances are those that [`solve`](Self::solve) finds in memory with the same algorithm, bit
    /// for bit, floats too. On each of p ranks O(n³ / p) and n² / p numbers, of which O(n²) bytes are
    /// sent to each; for Johnson's algorithm nothing is sent, and every rank has its share of the
    /// searches. Next hops are the same, too: each rank finds those to its share of the vertices, for
    /// which all send it O(n² / p) distances, and it sends back as many hops.
    ///
    /// With a GPU [for each rank](Self::on), which keeps its rows; the GPUs' memory together has to
    /// hold the matrix. Closed rows go from GPU to GPU by NCCL, where all ranks find it and no two
    /// share a GPU. NCCL is found as `libnccl.so.2`, or by the name in the variable
    /// `STARPATH_NCCL`. Else closed rows go through the hosts' memory. The plan's reason says
    /// which.
    ///
    /// # Errors
    /// On all ranks where it is one on any: those of [`solve`](Self::solve), and where a form of
    /// Floyd-Warshall that only one rank has, Johnson's algorithm with GPUs or several GPUs a rank
    /// are asked for. On one rank only [`ApspError::RankLost`]: the caller then has to end the
    /// others.
    ///
    /// ```
    /// use apsp::{ApspError, Config, Solver};
    /// use collectives::{Communicator, Threads};
    /// use graph_formats::Csr;
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 4u32), (1, 2, 3)])?;
    /// let found = Threads::run(2, |ranks| {
    ///     let found = Solver::new(&graph, &Config::default()).solve_over(ranks, None)?;
    ///     found.summary(ranks).map_err(ApspError::from)
    /// })?;
    /// // on each of the ranks
    /// assert!(found.iter().all(|all| (all.n_reachable_pairs, all.max) == (6, Some(7))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve_over(
        self,
        ranks: &dyn Communicator,
        progress: Option<Progress<'_>>,
    ) -> Result<RankPairs<W>, ApspError> {
        (W::functions().solve_over)(self, ranks, progress)
    }
}

impl<W: PairsWeight> InFolder<'_, Csr<W>> {
    /// Finds all pairs, which are read from the folder row by row. O(n³ / p) on p threads or GPUs.
    /// `progress` is called during the work, and may end it.
    ///
    /// # Errors
    /// Those of [`Solver::solve`](Solver::solve), and when the folder holds anything else or cannot be read and
    /// written; it is as it was then, or can be resumed.
    pub fn solve(self, progress: Option<Progress<'_>>) -> Result<Pairs<W>, ApspError> {
        let gpus = self.solver.gpus.unwrap_or_default();
        let found = self.solve_over(&Alone, progress).map_err(|error| error.named(gpus))?;
        Ok(found.expect("the only rank is rank 0"))
    }

    /// Finds them by ranks, which all hold the graph, with the matrix in a folder that all of them
    /// see, each under the name that it is told. To be called by all ranks; the
    /// configuration and `progress` are each rank's own, but rank 0 alone plans. The answer is rank
    /// 0's, which reads it from the folder; the others have `None`.
    ///
    /// Each of p ranks has n² / p numbers of the matrix to work on, and is sent 2 n². Its memory is
    /// for the rows of a block of pivots, as that of one process is. The folder ends with the same
    /// bytes whatever ranks there are, and when some or all of them end early, another run, of as
    /// many ranks or others or one process, goes on with [`resume`](ScratchFolder::resume). Next
    /// hops are found by rank 0.
    ///
    /// # Errors
    /// On all ranks where it is one on any: those of [`solve`](Self::solve), and
    /// [`ScratchError::NotSeen`](crate::ScratchError::NotSeen) where a rank does not see the folder of
    /// rank 0. What is done is kept.
    ///
    /// ```
    /// use apsp::{Config, ScratchFolder, Solver};
    /// use collectives::Threads;
    /// use graph_formats::Csr;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let graph = Csr::from_arcs(3, &[(0, 1, 4u32), (1, 2, 1)])?;
    /// let scratch = ScratchFolder::new(folder.path());
    /// let found = Threads::run(2, |ranks| {
    ///     Solver::new(&graph, &Config::default())
    ///         .in_folder(&scratch)
    ///         .solve_over(ranks, None)
    /// })?;
    /// let [Some(found), None] = &found[..] else { panic!("rank 0 answers") };
    /// assert_eq!(found.row(0).collect::<Vec<_>>(), [Some(0), Some(4), Some(5)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve_over(
        self,
        ranks: &dyn Communicator,
        progress: Option<Progress<'_>>,
    ) -> Result<Option<Pairs<W>>, ApspError> {
        (W::functions().solve_in_folder)(self, ranks, progress)
    }

    /// Makes all of these changes of the graph, or none, and has the folder follow them; returns the
    /// changed graph. No pair of vertices may occur twice. The folder holds the matrix of the graph
    /// before the changes, or a run that closes it, which is ended first. Then it holds that of the
    /// graph after them, whose pairs [`solve`](Self::solve) reads, and whose next hops it finds.
    ///
    /// Distances are, to the bit, what a new run finds. All rows are read, and written beside the old
    /// ones, so that the disk has to hold a second matrix. When all are written, they take the place of
    /// the old ones: a run that ended early, for any reason, has left the state before or after the
    /// batch. O(n²), O(n k) for k arcs, and what [`DynamicPairs`] takes for the pairs that they touch.
    /// Memory is for the rows of the ends of these arcs, about 32 n bytes an arc, and for as many rows at
    /// a time as [`Config::memory`] allows.
    ///
    /// # Errors
    /// [`ApspError::BadChange`] for the first change that cannot be made, and
    /// [`ApspError::NotFollowed`] where sums of floats are rounded, or sums of weights may be too large
    /// for their type. [`ApspError::ChangesMemory`] if memory does not suffice, and
    /// [`ApspError::NotOnGpu`] with GPUs. A negative cycle, another graph's folder, one that cannot be
    /// read and written, and where the progress callback ended the work. Then the folder is as it was.
    ///
    /// ```
    /// use apsp::{Config, ScratchFolder, Solver};
    /// use graph_formats::{Change, Csr};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let graph = Csr::from_arcs(3, &[(0, 1, 4u32), (1, 2, 1)])?;
    /// let scratch = ScratchFolder { resume: true, ..ScratchFolder::new(folder.path()) };
    /// let config = Config::default();
    /// let new = Change::Insert { from: 0, to: 2, weight: 3 };
    /// let change = [new, Change::Delete { from: 1, to: 2, weight: None }];
    /// let solver = Solver::new(&graph, &config);
    /// let (changed, updated) = solver.in_folder(&scratch).update(&change, None)?;
    /// assert_eq!((updated.n_searched, updated.n_nearer), (2, 1));
    /// let found = Solver::new(&changed, &config).in_folder(&scratch).solve(None)?;
    /// assert_eq!(found.row(0).collect::<Vec<_>>(), [Some(0), Some(4), Some(3)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn update(
        self,
        changes: &[Change<W>],
        progress: Option<Progress<'_>>,
    ) -> Result<(Csr<W>, Updated), ApspError> {
        (W::functions().update_in_folder)((self, changes), progress)
    }
}

impl<W: RaisedWeight> Solver<'_, Csr<W>> {
    pub(crate) fn find(self, progress: Option<Progress<'_>>) -> Result<Pairs<W>, ApspError> {
        let Self { graph, config, gpus, ordered } = self;
        let algorithm = config.algorithm;
        if config.tile.is_some() && (gpus.is_none() || !algorithm.has_tiles()) {
            return Err(ApspError::NoTiles { algorithm });
        }
        let job = Job { ranks: &Alone, graph, config, progress };
        let is_given =
            |given: &&Ordered| given.supernodes.is_some() || algorithm == Algorithm::Auto;
        let made;
        let ordered = match ordered.filter(is_given) {
            Some(ordered) => ordered,
            None => {
                made = self.find_order(progress)?;
                &made
            }
        };
        if let (Some(gpu), Some(supernodes)) = (self.device_for_supernodes(), &ordered.supernodes) {
            match job.solve(&BySupernodes { supernodes, ordered, gpu }) {
                // other algorithms take less memory, or wider numbers
                Err(error) if algorithm == Algorithm::Auto && error.is_too_much() => {}
                solved => return solved.map(in_memory),
            }
        }
        let found = match gpus {
            None => job.solve(&Cpu { gpus: &[] }),
            Some(gpus) if gpus.is_empty() || !cfg!(feature = "cuda") => Err(no_gpu()),
            Some(gpus) if algorithm == Algorithm::Johnson => job.solve(&Cpu { gpus }),
            Some(gpus) => cuda::solve(gpus, &job),
        };
        let found = found.map_err(|error| error.named(gpus.unwrap_or_default()))?;
        let mut pairs = in_memory(found);
        if let Some(reason) = ordered.reason.as_ref().filter(|_| ordered.supernodes.is_none()) {
            pairs.plan.reason = format!("{}; {reason}", pairs.plan.reason);
        }
        Ok(pairs)
    }

    /// The GPU for supernodes, if there is one; `None` if supernodes cannot be used.
    fn device_for_supernodes(&self) -> Option<Option<&Gpu>> {
        match (self.config.algorithm, self.gpus) {
            (Algorithm::Auto | Algorithm::Supernodes, None) => Some(None),
            (Algorithm::Auto | Algorithm::Supernodes, Some([only])) => Some(Some(only)),
            _ => None,
        }
    }

    fn find_order(self, progress: Option<Progress<'_>>) -> Result<Ordered, ApspError> {
        match self.device_for_supernodes() {
            Some(gpu) => Ordered::of(self.graph, self.config, gpu.is_some(), progress),
            None => Ok(Ordered::default()),
        }
    }

    fn find_on_gpus(self, progress: Option<Progress<'_>>) -> Result<DevicePairs<W>, ApspError> {
        let Self { graph, config, gpus, .. } = self;
        let gpus = gpus.unwrap_or_default();
        if !cfg!(feature = "cuda") {
            return Err(no_gpu());
        }
        let job = Job { ranks: &Alone, graph, config, progress };
        cuda::solve_on_gpus(gpus, &job).map_err(|error| error.named(gpus))
    }

    fn find_over(
        self,
        ranks: &dyn Communicator,
        progress: Option<Progress<'_>>,
    ) -> Result<RankPairs<W>, ApspError> {
        let Self { graph, config, gpus, .. } = self;
        let by_gpus = ranks.any(gpus.is_some())?;
        let job = Job { ranks, graph, config, progress };
        match gpus.or(by_gpus.then_some(&[])) {
            Some(gpus) if cfg!(feature = "cuda") => cuda::solve_over(gpus, &job),
            Some(_) => agree(ranks, Err(no_gpu())),
            None => job.solve(&Cpu { gpus: &[] }),
        }
    }
}

impl<W: RaisedWeight> InFolder<'_, Csr<W>> {
    fn find(
        self,
        ranks: &dyn Communicator,
        progress: Option<Progress<'_>>,
    ) -> Result<Option<Pairs<W>>, ApspError> {
        let Self { solver: Solver { graph, config, gpus, .. }, folder } = self;
        let by_gpus = ranks.any(gpus.is_some())?;
        let gpus = gpus.or(by_gpus.then_some(&[]));
        scratch::solve(folder, gpus, &Job { ranks, graph, config, progress })
    }
}

/// The pairs of the only rank.
fn in_memory<W: Weight>(found: RankPairs<W>) -> Pairs<W> {
    let RankPairs { distances, next_hops, plan, report, .. } = found;
    Pairs { plan, report, rows: Rows::in_memory(distances, next_hops) }
}

/// The error for an empty list of GPUs.
fn no_gpu() -> ApspError {
    ApspError::NotOnGpu { reason: "no GPU was given".to_owned() }
}
