//! Nested dissection: separators last, the parts between them first.
//!
//! A part is cut by inertial flow: its vertices are sorted along a line, the first quarter is one
//! side and the last another, and a least separator of the two is a maximum flow. Of four lines
//! the one with the least separator is taken. What the separator leaves is ordered in the same
//! way, in parallel, and small parts by least degree.
//!
//! Reference: schild-sommer-2015, dibbelt-2016

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use graph_formats::{Progress, VertexId, tell};
use rayon::prelude::*;

use super::least_degree::{self, MAX_VERTICES};
use super::separator::{NoSeparator, Separator, Side, separator};
use crate::EliminationError;
use crate::part::Part;

/// The share of the vertices that is a side.
const SHARE: f64 = 0.25;
/// The lines along which vertices are sorted.
const LINES: [[f64; 2]; 4] = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -1.0]];

/// Orders parts of one graph.
pub(super) struct Dissection<'a, P> {
    /// The graph.
    whole: &'a Part,
    /// Two numbers for each vertex of a part.
    positions: P,
    /// How many arcs the completion may have.
    max_arcs: u64,
    /// How many it has between vertices of the same separator.
    n_arcs: AtomicU64,
    progress: Option<Progress<'a>>,
    /// How much work is done.
    done: AtomicU64,
}

/// About how much work a part of `n_vertices` is. Each vertex is in some log₂(n / 64) parts, each
/// of half as many vertices as the one before.
fn work_of(n_vertices: usize) -> u64 {
    n_vertices as u64 * u64::from((n_vertices / MAX_VERTICES).checked_ilog2().map_or(1, |n| n + 2))
}

impl<'a, P: Fn(&Part) -> Vec<[f64; 2]> + Sync> Dissection<'a, P> {
    pub(super) fn new(
        whole: &'a Part,
        positions: P,
        max_arcs: u64,
        progress: Option<Progress<'a>>,
    ) -> Self {
        let (n_arcs, done) = (0.into(), 0.into());
        Self { whole, positions, max_arcs, n_arcs, progress, done }
    }

    /// Writes the vertices of the graph into `order`, the least important first.
    pub(super) fn order(&self, order: &mut [VertexId]) -> Result<(), EliminationError> {
        let n = self.whole.n_vertices();
        self.order_parts(work_of(n), self.whole.components(|_| false), order)
    }

    /// Writes the vertices of parts that no edge joins into `order`; `before` is the work of what
    /// was cut into these.
    fn order_parts(
        &self,
        before: u64,
        parts: Vec<Part>,
        mut order: &mut [VertexId],
    ) -> Result<(), EliminationError> {
        self.tell(before - parts.iter().map(|part| work_of(part.n_vertices())).sum::<u64>())?;
        let mut tasks = Vec::with_capacity(parts.len());
        for part in parts {
            let (places, left) = order.split_at_mut(part.n_vertices());
            tasks.push((part, places));
            order = left;
        }
        tasks.into_par_iter().try_for_each(|(part, places)| self.order_part(&part, places))
    }

    fn order_part(&self, part: &Part, order: &mut [VertexId]) -> Result<(), EliminationError> {
        let work = work_of(part.n_vertices());
        if part.n_vertices() <= MAX_VERTICES {
            least_degree::order(part, self.whole, order);
            return self.tell(work);
        }
        let Some(separator) = self.separator(part)? else {
            by_degree(part, order);
            return self.tell(work);
        };
        let parts = part.components(|v| separator.is_in[v as usize]);
        let (first, last) = order.split_at_mut(part.n_vertices() - separator.size);
        let in_separator = part.vertices.iter().zip(&separator.is_in).filter(|(_, is_in)| **is_in);
        last.iter_mut().zip(in_separator).for_each(|(place, (vertex, _))| *place = *vertex);
        self.order_parts(work, parts, first)
    }

    /// Tells that so much work is done.
    fn tell(&self, work: u64) -> Result<(), EliminationError> {
        let done = self.done.fetch_add(work, Relaxed) + work;
        Ok(tell(self.progress, done, work_of(self.whole.n_vertices()))?)
    }

    /// The least separator along one of the lines; none where no line has two sides.
    fn separator(&self, part: &Part) -> Result<Option<Separator>, EliminationError> {
        let positions = (self.positions)(part);
        // as many as pairs would be too many arcs, or as the best line has
        let too_many = (2.0 * self.max_arcs as f64).sqrt() as usize + 1;
        let limit = AtomicUsize::new(too_many);
        let along = |line: &[f64; 2]| separator(part, sides(&positions, *line), &limit);
        let found: Vec<Result<Separator, NoSeparator>> = LINES.par_iter().map(along).collect();
        let is_dense = found.iter().any(|one| matches!(one, Err(NoSeparator::TooLarge)));
        // the first of those equally good, whichever thread was faster
        let best = found.into_iter().flatten().reduce(|best, other| {
            let is_better = (other.size, best.smaller_side) < (best.size, other.smaller_side);
            if is_better { other } else { best }
        });
        let size = best.as_ref().map_or(0, |best| best.size as u64);
        let n_arcs = self.n_arcs.fetch_add(size * size.saturating_sub(1) / 2, Relaxed);
        if n_arcs > self.max_arcs || best.is_none() && is_dense {
            return Err(EliminationError::NoSmallSeparators { max_arcs: self.max_arcs });
        }
        Ok(best)
    }
}

/// The sides of a part along a line: its first vertices and its last.
fn sides(positions: &[[f64; 2]], line: [f64; 2]) -> Vec<Side> {
    let along = |v: u32| {
        let [x, y] = positions[v as usize];
        x * line[0] + y * line[1]
    };
    let n = positions.len();
    let n_side = (n as f64 * SHARE) as usize;
    let mut sorted: Vec<(f64, u32)> = (0..n as u32).map(|v| (along(v), v)).collect();
    let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let (_, _, above) = sorted.select_nth_unstable_by(n_side, order);
    above.select_nth_unstable_by(n - 2 * n_side - 1, order);
    let mut sides = vec![Side::Middle; n];
    sorted[..n_side].iter().for_each(|&(_, v)| sides[v as usize] = Side::Source);
    sorted[n - n_side..].iter().for_each(|&(_, v)| sides[v as usize] = Side::Sink);
    sides
}

/// The vertices of a part that has no two sides, such as a hub and its neighbours: those of high
/// degree last.
fn by_degree(part: &Part, order: &mut [VertexId]) {
    let mut vertices: Vec<u32> = (0..part.n_vertices() as u32).collect();
    vertices.sort_by_key(|&v| part.neighbours(v).len());
    order.iter_mut().zip(vertices).for_each(|(place, v)| *place = part.vertices[v as usize]);
}
