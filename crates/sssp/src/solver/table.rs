//! Tables of distances between many sources and many targets.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use breadth_first::{ManySources, depth};
use graph_formats::{Csr, Distance, Weight, ensure_granted};
use search_parts::Query;

use super::core::OnCpu;
use super::rows::{Rows, n_workers};
use crate::cpu::Method;
use crate::level_distances::LevelDistances;
use crate::overflow::check_overflow_of_row;
use crate::table::Table;
use crate::weights::SearchKeys;
use crate::{Plan, SsspError, Work};

impl<W: SearchKeys> OnCpu<'_, W> {
    /// Fills the table by threads that take one row after the other. Returns its plan and the work.
    pub(super) fn fill(
        &mut self,
        graph: &Csr<W>,
        table: &mut Table<'_, W::Distance>,
    ) -> Result<(Plan, Work), SsspError> {
        let &mut Table { sources, targets, progress, .. } = table;
        let Self { config, searches, pool, .. } = self;
        let (mut plan, chosen) = Plan::for_table(graph, config, sources.len())?;
        let pays = || breadth_first::pays(graph.n_vertices(), depth(graph), sources.len());
        if chosen.method == Method::BreadthFirst && pays() {
            let threads = config.n_threads();
            let hops = graph.clone().unweighted();
            let fill = || {
                let many = ManySources::new(hops, sources.len(), threads, progress);
                fill_from_all(&many, graph, table)
            };
            if pool.run(fill)? {
                plan.reason += ", and the searches share their work, one bit each";
                plan.threads = threads;
                return Ok((plan, Work::default()));
            }
        }
        let searches = searches.by(chosen);
        let n_workers = n_workers(config, graph, sources.len());
        ensure_granted(n_workers.saturating_mul(chosen.bytes_for(graph)))?;
        let rows = sources.iter().zip(table.cells.chunks_exact_mut(targets.len()));
        let rows = Rows::new(rows, sources.len(), progress);
        // allocated by the thread that uses it, for its caches
        let search = || Ok(searches.search());
        let work = pool.run(|| {
            rows.fill_by(n_workers, &search, &|search, (&source, row)| {
                let work = search.run(&Query::of_row(source, targets, graph.n_vertices()))?;
                search.row(targets, row);
                check_overflow_of_row(graph, &plan, source, targets, row, || search.distances())?;
                Ok(work)
            })
        })?;
        Ok((plan, work))
    }
}

/// Fills the table by searches from all sources at once. False if a distance overflows.
fn fill_from_all<W: Weight>(
    many: &ManySources<'_>,
    graph: &Csr<W>,
    table: &mut Table<'_, W::Distance>,
) -> Result<bool, SsspError> {
    let mut distances = LevelDistances::of(graph);
    let all_are_held = distances.extend_to(graph.n_vertices());
    let lacks_some = AtomicBool::new(false);
    let overflows = |&hops: &u32| hops != u32::MAX && distances.get(hops) == W::Distance::UNREACHED;
    let rows: Vec<_> = table.cells.chunks_exact_mut(table.targets.len()).map(Mutex::new).collect();
    many.rows(table.sources, table.targets, &|row, first, hops| {
        let mut row = rows[row].lock().unwrap_or_else(PoisonError::into_inner);
        for (cell, &hops) in row[first..].iter_mut().zip(hops) {
            *cell = distances.get(hops);
        }
        if !all_are_held && hops.iter().any(overflows) {
            lacks_some.store(true, Relaxed);
        }
    })?;
    Ok(!lacks_some.into_inner())
}
