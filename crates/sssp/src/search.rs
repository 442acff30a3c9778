//! The algorithms behind a [`Solver`](crate::Solver): what each of them does, and which one a
//! plan calls for on the CPU.

use std::sync::Arc;

use graph_formats::{Csr, DistanceKey, VertexId, Weight};
use paths::Predecessors;
use rayon::prelude::*;

use crate::cpu::bellman_ford::BellmanFord;
use crate::cpu::bellman_ford_queue::QueuedBellmanFord;
use crate::cpu::delta_stepping::DeltaStepping;
use crate::cpu::delta_stepping::long_arcs::{self, Window};
use crate::cpu::dijkstra::Dijkstra;
use crate::cpu::queue::{Dial, MonotoneQueue, QuaternaryHeap, RadixHeap};
use crate::key::{FullKeys, KeyArithmetic, U32Keys};
use crate::plan::Chosen;
use crate::query::Query;
use crate::{DeviceTimes, Progress, Queue, SsspError, Team, Work, predecessors};

/// An algorithm with its work space.
pub(crate) trait Search<W: Weight>: Send {
    /// At least all distances that are asked for, and perhaps others.
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SsspError>;

    /// The predecessors of the vertices within `limit` of `source`, which the last search was
    /// from, where there is a faster way to them than from distances.
    fn predecessors(
        &mut self,
        _source: VertexId,
        _limit: W::Distance,
    ) -> Result<Option<Predecessors>, SsspError> {
        Ok(None)
    }

    /// Fills `cells` with a row of `targets`, one at least, for each of `sources`, where there
    /// is a faster way than a [search](Self::search) for each, and the memory; the counts of
    /// all searches. Tells `progress` how many rows are done.
    fn table(
        &mut self,
        _sources: &[VertexId],
        _targets: &[VertexId],
        _progress: Option<Progress<'_>>,
        _cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        Ok(None)
    }

    /// The distances from the nearest of `sources`, which of them that is, and what it
    /// took, where there is a faster way than the CPU's, and the memory.
    fn nearest(
        &mut self,
        _sources: &[VertexId],
        _progress: Option<Progress<'_>>,
    ) -> Result<Option<(Answer<W>, Owners)>, SsspError> {
        Ok(None)
    }

    /// Where the time of the last search went, where that was on a device.
    fn device_times(&self) -> Option<DeviceTimes> {
        None
    }
}

/// Distances in storage form, and what it took.
pub(crate) type Answer<W> = (Vec<<W as Weight>::Distance>, Work);

/// The nearest of several sources for every vertex, in storage form.
pub(crate) type Owners = Vec<VertexId>;

/// The short arcs of a graph, for as many searches as share it.
pub(crate) type SharedWindow<W> = Option<Arc<Window<W>>>;

/// The window of searches on `graph`, if what is `chosen` has one. O(m).
pub(crate) fn window<W: Weight>(graph: &Csr<W>, chosen: Chosen) -> SharedWindow<W> {
    let Chosen::DeltaStepping { has_horizon: true, .. } = chosen else { return None };
    long_arcs::window(graph, graph.weight_summary().greatest).map(Arc::new)
}

/// The algorithm that is `chosen`, on keys of 32 bits where they may be `narrow`, with that
/// [`window`].
pub(crate) fn on_cpu<'g, W: Weight>(
    graph: &'g Csr<W>,
    chosen: Chosen,
    narrow: bool,
    window: SharedWindow<W>,
) -> Box<dyn Search<W> + 'g> {
    let negative = graph.first_negative().is_some();
    match (chosen, narrow) {
        (Chosen::BellmanFord, _) => Box::new(BellmanFord::new(graph)),
        (Chosen::BellmanFordQueue(rule), _) => {
            Box::new(QueuedBellmanFord::new(graph, rule, negative))
        }
        (Chosen::Dijkstra(queue), true) => dijkstra::<W, U32Keys>(graph, queue),
        (Chosen::Dijkstra(queue), false) => dijkstra::<W, FullKeys>(graph, queue),
        (Chosen::DeltaStepping { width, threads, team, .. }, true) => {
            delta_stepping::<W, U32Keys>(graph, width, window, threads, team)
        }
        (Chosen::DeltaStepping { width, threads, team, .. }, false) => {
            delta_stepping::<W, FullKeys>(graph, width, window, threads, team)
        }
    }
}

fn dijkstra<W: Weight, L: KeyArithmetic<W>>(
    graph: &Csr<W>,
    queue: Queue,
) -> Box<dyn Search<W> + '_> {
    match queue {
        Queue::Dial => {
            let greatest = graph.weight_summary().greatest.to_i128().unwrap_or(0);
            Box::new(Dijkstra::<W, L, _>::new(graph, Dial::new(greatest as u64)))
        }
        Queue::QuaternaryHeap => {
            Box::new(Dijkstra::<W, L, _>::new(graph, QuaternaryHeap::default()))
        }
        Queue::Radix => Box::new(Dijkstra::<W, L, _>::new(graph, RadixHeap::default())),
    }
}

fn delta_stepping<W: Weight, L: KeyArithmetic<W>>(
    graph: &Csr<W>,
    width: f64,
    window: SharedWindow<W>,
    threads: usize,
    team: Team,
) -> Box<dyn Search<W> + '_> {
    let greatest = graph.weight_summary().greatest;
    Box::new(DeltaStepping::<W, L>::new(graph, width, greatest, window, threads, team))
}

impl<W: Weight, L: KeyArithmetic<W>> Search<W> for DeltaStepping<'_, W, L> {
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SsspError> {
        let work = self.solve(&query.with_limit(L::limit_key(query.limit)))?;
        let labels = self.labels().par_iter().with_min_len(1 << 14);
        Ok((labels.map(|label| L::distance(L::Key::load(label))).collect(), work))
    }

    fn predecessors(
        &mut self,
        source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SsspError> {
        let (graph, labels, limit) = (self.graph(), self.labels(), L::limit_key(limit));
        let key = L::Key::load;
        Ok(Some(predecessors::from_labels::<W, L, _>(graph, source, limit, labels, key)))
    }

    fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        let wanted = awaited(targets, self.labels().len());
        fill_rows::<W, L>(sources, wanted, progress, cells, |query, row| {
            let work = self.solve(query)?;
            for (cell, &target) in row.iter_mut().zip(targets) {
                *cell = L::distance(L::Key::load(&self.labels()[target as usize]));
            }
            Ok(work)
        })
    }
}

impl<W: Weight, L: KeyArithmetic<W>, Q: MonotoneQueue<L::Key>> Search<W> for Dijkstra<'_, W, L, Q> {
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SsspError> {
        let work = self.solve(&query.with_limit(L::limit_key(query.limit)))?;
        Ok((self.labels().iter().map(|&label| L::distance(label)).collect(), work))
    }

    fn predecessors(
        &mut self,
        source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SsspError> {
        let (graph, labels, limit) = (self.graph(), self.labels(), L::limit_key(limit));
        Ok(Some(predecessors::from_labels::<W, L, _>(graph, source, limit, labels, |&key| key)))
    }

    fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        let wanted = awaited(targets, self.labels().len());
        fill_rows::<W, L>(sources, wanted, progress, cells, |query, row| {
            let work = self.solve(query)?;
            for (cell, &target) in row.iter_mut().zip(targets) {
                *cell = L::distance(self.labels()[target as usize]);
            }
            Ok(work)
        })
    }
}

/// Fills a table with labels of the targets, with no list of all distances in between, a row by
/// each call of `search`; `None` where labels do not hold all distances.
fn fill_rows<W: Weight, L: KeyArithmetic<W>>(
    sources: &[VertexId],
    targets: &[VertexId],
    progress: Option<Progress<'_>>,
    cells: &mut [W::Distance],
    mut search: impl FnMut(&Query<'_, L::Key>, &mut [W::Distance]) -> Result<Work, SsspError>,
) -> Result<Option<Work>, SsspError> {
    if !L::HOLDS_ALL {
        return Ok(None);
    }
    let mut work = Work::default();
    let rows = cells.chunks_exact_mut(cells.len() / sources.len());
    for (done, (&source, row)) in (1..).zip(sources.iter().zip(rows)) {
        let query = Query { source, targets, limit: L::Key::GREATEST, progress: None };
        work.add(&search(&query, row)?);
        Query { progress, ..query }.report(done, sources.len() as u64)?;
    }
    Ok(Some(work))
}

impl<W: Weight> Search<W> for BellmanFord<'_, W> {
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SsspError> {
        self.solve(query)?;
        Ok((self.labels.distances.clone(), self.labels.work))
    }
}

impl<W: Weight> Search<W> for QueuedBellmanFord<'_, W> {
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SsspError> {
        self.solve(query)?;
        Ok((self.labels.distances.clone(), self.labels.work))
    }
}

/// The targets whose settling ends a search: where nearly all vertices are targets, looking
/// out for the last one costs more than going on to the end.
pub(crate) fn awaited(targets: &[VertexId], n_vertices: usize) -> &[VertexId] {
    if targets.len() < n_vertices / 2 { targets } else { &[] }
}
