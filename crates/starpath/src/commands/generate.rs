//! `starpath generate`: a synthetic graph to a file.

use std::fmt;
use std::time::Instant;

use graph_formats::generate::{
    Duplicates, GeometricConfig, GraphOptions, GridConfig, RmatConfig, UniformConfig, geometric,
    grid, rmat, uniform,
};
use graph_formats::{Direction, Ids, LoadedGraph};
use serde::Serialize;

use crate::cli::{Common, GenerateArgs, GenerateOptions, Shape};
use crate::failure::WrongUse;
use crate::output::check_graph_file;
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
        let (vertices, edges) = (self.head.vertices as u128, self.head.edges as u128);
        let (vertices, edges) = (grouped(vertices), grouped(edges));
        write!(f, "{}: {vertices} vertices, {edges} arcs, seed {}", self.output, self.seed)
    }
}

pub(crate) fn run(args: &GenerateArgs, common: &Common) -> anyhow::Result<()> {
    let (algorithm, shared) = match &args.shape {
        Shape::Rmat { options, .. } => ("rmat", options),
        Shape::Grid { options, .. } => ("grid", options),
        Shape::Uniform { options, .. } => ("uniform", options),
        Shape::Geometric { options, .. } => ("geometric", options),
    };
    check_graph_file(&shared.output)?;
    let start = Instant::now();
    let options = options(shared);
    let graph = match args.shape {
        Shape::Rmat { scale, edge_factor, .. } => {
            rmat(&RmatConfig { scale, edge_factor, options, ..Default::default() })
        }
        Shape::Grid { side, .. } => grid(&GridConfig { side, options }),
        Shape::Uniform { vertices, edges, .. } => {
            uniform(&UniformConfig { n_vertices: vertices, n_edges: edges, options })
        }
        Shape::Geometric { vertices, radius, .. } => {
            geometric(&GeometricConfig { n_vertices: vertices, radius, options })
        }
    };
    // whatever a generator refuses was asked for on the command line
    let graph = graph.map_err(|error| WrongUse(error.to_string()))?;
    let solve_ms = milliseconds(start.elapsed());
    check_interrupt()?;
    let (vertices, edges) = (graph.n_vertices(), graph.n_arcs());
    let start = Instant::now();
    let graph = LoadedGraph::new(graph, Ids::FromZero);
    graph_formats::write(&shared.output, &graph)?;
    let write_ms = milliseconds(start.elapsed());
    check_interrupt()?;
    let head = Head {
        command: "generate",
        algorithm: Some(algorithm),
        backend: "cpu",
        threads: rayon::current_num_threads(),
        vertices,
        edges,
        load_ms: None,
        solve_ms: Some(solve_ms),
        solve_min_ms: None,
    };
    let output = shared.output.display().to_string();
    report::print(&Report { head, seed: shared.seed, write_ms, output }, common)
}

fn options(args: &GenerateOptions) -> GraphOptions {
    GraphOptions {
        weights: args.min_weight..=args.max_weight,
        seed: args.seed,
        direction: if args.directed { Direction::Directed } else { Direction::Undirected },
        duplicates: if args.keep_duplicates { Duplicates::Keep } else { Duplicates::Drop },
    }
}
