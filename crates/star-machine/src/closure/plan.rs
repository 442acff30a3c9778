//! Which way was taken to a closure, and why.

use std::fmt;

use super::ClosureAlgorithm;

/// What was chosen for a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosurePlan {
    /// The algorithm, never [`ClosureAlgorithm::Auto`].
    pub algorithm: ClosureAlgorithm,
    /// Why this one.
    pub reason: String,
    /// Threads that worked on it.
    pub threads: usize,
}

impl ClosurePlan {
    pub(super) fn asked(algorithm: ClosureAlgorithm) -> Self {
        Self::of(algorithm, "it was asked for".to_owned())
    }

    pub(super) fn of(algorithm: ClosureAlgorithm, reason: String) -> Self {
        Self { algorithm, reason, threads: rayon::current_num_threads() }
    }
}

impl fmt::Display for ClosurePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = if self.threads == 1 { "thread" } else { "threads" };
        write!(f, "{}: {}; {} {threads}", self.algorithm, self.reason, self.threads)
    }
}
