//! Which part of a graph has which vertices.
//!
//! Vertices are dealt in blocks. Of each group of as many adjacent blocks as there are parts, every
//! part gets one, in an order that a hash of the group turns. So parts have nearly the same number
//! of vertices, adjacent vertices are mostly in the same part, which road networks need, and low
//! numbers, which are hubs in some generated graphs, are spread.
//!
//! A *slot* numbers the vertices part by part: those of part p, ascending, have the slots from
//! p · stride on. Arrays over all vertices are indexed by slots, so that what belongs to a part
//! lies together.

use std::ops::Range;

use graph_formats::VertexId;

/// Blocks of each part, if it has enough vertices, divided by the number of parts. With more parts,
/// blocks are smaller: the arcs of the greatest block should be no more than a part's share.
const BLOCKS_PER_PART: usize = 16;
/// Slots of a part begin at a multiple of this, so that words of bits belong to one part.
const SLOTS_PER_WORD: usize = 64;

/// How vertices are dealt to parts. Each method is O(1), and there are no tables.
///
/// ```
/// use partitioned::Deal;
///
/// let deal = Deal::new(1000, 3);
/// let (part, place) = deal.place_of(617);
/// assert_eq!(deal.vertex_at(part, place), 617);
/// assert_eq!((0..3).map(|part| deal.len(part)).sum::<usize>(), 1000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deal {
    n_vertices: usize,
    n_parts: usize,
    /// A block has 2^`bits` vertices.
    bits: u32,
    stride: usize,
}

impl Deal {
    /// Deals `n_vertices` to `n_parts`, at least one.
    pub fn new(n_vertices: usize, n_parts: usize) -> Self {
        let n_blocks = BLOCKS_PER_PART.saturating_mul(n_parts).saturating_mul(n_parts);
        Self::by_blocks(n_vertices, n_parts, (n_vertices / n_blocks).checked_ilog2().unwrap_or(0))
    }

    /// The same with blocks of 2^`bits` vertices.
    fn by_blocks(n_vertices: usize, n_parts: usize, bits: u32) -> Self {
        let longest = n_vertices.div_ceil(n_parts << bits) << bits;
        let stride = longest.next_multiple_of(SLOTS_PER_WORD);
        Self { n_vertices, n_parts, bits, stride }
    }

    /// How many vertices the graph has.
    pub fn n_vertices(&self) -> usize {
        self.n_vertices
    }

    /// How many parts there are.
    pub fn n_parts(&self) -> usize {
        self.n_parts
    }

    /// How many slots there are; a few at the end of each part have no vertex.
    pub fn n_slots(&self) -> usize {
        self.n_parts * self.stride
    }

    /// Slots of each part.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// The part that has `vertex`.
    #[inline]
    pub fn part_of(&self, vertex: VertexId) -> usize {
        let block = vertex as usize >> self.bits;
        let group = block / self.n_parts;
        let turned = block - group * self.n_parts + self.turn(group);
        if turned < self.n_parts { turned } else { turned - self.n_parts }
    }

    /// The part that has `vertex`, and how many of its vertices come before.
    #[inline]
    pub fn place_of(&self, vertex: VertexId) -> (usize, usize) {
        let group = (vertex as usize >> self.bits) / self.n_parts;
        let in_block = vertex as usize & ((1 << self.bits) - 1);
        (self.part_of(vertex), group << self.bits | in_block)
    }

    /// The vertex of `part` with `place` others before it.
    #[inline]
    pub fn vertex_at(&self, part: usize, place: usize) -> VertexId {
        let group = place >> self.bits;
        let block = group * self.n_parts + self.block_in_group(part, group);
        (block << self.bits | (place & ((1 << self.bits) - 1))) as VertexId
    }

    /// How many vertices `part` has.
    pub fn len(&self, part: usize) -> usize {
        let per_group = self.n_parts << self.bits;
        let n_groups = self.n_vertices / per_group;
        let rest = self.n_vertices - n_groups * per_group;
        let before = self.block_in_group(part, n_groups) << self.bits;
        (n_groups << self.bits) + rest.saturating_sub(before).min(1 << self.bits)
    }

    /// Whether no part has a vertex.
    pub fn is_empty(&self) -> bool {
        self.n_vertices == 0
    }

    /// The slot of `vertex`.
    #[inline]
    pub fn slot_of(&self, vertex: VertexId) -> usize {
        let (part, place) = self.place_of(vertex);
        part * self.stride + place
    }

    /// The slots of the vertices of `part`.
    pub fn slots(&self, part: usize) -> Range<usize> {
        let first = part * self.stride;
        first..first + self.len(part)
    }

    /// The part that has the vertex of this slot.
    #[inline]
    pub fn part_of_slot(&self, slot: usize) -> usize {
        slot / self.stride
    }

    /// The vertex of this slot.
    #[inline]
    pub fn vertex_of_slot(&self, slot: usize) -> VertexId {
        let part = self.part_of_slot(slot);
        self.vertex_at(part, slot - part * self.stride)
    }

    /// The ranges of adjacent vertices that `part` has, ascending.
    pub fn blocks(&self, part: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let len = self.len(part);
        (0..len).step_by(1 << self.bits).map(move |place| {
            let first = self.vertex_at(part, place) as usize;
            first..first + (len - place).min(1 << self.bits)
        })
    }

    /// Where `part` stands among the blocks of a group.
    #[inline]
    fn block_in_group(&self, part: usize, group: usize) -> usize {
        let turn = self.turn(group);
        if part < turn { part + self.n_parts - turn } else { part - turn }
    }

    /// By how much the parts are turned in a group: the high bits of a product with 2^64 divided by
    /// the golden ratio, which are spread evenly.
    #[inline]
    fn turn(&self, group: usize) -> usize {
        let hash = (group as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        ((hash * self.n_parts as u64) >> 32) as usize
    }
}

/// The vertices of slots, from a table of the first vertex of each block: for a search that asks of
/// very many slots.
pub(crate) struct SlotVertices {
    bits: u32,
    first: Vec<VertexId>,
}

impl SlotVertices {
    /// O(blocks).
    pub(crate) fn new(deal: &Deal) -> Self {
        // each part begins with a block
        let slots = (0..deal.n_slots()).step_by(1 << deal.bits);
        Self { bits: deal.bits, first: slots.map(|slot| deal.vertex_of_slot(slot)).collect() }
    }

    #[inline(always)]
    pub(crate) fn get(&self, slot: u32) -> VertexId {
        self.first[slot as usize >> self.bits] | slot & ((1 << self.bits) - 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_vertex_has_one_slot(n in 0usize..3000, n_parts in 1usize..70, bits in 0u32..8) {
            for deal in [Deal::new(n, n_parts), Deal::by_blocks(n, n_parts, bits)] {
                let lens: Vec<_> = (0..n_parts).map(|part| deal.len(part)).collect();
                prop_assert_eq!(lens.iter().sum::<usize>(), n);
                let (least, greatest) = (lens.iter().min(), lens.iter().max());
                prop_assert!(greatest.unwrap() - least.unwrap() <= 1 << deal.bits, "{lens:?}");
                let mut is_taken = vec![false; deal.n_slots()];
                for part in 0..n_parts {
                    let dealt: Vec<_> = deal.blocks(part).flatten().collect();
                    prop_assert!(dealt.is_sorted());
                    prop_assert_eq!(dealt.len(), deal.len(part));
                    let vertices = SlotVertices::new(&deal);
                    for (place, vertex) in dealt.into_iter().enumerate() {
                        let slot = deal.slots(part).start + place;
                        let vertex = vertex as VertexId;
                        prop_assert_eq!(deal.place_of(vertex), (part, place));
                        prop_assert_eq!(deal.part_of(vertex), part);
                        prop_assert_eq!(deal.vertex_at(part, place), vertex);
                        prop_assert_eq!(deal.slot_of(vertex), slot);
                        prop_assert_eq!(deal.vertex_of_slot(slot), vertex);
                        prop_assert_eq!(vertices.get(slot as u32), vertex);
                        prop_assert_eq!(deal.part_of_slot(slot), part);
                        prop_assert!(!std::mem::replace(&mut is_taken[slot], true));
                    }
                }
            }
        }
    }

    #[test]
    fn hubs_of_low_numbers_are_spread() {
        // the degrees of an R-MAT graph as drawn: each bit of a vertex takes 0.76 / 0.24 of them
        let (scale, n_parts) = (18, 8);
        let deal = Deal::new(1 << scale, n_parts);
        let mut shares = vec![0.0; n_parts];
        for vertex in 0..1 << scale {
            let ones = (vertex as VertexId).count_ones() as i32;
            shares[deal.part_of(vertex)] += 0.24_f64.powi(ones) * 0.76_f64.powi(scale - ones);
        }
        assert!(shares.iter().all(|share| (0.08..0.17).contains(share)), "{shares:?}");
    }
}
