//! `--check`: rows of all pairs, compared with searches by the processor.

use std::num::NonZeroUsize;

use anyhow::ensure;
use graph_formats::{AnyCsr, VertexId, WeightKind};
use paths::{AnyDistances, Number};
use sssp::{Config, Goal};

use crate::ids::Names;

/// So many vertices, evenly.
pub(super) fn spread(n_vertices: usize, n: NonZeroUsize) -> impl Iterator<Item = VertexId> {
    let n = n.get().min(n_vertices);
    (0..n).map(move |i| (i as u128 * n_vertices as u128 / n as u128) as VertexId)
}

/// An error where the rows of these sources are not what searches find: floats may differ by what n
/// sums of a row's greatest distance round.
pub(super) fn check_rows(
    graph: &AnyCsr,
    names: &Names<'_>,
    threads: Option<NonZeroUsize>,
    sources: impl Iterator<Item = VertexId>,
    row: impl Fn(VertexId) -> AnyDistances,
) -> anyhow::Result<usize> {
    let config = Config { threads, ..Config::default() };
    let explain = |error| names.explain(error);
    let mut solver = sssp::any::solver(graph, &config, None).map_err(explain)?;
    let epsilon = match graph.kind() {
        WeightKind::F32 => f64::from(f32::EPSILON),
        WeightKind::F64 => f64::EPSILON,
        _ => 0.0,
    };
    let mut n_rows = 0;
    for source in sources {
        let right = solver.distances(source, Goal::All).map_err(explain)?;
        let sizes = right.iter().flatten().map(|distance| distance.to_f64().abs());
        let most = 4.0 * epsilon * graph.n_vertices() as f64 * sizes.fold(0.0, f64::max);
        let is_same = |found: Option<Number>, right: Option<Number>| {
            let both = found.zip(right);
            found == right || both.is_some_and(|(a, b)| (a.to_f64() - b.to_f64()).abs() <= most)
        };
        let row = row(source);
        for target in 0..names.n_vertices {
            // a row that ends early has no more distances
            let (found, right) = (row.get(target), right.get(target));
            ensure!(
                is_same(found, right),
                "--check: from {} to {} the answer has {}, and a search finds {}; please report this",
                names.name(source),
                names.name(target as VertexId),
                text(found),
                text(right)
            );
        }
        n_rows += 1;
    }
    Ok(n_rows)
}

fn text(distance: Option<Number>) -> String {
    distance.map_or_else(|| "no path".to_owned(), |distance| distance.to_string())
}

#[cfg(test)]
mod tests {
    use graph_formats::Csr;
    use paths::Distances;

    use super::*;

    #[test]
    fn rows_are_spread() {
        let of = |n_vertices, n| spread(n_vertices, NonZeroUsize::new(n).unwrap());
        assert_eq!(of(10, 4).collect::<Vec<_>>(), [0, 2, 5, 7]);
        assert_eq!(of(2, 9).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(of(0, 3).count(), 0);
    }

    #[test]
    fn a_wrong_row_is_named() {
        let check = |rows: [[Option<u64>; 3]; 2]| {
            let graph = Csr::from_arcs(3, &[(0, 1, 7u32)]).unwrap().into();
            let row = |source| Distances::from_iter(rows[source as usize]).into();
            check_rows(&graph, &Names::numbers(3), None, 0..2, row).map_err(|e| e.to_string())
        };
        let right = [[Some(0), Some(7), None], [None, Some(0), None]];
        assert_eq!(check(right), Ok(2));
        for (source, target, wrong, says) in [
            (0, 1, Some(8), "from 0 to 1 the answer has 8, and a search finds 7"),
            (0, 1, None, "the answer has no path, and"),
            (1, 2, Some(3), "from 1 to 2 the answer has 3, and a search finds no path"),
        ] {
            let mut rows = right;
            rows[source][target] = wrong;
            let error = check(rows).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn floats_may_differ_by_their_rounding() {
        let graph = Csr::from_arcs(2, &[(0, 1, 0.7f32)]).unwrap().into();
        let check = |found: f32| {
            let row = |_| Distances::from_iter([Some(0.0), Some(found)]).into();
            check_rows(&graph, &Names::numbers(2), None, 0..1, row).is_ok()
        };
        assert!(check(0.700_000_05) && !check(0.7001));
        let row = |_| Distances::from_iter([Some(0.0f32)]).into();
        assert!(check_rows(&graph, &Names::numbers(2), None, 0..1, row).is_err());
    }
}
