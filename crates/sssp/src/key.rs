//! How the solvers add weights up: keys that order as distances do.
//!
//! A solver for weights of at least zero works on the keys of distances
//! ([`DistanceKey`]): it compares integers whatever the weights are, and several
//! threads may lower one key at a time. [`FullKeys`] is right for every weight type;
//! [`U32Keys`] halves the memory traffic where a proof allows it. On a GPU keys are narrow too:
//! there a kernel tells where a sum does not fit, and they may be the bits of `f32`.

use graph_formats::{Distance, DistanceKey, VertexId, Weight, WeightSummary, parallel};
use search_parts::device::full_key;

/// Distances that a task makes of labels.
const DISTANCES_PER_TASK: usize = 1 << 14;

/// The arithmetic of path lengths for weights `W`, none of them negative.
pub trait KeyArithmetic<W: Weight>: Send + Sync + 'static {
    /// What a vertex is labelled with.
    type Key: DistanceKey;
    /// 1/Δ.
    type PerDelta: Copy + Send + Sync;

    /// The key of a path with key `key` followed by an arc of weight `weight`; the
    /// greatest key when the sum cannot be held.
    fn after(key: Self::Key, weight: W) -> Self::Key;
    /// The key of the distance that a key stands for.
    fn full(key: Self::Key) -> FullKey<W>;
    /// 1/Δ, as [`bucket`](Self::bucket) takes it.
    fn per_delta(delta: f64) -> Self::PerDelta;
    /// The bucket of a key; never less for a greater key.
    fn bucket(key: Self::Key, per_delta: Self::PerDelta) -> u64;
    /// The greatest key whose distance is at most that of `limit`.
    fn limit_key(limit: FullKey<W>) -> Self::Key;
}

/// The key of a distance.
pub(crate) type FullKey<W> = <<W as Weight>::Distance as Distance>::Key;

/// What a search has left for each vertex.
pub(crate) enum Labels<'a, K: DistanceKey> {
    Plain(&'a [K]),
    /// Threads have lowered them together.
    Shared(&'a [K::Atomic]),
}

impl<K: DistanceKey> Labels<'_, K> {
    /// The key of a vertex.
    #[inline]
    pub(crate) fn get(&self, vertex: VertexId) -> K {
        match self {
            Self::Plain(labels) => labels[vertex as usize],
            Self::Shared(labels) => K::load(&labels[vertex as usize]),
        }
    }

    /// The distances that they stand for. O(n).
    pub(crate) fn distances<W, L>(&self) -> Vec<W::Distance>
    where
        W: Weight,
        L: KeyArithmetic<W::Unsigned, Key = K>,
    {
        let distance = |key| W::Distance::from_key(L::full(key));
        match self {
            Self::Plain(labels) => mapped(labels, |&label| distance(label)),
            Self::Shared(labels) => mapped(labels, |label| distance(K::load(label))),
        }
    }
}

/// What each label becomes.
fn mapped<T: Sync, D: Distance>(labels: &[T], distance: impl Fn(&T) -> D + Sync) -> Vec<D> {
    let mut distances = vec![D::ZERO; labels.len()];
    parallel::fill(&mut distances, DISTANCES_PER_TASK, &|first, part| {
        for (cell, label) in part.iter_mut().zip(&labels[first..]) {
            *cell = distance(label);
        }
    });
    distances
}

/// Sums in the distance type, checked.
pub struct FullKeys;

impl<W: Weight> KeyArithmetic<W> for FullKeys {
    type Key = FullKey<W>;
    type PerDelta = f64;

    #[inline(always)]
    fn after(key: Self::Key, weight: W) -> Self::Key {
        match weight.after(W::Distance::from_key(key)) {
            Some(distance) => distance.to_key(),
            None => Self::Key::GREATEST,
        }
    }

    #[inline(always)]
    fn full(key: FullKey<W>) -> FullKey<W> {
        key
    }

    fn per_delta(delta: f64) -> f64 {
        1.0 / delta
    }

    #[inline(always)]
    fn bucket(key: Self::Key, per_delta: f64) -> u64 {
        (W::Distance::from_key(key).to_f64() * per_delta) as u64
    }

    fn limit_key(limit: FullKey<W>) -> FullKey<W> {
        limit
    }
}

/// 2^32.
const U32_RANGE: f64 = 4_294_967_296.0;

/// Keys of 32 bits. The CPU adds integers in them, on graphs whose [`distance_bound`] fits.
pub struct U32Keys;

impl<W: Weight> KeyArithmetic<W> for U32Keys {
    type Key = u32;
    /// In parts of 2^32.
    type PerDelta = u64;

    #[inline(always)]
    fn after(key: u32, weight: W) -> u32 {
        // cannot wrap: `key` is the length of a simple path or `U32Keys` was not chosen,
        // and the bound covers one arc more
        key.wrapping_add(weight.to_i128().unwrap_or(0) as u32)
    }

    #[inline(always)]
    fn full(key: u32) -> FullKey<W> {
        full_key::<W::Distance>(key)
    }

    fn per_delta(delta: f64) -> u64 {
        // whole distances have none in between
        (U32_RANGE / delta.max(1.0)) as u64
    }

    #[inline(always)]
    fn bucket(key: u32, per_delta: u64) -> u64 {
        (u64::from(key) * per_delta) >> u32::BITS
    }

    fn limit_key(limit: FullKey<W>) -> u32 {
        // the greatest key of all means unreached
        limit.to_u64().min(u64::from(u32::MAX - 1)) as u32
    }
}

/// A bound on the length of every path that a solver can meet, and of one arc more:
/// the lesser of (n − 1)·max w and Σ w, plus max w. Exact up to 2^53, and never below
/// that when it is above. `None` for negative weights.
pub(crate) fn distance_bound<W: Weight>(
    n_vertices: usize,
    weights: &WeightSummary<W>,
) -> Option<f64> {
    if weights.first_negative.is_some() {
        return None;
    }
    let max = weights.greatest.to_f64();
    let by_hops = (n_vertices as f64 - 1.0).max(0.0) * max;
    Some(by_hops.min(weights.sum_of_sizes) + max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance<W: Weight>(key: u32) -> W::Distance {
        W::Distance::from_key(<U32Keys as KeyArithmetic<W>>::full(key))
    }

    fn limit<W: Weight>(limit: W::Distance) -> u32 {
        <U32Keys as KeyArithmetic<W>>::limit_key(limit.to_key())
    }

    #[test]
    fn narrow_keys_stand_for_distances() {
        assert_eq!(distance::<u32>(7), 7u64);
        assert_eq!(distance::<i32>(u32::MAX), i64::UNREACHED);
        assert_eq!(distance::<f32>(2.5f32.to_bits()), 2.5);
        assert_eq!(distance::<f32>(u32::MAX), f32::INFINITY);
        assert_eq!(limit::<u32>(u64::MAX - 1), u32::MAX - 1);
        assert_eq!(limit::<i64>(i64::UNREACHED), u32::MAX - 1);
        assert_eq!(limit::<f32>(1.5), 1.5f32.to_bits());
        assert_eq!(limit::<i32>(0), 0);
    }

    #[test]
    fn narrow_keys_are_in_the_buckets_of_their_distances() {
        type Narrow = U32Keys;
        for delta in [0.5f64, 1.0, 3.0, 128.0, 5000.0, 1e6, 1e30] {
            let per_delta = <Narrow as KeyArithmetic<u32>>::per_delta(delta);
            let mut last = 0;
            for key in (0..1000).chain((0..1000).map(|i| u32::MAX - 1 - 4_000_000 * (999 - i))) {
                let bucket = <Narrow as KeyArithmetic<u32>>::bucket(key, per_delta);
                let exact = f64::from(key) / delta.max(1.0);
                assert!(last <= bucket, "ascending");
                assert!(bucket as f64 <= exact && exact < bucket as f64 + 2.0 + exact / 1e3);
                last = bucket;
            }
        }
    }
}
