//! `starpath sssp --source --changes`: distances before and after changes of the graph.

use std::fmt;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use sssp::{Config, SsspError, any};

use super::sssp::{All, Outputs};
use crate::backend;
use crate::changes::Changes;
use crate::cli::{Common, SsspArgs};
use crate::ids::Id;
use crate::load::{Loaded, load};
use crate::progress::progress;
use crate::report::{Head, Ms, VERTICES, counted, milliseconds};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    source: Id,
    /// Changes of the graph.
    changes: usize,
    /// Time to change the graph and the tree.
    update_ms: Ms,
    /// Whether a whole search was made.
    new_search: bool,
    /// Vertices that have another distance than before.
    changed: usize,
    /// Of the tree after the changes.
    #[serde(flatten)]
    all: All,
}

pub(super) fn run(args: &SsspArgs, file: &Path, common: &Common) -> anyhow::Result<()> {
    let outputs = Outputs::check(args)?;
    backend::cpu("sssp --changes", common)?;
    let loaded = load(&args.graph, common)?;
    loaded.print(solve(&loaded, args, file, &outputs, common), common)
}

fn solve(
    loaded: &Loaded,
    args: &SsspArgs,
    file: &Path,
    outputs: &Outputs,
    common: &Common,
) -> anyhow::Result<Report> {
    let old = loaded.names();
    let source = args.source.as_deref().unwrap_or_default();
    let source = old.vertex("source", source)?;
    let changes = Changes::read(file, &old, loaded.csr.kind())?;
    let names = old.with(changes.new_names());
    let start = Instant::now();
    let config = Config { threads: common.threads, ..Config::default() };
    let mut trees = any::dynamic_trees(&loaded.csr, &[source], &config)?;
    let searched = milliseconds(start.elapsed());
    let step = progress("changing", common);
    let start = Instant::now();
    let updated = trees.update(changes.list(), Some(&step)).map_err(|error| match &error {
        SsspError::BadChange(bad) => changes.explain(bad),
        _ => names.explain(error),
    })?;
    let update_ms = milliseconds(start.elapsed());
    drop(step);
    let tree = trees.tree(0);
    outputs.write(&names, &tree)?;
    Ok(Report {
        head: loaded.head_of("sssp", &trees.graph()?).solved("dynamic", &[searched.0], common),
        source: names.name(source).into(),
        changes: changes.list().len(),
        update_ms,
        new_search: updated[0].is_new_search,
        changed: updated[0].changed.len(),
        all: All::of(&tree),
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        let changes = counted(self.changes, ("change", "changes"));
        let how = if self.new_search { ", by a new search" } else { "" };
        let changed = counted(self.changed, VERTICES);
        writeln!(f, "{changes} took {} ms{how}; {changed} have another distance", self.update_ms)?;
        writeln!(f, "{} {}", self.source, self.all)
    }
}
