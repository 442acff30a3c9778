//! `starpath apsp` by the processes that `mpirun` has started.
//!
//! Rank 0 reads the graph, sends it to the others, and writes the rows that they send or leave in a
//! folder. The other ranks compute their rows and print nothing.

use std::ops::ControlFlow;
use std::slice;

use apsp::any::{check_rows, spread};
use apsp::{Algorithm, ApspError, ScratchFolder, Solver};
use collectives::Communicator;
use gpu_runtime::Gpu;
use graph_formats::AnyCsr;

use super::{Device, Found, Matrix, Outputs, Report, Results, config, say_kept, scratch_folder};
use crate::backend;
use crate::cli::{ApspArgs, Backend, Common};
use crate::failure::say;
use crate::ids::Names;
use crate::load::{Loaded, load};
use crate::output::{Mark, ResultFile};
use crate::progress::progress;
use crate::ranks::{agree, refuse, share_graph};
use crate::report::{Head, Sums, by_ranks};
use crate::search::repeated_by;

/// What only rank 0 has.
struct Root {
    loaded: Loaded,
    outputs: Outputs,
}

/// As [`run`](super::run), called by all ranks.
pub(crate) fn run_over(
    ranks: &dyn Communicator,
    args: &ApspArgs,
    common: &Common,
) -> anyhow::Result<()> {
    args.check(common)?;
    refuse("--gpus", args.gpus.is_some())?;
    refuse("--changes", !args.changes.is_empty())?;
    refuse("--algorithm supernodes", args.algorithm == Algorithm::Supernodes)?;
    let gpu = match common.backend {
        Backend::Cuda => Some(agree(ranks, backend::gpu_of_rank(ranks, args.memory))?),
        Backend::Auto | Backend::Cpu => None,
    };
    let root = agree(ranks, ranks.is_root().then(|| Root::new(args, common)).transpose())?;
    let graph = share_graph(ranks, root.as_ref().map(|root| &root.loaded.csr))?;
    let work = Work { ranks, gpu: gpu.as_ref(), root: root.as_ref(), args, common };
    let report = match scratch_folder(args) {
        Some(folder) => work.solve_in(&folder, &graph)?,
        None => Some(work.solve(&graph)?),
    };
    match root.zip(report) {
        Some((root, report)) => root.loaded.print(Ok(report), common),
        None => Ok(()),
    }
}

impl Root {
    fn mark(&self) -> anyhow::Result<Option<Mark>> {
        self.outputs.mark(&self.loaded.csr, &self.loaded.path)
    }

    fn new(args: &ApspArgs, common: &Common) -> anyhow::Result<Self> {
        Ok(Self { outputs: Outputs::check(args)?, loaded: load(&args.graph, common)? })
    }
}

/// What to find, and the ranks that share the work.
struct Work<'a> {
    ranks: &'a dyn Communicator,
    gpu: Option<&'a Gpu>,
    root: Option<&'a Root>,
    args: &'a ApspArgs,
    common: &'a Common,
}

impl Work<'_> {
    /// Solves with the matrix in a folder, from which rank 0 writes the results as one process
    /// would.
    fn solve_in(&self, folder: &ScratchFolder, graph: &AnyCsr) -> anyhow::Result<Option<Report>> {
        let Self { ranks, gpu, root, args, common } = *self;
        let names = root.map_or(Names::numbers(graph.n_vertices()), |root| root.loaded.names());
        let config = config(args, common);
        let step = progress("solving", common);
        let found = repeated_by(ranks, common, || {
            let solver = Solver::new(graph, &config);
            let solver = gpu.map_or(solver, |gpu| solver.on(slice::from_ref(gpu)));
            let found = solver.in_folder(folder).solve_over(ranks, Some(&step));
            found.map_err(|error| names.explain(error))
        });
        drop(step);
        let (pairs, times) = found.inspect_err(|error| say_kept(error, Some(folder)))?;
        let report = pairs.zip(root).map(|(pairs, root)| {
            let found = Found {
                pairs,
                gpus: gpu.map(|gpu| vec![gpu.clone()]),
                ranks: Some(ranks.size()),
                in_memory: false,
                times,
            };
            let report = found.write(&root.loaded, &root.outputs, common);
            report.map_err(|error| names.explain(error))
        });
        agree(ranks, report.transpose())
    }

    fn solve(&self, graph: &AnyCsr) -> anyhow::Result<Report> {
        let Self { ranks, gpu, root, args, common } = *self;
        let names = root.map_or(Names::numbers(graph.n_vertices()), |root| root.loaded.names());
        let step = progress("solving", common);
        let config = config(args, common);
        let mut solve_ms = Vec::new();
        let (found, whole_ms) = repeated_by(ranks, common, || {
            let solver = Solver::new(graph, &config);
            let solver = gpu.map_or(solver, |gpu| solver.on(slice::from_ref(gpu)));
            let found = solver.solve_over(ranks, Some(&step));
            if let Err(error @ ApspError::RankLost { .. }) = found {
                eprintln!("starpath: rank {}: {error}", ranks.rank());
                ranks.abort(1);
            }
            if let Ok(found) = &found {
                solve_ms.push(found.report().solve_ms);
            }
            found.map_err(|error| names.explain(error))
        })?;
        drop(step);
        let (plan, summary) = (found.plan(), found.summary(ranks)?);
        if common.explain {
            say(format_args!("{}", by_ranks(plan, Some(ranks.size()))));
        }
        let checked_rows = args.check.map(|n_rows| {
            let place = |source| found.sources().binary_search(&source);
            let own = spread(graph.n_vertices(), n_rows).filter(|&v| place(v).is_ok());
            let row = |source| found.row(place(source).unwrap_or_default());
            let n_own = check_rows(graph, common.threads, own, row);
            let n_own = agree(ranks, n_own.map_err(|error| names.explain(error)))?;
            Ok::<_, anyhow::Error>(ranks.sum(n_own as u64)? as usize)
        });
        let checked_rows = checked_rows.transpose()?;
        let step = progress("writing", common);
        let outputs = root.map(|root| &root.outputs);
        let mark = agree(ranks, root.map(|root| root.mark()).transpose())?;
        let mark = mark.flatten();
        if args.distances.is_some() {
            let output = outputs.and_then(|outputs| outputs.distances.as_ref());
            let file = agree(ranks, output.map(ResultFile::create).transpose())?;
            let written = match output.zip(file).zip(mark.as_ref()) {
                Some(((output, file), mark)) => {
                    output.write_gathered(file, (&names, mark), ranks, &*found, &step)
                }
                None => Ok(found.gather_rows(ranks, &mut |_, _| ControlFlow::Continue(()))?),
            };
            agree(ranks, written)?;
        }
        if args.next_hops.is_some() {
            let output = outputs.and_then(|outputs| outputs.next_hops.as_ref());
            let file = agree(ranks, output.map(ResultFile::create).transpose())?;
            let written = match output.zip(file).zip(mark.as_ref()) {
                Some(((output, file), mark)) => {
                    output.write_gathered_hops(file, (&names, mark), ranks, &*found, &step)
                }
                None => Ok(found.write_next_hops_npy(ranks, None, None)?),
            };
            agree(ranks, written)?;
        }
        drop(step);
        // copies to and from GPUs are reported apart from the solving
        let times = if gpu.is_some() { solve_ms } else { whole_ms };
        Ok(Report {
            head: Head {
                backend: if gpu.is_some() { "cuda" } else { "cpu" },
                threads: plan.threads,
                load_ms: root.map(|root| root.loaded.load_ms),
                ..Head::of("apsp", graph).solved(plan.algorithm.name(), &times, common)
            },
            matrix: Matrix::of(plan),
            device: gpu.map(|gpu| Device::of(slice::from_ref(gpu), found.report())),
            order_ms: None,
            ranks: Some(ranks.size()),
            results: Results {
                reachable_pairs: summary.n_reachable_pairs,
                sums: Sums::of(summary.sum, summary.max),
                checked_rows,
            },
        })
    }
}
