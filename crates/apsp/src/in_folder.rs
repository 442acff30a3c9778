//! All pairs of a graph with the matrix in a folder.

use collectives::{Alone, Communicator};
use gpu_runtime::Gpu;
use graph_formats::Csr;
use sssp::Progress;

use crate::job::Job;
use crate::{ApspError, Config, Pairs, PairsWeight, ScratchFolder, scratch};

/// A solver whose matrix is [in a folder](crate::Solver::in_folder).
#[derive(Clone, Copy, Debug)]
pub struct InFolder<'a, G> {
    pub(crate) graph: &'a G,
    pub(crate) config: &'a Config,
    pub(crate) gpus: Option<&'a [Gpu]>,
    pub(crate) folder: &'a ScratchFolder,
}

impl<'a, G> InFolder<'a, G> {
    /// The same for the graph in another form.
    pub(crate) fn of<H>(self, graph: &'a H) -> InFolder<'a, H> {
        let Self { graph: _, config, gpus, folder } = self;
        InFolder { graph, config, gpus, folder }
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
        W::pairs_in_folder(self, ranks, progress)
    }

    pub(crate) fn find(
        self,
        ranks: &dyn Communicator,
        progress: Option<Progress<'_>>,
    ) -> Result<Option<Pairs<W>>, ApspError> {
        let Self { graph, config, gpus, folder } = self;
        let by_gpus = ranks.any(gpus.is_some())?;
        let gpus = gpus.or(by_gpus.then_some(&[]));
        scratch::solve(folder, gpus, &Job { ranks, graph, config, progress })
    }
}
