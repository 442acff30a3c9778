//! Blocked Floyd-Warshall on a GPU. The rows of the matrix are in its memory, or in pinned memory
//! of the host, from where they pass through the GPU in strips.
//!
//! For each block of pivots, its rows are closed first, as a matrix of their own is ([`Closer`]);
//! [`pivots::close`] has the order. Then every other strip of rows takes the sums of its pivots'
//! columns, as they were, and the closed rows. A row of the matrix needs no other columns than its
//! own, so that no panel of columns is kept, and sums with the closed rows close the columns too.
//! Strips take turns on a few streams. Where they pass through the GPU, each is loaded, computed
//! and stored in order. So copies in both directions run beside the arithmetic, as closing the next
//! pivots does.
//!
//! Wide blocks pass over the matrix less often, and keep its tiles in registers for longer. A
//! matrix of few vertices is one block. O(n³), and where rows pass through the GPU 8 n³ / b
//! bytes over the bus for numbers of 4 bytes and blocks of b rows.
//!
//! Of several GPUs the one that has a block closes it and the others copy it, 4 n b bytes, which
//! runs beside the rest too. Where they are of several ranks, each rank goes through the same
//! blocks with the one that it has, and a [`Link`] brings it what others close.
//!
//! What differs from the published form: it loads panels and blocks by turns and waits for each.
//! Here everything overlaps, the last block may be shorter, and the pivots' rows are on the GPU
//! already when their turn comes.
//!
//! Reference: origin-out-of-core, katz-kider-2008, venkataraman-2003

use std::cell::RefCell;

use gpu_runtime::{Buffer, Event, Gpu, GpuError, PinnedBuffer, Priority};
use graph_formats::Interrupted;
use pivots::{Counts, Share, Strip};
use sssp::Progress;

use super::arithmetic::Kernels;
use super::clock::{Clock, Phase};
use super::cut::{Cut, SLOTS};
use super::link::Link;
use super::panel::{Closer, Panel};
use super::product::{self, update_strip};
use super::tile::Tile;
use crate::{ApspError, Phases};

/// Where the rows of a part are kept.
#[derive(Clone, Copy)]
pub(super) enum Store<'a> {
    /// In the GPU's memory: its blocks, one after the other.
    OnGpu(&'a Buffer<u32>),
    /// In pinned memory of the host, which has the rows of all parts: they pass through the GPU, and
    /// stay there only while they are pivots.
    OnHost(&'a RefCell<PinnedBuffer<u32>>),
}

/// The kernels of a GPU, and the rows of the matrix that it keeps.
pub(super) struct GpuShare {
    pub(super) kernels: Kernels,
    /// Its blocks of rows, one after the other.
    pub(super) matrix: Buffer<u32>,
}

/// A stream, and the buffers of the strip that it works on.
struct Slot {
    gpu: Gpu,
    /// The strip, if rows pass through the GPU.
    rows: Buffer<u32>,
    /// The strip's columns at the pivots, transposed.
    turned: Buffer<u32>,
    /// Set when the last strip has been computed.
    computed: Event,
    /// Set when the last strip has been stored.
    done: Event,
}

/// A GPU's part of the work: the rows of its blocks, and its buffers.
pub(super) struct Part<'a> {
    /// The number of the part.
    number: usize,
    cut: Cut,
    kernels: &'a Kernels,
    store: Store<'a>,
    /// The connection to the parts of other ranks, if there are any.
    pub(super) link: Option<Link<'a>>,
    /// The stream that closes pivots, with priority over other work.
    gpu: Gpu,
    /// The stream that waits until the previous panel is unused.
    gate: Gpu,
    free: Event,
    closed: [Event; 2],
    slots: Vec<Slot>,
    closer: Closer,
    /// The closed rows of this block of pivots and of the next, alternating; not those that the GPU
    /// keeps.
    panels: [Buffer<u32>; 2],
    /// Set when the rows of a panel have been stored on the host.
    stored: [Event; 2],
    /// The clock, for matrices of more than one block.
    clock: Option<Clock>,
}

impl<'a> Part<'a> {
    pub(super) fn new(
        gpu: &Gpu,
        kernels: &'a Kernels,
        cut: Cut,
        number: usize,
        store: Store<'a>,
    ) -> Result<Self, GpuError> {
        let slot = |_| {
            Ok(Slot {
                gpu: gpu.new_stream(Priority::Normal)?,
                rows: gpu.buffer(cut.passing_rows() * cut.stride())?,
                turned: gpu
                    .buffer(cut.arithmetic.turned(cut.strip_rows * cut.blocks.block_rows))?,
                computed: gpu.event()?,
                done: gpu.event()?,
            })
        };
        let panel = || gpu.buffer(cut.panel_rows() * cut.stride());
        let part = Self {
            number,
            cut,
            kernels,
            store,
            link: None,
            gpu: gpu.new_stream(Priority::Raised)?,
            gate: gpu.new_stream(Priority::Normal)?,
            free: gpu.event()?,
            closed: [gpu.event()?, gpu.event()?],
            slots: (0..cut.n_slots()).map(slot).collect::<Result<_, GpuError>>()?,
            closer: Closer::new(gpu, cut.arithmetic, cut.blocks.block_rows, cut.side())?,
            panels: [panel()?, panel()?],
            stored: [gpu.event()?, gpu.event()?],
            clock: (cut.blocks.count() > 1).then(|| Clock::new(gpu)).transpose()?,
        };
        // buffers are cleared on the first stream, and used on the others
        gpu.synchronize()?;
        Ok(part)
    }

    /// Queues work of a phase, and measures it if there is a clock.
    fn time<T>(
        &self,
        phase: Phase,
        gpu: &Gpu,
        queue: impl FnOnce() -> Result<T, ApspError>,
    ) -> Result<T, ApspError> {
        match &self.clock {
            Some(clock) => clock.time(phase, gpu, queue),
            None => queue(),
        }
    }

    fn finish(&self) -> Result<(), GpuError> {
        self.slots.iter().try_for_each(|slot| slot.gpu.synchronize())?;
        self.gate.synchronize()?;
        self.gpu.synchronize()
    }

    /// The place of the rows of a block while they are pivots.
    fn panel(&self, block: usize) -> Tile<'_> {
        let n_rows = self.cut.blocks.rows(block).len();
        match self.store {
            Store::OnGpu(matrix) if self.cut.blocks.owner(block) == self.number => {
                let first = self.cut.blocks.first_place(block);
                self.cut.rows_in(matrix, first..first + n_rows)
            }
            _ => self.cut.rows_in(&self.panels[block % 2], 0..n_rows),
        }
    }
}

/// Replaces the arcs in the rows of all parts, with a link those of this rank, by distances, and
/// waits for them. Returns the phases in the mean of the parts.
pub(super) fn close(
    parts: &[Part<'_>],
    progress: Option<Progress<'_>>,
) -> Result<(Counts, Phases), ApspError> {
    let timed = || parts.iter().filter_map(|part| Some((part, part.clock.as_ref()?)));
    timed().try_for_each(|(part, clock)| clock.start(&part.gpu))?;
    let queued = pivots::close(parts, progress);
    // also after an error, no work may go on using the matrix
    let finished = parts.iter().try_for_each(Part::finish);
    let counts = queued?;
    finished?;
    let phases = timed().map(|(_, clock)| clock.phases()).collect::<Result<Vec<_>, _>>()?;
    Ok((counts, Phases::mean(&phases)))
}

impl pivots::Part for Part<'_> {
    type Error = ApspError;

    fn share(&self) -> Share {
        self.cut.blocks.share(self.number)
    }

    fn n_strips(&self, block: usize) -> usize {
        self.cut.n_strips(block)
    }

    fn close(&self, block: usize, progress: Option<Progress<'_>>) -> Result<u64, ApspError> {
        let Self { gpu, cut, closed, closer, slots, stored, .. } = self;
        let (panel, rows) = (self.panel(block), cut.blocks.rows(block));
        let words = cut.words(&rows);
        if let (0, Store::OnHost(matrix)) = (block, self.store) {
            // SAFETY: the rows lie in both buffers. All later uses of the panel are on this stream, or
            // wait for it.
            unsafe { gpu.queue_upload(&matrix.borrow(), words.clone(), panel.buffer, 0)? };
        }
        slots.iter().try_for_each(|slot| gpu.wait_for(&slot.computed))?;
        let pivots = Panel { rows: panel, first: rows.start };
        let launches =
            self.time(Phase::Closing, gpu, || closer.close(gpu, self.kernels, pivots, progress))?;
        closed[block % 2].record(gpu)?;
        if let Store::OnHost(matrix) = self.store {
            let (len, matrix) = (words.len(), &mut matrix.borrow_mut());
            // SAFETY: the rows lie in both buffers. Reads of them from the matrix, and writes to the
            // panel, wait for the event `stored`.
            unsafe { gpu.queue_download(panel.buffer, 0..len, matrix, words.start)? };
            stored[block % 2].record(gpu)?;
        }
        Ok(launches)
    }

    fn receive(&self, block: usize, owner: Option<&Self>) -> Result<u64, ApspError> {
        let Self { gpu, cut, free, closed, .. } = self;
        let (number, panel) = (cut.blocks.owner(block), self.panel(block));
        let is_own = self.number == number;
        if is_own && self.link.is_none() {
            return Ok(0);
        }
        if !is_own {
            // this panel held the block before the last
            gpu.wait_for(free)?;
        }
        match (&self.link, owner) {
            (Some(link), _) => self.time(Phase::Sending, gpu, || {
                // SAFETY: the rows lie in the panel, and no launch of this turn writes them. On the
                // other ranks their uses wait for the event `closed`, and earlier ones have ended,
                // for the panel was free.
                unsafe { link.broadcast(gpu, panel, number) }
            })?,
            (None, Some(owner)) => {
                gpu.wait_for(&owner.closed[block % 2])?;
                let (from, at) = (owner.panel(block), panel.range().start);
                self.time(Phase::Sending, gpu, || {
                    // SAFETY: as above.
                    unsafe { Ok(gpu.queue_copy(from.buffer, from.range(), panel.buffer, at)?) }
                })?;
            }
            (None, None) => {}
        }
        closed[block % 2].record(gpu)?;
        Ok(0)
    }

    fn free_before(&self, block: usize, parts: &[Self]) -> Result<(), ApspError> {
        let Self { gate, free, slots, stored, .. } = self;
        gate.wait_for(&stored[(block + 1) % 2])?;
        slots.iter().try_for_each(|slot| gate.wait_for(&slot.computed))?;
        for other in parts {
            // it has its copy then
            gate.wait_for(&other.closed[(block + 1) % 2])?;
        }
        Ok(free.record(gate)?)
    }

    fn update(&self, pivots: usize, strip: Strip) -> Result<u64, ApspError> {
        let Self { cut, slots, free, closed, .. } = self;
        let (number, strip_rows) = cut.strip(strip);
        // a strip has the same slot in each pass, so it is loaded after it was stored
        let Slot { gpu, rows: room, turned, computed, done } = &slots[number % SLOTS];
        done.wait()?;
        if strip.block + 1 == pivots {
            // the rows that change next were read as pivots, or stored from their panel, until then
            gpu.wait_for(free)?;
        }
        let is_next = strip.block == pivots + 1;
        let (words, offset) = (cut.words(&strip_rows), strip.number * cut.strip_rows);
        let rows_in = |buffer, first| cut.rows_in(buffer, first..first + strip_rows.len());
        let rows = match self.store {
            Store::OnGpu(matrix) => rows_in(matrix, cut.blocks.first_place(strip.block) + offset),
            Store::OnHost(matrix) => {
                let rows = if is_next {
                    gpu.wait_for(free)?;
                    rows_in(&self.panels[strip.block % 2], offset)
                } else {
                    rows_in(room, 0)
                };
                let (matrix, at) = (matrix.borrow(), rows.range().start);
                // SAFETY: the rows lie in the matrix and in their place. They are loaded after they
                // were stored last, by this stream or, awaited above, as a panel. Their place is
                // this stream's own, or a panel that is free.
                unsafe { gpu.queue_upload(&matrix, words.clone(), rows.buffer, at)? };
                rows
            }
        };
        gpu.wait_for(&closed[pivots % 2])?;
        let (columns, panel) = (rows.columns(cut.blocks.rows(pivots)), self.panel(pivots));
        self.time(Phase::Updating, gpu, || {
            // SAFETY: the strip and its columns lie where they were loaded; the panel is closed,
            // and only read; `turned` is the slot's own.
            unsafe { Ok(update_strip(gpu, self.kernels, rows, columns, turned, panel)?) }
        })?;
        computed.record(gpu)?;
        if let (Store::OnHost(matrix), false) = (self.store, is_next) {
            let (len, matrix) = (words.len(), &mut matrix.borrow_mut());
            // SAFETY: as above. No other copy or launch of this turn uses these rows of the matrix.
            unsafe { gpu.queue_download(room, 0..len, matrix, words.start)? };
        }
        done.record(gpu)?;
        Ok(product::LAUNCHES)
    }

    fn go_on(&self, is_ended: bool) -> Result<(), ApspError> {
        match self.link.as_ref().map_or(Ok(is_ended), |link| link.any(is_ended))? {
            true => Err(Interrupted.into()),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
