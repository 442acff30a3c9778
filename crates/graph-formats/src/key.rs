//! Distances as unsigned integers, for bucket queues and for atomic minima.
//!
//! A distance of at least zero orders as an unsigned integer does: an integer as itself, a float by
//! its bits. Radix heaps index by such a key, and threads lower shared keys with an atomic minimum,
//! which does not exist for floats.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use bytemuck::Pod;

use crate::sealed::Sealed;

/// The order-preserving image of a distance: `u32` or `u64`. The trait is sealed.
///
/// Atomic accesses are relaxed: a key guards no other data, and callers that need an order between
/// accesses use a barrier.
pub trait DistanceKey: Sealed + Pod + Ord + Debug + Default + Send + Sync {
    /// The key of the distance zero.
    const LEAST: Self;
    /// The key of an unreached vertex, greater than every other.
    const GREATEST: Self;
    /// A key that threads share.
    type Atomic: Send + Sync;

    /// The key as an integer.
    fn to_u64(self) -> u64;
    /// The key with this value, which must fit its type.
    fn from_u64(key: u64) -> Self;
    /// A shared key with this value.
    fn atomic(self) -> Self::Atomic;
    /// Reads a shared key.
    fn load(shared: &Self::Atomic) -> Self;
    /// Sets a shared key.
    fn store(shared: &Self::Atomic, key: Self);
    /// Lowers a shared key to `key` if that is less; returns its value before.
    fn fetch_min(shared: &Self::Atomic, key: Self) -> Self;
}

macro_rules! key {
    ($($t:ty, $atomic:ty;)*) => {$(
        impl DistanceKey for $t {
            const LEAST: Self = 0;
            const GREATEST: Self = <$t>::MAX;
            type Atomic = $atomic;
            #[inline(always)]
            fn to_u64(self) -> u64 { u64::from(self) }
            #[inline(always)]
            fn from_u64(key: u64) -> Self { key as Self }
            #[inline(always)]
            fn atomic(self) -> $atomic { <$atomic>::new(self) }
            #[inline(always)]
            fn load(shared: &$atomic) -> Self { shared.load(Relaxed) }
            #[inline(always)]
            fn store(shared: &$atomic, key: Self) { shared.store(key, Relaxed) }
            #[inline(always)]
            fn fetch_min(shared: &$atomic, key: Self) -> Self { shared.fetch_min(key, Relaxed) }
        }
    )*};
}

key! { u32, AtomicU32; u64, AtomicU64; }

#[cfg(test)]
mod tests {
    use crate::Distance;

    #[test]
    fn keys_order_as_distances_do() {
        let ascending = [0.0f32, f32::MIN_POSITIVE, 0.5, 1.0, 1e30, f32::MAX, f32::INFINITY];
        assert!(ascending.windows(2).all(|d| d[0].to_key() < d[1].to_key()));
        assert!(ascending.iter().all(|&d| f32::from_key(d.to_key()) == d));
        let ascending = [0i64, 1, i64::MAX - 1, i64::MAX];
        assert!(ascending.windows(2).all(|d| d[0].to_key() < d[1].to_key()));
        assert!(ascending.iter().all(|&d| i64::from_key(d.to_key()) == d));
    }
}
