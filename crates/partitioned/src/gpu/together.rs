//! One launch on each GPU, all at once, whose blocks meet: `kernels/partitioned/meeting.cuh`.

use std::hint;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::{Mutex, PoisonError};

use bytemuck::Pod;
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig, Mailbox};
use search_parts::SearchError;

use super::dealt::MAX_PARTS;

/// Blocks of two searches would wait for each other's places, and neither leave the other room.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// How often the host looks before it asks whether a GPU has failed.
pub(super) const LOOKS: u32 = 1 << 20;
/// The first words of a mailbox, as the kernels know them.
pub(super) const NUMBER: usize = 0;
pub(super) const ENDS: usize = 1;
pub(super) const STEPS: usize = 2;
const FAILS: usize = 3;
const WAITED: usize = 4;
/// Where a search's own words begin.
pub(super) const WORDS: usize = 6;

/// Words of 64 bits of a `Room` where what is told has `told_words`.
pub(super) fn words_of_room(told_words: usize) -> usize {
    (2 * MAX_PARTS + 1) * told_words + (MAX_PARTS + 2) / 2
}

/// GPUs that search together.
pub(super) struct Together {
    gpus: Vec<Gpu>,
    mailboxes: Vec<Mailbox>,
    rooms: Vec<Buffer<u64>>,
    /// The number of the last search.
    number: u32,
    /// The time for which a GPU has waited for the others in the last search, the mean of all, in
    /// milliseconds.
    pub(super) waiting_ms: f64,
}

impl Together {
    /// Mailboxes with `n_words` words of a search's own, and rooms where what is told has
    /// `told_words` words of 64 bits.
    pub(super) fn new(gpus: &[Gpu], n_words: usize, told_words: usize) -> Result<Self, GpuError> {
        let mailbox = |gpu: &Gpu| gpu.mailbox(WORDS + n_words);
        let mailboxes = gpus.iter().map(mailbox).collect::<Result<_, _>>()?;
        let room = |gpu: &Gpu| gpu.buffer(words_of_room(told_words));
        let rooms = gpus.iter().map(room).collect::<Result<_, _>>()?;
        Ok(Self { gpus: gpus.to_vec(), mailboxes, rooms, number: 0, waiting_ms: 0.0 })
    }

    /// The address of a GPU's words.
    pub(super) fn host(&self, part: usize) -> Result<u64, GpuError> {
        self.mailboxes[part].address()
    }

    /// The address of a GPU's room.
    pub(super) fn room(&self, part: usize) -> u64 {
        self.rooms[part].address()
    }

    /// Searches: launches the kernel of each GPU with what `argument` makes of its number, that of the
    /// search too. Returns the search's own words of each GPU. `report` is told how far it is, and may end it.
    ///
    /// # Errors
    /// That of `report`, and [`SearchError::Gpu`]; no GPU works any more.
    ///
    /// # Safety
    /// The kernels must end by the words of the mailboxes as `meeting.cuh` says, and stay within
    /// buffers of these GPUs that outlive the call.
    pub(super) unsafe fn search<P: Pod>(
        &mut self,
        kernels: &[Kernel],
        block: u32,
        argument: impl Fn(usize, u32) -> P,
        mut report: impl FnMut(u32) -> Result<(), SearchError>,
    ) -> Result<Vec<Vec<u32>>, SearchError> {
        report(0)?;
        let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        self.number = self.number.wrapping_add(1).max(1);
        for (mailbox, room) in self.mailboxes.iter().zip(&mut self.rooms) {
            mailbox.iter().for_each(|word| word.store(0, Relaxed));
            room.fill_bytes(0)?;
        }
        // a GPU writes into the rooms of others
        self.gpus.iter().try_for_each(Gpu::synchronize)?;
        let failing = StopOnDrop(self);
        for (part, (gpu, kernel)) in self.gpus.iter().zip(kernels).enumerate() {
            let room = kernel.occupancy(block, 0)? * gpu.properties().multiprocessors;
            let blocks = room / self.n_parts_on(gpu);
            let shape = LaunchConfig { cooperative: true, ..LaunchConfig::new(blocks, block) };
            let argument = argument(part, self.number);
            // SAFETY: the guarantee of the caller.
            unsafe { gpu.launch(kernel, shape, &[Arg::structure(&argument)])? };
        }
        let ended = self.wait(&mut report)?;
        std::mem::forget(failing);
        ended?;
        let words =
            |mailbox: &Mailbox| mailbox[WAITED..].iter().map(|word| word.load(Relaxed)).collect();
        let mut all: Vec<Vec<u32>> = self.mailboxes.iter().map(words).collect();
        let waited: u64 = all.iter().map(|words| number(words)).sum();
        self.waiting_ms = waited as f64 / all.len() as f64 / 1e6;
        all.iter_mut().for_each(|words| drop(words.drain(..WORDS - WAITED)));
        Ok(all)
    }

    /// How many parts share a GPU, which is one outside of tests.
    fn n_parts_on(&self, gpu: &Gpu) -> u32 {
        let ordinals = self.gpus.iter().map(|gpu| gpu.properties().ordinal);
        ordinals.filter(|&ordinal| ordinal == gpu.properties().ordinal).count() as u32
    }

    /// Waits until all GPUs have ended. The inner error is that of `report`.
    fn wait(
        &self,
        report: &mut impl FnMut(u32) -> Result<(), SearchError>,
    ) -> Result<Result<(), SearchError>, GpuError> {
        let (mut ended, mut steps) = (Ok(()), 0);
        for (mailbox, gpu) in self.mailboxes.iter().zip(&self.gpus) {
            let mut looks = 0u32;
            while mailbox[NUMBER].load(Acquire) != self.number {
                let now = self.mailboxes[0][STEPS].load(Relaxed);
                if now != steps && ended.is_ok() {
                    steps = now;
                    ended = report(steps);
                    self.mailboxes[0][ENDS].store(ended.is_err().into(), Release);
                }
                looks = looks.wrapping_add(1);
                if looks.is_multiple_of(LOOKS) && gpu.has_failed() {
                    gpu.synchronize()?;
                }
                hint::spin_loop();
            }
        }
        Ok(ended)
    }
}

/// Ends what is launched, where a GPU has failed or a callback panics, and waits for it.
struct StopOnDrop<'a>(&'a Together);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.mailboxes.iter().for_each(|mailbox| mailbox[FAILS].store(1, Release));
        for gpu in &self.0.gpus {
            // the error that led here is the one to return
            let _ = gpu.synchronize();
        }
    }
}

/// A number of 64 bits in two words.
pub(super) fn number(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}
