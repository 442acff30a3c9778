//! Distances and paths between two vertices, by the elimination tree.
//!
//! Whatever a search upwards can reach from a vertex is an ancestor of it. So two searches walk
//! the tree from their ends to the root, relaxing the arcs of each vertex, up from the source and
//! down to the target, without a queue. Where their ways have met they are walked together; the
//! least sum there is the distance, and vertices no nearer than it are passed over. O(arcs that
//! lead up from the ancestors).
//!
//! Tentative distances are stored by the depth of the ancestor, of both directions side by side:
//! a few kilobytes, where the paper has an array of all vertices. Both directions are always
//! [relaxed](Places::relax); one that is not asked for starts from no path. Of equal ways to an
//! ancestor the one from the lowest vertex stays, which was found first: a way from a higher one
//! may go round a cycle of no weight.
//!
//! Reference: dibbelt-2016

use elimination::ROOT;
use multiversion::multiversion;
use search_parts::prefetch;

use super::relax::Places;
use super::unpack::Unpacker;
use crate::HierarchyError;
use crate::labels::steps::Step;
use crate::metric::arcs::Arcs;
use crate::metric::key::Key;
use crate::prepare::hierarchy::{DOWN, Hierarchy, UP};

/// How many places before its arcs are relaxed a row is prefetched.
const PLACES_AHEAD: usize = 4;
/// Arcs of the narrowest keys in a cache line.
const ARCS_PER_LINE: usize = 8;

/// The two walks up the tree. A place stands for a depth: the root has the last one.
pub(crate) struct Walk<'m, K> {
    hierarchy: &'m Hierarchy,
    arcs: &'m Arcs<K>,
    /// By place, the least distance from the source and to the target; where paths are asked for,
    /// with the place of the lower end of the arc that it ends or begins with.
    places: Places<K>,
    /// By place, the ancestors of the source and of the target.
    ranks: Vec<[u32; 2]>,
    unpacker: Unpacker,
}

/// What a [`Query`](crate::Query) does between two ranks, for any keys. Lengths are those of
/// integers, and 0 of floats.
pub(crate) trait Walks: Send {
    /// The length of the shortest path; none where there is none.
    fn length(&mut self, ends: [u32; 2]) -> Option<u128>;

    /// The same, and the steps of the path.
    fn steps(&mut self, ends: [u32; 2]) -> Option<(u128, Vec<Step>)>;

    /// The arcs of the graph along steps.
    fn unpack(&mut self, steps: &[Step]) -> Result<Vec<usize>, HierarchyError>;
}

impl<'m, K: Key> Walk<'m, K> {
    pub(crate) fn new(hierarchy: &'m Hierarchy, arcs: &'m Arcs<K>) -> Self {
        let height = hierarchy.height();
        let (places, ranks) = (Places::new(height), vec![[ROOT; 2]; height]);
        Self { hierarchy, arcs, places, ranks, unpacker: Unpacker::default() }
    }

    /// Notes the ancestors of an end, and has what is needed of them fetched.
    #[inline(always)]
    fn find_ancestors(&mut self, end: u32, place: usize, direction: usize) {
        let Hierarchy { parents, offsets, .. } = self.hierarchy;
        let mut rank = end;
        for ranks in &mut self.ranks[place..] {
            ranks[direction] = rank;
            prefetch(offsets, rank as usize);
            rank = parents[rank as usize];
        }
    }

    /// Relaxes the arcs of the ancestor at a place.
    #[inline(always)]
    fn relax<const WITH_PATH: bool>(&mut self, place: usize, direction: usize, from: [K; 2]) {
        let Hierarchy { ends, runs, offsets, .. } = self.hierarchy;
        if let Some(later) = self.ranks.get(place + PLACES_AHEAD) {
            let first = offsets[later[direction] as usize] as usize;
            prefetch(ends, first);
            prefetch(runs, first);
            prefetch(&self.arcs.keys, first);
            prefetch(&self.arcs.keys, first + ARCS_PER_LINE);
        }
        let row = self.hierarchy.row(self.ranks[place][direction]);
        let arcs = &self.arcs.keys[row.start..];
        let (ends, runs) = (&ends[row.clone()], &runs[row]);
        self.places.relax::<WITH_PATH>(ends, runs, arcs, from, place as u32);
    }

    /// The arcs between an end, which is at place `end`, and the ancestor at place `highest`, from
    /// the ancestor on.
    fn steps_from(&self, end: usize, highest: usize, direction: usize) -> Vec<Step> {
        let hierarchy = self.hierarchy;
        let mut steps = Vec::new();
        let mut place = highest;
        while place != end {
            let from = self.places.origins[place][direction] as usize;
            let arc = hierarchy.arc(self.ranks[from][direction], self.places.depth_of(place));
            steps.push((arc as u32, direction));
            place = from;
        }
        steps
    }
}

/// The length of the shortest path between two ranks, and the place of its highest vertex. Compiled
/// for AVX2 too, which has registers of 32 bytes and a minimum of integers.
#[multiversion(targets("x86_64+avx2"))]
fn meet<K: Key, const WITH_PATH: bool>(
    walk: &mut Walk<'_, K>,
    source: u32,
    target: u32,
) -> (K, usize) {
    let depths = &walk.hierarchy.depths;
    let ends = [source, target].map(|rank| walk.places.of_depth(depths[rank as usize]));
    walk.places.clear(ends[UP].min(ends[DOWN]));
    walk.find_ancestors(source, ends[UP], UP);
    walk.find_ancestors(target, ends[DOWN], DOWN);
    let common = ends[UP].max(ends[DOWN])..walk.ranks.len();
    let is_common = |&place: &usize| walk.ranks[place][UP] == walk.ranks[place][DOWN];
    let Some(meeting) = common.clone().find(is_common) else { return (K::UNREACHED, 0) };
    for direction in [UP, DOWN] {
        walk.places.keys[ends[direction]][direction] = K::ZERO;
        for place in ends[direction]..meeting {
            let mut from = [K::UNREACHED; 2];
            from[direction] = walk.places.keys[place][direction];
            walk.relax::<WITH_PATH>(place, direction, from);
        }
    }
    let (mut best, mut highest) = (K::UNREACHED, 0);
    for place in meeting..common.end {
        let [from_source, to_target] = walk.places.keys[place];
        let through = from_source.add(to_target);
        if through < best {
            (best, highest) = (through, place);
        }
        if from_source.min(to_target) < best {
            walk.relax::<WITH_PATH>(place, UP, [from_source, to_target]);
        }
    }
    (best, highest)
}

impl<K: Key> Walks for Walk<'_, K> {
    fn length(&mut self, [source, target]: [u32; 2]) -> Option<u128> {
        let (key, _) = meet::<K, false>(self, source, target);
        (key < K::UNREACHED).then(|| key.to_integer())
    }

    fn steps(&mut self, [source, target]: [u32; 2]) -> Option<(u128, Vec<Step>)> {
        let (key, highest) = meet::<K, true>(self, source, target);
        if key >= K::UNREACHED {
            return None;
        }
        let place = |rank: u32| self.places.of_depth(self.hierarchy.depths[rank as usize]);
        let mut steps = self.steps_from(place(source), highest, UP);
        steps.reverse();
        steps.extend(self.steps_from(place(target), highest, DOWN));
        Some((key.to_integer(), steps))
    }

    fn unpack(&mut self, steps: &[Step]) -> Result<Vec<usize>, HierarchyError> {
        let arcs = self.unpacker.unpack(self.hierarchy, &self.arcs.origins, steps);
        arcs.ok_or(HierarchyError::Damaged)
    }
}
