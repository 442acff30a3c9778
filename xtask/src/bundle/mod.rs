//! `cargo xtask bundle`: a folder that runs on a GPU machine with neither Rust nor a CUDA
//! toolkit.
//!
//! `target/bundle` gets the programs, the tests of the crates that use a GPU, the folder of
//! real graphs, and two scripts. The programs are release builds with the feature `cuda`, stripped. They
//! keep nothing of this machine that they need at run time, if the tests look for graphs
//! where `STARPATH_DATA` says and for the program where `CARGO_BIN_EXE_starpath` says, both
//! as the environment has them when they run.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::workspace::{cargo, root, target};

/// What is built, and from which packages.
const PROGRAMS: [&str; 2] = ["starpath", "bench"];
const TESTED: [&str; 4] = ["gpu-runtime", "sssp", "apsp", "starpath"];
const SCRIPTS: [(&str, &str); 2] =
    [("verify.sh", include_str!("verify.sh")), ("bench.sh", include_str!("bench.sh"))];
/// The most that the folder may hold, in bytes.
const LIMIT: u64 = 60_000_000;

/// An executable file that cargo has built.
#[derive(Debug, PartialEq)]
struct Artifact {
    /// The name of the package's target: a program, a library, a test file.
    name: String,
    /// The name of the package.
    package: String,
    is_test: bool,
    file: PathBuf,
}

/// Gathers the bundle anew.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    ensure!(arguments.is_empty(), "bundle takes no arguments, not {arguments:?}");
    for flags in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
        let is_native = env::var(flags).is_ok_and(|flags| flags.contains("target-cpu=native"));
        ensure!(!is_native, "{flags}: target-cpu=native may not run on another machine");
    }
    let mut artifacts = build(&["build", "--bins"], &PROGRAMS)?;
    artifacts.extend(build(&["test", "--no-run", "--lib", "--bins", "--tests"], &TESTED)?);

    let bundle = target()?.join("bundle");
    if bundle.exists() {
        fs::remove_dir_all(&bundle).with_context(|| format!("cannot clear {bundle:?}"))?;
    }
    for artifact in &artifacts {
        let place = bundle.join(place_of(artifact));
        copy(&artifact.file, &place)?;
        let stripped = Command::new("strip").arg(&place).status();
        ensure!(stripped.context("cannot start strip")?.success(), "strip failed");
    }
    for (name, text) in SCRIPTS {
        write_script(&bundle.join(name), text)?;
    }
    let graphs =
        env::var_os("STARPATH_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    if graphs.is_dir() {
        copy(&graphs, &bundle.join("data"))?;
    } else {
        println!("SKIPPED: there are no graphs in {} to bundle", graphs.display());
    }
    fs::write(bundle.join("origin"), origin()).context("cannot write the bundle's origin")?;
    let size = size_of(&bundle)?;
    ensure!(size <= LIMIT, "the bundle has {size} bytes, more than {LIMIT}");
    println!("{} has {:.1} MB", bundle.display(), size as f64 / 1e6);
    Ok(ExitCode::SUCCESS)
}

/// What reports made from the bundle say of it, for the shell.
fn origin() -> String {
    let said = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(root()).output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        text.unwrap_or_default()
    };
    let commit = said("git", &["describe", "--always", "--dirty"]);
    let rustc = said("rustc", &["--version"]);
    format!("export STARPATH_COMMIT='{commit}'\nexport STARPATH_RUSTC='{rustc}'\n")
}

/// Runs cargo on these packages and returns the executable files that it names.
fn build(task: &[&str], packages: &[&str]) -> Result<Vec<Artifact>> {
    let mut command = cargo();
    command.args(task).args(["--release", "--locked", "--features", "cuda"]);
    command.arg("--message-format=json-render-diagnostics");
    packages.iter().for_each(|package| _ = command.args(["--package", package]));
    let output = command.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    ensure!(output.status.success(), "cargo {} failed", task[0]);
    let messages = String::from_utf8(output.stdout).context("cargo's messages are not UTF-8")?;
    let artifacts = messages.lines().map(artifact_of).collect::<Result<Vec<_>>>()?;
    let mut artifacts: Vec<Artifact> = artifacts.into_iter().flatten().collect();
    // To test a program, cargo builds it as well, and that one is bundled already.
    artifacts.retain(|artifact| artifact.is_test == (task[0] == "test"));
    ensure!(!artifacts.is_empty(), "cargo {} built nothing that runs", task[0]);
    Ok(artifacts)
}

/// The executable file that a line of cargo's messages tells of.
fn artifact_of(line: &str) -> Result<Option<Artifact>> {
    let message: Value = serde_json::from_str(line).context("a message of cargo is no JSON")?;
    let Some(file) = message["executable"].as_str() else { return Ok(None) };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let Some(name) = text(&message["target"]["name"]) else { bail!("no target: {line}") };
    let manifest = Path::new(message["manifest_path"].as_str().unwrap_or_default());
    let package = manifest.parent().and_then(Path::file_name).unwrap_or_default();
    Ok(Some(Artifact {
        name,
        package: package.to_string_lossy().into_owned(),
        is_test: message["profile"]["test"].as_bool().unwrap_or(false),
        file: file.into(),
    }))
}

/// Where it lies in the bundle. Several packages may have a test file of one name.
fn place_of(artifact: &Artifact) -> PathBuf {
    let Artifact { name, package, .. } = artifact;
    if !artifact.is_test {
        return Path::new("bin").join(name);
    }
    let is_unit = name.replace('_', "-") == *package;
    let name = if is_unit { "unit" } else { name };
    Path::new("tests").join(format!("{package}-{name}"))
}

/// Copies a file, which keeps its permissions, or a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let context = || format!("cannot copy {from:?} to {to:?}");
    if from.is_dir() {
        for entry in fs::read_dir(from).with_context(context)? {
            let name = entry?.file_name();
            copy(&from.join(&name), &to.join(&name))?;
        }
        return Ok(());
    }
    fs::create_dir_all(to.parent().context("a file lies in a folder")?).with_context(context)?;
    fs::copy(from, to).map(|_| ()).with_context(context)
}

fn write_script(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {path:?}"))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// Bytes of all files below a folder.
fn size_of(folder: &Path) -> Result<u64> {
    let mut size = 0;
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {folder:?}"))? {
        let entry = entry?;
        let is_folder = entry.file_type()?.is_dir();
        size += if is_folder { size_of(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_programs_and_tests() {
        let line = r#"{"reason":"compiler-artifact","manifest_path":"/x/crates/a-b/Cargo.toml",
            "target":{"name":"a_b"},"profile":{"test":true},"executable":"/x/target/a_b-1"}"#;
        let unit = artifact_of(line).unwrap().unwrap();
        assert_eq!(place_of(&unit), Path::new("tests/a-b-unit"));
        let all = artifact_of(&line.replace("a_b\"", "all\"")).unwrap().unwrap();
        assert_eq!(place_of(&all), Path::new("tests/a-b-all"));
        let program = artifact_of(&line.replace("true", "false")).unwrap().unwrap();
        assert_eq!(place_of(&program), Path::new("bin/a_b"));
        assert_eq!(artifact_of(r#"{"reason":"build-finished","executable":null}"#).unwrap(), None);
        assert!(artifact_of("warning").is_err());
    }
}
