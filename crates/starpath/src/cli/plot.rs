//! The flags of `starpath plot`: what it draws, and its size.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::GraphArgs;
use crate::plot::picture::Size;

/// Draw distances, degrees or a matrix as a picture, .svg or .png
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  starpath plot map grid.spg --coordinates grid.csv --source 0 -o grid.svg"
)]
pub(crate) struct PlotArgs {
    #[command(subcommand)]
    pub(crate) what: PlotCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PlotCommand {
    Map(MapArgs),
    Matrix(MatrixArgs),
    Degrees(DegreesArgs),
    Distances(DistancesArgs),
}

/// The file of a picture.
#[derive(Debug, Args)]
#[command(next_help_heading = "Picture")]
pub(crate) struct PictureArgs {
    /// The picture to write: OUT.svg or OUT.png
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "1000x760")]
    pub(crate) size: Size,
}

/// The unit of the weights.
#[derive(Debug, Args)]
pub(crate) struct UnitArgs {
    /// The unit of the weights, for the legend: m, s, km [default: none]
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,
}

impl UnitArgs {
    pub(crate) fn is_given(&self) -> bool {
        self.unit.is_some()
    }

    /// What a picture calls distances.
    pub(crate) fn quantity(&self) -> String {
        match &self.unit {
            Some(unit) => format!("distance ({unit})"),
            None => "distance".to_owned(),
        }
    }

    /// A distance with its unit.
    pub(crate) fn with(&self, distance: &str) -> String {
        match &self.unit {
            Some(unit) => format!("{distance} {unit}"),
            None => distance.to_owned(),
        }
    }
}

/// A map of distances from a vertex, in bands of equal width (isochrones)
#[derive(Debug, Args)]
#[command(after_help = "\
Coordinates (--coordinates), a line for each vertex, which has its name in the graph's file:
  .co        DIMACS: p aux sp co n, then lines v vertex x y
  .csv .tsv  vertex, x, y; a header line may come first; `starpath generate --coordinates` writes it
             or named columns in any order: node_id, x_coord, y_coord; osmid, x, y; lon, lat
Every vertex needs coordinates. The file may be compressed: .co.gz.

A band includes its lower end and not its upper one. Where vertices overlap, the nearest is on top.
With more than 20000 vertices or drawn arcs, the map is a pixel image, in an SVG file too.

Example:
  starpath generate geometric --vertices 5000 --radius 0.02 -o points.spg --coordinates points.csv
  starpath plot map points.spg --coordinates points.csv --source 0 --target 99 -o points.svg
  starpath plot map USA-road-t.NY.gr.gz --coordinates USA-road-d.NY.co.gz --geographic \\
    --source 1 --step 36000 --unit \"0.1 s\" -o ny.png")]
pub(crate) struct MapArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// The coordinates of the vertices: a .co, .csv or .tsv file, see below
    #[arg(long, value_name = "FILE")]
    pub(crate) coordinates: PathBuf,
    /// Coordinates are longitudes and latitudes in degrees, or in a .co file in millionths of
    /// degrees: draw both to one scale
    #[arg(long)]
    pub(crate) geographic: bool,
    /// The vertex to start from
    #[arg(long, value_name = "ID")]
    pub(crate) source: String,
    /// Draw a shortest path to this vertex
    #[arg(long, value_name = "ID")]
    pub(crate) target: Option<String>,
    /// Draw the arcs too, each as a line in the colour of its farther end
    #[arg(long)]
    pub(crate) arcs: bool,
    /// Width of a band of distances [default: a round number, for about 6 bands]
    #[arg(long, value_name = "D", value_parser = parse_step)]
    pub(crate) step: Option<f64>,
    #[command(flatten)]
    pub(crate) unit: UnitArgs,
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}

/// A matrix of distances or a closure as a heat map, in the order of components
#[derive(Debug, Args)]
#[command(after_help = "\
GRAPH may be a saved matrix: of distances, by `apsp --distances OUT.npy`, or a closure, by
`closure -o OUT.npy`. For any other file the distances of all pairs are computed first.

Rows are sources and columns targets, in topological order of the strongly connected components: no
path leads from a row to a column left of the outline of its component. With more vertices than
pixels, a pixel is the mean over those of its pairs that have a path.

Example:
  starpath apsp rome99.gr --distances rome99.npy
  starpath plot matrix rome99.npy --unit m -o rome99.png
  starpath plot matrix links.csv --closure -o links.svg")]
pub(crate) struct MatrixArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// Draw which vertices reach which, instead of distances
    #[arg(long, conflicts_with_all = ["step", "unit"])]
    pub(crate) closure: bool,
    /// Width of a band of distances [default: a round number, for about 6 bands]
    #[arg(long, value_name = "D", value_parser = parse_step)]
    pub(crate) step: Option<f64>,
    #[command(flatten)]
    pub(crate) unit: UnitArgs,
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}

/// A histogram of the degrees of the vertices
#[derive(Debug, Args)]
#[command(after_help = "\
A directed graph has a histogram of out-degrees and one of in-degrees. If degrees exceed 40, the
intervals double: 1, 2 to 3, 4 to 7. Counts that are far apart have a logarithmic axis.

Example:
  starpath plot degrees rmat16.spg -o degrees.svg")]
pub(crate) struct DegreesArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}

/// A histogram of the distances from a source, or of all pairs
#[derive(Debug, Args)]
#[command(after_help = "\
With --source the distances of a search, without it those of all pairs. Without --source GRAPH may be
a matrix of distances that `apsp --distances OUT.npy` wrote.

Example:
  starpath plot distances rome99.gr --source 1 --unit m -o distances.svg
  starpath plot distances rome99.npy --unit m -o pairs.svg")]
pub(crate) struct DistancesArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// The vertex to start from
    #[arg(long, value_name = "ID")]
    pub(crate) source: Option<String>,
    #[command(flatten)]
    pub(crate) unit: UnitArgs,
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}

fn parse_step(text: &str) -> Result<f64, String> {
    let step = text.parse().ok().filter(|step: &f64| step.is_normal() && *step > 0.0);
    step.ok_or_else(|| "expected a number greater than 0".to_owned())
}
