//! Distances up to a limit, by searches of a caller's arrays in place.
//!
//! A graph has copies of all arrays, which take longer than a search that ends after some vertices.
//! These searches are Dijkstra's algorithm with maps in place of arrays, and read only the rows
//! that they come to, under the interpreter's lock. What they reach becomes a graph of its own, if
//! predecessors are wanted, so that these are the same as by any other search. Searches that reach
//! much, and arrays that need another look, are left to a [`Graph`](crate::graph::Graph).
//!
//! Reference: dijkstra-1959

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use graph_formats::{Csr, VertexId, Weight, parallel};
use numpy::{Element, PyArray2, PyArrayMethods, PyReadonlyArray1};
use paths::Distances;
use pyo3::prelude::*;

use crate::run::ensure_not_forked;
use crate::tables::ensure_fits;

/// One search reaches at most this many vertices, and at most one in `VERTICES_PER_REACHED`.
const MAX_REACHED: usize = 1 << 14;
const VERTICES_PER_REACHED: usize = 16;
/// All searches together reach at most this many: they keep the lock for tenths of a second.
const MAX_REACHED_BY_ALL: usize = 1 << 17;

/// Weights that are looked at side by side.
const LANES: usize = 16;

/// What stands for no predecessor, as in scipy.
const NO_VERTEX: i32 = -9999;

/// Rows of scipy, which may be wrong.
struct Rows<'a, W> {
    offsets: &'a [i32],
    columns: &'a [i32],
    weights: &'a [W],
}

/// What a search reached: vertices, ascending, with their distances, and with predecessors if these
/// are wanted.
struct Ball {
    vertices: Vec<VertexId>,
    distances: Vec<f64>,
    predecessors: Vec<i32>,
}

impl<W: Weight> Rows<'_, W> {
    fn have_negative_weights(&self) -> bool {
        // independent minima, so that none waits for the one before
        let mut least = [W::ZERO; LANES];
        let (whole, rest) = self.weights.as_chunks::<LANES>();
        for weights in whole {
            for (least, &weight) in least.iter_mut().zip(weights) {
                *least = if weight < *least { weight } else { *least };
            }
        }
        least.iter().chain(rest).any(|&weight| weight < W::ZERO)
    }

    /// The arcs from a vertex; `None` if the arrays have no such row.
    fn arcs_from(&self, vertex: VertexId) -> Option<impl Iterator<Item = (i32, f64)>> {
        let offset = |at: usize| usize::try_from(*self.offsets.get(at)?).ok();
        let row = offset(vertex as usize)?..offset(vertex as usize + 1)?;
        let (columns, weights) = (self.columns.get(row.clone())?, self.weights.get(row)?);
        Some(columns.iter().zip(weights).map(|(&column, &weight)| (column, weight.to_f64())))
    }

    /// What `source` reaches within `limit`, without predecessors; `None` if it is more than `most`
    /// vertices, or if a row is wrong. A weight that is infinite or NaN is no arc.
    fn ball(&self, source: VertexId, limit: f64, most: usize) -> Option<Ball> {
        let n_vertices = self.offsets.len() - 1;
        let mut tentative = HashMap::from([(source, 0.0)]);
        // floats of at least zero are ordered as their bits are
        let mut queue = BinaryHeap::from([Reverse((0.0f64.to_bits(), source))]);
        while let Some(Reverse((key, vertex))) = queue.pop() {
            let distance = f64::from_bits(key);
            if tentative[&vertex] != distance {
                continue;
            }
            for (column, weight) in self.arcs_from(vertex)? {
                let to =
                    VertexId::try_from(column).ok().filter(|&to| (to as usize) < n_vertices)?;
                let through = distance + weight;
                if through <= limit {
                    let known = tentative.entry(to).or_insert(f64::INFINITY);
                    if through < *known {
                        *known = through;
                        queue.push(Reverse((through.to_bits(), to)));
                    }
                }
            }
            if tentative.len() > most {
                return None;
            }
        }
        let mut reached: Vec<_> = tentative.into_iter().collect();
        reached.sort_unstable_by_key(|&(vertex, _)| vertex);
        let (vertices, distances) = reached.into_iter().unzip();
        Some(Ball { vertices, distances, predecessors: Vec::new() })
    }

    /// The predecessors in a ball, by the rule of all searches: those of the graph that it has.
    fn predecessors(&self, source: VertexId, ball: &Ball) -> Option<Vec<i32>> {
        let place = |v: VertexId| ball.vertices.binary_search(&v).ok().map(|at| at as VertexId);
        let (mut offsets, mut columns, mut weights) = (vec![0], Vec::new(), Vec::new());
        for &vertex in &ball.vertices {
            for (column, weight) in self.arcs_from(vertex)?.filter(|arc| arc.1.is_finite()) {
                if let Some(to) = place(column as VertexId) {
                    columns.push(to);
                    weights.push(weight);
                }
            }
            offsets.push(columns.len() as u64);
        }
        let graph = Csr::new(offsets, columns, weights).ok()?;
        let distances = ball.distances.iter().map(|&distance| Some(distance));
        let found = sssp::predecessors(&graph, place(source)?, &Distances::from_iter(distances));
        let found = found.ok()?;
        let before = |v| found.get(v).map_or(NO_VERTEX, |at| ball.vertices[at as usize] as i32);
        Some(graph.vertices().map(before).collect())
    }

    /// The balls of all sources; `None` if a graph is to be searched instead.
    fn balls(&self, sources: &[VertexId], limit: f64, has_trees: bool) -> Option<Vec<Ball>> {
        if self.have_negative_weights() {
            return None;
        }
        let most = MAX_REACHED.min(self.offsets.len().div_ceil(VERTICES_PER_REACHED));
        let mut left = MAX_REACHED_BY_ALL;
        let ball_of = |&source| {
            let mut ball = self.ball(source, limit, most.min(left))?;
            left -= ball.vertices.len();
            if has_trees {
                ball.predecessors = self.predecessors(source, &ball)?;
            }
            Some(ball)
        };
        sources.iter().map(ball_of).collect()
    }
}

/// Tries the types of weights one after the other.
macro_rules! balls_of_any {
    ($data:ident, $offsets:ident, $columns:ident, $query:expr, [$($weight:ty),*]) => {
        None$(.or_else(|| {
            let weights = $data.extract::<PyReadonlyArray1<'_, $weight>>().ok()?;
            let weights = weights.as_slice().ok()?;
            let (sources, limit, has_trees) = $query;
            let rows = Rows { offsets: $offsets, columns: $columns, weights };
            rows.balls(sources, limit, has_trees)
        }))*
    };
}

/// A table of distances, and one of predecessors if they are wanted.
type Tables<'py> = (Bound<'py, PyArray2<f64>>, Option<Bound<'py, PyArray2<i32>>>);

/// The distances within a limit, which is finite, from each source, and if they are wanted the
/// predecessors: of the rows of a scipy matrix. None where a graph is to be searched instead.
#[pyfunction(name = "_within")]
pub(crate) fn within<'py>(
    py: Python<'py>,
    arrays: (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>),
    sources: Vec<VertexId>,
    limit: f64,
    has_trees: bool,
) -> PyResult<Option<Tables<'py>>> {
    ensure_not_forked()?;
    let (offsets, columns, weights) = arrays;
    let (Ok(offsets), Ok(columns)) = (
        offsets.extract::<PyReadonlyArray1<'_, i32>>(),
        columns.extract::<PyReadonlyArray1<'_, i32>>(),
    ) else {
        return Ok(None);
    };
    let (Ok(offsets), Ok(columns)) = (offsets.as_slice(), columns.as_slice()) else {
        return Ok(None);
    };
    let Some(n_vertices) = offsets.len().checked_sub(1) else { return Ok(None) };
    let query = (&*sources, limit, has_trees);
    let balls = balls_of_any!(weights, offsets, columns, query, [f64, i64, i32, f32, u32, u64]);
    let Some(balls) = balls else { return Ok(None) };
    let (rows, columns) = (balls.len(), n_vertices);
    ensure_fits(rows, columns, size_of::<f64>() + if has_trees { size_of::<i32>() } else { 0 })?;
    let distances = table(py, columns, f64::INFINITY, &balls, |ball| &ball.distances)?;
    let predecessors =
        has_trees.then(|| table(py, columns, NO_VERTEX, &balls, |ball| &ball.predecessors));
    Ok(Some((distances, predecessors.transpose()?)))
}

/// A table with a row for each ball, in which all others have the value `none`.
fn table<'py, T: Element + Copy>(
    py: Python<'py>,
    n_columns: usize,
    none: T,
    balls: &[Ball],
    values: impl Fn(&Ball) -> &[T] + Sync,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    // numpy asks for large pages
    let array = PyArray2::zeros(py, [balls.len(), n_columns], false);
    let mut cells = array.readwrite();
    let rows = cells.as_slice_mut()?.chunks_exact_mut(n_columns.max(1)).zip(balls);
    py.detach(|| {
        parallel::for_each_of(rows, &|(row, ball)| {
            row.fill(none);
            ball.vertices.iter().zip(values(ball)).for_each(|(&v, &value)| row[v as usize] = value);
        });
    });
    drop(cells);
    Ok(array)
}
