//! Who keeps the rows of a matrix that GPUs close.

use std::cell::RefCell;
use std::ops::Range;

use gpu_runtime::{Buffer, Event, Gpu, GpuError, PinnedBuffer};

use super::cut::{Cut, SLOTS};
use super::tile::Tile;

/// What strips of rows are taken through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn<'a> {
    /// The block of pivots.
    pub(super) block: usize,
    /// The block after it, where the strip is of its rows.
    pub(super) next: Option<usize>,
    /// Set when nobody needs the block before as pivots any more, and its rows are kept.
    pub(super) free: &'a Event,
}

/// The rows of a matrix, block by block of pivots and strip by strip. All that is asked for
/// happens on streams, in their order.
pub(super) trait Rows {
    /// Brings the rows of a block to where they are pivots.
    fn load_panel(&self, gpu: &Gpu, block: usize) -> Result<(), GpuError>;

    /// Where the rows of a block lie on the GPU while they are pivots.
    fn panel(&self, block: usize) -> Tile<'_>;

    /// Keeps the closed rows of a block.
    fn store_panel(&self, gpu: &Gpu, block: usize) -> Result<(), GpuError>;

    /// Lets the stream wait until the rows are kept whose panel `block` is going to have.
    fn wait_for_stored(&self, gpu: &Gpu, block: usize) -> Result<(), GpuError>;

    /// Brings a strip of rows to the GPU, in a place of its own, or to its panel where it is
    /// the next.
    fn load(
        &self,
        gpu: &Gpu,
        turn: Turn<'_>,
        place: usize,
        strip: &Range<usize>,
    ) -> Result<Tile<'_>, GpuError>;

    /// Keeps a strip that was computed, unless it stays in its panel.
    fn store(
        &self,
        gpu: &Gpu,
        turn: Turn<'_>,
        place: usize,
        strip: &Range<usize>,
    ) -> Result<(), GpuError>;
}

/// Rows in the GPU's memory, of the blocks that are its own: they stay where they are.
pub(super) struct OnGpu<'a> {
    matrix: &'a Buffer<u32>,
    cut: Cut,
    part: usize,
    /// The closed rows of others' blocks, by turns.
    panels: Option<&'a [Buffer<u32>; 2]>,
}

impl<'a> OnGpu<'a> {
    /// `matrix` holds the blocks of the `part`, one after the other; there are panels where it is
    /// not the only one.
    pub(super) fn new(
        matrix: &'a Buffer<u32>,
        panels: Option<&'a [Buffer<u32>; 2]>,
        cut: Cut,
        part: usize,
    ) -> Self {
        Self { matrix, cut, part, panels }
    }

    /// Where that is in a panel of another's.
    fn others(&self, block: usize) -> Option<&Buffer<u32>> {
        let panels = self.panels.filter(|_| self.cut.blocks.owner(block) != self.part);
        panels.map(|panels| &panels[block % 2])
    }
}

/// Room for the closed rows of two blocks.
pub(super) fn panels(gpu: &Gpu, cut: Cut) -> Result<[Buffer<u32>; 2], GpuError> {
    let panel = || gpu.buffer(cut.blocks.block_rows * cut.stride());
    Ok([panel()?, panel()?])
}

impl Rows for OnGpu<'_> {
    fn load_panel(&self, _gpu: &Gpu, _block: usize) -> Result<(), GpuError> {
        Ok(())
    }

    fn panel(&self, block: usize) -> Tile<'_> {
        let (buffer, first) = match self.others(block) {
            Some(panel) => (panel, 0),
            None => (self.matrix, self.cut.blocks.first_place(block)),
        };
        self.cut.rows_in(buffer, first..first + self.cut.blocks.rows(block).len())
    }

    fn store_panel(&self, _gpu: &Gpu, _block: usize) -> Result<(), GpuError> {
        Ok(())
    }

    fn wait_for_stored(&self, _gpu: &Gpu, _block: usize) -> Result<(), GpuError> {
        Ok(())
    }

    fn load(
        &self,
        gpu: &Gpu,
        turn: Turn<'_>,
        _place: usize,
        strip: &Range<usize>,
    ) -> Result<Tile<'_>, GpuError> {
        let block = strip.start / self.cut.blocks.block_rows;
        // what is going to change was read as pivots until then
        if turn.block == block + 1 {
            gpu.wait_for(turn.free)?;
        }
        let first = self.cut.blocks.first_place(block) + strip.start % self.cut.blocks.block_rows;
        Ok(self.cut.rows_in(self.matrix, first..first + strip.len()))
    }

    fn store(
        &self,
        _gpu: &Gpu,
        _turn: Turn<'_>,
        _place: usize,
        _strip: &Range<usize>,
    ) -> Result<(), GpuError> {
        Ok(())
    }
}

/// Rows in pinned memory of the host: they pass through the GPU, and stay there only while
/// they are pivots.
pub(super) struct Passing<'a> {
    /// Shared by the GPUs that have its blocks.
    matrix: &'a RefCell<PinnedBuffer<u32>>,
    cut: Cut,
    /// The closed rows of this block of pivots and those of the next, by turns.
    panels: [Buffer<u32>; 2],
    /// Set when the rows of a panel have been stored.
    stored: [Event; 2],
    /// A strip for each place.
    strips: Vec<Buffer<u32>>,
}

impl<'a> Passing<'a> {
    pub(super) fn new(
        gpu: &Gpu,
        matrix: &'a RefCell<PinnedBuffer<u32>>,
        cut: Cut,
    ) -> Result<Self, GpuError> {
        let strip = |_| gpu.buffer(cut.strip_rows * cut.stride());
        let passing = Self {
            matrix,
            cut,
            panels: panels(gpu, cut)?,
            stored: [gpu.event()?, gpu.event()?],
            strips: (0..SLOTS).map(strip).collect::<Result<_, _>>()?,
        };
        // buffers are cleared on the first stream, and used on others
        gpu.synchronize()?;
        Ok(passing)
    }

    /// Words of the matrix.
    fn words(&self, rows: &Range<usize>) -> Range<usize> {
        rows.start * self.cut.stride()..rows.end * self.cut.stride()
    }
}

impl Rows for Passing<'_> {
    fn load_panel(&self, gpu: &Gpu, block: usize) -> Result<(), GpuError> {
        let words = self.words(&self.cut.blocks.rows(block));
        // SAFETY: the rows lie in both; whoever uses the panel does so on this stream, or waits
        // for it.
        unsafe { gpu.queue_upload(&self.matrix.borrow(), words, &self.panels[block % 2], 0) }
    }

    fn panel(&self, block: usize) -> Tile<'_> {
        self.cut.rows_in(&self.panels[block % 2], 0..self.cut.blocks.rows(block).len())
    }

    fn store_panel(&self, gpu: &Gpu, block: usize) -> Result<(), GpuError> {
        let words = self.words(&self.cut.blocks.rows(block));
        // SAFETY: the rows lie in both; nobody loads them from the matrix before `stored`, and
        // nobody writes the panel before that.
        unsafe {
            let matrix = &mut self.matrix.borrow_mut();
            gpu.queue_download(&self.panels[block % 2], 0..words.len(), matrix, words.start)?;
        }
        self.stored[block % 2].record(gpu)
    }

    fn wait_for_stored(&self, gpu: &Gpu, block: usize) -> Result<(), GpuError> {
        gpu.wait_for(&self.stored[block % 2])
    }

    fn load(
        &self,
        gpu: &Gpu,
        turn: Turn<'_>,
        place: usize,
        strip: &Range<usize>,
    ) -> Result<Tile<'_>, GpuError> {
        // the rows of the block before were stored from its panel
        if turn.block == strip.start / self.cut.blocks.block_rows + 1 {
            gpu.wait_for(turn.free)?;
        }
        let (buffer, first) = match turn.next {
            Some(next) => {
                gpu.wait_for(turn.free)?;
                (&self.panels[next % 2], strip.start - self.cut.blocks.rows(next).start)
            }
            None => (&self.strips[place], 0),
        };
        let tile = self.cut.rows_in(buffer, first..first + strip.len());
        // SAFETY: the rows lie in the matrix and in their place. They are loaded after they
        // were stored last, by this stream or, awaited above, as a panel. Their place is this
        // stream's own, or a panel that is free.
        unsafe {
            let matrix = self.matrix.borrow();
            gpu.queue_upload(&matrix, self.words(strip), buffer, tile.range().start)?;
        }
        Ok(tile)
    }

    fn store(
        &self,
        gpu: &Gpu,
        turn: Turn<'_>,
        place: usize,
        strip: &Range<usize>,
    ) -> Result<(), GpuError> {
        if turn.next.is_some() {
            return Ok(());
        }
        let words = self.words(strip);
        // SAFETY: as in `load`; nobody else uses these rows of the matrix in this turn.
        unsafe {
            let matrix = &mut self.matrix.borrow_mut();
            gpu.queue_download(&self.strips[place], 0..words.len(), matrix, words.start)
        }
    }
}
