//! Whether a matrix has the distances of a graph: proven from its arcs, without a search.
//!
//! Three things make a row that of the distances from its source. The source has zero. No distance is
//! greater than another and an arc after it. From the source, arcs for which it is as great lead to
//! all vertices that have one. Then each distance is that of a path, and no path is shorter.
//!
//! That each vertex has such an arc does not suffice, for these may be on a cycle of weight zero. So
//! they are followed from the source. O(n + m) for a row.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use graph_formats::{Csr, Distance, Interrupted, VertexId, Weight};
use paths::DistanceTable;
use sssp::Progress;

use super::table::{greatest_of, of_rows};
use super::weights::Weights;

/// A pair whose distance is not that of the graph, if there is one. The table is kept row by row.
pub(super) fn wrong_pair<W: Weight>(
    graph: &Csr<W>,
    distances: &DistanceTable<W>,
    weights: Weights,
    progress: Option<Progress<'_>>,
) -> Result<Option<(VertexId, VertexId)>, Interrupted> {
    let n = graph.n_vertices();
    let cells = distances.as_storage().as_slice().expect("row by row");
    let slack = weights.slack(W::KIND, n, greatest_of(cells));
    let is_found = AtomicBool::new(false);
    let wrong = |source: usize| {
        // one suffices
        if is_found.load(Relaxed) {
            return None;
        }
        let target = wrong_target(graph, source as VertexId, &cells[source * n..][..n], slack)?;
        is_found.store(true, Relaxed);
        Some((source as VertexId, target))
    };
    Ok(of_rows(n, progress, wrong)?.into_iter().flatten().next())
}

/// The same of the pairs from a source; sums of floats may be as far apart as `slack`.
fn wrong_target<W: Weight>(
    graph: &Csr<W>,
    source: VertexId,
    row: &[W::Distance],
    slack: f64,
) -> Option<VertexId> {
    if row[source as usize] != W::Distance::ZERO {
        return Some(source);
    }
    let mut is_on_path = vec![false; row.len()];
    is_on_path[source as usize] = true;
    let mut frontier = vec![source];
    while let Some(from) = frontier.pop() {
        for (to, weight) in graph.arcs_from(from) {
            let own = row[to as usize];
            let (is_long, is_tight) = match weight.after(row[from as usize]) {
                Some(sum) if slack == 0.0 => (own > sum, own == sum),
                Some(sum) => {
                    let more = own.to_f64() - sum.to_f64();
                    (more > slack, more.abs() <= slack)
                }
                // less, or more, than any distance
                None => (weight.is_negative() || own == W::Distance::UNREACHED, false),
            };
            if is_long {
                return Some(to);
            }
            if is_tight && !is_on_path[to as usize] {
                is_on_path[to as usize] = true;
                frontier.push(to);
            }
        }
    }
    let is_claimed = |&to: &VertexId| row[to as usize] != W::Distance::UNREACHED;
    (0..row.len() as VertexId).filter(is_claimed).find(|&to| !is_on_path[to as usize])
}
