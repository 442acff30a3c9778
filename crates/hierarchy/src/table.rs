//! Distances from many sources to some targets.

use std::marker::PhantomData;

use graph_formats::{Distance, VertexId, Weight};
use ndarray::Array2;
use paths::DistanceTable;
use rayon::prelude::*;

use crate::HierarchyError;
use crate::customize::Arcs;
use crate::elimination_tree::ROOT;
use crate::hierarchy::Hierarchy;
use crate::key::Key;
use crate::metric::{Metric, with_arcs};
use crate::sweep::{LANES, Sweep};

/// Columns that are brought from lanes to rows at a time, which fit into the fastest cache.
const COLUMNS_PER_BLOCK: usize = 128;

impl<W: Weight> Metric<'_, W> {
    /// The distances from each of `sources` to each of `targets`; a row a source, in the order
    /// given.
    ///
    /// In parallel and as exact as [`Metric::distances`], but the passes are over those vertices only that are ancestors of
    /// a target.
    ///
    /// # Errors
    /// When a source or target does not exist, a distance overflows its type, or the system has no
    /// memory for the table.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let table = hierarchy.customize(&graph)?.table(&[1, 0], &[2])?;
    /// assert_eq!((table.get(0, 0), table.get(1, 0)), (Some(2), Some(7)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn table(
        &self,
        sources: &[VertexId],
        targets: &[VertexId],
    ) -> Result<DistanceTable<W>, HierarchyError> {
        let columns = self.columns(targets)?;
        let mut table = cells::<W::Distance>(sources.len(), targets.len())?;
        let ranks = self.ranks("source", sources)?;
        // rows of no columns are none
        let mut rows: Vec<_> = table.chunks_exact_mut(targets.len().max(1)).collect();
        let batches = ranks.par_chunks(LANES).zip(sources.par_chunks(LANES));
        let filled: Result<(), HierarchyError> = with_arcs!(&self.arcs, arcs => {
            let new = || Pass::new(self, arcs, &columns);
            let fill = |pass: &mut Pass<'_, W, _>, ((ranks, sources), rows): (_, &mut [_])| {
                pass.fill(ranks, sources, rows)
            };
            batches.zip(rows.par_chunks_mut(LANES)).map_init(new, fill).collect()
        });
        filled?;
        let table = Array2::from_shape_vec((sources.len(), targets.len()), table);
        Ok(DistanceTable::from_storage(table.unwrap_or_default()))
    }

    /// The ranks of vertices that play this role.
    pub(crate) fn ranks(
        &self,
        role: &'static str,
        vertices: &[VertexId],
    ) -> Result<Vec<u32>, HierarchyError> {
        vertices.iter().map(|&vertex| self.rank(role, vertex)).collect()
    }

    fn columns<'t>(&self, targets: &'t [VertexId]) -> Result<Columns<'t>, HierarchyError> {
        let ranks = self.ranks("target", targets)?;
        let above = ancestors(self.hierarchy, &ranks);
        let place = |rank: u32| above.partition_point(|&other| other > rank);
        let places = ranks.into_iter().map(place).collect();
        Ok(Columns { targets, above, places })
    }
}

/// These ranks and their ancestors, each once, descending.
pub(crate) fn ancestors(hierarchy: &Hierarchy, ranks: &[u32]) -> Vec<u32> {
    let mut is_above = vec![false; hierarchy.n_vertices()];
    let mut above = Vec::new();
    for &start in ranks {
        let mut rank = start;
        while rank != ROOT && !is_above[rank as usize] {
            is_above[rank as usize] = true;
            above.push(rank);
            rank = hierarchy.parents[rank as usize];
        }
    }
    above.sort_unstable_by(|a, b| b.cmp(a));
    above
}

/// Room for so many rows and columns.
pub(crate) fn cells<D: Distance>(sources: usize, targets: usize) -> Result<Vec<D>, HierarchyError> {
    let bytes = sources as u128 * targets as u128 * size_of::<D>() as u128;
    let too_large = || HierarchyError::TableTooLarge { sources, targets, bytes };
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

/// Passes for the same columns.
struct Pass<'a, W: Weight, K> {
    columns: &'a Columns<'a>,
    sweep: Sweep<'a, K, LANES>,
    /// The distances of the vertices above the columns.
    found: Vec<[K; LANES]>,
    weights: PhantomData<W>,
}

impl<'a, W: Weight, K: Key> Pass<'a, W, K> {
    fn new(metric: &'a Metric<'_, W>, arcs: &'a Arcs<K>, columns: &'a Columns<'a>) -> Self {
        let found = vec![[K::UNREACHED; LANES]; columns.above.len()];
        Self { columns, sweep: Sweep::new(metric.hierarchy, arcs), found, weights: PhantomData }
    }

    /// Fills a row for each of up to [`LANES`] sources, which have these ranks.
    fn fill(
        &mut self,
        ranks: &[u32],
        sources: &[VertexId],
        rows: &mut [&mut [W::Distance]],
    ) -> Result<(), HierarchyError> {
        let Self { columns, sweep, found, .. } = self;
        sweep.pass(ranks, columns.above.iter().copied(), found);
        for (block, places) in columns.places.chunks(COLUMNS_PER_BLOCK).enumerate() {
            let first = block * COLUMNS_PER_BLOCK;
            for (lane, row) in rows.iter_mut().enumerate() {
                let mut too_far = None;
                for ((cell, &place), column) in row[first..].iter_mut().zip(places).zip(first..) {
                    let key = found[place][lane];
                    *cell = match key.to_distance::<W>() {
                        _ if key >= K::UNREACHED => W::Distance::UNREACHED,
                        Some(distance) => distance,
                        None => {
                            too_far = Some(column);
                            W::Distance::UNREACHED
                        }
                    };
                }
                if let Some(column) = too_far {
                    let (source_vertex, target) = (sources[lane], columns.targets[column]);
                    let kind = W::Distance::KIND;
                    return Err(HierarchyError::Overflow { source_vertex, target, kind });
                }
            }
        }
        Ok(())
    }
}
