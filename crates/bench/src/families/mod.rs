//! The study of the families of algorithms that the paper on GPUs compares: all of them on
//! the same graphs, its extract-min, and how far `auto` is from the best choice.
//!
//! One answer for each graph is certified; every solve of every solver, timed or not, must
//! find the same distances. Solvers take turns. Without a GPU, what needs one is left out and
//! the report says so.
//!
//! Reference: origin-four-families

mod auto;
mod boost;
mod compile;
mod extract_min;
mod graph_names;
mod graphs;
mod paper;
mod plots;
mod race;
mod roster;
mod sets;
mod side_by_side;

use std::fmt;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use gpu_runtime::Gpu;

use self::boost::Boost;
use self::extract_min::Extraction;
pub use self::graphs::Named;
use self::race::{Line, Pools};
pub use self::sets::Set;
use crate::folder::{Written, new_folder, write};
use crate::machine::Machine;

/// A day, in seconds.
const MOST_PATIENCE: f64 = 86_400.0;

/// A part of the study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// All families side by side, on graphs of several sizes.
    Families,
    /// The paper's Table 1: the least of many labels.
    ExtractMin,
    /// How far auto is from the best single choice.
    Auto,
}

/// What solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// The host.
    Cpu,
    /// The first GPU.
    Gpu,
}

/// What to measure.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Parts of the study
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "PART",
        default_value = "families,extract-min,auto"
    )]
    pub parts: Vec<Part>,
    /// Graphs in place of those that a part has by itself, such as rmat-17,
    /// torus-300+to-65536+seed-5 or new-york+squared (a wrong name lists them all)
    #[arg(long, value_delimiter = ',', value_name = "GRAPH")]
    pub graphs: Vec<Named>,
    /// Auto: sets of graphs
    #[arg(long, value_delimiter = ',', value_name = "SET", default_value = "tuned,held-out")]
    pub sets: Vec<Set>,
    /// Auto: the first seed of the graphs that are held out; another one, other graphs
    #[arg(long, default_value = "1000")]
    pub seed: u64,
    /// Leave out graphs of more arcs, about [default: 10000000 in the part auto, none elsewhere]
    #[arg(long, value_name = "N")]
    pub most_arcs: Option<u64>,
    /// Where to solve; a machine without a GPU leaves that out
    #[arg(long, value_delimiter = ',', value_name = "BACKEND", default_value = "cpu,gpu")]
    pub backend: Vec<Backend>,
    /// Timed turns of each solver, after an untimed solve
    #[arg(long, default_value = "5")]
    pub runs: NonZeroUsize,
    /// Threads for solvers that take several [default: all processors]
    #[arg(long)]
    pub threads: Option<NonZeroUsize>,
    /// Seconds after which a solve is ended
    #[arg(long, value_name = "SECONDS", default_value = "5")]
    pub patience: f64,
    /// Families: Boost's Dijkstra, built before from peers/boost_dijkstra.cpp of this crate
    /// [default: it is built, where there are a compiler and Boost]
    #[arg(long, value_name = "PROGRAM")]
    pub boost: Option<PathBuf>,
    /// Extract-min: numbers of labels
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "N",
        default_value = "1,10,100,1000,10000,100000,1000000,10000000"
    )]
    pub labels: Vec<NonZeroUsize>,
    /// Extract-min: extractions of which the mean is taken
    #[arg(long, value_name = "N", default_value = "1000")]
    pub extractions: NonZeroU32,
    /// Extract-min: CUB and Thrust, built before from peers/extract_min.cu of this crate
    /// [default: it is built, where there is nvcc]
    #[arg(long, value_name = "PROGRAM")]
    pub cub: Option<PathBuf>,
    /// Where the folder of this run is made [default: target/bench of the workspace]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The name of that folder [default: date, time and commit]
    #[arg(long)]
    pub name: Option<String>,
}

impl Options {
    fn threads(&self) -> NonZeroUsize {
        let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.threads.unwrap_or_else(all)
    }

    fn patience(&self) -> Result<Duration> {
        let Self { patience, .. } = *self;
        let is_time = patience > 0.0 && patience <= MOST_PATIENCE;
        ensure!(
            is_time,
            "--patience takes seconds, above 0 and up to {MOST_PATIENCE}, not {patience}"
        );
        Ok(Duration::from_secs_f64(patience))
    }
}

/// Every timed turn, as `raw.csv` has it.
struct Raw(String);

impl Raw {
    fn new() -> Self {
        let header = "part,backend,graph,n,m,solver,run,ms,prepare_ms,rounds,relaxations,\
                      improvements,settled,again_insertions,again_relaxations\n";
        Self(header.to_owned())
    }

    fn push(&mut self, part: &str, graph: &Named, n: usize, m: usize, lines: &[Line]) {
        let count = |count: Option<u64>| count.map_or_else(String::new, |count| count.to_string());
        for line in lines {
            let Line { solver, prepare_ms, .. } = line;
            let backend = if line.on_gpu { Backend::Gpu } else { Backend::Cpu };
            for (run, sample) in (1..).zip(&line.samples) {
                let (ms, work) = (sample.ms, sample.work);
                let again = work.and_then(|work| work.again);
                let counts = [
                    work.map(|work| work.rounds),
                    work.map(|work| work.relaxations),
                    work.map(|work| work.improvements),
                    work.map(|work| work.settled),
                    again.map(|again| again.insertions),
                    again.map(|again| again.relaxations),
                ];
                let counts = counts.map(count).join(",");
                self.0 += &format!(
                    "{part},{backend},{graph},{n},{m},{solver},{run},{ms:.6},{prepare_ms:.3},\
                     {counts}\n"
                );
            }
        }
    }

    /// Extractions, as runs on graphs of labels without arcs.
    fn push_extractions(&mut self, all: &[Extraction]) {
        for Extraction { n, method, on_gpu, us, .. } in all {
            let backend = if *on_gpu { Backend::Gpu } else { Backend::Cpu };
            let ms = us / 1e3;
            self.0 +=
                &format!("extract-min,{backend},labels-{n},{n},0,{method},1,{ms:.9},,,,,,,\n");
        }
    }
}

/// Measures and writes the report, `raw.csv`, `summary.md` and drawings, into a new folder, in
/// `beside` unless the options name another; says on standard error what was measured as soon
/// as it was.
///
/// # Errors
/// When a graph cannot be made, an answer is wrong, the GPU fails, or the folder is there
/// already or cannot be written. Then no folder is left.
pub fn run(options: &Options, beside: &Path) -> Result<Written> {
    options.patience()?;
    let machine = Machine::look();
    let out = options.out.as_deref().unwrap_or(beside);
    new_folder(out, options.name.as_deref(), &machine, |folder| {
        let gpu = match Gpu::open() {
            _ if !options.backend.contains(&Backend::Gpu) => Err("it was left out".to_owned()),
            opened => opened.map_err(|reason| reason.to_string()),
        };
        let mut summary = format!("# The families of shortest paths\n\n{}", machine.markdown());
        summary += &format!(
            "- threads: {}, where a solver takes more than one\n\nOne answer for each graph is \
             certified; every solve of every solver, timed or not, found the same distances. \
             Solvers took {} turns, after an untimed solve. Times on the GPU are the device's, \
             with the graph resident; on the host, of the call.\n",
            options.threads(),
            options.runs
        );
        if let Err(reason) = &gpu
            && options.backend.contains(&Backend::Gpu)
        {
            eprintln!("SKIPPED: all that needs a GPU: {reason}");
            summary += &format!("\nSKIPPED: all that needs a GPU: {reason}.\n");
        }
        let gpu = gpu.as_ref().ok();
        let pools = Pools::new(options.threads().get())?;
        let mut raw = Raw::new();
        for part in &options.parts {
            summary += &match part {
                Part::Families => {
                    let boost = Boost::find(options.boost.as_deref());
                    if let Err(reason) = &boost {
                        eprintln!("SKIPPED: {reason}");
                    }
                    let of = boost.as_ref().ok();
                    let all = side_by_side::measure(options, gpu, of, &pools, &mut raw)?;
                    for (name, svg) in plots::of(&all)? {
                        write(&folder.join(name), &svg)?;
                    }
                    let skipped = |reason: String| format!("\nSKIPPED: {reason}.\n");
                    side_by_side::section(&all) + &boost.err().map_or_else(String::new, skipped)
                }
                Part::ExtractMin => {
                    let found = extract_min::measure(options, gpu)?;
                    raw.push_extractions(&found.all);
                    extract_min::section(&found)
                }
                Part::Auto => auto::section(&mut auto::measure(options, gpu, &pools, &mut raw)?),
            };
        }
        write(&folder.join("raw.csv"), &raw.0)?;
        write(&folder.join("summary.md"), &summary)?;
        Ok(summary)
    })
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
        })
    }
}
