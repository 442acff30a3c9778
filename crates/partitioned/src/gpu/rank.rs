//! A rank's part of a graph on its GPU, which searches with those of all ranks.
//!
//! The methods are those of one process, `levels.rs` and `stepping.rs`. Vertices of a part are numbered by
//! degree, so that hubs lie together; of long rows of breadth-first search those come first. A rank takes of its
//! GPU what a GPU of one process takes, and as much again for what it sends.

use collectives::Communicator;
use gpu_runtime::{Gpu, Kernel};
use graph_formats::{Direction, Weight, tell};
use search_parts::device::KeyKind;
use search_parts::{SearchError, buckets};

use super::apart::{Apart, Places, Told, check_parts};
use super::bringer::Bringer;
use super::dealt::{Shape, check_numbers};
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
    Told { words: levels_part::WORDS, told_words: levels_part::TOLD_WORDS, sent_at: 3 };
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
            let made = Levels::new(gpu, &rows, n_linked).map_err(PartitionedError::from);
            Engine::Levels(Box::new(agree(ranks, made)?))
        } else {
            let n_warps = ranks.sum(stepping_part::n_warps(gpu))?;
            let made = with_rows!(part, |of_part| Keys::new(gpu, &rows, of_part, n_warps));
            Engine::Keys(Box::new(agree(ranks, made.map_err(PartitionedError::from))?))
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
    fn new(gpu: &Gpu, rows: &RankRows<'_>, n_linked: u64) -> Result<Self, SearchError> {
        let (shape, part) = (rows.shape, rows.part);
        let n_arcs = part.heads().len() as u64;
        let outbox = if shape.n_parts == 1 { 0 } else { shape.n_parts * shape.stride as usize };
        let of_rows = 4 * n_arcs + 12 * (shape.n_rows as u64 + 1);
        let of_search = levels_part::Part::bytes(shape, n_arcs) + Apart::bytes(&OF_LEVELS, outbox);
        gpu.check_fits("a breadth-first search (take more ranks)", of_rows + of_search)?;
        let mut made = levels_part::Part::new(gpu, shape, rows.by_hubs(gpu)?)?;
        made.rules(part.n_arcs(), n_linked, part.direction() == Direction::Undirected);
        let apart = Apart::new(gpu, shape.n_parts, OF_LEVELS, outbox)?;
        made.set_apart(&apart)?;
        Ok(Self { part: made, apart, kernel: levels_part::kernel(gpu, false)? })
    }
}

impl Keys {
    fn new<W: Weight>(
        gpu: &Gpu,
        rows: &RankRows<'_>,
        of_part: Rows<'_, W>,
        n_warps: u32,
    ) -> Result<Self, SearchError> {
        let (part, totals) = (rows.part, rows.part.totals());
        let greatest: W = totals.weight(&totals.greatest);
        let kind = KeyKind::of(greatest);
        let ahead = totals.short_limit.as_ref().map(|limit| totals.weight::<W>(limit).to_f64());
        let delta = buckets::auto(totals.typical, totals.degree_at_arc_end, 1);
        let delta = buckets::usable::<W>(delta, greatest.to_f64());
        let rules = Rules {
            delta: Rules::delta(kind, delta, ahead, greatest.to_f64()),
            short_limit: ahead.map_or(0, |ahead| kind.key(ahead)),
            greatest: kind.key(greatest.to_f64()).max(1),
            n_arcs: part.n_arcs(),
            n_warps,
            may_pull: part.direction() == Direction::Undirected,
            uses_host: false,
        };
        let of_arcs = 4 * (words_of_arc(kind) * part.heads().len()) as u64;
        let of_rows = of_arcs + 16 * (rows.shape.n_rows as u64 + 1);
        gpu.check_fits("the arcs of a rank (take more ranks)", of_rows)?;
        let short = ahead.map(|ahead| move |weight: W| weight.to_f64() < ahead);
        let rows = rows.by_weight(gpu, of_part, kind, short)?;
        Ok(Self { rows, rules, kind, taken: None })
    }

    /// Takes what a search takes, if it is not there.
    fn take(&mut self, gpu: &Gpu, shape: Shape) -> Result<(), SearchError> {
        if self.taken.is_some() {
            return Ok(());
        }
        let (kind, n_arcs) = (self.kind, self.rows.iter().map(|rows| rows.n_arcs).sum());
        let outbox = stepping_part::Part::inbox_words(shape, kind, SENT_PART);
        let of_search = stepping_part::Part::bytes(shape, n_arcs, kind, SENT_PART);
        let what = "a search by delta-stepping (take more ranks)";
        gpu.check_fits(what, of_search + Apart::bytes(&OF_KEYS, outbox))?;
        let mut part =
            stepping_part::Part::new(gpu, shape, &self.rows, &self.rules, kind, SENT_PART)?;
        let apart = Apart::new(gpu, shape.n_parts, OF_KEYS, outbox)?;
        part.set_apart(&apart)?;
        self.taken = Some((part, apart));
        Ok(())
    }
}

/// Tells how far a search is.
fn report<K>(query: &Query<'_, K>, steps: u32) -> Result<(), SearchError> {
    Ok(tell(query.progress, steps.into(), 0)?)
}
