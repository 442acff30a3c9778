//! What a solver does for each of the six weight types, and where its code is generated.
//!
//! As in `sssp`, the methods of [`PairsWeight`] have no type parameters, so that the code of the
//! solvers is generated here, once for each type, and all crates above link to it.

use collectives::{Alone, Communicator};
use graph_formats::Csr;
use sssp::Progress;

use crate::potentials::RaisedWeight;
use crate::{ApspError, DevicePairs, InFolder, Ordered, Pairs, RankPairs, Solver};

/// A weight type that all pairs are found for: each of the six. The trait is sealed; its methods
/// are those of [`Solver`] and [`InFolder`].
pub trait PairsWeight: RaisedWeight {
    #[doc(hidden)]
    fn pairs_order(
        solver: &Solver<'_, Csr<Self>>,
        progress: Option<Progress<'_>>,
    ) -> Result<Ordered, ApspError>;
    #[doc(hidden)]
    fn pairs(
        solver: Solver<'_, Csr<Self>>,
        progress: Option<Progress<'_>>,
    ) -> Result<Pairs<Self>, ApspError>;
    #[doc(hidden)]
    fn pairs_on_gpus(
        solver: Solver<'_, Csr<Self>>,
        progress: Option<Progress<'_>>,
    ) -> Result<DevicePairs<Self>, ApspError>;
    #[doc(hidden)]
    fn pairs_over(
        solver: Solver<'_, Csr<Self>>,
        ranks: &dyn Communicator,
        progress: Option<Progress<'_>>,
    ) -> Result<RankPairs<Self>, ApspError>;
    #[doc(hidden)]
    fn pairs_in_folder(
        solver: InFolder<'_, Csr<Self>>,
        ranks: &dyn Communicator,
        progress: Option<Progress<'_>>,
    ) -> Result<Option<Pairs<Self>>, ApspError>;
}

macro_rules! pairs_weights {
    ($($weight:ty)*) => {$(
        impl PairsWeight for $weight {
            fn pairs_order(
                solver: &Solver<'_, Csr<Self>>,
                progress: Option<Progress<'_>>,
            ) -> Result<Ordered, ApspError> {
                solver.find_order(progress)
            }
            fn pairs(
                solver: Solver<'_, Csr<Self>>,
                progress: Option<Progress<'_>>,
            ) -> Result<Pairs<Self>, ApspError> {
                solver.find(progress)
            }
            fn pairs_on_gpus(
                solver: Solver<'_, Csr<Self>>,
                progress: Option<Progress<'_>>,
            ) -> Result<DevicePairs<Self>, ApspError> {
                solver.find_on_gpus(progress)
            }
            fn pairs_over(
                solver: Solver<'_, Csr<Self>>,
                ranks: &dyn Communicator,
                progress: Option<Progress<'_>>,
            ) -> Result<RankPairs<Self>, ApspError> {
                solver.find_over(ranks, progress)
            }
            fn pairs_in_folder(
                solver: InFolder<'_, Csr<Self>>,
                ranks: &dyn Communicator,
                progress: Option<Progress<'_>>,
            ) -> Result<Option<Pairs<Self>>, ApspError> {
                solver.find(ranks, progress)
            }
        }
    )*};
}

pairs_weights! { u32 i32 u64 i64 f32 f64 }

impl<W: PairsWeight> Solver<'_, Csr<W>> {
    /// Whether all pairs are found by supernodes: where they are asked for, and where
    /// [`Auto`](crate::Algorithm::Auto) finds that they take far fewer sums. [`solve`](Self::solve) asks
    /// this itself where it has [no answer](Self::in_order). About O((n + m) c log n) with separators of c
    /// vertices, where there may be some; `progress` is only asked whether to go on.
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
        W::pairs_order(self, progress)
    }

    /// Finds them. O(n³ / p) by p threads or GPUs, or for Johnson's algorithm O(n (n + m) log n),
    /// and n² distances, for Floyd-Warshall also n² numbers of 2 to 8 bytes. `progress` hears of
    /// the work, and may end it.
    ///
    /// # Errors
    /// When there is a negative cycle anywhere in the graph, a distance overflows its type,
    /// memory, or that of it which is allowed, cannot hold what it is to hold, an algorithm is
    /// asked for that is not for this device, or the progress callback ended the work.
    /// By GPUs also [`ApspError::Gpu`] with the name of the one that failed, and
    /// [`ApspError::NotOnGpu`] for numbers of 64 bits in a published form, and where no GPU is
    /// given.
    pub fn solve(self, progress: Option<Progress<'_>>) -> Result<Pairs<W>, ApspError> {
        W::pairs(self, progress)
    }

    /// Finds them by the [given GPUs](Self::on) and leaves them there. The host holds no n² numbers;
    /// it reads the rows that are asked for. By the [blocked](crate::Algorithm::Blocked) form; the
    /// GPUs' memory together has to hold the matrix. Numbers have 16 bits only where that is proven
    /// to suffice, because the whole matrix is not checked afterwards. O(n³ / p) by p GPUs.
    ///
    /// # Errors
    /// Those of [`solve`](Self::solve) by GPUs, and [`ApspError::NotOnGpu`] where none are given, or
    /// another form or next hops are asked for.
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
        W::pairs_on_gpus(self, progress)
    }

    /// Finds them by ranks, which all hold the graph, with its rows shared among them. To be called
    /// by all ranks; the configuration and `progress` are each rank's own, but rank 0 alone plans.
    ///
    /// The distances are those that [`solve`](Self::solve) finds in memory with the same algorithm, bit
    /// for bit, floats too. On each of p ranks O(n³ / p) and n² / p numbers, of which O(n²) bytes are
    /// sent to each; for Johnson's algorithm nothing is sent, and every rank has its share of the
    /// searches. Next hops are the same, too: each rank finds those to its share of the vertices, for
    /// which all send it O(n² / p) distances, and it sends back as many hops.
    ///
    /// With a GPU [for each rank](Self::on), which keeps its rows; the GPUs' memory together has to
    /// hold the matrix. Closed rows go from GPU to GPU by NCCL, where all ranks find it (as
    /// `libnccl.so.2`, or by the name in the variable `STARPATH_NCCL`) and no two share a GPU, else
    /// through the hosts' memory; the plan's reason says which.
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
        W::pairs_over(self, ranks, progress)
    }
}

impl<W: PairsWeight> InFolder<'_, Csr<W>> {
    /// Finds them; they are read from the folder row by row. O(n³ / p) by p threads or GPUs.
    /// `progress` hears of the work, and may end it.
    ///
    /// # Errors
    /// Those of [`Solver::solve`](crate::Solver::solve), and when the folder holds anything else or cannot be read and
    /// written; it is as it was then, or can be resumed.
    pub fn solve(self, progress: Option<Progress<'_>>) -> Result<Pairs<W>, ApspError> {
        let gpus = self.gpus.unwrap_or_default();
        let found = self.solve_over(&Alone, progress).map_err(|error| error.named(gpus))?;
        Ok(found.expect("the only rank is rank 0"))
    }

    /// Finds them by ranks, which all hold the graph, with the matrix in a folder that all of them
    /// see, each under the name that it is told. To be called by all ranks; the
    /// configuration and `progress` are each rank's own, but rank 0 alone plans. The answer is rank
    /// 0's, which reads it from the folder; the others have `None`.
    ///
    /// Each of p ranks has n² / p numbers of the matrix to work on, and is sent 2 n²; its memory is
    /// for the rows of a block of pivots, as that of one process is. The folder ends with the same
    /// bytes whatever ranks there are, and when some or all of them end early, another run, of as
    /// many ranks or others or one process, goes on with [`resume`](crate::ScratchFolder::resume). Next
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
        W::pairs_in_folder(self, ranks, progress)
    }
}
