//! `cargo xtask verify`: everything that must hold before a change lands.
//!
//! The steps run one after the other, each whether or not an earlier one failed, so
//! that one run shows everything.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result};

use crate::artifact::{Artifact, built_by};
use crate::book;
use crate::bundle;
use crate::generated;
use crate::ptx;
use crate::python;
use crate::report::{Outcome, Report, Taken};
use crate::rules;
use crate::shim;
use crate::tests_run;
use crate::units;
use crate::workspace::{Workspace, cargo, root, target};

#[derive(Clone, Debug)]
pub(crate) struct Step {
    name: &'static str,
    promise: &'static str,
    run: fn() -> Result<Outcome>,
}

/// Platforms besides this one, as compilers name them: all systems and processors but not each with
/// each. Their tests run elsewhere.
const PLATFORMS: [&str; 2] = ["aarch64-apple-darwin", "x86_64-pc-windows-gnu"];

const STEPS: [Step; 12] = [
    Step { name: "rules", promise: "the house rules hold", run: house_rules },
    Step { name: "ptx", promise: "the PTX is fresh, and every GPU takes it", run: ptx::check },
    Step { name: "format", promise: "rustfmt would change nothing", run: format },
    Step { name: "clippy", promise: "clippy and the compiler warn of nothing", run: clippy },
    Step {
        name: "platforms",
        promise: "the program and its libraries compile for other platforms",
        run: platforms,
    },
    Step {
        name: "build",
        promise: "all tests link, without a GPU's driver too, fit a bundle, and each crate has its code",
        run: build,
    },
    Step { name: "tests", promise: "unit and integration tests pass, of ranks too", run: tests },
    Step {
        name: "python",
        promise: "the Python package passes its tests and scipy's",
        run: python,
    },
    Step { name: "doc-tests", promise: "the examples in the documentation run", run: doc_tests },
    Step { name: "docs", promise: "rustdoc warns of nothing", run: docs },
    Step {
        name: "book",
        promise: "the documents form a book, without a warning",
        run: book::check,
    },
    Step { name: "packages", promise: "every crate could be published", run: packages },
];

/// Prints the steps, and the rules of the first.
pub(crate) fn list() {
    let steps = STEPS.iter().map(|step| format!("{:<10} {}\n", step.name, step.promise));
    let rules =
        rules::ALL.iter().map(|rule| format!("  rule {:<16} {}\n", rule.name, rule.promise));
    // a closed standard output, as after `head`, is not an error
    _ = io::stdout().write_all(steps.chain(rules).collect::<String>().as_bytes());
}

/// The step of this name.
pub(crate) fn step(name: &str) -> Result<&'static Step> {
    let step = STEPS.iter().find(|step| step.name == name);
    step.with_context(|| format!("there is no step {name:?}; --list shows them"))
}

/// Takes these steps, or all where there are none. Whether they passed.
pub(crate) fn run(only: &[&Step]) -> Result<bool> {
    let all: Vec<_> = STEPS.iter().collect();
    let (steps, target) = (if only.is_empty() { &all } else { only }, target()?);
    if only.is_empty() {
        // the network brings what Python's tests need while others compile
        thread::spawn(python::environment);
    }
    let mut report = Report::default();
    for step in steps {
        println!("== {} ...", step.name);
        let (start, since) = (Instant::now(), SystemTime::now());
        let outcome = (step.run)().unwrap_or_else(|error| {
            println!("error: {error:#}");
            Outcome::of(false)
        });
        let (time, n_units) = (start.elapsed(), units::compiled_since(&target, since));
        report.add(Taken { step: step.name, time, n_units, outcome });
    }
    println!("{}", report.summary());
    Ok(!report.has_failed())
}

fn house_rules() -> Result<Outcome> {
    let workspace = Workspace::load()?;
    let mut outcome = Outcome::default();
    for rule in &rules::ALL {
        let findings = (rule.check)(&workspace);
        for finding in &findings {
            println!("{finding}  [rule {}]", rule.name);
        }
        outcome.n_passed += usize::from(findings.is_empty());
        outcome.n_failed += usize::from(!findings.is_empty());
    }
    Ok(outcome)
}

fn format() -> Result<Outcome> {
    if !has_component("fmt") {
        return Ok(Outcome::skipped("rustfmt is not installed (rustup component add rustfmt)"));
    }
    let ours = succeeds(cargo().args(["fmt", "--all", "--check"]))?;
    let fuzz = ["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"];
    let fuzz = succeeds(cargo().args(fuzz))?;
    Ok(Outcome::of(ours.n_failed + fuzz.n_failed == 0))
}

fn clippy() -> Result<Outcome> {
    if !has_component("clippy") {
        return Ok(Outcome::skipped("clippy is not installed (rustup component add clippy)"));
    }
    let check = |scope: &[&str]| {
        let mut command = cargo();
        command.args(["clippy", "--locked"]).args(scope);
        succeeds(command.args(["--", "--deny", "warnings"]))
    };
    let all = check(&["--all-targets", "--workspace", "--features", &features()?])?;
    // other code stands in the place of a feature in these alone
    let plain =
        check(&["--all-targets", "--package", "gpu-runtime", "--package", "collectives-mpi"])?;
    // without the tests' dependencies, so without files
    let no_files = check(&["--package", "graph-formats", "--package", "sssp"])?;
    // a workspace of its own
    let fuzz = check(&["--manifest-path", "fuzz/Cargo.toml", "--target-dir", "target/fuzz"])?;
    let checks = [all, plain, no_files, fuzz];
    Ok(Outcome::of(checks.iter().all(|check| check.n_failed == 0)))
}

fn platforms() -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut command = cargo();
    command.args(["check", "--locked", "--package", "starpath", "--features", "compression"]);
    for platform in PLATFORMS {
        let mut libraries = Command::new("rustc");
        libraries.args(["--print", "target-libdir", "--target", platform]);
        let found = libraries.current_dir(root()).output().context("cannot start rustc")?;
        if Path::new(String::from_utf8_lossy(&found.stdout).trim()).is_dir() {
            command.args(["--target", platform]);
        } else {
            let reason = format!("no libraries for {platform} (rustup target add {platform})");
            outcome.skipped.push(reason);
        }
    }
    if outcome.skipped.len() < PLATFORMS.len() {
        // together, so that all processors are busy
        let checked = succeeds(&mut command)?;
        (outcome.n_passed, outcome.n_failed) = (checked.n_passed, checked.n_failed);
    }
    Ok(outcome)
}

/// What all is built with: every feature that can be linked here. Code for the CPU alone is the
/// same with them.
fn features() -> Result<String> {
    let mut features = vec!["rustacuda", "compression", "plot"];
    if cfg!(target_os = "linux") {
        shim::run()?;
        features.push("cuda");
    }
    if missing_for_ranks().is_none() {
        features.push("mpi");
    }
    Ok(features.join(","))
}

/// All programs, tests and the library for Python, in one build, from which other steps take what
/// they need.
fn all_built() -> Result<Vec<Artifact>> {
    let mut command = cargo();
    command.args(["build", "--workspace", "--lib", "--bins", "--examples", "--tests"]);
    command.args(["--locked", "--features", &features()?]);
    built_by(command)
}

fn build() -> Result<Outcome> {
    let fits = bundle::fits(&all_built()?)?;
    let mut outcome = Outcome::of(generated::check(&target()?.join("debug/deps"))? && fits);
    if !cfg!(target_os = "linux") {
        outcome.skipped.push("there is a libcuda to link against for Linux only".to_owned());
    }
    outcome.skipped.extend(missing_for_ranks());
    Ok(outcome)
}

fn tests() -> Result<Outcome> {
    tests_run::run(&all_built()?)
}

fn python() -> Result<Outcome> {
    python::check(&all_built()?)
}

/// What there is not of what ranks are built and started with.
pub(crate) fn missing_for_ranks() -> Option<String> {
    let is_missing = |program: &&str| {
        let mut command = Command::new(program);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        !command.status().is_ok_and(|status| status.success())
    };
    let program = ["mpicc", "mpirun"].into_iter().find(is_missing)?;
    let packages = "libopenmpi-dev, openmpi-bin and libclang-dev on Debian";
    Some(format!("there is no {program} ({packages})"))
}

fn doc_tests() -> Result<Outcome> {
    let mut command = cargo();
    command.args(["test", "--doc", "--workspace", "--locked", "--no-fail-fast"]);
    tests_run::run_doc_tests(command.args(["--features", &features()?]))
}

fn docs() -> Result<Outcome> {
    let mut command = cargo();
    command.args(["doc", "--workspace", "--locked", "--no-deps", "--features", &features()?]);
    succeeds(command.env("RUSTDOCFLAGS", "--deny warnings"))
}

/// Makes the packages that a registry would get. What they hold has been built by other
/// steps, and the rule `includes` says that they hold all that is built. Their licences ask that
/// a copy of each goes with them.
fn packages() -> Result<Outcome> {
    let workspace = Workspace::load()?;
    let mut command = cargo();
    command.args(["package", "--workspace", "--no-verify", "--allow-dirty"]);
    // all that is asked of the registry was fetched when the workspace was loaded
    command.args(["--locked", "--offline"]);
    let mut n_missing = 0;
    for member in workspace.members() {
        if !member.is_published {
            command.args(["--exclude", &member.name]);
            continue;
        }
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let copy = workspace.root.join(&member.manifest).with_file_name(licence);
            if !copy.exists() {
                println!("{} has no {licence}", member.name);
                n_missing += 1;
            }
        }
    }
    let packaged = succeeds(&mut command)?;
    Ok(Outcome::of(packaged.n_failed + n_missing == 0))
}

fn has_component(subcommand: &str) -> bool {
    let mut command = cargo();
    command.args([subcommand, "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn succeeds(command: &mut Command) -> Result<Outcome> {
    let status = command.status().context("cannot start cargo")?;
    Ok(Outcome::of(status.success()))
}
