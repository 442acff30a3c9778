//! The numbers in which lengths of paths are added up.
//!
//! A bound on the length of all paths says which are wide enough: no sum wraps, without a check at
//! each. Integers take 32 bits where all fit, else 64, or 128 where the weights are so large that a
//! sum may leave 64. Floats of both types take `f64`, in which a sum beyond its range is no path.

use bytemuck::{Pod, cast_slice};
use graph_formats::{Csr, Distance, Weight, WeightKind, parallel};

use crate::HierarchyError;

/// As many vertices are worth another thread.
const VERTICES_PER_TASK: usize = 1 << 13;

/// A length, of at least zero.
pub(crate) trait Key: Pod + PartialOrd + Send + Sync {
    const ZERO: Self;
    /// No path. The sum of two of these can be held, and is no path either.
    const UNREACHED: Self;
    /// The weight of an arc, which fits and is not negative.
    fn of_weight<U: Weight>(weight: U) -> Self;
    fn add(self, other: Self) -> Self;
    /// An upper bound on the keys of all distances up to this one; `None` if there are none.
    fn at_most<D: Distance>(distance: D) -> Option<Self>;
    /// The sum of those that are reached; 0 of floats.
    fn sum<const N: usize>(keys: &[Self; N]) -> u128;
    /// The integer that it is; 0 of floats.
    fn to_integer(self) -> u128;
    /// The distance of a path; none where its type cannot hold it.
    fn to_distance<D: Distance>(self) -> Option<D>;

    /// What storage has for it, without a path too; and whether its type can hold it. Vector
    /// instructions are made of this form.
    #[inline(always)]
    fn to_cell<D: Distance>(self) -> (D, bool) {
        match self.to_distance() {
            _ if self >= Self::UNREACHED => (D::UNREACHED, true),
            Some(distance) => (distance, true),
            None => (D::UNREACHED, false),
        }
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
}

macro_rules! integer_key {
    ($($t:ty, $wide:ty);*) => {$(
        impl Key for $t {
            const ZERO: Self = 0;
            const UNREACHED: Self = <$t>::MAX / 2;
            #[inline(always)]
            fn of_weight<U: Weight>(weight: U) -> Self { weight.to_i128().unwrap_or(0) as Self }
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn sum<const N: usize>(keys: &[Self; N]) -> u128 {
                let reached = |&key: &$t| if key < <$t as Key>::UNREACHED { key as $wide } else { 0 };
                keys.iter().map(reached).sum::<$wide>() as u128
            }
            fn at_most<D: Distance>(distance: D) -> Option<Self> {
                let greatest = <$t>::MAX / 2 - 1;
                let distance = distance.to_i128().filter(|&distance| distance >= 0)?;
                Some(<$t>::try_from(distance).map_or(greatest, |key| Ord::min(key, greatest)))
            }
            fn to_integer(self) -> u128 { self as u128 }
            #[inline(always)]
            fn to_distance<D: Distance>(self) -> Option<D> {
                D::from_i128(self as i128).filter(|&d| d != D::UNREACHED)
            }
        }
    )*};
}

integer_key!(u32, u64; u64, u128; u128, u128);

impl Key for f64 {
    const ZERO: Self = 0.0;
    const UNREACHED: Self = f64::INFINITY;
    #[inline(always)]
    fn of_weight<U: Weight>(weight: U) -> Self {
        weight.to_f64()
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self + other
    }
    fn sum<const N: usize>(_: &[Self; N]) -> u128 {
        0
    }
    fn at_most<D: Distance>(distance: D) -> Option<Self> {
        // the nearest distance may be less than the key
        let key = distance.to_f64() * (1.0 + f64::from(f32::EPSILON));
        (key >= 0.0).then_some(key.min(f64::MAX))
    }
    fn to_integer(self) -> u128 {
        0
    }
    #[inline(always)]
    fn to_distance<D: Distance>(self) -> Option<D> {
        D::from_f64(self)
    }
}

/// The weights of a graph, none of them negative: one for each arc, or one for all. Integers are
/// unsigned, so that code is the same for signed ones.
#[derive(Clone, Copy)]
pub(crate) struct Weights<'g, U>(&'g [U]);

impl<'g, U: Weight> Weights<'g, U> {
    /// Those of a graph that [`KeyKind::of`] does not refuse.
    pub(crate) fn of<W: Weight<Unsigned = U>>(graph: &'g Csr<W>) -> Self {
        Self(cast_slice(graph.stored_weights()))
    }

    /// The same of all arcs.
    pub(crate) fn of_all<W: Weight<Unsigned = U>>(weights: &'g [W]) -> Self {
        Self(cast_slice(weights))
    }

    /// That of an arc.
    #[inline(always)]
    pub(crate) fn of_arc(self, arc: usize) -> U {
        match self.0 {
            [all] => *all,
            each => each[arc],
        }
    }
}

/// The type of keys that the weights of a graph ask for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum KeyKind {
    U32,
    U64,
    U128,
    F64,
}

impl KeyKind {
    /// The narrowest that holds all lengths, and a bound on these. In parallel; O(n + m).
    pub(crate) fn of<W: Weight>(graph: &Csr<W>) -> Result<(Self, f64), HierarchyError> {
        if let Some((arc, from, to)) = graph.first_negative() {
            let weight = graph.weight(arc).to_string();
            return Err(HierarchyError::NegativeWeight { from, to, weight });
        }
        let bound = path_bound(graph.row_offsets(), Weights::of(graph));
        if is_float::<W>() && bound.is_infinite() {
            let greatest = graph.weight_summary().greatest.to_string();
            return Err(HierarchyError::SumsTooLarge { greatest });
        }
        let kind = match bound {
            _ if is_float::<W>() => Self::F64,
            bound if Self::U32.holds(bound) => Self::U32,
            bound if Self::U64.holds(bound) => Self::U64,
            _ => Self::U128,
        };
        Ok((kind, bound))
    }

    /// Whether it holds all lengths up to this bound.
    pub(crate) fn holds(self, bound: f64) -> bool {
        match self {
            Self::U32 => bound < f64::from(<u32 as Key>::UNREACHED),
            Self::U64 => bound < <u64 as Key>::UNREACHED as f64,
            Self::U128 => true,
            Self::F64 => bound.is_finite(),
        }
    }
}

/// Whether weights or distances of a type are floats: for conditions that are known when they are
/// compiled, so that nothing is compiled for keys that they never take.
pub(crate) const fn is_float<W: Weight>() -> bool {
    matches!(W::KIND, WeightKind::F32 | WeightKind::F64)
}

/// A bound on the length of every path without cycles, which leaves each vertex once. No number of
/// vertices makes rounding matter, for the bound is compared with a power of two and raised by more
/// than that. Vertices are added up in parts of one size, whatever the number of threads.
fn path_bound<U: Weight>(row_offsets: &[u64], weights: Weights<'_, U>) -> f64 {
    let greatest = |row: &[u64]| {
        let weights = (row[0] as usize..row[1] as usize).map(|arc| weights.of_arc(arc).to_f64());
        weights.fold(0.0, f64::max)
    };
    let n = row_offsets.len() - 1;
    let starts: Vec<usize> = (0..n).step_by(VERTICES_PER_TASK).collect();
    let sums = parallel::map_of(starts, &|first| {
        let end = n.min(first + VERTICES_PER_TASK);
        row_offsets[first..=end].windows(2).map(greatest).sum::<f64>()
    });
    sums.into_iter().sum::<f64>() * (1.0 + 1e-6)
}
