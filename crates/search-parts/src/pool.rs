//! The threads that work beside a search: as many as are asked for.

use std::num::NonZeroUsize;
use std::sync::OnceLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The current pool where that has as many threads, else one of its own from the first use on.
pub struct Pool {
    asked: Option<NonZeroUsize>,
    /// Empty where the system refuses a thread.
    threads: OnceLock<Option<ThreadPool>>,
}

impl Pool {
    /// Of so many threads, or of those that there are.
    pub fn new(asked: Option<NonZeroUsize>) -> Self {
        Self { asked, threads: OnceLock::new() }
    }

    /// Does what needs no answers from other threads, so that it may wait in a pool.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let others = self.asked.filter(|n| n.get() != rayon::current_num_threads());
        let build = |n: NonZeroUsize| ThreadPoolBuilder::new().num_threads(n.get()).build().ok();
        match others.and_then(|n| self.threads.get_or_init(|| build(n)).as_ref()) {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}
