//! The rows of a rank's part as they lie on its GPU.

use std::cmp::Reverse;

use collectives::Communicator;
use gpu_runtime::Gpu;
use graph_formats::{Direction, NoMemory, Weight, ensure_granted};
use rayon::prelude::*;
use search_parts::device::{KeyKind, offsets_of};
use search_parts::{NO_VERTEX, SearchError};

use super::dealt::Shape;
use super::first_arcs::{FirstRows, greatest};
use super::placing::check_host;
use super::rows::{Arcs, PlacedRows};
use crate::PartitionedError;
use crate::messages::agree;
use crate::part::{Part, Rows};

/// The order of the rows of a part, and what it makes of slots.
pub(super) struct RankRows<'a> {
    pub(super) part: &'a Part,
    pub(super) shape: Shape,
    /// The number of each slot: those of a part by degree.
    pub(super) numbers: Vec<u32>,
    /// The places of the rows, by number.
    order: Vec<u32>,
}

impl<'a> RankRows<'a> {
    /// To be called by all ranks. O(n).
    pub(super) fn new(ranks: &dyn Communicator, part: &'a Part) -> Result<Self, PartitionedError> {
        let (deal, offsets) = (part.deal(), part.row_offsets());
        let bytes = size_of::<u32>() * (2 * deal.n_slots() + 2 * part.heads().len());
        agree(ranks, ensure_granted(bytes).map_err(NoMemory::into))?;
        let own = deal.slots(part.rank());
        let degree = |place: u32| offsets[place as usize + 1] - offsets[place as usize];
        let mut order: Vec<u32> = (0..own.len() as u32).collect();
        order.par_sort_by_key(|&place| Reverse(degree(place)));
        let mut of_own = vec![0; own.len()];
        for (number, &place) in (own.start as u32..).zip(&order) {
            of_own[place as usize] = number;
        }
        let mut numbers = vec![NO_VERTEX; deal.n_slots()];
        let messages = vec![bytemuck::cast_slice(&of_own); ranks.size()];
        for (rank, bytes) in ranks.exchange_bytes(&messages)?.iter().enumerate() {
            let of_rank = &mut numbers[deal.slots(rank)];
            bytemuck::cast_slice_mut::<u32, u8>(of_rank).copy_from_slice(bytes);
        }
        // without arcs a vertex of an undirected graph is reached by none
        if part.direction() == Direction::Undirected {
            order.truncate(order.partition_point(|&place| degree(place) > 0));
        }
        let (part_at, stride) = (ranks.rank(), deal.stride() as u32);
        let shape = Shape { part: part_at, n_rows: order.len(), n_parts: ranks.size(), stride };
        Ok(Self { part, shape, numbers, order })
    }

    /// How many of the vertices have arcs.
    pub(super) fn n_linked(&self) -> usize {
        let offsets = self.part.row_offsets();
        offsets.windows(2).filter(|row| row[0] < row[1]).count()
    }

    fn row(&self, place: u32) -> std::ops::Range<usize> {
        let offsets = self.part.row_offsets();
        offsets[place as usize] as usize..offsets[place as usize + 1] as usize
    }

    /// The rows with hubs first, of each the first `n_first` arcs on the GPU; the others are in host memory.
    pub(super) fn by_hubs(&self, gpu: &Gpu, n_first: usize) -> Result<FirstRows, SearchError> {
        let stride = self.shape.stride;
        let row = |&place: &u32| {
            let number = |&slot: &u32| self.numbers[slot as usize];
            let heads = self.part.heads()[self.row(place)].iter().map(number);
            let mut row: Vec<_> =
                heads.map(|number| u64::from(number % stride) << 32 | u64::from(number)).collect();
            row.sort_unstable();
            row.into_iter().map(|key| key as u32)
        };
        let offsets = offsets_of(self.order.iter().map(|&place| self.row(place).len() as u64))?;
        let ends: Vec<u32> = self.order.par_iter().flat_map_iter(row).collect();
        let of_row = |row: &[u64]| &ends[row[0] as usize..row[1] as usize];
        let firsts = offsets.windows(2).map(|row| of_row(row).first().copied());
        let firsts: Vec<u32> = firsts.map(|first| first.unwrap_or(NO_VERTEX)).collect();
        let firsts = gpu.upload(&firsts)?;
        let placed = |which: usize| {
            let part = |row| {
                let (first, others) = of_row(row).split_at(n_first.min(of_row(row).len()));
                [first, others][which]
            };
            let lengths = offsets.windows(2).map(|row| part(row).len() as u64);
            let offsets_of_part = offsets_of(lengths)?;
            let words: Vec<u32> =
                offsets.par_windows(2).flat_map_iter(|row| part(row).iter().copied()).collect();
            placed(gpu, &offsets_of_part, &words, which == 1)
        };
        Ok(FirstRows { of: [placed(0)?, placed(1)?], firsts })
    }

    /// The greatest number of first arcs of each row, of which in all there are no more than `room`.
    pub(super) fn n_first(&self, room: u64) -> usize {
        let lengths = || self.order.par_iter().map(|&place| self.row(place).len() as u64);
        let longest = lengths().max().unwrap_or(0);
        let fit = |n: u64| lengths().map(|length| length.min(n)).sum::<u64>() <= room;
        greatest(longest, fit) as usize
    }

    /// The arcs whose weights are short, or all, and the others, with their weights as `kind` has them; those
    /// that are to be `in_host` are in host memory.
    pub(super) fn by_weight<W: Weight>(
        &self,
        gpu: &Gpu,
        rows: Rows<'_, W>,
        kind: KeyKind,
        is_short: Option<impl Fn(W) -> bool + Sync>,
        in_host: [bool; 2],
    ) -> Result<[PlacedRows; 2], SearchError> {
        let parts = |place: u32| {
            let row = self.row(place);
            let short = is_short.as_ref().map_or(row.len(), |is_short| {
                rows.weights_of(row.clone()).partition_point(|&weight| is_short(weight))
            });
            let middle = row.start + short;
            [row.start..middle, middle..row.end]
        };
        let placed = |which: usize| {
            let lengths = self.order.iter().map(|&place| parts(place)[which].len() as u64);
            let offsets = offsets_of(lengths)?;
            let arcs = |&place: &u32| {
                let at = parts(place)[which].clone();
                let heads = rows.heads[at.clone()].iter();
                let weights = kind.of_weights(rows.weights_of(at));
                let words = kind.words_of_weight();
                let mut arcs = Vec::with_capacity(2 * weights.len());
                for (&slot, weight) in heads.zip(weights.chunks_exact(words)) {
                    arcs.push(self.numbers[slot as usize]);
                    // a wide weight begins at a multiple of its size
                    arcs.extend(std::iter::repeat_n(0, words - 1));
                    arcs.extend_from_slice(weight);
                }
                arcs
            };
            let arcs: Vec<u32> = self.order.par_iter().flat_map_iter(arcs).collect();
            placed(gpu, &offsets, &arcs, in_host[which])
        };
        Ok([placed(0)?, placed(1)?])
    }
}

/// Rows whose arcs are these words; without any, they are on the GPU.
fn placed(
    gpu: &Gpu,
    offsets: &[u64],
    words: &[u32],
    in_host: bool,
) -> Result<PlacedRows, SearchError> {
    let n_arcs = *offsets.last().unwrap_or(&0);
    let arcs = match in_host && !words.is_empty() {
        true => {
            check_host(size_of_val(words) as u64)?;
            let mut arcs = gpu.pinned(words.len())?;
            arcs.copy_from_slice(words);
            Arcs::in_host(arcs)?
        }
        false => Arcs::OnGpu(gpu.upload(words)?),
    };
    Ok(PlacedRows { offsets: gpu.upload(offsets)?, arcs, n_arcs })
}
