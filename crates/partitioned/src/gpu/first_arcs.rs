//! Where the arcs of a graph without weights lie: on the GPU of their part, or there the first ones of
//! each row, and the others in host memory, which the GPU reads.
//!
//! Heads ascend by rank, so that hubs come first, at which a search looks first. All rows have as many
//! arcs on the GPU, if they have them, and that is the greatest number that fits beside what a search takes.
//! If not all arcs fit, rows are made in pieces, so that a GPU never takes more than it may.

use std::ops::Range;

use gpu_runtime::{Buffer, Gpu, GpuError};
use search_parts::SearchError;
use search_parts::device::{RankedArcs, offsets_of};

use super::dealt::{Dealt, each_part};
use super::placing::{check_host, cut, refuse, usable};
use super::rows::{Arcs, PlacedRows, copy_first, number_heads};

/// Makes these rows of a part on its GPU, with heads by rank.
type Make<'a> = dyn Fn(usize, &Gpu, Range<usize>) -> Result<RankedArcs, SearchError> + Sync + 'a;

/// A graph that is to be placed.
pub(super) struct FirstArcs<'a> {
    pub(super) gpus: &'a [Gpu],
    pub(super) dealt: &'a Dealt,
    /// The arcs of the vertex of each rank, at most.
    pub(super) length: &'a (dyn Fn(usize) -> u64 + Sync),
    /// Bytes that a search of so many arcs takes of the GPU of a part, beside the rows.
    pub(super) of_search: &'a (dyn Fn(usize, u64) -> u64 + Sync),
    /// Bytes that making a piece takes beside its rows.
    pub(super) beside: u64,
    pub(super) make: &'a Make<'a>,
}

/// The rows of a part.
pub(super) struct FirstRows {
    /// The first arcs of its rows, and the others.
    pub(super) of: [PlacedRows; 2],
    /// The head of the first arc of each row, [`NO_VERTEX`](search_parts::NO_VERTEX) where it has none.
    pub(super) firsts: Buffer<u32>,
}

impl FirstRows {
    pub(super) fn n_arcs(&self) -> u64 {
        self.of[0].n_arcs + self.of[1].n_arcs
    }
}

/// How the rows of a part are made.
struct Plan {
    /// Where rows end, as they are before equal arcs are dropped.
    ends: Vec<u64>,
    /// Bytes that may be taken, and of them those for a search or for making a piece.
    usable: u64,
    others: u64,
    /// Whether all rows can be made at once, and then searched.
    is_whole: bool,
}

impl Plan {
    /// How many arcs are among the first `n` of their row. Rows get shorter. O(log n).
    fn n_first(&self, n: u64) -> u64 {
        let is_longer = |row: usize| self.ends[row + 1] - self.ends[row] > n;
        let n_rows = self.ends.len() as u64 - 1;
        let n_longer = greatest(n_rows, |rows| is_longer(rows as usize - 1));
        n * n_longer + self.n_arcs() - self.ends[n_longer as usize]
    }

    fn n_arcs(&self) -> u64 {
        *self.ends.last().unwrap_or(&0)
    }

    /// Whether so many arcs fit.
    fn fits(&self, n_arcs: u64) -> bool {
        n_arcs * BYTES_OF_ARC + self.others <= self.usable
    }
}

const BYTES_OF_ARC: u64 = size_of::<u32>() as u64;

impl FirstArcs<'_> {
    /// # Errors
    /// [`SearchError::Gpu`] where a GPU has too little memory, even if all arcs are in that of the host, and
    /// [`SearchError::NotOnGpu`] where the host has too little.
    pub(super) fn place(&self) -> Result<Vec<FirstRows>, SearchError> {
        let parts = 0..self.gpus.len();
        let plans = parts.map(|part| self.plan(part)).collect::<Result<Vec<_>, _>>()?;
        if plans.iter().all(|plan| plan.is_whole) {
            return each_part(self.gpus, |part, gpu| self.whole(part, gpu));
        }
        let fit = |n: u64| plans.iter().all(|plan| plan.fits(plan.n_first(n)));
        let longest = plans.iter().map(|plan| plan.ends.get(1).copied().unwrap_or(0)).max();
        let n_first = greatest(longest.unwrap_or(0), fit);
        let in_host = plans.iter().map(|plan| plan.n_arcs() - plan.n_first(n_first));
        check_host(in_host.sum::<u64>() * BYTES_OF_ARC)?;
        each_part(self.gpus, |part, _| self.fill(part, &plans[part], n_first))
    }

    fn plan(&self, part: usize) -> Result<Plan, SearchError> {
        let (gpu, n_parts, n_rows) = (&self.gpus[part], self.gpus.len(), self.dealt.len(part));
        let ends = offsets_of((0..n_rows).map(|row| (self.length)(row * n_parts + part)))?;
        let (n_arcs, longest) = (ends[n_rows], ends.get(1).copied().unwrap_or(0));
        let usable = usable(gpu)?;
        let offsets = 2 * (n_rows as u64 + 1) * size_of::<u64>() as u64;
        let search = offsets + (self.of_search)(part, n_arcs);
        let others = search.max(self.bytes_of_firsts(part) + self.bytes_of_piece(1, longest));
        if others > usable {
            let what = "a breadth-first search with all arcs in host memory (take more GPUs, or allow \
                        more of their memory)";
            return Err(refuse(what, others, usable));
        }
        let making = self.bytes_of_piece(n_rows, n_arcs);
        let is_whole = making.max(n_arcs * BYTES_OF_ARC + search) <= usable;
        Ok(Plan { ends, usable, others, is_whole })
    }

    /// Bytes of rows until they are placed: two copies of heads; and of each row its offsets and a count.
    fn bytes_of_piece(&self, n_rows: usize, n_arcs: u64) -> u64 {
        2 * BYTES_OF_ARC * n_arcs + 40 * (n_rows as u64 + 1) + self.beside
    }

    /// Bytes of the first heads, which stay while pieces are made.
    fn bytes_of_firsts(&self, part: usize) -> u64 {
        BYTES_OF_ARC * self.dealt.len(part) as u64
    }

    /// All rows of a part on its GPU.
    fn whole(&self, part: usize, gpu: &Gpu) -> Result<FirstRows, SearchError> {
        let made = (self.make)(part, gpu, 0..self.dealt.len(part))?;
        number_heads(gpu, self.dealt, part, &made)?;
        let n_arcs = made.ends.len() as u64;
        let firsts = made.first_ends(gpu)?;
        let all = PlacedRows { offsets: made.offsets, arcs: Arcs::OnGpu(made.ends), n_arcs };
        let none =
            PlacedRows { offsets: gpu.buffer(0)?, arcs: Arcs::new(gpu, 0, false)?, n_arcs: 0 };
        Ok(FirstRows { of: [all, none], firsts })
    }

    /// The rows of a part, `n_first` arcs of each on the GPU.
    fn fill(&self, part: usize, plan: &Plan, n_first: u64) -> Result<FirstRows, SearchError> {
        let gpu = &self.gpus[part];
        let room = plan.n_first(n_first);
        let others = (plan.n_arcs() - room) as usize;
        let arcs = [Arcs::new(gpu, room as usize, false)?, Arcs::new(gpu, others, others > 0)?];
        let firsts = gpu.buffer(self.dealt.len(part))?;
        let (mut ends, mut offsets) = ([0, 0], [vec![0], vec![0]]);
        let bytes = |rows, arcs| self.bytes_of_piece(rows, arcs);
        for rows in cut(&plan.ends, plan.others - self.bytes_of_firsts(part), bytes) {
            let made = (self.make)(part, gpu, rows.clone())?;
            number_heads(gpu, self.dealt, part, &made)?;
            for row in made.row_offsets.windows(2) {
                let first = n_first.min(row[1] - row[0]);
                for (which, n) in [first, row[1] - row[0] - first].into_iter().enumerate() {
                    ends[which] += n;
                    offsets[which].push(ends[which]);
                }
            }
            let of_piece = offsets.each_ref().map(|offsets| &offsets[rows.start..=rows.end]);
            let at = [part, rows.start];
            copy_first(gpu, self.dealt, at, &made, n_first as u32, of_piece, (&arcs, &firsts))?;
        }
        let [first, other] = arcs;
        let of = |which: usize, arcs| {
            let offsets = gpu.upload(&offsets[which])?;
            Ok::<_, GpuError>(PlacedRows { offsets, arcs, n_arcs: ends[which] })
        };
        Ok(FirstRows { of: [of(0, first)?, of(1, other)?], firsts })
    }
}

/// The greatest number up to `most` that `holds`, as all from 1 on do that are less; 0 if none does.
pub(super) fn greatest(most: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = high - (high - low) / 2;
        match holds(middle) {
            true => low = middle,
            false => high = middle - 1,
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_arcs_are_counted_as_one_by_one() {
        let lengths = [9u64, 7, 7, 4, 1, 1, 0];
        let ends = offsets_of(lengths.into_iter()).unwrap();
        let plan = Plan { ends, usable: 0, others: 0, is_whole: false };
        for n in 0..11 {
            assert_eq!(plan.n_first(n), lengths.iter().map(|&length| length.min(n)).sum::<u64>());
        }
    }

    #[test]
    fn the_greatest_number_is_found() {
        for most in 0..9 {
            for last in 0..12 {
                assert_eq!(greatest(most, |n| n <= last), most.min(last));
            }
        }
    }
}
