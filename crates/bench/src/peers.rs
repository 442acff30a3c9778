//! Programs of others, found when the benchmark runs: a folder with a small file of TOML for each
//! says how it is called and how its answer is read. They run beside this project's solvers, and
//! what cannot be verified is not timed.
//!
//! ```toml
//! name = "gapbs"             # in the tables
//! program = "gapbs/sssp"     # beside this file, or a path
//! format = "wsg"             # which graph file it reads: a suffix
//! arguments = ["-f", "{graph}", "-r", "{source}", "-n", "{runs}", "-d", "{delta}", "-a"]
//! deltas = [8, 64]           # one contender each; none where it takes no width
//! time = "Trial Time:"       # stands before each time that it prints
//! unit = "s"                 # or ms, us
//! reached = "Tree reaches"   # stands before how many vertices it reached
//! # sum = "Sum:"             # stands before the sum of the distances, where it prints that
//! ```
//!
//! A program that takes `{distances}` writes a line for each vertex there, in order: the last
//! word is its distance, if it is a number below `unreached`. Sums and counts are believed of
//! programs that tell no more. `{runs}` is how many searches a start is to make (`runs = 2` where
//! nothing is said): the last one counts, and the first one stands beside it; `{threads}` is a number too, and also
//! `OMP_NUM_THREADS`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use graph_formats::{Ids, Weight, write_csr};
use paths::Distances;
use serde::Deserialize;
use sssp::{SearchWeight, SsspError};

use crate::clock::{Contender, Excuse};
use crate::field::Field;
use crate::programs::output;
use crate::records::{Record, Run};
use crate::verify::check;

/// A program of another project.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Peer {
    name: String,
    #[serde(default)]
    program: PathBuf,
    format: String,
    arguments: Vec<String>,
    #[serde(default)]
    deltas: Vec<f64>,
    runs: Option<usize>,
    time: String,
    unit: String,
    reached: Option<String>,
    sum: Option<String>,
    unreached: Option<f64>,
}

/// All that a folder describes, by name.
pub(crate) fn found(folder: &Path) -> Result<Vec<Peer>> {
    let cannot = || format!("cannot read {}", folder.display());
    let mut peers = Vec::new();
    for entry in fs::read_dir(folder).with_context(cannot)? {
        let path = entry.with_context(cannot)?.path();
        if path.extension().is_some_and(|suffix| suffix == "toml") {
            let text = fs::read_to_string(&path)?;
            let mut peer =
                Peer::new(PathBuf::new(), &text).with_context(|| path.display().to_string())?;
            let program = folder.join(&peer.program);
            peer.program = fs::canonicalize(&program)
                .with_context(|| format!("{}: no {}", path.display(), program.display()))?;
            peers.push(peer);
        }
    }
    peers.sort_by(|a, b| a.name.cmp(&b.name));
    ensure!(!peers.is_empty(), "there is no description (.toml) of a peer in {}", folder.display());
    Ok(peers)
}

impl Peer {
    /// One that is called so; the program may be described too.
    pub(crate) fn new(program: PathBuf, description: &str) -> Result<Self> {
        let peer: Self = toml::from_str(description)?;
        Ok(if peer.program.as_os_str().is_empty() { Self { program, ..peer } } else { peer })
    }

    /// One for each width, with the name of a solver; files of theirs go into `scratch`.
    pub(crate) fn contenders<'a, W: SearchWeight>(
        &'a self,
        field: &Field<'a, W>,
        scratch: &'a Path,
        record: impl Fn(&str) -> Option<Record>,
    ) -> Vec<Contender<'a>> {
        let field = *field;
        let widths = self.deltas.iter().map(|delta| (format!("{}/{delta}", self.name), *delta));
        let alone = self.deltas.is_empty().then(|| (self.name.clone(), 0.0));
        let contender = |(name, delta): (String, f64)| {
            let run = move || {
                self.run(&field, scratch, delta).map_err(|error| match error.is::<SsspError>() {
                    true => error,
                    // others' mistakes do not end the report
                    false => Excuse(format!("{error:#}")).into(),
                })
            };
            let record = record(&name)?.with(&[("verified", &self.verified())]);
            Some(Contender::new(record, run))
        };
        widths.chain(alone).filter_map(contender).collect()
    }

    /// What of its answers is compared.
    fn verified(&self) -> &'static str {
        let writes_all = self.arguments.iter().any(|argument| argument.contains("{distances}"));
        match (writes_all, &self.sum, &self.reached) {
            (true, ..) => "every distance",
            (_, Some(_), Some(_)) => "sum and count",
            (_, Some(_), None) => "sum",
            (_, None, Some(_)) => "count",
            (_, None, None) => "nothing",
        }
    }

    fn run<W: SearchWeight>(
        &self,
        field: &Field<'_, W>,
        scratch: &Path,
        delta: f64,
    ) -> Result<Run> {
        let task = field.task;
        ensure!(self.verified() != "nothing", "its answer cannot be verified: it tells none");
        let graph = scratch.join(format!("graph.{}", self.format));
        if !graph.exists() {
            write_csr(&graph, task.graph, &Ids::FromZero)?;
        }
        let distances = scratch.join("distances");
        // an answer of before is none
        let _ = fs::remove_file(&distances);
        let first = u32::from(["gr", "mtx", "graph"].contains(&self.format.as_str()));
        let threads = field.bench.threads().to_string();
        let filled = |argument: &String| {
            let places = [
                ("{graph}", graph.display().to_string()),
                ("{source}", (task.source + first).to_string()),
                ("{runs}", self.runs.unwrap_or(2).to_string()),
                ("{delta}", delta.to_string()),
                ("{threads}", threads.clone()),
                ("{distances}", distances.display().to_string()),
            ];
            places.iter().fold(argument.clone(), |text, (place, value)| text.replace(place, value))
        };
        let mut command = Command::new(&self.program);
        command.args(self.arguments.iter().map(filled)).env("OMP_NUM_THREADS", &threads);
        let (said, _) = output(command.current_dir(scratch), || (field.ask)(0, 0))?;
        let last = |text: &str| {
            let number = numbers(&said, text).last();
            number.with_context(|| format!("it printed no number after {text:?}"))
        };
        if self.verified() == "every distance" {
            let lines = fs::read_to_string(&distances).context("it wrote no distances")?;
            let unreached = self.unreached.unwrap_or(f64::INFINITY);
            let distance = |line: &str| line.split_whitespace().last()?.parse::<f64>().ok();
            let found = lines.lines().map(distance);
            let found = found.map(|it| it.filter(|number| (0.0..unreached).contains(number)));
            check(&task.certified, &found.collect::<Distances<f64>>())?;
        }
        let sum = task.certified.iter().flatten().map(|distance| distance.to_f64()).sum();
        let n_reached = task.certified.n_reached() as f64;
        for (text, expected) in [(&self.sum, sum), (&self.reached, n_reached)] {
            let Some(text) = text else { continue };
            let told = last(text)?;
            ensure!(told == expected, "it is wrong: {text:?} {told} instead of {expected}");
        }
        let unit_ms = match self.unit.as_str() {
            "s" => 1e3,
            "ms" => 1.0,
            "us" => 1e-3,
            unit => bail!("its times are in s, ms or us, not in {unit}"),
        };
        let mut times = vec![("ms", last(&self.time)? * unit_ms)];
        let mut of_searches = numbers(&said, &self.time);
        if let (Some(first), Some(_)) = (of_searches.next(), of_searches.next()) {
            times.push(("first_ms", first * unit_ms));
        }
        Ok(times)
    }
}

/// The numbers that stand after a text.
fn numbers<'a>(said: &'a str, text: &'a str) -> impl Iterator<Item = f64> {
    said.match_indices(text).filter_map(|(at, _)| {
        let rest = said[at + text.len()..].trim_start_matches([' ', '\t', ':', '=']);
        let end = rest.find(|c: char| !c.is_ascii_digit() && !".+-e".contains(c));
        rest[..end.unwrap_or(rest.len())].parse().ok()
    })
}

// what these start is written for a shell
#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::cli::tests::{failed, written};

    /// A program of shell, and what is said of it.
    fn peer(folder: &Path, name: &str, script: &str, answer: &str) {
        let path = folder.join(format!("{name}.sh"));
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        let text = format!(
            "name = \"{name}\"\nprogram = \"{name}.sh\"\nformat = \"wel\"\ntime = \"time\"\n\
             arguments = [\"{{graph}}\", \"{{source}}\", {answer}\nunit = \"ms\"\n"
        );
        fs::write(folder.join(format!("{name}.toml")), text).unwrap();
    }

    #[test]
    fn programs_are_verified_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let all = "\"{distances}\", \"{delta}\"]\ndeltas = [1, 2]";
        let answer =
            |last: &str| format!("printf '0\\n3\\n{last}\\n' > $3; echo time: 2 time: 1.5");
        peer(path, "right", &answer("inf"), all);
        peer(path, "wrong", &answer("9"), all);
        peer(
            path,
            "sums",
            "echo time 1e0 sum = 3, 2 reached",
            "]\nsum = \"sum\"\nreached = \", \"",
        );
        peer(path, "miscounts", "echo time 1 reached 3", "]\nreached = \"reached\"");
        peer(path, "silent", "echo time 1", "]");
        peer(path, "fails", "echo no graph >&2; exit 3", "]\nsum = \"sum\"");
        let graph = path.join("three.gr");
        fs::write(&graph, "p sp 3 1\na 1 2 3\n").unwrap();
        let names = "auto,right,wrong,sums,miscounts,silent,fails";
        let (graph, folder) = (graph.display(), path.display());
        let line = format!("sssp --graphs {graph} --solvers {names} --peers {folder}");
        let (summary, records) = written(&line);
        let timed = |name| records.find(&[("solver", name)]).unwrap().median("ms");
        let right = ["right/1", "right/2", "sums"].map(timed);
        assert_eq!(right, [Some(1.5), Some(1.5), Some(1.0)]);
        for says in [
            "wrong/1, every distance: it is wrong: vertex 2 is 9 instead of unreached",
            "miscounts, count: it is wrong: \"reached\" 3 instead of 2",
            "silent, nothing: its answer cannot be verified",
            "fails.sh failed: no graph",
        ] {
            assert!(summary.contains(says), "{summary}");
        }
        assert!(!summary.contains("| wrong") && !summary.contains("| silent"), "{summary}");
        assert!(failed(&format!("sssp --peers {folder}/none")).contains("cannot read"));
    }
}
