//! Signals that end a run, and results that go where no file is.

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{json_in, program, run_in};

/// Starts a command line that would not end for long, sends a signal when it is at work, and waits
/// for its end: its exit code, and what it said.
fn signalled(folder: &Path, before: &[&str], signal: &str) -> (Option<i32>, String) {
    let mut words: Vec<_> = before.iter().map(|&word| word.into()).collect();
    words.push(program());
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .args(["apsp", "graph.spg", "--algorithm", "blocked", "--repeat", "1000000"])
        .args(["--threads", "1", "--distances", "out.npy"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let kill = |signal: &str| Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(kill(signal).unwrap().success());
    if !before.is_empty() {
        // what is to be ignored
        std::thread::sleep(Duration::from_millis(300));
        assert!(kill("-TERM").unwrap().success(), "it goes on");
    }
    let since = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if since.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("{signal} does not end it");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code(), said)
}

#[test]
fn what_tells_it_to_end_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate uniform --vertices 1500 --edges 6000 -o {}/graph.spg");
    fs::write(folder.join("out.npy"), "old").unwrap();
    for signal in ["-INT", "-TERM", "-HUP"] {
        if signal == "-HUP" && is_hang_up_ignored() {
            println!("SKIPPED: these tests were started by nohup, which has -HUP ignored");
            continue;
        }
        let (code, said) = signalled(folder, &[], signal);
        assert_eq!(code, Some(130), "{signal}: {said}");
        assert!(said.ends_with("starpath: interrupted\n"), "{signal}: {said}");
        assert_eq!(fs::read_to_string(folder.join("out.npy")).unwrap(), "old");
        assert_eq!(fs::read_dir(folder).unwrap().count(), 2, "{signal}");
    }
    if cfg!(target_os = "linux") {
        let (code, said) = signalled(folder, &["nohup"], "-HUP");
        assert_eq!(code, Some(130), "{said}");
        assert_eq!(said.matches("stopping").count(), 1, "{said}");
    }
}

/// Whether this process, and those that it starts, ignore that their terminal is gone.
fn is_hang_up_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok());
    ignored.is_some_and(|signals| signals & 1 == 1)
}

/// A named pipe is opened once, by its reader's time.
#[test]
fn results_go_into_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate grid --side 30 -o {}/grid.spg");
    json_in(folder, "sssp {}/grid.spg --source 1 -o {}/file.tsv");
    let pipe = folder.join("pipe.tsv");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
    json_in(folder, "sssp {}/grid.spg --source 1 -o {}/pipe.tsv");
    assert_eq!(reader.join().unwrap(), fs::read_to_string(folder.join("file.tsv")).unwrap());
}

#[test]
fn two_results_are_not_one_file_through_links() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate grid --side 5 -o {}/grid.spg");
    symlink("a.npy", folder.join("b.npy")).unwrap();
    symlink("b.npy", folder.join("c.npy")).unwrap();
    for line in [
        "apsp {}/grid.spg --distances {}/a.npy --next-hops {}/c.npy",
        "apsp {}/grid.spg --distances {}/b.npy --next-hops {}/c.npy",
        "centrality {}/grid.spg --resume {}/s.tsv -o {}/s.tsv",
    ] {
        let run = run_in(folder, line);
        assert_eq!(run.code, Some(2), "{line}: {run:?}");
        assert!(run.stderr.contains("two results"), "{line}: {run:?}");
    }
    fs::write(folder.join("a.npy"), "").unwrap();
    let run = run_in(folder, "apsp {}/grid.spg --distances {}/a.npy --next-hops {}/c.npy");
    assert!(run.stderr.contains("two results"), "{run:?}");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 4);
}
