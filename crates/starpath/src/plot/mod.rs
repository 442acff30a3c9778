//! Pictures, as SVG or as PNG: what `starpath plot` draws.
//!
//! A picture is an SVG document, in which axes, legend and text are vectors; a PNG is that
//! document rendered, with a font that comes with the program. What would be more marks than a
//! viewer can hold is one image in it, a [`layer`].

pub(crate) mod bands;
pub(crate) mod heat;
pub(crate) mod histogram;
mod layer;
pub(crate) mod map;
pub(crate) mod picture;
