//! The study of the STAR-machine: the paper's tables measured again, and the closure beside
//! what the device can do.
//!
//! Its parts: operations one by one; the paper's closures at its sizes; the forms that close
//! lines of bits on a GPU, near their floors; closure by components, where that is shorter; the
//! processor's form beside a plain one; bytes; graph algorithms as recorded programs, beside their
//! usual forms; and the paper's machine with the launches that it prints. Digraphs are G(n, p) of a
//! fixed seed. Every answer, timed or not, is checked: of a closure rows against searches, and the
//! number of pairs among all forms; of the algorithms by certificates.
//!
//! Without a GPU, what needs one is left out and the report says so.
//!
//! Reference: snytnikova-nepomniaschaya-2016

mod algorithms;
mod engines;
mod figure;
mod measure;
mod operations;
mod printed;
mod problem;
mod published;
mod storage;
mod summary;
mod variables;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};
use gpu_runtime::Gpu;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;

use crate::folder::{Written, new_folder, write};
use crate::machine::Machine;

/// Arcs a vertex of digraphs whose closure is nearly full.
const DENSE: f64 = 5.0;

/// A part of the study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The paper's Table 1: microseconds an operation.
    Operations,
    /// The paper's Table 2: its closures.
    Published,
    /// The forms of closure on a GPU, nothing condensed.
    Engines,
    /// Closure by components.
    Condensed,
    /// The form of the processor.
    Processor,
    /// Bytes.
    Storage,
    /// Graph algorithms as recorded programs, beside their usual forms.
    Algorithms,
    /// The paper's machine as printed, with its launches and with ours.
    Printed,
}

/// What to measure.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Parts of the study
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "PART",
        default_value = "operations,published,engines,condensed,processor,storage,algorithms,printed"
    )]
    pub parts: Vec<Part>,
    /// Operations: rows and columns of tables
    #[arg(long, value_delimiter = ',', value_name = "N", default_value = "100,1000,3000,5000")]
    pub operation_sizes: Vec<NonZeroUsize>,
    /// Operations: rows of a long table of 64 columns; 0 leaves it out
    #[arg(long, value_name = "N", default_value = "1000000")]
    pub long: usize,
    /// Operations: calls of a run; a recorded program has ten times as many
    #[arg(long, value_name = "N", default_value = "2000")]
    pub calls: NonZeroUsize,
    /// The paper's closures: vertices
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "N",
        default_value = "1000,2000,3000,4000,5000"
    )]
    pub paper_sizes: Vec<NonZeroUsize>,
    /// The paper's closures: arcs a vertex
    #[arg(long, value_delimiter = ',', value_name = "D", default_value = "5,50")]
    pub degrees: Vec<f64>,
    /// The paper's closures: the most vertices for one thread of the host, which takes tens of
    /// seconds
    #[arg(long, value_name = "N", default_value = "5000")]
    pub host_up_to: usize,
    /// Forms on a GPU: vertices
    #[arg(long, value_delimiter = ',', value_name = "N", default_value = "5000,16384,65536")]
    pub sizes: Vec<NonZeroUsize>,
    /// Forms on a GPU: the most vertices for WARSHALL-adapt
    #[arg(long, value_name = "N", default_value = "16384")]
    pub adapt_up_to: usize,
    /// Forms on a GPU: vertices of a digraph that is closed once; 0 leaves it out. The default
    /// takes 4 GB of the GPU's memory and 10 GB of the host's
    #[arg(long, value_name = "N", default_value = "180000")]
    pub large: usize,
    /// Components: vertices
    #[arg(long, value_delimiter = ',', value_name = "N", default_value = "5000")]
    pub condensed_sizes: Vec<NonZeroUsize>,
    /// Components: arcs a vertex
    #[arg(long, value_delimiter = ',', value_name = "D", default_value = "5,1.2")]
    pub sparse: Vec<f64>,
    /// The processor: vertices
    #[arg(long, value_delimiter = ',', value_name = "N", default_value = "5000")]
    pub processor_sizes: Vec<NonZeroUsize>,
    /// The algorithms' graphs
    #[command(flatten)]
    pub algorithms: algorithms::Sizes,
    /// As printed: seconds for each closure, all sizes together
    #[arg(long, value_name = "S", default_value = "60")]
    pub patience: u64,
    /// Timed runs of each, after an untimed one; what takes seconds runs once
    #[arg(long, default_value = "5")]
    pub runs: NonZeroUsize,
    /// Threads of the processor [default: all processors]
    #[arg(long)]
    pub threads: Option<NonZeroUsize>,
    /// Leave the GPU alone
    #[arg(long)]
    pub host_only: bool,
    /// Where the folder of this run is made [default: target/bench of the workspace]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The name of that folder [default: date, time and commit]
    #[arg(long)]
    pub name: Option<String>,
}

/// All that was measured, as `raw.json` has it.
#[derive(Debug, Default, Serialize)]
struct Report {
    /// Why nothing was measured on a GPU.
    no_gpu: Option<String>,
    operations: Vec<operations::Line>,
    published: Vec<published::Published>,
    engines: Vec<measure::Line>,
    condensed: Vec<measure::Line>,
    processor: Vec<measure::Line>,
    storage: Vec<storage::Line>,
    algorithms: Vec<algorithms::Line>,
    printed: printed::Printed,
}

/// Measures and writes the report, `raw.json`, `summary.md` and with the storage `figure-6.svg`, into a new folder, in `beside`
/// unless the options name another; says on standard error what was measured as soon as it was.
///
/// # Errors
/// When an answer is wrong, memory is short, the GPU fails, or the folder is there already or
/// cannot be written. Then no folder is left.
pub fn run(options: &Options, beside: &Path) -> Result<Written> {
    let machine = Machine::look();
    let out = options.out.as_deref().unwrap_or(beside);
    new_folder(out, options.name.as_deref(), &machine, |folder| {
        let report = measured(options)?;
        let summary = summary::text(&machine, options, &report);
        write(&folder.join("raw.json"), &serde_json::to_string_pretty(&report)?)?;
        write(&folder.join("summary.md"), &summary)?;
        if options.parts.contains(&Part::Storage) {
            write(&folder.join("figure-6.svg"), &figure::of_matrices()?)?;
        }
        Ok(summary)
    })
}

fn measured(options: &Options) -> Result<Report> {
    let mut report = Report::default();
    let gpu = match Gpu::open() {
        _ if options.host_only => Err("it was to be left alone".to_owned()),
        opened => opened.map_err(|reason| reason.to_string()),
    };
    if let Err(reason) = &gpu {
        eprintln!("SKIPPED: all that needs a GPU: {reason}");
        report.no_gpu = Some(reason.clone());
    }
    let gpu = gpu.as_ref().ok();
    let pool = pool(options.threads.map_or(0, NonZeroUsize::get))?;
    for part in &options.parts {
        match part {
            Part::Operations => report.operations = operations::measure(gpu, options)?,
            Part::Published => report.published = published::measure(gpu, options, &pool)?,
            Part::Engines => {
                if let Some(gpu) = gpu {
                    report.engines = engines::measure(gpu, options)?;
                }
            }
            Part::Condensed => report.condensed = engines::condensed(gpu, options, &pool)?,
            Part::Processor => report.processor = engines::on_processor(options, &pool)?,
            Part::Storage => report.storage = storage::measure()?,
            Part::Algorithms => report.algorithms = algorithms::measure(gpu, options)?,
            Part::Printed => {
                if let Some(gpu) = gpu {
                    report.printed = printed::measure(gpu, options)?;
                }
            }
        }
    }
    Ok(report)
}

/// So many threads, or all for 0.
fn pool(threads: usize) -> Result<ThreadPool> {
    Ok(ThreadPoolBuilder::new().num_threads(threads).build()?)
}
