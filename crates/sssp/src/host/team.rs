//! Threads that work in step.
//!
//! A bucket of Δ-stepping may take a few microseconds, less than it takes the kernel
//! to wake a thread, so the threads of a team spin at their barrier, and give the
//! processor away only when one of them is late.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

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
}

impl Barrier {
    pub(crate) fn new(n_threads: usize) -> Self {
        Self { n_threads, arrived: AtomicUsize::new(0), generation: AtomicUsize::new(0) }
    }

    /// Returns when every thread of the team has called it. What each wrote before is
    /// seen by all afterwards.
    pub(crate) fn wait(&self) {
        let generation = self.generation.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.n_threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.generation.store(generation.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut spins = 0;
        while self.generation.load(Ordering::Acquire) == generation {
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
/// them; each gets its number and one of them. Returns false, and has done nothing, when
/// the system refuses a thread: to wait for it would be to wait for ever.
///
/// These are threads of their own, not tasks of a pool: tasks that wait for one
/// another would block a pool whose threads are busy elsewhere.
pub(crate) fn run<T: Send>(locals: &mut [T], work: impl Fn(usize, &mut T) + Sync) -> bool {
    let Some((first, others)) = locals.split_first_mut() else { return true };
    let gate = AtomicU8::new(SHUT);
    std::thread::scope(|scope| {
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
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn nobody_passes_early() {
        let (n_threads, n_rounds) = (4, 500);
        let barrier = Barrier::new(n_threads);
        let counter = AtomicU64::new(0);
        let mut late = vec![0u64; n_threads];
        run(&mut late, |_, late| {
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
}
