//! A rank's part of a graph on its GPU, which searches with those of all ranks.
//!
//! The methods are those of one process, `levels.rs` and `stepping.rs`. Vertices of a part are numbered by
//! degree, so that hubs lie together; of long rows of breadth-first search those come first. A rank takes of its
//! GPU what a GPU of one process takes, and as much again for what it sends. Arcs that do not fit are in host
//! memory, as there: long ones, from a weight on that all ranks have, or those beyond the first of each row.

use collectives::Communicator;
use gpu_runtime::{Gpu, Kernel};
use graph_formats::{Direction, NoMemory, Weight, ensure_granted, tell};
use rayon::prelude::*;
use search_parts::device::KeyKind;
use search_parts::{SearchError, buckets};

use super::apart::{Apart, Places, Told, check_parts};
use super::bringer::Bringer;
use super::dealt::{Shape, check_numbers};
use super::placing::{refuse, usable};
use super::rank_rows::RankRows;
use super::rows::{PlacedRows, words_of_arc};
use super::stepping::too_great;
use super::stepping_part::Rules;
use super::together::number;
use super::{levels_part, stepping_part};
use crate::PartitionedError;
use crate::messages::agree;
use crate::part::{Part, Rows, Weights, with_rows};
use crate::search::{Counts, Query};

/// The part of its vertices that a rank can be sent in a step; there is room for all their keys then.
const SENT_PART: usize = 2;
/// What the kernels tell: `Told` of `levels.cu` and of `stepping.cu`.
const OF_LEVELS: Told =
    Told { words: levels_part::WORDS, told_words: levels_part::TOLD_WORDS, sent_at: 4 };
const OF_KEYS: Told =
    Told { words: stepping_part::WORDS, told_words: stepping_part::TOLD_WORDS, sent_at: 12 };

/// The part of a rank on its GPU.
pub(crate) struct OnGpu {
    gpu: Gpu,
    bringer: Bringer,
    shape: Shape,
    /// Vertices of this rank; not all have a row on the GPU.
    n_own: usize,
    /// The number of each slot.
    numbers: Vec<u32>,
    engine: Engine,
}

enum Engine {
    Levels(Box<Levels>),
    Keys(Box<Keys>),
}

struct Levels {
    part: levels_part::Part,
    apart: Apart,
    kernel: Kernel,
}

struct Keys {
    rows: [PlacedRows; 2],
    rules: Rules,
    kind: KeyKind,
    /// What a search takes; taken anew when keys become wider.
    taken: Option<(stepping_part::Part, Apart)>,
}

/// What a search has found: the keys or levels of this rank's vertices by place, and the work.
type Searched<K> = (Vec<K>, Counts);

impl OnGpu {
    /// Copies the part to the GPU. To be called by all ranks. O(n + m/P · log) on P ranks.
    pub(crate) fn new(
        ranks: &dyn Communicator,
        part: &Part,
        gpu: &Gpu,
    ) -> Result<Self, PartitionedError> {
        let counted = check_parts(ranks).and_then(|()| check_numbers(part.deal().n_slots()));
        agree(ranks, counted.map_err(PartitionedError::from))?;
        let bringer = Bringer::new(ranks, gpu)?;
        let rows = RankRows::new(ranks, part)?;
        let n_linked = ranks.sum(rows.n_linked() as u64)?;
        let engine = if part.totals().is_common {
            Engine::Levels(Box::new(Levels::new(ranks, gpu, &rows, n_linked)?))
        } else {
            let n_warps = ranks.sum(stepping_part::n_warps(gpu))?;
            let made = with_rows!(part, |of_part| Keys::new(ranks, gpu, &rows, of_part, n_warps));
            Engine::Keys(Box::new(made?))
        };
        let (shape, numbers) = (rows.shape, rows.numbers);
        Ok(Self {
            gpu: gpu.clone(),
            bringer,
            shape,
            n_own: part.deal().len(part.rank()),
            numbers,
            engine,
        })
    }

    /// Why hosts bring what GPUs send each other, where NCCL does not.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.bringer.reason()
    }

    /// The levels of this rank's vertices up to `last`. To be called by all ranks.
    pub(crate) fn levels<K>(
        &mut self,
        ranks: &dyn Communicator,
        query: &Query<'_, K>,
        last: u32,
    ) -> Result<Searched<u32>, PartitionedError> {
        let (sources, target) = self.ends(query);
        let Engine::Levels(engine) = &mut self.engine else {
            unreachable!("a part of equal weights is searched by levels")
        };
        let Levels { part, apart, kernel } = &mut **engine;
        let begun = part.begin(&sources, target, last);
        agree(ranks, begun.map_err(PartitionedError::from))?;
        let (search, stride) = (part.search(), self.shape.stride as usize);
        let places = Places {
            inbox: &part.inbox,
            words_of_entry: 1,
            capacity: stride,
            arrays: part.seen.each_ref(),
            words_of_part: stride / 32,
        };
        let kernel = (&*kernel, levels_part::BLOCK);
        let report = |level: u32| report(query, level);
        let argument = |number| search.numbered(number);
        // SAFETY: the part has the buffers in its argument, of the lengths that the kernel requires.
        let words =
            unsafe { apart.search(ranks, &mut self.bringer, kernel, &places, argument, report)? };
        let levels = part.levels.download().map_err(SearchError::from);
        let levels = agree(ranks, levels.map_err(PartitionedError::from))?;
        let levels = self.by_place(&levels, &sources, [0, u32::MAX]);
        Ok((levels, Counts { settled: 0, relaxed: number(&words) }))
    }

    /// The keys of this rank's vertices up to the limit, `u64::MAX` for none. To be called by all ranks.
    pub(crate) fn keys(
        &mut self,
        ranks: &dyn Communicator,
        query: &Query<'_, u64>,
    ) -> Result<Searched<u64>, PartitionedError> {
        let (sources, target) = self.ends(query);
        loop {
            let found = self.keys_by_kind(ranks, query, &sources, target)?;
            if let Some((keys, counts)) = found {
                return Ok((self.by_place(&keys, &sources, [0, u64::MAX]), counts));
            }
            match &mut self.engine {
                Engine::Keys(engine) if engine.kind == KeyKind::U32 => {
                    (engine.kind, engine.taken) = (KeyKind::U32Wide, None);
                }
                _ => return Err(too_great().into()),
            }
        }
    }

    /// The keys by number; `None`, on all ranks, where a sum does not fit them.
    fn keys_by_kind(
        &mut self,
        ranks: &dyn Communicator,
        query: &Query<'_, u64>,
        sources: &[u32],
        target: Option<u32>,
    ) -> Result<Option<Searched<u64>>, PartitionedError> {
        let Engine::Keys(engine) = &mut self.engine else {
            unreachable!("a part of other weights is searched by keys")
        };
        let kind = engine.kind;
        let taken = engine.take(&self.gpu, self.shape);
        agree(ranks, taken.map_err(PartitionedError::from))?;
        let Some((part, apart)) = &mut engine.taken else { unreachable!("it was taken") };
        let kernel = stepping_part::kernel(&self.gpu, kind).and_then(|kernel| {
            part.begin(sources, target, kind.at_most(query.limit))?;
            Ok(kernel)
        });
        let kernel = agree(ranks, kernel.map_err(PartitionedError::from))?;
        let (search, words) = (part.search(), kind.words_of_key());
        let places = Places {
            inbox: &part.inbox,
            words_of_entry: 2 * words,
            capacity: part.sent_capacity(),
            arrays: [&part.keys; 2],
            words_of_part: self.shape.stride as usize * words,
        };
        let kernel = (&kernel, stepping_part::BLOCK);
        let report = |steps: u32| report(query, steps);
        let argument = |number| search.numbered(number);
        // SAFETY: the part has the buffers in its argument, of the lengths that the kernel requires.
        let words =
            unsafe { apart.search(ranks, &mut self.bringer, kernel, &places, argument, report)? };
        if ranks.any(words[5] != 0)? {
            return Ok(None);
        }
        let keys = agree(ranks, part.download().map_err(PartitionedError::from))?;
        Ok(Some((keys, Counts { settled: 0, relaxed: number(&words) })))
    }

    /// The numbers of the sources, and that of the target, if there is one alone.
    fn ends<K>(&self, query: &Query<'_, K>) -> (Vec<u32>, Option<u32>) {
        let number = |&slot: &u32| self.numbers[slot as usize];
        let target = Some(query.targets).filter(|targets| targets.len() == 1);
        let sources = query.sources.iter().map(number).collect();
        (sources, target.map(|targets| number(&targets[0])))
    }

    /// Values by place, from those by number: those of sources, and of vertices without a row, are given.
    fn by_place<T: Copy>(&self, by_number: &[T], sources: &[u32], [zero, none]: [T; 2]) -> Vec<T> {
        let first = self.shape.part as u32 * self.shape.stride;
        let own = &self.numbers[first as usize..][..self.n_own];
        let place = |number: u32| number.wrapping_sub(first) as usize;
        let mut all = vec![none; self.n_own];
        let n_rows = by_number.len().min(self.n_own);
        all[..n_rows].copy_from_slice(&by_number[..n_rows]);
        for &source in sources {
            if let Some(value) = all.get_mut(place(source)) {
                *value = zero;
            }
        }
        own.iter().map(|&number| all[place(number)]).collect()
    }
}

impl Levels {
    /// To be called by all ranks.
    fn new(
        ranks: &dyn Communicator,
        gpu: &Gpu,
        rows: &RankRows<'_>,
        n_linked: u64,
    ) -> Result<Self, PartitionedError> {
        let (shape, part) = (rows.shape, rows.part);
        let n_arcs = part.heads().len() as u64;
        let outbox = if shape.n_parts == 1 { 0 } else { shape.n_parts * shape.stride as usize };
        let of_search = levels_part::Part::bytes(shape, n_arcs) + Apart::bytes(&OF_LEVELS, outbox);
        let beside = 20 * (shape.n_rows as u64 + 1) + of_search;
        let room = room_for_arcs(gpu, "a breadth-first search (take more ranks)", beside);
        let room = agree(ranks, room.map_err(PartitionedError::from))? / size_of::<u32>() as u64;
        let uses_host = ranks.any(room < n_arcs)?;
        let made = || {
            let rows = rows.by_hubs(gpu, rows.n_first(room))?;
            let mut made = levels_part::Part::new(gpu, shape, rows)?;
            made.rules(part.n_arcs(), n_linked, part.direction() == Direction::Undirected);
            let apart = Apart::new(gpu, shape.n_parts, OF_LEVELS, outbox)?;
            made.set_apart(&apart)?;
            let kernel = levels_part::kernel(gpu, shape.n_parts, uses_host)?;
            Ok(Self { part: made, apart, kernel })
        };
        agree(ranks, made().map_err(|error: SearchError| error.into()))
    }
}

impl Keys {
    /// To be called by all ranks.
    fn new<W: Weight>(
        ranks: &dyn Communicator,
        gpu: &Gpu,
        rows: &RankRows<'_>,
        of_part: Rows<'_, W>,
        n_warps: u32,
    ) -> Result<Self, PartitionedError> {
        let (part, totals) = (rows.part, rows.part.totals());
        let greatest: W = totals.weight(&totals.greatest);
        let kind = KeyKind::of(greatest);
        let n_arcs = part.heads().len() as u64;
        // keys may become wider
        let widest = if kind == KeyKind::U32 { KeyKind::U32Wide } else { kind };
        let beside = 16 * (rows.shape.n_rows as u64 + 1) + of_search(rows.shape, n_arcs, widest);
        let room = room_for_arcs(gpu, "a search by delta-stepping (take more ranks)", beside);
        let room = agree(ranks, room.map_err(PartitionedError::from))?;
        let room = room / (size_of::<u32>() * words_of_arc(kind)) as u64;
        let uses_host = ranks.any(room < n_arcs)?;
        let ahead = match uses_host {
            true => limit_within(ranks, of_part, room)?,
            false => totals.short_limit.as_ref().map(|limit| totals.weight::<W>(limit).to_f64()),
        };
        let delta = buckets::auto(totals.typical, totals.degree_at_arc_end, 1);
        let delta = buckets::usable::<W>(delta, greatest.to_f64());
        let short_limit = |ahead: f64| match kind {
            // weights that are rounded to the limit may be less
            KeyKind::U64 => kind.key(ahead.next_down()).max(1),
            _ => kind.key(ahead),
        };
        let rules = Rules {
            delta: Rules::delta(kind, delta, ahead, greatest.to_f64()),
            short_limit: ahead.map_or(0, short_limit),
            greatest: kind.key(greatest.to_f64()).max(1),
            n_arcs: part.n_arcs(),
            n_warps,
            may_pull: part.direction() == Direction::Undirected,
            uses_host,
        };
        let short = ahead.map(|ahead| move |weight: W| weight.to_f64() < ahead);
        let is_beyond = room < n_arcs;
        let in_host = [is_beyond && ahead.is_none(), is_beyond];
        let rows = rows.by_weight(gpu, of_part, kind, short, in_host);
        let rows = agree(ranks, rows.map_err(PartitionedError::from))?;
        Ok(Self { rows, rules, kind, taken: None })
    }

    /// Takes what a search takes, if it is not there.
    fn take(&mut self, gpu: &Gpu, shape: Shape) -> Result<(), SearchError> {
        if self.taken.is_some() {
            return Ok(());
        }
        let (kind, n_arcs) = (self.kind, self.rows.iter().map(|rows| rows.n_arcs).sum());
        let what = "a search by delta-stepping (take more ranks)";
        gpu.check_fits(what, of_search(shape, n_arcs, kind))?;
        let outbox = stepping_part::Part::inbox_words(shape, kind, SENT_PART);
        let mut part =
            stepping_part::Part::new(gpu, shape, &self.rows, &self.rules, kind, SENT_PART)?;
        let apart = Apart::new(gpu, shape.n_parts, OF_KEYS, outbox)?;
        part.set_apart(&apart)?;
        self.taken = Some((part, apart));
        Ok(())
    }
}

/// Bytes on the GPU for a search of `n_arcs` arcs by keys of this kind, beside the rows.
fn of_search(shape: Shape, n_arcs: u64, kind: KeyKind) -> u64 {
    let outbox = stepping_part::Part::inbox_words(shape, kind, SENT_PART);
    stepping_part::Part::bytes(shape, n_arcs, kind, SENT_PART) + Apart::bytes(&OF_KEYS, outbox)
}

/// Bytes of a GPU that are left for arcs beside others.
fn room_for_arcs(gpu: &Gpu, what: &'static str, beside: u64) -> Result<u64, SearchError> {
    let usable = usable(gpu)?;
    usable.checked_sub(beside).ok_or_else(|| refuse(what, beside, usable))
}

/// The greatest weight below which no rank has more than its `room` of arcs; `None` if no arc is below.
/// To be called by all ranks.
fn limit_within<W: Weight>(
    ranks: &dyn Communicator,
    rows: Rows<'_, W>,
    room: u64,
) -> Result<Option<f64>, PartitionedError> {
    let n_arcs = rows.heads.len();
    let granted = ensure_granted(size_of::<u64>() * n_arcs).map_err(NoMemory::into);
    agree(ranks, granted)?;
    // of numbers that are not negative, the bits have their order; the sum makes -0 a zero
    let bits = |&weight: &W| (weight.to_f64() + 0.0).to_bits();
    let mut weights: Vec<u64> = rows.weights_of(0..n_arcs).par_iter().map(bits).collect();
    let own = match weights.get_mut(room as usize..) {
        Some([_, ..]) => *weights.select_nth_unstable(room as usize).1,
        _ => u64::MAX,
    };
    let limit = ranks.min(own)?;
    let has_below = rows.weights_of(0..n_arcs).iter().any(|weight| bits(weight) < limit);
    Ok(ranks.any(has_below)?.then(|| f64::from_bits(limit)))
}

/// Tells how far a search is.
fn report<K>(query: &Query<'_, K>, steps: u32) -> Result<(), SearchError> {
    Ok(tell(query.progress, steps.into(), 0)?)
}
