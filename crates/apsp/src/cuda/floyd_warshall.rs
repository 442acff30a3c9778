//! Blocked Floyd-Warshall by a GPU, wherever the rows of the matrix are kept: in its own memory,
//! or in pinned memory of the host, from where they pass through it in strips.
//!
//! For each block of pivots ([`pivots::close`] has the order): its rows are closed as a matrix of their
//! own is ([`Closer`]); then every other strip of rows takes the sums of its pivots' columns, as
//! they were, and the closed rows. A row of the matrix needs no other columns than its own, so
//! that no panel of columns is kept, and sums with the closed rows close the columns too. Strips
//! take turns on a few streams; where they pass through the GPU, each is loaded, computed and
//! stored in order, so that copies in both directions run beside the arithmetic, as closing the
//! next pivots does.
//!
//! Wide blocks pass over the matrix less often, and keep its tiles in registers for longer. A
//! matrix of few vertices is one block. O(n³), and where rows pass through the GPU 8 n³ / b
//! bytes over the bus for numbers of 4 bytes and blocks of b rows.
//!
//! Of several GPUs the one that has a block closes it and the others copy it, 4 n b bytes, which
//! runs beside the rest too. Where they are of several ranks, each rank goes through the same
//! blocks with the one that it has, and a [`Link`] brings it what others close.
//!
//! What differs from the published form, which loads panels and blocks by turns and waits for
//! each: everything overlaps, the last block may be shorter, and the pivots' rows are on the
//! GPU already when their turn comes.
//!
//! Reference: origin-out-of-core, katz-kider-2008, venkataraman-2003

use gpu_runtime::{Buffer, Event, Gpu, GpuError, Priority};
use graph_formats::Interrupted;
use pivots::{Counts, Share, Strip};
use sssp::Progress;

use super::arithmetic::Kernels;
use super::clock::{Clock, Phase};
use super::cut::{Cut, SLOTS};
use super::link::Link;
use super::panel::{Closer, Panel};
use super::product::{self, take_through};
use super::rows::{Rows, Turn, panels};
use crate::{ApspError, Phases};

/// A stream, and what the strip needs whose turn it is there.
#[derive(Debug)]
struct Slot {
    gpu: Gpu,
    /// The strip's columns at the pivots, turned over.
    turned: Buffer<u32>,
    /// Set when the last strip has been computed,
    computed: Event,
    /// and when it has been stored.
    done: Event,
}

/// Work space for matrices of one cut.
#[derive(Debug)]
pub(super) struct FloydWarshall {
    /// Where pivots are closed, before other work; what is urgent of that goes first still.
    gpu: Gpu,
    /// Where it is awaited that nobody needs the pivots before any more.
    gate: Gpu,
    free: Event,
    cut: Cut,
    closed: [Event; 2],
    slots: Vec<Slot>,
    closer: Closer,
    /// Room for the closed rows of other GPUs, where each keeps its own.
    panels: Option<[Buffer<u32>; 2]>,
    /// Of the matrices that are more than one block.
    clock: Option<Clock>,
}

impl FloydWarshall {
    pub(super) fn new(gpu: &Gpu, cut: Cut) -> Result<Self, GpuError> {
        let slot = |_| {
            Ok(Slot {
                gpu: gpu.new_stream(Priority::Normal)?,
                turned: gpu
                    .buffer(cut.arithmetic.turned(cut.strip_rows * cut.blocks.block_rows))?,
                computed: gpu.event()?,
                done: gpu.event()?,
            })
        };
        let form = Self {
            gpu: gpu.new_stream(Priority::Raised)?,
            gate: gpu.new_stream(Priority::Normal)?,
            free: gpu.event()?,
            cut,
            closed: [gpu.event()?, gpu.event()?],
            slots: (0..cut.n_slots()).map(slot).collect::<Result<_, GpuError>>()?,
            closer: Closer::new(gpu, cut.arithmetic, cut.blocks.block_rows, cut.side())?,
            panels: match cut.blocks.n_parts > 1 && !cut.passes {
                true => Some(panels(gpu, cut)?),
                false => None,
            },
            clock: (cut.blocks.count() > 1).then(|| Clock::new(gpu)).transpose()?,
        };
        // buffers are cleared on the first stream, and used on the others
        gpu.synchronize()?;
        Ok(form)
    }

    pub(super) fn panels(&self) -> Option<&[Buffer<u32>; 2]> {
        self.panels.as_ref()
    }

    /// Queues work of a phase, which is timed if any is.
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
}

/// What a GPU does of the work: the rows of its blocks, and room for it.
pub(super) struct Part<'a, R> {
    /// Which of the cut it is.
    pub(super) number: usize,
    pub(super) form: &'a FloydWarshall,
    pub(super) kernels: &'a Kernels,
    pub(super) rows: R,
    /// To the other parts, where they are of other ranks.
    pub(super) link: Option<&'a Link<'a>>,
}

/// Makes distances of the arcs in the rows of all parts, and waits for them; with a link, of those
/// that this rank has. Tells the phases in the mean of the parts.
pub(super) fn close<R: Rows>(
    parts: &[Part<'_, R>],
    progress: Option<Progress<'_>>,
) -> Result<(Counts, Phases), ApspError> {
    let timed = || parts.iter().filter_map(|part| Some((part, part.form.clock.as_ref()?)));
    timed().try_for_each(|(part, clock)| clock.start(&part.form.gpu))?;
    let queued = pivots::close(parts, progress);
    // nothing may go on using the matrix, whatever became of the rest
    let finished = parts.iter().try_for_each(|part| part.form.finish());
    let counts = queued?;
    finished?;
    let phases = timed().map(|(_, clock)| clock.phases()).collect::<Result<Vec<_>, _>>()?;
    Ok((counts, Phases::mean(&phases)))
}

impl<R: Rows> pivots::Part for Part<'_, R> {
    type Error = ApspError;

    fn share(&self) -> Share {
        self.form.cut.blocks.share(self.number)
    }

    fn n_strips(&self, block: usize) -> usize {
        self.form.cut.n_strips(block)
    }

    fn close(&self, block: usize, progress: Option<Progress<'_>>) -> Result<u64, ApspError> {
        let FloydWarshall { gpu, cut, closed, closer, slots, .. } = self.form;
        if block == 0 {
            self.rows.load_panel(gpu, block)?;
        }
        slots.iter().try_for_each(|slot| gpu.wait_for(&slot.computed))?;
        let panel = Panel { rows: self.rows.panel(block), first: cut.blocks.rows(block).start };
        let launches = self
            .form
            .time(Phase::Closing, gpu, || closer.close(gpu, self.kernels, panel, progress))?;
        closed[block % 2].record(gpu)?;
        self.rows.store_panel(gpu, block)?;
        Ok(launches)
    }

    fn receive(&self, block: usize, owner: Option<&Self>) -> Result<u64, ApspError> {
        let FloydWarshall { gpu, cut, free, closed, .. } = self.form;
        let (number, panel) = (cut.blocks.owner(block), self.rows.panel(block));
        let is_own = self.number == number;
        if is_own && self.link.is_none() {
            return Ok(0);
        }
        if !is_own {
            // the panel before the last was here
            gpu.wait_for(free)?;
        }
        match (self.link, owner) {
            (Some(link), _) => self.form.time(Phase::Sending, gpu, || {
                // SAFETY: the rows lie in the panel; nobody writes them in this turn, and where
                // they come to, nobody uses them before `closed`, or since the panel was free.
                unsafe { link.broadcast(gpu, panel, number) }
            })?,
            (None, Some(owner)) => {
                gpu.wait_for(&owner.form.closed[block % 2])?;
                let (from, at) = (owner.rows.panel(block), panel.range().start);
                self.form.time(Phase::Sending, gpu, || {
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
        let FloydWarshall { gate, free, slots, .. } = self.form;
        self.rows.wait_for_stored(gate, block + 1)?;
        slots.iter().try_for_each(|slot| gate.wait_for(&slot.computed))?;
        for other in parts {
            // it has its copy then
            gate.wait_for(&other.form.closed[(block + 1) % 2])?;
        }
        Ok(free.record(gate)?)
    }

    fn update(&self, pivots: usize, strip: Strip) -> Result<u64, ApspError> {
        let FloydWarshall { cut, slots, free, closed, .. } = self.form;
        let (number, strip_rows) = cut.strip(strip);
        // a strip has the same slot each time, so that it is loaded after it was stored
        let place = number % SLOTS;
        let Slot { gpu, turned, computed, done } = &slots[place];
        done.wait()?;
        let next = (strip.block == pivots + 1).then_some(strip.block);
        let turn = Turn { block: pivots, next, free };
        let rows = self.rows.load(gpu, turn, place, &strip_rows)?;
        gpu.wait_for(&closed[pivots % 2])?;
        let (columns, panel) = (rows.columns(cut.blocks.rows(pivots)), self.rows.panel(pivots));
        let taken = product::Strip { rows, columns, turned, panel };
        self.form.time(Phase::Updating, gpu, || {
            // SAFETY: the strip and its columns lie where they were loaded; the panel is closed,
            // and only read; `turned` is the slot's own.
            unsafe { Ok(take_through(gpu, self.kernels, &taken)?) }
        })?;
        computed.record(gpu)?;
        self.rows.store(gpu, turn, place, &strip_rows)?;
        done.record(gpu)?;
        Ok(product::LAUNCHES)
    }

    fn go_on(&self, is_ended: bool) -> Result<(), ApspError> {
        match self.link.map_or(Ok(is_ended), |link| link.any(is_ended))? {
            true => Err(Interrupted.into()),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
