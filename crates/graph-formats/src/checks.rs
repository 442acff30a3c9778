//! What makes arrays a graph: the checks that constructors, readers and generators share.

use std::ops::Range;

use crate::parallel::find_first;
use crate::{GraphError, VertexId, Weight, WeightSummary};

/// Arcs that one task of a parallel check takes.
const ARCS_PER_TASK: usize = 1 << 16;

/// Ids are 32-bit, and the greatest one is kept free.
pub(crate) fn validate_vertex_count(n_vertices: usize) -> Result<(), GraphError> {
    if n_vertices > VertexId::MAX as usize {
        return Err(GraphError::TooManyVertices { n_vertices: n_vertices as u64 });
    }
    Ok(())
}

/// Columns in range, else an error with the first arc whose is not.
pub(crate) fn validate_columns(n_vertices: usize, columns: &[VertexId]) -> Result<(), GraphError> {
    let wrong = |&v: &VertexId| v as usize >= n_vertices;
    let first_wrong = |arcs: Range<usize>| {
        // the whole part first, for that is a maximum, which takes no branch for each arc
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

/// What the weights are, unless one is not finite: then an error with its arc.
pub(crate) fn summary_of_finite<W: Weight>(weights: &[W]) -> Result<WeightSummary<W>, GraphError> {
    let summary = WeightSummary::of(weights);
    // of finite terms, unless they are too many or too great
    if !summary.sum_of_sizes.is_finite()
        && let Some(arc) = weights.iter().position(|w| !w.is_finite())
    {
        return Err(GraphError::WeightNotFinite { arc, weight: weights[arc].to_string() });
    }
    Ok(summary)
}
