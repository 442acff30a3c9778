//! The weight types, and where the code for each is generated.
//!
//! As in `sssp`, the methods of [`PairsWeight`] have no type parameters, so that the code of the
//! solvers is generated here, once for each of the six types, and all crates above link to it. What
//! is new and generic, and has a loop, is reached through a method here.

use std::io::Write;

use collectives::{Communicator, RanksError};
use graph_formats::{Csr, VertexId, Weight};
use sssp::{Progress, SearchWeight};

use crate::ranks::TakeRow;
use crate::{ApspError, DevicePairs, InFolder, Ordered, Pairs, RankPairs, Solver, Summary};

/// The lengths of a graph's paths.
type Length<W> = <W as Weight>::Distance;

/// A weight type that all pairs are found for: each of the six. The trait is sealed; its methods
/// are those of [`Solver`] and of what it returns.
pub trait PairsWeight: SearchWeight {
    /// Weights that potentials have raised, which are not negative: numbers as wide as distances.
    #[doc(hidden)]
    type Raised: SearchWeight;

    #[doc(hidden)]
    fn pairs_order(
        solver: &Solver<'_, Csr<Self>>,
        progress: Option<Progress<'_>>,
    ) -> Result<Ordered, ApspError>;
    #[doc(hidden)]
    fn pairs(
        solver: Solver<'_, Csr<Self>>,
        progress: Option<Progress<'_>>,
    ) -> Result<Pairs<Self>, ApspError>;
    #[doc(hidden)]
    fn pairs_on_gpus(
        solver: Solver<'_, Csr<Self>>,
        progress: Option<Progress<'_>>,
    ) -> Result<DevicePairs<Self>, ApspError>;
    #[doc(hidden)]
    fn pairs_over(
        solver: Solver<'_, Csr<Self>>,
        ranks: &dyn Communicator,
        progress: Option<Progress<'_>>,
    ) -> Result<RankPairs<Self>, ApspError>;
    #[doc(hidden)]
    fn pairs_in_folder(
        solver: InFolder<'_, Csr<Self>>,
        ranks: &dyn Communicator,
        progress: Option<Progress<'_>>,
    ) -> Result<Option<Pairs<Self>>, ApspError>;
    #[doc(hidden)]
    fn row_on_gpus(
        pairs: &DevicePairs<Self>,
        source: VertexId,
    ) -> Result<Vec<Option<Length<Self>>>, ApspError>;
    #[doc(hidden)]
    fn summary(
        pairs: &Pairs<Self>,
        progress: Option<Progress<'_>>,
    ) -> Result<Summary<Length<Self>>, ApspError>;
    #[doc(hidden)]
    fn write_npy(
        pairs: &Pairs<Self>,
        out: &mut dyn Write,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError>;
    #[doc(hidden)]
    fn summary_over(
        pairs: &RankPairs<Self>,
        ranks: &dyn Communicator,
    ) -> Result<Summary<Length<Self>>, RanksError>;
    #[doc(hidden)]
    fn gather_rows(
        pairs: &RankPairs<Self>,
        ranks: &dyn Communicator,
        take: TakeRow<'_, Length<Self>>,
    ) -> Result<(), RanksError>;
    #[doc(hidden)]
    fn write_npy_over(
        pairs: &RankPairs<Self>,
        ranks: &dyn Communicator,
        out: Option<&mut dyn Write>,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError>;
}

macro_rules! pairs_weights {
    ($($weight:ty: $raised:ty;)*) => {$(
        impl PairsWeight for $weight {
            type Raised = $raised;

            fn pairs_order(
                solver: &Solver<'_, Csr<Self>>,
                progress: Option<Progress<'_>>,
            ) -> Result<Ordered, ApspError> {
                solver.find_order(progress)
            }
            fn pairs(
                solver: Solver<'_, Csr<Self>>,
                progress: Option<Progress<'_>>,
            ) -> Result<Pairs<Self>, ApspError> {
                solver.find(progress)
            }
            fn pairs_on_gpus(
                solver: Solver<'_, Csr<Self>>,
                progress: Option<Progress<'_>>,
            ) -> Result<DevicePairs<Self>, ApspError> {
                solver.find_on_gpus(progress)
            }
            fn pairs_over(
                solver: Solver<'_, Csr<Self>>,
                ranks: &dyn Communicator,
                progress: Option<Progress<'_>>,
            ) -> Result<RankPairs<Self>, ApspError> {
                solver.find_over(ranks, progress)
            }
            fn pairs_in_folder(
                solver: InFolder<'_, Csr<Self>>,
                ranks: &dyn Communicator,
                progress: Option<Progress<'_>>,
            ) -> Result<Option<Pairs<Self>>, ApspError> {
                solver.find(ranks, progress)
            }
            fn row_on_gpus(
                pairs: &DevicePairs<Self>,
                source: VertexId,
            ) -> Result<Vec<Option<Length<Self>>>, ApspError> {
                pairs.bring_row(source)
            }
            fn summary(
                pairs: &Pairs<Self>,
                progress: Option<Progress<'_>>,
            ) -> Result<Summary<Length<Self>>, ApspError> {
                pairs.summarize(progress)
            }
            fn write_npy(
                pairs: &Pairs<Self>,
                out: &mut dyn Write,
                progress: Option<Progress<'_>>,
            ) -> Result<(), ApspError> {
                pairs.write_distances(out, progress)
            }
            fn summary_over(
                pairs: &RankPairs<Self>,
                ranks: &dyn Communicator,
            ) -> Result<Summary<Length<Self>>, RanksError> {
                pairs.summarize(ranks)
            }
            fn gather_rows(
                pairs: &RankPairs<Self>,
                ranks: &dyn Communicator,
                take: TakeRow<'_, Length<Self>>,
            ) -> Result<(), RanksError> {
                pairs.gather_distances(ranks, take)
            }
            fn write_npy_over(
                pairs: &RankPairs<Self>,
                ranks: &dyn Communicator,
                out: Option<&mut dyn Write>,
                progress: Option<Progress<'_>>,
            ) -> Result<(), ApspError> {
                pairs.write_distances(ranks, out, progress)
            }
        }
    )*};
}

pairs_weights! {
    u32: u64;
    i32: i64;
    u64: u64;
    i64: u64;
    f32: f32;
    f64: f64;
}
