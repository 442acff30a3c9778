//! Measures of a graph whose weight type is known only when its file has been read.

use std::num::NonZeroUsize;

use gpu_runtime::Gpu;
use graph_formats::{AnyCsr, with_csr};
use hierarchy::Hierarchy;
use paths::Progress;

use crate::betweenness::Scored;
use crate::{
    ApproximateBetweenness, ApproximateConfig, Betweenness, CentralityError, Config, Diameter,
    Lengths, MeasureWeight, Totals, Workers,
};

/// As [`totals`](crate::totals()), by these ranks and GPUs, and by the hierarchy of the graph if it
/// has one.
///
/// # Errors
/// As [`totals`](crate::totals()), [`totals_on_gpus`](crate::totals_on_gpus) and
/// [`totals_by_hierarchy`](crate::totals_by_hierarchy), and where another rank fails.
///
/// ```
/// use centrality::{Config, Workers, any};
/// use graph_formats::{AnyCsr, Csr};
/// use paths::Number;
///
/// let graph = AnyCsr::from(Csr::from_edges(4, &[(0, 1, 1u32), (1, 2, 1), (2, 3, 1)])?);
/// let totals = any::totals(&graph, None, Workers::default(), &Config::default(), None)?;
/// assert_eq!((totals.radius(), totals.diameter()), (Some(Number::U64(2)), Some(Number::U64(3))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn totals(
    graph: &AnyCsr,
    hierarchy: Option<&Hierarchy>,
    workers: Workers<'_>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Totals, CentralityError> {
    with_csr!(graph, |graph| match hierarchy {
        Some(hierarchy) => {
            MeasureWeight::totals_by_sweeps(hierarchy, workers, graph, config, progress)
        }
        None => MeasureWeight::totals(workers, graph, config, progress),
    })
}

/// As [`diameter`](crate::diameter()).
///
/// # Errors
/// The same.
pub fn diameter(
    graph: &AnyCsr,
    lengths: Lengths,
    threads: Option<NonZeroUsize>,
    progress: Option<Progress<'_>>,
) -> Result<Option<Diameter>, CentralityError> {
    with_csr!(graph, |graph| crate::diameter(graph, lengths, threads, progress))
}

/// As [`betweenness`](crate::betweenness()), by these ranks and GPUs.
///
/// # Errors
/// As [`betweenness`](crate::betweenness()) and
/// [`betweenness_on_gpus`](crate::betweenness_on_gpus()), and where another rank fails.
pub fn betweenness(
    graph: &AnyCsr,
    workers: Workers<'_>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Betweenness, CentralityError> {
    with_csr!(graph, |graph| {
        MeasureWeight::betweenness(workers, graph, Scored::Vertices, config, progress)
    })
}

/// As [`arc_betweenness`](crate::arc_betweenness()), by these ranks and GPUs.
///
/// # Errors
/// As [`arc_betweenness`](crate::arc_betweenness()) and
/// [`arc_betweenness_on_gpus`](crate::arc_betweenness_on_gpus()), and where another rank fails.
pub fn arc_betweenness(
    graph: &AnyCsr,
    workers: Workers<'_>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Betweenness, CentralityError> {
    with_csr!(graph, |graph| {
        MeasureWeight::betweenness(workers, graph, Scored::Arcs, config, progress)
    })
}

/// As [`approximate_betweenness_on_gpus`](crate::approximate_betweenness_on_gpus), or where there
/// are none on the CPU.
///
/// # Errors
/// The same.
pub fn approximate_betweenness(
    graph: &AnyCsr,
    gpus: &[Gpu],
    config: &ApproximateConfig,
    progress: Option<Progress<'_>>,
) -> Result<ApproximateBetweenness, CentralityError> {
    with_csr!(graph, |graph| match gpus {
        [] => crate::approximate_betweenness(graph, config, progress),
        _ => crate::approximate_betweenness_on_gpus(gpus, graph, config, progress),
    })
}
