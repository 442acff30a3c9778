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
use crate::{HierarchyError, MetricWeight};

/// As many pairs are worth another thread and its work space.
const PAIRS_PER_TASK: usize = 64;

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
    walks: Box<dyn Walks + 'm>,
}

impl<W: MetricWeight> Metric<W> {
    /// A work space for distances and paths between two vertices, one for each thread. O(height +
    /// longest path).
    pub fn query(&self) -> Query<'_, W> {
        Query::new(self)
    }

    /// The distance of each pair of a source and a target; none where no path leads there. In
    /// parallel, each as [`Query::distance`].
    ///
    /// # Errors
    /// As [`Query::distance`], of any pair.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let metric = hierarchy.customize(&graph)?;
    /// assert_eq!(metric.pairs(&[(0, 2), (2, 1)])?, [Some(7), None]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pairs(
        &self,
        pairs: &[(VertexId, VertexId)],
    ) -> Result<Vec<Option<W::Distance>>, HierarchyError> {
        W::pairs_by_hierarchy(self, pairs)
    }

    pub(crate) fn find_pairs(
        &self,
        pairs: &[(VertexId, VertexId)],
    ) -> Result<Vec<Option<W::Distance>>, HierarchyError> {
        let new = || self.query();
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
}

impl<'m, W: MetricWeight> Query<'m, W> {
    fn new(metric: &'m Metric<W>) -> Self {
        let walks: Box<dyn Walks> =
            with_arcs!(W, &metric.arcs, arcs => Box::new(Walk::new(&metric.hierarchy, arcs)));
        Self { metric, walks }
    }

    /// How far `target` is from `source`; none where no path leads there. Of integers exactly;
    /// of floats the length of the [path](Query::path).
    ///
    /// # Errors
    /// When there is no such vertex, or the distance overflows its type.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let metric = hierarchy.customize(&graph)?;
    /// let mut query = metric.query();
    /// assert_eq!(query.distance(0, 2)?, Some(7));
    /// assert_eq!(query.distance(2, 0)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distance(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<W::Distance>, HierarchyError> {
        W::distance_by_hierarchy(self, source, target)
    }

    /// A shortest path from `source` to `target`, in arcs of the graph; none where there is none.
    /// O(arcs that lead up from the ancestors + length · longest row).
    ///
    /// # Errors
    /// As [`Query::distance`].
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let metric = hierarchy.customize(&graph)?;
    /// let path = metric.query().path(0, 2)?.expect("there is a path");
    /// assert_eq!((path.length, path.vertices), (7, vec![0, 1, 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn path(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<Path<W::Distance>>, HierarchyError> {
        W::path_by_hierarchy(self, source, target)
    }

    pub(crate) fn find(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<W::Distance>, HierarchyError> {
        if is_float::<W>() {
            return Ok(self.find_path(source, target)?.map(|path| path.length));
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
        let Some((length, arcs)) = self.walks.path(ends, columns)? else { return Ok(None) };
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
