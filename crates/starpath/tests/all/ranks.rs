//! `mpirun starpath`: the answers of one process, and one message where a rank fails.
//!
//! Without the feature `mpi` there is nothing to test here; without `mpirun`, tests say SKIPPED.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Run, json_in, program, run_in};

/// An `mpirun`, and its folder: two that make a common one at once fail.
pub(crate) struct Started {
    mpirun: Child,
    _own: TempDir,
}

impl Started {
    fn id(&self) -> u32 {
        self.mpirun.id()
    }
}

/// Starts a command line on `n_ranks` ranks; `None` if there is no `mpirun`.
pub(crate) fn start(folder: &Path, n_ranks: usize, line: &str) -> Option<Started> {
    start_by(&[], folder, n_ranks, line)
}

/// The same, where another program starts ours.
fn start_by(other: &[&str], folder: &Path, n_ranks: usize, line: &str) -> Option<Started> {
    let name = folder.to_str().unwrap();
    let own = tempfile::tempdir().unwrap();
    let started = Command::new("mpirun")
        .args(["--oversubscribe", "-n", &n_ranks.to_string()])
        .args(other)
        .arg(program())
        .args(line.split_whitespace().map(|word| word.replace("{}", name)))
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        // what joins the ranks of one machine: to look for more takes most of a start
        .env("OMPI_MCA_pml", "ob1")
        .env("OMPI_MCA_btl", "self,vader")
        .env("OMPI_MCA_orte_tmpdir_base", own.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    if started.is_err() {
        println!("SKIPPED: there is no mpirun");
    }
    started.ok().map(|mpirun| Started { mpirun, _own: own })
}

pub(crate) fn end(started: Started) -> Run {
    let output = started.mpirun.wait_with_output().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// What the program says on standard error, without what `mpirun` says of its end.
fn messages(run: &Run) -> Vec<&str> {
    let ours = run.stderr.lines().filter(|line| line.starts_with("starpath: "));
    ours.filter(|line| !line.contains("Ctrl-C again")).collect()
}

/// A report without times, and with no more digits of the sum than floats share.
pub(crate) fn comparable(mut report: Value) -> Value {
    for time in ["load_ms", "solve_ms"] {
        report[time] = Value::Null;
    }
    if let Some(sum) = report["distance_sum"].as_f64() {
        report["distance_sum"] = format!("{sum:.4e}").into();
    }
    report
}

#[test]
fn ranks_write_the_bytes_that_one_process_writes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate uniform --vertices 700 --edges 3000 --directed -o {}/whole.spg");
    json_in(folder, "generate uniform --vertices 600 --edges 900 -o {}/edges.spg");
    json_in(folder, "generate grid --side 20 -o {}/grid.spg");
    json_in(folder, "prepare {}/grid.spg -o {}/grid.prepared");
    let arcs = |file: &str, zero: &str| {
        let arcs = (0..500u32).flat_map(|u| [(u, (u + 1) % 500), (u, (u * 7 + 3) % 500)]);
        let lines = arcs.map(|(u, v)| format!("{} {} {}{zero}\n", u + 5, v + 5, u % 50 + v % 9));
        fs::write(folder.join(file), lines.collect::<String>()).unwrap();
    };
    arcs("named.wel", "");
    arcs("floats.wel", ".3");
    let ids = |last: u32| (5..last).rev().map(|id| format!("{id}\n")).collect::<String>();
    fs::write(folder.join("sources"), ids(47)).unwrap();
    fs::write(folder.join("few"), ids(7)).unwrap();
    fs::write(folder.join("targets"), ids(90)).unwrap();
    let commands = [
        "apsp {}/whole.spg --algorithm blocked --check 9 --distances",
        "apsp {}/named.wel --next-hops {}/hops-OUT.npy --distances",
        "apsp {}/floats.wel --algorithm blocked --check 500 --distances",
        "apsp {}/floats.wel --next-hops {}/hops-OUT.npy --algorithm blocked --distances",
        "apsp {}/named.wel --next-hops {}/hops-OUT.npy --algorithm johnson --distances",
        "sssp {}/named.wel --sources {}/sources --targets {}/targets -o",
        "sssp {}/floats.wel --sources {}/few --targets {}/targets -o",
        "centrality {}/whole.spg --hops -o",
        "centrality {}/edges.spg --measure harmonic,betweenness --side in --sample 90 -o",
        "centrality {}/floats.wel --measure edge-betweenness -o",
        "centrality {}/floats.wel --tie-tolerance 1e-12 --measure betweenness -o",
        "centrality {}/grid.prepared -o",
    ];
    for (at, command) in commands.into_iter().enumerate() {
        let suffixes = ["npy", "tsv"];
        let n_arrays = usize::from(!command.starts_with("centrality"));
        for suffix in &suffixes[1 - n_arrays..] {
            let line = |name: &str| {
                let command = command.replace("OUT", name);
                format!("{command} {{}}/{name}.{suffix} --threads 1")
            };
            let expected = comparable(json_in(folder, &line("one")));
            // to start ranks takes longer than what they do
            for n_ranks in [[1, 3], [2, 4], [3, 4]][at % 3] {
                let line = format!("{} --json", line("many"));
                let Some(child) = start(folder, n_ranks, &line) else { return };
                let run = end(child);
                assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{n_ranks} {line}");
                let mut found: Value = serde_json::from_str(&run.stdout).unwrap();
                let ranks = found.as_object_mut().unwrap().remove("ranks");
                assert_eq!(ranks, (n_ranks > 1).then(|| n_ranks.into()));
                assert_eq!(comparable(found), expected, "{n_ranks} {line}");
                let out = format!("many.{suffix}");
                let all =
                    [&out, "hops-many.npy"].map(|file| [file.to_owned(), format!("{file}.ids")]);
                for name in all.into_iter().flatten() {
                    let [one, many] = [name.replace("many", "one"), name]
                        .map(|name| fs::read(folder.join(name)).ok());
                    assert!(one == many, "{n_ranks} {line}");
                }
            }
        }
    }
}

#[test]
fn an_error_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("cycle.wel"), "1 2 3\n2 3 -5\n3 1 1\n").unwrap();
    fs::write(folder.join("road.wel"), "1 2 3\n2 3 5\n").unwrap();
    fs::write(folder.join("zero.wel"), "1 2 3\n2 3 0\n").unwrap();
    // ranks wait for one another to end, and most of the time for nothing else
    let lines = [
        ("apsp {}/none.spg", 1),
        ("apsp {}/cycle.wel", 1),
        ("apsp {}/cycle.wel --algorithm johnson", 1),
        ("apsp {}/road.wel --distances {}/none/out.npy", 1),
        ("apsp {}/road.wel --memory 1", 1),
        ("apsp {}/road.wel --distances {}/out.csv", 2),
        ("apsp {}/road.wel --distances {}/out.npy --next-hops {}/out.npy", 2),
        ("apsp {}/road.wel --no-such-option", 2),
        ("sssp {}/none.spg --source 1 --partitioned", 1),
        ("sssp {}/none.wel --source 1 --partitioned", 1),
        ("sssp {}/road.wel --source 4 --partitioned", 1),
        ("sssp {}/road.wel --sources {}/none --nearest --partitioned", 1),
        ("sssp {}/none.wel --sources {}/road.wel --nearest --partitioned", 1),
        ("sssp {}/road.wel --sources {}/ids --cutoff 3 --partitioned", 2),
        ("graph500 --scale 0 --partitioned", 2),
        ("generate rmat --scale 4 --partitioned -o {}/graph.gr", 2),
        ("generate rmat --scale 4 --partitioned -o {}/none/graph.spg", 1),
        ("graph500 --scale 3 --edge-factor 0 --partitioned", 2),
        ("centrality {}/none.spg", 1),
        ("centrality {}/cycle.wel", 1),
        ("centrality {}/zero.wel --measure betweenness", 1),
        ("centrality {}/road.wel --resume {}/zero.wel", 1),
        ("centrality {}/road.wel -o {}/none/out.tsv", 1),
        ("centrality {}/road.wel --tie-tolerance 0.1 --measure betweenness", 2),
    ];
    lines.into_par_iter().for_each(|(line, code)| {
        let Some(child) = start(folder, 3, line) else { return };
        let run = end(child);
        let expected = run_in(folder, line);
        assert_eq!((run.code, expected.code), (Some(code), Some(code)), "{line}: {}", run.stderr);
        assert_eq!(messages(&run), messages(&expected), "{line}");
        assert_eq!((messages(&run).len(), run.stdout.as_str()), (1, ""), "{line}");
    });
    for line in [
        "apsp {}/road.wel --backend cuda --gpus 2",
        "apsp {}/road.wel --algorithm supernodes",
        "centrality {}/road.wel --backend cuda --gpus 2",
        "centrality {}/road.wel --measure diameter",
        "centrality {}/road.wel --hops --measure betweenness --error 0.1",
        "sssp {}/road.wel --source 1",
        "sssp {}/road.wel --sources {}/ids --nearest",
    ] {
        let Some(child) = start(folder, 2, line) else { return };
        let run = end(child);
        assert_eq!((run.code, messages(&run).len()), (Some(2), 1), "{line}: {}", run.stderr);
        assert!(run.stderr.contains("without mpirun"), "{}", run.stderr);
    }
}

/// The processes that another has started.
fn children(process: u32) -> Vec<u32> {
    let path = format!("/proc/{process}/task/{process}/children");
    let listed = fs::read_to_string(path).unwrap_or_default();
    listed.split_whitespace().map(|id| id.parse().unwrap()).collect()
}

fn catches_interrupts(process: u32) -> bool {
    const SIGINT: u64 = 1 << 1;
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & SIGINT > 0)
}

fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([name, &process.to_string()]).status();
    assert!(sent.unwrap().success());
}

/// A rank that is killed, or told to end, and Ctrl-C, each end the whole run long before it is
/// done, and no file is left.
#[test]
fn a_rank_that_ends_ends_all() {
    if !cfg!(target_os = "linux") {
        println!("SKIPPED: processes are looked up as Linux lists them");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate uniform --vertices 2000 --edges 8000 -o {}/graph.spg");
    let pairs = "apsp {}/graph.spg --algorithm blocked --distances {}/out.npy";
    let measure = "centrality {}/graph.spg --measure betweenness -o {}/out.tsv";
    let search = "sssp {}/graph.spg --source 1 --partitioned -o {}/out.tsv";
    for (command, name, of_rank, said) in [
        (pairs, "-KILL", Some(1), None),
        (pairs, "-KILL", Some(0), None),
        (pairs, "-INT", Some(2), Some("starpath: interrupted")),
        (pairs, "-INT", Some(0), Some("starpath: interrupted")),
        (pairs, "-INT", None, Some("starpath: interrupted")),
        (search, "-KILL", Some(1), None),
        (search, "-INT", Some(2), Some("starpath: interrupted")),
        (measure, "-KILL", Some(1), None),
        (measure, "-INT", Some(2), Some("starpath: interrupted")),
        (measure, "-INT", None, Some("starpath: interrupted")),
    ] {
        // more than will be done
        let line = &format!("{command} --threads 1 --repeat 1000000");
        let Some(child) = start(folder, 3, line) else { return };
        let begin = Instant::now();
        while children(child.id()).into_iter().filter(|&rank| catches_interrupts(rank)).count() < 3
        {
            assert!(begin.elapsed() < Duration::from_secs(300), "the ranks do not start");
            sleep(Duration::from_millis(10));
        }
        sleep(Duration::from_millis(300));
        let process = of_rank.map_or(child.id(), |rank: usize| children(child.id())[rank]);
        signal(name, process);
        let begin = Instant::now();
        let run = end(child);
        let took = begin.elapsed();
        assert!(took < Duration::from_secs(60), "{name} {of_rank:?} took {took:?}");
        assert!(run.code.is_none_or(|code| code != 0), "{name} {of_rank:?}: {run:?}");
        if let (Some(_), Some(_)) = (of_rank, said) {
            assert_eq!(run.code, Some(130), "{run:?}");
        }
        assert_eq!(messages(&run), Vec::from_iter(said), "{name} {of_rank:?}: {run:?}");
        let left = fs::read_dir(folder).unwrap().count();
        assert_eq!(left, 1, "{name} {of_rank:?}");
    }
}

/// The bytes of files of a folder.
pub(crate) fn read(folder: &Path, names: &[&str]) -> Vec<Vec<u8>> {
    names.iter().map(|name| fs::read(folder.join(name)).unwrap()).collect()
}

#[test]
fn ranks_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate uniform --vertices 700 --edges 3000 --directed -o {}/graph.spg");
    let line = |name: &str| {
        format!(
            "apsp {{}}/graph.spg --threads 1 --scratch {{}}/{name} --distances {{}}/{name}.d.npy \
             --next-hops {{}}/{name}.h.npy"
        )
    };
    let results = |name: &str| {
        let in_folder = ["matrix.bin", "panels.bin", "hops.bin", "journal"];
        let written = ["d", "h"].map(|array| fs::read(folder.join(format!("{name}.{array}.npy"))));
        (read(&folder.join(name), &in_folder), written.map(Result::unwrap))
    };
    let expected = comparable(json_in(folder, &line("one")));
    for n_ranks in 2..=4 {
        let name = n_ranks.to_string();
        let line = format!("{} --json", line(&name));
        let Some(child) = start(folder, n_ranks, &line) else { return };
        let run = end(child);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{n_ranks}");
        let mut found: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(found.as_object_mut().unwrap().remove("ranks"), Some(n_ranks.into()));
        assert_eq!(comparable(found), expected, "{n_ranks}");
        assert!(results("one") == results(&name), "{n_ranks}");
    }
}

/// How many blocks of pivots are done.
fn blocks_done(scratch: &Path) -> u32 {
    let journal = fs::read_to_string(scratch.join("journal")).unwrap_or_default();
    let found = journal.lines().find_map(|line| line.strip_prefix("blocks-done "));
    found.map_or(0, |n| n.parse().unwrap())
}

/// Ranks are ended one after the other, and other ones go on; at last as many, and one alone.
#[test]
fn what_ranks_have_done_is_kept() {
    if !cfg!(target_os = "linux") {
        println!("SKIPPED: processes are looked up as Linux lists them");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate uniform --vertices 2000 --edges 8000 --directed -o {}/graph.spg");
    let line =
        |name: &str| format!("apsp {{}}/graph.spg --threads 1 --resume --scratch {{}}/{name}");
    json_in(folder, &line("whole"));
    let files = ["matrix.bin", "panels.bin", "journal"];
    let whole = read(&folder.join("whole"), &files);
    let work = folder.join("work");
    for (name, n_ranks, rank, blocks) in
        [("-KILL", 3, 1, 1), ("-INT", 2, 1, 2), ("-KILL", 2, 0, 3), ("-KILL", 4, 3, 5)]
    {
        let Some(child) = start(folder, n_ranks, &line("work")) else { return };
        let begin = Instant::now();
        while blocks_done(&work) < blocks {
            assert!(begin.elapsed() < Duration::from_secs(60), "the ranks do not work");
            sleep(Duration::from_millis(1));
        }
        let processes = children(child.id());
        signal(name, processes[rank]);
        let begin = Instant::now();
        let run = end(child);
        let took = begin.elapsed();
        assert!(took < Duration::from_secs(10), "{name} {rank} took {took:?}");
        assert!(run.code.is_none_or(|code| code != 0), "{name} {rank}: {run:?}");
        if name == "-INT" {
            let said = messages(&run);
            assert!(said.len() == 2 && said[0].contains("--resume"), "{said:?}");
        }
        // `mpirun` may end before they do, and they hold the folder
        while processes.iter().any(|id| Path::new(&format!("/proc/{id}")).exists()) {
            assert!(begin.elapsed() < Duration::from_secs(10), "{name} {rank}: they live on");
            sleep(Duration::from_millis(1));
        }
        assert!(blocks_done(&work) < 8, "{name} {rank}: it was over before");
    }
    fs::create_dir(folder.join("alone")).unwrap();
    for file in fs::read_dir(&work).unwrap() {
        let name = file.unwrap().file_name();
        fs::copy(work.join(&name), folder.join("alone").join(&name)).unwrap();
    }
    let Some(child) = start(folder, 3, &line("work")) else { return };
    let run = end(child);
    assert_eq!(run.code, Some(0), "{run:?}");
    json_in(folder, &line("alone"));
    assert!(read(&work, &files) == whole);
    assert!(read(&folder.join("alone"), &files) == whole);
}

/// Ranks that measure are ended, and other ones go on; at last one process.
#[test]
fn what_ranks_have_measured_is_kept() {
    if !cfg!(target_os = "linux") {
        println!("SKIPPED: processes are looked up as Linux lists them");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate uniform --vertices 5000 --edges 20000 -o {}/graph.spg");
    let line = |options: &str, name: &str| {
        format!(
            "centrality {{}}/graph.spg --measure betweenness --threads 1 {options} -o {{}}/{name}.tsv"
        )
    };
    json_in(folder, &line("", "whole"));
    let state = folder.join("state");
    let mut before = Vec::new();
    for (n_ranks, rank) in [(3, 1), (2, 0)] {
        // on a busy machine a step may take longer
        for wait in (0..7).map(|doubled| Duration::from_millis(300 << doubled)) {
            let Some(child) = start(folder, n_ranks, &line("--resume {}/state", "out")) else {
                return;
            };
            let begin = Instant::now();
            while !state.exists() {
                assert!(begin.elapsed() < Duration::from_secs(60), "the ranks do not work");
                sleep(Duration::from_millis(1));
            }
            sleep(wait);
            signal("-INT", children(child.id())[rank]);
            let run = end(child);
            assert_eq!((run.code, messages(&run)), (Some(130), vec!["starpath: interrupted"]));
            if fs::read(&state).unwrap() != before {
                break;
            }
        }
        let kept = fs::read(&state).unwrap();
        assert!(kept != before, "{n_ranks} ranks did nothing");
        before = kept;
    }
    let Some(child) = start(folder, 4, &line("--resume {}/state", "out")) else { return };
    let run = end(child);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(read(folder, &["out.tsv"]) == read(folder, &["whole.tsv"]));
}

/// Where files may not grow, as on a full disk.
#[test]
fn a_full_disk_ends_all_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate uniform --vertices 6000 --edges 9000 --directed -o {}/graph.spg");
    let limited = ["sh", "-c", "ulimit -f 64000 && trap '' XFSZ && exec \"$0\" \"$@\""];
    let line = "apsp {}/graph.spg --scratch {}/work";
    let Some(child) = start_by(&limited, folder, 3, line) else { return };
    let run = end(child);
    assert_eq!((run.code, messages(&run).len()), (Some(1), 1), "{run:?}");
    let said = messages(&run)[0];
    assert!(said.contains("matrix.bin: cannot write") && said.contains("--resume"), "{said}");
}
