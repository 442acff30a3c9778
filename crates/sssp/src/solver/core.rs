//! The state of a solver, and single searches.

use std::time::Duration;

use graph_formats::{Csr, Distance, VertexId, Weight, ensure_granted};
use paths::{Distances, Progress};
use search_parts::{Pool, Query, check_not_negative, check_vertices};

use crate::cpu::Searches;
use crate::found::Found;
use crate::gpu::OnGpus;
use crate::overflow::check_overflow_to;
use crate::search::Search;
use crate::weights::SearchKeys;
use crate::{Config, DeviceTimes, Goal, Plan, SsspError, Work};

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
    pub(super) search: Box<dyn Search<W> + 'g>,
    pub(super) pool: Pool,
}

impl<W: SearchKeys> Device<'_, W> {
    /// The distances, in storage form, and the work.
    pub(super) fn search(
        &mut self,
        query: &Query<'_, W::Distance>,
    ) -> Result<(Vec<W::Distance>, Work), SsspError> {
        match self {
            Self::Cpu(cpu) => {
                let work = cpu.search.run(query)?;
                Ok((cpu.search.distances(), work))
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

/// Distances, and their limit if there is one.
type Limited<W> = (Distances<<W as Weight>::Distance>, Option<<W as Weight>::Distance>);

impl<W: SearchKeys> Solver<'_, W> {
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

    /// The distances within `goal`, and the resulting limit.
    pub(super) fn answer(
        &mut self,
        source: VertexId,
        goal: Goal<W::Distance>,
    ) -> Result<Found<Limited<W>>, SsspError> {
        let (target, limit) = match goal {
            Goal::All => (None, W::Distance::UNREACHED),
            Goal::Target(target) => (Some(target), W::Distance::UNREACHED),
            Goal::Within(limit) => (None, limit),
        };
        let targets = target.as_slice();
        check_vertices(self.graph.n_vertices(), "source", &[source])?;
        check_vertices(self.graph.n_vertices(), "target", targets)?;
        // NaN is not comparable
        if limit.partial_cmp(&W::Distance::ZERO).is_none() {
            return Err(SsspError::BadCutoff(limit.to_string()));
        }
        ensure_granted(BYTES_OF_TREE * self.graph.n_vertices())?;
        // the keys of −0 and 0 differ
        let limit = if limit == W::Distance::ZERO { W::Distance::ZERO } else { limit };
        let query = Query { source, targets, limit, progress: self.progress };
        // the greatest distance is no limit, and overflows are checked
        let mut limit = Some(limit).filter(|&limit| limit < W::Distance::UNREACHED);
        if limit.is_some() {
            check_not_negative(self.graph, "a cutoff", "leave the cutoff out")?;
        }
        if limit.is_some_and(|limit| limit < W::Distance::ZERO) {
            let nothing = vec![W::Distance::UNREACHED; self.graph.n_vertices()];
            let answer = (Distances::from_storage(nothing), limit);
            return Ok(self.found(answer, Work::default(), None));
        }
        let (distances, work) = self.device.search(&query)?;
        let distances = Distances::from_storage(distances);
        if limit.is_none() && self.plan.negative.is_none() {
            limit = target.and_then(|target| distances.get(target));
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
        Ok(self.found((distances, limit), work, times))
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
        let mut solver = Solver { graph: &graph, plan, device, progress: None, reversed: None };
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
