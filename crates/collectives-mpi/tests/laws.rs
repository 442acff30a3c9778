//! What holds for all communicators holds for the ranks that `mpirun` starts, each of which is
//! this program again.

#![cfg(feature = "mpi")]

#[path = "../../collectives/tests/laws/law.rs"]
mod law;

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use collectives::Communicator;
use collectives_mpi::Mpi;

use law::laws;

/// Runs a test of this program on `size` ranks; `None` if that is not possible.
fn mpirun(size: usize, test: &str) -> Option<Output> {
    let this = std::env::current_exe().expect("this program has a path");
    let own = std::env::temp_dir().join(format!("mpi-{}", std::process::id()));
    std::fs::create_dir_all(&own).expect("a folder for temporary files");
    let output = Command::new("mpirun")
        .args(["--oversubscribe", "-n", &size.to_string()])
        .arg(this)
        .args(["--exact", "--nocapture", test])
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        // two programs that make their common folder at once fail
        .env("OMPI_MCA_orte_tmpdir_base", &own)
        .stdin(Stdio::null())
        .output();
    let _ = std::fs::remove_dir_all(own);
    if output.is_err() {
        println!("SKIPPED: there is no mpirun");
    }
    output.ok()
}

#[test]
fn mpi_keeps_the_laws() {
    if let Some(ranks) = Mpi::start().unwrap() {
        (0..20).try_for_each(|seed| laws(&ranks, seed)).unwrap();
        return;
    }
    for size in 1..=4 {
        let Some(output) = mpirun(size, "mpi_keeps_the_laws") else { return };
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{size}: {output:?}");
        assert_eq!(said.matches("1 passed").count(), size, "{said}");
    }
}

#[test]
fn a_rank_that_panics_ends_all() {
    if let Some(ranks) = Mpi::start().unwrap() {
        let ranks: &dyn Communicator = &ranks;
        ranks.barrier().unwrap();
        assert!(ranks.rank() != 1, "of rank 1");
        ranks.barrier().unwrap();
        return;
    }
    let start = Instant::now();
    let Some(output) = mpirun(3, "a_rank_that_panics_ends_all") else { return };
    assert!(!output.status.success(), "{output:?}");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn without_mpirun_there_is_no_mpi() {
    assert!(Mpi::start().unwrap().is_none());
}
