//! The thread pool for work beside a search.

use std::num::NonZeroUsize;
use std::sync::OnceLock;

use graph_formats::parallel;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The current pool if it has the requested number of threads, else a pool created on first use.
pub struct Pool {
    asked: Option<NonZeroUsize>,
    /// Empty if the system refuses a thread.
    threads: OnceLock<Option<ThreadPool>>,
}

impl Pool {
    /// A pool of `asked` threads; `None` is the current pool.
    pub fn new(asked: Option<NonZeroUsize>) -> Self {
        Self { asked, threads: OnceLock::new() }
    }

    /// Runs `work` in the pool. `work` must not need other threads, since it may have to wait for a
    /// free one.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let others = self.asked.filter(|n| n.get() != rayon::current_num_threads());
        let build = |n: NonZeroUsize| ThreadPoolBuilder::new().num_threads(n.get()).build().ok();
        match others.and_then(|n| self.threads.get_or_init(|| build(n)).as_ref()) {
            Some(pool) => parallel::install(pool, work),
            None => work(),
        }
    }
}
