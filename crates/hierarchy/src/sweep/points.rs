//! Points of a network: how far they are from some vertices, or these from them.
//!
//! A walk up starts at all ancestors of a vertex that are given, at no more cost; both ends of an
//! arc are such. Other vertices of a source have a walk of their own beside it, and the least
//! counts. A target takes the least over its vertices.

use graph_formats::{Distance, VertexId};

use super::LANES;
use crate::HierarchyError;
use crate::metric::key::Key;
use crate::prepare::hierarchy::Hierarchy;

/// Walks up: where each starts, and how far from the point. Each start is an ancestor of those before.
pub(super) type Walks<K> = Vec<Vec<(u32, K)>>;

/// Points that play the same role.
pub(super) struct Points<D> {
    /// Where the vertices of each start; one more entry.
    starts: Vec<usize>,
    pub(super) vertices: Vec<VertexId>,
    pub(super) ranks: Vec<u32>,
    pub(super) distances: Vec<D>,
    /// The greatest distance.
    pub(super) greatest: f64,
}

impl<D: Distance> Points<D> {
    pub(super) fn of(
        hierarchy: &Hierarchy,
        role: &'static str,
        points: &[&[(VertexId, D)]],
    ) -> Result<Self, HierarchyError> {
        if let Some(place) = points.iter().position(|point| point.len() > LANES) {
            let reason = format!("{} vertices, more than {LANES}", points[place].len());
            return Err(HierarchyError::BadPoint { role, place, reason });
        }
        let is_bad = |distance: D| !(distance >= D::ZERO && distance < D::UNREACHED);
        for (place, point) in points.iter().enumerate() {
            if let Some((_, distance)) = point.iter().find(|(_, distance)| is_bad(*distance)) {
                let reason = format!("the distance {distance}");
                return Err(HierarchyError::BadPoint { role, place, reason });
            }
        }
        let ends = points.iter().scan(0, |end, point| {
            *end += point.len();
            Some(*end)
        });
        let starts = std::iter::once(0).chain(ends).collect();
        let (vertices, distances): (Vec<_>, Vec<_>) =
            points.iter().copied().flatten().copied().unzip();
        let ranks = hierarchy.ranks_of(role, &vertices)?;
        let greatest = distances.iter().map(|distance| distance.to_f64()).fold(0.0, f64::max);
        Ok(Self { starts, vertices, ranks, distances, greatest })
    }

    /// Points that are vertices.
    pub(super) fn at(
        hierarchy: &Hierarchy,
        role: &'static str,
        vertices: &[VertexId],
    ) -> Result<Self, HierarchyError> {
        Ok(Self {
            starts: (0..=vertices.len()).collect(),
            vertices: vertices.to_vec(),
            ranks: hierarchy.ranks_of(role, vertices)?,
            distances: vec![D::ZERO; vertices.len()],
            greatest: 0.0,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where the vertices of a point are in the lists.
    pub(super) fn range(&self, point: usize) -> std::ops::Range<usize> {
        self.starts[point]..self.starts[point + 1]
    }

    /// A vertex of a point, for errors.
    pub(super) fn name(&self, point: usize) -> VertexId {
        self.vertices[self.range(point)].first().copied().unwrap_or_default()
    }

    /// The walks up from a point.
    pub(super) fn walks<K: Key>(&self, hierarchy: &Hierarchy, point: usize) -> Walks<K> {
        let range = self.range(point);
        let keys = self.distances[range.clone()].iter().map(|&distance| K::of_weight(distance));
        let mut ends: Vec<_> = self.ranks[range].iter().copied().zip(keys).collect();
        ends.sort_unstable_by_key(|&(rank, _)| rank);
        let mut walks = Walks::new();
        for end in ends {
            let first = hierarchy.subtrees[end.0 as usize];
            let is_below =
                |walk: &&mut Vec<(u32, K)>| walk.last().is_some_and(|last| last.0 >= first);
            match walks.iter_mut().find(is_below) {
                Some(walk) => walk.push(end),
                None => walks.push(vec![end]),
            }
        }
        walks
    }
}
