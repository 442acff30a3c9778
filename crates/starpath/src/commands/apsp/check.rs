//! `--check`: rows of all pairs, compared with searches by the processor.

use std::num::NonZeroUsize;

use anyhow::ensure;
use graph_formats::{Csr, Distance, VertexId, Weight, WeightKind};
use sssp::{Config, Goal, SearchWeight, Solver};

use crate::ids::Names;

/// So many vertices, evenly.
pub(super) fn spread(n_vertices: usize, n: NonZeroUsize) -> impl Iterator<Item = VertexId> {
    let n = n.get().min(n_vertices);
    (0..n).map(move |i| (i as u128 * n_vertices as u128 / n as u128) as VertexId)
}

/// An error where the rows of these sources are not what searches find: floats may differ by what n
/// sums of a row's greatest distance round.
pub(super) fn check_rows<W: SearchWeight, R>(
    graph: &Csr<W>,
    names: &Names<'_>,
    threads: Option<NonZeroUsize>,
    sources: impl Iterator<Item = VertexId>,
    row: impl Fn(VertexId) -> R,
) -> anyhow::Result<usize>
where
    R: Iterator<Item = Option<W::Distance>>,
{
    let config = Config { threads, ..Config::default() };
    let mut solver = Solver::new(graph, &config).map_err(|error| names.explain(error))?;
    let epsilon = match W::KIND {
        WeightKind::F32 => f64::from(f32::EPSILON),
        WeightKind::F64 => f64::EPSILON,
        _ => 0.0,
    };
    let mut n_rows = 0;
    for source in sources {
        let right = solver.distances(source, Goal::All).map_err(|error| names.explain(error))?;
        let sizes = right.iter().flatten().map(|distance| distance.to_f64().abs());
        let most = 4.0 * epsilon * graph.n_vertices() as f64 * sizes.fold(0.0, f64::max);
        let is_same = |found: Option<W::Distance>, right: Option<W::Distance>| {
            let both = found.zip(right);
            found == right || both.is_some_and(|(a, b)| (a.to_f64() - b.to_f64()).abs() <= most)
        };
        let mut row = row(source);
        for target in graph.vertices() {
            // a row that ends early has no more distances
            let (found, right) = (row.next().flatten(), right.get(target));
            ensure!(
                is_same(found, right),
                "--check: from {} to {} the answer has {}, and a search finds {}; please report this",
                names.name(source),
                names.name(target),
                text(found),
                text(right)
            );
        }
        n_rows += 1;
    }
    Ok(n_rows)
}

fn text<D: Distance>(distance: Option<D>) -> String {
    distance.map_or_else(|| "no path".to_owned(), |distance| distance.to_string())
}

#[cfg(test)]
mod tests {
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
            let graph = Csr::from_arcs(3, &[(0, 1, 7u32)]).unwrap();
            let row = |source| rows[source as usize].into_iter();
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
        let graph = Csr::from_arcs(2, &[(0, 1, 0.7f32)]).unwrap();
        let check = |found: f32| {
            let row = |_| [Some(0.0), Some(found)].into_iter();
            check_rows(&graph, &Names::numbers(2), None, 0..1, row).is_ok()
        };
        assert!(check(0.700_000_05) && !check(0.7001));
        let row = |_| [Some(0.0)].into_iter();
        assert!(check_rows(&graph, &Names::numbers(2), None, 0..1, row).is_err());
    }
}
