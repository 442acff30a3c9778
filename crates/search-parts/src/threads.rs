//! Threads that a solver keeps from one search to the next.
//!
//! They belong to one solver: in a shared pool, a search might wait for threads that are busy
//! elsewhere. They are started when there is first work to share. The caller's thread is one of
//! them, so its caches stay warm.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Checks before a waiting thread begins to yield the CPU between checks.
const SPINS: u32 = 100;
/// Checks before a waiting thread begins to sleep between checks.
const YIELDS: u32 = 4_000;
/// The time that a waiting thread sleeps.
const SLEEP: Duration = Duration::from_micros(20);

/// The least number of elements for each thread, if several threads map a slice.
const MIN_MAPPED_PER_THREAD: usize = 1 << 12;

/// When the threads of a search work together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Team {
    /// If there is enough work for all threads.
    #[default]
    WhereItPays,
    /// From the first step on, with all threads: for tests, whose graphs are small.
    Always,
}

/// A fixed number of threads, the caller's included.
pub struct Threads {
    n: usize,
    /// All threads but the caller's. Empty if the system refuses a thread.
    pool: OnceLock<Option<ThreadPool>>,
}

impl Threads {
    /// `n` threads, none of them started yet.
    pub fn new(n: usize) -> Self {
        Self { n, pool: OnceLock::new() }
    }

    fn pool(&self) -> Option<&ThreadPool> {
        let build = || ThreadPoolBuilder::new().num_threads(self.n - 1).build().ok();
        if self.n > 1 { self.pool.get_or_init(build).as_ref() } else { None }
    }

    /// The number of threads that run at once: 1 if the system refuses others.
    pub fn n_at_once(&self) -> usize {
        if self.pool().is_some() { self.n } else { 1 }
    }

    /// Calls `work` with the index and the value of each of `locals`, which has one for each
    /// thread. The calls run at once, or one after the other if there are no other threads.
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

    /// `of` applied to each element of `all`; threads share it if it is large.
    pub fn map<S: Sync, T: Copy + Send>(&self, all: &[S], of: impl Fn(&S) -> T + Sync) -> Vec<T> {
        let n = all.len();
        if self.n == 1 || n < self.n * MIN_MAPPED_PER_THREAD {
            return all.iter().map(of).collect();
        }
        // not `vec![0; n]`, which one thread would fill with zeros first
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
        // after all have been written.
        unsafe { made.set_len(n) };
        made
    }
}

/// A barrier for threads that synchronise often.
pub struct Barrier {
    n: usize,
    n_arrived: AtomicUsize,
    n_phases: AtomicUsize,
}

impl Barrier {
    /// A barrier for `n` threads.
    pub fn new(n: usize) -> Self {
        Self { n, n_arrived: AtomicUsize::new(0), n_phases: AtomicUsize::new(0) }
    }

    /// Waits for all threads; the last to arrive runs `last` while the others wait. What each
    /// thread did before the barrier is visible to all after it. Returns false if a thread has
    /// `failed` and does not arrive.
    pub fn meet(&self, failed: &AtomicBool, last: impl FnOnce()) -> bool {
        let phase = self.n_phases.load(Relaxed);
        if self.n_arrived.fetch_add(1, AcqRel) + 1 == self.n {
            self.n_arrived.store(0, Relaxed);
            last();
            self.n_phases.store(phase.wrapping_add(1), Release);
            return true;
        }
        let mut n_waits = 0;
        while self.n_phases.load(Acquire) == phase {
            if failed.load(Relaxed) {
                return false;
            }
            wait(n_waits);
            n_waits = n_waits.saturating_add(1);
        }
        true
    }
}

/// Waits for a moment, longer after many waits in a row.
pub fn wait(n_waits: u32) {
    match n_waits {
        ..SPINS => std::hint::spin_loop(),
        SPINS..YIELDS => std::thread::yield_now(),
        _ => std::thread::sleep(SLEEP),
    }
}

/// Maps `parts` by `work` on one thread each, including the caller's; on fewer threads if the
/// system refuses some. It uses no pool, whose threads would wait for GPUs instead of computing.
pub fn side_by_side<T: Send, R: Send>(parts: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let n_parts = parts.len();
    let results: Mutex<Vec<_>> = Mutex::new((0..n_parts).map(|_| None).collect());
    let left = Mutex::new(parts.into_iter().enumerate());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || {
        while let Some((number, part)) = next() {
            let result = work(part);
            results.lock().unwrap_or_else(PoisonError::into_inner)[number] = Some(result);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..n_parts {
            let _ = std::thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().flatten().collect()
}

/// Sets a flag if this thread panics, perhaps in a callback, so that other threads stop.
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
