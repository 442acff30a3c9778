//! Blocked Floyd-Warshall by a GPU, wherever the rows of the matrix are kept: in its own memory,
//! or in pinned memory of the host, from where they pass through it in strips.
//!
//! For each block of pivots: its rows are closed as a matrix of their own is ([`Closer`]); then
//! every other strip of rows takes the sums of its pivots' columns, as they were, and the closed
//! rows. A row of the matrix needs no other columns than its own, so that no panel of columns is
//! kept, and sums with the closed rows close the columns too. Strips take turns on a few streams;
//! where they pass through the GPU, each is loaded, computed and stored in order, so that copies
//! in both directions run beside the arithmetic. The strips of the next pivots come first, so
//! that closing them runs beside the rest (look-ahead).
//!
//! Wide blocks pass over the matrix less often, and keep its tiles in registers for longer. A
//! matrix of few vertices is one block. O(n³), and where rows pass through the GPU 8 n³ / b
//! bytes over the bus for numbers of 4 bytes and blocks of b rows.
//!
//! Several GPUs share the blocks by turns. The one that has a block closes it and the others copy
//! it, 4 n b bytes, which with the look-ahead runs beside the rest too. Where they are of several
//! ranks, each rank goes through the same blocks with the one that it has, and a [`Link`] brings
//! it what others close.
//!
//! What differs from the published form, which loads panels and blocks by turns and waits for
//! each: everything overlaps, the last block may be shorter, and the pivots' rows are on the
//! GPU already when their turn comes.
//!
//! Reference: origin-out-of-core, katz-kider-2008, venkataraman-2003

use std::ops::Range;

use gpu_runtime::{Buffer, Event, Gpu, GpuError, Priority};
use sssp::{Progress, SsspError};

use super::arithmetic::Kernels;
use super::cut::{Cut, SLOTS};
use super::link::Link;
use super::panel::{Closer, Panel};
use super::product::{self, Strip, take_through};
use super::rows::{Rows, Turn, panels};
use crate::ApspError;

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
}

impl FloydWarshall {
    pub(super) fn new(gpu: &Gpu, cut: Cut) -> Result<Self, GpuError> {
        let slot = |_| {
            Ok(Slot {
                gpu: gpu.new_stream(Priority::Normal)?,
                turned: gpu.buffer(cut.arithmetic.turned(cut.strip_rows * cut.block_rows))?,
                computed: gpu.event()?,
                done: gpu.event()?,
            })
        };
        let schedule = Self {
            gpu: gpu.new_stream(Priority::Raised)?,
            gate: gpu.new_stream(Priority::Normal)?,
            free: gpu.event()?,
            cut,
            closed: [gpu.event()?, gpu.event()?],
            slots: (0..cut.n_slots()).map(slot).collect::<Result<_, GpuError>>()?,
            closer: Closer::new(gpu, cut.arithmetic, cut.block_rows, cut.side)?,
            panels: match cut.n_parts > 1 && !cut.passes {
                true => Some(panels(gpu, cut)?),
                false => None,
            },
        };
        // buffers are cleared on the first stream, and used on the others
        gpu.synchronize()?;
        Ok(schedule)
    }

    pub(super) fn panels(&self) -> Option<&[Buffer<u32>; 2]> {
        self.panels.as_ref()
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
}

/// Makes distances of the arcs in the rows of all parts, and waits for them; with a link, of those
/// that this rank has. Returns how many launches that took, and how many strips.
pub(super) fn close<R: Rows>(
    parts: &[Part<'_, R>],
    link: Option<&Link<'_>>,
    progress: Option<Progress<'_>>,
) -> Result<(u64, u64), ApspError> {
    let found = queue_all(parts, link, progress);
    // nothing may go on using the matrix, whatever became of the rest
    let finished = parts.iter().try_for_each(|part| part.form.finish());
    let counts = found?;
    finished?;
    Ok(counts)
}

/// The algorithm: what is queued runs beside the rest as far as events let it.
fn queue_all<R: Rows>(
    parts: &[Part<'_, R>],
    link: Option<&Link<'_>>,
    progress: Option<Progress<'_>>,
) -> Result<(u64, u64), ApspError> {
    let cut = parts[0].form.cut;
    let n_blocks = cut.n_blocks();
    let only = progress.filter(|_| n_blocks == 1);
    let mut launches = 0;
    if let Some(part) = owner_of(parts, 0) {
        part.load_panel(0)?;
        launches += part.close_panel(0, only)?;
    }
    if n_blocks == 1 {
        return Ok((launches, 0));
    }
    let own = |block: &usize| parts.iter().any(|part| part.number == cut.owner(*block));
    let n_strips: usize =
        (0..n_blocks).filter(own).map(|block| cut.strips_of_block(block).count()).sum();
    let total = ((n_blocks - 1) * n_strips) as u64;
    let mut strips = 0;
    for block in 0..n_blocks {
        hand_out_panel(parts, link, block)?;
        free_rows_before(parts, block)?;
        let next = block + 1;
        if next < n_blocks
            && let Some(part) = owner_of(parts, next)
        {
            for (number, strip) in cut.strips_of_block(next) {
                part.update(block, Some(next), number, strip)?;
                strips += 1;
            }
            part.await_updates()?;
            launches += part.close_panel(next, None)?;
        }
        // the block before comes last: its rows are needed as they are for the longest
        let others: Vec<_> = (block + 2..n_blocks).chain(0..block).collect();
        let strips_of = |part: &Part<'_, R>| {
            let number = part.number;
            let own = others.iter().filter(move |&&other| cut.owner(other) == number);
            own.flat_map(|&other| cut.strips_of_block(other))
        };
        let mut queues: Vec<_> = parts.iter().map(strips_of).collect();
        let (mut is_left, mut is_ended) = (true, false);
        while is_left && !is_ended {
            is_left = false;
            for (part, queue) in parts.iter().zip(&mut queues) {
                let Some((number, strip)) = queue.next() else { continue };
                is_ended |= progress.is_some_and(|tell| tell(strips, total).is_break());
                if is_ended {
                    break;
                }
                part.update(block, None, number, strip)?;
                strips += 1;
                is_left = true;
            }
        }
        // a rank that ends alone would leave the others' GPUs waiting
        if link.map_or(Ok(is_ended), |link| link.any(is_ended))? {
            return Err(SsspError::Interrupted.into());
        }
    }
    Ok((launches + product::LAUNCHES * strips, strips))
}

/// The part that has a block, if it is here.
fn owner_of<'p, 'a, R>(parts: &'p [Part<'a, R>], block: usize) -> Option<&'p Part<'a, R>> {
    let number = parts[0].form.cut.owner(block);
    parts.iter().find(|part| part.number == number)
}

/// Copies the closed rows of a block from the GPU that has them to all others.
fn hand_out_panel<R: Rows>(
    parts: &[Part<'_, R>],
    link: Option<&Link<'_>>,
    block: usize,
) -> Result<(), ApspError> {
    let number = parts[0].form.cut.owner(block);
    let owner = owner_of(parts, block);
    for part in parts {
        let FloydWarshall { gpu, free, closed, .. } = part.form;
        let (here, panel) = (part.number == number, part.rows.panel(block));
        if here && link.is_none() {
            continue;
        }
        if !here {
            // the panel before the last was here
            gpu.wait_for(free)?;
        }
        match (link, owner) {
            // SAFETY: the rows lie in the panel; nobody writes them in this turn, and where they
            // come to, nobody uses them before `closed`, or since the panel was free.
            (Some(link), _) => unsafe { link.broadcast(gpu, panel, number)? },
            (None, Some(owner)) => {
                gpu.wait_for(&owner.form.closed[block % 2])?;
                let from = owner.rows.panel(block);
                // SAFETY: as above.
                unsafe {
                    gpu.queue_copy(from.buffer, from.range(), panel.buffer, panel.range().start)?
                }
            }
            (None, None) => {}
        }
        closed[block % 2].record(gpu)?;
    }
    Ok(())
}

/// Sets `free` when nobody needs the rows any more of the block before as pivots.
fn free_rows_before<R: Rows>(parts: &[Part<'_, R>], block: usize) -> Result<(), GpuError> {
    for Part { form, rows, .. } in parts {
        rows.wait_for_stored(&form.gate, block + 1)?;
        for slot in &form.slots {
            form.gate.wait_for(&slot.computed)?;
        }
        for other in parts {
            // it has its copy then
            form.gate.wait_for(&other.form.closed[(block + 1) % 2])?;
        }
        form.free.record(&form.gate)?;
    }
    Ok(())
}

impl<R: Rows> Part<'_, R> {
    fn load_panel(&self, block: usize) -> Result<(), GpuError> {
        self.rows.load_panel(&self.form.gpu, block)
    }

    /// Closes the rows of a block among themselves; returns the number of launches.
    fn close_panel(&self, block: usize, progress: Option<Progress<'_>>) -> Result<u64, ApspError> {
        let FloydWarshall { gpu, cut, closed, closer, .. } = self.form;
        let panel = Panel { rows: self.rows.panel(block), first: cut.rows_of_block(block).start };
        let launches = closer.close(gpu, self.kernels, panel, progress)?;
        closed[block % 2].record(gpu)?;
        self.rows.store_panel(gpu, block)?;
        Ok(launches)
    }

    /// Lets what is closed next wait for all updates until now.
    fn await_updates(&self) -> Result<(), GpuError> {
        let FloydWarshall { gpu, slots, .. } = self.form;
        slots.iter().try_for_each(|slot| gpu.wait_for(&slot.computed))
    }

    /// Takes a strip of rows through a block of pivots; where it is of the `next` one, to stay
    /// there.
    fn update(
        &self,
        block: usize,
        next: Option<usize>,
        number: usize,
        strip: Range<usize>,
    ) -> Result<(), GpuError> {
        let FloydWarshall { cut, slots, free, closed, .. } = self.form;
        let pivots = cut.rows_of_block(block);
        // a strip has the same slot each time, so that it is loaded after it was stored
        let place = number % SLOTS;
        let Slot { gpu, turned, computed, done } = &slots[place];
        done.wait()?;
        let turn = Turn { block, next, free };
        let rows = self.rows.load(gpu, turn, place, &strip)?;
        gpu.wait_for(&closed[block % 2])?;
        let (columns, panel) = (rows.columns(pivots), self.rows.panel(block));
        let taken = Strip { rows, columns, turned, panel };
        // SAFETY: the strip and its columns lie where they were loaded; the panel is closed, and
        // only read; `turned` is the slot's own.
        unsafe { take_through(gpu, self.kernels, &taken)? };
        computed.record(gpu)?;
        self.rows.store(gpu, turn, place, &strip)?;
        done.record(gpu)
    }
}

#[cfg(test)]
mod tests;
