//! Rows of all pairs, compared with searches by the CPU.

use std::num::NonZeroUsize;

use graph_formats::{AnyCsr, VertexId, WeightKind};
use paths::{AnyDistances, Number};
use sssp::{Goal, SsspError};

/// Why the check of rows failed.
#[derive(Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RowError {
    /// A search failed.
    #[error(transparent)]
    Search(#[from] SsspError),
    /// A row has a distance that a search does not find.
    #[error(
        "from {source_vertex} to {target} the row has {}, and a search finds {}",
        shown(*found),
        shown(*right)
    )]
    Differs {
        /// The source of the row.
        source_vertex: VertexId,
        /// The vertex whose distance differs.
        target: VertexId,
        /// The distance in the row; `None` if it has no path.
        found: Option<Number>,
        /// The distance that the search found.
        right: Option<Number>,
    },
}

fn shown(distance: Option<Number>) -> String {
    distance.map_or_else(|| "no path".to_owned(), |distance| distance.to_string())
}

/// `n` vertices of a graph, evenly spaced; all vertices if there are fewer.
///
/// ```
/// use std::num::NonZeroUsize;
///
/// use apsp::any::spread;
///
/// let of = |n_vertices, n| spread(n_vertices, NonZeroUsize::new(n).unwrap());
/// assert_eq!(of(10, 4).collect::<Vec<_>>(), [0, 2, 5, 7]);
/// assert_eq!(of(2, 9).collect::<Vec<_>>(), [0, 1]);
/// assert_eq!(of(0, 3).count(), 0);
/// ```
pub fn spread(n_vertices: usize, n: NonZeroUsize) -> impl Iterator<Item = VertexId> {
    let n = n.get().min(n_vertices);
    (0..n).map(move |i| (i as u128 * n_vertices as u128 / n as u128) as VertexId)
}

/// Compares the rows of these sources, which `row` returns, with searches on `threads` threads.
/// Floats may differ by the rounding errors of n sums as large as the row's greatest distance.
/// Returns the number of rows. It takes one search for each.
///
/// # Errors
/// [`RowError::Differs`] for the first distance that differs, and if a search fails.
///
/// ```
/// use apsp::any::{RowError, check_rows};
/// use graph_formats::Csr;
/// use paths::{Distances, Number};
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 7u32)])?.into();
/// let right = |_| Distances::from_iter([Some(0u64), Some(7), None]).into();
/// assert_eq!(check_rows(&graph, None, [0], right), Ok(1));
/// let wrong = |_| Distances::from_iter([Some(0u64), Some(8), None]).into();
/// let (found, right) = (Some(Number::U64(8)), Some(Number::U64(7)));
/// let error = RowError::Differs { source_vertex: 0, target: 1, found, right };
/// assert_eq!(check_rows(&graph, None, [0], wrong), Err(error));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_rows(
    graph: &AnyCsr,
    threads: Option<NonZeroUsize>,
    sources: impl IntoIterator<Item = VertexId>,
    row: impl Fn(VertexId) -> AnyDistances,
) -> Result<usize, RowError> {
    let config = sssp::Config { threads, ..sssp::Config::default() };
    let mut solver = sssp::any::solver(graph, &config, None)?;
    let epsilon = match graph.kind() {
        WeightKind::F32 => f64::from(f32::EPSILON),
        WeightKind::F64 => f64::EPSILON,
        _ => 0.0,
    };
    let mut n_rows = 0;
    for source in sources {
        let right = solver.distances(source, Goal::All)?;
        let sizes = right.iter().flatten().map(|distance| distance.to_f64().abs());
        let most = 4.0 * epsilon * graph.n_vertices() as f64 * sizes.fold(0.0, f64::max);
        let is_same = |found: Option<Number>, right: Option<Number>| {
            let both = found.zip(right);
            found == right || both.is_some_and(|(a, b)| (a.to_f64() - b.to_f64()).abs() <= most)
        };
        let row = row(source);
        for target in 0..graph.n_vertices() {
            // a row that is too short has no distance for the other targets
            let (found, right) = (row.get(target), right.get(target));
            if !is_same(found, right) {
                let (source_vertex, target) = (source, target as VertexId);
                return Err(RowError::Differs { source_vertex, target, found, right });
            }
        }
        n_rows += 1;
    }
    Ok(n_rows)
}

#[cfg(test)]
mod tests {
    use graph_formats::Csr;
    use paths::Distances;

    use super::*;

    #[test]
    fn a_wrong_row_is_named() {
        let check = |rows: [[Option<u64>; 3]; 2]| {
            let graph = Csr::from_arcs(3, &[(0, 1, 7u32)]).unwrap().into();
            let row = |source| Distances::from_iter(rows[source as usize]).into();
            check_rows(&graph, None, 0..2, row)
        };
        let right = [[Some(0), Some(7), None], [None, Some(0), None]];
        assert_eq!(check(right), Ok(2));
        for (source_vertex, target, wrong, distance) in
            [(0, 1, Some(8), Some(7)), (0, 1, None, Some(7)), (1, 2, Some(3), None)]
        {
            let mut rows = right;
            rows[source_vertex as usize][target as usize] = wrong;
            let [found, right] = [wrong, distance].map(|distance| distance.map(Number::U64));
            let expected = RowError::Differs { source_vertex, target, found, right };
            assert_eq!(check(rows), Err(expected));
        }
    }

    #[test]
    fn floats_may_differ_by_their_rounding() {
        let graph = Csr::from_arcs(2, &[(0, 1, 0.7f32)]).unwrap().into();
        let check = |found: f32| {
            let row = |_| Distances::from_iter([Some(0.0), Some(found)]).into();
            check_rows(&graph, None, 0..1, row).is_ok()
        };
        assert!(check(0.700_000_05) && !check(0.7001));
        let row = |_| Distances::from_iter([Some(0.0f32)]).into();
        assert!(check_rows(&graph, None, 0..1, row).is_err());
    }
}
