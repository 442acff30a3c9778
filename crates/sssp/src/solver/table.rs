//! Tables of distances between many sources and many targets.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use breadth_first::{ManySources, depth};
use graph_formats::{Csr, VertexId, Weight, ensure_granted, parallel};
use paths::{DistanceTable, Progress};
use search_parts::check_vertices;

use super::core::{Device, OnCpu, Solver};
use super::rows::{Rows, empty_table, n_workers};
use crate::cpu::Chosen;
use crate::found::Found;
use crate::level_distances::LevelDistances;
use crate::search::Search;
use crate::weights::SearchKeys;
use crate::{Plan, SsspError, Work, row};

impl<W: SearchKeys> Solver<'_, W> {
    pub(super) fn find_table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
    ) -> Result<Found<DistanceTable<W>>, SsspError> {
        check_vertices(self.graph.n_vertices(), "source", sources)?;
        check_vertices(self.graph.n_vertices(), "target", targets)?;
        let mut table = empty_table::<W::Distance>(sources.len(), targets.len())?;
        let cells = table.as_slice_mut().unwrap_or_default();
        let (plan, progress) = (&self.plan, self.progress);
        let found = match &mut self.device {
            _ if cells.is_empty() => self.found((), Work::default(), None),
            Device::Cpu(cpu) => {
                let (plan, work) = cpu.fill(self.graph, sources, targets, progress, cells)?;
                Found { plan, ..self.found((), work, None) }
            }
            Device::Gpus(gpus) => {
                let (work, times) = gpus.fill(plan, sources, targets, progress, cells)?;
                self.found((), work, Some(times))
            }
        };
        Ok(found.map(|()| DistanceTable::from_storage(table)))
    }
}

impl<W: SearchKeys> OnCpu<'_, W> {
    /// Fills the rows, which have at least one cell, by threads that take one after the other.
    /// Returns the plan of the table and the work.
    fn fill(
        &mut self,
        graph: &Csr<W>,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        cells: &mut [W::Distance],
    ) -> Result<(Plan, Work), SsspError> {
        let Self { config, searches, pool, .. } = self;
        let (mut plan, chosen) = Plan::for_table(graph, config, sources.len())?;
        let pays = || breadth_first::pays(graph.n_vertices(), depth(graph), sources.len());
        if matches!(chosen, Chosen::BreadthFirst { .. }) && pays() {
            let threads = config.n_threads();
            let hops = graph.clone().unweighted();
            let fill = || {
                let many = ManySources::new(hops, sources.len(), threads, progress);
                fill_from_all(&many, LevelDistances::of(graph), sources, targets, cells)
            };
            if pool.run(fill)? {
                plan.reason += ", and searches run together, a bit each";
                plan.threads = threads;
                return Ok((plan, Work::default()));
            }
        }
        let searches = searches.by(chosen, plan.narrow);
        let n_workers = n_workers(config, graph, sources.len());
        ensure_granted(n_workers.saturating_mul(chosen.bytes_for(graph)))?;
        let rows = sources.iter().zip(cells.chunks_exact_mut(targets.len()));
        let rows = Rows::new(rows, sources.len(), progress);
        let fill = |_| {
            // allocated by the thread that uses it, for its caches
            let mut search = searches.search();
            rows.fill_each(|(&source, row)| {
                fill_row(graph, &plan, &mut *search, source, targets, row)
            })
        };
        let works = pool.run(|| parallel::map(n_workers, &fill));
        rows.result()?;
        Ok((plan, Work::sum(works)))
    }
}

/// Fills the rows, which have at least one cell, by searches from all sources at once. False if a
/// distance overflows.
fn fill_from_all<W: Weight>(
    many: &ManySources<'_>,
    mut distances: LevelDistances<W>,
    sources: &[VertexId],
    targets: &[VertexId],
    cells: &mut [W::Distance],
) -> Result<bool, SsspError> {
    let all_are_held = distances.extend_to_all();
    let lacks_some = AtomicBool::new(false);
    let rows: Vec<_> = cells.chunks_exact_mut(targets.len()).map(Mutex::new).collect();
    many.rows(sources, targets, &|row, first, hops| {
        let mut row = rows[row].lock().unwrap_or_else(PoisonError::into_inner);
        for (cell, &hops) in row[first..].iter_mut().zip(hops) {
            *cell = distances.get(hops);
        }
        if !all_are_held && hops.iter().any(|&hops| hops != u32::MAX && !distances.holds(hops)) {
            lacks_some.store(true, Relaxed);
        }
    })?;
    Ok(!lacks_some.into_inner())
}

/// Fills a row of a table, which has at least one cell.
fn fill_row<W: Weight>(
    graph: &Csr<W>,
    plan: &Plan,
    search: &mut dyn Search<W>,
    source: VertexId,
    targets: &[VertexId],
    cells: &mut [W::Distance],
) -> Result<Work, SsspError> {
    let work = search.run(&row::query(source, targets, graph.n_vertices()))?;
    search.row(targets, cells);
    row::check(graph, plan, source, targets, cells, || search.distances())?;
    Ok(work)
}
