//! `cargo xtask verify`: everything that must hold before a change lands.
//!
//! The steps run one after the other, each whether or not an earlier one failed, so
//! that one run shows everything.

use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::bundle;
use crate::ptx;
use crate::python;
use crate::report::{Outcome, Report};
use crate::rules;
use crate::shim;
use crate::tests_run;
use crate::workspace::{Workspace, cargo};

struct Step {
    name: &'static str,
    promise: &'static str,
    run: fn() -> Result<Outcome>,
}

const STEPS: [Step; 11] = [
    Step { name: "rules", promise: "the house rules hold", run: house_rules },
    Step { name: "ptx", promise: "the PTX is fresh, and every GPU takes it", run: ptx::check },
    Step { name: "format", promise: "rustfmt would change nothing", run: format },
    Step { name: "clippy", promise: "clippy and the compiler warn of nothing", run: clippy },
    Step {
        name: "cuda",
        promise: "the GPU build links without a driver, and fits a bundle",
        run: cuda,
    },
    Step { name: "tests", promise: "unit and integration tests pass", run: tests },
    Step { name: "ranks", promise: "the tests of ranks by MPI pass", run: ranks },
    Step {
        name: "python",
        promise: "the Python package passes its tests and scipy's",
        run: python::check,
    },
    Step { name: "doc-tests", promise: "the examples in the documentation run", run: doc_tests },
    Step { name: "docs", promise: "rustdoc warns of nothing", run: docs },
    Step { name: "packages", promise: "every crate could be published", run: packages },
];

/// Takes the steps that the arguments ask for, all of them where they name none.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    if arguments == ["--list"] {
        for step in &STEPS {
            println!("{:<10} {}", step.name, step.promise);
        }
        for rule in &rules::ALL {
            println!("  rule {:<16} {}", rule.name, rule.promise);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let steps = chosen(arguments)?;
    let mut report = Report::default();
    for step in steps {
        println!("== {} ...", step.name);
        let start = Instant::now();
        let outcome = (step.run)().unwrap_or_else(|error| {
            println!("error: {error:#}");
            Outcome::of(false)
        });
        report.add(step.name, start.elapsed(), outcome);
    }
    println!("{}", report.summary());
    Ok(if report.has_failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn chosen(arguments: &[String]) -> Result<Vec<&'static Step>> {
    if arguments.is_empty() {
        return Ok(STEPS.iter().collect());
    }
    let named = arguments.chunks(2).map(|pair| {
        let [option, name] = pair else { bail!("{:?} wants the name of a step", pair[0]) };
        if option != "--only" {
            bail!("verify knows --only STEP and --list, not {option:?}");
        }
        let step = STEPS.iter().find(|step| step.name == name);
        step.with_context(|| format!("there is no step {name:?}; --list shows them"))
    });
    named.collect()
}

fn house_rules() -> Result<Outcome> {
    let workspace = Workspace::load()?;
    let mut outcome = Outcome::default();
    for rule in &rules::ALL {
        let findings = (rule.check)(&workspace);
        let (warnings, errors): (Vec<_>, Vec<_>) =
            findings.into_iter().partition(|finding| finding.is_warning);
        for error in &errors {
            println!("{error}  [rule {}]", rule.name);
        }
        outcome.n_passed += usize::from(errors.is_empty());
        outcome.n_failed += usize::from(!errors.is_empty());
        outcome.warnings.extend(warnings.iter().map(ToString::to_string));
    }
    Ok(outcome)
}

fn format() -> Result<Outcome> {
    if !has_component("fmt") {
        return Ok(Outcome::skipped("rustfmt is not installed (rustup component add rustfmt)"));
    }
    succeeds(cargo().args(["fmt", "--all", "--check"]))
}

fn clippy() -> Result<Outcome> {
    if !has_component("clippy") {
        return Ok(Outcome::skipped("clippy is not installed (rustup component add clippy)"));
    }
    let check = |scope: &[&str]| {
        let mut command = cargo();
        command.args(["clippy", "--locked", "--all-targets"]).args(scope);
        succeeds(command.args(["--", "--deny", "warnings"]))
    };
    let plain = check(&["--workspace"])?;
    let featured = check(&["--package", "graph-formats", "--features", "rustacuda"])?;
    Ok(Outcome::of(plain.n_failed + featured.n_failed == 0))
}

fn cuda() -> Result<Outcome> {
    if !cfg!(target_os = "linux") {
        return Ok(Outcome::skipped("there is a libcuda to link against for Linux only"));
    }
    shim::run()?;
    let on_all = ["--workspace", "--locked", "--features", "cuda"];
    let clippy = |command: &mut Command| {
        succeeds(command.arg("clippy").args(on_all).args([
            "--all-targets",
            "--",
            "--deny",
            "warnings",
        ]))
    };
    // nothing of it is run, so nothing is worth optimising
    let mut link = cargo();
    for profile in ["DEV", "TEST"] {
        link.env(format!("CARGO_PROFILE_{profile}_OPT_LEVEL"), "0");
        link.env(format!("CARGO_PROFILE_{profile}_DEBUG"), "0");
    }
    link.args(["test", "--no-run"]).args(on_all);
    let fits = bundle::fits(&bundle::built_by(link)?)?;
    let lints = if has_component("clippy") { clippy(&mut cargo())? } else { Outcome::of(true) };
    Ok(Outcome::of(lints.n_failed == 0 && fits))
}

fn tests() -> Result<Outcome> {
    let mut command = cargo();
    // its tests are Python's
    command.args(["test", "--workspace", "--exclude", "starpaths", "--locked", "--no-fail-fast"]);
    command.args(["--lib", "--bins", "--tests", "--examples"]);
    tests_run::run(command)
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

fn ranks() -> Result<Outcome> {
    if let Some(missing) = missing_for_ranks() {
        return Ok(Outcome::skipped(missing));
    }
    let on_two = ["--locked", "--package", "collectives", "--package", "starpath"];
    if has_component("clippy") {
        let mut clippy = cargo();
        clippy.arg("clippy").args(on_two).args(["--features", "mpi", "--all-targets"]);
        if succeeds(clippy.args(["--", "--deny", "warnings"]))?.n_failed > 0 {
            return Ok(Outcome::of(false));
        }
    }
    let mut command = cargo();
    command.arg("test").args(on_two).args(["--features", "mpi", "--no-fail-fast"]);
    command.args(["--test", "laws", "--test", "ranks"]);
    tests_run::run(command)
}

fn doc_tests() -> Result<Outcome> {
    let mut command = cargo();
    command.args(["test", "--workspace", "--locked", "--no-fail-fast", "--doc"]);
    tests_run::run(command)
}

fn docs() -> Result<Outcome> {
    let mut command = cargo();
    command.args(["doc", "--workspace", "--locked", "--no-deps"]);
    succeeds(command.env("RUSTDOCFLAGS", "--deny warnings"))
}

/// Makes the packages that a registry would get. What they hold has been built by other
/// steps, and the rule `includes` says that they hold all that is built.
fn packages() -> Result<Outcome> {
    let mut command = cargo();
    command.args(["package", "--workspace", "--no-verify", "--allow-dirty"]);
    // all that is asked of the registry was fetched when the workspace was loaded
    command.args(["--locked", "--offline"]);
    for member in Workspace::load()?.members().filter(|member| !member.is_published) {
        command.args(["--exclude", &member.name]);
    }
    succeeds(&mut command)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_chosen_by_name() {
        let names = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|&a| a.into()).collect();
            chosen(&arguments).map(|steps| steps.iter().map(|step| step.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&[]).unwrap().len(), STEPS.len());
        assert_eq!(names(&["--only", "docs", "--only", "rules"]).unwrap(), ["docs", "rules"]);
        for wrong in [&["--only"][..], &["--only", "nothing"], &["--twice", "docs"]] {
            assert!(names(wrong).is_err(), "{wrong:?}");
        }
    }
}
