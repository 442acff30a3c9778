//! One tree after changes: its distances and predecessors, and a note of what they were.
//!
//! First, vertices below changed arcs of the tree are carried along, by depth. Then each looks around
//! for arcs that make it or a neighbour nearer, and what is made nearer is settled. Those look around
//! at the end, when all distances are final; on the way each chooses its predecessor.
//!
//! Reference: ramalingam-reps-1996

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use graph_formats::{ArcChange, Distance, DynamicGraph, VertexId, Weight};
use search_parts::prefetch;

use crate::SsspError;

/// The arcs of the vertex this many places ahead are prefetched.
const AHEAD: usize = 8;

/// The code for "no predecessor"; no graph has this many vertices.
pub(super) const NO_VERTEX: VertexId = VertexId::MAX;

/// A mark of a vertex whose distance and predecessor before are noted.
const NOTED: u8 = 1;
/// A mark of a vertex that is looked at again when all distances are final.
const AGAIN: u8 = 2;
/// A mark of a vertex that has another distance.
const MOVED: u8 = 4;
/// A mark of a vertex of a plateau that is filled again.
pub(super) const ON_PLATEAU: u8 = 8;

type Length<W> = <W as Weight>::Distance;

/// What a vertex had before.
struct Before<D> {
    vertex: VertexId,
    distance: D,
    predecessor: VertexId,
}

/// The work space of updates. Between two of them marks are zero, and lists are empty.
pub(super) struct Space<W: Weight> {
    /// Of each vertex.
    pub(super) marks: Vec<u8>,
    noted: Vec<Before<Length<W>>>,
    /// The vertices that are looked at again.
    again: Vec<VertexId>,
    /// Vertices whose paths in the tree have another length.
    open: Vec<VertexId>,
    /// The vertices whose arcs are to be relaxed, by distance.
    queue: BinaryHeap<Reverse<(<Length<W> as Distance>::Key, VertexId)>>,
}

impl<W: Weight> Space<W> {
    pub(super) fn new(n_vertices: usize) -> Self {
        Self {
            marks: vec![0; n_vertices],
            noted: Vec::new(),
            again: Vec::new(),
            open: Vec::new(),
            queue: BinaryHeap::new(),
        }
    }

    /// Gives vertices what they had before the last update.
    pub(super) fn put_back(&self, distances: &mut [Length<W>], predecessors: &mut [VertexId]) {
        for &Before { vertex, distance, predecessor } in &self.noted {
            distances[vertex as usize] = distance;
            predecessors[vertex as usize] = predecessor;
        }
    }

    /// The vertices whose distance was another before the last update.
    pub(super) fn changed(&self, distances: &[Length<W>]) -> Vec<VertexId> {
        let is_changed = |before: &&Before<_>| distances[before.vertex as usize] != before.distance;
        self.noted.iter().filter(is_changed).map(|before| before.vertex).collect()
    }

    /// Ends the last update.
    pub(super) fn clear(&mut self) {
        let Self { marks, noted, again, open, queue } = self;
        noted.iter().for_each(|before| marks[before.vertex as usize] = 0);
        noted.clear();
        again.clear();
        open.clear();
        queue.clear();
    }
}

/// A tree whose graph has changed.
pub(super) struct Update<'u, W: Weight> {
    pub(super) graph: &'u DynamicGraph<W>,
    pub(super) source: VertexId,
    pub(super) distances: &'u mut [Length<W>],
    pub(super) predecessors: &'u mut [VertexId],
    pub(super) space: &'u mut Space<W>,
    /// The most vertices that may be noted.
    most: usize,
    /// Vertices whose plateau is filled again.
    pub(super) fellows: Vec<VertexId>,
    /// Vertices to which the length of a path has overflowed.
    beyond: Vec<VertexId>,
}

impl<'u, W: Weight> Update<'u, W> {
    pub(super) fn new(
        graph: &'u DynamicGraph<W>,
        source: VertexId,
        (distances, predecessors): (&'u mut [Length<W>], &'u mut [VertexId]),
        space: &'u mut Space<W>,
        most: usize,
    ) -> Self {
        let (fellows, beyond) = (Vec::new(), Vec::new());
        Self { graph, source, distances, predecessors, space, most, fellows, beyond }
    }

    /// Makes the tree that of the graph; false, with the tree in between, where too many vertices
    /// are concerned.
    pub(super) fn run(&mut self, arcs: &[ArcChange<W>]) -> Result<bool, SsspError> {
        self.carry(arcs);
        let n_carried = self.space.noted.len();
        if n_carried > self.most {
            return Ok(false);
        }
        for at in 0..n_carried {
            if let Some(later) = self.space.noted.get(at + AHEAD) {
                prefetch(self.graph.arcs_from(later.vertex), 0);
            }
            self.look_around(self.space.noted[at].vertex);
        }
        for &ArcChange { from, to, after, .. } in arcs {
            if let Some(weight) = after {
                self.relax(from, weight, to);
            }
        }
        self.settle();
        if self.space.noted.len() > self.most {
            return Ok(false);
        }
        // an arc that still leads there would have lowered what its sum can be held as
        let overflows = |&&v: &&VertexId| {
            let mut tails = self.graph.arcs_to(v).iter().map(|&(tail, _)| tail);
            self.is_unreached(v) && tails.any(|tail| !self.is_unreached(tail))
        };
        if let Some(&vertex) = self.beyond.iter().filter(overflows).min() {
            let kind = std::any::type_name::<Length<W>>();
            return Err(SsspError::Overflow { vertex, kind });
        }
        let mut at = 0;
        while let Some(&vertex) = self.space.again.get(at) {
            self.look_around(vertex);
            at += 1;
        }
        self.fill_plateaus();
        Ok(true)
    }

    /// Notes what a vertex has now, the first time.
    pub(super) fn note(&mut self, vertex: VertexId) {
        let v = vertex as usize;
        if self.space.marks[v] & NOTED == 0 {
            self.space.marks[v] |= NOTED;
            let (distance, predecessor) = (self.distances[v], self.predecessors[v]);
            self.space.noted.push(Before { vertex, distance, predecessor });
        }
    }

    pub(super) fn is_level(&self, one: VertexId, other: VertexId) -> bool {
        self.distances[one as usize] == self.distances[other as usize]
    }

    pub(super) fn is_unreached(&self, vertex: VertexId) -> bool {
        self.distances[vertex as usize] == Length::<W>::UNREACHED
    }

    /// Whether an arc of this weight gives its head the distance that it has.
    #[inline]
    pub(super) fn is_tight(&self, from: VertexId, weight: W, to: VertexId) -> bool {
        let [tail, head] = [from, to].map(|v| self.distances[v as usize]);
        tail != Length::<W>::UNREACHED && weight.after(tail) == Some(head)
    }

    /// Gives the vertices below changed arcs of the tree the lengths that their paths in it have
    /// now.
    fn carry(&mut self, arcs: &[ArcChange<W>]) {
        let graph = self.graph;
        let is_of_tree = |arc: &&ArcChange<W>| self.predecessors[arc.to as usize] == arc.from;
        let mut roots: Vec<VertexId> = arcs.iter().filter(is_of_tree).map(|arc| arc.to).collect();
        // so that the lengths above a root are new before it
        roots.sort_by_key(|&root| self.distances[root as usize].to_key());
        for root in roots {
            self.space.open.clear();
            let above = self.predecessors[root as usize];
            self.carry_to(above, graph.weight(above, root), root);
            let mut at = 0;
            while let Some(&vertex) = self.space.open.get(at)
                && self.space.noted.len() <= self.most
            {
                if let Some(&later) = self.space.open.get(at + AHEAD) {
                    prefetch(graph.arcs_from(later), 0);
                }
                at += 1;
                let mut last = NO_VERTEX;
                for &(to, weight) in graph.arcs_from(vertex) {
                    // the first of parallel arcs is the lightest
                    if self.predecessors[to as usize] == vertex && to != last {
                        self.carry_to(vertex, Some(weight), to);
                    }
                    last = to;
                }
            }
        }
    }

    /// Gives a vertex the length of its path by this predecessor.
    fn carry_to(&mut self, from: VertexId, weight: Option<W>, to: VertexId) {
        let before = self.distances[from as usize];
        let distance = match weight.filter(|_| before != Length::<W>::UNREACHED) {
            Some(weight) => weight.after(before).unwrap_or_else(|| {
                self.beyond.push(to);
                Length::<W>::UNREACHED
            }),
            None => Length::<W>::UNREACHED,
        };
        if distance != self.distances[to as usize] {
            self.move_to(to, distance);
            self.graph.prefetch(to);
            self.space.open.push(to);
        }
    }

    /// Chooses the predecessor of a vertex by the [rule](crate::predecessors) for all trees, and
    /// relaxes its arcs.
    fn look_around(&mut self, vertex: VertexId) {
        let graph = self.graph;
        let distance = self.distances[vertex as usize];
        let mut chosen = NO_VERTEX;
        for &(from, weight) in graph.arcs_to(vertex) {
            if self.relax(from, weight, vertex) && chosen == NO_VERTEX {
                chosen = from;
            }
        }
        if self.distances[vertex as usize] != distance {
            // it is in the queue
            return;
        }
        self.predecessors[vertex as usize] = chosen;
        if chosen == NO_VERTEX && distance != Length::<W>::UNREACHED {
            self.fellows.push(vertex);
        }
        let has_moved = self.space.marks[vertex as usize] & MOVED != 0;
        for &(to, weight) in graph.arcs_from(vertex) {
            self.relax(vertex, weight, to);
            if has_moved
                && self.predecessors[to as usize] == vertex
                && self.space.marks[to as usize] & MOVED == 0
            {
                // where sums of floats are rounded to the same
                self.look_again(to);
            }
        }
    }

    /// Lowers the distance of `to` if it can be, else its predecessor. Returns whether the arc is
    /// tight and `from` strictly nearer.
    #[inline]
    fn relax(&mut self, from: VertexId, weight: W, to: VertexId) -> bool {
        let (tail, head) = (self.distances[from as usize], self.distances[to as usize]);
        if tail == Length::<W>::UNREACHED {
            return false;
        }
        match weight.after(tail) {
            Some(distance) if distance < head => self.lower(to, distance),
            Some(distance) if distance == head => {
                if tail < head {
                    self.prefer(from, to);
                    return true;
                }
                self.fellows.push(to);
            }
            None if head == Length::<W>::UNREACHED => self.beyond.push(to),
            _ => {}
        }
        false
    }

    fn move_to(&mut self, vertex: VertexId, distance: Length<W>) {
        self.note(vertex);
        self.space.marks[vertex as usize] |= MOVED;
        self.distances[vertex as usize] = distance;
    }

    fn lower(&mut self, vertex: VertexId, distance: Length<W>) {
        self.move_to(vertex, distance);
        self.space.queue.push(Reverse((distance.to_key(), vertex)));
        self.look_again(vertex);
    }

    /// Makes a tight tail that is strictly nearer the predecessor, if the rule prefers it.
    fn prefer(&mut self, from: VertexId, to: VertexId) {
        let own = self.predecessors[to as usize];
        let is_flat = own == NO_VERTEX || self.is_level(own, to);
        if from < own || is_flat {
            self.note(to);
            self.predecessors[to as usize] = from;
            if is_flat {
                // it was on a plateau, of which others may have been reached from it
                self.look_again(to);
            }
        }
    }

    fn look_again(&mut self, vertex: VertexId) {
        if self.space.marks[vertex as usize] & AGAIN == 0 {
            self.note(vertex);
            self.space.marks[vertex as usize] |= AGAIN;
            self.space.again.push(vertex);
        }
    }

    /// Dijkstra's algorithm from the vertices in the queue.
    fn settle(&mut self) {
        let graph = self.graph;
        while let Some(Reverse((key, vertex))) = self.space.queue.pop()
            && self.space.noted.len() <= self.most
        {
            if self.distances[vertex as usize].to_key() == key {
                for &(to, weight) in graph.arcs_from(vertex) {
                    self.relax(vertex, weight, to);
                }
            }
        }
    }
}
