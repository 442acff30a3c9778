//! Launches from one meeting to the next, between which the hosts of all ranks bring what each GPU has
//! for the others: `kernels/partitioned/meeting.cuh`.

use std::hint;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use bytemuck::Pod;
use collectives::Communicator;
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig, Mailbox, PinnedBuffer};
use search_parts::SearchError;

use super::bringer::{Bringer, Words};
use super::dealt::MAX_PARTS;
use super::together::{self, words_of_room};
use crate::PartitionedError;
use crate::messages::agree;

/// Words of 64 bits for where a search stands.
const STATE_WORDS: usize = 24;

/// `Brought` of `meeting.cuh`.
const NONE: u32 = 0;
const ENTRIES: u32 = 2;
const FIRST_ARRAY: u32 = 3;
const SECOND_ARRAY: u32 = 4;

/// Sizes of what a kernel of a search tells.
#[derive(Clone, Copy)]
pub(super) struct Told {
    /// The search's own words of the mailbox.
    pub(super) words: usize,
    /// Words of 64 bits of `Told`.
    pub(super) told_words: usize,
    /// The word of 32 bits that says how many entries were sent.
    pub(super) sent_at: usize,
}

/// What hosts bring to and from.
pub(super) struct Places<'a> {
    pub(super) inbox: &'a Buffer<u32>,
    pub(super) words_of_entry: usize,
    /// Entries that a part can be sent by another; if there are more, it is sent what that knows of its
    /// vertices, from the first array.
    pub(super) capacity: usize,
    /// Arrays over all vertices, and the words of a part.
    pub(super) arrays: [&'a Buffer<u32>; 2],
    pub(super) words_of_part: usize,
}

/// A rank's GPU in a search of all.
pub(super) struct Apart {
    gpu: Gpu,
    told: Told,
    mailbox: Mailbox,
    room: Buffer<u64>,
    state: Buffer<u64>,
    outbox: Buffer<u32>,
    /// What all have told this GPU.
    received: PinnedBuffer<u64>,
    /// The number of the last launch.
    number: u32,
}

impl Apart {
    /// `outbox` is the number of words for others.
    pub(super) fn new(
        gpu: &Gpu,
        n_parts: usize,
        told: Told,
        outbox: usize,
    ) -> Result<Self, GpuError> {
        let words = together::WORDS + told.words + 1 + 2 * told.told_words * n_parts;
        Ok(Self {
            gpu: gpu.clone(),
            mailbox: gpu.mailbox(words)?,
            room: gpu.buffer(words_of_room(told.told_words))?,
            state: gpu.buffer(STATE_WORDS)?,
            outbox: gpu.buffer(outbox)?,
            received: gpu.pinned(n_parts * told.told_words)?,
            told,
            number: 0,
        })
    }

    /// Bytes on the GPU.
    pub(super) fn bytes(told: &Told, outbox: usize) -> u64 {
        (8 * (words_of_room(told.told_words) + STATE_WORDS) + 4 * outbox) as u64
    }

    pub(super) fn host(&self) -> Result<u64, GpuError> {
        self.mailbox.address()
    }

    pub(super) fn room(&self) -> u64 {
        self.room.address()
    }

    pub(super) fn state(&self) -> u64 {
        self.state.address()
    }

    /// The address from which on a kernel of `part` counts the entries for another, `bytes` for each part: it
    /// takes those behind the entries of `part` parts.
    pub(super) fn outbox_of(&self, other: usize, part: u32, bytes: u64) -> u64 {
        let first = self.outbox.address() + other as u64 * bytes;
        first.wrapping_sub(u64::from(part) * bytes)
    }

    /// Searches with the GPUs of all ranks, which call it together. `argument` makes that of a launch of
    /// its number. `report` is told how far it is, and may end it. Returns the search's own words.
    ///
    /// # Errors
    /// That of `report` or a GPU of any rank, on all.
    ///
    /// # Safety
    /// The kernel must end by the words of the mailbox as `meeting.cuh` says, and stay within buffers of the
    /// GPU that outlive the call.
    pub(super) unsafe fn search<P: Pod>(
        &mut self,
        ranks: &dyn Communicator,
        bringer: &mut Bringer,
        kernel: (&Kernel, u32),
        places: &Places<'_>,
        argument: impl Fn(u32) -> P,
        mut report: impl FnMut(u32) -> Result<(), SearchError>,
    ) -> Result<Vec<u32>, PartitionedError> {
        let mut ended = report(0);
        let mut is_ready = self.room.fill_bytes(0).and_then(|()| self.state.fill_bytes(0));
        loop {
            self.mailbox[together::ENDS].store(ended.is_err().into(), Release);
            // SAFETY: the caller's.
            let launched = is_ready.and_then(|()| unsafe { self.launch(kernel, &argument) });
            let words: Vec<u32> = self.mailbox.iter().map(|word| word.load(Relaxed)).collect();
            let (own, told) = words[together::WORDS..].split_at(self.told.words);
            let (what, told) = (told[0], &told[1..]);
            // one that has failed tells nothing
            let n_words = if launched.is_ok() { 2 * self.told.told_words } else { 0 };
            let message = |other: usize| &told[other * n_words..][..n_words];
            let messages: Vec<&[u8]> =
                (0..ranks.size()).map(|other| bytemuck::cast_slice(message(other))).collect();
            let received = ranks.exchange_bytes(&messages)?;
            if received.iter().any(Vec::is_empty) {
                let failed = launched.map_err(|error| SearchError::from(error).into());
                agree(ranks, failed)?;
            }
            if ended.is_ok() {
                ended = report(words[together::STEPS]);
            }
            if what == NONE {
                let own = own.to_vec();
                agree(ranks, ended.map_err(PartitionedError::from))?;
                return Ok(own);
            }
            let sent_to = |other: usize| message(other)[self.told.sent_at] as usize;
            let sent_by = |other: usize| {
                let bytes = &received[other][4 * self.told.sent_at..][..4];
                bytemuck::pod_read_unaligned::<u32>(bytes) as usize
            };
            let rank = ranks.rank();
            let shape = (rank, ranks.size());
            let [sent, taken] = match what {
                ENTRIES => places.entries(&self.outbox, shape, sent_to, sent_by),
                FIRST_ARRAY => places.own_part(shape, 0),
                SECOND_ARRAY => places.own_part(shape, 1),
                _ => [Vec::new(), Vec::new()],
            };
            if !sent.is_empty() {
                // SAFETY: no launch is under way, and the next comes after what is queued.
                unsafe { bringer.exchange(ranks, &sent, &taken)? };
            }
            is_ready = self.take(&received);
        }
    }

    /// A launch, and waits for it.
    ///
    /// # Safety
    /// As for `search`.
    unsafe fn launch<P: Pod>(
        &mut self,
        (kernel, block): (&Kernel, u32),
        argument: impl Fn(u32) -> P,
    ) -> Result<(), GpuError> {
        self.number = self.number.wrapping_add(1).max(1);
        let blocks = kernel.occupancy(block, 0)? * self.gpu.properties().multiprocessors;
        let shape = LaunchConfig { cooperative: true, ..LaunchConfig::new(blocks, block) };
        let argument = argument(self.number);
        // SAFETY: the guarantee of the caller.
        unsafe { self.gpu.launch(kernel, shape, &[Arg::structure(&argument)])? };
        let mut looks = 0u32;
        while self.mailbox[together::NUMBER].load(Acquire) != self.number {
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(together::LOOKS) && self.gpu.has_failed() {
                self.gpu.synchronize()?;
            }
            hint::spin_loop();
        }
        Ok(())
    }

    /// Puts what all have told into the room, before the next launch.
    fn take(&mut self, received: &[Vec<u8>]) -> Result<(), GpuError> {
        let cells = self.received.chunks_exact_mut(self.told.told_words);
        for (cell, message) in cells.zip(received) {
            bytemuck::cast_slice_mut::<u64, u8>(cell).copy_from_slice(message);
        }
        // SAFETY: the memory is written again after the next launch, which comes after the copy.
        unsafe { self.gpu.queue_upload(&self.received, 0..self.received.len(), &self.room, 0) }
    }
}

impl<'a> Places<'a> {
    /// What is sent to each rank and taken from each: entries, by their numbers.
    fn entries(
        &self,
        outbox: &'a Buffer<u32>,
        (rank, n_ranks): (usize, usize),
        sent_to: impl Fn(usize) -> usize,
        sent_by: impl Fn(usize) -> usize,
    ) -> [Vec<Words<'a>>; 2] {
        let words = |other: usize, n: usize| {
            let first = other * self.capacity * self.words_of_entry;
            let len = if n > self.capacity { self.words_of_part } else { n * self.words_of_entry };
            first..first + len
        };
        let sent = |other: usize| match sent_to(other) {
            _ if other == rank => (outbox, 0..0),
            n if n > self.capacity => (self.arrays[0], self.part(other)),
            n => (outbox, words(other, n)),
        };
        let taken = |other: usize| match other == rank {
            true => (self.inbox, 0..0),
            false => (self.inbox, words(other, sent_by(other))),
        };
        [(0..n_ranks).map(sent).collect(), (0..n_ranks).map(taken).collect()]
    }

    /// The same where each sends its own part of an array.
    fn own_part(&self, (rank, n_ranks): (usize, usize), which: usize) -> [Vec<Words<'a>>; 2] {
        let array = self.arrays[which];
        let unless_own = |other: usize, part| (array, if other == rank { 0..0 } else { part });
        let sent = (0..n_ranks).map(|other| unless_own(other, self.part(rank)));
        let taken = (0..n_ranks).map(|other| unless_own(other, self.part(other)));
        [sent.collect(), taken.collect()]
    }

    fn part(&self, part: usize) -> std::ops::Range<usize> {
        part * self.words_of_part..(part + 1) * self.words_of_part
    }
}

/// Checks that the ranks are no more than the kernels know.
pub(super) fn check_parts(ranks: &dyn Communicator) -> Result<(), SearchError> {
    if ranks.size() > MAX_PARTS {
        let reason =
            format!("a graph is on the GPUs of up to {MAX_PARTS} ranks, not {}", ranks.size());
        return Err(SearchError::NotOnGpu { reason });
    }
    Ok(())
}
