//! `starpath generate`: a synthetic graph to a file.

mod over_ranks;

use std::fmt;
use std::path::Path;
use std::time::Instant;

use gpu_runtime::Gpu;
use graph_formats::generate::{
    Duplicates, EdgeDraws, GeometricConfig, Graph500Config, GraphOptions, GridConfig, RmatConfig,
    UniformConfig, geometric, graph500, grid, rmat, uniform,
};
use graph_formats::{
    AnyCsr, Csr, Direction, Format, GraphError, Ids, LoadedGraph, names_lost, write_coordinates,
};
use serde::Serialize;
use sssp::gpu::RankedArcs;

use crate::backend;
use crate::cli::{Common, GenerateArgs, GenerateOptions, Shape};
use crate::failure::WrongUse;
use crate::output::{check_file, check_graph_file, is_standard_output, refuse_same, shown_output};
use crate::progress::check_interrupt;
use crate::report::{self, Head, Ms, grouped, milliseconds};

pub(crate) use over_ranks::run as run_over;

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    /// How many shared the work, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranks: Option<usize>,
    write_ms: Ms,
    output: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (vertices, edges) = (self.head.vertices as u64, self.head.edges as u64);
        let (vertices, edges) = (grouped(vertices), grouped(edges));
        write!(f, "{}: {vertices} vertices, {edges} arcs", self.output)?;
        self.seed.map_or(Ok(()), |seed| write!(f, ", seed {seed}"))
    }
}

/// The coordinates of the vertices.
enum Positions {
    InPlane(Vec<[f64; 2]>),
    InSpace(Vec<[f64; 3]>),
}

impl Positions {
    fn write(&self, path: &Path, names: &Ids) -> Result<(), GraphError> {
        match self {
            Self::InPlane(positions) => write_coordinates(path, names, positions),
            Self::InSpace(positions) => write_coordinates(path, names, positions),
        }
    }
}

pub(crate) fn run(args: &GenerateArgs, common: &Common) -> anyhow::Result<()> {
    let (algorithm, output, seed, coordinates) = match &args.shape {
        Shape::Rmat { options, .. } => ("rmat", &options.output, Some(options.seed), None),
        Shape::Graph500 { output, .. } => ("graph500", output, None, None),
        Shape::Grid { options, coordinates, .. } => {
            ("grid", &options.output, Some(options.seed), coordinates.as_ref())
        }
        Shape::Uniform { options, .. } => ("uniform", &options.output, Some(options.seed), None),
        Shape::Geometric { options, coordinates, .. } => {
            ("geometric", &options.output, Some(options.seed), coordinates.as_ref())
        }
    };
    check_graph_file(output)?;
    if let Some(path) = coordinates {
        check_coordinates(path, output)?;
    }
    let gpu = match args.shape {
        Shape::Rmat { .. } | Shape::Uniform { .. } => backend::gpu_on_request(common)?,
        Shape::Graph500 { .. } | Shape::Grid { .. } | Shape::Geometric { .. } => {
            backend::cpu(&format!("generate {algorithm}"), common)?;
            None
        }
    };
    let start = Instant::now();
    // a generator refuses only parameters of the command line
    let refused = |error: GraphError| WrongUse(error.to_string());
    let (graph, positions): (AnyCsr, _) = match args.shape {
        Shape::Rmat { scale, edge_factor, ref options, .. } => {
            let options = graph_options(options);
            let config = RmatConfig { scale, edge_factor, options, ..Default::default() };
            let graph = match &gpu {
                Some(gpu) => drawn(gpu, &config.draws().map_err(refused)?)?,
                None => rmat(&config).map_err(refused)?,
            };
            (graph.into(), None)
        }
        Shape::Graph500 { scale, edge_factor, keep_duplicates, .. } => {
            let duplicates = duplicates(keep_duplicates);
            let config = Graph500Config { scale, edge_factor, duplicates, ..Default::default() };
            (graph500(&config).map_err(refused)?.into(), None)
        }
        Shape::Grid { side, dimensions, ref options, .. } => {
            let config = GridConfig { side, dimensions, options: graph_options(options) };
            let positions = || match dimensions {
                3 => config.coordinates().map(Positions::InSpace),
                _ => config.coordinates().map(Positions::InPlane),
            };
            let graph = grid(&config).map_err(refused)?;
            (graph.into(), coordinates.map(|_| positions()).transpose().map_err(refused)?)
        }
        Shape::Uniform { vertices, edges, ref options, .. } => {
            let options = graph_options(options);
            let config = UniformConfig { n_vertices: vertices, n_edges: edges, options };
            let graph = match &gpu {
                Some(gpu) => drawn(gpu, &config.draws().map_err(refused)?)?,
                None => uniform(&config).map_err(refused)?,
            };
            (graph.into(), None)
        }
        Shape::Geometric { vertices, radius, ref options, .. } => {
            let options = graph_options(options);
            let config = GeometricConfig { n_vertices: vertices, radius, options };
            let positions = || config.coordinates().map(Positions::InPlane);
            let graph = geometric(&config).map_err(refused)?;
            (graph.into(), coordinates.map(|_| positions()).transpose().map_err(refused)?)
        }
    };
    let solve_ms = milliseconds(start.elapsed());
    check_interrupt()?;
    let start = Instant::now();
    let graph = LoadedGraph::new(graph, Ids::FromZero);
    graph_formats::write(output, &graph)?;
    if let (Some(path), Some(positions)) = (coordinates, positions) {
        let format = Format::of_writable(output)?;
        positions.write(path, &names_in(format))?;
    }
    let write_ms = milliseconds(start.elapsed());
    check_interrupt()?;
    let head = Head::of("generate", &graph.csr);
    let backend = if gpu.is_some() { "cuda" } else { "cpu" };
    let head = Head { algorithm: Some(algorithm), backend, solve_ms: Some(solve_ms), ..head };
    let output = shown_output(output);
    report::print(&Report { head, seed, ranks: None, write_ms, output }, common)
}

/// The graph of these edges, whose rows a GPU makes.
fn drawn(gpu: &Gpu, draws: &EdgeDraws) -> anyhow::Result<Csr<u32>> {
    let rows = RankedArcs::drawn(gpu, draws)?;
    let ends = rows.ends.download()?;
    Ok(draws.graph_of_rows(rows.row_offsets, ends)?)
}

/// The names of the vertices of a generated graph in a file of this format.
fn names_in(format: Format) -> Ids {
    match names_lost(format, &Ids::FromZero) {
        Some(_) => Ids::FromOne,
        None => Ids::FromZero,
    }
}

/// An error, before the work, if coordinates cannot be written to this file.
fn check_coordinates(path: &Path, graph: &Path) -> anyhow::Result<()> {
    let shown = path.display();
    let is_csv = path.extension().is_some_and(|suffix| suffix == "csv");
    if !is_csv && !is_standard_output(path) {
        return Err(WrongUse(format!(
            "{shown}: coordinates are written as .csv only; name a file that ends in .csv"
        ))
        .into());
    }
    refuse_same(path, graph)?;
    check_file(path, &[])
}

fn graph_options(args: &GenerateOptions) -> GraphOptions {
    GraphOptions {
        weights: args.min_weight..=args.max_weight,
        seed: args.seed,
        direction: if args.directed { Direction::Directed } else { Direction::Undirected },
        duplicates: duplicates(args.keep_duplicates),
    }
}

fn duplicates(keep: bool) -> Duplicates {
    if keep { Duplicates::Keep } else { Duplicates::Drop }
}
