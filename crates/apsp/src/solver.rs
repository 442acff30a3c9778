//! All pairs of a graph, by whoever is to find them, wherever they are to be kept.

use collectives::{Alone, Communicator};
use gpu_runtime::Gpu;
use graph_formats::Csr;
use sssp::Progress;

use crate::cpu::Cpu;
use crate::cuda;
use crate::error::agree;
use crate::job::Job;
use crate::potentials::RaisedWeight;
use crate::ranks::RankPairs;
use crate::supernodes::{BySupernodes, Ordered};
use crate::{Algorithm, ApspError, Config, DevicePairs, InFolder, Pairs, ScratchFolder};

/// What finds the distances of all pairs of vertices of a graph, and where they are asked for the
/// paths: in memory by the processor, unless it is told otherwise.
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
    gpus: Option<&'a [Gpu]>,
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
    /// For this graph: a [`Csr`], or an [`AnyCsr`](graph_formats::AnyCsr) where the answers are to
    /// be of [any type](crate::any).
    pub fn new(graph: &'a G, config: &'a Config) -> Self {
        Self { graph, config, gpus: None, ordered: None }
    }

    /// By these GPUs of this machine, each with as much of its memory as is
    /// [allowed](Gpu::with_memory_cap), which share the rows of the matrix and the time. Rows go
    /// from one to another directly where they [reach](Gpu::reach) each other, and through the
    /// host's memory else.
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

    /// With the matrix in a folder, by blocked Floyd-Warshall; memory holds panels of it only, of
    /// the width that [`Config::memory`] allows, and results are read from there row by row.
    ///
    /// When a run ends early, for whatever reason, another one with
    /// [`resume`](ScratchFolder::resume) goes on where it was: at most one block of pivots is done
    /// again, and the answer is the same to the last bit. It may go on by GPUs where the processor
    /// began, or otherwise, as long as its blocks of pivots fit the memory there; floats may then
    /// differ in their last bits. With [`Config::next_hops`] the folder holds n² next hops too, of
    /// 2 or 4 bytes, and floats are settled there; from then on the folder's distances are these,
    /// with next hops or without. Numbers have 16 bits only where that is proven to do, for a run
    /// of weeks is not begun again. Some 8 to n / 128 passes over the file.
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
        let Self { graph, config, gpus, ordered: _ } = self;
        InFolder { graph, config, gpus, folder }
    }

    /// In this [order](Solver::order) of the vertices where [`Algorithm::Supernodes`] is asked for, or
    /// [`Auto`](Algorithm::Auto) takes it, so that none is looked for: for graphs with the same arcs
    /// and other weights.
    pub fn in_order(self, ordered: &'a Ordered) -> Self {
        Self { ordered: Some(ordered), ..self }
    }

    /// The same for the graph in another form.
    pub(crate) fn of<H>(self, graph: &'a H) -> Solver<'a, H> {
        let Self { graph: _, config, gpus, ordered } = self;
        Solver { graph, config, gpus, ordered }
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
                // other ways take less memory, or wider numbers
                Err(error) if algorithm == Algorithm::Auto && error.is_too_much() => {}
                solved => return solved.map(RankPairs::into_pairs),
            }
        }
        let found = match gpus {
            None => job.solve(&Cpu { gpus: &[] }),
            Some(gpus) if gpus.is_empty() || !cfg!(feature = "cuda") => Err(no_gpu()),
            Some(gpus) if algorithm == Algorithm::Johnson => job.solve(&Cpu { gpus }),
            Some(gpus) => cuda::solve(gpus, &job),
        };
        let found = found.map_err(|error| error.named(gpus.unwrap_or_default()))?;
        let mut pairs = found.into_pairs();
        if let Some(reason) = ordered.reason.as_ref().filter(|_| ordered.supernodes.is_none()) {
            pairs.plan.reason = format!("{}; {reason}", pairs.plan.reason);
        }
        Ok(pairs)
    }

    /// The GPU, if any, that all pairs may be found on by supernodes; `None` where they cannot be.
    fn device_for_supernodes(&self) -> Option<Option<&Gpu>> {
        match (self.config.algorithm, self.gpus) {
            (Algorithm::Auto | Algorithm::Supernodes, None) => Some(None),
            (Algorithm::Auto | Algorithm::Supernodes, Some([only])) => Some(Some(only)),
            _ => None,
        }
    }

    pub(crate) fn find_order(&self, progress: Option<Progress<'_>>) -> Result<Ordered, ApspError> {
        match self.device_for_supernodes() {
            Some(gpu) => Ordered::of(self.graph, self.config, gpu.is_some(), progress),
            None => Ok(Ordered::default()),
        }
    }

    pub(crate) fn find_on_gpus(
        self,
        progress: Option<Progress<'_>>,
    ) -> Result<DevicePairs<W>, ApspError> {
        let Self { graph, config, gpus, .. } = self;
        let gpus = gpus.unwrap_or_default();
        if !cfg!(feature = "cuda") {
            return Err(no_gpu());
        }
        let job = Job { ranks: &Alone, graph, config, progress };
        cuda::solve_on_gpus(gpus, &job).map_err(|error| error.named(gpus))
    }

    pub(crate) fn find_over(
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

/// The error where a GPU is asked for and none is given.
fn no_gpu() -> ApspError {
    ApspError::NotOnGpu { reason: "none was named".to_owned() }
}
