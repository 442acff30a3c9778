//! The numbers in which lengths of paths are added up.
//!
//! A bound on the length of all paths says which are wide enough: no sum wraps, without a check
//! at each. Integers take 32 bits where all fit, else 64, or 128 where the weights are so large
//! that a sum may leave 64; floats of both types `f64`, in which a sum beyond its range is no path.

use bytemuck::Pod;
use graph_formats::{Csr, Distance, Weight};

/// A length, of at least zero.
pub(crate) trait Key: Pod + PartialOrd + Send + Sync {
    const ZERO: Self;
    /// No path. The sum of two of these can be held, and is no path either.
    const UNREACHED: Self;
    /// The weight of an arc, which fits and is not negative.
    fn of_weight<W: Weight>(weight: W) -> Self;
    fn add(self, other: Self) -> Self;
    /// The distance of a path; none where its type cannot hold it.
    fn to_distance<W: Weight>(self) -> Option<W::Distance>;

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if other < self { other } else { self }
    }
}

macro_rules! integer_key {
    ($($t:ty),*) => {$(
        impl Key for $t {
            const ZERO: Self = 0;
            const UNREACHED: Self = <$t>::MAX / 2;
            #[inline(always)]
            fn of_weight<W: Weight>(weight: W) -> Self { weight.to_i128().unwrap_or(0) as Self }
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn to_distance<W: Weight>(self) -> Option<W::Distance> {
                W::Distance::from_i128(self as i128).filter(|&d| d != W::Distance::UNREACHED)
            }
        }
    )*};
}

integer_key!(u32, u64, u128);

impl Key for f64 {
    const ZERO: Self = 0.0;
    const UNREACHED: Self = f64::INFINITY;
    #[inline(always)]
    fn of_weight<W: Weight>(weight: W) -> Self {
        weight.to_f64()
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn to_distance<W: Weight>(self) -> Option<W::Distance> {
        W::Distance::from_f64(self)
    }
}

/// A bound on the length of every path without cycles, which leaves each vertex once. O(n + m);
/// no number of vertices makes rounding matter, for the bound is compared with a power of two and
/// raised by more than that.
pub(crate) fn path_bound<W: Weight>(graph: &Csr<W>) -> f64 {
    let greatest = |vertex| {
        let weights = graph.row(vertex).map(|arc| graph.weight(arc).to_f64());
        weights.fold(0.0, f64::max)
    };
    graph.vertices().map(greatest).sum::<f64>() * (1.0 + 1e-6)
}
