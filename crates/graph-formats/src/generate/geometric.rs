//! Random geometric graphs: points in the unit square, joined when they are near.
//!
//! The square is cut into cells a little wider than the radius, at most one per point, so that a
//! point's neighbours lie in nine cells. Degrees are counted before arcs are stored, and the count
//! stops as soon as the graph would not fit the memory. O(n + m) in the mean, plus the sorting of
//! rows.
//!
//! Reference: penrose-2003

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::random::{Purpose, Stream, unit};
use super::{GraphOptions, check_memory};
use crate::checks::validate_vertex_count;
use crate::rows::for_each_row_block;
use crate::{Csr, GraphError, VertexId};

/// Points per task of the count of degrees; each task then checks the memory.
const POINTS_PER_TASK: usize = 512;
/// Cells are wider than the radius by this factor, so that rounding never puts two
/// neighbours two cells apart.
const CELL_MARGIN: f64 = 1.000_001;

type Point = [f64; 2];

/// The parameters of [`geometric`].
#[derive(Clone, Debug, PartialEq)]
pub struct GeometricConfig {
    /// Points.
    pub n_vertices: usize,
    /// The greatest length of an edge; a vertex has about π · radius² · n neighbours.
    pub radius: f64,
    /// Weights, seed, direction. There are no duplicates. A directed graph has the same arcs, but
    /// is not marked as undirected.
    pub options: GraphOptions,
}

impl Default for GeometricConfig {
    /// 65536 points with 16 neighbours each.
    fn default() -> Self {
        Self { n_vertices: 1 << 16, radius: 0.0088, options: GraphOptions::default() }
    }
}

impl GeometricConfig {
    /// The points of [`geometric`] in the unit square, by vertex.
    ///
    /// # Errors
    /// [`GraphError::TooManyVertices`], or [`GraphError::BadParameter`] for a refusal of memory.
    pub fn coordinates(&self) -> Result<Vec<[f64; 2]>, GraphError> {
        validate_vertex_count(self.n_vertices)?;
        check_memory(self.n_vertices, 0)?;
        Ok(points(self.n_vertices, self.options.seed))
    }
}

/// A graph of random points, joined where they are at most `radius` apart.
///
/// An edge's weight grows with its Euclidean length ℓ: least + (greatest − least) ·
/// ℓ / radius, rounded, of the range in the options.
///
/// ```
/// use graph_formats::generate::{GeometricConfig, geometric};
///
/// let config = GeometricConfig { n_vertices: 50, radius: 1.5, ..Default::default() };
/// assert_eq!(geometric(&config)?.n_arcs(), 50 * 49); // the unit square has a diagonal below 1.5
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
///
/// # Errors
/// [`GraphError::TooManyVertices`], or [`GraphError::BadParameter`] for a negative or
/// infinite radius, an empty weight range or a refusal of memory.
pub fn geometric(config: &GeometricConfig) -> Result<Csr<u32>, GraphError> {
    config.options.check()?;
    let GeometricConfig { n_vertices, radius, ref options } = *config;
    validate_vertex_count(n_vertices)?;
    if !(radius.is_finite() && radius >= 0.0) {
        return Err(GraphError::BadParameter {
            name: "radius",
            value: radius.to_string(),
            expected: "a finite number from 0 on; the points lie in the unit square".into(),
        });
    }
    check_memory(n_vertices, 0)?;
    let points = points(n_vertices, options.seed);
    let cells = Cells::new(&points, radius);
    let row_offsets = count_neighbours(&points, &cells)?;

    let (least, greatest) = (*options.weights.start(), *options.weights.end());
    let weight = |squared: f64| {
        // with radius 0 the quotient is NaN, which becomes 0
        let share = squared.sqrt() / radius;
        least + (f64::from(greatest - least) * share).round() as u32
    };
    let mut arcs = vec![(0, 0); row_offsets[n_vertices] as usize];
    for_each_row_block(&row_offsets, &mut arcs, &|rows, block| {
        let mut rest = block;
        for v in rows {
            let (row, tail) = rest.split_at_mut((row_offsets[v + 1] - row_offsets[v]) as usize);
            for (slot, (u, squared)) in row.iter_mut().zip(cells.neighbours(v, points[v])) {
                *slot = (u, weight(squared));
            }
            row.sort_unstable();
            rest = tail;
        }
    });
    let column_indices = arcs.par_iter().map(|arc| arc.0).collect();
    let weights = arcs.par_iter().map(|arc| arc.1).collect();
    Ok(Csr::from_valid(row_offsets, column_indices, weights, options.direction))
}

fn points(n_points: usize, seed: u64) -> Vec<Point> {
    let stream = Stream::new(seed, Purpose::Points);
    let coordinate = |index| unit(stream.at(index));
    (0..n_points as u64)
        .into_par_iter()
        .map(|v| [coordinate(2 * v), coordinate(2 * v + 1)])
        .collect()
}

fn squared_distance(a: Point, b: Point) -> f64 {
    let (x, y) = (a[0] - b[0], a[1] - b[1]);
    x * x + y * y
}

/// Row offsets of the graph, or an error if it does not fit the memory.
fn count_neighbours(points: &[Point], cells: &Cells) -> Result<Vec<u64>, GraphError> {
    let mut offsets = vec![0u64; points.len() + 1];
    let n_arcs = AtomicU64::new(0);
    offsets[1..].par_chunks_mut(POINTS_PER_TASK).enumerate().try_for_each(|(task, degrees)| {
        let first = task * POINTS_PER_TASK;
        for (v, degree) in (first..).zip(degrees.iter_mut()) {
            *degree = cells.neighbours(v, points[v]).count() as u64;
        }
        let counted: u64 = degrees.iter().sum();
        let so_far = n_arcs.fetch_add(counted, Ordering::Relaxed) + counted;
        check_memory(points.len(), u128::from(so_far))
    })?;
    for row in 0..points.len() {
        offsets[row + 1] += offsets[row];
    }
    Ok(offsets)
}

/// The points sorted by square cells, row by row.
struct Cells {
    cells_per_side: usize,
    squared_radius: f64,
    /// Where each cell starts in `members`, and, last, their number.
    starts: Vec<usize>,
    members: Vec<(VertexId, Point)>,
}

impl Cells {
    fn new(points: &[Point], radius: f64) -> Self {
        let at_most = (points.len() as f64).sqrt().max(1.0);
        let cells_per_side = (1.0 / (radius * CELL_MARGIN)).clamp(1.0, at_most) as usize;
        let cell = |point: Point| {
            let [column, row] = cell_of(point, cells_per_side);
            row * cells_per_side + column
        };
        let mut starts = vec![0; cells_per_side * cells_per_side + 1];
        for &point in points {
            starts[cell(point) + 1] += 1;
        }
        for cell in 1..starts.len() {
            starts[cell] += starts[cell - 1];
        }
        let mut next = starts.clone();
        let mut members = vec![(0, [0.0; 2]); points.len()];
        for (v, &point) in (0..).zip(points) {
            let slot = &mut next[cell(point)];
            members[*slot] = (v, point);
            *slot += 1;
        }
        Self { cells_per_side, squared_radius: radius * radius, starts, members }
    }

    /// The other points within the radius of vertex `v` at `point`, and the squares of
    /// their distances.
    fn neighbours(&self, v: usize, point: Point) -> impl Iterator<Item = (VertexId, f64)> + '_ {
        let last = self.cells_per_side - 1;
        let [column, row] = cell_of(point, self.cells_per_side);
        let (left, right) = (column.saturating_sub(1), (column + 1).min(last));
        (row.saturating_sub(1)..=(row + 1).min(last)).flat_map(move |row| {
            let base = row * self.cells_per_side;
            let near = &self.members[self.starts[base + left]..self.starts[base + right + 1]];
            near.iter().filter_map(move |&(u, other)| {
                let squared = squared_distance(point, other);
                (squared <= self.squared_radius && u as usize != v).then_some((u, squared))
            })
        })
    }
}

/// Column and row of a point's cell.
fn cell_of(point: Point, cells_per_side: usize) -> [usize; 2] {
    point.map(|x| ((x * cells_per_side as f64) as usize).min(cells_per_side - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_near_pair_is_joined_and_no_other() {
        for radius in [0.0, 1e-9, 0.01, 0.07, 0.2, 1.0 / 3.0, 0.5, 0.999, 1.0, 1.5] {
            for n_vertices in [0, 1, 2, 3, 10, 300] {
                let options = GraphOptions { weights: 10..=20, seed: 5, ..Default::default() };
                let config = GeometricConfig { n_vertices, radius, options };
                let points = points(n_vertices, 5);
                let mut expected = Vec::new();
                for (u, &a) in (0..).zip(&points) {
                    for (v, &b) in (0..).zip(&points) {
                        let distance = squared_distance(a, b).sqrt();
                        if u != v && squared_distance(a, b) <= radius * radius {
                            expected.push((u, v, 10 + (10.0 * distance / radius).round() as u32));
                        }
                    }
                }
                let graph = geometric(&config).unwrap();
                assert_eq!(graph.arcs().collect::<Vec<_>>(), expected, "{config:?}");
            }
        }
    }
}
