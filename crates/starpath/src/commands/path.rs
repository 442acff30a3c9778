//! `starpath path`: a shortest path between two vertices.

use std::fmt;

use hierarchy::{Prepared, any};
use serde::Serialize;
use sssp::Goal;

use crate::backend;
use crate::cli::{Common, Configs, PathArgs};
use crate::load::{Loaded, load};
use crate::report::Head;
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
        Some(prepared) if configs.is_auto() => ask(&loaded, prepared, args, common),
        _ => solve(&loaded, args, configs, common),
    };
    loaded.print(&report?, common)
}

/// Asks the hierarchy.
fn ask(
    loaded: &Loaded,
    prepared: &Prepared,
    args: &PathArgs,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    backend::cpu("a path of a prepared graph", common)?;
    let (source, target) = args.ends(&names)?;
    let explain = |error| names.explain_hierarchy(error);
    let metric = any::metric(prepared, &loaded.csr).map_err(explain)?;
    let mut query = metric.query();
    let (path, times) = repeated(common, || query.path(source, target).map_err(explain))?;
    let times = Times::of(times)?;
    let head = Head { threads: 1, ..loaded.head("path").solved("hierarchy", &times, common) };
    let path = path.map(|path| (path.length, path.vertices));
    let route = Route::of(&names, (source, target), path);
    Ok(Report { found: Found::Prepared(head), route })
}

fn solve(
    loaded: &Loaded,
    args: &PathArgs,
    configs: &Configs,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let (source, target) = args.ends(&names)?;
    let goal = Goal::Target(target);
    let (tree, searched) = search(loaded, "path", source, goal, configs, common)?;
    let path = tree.distance(target).zip(tree.path_to(target));
    let route = Route::of(&names, (source, target), path);
    Ok(Report { found: Found::Searched(searched), route })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Found::Searched(Searched { head, .. }) | Found::Prepared(head)) = &self.found;
        writeln!(f, "{head}")?;
        self.route.fmt(f)
    }
}
