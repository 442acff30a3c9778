//! What `auto` costs somebody who waits: the whole command, from its start until it has ended,
//! beside the other backend and every algorithm of the CPU.
//!
//! The program is started anew for each run, on a file that is in the page cache. Whoever is
//! compared takes turns, and all of them must find distances of the same sum. An algorithm that
//! takes twice as long as the quickest in its first run is not timed.

use std::fmt::Display;
use std::fs::write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;
use graph_formats::{Ids, VertexId, write_csr};
use serde_json::Value;
use sssp::Algorithm;

use crate::clock::{Contender, Excuse, Terms};
use crate::graphs::{Graph, at_hand};
use crate::page::{Figure, Page, least};
use crate::programs::output;
use crate::records::{Record, Records};
use crate::study::{Bench, Study};

const GRAPHS: &str = "rmat-20,rmat-22,grid-1024,grid-2048,new-york,rome99";
/// What is compared with what: auto with the better backend, the CPU's own choice with its best.
const PAIRS: [[&str; 2]; 2] = [["auto", "backend"], ["own", "best"]];
/// The choice is good that takes no more than so many times the best, or so many milliseconds
/// more.
const TIMES: f64 = 1.2;
const MORE_MS: f64 = 20.0;
/// Targets of a table.
const TARGETS: usize = 64;
/// Who takes so many times as long as the choice is not the best.
const HOPELESS: f64 = 2.0;

/// Sum of distances, choice, milliseconds.
type Answer = (String, String, f64);

/// What the program's auto costs: whole commands, beside each backend and algorithm
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "All answers of a row must have the same sum of distances.\n\nExamples:\n  \
                        cargo xtask bench choice\n  \
                        cargo xtask bench choice --graphs rmat-20,rome99 --sources 1 --runs 9"
)]
pub(super) struct Choice {
    /// Graphs by name or file
    #[arg(long, value_delimiter = ',', value_name = "GRAPH", default_value = GRAPHS)]
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
                let question = question(folder.path(), &linked, n_sources)?;
                self.race(bench, &graph, n_sources, |more| ask(bench, &program, &question, more))
                    .with_context(|| format!("{graph}, {n_sources} sources"))?;
            }
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut rows = Records::default();
        for (graph, of) in records.having("command").by("graph") {
            for (sources, of) in of.by("sources") {
                rows.push(row(&of).with(&[("graph", &graph), ("sources", &sources)]));
            }
        }
        let good = |label| rows.iter().filter(|row| is_good(row, label)).count();
        let mut page = Page::new("What a command takes");
        page.text(&format!(
            "From the start of the program until it has ended, medians of runs in turns, the \
             graph's file (.spg) in the page cache, kernels compiled before; all answers of a row \
             have the same sum of distances. One source: a tree. More: a table with {TARGETS} \
             targets. Good is within {TIMES} of the best, or within {MORE_MS} ms of it. Of {} \
             rows, auto is good beside the better backend in {}, and the CPU's choice beside its \
             best algorithm in {}.",
            rows.iter().count(),
            good(PAIRS[0]),
            good(PAIRS[1])
        ));
        let over = |row: &Record, [ms, best]: [&str; 2]| Some(row.least(ms)? / row.least(best)?);
        let columns: [(&str, Figure<'_>); 6] = [
            ("auto ms", &least("auto")),
            ("cpu ms", &least("cpu")),
            ("cuda ms", &least("cuda")),
            ("best on the CPU ms", &least("best")),
            ("auto / better backend", &|row| over(row, PAIRS[0])),
            ("cpu / best on the CPU", &|row| over(row, PAIRS[1])),
        ];
        page.list(
            &rows,
            &["graph", "sources", "auto chose", "best on the CPU", "too long"],
            &columns,
        );
        page
    }
}

/// Medians of the commands for a graph and sources, and what is too long of them.
fn row(of: &Records) -> Record {
    let find = |among: &str, name: &str| of.find(&[("among", among), ("command", name)]);
    let median = |name: &str| find("backends", name)?.median("ms");
    let algorithms = of.of(&[("among", "algorithms")]);
    let timed = algorithms.iter().filter_map(|r| Some((r.label("command"), r.median("ms")?)));
    let best = timed.min_by(|a, b| a.1.total_cmp(&b.1));
    let [auto, cpu, cuda] = ["auto", "cpu", "cuda"].map(median);
    let own = find("algorithms", "cpu").and_then(|record| record.median("ms"));
    let backend = cpu.into_iter().chain(cuda).reduce(f64::min);
    let figures = [("auto", auto), ("cpu", cpu), ("cuda", cuda), ("backend", backend)];
    let figures = figures.into_iter().chain([("own", own), ("best", best.map(|best| best.1))]);
    let chose = find("backends", "auto").map_or("", |record| record.label("chose"));
    let row = Record::of(&[("auto chose", &chose), ("best on the CPU", &best.map_or("", |b| b.0))]);
    let row = row.ran(figures.filter_map(|(name, ms)| Some((name, ms?))).collect());
    let slow = PAIRS.into_iter().filter(|pair| !is_good(&row, *pair));
    let slow: Vec<&str> = slow.map(|pair| if pair == PAIRS[0] { "auto" } else { "cpu" }).collect();
    row.with(&[("too long", &slow.join(" and "))])
}

/// Whether one time is as good as another, or nearly.
fn is_good(row: &Record, [ms, best]: [&str; 2]) -> bool {
    let times = row.least(ms).zip(row.least(best));
    times.is_some_and(|(ms, best)| ms <= TIMES * best || ms <= best + MORE_MS)
}

/// The arguments of a command, but for its backend and algorithm. Sources and targets are spread
/// evenly over the vertices that have arcs.
fn question(folder: &Path, linked: &[VertexId], n: usize) -> Result<Vec<String>> {
    let list = |name: &str, n: usize| -> Result<String> {
        let path = folder.join(name);
        let spread = (0..n).map(|i| format!("{}\n", linked[i * linked.len() / n]));
        write(&path, spread.collect::<String>())?;
        Ok(path.display().to_string())
    };
    let graph = folder.join("graph.spg").display().to_string();
    let (sources, targets) = (list("sources", n)?, list("targets", TARGETS)?);
    let first = linked[0].to_string();
    let rest = match n {
        1 => vec!["--source", &first],
        _ => vec!["--sources", &sources, "--targets", &targets],
    };
    let all = ["sssp", &graph, "--json", "--quiet"].into_iter().chain(rest);
    Ok(all.map(str::to_owned).collect())
}

/// The sum of the distances, what was chosen, and how long it all took.
fn ask(bench: &Bench, program: &Path, question: &[String], more: &[&str]) -> Result<Answer> {
    let ask = bench.progress();
    let (said, ms) = output(Command::new(program).args(question).args(more), || ask(0, 0))?;
    let report: Value = serde_json::from_str(&said).context("it is no report")?;
    let field = |name: &str| {
        let value = report.get(name).with_context(|| format!("the report has no {name}"))?;
        Ok::<_, anyhow::Error>(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    let chose = format!("{} {}", field("backend")?, field("algorithm")?);
    Ok((field("distance_sum")?, chose, ms))
}

impl Choice {
    /// Auto beside the backends, and then the CPU's choice beside its algorithms.
    fn race(
        &self,
        bench: &Bench,
        graph: &Graph,
        n: usize,
        ask: impl Fn(&[&str]) -> Result<Answer>,
    ) -> Result<()> {
        let expected = ask(&["--backend", "cpu"])?.0;
        let chose = ask(&[])?.1;
        let contender = |name: &'static str, arguments: Vec<&'static str>, among: &str| {
            let own = if name == "auto" { chose.as_str() } else { "" };
            let labels: [(&str, &dyn Display); 5] = [
                ("graph", graph),
                ("sources", &n),
                ("among", &among),
                ("command", &name),
                ("chose", &own),
            ];
            let (ask, expected) = (&ask, &expected);
            Contender::new(Record::of(&labels), move || {
                let (sum, _, ms) = ask(&arguments).map_err(|error| match name {
                    // a machine without a GPU, or a build that does not use it
                    "cuda" => Excuse(format!("{error:#}")).into(),
                    _ => error,
                })?;
                ensure!(sum == *expected, "the sum of {name} is {sum}, that of cpu {expected}");
                Ok(vec![("ms", ms)])
            })
        };
        // whoever waits waits
        let terms = Terms { patience: Duration::from_secs(3600), ..bench.terms() };
        let backend = |name| contender(name, vec!["--backend", name], "backends");
        bench.race_by(
            &terms,
            vec![contender("auto", vec![], "backends"), backend("cpu"), backend("cuda")],
        )?;
        let mut all = vec![contender("cpu", vec!["--backend", "cpu"], "algorithms")];
        if !self.backends_only {
            all.extend(Algorithm::ALL.map(Algorithm::name).map(|name| {
                contender(name, vec!["--backend", "cpu", "--algorithm", name], "algorithms")
            }));
        }
        bench.race_by(&Terms { hopeless: Some(HOPELESS), ..terms }, all).map(drop)
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
        let row = |backends: &[(&str, f64)], algorithms: &[(&str, f64)]| {
            let mut records = Records::default();
            for (among, times) in [("backends", backends), ("algorithms", algorithms)] {
                records.extend(times.iter().map(|(command, ms)| {
                    let record = Record::of(&[("among", &among), ("command", command)]);
                    record.ran(vec![("ms", *ms)])
                }));
            }
            row(&records)
        };
        let backends = [("cpu", 900.0), ("auto", 460.0), ("cuda", 400.0)];
        let gpu = row(&backends, &[("cpu", 900.0), ("dijkstra", 700.0)]);
        assert_eq!((gpu.label("too long"), gpu.label("best on the CPU")), ("cpu", "dijkstra"));
        let few = [("cpu", 3.0), ("dijkstra", 2.0)];
        assert_eq!(
            row(&[("cpu", 3.0), ("auto", 22.0)], &few).label("too long"),
            "",
            "20 ms are nothing"
        );
        assert_eq!(row(&[("cpu", 3.0), ("auto", 24.0)], &few).label("too long"), "auto");
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
        let run = |record: &&Record| !["", "cuda"].contains(&record.label("command"));
        let (timed, all) = (records.iter().filter(run), 2 * (3 + Algorithm::ALL.len()));
        assert_eq!(timed.count(), all);
        assert!(summary.contains("| cpu dial ") && summary.contains("Of 2 rows"), "{summary}");
        assert!(summary.contains("SKIPPED: grid-9, 1, backends, cuda"), "{summary}");
        fake(folder.path(), &format!("*bellman-ford*) echo '{{}}';;\n{right}"));
        assert!(measured_by(&line).is_err(), "an answer that is none");
        let wrong = right.replace("*)", "*dijkstra*)").replace("42", "41");
        fake(folder.path(), &format!("{wrong}\n{right}"));
        let error = format!("{:#}", measured_by(&line).unwrap_err());
        assert!(error.contains("the sum of dijkstra is 41"), "{error}");
    }
}
