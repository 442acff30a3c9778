//! The certificate of a negative cycle.

use graph_formats::{Csr, VertexId, Weight};

use super::Violation;
use crate::Total;

/// Proves that `cycle` is a cycle of the graph and weighs less than zero, so that no
/// shortest paths through it exist.
///
/// Each vertex is named once; the last arc leads from the last vertex to the first, and
/// one vertex alone is a self-loop. Of parallel arcs the cheapest counts. Sums are exact
/// for integers, and taken in `f64` in the order of the cycle for floats. O(n + m).
///
/// # Errors
/// The first [`Violation`].
///
/// ```
/// use graph_formats::Csr;
/// use paths::certificate::check_negative_cycle;
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 2i32), (1, 2, -2), (2, 1, 1)])?;
/// check_negative_cycle(&graph, &[1, 2])?;
/// assert!(check_negative_cycle(&graph, &[0, 1]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_negative_cycle<W: Weight>(
    graph: &Csr<W>,
    cycle: &[VertexId],
) -> Result<(), Violation> {
    let (Some(&first), Some(&last)) = (cycle.first(), cycle.last()) else {
        return Err(Violation::CycleEmpty);
    };
    let mut passed = vec![false; graph.n_vertices()];
    let mut weights = Vec::with_capacity(cycle.len());
    let arcs = cycle.windows(2).map(|pair| (pair[0], pair[1])).chain([(last, first)]);
    for (from, to) in arcs {
        match passed.get_mut(from as usize) {
            None => return Err(Violation::CycleWithoutArc { from, to }),
            Some(passed) if *passed => return Err(Violation::CycleRepeats { vertex: from }),
            Some(passed) => *passed = true,
        }
        let parallel = graph.arcs_from(from).filter(|arc| arc.0 == to).map(|arc| arc.1);
        match parallel.min_by(|a, b| a.order(*b)) {
            Some(weight) => weights.push(weight),
            None => return Err(Violation::CycleWithoutArc { from, to }),
        }
    }
    let total = Total::of(weights);
    if matches!(total, Total::Integer(..0)) || matches!(total, Total::Float(sum) if sum < 0.0) {
        return Ok(());
    }
    Err(Violation::CycleNotNegative { total })
}
