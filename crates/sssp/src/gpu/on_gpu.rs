//! The choice of the search on a GPU, and the CPU as the fallback if the device has no answer.
//!
//! Some kernels add weights in numbers narrower than distances, and the device may lack the memory
//! for wider ones. Some kernels detect a negative cycle but do not list it. Then the CPU searches
//! the same graph, and lists the cycle. Its time counts as the search's.

use std::time::Instant;

use gpu_runtime::Gpu;
use graph_formats::{Csr, Distance, VertexId, Weight, tell};
use paths::{Predecessors, Progress};
use search_parts::device::Answer;
use search_parts::{Query, milliseconds, unless_out_of_memory};

use super::algorithm::Algorithm;
use super::autotune;
use super::device::on_device;
use super::multi_source::{GpuSearch, Owners};
use crate::cpu::Searches;
use crate::overflow::check_overflow_of_row;
use crate::search::Search;
use crate::table::Table;
use crate::weights::SearchKeys;
use crate::{Config, Delta, DeviceTimes, Plan, SsspError, Work, cost};

/// A search on a device, or on the CPU if the device has no answer.
pub(crate) struct OnGpu<'g, W: Weight> {
    device: GpuSearch<'g, W>,
    graph: &'g Csr<W>,
    /// Configuration of the search on the CPU.
    config: Config,
    /// Made for the first fallback.
    cpu: Option<Box<dyn Search<W> + 'g>>,
    /// Whether the last search ran on the device and succeeded.
    on_device: bool,
}

impl<'g, W: SearchKeys> OnGpu<'g, W> {
    /// The search by `config`, with its plan. If `config` names no algorithm and expects enough
    /// searches for trials to pay, it is the fastest one tried.
    pub(super) fn new(
        gpu: &Gpu,
        graph: &'g Csr<W>,
        config: &Config<Algorithm>,
    ) -> Result<(Plan, Self), SsspError> {
        let [of_any_sign, ..] = Algorithm::FOR_ANY_SIGN;
        let (algorithm, reason) = match config.algorithm {
            None if graph.weight_summary().common().is_some() => {
                (Algorithm::BreadthFirst, "all arcs have the same weight")
            }
            None if graph.first_negative().is_some() => (of_any_sign, "some weights are negative"),
            None => (Algorithm::DeltaStepping(Delta::Auto), "it is the default on a GPU"),
            Some(asked) => (asked, "chosen by the caller"),
        };
        let admits_negative = algorithm.admits_negative();
        let mut plan = Plan::of(graph, algorithm.name(), admits_negative, reason.to_owned())?;
        plan.device = Some(gpu.properties().name.clone());
        let chooses = config.algorithm.is_none()
            && algorithm != Algorithm::BreadthFirst
            && cost::trials_pay(config.n_expected_searches());
        let device = if !chooses {
            let (device, delta) = on_device(gpu, graph, algorithm)?;
            plan.delta = delta;
            device
        } else if admits_negative {
            autotune::fastest_of_any_sign(gpu, graph, &Algorithm::FOR_ANY_SIGN, &mut plan)?
        } else {
            autotune::fastest(gpu, graph, &Algorithm::FOR_FEW_HOPS, &mut plan)?
        };
        // with negative weights, an algorithm that reports rounds as the device's do
        let cpu = config.for_algorithm(admits_negative.then_some(crate::Algorithm::BellmanFord));
        Ok((plan, Self::of(device, graph, cpu)))
    }

    /// A search of `graph` on `device`; on the CPU it follows `config`.
    pub(super) fn of(device: GpuSearch<'g, W>, graph: &'g Csr<W>, config: Config) -> Self {
        Self { device, graph, config, cpu: None, on_device: false }
    }

    /// Times of the last search.
    pub(crate) fn times(&mut self) -> DeviceTimes {
        *self.device.single().times()
    }

    pub(crate) fn search(
        &mut self,
        query: &Query<'_, W::Distance>,
    ) -> Result<Answer<W>, SsspError> {
        self.on_device = false;
        match self.device.single().search(query) {
            Err(SsspError::NotOnGpu { .. }) => self.on_cpu(query),
            answer => {
                self.on_device = answer.is_ok();
                answer
            }
        }
    }

    /// The predecessors of the vertices within `limit` of `source`; `None` if the device does not
    /// find them.
    pub(crate) fn predecessors(
        &mut self,
        source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SsspError> {
        if !self.on_device {
            return Ok(None);
        }
        let found = self.device.single().predecessors(source, limit);
        Ok(unless_out_of_memory(found)?.flatten())
    }

    /// Fills the table: many rows at once if the algorithm can and memory suffices, else row by
    /// row. Returns the work and the times.
    pub(super) fn fill(
        &mut self,
        plan: &Plan,
        table: &mut Table<'_, W::Distance>,
    ) -> Result<(Work, DeviceTimes), SsspError> {
        self.on_device = false;
        // the check for overflows needs all distances of a source, so it is made row by row; so is
        // a table for which memory does not suffice
        if plan.bounded
            && let GpuSearch::Many(many) = &mut self.device
        {
            let filled = many.table(table);
            if let Some(work) = unless_out_of_memory(filled)?.flatten() {
                return Ok((work, self.times()));
            }
        }
        let &mut Table { sources, targets, ref mut cells, progress } = table;
        let (mut work, mut times) = (Work::default(), self.times().without_search());
        let rows = cells.chunks_exact_mut(targets.len());
        for (done, (&source, cells)) in (1..).zip(sources.iter().zip(rows)) {
            let query =
                Query::of_row(source, targets, self.graph.n_vertices(), W::Distance::UNREACHED);
            let (distances, row_work) = self.search(&query)?;
            for (cell, &target) in cells.iter_mut().zip(targets) {
                *cell = distances[target as usize];
            }
            check_overflow_of_row(self.graph, plan, source, targets, cells, || distances)?;
            work.add(&row_work);
            times = times.and(self.times());
            tell(progress, done, sources.len() as u64)?;
        }
        Ok((work, times))
    }

    /// As `MultiSource::nearest`; also `None` if the algorithm has single searches only, or memory
    /// does not suffice.
    pub(crate) fn nearest(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<Option<(Answer<W>, Owners)>, SsspError> {
        self.on_device = false;
        let GpuSearch::Many(many) = &mut self.device else { return Ok(None) };
        Ok(unless_out_of_memory(many.nearest(sources, progress))?.flatten())
    }

    fn on_cpu(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SsspError> {
        let start = Instant::now();
        let cpu = match &mut self.cpu {
            Some(cpu) => cpu,
            empty => {
                let (_, chosen) = Plan::on_cpu(self.graph, &self.config)?;
                empty.insert(Searches::new(self.graph, chosen).search())
            }
        };
        let work = cpu.run(query);
        let answer = work.map(|work| (cpu.distances(), work));
        self.device.single().times().solve_ms += milliseconds(start);
        answer
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use graph_formats::generate::{GridConfig, grid};
    use paths::{Distances, oracle};
    use search_parts::device::DeviceSearch;

    use super::*;

    /// A mock: a device with single searches from even sources only, which have these distances.
    pub(crate) struct EvenSources<W: Weight> {
        pub(crate) distances: Vec<W::Distance>,
        pub(crate) times: DeviceTimes,
    }

    impl<W: Weight> DeviceSearch<W> for EvenSources<W> {
        fn run(&mut self, query: &Query<'_, W::Distance>) -> Result<Option<Work>, SsspError> {
            self.times.solve_ms = 2.0;
            Ok(query.source.is_multiple_of(2).then(Work::default))
        }

        fn distances(&mut self) -> Result<Vec<W::Distance>, SsspError> {
            Ok(self.distances.clone())
        }

        fn predecessors(
            &mut self,
            source: VertexId,
            _limit: W::Distance,
        ) -> Result<Option<Predecessors>, SsspError> {
            Ok(Some(Predecessors::from_storage(vec![source; self.distances.len()])))
        }

        fn times(&mut self) -> &mut DeviceTimes {
            &mut self.times
        }
    }

    #[test]
    fn the_cpu_answers_what_the_device_does_not() {
        let graph = grid(&GridConfig { side: 9, ..GridConfig::default() }).unwrap();
        let distances = vec![0; graph.n_vertices()];
        let times = DeviceTimes { prepare_ms: 4.0, ..DeviceTimes::default() };
        let device = GpuSearch::Single(Box::new(EvenSources { distances, times }));
        let mut search = OnGpu::of(device, &graph, Config::default());
        for source in [3, 4, 5] {
            let query = Query { source, targets: &[], limit: u64::MAX, progress: None };
            let (found, _) = search.search(&query).unwrap();
            let chosen = search.predecessors(source, u64::MAX).unwrap();
            let is_odd = source % 2 == 1;
            let expected = oracle::tree(&graph, source, None).unwrap().distances;
            assert_eq!(Distances::from_storage(found) == expected, is_odd, "{source}");
            assert_eq!(chosen.is_none(), is_odd, "{source}");
            assert_eq!(search.times().solve_ms > 2.0, is_odd, "{source}");
            assert_eq!(search.times().prepare_ms, 4.0);
        }
    }
}
