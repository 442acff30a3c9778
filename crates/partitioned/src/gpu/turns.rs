//! Turns: what all GPUs have queued, and what each tells the host at its end.

use std::hint;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use gpu_runtime::{Gpu, GpuError, LaunchConfig, Mailbox};
use search_parts::all_threads;

use super::crew::Launch;

/// How often the host looks before it asks whether a GPU has failed.
const LOOKS: u32 = 1 << 20;

/// The word that ends all waiting of GPUs for each other: `stop_word` of `part.cuh`.
const STOP: usize = 1;

/// GPUs that work in turns.
pub(super) struct Turns {
    mailboxes: Vec<Mailbox>,
    /// The number of the present turn, from 1.
    pub(super) number: u32,
    /// The number of the last meeting.
    pub(super) meeting: u32,
}

impl Turns {
    /// A mailbox of `n_words` for each GPU; its first word is the number of the turn that ended.
    pub(super) fn new(gpus: &[Gpu], n_words: usize) -> Result<Self, GpuError> {
        let mailboxes = gpus.iter().map(|gpu| gpu.mailbox(n_words)).collect::<Result<_, _>>()?;
        Ok(Self { mailboxes, number: 0, meeting: 0 })
    }

    pub(super) fn mailbox(&self, part: usize) -> &Mailbox {
        &self.mailboxes[part]
    }

    /// Waits until all GPUs have ended the turn, and returns the words of each. `check` returns the error
    /// of a launch.
    pub(super) fn wait<const N: usize>(
        &self,
        gpus: &[Gpu],
        check: impl Fn() -> Result<(), GpuError>,
    ) -> Result<Vec<[u32; N]>, GpuError> {
        for (mailbox, gpu) in self.mailboxes.iter().zip(gpus) {
            let mut looks = 0u32;
            while mailbox[0].load(Acquire) != self.number {
                looks = looks.wrapping_add(1);
                if looks.is_multiple_of(LOOKS) {
                    check()?;
                    if gpu.has_failed() {
                        gpu.synchronize()?;
                    }
                }
                hint::spin_loop();
            }
        }
        let words = |mailbox: &Mailbox| std::array::from_fn(|at| mailbox[at].load(Relaxed));
        Ok(self.mailboxes.iter().map(words).collect())
    }

    /// Ends what is queued, where not all GPUs have queued the same, and waits for it.
    pub(super) fn stop(&self, gpus: &[Gpu]) {
        let tell =
            |word| self.mailboxes.iter().for_each(|mailbox| mailbox[STOP].store(word, Release));
        tell(1);
        // the error that led here is the one to return
        let _ = gpus.iter().try_for_each(Gpu::synchronize);
        tell(0);
    }
}

/// What a kernel does in a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It works on what its GPU has.
    Works,
    /// It waits, as one warp, for what all others have queued before it.
    Meets,
    /// It reads what the others have made for it.
    Receives,
}

/// The launches by which `gpu` makes these steps. If it `is_alone`, steps that need other GPUs are left out.
/// `argument` makes the argument of a launch, and is told whether the launch is the last of the turn.
pub(super) fn launches<T>(
    gpu: &Gpu,
    steps: &[(usize, Role)],
    is_alone: bool,
    argument: impl Fn(bool) -> T,
) -> Vec<Launch<T>> {
    let is_made = |&&(_, role): &&(usize, Role)| !is_alone || role == Role::Works;
    let made: Vec<_> = steps.iter().filter(is_made).collect();
    let launch = |(at, &&(kernel, role)): (usize, &&(usize, Role))| {
        let shape = match role {
            Role::Meets => LaunchConfig::new(1, 32),
            _ => all_threads(gpu),
        };
        (kernel, shape, argument(at + 1 == made.len()))
    };
    made.iter().enumerate().map(launch).collect()
}

/// A number of 64 bits in two words.
pub(super) fn number(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}
