//! Sums of floats that stay right beyond the range of `f64`.
//!
//! Distances near the greatest float are finite, and so is their mean, but their sum is not. Once
//! an addition would leave the range, the sum is kept in units of 2^64. That is enough for the
//! distances of all pairs of a graph, and exact except for rounding.

/// 2^64.
const UNIT: f64 = (1u128 << 64) as f64;

/// A sum of floats of at least zero.
///
/// ```
/// use paths::FloatSum;
///
/// let mut sum = FloatSum::default();
/// for distance in [1e308; 4] {
///     sum += FloatSum::from(distance);
/// }
/// assert_eq!((sum.to_f64(), sum.mean(4.0)), (f64::INFINITY, 1e308));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FloatSum(f64);

impl FloatSum {
    /// The sum as files and kernels store it: its value, or the negated number of units.
    pub fn to_storage(self) -> f64 {
        self.0
    }

    /// The sum that [`FloatSum::to_storage`] gave.
    pub fn from_storage(stored: f64) -> Self {
        Self(stored)
    }

    /// The sum in units of 2^64.
    fn units(self) -> f64 {
        if self.0 < 0.0 { -self.0 } else { self.0 / UNIT }
    }

    /// The nearest float; infinity beyond the greatest.
    pub fn to_f64(self) -> f64 {
        if self.0 < 0.0 { -self.0 * UNIT } else { self.0 }
    }

    /// The sum divided by `n`, the number of terms or a greater number.
    pub fn mean(self, n: f64) -> f64 {
        if self.0 < 0.0 { -self.0 / n * UNIT } else { self.0 / n }
    }

    /// The reciprocal of [`FloatSum::mean`]; infinity if the sum is zero.
    pub fn one_in_mean(self, n: f64) -> f64 {
        if self.0 < 0.0 { n / -self.0 / UNIT } else { n / self.0 }
    }
}

impl From<f64> for FloatSum {
    fn from(number: f64) -> Self {
        Self(number)
    }
}

impl std::ops::AddAssign for FloatSum {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        let sum = self.0 + other.0;
        let is_plain = self.0 >= 0.0 && other.0 >= 0.0 && sum < f64::INFINITY;
        self.0 = if is_plain { sum } else { -(self.units() + other.units()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_go_on_where_floats_end() {
        let sum = |numbers: &[f64]| {
            let mut sum = FloatSum::default();
            numbers.iter().for_each(|&number| sum += number.into());
            sum
        };
        assert_eq!(sum(&[]), FloatSum::default());
        assert_eq!(sum(&[0.5, 1e-320, f64::MAX / 2.0]).to_f64(), f64::MAX / 2.0);
        // a power of two of them, so that nothing is rounded
        let greatest = sum(&[f64::MAX; 4]);
        assert_eq!((greatest.to_f64(), greatest.mean(4.0)), (f64::INFINITY, f64::MAX));
        assert_eq!(greatest.one_in_mean(4.0), 1.0 / f64::MAX);
        let (mut halves, other) = (sum(&[f64::MAX; 2]), sum(&[f64::MAX; 2]));
        halves += other;
        assert_eq!(halves, greatest);
        // small numbers vanish beside large ones
        halves += 1.0.into();
        assert_eq!(halves, greatest);
    }
}
