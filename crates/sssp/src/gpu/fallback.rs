//! The CPU in the place of a device that has no answer.
//!
//! Kernels add weights in numbers of fixed width, and may meet a negative cycle that they
//! cannot name. There the CPU searches the same graph: it adds in wider numbers, and finds the
//! cycle. Its time is counted as the search's.

use std::ops::ControlFlow;
use std::time::Instant;

use gpu_runtime::GpuError;
use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::{Distances, Predecessors};

use super::launch::milliseconds;
use crate::query::{Query, check_overflow};
use crate::search::{self, Answer, Search};
use crate::{Config, DeviceTimes, Plan, Progress, SsspError, Work};

/// An algorithm on a device with its graph and work space there.
pub(super) trait DeviceSearch<W: Weight>: Send {
    /// As [`Search::search`]; `None` where a sum does not fit what the kernels add in, or a
    /// negative cycle can be reached.
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Option<Answer<W>>, SsspError>;

    /// As [`Search::predecessors`], of a search that had an answer.
    fn predecessors(
        &mut self,
        _source: VertexId,
        _limit: W::Distance,
    ) -> Result<Option<Vec<VertexId>>, SsspError> {
        Ok(None)
    }

    /// As [`Search::table`], and the rows that are not filled, for a sum does not fit.
    fn table(
        &mut self,
        _sources: &[VertexId],
        _targets: &[VertexId],
        _progress: Option<Progress<'_>>,
        _cells: &mut [W::Distance],
    ) -> Result<Option<(Work, Vec<usize>)>, SsspError> {
        Ok(None)
    }

    /// Where the time went, of the last search or table and of what was done before it.
    fn times(&self) -> DeviceTimes;
}

/// A search on a device, and on the CPU where the device has no answer.
pub(super) struct WithFallback<'g, W: Weight> {
    device: Box<dyn DeviceSearch<W> + 'g>,
    /// What the choice of this one took, in milliseconds.
    choice_ms: f64,
    graph: &'g Csr<W>,
    /// What the CPU searches with.
    config: Config,
    /// Made when it is first needed.
    cpu: Option<Box<dyn Search<W> + 'g>>,
    /// Milliseconds that the CPU took for the last search or table.
    cpu_ms: f64,
    /// Whether the device had an answer to the last search.
    on_device: bool,
}

impl<'g, W: Weight> WithFallback<'g, W> {
    /// For `device`, which searches `graph`; on the CPU, by `config`.
    pub(super) fn new(
        device: Box<dyn DeviceSearch<W> + 'g>,
        choice_ms: f64,
        graph: &'g Csr<W>,
        config: Config,
    ) -> Self {
        let (cpu, cpu_ms, on_device) = (None, 0.0, false);
        Self { device, choice_ms, graph, config, cpu, cpu_ms, on_device }
    }

    fn on_cpu(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SsspError> {
        let start = Instant::now();
        let cpu = match &mut self.cpu {
            Some(cpu) => cpu,
            empty => {
                let (plan, chosen) = Plan::on_cpu(self.graph, &self.config)?;
                let window = search::window(self.graph, chosen);
                empty.insert(search::on_cpu(self.graph, chosen, plan.narrow, window))
            }
        };
        let answer = cpu.search(query);
        self.cpu_ms += milliseconds(start);
        answer
    }
}

impl<W: Weight> Search<W> for WithFallback<'_, W> {
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SsspError> {
        self.cpu_ms = 0.0;
        self.on_device = false;
        match self.device.search(query)? {
            Some(answer) => {
                self.on_device = true;
                Ok(answer)
            }
            None => self.on_cpu(query),
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
        let chosen = unless_out_of_memory(self.device.predecessors(source, limit))?;
        Ok(chosen.flatten().map(Predecessors::from_storage))
    }

    fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        self.cpu_ms = 0.0;
        self.on_device = false;
        // one search at a time needs no more memory than there is
        let filled = unless_out_of_memory(self.device.table(sources, targets, progress, cells))?;
        let Some((mut work, missing)) = filled.flatten() else { return Ok(None) };
        let total = sources.len() as u64;
        for (done, row) in (total - missing.len() as u64..).zip(missing) {
            let tell = |_, _| progress.map_or(ControlFlow::Continue(()), |tell| tell(done, total));
            let (source, limit) = (sources[row], W::Distance::UNREACHED);
            let query = Query { source, targets, limit, progress: Some(&tell) };
            let (distances, counts) = self.on_cpu(&query)?;
            work.add(&counts);
            let cells = &mut cells[row * targets.len()..(row + 1) * targets.len()];
            for (cell, &target) in cells.iter_mut().zip(targets) {
                *cell = distances[target as usize];
            }
            if cells.contains(&W::Distance::UNREACHED) {
                check_overflow(self.graph, &Distances::from_storage(distances))?;
            }
        }
        Ok(Some(work))
    }

    fn device_times(&self) -> Option<DeviceTimes> {
        let mut times = self.device.times();
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
    use paths::oracle;

    use super::*;

    /// A device that has an answer, of zeros, for even sources alone.
    struct EvenSources {
        n_vertices: usize,
    }

    impl DeviceSearch<u32> for EvenSources {
        fn search(&mut self, query: &Query<'_, u64>) -> Result<Option<Answer<u32>>, SsspError> {
            let answer = (vec![0; self.n_vertices], Work::default());
            Ok(query.source.is_multiple_of(2).then_some(answer))
        }

        fn predecessors(
            &mut self,
            source: VertexId,
            _limit: u64,
        ) -> Result<Option<Vec<VertexId>>, SsspError> {
            Ok(Some(vec![source; self.n_vertices]))
        }

        fn table(
            &mut self,
            sources: &[VertexId],
            _targets: &[VertexId],
            _progress: Option<Progress<'_>>,
            cells: &mut [u64],
        ) -> Result<Option<(Work, Vec<usize>)>, SsspError> {
            cells.fill(0);
            let missing = (0..sources.len()).filter(|&row| !sources[row].is_multiple_of(2));
            Ok(Some((Work::default(), missing.collect())))
        }

        fn times(&self) -> DeviceTimes {
            DeviceTimes { prepare_ms: 1.0, solve_ms: 2.0, ..DeviceTimes::default() }
        }
    }

    #[test]
    fn the_cpu_answers_what_the_device_does_not() {
        let graph = grid(&GridConfig { side: 9, ..GridConfig::default() }).unwrap();
        let n_vertices = graph.n_vertices();
        let device = Box::new(EvenSources { n_vertices });
        let mut search = WithFallback::new(device, 3.0, &graph, Config::default());
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
        let (sources, targets) = ([2, 7, 0, 11], [80, 1, 7]);
        let mut cells = vec![99; 12];
        search.table(&sources, &targets, None, &mut cells).unwrap();
        for (row, &source) in cells.chunks(3).zip(&sources) {
            let expected = oracle::tree(&graph, source, None).unwrap().distances;
            for (&cell, &target) in row.iter().zip(&targets) {
                let distance = expected.get(target).unwrap();
                assert_eq!(cell, if source % 2 == 1 { distance } else { 0 });
            }
        }
    }
}
