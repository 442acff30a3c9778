//! `starpath path`: a shortest path between two vertices.

use std::fmt;

use graph_formats::{Csr, with_csr};
use hierarchy::{MetricWeight, Prepared};
use serde::Serialize;
use sssp::{Goal, SearchWeight};

use crate::backend;
use crate::cli::{Common, Configs, PathArgs};
use crate::load::{Loaded, load};
use crate::report::{Head, Number};
use crate::route::Route;
use crate::search::{Searched, Times, repeated, search};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    found: Found,
    #[serde(flatten)]
    route: Route,
}

/// By a search of the graph, or from its hierarchy.
#[derive(Serialize)]
#[serde(untagged)]
enum Found {
    Searched(Searched),
    Prepared(Head),
}

pub(crate) fn run(args: &PathArgs, configs: &Configs, common: &Common) -> anyhow::Result<()> {
    let loaded = load(&args.graph, common)?;
    let report = match &loaded.prepared {
        Some(prepared) if configs.is_auto() => {
            with_csr!(&loaded.csr, |graph| ask(graph, &loaded, prepared, args, common))
        }
        _ => with_csr!(&loaded.csr, |graph| solve(graph, &loaded, args, configs, common)),
    };
    loaded.print(&report?, common)
}

/// Asks the hierarchy.
fn ask<W: MetricWeight>(
    graph: &Csr<W>,
    loaded: &Loaded,
    prepared: &Prepared,
    args: &PathArgs,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let backend = backend::cpu("a path of a prepared graph", common)?;
    let (source, target) = args.ends(&names)?;
    let explain = |error| names.explain_hierarchy(error);
    let metric = prepared.metric(graph).map_err(explain)?;
    let mut query = metric.query();
    let (path, times) = repeated(common, || query.path(source, target).map_err(explain))?;
    let times = Times::of(times)?;
    let head = Head {
        command: "path",
        algorithm: Some("hierarchy"),
        backend,
        threads: 1,
        vertices: graph.n_vertices(),
        edges: graph.n_arcs(),
        load_ms: Some(loaded.load_ms),
        solve_ms: Some(times.median()),
        solve_min_ms: times.least(common),
    };
    let id = |vertex| names.name(vertex).into();
    let route = Route {
        source: id(source),
        target: id(target),
        distance: path.as_ref().map(|path| Number::of(path.length)),
        path: path.map(|path| path.vertices.into_iter().map(id).collect()),
    };
    Ok(Report { found: Found::Prepared(head), route })
}

fn solve<W: SearchWeight>(
    graph: &Csr<W>,
    loaded: &Loaded,
    args: &PathArgs,
    configs: &Configs,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let (source, target) = args.ends(&names)?;
    let goal = Goal::Target(target);
    let (tree, searched) = search(graph, loaded, "path", source, goal, configs, common)?;
    let id = |vertex| names.name(vertex).into();
    let route = Route {
        source: id(source),
        target: id(target),
        distance: tree.distance(target).map(Number::of),
        path: tree.path_to(target).map(|path| path.into_iter().map(id).collect()),
    };
    Ok(Report { found: Found::Searched(searched), route })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Found::Searched(Searched { head, .. }) | Found::Prepared(head)) = &self.found;
        writeln!(f, "{head}")?;
        self.route.fmt(f)
    }
}
