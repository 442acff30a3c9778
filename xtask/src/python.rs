//! The Python package: `cargo xtask wheel` builds it, and the step `python` tests it.
//!
//! It has the GPU's code where that can be linked, and runs without a GPU too. Its tests, in an
//! environment of their own under `target/`, are ours, and those that scipy and NetworkX have of the
//! functions that are theirs, run against ours; mypy checks its types. They take the library that was
//! built with all other tests, for a wheel's would be built from other libraries than these.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread;

use anyhow::{Context, Result, ensure};

use crate::artifact::Artifact;
use crate::bundle::copy;
use crate::report::Outcome;
use crate::shim;
use crate::workspace::root;

/// Where the environment is, and the wheel is put.
const ENVIRONMENT: &str = "target/python/environment";
const WHEEL: &str = "target/wheel";
const MANIFEST: [&str; 2] = ["--manifest-path", "crates/python/Cargo.toml"];

const PIP: [&str; 5] = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];

/// What the tests need, besides what the wheel asks for.
const PACKAGES: [&str; 12] = [
    "maturin==1.16.0",
    "numpy==2.4.6",
    "scipy==1.17.1",
    "networkx==3.6.1",
    "pandas==3.1.1",
    "tqdm==4.70.1",
    "pytest==9.2.0",
    "hypothesis==6.170.15",
    "mypy==2.4.1",
    "scipy-stubs==1.17.1.5",
    "matplotlib==3.11.2",
    "mpi4py==4.1.2",
];

/// The files of scipy's tests that are for functions of `starpaths.csgraph`.
const SCIPYS: [&str; 3] = ["test_shortest_path", "test_connected_components", "test_spanning_tree"];

/// The files of NetworkX's tests that are for functions of its backend.
const NETWORKXS: [&str; 10] = [
    "generators.tests.test_ego",
    "algorithms.shortest_paths",
    "algorithms.centrality.tests.test_betweenness_centrality",
    "algorithms.centrality.tests.test_closeness_centrality",
    "algorithms.centrality.tests.test_harmonic_centrality",
    "algorithms.tests.test_dag",
    "algorithms.tests.test_distance_measures",
    "algorithms.tests.test_simple_paths",
    "algorithms.tests.test_wiener",
    "algorithms.tree.tests.test_mst",
];

/// Builds the wheel, optimised: its path, or none where it cannot be built, which is said.
pub(crate) fn wheel() -> Result<Option<PathBuf>> {
    let python = match environment() {
        Ok(python) => python,
        Err(reason) => {
            println!("SKIPPED: no wheel, because {reason}");
            return Ok(None);
        }
    };
    let folder = root().join(WHEEL);
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot clear {folder:?}"))?;
    }
    let mut build = Command::new(python);
    build.args(["-m", "maturin", "build", "--quiet", "--locked", "--profile", "release"]);
    build.args(MANIFEST).args(["--out", WHEEL]);
    if cfg!(target_os = "linux") {
        shim::run()?;
        build.args(["--features", "cuda"]);
    }
    let status = build.status().context("cannot start maturin")?;
    ensure!(status.success(), "maturin built no wheel");
    let mut files = fs::read_dir(&folder).with_context(|| format!("cannot list {folder:?}"))?;
    let wheel = files.next().context("maturin left no wheel")??.path();
    println!("{} has {:.1} MB", wheel.display(), wheel.metadata()?.len() as f64 / 1e6);
    Ok(Some(wheel))
}

/// Tests the package, of which the library is among what was built, or says why that cannot be done.
pub(crate) fn check(built: &[Artifact]) -> Result<Outcome> {
    let python = match environment() {
        Ok(python) => python,
        Err(reason) => return Ok(Outcome::skipped(reason)),
    };
    let library = built.iter().find(|artifact| artifact.package() == "python");
    install(python, &library.context("cargo built no library for Python")?.file)?;
    let pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
    let mut ours = Command::new(python);
    // tests without what they need say why they are skipped
    ours.args(pytest).args(["-rs", "crates/python/tests"]);
    let mut scipys = Command::new(python);
    scipys.args(pytest).args(["-p", "replace_csgraph", "--pyargs"]);
    scipys.args(SCIPYS.map(|file| format!("scipy.sparse.csgraph.tests.{file}")));
    scipys.env("PYTHONPATH", "crates/python/tests");
    let mut networkxs = Command::new(python);
    networkxs.args(pytest).args(["-p", "count_networkx", "--pyargs"]);
    networkxs.args(NETWORKXS.map(|file| format!("networkx.{file}")));
    networkxs.env("PYTHONPATH", "crates/python/tests");
    networkxs.env("NETWORKX_TEST_BACKEND", "starpaths").env("NETWORKX_FALLBACK_TO_NX", "1");
    // what the types say of signatures, and of uses
    let mut stubs = Command::new(python);
    stubs.args(["-m", "mypy.stubtest", "starpaths._core", "starpaths.csgraph"]);
    let mut types = Command::new(python);
    types.args(["-m", "mypy", "--config-file", "crates/python/pyproject.toml"]);
    types.args(["--cache-dir", "target/python/mypy"]);
    types.args(["crates/python/python/starpaths", "crates/python/tests/typed.py"]);
    // each is on one processor
    let checks = thread::scope(|scope| {
        let commands = [ours, scipys, networkxs, stubs, types];
        let checks = commands.map(|mut command| scope.spawn(move || command.output()));
        checks.map(|check| check.join().expect("no thread panics"))
    });
    let mut is_right = true;
    for check in checks {
        let check = check.with_context(|| format!("cannot start {python:?}"))?;
        io::stdout().write_all(&[check.stdout, check.stderr].concat())?;
        is_right &= check.status.success();
    }
    Ok(Outcome::of(is_right))
}

/// The Python of the environment, which is made by the first call, or why there is none.
pub(crate) fn environment() -> Result<&'static Path, &'static str> {
    static ENVIRONMENT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    ENVIRONMENT.get_or_init(make_environment).as_deref().map_err(String::as_str)
}

fn make_environment() -> Result<PathBuf, String> {
    let supported = "import sys; sys.exit(sys.version_info < (3, 11))";
    if !is_ok(quiet("python3").args(["-c", supported])) {
        return Err("the tests need Python 3.11 or later, which is not installed".to_owned());
    }
    if !is_ok(quiet("python3").args(["-m", "venv", ENVIRONMENT])) {
        return Err("Python cannot make environments (on Debian, install python3-venv)".to_owned());
    }
    let python = root().join(ENVIRONMENT).join("bin/python");
    if !is_ok(Command::new(&python).args(PIP).args(PACKAGES)) {
        let packages = PACKAGES.join(", ");
        return Err(format!("these packages cannot be installed: {packages}"));
    }
    Ok(python)
}

/// Puts the package with this library where an installer would.
fn install(python: &Path, library: &Path) -> Result<()> {
    let place = "import sysconfig; print(sysconfig.get_path('purelib'), end='')";
    let output = Command::new(python).args(["-c", place]).output();
    let output = output.with_context(|| format!("cannot start {python:?}"))?;
    let site = PathBuf::from(String::from_utf8(output.stdout)?);
    let package = site.join("starpaths");
    if package.exists() {
        fs::remove_dir_all(&package).with_context(|| format!("cannot clear {package:?}"))?;
    }
    copy(&root().join("crates/python/python"), &site)?;
    copy(library, &package.join("_core.abi3.so"))?;
    // the name and the entry points, by which NetworkX finds its backend
    let mut describe = Command::new(python);
    describe.args(["-m", "maturin", "pep517", "write-dist-info", "--metadata-directory"]);
    ensure!(is_ok(describe.arg(&site).args(MANIFEST)), "maturin does not describe the package");
    Ok(())
}

fn quiet(program: &str) -> Command {
    let mut command = Command::new(program);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn is_ok(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}
