//! `starpath convert`: a graph in another format.

use std::fmt;
use std::path::Path;
use std::time::Instant;

use graph_formats::{Format, Ids, Name, VertexId, with_csr, write_csr};
use serde::Serialize;

use crate::cli::{Common, ConvertArgs};
use crate::load::{Loaded, load, shown};
use crate::output::{check_file, check_graph_file, ids_path, remove, write_names};
use crate::progress::check_interrupt;
use crate::report::{Head, Ms, grouped, milliseconds};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    write_ms: Ms,
    output: String,
    names: NamesThere,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (vertices, edges) = (self.head.vertices as u128, self.head.edges as u128);
        write!(f, "{}: {} vertices, {} arcs", self.output, grouped(vertices), grouped(edges))
    }
}

/// How the vertices are named in a file that was written.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum NamesThere {
    /// As in the file that was read.
    Kept,
    /// By numbers one greater, or one less.
    Shifted,
    /// By their place in the list beside the file.
    Listed,
}

impl NamesThere {
    fn of(format: Format, ids: &Ids) -> Self {
        let least = match format {
            // an edge list has the names themselves
            Format::Spg | Format::Wel => return Self::Kept,
            Format::Sg | Format::Wsg => 0,
            _ => 1,
        };
        match (ids, least) {
            (Ids::FromZero, 0) | (Ids::FromOne, 1) => Self::Kept,
            (Ids::FromZero | Ids::FromOne, _) => Self::Shifted,
            _ => Self::Listed,
        }
    }
}

pub(crate) fn run(args: &ConvertArgs, common: &Common) -> anyhow::Result<()> {
    let output = &*args.output;
    check_graph_file(output)?;
    let list = ids_path(output);
    let inputs: Vec<&Path> = args.graph.inputs().collect();
    [output, &list].into_iter().try_for_each(|path| check_file(path, &inputs))?;
    let mut loaded = load(&args.graph, common)?;
    let (vertices, edges) = (loaded.csr.n_vertices(), loaded.csr.n_arcs());
    let names = NamesThere::of(Format::of(output)?, &loaded.ids);
    let start = Instant::now();
    let all: Vec<_> = (0..vertices as VertexId).collect();
    let listed = (names == NamesThere::Listed)
        .then(|| write_names(&list, &loaded.names(), &all))
        .transpose()?;
    with_csr!(&loaded.csr, |graph| write_csr(output, graph, &loaded.ids))?;
    match listed {
        Some(listed) => listed.commit()?,
        None => remove(&list)?,
    }
    let write_ms = milliseconds(start.elapsed());
    if let Some(note) = note(names, output, &loaded) {
        loaded.note(note, common);
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
    let output = output.display().to_string();
    loaded.print(&Report { head, write_ms, output, names }, common)
}

/// Where a vertex of the one file is in the other, if its name says something else.
fn note(names: NamesThere, output: &Path, loaded: &Loaded) -> Option<String> {
    let (there, here) = (output.display(), shown(&loaded.path));
    let (first, n) = (loaded.names().first()?, loaded.csr.n_vertices());
    match names {
        NamesThere::Kept => None,
        NamesThere::Shifted => {
            let (least, word) = if first == Name::Number(0) { (1, "more") } else { (0, "less") };
            Some(format!(
                "{there} numbers its vertices from {least}: vertex {first} of {here} is {least} \
                 there, and each number is one {word}"
            ))
        }
        NamesThere::Listed => Some(format!(
            "{there} numbers its {n} vertices in order; {} has their names, one a line",
            ids_path(output).display()
        )),
    }
}
