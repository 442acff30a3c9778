//! Solvers for a GPU.
//!
//! They are behind [`Solver::on_gpu`](crate::Solver::on_gpu). A build without the feature
//! `cuda` has all of this, but no [`Gpu`](gpu_runtime::Gpu) to call it with.

mod bellman_ford;
mod buckets;
mod crauser;
mod csr;
mod delta_stepping;
mod dijkstra;
mod edge_kernels;
mod edge_predecessors;
pub(crate) mod engine;
mod extract_min;
mod graph;
mod instead;
mod kernels;
#[cfg(test)]
mod layout;
mod many_sources;
mod memory;
mod negative_cycle;
mod predecessors;
mod prepare;
mod queue;
mod spmv;
mod spmv_matrix;
mod stepping_engine;
mod trial;
mod tried;
mod typed_distances;
mod typed_engine;
mod watch;
mod word_engine;
mod words;

pub use extract_min::ExtractMin;

use crate::SsspError;

/// Most arcs of a graph on a device: kernels number them with 32 bits, and their loops
/// step beyond the last one by less than what is left.
const MOST_ARCS: usize = (u32::MAX - (1 << 16)) as usize;

/// Most vertices, and targets: loops over them step by up to as many as there are threads.
const MOST_VERTICES: usize = (u32::MAX - (1 << 20)) as usize;

/// An error for a graph of too many vertices or arcs.
fn check_size(n_vertices: usize, n_arcs: usize) -> Result<(), SsspError> {
    for (n, most, what) in [(n_vertices, MOST_VERTICES, "vertices"), (n_arcs, MOST_ARCS, "arcs")] {
        if n > most {
            let reason = format!("it takes up to {most} {what}, and this graph has {n}");
            return Err(SsspError::NotOnGpu { reason });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use gpu_runtime::Gpu;

    /// The first GPU, or `None` and a word about it.
    pub(super) fn gpu() -> Option<Gpu> {
        match Gpu::open() {
            Ok(gpu) => Some(gpu),
            Err(reason) => {
                let required = std::env::var_os("STARPATH_REQUIRE_GPU").is_some_and(|v| v == "1");
                assert!(!required, "STARPATH_REQUIRE_GPU=1, but {reason}");
                println!("SKIPPED: {reason}");
                None
            }
        }
    }
}
