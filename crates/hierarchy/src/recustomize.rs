//! New weights for some arcs: customization of those arcs of the hierarchy that they change.
//!
//! An arc of the hierarchy has the least of its candidates: the arcs of the graph between its ends,
//! and the two other sides of each triangle below it. A candidate that is less than before takes
//! the arc over; where the one that it has becomes greater, it is found again among all. The arcs
//! whose candidates have changed wait in their order, those that start lowest first, so that each
//! is final before others are made from it; those that are as before change no others. The result is
//! that of a customization of its own, ties included. O(log) for each candidate that changes, and
//! for an arc that is found again all triangles below its lower end.
//!
//! Reference: dibbelt-2016

use std::cmp::{max, min};
use std::collections::BTreeMap;

use bytemuck::cast_slice;
use graph_formats::{Csr, Weight};

use crate::below::Below;
use crate::customize::{Arc, Arcs, OF_GRAPH};
use crate::elimination_tree::ROOT;
use crate::hierarchy::{DOWN, Hierarchy, Structure, UP, structure};
use crate::key::{Key, Weights};
use crate::metric::{AnyArcs, Metric, with_arcs};
use crate::{HierarchyError, MetricWeight};

/// Where more than one of so many arcs is another, all are customized.
const SHARE: usize = 1 << 12;
/// Weights that are compared at a time.
const BLOCK: usize = 64;

impl<'a, W: MetricWeight> Metric<'a, W> {
    /// Takes the weights of `graph`, which has the same arcs, instead of those it has; the same as
    /// [`Hierarchy::customize`], in less time where few are others.
    ///
    /// O(n + m) to find those that are others, at the speed of memory; then the arcs of the
    /// hierarchy that change, each with the triangles above it, and some of those below. Where many
    /// arcs of the graph have other weights, all is customized.
    ///
    /// # Errors
    /// As [`Hierarchy::customize`]; the metric is as it was.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let mut metric = hierarchy.customize(&graph)?;
    /// // a traffic jam
    /// let later = Csr::from_arcs(3, &[(0, 1, 50u32), (1, 2, 2), (0, 2, 9)])?;
    /// metric.recustomize(&later)?;
    /// assert_eq!(metric.query().distance(0, 2)?, Some(9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn recustomize(&mut self, graph: &'a Csr<W>) -> Result<(), HierarchyError> {
        W::recustomize(self, graph)
    }

    pub(crate) fn take_weights(&mut self, graph: &'a Csr<W>) -> Result<(), HierarchyError> {
        let before = self.graph;
        let is_same = graph.row_offsets() == before.row_offsets()
            && graph.column_indices() == before.column_indices();
        if !is_same {
            return Err(HierarchyError::AnotherGraph);
        }
        let [old, new]: [&[W::Unsigned]; 2] = [before, graph].map(|g| cast_slice(g.weights()));
        let changed = changed(old, new);
        let growth = changed
            .iter()
            .map(|&arc| (graph.weight(arc).to_f64() - before.weight(arc).to_f64()).max(0.0));
        let bound = self.bound + growth.sum::<f64>() * (1.0 + 1e-6);
        let is_negative = graph.first_negative().is_some();
        let is_wide_enough = match &self.arcs {
            AnyArcs::U32(_) => bound < f64::from(u32::UNREACHED),
            AnyArcs::U64(_) => bound < u64::UNREACHED as f64,
            AnyArcs::U128(_) => true,
            AnyArcs::F64(_) => bound.is_finite(),
        };
        if is_negative || !is_wide_enough || changed.len() > graph.n_arcs() / SHARE {
            *self = Metric::new(self.hierarchy, graph)?;
            return Ok(());
        }
        change(&mut self.arcs, self.hierarchy, graph, &changed);
        (self.graph, self.bound) = (graph, bound);
        Ok(())
    }
}

/// Makes `arcs` those of `graph`, of whose arcs those in `changed` have other weights than before.
fn change<W: Weight>(arcs: &mut AnyArcs, hierarchy: &Hierarchy, graph: &Csr<W>, changed: &[usize]) {
    let (structure, weights) = (structure(graph), Weights::of(graph));
    with_arcs!(W, arcs, arcs => {
        let changes = Changes::new(hierarchy, &structure, weights, std::mem::take(arcs));
        *arcs = changes.make(changed);
    });
}

/// Where two lists differ.
fn changed<U: Weight>(before: &[U], after: &[U]) -> Vec<usize> {
    let mut changed = Vec::new();
    for (block, (before, after)) in before.chunks(BLOCK).zip(after.chunks(BLOCK)).enumerate() {
        if before != after {
            let pairs = (block * BLOCK..).zip(before.iter().zip(after));
            changed.extend(pairs.filter(|(_, (a, b))| a != b).map(|(arc, _)| arc));
        }
    }
    changed
}

/// An arc of the hierarchy with a candidate that has changed.
struct Waiting<K> {
    /// Its keys before.
    before: [K; 2],
    /// Whether one that it had is greater now, so that it must be found again.
    has_lost: bool,
}

struct Changes<'c, U, K> {
    hierarchy: &'c Hierarchy,
    graph: &'c Structure,
    weights: Weights<'c, U>,
    /// Of the arcs of the hierarchy.
    keys: Vec<[K; 2]>,
    origins: Vec<[u32; 2]>,
    waiting: BTreeMap<u32, Waiting<K>>,
    /// By depth, the ancestors of the rank at hand.
    ancestors: Vec<u32>,
}

impl<'c, U: Weight, K: Key> Changes<'c, U, K> {
    fn new(
        hierarchy: &'c Hierarchy,
        graph: &'c Structure,
        weights: Weights<'c, U>,
        arcs: Arcs<K>,
    ) -> Self {
        let (keys, origins) = (arcs.keys.into_vec(), arcs.origins.into_vec());
        let ancestors = vec![ROOT; hierarchy.height()];
        Self { hierarchy, graph, weights, keys, origins, waiting: BTreeMap::new(), ancestors }
    }

    /// Takes in the weights of these arcs of the graph.
    fn make(mut self, changed: &[usize]) -> Arcs<K> {
        let hierarchy = self.hierarchy;
        for &input in changed {
            let from = self.graph.row_offsets().partition_point(|&first| first <= input as u64) - 1;
            let to = self.graph.column_indices()[input];
            let [from, to] = [hierarchy.ranks[from], hierarchy.ranks[to as usize]];
            if from == to {
                continue;
            }
            let direction = if from < to { UP } else { DOWN };
            let arc = self.arc(min(from, to), hierarchy.depths[max(from, to) as usize]);
            let key = K::of_weight(self.weights.of_arc(input));
            self.take_candidate(arc, direction, key, OF_GRAPH | input as u32);
        }
        while let Some((&first, _)) = self.waiting.first_key_value() {
            let rank = hierarchy.offsets.partition_point(|&offset| offset <= first) as u32 - 1;
            let later = self.waiting.split_off(&(hierarchy.row(rank).end as u32));
            let row = std::mem::replace(&mut self.waiting, later);
            for (&arc, _) in row.iter().filter(|(_, waiting)| waiting.has_lost) {
                self.find_again(rank, arc);
            }
            self.find_ancestors(rank);
            for (&arc, waiting) in &row {
                if self.keys[arc as usize] != waiting.before {
                    self.take_triangles(rank, arc);
                }
            }
        }
        Arcs { keys: self.keys.into(), origins: self.origins.into() }
    }

    /// The arc from a rank to its ancestor at this depth.
    fn arc(&self, rank: u32, end: u16) -> u32 {
        let row = self.hierarchy.row(rank);
        let place = self.hierarchy.ends[row.clone()].partition_point(|&other| other > end);
        (row.start + place) as u32
    }

    /// Gives an arc this candidate if it is the first of the least, in the order in which a
    /// customization comes to them: arcs of the graph, then triangles.
    fn take_candidate(&mut self, arc: u32, direction: usize, key: K, origin: u32) {
        let (keys, origins) = (&mut self.keys[arc as usize], &mut self.origins[arc as usize]);
        let before = *keys;
        let (own, own_origin) = (&mut keys[direction], &mut origins[direction]);
        let comes_first = origin ^ OF_GRAPH < *own_origin ^ OF_GRAPH;
        let is_least = key < *own || key == *own && comes_first && key < K::UNREACHED;
        let has_lost = !is_least && origin == *own_origin && key != *own;
        if is_least {
            (*own, *own_origin) = (key, origin);
        }
        if is_least || has_lost {
            let waiting = self.waiting.entry(arc);
            waiting.or_insert(Waiting { before, has_lost: false }).has_lost |= has_lost;
        }
    }

    /// Goes through all candidates of an arc that leads up from `rank`.
    fn find_again(&mut self, rank: u32, arc: u32) {
        let Hierarchy { offsets, ends, .. } = self.hierarchy;
        let Below { lower_offsets, lower, input_offsets, inputs } =
            self.hierarchy.below(self.graph);
        let range =
            |offsets: &[u32]| offsets[rank as usize] as usize..offsets[rank as usize + 1] as usize;
        let end = ends[arc as usize];
        let mut found = Arc::NONE;
        for input in inputs[range(input_offsets)].iter().filter(|input| input.end == end) {
            let key = K::of_weight(self.weights.of_arc(input.arc as usize));
            found.lower(input.direction.into(), key, OF_GRAPH | input.arc);
        }
        for triangle in &lower[range(lower_offsets)] {
            let others = triangle.arc as usize + 1..offsets[triangle.from as usize + 1] as usize;
            let place = ends[others.clone()].partition_point(|&other| other > end);
            let other = others.start + place;
            if others.contains(&other) && ends[other] == end {
                found.lower_by_triangle(&self.keys, triangle.arc, other);
            }
        }
        self.keys[arc as usize] = found.keys;
        self.origins[arc as usize] = found.origins;
    }

    /// The candidates that an arc from `rank` makes together with the other arcs from there.
    fn take_triangles(&mut self, rank: u32, arc: u32) {
        let hierarchy = self.hierarchy;
        let ends = &hierarchy.ends;
        for other in hierarchy.row(rank).map(|other| other as u32) {
            if other == arc {
                continue;
            }
            // the rows descend: the one before ends lower
            let (first, second) = (min(arc, other), max(arc, other));
            let lower_end = self.ancestors[usize::from(ends[first as usize])];
            let above = self.arc(lower_end, ends[second as usize]);
            let [from_middle, to_middle] = self.keys[first as usize];
            let other = self.keys[second as usize];
            self.take_candidate(above, UP, to_middle.add(other[UP]), first);
            self.take_candidate(above, DOWN, other[DOWN].add(from_middle), first);
        }
    }

    fn find_ancestors(&mut self, mut rank: u32) {
        while rank != ROOT {
            self.ancestors[usize::from(self.hierarchy.depths[rank as usize])] = rank;
            rank = self.hierarchy.parents[rank as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use test_support::arbitrary_graph;

    use super::*;
    use crate::Order;

    fn keys_and_origins<W: Weight>(metric: &Metric<'_, W>) -> String {
        with_arcs!(&metric.arcs, arcs => format!("{:?} {:?}", arcs.keys, arcs.origins))
    }

    proptest! {
        /// All of it, ties included, however often weights change.
        #[test]
        fn as_a_customization_of_its_own(
            graph in arbitrary_graph::<u32>(40, 120, 0..=9),
            changes in prop::collection::vec(
                prop::collection::vec((any::<prop::sample::Index>(), 0u32..=9), 0..4), 1..5
            ),
        ) {
            prop_assume!(graph.n_arcs() > 0);
            let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph).unwrap()).unwrap();
            let mut weights = graph.weights().to_vec();
            let graphs: Vec<(Vec<usize>, Csr<u32>)> = changes.iter().map(|changes| {
                let changed: Vec<usize> = changes.iter().map(|(arc, weight)| {
                    let arc = arc.index(weights.len());
                    weights[arc] = *weight;
                    arc
                }).collect();
                let (offsets, columns) = (graph.row_offsets(), graph.column_indices());
                (changed, Csr::new(offsets.to_vec(), columns.to_vec(), weights.clone()).unwrap())
            }).collect();
            let mut metric = hierarchy.customize(&graph).unwrap();
            for (changed, graph) in &graphs {
                change(&mut metric.arcs, &hierarchy, graph, changed);
                let expected = hierarchy.customize(graph).unwrap();
                prop_assert_eq!(keys_and_origins(&metric), keys_and_origins(&expected));
            }
        }
    }
}
