//! The procedures of the paper on a GPU: WARSHALL and WARSHALL-C recorded and interpreted there,
//! a launch each, and WARSHALL-adapt with a launch for every vertex.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use std::time::Instant;

use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight};
use paths::Progress;

use super::{ClosureTimes, GpuClosure, ms_since};
use crate::closure::bit_matrix::BitMatrix;
use crate::closure::{ClosureAlgorithm, ClosureFound, ClosurePlan};
use crate::{Cuda, Machine, Recorder, StarError, Table, TableVar, procedures, warshall_adapted};

/// Pivots of `WARSHALL-adapt` between two reports of progress.
const PIVOTS_A_REPORT: usize = 4096;

/// Runs the procedure on the graph's adjacency matrix, whose columns are the tails of arcs.
/// What is one launch can be ended before it only.
pub(super) fn published<W: Weight>(
    gpu: &Gpu,
    graph: &Csr<W>,
    algorithm: ClosureAlgorithm,
    progress: Option<Progress<'_>>,
) -> Result<GpuClosure, StarError> {
    let n = graph.n_vertices();
    let goes_on = |pivot: usize| {
        let ended = progress.is_some_and(|tell| tell(pivot as u64, n as u64).is_break());
        if ended { Err(StarError::Interrupted) } else { Ok(()) }
    };
    if n > 0 {
        goes_on(0)?;
    }
    let columns = BitMatrix::of(&graph.transposed())?;
    let table = Table::from_words(n, n, columns.words).expect("n columns of n bits");
    let jit_before = gpu.jit_ms();
    let ran = match algorithm {
        ClosureAlgorithm::WarshallAdapt => adapted(gpu, &table, goes_on),
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

fn adapted(
    gpu: &Gpu,
    table: &Table,
    goes_on: impl Fn(usize) -> Result<(), StarError>,
) -> Result<Ran, StarError> {
    let mut times = ClosureTimes::default();
    let start = Instant::now();
    let mut machine = Cuda::new(gpu)?;
    let p = machine.new_table(table.rows(), table.columns())?;
    machine.set_table(p, table)?;
    times.upload_ms = ms_since(start);
    let before = machine.launches();
    let timer = gpu.timer()?;
    timer.start()?;
    for pivots in (0..table.rows()).step_by(PIVOTS_A_REPORT) {
        if pivots > 0 {
            // the host does not run ahead of what it reports
            gpu.synchronize()?;
            goes_on(pivots)?;
        }
        let to = table.rows().min(pivots + PIVOTS_A_REPORT);
        warshall_adapted(&mut machine, p, pivots..to)?;
    }
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
    Ok(Ran { table, times, launches: program.launches() })
}
