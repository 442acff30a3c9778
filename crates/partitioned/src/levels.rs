//! Breadth-first search over ranks, in both directions, and its tree.
//!
//! A pushed level sends each vertex that a frontier's arc leads to, once, to the rank that has it.
//! In an undirected graph a level whose frontier has many arcs is pulled instead: all ranks get the
//! bits of the frontier, and each vertex not seen looks for one of them in its row.
//!
//! The predecessor of a vertex is its smallest neighbour in the level before. Frontiers ascend, and
//! so do rows, so the first vertex that a rank finds is its smallest; the owner of a pushed vertex
//! takes the smallest of all ranks.
//!
//! Reference: beamer-2012

use graph_formats::{Direction, Interrupted, VertexId, prefetch, tell};

use crate::PartitionedError;
use crate::deal::SlotVertices;
use crate::messages::Mail;
use crate::part::Part;
use crate::search::{Counts, Query};

/// A level is pulled if its frontier has more than one in this many of the arcs not seen yet.
const PULL_DIVISOR: u64 = 14;
/// The offset of the vertex this many places ahead in a frontier is prefetched,
const OFFSETS_AHEAD: usize = 16;
/// and the row of the one this many places ahead.
const ROWS_AHEAD: usize = 8;
/// The code for an unreached vertex.
pub(crate) const UNREACHED: u32 = u32::MAX;

/// What a search has found for a vertex: in the high half its level, in the low half its
/// predecessor. So the least label of a vertex has its smallest predecessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Label(u64);

impl Label {
    const UNREACHED: Self = Self(u64::MAX);

    fn new(level: u32, predecessor: VertexId) -> Self {
        Self(u64::from(level) << 32 | u64::from(predecessor))
    }

    /// [`UNREACHED`] if there is none.
    #[inline(always)]
    pub(crate) fn level(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// `VertexId::MAX` for the source, and if the vertex is not reached.
    #[inline(always)]
    pub(crate) fn predecessor(self) -> VertexId {
        self.0 as VertexId
    }
}

/// The result of a search.
pub(crate) struct Found {
    /// Of this rank's vertices, by place.
    pub(crate) labels: Vec<Label>,
    /// No vertex of any rank has a greater level.
    pub(crate) deepest: u32,
    pub(crate) counts: Counts,
}

/// A search of one rank.
struct Levels<'a, 'm> {
    part: &'a Part,
    vertices: SlotVertices,
    mail: &'a mut Mail<'m>,
    /// Of this rank's vertices, by place.
    labels: Vec<Label>,
    /// A bit for each slot: the vertex is reached, or has been sent, or cannot be reached.
    is_seen: Vec<u64>,
    /// The places of this rank's vertices of the current level, ascending, and of the next.
    frontier: Vec<u32>,
    next: Vec<u32>,
    counts: Counts,
}

/// The labels of this rank's vertices from the sources of a query: at least those up to level
/// `last`, and no more than those up to the level after the last target's. The query's limit is
/// not looked at. To be called by all ranks.
pub(crate) fn search<K>(
    part: &Part,
    mail: &mut Mail<'_>,
    query: &Query<'_, K>,
    last: u32,
) -> Result<Found, PartitionedError> {
    let deal = part.deal();
    let mut search = Levels {
        part,
        vertices: SlotVertices::new(&deal),
        mail,
        labels: vec![Label::UNREACHED; deal.len(part.rank())],
        is_seen: vec![0; deal.n_slots().div_ceil(64)],
        frontier: Vec::new(),
        next: Vec::new(),
        counts: Counts::default(),
    };
    let own = deal.slots(part.rank());
    for &source in query.sources {
        let is_again = search.is_seen[source as usize / 64] >> (source % 64) & 1 != 0;
        search.is_seen[source as usize / 64] |= 1 << (source % 64);
        if own.contains(&(source as usize)) && !is_again {
            search.reach(source - own.start as u32, Label::new(0, VertexId::MAX));
        }
    }
    search.sort_next();
    let is_own = |slot: &u32| own.contains(&(*slot as usize));
    let mut targets: Vec<_> = query.targets.iter().copied().filter(is_own).collect();
    let (mut n_frontier, mut n_unseen_arcs) = (query.sources.len() as u64, part.n_arcs());
    let mut level = 0;
    while n_frontier > 0 && level < last {
        std::mem::swap(&mut search.frontier, &mut search.next);
        search.next.clear();
        level += 1;
        let told = tell(query.progress, search.counts.settled, 0);
        // before a message comes, no rank knows how many are new: this is at least their number
        let pulls = search.may_pull(n_frontier, n_unseen_arcs) && {
            let [n_arcs, ..] = search.mail.sums([search.n_frontier_arcs(), 0, 0])?;
            n_unseen_arcs -= n_arcs;
            n_arcs > n_unseen_arcs / PULL_DIVISOR
        };
        targets.retain(|&slot| search.labels[slot as usize - own.start] == Label::UNREACHED);
        let header = [0, targets.len() as u64, told.is_err().into()];
        let [n_next, n_targets, n_ended] = match pulls {
            true => search.pull(level, header)?,
            false => search.push(level, header)?,
        };
        if n_ended > 0 {
            return Err(Interrupted.into());
        }
        if n_targets == 0 && !query.targets.is_empty() {
            break;
        }
        n_frontier = n_next;
    }
    Ok(Found { labels: search.labels, deepest: level, counts: search.counts })
}

impl Levels<'_, '_> {
    fn first_slot(&self) -> usize {
        self.part.deal().slots(self.part.rank()).start
    }

    /// Puts a vertex of this rank into the next level.
    #[inline(always)]
    fn reach(&mut self, place: u32, label: Label) {
        self.labels[place as usize] = label;
        self.next.push(place);
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
        let (part, deal, frontier) =
            (self.part, self.part.deal(), std::mem::take(&mut self.frontier));
        let own = deal.slots(part.rank());
        let (offsets, heads) = (part.row_offsets(), part.heads());
        for (at, &place) in frontier.iter().enumerate() {
            if let Some(&ahead) = frontier.get(at + OFFSETS_AHEAD) {
                prefetch(offsets, ahead as usize);
            }
            if let Some(&ahead) = frontier.get(at + ROWS_AHEAD) {
                prefetch(heads, offsets[ahead as usize] as usize);
            }
            let row = offsets[place as usize] as usize..offsets[place as usize + 1] as usize;
            self.counts.relaxed += row.len() as u64;
            let vertex = self.vertices.get(own.start as u32 + place);
            for &head in &heads[row] {
                let (word, bit) = (head as usize / 64, 1 << (head % 64));
                if self.is_seen[word] & bit != 0 {
                    continue;
                }
                self.is_seen[word] |= bit;
                match own.contains(&(head as usize)) {
                    true => self.reach(head - own.start as u32, Label::new(level, vertex)),
                    false => self.mail.add(head, vertex),
                }
            }
        }
        self.counts.settled += frontier.len() as u64;
        self.frontier = frontier;
        let n_new = self.next.len() + self.mail.n_records();
        let received = self.mail.exchange([n_new as u64, header[1], header[2]])?;
        for (slot, vertex) in received.records::<VertexId>() {
            let (place, label) = (slot - own.start as u32, Label::new(level, vertex));
            match self.labels[place as usize] {
                Label::UNREACHED => {
                    self.is_seen[slot as usize / 64] |= 1 << (slot % 64);
                    self.reach(place, label);
                }
                known => self.labels[place as usize] = known.min(label),
            }
        }
        self.sort_next();
        Ok(received.sums())
    }

    /// Sorts the next level: many vertices by a bit for each.
    fn sort_next(&mut self) {
        let n_words = self.labels.len().div_ceil(64);
        if self.next.len() < n_words {
            return self.next.sort_unstable();
        }
        let bits = bits_of(&self.next, n_words);
        self.next.clear();
        for (word, mut bits) in bits.into_iter().enumerate() {
            while bits != 0 {
                self.next.push(64 * word as u32 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }

    fn pull(&mut self, level: u32, header: [u64; 3]) -> Result<[u64; 3], PartitionedError> {
        let (part, deal) = (self.part, self.part.deal());
        let own = bits_of(&self.frontier, self.labels.len().div_ceil(64));
        let mut front = vec![0_u64; self.is_seen.len()];
        for (rank, words) in self.mail.all(&own)?.iter().enumerate() {
            let first = deal.slots(rank).start / 64;
            bytemuck::cast_slice_mut(&mut front[first..])[..words.len()].copy_from_slice(words);
        }
        // what the others have reached need not be sent to them
        self.is_seen.iter_mut().zip(&front).for_each(|(seen, front)| *seen |= front);
        let (offsets, heads) = (part.row_offsets(), part.heads());
        let (first, n) = (self.first_slot() / 64, self.labels.len());
        for word in 0..own.len() {
            // the rows of the next word are fetched meanwhile
            for place in unseen(&self.is_seen[first..], word + 1, n) {
                prefetch(heads, offsets[place] as usize);
            }
            let mut seen = self.is_seen[first + word];
            for place in unseen(&self.is_seen[first..], word, n) {
                let row = &heads[offsets[place] as usize..offsets[place + 1] as usize];
                let is_in = |&head: &u32| front[head as usize / 64] >> (head % 64) & 1 != 0;
                let found = row.iter().position(is_in);
                self.counts.relaxed += found.map_or(row.len(), |at| at + 1) as u64;
                if let Some(at) = found {
                    let tail = self.vertices.get(row[at]);
                    self.reach(place as u32, Label::new(level, tail));
                }
                // a vertex without arcs is never reached
                seen |= u64::from(found.is_some() || row.is_empty()) << (place % 64);
            }
            self.is_seen[first + word] = seen;
        }
        self.counts.settled += self.frontier.len() as u64;
        Ok(self.mail.sums([self.next.len() as u64, header[1], header[2]])?)
    }
}

/// The set of these places as bits.
fn bits_of(places: &[u32], n_words: usize) -> Vec<u64> {
    let mut bits = vec![0; n_words];
    for &place in places {
        bits[place as usize / 64] |= 1 << (place % 64);
    }
    bits
}

/// The places below `n` of a word of bits that are not set.
#[inline(always)]
fn unseen(is_seen: &[u64], word: usize, n: usize) -> impl Iterator<Item = usize> + use<> {
    let n_left = n.saturating_sub(64 * word);
    let exists = if n_left < 64 { (1 << n_left) - 1 } else { u64::MAX };
    let mut left = is_seen.get(word).map_or(0, |seen| !seen & exists);
    std::iter::from_fn(move || {
        let place = 64 * word + (left != 0).then(|| left.trailing_zeros())? as usize;
        left &= left - 1;
        Some(place)
    })
}
