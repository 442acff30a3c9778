//! `starpath plot map`: distances over coordinates.

use std::fmt;
use std::path::Path;

use anyhow::{anyhow, bail};
use graph_formats::{Csr, Direction, VertexId, read_coordinates};
use paths::Number;
use pictures::label;
use serde::Serialize;
use sssp::Goal;

use super::{Made, Report, file_name};
use crate::cli::{Common, Configs, MapArgs};
use crate::failure::WrongUse;
use crate::ids::Id;
use crate::load::{Loaded, load};
use crate::plot::bands::Bands;
use crate::plot::map::{Map, Target, census};
use crate::plot::picture::PictureFile;
use crate::report::{Amount, VERTICES, counted};
use crate::search::search;

/// The unit of a `.co` file, in degrees.
const MILLIONTHS: f64 = 1e-6;

#[derive(Serialize)]
struct Shows {
    source: Id,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Id>,
    /// The distance of the target, if a path leads there.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<Amount>,
    bands: Vec<Band>,
    /// Vertices that the source does not reach.
    unreached: usize,
}

/// The number of vertices at a distance of at least `from` and less than `to`.
#[derive(Serialize)]
struct Band {
    from: f64,
    to: f64,
    vertices: usize,
}

pub(crate) fn run(args: &MapArgs, common: &Common) -> anyhow::Result<()> {
    let inputs = args.graph.inputs().chain([args.coordinates.as_path()]);
    let file = PictureFile::check(&args.picture.output, inputs)?;
    let configs = Configs::auto(common);
    let loaded = load(&args.graph, common)?;
    loaded.print(draw(&loaded, args, &configs, &file, common), common)
}

fn draw(
    loaded: &Loaded,
    args: &MapArgs,
    configs: &Configs,
    file: &PictureFile,
    common: &Common,
) -> anyhow::Result<Report<Shows>> {
    let names = loaded.names();
    let source = names.vertex("source", &args.source)?;
    let target = args.target.as_deref().map(|id| names.vertex("target", id)).transpose()?;
    let mut positions = read_coordinates(&args.coordinates, &loaded.ids, names.n_vertices)?;
    let stretch = match args.geographic {
        true => to_degrees(&mut positions, &args.coordinates)?,
        false => 1.0,
    };
    let (tree, searched) = search(loaded, "plot", source, Goal::All, configs, common)?;
    let distances: Vec<_> = tree.distances.iter().map(|d| d.map(Number::to_f64)).collect();
    let is_whole = loaded.csr.kind().is_integer();
    let bands = Bands::new(distances.iter().copied().flatten(), args.step, is_whole);
    let bands = bands.map_err(WrongUse)?;
    let (counts, unreached) = census(&distances, &bands);
    let distance = target.and_then(|target| tree.distance(target));
    let path = |distance: Option<Number>| match distance.map(Number::to_f64) {
        Some(distance) => {
            let text = if is_whole { label(distance, 1.0) } else { distance.to_string() };
            format!("shortest path, {}", args.unit.with(&text))
        }
        None => "no path to the target".to_owned(),
    };
    let arcs = if args.arcs { lines(&loaded.csr.unweighted()) } else { Vec::new() };
    let map = Map {
        title: format!("Distances from {} in {}", names.name(source), file_name(&loaded.path)),
        quantity: args.unit.quantity(),
        positions: &positions,
        axes: match args.geographic {
            true => ["longitude (°)".to_owned(), "latitude (°)".to_owned()],
            false => ["x".to_owned(), "y".to_owned()],
        },
        stretch,
        distances: &distances,
        bands: &bands,
        arcs: &arcs,
        source: (source, names.name(source).to_string()),
        target: target.map(|vertex| Target {
            vertex,
            name: names.name(vertex).to_string(),
            path: tree.path_to(vertex),
            legend: path(distance),
        }),
    };
    let shows = Shows {
        source: names.name(source).into(),
        target: target.map(|target| names.name(target).into()),
        distance: distance.map(Amount::from),
        bands: (0..)
            .zip(counts)
            .map(|(band, vertices)| {
                let (from, to) = bands.ends(band);
                Band { from, to, vertices }
            })
            .collect(),
        unreached,
    };
    Made::of(searched.head).report(file, shows, || map.draw(args.picture.size))
}

/// The pairs of vertices that arcs join, undirected edges once.
fn lines(graph: &Csr<u32>) -> Vec<(VertexId, VertexId)> {
    let is_undirected = graph.direction() == Direction::Undirected;
    let arcs = graph.arcs().map(|(u, v, _)| (u, v));
    arcs.filter(|&(u, v)| !is_undirected || u < v).collect()
}

/// Converts longitudes and latitudes to degrees. Returns the ratio of a degree of latitude to one
/// of longitude in the middle of the map.
fn to_degrees(positions: &mut [[f64; 2]], path: &Path) -> anyhow::Result<f64> {
    let is_co = path.file_stem().zip(path.extension()).is_some_and(|(stem, suffix)| {
        suffix.eq_ignore_ascii_case("co")
            || Path::new(stem).extension().is_some_and(|s| s.eq_ignore_ascii_case("co"))
    });
    let factor = if is_co { MILLIONTHS } else { 1.0 };
    let mut ends = (f64::INFINITY, f64::NEG_INFINITY);
    for [x, y] in positions.iter_mut() {
        (*x, *y) = (*x * factor, *y * factor);
        if x.abs() > 360.0 || y.abs() > 90.0 {
            bail!(
                "{}: expected a longitude and a latitude in degrees, found {x}, {y}",
                path.display()
            );
        }
        ends = (ends.0.min(*y), ends.1.max(*y));
    }
    let middle = ((ends.0 + ends.1) / 2.0).to_radians();
    let stretch = 1.0 / middle.cos();
    if stretch.is_finite() && stretch < 1e3 {
        Ok(stretch)
    } else {
        Err(anyhow!(
            "{}: a map cannot have a pole in its middle; leave --geographic out",
            path.display()
        ))
    }
}

impl fmt::Display for Shows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reached = self.bands.iter().map(|band| band.vertices).sum();
        let reached = counted(reached, VERTICES);
        let unreached = counted(self.unreached, VERTICES);
        writeln!(
            f,
            "{} reaches {reached}, in {} bands; {unreached} unreached",
            self.source,
            self.bands.len()
        )?;
        match (&self.target, self.distance) {
            (Some(target), Some(distance)) => writeln!(f, "{target} is {distance} away"),
            (Some(target), None) => writeln!(f, "no path leads to {target}"),
            (None, _) => Ok(()),
        }
    }
}
