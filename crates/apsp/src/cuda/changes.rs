//! Follows changed arcs in a matrix that a GPU has: what `kernels/apsp/changes.cu` computes, step by
//! step.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig, Ptx};

use super::arcs::DeviceArcs;
use super::arithmetic::{Arithmetic, TILE_ROWS, adds_and_compares};

/// Arcs that are followed at a time, a bit for each.
pub(super) const ARCS: usize = 64;
/// Sweeps between two looks at whether one has changed anything.
const SWEEPS: usize = 4;
/// Pairs that may be lost, or this share of all where that is more, as a divisor.
const FEW_LOST: usize = 1 << 16;
const SHARE_OF_LOST: usize = 32;
/// Where the counts of the kernels are.
const CYCLE: usize = 0;
const PAIRS: usize = 1;
const CHANGED: usize = 2;
const HOPS: usize = 3;

/// `Turn` of the kernels.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Turn {
    matrix: u64,
    side: u64,
    tails: u64,
    heads: u64,
    weights: u64,
    closed: u64,
    first: u64,
    rest: u64,
    row_arcs: u64,
    column_arcs: u64,
    cycle: u64,
    n_pairs: u64,
    hops: u64,
    first_hops: u64,
    n_hops: u64,
    n_arcs: u32,
    padding: u32,
}

/// The matrix on the GPU.
#[derive(Clone, Copy)]
pub(super) struct Cells<'a> {
    pub(super) distances: &'a Buffer<u32>,
    /// The next hops, where they follow: all weights are positive then.
    pub(super) hops: Option<&'a Buffer<u32>>,
}

impl Cells<'_> {
    /// Where the next hops are, or zero.
    fn hops(&self) -> u64 {
        self.hops.map_or(0, Buffer::address)
    }
}

/// An arc: its tail, its head, and the bits of its weight as a number of the matrix.
pub(super) type Arc = (u32, u32, u64);

/// The kernels for an arithmetic, and the work space for a matrix of one side.
#[derive(Debug)]
pub(super) struct Follower {
    gpu: Gpu,
    arithmetic: Arithmetic,
    side: usize,
    close_heads: Kernel,
    look_at_lowered: Kernel,
    look_at_raised: Kernel,
    lower_pairs: Kernel,
    lower_pairs_and_hops: Kernel,
    list_lost: Kernel,
    reset_lost: Kernel,
    sweep_lost: Kernel,
    sweep_hops: Kernel,
    add_vertices: Kernel,
    tails: Buffer<u32>,
    heads: Buffer<u32>,
    weights: Buffer<u32>,
    closed: Buffer<u32>,
    /// A row for each arc.
    first: Buffer<u32>,
    rest: Buffer<u32>,
    /// A row for each arc, with the first vertices of the paths over it; empty without next hops.
    first_hops: Buffer<u32>,
    /// The arcs of use to tiles: those to their rows, then those to their columns.
    tiles: Buffer<u64>,
    counts: Buffer<u64>,
    /// Rows and columns of lost pairs.
    lost: Buffer<u64>,
}

impl Follower {
    /// Bytes of the work space.
    fn bytes(arithmetic: Arithmetic, side: usize, next_hops: bool) -> u64 {
        let of_hops = if next_hops { ARCS * side } else { 0 };
        let words = arithmetic.turned(ARCS * (2 * side + ARCS)) + of_hops;
        (words * size_of::<u32>() + Self::capacity_of(side) * size_of::<u64>()) as u64
    }

    fn capacity_of(side: usize) -> usize {
        FEW_LOST.max(side * side / SHARE_OF_LOST)
    }

    /// For a matrix of numbers of 32 or 64 bits.
    pub(super) fn new(
        gpu: &Gpu,
        arithmetic: Arithmetic,
        side: usize,
        next_hops: bool,
    ) -> Result<Self, GpuError> {
        use kernels::apsp as of;
        let bytes = Self::bytes(arithmetic, side, next_hops);
        gpu.check_fits("what it takes to follow changes", bytes)?;
        let module = match (arithmetic, adds_and_compares(gpu)) {
            (Arithmetic::I32 | Arithmetic::U16, false) => of::CHANGES_I32,
            (Arithmetic::I32 | Arithmetic::U16, true) => of::CHANGES_90_I32,
            (Arithmetic::I64, _) => of::CHANGES_I64,
            (Arithmetic::F32, false) => of::CHANGES_F32,
            (Arithmetic::F32, true) => of::CHANGES_90_F32,
            (Arithmetic::F32Signed, _) => of::CHANGES_F32_SIGNED,
            (Arithmetic::F64, _) => of::CHANGES_F64,
        };
        let ptx = Ptx::new(module.name, module.ptx);
        let kernel = |name: &str| gpu.kernel(&ptx, &arithmetic.entry(name));
        let words = |n_elements: usize| gpu.buffer::<u32>(arithmetic.turned(n_elements));
        let n_tiles = side / TILE_ROWS + arithmetic.tiles_across(side);
        Ok(Self {
            gpu: gpu.clone(),
            arithmetic,
            side,
            close_heads: kernel("close_heads")?,
            look_at_lowered: kernel("look_at_lowered")?,
            look_at_raised: kernel("look_at_raised")?,
            lower_pairs: kernel("lower_pairs")?,
            lower_pairs_and_hops: kernel("lower_pairs_and_hops")?,
            list_lost: kernel("list_lost")?,
            reset_lost: kernel("reset_lost")?,
            sweep_lost: kernel("sweep_lost")?,
            sweep_hops: kernel("sweep_hops")?,
            add_vertices: kernel("add_vertices")?,
            tails: gpu.buffer(ARCS)?,
            heads: gpu.buffer(ARCS)?,
            weights: words(ARCS)?,
            closed: words(ARCS * ARCS)?,
            first: words(ARCS * side)?,
            rest: words(ARCS * side)?,
            first_hops: gpu.buffer(if next_hops { ARCS * side } else { 0 })?,
            tiles: gpu.buffer(n_tiles)?,
            counts: gpu.buffer(4)?,
            lost: gpu.buffer(Self::capacity_of(side))?,
        })
    }

    /// The number of pairs that may be [lost](Self::list_lost).
    pub(super) fn capacity(&self) -> usize {
        self.lost.len()
    }

    /// The side of the matrix.
    pub(super) fn side(&self) -> usize {
        self.side
    }

    /// Lists the pairs that these arcs may have been on shortest paths of, some of them twice, and
    /// returns how many there are. Those beyond the capacity are not listed.
    pub(super) fn list_lost(
        &mut self,
        matrix: &Buffer<u32>,
        raised: &[Arc],
    ) -> Result<u64, GpuError> {
        self.counts.fill_bytes(0)?;
        for arcs in raised.chunks(ARCS) {
            let turn = self.turn(Cells { distances: matrix, hops: None }, arcs)?;
            let (list, capacity) = (Arg::from(&self.lost), Arg::from(self.lost.len() as u64));
            // SAFETY: the turn's addresses are of this work space and of a matrix of this side,
            // in which the ends of arcs lie; the list has room for `capacity` pairs. All launches
            // are on the stream of the buffers.
            unsafe {
                self.gpu.launch(&self.look_at_raised, self.ends(arcs), &[Arg::structure(&turn)])?;
                let args = [Arg::structure(&turn), list, capacity];
                self.gpu.launch(&self.list_lost, self.all_tiles(), &args)?;
            }
        }
        Ok(self.counts.download()?[PAIRS])
    }

    /// Finds the first `n_listed` pairs of the list again, by arcs that lead to each column. Returns
    /// their number without those that are listed twice.
    pub(super) fn search(
        &mut self,
        cells: Cells<'_>,
        n_listed: u64,
        columns: &DeviceArcs,
        are_sorted: bool,
    ) -> Result<u64, GpuError> {
        let (matrix, side, list) = (cells.distances, self.side as u64, Arg::from(&self.lost));
        let (gpu, shape) = (&self.gpu, LaunchConfig::covering(n_listed, 256));
        let count = |place: usize| self.counts.address() + (place * size_of::<u64>()) as u64;
        let (n_pairs, changed) = (count(PAIRS), count(CHANGED));
        let args: [Arg<'_>; 6] = [
            matrix.into(),
            side.into(),
            list,
            n_listed.into(),
            cells.hops().into(),
            n_pairs.into(),
        ];
        self.counts.fill_bytes(0)?;
        // SAFETY: at least `n_listed` pairs are listed, which lie in the matrix, and in that of hops.
        unsafe { gpu.launch(&self.reset_lost, shape, &args)? };
        let n_lost = self.counts.download()?[PAIRS];
        let arcs: [Arg<'_>; 7] = [
            matrix.into(),
            side.into(),
            list,
            n_listed.into(),
            (&columns.offsets).into(),
            (&columns.ends).into(),
            (&columns.weights).into(),
        ];
        let sweep = |kernel: &Kernel, last: Arg<'_>| {
            let args = [&arcs[..], &[last, changed.into()]].concat();
            // SAFETY: as above. `columns` has the offsets of all columns of pairs, which are
            // vertices, and the arcs that these name begin at vertices.
            unsafe { gpu.launch(kernel, shape, &args) }
        };
        let sweep_lost = || sweep(&self.sweep_lost, u32::from(are_sorted).into());
        sweep_until_still(&mut self.counts, &sweep_lost)?;
        if let Some(hops) = cells.hops {
            sweep_until_still(&mut self.counts, &|| sweep(&self.sweep_hops, hops.into()))?;
        }
        Ok(n_lost)
    }

    /// Takes the paths over these arcs, at most [`ARCS`], and returns how many pairs they bring nearer,
    /// and to how many they give next hops. Or `None`, and does nothing, if they close a negative cycle.
    pub(super) fn lower(
        &mut self,
        cells: Cells<'_>,
        arcs: &[Arc],
    ) -> Result<Option<(u64, u64)>, GpuError> {
        self.counts.fill_bytes(0)?;
        let turn = &self.turn(cells, arcs)?;
        let launch = |kernel, shape| {
            // SAFETY: the turn's addresses are of this work space and of matrices of this side,
            // in which the ends of arcs lie. All launches are on the stream of the buffers.
            unsafe { self.gpu.launch(kernel, shape, &[Arg::structure(turn)]) }
        };
        launch(&self.close_heads, LaunchConfig::new(1, 1024))?;
        launch(&self.look_at_lowered, self.ends(arcs))?;
        if self.counts.download()?[CYCLE] != 0 {
            return Ok(None);
        }
        let with_hops = cells.hops.map(|_| &self.lower_pairs_and_hops);
        launch(with_hops.unwrap_or(&self.lower_pairs), self.all_tiles())?;
        let counts = self.counts.download()?;
        Ok(Some((counts[PAIRS], counts[HOPS])))
    }

    /// Makes rows and columns of the padding those of vertices without arcs.
    pub(super) fn add_vertices(
        &self,
        matrix: &Buffer<u32>,
        vertices: Range<usize>,
    ) -> Result<(), GpuError> {
        assert!(vertices.end <= self.side, "vertices have room");
        let args: [Arg<'_>; 4] = [
            matrix.into(),
            (self.side as u64).into(),
            (vertices.start as u32).into(),
            (vertices.len() as u32).into(),
        ];
        let shape = LaunchConfig::covering(vertices.len() as u64, 256);
        // SAFETY: the kernel writes a cell in the row of each vertex, which the matrix has.
        unsafe { self.gpu.launch(&self.add_vertices, shape, &args) }
    }

    /// Uploads the arcs of a turn.
    fn turn(&mut self, cells: Cells<'_>, arcs: &[Arc]) -> Result<Turn, GpuError> {
        let (mut tails, mut heads) = ([0; ARCS], [0; ARCS]);
        let mut weights = vec![0; self.weights.len()];
        let width = self.arithmetic.turned(1);
        for (at, &(tail, head, weight)) in arcs.iter().enumerate() {
            (tails[at], heads[at]) = (tail, head);
            weights[at * width..][..width]
                .copy_from_slice(&bytemuck::cast::<u64, [u32; 2]>(weight)[..width]);
        }
        self.tails.upload(&tails)?;
        self.heads.upload(&heads)?;
        self.weights.upload(&weights)?;
        self.tiles.fill_bytes(0)?;
        let n_row_tiles = self.side / TILE_ROWS;
        let count = |place: usize| self.counts.address() + (place * size_of::<u64>()) as u64;
        Ok(Turn {
            matrix: cells.distances.address(),
            side: self.side as u64,
            tails: self.tails.address(),
            heads: self.heads.address(),
            weights: self.weights.address(),
            closed: self.closed.address(),
            first: self.first.address(),
            rest: self.rest.address(),
            row_arcs: self.tiles.address(),
            column_arcs: self.tiles.address() + (n_row_tiles * size_of::<u64>()) as u64,
            cycle: count(CYCLE),
            n_pairs: count(PAIRS),
            hops: cells.hops(),
            first_hops: self.first_hops.address(),
            n_hops: count(HOPS),
            n_arcs: arcs.len() as u32,
            padding: 0,
        })
    }

    /// A block for 128 rows and each arc.
    fn ends(&self, arcs: &[Arc]) -> LaunchConfig {
        let grid = ((self.side / TILE_ROWS) as u32, arcs.len() as u32, 1);
        LaunchConfig { grid, ..LaunchConfig::new(1, TILE_ROWS as u32) }
    }

    fn all_tiles(&self) -> LaunchConfig {
        let across = self.arithmetic.tiles_across(self.side) as u32;
        let grid = (across, (self.side / TILE_ROWS) as u32, 1);
        LaunchConfig { grid, ..LaunchConfig::new(1, 256) }
    }
}

/// Sweeps until one changes nothing.
fn sweep_until_still(
    counts: &mut Buffer<u64>,
    sweep: &dyn Fn() -> Result<(), GpuError>,
) -> Result<(), GpuError> {
    loop {
        (1..SWEEPS).try_for_each(|_| sweep())?;
        // only the last tells
        counts.fill_bytes(0)?;
        sweep()?;
        if counts.download()?[CHANGED] == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use test_support::layout::number;
    use test_support::{assert_same_layout, kernel_source};

    use super::*;

    #[test]
    fn turns_are_laid_out_as_kernels_read_them() {
        assert_same_layout! { Turn as "Turn" of ["apsp/changes.cu"]:
            matrix, side, tails, heads, weights, closed, first, rest, row_arcs, column_arcs, cycle,
            n_pairs, hops, first_hops, n_hops, n_arcs, padding
        }
        assert_eq!(number(kernel_source!("apsp/changes.cu"), "u32 most_arcs") as usize, ARCS);
    }
}
