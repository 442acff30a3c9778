//! The CPU in the place of a device that has no answer.
//!
//! Some kernels add weights in numbers narrower than distances, and some may meet a negative
//! cycle that they cannot name; and a device may lack the memory for wider numbers. There the
//! CPU searches the same graph, and finds the cycle. Its time is counted as the search's.

use std::time::Instant;

use gpu_runtime::{Gpu, GpuError};
use graph_formats::{Csr, VertexId, Weight};
use paths::Predecessors;

use super::hop_sums::HopSumsOnGpu;
use super::launch::milliseconds;
use crate::cpu;
use crate::query::Query;
use crate::search::{Answer, Owners, Search};
use crate::weights::SearchWeight;
use crate::{Config, DeviceTimes, HopSums, Plan, Progress, SsspError, Work};

/// The error of a search on a device that has no answer: a sum does not fit what the kernels add
/// in and there is no memory for it, or a negative cycle can be reached.
pub(super) fn no_answer() -> SsspError {
    SsspError::NotOnGpu { reason: "it has no answer to this search".to_owned() }
}

/// A search on a device, and on the CPU where the device has no answer.
pub(super) struct WithFallback<'g, W: Weight> {
    device: Box<dyn Search<W> + 'g>,
    /// What adds up hops from many sources, and the time of its last sums unless a search came
    /// after.
    hops: Option<HopSumsOnGpu<'g, W>>,
    hops_times: Option<DeviceTimes>,
    /// What the choice of this one took, in milliseconds.
    choice_ms: f64,
    graph: &'g Csr<W>,
    /// Whether no sum is too large for a distance.
    is_bounded: bool,
    /// What the CPU searches with.
    config: Config,
    /// Made when it is first needed.
    cpu: Option<Box<dyn Search<W> + 'g>>,
    /// Milliseconds that the CPU took for the last search or table.
    cpu_ms: f64,
    /// Whether the device had an answer to the last search.
    on_device: bool,
}

impl<'g, W: SearchWeight> WithFallback<'g, W> {
    /// For `device`, which searches `graph` as `plan` says; on the CPU, by `config`.
    pub(super) fn new(
        device: Box<dyn Search<W> + 'g>,
        choice_ms: f64,
        graph: &'g Csr<W>,
        plan: &Plan,
        config: Config,
    ) -> Self {
        Self {
            device,
            hops: None,
            hops_times: None,
            choice_ms,
            graph,
            is_bounded: plan.bounded,
            config,
            cpu: None,
            cpu_ms: 0.0,
            on_device: false,
        }
    }

    /// The same, adding up hops from many sources on `gpu`.
    pub(super) fn counting_hops_on(self, gpu: &Gpu) -> Self {
        Self { hops: Some(HopSumsOnGpu::new(gpu, self.graph)), ..self }
    }

    /// Forgets what came of the last search.
    fn begin(&mut self) {
        (self.cpu_ms, self.on_device, self.hops_times) = (0.0, false, None);
    }

    fn on_cpu(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SsspError> {
        let start = Instant::now();
        let cpu = match &mut self.cpu {
            Some(cpu) => cpu,
            empty => {
                let (plan, chosen) = Plan::on_cpu(self.graph, &self.config)?;
                let prepared = cpu::prepare(self.graph, chosen);
                empty.insert(cpu::search(self.graph, chosen, plan.narrow, prepared))
            }
        };
        let answer = cpu.search(query);
        self.cpu_ms += milliseconds(start);
        answer
    }
}

impl<W: SearchWeight> Search<W> for WithFallback<'_, W> {
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SsspError> {
        self.begin();
        match self.device.search(query) {
            Err(SsspError::NotOnGpu { .. }) => self.on_cpu(query),
            answer => {
                self.on_device = answer.is_ok();
                answer
            }
        }
    }

    fn predecessors(
        &mut self,
        source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SsspError> {
        if !self.on_device {
            return Ok(None);
        }
        Ok(unless_out_of_memory(self.device.predecessors(source, limit))?.flatten())
    }

    fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        self.begin();
        // sums that are too large are looked for in all distances of a source; and one search at a
        // time needs no more memory than there is
        if !self.is_bounded {
            return Ok(None);
        }
        Ok(unless_out_of_memory(self.device.table(sources, targets, progress, cells))?.flatten())
    }

    fn nearest(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<Option<(Answer<W>, Owners)>, SsspError> {
        self.begin();
        Ok(unless_out_of_memory(self.device.nearest(sources, progress))?.flatten())
    }

    fn hop_sums(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<Option<HopSums>, SsspError> {
        self.begin();
        let Some(hops) = &mut self.hops else { return Ok(None) };
        let Some((sums, times)) = unless_out_of_memory(hops.sums(sources, progress))? else {
            return Ok(None);
        };
        self.hops_times = Some(times);
        Ok(Some(sums))
    }

    fn device_times(&self) -> Option<DeviceTimes> {
        if self.hops_times.is_some() {
            return self.hops_times;
        }
        let mut times = self.device.device_times()?;
        times.prepare_ms += self.choice_ms;
        times.solve_ms += self.cpu_ms;
        Some(times)
    }
}

/// What came of it, unless the device has too little memory for it.
pub(super) fn unless_out_of_memory<T>(
    result: Result<T, SsspError>,
) -> Result<Option<T>, SsspError> {
    match result {
        Err(SsspError::Gpu(error)) if matches!(*error, GpuError::OutOfMemory { .. }) => Ok(None),
        result => result.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use graph_formats::generate::{GridConfig, grid};
    use paths::{Distances, oracle};

    use super::*;

    /// A device that has an answer, of zeros, for even sources alone.
    struct EvenSources {
        n_vertices: usize,
    }

    impl Search<u32> for EvenSources {
        fn search(&mut self, query: &Query<'_, u64>) -> Result<Answer<u32>, SsspError> {
            let answer = (vec![0; self.n_vertices], Work::default());
            query.source.is_multiple_of(2).then_some(answer).ok_or_else(no_answer)
        }

        fn predecessors(
            &mut self,
            source: VertexId,
            _limit: u64,
        ) -> Result<Option<Predecessors>, SsspError> {
            Ok(Some(Predecessors::from_storage(vec![source; self.n_vertices])))
        }

        fn table(
            &mut self,
            _sources: &[VertexId],
            _targets: &[VertexId],
            _progress: Option<Progress<'_>>,
            _cells: &mut [u64],
        ) -> Result<Option<Work>, SsspError> {
            Ok(Some(Work::default()))
        }

        fn device_times(&self) -> Option<DeviceTimes> {
            Some(DeviceTimes { prepare_ms: 1.0, solve_ms: 2.0, ..DeviceTimes::default() })
        }
    }

    #[test]
    fn the_cpu_answers_what_the_device_does_not() {
        let graph = grid(&GridConfig { side: 9, ..GridConfig::default() }).unwrap();
        let n_vertices = graph.n_vertices();
        let device = Box::new(EvenSources { n_vertices });
        let plan = Plan::of(&graph, "crauser", false, String::new()).unwrap();
        let mut search = WithFallback::new(device, 3.0, &graph, &plan, Config::default());
        let times = |search: &WithFallback<'_, u32>| search.device_times().unwrap();
        for source in [3, 4, 5] {
            let query = Query { source, targets: &[], limit: u64::MAX, progress: None };
            let (found, _) = search.search(&query).unwrap();
            let chosen = search.predecessors(source, u64::MAX).unwrap();
            let is_odd = source % 2 == 1;
            let expected = oracle::tree(&graph, source, None).unwrap().distances;
            assert_eq!(Distances::from_storage(found) == expected, is_odd, "{source}");
            assert_eq!(chosen.is_none(), is_odd, "{source}");
            assert_eq!(times(&search).solve_ms > 2.0, is_odd, "{source}");
            assert_eq!(times(&search).prepare_ms, 4.0);
        }
        for is_bounded in [true, false] {
            search.is_bounded = is_bounded;
            let filled = search.table(&[0], &[1], None, &mut [0]).unwrap();
            assert_eq!(filled.is_some(), is_bounded);
        }
    }
}
