//! The step `python`: the wheel is built, installed in an environment of its own under `target/`,
//! and tested beside scipy and NetworkX, whose own tests are run against it too; its types are
//! checked by mypy.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::report::Outcome;

/// Where the environment is, and the wheel is put.
const ENVIRONMENT: &str = "target/python/environment";
const WHEELS: &str = "target/python/wheels";

/// What the tests need, besides what the wheel asks for.
const PACKAGES: [&str; 11] = [
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
];

/// The files of scipy's tests that are for functions of `starpaths.csgraph`.
const SCIPYS: [&str; 3] = ["test_shortest_path", "test_connected_components", "test_spanning_tree"];

/// The files of NetworkX's tests that are for functions of its backend, under `algorithms`.
const NETWORKXS: [&str; 9] = [
    "shortest_paths",
    "centrality.tests.test_betweenness_centrality",
    "centrality.tests.test_closeness_centrality",
    "centrality.tests.test_harmonic_centrality",
    "tests.test_dag",
    "tests.test_distance_measures",
    "tests.test_simple_paths",
    "tests.test_wiener",
    "tree.tests.test_mst",
];

/// Builds and tests the package, or says why that cannot be done.
pub(crate) fn check() -> Result<Outcome> {
    let supported = "import sys; sys.exit(sys.version_info < (3, 11))";
    if !is_ok(quiet("python3").args(["-c", supported])) {
        return Ok(Outcome::skipped("there is no Python from 3.11 on, which the tests need"));
    }
    if !is_ok(quiet("python3").args(["-m", "venv", ENVIRONMENT])) {
        return Ok(Outcome::skipped("Python makes no environments (python3-venv on Debian)"));
    }
    let python = Path::new(ENVIRONMENT).join("bin/python");
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    if !is_ok(Command::new(&python).args(pip).args(PACKAGES)) {
        let packages = PACKAGES.join(", ");
        return Ok(Outcome::skipped(format!("not to be had from a package index: {packages}")));
    }
    let mut build = Command::new(&python);
    build.args(["-m", "maturin", "build", "--quiet", "--locked", "--profile", "dev"]);
    build.args(["--manifest-path", "crates/python/Cargo.toml", "--out", WHEELS]);
    let mut install = Command::new(&python);
    install.args(pip).args(["--no-index", "--no-deps", "--force-reinstall"]);
    install.args(["--find-links", WHEELS, "starpaths"]);
    let pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
    let mut ours = Command::new(&python);
    // tests without what they need say why they are skipped
    ours.args(pytest).args(["-rs", "crates/python/tests"]);
    let mut scipys = Command::new(&python);
    scipys.args(pytest).args(["-p", "replace_csgraph", "--pyargs"]);
    scipys.args(SCIPYS.map(|file| format!("scipy.sparse.csgraph.tests.{file}")));
    scipys.env("PYTHONPATH", "crates/python/tests");
    let mut networkxs = Command::new(&python);
    networkxs.args(pytest).args(["-p", "count_networkx", "--pyargs"]);
    networkxs.args(NETWORKXS.map(|file| format!("networkx.algorithms.{file}")));
    networkxs.env("PYTHONPATH", "crates/python/tests");
    networkxs.env("NETWORKX_TEST_BACKEND", "starpaths").env("NETWORKX_FALLBACK_TO_NX", "1");
    // what the types say of signatures, and of uses
    let mut stubs = Command::new(&python);
    stubs.args(["-m", "mypy.stubtest", "starpaths._core", "starpaths.csgraph"]);
    let mut types = Command::new(&python);
    types.args(["-m", "mypy", "--config-file", "crates/python/pyproject.toml"]);
    types.args(["--cache-dir", "target/python/mypy"]);
    types.args(["crates/python/python/starpaths", "crates/python/tests/typed.py"]);
    let tests = [&mut ours, &mut scipys, &mut networkxs, &mut stubs, &mut types];
    for command in [&mut build, &mut install].into_iter().chain(tests) {
        let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
        if !status.success() {
            return Ok(Outcome::of(false));
        }
    }
    Ok(Outcome::of(true))
}

fn quiet(program: &str) -> Command {
    let mut command = Command::new(program);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn is_ok(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}
