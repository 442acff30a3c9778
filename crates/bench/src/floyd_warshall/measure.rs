//! The clock: every solve starts from a fresh copy of the arcs, and rows of every result are
//! compared with searches.

use std::ops::Add;
use std::time::Instant;

use anyhow::{Context, Result};
use apsp::Algorithm;
use apsp::published::{Parameters, Phase, Published};
use gpu_runtime::{Buffer, Gpu};

use super::Options;
use super::figures::{Form, HostLine, Kernel, Line, Report, Trial};
use super::host;
use super::problem::{Number, Problem};

/// Solves of each try,
const TRIES: usize = 3;
/// but one where there are so many vertices.
const LARGE: usize = 4096;

/// One graph with elements of one type.
pub(super) struct Bench<'a, E> {
    gpu: Option<&'a Gpu>,
    options: &'a Options,
    problem: &'a Problem,
    arcs: Vec<E>,
}

/// A form ready to solve.
enum Solver<E> {
    OnGpu {
        solver: Box<Published<E>>,
        matrix: Buffer<E>,
    },
    /// In the place of a GPU, so that all but its kernels can be tested anywhere.
    OnHost,
}

impl<'a, E: Number + Add<Output = E>> Bench<'a, E> {
    pub(super) fn new(gpu: Option<&'a Gpu>, options: &'a Options, problem: &'a Problem) -> Self {
        Self { gpu, options, problem, arcs: problem.matrix() }
    }

    /// Tunes each form, measures it and adds it to the report.
    pub(super) fn forms(&self, forms: &[Form], report: &mut Report) -> Result<()> {
        for &form in forms {
            let form = self.tuned(form, report).with_context(|| self.name(&form))?;
            let line = self.line(form).with_context(|| self.name(&form))?;
            eprintln!(
                "{}: {:.3} ms, {:.0} G relaxations/s",
                self.name(&form),
                line.median_ms(),
                line.gops()
            );
            report.lines.push(line);
        }
        Ok(())
    }

    /// One solve, checked; its milliseconds.
    pub(super) fn once(&self, form: Form) -> Result<f64> {
        self.timed(&form, &mut self.solver(&form)?)
    }

    /// One thread of the host.
    pub(super) fn host(&self) -> Result<HostLine> {
        let (mut matrix, n) = (self.arcs.clone(), self.problem.n());
        let start = Instant::now();
        host::close(&mut matrix, self.problem.side(), n);
        let ms = start.elapsed().as_secs_f64() * 1e3;
        self.check_host(&matrix).context("the three loops on the host are wrong")?;
        eprintln!("{}: the host's three loops: {ms:.0} ms", self.problem.name);
        Ok(HostLine { graph: self.problem.name.clone(), n_vertices: n, ms })
    }

    fn name(&self, form: &Form) -> String {
        format!("{} {}, {}", self.problem.name, E::NAME, form.heading())
    }

    /// The best of what can be tuned, a parameter after the other; or what was found to be
    /// that where only the layout differs, or whether products are fused.
    fn tuned(&self, form: Form, report: &mut Report) -> Result<Form> {
        let Form { algorithm, parameters } = form;
        if algorithm == Algorithm::FloydWarshall {
            return Ok(form);
        }
        let twin = report.lines.iter().find(|line| {
            line.graph == self.problem.name
                && line.element == E::NAME
                && line.form.algorithm == algorithm
                && line.form.parameters.tile == parameters.tile
        });
        if let Some(twin) = twin {
            let Parameters { layout, fused, .. } = parameters;
            return Ok(twin.form.with(|p| (p.layout, p.fused) = (layout, fused)));
        }
        let t = parameters.tile;
        let rows = [t / 8, t / 4, t / 2].into_iter().filter(|&h| h <= 16);
        let mut best = self.fastest(rows.map(|h| form.with(|p| p.step_rows = h)), report)?;
        if algorithm == Algorithm::BlockedTwoLevel {
            let sides = [1, 2, 4, 8, 16].into_iter();
            best = self.fastest(sides.map(|side| best.with(|p| p.small_tile = side)), report)?;
        }
        if algorithm != Algorithm::Recursive {
            let width = if algorithm == Algorithm::BlockedProduct { 64 } else { t };
            let most = (self.problem.n() as u32).div_ceil(width);
            let counts = (0..=7).map(|power| 1 << power).take_while(|&l| l <= most);
            best = self.fastest(counts.map(|l| best.with(|p| p.per_block = l)), report)?;
        }
        Ok(best)
    }

    /// The fastest of some forms, of which there is one.
    fn fastest(&self, forms: impl Iterator<Item = Form>, report: &mut Report) -> Result<Form> {
        let mut best: Option<(f64, Form)> = None;
        for form in forms {
            let ms = self.try_out(&form)?;
            let (graph, element) = (self.problem.name.clone(), E::NAME);
            report.trials.push(Trial { graph, element, form, ms });
            if best.is_none_or(|(least, _)| ms < least) {
                best = Some((ms, form));
            }
        }
        Ok(best.context("there is nothing to try")?.1)
    }

    /// The fastest of a few solves.
    fn try_out(&self, form: &Form) -> Result<f64> {
        let mut solver = self.solver(form)?;
        let mut least = f64::INFINITY;
        let tries = if self.problem.n() < LARGE { TRIES } else { 1 };
        for _ in 0..tries {
            least = least.min(self.timed(form, &mut solver)?);
        }
        Ok(least)
    }

    fn line(&self, form: Form) -> Result<Line> {
        let (problem, n) = (self.problem, self.problem.n());
        let mut solver = self.solver(&form)?;
        self.timed(&form, &mut solver)?;
        let ms = self.repeated(|| self.timed(&form, &mut solver))?;
        let has_phases = form.algorithm != Algorithm::FloydWarshall;
        let phases_ms = if has_phases { self.phases(&mut solver)? } else { None };
        let kernel = match &solver {
            Solver::OnHost => None,
            Solver::OnGpu { solver, .. } => {
                let bulk = solver.bulk(n)?;
                Some(Kernel {
                    name: bulk.name,
                    registers: bulk.attributes.registers,
                    shared_bytes: bulk.attributes.shared_bytes,
                    local_bytes: bulk.attributes.local_bytes,
                    threads: bulk.threads,
                    blocks: bulk.blocks,
                    occupancy: bulk.occupancy,
                })
            }
        };
        drop(solver);
        Ok(Line {
            graph: problem.name.clone(),
            n_vertices: n,
            n_arcs: problem.n_arcs(),
            element: E::NAME,
            form,
            launches: form.parameters.n_launches(form.algorithm, n),
            ms,
            whole_ms: self.repeated(|| self.whole(&form))?,
            phases_ms,
            kernel,
        })
    }

    /// As many runs as were asked for, or fewer when patience is at an end.
    fn repeated(&self, mut run: impl FnMut() -> Result<f64>) -> Result<Vec<f64>> {
        let mut all = vec![run()?];
        while all.len() < self.options.runs.get()
            && all.iter().sum::<f64>() < self.options.patience as f64 * 1e3
        {
            all.push(run()?);
        }
        Ok(all)
    }

    fn solver(&self, form: &Form) -> Result<Solver<E>> {
        let Some(gpu) = self.gpu else { return Ok(Solver::OnHost) };
        let side = self.problem.side();
        let solver = Published::new(gpu, form.algorithm, form.parameters, side)?;
        Ok(Solver::OnGpu { solver: Box::new(solver), matrix: gpu.buffer(side * side)? })
    }

    /// One solve of a resident matrix.
    fn timed(&self, form: &Form, solver: &mut Solver<E>) -> Result<f64> {
        let n = self.problem.n();
        match solver {
            Solver::OnGpu { solver, matrix } => {
                matrix.upload(&self.arcs)?;
                let ms = solver.solve_ms(matrix, n)?;
                self.check(matrix)?;
                Ok(ms)
            }
            Solver::OnHost => self.whole(form),
        }
    }

    /// One solve from the host's memory to the host's memory.
    fn whole(&self, form: &Form) -> Result<f64> {
        let (side, n) = (self.problem.side(), self.problem.n());
        let mut result = self.arcs.clone();
        let start = Instant::now();
        match self.gpu {
            None => host::close(&mut result, side, n),
            Some(gpu) => {
                let mut solver = Published::new(gpu, form.algorithm, form.parameters, side)?;
                let mut matrix = gpu.upload(&self.arcs)?;
                solver.solve(&mut matrix, n)?;
                matrix.download_into(&mut result)?;
                drop((matrix, solver));
            }
        }
        let ms = start.elapsed().as_secs_f64() * 1e3;
        self.check_host(&result)?;
        Ok(ms)
    }

    fn phases(&self, solver: &mut Solver<E>) -> Result<Option<[f64; 3]>> {
        let Solver::OnGpu { solver, matrix } = solver else { return Ok(None) };
        matrix.upload(&self.arcs)?;
        let times = solver.solve_timed(matrix, self.problem.n())?;
        self.check(matrix)?;
        Ok(Some(Phase::ALL.map(|phase| times.ms(phase))))
    }

    fn check(&self, matrix: &Buffer<E>) -> Result<()> {
        let (side, n) = (self.problem.side(), self.problem.n());
        self.problem.check(|row| Ok(matrix.download_range(row * side..row * side + n)?))
    }

    fn check_host(&self, matrix: &[E]) -> Result<()> {
        let (side, n) = (self.problem.side(), self.problem.n());
        self.problem.check(|row| Ok(matrix[row * side..][..n].to_vec()))
    }
}
