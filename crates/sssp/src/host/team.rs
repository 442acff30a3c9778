//! Threads that work in step.
//!
//! A bucket of Δ-stepping may take a few microseconds, less than it takes the kernel
//! to wake a thread, so the threads of a team spin at their barrier, and give the
//! processor away only when one of them is late.
//!
//! A thread that panics, in a callback of the user's perhaps, will not come to the barrier
//! again. It breaks it, so that the others leave too, and the panic goes on in the caller.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Turns of the spin loop before a waiting thread yields its processor.
const SPINS: u32 = 2_000;

/// The states of the gate that a team waits at until all of it is there.
const SHUT: u8 = 0;
const OPEN: u8 = 1;
const OFF: u8 = 2;

/// A barrier for a fixed number of threads, usable again and again.
pub(crate) struct Barrier {
    n_threads: usize,
    arrived: AtomicUsize,
    generation: AtomicUsize,
    broken: AtomicBool,
}

/// What unwinds the threads whose barrier another has broken.
struct Broken;

impl Barrier {
    pub(crate) fn new(n_threads: usize) -> Self {
        Self {
            n_threads,
            arrived: AtomicUsize::new(0),
            generation: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
        }
    }

    /// Whether a thread of the team has panicked.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// Returns when every thread of the team has called it. What each wrote before is
    /// seen by all afterwards. Unwinds where one has panicked.
    pub(crate) fn wait(&self) {
        let generation = self.generation.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.n_threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.generation.store(generation.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut spins = 0;
        while self.generation.load(Ordering::Acquire) == generation {
            if self.is_broken() {
                // without the message of a panic, which has been given
                resume_unwind(Box::new(Broken));
            }
            spins += 1;
            if spins < SPINS {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}

/// Runs `work` on as many threads at once as there are `locals`, the caller's among
/// them; each gets its number, one of them, and the team's barrier. Returns false, and has
/// done nothing, when the system refuses a thread: to wait for it would be to wait for ever.
///
/// # Panics
/// When `work` does on any thread, with what the first one panicked with.
///
/// These are threads of their own, not tasks of a pool: tasks that wait for one
/// another would block a pool whose threads are busy elsewhere.
pub(crate) fn run<T: Send>(
    locals: &mut [T],
    work: impl Fn(usize, &mut T, &Barrier) + Sync,
) -> bool {
    let barrier = Barrier::new(locals.len());
    let Some((first, others)) = locals.split_first_mut() else { return true };
    let gate = AtomicU8::new(SHUT);
    let panic = Mutex::new(None);
    let work = |index, local: &mut T| {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| work(index, local, &barrier))) {
            keep_first(&panic, payload);
            barrier.broken.store(true, Ordering::Release);
        }
    };
    let all_there = std::thread::scope(|scope| {
        for (index, local) in others.iter_mut().enumerate() {
            let (work, gate) = (&work, &gate);
            let thread = std::thread::Builder::new();
            let spawned = thread.spawn_scoped(scope, move || {
                while gate.load(Ordering::Acquire) == SHUT {
                    std::thread::yield_now();
                }
                if gate.load(Ordering::Acquire) == OPEN {
                    work(index + 1, local);
                }
            });
            if spawned.is_err() {
                gate.store(OFF, Ordering::Release);
                return false;
            }
        }
        gate.store(OPEN, Ordering::Release);
        work(0, first);
        true
    });
    match panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(payload) => resume_unwind(payload),
        None => all_there,
    }
}

/// Keeps what the first thread panicked with.
fn keep_first(panic: &Mutex<Option<Box<dyn Any + Send>>>, payload: Box<dyn Any + Send>) {
    panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn nobody_passes_early() {
        let (n_threads, n_rounds) = (4, 500);
        let counter = AtomicU64::new(0);
        let mut late = vec![0u64; n_threads];
        run(&mut late, |_, late, barrier| {
            for round in 1..=n_rounds {
                counter.fetch_add(1, Ordering::Relaxed);
                barrier.wait();
                let seen = counter.load(Ordering::Relaxed);
                *late += u64::from(seen != round * n_threads as u64);
                barrier.wait();
            }
        });
        assert_eq!(late, [0; 4]);
    }

    /// Whichever thread it is, at whatever barrier the others are.
    #[test]
    fn a_panic_ends_the_team_and_goes_on_in_the_caller() {
        for n_threads in 1..=4 {
            for culprit in 0..n_threads {
                let run = || {
                    run(&mut vec![(); n_threads], |index, (), barrier| {
                        for round in 0..10 {
                            if (index, round) == (culprit, 5) {
                                resume_unwind(Box::new("of the callback"));
                            }
                            barrier.wait();
                        }
                    })
                };
                let payload = catch_unwind(run).expect_err("one of them panics");
                assert_eq!(payload.downcast_ref(), Some(&"of the callback"));
            }
        }
    }
}
