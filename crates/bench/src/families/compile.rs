//! Peers in other languages: programs of our own around other people's libraries, built when
//! they are asked for and left out where that cannot be done.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result};

/// A program's source and how it is built.
pub(super) struct Peer {
    /// What it is called, and its file.
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    pub(super) source: &'static str,
    pub(super) compiler: &'static str,
    pub(super) flags: &'static [&'static str],
    /// What to install where the compiler or a header is missing.
    pub(super) needs: &'static str,
}

/// The program: that which was built before and is `given`, or a new one.
///
/// # Errors
/// Why there is none, and what to install.
pub(super) fn program(peer: &Peer, given: Option<&Path>) -> std::result::Result<PathBuf, String> {
    let Peer { name, file, source, compiler, flags, needs } = *peer;
    if let Some(given) = given {
        let is_there = given.is_file();
        let missing = || format!("{name}: there is no program {}", given.display());
        return if is_there { Ok(given.to_owned()) } else { Err(missing()) };
    }
    let cannot = |error: std::io::Error| format!("{name}: no place to build it: {error}");
    // beside this program, which is in the target folder
    let folder = std::env::current_exe().map_err(cannot)?.with_file_name("peers");
    fs::create_dir_all(&folder).map_err(cannot)?;
    let (source_path, built) = (folder.join(file), folder.join(name));
    fs::write(&source_path, source).map_err(cannot)?;
    let output = Command::new(compiler).args(flags).arg("-o").arg(&built).arg(source_path).output();
    match output {
        Ok(output) if output.status.success() => Ok(built),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let first = said.lines().find(|line| line.contains("error")).unwrap_or("it failed");
            Err(format!("{name}: {compiler}: {first}; {needs}"))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(format!("{name}: there is no {compiler}; {needs}"))
        }
        Err(error) => Err(format!("{name}: {compiler}: {error}; {needs}")),
    }
}

/// A folder for files that a peer reads or writes; it goes when it is no longer needed.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new() -> Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("starpath-bench-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let cannot = || format!("cannot make the folder {}", folder.display());
        fs::create_dir(&folder).with_context(cannot)?;
        Ok(Self(folder))
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // what stays is in the folder of temporary files
        let _ = fs::remove_dir_all(&self.0);
    }
}
