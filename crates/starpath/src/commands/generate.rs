//! `starpath generate`: a synthetic graph to a file.

use std::fmt;
use std::path::Path;
use std::time::Instant;

use gpu_runtime::Gpu;
use graph_formats::generate::{
    Duplicates, EdgeDraws, GeometricConfig, GraphOptions, GridConfig, RmatConfig, UniformConfig,
    geometric, grid, rmat, uniform,
};
use graph_formats::{
    Csr, Direction, Format, GraphError, Ids, LoadedGraph, names_lost, write_coordinates,
};
use serde::Serialize;
use sssp::gpu::RankedArcs;

use crate::backend;
use crate::cli::{Common, GenerateArgs, GenerateOptions, Shape};
use crate::failure::WrongUse;
use crate::output::{check_file, check_graph_file, is_standard_output, refuse_same, shown_output};
use crate::progress::check_interrupt;
use crate::report::{self, Head, Ms, grouped, milliseconds};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    seed: u64,
    write_ms: Ms,
    output: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (vertices, edges) = (self.head.vertices as u64, self.head.edges as u64);
        let (vertices, edges) = (grouped(vertices), grouped(edges));
        write!(f, "{}: {vertices} vertices, {edges} arcs, seed {}", self.output, self.seed)
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
    let (algorithm, shared, coordinates) = match &args.shape {
        Shape::Rmat { options, .. } => ("rmat", options, None),
        Shape::Grid { options, coordinates, .. } => ("grid", options, coordinates.as_ref()),
        Shape::Uniform { options, .. } => ("uniform", options, None),
        Shape::Geometric { options, coordinates, .. } => {
            ("geometric", options, coordinates.as_ref())
        }
    };
    check_graph_file(&shared.output)?;
    if let Some(path) = coordinates {
        check_coordinates(path, &shared.output)?;
    }
    let gpu = match args.shape {
        Shape::Rmat { .. } | Shape::Uniform { .. } => backend::gpu_on_request(common)?,
        Shape::Grid { .. } | Shape::Geometric { .. } => {
            backend::cpu(&format!("generate {algorithm}"), common)?;
            None
        }
    };
    let start = Instant::now();
    let options = options(shared);
    // a generator refuses only parameters of the command line
    let refused = |error: GraphError| WrongUse(error.to_string());
    let (graph, positions) = match args.shape {
        Shape::Rmat { scale, edge_factor, .. } => {
            let config = RmatConfig { scale, edge_factor, options, ..Default::default() };
            let graph = match &gpu {
                Some(gpu) => drawn(gpu, &config.draws().map_err(refused)?)?,
                None => rmat(&config).map_err(refused)?,
            };
            (graph, None)
        }
        Shape::Grid { side, dimensions, .. } => {
            let config = GridConfig { side, dimensions, options };
            let positions = || match dimensions {
                3 => config.coordinates().map(Positions::InSpace),
                _ => config.coordinates().map(Positions::InPlane),
            };
            let graph = grid(&config).map_err(refused)?;
            (graph, coordinates.map(|_| positions()).transpose().map_err(refused)?)
        }
        Shape::Uniform { vertices, edges, .. } => {
            let config = UniformConfig { n_vertices: vertices, n_edges: edges, options };
            let graph = match &gpu {
                Some(gpu) => drawn(gpu, &config.draws().map_err(refused)?)?,
                None => uniform(&config).map_err(refused)?,
            };
            (graph, None)
        }
        Shape::Geometric { vertices, radius, .. } => {
            let config = GeometricConfig { n_vertices: vertices, radius, options };
            let positions = || config.coordinates().map(Positions::InPlane);
            let graph = geometric(&config).map_err(refused)?;
            (graph, coordinates.map(|_| positions()).transpose().map_err(refused)?)
        }
    };
    let solve_ms = milliseconds(start.elapsed());
    check_interrupt()?;
    let start = Instant::now();
    let graph = LoadedGraph::new(graph, Ids::FromZero);
    graph_formats::write(&shared.output, &graph)?;
    if let (Some(path), Some(positions)) = (coordinates, positions) {
        let format = Format::of_writable(&shared.output)?;
        positions.write(path, &names_in(format))?;
    }
    let write_ms = milliseconds(start.elapsed());
    check_interrupt()?;
    let head = Head::of("generate", &graph.csr);
    let backend = if gpu.is_some() { "cuda" } else { "cpu" };
    let head = Head { algorithm: Some(algorithm), backend, solve_ms: Some(solve_ms), ..head };
    let output = shown_output(&shared.output);
    report::print(&Report { head, seed: shared.seed, write_ms, output }, common)
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

fn options(args: &GenerateOptions) -> GraphOptions {
    GraphOptions {
        weights: args.min_weight..=args.max_weight,
        seed: args.seed,
        direction: if args.directed { Direction::Directed } else { Direction::Undirected },
        duplicates: if args.keep_duplicates { Duplicates::Keep } else { Duplicates::Drop },
    }
}
