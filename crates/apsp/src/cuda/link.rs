//! Copies between the GPUs of ranks: by NCCL, or through pinned memory.

use std::cell::RefCell;

use collectives::{Communicator, Nccl, RanksError};
use gpu_runtime::{Gpu, PinnedBuffer};

use super::tile::Tile;
use crate::ApspError;
use crate::error::agree;

/// A rank's GPU among those of all ranks.
pub(super) struct Link<'a> {
    ranks: &'a dyn Communicator,
    way: Way,
}

enum Way {
    /// From GPU to GPU, asynchronously.
    Nccl(Nccl),
    /// By the broadcast of the ranks, for which the host waits.
    Pinned(RefCell<PinnedBuffer<u32>>),
}

impl<'a> Link<'a> {
    /// A link for panels of up to `words` words, and a note that says how they travel. To be called
    /// by all ranks.
    pub(super) fn new(
        ranks: &'a dyn Communicator,
        gpu: &Gpu,
        max_words: usize,
    ) -> Result<(Self, String), ApspError> {
        // NCCL uses the current GPU, which this call sets
        let word = agree(ranks, gpu.buffer::<u32>(1).map_err(ApspError::from))?;
        let stream = agree(ranks, gpu.stream_handle().map_err(ApspError::from))?;
        let uuid = agree(ranks, gpu.uuid().map_err(ApspError::from))?;
        let connected = Nccl::between(ranks, uuid, |nccl| {
            // SAFETY: the word lies on the current GPU, and the stream is waited for.
            unsafe { nccl.broadcast(ranks, word.address(), size_of::<u32>(), 0, stream) }
                .map_err(|error| error.to_string())?;
            gpu.synchronize().map_err(|error| error.to_string())
        })?;
        Ok(match connected {
            Ok(nccl) => {
                let note = "; NCCL brings the rows of other ranks".to_owned();
                (Self { ranks, way: Way::Nccl(nccl) }, note)
            }
            Err(why) => {
                let memory = gpu.pinned(max_words).map_err(ApspError::from);
                let way = Way::Pinned(RefCell::new(agree(ranks, memory)?));
                let note =
                    format!("; rows of other ranks come through the hosts' memory, because {why}");
                (Self { ranks, way }, note)
            }
        })
    }

    /// Whether `own` is true on any rank. To be called by all ranks.
    pub(super) fn any(&self, own: bool) -> Result<bool, RanksError> {
        self.ranks.any(own)
    }

    /// Copies rows from the rank that owns them to the same place on all others, after the work
    /// that is queued on the stream.
    ///
    /// # Safety
    /// Until the stream has done it, no work writes the owner's rows, and all work on the rows of
    /// the others is ordered after it.
    pub(super) unsafe fn broadcast(
        &self,
        gpu: &Gpu,
        rows: Tile<'_>,
        owner: usize,
    ) -> Result<(), ApspError> {
        let words = rows.range();
        let len = words.len();
        match &self.way {
            Way::Nccl(nccl) => {
                let (stream, n_bytes) = (gpu.stream_handle()?, len * size_of::<u32>());
                // SAFETY: the rows lie in their buffer, which the stream's GPU has; the rest is
                // the caller's.
                unsafe { nccl.broadcast(self.ranks, rows.address(), n_bytes, owner, stream)? };
            }
            Way::Pinned(memory) => {
                let mut memory = memory.borrow_mut();
                if owner == self.ranks.rank() {
                    // SAFETY: the memory is borrowed here alone, and the copy is awaited.
                    unsafe { gpu.queue_download(rows.buffer, words, &mut memory, 0)? };
                    gpu.synchronize()?;
                    self.ranks.broadcast(owner, &mut memory[..len])?;
                } else {
                    self.ranks.broadcast(owner, &mut memory[..len])?;
                    // SAFETY: the copy is awaited, so that the memory may be written then.
                    unsafe { gpu.queue_upload(&memory, 0..len, rows.buffer, words.start)? };
                    gpu.synchronize()?;
                }
            }
        }
        Ok(())
    }
}
