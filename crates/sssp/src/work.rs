//! What a search found, and what it took.

use std::ops::Deref;
use std::time::Duration;

use crate::Plan;

/// What a call of a [`Solver`](crate::Solver) found, and what that took. It dereferences to the
/// answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found<T> {
    /// What was asked for.
    pub answer: T,
    /// What the searches were made with, and why.
    pub plan: Plan,
    /// Counts of all searches that the call made.
    pub work: Work,
    /// Where the time on the device went, of a solver that is on one: of several devices, on the
    /// one that took the longest.
    pub device_times: Option<DeviceTimes>,
    /// How long the second pass of [`Solver::tree`](crate::Solver::tree) took, which finds the
    /// predecessors; from a GPU, with copying them back. Zero for all else.
    pub predecessors_time: Duration,
}

impl<T> Found<T> {
    /// The same with another answer, made of this one.
    pub fn map<U>(self, answer: impl FnOnce(T) -> U) -> Found<U> {
        let Self { answer: own, plan, work, device_times, predecessors_time } = self;
        Found { answer: answer(own), plan, work, device_times, predecessors_time }
    }
}

impl<T> Deref for Found<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.answer
    }
}

/// Counts of one search, summed over its threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Arcs whose end had its distance compared.
    pub relaxations: u64,
    /// Distances that fell.
    pub improvements: u64,
    /// Vertices taken from a queue whose arcs were looked at.
    pub settled: u64,
    /// Rounds over the arcs, or buckets worked off together.
    pub rounds: u64,
    /// What of it was done again, where the algorithm keeps count.
    pub again: Option<Again>,
}

/// Work on vertices that were taken before, whose distance then fell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// Vertices taken another time.
    pub insertions: u64,
    /// Arcs relaxed another time.
    pub relaxations: u64,
}

impl Work {
    /// Adds the counts of another thread or search.
    pub(crate) fn add(&mut self, other: &Self) {
        self.relaxations += other.relaxations;
        self.improvements += other.improvements;
        self.settled += other.settled;
        self.rounds += other.rounds;
        if let Some(other) = other.again {
            let again = self.again.get_or_insert_default();
            again.insertions += other.insertions;
            again.relaxations += other.relaxations;
        }
    }
}

/// Where the time of a search on a GPU goes, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DeviceTimes {
    /// Loading the kernels, which compiles them for the device; once a process.
    pub jit_ms: f64,
    /// Copying the graph to the device; once a solver.
    pub upload_ms: f64,
    /// What else is done once for the graph.
    pub prepare_ms: f64,
    /// The search, from an event before to one after it; of a table, all searches.
    pub solve_ms: f64,
    /// Copying distances back.
    pub download_ms: f64,
    /// The parts of a search by Δ-stepping: near arcs relaxed, far lists split, deferred arcs
    /// relaxed from their tails, and from their heads.
    pub phases_ms: [f64; 4],
}

impl DeviceTimes {
    /// These before any search.
    pub(crate) fn without_search(self) -> Self {
        let Self { jit_ms, upload_ms, prepare_ms, .. } = self;
        Self { jit_ms, upload_ms, prepare_ms, ..Self::default() }
    }

    /// These, and those of another search of the same solver.
    pub(crate) fn and(self, next: Self) -> Self {
        Self {
            solve_ms: self.solve_ms + next.solve_ms,
            download_ms: self.download_ms + next.download_ms,
            ..next
        }
    }
}
