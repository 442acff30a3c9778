//! A published form of Floyd-Warshall on a GPU, and solves of a graph by it: what the study of
//! these forms times. Every solve starts from a fresh copy of the arcs, and rows of its result
//! are compared with searches.

use std::ops::{Add, Range};
use std::str::FromStr;

use ::published::pairs::Form::{
    BlockedOutOfCore, BlockedProduct, BlockedTwoLevel, FloydWarshall, Recursive,
};
use ::published::pairs::{
    self, Element, Parameters, Phase, SIDE_STEP, launches, path_of_last_vertices,
};
use anyhow::Error;
use apsp::Algorithm::Published;
use apsp::{Config, Solver};
use gpu_runtime::Buffer;

use super::*;

pub(super) const PHASES: [&str; 3] = ["pivot", "row and column", "others"];
/// Of the kernel that does nearly all of the work.
pub(super) const KERNEL: [&str; 6] =
    ["threads", "shared bytes", "registers", "local bytes", "blocks", "occupancy %"];
/// Of its launches one by one.
pub(super) const LAUNCHES: [&str; 4] = ["% below 0.1 ms", "long", "ms of a long one", "% of all"];
pub(super) const PATHS: [&str; 3] = ["paths", "vertices of a path", "µs a path"];
/// Rows and columns that are compared, and vertices that paths are followed from.
const CHECKED: usize = 8;

/// A published form with what the papers vary.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form(pub(super) pairs::Form, pub(super) Parameters);

impl Form {
    pub(super) fn of(form: pairs::Form, tile: u32) -> Self {
        Self(form, Parameters { fused: false, ..Parameters::of_tile(tile) })
    }

    /// The plain form, and with last vertices.
    fn with_paths() -> impl Iterator<Item = Self> {
        let plain = Self::of(FloydWarshall, 32);
        [plain].into_iter().chain(plain.beside())
    }

    /// The variants that the paper leaves out or only mentions, and the text's with paths.
    pub(super) fn beside(self) -> Vec<Self> {
        let Self(form, all) = self;
        let mut variants = match form {
            FloydWarshall => vec![Parameters { last_vertices: true, ..all }],
            BlockedTwoLevel => vec![Parameters { row_major: true, ..all }],
            Recursive => {
                vec![Parameters { fused: true, ..all }, Parameters { sequential: true, ..all }]
            }
            _ => Vec::new(),
        };
        // one thread closes small tiles only
        variants.retain(|variant| !variant.sequential || variant.tile == 16);
        variants.into_iter().map(|variant| Self(form, variant)).collect()
    }

    pub(super) fn name(&self) -> String {
        let Self(form, Parameters { tile, row_major, fused, sequential, last_vertices, .. }) =
            *self;
        match form {
            FloydWarshall if last_vertices => "plain, last vertices".to_owned(),
            FloydWarshall => "plain".to_owned(),
            BlockedProduct => format!("A {tile}"),
            BlockedTwoLevel if row_major => format!("B {tile}, row-major"),
            BlockedTwoLevel => format!("B {tile}"),
            _ if sequential => format!("recursive {tile}, one thread a tile"),
            _ if fused => format!("recursive {tile}, fused"),
            _ => format!("recursive {tile}"),
        }
    }

    /// What the papers tune, in this order.
    pub(super) fn tunable(&mut self) -> Vec<(&'static str, &mut u32)> {
        let Parameters { step_rows, small_tile, per_block, .. } = &mut self.1;
        let all = [("h", step_rows), ("t'", small_tile), ("l", per_block)].into_iter();
        let is_tuned = |what: &str| match self.0 {
            FloydWarshall => false,
            Recursive => what == "h",
            form => what != "t'" || form == BlockedTwoLevel,
        };
        all.filter(|(what, _)| is_tuned(what)).collect()
    }
}

impl FromStr for Form {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let parts: Vec<&str> = text.split(':').collect();
        let &[algorithm, tile, h, small, l] = &parts[..] else {
            bail!("expected ALGORITHM:t:h:t':l, such as blocked-product:32:8:4:4");
        };
        let Published(form) = algorithm.parse()? else {
            bail!("{algorithm} is no published form");
        };
        let Self(form, all) = Self::of(form, tile.parse()?);
        let (step_rows, small_tile, per_block) = (h.parse()?, small.parse()?, l.parse()?);
        Ok(Self(form, Parameters { step_rows, small_tile, per_block, ..all }))
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
    /// The labels of all.
    record: Record,
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
        Ok(Self { bench, gpu, record, rows, n, side, arcs })
    }

    pub(super) fn labelled(&self, part: &str, form: &str) -> Record {
        self.record.clone().with(&[("part", &part), ("form", &form)])
    }

    /// One solve with all in the GPU's memory.
    pub(super) fn resident(&self, form: &Form) -> Result<Run> {
        let Some(gpu) = self.gpu else { return self.whole(None, form) };
        let (mut solver, mut matrix) = (self.solver(gpu, form)?, gpu.upload(&self.arcs)?.cast());
        let ms = solver.solve_ms(&mut matrix, self.n)?;
        self.check_on_gpu(matrix)?;
        Ok(vec![("ms", ms)])
    }

    /// The same with memory taken and given back, and copies; paths are followed where there are
    /// last vertices. Without a GPU by one thread of the host.
    fn whole(&self, gpu: Option<&Gpu>, form: &Form) -> Result<Run> {
        let mut result = self.arcs.clone();
        let (whole_ms, solved) = timed(|| -> Result<_> {
            let Some(gpu) = gpu else {
                return Ok(timed(|| self.on_host(&mut result, form.1.last_vertices)));
            };
            let (mut solver, matrix) = (self.solver(gpu, form)?, gpu.upload(&self.arcs)?);
            let mut matrix = matrix.cast();
            let ms = solver.solve_ms(&mut matrix, self.n)?;
            matrix.cast().download_into(&mut result)?;
            Ok((ms, solver.last_vertices().map_or(Ok(Vec::new()), Buffer::download)?))
        });
        let (ms, last) = solved?;
        self.check(|row| Ok(result[row].to_vec()))?;
        let mut run = vec![("ms", ms), ("whole_ms", whole_ms)];
        if !last.is_empty() {
            run.extend(self.follow(&result, &last)?);
        }
        Ok(run)
    }

    /// The same, then one solve that waits for each launch; and the kernel that does nearly all
    /// of the work.
    pub(super) fn all_times(&self, form: &Form) -> Result<Run> {
        let mut run = self.whole(self.gpu, form)?;
        run.extend(form.clone().tunable().iter().map(|(what, value)| (*what, f64::from(**value))));
        let launches = launches(form.0, &form.1, self.n);
        run.push(("launches", launches.len() as f64));
        let Some(gpu) = self.gpu else { return Ok(run) };
        let mut solver = self.solver(gpu, form)?;
        if form.0 != FloydWarshall {
            let mut matrix = gpu.upload(&self.arcs)?.cast();
            let times = solver.solve_timed(&mut matrix, self.n)?;
            self.check_on_gpu(matrix)?;
            let ms = Phase::ALL.map(|phase| {
                let of_phase = launches.iter().zip(&times).filter(|each| each.0.phase == phase);
                // the sum of no floats has a sign
                of_phase.fold(0.0, |ms, each| ms + each.1)
            });
            run.extend(PHASES.into_iter().zip(ms));
            run.extend(LAUNCHES.into_iter().zip(short_and_long(&times)));
        }
        let (kernel, shape) = solver.bulk(self.n);
        let made = kernel.attributes()?;
        let counts = [shape.block, made.shared_bytes, made.registers, made.local_bytes];
        let resident = kernel.occupancy(shape.block, shape.shared_bytes)? * shape.block;
        let most = gpu.properties().max_threads_per_multiprocessor.max(1);
        let blocks = f64::from(shape.grid.0) * f64::from(shape.grid.1);
        let rest = [blocks, 100.0 * f64::from(resident) / f64::from(most)];
        run.extend(KERNEL.into_iter().zip(counts.map(f64::from).into_iter().chain(rest)));
        Ok(run)
    }

    fn solver(&self, gpu: &Gpu, form: &Form) -> Result<pairs::Solver> {
        Ok(pairs::Solver::new(gpu, form.0, form.1, E::KIND, self.side)?)
    }

    /// The three loops as the papers print them, with nothing but what the compiler makes of the
    /// innermost; gives the last vertices, if asked to.
    fn on_host(&self, matrix: &mut [E], with_last: bool) -> Vec<u32> {
        let (n, side) = (self.n, self.side);
        let mut last = vec![u32::MAX; if with_last { side * side } else { 0 }];
        for k in 0..n {
            let through = matrix[k * side..][..n].to_vec();
            for (i, row) in matrix.chunks_exact_mut(side).take(n).enumerate() {
                let first = row[k];
                let pairs = row.iter_mut().zip(&through);
                if with_last {
                    for ((least, &second), last) in pairs.zip(&mut last[i * side..]) {
                        if first + second < *least {
                            (*least, *last) = (first + second, k as u32);
                        }
                    }
                } else {
                    for (least, &second) in pairs {
                        let sum = first + second;
                        *least = if sum < *least { sum } else { *least };
                    }
                }
            }
        }
        last
    }

    /// Follows the paths from a few vertices to all that they reach, and sums their arcs.
    fn follow(&self, distances: &[E], last: &[u32]) -> Result<Run> {
        let side = self.side;
        let at = |u: VertexId, v: VertexId| u as usize * side + v as usize;
        let n = self.n as VertexId;
        let pairs = (0..n.min(CHECKED as VertexId)).flat_map(|u| (0..n).map(move |v| (u, v)));
        let pairs: Vec<_> = pairs.filter(|&(u, v)| distances[at(u, v)].is_path()).collect();
        let paths = pairs.iter().map(|&(u, v)| path_of_last_vertices(last, side, u, v));
        let (ms, paths) = timed(|| paths.collect::<Option<Vec<_>>>());
        let paths = paths.context("last vertices lead nowhere")?;
        for (&(u, v), path) in pairs.iter().zip(&paths) {
            let arcs = path.windows(2).map(|ends| self.arcs[at(ends[0], ends[1])]);
            let length = arcs.fold(0.into(), |sum: E, arc| sum + arc);
            ensure!(length == distances[at(u, v)], "the path from {u} to {v} is {length:?} long");
        }
        let (n_paths, n_vertices) = (paths.len() as f64, paths.concat().len() as f64);
        Ok(PATHS.into_iter().zip([n_paths, n_vertices / n_paths, 1e3 * ms / n_paths]).collect())
    }

    /// That a solved matrix on the GPU has the rows of the searches.
    fn check_on_gpu(&self, matrix: Buffer<u32>) -> Result<()> {
        let matrix = matrix.cast::<E>();
        self.check(|row| Ok(matrix.download_range(row)?))
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

    /// What the text on large matrices measured, and the default form, for which the GPU has all
    /// of its memory, or half of what elements of 32 bits take; with paths and without.
    pub(super) fn text(&self, graph: &Csr<u32>) -> Result<()> {
        let (columns, mut contenders) = (Columns::of(graph, CHECKED)?, Vec::new());
        let forms = Form::with_paths().chain([Form::of(BlockedProduct, 32)]);
        contenders.extend(forms.map(|form| {
            Contender::new(self.labelled("text", &form.name()), move || self.whole(self.gpu, &form))
        }));
        let half = 2 * (self.n * self.n) as u64;
        for (memory, place) in [(u64::MAX, "default"), (half, "default, out of core")] {
            for (next_hops, paths) in [(false, ""), (true, ", next hops")] {
                let gpu = self.gpu.map(|gpu| gpu.with_memory_cap(memory));
                let (config, columns) = (Config { next_hops, ..Config::default() }, &columns);
                let record = self.labelled("text", &[place, paths].concat());
                contenders.push(Contender::new(record, move || {
                    self.by_solver(gpu.as_ref(), graph, &config, columns)
                }));
            }
        }
        self.bench.race(contenders).map(drop)
    }

    fn by_solver(
        &self,
        gpu: Option<&Gpu>,
        graph: &Csr<u32>,
        config: &Config,
        columns: &Columns<u32>,
    ) -> Result<Run> {
        let solver = Solver::new(graph, config);
        let (whole_ms, pairs) = timed(|| match gpu {
            Some(gpu) => solver.on(slice::from_ref(gpu)).solve(None),
            None => solver.solve(None),
        });
        let pairs = pairs?;
        self.rows.check(&pairs)?;
        columns.check(&pairs)?;
        let (report, strips) = (&pairs.report, pairs.report.strips as f64);
        let ms = report.solve_ms + report.next_hops_ms;
        Ok(vec![("ms", ms), ("whole_ms", whole_ms), ("strips", strips)])
    }

    /// The text's own blocks, panels of 32 rows that pass through the GPU, once.
    pub(super) fn three_phases(&self, graph: &Csr<u32>) -> Result<()> {
        let config = Config::with(Published(BlockedOutOfCore));
        let record = self.labelled("text", "3 phases");
        let run = self.by_solver(self.gpu, graph, &config, &Columns::of(graph, 0)?)?;
        self.bench.records().push(record.ran(run));
        Ok(())
    }

    /// The plain forms by one thread of the host, once.
    pub(super) fn one_thread(&self) -> Result<()> {
        for form in Form::with_paths() {
            let record = self.labelled("text", &form.name().replace("plain", "one thread"));
            self.bench.records().push(record.ran(self.whole(None, &form)?));
        }
        Ok(())
    }
}

/// The paper's figures on single launches: the % of them below 0.1 ms, and three figures on long
/// launches, which take at least half as long as the longest. These are their number, their mean
/// time, and their % of the total time.
pub(super) fn short_and_long(ms: &[f64]) -> [f64; 4] {
    let (all, longest) = (ms.iter().sum::<f64>(), ms.iter().copied().fold(0.0, f64::max));
    let long: Vec<f64> = ms.iter().copied().filter(|ms| 2.0 * ms >= longest).collect();
    let (n_long, sum) = (long.len() as f64, long.iter().sum::<f64>());
    let n_short = ms.iter().filter(|ms| **ms < 0.1).count() as f64;
    [100.0 * n_short / ms.len() as f64, n_long, sum / n_long, 100.0 * sum / all]
}
