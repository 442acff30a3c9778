//! The study of what `auto` costs somebody who waits: the whole command, from its start until
//! it has ended, beside the other backend and every algorithm of the CPU.
//!
//! The program is started anew for each run, on a file that is in the page cache. Whoever is
//! compared takes turns, and all of them must find distances of the same sum. An algorithm that
//! took twice as long as the backend's own choice when its answer was checked is not timed.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use graph_formats::{Csr, Ids, VertexId, write_csr};
use serde_json::Value;
use sssp::Algorithm;

use crate::folder::{Written, new_folder, write};
use crate::machine::Machine;
use crate::table::{number, table};
use crate::workloads::Workload;

/// The choice is good that takes no more than so many times the best, or so many milliseconds
/// more.
const TIMES: f64 = 1.2;
const MORE_MS: f64 = 20.0;
/// Targets of a table.
const TARGETS: usize = 64;
/// Who takes so many times as long as the choice, and so long besides, is not the best.
const HOPELESS: u32 = 2;
const AT_LEAST: Duration = Duration::from_millis(100);

/// What to measure.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Graphs: rmat-S, grid-K, geometric-S, new-york, delaware, rome99
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "GRAPH",
        default_value = "rmat-20,rmat-22,grid-1024,grid-2048,new-york,rome99"
    )]
    pub graphs: Vec<Workload>,
    /// Sources: one asks for a tree, more for a table
    #[arg(long, value_delimiter = ',', value_name = "N", default_value = "1,8,64")]
    pub sources: Vec<NonZeroUsize>,
    /// Timed runs of each command
    #[arg(long, default_value = "5")]
    pub runs: NonZeroUsize,
    /// Leave out the algorithms of the CPU, but for the one that it chooses
    #[arg(long)]
    pub backends_only: bool,
    /// The program [default: starpath, beside this one]
    #[arg(long, value_name = "FILE")]
    pub starpath: Option<PathBuf>,
    /// Where the folder of this run is made [default: target/bench of the workspace]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The name of that folder [default: date, time and commit]
    #[arg(long)]
    pub name: Option<String>,
}

/// Measures and writes the report, `raw.csv` and `summary.md`, into a new folder, in `beside`
/// unless the options name another.
///
/// # Errors
/// When the program or a graph is missing, a command fails, sums differ, or the folder is there
/// already or cannot be written. Then no folder is left.
pub fn run(options: &Options, beside: &Path) -> Result<Written> {
    let machine = Machine::without_driver();
    let program = match &options.starpath {
        Some(program) => program.clone(),
        None => std::env::current_exe()?.with_file_name("starpath"),
    };
    ensure!(program.is_file(), "there is no program {}; --starpath names it", program.display());
    let out = options.out.as_deref().unwrap_or(beside);
    new_folder(out, options.name.as_deref(), &machine, |folder| {
        let mut lines = Vec::new();
        for &graph in &options.graphs {
            if !graph.is_available() {
                eprintln!("SKIPPED: {graph}: its file is not here");
                continue;
            }
            let task = Task::new(graph, &program, folder)?;
            for &n_sources in &options.sources {
                let line = task
                    .measure(n_sources.get(), options)
                    .with_context(|| format!("{graph}, {n_sources} sources"))?;
                eprintln!("{}", line.cells().join("  "));
                lines.push(line);
            }
            std::fs::remove_dir_all(&task.folder).context("cannot remove the graph")?;
        }
        let summary = summary(&Machine::look(), options.runs.get(), &lines);
        write(&folder.join("raw.csv"), &raw(&lines))?;
        write(&folder.join("summary.md"), &summary)?;
        Ok(summary)
    })
}

/// A graph in a file.
struct Task<'a> {
    workload: Workload,
    program: &'a Path,
    folder: PathBuf,
    /// Vertices that have arcs, evenly spread.
    linked: Vec<VertexId>,
}

/// Who is compared, and how long each run took, in milliseconds.
struct Entry {
    name: String,
    arguments: Vec<String>,
    /// The backend and the algorithm that it came to.
    choice: String,
    times: Vec<f64>,
}

impl Entry {
    fn new(name: &str, arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Self { name: name.to_owned(), arguments, choice: String::new(), times: Vec::new() }
    }

    fn median(&self) -> f64 {
        let mut times = self.times.clone();
        times.sort_unstable_by(f64::total_cmp);
        times[times.len() / 2]
    }
}

/// A graph with so many sources: `auto`, the backends, and the CPU's algorithms.
struct Line {
    workload: Workload,
    n_sources: usize,
    entries: Vec<Entry>,
}

/// What a command said.
struct Answer {
    sum: String,
    choice: String,
}

impl<'a> Task<'a> {
    /// Makes the graph, or reads it, and writes the program's own format.
    fn new(workload: Workload, program: &'a Path, folder: &Path) -> Result<Self> {
        let graph = workload.load()?;
        let folder = folder.join("graph");
        std::fs::create_dir(&folder)?;
        write_csr(folder.join("graph.spg"), &graph, &Ids::FromZero)?;
        Ok(Self { workload, program, folder, linked: linked(&graph) })
    }

    /// So many of the vertices that have arcs, as a file with one a line.
    fn list(&self, name: &str, n: usize) -> Result<String> {
        let path = self.folder.join(name);
        let count = self.linked.len();
        let spread = (0..n).map(|i| self.linked[i * count / n]);
        write(&path, &spread.map(|vertex| format!("{vertex}\n")).collect::<String>())?;
        path.into_os_string().into_string().ok().context("the folder's name is no text")
    }

    fn measure(&self, n_sources: usize, options: &Options) -> Result<Line> {
        let question = match n_sources {
            1 => vec!["--source".to_owned(), self.linked[0].to_string()],
            n => {
                let (sources, targets) = (self.list("sources", n)?, self.list("targets", TARGETS)?);
                vec!["--sources".to_owned(), sources, "--targets".to_owned(), targets]
            }
        };
        let cpu = Entry::new("cpu", &["--backend", "cpu"]);
        let mut candidates =
            vec![Entry::new("auto", &[]), Entry::new("cuda", &["--backend", "cuda"])];
        if !options.backends_only {
            candidates.extend(Algorithm::ALL.into_iter().map(|algorithm| {
                let name = algorithm.name();
                Entry::new(name, &["--backend", "cpu", "--algorithm", name])
            }));
        }
        let start = Instant::now();
        let first = answer(self.start(&cpu, &question)?)?;
        let patience = start.elapsed() * HOPELESS + AT_LEAST;
        let mut entries = vec![Entry { choice: first.choice, ..cpu }];
        for mut entry in candidates {
            let may_fail = entry.name == "cuda";
            let is_one_of_many = !may_fail && entry.name != "auto";
            let mut child = self.start(&entry, &question)?;
            if is_one_of_many && !ends_within(&mut child, patience)? {
                continue;
            }
            let found = match answer(child) {
                Err(error) if may_fail => {
                    eprintln!("SKIPPED: {}: {error:#}", entry.name);
                    continue;
                }
                found => found?,
            };
            let (sum, name) = (&found.sum, &entry.name);
            ensure!(*sum == first.sum, "the sum of {name} is {sum}, that of cpu {}", first.sum);
            entry.choice = found.choice;
            entries.push(entry);
        }
        for _ in 0..options.runs.get() {
            for entry in &mut entries {
                let start = Instant::now();
                let found = answer(self.start(entry, &question)?)?;
                entry.times.push(start.elapsed().as_secs_f64() * 1e3);
                ensure!(found.sum == first.sum, "{} found another sum", entry.name);
            }
        }
        Ok(Line { workload: self.workload, n_sources, entries })
    }

    fn start(&self, entry: &Entry, question: &[String]) -> Result<Child> {
        let mut command = Command::new(self.program);
        command.arg("sssp").arg(self.folder.join("graph.spg")).args(["--json", "--quiet"]);
        command.args(question).args(&entry.arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().with_context(|| format!("cannot start {}", self.program.display()))
    }
}

/// Up to some thousands of vertices that have arcs.
fn linked(graph: &Csr<u32>) -> Vec<VertexId> {
    let linked: Vec<_> = graph.vertices().filter(|&v| graph.out_degree(v) > 0).collect();
    let step = linked.len().div_ceil(1 << 14).max(1);
    linked.into_iter().step_by(step).collect()
}

/// Waits for a command, and reads what it reports.
fn answer(child: Child) -> Result<Answer> {
    let output = child.wait_with_output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let report: Value = serde_json::from_slice(&output.stdout).context("it is no report")?;
    let field = |name: &str| {
        let value = report.get(name).with_context(|| format!("the report has no {name}"))?;
        Ok::<_, anyhow::Error>(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    let choice = format!("{} {}", field("backend")?, field("algorithm")?);
    Ok(Answer { sum: field("distance_sum")?, choice })
}

/// Whether a command ends by then; it is ended otherwise.
fn ends_within(child: &mut Child, limit: Duration) -> Result<bool> {
    let start = Instant::now();
    while start.elapsed() < limit {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill()?;
    child.wait()?;
    Ok(false)
}

/// Whether `ms` is as good as `best`, or nearly.
fn is_good(ms: f64, best: f64) -> bool {
    ms <= TIMES * best || ms <= best + MORE_MS
}

impl Line {
    fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    fn median(&self, name: &str) -> Option<f64> {
        self.find(name).map(Entry::median)
    }

    /// The quickest of the CPU's algorithms.
    fn best_on_cpu(&self) -> Option<&Entry> {
        let others = |entry: &&Entry| !["auto", "cuda"].contains(&entry.name.as_str());
        self.entries.iter().filter(others).min_by(|a, b| a.median().total_cmp(&b.median()))
    }

    /// `auto` over the better backend, and whether that is good.
    fn against_backends(&self) -> (f64, bool) {
        let best = ["cpu", "cuda"].iter().filter_map(|name| self.median(name));
        compared(self.median("auto"), best.min_by(f64::total_cmp))
    }

    /// The CPU's choice over its best algorithm, and whether that is good.
    fn against_algorithms(&self) -> (f64, bool) {
        compared(self.median("cpu"), self.best_on_cpu().map(Entry::median))
    }

    fn cells(&self) -> Vec<String> {
        let choice = |name: &str| self.find(name).map_or("-", |entry| &entry.choice).to_owned();
        let verdict = |(ratio, good): (f64, bool)| {
            format!("{ratio:.2}{}", if good { "" } else { " too long" })
        };
        vec![
            self.workload.to_string(),
            self.n_sources.to_string(),
            choice("auto"),
            self.best_on_cpu().map_or("-", |entry| &entry.name).to_owned(),
            number(self.median("auto")),
            number(self.median("cpu")),
            number(self.median("cuda")),
            number(self.best_on_cpu().map(Entry::median)),
            verdict(self.against_backends()),
            verdict(self.against_algorithms()),
        ]
    }
}

fn compared(ms: Option<f64>, best: Option<f64>) -> (f64, bool) {
    let (ms, best) = (ms.unwrap_or(f64::NAN), best.unwrap_or(f64::NAN));
    (ms / best, is_good(ms, best))
}

fn summary(machine: &Machine, n_runs: usize, lines: &[Line]) -> String {
    let headings = [
        "graph",
        "sources",
        "auto chose",
        "best on the CPU",
        "auto ms",
        "cpu ms",
        "cuda ms",
        "best on the CPU ms",
        "auto / better backend",
        "cpu / best on the CPU",
    ];
    let rows: Vec<_> = lines.iter().map(Line::cells).collect();
    let good = |of: fn(&Line) -> (f64, bool)| lines.iter().filter(|line| of(line).1).count();
    format!(
        "# What a command takes\n\n{}\nFrom the start of the program until it has ended, medians \
         of {n_runs} runs in turns, the graph's file (.spg) in the page cache, kernels compiled \
         before; all answers of a row have the same sum of distances. One source: a tree. More: \
         a table with {TARGETS} targets. Good is within {TIMES} of the best, or within \
         {MORE_MS} ms of it.\n\nOf {} rows, auto is good beside the better backend in {}, and \
         the CPU's choice beside its best algorithm in {}.\n\n{}",
        machine.markdown(),
        lines.len(),
        good(Line::against_backends),
        good(Line::against_algorithms),
        table(4, &headings, &rows),
    )
}

fn raw(lines: &[Line]) -> String {
    let mut csv = "graph,sources,command,choice,run,ms\n".to_owned();
    for Line { workload, n_sources, entries } in lines {
        for Entry { name, choice, times, .. } in entries {
            for (run, ms) in (1..).zip(times) {
                let _ = writeln!(csv, "{workload},{n_sources},{name},{choice},{run},{ms:.3}");
            }
        }
    }
    csv
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(times: &[(&str, f64)]) -> Line {
        let entries = times
            .iter()
            .map(|&(name, ms)| Entry { times: vec![ms, 9e9, ms], ..Entry::new(name, &[]) })
            .collect();
        Line { workload: Workload::Rome99, n_sources: 1, entries }
    }

    #[test]
    fn choices_are_judged() {
        let gpu = line(&[("cpu", 900.0), ("auto", 460.0), ("cuda", 400.0), ("dijkstra", 700.0)]);
        assert_eq!(gpu.against_backends(), (1.15, true));
        assert!(!gpu.against_algorithms().1);
        assert_eq!(gpu.cells()[9], "1.29 too long");
        let small = line(&[("cpu", 3.0), ("auto", 22.0), ("dijkstra", 2.0)]);
        assert!(small.against_backends().1, "20 ms are nothing");
        assert_eq!(small.best_on_cpu().unwrap().name, "dijkstra");
        assert!(!line(&[("cpu", 3.0), ("auto", 24.0)]).against_backends().1);
        assert_eq!(raw(&[small]).lines().count(), 1 + 9);
    }
}
