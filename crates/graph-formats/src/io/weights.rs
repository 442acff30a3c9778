//! The weights of a text file, before it is known which type holds them all.
//!
//! Weights are kept as 64 bits each, with the extremes seen; the type follows at the
//! end. Where all are integers it is the smallest of `u32`, `i32` (if there are
//! negative ones), `u64` and `i64`; with any fraction or exponent it is `f64`.

use super::scan::Fault;
use crate::{Weight, WeightKind};

/// A number as the file writes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    /// An integer from 0 on.
    Natural(u64),
    /// An integer below 0.
    Negative(i64),
    /// Written with a fraction or an exponent; finite.
    Real(f64),
}

impl Number {
    /// The integer ±`size`, where 64 bits hold it.
    #[inline]
    pub(super) fn integer(negative: bool, size: u64) -> Option<Self> {
        if !negative || size == 0 {
            return Some(Self::Natural(size));
        }
        0i64.checked_sub_unsigned(size).map(Self::Negative)
    }

    /// The number with its sign turned, where 64 bits hold it.
    pub(super) fn negated(self) -> Option<Self> {
        match self {
            Self::Natural(size) => Self::integer(true, size),
            Self::Negative(value) => Some(Self::Natural(value.unsigned_abs())),
            Self::Real(value) => Some(Self::Real(-value)),
        }
    }

    /// The value if it is whole, also where it is written with a fraction.
    pub(super) fn whole(self) -> Option<i128> {
        match self {
            Self::Natural(size) => Some(i128::from(size)),
            Self::Negative(value) => Some(i128::from(value)),
            Self::Real(value) => (value.trunc() == value).then_some(value as i128),
        }
    }

    /// The nearest `f64`.
    pub(super) fn to_f64(self) -> f64 {
        match self {
            Self::Natural(size) => size as f64,
            Self::Negative(value) => value as f64,
            Self::Real(value) => value,
        }
    }
}

/// The extremes of some weights, each with the byte where it stands.
#[derive(Clone, Copy, Default)]
pub(super) struct Extremes {
    has_reals: bool,
    /// The least integer below 0, or 0.
    least: (i64, usize),
    /// The greatest integer above 0, or 0.
    greatest: (u64, usize),
}

impl Extremes {
    /// Those of both.
    pub(super) fn merge(self, other: &Self) -> Self {
        Self {
            has_reals: self.has_reals || other.has_reals,
            least: if other.least.0 < self.least.0 { other.least } else { self.least },
            greatest: if other.greatest.0 > self.greatest.0 {
                other.greatest
            } else {
                self.greatest
            },
        }
    }

    /// The smallest type that holds all the weights.
    pub(super) fn kind(&self) -> Result<WeightKind, Fault> {
        let (least, greatest) = (self.least.0, self.greatest.0);
        if self.has_reals {
            Ok(WeightKind::F64)
        } else if least == 0 {
            let fits = u32::try_from(greatest).is_ok();
            Ok(if fits { WeightKind::U32 } else { WeightKind::U64 })
        } else if i64::try_from(greatest).is_err() {
            let message = format!("no integer type holds both the weights {least} and {greatest}");
            Err(Fault::new(self.least.1.max(self.greatest.1), message))
        } else {
            let fits = i32::try_from(least).is_ok() && i32::try_from(greatest).is_ok();
            Ok(if fits { WeightKind::I32 } else { WeightKind::I64 })
        }
    }
}

/// The weights of one piece of a file, in its order.
#[derive(Default)]
pub(super) struct Column {
    /// The bits of `f64` where `floats` is set, else of `i64` where one is negative,
    /// else of `u64`.
    bits: Vec<u64>,
    floats: bool,
    extremes: Extremes,
}

impl Column {
    pub(super) fn with_capacity(n_weights: usize) -> Self {
        Self { bits: Vec::with_capacity(n_weights), ..Self::default() }
    }

    /// Adds the number that stands at byte `at`.
    #[inline]
    pub(super) fn push(&mut self, number: Number, at: usize) {
        const SIGNED_MAX: u64 = i64::MAX as u64;
        let Extremes { least, greatest, .. } = self.extremes;
        let bits = match number {
            Number::Natural(value) => {
                if value > SIGNED_MAX && least.0 < 0 {
                    self.turn_to_floats();
                }
                if value > greatest.0 {
                    self.extremes.greatest = (value, at);
                }
                value
            }
            Number::Negative(value) => {
                if greatest.0 > SIGNED_MAX {
                    self.turn_to_floats();
                }
                if value < least.0 {
                    self.extremes.least = (value, at);
                }
                value as u64
            }
            Number::Real(value) => {
                self.turn_to_floats();
                self.extremes.has_reals = true;
                value.to_bits()
            }
        };
        self.bits.push(if self.floats { number.to_f64().to_bits() } else { bits });
    }

    /// Stores floats from now on: these integers and those to come share no type.
    fn turn_to_floats(&mut self) {
        if !self.floats {
            let floats = (0..self.bits.len()).map(|i| self.stored(i).to_f64().to_bits()).collect();
            (self.bits, self.floats) = (floats, true);
        }
    }

    #[inline]
    fn stored(&self, index: usize) -> Number {
        let bits = self.bits[index];
        if self.floats {
            Number::Real(f64::from_bits(bits))
        } else if self.extremes.least.0 < 0 && (bits as i64) < 0 {
            Number::Negative(bits as i64)
        } else {
            Number::Natural(bits)
        }
    }

    pub(super) fn extremes(&self) -> &Extremes {
        &self.extremes
    }

    /// The weight at `index` as a `W`, which must be a type that holds it; 1 where no
    /// weights were read, for then the graph is unweighted.
    #[inline]
    pub(super) fn get<W: Weight>(&self, index: usize) -> W {
        if self.bits.is_empty() {
            return W::ONE;
        }
        match self.stored(index) {
            Number::Natural(value) => W::from_i128(i128::from(value)),
            Number::Negative(value) => W::from_i128(i128::from(value)),
            Number::Real(value) => W::from_f64(value),
        }
        .expect("the type was chosen or checked to hold every weight read")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(numbers: &[Number]) -> Column {
        let mut column = Column::default();
        numbers.iter().enumerate().for_each(|(at, &number)| column.push(number, at));
        column
    }

    #[test]
    fn the_smallest_type_is_found() {
        use Number::{Natural, Negative, Real};
        let kind = |numbers: &[Number]| column(numbers).extremes().kind().map_err(|f| f.at);
        assert_eq!(kind(&[]), Ok(WeightKind::U32));
        assert_eq!(kind(&[Natural(u32::MAX.into())]), Ok(WeightKind::U32));
        assert_eq!(kind(&[Natural(1 << 32)]), Ok(WeightKind::U64));
        assert_eq!(kind(&[Natural(5), Negative(-1)]), Ok(WeightKind::I32));
        assert_eq!(kind(&[Natural(1 << 31), Negative(-1)]), Ok(WeightKind::I64));
        assert_eq!(kind(&[Negative(i64::MIN)]), Ok(WeightKind::I64));
        assert_eq!(kind(&[Natural(u64::MAX), Real(0.5), Negative(-1)]), Ok(WeightKind::F64));
        assert_eq!(kind(&[Natural(u64::MAX), Natural(3), Negative(-1)]), Err(2));
        assert_eq!(kind(&[Negative(-1), Natural(u64::MAX), Natural(3)]), Err(1));
    }

    #[test]
    fn values_survive_every_change_of_storage() {
        use Number::{Natural, Negative, Real};
        let numbers = [Natural(u64::MAX), Negative(-3), Real(0.5), Natural(7)];
        for order in [[0, 1, 2, 3], [1, 0, 3, 2], [2, 0, 1, 3], [3, 1, 0, 2]] {
            let column = column(&order.map(|i| numbers[i]));
            for (at, i) in order.into_iter().enumerate() {
                assert_eq!(column.get::<f64>(at), numbers[i].to_f64());
            }
        }
        assert_eq!(column(&[Natural(9), Negative(-3)]).get::<i32>(1), -3);
        assert_eq!(Column::default().get::<i64>(5), 1);
    }
}
