//! The arcs of the hierarchy along a shortest path, by labels.
//!
//! The least sum of two labels tells the highest vertex of a path. A vertex between is on a shortest
//! path if the distances to it and from it add up; those to the ancestors of an end are in its
//! label. So each ancestor that is nearer than the highest vertex is asked for one number of its own
//! label. Two that follow each other on the path have none of the others between them, and all that
//! is between them is lower than both. So there is an arc of the hierarchy from one to the other.
//! O(ancestors of both ends), of which each takes a memory access that waits for no other.
//!
//! Weights have to be integers of at least one: then sums are equal where paths are as short, and no
//! path leads back.

use search_parts::prefetch;

use super::{End, Rows, least_sum};
use crate::metric::arcs::Arcs;
use crate::metric::key::Key;
use crate::prepare::hierarchy::{DOWN, Hierarchy, UP};

/// An arc of the hierarchy and the direction in which a path takes it.
pub(crate) type Step = (u32, usize);

/// A vertex of a path.
#[derive(Clone, Copy)]
struct Stop<S> {
    rank: u32,
    /// How far it is from the end that the search starts from.
    key: S,
}

/// The rows and arcs of a metric.
pub(super) struct Search<'a, S, K> {
    pub(super) hierarchy: &'a Hierarchy,
    pub(super) rows: &'a Rows<S>,
    pub(super) arcs: &'a Arcs<K>,
}

impl<S: Key, K: Key> Search<'_, S, K> {
    /// The length of a path between two ends and its steps; none where there is none, and where both
    /// are in dead ends at one vertex.
    pub(super) fn steps(
        &self,
        [source, target]: [u32; 2],
        ends: [&End<S>; 2],
    ) -> Option<(u128, Vec<Step>)> {
        let ([from, to], rows) = (ends, self.rows);
        if from.anchor.rank == to.anchor.rank {
            return None;
        }
        let n_common = rows.n_common(self.hierarchy, from, to);
        let [one, other] =
            [from.starts[UP], to.starts[DOWN]].map(|start| &rows.keys[start..][..n_common]);
        let least = least_sum(one, other);
        let parts = [from.keys[UP], least, to.keys[DOWN]];
        if parts.iter().any(|&part| part >= S::UNREACHED) {
            return None;
        }
        let highest = one.iter().zip(other).position(|(&one, &other)| one.add(other) == least)?;
        let mut steps = self.dead_end(source, from.anchor.rank, UP);
        steps.extend(self.leg(from, highest, UP)?);
        let down = self.leg(to, highest, DOWN)?;
        steps.extend(down.into_iter().rev());
        steps.extend(self.dead_end(target, to.anchor.rank, DOWN).into_iter().rev());
        Some((parts.map(S::to_integer).iter().sum(), steps))
    }

    /// The steps between a vertex and its anchor, from the vertex on.
    fn dead_end(&self, vertex: u32, anchor: u32, direction: usize) -> Vec<Step> {
        let below_anchor = self.hierarchy.way_up(vertex).take_while(|&rank| rank != anchor);
        let arc = |rank: u32| self.hierarchy.offsets[rank as usize];
        below_anchor.map(|rank| (arc(rank), direction)).collect()
    }

    /// The steps between an anchor and its ancestor at a depth, from the anchor on.
    fn leg(&self, end: &End<S>, depth: usize, direction: usize) -> Option<Vec<Step>> {
        let Self { hierarchy, rows, .. } = *self;
        let label = &rows.keys[end.starts[direction]..];
        let length = label[depth];
        let n_between = usize::from(hierarchy.depths[end.anchor.rank as usize]) - depth;
        let way_up = hierarchy.way_up(end.anchor.rank).take(n_between + 1);
        let depths = (depth..=depth + n_between).rev();
        let mut nearer = Vec::with_capacity(n_between + 1);
        for (rank, of_rank) in way_up.zip(depths) {
            let key = label[of_rank];
            if key <= length {
                let place = rows.shape.start(rank, of_rank, direction) + depth;
                prefetch(&rows.keys, place);
                nearer.push((Stop { rank, key }, place));
            }
        }
        let is_between =
            |&&(stop, place): &&(Stop<S>, usize)| stop.key.add(rows.keys[place]) == length;
        let mut stops: Vec<_> = nearer.iter().filter(is_between).map(|&(stop, _)| stop).collect();
        stops.sort_by(|one, other| one.key.partial_cmp(&other.key).expect("integers"));
        let (&first, more) = stops.split_first()?;
        let (mut stop, mut steps) = (first, Vec::with_capacity(more.len()));
        for &next in more {
            if let Some(step) = self.step(stop, next, direction) {
                steps.push(step);
                stop = next;
            }
        }
        (usize::from(hierarchy.depths[stop.rank as usize]) == depth).then_some(steps)
    }

    /// The step between two stops, if it is as long as one is nearer than the other.
    fn step(&self, near: Stop<S>, far: Stop<S>, direction: usize) -> Option<Step> {
        let hierarchy = self.hierarchy;
        let is_up = near.rank < far.rank;
        let (lower, higher) = if is_up { (near.rank, far.rank) } else { (far.rank, near.rank) };
        let depth = hierarchy.depths[higher as usize];
        let arc = hierarchy.arc(lower, depth);
        let direction = if is_up { direction } else { 1 - direction };
        let is_there = arc < hierarchy.row(lower).end && hierarchy.ends[arc] == depth;
        let is_tight = || {
            let key = self.arcs.keys[arc][direction];
            near.key.to_integer() + key.to_integer() == far.key.to_integer()
        };
        (is_there && is_tight()).then_some((arc as u32, direction))
    }
}
