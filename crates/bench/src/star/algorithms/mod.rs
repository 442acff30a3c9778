//! The graph algorithms as recorded programs, beside their usual sequential forms on the same
//! graphs: where working on columns of bits pays.
//!
//! A program runs on the machine of the host, on one thread, and on a GPU in one launch, all
//! tables resident. Every answer is certified, or compared with one that is, in the run that
//! made it.
//!
//! Reference: snytnikova-nepomniaschaya-2016

mod changes;
mod closures;
mod forests;
mod shortest_paths;

use std::num::NonZeroUsize;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use gpu_runtime::Gpu;
use serde::Serialize;
use star_machine::Host;
use star_machine::algorithms::{Runner, Task};

use super::measure::ms_since;
use super::{Options, pool};
use crate::table::{best, digits, median, table};

/// What takes so many milliseconds runs once.
const LONG: f64 = 3000.0;

/// Graphs for the algorithms.
#[derive(Args, Clone, Debug)]
pub struct Sizes {
    /// Dijkstra: vertices, with 16 arcs each and distances of 32 bits
    #[arg(long, value_name = "N", default_value = "8192")]
    search_vertices: NonZeroUsize,
    /// Kruskal and Prim: edges
    #[arg(long, value_name = "M", default_value = "1000000")]
    forest_edges: NonZeroUsize,
    /// Kruskal and Prim: vertices, with weights of 16 bits
    #[arg(long, value_name = "N", default_value = "16384")]
    forest_vertices: NonZeroUsize,
    /// Floyd: vertices, with 16 arcs each and distances of 16 bits
    #[arg(long, value_name = "N", default_value = "1024")]
    pairs_vertices: NonZeroUsize,
    /// The changing forest: edges
    #[arg(long, value_name = "M", default_value = "100000")]
    changing_edges: NonZeroUsize,
    /// The changing forest: vertices
    #[arg(long, value_name = "N", default_value = "10000")]
    changing_vertices: NonZeroUsize,
    /// The changing forest: edges that come or go
    #[arg(long, value_name = "K", default_value = "1000")]
    changes: usize,
    /// WARSHALL-C: vertices, with 5 arcs each
    #[arg(long, value_name = "N", default_value = "5000")]
    closure_vertices: NonZeroUsize,
}

/// An algorithm on a graph.
#[derive(Clone, Copy, Debug, Serialize)]
struct Problem {
    algorithm: &'static str,
    n_vertices: usize,
    n_edges: usize,
    /// Of a weight, or of a distance; 0 where there are none.
    bits: usize,
    /// What the time is divided by.
    unit: &'static str,
}

/// One of those who solve it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Line {
    #[serde(flatten)]
    problem: Problem,
    by: By,
    form: &'static str,
    /// How many units there were.
    units: u64,
    /// Of each timed run.
    ms: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
enum By {
    /// As it is usually done.
    Thread,
    Gpu,
    /// The machine in the memory of the host.
    StarThread,
    /// The machine on a GPU, all in one launch.
    StarGpu,
}

impl By {
    fn name(self) -> &'static str {
        match self {
            Self::Thread => "1 thread",
            Self::Gpu => "GPU",
            Self::StarThread => "STAR-machine, 1 thread",
            Self::StarGpu => "STAR-machine, GPU",
        }
    }
}

/// Who can solve, and what was measured.
struct Race<'a> {
    runs: usize,
    gpu: Option<&'a Gpu>,
    lines: Vec<Line>,
}

impl Race<'_> {
    /// Solves once, and then again some times where that does not take long. A solve gives its
    /// milliseconds, and the number of units as it is known when the answer was found right.
    fn times(
        &mut self,
        problem: Problem,
        by: By,
        form: &'static str,
        mut solve: impl FnMut() -> Result<(f64, u64)>,
    ) -> Result<()> {
        let Problem { algorithm, n_vertices, .. } = problem;
        let name = format!("{algorithm} of {n_vertices} vertices by {form} on {}", by.name());
        let mut solve = || solve().with_context(|| name.clone());
        let (first, units) = solve()?;
        let mut ms = vec![first];
        if first < LONG {
            ms = (0..self.runs).map(|_| Ok(solve()?.0)).collect::<Result<_>>()?;
        }
        eprintln!("{name}: {} ms", digits(best(&ms)));
        self.lines.push(Line { problem, by, form, units, ms });
        Ok(())
    }

    /// The program on the host, and on the GPU; `check` gives the number of units.
    fn program(
        &mut self,
        problem: Problem,
        form: &'static str,
        task: &Task,
        check: impl Fn(&mut dyn Runner) -> Result<u64>,
    ) -> Result<()> {
        let one = pool(1)?;
        let mut host = Host::new();
        let mut on_host = task.on(&mut host)?;
        self.times(problem, By::StarThread, form, || {
            let start = Instant::now();
            one.install(|| on_host.run())?;
            Ok((ms_since(start), check(&mut on_host)?))
        })?;
        let Some(gpu) = self.gpu else { return Ok(()) };
        let mut on_gpu = task.load(gpu)?;
        self.times(problem, By::StarGpu, form, || {
            let start = Instant::now();
            on_gpu.run()?;
            Ok((ms_since(start), check(&mut on_gpu)?))
        })
    }
}

pub(super) fn measure(gpu: Option<&Gpu>, options: &Options) -> Result<Vec<Line>> {
    let mut race = Race { runs: options.runs.get(), gpu, lines: Vec::new() };
    let sizes = &options.algorithms;
    shortest_paths::dijkstra(&mut race, sizes.search_vertices.get())?;
    let (n, m) = (sizes.forest_vertices.get(), sizes.forest_edges.get());
    forests::kruskal_and_prim(&mut race, n, m)?;
    let (n, m) = (sizes.changing_vertices.get(), sizes.changing_edges.get());
    changes::forest(&mut race, n, m, sizes.changes)?;
    shortest_paths::floyd(&mut race, sizes.pairs_vertices.get())?;
    closures::by_columns(&mut race, sizes.closure_vertices.get())?;
    Ok(race.lines)
}

/// Milliseconds, and how many times as long the usual form takes on one thread.
pub(super) fn section(lines: &[Line]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\n## Graph algorithms\n\nRecorded programs, all tables resident: on the machine of the \
         host, and in one launch on a GPU, beside what is usual on the same graphs. Every answer \
         was certified or compared with one that was. What takes over three seconds ran once. \
         Bit-serial work pays where the last column is above 1.\n",
    );
    for group in lines.chunk_by(|a, b| a.problem.algorithm == b.problem.algorithm) {
        let Problem { algorithm, n_vertices, n_edges, bits, unit } = group[0].problem;
        text += &format!("\n{algorithm}: {n_vertices} vertices, {n_edges} arcs or edges");
        text += &if bits > 0 { format!(", h = {bits} bits:\n\n") } else { ":\n\n".to_owned() };
        let usual = group.iter().find(|line| line.by == By::Thread);
        let usual = usual.and_then(|line| median(&line.ms));
        let row = |line: &Line| {
            let ms = median(&line.ms);
            vec![
                line.form.to_owned(),
                line.by.name().to_owned(),
                digits(ms),
                digits(best(&line.ms)),
                line.units.to_string(),
                digits(ms.map(|ms| ms * 1e3 / line.units.max(1) as f64)),
                digits(usual.zip(ms).map(|(usual, ms)| usual / ms)),
            ]
        };
        let per_unit = format!("µs a {unit}");
        let headings = ["form", "on", "ms", "best", "units", &per_unit, "usual / this"];
        text += &table(2, &headings, &group.iter().map(row).collect::<Vec<_>>());
    }
    text
}
