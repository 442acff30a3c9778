//! Solvers for the CPU.

pub(crate) mod bellman_ford;
pub(crate) mod bellman_ford_queue;
pub(crate) mod delta_stepping;
pub(crate) mod dijkstra;
pub(crate) mod nearest;
pub(crate) mod prefetch;
pub(crate) mod queue;
pub(crate) mod threads;
