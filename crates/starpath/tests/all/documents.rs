//! The commands of the documents are ones that the program takes.

use std::process::{Command, Stdio};

use crate::support::program;

/// The documents that have commands.
const DOCUMENTS: [&str; 16] = [
    include_str!("../../README.md"),
    include_str!("../../../../README.md"),
    include_str!("../../../../docs/coming-from/cugraph.md"),
    include_str!("../../../../docs/coming-from/routingkit.md"),
    include_str!("../../../../docs/edge-lists.md"),
    include_str!("../../../../docs/guides/changes.md"),
    include_str!("../../../../docs/guides/cluster.md"),
    include_str!("../../../../docs/guides/connectomes.md"),
    include_str!("../../../../docs/guides/gpu.md"),
    include_str!("../../../../docs/guides/larger-than-memory.md"),
    include_str!("../../../../docs/guides/pictures.md"),
    include_str!("../../../../docs/guides/roads.md"),
    include_str!("../../../../docs/guides/several-gpus.md"),
    include_str!("../../../../docs/guides/social-networks.md"),
    include_str!("../../../../docs/star-machine.md"),
    include_str!("../../../../docs/start.md"),
];

/// The arguments of each command in the shell's code blocks of a document. A command may stand
/// behind another, such as `mpirun`. Three dots stand for arguments that are left out.
fn commands(document: &str) -> Vec<Vec<String>> {
    let blocks = document.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let code: String = blocks.collect();
    let code = code.replace("\\\n", " ");
    let lines = code.lines().filter(|line| !line.starts_with("cargo "));
    let commands = lines.filter_map(|line| {
        let words = line.split(" #").next()?.split_whitespace();
        let mut words = words.skip_while(|word| word.rsplit('/').next() != Some("starpath"));
        words.next()?;
        let arguments: Vec<_> = words.map(str::to_owned).collect();
        let is_whole = !arguments.is_empty() && !arguments.iter().any(|word| word == "...");
        is_whole.then_some(arguments)
    });
    commands.collect()
}

/// In a folder without the files that they name, they fail, but not as wrong use.
#[test]
fn the_program_takes_the_commands_of_the_documents() {
    let has_pictures = cfg!(feature = "plot");
    let all: Vec<_> = DOCUMENTS.into_iter().flat_map(commands).collect();
    assert!(all.len() > 50, "{} commands", all.len());
    for arguments in all.iter().filter(|it| has_pictures || it[0] != "plot") {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(program());
        command.args(arguments).current_dir(folder.path()).stdin(Stdio::null());
        let output = command.output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "starpath {arguments:?}: {said}");
    }
}
