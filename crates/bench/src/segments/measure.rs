//! All solvers on the graph of one scale.
//!
//! A graph may fill half of the memory, so that of one type is gone before that of the
//! next is there, and each solver is gone before the next is made.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::time::Instant;

use anyhow::Result;
use gpu_runtime::Gpu;
use graph_formats::generate::{Duplicates, GraphOptions, RmatConfig, rmat};
use graph_formats::{Csr, Distance, VertexId, Weight, WeightKind};
use rayon::ThreadPoolBuilder;
use sssp::gpu::{self, EdgeOrder, Loads};
use sssp::{Algorithm, Config, Delta, Goal, Queue, Solver, SsspError};

use super::figures::{Line, Sample, ScaleReport, Who};
use super::references::{References, Solved, hub, spread};
use super::{Options, WeightType};
use crate::field::many_times;

/// Sources for the parallel solver of the host, which is no matter of the study.
const FEW_SOURCES: usize = 4;

/// Measures everybody on R-MAT of 2^`scale` vertices; without a GPU, the host solves what
/// a GPU should.
pub(super) fn scale(gpu: Option<&Gpu>, options: &Options, scale: u32) -> Result<ScaleReport> {
    let start = Instant::now();
    // parallel edges stay, so that sizes are the paper's
    let options_of_graph = GraphOptions { duplicates: Duplicates::Keep, ..Default::default() };
    let graph = rmat(&RmatConfig { scale, options: options_of_graph, ..Default::default() })?;
    let (n_vertices, n_arcs) = (graph.n_vertices(), graph.n_arcs());
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("rmat-{scale}: {n_vertices} vertices, {n_arcs} arcs, made in {seconds:.1} s");

    let start = Instant::now();
    let mut solver = solver(gpu, &graph, None)?;
    let mut solve = |source| timed(&mut solver, source);
    let from_hub = solve(hub(&graph))?.distances;
    let sources = spread(&from_hub, options.sources.get());
    drop(from_hub);
    let n_certified = options.certify.unwrap_or(usize::MAX);
    let references = References::find(&graph, sources, n_certified, &mut solve)?;
    let n_sources = references.n_sources();
    let (n_certified, seconds) = (n_certified.min(n_sources), start.elapsed().as_secs_f64());
    eprintln!("rmat-{scale}: {n_sources} references, {n_certified} certified, in {seconds:.1} s");

    let mut study = Study { gpu, options, scale, n_arcs, references, lines: Vec::new() };
    let who = Who::DeltaStepping;
    let samples = study.references.time(&who.to_string(), n_sources, &mut solve)?;
    study.add(WeightKind::U32, who, None, samples);
    drop(solver);

    let has = |weights| options.types().any(|t| t == weights);
    if has(WeightType::U32) {
        study.solvers(&graph)?;
    }
    if has(WeightType::F64) {
        study.solvers(&graph.convert_weights::<f64>()?)?;
    }
    let lines = study.lines;
    Ok(ScaleReport { scale, n_vertices, n_arcs, n_sources, lines })
}

/// A study under way.
struct Study<'a> {
    gpu: Option<&'a Gpu>,
    options: &'a Options,
    scale: u32,
    n_arcs: usize,
    references: References,
    lines: Vec<Line>,
}

impl Study<'_> {
    /// All solvers that take any type of weights.
    fn solvers<W: Weight>(&mut self, graph: &Csr<W>) -> Result<()> {
        let segments = self.options.segments();
        for who in Who::variants(segments) {
            self.on_gpu(graph, who, usize::MAX)?;
        }
        if self.options.sweep_sources > 0 {
            for vertices in swept(&self.options.sweep, graph.n_vertices()) {
                let order = EdgeOrder::Segments { vertices };
                if Some(vertices) != segments.segment(graph.n_vertices()) {
                    let who = Who::BellmanFord { order, reads: Loads::Plain };
                    self.on_gpu(graph, who, self.options.sweep_sources)?;
                }
            }
        }
        if self.scale <= self.options.host_up_to {
            self.dijkstra(graph)?;
            self.host_delta_stepping(graph)?;
        }
        Ok(())
    }

    fn on_gpu<W: Weight>(&mut self, graph: &Csr<W>, who: Who, n_sources: usize) -> Result<()> {
        let Who::BellmanFord { order, reads } = who else { return Ok(()) };
        let algorithm = gpu::Algorithm::BellmanFord { edges: order, loads: reads };
        let mut solver = solver(self.gpu, graph, Some(algorithm))?;
        let solve = |source| timed(&mut solver, source);
        let samples = self.warmed(W::KIND, who, n_sources, solve)?;
        self.add(W::KIND, who, None, samples);
        Ok(())
    }

    /// Every queue that takes the weights is tried with one source, the fastest is
    /// measured.
    fn dijkstra<W: Weight>(&mut self, graph: &Csr<W>) -> Result<()> {
        let alone = ThreadPoolBuilder::new().num_threads(1).build()?;
        let name = |queue: &str| format!("host Dijkstra with {queue} ({})", W::KIND);
        let mut fastest: Option<(f64, &str, Queue, Solver<'_, W>)> = None;
        for (queue_name, queue) in Queue::ALL {
            let config = Config::with(Algorithm::Dijkstra(Some(queue)));
            let mut solver = match Solver::new(graph, &config) {
                Err(SsspError::BadQueue { .. }) => continue,
                solver => solver?,
            };
            let solve = |source| alone.install(|| timed(&mut solver, source));
            let ms = self.references.time(&name(queue_name), 1, solve)?[0].ms;
            eprintln!("rmat-{} {}: {ms:.1} ms, a trial", self.scale, name(queue_name));
            if fastest.as_ref().is_none_or(|(least, ..)| ms < *least) {
                fastest = Some((ms, queue_name, queue, solver));
            }
        }
        let Some((_, queue_name, queue, mut solver)) = fastest else { return Ok(()) };
        let solve = |source| alone.install(|| timed(&mut solver, source));
        let n_sources = self.options.host_sources(self.scale);
        let samples = self.references.time(&name(queue_name), n_sources, solve)?;
        self.add(W::KIND, Who::HostDijkstra, Some(queue), samples);
        Ok(())
    }

    fn host_delta_stepping<W: Weight>(&mut self, graph: &Csr<W>) -> Result<()> {
        let config = Config::with(Algorithm::DeltaStepping(Delta::Auto));
        let mut solver = Solver::new(graph, &many_times(&config))?;
        let who = Who::HostDeltaStepping;
        let solve = |source| timed(&mut solver, source);
        let samples = self.warmed(W::KIND, who, FEW_SOURCES, solve)?;
        self.add(W::KIND, who, None, samples);
        Ok(())
    }

    /// Solves once for nothing, and then from up to `n_sources`.
    fn warmed<D: Distance>(
        &self,
        kind: WeightKind,
        who: Who,
        n_sources: usize,
        mut solve: impl FnMut(VertexId) -> Result<Solved<D>>,
    ) -> Result<Vec<Sample>> {
        let name = format!("{who} ({kind})");
        self.references.time(&name, 1, &mut solve)?;
        self.references.time(&name, n_sources, solve)
    }

    /// Keeps what was measured, and tells it, for a run may be cut short.
    fn add(&mut self, kind: WeightKind, who: Who, queue: Option<Queue>, samples: Vec<Sample>) {
        let line = Line { kind, who, queue, samples };
        let (n, ms) = (line.samples.len(), line.mean_ms(usize::MAX));
        let (rate, rounds) = (line.rate(self.n_arcs).mean, line.mean_rounds());
        eprintln!(
            "rmat-{} {who} ({kind}): {ms:.3} ms, {rate:.0} M arcs/s, {rounds:.1} rounds, mean \
             of {n}",
            self.scale
        );
        self.lines.push(line);
    }
}

/// Sizes of segments worth a try, ascending: one that covers all vertices is like any
/// larger one.
fn swept(sizes: &[NonZeroU32], n_vertices: usize) -> Vec<NonZeroU32> {
    let sizes: BTreeSet<_> = sizes.iter().copied().collect();
    let below = sizes.iter().filter(|size| (size.get() as usize) < n_vertices).count();
    sizes.into_iter().take(below + 1).collect()
}

fn solver<'g, W: Weight>(
    gpu: Option<&Gpu>,
    graph: &'g Csr<W>,
    algorithm: Option<gpu::Algorithm>,
) -> Result<Solver<'g, W>, SsspError> {
    let config = gpu::Config { algorithm, ..gpu::Config::default() };
    match gpu {
        Some(gpu) => Solver::on_gpu(gpu, graph, &config),
        None => {
            let of_that_name = algorithm.and_then(|algorithm| algorithm.name().parse().ok());
            Solver::new(graph, &config.for_algorithm(of_that_name))
        }
    }
}

/// Solves; by the device's clock, where it is on one.
fn timed<W: Weight>(solver: &mut Solver<'_, W>, source: VertexId) -> Result<Solved<W::Distance>> {
    let start = Instant::now();
    let distances = solver.distances(source, Goal::All)?;
    let elapsed = start.elapsed();
    let ms = solver.device_times().map_or(elapsed.as_secs_f64() * 1e3, |times| times.solve_ms);
    Ok(Solved { distances, ms, rounds: solver.work().rounds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_size_that_covers_the_graph_is_enough() {
        let sizes = |list: &[u32]| -> Vec<NonZeroU32> {
            list.iter().map(|&size| NonZeroU32::new(size).unwrap()).collect()
        };
        let asked = sizes(&[256, 16, 64, 16, 1024]);
        assert_eq!(swept(&asked, 100), sizes(&[16, 64, 256]));
        assert_eq!(swept(&asked, 64), sizes(&[16, 64]));
        assert_eq!(swept(&asked, 5), sizes(&[16]));
        assert_eq!(swept(&asked, 10_000), sizes(&[16, 64, 256, 1024]));
        assert!(swept(&[], 100).is_empty());
    }
}
