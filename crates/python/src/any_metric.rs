//! Metrics of hierarchies with weights of any type, and their queries for many vertices.
//!
//! Work on many vertices is done in parts of some hundredths of a second, and tells its progress
//! in between.

use std::sync::Arc;

use graph_formats::{
    AnyCsr, Change, Csr, Distance, Ids, VertexId, Weight, parallel, tell, with_csr,
};
use hierarchy::{Hierarchy, HierarchyError, Labels, Metric, MetricWeight, Path, Prepared};
use paths::{AnyDistances, AnyTable, Distances, Number, typed_changes};
use sssp::{Goal, Progress};

use crate::arrays::Value;
use crate::error::Error;
use crate::graph::dtype_of;

/// Pairs of a part, by walks and by labels.
const PAIRS_BY_WALKS: usize = 1 << 13;
const PAIRS_BY_LABELS: usize = 1 << 18;
/// As many pairs are worth another thread.
const PAIRS_PER_TASK: usize = 64;
/// Sources that share a pass over the hierarchy.
const SOURCES_PER_PASS: usize = 16;
/// What the rows of a part may have: vertices that are passed, and cells.
const VERTICES_AT_A_TIME: usize = 1 << 28;
const CELLS_AT_A_TIME: usize = 1 << 24;

/// What is near each of several sources: offsets of the sources, vertices and distances.
pub(crate) type Near = (Vec<i64>, Vec<VertexId>, AnyDistances);

/// The same near one source.
type Found<D> = Result<Vec<(VertexId, D)>, HierarchyError>;

/// Vertices that play a role, or points: as many vertices of each, with distances.
pub(crate) struct Points {
    pub(crate) role: &'static str,
    pub(crate) n: usize,
    pub(crate) vertices: Vec<VertexId>,
    pub(crate) distances: Option<Vec<Value>>,
}

impl Points {
    /// The vertices of each point, without those at an infinite distance.
    fn typed<D: Distance>(&self) -> Result<Vec<Vec<(VertexId, D)>>, Error> {
        let Some(distances) = &self.distances else {
            return Ok(self.vertices.iter().map(|&vertex| vec![(vertex, D::ZERO)]).collect());
        };
        let width = distances.len() / self.n.max(1);
        let of_point = |point: usize| {
            let finite =
                (point * width..(point + 1) * width).filter(|&at| !distances[at].is_infinite());
            let end = |at: usize| {
                let distance = distances[at].to_weight().ok_or_else(|| {
                    let (role, value, dtype) = (self.role, distances[at], dtype_of(D::KIND));
                    Error::argument(format!(
                        "{role}_distances: entry {at} is {value}, which a distance of type {dtype} \
                         cannot be"
                    ))
                })?;
                Ok((self.vertices[at], distance))
            };
            finite.map(end).collect()
        };
        (0..self.n).map(of_point).collect()
    }
}

/// A [`Metric`] of any weight type, with its labels if they were made.
pub(crate) trait AnyMetric: Send + Sync {
    /// The graph with the weights that the metric has.
    fn csr(&self) -> AnyCsr;
    /// Another of the same, which shares the memory: O(1).
    fn another(&self) -> Arc<dyn AnyMetric>;
    /// Another with the weights of this graph, for which the hierarchy is, and whose weights are of
    /// the same type.
    fn with_weights(
        &self,
        hierarchy: &Hierarchy,
        graph: AnyCsr,
    ) -> Result<Arc<dyn AnyMetric>, Error>;
    /// Another with labels.
    fn with_labels(&self) -> Result<Arc<dyn AnyMetric>, Error>;
    /// Gives arcs these weights, one each.
    fn take_some(&mut self, arcs: &[usize], weights: &[Value]) -> Result<(), Error>;
    /// Makes changes of the graph.
    fn make(&mut self, changes: &[Change<Number>]) -> Result<(), Error>;
    fn distance(&self, source: VertexId, target: VertexId) -> Result<Option<Number>, Error>;
    fn path(&self, source: VertexId, target: VertexId) -> Result<Option<Path<Number>>, Error>;
    fn pairs(
        &self,
        pairs: &[(VertexId, VertexId)],
        progress: Option<Progress<'_>>,
    ) -> Result<AnyDistances, Error>;
    /// The sums of attributes, one for each arc, along a path of each pair; NaN where there is none.
    fn sums_along(
        &self,
        pairs: &[(VertexId, VertexId)],
        attributes: &[Vec<f64>],
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<f64>, Error>;
    fn table(
        &self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<AnyDistances, Error>;
    /// The same of points.
    fn table_of_points(
        &self,
        sources: &Points,
        targets: &Points,
        progress: Option<Progress<'_>>,
    ) -> Result<AnyDistances, Error>;
    fn within(
        &self,
        sources: &[VertexId],
        cutoff: f64,
        progress: Option<Progress<'_>>,
    ) -> Result<Near, Error>;
    fn nearest(
        &self,
        sources: &[VertexId],
        candidates: &[VertexId],
        k: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Near, Error>;
    fn k_shortest_paths(
        &self,
        source: VertexId,
        target: VertexId,
        k: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<(Number, Vec<VertexId>)>, Error>;
    fn has_labels(&self) -> bool;
    fn bytes_of_labels(&self) -> u64;
    fn write(&self, path: &std::path::Path, ids: &Ids) -> Result<(), Error>;
}

/// The hierarchy with the weights of a graph of the same arcs.
pub(crate) fn customized(
    hierarchy: &Hierarchy,
    graph: &AnyCsr,
) -> Result<Arc<dyn AnyMetric>, Error> {
    with_csr!(graph, |graph| Ok(without_labels(hierarchy.customize(graph).map_err(of_weights)?)))
}

/// The hierarchy of a file with the weights that are there.
pub(crate) fn as_stored(prepared: &Prepared, graph: &AnyCsr) -> Result<Arc<dyn AnyMetric>, Error> {
    with_csr!(graph, |graph| Ok(without_labels(prepared.metric(graph)?)))
}

/// What is wrong with the weights of a graph.
pub(crate) fn of_weights(error: HierarchyError) -> Error {
    match error {
        HierarchyError::NegativeWeight { from, to, weight } => Error::argument(format!(
            "weights: the arc {from} -> {to} weighs {weight}; a hierarchy needs weights of at \
             least zero, while Graph.sssp and Graph.table take negative ones, too"
        )),
        error => error.into(),
    }
}

struct Labelled<W: Weight> {
    metric: Metric<W>,
    labels: Option<Labels<W>>,
}

fn without_labels<W: MetricWeight>(metric: Metric<W>) -> Arc<dyn AnyMetric>
where
    AnyCsr: From<Csr<W>>,
{
    Arc::new(Labelled { metric, labels: None })
}

impl<W: MetricWeight> AnyMetric for Labelled<W>
where
    AnyCsr: From<Csr<W>>,
{
    fn csr(&self) -> AnyCsr {
        self.metric.graph().clone().into()
    }

    fn another(&self) -> Arc<dyn AnyMetric> {
        Arc::new(Self { metric: self.metric.clone(), labels: self.labels.clone() })
    }

    fn with_weights(
        &self,
        hierarchy: &Hierarchy,
        graph: AnyCsr,
    ) -> Result<Arc<dyn AnyMetric>, Error> {
        let graph = graph.into_csr::<W>()?;
        let before = self.metric.graph();
        let has_same_arcs = graph.row_offsets() == before.row_offsets()
            && graph.column_indices() == before.column_indices();
        if !has_same_arcs {
            // arcs were opened or closed
            return customized(hierarchy, &graph.into());
        }
        let mut metric = self.metric.clone();
        metric.customize(graph.weights()).map_err(of_weights)?;
        Ok(without_labels(metric))
    }

    fn with_labels(&self) -> Result<Arc<dyn AnyMetric>, Error> {
        let labels = match &self.labels {
            Some(labels) => labels.clone(),
            None => self.metric.labels()?,
        };
        Ok(Arc::new(Self { metric: self.metric.clone(), labels: Some(labels) }))
    }

    fn take_some(&mut self, arcs: &[usize], weights: &[Value]) -> Result<(), Error> {
        let mut changes = Vec::with_capacity(arcs.len());
        for (at, (&arc, value)) in arcs.iter().zip(weights).enumerate() {
            let weight = value.to_weight::<W>().ok_or_else(|| {
                Error::argument(format!(
                    "weights: entry {at} is {value}, which a weight of type {} cannot be; \
                     customize takes weights of another type",
                    dtype_of(W::KIND)
                ))
            })?;
            changes.push((arc, weight));
        }
        self.metric.update(&changes).map_err(of_weights)?;
        self.renew_labels();
        Ok(())
    }

    fn make(&mut self, changes: &[Change<Number>]) -> Result<(), Error> {
        let changes = typed_changes(changes).map_err(HierarchyError::from)?;
        self.metric.change(&changes).map_err(of_weights)?;
        self.renew_labels();
        Ok(())
    }

    fn distance(&self, source: VertexId, target: VertexId) -> Result<Option<Number>, Error> {
        let distance = match &self.labels {
            Some(labels) => labels.distance(source, target),
            None => self.metric.query().distance(source, target),
        };
        Ok(distance?.map(Number::of))
    }

    fn path(&self, source: VertexId, target: VertexId) -> Result<Option<Path<Number>>, Error> {
        let path = match &self.labels {
            Some(labels) => labels.query().path(source, target)?,
            None => self.metric.query().path(source, target)?,
        };
        Ok(path.map(|Path { length, vertices, arcs }| {
            let length = Number::of(length);
            Path { length, vertices, arcs }
        }))
    }

    fn pairs(
        &self,
        pairs: &[(VertexId, VertexId)],
        progress: Option<Progress<'_>>,
    ) -> Result<AnyDistances, Error> {
        let mut found = Vec::with_capacity(pairs.len());
        // of integers, this many are found by labels, which are made for them where that is sooner
        let by_labels = self.has_labels() || W::ZERO.to_i128().is_some();
        let at_a_time = if by_labels { PAIRS_BY_LABELS } else { PAIRS_BY_WALKS };
        for some in pairs.chunks(at_a_time) {
            tell(progress, found.len() as u64, pairs.len() as u64).map_err(HierarchyError::from)?;
            match &self.labels {
                Some(labels) => found.extend(labels.pairs(some)?.into_storage()),
                None => found.extend(cells::<W>(self.metric.pairs(some)?)),
            }
        }
        Ok(Distances::from_storage(found).into())
    }

    fn sums_along(
        &self,
        pairs: &[(VertexId, VertexId)],
        attributes: &[Vec<f64>],
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<f64>, Error> {
        let along = |arcs: &[usize]| -> Vec<f64> {
            attributes.iter().map(|all| arcs.iter().map(|&arc| all[arc]).sum()).collect()
        };
        let of_each = |pairs: &[(VertexId, VertexId)]| {
            let mut query = self.metric.query();
            let sums = pairs.iter().map(|&(source, target)| {
                let path = query.path(source, target)?;
                Ok(path.map_or(vec![f64::NAN; attributes.len()], |path| along(&path.arcs)))
            });
            sums.collect::<Result<Vec<_>, HierarchyError>>()
        };
        let mut found = Vec::with_capacity(pairs.len() * attributes.len());
        for (part, some) in pairs.chunks(PAIRS_BY_WALKS).enumerate() {
            let (done, total) = (part * PAIRS_BY_WALKS, pairs.len());
            tell(progress, done as u64, total as u64).map_err(HierarchyError::from)?;
            let tasks = some.chunks(PAIRS_PER_TASK).collect();
            let sums: Vec<_> = parallel::try_map_of(tasks, &of_each)?;
            found.extend(sums.into_iter().flatten().flatten());
        }
        Ok(found)
    }

    fn table(
        &self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<AnyDistances, Error> {
        let at_a_time = rows_at_a_time(self.metric.graph(), targets.len());
        if sources.len() <= at_a_time {
            return Ok(AnyTable::from(self.metric.table(sources, targets)?).distances);
        }
        let mut cells = Vec::with_capacity(sources.len() * targets.len());
        for (part, some) in sources.chunks(at_a_time).enumerate() {
            let (done, total) = (part * at_a_time, sources.len());
            tell(progress, done as u64, total as u64).map_err(HierarchyError::from)?;
            cells.extend(self.metric.table(some, targets)?.into_storage());
        }
        Ok(Distances::from_storage(cells).into())
    }

    fn table_of_points(
        &self,
        sources: &Points,
        targets: &Points,
        progress: Option<Progress<'_>>,
    ) -> Result<AnyDistances, Error> {
        let (sources, targets) = (sources.typed::<W::Distance>()?, targets.typed()?);
        let at_a_time = rows_at_a_time(self.metric.graph(), targets.len());
        let targets = self.metric.targets(&targets)?;
        let mut cells = Vec::new();
        for (part, some) in sources.chunks(at_a_time).enumerate() {
            let (done, total) = (part * at_a_time, sources.len());
            tell(progress, done as u64, total as u64).map_err(HierarchyError::from)?;
            cells.extend(targets.table(some)?.into_storage());
        }
        Ok(Distances::from_storage(cells).into())
    }

    fn within(
        &self,
        sources: &[VertexId],
        cutoff: f64,
        progress: Option<Progress<'_>>,
    ) -> Result<Near, Error> {
        let radius = match Goal::Within(Number::F64(cutoff)).typed()? {
            Goal::Within(radius) => radius,
            _ => Distance::UNREACHED,
        };
        near::<W>(sources, progress, &|source| self.metric.within(source, radius))
    }

    fn nearest(
        &self,
        sources: &[VertexId],
        candidates: &[VertexId],
        k: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Near, Error> {
        near::<W>(sources, progress, &|source| self.metric.nearest(source, candidates, k))
    }

    fn k_shortest_paths(
        &self,
        source: VertexId,
        target: VertexId,
        k: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<(Number, Vec<VertexId>)>, Error> {
        let paths = self.metric.k_shortest_paths(source, target, k, progress)?;
        Ok(paths.into_iter().map(|path| (Number::of(path.length), path.vertices)).collect())
    }

    fn has_labels(&self) -> bool {
        self.labels.is_some()
    }

    fn bytes_of_labels(&self) -> u64 {
        self.metric.bytes_of_labels()
    }

    fn write(&self, path: &std::path::Path, ids: &Ids) -> Result<(), Error> {
        Ok(self.metric.write(path, ids)?)
    }
}

impl<W: MetricWeight> Labelled<W> {
    /// Makes labels, if there are some, those of the metric, or drops them where memory is short.
    fn renew_labels(&mut self) {
        if let Some(labels) = &mut self.labels
            && labels.renew(&self.metric).is_err()
        {
            self.labels = None;
        }
    }
}

/// Rows of a part of a table.
fn rows_at_a_time<W: Weight>(graph: &Csr<W>, n_targets: usize) -> usize {
    let passed = VERTICES_AT_A_TIME / graph.n_vertices().max(1);
    let at_a_time = passed.min(CELLS_AT_A_TIME / n_targets.max(1));
    at_a_time.max(at_once()).next_multiple_of(SOURCES_PER_PASS)
}

/// As many sources keep all threads busy for a while.
fn at_once() -> usize {
    SOURCES_PER_PASS * rayon::current_num_threads()
}

/// Distances as storage has them.
fn cells<W: Weight>(distances: Vec<Option<W::Distance>>) -> impl Iterator<Item = W::Distance> {
    distances.into_iter().map(|distance| distance.unwrap_or(Distance::UNREACHED))
}

/// What `find` finds near each source, one after the other.
fn near<W: Weight>(
    sources: &[VertexId],
    progress: Option<Progress<'_>>,
    find: &(dyn Fn(VertexId) -> Found<W::Distance> + Sync),
) -> Result<Near, Error> {
    let (mut offsets, mut vertices, mut distances) = (vec![0], Vec::new(), Vec::new());
    for some in sources.chunks(at_once()) {
        let (done, total) = (offsets.len() as u64 - 1, sources.len() as u64);
        tell(progress, done, total).map_err(HierarchyError::from)?;
        for found in parallel::try_map_of(some.to_vec(), find)? {
            for (vertex, distance) in found {
                vertices.push(vertex);
                distances.push(distance);
            }
            offsets.push(vertices.len() as i64);
        }
    }
    Ok((offsets, vertices, Distances::from_storage(distances).into()))
}
