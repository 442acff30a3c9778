//! Where the arcs of a graph lie: on the GPU of their part, or the short ones there and the long ones in
//! host memory, which the GPU reads.
//!
//! If all arcs fit beside what a search takes, they are on the GPU. Else the limit between short and
//! long ones is the greatest at which the short ones fit, the same for all parts. If there is no such
//! limit, as where all weights are equal, all are in host memory. Rows are made in pieces then, twice: to
//! count arcs by weight, and to place them. So a GPU never takes more than it may, also meanwhile.

use std::ops::Range;
use std::slice;

use gpu_runtime::{Gpu, GpuError};
use graph_formats::free_memory;
use search_parts::SearchError;
use search_parts::device::{KeyKind, offsets_of};

use super::dealt::{Dealt, each_part};
use super::rows::{Arcs, PlacedRows, Unplaced, words_of_arc};
use super::stepping_part::{Part, SENT_PART};

/// The most limits that are given; `max_limits` of `rows.cu` is one more.
pub(super) const MAX_LIMITS: usize = 2047;
/// The part of free memory that is left to the driver.
const DRIVERS_PART: u64 = 64;

/// Makes these rows of a part on its GPU.
type Make<'a> = dyn Fn(usize, &Gpu, Range<usize>) -> Result<Unplaced, SearchError> + Sync + 'a;

/// A graph that is to be placed.
pub(super) struct Placing<'a> {
    pub(super) gpus: &'a [Gpu],
    pub(super) dealt: &'a Dealt,
    pub(super) kind: KeyKind,
    /// The limit of short arcs where all are on GPUs; the greatest number for none.
    pub(super) short_limit: u64,
    /// Limits of which one is taken otherwise, up to `MAX_LIMITS`.
    pub(super) limits: Vec<u64>,
    /// The arcs of the vertex of each rank, at most.
    pub(super) length: &'a (dyn Fn(usize) -> u64 + Sync),
    /// Bytes that making a piece takes beside its rows.
    pub(super) beside: u64,
    pub(super) make: &'a Make<'a>,
}

/// The rows of all parts.
pub(super) struct Placed {
    /// Of each part the short and the long arcs.
    pub(super) rows: Vec<[PlacedRows; 2]>,
    /// Arcs below are short; the greatest number if all are.
    pub(super) limit: u64,
    /// Whether arcs are in host memory.
    pub(super) uses_host: bool,
}

/// How the rows of a part are made.
struct Plan {
    pieces: Vec<Range<usize>>,
    /// Bytes that may be taken, and of them those for a search or for making a piece.
    usable: u64,
    others: u64,
    /// Whether all rows can be made at once, and then searched.
    is_whole: bool,
}

/// Arcs of a part.
struct Counted {
    n_arcs: u64,
    /// How many weigh less than each limit.
    below: Vec<u64>,
}

impl Placing<'_> {
    /// # Errors
    /// [`SearchError::Gpu`] where a GPU has too little memory, even if all arcs are in that of the host, and
    /// [`SearchError::NotOnGpu`] where the host has too little.
    pub(super) fn place(mut self) -> Result<Placed, SearchError> {
        let parts = 0..self.gpus.len();
        let plans = parts.clone().map(|part| self.plan(part)).collect::<Result<Vec<_>, _>>()?;
        let limit = self.short_limit;
        if plans.iter().all(|plan| plan.is_whole) {
            let rows = each_part(self.gpus, |part, _| {
                let all = 0..self.dealt.len(part);
                self.fill(part, slice::from_ref(&all), limit, None, [false; 2])
            })?;
            return Ok(Placed { rows, limit, uses_host: false });
        }
        self.limits.extend(Some(limit).filter(|&limit| limit != u64::MAX));
        self.limits.sort_unstable();
        self.limits.dedup();
        let counted = each_part(self.gpus, |part, _| self.count(part, &plans[part].pieces))?;
        let fits = |part: usize, n_arcs: u64| {
            n_arcs * self.bytes_of_arc() + plans[part].others <= plans[part].usable
        };
        let uses_host = !parts.clone().all(|part| fits(part, counted[part].n_arcs));
        let chosen = match uses_host {
            true => (0..self.limits.len()).rfind(|&at| {
                let n_short = |part: usize| counted[part].below[at];
                parts.clone().any(|part| n_short(part) > 0)
                    && parts.clone().all(|part| fits(part, n_short(part)))
            }),
            false => self.limits.iter().position(|&other| other == limit),
        };
        let arcs_of = |part: usize| {
            let n_arcs = counted[part].n_arcs;
            let n_short = chosen.map_or(n_arcs, |at| counted[part].below[at]);
            let in_host = !fits(part, n_arcs);
            ([n_short, n_arcs - n_short], [in_host && chosen.is_none(), in_host])
        };
        let in_host = parts.map(arcs_of).map(|(n_arcs, in_host)| {
            (0..2).filter(|&which| in_host[which]).map(|which| n_arcs[which]).sum::<u64>()
        });
        check_host(in_host.sum::<u64>() * self.bytes_of_arc())?;
        let limit = chosen.map_or(u64::MAX, |at| self.limits[at]);
        let rows = each_part(self.gpus, |part, _| {
            let (n_arcs, in_host) = arcs_of(part);
            self.fill(part, &plans[part].pieces, limit, Some(n_arcs), in_host)
        })?;
        Ok(Placed { rows, limit, uses_host })
    }

    /// Cuts the rows of a part to pieces that can be made in the memory that a search takes later.
    fn plan(&self, part: usize) -> Result<Plan, SearchError> {
        let (gpu, n_parts) = (&self.gpus[part], self.gpus.len());
        let n_rows = self.dealt.len(part);
        let ends = offsets_of((0..n_rows).map(|row| (self.length)(row * n_parts + part)))?;
        let n_arcs = ends[n_rows];
        let usable = usable(gpu)?;
        let longest = ends.windows(2).map(|row| row[1] - row[0]).max().unwrap_or(0);
        let offsets = 2 * (n_rows as u64 + 1) * size_of::<u64>() as u64;
        let search = offsets + Part::bytes(self.dealt.shape(part), n_arcs, self.kind, SENT_PART);
        let others = search.max(self.bytes_of_piece(1, longest));
        if others > usable {
            let what = "a search by delta-stepping with all arcs in host memory (take more GPUs, or allow \
                        more of their memory)";
            return Err(refuse(what, others, usable));
        }
        let making = self.bytes_of_piece(n_rows, n_arcs);
        let is_whole = n_arcs * self.bytes_of_arc() + others.max(making) <= usable;
        let pieces = cut(&ends, others, |rows, arcs| self.bytes_of_piece(rows, arcs));
        Ok(Plan { pieces, usable, others, is_whole })
    }

    /// Bytes of an arc when it is placed.
    fn bytes_of_arc(&self) -> u64 {
        4 * words_of_arc(self.kind) as u64
    }

    /// Bytes of rows until they are placed. An arc has its head and its weight, or two copies of its head.
    /// A row has an offset and a count, and offsets of its short and long arcs.
    fn bytes_of_piece(&self, n_rows: usize, n_arcs: u64) -> u64 {
        let of_arcs = 4 * (1 + self.kind.words_of_weight()) as u64 * n_arcs;
        of_arcs + 40 * (n_rows as u64 + 1) + self.beside + 16 * (MAX_LIMITS as u64 + 2)
    }

    fn count(&self, part: usize, pieces: &[Range<usize>]) -> Result<Counted, SearchError> {
        let gpu = &self.gpus[part];
        let limits = gpu.upload(&self.limits)?;
        let counts = gpu.buffer::<u64>(limits.len() + 1)?;
        let mut n_arcs = 0;
        for rows in pieces {
            let made = (self.make)(part, gpu, rows.clone())?;
            made.count_between(gpu, &limits, &counts)?;
            n_arcs += made.n_arcs();
        }
        let mut sum = 0;
        let up_to = |n| {
            sum += n;
            sum
        };
        let below = counts.download()?.into_iter().map(up_to).collect();
        Ok(Counted { n_arcs, below })
    }

    /// Places the rows of a part, of which `n_arcs` are short and long. With one piece they need not be
    /// known before.
    fn fill(
        &self,
        part: usize,
        pieces: &[Range<usize>],
        limit: u64,
        n_arcs: Option<[u64; 2]>,
        in_host: [bool; 2],
    ) -> Result<[PlacedRows; 2], SearchError> {
        let gpu = &self.gpus[part];
        let zeros = |[short, long]: [u64; 2]| {
            let words = |n| n as usize * words_of_arc(self.kind);
            let short = Arcs::new(gpu, words(short), in_host[0])?;
            Ok::<_, GpuError>([short, Arcs::new(gpu, words(long), in_host[1])?])
        };
        let mut arcs = n_arcs.map(zeros).transpose()?;
        let (mut ends, mut offsets) = ([0, 0], [vec![0], vec![0]]);
        for rows in pieces {
            let made = (self.make)(part, gpu, rows.clone())?;
            for lengths in made.count_short(gpu, limit)? {
                for which in 0..2 {
                    ends[which] += lengths[which];
                    offsets[which].push(ends[which]);
                }
            }
            let arcs = match &arcs {
                Some(arcs) => arcs,
                None => arcs.insert(zeros(ends)?),
            };
            let of_piece = offsets.each_ref().map(|offsets| &offsets[rows.start..=rows.end]);
            made.copy(gpu, limit, of_piece, arcs)?;
        }
        let [short, long] = arcs.map_or_else(|| zeros(ends), Ok)?;
        let of = |which: usize, arcs| {
            let offsets = gpu.upload(&offsets[which])?;
            Ok::<_, GpuError>(PlacedRows { offsets, arcs, n_arcs: ends[which] })
        };
        Ok([of(0, short)?, of(1, long)?])
    }
}

/// Bytes that may be taken of a GPU.
pub(super) fn usable(gpu: &Gpu) -> Result<u64, GpuError> {
    let available = gpu.available_bytes()?;
    Ok(available - available / DRIVERS_PART)
}

/// That so much memory of a GPU is needed.
pub(super) fn refuse(what: &'static str, required: u64, available: u64) -> SearchError {
    GpuError::OutOfMemory { what, required, available }.into()
}

/// Cuts rows that end there to pieces up to a size, which `bytes` has of rows and arcs, of at least a row.
pub(super) fn cut(ends: &[u64], most: u64, bytes: impl Fn(usize, u64) -> u64) -> Vec<Range<usize>> {
    let (n_rows, mut pieces, mut first) = (ends.len() - 1, Vec::new(), 0);
    for row in 1..n_rows {
        if bytes(row + 1 - first, ends[row + 1] - ends[first]) > most {
            pieces.push(first..row);
            first = row;
        }
    }
    pieces.push(first..n_rows);
    pieces
}

/// That the host has these bytes.
pub(super) fn check_host(required: u64) -> Result<(), SearchError> {
    let available = free_memory().unwrap_or(u64::MAX);
    if required > available {
        let reason = format!(
            "the arcs that do not fit take {required} bytes of host memory, but only {available} \
             are available; take more GPUs, or allow more of their memory"
        );
        return Err(SearchError::NotOnGpu { reason });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_all_rows_and_are_no_larger_than_they_must() {
        let ends = offsets_of([9u64, 1, 1, 12, 0, 0, 3, 2].into_iter()).unwrap();
        let bytes = |rows: usize, arcs: u64| rows as u64 + arcs;
        for most in 0..40 {
            let pieces = cut(&ends, most, bytes);
            assert!(pieces.iter().cloned().flatten().eq(0..8));
            for piece in &pieces {
                let bytes = bytes(piece.len(), ends[piece.end] - ends[piece.start]);
                assert!(bytes <= most || piece.len() == 1, "{pieces:?}");
            }
        }
        let of_none = cut(&[0], 5, bytes);
        assert!(of_none.len() == 1 && of_none[0].is_empty());
    }
}
