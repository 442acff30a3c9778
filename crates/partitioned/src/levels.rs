//! Breadth-first search over ranks, in both directions.
//!
//! A pushed level sends each vertex that a frontier's arc leads to, once, to the rank that has it.
//! In an undirected graph a level whose frontier has many arcs is pulled instead: all ranks get the
//! bits of the frontier, and each vertex not seen looks for one of them in its row.
//!
//! Reference: beamer-2012

use graph_formats::{Direction, Interrupted, Progress, prefetch, tell};

use crate::PartitionedError;
use crate::messages::Mail;
use crate::part::Part;
use crate::search::Counts;

/// A level is pulled if its frontier has more than one in this many of the arcs not seen yet.
const PULL_DIVISOR: u64 = 14;
/// The code for an unreached vertex.
pub(crate) const UNREACHED: u32 = u32::MAX;

/// A search of one rank.
struct Levels<'a, 'm> {
    part: &'a Part,
    mail: &'a mut Mail<'m>,
    /// Of this rank's vertices, by place.
    levels: Vec<u32>,
    /// A bit for each slot: the vertex is reached, or has been sent.
    is_seen: Vec<u64>,
    /// The places of this rank's vertices of the current level, and of the next.
    frontier: Vec<u32>,
    next: Vec<u32>,
    counts: Counts,
}

/// The levels of this rank's vertices, by place, from the vertex of slot `source`: at least those
/// up to `last`, and no more than those up to the target's. To be called by all ranks.
pub(crate) fn search(
    part: &Part,
    mail: &mut Mail<'_>,
    (source, target): (u32, Option<u32>),
    last: u32,
    progress: Option<Progress<'_>>,
) -> Result<(Vec<u32>, Counts), PartitionedError> {
    let deal = part.deal();
    let mut search = Levels {
        part,
        mail,
        levels: vec![UNREACHED; deal.len(part.rank())],
        is_seen: vec![0; deal.n_slots().div_ceil(64)],
        frontier: Vec::new(),
        next: Vec::new(),
        counts: Counts::default(),
    };
    match deal.part_of_slot(source as usize) == part.rank() {
        true => search.reach(source, 0),
        false => search.is_seen[source as usize / 64] |= 1 << (source % 64),
    }
    search.mark_unreachable();
    let (mut n_frontier, mut n_unseen_arcs) = (1, part.n_arcs());
    let mut level = 0;
    while n_frontier > 0 && level < last {
        std::mem::swap(&mut search.frontier, &mut search.next);
        search.next.clear();
        level += 1;
        let told = tell(progress, search.counts.settled, 0);
        // before a message comes, no rank knows how many are new: this is at least their number
        let pulls = search.may_pull(n_frontier, n_unseen_arcs) && {
            let [n_arcs, ..] = search.mail.sums([search.n_frontier_arcs(), 0, 0])?;
            n_unseen_arcs -= n_arcs;
            n_arcs > n_unseen_arcs / PULL_DIVISOR
        };
        let is_found = target.is_some_and(|target| search.has_reached(target));
        let header = [0, is_found.into(), told.is_err().into()];
        let [n_next, n_found, n_ended] = match pulls {
            true => search.pull(level, header)?,
            false => search.push(level, header)?,
        };
        if n_ended > 0 {
            return Err(Interrupted.into());
        }
        if n_found > 0 {
            break;
        }
        n_frontier = n_next;
    }
    Ok((search.levels, search.counts))
}

impl Levels<'_, '_> {
    /// Whether this slot is one of this rank's that are reached.
    fn has_reached(&self, slot: u32) -> bool {
        let slots = self.part.deal().slots(self.part.rank());
        slots.contains(&(slot as usize)) && self.levels[slot as usize - slots.start] != UNREACHED
    }

    /// Notes that an arc leads to `slot`, if none has before.
    #[inline(always)]
    fn reach(&mut self, slot: u32, level: u32) {
        let (word, bit) = (slot as usize / 64, 1 << (slot % 64));
        if self.is_seen[word] & bit != 0 {
            return;
        }
        self.is_seen[word] |= bit;
        let slots = self.part.deal().slots(self.part.rank());
        match slots.contains(&(slot as usize)) {
            true => {
                let place = slot as usize - slots.start;
                self.levels[place] = level;
                self.next.push(place as u32);
            }
            false => self.mail.add(slot, ()),
        }
    }

    /// Marks the slots of this rank that a pull need not look at as seen: those without a vertex, and
    /// vertices without an arc.
    fn mark_unreachable(&mut self) {
        let first = self.part.deal().slots(self.part.rank()).start;
        let mut mark = |place: usize| self.is_seen[(first + place) / 64] |= 1 << (place % 64);
        let n = self.levels.len();
        (n..n.next_multiple_of(64)).for_each(&mut mark);
        if self.part.direction() == Direction::Undirected {
            let offsets = self.part.row_offsets();
            (0..n).filter(|&place| offsets[place] == offsets[place + 1]).for_each(mark);
        }
    }

    /// Whether a frontier of at most this many vertices may have enough arcs for a pull.
    fn may_pull(&self, n_frontier: u64, n_unseen_arcs: u64) -> bool {
        let most_arcs = n_frontier.saturating_mul(self.part.totals().max_degree);
        self.part.direction() == Direction::Undirected && most_arcs > n_unseen_arcs / PULL_DIVISOR
    }

    fn n_frontier_arcs(&self) -> u64 {
        let offsets = self.part.row_offsets();
        let degree = |&place: &u32| offsets[place as usize + 1] - offsets[place as usize];
        self.frontier.iter().map(degree).sum()
    }

    fn push(&mut self, level: u32, header: [u64; 3]) -> Result<[u64; 3], PartitionedError> {
        let (part, frontier) = (self.part, std::mem::take(&mut self.frontier));
        for &place in &frontier {
            let row = part.row_offsets()[place as usize]..part.row_offsets()[place as usize + 1];
            self.counts.relaxed += row.end - row.start;
            for &head in &part.heads()[row.start as usize..row.end as usize] {
                self.reach(head, level);
            }
        }
        self.counts.settled += frontier.len() as u64;
        self.frontier = frontier;
        let n_new = self.next.len() + self.mail.n_records();
        let received = self.mail.exchange([n_new as u64, header[1], header[2]])?;
        for (slot, ()) in received.records::<()>() {
            self.reach(slot, level);
        }
        Ok(received.sums())
    }

    fn pull(&mut self, level: u32, header: [u64; 3]) -> Result<[u64; 3], PartitionedError> {
        let (part, deal) = (self.part, self.part.deal());
        let mut own = vec![0_u64; deal.len(part.rank()).div_ceil(64)];
        for &place in &self.frontier {
            own[place as usize / 64] |= 1 << (place % 64);
        }
        let mut bits = vec![0_u64; deal.n_slots().div_ceil(64)];
        for (rank, words) in self.mail.all(&own)?.iter().enumerate() {
            let first = deal.slots(rank).start / 64;
            bytemuck::cast_slice_mut(&mut bits[first..])[..words.len()].copy_from_slice(words);
        }
        let first = deal.slots(part.rank()).start;
        for word in 0..own.len() {
            // the rows of the next word are fetched meanwhile
            let mut ahead = self.is_seen.get(first / 64 + word + 1).map_or(0, |seen| !seen);
            while ahead != 0 {
                let place = 64 * (word + 1) + ahead.trailing_zeros() as usize;
                ahead &= ahead - 1;
                let start = part.row_offsets().get(place).map_or(0, |&start| start as usize);
                prefetch(part.heads(), start);
            }
            let mut unseen = !self.is_seen[first / 64 + word];
            while unseen != 0 {
                let place = 64 * word + unseen.trailing_zeros() as usize;
                unseen &= unseen - 1;
                let row = part.row_offsets()[place]..part.row_offsets()[place + 1];
                let heads = &part.heads()[row.start as usize..row.end as usize];
                let is_in = |&head: &u32| bits[head as usize / 64] >> (head % 64) & 1 != 0;
                let found = heads.iter().position(is_in);
                self.counts.relaxed += found.map_or(heads.len(), |at| at + 1) as u64;
                if found.is_some() {
                    self.reach((first + place) as u32, level);
                }
            }
        }
        self.counts.settled += self.frontier.len() as u64;
        Ok(self.mail.sums([self.next.len() as u64, header[1], header[2]])?)
    }
}
