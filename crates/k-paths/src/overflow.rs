//! Whether some paths may be too long to be found; counts of arcs, which never overflow.

use std::collections::VecDeque;

use graph_formats::{Csr, Direction, Distance, NoMemory, VertexId, Weight, ensure_granted};
use paths::Distances;

use crate::spur::rounding;

/// Whether the distance type certainly holds the length of every simple path.
pub(crate) fn holds_all<W: Weight>(graph: &Csr<W>) -> bool {
    let (n, weights) = (graph.n_vertices() as f64, graph.weight_summary());
    let longest = weights.sum_of_sizes.min(n * weights.greatest.to_f64());
    // each addition may round up, which matters for millions of additions
    let rounded = longest * (n * rounding::<W>().unwrap_or(0.0)).exp();
    let is_widened = size_of::<W>() < size_of::<W::Distance>();
    is_widened || <W::Distance as Weight>::from_f64(2.0 * rounded).is_some()
}

/// The fewest arcs on a path from each vertex to `target`, by breadth-first search on the
/// transposed graph.
pub(crate) fn arcs_to(target: VertexId, graph: &Csr<u32>) -> Result<Distances<u64>, NoMemory> {
    ensure_granted(graph.bytes() + (size_of::<u64>() + size_of::<u32>()) * graph.n_vertices())?;
    let is_directed = graph.direction() == Direction::Directed;
    let transposed = is_directed.then(|| graph.transposed());
    let graph = transposed.as_ref().unwrap_or(graph);
    let mut distances = vec![u64::UNREACHED; graph.n_vertices()];
    distances[target as usize] = 0;
    let mut reached = VecDeque::from([target]);
    while let Some(to) = reached.pop_front() {
        for &from in graph.ends_from(to) {
            if distances[from as usize] == u64::UNREACHED {
                distances[from as usize] = distances[to as usize] + 1;
                reached.push_back(from);
            }
        }
    }
    Ok(Distances::from_storage(distances))
}
