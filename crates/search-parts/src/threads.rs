//! Threads that a solver keeps from one search to the next.
//!
//! They are its own: a search that waits in a pool of others might wait for threads that are
//! busy elsewhere. They are started where there is first something to share. The caller's is one
//! of them, so that what it has in its caches stays of use.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// How often a thread that waits looks again at once.
const SPINS: u32 = 100;
/// After how many times it sleeps in between; before, it lets others have its processor.
const YIELDS: u32 = 4_000;
/// How long it sleeps.
const NAP: Duration = Duration::from_micros(20);

/// What a thread makes at least where several make something.
const MAPPED_ALONE: usize = 1 << 12;

/// When the threads of a search work together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Team {
    /// Where there is enough for each to do.
    #[default]
    WhereItPays,
    /// From the first step on, and all that were asked for: for tests, whose graphs are small.
    Always,
}

/// As many threads as are asked for, the caller's among them.
pub struct Threads {
    n: usize,
    /// All but the caller's. Empty where the system refuses a thread.
    pool: OnceLock<Option<ThreadPool>>,
}

impl Threads {
    /// So many, of which none is started yet.
    pub fn new(n: usize) -> Self {
        Self { n, pool: OnceLock::new() }
    }

    fn pool(&self) -> Option<&ThreadPool> {
        let build = || ThreadPoolBuilder::new().num_threads(self.n - 1).build().ok();
        if self.n > 1 { self.pool.get_or_init(build).as_ref() } else { None }
    }

    /// How many run at the same time: one where the system refuses others.
    pub fn n_at_once(&self) -> usize {
        if self.pool().is_some() { self.n } else { 1 }
    }

    /// Calls `work` with each of `locals`, of which there are as many as threads, and its
    /// number; at the same time, but one after the other where there are no threads to be had.
    ///
    /// # Panics
    /// When `work` does, after all other calls have returned.
    pub fn each<T: Send>(&self, locals: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
        let Some((first, others)) = locals.split_first_mut() else { return };
        let pool = if others.is_empty() { None } else { self.pool() };
        let others = (1..).zip(others);
        match pool {
            Some(pool) => pool.in_place_scope(|scope| {
                for (index, local) in others {
                    let work = &work;
                    scope.spawn(move |_| work(index, local));
                }
                work(0, first);
            }),
            None => {
                work(0, first);
                others.for_each(|(index, local)| work(index, local));
            }
        }
    }

    /// What `of` makes of each of `all`, in a part for each thread where there are enough.
    pub fn map<S: Sync, T: Copy + Send>(&self, all: &[S], of: impl Fn(&S) -> T + Sync) -> Vec<T> {
        let n = all.len();
        if self.n == 1 || n < self.n * MAPPED_ALONE {
            return all.iter().map(of).collect();
        }
        let mut made = Vec::with_capacity(n);
        let size = n.div_ceil(self.n);
        let slots = made.spare_capacity_mut()[..n].chunks_mut(size);
        let mut parts: Vec<_> = all.chunks(size).zip(slots).collect();
        self.each(&mut parts, |_, (from, to)| {
            for (from, to) in from.iter().zip(to.iter_mut()) {
                to.write(of(from));
            }
        });
        // SAFETY: the parts are as long as their slots, which are `n` together, and `each` returns
        // when all have been written.
        unsafe { made.set_len(n) };
        made
    }
}

/// Where threads that work on one thing meet again and again.
pub struct Barrier {
    n: usize,
    n_arrived: AtomicUsize,
    n_meetings: AtomicUsize,
}

impl Barrier {
    /// For so many threads.
    pub fn new(n: usize) -> Self {
        Self { n, n_arrived: AtomicUsize::new(0), n_meetings: AtomicUsize::new(0) }
    }

    /// Waits until all have come, of whom the last calls `last` while the others wait. What
    /// each did before, all see after. False where one has `failed`, and does not come.
    pub fn meet(&self, failed: &AtomicBool, last: impl FnOnce()) -> bool {
        let meeting = self.n_meetings.load(Relaxed);
        if self.n_arrived.fetch_add(1, AcqRel) + 1 == self.n {
            self.n_arrived.store(0, Relaxed);
            last();
            self.n_meetings.store(meeting.wrapping_add(1), Release);
            return true;
        }
        let mut n_waits = 0;
        while self.n_meetings.load(Acquire) == meeting {
            if failed.load(Relaxed) {
                return false;
            }
            wait(n_waits);
            n_waits = n_waits.saturating_add(1);
        }
        true
    }
}

/// Waits, the longer the more often a thread has waited before in vain.
pub fn wait(n_waits: u32) {
    match n_waits {
        ..SPINS => std::hint::spin_loop(),
        SPINS..YIELDS => std::thread::yield_now(),
        _ => std::thread::sleep(NAP),
    }
}

/// Tells the others by a flag when this thread panics, in a callback of the user's perhaps.
pub struct EndsOnPanic<'a>(
    /// The flag.
    pub &'a AtomicBool,
);

impl Drop for EndsOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn all_run_at_the_same_time() {
        let threads = Threads::new(4);
        let barrier = Barrier::new(4);
        for _ in 0..100 {
            let mut met = [0; 4];
            threads.each(&mut met, |index, met| {
                barrier.wait();
                *met = index;
            });
            assert_eq!(met, [0, 1, 2, 3]);
        }
    }

    #[test]
    fn the_first_is_the_callers() {
        let mut ids = [None; 3];
        Threads::new(3).each(&mut ids, |_, id| *id = Some(std::thread::current().id()));
        let here = Some(std::thread::current().id());
        assert_eq!(ids.map(|id| id == here), [true, false, false]);
    }

    #[test]
    fn a_panic_goes_on_in_the_caller() {
        for n in 1..=4 {
            let threads = Threads::new(n);
            for culprit in 0..n {
                let run = || {
                    threads.each(&mut vec![(); n], |index, ()| {
                        if index == culprit {
                            resume_unwind(Box::new("of the callback"));
                        }
                    });
                };
                let payload = catch_unwind(AssertUnwindSafe(run)).expect_err("one panics");
                assert_eq!(payload.downcast_ref(), Some(&"of the callback"));
            }
        }
    }
}
