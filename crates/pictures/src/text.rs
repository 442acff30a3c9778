//! Letters: the font of pictures, and how wide a text is in it.

use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

/// The font that comes with the program; see the licence beside it.
pub const FONT: &[u8] = include_bytes!("../fonts/DejaVuSans-subset.ttf");

/// Its name, and fonts that take no more room where it is missing.
pub const FAMILY: &str = "DejaVu Sans, Verdana, Arial, sans-serif";

/// How wide a text of this size is, in pixels.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let letters = text.chars().count() as f64;
    let Ok(font) = FontRef::new(FONT) else { return letters * size };
    let metrics = font.glyph_metrics(Size::new(size as f32), LocationRef::default());
    let glyphs = font.charmap();
    let advance = |letter| metrics.advance_width(glyphs.map(letter).unwrap_or_default());
    text.chars().map(|letter| advance(letter).map_or(size, f64::from)).sum()
}

/// The text, or as much of its beginning as fits, with an ellipsis. Characters that no document
/// may hold are replaced.
pub(crate) fn fitted(text: &str, size: f64, room: f64) -> String {
    let mut text: String = text
        .chars()
        .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
        .collect();
    if width(&text, size) <= room {
        return text;
    }
    while text.pop().is_some() {
        let shortened = format!("{}…", text.trim_end());
        if width(&shortened, size) <= room {
            return shortened;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_texts_are_shortened_to_the_room() {
        assert!(width("iii", 12.0) < width("mmm", 12.0));
        assert_eq!(fitted("rome", 12.0, 100.0), "rome");
        let short = fitted("Llanfairpwllgwyngyll", 12.0, 60.0);
        assert!(short.ends_with('…') && width(&short, 12.0) <= 60.0, "{short}");
        assert_eq!(fitted("a\u{1}b", 12.0, 60.0), "a\u{FFFD}b");
        assert_eq!(fitted("rome", 12.0, 0.0), "");
    }
}
