//! What `auto` costs somebody who waits: the whole command, from its start until it has ended,
//! beside the other backend and every algorithm of the CPU.
//!
//! The program is started anew for each run, on a file that is in the page cache. Whoever is
//! compared takes turns, and all of them must find distances of the same sum. An algorithm that
//! takes twice as long as the backend's own choice in its first run is not timed.

use std::cell::Cell;
use std::fs::write;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use graph_formats::{Ids, VertexId, write_csr};
use serde_json::Value;
use sssp::{Algorithm, SsspError};

use crate::clock::{Contender, Excuse, Terms};
use crate::graphs::{Graph, at_hand};
use crate::page::Page;
use crate::programs::output;
use crate::records::{Record, Records};
use crate::study::{Bench, Study};
use crate::table::number;

/// The choice is good that takes no more than so many times the best, or so many milliseconds
/// more.
const TIMES: f64 = 1.2;
const MORE_MS: f64 = 20.0;
/// Targets of a table.
const TARGETS: usize = 64;
/// Who takes so many times as long as the choice, and so long besides, is not the best.
const HOPELESS: f64 = 2.0;
const AT_LEAST_MS: f64 = 100.0;

/// What the program's auto costs: whole commands, beside each backend and algorithm
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "All answers of a row must have the same sum of distances.\n\nExamples:\n  \
                        cargo xtask bench choice\n  \
                        cargo xtask bench choice --graphs rmat-20,rome99 --sources 1 --runs 9"
)]
pub(super) struct Choice {
    /// Graphs by name or file
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "GRAPH",
        default_value = "rmat-20,rmat-22,grid-1024,grid-2048,new-york,rome99"
    )]
    graphs: Vec<Graph>,
    /// Sources: one asks for a tree, more for a table
    #[arg(long, value_delimiter = ',', value_name = "N", default_value = "1,8,64")]
    sources: Vec<NonZeroUsize>,
    /// Leave out the algorithms of the CPU, but for the one that it chooses
    #[arg(long)]
    backends_only: bool,
    /// The program [default: starpath, beside this one]
    #[arg(long, value_name = "FILE")]
    starpath: Option<PathBuf>,
}

impl Study for Choice {
    const NAME: &'static str = "choice";

    fn measure(&self, bench: &Bench) -> Result<()> {
        let program = match &self.starpath {
            Some(program) => program.clone(),
            None => std::env::current_exe()?.with_file_name("starpath"),
        };
        let is_there = program.is_file();
        ensure!(is_there, "there is no program {}; --starpath names it", program.display());
        for graph in at_hand(bench, self.graphs.clone(), u64::MAX)? {
            let folder = tempfile::tempdir()?;
            let csr = graph.load_u32()?;
            write_csr(folder.path().join("graph.spg"), &csr, &Ids::FromZero)?;
            let linked: Vec<_> = csr.vertices().filter(|&v| csr.out_degree(v) > 0).collect();
            for n_sources in self.sources.iter().map(|n| n.get()) {
                let question = Question::new(&program, folder.path(), &linked, n_sources)?;
                self.race(bench, &graph, n_sources, &question)
                    .with_context(|| format!("{graph}, {n_sources} sources"))?;
            }
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut rows = Vec::new();
        let mut good = [0, 0];
        for (graph, of_graph) in records.by("graph") {
            for (sources, of) in of_graph.by("sources") {
                let find = |name: &str| of.find(&[("command", name)]);
                let median = |name: &str| find(name).and_then(|record| record.median("ms"));
                let on_cpu = of.iter().filter(|r| !["auto", "cuda"].contains(&r.label("command")));
                let timed = on_cpu.filter_map(|r| Some((r.label("command"), r.median("ms")?)));
                let best = timed.min_by(|a, b| a.1.total_cmp(&b.1));
                let best_ms = best.map(|best| best.1);
                let (auto, cpu, cuda) = (median("auto"), median("cpu"), median("cuda"));
                let backend = cpu.into_iter().chain(cuda).reduce(f64::min);
                let pairs = [(auto, backend), (cpu, best_ms)];
                let verdicts = pairs.map(|(ms, best)| verdict(ms, best));
                (0..2).for_each(|i| good[i] += usize::from(verdicts[i].1));
                let chose = find("auto").map_or("-", |record| record.label("chose"));
                let names = [graph, sources, chose, best.map_or("-", |best| best.0)];
                let cells = names.map(str::to_owned).into_iter();
                let cells = cells.chain([auto, cpu, cuda, best_ms].map(number));
                rows.push(cells.chain(verdicts.map(|verdict| verdict.0)).collect::<Vec<_>>());
            }
        }
        let mut page = Page::new("What a command takes");
        page.text(&format!(
            "From the start of the program until it has ended, medians of runs in turns, the \
             graph's file (.spg) in the page cache, kernels compiled before; all answers of a row \
             have the same sum of distances. One source: a tree. More: a table with {TARGETS} \
             targets. Good is within {TIMES} of the best, or within {MORE_MS} ms of it."
        ));
        page.text(&format!(
            "Of {} rows, auto is good beside the better backend in {}, and the CPU's choice \
             beside its best algorithm in {}.",
            rows.len(),
            good[0],
            good[1]
        ));
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
        page.table(4, &headings, &rows);
        page
    }
}

/// One time over the best, in words, and whether that is as good, or nearly.
fn verdict(ms: Option<f64>, best: Option<f64>) -> (String, bool) {
    let Some((ms, best)) = ms.zip(best) else { return ("-".to_owned(), false) };
    let is_good = ms <= TIMES * best || ms <= best + MORE_MS;
    (format!("{:.2}{}", ms / best, if is_good { "" } else { " too long" }), is_good)
}

/// A command, but for its backend and algorithm.
struct Question<'a> {
    program: &'a Path,
    arguments: Vec<String>,
}

impl<'a> Question<'a> {
    /// Sources and targets are spread evenly over the vertices that have arcs.
    fn new(program: &'a Path, folder: &Path, linked: &[VertexId], n: usize) -> Result<Self> {
        let list = |name: &str, n: usize| -> Result<String> {
            let path = folder.join(name);
            let spread = (0..n).map(|i| format!("{}\n", linked[i * linked.len() / n]));
            write(&path, spread.collect::<String>())?;
            Ok(path.display().to_string())
        };
        let graph = folder.join("graph.spg").display().to_string();
        let mut arguments: Vec<String> =
            ["sssp", &graph, "--json", "--quiet"].map(Into::into).into();
        arguments.extend(match n {
            1 => vec!["--source".to_owned(), linked[0].to_string()],
            n => vec![
                "--sources".to_owned(),
                list("sources", n)?,
                "--targets".to_owned(),
                list("targets", TARGETS)?,
            ],
        });
        Ok(Self { program, arguments })
    }

    /// The sum of the distances, what was chosen, and how long it all took; within `limit_ms`.
    fn ask(&self, more: &[&str], limit_ms: f64) -> Result<(String, String, f64)> {
        let start = Instant::now();
        let (said, ms) =
            output(Command::new(self.program).args(&self.arguments).args(more), || {
                match start.elapsed().as_secs_f64() * 1e3 > limit_ms {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            })?;
        let report: Value = serde_json::from_str(&said).context("it is no report")?;
        let field = |name: &str| {
            let value = report.get(name).with_context(|| format!("the report has no {name}"))?;
            Ok::<_, anyhow::Error>(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        };
        let chose = format!("{} {}", field("backend")?, field("algorithm")?);
        Ok((field("distance_sum")?, chose, ms))
    }
}

impl Choice {
    fn race(&self, bench: &Bench, graph: &Graph, n: usize, question: &Question<'_>) -> Result<()> {
        let on_cpu = ["--backend", "cpu"];
        let (expected, ..) = question.ask(&on_cpu, f64::INFINITY)?;
        let mut commands = vec![("cpu", on_cpu.to_vec()), ("auto", vec![])];
        commands.push(("cuda", vec!["--backend", "cuda"]));
        if !self.backends_only {
            let algorithms = Algorithm::ALL.map(Algorithm::name);
            commands.extend(
                algorithms.map(|name| (name, [&on_cpu[..], &["--algorithm", name]].concat())),
            );
        }
        let cpu_ms = Cell::new(f64::INFINITY);
        let mut contenders = Vec::new();
        for (name, arguments) in commands {
            let mut record = Record::of(&[("graph", graph), ("sources", &n), ("command", &name)]);
            if name == "auto" {
                let (_, chose, _) = question.ask(&[], f64::INFINITY)?;
                record = record.with(&[("chose", &chose)]);
            }
            let (expected, cpu_ms) = (&expected, &cpu_ms);
            let mut may_be_hopeless = !["cpu", "auto", "cuda"].contains(&name);
            contenders.push(Contender::new(record, move || {
                let limit_ms = match std::mem::take(&mut may_be_hopeless) {
                    true => cpu_ms.get() * HOPELESS + AT_LEAST_MS,
                    false => f64::INFINITY,
                };
                let answer = question.ask(&arguments, limit_ms);
                let (sum, _, ms) = answer.map_err(|error| match name {
                    // a machine without a GPU, or a build that does not use it
                    "cuda" => Excuse(format!("{error:#}")).into(),
                    _ if error.is::<SsspError>() => Excuse(format!("over {limit_ms:.0} ms")).into(),
                    _ => error,
                })?;
                ensure!(sum == *expected, "the sum of {name} is {sum}, that of cpu {expected}");
                if name == "cpu" {
                    cpu_ms.set(ms.min(cpu_ms.get()));
                }
                Ok(vec![("ms", ms)])
            }));
        }
        // whoever waits waits
        let terms = Terms { patience: Duration::from_secs(3600), ..bench.terms() };
        bench.race_by(&terms, contenders).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::cli::measured_by;

    /// A program that answers so, and has no GPU.
    fn fake(folder: &Path, answers: &str) -> String {
        let path = folder.join("starpath");
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in\n*cuda*) echo none >&2; exit 1;;\n{answers}\nesac\n"
        );
        write(&path, script).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    #[test]
    fn choices_are_judged() {
        assert_eq!(verdict(Some(460.0), Some(400.0)), ("1.15".to_owned(), true));
        assert_eq!(verdict(Some(900.0), Some(700.0)), ("1.29 too long".to_owned(), false));
        assert!(verdict(Some(22.0), Some(3.0)).1, "20 ms are nothing");
        assert!(!verdict(Some(24.0), Some(3.0)).1 && !verdict(None, Some(3.0)).1);
    }

    #[test]
    fn commands_take_turns_and_agree() {
        let folder = tempfile::tempdir().unwrap();
        let right = r#"*) echo '{"backend": "cpu", "algorithm": "dial", "distance_sum": 42}';;"#;
        let line = format!(
            "choice --graphs grid-9 --sources 1,8 --runs 2 --starpath {}",
            fake(folder.path(), right)
        );
        let (records, summary) = measured_by(&line).unwrap();
        let timed = records.iter().filter(|record| record.n_runs() == 2).count();
        assert_eq!(timed, 2 * (2 + Algorithm::ALL.len()));
        assert!(summary.contains("| cpu dial ") && summary.contains("Of 2 rows"), "{summary}");
        assert!(summary.contains("SKIPPED: grid-9, 1, cuda"), "{summary}");
        fake(folder.path(), &format!("*bellman-ford*) echo '{{}}';;\n{right}"));
        assert!(measured_by(&line).is_err(), "an answer that is none");
        let wrong = right.replace("*)", "*dijkstra*)").replace("42", "41");
        fake(folder.path(), &format!("{wrong}\n{right}"));
        let error = format!("{:#}", measured_by(&line).unwrap_err());
        assert!(error.contains("the sum of dijkstra is 41"), "{error}");
    }
}
