//! `starpath apsp`: the distances of all pairs, and their paths, in memory or in a folder.

mod over_ranks;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::anyhow;
use apsp::{
    Algorithm, AllPairs, ApspError, Config, GpuTimes, ScratchError, ScratchFolder, all_pairs,
    all_pairs_in, all_pairs_in_on_gpus, all_pairs_on_gpus,
};
use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight, with_csr};
use serde::Serialize;

use crate::backend;
use crate::cli::{ApspArgs, Backend, Common, GpuCount};
use crate::failure::{Interrupted, say};
use crate::ids::Names;
use crate::load::{Loaded, load};
use crate::output::ResultFile;
use crate::progress::{Bar, check_interrupt};
use crate::report::{Head, Ms, Number, grouped, milliseconds};
use crate::search::{Times, repeated};

pub(crate) use self::over_ranks::run_over;

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    device: Option<Device>,
    /// Processes that shared the work, each with as many threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranks: Option<usize>,
    /// Ordered pairs with a distance, those of a vertex with itself included.
    reachable_pairs: usize,
    distance_sum: Number,
    max_distance: Option<Number>,
}

/// What a GPU did, and what it took beside the solving.
#[derive(Serialize)]
struct Device {
    device: String,
    /// How many of them.
    gpus: usize,
    jit_ms: Ms,
    upload_ms: Ms,
    prepare_ms: Ms,
    next_hops_ms: Ms,
    download_ms: Ms,
    /// Strips of rows that passed through it, where it could not hold the matrix.
    strips: u64,
}

impl Device {
    fn of(gpus: &[Gpu], times: &GpuTimes, strips: u64) -> Self {
        Self {
            device: gpus[0].properties().name.clone(),
            gpus: gpus.len(),
            jit_ms: Ms(times.jit_ms),
            upload_ms: Ms(times.upload_ms),
            prepare_ms: Ms(times.prepare_ms),
            next_hops_ms: Ms(times.next_hops_ms),
            download_ms: Ms(times.download_ms),
            strips,
        }
    }
}

/// What is asked for, on which backend, and where results are to be written.
struct Request {
    config: Config,
    gpus: Option<GpuCount>,
    distances: Option<ResultFile>,
    next_hops: Option<ResultFile>,
}

pub(crate) fn run(args: &ApspArgs, common: &Common) -> anyhow::Result<()> {
    let inputs: Vec<&Path> = args.graph.inputs().collect();
    let output = |path: &Option<PathBuf>| {
        path.as_deref().map(|path| ResultFile::check(path, &inputs)).transpose()
    };
    let distances = output(&args.distances)?;
    let next_hops = output(&args.next_hops)?.map(ResultFile::needs_array).transpose()?;
    if let (Some(distances), Some(next_hops)) = (&distances, &next_hops) {
        distances.refuse_same(next_hops)?;
    }
    let config = Config {
        algorithm: args.algorithm,
        threads: common.threads,
        next_hops: next_hops.is_some(),
        memory: args.memory,
        tile: args.tile,
    };
    let request = Request { config, gpus: args.gpus, distances, next_hops };
    let loaded = load(&args.graph, common)?;
    let scratch = args.scratch.clone().map(|path| ScratchFolder { path, resume: args.resume });
    let report = with_csr!(&loaded.csr, |graph| match &scratch {
        Some(scratch) => solve_in_folder(graph, scratch, &loaded, &request, common),
        None => solve(graph, &loaded, &request, common),
    })?;
    loaded.print(&report, common)
}

fn solve<W: Weight>(
    graph: &Csr<W>,
    loaded: &Loaded,
    request: &Request,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let bar = Bar::new("solving", common);
    let step = |done, total| bar.step(done, total);
    let gpu = match request.config.algorithm {
        Algorithm::Johnson if common.backend == Backend::Auto => None,
        _ => backend::gpu_for_pairs(graph.n_vertices(), common)?,
    };
    // what goes back and forth is reported beside the solving
    let mut solve_times = Vec::new();
    let gpus = gpu.map(|first| backend::with_others(first, request.gpus)).transpose()?;
    let on_gpu = gpus.map(|gpus| {
        let (pairs, _) = repeated(common, || {
            let pairs = all_pairs_on_gpus(&gpus, graph, &request.config, Some(&step));
            let pairs = pairs.inspect(|pairs| solve_times.push(pairs.times.solve_ms));
            Ok(pairs?)
        })?;
        Ok::<_, anyhow::Error>((gpus, pairs))
    });
    let on_gpu = match on_gpu {
        Some(Err(reason)) => match reason.downcast::<ApspError>()? {
            reason if common.backend == Backend::Auto && may_do_on_cpu(&reason) => {
                backend::stay_for_pairs(&reason, common)?;
                None
            }
            reason => return Err(explain(&names, reason)),
        },
        tried => tried.transpose()?,
    };
    let (found, device, solve) = match on_gpu {
        Some((gpus, pairs)) => {
            let device = Device::of(&gpus, &pairs.times, pairs.strips);
            (pairs.found, Some(device), Times::of(solve_times)?)
        }
        None => {
            let (found, times): (AllPairs<W>, _) = repeated(common, || {
                let found = all_pairs(graph, &request.config, Some(&step));
                found.map_err(|error| explain(&names, error))
            })?;
            (found, None, Times::of(times)?)
        }
    };
    let (table, plan) = (&found.distances, &found.plan);
    if common.explain {
        say(format_args!("{plan}"));
    }
    if let Some(output) = &request.distances {
        output.write_all_pairs(&names, table)?;
    }
    if let (Some(output), Some(hops)) = (&request.next_hops, &found.next_hops) {
        output.write_next_hops(&names, hops)?;
    }
    let distances = (0..table.n_sources()).flat_map(|row| table.row(row)).flatten();
    Ok(Report {
        head: Head {
            command: "apsp",
            algorithm: Some(plan.algorithm.name()),
            backend: if device.is_some() { "cuda" } else { "cpu" },
            threads: plan.threads,
            vertices: graph.n_vertices(),
            edges: graph.n_arcs(),
            load_ms: Some(loaded.load_ms),
            solve_ms: Some(solve.median()),
            solve_min_ms: solve.least(common),
        },
        device,
        ranks: None,
        reachable_pairs: table.n_reachable_pairs(),
        distance_sum: table.sum().into(),
        max_distance: distances.max_by(|a, b| Weight::order(*a, *b)).map(Number::of),
    })
}

/// Solves in the folder, and writes the results row by row.
fn solve_in_folder<W: Weight>(
    graph: &Csr<W>,
    scratch: &ScratchFolder,
    loaded: &Loaded,
    request: &Request,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let bar = Bar::new("solving", common);
    let step = |done, total| bar.step(done, total);
    let start = Instant::now();
    let had_run = scratch.holds_run();
    let gpu = backend::gpu_for_pairs(graph.n_vertices(), common)?;
    let gpus = gpu.map(|first| backend::with_others(first, request.gpus)).transpose()?;
    let on_gpu = gpus.map(|gpus| {
        all_pairs_in_on_gpus(&gpus, scratch, graph, &request.config, Some(&step))
            .map(|found| (found, "cuda"))
    });
    let solved = match on_gpu {
        Some(Err(reason)) if common.backend == Backend::Auto && may_do_on_cpu(&reason) => {
            backend::stay_for_pairs(&reason, common)?;
            None
        }
        tried => tried,
    };
    let (found, backend) = solved
        .unwrap_or_else(|| {
            // what the GPU began in this folder, the CPU goes on with
            let scratch = ScratchFolder { resume: scratch.resume || !had_run, ..scratch.clone() };
            let found = all_pairs_in(&scratch, graph, &request.config, Some(&step));
            found.map(|found| (found, "cpu"))
        })
        .map_err(|error| explain(&names, error))
        .inspect_err(|error| {
            if error.is::<Interrupted>() {
                let shown = scratch.path.display();
                say(format_args!("starpath: {shown} keeps what is done; --resume goes on from it"));
            }
        })?;
    let solve_ms = milliseconds(start.elapsed());
    drop(bar);
    let plan = found.plan();
    if common.explain {
        say(format_args!("{plan}"));
    }
    let bar = Bar::new("writing", common);
    let step = |done, total| bar.step(done, total);
    if let Some(output) = &request.distances {
        output.write_stored(&names, &found, &step)?;
    }
    if let Some(output) = &request.next_hops {
        output.write_stored_hops(&names, &found, &step)?;
    }
    let summary = found.summary(Some(&step)).map_err(|error| explain(&names, error))?;
    drop(bar);
    check_interrupt()?;
    Ok(Report {
        head: Head {
            command: "apsp",
            algorithm: Some(plan.algorithm.name()),
            backend,
            threads: plan.threads,
            vertices: graph.n_vertices(),
            edges: graph.n_arcs(),
            load_ms: Some(loaded.load_ms),
            solve_ms: Some(solve_ms),
            solve_min_ms: None,
        },
        device: None,
        ranks: None,
        reachable_pairs: summary.n_reachable_pairs,
        distance_sum: summary.sum.into(),
        max_distance: summary.max.map(Number::of),
    })
}

/// Whether the CPU may still do what a GPU does not: it has other needs of memory, too.
fn may_do_on_cpu(error: &ApspError) -> bool {
    matches!(
        error,
        ApspError::NotOnGpu { .. }
            | ApspError::Gpu(_)
            | ApspError::TooLarge { .. }
            | ApspError::OverMemory { .. }
            | ApspError::ScratchMemory { .. }
    )
}

/// The error with the file's names in it, and the options that help.
fn explain(names: &Names<'_>, error: ApspError) -> anyhow::Error {
    let help = match error {
        ApspError::Search(error) => return names.explain(error),
        ApspError::TooLarge { .. } => " (--scratch DIR)",
        ApspError::OverMemory { .. } => " (--scratch DIR, --memory SIZE)",
        ApspError::ScratchMemory { .. } => " (--memory SIZE, --threads N)",
        ApspError::Scratch(ScratchError::Write { .. } | ScratchError::Started { .. }) => {
            " (--resume)"
        }
        other => return anyhow!(other),
    };
    anyhow!("{error}{help}")
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ranks {
            Some(ranks) => writeln!(f, "{} on each of {ranks} ranks", self.head)?,
            None => writeln!(f, "{}", self.head)?,
        }
        let pairs = grouped(self.reachable_pairs as u128);
        write!(f, "{pairs} pairs have a path; distances sum to {}", self.distance_sum)?;
        match self.max_distance {
            Some(max) => writeln!(f, ", the greatest is {max}"),
            None => writeln!(f),
        }
    }
}
