//! The procedures of the paper on a GPU: WARSHALL and WARSHALL-C recorded and interpreted there,
//! a launch each, and WARSHALL-adapt with a launch for every vertex.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use std::time::Instant;

use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight};

use super::{ClosureTimes, GpuClosure, ms_since};
use crate::closure::bit_matrix::BitMatrix;
use crate::closure::{ClosureAlgorithm, ClosureFound, ClosurePlan};
use crate::{Cuda, Machine, Recorder, StarError, Table, TableVar, procedures, warshall_adapted};

/// Runs the procedure on the graph's adjacency matrix, whose columns are the tails of arcs.
pub(super) fn published<W: Weight>(
    gpu: &Gpu,
    graph: &Csr<W>,
    algorithm: ClosureAlgorithm,
) -> Result<GpuClosure, StarError> {
    let n = graph.n_vertices();
    let columns = BitMatrix::of(&graph.transposed())?;
    let table = Table::from_words(n, n, columns.words).expect("n columns of n bits");
    let jit_before = gpu.jit_ms();
    let ran = match algorithm {
        ClosureAlgorithm::WarshallAdapt => adapted(gpu, &table),
        ClosureAlgorithm::Warshall => {
            interpreted(gpu, &table, |m, p| procedures::warshall(m, p, 0..n))
        }
        _ => interpreted(gpu, &table, |m, p| procedures::warshall_columns(m, p, 0..n)),
    };
    let Ran { table, mut times, launches } = ran?;
    times.jit_ms = gpu.jit_ms() - jit_before;
    times.upload_ms = (times.upload_ms - times.jit_ms).max(0.0);
    let stride = table.stride();
    let columns = BitMatrix { n, stride, words: table.into_words() };
    let closure = columns.transposed()?.into_closure();
    let plan = ClosurePlan::asked(algorithm);
    Ok(GpuClosure { found: ClosureFound { closure, plan }, times, launches })
}

struct Ran {
    table: Table,
    times: ClosureTimes,
    launches: u64,
}

fn adapted(gpu: &Gpu, table: &Table) -> Result<Ran, StarError> {
    let mut times = ClosureTimes::default();
    let start = Instant::now();
    let mut machine = Cuda::new(gpu)?;
    let p = machine.new_table(table.rows(), table.columns())?;
    machine.set_table(p, table)?;
    times.upload_ms = ms_since(start);
    let before = machine.launches();
    let timer = gpu.timer()?;
    timer.start()?;
    warshall_adapted(&mut machine, p)?;
    timer.stop()?;
    times.solve_ms = timer.elapsed_ms()?;
    let launches = machine.launches() - before;
    let start = Instant::now();
    let table = machine.table_value(p)?;
    times.download_ms = ms_since(start);
    Ok(Ran { table, times, launches })
}

fn interpreted(
    gpu: &Gpu,
    table: &Table,
    procedure: impl FnOnce(&mut Recorder, TableVar) -> Result<(), StarError>,
) -> Result<Ran, StarError> {
    let mut times = ClosureTimes::default();
    let start = Instant::now();
    let mut recorder = Recorder::new();
    let p = recorder.parameter_table(table.rows(), table.columns())?;
    procedure(&mut recorder, p)?;
    let mut program = recorder.finish().load(gpu)?;
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
    Ok(Ran { table, times, launches: program.launches() })
}
