//! The project's own tasks, written in Rust so that they need nothing but cargo.
//!
//! `cargo xtask verify` checks everything that the project promises of its code;
//! `cargo xtask bench` measures it; `cargo xtask shim` makes what a GPU build links.

mod artifact;
mod bench;
mod book;
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

use anyhow::Result;
use clap::Parser;

/// Tasks of the starpath workspace
#[derive(Parser)]
#[command(
    bin_name = "cargo xtask",
    after_help = "Examples:\n  cargo xtask verify\n  cargo xtask verify --only format --only rules\n  \
                  cargo xtask bench\n  cargo xtask shim && cargo build --features cuda"
)]
enum Task {
    /// Check everything; without earlier builds it takes 20 minutes on two cores
    ///
    /// Every step runs even if an earlier one failed. The end lists the slowest tests, the steps
    /// with their seconds and the units that were compiled, and a line `N passed, N failed, N
    /// skipped`, which counts each test, each house rule and each other step. The exit code is 1 if
    /// anything failed, and 2 for wrong use.
    Verify {
        /// List the steps and the house rules
        #[arg(long)]
        list: bool,
        /// Run this step only; may be given several times
        #[arg(long, value_name = "STEP", value_parser = verify::step)]
        only: Vec<&'static verify::Step>,
    },
    /// Run benchmarks; the arguments go to the bench program (try --help). `bench outside` compares
    /// the program with a project that depends on sssp
    #[command(disable_help_flag = true)]
    Bench {
        #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
        arguments: Vec<String>,
    },
    /// Make a stub of libcuda with cc, against which --features cuda links on machines without a
    /// CUDA toolkit
    Shim,
    /// Build the wheel of the Python package, with its GPU code
    Wheel,
    /// Make a folder of programs and tests that run on a GPU machine without Rust
    Bundle,
    /// Compile the kernels to PTX
    Ptx {
        /// Check that the PTX is up to date, and change nothing
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    match run(Task::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether all went well.
fn run(task: Task) -> Result<bool> {
    match task {
        Task::Verify { list: true, .. } => verify::list(),
        Task::Verify { only, .. } => return verify::run(&only),
        Task::Bench { arguments } if arguments == ["outside"] => outside::run()?,
        Task::Bench { arguments } => return bench::run(&arguments),
        Task::Shim => shim::run()?,
        Task::Wheel => return Ok(python::wheel()?.is_some()),
        Task::Bundle => bundle::run()?,
        Task::Ptx { check: false } => ptx::build()?,
        Task::Ptx { check: true } => return Ok(ptx::checked()),
    }
    Ok(true)
}
