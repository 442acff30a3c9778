//! The shortest-path tree over ranks, by the rule of `sssp`.
//!
//! All ranks have the keys of all slots. In an undirected graph a rank finds the predecessors of
//! its vertices in their own rows. No tail but the source is nearer than the nearest vertex. So a
//! row is read only up to the first arc that is too long for such a tail, and the source sends its
//! own choices. In a directed graph a rank finds for every vertex the smallest tail of a tight arc
//! among its own vertices, and sends it to the vertex's rank. Plateaus are filled level by level,
//! with an exchange for each; most graphs have none.

use std::ops::Range;

use graph_formats::{Direction, DistanceKey, VertexId, Weight, prefetch};
use sssp::over_parts::KeyArithmetic;

use crate::PartitionedError;
use crate::messages::Mail;
use crate::part::{Part, Rows};

/// The code for "no predecessor"; no graph has this many vertices.
const NO_VERTEX: VertexId = VertexId::MAX;
/// Rows up to this length are scanned without branches, if their mean length is no greater.
const SHORT_ROW: usize = 8;
/// The arcs of the row this many places ahead are prefetched.
const ROWS_AHEAD: usize = 16;
/// The keys of tails at the start of the row this many places ahead are prefetched.
const KEYS_AHEAD: usize = 8;
/// The most keys that are prefetched for a row.
const KEYS_PREFETCHED: usize = 4;

/// The predecessors of this rank's vertices, at their slots.
pub(crate) fn find<W: Weight, L: KeyArithmetic<W>>(
    part: &Part,
    rows: Rows<'_, W>,
    mail: &mut Mail<'_>,
    keys: &[L::Key],
    source: usize,
) -> Result<Vec<VertexId>, PartitionedError> {
    let chosen = vec![NO_VERTEX; part.deal().n_slots()];
    let mut tree = Tree::<W, L> { part, rows, keys, source, chosen };
    match part.direction() {
        // the source alone sends its choices: it is nearer than all others
        Direction::Undirected => {
            if let Some(place) =
                source.checked_sub(tree.first_slot()).filter(|&p| p < rows.n_rows())
            {
                tree.lower_heads(place, |key, head| key < head);
            }
            tree.exchange(mail)?;
            tree.scan_own_rows();
        }
        Direction::Directed => {
            for place in 0..rows.n_rows() {
                tree.lower_heads(place, |key, head| key < head);
            }
            tree.exchange(mail)?;
        }
    }
    tree.fill_plateaus(mail)?;
    Ok(tree.chosen)
}

struct Tree<'a, W: Weight, L: KeyArithmetic<W>> {
    part: &'a Part,
    rows: Rows<'a, W>,
    keys: &'a [L::Key],
    source: usize,
    /// For each slot the smallest tail so far.
    chosen: Vec<VertexId>,
}

impl<W: Weight, L: KeyArithmetic<W>> Tree<'_, W, L> {
    fn first_slot(&self) -> usize {
        self.part.deal().slots(self.part.rank()).start
    }

    /// Chooses the nearer tails of this rank's vertices, but for the source: the graph is undirected.
    fn scan_own_rows(&mut self) {
        let others = self.keys.iter().enumerate().filter(|&(slot, _)| slot != self.source);
        let nearest = others.map(|(_, &key)| key).min().unwrap_or(L::Key::GREATEST);
        let n_rows = self.rows.n_rows();
        // in a road network, whose rows are short, keys of neighbours mostly lie together
        let mean_is_long = self.rows.heads.len() > SHORT_ROW * n_rows;
        for place in 0..n_rows {
            if mean_is_long && place + ROWS_AHEAD < n_rows {
                self.rows.prefetch(place + ROWS_AHEAD);
                let tails = &self.rows.heads[self.rows.row(place + KEYS_AHEAD)];
                let tails = tails.iter().take(KEYS_PREFETCHED);
                tails.for_each(|&tail| prefetch(self.keys, tail as usize));
            }
            let slot = self.first_slot() + place;
            if self.keys[slot] == L::Key::GREATEST || slot == self.source {
                continue;
            }
            let row = self.rows.row(place);
            let of_short = || self.tail_in_short(slot, row.clone());
            let found = if mean_is_long || row.len() > SHORT_ROW { None } else { of_short() };
            let found = found.unwrap_or_else(|| self.tail_in(slot, row, nearest));
            self.chosen[slot] = self.chosen[slot].min(found);
        }
    }

    #[inline(always)]
    fn is_tight(&self, tail: u32, weight: W, key: L::Key) -> bool {
        let of_tail = self.keys[tail as usize];
        // the sum of an unreached tail may wrap, and does not count
        (of_tail < key) & (L::after(of_tail, weight) == key)
    }

    /// The nearer tail of a tight arc in the row of a vertex, or that there is none; `None` if there are
    /// several. Without branches, which would be unpredictable.
    #[inline(always)]
    fn tail_in_short(&self, slot: usize, row: Range<usize>) -> Option<VertexId> {
        let (mut n_tight, mut last) = (0, 0);
        for (tail, weight) in self.rows.arcs(row) {
            let is_tight = self.is_tight(tail, weight, self.keys[slot]);
            n_tight += u32::from(is_tight);
            last = if is_tight { tail } else { last };
        }
        match n_tight {
            0 => Some(NO_VERTEX),
            1 => Some(self.part.deal().vertex_of_slot(last as usize)),
            _ => None,
        }
    }

    /// The smallest nearer tail of a tight arc in the row of a vertex. No tail has a key below `nearest`
    /// but the source, which has sent its own choices.
    #[inline(always)]
    fn tail_in(&self, slot: usize, row: Range<usize>, nearest: L::Key) -> VertexId {
        let key = self.keys[slot];
        let mut smallest = NO_VERTEX;
        for (tail, weight) in self.rows.arcs(row) {
            if L::after(nearest, weight) > key {
                break;
            }
            if self.is_tight(tail, weight, key) {
                smallest = smallest.min(self.part.deal().vertex_of_slot(tail as usize));
                if self.rows.ascend_by_vertex() {
                    break;
                }
            }
        }
        smallest
    }

    /// Lowers the choices at the ends of tight arcs from a vertex of this rank, if `is_candidate` of
    /// its key and that of the end.
    #[inline(always)]
    fn lower_heads(&mut self, place: usize, is_candidate: impl Fn(L::Key, L::Key) -> bool) {
        let slot = self.first_slot() + place;
        let key = self.keys[slot];
        if key == L::Key::GREATEST {
            return;
        }
        let vertex = self.part.deal().vertex_of_slot(slot);
        for (head, weight) in self.rows.arcs(self.rows.row(place)) {
            let of_head = self.keys[head as usize];
            if of_head < L::Key::GREATEST
                && is_candidate(key, of_head)
                && L::after(key, weight) == of_head
                && head as usize != self.source
            {
                self.chosen[head as usize] = self.chosen[head as usize].min(vertex);
            }
        }
    }

    /// Sends the choices for vertices of other ranks, and takes theirs.
    fn exchange(&mut self, mail: &mut Mail<'_>) -> Result<(), PartitionedError> {
        let own = self.part.deal().slots(self.part.rank());
        for (slot, &vertex) in self.chosen.iter().enumerate() {
            if vertex != NO_VERTEX && !own.contains(&slot) {
                mail.add(slot as u32, vertex);
            }
        }
        for (slot, vertex) in mail.exchange([0; 3])?.records::<VertexId>() {
            self.chosen[slot as usize] = self.chosen[slot as usize].min(vertex);
        }
        Ok(())
    }

    /// Gives reached vertices without a nearer tail a predecessor on their plateau.
    fn fill_plateaus(&mut self, mail: &mut Mail<'_>) -> Result<(), PartitionedError> {
        let own = self.part.deal().slots(self.part.rank());
        let is_left = |slot: &usize| self.keys[*slot] < L::Key::GREATEST && !self.is_placed(*slot);
        let n_left = own.clone().filter(is_left).count() as u64;
        if mail.sums([n_left, 0, 0])?[0] == 0 {
            return Ok(());
        }
        let mut level: Vec<usize> = own.filter(|&slot| self.is_placed(slot)).collect();
        loop {
            let mut found: Vec<_> = level.iter().flat_map(|&slot| self.on_plateau(slot)).collect();
            // of each head the smallest tail
            found.sort_unstable();
            found.dedup_by_key(|&mut (head, _)| head);
            let n_found = found.len() as u64;
            found.into_iter().for_each(|(head, tail)| mail.add(head, tail));
            let received = mail.exchange([n_found, 0, 0])?;
            if received.sums()[0] == 0 {
                return Ok(());
            }
            let mut found: Vec<_> = received.records::<VertexId>().collect();
            found.sort_unstable();
            level.clear();
            for (head, tail) in found {
                if !self.is_placed(head as usize) {
                    self.chosen[head as usize] = tail;
                    level.push(head as usize);
                }
            }
        }
    }

    /// Whether a vertex has its predecessor: of other ranks' vertices some that have it.
    fn is_placed(&self, slot: usize) -> bool {
        slot == self.source || self.chosen[slot] != NO_VERTEX
    }

    /// The heads of tight arcs from a vertex of this rank that add nothing, if they may not be
    /// placed yet, each with the vertex.
    fn on_plateau(&self, slot: usize) -> impl Iterator<Item = (u32, VertexId)> + '_ {
        let own = self.part.deal().slots(self.part.rank());
        let key = self.keys[slot];
        let vertex = self.part.deal().vertex_of_slot(slot);
        let arcs = self.rows.arcs(self.rows.row(slot - own.start));
        // rows ascend by weight
        let flat = arcs
            .take_while(move |&(_, weight)| key < L::Key::GREATEST && L::after(key, weight) == key);
        let may_be_left = move |&head: &u32| {
            let is_placed = own.contains(&(head as usize)) && self.is_placed(head as usize);
            self.keys[head as usize] == key && !is_placed
        };
        flat.map(|(head, _)| head).filter(may_be_left).map(move |head| (head, vertex))
    }
}
