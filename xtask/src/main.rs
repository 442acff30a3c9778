//! The project's own tasks, written in Rust so that they need nothing but cargo.
//!
//! `cargo xtask verify` checks everything that the project promises of its code;
//! `cargo xtask bench` measures it; `cargo xtask shim` makes what a GPU build links.

mod artifact;
mod bench;
mod bundle;
mod generated;
mod outside;
mod ptx;
mod python;
mod report;
mod rules;
mod shim;
mod source;
mod tests_run;
mod units;
mod verify;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};

const HELP: &str = "\
Tasks of the starpath workspace.

Usage: cargo xtask <TASK>

Tasks:
  verify [--list] [--only STEP]...   check everything; 20 minutes from nothing on two cores
  bench  [ARGS]...                   measure; ARGS go to the bench program (try --help)
  bench  outside                     compare the program with a project that depends on sssp
  shim                               a libcuda to link --features cuda against, made with cc
                                     for machines that have no CUDA toolkit
  wheel                              build the Python package with its GPU code
  bundle                             gather what runs on a GPU machine without Rust
  ptx    [--check]                   build the kernels' PTX, or prove it fresh

Examples:
  cargo xtask verify
  cargo xtask verify --only format --only rules
  cargo xtask bench
  cargo xtask shim && cargo build --features cuda

verify runs every step even where an earlier one failed. It ends with its slowest
tests, a table of its steps with seconds and the units that were compiled, and a line
`N passed, N failed, N skipped` that counts each test, each house rule and each other
step. It exits with 1 when anything failed, with 2 when it was called wrongly.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<ExitCode> {
    let Some((task, rest)) = arguments.split_first() else { bail!("which task?\n\n{HELP}") };
    let asks_help = |list: &[String]| list.iter().any(|a| a == "--help" || a == "-h");
    match task.as_str() {
        "--help" | "-h" | "help" => println!("{HELP}"),
        "verify" if asks_help(rest) => println!("{HELP}"),
        "verify" => return verify::run(rest),
        "bench" if rest == ["outside"] => return outside::run(),
        "bench" => return bench::run(rest),
        "shim" if asks_help(rest) => println!("{HELP}"),
        "shim" if rest.is_empty() => shim::run()?,
        "shim" => bail!("shim takes no arguments, not {:?}", rest[0]),
        "wheel" if asks_help(rest) => println!("{HELP}"),
        "wheel" if rest.is_empty() => {
            let is_built = python::wheel()?.is_some();
            return Ok(if is_built { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        "wheel" => bail!("wheel takes no arguments, not {:?}", rest[0]),
        "bundle" => return bundle::run(rest),
        "ptx" => return ptx::run(rest),
        other => bail!("there is no task {other:?}\n\n{HELP}"),
    }
    Ok(ExitCode::SUCCESS)
}
