//! `starpath path`: a shortest path between two vertices.

use std::fmt;

use graph_formats::{Csr, Weight, with_csr};
use serde::Serialize;
use sssp::Goal;

use crate::cli::{Common, Configs, PathArgs};
use crate::load::{Loaded, load};
use crate::report::Number;
use crate::route::Route;
use crate::search::{Searched, search};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    searched: Searched,
    #[serde(flatten)]
    route: Route,
}

pub(crate) fn run(args: &PathArgs, configs: &Configs, common: &Common) -> anyhow::Result<()> {
    let loaded = load(&args.graph, common)?;
    let report = with_csr!(&loaded.csr, |graph| solve(graph, &loaded, args, configs, common))?;
    loaded.print(&report, common)
}

fn solve<W: Weight>(
    graph: &Csr<W>,
    loaded: &Loaded,
    args: &PathArgs,
    configs: &Configs,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let source = names.vertex("source", &args.source)?;
    let target = names.vertex("target", &args.target)?;
    let goal = Goal::Target(target);
    let (tree, searched) = search(graph, loaded, "path", source, goal, configs, common)?;
    let id = |vertex| names.name(vertex).into();
    let route = Route {
        source: id(source),
        target: id(target),
        distance: tree.distance(target).map(Number::of),
        path: tree.path_to(target).map(|path| path.into_iter().map(id).collect()),
    };
    Ok(Report { searched, route })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.searched.head)?;
        self.route.fmt(f)
    }
}
