//! What cargo has built, from its messages.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use cargo_metadata::Message;

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
    ensure!(output.status.success(), "cargo did not build everything");
    let mut artifacts = Vec::new();
    for message in Message::parse_stream(&*output.stdout) {
        artifacts.extend(artifact_of(message.context("a message of cargo is not JSON")?));
    }
    Ok(artifacts)
}

/// The artifact that a message of cargo is about.
fn artifact_of(message: Message) -> Option<Artifact> {
    let Message::CompilerArtifact(built) = message else { return None };
    let library = built.filenames.into_iter().next().filter(|_| built.target.is_cdylib());
    Some(Artifact {
        file: library.or(built.executable)?.into(),
        name: built.target.name,
        folder: built.manifest_path.parent()?.into(),
        is_test: built.profile.test,
    })
}
