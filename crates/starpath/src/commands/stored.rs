//! `starpath apsp --scratch`: all pairs of a graph whose matrix is kept in a folder.

use std::time::Instant;

use apsp::{ScratchFolder, all_pairs_in, all_pairs_in_on_gpu};
use graph_formats::{Csr, Weight};

use super::apsp::{Report, Request, explain, may_do_on_cpu};
use crate::backend;
use crate::cli::{Backend, Common};
use crate::failure::{Interrupted, say};
use crate::load::Loaded;
use crate::progress::{Bar, check_interrupt};
use crate::report::{Head, Number, milliseconds};

/// Solves in the folder, and writes the results row by row.
pub(super) fn solve<W: Weight>(
    graph: &Csr<W>,
    scratch: &ScratchFolder,
    loaded: &Loaded,
    request: &Request,
    common: &Common,
) -> anyhow::Result<Report>
where
    W::Distance: Weight<Distance = W::Distance>,
{
    let names = loaded.names();
    let bar = Bar::new("solving", common);
    let step = |done, total| bar.step(done, total);
    let start = Instant::now();
    let had_run = scratch.holds_run();
    let on_gpu = backend::gpu_for_pairs(graph.n_vertices(), common)?.map(|gpu| {
        all_pairs_in_on_gpu(&gpu, scratch, graph, &request.config, Some(&step))
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
        reachable_pairs: summary.n_reachable_pairs,
        distance_sum: summary.sum.into(),
        max_distance: summary.max.map(Number::of),
    })
}
