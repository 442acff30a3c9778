//! A build without MPI that `mpirun` has started says that its processes share no work.

use std::process::Command;

use crate::support::program;

#[test]
fn the_first_of_several_processes_warns() {
    let said = |variables: &[(&str, &str)]| {
        let mut command = Command::new(program());
        command.args(["generate", "grid", "--side", "3", "-o", "-"]);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stderr).unwrap()
    };
    let open_mpi = |size, rank| [("OMPI_COMM_WORLD_SIZE", size), ("OMPI_COMM_WORLD_RANK", rank)];
    let first = said(&open_mpi("4", "0"));
    for part in ["warning: this build has no MPI", "each of the 4 processes", "--features mpi"] {
        assert!(first.contains(part), "{first}");
    }
    assert!(said(&[("PMI_SIZE", "2"), ("PMI_RANK", "0")]).contains("each of the 2 processes"));
    for quiet in [open_mpi("4", "1"), open_mpi("1", "0"), open_mpi("many", "0")] {
        assert!(!said(&quiet).contains("warning"), "{quiet:?}");
    }
}
