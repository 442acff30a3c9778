//! `starpath centrality --measure betweenness` or `edge-betweenness`, which count paths. The report of
//! one of these alone.

use std::fmt;

use ::centrality::{Convention, any, sampling_error};
use graph_formats::{Csr, Direction, VertexId};
use serde::Serialize;

use super::{FAILURE, Root, Work, config, convention, floats, name_of};
use crate::cli::Measure;
use crate::ids::{Id, Names};
use crate::progress::progress;
use crate::report::{Head, VERTICES, by_ranks, counted};
use crate::search::repeated_by;

#[derive(Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    head: Head,
    /// How paths are measured: "hops" or "weights".
    lengths: &'static str,
    /// Processes that shared the sources, each with `threads` threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranks: Option<usize>,
    /// Vertices whose paths were counted.
    sources: usize,
    #[serde(flatten)]
    greatest: Greatest,
    /// Of a sample: the bound on the error of betweenness.
    #[serde(skip_serializing_if = "Option::is_none")]
    sampling_error: Option<f64>,
}

/// The greatest betweenness, and a vertex or an edge that has it.
#[derive(Serialize)]
pub(super) struct Greatest {
    greatest: Option<f64>,
    #[serde(flatten)]
    holder: Holder,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Holder {
    Vertex { vertex: Option<Id> },
    Edge { from: Option<Id>, to: Option<Id> },
}

impl Greatest {
    pub(super) fn of(values: &[f64], names: &Names<'_>) -> Self {
        let (vertex, greatest) = greatest(values).unzip();
        let vertex = vertex.map(|vertex| names.name(vertex as VertexId).into());
        Self { greatest, holder: Holder::Vertex { vertex } }
    }

    fn of_edges(edges: &Edges, names: &Names<'_>) -> Self {
        let (edge, greatest) = greatest(&edges.values).unzip();
        let name = |vertex| names.name(vertex).into();
        let ends = edge.map(|edge| edges.ends[edge].map(name));
        let (from, to) = ends.map(|[from, to]| (from, to)).unzip();
        Self { greatest, holder: Holder::Edge { from, to } }
    }
}

/// The first of the greatest values that are numbers, and its place.
fn greatest(values: &[f64]) -> Option<(usize, f64)> {
    let values = values.iter().copied().enumerate().filter(|(_, value)| !value.is_nan());
    values.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
}

/// Edges and their betweenness; in a directed graph arcs.
struct Edges {
    ends: Vec<[VertexId; 2]>,
    values: Vec<f64>,
}

impl Edges {
    /// An edge has the sum of its two arcs.
    fn of(graph: &Csr<u32>, of_arcs: &[f64]) -> anyhow::Result<Self> {
        let ends = graph.arcs().map(|(from, to, _)| [from, to]);
        if graph.direction() == Direction::Directed {
            return Ok(Self { ends: ends.collect(), values: of_arcs.to_vec() });
        }
        let numbers: Vec<u64> = (0..of_arcs.len() as u64).collect();
        // rows of both ascend, so an arc has the place of its reverse
        let reversed = graph.with_other_weights(numbers)?.transposed();
        let both = ends.zip(of_arcs).zip(reversed.weights());
        let edges = both.filter(|(([from, to], _), _)| from <= to);
        let edges =
            edges.map(|((ends, &there), &reverse)| (ends, there + of_arcs[reverse as usize]));
        let (ends, values) = edges.unzip();
        Ok(Self { ends, values })
    }
}

/// To be called by all ranks; the report is rank 0's.
pub(super) fn find(work: &Work<'_>, root: Option<&Root>) -> anyhow::Result<Option<Report>> {
    let &Work { ranks, graph, lengths, args, common, .. } = work;
    let config = config(lengths, args, common);
    let is_of_edges = args.measure == [Measure::EdgeBetweenness];
    let find = if is_of_edges { any::arc_betweenness } else { any::betweenness };
    let step = progress("counting paths", common);
    let (found, times) =
        repeated_by(ranks, common, || Ok(find(graph, work.workers(), &config, Some(&step))?))?;
    drop(step);
    let Some(Root { loaded, output }) = root else { return Ok(None) };
    let names = loaded.names();
    let (n_vertices, n_sources) = (found.n_vertices(), found.n_sources());
    let convention = convention(args);
    let values = found.stated(convention);
    let greatest = if is_of_edges {
        let edges = Edges::of(&loaded.csr.unweighted(), &values)?;
        if let Some(output) = output {
            output.write_edges(
                &names,
                Measure::EdgeBetweenness.name(),
                &edges.ends,
                &edges.values,
            )?;
        }
        Greatest::of_edges(&edges, &names)
    } else {
        let greatest = Greatest::of(&values, &names);
        if let Some(output) = output {
            output.write_measures(&names, &[(Measure::Betweenness.name(), floats(values))])?;
        }
        greatest
    };
    let is_estimate = !found.is_exact() && n_sources > 1 && convention == Convention::Starpath;
    Ok(Some(Report {
        head: work.head(loaded, "brandes", &times),
        lengths: name_of(lengths),
        ranks: work.n_ranks(),
        sources: n_sources,
        greatest,
        sampling_error: is_estimate.then(|| sampling_error(n_vertices, n_sources, FAILURE)),
    }))
}

impl fmt::Display for Greatest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(greatest) = self.greatest else { return Ok(()) };
        match &self.holder {
            Holder::Vertex { vertex: Some(vertex) } => {
                writeln!(f, "greatest betweenness {greatest} of {vertex}")
            }
            Holder::Edge { from: Some(from), to: Some(to) } => {
                writeln!(f, "greatest betweenness {greatest} of the edge from {from} to {to}")
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", by_ranks(&self.head, self.ranks))?;
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
