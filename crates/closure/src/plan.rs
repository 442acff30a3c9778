//! Which way was taken to a closure, and why.

use std::fmt;

use paths::Closure;

use crate::Algorithm;

/// A closure, and how it was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Which vertices reach which.
    pub closure: Closure,
    /// What was chosen and why.
    pub plan: Plan,
}

/// What was chosen for a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The name of the algorithm, never that of [`Algorithm::Auto`].
    pub algorithm: &'static str,
    /// Why this one.
    pub reason: String,
    /// Threads that worked on it.
    pub threads: usize,
}

impl Plan {
    pub(crate) fn asked(algorithm: Algorithm) -> Self {
        Self::of(algorithm, "it was asked for".to_owned())
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
