//! A task on a machine: on the CPU, or in one launch on a GPU.

use std::collections::HashMap;
use std::time::Instant;

use star_machine::algorithms::{Runner, Task, Value};
use star_machine::{Counting, Host, StarError};

use super::operations::Operations;
use crate::backend;
use crate::cli::Common;
use crate::progress::{EndAtOnce, check_interrupt};
use crate::report::{Ms, milliseconds};

/// What the arguments hold in the end, by their names, and what it took.
pub(super) struct Done {
    pub(super) values: HashMap<String, Value>,
    /// Of each run, in milliseconds.
    pub(super) times: Vec<f64>,
    pub(super) prepare_ms: Ms,
    /// The GPU's name, if it ran there.
    pub(super) device: Option<String>,
    pub(super) operations: Option<Operations>,
}

pub(super) fn execute(task: &Task, counts: bool, common: &Common) -> anyhow::Result<Done> {
    // a program reports nothing while it runs
    let _interrupt = EndAtOnce::new();
    let gpu = backend::gpu_on_request(common)?;
    let (mut times, mut values, mut prepare_ms) = (Vec::new(), HashMap::new(), Ms(0.0));
    for _ in 0..common.repeat.map_or(1, |n| n.get()) {
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
        let held = |(name, _): (&str, &Value)| Ok((name.to_owned(), run.get(name)?));
        values = task.arguments().map(held).collect::<Result<_, StarError>>()?;
        check_interrupt()?;
    }
    let operations = counts.then(|| cost(task)).transpose()?;
    let device = gpu.map(|gpu| gpu.properties().name.clone());
    Ok(Done { values, times, prepare_ms, device, operations })
}

/// What it costs on the abstract machine.
fn cost(task: &Task) -> Result<Operations, StarError> {
    let mut machine = Counting::new(Host::new());
    task.on(&mut machine)?.run()?;
    Ok(Operations::of(machine.cost()))
}
