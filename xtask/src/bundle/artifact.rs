//! What cargo has built, from its messages.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// An executable file that cargo has built.
#[derive(Debug, PartialEq)]
pub(crate) struct Artifact {
    /// The name of the package's target: a program, a library, a test file.
    pub(super) name: String,
    /// The folder of the package, which has its name in a bundle.
    pub(super) package: String,
    /// Whether it is a test program.
    pub(super) is_test: bool,
    /// Where it is.
    pub(super) file: PathBuf,
}

/// Runs this command of cargo and returns the executable files that it names.
pub(crate) fn built_by(mut command: Command) -> Result<Vec<Artifact>> {
    command.arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit());
    let output = command.output().context("cannot start cargo")?;
    ensure!(output.status.success(), "cargo built not everything");
    let messages = String::from_utf8(output.stdout).context("cargo's messages are not UTF-8")?;
    let artifacts = messages.lines().map(artifact_of).collect::<Result<Vec<_>>>()?;
    Ok(artifacts.into_iter().flatten().collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_programs_and_tests() {
        let line = r#"{"reason":"compiler-artifact","manifest_path":"/x/crates/a-b/Cargo.toml",
            "target":{"name":"a_b"},"profile":{"test":true},"executable":"/x/target/a_b-1"}"#;
        let unit = artifact_of(line).unwrap().unwrap();
        assert_eq!((unit.name.as_str(), unit.package.as_str(), unit.is_test), ("a_b", "a-b", true));
        assert_eq!(unit.file, Path::new("/x/target/a_b-1"));
        let program = artifact_of(&line.replace("true", "false")).unwrap().unwrap();
        assert!(!program.is_test);
        assert_eq!(artifact_of(r#"{"reason":"build-finished","executable":null}"#).unwrap(), None);
        assert!(artifact_of("warning").is_err());
    }
}
