//! `cargo xtask bench`: the bench program in its release build; on a machine with a GPU, in
//! a build that uses it.

use std::path::Path;

use anyhow::{Context, Result};

use crate::shim;
use crate::workspace::cargo;

/// Runs the program of the crate `bench` with these arguments; whether it succeeds.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    // where NVIDIA's driver is loaded, it is this
    let features: &[&str] = if Path::new("/dev/nvidiactl").exists() {
        shim::run()?;
        &["--features", "cuda"]
    } else {
        &[]
    };
    let mut command = cargo();
    command.args(["run", "--release", "--locked", "--package", "bench"]).args(features);
    let status = command.arg("--").args(arguments).status().context("cannot start cargo")?;
    Ok(status.success())
}
