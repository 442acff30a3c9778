//! `cargo xtask bench`: the bench program in its release build; on a machine with a GPU, in
//! a build that uses it.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::shim;
use crate::workspace::cargo;

/// Runs the program of the crate `bench` with these arguments.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    // where NVIDIA's driver is loaded, it is this
    let features: &[&str] = if Path::new("/dev/nvidiactl").exists() {
        shim::run()?;
        &["--features", "cuda"]
    } else {
        &[]
    };
    let succeeds = |verb, package, rest: &[String]| {
        let mut command = cargo();
        command.args([verb, "--release", "--locked", "--package", package]).args(features);
        let status = command.args(rest).status().context("cannot start cargo")?;
        Ok::<_, anyhow::Error>(status.success())
    };
    // the study of whole commands starts the program, which lies beside its own
    let starts_it = arguments.iter().any(|argument| argument == "choice");
    let done = (!starts_it || succeeds("build", "starpath", &[])?)
        && succeeds("run", "bench", &[&["--".to_owned()], arguments].concat())?;
    Ok(if done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
