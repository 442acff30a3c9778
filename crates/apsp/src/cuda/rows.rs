//! Who keeps the rows of a matrix that a GPU closes.

use std::ops::Range;

use gpu_runtime::{Buffer, Event, Gpu, GpuError, PinnedBuffer};

use super::floyd_warshall::{Cut, SLOTS};

/// What strips of rows are taken through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn<'a> {
    /// The block of pivots.
    pub(super) block: usize,
    /// The block after it, where the strip is of its rows.
    pub(super) next: Option<usize>,
    /// Set when nobody needs the block before as pivots any more.
    pub(super) free: &'a Event,
}

/// The rows of a matrix, block by block of pivots and strip by strip. All that is asked for
/// happens on streams, in their order.
pub(super) trait Rows {
    /// Brings the rows of a block to where they are pivots.
    fn load_panel(&mut self, gpu: &Gpu, block: usize) -> Result<(), GpuError>;

    /// Where the rows of a block lie on the GPU while they are pivots.
    fn panel(&self, block: usize) -> u64;

    /// Keeps the closed rows of a block.
    fn store_panel(&mut self, gpu: &Gpu, block: usize) -> Result<(), GpuError>;

    /// Lets the stream wait until the rows are kept whose panel `block` is going to have.
    fn wait_for_stored(&self, gpu: &Gpu, block: usize) -> Result<(), GpuError>;

    /// Brings a strip of rows to the GPU, in a place of its own, or to its panel where it is
    /// the next; returns where it lies.
    fn load(
        &mut self,
        gpu: &Gpu,
        turn: Turn<'_>,
        place: usize,
        strip: &Range<usize>,
    ) -> Result<u64, GpuError>;

    /// Keeps a strip that was computed, unless it stays in its panel.
    fn store(
        &mut self,
        gpu: &Gpu,
        turn: Turn<'_>,
        place: usize,
        strip: &Range<usize>,
    ) -> Result<(), GpuError>;
}

/// Rows in the GPU's memory: they stay where they are.
pub(super) struct OnGpu<'a> {
    pub(super) matrix: &'a Buffer<u32>,
    pub(super) cut: Cut,
}

impl OnGpu<'_> {
    fn row(&self, row: usize) -> u64 {
        self.matrix.address() + (row * self.cut.stride() * size_of::<u32>()) as u64
    }
}

impl Rows for OnGpu<'_> {
    fn load_panel(&mut self, _gpu: &Gpu, _block: usize) -> Result<(), GpuError> {
        Ok(())
    }

    fn panel(&self, block: usize) -> u64 {
        self.row(self.cut.rows_of_block(block).start)
    }

    fn store_panel(&mut self, _gpu: &Gpu, _block: usize) -> Result<(), GpuError> {
        Ok(())
    }

    fn wait_for_stored(&self, _gpu: &Gpu, _block: usize) -> Result<(), GpuError> {
        Ok(())
    }

    fn load(
        &mut self,
        gpu: &Gpu,
        turn: Turn<'_>,
        _place: usize,
        strip: &Range<usize>,
    ) -> Result<u64, GpuError> {
        // what is going to change was read as pivots until then
        if turn.block > 0 && self.cut.rows_of_block(turn.block - 1).contains(&strip.start) {
            gpu.wait_for(turn.free)?;
        }
        Ok(self.row(strip.start))
    }

    fn store(
        &mut self,
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
    matrix: &'a mut PinnedBuffer<u32>,
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
        matrix: &'a mut PinnedBuffer<u32>,
        cut: Cut,
    ) -> Result<Self, GpuError> {
        let rows = |n_rows| gpu.buffer(n_rows * cut.stride());
        let rows_of_all = Self {
            matrix,
            cut,
            panels: [rows(cut.block_rows)?, rows(cut.block_rows)?],
            stored: [gpu.event()?, gpu.event()?],
            strips: (0..SLOTS).map(|_| rows(cut.strip_rows)).collect::<Result<_, _>>()?,
        };
        // buffers are cleared on the first stream, and used on others
        gpu.synchronize()?;
        Ok(rows_of_all)
    }

    /// Words of the matrix.
    fn words(&self, rows: &Range<usize>) -> Range<usize> {
        rows.start * self.cut.stride()..rows.end * self.cut.stride()
    }
}

impl Rows for Passing<'_> {
    fn load_panel(&mut self, gpu: &Gpu, block: usize) -> Result<(), GpuError> {
        let words = self.words(&self.cut.rows_of_block(block));
        // SAFETY: the rows lie in both; whoever uses the panel does so on this stream, or waits
        // for it.
        unsafe { gpu.queue_upload(self.matrix, words, &self.panels[block % 2], 0) }
    }

    fn panel(&self, block: usize) -> u64 {
        self.panels[block % 2].address()
    }

    fn store_panel(&mut self, gpu: &Gpu, block: usize) -> Result<(), GpuError> {
        let words = self.words(&self.cut.rows_of_block(block));
        // SAFETY: the rows lie in both; nobody loads them from the matrix before `stored`, and
        // nobody writes the panel before that.
        unsafe {
            gpu.queue_download(&self.panels[block % 2], 0..words.len(), self.matrix, words.start)?;
        }
        self.stored[block % 2].record(gpu)
    }

    fn wait_for_stored(&self, gpu: &Gpu, block: usize) -> Result<(), GpuError> {
        gpu.wait_for(&self.stored[block % 2])
    }

    fn load(
        &mut self,
        gpu: &Gpu,
        turn: Turn<'_>,
        place: usize,
        strip: &Range<usize>,
    ) -> Result<u64, GpuError> {
        // the rows of the block before were stored from its panel
        gpu.wait_for(&self.stored[(turn.block + 1) % 2])?;
        let words = self.words(strip);
        let (buffer, at) = match turn.next {
            Some(next) => {
                gpu.wait_for(turn.free)?;
                let panel = self.words(&self.cut.rows_of_block(next));
                (&self.panels[next % 2], words.start - panel.start)
            }
            None => (&self.strips[place], 0),
        };
        // SAFETY: the rows lie in the matrix and in their place. They are loaded after they
        // were stored last, by this stream or, awaited above, as a panel. Their place is this
        // stream's own, or a panel that is free.
        unsafe { gpu.queue_upload(self.matrix, words, buffer, at)? };
        Ok(buffer.address() + (at * size_of::<u32>()) as u64)
    }

    fn store(
        &mut self,
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
        unsafe { gpu.queue_download(&self.strips[place], 0..words.len(), self.matrix, words.start) }
    }
}
