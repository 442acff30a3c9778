//! `cargo xtask bundle`: a folder that runs on a GPU machine with neither Rust nor a CUDA
//! toolkit.
//!
//! `target/bundle` gets an archive of the programs, the tests of the crates that use a GPU, the
//! Python package and the folder of real graphs, and scripts that unpack and run it. All is of one
//! release build with [`FEATURES`], stripped. At run time it needs nothing of the machine that
//! built it. For this, the tests must read the environment variables `STARPATH_DATA`, for graphs,
//! and `CARGO_BIN_EXE_starpath`, for the program, when they run.
//!
//! With MPI here the program is linked once more, for ranks.
//!
//! The folder must fit a transfer of [`LIMIT`] bytes. `verify` does not build it, which takes
//! minutes, but holds what it links anyway to a bound: see [`fits`].

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, ensure};

use crate::artifact::{Artifact, built_by};
use crate::shim;
use crate::verify::missing_for_ranks;
use crate::workspace::{Workspace, cargo, root, target};

/// The folders of the packages whose programs are bundled,
const PROGRAMS: [&str; 2] = ["starpath", "bench"];
/// those whose tests are, for some of them need a GPU,
const TESTED: [&str; 11] = [
    "gpu-runtime",
    "search-parts",
    "breadth-first",
    "published",
    "sssp",
    "apsp",
    "hierarchy",
    "centrality",
    "closure",
    "star-machine",
    "starpath",
];
/// and that of the Python package.
const PYTHON: &str = "python";
const SCRIPTS: [(&str, &str); 5] = [
    ("unpack.sh", include_str!("unpack.sh")),
    ("verify.sh", include_str!("verify.sh")),
    ("bench.sh", include_str!("bench.sh")),
    ("sanitize.sh", include_str!("sanitize.sh")),
    ("scaling.sh", include_str!("scaling.sh")),
];
const ARCHIVE: &str = "contents.tar.xz";
/// What the program is built with: all that tests of GPUs use, and no fonts for pictures.
const FEATURES: &str = "cuda,compression";
/// The most that the folder may hold, in bytes.
const LIMIT: u64 = 60_000_000;
/// What of it is kept for graphs, which take 5.0 MB.
const GRAPHS: u64 = 5_500_000;
/// What programs take as [`fits`] sees them, and in the archive, in MB: 44 were measured when they
/// took 215 in more units a crate, in which they would take 255 now, and without `bench`.
const LINKED_AND_ARCHIVED: [u64; 2] = [280, 52];

/// Gathers the bundle anew.
pub(crate) fn run() -> Result<()> {
    for flags in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
        let is_native = env::var(flags).is_ok_and(|flags| flags.contains("target-cpu=native"));
        ensure!(!is_native, "{flags}: target-cpu=native may not run on another machine");
    }
    shim::run()?;
    let origin = Origin::look();
    let artifacts = build(FEATURES, &["--lib", "--bins", "--tests"], &origin)?;

    let bundle = target()?.join("bundle");
    if bundle.exists() {
        fs::remove_dir_all(&bundle).with_context(|| format!("cannot clear {bundle:?}"))?;
    }
    let contents = bundle.join("contents");
    for artifact in &artifacts {
        let Some(place) = place_of(artifact) else { continue };
        copy_stripped(&artifact.file, &contents.join(place))?;
    }
    for (folder, place) in [("python/starpaths", "starpaths"), ("tests", "tests")] {
        copy(&root().join("crates/python").join(folder), &contents.join("python").join(place))?;
    }
    let graphs =
        env::var_os("STARPATH_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    if graphs.is_dir() {
        copy(&graphs, &contents.join("data"))?;
    } else {
        println!("SKIPPED: there are no graphs in {} to bundle", graphs.display());
    }
    bundle_ranks(&contents, &origin)?;
    fs::write(contents.join("origin"), origin.for_people()).context("cannot write the origin")?;
    let mut tar = Command::new("tar");
    // seven eighths of what -3 leaves, which is two thirds of what gzip does
    tar.env("XZ_OPT", "-6 -T0").arg("-cJf").arg(bundle.join(ARCHIVE)).arg("-C").arg(&contents);
    tar.args(["bin", "tests", "python", "origin"]);
    succeeds(tar.args(graphs.is_dir().then_some("data")))?;
    fs::remove_dir_all(&contents).with_context(|| format!("cannot clear {contents:?}"))?;
    for (name, text) in SCRIPTS {
        write_script(&bundle.join(name), text)?;
    }
    let size = size_of(&bundle)?;
    ensure!(size <= LIMIT, "the bundle has {size} bytes, more than {LIMIT}");
    println!("{} has {:.1} MB", bundle.display(), size as f64 / 1e6);
    Ok(())
}

/// Adds the program for ranks that mpirun starts, where MPI is here to build it with.
fn bundle_ranks(contents: &Path, origin: &Origin) -> Result<()> {
    if let Some(missing) = missing_for_ranks() {
        println!("SKIPPED: {missing}, so that the bundle has no ranks");
        return Ok(());
    }
    // a test is built too, for tests also ask something of libraries
    let features = format!("{FEATURES},mpi");
    let artifacts = build(&features, &["--bin", "starpath", "--test", "device"], origin)?;
    let is_program = |artifact: &&Artifact| artifact.name == "starpath" && !artifact.is_test;
    let program = artifacts.iter().find(is_program).context("cargo built no program")?;
    copy_stripped(&program.file, &contents.join("bin/starpath-mpi"))
}

fn copy_stripped(from: &Path, to: &Path) -> Result<()> {
    copy(from, to)?;
    succeeds(Command::new("strip").arg(to))
}

fn succeeds(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot start {program}"))?;
    ensure!(status.success(), "{program} failed");
    Ok(())
}

/// Builds targets of the bundle's packages. All packages are named whatever the targets are, for
/// what they ask of libraries together decides how these are built.
fn build(features: &str, targets: &[&str], origin: &Origin) -> Result<Vec<Artifact>> {
    let workspace = Workspace::load()?;
    let mut command = cargo();
    command.args(["build", "--release", "--locked", "--features", features]).args(targets);
    for folder in PROGRAMS.iter().chain(&TESTED).chain([&PYTHON]) {
        let manifest = format!("crates/{folder}/Cargo.toml");
        let package = workspace.members().find(|member| member.manifest == manifest);
        let package = package.with_context(|| format!("no package has {manifest}"))?;
        command.args(["--package", &package.name]);
    }
    command.env("STARPATH_COMMIT", &origin.commit).env("STARPATH_RUSTC", &origin.rustc);
    built_by(command)
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

/// Where it lies in the bundle, if it is for it. Several packages may have a test file of one
/// name.
fn place_of(artifact: &Artifact) -> Option<PathBuf> {
    let (name, package) = (artifact.name.as_str(), artifact.package());
    let folder = Path::new(if artifact.is_test { "tests" } else { "bin" });
    match artifact.is_test {
        _ if package == PYTHON => Some("python/starpaths/_core.abi3.so".into()),
        true if !TESTED.contains(&package) => None,
        true if name.replace('_', "-") == package => Some(folder.join(format!("{package}-unit"))),
        true => Some(folder.join(format!("{package}-{name}"))),
        false => PROGRAMS.contains(&package).then(|| folder.join(name)),
    }
}

/// Copies a file, which keeps its permissions, or a folder with all that is in it.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
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

/// Whether a bundle would fit, from what `verify` links without a release's optimisation.
///
/// Optimised and compressed it takes far less; the rest of the limit is for graphs.
pub(crate) fn fits(linked: &[Artifact]) -> Result<bool> {
    let stripped = target()?.join("stripped");
    let mut size = 0;
    // the Python package is as large as a program, and has been counted in the archive
    let is_counted =
        |artifact: &&Artifact| artifact.package() != PYTHON && place_of(artifact).is_some();
    for artifact in linked.iter().filter(is_counted) {
        copy_stripped(&artifact.file, &stripped)?;
        size += fs::metadata(&stripped)?.len();
    }
    let verdict = if may_have(size) { "so a bundle fits" } else { "too much for a bundle" };
    println!("programs and tests have {:.0} MB, {verdict}", size as f64 / 1e6);
    Ok(may_have(size))
}

fn may_have(stripped_bytes: u64) -> bool {
    let [linked, archived] = LINKED_AND_ARCHIVED;
    stripped_bytes * archived / linked <= LIMIT - GRAPHS
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
    fn what_is_bundled_has_a_place_of_its_own() {
        let place = |package: &str, name: &str, is_test| {
            let folder = Path::new("crates").join(package);
            let place =
                place_of(&Artifact { name: name.into(), folder, is_test, file: PathBuf::new() });
            place.map(|place| place.to_string_lossy().into_owned())
        };
        assert_eq!(place("gpu-runtime", "gpu_runtime", true).unwrap(), "tests/gpu-runtime-unit");
        assert_eq!(place("sssp", "all", true).unwrap(), "tests/sssp-all");
        assert_eq!(place("starpath", "starpath", false).unwrap(), "bin/starpath");
        assert_eq!(place("python", "starpaths", false).unwrap(), "python/starpaths/_core.abi3.so");
        assert_eq!(place("bench", "bench", true), None);
        assert_eq!(place("star-machine", "in_cuda", false), None);
    }

    #[test]
    fn what_is_too_large_to_be_carried_is_noticed() {
        let [linked, archived] = LINKED_AND_ARCHIVED;
        let most = (LIMIT - GRAPHS) * linked / archived;
        assert!(may_have(most) && !may_have(most + linked));
    }
}
