//! `starpath convert`: a graph in another format, on request only its largest component, or with
//! other weights.

mod changes;

use std::fmt;
use std::path::Path;
use std::time::Instant;

use graph_formats::{Csr, Format, NamesLost, VertexId, names_lost};
use serde::Serialize;

use self::changes::{Removed, keep_largest, transform};
use crate::cli::{Common, ConvertArgs};
use crate::load::load;
use crate::output::{
    check_file, check_graph_file, ids_path, is_standard_output, remove, shown_output, write_names,
};
use crate::progress::check_interrupt;
use crate::report::{Head, Ms, VERTICES, counted, grouped, milliseconds};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    write_ms: Ms,
    output: String,
    names: NamesThere,
    /// What `--largest-component` left out.
    #[serde(flatten)]
    removed: Option<Removed>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (vertices, edges) = (self.head.vertices as u64, self.head.edges as u64);
        write!(f, "{}: {} vertices, {} arcs", self.output, grouped(vertices), grouped(edges))
    }
}

/// How the vertices are named in a file that was written.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum NamesThere {
    /// As in the file that was read.
    Kept,
    /// By numbers one greater or one less.
    Shifted,
    /// By their position in the list beside the file.
    Listed,
}

pub(crate) fn run(args: &ConvertArgs, common: &Common) -> anyhow::Result<()> {
    let output = &*args.output;
    check_graph_file(output)?;
    let list = ids_path(output);
    let inputs: Vec<&Path> = args.graph.inputs().collect();
    check_file(output, &inputs)?;
    let has_list = !is_standard_output(output);
    if has_list {
        check_file(&list, &inputs)?;
    }
    let mut loaded = load(&args.graph, common)?;
    let keep = |connected| keep_largest(&mut loaded.csr, &mut loaded.ids, connected);
    let removed = args.largest_component.map(keep).transpose()?;
    if let Some(function) = args.transform {
        loaded.csr = transform(&loaded.csr, &loaded.names(), function)?;
    }
    check_interrupt()?;
    let format = Format::of_writable(output)?;
    let lost = names_lost(format, &loaded.ids);
    let names = match lost {
        None => NamesThere::Kept,
        Some(NamesLost::Shifted { .. }) => NamesThere::Shifted,
        Some(_) => NamesThere::Listed,
    };
    let start = Instant::now();
    let all: Vec<_> = (0..loaded.csr.n_vertices() as VertexId).collect();
    let listed = (names == NamesThere::Listed)
        .then(|| write_names(&list, &loaded.names(), &all))
        .transpose()?;
    loaded.csr.write(output, &loaded.ids)?;
    match listed {
        Some(listed) => listed.commit()?,
        None if has_list => remove(&list)?,
        None => {}
    }
    let write_ms = milliseconds(start.elapsed());
    if let Some(lost) = lost {
        let listed = format!("; {} has these, one a line", list.display());
        let listed = if names == NamesThere::Listed { &*listed } else { "" };
        loaded.note(format!("{}: {lost}{listed}", output.display()), common);
    }
    let absent = if format.is_edge_list() { without_arcs(&loaded.csr.unweighted()) } else { 0 };
    if absent > 0 {
        let absent = counted(absent, VERTICES);
        let there = output.display();
        loaded.note(
            format!("{there}: an edge list cannot hold vertices without arcs; {absent} left out"),
            common,
        );
    }
    check_interrupt()?;
    let head = loaded.head("convert");
    let output = shown_output(output);
    loaded.print(Ok(Report { head, write_ms, output, names, removed }), common)
}

/// The number of vertices that no arc touches. O(n + m).
fn without_arcs(graph: &Csr<u32>) -> usize {
    let mut touched = vec![false; graph.n_vertices()];
    for (u, v, _) in graph.arcs() {
        touched[u as usize] = true;
        touched[v as usize] = true;
    }
    touched.iter().filter(|&&touched| !touched).count()
}
