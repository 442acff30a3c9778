//! What answers are held against: searches on the host, and certificates.

use std::fmt::Debug;

use anyhow::{Context, Result, bail, ensure};
use apsp::Pairs;
use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::{Distances, Tree, certificate};
use rayon::prelude::*;
use sssp::{Algorithm, Config, Goal, QueueRule, SearchWeight, Solver};

/// Vertices tried as a source until one reaches a tenth of the graph.
const TRIED_SOURCES: usize = 16;

/// A graph, where searches start, and the answer.
pub(crate) struct Task<'g, W: Weight> {
    /// The graph.
    pub(crate) graph: &'g Csr<W>,
    /// Many vertices are reached from here.
    pub(crate) source: VertexId,
    /// The distances, proved.
    pub(crate) certified: Distances<W::Distance>,
}

impl<'g, W: SearchWeight> Task<'g, W> {
    /// Searches from the first vertex that reaches many, and certifies what is found.
    pub(crate) fn new(graph: &'g Csr<W>) -> Result<Self> {
        let algorithm = match graph.first_negative() {
            None => Algorithm::Dijkstra(None),
            Some(_) => Algorithm::BellmanFordQueue(QueueRule::Fifo),
        };
        let mut solver = Solver::new(graph, &Config::with(algorithm))?;
        let with_arcs = graph.vertices().filter(|&vertex| graph.out_degree(vertex) > 0);
        let mut found: Option<(VertexId, Distances<W::Distance>)> = None;
        for source in with_arcs.take(TRIED_SOURCES) {
            let distances = solver.distances(source, Goal::All)?.answer;
            let is_large = distances.n_reached() >= graph.n_vertices() / 10;
            if is_large || found.is_none() {
                found = Some((source, distances));
            }
            if is_large {
                break;
            }
        }
        let (source, certified) = found.context("the graph has no arcs: nothing to measure")?;
        certificate::check_distances(graph, source, None, &certified)
            .context("the answer that all others are to be compared with is wrong")?;
        Ok(Self { graph, source, certified })
    }

    /// That these are the certified distances.
    pub(crate) fn check(&self, found: &Distances<W::Distance>) -> Result<()> {
        check(&self.certified, found)?;
        ensure!(*found == self.certified, "it is wrong, by less than f64 tells apart");
        Ok(())
    }
}

/// That distances are the right ones, whatever their type; names the first vertex that has another.
pub(crate) fn check<A: Distance, B: Distance>(
    right: &Distances<A>,
    found: &Distances<B>,
) -> Result<()> {
    let (expected, n) = (right.n_vertices(), found.n_vertices());
    ensure!(n == expected, "it is wrong: {n} distances for {expected} vertices");
    // studies that compare types have weights whose sums are far below 2^53
    let both = |v: VertexId| (right.get(v).map(A::to_f64), found.get(v).map(B::to_f64));
    let differs = |v: &VertexId| both(*v).0 != both(*v).1;
    let Some(v) = (0..n as VertexId).into_par_iter().find_first(differs) else { return Ok(()) };
    let text = |distance: Option<f64>| distance.map_or("unreached".to_owned(), |d| d.to_string());
    let (expected, found) = both(v);
    bail!("it is wrong: vertex {v} is {} instead of {}", text(found), text(expected))
}

/// Rows of a matrix of distances, as searches have them.
pub(crate) struct Rows<W: Weight>(Vec<(VertexId, Distances<W::Distance>)>);

impl<W: SearchWeight> Rows<W> {
    /// `n_rows` rows at even distances.
    pub(crate) fn of(graph: &Csr<W>, n_rows: usize) -> Result<Self> {
        let mut solver = Solver::new(graph, &Config::default())?;
        let row = |source| Ok((source, solver.distances(source, Goal::All)?.answer));
        Ok(Self(spread(graph, n_rows).map(row).collect::<Result<_>>()?))
    }

    /// That a matrix has these rows; floats may differ by what their sums are rounded.
    pub(crate) fn check(&self, pairs: &Pairs<W>) -> Result<()> {
        let is_close = |found: W::Distance, right: W::Distance| {
            let (a, b) = (found.to_f64(), right.to_f64());
            a == b || W::ZERO.to_i128().is_none() && (a - b).abs() <= 1e-5 * b
        };
        self.check_by(|source| Ok(pairs.row(source).collect()), is_close)
    }

    /// Checks that a matrix of any type, whose rows `row` returns, has the same.
    pub(crate) fn check_by<D: Copy + Debug>(
        &self,
        row: impl Fn(VertexId) -> Result<Vec<Option<D>>>,
        is_same: impl Fn(D, W::Distance) -> bool,
    ) -> Result<()> {
        for (source, right) in &self.0 {
            let found = row(*source)?;
            let (n, expected) = (found.len(), right.n_vertices());
            ensure!(n == expected, "from {source}: {n} distances for {expected} vertices");
            for (target, found) in (0..).zip(found) {
                let expected = right.get(target);
                let is_right = match (found, expected) {
                    (Some(found), Some(expected)) => is_same(found, expected),
                    (found, expected) => found.is_none() && expected.is_none(),
                };
                ensure!(is_right, "from {source} to {target}: {found:?} and not {expected:?}");
            }
        }
        Ok(())
    }
}

/// Columns of a matrix of next hops, as trees of searches against the arcs have them.
pub(crate) struct Columns<W: Weight>(Vec<Tree<W>>);

impl<W: SearchWeight> Columns<W> {
    /// `n_columns` columns at even distances.
    pub(crate) fn of(graph: &Csr<W>, n_columns: usize) -> Result<Self> {
        let reversed = graph.transposed();
        let mut solver = Solver::new(&reversed, &Config::default())?;
        let trees =
            spread(graph, n_columns).map(|target| Ok(solver.tree(target, Goal::All)?.answer));
        Ok(Self(trees.collect::<Result<_>>()?))
    }

    /// That next hops, where there are any, have these columns.
    pub(crate) fn check(&self, pairs: &Pairs<W>) -> Result<()> {
        let Some(hops) = pairs.next_hops() else { return Ok(()) };
        for tree in &self.0 {
            let target = tree.source;
            for from in 0..tree.predecessors.n_vertices() as VertexId {
                let (found, expected) = (hops.get(from, target), tree.predecessors.get(from));
                ensure!(
                    found == expected,
                    "from {from} to {target} by {found:?}, not {expected:?}"
                );
            }
        }
        Ok(())
    }
}

/// `n` vertices at even distances, or all if there are fewer.
fn spread<W: Weight>(graph: &Csr<W>, n: usize) -> impl Iterator<Item = VertexId> {
    let all = graph.n_vertices();
    let n = n.min(all);
    (0..n).map(move |i| (i * all / n) as VertexId)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_distance_is_named() {
        let graph = Csr::from_arcs(3, &[(0, 1, 7u32)]).unwrap();
        let task = Task::new(&graph).unwrap();
        let right = Distances::from_iter([Some(0), Some(7), None]);
        task.check(&right).unwrap();
        for (wrong, says) in [
            ([Some(0), Some(8), None], "vertex 1 is 8 instead of 7"),
            ([Some(0), None, None], "vertex 1 is unreached instead of 7"),
            ([Some(0), Some(7), Some(9)], "vertex 2 is 9 instead of unreached"),
        ] {
            let error = task.check(&Distances::from_iter(wrong)).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
            let floats = wrong.map(|distance| distance.map(|distance| distance as f64));
            let error = check(&right, &Distances::from_iter(floats)).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        assert!(check(&right, &Distances::from_iter([Some(0.0), Some(7.5), None])).is_err());
        assert!(task.check(&Distances::from_iter([Some(0)])).is_err());
        assert!(Task::new(&Csr::<u32>::from_arcs(3, &[]).unwrap()).is_err());
    }

    #[test]
    fn a_wrong_matrix_is_caught() {
        let path = |weight: u32| Csr::from_arcs(3, &[(0, 1, weight), (1, 2, 5)]).unwrap();
        let config = apsp::Config { next_hops: true, ..apsp::Config::default() };
        let (right, other) = (path(7), path(8));
        let pairs = apsp::Solver::new(&right, &config).solve(None).unwrap();
        Rows::of(&right, 3).unwrap().check(&pairs).unwrap();
        Columns::of(&right, 3).unwrap().check(&pairs).unwrap();
        assert!(Rows::of(&other, 3).unwrap().check(&pairs).is_err());
        let shortcut = Csr::from_arcs(3, &[(0, 2, 1u32), (1, 2, 5)]).unwrap();
        assert!(Columns::of(&shortcut, 3).unwrap().check(&pairs).is_err());
    }
}
