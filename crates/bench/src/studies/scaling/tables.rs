//! Tables of many sources, which GPUs share.

use std::cell::OnceCell;

use ::sssp::gpu;
use hierarchy::gpu::{DeviceHierarchy, shared_table};
use hierarchy::{Hierarchy, Order};
use paths::DistanceTable;

use super::super::*;
use super::CHECKED;

/// Targets of a table by searches.
const TARGETS: usize = 1024;
/// Sources of a table before the clock starts.
const FIRST: usize = 64;

/// Makes a table, and returns the time of the slowest device, if devices measure it.
type MakeTable<'a> = Box<dyn FnMut() -> Result<(DistanceTable<u32>, Option<f64>)> + 'a>;

/// The sources of a table, and the rows that it is compared with.
struct Asked<'g> {
    graph: &'g Csr<u32>,
    sources: Vec<VertexId>,
    targets: Vec<VertexId>,
    /// The rows of some sources, as searches on the host have them.
    rows: Vec<(usize, Vec<Option<u64>>)>,
    /// The first table, of which these rows were compared.
    first: OnceCell<DistanceTable<u32>>,
}

impl<'g> Asked<'g> {
    fn new(graph: &'g Csr<u32>, [n_sources, n_targets]: [usize; 2]) -> Result<Self> {
        let mut draws = Draws::new(graph.n_vertices() as u64);
        let mut vertices =
            |n| -> Vec<_> { (0..n).map(|_| draws.below(graph.n_vertices()) as VertexId).collect() };
        let (sources, targets) = (vertices(n_sources), vertices(n_targets));
        let mut solver = Solver::new(graph, &Config::default())?;
        let places = (0..CHECKED.min(n_sources)).map(|i| i * n_sources / CHECKED);
        let row = |place: usize| {
            let distances = solver.distances(sources[place], Goal::All)?;
            Ok((place, targets.iter().map(|&target| distances.get(target)).collect()))
        };
        let rows = places.map(row).collect::<Result<_>>()?;
        Ok(Self { graph, sources, targets, rows, first: OnceCell::new() })
    }

    /// That a table has the rows of searches, or is the first one again.
    fn check(&self, table: DistanceTable<u32>) -> Result<()> {
        if let Some(first) = self.first.get() {
            ensure!(table == *first, "the table is not the one before");
            return Ok(());
        }
        for (place, right) in &self.rows {
            ensure!(table.row(*place).eq(right.iter().copied()), "row {place} is wrong");
        }
        let _ = self.first.set(table);
        Ok(())
    }

    /// Times these numbers of GPUs, in turns.
    fn race<'a>(
        &'a self,
        bench: &Bench,
        graph: &Graph,
        label: &str,
        tables: Vec<(usize, MakeTable<'a>)>,
    ) -> Result<()> {
        let all = tables.into_iter().map(|(n_gpus, mut table)| {
            let (n_sources, n_targets) = (self.sources.len(), self.targets.len());
            let record = Record::of(&[("graph", graph), (label, &n_sources)])
                .with(&[("targets", &n_targets), ("gpus", &n_gpus)]);
            Contender::new(record, move || {
                let (ms, found) = timed(&mut table);
                let (table, device_ms) = found?;
                self.check(table)?;
                let device_ms = device_ms.map(|ms| ("device_ms", ms));
                Ok([("ms", ms)].into_iter().chain(device_ms).collect())
            })
        });
        let terms = Terms { warm_up: false, ..bench.terms() };
        bench.race_by(&terms, all.collect()).map(drop)
    }
}

/// By searches, a graph on each GPU.
pub(super) fn searches(
    bench: &Bench,
    gpus: &[Gpu],
    counts: &[usize],
    graphs: Vec<Graph>,
    n_sources: usize,
) -> Result<()> {
    for name in at_hand(bench, graphs, u64::MAX)? {
        let graph = name.load_u32()?;
        let asked = &Asked::new(&graph, [n_sources, TARGETS])?;
        let (sources, targets) = (&asked.sources, &asked.targets);
        let mut tables = Vec::new();
        for &count in counts {
            let config = gpu::Config { expected_searches: None, ..gpu::Config::default() };
            let mut solver = Solver::on_gpus(&gpus[..count], asked.graph, &config)?;
            solver.table(&sources[..sources.len().min(FIRST * count)], targets)?;
            let table = move || {
                let found = solver.table(sources, targets)?;
                Ok((found.answer, found.device_times.map(|times| times.solve_ms)))
            };
            tables.push((count, Box::new(table) as MakeTable<'_>));
        }
        asked.race(bench, &name, "sources", tables)?;
    }
    Ok(())
}

/// By sweeps of a hierarchy, one on each GPU.
pub(super) fn sweeps(
    bench: &Bench,
    gpus: &[Gpu],
    counts: &[usize],
    graphs: Vec<Graph>,
    n_swept: usize,
) -> Result<()> {
    for name in at_hand(bench, graphs, u64::MAX)? {
        let graph = &name.load_u32()?;
        let hierarchy = Hierarchy::new(graph, &Order::by_landmarks(graph)?)?;
        let asked = &Asked::new(graph, [n_swept; 2])?;
        let (sources, targets) = (&asked.sources, &asked.targets);
        let devices = gpus.iter().map(|gpu| DeviceHierarchy::new(&hierarchy, graph, gpu));
        let devices = devices.collect::<Result<Vec<_>, _>>()?;
        let mut tables = Vec::new();
        for &count in counts {
            let metrics = devices[..count].iter().map(|device| device.customize(graph));
            let mut metrics = metrics.collect::<Result<Vec<_>, _>>()?;
            shared_table(&mut metrics, sources, targets, None)?;
            let table = move || Ok((shared_table(&mut metrics, sources, targets, None)?, None));
            tables.push((count, Box::new(table) as MakeTable<'_>));
        }
        asked.race(bench, &name, "swept", tables)?;
    }
    Ok(())
}
