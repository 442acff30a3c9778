//! The paper's two plots: figures by scale, and how many times as fast as the host.
//!
//! Text is left to whoever shows the SVG, so that no fonts are needed.

use anyhow::{Result, anyhow};
use graph_formats::WeightKind;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Options;
use super::figures::{ScaleReport, Spread, Who};
use crate::table::number;

const SIZE: (u32, u32) = (900, 560);
/// Where the names of the lines begin.
const NAMES: i32 = 720;
/// Between the lines of a plot with bars, so that bars do not hide one another; in scales.
const STEP: f64 = 0.08;
/// Half the width of the ends of a bar, in scales.
const BAR_END: f64 = 0.03;
/// One for each solver, in the order of [`Who::all`].
const COLOURS: [RGBColor; 7] = [
    RGBColor(31, 119, 180),
    RGBColor(255, 127, 14),
    RGBColor(44, 160, 44),
    RGBColor(214, 39, 40),
    RGBColor(148, 103, 189),
    RGBColor(80, 80, 80),
    RGBColor(227, 119, 194),
];

/// A line of a plot: a name, a colour, and a value for each scale.
struct Series {
    name: String,
    colour: RGBColor,
    points: Vec<(f64, Spread)>,
}

/// The file names and drawings for one type of weights: one, or two where the host was
/// measured.
pub(super) fn of(
    kind: WeightKind,
    options: &Options,
    reports: &[ScaleReport],
) -> Result<Vec<(String, String)>> {
    let solvers = Who::all(options.segments());
    let series = |value: &dyn Fn(&ScaleReport, Who) -> Option<Spread>| -> Vec<Series> {
        let all = solvers.iter().zip(COLOURS).map(|(&who, colour)| {
            let point = |report: &ScaleReport| Some((f64::from(report.scale), value(report, who)?));
            let points = reports.iter().filter_map(point).collect();
            Series { name: who.heading(), colour, points }
        });
        all.filter(|series| !series.points.is_empty()).collect()
    };
    let rates = series(&|report, who| report.rate(kind, who));
    let speed_ups = series(&|report, who| match who {
        Who::HostDijkstra => None,
        who => report.speed_up(kind, who),
    });
    let mut drawings = Vec::new();
    let plots = [
        ("arcs", "M arcs/s, mean over the sources", rates, false),
        ("speed-up", "times as fast as host Dijkstra, mean and range", speed_ups, true),
    ];
    for (name, what, series, with_range) in plots {
        if series.is_empty() {
            continue;
        }
        let name = format!("{kind}-{name}.svg");
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        draw(area, &format!("R-MAT by scale, {kind}: {what}"), &series, with_range)
            .map_err(|error| anyhow!("cannot draw {name}: {error}"))?;
        drawings.push((name, svg));
    }
    Ok(drawings)
}

fn draw(
    area: DrawingArea<SVGBackend<'_>, Shift>,
    title: &str,
    series: &[Series],
    with_range: bool,
) -> Result<(), Box<dyn std::error::Error>> {
    let points = || series.iter().flat_map(|series| &series.points);
    let lows = points().map(|(_, spread)| if with_range { spread.min } else { spread.mean });
    let highs = points().map(|(_, spread)| if with_range { spread.max } else { spread.mean });
    let low = lows.fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE);
    let high = highs.fold(low, f64::max);
    let first = points().map(|point| point.0).fold(f64::INFINITY, f64::min);
    let last = points().map(|point| point.0).fold(first, f64::max);

    // from a power of ten to another, for those have labels
    let bottom = 10f64.powf(low.log10().floor());
    let top = 10f64.powf(high.log10().ceil()).max(10.0 * bottom);
    let middle = (series.len() as f64 - 1.0) / 2.0;

    area.fill(&WHITE)?;
    let (left, right) = area.split_horizontally(NAMES);
    let mut chart = ChartBuilder::on(&left)
        .caption(title, ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(32)
        .y_label_area_size(72)
        // half a scale on each side, so that a single one has room too
        .build_cartesian_2d(first - 0.5..last + 0.5, (bottom..top).log_scale())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels((last - first) as usize + 1)
        .x_label_formatter(&|scale| format!("{scale:.0}"))
        .y_label_formatter(&|value| number(Some(*value)))
        .x_desc("scale")
        .draw()?;
    for (index, Series { name, colour, points }) in (0..).zip(series) {
        let aside = if with_range { STEP * (f64::from(index) - middle) } else { 0.0 };
        let line = colour.stroke_width(2);
        let means = points.iter().map(|(scale, spread)| (scale + aside, spread.mean));
        chart.draw_series(LineSeries::new(means.clone(), line))?;
        chart.draw_series(means.map(|point| Circle::new(point, 3, colour.filled())))?;
        if with_range {
            let bars = points.iter().flat_map(|(scale, Spread { min, max, .. })| {
                let x = scale + aside;
                let end = |value| [(x - BAR_END, value), (x + BAR_END, value)];
                [[(x, *min), (x, *max)], end(*min), end(*max)]
            });
            chart.draw_series(bars.map(|bar| PathElement::new(bar, colour)))?;
        }
        let y = 60 + 22 * index;
        right.draw(&PathElement::new([(4, y), (26, y)], line))?;
        let style =
            ("sans-serif", 14).into_font().color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center));
        right.draw(&Text::new(name.as_str(), (32, y), style))?;
    }
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::segments::figures::tests::report;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        options: Options,
    }

    #[test]
    fn what_was_not_measured_is_not_drawn() {
        let options = Program::parse_from(["bench"]).options;
        let reports = [report(), ScaleReport { scale: 9, ..report() }];
        let drawings = of(WeightKind::U32, &options, &reports).unwrap();
        let [(arcs, first), (speed_up, second)] = &drawings[..] else { panic!("two are there") };
        assert_eq!((arcs.as_str(), speed_up.as_str()), ("u32-arcs.svg", "u32-speed-up.svg"));
        for name in ["segments, plain", "stored, plain"] {
            assert!(first.contains(name) && second.contains(name), "{name}");
        }
        assert!(first.contains("host Dijkstra\n") && !second.contains("host Dijkstra\n"));
        assert!(!first.contains("GPU delta-stepping"));
        assert!(of(WeightKind::F64, &options, &reports).unwrap().is_empty());
    }
}
