//! All pairs by the CPU, of one rank or any number: by a matrix, or by searches.

use std::time::Instant;

use collectives::{Alone, Communicator, RanksError};
use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight, parallel};
use paths::DistanceTable;
use pivots::Share;
use published::pairs::Form;
use rayon::ThreadPool;

use crate::element::{with_element, write_row};
use crate::error::{self, agree};
use crate::host::{Kernel, Matrix, MinPlus, floyd_warshall, johnson, rows_of_rank};
use crate::job::{Backend, Found, Job, Turn};
use crate::pairs::{Table, decode, milliseconds};
use crate::potentials::RaisedWeight;
use crate::width::Narrow;
use crate::{Algorithm, ApspError, Config, Plan, Report, hops};

/// The CPU, by Floyd-Warshall on a matrix or by searches. GPUs do the searches, if there are any.
pub(crate) struct Cpu<'a> {
    pub(crate) gpus: &'a [Gpu],
}

impl<W: RaisedWeight> Backend<W> for Cpu<'_> {
    fn plan(&self, job: &Job<'_, W>) -> Result<Plan, ApspError> {
        let narrow = match self.gpus {
            [] => Narrow::Tried { speed: 1.0 },
            _ => Narrow::Never,
        };
        Plan::new(job.graph, job.config, narrow, job.progress)
    }

    fn check(&self, job: &Job<'_, W>, plan: &Plan) -> Result<(), ApspError> {
        let Job { ranks, graph, config, .. } = *job;
        if let (2.., Algorithm::Published(form)) = (ranks.size(), config.algorithm) {
            return Err(ApspError::NotByRanks { what: form.name() });
        }
        check_memory(graph, rows_of_rank(graph.n_vertices(), ranks), plan, config)
    }

    fn find(
        &self,
        job: &Job<'_, W>,
        turn: &Turn<'_, W>,
        report: &mut Report,
    ) -> Result<Found<W>, ApspError> {
        let share = rows_of_rank(job.graph.n_vertices(), job.ranks);
        let found = match (turn.plan.algorithm, turn.plan.number) {
            (Algorithm::Auto | Algorithm::Johnson, _) | (_, None) => {
                let jit_ms = || self.gpus.iter().map(Gpu::jit_ms).sum::<f64>();
                let (start, jit_before) = (Instant::now(), jit_ms());
                let found = johnson::search(job, self.gpus, share, turn.potentials);
                report.jit_ms = jit_ms() - jit_before;
                report.solve_ms = milliseconds(start) - report.jit_ms;
                found
            }
            (form, Some(number)) => with_element!(W, number, E => {
                by_matrix::<W, E>(job, share, form, turn.pool, report)
            }),
        };
        Ok(Found::distances(share, agree(job.ranks, found)?))
    }
}

/// An error if the table, with the matrix before it or the next hops after it, needs more than the
/// memory allowed, or than the system grants.
pub(crate) fn check_memory<W: Weight>(
    graph: &Csr<W>,
    share: Share,
    plan: &Plan,
    config: &Config,
) -> Result<(), ApspError> {
    let n_vertices = graph.n_vertices();
    let matrix = match plan.widest() {
        Some(number) if plan.algorithm != Algorithm::Johnson => number.bytes_of_matrix(share),
        _ => 0,
    };
    let hops = if config.next_hops { hops::bytes(graph, share) } else { 0 };
    error::check_memory(n_vertices, Table::<W>::bytes(share) + matrix.max(hops), config.memory)
}

/// Solves by Floyd-Warshall on a matrix of these numbers.
fn by_matrix<W: Weight, E: MinPlus>(
    job: &Job<'_, W>,
    share: Share,
    form: Algorithm,
    pool: &ThreadPool,
    report: &mut Report,
) -> Result<DistanceTable<W>, ApspError> {
    let Job { ranks, graph, progress, .. } = *job;
    let start = Instant::now();
    let kernel = common_kernel(ranks)?;
    let fill = |v: usize, row: &mut [E]| write_row(graph, v, row);
    let matrix = parallel::install(pool, || Matrix::filled(share, kernel, fill));
    let mut matrix: Matrix<E> = agree(ranks, matrix)?;
    report.prepare_ms += milliseconds(start);
    let start = Instant::now();
    match form {
        Algorithm::Published(Form::FloydWarshall) => {
            parallel::install(pool, || floyd_warshall::plain(&mut matrix, progress))?;
        }
        Algorithm::Published(Form::Recursive) => {
            parallel::install(pool, || floyd_warshall::recursive(&mut matrix, progress))?;
        }
        // without other ranks nothing is sent, so this thread can join the pool
        _ if ranks.size() == 1 => {
            parallel::install(pool, || {
                floyd_warshall::blocked(&mut matrix, &Alone, pool, progress)
            })?;
        }
        _ => floyd_warshall::blocked(&mut matrix, ranks, pool, progress)?,
    }
    report.solve_ms += milliseconds(start);
    let start = Instant::now();
    let mut table = Table::<W>::new(share.n_rows(), share.blocks.n_rows)?;
    let sources: Vec<usize> = share.rows().collect();
    parallel::install(pool, || table.fill(&|place, row| decode(row, matrix.row(sources[place]))));
    report.download_ms += milliseconds(start);
    Ok(table.finish())
}

/// The fastest kernel that the CPUs of all ranks have; rows are packed in its order.
fn common_kernel<E: MinPlus>(ranks: &dyn Communicator) -> Result<Kernel<E>, RanksError> {
    // kernels are sorted, the last runs on any CPU, and a CPU that has one has all after it
    let mut kernels = E::kernels();
    let n_common = ranks.min(kernels.len() as u64)? as usize;
    Ok(kernels.swap_remove(kernels.len() - n_common))
}
