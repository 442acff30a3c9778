//! Pages of pictures as SVG documents: a title, a panel with axes, a legend beside it.
//!
//! Widths of texts are those of the [`FONT`], so that no text lies over another or leaves the
//! page; one that has no room ends with an ellipsis. The callers draw marks into the panel, as
//! elements of the crate `svg`.

mod axis;
mod colours;
mod legend;
mod page;
mod series;
mod text;

pub use axis::{Axis, Scale, label, round_step, round_up};
pub use colours::{BLACK, GREY, SINGLE, UNREACHED, WHITE, hex, sequence};
pub use legend::{Row, Sign, source_sign, target_sign};
pub use page::{Anchor, BOTTOM, Frame, Page, TOP, grid_line, line, rectangle, rounded, text};
pub use series::{series_colour, series_point};
pub use text::{FAMILY, FONT};

// the examples of the README are tests
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
