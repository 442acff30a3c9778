//! Distances of all vertices from many sources.
//!
//! A [pass](Sweep) leaves planes, in which vertices are by rank, and four sources side by side. The
//! distances from four sources after others are then brought into the order of the graph, which
//! looks for each vertex in another place. They are brought into the same rows, which stay in the
//! caches while the caller looks at them.

use std::sync::{Mutex, PoisonError};

use graph_formats::parallel::WorkSpaces;
use graph_formats::{Distance, VertexId, Weight, ensure_granted, parallel};
use paths::Distances;
use search_parts::prefetch;

use super::{LANES, Sweep};
use crate::HierarchyError;
use crate::metric::arcs::Arcs;
use crate::metric::key::Key;
use crate::metric::lengths::too_far;
use crate::metric::{Metric, with_arcs};
use crate::prepare::hierarchy::Hierarchy;

/// How many sources are side by side in a plane.
const GROUP: usize = 4;
/// Vertices that are brought into order at a time, by vector instructions.
const BLOCK: usize = 4;
/// How many blocks ahead places in a plane are prefetched.
const BLOCKS_AHEAD: usize = 32;

impl<W: Weight> Metric<W> {
    /// Shows the distances of all vertices from each of `sources`, with its place among these.
    pub(crate) fn show_distances(
        &self,
        sources: &[VertexId],
        hear: Hear<'_, W::Distance>,
    ) -> Result<(), HierarchyError> {
        let (hierarchy, ranks) = (&self.hierarchy, self.hierarchy.ranks_of("source", sources)?);
        with_arcs!(W, &self.arcs, arcs => match sources.len() {
            1 => show::<_, _, 1, 1>(hierarchy, arcs, &ranks, hear),
            _ => show::<_, _, LANES, GROUP>(hierarchy, arcs, &ranks, hear),
        })
    }
}

/// Hears of a place in a list of sources and the distances of all vertices from there, on any
/// thread.
pub(crate) type Hear<'a, D> = &'a (dyn Fn(usize, &Distances<D>) + Sync);

/// What `result` makes of each of `sources` and the distances that `show` shows of it, in order.
pub(crate) fn by_place<D: Distance, T: Send>(
    sources: &[VertexId],
    result: impl Fn(VertexId, &Distances<D>) -> T + Sync,
    show: impl FnOnce(Hear<'_, D>) -> Result<(), HierarchyError>,
) -> Result<Vec<T>, HierarchyError> {
    let results: Vec<Mutex<Option<T>>> = sources.iter().map(|_| Mutex::new(None)).collect();
    show(&|place, distances| {
        let made = result(sources[place], distances);
        *results[place].lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
    })?;
    Ok(results.into_iter().filter_map(|result| result.into_inner().ok()?).collect())
}

/// Shows the distances from sources of these ranks, `LANES` in a pass.
fn show<D: Distance, K: Key, const LANES: usize, const GROUP: usize>(
    hierarchy: &Hierarchy,
    arcs: &Arcs<K>,
    ranks: &[u32],
    hear: Hear<'_, D>,
) -> Result<(), HierarchyError> {
    let n = hierarchy.n_vertices();
    let n_planes = LANES.min(ranks.len()).div_ceil(GROUP);
    let n_spaces = ranks.len().div_ceil(LANES).min(rayon::current_num_threads());
    let bytes_of_vertex = GROUP * (size_of::<K>() * n_planes + size_of::<D>());
    ensure_granted(n_spaces * n * bytes_of_vertex)?;
    let new = || {
        let planes = vec![[K::UNREACHED; GROUP]; n * n_planes];
        let rows: [_; GROUP] = std::array::from_fn(|_| vec![D::ZERO; n]);
        (Sweep::<K, LANES>::new(hierarchy, arcs), planes, rows)
    };
    let spaces = WorkSpaces::new(&new);
    let batches = (0..).step_by(LANES).zip(ranks.chunks(LANES)).collect();
    let shown = parallel::try_map_of(batches, &|(first, ranks): (usize, &[u32])| {
        spaces.with(|(sweep, planes, rows)| {
            sweep.pass_all(ranks, planes);
            let groups = (first..).step_by(GROUP).zip(ranks.chunks(GROUP));
            for ((first, ranks), plane) in groups.zip(planes.chunks_exact(n)) {
                if !by_vertex(hierarchy, plane, rows) {
                    check::<D, K, GROUP>(hierarchy, ranks, plane)?;
                }
                for (place, row) in (first..first + ranks.len()).zip(&mut *rows) {
                    let distances = Distances::from_storage(std::mem::take(row));
                    hear(place, &distances);
                    *row = distances.into_storage();
                }
            }
            Ok(())
        })
    });
    shown.map(drop)
}

/// A row by vertex for each source from a plane by rank; whether all distances fit their type.
fn by_vertex<D: Distance, K: Key, const GROUP: usize>(
    hierarchy: &Hierarchy,
    plane: &[[K; GROUP]],
    rows: &mut [Vec<D>; GROUP],
) -> bool {
    let (blocks, last) = hierarchy.ranks.as_chunks::<BLOCK>();
    let mut all_fit = true;
    let mut distance = |key: K| {
        let (distance, fits) = key.to_cell();
        all_fit &= fits;
        distance
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

/// An error where a distance in a plane, from sources of these ranks, does not fit its type.
fn check<D: Distance, K: Key, const GROUP: usize>(
    hierarchy: &Hierarchy,
    ranks: &[u32],
    plane: &[[K; GROUP]],
) -> Result<(), HierarchyError> {
    for (&target, keys) in hierarchy.vertices.iter().zip(plane) {
        for (&rank, &key) in ranks.iter().zip(keys) {
            if !key.to_cell::<D>().1 {
                return Err(too_far::<D>(hierarchy.vertices[rank as usize], target));
            }
        }
    }
    Ok(())
}
