//! The shortest-path tree, from the distances alone.
//!
//! An arc (u, v, w) is tight when the distance of u plus w is that of v. Any solver's
//! distances have the same tight arcs, so a rule that chooses among them gives the same
//! tree on every backend and in every run, and nothing races with the search itself.
//!
//! Without negative arcs the rule is: the smallest u that is strictly nearer than v. A
//! vertex that has none is on a plateau, which it was reached on by arcs that add
//! nothing; plateaus are filled breadth-first from the vertices that have a
//! predecessor, and a vertex takes the smallest u one level before it. With negative
//! arcs distance says nothing of the order on a path, and the breadth-first rule holds
//! for all vertices, from the source. Neither can make a cycle: each predecessor is
//! strictly nearer, or one level earlier.
//!
//! O(n + m); the pass over all arcs is parallel, plateaus are not.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::{Distances, Predecessors};
use rayon::prelude::*;

use crate::SsspError;
use crate::query::check_vertices;

/// The code for "no predecessor"; no graph has this many vertices.
const NO_VERTEX: VertexId = VertexId::MAX;
/// Vertices that one task of the parallel pass takes.
const VERTICES_A_TASK: usize = 2048;

/// The predecessor of every reached vertex but the source, by the rule above.
///
/// `distances` must be those of `graph` from `source`, as any solver here returns
/// them, whole or up to a limit; vertices without a tight arc get no predecessor. O(n + m).
///
/// # Errors
/// [`SsspError::NoSuchVertex`] for the source, and [`SsspError::NotAllVertices`] where there is
/// not one distance for each vertex.
///
/// ```
/// use graph_formats::Csr;
/// use paths::Distances;
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 1u32), (0, 2, 1), (1, 2, 0)])?;
/// let distances = Distances::from_iter([Some(0), Some(1), Some(1)]);
/// let predecessors = sssp::predecessors(&graph, 0, &distances)?;
/// assert_eq!(predecessors.get(2), Some(0)); // strictly nearer than 1 is
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn predecessors<W: Weight>(
    graph: &Csr<W>,
    source: VertexId,
    distances: &Distances<W::Distance>,
) -> Result<Predecessors, SsspError> {
    check_vertices(graph, "source", &[source])?;
    let (n_distances, n_vertices) = (distances.as_storage().len(), graph.n_vertices());
    if n_distances != n_vertices {
        return Err(SsspError::NotAllVertices { n_distances, n_vertices });
    }
    Ok(from_distances(graph, source, distances, graph.first_negative().is_some()))
}

/// The same where it is known whether a weight is negative.
pub(crate) fn from_distances<W: Weight>(
    graph: &Csr<W>,
    source: VertexId,
    distances: &Distances<W::Distance>,
    negative: bool,
) -> Predecessors {
    let mut levels = Levels { graph, distances: distances.as_storage(), source };
    let chosen = if negative {
        levels.breadth_first()
    } else {
        let chosen = levels.nearer();
        levels.fill_plateaus(chosen)
    };
    Predecessors::from_storage(chosen)
}

struct Levels<'a, W: Weight> {
    graph: &'a Csr<W>,
    distances: &'a [W::Distance],
    source: VertexId,
}

impl<W: Weight> Levels<'_, W> {
    fn is_reached(&self, vertex: VertexId) -> bool {
        self.distances[vertex as usize] != W::Distance::UNREACHED
    }

    /// The heads of the tight arcs of a reached vertex.
    #[inline(always)]
    fn tight(&self, from: VertexId) -> impl Iterator<Item = VertexId> {
        let distance = self.distances[from as usize];
        self.graph.arcs_from(from).filter_map(move |(to, weight)| {
            // `after` is never the code for unreached
            (weight.after(distance) == Some(self.distances[to as usize])).then_some(to)
        })
    }

    /// The smallest tight tail that is strictly nearer, for every vertex.
    fn nearer(&self) -> Vec<VertexId> {
        let n = self.graph.n_vertices();
        let chosen: Vec<AtomicU32> = (0..n).map(|_| AtomicU32::new(NO_VERTEX)).collect();
        (0..n.div_ceil(VERTICES_A_TASK)).into_par_iter().for_each(|task| {
            let first = task * VERTICES_A_TASK;
            for from in first as VertexId..(first + VERTICES_A_TASK).min(n) as VertexId {
                if !self.is_reached(from) {
                    continue;
                }
                for to in self.tight(from) {
                    let nearer = self.distances[from as usize] < self.distances[to as usize];
                    if nearer && from < chosen[to as usize].load(Relaxed) {
                        chosen[to as usize].fetch_min(from, Relaxed);
                    }
                }
            }
        });
        chosen.into_iter().map(AtomicU32::into_inner).collect()
    }

    /// Gives the vertices that no nearer one leads to a predecessor on their plateau.
    fn fill_plateaus(&mut self, mut chosen: Vec<VertexId>) -> Vec<VertexId> {
        let placed =
            |chosen: &[VertexId], v: VertexId| v == self.source || chosen[v as usize] != NO_VERTEX;
        if self.graph.vertices().all(|v| placed(&chosen, v) || !self.is_reached(v)) {
            return chosen;
        }
        let level = self.graph.vertices().filter(|&v| placed(&chosen, v)).collect();
        self.spread(level, &mut chosen);
        chosen
    }

    /// Places every vertex by the number of tight arcs from the source.
    fn breadth_first(&self) -> Vec<VertexId> {
        let mut chosen = vec![NO_VERTEX; self.graph.n_vertices()];
        if self.is_reached(self.source) {
            self.spread(vec![self.source], &mut chosen);
        }
        chosen
    }

    /// From a level of placed vertices, ascending, to the next, until none is left. The
    /// first tail that finds a vertex is the smallest.
    fn spread(&self, mut level: Vec<VertexId>, chosen: &mut [VertexId]) {
        while !level.is_empty() {
            let mut next = Vec::new();
            for &from in &level {
                for to in self.tight(from) {
                    if to != self.source && chosen[to as usize] == NO_VERTEX {
                        chosen[to as usize] = from;
                        next.push(to);
                    }
                }
            }
            next.sort_unstable();
            level = next;
        }
    }
}
