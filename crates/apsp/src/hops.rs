//! Next hops for distances that some algorithm has found.

use graph_formats::{Csr, VertexId, Weight, WeightKind};
use ndarray::{Array2, s};
use paths::{DistanceTable, HopStorage, NextHops};
use rayon::ThreadPoolBuilder;
use sssp::Progress;

use crate::host::next_hops::{Hop, bytes_of_levels, may_need_levels, next_hops};
use crate::host::settle::{bytes_of_columns, settle};
use crate::host::useful_arcs::{bytes_of_arcs, rounding, useful_arcs};
use crate::{ApspError, Plan};

/// Bytes that the work on next hops takes, neither they nor the distances counted.
pub(crate) fn bytes_of_work<W: Weight>(graph: &Csr<W>) -> u128 {
    let n = graph.n_vertices();
    let is_float = matches!(W::KIND, WeightKind::F32 | WeightKind::F64);
    let columns = if is_float { bytes_of_columns(n, size_of::<W::Distance>()) } else { 0 };
    let levels = if may_need_levels(graph) { bytes_of_levels(n) } else { 0 };
    bytes_of_arcs(graph) + columns + levels
}

/// Bytes for the next hops of `n` vertices.
pub(crate) fn bytes_of_hops(n: usize) -> u128 {
    let hop = if NextHops::is_narrow(n) { size_of::<u16>() } else { size_of::<VertexId>() };
    n as u128 * n as u128 * hop as u128
}

/// Bytes for next hops and the work on them, beside the distances.
pub(crate) fn bytes<W: Weight>(graph: &Csr<W>) -> u128 {
    bytes_of_hops(graph.n_vertices()) + bytes_of_work(graph)
}

/// An error where memory cannot hold the distances, their next hops and the work on these.
pub(crate) fn ask_for_memory<W: Weight>(graph: &Csr<W>) -> Result<(), ApspError> {
    let n = graph.n_vertices();
    let bytes = n as u128 * n as u128 * size_of::<W::Distance>() as u128 + bytes(graph);
    let too_large = || ApspError::TooLarge { n_vertices: n, bytes };
    let whole = usize::try_from(bytes).map_err(|_| too_large())?;
    Vec::<u8>::new().try_reserve_exact(whole).map_err(|_| too_large())
}

/// The next hops, and the distances: those of floats settled.
pub(crate) fn with_next_hops<W: Weight>(
    graph: &Csr<W>,
    distances: DistanceTable<W>,
    plan: &Plan,
    progress: Option<Progress<'_>>,
) -> Result<(DistanceTable<W>, NextHops), ApspError> {
    let pool = ThreadPoolBuilder::new().num_threads(plan.threads).build()?;
    pool.install(|| {
        let mut distances = distances.into_storage();
        let rounding = rounding(graph, &distances);
        let arcs = useful_arcs(graph, &distances, rounding.unwrap_or_default());
        if rounding.is_some() {
            settle(&arcs, plan.threads, progress, |first, columns| {
                distances.slice_mut(s![.., first..first + columns.ncols()]).assign(&columns);
            })?;
        }
        let by_levels = graph.first_negative().is_some();
        let storage = if NextHops::is_narrow(graph.n_vertices()) {
            HopStorage::Narrow(filled(&arcs, by_levels, &distances, progress)?)
        } else {
            HopStorage::Wide(filled(&arcs, by_levels, &distances, progress)?)
        };
        let hops = NextHops::from_storage(storage).expect("vertices of the graph");
        Ok((DistanceTable::from_storage(distances), hops))
    })
}

/// The matrix of hops, of a width that fits.
fn filled<W: Weight, H: Hop>(
    arcs: &Csr<W>,
    by_levels: bool,
    distances: &Array2<W::Distance>,
    progress: Option<Progress<'_>>,
) -> Result<Array2<H>, ApspError> {
    let n = arcs.n_vertices();
    let mut hops = Array2::from_elem((n, n), H::NONE);
    let cells = hops.as_slice_mut().expect("just made");
    next_hops(arcs, by_levels, distances, cells, progress)?;
    Ok(hops)
}
