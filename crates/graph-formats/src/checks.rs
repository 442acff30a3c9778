//! The checks that arrays are a graph, shared by constructors, readers and generators.

use std::ops::Range;

use crate::arc_pass::ARCS_PER_PART;
use crate::parallel::find_first;
use crate::{GraphError, VertexId, Weight, WeightSummary};

/// Rows per task of a parallel check.
const ROWS_PER_TASK: usize = 1 << 15;

/// Refuses more vertices than 32-bit ids can number. The greatest id is reserved.
pub(crate) fn validate_vertex_count(n_vertices: usize) -> Result<(), GraphError> {
    if n_vertices > VertexId::MAX as usize {
        return Err(GraphError::TooManyVertices { n_vertices: n_vertices as u64 });
    }
    Ok(())
}

/// Refuses row offsets that do not ascend from 0 to the number of arcs.
pub(crate) fn validate_offsets(row_offsets: &[u64], n_arcs: usize) -> Result<(), GraphError> {
    let (Some(&first), Some(&last)) = (row_offsets.first(), row_offsets.last()) else {
        return Err(GraphError::LengthMismatch { what: "row offsets", expected: 1, found: 0 });
    };
    if first != 0 || last != n_arcs as u64 {
        return Err(GraphError::OffsetsEnds { first, last, n_arcs });
    }
    let n_vertices = row_offsets.len() - 1;
    validate_vertex_count(n_vertices)?;
    let first_descent = |rows: Range<usize>| {
        let part = &row_offsets[rows.start..=rows.end];
        // counted first, without a branch
        let n_descents =
            part.iter().zip(&part[1..]).map(|(a, b)| usize::from(a > b)).sum::<usize>();
        let descent = |pair: &[u64]| pair[0] > pair[1];
        (n_descents > 0).then(|| rows.start + part.windows(2).position(descent).unwrap_or(0))
    };
    if let Some(row) = find_first(n_vertices, ROWS_PER_TASK, &first_descent) {
        let (previous, value) = (row_offsets[row], row_offsets[row + 1]);
        return Err(GraphError::OffsetsNotMonotone { index: row + 1, value, previous });
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
    if let Some(arc) = find_first(columns.len(), ARCS_PER_PART, &first_wrong) {
        let vertex = u64::from(columns[arc]);
        return Err(GraphError::VertexOutOfRange { arc, vertex, n_vertices });
    }
    Ok(())
}

/// Refuses weights that are not finite; the error names the first.
pub(crate) fn validate_weights<W: Weight>(weights: &[W]) -> Result<(), GraphError> {
    weights.iter().enumerate().try_for_each(|(arc, &weight)| validate_weight(arc, weight))
}

/// Refuses the weight of an arc if it is not finite.
pub(crate) fn validate_weight<W: Weight>(arc: usize, weight: W) -> Result<(), GraphError> {
    if weight.is_finite() {
        return Ok(());
    }
    Err(GraphError::WeightNotFinite { arc, weight: weight.to_string() })
}

/// The summary of the weights, or an error that names the first that is not finite.
pub(crate) fn summary_of_finite<W: Weight>(weights: &[W]) -> Result<WeightSummary<W>, GraphError> {
    let summary = WeightSummary::of(weights);
    // finite terms may have an infinite sum, so the weights are searched
    if !summary.sum_of_sizes.is_finite() {
        validate_weights(weights)?;
    }
    Ok(summary)
}
