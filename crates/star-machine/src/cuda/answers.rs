//! Results of kernels that the host needs, and memory that their blocks share.
//!
//! A result is a word of the host's memory that the kernel writes. The host polls this word.
//! Waiting for the stream and copying the result would take longer. A host that has polled for a
//! millisecond in vain waits for the stream, which reports a kernel that failed.

use std::hint;
use std::sync::atomic::Ordering::{Acquire, SeqCst};
use std::time::{Duration, Instant};

use gpu_runtime::{Buffer, Gpu, GpuError, Mailbox};

/// The word before a result is written. Results are numbers below 2³¹, or all ones for none.
const PENDING: u32 = 1 << 31;
const NONE: u32 = u32::MAX;
/// How long the host polls before it waits for the stream.
const PATIENCE: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub(super) struct Answers {
    gpu: Gpu,
    mailbox: Mailbox,
    address: u64,
    /// Three times `Meeting.least` of `fused.cu`, its `arrived`, and `Together` of
    /// `questions.cu`.
    common: Buffer<u32>,
    /// What `Meeting` is to have next.
    arrived: u32,
    turn: u32,
}

/// The words of [`Answers::common`].
const COMMON: [u32; 10] = [NONE, NONE, NONE, NONE, NONE, NONE, 0, NONE, 0, 0];
/// Where `arrived` and `Together` begin, in bytes.
const ARRIVED: u64 = 24;
const TOGETHER: u64 = 28;

/// `Meeting` of `fused.cu`.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Meeting {
    least: u64,
    arrived: u64,
    expected: u32,
    turn: u32,
}

impl Answers {
    pub(super) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let (mailbox, common) = (gpu.mailbox(1)?, gpu.upload(&COMMON)?);
        let address = mailbox.address()?;
        Ok(Self { gpu: gpu.clone(), mailbox, address, common, arrived: 0, turn: 0 })
    }

    /// Where a kernel writes its answer.
    pub(super) fn address(&self) -> u64 {
        self.address
    }

    /// Where blocks put together what they have found.
    pub(super) fn together(&self) -> u64 {
        self.common.address() + TOGETHER
    }

    /// What the next launch for a least number gets.
    pub(super) fn meeting(&self) -> Meeting {
        let least = self.common.address();
        Meeting { least, arrived: least + ARRIVED, expected: self.arrived, turn: self.turn }
    }

    /// Records a launch of `blocks` blocks that look at `pieces` pieces of columns.
    pub(super) fn met(&mut self, blocks: u32, pieces: u32) {
        self.arrived = self.arrived.wrapping_add(blocks.wrapping_mul(pieces));
        self.turn = (self.turn + pieces % 3) % 3;
    }

    /// To be called before a launch that has a result.
    pub(super) fn expect(&self) {
        self.mailbox[0].store(PENDING, SeqCst);
    }

    /// Waits for the result of the launch.
    pub(super) fn wait(&self) -> Result<Option<u32>, GpuError> {
        let start = Instant::now();
        let mut answer = PENDING;
        while answer == PENDING && start.elapsed() < PATIENCE {
            hint::spin_loop();
            answer = self.mailbox[0].load(Acquire);
        }
        if answer == PENDING {
            self.gpu.synchronize()?;
            answer = self.mailbox[0].load(Acquire);
        }
        Ok((answer != NONE).then_some(answer))
    }
}

#[cfg(test)]
mod tests {
    use test_support::layout::{layout_in, number};
    use test_support::{assert_same_layout, kernel_source};

    use super::*;

    #[test]
    fn blocks_meet_where_the_kernels_look() {
        assert_same_layout! { Meeting as "Meeting" of ["star/fused.cu"]:
            least, arrived, expected, turn
        }
        // three numbers of 64 bits, then what has arrived, then `Together`
        let questions = kernel_source!("star/questions.cu");
        let (fields, size) = layout_in(&[questions], "Together");
        let fields: Vec<_> =
            fields.iter().map(|(name, offset, _)| (name.as_str(), *offset as u64)).collect();
        assert_eq!(fields, [("first", 0), ("count", 4), ("arrived", 8)]);
        assert_eq!((ARRIVED, TOGETHER), (3 * 8, ARRIVED + 4));
        assert_eq!(TOGETHER as usize + size, size_of_val(&COMMON));
        // as they are before the first launch
        assert_eq!(COMMON[..6], [NONE; 6]);
        assert_eq!(COMMON[6..], [0, NONE, 0, 0]);
        assert_eq!(number(questions, "u32 none"), NONE);
    }
}
