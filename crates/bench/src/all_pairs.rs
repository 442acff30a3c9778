//! The study of all pairs on a GPU: the default form, in the GPU's memory and in strips, with
//! next hops and without.
//!
//! Digraphs with a cycle through all vertices, so that all are reached, and arcs drawn at
//! random besides. The graph chooses the numbers: weights so small that their sums fit take 16 bits; one
//! vertex far away takes 32, and large weights 64; floats are these again. Rows of every answer
//! are compared with searches on the host, and columns of next hops with trees of searches in
//! the reversed graph.
//!
//! Reference: venkataraman-2003, origin-out-of-core

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::slice;

use anyhow::{Context, Result, ensure};
use apsp::{Config, Pairs};
use clap::Args;
use gpu_runtime::Gpu;
use graph_formats::generate::{Duplicates, GraphOptions, UniformConfig, uniform};
use graph_formats::{Csr, Direction, VertexId, Weight};
use paths::Tree;
use serde::Serialize;
use sssp::{Goal, Solver};

use crate::folder::{Written, new_folder, write};
use crate::machine::Machine;
use crate::table::{number, table};

/// Rows of an answer that are compared with searches.
const ROWS: usize = 8;
/// Bounds sums where they are to fit 16 bits,
const SMALL: usize = 32_000;
/// and where they are to take 32,
const SUMS: usize = 1 << 26;
/// which one vertex is far enough away for.
const FAR: u32 = 100_000;

/// What to measure.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Vertices of the graphs
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "N",
        default_value = "1024,2048,4096,8192,16384"
    )]
    pub sizes: Vec<NonZeroUsize>,
    /// Arcs a vertex
    #[arg(long, default_value = "4")]
    pub degree: NonZeroUsize,
    /// Timed solves of each kind
    #[arg(long, default_value = "5")]
    pub runs: NonZeroUsize,
    /// Leave out next hops
    #[arg(long)]
    pub distances_only: bool,
    /// Vertices of a graph that is solved in strips, too, by 32-bit integers
    #[arg(long, value_name = "N")]
    pub strips: Option<NonZeroUsize>,
    /// For the strips, the GPU has the memory for one part in so many of the matrix
    #[arg(long, default_value = "4")]
    pub share: NonZeroUsize,
    /// Where the folder of this run is made [default: target/bench of the workspace]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The name of that folder [default: date, time and commit]
    #[arg(long)]
    pub name: Option<String>,
}

/// The solves of one kind on one graph.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    n_vertices: usize,
    n_arcs: usize,
    numbers: String,
    next_hops: bool,
    /// Bytes the GPU was allowed, where that was less than the matrix.
    memory: Option<u64>,
    strips: u64,
    launches: u64,
    /// Of each timed solve, in milliseconds.
    solve_ms: Vec<f64>,
    next_hops_ms: Vec<f64>,
    upload_ms: Vec<f64>,
    prepare_ms: Vec<f64>,
    download_ms: Vec<f64>,
}

impl Line {
    /// The median of the distances' time and the next hops' together.
    fn median_ms(&self) -> f64 {
        let mut times: Vec<f64> =
            self.solve_ms.iter().zip(&self.next_hops_ms).map(|(a, b)| a + b).collect();
        times.sort_unstable_by(f64::total_cmp);
        times[times.len() / 2]
    }

    /// n³ in that time, in billions a second.
    fn rate(&self) -> f64 {
        (self.n_vertices as f64).powi(3) / self.median_ms() / 1e6
    }
}

/// Measures and writes the report, `raw.json` and `summary.md`, into a new folder, in
/// `beside` unless the options name another.
///
/// # Errors
/// When there is no GPU, a graph fits no memory, an answer is wrong, or the folder is there
/// already or cannot be written. Then no folder is left.
pub fn run(options: &Options, beside: &Path) -> Result<Written> {
    let gpu = Gpu::open().context(
        "this study measures a GPU: run it on a machine that has one, in a build with \
         --features cuda",
    )?;
    let machine = Machine::look();
    let out = options.out.as_deref().unwrap_or(beside);
    new_folder(out, options.name.as_deref(), &machine, |folder| {
        let mut lines = Vec::new();
        let study = Study { gpu: &gpu, runs: options.runs.get() };
        for size in &options.sizes {
            let (n, degree) = (size.get(), options.degree.get());
            let large = in_32_bits(n, degree)?;
            let small = connected(n, degree, (SMALL / n).max(1) as u32)?;
            let floats = large.clone().convert_weights::<f32>()?;
            let wide = in_64_bits(&large)?;
            let doubles = large.clone().convert_weights::<f64>()?;
            for next_hops in [false, true] {
                if next_hops && options.distances_only {
                    continue;
                }
                let config = Config { next_hops, ..Config::default() };
                lines.push(study.solve(&large, &config, None)?);
                lines.push(study.solve(&small, &config, None)?);
                lines.push(study.solve(&floats, &config, None)?);
                lines.push(study.solve(&wide, &config, None)?);
                lines.push(study.solve(&doubles, &config, None)?);
            }
        }
        if let Some(size) = options.strips {
            let graph = in_32_bits(size.get(), options.degree.get())?;
            let n = size.get() as u64;
            let memory = Some(4 * n * n / options.share.get() as u64);
            lines.push(study.solve(&graph, &Config::default(), None)?);
            lines.push(study.solve(&graph, &Config::default(), memory)?);
        }
        let summary = summary(&machine, options, &lines);
        write(&folder.join("raw.json"), &serde_json::to_string_pretty(&lines)?)?;
        write(&folder.join("summary.md"), &summary)?;
        Ok(summary)
    })
}

struct Study<'a> {
    gpu: &'a Gpu,
    runs: usize,
}

impl Study<'_> {
    /// An untimed solve and the timed ones, each of them checked, with so much of the GPU's
    /// memory.
    fn solve<W: Weight>(
        &self,
        graph: &Csr<W>,
        config: &Config,
        memory: Option<u64>,
    ) -> Result<Line> {
        let expected = searched(graph)?;
        let trees = if config.next_hops { trees(graph)? } else { Vec::new() };
        let gpu = self.gpu.with_memory_cap(memory.unwrap_or(u64::MAX));
        let mut line = None;
        for run in 0..=self.runs {
            let pairs = apsp::Solver::new(graph, config).on(slice::from_ref(&gpu)).solve(None)?;
            check(&pairs, &expected)?;
            check_hops(&pairs, &trees)?;
            let line = line.get_or_insert_with(|| Line {
                n_vertices: graph.n_vertices(),
                n_arcs: graph.n_arcs(),
                numbers: pairs.plan.number.map_or(String::new(), |number| number.to_string()),
                next_hops: config.next_hops,
                memory,
                strips: pairs.report.strips,
                launches: pairs.report.launches,
                solve_ms: Vec::new(),
                next_hops_ms: Vec::new(),
                upload_ms: Vec::new(),
                prepare_ms: Vec::new(),
                download_ms: Vec::new(),
            });
            if run > 0 {
                line.solve_ms.push(pairs.report.solve_ms);
                line.next_hops_ms.push(pairs.report.next_hops_ms);
                line.upload_ms.push(pairs.report.upload_ms);
                line.prepare_ms.push(pairs.report.prepare_ms);
                line.download_ms.push(pairs.report.download_ms);
            }
        }
        let line = line.context("there was no run")?;
        let (ms, rate) = (line.median_ms(), line.rate());
        let kind = if line.next_hops { " with next hops" } else { "" };
        eprintln!(
            "{} vertices, {}{kind}: {ms:.3} ms, {rate:.0} G/s",
            line.n_vertices, line.numbers
        );
        Ok(line)
    }
}

/// The same with larger weights, and a last vertex too far away for 16 bits.
fn in_32_bits(n: usize, degree: usize) -> Result<Csr<u32>> {
    let near = connected(n - 1, degree, (SUMS / n) as u32)?;
    let far = (0, VertexId::try_from(n - 1)?, FAR);
    let arcs: Vec<_> = near.arcs().chain([far]).collect();
    Ok(Csr::from_arcs(n, &arcs)?)
}

/// The same weights so many times as large that sums need 64 bits.
fn in_64_bits(graph: &Csr<u32>) -> Result<Csr<i64>> {
    let arcs: Vec<_> = graph.arcs().map(|(u, v, weight)| (u, v, i64::from(weight) << 20)).collect();
    Ok(Csr::from_arcs(graph.n_vertices(), &arcs)?)
}

/// A cycle through all vertices, and arcs drawn at random.
fn connected(n: usize, degree: usize, heaviest: u32) -> Result<Csr<u32>> {
    let options = GraphOptions {
        direction: Direction::Directed,
        duplicates: Duplicates::Keep,
        weights: 1..=heaviest,
        ..GraphOptions::default()
    };
    let n_edges = (n * (degree - 1)) as u64;
    let random = uniform(&UniformConfig { n_vertices: n, n_edges, options })?;
    // each arc of the cycle weighs as much as some arc drawn
    let weights = random.weights().iter().copied().chain(std::iter::repeat(heaviest));
    let last = VertexId::try_from(n)?;
    let cycle = (0..last).zip(weights).map(|(v, weight)| (v, (v + 1) % last, weight));
    let arcs: Vec<_> = random.arcs().chain(cycle).collect();
    Ok(Csr::from_arcs(n, &arcs)?)
}

type Rows<W> = Vec<(usize, Vec<Option<<W as Weight>::Distance>>)>;

/// Distances from some vertices, by searches.
fn searched<W: Weight>(graph: &Csr<W>) -> Result<Rows<W>> {
    let mut solver = Solver::new(graph, &sssp::Config::default())?;
    let n = graph.n_vertices();
    (0..ROWS.min(n))
        .map(|row| {
            let source = row * n / ROWS.min(n);
            let found = solver.distances(source as VertexId, Goal::All)?;
            Ok((source, graph.vertices().map(|v| found.get(v)).collect()))
        })
        .collect()
}

/// Trees from some vertices in the reversed graph.
fn trees<W: Weight>(graph: &Csr<W>) -> Result<Vec<Tree<W>>> {
    let reversed = graph.transposed();
    let mut solver = Solver::new(&reversed, &sssp::Config::default())?;
    let n = graph.n_vertices();
    let targets = (0..ROWS.min(n)).map(|row| (row * n / ROWS.min(n)) as VertexId);
    targets.map(|target| Ok(solver.tree(target, Goal::All)?)).collect()
}

fn check_hops<W: Weight>(pairs: &Pairs<W>, trees: &[Tree<W>]) -> Result<()> {
    let Some(hops) = pairs.next_hops() else { return Ok(()) };
    for tree in trees {
        let n = tree.predecessors.n_vertices() as VertexId;
        for from in 0..n {
            let (found, expected) = (hops.get(from, tree.source), tree.predecessors.get(from));
            let target = tree.source;
            ensure!(found == expected, "from {from} to {target} by {found:?}, not {expected:?}");
        }
    }
    Ok(())
}

fn check<W: Weight>(pairs: &Pairs<W>, expected: &Rows<W>) -> Result<()> {
    for (source, row) in expected {
        let found = pairs.row(*source as VertexId);
        for (target, (found, expected)) in found.zip(row).enumerate() {
            let close = match (found, expected) {
                (Some(a), Some(b)) => {
                    let (a, b) = (a.to_f64(), b.to_f64());
                    a == b || W::ZERO.to_i128().is_none() && (a - b).abs() <= 1e-5 * b
                }
                (found, expected) => found == *expected,
            };
            ensure!(close, "from {source} to {target}: {found:?} and not {expected:?}");
        }
    }
    Ok(())
}

fn summary(machine: &Machine, options: &Options, lines: &[Line]) -> String {
    let mut text = String::from("# All pairs on a GPU\n\n");
    text += &machine.markdown();
    // writing to a String does not fail
    let _ = writeln!(
        text,
        "\nDigraphs of {} arcs a vertex. Medians of {} solves after an untimed one: distances, \
         with the matrix in the GPU's memory (in strips: in the host's, by the host's clock), \
         and next hops where there are any. {ROWS} rows of every answer were compared with \
         searches, and as many columns of next hops with trees of searches. G/s are n³ a second.\n",
        options.degree, options.runs
    );
    let heading = ["vertices", "numbers", "next hops", "strips", "ms", "G/s", "hops ms"];
    let rows = lines.iter().map(|line| {
        let mut hops = line.next_hops_ms.clone();
        hops.sort_unstable_by(f64::total_cmp);
        vec![
            line.n_vertices.to_string(),
            line.numbers.clone(),
            if line.next_hops { "yes" } else { "no" }.to_owned(),
            line.strips.to_string(),
            number(Some(line.median_ms())),
            format!("{:.0}", line.rate()),
            number(Some(hops[hops.len() / 2])),
        ]
    });
    text += &table(0, &heading, &rows.collect::<Vec<_>>());
    text
}
