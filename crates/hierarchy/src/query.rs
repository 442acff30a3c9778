//! Distances and paths between two vertices.

use graph_formats::{VertexId, Weight};

use crate::HierarchyError;
use crate::metric::{Metric, with_arcs};
use crate::walk::Walk;

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
pub struct Query<'m, W: Weight>(Box<dyn Pairs<W> + 'm>);

impl<'m, W: Weight> Query<'m, W> {
    pub(crate) fn new(metric: &'m Metric<'m, W>) -> Self {
        with_arcs!(&metric.arcs, arcs => Self(Box::new(Walk::new(metric, arcs))))
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
        self.0.distance(source, target)
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
        self.0.path(source, target)
    }
}

/// What a [`Query`] does, for any keys.
pub(crate) trait Pairs<W: Weight>: Send {
    fn distance(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<W::Distance>, HierarchyError>;
    fn path(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<Path<W::Distance>>, HierarchyError>;
}
