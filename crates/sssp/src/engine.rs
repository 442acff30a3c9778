//! The algorithms as engines: what a [`Solver`](crate::Solver) asks of them, and which one
//! its plan calls for on the CPU.

use std::sync::Arc;

use graph_formats::{Csr, Distance, DistanceKey, VertexId, Weight};
use paths::Predecessors;
use rayon::prelude::*;

use crate::host::bellman_ford::queue::{QueuedBellmanFord, Rules};
use crate::host::bellman_ford::rounds::BellmanFord;
use crate::host::delta_stepping::DeltaStepping;
use crate::host::delta_stepping::horizon::{self, Window};
use crate::host::dijkstra::Dijkstra;
use crate::host::lengths::{Lengths, Narrow, Native};
use crate::host::queue::{Dial, MonotoneQueue, QuaternaryHeap, RadixHeap};
use crate::host::search::Search;
use crate::{Algorithm, DeviceTimes, Plan, Progress, Queue, SsspError, Work};

/// What an engine is asked for.
pub(crate) struct Request<'a, W: Weight> {
    pub(crate) source: VertexId,
    pub(crate) limit: Option<W::Distance>,
    pub(crate) targets: &'a [VertexId],
    pub(crate) progress: Option<Progress<'a>>,
}

/// What an engine is asked for of many sources. There is one target at least.
pub(crate) struct TableRequest<'a> {
    pub(crate) sources: &'a [VertexId],
    pub(crate) targets: &'a [VertexId],
    pub(crate) progress: Option<Progress<'a>>,
}

/// An algorithm with its work space. Returns at least all that was asked for, in
/// storage form.
pub(crate) trait Engine<W: Weight> {
    fn search(&mut self, request: &Request<'_, W>) -> Result<Found<W>, SsspError>;

    /// The predecessors of the vertices within `limit` of `source`, if that is where the
    /// last search was from and the engine has a way to find them faster than the CPU.
    fn predecessors(
        &mut self,
        _source: VertexId,
        _limit: Option<W::Distance>,
    ) -> Result<Option<Predecessors>, SsspError> {
        Ok(None)
    }

    /// Fills `cells`, a row for each source, if the engine has a way to do so that is faster
    /// than a search for each, and the memory; the counts of all searches.
    fn table(
        &mut self,
        _request: &TableRequest<'_>,
        _cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        Ok(None)
    }

    fn device_times(&self) -> Option<DeviceTimes> {
        None
    }
}

impl<W: Weight, E: Engine<W> + ?Sized> Engine<W> for Box<E> {
    fn search(&mut self, request: &Request<'_, W>) -> Result<Found<W>, SsspError> {
        (**self).search(request)
    }

    fn predecessors(
        &mut self,
        source: VertexId,
        limit: Option<W::Distance>,
    ) -> Result<Option<Predecessors>, SsspError> {
        (**self).predecessors(source, limit)
    }

    fn table(
        &mut self,
        request: &TableRequest<'_>,
        cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        (**self).table(request, cells)
    }

    fn device_times(&self) -> Option<DeviceTimes> {
        (**self).device_times()
    }
}

pub(crate) type Found<W> = (Vec<<W as Weight>::Distance>, Work);

/// The short arcs of a graph, for as many engines as there are.
pub(crate) type SharedWindow<W> = Option<Arc<Window<W>>>;

/// The window of searches on `graph` with weights up to `max_weight`, if `plan` has one. O(m).
pub(crate) fn window<W: Weight>(graph: &Csr<W>, plan: &Plan, max_weight: W) -> SharedWindow<W> {
    if plan.has_horizon { horizon::window(graph, max_weight).map(Arc::new) } else { None }
}

/// The engine that `plan` calls for, with that [`window`].
pub(crate) fn engine<'g, W: Weight>(
    graph: &'g Csr<W>,
    plan: &Plan,
    max_weight: W,
    window: SharedWindow<W>,
) -> Box<dyn Engine<W> + Send + 'g> {
    let negative = plan.negative.is_some();
    let queued = |rules| Box::new(QueuedBellmanFord::new(graph, rules, negative));
    match plan.algorithm {
        Algorithm::BellmanFord => Box::new(BellmanFord::new(graph)),
        Algorithm::BellmanFordQueue => queued(Rules::Fifo),
        Algorithm::BellmanFordSlf => queued(Rules::Slf),
        Algorithm::BellmanFordLll => queued(Rules::Lll),
        Algorithm::BellmanFordSlfLll => queued(Rules::SlfLll),
        _ if plan.narrow => keyed_engine::<W, Narrow>(graph, plan, max_weight, window),
        _ => keyed_engine::<W, Native>(graph, plan, max_weight, window),
    }
}

/// The engines that work on keys.
fn keyed_engine<'g, W: Weight, L: Lengths<W>>(
    graph: &'g Csr<W>,
    plan: &Plan,
    max_weight: W,
    window: SharedWindow<W>,
) -> Box<dyn Engine<W> + Send + 'g> {
    if let Some(delta) = plan.delta {
        let (threads, team) = (plan.threads, plan.team);
        let engine = DeltaStepping::<W, L>::new(graph, delta, max_weight, window, threads, team);
        return Box::new(engine);
    }
    match plan.queue {
        Some(Queue::Dial) => {
            let dial = Dial::new(max_weight.to_i128().unwrap_or(0) as u64);
            Box::new(Dijkstra::<W, L, _>::new(graph, dial))
        }
        Some(Queue::QuaternaryHeap) => {
            Box::new(Dijkstra::<W, L, _>::new(graph, QuaternaryHeap::default()))
        }
        _ => Box::new(Dijkstra::<W, L, _>::new(graph, RadixHeap::default())),
    }
}

fn keyed<'a, W: Weight, L: Lengths<W>>(request: &Request<'a, W>) -> Option<Search<'a, L::Key>> {
    let limit = match request.limit {
        Some(limit) if limit < W::Distance::ZERO => return None,
        Some(limit) => L::limit_key(limit),
        None => L::Key::GREATEST,
    };
    let Request { source, targets, progress, .. } = *request;
    Some(Search { source, targets, limit, progress })
}

impl<W: Weight, L: Lengths<W>> Engine<W> for DeltaStepping<'_, W, L> {
    fn search(&mut self, request: &Request<'_, W>) -> Result<Found<W>, SsspError> {
        let Some(search) = keyed::<W, L>(request) else {
            return Ok(nothing::<W>(self.labels().len()));
        };
        let work = self.solve(&search)?;
        let labels = self.labels().par_iter().with_min_len(1 << 14);
        Ok((labels.map(|label| L::distance(L::Key::load(label))).collect(), work))
    }

    fn table(
        &mut self,
        request: &TableRequest<'_>,
        cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        let n_vertices = self.labels().len();
        fill_rows::<W, L>(request, n_vertices, cells, |search, row| {
            let work = self.solve(search)?;
            for (cell, &target) in row.iter_mut().zip(request.targets) {
                *cell = L::distance(L::Key::load(&self.labels()[target as usize]));
            }
            Ok(work)
        })
    }
}

impl<W: Weight, L: Lengths<W>, Q: MonotoneQueue<L::Key>> Engine<W> for Dijkstra<'_, W, L, Q> {
    fn search(&mut self, request: &Request<'_, W>) -> Result<Found<W>, SsspError> {
        let Some(search) = keyed::<W, L>(request) else {
            return Ok(nothing::<W>(self.labels().len()));
        };
        let work = self.solve(&search)?;
        Ok((self.labels().iter().map(|&label| L::distance(label)).collect(), work))
    }

    fn table(
        &mut self,
        request: &TableRequest<'_>,
        cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        let n_vertices = self.labels().len();
        fill_rows::<W, L>(request, n_vertices, cells, |search, row| {
            let work = self.solve(search)?;
            for (cell, &target) in row.iter_mut().zip(request.targets) {
                *cell = L::distance(self.labels()[target as usize]);
            }
            Ok(work)
        })
    }
}

/// Fills a table with labels of the targets, with no list of all distances in between, a row by
/// each call of `search`; `None` where labels do not hold all distances.
fn fill_rows<W: Weight, L: Lengths<W>>(
    request: &TableRequest<'_>,
    n_vertices: usize,
    cells: &mut [W::Distance],
    mut search: impl FnMut(&Search<'_, L::Key>, &mut [W::Distance]) -> Result<Work, SsspError>,
) -> Result<Option<Work>, SsspError> {
    if !L::HOLDS_ALL {
        return Ok(None);
    }
    let TableRequest { sources, targets, progress } = *request;
    let (targets, limit) = (awaited(targets, n_vertices), L::Key::GREATEST);
    let mut work = Work::default();
    let rows = cells.chunks_exact_mut(request.targets.len());
    for (done, (&source, row)) in (1..).zip(sources.iter().zip(rows)) {
        work.add(&search(&Search { source, targets, limit, progress: None }, row)?);
        if progress.is_some_and(|tell| tell(done, sources.len() as u64).is_break()) {
            return Err(SsspError::Interrupted);
        }
    }
    Ok(Some(work))
}

impl<W: Weight> Engine<W> for BellmanFord<'_, W> {
    fn search(&mut self, request: &Request<'_, W>) -> Result<Found<W>, SsspError> {
        self.solve(request.source, request.progress)?;
        Ok((self.labels.distances.clone(), self.labels.work))
    }
}

impl<W: Weight> Engine<W> for QueuedBellmanFord<'_, W> {
    fn search(&mut self, request: &Request<'_, W>) -> Result<Found<W>, SsspError> {
        let target = match request.targets {
            &[target] => Some(target),
            _ => None,
        };
        self.solve(request.source, request.limit, target, request.progress)?;
        Ok((self.labels.distances.clone(), self.labels.work))
    }
}

/// The targets whose settling ends a search: where nearly all vertices are targets, looking
/// out for the last one costs more than going on to the end.
pub(crate) fn awaited(targets: &[VertexId], n_vertices: usize) -> &[VertexId] {
    if targets.len() < n_vertices / 2 { targets } else { &[] }
}

/// A cutoff below zero leaves out the source itself.
pub(crate) fn nothing<W: Weight>(n_vertices: usize) -> Found<W> {
    (vec![W::Distance::UNREACHED; n_vertices], Work::default())
}
