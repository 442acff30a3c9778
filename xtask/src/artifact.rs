//! What cargo has built, from its messages.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// A program that cargo has built, or a library for other languages.
#[derive(Debug, PartialEq)]
pub(crate) struct Artifact {
    /// The name of the package's target: a program, a library, a test file.
    pub(crate) name: String,
    /// The folder of the package.
    pub(crate) folder: PathBuf,
    /// Whether it is a test program.
    pub(crate) is_test: bool,
    /// Where it is.
    pub(crate) file: PathBuf,
}

impl Artifact {
    /// The name of the folder of its package, which people know it by.
    pub(crate) fn package(&self) -> &str {
        self.folder.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }
}

/// Runs this command of cargo and returns what it has built.
pub(crate) fn built_by(mut command: Command) -> Result<Vec<Artifact>> {
    command.arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit());
    let output = command.output().context("cannot start cargo")?;
    ensure!(output.status.success(), "cargo built not everything");
    let messages = String::from_utf8(output.stdout).context("cargo's messages are not UTF-8")?;
    let artifacts = messages.lines().map(artifact_of).collect::<Result<Vec<_>>>()?;
    Ok(artifacts.into_iter().flatten().collect())
}

/// What a line of cargo's messages tells of.
fn artifact_of(line: &str) -> Result<Option<Artifact>> {
    let message: Value = serde_json::from_str(line).context("a message of cargo is no JSON")?;
    let target = &message["target"];
    let is_library = target["kind"][0] == "cdylib";
    let file = if is_library { &message["filenames"][0] } else { &message["executable"] };
    let Some(file) = file.as_str() else { return Ok(None) };
    let name = target["name"].as_str().with_context(|| format!("no target: {line}"))?;
    let manifest = Path::new(message["manifest_path"].as_str().unwrap_or_default());
    Ok(Some(Artifact {
        name: name.to_owned(),
        folder: manifest.parent().unwrap_or(manifest).to_owned(),
        is_test: message["profile"]["test"].as_bool().unwrap_or(false),
        file: file.into(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_programs_tests_and_libraries() {
        let line = r#"{"reason":"compiler-artifact","manifest_path":"/x/crates/a-b/Cargo.toml",
            "target":{"name":"a_b","kind":["bin"]},"profile":{"test":true},
            "filenames":["/x/a_b.so"],"executable":"/x/target/a_b-1"}"#;
        let unit = artifact_of(line).unwrap().unwrap();
        assert_eq!((unit.name.as_str(), unit.package(), unit.is_test), ("a_b", "a-b", true));
        assert_eq!(unit.file, Path::new("/x/target/a_b-1"));
        let program = artifact_of(&line.replace("true", "false")).unwrap().unwrap();
        assert!(!program.is_test);
        let library = artifact_of(&line.replace("bin", "cdylib")).unwrap().unwrap();
        assert_eq!(library.file, Path::new("/x/a_b.so"));
        assert_eq!(artifact_of(r#"{"reason":"build-finished","executable":null}"#).unwrap(), None);
        assert!(artifact_of("warning").is_err());
    }
}
