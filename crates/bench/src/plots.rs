//! One drawing a graph: a bar for the median of each solver.
//!
//! Bars grow with the logarithm, for the slowest solver takes a hundred times what the
//! fastest does. Text is left to whoever shows the SVG, so that no fonts are needed.

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::table::number;

const WIDTH: i32 = 900;
const BAR: i32 = 20;
const TOP: i32 = 60;
/// Room for names, at least,
const LEFT: i32 = 220;
/// and for each letter of the longest one.
const LETTER: i32 = 7;
const RIGHT: i32 = 80;

/// Ours, the yardstick, and what others made.
pub(crate) const OURS: RGBColor = RGBColor(60, 110, 180);
pub(crate) const YARDSTICK: RGBColor = RGBColor(200, 120, 40);
pub(crate) const OTHERS: RGBColor = RGBColor(150, 150, 150);

/// What one solver took.
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) median_ms: f64,
    pub(crate) colour: RGBColor,
}

/// The drawing for one graph as SVG.
pub(crate) fn of_bars(graph: &str, bars: &[Bar]) -> Result<String> {
    let mut svg = String::new();
    draw(graph, bars, &mut svg).map_err(|error| anyhow!("cannot draw {graph}: {error}"))?;
    Ok(svg)
}

fn draw(graph: &str, bars: &[Bar], svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let medians: Vec<f64> = bars.iter().map(|bar| bar.median_ms).collect();
    let least = medians.iter().copied().fold(f64::INFINITY, f64::min).max(1e-6);
    let most = medians.iter().copied().fold(least, f64::max);
    let longest = bars.iter().map(|bar| bar.name.len()).max().unwrap_or(0) as i32;
    let left = LEFT.max(LETTER * longest + 16);
    // the axis starts and ends at powers of ten
    let first = (least.log10() - 0.1).floor() as i32;
    let last = (most.log10().ceil() as i32).max(first + 1);
    let per_decade = f64::from(WIDTH - left - RIGHT) / f64::from(last - first);
    let x_of = |ms: f64| left + ((ms.log10() - f64::from(first)) * per_decade).round() as i32;

    let height = TOP + BAR * medians.len() as i32 + 20;
    let area = SVGBackend::with_string(svg, (WIDTH as u32, height as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    let anchored = |size: i32, horizontal| {
        ("sans-serif", size).into_font().color(&BLACK).pos(Pos::new(horizontal, VPos::Center))
    };
    let title = format!("{graph}: milliseconds, median, logarithmic");
    area.draw(&Text::new(title, (20, 20), anchored(16, HPos::Left)))?;
    for exponent in first..=last {
        let ms = 10f64.powi(exponent);
        let x = x_of(ms);
        area.draw(&PathElement::new([(x, TOP - 6), (x, height - 16)], BLACK.mix(0.3)))?;
        area.draw(&Text::new(ms.to_string(), (x, TOP - 16), anchored(12, HPos::Center)))?;
    }
    for (index, Bar { name, median_ms, colour }) in bars.iter().enumerate() {
        let top = TOP + BAR * index as i32;
        let middle = top + BAR / 2;
        let end = x_of(median_ms.max(least));
        area.draw(&Rectangle::new([(left, top + 3), (end, top + BAR - 3)], colour.filled()))?;
        area.draw(&Text::new(name.as_str(), (left - 8, middle), anchored(13, HPos::Right)))?;
        let value = number(Some(*median_ms));
        area.draw(&Text::new(value, (end + 6, middle), anchored(12, HPos::Left)))?;
    }
    area.present()?;
    Ok(())
}
