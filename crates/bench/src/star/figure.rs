//! The paper's Figure 6 as a drawing: the memory that an adjacency matrix takes, by vertices.
//!
//! Text is left to whoever shows the SVG, so that no fonts are needed.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use star_machine::storage;

use crate::plots::{OURS, YARDSTICK};

const SIZE: (u32, u32) = (720, 480);
/// Vertices, in thousands; the paper speaks of 180.
const MOST: u32 = 200;
/// Between the points of what is taken here.
const STEP: usize = 20;

/// The paper's formula as a line, tables here as points.
pub(super) fn of_matrices() -> Result<String> {
    let mut svg = String::new();
    draw(&mut svg).map_err(|error| anyhow!("cannot draw Figure 6: {error}"))?;
    Ok(svg)
}

fn draw(svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    let by = |bytes: fn(u32) -> u64| {
        (0..=MOST).map(move |thousands| (f64::from(thousands), gib(bytes(1000 * thousands))))
    };
    let most = by(storage::published_matrix).map(|(_, gib)| gib).fold(0.0, f64::max);
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(
            "Memory of an adjacency matrix: line, the paper's formula; points, here",
            ("sans-serif", 16),
        )
        .margin(12)
        .x_label_area_size(32)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..f64::from(MOST), 0.0..most)?;
    chart
        .configure_mesh()
        .x_label_formatter(&|thousands| format!("{thousands:.0}"))
        .y_label_formatter(&|gib| format!("{gib:.1}"))
        .x_desc("thousands of vertices")
        .y_desc("GB of 2^30 bytes")
        .draw()?;
    let line = YARDSTICK.stroke_width(2);
    chart.draw_series(LineSeries::new(by(storage::published_matrix), line))?;
    let points = by(storage::matrix).step_by(STEP);
    chart.draw_series(points.map(|point| Circle::new(point, 3, OURS.filled())))?;
    area.present()?;
    Ok(())
}
