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
use crate::cpu::near::NearSearch;
use crate::level_distances::LevelDistances;
use crate::overflow::check_overflow_of_row;
use crate::table::Table;
use crate::weights::SearchKeys;
use crate::{Plan, SsspError, Work};

impl<W: SearchKeys> OnCpu<'_, W> {
    /// Fills the table by threads that take one row after the other, with the distances up to
    /// `cutoff` and perhaps some beyond. Returns its plan and the work.
    pub(super) fn fill(
        &mut self,
        graph: &Csr<W>,
        table: &mut Table<'_, W::Distance>,
        cutoff: W::Distance,
        near: Option<NearSearch<'_, W>>,
    ) -> Result<(Plan, Work), SsspError> {
        let is_cut_off = cutoff < W::Distance::UNREACHED;
        let &mut Table { sources, targets, progress, .. } = table;
        let Self { config, searches, pool, .. } = self;
        let (mut plan, chosen) = Plan::for_table(graph, config, sources.len())?;
        let pays = || breadth_first::pays(graph.n_vertices(), depth(graph), sources.len());
        if !is_cut_off && chosen.method == Method::BreadthFirst && pays() {
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
        let work = pool.run(|| {
            // allocated by the thread that uses it, for its caches, and when a row needs it
            let space = || Ok((near.clone(), None));
            rows.fill_by(n_workers, &space, &|(near, search), (&source, row)| {
                let query = Query::of_row(source, targets, graph.n_vertices(), cutoff);
                if let Some(near) = near
                    && let Some((within, work)) = near.search(&query)?
                {
                    for (cell, &target) in row.iter_mut().zip(targets) {
                        *cell = within.distance(target).unwrap_or(W::Distance::UNREACHED);
                    }
                    return Ok(work);
                }
                let search = search.get_or_insert_with(|| searches.search());
                let work = search.run(&query)?;
                search.row(targets, row);
                if !is_cut_off {
                    let all = || search.distances();
                    check_overflow_of_row(graph, &plan, source, targets, row, all)?;
                }
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
