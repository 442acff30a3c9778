//! The checks that arrays are a graph, shared by constructors, readers and generators.

use std::ops::Range;

use crate::parallel::find_first;
use crate::{GraphError, VertexId, Weight, WeightSummary};

/// Arcs per task of a parallel check.
const ARCS_PER_TASK: usize = 1 << 16;

/// Refuses more vertices than 32-bit ids can number. The greatest id is reserved.
pub(crate) fn validate_vertex_count(n_vertices: usize) -> Result<(), GraphError> {
    if n_vertices > VertexId::MAX as usize {
        return Err(GraphError::TooManyVertices { n_vertices: n_vertices as u64 });
    }
    Ok(())
}

/// Refuses columns out of range; the error names the first such arc.
pub(crate) fn validate_columns(n_vertices: usize, columns: &[VertexId]) -> Result<(), GraphError> {
    let wrong = |&v: &VertexId| v as usize >= n_vertices;
    let first_wrong = |arcs: Range<usize>| {
        // first the maximum of the whole part, which takes no branch per arc
        let part = &columns[arcs.clone()];
        let at = part.iter().max().filter(|v| wrong(v)).and(part.iter().position(wrong))?;
        Some(arcs.start + at)
    };
    if let Some(arc) = find_first(columns.len(), ARCS_PER_TASK, &first_wrong) {
        let vertex = u64::from(columns[arc]);
        return Err(GraphError::VertexOutOfRange { arc, vertex, n_vertices });
    }
    Ok(())
}

/// The summary of the weights, or an error that names the first that is not finite.
pub(crate) fn summary_of_finite<W: Weight>(weights: &[W]) -> Result<WeightSummary<W>, GraphError> {
    let summary = WeightSummary::of(weights);
    // finite terms may have an infinite sum, so the weights are searched
    if !summary.sum_of_sizes.is_finite()
        && let Some(arc) = weights.iter().position(|w| !w.is_finite())
    {
        return Err(GraphError::WeightNotFinite { arc, weight: weights[arc].to_string() });
    }
    Ok(summary)
}
