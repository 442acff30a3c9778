//! The study of the published forms of Floyd-Warshall on a GPU: the papers' tables, measured
//! again.
//!
//! The iterative forms, methods A and B, and the recursive form run on random digraphs of 4 n
//! arcs with tiles of each side, after what the paper tunes has been tuned for each of
//! them: h for all, t' for method B, l for A and B. Beside them run the plain form, method B
//! on a row-major matrix, and the recursive form with fused products; and on the streets of
//! Rome and a digraph of 12,529 vertices, as many as the other text has, the plain form with
//! last vertices, and one thread of the host. Weights are small integers in i32 and in f32.
//!
//! Reference: okuyama-2010, origin-out-of-core

mod figures;
mod host;
mod measure;
mod problem;
mod summary;

use std::num::NonZeroUsize;
use std::ops::Add;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use apsp::Algorithm;
use apsp::published::Layout;
use clap::{Args, ValueEnum};
use gpu_runtime::Gpu;

use crate::folder::{Written, new_folder, write};
use crate::machine::Machine;
use crate::workloads::Workload;
use figures::{Form, Report};
use measure::Bench;
use problem::{Number, Problem};

/// Sides of tiles.
const TILES: [u32; 3] = [16, 32, 64];
/// Arcs a vertex of the paper's random graphs.
const DEGREE: u64 = 4;
/// The digraph of the other text's size, and arcs a vertex of it.
const NEURONS: usize = 12_529;
const NEURON_DEGREE: u64 = 16;

/// What elements of a matrix may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ElementType {
    /// Integers of 32 bits.
    I32,
    /// Floats of 32 bits.
    F32,
}

/// What to measure.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Vertices of the random digraphs
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "N",
        default_value = "128,256,512,1024,2048,4096,8192"
    )]
    pub sizes: Vec<NonZeroUsize>,
    /// Types of the elements
    #[arg(long, value_delimiter = ',', value_name = "TYPE", default_value = "i32,f32")]
    pub types: Vec<ElementType>,
    /// Timed solves of each form
    #[arg(long, default_value = "5")]
    pub runs: NonZeroUsize,
    /// Seconds that the timed solves of one form on one graph may take together
    #[arg(long, value_name = "SECONDS", default_value = "5")]
    pub patience: u64,
    /// Most relaxations in i32 that the GPU could do, in billions a second, for the table of
    /// efficiency
    #[arg(long, value_name = "G")]
    pub peak_i32: Option<f64>,
    /// The same in f32
    #[arg(long, value_name = "G")]
    pub peak_f32: Option<f64>,
    /// Largest graph, in vertices, for one thread of the host
    #[arg(long, value_name = "N", default_value = "4096")]
    pub host_up_to: usize,
    /// Leave out the streets of Rome and the digraph of 12,529 vertices
    #[arg(long)]
    pub random_only: bool,
    /// Solve once with this algorithm, on the first size and type, and write no report
    #[arg(long, value_name = "ALGORITHM", hide = true)]
    pub once: Option<Algorithm>,
    /// t, with --once
    #[arg(long, default_value = "32", hide = true)]
    pub tile: u32,
    /// h, with --once [default: a quarter of the tile]
    #[arg(long, hide = true)]
    pub step_rows: Option<u32>,
    /// t', with --once
    #[arg(long, default_value = "4", hide = true)]
    pub small_tile: u32,
    /// l, with --once
    #[arg(long, default_value = "8", hide = true)]
    pub per_block: u32,
    /// Where the folder of this run is made [default: target/bench of the workspace]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The name of that folder [default: date, time and commit]
    #[arg(long)]
    pub name: Option<String>,
}

impl Options {
    fn peak(&self, element: &str) -> Option<f64> {
        if element == "i32" { self.peak_i32 } else { self.peak_f32 }
    }
}

/// Measures and writes the report, `raw.json` and `summary.md`, into a new folder, in
/// `beside` unless the options name another; says on standard error what was measured as
/// soon as it was.
///
/// # Errors
/// When there is no GPU, a graph fits no memory, a form fails or is wrong, or the folder is
/// there already or cannot be written. Then no folder is left.
pub fn run(options: &Options, beside: &Path) -> Result<Written> {
    run_on(Some(&open()?), options, beside)
}

/// Solves one graph once, for a profiler; the text to print.
///
/// # Errors
/// When there is no GPU, the graph does not fit its memory, or the form fails or is wrong.
pub fn once(options: &Options, algorithm: Algorithm) -> Result<String> {
    let gpu = open()?;
    let n = options.sizes.first().context("--sizes names no size")?.get();
    let problem = Problem::random(n, DEGREE)?;
    let form = Form::new(algorithm, options.tile).with(|parameters| {
        parameters.small_tile = options.small_tile;
        parameters.per_block = options.per_block;
        parameters.step_rows = options.step_rows.unwrap_or(parameters.step_rows);
        parameters.fused = false;
    });
    let ms = match options.types.first() {
        Some(ElementType::F32) => Bench::<f32>::new(Some(&gpu), options, &problem).once(form)?,
        _ => Bench::<i32>::new(Some(&gpu), options, &problem).once(form)?,
    };
    Ok(format!("{}, {}: {ms:.3} ms", problem.name, form.heading()))
}

fn open() -> Result<Gpu> {
    Gpu::open().context(
        "this study measures a GPU: run it on a machine that has one, in a build with \
         --features cuda",
    )
}

/// The same as [`run`]; without a GPU the host solves in its place, so that all but the
/// kernels can be tested anywhere.
fn run_on(gpu: Option<&Gpu>, options: &Options, beside: &Path) -> Result<Written> {
    ensure!(!options.sizes.is_empty() && !options.types.is_empty(), "there is nothing to measure");
    let machine = Machine::look();
    let out = options.out.as_deref().unwrap_or(beside);
    new_folder(out, options.name.as_deref(), &machine, |folder| {
        let mut report = Report::default();
        for size in &options.sizes {
            let problem = Problem::random(size.get(), DEGREE)?;
            all_types(gpu, options, &problem, &paper_forms(), &mut report)?;
        }
        for problem in others(options)? {
            all_types(gpu, options, &problem, &text_forms(), &mut report)?;
            if problem.n() <= options.host_up_to {
                report.host.push(Bench::<i32>::new(gpu, options, &problem).host()?);
            }
        }
        let summary = summary::text(&machine, options, &report);
        write(&folder.join("raw.json"), &serde_json::to_string_pretty(&report)?)?;
        write(&folder.join("summary.md"), &summary)?;
        Ok(summary)
    })
}

fn all_types(
    gpu: Option<&Gpu>,
    options: &Options,
    problem: &Problem,
    forms: &[Form],
    report: &mut Report,
) -> Result<()> {
    fn one<E: Number + Add<Output = E>>(
        gpu: Option<&Gpu>,
        options: &Options,
        problem: &Problem,
        forms: &[Form],
        report: &mut Report,
    ) -> Result<()> {
        Bench::<E>::new(gpu, options, problem).forms(forms, report)
    }
    for element in &options.types {
        match element {
            ElementType::I32 => one::<i32>(gpu, options, problem, forms, report)?,
            ElementType::F32 => one::<f32>(gpu, options, problem, forms, report)?,
        }
    }
    Ok(())
}

/// The graphs of the other text.
fn others(options: &Options) -> Result<Vec<Problem>> {
    if options.random_only {
        return Ok(Vec::new());
    }
    let mut problems = Vec::new();
    match Workload::Rome99.is_available() {
        true => problems.push(Problem::new("rome99", Workload::Rome99.load()?)?),
        false => eprintln!("SKIPPED: rome99: there is no file of it; see STARPATH_DATA"),
    }
    problems.push(Problem::random(NEURONS, NEURON_DEGREE)?);
    Ok(problems)
}

/// The nine columns of the paper's tables.
fn table_forms() -> Vec<Form> {
    [Algorithm::BlockedProduct, Algorithm::BlockedTwoLevel, Algorithm::Recursive]
        .into_iter()
        .flat_map(|algorithm| TILES.map(|tile| Form::new(algorithm, tile)))
        .map(|form| form.with(|parameters| parameters.fused = false))
        .collect()
}

/// What stands beside them: what the paper only mentions, or left out.
fn beside_forms() -> Vec<Form> {
    let mut forms = vec![Form::new(Algorithm::FloydWarshall, 32)];
    forms.extend(TILES.map(|tile| {
        Form::new(Algorithm::BlockedTwoLevel, tile).with(|p| p.layout = Layout::RowMajor)
    }));
    forms.extend(TILES.map(|tile| Form::new(Algorithm::Recursive, tile)));
    forms
}

fn paper_forms() -> Vec<Form> {
    [table_forms(), beside_forms()].concat()
}

/// What the other text measured: plain, with last vertices, and blocked.
fn text_forms() -> Vec<Form> {
    let plain = Form::new(Algorithm::FloydWarshall, 32);
    let blocked = [Algorithm::BlockedProduct, Algorithm::BlockedTwoLevel];
    let mut forms = vec![plain, plain.with(|parameters| parameters.last_vertices = true)];
    forms.extend(blocked.map(|algorithm| Form::new(algorithm, 32)));
    forms
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        options: Options,
    }

    fn options(arguments: &str) -> Options {
        let arguments = format!("bench {arguments}");
        Program::try_parse_from(arguments.split(' ').filter(|a| !a.is_empty())).unwrap().options
    }

    #[test]
    fn the_defaults_are_the_papers() {
        let options = options("");
        let sizes: Vec<usize> = options.sizes.iter().map(|size| size.get()).collect();
        assert_eq!(sizes, [128, 256, 512, 1024, 2048, 4096, 8192]);
        assert_eq!(options.types, [ElementType::I32, ElementType::F32]);
        assert_eq!((options.once, options.peak("i32")), (None, None));
        assert_eq!(table_forms().len(), 9);
    }

    #[test]
    fn a_report_has_every_form_of_every_type() {
        let out = tempfile::tempdir().unwrap();
        let options = options(
            "--sizes 40,70 --runs 2 --random-only --name tiny --peak-i32 100 --peak-f32 50",
        );
        let written = run_on(None, &options, out.path()).unwrap();
        let raw = fs::read_to_string(written.folder.join("raw.json")).unwrap();
        let raw: serde_json::Value = serde_json::from_str(&raw).unwrap();
        let lines = raw["lines"].as_array().unwrap();
        assert_eq!(lines.len(), 2 * 2 * paper_forms().len());
        for line in lines {
            assert_eq!(line["ms"].as_array().unwrap().len(), 2, "{line}");
            assert_eq!(line["whole_ms"].as_array().unwrap().len(), 2, "{line}");
            assert!(line["launches"].as_u64().unwrap() > 0, "{line}");
        }
        assert!(!raw["trials"].as_array().unwrap().is_empty());
        let summary = fs::read_to_string(written.folder.join("summary.md")).unwrap();
        assert_eq!(summary, written.summary);
        for form in paper_forms() {
            assert!(summary.contains(&form.heading()), "{} in {summary}", form.heading());
        }
    }
}
