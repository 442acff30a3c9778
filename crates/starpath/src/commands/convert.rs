//! `starpath convert`: a graph in another format.

use std::fmt;
use std::path::Path;
use std::time::Instant;

use graph_formats::{Format, Ids, LoadedGraph};
use serde::Serialize;

use crate::cli::{Common, ConvertArgs};
use crate::load::load;
use crate::output::check_graph_file;
use crate::progress::check_interrupt;
use crate::report::{self, Head, Ms, grouped, milliseconds};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    write_ms: Ms,
    output: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (vertices, edges) = (self.head.vertices as u128, self.head.edges as u128);
        write!(f, "{}: {} vertices, {} arcs", self.output, grouped(vertices), grouped(edges))
    }
}

/// What the format of `output` cannot say about the names of the vertices.
fn lost_names(output: &Path, ids: &Ids) -> anyhow::Result<Option<&'static str>> {
    Ok(match (Format::of(output)?, ids) {
        (Format::Spg, _) | (Format::Wel, Ids::Listed(_) | Ids::FromZero) => None,
        (Format::Wel, Ids::FromOne) => {
            Some("an edge list is read with a vertex 0, which nothing leads to or from")
        }
        (Format::Wel, Ids::Words(_)) => None,
        (_, Ids::Listed(_) | Ids::Words(_)) => {
            Some("this format numbers vertices in order; the names that the input had are lost")
        }
        _ => None,
    })
}

pub(crate) fn run(args: &ConvertArgs, common: &Common) -> anyhow::Result<()> {
    check_graph_file(&args.output)?;
    let loaded = load(&args.input, common)?;
    let (vertices, edges) = (loaded.csr.n_vertices(), loaded.csr.n_arcs());
    let start = Instant::now();
    let graph = LoadedGraph::new(loaded.csr, loaded.ids);
    graph_formats::write(&args.output, &graph)?;
    let write_ms = milliseconds(start.elapsed());
    if let (Some(loss), false) = (lost_names(&args.output, &graph.ids)?, common.quiet) {
        eprintln!("starpath: note: {loss}");
    }
    check_interrupt()?;
    let head = Head {
        command: "convert",
        algorithm: None,
        backend: "cpu",
        threads: rayon::current_num_threads(),
        vertices,
        edges,
        load_ms: Some(loaded.load_ms),
        solve_ms: None,
        solve_min_ms: None,
    };
    report::print(&Report { head, write_ms, output: args.output.display().to_string() }, common)
}
