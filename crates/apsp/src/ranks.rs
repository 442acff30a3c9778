//! The pairs of a rank: the rows of some sources, with one rank of all.

use std::io::Write;
use std::ops::ControlFlow;

use bytemuck::{Pod, cast_slice};
use collectives::{Communicator, RanksError};
use graph_formats::npy::{Dtype, Scalar, write_header};
use graph_formats::{Distance, VertexId, Weight, tell};
use paths::{DistanceTable, HopStorage, Total};
use pivots::Share;
use sssp::Progress;

use crate::pairs::slice_of;
use crate::{ApspError, Plan, Report, Summary};

/// The distances that a rank has: those from the vertices of some blocks.
#[derive(Clone, Debug)]
pub struct RankPairs<W: Weight> {
    /// The vertices that are sources here, ascending.
    pub sources: Vec<VertexId>,
    /// A row for each of these sources, a column for each vertex.
    pub distances: DistanceTable<W>,
    /// The next hops of these rows, if the configuration asks for them.
    pub next_hops: Option<HopStorage>,
    /// The algorithm that found them, and why: rank 0's choice, with the threads of this rank.
    pub plan: Plan,
    /// The time that it took on this rank.
    pub report: Report,
    pub(crate) share: Share,
}

impl<W: Weight> RankPairs<W> {
    /// The number of distances of all ranks, their sum and the greatest, returned on all ranks.
    /// Floats are added rank by rank. O(n²) over all ranks.
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

    /// Sends the rows of all ranks to rank 0, where `take` gets each source with its distances, in
    /// the order of the vertices. No path is [`Distance::UNREACHED`]. `take` may end the gathering
    /// early. To be called by all ranks. O(n²), in messages of some hundred rows.
    ///
    /// # Errors
    /// When another rank has ended.
    pub fn gather_rows(
        &self,
        ranks: &dyn Communicator,
        mut take: impl FnMut(VertexId, &[W::Distance]) -> ControlFlow<()>,
    ) -> Result<(), RanksError> {
        self.gather(ranks, slice_of(self.distances.as_storage()), &mut take)
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
        let cells = cast_slice(slice_of(self.distances.as_storage()));
        self.write(ranks, out, W::Distance::DTYPE, cells, progress)
    }

    /// Writes the file that [`Pairs::write_next_hops_npy`](crate::Pairs::write_next_hops_npy)
    /// writes, at the rank that has it, which is rank 0. To be called by all ranks. O(n²).
    ///
    /// # Errors
    /// When there are no next hops, `out` fails, the progress callback ends the work, or another
    /// rank has ended.
    pub fn write_next_hops_npy(
        &self,
        ranks: &dyn Communicator,
        out: Option<&mut dyn Write>,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError> {
        let (dtype, cells) = match &self.next_hops {
            Some(HopStorage::Narrow(hops)) => (u16::DTYPE, cast_slice(slice_of(hops))),
            Some(HopStorage::Wide(hops)) => (u32::DTYPE, cast_slice(slice_of(hops))),
            None => return Err(ApspError::NotAskedFor { what: "next hops" }),
        };
        self.write(ranks, out, dtype, cells, progress)
    }

    /// Brings the rows of all ranks to rank 0, where `take` gets them in the order of the vertices,
    /// until it says that they are enough.
    fn gather<T: Pod>(
        &self,
        ranks: &dyn Communicator,
        cells: &[T],
        take: &mut dyn FnMut(VertexId, &[T]) -> ControlFlow<()>,
    ) -> Result<(), RanksError> {
        let width = cells.len() / self.share.n_rows().max(1);
        for block in 0..self.share.blocks.count() {
            let vertices = self.share.blocks.rows(block);
            let own = self.share.places(&vertices);
            let gathered = ranks.gather(0, &cells[own.start * width..own.end * width])?;
            let rows = gathered.iter().flat_map(|cells| cells.chunks_exact(width.max(1)));
            let taken = rows.zip(vertices).try_for_each(|(row, v)| take(v as VertexId, row));
            if ranks.any(taken.is_break())? {
                break;
            }
        }
        Ok(())
    }

    /// Writes the bytes of the rows of all ranks, where there is something to write to.
    fn write(
        &self,
        ranks: &dyn Communicator,
        mut out: Option<&mut dyn Write>,
        dtype: Dtype,
        cells: &[u8],
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError> {
        let n = self.share.blocks.n_rows;
        let header = out.as_mut().map(|out| write_header(out, dtype, &[n, n]));
        let mut written = header.unwrap_or(Ok(())).map_err(ApspError::Output);
        self.gather(ranks, cells, &mut |source, row| {
            let told = tell(progress, source.into(), n as u64);
            if let (Ok(()), Some(out)) = (&written, &mut out) {
                let row = out.write_all(row).map_err(ApspError::Output);
                written = told.map_err(ApspError::from).and(row);
            }
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        written
    }
}
