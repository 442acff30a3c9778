//! The weights of a text file, before it is known which type holds them all.
//!
//! A column of weights has the smallest type that holds those seen so far, and changes to a wider
//! one when a weight needs it. For integers it is the smallest of `u32`, `i32` (if there are
//! negative ones), `u64` and `i64`; with any fraction or exponent it is `f64`.

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
    /// The integer ±`size`, if 64 bits hold it.
    #[inline]
    pub(super) fn integer(negative: bool, size: u64) -> Option<Self> {
        if !negative || size == 0 {
            return Some(Self::Natural(size));
        }
        0i64.checked_sub_unsigned(size).map(Self::Negative)
    }

    /// The value of a word if it is a whole number, even if it is written with a fraction or an
    /// exponent: `5.0`, `120e-1`. No digit is rounded away.
    pub(super) fn whole(word: &[u8]) -> Option<Self> {
        let (negative, unsigned) = match word {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, word),
        };
        let exponent_at = unsigned.iter().position(|byte| matches!(byte, b'e' | b'E'));
        let (mantissa, exponent) = unsigned.split_at(exponent_at.unwrap_or(unsigned.len()));
        let mut exponent: i64 = match exponent {
            [] => 0,
            [_, digits @ ..] => std::str::from_utf8(digits).ok()?.parse().ok()?,
        };
        let point = mantissa.iter().position(|&byte| byte == b'.');
        let (before, after) = mantissa.split_at(point.unwrap_or(mantissa.len()));
        let after = after.get(1..).unwrap_or_default();
        let mut digits = [before, after].concat();
        exponent = exponent.checked_sub(after.len() as i64)?;
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        while digits.last() == Some(&b'0') {
            digits.pop();
            exponent = exponent.checked_add(1)?;
        }
        if digits.is_empty() {
            return Some(Self::Natural(0));
        }
        // a negative exponent leaves a digit other than 0 after the point: no whole number
        let power = 10u64.checked_pow(u32::try_from(exponent).ok()?)?;
        let size: u64 = std::str::from_utf8(&digits).ok()?.parse().ok()?;
        Self::integer(negative, size.checked_mul(power)?)
    }

    /// The number negated, if 64 bits hold it.
    pub(super) fn negated(self) -> Option<Self> {
        match self {
            Self::Natural(size) => Self::integer(true, size),
            Self::Negative(value) => Some(Self::Natural(value.unsigned_abs())),
            Self::Real(value) => Some(Self::Real(-value)),
        }
    }

    /// The value of an integer.
    pub(super) fn to_i128(self) -> Option<i128> {
        match self {
            Self::Natural(size) => Some(i128::from(size)),
            Self::Negative(value) => Some(i128::from(value)),
            Self::Real(_) => None,
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

    /// The number as a weight, if the type has it; floats round.
    #[inline]
    fn to_weight<W: Weight>(self) -> Option<W> {
        match self {
            Self::Natural(value) => W::from_i128(i128::from(value)),
            Self::Negative(value) => W::from_i128(i128::from(value)),
            Self::Real(value) => W::from_f64(value),
        }
    }

    /// The number that a weight is.
    fn of<W: Weight>(weight: W) -> Self {
        match weight.to_i128() {
            Some(value) if value < 0 => Self::Negative(value as i64),
            Some(value) => Self::Natural(value as u64),
            None => Self::Real(weight.to_f64()),
        }
    }
}

/// The extremes of some weights, each with the byte or the line where it stands.
#[derive(Clone, Copy, Default)]
pub(super) struct Extremes {
    has_reals: bool,
    /// The least integer below 0, or 0.
    least: (i64, usize),
    /// The greatest integer above 0, or 0.
    greatest: (u64, usize),
}

impl Extremes {
    #[inline]
    fn add(&mut self, number: Number, at: usize) {
        match number {
            Number::Natural(value) if value > self.greatest.0 => self.greatest = (value, at),
            Number::Negative(value) if value < self.least.0 => self.least = (value, at),
            Number::Real(_) => self.has_reals = true,
            _ => {}
        }
    }

    /// Merges the extremes of a part of the file; `line_of` gives the lines of their bytes.
    pub(super) fn merge_lines(&mut self, other: &Self, line_of: impl Fn(usize) -> u64) {
        self.has_reals |= other.has_reals;
        if other.least.0 < self.least.0 {
            self.least = (other.least.0, line_of(other.least.1) as usize);
        }
        if other.greatest.0 > self.greatest.0 {
            self.greatest = (other.greatest.0, line_of(other.greatest.1) as usize);
        }
    }

    /// The smallest type that holds all the weights.
    ///
    /// # Errors
    /// When there is none: the place, and the reason.
    pub(super) fn kind(&self) -> Result<WeightKind, (usize, String)> {
        let (least, greatest) = (self.least.0, self.greatest.0);
        if self.has_reals {
            Ok(WeightKind::F64)
        } else if least == 0 {
            let fits = u32::try_from(greatest).is_ok();
            Ok(if fits { WeightKind::U32 } else { WeightKind::U64 })
        } else if i64::try_from(greatest).is_err() {
            let message = format!("no integer type holds both the weights {least} and {greatest}");
            Err((self.least.1.max(self.greatest.1), message))
        } else {
            let fits = i32::try_from(least).is_ok() && i32::try_from(greatest).is_ok();
            Ok(if fits { WeightKind::I32 } else { WeightKind::I64 })
        }
    }
}

/// The weights of one piece of a file, in its order.
#[derive(Default)]
pub(super) struct Column {
    values: Values,
    extremes: Extremes,
}

/// Weights of the smallest type that holds those so far.
#[derive(Default)]
enum Values {
    /// No weights were read: the file is unweighted.
    #[default]
    Absent,
    U32(Vec<u32>),
    I32(Vec<i32>),
    U64(Vec<u64>),
    I64(Vec<i64>),
    F64(Vec<f64>),
}

/// Runs `$body` with `$list` bound to the list inside [`Values`].
macro_rules! with_values {
    ($values:expr, |$list:ident| $body:expr, absent => $absent:expr) => {
        match $values {
            Values::Absent => $absent,
            Values::U32($list) => $body,
            Values::I32($list) => $body,
            Values::U64($list) => $body,
            Values::I64($list) => $body,
            Values::F64($list) => $body,
        }
    };
}

impl Values {
    /// An empty list of weights of `kind`.
    fn empty(kind: WeightKind, capacity: usize) -> Self {
        match kind {
            WeightKind::U32 => Self::U32(Vec::with_capacity(capacity)),
            WeightKind::I32 => Self::I32(Vec::with_capacity(capacity)),
            WeightKind::U64 => Self::U64(Vec::with_capacity(capacity)),
            WeightKind::I64 => Self::I64(Vec::with_capacity(capacity)),
            WeightKind::F32 | WeightKind::F64 => Self::F64(Vec::with_capacity(capacity)),
        }
    }

    fn len(&self) -> usize {
        with_values!(self, |list| list.len(), absent => 0)
    }

    /// Bytes of a weight.
    fn width(&self) -> usize {
        fn width<W>(_: &[W]) -> usize {
            size_of::<W>()
        }
        with_values!(self, |list| width(list), absent => 0)
    }

    fn number(&self, index: usize) -> Number {
        with_values!(self, |list| Number::of(list[index]), absent => Number::Natural(1))
    }

    /// Adds the number, if it fits the type.
    #[inline]
    fn try_push(&mut self, number: Number) -> Option<()> {
        fn put<W: Weight>(list: &mut Vec<W>, number: Number) -> Option<()> {
            list.push(number.to_weight()?);
            Some(())
        }
        match (self, number) {
            (Self::U32(list), Number::Natural(value)) => list.push(u32::try_from(value).ok()?),
            (values, Number::Real(_)) if !matches!(values, Self::F64(_)) => return None,
            (values, _) => return with_values!(values, |list| put(list, number), absent => None),
        }
        Some(())
    }
}

impl Column {
    /// Adds the number that stands at byte `at`; `capacity` is how many are expected.
    #[inline]
    pub(super) fn push(&mut self, number: Number, at: usize, capacity: usize) {
        self.extremes.add(number, at);
        if self.values.try_push(number).is_none() {
            self.widen(capacity);
            self.values.try_push(number).expect("a type that holds all the numbers");
        }
    }

    /// Changes to the smallest type that holds all the extremes; to floats where no integer type
    /// does, since such a column is refused in the end or has real numbers.
    #[cold]
    fn widen(&mut self, capacity: usize) {
        let kind = self.extremes.kind().unwrap_or(WeightKind::F64);
        let mut wider = Values::empty(kind, capacity.max(self.values.len() + 1));
        for index in 0..self.values.len() {
            wider.try_push(self.values.number(index)).expect("a type that holds all the numbers");
        }
        self.values = wider;
    }

    /// Adds the weights of another column; `capacity` is how many are expected.
    pub(super) fn append(&mut self, other: &Self, capacity: usize) {
        self.extremes.merge_lines(&other.extremes, |at| at as u64);
        if let (Values::Absent, false) = (&self.values, other.values.len() == 0) {
            self.widen(capacity);
        }
        match (&mut self.values, &other.values) {
            (Values::U32(list), Values::U32(more)) => list.extend_from_slice(more),
            (Values::I32(list), Values::I32(more)) => list.extend_from_slice(more),
            (Values::U64(list), Values::U64(more)) => list.extend_from_slice(more),
            (Values::I64(list), Values::I64(more)) => list.extend_from_slice(more),
            (Values::F64(list), Values::F64(more)) => list.extend_from_slice(more),
            (_, more) => {
                (0..more.len()).for_each(|index| self.push(more.number(index), 0, capacity));
            }
        }
    }

    pub(super) fn extremes(&self) -> &Extremes {
        &self.extremes
    }

    /// Bytes of a weight; 0 where none were read.
    pub(super) fn width(&self) -> usize {
        self.values.width()
    }

    /// The weight at `index` as a `W`, which must be a type that holds it; 1 if no weights were
    /// read: the graph is then unweighted.
    #[inline]
    pub(super) fn get<W: Weight>(&self, index: usize) -> W {
        match &self.values {
            Values::Absent => Some(W::ONE),
            Values::F64(list) => W::from_f64(list[index]),
            Values::U32(list) => W::from_i128(i128::from(list[index])),
            Values::I32(list) => W::from_i128(i128::from(list[index])),
            Values::U64(list) => W::from_i128(i128::from(list[index])),
            Values::I64(list) => W::from_i128(i128::from(list[index])),
        }
        .expect("the type was chosen or checked to hold every weight read")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(numbers: &[Number]) -> Column {
        let mut column = Column::default();
        numbers.iter().enumerate().for_each(|(at, &number)| column.push(number, at, 0));
        column
    }

    #[test]
    fn the_smallest_type_is_found() {
        use Number::{Natural, Negative, Real};
        let kind = |numbers: &[Number]| column(numbers).extremes().kind().map_err(|(at, _)| at);
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
        assert_eq!(column(&[Natural(1 << 31), Negative(-3)]).get::<i64>(0), 1 << 31);
        assert_eq!(Column::default().get::<i64>(5), 1);
    }

    #[test]
    fn whole_numbers_are_exact_however_they_are_written() {
        use Number::{Natural, Negative};
        for (word, number) in [
            ("9007199254740993.0", Natural(9007199254740993)),
            ("18446744073709551615.", Natural(u64::MAX)),
            ("1844674407370955161.5e1", Natural(u64::MAX)),
            ("-9223372036854775808.000", Negative(i64::MIN)),
            ("-0.0e-99999", Natural(0)),
            ("+120e-1", Natural(12)),
            ("1e19", Natural(10_000_000_000_000_000_000)),
        ] {
            assert_eq!(Number::whole(word.as_bytes()), Some(number), "{word}");
        }
        for word in [
            "0.5",
            "1e20",
            "18446744073709551616.0",
            "-9223372036854775809.0",
            "1e-1",
            "",
            "e5",
            "x",
        ] {
            assert_eq!(Number::whole(word.as_bytes()), None, "{word}");
        }
        assert_eq!(Number::whole(b"1.00000000000000000000000000001"), None);
    }
}
