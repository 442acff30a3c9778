//! The choice of an algorithm, and its reason.

use std::fmt;

use paths::Closure;

use crate::Algorithm;

/// A closure, and the plan by which it was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The closure.
    pub closure: Closure,
    /// The choices and their reason.
    pub plan: Plan,
}

/// The choices for a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The name of the algorithm, never that of [`Algorithm::Auto`].
    pub algorithm: &'static str,
    /// The reason for this algorithm.
    pub reason: String,
    /// The number of threads.
    pub threads: usize,
}

impl Plan {
    pub(crate) fn asked(algorithm: Algorithm) -> Self {
        Self::of(algorithm, "chosen by the caller".to_owned())
    }

    pub(crate) fn of(algorithm: Algorithm, reason: String) -> Self {
        Self { algorithm: algorithm.name(), reason, threads: rayon::current_num_threads() }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = if self.threads == 1 { "thread" } else { "threads" };
        write!(f, "{}: {}; {} {threads}", self.algorithm, self.reason, self.threads)
    }
}
