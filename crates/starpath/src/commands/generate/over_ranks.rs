//! `starpath generate --partitioned`: ranks draw and write a graph, and none has all of it.

use std::path::Path;
use std::time::Instant;

use anyhow::anyhow;
use collectives::Communicator;
use graph_formats::generate::{Graph500Config, RmatConfig, UniformConfig};
use graph_formats::{Format, GraphError};
use partitioned::{write_drawn, write_graph500};

use super::{Report, duplicates, graph_options};
use crate::backend;
use crate::cli::{Common, GenerateArgs, Shape};
use crate::failure::WrongUse;
use crate::output::{check_graph_file, is_standard_output, shown_output};
use crate::progress::progress;
use crate::ranks::agree;
use crate::report::{self, Head, Ms, milliseconds};

/// Called by all ranks.
pub(crate) fn run(
    ranks: &dyn Communicator,
    args: &GenerateArgs,
    common: &Common,
) -> anyhow::Result<()> {
    backend::cpu("generate --partitioned", common)?;
    let output = match &args.shape {
        Shape::Graph500 { output, .. } => output,
        Shape::Rmat { options, .. }
        | Shape::Grid { options, .. }
        | Shape::Uniform { options, .. }
        | Shape::Geometric { options, .. } => &options.output,
    };
    let checked = if ranks.is_root() { check_output(output) } else { Ok(()) };
    agree(ranks, checked)?;
    let start = Instant::now();
    let step = progress("drawing", common);
    // a generator refuses only parameters of the command line
    let refused = |error: GraphError| WrongUse(error.to_string());
    let (algorithm, seed, vertices, edges) = match &args.shape {
        &Shape::Rmat { scale, edge_factor, ref options, .. } => {
            let seed = Some(options.seed);
            let options = graph_options(options);
            let config = RmatConfig { scale, edge_factor, options, ..Default::default() };
            let draws = config.draws().map_err(refused)?;
            ("rmat", seed, draws.n_vertices(), write_drawn(ranks, &draws, output, Some(&step))?)
        }
        &Shape::Uniform { vertices, edges, ref options, .. } => {
            let seed = Some(options.seed);
            let options = graph_options(options);
            let config = UniformConfig { n_vertices: vertices, n_edges: edges, options };
            let draws = config.draws().map_err(refused)?;
            ("uniform", seed, vertices, write_drawn(ranks, &draws, output, Some(&step))?)
        }
        &Shape::Graph500 { scale, edge_factor, keep_duplicates, .. } => {
            let duplicates = duplicates(keep_duplicates);
            let config = Graph500Config { scale, edge_factor, duplicates, ..Default::default() };
            let draws = config.draws().map_err(refused)?;
            let n_arcs = write_graph500(ranks, &draws, duplicates, output, Some(&step))?;
            ("graph500", None, draws.n_vertices(), n_arcs)
        }
        Shape::Grid { .. } | Shape::Geometric { .. } => {
            return Err(anyhow!("this graph is not drawn edge by edge"));
        }
    };
    drop(step);
    if !ranks.is_root() {
        return Ok(());
    }
    let head = Head {
        command: "generate",
        algorithm: Some(algorithm),
        backend: "cpu",
        threads: 1,
        vertices,
        edges: edges as usize,
        load_ms: None,
        solve_ms: Some(milliseconds(start.elapsed())),
        solve_min_ms: None,
    };
    let ranks = Some(ranks.size()).filter(|&n| n > 1);
    // it is drawn and written together
    let (write_ms, output) = (Ms(0.0), shown_output(output));
    report::print(&Report { head, seed, ranks, write_ms, output }, common)
}

/// An error, before the work, if ranks cannot write this file together.
fn check_output(output: &Path) -> anyhow::Result<()> {
    check_graph_file(output)?;
    let is_spg = Format::of_writable(output).is_ok_and(|format| format == Format::Spg)
        && output.extension().is_some_and(|suffix| suffix == "spg");
    let is_file = std::fs::metadata(output).map_or(true, |found| found.is_file());
    if is_standard_output(output) || !is_spg || !is_file {
        let shown = shown_output(output);
        let text =
            format!("{shown}: --partitioned writes .spg files only; name a file that ends in .spg");
        return Err(WrongUse(text).into());
    }
    Ok(())
}
