//! The result of a call of a solver, with its plan, work and times.

use std::ops::Deref;
use std::time::Duration;

use crate::{DeviceTimes, Plan, SsspError, Work};

/// The result of a call of a [`Solver`](crate::Solver), with its plan, work and times. It
/// dereferences to the answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found<T> {
    /// The distances, tree, table or paths.
    pub answer: T,
    /// How the searches were made, and why.
    pub plan: Plan,
    /// Counts of all searches of the call.
    pub work: Work,
    /// Times on the GPU, if the solver is on one; of several GPUs, those of the slowest.
    pub device_times: Option<DeviceTimes>,
    /// Time of the second pass of [`Solver::tree`](crate::Solver::tree), which finds the
    /// predecessors, including their download from a GPU. Zero for other calls.
    pub predecessors_time: Duration,
}

impl<T> Found<T> {
    /// The same with the answer mapped by a function.
    pub(crate) fn map<U>(self, answer: impl FnOnce(T) -> U) -> Found<U> {
        let Self { answer: own, plan, work, device_times, predecessors_time } = self;
        Found { answer: answer(own), plan, work, device_times, predecessors_time }
    }

    /// The same with the answer mapped by a function that may fail.
    pub(crate) fn try_map<U>(
        self,
        answer: impl FnOnce(T) -> Result<U, SsspError>,
    ) -> Result<Found<U>, SsspError> {
        let Self { answer: own, plan, work, device_times, predecessors_time } = self;
        Ok(Found { answer: answer(own)?, plan, work, device_times, predecessors_time })
    }
}

impl<T> Deref for Found<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.answer
    }
}
