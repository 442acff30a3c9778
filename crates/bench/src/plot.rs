//! Plots of a report: lines over an axis, and bars.

use pictures::{
    Anchor, Axis as Numbers, BOTTOM, Frame, Page, Row, Scale, Sign, TOP, grid_line, hex, line,
    rectangle, round_step, series_colour, series_point, text,
};

use crate::table::number;

const WIDTH: u32 = 1000;
const MIN_HEIGHT: f64 = 520.0;
/// Height of a bar and of a line of the legend.
const ROW: f64 = 20.0;
/// Room for the number behind the longest bar.
const NUMBER: f64 = 56.0;

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
    pub(crate) fn to_svg(&self) -> String {
        match &self.marks {
            Marks::Lines { x, y, lines } => draw_lines(&self.title, *x, *y, lines),
            Marks::Bars(bars) => draw_bars(&self.title, bars),
        }
    }
}

/// From where to where an axis over these values goes: from one round number to another.
fn scale(axis: Axis, values: impl Iterator<Item = f64>) -> Scale {
    let (least, greatest) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |ends, value| {
        (ends.0.min(value), ends.1.max(value))
    });
    let (low, high, step) = if axis.log {
        (least.max(1e-12).log10() + 1e-9, greatest.max(1e-12).log10() - 1e-9, 1.0)
    } else {
        let low = if least >= 0.0 && least < greatest / 2.0 { 0.0 } else { least };
        (low, greatest, round_step((greatest - low) / 8.0))
    };
    let first = (low / step).floor();
    let last = (high / step).ceil().max(first + 1.0);
    Scale { is_logarithmic: axis.log, low: first * step, high: last * step }
}

fn draw_lines(title: &str, x: Axis, y: Axis, lines: &[Line]) -> String {
    let height = MIN_HEIGHT.max(TOP + ROW * lines.len() as f64);
    let mut page = Page::new(WIDTH, height as u32, title);
    let row = |(i, line): (usize, &Line)| Row::new(Sign::Series(i), line.name.as_str(), "");
    let room = page.legend(lines.iter().enumerate().map(row).collect());
    let points = || lines.iter().flat_map(|line| &line.points);
    let ranges = lines.iter().flat_map(|line| &line.ranges).flat_map(|range| [range.0, range.1]);
    let x_scale = scale(x, points().map(|point| point.0));
    let y_scale = scale(y, points().map(|point| point.1).chain(ranges));
    let up = y_scale.vertical(room.height, y.name.to_owned());
    let panel = room.right_of(&up);
    let across = x_scale.horizontal(panel.width, x.name.to_owned());
    let right = |share: f64| panel.x + share * panel.width;
    let above = |share: f64| panel.y + (1.0 - share) * panel.height;
    for (share, _) in &across.ticks {
        page.add(grid_line((right(*share), above(0.0)), (right(*share), above(1.0))));
    }
    for (share, _) in &up.ticks {
        page.add(grid_line((right(0.0), above(*share)), (right(1.0), above(*share))));
    }
    let place = |px: f64, py: f64| (right(x_scale.share(px)), above(y_scale.share(py)));
    for (i, Line { points, ranges, .. }) in lines.iter().enumerate() {
        let colour = series_colour(i);
        for pair in points.windows(2) {
            page.add(line(place(pair[0].0, pair[0].1), place(pair[1].0, pair[1].1), colour, 1.0));
        }
        for (&(px, _), &(least, most)) in points.iter().zip(ranges) {
            page.add(line(place(px, least), place(px, most), colour, 1.0));
        }
        for &(px, py) in points {
            page.add(series_point(i, place(px, py)));
        }
    }
    page.axes(panel, &across, &up);
    page.finish()
}

fn draw_bars(title: &str, bars: &[(String, f64, Whose)]) -> String {
    let n = bars.len() as f64;
    let mut page = Page::new(WIDTH, (TOP + ROW * n + BOTTOM) as u32, title);
    let kinds = ["processor", "GPU", "others"].into_iter().enumerate();
    let kinds = kinds.map(|(i, name)| Row::new(Sign::Colour(series_colour(i)), name, ""));
    let room = page.legend(kinds.collect());
    let names = (0..).zip(bars).map(|(i, bar)| (1.0 - (f64::from(i) + 0.5) / n, bar.0.clone()));
    let up = Numbers::new(names.collect(), String::new());
    let panel = room.right_of(&up);
    let panel = Frame { width: panel.width - NUMBER, ..panel };
    let values = || bars.iter().map(|bar| bar.1).filter(|value| *value > 0.0);
    // the shortest bar is seen
    let shortest = values().fold(f64::INFINITY, f64::min) / 1.3;
    let scale = scale(Axis { name: "", log: true }, values().chain([shortest]));
    let across = scale.horizontal(panel.width, String::new());
    for (share, _) in &across.ticks {
        let x = panel.x + share * panel.width;
        page.add(grid_line((x, panel.y), (x, panel.y + panel.height)));
    }
    for (i, (_, value, whose)) in (0..).zip(bars) {
        let y = panel.y + ROW * f64::from(i);
        let width = scale.share(*value).max(0.0) * panel.width;
        let bar = Frame { x: panel.x, y: y + 3.0, width, height: ROW - 6.0 };
        page.add(rectangle(bar).set("fill", hex(series_colour(*whose as usize))));
        let end = (panel.x + width + 6.0, y + ROW / 2.0 + 4.0);
        page.add(text(end, 12.0, Anchor::Start, number(Some(*value))));
    }
    page.axes(panel, &across, &up);
    page.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_hold_their_values_and_end_at_round_numbers() {
        let log = Axis { name: "n", log: true };
        let linear = Axis { name: "n", log: false };
        let ends = |axis: Axis, values: &[f64]| {
            let scale = scale(axis, values.iter().copied());
            (scale.low, scale.high)
        };
        assert_eq!(ends(log, &[0.4, 70.0]), (-1.0, 2.0));
        assert_eq!(ends(log, &[100.0]), (2.0, 3.0));
        assert_eq!(ends(linear, &[14.0, 18.0]), (14.0, 18.0));
        assert_eq!(ends(linear, &[3.0, 190.0]), (0.0, 200.0));
        assert_eq!(ends(linear, &[5.0]), (5.0, 6.0));
    }

    #[test]
    fn plots_have_all_names() {
        let bars = ["a & b", "c"].map(|name| (name.to_owned(), 3.0, Whose::Gpu)).to_vec();
        let svg = Plot { title: "ms".into(), marks: Marks::Bars(bars) }.to_svg();
        assert!(svg.contains("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("a &amp; b"), "{svg}");
        let axis = Axis { name: "vertices", log: true };
        let lines = (0..20).map(|i| Line {
            name: format!("line {i}"),
            points: vec![(10.0, 2.0), (1000.0, f64::from(i + 1))],
            ranges: vec![(1.0, 3.0)],
        });
        let marks = Marks::Lines { x: axis, y: axis, lines: lines.collect() };
        let svg = Plot { title: "many".into(), marks }.to_svg();
        assert!((0..20).all(|i| svg.contains(&format!("line {i}\n"))) && svg.contains("vertices"));
    }
}
