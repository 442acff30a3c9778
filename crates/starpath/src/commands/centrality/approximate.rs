//! `starpath centrality --measure betweenness --error`: estimates from random paths.

use std::fmt;

use ::centrality::{ApproximateConfig, Lengths, any};
use serde::Serialize;

use super::betweenness::Greatest;
use super::{floats, n_threads, name_of};
use crate::backend;
use crate::cli::{CentralityArgs, Common, Measure};
use crate::load::Loaded;
use crate::output::ResultFile;
use crate::progress::progress;
use crate::report::{Head, grouped};
use crate::search::repeated;

#[derive(Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    head: Head,
    /// How paths are measured: "hops".
    lengths: &'static str,
    /// Pairs of vertices that were drawn.
    samples: u64,
    #[serde(flatten)]
    greatest: Greatest,
    /// No value is off by more,
    error: f64,
    /// but with this probability.
    failure: f64,
}

pub(super) fn find(
    loaded: &Loaded,
    error: f64,
    args: &CentralityArgs,
    output: Option<&ResultFile>,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let failure = args.failure.unwrap_or(0.1);
    let seed = args.seed.unwrap_or(1);
    let config = ApproximateConfig { error, failure, seed, threads: common.threads };
    let gpus = backend::gpus_on_request(None, args.memory, common)?;
    let step = progress("drawing paths", common);
    let (found, times) = repeated(common, || {
        Ok(any::approximate_betweenness(&loaded.csr, &gpus, &config, Some(&step))?)
    })?;
    drop(step);
    let values = found.normalised();
    let greatest = Greatest::of(&values, &names);
    if let Some(output) = output {
        output.write_measures(&names, &[(Measure::Betweenness.name(), floats(values))])?;
    }
    Ok(Report {
        head: Head {
            backend: if gpus.is_empty() { "cpu" } else { "cuda" },
            threads: n_threads(common),
            ..loaded.head("centrality").solved("random paths", &times, common)
        },
        lengths: name_of(Lengths::Hops),
        samples: found.n_samples(),
        greatest,
        error,
        failure,
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        let samples = grouped(self.samples);
        writeln!(f, "random shortest paths in hops of {samples} pairs of vertices")?;
        self.greatest.fmt(f)?;
        writeln!(
            f,
            "estimates: with a probability of {} betweenness is off by at most {}",
            1.0 - self.failure,
            self.error
        )
    }
}
