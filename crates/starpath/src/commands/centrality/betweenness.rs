//! `starpath centrality --measure betweenness`, which counts paths and is found apart from the
//! other measures.

use std::fmt;

use ::centrality::{any, sampling_error};
use graph_formats::VertexId;
use serde::Serialize;

use super::{FAILURE, config, floats, lengths, n_threads, name_of};
use crate::cli::{CentralityArgs, Common, Measure};
use crate::ids::Id;
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
    /// The greatest betweenness, and a vertex that has it.
    greatest: Option<f64>,
    vertex: Option<Id>,
    /// Of a sample: the bound on the error of betweenness.
    #[serde(skip_serializing_if = "Option::is_none")]
    sampling_error: Option<f64>,
}

pub(super) fn find(
    loaded: &Loaded,
    args: &CentralityArgs,
    output: Option<ResultFile>,
    common: &Common,
) -> anyhow::Result<Report> {
    let names = loaded.names();
    let lengths = lengths(loaded, args, common);
    let config = config(lengths, args, common);
    let step = progress("counting paths", common);
    let (found, times) =
        repeated(common, || Ok(any::betweenness(&loaded.csr, &config, Some(&step))?))?;
    drop(step);
    let values = found.normalised();
    let greatest = (0..).zip(&values).max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
    let (vertex, greatest): (Option<VertexId>, _) = greatest.map(|(v, &of)| (v, of)).unzip();
    let (n_vertices, n_sources) = (found.n_vertices(), found.n_sources());
    if let Some(output) = output {
        output.write_measures(&names, &[(Measure::Betweenness.name(), floats(values))])?;
    }
    Ok(Report {
        head: Head {
            threads: n_threads(common),
            ..loaded.head("centrality").solved("brandes", &times, common)
        },
        lengths: name_of(lengths),
        sources: n_sources,
        greatest,
        vertex: vertex.map(|vertex| names.name(vertex).into()),
        sampling_error: (!found.is_exact() && n_sources > 1)
            .then(|| sampling_error(n_vertices, n_sources, FAILURE)),
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        let sources = counted(self.sources, VERTICES);
        writeln!(f, "shortest paths in {} from {sources}", self.lengths)?;
        if let (Some(greatest), Some(vertex)) = (self.greatest, &self.vertex) {
            writeln!(f, "greatest betweenness {greatest} of {vertex}")?;
        }
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
