//! Distances from many sources to some targets.
//!
//! Targets that are kept keep their places and those of their ancestors. A single source has a
//! pass of its own, sixteen share one. From many sources to few targets passes go the other way.

use graph_formats::parallel::WorkSpaces;
use graph_formats::{Distance, VertexId, Weight, parallel};
use ndarray::Array2;
use paths::DistanceTable;

use super::points::{Points, Walks};
use super::{LANES, Sweep};
use crate::HierarchyError;
use crate::metric::arcs::Arcs;
use crate::metric::key::{Key, is_float};
use crate::metric::lengths::{too_far, write_distances};
use crate::metric::{AnyArcs, Metric, with_arcs};
use crate::prepare::hierarchy::{DOWN, Hierarchy, UP};

/// Columns that are brought from lanes to rows at a time, which fit into the fastest cache.
const COLUMNS_PER_BLOCK: usize = 128;

/// As many sources and up to [`LANES`] vertices of targets have a pass to these.
const MANY_SOURCES: usize = 256;

/// Targets that are kept, with which tables take less time: places of a network or vertices.
///
/// Made by [`Metric::targets`].
pub struct Targets<'m, W: Weight> {
    metric: &'m Metric<W>,
    columns: Columns<W::Distance>,
}

impl<W: Weight> Metric<W> {
    pub(crate) fn find_table(
        &self,
        sources: &[VertexId],
        targets: &[VertexId],
    ) -> Result<DistanceTable<W>, HierarchyError> {
        let targets = Points::at(&self.hierarchy, "target", targets)?;
        let sources = Points::at(&self.hierarchy, "source", sources)?;
        let columns = Columns::of(&self.hierarchy, targets);
        Targets { metric: self, columns }.find_rows(sources)
    }

    pub(crate) fn keep_targets(
        &self,
        points: &[&[(VertexId, W::Distance)]],
    ) -> Result<Targets<'_, W>, HierarchyError> {
        let points = Points::of(&self.hierarchy, "target", points)?;
        Ok(Targets { metric: self, columns: Columns::of(&self.hierarchy, points) })
    }
}

impl<W: Weight> Targets<'_, W> {
    pub(crate) fn find_table(
        &self,
        sources: &[&[(VertexId, W::Distance)]],
    ) -> Result<DistanceTable<W>, HierarchyError> {
        self.find_rows(Points::of(&self.metric.hierarchy, "source", sources)?)
    }

    fn find_rows(&self, sources: Points<W::Distance>) -> Result<DistanceTable<W>, HierarchyError> {
        let Self { metric: Metric { arcs, bound, .. }, columns: Columns { points, .. } } = self;
        let shape = (sources.len(), points.len());
        let mut table = cells::<W::Distance>(shape.0, shape.1)?;
        let greatest = sources.greatest.max(points.greatest);
        let bound = bound + (sources.greatest + points.greatest) * (1.0 + 1e-6);
        if arcs.kind().holds(bound) {
            self.fill(arcs, sources, &mut table)?;
        } else if is_float::<W>() {
            return Err(HierarchyError::SumsTooLarge { greatest: greatest.to_string() });
        } else {
            let arcs = AnyArcs::U128(with_arcs!(W, arcs, arcs => arcs.widened())?);
            self.fill(&arcs, sources, &mut table)?;
        }
        let table = Array2::from_shape_vec(shape, table);
        Ok(DistanceTable::from_storage(table.unwrap_or_default()))
    }

    fn fill(
        &self,
        arcs: &AnyArcs,
        sources: Points<W::Distance>,
        table: &mut [W::Distance],
    ) -> Result<(), HierarchyError> {
        let Self { metric: Metric { hierarchy, .. }, columns } = self;
        let (targets, n_sources) = (&columns.points, sources.len());
        // of floats, sums would be rounded otherwise
        if is_float::<W>() || n_sources < MANY_SOURCES || targets.vertices.len() > LANES {
            return with_arcs!(W, arcs, arcs => {
                fill(hierarchy, arcs, UP, columns, &sources, table)
            });
        }
        let columns = Columns::of(hierarchy, sources);
        let mut reversed = cells(targets.len(), n_sources)?;
        with_arcs!(W, arcs, arcs => {
            fill(hierarchy, arcs, DOWN, &columns, targets, &mut reversed)
        })?;
        for (target, distances) in reversed.chunks_exact(n_sources).enumerate() {
            for (row, &distance) in table.chunks_exact_mut(targets.len()).zip(distances) {
                row[target] = distance;
            }
        }
        Ok(())
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
struct Columns<D> {
    points: Points<D>,
    /// The ranks of the targets' vertices and of their ancestors, each once, descending.
    above: Vec<u32>,
    /// The places of the targets' vertices among these.
    places: Vec<u32>,
}

impl<D: Distance> Columns<D> {
    /// O(ancestors · log).
    fn of(hierarchy: &Hierarchy, points: Points<D>) -> Self {
        let above = ancestors(hierarchy, &points.ranks);
        let place = |&rank: &u32| above.partition_point(|&other| other > rank) as u32;
        let places = points.ranks.iter().map(place).collect();
        Self { points, above, places }
    }
}

/// Fills the rows of all sources, in parallel; or, on the [`DOWN`] way, of all targets with the
/// distances from columns of sources.
fn fill<D: Distance, K: Key>(
    hierarchy: &Hierarchy,
    arcs: &Arcs<K>,
    way: usize,
    columns: &Columns<D>,
    sources: &Points<D>,
    table: &mut [D],
) -> Result<(), HierarchyError> {
    let walks: Vec<_> = (0..sources.len()).map(|source| sources.walks(hierarchy, source)).collect();
    match walks.as_slice() {
        [one] if one.len() == 1 => {
            fill_by::<D, K, 1>((hierarchy, arcs, way), columns, sources, (&walks, table))
        }
        _ => fill_by::<D, K, LANES>((hierarchy, arcs, way), columns, sources, (&walks, table)),
    }
}

/// Sources that share a pass: the first of them, the walks of each, and their rows.
type Batch<'a, D, K> = (usize, &'a [Walks<K>], &'a mut [D]);

/// The same by passes of this many walks.
fn fill_by<D: Distance, K: Key, const N: usize>(
    (hierarchy, arcs, way): (&Hierarchy, &Arcs<K>, usize),
    columns: &Columns<D>,
    sources: &Points<D>,
    (mut walks, mut table): (&[Walks<K>], &mut [D]),
) -> Result<(), HierarchyError> {
    let mut batches: Vec<Batch<'_, D, K>> = Vec::new();
    while !walks.is_empty() {
        let mut n_walks = 0;
        let fits = |of_source: &&Walks<K>| {
            n_walks += of_source.len();
            n_walks <= N
        };
        let n_sources = walks.iter().take_while(fits).count();
        let (some, others) = walks.split_at(n_sources);
        let (rows, left) = table.split_at_mut(n_sources * columns.points.len());
        batches.push((sources.len() - walks.len(), some, rows));
        (walks, table) = (others, left);
    }
    let new = || Pass {
        columns,
        sources,
        sweep: Sweep::on_way(hierarchy, arcs, way),
        found: vec![[K::UNREACHED; N]; columns.above.len()],
    };
    let passes = WorkSpaces::new(&new);
    parallel::try_map_of(batches, &|batch| passes.with(|pass| pass.fill(batch))).map(drop)
}

/// Passes for the same columns.
struct Pass<'a, D, K, const N: usize> {
    columns: &'a Columns<D>,
    sources: &'a Points<D>,
    sweep: Sweep<'a, K, N>,
    /// The distances of the vertices above the columns.
    found: Vec<[K; N]>,
}

impl<D: Distance, K: Key, const N: usize> Pass<'_, D, K, N> {
    fn fill(&mut self, (first, walks, rows): Batch<'_, D, K>) -> Result<(), HierarchyError> {
        let Self { columns, sources, sweep, found } = self;
        let Columns { points, above, places } = columns;
        let lanes: Vec<_> = walks.iter().flatten().map(Vec::as_slice).collect();
        sweep.pass(&lanes, above.iter().copied(), found);
        let mut nearest = [[K::UNREACHED; N]; COLUMNS_PER_BLOCK];
        for start in (0..points.len()).step_by(COLUMNS_PER_BLOCK) {
            let block = start..points.len().min(start + COLUMNS_PER_BLOCK);
            for (column, nearest) in block.clone().zip(&mut nearest) {
                *nearest = [K::UNREACHED; N];
                for end in points.range(column) {
                    let (keys, on) =
                        (found[places[end] as usize], K::of_weight(points.distances[end]));
                    *nearest = std::array::from_fn(|lane| nearest[lane].min(keys[lane].add(on)));
                }
            }
            let (mut lane, width) = (0, points.len());
            for ((row, walks), source) in rows.chunks_exact_mut(width).zip(walks).zip(first..) {
                let lanes = lane..lane + walks.len();
                lane = lanes.end;
                let least =
                    |keys: &[K; N]| keys[lanes.clone()].iter().copied().fold(K::UNREACHED, K::min);
                let keys = nearest[..block.len()].iter().map(least);
                if let Some(column) = write_distances(keys, &mut row[block.clone()]) {
                    let ends = [sources.name(source), points.name(start + column)];
                    let [from, to] = if sweep.way == UP { ends } else { [ends[1], ends[0]] };
                    return Err(too_far::<D>(from, to));
                }
            }
        }
        Ok(())
    }
}
