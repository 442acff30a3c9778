//! Warshall's method on whole graphs: WARSHALL and WARSHALL-C recorded and interpreted on a GPU,
//! a launch each, and WARSHALL-adapt with a launch for every vertex.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use std::time::Instant;

use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight, tell};
use paths::{Closure, Progress};

use super::{Warshall, adjacency, closure_of, warshall, warshall_adapted, warshall_columns};
use crate::{Cuda, Machine, Recorder, StarError, Table, TableVar};

/// Pivots of `WARSHALL-adapt` between two reports of progress.
const PIVOTS_A_REPORT: usize = 4096;

/// The times of the parts, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WarshallTimes {
    /// Loading the kernels, which compiles them for the device; once a process.
    pub jit_ms: f64,
    /// Copying the matrix to the device.
    pub upload_ms: f64,
    /// Closing it, by the device's clock.
    pub solve_ms: f64,
    /// Copying the result back.
    pub download_ms: f64,
}

/// A closure, and what a GPU did for it.
#[derive(Clone, Debug)]
pub struct WarshallOnGpu {
    /// The closure, the same as that of [`Warshall::closure`].
    pub closure: Closure,
    /// The times of the parts.
    pub times: WarshallTimes,
    /// Launches of kernels that closed it.
    pub launches: u64,
}

impl Warshall {
    /// [`closure`](Self::closure) on a GPU. `progress` can end the work only between launches.
    /// Takes n² / 8 bytes of the GPU's memory.
    ///
    /// # Errors
    /// Those of [`closure`](Self::closure), and [`StarError::Gpu`] where the GPU's memory is too
    /// small, or it fails.
    pub fn closure_on_gpu<W: Weight>(
        self,
        gpu: &Gpu,
        graph: &Csr<W>,
        progress: Option<Progress<'_>>,
    ) -> Result<WarshallOnGpu, StarError> {
        let n = graph.n_vertices();
        if n > 0 {
            tell(progress, 0, n as u64)?;
        }
        let table = adjacency(&graph.clone().unweighted())?;
        let jit_before = gpu.jit_ms();
        let mut times = WarshallTimes::default();
        let (table, launches) = match self {
            Self::Rows => interpreted(gpu, &table, &mut times, |m, p| warshall(m, p, 0..n)),
            Self::Columns => {
                interpreted(gpu, &table, &mut times, |m, p| warshall_columns(m, p, 0..n))
            }
            Self::Adapted => adapted(gpu, &table, &mut times, progress),
        }?;
        times.jit_ms = gpu.jit_ms() - jit_before;
        times.upload_ms = (times.upload_ms - times.jit_ms).max(0.0);
        Ok(WarshallOnGpu { closure: closure_of(table)?, times, launches })
    }
}

/// The table closed, and how many launches that took.
fn adapted(
    gpu: &Gpu,
    table: &Table,
    times: &mut WarshallTimes,
    progress: Option<Progress<'_>>,
) -> Result<(Table, u64), StarError> {
    let n = table.rows();
    let start = Instant::now();
    let mut machine = Cuda::new(gpu)?;
    let p = machine.new_table(n, n)?;
    machine.set_table(p, table)?;
    times.upload_ms = ms_since(start);
    let before = machine.launches();
    let timer = gpu.timer()?;
    timer.start()?;
    for pivots in (0..n).step_by(PIVOTS_A_REPORT) {
        if pivots > 0 {
            // the host does not run ahead of what it reports
            gpu.synchronize()?;
            tell(progress, pivots as u64, n as u64)?;
        }
        warshall_adapted(&mut machine, p, pivots..n.min(pivots + PIVOTS_A_REPORT))?;
    }
    timer.stop()?;
    times.solve_ms = timer.elapsed_ms()?;
    let launches = machine.launches() - before;
    let start = Instant::now();
    let table = machine.table_value(p)?;
    times.download_ms = ms_since(start);
    Ok((table, launches))
}

/// The same, by a recorded procedure.
fn interpreted(
    gpu: &Gpu,
    table: &Table,
    times: &mut WarshallTimes,
    procedure: impl FnOnce(&mut Recorder, TableVar) -> Result<(), StarError>,
) -> Result<(Table, u64), StarError> {
    let start = Instant::now();
    let mut recorder = Recorder::new();
    let p = recorder.parameter_table(table.rows(), table.columns())?;
    procedure(&mut recorder, p)?;
    // a turn for each union and each pivot, at most
    let most_turns = (table.rows() as u64 + 1).pow(2);
    let mut program = recorder.finish().with_most_turns(most_turns).load(gpu)?;
    program.set_table(p, table)?;
    times.upload_ms = ms_since(start);
    let timer = gpu.timer()?;
    timer.start()?;
    program.run()?;
    timer.stop()?;
    times.solve_ms = timer.elapsed_ms()?;
    let start = Instant::now();
    let table = program.table_value(p)?;
    times.download_ms = ms_since(start);
    Ok((table, program.launches()))
}

fn ms_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
