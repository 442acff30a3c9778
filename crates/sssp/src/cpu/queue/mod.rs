//! Priority queues for Dijkstra's algorithm.
//!
//! No queue can lower a key: a vertex whose key fell is pushed again, and the search skips stale
//! entries. All but the heap require that popped keys never decrease, which is so if no weight is
//! negative.
//!
//! A queue that has limits, or that `auto` may take, has its case in `queue_for` of `plan.rs` and in
//! `configs` of `tests/all/common.rs`. All else uses `Queue::ALL`.

mod dial;
mod heap;
mod radix;

use graph_formats::{DistanceKey, VertexId};

pub(crate) use dial::{Dial, MAX_ARCS};
pub(crate) use heap::QuaternaryHeap;
pub(crate) use radix::RadixHeap;

/// A queue that returns vertices by ascending keys.
pub(crate) trait MonotoneQueue<K: DistanceKey>: Send + Sync {
    /// Adds an entry, whose key is no less than the last one popped.
    fn push(&mut self, key: K, vertex: VertexId);
    /// Removes an entry of least key.
    fn pop(&mut self) -> Option<(K, VertexId)>;
    /// Empties the queue; keys may start from zero again.
    fn clear(&mut self);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pushes each key above the last key popped, and pops after some of the pushes.
    fn monotone_run(queue: &mut dyn MonotoneQueue<u32>, steps: &[(u32, bool)]) -> Vec<u32> {
        let (mut last, mut popped) = (0, Vec::new());
        for &(above, pop) in steps {
            queue.push(last + above, above);
            if pop {
                let (key, _) = queue.pop().expect("just pushed");
                last = key;
                popped.push(key);
            }
        }
        while let Some((key, _)) = queue.pop() {
            popped.push(key);
        }
        popped
    }

    proptest! {
        #[test]
        fn all_queues_agree(steps in prop::collection::vec((0u32..1000, any::<bool>()), 0..300)) {
            let mut heap = QuaternaryHeap::default();
            let expected = monotone_run(&mut heap, &steps);
            prop_assert!(expected.is_sorted());
            prop_assert_eq!(expected.len(), steps.len());
            let mut radix = RadixHeap::default();
            prop_assert_eq!(monotone_run(&mut radix, &steps), &expected[..]);
            let mut dial = Dial::new(1000);
            prop_assert_eq!(monotone_run(&mut dial, &steps), &expected[..]);
            // again, in the same queues
            for queue in [&mut heap as &mut dyn MonotoneQueue<u32>, &mut radix, &mut dial] {
                queue.push(7, 0);
                queue.clear();
                prop_assert_eq!(monotone_run(queue, &steps), &expected[..]);
            }
        }
    }
}
