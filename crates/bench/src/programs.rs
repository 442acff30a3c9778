//! Programs in processes of their own.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use sssp::SsspError;

/// What a program prints, and the milliseconds from its start until it has ended. It is ended when
/// `ask` says so, which is told as an interruption.
pub(crate) fn output(
    command: &mut Command,
    ask: impl Fn() -> ControlFlow<()>,
) -> Result<(String, f64)> {
    let name = command.get_program().to_string_lossy().into_owned();
    // files take more than a pipe does before somebody reads
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
            return Err(SsspError::Interrupted.into());
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

/// A program of ours around other people's libraries.
pub(crate) struct Source {
    /// What it is called, and its file.
    pub(crate) name: &'static str,
    pub(crate) file: &'static str,
    pub(crate) text: &'static str,
    pub(crate) compiler: &'static str,
    pub(crate) flags: &'static [&'static str],
    /// What to install where the compiler or a header is missing.
    pub(crate) needs: &'static str,
}

impl Source {
    /// The program: that which was built before and is `given`, or a new one; or why there is none,
    /// and what to install.
    pub(crate) fn program(&self, given: Option<&Path>) -> std::result::Result<PathBuf, String> {
        let Self { name, file, text, compiler, flags, needs } = *self;
        if let Some(given) = given {
            let missing = || format!("there is no program {}", given.display());
            return given.is_file().then(|| given.to_owned()).ok_or_else(missing);
        }
        let cannot = |error: std::io::Error| format!("no place to build it: {error}");
        // beside this program, which is in the target folder
        let folder = std::env::current_exe().map_err(cannot)?.with_file_name("peers");
        std::fs::create_dir_all(&folder).map_err(cannot)?;
        // whole or not at all, whoever else builds it now
        let scratch = tempfile::tempdir_in(&folder).map_err(cannot)?;
        let [source, new] = [file, name].map(|file| scratch.path().join(file));
        std::fs::write(&source, text).map_err(cannot)?;
        match Command::new(compiler).args(flags).arg("-o").arg(&new).arg(source).output() {
            Ok(output) if output.status.success() => {
                let built = folder.join(name);
                std::fs::rename(new, &built).map(|()| built).map_err(cannot)
            }
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                let first = said.lines().find(|line| line.contains("error")).unwrap_or("it failed");
                Err(format!("{compiler}: {first}; {needs}"))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(format!("there is no {compiler}; {needs}"))
            }
            Err(error) => Err(format!("{compiler}: {error}; {needs}")),
        }
    }
}

#[cfg(test)]
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
        assert!(matches!(ended.downcast_ref(), Some(SsspError::Interrupted)));
    }
}
