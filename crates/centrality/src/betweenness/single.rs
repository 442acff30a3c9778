//! The dependencies of one source.
//!
//! Vertices are put in an order in which every shortest path ascends. Each gets the number of
//! shortest paths to it from the vertices before it. By hops, the order is breadth first. By
//! weights, an arc is on a shortest path if its weight is the difference of the distances of its
//! ends, or within a [tolerance](Tied) of it. A vertex is next when all such arcs into it have been
//! followed, so nothing is sorted. Arcs on shortest paths are stored, and the backward pass follows
//! only these. For scores of arcs it reads all arcs again, because their positions are not stored.
//! O(n + m), and 36 bytes a vertex and 4 an arc, or 12 where a few vertices have nearly all arcs.
//!
//! Grids have more shortest paths than floats can count, so a count has an exponent of its own. Its
//! relative error is one of rounding, 2^-53 for each sum, however many paths there are.

use graph_formats::{Csr, Distance, Interrupted, VertexId, Weight};
use ndarray::ArrayView1;
use search_parts::prefetch;
use sssp::SsspError;

use super::trees::Standing;
use crate::CentralityError;

/// Vertices between two calls of the progress callback.
const VERTICES_PER_REPORT: usize = 1 << 16;
/// Vertices between two steps of a prefetch.
const AHEAD: usize = 8;
/// The bound of numbers of paths, in units of their scale. A unit of the next scale is this many
/// units.
const UNIT: f64 = (1u128 << 64) as f64 * (1u128 << 64) as f64 * (1u128 << 64) as f64;

/// An error where the progress callback ends the work.
pub(super) type GoesOn<'a> = &'a (dyn Fn() -> Result<(), Interrupted> + Sync);

/// The work space of a search after another. Its arrays are of zeros that take no memory until they
/// are written.
pub(super) struct Single {
    of: Vec<Vertex>,
    /// The vertices that have a path,
    order: Vec<VertexId>,
    /// and how many there are.
    n_found: usize,
    /// The heads of arcs on shortest paths, in the order of their tails,
    heads: Vec<VertexId>,
    /// and where those of each tail end.
    ends: Vec<usize>,
}

/// What is known of a vertex; zero between two searches.
#[derive(Clone, Copy, Default)]
pub(crate) struct Vertex {
    /// The number of shortest paths, in units of UNIT to the power of `scale`. On the way back, the
    /// targets that the vertex stands for and the dependency, divided by this number.
    pub(crate) paths: f64,
    pub(crate) scale: u32,
    /// In hops, one more than the level; in weights, arcs on shortest paths into it that have not
    /// been followed.
    pub(crate) mark: u32,
}

impl Vertex {
    /// Adds the paths to `before`, which continue to this vertex.
    #[inline(always)]
    pub(crate) fn add(&mut self, before: Self) {
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
    pub(crate) fn scaled(&mut self) -> Self {
        if self.paths >= UNIT {
            self.paths /= UNIT;
            self.scale += 1;
        }
        *self
    }

    /// The logarithm of the number of paths.
    pub(crate) fn ln_paths(self) -> f64 {
        self.paths.ln() + f64::from(self.scale) * UNIT.ln()
    }
}

/// Distances from a source, and which arcs are on shortest paths.
#[derive(Clone, Copy)]
pub(super) struct Tied<'a, D> {
    pub(super) distances: ArrayView1<'a, D>,
    /// How much longer a path may be, as a share of the length.
    pub(super) tolerance: f64,
}

impl<D: Distance> Tied<'_, D> {
    /// Whether a shortest path ends with this arc.
    #[inline(always)]
    fn is_on_path<U: Weight<Distance = D>>(
        &self,
        from: VertexId,
        (to, weight): (VertexId, U),
    ) -> bool {
        let [before, after] = [from, to].map(|vertex| self.distances[vertex as usize]);
        to != from && weight.after(before) == Some(after)
            || self.tolerance > 0.0 && self.is_nearly(before, weight, after)
    }

    /// Whether the path is longer by no more than the tolerance. The arc must lead to a vertex
    /// farther away, so that paths do not return.
    #[cold]
    fn is_nearly<U: Weight<Distance = D>>(&self, before: D, weight: U, after: D) -> bool {
        let longest = after.to_f64() * (1.0 + self.tolerance);
        before < after && weight.after(before).is_some_and(|sum| sum.to_f64() <= longest)
    }
}

impl Single {
    pub(super) fn new<W: Weight>(graph: &Csr<W>) -> Self {
        let n = graph.n_vertices();
        Self {
            of: vec![Vertex::default(); n],
            // a place more, for what is written before it is known to be new
            order: vec![0; n + 1],
            n_found: 0,
            heads: vec![0; graph.n_arcs()],
            ends: vec![0; n],
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
        self.start(source);
        // local variables, which the compiler can prove to be unaliased
        let (of, order) = (self.of.as_mut_slice(), self.order.as_mut_slice());
        let (heads, ends) = (self.heads.as_mut_slice(), self.ends.as_mut_slice());
        let offsets = graph.row_offsets();
        let (mut at, mut n_found, mut n_heads) = (0, 1, 0);
        while at < n_found {
            if at % VERTICES_PER_REPORT == 0 {
                goes_on()?;
            }
            // a vertex is prefetched in three steps, each of which needs the one before
            let ahead = |steps: usize| order[..n_found].get(at + steps * AHEAD).copied();
            if let Some(tail) = ahead(3) {
                prefetch(offsets, tail as usize);
            }
            if let Some(tail) = ahead(2) {
                prefetch(graph.column_indices(), offsets[tail as usize] as usize);
            }
            if let Some(tail) = ahead(1) {
                graph.ends_from(tail).iter().for_each(|&to| prefetch(of, to as usize));
            }
            let tail = order[at];
            let from = of[tail as usize].scaled();
            let next = from.mark + 1;
            for &to in graph.ends_from(tail) {
                // without branches, for no processor could predict them
                let vertex = &mut of[to as usize];
                let is_new = vertex.mark == 0;
                vertex.mark = if is_new { next } else { vertex.mark };
                let is_next = vertex.mark == next;
                order[n_found] = to;
                n_found += usize::from(is_new);
                heads[n_heads] = to;
                n_heads += usize::from(is_next);
                if vertex.scale == from.scale {
                    let mask = u64::from(is_next).wrapping_neg();
                    vertex.paths += f64::from_bits(from.paths.to_bits() & mask);
                } else if is_next {
                    vertex.add(from);
                }
            }
            ends[at] = n_heads;
            at += 1;
        }
        self.n_found = n_found;
        Ok(of[order[n_found - 1] as usize].mark)
    }

    /// The same in weights, from the distances.
    pub(super) fn count_weights<U: Weight>(
        &mut self,
        graph: &Csr<U>,
        source: VertexId,
        tied: Tied<'_, U::Distance>,
        goes_on: GoesOn<'_>,
    ) -> Result<(), CentralityError> {
        let distances = tied.distances;
        for from in graph.vertices() {
            let distance = distances[from as usize];
            if distance == U::Distance::UNREACHED {
                continue;
            }
            for (to, weight) in graph.arcs_from(from).filter(|&arc| tied.is_on_path(from, arc)) {
                if distances[to as usize] == distance {
                    let weight = weight.to_string();
                    return Err(CentralityError::WithoutLength { from, to, weight });
                }
                self.of[to as usize].mark += 1;
            }
        }
        self.start(source);
        let Self { of, order, n_found, heads, ends } = self;
        let (mut at, mut n_heads) = (0, 0);
        while at < *n_found {
            if at.is_multiple_of(VERTICES_PER_REPORT) {
                goes_on()?;
            }
            let tail = order[at];
            let from = of[tail as usize].scaled();
            for (to, _) in graph.arcs_from(tail).filter(|&arc| tied.is_on_path(tail, arc)) {
                let vertex = &mut of[to as usize];
                vertex.add(from);
                heads[n_heads] = to;
                n_heads += 1;
                vertex.mark -= 1;
                if vertex.mark == 0 {
                    order[*n_found] = to;
                    *n_found += 1;
                }
            }
            ends[at] = n_heads;
            at += 1;
        }
        Ok(())
    }

    /// Begins a search.
    fn start(&mut self, source: VertexId) {
        self.of[source as usize] = Vertex { paths: 1.0, scale: 0, mark: 1 };
        self.order[0] = source;
        self.n_found = 1;
    }

    /// Adds the dependencies of the source on all other vertices to `sums`, and ends the search.
    pub(super) fn add_dependencies(
        &mut self,
        standing: &Standing,
        source: VertexId,
        sums: &mut [f64],
    ) {
        let (targets, share) = (&standing.targets[..], standing.sources[source as usize]);
        let (of, heads, ends) = (self.of.as_mut_slice(), &self.heads[..], &self.ends[..]);
        let order = &self.order[..self.n_found];
        for at in (1..order.len()).rev() {
            if let Some(&before) = at.checked_sub(AHEAD).and_then(|at| order.get(at)) {
                prefetch(sums, before as usize);
                prefetch(of, before as usize);
            }
            let vertex = order[at] as usize;
            let Vertex { paths, scale, .. } = of[vertex];
            let passed_back = |&head: &VertexId| {
                let next = of[head as usize];
                // compared first, for nearly all are the same
                if next.scale == scale {
                    next.paths
                } else {
                    next.paths * Vertex::ratio(next.scale - scale)
                }
            };
            let dependency =
                paths * heads[ends[at - 1]..ends[at]].iter().map(passed_back).sum::<f64>();
            sums[vertex] += share * dependency;
            of[vertex].paths = (targets[vertex] + dependency) / paths;
        }
        order.iter().for_each(|&vertex| of[vertex as usize] = Vertex::default());
    }

    /// Adds the dependencies of the source on all arcs to `sums`, in hops, and ends the search.
    pub(super) fn add_to_arcs_in_hops(
        &mut self,
        graph: &Csr<u32>,
        standing: &Standing,
        source: VertexId,
        sums: &mut [f64],
    ) {
        self.add_to_arcs(graph, standing, source, sums, |[from, to], _| to.mark == from.mark + 1);
    }

    /// The same in weights, from the distances.
    pub(super) fn add_to_arcs_in_weights<U: Weight>(
        &mut self,
        graph: &Csr<U>,
        standing: &Standing,
        source: VertexId,
        tied: Tied<'_, U::Distance>,
        sums: &mut [f64],
    ) {
        let weights = graph.weights();
        self.add_to_arcs(graph, standing, source, sums, |_, (from, to, arc)| {
            tied.is_on_path(from, (to, weights[arc]))
        });
    }

    /// The same; `is_on_path` says which arcs are on shortest paths, by what is known of their ends,
    /// or by these ends and the position of the arc.
    #[inline(always)]
    fn add_to_arcs<U: Weight>(
        &mut self,
        graph: &Csr<U>,
        standing: &Standing,
        source: VertexId,
        sums: &mut [f64],
        is_on_path: impl Fn([Vertex; 2], (VertexId, VertexId, usize)) -> bool,
    ) {
        let (targets, share) = (&standing.targets[..], standing.sources[source as usize]);
        let of = self.of.as_mut_slice();
        let order = &self.order[..self.n_found];
        for at in (0..order.len()).rev() {
            // in three steps, as on the way out
            let ahead = |steps: usize| at.checked_sub(steps * AHEAD).map(|at| order[at]);
            if let Some(tail) = ahead(3) {
                prefetch(graph.row_offsets(), tail as usize);
            }
            if let Some(tail) = ahead(2) {
                let first = graph.row_offsets()[tail as usize] as usize;
                prefetch(graph.column_indices(), first);
                prefetch(sums, first);
            }
            if let Some(tail) = ahead(1) {
                prefetch(of, tail as usize);
                graph.ends_from(tail).iter().for_each(|&to| prefetch(of, to as usize));
            }
            let tail = order[at];
            let from = of[tail as usize];
            let mut dependency = 0.0;
            for (arc, &head) in graph.row(tail).zip(graph.ends_from(tail)) {
                let to = of[head as usize];
                if is_on_path([from, to], (tail, head, arc)) {
                    let along = from.paths * (to.paths * Vertex::ratio(to.scale - from.scale));
                    sums[arc] += share * along;
                    dependency += along;
                }
            }
            of[tail as usize].paths = (targets[tail as usize] + dependency) / from.paths;
        }
        order.iter().for_each(|&vertex| of[vertex as usize] = Vertex::default());
    }
}
