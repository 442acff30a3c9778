//! Labels: the distances between each vertex and its ancestors, for queries without a walk.
//!
//! Every path between two vertices leads over an ancestor of both. So the distance is the least sum
//! of the distances from the source to these ancestors and from there to the target. The first
//! numbers of two rows are read one after the other, as many as there are
//! [common ancestors](common).
//! O(common ancestors), which for two vertices far apart are a few dozen.
//!
//! Many vertices are in dead ends: trees that hang at a vertex. They have no label of their own but
//! the distances to and from that vertex, and use its label.
//!
//! The paper stores which ancestors separate two vertices, and looks at these alone, scattered over
//! both labels; here all common ancestors are looked at, side by side, for which there are vector
//! instructions.
//!
//! Reference: ouyang-2018, farhan-2025

pub(crate) mod common;
mod making;
mod renewing;
pub(crate) mod shape;
pub(crate) mod steps;

use graph_formats::{Buffer, Distance, VertexId, Weight, ensure_granted, parallel};
use std::sync::Arc;

use multiversion::multiversion;
use paths::Distances;
use rayon::prelude::*;
use search_parts::{in_large_pages, prefetch};

use self::common::{LeastDepths, Place};
use self::making::{bytes_of_making, make};
use self::shape::{Shape, to_anchors};
use self::steps::{Search, Step};
use crate::HierarchyError;
use crate::metric::arcs::Arcs;
use crate::metric::key::{Key, is_float};
use crate::metric::lengths::too_far;
use crate::metric::{AnyArcs, Metric, with_arcs};
use crate::prepare::hierarchy::{DOWN, Hierarchy, UP};

/// As many pairs are worth another thread.
const PAIRS_PER_TASK: usize = 1 << 10;
/// How many pairs before its distance is found the ends of a pair are prefetched, and the labels.
const ENDS_AHEAD: usize = 16;
const LABELS_AHEAD: usize = 8;
/// As much of a label is prefetched, in keys.
const KEYS_AHEAD: usize = 64;

/// A metric with the distances between each vertex and its ancestors: it finds distances in less
/// than a microsecond.
///
/// Made by [`Metric::labels`]. Changes of the metric that it was made of do not reach it before
/// [`Labels::renew`]. A clone shares all memory: O(1).
#[derive(Clone)]
pub struct Labels<W: Weight> {
    pub(crate) metric: Metric<W>,
    rows: AnyRows,
}

/// The labels, in the narrowest keys that hold all distances.
#[derive(Clone)]
enum AnyRows {
    U32(Rows<u32>),
    U64(Rows<u64>),
    U128(Rows<u128>),
    F64(Rows<f64>),
}

#[derive(Clone)]
struct Rows<S> {
    /// By vertex.
    ends: Arc<[End<S>]>,
    /// The labels by rank, each by depth: from the vertex, then to it where these may differ.
    keys: Buffer<S>,
    shape: Arc<Shape>,
    least_depths: LeastDepths,
}

/// What is needed of an end of a path.
#[derive(Clone, Copy, Debug)]
struct End<S> {
    /// Where the label of its anchor starts, in each direction.
    starts: [usize; 2],
    /// Its anchor: itself, or the vertex at which its dead end hangs.
    anchor: Place,
    /// The distances to and from the anchor.
    keys: [S; 2],
}

/// Evaluates the expression with the rows, for each type of keys that distances of `$W` may have.
macro_rules! with_rows {
    ($W:ty, $any:expr, $rows:ident => $body:expr) => {
        match $any {
            AnyRows::F64($rows) if const { is_float::<$W>() } => $body,
            AnyRows::U32($rows) if const { !is_float::<$W>() } => $body,
            AnyRows::U64($rows) if const { !is_float::<$W>() } => $body,
            AnyRows::U128($rows) if const { !is_float::<$W>() } => $body,
            _ => unreachable!("keys are floats where weights are, and only there"),
        }
    };
}

impl<W: Weight> Metric<W> {
    /// An upper bound on the bytes that labels of the metric take.
    pub(crate) fn find_bytes_of_labels(&self) -> u64 {
        let hierarchy = &self.hierarchy;
        with_arcs!(W, &self.arcs, arcs => bytes_like(arcs, &Shape::of(hierarchy, arcs)) as u64)
    }

    pub(crate) fn make_labels(&self) -> Result<Labels<W>, HierarchyError> {
        let hierarchy = &self.hierarchy;
        let rows = match &self.arcs {
            AnyArcs::U32(arcs) => Rows::of(hierarchy, arcs, Some)?.map(AnyRows::U32),
            AnyArcs::F64(arcs) => Rows::of(hierarchy, arcs, Some)?.map(AnyRows::F64),
            AnyArcs::U64(arcs) => match in_32_bits(hierarchy, arcs)? {
                None => Rows::of(hierarchy, arcs, Some)?.map(AnyRows::U64),
                rows => rows,
            },
            AnyArcs::U128(arcs) => match in_32_bits(hierarchy, arcs)? {
                None => Rows::of(hierarchy, arcs, Some)?.map(AnyRows::U128),
                rows => rows,
            },
        };
        let rows = rows.expect("keys that are not narrowed fit");
        Ok(Labels { metric: self.clone(), rows })
    }
}

/// Labels in keys of 32 bits; none where a distance does not fit.
fn in_32_bits<K: Key>(
    hierarchy: &Hierarchy,
    arcs: &Arcs<K>,
) -> Result<Option<AnyRows>, HierarchyError> {
    let narrow = |key: K| {
        if key >= K::UNREACHED {
            Some(u32::UNREACHED)
        } else {
            u32::try_from(key.to_integer()).ok().filter(|&key| key < <u32 as Key>::UNREACHED)
        }
    };
    Ok(Rows::of(hierarchy, arcs, narrow)?.map(AnyRows::U32))
}

/// Bytes of labels with the keys that arcs have.
fn bytes_like<K: Key>(_: &Arcs<K>, shape: &Shape) -> usize {
    shape.bytes::<K>()
}

impl<W: Weight> Labels<W> {
    pub(crate) fn find(
        &self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<W::Distance>, HierarchyError> {
        let cell = with_rows!(W, &self.rows, rows => find_one(self, rows, source, target))?;
        Ok(Some(cell).filter(|&distance| distance != W::Distance::UNREACHED))
    }

    pub(crate) fn find_pairs(
        &self,
        pairs: &[(VertexId, VertexId)],
    ) -> Result<Distances<W::Distance>, HierarchyError> {
        let parts = pairs.chunks(PAIRS_PER_TASK).collect();
        let found = with_rows!(W, &self.rows, rows => {
            parallel::try_map_of(parts, &|pairs: &[_]| find_each(self, rows, pairs))
        })?;
        Ok(Distances::from_storage(found.concat()))
    }

    /// The length and the steps of a shortest path between two ranks, by weights that
    /// [add up](steps); none where there is no path, or only a walk finds it.
    pub(crate) fn steps(&self, [source, target]: [u32; 2]) -> Option<(u128, Vec<Step>)> {
        let hierarchy = &self.metric.hierarchy;
        with_rows!(W, &self.rows, rows => with_arcs!(W, &self.metric.arcs, arcs => {
            let end = |rank: u32| &rows.ends[hierarchy.vertices[rank as usize] as usize];
            Search { hierarchy, rows, arcs }.steps([source, target], [end(source), end(target)])
        }))
    }

    /// The distance as storage has it.
    #[inline(always)]
    fn find_in<S: Key>(
        &self,
        rows: &Rows<S>,
        source: VertexId,
        target: VertexId,
    ) -> Result<W::Distance, HierarchyError> {
        let hierarchy = &self.metric.hierarchy;
        let [from, to] = [rows.end("source", source)?, rows.end("target", target)?];
        let (distance, fits) = if from.anchor.rank == to.anchor.rank {
            let ends = [source, target].map(|vertex| hierarchy.ranks[vertex as usize]);
            with_arcs!(W, &self.metric.arcs, arcs => near_anchor(hierarchy, arcs, ends).to_cell())
        } else {
            rows.prefetch(from, to);
            rows.key(hierarchy, from, to).to_cell()
        };
        if fits { Ok(distance) } else { Err(too_far::<W::Distance>(source, target)) }
    }
}

/// One distance. Compiled for AVX2 too, which has registers of 32 bytes and a minimum of integers.
#[multiversion(targets("x86_64+avx2"))]
fn find_one<W: Weight, S: Key>(
    labels: &Labels<W>,
    rows: &Rows<S>,
    source: VertexId,
    target: VertexId,
) -> Result<W::Distance, HierarchyError> {
    labels.find_in(rows, source, target)
}

/// The distances of pairs. What those after one need is prefetched meanwhile.
#[multiversion(targets("x86_64+avx2"))]
fn find_each<W: Weight, S: Key>(
    labels: &Labels<W>,
    rows: &Rows<S>,
    pairs: &[(VertexId, VertexId)],
) -> Result<Vec<W::Distance>, HierarchyError> {
    let mut found = Vec::with_capacity(pairs.len());
    for (place, &(source, target)) in pairs.iter().enumerate() {
        if let Some(&(source, target)) = pairs.get(place + ENDS_AHEAD) {
            prefetch(&rows.ends, source as usize);
            prefetch(&rows.ends, target as usize);
        }
        if let Some(&(source, target)) = pairs.get(place + LABELS_AHEAD) {
            let end = |vertex: VertexId| rows.ends.get(vertex as usize);
            if let (Some(from), Some(to)) = (end(source), end(target)) {
                rows.prefetch(from, to);
            }
        }
        found.push(labels.find_in(rows, source, target)?);
    }
    Ok(found)
}

impl<S: Key> Rows<S> {
    /// Those of a hierarchy with arcs; none where `narrow` has none for a key.
    fn of<K: Key>(
        hierarchy: &Hierarchy,
        arcs: &Arcs<K>,
        narrow: impl Fn(K) -> Option<S> + Sync,
    ) -> Result<Option<Self>, HierarchyError> {
        let shape = Shape::of(hierarchy, arcs);
        let bytes = shape.bytes::<S>();
        ensure_granted(bytes + bytes_of_making::<K>(hierarchy, &shape))
            .map_err(|_| HierarchyError::LabelsTooLarge { bytes: (bytes as u128).into() })?;
        let mut keys = in_large_pages(vec![S::ZERO; shape.n_keys()]);
        let all_fit = match shape.n_directions {
            1 => make::<_, _, 1>(hierarchy, arcs, &shape, &narrow, &mut keys),
            _ => make::<_, _, 2>(hierarchy, arcs, &shape, &narrow, &mut keys),
        };
        let to_anchors = to_anchors(hierarchy, arcs, &shape.anchors);
        let end = |&rank: &u32| {
            let anchor = shape.anchors[rank as usize];
            let [up, down] = to_anchors[rank as usize];
            let keys = [narrow(up)?, narrow(down)?];
            let depth = usize::from(hierarchy.depths[anchor as usize]);
            let starts = [UP, DOWN].map(|direction| shape.start(anchor, depth, direction));
            Some(End { starts, anchor: Place::of(anchor, &hierarchy.depths), keys })
        };
        let ends = hierarchy.ranks.par_iter().map(end).collect::<Option<Vec<_>>>();
        let Some(ends) = ends.filter(|_| all_fit) else { return Ok(None) };
        let least_depths = LeastDepths::of(&hierarchy.depths);
        let shape = Arc::new(shape);
        Ok(Some(Self { ends: ends.into(), keys: keys.into(), shape, least_depths }))
    }

    fn end(&self, role: &'static str, vertex: VertexId) -> Result<&End<S>, HierarchyError> {
        let n_vertices = self.ends.len();
        let end = self.ends.get(vertex as usize);
        end.ok_or(HierarchyError::NoSuchVertex { role, vertex, n_vertices })
    }

    /// Has the labels of two ends fetched.
    #[inline(always)]
    fn prefetch(&self, from: &End<S>, to: &End<S>) {
        for start in [from.starts[UP], to.starts[DOWN]] {
            (0..KEYS_AHEAD).step_by(16).for_each(|key| prefetch(&self.keys, start + key));
        }
    }

    /// How many ancestors two ends of different anchors have in common.
    #[inline(always)]
    fn n_common(&self, hierarchy: &Hierarchy, from: &End<S>, to: &End<S>) -> usize {
        self.least_depths.n_common(&hierarchy.depths, &from.anchor, &to.anchor)
    }

    /// The distance between two ends of different anchors.
    #[inline(always)]
    fn key(&self, hierarchy: &Hierarchy, from: &End<S>, to: &End<S>) -> S {
        let n_common = self.n_common(hierarchy, from, to);
        let [one, other] =
            [from.starts[UP], to.starts[DOWN]].map(|start| &self.keys[start..][..n_common]);
        // each sum of two can be held
        let to_anchor = from.keys[UP].add(least_sum(one, other)).min(S::UNREACHED);
        to_anchor.add(to.keys[DOWN])
    }
}

/// The distance between two ranks of the same anchor: the way along their dead ends.
fn near_anchor<K: Key>(hierarchy: &Hierarchy, arcs: &Arcs<K>, [from, to]: [u32; 2]) -> K {
    let (mut ends, mut keys) = ([from, to], [K::ZERO; 2]);
    while ends[UP] != ends[DOWN] {
        let direction = if ends[UP] < ends[DOWN] { UP } else { DOWN };
        let rank = ends[direction];
        let arc = arcs.keys[hierarchy.row(rank).start][direction];
        keys[direction] = keys[direction].add(arc).min(K::UNREACHED);
        ends[direction] = hierarchy.parents[rank as usize];
    }
    keys[UP].add(keys[DOWN])
}

/// The least sum of two numbers at the same place.
#[inline(always)]
fn least_sum<S: Key>(one: &[S], other: &[S]) -> S {
    let sums = one.iter().zip(other).map(|(&one, &other)| one.add(other));
    sums.fold(S::UNREACHED, S::min)
}
