//! The vertices near a source.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use graph_formats::{Distance, VertexId, Weight};

use super::surroundings::Surroundings;
use crate::HierarchyError;
use crate::metric::arcs::Arcs;
use crate::metric::key::Key;
use crate::metric::lengths::too_far;
use crate::metric::{Metric, with_arcs};
use crate::prepare::hierarchy::Hierarchy;

/// If more than 1/SHARE_TO_SORT of all vertices are found, marking them in a list of all is faster
/// than sorting.
const SHARE_TO_SORT: usize = 16;

impl<W: Weight> Metric<W> {
    pub(crate) fn find_nearest(
        &self,
        source: VertexId,
        targets: &[VertexId],
        k: usize,
    ) -> Result<Vec<(VertexId, W::Distance)>, HierarchyError> {
        let (hierarchy, rank) = (&self.hierarchy, self.hierarchy.rank("source", source)?);
        let ranks = self.hierarchy.ranks_of("target", targets)?;
        with_arcs!(W, &self.arcs, arcs => {
            nearest(hierarchy, arcs, (source, rank), (targets, &ranks), k)
        })
    }

    pub(crate) fn find_within(
        &self,
        source: VertexId,
        radius: W::Distance,
    ) -> Result<Vec<(VertexId, W::Distance)>, HierarchyError> {
        let (hierarchy, rank) = (&self.hierarchy, self.hierarchy.rank("source", source)?);
        Ok(with_arcs!(W, &self.arcs, arcs => within(hierarchy, arcs, rank, radius)))
    }
}

/// The nearest by ranks, which go with the vertices.
fn nearest<D: Distance, K: Key>(
    hierarchy: &Hierarchy,
    arcs: &Arcs<K>,
    (source, rank): (VertexId, u32),
    (targets, ranks): (&[VertexId], &[u32]),
    k: usize,
) -> Result<Vec<(VertexId, D)>, HierarchyError> {
    if k == 0 {
        return Ok(Vec::new());
    }
    let farthest = |nearest: &BinaryHeap<Near<K>>| match nearest.peek() {
        Some(last) if nearest.len() == k => last.0,
        _ => K::UNREACHED,
    };
    let mut by_rank: Vec<(u32, usize)> = ranks.iter().copied().zip(0..).collect();
    by_rank.sort_unstable();
    let sorted: Vec<u32> = by_rank.iter().map(|&(rank, _)| rank).collect();
    let mut nearest = BinaryHeap::new();
    let look = Surroundings::new(hierarchy, arcs, Some(&sorted), K::UNREACHED);
    look.look(rank, |rank, key| {
        let first = sorted.partition_point(|&other| other < rank);
        for &(_, place) in by_rank[first..].iter().take_while(|(other, _)| *other == rank) {
            nearest.push(Near(key, place));
            if nearest.len() > k {
                nearest.pop();
            }
        }
        farthest(&nearest)
    });
    let nearest = nearest.into_sorted_vec().into_iter();
    let reached = nearest.filter(|&Near(key, _)| key < K::UNREACHED);
    let with_distance = |Near(key, place): Near<K>| {
        let target = targets[place];
        let distance = key.to_distance().ok_or(too_far::<D>(source, target))?;
        Ok((target, distance))
    };
    reached.map(with_distance).collect()
}

/// What is no farther than a radius, by the rank of the source.
fn within<D: Distance, K: Key>(
    hierarchy: &Hierarchy,
    arcs: &Arcs<K>,
    source: u32,
    radius: D,
) -> Vec<(VertexId, D)> {
    let Some(greatest) = K::at_most(radius) else { return Vec::new() };
    let mut found = Vec::new();
    let look = Surroundings::new(hierarchy, arcs, None, greatest);
    look.look(source, |rank, key| {
        let vertex = hierarchy.vertices[rank as usize];
        let distance = key.to_distance::<D>().filter(|&distance| distance <= radius);
        found.extend(distance.map(|distance| (vertex, distance)));
        greatest
    });
    let n = hierarchy.n_vertices();
    if found.len() < n / SHARE_TO_SORT {
        found.sort_unstable_by_key(|&(vertex, _)| vertex);
        return found;
    }
    let mut all = vec![None; n];
    found.iter().for_each(|&(vertex, distance)| all[vertex as usize] = Some(distance));
    let all = all.into_iter().zip(0..);
    all.filter_map(|(distance, vertex)| Some((vertex, distance?))).collect()
}

/// The key of a target and its place in the list, in this order.
#[derive(PartialEq)]
struct Near<K>(K, usize);

impl<K: Key> Ord for Near<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_key = self.0.partial_cmp(&other.0).unwrap_or(Ordering::Equal);
        by_key.then(self.1.cmp(&other.1))
    }
}

impl<K: Key> PartialOrd for Near<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: Key> Eq for Near<K> {}
