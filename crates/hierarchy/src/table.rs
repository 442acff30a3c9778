//! Distances from many sources.

use graph_formats::{Distance, VertexId, Weight};
use ndarray::Array2;
use paths::{DistanceTable, Distances};
use rayon::prelude::*;

use crate::HierarchyError;
use crate::elimination_tree::ROOT;
use crate::key::Key;
use crate::metric::{Metric, with_arcs};
use crate::sweep::{LANES, Lanes, Sweep};

/// Columns that are brought from lanes to rows at a time, which fit into the fastest cache.
const COLUMNS_PER_BLOCK: usize = 128;

impl<W: Weight> Metric<'_, W> {
    /// The distances of all vertices from each of `sources`, in the order given.
    ///
    /// In parallel, sixteen sources in a pass. Of floats, the weights of an arc of the hierarchy
    /// are added up first, in `f64`, so that last digits may differ from those of a path.
    /// O(n + arcs of the hierarchy) for each pass, and up to 256 bytes a vertex for each thread.
    ///
    /// # Errors
    /// When a source does not exist, or a distance overflows its type.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let metric = hierarchy.customize(&graph)?;
    /// let distances = metric.distances(&[0, 1])?;
    /// assert_eq!(distances[0].iter().collect::<Vec<_>>(), [Some(0), Some(5), Some(7)]);
    /// assert_eq!(distances[1].get(0), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distances(
        &self,
        sources: &[VertexId],
    ) -> Result<Vec<Distances<W::Distance>>, HierarchyError> {
        let n = self.hierarchy.n_vertices();
        let targets: Vec<VertexId> = self.graph.vertices().collect();
        let above = (0..n as u32).rev().collect();
        let places = self.hierarchy.ranks.iter().map(|&rank| n - 1 - rank as usize).collect();
        let columns = Columns { targets: &targets, above, places };
        let mut rows: Vec<_> = sources.iter().map(|_| vec![W::Distance::ZERO; n]).collect();
        self.fill(sources, &columns, rows.iter_mut().map(Vec::as_mut_slice).collect())?;
        Ok(rows.into_iter().map(Distances::from_storage).collect())
    }

    /// The distances from each of `sources` to each of `targets`; a row a source, in the order
    /// given.
    ///
    /// As [`Metric::distances`], but the passes are over those vertices only that are ancestors of
    /// a target.
    ///
    /// # Errors
    /// When a source or target does not exist, or a distance overflows its type.
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
        let mut table = vec![W::Distance::ZERO; sources.len() * targets.len()];
        // rows of no columns are none
        let rows = table.chunks_exact_mut(targets.len().max(1)).collect();
        self.fill(sources, &columns, rows)?;
        let table = Array2::from_shape_vec((sources.len(), targets.len()), table);
        Ok(DistanceTable::from_storage(table.unwrap_or_default()))
    }

    /// Fills a row for each of `sources`.
    fn fill(
        &self,
        sources: &[VertexId],
        columns: &Columns<'_>,
        mut rows: Vec<&mut [W::Distance]>,
    ) -> Result<(), HierarchyError> {
        let ranks: Result<Vec<u32>, _> =
            sources.iter().map(|&source| self.rank("source", source)).collect();
        let ranks = ranks?;
        let batches = rows.par_chunks_mut(LANES).zip(ranks.par_chunks(LANES));
        let batches = batches.zip(sources.par_chunks(LANES));
        with_arcs!(&self.arcs, arcs => {
            let new = || {
                let found = vec![[Key::UNREACHED; LANES]; columns.above.len()];
                (Sweep::new(self.hierarchy, arcs), found)
            };
            let fill = |(sweep, found): &mut (Sweep<'_, _>, Vec<Lanes<_>>), ((rows, ranks), sources)| {
                sweep.pass(ranks, columns.above.iter().copied(), found);
                self.write(found, sources, columns, rows)
            };
            batches.map_init(new, fill).collect()
        })
    }

    /// Brings what a pass has found from lanes to rows.
    fn write<K: Key>(
        &self,
        found: &[Lanes<K>],
        sources: &[VertexId],
        columns: &Columns<'_>,
        rows: &mut [&mut [W::Distance]],
    ) -> Result<(), HierarchyError> {
        for (block, places) in columns.places.chunks(COLUMNS_PER_BLOCK).enumerate() {
            let first = block * COLUMNS_PER_BLOCK;
            for (lane, row) in rows.iter_mut().enumerate() {
                let mut too_far = None;
                for (column, &place) in places.iter().enumerate() {
                    let key = found[place][lane];
                    let distance = match key.to_distance::<W>() {
                        _ if key >= K::UNREACHED => W::Distance::UNREACHED,
                        Some(distance) => distance,
                        None => {
                            too_far = Some(first + column);
                            W::Distance::UNREACHED
                        }
                    };
                    row[first + column] = distance;
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

    fn columns<'t>(&self, targets: &'t [VertexId]) -> Result<Columns<'t>, HierarchyError> {
        let ranks: Result<Vec<u32>, _> =
            targets.iter().map(|&target| self.rank("target", target)).collect();
        let ranks = ranks?;
        let mut is_above = vec![false; self.hierarchy.n_vertices()];
        let mut above = Vec::new();
        for &start in &ranks {
            let mut rank = start;
            while rank != ROOT && !is_above[rank as usize] {
                is_above[rank as usize] = true;
                above.push(rank);
                rank = self.hierarchy.parents[rank as usize];
            }
        }
        above.sort_unstable_by(|a, b| b.cmp(a));
        let place = |rank: u32| above.partition_point(|&other| other > rank);
        let places = ranks.into_iter().map(place).collect();
        Ok(Columns { targets, above, places })
    }
}

/// The columns of a table.
struct Columns<'t> {
    targets: &'t [VertexId],
    /// The ranks of the targets and of their ancestors, each once, descending.
    above: Vec<u32>,
    /// Where each target is among these.
    places: Vec<usize>,
}
