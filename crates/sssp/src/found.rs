//! What a call of a solver found, and what that took.

use std::ops::Deref;
use std::time::Duration;

use crate::{DeviceTimes, Plan, Work};

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
