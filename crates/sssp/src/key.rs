//! Arithmetic on keys: integers that order as distances do.
//!
//! A solver for nonnegative weights works on the keys of distances ([`DistanceKey`]). It compares
//! integers for every weight type, and several threads may lower one key at a time. [`FullKeys`] is
//! correct for every weight type; [`U32Keys`] halves the memory traffic if all distances provably
//! fit. Keys on a GPU may have 32 bits too: a kernel detects a sum that does not fit, and keys may
//! be the bits of `f32`.

use graph_formats::{Distance, DistanceKey, VertexId, Weight, WeightSummary, parallel};
use search_parts::device::full_key;

/// Keys that one parallel task maps to distances, or distances to keys.
const DISTANCES_PER_TASK: usize = 1 << 14;

/// The arithmetic of path lengths for weights `W`, none of them negative.
pub trait KeyArithmetic<W: Weight>: Send + Sync + 'static {
    /// The key of a vertex.
    type Key: DistanceKey;
    /// 1/Δ.
    type PerDelta: Copy + Send + Sync;

    /// The key of a path with key `key` followed by an arc of weight `weight`; the
    /// greatest key if the sum does not fit.
    fn after(key: Self::Key, weight: W) -> Self::Key;
    /// The key of the distance type for the same distance.
    fn full(key: Self::Key) -> FullKey<W>;
    /// 1/Δ, as [`bucket`](Self::bucket) takes it.
    fn per_delta(delta: f64) -> Self::PerDelta;
    /// The bucket of a key; it never decreases with the key.
    fn bucket(key: Self::Key, per_delta: Self::PerDelta) -> u64;
    /// The greatest key whose distance is at most that of `limit`.
    fn limit_key(limit: FullKey<W>) -> Self::Key;
}

/// The key type of the distances.
pub type FullKey<W> = <<W as Weight>::Distance as Distance>::Key;

/// The keys of all vertices after a search.
pub(crate) enum Keys<'a, K: DistanceKey> {
    Plain(&'a [K]),
    /// Of a search by several threads.
    Shared(&'a [K::Atomic]),
}

impl<K: DistanceKey> Keys<'_, K> {
    /// The key of a vertex.
    #[inline]
    pub(crate) fn get(&self, vertex: VertexId) -> K {
        match self {
            Self::Plain(keys) => keys[vertex as usize],
            Self::Shared(keys) => K::load(&keys[vertex as usize]),
        }
    }

    /// The distances of these keys. O(n).
    pub(crate) fn distances<W, L>(&self) -> Vec<W::Distance>
    where
        W: Weight,
        L: KeyArithmetic<W::Unsigned, Key = K>,
    {
        let distance = |key| W::Distance::from_key(L::full(key));
        match self {
            Self::Plain(keys) => mapped(keys, W::Distance::ZERO, |&key| distance(key)),
            Self::Shared(keys) => mapped(keys, W::Distance::ZERO, |key| distance(K::load(key))),
        }
    }
}

/// The values of a function for `keys` or distances, in place of `zero`.
pub(crate) fn mapped<T: Sync, R: Copy + Send>(
    keys: &[T],
    zero: R,
    of: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let mut values = vec![zero; keys.len()];
    parallel::fill(&mut values, DISTANCES_PER_TASK, &|first, part| {
        for (value, key) in part.iter_mut().zip(&keys[first..]) {
            *value = of(key);
        }
    });
    values
}

/// Keys of the distance type; sums are checked.
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

/// Keys of 32 bits, for integers on the CPU, in graphs whose [`distance_bound`] fits.
pub struct U32Keys;

impl<W: Weight> KeyArithmetic<W> for U32Keys {
    type Key = u32;
    /// 2^32/Δ.
    type PerDelta = u64;

    #[inline(always)]
    fn after(key: u32, weight: W) -> u32 {
        // cannot wrap: `key` is the length of a simple path, and the bound covers one arc more
        key.wrapping_add(weight.to_i128().unwrap_or(0) as u32)
    }

    #[inline(always)]
    fn full(key: u32) -> FullKey<W> {
        full_key::<W::Distance>(key)
    }

    fn per_delta(delta: f64) -> u64 {
        // no bucket of integers is narrower than 1
        (U32_RANGE / delta.max(1.0)) as u64
    }

    #[inline(always)]
    fn bucket(key: u32, per_delta: u64) -> u64 {
        (u64::from(key) * per_delta) >> u32::BITS
    }

    fn limit_key(limit: FullKey<W>) -> u32 {
        // the greatest key means unreached
        limit.to_u64().min(u64::from(u32::MAX - 1)) as u32
    }
}

/// A bound on the sums that a solver computes, for a path and one more arc:
/// min((n − 1)·max w, Σ w) + max w. Exact up to 2^53; above, never less than 2^53. `None` with
/// negative weights.
pub fn distance_bound<W: Weight>(n_vertices: usize, weights: &WeightSummary<W>) -> Option<f64> {
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

    #[test]
    fn narrow_keys_stand_for_distances() {
        let distance = |key| u64::from_key(<U32Keys as KeyArithmetic<u32>>::full(key));
        assert_eq!([distance(7), distance(u32::MAX)], [7, u64::UNREACHED]);
        let limit = |limit: u64| <U32Keys as KeyArithmetic<u32>>::limit_key(limit.to_key());
        assert_eq!([limit(0), limit(u64::UNREACHED)], [0, u32::MAX - 1]);
    }

    #[test]
    fn narrow_keys_are_in_the_buckets_of_their_distances() {
        for delta in [0.5f64, 1.0, 3.0, 128.0, 5000.0, 1e6, 1e30] {
            let per_delta = <U32Keys as KeyArithmetic<u32>>::per_delta(delta);
            let mut last = 0;
            for key in (0..1000).chain((0..1000).map(|i| u32::MAX - 1 - 4_000_000 * (999 - i))) {
                let bucket = <U32Keys as KeyArithmetic<u32>>::bucket(key, per_delta);
                let exact = f64::from(key) / delta.max(1.0);
                assert!(last <= bucket, "ascending");
                assert!(bucket as f64 <= exact && exact < bucket as f64 + 2.0 + exact / 1e3);
                last = bucket;
            }
        }
    }
}
