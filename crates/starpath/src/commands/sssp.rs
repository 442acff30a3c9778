//! `starpath sssp --source`: distances from one vertex.

use std::any::type_name;
use std::fmt;

use anyhow::anyhow;
use graph_formats::{Csr, Weight, with_csr};
use serde::Serialize;
use sssp::Goal;

use crate::cli::{Common, SsspArgs};
use crate::failure::WrongUse;
use crate::ids::Id;
use crate::load::{Loaded, load};
use crate::output::ResultFile;
use crate::report::{self, Number, grouped};
use crate::search::{Searched, search};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    searched: Searched,
    source: u64,
    /// Vertices that have a distance, the source included.
    reached: usize,
    distance_sum: Number,
    max_distance: Option<Number>,
    #[serde(flatten)]
    target: Option<Target>,
}

#[derive(Serialize)]
struct Target {
    target: Id,
    /// `None` when no path leads there.
    distance: Option<Number>,
    path_arcs: Option<usize>,
}

/// The file that `-o` names, checked.
pub(super) fn output_file(args: &SsspArgs) -> anyhow::Result<Option<ResultFile>> {
    let inputs = [Some(&*args.graph), args.sources.as_deref(), args.targets.as_deref()];
    args.output.as_deref().map(|path| ResultFile::check(path, &inputs)).transpose()
}

pub(crate) fn run(args: &SsspArgs, common: &Common) -> anyhow::Result<()> {
    let output = output_file(args)?;
    let loaded = load(&args.graph, common)?;
    let report =
        with_csr!(&loaded.csr, |graph| solve(graph, &loaded, args, output.as_ref(), common))?;
    report::print(&report, common)
}

fn solve<W: Weight>(
    graph: &Csr<W>,
    loaded: &Loaded,
    args: &SsspArgs,
    output: Option<&ResultFile>,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let source_id = args.source.ok_or_else(|| anyhow!("--source is missing"))?;
    let source = names.vertex("source", source_id)?;
    let target = args.target.map(|id| names.vertex("target", id)).transpose()?;
    let goal = match (target, &args.cutoff) {
        (Some(vertex), _) => Goal::Target(vertex),
        (None, Some(cutoff)) => Goal::Within(parse_cutoff::<W>(cutoff)?),
        (None, None) => Goal::All,
    };
    let (tree, searched) = search(graph, loaded, "sssp", source, goal, &args.solver, common)?;
    if let Some(output) = output {
        output.write_tree(&names, &tree)?;
    }
    Ok(Report {
        searched,
        source: source_id,
        reached: tree.distances.n_reached(),
        distance_sum: tree.distances.sum().into(),
        max_distance: tree.distances.max().map(Number::of),
        target: target.map(|vertex| Target {
            target: names.name(vertex).into(),
            distance: tree.distance(vertex).map(Number::of),
            path_arcs: tree.path_to(vertex).map(|path| path.len() - 1),
        }),
    })
}

fn parse_cutoff<W: Weight>(text: &str) -> Result<W::Distance, WrongUse> {
    text.parse().map_err(|_| {
        let (kind, weights) = (type_name::<W::Distance>(), W::KIND);
        WrongUse(format!(
            "--cutoff {text}: expected a number that {kind} can hold, for the weights of this \
             graph are {weights}"
        ))
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.searched.head)?;
        write!(
            f,
            "{} reaches {} vertices; distances sum to {}",
            self.source,
            grouped(self.reached as u128),
            self.distance_sum
        )?;
        if let Some(max) = self.max_distance {
            write!(f, ", the greatest is {max}")?;
        }
        writeln!(f)?;
        match &self.target {
            Some(Target { target, distance: Some(distance), path_arcs: Some(arcs) }) => {
                writeln!(f, "{target} is {distance} away, by a path of {arcs} arcs")
            }
            Some(Target { target, .. }) => writeln!(f, "no path leads to {target}"),
            None => Ok(()),
        }
    }
}
