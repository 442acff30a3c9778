//! The drawings: for each graph the times of all, and for each family of graphs the times
//! over the size.
//!
//! Text is left to whoever shows the SVG, so that no fonts are needed.

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::side_by_side::{OnGraph, families, of_family, solvers};
use crate::plots::{Bar, OTHERS, OURS, YARDSTICK, of_bars};
use crate::table::number;

const WIDTH: u32 = 1080;
/// Where the names of the lines begin, and how far apart they are.
const NAMES: i32 = 740;
const NAME_HEIGHT: i32 = 20;

/// The times of one solver: vertices and milliseconds.
struct Series {
    name: String,
    colour: HSLColor,
    points: Vec<(f64, f64)>,
}

/// The file names and drawings.
pub(super) fn of(all: &[OnGraph]) -> Result<Vec<(String, String)>> {
    let mut drawings = Vec::new();
    for found in all {
        let bars: Vec<Bar> = found
            .lines
            .iter()
            .filter_map(|line| {
                let (name, median_ms) = (line.solver.clone(), line.median_ms()?);
                let colour = match name.split('/').next() {
                    Some("gpu") => OURS,
                    Some("host") => OTHERS,
                    _ => YARDSTICK,
                };
                Some(Bar { name, median_ms, colour })
            })
            .collect();
        if !bars.is_empty() {
            let name = found.graph.to_string();
            drawings.push((format!("{name}.svg"), of_bars(&name, &bars)?));
        }
    }
    for family in families(all) {
        let of = of_family(family, all);
        let series = series(&of);
        if of.len() > 1 && !series.is_empty() {
            let mut svg = String::new();
            lines(family, &series, &mut svg)
                .map_err(|error| anyhow!("cannot draw {family}: {error}"))?;
            drawings.push((format!("{family}-by-size.svg"), svg));
        }
    }
    Ok(drawings)
}

fn series(of: &[&OnGraph]) -> Vec<Series> {
    let solvers = solvers(of);
    let n_solvers = solvers.len() as f64;
    let all = (0..).zip(solvers).map(|(index, solver)| {
        let point = |found: &&OnGraph| {
            let line = found.lines.iter().find(|line| line.solver == solver)?;
            Some((found.n_vertices as f64, line.median_ms()?))
        };
        // neighbours in the list differ in brightness too
        let brightness = if index % 2 == 0 { 0.35 } else { 0.6 };
        let colour = HSLColor(f64::from(index) / n_solvers, 0.8, brightness);
        let points = of.iter().filter_map(point).collect();
        Series { name: solver.to_owned(), colour, points }
    });
    all.filter(|series| !series.points.is_empty()).collect()
}

fn lines(
    family: &str,
    series: &[Series],
    svg: &mut String,
) -> Result<(), Box<dyn std::error::Error>> {
    let points = || series.iter().flat_map(|series| &series.points);
    let least = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(1e-6, f64::max);
    let fastest = least(&mut points().map(|point| point.1)).max(1e-6);
    let slowest = most(&mut points().map(|point| point.1));
    let smallest = least(&mut points().map(|point| point.0)).max(1.0);
    let largest = most(&mut points().map(|point| point.0));
    // from a power of ten to another, for those have labels
    let bottom = 10f64.powf(fastest.log10().floor());
    let top = 10f64.powf(slowest.log10().ceil()).max(10.0 * bottom);

    let height = (120 + NAME_HEIGHT * series.len() as i32).max(560) as u32;
    let area = SVGBackend::with_string(svg, (WIDTH, height)).into_drawing_area();
    area.fill(&WHITE)?;
    let (left, right) = area.split_horizontally(NAMES);
    let mut chart = ChartBuilder::on(&left)
        .caption(format!("{family} graphs: milliseconds, median, by vertices"), ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(32)
        .y_label_area_size(72)
        .build_cartesian_2d(
            (smallest / 1.5..largest * 1.5).log_scale(),
            (bottom..top).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_label_formatter(&|n| format!("{n:.0}"))
        .y_label_formatter(&|ms| number(Some(*ms)))
        .x_desc("vertices")
        .draw()?;
    for (index, Series { name, colour, points }) in (0..).zip(series) {
        // the host's and the peers' lines are thin
        let line = colour.stroke_width(if name.starts_with("gpu/") { 2 } else { 1 });
        chart.draw_series(LineSeries::new(points.iter().copied(), line))?;
        chart.draw_series(points.iter().map(|&point| Circle::new(point, 3, colour.filled())))?;
        let y = 60 + NAME_HEIGHT * index;
        right.draw(&PathElement::new([(4, y), (26, y)], line))?;
        let style =
            ("sans-serif", 13).into_font().color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center));
        right.draw(&Text::new(name.as_str(), (32, y), style))?;
    }
    area.present()?;
    Ok(())
}
