//! What brings words from the GPU of each rank to those of the others: NCCL, or their hosts.

use std::ops::Range;

use collectives::{Communicator, Nccl};
use gpu_runtime::{Buffer, Gpu, GpuError, PinnedBuffer};
use search_parts::SearchError;

use crate::PartitionedError;
use crate::messages::agree;

/// Words of a buffer.
pub(super) type Words<'a> = (&'a Buffer<u32>, Range<usize>);

/// A rank's GPU among those of all ranks.
pub(super) struct Bringer {
    gpu: Gpu,
    way: Way,
}

enum Way {
    /// From GPU to GPU.
    Nccl(Nccl),
    /// Through this memory, which grows; and why.
    Hosts(PinnedBuffer<u32>, String),
}

impl Bringer {
    /// To be called by all ranks.
    pub(super) fn new(ranks: &dyn Communicator, gpu: &Gpu) -> Result<Self, PartitionedError> {
        // NCCL uses the current GPU, which this call sets
        let words = agree(ranks, gpu.buffer::<u32>(2 * ranks.size()).map_err(failed))?;
        let stream = agree(ranks, gpu.stream_handle().map_err(failed))?;
        let uuid = agree(ranks, gpu.uuid().map_err(failed))?;
        let others = |first: usize| -> Vec<_> {
            let message = |other: usize| {
                let address = words.address() + 4 * (first + other) as u64;
                (address, if other == ranks.rank() { 0 } else { size_of::<u32>() })
            };
            (0..ranks.size()).map(message).collect()
        };
        let connected = Nccl::between(ranks, uuid, |nccl| {
            // SAFETY: the words lie on the current GPU, and the stream is waited for.
            unsafe { nccl.exchange(ranks, &others(0), &others(ranks.size()), stream) }
                .map_err(|error| error.to_string())?;
            gpu.synchronize().map_err(|error| error.to_string())
        })?;
        let way = match connected {
            Ok(nccl) => Way::Nccl(nccl),
            Err(why) => Way::Hosts(agree(ranks, gpu.pinned(0).map_err(failed))?, why),
        };
        Ok(Self { gpu: gpu.clone(), way })
    }

    /// Why hosts bring the words, if they do.
    pub(super) fn reason(&self) -> Option<&str> {
        match &self.way {
            Way::Nccl(_) => None,
            Way::Hosts(_, why) => Some(why),
        }
    }

    /// Exchanges words between all ranks, after the work that is queued: `sent` to each, in their order,
    /// `received` from each, as many as that sends. This rank's own are empty.
    ///
    /// # Safety
    /// Until the next work on the GPU is done, nothing else uses what is received, or writes what is sent.
    pub(super) unsafe fn exchange(
        &mut self,
        ranks: &dyn Communicator,
        sent: &[Words<'_>],
        received: &[Words<'_>],
    ) -> Result<(), PartitionedError> {
        let memory = match &mut self.way {
            Way::Nccl(nccl) => {
                let stream = agree(ranks, self.gpu.stream_handle().map_err(failed))?;
                let places = |words: &[Words<'_>]| words.iter().map(place).collect::<Vec<_>>();
                // SAFETY: the words lie in their buffers, on the stream's GPU; the rest is the caller's.
                unsafe { nccl.exchange(ranks, &places(sent), &places(received), stream)? };
                return Ok(());
            }
            Way::Hosts(memory, _) => memory,
        };
        // SAFETY: the copies are waited for.
        let own = unsafe { download(&self.gpu, memory, sent) };
        agree(ranks, own.map_err(failed))?;
        let mut rest: &[u32] = memory;
        let mut messages: Vec<&[u8]> = Vec::with_capacity(sent.len());
        for (_, range) in sent {
            let (words, others) = rest.split_at(range.len());
            messages.push(bytemuck::cast_slice(words));
            rest = others;
        }
        let bytes = ranks.exchange_bytes(&messages)?;
        // SAFETY: the caller's.
        let taken = unsafe { upload(&self.gpu, memory, &bytes, received) };
        agree(ranks, taken.map_err(failed))
    }
}

fn failed(error: GpuError) -> PartitionedError {
    SearchError::from(error).into()
}

/// The address of words, and their bytes.
fn place((buffer, range): &Words<'_>) -> (u64, usize) {
    let address = buffer.address() + (size_of::<u32>() * range.start) as u64;
    (address, size_of::<u32>() * range.len())
}

/// Makes room for words in the memory.
fn grow(gpu: &Gpu, memory: &mut PinnedBuffer<u32>, words: &[Words<'_>]) -> Result<(), GpuError> {
    let n_words: usize = words.iter().map(|(_, range)| range.len()).sum();
    if n_words > memory.len() {
        *memory = gpu.pinned(n_words.next_power_of_two())?;
    }
    Ok(())
}

/// Copies words to the memory, one after the other.
///
/// # Safety
/// Nothing else uses them meanwhile.
unsafe fn download(
    gpu: &Gpu,
    memory: &mut PinnedBuffer<u32>,
    words: &[Words<'_>],
) -> Result<(), GpuError> {
    grow(gpu, memory, words)?;
    let mut at = 0;
    for (buffer, range) in words.iter().filter(|(_, range)| !range.is_empty()) {
        // SAFETY: the caller's, and the copy is waited for.
        unsafe { gpu.queue_download(buffer, range.clone(), memory, at)? };
        at += range.len();
    }
    gpu.synchronize()
}

/// Copies messages to their places.
///
/// # Safety
/// As for `exchange`.
unsafe fn upload(
    gpu: &Gpu,
    memory: &mut PinnedBuffer<u32>,
    messages: &[Vec<u8>],
    words: &[Words<'_>],
) -> Result<(), GpuError> {
    grow(gpu, memory, words)?;
    let mut at = 0;
    for (message, (buffer, range)) in messages.iter().zip(words) {
        let end = at + range.len();
        bytemuck::cast_slice_mut::<u32, u8>(&mut memory[at..end]).copy_from_slice(message);
        // SAFETY: the memory is written again after the next work, which comes after the copy.
        unsafe { gpu.queue_upload(memory, at..end, buffer, range.start)? };
        at = end;
    }
    Ok(())
}
