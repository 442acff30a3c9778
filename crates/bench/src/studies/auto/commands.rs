//! What the program's choice of a backend costs: the whole command, from its start until it has
//! ended, beside either backend.
//!
//! The program is started anew for each run, on a file that is in the page cache. Commands take
//! turns, and all of them must find distances of the same sum.

use std::fs::write;

use graph_formats::{Ids, write_csr};
use serde_json::Value;

use super::super::*;

/// A choice is good if it takes at most `TIMES` times the best, or at most `MORE_MS` milliseconds
/// more.
const TIMES: f64 = 1.2;
const MORE_MS: f64 = 20.0;
/// Targets of a table.
const TARGETS: usize = 64;

/// Sum of distances, choice, milliseconds.
type Answer = (String, String, f64);

/// On `graph`, a tree from one source, or a table from several.
pub(super) fn race(
    bench: &Bench,
    program: &Path,
    graph: &Graph,
    sources: &[NonZeroUsize],
) -> Result<()> {
    let is_there = program.is_file();
    ensure!(is_there, "there is no program {}; --program names it", program.display());
    let folder = tempfile::tempdir()?;
    let csr = graph.load_u32()?;
    write_csr(folder.path().join("graph.spg"), &csr, &Ids::FromZero)?;
    let linked: Vec<_> = csr.vertices().filter(|&v| csr.out_degree(v) > 0).collect();
    // slow contenders are measured too
    let terms = Terms { patience: Duration::from_secs(3600), ..bench.terms() };
    for n_sources in sources.iter().map(|n| n.get()) {
        let question = question(folder.path(), &linked, n_sources)?;
        let ask = |more: &[&str]| ask(bench, program, &question, more);
        let (expected, chose) = (ask(&["--backend", "cpu"])?.0, ask(&[])?.1);
        let command = |name: &'static str| {
            let labels = Record::of(&[("graph", graph), ("sources", &n_sources)]);
            let (own, backend) = match name {
                "auto" => (chose.as_str(), Vec::new()),
                _ => ("", vec!["--backend", name]),
            };
            let (ask, expected) = (&ask, &expected);
            Contender::new(labels.with(&[("command", &name), ("chose", &own)]), move || {
                let (sum, _, ms) = ask(&backend).map_err(|error| match name {
                    // a machine without a GPU, or a build that does not use it
                    "cuda" => Excuse(format!("{error:#}")).into(),
                    _ => error,
                })?;
                ensure!(sum == *expected, "the sum of {name} is {sum}, that of cpu {expected}");
                Ok(vec![("ms", ms)])
            })
        };
        bench
            .race_by(&terms, ["auto", "cpu", "cuda"].map(command).into())
            .with_context(|| format!("{graph}, {n_sources} sources"))?;
    }
    Ok(())
}

/// What commands took, if there were any.
pub(super) fn section(page: &mut Page, records: &Records) {
    let auto = records.of(&[("command", "auto")]);
    if auto.is_empty() {
        return;
    }
    let rows: Records = auto.iter().filter_map(|auto| row(auto, records)).collect();
    let good = rows.iter().filter(|row| row.label("good") == "yes").count();
    page.heading("Whole commands");
    page.text(&format!(
        "Times from the start of the program to its end: medians of runs in turns, with the \
         graph's file (.spg) in the page cache and the kernels compiled before. All answers of a \
         row have the same sum of distances. One source: a tree. More: a table with {TARGETS} \
         targets. Good is within {TIMES} of the better backend, or within {MORE_MS} ms of it: \
         {good} of {} rows.",
        rows.iter().count(),
    ));
    page.records(&rows);
}

/// What auto took beside the better backend, on the same graph and sources.
fn row(auto: &Record, records: &Records) -> Option<Record> {
    let [graph, sources] = ["graph", "sources"].map(|name| (name, auto.label(name)));
    let ms = |command| records.find(&[graph, sources, ("command", command)])?.median("ms");
    let (auto_ms, cpu, cuda) = (ms("auto")?, ms("cpu")?, ms("cuda"));
    let better = cuda.map_or(cpu, |cuda| cpu.min(cuda));
    let is_good = auto_ms <= (TIMES * better).max(better + MORE_MS);
    let mut run = vec![("auto ms", auto_ms), ("cpu ms", cpu)];
    run.extend(cuda.map(|ms| ("cuda ms", ms)));
    run.push(("auto / better backend", auto_ms / better));
    let record = Record::of(&[("graph", &graph.1), ("sources", &sources.1)]);
    let good = if is_good { "yes" } else { "no" };
    Some(record.with(&[("auto chose", &auto.label("chose")), ("good", &good)]).ran(run))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_judged() {
        let good = |all: &[(&str, f64)]| {
            let ran = |(command, ms): &(&str, f64)| {
                Record::of(&[("command", command)]).ran(vec![("ms", *ms)])
            };
            let records: Records = all.iter().map(ran).collect();
            let auto = records.find(&[("command", "auto")]).unwrap();
            row(auto, &records).unwrap().label("good").to_owned()
        };
        assert_eq!(good(&[("cpu", 900.0), ("auto", 460.0), ("cuda", 400.0)]), "yes");
        assert_eq!(good(&[("cpu", 900.0), ("auto", 490.0), ("cuda", 400.0)]), "no");
        assert_eq!(good(&[("cpu", 3.0), ("auto", 22.0)]), "yes", "20 ms are nothing");
        assert_eq!(good(&[("cpu", 3.0), ("auto", 24.0)]), "no");
    }

    /// The program is written for a shell.
    #[cfg(unix)]
    #[test]
    fn commands_take_turns_and_agree() {
        use std::os::unix::fs::PermissionsExt;

        use crate::cli::tests::{failed, written};

        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("starpath");
        let line = format!("auto --graphs grid-9 --sources 1,8 --program {}", program.display());
        // it answers so, and has no GPU
        let fake = |answers: &str| {
            let answers = format!("*cuda*) echo none >&2; exit 1;;\n{answers}");
            write(&program, format!("#!/bin/sh\ncase \"$*\" in\n{answers}\nesac\n")).unwrap();
            std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        };
        let right = r#"*) echo '{"backend": "cpu", "algorithm": "dial", "distance_sum": 42}';;"#;
        fake(right);
        let (summary, records) = written(&line);
        assert_eq!(records.having("command").iter().count(), 2 * 3);
        for says in ["| cpu dial ", "2 of 2 rows", "SKIPPED: grid-9, 1, cuda"] {
            assert!(summary.contains(says), "{says} in {summary}");
        }
        fake(&format!("*cpu*) echo '{{}}';;\n{right}"));
        assert!(failed(&line).contains("the report has no"));
        let wrong = right.replace("*)", "*cpu*)").replace("42", "41");
        fake(&format!("{wrong}\n{right}"));
        assert!(failed(&line).contains("the sum of auto is 42"));
    }
}
