//! Distances of all vertices from many sources.
//!
//! A [pass](Sweep) leaves a plane a source, in which vertices are by rank. The distances from one
//! source after another are then brought into the order of the graph, into the same memory, which
//! stays in the caches while the caller looks at them.

use graph_formats::{Distance, VertexId, Weight};
use paths::Distances;
use rayon::prelude::*;

use crate::HierarchyError;
use crate::customize::Arcs;
use crate::key::Key;
use crate::metric::{Metric, with_arcs};
use crate::sweep::{LANES, Sweep};

impl<W: Weight> Metric<'_, W> {
    /// The distances of all vertices from each of `sources`, in the order given.
    ///
    /// As [`Metric::map_distances`], with memory for all of them.
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
        self.map_distances(sources, |_, distances| distances.clone())
    }

    /// What `result` makes of each of `sources` and the distances of all vertices from it, in the
    /// order given.
    ///
    /// In parallel, sixteen sources in a pass. Of floats, the weights of an arc of the hierarchy
    /// are added up first, in `f64`, so that last digits may differ from those of a path.
    /// O(n + arcs of the hierarchy) for each pass, and up to 272 bytes a vertex for each thread.
    ///
    /// # Errors
    /// As [`Metric::distances`].
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let metric = hierarchy.customize(&graph)?;
    /// let eccentricities = metric.map_distances(&[0, 1], |_, distances| distances.max())?;
    /// assert_eq!(eccentricities, [Some(7), Some(2)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn map_distances<T: Send>(
        &self,
        sources: &[VertexId],
        result: impl Fn(VertexId, &Distances<W::Distance>) -> T + Sync,
    ) -> Result<Vec<T>, HierarchyError> {
        let ranks = self.ranks("source", sources)?;
        with_arcs!(&self.arcs, arcs => match sources.len() {
            1 => self.map_batches::<_, _, 1>(arcs, &ranks, sources, result),
            _ => self.map_batches::<_, _, LANES>(arcs, &ranks, sources, result),
        })
    }

    /// The same for sources of which the ranks are known, `LANES` in a pass.
    fn map_batches<K: Key, T: Send, const LANES: usize>(
        &self,
        arcs: &Arcs<K>,
        ranks: &[u32],
        sources: &[VertexId],
        result: impl Fn(VertexId, &Distances<W::Distance>) -> T + Sync,
    ) -> Result<Vec<T>, HierarchyError> {
        let n = self.hierarchy.n_vertices();
        let new = || {
            let planes = vec![K::UNREACHED; n * LANES.min(sources.len())];
            let sweep = Sweep::<K, LANES>::new(self.hierarchy, arcs);
            (sweep, planes, vec![W::Distance::ZERO; n])
        };
        let batches = ranks.par_chunks(LANES).zip(sources.par_chunks(LANES));
        let batches = batches.map_init(new, |(sweep, planes, row), (ranks, sources)| {
            sweep.pass_all(ranks, planes);
            let each = sources.iter().zip(planes.chunks_exact(n)).map(|(&source, plane)| {
                self.by_vertex(source, plane, row)?;
                let distances = Distances::from_storage(std::mem::take(row));
                let made = result(source, &distances);
                *row = distances.into_storage();
                Ok(made)
            });
            each.collect::<Result<Vec<T>, HierarchyError>>()
        });
        let results: Result<Vec<Vec<T>>, HierarchyError> = batches.collect();
        Ok(results?.into_iter().flatten().collect())
    }

    /// The distances by vertex of what is by rank.
    fn by_vertex<K: Key>(
        &self,
        source_vertex: VertexId,
        plane: &[K],
        row: &mut [W::Distance],
    ) -> Result<(), HierarchyError> {
        let mut too_far = None;
        for ((place, &rank), target) in row.iter_mut().zip(&self.hierarchy.ranks).zip(0..) {
            let key = plane[rank as usize];
            *place = match key.to_distance::<W>() {
                _ if key >= K::UNREACHED => W::Distance::UNREACHED,
                Some(distance) => distance,
                None => {
                    too_far = Some(target);
                    W::Distance::UNREACHED
                }
            };
        }
        let kind = W::Distance::KIND;
        match too_far {
            Some(target) => Err(HierarchyError::Overflow { source_vertex, target, kind }),
            None => Ok(()),
        }
    }
}
