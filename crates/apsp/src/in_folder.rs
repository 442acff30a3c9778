//! All pairs of a graph with the matrix in a folder.

use collectives::Communicator;
use gpu_runtime::Gpu;
use graph_formats::Csr;
use sssp::Progress;

use crate::job::Job;
use crate::potentials::RaisedWeight;
use crate::{ApspError, Config, Pairs, ScratchFolder, scratch};

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

impl<W: RaisedWeight> InFolder<'_, Csr<W>> {
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
