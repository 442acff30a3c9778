//! An image of few colours: what stands in a picture for more marks than a viewer can hold.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use colorous::Color;
use pictures::{Frame, rounded};
use svg::node::element::Image;

/// Pixels, each empty or of a colour by its number.
pub(super) struct Layer {
    width: usize,
    height: usize,
    /// 0 for an empty pixel, else one more than the number of its colour.
    pixels: Vec<u8>,
}

impl Layer {
    /// An empty one.
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self { width, height, pixels: vec![0; width * height] }
    }

    /// Gives a pixel a colour, unless it has one of a smaller number.
    pub(super) fn paint(&mut self, x: usize, y: usize, colour: usize) {
        let new = colour as u8 + 1;
        let pixel = &mut self.pixels[y * self.width + x];
        if *pixel == 0 || new < *pixel {
            *pixel = new;
        }
    }

    /// Paints the pixels of a square around a place, as far as they are on the layer.
    pub(super) fn paint_square(&mut self, (x, y): (f64, f64), side: f64, colour: usize) {
        let pixels = |centre: f64, end: usize| {
            // a negative number becomes 0
            let first = (centre - side / 2.0).round() as usize;
            first..(first + side as usize).min(end)
        };
        for row in pixels(y, self.height) {
            for column in pixels(x, self.width) {
                self.paint(column, row, colour);
            }
        }
    }

    /// Paints the pixels on a line, as far as they are on the layer.
    pub(super) fn paint_line(&mut self, [from, to]: [(f64, f64); 2], colour: usize) {
        let (across, down) = (to.0 - from.0, to.1 - from.1);
        let n_steps = across.abs().max(down.abs()).ceil().max(1.0);
        for step in 0..=n_steps as usize {
            let share = step as f64 / n_steps;
            let (x, y) = (from.0 + share * across, from.1 + share * down);
            // a negative number becomes 0
            let (x, y) = (x as usize, y as usize);
            if x < self.width && y < self.height {
                self.paint(x, y, colour);
            }
        }
    }

    /// The number of a pixel's colour, if it has one.
    #[cfg(test)]
    pub(super) fn colour(&self, x: usize, y: usize) -> Option<usize> {
        usize::from(self.pixels[y * self.width + x]).checked_sub(1)
    }

    /// The image in its frame, with these colours. Pixels stay sharp where it is enlarged.
    pub(super) fn image(
        &self,
        frame: Frame,
        colours: &[Color],
    ) -> Result<Image, png::EncodingError> {
        Ok(Image::new()
            .set("class", "layer")
            .set("x", rounded(frame.x))
            .set("y", rounded(frame.y))
            .set("width", rounded(frame.width))
            .set("height", rounded(frame.height))
            .set("preserveAspectRatio", "none")
            .set("style", "image-rendering:pixelated")
            .set("href", self.link(colours)?))
    }

    /// It as a PNG, in the form of a link.
    fn link(&self, colours: &[Color]) -> Result<String, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        let palette = colours.iter().flat_map(|colour| [colour.r, colour.g, colour.b]);
        encoder.set_palette([255; 3].into_iter().chain(palette).collect::<Vec<u8>>());
        encoder.set_trns(vec![0]);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(format!("data:image/png;base64,{}", BASE64_STANDARD.encode(bytes)))
    }
}
