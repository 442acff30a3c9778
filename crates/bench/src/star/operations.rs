//! The paper's Table 1 again: microseconds an operation, the mean of many calls.
//!
//! Reference: snytnikova-nepomniaschaya-2016
//!
//! Three give the same operations: the machine of the host, the machine on a GPU with a launch
//! each (or the paper's launches), and a program recorded for the GPU with a loop of them. What they leave in the
//! variables is compared with what it is to be.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use gpu_runtime::Gpu;
use serde::Serialize;
use star_machine::{Cuda, Host, Machine, Recorder, Star};

use super::Options;
use super::variables::{Data, Operation, State, Vars};
use crate::table::{best, digits, median, table};

/// Columns of a table where slices alone are of interest.
const COLUMNS: usize = 64;
/// Rows of the paper's tables.
const SIZES: [usize; 4] = [100, 1000, 3000, 5000];
/// A program has so many calls where a machine has one: only the host's clock is slow.
const CALLS_OF_PROGRAM: usize = 10;

/// Mean times of one operation at one size by one of the three.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Line {
    pub(super) operation: Operation,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) by: By,
    pub(super) calls: usize,
    /// Of a call, in each timed run.
    pub(super) us: Vec<f64>,
}

/// Who gives the operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum By {
    Gpu,
    /// With the launches of the paper.
    Printed,
    Program,
    Host,
}

pub(super) fn measure(gpu: Option<&Gpu>, options: &Options) -> Result<Vec<Line>> {
    let squares = options.operation_sizes.iter().map(|n| (n.get(), n.get()));
    let long = Some((options.long, COLUMNS)).filter(|&(rows, _)| rows > 0);
    let mut lines = Vec::new();
    for (rows, columns) in squares.chain(long) {
        let data = Data::random(rows, columns)?;
        for operation in Operation::ALL {
            if operation.is_of_rows() && rows != columns {
                continue;
            }
            let bench = Bench { operation, data: &data, options };
            let found = bench.lines(gpu).with_context(|| {
                format!("{} of {rows} rows and {columns} columns", operation.name())
            })?;
            lines.extend(found);
        }
    }
    Ok(lines)
}

/// Means of many calls.
pub(super) fn section(lines: &[Line]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    format!(
        "\n## Microseconds an operation (Table 1)\n\nMeans of many calls: of launches with \
         their answers, where there are any; of turns of a loop in a recorded program, the one \
         launch included. The paper's FND is its two kernels.\n\n{}",
        by_size(lines)
    )
}

/// A row for each operation and each of those that give it, and for the paper.
pub(super) fn by_size(lines: &[Line]) -> String {
    let mut sizes: Vec<(usize, usize)> = lines.iter().map(|l| (l.rows, l.columns)).collect();
    sizes.dedup();
    let mut rows = Vec::new();
    for operation in Operation::ALL {
        let mut add = |by: &str, us: &dyn Fn((usize, usize)) -> Option<f64>| {
            if sizes.iter().any(|&size| us(size).is_some()) {
                let cells = sizes.iter().map(|&size| digits(us(size)));
                rows.push([operation.name().into(), by.into()].into_iter().chain(cells).collect());
            }
        };
        let is_square = |size: (usize, usize)| size.0 == size.1;
        add("K40, the paper", &|size| paper_us(operation, size.0).filter(|_| is_square(size)));
        for (by, name) in [
            (By::Printed, "GPU, the paper's launches"),
            (By::Gpu, "GPU, a launch each"),
            (By::Program, "GPU, in a program"),
            (By::Host, "host, 1 thread"),
        ] {
            add(name, &|(rows, columns)| {
                let is_it = |line: &&Line| {
                    (line.operation, line.by) == (operation, by)
                        && (line.rows, line.columns) == (rows, columns)
                };
                median(&lines.iter().find(is_it)?.us)
            });
        }
    }
    let names: Vec<String> = sizes
        .iter()
        .map(|&(rows, columns)| match rows == columns {
            true => format!("{rows}"),
            false => format!("{rows} rows"),
        })
        .collect();
    let headings: Vec<&str> =
        ["operation", "by"].into_iter().chain(names.iter().map(String::as_str)).collect();
    table(2, &headings, &rows)
}

/// What the paper measured on a Tesla K40: microseconds, the launch included.
fn paper_us(operation: Operation, n: usize) -> Option<f64> {
    let times = match operation {
        Operation::RowRead => [18.6, 19.5, 19.6, 19.8],
        Operation::RowWrite => [4.1, 3.9, 4.3, 4.1],
        Operation::Or => [1.9, 2.2, 2.0, 2.1],
        // its two kernels, find and first_backward
        Operation::Find => [2.5 + 3.2, 2.8 + 3.2, 3.5 + 3.3, 3.8 + 3.4],
        _ => return None,
    };
    Some(times[SIZES.iter().position(|&size| size == n)?])
}

/// An operation to be measured.
pub(super) struct Bench<'a> {
    pub(super) operation: Operation,
    pub(super) data: &'a Data,
    pub(super) options: &'a Options,
}

impl Bench<'_> {
    fn lines(&self, gpu: Option<&Gpu>) -> Result<Vec<Line>> {
        let mut lines = Vec::new();
        if let Some(gpu) = gpu {
            if self.operation != Operation::Turn {
                lines.push(self.by_machine(By::Gpu, Cuda::new(gpu)?, || Ok(gpu.synchronize()?))?);
            }
            lines.push(self.by_program(gpu)?);
        }
        if self.operation != Operation::Turn {
            lines.push(self.by_machine(By::Host, Host::new(), || Ok(()))?);
        }
        Ok(lines)
    }

    /// Each operation when it is given.
    pub(super) fn by_machine<M: Machine>(
        &self,
        by: By,
        mut m: M,
        wait: impl Fn() -> Result<()>,
    ) -> Result<Line> {
        let vars = self.data.load(&mut m)?;
        let (rounds, turns) = self.operation.rounds(self.data, self.options.calls.get());
        let us = self.times(rounds * turns, || {
            for _ in 0..rounds {
                self.operation.before(&mut m, &vars)?;
                for at in 0..turns as u32 {
                    self.operation.call(&mut m, &vars, at.into())?;
                }
            }
            wait()
        })?;
        self.check(&state(&mut m, &vars)?, turns)?;
        Ok(self.line(by, rounds * turns, us))
    }

    /// Microseconds of each call by the GPU's clock, the first aside.
    pub(super) fn one_by_one(&self, gpu: &Gpu, mut m: Cuda) -> Result<Vec<f64>> {
        let vars = self.data.load(&mut m)?;
        let (_, turns) = self.operation.rounds(self.data, self.options.calls.get());
        let timer = gpu.timer()?;
        self.operation.before(&mut m, &vars)?;
        let mut us = Vec::new();
        for at in 0..turns as u32 {
            timer.start()?;
            self.operation.call(&mut m, &vars, at.into())?;
            timer.stop()?;
            us.push(timer.elapsed_ms()? * 1e3);
        }
        self.check(&state(&mut m, &vars)?, turns)?;
        Ok(us.split_off(1.min(us.len())))
    }

    /// All of them in one launch.
    fn by_program(&self, gpu: &Gpu) -> Result<Line> {
        let calls = CALLS_OF_PROGRAM * self.options.calls.get();
        let (rounds, turns) = self.operation.rounds(self.data, calls);
        let mut recorder = Recorder::new();
        let vars = self.data.declare(&mut recorder)?;
        recorder.for_each(0..rounds, |m, _| {
            self.operation.before(m, &vars)?;
            m.for_each(0..turns, |m, at| self.operation.call(m, &vars, at.into()))
        })?;
        let mut program = recorder.finish().load(gpu)?;
        self.data.fill(&mut program, &vars)?;
        let us = self.times(rounds * turns, || Ok(program.run()?))?;
        let state = State {
            table: program.table_value(vars.table)?,
            z: program.vector_value(vars.z)?,
            w: program.vector_value(vars.w)?.into_word(),
            i: program.int_value(vars.i)?,
        };
        self.check(&state, turns)?;
        Ok(self.line(By::Program, rounds * turns, us))
    }

    /// Microseconds a call, of each run after an untimed one.
    fn times(&self, calls: usize, mut run: impl FnMut() -> Result<()>) -> Result<Vec<f64>> {
        run()?;
        let mut us = Vec::new();
        for _ in 0..self.options.runs.get() {
            let start = Instant::now();
            run()?;
            us.push(start.elapsed().as_secs_f64() * 1e6 / calls as f64);
        }
        Ok(us)
    }

    fn line(&self, by: By, calls: usize, us: Vec<f64>) -> Line {
        let (rows, columns) = (self.data.table.rows(), self.data.table.columns());
        let (name, best) = (self.operation.name(), digits(best(&us)));
        eprintln!("{name} of {rows} by {columns} on {by:?}: {best} us");
        Line { operation: self.operation, rows, columns, by, calls, us }
    }

    fn check(&self, found: &State, turns: usize) -> Result<()> {
        let expected = self.data.after(self.operation, turns)?;
        ensure!(found.i == expected.i, "it gives {:?} instead of {:?}", found.i, expected.i);
        ensure!(*found == expected, "it leaves other bits than it should");
        Ok(())
    }
}

fn state(m: &mut impl Machine, vars: &Vars) -> Result<State> {
    Ok(State {
        table: m.table_value(vars.table)?,
        z: m.slice_value(vars.z)?,
        w: m.word_value(vars.w)?,
        i: m.int_value(vars.i)?,
    })
}
