//! A page: a title, a panel with axes, a legend beside it, as an SVG document.

use colorous::Color;
use svg::Document;
use svg::node::Node;
use svg::node::element::{Group, Line, Rectangle, Text};

use crate::axis::{Axis, TICK_SIZE};
use crate::colours::{BLACK, GREY, WHITE, hex};
use crate::text::{FAMILY, fitted};

const TITLE_SIZE: f64 = 16.0;
const AXIS_SIZE: f64 = 12.0;
/// Room at the edges and between parts.
pub(crate) const MARGIN: f64 = 16.0;
/// Room above a panel, for the title.
pub const TOP: f64 = 48.0;
/// Room for the numbers of a horizontal axis.
const BELOW: f64 = 22.0;
/// Room below a panel, for these and the title of the axis.
pub const BOTTOM: f64 = BELOW + 32.0;
/// From an axis to its numbers.
const TICK: f64 = 5.0;

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// From the left edge of the page.
    pub x: f64,
    /// From its upper edge, downwards.
    pub y: f64,
    /// To the right.
    pub width: f64,
    /// Downwards.
    pub height: f64,
}

/// The end of a text that stands at its place.
#[derive(Clone, Copy, Debug)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// A document that is being drawn.
#[derive(Debug)]
pub struct Page {
    document: Document,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Page {
    /// A white page with a title, of a size in pixels.
    pub fn new(width: u32, height: u32, title: &str) -> Self {
        let document = Document::new()
            .set("width", width)
            .set("height", height)
            .set("viewBox", (0, 0, width, height))
            .set("font-family", FAMILY);
        let (width, height) = (f64::from(width), f64::from(height));
        let mut page = Self { document, width, height };
        let sheet = Frame { x: 0.0, y: 0.0, width, height };
        page.add(rectangle(sheet).set("fill", hex(WHITE)));
        let title = fitted(title, TITLE_SIZE, width - 2.0 * MARGIN);
        page.add(text((MARGIN, 30.0), TITLE_SIZE, Anchor::Start, title));
        page
    }

    /// Adds an element above those that are there.
    pub fn add(&mut self, node: impl Into<Box<dyn Node>>) {
        self.document.append(node);
    }

    /// Draws axes at the left of a panel and below it.
    pub fn axes(&mut self, panel: Frame, across: &Axis, up: &Axis) {
        let Frame { x, y, width, height } = panel;
        let bottom = y + height;
        let mut group = Group::new().set("class", "axes");
        group = group.add(
            rectangle(panel).set("fill", "none").set("stroke", hex(GREY)).set("stroke-width", 1),
        );
        for (at, label) in &across.ticks {
            let at = x + at * width;
            group = group.add(line((at, bottom), (at, bottom + TICK), GREY, 1.0)).add(
                if across.is_turned {
                    let place = (at + TICK_SIZE * 0.36, bottom + TICK + 4.0);
                    turned(text(place, TICK_SIZE, Anchor::End, label.clone()), place)
                } else {
                    let place = (at, bottom + TICK + 13.0);
                    text(place, TICK_SIZE, Anchor::Middle, label.clone())
                },
            );
        }
        for (at, label) in &up.ticks {
            let at = bottom - at * height;
            group = group.add(line((x - TICK, at), (x, at), GREY, 1.0)).add(text(
                (x - TICK - 4.0, at + TICK_SIZE * 0.36),
                TICK_SIZE,
                Anchor::End,
                label.clone(),
            ));
        }
        let below = fitted(&across.title, AXIS_SIZE, width);
        let middle = (x + width / 2.0, bottom + below_of(across) + 18.0);
        group = group.add(text(middle, AXIS_SIZE, Anchor::Middle, below));
        let beside = (x - left_of(up) + AXIS_SIZE, y + height / 2.0);
        let title = text(beside, AXIS_SIZE, Anchor::Middle, fitted(&up.title, AXIS_SIZE, height));
        group = group.add(turned(title, beside));
        self.add(group);
    }

    /// The document as text.
    pub fn finish(self) -> String {
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", self.document)
    }
}

impl Frame {
    /// What is left of the room when the vertical axis has its part.
    pub fn right_of(self, up: &Axis) -> Self {
        let left = left_of(up);
        // at whole pixels, so that images need no blending
        let x = (self.x + left).round();
        Self { x, width: (self.width - left).floor(), ..self }
    }

    /// What is left of the room when the horizontal axis has more than its usual part.
    pub fn above(self, across: &Axis) -> Self {
        Self { height: self.height + BELOW - below_of(across), ..self }
    }
}

/// Room for the numbers or names of a horizontal axis.
fn below_of(across: &Axis) -> f64 {
    if across.is_turned { TICK + 4.0 + across.width().ceil() } else { BELOW }
}

/// A text that reads upwards.
fn turned(text: Text, (x, y): (f64, f64)) -> Text {
    text.set("transform", format!("rotate(-90 {} {})", rounded(x), rounded(y)))
}

/// Room for a vertical axis: its title, its numbers.
fn left_of(up: &Axis) -> f64 {
    AXIS_SIZE + 8.0 + up.width() + TICK + 4.0
}

/// A number of pixels with one decimal.
pub fn rounded(pixels: f64) -> f64 {
    (pixels * 10.0).round() / 10.0
}

/// A rectangle without colours.
pub fn rectangle(frame: Frame) -> Rectangle {
    Rectangle::new()
        .set("x", rounded(frame.x))
        .set("y", rounded(frame.y))
        .set("width", rounded(frame.width))
        .set("height", rounded(frame.height))
}

/// A straight line.
pub fn line(from: (f64, f64), to: (f64, f64), colour: Color, width: f64) -> Line {
    Line::new()
        .set("x1", rounded(from.0))
        .set("y1", rounded(from.1))
        .set("x2", rounded(to.0))
        .set("y2", rounded(to.1))
        .set("stroke", hex(colour))
        .set("stroke-width", width)
}

/// A line of a grid, which is behind what is drawn.
pub fn grid_line(from: (f64, f64), to: (f64, f64)) -> Line {
    line(from, to, GREY, 1.0).set("opacity", 0.3)
}

/// A text on one line.
pub fn text(at: (f64, f64), size: f64, anchor: Anchor, content: String) -> Text {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    Text::new(content)
        .set("x", rounded(at.0))
        .set("y", rounded(at.1))
        .set("font-size", size)
        .set("text-anchor", anchor)
        .set("fill", hex(BLACK))
}
