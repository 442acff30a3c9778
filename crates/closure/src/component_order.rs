//! The order of strongly connected components, from which vertices reach which alone.
//!
//! What reaches more vertices comes first: where u reaches v and not the other way round, u
//! reaches all that v reaches, and itself besides. So sorting by the number reached gives an order
//! in which no vertex reaches an earlier component, and a matrix is block-triangular. That holds
//! for relations that are transitive, as distances and closures are; where it fails, the relation is
//! none and is refused.
//! O(n²).

use std::cmp::{Ordering, Reverse};

use graph_formats::VertexId;
use paths::Closure;

/// Vertices component by component; none reaches an earlier one.
///
/// ```
/// use closure::ComponentOrder;
/// use paths::Closure;
///
/// // 2 reaches 0, and 0 reaches 2; both reach 1
/// let mut reached = Closure::without_pairs(3);
/// [(0, 2), (2, 0), (0, 1), (2, 1)].into_iter().for_each(|(u, v)| reached.insert(u, v));
/// (0..3).for_each(|v| reached.insert(v, v));
/// let order = ComponentOrder::of(&reached).expect("it is transitive");
/// assert_eq!((order.vertices, order.starts), (vec![0, 2, 1], vec![0, 2, 3]));
/// ```
#[derive(Clone, Debug)]
pub struct ComponentOrder {
    /// The vertices.
    pub vertices: Vec<VertexId>,
    /// Where each component starts among them, and last their number.
    pub starts: Vec<usize>,
}

impl ComponentOrder {
    /// The order for a relation in which every vertex reaches itself.
    ///
    /// # Errors
    /// A pair of the relation that contradicts the rest: it is not transitive.
    pub fn of(reached: &Closure) -> Result<Self, (VertexId, VertexId)> {
        const NONE: VertexId = VertexId::MAX;
        let n = reached.n_vertices();
        let all = 0..n as VertexId;
        // the least vertex of each component
        let mut component_of = vec![NONE; n];
        for u in all.clone() {
            if component_of[u as usize] != NONE {
                continue;
            }
            component_of[u as usize] = u;
            for v in reached.reached_from(u).filter(|&v| reached.reaches(v, u)) {
                if component_of[v as usize] == NONE {
                    component_of[v as usize] = u;
                }
            }
        }
        let counts: Vec<_> = reached.counts().into_iter().map(|(reached, _)| reached).collect();
        for (v, &u) in (0..).zip(&component_of) {
            // each of a component reaches what the others reach
            match counts[v as usize].cmp(&counts[u as usize]) {
                Ordering::Less => return Err((v, u)),
                Ordering::Greater => return Err((u, v)),
                Ordering::Equal => {}
            }
        }
        let mut vertices: Vec<_> = all.collect();
        let key = |v: usize| (Reverse(counts[v]), component_of[v]);
        vertices.sort_by_key(|&v| key(v as usize));
        let mut starts = vec![0];
        // the place of each vertex's component
        let mut rank = vec![0; n];
        for (at, pair) in (1..).zip(vertices.windows(2)) {
            let [before, vertex] = [pair[0] as usize, pair[1] as usize];
            if component_of[before] != component_of[vertex] {
                starts.push(at);
            }
            rank[vertex] = starts.len();
        }
        if let Some(&first) = vertices.first() {
            rank[first as usize] = 1;
            starts.push(n);
        }
        for u in 0..n as VertexId {
            let is_earlier = |v: &VertexId| rank[*v as usize] < rank[u as usize];
            if let Some(v) = reached.reached_from(u).find(is_earlier) {
                return Err((u, v));
            }
        }
        Ok(Self { vertices, starts })
    }

    /// How many components there are.
    pub fn n_components(&self) -> usize {
        self.starts.len() - 1
    }

    /// The place of each vertex in the order.
    pub fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.vertices.len()];
        for (place, &vertex) in self.vertices.iter().enumerate() {
            places[vertex as usize] = place;
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use graph_formats::generate::{Duplicates, GraphOptions, UniformConfig, uniform};
    use graph_formats::{Components, Csr, Direction};

    use super::*;
    use crate::{Config, closure};

    fn reflexive(graph: &Csr<u32>) -> Closure {
        let mut reached = closure(graph, &Config::default(), None).unwrap().closure;
        graph.vertices().for_each(|v| reached.insert(v, v));
        reached
    }

    #[test]
    fn closures_become_block_triangular() {
        for (n_vertices, n_edges) in [(1, 0), (2, 1), (40, 30), (60, 90), (80, 200), (300, 400)] {
            for seed in 0..5 {
                let options = GraphOptions {
                    seed,
                    direction: Direction::Directed,
                    duplicates: Duplicates::Keep,
                    ..Default::default()
                };
                let graph = uniform(&UniformConfig { n_vertices, n_edges, options }).unwrap();
                let reached = reflexive(&graph);
                let order = ComponentOrder::of(&reached).unwrap();
                let components = Components::of(&graph);
                assert_eq!(order.n_components(), components.n_components());
                let block_of = |place: usize| order.starts.partition_point(|&s| s <= place);
                for (i, &u) in order.vertices.iter().enumerate() {
                    for (j, &v) in order.vertices.iter().enumerate() {
                        let is_one = components.component_of(u) == components.component_of(v);
                        assert_eq!(block_of(i) == block_of(j), is_one);
                        assert!(block_of(i) <= block_of(j) || !reached.reaches(u, v));
                    }
                }
            }
        }
    }

    #[test]
    fn a_relation_that_is_not_transitive_is_refused() {
        let mut reached = Closure::without_pairs(3);
        (0..3).for_each(|v| reached.insert(v, v));
        assert!(ComponentOrder::of(&reached).is_ok());
        // 1 reaches 0 and 2; 2 reaches 1
        [(1, 0), (1, 2), (2, 1)].into_iter().for_each(|(u, v)| reached.insert(u, v));
        assert!(ComponentOrder::of(&reached).is_err());
        reached.insert(2, 0);
        assert!(ComponentOrder::of(&reached).is_ok());
    }
}
