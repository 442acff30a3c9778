//! A whole run: each graph, each solver, and the folder with what came out.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use gpu_runtime::Gpu;
use rayon::ThreadPoolBuilder;

pub use crate::folder::Written;
use crate::folder::{new_folder, write};
use crate::machine::Machine;
use crate::measure::{GraphReport, Measured, Patience, Skipped, certified, measure};
use crate::plots::Bar;
use crate::roster::{Family, MAX_GRAPH_DISTANCE, Peers, Race, Sweep, roster};
use crate::workloads::{Workload, source};
use crate::{plots, summary};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Options {
    /// The graphs.
    pub workloads: Vec<Workload>,
    /// The solvers; all when empty.
    pub families: Vec<Family>,
    /// Timed solves of each.
    pub runs: usize,
    /// Threads for solvers that take several.
    pub threads: NonZeroUsize,
    /// Widths for Δ-stepping.
    pub sweep: Sweep,
    /// How long the timed solves of one solver on one graph may take together.
    pub patience: Duration,
    /// Where the folder of this run is made.
    pub out: PathBuf,
    /// Its name; date, time and commit when `None`.
    pub name: Option<String>,
}

/// Measures and writes the report; says on standard error what it is at.
///
/// # Errors
/// When a graph cannot be made or read, a solver fails or is wrong, or the folder is
/// there already or cannot be written. Then no folder is left.
pub fn run(options: &Options) -> Result<Written> {
    ensure!(options.runs > 0, "nothing can be said of 0 runs: ask for at least one");
    for workload in &options.workloads {
        let file = workload.file().filter(|_| !workload.is_available());
        ensure!(
            file.is_none(),
            "{workload}: there is no file {}",
            file.unwrap_or_default().display()
        );
    }
    let machine = Machine::look();
    new_folder(&options.out, options.name.as_deref(), &machine, |folder| {
        let graphs = measure_all(options)?;
        let summary = text(&machine, options, &graphs);
        write_all(folder, &graphs, &summary)?;
        Ok(summary)
    })
}

fn measure_all(options: &Options) -> Result<Vec<GraphReport>> {
    let pool = ThreadPoolBuilder::new().num_threads(options.threads.get()).build()?;
    let one = |workload: &Workload| {
        measure_one(*workload, options).with_context(|| format!("on {workload}"))
    };
    pool.install(|| options.workloads.iter().map(one).collect())
}

fn measure_one(workload: Workload, options: &Options) -> Result<GraphReport> {
    let start = Instant::now();
    let graph = workload.load()?;
    let load = start.elapsed();
    eprintln!("{workload}: {} vertices, {} arcs", graph.n_vertices(), graph.n_arcs());
    let source = source(&graph);
    let certified = certified(&graph, source, options.threads.get())?;
    let max_distance = certified.max().unwrap_or(0);
    let max_weight = graph.weights().iter().copied().max().unwrap_or(0);

    let peers = Peers::of(&graph);
    let patience = Patience::new(options.patience);
    let give_up = |_: u64, _: u64| patience.ask();
    let race = Race { graph: &graph, source, peers: &peers, give_up: &give_up };
    // none in a build or on a machine without
    let gpu = Gpu::open().ok();
    let mut contenders = Vec::new();
    let mut inexact = Vec::new();
    for entry in roster(max_weight, options.threads, options.sweep, gpu.as_ref()) {
        if !options.families.is_empty() && !options.families.contains(&entry.family) {
            continue;
        }
        if entry.family == Family::Graph && max_distance > MAX_GRAPH_DISTANCE {
            let reason = format!("f32 does not hold distances up to {max_distance} exactly");
            inexact.push(Skipped { name: entry.name, reason });
            continue;
        }
        contenders.push(entry.prepare(&race).with_context(|| entry.name.clone())?);
    }
    let (measured, mut skipped) = measure(contenders, &certified, options.runs, &patience)?;
    skipped.append(&mut inexact);
    Ok(GraphReport {
        name: workload.to_string(),
        n_vertices: graph.n_vertices(),
        n_arcs: graph.n_arcs(),
        max_weight,
        load,
        source,
        n_reached: certified.n_reached(),
        max_distance,
        measured,
        skipped,
    })
}

/// `summary.md`.
fn text(machine: &Machine, options: &Options, graphs: &[GraphReport]) -> String {
    let mut text = String::from("# Shortest paths from one source\n\n");
    text += &machine.markdown();
    let (threads, runs) = (options.threads, options.runs);
    let seconds = options.patience.as_secs_f64();
    // writing to a String does not fail
    let _ = write!(
        text,
        "- threads: {threads}, where a solver takes more than one\n\n\
         Each solver ran {runs} times, in turns with all others, or fewer times when it had \
         used {seconds} s (column \"runs\"). One answer is certified against the graph; every \
         solve of every solver, timed or not, found the same distances. Times are of the \
         solve alone; what is done once for a graph is under \"prepare\", and is shared by all \
         solvers of the crate graph. These machines drift: compare within a table.\n"
    );
    for graph in graphs {
        text += &summary::graph_section(graph);
    }
    text += &summary::claims(graphs);
    text + &summary::delta_rules(graphs)
}

fn write_all(folder: &Path, graphs: &[GraphReport], summary: &str) -> Result<()> {
    write(&folder.join("raw.csv"), &raw(graphs))?;
    write(&folder.join("summary.md"), summary)?;
    for graph in graphs.iter().filter(|graph| !graph.measured.is_empty()) {
        write(
            &folder.join(format!("{}.svg", graph.name)),
            &plots::of_bars(&graph.name, &bars(graph))?,
        )?;
    }
    Ok(())
}

fn bars(graph: &GraphReport) -> Vec<Bar> {
    let colour = |family| match family {
        Family::Graph | Family::Petgraph => plots::OTHERS,
        Family::Yardstick => plots::YARDSTICK,
        _ => plots::OURS,
    };
    let bar = |m: &Measured| Bar {
        name: m.name.clone(),
        median_ms: m.median_ms(),
        colour: colour(m.family),
    };
    graph.measured.iter().map(bar).collect()
}

/// Every timed solve; counts are empty where a solver keeps none.
fn raw(graphs: &[GraphReport]) -> String {
    let mut csv = String::from("graph,solver,run,ms,relaxations,improvements,settled,rounds\n");
    for graph in graphs {
        for measured in &graph.measured {
            for (run, sample) in (1..).zip(&measured.samples) {
                let counts = sample.work.map_or_else(
                    || ",,,".to_owned(),
                    |w| format!("{},{},{},{}", w.relaxations, w.improvements, w.settled, w.rounds),
                );
                let (graph, solver, ms) = (&graph.name, &measured.name, sample.ms);
                csv += &format!("{graph},{solver},{run},{ms:.4},{counts}\n");
            }
        }
    }
    csv
}
