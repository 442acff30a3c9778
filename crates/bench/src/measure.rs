//! The clock: solvers take turns, and no answer is timed that is not checked.
//!
//! One answer is certified; every other solver, the peers included, must find the same
//! distances, in an untimed solve and in each timed one. In each round every solver
//! runs once, so that a machine that slows down slows all of them.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use graph_formats::{Csr, Distance, VertexId};
use paths::{Distances, certificate};
use rayon::ThreadPoolBuilder;
use sssp::{Config, Goal, Plan, Solver, SsspError, Work};

use crate::table::median;

/// Solvers that are asked for together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Family {
    /// What this project's solver chooses by itself.
    Auto,
    /// Dijkstra's algorithm with each queue.
    Dijkstra,
    /// Δ-stepping on one thread and on all, and by each published rule for Δ.
    DeltaStepping,
    /// Bellman-Ford in rounds, and with a queue in its four forms.
    BellmanFord,
    /// What this project's solver chooses on a GPU, where there is one.
    Gpu,
    /// A plain Dial queue on one thread, the yardstick.
    Yardstick,
    /// `dijkstra` of the crate petgraph.
    Petgraph,
    /// `delta_stepping` of the crate graph, over a range of Δ.
    Graph,
}

/// One solve: how long, and what was found.
pub struct Solved {
    /// The solve alone, without turning a peer's answer into [`Distances`].
    pub elapsed: Duration,
    /// What was found.
    pub distances: Distances<u64>,
    /// Counts, where the solver keeps them.
    pub work: Option<Work>,
}

/// A function that solves from scratch.
pub type Solve<'g> = Box<dyn FnMut() -> Result<Solved> + Send + 'g>;

/// A solver ready for one graph and one source.
pub struct Contender<'g> {
    /// Its name in the tables.
    pub name: String,
    /// Whose it is.
    pub family: Family,
    /// Threads it runs on.
    pub threads: usize,
    /// What was done once for the graph.
    pub prepare: Duration,
    /// What it chose, where it is this project's.
    pub plan: Option<Plan>,
    /// One solve from scratch.
    pub solve: Solve<'g>,
}

/// One timed solve.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Milliseconds.
    pub ms: f64,
    /// Counts, where the solver keeps them.
    pub work: Option<Work>,
}

/// The timed solves of one solver.
#[derive(Debug)]
pub struct Measured {
    /// Its name in the tables.
    pub name: String,
    /// Whose it is.
    pub family: Family,
    /// What was done once for the graph.
    pub prepare: Duration,
    /// What it chose, where it is this project's.
    pub plan: Option<Plan>,
    /// At least one.
    pub samples: Vec<Sample>,
}

impl Measured {
    /// The middle time, in milliseconds.
    pub fn median_ms(&self) -> f64 {
        median(&self.sorted_ms()).unwrap_or_default()
    }

    /// The times in milliseconds, ascending.
    pub fn sorted_ms(&self) -> Vec<f64> {
        let mut sorted: Vec<f64> = self.samples.iter().map(|sample| sample.ms).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted
    }

    /// Arcs relaxed in the first timed solve, where they are counted.
    pub fn relaxations(&self) -> Option<u64> {
        Some(self.samples.first()?.work?.relaxations)
    }
}

/// A solver that was not timed.
#[derive(Debug)]
pub struct Skipped {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// What was measured on one graph.
#[derive(Debug)]
pub(crate) struct GraphReport {
    pub(crate) name: String,
    pub(crate) n_vertices: usize,
    pub(crate) n_arcs: usize,
    pub(crate) max_weight: u32,
    pub(crate) load: Duration,
    pub(crate) source: VertexId,
    pub(crate) n_reached: usize,
    pub(crate) max_distance: u64,
    pub(crate) measured: Vec<Measured>,
    pub(crate) skipped: Vec<Skipped>,
}

impl GraphReport {
    pub(crate) fn find(&self, name: &str) -> Option<&Measured> {
        self.measured.iter().find(|m| m.name == name)
    }

    pub(crate) fn median_of(&self, name: &str) -> Option<f64> {
        self.find(name).map(Measured::median_ms)
    }

    /// The one of `family` with the least median.
    pub(crate) fn best_of(&self, family: Family) -> Option<&Measured> {
        let family = self.measured.iter().filter(|m| m.family == family);
        family.min_by(|a, b| a.median_ms().total_cmp(&b.median_ms()))
    }
}

/// How long a solver may take.
pub struct Patience {
    timed: Duration,
    solve_started: Mutex<Instant>,
}

impl Patience {
    /// Timed solves of one solver end when they have taken `timed` together (but one
    /// is always timed), and Bellman-Ford gives up after twice that.
    pub fn new(timed: Duration) -> Self {
        Self { timed, solve_started: Mutex::new(Instant::now()) }
    }

    /// To be asked now and then by a solver that may take for ever.
    pub fn ask(&self) -> ControlFlow<()> {
        let started = *self.solve_started.lock().unwrap_or_else(PoisonError::into_inner);
        if started.elapsed() > 2 * self.timed {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn skipped(&self, name: String) -> Skipped {
        Skipped { name, reason: format!("not done after {} s", (2 * self.timed).as_secs_f64()) }
    }

    fn restart(&self) {
        *self.solve_started.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

/// The distances by the solver's own choice, certified.
///
/// # Errors
/// When the solver fails or its answer is wrong.
pub fn certified(graph: &Csr<u32>, source: VertexId, threads: usize) -> Result<Distances<u64>> {
    let config = Config { threads: threads.try_into().ok(), ..Config::default() };
    let distances = Solver::new(graph, &config)?.distances(source, Goal::All)?;
    certificate::check_distances(graph, source, None, &distances)
        .context("the answer that all others are to be compared with is wrong")?;
    Ok(distances)
}

/// That the solver `name` found the certified distances.
///
/// # Errors
/// Names the first vertex that has another.
pub fn check<D: Distance>(
    name: &str,
    certified: &Distances<D>,
    found: &Distances<D>,
) -> Result<()> {
    if found == certified {
        return Ok(());
    }
    let (expected, n) = (certified.n_vertices(), found.n_vertices());
    if n != expected {
        bail!("{name} is wrong: it has distances for {n} vertices, the graph has {expected}");
    }
    let differs = |&vertex: &VertexId| found.get(vertex) != certified.get(vertex);
    let vertex = (0..n as VertexId).find(differs).unwrap_or_default();
    let text = |distance: Option<D>| distance.map_or("unreached".into(), |d| d.to_string());
    bail!(
        "{name} is wrong: vertex {vertex} is {} instead of {}",
        text(found.get(vertex)),
        text(certified.get(vertex))
    )
}

/// Times `runs` solves of every contender, in turns.
///
/// # Errors
/// When a solver fails, or finds other distances than `certified`.
pub fn measure(
    contenders: Vec<Contender<'_>>,
    certified: &Distances<u64>,
    runs: usize,
    patience: &Patience,
) -> Result<(Vec<Measured>, Vec<Skipped>)> {
    let alone = ThreadPoolBuilder::new().num_threads(1).build()?;
    let run = |contender: &mut Contender<'_>| -> Result<Sample> {
        patience.restart();
        let solved = match contender.threads {
            1 => alone.install(|| (contender.solve)()),
            _ => (contender.solve)(),
        };
        let solved = solved.with_context(|| format!("{} failed", contender.name))?;
        check(&contender.name, certified, &solved.distances)?;
        Ok(Sample { ms: solved.elapsed.as_secs_f64() * 1e3, work: solved.work })
    };

    let mut ready = Vec::new();
    let mut skipped = Vec::new();
    for mut contender in contenders {
        match run(&mut contender) {
            Ok(_) => ready.push((contender, Vec::new())),
            Err(error) if gave_up(&error) => skipped.push(patience.skipped(contender.name)),
            Err(error) => return Err(error),
        }
    }
    let timed_ms = patience.timed.as_secs_f64() * 1e3;
    for _ in 0..runs {
        for (contender, samples) in &mut ready {
            let spent: f64 = samples.iter().map(|sample: &Sample| sample.ms).sum();
            if spent > timed_ms {
                continue;
            }
            match run(contender) {
                Ok(sample) => samples.push(sample),
                Err(error) if gave_up(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }
    let mut measured = Vec::new();
    for (Contender { name, family, prepare, plan, .. }, samples) in ready {
        if samples.is_empty() {
            skipped.push(patience.skipped(name));
        } else {
            measured.push(Measured { name, family, prepare, plan, samples });
        }
    }
    Ok((measured, skipped))
}

fn gave_up(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(SsspError::Interrupted))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn fake(answers: Vec<Result<[Option<u64>; 3]>>) -> Contender<'static> {
        let mut answers = answers.into_iter();
        let solve = move || {
            let distances = answers.next().context("asked too often")??.into_iter().collect();
            Ok(Solved { elapsed: SECOND, distances, work: None })
        };
        Contender {
            name: "fake".into(),
            family: Family::Yardstick,
            threads: 1,
            prepare: SECOND,
            plan: None,
            solve: Box::new(solve),
        }
    }

    fn verdict(answers: Vec<Result<[Option<u64>; 3]>>) -> Result<(Vec<Measured>, Vec<Skipped>)> {
        let certified = Distances::from_iter([Some(0), Some(7), None]);
        measure(vec![fake(answers)], &certified, 3, &Patience::new(10 * SECOND))
    }

    const RIGHT: [Option<u64>; 3] = [Some(0), Some(7), None];

    #[test]
    fn a_wrong_distance_is_caught_in_any_solve() {
        for (wrong, says) in [
            ([Some(0), Some(8), None], "vertex 1 is 8 instead of 7"),
            ([Some(0), None, None], "vertex 1 is unreached instead of 7"),
            ([Some(0), Some(7), Some(9)], "vertex 2 is 9 instead of unreached"),
        ] {
            for turn in 0..4 {
                let mut answers: Vec<_> = (0..4).map(|_| Ok(RIGHT)).collect();
                answers[turn] = Ok(wrong);
                let error = verdict(answers).unwrap_err().to_string();
                assert!(error.contains(says), "{error}");
            }
        }
        let short = Distances::from_iter([Some(0)]);
        assert!(check("short", &Distances::from_iter(RIGHT), &short).is_err());
    }

    #[test]
    fn failures_end_the_run_and_giving_up_does_not() {
        let (measured, skipped) = verdict((0..4).map(|_| Ok(RIGHT)).collect()).unwrap();
        assert_eq!((measured[0].samples.len(), skipped.len()), (3, 0));
        assert!(verdict(vec![Ok(RIGHT), Err(anyhow::anyhow!("broken"))]).is_err());
        let (measured, skipped) = verdict(vec![Err(SsspError::Interrupted.into())]).unwrap();
        assert!(measured.is_empty() && skipped[0].reason == "not done after 20 s");
        let tired = || Err(SsspError::Interrupted.into());
        let (measured, skipped) = verdict(vec![Ok(RIGHT), tired(), tired(), tired()]).unwrap();
        assert_eq!((measured.len(), skipped.len()), (0, 1));
    }

    #[test]
    fn medians_and_budgets() {
        let certified = Distances::from_iter(RIGHT);
        let answers = (0..4).map(|_| Ok(RIGHT)).collect();
        // each fake solve says that it took a second
        let (measured, _) =
            measure(vec![fake(answers)], &certified, 3, &Patience::new(SECOND / 2)).unwrap();
        assert_eq!(measured[0].samples.len(), 1);

        let mut of_four = measured.into_iter().next().unwrap();
        of_four.samples = [4.0, 1.0, 2.0, 9.0].map(|ms| Sample { ms, work: None }).to_vec();
        assert_eq!(of_four.median_ms(), 3.0);
        of_four.samples.pop();
        assert_eq!(of_four.median_ms(), 2.0);
    }
}
