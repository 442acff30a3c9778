//! The functions of this crate for each of the six weight types, whose code is generated here.
//!
//! The functions of a [`Generated`] have no type parameters, so that the code that works on weights
//! is generated here, and all crates above link to it. Below them it is generated for the keys that
//! lengths are added up in, with unsigned weights on one side and distances on the other. What is
//! new and generic, and has a loop, is reached through a function there.

use std::path::Path as FilePath;
use std::slice;

use gpu_runtime::{Buffer, Gpu};
use graph_formats::{Change, Csr, GraphError, Ids, VertexId, Weight};
use k_paths::PathWeight;
use paths::aggregate::{Aggregate, Points};
use paths::{DistanceTable, Distances, Progress};

use crate::gpu::{
    DeviceDistances, DeviceHierarchy, DeviceLabels, DeviceMetric, metrics_on_gpus, table_by_gpus,
    totals_by_gpus,
};
use crate::sweep::one_to_all::{Hear, by_place};
use crate::{Hierarchy, HierarchyError, Labels, Metric, Path, Prepared, Query, Targets, Totals};

/// A weight type that hierarchies take: each of the six. The trait is sealed.
pub trait MetricWeight: PathWeight {
    #[doc(hidden)]
    fn generated() -> &'static Generated<Self>;
}

macro_rules! metric_weights {
    ($($weight:ty)*) => {$(
        impl MetricWeight for $weight {
            fn generated() -> &'static Generated<Self> {
                static GENERATED: Generated<$weight> = Generated::ALL;
                &GENERATED
            }
        }
    )*};
}

metric_weights! { u32 i32 u64 i64 f32 f64 }

/// A result of this crate.
type Answer<T> = Result<T, HierarchyError>;

/// The lengths of a graph's paths.
type Length<W> = <W as Weight>::Distance;

/// The functions of this crate for a weight type, those of [`Hierarchy`], [`Metric`], [`Query`] and
/// what is on GPUs.
#[expect(clippy::type_complexity, reason = "each is what the method of its name takes and returns")]
pub struct Generated<W: Weight> {
    customize: fn(&Hierarchy, &Csr<W>) -> Answer<Metric<W>>,
    metric_of: fn(&Prepared, &Csr<W>) -> Answer<Metric<W>>,
    take_all: fn(&mut Metric<W>, &[W]) -> Answer<()>,
    take_some: fn(&mut Metric<W>, &[(usize, W)]) -> Answer<()>,
    take_changes: fn(&mut Metric<W>, &[Change<W>]) -> Answer<()>,
    write: fn(&Metric<W>, &FilePath, &Ids) -> Result<(), GraphError>,
    query: fn(&Metric<W>) -> Query<'_, W>,
    distance: fn(&mut Query<'_, W>, VertexId, VertexId) -> Answer<Option<Length<W>>>,
    path: fn(&mut Query<'_, W>, VertexId, VertexId) -> Answer<Option<Path<Length<W>>>>,
    pairs: fn(&Metric<W>, &[(VertexId, VertexId)]) -> Answer<Vec<Option<Length<W>>>>,
    table: fn(&Metric<W>, &[VertexId], &[VertexId]) -> Answer<DistanceTable<W>>,
    targets: for<'m> fn(&'m Metric<W>, &[&[(VertexId, Length<W>)]]) -> Answer<Targets<'m, W>>,
    table_to: fn(&Targets<'_, W>, &[&[(VertexId, Length<W>)]]) -> Answer<DistanceTable<W>>,
    show_distances: fn(&Metric<W>, &[VertexId], Hear<'_, Length<W>>) -> Answer<()>,
    totals: fn(&Metric<W>, &[VertexId], Option<Progress<'_>>) -> Answer<Totals>,
    nearest: fn(&Metric<W>, VertexId, &[VertexId], usize) -> Answer<Vec<(VertexId, Length<W>)>>,
    within: fn(&Metric<W>, VertexId, Length<W>) -> Answer<Vec<(VertexId, Length<W>)>>,
    k_shortest_paths: fn(
        &Metric<W>,
        VertexId,
        VertexId,
        usize,
        Option<Progress<'_>>,
    ) -> Answer<Vec<k_paths::Path<Length<W>>>>,
    labels: fn(&Metric<W>) -> Answer<Labels<W>>,
    bytes_of_labels: fn(&Metric<W>) -> u64,
    renew_labels: fn(&mut Labels<W>, &Metric<W>) -> Answer<usize>,
    label_query: fn(&Labels<W>) -> Query<'_, W>,
    label_distance: fn(&Labels<W>, VertexId, VertexId) -> Answer<Option<Length<W>>>,
    label_pairs: fn(&Labels<W>, &[(VertexId, VertexId)]) -> Answer<Distances<Length<W>>>,
    labels_on_gpu: fn(&DeviceMetric<W>) -> Answer<DeviceLabels<W>>,
    renew_labels_on_gpu: fn(&mut DeviceLabels<W>, &DeviceMetric<W>) -> Answer<()>,
    label_pairs_on_gpu:
        fn(&DeviceLabels<W>, &[(VertexId, VertexId)]) -> Answer<Distances<Length<W>>>,
    customize_on_gpu: fn(&DeviceHierarchy, &Csr<W>) -> Answer<DeviceMetric<W>>,
    metrics_on_gpus: fn(&Hierarchy, &Csr<W>, &[Gpu]) -> Answer<Vec<DeviceMetric<W>>>,
    take_all_on_gpu: fn(&mut DeviceMetric<W>, &[W]) -> Answer<()>,
    take_some_on_gpu: fn(&mut DeviceMetric<W>, &[(usize, W)]) -> Answer<()>,
    show_distances_on_gpu: fn(
        &mut DeviceMetric<W>,
        &[VertexId],
        Option<Progress<'_>>,
        Hear<'_, Length<W>>,
    ) -> Answer<()>,
    table_by_gpus: fn(
        &mut [DeviceMetric<W>],
        &[VertexId],
        &[VertexId],
        Option<Progress<'_>>,
    ) -> Answer<DistanceTable<W>>,
    add_totals_on_gpu:
        fn(&mut DeviceMetric<W>, &mut Totals, &[VertexId], Option<Progress<'_>>) -> Answer<()>,
    totals_by_gpus:
        fn(&mut [DeviceMetric<W>], &mut Totals, &[VertexId], Option<Progress<'_>>) -> Answer<()>,
    aggregate_on_gpu: fn(
        &mut DeviceMetric<W>,
        &Points<'_>,
        f64,
        &Aggregate,
        Option<Progress<'_>>,
    ) -> Answer<Vec<f64>>,
}

impl<W: PathWeight> Generated<W> {
    const ALL: Self = Self {
        customize: Metric::of,
        metric_of: Prepared::metric_of,
        take_all: Metric::take_all,
        take_some: Metric::take_some,
        take_changes: Metric::take_changes,
        write: Metric::write_to,
        query: Metric::new_query,
        distance: |query, source, target| query.find(source, target),
        path: |query, source, target| query.find_path(source, target),
        pairs: Metric::find_pairs,
        table: Metric::find_table,
        targets: Metric::keep_targets,
        table_to: |targets, sources| targets.find_table(sources),
        show_distances: Metric::show_distances,
        totals: Metric::find_totals,
        nearest: Metric::find_nearest,
        within: Metric::find_within,
        k_shortest_paths: Metric::find_k_paths,
        labels: Metric::make_labels,
        bytes_of_labels: Metric::find_bytes_of_labels,
        renew_labels: Labels::take,
        label_query: Labels::new_query,
        label_distance: Labels::find,
        label_pairs: Labels::find_pairs,
        labels_on_gpu: DeviceMetric::make_labels,
        renew_labels_on_gpu: DeviceLabels::take,
        label_pairs_on_gpu: DeviceLabels::find_pairs,
        customize_on_gpu: DeviceMetric::new,
        metrics_on_gpus,
        take_all_on_gpu: DeviceMetric::take_all,
        take_some_on_gpu: DeviceMetric::take_some,
        show_distances_on_gpu: DeviceMetric::show_distances,
        table_by_gpus,
        add_totals_on_gpu: DeviceMetric::add_to,
        totals_by_gpus,
        aggregate_on_gpu: DeviceMetric::find_aggregate,
    };
}

impl Hierarchy {
    /// The hierarchy with the weights of `graph`: of the graph that it was made for, or of another
    /// with the same arcs. In parallel; O(triangles of the hierarchy), and 16 bytes an arc of
    /// it where all distances are sure to fit in 31 bits, else 24. The metric shares the memory of
    /// the hierarchy and of the graph.
    ///
    /// # Errors
    /// When the arcs of `graph` are others, a weight is negative, or floats are so large that a sum
    /// of them may be infinite; when the system refuses the memory.
    pub fn customize<W: MetricWeight>(&self, graph: &Csr<W>) -> Result<Metric<W>, HierarchyError> {
        (W::generated().customize)(self, graph)
    }
}

impl Prepared {
    /// The hierarchy with the weights that the file has: those of `graph`. O(n + m).
    ///
    /// # Errors
    /// When `graph` is not the one of the file.
    pub fn metric<W: MetricWeight>(&self, graph: &Csr<W>) -> Result<Metric<W>, HierarchyError> {
        (W::generated().metric_of)(self, graph)
    }
}

impl DeviceHierarchy {
    /// The hierarchy with the weights of `graph`: of the graph that it was made for, or of another
    /// with the same arcs. O(triangles) on the GPU, and on the CPU the first time, in parallel; 16
    /// bytes an arc of the hierarchy there, or 8, and as many an arc of the graph on both sides. The
    /// metric shares the memory of the graph.
    ///
    /// # Errors
    /// When the arcs of `graph` are others, a weight is negative, sums of weights may leave 64
    /// bits or the range of floats, or the GPU fails or has too little memory.
    pub fn customize<W: MetricWeight>(
        &self,
        graph: &Csr<W>,
    ) -> Result<DeviceMetric<W>, HierarchyError> {
        (W::generated().customize_on_gpu)(self, graph)
    }
}

impl<W: MetricWeight> Metric<W> {
    /// Replaces the weights by these, one for each arc. The result is that of
    /// [`Hierarchy::customize`] of a graph with them, in less time if few weights differ.
    ///
    /// O(m) to find the weights that differ, at the speed of memory; then as [`Metric::update`].
    ///
    /// # Errors
    /// When the number of weights is not that of the arcs, a weight is negative or not finite, or
    /// floats are so large that a sum of them may be infinite. The metric is then unchanged.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// // arcs 0 to 2 are 0 -> 1, 0 -> 2 and 1 -> 2
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (0, 2, 9), (1, 2, 2)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let mut metric = hierarchy.customize(&graph)?;
    /// metric.customize(&[50, 9, 2])?;
    /// assert_eq!(metric.query().distance(0, 2)?, Some(9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn customize(&mut self, weights: &[W]) -> Result<(), HierarchyError> {
        (W::generated().take_all)(self, weights)
    }

    /// Gives arcs, by their positions in the graph, these weights; of two for one arc the last
    /// counts. The same as [`Hierarchy::customize`] of a graph with them.
    ///
    /// It recomputes the vertices of the hierarchy that have an arc that may change, each with the
    /// triangles below it. The first time O(arcs) to copy what clones of the metric, the graph or
    /// a file share, and O(n + m) where the hierarchy is from a file. Where more than one arc in
    /// 128 has another weight, or keys have to be wider, all is customized.
    ///
    /// # Errors
    /// When there is no such arc, or for its weight as [`Metric::customize`]. The metric is then
    /// unchanged.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (0, 2, 9), (1, 2, 2)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let mut metric = hierarchy.customize(&graph)?;
    /// let before = metric.clone();
    /// // a traffic jam
    /// metric.update(&[(graph.row(0).start, 50)])?;
    /// assert_eq!(metric.query().distance(0, 2)?, Some(9));
    /// assert_eq!(before.query().distance(0, 2)?, Some(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn update(&mut self, changes: &[(usize, W)]) -> Result<(), HierarchyError> {
        (W::generated().take_some)(self, changes)
    }

    /// Makes changes of the graph, all or none: arcs are closed, opened, or get other weights. An
    /// arc can be opened where an arc or a shortcut of the hierarchy joins its ends. Distances and
    /// paths are those of the changed graph.
    ///
    /// O(n + m); then as [`Metric::update`] if arcs only get other weights, else as
    /// [`Hierarchy::customize`]. Arcs are then numbered as [`Metric::graph`] has them: those of a
    /// vertex by where they end.
    ///
    /// # Errors
    /// When there is no such arc, a pair of vertices occurs twice, or no arc or shortcut joins the
    /// ends of a new arc; when a vertex is new; for weights as [`Hierarchy::customize`]. The metric
    /// is then unchanged.
    ///
    /// ```
    /// use graph_formats::{Change, Csr};
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (0, 2, 9), (1, 2, 2)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let mut metric = hierarchy.customize(&graph)?;
    /// let close = Change::Delete { from: 0, to: 1, weight: None };
    /// let open = Change::Insert { from: 2, to: 1, weight: 4 };
    /// metric.change(&[close, open])?;
    /// assert_eq!(metric.query().distance(0, 1)?, Some(13));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn change(&mut self, changes: &[Change<W>]) -> Result<(), HierarchyError> {
        (W::generated().take_changes)(self, changes)
    }

    /// Writes the graph, the names of its vertices and its hierarchy with these weights: a file
    /// that is read as any graph, and as [`Prepared`].
    ///
    /// # Errors
    /// When it cannot be written; then no file is left.
    pub fn write(&self, path: impl AsRef<FilePath>, ids: &Ids) -> Result<(), GraphError> {
        (W::generated().write)(self, path.as_ref(), ids)
    }

    /// A work space for distances and paths between two vertices, one for each thread. O(height +
    /// longest path).
    pub fn query(&self) -> Query<'_, W> {
        (W::generated().query)(self)
    }

    /// The distance of each pair of a source and a target; `None` if there is no path. In parallel,
    /// each as [`Query::distance`]; thousands of integers by [`Labels`], which are made for them.
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
        (W::generated().pairs)(self, pairs)
    }

    /// The distances from each of `sources` to each of `targets`; a row a source, in the order
    /// given.
    ///
    /// In parallel and as exact as [`Metric::distances`], but the passes are over those vertices only
    /// that are ancestors of a target. From hundreds of sources to 16 targets or fewer, of integers,
    /// there is one pass, from the targets over the ancestors of the sources.
    ///
    /// # Errors
    /// When a source or target does not exist, a distance overflows its type, or the system has no
    /// memory for the table.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let table = hierarchy.customize(&graph)?.table(&[1, 0], &[2])?;
    /// assert_eq!((table.get(0, 0), table.get(1, 0)), (Some(2), Some(7)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn table(
        &self,
        sources: &[VertexId],
        targets: &[VertexId],
    ) -> Result<DistanceTable<W>, HierarchyError> {
        (W::generated().table)(self, sources, targets)
    }

    /// Targets for tables from [points](Targets::table): each some vertices with the distance from
    /// there to the target. A place on an arc has the arc's start, and on a street of two ways both
    /// ends; a vertex is `[(vertex, 0)]`. O(ancestors of all · log).
    ///
    /// # Errors
    /// When a vertex does not exist, a target has more than 16, or a distance is negative or not
    /// finite.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// // a street of length 10 between 0 and 1, and one of length 4 between 1 and 2
    /// let graph = Csr::from_edges(3, &[(0, 1, 10u32), (1, 2, 4)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let metric = hierarchy.customize(&graph)?;
    /// // a shop on the first, 3 from 0 and 7 from 1, and one at 2
    /// let shops = metric.targets(&[vec![(0, 3), (1, 7)], vec![(2, 0)]])?;
    /// let from_homes = shops.table(&[vec![(0, 0)], vec![(1, 1), (2, 3)]])?;
    /// assert_eq!(from_homes.row(0).collect::<Vec<_>>(), [Some(3), Some(14)]);
    /// assert_eq!(from_homes.row(1).collect::<Vec<_>>(), [Some(8), Some(3)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn targets<P: AsRef<[(VertexId, W::Distance)]>>(
        &self,
        points: &[P],
    ) -> Result<Targets<'_, W>, HierarchyError> {
        let points: Vec<_> = points.iter().map(AsRef::as_ref).collect();
        (W::generated().targets)(self, &points)
    }

    /// The distances of all vertices from each of `sources`, in the order given.
    ///
    /// As [`Metric::map_distances`], with memory for all of them.
    ///
    /// # Errors
    /// When a source does not exist, a distance overflows its type, or the system refuses the memory.
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

    /// Calls `result` with each of `sources` and the distances of all vertices from it. Returns the
    /// results in the order given.
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
        by_place(sources, result, |hear| (W::generated().show_distances)(self, sources, hear))
    }

    /// Adds up the distances of every vertex from all of `sources`.
    ///
    /// In parallel; tells `progress` how many sources are done. Integers are added up exactly. Of
    /// floats the weights of an arc of the hierarchy are added up first. These and reciprocals are
    /// added up by sixteens and groups of sources. So from s sources they differ from a sum of one
    /// after the other by no more than s parts in 2^52.
    ///
    /// # Errors
    /// When a source does not exist, a distance overflows its type, the system refuses the memory, or
    /// the callback ended the work.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Lengths, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let totals = hierarchy.customize(&graph)?.totals(&[0, 1, 2], None)?;
    /// let lengths = Lengths::Integers { sums: vec![0, 5, 9], greatest: vec![0, 5, 7] };
    /// assert_eq!((totals.n_sources, totals.lengths), (vec![1, 2, 3], lengths));
    /// assert_eq!(totals.reciprocals, [0.0, 1.0 / 5.0, 1.0 / 7.0 + 1.0 / 2.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn totals(
        &self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<Totals, HierarchyError> {
        (W::generated().totals)(self, sources, progress)
    }

    /// The `k` of `targets` that are nearest to `source`, with their distances, the nearest first;
    /// of those equally near the ones listed first. There are fewer if fewer of them have a path.
    ///
    /// Distances are those of [`Metric::table`]. With t targets O(height² + t log t), plus the arcs
    /// that lead up from ancestors of the targets; most ancestors farther than the last result are
    /// skipped.
    ///
    /// # Errors
    /// When the source or a target does not exist, or a distance overflows its type.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_edges(4, &[(0, 1, 7u32), (1, 2, 1), (2, 3, 2)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let metric = hierarchy.customize(&graph)?;
    /// assert_eq!(metric.nearest(1, &[0, 2, 3], 2)?, [(2, 1), (3, 3)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nearest(
        &self,
        source: VertexId,
        targets: &[VertexId],
        k: usize,
    ) -> Result<Vec<(VertexId, W::Distance)>, HierarchyError> {
        (W::generated().nearest)(self, source, targets, k)
    }

    /// The vertices no farther than `radius` from `source`, with their distances, ascending by
    /// vertex.
    ///
    /// As exact as [`Metric::distances`]. O(height² + arcs that lead up from vertices so near or
    /// with an end so near, and f log f to sort the f that are found).
    ///
    /// # Errors
    /// When the source does not exist.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_edges(4, &[(0, 1, 7u32), (1, 2, 1), (2, 3, 2)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let metric = hierarchy.customize(&graph)?;
    /// assert_eq!(metric.within(2, 2)?, [(1, 1), (2, 0), (3, 2)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn within(
        &self,
        source: VertexId,
        radius: W::Distance,
    ) -> Result<Vec<(VertexId, W::Distance)>, HierarchyError> {
        (W::generated().within)(self, source, radius)
    }

    /// The `k` shortest simple paths from `source` to `target`, or all where there are fewer: the
    /// same in the same order as those of `sssp::Solver::k_shortest_paths`.
    ///
    /// About k searches, which go straight along shortest paths where nothing is in the way. For
    /// each vertex that they come to, also the arcs that lead up from it and from those ancestors
    /// that were not needed before. `progress` gets the number of paths found.
    ///
    /// # Errors
    /// When the source or target does not exist, or one of the `k` paths has a length that its type
    /// cannot hold; when the system refuses the memory, or `progress` ended the work.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_edges(4, &[(0, 1, 1u32), (1, 3, 4), (0, 2, 2), (2, 3, 1)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let paths = hierarchy.customize(&graph)?.k_shortest_paths(0, 3, 2, None)?;
    /// let found: Vec<_> = paths.iter().map(|path| (path.length, &path.vertices[..])).collect();
    /// assert_eq!(found, [(3, &[0, 2, 3][..]), (5, &[0, 1, 3])]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn k_shortest_paths(
        &self,
        source: VertexId,
        target: VertexId,
        k: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<k_paths::Path<W::Distance>>, HierarchyError> {
        (W::generated().k_shortest_paths)(self, source, target, k, progress)
    }
}

impl<W: MetricWeight> Targets<'_, W> {
    /// The distances from each of `sources`, which are points too: some vertices with the distance
    /// from the source to each. A row a source, in the order given.
    ///
    /// It is the least sum over a vertex of the source and one of the target, as exact as in
    /// [`Metric::table`]; none where a point has no vertices. Every path leads over a vertex: of two
    /// points on one arc, take the least of this and of the way along the arc.
    ///
    /// A source on an arc costs as much as a vertex. One of other vertices costs up to as much as
    /// all of them.
    ///
    /// # Errors
    /// For the sources as [`Metric::targets`]; when a distance overflows its type, or the system has
    /// no memory for the table.
    pub fn table<P: AsRef<[(VertexId, W::Distance)]>>(
        &self,
        sources: &[P],
    ) -> Result<DistanceTable<W>, HierarchyError> {
        let sources: Vec<_> = sources.iter().map(AsRef::as_ref).collect();
        (W::generated().table_to)(self, &sources)
    }
}

impl<W: MetricWeight> Metric<W> {
    /// Labels of the metric as it is now, with which a distance takes less than a microsecond: for
    /// some million queries and more between two changes of the weights.
    ///
    /// In parallel; O(Σ arcs of a vertex of the hierarchy · its depth), a few times what
    /// [`Hierarchy::customize`] takes. [`Metric::bytes_of_labels`], and a square of the height for
    /// each thread while they are made.
    ///
    /// # Errors
    /// When the system refuses the memory.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let labels = hierarchy.customize(&graph)?.labels()?;
    /// assert_eq!(labels.distance(0, 2)?, Some(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn labels(&self) -> Result<Labels<W>, HierarchyError> {
        (W::generated().labels)(self)
    }

    /// The bytes that labels take, at most: 4 or more for each ancestor of each vertex, where
    /// distances in both directions are the same, else twice as many; and 32 or more a vertex.
    /// O(n + arcs).
    pub fn bytes_of_labels(&self) -> u64 {
        (W::generated().bytes_of_labels)(self)
    }
}

impl<W: MetricWeight> Labels<W> {
    /// Makes them those of a metric whose weights or arcs have changed. Those of vertices from which
    /// no arc of the hierarchy that has changed is reached upwards stay. Where the hierarchy is
    /// another, or its keys or those of the labels have another width, all are made anew.
    ///
    /// O(n + arcs of the hierarchy), and for labels made anew as [`Metric::labels`]; memory that
    /// clones of the labels share is copied once.
    ///
    /// # Returns
    /// Of how many vertices labels were made anew.
    ///
    /// # Errors
    /// When the system refuses the memory. The labels are then unchanged.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let mut metric = hierarchy.customize(&graph)?;
    /// let mut labels = metric.labels()?;
    /// metric.update(&[(graph.row(0).start, 50)])?;
    /// labels.renew(&metric)?;
    /// assert_eq!(labels.distance(0, 2)?, Some(9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn renew(&mut self, metric: &Metric<W>) -> Result<usize, HierarchyError> {
        (W::generated().renew_labels)(self, metric)
    }

    /// The metric that the labels were made of.
    pub fn metric(&self) -> &Metric<W> {
        &self.metric
    }

    /// The distance from `source` to `target`; `None` if there is no path. O(ancestors that they
    /// have in common). Of floats as in a [table](Metric::table), where a sum of shortcuts may
    /// differ from that of a path in its last digits.
    ///
    /// # Errors
    /// When a vertex does not exist, or the distance overflows its type.
    pub fn distance(
        &self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<W::Distance>, HierarchyError> {
        (W::generated().label_distance)(self, source, target)
    }

    /// Finds distances and paths between two vertices by the labels: paths in half the time of
    /// [`Metric::query`]. Where floats are weights, or an arc weighs nothing, a path takes as long.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let labels = hierarchy.customize(&graph)?.labels()?;
    /// let path = labels.query().path(0, 2)?.expect("there is a path");
    /// assert_eq!((path.length, path.vertices), (7, vec![0, 1, 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn query(&self) -> Query<'_, W> {
        (W::generated().label_query)(self)
    }

    /// The distance of each pair of a source and a target, in the order given. In parallel, each as
    /// [`Labels::distance`]; in less time, for what the next pairs need is fetched meanwhile.
    ///
    /// # Errors
    /// As [`Labels::distance`], of any pair; when the system refuses the memory.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let labels = hierarchy.customize(&graph)?.labels()?;
    /// let distances = labels.pairs(&[(0, 2), (2, 1)])?;
    /// assert_eq!(distances.iter().collect::<Vec<_>>(), [Some(7), None]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pairs(
        &self,
        pairs: &[(VertexId, VertexId)],
    ) -> Result<Distances<W::Distance>, HierarchyError> {
        (W::generated().label_pairs)(self, pairs)
    }
}

impl<W: MetricWeight> Query<'_, W> {
    /// The distance of `target` from `source`; `None` if there is no path. Integers are exact; a
    /// float is the length of the [path](Query::path).
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
        (W::generated().distance)(self, source, target)
    }

    /// A shortest path from `source` to `target`, in arcs of the graph; `None` if there is none.
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
        (W::generated().path)(self, source, target)
    }
}

impl<W: MetricWeight> DeviceMetric<W> {
    /// Replaces the weights by these, one for each arc, as [`DeviceHierarchy::customize`], but
    /// takes no memory, unless keys get wider or narrower, or the CPU has customized them.
    ///
    /// # Errors
    /// When there are fewer weights than arcs or more, one is not finite, or as
    /// [`DeviceHierarchy::customize`]. The metric is then unchanged, except if the GPU fails: then
    /// it has no weights and must be customized again.
    ///
    /// ```
    /// use gpu_runtime::Gpu;
    /// use graph_formats::Csr;
    /// use hierarchy::gpu::DeviceHierarchy;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (0, 2, 9), (1, 2, 2)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// if let Ok(gpu) = Gpu::open() {
    ///     let on_gpu = DeviceHierarchy::new(&hierarchy, &graph, &gpu)?;
    ///     let mut metric = on_gpu.customize(&graph)?;
    ///     metric.customize(&[50, 9, 2])?;
    ///     assert_eq!(metric.table(&[0], &[2], None)?.get(0, 0), Some(9));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn customize(&mut self, weights: &[W]) -> Result<(), HierarchyError> {
        (W::generated().take_all_on_gpu)(self, weights)
    }

    /// Gives arcs, by their positions in the graph, these weights; of two for one arc the last
    /// counts. O(changes) on the CPU, and the first time O(m) where the graph's array of weights is
    /// shared; all weights are uploaded, and all is customized on the GPU.
    ///
    /// # Errors
    /// When there is no such arc, or for its weight as [`DeviceMetric::customize`].
    pub fn update(&mut self, changes: &[(usize, W)]) -> Result<(), HierarchyError> {
        (W::generated().take_some_on_gpu)(self, changes)
    }

    /// The distances of all vertices from each of `sources`, in the order given.
    ///
    /// As [`DeviceMetric::map_distances`], with memory of the CPU for all of them.
    ///
    /// # Errors
    /// As [`DeviceMetric::map_distances`].
    pub fn distances(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<Distances<W::Distance>>, HierarchyError> {
        self.map_distances(sources, progress, |_, distances| distances.clone())
    }

    /// Calls `result` with each of `sources` and the distances of all vertices from it, on threads
    /// of the CPU while the next distances are found and copied. Returns the results in the order
    /// given.
    ///
    /// Tells `progress` how many sources are done. The GPU holds three keys for each vertex and
    /// source of a batch, which are up to 512.
    ///
    /// # Errors
    /// When a source does not exist, a distance overflows its type, the callback ended the work, or
    /// the GPU fails or has too little memory.
    ///
    /// ```
    /// use gpu_runtime::Gpu;
    /// use graph_formats::Csr;
    /// use hierarchy::gpu::DeviceHierarchy;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// if let Ok(gpu) = Gpu::open() {
    ///     let on_gpu = DeviceHierarchy::new(&hierarchy, &graph, &gpu)?;
    ///     let mut metric = on_gpu.customize(&graph)?;
    ///     let farthest = metric.map_distances(&[0, 1], None, |_, distances| distances.max())?;
    ///     assert_eq!(farthest, [Some(7), Some(2)]);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn map_distances<T: Send>(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
        result: impl Fn(VertexId, &Distances<W::Distance>) -> T + Sync,
    ) -> Result<Vec<T>, HierarchyError> {
        by_place(sources, result, |hear| {
            (W::generated().show_distances_on_gpu)(self, sources, progress, hear)
        })
    }

    /// The distances from each of `sources` to each of `targets`; a row a source, in the order
    /// given.
    ///
    /// As [`DeviceMetric::map_distances`], but sweeps are over those vertices only that are
    /// ancestors of a target.
    ///
    /// # Errors
    /// As [`DeviceMetric::map_distances`], also for targets, and when the system has no memory for
    /// the table.
    pub fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<DistanceTable<W>, HierarchyError> {
        shared_table(slice::from_mut(self), sources, targets, progress)
    }

    /// Adds up the distances of every vertex from all of `sources`, up to 4,096 at a time.
    ///
    /// Tells `progress` how many sources are done. The GPU holds a key for each vertex and source
    /// of a batch, and 36 bytes a vertex.
    ///
    /// # Errors
    /// When a source does not exist, a distance overflows its type, the callback ended the work, or
    /// the GPU fails or has too little memory.
    ///
    /// ```
    /// use gpu_runtime::Gpu;
    /// use graph_formats::Csr;
    /// use hierarchy::gpu::DeviceHierarchy;
    /// use hierarchy::{Hierarchy, Lengths, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// if let Ok(gpu) = Gpu::open() {
    ///     let on_gpu = DeviceHierarchy::new(&hierarchy, &graph, &gpu)?;
    ///     let totals = on_gpu.customize(&graph)?.totals(&[0, 1, 2], None)?;
    ///     let lengths = Lengths::Integers { sums: vec![0, 5, 9], greatest: vec![0, 5, 7] };
    ///     assert_eq!((totals.n_sources, totals.lengths), (vec![1, 2, 3], lengths));
    ///     assert_eq!(totals.reciprocals, [0.0, 1.0 / 5.0, 1.0 / 7.0 + 1.0 / 2.0]);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn totals(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<Totals, HierarchyError> {
        let mut totals = self.no_totals();
        self.add_totals(&mut totals, sources, progress)?;
        Ok(totals)
    }

    /// Adds to the totals of other sources. The result is that of all sources in one call, to the
    /// last bit, so a long computation can be saved in between and resumed.
    ///
    /// # Errors
    /// As [`DeviceMetric::totals`], and when the totals are not of as many vertices. They are then
    /// as they were.
    pub fn add_totals(
        &mut self,
        totals: &mut Totals,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<(), HierarchyError> {
        (W::generated().add_totals_on_gpu)(self, totals, sources, progress)
    }

    /// An aggregate of the points within `cutoff` of every vertex. The result has a row for each
    /// vertex with a number for each category, row after row. Where a vertex has no point within
    /// the cutoff, a count and a sum are zero, a mean and a minimum NaN.
    ///
    /// It takes the time of the distances between all vertices and those with points, whatever the
    /// cutoff is: a vertex with points of several categories counts as several. 512 are swept from
    /// at a time. The GPU holds a key for each vertex and one of these, and 8 bytes a number, 16
    /// for a mean.
    ///
    /// Counts are exact below 2^53. Numbers are added in the order of the vertices with points, as
    /// on the CPU by `sssp::Solver::aggregate`, so that every run has the same bits.
    ///
    /// Tells `progress` how many sources are done.
    ///
    /// # Errors
    /// When a point does not exist, points do not fit what is asked, the callback ended the work,
    /// the system refuses the memory, or the GPU fails or has too little of it.
    ///
    /// ```
    /// use gpu_runtime::Gpu;
    /// use graph_formats::Csr;
    /// use hierarchy::gpu::DeviceHierarchy;
    /// use hierarchy::{Hierarchy, Order};
    /// use paths::aggregate::{Aggregate, Decay, Points, Statistic};
    ///
    /// let graph = Csr::from_edges(4, &[(0, 1, 2u32), (1, 2, 2), (2, 3, 1)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// if let Ok(gpu) = Gpu::open() {
    ///     let on_gpu = DeviceHierarchy::new(&hierarchy, &graph, &gpu)?;
    ///     let mut metric = on_gpu.customize(&graph)?;
    ///     let shops = Points::at(&[0, 0, 3]);
    ///     let count = metric.aggregate(&shops, 3.0, &Aggregate::default(), None)?;
    ///     assert_eq!(count, [2.0, 3.0, 1.0, 1.0]);
    ///     let (statistic, decay) = (Statistic::Sum, Decay::Linear);
    ///     let wanted = Aggregate { statistic, decay, ..Aggregate::default() };
    ///     let shops = Points { values: Some(&[3.0, 6.0, 6.0]), ..shops };
    ///     assert_eq!(metric.aggregate(&shops, 4.0, &wanted, None)?, [9.0, 6.0, 4.5, 6.0]);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn aggregate(
        &mut self,
        points: &Points<'_>,
        cutoff: f64,
        aggregate: &Aggregate,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<f64>, HierarchyError> {
        (W::generated().aggregate_on_gpu)(self, points, cutoff, aggregate, progress)
    }
}

impl<W: MetricWeight> DeviceMetric<W> {
    /// Labels of the metric as it is now, in the GPU's memory: 4 or 8 bytes for each ancestor of
    /// each vertex, twice that where directions differ, and 4 for where they are. O(Σ arcs of a
    /// vertex · its depth) on the GPU.
    ///
    /// # Errors
    /// When the GPU fails or has too little memory, or labels have more keys than 31 bits count.
    ///
    /// ```
    /// use gpu_runtime::Gpu;
    /// use graph_formats::Csr;
    /// use hierarchy::gpu::DeviceHierarchy;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// if let Ok(gpu) = Gpu::open() {
    ///     let mut metric = DeviceHierarchy::new(&hierarchy, &graph, &gpu)?.customize(&graph)?;
    ///     let mut labels = metric.labels()?;
    ///     assert_eq!(labels.pairs(&[(0, 2)])?.get(0), Some(7));
    ///     metric.customize(&[1, 2, 2])?;
    ///     labels.renew(&metric)?;
    ///     assert_eq!(labels.pairs(&[(0, 2)])?.get(0), Some(2));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn labels(&self) -> Result<DeviceLabels<W>, HierarchyError> {
        (W::generated().labels_on_gpu)(self)
    }
}

impl<W: MetricWeight> DeviceLabels<W> {
    /// Makes the labels anew, of the metric as it is now: in less time than
    /// [`DeviceMetric::labels`], for places and memory stay.
    ///
    /// # Errors
    /// When the metric is of another [`DeviceHierarchy`], or as [`DeviceMetric::labels`].
    pub fn renew(&mut self, metric: &DeviceMetric<W>) -> Result<(), HierarchyError> {
        (W::generated().renew_labels_on_gpu)(self, metric)
    }

    /// The distance of each pair of a source and a target, in the order given: as
    /// [`Labels::pairs`].
    ///
    /// # Errors
    /// When a vertex does not exist, a distance overflows its type, or the GPU fails or has too
    /// little memory.
    pub fn pairs(
        &self,
        pairs: &[(VertexId, VertexId)],
    ) -> Result<Distances<W::Distance>, HierarchyError> {
        (W::generated().label_pairs_on_gpu)(self, pairs)
    }

    /// The distances of pairs that are in the GPU's memory, a target for each source, which stay
    /// there.
    ///
    /// # Errors
    /// When the lists differ in length, a vertex does not exist, or the GPU fails or has too little
    /// memory.
    pub fn pairs_on_device(
        &self,
        sources: &Buffer<VertexId>,
        targets: &Buffer<VertexId>,
    ) -> Result<DeviceDistances, HierarchyError> {
        self.find_on_device(sources, targets)
    }
}

/// The hierarchy with the weights of `graph` on each of these GPUs. The CPU customizes meanwhile: all
/// triangles are listed for a GPU only when it gets other weights. O(triangles) on the CPU, in
/// parallel.
///
/// # Errors
/// As [`DeviceHierarchy::customize`], on any of them, and when the system refuses the memory.
///
/// ```
/// use gpu_runtime::Gpu;
/// use graph_formats::Csr;
/// use hierarchy::gpu::metrics_on;
/// use hierarchy::{Hierarchy, Order};
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
/// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
/// if let Ok(gpu) = Gpu::open() {
///     let mut metrics = metrics_on(&hierarchy, &graph, &[gpu])?;
///     let table = metrics[0].table(&[1, 0], &[2], None)?;
///     assert_eq!((table.get(0, 0), table.get(1, 0)), (Some(2), Some(7)));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn metrics_on<W: MetricWeight>(
    hierarchy: &Hierarchy,
    graph: &Csr<W>,
    gpus: &[Gpu],
) -> Result<Vec<DeviceMetric<W>>, HierarchyError> {
    (W::generated().metrics_on_gpus)(hierarchy, graph, gpus)
}

/// The distances from each of `sources` to each of `targets` by GPUs that have the same weights, each
/// from a share of the sources: the table that any of them would [find](DeviceMetric::table) alone.
///
/// `progress` counts the sources of each GPU's share. Without GPUs the table is empty.
///
/// # Errors
/// As [`DeviceMetric::table`], on any of them.
///
/// ```
/// use gpu_runtime::Gpu;
/// use graph_formats::Csr;
/// use hierarchy::gpu::{DeviceHierarchy, shared_table};
/// use hierarchy::{Hierarchy, Order};
///
/// let graph = Csr::from_edges(4, &[(0, 1, 7u32), (1, 2, 1), (0, 2, 3), (2, 3, 2)])?;
/// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
/// let mut on_gpus = Vec::new();
/// for i in 0..Gpu::count().unwrap_or_default() {
///     on_gpus.push(DeviceHierarchy::new(&hierarchy, &graph, &Gpu::open_ordinal(i)?)?);
/// }
/// let metrics = on_gpus.iter().map(|on_gpu| on_gpu.customize(&graph));
/// let mut metrics = metrics.collect::<Result<Vec<_>, _>>()?;
/// if !metrics.is_empty() {
///     let table = shared_table(&mut metrics, &[0, 1, 2], &[3], None)?;
///     assert_eq!(table.get(2, 0), Some(2));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn shared_table<W: MetricWeight>(
    metrics: &mut [DeviceMetric<W>],
    sources: &[VertexId],
    targets: &[VertexId],
    progress: Option<Progress<'_>>,
) -> Result<DistanceTable<W>, HierarchyError> {
    (W::generated().table_by_gpus)(metrics, sources, targets, progress)
}

/// Adds the distances from all of `sources` to the totals, by GPUs that have the same weights, each
/// from a share of the sources.
///
/// Integers are added up exactly, and floats by parts of
/// [`SOURCES_PER_PART`](crate::gpu::SOURCES_PER_PART) sources, which are added to the totals in
/// their order. So the bits are the same on any number of GPUs, and in several calls as in one if
/// all but the last are of whole parts. A GPU holds 36 bytes a vertex and 8 more a part of its
/// share, or 16 of floats.
///
/// `progress` counts the sources of all. Without GPUs nothing is added.
///
/// # Errors
/// As [`DeviceMetric::add_totals`], on any of them. The totals are as they were, unless a GPU fails.
///
/// ```
/// use gpu_runtime::Gpu;
/// use graph_formats::Csr;
/// use hierarchy::gpu::{metrics_on, shared_totals};
/// use hierarchy::{Hierarchy, Order, Totals};
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
/// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
/// let gpus = (0..Gpu::count().unwrap_or_default()).map(Gpu::open_ordinal);
/// let mut on_gpus = metrics_on(&hierarchy, &graph, &gpus.collect::<Result<Vec<_>, _>>()?)?;
/// if !on_gpus.is_empty() {
///     let mut totals = Totals::new::<u32>(3);
///     shared_totals(&mut on_gpus, &mut totals, &[0, 1, 2], None)?;
///     assert_eq!(totals.n_sources, [1, 2, 3]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn shared_totals<W: MetricWeight>(
    metrics: &mut [DeviceMetric<W>],
    totals: &mut Totals,
    sources: &[VertexId],
    progress: Option<Progress<'_>>,
) -> Result<(), HierarchyError> {
    (W::generated().totals_by_gpus)(metrics, totals, sources, progress)
}
