//! `starpath closure`: which vertices reach which.

use std::fmt;

use graph_formats::with_csr;
use serde::Serialize;

use super::apsp::explain;
use crate::backend;
use crate::cli::{ClosureArgs, Common};
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
    let output = args.output.as_deref().map(|path| ResultFile::check(path, &inputs)).transpose()?;
    let backend = backend::cpu("the closure", common)?;
    let loaded = load(&args.graph, common)?;
    let names = loaded.names();
    let bar = Bar::new("solving", common);
    let step = |done, total| bar.step(done, total);
    let (closure, times) = repeated(common, || {
        with_csr!(&loaded.csr, |graph| apsp::closure(graph, Some(&step)))
            .map_err(|error| explain(&names, error))
    })?;
    let solve = Times::of(times)?;
    if let Some(output) = output {
        output.write_closure(&names, &closure)?;
    }
    let report = Report {
        head: Head {
            command: "closure",
            algorithm: Some("components"),
            backend,
            threads: rayon::current_num_threads(),
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

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        writeln!(f, "{} pairs have a path", grouped(self.reachable_pairs as u128))
    }
}
