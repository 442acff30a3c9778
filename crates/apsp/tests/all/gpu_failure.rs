//! A GPU that fails in the midst of the work: the run ends with its name, and a folder goes on.
//!
//! A kernel that traps, launched beside the solver's, ends all that the process has on that GPU.
//! So each case runs in a process of its own: this program again, with the case in a variable.

use std::env;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::sleep;
use std::time::{Duration, Instant};

use apsp::{Algorithm, ApspError, Config, ScratchFolder, Solver};
use gpu_runtime::{Gpu, GpuError, LaunchConfig, Ptx};
use graph_formats::Csr;

use crate::gpu::{gpu, in_32_bits, some_gpus};
use crate::gpu_folder::{matrix, resumed};

/// The variables that tell a process its case, and the folder for it.
const CASE: &str = "STARPATH_TEST_FAILURE";
const FOLDER: &str = "STARPATH_TEST_FOLDER";
/// A process that takes longer hangs.
const LONGEST: Duration = Duration::from_secs(20);

static TRAP: Ptx = Ptx::new(
    "trap",
    ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry fail()\n{\n    trap;\n}\n",
);

/// Where the matrix is, or who searches, and by how many GPUs, of which the last fails.
const CASES: [(&str, u32); 6] =
    [("memory", 1), ("memory", 2), ("strips", 2), ("johnson", 2), ("folder", 1), ("folder", 2)];

fn graph() -> Csr<f64> {
    in_32_bits(3000, 9000, 50_000).convert_weights().unwrap()
}

/// What a process of one case does; without one it is no test.
#[test]
fn in_a_process_of_its_own() {
    let Ok(case) = env::var(CASE) else { return };
    let (name, n_gpus) = case.split_once(' ').unwrap();
    let mut gpus = some_gpus(n_gpus.parse().unwrap()).unwrap();
    let about = gpus.last().unwrap().properties().clone();
    let beside = Gpu::open_ordinal(about.ordinal).unwrap();
    let trap = beside.kernel(&TRAP, "fail").unwrap();
    let graph = graph();
    let side = graph.n_vertices().next_multiple_of(128) as u64;
    let is_launched = AtomicBool::new(false);
    let fail = |done: u64, total: u64| {
        let is_midst = match name {
            // while they search; rows are heard of when many are done
            "johnson" => true,
            // reading the graph and filling the matrix have other totals
            "folder" => total > side && total.is_multiple_of(side) && done > 2 * side,
            _ => done > 0,
        };
        if is_midst && !is_launched.swap(true, Relaxed) {
            // SAFETY: the kernel touches no memory.
            unsafe { beside.launch(&trap, LaunchConfig::new(1, 1), &[]) }.unwrap();
        }
        ControlFlow::Continue(())
    };
    if name == "strips" {
        // 8 bytes for each number would be kept
        gpus = gpus.iter().map(|gpu| gpu.with_memory_cap(5 * side * side)).collect();
    }
    let algorithm = if name == "johnson" { Algorithm::Johnson } else { Algorithm::Auto };
    let config = Config::with(algorithm);
    let scratch = ScratchFolder::new(env::var(FOLDER).unwrap());
    let solver = Solver::new(&graph, &config).on(&gpus);
    let found = match name {
        "folder" => solver.in_folder(&scratch).solve(Some(&fail)),
        _ => solver.solve(Some(&fail)),
    };
    let error = found.expect_err("a GPU has failed");
    println!("{case}: {error}");
    let ApspError::Gpu(error) = error else { panic!("{error}") };
    let GpuError::OnGpu { gpu, .. } = *error else { panic!("{error}") };
    // a failed kernel ends all GPUs of a process, so that there may be others beside it
    let name = format!("GPU {} ({})", about.ordinal, about.name);
    assert!(gpu.split(" or ").any(|one| one == name), "{gpu} and not {name}");
    assert!(beside.has_failed());
}

/// Whether the process ended in time, and well.
fn run(case: &str, folder: &Path) -> bool {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["gpu_failure::in_a_process_of_its_own", "--exact", "--nocapture"])
        .env(CASE, case)
        .env(FOLDER, folder)
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while begin.elapsed() < LONGEST {
        if let Some(status) = child.try_wait().unwrap() {
            return status.success();
        }
        sleep(Duration::from_millis(20));
    }
    println!("{case}: hangs");
    child.kill().unwrap();
    child.wait().unwrap();
    false
}

#[test]
fn a_run_ends_with_the_name_of_the_gpu_that_failed() {
    let Some(gpu) = gpu() else { return };
    assert!(!gpu.has_failed());
    let folder = tempfile::tempdir().unwrap();
    let at = |case: &str| folder.path().join(case);
    let cases = CASES.map(|(name, n_gpus)| format!("{name} {n_gpus}"));
    let wrong: Vec<_> = cases.iter().filter(|case| !run(case, &at(case))).collect();
    assert!(wrong.is_empty(), "{wrong:?}");

    // the processor goes on, with what is there
    let (graph, config) = (graph(), Config::default());
    let solve = |scratch: &ScratchFolder| {
        drop(Solver::new(&graph, &config).in_folder(scratch).solve(None).unwrap());
    };
    solve(&ScratchFolder::new(at("whole")));
    for case in cases.iter().filter(|case| case.starts_with("folder")) {
        let scratch = resumed(&at(case));
        assert!(scratch.holds_run(), "{case}");
        solve(&scratch);
        assert!(matrix(&at(case)) == matrix(&at("whole")), "{case}");
    }
}
