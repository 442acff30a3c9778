//! The sources of the study and their right answers, which every solve is held against.
//!
//! An answer is kept as a 32-bit word a vertex, half of what integers take otherwise, for
//! there are many and graphs are large. Weights are small integers whatever their type, so
//! sums of floats are exact and must be equal too.

use anyhow::{Context, Result, bail, ensure};
use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::{Distances, certificate};
use rayon::prelude::*;

use super::figures::Sample;

/// The word of an unreached vertex.
const UNREACHED: u32 = u32::MAX;
/// Vertices that a thread compares in one go.
const PIECE: usize = 1 << 14;

/// Up to `n` of the vertices that `distances` reach, ascending, spread evenly over all
/// vertices.
pub(super) fn spread<D: Distance>(distances: &Distances<D>, n: usize) -> Vec<VertexId> {
    let n_vertices = distances.n_vertices();
    let n = n.min(n_vertices);
    let mut sources = Vec::with_capacity(n);
    let mut free = 0;
    for index in 0..n {
        let start = free.max((index as u64 * n_vertices as u64 / n as u64) as VertexId);
        let mut rest = start..n_vertices as VertexId;
        let Some(source) = rest.find(|&vertex| distances.get(vertex).is_some()) else { break };
        sources.push(source);
        free = source + 1;
    }
    sources
}

/// The vertex with the most arcs: of an R-MAT graph, one that nearly all of the others that
/// have any arcs are joined with.
pub(super) fn hub<W: Weight>(graph: &Csr<W>) -> VertexId {
    graph.vertices().max_by_key(|&vertex| graph.out_degree(vertex)).unwrap_or(0)
}

/// What one solve found, and what it took.
pub(super) struct Solved<D> {
    pub(super) distances: Distances<D>,
    pub(super) ms: f64,
    pub(super) rounds: u64,
}

/// The right answer of each source.
pub(super) struct References {
    sources: Vec<VertexId>,
    words: Vec<Vec<u32>>,
}

impl References {
    /// What `solve` finds from each of `sources`; the first `n_certified` are certified.
    pub(super) fn find(
        graph: &Csr<u32>,
        sources: Vec<VertexId>,
        n_certified: usize,
        mut solve: impl FnMut(VertexId) -> Result<Solved<u64>>,
    ) -> Result<Self> {
        ensure!(!sources.is_empty(), "no vertex has arcs: there is nothing to measure");
        let mut words = Vec::with_capacity(sources.len());
        for (index, &source) in sources.iter().enumerate() {
            let Solved { distances, .. } = solve(source)?;
            if index < n_certified {
                certificate::check_distances(graph, source, None, &distances).with_context(
                    || format!("the answer from {source}, a reference for others, is wrong"),
                )?;
            }
            let word = |&distance: &u64| match distance {
                u64::UNREACHED => Some(UNREACHED),
                distance => u32::try_from(distance).ok().filter(|&word| word != UNREACHED),
            };
            let storage = distances.as_storage().par_iter().with_min_len(PIECE);
            let found: Option<Vec<u32>> = storage.map(word).collect();
            words.push(found.context("the study takes distances below 2^32 - 1 only")?);
        }
        Ok(Self { sources, words })
    }

    /// How many sources there are.
    pub(super) fn n_sources(&self) -> usize {
        self.sources.len()
    }

    /// Times `solve` from the first `n` sources, and checks what it finds.
    ///
    /// # Errors
    /// When it fails, or names `name`, the source and the first vertex that has another
    /// distance.
    pub(super) fn time<D: Distance>(
        &self,
        name: &str,
        n: usize,
        mut solve: impl FnMut(VertexId) -> Result<Solved<D>>,
    ) -> Result<Vec<Sample>> {
        let mut samples = Vec::new();
        for (&source, words) in self.sources.iter().zip(&self.words).take(n) {
            let solved =
                solve(source).with_context(|| format!("{name} failed from source {source}"))?;
            check(words, &solved.distances)
                .with_context(|| format!("{name} is wrong from source {source}"))?;
            samples.push(Sample { source, ms: solved.ms, rounds: solved.rounds });
        }
        Ok(samples)
    }
}

/// That `found` is what `words` stand for.
fn check<D: Distance>(words: &[u32], found: &Distances<D>) -> Result<()> {
    let storage = found.as_storage();
    let (expected, n) = (words.len(), storage.len());
    ensure!(n == expected, "it has distances for {n} vertices, the graph has {expected}");
    // every word has its f64
    let differs = |(&word, &distance): (&u32, &D)| match word {
        UNREACHED => distance != D::UNREACHED,
        word => distance == D::UNREACHED || distance.to_f64() != f64::from(word),
    };
    let pairs = words.par_iter().zip(storage).with_min_len(PIECE);
    let Some(vertex) = pairs.position_first(differs) else { return Ok(()) };
    let text = |distance: Option<String>| distance.unwrap_or_else(|| "unreached".to_owned());
    let distance = found.get(vertex as VertexId).map(|distance| distance.to_string());
    let word = Some(words[vertex]).filter(|&word| word != UNREACHED).map(|word| word.to_string());
    bail!("vertex {vertex} is {} instead of {}", text(distance), text(word))
}

#[cfg(test)]
mod tests {
    use sssp::{Config, Goal, Solver};

    use super::*;
    use crate::workloads::Workload;

    fn solve<W: Weight>(graph: &Csr<W>) -> impl FnMut(VertexId) -> Result<Solved<W::Distance>> {
        let mut solver = Solver::new(graph, &Config::default()).unwrap();
        move |source| {
            let distances = solver.distances(source, Goal::All)?;
            Ok(Solved { distances, ms: 1.0, rounds: 2 })
        }
    }

    #[test]
    fn sources_are_spread_and_reached() {
        let reached = [1, 2, 7, 9];
        let distances: Distances<u64> =
            (0..10).map(|vertex| reached.contains(&vertex).then_some(5)).collect();
        assert_eq!(spread(&distances, 1), [1]);
        assert_eq!(spread(&distances, 2), [1, 7]);
        assert_eq!(spread(&distances, 4), [1, 2, 7, 9]);
        assert_eq!(spread(&distances, 1000), [1, 2, 7, 9], "no vertex twice, and no more");
        assert!(spread(&Distances::<u64>::from_iter([None, None]), 3).is_empty());
        let star = Csr::from_edges(5, &[(3, 0, 1u32), (3, 1, 1), (3, 4, 1)]).unwrap();
        assert_eq!(hub(&star), 3);
    }

    #[test]
    fn floats_of_the_same_weights_sum_to_the_same_distances() {
        let graph = Workload::Rmat { scale: 8 }.load().unwrap();
        let whole = solve(&graph)(hub(&graph)).unwrap().distances;
        let sources = spread(&whole, 5);
        let references = References::find(&graph, sources.clone(), 5, solve(&graph)).unwrap();
        let samples = references.time("u32", 9, solve(&graph)).unwrap();
        assert_eq!(samples.iter().map(|s| s.source).collect::<Vec<_>>(), sources);

        let sum: u64 = graph.weights().iter().copied().map(u64::from).sum();
        let floats = graph.convert_weights::<f64>().unwrap();
        assert_eq!(floats.weights().iter().sum::<f64>(), sum as f64);
        assert_eq!(floats.direction(), graph_formats::Direction::Undirected);
        let samples = references.time("f64", 2, solve(&floats)).unwrap();
        assert_eq!(samples.len(), 2);
    }

    #[test]
    fn a_wrong_distance_is_named_whatever_its_type() {
        let right = || Distances::from_iter([Some(0u64), Some(7), None]);
        let graph = Csr::from_arcs(3, &[(0, 1, 7u32)]).unwrap();
        let solved = |distances| Ok(Solved { distances, ms: 1.0, rounds: 1 });
        let references = References::find(&graph, vec![0], 1, |_| solved(right())).unwrap();
        assert_eq!(references.time("it", 1, |_| solved(right())).unwrap()[0].rounds, 1);
        for (wrong, says) in [
            ([Some(0), Some(8), None], "vertex 1 is 8 instead of 7"),
            ([Some(0), None, None], "vertex 1 is unreached instead of 7"),
            ([Some(0), Some(7), Some(9)], "vertex 2 is 9 instead of unreached"),
        ] {
            let floats = wrong.map(|d: Option<u32>| d.map(f64::from));
            let integers = wrong.map(|d| d.map(u64::from));
            let as_floats = references.time("it", 1, |_| {
                let distances = Distances::from_iter(floats);
                Ok(Solved { distances, ms: 1.0, rounds: 1 })
            });
            let as_integers = references.time("it", 1, |_| solved(Distances::from_iter(integers)));
            for found in [as_floats, as_integers] {
                let error = format!("{:#}", found.unwrap_err());
                assert_eq!(error, format!("it is wrong from source 0: {says}"));
            }
        }
        let half = |_| {
            let distances = Distances::from_iter([Some(0.0), Some(7.5), None]);
            Ok(Solved { distances, ms: 1.0, rounds: 1 })
        };
        assert!(references.time("it", 1, half).is_err());
        let short = |_| solved(Distances::from_iter([Some(0)]));
        assert!(references.time("it", 1, short).is_err());
    }

    #[test]
    fn a_wrong_reference_is_caught_where_it_is_certified() {
        let graph = Csr::from_arcs(2, &[(0, 1, 7u32)]).unwrap();
        let find = |second: u64, n_certified| {
            let distances = move || Distances::from_iter([Some(0), Some(second)]);
            let solve = |_| Ok(Solved { distances: distances(), ms: 1.0, rounds: 1 });
            References::find(&graph, vec![0], n_certified, solve).map(|r| r.n_sources())
        };
        assert_eq!(find(7, 1).unwrap(), 1);
        assert!(format!("{:#}", find(8, 1).unwrap_err()).contains("is wrong"));
        assert!(find(8, 0).is_ok(), "not looked at");
        assert!(find(u64::from(u32::MAX), 0).is_err(), "no word for it");
    }
}
