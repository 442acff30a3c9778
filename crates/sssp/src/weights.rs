//! The weight types, and where the code for each is generated.
//!
//! The compiler generates a generic function anew in every crate that calls it with a type. The
//! methods of [`SearchWeight`] have no type parameters, so that the code of the solvers is
//! generated here, once for each of the six types, and all crates above link to it. The public
//! generic functions only call these methods. What is new and generic, and has a loop, is reached
//! through a method here.

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId, Weight};
use paths::{DistanceTable, Distances, Nearest, Predecessors, Tree};

use crate::gpu::{self, Arrays, DeviceSolver};
use crate::key::{FullKeys, KeyArithmetic, U32Keys};
use crate::{Config, Found, Goal, HopSums, Path, Solver, SsspError, Trees};
use crate::{k_paths, predecessors};

/// What an answer is, or why there is none.
type Answer<T> = Result<T, SsspError>;

/// The lengths of a graph's paths.
type Length<W> = <W as Weight>::Distance;

mod sealed {
    use super::*;

    /// The numbers that searches compare.
    pub trait Keys: Weight {
        /// Keys of 32 bits, where distances may be whole.
        type NarrowKeys: KeyArithmetic<Self::Unsigned>;
    }
}

/// A weight type that searches take: each of the six. The trait is sealed; its methods are those
/// of [`Solver`] and the functions of this crate.
pub trait SearchWeight: sealed::Keys {
    #[doc(hidden)]
    fn solver_on_cpu<'g>(graph: &'g Csr<Self>, config: &Config) -> Answer<Solver<'g, Self>>;
    #[doc(hidden)]
    fn solver_on_gpus<'g>(
        gpus: &[Gpu],
        graph: &'g Csr<Self>,
        config: &gpu::Config,
    ) -> Answer<Solver<'g, Self>>;
    #[doc(hidden)]
    fn distances(
        solver: &mut Solver<'_, Self>,
        source: VertexId,
        goal: Goal<Length<Self>>,
    ) -> Answer<Found<Distances<Length<Self>>>>;
    #[doc(hidden)]
    fn tree(
        solver: &mut Solver<'_, Self>,
        source: VertexId,
        goal: Goal<Length<Self>>,
    ) -> Answer<Found<Tree<Self>>>;
    #[doc(hidden)]
    fn table(
        solver: &mut Solver<'_, Self>,
        sources: &[VertexId],
        targets: &[VertexId],
    ) -> Answer<Found<DistanceTable<Self>>>;
    #[doc(hidden)]
    fn trees(
        solver: &mut Solver<'_, Self>,
        sources: &[VertexId],
        goal: Goal<Length<Self>>,
    ) -> Answer<Found<Trees<DistanceTable<Self>>>>;
    #[doc(hidden)]
    fn nearest(solver: &mut Solver<'_, Self>, sources: &[VertexId])
    -> Answer<Found<Nearest<Self>>>;
    #[doc(hidden)]
    fn hop_sums(solver: &mut Solver<'_, Self>, sources: &[VertexId]) -> Answer<Found<HopSums>>;
    #[doc(hidden)]
    fn paths(
        solver: &mut Solver<'_, Self>,
        source: VertexId,
        target: VertexId,
        k: usize,
    ) -> Answer<Found<Vec<Path<Length<Self>>>>>;
    #[doc(hidden)]
    fn paths_by(
        graph: &Csr<Self>,
        ends: [VertexId; 2],
        k: usize,
        to_target: &mut dyn FnMut(VertexId) -> Option<Length<Self>>,
    ) -> Answer<Vec<Path<Length<Self>>>>;
    #[doc(hidden)]
    fn predecessors(
        graph: &Csr<Self>,
        source: VertexId,
        distances: &Distances<Length<Self>>,
    ) -> Answer<Predecessors>;
    #[doc(hidden)]
    fn device_solver(gpu: &Gpu, arrays: &Arrays<'_, Self>) -> Answer<DeviceSolver<Self>>;
}

macro_rules! search_weights {
    ($($weight:ty: $narrow:ty;)*) => {$(
        impl sealed::Keys for $weight {
            type NarrowKeys = $narrow;
        }

        impl SearchWeight for $weight {
            fn solver_on_cpu<'g>(graph: &'g Csr<Self>, config: &Config) -> Answer<Solver<'g, Self>> {
                Solver::on_cpu(graph, config)
            }
            fn solver_on_gpus<'g>(
                gpus: &[Gpu],
                graph: &'g Csr<Self>,
                config: &gpu::Config,
            ) -> Answer<Solver<'g, Self>> {
                Solver::on_all(gpus, graph, config)
            }
            fn distances(
                solver: &mut Solver<'_, Self>,
                source: VertexId,
                goal: Goal<Length<Self>>,
            ) -> Answer<Found<Distances<Length<Self>>>> {
                solver.find_distances(source, goal)
            }
            fn tree(
                solver: &mut Solver<'_, Self>,
                source: VertexId,
                goal: Goal<Length<Self>>,
            ) -> Answer<Found<Tree<Self>>> {
                solver.find_tree(source, goal)
            }
            fn table(
                solver: &mut Solver<'_, Self>,
                sources: &[VertexId],
                targets: &[VertexId],
            ) -> Answer<Found<DistanceTable<Self>>> {
                solver.find_table(sources, targets)
            }
            fn trees(
                solver: &mut Solver<'_, Self>,
                sources: &[VertexId],
                goal: Goal<Length<Self>>,
            ) -> Answer<Found<Trees<DistanceTable<Self>>>> {
                solver.find_trees(sources, goal)
            }
            fn nearest(
                solver: &mut Solver<'_, Self>,
                sources: &[VertexId],
            ) -> Answer<Found<Nearest<Self>>> {
                solver.find_nearest(sources)
            }
            fn hop_sums(
                solver: &mut Solver<'_, Self>,
                sources: &[VertexId],
            ) -> Answer<Found<HopSums>> {
                solver.find_hop_sums(sources)
            }
            fn paths(
                solver: &mut Solver<'_, Self>,
                source: VertexId,
                target: VertexId,
                k: usize,
            ) -> Answer<Found<Vec<Path<Length<Self>>>>> {
                solver.find_paths(source, target, k)
            }
            fn paths_by(
                graph: &Csr<Self>,
                ends: [VertexId; 2],
                k: usize,
                to_target: &mut dyn FnMut(VertexId) -> Option<Length<Self>>,
            ) -> Answer<Vec<Path<Length<Self>>>> {
                k_paths::by_distances(graph, ends, k, to_target)
            }
            fn predecessors(
                graph: &Csr<Self>,
                source: VertexId,
                distances: &Distances<Length<Self>>,
            ) -> Answer<Predecessors> {
                predecessors::checked_from_distances(graph, source, distances)
            }
            fn device_solver(gpu: &Gpu, arrays: &Arrays<'_, Self>) -> Answer<DeviceSolver<Self>> {
                DeviceSolver::of_arrays(gpu, arrays)
            }
        }
    )*};
}

search_weights! {
    u32: U32Keys;
    i32: U32Keys;
    u64: U32Keys;
    i64: U32Keys;
    f32: FullKeys;
    f64: FullKeys;
}
