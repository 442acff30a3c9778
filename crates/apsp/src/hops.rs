//! Next hops for distances that some algorithm has found.
//!
//! Rows of distances stay where they were found. Columns are transposed, some at a time, because
//! the hops to a vertex follow from its column alone. Ranks take blocks of columns in turn, as they
//! take blocks of rows, and each has all rows of one of its blocks at a time. Over all turns a rank
//! sends and receives O(n² / p) numbers, and has O(n) of them in hand.

use std::ops::{ControlFlow, Range};
use std::time::Instant;

use bytemuck::Pod;
use collectives::{Communicator, RanksError};
use graph_formats::{Csr, Distance, VertexId, Weight, parallel};
use ndarray::Array2;
use paths::{DistanceTable, HopStorage, NextHops};
use pivots::{Blocks, Share};
use rayon::ThreadPool;
use sssp::Progress;

use crate::error::agree;
use crate::host::next_hops::{Finder, Hop, Rows, bytes_of_levels, may_need_levels};
use crate::host::settle::Settler;
use crate::host::useful_arcs::{bytes_of_arcs, greatest, marked, marks, rounds, slack};
use crate::pairs::milliseconds;
use crate::potentials::RaisedWeight;
use crate::{ApspError, Report};

/// Bytes that the work on the next hops of these rows takes, neither they nor the distances counted.
pub(crate) fn bytes_of_work<W: Weight>(graph: &Csr<W>, share: Share) -> u128 {
    let n = graph.n_vertices();
    let width = width(n, share.blocks.n_parts);
    // between ranks as it is sent, as it comes and in order; settled, also as it was found
    let copies = if share.blocks.n_parts == 1 && !rounds(graph) { 1 } else { 3 };
    let cell = copies * size_of::<W::Distance>().max(size_of_hop(n)) + size_of_hop(n);
    let levels = if may_need_levels(graph) { bytes_of_levels(n, width) } else { 0 };
    bytes_of_arcs(graph) + n as u128 * width as u128 * cell as u128 + levels
}

/// Bytes for the next hops from the vertices of these rows.
pub(crate) fn bytes_of_hops(share: Share) -> u128 {
    share.n_rows() as u128 * share.blocks.n_rows as u128 * size_of_hop(share.blocks.n_rows) as u128
}

fn size_of_hop(n_vertices: usize) -> usize {
    if NextHops::is_narrow(n_vertices) { size_of::<u16>() } else { size_of::<VertexId>() }
}

/// Bytes for next hops and the work on them, beside the distances.
pub(crate) fn bytes<W: Weight>(graph: &Csr<W>, share: Share) -> u128 {
    bytes_of_hops(share) + bytes_of_work(graph, share)
}

/// Next hops for the rows that ranks have; where sums may round, their distances are settled.
pub(crate) struct Work<'a, W: Weight> {
    pub(crate) ranks: &'a dyn Communicator,
    pub(crate) graph: &'a Csr<W>,
    pub(crate) share: Share,
    pub(crate) pool: &'a ThreadPool,
    pub(crate) progress: Option<Progress<'a>>,
}

/// The rows of a rank.
struct Own<'a, D> {
    share: Share,
    cells: &'a [D],
}

impl<D: Distance> Rows<D> for Own<'_, D> {
    type Cell = D;

    fn row(&self, from: VertexId) -> &[D] {
        let place = self.share.places(&(from as usize..from as usize + 1)).start;
        &self.cells[place * self.share.blocks.n_rows..][..self.share.blocks.n_rows]
    }

    fn distance(&self, cell: D) -> D {
        cell
    }
}

impl<W: RaisedWeight> Work<'_, W> {
    /// For each of this rank's rows the hops, and its distances. To be called by all ranks.
    pub(crate) fn find(
        &self,
        distances: DistanceTable<W>,
        report: &mut Report,
    ) -> Result<(DistanceTable<W>, HopStorage), ApspError> {
        let start = Instant::now();
        let mut distances = distances.into_storage();
        let cells = distances.as_slice_mut().expect("tables are kept row by row");
        let hops = self.find_of(cells)?;
        report.next_hops_ms += milliseconds(start);
        Ok((DistanceTable::from_storage(distances), hops))
    }

    /// The same of these rows one after the other, which change only if they are settled.
    pub(crate) fn find_of(&self, cells: &mut [W::Distance]) -> Result<HopStorage, ApspError> {
        Ok(match NextHops::is_narrow(self.graph.n_vertices()) {
            true => HopStorage::Narrow(self.fill(cells)?),
            false => HopStorage::Wide(self.fill(cells)?),
        })
    }

    fn fill<H: Hop + Pod>(&self, cells: &mut [W::Distance]) -> Result<Array2<H>, ApspError> {
        let Self { ranks, graph, share, pool, progress } = *self;
        let n = graph.n_vertices();
        let by_levels = graph.first_negative().is_some();
        let arcs = self.useful_arcs(cells)?;
        let settler = rounds(graph).then(|| Settler::new(&arcs, pool.current_num_threads()));
        let columns = Columns::new(ranks, share);
        let mut hops = Array2::from_elem((share.n_rows(), n), H::NONE);
        for turn in 0..columns.n_turns() {
            let own = columns.own(turn);
            let part = match &settler {
                None => columns.load(turn, cells)?,
                Some(settler) => {
                    let found = settler.columns(own.clone(), progress);
                    let found = agree(ranks, found.map_err(ApspError::from))?;
                    let part =
                        found.t().as_standard_layout().into_owned().into_raw_vec_and_offset().0;
                    columns.store(turn, &part, cells)?;
                    part
                }
            };
            let distances = Array2::from_shape_vec((n, own.len()), part).expect("n rows");
            let done = own.start as u64;
            let tell =
                |_, _| progress.map_or(ControlFlow::Continue(()), |tell| tell(done, n as u64));
            let mut part = vec![H::NONE; distances.len()];
            let finder = Finder { arcs: &arcs, by_levels, columns: own, distances: &distances };
            let found = parallel::install(pool, || finder.find(&mut part, Some(&tell)));
            agree(ranks, found.map_err(ApspError::from))?;
            columns.store(turn, &part, hops.as_slice_mut().expect("just made"))?;
        }
        Ok(hops)
    }

    /// The arcs that begin a shortest path, by the marks of all ranks, each for its rows.
    fn useful_arcs(&self, cells: &[W::Distance]) -> Result<Csr<W>, RanksError> {
        let Self { ranks, graph, share, pool, .. } = *self;
        let sources: Vec<_> = share.rows().map(|v| v as VertexId).collect();
        let distances = Own { share, cells };
        let slack = match rounds(graph) {
            true => {
                let own = parallel::install(pool, || greatest(graph, &sources, &distances));
                slack(graph, ranks.max(own)?)
            }
            false => 0.0,
        };
        let own = parallel::install(pool, || marks(graph, &sources, &distances, slack));
        let mut all = vec![0; graph.n_arcs()];
        for (rank, marks) in ranks.gather(0, &own)?.into_iter().enumerate() {
            let mut marks = &marks[..];
            for v in share.blocks.share(rank).rows() {
                let row = graph.row(v as VertexId);
                let (own, others) = marks.split_at(row.len());
                all[row].copy_from_slice(own);
                marks = others;
            }
        }
        ranks.broadcast(0, &mut all)?;
        Ok(marked(graph, &all))
    }
}

/// Columns of a block.
const WIDTH: usize = 256;

/// The columns of a block, of which no rank has more at a time.
fn width(n_vertices: usize, n_ranks: usize) -> usize {
    WIDTH.min(n_vertices.div_ceil(n_ranks)).max(1)
}

/// The rows and columns of ranks.
struct Columns<'a> {
    ranks: &'a dyn Communicator,
    share: Share,
    columns: Blocks,
}

impl<'a> Columns<'a> {
    /// Of the table of which each rank has these rows.
    fn new(ranks: &'a dyn Communicator, share: Share) -> Self {
        let (n, size) = (share.blocks.n_rows, ranks.size());
        let columns = Blocks { n_rows: n, block_rows: width(n, size), n_parts: size };
        Self { ranks, share, columns }
    }

    /// How often ranks take columns.
    fn n_turns(&self) -> usize {
        self.columns.count().div_ceil(self.ranks.size())
    }

    /// The columns that this rank has at a turn; at the last there may be none.
    fn own(&self, turn: usize) -> Range<usize> {
        self.of_rank(turn, self.ranks.rank())
    }

    fn of_rank(&self, turn: usize, rank: usize) -> Range<usize> {
        self.columns.rows(turn * self.ranks.size() + rank)
    }

    /// All rows of this rank's columns, from the rows that ranks have. To be called by all of them.
    fn load<T: Pod>(&self, turn: usize, rows: &[T]) -> Result<Vec<T>, RanksError> {
        let n = self.share.blocks.n_rows;
        let mut pieces = self.ranks.exchange(|rank| {
            let columns = self.of_rank(turn, rank);
            let mut piece = Vec::with_capacity(rows.len() / n.max(1) * columns.len());
            rows.chunks_exact(n.max(1)).for_each(|row| piece.extend(&row[columns.clone()]));
            piece
        })?;
        if let [whole] = &mut pieces[..] {
            return Ok(std::mem::take(whole));
        }
        let width = self.own(turn).len().max(1);
        let mut part = vec![T::zeroed(); n * self.own(turn).len()];
        for (rank, piece) in pieces.iter().enumerate() {
            let rows = self.share.blocks.share(rank).rows();
            for (v, cells) in rows.zip(piece.chunks_exact(width)) {
                part[v * width..][..width].copy_from_slice(cells);
            }
        }
        Ok(part)
    }

    /// Puts all rows of this rank's columns where ranks have the rows. To be called by all of them.
    fn store<T: Pod>(&self, turn: usize, part: &[T], rows: &mut [T]) -> Result<(), RanksError> {
        let width = self.own(turn).len();
        let pieces = self.ranks.exchange(|rank| {
            let share = self.share.blocks.share(rank);
            let mut piece = Vec::with_capacity(share.n_rows() * width);
            share.rows().for_each(|v| piece.extend(&part[v * width..][..width]));
            piece
        })?;
        for (rank, piece) in pieces.iter().enumerate() {
            let columns = self.of_rank(turn, rank);
            let cells = piece.chunks_exact(columns.len().max(1));
            for (row, cells) in rows.chunks_exact_mut(self.share.blocks.n_rows.max(1)).zip(cells) {
                row[columns.clone()].copy_from_slice(cells);
            }
        }
        Ok(())
    }
}
