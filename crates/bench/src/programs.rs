//! Programs in processes of their own.

use std::fs::File;
use std::io::{Read, Seek};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use graph_formats::Interrupted;

use crate::study::Bench;

/// What a program prints, and the milliseconds from its start until it has ended. It is ended when
/// `ask` says so; the error is then an interruption.
pub(crate) fn output(
    command: &mut Command,
    ask: impl Fn() -> ControlFlow<()>,
) -> Result<(String, f64)> {
    let name = command.get_program().to_string_lossy().into_owned();
    // a file takes all output; a pipe that is not read would block the program
    let (said, errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdin(Stdio::null()).stdout(said.try_clone()?).stderr(errors.try_clone()?);
    let start = Instant::now();
    let mut child = command.spawn().with_context(|| format!("cannot start {name}"))?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if ask().is_break() {
            child.kill()?;
            child.wait()?;
            return Err(Interrupted.into());
        }
        let pause = start.elapsed() / 200;
        std::thread::sleep(pause.clamp(Duration::from_micros(20), Duration::from_millis(1)));
    };
    let ms = start.elapsed().as_secs_f64() * 1e3;
    let text = |mut file: File| -> Result<String> {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    ensure!(status.success(), "{name} failed: {}", text(errors)?.trim());
    Ok((text(said)?, ms))
}

/// A program of ours around other people's libraries: its file, and how it is compiled.
pub(crate) struct Source {
    pub(crate) file: &'static str,
    pub(crate) text: &'static str,
    /// The compiler and its flags.
    pub(crate) command: &'static str,
    /// What to install where the compiler or a header is missing.
    pub(crate) needs: &'static str,
}

impl Source {
    /// The program that is given, or one that is built in a folder; where it cannot be, says why.
    pub(crate) fn program(
        &self,
        bench: &Bench,
        given: Option<&PathBuf>,
        folder: &Path,
    ) -> Option<PathBuf> {
        let program = given.cloned().map_or_else(|| self.build(folder), Ok);
        let skip = |error: anyhow::Error| {
            // of all that a compiler says
            let reason = format!("{error:#}");
            bench.skip(&[("what", &self.file)], reason.lines().next().unwrap_or_default());
        };
        program.map_err(skip).ok()
    }

    /// Builds the program in a folder.
    fn build(&self, folder: &Path) -> Result<PathBuf> {
        let (source, program) = (folder.join(self.file), folder.join("program"));
        std::fs::write(&source, self.text)?;
        let mut words = self.command.split(' ');
        let mut compiler = Command::new(words.next().context("no compiler is named")?);
        compiler.args(words).arg("-o").arg(&program).arg(source);
        output(&mut compiler, || ControlFlow::Continue(())).context(self.needs)?;
        Ok(program)
    }
}

// what these start is written for a shell
#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn programs_are_heard_and_ended() {
        let shell = |script: &str, answer: ControlFlow<()>| {
            output(Command::new("sh").args(["-c", script]), || answer)
        };
        let (said, ms) = shell("sleep 0.02; echo yes", ControlFlow::Continue(())).unwrap();
        assert!(said == "yes\n" && ms >= 20.0);
        let failed = shell("echo no >&2; exit 1", ControlFlow::Continue(())).unwrap_err();
        assert_eq!(failed.to_string(), "sh failed: no");
        let ended = shell("sleep 100", ControlFlow::Break(())).unwrap_err();
        assert!(matches!(ended.downcast_ref(), Some(Interrupted)));
    }
}
