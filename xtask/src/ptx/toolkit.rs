//! The compiler for the kernels: one release of the CUDA toolkit, so that every machine that builds
//! them gets the same bytes.
//!
//! It is taken from `CUDA_HOME` where that has just this release, and else installed from
//! the Python package index below cargo's target folder: some 105 MB, in seconds, and no
//! GPU or driver is needed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};

/// What `nvcc --version` says of the release that is taken.
pub(super) const VERSION: &str = "release 13.0, V13.0.88";
/// The same as Python packages.
const PACKAGES: [&str; 5] = [
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-nvvm==13.0.88",
    "nvidia-cuda-crt==13.0.88",
    "nvidia-cuda-runtime==13.0.96",
    "nvidia-cuda-cccl==13.0.85",
];

/// A toolkit of the right release.
pub(super) struct Toolkit {
    home: PathBuf,
}

impl Toolkit {
    /// Finds it or installs it below `target`.
    pub(super) fn find(target: &Path) -> Result<Self> {
        // nvcc lets the host's compiler expand the macros.
        let host = Command::new("gcc").arg("--version").output();
        ensure!(
            host.is_ok_and(|host| host.status.success()),
            "nvcc needs gcc, which is not \
                                                               installed"
        );
        if let Some(home) = env::var_os("CUDA_HOME") {
            match Self::at(PathBuf::from(home)) {
                Ok(toolkit) => return Ok(toolkit),
                Err(error) => println!("CUDA_HOME is not used: {error:#}"),
            }
        }
        let folder = target.join("cuda");
        let packages = folder.join("13.0.88");
        if !packages.exists() {
            install(&folder, &packages)?;
        }
        Self::at(packages.join("nvidia/cu13"))
    }

    /// The toolkit in this folder, if it is of the right release.
    fn at(home: PathBuf) -> Result<Self> {
        let toolkit = Self { home };
        let said = output_of(toolkit.nvcc().arg("--version"))?;
        let release = said.lines().find(|line| line.contains("release")).unwrap_or("no release");
        ensure!(said.contains(VERSION), "PTX is built with {VERSION}; this is {release:?}");
        Ok(toolkit)
    }

    /// The compiler, deaf to options in the environment.
    pub(super) fn nvcc(&self) -> Command {
        let mut command = Command::new(self.home.join("bin/nvcc"));
        command.env_remove("NVCC_PREPEND_FLAGS").env_remove("NVCC_APPEND_FLAGS");
        command
    }

    /// The assembler.
    pub(super) fn ptxas(&self) -> Command {
        Command::new(self.home.join("bin/ptxas"))
    }
}

/// Installs the packages whole or not at all.
fn install(folder: &Path, place: &Path) -> Result<()> {
    println!("installing nvcc ({VERSION}) below {} ...", folder.display());
    fs::create_dir_all(folder).with_context(|| format!("cannot create {folder:?}"))?;
    let python = python_with_pip(folder)?;
    let own = folder.join(format!("incoming-{}", std::process::id()));
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    pip.arg("--target").arg(&own).args(PACKAGES);
    let installed = output_of(&mut pip).and_then(|_| Ok(fs::rename(&own, place)?));
    if installed.is_err() {
        let _ = fs::remove_dir_all(&own);
    }
    installed.context("nvcc cannot be installed from the Python package index")
}

/// A Python that has pip: the system's, or one of our own.
fn python_with_pip(folder: &Path) -> Result<PathBuf> {
    let system = PathBuf::from("python3");
    if output_of(Command::new(&system).args(["-m", "pip", "--version"])).is_ok() {
        return Ok(system);
    }
    let own = folder.join("venv");
    output_of(Command::new(&system).args(["-m", "venv"]).arg(&own))?;
    Ok(own.join("bin/python3"))
}

/// What a program printed on standard output.
///
/// # Errors
/// When it cannot be started or fails, with what it printed.
pub(super) fn output_of(command: &mut Command) -> Result<String> {
    let program = Path::new(command.get_program()).to_owned();
    let output = command.output().with_context(|| format!("cannot start {}", program.display()))?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("{} failed:\n{stdout}{stderr}", program.display());
    }
    Ok(stdout.into_owned())
}
