//! The study of Floyd-Warshall on the processor: how near does it come to what registers
//! alone can do?
//!
//! An addition and a comparison are all that the innermost loop of Floyd-Warshall does to a
//! number; [`Number::relax_registers`] does the same with no memory at all, which is the peak.
//! Peak and solver take turns in one process, on the same threads, for the clock of a
//! machine drifts and other programs disturb it: the ratio within a run is what counts.
//! Graphs are random, of sixteen edges a vertex, weights 1 to 255; how many there are
//! makes no difference to the time. Rows of each answer are compared with searches.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use apsp::{Algorithm, Config, Number};
use clap::Args;
use graph_formats::generate::{UniformConfig, uniform};
use graph_formats::{Csr, VertexId, Weight};
use rayon::ThreadPool;
use sssp::Solver;

use crate::folder::{Written, new_folder, write};
use crate::machine::Machine;
use crate::table::table;

/// Rounds of the innermost loop in registers: some tens of milliseconds.
const ROUNDS: usize = 1 << 24;
const EDGES_A_VERTEX: u64 = 16;
/// Rows of each answer that are compared with searches.
const CHECKED_ROWS: usize = 4;

/// What to measure.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Vertices
    #[arg(long, value_delimiter = ',', value_name = "N", default_value = "1024,2048,4096")]
    pub sizes: Vec<u32>,
    /// Forms of Floyd-Warshall
    #[arg(long, value_delimiter = ',', value_name = "A", default_value = "blocked")]
    pub algorithms: Vec<Algorithm>,
    /// Timed solves, each between two measurements of the peak
    #[arg(long, default_value = "5")]
    pub runs: NonZeroUsize,
    /// Threads [default: all processors]
    #[arg(long)]
    pub threads: Option<NonZeroUsize>,
    /// Where the folder of this run is made [default: target/bench of the workspace]
    #[arg(long, value_name = "DIR")]
    pub out: Option<std::path::PathBuf>,
    /// The name of that folder [default: date, time and commit]
    #[arg(long)]
    pub name: Option<String>,
}

/// One solve.
struct Sample {
    /// Sums a nanosecond in registers: the greater of those before and after.
    peak: f64,
    /// Sums a nanosecond of the solver.
    rate: f64,
    /// The whole solve, the making of matrix and table included.
    whole_ms: f64,
}

/// The solves of one form with one kind of numbers on one graph.
struct Line {
    n: u32,
    algorithm: Algorithm,
    number: Number,
    samples: Vec<Sample>,
}

/// Measures and writes the report, `raw.csv` and `summary.md`, into a new folder, in `beside`
/// unless the options name another.
///
/// # Errors
/// When an algorithm has no matrix, an answer is wrong, memory is short, or the folder is
/// there already or cannot be written. Then no folder is left.
pub fn run(options: &Options, beside: &Path) -> Result<Written> {
    let machine = Machine::look();
    let out = options.out.as_deref().unwrap_or(beside);
    new_folder(out, options.name.as_deref(), &machine, |folder| {
        let config = Config { threads: options.threads, ..Config::default() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(config.n_threads()).build()?;
        let mut lines = Vec::new();
        for &n in &options.sizes {
            for &algorithm in &options.algorithms {
                let config = Config { algorithm, ..config.clone() };
                let runs = options.runs.get();
                for number in Number::ALL {
                    let samples = samples(n, number, &config, runs, &pool)
                        .with_context(|| format!("{algorithm} of {n} vertices in {number}"))?;
                    let line = Line { n, algorithm, number, samples };
                    eprintln!("{}", line.cells().join("  "));
                    lines.push(line);
                }
            }
        }
        let summary = summary(&machine, pool.current_num_threads(), &lines);
        write(&folder.join("raw.csv"), &raw(&lines))?;
        write(&folder.join("summary.md"), &summary)?;
        Ok(summary)
    })
}

/// Solves a graph for which the solver adds in these numbers.
fn samples(
    n: u32,
    number: Number,
    config: &Config,
    runs: usize,
    pool: &ThreadPool,
) -> Result<Vec<Sample>> {
    match number {
        Number::U16 => {
            samples_of(&graph(n, |_, _, weight| weight as u32)?, number, config, runs, pool)
        }
        // as long on every cycle, but with negative arcs, which 16 bits do not take
        Number::I32 => {
            let height = |v| if v == 0 { 300 } else { 0 };
            let slope = |u, v, weight| weight as i32 + height(v) - height(u);
            samples_of(&graph(n, slope)?, number, config, runs, pool)
        }
        // more than 32 bits hold
        Number::I64 => {
            samples_of(&graph(n, |_, _, weight| weight << 32)?, number, config, runs, pool)
        }
        Number::F32 => {
            samples_of(&graph(n, |_, _, weight| weight as f32)?, number, config, runs, pool)
        }
        Number::F64 => {
            samples_of(&graph(n, |_, _, weight| weight as f64)?, number, config, runs, pool)
        }
    }
}

/// A random graph, connected, with weights made of those from 1 to 255.
fn graph<W: Weight>(n: u32, weight: impl Fn(VertexId, VertexId, u64) -> W) -> Result<Csr<W>> {
    let (n_vertices, n_edges) = (n as usize, u64::from(n) * EDGES_A_VERTEX);
    let graph = uniform(&UniformConfig { n_vertices, n_edges, ..Default::default() })?;
    let arcs: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, weight(u, v, w.into()))).collect();
    Ok(Csr::from_arcs(n_vertices, &arcs)?)
}

fn samples_of<W: Weight>(
    graph: &Csr<W>,
    number: Number,
    config: &Config,
    runs: usize,
    pool: &ThreadPool,
) -> Result<Vec<Sample>> {
    let n = graph.n_vertices();
    let all: Vec<VertexId> = graph.vertices().collect();
    let sources: Vec<VertexId> = all.iter().copied().step_by(n.div_ceil(CHECKED_ROWS)).collect();
    let expected = Solver::new(graph, &sssp::Config::default())?.table(&sources, &all)?;
    let mut peak_before = peak(number, pool);
    let mut samples = Vec::new();
    for _ in 0..runs {
        let start = Instant::now();
        let pairs = apsp::Solver::new(graph, config).solve(None)?;
        let whole_ms = start.elapsed().as_secs_f64() * 1e3;
        ensure!(pairs.plan.number == Some(number), "it was solved in {:?}", pairs.plan.number);
        for (i, &source) in sources.iter().enumerate() {
            ensure!(pairs.row(source).eq(expected.row(i)), "wrong distances from vertex {source}");
        }
        let peak_after = peak(number, pool);
        let rate = (n as f64).powi(3) / pairs.report.solve_ms / 1e6;
        samples.push(Sample { peak: peak_before.max(peak_after), rate, whole_ms });
        peak_before = peak_after;
    }
    Ok(samples)
}

/// Sums a nanosecond in the registers of all threads.
fn peak(number: Number, pool: &ThreadPool) -> f64 {
    let start = Instant::now();
    let sums: u64 = pool.broadcast(|_| number.relax_registers(ROUNDS)).into_iter().sum();
    sums as f64 / start.elapsed().as_secs_f64() / 1e9
}

impl Line {
    fn best(&self, figure: impl Fn(&Sample) -> f64) -> f64 {
        self.samples.iter().map(figure).fold(0.0, f64::max)
    }

    fn cells(&self) -> Vec<String> {
        let (peak, rate) = (self.best(|sample| sample.peak), self.best(|sample| sample.rate));
        let mut ratios: Vec<f64> = self.samples.iter().map(|s| s.rate / s.peak).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        vec![
            self.n.to_string(),
            self.algorithm.to_string(),
            self.number.to_string(),
            self.number.instructions().to_owned(),
            format!("{peak:.1}"),
            format!("{rate:.1}"),
            format!("{:.2}", rate / peak),
            format!("{:.2}", ratios[ratios.len() / 2]),
            format!("{:.0}", 1e3 / self.best(|sample| 1e3 / sample.whole_ms)),
        ]
    }
}

fn summary(machine: &Machine, threads: usize, lines: &[Line]) -> String {
    let headings = [
        "n",
        "form",
        "numbers",
        "instructions",
        "peak, Gop/s",
        "solver, Gop/s",
        "of the peak",
        "median of runs",
        "whole, ms",
    ];
    let rows: Vec<_> = lines.iter().map(Line::cells).collect();
    format!(
        "# Floyd-Warshall and the peak of registers\n\n{}- threads: {threads}\n\nThe best of \
         each over the runs, and the median of what the runs reach of their own peak; the whole \
         includes making the matrix and the table.\n\n{}",
        machine.markdown(),
        table(4, &headings, &rows),
    )
}

fn raw(lines: &[Line]) -> String {
    let mut csv = "n,algorithm,number,instructions,run,peak_gops,gops,whole_ms\n".to_owned();
    for line in lines {
        let Line { n, algorithm, number, samples } = line;
        for (run, Sample { peak, rate, whole_ms }) in samples.iter().enumerate() {
            let instructions = number.instructions();
            csv += &format!(
                "{n},{algorithm},{number},{instructions},{run},{peak:.3},{rate:.3},{whole_ms:.3}\n"
            );
        }
    }
    csv
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        options: Options,
    }

    #[test]
    fn every_kind_of_number_is_measured() {
        let arguments = "bench --sizes 200 --algorithms blocked,recursive --runs 2 --name tiny";
        let options = Program::try_parse_from(arguments.split(' ')).unwrap().options;
        let out = tempfile::tempdir().unwrap();
        let written = run(&options, out.path()).unwrap();
        let csv = std::fs::read_to_string(written.folder.join("raw.csv")).unwrap();
        assert_eq!(csv.lines().count(), 1 + 2 * Number::ALL.len() * 2);
        for number in Number::ALL {
            assert!(written.summary.contains(&format!("| {number} ")), "{}", written.summary);
        }
    }

    #[test]
    fn searches_are_no_part_of_the_study() {
        let arguments = "bench --sizes 20 --algorithms johnson --runs 1 --name none";
        let options = Program::try_parse_from(arguments.split(' ')).unwrap().options;
        let out = tempfile::tempdir().unwrap();
        assert!(run(&options, out.path()).is_err());
        assert!(!out.path().join("none").exists());
    }
}
