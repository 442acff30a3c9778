//! The pairs that each rank has: the rows of some sources, and with one rank all.

use std::io::Write;
use std::ops::ControlFlow;

use bytemuck::Pod;
use collectives::{Communicator, RanksError};
use graph_formats::npy::{Dtype, Scalar, write_header};
use graph_formats::{Distance, VertexId, Weight, tell};
use paths::{DistanceTable, HopStorage, Total};
use pivots::Share;
use sssp::Progress;

use crate::pairs::{Rows, slice_of};
use crate::{Algorithm, ApspError, Certainty, Config, Number, Pairs, Plan, Report, Summary};

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

impl<W: Weight> RankPairs<W> {
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
        gather(self.share, ranks, slice_of(self.distances.as_storage()), &mut take)
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
