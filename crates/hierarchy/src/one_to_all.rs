//! Distances of all vertices from many sources.
//!
//! A [pass](Sweep) leaves planes, in which vertices are by rank, and four sources side by side. The
//! distances from four sources after others are then brought into the order of the graph, which
//! looks for each vertex in another place, and into the same rows, which stay in the caches while
//! the caller looks at them.

use graph_formats::{Distance, VertexId, Weight};
use paths::Distances;
use rayon::prelude::*;

use crate::HierarchyError;
use crate::customize::Arcs;
use crate::key::Key;
use crate::metric::{Metric, with_arcs};
use crate::prefetch::prefetch;
use crate::sweep::{LANES, Sweep};

/// How many sources are side by side in a plane.
const GROUP: usize = 4;
/// Vertices that are brought into order at a time, by vector instructions.
const BLOCK: usize = 4;
/// How many blocks ahead places in a plane are prefetched.
const BLOCKS_AHEAD: usize = 32;

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
    /// O(n + arcs of the hierarchy) for each pass, and up to 320 bytes a vertex for each thread.
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
            1 => self.map_batches::<_, _, 1, 1>(arcs, &ranks, sources, result),
            _ => self.map_batches::<_, _, LANES, GROUP>(arcs, &ranks, sources, result),
        })
    }

    /// The same for sources of which the ranks are known, `LANES` in a pass.
    fn map_batches<K: Key, T: Send, const LANES: usize, const GROUP: usize>(
        &self,
        arcs: &Arcs<K>,
        ranks: &[u32],
        sources: &[VertexId],
        result: impl Fn(VertexId, &Distances<W::Distance>) -> T + Sync,
    ) -> Result<Vec<T>, HierarchyError> {
        let n = self.hierarchy.n_vertices();
        let new = || {
            let n_planes = LANES.min(sources.len()).div_ceil(GROUP);
            let planes = vec![[K::UNREACHED; GROUP]; n * n_planes];
            let rows: [_; GROUP] = std::array::from_fn(|_| vec![W::Distance::ZERO; n]);
            (Sweep::<K, LANES>::new(self.hierarchy, arcs), planes, rows)
        };
        let batches = ranks.par_chunks(LANES).zip(sources.par_chunks(LANES));
        let batches = batches.map_init(new, |(sweep, planes, rows), (ranks, sources)| {
            sweep.pass_all(ranks, planes);
            let mut results = Vec::with_capacity(sources.len());
            for (sources, plane) in sources.chunks(GROUP).zip(planes.chunks_exact(n)) {
                if !self.by_vertex(plane, rows) {
                    self.check(sources, plane)?;
                }
                for (&source, row) in sources.iter().zip(&mut *rows) {
                    let distances = Distances::from_storage(std::mem::take(row));
                    results.push(result(source, &distances));
                    *row = distances.into_storage();
                }
            }
            Ok(results)
        });
        let results: Result<Vec<Vec<T>>, HierarchyError> = batches.collect();
        Ok(results?.into_iter().flatten().collect())
    }

    /// A row by vertex for each source from a plane by rank; whether all distances fit their type.
    fn by_vertex<K: Key, const GROUP: usize>(
        &self,
        plane: &[[K; GROUP]],
        rows: &mut [Vec<W::Distance>; GROUP],
    ) -> bool {
        let (blocks, last) = self.hierarchy.ranks.as_chunks::<BLOCK>();
        let mut all_fit = true;
        let mut distance = |key: K| {
            let distance = key.to_distance::<W>();
            all_fit &= key >= K::UNREACHED || distance.is_some();
            distance.filter(|_| key < K::UNREACHED).unwrap_or(W::Distance::UNREACHED)
        };
        let mut places = rows.each_mut().map(|row| row.as_chunks_mut().0);
        for (block, ranks) in blocks.iter().enumerate() {
            let later = blocks.get(block + BLOCKS_AHEAD).into_iter().flatten();
            later.for_each(|&rank| prefetch(plane, rank as usize));
            let keys: [[K; GROUP]; BLOCK] = ranks.map(|rank| plane[rank as usize]);
            for (lane, places) in places.iter_mut().enumerate() {
                places[block] = keys.map(|keys| distance(keys[lane]));
            }
        }
        for (&rank, vertex) in last.iter().zip(blocks.len() * BLOCK..) {
            for (row, key) in rows.iter_mut().zip(plane[rank as usize]) {
                row[vertex] = distance(key);
            }
        }
        all_fit
    }

    /// An error where a distance in a plane does not fit its type.
    fn check<K: Key, const GROUP: usize>(
        &self,
        sources: &[VertexId],
        plane: &[[K; GROUP]],
    ) -> Result<(), HierarchyError> {
        let is_too_far = |key: K| key < K::UNREACHED && key.to_distance::<W>().is_none();
        for (&target, keys) in self.hierarchy.vertices.iter().zip(plane) {
            for (&source_vertex, &key) in sources.iter().zip(keys) {
                if is_too_far(key) {
                    let kind = W::Distance::KIND;
                    return Err(HierarchyError::Overflow { source_vertex, target, kind });
                }
            }
        }
        Ok(())
    }
}
