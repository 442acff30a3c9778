//! `starpath centrality --measure betweenness`, which counts paths. The report of this measure alone.

use std::fmt;

use ::centrality::{Betweenness, Lengths, any, sampling_error};
use graph_formats::VertexId;
use serde::Serialize;

use super::{FAILURE, config, floats, n_threads, name_of};
use crate::backend;
use crate::cli::{CentralityArgs, Common, Measure};
use crate::ids::{Id, Names};
use crate::load::Loaded;
use crate::output::ResultFile;
use crate::progress::progress;
use crate::report::{Head, VERTICES, counted};
use crate::search::repeated;

#[derive(Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    head: Head,
    /// How paths are measured: "hops" or "weights".
    lengths: &'static str,
    /// Vertices whose paths were counted.
    sources: usize,
    #[serde(flatten)]
    greatest: Greatest,
    /// Of a sample: the bound on the error of betweenness.
    #[serde(skip_serializing_if = "Option::is_none")]
    sampling_error: Option<f64>,
}

/// The greatest betweenness, and a vertex that has it.
#[derive(Serialize)]
pub(super) struct Greatest {
    greatest: Option<f64>,
    vertex: Option<Id>,
}

impl Greatest {
    pub(super) fn of(found: &Betweenness, names: &Names<'_>) -> Self {
        let values = found.normalised();
        let greatest = (0..).zip(&values).max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
        let (vertex, greatest): (Option<VertexId>, _) = greatest.map(|(v, &of)| (v, of)).unzip();
        Self { greatest, vertex: vertex.map(|vertex| names.name(vertex).into()) }
    }
}

pub(super) fn find(
    loaded: &Loaded,
    lengths: Lengths,
    args: &CentralityArgs,
    output: Option<ResultFile>,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let config = config(lengths, args, common);
    let gpus: Vec<_> = backend::gpu_on_request(common)?.into_iter().collect();
    let step = progress("counting paths", common);
    let (found, times) = repeated(common, || {
        Ok(any::betweenness_on_gpus(&loaded.csr, &gpus, &config, Some(&step))?)
    })?;
    drop(step);
    let (n_vertices, n_sources) = (found.n_vertices(), found.n_sources());
    if let Some(output) = output {
        let values = floats(found.normalised());
        output.write_measures(&names, &[(Measure::Betweenness.name(), values)])?;
    }
    Ok(Report {
        head: Head {
            backend: if gpus.is_empty() { "cpu" } else { "cuda" },
            threads: n_threads(common),
            ..loaded.head("centrality").solved("brandes", &times, common)
        },
        lengths: name_of(lengths),
        sources: n_sources,
        greatest: Greatest::of(&found, &names),
        sampling_error: (!found.is_exact() && n_sources > 1)
            .then(|| sampling_error(n_vertices, n_sources, FAILURE)),
    })
}

impl fmt::Display for Greatest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.greatest, &self.vertex) {
            (Some(greatest), Some(vertex)) => {
                writeln!(f, "greatest betweenness {greatest} of {vertex}")
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        let sources = counted(self.sources, VERTICES);
        writeln!(f, "shortest paths in {} from {sources}", self.lengths)?;
        self.greatest.fmt(f)?;
        match self.sampling_error {
            Some(error) => {
                writeln!(
                    f,
                    "estimates: betweenness is off by at most {error:.4} in 99 samples of 100"
                )
            }
            None => Ok(()),
        }
    }
}
