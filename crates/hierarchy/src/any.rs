//! Hierarchies of a graph whose weight type is known only when its file has been read.
//!
//! An [`Order`](crate::Order) and a [`Hierarchy`] depend on the arcs alone, and are made of the
//! [unweighted graph](AnyCsr::unweighted). [`customize`] adds weights of any type. Distances are
//! then [of any type](paths::AnyDistances).

use std::path::Path as FilePath;

use graph_formats::{AnyCsr, Change, GraphError, Ids, VertexId, with_csr};
use paths::{AnyTable, Number, Progress, typed_changes};

use crate::gpu::{DeviceHierarchy, DeviceMetric, shared_table};
use crate::{Hierarchy, HierarchyError, Metric, MetricWeight, Path, Prepared, Query};

/// A [`Metric`] of any weight type, with the same methods.
#[expect(missing_docs, reason = "each does what the method of its name does")]
pub trait AnyMetric: Sync {
    fn query(&self) -> Box<dyn AnyQuery + '_>;
    fn table(&self, sources: &[VertexId], targets: &[VertexId])
    -> Result<AnyTable, HierarchyError>;
    fn k_shortest_paths(
        &self,
        source: VertexId,
        target: VertexId,
        k: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<k_paths::Path<Number>>, HierarchyError>;
    fn write(&self, path: &FilePath, ids: &Ids) -> Result<(), GraphError>;
    /// A weight that the type of the graph does not have is refused.
    fn change(&mut self, changes: &[Change<Number>]) -> Result<(), HierarchyError>;
}

/// A [`Query`] of any weight type, with the same methods.
#[expect(missing_docs, reason = "each does what the method of its name does")]
pub trait AnyQuery {
    fn distance(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<Number>, HierarchyError>;
    fn path(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<Path<Number>>, HierarchyError>;
}

/// Metrics on GPUs that share the sources of a table, of any weight type.
pub trait AnyDeviceMetrics {
    /// As [`shared_table`].
    ///
    /// # Errors
    /// The same.
    fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<AnyTable, HierarchyError>;
}

/// The hierarchy with the weights of `graph`, as [`Hierarchy::customize`].
///
/// # Errors
/// The same.
///
/// ```
/// use graph_formats::{AnyCsr, Csr};
/// use hierarchy::{Hierarchy, Order, any};
/// use paths::Number;
///
/// let graph = AnyCsr::from(Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?);
/// let arcs = graph.unweighted();
/// let hierarchy = Hierarchy::new(&arcs, &Order::by_landmarks(&arcs)?)?;
/// let metric = any::customize(&hierarchy, &graph)?;
/// assert_eq!(metric.query().distance(0, 2)?, Some(Number::U64(7)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn customize(
    hierarchy: &Hierarchy,
    graph: &AnyCsr,
) -> Result<Box<dyn AnyMetric>, HierarchyError> {
    with_csr!(graph, |graph| Ok(Box::new(hierarchy.customize(graph)?)))
}

/// The hierarchy with the weights of its file, as [`Prepared::metric`].
///
/// # Errors
/// The same.
pub fn metric(prepared: &Prepared, graph: &AnyCsr) -> Result<Box<dyn AnyMetric>, HierarchyError> {
    with_csr!(graph, |graph| Ok(Box::new(prepared.metric(graph)?)))
}

/// Hierarchies on GPUs with the weights of `graph`, each as by [`DeviceHierarchy::customize`].
///
/// # Errors
/// The same.
pub fn customize_on_gpus(
    devices: &[DeviceHierarchy],
    graph: &AnyCsr,
) -> Result<Box<dyn AnyDeviceMetrics>, HierarchyError> {
    with_csr!(graph, |graph| {
        let metrics = devices.iter().map(|device| device.customize(graph));
        Ok(Box::new(metrics.collect::<Result<Vec<_>, _>>()?))
    })
}

impl<W: MetricWeight> AnyMetric for Metric<W> {
    fn query(&self) -> Box<dyn AnyQuery + '_> {
        Box::new(Metric::query(self))
    }

    fn table(
        &self,
        sources: &[VertexId],
        targets: &[VertexId],
    ) -> Result<AnyTable, HierarchyError> {
        Metric::table(self, sources, targets).map(AnyTable::from)
    }

    fn k_shortest_paths(
        &self,
        source: VertexId,
        target: VertexId,
        k: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<k_paths::Path<Number>>, HierarchyError> {
        let paths = Metric::k_shortest_paths(self, source, target, k, progress)?;
        Ok(paths.into_iter().map(k_paths::Path::any).collect())
    }

    fn write(&self, path: &FilePath, ids: &Ids) -> Result<(), GraphError> {
        Metric::write(self, path, ids)
    }

    fn change(&mut self, changes: &[Change<Number>]) -> Result<(), HierarchyError> {
        Metric::change(self, &typed_changes(changes)?)
    }
}

impl<W: MetricWeight> AnyQuery for Query<'_, W> {
    fn distance(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<Number>, HierarchyError> {
        Ok(Query::distance(self, source, target)?.map(Number::of))
    }

    fn path(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<Path<Number>>, HierarchyError> {
        let any =
            |Path { length, vertices, arcs }| Path { length: Number::of(length), vertices, arcs };
        Ok(Query::path(self, source, target)?.map(any))
    }
}

impl<W: MetricWeight> AnyDeviceMetrics for Vec<DeviceMetric<W>> {
    fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<AnyTable, HierarchyError> {
        shared_table(self, sources, targets, progress).map(AnyTable::from)
    }
}
