//! Adds up the distances of every vertex, for measures of centrality.
//!
//! What a [pass](Sweep) finds is added where it lies, sixteen sources to a vertex at a time, and
//! never brought into rows. Threads take groups of sources, whose totals are added in the order of
//! the groups, so that floats are the same on any number of threads. O(n + arcs of the hierarchy)
//! for sixteen sources, and 64 bytes a vertex for each thread.
//!
//! Reference: delling-2011

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use graph_formats::{Distance, Interrupted, VertexId, Weight, ensure_granted, parallel, tell};
use paths::{FloatSum, Progress};

use super::{LANES, Sweep};
use crate::HierarchyError;
use crate::metric::arcs::Arcs;
use crate::metric::key::{Key, is_float};
use crate::metric::lengths::too_far;
use crate::metric::{Metric, with_arcs};
use crate::prepare::hierarchy::Hierarchy;

/// Sources of a group.
const SOURCES_PER_GROUP: usize = 256;

/// The distances of every vertex from some sources, added up. All lists are by vertex, and of those
/// sources only that have a path to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Totals {
    /// The number of sources that have a path to the vertex, which counts itself if it is a source.
    pub n_sources: Vec<u32>,
    /// The sum of the distances, and the greatest of them.
    pub lengths: Lengths,
    /// The sum of the reciprocals of all distances other than zero, as floats.
    pub reciprocals: Vec<f64>,
}

/// Sums of distances by vertex, and the greatest distance; 0 without sources.
#[derive(Clone, Debug, PartialEq)]
pub enum Lengths {
    /// Of integers: exact.
    Integers {
        /// The sums.
        sums: Vec<u128>,
        /// The greatest.
        greatest: Vec<u64>,
    },
    /// Of floats.
    Floats {
        /// The sums.
        sums: Vec<FloatSum>,
        /// The greatest.
        greatest: Vec<f64>,
    },
}

impl Lengths {
    /// Checks that each list has `n_vertices` entries, of integers or floats. The error is the
    /// length of the first that differs.
    fn check(&self, n_vertices: usize, is_integer: bool) -> Result<(), usize> {
        let (sums, greatest) = match self {
            Self::Integers { sums, greatest } if is_integer => (sums.len(), greatest.len()),
            Self::Floats { sums, greatest } if !is_integer => (sums.len(), greatest.len()),
            _ => (0, 0),
        };
        [sums, greatest].into_iter().find(|&found| found != n_vertices).map_or(Ok(()), Err)
    }
}

impl Totals {
    /// The totals of no sources, for distances of weights of type `W`. O(n).
    pub fn new<W: Weight>(n_vertices: usize) -> Self {
        let lengths = if is_float::<W>() {
            let sums = vec![FloatSum::default(); n_vertices];
            Lengths::Floats { sums, greatest: vec![0.0; n_vertices] }
        } else {
            Lengths::Integers { sums: vec![0; n_vertices], greatest: vec![0; n_vertices] }
        };
        Self { n_sources: vec![0; n_vertices], lengths, reciprocals: vec![0.0; n_vertices] }
    }

    /// An error unless all lists have an entry for each vertex.
    pub(crate) fn check(&self, n_vertices: usize, is_integer: bool) -> Result<(), HierarchyError> {
        let lists = [self.n_sources.len(), self.reciprocals.len()];
        let other = lists.into_iter().find(|&found| found != n_vertices).map_or(Ok(()), Err);
        other.and(self.lengths.check(n_vertices, is_integer)).map_err(|found| {
            let (what, expected) = ("totals", n_vertices);
            HierarchyError::NotAllVertices { what, expected, found }
        })
    }

    /// Adds those of a group, which are by rank.
    fn add(&mut self, ranks: &[u32], group: &[Sums]) {
        for (vertex, &rank) in ranks.iter().enumerate() {
            let own = &group[rank as usize];
            self.n_sources[vertex] += own.n_sources;
            self.reciprocals[vertex] += own.reciprocals;
            match &mut self.lengths {
                Lengths::Integers { sums, greatest } => {
                    sums[vertex] += own.exact_sum;
                    greatest[vertex] = Ord::max(greatest[vertex], own.greatest);
                }
                Lengths::Floats { sums, greatest } => {
                    sums[vertex] += own.sum;
                    greatest[vertex] = greatest[vertex].max(f64::from_bits(own.greatest));
                }
            }
        }
    }
}

impl<W: Weight> Metric<W> {
    pub(crate) fn find_totals(
        &self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<Totals, HierarchyError> {
        let (hierarchy, ranks) = (&self.hierarchy, self.hierarchy.ranks_of("source", sources)?);
        let mut totals = Totals::new::<W>(self.hierarchy.n_vertices());
        let done = AtomicUsize::new(0);
        let tell = |n_sources: usize| {
            let done = done.fetch_add(n_sources, Relaxed) + n_sources;
            tell(progress, done as u64, sources.len() as u64)
        };
        // no more groups at a time than there are threads, which bounds the memory
        let n_groups = rayon::current_num_threads();
        ensure_granted(n_groups * hierarchy.n_vertices() * size_of::<Sums>())?;
        for groups in ranks.chunks(SOURCES_PER_GROUP * n_groups) {
            let groups = groups.chunks(SOURCES_PER_GROUP).collect();
            let groups = with_arcs!(W, &self.arcs, arcs => parallel::try_map_of(groups, &|sources| {
                group::<W::Distance, _>(hierarchy, arcs, sources, &tell)
            }));
            groups?.iter().for_each(|group| totals.add(&hierarchy.ranks, group));
        }
        Ok(totals)
    }
}

/// The totals of some sources by rank.
fn group<D: Distance, K: Key>(
    hierarchy: &Hierarchy,
    arcs: &Arcs<K>,
    sources: &[u32],
    tell: &dyn Fn(usize) -> Result<(), Interrupted>,
) -> Result<Vec<Sums>, HierarchyError> {
    let mut sums = vec![Sums::default(); hierarchy.n_vertices()];
    let mut sweep = Sweep::<K, LANES>::new(hierarchy, arcs);
    for sources in sources.chunks(LANES) {
        let mut farthest = None;
        sweep.pass_by_blocks(sources, |first, found| {
            let ranks = sums[first..first + found.len()].iter_mut().rev();
            for ((sums, keys), back) in ranks.zip(found).zip(1..) {
                if let Err(lane) = sums.add::<D, K>(keys) {
                    farthest = Some((lane, first + found.len() - back));
                }
            }
        });
        if let Some((lane, rank)) = farthest {
            let vertices = &hierarchy.vertices;
            return Err(too_far::<D>(vertices[sources[lane] as usize], vertices[rank]));
        }
        tell(sources.len())?;
    }
    Ok(sums)
}

/// The distances of a vertex from the sources of a group.
#[derive(Clone, Copy, Default)]
struct Sums {
    /// The sum of integers,
    exact_sum: u128,
    /// or of floats.
    sum: FloatSum,
    /// The greatest: an integer, or the bits of a float, which are in the same order.
    greatest: u64,
    reciprocals: f64,
    n_sources: u32,
}

impl Sums {
    /// Adds the distances from sixteen sources; or says of which it overflows its type.
    #[inline(always)]
    fn add<D: Distance, K: Key>(&mut self, keys: &[K; LANES]) -> Result<(), usize> {
        let mut lengths = [0.0; LANES];
        let mut too_far = None;
        for (lane, (length, &key)) in lengths.iter_mut().zip(keys).enumerate() {
            let is_reached = key < K::UNREACHED;
            self.n_sources += u32::from(is_reached);
            match key.to_distance::<D>() {
                _ if !is_reached => {}
                Some(distance) => *length = distance.to_f64(),
                None => too_far = Some(lane),
            }
        }
        self.reciprocals += sum(lengths.map(|l| if l > 0.0 { 1.0 / l } else { 0.0 }));
        let greatest = if is_float::<D>() {
            match sum(lengths) {
                sum if sum < f64::INFINITY => self.sum += sum.into(),
                _ => lengths.into_iter().for_each(|length| self.sum += length.into()),
            }
            lengths.into_iter().fold(0.0, f64::max).to_bits()
        } else {
            self.exact_sum += K::sum(keys);
            let reached = keys.map(|key| if key < K::UNREACHED { key } else { K::ZERO });
            reached.into_iter().fold(K::ZERO, K::max).to_integer() as u64
        };
        self.greatest = Ord::max(self.greatest, greatest);
        too_far.map_or(Ok(()), Err)
    }
}

/// The sum, by halves: vector instructions add lane to lane.
#[inline(always)]
fn sum(values: [f64; LANES]) -> f64 {
    let eight: [f64; 8] = std::array::from_fn(|i| values[i] + values[i + 8]);
    let four: [f64; 4] = std::array::from_fn(|i| eight[i] + eight[i + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}
