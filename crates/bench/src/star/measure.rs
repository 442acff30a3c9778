//! The clock: whoever closes a digraph takes turns with the others, and every answer is
//! checked.

use std::slice;
use std::time::Instant;

use anyhow::{Context, Result};
use closure::{Algorithm, ClosureError, Config, Found, Times, closure, closure_on_gpus};
use gpu_runtime::{Gpu, GpuError};
use paths::Closure;
use rayon::ThreadPool;
use serde::Serialize;
use star_machine::{StarError, Warshall, WarshallTimes};

use super::problem::Problem;

/// Why a form was taken.
const ASKED: &str = "it was asked for";

/// One answer.
pub(super) struct Solved {
    pub(super) closure: Closure,
    pub(super) times: Times,
    pub(super) launches: u64,
    /// The algorithm that was taken and why, where that was left to the solver.
    pub(super) plan: Option<(&'static str, String)>,
}

/// Who closes digraphs.
pub(super) struct Contender<'a> {
    pub(super) method: &'static str,
    /// On what.
    pub(super) on: String,
    #[expect(clippy::type_complexity, reason = "it is named nowhere else")]
    pub(super) solve: Box<dyn FnMut(&Problem) -> Result<Solved> + 'a>,
}

/// The timed answers of one contender, or why there are none.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Line {
    pub(super) n_vertices: usize,
    pub(super) degree: f64,
    pub(super) n_arcs: usize,
    pub(super) method: &'static str,
    pub(super) on: String,
    pub(super) launches: u64,
    pub(super) taken: String,
    pub(super) reason: String,
    pub(super) n_pairs: usize,
    /// Of each timed run, in milliseconds: on a GPU by its clock, with the bits resident;
    pub(super) solve_ms: Vec<f64>,
    pub(super) upload_ms: Vec<f64>,
    pub(super) download_ms: Vec<f64>,
    /// from graph to closure by the host's clock.
    pub(super) whole_ms: Vec<f64>,
    /// Why there was no run.
    pub(super) skipped: Option<String>,
}

impl Line {
    fn of(problem: &Problem, contender: &Contender<'_>) -> Self {
        Self {
            n_vertices: problem.n,
            degree: problem.degree,
            n_arcs: problem.graph.n_arcs(),
            method: contender.method,
            on: contender.on.clone(),
            ..Self::default()
        }
    }
}

/// Lets the contenders solve in turns: each `untimed` times, then `runs` times. Who cannot do
/// it on this device is left out.
pub(super) fn in_turns(
    problem: &Problem,
    mut contenders: Vec<Contender<'_>>,
    untimed: usize,
    runs: usize,
) -> Result<Vec<Line>> {
    let mut lines: Vec<Line> = contenders.iter().map(|c| Line::of(problem, c)).collect();
    for run in 0..untimed + runs {
        for (contender, line) in contenders.iter_mut().zip(&mut lines) {
            if line.skipped.is_some() {
                continue;
            }
            let name = format!("{}, {} on {}", problem.name(), contender.method, contender.on);
            let start = Instant::now();
            let solved = match (contender.solve)(problem) {
                Err(error) if is_beyond(&error) => {
                    line.skipped = Some(format!("{error:#}"));
                    eprintln!("SKIPPED: {name}: {error:#}");
                    continue;
                }
                solved => solved.with_context(|| name.clone())?,
            };
            let whole_ms = ms_since(start);
            line.n_pairs = problem.check(&solved.closure).with_context(|| name.clone())?;
            if run < untimed {
                continue;
            }
            let Times { solve_ms, upload_ms, download_ms, .. } = solved.times;
            let is_timed = solved.times != Times::default();
            line.solve_ms.push(if is_timed { solve_ms } else { whole_ms });
            line.upload_ms.push(upload_ms);
            line.download_ms.push(download_ms);
            line.whole_ms.push(whole_ms);
            line.launches = solved.launches;
            if let Some((algorithm, reason)) = solved.plan {
                (line.taken, line.reason) = (algorithm.to_owned(), reason);
            }
        }
    }
    for line in &lines {
        if let Some(best) = line.solve_ms.iter().copied().reduce(f64::min) {
            eprintln!("{}, {} on {}: {best:.3} ms", problem.name(), line.method, line.on);
        }
    }
    Ok(lines)
}

/// Whether the device has not got what this takes.
fn is_beyond(error: &anyhow::Error) -> bool {
    use ClosureError::{Gpu, NoMatrixUnits, TooLarge, TooManyArcs};
    match error.downcast_ref() {
        Some(Gpu(error)) => matches!(error, GpuError::OutOfMemory { .. }),
        Some(NoMatrixUnits { .. } | TooLarge { .. } | TooManyArcs { .. }) => true,
        _ => matches!(
            error.downcast_ref(),
            Some(StarError::TooLarge { .. } | StarError::Gpu(GpuError::OutOfMemory { .. }))
        ),
    }
}

/// An algorithm on the GPU.
pub(super) fn on_gpu(gpu: &Gpu, algorithm: Algorithm) -> Contender<'_> {
    let config = Config::with(algorithm);
    let solve = move |problem: &Problem| {
        let closed = closure_on_gpus(slice::from_ref(gpu), &problem.graph, &config, None)?;
        let Found { closure, plan } = closed.found;
        let plan = Some((plan.algorithm, plan.reason));
        Ok(Solved { closure, times: closed.times, launches: closed.launches, plan })
    };
    Contender { method: algorithm.name(), on: "GPU".to_owned(), solve: Box::new(solve) }
}

/// An algorithm on the threads of a pool.
pub(super) fn on_host(pool: &ThreadPool, algorithm: Algorithm) -> Contender<'_> {
    let config = Config::with(algorithm);
    let solve = move |problem: &Problem| {
        let graph = &problem.graph;
        let Found { closure, plan } = pool.install(|| closure(graph, &config, None))?;
        let plan = Some((plan.algorithm, plan.reason));
        Ok(Solved { closure, times: Times::default(), launches: 0, plan })
    };
    let on = threads(pool.current_num_threads());
    Contender { method: algorithm.name(), on, solve: Box::new(solve) }
}

/// A form of the STAR-machine on the GPU.
pub(super) fn warshall_on_gpu(gpu: &Gpu, form: Warshall) -> Contender<'_> {
    let solve = move |problem: &Problem| {
        let closed = form.closure_on_gpu(gpu, &problem.graph, None)?;
        let WarshallTimes { jit_ms, upload_ms, solve_ms, download_ms } = closed.times;
        let times = Times { search_ms: 0.0, jit_ms, upload_ms, solve_ms, download_ms };
        let plan = Some((form.name(), ASKED.to_owned()));
        Ok(Solved { closure: closed.closure, times, launches: closed.launches, plan })
    };
    Contender { method: form.name(), on: "GPU".to_owned(), solve: Box::new(solve) }
}

/// A form of the STAR-machine on the threads of a pool.
pub(super) fn warshall_on_host(pool: &ThreadPool, form: Warshall) -> Contender<'_> {
    let solve = move |problem: &Problem| {
        let graph = &problem.graph;
        let closure = pool.install(|| form.closure(graph, None))?;
        let plan = Some((form.name(), ASKED.to_owned()));
        Ok(Solved { closure, times: Times::default(), launches: 0, plan })
    };
    let on = threads(pool.current_num_threads());
    Contender { method: form.name(), on, solve: Box::new(solve) }
}

pub(super) fn threads(n: usize) -> String {
    if n == 1 { "1 thread".to_owned() } else { format!("{n} threads") }
}

pub(super) fn ms_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
