//! What `auto` costs somebody who waits: the whole command, from its start until it has ended,
//! beside the other backend and every algorithm of the CPU.
//!
//! The program is started anew for each run, on a file that is in the page cache. Whoever is
//! compared takes turns, and all of them must find distances of the same sum. An algorithm that
//! takes twice as long as the quickest in its first run is not timed.

use std::fs::write;

use graph_formats::{Ids, write_csr};
use serde_json::Value;

use super::*;

const GRAPHS: &str = "rmat-20,rmat-22,grid-1024,grid-2048,new-york,rome99";
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
#[command(after_help = "Example:\n  cargo xtask bench choice --graphs rmat-20,rome99 --sources 1")]
pub(super) struct Choice {
    /// Graphs by name or file
    #[arg(long, value_name = "GRAPH", default_value = GRAPHS)]
    graphs: Vec<Graph>,
    /// Sources: one asks for a tree, more for a table
    #[arg(long, value_name = "N", default_value = "1,8,64")]
    sources: Vec<NonZeroUsize>,
    /// Leave out the algorithms of the CPU, but for the one that it chooses
    #[arg(long)]
    backends_only: bool,
    /// Count arcs, whatever they weigh
    #[arg(long)]
    unweighted: bool,
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
            let csr = if self.unweighted { csr.unweighted() } else { csr };
            let name = format!("{graph}{}", if self.unweighted { ", unweighted" } else { "" });
            write_csr(folder.path().join("graph.spg"), &csr, &Ids::FromZero)?;
            let linked: Vec<_> = csr.vertices().filter(|&v| csr.out_degree(v) > 0).collect();
            for n_sources in self.sources.iter().map(|n| n.get()) {
                let question = question(folder.path(), &linked, n_sources)?;
                let record = Record::of(&[("graph", &name), ("sources", &n_sources)]);
                self.race(bench, &record, |more| ask(bench, &program, &question, more))
                    .with_context(|| format!("{name}, {n_sources} sources"))?;
            }
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let auto = records.of(&[("command", "auto")]);
        let rows: Records = auto.iter().filter_map(|auto| row(auto, records)).collect();
        let n = rows.iter().count();
        let good = |who: &str| rows.iter().filter(|r| !r.label("too long").contains(who)).count();
        let mut page = Page::new("What a command takes");
        page.text(&format!(
            "From the start of the program until it has ended, medians of runs in turns, the \
             graph's file (.spg) in the page cache, kernels compiled before; all answers of a row \
             have the same sum of distances. One source: a tree. More: a table with {TARGETS} \
             targets. Good is within {TIMES} of the best, or within {MORE_MS} ms of it. Of {n} \
             rows, auto is good beside the better backend in {}, and the CPU's choice beside its \
             best algorithm in {}.",
            good("auto"),
            good("cpu")
        ));
        page.records(&rows);
        page
    }
}

/// What auto took beside the better backend, and the CPU's choice beside its best algorithm, on the
/// same graph and sources; and who of them is too long.
fn row(auto: &Record, records: &Records) -> Option<Record> {
    let [graph, sources] = ["graph", "sources"].map(|name| (name, auto.label(name)));
    let among = |among| records.of(&[graph, sources, ("among", among)]);
    let (backends, algorithms) = (among("backends"), among("algorithms"));
    let ms = |of: &Records, command| of.find(&[("command", command)])?.median("ms");
    let (cpu, cuda) = (ms(&backends, "cpu")?, ms(&backends, "cuda"));
    let (best, better) = (algorithms.best(median("ms"))?, cuda.map_or(cpu, |cuda| cpu.min(cuda)));
    let (auto_ms, own_ms) = (auto.median("ms")?, ms(&algorithms, "cpu")?);
    let best_ms = best.median("ms")?;
    let is_long = |ms: f64, best: f64| ms > (TIMES * best).max(best + MORE_MS);
    let long = [("auto", is_long(auto_ms, better)), ("cpu", is_long(own_ms, best_ms))];
    let long: Vec<&str> = long.iter().filter(|who| who.1).map(|who| who.0).collect();
    let mut run = vec![("auto ms", auto_ms), ("cpu ms", cpu)];
    run.extend(cuda.map(|ms| ("cuda ms", ms)));
    run.push(("best on the CPU ms", best_ms));
    run.push(("auto / better backend", auto_ms / better));
    run.push(("cpu / best on the CPU", own_ms / best_ms));
    let record = Record::of(&[("graph", &graph.1), ("sources", &sources.1)]);
    let record = record.with(&[("auto chose", &auto.label("chose"))]);
    let best = best.label("command");
    Some(record.with(&[("best on the CPU", &best), ("too long", &long.join(" and "))]).ran(run))
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
        record: &Record,
        ask: impl Fn(&[&str]) -> Result<Answer>,
    ) -> Result<()> {
        let expected = ask(&["--backend", "cpu"])?.0;
        let chose = ask(&[])?.1;
        let contender = |among: &str, name: &'static str| {
            let arguments = match (among, name) {
                (_, "auto") => Vec::new(),
                ("backends", _) | (_, "cpu") => vec!["--backend", name],
                _ => vec!["--backend", "cpu", "--algorithm", name],
            };
            let record = record.clone().with(&[("among", &among), ("command", &name)]);
            let own = if name == "auto" { chose.as_str() } else { "" };
            let (ask, expected) = (&ask, &expected);
            Contender::new(record.with(&[("chose", &own)]), move || {
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
        let backends = ["auto", "cpu", "cuda"].map(|name| contender("backends", name));
        bench.race_by(&terms, backends.into())?;
        let takes = |it: &Algorithm| self.unweighted || *it != Algorithm::BreadthFirst;
        let more = Algorithm::ALL.into_iter().filter(|it| !self.backends_only && takes(it));
        let more = more.map(Algorithm::name);
        let all = ["cpu"].into_iter().chain(more).map(|name| contender("algorithms", name));
        bench.race_by(&Terms { hopeless: Some(HOPELESS), ..terms }, all.collect()).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::cli::tests::{failed, written};

    #[test]
    fn choices_are_judged() {
        let row = |backends: &[(&str, f64)], algorithms: &[(&str, f64)]| {
            let ran = |among: &'static str| {
                move |(command, ms): &(&str, f64)| {
                    let record = Record::of(&[("among", &among), ("command", command)]);
                    record.ran(vec![("ms", *ms)])
                }
            };
            let backends = backends.iter().map(ran("backends"));
            let all = backends.chain(algorithms.iter().map(ran("algorithms")));
            let records: Records = all.collect();
            let row = row(records.find(&[("command", "auto")]).unwrap(), &records).unwrap();
            [row.label("too long"), row.label("best on the CPU")].map(str::to_owned)
        };
        let backends = [("cpu", 900.0), ("auto", 460.0), ("cuda", 400.0)];
        assert_eq!(row(&backends, &[("cpu", 900.0), ("dijkstra", 700.0)]), ["cpu", "dijkstra"]);
        let few = [("cpu", 3.0), ("dijkstra", 2.0)];
        assert_eq!(row(&[("cpu", 3.0), ("auto", 22.0)], &few)[0], "", "20 ms are nothing");
        assert_eq!(row(&[("cpu", 3.0), ("auto", 24.0)], &few)[0], "auto");
    }

    #[test]
    fn commands_take_turns_and_agree() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("starpath");
        let line = format!("choice --graphs grid-9 --sources 1,8 --starpath {}", program.display());
        // it answers so, and has no GPU
        let fake = |answers: &str| {
            let answers = format!("*cuda*) echo none >&2; exit 1;;\n{answers}");
            write(&program, format!("#!/bin/sh\ncase \"$*\" in\n{answers}\nesac\n")).unwrap();
            std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        };
        let right = r#"*) echo '{"backend": "cpu", "algorithm": "dial", "distance_sum": 42}';;"#;
        fake(right);
        let (summary, records) = written(&line);
        let run = |record: &&Record| !["", "cuda"].contains(&record.label("command"));
        assert_eq!(records.iter().filter(run).count(), 2 * (2 + Algorithm::ALL.len()));
        for says in ["| cpu dial ", "Of 2 rows", "SKIPPED: grid-9, 1, backends, cuda"] {
            assert!(summary.contains(says), "{says} in {summary}");
        }
        fake(&format!("*bellman-ford*) echo '{{}}';;\n{right}"));
        assert!(failed(&line).contains("the report has no"));
        let wrong = right.replace("*)", "*dijkstra*)").replace("42", "41");
        fake(&format!("{wrong}\n{right}"));
        assert!(failed(&line).contains("the sum of dijkstra is 41"));
    }
}
