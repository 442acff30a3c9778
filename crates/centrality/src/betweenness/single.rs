//! The dependencies of one source.
//!
//! Vertices are put in an order in which every shortest path ascends. Each gets the number of
//! shortest paths to it from the vertices before it. By hops, the order is breadth first. By
//! weights, an arc is on a shortest path if its weight is the difference of the distances of its
//! ends. A vertex is next when all such arcs into it have been followed, so nothing is sorted. Arcs
//! on shortest paths are stored, and the backward pass follows only these. O(n + m), and 36 bytes a
//! vertex and 4 an arc, or 12 where a few vertices have nearly all arcs.
//!
//! Grids have more shortest paths than floats can count, so a count has an exponent of its own. Its
//! relative error is one of rounding, 2^-53 for each sum, however many paths there are.

use graph_formats::{Csr, Distance, Interrupted, VertexId, Weight};
use ndarray::ArrayView1;
use sssp::SsspError;

use crate::CentralityError;

/// Vertices between two calls of the progress callback.
const VERTICES_PER_REPORT: usize = 1 << 16;
/// Vertices whose arcs are read at a time.
const TAILS_AT_A_TIME: usize = 16;
/// The bound of numbers of paths, in units of their scale. A unit of the next scale is this many
/// units.
const UNIT: f64 = (1u128 << 64) as f64 * (1u128 << 64) as f64 * (1u128 << 64) as f64;

/// An error where the progress callback ends the work.
pub(super) type GoesOn<'a> = &'a (dyn Fn() -> Result<(), Interrupted> + Sync);

/// The work space of a search after another.
pub(super) struct Single {
    of: Vec<Vertex>,
    /// The vertices that have a path.
    order: Vec<VertexId>,
    /// The heads of arcs on shortest paths, in the order of their tails,
    heads: Vec<VertexId>,
    /// and where those of each tail end.
    ends: Vec<usize>,
}

/// What is known of a vertex; zero between two searches.
#[derive(Clone, Copy, Default)]
struct Vertex {
    /// The number of shortest paths, in units of UNIT to the power of `scale`; on the way back, one
    /// more than the dependency, divided by this number.
    paths: f64,
    scale: u32,
    /// In hops, one more than the level; in weights, arcs on shortest paths into it that have not
    /// been followed.
    mark: u32,
}

impl Vertex {
    /// Adds the paths to `before`, which continue to this vertex.
    #[inline(always)]
    fn add(&mut self, before: Self) {
        if self.scale == before.scale {
            self.paths += before.paths;
        } else if self.scale > before.scale {
            self.paths += before.paths * Self::ratio(self.scale - before.scale);
        } else {
            self.paths = self.paths * Self::ratio(before.scale - self.scale) + before.paths;
            self.scale = before.scale;
        }
    }

    /// A unit as a fraction of a unit `scales` scales up. It is zero from two scales up, where it
    /// is at most 2^-192 of a number of paths.
    #[inline(always)]
    fn ratio(scales: u32) -> f64 {
        match scales {
            0 => 1.0,
            1 => 1.0 / UNIT,
            _ => 0.0,
        }
    }

    /// With as many units as a scale has at most.
    #[inline(always)]
    fn scaled(&mut self) -> Self {
        if self.paths >= UNIT {
            self.paths /= UNIT;
            self.scale += 1;
        }
        *self
    }
}

impl Single {
    pub(super) fn new(n_vertices: usize) -> Self {
        Self {
            of: vec![Vertex::default(); n_vertices],
            order: Vec::new(),
            heads: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Puts vertices in order and counts paths, in hops; returns the number of levels, the source's
    /// included.
    pub(super) fn count_hops(
        &mut self,
        graph: &Csr<u32>,
        source: VertexId,
        goes_on: GoesOn<'_>,
    ) -> Result<u32, SsspError> {
        let Self { of, order, heads, ends } = self;
        Self::start(of, order, source);
        let (mut at, mut next_report) = (0, 0);
        // arcs of some vertices with the marks of their heads, read before anything depends on them,
        // so that a mispredicted branch does not wait for memory
        let mut arcs = Vec::new();
        while at < order.len() {
            if at >= next_report {
                next_report = at + VERTICES_PER_REPORT;
                goes_on()?;
            }
            let tails = at..order.len().min(at + TAILS_AT_A_TIME);
            arcs.clear();
            for &tail in &order[tails.clone()] {
                arcs.extend(graph.ends_from(tail).iter().map(|&to| (to, of[to as usize].mark)));
            }
            let mut arcs = arcs.iter();
            for tail in tails {
                let from = of[order[tail] as usize].scaled();
                for &(to, mark) in arcs.by_ref().take(graph.out_degree(order[tail])) {
                    if mark != 0 && mark <= from.mark {
                        continue;
                    }
                    let vertex = &mut of[to as usize];
                    if vertex.mark == 0 {
                        vertex.mark = from.mark + 1;
                        order.push(to);
                    }
                    if vertex.mark == from.mark + 1 {
                        vertex.add(from);
                        heads.push(to);
                    }
                }
                ends.push(heads.len());
            }
            at = ends.len();
        }
        Ok(order.last().map_or(0, |&last| of[last as usize].mark))
    }

    /// The same in weights, from the distances.
    pub(super) fn count_weights<U: Weight>(
        &mut self,
        graph: &Csr<U>,
        source: VertexId,
        distances: ArrayView1<'_, U::Distance>,
        goes_on: GoesOn<'_>,
    ) -> Result<(), CentralityError> {
        let Self { of, order, heads, ends } = self;
        let is_on_path = |from: VertexId, (to, weight): (VertexId, U)| {
            to != from && weight.after(distances[from as usize]) == Some(distances[to as usize])
        };
        for from in graph.vertices() {
            let distance = distances[from as usize];
            if distance == U::Distance::UNREACHED {
                continue;
            }
            for (to, weight) in graph.arcs_from(from).filter(|&arc| is_on_path(from, arc)) {
                if distances[to as usize] == distance {
                    let weight = weight.to_string();
                    return Err(CentralityError::WithoutLength { from, to, weight });
                }
                of[to as usize].mark += 1;
            }
        }
        Self::start(of, order, source);
        let mut at = 0;
        while at < order.len() {
            if at.is_multiple_of(VERTICES_PER_REPORT) {
                goes_on()?;
            }
            let tail = order[at];
            let from = of[tail as usize].scaled();
            for (to, _) in graph.arcs_from(tail).filter(|&arc| is_on_path(tail, arc)) {
                let vertex = &mut of[to as usize];
                vertex.add(from);
                heads.push(to);
                vertex.mark -= 1;
                if vertex.mark == 0 {
                    order.push(to);
                }
            }
            ends.push(heads.len());
            at += 1;
        }
        Ok(())
    }

    fn start(of: &mut [Vertex], order: &mut Vec<VertexId>, source: VertexId) {
        of[source as usize] = Vertex { paths: 1.0, scale: 0, mark: 1 };
        order.push(source);
    }

    /// Adds the dependencies of the source on all other vertices to `sums`, and ends the search.
    pub(super) fn add_dependencies(&mut self, sums: &mut [f64]) {
        let Self { of, order, heads, ends } = self;
        for at in (1..order.len()).rev() {
            let vertex = order[at] as usize;
            let Vertex { paths, scale, .. } = of[vertex];
            let share = |&head: &VertexId| {
                let next = of[head as usize];
                // compared first, for nearly all are the same
                if next.scale == scale {
                    next.paths
                } else {
                    next.paths * Vertex::ratio(next.scale - scale)
                }
            };
            let dependency = paths * heads[ends[at - 1]..ends[at]].iter().map(share).sum::<f64>();
            sums[vertex] += dependency;
            of[vertex].paths = (1.0 + dependency) / paths;
        }
        order.iter().for_each(|&vertex| of[vertex as usize] = Vertex::default());
        order.clear();
        heads.clear();
        ends.clear();
    }
}
