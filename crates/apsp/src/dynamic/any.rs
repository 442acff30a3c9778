//! Pairs that follow changes of a graph whose weight type is known only at run time.

use std::path::Path;

use gpu_runtime::Gpu;
use graph_formats::npy::Scalar;
use graph_formats::{AnyCsr, Change, Csr, DynamicGraph, Weight, with_csr};
use paths::{AnyTable, Number, typed_changes};
use sssp::Progress;

use super::{DynamicPairs, Updated, table};
use crate::any::AnyPairs;
use crate::error::check_memory;
use crate::hops::bytes_of_hops;
use crate::host::all_rows;
use crate::saved::SavedMatrix;
use crate::{ApspError, Config, DynamicDevicePairs, Pairs, PairsWeight, Plan};

/// [`DynamicPairs`] or [`DynamicDevicePairs`] of any weight type, with the same methods.
#[expect(missing_docs, reason = "each does what the method of its name does")]
pub trait AnyDynamicPairs: Send {
    /// As there. [`ApspError::BadChange`] also for a weight that the type does not have.
    fn update(
        &mut self,
        changes: &[Change<Number>],
        progress: Option<Progress<'_>>,
    ) -> Result<Updated, ApspError>;
    /// The pairs as they are now. Those of a GPU are copied to the host, once after each update.
    fn pairs(&mut self) -> Result<&dyn AnyPairs, ApspError>;
    fn plan(&self) -> &Plan;
    /// A copy of the distances.
    fn table(&self) -> Result<AnyTable, ApspError>;
    fn graph(&self) -> Result<AnyCsr, ApspError>;
}

/// [`DynamicPairs`] of this graph.
///
/// ```
/// use apsp::Config;
/// use apsp::any::dynamic_pairs;
/// use graph_formats::{Change, Csr};
/// use paths::Number;
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 7)])?.into();
/// let mut all = dynamic_pairs(&graph, &Config::default(), None)?;
/// all.update(&[Change::Insert { from: 0, to: 2, weight: Number::F64(9.0) }], None)?;
/// assert_eq!(all.pairs()?.distance(0, 2), Some(Number::U64(9)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`DynamicPairs::new`].
pub fn dynamic_pairs(
    graph: &AnyCsr,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Box<dyn AnyDynamicPairs>, ApspError> {
    with_csr!(graph, |graph| Ok(Box::new(DynamicPairs::new(graph, config, progress)?)))
}

/// [`DynamicDevicePairs`] of this graph. The host has to have room for a copy of them, too, within
/// [`Config::memory`].
///
/// ```
/// use apsp::Config;
/// use apsp::any::dynamic_pairs_on_gpus;
/// use gpu_runtime::Gpu;
/// use graph_formats::{Change, Csr};
/// use paths::Number;
///
/// let Ok(gpu) = Gpu::open() else { return Ok(()) };
/// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 7)])?.into();
/// let mut all = dynamic_pairs_on_gpus(&[gpu], &graph, &Config::default(), None)?;
/// all.update(&[Change::Insert { from: 0, to: 2, weight: Number::U64(9) }], None)?;
/// assert_eq!(all.pairs()?.distance(0, 2), Some(Number::U64(9)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`DynamicDevicePairs::new`], and where the host has no room.
pub fn dynamic_pairs_on_gpus(
    gpus: &[Gpu],
    graph: &AnyCsr,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Box<dyn AnyDynamicPairs>, ApspError> {
    with_csr!(graph, |graph| Ok(Box::new(OnGpus::new(gpus, graph, config, progress)?)))
}

/// [`DynamicPairs`] of this graph, with the distances in a file that
/// [`AnyPairs::write_npy`] has written. It takes what [`DynamicPairs::from_distances`] takes, and the
/// distances.
///
/// # Errors
/// As [`DynamicPairs::from_distances`], and [`ApspError::Saved`] where the file cannot be read, or
/// has other numbers than the distances of the graph are.
pub fn saved_pairs(
    graph: &AnyCsr,
    file: &Path,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Box<dyn AnyDynamicPairs>, ApspError> {
    with_csr!(graph, |graph| { Ok(Box::new(read(graph, file, config, progress)?)) })
}

/// The graph after these changes. O(n + m).
///
/// # Errors
/// [`ApspError::BadChange`] for the first that cannot be made, and when the system refuses the
/// memory.
pub fn changed(graph: &AnyCsr, changes: &[Change<Number>]) -> Result<AnyCsr, ApspError> {
    fn make<W: Weight>(graph: &Csr<W>, changes: &[Change<Number>]) -> Result<Csr<W>, ApspError> {
        let too_large = |bytes: usize| ApspError::too_large(graph.n_vertices(), bytes as u128);
        let mut changing = DynamicGraph::new(graph).map_err(|refused| too_large(refused.bytes))?;
        let _ = changing.apply(&typed_changes(changes)?)?;
        changing.to_csr().map_err(|refused| too_large(refused.bytes))
    }
    with_csr!(graph, |graph| Ok(make(graph, changes)?.into()))
}

fn read<W: PairsWeight>(
    graph: &Csr<W>,
    file: &Path,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<DynamicPairs<W>, ApspError> {
    let mut saved = SavedMatrix::open(file, &[W::Distance::DTYPE])?;
    let (n, n_vertices) = (saved.n_vertices(), graph.n_vertices());
    if n != n_vertices {
        return Err(ApspError::OtherShape { n_rows: n, n_columns: n, n_vertices });
    }
    check_memory(n, table::bytes_of::<W>(n).into(), config.memory)?;
    let distances = saved.table::<W>(progress)?;
    DynamicPairs::from_distances(graph, distances, config, progress)
}

impl<W: PairsWeight> AnyDynamicPairs for DynamicPairs<W>
where
    AnyCsr: From<Csr<W>>,
{
    fn update(
        &mut self,
        changes: &[Change<Number>],
        progress: Option<Progress<'_>>,
    ) -> Result<Updated, ApspError> {
        DynamicPairs::update(self, &typed_changes(changes)?, progress)
    }

    fn pairs(&mut self) -> Result<&dyn AnyPairs, ApspError> {
        Ok(DynamicPairs::pairs(self))
    }

    fn plan(&self) -> &Plan {
        &DynamicPairs::pairs(self).plan
    }

    fn table(&self) -> Result<AnyTable, ApspError> {
        let distances = DynamicPairs::pairs(self).distances();
        Ok(distances.expect("they are in memory").clone().into())
    }

    fn graph(&self) -> Result<AnyCsr, ApspError> {
        Ok(self.csr()?.into())
    }
}

/// Pairs on GPUs, and a copy of them on the host, until they change.
struct OnGpus<W: Weight> {
    device: DynamicDevicePairs<W>,
    host: Option<Pairs<W>>,
}

impl<W: PairsWeight> OnGpus<W> {
    fn new(
        gpus: &[Gpu],
        graph: &Csr<W>,
        config: &Config,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, ApspError> {
        let n = graph.n_vertices();
        let of_hops = if config.next_hops { bytes_of_hops(all_rows(n)) } else { 0 };
        check_memory(n, u128::from(table::bytes_of::<W>(n)) + of_hops, config.memory)?;
        Ok(Self { device: DynamicDevicePairs::new(gpus, graph, config, progress)?, host: None })
    }
}

impl<W: PairsWeight> AnyDynamicPairs for OnGpus<W>
where
    AnyCsr: From<Csr<W>>,
{
    fn update(
        &mut self,
        changes: &[Change<Number>],
        progress: Option<Progress<'_>>,
    ) -> Result<Updated, ApspError> {
        self.host = None;
        self.device.update(&typed_changes(changes)?, progress)
    }

    fn pairs(&mut self) -> Result<&dyn AnyPairs, ApspError> {
        let pairs = match self.host.take() {
            Some(pairs) => pairs,
            None => self.device.pairs().to_host()?,
        };
        Ok(self.host.insert(pairs))
    }

    fn plan(&self) -> &Plan {
        &self.device.pairs().plan
    }

    fn table(&self) -> Result<AnyTable, ApspError> {
        let distances = self.device.pairs().to_host()?.into_distances();
        Ok(distances.expect("they are in memory").into())
    }

    fn graph(&self) -> Result<AnyCsr, ApspError> {
        Ok(self.device.csr()?.into())
    }
}
