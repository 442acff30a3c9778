//! Follows changed arcs in a matrix that GPUs have: what `kernels/apsp/changes.cu` computes, step by
//! step.
//!
//! Several GPUs follow the arcs in their rows at the same time. Before a turn of up to 64 arcs each of them
//! copies the rows of the arcs' ends that others have. None writes a row until all have copied.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig, Ptx};
use pivots::{Blocks, Share};

use super::arcs::DeviceArcs;
use super::arithmetic::{Arithmetic, TILE_ROWS, adds_and_compares};
use super::floyd_warshall::GpuShare;

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
    tail_rows: u64,
    head_rows: u64,
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
    n_rows: u32,
    block_rows: u32,
    n_parts: u32,
    part: u32,
    padding: u32,
}

/// The matrix on the GPUs.
#[derive(Clone, Copy)]
pub(super) struct Cells<'a> {
    /// The rows of each.
    pub(super) distances: &'a [GpuShare],
    /// The next hops on the only one, where they follow: all weights are positive then.
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

/// What follows arcs in the rows of each GPU.
#[derive(Debug)]
pub(super) struct Follower {
    parts: Vec<Part>,
}

/// The kernels for an arithmetic, and the work space for some rows of a matrix.
#[derive(Debug)]
struct Part {
    gpu: Gpu,
    arithmetic: Arithmetic,
    share: Share,
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
    /// Where the rows of tails are, then those of heads.
    end_rows: Buffer<u64>,
    /// Copies of those rows; empty on one GPU.
    copies: Buffer<u32>,
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
    /// Rows here and columns of lost pairs,
    lost: Buffer<u64>,
    /// and how many are listed.
    n_listed: u64,
}

impl Follower {
    /// For a matrix of numbers of 32 or 64 bits, of which each GPU has its part of the blocks.
    pub(super) fn new(
        gpus: &[Gpu],
        arithmetic: Arithmetic,
        blocks: Blocks,
        next_hops: bool,
    ) -> Result<Self, GpuError> {
        let parts = gpus.iter().enumerate();
        let parts =
            parts.map(|(part, gpu)| Part::new(gpu, arithmetic, blocks.share(part), next_hops));
        Ok(Self { parts: parts.collect::<Result<_, _>>()? })
    }

    /// The side of the matrix.
    pub(super) fn side(&self) -> usize {
        self.parts[0].side()
    }

    /// Lists the pairs that these arcs may have been on shortest paths of, some of them twice, and
    /// returns how many there are; `None` where a list has no room for its pairs.
    pub(super) fn list_lost(
        &mut self,
        distances: &[GpuShare],
        raised: &[Arc],
    ) -> Result<Option<u64>, GpuError> {
        self.parts.iter_mut().try_for_each(|part| part.counts.fill_bytes(0))?;
        for arcs in raised.chunks(ARCS) {
            for part in &mut self.parts {
                part.list_lost(Cells { distances, hops: None }, arcs)?;
            }
        }
        for part in &mut self.parts {
            part.n_listed = part.counts.download()?[PAIRS];
        }
        let has_room = |part: &Part| part.n_listed <= part.lost.len() as u64;
        let n_listed = self.parts.iter().map(|part| part.n_listed).sum();
        Ok(self.parts.iter().all(has_room).then_some(n_listed))
    }

    /// Finds the listed pairs again, by arcs that lead to each column, which each GPU has. Returns
    /// their number without those that are listed twice.
    pub(super) fn search(
        &mut self,
        cells: Cells<'_>,
        columns: &[DeviceArcs],
        are_sorted: bool,
    ) -> Result<u64, GpuError> {
        let mut n_lost = 0;
        for part in &mut self.parts {
            part.reset_lost(cells)?;
        }
        for part in &self.parts {
            n_lost += part.counts.download()?[PAIRS];
        }
        self.sweep_until_still(
            &|part, columns| {
                part.sweep(cells, columns, &part.sweep_lost, u32::from(are_sorted).into())
            },
            columns,
        )?;
        if let Some(hops) = cells.hops {
            self.sweep_until_still(
                &|part, columns| part.sweep(cells, columns, &part.sweep_hops, hops.into()),
                columns,
            )?;
        }
        Ok(n_lost)
    }

    /// Sweeps until one changes nothing.
    fn sweep_until_still(
        &mut self,
        sweep: &dyn Fn(&Part, &DeviceArcs) -> Result<(), GpuError>,
        columns: &[DeviceArcs],
    ) -> Result<(), GpuError> {
        let mut is_still = false;
        while !is_still {
            for (part, columns) in self.parts.iter_mut().zip(columns) {
                (1..SWEEPS).try_for_each(|_| sweep(part, columns))?;
                // only the last tells
                part.counts.fill_bytes(0)?;
                sweep(part, columns)?;
            }
            is_still = true;
            for part in &self.parts {
                is_still &= part.counts.download()?[CHANGED] == 0;
            }
        }
        Ok(())
    }

    /// Takes the paths over these arcs, at most [`ARCS`], and returns how many pairs they bring nearer,
    /// and to how many they give next hops. Or `None`, and does nothing, if they close a negative cycle.
    pub(super) fn lower(
        &mut self,
        cells: Cells<'_>,
        arcs: &[Arc],
    ) -> Result<Option<(u64, u64)>, GpuError> {
        let turns = self.parts.iter_mut().map(|part| part.look_at_lowered(cells, arcs));
        let turns = turns.collect::<Result<Vec<_>, _>>()?;
        for part in &self.parts {
            if part.counts.download()?[CYCLE] != 0 {
                return Ok(None);
            }
        }
        // all rows of ends have been copied
        for (part, turn) in self.parts.iter().zip(&turns) {
            let with_hops = cells.hops.map(|_| &part.lower_pairs_and_hops);
            part.launch(with_hops.unwrap_or(&part.lower_pairs), part.all_tiles(), turn, &[])?;
        }
        let (mut n_nearer, mut n_hops) = (0, 0);
        for part in &self.parts {
            let counts = part.counts.download()?;
            (n_nearer, n_hops) = (n_nearer + counts[PAIRS], n_hops + counts[HOPS]);
        }
        Ok(Some((n_nearer, n_hops)))
    }

    /// Makes rows and columns of the padding those of vertices without arcs.
    pub(super) fn add_vertices(
        &self,
        distances: &[GpuShare],
        vertices: &Range<usize>,
    ) -> Result<(), GpuError> {
        assert!(vertices.end <= self.side(), "vertices have room");
        self.parts.iter().try_for_each(|part| part.add_vertices(distances, vertices))
    }
}

impl Part {
    /// Bytes of the work space.
    fn bytes(arithmetic: Arithmetic, share: Share, next_hops: bool) -> u64 {
        let side = share.blocks.n_rows;
        let of_hops = if next_hops { ARCS * side } else { 0 };
        let of_ends = Self::end_words(arithmetic, share.blocks);
        let words = arithmetic.turned(ARCS * (2 * side + ARCS)) + of_hops + of_ends;
        (words * size_of::<u32>() + Self::capacity(share) * size_of::<u64>()) as u64
    }

    /// Pairs that may be listed.
    fn capacity(share: Share) -> usize {
        FEW_LOST.max(share.n_rows() * share.blocks.n_rows / SHARE_OF_LOST)
    }

    /// Words of the copies of rows.
    fn end_words(arithmetic: Arithmetic, blocks: Blocks) -> usize {
        if blocks.n_parts == 1 { 0 } else { 2 * ARCS * arithmetic.turned(blocks.n_rows) }
    }

    fn new(
        gpu: &Gpu,
        arithmetic: Arithmetic,
        share: Share,
        next_hops: bool,
    ) -> Result<Self, GpuError> {
        use kernels::apsp as of;
        let bytes = Self::bytes(arithmetic, share, next_hops);
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
        let side = share.blocks.n_rows;
        let n_tiles = share.n_rows() / TILE_ROWS + arithmetic.tiles_across(side);
        Ok(Self {
            gpu: gpu.clone(),
            arithmetic,
            share,
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
            end_rows: gpu.buffer(2 * ARCS)?,
            copies: gpu.buffer(Self::end_words(arithmetic, share.blocks))?,
            weights: words(ARCS)?,
            closed: words(ARCS * ARCS)?,
            first: words(ARCS * side)?,
            rest: words(ARCS * side)?,
            first_hops: gpu.buffer(if next_hops { ARCS * side } else { 0 })?,
            tiles: gpu.buffer(n_tiles)?,
            counts: gpu.buffer(4)?,
            lost: gpu.buffer(Self::capacity(share))?,
            n_listed: 0,
        })
    }

    fn side(&self) -> usize {
        self.share.blocks.n_rows
    }

    fn matrix<'a>(&self, cells: Cells<'a>) -> &'a Buffer<u32> {
        &cells.distances[self.share.part].matrix
    }

    /// Launches a kernel for a turn, unless there are no rows here.
    fn launch(
        &self,
        kernel: &Kernel,
        shape: LaunchConfig,
        turn: &Turn,
        more: &[Arg<'_>],
    ) -> Result<(), GpuError> {
        if shape.grid.1 == 0 {
            return Ok(());
        }
        let args = [&[Arg::structure(turn)], more].concat();
        // SAFETY: the turn's addresses are of this work space, and of the rows of a matrix of this
        // side that are here; the ends of arcs lie in it, and their rows have copies. A list has room for
        // as many pairs as is said. All launches are on the stream of the buffers.
        unsafe { self.gpu.launch(kernel, shape, &args) }
    }

    fn list_lost(&mut self, cells: Cells<'_>, arcs: &[Arc]) -> Result<(), GpuError> {
        let turn = self.turn(cells, arcs)?;
        self.launch(&self.look_at_raised, self.ends(arcs), &turn, &[])?;
        let more = [Arg::from(&self.lost), Arg::from(self.lost.len() as u64)];
        self.launch(&self.list_lost, self.all_tiles(), &turn, &more)
    }

    /// Sets the listed pairs to no path, and counts them.
    fn reset_lost(&mut self, cells: Cells<'_>) -> Result<(), GpuError> {
        self.counts.fill_bytes(0)?;
        if self.n_listed == 0 {
            return Ok(());
        }
        let args: [Arg<'_>; 6] = [
            self.matrix(cells).into(),
            (self.side() as u64).into(),
            (&self.lost).into(),
            self.n_listed.into(),
            cells.hops().into(),
            self.count(PAIRS).into(),
        ];
        let shape = LaunchConfig::covering(self.n_listed, 256);
        // SAFETY: this number of pairs is listed, which lie in the rows that are here, and in those of
        // hops.
        unsafe { self.gpu.launch(&self.reset_lost, shape, &args) }
    }

    /// Sweeps over the listed pairs by a kernel, which takes `last` too.
    fn sweep(
        &self,
        cells: Cells<'_>,
        columns: &DeviceArcs,
        kernel: &Kernel,
        last: Arg<'_>,
    ) -> Result<(), GpuError> {
        if self.n_listed == 0 {
            return Ok(());
        }
        let args: [Arg<'_>; 9] = [
            self.matrix(cells).into(),
            (self.side() as u64).into(),
            (&self.lost).into(),
            self.n_listed.into(),
            (&columns.offsets).into(),
            (&columns.ends).into(),
            (&columns.weights).into(),
            last,
            self.count(CHANGED).into(),
        ];
        let shape = LaunchConfig::covering(self.n_listed, 256);
        // SAFETY: as above. `columns` has the offsets of all columns of pairs, which are vertices, and
        // the arcs that these name begin at vertices.
        unsafe { self.gpu.launch(kernel, shape, &args) }
    }

    fn look_at_lowered(&mut self, cells: Cells<'_>, arcs: &[Arc]) -> Result<Turn, GpuError> {
        self.counts.fill_bytes(0)?;
        let turn = self.turn(cells, arcs)?;
        self.launch(&self.close_heads, LaunchConfig::new(1, 1024), &turn, &[])?;
        self.launch(&self.look_at_lowered, self.ends(arcs), &turn, &[])?;
        Ok(turn)
    }

    fn add_vertices(
        &self,
        distances: &[GpuShare],
        vertices: &Range<usize>,
    ) -> Result<(), GpuError> {
        for block in self.share.own_blocks() {
            let rows = self.share.blocks.rows(block);
            let own = vertices.start.max(rows.start)..vertices.end.min(rows.end);
            if own.is_empty() {
                continue;
            }
            let place = self.share.blocks.first_place(block) + own.start - rows.start;
            let args: [Arg<'_>; 5] = [
                self.matrix(Cells { distances, hops: None }).into(),
                (self.side() as u64).into(),
                (place as u32).into(),
                (own.start as u32).into(),
                (own.len() as u32).into(),
            ];
            let shape = LaunchConfig::covering(own.len() as u64, 256);
            // SAFETY: the kernel writes a cell in the row of each vertex, which is here.
            unsafe { self.gpu.launch(&self.add_vertices, shape, &args)? };
        }
        Ok(())
    }

    /// Where the kernels count something.
    fn count(&self, place: usize) -> u64 {
        self.counts.address() + (place * size_of::<u64>()) as u64
    }

    /// Uploads the arcs of a turn, and copies the rows of their ends that other GPUs have.
    fn turn(&mut self, cells: Cells<'_>, arcs: &[Arc]) -> Result<Turn, GpuError> {
        let (mut tails, mut heads) = ([0; ARCS], [0; ARCS]);
        let mut weights = vec![0; self.weights.len()];
        let mut end_rows = [0; 2 * ARCS];
        let width = self.arithmetic.turned(1);
        for (at, &(tail, head, weight)) in arcs.iter().enumerate() {
            (tails[at], heads[at]) = (tail, head);
            weights[at * width..][..width]
                .copy_from_slice(&bytemuck::cast::<u64, [u32; 2]>(weight)[..width]);
            end_rows[at] = self.row(cells, tail, at)?;
            end_rows[ARCS + at] = self.row(cells, head, ARCS + at)?;
        }
        self.tails.upload(&tails)?;
        self.heads.upload(&heads)?;
        self.end_rows.upload(&end_rows)?;
        self.weights.upload(&weights)?;
        self.tiles.fill_bytes(0)?;
        let words = |n: usize| (n * size_of::<u64>()) as u64;
        let Share { blocks, part } = self.share;
        Ok(Turn {
            matrix: self.matrix(cells).address(),
            side: self.side() as u64,
            tails: self.tails.address(),
            heads: self.heads.address(),
            tail_rows: self.end_rows.address(),
            head_rows: self.end_rows.address() + words(ARCS),
            weights: self.weights.address(),
            closed: self.closed.address(),
            first: self.first.address(),
            rest: self.rest.address(),
            row_arcs: self.tiles.address(),
            column_arcs: self.tiles.address() + words(self.share.n_rows() / TILE_ROWS),
            cycle: self.count(CYCLE),
            n_pairs: self.count(PAIRS),
            hops: cells.hops(),
            first_hops: self.first_hops.address(),
            n_hops: self.count(HOPS),
            n_arcs: arcs.len() as u32,
            n_rows: self.share.n_rows() as u32,
            block_rows: blocks.block_rows as u32,
            n_parts: blocks.n_parts as u32,
            part: part as u32,
            padding: 0,
        })
    }

    /// The address of a vertex's row, or of its copy at this place.
    fn row(&self, cells: Cells<'_>, vertex: u32, place: usize) -> Result<u64, GpuError> {
        let Blocks { block_rows, .. } = self.share.blocks;
        let (block, n_words) = (vertex as usize / block_rows, self.arithmetic.turned(self.side()));
        let row = self.share.blocks.first_place(block) + vertex as usize % block_rows;
        let owner = self.share.blocks.owner(block);
        let matrix = &cells.distances[owner].matrix;
        let address = |buffer: &Buffer<u32>, row: usize| {
            buffer.address() + (row * n_words * size_of::<u32>()) as u64
        };
        if owner == self.share.part {
            return Ok(address(matrix, row));
        }
        let words = row * n_words..(row + 1) * n_words;
        // SAFETY: the owner's work is done, and it writes its rows only when the host has waited for
        // this GPU. Launches that read the copy are on this stream.
        unsafe { self.gpu.queue_copy(matrix, words, &self.copies, place * n_words)? };
        Ok(address(&self.copies, place))
    }

    /// A block for 128 columns, and rows, and each arc.
    fn ends(&self, arcs: &[Arc]) -> LaunchConfig {
        let grid = ((self.side() / TILE_ROWS) as u32, arcs.len() as u32, 1);
        LaunchConfig { grid, ..LaunchConfig::new(1, TILE_ROWS as u32) }
    }

    fn all_tiles(&self) -> LaunchConfig {
        let across = self.arithmetic.tiles_across(self.side()) as u32;
        let grid = (across, (self.share.n_rows() / TILE_ROWS) as u32, 1);
        LaunchConfig { grid, ..LaunchConfig::new(1, 256) }
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
            matrix, side, tails, heads, tail_rows, head_rows, weights, closed, first, rest, row_arcs,
            column_arcs, cycle, n_pairs, hops, first_hops, n_hops, n_arcs, n_rows, block_rows,
            n_parts, part, padding
        }
        assert_eq!(number(kernel_source!("apsp/changes.cu"), "u32 most_arcs") as usize, ARCS);
    }
}
