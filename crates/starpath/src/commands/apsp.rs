//! `starpath apsp`: the distances of all pairs.

use std::fmt;

use anyhow::anyhow;
use apsp::{ApspError, Config, all_pairs};
use graph_formats::{Csr, Distance, VertexId, Weight, with_csr};
use serde::Serialize;

use crate::backend;
use crate::cli::{ApspArgs, Common};
use crate::failure::say;
use crate::ids::Names;
use crate::load::{Loaded, load};
use crate::output::ResultFile;
use crate::progress::Bar;
use crate::report::{self, Head, Number, grouped};
use crate::search::{Times, repeated};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    /// Ordered pairs with a distance, those of a vertex with itself included.
    reachable_pairs: usize,
    distance_sum: Number,
    max_distance: Option<Number>,
}

pub(crate) fn run(args: &ApspArgs, common: &Common) -> anyhow::Result<()> {
    let inputs = [Some(&*args.graph)];
    let output =
        args.distances.as_deref().map(|path| ResultFile::check(path, &inputs)).transpose()?;
    let backend = backend::cpu("the solver for all pairs", common)?;
    let loaded = load(&args.graph, common)?;
    let report = with_csr!(&loaded.csr, |graph| solve(
        graph,
        &loaded,
        args,
        backend,
        output.as_ref(),
        common
    ))?;
    report::print(&report, common)
}

fn solve<W: Weight>(
    graph: &Csr<W>,
    loaded: &Loaded,
    args: &ApspArgs,
    backend: &'static str,
    output: Option<&ResultFile>,
    common: &Common,
) -> anyhow::Result<Report>
where
    W::Distance: Weight<Distance = W::Distance>,
{
    let names = loaded.names();
    let config = Config { threads: common.threads, ..Config::with(args.algorithm) };
    let bar = Bar::new("solving", common);
    let step = |done, total| bar.step(done, total);
    let (found, times) = repeated(common, || {
        all_pairs(graph, &config, Some(&step)).map_err(|error| explain(&names, error))
    })?;
    let solve = Times::of(times)?;
    let (table, plan) = (&found.distances, &found.plan);
    if common.explain {
        say(format_args!("{plan}"));
    }
    if let Some(output) = output {
        let all: Vec<VertexId> = graph.vertices().collect();
        output.write_table(&names, &all, &all, table)?;
    }
    let distances = (0..table.n_sources()).flat_map(|row| table.row(row)).flatten();
    Ok(Report {
        head: Head {
            command: "apsp",
            algorithm: Some(plan.algorithm.name()),
            backend,
            threads: plan.threads,
            vertices: graph.n_vertices(),
            edges: graph.n_arcs(),
            load_ms: Some(loaded.load_ms),
            solve_ms: Some(solve.median()),
            solve_min_ms: solve.least(common),
        },
        reachable_pairs: table.n_reachable_pairs(),
        distance_sum: table.sum().into(),
        max_distance: distances.max_by(|a, b| Distance::order(*a, *b)).map(Number::of),
    })
}

/// The error with the file's names in it.
fn explain(names: &Names<'_>, error: ApspError) -> anyhow::Error {
    match error {
        ApspError::Search(error) => names.explain(error),
        other => anyhow!(other),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        let pairs = grouped(self.reachable_pairs as u128);
        write!(f, "{pairs} pairs have a path; distances sum to {}", self.distance_sum)?;
        match self.max_distance {
            Some(max) => writeln!(f, ", the greatest is {max}"),
            None => writeln!(f),
        }
    }
}
