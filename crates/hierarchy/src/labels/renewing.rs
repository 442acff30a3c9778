//! Labels that follow a metric.
//!
//! The label of a vertex is made of the arcs that lead up from it and from its ancestors. So it
//! stays where none of these has changed. Where one has, the labels of the whole subtree are made
//! anew, from the labels above it. O(arcs) to compare, and O(n).

use std::sync::Arc;

use graph_formats::{Weight, ensure_granted};

use super::making::{bytes_of_making, make_subtrees};
use super::shape::{Shape, to_anchors};
use super::{AnyRows, Labels, Rows};
use crate::HierarchyError;
use crate::metric::arcs::Arcs;
use crate::metric::key::Key;
use crate::metric::{AnyArcs, Metric};
use crate::prepare::hierarchy::Hierarchy;

impl<W: Weight> Labels<W> {
    /// Makes them those of another metric; of how many vertices they were made anew.
    pub(crate) fn take(&mut self, metric: &Metric<W>) -> Result<usize, HierarchyError> {
        let hierarchy = &metric.hierarchy;
        let has_same_arcs = self.metric.hierarchy.has_arcs_of(hierarchy);
        let n_renewed = match (&mut self.rows, &self.metric.arcs, &metric.arcs) {
            _ if !has_same_arcs => None,
            (AnyRows::U32(rows), AnyArcs::U32(before), AnyArcs::U32(after)) => {
                rows.renew(hierarchy, before, after)?
            }
            (AnyRows::U64(rows), AnyArcs::U64(before), AnyArcs::U64(after)) => {
                rows.renew(hierarchy, before, after)?
            }
            (AnyRows::U128(rows), AnyArcs::U128(before), AnyArcs::U128(after)) => {
                rows.renew(hierarchy, before, after)?
            }
            (AnyRows::F64(rows), AnyArcs::F64(before), AnyArcs::F64(after)) => {
                rows.renew(hierarchy, before, after)?
            }
            _ => None,
        };
        match n_renewed {
            Some(n_renewed) => {
                self.metric = metric.clone();
                Ok(n_renewed)
            }
            None => {
                *self = metric.make_labels()?;
                Ok(hierarchy.n_vertices())
            }
        }
    }
}

impl<K: Key> Rows<K> {
    /// Makes them those of other arcs; none where they would have another shape.
    fn renew(
        &mut self,
        hierarchy: &Hierarchy,
        before: &Arcs<K>,
        after: &Arcs<K>,
    ) -> Result<Option<usize>, HierarchyError> {
        let shape = Arc::clone(&self.shape);
        if Shape::n_directions(after) != shape.n_directions {
            return Ok(None);
        }
        let roots = roots(hierarchy, before, after);
        let n_renewed = roots.iter().map(|&root| root + 1 - hierarchy.subtrees[root as usize]);
        let n_renewed = n_renewed.sum::<u32>() as usize;
        let bytes = shape.bytes::<K>() + bytes_of_making::<K>(hierarchy, &shape);
        ensure_granted(bytes).map_err(|_| {
            let bytes = shape.bytes::<K>() as u128;
            HierarchyError::LabelsTooLarge { bytes: bytes.into() }
        })?;
        let mut keys = std::mem::take(&mut self.keys).into_vec();
        match shape.n_directions {
            1 => make_subtrees::<_, 1>(hierarchy, after, &shape, &roots, &mut keys),
            _ => make_subtrees::<_, 2>(hierarchy, after, &shape, &roots, &mut keys),
        }
        self.keys = keys.into();
        let to_anchors = to_anchors(hierarchy, after, &shape.anchors);
        for (end, &rank) in Arc::make_mut(&mut self.ends).iter_mut().zip(&*hierarchy.ranks) {
            end.keys = to_anchors[rank as usize];
        }
        Ok(Some(n_renewed))
    }
}

/// The roots of the largest subtrees in which each vertex has an arc or an ancestor with an arc that
/// has changed, ascending.
fn roots<K: Key>(hierarchy: &Hierarchy, before: &Arcs<K>, after: &Arcs<K>) -> Vec<u32> {
    let mut roots = Vec::new();
    let mut end = hierarchy.n_vertices() as u32;
    while let Some(rank) = end.checked_sub(1) {
        let row = hierarchy.row(rank);
        let has_changed = before.keys[row.clone()] != after.keys[row];
        if has_changed {
            roots.push(rank);
        }
        end = if has_changed { hierarchy.subtrees[rank as usize] } else { rank };
    }
    roots.reverse();
    roots
}

#[cfg(test)]
mod tests {
    use graph_formats::Csr;
    use graph_formats::generate::{GridConfig, grid};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::Index;
    use test_support::{arbitrary_graph, undirected};

    use super::*;
    use crate::{Hierarchy, Order};

    fn metric_of(graph: &Csr<u32>) -> Metric<u32> {
        let hierarchy = Hierarchy::new(graph, &Order::by_landmarks(graph).unwrap()).unwrap();
        hierarchy.customize(graph).unwrap()
    }

    fn state(labels: &Labels<u32>) -> String {
        match &labels.rows {
            AnyRows::U32(rows) => format!("{:?} {:?}", rows.keys, rows.ends),
            AnyRows::U64(rows) => format!("{:?} {:?}", rows.keys, rows.ends),
            _ => String::new(),
        }
    }

    fn follow(graph: &Csr<u32>, batches: Vec<Vec<(Index, u32)>>) {
        let mut metric = metric_of(graph);
        let mut labels = metric.labels().unwrap();
        for changes in batches {
            let changes = changes.into_iter();
            let changes: Vec<_> =
                changes.map(|(arc, weight)| (arc.index(graph.n_arcs()), weight)).collect();
            metric.update(&changes).unwrap();
            let (copy, before) = (labels.clone(), state(&labels));
            labels.renew(&metric).unwrap();
            assert_eq!(state(&labels), state(&metric.labels().unwrap()));
            assert_eq!(state(&copy), before);
        }
    }

    proptest! {
        /// All keys, of vertices and of dead ends, in one direction and in two.
        #[test]
        fn as_labels_made_from_nothing(
            graph in arbitrary_graph::<u32>(40, 60, 0..=9),
            batches in vec(vec((any::<Index>(), 0u32..=9), 0..4), 1..5),
        ) {
            prop_assume!(graph.n_arcs() > 0);
            follow(&graph, batches.clone());
            follow(&undirected(&graph), batches);
        }
    }

    /// Those that are not below an arc that has changed.
    #[test]
    fn others_stay() {
        let graph = grid(&GridConfig { side: 20, ..Default::default() }).unwrap();
        let mut metric = metric_of(&graph);
        let mut labels = metric.labels().unwrap();
        let unchanged = labels.renew(&metric);
        assert_eq!(unchanged, Ok(0));
        let mut numbers = Vec::new();
        for arc in (0..graph.n_arcs()).step_by(37) {
            metric.update(&[(arc, graph.weight(arc) + 1)]).unwrap();
            numbers.push(labels.renew(&metric).unwrap());
        }
        assert_eq!(state(&labels), state(&metric.labels().unwrap()));
        numbers.sort_unstable();
        let n = graph.n_vertices();
        assert!(numbers[0] < n / 10 && numbers[numbers.len() / 2] < n / 2, "{numbers:?}");
    }
}
