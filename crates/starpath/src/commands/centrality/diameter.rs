//! `starpath centrality --measure diameter`: that alone, by bounds.

use std::fmt;

use ::centrality::{Diameter, Lengths, MeasureWeight, diameter};
use graph_formats::{Csr, with_csr};
use serde::Serialize;

use super::{explain, is_whole, lengths, n_threads, name_of, number};
use crate::backend;
use crate::cli::{CentralityArgs, Common};
use crate::ids::{Id, Names};
use crate::load::load;
use crate::progress::Bar;
use crate::report::{Head, Number, counted};
use crate::search::{Times, repeated};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    /// What lengths of paths are: "hops" or "weights".
    lengths: &'static str,
    diameter: Option<Number>,
    /// The ends of a shortest path of this length.
    from: Option<Id>,
    to: Option<Id>,
    /// How many it took.
    searches: usize,
}

pub(super) fn run(args: &CentralityArgs, common: &Common) -> anyhow::Result<()> {
    let backend = backend::cpu("--measure diameter", common)?;
    let loaded = load(&args.graph, common)?;
    let names = loaded.names();
    let (found, lengths, whole, times) =
        with_csr!(&loaded.csr, |graph| solve(graph, &names, args, common))?;
    let solve = Times::of(times)?;
    let report = Report {
        head: Head {
            command: "centrality",
            algorithm: Some("bounds"),
            backend,
            threads: n_threads(common),
            vertices: names.n_vertices,
            edges: loaded.csr.n_arcs(),
            load_ms: Some(loaded.load_ms),
            solve_ms: Some(solve.median()),
            solve_min_ms: solve.least(common),
        },
        lengths: name_of(lengths),
        diameter: found.map(|found| number(found.value, whole)),
        from: found.map(|found| names.name(found.from).into()),
        to: found.map(|found| names.name(found.to).into()),
        searches: found.map_or(0, |found| found.n_searches),
    };
    loaded.print(&report, common)
}

/// The diameter, of what, whether in whole numbers, and the times it took.
type Solved = (Option<Diameter>, Lengths, bool, Vec<f64>);

fn solve<W: MeasureWeight>(
    graph: &Csr<W>,
    names: &Names<'_>,
    args: &CentralityArgs,
    common: &Common,
) -> anyhow::Result<Solved> {
    let lengths = lengths(graph, args, common);
    let bar = Bar::new("excluding", common);
    let step = |done, total| bar.step(done, total);
    let (found, times) = repeated(common, || {
        diameter(graph, lengths, common.threads, Some(&step)).map_err(|e| explain(e, names))
    })?;
    Ok((found, lengths, is_whole::<W>(lengths), times))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        let (Some(diameter), Some(from), Some(to)) = (self.diameter, &self.from, &self.to) else {
            return Ok(());
        };
        let searches = counted(self.searches, ("search", "searches"));
        writeln!(f, "diameter {diameter} in {}, from {from} to {to}, by {searches}", self.lengths)
    }
}
