//! Which threads run a recorded program on a GPU.

use gpu_runtime::{DeviceProperties, Gpu, GpuError, Kernel, LaunchConfig};

use crate::language::Op;
use crate::program::{Instruction, Program, WORD_BITS};

/// Words of 64 bits up to which one warp is the fastest team; and where there are procedures, of
/// which each goes through many columns.
const WARP_WORDS: [u32; 2] = [128, 16];
/// Words up to which one block is.
const BLOCK_WORDS: [u32; 2] = [4096, 256];
/// Words of a column from which a grid is the fastest team for a program that goes through the
/// columns of a table and changes each, and has no procedures. The second is how many of them a
/// block is for.
const UPDATE_WORDS: u32 = 32;
const WORDS_OF_UPDATE: u32 = 4;
/// Most warps of a block that is alone, and those of one that shares rows and columns out to warps.
const BLOCK_WARPS: u32 = 8;
/// Warps of each block of a grid.
const GRID_WARPS: u32 = 8;
/// Shared memory that is the kernels' own, at most.
const OWN_SHARED: u64 = 1024;

/// The threads that run a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Team {
    /// 32 threads in step.
    Warp,
    /// One block of several warps.
    Block {
        /// The number of warps, 1 to 8.
        warps: u32,
    },
    /// Several blocks of 8 warps, all resident at once.
    Grid {
        /// The number of blocks, at least 1; no more are launched than can be resident.
        blocks: u32,
    },
}

impl Program {
    /// The fastest team for the program.
    pub(super) fn team(&self, properties: &DeviceProperties) -> Team {
        let tables = self.tables().iter().map(|&(rows, _)| rows);
        let longest = self.vectors().iter().copied().chain(tables).max().unwrap_or(0);
        let words = longest.div_ceil(64);
        let threads = longest.div_ceil(WORD_BITS);
        let shared = shared_memory(properties);
        let fits = |team: &Team| self.shared_bytes(*team) <= shared;
        let has = |what: fn(&Instruction) -> bool| self.instructions().iter().any(what);
        let has_procedures = has(|step| matches!(step, Instruction::Pass(_)));
        let has_rows =
            has(|step| matches!(step, Instruction::Do(Op::ReadRow { .. } | Op::WriteRow { .. })));
        let updates = self.updates_columns(self.starts().0);
        if updates && !has_procedures && words > UPDATE_WORDS {
            return Team::Grid { blocks: words.div_ceil(WORDS_OF_UPDATE) };
        }
        let shares = !has_procedures && (has_rows || updates);
        let most_warps =
            if shares { BLOCK_WARPS } else { threads.div_ceil(32).clamp(1, BLOCK_WARPS) };
        let mut blocks = (1..=most_warps).rev().map(|warps| Team::Block { warps });
        let alone = if words <= WARP_WORDS[usize::from(has_procedures)] && !shares {
            Some(Team::Warp).filter(fits)
        } else if words <= BLOCK_WORDS[usize::from(has_procedures)] {
            blocks.find(fits)
        } else {
            None
        };
        alone.unwrap_or(Team::Grid { blocks: threads.div_ceil(32 * GRID_WARPS).max(1) })
    }

    /// Shared memory of a block of a team, in bytes.
    pub(super) fn shared_bytes(&self, team: Team) -> u64 {
        let ints = u64::from(self.n_ints()) * 4;
        match team {
            Team::Warp => self.starts().1 * 8 + ints,
            Team::Block { warps } => self.starts().1 * 8 + ints * u64::from(warps_of(warps)),
            Team::Grid { .. } => ints * u64::from(GRID_WARPS),
        }
    }
}

impl Team {
    pub(super) fn kernel(self) -> &'static str {
        match self {
            Self::Warp => "star_interpret_warp",
            Self::Block { .. } => "star_interpret_block",
            Self::Grid { .. } => "star_interpret_grid",
        }
    }

    pub(super) fn shape(
        self,
        gpu: &Gpu,
        kernel: &Kernel,
        shared_bytes: u32,
    ) -> Result<LaunchConfig, GpuError> {
        let shape = match self {
            Self::Warp => LaunchConfig::new(1, 32),
            Self::Block { warps } => LaunchConfig::new(1, 32 * warps_of(warps)),
            Self::Grid { blocks } => {
                let block = 32 * GRID_WARPS;
                let resident =
                    kernel.occupancy(block, shared_bytes)? * gpu.properties().multiprocessors;
                // one block needs no barriers of the grid
                let most = if gpu.properties().cooperative_launch { resident } else { 1 };
                let blocks = blocks.min(most).max(1);
                LaunchConfig { cooperative: blocks > 1, ..LaunchConfig::new(blocks, block) }
            }
        };
        Ok(LaunchConfig { shared_bytes, ..shape })
    }
}

/// The number of warps of a block, for a requested number.
fn warps_of(asked: u32) -> u32 {
    asked.clamp(1, BLOCK_WARPS)
}

/// Shared memory that one block may have for variables, in bytes.
pub(super) fn shared_memory(properties: &DeviceProperties) -> u64 {
    properties.shared_bytes_per_block.saturating_sub(OWN_SHARED)
}
