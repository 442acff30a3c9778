//! A published form of Floyd-Warshall on a GPU, and one solve of a graph by it: what the studies
//! of these forms time. Every solve starts from a fresh copy of the arcs, and rows of its result
//! are compared with searches.

use std::ops::{Add, Range};

use anyhow::{Context, Result};
use apsp::Algorithm::{self, BlockedProduct, BlockedTwoLevel, Recursive};
use apsp::published::{Element, Layout, Parameters, Phase, Published, SIDE_STEP};
use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId, Weight};

use crate::clock::timed;
use crate::records::{Record, Run};
use crate::study::Bench;
use crate::verify::Rows;

pub(super) const PHASES: [&str; 3] = ["pivot", "row and column", "others"];
/// What papers tune.
pub(super) const TUNED: [&str; 3] = ["h", "t'", "l"];
pub(super) const PLAIN: Form =
    Form { algorithm: Algorithm::FloydWarshall, tile: 32, tuned: [8, 4, 8], variant: "" };
pub(super) const ROW_MAJOR: &str = ", row-major";
pub(super) const FUSED: &str = ", fused";
pub(super) const LAST: &str = ", last vertices";
/// Rows that are compared.
const CHECKED: usize = 8;

/// A published form.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub(super) algorithm: Algorithm,
    pub(super) tile: u32,
    /// h, t' and l.
    pub(super) tuned: [u32; 3],
    pub(super) variant: &'static str,
}

impl Form {
    pub(super) fn name(&self) -> String {
        let Self { tile, variant, .. } = self;
        match self.algorithm {
            Algorithm::FloydWarshall => format!("plain{variant}"),
            BlockedProduct => format!("A {tile}{variant}"),
            BlockedTwoLevel => format!("B {tile}{variant}"),
            _ => format!("recursive {tile}{variant}"),
        }
    }

    fn parameters(&self) -> Parameters {
        let (tile, [step_rows, small_tile, per_block]) = (self.tile, self.tuned);
        let is = |variant| self.variant == variant;
        let layout = if is(ROW_MAJOR) { Layout::RowMajor } else { Layout::Blocked };
        let (fused, last_vertices) = (is(FUSED), is(LAST));
        let of_tile = Parameters::of_tile(tile);
        Parameters { step_rows, small_tile, per_block, layout, fused, last_vertices, ..of_tile }
    }

    /// Which parameters are tuned, in this order.
    pub(super) fn tunable(&self) -> &'static [usize] {
        match self.algorithm {
            Algorithm::FloydWarshall => &[],
            Recursive => &[0],
            BlockedProduct => &[0, 2],
            _ => &[0, 1, 2],
        }
    }
}

/// An element of a matrix: weights of 16 bits have theirs.
pub(super) trait Number: Element + Add<Output = Self> + From<u16> + Into<f64> {}
impl Number for i32 {}
impl Number for f32 {}

/// A graph as a matrix of elements of one type.
pub(super) struct Matrix<'a, E> {
    pub(super) bench: &'a Bench,
    gpu: Option<&'a Gpu>,
    peak: Option<f64>,
    /// The labels of all.
    pub(super) record: Record,
    rows: Rows<u32>,
    pub(super) n: usize,
    side: usize,
    arcs: Vec<E>,
}

impl<'a, E: Number> Matrix<'a, E> {
    /// The arcs of a graph, whose weights take 16 bits; without a GPU the host solves.
    pub(super) fn new(
        bench: &'a Bench,
        gpu: Option<&'a Gpu>,
        record: Record,
        peak: Option<f64>,
        graph: &Csr<u32>,
    ) -> Result<Self> {
        let (n, rows) = (graph.n_vertices(), Rows::of(graph, CHECKED)?);
        let side = n.next_multiple_of(SIDE_STEP);
        let mut arcs = vec![E::NO_PATH; side * side];
        (0..side).for_each(|v| arcs[v * side + v] = 0.into());
        for (u, v, weight) in graph.arcs() {
            let weight = u16::try_from(weight).context("weights of more than 16 bits")?.into();
            let known = &mut arcs[u as usize * side + v as usize];
            // of parallel arcs the shortest
            *known = if weight < *known { weight } else { *known };
        }
        Ok(Self { bench, gpu, record, peak, rows, n, side, arcs })
    }

    /// One solve with all in the GPU's memory.
    pub(super) fn resident(&self, form: &Form) -> Result<Run> {
        let ms = match self.gpu {
            None => self.on_host()?,
            Some(gpu) => {
                let (mut solver, mut matrix) = (self.solver(gpu, form)?, gpu.upload(&self.arcs)?);
                let ms = solver.solve_ms(&mut matrix, self.n)?;
                self.check(|row| Ok(matrix.download_range(row)?))?;
                ms
            }
        };
        let n = self.n as f64;
        let rate = n * (n - 1.0).powi(2) / ms / 1e6;
        let percent = self.peak.map(|peak| ("% of the peak", 100.0 * rate / peak));
        Ok([("ms", ms), ("G/s", rate)].into_iter().chain(percent).collect())
    }

    /// The same, then one with memory and copies, and one that waits for each launch; and the
    /// kernel that does nearly all of the work.
    pub(super) fn all_times(&self, form: &Form) -> Result<Run> {
        let mut run = self.resident(form)?;
        let tuned = form.tunable().iter().map(|&i| (TUNED[i], f64::from(form.tuned[i])));
        run.extend(tuned);
        run.push(("launches", form.parameters().n_launches(form.algorithm, self.n) as f64));
        let Some(gpu) = self.gpu else { return Ok(run) };
        let mut result = self.arcs.clone();
        let (whole_ms, solved) = timed(|| -> Result<()> {
            let (mut solver, mut matrix) = (self.solver(gpu, form)?, gpu.upload(&self.arcs)?);
            solver.solve(&mut matrix, self.n)?;
            Ok(matrix.download_into(&mut result)?)
        });
        solved?;
        run.push(("whole_ms", whole_ms));
        self.check(|row| Ok(result[row].to_vec()))?;
        let mut solver = self.solver(gpu, form)?;
        if form.algorithm != Algorithm::FloydWarshall {
            let mut matrix = gpu.upload(&self.arcs)?;
            let times = solver.solve_timed(&mut matrix, self.n)?;
            self.check(|row| Ok(matrix.download_range(row)?))?;
            run.extend(PHASES.into_iter().zip(Phase::ALL.map(|phase| times.ms(phase))));
        }
        let bulk = solver.bulk(self.n)?;
        run.extend([
            ("threads", bulk.threads.into()),
            ("shared bytes", bulk.attributes.shared_bytes.into()),
            ("registers", bulk.attributes.registers.into()),
            ("local bytes", bulk.attributes.local_bytes.into()),
            ("blocks", bulk.blocks as f64),
            ("occupancy %", 100.0 * bulk.occupancy),
        ]);
        Ok(run)
    }

    fn solver(&self, gpu: &Gpu, form: &Form) -> Result<Published<E>> {
        Ok(Published::new(gpu, form.algorithm, form.parameters(), self.side)?)
    }

    /// Milliseconds of one thread of the host: the three loops as the papers print them, with
    /// nothing but what the compiler makes of the innermost.
    pub(super) fn on_host(&self) -> Result<f64> {
        let mut matrix = self.arcs.clone();
        let (ms, ()) = timed(|| {
            for k in 0..self.n {
                let through = matrix[k * self.side..][..self.n].to_vec();
                for row in matrix.chunks_exact_mut(self.side).take(self.n) {
                    let first = row[k];
                    for (least, &second) in row.iter_mut().zip(&through) {
                        let sum = first + second;
                        *least = if sum < *least { sum } else { *least };
                    }
                }
            }
        });
        self.check(|row| Ok(matrix[row].to_vec()))?;
        Ok(ms)
    }

    /// That a solved matrix has the rows of the searches.
    fn check(&self, row: impl Fn(Range<usize>) -> Result<Vec<E>>) -> Result<()> {
        let row = |source: VertexId| {
            let start = source as usize * self.side;
            let found = row(start..start + self.n)?.into_iter();
            Ok(found.map(|element| element.is_path().then(|| element.into())).collect())
        };
        self.rows.check_by(row, |found: f64, right| found == right.to_f64())
    }
}
