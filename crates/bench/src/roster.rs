//! Who is measured: every algorithm of this project, the yardstick, and the peers.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId};
use sssp::{Algorithm, Config, Delta, Goal, Progress, Queue, Solver};

use crate::dial::{NONE, dial};
pub use crate::measure::Family;
use crate::measure::{Contender, Solve, Solved};
pub use crate::peers::Peers;
use crate::peers::{solve_with_graph, solve_with_petgraph};

/// The name of the yardstick.
pub const YARDSTICK: &str = "yardstick/dial";

/// Greatest distance that `f32` holds exactly, and the crate `graph` has no other type.
pub const MAX_GRAPH_DISTANCE: u64 = 1 << 24;

/// Which widths Δ-stepping is tried with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    /// The crate `graph` only, with the widths among which its best has been found.
    Short,
    /// Every power of two from 1/256 of the greatest weight to twice that, for the crate
    /// `graph` and for our own.
    Full,
}

/// A solver to be measured.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name in the tables.
    pub name: String,
    /// Whose it is.
    pub family: Family,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Ours(Config),
    OnGpu(Gpu),
    Dial,
    Petgraph,
    Graph { delta: f32 },
}

/// What all entries are given.
#[derive(Clone, Copy)]
pub struct Race<'g> {
    /// The graph.
    pub graph: &'g Csr<u32>,
    /// Where searches start.
    pub source: VertexId,
    /// The graph as the peers store it.
    pub peers: &'g Peers<'g>,
    /// Asked by solvers that may take for ever whether to go on.
    pub give_up: Progress<'g>,
}

/// Everybody, for a graph of weights up to `max_weight`.
pub fn roster(
    max_weight: u32,
    threads: NonZeroUsize,
    sweep: Sweep,
    gpu: Option<&Gpu>,
) -> Vec<Entry> {
    let one = NonZeroUsize::MIN;
    let ours =
        |name: String, family, config: Config| Entry { name, family, kind: Kind::Ours(config) };
    let stepping = |name: String, delta, threads| {
        let algorithm = Algorithm::DeltaStepping(delta);
        let config = Config { threads: Some(threads), ..Config::with(algorithm) };
        ours(format!("delta-stepping/{name}"), Family::DeltaStepping, config)
    };
    let auto = Config { threads: Some(threads), ..Config::default() };
    let mut entries = vec![ours("auto".into(), Family::Auto, auto)];

    entries.extend(gpu.map(|gpu| Entry {
        name: "gpu/auto".to_owned(),
        family: Family::Gpu,
        kind: Kind::OnGpu(gpu.clone()),
    }));

    for (name, queue) in Queue::ALL {
        let config = Config::with(Algorithm::Dijkstra(Some(queue)));
        entries.push(ours(format!("dijkstra/{name}"), Family::Dijkstra, config));
    }

    entries.push(stepping("1-thread".into(), Delta::Auto, one));
    if threads > one {
        entries.push(stepping(format!("{threads}-threads"), Delta::Auto, threads));
    }
    for (name, rule) in Delta::RULES.into_iter().filter(|rule| rule.1 != Delta::Auto) {
        entries.push(stepping(name.into(), rule, threads));
    }
    if sweep == Sweep::Full {
        let fixed = |width: f64| stepping(width.to_string(), Delta::Fixed(width), threads);
        entries.extend(widths(max_weight, sweep).map(fixed));
    }

    for algorithm in Algorithm::ALL.into_iter().filter(|a| a.admits_negative()) {
        let name = algorithm.name().to_owned();
        entries.push(ours(name, Family::BellmanFord, Config::with(algorithm)));
    }

    let other = |name: &str, family, kind| Entry { name: name.to_owned(), family, kind };
    entries.push(other(YARDSTICK, Family::Yardstick, Kind::Dial));
    entries.push(other("petgraph/dijkstra", Family::Petgraph, Kind::Petgraph));
    for width in widths(max_weight, sweep) {
        let kind = Kind::Graph { delta: width as f32 };
        entries.push(other(&format!("graph/{width}"), Family::Graph, kind));
    }
    entries
}

/// The same for so many searches that all that makes one faster pays: what is timed is a search
/// of a graph that was prepared.
pub(crate) fn many_times<A: Copy>(config: &Config<A>) -> Config<A> {
    Config { expected_searches: NonZeroUsize::new(1000), ..config.clone() }
}

/// Powers of two around the weights: 1, 2, …, 512 for weights up to 255.
fn widths(max_weight: u32, sweep: Sweep) -> impl Iterator<Item = f64> {
    let exponents: &[i32] = match sweep {
        Sweep::Short => &[-8, -7, -4, -3, -2, -1, 0],
        Sweep::Full => &[-8, -7, -6, -5, -4, -3, -2, -1, 0, 1],
    };
    let above = (u64::from(max_weight) + 1).next_power_of_two() as f64;
    let width = move |exponent: &i32| above * 2f64.powi(*exponent);
    exponents.iter().map(width).filter(|width| *width >= 1.0)
}

impl Entry {
    /// Does what is done once for a graph.
    ///
    /// # Errors
    /// When the solver refuses the graph.
    pub fn prepare<'g>(&self, race: &Race<'g>) -> Result<Contender<'g>> {
        let Race { graph, source, peers, give_up } = *race;
        let contender = |threads, prepare, plan, solve: Solve<'g>| {
            let Self { name, family, .. } = self.clone();
            Contender { name, family, threads, prepare, plan, solve }
        };
        Ok(match &self.kind {
            Kind::Ours(config) => {
                let start = Instant::now();
                let mut solver = Solver::new(graph, &many_times(config))?;
                let prepare = start.elapsed();
                if self.family == Family::BellmanFord {
                    solver = solver.with_progress(give_up);
                }
                let plan = solver.plan().clone();
                let solve = move || {
                    let start = Instant::now();
                    let distances = solver.distances(source, Goal::All)?;
                    let elapsed = start.elapsed();
                    Ok(Solved { elapsed, distances, work: Some(solver.work()) })
                };
                contender(plan.threads, prepare, Some(plan), Box::new(solve))
            }
            Kind::OnGpu(gpu) => {
                let mut solver = Solver::on_gpu(gpu, graph, &many_times(&Config::default()))?;
                let plan = solver.plan().clone();
                let times = solver.device_times().unwrap_or_default();
                let solve = move || {
                    let distances = solver.distances(source, Goal::All)?;
                    let times = solver.device_times().unwrap_or_default();
                    let elapsed = Duration::from_secs_f64(times.solve_ms / 1e3);
                    Ok(Solved { elapsed, distances, work: Some(solver.work()) })
                };
                let prepare = Duration::from_secs_f64(times.prepare_ms / 1e3);
                contender(1, prepare, Some(plan), Box::new(solve))
            }
            Kind::Dial => {
                let max_weight = graph.weights().iter().copied().max().unwrap_or(0);
                let n_buckets = (max_weight as usize + 1).next_power_of_two();
                let solve = move || {
                    let start = Instant::now();
                    let found = dial(graph, source, n_buckets);
                    let elapsed = start.elapsed();
                    let distance = |d: u32| (d != NONE).then_some(u64::from(d));
                    let distances = found.into_iter().map(distance).collect();
                    Ok(Solved { elapsed, distances, work: None })
                };
                contender(1, Duration::ZERO, None, Box::new(solve))
            }
            Kind::Petgraph => {
                let (theirs, prepare) = peers.petgraph();
                let (theirs, n) = (Arc::clone(theirs), graph.n_vertices());
                let solve = move || Ok(solve_with_petgraph(&theirs, source, n));
                contender(1, *prepare, None, Box::new(solve))
            }
            &Kind::Graph { delta } => {
                let (theirs, prepare) = peers.graph_crate();
                let theirs = Arc::clone(theirs);
                let solve = move || Ok(solve_with_graph(&theirs, source, delta));
                contender(rayon::current_num_threads(), *prepare, None, Box::new(solve))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn nobody_is_entered_twice_and_nobody_is_left_out() {
        let two = NonZeroUsize::new(2).unwrap();
        for (threads, sweep) in [(NonZeroUsize::MIN, Sweep::Short), (two, Sweep::Full)] {
            let entries = roster(255, threads, sweep, None);
            let mut names: Vec<_> = entries.iter().map(|entry| &entry.name).collect();
            names.sort();
            let n_entries = names.len();
            names.dedup();
            assert_eq!(names.len(), n_entries);
            let on_cpu = Family::value_variants().iter().filter(|family| **family != Family::Gpu);
            for family in on_cpu {
                assert!(entries.iter().any(|entry| entry.family == *family), "{family:?}");
            }
        }
    }

    #[test]
    fn widths_follow_the_weights() {
        let full: Vec<f64> = widths(255, Sweep::Full).collect();
        assert_eq!(full, [1., 2., 4., 8., 16., 32., 64., 128., 256., 512.]);
        assert!(widths(255, Sweep::Short).all(|width| full.contains(&width)));
        assert_eq!(widths(1, Sweep::Short).collect::<Vec<_>>(), [1., 2.]);
    }
}
