//! `cargo xtask bench outside`: whether a project that depends on `sssp`, built by cargo's default
//! release profile, searches as fast as the program.
//!
//! The project is made in the target folder. Both search the same graphs, one after the other, and
//! have to find the same.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::workspace::{cargo, root, target};

/// What makes the graphs.
const GRAPHS: [(&str, &[&str]); 2] =
    [("grid", &["grid", "--side", "1024"]), ("rmat", &["rmat", "--scale", "18"])];
const ALGORITHMS: [&str; 2] = ["dijkstra", "delta-stepping"];
/// Searches of a run, of which the median counts.
const SEARCHES: &str = "11";
/// Runs of each program, by turns; the median of these counts.
const RUNS: usize = 5;

const MAIN: &str = r#"//! A project as a user of the crates has it.

use std::time::Instant;

use sssp::{Config, Goal, Solver};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let graph = graph_formats::read(&arguments[1])?.csr.into_csr::<u32>()?;
    let threads = std::num::NonZeroUsize::new(1);
    let searches: std::num::NonZeroUsize = arguments[3].parse()?;
    let expected_searches = Some(searches);
    let config = Config { threads, expected_searches, ..Config::with(arguments[2].parse()?) };
    let mut solver = Solver::new(&graph, &config)?;
    let mut times = Vec::new();
    let mut sum = None;
    for _ in 0..searches.get() {
        let start = Instant::now();
        let tree = solver.tree(0, Goal::All)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        sum = Some(tree.distances.sum());
    }
    times.sort_unstable_by(f64::total_cmp);
    println!("{} {}", times[times.len() / 2], sum.ok_or("no search")?);
    Ok(())
}
"#;

pub(crate) fn run() -> Result<()> {
    let folder = target()?.join("outside");
    let project = folder.join("project");
    fs::create_dir_all(project.join("src")).context("cannot make the project")?;
    let dependency = |name: &str, features: &str| {
        format!(
            "{name} = {{ path = {:?}, features = [{features}] }}",
            root().join("crates").join(name)
        )
    };
    let manifest = format!(
        "[package]\nname = \"outside\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\n{}\n{}\n",
        dependency("graph-formats", "\"files\""),
        dependency("sssp", "")
    );
    fs::write(project.join("Cargo.toml"), manifest)?;
    fs::write(project.join("src/main.rs"), MAIN)?;
    fs::copy(root().join("Cargo.lock"), project.join("Cargo.lock"))?;
    let built = folder.join("built");
    succeeds(
        cargo()
            .args(["build", "--release", "--quiet"])
            .current_dir(&project)
            .arg("--target-dir")
            .arg(&built),
    )?;
    succeeds(cargo().args(["build", "--release", "--quiet", "--locked", "--package", "starpath"]))?;
    let (outside, program) = (built.join("release/outside"), target()?.join("release/starpath"));

    println!("{:<24} {:>12} {:>12} {:>7}", "one thread, ms", "program", "outside", "ratio");
    for (name, kind) in GRAPHS {
        let graph = folder.join(name).with_extension("spg");
        succeeds(
            Command::new(&program)
                .args(["generate"])
                .args(kind)
                .args(["--quiet", "-o"])
                .arg(&graph),
        )?;
        for algorithm in ALGORITHMS {
            let (mut inside, mut apart) = (Vec::new(), Vec::new());
            for _ in 0..RUNS {
                let (ms, sum) = by_program(&program, &graph, algorithm)?;
                let (own_ms, own_sum) = by_project(&outside, &graph, algorithm)?;
                ensure!(sum == own_sum, "{name}, {algorithm}: {sum} is not {own_sum}");
                inside.push(ms);
                apart.push(own_ms);
            }
            let (inside, apart) = (median(inside), median(apart));
            let ratio = apart / inside;
            println!(
                "{:<24} {inside:>12.3} {apart:>12.3} {ratio:>7.3}",
                format!("{name}, {algorithm}")
            );
        }
    }
    Ok(())
}

/// The median of its searches, trees included, and the sum of the distances.
fn by_program(program: &Path, graph: &Path, algorithm: &str) -> Result<(f64, String)> {
    let mut command = Command::new(program);
    command.arg("sssp").arg(graph).args(["--source", "0", "--threads", "1", "--json"]);
    let said = output_of(command.args(["--algorithm", algorithm, "--repeat", SEARCHES]))?;
    let report: Value = serde_json::from_str(&said).context("the program's report is not JSON")?;
    let ms = |field: &str| report[field].as_f64().with_context(|| format!("no {field}: {said}"));
    Ok((ms("solve_ms")? + ms("predecessors_ms")?, report["distance_sum"].to_string()))
}

fn by_project(project: &Path, graph: &Path, algorithm: &str) -> Result<(f64, String)> {
    let said = output_of(Command::new(project).arg(graph).args([algorithm, SEARCHES]))?;
    let (ms, sum) = said.trim().split_once(' ').context("expected two numbers")?;
    Ok((ms.parse()?, sum.to_owned()))
}

fn output_of(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    ensure!(output.status.success(), "{command:?} failed");
    Ok(String::from_utf8(output.stdout)?)
}

fn succeeds(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    ensure!(status.success(), "{command:?} failed");
    Ok(())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}
