//! The types of weights, and sums of distances without wrapping.
//!
//! A distance is kept in a type wide enough for the sum of any simple path: `u64`
//! for `u32` weights, `i64` for `i32`. The 64-bit types and the floats are their own
//! distance type, and every addition to them is checked.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use crate::{ArcChange, Change, ChangeError, Changed, DistanceKey, DynamicGraph, npy, sealed};

/// Names a weight type at run time, as files and reports do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WeightKind {
    /// 32-bit unsigned integers.
    U32,
    /// 32-bit signed integers.
    I32,
    /// 64-bit unsigned integers.
    U64,
    /// 64-bit signed integers.
    I64,
    /// Single-precision floats.
    F32,
    /// Double-precision floats.
    F64,
}

impl WeightKind {
    /// Whether weights are whole numbers.
    pub const fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }

    /// The type of sums of weights.
    pub fn distance(self) -> Self {
        match self {
            Self::U32 | Self::U64 => Self::U64,
            Self::I32 | Self::I64 => Self::I64,
            float => float,
        }
    }

    /// Bytes of a weight.
    pub fn size(self) -> usize {
        match self {
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }
}

impl Display for WeightKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        })
    }
}

/// The length of a path: `u64`, `i64`, `f32` or `f64`. Each is also a weight type, whose sums have
/// the same type.
///
/// Distances have a total order here because NaN never occurs: weights are finite and an
/// addition that leaves the finite range fails.
pub trait Distance: Weight<Distance = Self> + npy::Scalar {
    /// The code that storage uses for "no path": the type's greatest value. It is no distance: a
    /// sum that would reach it overflows.
    const UNREACHED: Self;

    /// An unsigned integer of the same size; see [`Distance::to_key`].
    type Key: DistanceKey;

    /// A key in the order of the distances that are not negative: the integer itself, or a float's
    /// bits. [`Distance::UNREACHED`] has the greatest key.
    fn to_key(self) -> Self::Key;
    /// The distance with this key; [`Distance::UNREACHED`] where the type has none.
    fn from_key(key: Self::Key) -> Self;
}

/// The weight of an arc: `u32`, `i32`, `u64`, `i64`, `f32` or `f64`.
///
/// The trait is sealed. A weight held by a [`Csr`](crate::Csr) or a
/// [`Coo`](crate::Coo) is never NaN nor infinite.
///
/// ```
/// use graph_formats::Weight;
///
/// assert_eq!(7u32.after(u64::from(u32::MAX)), Some(u64::from(u32::MAX) + 7));
/// assert_eq!(1u64.after(u64::MAX - 1), None); // an overflow, not a wrap
/// assert_eq!((-4i32).after(3), Some(-1));
/// ```
pub trait Weight:
    sealed::Sealed
    + bytemuck::Pod
    + PartialOrd
    + Default
    + Debug
    + Display
    + FromStr
    + Send
    + Sync
    + 'static
{
    /// The type of sums of these weights.
    type Distance: Distance;
    /// The type that has the same bits for every weight of at least zero: the unsigned integer of
    /// the same width, or the float itself. Its distances have the same keys.
    type Unsigned: Weight<Distance: Distance<Key = <Self::Distance as Distance>::Key>>;

    /// This type's name at run time.
    const KIND: WeightKind;
    /// The weight of an arc that costs nothing, and the distance of a vertex from itself.
    const ZERO: Self;
    /// The weight of every arc of an unweighted graph.
    const ONE: Self;

    /// The length of a path of length `distance` followed by this arc; `None` when
    /// the distance type cannot hold it.
    fn after(self, distance: Self::Distance) -> Option<Self::Distance>;
    /// [`DynamicGraph::check`], whose code is generated here.
    #[doc(hidden)]
    fn check_in(
        graph: &DynamicGraph<Self>,
        changes: &[Change<Self>],
    ) -> Result<Changed<Self>, ChangeError>;
    /// What [`DynamicGraph::make`] and [`DynamicGraph::undo`] do, likewise.
    #[doc(hidden)]
    fn change_in(graph: &mut DynamicGraph<Self>, arcs: &[ArcChange<Self>], n_vertices: usize);
    /// False for NaN and the infinities.
    fn is_finite(self) -> bool;
    /// True below zero (−0.0 is not).
    fn is_negative(self) -> bool;
    /// The order of two weights; neither may be NaN.
    fn order(self, other: Self) -> std::cmp::Ordering;
    /// The nearest `f64`.
    fn to_f64(self) -> f64;
    /// The exact value when the type is an integer, else `None`.
    fn to_i128(self) -> Option<i128>;
    /// The weight with this value, if the type has it exactly (`f32` rounds).
    fn from_f64(value: f64) -> Option<Self>;
    /// The weight with this value, if the type has it exactly (floats round).
    fn from_i128(value: i128) -> Option<Self>;
}

macro_rules! integer_distance {
    ($($t:ty),*) => {$(
        impl sealed::Sealed for $t {}
        impl Distance for $t {
            const UNREACHED: Self = <$t>::MAX;
            type Key = u64;
            #[inline(always)]
            fn to_key(self) -> u64 { if self == <$t>::MAX { u64::MAX } else { self as u64 } }
            #[inline(always)]
            fn from_key(key: u64) -> Self {
                if key < <$t>::MAX as u64 { key as $t } else { <$t>::MAX }
            }
        }
    )*};
}

macro_rules! float_distance {
    ($($t:ty, $key:ty;)*) => {$(
        impl sealed::Sealed for $t {}
        impl Distance for $t {
            const UNREACHED: Self = <$t>::INFINITY;
            type Key = $key;
            #[inline(always)]
            fn to_key(self) -> $key {
                if self == Self::UNREACHED { <$key>::MAX } else { self.to_bits() }
            }
            #[inline(always)]
            fn from_key(key: $key) -> Self {
                if key == <$key>::MAX { Self::UNREACHED } else { Self::from_bits(key) }
            }
        }
    )*};
}

integer_distance!(u64, i64);
float_distance! { f32, u32; f64, u64; }
impl sealed::Sealed for u32 {}
impl sealed::Sealed for i32 {}

macro_rules! integer_weight {
    ($($t:ty, $unsigned:ty, $d:ty, $kind:ident;)*) => {$(
        impl Weight for $t {
            type Distance = $d;
            type Unsigned = $unsigned;
            const KIND: WeightKind = WeightKind::$kind;
            const ZERO: Self = 0;
            const ONE: Self = 1;
            #[inline(always)]
            fn after(self, distance: $d) -> Option<$d> {
                distance.checked_add(<$d>::from(self)).filter(|&d| d != <$d>::MAX)
            }
            fn check_in(
                graph: &DynamicGraph<Self>,
                changes: &[Change<Self>],
            ) -> Result<Changed<Self>, ChangeError> {
                graph.checked(changes)
            }
            fn change_in(
                graph: &mut DynamicGraph<Self>,
                arcs: &[ArcChange<Self>],
                n_vertices: usize,
            ) {
                graph.change(arcs, n_vertices);
            }
            #[inline(always)]
            fn is_finite(self) -> bool { true }
            #[inline(always)]
            #[allow(unused_comparisons)]
            fn is_negative(self) -> bool { self < 0 }
            #[inline(always)]
            fn order(self, other: Self) -> std::cmp::Ordering { self.cmp(&other) }
            fn to_f64(self) -> f64 { self as f64 }
            fn to_i128(self) -> Option<i128> { Some(i128::from(self)) }
            fn from_f64(value: f64) -> Option<Self> {
                // 2^63 and 2^64 are exact in f64 and already out of range
                let whole = value.trunc() == value && value.abs() < 2f64.powi(64);
                if whole { Self::try_from(value as i128).ok() } else { None }
            }
            fn from_i128(value: i128) -> Option<Self> { Self::try_from(value).ok() }
        }
    )*};
}

macro_rules! float_weight {
    ($($t:ty, $kind:ident;)*) => {$(
        impl Weight for $t {
            type Distance = $t;
            type Unsigned = $t;
            const KIND: WeightKind = WeightKind::$kind;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            #[inline(always)]
            fn after(self, distance: $t) -> Option<$t> {
                Some(distance + self).filter(|d| d.is_finite())
            }
            fn check_in(
                graph: &DynamicGraph<Self>,
                changes: &[Change<Self>],
            ) -> Result<Changed<Self>, ChangeError> {
                graph.checked(changes)
            }
            fn change_in(
                graph: &mut DynamicGraph<Self>,
                arcs: &[ArcChange<Self>],
                n_vertices: usize,
            ) {
                graph.change(arcs, n_vertices);
            }
            #[inline(always)]
            fn is_finite(self) -> bool { <$t>::is_finite(self) }
            #[inline(always)]
            fn is_negative(self) -> bool { self < 0.0 }
            #[inline(always)]
            fn order(self, other: Self) -> std::cmp::Ordering {
                // equal for 0.0 and −0.0, unlike total_cmp
                self.partial_cmp(&other).unwrap_or(std::cmp::Ordering::Equal)
            }
            fn to_f64(self) -> f64 { f64::from(self) }
            fn to_i128(self) -> Option<i128> { None }
            fn from_f64(value: f64) -> Option<Self> {
                Some(value as $t).filter(|v| v.is_finite())
            }
            fn from_i128(value: i128) -> Option<Self> { Self::from_f64(value as f64) }
        }
    )*};
}

integer_weight! {
    u32, u32, u64, U32;
    i32, u32, i64, I32;
    u64, u64, u64, U64;
    i64, u64, i64, I64;
}
float_weight! { f32, F32; f64, F64; }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_those_of_the_types() {
        fn check<W: Weight>() {
            let is_integer = W::ZERO.to_i128().is_some();
            assert_eq!(W::KIND.is_integer(), is_integer, "{}", W::KIND);
            assert_eq!(W::KIND.distance(), W::Distance::KIND, "{}", W::KIND);
            assert_eq!(W::KIND.size(), size_of::<W>(), "{}", W::KIND);
            assert_eq!(W::KIND.to_string(), std::any::type_name::<W>());
        }
        check::<u32>();
        check::<i32>();
        check::<u64>();
        check::<i64>();
        check::<f32>();
        check::<f64>();
    }

    #[test]
    fn sums_never_wrap() {
        assert_eq!(u32::MAX.after(0), Some(u64::from(u32::MAX)));
        assert_eq!(1u64.after(u64::MAX - 1), None, "MAX is the code for unreached");
        assert_eq!(1u64.after(u64::MAX - 2), Some(u64::MAX - 1));
        assert_eq!((-1i64).after(i64::MIN), None);
        assert_eq!(f32::MAX.after(f32::MAX), None);
        assert_eq!(f64::MAX.after(1.0), Some(f64::MAX));
    }

    #[test]
    fn conversions_are_exact_or_refused() {
        assert_eq!(u32::from_f64(4294967295.0), Some(u32::MAX));
        assert_eq!(u32::from_f64(4294967296.0), None);
        assert_eq!(u32::from_f64(-1.0), None);
        assert_eq!(u32::from_f64(0.5), None);
        assert_eq!(u64::from_f64(2f64.powi(64)), None);
        assert_eq!(i64::from_f64(f64::NAN), None);
        assert_eq!(f32::from_f64(1e300), None);
        assert_eq!(i32::from_i128(-5), Some(-5));
    }
}
