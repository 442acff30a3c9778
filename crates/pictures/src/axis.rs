//! Axes: round numbers between two ends, as many as have room.

use indicatif::HumanCount;

use crate::text::{fitted, width};

/// Size of the numbers at an axis.
pub(crate) const TICK_SIZE: f64 = 11.0;
/// Room between two numbers at least.
const GAP: f64 = 14.0;
/// Width of a name at most.
const MAX_NAME: f64 = 90.0;
/// Numbers from here on are written with an exponent, and those below its inverse.
const LARGE: f64 = 1e9;

/// Numbers or names along an axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Where each stands, from 0 at the low end to 1, and its text.
    pub ticks: Vec<(f64, String)>,
    /// What is counted along it.
    pub title: String,
    /// Whether the texts of a horizontal axis read upwards.
    pub(crate) is_turned: bool,
}

impl Axis {
    /// An axis with these texts at these places, from 0 to 1.
    pub fn new(ticks: Vec<(f64, String)>, title: String) -> Self {
        Self { ticks, title, is_turned: false }
    }

    /// Round numbers for a horizontal axis of this length.
    pub fn horizontal(ends: (f64, f64), length: f64, title: String) -> Self {
        let tried = (1..=8).rev().map(|n| round_ticks(ends, f64::from(n)));
        let ticks = tried.into_iter().find(|ticks| fit(ticks, length)).unwrap_or_default();
        Self::new(ticks, title)
    }

    /// These texts on a horizontal axis, or as many of them, in equal steps, as have room.
    pub fn sparse(ticks: Vec<(f64, String)>, length: f64, title: String) -> Self {
        let thinned = |every| ticks.iter().step_by(every).cloned().collect::<Vec<_>>();
        let tried = (1..=ticks.len()).map(thinned);
        Self::new(tried.into_iter().find(|ticks| fit(ticks, length)).unwrap_or_default(), title)
    }

    /// A name for each of the equal parts of an axis, at the left from the top, or below and
    /// reading upwards.
    pub fn names(
        names: impl ExactSizeIterator<Item = String>,
        title: String,
        is_vertical: bool,
    ) -> Self {
        let n = names.len() as f64;
        let place = |i: usize| (i as f64 + 0.5) / n;
        let ticks: Vec<_> = names
            .enumerate()
            .map(|(i, name)| {
                let at = if is_vertical { 1.0 - place(i) } else { place(i) };
                (at, fitted(&name, TICK_SIZE, MAX_NAME))
            })
            .collect();
        Self { ticks, title, is_turned: !is_vertical }
    }

    /// Round numbers for places from 0 to n, at the left from the top, or below.
    pub fn places(n: usize, title: String, is_vertical: bool) -> Self {
        let mut ticks = round_ticks((0.0, n as f64), 5.0);
        if is_vertical {
            ticks.iter_mut().for_each(|(at, _)| *at = 1.0 - *at);
        }
        Self::new(ticks, title)
    }

    /// Round numbers for a vertical axis of this length.
    pub fn vertical(ends: (f64, f64), length: f64, title: String) -> Self {
        Self::new(round_ticks(ends, (length / 60.0).floor().max(1.0)), title)
    }

    /// How wide its numbers are at most.
    pub(crate) fn width(&self) -> f64 {
        self.ticks.iter().map(|(_, text)| width(text, TICK_SIZE)).fold(0.0, f64::max)
    }
}

/// Numbers from `low` to `high`, or their logarithms, and what an axis over them says.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// Whether the ends are logarithms, to base 10.
    pub is_logarithmic: bool,
    /// Where it begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
}

impl Scale {
    /// Where a number lies, from 0 at the low end to 1.
    pub fn share(&self, number: f64) -> f64 {
        let number = if self.is_logarithmic { number.log10() } else { number };
        (number - self.low) / (self.high - self.low)
    }

    /// A horizontal axis of this length.
    pub fn horizontal(&self, length: f64, title: String) -> Axis {
        match self.is_logarithmic {
            true => Axis::sparse(self.powers(), length, title),
            false => Axis::horizontal((self.low, self.high), length, title),
        }
    }

    /// A vertical axis of this length.
    pub fn vertical(&self, length: f64, title: String) -> Axis {
        if !self.is_logarithmic {
            return Axis::vertical((self.low, self.high), length, title);
        }
        let powers = self.powers();
        let every = powers.len().div_ceil((length / 40.0).max(1.0) as usize).max(1);
        Axis::new(powers.into_iter().step_by(every).collect(), title)
    }

    /// Powers of ten, and where the ends are at most two apart, twice and five times these.
    fn powers(&self) -> Vec<(f64, String)> {
        let factors: &[f64] = if self.high - self.low > 2.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        (self.low.floor() as i32..=self.high.floor() as i32)
            .flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)))
            .map(|number| (self.share(number), label(number, number)))
            .filter(|(at, _)| (0.0..=1.0).contains(at))
            .collect()
    }
}

/// Whether texts have room on a horizontal axis of this length.
fn fit(ticks: &[(f64, String)], length: f64) -> bool {
    ticks.windows(2).all(|pair| {
        let texts = width(&pair[0].1, TICK_SIZE) + width(&pair[1].1, TICK_SIZE);
        (pair[1].0 - pair[0].0) * length >= texts / 2.0 + GAP
    })
}

/// Multiples of a round step between the ends, about `n` of them.
fn round_ticks((low, high): (f64, f64), n: f64) -> Vec<(f64, String)> {
    let step = round_step(high / n - low / n);
    let first = (low / step).ceil();
    let count = (high / step).floor() - first;
    if !(count.is_finite() && high > low) {
        return Vec::new();
    }
    (0..=count.clamp(0.0, 50.0) as usize)
        .map(|i| (first + i as f64) * step)
        .map(|value| ((value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0), label(value, step)))
        .filter(|(at, _)| (0.0..=1.0).contains(at))
        .collect()
}

/// 1, 2 or 5 times a power of ten, and at least this; 1 where no such number is.
pub fn round_step(least: f64) -> f64 {
    round_up(least, &[1.0, 2.0, 5.0])
}

/// One of these factors, which ascend from 1 on, times a power of ten, and at least this; 1 where
/// no such number is.
pub fn round_up(least: f64, factors: &[f64]) -> f64 {
    if !(least.is_normal() && least > 0.0) {
        return 1.0;
    }
    let power = 10f64.powi(least.log10().floor() as i32);
    let factor = factors.iter().find(|&factor| factor * power >= least);
    factor.unwrap_or(&10.0) * power
}

/// A number on an axis or in a legend, with the digits that a step asks for.
pub fn label(value: f64, step: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let magnitude = value.abs().max(step);
    if !(1.0 / LARGE..LARGE).contains(&magnitude) {
        let digits = (value.abs() / step).log10().ceil().clamp(0.0, 15.0) as usize;
        let text = format!("{value:.digits$e}");
        let (number, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let number = match number.contains('.') {
            true => number.trim_end_matches('0').trim_end_matches('.'),
            false => number,
        };
        return format!("{number}e{exponent}");
    }
    let decimals = decimals(step);
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), |n| HumanCount(n).to_string());
    let sign = if value < 0.0 { "−" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

/// Digits behind the point that a step has, three beyond its first at most.
fn decimals(step: f64) -> usize {
    let first = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
    let is_enough = |digits: &usize| {
        let scaled = step * 10f64.powi(*digits as i32);
        (scaled - scaled.round()).abs() <= 1e-9 * scaled
    };
    (first..first + 3).find(is_enough).unwrap_or(first + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_round_and_read_well() {
        let texts = |low, high, n| {
            round_ticks((low, high), n).into_iter().map(|tick| tick.1).collect::<Vec<_>>()
        };
        assert_eq!(texts(0.0, 1000.0, 5.0), ["0", "200", "400", "600", "800", "1,000"]);
        assert_eq!(texts(-0.11, 0.12, 3.0), ["−0.1", "0", "0.1"]);
        assert_eq!(texts(40.6, 41.1, 3.0), ["40.6", "40.8", "41.0"]);
        assert_eq!(texts(0.0, 3e10, 3.0), ["0", "1e10", "2e10", "3e10"]);
        assert!(texts(5.0, 5.0, 3.0).is_empty());
        assert!(texts(f64::NEG_INFINITY, 5.0, 3.0).is_empty());
    }

    #[test]
    fn labels_have_the_digits_of_their_steps() {
        let labels = [(2.5, 2.5), (0.25, 0.25), (10.0, 2.5), (0.3, 0.1), (1e-4, 1.5e-5)];
        let labels = labels.map(|(value, step)| label(value, step));
        assert_eq!(labels, ["2.5", "0.25", "10.0", "0.3", "0.000100"]);
        assert_eq!([label(3e12, 1e12), label(-2.5e10, 5e9)], ["3e12", "-2.5e10"]);
    }

    #[test]
    fn powers_have_numbers_between_them_where_they_are_few() {
        let texts = |low, high| {
            let powers = Scale { is_logarithmic: true, low, high }.powers();
            powers.into_iter().map(|tick| tick.1).collect::<Vec<_>>()
        };
        assert_eq!(texts(-1.0, 3.5), ["0.1", "1", "10", "100", "1,000"]);
        assert_eq!(texts(-1.0, 0.0), ["0.1", "0.2", "0.5", "1"]);
        assert_eq!(texts(9.0, 10.0), ["1e9", "2e9", "5e9", "1e10"]);
    }

    #[test]
    fn ticks_lie_on_the_axis_at_any_scale() {
        for (low, high) in [
            (1e15, 1e15 + 1.0),
            (-1e308, 1e308),
            (1e-300, 3e-300),
            (0.0, 5e-324),
            (1e16, 1e16 + 4.0),
        ] {
            for n in 1..9 {
                let ticks = round_ticks((low, high), f64::from(n));
                assert!(ticks.len() <= 51 && ticks.iter().all(|t| (0.0..=1.0).contains(&t.0)));
            }
        }
    }

    #[test]
    fn horizontal_numbers_do_not_touch() {
        for length in [20.0, 90.0, 300.0, 800.0] {
            let axis = Axis::horizontal((0.0, 123_456_789.0), length, String::new());
            let ends = axis.ticks.iter().map(|(at, text)| {
                let half = width(text, TICK_SIZE) / 2.0;
                (at * length - half, at * length + half)
            });
            let ends: Vec<_> = ends.collect();
            assert!(ends.windows(2).all(|pair| pair[0].1 < pair[1].0), "{length}: {ends:?}");
        }
    }
}
