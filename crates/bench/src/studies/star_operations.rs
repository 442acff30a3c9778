//! The paper's Table 1 again: microseconds an operation, the mean of many calls, and of 100 rows
//! and columns the least and the greatest of one.
//!
//! The same text runs on the machine of the host, on the machine on a GPU with a launch for each
//! operation, ours or the paper's, and in one launch on a GPU. What it leaves is compared with
//! what it is to leave, found bit by bit.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use gpu_runtime::GpuError;
use star_machine::algorithms::{Runner, Task, Value};
use star_machine::{CountFrom, Cuda, Host, Slice, StarError, Table, Word};

use super::digraph::PAPER;
use super::*;

/// Columns of a table where slices alone are of interest.
const LONG: usize = 64;
/// Calls of a program for each call of a machine: only the host's clock is slow.
const CALLS_OF_PROGRAM: usize = 10;
/// Rows and columns of the paper's tables; of the first it has the extremes.
const SIZES: [usize; 4] = [100, 1000, 3000, 5000];
/// The contenders that give operations to a GPU one by one.
const PRINTED: &str = "GPU, the paper's launches";
const A_LAUNCH_EACH: &str = "GPU, a launch each";
const ONE_BY_ONE: &str = "one by one";

/// What the paper measured of an operation on a Tesla K40: microseconds, the launch included, and
/// the least and the greatest for the first size. The paper's FND is its two kernels.
type Microseconds = ([f64; 4], [f64; 2]);

/// An operation, and its k-th call in a round, in the language.
type Operation = (&'static str, &'static str, Option<Microseconds>);

const FND: Microseconds = ([2.5 + 3.2, 2.8 + 3.2, 3.5 + 3.3, 3.8 + 3.4], [2.3 + 3.1, 2.8 + 4.0]);
const OPERATIONS: [Operation; 10] = [
    ("ROW, read", "w := ROW(k, A)", Some(([18.6, 19.5, 19.6, 19.8], [18.5, 19.7]))),
    ("ROW, write", "ROW(k, A) := v", Some(([4.1, 3.9, 4.3, 4.1], [2.9, 5.6]))),
    ("OR", "Z := X or Y", Some(([1.9, 2.2, 2.0, 2.1], [1.9, 3.0]))),
    ("FND", "i := FND(L)", Some(FND)),
    ("SOME", "if SOME(E) then i := 0", None),
    ("STEP", "i := STEP(Z)", None),
    ("COL, read", "Z := COL(k, A)", None),
    ("COL, write", "COL(k, A) := X", None),
    ("NUMB", "i := NUMB(X)", None),
    ("an empty turn", "begin end", None),
];

/// The STAR-machine's operations: the paper's Table 1, a launch each, in a program, on the host
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example:\n  cargo xtask bench star-operations --sizes 100,5000 --long 0")]
pub(super) struct StarOperations {
    /// Rows and columns of tables
    #[arg(long, value_name = "N", default_value = "100,1000,3000,5000")]
    sizes: Vec<NonZeroUsize>,
    /// Rows of a long table of 64 columns; 0 leaves it out
    #[arg(long, value_name = "N", default_value = "1000000")]
    long: usize,
    /// Calls of a run; a recorded program has ten times as many
    #[arg(long, value_name = "N", default_value = "2000")]
    calls: NonZeroUsize,
}

impl Study for StarOperations {
    const NAME: &'static str = "star-operations";

    fn measure(&self, bench: &Bench) -> Result<()> {
        let long = Some((self.long, LONG)).filter(|&(rows, _)| rows > 0);
        for size in self.sizes.iter().map(|n| (n.get(), n.get())).chain(long) {
            let is_there = |name: &str| size.0 == size.1 || !name.starts_with("ROW");
            for operation in OPERATIONS.iter().filter(|operation| is_there(operation.0)) {
                race(bench, operation, size, self.calls.get())?;
            }
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("The STAR-machine's operations (Table 1)");
        page.text(
            "Microseconds an operation by rows and columns, medians of means of many calls: of \
             launches with their answers, where there are any; of turns of a loop in a recorded \
             program, the one launch included. The paper's FND is its two kernels; its launches \
             are of blocks of one thread a word, searches of folds of 64.",
        );
        page.across(&records.of(&[("calls", "")]), &["operation", "by"], "size", &median("us"));
        let one_by_one = records.of(&[("calls", ONE_BY_ONE)]);
        if !one_by_one.is_empty() {
            page.text("100 rows and columns, calls one by one, by the GPU's clock:");
        }
        page.list(
            &one_by_one,
            &["operation", "by"],
            &[("µs", &median("us")), ("least", &median("least")), ("most", &median("greatest"))],
        );
        page
    }
}

/// What the paper has is there for some operations and sizes, and its launches are given for these.
fn race(bench: &Bench, operation: &Operation, size: (usize, usize), calls: usize) -> Result<()> {
    let published = operation.2.filter(|_| size.0 == size.1);
    let each = Calls::of(operation, size, calls)?;
    let program = Calls::of(operation, size, CALLS_OF_PROGRAM * calls)?;
    let keep = |of: &Calls, by, run| bench.records().push(of.record(by).ran(run));
    let paper = published.zip(SIZES.iter().position(|&n| n == size.0));
    if let Some(((means, _), at)) = paper {
        keep(&each, PAPER, vec![("us", means[at])]);
    }
    let (mut host, mut machines) = (Host::new(), Vec::new());
    let mut contenders = Vec::new();
    if let Some(gpu) = bench.gpu_if_any() {
        let printed = published.map(|_| PRINTED);
        for by in printed.into_iter().chain([A_LAUNCH_EACH]) {
            machines.push((by, machine(gpu, by)?));
        }
        for (by, machine) in &mut machines {
            contenders.push(each.contender(by, each.task.on(machine)?, || gpu.synchronize()));
        }
        contenders.push(program.contender("GPU, in a program", program.task.load(gpu)?, || Ok(())));
    }
    if bench.on_cpu() {
        contenders.push(each.contender("host, 1 thread", each.task.on(&mut host)?, || Ok(())));
    }
    bench.race(contenders)?;
    if let (Some(gpu), Some(((means, extremes), 0))) = (bench.gpu_if_any(), paper) {
        let one = Calls {
            labels: each.labels.with(&[("calls", &ONE_BY_ONE)]),
            ..Calls::of(operation, size, 1)?
        };
        keep(&one, PAPER, extreme(means[0], extremes));
        for (by, machine) in &mut machines {
            keep(&one, by, one.one_by_one(gpu, machine, calls)?);
        }
    }
    Ok(())
}

fn machine(gpu: &Gpu, by: &str) -> Result<Cuda, StarError> {
    if by == PRINTED { Cuda::as_printed(gpu) } else { Cuda::new(gpu) }
}

fn extreme(mean: f64, [least, greatest]: [f64; 2]) -> Run {
    vec![("us", mean), ("least", least), ("greatest", greatest)]
}

/// `len` bits, by their positions.
fn bits(len: usize, bit: impl Fn(usize) -> bool) -> Result<Slice, StarError> {
    Slice::from_positions(len, (0..len).filter(|&at| bit(at)))
}

fn table(
    (rows, columns): (usize, usize),
    bit: impl Fn(usize, usize) -> bool,
) -> Result<Table, StarError> {
    let mut table = Table::zeros(rows, columns)?;
    for column in 0..columns {
        table.set_col(column, &bits(rows, |row| bit(row, column))?)?;
    }
    Ok(table)
}

/// Many calls, in rounds, each with a call for every position, or less.
struct Calls {
    labels: Record,
    n: usize,
    task: Task,
    /// What they leave in which argument.
    left: [(&'static str, Value); 4],
}

impl Calls {
    fn of(&(name, call, _): &Operation, size: (usize, usize), n: usize) -> Result<Self> {
        let (rows, columns) = size;
        let turns = match name {
            "ROW, read" | "ROW, write" | "STEP" => n.min(rows),
            "COL, read" | "COL, write" => n.min(columns),
            _ => n,
        };
        let rounds = n.div_ceil(turns);
        let before = if name == "STEP" { "SET(Z)" } else { "" };
        let text = format!(
            "proc CALLS(var A: table; X, Y, L, E: slice(A); v: word(A);
                        var Z: slice(A); var w: word(A); var i: integer);
             var r, k: integer;
             begin
               for r := 1 to {rounds} do
               begin {before}; for k := 0 to {turns} - 1 do {call} end
             end;"
        );
        // each bit is a draw of its own
        let bit = |of: u64, at: usize| Draws::new(of << 40 | at as u64).word() & 1 == 1;
        let (x, y, v) = (|i| bit(0, i), |i| bit(1, i), |j| bit(2, j));
        let a = |i: usize, j: usize| bit(3, i * columns + j);
        let (mut t, mut z, mut w, mut i) =
            (table(size, a)?, Slice::zeros(rows)?, Word::zeros(columns)?, None);
        let slices = [bits(rows, x)?, bits(rows, y)?, bits(rows, |i| i == rows - 1)?, z.clone()];
        let values = [Value::Table(t.clone())].into_iter().chain(slices.map(Value::Slice));
        let words = [bits(columns, v)?.into_word()].map(Value::Word);
        let results = [Value::Slice(z.clone()), Value::Word(w.clone()), Value::Int(i)];
        let task = Task::new(&text, values.chain(words).chain(results), CountFrom::Zero)?;
        match name {
            "ROW, read" => w = bits(columns, |j| a(turns - 1, j))?.into_word(),
            "ROW, write" => t = table(size, |i, j| if i < turns { v(j) } else { a(i, j) })?,
            "OR" => z = bits(rows, |i| x(i) || y(i))?,
            "FND" => i = Some(rows as u32 - 1),
            "STEP" => (z, i) = (bits(rows, |i| i >= turns)?, Some(turns as u32 - 1)),
            "COL, read" => z = bits(rows, |i| a(i, turns - 1))?,
            "COL, write" => t = table(size, |i, j| if j < turns { x(i) } else { a(i, j) })?,
            "NUMB" => i = Some((0..rows).filter(|&i| x(i)).count() as u32),
            _ => {}
        }
        let left = [
            ("A", Value::Table(t)),
            ("Z", Value::Slice(z)),
            ("w", Value::Word(w)),
            ("i", Value::Int(i)),
        ];
        let size = if columns == rows { rows.to_string() } else { format!("{rows} rows") };
        let labels = Record::of(&[("operation", &name), ("size", &size)]);
        Ok(Self { labels, n: rounds * turns, task, left })
    }

    fn record(&self, by: &str) -> Record {
        self.labels.clone().with(&[("by", &by)])
    }

    /// That it has left what it was to leave.
    fn check(&self, run: &mut impl Runner) -> Result<()> {
        for (name, value) in &self.left {
            ensure!(run.get(name)? == *value, "it leaves another {name} than it should");
        }
        Ok(())
    }

    /// A contender that makes the calls, and waits until they are done.
    fn contender<'a>(
        &'a self,
        by: &str,
        mut run: impl Runner + 'a,
        wait: impl Fn() -> Result<(), GpuError> + 'a,
    ) -> Contender<'a> {
        Contender::new(self.record(by), move || {
            let (ms, done) = timed(|| run.run().and_then(|()| Ok(wait()?)));
            done?;
            self.check(&mut run)?;
            Ok(vec![("ms", ms), ("us", ms * 1e3 / self.n as f64)])
        })
    }

    /// The mean, the least and the greatest time of several runs, by the GPU's clock; the first run
    /// is left out.
    fn one_by_one(&self, gpu: &Gpu, machine: &mut Cuda, n: usize) -> Result<Run> {
        let (mut run, timer) = (self.task.on(machine)?, gpu.timer()?);
        let mut us = Vec::new();
        for _ in 0..=n {
            timer.start()?;
            run.run()?;
            timer.stop()?;
            us.push(timer.elapsed_ms()? * 1e3);
        }
        self.check(&mut run)?;
        let us = &us[1..];
        let least = us.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = us.iter().copied().fold(0.0, f64::max);
        Ok(extreme(us.iter().sum::<f64>() / n as f64, [least, greatest]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_operation_should_not_leave_is_noticed() {
        let calls = OPERATIONS.map(|operation| Calls::of(&operation, (70, 70), 30).unwrap());
        for (i, calls_of) in calls.iter().enumerate() {
            for (j, other) in calls.iter().enumerate() {
                let mut host = Host::new();
                let mut run = other.task.on(&mut host).unwrap();
                run.run().unwrap();
                // SOME and an empty turn leave everything
                let is_alike = i == j || (i.min(j), i.max(j)) == (4, 9);
                assert_eq!(calls_of.check(&mut run).is_ok(), is_alike, "{i} {j}");
            }
        }
    }
}
