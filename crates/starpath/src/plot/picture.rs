//! The file of a picture: its format and size, and how it is written.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::bail;
use graph_formats::AtomicFile;
use pictures::{FAMILY, FONT};
use resvg::{tiny_skia, usvg};

use crate::failure::WrongUse;
use crate::output::{check_file, is_standard_output, shown_output};

/// Pixels that a side may have: text needs some, and memory is not endless.
const SIDES: std::ops::RangeInclusive<u32> = 400..=8000;

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let side = |text: &str| text.parse().ok().filter(|side| SIDES.contains(side));
        let (width, height) = text.split_once('x').unwrap_or_default();
        match (side(width), side(height)) {
            (Some(width), Some(height)) => Ok(Self { width, height }),
            _ => {
                let (least, most) = SIDES.into_inner();
                Err(format!("expected WIDTHxHEIGHT, each from {least} to {most} pixels"))
            }
        }
    }
}

enum Format {
    Svg,
    Png,
}

/// A file that a picture is to be written to.
pub(crate) struct PictureFile {
    path: PathBuf,
    format: Format,
}

impl PictureFile {
    /// Says at once why the file could not be written later, if so. It must be none of those that
    /// the command reads.
    pub(crate) fn check<'a>(
        path: &Path,
        inputs: impl Iterator<Item = &'a Path>,
    ) -> anyhow::Result<Self> {
        let format = match path.extension().and_then(|suffix| suffix.to_str()) {
            _ if is_standard_output(path) => Format::Svg,
            Some("svg") => Format::Svg,
            Some("png") => Format::Png,
            _ => {
                let shown = path.display();
                let message = format!(
                    "{shown}: unknown picture format; expected .svg or .png, or - for .svg to \
                     standard output"
                );
                return Err(WrongUse(message).into());
            }
        };
        check_file(path, &inputs.collect::<Vec<_>>())?;
        Ok(Self { path: path.to_owned(), format })
    }

    /// Writes the picture that an SVG document describes.
    pub(crate) fn write(&self, document: &str) -> anyhow::Result<()> {
        let png;
        let bytes = match self.format {
            Format::Svg => document.as_bytes(),
            Format::Png => {
                png = render(document)?;
                &png
            }
        };
        let mut file = AtomicFile::create(&self.path)?;
        file.write_all(bytes).map_err(|error| file.error(error))?;
        Ok(file.commit()?)
    }

    /// The file, for the report.
    pub(crate) fn shown(&self) -> String {
        shown_output(&self.path)
    }
}

/// The document as a PNG, a pixel of it a pixel there, in the font that comes with the program.
fn render(document: &str) -> anyhow::Result<Vec<u8>> {
    let mut options = usvg::Options::default();
    options.fontdb_mut().load_font_data(FONT.to_vec());
    let family = FAMILY.split(',').next().unwrap_or_default();
    options.font_family = family.to_owned();
    options.fontdb_mut().set_sans_serif_family(family);
    let tree = usvg::Tree::from_str(document, &options)?;
    let size = tree.size().to_int_size();
    let Some(mut pixels) = tiny_skia::Pixmap::new(size.width(), size.height()) else {
        bail!("no memory for {} x {} pixels", size.width(), size.height());
    };
    resvg::render(&tree, tiny_skia::Transform::default(), &mut pixels.as_mut());
    Ok(pixels.encode_png()?)
}
