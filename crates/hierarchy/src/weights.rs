//! The weight types, and where the code for each is generated.
//!
//! As in `sssp`, the methods of [`MetricWeight`] have no type parameters, so that the code that
//! works on weights is generated here, and all crates above link to it. Below them it is generated
//! for the keys that lengths are added up in, with unsigned weights on one side and distances on
//! the other. What is new and generic, and has a loop, is reached through a method here.

use std::path::Path as FilePath;

use graph_formats::{Csr, GraphError, Ids, VertexId, Weight};
use k_paths::PathWeight;
use paths::{DistanceTable, Progress};

use crate::gpu::{DeviceHierarchy, DeviceMetric, table_by_gpus};
use crate::sweep::one_to_all::Hear;
use crate::{Hierarchy, HierarchyError, Metric, Path, Prepared, Query, Totals};

/// What an answer is, or why there is none.
type Answer<T> = Result<T, HierarchyError>;

/// The lengths of a graph's paths.
type Length<W> = <W as Weight>::Distance;

/// A weight type that hierarchies take: each of the six. The trait is sealed; its methods are those
/// of [`Hierarchy`], [`Metric`], [`Query`] and what is on GPUs.
pub trait MetricWeight: PathWeight {
    #[doc(hidden)]
    fn customize(hierarchy: &Hierarchy, graph: &Csr<Self>) -> Answer<Metric<Self>>;
    #[doc(hidden)]
    fn customize_again(metric: &mut Metric<Self>, weights: &[Self]) -> Answer<()>;
    #[doc(hidden)]
    fn update_metric(metric: &mut Metric<Self>, changes: &[(usize, Self)]) -> Answer<()>;
    #[doc(hidden)]
    fn prepared_metric(prepared: &Prepared, graph: &Csr<Self>) -> Answer<Metric<Self>>;
    #[doc(hidden)]
    fn write_prepared(metric: &Metric<Self>, path: &FilePath, ids: &Ids) -> Result<(), GraphError>;
    #[doc(hidden)]
    fn distance_by_hierarchy(
        query: &mut Query<'_, Self>,
        source: VertexId,
        target: VertexId,
    ) -> Answer<Option<Length<Self>>>;
    #[doc(hidden)]
    fn path_by_hierarchy(
        query: &mut Query<'_, Self>,
        source: VertexId,
        target: VertexId,
    ) -> Answer<Option<Path<Length<Self>>>>;
    #[doc(hidden)]
    fn pairs_by_hierarchy(
        metric: &Metric<Self>,
        pairs: &[(VertexId, VertexId)],
    ) -> Answer<Vec<Option<Length<Self>>>>;
    #[doc(hidden)]
    fn table_by_hierarchy(
        metric: &Metric<Self>,
        sources: &[VertexId],
        targets: &[VertexId],
    ) -> Answer<DistanceTable<Self>>;
    #[doc(hidden)]
    fn distances_by_hierarchy(
        metric: &Metric<Self>,
        sources: &[VertexId],
        hear: Hear<'_, Length<Self>>,
    ) -> Answer<()>;
    #[doc(hidden)]
    fn totals_by_hierarchy(
        metric: &Metric<Self>,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Answer<Totals>;
    #[doc(hidden)]
    fn nearest_by_hierarchy(
        metric: &Metric<Self>,
        source: VertexId,
        targets: &[VertexId],
        k: usize,
    ) -> Answer<Vec<(VertexId, Length<Self>)>>;
    #[doc(hidden)]
    fn within_by_hierarchy(
        metric: &Metric<Self>,
        source: VertexId,
        radius: Length<Self>,
    ) -> Answer<Vec<(VertexId, Length<Self>)>>;
    #[doc(hidden)]
    fn k_paths_by_hierarchy(
        metric: &Metric<Self>,
        source: VertexId,
        target: VertexId,
        k: usize,
    ) -> Answer<Vec<k_paths::Path<Length<Self>>>>;
    #[doc(hidden)]
    fn customize_on_gpu(device: &DeviceHierarchy, graph: &Csr<Self>) -> Answer<DeviceMetric<Self>>;
    #[doc(hidden)]
    fn customize_again_on_gpu(metric: &mut DeviceMetric<Self>, weights: &[Self]) -> Answer<()>;
    #[doc(hidden)]
    fn update_on_gpu(metric: &mut DeviceMetric<Self>, changes: &[(usize, Self)]) -> Answer<()>;
    #[doc(hidden)]
    fn distances_on_gpu(
        metric: &mut DeviceMetric<Self>,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
        hear: Hear<'_, Length<Self>>,
    ) -> Answer<()>;
    #[doc(hidden)]
    fn table_on_gpus(
        metrics: &mut [DeviceMetric<Self>],
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Answer<DistanceTable<Self>>;
    #[doc(hidden)]
    fn add_totals_on_gpu(
        metric: &mut DeviceMetric<Self>,
        totals: &mut Totals,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Answer<()>;
}

macro_rules! metric_weights {
    ($($weight:ty)*) => {$(
        impl MetricWeight for $weight {
            fn customize(hierarchy: &Hierarchy, graph: &Csr<Self>) -> Answer<Metric<Self>> {
                hierarchy.customized(graph)
            }
            fn customize_again(metric: &mut Metric<Self>, weights: &[Self]) -> Answer<()> {
                metric.take_all(weights)
            }
            fn update_metric(metric: &mut Metric<Self>, changes: &[(usize, Self)]) -> Answer<()> {
                metric.take_some(changes)
            }
            fn prepared_metric(prepared: &Prepared, graph: &Csr<Self>) -> Answer<Metric<Self>> {
                prepared.metric_of(graph)
            }
            fn write_prepared(
                metric: &Metric<Self>,
                path: &FilePath,
                ids: &Ids,
            ) -> Result<(), GraphError> {
                metric.write_to(path, ids)
            }
            fn distance_by_hierarchy(
                query: &mut Query<'_, Self>,
                source: VertexId,
                target: VertexId,
            ) -> Answer<Option<Length<Self>>> {
                query.find(source, target)
            }
            fn path_by_hierarchy(
                query: &mut Query<'_, Self>,
                source: VertexId,
                target: VertexId,
            ) -> Answer<Option<Path<Length<Self>>>> {
                query.find_path(source, target)
            }
            fn pairs_by_hierarchy(
                metric: &Metric<Self>,
                pairs: &[(VertexId, VertexId)],
            ) -> Answer<Vec<Option<Length<Self>>>> {
                metric.find_pairs(pairs)
            }
            fn table_by_hierarchy(
                metric: &Metric<Self>,
                sources: &[VertexId],
                targets: &[VertexId],
            ) -> Answer<DistanceTable<Self>> {
                metric.find_table(sources, targets)
            }
            fn distances_by_hierarchy(
                metric: &Metric<Self>,
                sources: &[VertexId],
                hear: Hear<'_, Length<Self>>,
            ) -> Answer<()> {
                metric.show_distances(sources, hear)
            }
            fn totals_by_hierarchy(
                metric: &Metric<Self>,
                sources: &[VertexId],
                progress: Option<Progress<'_>>,
            ) -> Answer<Totals> {
                metric.find_totals(sources, progress)
            }
            fn nearest_by_hierarchy(
                metric: &Metric<Self>,
                source: VertexId,
                targets: &[VertexId],
                k: usize,
            ) -> Answer<Vec<(VertexId, Length<Self>)>> {
                metric.find_nearest(source, targets, k)
            }
            fn within_by_hierarchy(
                metric: &Metric<Self>,
                source: VertexId,
                radius: Length<Self>,
            ) -> Answer<Vec<(VertexId, Length<Self>)>> {
                metric.find_within(source, radius)
            }
            fn k_paths_by_hierarchy(
                metric: &Metric<Self>,
                source: VertexId,
                target: VertexId,
                k: usize,
            ) -> Answer<Vec<k_paths::Path<Length<Self>>>> {
                metric.find_k_paths(source, target, k)
            }
            fn customize_on_gpu(
                device: &DeviceHierarchy,
                graph: &Csr<Self>,
            ) -> Answer<DeviceMetric<Self>> {
                DeviceMetric::new(device, graph)
            }
            fn customize_again_on_gpu(
                metric: &mut DeviceMetric<Self>,
                weights: &[Self],
            ) -> Answer<()> {
                metric.take_all(weights)
            }
            fn update_on_gpu(
                metric: &mut DeviceMetric<Self>,
                changes: &[(usize, Self)],
            ) -> Answer<()> {
                metric.take_some(changes)
            }
            fn distances_on_gpu(
                metric: &mut DeviceMetric<Self>,
                sources: &[VertexId],
                progress: Option<Progress<'_>>,
                hear: Hear<'_, Length<Self>>,
            ) -> Answer<()> {
                metric.show_distances(sources, progress, hear)
            }
            fn table_on_gpus(
                metrics: &mut [DeviceMetric<Self>],
                sources: &[VertexId],
                targets: &[VertexId],
                progress: Option<Progress<'_>>,
            ) -> Answer<DistanceTable<Self>> {
                table_by_gpus(metrics, sources, targets, progress)
            }
            fn add_totals_on_gpu(
                metric: &mut DeviceMetric<Self>,
                totals: &mut Totals,
                sources: &[VertexId],
                progress: Option<Progress<'_>>,
            ) -> Answer<()> {
                metric.add_to(totals, sources, progress)
            }
        }
    )*};
}

metric_weights! { u32 i32 u64 i64 f32 f64 }
