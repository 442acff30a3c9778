//! A task on a machine: on the CPU, or in one launch on a GPU.

use std::time::Instant;

use star_machine::algorithms::{Runner, Task};
use star_machine::{Counting, Host, StarError};

use super::operations::Operations;
use crate::backend;
use crate::cli::Common;
use crate::progress::EndAtOnce;
use crate::report::{Ms, milliseconds};
use crate::search::repeated;

/// What `read` made of the arguments of a program after it ran, and the time of each run.
pub(super) struct Done<T> {
    pub(super) found: T,
    /// The time of each run, in milliseconds.
    pub(super) times: Vec<f64>,
    pub(super) prepare_ms: Ms,
    /// The GPU's name, if it ran there.
    pub(super) device: Option<String>,
    pub(super) operations: Option<Operations>,
}

/// Runs a task, and calls `read` with its arguments at the end.
pub(super) fn execute<T>(
    task: &Task,
    counts: bool,
    common: &Common,
    read: impl Fn(&mut dyn Runner) -> anyhow::Result<T>,
) -> anyhow::Result<Done<T>> {
    // a program reports nothing while it runs
    let _interrupt = EndAtOnce::new();
    let gpu = backend::gpu_on_request(common)?;
    let (mut times, mut prepare_ms) = (Vec::new(), Ms(0.0));
    let (found, _) = repeated(common, || {
        let start = Instant::now();
        let mut host = Host::new();
        let mut run: Box<dyn Runner> = match &gpu {
            Some(gpu) => Box::new(task.load(gpu)?),
            None => Box::new(task.on(&mut host)?),
        };
        prepare_ms = milliseconds(start.elapsed());
        let start = Instant::now();
        run.run()?;
        times.push(milliseconds(start.elapsed()).0);
        read(&mut *run)
    })?;
    let operations = counts.then(|| cost(task)).transpose()?;
    let device = gpu.map(|gpu| gpu.properties().name.clone());
    Ok(Done { found, times, prepare_ms, device, operations })
}

/// The operations of the task on the abstract machine.
fn cost(task: &Task) -> Result<Operations, StarError> {
    let mut machine = Counting::new(Host::new());
    task.on(&mut machine)?.run()?;
    Ok(Operations::of(machine.cost()))
}
