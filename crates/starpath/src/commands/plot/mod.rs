//! `starpath plot`: pictures of distances, degrees and matrices.

mod degrees;
mod distances;
mod map;
mod matrix;
mod pairs;

use std::fmt;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use crate::cli::{Common, PlotArgs, PlotCommand};
use crate::ids::shown;
use crate::plot::picture::PictureFile;
use crate::report::{Head, Ms, VERTICES, counted, milliseconds};

pub(crate) fn run(args: &PlotArgs, common: &Common) -> anyhow::Result<()> {
    match &args.what {
        PlotCommand::Map(args) => map::run(args, common),
        PlotCommand::Matrix(args) => matrix::run(args, common),
        PlotCommand::Degrees(args) => degrees::run(args, common),
        PlotCommand::Distances(args) => distances::run(args, common),
    }
}

/// The fields of every picture's report, and those of this picture.
#[derive(Serialize)]
struct Report<S> {
    command: &'static str,
    #[serde(flatten)]
    made: Made,
    draw_ms: Ms,
    output: String,
    #[serde(flatten)]
    shows: S,
}

/// The algorithm and the time behind the numbers of a picture.
#[derive(Serialize)]
struct Made {
    algorithm: Option<&'static str>,
    backend: &'static str,
    vertices: usize,
    load_ms: Option<Ms>,
    solve_ms: Option<Ms>,
}

impl Made {
    fn of(head: Head) -> Self {
        let Head { algorithm, backend, vertices, load_ms, solve_ms, .. } = head;
        Self { algorithm, backend, vertices, load_ms, solve_ms }
    }

    /// Draws the picture, writes it, and prints the report.
    fn report<S>(
        self,
        file: &PictureFile,
        shows: S,
        draw: impl FnOnce() -> anyhow::Result<String>,
    ) -> anyhow::Result<Report<S>> {
        let start = Instant::now();
        file.write(&draw()?)?;
        let (draw_ms, output) = (milliseconds(start.elapsed()), file.shown());
        Ok(Report { command: "plot", made: self, draw_ms, output, shows })
    }
}

impl<S: fmt::Display> fmt::Display for Report<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let vertices = counted(self.made.vertices, VERTICES);
        writeln!(f, "{}: {vertices}, drawn in {} ms", self.output, self.draw_ms)?;
        self.shows.fmt(f)
    }
}

/// The name of a file in a title, without its folder.
fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| shown(path), |name| name.to_string_lossy().into_owned())
}
