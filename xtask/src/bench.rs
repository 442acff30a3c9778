//! `cargo xtask bench`: the bench program in its release build.

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::workspace::cargo;

/// Runs the program of the crate `bench` with these arguments.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    let status = cargo()
        .args(["run", "--release", "--locked", "--package", "bench", "--"])
        .args(arguments)
        .status()
        .context("cannot start cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
