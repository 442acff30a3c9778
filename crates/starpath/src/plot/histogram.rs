//! How many there are of each: bars over degrees or distances.

use colorous::Color;
use pictures::{
    Axis, Frame, Page, Row, SINGLE, Scale, Sign, hex, label, rectangle, round_step, sequence,
};
use svg::node::element::Group;

use super::picture::Size;
use crate::report::grouped;

/// Bars that are aimed at.
const USUAL_BARS: f64 = 40.0;
/// Degrees up to here have a bar each.
const MAX_PLAIN: usize = 40;
/// Counts of degrees that are farther apart are drawn by their logarithms.
const FAR_APART: u64 = 200;

/// Intervals of numbers, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Bins {
    /// A number each, from 0 on.
    Single(usize),
    /// 0, 1, 2 to 3, 4 to 7 and so on.
    Doubling(usize),
    /// From `(first + i) · step` on and below `(first + i + 1) · step`.
    Even { first: f64, step: f64, n: usize },
}

impl Bins {
    /// Those for degrees up to a greatest one.
    pub(crate) fn of_degrees(greatest: usize) -> Self {
        match greatest {
            0..=MAX_PLAIN => Self::Single(greatest + 1),
            _ => Self::Doubling(greatest.ilog2() as usize + 2),
        }
    }

    /// Those for distances between these; `is_whole` says that distances are integers.
    pub(crate) fn of_distances(least: f64, greatest: f64, is_whole: bool) -> Self {
        // shares first, for the difference of the greatest numbers is none
        let step = round_step(greatest / USUAL_BARS - least / USUAL_BARS);
        let step = if is_whole { step.max(1.0) } else { step };
        let first = (least / step).floor();
        let n = ((greatest / step).floor() - first).clamp(0.0, 2.0 * USUAL_BARS) as usize + 1;
        Self::Even { first, step, n }
    }

    pub(crate) fn len(&self) -> usize {
        let (Self::Single(n) | Self::Doubling(n) | Self::Even { n, .. }) = *self;
        n
    }

    /// The interval that a number is in.
    pub(crate) fn bin_of(&self, number: f64) -> usize {
        let bin = match self {
            Self::Single(_) => number,
            Self::Doubling(_) if number < 1.0 => 0.0,
            Self::Doubling(_) => number.log2().floor() + 1.0,
            Self::Even { first, step, .. } => (number / step).floor() - first,
        };
        // a negative number becomes 0
        (bin as usize).min(self.len() - 1)
    }

    /// Where an interval begins, and where the next one does.
    pub(crate) fn ends(&self, bin: usize) -> (f64, f64) {
        let start = |bin: usize| match self {
            Self::Single(_) => bin as f64,
            Self::Doubling(_) if bin == 0 => 0.0,
            Self::Doubling(_) => ((bin - 1) as f64).exp2(),
            Self::Even { first, step, .. } => (first + bin as f64) * step,
        };
        (start(bin), start(bin + 1))
    }

    fn axis(&self, length: f64, title: String) -> Axis {
        let n = self.len() as f64;
        match self {
            Self::Even { .. } => {
                Axis::horizontal((self.ends(0).0, self.ends(self.len() - 1).1), length, title)
            }
            Self::Single(_) | Self::Doubling(_) => {
                let shift = if matches!(self, Self::Single(_)) { 0.5 } else { 0.0 };
                let ticks = (0..self.len())
                    .map(|bin| ((bin as f64 + shift) / n, label(self.ends(bin).0, 1.0)));
                Axis::sparse(ticks.collect(), length, title)
            }
        }
    }
}

/// What is drawn: a series of bars, or two side by side.
pub(crate) struct Histogram<'a> {
    pub(crate) title: String,
    /// Titles of the axes.
    pub(crate) across: String,
    pub(crate) up: &'static str,
    pub(crate) bins: &'a Bins,
    /// The name of each series, and how many are in each interval.
    pub(crate) series: &'a [(&'static str, Vec<u64>)],
    /// What the legend says beside, each with a number.
    pub(crate) remarks: Vec<(String, String)>,
}

impl Histogram<'_> {
    fn colour(&self, series: usize) -> Color {
        match self.series.len() {
            1 => SINGLE,
            n => sequence(series, n),
        }
    }

    /// Draws it: an SVG document.
    pub(crate) fn draw(&self, size: Size) -> String {
        let mut page = Page::new(size.width, size.height, &self.title);
        let mut rows = vec![Row::new(Sign::None, "", self.up)];
        rows.extend(self.series.iter().enumerate().map(|(i, (name, counts))| {
            let sign = Sign::Colour(self.colour(i));
            Row::new(sign, *name, grouped(counts.iter().sum::<u64>()))
        }));
        let remark = |(text, number): &(String, String)| Row::new(Sign::None, text, number);
        rows.extend(self.remarks.iter().map(remark));
        let room = page.legend(rows);
        let counts = || self.series.iter().flat_map(|(_, counts)| counts.iter().copied());
        let greatest = counts().max().unwrap_or(0).max(1);
        let least = counts().filter(|&count| count > 0).min().unwrap_or(1);
        let is_of_degrees = !matches!(self.bins, Bins::Even { .. });
        let is_logarithmic = is_of_degrees && greatest / least >= FAR_APART;
        // below 1, so that a count of 1 is seen
        let low = if is_logarithmic { 0.5f64.log10() } else { 0.0 };
        let greatest = greatest as f64;
        let high = if is_logarithmic { greatest.log10() } else { greatest };
        let scale = Scale { is_logarithmic, low, high: high + 0.04 * (high - low) };
        let remark = if is_logarithmic { ", logarithmic" } else { "" };
        let up = scale.vertical(room.height, format!("{}{remark}", self.up));
        let panel = room.right_of(&up);
        let across = self.bins.axis(panel.width, self.across.clone());
        let slot = panel.width / self.bins.len() as f64;
        let width = 0.9 * slot / self.series.len() as f64;
        for (i, (_, counts)) in self.series.iter().enumerate() {
            let colour = self.colour(i);
            let mut group = Group::new().set("class", "series").set("fill", hex(colour));
            for (bin, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let height = scale.share(count as f64) * panel.height;
                let x = panel.x + slot * (bin as f64 + 0.05) + width * i as f64;
                let y = panel.y + panel.height - height;
                group = group.add(rectangle(Frame { x, y, width, height }));
            }
            page.add(group);
        }
        page.axes(panel, &across, &up);
        page.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_in_its_interval() {
        let bins = [
            Bins::of_degrees(0),
            Bins::of_degrees(40),
            Bins::of_degrees(41),
            Bins::of_degrees(70_000),
            Bins::of_distances(0.0, 70_000.0, true),
        ];
        for bins in bins {
            for number in [0, 1, 2, 3, 4, 7, 8, 40, 41, 1023, 1024, 69_999, 70_000] {
                let (from, to) = bins.ends(bins.bin_of(f64::from(number)));
                let is_within = from <= f64::from(number) && f64::from(number) < to;
                let last = bins.ends(bins.len() - 1).1;
                assert!(is_within || f64::from(number) >= last, "{number} in {bins:?}");
            }
        }
        for (least, greatest) in [(0.0, 0.0), (-1e308, 1e308), (1e300, 1e300), (-3.0, 0.001)] {
            let bins = Bins::of_distances(least, greatest, false);
            assert_eq!((bins.bin_of(least), bins.bin_of(greatest)), (0, bins.len() - 1));
        }
    }
}
