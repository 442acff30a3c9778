//! A search on the device that the host times, listens to, and may end.
//!
//! The kernel's side is `kernels/common/watch.cuh`.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Duration;

use gpu_runtime::{Gpu, GpuError, Mailbox, Timer};

use crate::SsspError;

/// The longest time between two looks at a search under way.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// The clock, and two words that host and device share: whether the search is to end, and
/// how many steps it has done.
pub(super) struct Watch {
    timer: Timer,
    mailbox: Mailbox,
}

impl Watch {
    pub(super) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self { timer: gpu.timer()?, mailbox: gpu.mailbox(2)? })
    }

    /// Starts the clock. What a kernel is to be told of the two words: where they are, or 0
    /// where nobody listens.
    pub(super) fn start(&self, is_heard: bool) -> Result<u64, GpuError> {
        self.mailbox.iter().for_each(|word| word.store(0, Relaxed));
        let address = if is_heard { self.mailbox.address()? } else { 0 };
        self.timer.start()?;
        Ok(address)
    }

    /// Waits for the end of what was launched since the start, in milliseconds. Tells how
    /// many steps it has done meanwhile, and ends it early where that is the answer.
    pub(super) fn wait(
        &self,
        tell: Option<impl Fn(u64) -> ControlFlow<()>>,
    ) -> Result<f64, SsspError> {
        self.timer.stop()?;
        let [stop, steps] = &self.mailbox[..] else { unreachable!("it has two words") };
        let mut pause = Duration::from_micros(50);
        let mut ended = false;
        if let Some(tell) = tell {
            let _ending = EndOnPanic(self);
            while !self.timer.is_done()? {
                ended |= tell(u64::from(steps.load(Relaxed))).is_break();
                stop.store(ended.into(), Relaxed);
                thread::sleep(pause);
                pause = (2 * pause).min(LONGEST_PAUSE);
            }
        }
        let ms = self.timer.elapsed_ms()?;
        if ended { Err(SsspError::Interrupted) } else { Ok(ms) }
    }
}

/// Ends the search before a panic of the callback goes on, for what unwinds may own what the
/// kernel writes.
struct EndOnPanic<'a>(&'a Watch);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.mailbox[0].store(1, Relaxed);
            // who panics has no use for an error, too
            let _ = self.0.timer.elapsed_ms();
        }
    }
}
