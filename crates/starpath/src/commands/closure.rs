//! `starpath closure`: which vertices reach which.

use std::fmt;
use std::path::PathBuf;

use graph_formats::with_csr;
use serde::Serialize;
use star_machine::{ClosureConfig, ClosureFound, StarError, closure};

use crate::backend;
use crate::cli::{ClosureArgs, Common};
use crate::failure::{Interrupted, say};
use crate::load::load;
use crate::output::ResultFile;
use crate::progress::Bar;
use crate::report::{self, Head, grouped};
use crate::search::{Times, repeated};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    /// Ordered pairs joined by a path of at least one arc.
    reachable_pairs: usize,
}

pub(crate) fn run(args: &ClosureArgs, common: &Common) -> anyhow::Result<()> {
    let inputs = [Some(&*args.graph)];
    let output = |path: &Option<PathBuf>| {
        path.as_deref().map(|path| ResultFile::check(path, &inputs)).transpose()
    };
    let counts = output(&args.counts)?;
    let counts = counts.map(|file| file.needs_columns("the names of vertices")).transpose()?;
    let mut output = output(&args.output)?;
    if args.packed {
        output = output.map(ResultFile::needs_bits).transpose()?;
    }
    if let (Some(output), Some(counts)) = (&output, &counts) {
        output.refuse_same(counts)?;
    }
    let config = ClosureConfig { algorithm: args.algorithm, condense: !args.no_condense };
    let backend = backend::cpu("the closure", common)?;
    let loaded = load(&args.graph, common)?;
    let names = loaded.names();
    let bar = Bar::new("solving", common);
    let step = |done, total| bar.step(done, total);
    let (found, times) = repeated(common, || {
        with_csr!(&loaded.csr, |graph| closure(graph, &config, Some(&step))).map_err(explain)
    })?;
    let solve = Times::of(times)?;
    let ClosureFound { closure, plan } = found;
    if common.explain {
        say(format_args!("{plan}"));
    }
    match output {
        Some(output) if args.packed => output.write_packed_closure(&closure)?,
        Some(output) => output.write_closure(&names, &closure)?,
        None => {}
    }
    if let Some(counts) = counts {
        counts.write_counts(&names, &closure)?;
    }
    let report = Report {
        head: Head {
            command: "closure",
            algorithm: Some(plan.algorithm.name()),
            backend,
            threads: plan.threads,
            vertices: loaded.csr.n_vertices(),
            edges: loaded.csr.n_arcs(),
            load_ms: Some(loaded.load_ms),
            solve_ms: Some(solve.median()),
            solve_min_ms: solve.least(common),
        },
        reachable_pairs: closure.n_pairs(),
    };
    report::print(&report, common)
}

/// The error as the program ends with it.
fn explain(error: StarError) -> anyhow::Error {
    match error {
        StarError::Interrupted => Interrupted.into(),
        other => other.into(),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        writeln!(f, "{} pairs have a path", grouped(self.reachable_pairs as u128))
    }
}
