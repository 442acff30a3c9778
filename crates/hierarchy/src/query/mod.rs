//! Distances and paths between two vertices, and what is near one.

mod k_paths;
mod near;
mod relax;
mod surroundings;
mod unpack;
mod walk;

use graph_formats::parallel::WorkSpaces;
use graph_formats::{Distance, VertexId, Weight, parallel};

use self::walk::{Walk, Walks};
use crate::metric::key::{Key, is_float};
use crate::metric::lengths::too_far;
use crate::metric::{Metric, with_arcs};
use crate::{HierarchyError, Labels};

/// As many pairs are worth another thread and its work space.
const PAIRS_PER_TASK: usize = 64;

/// As many pairs are worth a look at whether labels are sooner, at these numbers of them and of
/// vertices.
const MIN_PAIRS_OF_LABELS: usize = 1 << 10;
const N_SAMPLED_PAIRS: usize = 16;
const N_SAMPLED_VERTICES: usize = 1 << 10;

/// A shortest path.
#[derive(Clone, Debug, PartialEq)]
pub struct Path<D> {
    /// The sum of the weights of its arcs, added from its first vertex on.
    pub length: D,
    /// Its vertices in the order of travel, both ends included.
    pub vertices: Vec<VertexId>,
    /// The positions of its arcs in the graph.
    pub arcs: Vec<usize>,
}

/// Distances and paths between two vertices, with a work space of its own.
pub struct Query<'m, W: Weight> {
    metric: &'m Metric<W>,
    /// Of the metric, where there are some.
    labels: Option<&'m Labels<W>>,
    walks: Box<dyn Walks + 'm>,
}

impl<W: Weight> Metric<W> {
    pub(crate) fn new_query(&self) -> Query<'_, W> {
        let walks: Box<dyn Walks> =
            with_arcs!(W, &self.arcs, arcs => Box::new(Walk::new(&self.hierarchy, arcs)));
        Query { metric: self, labels: None, walks }
    }

    pub(crate) fn find_pairs(
        &self,
        pairs: &[(VertexId, VertexId)],
    ) -> Result<Vec<Option<W::Distance>>, HierarchyError> {
        // where memory refuses them, walks are the way
        if self.is_sooner_by_labels(pairs)
            && let Ok(labels) = self.make_labels()
        {
            return Ok(labels.find_pairs(pairs)?.iter().collect());
        }
        let new = || self.new_query();
        let queries = WorkSpaces::new(&new);
        let parts = pairs.chunks(PAIRS_PER_TASK).collect();
        let found: Vec<Vec<_>> =
            parallel::try_map_of(parts, &|pairs: &[(VertexId, VertexId)]| {
                queries.with(|query| {
                    let distances =
                        pairs.iter().map(|&(source, target)| query.find(source, target));
                    distances.collect()
                })
            })?;
        Ok(found.concat())
    }

    /// Whether walks between these pairs look at more arcs than making labels does, by some of the
    /// pairs and of the vertices. Of floats never, for a distance is then the sum of a path.
    fn is_sooner_by_labels(&self, pairs: &[(VertexId, VertexId)]) -> bool {
        let hierarchy = &self.hierarchy;
        if is_float::<W>() || pairs.len() < MIN_PAIRS_OF_LABELS {
            return false;
        }
        let n_arcs = |rank: u32| hierarchy.row(rank).len();
        let some_pairs = pairs.iter().step_by(pairs.len() / N_SAMPLED_PAIRS);
        let ends = some_pairs.flat_map(|&(source, target)| [source, target]);
        let ranks = ends.filter_map(|end| hierarchy.ranks.get(end as usize).copied());
        let by_walks: usize = ranks.flat_map(|rank| hierarchy.way_up(rank)).map(n_arcs).sum();
        let step = hierarchy.n_vertices() / N_SAMPLED_VERTICES + 1;
        let some_ranks = (0..hierarchy.n_vertices() as u32).step_by(step);
        let depth = |rank: u32| usize::from(hierarchy.depths[rank as usize]);
        let by_labels: usize = some_ranks.map(|rank| n_arcs(rank) * depth(rank)).sum();
        let by_walks = by_walks as u128 * pairs.len() as u128 / N_SAMPLED_PAIRS as u128;
        by_walks > by_labels as u128 * step as u128
    }
}

impl<W: Weight> Labels<W> {
    pub(crate) fn new_query(&self) -> Query<'_, W> {
        Query { labels: Some(self), ..self.metric.new_query() }
    }
}

impl<W: Weight> Query<'_, W> {
    pub(crate) fn find(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<W::Distance>, HierarchyError> {
        if is_float::<W>() {
            return Ok(self.find_path(source, target)?.map(|path| path.length));
        }
        if let Some(labels) = self.labels {
            return labels.find(source, target);
        }
        let ends = self.ends(source, target)?;
        let length = self.walks.length(ends);
        length.map(|length| of_integer(length, source, target)).transpose()
    }

    pub(crate) fn find_path(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<Path<W::Distance>>, HierarchyError> {
        let ends = self.ends(source, target)?;
        let graph = &self.metric.graph;
        let columns = graph.column_indices();
        let adds_up = !is_float::<W>() && W::ZERO < graph.weight_summary().least;
        let steps = self.labels.filter(|_| adds_up).and_then(|labels| labels.steps(ends));
        let steps = steps.or_else(|| self.walks.steps(ends));
        let Some((length, steps)) = steps else { return Ok(None) };
        let arcs = self.walks.unpack(&steps)?;
        let mut vertices = Vec::with_capacity(arcs.len() + 1);
        vertices.push(source);
        vertices.extend(arcs.iter().map(|&arc| columns[arc]));
        let length = if is_float::<W>() {
            let add = |length, &arc: &usize| graph.weight(arc).after(length);
            let length = arcs.iter().try_fold(W::Distance::ZERO, add);
            length.ok_or(too_far::<W::Distance>(source, target))?
        } else {
            of_integer(length, source, target)?
        };
        Ok(Some(Path { length, vertices, arcs }))
    }

    fn ends(&self, source: VertexId, target: VertexId) -> Result<[u32; 2], HierarchyError> {
        Ok([
            self.metric.hierarchy.rank("source", source)?,
            self.metric.hierarchy.rank("target", target)?,
        ])
    }
}

/// The distance that is this integer.
fn of_integer<D: Distance>(
    length: u128,
    source: VertexId,
    target: VertexId,
) -> Result<D, HierarchyError> {
    length.to_distance().ok_or(too_far::<D>(source, target))
}
