//! Johnson's algorithm with its searches on GPUs: a table of all vertices, whose sources they share.
//!
//! Potentials, where weights are negative, and next hops are the processor's. Each GPU has the graph
//! and what its searches take, whatever n is; rows come to the host as they are found.
//!
//! Reference: johnson-1977

use std::time::Instant;

use collectives::Alone;
use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId};
use sssp::{Progress, SsspError};

use crate::host::{all_rows, johnson};
use crate::pairs::{Rows, milliseconds};
use crate::potentials::potentials;
use crate::ranks::check_memory;
use crate::width::Narrow;
use crate::{ApspError, Config, Pairs, PairsWeight, Plan, Report, hops};

/// By these GPUs.
pub(super) fn solve<W: PairsWeight>(
    gpus: &[Gpu],
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Pairs<W>, ApspError> {
    if gpus.is_empty() {
        return Err(ApspError::NotOnGpu { reason: "none was named".to_owned() });
    }
    let plan = Plan::new(graph, config, Narrow::Never, progress)?;
    let share = all_rows(graph.n_vertices());
    check_memory(graph, share, &plan, config)?;
    let sources: Vec<VertexId> = graph.vertices().collect();
    let searches = sssp::Config { threads: config.threads, ..sssp::Config::default() };
    let jit_ms = || gpus.iter().map(Gpu::jit_ms).sum::<f64>();
    let (start, jit_before) = (Instant::now(), jit_ms());
    let found = match graph.first_negative() {
        None => johnson::search(&Alone, gpus, graph, &sources, &searches, progress),
        Some(_) => {
            let potentials = potentials(graph, config.threads, progress)?;
            johnson::search_with(&Alone, gpus, graph, &sources, &potentials, &searches, progress)
        }
    };
    let distances = found.map_err(|error| match error {
        ApspError::Search(SsspError::Gpu(error)) => ApspError::Gpu(error),
        ApspError::Search(SsspError::NotOnGpu { reason }) => ApspError::NotOnGpu { reason },
        other => other,
    })?;
    let jit_ms = jit_ms() - jit_before;
    let solve_ms = milliseconds(start) - jit_ms;
    let mut report = Report { jit_ms, solve_ms, ..Report::default() };
    let (distances, next_hops) = match config.next_hops {
        false => (distances, None),
        true => {
            let (ranks, threads) = (&Alone, plan.threads);
            let work = hops::Work { ranks, graph, share, threads, progress };
            let (distances, hops) = work.find(distances, &mut report)?;
            (distances, Some(hops))
        }
    };
    Ok(Pairs { plan, report, rows: Rows::in_memory(distances, next_hops) })
}
