//! The legend: what colours and signs mean, and how many there are of each.

use colorous::Color;
use svg::node::element::{Circle, Group, Rectangle};

use crate::colours::{BLACK, GREY, WHITE, hex};
use crate::page::{Anchor, BOTTOM, Frame, MARGIN, Page, TOP, line, rectangle, rounded, text};
use crate::series::{series_colour, series_point};
use crate::text::{fitted, width};

/// Size of its letters.
const SIZE: f64 = 12.0;
/// Height of a row.
const ROW: f64 = 20.0;
/// Width of a sign, with the room beside it.
const SIGN: f64 = 24.0;
/// Room before the counts.
const GAP: f64 = 16.0;

/// A sign of the legend.
#[derive(Clone, Copy, Debug)]
pub enum Sign {
    /// A square of this colour.
    Colour(Color),
    /// An empty square.
    Outline,
    /// A line with a point of the i-th series.
    Series(usize),
    /// The line of a path.
    Path,
    /// Where a search starts.
    Source,
    /// Where a path ends.
    Target,
    /// Nothing: the row is a heading or a remark.
    None,
}

/// A row: its sign, what that means, and how many there are.
#[derive(Clone, Debug)]
pub struct Row {
    sign: Sign,
    text: String,
    count: String,
}

impl Row {
    /// A row with the text beside its sign, and a count where that is not empty.
    pub fn new(sign: Sign, text: impl Into<String>, count: impl Into<String>) -> Self {
        Self { sign, text: text.into(), count: count.into() }
    }
}

impl Page {
    /// Draws the legend at the right, and returns the room that is left for the panel and the
    /// numbers of its vertical axis.
    pub fn legend(&mut self, mut rows: Vec<Row>) -> Frame {
        let room = 0.4 * self.width;
        let counts = rows.iter().map(|row| width(&row.count, SIZE)).fold(0.0, f64::max);
        let gap = if counts > 0.0 { GAP } else { 0.0 };
        for row in &mut rows {
            // a remark may go on under the counts
            let beside = if row.count.is_empty() { 0.0 } else { gap + counts };
            row.text = fitted(&row.text, SIZE, room - SIGN - beside);
        }
        let texts_with = |is_counted: bool| {
            let rows = rows.iter().filter(move |row| row.count.is_empty() != is_counted);
            rows.map(|row| width(&row.text, SIZE)).fold(0.0, f64::max)
        };
        let counted = texts_with(true);
        let legend = SIGN + (counted + gap + counts).max(texts_with(false));
        let x = self.width - MARGIN - legend;
        let mut group = Group::new().set("class", "legend");
        for (i, Row { sign, text: meaning, count }) in rows.into_iter().enumerate() {
            let middle = TOP + ROW * (i as f64 + 0.5);
            let baseline = middle + SIZE * 0.36;
            let at = (x + 8.0, middle);
            let square =
                rectangle(Frame { x: x + 1.0, y: middle - 7.0, width: 14.0, height: 14.0 });
            group = match sign {
                Sign::Colour(colour) => group.add(
                    square
                        .set("fill", hex(colour))
                        .set("stroke", hex(GREY))
                        .set("stroke-width", 0.5),
                ),
                Sign::Outline => group.add(
                    square.set("fill", "none").set("stroke", hex(BLACK)).set("stroke-width", 1.5),
                ),
                Sign::Series(i) => group
                    .add(line((x, middle), (x + 16.0, middle), series_colour(i), 1.0))
                    .add(series_point(i, at)),
                Sign::Path => group
                    .add(line((x, middle), (x + 16.0, middle), WHITE, 5.0))
                    .add(line((x, middle), (x + 16.0, middle), BLACK, 2.0)),
                Sign::Source => group.add(source_sign(at)),
                Sign::Target => group.add(target_sign(at)),
                Sign::None => group,
            };
            group = group.add(text((x + SIGN, baseline), SIZE, Anchor::Start, meaning));
            if !count.is_empty() {
                group = group.add(text((x + legend, baseline), SIZE, Anchor::End, count));
            }
        }
        self.add(group);
        let height = self.height - TOP - BOTTOM;
        Frame { x: MARGIN, y: TOP, width: x - 2.0 * MARGIN, height }
    }
}

/// The sign of a source.
pub fn source_sign((x, y): (f64, f64)) -> Circle {
    Circle::new()
        .set("cx", rounded(x))
        .set("cy", rounded(y))
        .set("r", 5.5)
        .set("fill", hex(WHITE))
        .set("stroke", hex(BLACK))
        .set("stroke-width", 2.5)
}

/// The sign of a target.
pub fn target_sign((x, y): (f64, f64)) -> Rectangle {
    Rectangle::new()
        .set("x", rounded(x - 5.0))
        .set("y", rounded(y - 5.0))
        .set("width", 10)
        .set("height", 10)
        .set("fill", hex(WHITE))
        .set("stroke", hex(BLACK))
        .set("stroke-width", 2.5)
}
