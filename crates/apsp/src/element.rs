//! What a number of the matrix is: how it is added and compared, and how weights and distances
//! are encoded in it.
//!
//! The compiler does not name all places where a new number goes; tests run `Number::ALL`.
//! * Here: a variant of [`Number`], an [`Element`], its pattern in `with_element!`.
//! * `width.rs` and `plan.rs`: when it is chosen. `host/min_plus/`: kernels in `mod.rs`, `x86.rs`.
//! * For a GPU, `cuda/`: a variant of `Arithmetic` in `arithmetic.rs`. Layouts in `arcs.rs`,
//!   `folder.rs` and `supernodes/layout.rs`, which test for 2 bytes. Modules in
//!   `supernodes/kernels.rs`.
//! * For a GPU, the crate `kernels`: `apsp/element.cuh`, `modules.toml`, `src/lib.rs`.

use std::fmt;

use bytemuck::Pod;
use graph_formats::{Csr, Distance, DistanceKey, VertexId, Weight, WeightKind};

/// A number that Floyd-Warshall adds and compares: `u16`, `i32`, `i64`, `f32` or `f64`, each of
/// them a [`Number`].
pub(crate) trait Element: Pod + PartialOrd + Send + Sync {
    /// The distance of a vertex from itself.
    const ZERO: Self;
    /// Stands for no path. Added to anything, it gives no distance; twice it does not overflow.
    ///
    /// In 16 bits it is also the greatest number of a matrix. Weights are encoded as at most this
    /// number, and relaxing only lowers numbers, so no sum overflows. A distance below it is the sum
    /// of numbers below it, which are exact. So each number of the closed matrix is the distance,
    /// or this number if the distance is greater.
    const INFINITE: Self;

    fn plus(self, other: Self) -> Self;

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    /// The number of a weight or of a distance. One that is too large is no arc: it is on no shortest
    /// path, or the plan would have wider numbers, or the matrix is looked at when it is closed.
    fn encode<W: Weight>(weight: W) -> Self;

    /// The distance of a number: [`Distance::UNREACHED`] where an infinite one was added to.
    fn decode<D: Distance>(self) -> D;
}

impl Element for u16 {
    const ZERO: Self = 0;
    const INFINITE: Self = Self::MAX / 2;

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    fn encode<W: Weight>(weight: W) -> Self {
        let number = weight.to_i128().and_then(|weight| Self::try_from(weight).ok());
        number.unwrap_or(Self::INFINITE).min(Self::INFINITE)
    }

    fn decode<D: Distance>(self) -> D {
        if self == Self::INFINITE {
            return D::UNREACHED;
        }
        D::from_key(DistanceKey::from_u64(self.into()))
    }
}

macro_rules! integer_element {
    ($($number:ty),*) => {$(
        impl Element for $number {
            const ZERO: Self = 0;
            const INFINITE: Self = Self::MAX / 2;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn encode<W: Weight>(weight: W) -> Self {
                let number = weight.to_i128().and_then(|weight| Self::try_from(weight).ok());
                number.unwrap_or(Self::INFINITE).min(Self::INFINITE)
            }

            fn decode<D: Distance>(self) -> D {
                // an arc of negative weight may have been added to what stands for no path
                let distance = D::from_i128(self.into()).filter(|_| self < Self::INFINITE / 2);
                distance.unwrap_or(D::UNREACHED)
            }
        }
    )*};
}

macro_rules! float_element {
    ($($number:ty),*) => {$(
        impl Element for $number {
            const ZERO: Self = 0.0;
            const INFINITE: Self = Self::INFINITY;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }

            fn encode<W: Weight>(weight: W) -> Self {
                // no zero of a matrix has a sign: sums have none then, and bits compare
                (weight.to_f64() + 0.0) as Self
            }

            fn decode<D: Distance>(self) -> D {
                D::from_f64(self.into()).unwrap_or(D::UNREACHED)
            }
        }
    )*};
}

integer_element!(i32, i64);
float_element!(f32, f64);

/// What Floyd-Warshall adds and compares in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// 16 bits, for distances below 32,767 of weights that are not negative.
    U16,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// Single-precision floats.
    F32,
    /// Double-precision floats.
    F64,
}

impl Number {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::U16, Self::I32, Self::I64, Self::F32, Self::F64];

    /// Whether these hold all that `others` do: the same, or wider integers.
    pub(crate) fn hold(self, others: Self) -> bool {
        let wider =
            matches!((others, self), (Self::U16, Self::I32 | Self::I64) | (Self::I32, Self::I64));
        self == others || wider
    }

    /// What an entry of the matrix takes, in parts of one of 32 bits.
    pub(crate) fn cost(self) -> f64 {
        match self {
            Self::U16 => 0.5,
            Self::I32 => 1.0,
            Self::F32 => 1.5,
            Self::I64 | Self::F64 => 3.0,
        }
    }

    /// Those of this name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|number| number.to_string() == name)
    }
}

/// Whether weights of this kind are floats: for conditions that are known when they are
/// compiled, so that nothing is compiled for numbers that weights of a type never take.
pub(crate) const fn is_float(kind: WeightKind) -> bool {
    matches!(kind, WeightKind::F32 | WeightKind::F64)
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::U16 => "u16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        })
    }
}

/// Writes row `u` of the matrix of a graph's arcs, of parallel ones the shortest: no path to where
/// none leads, nor to and from what is no vertex of it.
pub(crate) fn write_row<W: Weight, E: Element>(graph: &Csr<W>, u: usize, row: &mut [E]) {
    row.fill(E::INFINITE);
    row[u] = E::ZERO;
    let arcs = (u < graph.n_vertices()).then(|| graph.arcs_from(u as VertexId));
    for (v, weight) in arcs.into_iter().flatten() {
        let known = &mut row[v as usize];
        *known = known.smaller(E::encode(weight));
    }
}

/// An expression with a type for what a matrix is of, which `$number` names: of the types that
/// weights of `$W` may take, so that it is compiled for no others, or of all.
macro_rules! with_element {
    ($W:ty, $number:expr, $E:ident => $body:expr) => {
        if const { $crate::element::is_float(<$W as graph_formats::Weight>::KIND) } {
            $crate::element::with_element!(@of $number, $E => $body; F32 f32, _ f64)
        } else {
            $crate::element::with_element!(@of $number, $E => $body; U16 u16, I32 i32, _ i64)
        }
    };
    ($number:expr, $E:ident => $body:expr) => {
        $crate::element::with_element!(
            @of $number, $E => $body; U16 u16, I32 i32, I64 i64, F32 f32, F64 f64
        )
    };
    (@of $number:expr, $E:ident => $body:expr; $($name:tt $type:ty),*) => {
        match $number {
            $($crate::element::with_element!(@pattern $name) => {
                type $E = $type;
                $body
            })*
        }
    };
    (@pattern _) => { _ };
    (@pattern $name:ident) => { $crate::Number::$name };
}
pub(crate) use with_element;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_no_path() {
        assert_eq!(u16::encode(32_766u32), 32_766);
        assert_eq!(u16::encode(32_768i64), u16::INFINITE);
        assert_eq!(u16::encode(-1), u16::INFINITE);
        assert_eq!(i32::encode(u64::MAX), i32::INFINITE);
        assert_eq!(i32::encode(-7i64), -7);
        assert_eq!(i32::INFINITE.plus(-9).decode::<i64>(), i64::UNREACHED);
        assert_eq!(u16::INFINITE.decode::<u64>(), u64::UNREACHED);
        assert_eq!(f32::encode(f64::INFINITY).decode::<f64>(), f64::UNREACHED);
    }

    #[test]
    fn distances_come_back() {
        fn comes_back<E: Element, D: Distance>(distance: D) {
            assert_eq!(E::encode(distance).decode::<D>(), distance);
        }
        for number in Number::ALL {
            with_element!(number, E => {
                comes_back::<E, u64>(1234);
                comes_back::<E, u64>(u64::UNREACHED);
            });
        }
        comes_back::<i64, _>(-1i64 << 40);
        comes_back::<f64, _>(-0.25);
        comes_back::<f32, _>(f32::INFINITY);
        assert!(f32::encode(-0.0f32).is_sign_positive());
    }
}
