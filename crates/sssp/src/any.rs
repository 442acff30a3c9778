//! Searches of a graph whose weight type is known at run time.
//!
//! [`solver`] makes a [`Solver`] of the graph's weight type. Its results are
//! [of any type](paths::AnyDistances), so that a program needs one function for all six types.

use gpu_runtime::Gpu;
use graph_formats::{AnyCsr, Change, Csr, Distance, VertexId, with_csr};
use paths::{AnyDistances, AnyNearest, AnyTable, AnyTree, AnyWithin, Number, typed_changes};

use crate::gpu::DynamicDeviceTrees;
use crate::{
    Aggregate, Config, DeviceTimes, DynamicTrees, Found, Goal, Path, Plan, Points, Progress,
    SearchWeight, Solver, SsspError, Updated, gpu,
};

/// A [`Solver`] of any weight type; each method is the solver's of the same name.
#[expect(missing_docs, reason = "each does what the solver's method of its name does")]
pub trait AnySolver: Send {
    fn distances(
        &mut self,
        source: VertexId,
        goal: Goal<Number>,
    ) -> Result<Found<AnyDistances>, SsspError>;
    fn tree(&mut self, source: VertexId, goal: Goal<Number>) -> Result<Found<AnyTree>, SsspError>;
    fn within(
        &mut self,
        sources: &[VertexId],
        limit: Number,
    ) -> Result<Found<Vec<AnyWithin>>, SsspError>;
    fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
    ) -> Result<Found<AnyTable>, SsspError>;
    fn trees(
        &mut self,
        sources: &[VertexId],
        goal: Goal<Number>,
    ) -> Result<Found<(AnyTable, Vec<VertexId>)>, SsspError>;
    fn nearest(&mut self, sources: &[VertexId]) -> Result<Found<AnyNearest>, SsspError>;
    fn aggregate(
        &mut self,
        points: &Points<'_>,
        cutoff: f64,
        aggregate: &Aggregate,
    ) -> Result<Found<Vec<f64>>, SsspError>;
    fn k_shortest_paths(
        &mut self,
        source: VertexId,
        target: VertexId,
        k: usize,
    ) -> Result<Found<Vec<Path<Number>>>, SsspError>;
    fn set_cutoff(&mut self, cutoff: Number) -> Result<(), SsspError>;
    fn plan(&self) -> &Plan;
    fn preparation(&self) -> Option<DeviceTimes>;
    fn gpus(&self) -> &[Gpu];
}

/// A [`Solver`] on the CPU that reports to `progress`.
///
/// # Errors
/// As [`Solver::new`].
///
/// ```
/// use graph_formats::{AnyCsr, Csr};
/// use paths::Number;
/// use sssp::{Config, Goal, any};
///
/// let graph = AnyCsr::from(Csr::from_arcs(3, &[(0, 1, 0.5f32), (1, 2, 0.25)])?);
/// let tree = any::solver(&graph, &Config::default(), None)?.tree(0, Goal::All)?;
/// assert_eq!(tree.distance(2), Some(Number::F32(0.75)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solver<'g>(
    graph: &'g AnyCsr,
    config: &Config,
    progress: Option<Progress<'g>>,
) -> Result<Box<dyn AnySolver + 'g>, SsspError> {
    with_csr!(graph, |graph| {
        let mut solver = Solver::new(graph, config)?;
        solver.progress = progress;
        Ok(Box::new(solver))
    })
}

/// The same on GPUs.
///
/// # Errors
/// As [`Solver::on_gpus`].
pub fn solver_on_gpus<'g>(
    gpus: &[Gpu],
    graph: &'g AnyCsr,
    config: &gpu::Config,
    progress: Option<Progress<'g>>,
) -> Result<Box<dyn AnySolver + 'g>, SsspError> {
    with_csr!(graph, |graph| {
        let mut solver = Solver::on_gpus(gpus, graph, config)?;
        solver.progress = progress;
        Ok(Box::new(solver))
    })
}

/// [`DynamicTrees`] or [`DynamicDeviceTrees`] of any weight type; each method is the one of the same
/// name there.
#[expect(missing_docs, reason = "each does what the method of its name does")]
pub trait AnyDynamicTrees: Send {
    /// A weight that the type of the graph does not have is refused. On a GPU nothing is reported to
    /// `progress`.
    fn update(
        &mut self,
        changes: &[Change<Number>],
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<Updated>, SsspError>;
    fn tree(&self, source: usize) -> Result<AnyTree, SsspError>;
    fn graph(&self) -> Result<AnyCsr, SsspError>;
}

/// [`DynamicTrees`] of these sources.
///
/// # Errors
/// As [`DynamicTrees::new`].
pub fn dynamic_trees(
    graph: &AnyCsr,
    sources: &[VertexId],
    config: &Config,
) -> Result<Box<dyn AnyDynamicTrees>, SsspError> {
    with_csr!(graph, |graph| Ok(Box::new(DynamicTrees::new(graph, sources, config)?)))
}

/// [`DynamicDeviceTrees`] of these sources.
///
/// ```
/// use gpu_runtime::Gpu;
/// use graph_formats::{AnyCsr, Change, Csr};
/// use paths::Number;
///
/// let Ok(gpu) = Gpu::open() else { return Ok(()) };
/// let graph = AnyCsr::from(Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 7)])?);
/// let mut trees = sssp::any::dynamic_trees_on_gpu(&gpu, &graph, &[0])?;
/// trees.update(&[Change::Insert { from: 0, to: 2, weight: Number::U64(9) }], None)?;
/// assert_eq!(trees.tree(0)?.distance(2), Some(Number::U64(9)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`DynamicDeviceTrees::new`].
pub fn dynamic_trees_on_gpu(
    gpu: &Gpu,
    graph: &AnyCsr,
    sources: &[VertexId],
) -> Result<Box<dyn AnyDynamicTrees>, SsspError> {
    with_csr!(graph, |graph| Ok(Box::new(DynamicDeviceTrees::new(gpu, graph, sources)?)))
}

impl<W: SearchWeight> AnyDynamicTrees for DynamicTrees<W>
where
    AnyCsr: From<Csr<W>>,
{
    fn update(
        &mut self,
        changes: &[Change<Number>],
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<Updated>, SsspError> {
        let changes = typed_changes(changes)?;
        DynamicTrees::update(self, &changes, progress)
    }

    fn tree(&self, source: usize) -> Result<AnyTree, SsspError> {
        Ok(DynamicTrees::tree(self, source).clone().into())
    }

    fn graph(&self) -> Result<AnyCsr, SsspError> {
        Ok(DynamicTrees::graph(self).to_csr()?.into())
    }
}

impl<W: SearchWeight> AnyDynamicTrees for DynamicDeviceTrees<W>
where
    AnyCsr: From<Csr<W>>,
{
    fn update(
        &mut self,
        changes: &[Change<Number>],
        _progress: Option<Progress<'_>>,
    ) -> Result<Vec<Updated>, SsspError> {
        DynamicDeviceTrees::update(self, &typed_changes(changes)?)
    }

    fn tree(&self, source: usize) -> Result<AnyTree, SsspError> {
        Ok(DynamicDeviceTrees::tree(self, source)?.into())
    }

    fn graph(&self) -> Result<AnyCsr, SsspError> {
        Ok(DynamicDeviceTrees::graph(self).to_csr()?.into())
    }
}

impl<W: SearchWeight> AnySolver for Solver<'_, W> {
    fn distances(
        &mut self,
        source: VertexId,
        goal: Goal<Number>,
    ) -> Result<Found<AnyDistances>, SsspError> {
        Ok(Solver::distances(self, source, goal.typed()?)?.map(AnyDistances::from))
    }

    fn tree(&mut self, source: VertexId, goal: Goal<Number>) -> Result<Found<AnyTree>, SsspError> {
        Ok(Solver::tree(self, source, goal.typed()?)?.map(AnyTree::from))
    }

    fn within(
        &mut self,
        sources: &[VertexId],
        limit: Number,
    ) -> Result<Found<Vec<AnyWithin>>, SsspError> {
        let found = Solver::within(self, sources, limit_of(limit)?)?;
        Ok(found.map(|within| within.into_iter().map(AnyWithin::from).collect()))
    }

    fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
    ) -> Result<Found<AnyTable>, SsspError> {
        Ok(Solver::table(self, sources, targets)?.map(AnyTable::from))
    }

    fn trees(
        &mut self,
        sources: &[VertexId],
        goal: Goal<Number>,
    ) -> Result<Found<(AnyTable, Vec<VertexId>)>, SsspError> {
        let found = Solver::trees(self, sources, goal.typed()?)?;
        Ok(found.map(|(distances, predecessors)| (distances.into(), predecessors)))
    }

    fn nearest(&mut self, sources: &[VertexId]) -> Result<Found<AnyNearest>, SsspError> {
        Ok(Solver::nearest(self, sources)?.map(AnyNearest::from))
    }

    fn aggregate(
        &mut self,
        points: &Points<'_>,
        cutoff: f64,
        aggregate: &Aggregate,
    ) -> Result<Found<Vec<f64>>, SsspError> {
        Solver::aggregate(self, points, cutoff, aggregate)
    }

    fn k_shortest_paths(
        &mut self,
        source: VertexId,
        target: VertexId,
        k: usize,
    ) -> Result<Found<Vec<Path<Number>>>, SsspError> {
        let found = Solver::k_shortest_paths(self, source, target, k)?;
        Ok(found.map(|paths| paths.into_iter().map(Path::any).collect()))
    }

    fn set_cutoff(&mut self, cutoff: Number) -> Result<(), SsspError> {
        self.cutoff_at(limit_of(cutoff)?)
    }

    fn plan(&self) -> &Plan {
        Solver::plan(self)
    }

    fn preparation(&self) -> Option<DeviceTimes> {
        Solver::preparation(self)
    }

    fn gpus(&self) -> &[Gpu] {
        Solver::gpus(self)
    }
}

impl Goal<Number> {
    /// The same goal in distances of one type; a limit of floats is rounded to the nearest.
    ///
    /// # Errors
    /// [`SsspError::BadCutoff`] if the limit is NaN or below all numbers of the type.
    ///
    /// ```
    /// use paths::Number;
    /// use sssp::Goal;
    ///
    /// assert_eq!(Goal::Within(Number::F64(2.5)).typed(), Ok(Goal::Within(2u64)));
    /// assert_eq!(Goal::Within(Number::F64(1e300)).typed::<f32>(), Ok(Goal::All));
    /// assert!(Goal::Within(Number::I64(-1)).typed::<u64>().is_err());
    /// ```
    pub fn typed<D: Distance>(self) -> Result<Goal<D>, SsspError> {
        match self {
            Self::All => Ok(Goal::All),
            Self::Target(target) => Ok(Goal::Target(target)),
            Self::Within(limit) => match limit_of(limit)? {
                limit if limit == D::UNREACHED => Ok(Goal::All),
                limit => Ok(Goal::Within(limit)),
            },
        }
    }
}

/// The limit in distances of one type, or the greatest if it is above all of the type.
fn limit_of<D: Distance>(limit: Number) -> Result<D, SsspError> {
    let whole = match limit.to_i128() {
        None if D::KIND.is_integer() => Number::F64(limit.to_f64().floor()),
        _ => limit,
    };
    match whole.exactly() {
        Some(limit) => Ok(limit),
        None if limit.to_f64() > 0.0 => Ok(D::UNREACHED),
        None => Err(SsspError::BadCutoff(limit.to_string())),
    }
}
