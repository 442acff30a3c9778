//! `starpath path`: a shortest path between two vertices.

use std::fmt;

use anyhow::anyhow;
use graph_formats::{Csr, Weight, with_csr};
use serde::Serialize;
use sssp::Goal;

use crate::cli::{Common, PathArgs};
use crate::ids::Id;
use crate::load::{Loaded, load};
use crate::report::{self, Number};
use crate::search::{Searched, search};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    searched: Searched,
    source: u64,
    target: u64,
    distance: Number,
    /// The ids of the vertices on the way, both ends included.
    path: Vec<Id>,
}

pub(crate) fn run(args: &PathArgs, common: &Common) -> anyhow::Result<()> {
    let loaded = load(&args.graph, common)?;
    let report = with_csr!(&loaded.csr, |graph| solve(graph, &loaded, args, common))?;
    report::print(&report, common)
}

fn solve<W: Weight>(
    graph: &Csr<W>,
    loaded: &Loaded,
    args: &PathArgs,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let source = names.vertex("source", args.source)?;
    let target = names.vertex("target", args.target)?;
    let goal = Goal::Target(target);
    let (tree, searched) = search(graph, loaded, "path", source, goal, &args.solver, common)?;
    let found = tree.distance(target).zip(tree.path_to(target));
    let (distance, path) = found.ok_or_else(|| {
        anyhow!("no path leads from {} to {} in {}", args.source, args.target, names.path.display())
    })?;
    Ok(Report {
        searched,
        source: args.source,
        target: args.target,
        distance: Number::of(distance),
        path: path.into_iter().map(|vertex| names.name(vertex).into()).collect(),
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.searched.head)?;
        let (distance, arcs) = (self.distance, self.path.len() - 1);
        writeln!(f, "{} to {}: {distance}, {arcs} arcs", self.source, self.target)?;
        let path: Vec<_> = self.path.iter().map(Id::to_string).collect();
        writeln!(f, "{}", path.join(" "))
    }
}
