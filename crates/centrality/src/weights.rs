//! The functions of this crate for each of the six weight types, whose code is generated here.
//!
//! As in `sssp`, the methods of [`MeasureWeight`] have no type parameters, so that the code of
//! measures is generated here, and all crates above link to it. Where arcs are counted it is that
//! for a graph without weights, and else that for unsigned ones.

use std::num::NonZeroUsize;

use gpu_runtime::Gpu;
use graph_formats::Csr;
use hierarchy::Hierarchy;
use paths::Progress;
use sssp::SsspError;

use crate::betweenness::Scored;
use crate::parts::Workers;
use crate::search::MeasureKeys;
use crate::{Betweenness, CentralityError, Config, Diameter, Lengths, Totals};

/// A weight type that this crate supports: each of the six. The trait is sealed; its methods are
/// the functions of this crate.
pub trait MeasureWeight: MeasureKeys {
    #[doc(hidden)]
    fn totals(
        workers: Workers<'_>,
        graph: &Csr<Self>,
        config: &Config,
        progress: Option<Progress<'_>>,
    ) -> Result<Totals, CentralityError>;
    #[doc(hidden)]
    fn totals_by_sweeps(
        hierarchy: &Hierarchy,
        workers: Workers<'_>,
        graph: &Csr<Self>,
        config: &Config,
        progress: Option<Progress<'_>>,
    ) -> Result<Totals, CentralityError>;
    #[doc(hidden)]
    fn diameter(
        graph: &Csr<Self>,
        lengths: Lengths,
        threads: Option<NonZeroUsize>,
        progress: Option<Progress<'_>>,
    ) -> Result<Option<Diameter>, CentralityError>;
    #[doc(hidden)]
    fn betweenness(
        workers: Workers<'_>,
        graph: &Csr<Self>,
        scored: Scored,
        config: &Config,
        progress: Option<Progress<'_>>,
    ) -> Result<Betweenness, CentralityError>;
}

macro_rules! measure_weights {
    ($($weight:ty)*) => {$(
        impl MeasureWeight for $weight {
            fn totals(
                workers: Workers<'_>,
                graph: &Csr<Self>,
                config: &Config,
                progress: Option<Progress<'_>>,
            ) -> Result<Totals, CentralityError> {
                crate::search::find(workers, graph, config, progress)
            }
            fn totals_by_sweeps(
                hierarchy: &Hierarchy,
                workers: Workers<'_>,
                graph: &Csr<Self>,
                config: &Config,
                progress: Option<Progress<'_>>,
            ) -> Result<Totals, CentralityError> {
                crate::sweeps::find_by_hierarchy(hierarchy, workers, graph, config, progress)
            }
            fn diameter(
                graph: &Csr<Self>,
                lengths: Lengths,
                threads: Option<NonZeroUsize>,
                progress: Option<Progress<'_>>,
            ) -> Result<Option<Diameter>, CentralityError> {
                crate::diameter::find(graph, lengths, threads, progress)
            }
            fn betweenness(
                workers: Workers<'_>,
                graph: &Csr<Self>,
                scored: Scored,
                config: &Config,
                progress: Option<Progress<'_>>,
            ) -> Result<Betweenness, CentralityError> {
                crate::betweenness::find(workers, graph, scored, config, progress)
            }
        }
    )*};
}

measure_weights! { u32 i32 u64 i64 f32 f64 }

/// Adds up the distances between every vertex and the sources that `config` asks for.
///
/// Tells `progress` how many searches are done. Counting arcs, O(s·m/512) word operations and more
/// where paths have many arcs ([`HopCounter`](breadth_first::HopCounter)); adding weights, a search each. Where
/// distances go out of vertices and arcs have a direction, a copy of the graph is made.
///
/// # Errors
/// Where weights are to be added up and one is negative, a distance overflows its type, memory is
/// refused, or the progress callback ended the work.
///
/// ```
/// use centrality::{Config, Lengths, Side, totals};
/// use graph_formats::Csr;
/// use paths::Number;
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 2.5f32), (1, 2, 4.0)])?;
/// let config = Config { lengths: Lengths::Weights, side: Side::In, ..Config::default() };
/// let totals = totals(&graph, &config, None)?;
/// assert_eq!(totals.eccentricities(), [0.0, 2.5, 6.5].map(Number::F64));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn totals<W: MeasureWeight>(
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Totals, CentralityError> {
    W::totals(Workers::default(), graph, config, progress)
}

/// As [`totals`], on GPUs of this machine. What they do not support is computed on the CPU.
///
/// # Errors
/// As [`totals`], and where a GPU fails, has too little memory, or none is given.
pub fn totals_on_gpus<W: MeasureWeight>(
    gpus: &[Gpu],
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Totals, CentralityError> {
    check_any(gpus)?;
    W::totals(gpus.into(), graph, config, progress)
}

/// An error where no GPU is given.
pub(crate) fn check_any(gpus: &[Gpu]) -> Result<(), SsspError> {
    let reason = || "no GPU was given; use the CPU".to_owned();
    if gpus.is_empty() { Err(SsspError::NotOnGpu { reason: reason() }) } else { Ok(()) }
}

/// As [`totals`](crate::totals()), by the hierarchy of `graph`, on these GPUs, or where there are
/// none on the CPU.
///
/// Whole numbers, and the measures made of them, are the same as those of searches. Floats are
/// added in another order: first the weights of shortcuts, then distances and their reciprocals
/// ([`Metric::totals`](hierarchy::Metric::totals)). So the last digits of sums of floats and of
/// harmonic closeness may differ, also between CPU and GPU. Counting arcs, it is
/// [`totals`](crate::totals()). O(s·arcs of the hierarchy).
///
/// # Errors
/// As [`totals`](crate::totals()), where the hierarchy is of another graph, and where a GPU fails or
/// has too little memory.
///
/// ```
/// use centrality::{Config, Lengths, Side, totals_by_hierarchy};
/// use graph_formats::Csr;
/// use hierarchy::{Hierarchy, Order};
/// use paths::Number;
///
/// let graph = Csr::from_edges(3, &[(0, 1, 2u32), (1, 2, 4)])?;
/// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
/// let config = Config { lengths: Lengths::Weights, ..Config::default() };
/// let totals = totals_by_hierarchy(&hierarchy, &[], &graph, &config, None)?;
/// assert_eq!(totals.eccentricities(), [6, 4, 6].map(Number::U64));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn totals_by_hierarchy<W: MeasureWeight>(
    hierarchy: &Hierarchy,
    gpus: &[Gpu],
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Totals, CentralityError> {
    W::totals_by_sweeps(hierarchy, gpus.into(), graph, config, progress)
}

/// Finds the diameter, `None` of no vertex, on `threads` threads; all threads when that is `None`.
///
/// Reports to `progress` how many vertices are excluded. O(n + m) a search.
///
/// # Errors
/// Where weights are to be added up and one is negative, a distance overflows its type, the system
/// refuses the memory, or the progress callback ended the work.
///
/// ```
/// use centrality::{Lengths, diameter};
/// use graph_formats::Csr;
/// use paths::Number;
///
/// let path: Vec<_> = (0..999).map(|v| (v, v + 1, 2u32)).collect();
/// let path = Csr::from_edges(1000, &path)?;
/// let found = diameter(&path, Lengths::Hops, None, None)?.expect("there are vertices");
/// assert_eq!(found.value, Number::U64(999));
/// assert!(found.n_searches < 10);
/// let weighted = diameter(&path, Lengths::Weights, None, None)?.expect("there are vertices");
/// assert_eq!(weighted.value, Number::U64(1998));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn diameter<W: MeasureWeight>(
    graph: &Csr<W>,
    lengths: Lengths,
    threads: Option<NonZeroUsize>,
    progress: Option<Progress<'_>>,
) -> Result<Option<Diameter>, CentralityError> {
    W::diameter(graph, lengths, threads, progress)
}

/// Finds the betweenness of every vertex, from the shortest paths that begin, or by the side of
/// `config` end, at its sources. If all vertices are sources, both sides give the same.
///
/// The ends of a path count only with [`Config::endpoints`]. Parallel arcs are different paths, as in igraph.
/// Loops are on no path. In weights, paths are shortest where the sums of their weights are the
/// same number: sums of floats are rounded, and then may differ. [`Config::tie_tolerance`] counts
/// paths that are longer by so little.
///
/// Tells `progress` how many sources are done. O(s·(n + m)), besides the searches in weights; up to
/// 256 bytes a vertex and 12 an arc for each thread, and in hops a copy of the graph.
///
/// # Errors
/// Where weights are to be added up and an arc makes a path no longer, or shorter, a distance
/// overflows its type, the tolerance is not in 0..1, or the progress callback ended the work.
///
/// ```
/// use centrality::{Config, betweenness};
/// use graph_formats::Csr;
///
/// // from 0 to 3 there are two paths, and on to 4 as well
/// let graph = Csr::from_arcs(5, &[(0, 1, 1u32), (0, 2, 1), (1, 3, 1), (2, 3, 1), (3, 4, 1)])?;
/// let found = betweenness(&graph, &Config::default(), None)?;
/// assert_eq!(found.raw(), [0.0, 1.0, 1.0, 3.0, 0.0]);
/// assert_eq!(found.normalised()[3], 3.0 / 12.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn betweenness<W: MeasureWeight>(
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Betweenness, CentralityError> {
    W::betweenness(Workers::default(), graph, Scored::Vertices, config, progress)
}

/// As [`betweenness`], on GPUs of this machine, which share the sources.
///
/// Sources are taken in batches of 32, or of fewer where memory is short. Every sum is the same in
/// every run with batches of the same size, on however many GPUs. Numbers of paths and sums are
/// `f64`, added in another order than on the CPU, so the last digits may differ.
///
/// O(l·(n + m)) for a batch, where its sources find a vertex on l different levels; in weights,
/// searches besides. Each batch that is searched at the same time has 550 bytes a vertex, in weights
/// 1,040 to 1,160. The graph has 4 an arc, in weights 20 to 36, and as much again if it is directed.
///
/// # Errors
/// As [`betweenness`], and where a GPU fails, has too little memory for one source, or none is
/// given.
pub fn betweenness_on_gpus<W: MeasureWeight>(
    gpus: &[Gpu],
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Betweenness, CentralityError> {
    check_any(gpus)?;
    W::betweenness(gpus.into(), graph, Scored::Vertices, config, progress)
}

/// Finds the betweenness of every arc, by its position in the graph: as [`betweenness`], of paths
/// that go along it. The first arc of a path and the last count too.
///
/// An edge of an undirected graph is two arcs, and each counts the paths in its direction. Parallel
/// arcs share paths; in weights, heavier ones have none. Loops have none.
///
/// Tells `progress` how many sources are done. O(s·(n + m)), besides the searches in weights; up to
/// 256 bytes a vertex and 20 an arc for each thread, 48 more an arc, and in hops a copy of the graph.
///
/// # Errors
/// As [`betweenness`], and where memory is refused.
///
/// ```
/// use centrality::{Config, arc_betweenness};
/// use graph_formats::Csr;
///
/// // from 0 to 3 there are two paths, and on to 4 as well
/// let graph = Csr::from_arcs(5, &[(0, 1, 1u32), (0, 2, 1), (1, 3, 1), (2, 3, 1), (3, 4, 1)])?;
/// let found = arc_betweenness(&graph, &Config::default(), None)?;
/// assert_eq!(found.raw(), [2.0, 2.0, 3.0, 3.0, 4.0]);
/// assert_eq!(found.normalised()[4], 4.0 / 20.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn arc_betweenness<W: MeasureWeight>(
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Betweenness, CentralityError> {
    W::betweenness(Workers::default(), graph, Scored::Arcs, config, progress)
}

/// As [`arc_betweenness`], on GPUs of this machine: as [`betweenness_on_gpus`], and 8 bytes more for
/// each arc and batch.
///
/// # Errors
/// As [`arc_betweenness`], and where a GPU fails, has too little memory for one source, or none is
/// given.
pub fn arc_betweenness_on_gpus<W: MeasureWeight>(
    gpus: &[Gpu],
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Betweenness, CentralityError> {
    check_any(gpus)?;
    W::betweenness(gpus.into(), graph, Scored::Arcs, config, progress)
}
