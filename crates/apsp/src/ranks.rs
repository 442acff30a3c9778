//! All pairs of a graph by ranks, each of which has the rows of some sources; by one of them, all.
//!
//! All ranks hold the graph.

use std::io::Write;
use std::ops::ControlFlow;
use std::time::Instant;

use bytemuck::Pod;
use collectives::{Alone, Communicator, RanksError};
use gpu_runtime::Gpu;
use graph_formats::npy::{Dtype, Scalar, write_header};
use graph_formats::{Csr, Distance, VertexId, Weight, tell};
use paths::{DistanceTable, HopStorage, Total};
use pivots::Share;
use published::pairs::Form;
use rayon::ThreadPool;
use sssp::Progress;

use crate::element::with_element;
use crate::error::agree;
use crate::host::{Kernel, Matrix, MinPlus, floyd_warshall, johnson, rows_of_rank};
use crate::job::{Backend, Found, Job, Turn};
use crate::memory;
use crate::pairs::{Rows, milliseconds, slice_of};
use crate::table::Table;
use crate::table::decode;
use crate::width::Narrow;
use crate::{
    Algorithm, ApspError, Certainty, Config, Number, Pairs, PairsWeight, Plan, Report, Summary,
    hops,
};

/// The distances that a rank has: those from the vertices of some blocks.
#[derive(Clone, Debug)]
pub struct RankPairs<W: Weight> {
    /// The vertices that are sources here, ascending.
    pub sources: Vec<VertexId>,
    /// A row for each of these sources, a column for each vertex.
    pub distances: DistanceTable<W>,
    /// The next hops of these rows, where they were asked for.
    pub next_hops: Option<HopStorage>,
    /// What found them, and why that: rank 0's choice, with the threads of this rank.
    pub plan: Plan,
    /// What that took on this rank.
    pub report: Report,
    pub(crate) share: Share,
}

/// The CPU, by Floyd-Warshall on a matrix or by searches; these by GPUs, if there are any.
pub(crate) struct Cpu<'a> {
    pub(crate) gpus: &'a [Gpu],
}

impl<W: PairsWeight> Backend<W> for Cpu<'_> {
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

impl Plan {
    /// The plan of rank 0, on all ranks, each with its own threads.
    pub(crate) fn broadcast(
        own: Option<Self>,
        ranks: &dyn Communicator,
        config: &Config,
    ) -> Result<Self, ApspError> {
        let place = |plan: &Self| {
            let algorithm = Algorithm::ALL.iter().position(|&a| a == plan.algorithm);
            let number = Number::ALL.iter().position(|&n| Some(n) == plan.number);
            let certainty = Certainty::ALL.iter().position(|&c| c == plan.certainty);
            [algorithm, number, certainty].map(|place| place.map_or(0, |place| place as u8 + 1))
        };
        let mut places = own.as_ref().map_or([0; 3], place);
        ranks.broadcast(0, &mut places)?;
        let reason = own.map(|plan| plan.reason.into_bytes()).unwrap_or_default();
        let reason = ranks.broadcast_vec(0, reason)?;
        let [algorithm, number, certainty] = places.map(|place| usize::from(place).checked_sub(1));
        Ok(Self {
            algorithm: algorithm.map_or(Algorithm::Auto, |place| Algorithm::ALL[place]),
            reason: String::from_utf8_lossy(&reason).into_owned(),
            threads: config.n_threads(),
            number: number.map(|place| Number::ALL[place]),
            certainty: certainty.map_or_else(Certainty::default, |place| Certainty::ALL[place]),
        })
    }
}

/// An error where the table, and the matrix that it is made in or the next hops that are made
/// of it, are more than the memory allowed, or than there is.
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
    memory::check(n_vertices, Table::<W>::bytes(share) + matrix.max(hops), config.memory)
}

/// By Floyd-Warshall on a matrix of these numbers.
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
    let matrix = pool.install(|| Matrix::of(graph, share, kernel));
    let mut matrix: Matrix<E> = agree(ranks, matrix)?;
    report.prepare_ms += milliseconds(start);
    let start = Instant::now();
    match form {
        Algorithm::Published(Form::FloydWarshall) => {
            pool.install(|| floyd_warshall::plain(&mut matrix, progress))?;
        }
        Algorithm::Published(Form::Recursive) => {
            pool.install(|| floyd_warshall::recursive(&mut matrix, progress))?;
        }
        // between the threads of the pool nothing is handed over where nothing is sent
        _ if ranks.size() == 1 => {
            pool.install(|| floyd_warshall::blocked(&mut matrix, &Alone, None, progress))?;
        }
        _ => floyd_warshall::blocked(&mut matrix, ranks, Some(pool), progress)?,
    }
    report.solve_ms += milliseconds(start);
    let start = Instant::now();
    let mut table = Table::<W>::new(share.n_rows(), share.blocks.n_rows)?;
    let sources: Vec<usize> = share.rows().collect();
    pool.install(|| table.fill(&|place, row| decode(row, matrix.row(sources[place]))));
    report.download_ms += milliseconds(start);
    Ok(table.finish())
}

/// The fastest kernel that the processors of all ranks have: packed rows are as it reads them.
fn common_kernel<E: MinPlus>(ranks: &dyn Communicator) -> Result<Kernel<E>, RanksError> {
    // the last is for any processor, and who has one has those after it
    let mut kernels = E::kernels();
    let n_common = ranks.min(kernels.len() as u64)? as usize;
    Ok(kernels.swap_remove(kernels.len() - n_common))
}

impl<W: PairsWeight> RankPairs<W> {
    /// The same, of the only rank.
    pub(crate) fn into_pairs(self) -> Pairs<W> {
        let Self { distances, next_hops, plan, report, .. } = self;
        Pairs { plan, report, rows: Rows::in_memory(distances, next_hops) }
    }

    /// How many distances all ranks have, their sum and the greatest, at all ranks. Floats are
    /// added rank by rank. O(n²) over all ranks.
    ///
    /// # Errors
    /// When another rank has ended.
    pub fn summary(&self, ranks: &dyn Communicator) -> Result<Summary<W::Distance>, RanksError> {
        W::summary_over(self, ranks)
    }

    pub(crate) fn summarize(
        &self,
        ranks: &dyn Communicator,
    ) -> Result<Summary<W::Distance>, RanksError> {
        let own = self.distances.as_storage().iter().copied();
        let own = own.filter(|&distance| distance != W::Distance::UNREACHED);
        // from each vertex to itself it is zero: the greatest is not less
        let max = own.fold(Weight::ZERO, |max, d| if max < d { d } else { max });
        let max = ranks.max::<W::Distance>(max)?;
        Ok(Summary {
            n_reachable_pairs: ranks.sum(self.distances.n_reachable_pairs() as u64)? as usize,
            sum: match self.distances.sum() {
                Total::Integer(sum) => Total::Integer(ranks.sum(sum)?),
                Total::Float(sum) => Total::Float(ranks.sum(sum)?),
            },
            max: (self.share.blocks.n_rows > 0).then_some(max),
        })
    }

    /// Brings the rows of all ranks to rank 0, where `take` gets each source with its distances,
    /// in the order of the vertices, [`Distance::UNREACHED`] for none; it may end that early. To
    /// be called by all ranks. O(n²), in messages of some hundred rows.
    ///
    /// # Errors
    /// When another rank has ended.
    pub fn gather_rows(
        &self,
        ranks: &dyn Communicator,
        mut take: impl FnMut(VertexId, &[W::Distance]) -> ControlFlow<()>,
    ) -> Result<(), RanksError> {
        W::gather_rows(self, ranks, &mut take)
    }

    pub(crate) fn gather_distances(
        &self,
        ranks: &dyn Communicator,
        take: TakeRow<'_, W::Distance>,
    ) -> Result<(), RanksError> {
        gather(self.share, ranks, slice_of(self.distances.as_storage()), take)
    }

    /// Writes the file that [`Pairs::write_npy`](crate::Pairs::write_npy) writes, at the rank that
    /// has it, which is rank 0. To be called by all ranks. O(n²).
    ///
    /// # Errors
    /// When `out` fails, the progress callback ends the work, or another rank has ended.
    pub fn write_npy(
        &self,
        ranks: &dyn Communicator,
        out: Option<&mut dyn Write>,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError> {
        W::write_npy_over(self, ranks, out, progress)
    }

    pub(crate) fn write_distances(
        &self,
        ranks: &dyn Communicator,
        out: Option<&mut dyn Write>,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError> {
        let cells = slice_of(self.distances.as_storage());
        write(self.share, ranks, out, W::Distance::DTYPE, cells, progress)
    }

    /// Writes the file that [`Pairs::write_next_hops_npy`](crate::Pairs::write_next_hops_npy)
    /// writes, at the rank that has it, which is rank 0. To be called by all ranks. O(n²).
    ///
    /// # Errors
    /// When next hops were not asked for, `out` fails, the progress callback ends the work, or
    /// another rank has ended.
    pub fn write_next_hops_npy(
        &self,
        ranks: &dyn Communicator,
        out: Option<&mut dyn Write>,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError> {
        write_hops(self.share, self.next_hops.as_ref(), ranks, out, progress)
    }
}

/// Gets the rows of all vertices, one after the other, and says whether to go on.
pub(crate) type TakeRow<'a, T> = &'a mut dyn FnMut(VertexId, &[T]) -> ControlFlow<()>;

/// Writes the next hops of all ranks, where there is something to write to.
fn write_hops(
    share: Share,
    hops: Option<&HopStorage>,
    ranks: &dyn Communicator,
    out: Option<&mut dyn Write>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    match hops {
        Some(HopStorage::Narrow(hops)) => {
            write(share, ranks, out, u16::DTYPE, slice_of(hops), progress)
        }
        Some(HopStorage::Wide(hops)) => {
            write(share, ranks, out, u32::DTYPE, slice_of(hops), progress)
        }
        None => Err(ApspError::NotAskedFor { what: "next hops" }),
    }
}

/// Brings the rows of all ranks to rank 0, where `take` gets them in the order of the vertices.
fn gather<T: Pod>(
    share: Share,
    ranks: &dyn Communicator,
    cells: &[T],
    take: TakeRow<'_, T>,
) -> Result<(), RanksError> {
    let n = share.blocks.n_rows;
    for block in 0..share.blocks.count() {
        let vertices = share.blocks.rows(block);
        let own = share.places(&vertices);
        let gathered = ranks.gather(0, &cells[own.start * n..own.end * n])?;
        let rows = gathered.iter().flat_map(|cells| cells.chunks_exact(n.max(1)));
        let taken = rows.zip(vertices).try_for_each(|(row, v)| take(v as VertexId, row));
        if ranks.any(taken.is_break())? {
            break;
        }
    }
    Ok(())
}

/// Writes the rows of all ranks, where there is something to write to.
fn write<T: Pod>(
    share: Share,
    ranks: &dyn Communicator,
    mut out: Option<&mut dyn Write>,
    dtype: Dtype,
    cells: &[T],
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    let n = share.blocks.n_rows;
    let header = out.as_mut().map(|out| write_header(out, dtype, &[n, n]));
    let mut written = header.unwrap_or(Ok(())).map_err(ApspError::Output);
    gather(share, ranks, cells, &mut |source, row| {
        let told = tell(progress, source.into(), n as u64);
        if let (Ok(()), Some(out)) = (&written, &mut out) {
            let row = out.write_all(bytemuck::cast_slice(row)).map_err(ApspError::Output);
            written = told.map_err(ApspError::from).and(row);
        }
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written
}
