//! The state of a solver, and single searches.

use std::time::{Duration, Instant};

use graph_formats::{Csr, Distance, VertexId, Weight, ensure_granted};
use paths::{Distances, Predecessors, Progress, Tree, Within};
use search_parts::{Pool, Query, Team, check_not_negative, check_vertices};

use super::rows::{Rows, n_workers};
use crate::cpu::near::NearSearch;
use crate::cpu::{Method, Searches};
use crate::found::Found;
use crate::gpu::OnGpus;
use crate::overflow::check_overflow_to;
use crate::search::Search;
use crate::weights::SearchKeys;
use crate::{Config, DeviceTimes, Goal, Plan, SsspError, Work, predecessors};

/// Bytes per vertex while a tree is made: two distances and the predecessor.
const BYTES_OF_TREE: usize = 20;

/// Searches one graph from any number of sources, in one work space.
///
/// ```
/// use graph_formats::Csr;
/// use sssp::{Config, Goal, Solver};
///
/// let graph = Csr::from_arcs(4, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9), (2, 3, 1)])?;
/// let mut solver = Solver::new(&graph, &Config::default())?;
/// let tree = solver.tree(0, Goal::All)?;
/// assert_eq!(tree.distance(3), Some(8));
/// assert_eq!(tree.path_to(3), Some(vec![0, 1, 2, 3]));
/// assert_eq!(solver.distances(1, Goal::All)?.get(0), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solver<'g, W: Weight> {
    pub(super) graph: &'g Csr<W>,
    pub(super) plan: Plan,
    pub(super) device: Device<'g, W>,
    /// The greatest distance of all results.
    pub(super) cutoff: W::Distance,
    pub(crate) progress: Option<Progress<'g>>,
    /// The transposed graph; made for the first k shortest paths in a directed graph.
    pub(super) reversed: Option<Csr<W>>,
}

/// The CPU or GPUs, with their searches.
pub(super) enum Device<'g, W: Weight> {
    Cpu(OnCpu<'g, W>),
    Gpus(OnGpus<'g, W>),
}

/// The CPU's single search, and the configuration for others.
pub(super) struct OnCpu<'g, W: Weight> {
    pub(super) config: Config,
    pub(super) searches: Searches<'g, W>,
    /// Made for the first search that needs arrays of all vertices.
    search: Option<Box<dyn Search<W> + 'g>>,
    pub(super) pool: Pool,
}

impl<'g, W: SearchKeys> OnCpu<'g, W> {
    pub(super) fn new(config: &Config, searches: Searches<'g, W>) -> Self {
        Self { config: config.clone(), searches, search: None, pool: Pool::new(config.threads) }
    }

    /// The single search, and the pool for work beside it.
    pub(super) fn search(&mut self) -> (&mut (dyn Search<W> + 'g), &Pool) {
        (&mut **self.search.get_or_insert_with(|| self.searches.search()), &self.pool)
    }
}

impl<W: SearchKeys> Device<'_, W> {
    /// The distances, in storage form, and the work.
    pub(super) fn search(
        &mut self,
        query: &Query<'_, W::Distance>,
    ) -> Result<(Vec<W::Distance>, Work), SsspError> {
        match self {
            Self::Cpu(cpu) => {
                let (search, _) = cpu.search();
                let work = search.run(query)?;
                Ok((search.distances(), work))
            }
            Self::Gpus(gpus) => gpus.on_first(|gpu| gpu.search(query)),
        }
    }

    /// Times of the last search; `None` for the CPU.
    pub(super) fn times(&mut self) -> Option<DeviceTimes> {
        match self {
            Self::Cpu(_) => None,
            Self::Gpus(gpus) => Some(gpus.times()),
        }
    }
}

/// What a search found.
pub(super) enum Answered<W: Weight> {
    /// The vertices near the source.
    Near(Within<W>),
    /// The distances of all vertices, and their limit if there is one.
    All(Distances<W::Distance>, Option<W::Distance>),
}

impl<'g, W: SearchKeys> Solver<'g, W> {
    /// A solver without a cutoff and a progress callback.
    pub(super) fn of(graph: &'g Csr<W>, plan: Plan, device: Device<'g, W>) -> Self {
        let cutoff = W::Distance::UNREACHED;
        Self { graph, plan, device, cutoff, progress: None, reversed: None }
    }

    /// A result with the plan and the work. On a device it has `times`, or those of the preparation
    /// if no search ran there.
    pub(super) fn found<T>(&self, answer: T, work: Work, times: Option<DeviceTimes>) -> Found<T> {
        let device_times = times.or(self.preparation());
        let (plan, predecessors_time) = (self.plan.clone(), Duration::ZERO);
        Found { answer, plan, work, device_times, predecessors_time }
    }

    /// Times of making the solver on the device; `None` for the CPU.
    pub fn preparation(&self) -> Option<DeviceTimes> {
        match &self.device {
            Device::Cpu(_) => None,
            Device::Gpus(gpus) => Some(gpus.preparation),
        }
    }

    /// Searches near the source, where they are tried before the solver's algorithm.
    pub(super) fn near(&self) -> Option<NearSearch<'g, W>> {
        match &self.device {
            Device::Cpu(OnCpu { config, searches, .. })
                if config.algorithm.is_none()
                    && config.team == Team::WhereItPays
                    && self.plan.negative.is_none() =>
            {
                let by_levels = searches.chosen.method == Method::BreadthFirst;
                Some(NearSearch::of(self.graph, by_levels))
            }
            _ => None,
        }
    }

    /// Searches near each of `sources`, and puts what lies within `limit` in its place. The place
    /// of a search that is given up stays empty, and all do where none is tried.
    pub(super) fn search_near(
        &self,
        sources: &[VertexId],
        limit: W::Distance,
        places: &mut [Option<Within<W>>],
    ) -> Result<Work, SsspError> {
        let (Some(near), Device::Cpu(OnCpu { config, pool, .. })) = (self.near(), &self.device)
        else {
            return Ok(Work::default());
        };
        let rows = Rows::new(sources.iter().zip(places), sources.len(), self.progress);
        type Row<'r, W> = (&'r VertexId, &'r mut Option<Within<W>>);
        let fill = |near: &mut NearSearch<'_, W>, (&source, place): Row<'_, W>| {
            let found = near.search(&Query { source, targets: &[], limit, progress: None })?;
            Ok(found.map_or(Work::default(), |(within, work)| {
                *place = Some(within);
                work
            }))
        };
        let n_workers = n_workers(config, self.graph, sources.len());
        pool.run(|| rows.fill_by(n_workers, &|| Ok(near.clone()), &fill))
    }

    /// A limit within the solver's cutoff, or an error if it is none.
    pub(super) fn checked_limit(&self, limit: W::Distance) -> Result<W::Distance, SsspError> {
        // NaN is not comparable
        if limit.partial_cmp(&W::Distance::ZERO).is_none() {
            return Err(SsspError::BadCutoff(limit.to_string()));
        }
        if limit < W::Distance::UNREACHED {
            check_not_negative(self.graph, "a cutoff", "leave the cutoff out")?;
        }
        let least = if limit < self.cutoff { limit } else { self.cutoff };
        // the keys of −0 and 0 differ
        Ok(if least == W::Distance::ZERO { W::Distance::ZERO } else { least })
    }

    /// What lies within `goal`.
    pub(super) fn answer(
        &mut self,
        source: VertexId,
        goal: Goal<W::Distance>,
    ) -> Result<Found<Answered<W>>, SsspError> {
        let (target, limit) = match goal {
            Goal::All => (None, W::Distance::UNREACHED),
            Goal::Target(target) => (Some(target), W::Distance::UNREACHED),
            Goal::Within(limit) => (None, limit),
        };
        let targets = target.as_slice();
        check_vertices(self.graph.n_vertices(), "source", &[source])?;
        check_vertices(self.graph.n_vertices(), "target", targets)?;
        let limit = self.checked_limit(limit)?;
        if limit < W::Distance::ZERO {
            let nothing = Within::from_storage(source, limit, vec![], vec![], vec![]);
            return Ok(self.found(Answered::Near(nothing), Work::default(), None));
        }
        let query = Query { source, targets, limit, progress: self.progress };
        if let Some(mut near) = self.near()
            && let Some((within, work)) = near.search(&query)?
        {
            let plan = near.plan(&self.plan);
            ensure_granted(BYTES_OF_TREE * self.graph.n_vertices())?;
            return Ok(Found { plan, ..self.found(Answered::Near(within), work, None) });
        }
        self.answer_by_plan(&query)
    }

    /// What lies within `query`, by the solver's algorithm.
    pub(super) fn answer_by_plan(
        &mut self,
        query: &Query<'_, W::Distance>,
    ) -> Result<Found<Answered<W>>, SsspError> {
        let &Query { source, targets, limit, .. } = query;
        if let Device::Cpu(cpu) = &mut self.device {
            // before the check: an allocator may keep what the check frees, and would clear it for
            // the arrays of the search
            cpu.search();
        }
        ensure_granted(BYTES_OF_TREE * self.graph.n_vertices())?;
        let (distances, work) = self.device.search(query)?;
        let distances = Distances::from_storage(distances);
        // the greatest distance is no limit, and overflows are checked
        let mut limit = Some(limit).filter(|&limit| limit < W::Distance::UNREACHED);
        if self.plan.negative.is_none()
            && let Some(own) = query.target().and_then(|target| distances.get(target))
        {
            limit = limit.filter(|&limit| limit < own).or(Some(own));
        }
        let distances = match limit {
            Some(limit) => distances.within(limit),
            None => {
                if !self.plan.bounded {
                    check_overflow_to(self.graph, &distances, source, targets)?;
                }
                distances
            }
        };
        let times = self.device.times();
        Ok(self.found(Answered::All(distances, limit), work, times))
    }

    /// The tree of what the last search found. The time of predecessors is added.
    pub(super) fn tree_of(
        &mut self,
        source: VertexId,
        found: Found<Answered<W>>,
    ) -> Result<Found<Tree<W>>, SsspError> {
        let start = Instant::now();
        let found = found.try_map(|answered| match answered {
            Answered::Near(within) => Ok(within.to_tree(self.graph.n_vertices())),
            Answered::All(distances, limit) => {
                let predecessors = self.predecessors(source, &distances, limit)?;
                Ok(Tree { source, limit, predecessors, distances })
            }
        })?;
        Ok(Found { predecessors_time: start.elapsed(), ..found })
    }

    /// The predecessors for these distances, which the last search of the device found.
    fn predecessors(
        &mut self,
        source: VertexId,
        distances: &Distances<W::Distance>,
        limit: Option<W::Distance>,
    ) -> Result<Predecessors, SsspError> {
        let farthest = limit.unwrap_or(W::Distance::UNREACHED);
        match &mut self.device {
            Device::Cpu(cpu) => {
                let (search, pool) = cpu.search();
                Ok(search.predecessors(pool, source, farthest))
            }
            Device::Gpus(gpus) => {
                let found = gpus.on_first(|gpu| gpu.predecessors(source, farthest))?;
                let on_cpu = || predecessors::from_distances(self.graph, source, distances);
                Ok(found.unwrap_or_else(on_cpu))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_no_search_on_the_device_has_no_times_of_one() {
        let graph = Csr::from_arcs(3, &[(0, 1, 5i32), (1, 2, 7)]).unwrap();
        let plan = Plan::of(&graph, "crauser", false, String::new()).unwrap();
        let times = DeviceTimes { upload_ms: 1.0, ..DeviceTimes::default() };
        let gpus = OnGpus::mock(&graph, vec![0, 5, 12], times);
        let device = Device::Gpus(gpus);
        let mut solver = Solver::of(&graph, plan, device);
        let preparation = solver.preparation();
        assert_eq!(preparation.unwrap().upload_ms, 1.0);
        for goal in [Goal::All, Goal::Target(1), Goal::Within(0)] {
            assert_eq!(solver.tree(0, goal).unwrap().device_times.unwrap().solve_ms, 2.0);
        }
        assert_eq!(solver.tree(0, Goal::Within(-1)).unwrap().device_times, preparation);
        assert_eq!(solver.table(&[], &[0]).unwrap().device_times, preparation);
        assert_eq!(solver.nearest(&[0]).unwrap().device_times, preparation);
        assert_eq!(solver.k_shortest_paths(0, 2, 1).unwrap().device_times, preparation);
        assert_eq!(solver.preparation(), preparation);
    }
}
