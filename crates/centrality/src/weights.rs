//! The weight types, and where the code for each is generated.
//!
//! As in `sssp`, the methods of [`MeasureWeight`] have no type parameters, so that the code of
//! measures is generated here, and all crates above link to it. Where arcs are counted it is that
//! for a graph without weights, and else that for unsigned ones.

use std::num::NonZeroUsize;

use gpu_runtime::Gpu;
use graph_formats::Csr;
use hierarchy::{Hierarchy, MetricWeight};
use paths::Progress;
use sssp::SearchWeight;

use crate::{
    Betweenness, CentralityError, Config, Diameter, Lengths, Totals, betweenness, diameter, search,
    sweeps,
};

/// A weight type that measures are found for: each of the six. The trait is sealed; its methods are
/// the functions of this crate.
pub trait MeasureWeight:
    SearchWeight + MetricWeight<Unsigned: SearchWeight + MetricWeight>
{
    #[doc(hidden)]
    fn totals(
        gpus: &[Gpu],
        graph: &Csr<Self>,
        config: &Config,
        progress: Option<Progress<'_>>,
    ) -> Result<Totals, CentralityError>;
    #[doc(hidden)]
    fn totals_by_sweeps(
        hierarchy: &Hierarchy,
        gpus: &[Gpu],
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
        graph: &Csr<Self>,
        config: &Config,
        progress: Option<Progress<'_>>,
    ) -> Result<Betweenness, CentralityError>;
}

macro_rules! measure_weights {
    ($($weight:ty)*) => {$(
        impl MeasureWeight for $weight {
            fn totals(
                gpus: &[Gpu],
                graph: &Csr<Self>,
                config: &Config,
                progress: Option<Progress<'_>>,
            ) -> Result<Totals, CentralityError> {
                search::find(gpus, graph, config, progress)
            }
            fn totals_by_sweeps(
                hierarchy: &Hierarchy,
                gpus: &[Gpu],
                graph: &Csr<Self>,
                config: &Config,
                progress: Option<Progress<'_>>,
            ) -> Result<Totals, CentralityError> {
                sweeps::find_by_hierarchy(hierarchy, gpus, graph, config, progress)
            }
            fn diameter(
                graph: &Csr<Self>,
                lengths: Lengths,
                threads: Option<NonZeroUsize>,
                progress: Option<Progress<'_>>,
            ) -> Result<Option<Diameter>, CentralityError> {
                diameter::find(graph, lengths, threads, progress)
            }
            fn betweenness(
                graph: &Csr<Self>,
                config: &Config,
                progress: Option<Progress<'_>>,
            ) -> Result<Betweenness, CentralityError> {
                betweenness::find(graph, config, progress)
            }
        }
    )*};
}

measure_weights! { u32 i32 u64 i64 f32 f64 }
