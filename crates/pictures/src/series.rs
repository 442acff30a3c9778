//! Series of a diagram: they differ in colour and in the shape of their points.

use colorous::Color;
use svg::node::element::Path;

use crate::colours::hex;
use crate::page::rounded;

/// The colours of Okabe and Ito, which colour-blind readers can tell apart.
const COLOURS: [Color; 7] = [
    Color { r: 0, g: 114, b: 178 },
    Color { r: 213, g: 94, b: 0 },
    Color { r: 0, g: 158, b: 115 },
    Color { r: 204, g: 121, b: 167 },
    Color { r: 86, g: 180, b: 233 },
    Color { r: 230, g: 159, b: 0 },
    Color { r: 0, g: 0, b: 0 },
];

/// The colour of the i-th series.
pub fn series_colour(i: usize) -> Color {
    COLOURS[i % COLOURS.len()]
}

/// A point of the i-th series: a disc, a triangle where all colours have one, or else a cross.
pub fn series_point(i: usize, (x, y): (f64, f64)) -> Path {
    let shape = match i / COLOURS.len() {
        0 => "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
        1 => "m0-5l5 8h-10z",
        _ => "m-4-4l8 8m0-8l-8 8",
    };
    let colour = hex(series_colour(i));
    Path::new()
        .set("d", format!("M{} {}{shape}", rounded(x), rounded(y)))
        .set("fill", colour.as_str())
        .set("stroke", colour)
}
