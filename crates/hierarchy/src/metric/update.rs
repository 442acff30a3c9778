//! Other weights for a metric, all or some.
//!
//! Where [few](NewWeights::Few) are others, what they [change](change()) is customized, else all. What
//! can be refused is, before anything is changed.

use graph_formats::Weight;

use super::Metric;
use super::changes::change;
use super::new_weights::{Current, NewWeights};
use crate::HierarchyError;

impl<W: Weight> Metric<W> {
    pub(crate) fn take_all(&mut self, weights: &[W]) -> Result<(), HierarchyError> {
        self.take(NewWeights::of_all(&self.current(), weights)?)
    }

    pub(crate) fn take_some(&mut self, changes: &[(usize, W)]) -> Result<(), HierarchyError> {
        self.take(NewWeights::of_some(&self.current(), changes)?)
    }

    fn current(&self) -> Current<'_, W> {
        Current { graph: &self.graph, kind: self.arcs.kind(), bound: self.bound }
    }

    fn take(&mut self, weights: NewWeights<W>) -> Result<(), HierarchyError> {
        match weights {
            NewWeights::Few(changes, _) if changes.is_empty() => {}
            NewWeights::Few(changes, bound) => {
                self.graph.set_weights(&changes).expect("arcs and weights have been checked");
                self.bound = bound;
                change(&mut self.arcs, &self.hierarchy, &self.graph, &changes);
            }
            NewWeights::Many(graph) => *self = Self::new(self.hierarchy.clone(), graph)?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use graph_formats::Csr;
    use graph_formats::generate::{GridConfig, grid};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::Index;
    use test_support::arbitrary_graph;

    use super::*;
    use crate::metric::{AnyArcs, with_arcs};
    use crate::{Hierarchy, MetricWeight, Order};

    fn metric_of<W: MetricWeight>(graph: &Csr<W>) -> Metric<W> {
        let hierarchy = Hierarchy::new(graph, &Order::by_landmarks(graph).unwrap()).unwrap();
        hierarchy.customize(graph).unwrap()
    }

    /// All that a metric has but its bound.
    fn state<W: Weight>(metric: &Metric<W>) -> String {
        let weights = metric.graph.weights();
        with_arcs!(&metric.arcs, arcs => format!("{weights:?} {:?} {:?}", arcs.keys, arcs.origins))
    }

    proptest! {
        /// All of it, ties included, however often weights change; and copies stay as they were.
        #[test]
        fn as_a_customization_of_its_own(
            graph in arbitrary_graph::<u32>(40, 120, 0..=9),
            steps in vec((vec((any::<Index>(), 0u32..=9), 0..12), any::<bool>()), 1..6),
        ) {
            prop_assume!(graph.n_arcs() > 0);
            let mut metric = metric_of(&graph);
            let mut weights = graph.weights().to_vec();
            for (changes, is_update) in steps {
                let changes = changes.into_iter();
                let changes: Vec<_> =
                    changes.map(|(arc, weight)| (arc.index(weights.len()), weight)).collect();
                changes.iter().for_each(|&(arc, weight)| weights[arc] = weight);
                let (copy, before) = (metric.clone(), state(&metric));
                match is_update {
                    true => metric.update(&changes).unwrap(),
                    false => metric.customize(&weights).unwrap(),
                }
                let graph = graph.with_other_weights(weights.clone()).unwrap();
                let expected = metric.hierarchy.customize(&graph).unwrap();
                prop_assert_eq!(state(&metric), state(&expected));
                prop_assert_eq!(state(&copy), before);
            }
        }
    }

    /// In subtrees that threads share, and above them.
    #[test]
    fn large_subtrees_follow() {
        let graph = grid(&GridConfig { side: 90, ..Default::default() }).unwrap();
        let mut metric = metric_of(&graph);
        for (batch, n_changes) in [1, 7, 60].into_iter().enumerate() {
            let arcs = (1..=n_changes).map(|at| (at * 7919 + batch * 31) % graph.n_arcs());
            let changes: Vec<_> = arcs.map(|arc| (arc, (arc % 40) as u32)).collect();
            metric.update(&changes).unwrap();
            assert!(n_changes < 10 || changes.len() <= graph.n_arcs() >> 7);
            let expected = metric.hierarchy.customize(&metric.graph).unwrap();
            assert!(state(&metric) == state(&expected), "{n_changes} changes");
        }
    }

    /// Tries what is refused, between weights that are not.
    fn refuse<W: MetricWeight>(metric: &mut Metric<W>, fine: W, bad: W) -> HierarchyError {
        let before = state(metric);
        let error = metric.update(&[(0, fine), (1, bad), (2, fine)]).unwrap_err();
        let mut weights = metric.graph.weights().to_vec();
        weights[1] = bad;
        assert_eq!(metric.customize(&weights), Err(error.clone()));
        // more than are changed one by one
        let fine = vec![fine; weights.len()];
        let many: Vec<_> = (0..).zip(fine.clone()).chain([(1, bad)]).collect();
        assert_eq!(metric.update(&many), Err(error.clone()));
        weights = fine;
        weights[1] = bad;
        assert_eq!(metric.customize(&weights), Err(error.clone()));
        assert_eq!(state(metric), before);
        error
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let path = |weight: f64| {
            let edges: Vec<_> = (1..9u32).map(|v| (v - 1, v, f64::from(v) * weight)).collect();
            Csr::from_edges(9, &edges).unwrap()
        };
        let mut floats = metric_of(&path(0.5));
        for (weight, name) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (-1.5, "-1.5")] {
            let error = refuse(&mut floats, 3.5, weight).to_string();
            assert!(error.contains("arc 1 -> 0 has") && error.contains(name), "{error}");
        }
        let mut heavy = metric_of(&path(2e307 / 8.0));
        let error = refuse(&mut heavy, 1.0, f64::MAX);
        assert!(matches!(error, HierarchyError::SumsTooLarge { .. }), "{error}");
        let whole = path(1.0).convert_weights::<i64>().unwrap();
        let mut whole = metric_of(&whole);
        let error = refuse(&mut whole, 3, -2).to_string();
        assert!(error.contains("arc 1 -> 0 has weight -2"), "{error}");
        let before = state(&whole);
        let none = HierarchyError::NoSuchArc { arc: 16, n_arcs: 16 };
        assert_eq!(whole.update(&[(0, 7), (16, 7)]), Err(none));
        let short = HierarchyError::NotAllArcs { expected: 16, found: 15 };
        assert_eq!(whole.customize(&[7; 15]), Err(short));
        assert_eq!(state(&whole), before);
    }

    /// An update copies only what is shared with a clone, and clones share everything.
    #[test]
    fn only_what_is_shared_is_copied() {
        let edges: Vec<_> = (1..30u32).map(|v| (v / 2, v, v)).collect();
        let graph = Csr::from_edges(30, &edges).unwrap();
        let mut metric = metric_of(&graph);
        let places = |metric: &Metric<u32>| {
            let keys = with_arcs!(&metric.arcs, arcs => arcs.keys.as_ptr() as usize);
            [metric.graph.weights().as_ptr() as usize, keys]
        };
        let [of_graph, _] = places(&metric);
        assert_eq!(of_graph, graph.weights().as_ptr() as usize);
        metric.update(&[(0, 7)]).unwrap();
        let own = places(&metric);
        assert_ne!(own[0], of_graph);
        metric.update(&[(0, 8), (3, 9)]).unwrap();
        assert_eq!(places(&metric), own);
        let copy = metric.clone();
        assert_eq!(places(&copy), own);
        metric.update(&[(1, 5)]).unwrap();
        assert!(places(&metric).iter().zip(own).all(|(place, own)| *place != own));
        assert_eq!(places(&copy), own);
    }

    /// Keys become wider when they have to, also by many small steps, and narrower when all change.
    #[test]
    fn keys_are_as_wide_as_lengths() {
        let edges: Vec<_> = (1..9u32).map(|v| (v / 2, v, u64::from(v))).collect();
        let graph = Csr::from_edges(9, &edges).unwrap();
        let mut metric = metric_of(&graph);
        for step in 1..9u64 {
            for arc in 0..graph.n_arcs() {
                metric.update(&[(arc, step << 27)]).unwrap();
            }
            let expected = metric.hierarchy.customize(&metric.graph).unwrap();
            assert!(metric.bound >= expected.bound);
            assert!(metric.arcs.kind().holds(metric.bound));
            let all: Vec<_> = graph.vertices().collect();
            assert_eq!(metric.distances(&all).unwrap(), expected.distances(&all).unwrap());
        }
        assert!(matches!(metric.arcs, AnyArcs::U64(_)));
        metric.update(&[(3, u64::MAX)]).unwrap();
        assert!(matches!(metric.arcs, AnyArcs::U128(_)));
        metric.customize(graph.weights()).unwrap();
        assert_eq!(state(&metric), state(&metric_of(&graph)));
    }
}
