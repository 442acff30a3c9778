//! Distances from many sources to some targets.

use graph_formats::parallel::WorkSpaces;
use graph_formats::{Distance, VertexId, Weight, parallel};
use ndarray::Array2;
use paths::DistanceTable;

use super::{LANES, Sweep};
use crate::HierarchyError;
use crate::metric::arcs::Arcs;
use crate::metric::key::Key;
use crate::metric::lengths::{too_far, write_distances};
use crate::metric::{Metric, with_arcs};
use crate::prepare::hierarchy::Hierarchy;

/// Columns that are brought from lanes to rows at a time, which fit into the fastest cache.
const COLUMNS_PER_BLOCK: usize = 128;

impl<W: Weight> Metric<W> {
    pub(crate) fn find_table(
        &self,
        sources: &[VertexId],
        targets: &[VertexId],
    ) -> Result<DistanceTable<W>, HierarchyError> {
        let columns = Columns::of(&self.hierarchy, targets)?;
        let mut table = cells::<W::Distance>(sources.len(), targets.len())?;
        let ranks = self.hierarchy.ranks_of("source", sources)?;
        // rows of no columns are none
        let width = targets.len().max(1);
        let rows = table.chunks_mut(LANES * width);
        let batches = ranks.chunks(LANES).zip(sources.chunks(LANES)).zip(rows).collect();
        with_arcs!(W, &self.arcs, arcs => fill(&self.hierarchy, arcs, &columns, batches))?;
        let table = Array2::from_shape_vec((sources.len(), targets.len()), table);
        Ok(DistanceTable::from_storage(table.unwrap_or_default()))
    }
}

/// These ranks and their ancestors, each once, descending. O(of these · log).
pub(crate) fn ancestors(hierarchy: &Hierarchy, ranks: &[u32]) -> Vec<u32> {
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    let (mut above, mut before) = (Vec::new(), None);
    for rank in sorted {
        // an ancestor of any lower one is one of the last before
        let is_new =
            |&above: &u32| before.is_none_or(|last| hierarchy.subtrees[above as usize] > last);
        above.extend(hierarchy.way_up(rank).take_while(is_new));
        before = Some(rank);
    }
    above.sort_unstable_by(|a, b| b.cmp(a));
    above
}

/// The cells of a table of `sources` rows and `targets` columns.
pub(crate) fn cells<D: Distance>(sources: usize, targets: usize) -> Result<Vec<D>, HierarchyError> {
    let bytes = sources as u128 * targets as u128 * size_of::<D>() as u128;
    let too_large = || HierarchyError::TableTooLarge { sources, targets, bytes: bytes.into() };
    let n_cells = sources.checked_mul(targets).ok_or_else(too_large)?;
    Vec::<D>::new().try_reserve_exact(n_cells).map_err(|_| too_large())?;
    Ok(vec![D::ZERO; n_cells])
}

/// The columns of a table.
struct Columns<'t> {
    targets: &'t [VertexId],
    /// The ranks of the targets and of their ancestors, each once, descending.
    above: Vec<u32>,
    /// Where each target is among these.
    places: Vec<usize>,
}

impl<'t> Columns<'t> {
    fn of(hierarchy: &Hierarchy, targets: &'t [VertexId]) -> Result<Self, HierarchyError> {
        let ranks = hierarchy.ranks_of("target", targets)?;
        let above = ancestors(hierarchy, &ranks);
        let place = |rank: u32| above.partition_point(|&other| other > rank);
        let places = ranks.into_iter().map(place).collect();
        Ok(Self { targets, above, places })
    }
}

/// Up to [`LANES`] sources: their ranks, they themselves, and their rows.
type Batch<'a, D> = ((&'a [u32], &'a [VertexId]), &'a mut [D]);

/// Fills the rows of all batches, in parallel.
fn fill<D: Distance, K: Key>(
    hierarchy: &Hierarchy,
    arcs: &Arcs<K>,
    columns: &Columns<'_>,
    batches: Vec<Batch<'_, D>>,
) -> Result<(), HierarchyError> {
    let new = || Pass {
        columns,
        sweep: Sweep::new(hierarchy, arcs),
        found: vec![[K::UNREACHED; LANES]; columns.above.len()],
    };
    let passes = WorkSpaces::new(&new);
    parallel::try_map_of(batches, &|batch| passes.with(|pass| pass.fill(batch))).map(drop)
}

/// Passes for the same columns.
struct Pass<'a, K> {
    columns: &'a Columns<'a>,
    sweep: Sweep<'a, K, LANES>,
    /// The distances of the vertices above the columns.
    found: Vec<[K; LANES]>,
}

impl<K: Key> Pass<'_, K> {
    fn fill<D: Distance>(
        &mut self,
        ((ranks, sources), rows): Batch<'_, D>,
    ) -> Result<(), HierarchyError> {
        let Self { columns, sweep, found } = self;
        let width = columns.places.len().max(1);
        sweep.pass(ranks, columns.above.iter().copied(), found);
        for (block, places) in columns.places.chunks(COLUMNS_PER_BLOCK).enumerate() {
            let first = block * COLUMNS_PER_BLOCK;
            for (lane, row) in rows.chunks_exact_mut(width).enumerate() {
                let keys = places.iter().map(|&place| found[place][lane]);
                if let Some(column) = write_distances(keys, &mut row[first..][..places.len()]) {
                    let column = first + column;
                    return Err(too_far::<D>(sources[lane], columns.targets[column]));
                }
            }
        }
        Ok(())
    }
}
