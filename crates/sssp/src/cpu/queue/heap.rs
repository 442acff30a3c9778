//! An implicit heap with four children per node.
//!
//! It is half as deep as a binary heap, and the children of a node share one or two cache lines,
//! so a pop has half as many cache misses. O(log n) a push or pop.

use graph_formats::{DistanceKey, VertexId};

use super::MonotoneQueue;

const CHILDREN: usize = 4;

#[derive(Clone)]
pub(crate) struct QuaternaryHeap<K>(Vec<(K, VertexId)>);

impl<K> Default for QuaternaryHeap<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: DistanceKey> MonotoneQueue<K> for QuaternaryHeap<K> {
    fn push(&mut self, key: K, vertex: VertexId) {
        let mut at = self.0.len();
        self.0.push((key, vertex));
        while at > 0 {
            let parent = (at - 1) / CHILDREN;
            if self.0[parent].0 <= key {
                break;
            }
            self.0[at] = self.0[parent];
            at = parent;
        }
        self.0[at] = (key, vertex);
    }

    fn pop(&mut self) -> Option<(K, VertexId)> {
        let last = self.0.pop()?;
        let Some(&least) = self.0.first() else { return Some(last) };
        let mut at = 0;
        loop {
            let first = at * CHILDREN + 1;
            let children = first..(first + CHILDREN).min(self.0.len());
            let Some(child) = children.min_by_key(|&child| self.0[child].0) else { break };
            if last.0 <= self.0[child].0 {
                break;
            }
            self.0[at] = self.0[child];
            at = child;
        }
        self.0[at] = last;
        Some(least)
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}
