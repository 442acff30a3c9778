//! Other libraries: the crate cch, and programs around libraries that the workspace does not
//! build.
//!
//! A program is called `PROGRAM GRAPH PAIRS ANSWERS`. All files are words of 32 bits, the lowest
//! byte first. GRAPH has the numbers of vertices and arcs, where the arcs of each vertex begin and
//! the last ones end, their heads, and their weights; PAIRS all sources and then all targets. It
//! prints a line for each figure: a name that this study uses and a number. It writes lists of
//! distances into ANSWERS, and prints a line `answers` with `pairs` or `table` for each. There is
//! one list of pairs for each method by which it found them. A distance of all ones is no path.

use std::fs;

use cch::{Cch, PathQuery};

use super::*;

/// What programs may measure.
const FIGURES: [&str; 11] = [
    "prepare_ms",
    "customize_ms",
    "distance_us",
    "distance_p99_us",
    "path_us",
    "path_p99_us",
    "table_ms",
    "table_1_ms",
    "all_ms",
    "all_1_ms",
    "arcs",
];
/// The distance that is none.
const NO_PATH: u32 = u32::MAX;

/// The crate cch, ordered by inertial flow over the distances from four landmarks.
pub(super) fn with_cch(task: &Task, bench: &Bench) -> Result<Run> {
    let Task { graph, sources, targets, .. } = task;
    let offsets = graph.row_offsets().iter().map(|&offset| offset as u32);
    let (first_out, head) = (offsets.collect(), graph.column_indices().to_vec());
    let other = cch::graph::Graph { first_out, head, weight: graph.weights().to_vec() };
    let prepare = || -> Result<Cch> {
        let [latitude, longitude] = by_landmarks(graph)?;
        let tails: Vec<_> = graph.arcs().map(|(from, ..)| from).collect();
        let n = graph.n_vertices() as u32;
        let order = cch::inertial_order(n, &tails, &other.head, &latitude, &longitude);
        Ok(Cch::build(&other, &order))
    };
    let (prepare_ms, prepared) = timed(|| bench.all.install(prepare));
    let prepared = prepared?;
    let customizer = prepared.customizer();
    let (customize_ms, metric) = second(&bench.all, || customizer.customize(&other.weight));
    let (view, weights) = (prepared.view(), metric.view());
    let mut query = PathQuery::new(&view);
    let (path, found) = task.one_by_one(|source, target| query.path(&weights, source, target));
    task.check_paths(found)?;
    let (table_1_ms, table) =
        second(&bench.one, || cch::distance_matrix(&view, &weights, sources, targets));
    let distance = |found| (found != cch::INF_WEIGHT).then_some(u64::from(found));
    task.check_table(table.into_iter().map(distance))?;
    Ok(vec![
        ("prepare_ms", prepare_ms),
        ("customize_ms", customize_ms),
        ("path_us", path[0]),
        ("path_p99_us", path[1]),
        ("table_1_ms", table_1_ms),
        ("arcs", prepared.cch_arc_count() as f64),
    ])
}

/// Two numbers for each vertex: how much nearer it is to one landmark than to another, of two
/// pairs, each as far as can be from those before.
fn by_landmarks(graph: &Csr<u32>) -> Result<[Vec<f32>; 2]> {
    let mut solver = Solver::new(graph, &Config::default())?;
    let mut from = |landmark| -> Result<Vec<u64>> {
        let found = solver.distances(landmark, Goal::All)?;
        Ok(found.iter().map(Option::unwrap_or_default).collect())
    };
    let mut nearest = from(0)?;
    let mut all = Vec::new();
    for at in 0..4 {
        let farthest = graph.vertices().max_by_key(|&v| nearest[v as usize]).unwrap_or(0);
        let found = from(farthest)?;
        let least = |(old, new): (&u64, &u64)| if at == 0 { *new } else { *old.min(new) };
        nearest = nearest.iter().zip(&found).map(least).collect();
        all.push(found);
    }
    let difference = |a: &[u64], b: &[u64]| -> Vec<f32> {
        a.iter().zip(b).map(|(&a, &b)| a as f32 - b as f32).collect()
    };
    Ok([difference(&all[0], &all[1]), difference(&all[2], &all[3])])
}

/// A program that prepares the graph and answers the pairs.
pub(super) fn program(path: &Path, task: &Task, bench: &Bench) -> Result<Run> {
    let path = fs::canonicalize(path).with_context(|| format!("there is no {}", path.display()))?;
    let scratch = tempfile::tempdir()?;
    let [graph_file, pairs_file, answers_file] =
        ["graph", "pairs", "answers"].map(|name| scratch.path().join(name));
    let graph = &task.graph;
    let numbers = [graph.n_vertices() as u32, graph.n_arcs() as u32];
    let offsets = graph.row_offsets().iter().map(|&offset| offset as u32);
    let arcs = graph.column_indices().iter().chain(graph.weights()).copied();
    write(&graph_file, numbers.into_iter().chain(offsets).chain(arcs))?;
    write(&pairs_file, task.sources.iter().chain(&task.targets).copied())?;
    let mut command = Command::new(path);
    command.args([&graph_file, &pairs_file, &answers_file]);
    command.env("OMP_NUM_THREADS", bench.threads().to_string());
    let (said, _) = output(&mut command, || std::ops::ControlFlow::Continue(()))?;
    let bytes = fs::read(answers_file).context("it wrote no answers")?;
    let words = bytes.chunks_exact(4).map(|word| word.iter().rev());
    let words = words.map(|word| word.fold(0, |all, &byte| all << 8 | u32::from(byte)));
    let mut answers = words.map(|word| (word != NO_PATH).then_some(u64::from(word)));
    let mut run = Run::new();
    for line in said.lines() {
        match line.split_once(' ') {
            Some(("answers", "pairs")) => {
                task.check_pairs(answers.by_ref().take(task.sources.len()))?;
            }
            Some(("answers", "table")) => {
                task.check_table(answers.by_ref().take(task.table.len()))?;
            }
            Some((name, value)) => {
                let name = FIGURES.iter().find(|figure| **figure == name);
                let name = name.with_context(|| format!("no figure is called so: {line}"))?;
                run.push((name, value.parse().with_context(|| line.to_owned())?));
            }
            None => bail!("it printed {line:?}"),
        }
    }
    let answered = |name: &str| said.lines().any(|line| line == format!("answers {name}"));
    let timed = |name: &str| run.iter().any(|figure| figure.0.starts_with(name));
    ensure!(answered("pairs") || !timed("distance") && !timed("path"), "pairs without answers");
    ensure!(answered("table") || !timed("table"), "a table without answers");
    ensure!(!timed("all"), "all distances cannot be verified");
    Ok(run)
}

fn write(path: &Path, words: impl Iterator<Item = u32>) -> Result<()> {
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

// what these start is written for a shell
#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use crate::cli::tests::written;

    /// Three vertices in a row: every distance is that of the numbers, and of pairs the wrong
    /// program says 9.
    #[test]
    fn programs_are_verified_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let graph = path("three.gr");
        std::fs::write(&graph, "p sp 2 2\na 1 2 3\na 2 1 3\n").unwrap();
        let program = |name: &str, script: &str| {
            let text = format!("#!/bin/sh\n{script}\n");
            std::fs::write(path(name), text).unwrap();
            std::fs::set_permissions(path(name), PermissionsExt::from_mode(0o755)).unwrap();
            path(name).display().to_string()
        };
        // 3 where the ends differ, by the parity of their sum
        let right = program(
            "right.sh",
            "set -- $3 $(od -An -v -t u4 -w4 $2)\nout=$1; shift\nfor i in 1 2 3 4; do eval \
             \"a=\\${$i} b=\\${$((i + 4))}\"; printf \"\\\\00$((3 * ((a + b) % 2)))\\0\\0\\0\"; \
             done > $out\necho path_us 1.5\necho answers pairs",
        );
        let wrong = program(
            "wrong.sh",
            "printf '\\011\\0\\0\\0\\011\\0\\0\\0\\011\\0\\0\\0\\011\\0\\0\\0' > $3\necho path_us \
             1.5\necho answers pairs",
        );
        let silent = program("silent.sh", "echo path_us 1 > $3; echo path_us 1");
        let line = format!(
            "roads --graphs {} --pairs 4 --programs {right},{wrong},{silent}",
            graph.display()
        );
        let (summary, records) = written(&line);
        let right = records.find(&[("library", "right")]).unwrap();
        assert_eq!(right.median("path_us"), Some(1.5), "{summary}");
        for says in ["wrong: answer 0 is Some(9)", "silent: pairs without answers"] {
            assert!(summary.contains(says), "{summary}");
        }
        assert!(!summary.contains("| wrong"), "{summary}");
    }
}
