//! Δ-stepping over ranks.
//!
//! In each step, every rank settles its vertices whose keys lie less than a limit beyond the
//! least key of all ranks, in the order of narrow buckets, as if it were alone. Keys that it finds
//! for vertices of other ranks are sent at the end of the step, the least of each vertex, and only
//! if that is less than what was sent before. One exchange a step has them all, and the first
//! bucket of each rank, from which all know where the next step begins and whether there is one.
//! A key that comes too late, because its vertex was settled with a greater one, is settled again:
//! a larger limit trades this work for exchanges.
//!
//! On dense undirected graphs long arcs are deferred, as in `sssp`: up to a bound only the arcs that
//! may end before it are relaxed, which are the first ones of each row. Then either the vertices
//! before the bound push their other arcs, or all others pull, which takes the keys of all ranks.
//!
//! Reference: meyer-sanders-2003, chakaravarthy-2014

use std::ops::Range;

use graph_formats::{DistanceKey, Interrupted, Progress, Weight, prefetch, tell};
use sssp::over_parts::{KeyArithmetic, auto, usable};

use crate::PartitionedError;
use crate::messages::Mail;
use crate::part::{Part, Rows};
use crate::ring::{Entry, NO_BUCKET, Ring};
use crate::search::{Counts, Query};

/// Widths of buckets that a rank settles in a step. Where buckets are wider than the rule says,
/// because none of integers is narrower than 1, they are fewer.
const WIDTHS_PER_STEP: f64 = 12.0;
/// The key and the offset of the entry this many places ahead in a bucket are prefetched. The list of a
/// bucket of a road network has some twenty entries.
const OFFSETS_AHEAD: usize = 8;
/// The arcs of the entry this many places ahead in a bucket are prefetched.
const ARCS_AHEAD: usize = 4;
/// A push or pull prefetches the row of the vertex this many places ahead.
const ROWS_AHEAD: usize = 12;
/// A pull prefetches the keys at the start of the row this many places ahead,
const KEYS_AHEAD: usize = 6;
/// of which these are prefetched.
const KEYS_PREFETCHED: usize = 12;
/// Pushes after which a search defers no more arcs.
const MAX_PUSHES: usize = 8;

/// A search of one rank.
pub(crate) struct Stepping<'a, 'm, W: Weight, L: KeyArithmetic<W>> {
    part: &'a Part,
    rows: Rows<'a, W>,
    mail: &'a mut Mail<'m>,
    progress: Option<Progress<'a>>,
    /// The slots of this rank.
    own: Range<usize>,
    /// The keys of all slots; of those of other ranks, the least that were sent or shared.
    keys: Vec<L::Key>,
    /// Slots of other ranks whose keys are to be sent, with a bit for each.
    unsent: Vec<u32>,
    is_unsent: Vec<u64>,
    ring: Ring<L::Key>,
    per_delta: L::PerDelta,
    /// Buckets that are settled in a step.
    per_step: u64,
    /// Only keys below it are needed: that of a target or limit, and one more.
    end: L::Key,
    /// Arcs that end at or beyond this key are deferred.
    bound: L::Key,
    /// Entries at or beyond the bound.
    later: Vec<Entry<L::Key>>,
    /// The places of the vertices settled since the bound before, whose long arcs are deferred,
    settled: Vec<u32>,
    /// with a bit for each place that was ever among them,
    is_settled: Vec<u64>,
    /// and the number of their arcs.
    n_settled_arcs: u64,
    /// Slots of this rank whose keys are needed; all of all ranks if there are no targets.
    targets: Vec<u32>,
    has_targets: bool,
    counts: Counts,
}

/// The keys of all slots; those that are not needed may be too great.
pub(crate) struct Outcome<K> {
    pub(crate) keys: Vec<K>,
    pub(crate) counts: Counts,
}

/// The next greater key.
fn after_key<K: DistanceKey>(key: K) -> K {
    if key == K::GREATEST { key } else { K::from_u64(key.to_u64() + 1) }
}

impl<'a, 'm, W: Weight, L: KeyArithmetic<W>> Stepping<'a, 'm, W, L> {
    pub(crate) fn search(
        part: &'a Part,
        rows: Rows<'a, W>,
        mail: &'a mut Mail<'m>,
        query: &Query<'a, L::Key>,
    ) -> Result<Outcome<L::Key>, PartitionedError> {
        let (deal, totals) = (part.deal(), part.totals());
        let greatest: W = totals.weight(&totals.greatest);
        let by_rule = auto(totals.typical, totals.degree_at_arc_end, 1);
        let width = usable::<W>(by_rule, greatest.to_f64());
        let widths = WIDTHS_PER_STEP * by_rule / width;
        // not a number without arcs
        let per_step = (widths.min(WIDTHS_PER_STEP) as u64).max(1);
        // a quotient that is rounded up may be in the bucket after the next
        let span = (greatest.to_f64() / width) as u64 + 3;
        let mut search = Self {
            part,
            rows,
            mail,
            progress: query.progress,
            own: deal.slots(part.rank()),
            keys: vec![L::Key::GREATEST; deal.n_slots()],
            unsent: Vec::new(),
            is_unsent: vec![0; deal.n_slots().div_ceil(64)],
            ring: Ring::new(span + per_step),
            per_delta: L::per_delta(width),
            per_step,
            end: after_key(query.limit),
            bound: L::Key::LEAST,
            later: Vec::new(),
            settled: Vec::new(),
            is_settled: vec![0; deal.len(part.rank()).div_ceil(64)],
            n_settled_arcs: 0,
            targets: Vec::new(),
            has_targets: false,
            counts: Counts::default(),
        };
        for &slot in query.sources.iter().filter(|&&slot| search.own.contains(&(slot as usize))) {
            search.keys[slot as usize] = L::Key::LEAST;
            search.ring.push(0, Entry { key: L::Key::LEAST, slot });
        }
        let is_own = |slot: &u32| search.own.contains(&(*slot as usize));
        search.targets = query.targets.iter().copied().filter(is_own).collect();
        search.has_targets = !query.targets.is_empty();
        search.run(totals.short_limit.as_ref().map(|limit| totals.weight(limit)))?;
        share(part, search.mail, &mut search.keys)?;
        Ok(Outcome { keys: search.keys, counts: search.counts })
    }

    /// Finds all keys below the end; arcs of at least `short_limit` are deferred.
    fn run(&mut self, short_limit: Option<W>) -> Result<(), PartitionedError> {
        let (mut n_pushes, mut n_settled_arcs) = (0, 0);
        loop {
            let settled = self.bound;
            let limit = short_limit.filter(|_| n_pushes < MAX_PUSHES);
            self.bound = limit.map_or(self.end, |limit| L::after(settled, limit).min(self.end));
            for entry in std::mem::take(&mut self.later) {
                self.ring.push(L::bucket(entry.key, self.per_delta), entry);
            }
            loop {
                let start = self.exchange()?;
                if start == NO_BUCKET || start > self.bucket_of_bound() {
                    break;
                }
                self.settle(start);
            }
            if self.bound == self.end {
                return Ok(());
            }
            let n_entries = (self.ring.n_entries() + self.later.len()) as u64;
            let [to_push, n_entries, _] =
                self.mail.sums([std::mem::take(&mut self.n_settled_arcs), n_entries, 0])?;
            n_settled_arcs += to_push;
            if to_push + n_entries == 0 {
                return Ok(());
            }
            match to_push > self.part.n_arcs() - n_settled_arcs {
                true => self.pull(settled)?,
                false => {
                    n_pushes += 1;
                    self.push();
                }
            }
        }
    }

    /// Sends keys and receives those of this rank's vertices. Returns the first bucket of all ranks.
    fn exchange(&mut self) -> Result<u64, PartitionedError> {
        let mut first = self.ring.first();
        for slot in self.unsent.drain(..) {
            let key = self.keys[slot as usize];
            first = first.min(L::bucket(key, self.per_delta));
            self.is_unsent[slot as usize / 64] = 0;
            self.mail.add(slot, key);
        }
        let of_targets = self.targets.iter().map(|&target| self.keys[target as usize]);
        let cap = of_targets.max().unwrap_or(L::Key::LEAST);
        let told = tell(self.progress, self.counts.settled, 0);
        let header = [first, cap.to_u64(), told.is_err().into()];
        let received = self.mail.exchange(header)?;
        let (mut ended, mut cap) = (false, L::Key::LEAST);
        for [of_rank, cap_of_rank, has_ended] in received.headers() {
            first = first.min(of_rank);
            cap = cap.max(L::Key::from_u64(cap_of_rank));
            ended |= has_ended > 0;
        }
        if self.has_targets {
            self.end = self.end.min(after_key(cap));
        }
        if ended {
            return Err(Interrupted.into());
        }
        self.bound = self.bound.min(self.end);
        self.ring.move_to(first.min(self.bucket_of_bound()));
        for (slot, key) in received.records::<L::Key>() {
            if key < self.keys[slot as usize] {
                self.lower(slot, key);
            }
        }
        Ok(first)
    }

    /// Lowers the key of a vertex of this rank, which is settled later if a path can continue.
    #[inline(always)]
    fn lower(&mut self, slot: u32, key: L::Key) {
        self.keys[slot as usize] = key;
        if self.part.can_continue(slot as usize - self.own.start) {
            self.ring.push(L::bucket(key, self.per_delta), Entry { key, slot });
        }
    }

    fn bucket_of_bound(&self) -> u64 {
        L::bucket(self.bound, self.per_delta)
    }

    /// Settles this rank's vertices before the bound in some buckets from `start` on.
    fn settle(&mut self, start: u64) {
        let end = self.bucket_of_bound().saturating_add(1);
        let step_end = start.saturating_add(self.per_step).min(end);
        let mut list = Vec::new();
        loop {
            let bucket = self.ring.first();
            if bucket >= step_end {
                return;
            }
            self.ring.take(bucket, &mut list);
            for at in 0..list.len() {
                let entry = list[at];
                if let Some(ahead) = list.get(at + OFFSETS_AHEAD) {
                    prefetch(&self.keys, ahead.slot as usize);
                    prefetch(self.rows.offsets, ahead.slot as usize - self.own.start);
                }
                if let Some(ahead) = list.get(at + ARCS_AHEAD) {
                    self.rows.prefetch(ahead.slot as usize - self.own.start);
                }
                let own_bucket = L::bucket(entry.key, self.per_delta);
                if entry.key != self.keys[entry.slot as usize] {
                    continue;
                }
                if entry.key >= self.bound {
                    self.later.push(entry);
                } else if own_bucket > bucket {
                    self.ring.push(own_bucket, entry);
                } else {
                    self.counts.settled += 1;
                    let place = entry.slot as usize - self.own.start;
                    let row = self.rows.row(place);
                    let (word, bit) = (place / 64, 1 << (place % 64));
                    // keys before a bound are final when it is passed, so that a vertex can only be
                    // settled again before the same bound
                    if self.bound < self.end && self.is_settled[word] & bit == 0 {
                        self.is_settled[word] |= bit;
                        self.n_settled_arcs += row.len() as u64;
                        self.settled.push(place as u32);
                    }
                    self.relax(entry.key, row);
                }
            }
            list.clear();
        }
    }

    /// Relaxes the arcs at these positions up to the first that ends beyond the bound.
    #[inline(always)]
    fn relax(&mut self, key: L::Key, arcs: Range<usize>) {
        let (start, mut end) = (arcs.start, arcs.end);
        for (at, (head, weight)) in (start..end).zip(self.rows.arcs(arcs)) {
            let through = L::after(key, weight);
            if through >= self.bound {
                end = at;
                break;
            }
            let slot = head as usize;
            if through >= self.keys[slot] {
                continue;
            }
            if self.own.contains(&slot) {
                self.lower(head, through);
                continue;
            }
            self.keys[slot] = through;
            if self.is_unsent[slot / 64] >> (slot % 64) & 1 == 0 {
                self.is_unsent[slot / 64] |= 1 << (slot % 64);
                self.unsent.push(head);
            }
        }
        self.counts.relaxed += (end - start) as u64;
    }

    fn key_at(&self, place: usize) -> L::Key {
        self.keys[self.own.start + place]
    }

    /// The vertices settled since the bound before relax their deferred arcs.
    fn push(&mut self) {
        let bound = std::mem::replace(&mut self.bound, self.end);
        let settled = std::mem::take(&mut self.settled);
        for (at, &place) in settled.iter().enumerate() {
            if let Some(&ahead) = settled.get(at + ROWS_AHEAD) {
                self.rows.prefetch(ahead as usize);
            }
            let key = self.key_at(place as usize);
            let row = self.rows.row(place as usize);
            let is_short = |&(_, weight): &(u32, W)| L::after(key, weight) < bound;
            let n_short = self.rows.arcs(row.clone()).take_while(is_short).count();
            self.relax(key, row.start + n_short..row.end);
        }
        self.bound = bound;
    }

    /// Every vertex beyond the bound takes the least key through a neighbour that was settled since
    /// the bound before, which is given.
    fn pull(&mut self, settled: L::Key) -> Result<(), PartitionedError> {
        share(self.part, self.mail, &mut self.keys)?;
        self.ring.clear();
        self.later.clear();
        self.settled.clear();
        let beyond = (0..self.rows.n_rows())
            .filter(|&place| self.key_at(place) >= self.bound && !self.rows.row(place).is_empty());
        let beyond: Vec<_> = beyond.map(|place| place as u32).collect();
        for (at, &place) in beyond.iter().enumerate() {
            if let Some(&ahead) = beyond.get(at + ROWS_AHEAD) {
                self.rows.prefetch(ahead as usize);
            }
            if let Some(&ahead) = beyond.get(at + KEYS_AHEAD) {
                let row = self.rows.row(ahead as usize);
                let heads = &self.rows.heads[row];
                heads
                    .iter()
                    .take(KEYS_PREFETCHED)
                    .for_each(|&head| prefetch(&self.keys, head as usize));
            }
            self.pull_to(place as usize, settled);
        }
        Ok(())
    }

    /// Lowers the key of one vertex. It is settled later if it has a neighbour beyond the bound.
    fn pull_to(&mut self, place: usize, settled: L::Key) {
        let slot = self.own.start + place;
        let mut best = self.keys[slot];
        let mut helps = false;
        for (head, weight) in self.rows.arcs(self.rows.row(place)) {
            if helps && L::after(settled, weight) >= best {
                break;
            }
            self.counts.relaxed += 1;
            match self.keys[head as usize] {
                key if key < self.bound => best = best.min(L::after(key, weight)),
                _ => helps |= head as usize != slot,
            }
        }
        if best < self.end {
            self.keys[slot] = best;
            if helps {
                self.later.push(Entry { key: best, slot: slot as u32 });
            }
        }
    }
}

/// Gives all ranks the keys of all slots.
pub(crate) fn share<K: DistanceKey>(
    part: &Part,
    mail: &mut Mail<'_>,
    keys: &mut [K],
) -> Result<(), PartitionedError> {
    let deal = part.deal();
    let received = mail.all(&keys[deal.slots(part.rank())])?;
    for (rank, bytes) in received.iter().enumerate().filter(|&(rank, _)| rank != part.rank()) {
        let slots = &mut keys[deal.slots(rank)];
        bytemuck::cast_slice_mut::<K, u8>(slots).copy_from_slice(bytes);
    }
    Ok(())
}
