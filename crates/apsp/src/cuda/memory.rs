//! The memory that all pairs need on a GPU and on the host, computed before the work.

use gpu_runtime::{Gpu, GpuError};
use graph_formats::Weight;
use pivots::Blocks;
use published::pairs::{Form, OutOfCore, Parameters};

use super::arcs::DeviceArcs;
use super::arithmetic::Arithmetic;
use super::cut::Cut;
use super::next_hops::COLUMNS;
use crate::error::check_memory;
use crate::hops::{bytes_of_hops, bytes_of_work};
use crate::job::Job;
use crate::pairs::Table;
use crate::{Algorithm, ApspError, Config};

/// The bytes that one solve needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Need {
    n_vertices: usize,
    /// Bytes of a GPU's memory, its share of the matrix included. Next hops are found there too
    /// only if memory is left when the matrix is closed.
    pub(super) on_gpu: u64,
    /// Bytes of the host's memory.
    on_host: u128,
}

impl Need {
    /// The bytes that a rank with `n_gpus` GPUs needs.
    pub(super) fn of<W: Weight>(
        job: &Job<'_, W>,
        algorithm: Algorithm,
        arithmetic: Arithmetic,
        n_gpus: usize,
    ) -> Self {
        let Job { ranks, graph, config, .. } = *job;
        let (n, n_parts) = (graph.n_vertices(), n_gpus * ranks.size());
        let cut = Cut::on_gpus(arithmetic, n, n_parts);
        let rows = Blocks { n_rows: n, n_parts: ranks.size(), ..cut.blocks }.share(ranks.rank());
        let side = arithmetic.side(n);
        let bytes = |words: usize| words as u128 * size_of::<u32>() as u128;
        let square = bytes(side) * arithmetic.stride(side) as u128;
        // the matrix as it is copied back, with what the form needs on the host
        let mut matrix = square;
        let on_gpu = u128::from(DeviceArcs::bytes(graph, arithmetic));
        let on_gpu = match algorithm {
            Algorithm::Published(Form::BlockedOutOfCore) => {
                let panels = u128::from(OutOfCore::bytes(side));
                // columns transposed, and no arcs on the GPU
                matrix += panels / 2;
                panels
            }
            Algorithm::Published(form) => {
                on_gpu + square * (1 + parameters(config).n_matrices_beside(form) as u128)
            }
            _ => on_gpu + bytes(cut.blocks.most_rows() * cut.stride()) + u128::from(cut.bytes()),
        };
        let (hops, hops_work) = match config.next_hops {
            true => (bytes_of_hops(rows), bytes_of_work(graph, rows)),
            false => (0, 0),
        };
        // after the matrix the work on next hops, or beside it the hops that GPUs find
        let beside = if ranks.size() > 1 {
            // at most this part of the matrix is copied back at a time
            bytes(cut.blocks.block_rows * cut.stride()).max(hops + hops_work)
        } else {
            let n_columns = (n_gpus * COLUMNS).min(n);
            let hop_strips = hops / n.max(1) as u128 * n_columns as u128;
            hops + (matrix + hop_strips).max(hops_work)
        };
        Self {
            n_vertices: n,
            on_gpu: u64::try_from(on_gpu).unwrap_or(u64::MAX),
            on_host: Table::<W>::bytes(rows) + beside,
        }
    }

    /// An error if the host needs more than the memory allowed, or than the system grants.
    pub(super) fn check_host(&self, allowed: Option<u64>) -> Result<(), ApspError> {
        check_memory(self.n_vertices, self.on_host, allowed)
    }
}

/// The bytes that every one of these GPUs has available.
pub(crate) fn available(gpus: &[Gpu]) -> Result<u64, GpuError> {
    let bytes = gpus.iter().map(Gpu::available_bytes).collect::<Result<Vec<_>, _>>()?;
    Ok(bytes.into_iter().min().unwrap_or_default())
}

/// The parameters of the published forms.
pub(super) fn parameters(config: &Config) -> Parameters {
    config.tile.map_or_else(Parameters::default, Parameters::of_tile)
}

#[cfg(test)]
mod tests {
    use collectives::Alone;
    use graph_formats::Csr;

    use super::*;

    fn need(n: u32, algorithm: Algorithm, arithmetic: Arithmetic, next_hops: bool) -> Need {
        let arcs: Vec<_> = (1..n).map(|v| (v - 1, v, 5u32)).collect();
        let graph = Csr::from_arcs(n as usize, &arcs).unwrap();
        let config = &Config { next_hops, ..Config::default() };
        Need::of(
            &Job { ranks: &Alone, graph: &graph, config, progress: None },
            algorithm,
            arithmetic,
            1,
        )
    }

    /// From 65,535 vertices on a hop has 32 bits, whatever the matrix is of.
    #[test]
    fn hops_beside_numbers_of_16_bits_may_have_32() {
        let n = 70_000u128;
        let need = need(70_000, Algorithm::Blocked, Arithmetic::U16, true);
        assert!((2 * n * n..2 * n * n + 300_000_000).contains(&u128::from(need.on_gpu)));
        // a distance has 8 bytes, a hop 4, and a number of the matrix 2
        assert!((14 * n * n..14 * n * n + 600_000_000).contains(&need.on_host));
    }

    /// The recursive form has a second matrix, and method B in its blocked layout.
    #[test]
    fn published_forms_count_their_second_matrix() {
        let blocked = need(1000, Algorithm::Blocked, Arithmetic::I32, false);
        let need = |form| need(1000, Algorithm::Published(form), Arithmetic::I32, false);
        let (one, arcs) = (4 * 1024 * 1024, 4 * (1001 + 2 * 999));
        assert_eq!(need(Form::BlockedProduct).on_gpu, one + arcs);
        assert_eq!(need(Form::FloydWarshall).on_gpu, one + arcs);
        assert_eq!(need(Form::BlockedTwoLevel).on_gpu, 2 * one + arcs);
        assert_eq!(need(Form::Recursive).on_gpu, 2 * one + arcs);
        assert_eq!(need(Form::BlockedOutOfCore).on_gpu, 2 * 32 * 1024 * 4);
        let blocked = blocked.on_gpu - one - arcs;
        assert_eq!(blocked, Cut::on_gpus(Arithmetic::I32, 1000, 1).bytes());
    }

    /// What is allowed is what the host may hold, too.
    #[test]
    fn the_host_is_bounded() {
        let need = need(1000, Algorithm::Blocked, Arithmetic::I32, false);
        let bytes = 8 * 1000 * 1000 + 4 * 1024 * 1024;
        assert_eq!(need.on_host, bytes.into());
        need.check_host(Some(bytes)).unwrap();
        need.check_host(None).unwrap();
        let refused = need.check_host(Some(bytes - 1));
        assert!(matches!(refused, Err(ApspError::OverMemory { .. })), "{refused:?}");
        let huge = Need { on_host: u128::from(u64::MAX) * 2, ..need };
        assert!(matches!(huge.check_host(None), Err(ApspError::TooLarge { .. })));
    }
}
