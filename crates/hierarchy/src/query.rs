//! Distances and paths between two vertices, by the elimination tree.
//!
//! Whatever a search upwards can reach from a vertex is an ancestor of it. So two searches walk
//! the tree from their ends to the root, relaxing the arcs of each vertex, up from the source and
//! down to the target, without a queue. Where their ways have met they are walked together; the
//! least sum there is the distance, and vertices no nearer than it are passed over. O(arcs that
//! lead up from the ancestors).
//!
//! Tentative distances are stored by the depth of the ancestor, of both directions side by side:
//! a few kilobytes, where the paper has an array of all vertices.
//!
//! Reference: dibbelt-2016

use graph_formats::{VertexId, Weight};

use crate::HierarchyError;
use crate::customize::Arcs;
use crate::elimination_tree::ROOT;
use crate::hierarchy::{DOWN, UP};
use crate::key::Key;
use crate::metric::{Metric, with_arcs};
use crate::unpack::unpack;

/// A shortest path.
#[derive(Clone, Debug, PartialEq)]
pub struct Path<D> {
    /// The sum of the weights of its arcs, added from its first vertex on.
    pub length: D,
    /// Its vertices in the order of travel, both ends included.
    pub vertices: Vec<VertexId>,
    /// The positions of its arcs in the graph.
    pub arcs: Vec<usize>,
}

/// Distances and paths between two vertices, with a work space of its own.
pub struct Query<'m, W: Weight>(Box<dyn Pairs<W> + 'm>);

impl<'m, W: Weight> Query<'m, W> {
    pub(crate) fn new(metric: &'m Metric<'m, W>) -> Self {
        with_arcs!(&metric.arcs, arcs => Self(Box::new(Walk::new(metric, arcs))))
    }

    /// How far `target` is from `source`; none where no path leads there. Of integers exactly;
    /// of floats the length of the [path](Query::path).
    ///
    /// # Errors
    /// When there is no such vertex, or the distance overflows its type.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let metric = hierarchy.customize(&graph)?;
    /// let mut query = metric.query();
    /// assert_eq!(query.distance(0, 2)?, Some(7));
    /// assert_eq!(query.distance(2, 0)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distance(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<W::Distance>, HierarchyError> {
        self.0.distance(source, target)
    }

    /// A shortest path from `source` to `target`, in arcs of the graph; none where there is none.
    /// O(arcs that lead up from the ancestors + length · log of the rows looked through).
    ///
    /// # Errors
    /// As [`Query::distance`].
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// let metric = hierarchy.customize(&graph)?;
    /// let path = metric.query().path(0, 2)?.expect("there is a path");
    /// assert_eq!((path.length, path.vertices), (7, vec![0, 1, 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn path(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<Path<W::Distance>>, HierarchyError> {
        self.0.path(source, target)
    }
}

/// What a [`Query`] does, for any keys.
trait Pairs<W: Weight>: Send {
    fn distance(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<W::Distance>, HierarchyError>;
    fn path(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<Path<W::Distance>>, HierarchyError>;
}

/// The last arc of the way to an ancestor, or the first from it.
#[derive(Clone, Copy, Default)]
struct Step {
    arc: u32,
    /// The depth of its lower end.
    from: u32,
}

/// The two walks up the tree.
struct Walk<'m, W: Weight, K> {
    metric: &'m Metric<'m, W>,
    arcs: &'m Arcs<K>,
    /// By depth, the least distance from the source and to the target.
    keys: Vec<[K; 2]>,
    /// The arcs that these end or begin with, where paths are asked for.
    steps: Vec<[Step; 2]>,
}

impl<'m, W: Weight, K: Key> Walk<'m, W, K> {
    fn new(metric: &'m Metric<'m, W>, arcs: &'m Arcs<K>) -> Self {
        let height = metric.hierarchy.height();
        let (keys, steps) = (vec![[K::UNREACHED; 2]; height], vec![Default::default(); height]);
        Self { metric, arcs, keys, steps }
    }

    /// The length of the shortest path between two ranks, and the depth of its highest vertex.
    fn meet<const WITH_PATH: bool>(&mut self, source: u32, target: u32) -> (K, usize) {
        let hierarchy = self.metric.hierarchy;
        let mut depths = [source, target].map(|rank| hierarchy.depths[rank as usize] as usize);
        self.keys[..=depths[0].max(depths[1])].fill([K::UNREACHED; 2]);
        self.keys[depths[0]][UP] = K::ZERO;
        self.keys[depths[1]][DOWN] = K::ZERO;
        let mut ranks = [source, target];
        while ranks[0] != ranks[1] {
            let direction = if ranks[0] < ranks[1] { UP } else { DOWN };
            let rank = ranks[direction];
            if ranks[1 - direction] == ROOT {
                return (K::UNREACHED, 0);
            }
            self.relax::<WITH_PATH>(rank, depths[direction], direction);
            ranks[direction] = hierarchy.parents[rank as usize];
            depths[direction] = depths[direction].wrapping_sub(1);
        }
        let mut rank = ranks[0];
        let mut depth = depths[0];
        let (mut best, mut highest) = (K::UNREACHED, 0);
        while rank != ROOT {
            let [from_source, to_target] = self.keys[depth];
            let through = from_source.add(to_target);
            if through < best {
                (best, highest) = (through, depth);
            }
            if from_source < best {
                self.relax::<WITH_PATH>(rank, depth, UP);
            }
            if to_target < best {
                self.relax::<WITH_PATH>(rank, depth, DOWN);
            }
            rank = hierarchy.parents[rank as usize];
            depth = depth.wrapping_sub(1);
        }
        (best, highest)
    }

    #[inline(always)]
    fn relax<const WITH_PATH: bool>(&mut self, rank: u32, depth: usize, direction: usize) {
        let row = self.metric.hierarchy.row(rank);
        let from = self.keys[depth][direction];
        let ends = &self.metric.hierarchy.ends[row.clone()];
        for ((&end, keys), arc) in ends.iter().zip(&self.arcs.keys[row.clone()]).zip(row.start..) {
            let through = from.add(keys[direction]);
            let key = &mut self.keys[end as usize][direction];
            if !WITH_PATH {
                *key = key.min(through);
            } else if through < *key {
                *key = through;
                self.steps[end as usize][direction] = Step { arc: arc as u32, from: depth as u32 };
            }
        }
    }

    /// The arcs between an end and the ancestor at depth `highest`, from the ancestor on.
    fn steps(&self, end: u32, highest: usize, direction: usize) -> Vec<(u32, usize)> {
        let end = self.metric.hierarchy.depths[end as usize].into();
        let mut steps = Vec::new();
        let mut depth = highest;
        while depth != end {
            let step = self.steps[depth][direction];
            steps.push((step.arc, direction));
            depth = step.from as usize;
        }
        steps
    }
}

impl<W: Weight, K: Key> Pairs<W> for Walk<'_, W, K> {
    fn distance(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<W::Distance>, HierarchyError> {
        if W::ZERO.to_i128().is_none() {
            return Ok(self.path(source, target)?.map(|path| path.length));
        }
        let ends = (self.metric.rank("source", source)?, self.metric.rank("target", target)?);
        let (key, _) = self.meet::<false>(ends.0, ends.1);
        self.metric.distance(key, source, target)
    }

    fn path(
        &mut self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<Path<W::Distance>>, HierarchyError> {
        let ends = (self.metric.rank("source", source)?, self.metric.rank("target", target)?);
        let (key, highest) = self.meet::<true>(ends.0, ends.1);
        if key >= K::UNREACHED {
            return Ok(None);
        }
        let graph = self.metric.graph;
        let up = self.steps(ends.0, highest, UP).into_iter().rev();
        let down = self.steps(ends.1, highest, DOWN);
        let arcs = unpack(self.metric.hierarchy, &self.arcs.origins, up.chain(down));
        let columns = graph.column_indices();
        let mut vertices = Vec::with_capacity(arcs.len() + 1);
        vertices.push(source);
        vertices.extend(arcs.iter().map(|&arc| columns[arc]));
        let length = if W::ZERO.to_i128().is_some() {
            key.to_distance::<W>()
        } else {
            let add = |length, &arc: &usize| graph.weight(arc).after(length);
            arcs.iter().try_fold(W::Distance::ZERO, add)
        };
        let kind = W::Distance::KIND;
        let overflow = HierarchyError::Overflow { source_vertex: source, target, kind };
        let length = length.ok_or(overflow)?;
        Ok(Some(Path { length, vertices, arcs }))
    }
}
