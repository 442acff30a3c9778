//! `cargo xtask bundle`: a folder that runs on a GPU machine with neither Rust nor a CUDA
//! toolkit.
//!
//! `target/bundle` gets an archive of the programs, the tests of the crates that use a GPU and
//! the folder of real graphs, and scripts that unpack and run it. The programs are release
//! builds with the feature `cuda`, stripped. They keep nothing of this machine that they need
//! at run time, if the tests look for graphs where `STARPATH_DATA` says and for the program
//! where `CARGO_BIN_EXE_starpath` says, both as the environment has them when they run.
//!
//! With MPI here the program is built once more, for ranks.
//!
//! The folder must fit a transfer of [`LIMIT`] bytes. `verify` does not build it, which takes
//! minutes, but holds what it links anyway to a bound: see [`fits`].

mod artifact;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

use anyhow::{Context, Result, ensure};

pub(crate) use artifact::{Artifact, built_by};

use crate::python;
use crate::verify::missing_for_ranks;
use crate::workspace::{cargo, root, target};

/// What is built, and from which packages.
const PROGRAMS: [&str; 2] = ["starpath", "bench"];
const TESTED: [&str; 6] =
    ["gpu-runtime", "sssp", "apsp", "starpath-closure", "star-machine", "starpath"];
const SCRIPTS: [(&str, &str); 5] = [
    ("unpack.sh", include_str!("unpack.sh")),
    ("verify.sh", include_str!("verify.sh")),
    ("bench.sh", include_str!("bench.sh")),
    ("sanitize.sh", include_str!("sanitize.sh")),
    ("scaling.sh", include_str!("scaling.sh")),
];
const ARCHIVE: &str = "contents.tar.xz";
/// The most that the folder may hold, in bytes.
const LIMIT: u64 = 60_000_000;
/// What of it is kept for graphs.
const GRAPHS: u64 = 10_000_000;
/// How many times larger programs are as [`fits`] sees them than they are in the archive: most
/// some 20 times.
const LINKED_TO_ARCHIVED: u64 = 16;

/// Gathers the bundle anew.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    ensure!(arguments.is_empty(), "bundle takes no arguments, not {arguments:?}");
    for flags in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
        let is_native = env::var(flags).is_ok_and(|flags| flags.contains("target-cpu=native"));
        ensure!(!is_native, "{flags}: target-cpu=native may not run on another machine");
    }
    let origin = Origin::look();
    let mut artifacts = build(&["build", "--bins"], &PROGRAMS, "cuda", &origin)?;
    let tests = ["test", "--no-run", "--lib", "--bins", "--tests"];
    artifacts.extend(build(&tests, &TESTED, "cuda", &origin)?);

    let bundle = target()?.join("bundle");
    if bundle.exists() {
        fs::remove_dir_all(&bundle).with_context(|| format!("cannot clear {bundle:?}"))?;
    }
    let contents = bundle.join("contents");
    for artifact in &artifacts {
        let place = contents.join(place_of(artifact));
        copy(&artifact.file, &place)?;
        succeeds(Command::new("strip").arg(&place))?;
    }
    let graphs =
        env::var_os("STARPATH_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    if graphs.is_dir() {
        copy(&graphs, &contents.join("data"))?;
    } else {
        println!("SKIPPED: there are no graphs in {} to bundle", graphs.display());
    }
    bundle_python(&contents)?;
    bundle_ranks(&contents, &origin)?;
    fs::write(contents.join("origin"), origin.for_people()).context("cannot write the origin")?;
    let mut tar = Command::new("tar");
    // two thirds of what gzip leaves, in little more time
    tar.env("XZ_OPT", "-3 -T0").arg("-cJf").arg(bundle.join(ARCHIVE)).arg("-C").arg(&contents);
    let optional = ["data", "python"].into_iter().filter(|folder| contents.join(folder).is_dir());
    succeeds(tar.args(["bin", "tests", "origin"]).args(optional))?;
    fs::remove_dir_all(&contents).with_context(|| format!("cannot clear {contents:?}"))?;
    for (name, text) in SCRIPTS {
        write_script(&bundle.join(name), text)?;
    }
    let size = size_of(&bundle)?;
    ensure!(size <= LIMIT, "the bundle has {size} bytes, more than {LIMIT}");
    println!("{} has {:.1} MB", bundle.display(), size as f64 / 1e6);
    Ok(ExitCode::SUCCESS)
}

/// Adds the Python package and its tests, if a wheel can be built here.
fn bundle_python(contents: &Path) -> Result<()> {
    let Some(wheel) = python::wheel()? else { return Ok(()) };
    let name = wheel.file_name().context("a wheel is a file")?;
    copy(&wheel, &contents.join("python").join(name))?;
    copy(&root().join("crates/python/tests"), &contents.join("python/tests"))
}

/// Adds the program for ranks that mpirun starts, where MPI is here to build it with.
fn bundle_ranks(contents: &Path, origin: &Origin) -> Result<()> {
    if let Some(missing) = missing_for_ranks() {
        println!("SKIPPED: {missing}, so that the bundle has no ranks");
        return Ok(());
    }
    for artifact in build(&["build", "--bins"], &["starpath"], "cuda,mpi", origin)? {
        let place = contents.join("bin/starpath-mpi");
        copy(&artifact.file, &place)?;
        succeeds(Command::new("strip").arg(&place))?;
    }
    Ok(())
}

fn succeeds(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot start {program}"))?;
    ensure!(status.success(), "{program} failed");
    Ok(())
}

/// Builds these packages for a bundle.
fn build(
    task: &[&str],
    packages: &[&str],
    features: &str,
    origin: &Origin,
) -> Result<Vec<Artifact>> {
    let mut command = cargo();
    command.args(task).args(["--release", "--locked", "--features", features]);
    packages.iter().for_each(|package| _ = command.args(["--package", package]));
    command.env("STARPATH_COMMIT", &origin.commit).env("STARPATH_RUSTC", &origin.rustc);
    let mut artifacts = built_by(command)?;
    // To test a program, cargo builds it as well, and that one is bundled already.
    artifacts.retain(|artifact| artifact.is_test == (task[0] == "test"));
    ensure!(!artifacts.is_empty(), "cargo {} built nothing that runs", task[0]);
    Ok(artifacts)
}

/// What reports made from the bundle say of it.
struct Origin {
    commit: String,
    rustc: String,
}

impl Origin {
    fn look() -> Self {
        let said = |program: &str, arguments: &[&str]| {
            let output = Command::new(program).args(arguments).current_dir(root()).output();
            let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().into());
            text.unwrap_or_default()
        };
        let commit = said("git", &["describe", "--always", "--dirty"]);
        Self { commit, rustc: said("rustc", &["--version"]) }
    }

    fn for_people(&self) -> String {
        format!("commit {}, {}\n", self.commit, self.rustc)
    }
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

/// Whether a bundle would fit, from what `verify` links without optimising it.
///
/// Optimised, stripped and compressed they take far less; the rest of the limit is for graphs.
pub(crate) fn fits(linked: &[Artifact]) -> Result<bool> {
    let is_bundled = |artifact: &&Artifact| {
        let from = if artifact.is_test { &TESTED[..] } else { &PROGRAMS };
        from.contains(&artifact.package.as_str())
    };
    let mut size = 0;
    for artifact in linked.iter().filter(is_bundled) {
        let facts = fs::metadata(&artifact.file);
        size += facts.with_context(|| format!("cannot look at {:?}", artifact.file))?.len();
    }
    let would_fit = size / LINKED_TO_ARCHIVED <= LIMIT - GRAPHS;
    let verdict = if would_fit { "so a bundle fits" } else { "too much for a bundle" };
    println!("programs and tests have {:.0} MB, {verdict}", size as f64 / 1e6);
    Ok(would_fit)
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
    fn several_packages_may_have_a_test_file_of_one_name() {
        let artifact = |name: &str, is_test| Artifact {
            name: name.into(),
            package: "a-b".into(),
            is_test,
            file: PathBuf::new(),
        };
        assert_eq!(place_of(&artifact("a_b", true)), Path::new("tests/a-b-unit"));
        assert_eq!(place_of(&artifact("all", true)), Path::new("tests/a-b-all"));
        assert_eq!(place_of(&artifact("a-b", false)), Path::new("bin/a-b"));
    }

    #[test]
    fn what_is_too_large_to_be_carried_is_noticed() {
        let folder = env::temp_dir().join(format!("xtask-bundle-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("all");
        let linked = |package: &str| Artifact {
            name: "all".into(),
            package: package.into(),
            is_test: true,
            file: file.clone(),
        };
        let most = (LIMIT - GRAPHS) * LINKED_TO_ARCHIVED;
        // a file with a hole, which takes no room
        fs::File::create(&file).unwrap().set_len(most).unwrap();
        assert!(fits(&[linked("sssp"), linked("graph-formats")]).unwrap());
        assert!(!fits(&[linked("sssp"), linked("star-machine")]).unwrap());
        fs::remove_dir_all(folder).unwrap();
    }
}
