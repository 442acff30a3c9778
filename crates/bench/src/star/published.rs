//! The paper's Table 2 again: its procedures at its sizes, beside what stands for its
//! sequential program, and the blocked form.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use anyhow::{Result, ensure};
use closure::{Algorithm, Times};
use gpu_runtime::Gpu;
use paths::Closure;
use rayon::ThreadPool;
use serde::Serialize;
use star_machine::{Counting, Host, Machine, Table, Warshall, procedures};

use super::Options;
use super::measure::{
    Contender, Line, Solved, in_turns, ms_since, on_gpu, on_host, warshall_on_gpu,
};
use super::problem::Problem;
use crate::table::{digits, median, table};

/// The three loops on bytes.
const SEQUENTIAL: &str = "sequential";

/// Vertices of the paper's digraphs.
const VERTICES: [usize; 5] = [1000, 2000, 3000, 4000, 5000];

/// Vertices of the digraph that unions are counted on by a machine too.
const SMALL: usize = 150;

/// The procedures on a digraph.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Published {
    /// Unions of columns that WARSHALL-C does.
    pub(super) column_unions: u64,
    pub(super) lines: Vec<Line>,
}

pub(super) fn measure(
    gpu: Option<&Gpu>,
    options: &Options,
    pool: &ThreadPool,
) -> Result<Vec<Published>> {
    let mut all = Vec::new();
    for &degree in &options.degrees {
        check_column_unions(degree)?;
        for n in &options.paper_sizes {
            let problem = Problem::random(n.get(), degree)?;
            let lines = of(&problem, gpu, options, pool)?;
            all.push(Published { column_unions: problem.column_unions(), lines });
        }
    }
    Ok(all)
}

fn of(
    problem: &Problem,
    gpu: Option<&Gpu>,
    options: &Options,
    pool: &ThreadPool,
) -> Result<Vec<Line>> {
    let runs = options.runs.get();
    let mut lines = Vec::new();
    if problem.n <= options.host_up_to {
        let slow = vec![sequential(), on_machine()];
        lines.extend(in_turns(problem, slow, 0, 1)?);
    }
    lines.extend(in_turns(problem, vec![on_host(pool, Algorithm::Blocked)], 1, runs)?);
    if let Some(gpu) = gpu {
        let slow = vec![warshall_on_gpu(gpu, Warshall::Columns)];
        lines.extend(in_turns(problem, slow, 0, 1)?);
        let fast = vec![warshall_on_gpu(gpu, Warshall::Adapted), on_gpu(gpu, Algorithm::Blocked)];
        lines.extend(in_turns(problem, fast, 1, runs)?);
    }
    Ok(lines)
}

/// The three loops as any textbook prints them, on bytes, with nothing but what the compiler
/// makes of the innermost.
fn sequential() -> Contender<'static> {
    let solve = |problem: &Problem| {
        let n = problem.n;
        let mut matrix = vec![0u8; n * n];
        for (u, v, _) in problem.graph.arcs() {
            matrix[u as usize * n + v as usize] = 1;
        }
        let start = std::time::Instant::now();
        for k in 0..n {
            let of_pivot = matrix[k * n..][..n].to_vec();
            for row in matrix.chunks_exact_mut(n) {
                let first = row[k];
                for (bit, &second) in row.iter_mut().zip(&of_pivot) {
                    *bit |= first & second;
                }
            }
        }
        let times = Times { solve_ms: ms_since(start), ..Times::default() };
        let ones = (0..n * n).filter(|&at| matrix[at] == 1);
        Ok(solved(n, ones.map(|at| (at / n, at % n)), times))
    };
    Contender { method: SEQUENTIAL, on: "1 thread".to_owned(), solve: Box::new(solve) }
}

/// WARSHALL-C on the host's machine, the table loaded.
pub(super) fn on_machine() -> Contender<'static> {
    let solve = |problem: &Problem| {
        let n = problem.n;
        let mut m = Host::new();
        let p = m.load_table(&matrix(problem)?)?;
        let start = std::time::Instant::now();
        procedures::warshall_columns(&mut m, p, 0..n)?;
        let times = Times { solve_ms: ms_since(start), ..Times::default() };
        let table = m.table_value(p)?;
        let columns = (0..n).map(|v| table.col(v)).collect::<Result<Vec<_>, _>>()?;
        let ones = columns
            .iter()
            .enumerate()
            .flat_map(|(v, column)| column.positions().map(move |u| (u, v)));
        Ok(solved(n, ones, times))
    };
    let method = Warshall::Columns.name();
    Contender { method, on: "1 thread".to_owned(), solve: Box::new(solve) }
}

fn solved(n: usize, pairs: impl Iterator<Item = (usize, usize)>, times: Times) -> Solved {
    let mut closure = Closure::without_pairs(n);
    pairs.for_each(|(u, v)| closure.insert(u as u32, v as u32));
    Solved { closure, times, launches: 0, plan: None }
}

/// That what is counted for the tables is what the counting machine counts, on small digraphs.
fn check_column_unions(degree: f64) -> Result<()> {
    let problem = Problem::random(SMALL, degree)?;
    let mut m = Counting::new(Host::new());
    let p = m.load_table(&matrix(&problem)?)?;
    procedures::warshall_columns(&mut m, p, 0..SMALL)?;
    let (counted, expected) = (m.cost().column_writes, problem.column_unions());
    ensure!(counted == expected, "WARSHALL-C does {counted} unions of columns, not {expected}");
    Ok(())
}

/// Row u has the heads of the arcs from u.
pub(super) fn matrix(problem: &Problem) -> Result<Table> {
    let mut table = Table::zeros(problem.n, problem.n)?;
    for (u, v, _) in problem.graph.arcs() {
        table.set(u as usize, v as usize, true)?;
    }
    Ok(table)
}

/// A table for each density, a column for each size.
pub(super) fn section(all: &[Published]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\n## The paper's closures, seconds (Table 2)\n\nIts sequential program and ours are \
         three loops on bytes on one thread; ours is as the compiler makes it, with vectors. The \
         host's WARSHALL-C is on the machine of this project, one thread. On the GPU by its own \
         clock. Numbers of column ORs were counted by the counting machine on small digraphs \
         too. The paper gives no density.\n",
    );
    for group in all.chunk_by(|a, b| a.lines[0].degree == b.lines[0].degree) {
        text += &format!("\n{} arcs a vertex:\n\n{}", group[0].lines[0].degree, by_size(group));
    }
    text
}

fn by_size(group: &[Published]) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut add = |name: &str, value: &dyn Fn(&Published) -> Option<f64>| {
        if group.iter().any(|of| value(of).is_some()) {
            let cells = group.iter().map(|of| digits(value(of)));
            rows.push([name.to_owned()].into_iter().chain(cells).collect());
        }
    };
    let seconds = |of: &Published, method: &str, on_gpu: bool| {
        let is_it = |line: &&Line| line.method == method && (line.on == "GPU") == on_gpu;
        Some(median(&of.lines.iter().find(is_it)?.solve_ms)? / 1e3)
    };
    let columns = Warshall::Columns.name();
    let adapt = Warshall::Adapted.name();
    let blocked = Algorithm::Blocked.name();
    let said = |row| move |of: &Published| paper_seconds(row, of.lines[0].n_vertices);
    let per_union = |of: &Published, on_gpu| {
        Some(seconds(of, columns, on_gpu)? * 1e6 / of.column_unions as f64)
    };
    add("column ORs, millions", &|of| Some(of.column_unions as f64 / 1e6));
    add("sequential, the paper", &said(Row::Sequential));
    add("sequential, host", &|of| seconds(of, SEQUENTIAL, false));
    add("WARSHALL-C, the paper", &said(Row::Columns));
    add("WARSHALL-C, interpreted on the GPU", &|of| seconds(of, columns, true));
    add("the same, µs a column OR", &|of| per_union(of, true));
    add("WARSHALL-C, host", &|of| seconds(of, columns, false));
    add("the same, µs a column OR", &|of| per_union(of, false));
    add("WARSHALL-adapt, the paper", &said(Row::Adapted));
    let ms = |of: &Published, method, on_gpu| seconds(of, method, on_gpu).map(|s| s * 1e3);
    add("WARSHALL-adapt, GPU, **ms**", &|of| ms(of, adapt, true));
    add("blocked, GPU, **ms**", &|of| ms(of, blocked, true));
    add("blocked, all threads, **ms**", &|of| ms(of, blocked, false));
    let sizes: Vec<String> =
        group.iter().map(|of| format!("n = {}", of.lines[0].n_vertices)).collect();
    let headings: Vec<&str> = [""].into_iter().chain(sizes.iter().map(String::as_str)).collect();
    table(1, &headings, &rows)
}

/// A row of the paper's table.
#[derive(Clone, Copy)]
pub(super) enum Row {
    Sequential,
    Columns,
    Adapted,
}

/// What the paper measured on a Tesla K40: seconds.
pub(super) fn paper_seconds(closure: Row, n: usize) -> Option<f64> {
    let times = match closure {
        Row::Sequential => [8.037, 59.812, 197.111, 461.785, 884.622],
        Row::Columns => [4.827, 11.161, 23.363, 42.661, 64.454],
        Row::Adapted => [0.003, 0.027, 0.093, 0.236, 0.372],
    };
    Some(times[VERTICES.iter().position(|&size| size == n)?])
}
