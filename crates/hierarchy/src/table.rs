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

/// Vertices of which distances are brought from lanes to rows at a time.
const BLOCK: usize = 256;

impl<W: Weight> Metric<'_, W> {
    /// The distances of all vertices from each of `sources`, in the order given.
    ///
    /// In parallel, sixteen sources in a pass. Of floats, the weights of an arc of the hierarchy
    /// are added up first, in `f64`, so that last digits may differ from those of a path.
    /// O(n + arcs of the hierarchy) for each pass.
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
        let ranks = self.ranks("source", sources)?;
        let batches: Result<Vec<_>, HierarchyError> = with_arcs!(&self.arcs, arcs => {
            let batches = sources.par_chunks(LANES).zip(ranks.par_chunks(LANES));
            let new = || Sweep::new(self.hierarchy, arcs);
            batches.map_init(new, |sweep, (sources, ranks)| self.batch(sweep, sources, ranks)).collect()
        });
        Ok(batches?.into_iter().flatten().collect())
    }

    /// The distances of all vertices from up to [`LANES`] sources.
    fn batch<K: Key>(
        &self,
        sweep: &mut Sweep<'_, K>,
        sources: &[VertexId],
        ranks: &[u32],
    ) -> Result<Vec<Distances<W::Distance>>, HierarchyError> {
        let n = self.graph.n_vertices();
        let mut rows = sources.iter().map(|_| vec![W::Distance::ZERO; n]).collect::<Vec<_>>();
        let mut block: Vec<(VertexId, Lanes<K>)> = Vec::with_capacity(BLOCK);
        // a source and a target whose distance its type cannot hold
        let mut too_far = None;
        let mut write = |block: &mut Vec<(VertexId, Lanes<K>)>| {
            for (lane, (row, &source)) in rows.iter_mut().zip(sources).enumerate() {
                for &(vertex, ref keys) in block.iter() {
                    match stored::<W, K>(keys[lane]) {
                        Some(distance) => row[vertex as usize] = distance,
                        None => too_far = Some((source, vertex)),
                    }
                }
            }
            block.clear();
        };
        sweep.pass(ranks, (0..n as u32).rev(), |rank, keys| {
            block.push((self.hierarchy.vertices[rank as usize], *keys));
            if block.len() == BLOCK {
                write(&mut block);
            }
        });
        write(&mut block);
        refuse_too_far::<W>(too_far)?;
        Ok(rows.into_iter().map(Distances::from_storage).collect())
    }

    /// The distances from each of `sources` to each of `targets`; a row a source, in the order
    /// given.
    ///
    /// In parallel, and as exact as [`Metric::distances`]: passes over those vertices only that
    /// are ancestors of a target.
    ///
    /// # Errors
    /// When a source or target does not exist, or a distance overflows its type.
    pub fn table(
        &self,
        sources: &[VertexId],
        targets: &[VertexId],
    ) -> Result<DistanceTable<W>, HierarchyError> {
        let ranks = self.ranks("source", sources)?;
        let target_ranks = self.ranks("target", targets)?;
        let above = self.ancestors(&target_ranks);
        // where targets are among these, or one place twice
        let mut columns: Vec<(u32, usize)> = target_ranks.into_iter().zip(0..).collect();
        columns.sort_unstable_by_key(|&(rank, _)| std::cmp::Reverse(rank));
        let mut table = vec![W::Distance::UNREACHED; sources.len() * targets.len()];
        if !table.is_empty() {
            let rows = table.par_chunks_mut(LANES * targets.len()).zip(ranks.par_chunks(LANES));
            with_arcs!(&self.arcs, arcs => {
                let new = || Sweep::new(self.hierarchy, arcs);
                rows.zip(sources.par_chunks(LANES)).map_init(new, |sweep, ((rows, ranks), sources)| {
                    let mut left = columns.iter().peekable();
                    let mut too_far = None;
                    sweep.pass(ranks, above.iter().copied(), |rank, keys| {
                        while let Some(&(_, column)) = left.next_if(|next| next.0 == rank) {
                            let rows = rows.chunks_exact_mut(targets.len());
                            for ((row, &key), &source) in rows.zip(keys).zip(sources) {
                                match stored::<W, _>(key) {
                                    Some(distance) => row[column] = distance,
                                    None => too_far = Some((source, targets[column])),
                                }
                            }
                        }
                    });
                    refuse_too_far::<W>(too_far)
                }).collect::<Result<(), HierarchyError>>()
            })?;
        }
        let table = Array2::from_shape_vec((sources.len(), targets.len()), table);
        Ok(DistanceTable::from_storage(table.unwrap_or_default()))
    }

    /// The ranks of vertices and of all their ancestors, each once, descending.
    fn ancestors(&self, ranks: &[u32]) -> Vec<u32> {
        let mut is_in = vec![false; self.hierarchy.n_vertices()];
        let mut found = Vec::new();
        for &start in ranks {
            let mut rank = start;
            while rank != ROOT && !is_in[rank as usize] {
                is_in[rank as usize] = true;
                found.push(rank);
                rank = self.hierarchy.parents[rank as usize];
            }
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        found
    }

    fn ranks(&self, role: &'static str, vertices: &[VertexId]) -> Result<Vec<u32>, HierarchyError> {
        vertices.iter().map(|&vertex| self.rank(role, vertex)).collect()
    }
}

/// A key as tables store its distance; none where the type cannot hold it.
#[inline(always)]
fn stored<W: Weight, K: Key>(key: K) -> Option<W::Distance> {
    if key >= K::UNREACHED { Some(W::Distance::UNREACHED) } else { key.to_distance::<W>() }
}

/// The error for a source and a target that are farther than the type can hold.
fn refuse_too_far<W: Weight>(ends: Option<(VertexId, VertexId)>) -> Result<(), HierarchyError> {
    let Some((source_vertex, target)) = ends else { return Ok(()) };
    Err(HierarchyError::Overflow { source_vertex, target, kind: W::Distance::KIND })
}
