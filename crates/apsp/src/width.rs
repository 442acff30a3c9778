//! Chooses the numbers of a matrix: the narrowest that are proven to hold all distances, or 16 bits
//! if they are likely to, with a check afterwards.
//!
//! First what costs nothing: a bound on all sums, and a distance that there is. Then two searches
//! in each component, where they cost less than narrow numbers save; where a bound is above the
//! limit of 16 bits and all distances found are below it, these are tried. In a graph of many arcs
//! the searches are dear and paths have few arcs, so that 16 bits are tried without them. If such a
//! graph is undirected and connected and its vertices have d neighbours, a shortest path has fewer
//! than 3 n / (d + 1) arcs.
//!
//! A failed trial costs as much as it would have saved.
//!
//! A matrix of 16 bits has, of each pair, its distance or the
//! [limit](crate::element::Element::INFINITE), whichever is less. So a pair at the limit has no
//! path, or one too long: which, the arcs alone decide. A source has to have distances to as many
//! vertices as it leads to. Sets of vertices are united in the strongly connected components, a
//! word of 64 at a time. Each component comes after those that it leads to. Of the next components
//! the last one comes first, for what they lead to needs no look of its own. O(n²) for the look,
//! and where a pair is at the limit O(n + m log m) and at most O(n m / 64), n² / 8 bytes.
//!
//! Reference: tarjan-1972

use std::cmp::Reverse;
use std::fmt;

use graph_formats::{Components, Csr, Distance, VertexId, Weight, WeightKind, parallel};
use paths::DistanceTable;
use sssp::{Progress, SsspError};

use crate::element::{Element, is_float};
use crate::potentials::RaisedWeight;
use crate::proof::{greatest_distance, some_distance};
use crate::{Config, Number};

/// The time of a search for a vertex, in entries of a matrix of 32 bits.
const ENTRIES_A_VERTEX: f64 = 1000.0;
/// The time of a search for an arc, in entries of a matrix of 32 bits. Measured on two cores with
/// AVX2, where the matrix does some 70 G entries a second.
const ENTRIES_AN_ARC: f64 = 200.0;

/// The time of a proof, in searches; most of it prepares them.
const SEARCHES_OF_A_PROOF: f64 = 40.0;

/// Why the numbers of a matrix hold all distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Certainty {
    /// By a bound that was computed before.
    #[default]
    Proven,
    /// By a check of the finished matrix of 16 bits: where it has no distance, there is no path.
    Checked,
    /// By a bound, after 16 bits were tried and did not hold all.
    Retried,
}

impl Certainty {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::Proven, Self::Checked, Self::Retried];
}

impl fmt::Display for Certainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Proven => "proven",
            Self::Checked => "checked",
            Self::Retried => "retried",
        })
    }
}

/// When numbers of 16 bits are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Narrow {
    /// Never.
    Never,
    /// If they are proven to hold all distances.
    Proven,
    /// Also if they are likely to hold all distances; `speed` is the speed of the matrix as a
    /// multiple of that on a CPU.
    Tried { speed: f64 },
}

/// Numbers, why they hold all distances, and a bound on all sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Width {
    /// `None` if no type is certain to hold all sums.
    pub(crate) number: Option<Number>,
    pub(crate) certainty: Certainty,
    pub(crate) bound: f64,
}

impl Width {
    /// By a bound on all sums, of 32 bits at least. O(1).
    pub(crate) fn of_sums<W: Weight>(graph: &Csr<W>) -> Self {
        let weights = graph.weight_summary();
        let along_a_path = graph.n_vertices() as f64 * weights.greatest_size();
        Self::proven(W::KIND, along_a_path.min(weights.sum_of_sizes) * (1.0 + 1e-9))
    }

    /// The least. O(m), and searches where they pay. `progress` is only asked whether to go on.
    pub(crate) fn least<W: RaisedWeight>(
        graph: &Csr<W>,
        config: &Config,
        narrow: Narrow,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, SsspError> {
        let sums = Self::of_sums(graph);
        if is_float(W::KIND) || graph.first_negative().is_some() {
            return Ok(sums);
        }
        let limit = f64::from(u16::INFINITE);
        let of_16_bits = |certainty| Self { number: Some(Number::U16), certainty, ..sums };
        if sums.bound < limit && narrow != Narrow::Never {
            return Ok(of_16_bits(Certainty::Proven));
        }
        if sums.number == Some(Number::I32) {
            match narrow {
                Narrow::Never => return Ok(sums),
                _ if some_distance(graph) >= limit => return Ok(sums),
                Narrow::Tried { .. } if likely_bound(graph) < limit => {
                    return Ok(of_16_bits(Certainty::Checked));
                }
                Narrow::Tried { speed } if !pays(graph, speed) => return Ok(sums),
                Narrow::Proven | Narrow::Tried { .. } => {}
            }
        }
        let greatest = greatest_distance(graph, limit, config.threads, progress)?;
        let proven = Self::proven(W::KIND, sums.bound.min(greatest.at_most));
        Ok(match narrow {
            Narrow::Proven | Narrow::Tried { .. } if greatest.at_most < limit => {
                of_16_bits(Certainty::Proven)
            }
            Narrow::Tried { .. }
                if greatest.at_least < limit && proven.number == Some(Number::I32) =>
            {
                of_16_bits(Certainty::Checked)
            }
            _ => proven,
        })
    }

    /// By a bound, of 32 bits at least.
    pub(crate) fn proven(kind: WeightKind, bound: f64) -> Self {
        let number = match kind {
            WeightKind::F32 => (bound < f64::from(f32::MAX) / 1e3).then_some(Number::F32),
            WeightKind::F64 => (bound < f64::MAX / 1e3).then_some(Number::F64),
            // sums with what stands for infinity stay far from it
            _ if bound < f64::from(i32::MAX) / 16.0 => Some(Number::I32),
            _ => (bound < i64::MAX as f64 / 16.0).then_some(Number::I64),
        };
        Self { number, certainty: Certainty::Proven, bound }
    }
}

/// How many arcs a vertex has.
pub(crate) fn degree<W: Weight>(graph: &Csr<W>) -> f64 {
    graph.n_arcs() as f64 / graph.n_vertices().max(1) as f64
}

/// What a search from a vertex takes, in entries of 32 bits for each vertex.
pub(crate) fn search<W: Weight>(graph: &Csr<W>) -> f64 {
    search_of_degree(degree(graph))
}

/// The same, where vertices have this number of arcs.
pub(crate) fn search_of_degree(degree: f64) -> f64 {
    ENTRIES_A_VERTEX + degree * ENTRIES_AN_ARC
}

/// What distances are likely not to exceed.
fn likely_bound<W: Weight>(graph: &Csr<W>) -> f64 {
    let (n, m) = (graph.n_vertices() as f64, graph.n_arcs() as f64);
    3.0 * n / (m / n + 1.0) * graph.weight_summary().greatest_size()
}

/// Whether a proof takes less time than 16 bits save.
fn pays<W: Weight>(graph: &Csr<W>, speed: f64) -> bool {
    let n = graph.n_vertices() as f64;
    let saved = (Number::I32.cost() - Number::U16.cost()) * n * n / speed;
    SEARCHES_OF_A_PROOF * search(graph) < saved
}

/// Whether there is a distance from each of these sources to every vertex that it has a path to,
/// and to no other.
pub(crate) fn is_complete<W: Weight>(
    graph: &Csr<W>,
    sources: &[VertexId],
    distances: &DistanceTable<W>,
) -> bool {
    let n = graph.n_vertices();
    let cells = distances.as_storage().as_slice().expect("rows one after the other");
    let reached =
        |row: &[W::Distance]| row.iter().filter(|&&d| d != W::Distance::UNREACHED).count();
    let found = parallel::map(sources.len(), &|row| reached(&cells[row * n..(row + 1) * n]));
    if found.iter().all(|&found| found == n) {
        return true;
    }
    let components = Components::of(graph);
    let expected = n_reachable(graph, &components);
    let pairs = sources.iter().zip(&found);
    pairs.into_iter().all(|(&u, &found)| found == expected[components.component_of(u)])
}

/// How many vertices those of each component have a path to, they themselves among them.
fn n_reachable<W: Weight>(graph: &Csr<W>, components: &Components) -> Vec<usize> {
    // vertices by their places in the order of the components
    let mut starts = vec![0];
    let mut sets: Vec<Vec<u64>> = Vec::with_capacity(components.n_components());
    for component in 0..components.n_components() {
        let (members, start) = (components.members(component), starts[component]);
        let end = start + members.len();
        let mut set = vec![0u64; end.div_ceil(64)];
        (start..end).for_each(|place| set[place / 64] |= 1 << (place % 64));
        let arcs = members.iter().flat_map(|&member| graph.arcs_from(member));
        let next = arcs.map(|(to, _)| components.component_of(to));
        let mut next: Vec<_> = next.filter(|&next| next != component).collect();
        next.sort_unstable_by_key(|&next| Reverse(next));
        for next in next {
            let place = starts[next];
            if set[place / 64] >> (place % 64) & 1 == 0 {
                set.iter_mut().zip(&sets[next]).for_each(|(word, more)| *word |= more);
            }
        }
        sets.push(set);
        starts.push(end);
    }
    let size = |set: &Vec<u64>| set.iter().map(|word| word.count_ones() as usize).sum();
    sets.iter().map(size).collect()
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;
    use paths::oracle;
    use proptest::prelude::*;
    use test_support::arbitrary_graph;

    use super::*;

    fn vertices(graph: &Csr<u32>) -> Vec<VertexId> {
        graph.vertices().collect()
    }

    #[test]
    fn a_pair_that_lacks_its_distance_is_found_in_any_component() {
        // two cycles, one of which leads to the other, and a vertex alone
        let arcs = [(0, 1, 1u32), (1, 0, 1), (1, 2, 1), (2, 3, 1), (3, 2, 1)];
        let graph = Csr::from_arcs(5, &arcs).unwrap();
        let right = oracle::floyd_warshall(&graph).unwrap();
        assert!(is_complete(&graph, &vertices(&graph), &right));
        for (u, v) in (0..5).flat_map(|u| (0..5).map(move |v| (u, v))) {
            let mut cells: Array2<u64> = right.as_storage().clone();
            let reached = cells[(u, v)] != u64::UNREACHED;
            cells[(u, v)] = if reached { u64::UNREACHED } else { 7 };
            assert!(!is_complete(&graph, &vertices(&graph), &DistanceTable::from_storage(cells)));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn as_many_are_reachable_as_have_a_distance(
            graph in arbitrary_graph::<u32>(150, 300, 0..=9),
        ) {
            let components = Components::of(&graph);
            let expected = n_reachable(&graph, &components);
            let found = oracle::floyd_warshall(&graph).unwrap();
            for u in graph.vertices() {
                let reached = found.row(u as usize).flatten().count();
                prop_assert_eq!(reached, expected[components.component_of(u)]);
            }
        }
    }
}
