//! `starpath apsp` on a GPU: what its report says of the time.

use std::fs;
use std::process::Command;

use serde_json::Value;
use test_support::gpu;

use crate::support::program;

/// A published form is timed without the compiling of its kernels, of which no earlier run has
/// left any here.
#[test]
fn kernels_are_loaded_before_the_clock_starts() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("road.gr"), "p sp 3 2\na 1 2 5\na 2 3 4\n").unwrap();
    for form in ["recursive", "blocked-product", "blocked-two-level", "floyd-warshall"] {
        let graph = folder.path().join("road.gr");
        let run = Command::new(program())
            .env("CUDA_CACHE_DISABLE", "1")
            .args(["apsp", graph.to_str().unwrap(), "--backend", "cuda", "--json"])
            .args(["--algorithm", form])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stderr);
        if !run.status.success() {
            assert!(said.contains("backend cuda: "), "{said}");
            gpu::<(), _>(Err(said.trim()));
            return;
        }
        let report: Value = serde_json::from_slice(&run.stdout).unwrap();
        let ms = |name: &str| report[name].as_f64().unwrap();
        // a few launches; compiling takes some hundred times as long
        assert!(ms("solve_ms") < 5.0 && ms("jit_ms") > 20.0, "{form}: {report}");
    }
}
