//! `starpath path`: a shortest path between two vertices.

use std::fmt;

use hierarchy::any;
use serde::Serialize;
use sssp::Goal;

use crate::backend;
use crate::cli::{Common, Configs, PathArgs};
use crate::load::{Loaded, load};
use crate::report::Head;
use crate::route::Route;
use crate::search::{Searched, repeated, search};

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
    loaded.print(solve(&loaded, args, configs, common), common)
}

fn solve(
    loaded: &Loaded,
    args: &PathArgs,
    configs: &Configs,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let (found, ends, path) = match &loaded.prepared {
        Some(prepared) if configs.is_auto() => {
            backend::cpu("a path of a prepared graph", common)?;
            let (source, target) = args.ends(&names)?;
            let metric = any::metric(prepared, &loaded.csr)?;
            let mut query = metric.query();
            let (path, times) = repeated(common, || Ok(query.path(source, target)?))?;
            let head = loaded.head("path").solved("hierarchy", &times, common);
            let path = path.map(|path| (path.length, path.vertices));
            (Found::Prepared(Head { threads: 1, ..head }), (source, target), path)
        }
        _ => {
            let (source, target) = args.ends(&names)?;
            let goal = Goal::Target(target);
            let (tree, searched) = search(loaded, "path", source, goal, configs, common)?;
            let path = tree.distance(target).zip(tree.path_to(target));
            (Found::Searched(searched), (source, target), path)
        }
    };
    Ok(Report { found, route: Route::of(&names, ends, path) })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Found::Searched(Searched { head, .. }) | Found::Prepared(head)) = &self.found;
        writeln!(f, "{head}")?;
        self.route.fmt(f)
    }
}
