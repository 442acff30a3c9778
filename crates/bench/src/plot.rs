//! Plots of a report: lines over an axis, and bars.
//!
//! Text stays text in the SVG, so that no fonts are needed. Lines differ in colour and in the shape
//! of their points. The colours are those of Okabe and Ito, which colour-blind readers can tell
//! apart.

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::table::number;

type Drawn = Result<(), Box<dyn std::error::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
];
const WIDTH: i32 = 1000;
/// Height of a bar and of a line of the legend, and what is above and below them.
const ROW: i32 = 20;
const TOP: i32 = 64;
const BOTTOM: i32 = 28;
/// Width of a letter, at most.
const LETTER: i32 = 8;
const LEAST_HEIGHT: i32 = 520;

/// An axis: what is on it, with its unit, and whether it grows by factors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub(crate) name: &'static str,
    pub(crate) log: bool,
}

/// A line with its points; each may have a range, from the least to the greatest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// x, y.
    pub(crate) points: Vec<(f64, f64)>,
    /// Least and greatest y of each point; empty where there are none.
    pub(crate) ranges: Vec<(f64, f64)>,
}

/// Whose a bar is, which gives its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    Cpu,
    Gpu,
    Other,
}

/// What is drawn.
#[derive(Clone, Debug)]
pub(crate) enum Marks {
    /// From left to right, in the order of the legend.
    Lines { x: Axis, y: Axis, lines: Vec<Line> },
    /// A bar for each name, on an axis that grows by factors.
    Bars(Vec<(String, f64, Whose)>),
}

/// A plot with its title.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    pub(crate) title: String,
    pub(crate) marks: Marks,
}

impl Plot {
    /// Whether there is nothing to draw.
    pub(crate) fn is_empty(&self) -> bool {
        match &self.marks {
            Marks::Lines { lines, .. } => lines.iter().all(|line| line.points.is_empty()),
            Marks::Bars(bars) => bars.is_empty(),
        }
    }

    /// The plot as SVG.
    pub(crate) fn to_svg(&self) -> Result<String> {
        let mut svg = String::new();
        let height = match &self.marks {
            Marks::Lines { lines, .. } => LEAST_HEIGHT.max(TOP + ROW * lines.len() as i32),
            Marks::Bars(bars) => TOP + ROW * bars.len() as i32 + BOTTOM,
        };
        let area = SVGBackend::with_string(&mut svg, (WIDTH as u32, height as u32));
        let area = area.into_drawing_area();
        self.draw(&area).map_err(|error| anyhow!("cannot draw {}: {error}", self.title))?;
        drop(area);
        Ok(svg)
    }

    fn draw(&self, area: &Area<'_>) -> Drawn {
        area.fill(&WHITE)?;
        area.draw(&text(&self.title, 16, (16, 20), HPos::Left))?;
        match &self.marks {
            Marks::Lines { x, y, lines } => draw_lines(area, *x, *y, lines),
            Marks::Bars(bars) => draw_bars(area, bars),
        }?;
        Ok(area.present()?)
    }
}

fn text(what: &str, size: i32, at: (i32, i32), side: HPos) -> Text<'static, (i32, i32), String> {
    let style = ("sans-serif", size).into_font().color(&BLACK).pos(Pos::new(side, VPos::Center));
    Text::new(what.to_owned(), at, style)
}

fn room_for<'a>(names: impl Iterator<Item = &'a String>) -> i32 {
    LETTER * names.map(|name| name.chars().count()).max().unwrap_or(0) as i32
}

/// The least power of ten that is no more, and the greatest that is no less, a decade apart.
fn decades(least: f64, most: f64) -> (i32, i32) {
    let first = (least.max(1e-12).log10() + 1e-9).floor() as i32;
    (first, ((most.max(1e-12).log10() - 1e-9).ceil() as i32).max(first + 1))
}

/// From where to where an axis goes, and where it has numbers.
fn ticks(axis: Axis, values: &[f64]) -> (f64, f64, Vec<f64>) {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if axis.log {
        let (first, last) = decades(least, most);
        let steps: &[f64] = if last - first > 2 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let all = (first..=last).flat_map(|e| steps.iter().map(move |step| step * 10f64.powi(e)));
        let (from, to) = (10f64.powi(first), 10f64.powi(last));
        return (from, to, all.filter(|&at| at <= to * 1.001).collect());
    }
    let from = if least >= 0.0 && least < most / 2.0 { 0.0 } else { least };
    let step = 10f64.powf(((most - from).max(1e-9) / 4.0).log10().floor());
    let by = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * step);
    let step = by.into_iter().find(|step| (most - from) / step <= 8.0).unwrap_or(step);
    let (first, last) = ((from / step).floor(), (most / step).ceil());
    let all = (0..=(last - first) as i32).map(|i| (first + f64::from(i)) * step);
    (first * step, last.max(first + 1.0) * step, all.collect())
}

fn draw_lines(area: &Area<'_>, x: Axis, y: Axis, lines: &[Line]) -> Drawn {
    let points = || lines.iter().flat_map(|line| &line.points);
    let xs: Vec<f64> = points().map(|point| point.0).collect();
    let ranges = lines.iter().flat_map(|line| &line.ranges).flat_map(|range| [range.0, range.1]);
    let ys: Vec<f64> = points().map(|point| point.1).chain(ranges).collect();
    let ((left, right, x_ticks), (low, high, y_ticks)) = (ticks(x, &xs), ticks(y, &ys));

    let height = area.dim_in_pixel().1 as i32;
    let legend = WIDTH - 48 - room_for(lines.iter().map(|line| &line.name));
    let (from, to) = ((76, height - 56), (legend - 20, TOP - 20));
    let part = |axis: Axis, value: f64, first: f64, last: f64| match axis.log {
        true => (value / first).ln() / (last / first).ln(),
        false => (value - first) / (last - first),
    };
    let at = |px: f64, py: f64| {
        let along = |from: i32, to: i32, part: f64| from + (f64::from(to - from) * part) as i32;
        (along(from.0, to.0, part(x, px, left, right)), along(from.1, to.1, part(y, py, low, high)))
    };
    let grid = BLACK.mix(0.15);
    for &tick in &x_ticks {
        let (place, _) = at(tick, low);
        area.draw(&PathElement::new([(place, from.1), (place, to.1)], grid))?;
        area.draw(&text(&short(tick), 12, (place, from.1 + 14), HPos::Center))?;
    }
    for &tick in &y_ticks {
        let (_, place) = at(left, tick);
        area.draw(&PathElement::new([(from.0, place), (to.0, place)], grid))?;
        area.draw(&text(&short(tick), 12, (from.0 - 8, place), HPos::Right))?;
    }
    area.draw(&text(x.name, 13, ((from.0 + to.0) / 2, from.1 + 36), HPos::Center))?;
    let upright = ("sans-serif", 13).into_font().transform(FontTransform::Rotate270);
    let upright = upright.color(&BLACK).pos(Pos::new(HPos::Center, VPos::Center));
    area.draw(&Text::new(y.name, (18, (from.1 + to.1) / 2), upright))?;
    for (i, Line { name, points, ranges }) in lines.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let place = |&(px, py): &(f64, f64)| at(px, py);
        area.draw(&PathElement::new(points.iter().map(place).collect::<Vec<_>>(), colour))?;
        for (point, range) in points.iter().zip(ranges) {
            area.draw(&PathElement::new([at(point.0, range.0), at(point.0, range.1)], colour))?;
        }
        let row = TOP + ROW * i as i32;
        for place in points.iter().map(place).chain([(legend + 12, row)]) {
            match i / COLOURS.len() {
                0 => area.draw(&Circle::new(place, 4, colour.filled()))?,
                1 => area.draw(&TriangleMarker::new(place, 6, colour.filled()))?,
                _ => area.draw(&Cross::new(place, 4, colour))?,
            }
        }
        area.draw(&PathElement::new([(legend, row), (legend + 24, row)], colour))?;
        area.draw(&text(name, 13, (legend + 32, row), HPos::Left))?;
    }
    Ok(())
}

fn draw_bars(area: &Area<'_>, bars: &[(String, f64, Whose)]) -> Drawn {
    let values = || bars.iter().map(|bar| bar.1).filter(|value| *value > 0.0);
    let least = values().fold(f64::INFINITY, f64::min) / 1.3;
    // the axis starts and ends at powers of ten
    let (first, last) = decades(least, values().fold(least, f64::max));
    let (left, right) = (24 + room_for(bars.iter().map(|bar| &bar.0)), WIDTH - 72);
    let per_decade = f64::from(right - left) / f64::from(last - first);
    let x_of = |value: f64| {
        left + ((value.log10() - f64::from(first)).max(0.0) * per_decade).round() as i32
    };
    let below = TOP + ROW * bars.len() as i32;
    for tick in (first..=last).map(|exponent| 10f64.powi(exponent)) {
        let line = [(x_of(tick), TOP - 8), (x_of(tick), below + 4)];
        area.draw(&PathElement::new(line, BLACK.mix(0.3)))?;
        area.draw(&text(&short(tick), 12, (x_of(tick), TOP - 18), HPos::Center))?;
    }
    for (i, name) in ["processor", "GPU", "others"].into_iter().enumerate() {
        let x = WIDTH - 320 + 110 * i as i32;
        area.draw(&Rectangle::new([(x, 14), (x + 12, 26)], COLOURS[i].filled()))?;
        area.draw(&text(name, 13, (x + 18, 20), HPos::Left))?;
    }
    for (i, (name, value, whose)) in bars.iter().enumerate() {
        let (top, end) = (TOP + ROW * i as i32, x_of(*value));
        let colour = COLOURS[*whose as usize];
        area.draw(&Rectangle::new([(left, top + 3), (end, top + ROW - 3)], colour.filled()))?;
        area.draw(&text(name, 13, (left - 8, top + ROW / 2), HPos::Right))?;
        area.draw(&text(&number(Some(*value)), 12, (end + 6, top + ROW / 2), HPos::Left))?;
    }
    Ok(())
}

/// A number of an axis: 20, 0.001, 50k, 2M.
fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 1e9 => format!("{}G", value / 1e9),
        size if size >= 1e6 => format!("{}M", value / 1e6),
        size if size >= 1e4 => format!("{}k", value / 1e3),
        _ => format!("{}", (value * 1e9).round() / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_hold_their_values_and_have_round_numbers() {
        let log = Axis { name: "n", log: true };
        assert_eq!(ticks(log, &[0.4, 70.0]), (0.1, 100.0, vec![0.1, 1.0, 10.0, 100.0]));
        assert_eq!(ticks(log, &[100.0]).2, [100.0, 200.0, 500.0, 1000.0]);
        let linear = Axis { name: "n", log: false };
        assert_eq!(ticks(linear, &[14.0, 18.0]), (14.0, 18.0, vec![14.0, 15.0, 16.0, 17.0, 18.0]));
        assert_eq!(ticks(linear, &[3.0, 200.0]).2, [0.0, 50.0, 100.0, 150.0, 200.0]);
        let (first, last, _) = ticks(linear, &[5.0]);
        assert!(first <= 5.0 && last > first);
        assert_eq!([0.001, 20.0, 65_536.0, 2e6].map(short), ["0.001", "20", "65.536k", "2M"]);
    }

    #[test]
    fn plots_have_all_names() {
        let bars = ["a & b", "c"].map(|name| (name.to_owned(), 3.0, Whose::Gpu)).to_vec();
        let svg = Plot { title: "ms".into(), marks: Marks::Bars(bars) }.to_svg().unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("a &amp; b"), "{svg}");
        let axis = Axis { name: "vertices", log: true };
        let lines = (0..20).map(|i| Line {
            name: format!("line {i}"),
            points: vec![(10.0, 2.0), (1000.0, f64::from(i + 1))],
            ranges: vec![(1.0, 3.0)],
        });
        let marks = Marks::Lines { x: axis, y: axis, lines: lines.collect() };
        let svg = Plot { title: "many".into(), marks }.to_svg().unwrap();
        assert!((0..20).all(|i| svg.contains(&format!("line {i}\n"))) && svg.contains("vertices"));
    }
}
