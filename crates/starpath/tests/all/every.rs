//! Every command of the program: where its results go to, with little memory, and told to end.
//!
//! The commands are those that the program's help lists, so that none can be forgotten.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{json_in, program, run_in, starpath};

/// A command, and a line of it that is quick: `{}` is the folder of inputs, and `@` where its
/// result goes to, if it has one.
const COMMANDS: &[(&str, &str)] = &[
    ("info", "info {}/grid.spg"),
    ("generate rmat", "generate rmat --scale 12 -o @.spg"),
    ("generate graph500", "generate graph500 --scale 11 -o @.spg"),
    ("generate grid", "generate grid --side 120 -o @.spg"),
    ("generate uniform", "generate uniform --vertices 9000 --edges 30000 -o @.spg"),
    ("generate geometric", "generate geometric --vertices 9000 --radius 0.02 -o @.spg"),
    ("convert", "convert {}/grid.tsv @.spg --largest-component strong --transform reciprocal"),
    ("sssp", "sssp {}/grid.spg --source 1 -o @.tsv"),
    ("sssp", "sssp {}/road.gr --source 1 --changes {}/changes.txt -o @.tsv"),
    ("sssp", "sssp {}/grid.spg --sources {}/ids.txt --targets {}/ids.txt -o @.tsv"),
    ("sssp", "sssp {}/grid.spg --sources {}/ids.txt --nearest -o @.tsv"),
    ("sssp", "sssp {}/grid.spg --sources {}/ids.txt --cutoff 900 -o @.tsv"),
    ("path", "path {}/grid.spg 1 9000"),
    ("path", "path {}/grid.spg 1 9000 --k 3 --parallel-arcs"),
    ("path", "path {}/grid.prepared --pairs {}/pairs.txt --paths -o @.tsv"),
    ("path", "path {}/grid.spg --pairs {}/pairs.txt --paths -o @.tsv"),
    ("prepare", "prepare {}/grid.spg -o @.prepared"),
    ("customize", "customize {}/grid.prepared {}/grid.spg -o @.prepared"),
    ("apsp", "apsp {}/road.gr --distances @.tsv"),
    ("apsp", "apsp {}/road.gr --changes {}/changes.txt --distances @.tsv"),
    ("query", "query {}/distances.npy {}/hops.npy 1 7"),
    ("closure", "closure {}/road.gr -o @.tsv"),
    ("closure", "closure {}/grid.spg --counts @.tsv"),
    ("closure", "closure {}/road.gr --changes {}/changes.txt -o @.tsv"),
    ("components", "components {}/grid.spg -o @.tsv"),
    ("components", "components {}/road.gr --partitioned -o @.tsv"),
    ("centrality", "centrality {}/road.gr -o @.tsv"),
    ("centrality", "centrality {}/road.gr --measure betweenness -o @.tsv"),
    ("centrality", "centrality {}/road.gr --hops --measure betweenness --error 0.1 -o @.tsv"),
    ("centrality", "centrality {}/grid.spg --measure diameter"),
    ("aggregate", "aggregate {}/grid.spg --points {}/ids.txt --cutoff 900 -o @.tsv"),
    ("graph500", "graph500 --scale 9 --roots 4"),
    ("star match", "star match {}/column.csv --word 7 -o @.csv"),
    ("star compare", "star compare {}/column.csv --word 7"),
    ("star min", "star min {}/column.csv -o @.csv"),
    ("star max", "star max {}/column.csv -o @.csv"),
    ("star hit", "star hit {}/column.csv {}/column.csv -o @.csv"),
    ("star setmin", "star setmin {}/column.csv {}/column.csv -o @.csv"),
    ("star setmax", "star setmax {}/column.csv {}/column.csv -o @.csv"),
    ("star add", "star add {}/column.csv --word 5 -o @.csv"),
    ("star subtract", "star subtract {}/column.csv {}/column.csv -o @.csv"),
    ("star run", "star run {}/least.star --table T={}/column.csv --slice X=all -o Z=@.csv"),
    ("star dijkstra", "star dijkstra {}/road.gr --source 1 -o @.tsv"),
    ("star bellman-ford", "star bellman-ford {}/road.gr --source 1 -o @.tsv"),
    ("star floyd", "star floyd {}/road.gr -o @.tsv"),
    ("star kruskal", "star kruskal {}/road.gr -o @.tsv"),
    ("star prim", "star prim {}/road.gr --root 1 -o @.tsv"),
    ("star edmonds", "star edmonds {}/road.gr --root 1 -o @.tsv"),
    ("star gabow", "star gabow {}/road.gr --root 1 --degree 2 -o @.tsv"),
    ("star dynamic-mst", "star dynamic-mst {}/road.gr --changes {}/changes.txt -o @.tsv"),
    ("star dynamic-closure", "star dynamic-closure {}/road.gr --changes {}/changes.txt -o @.tsv"),
    (
        "star dynamic-paths",
        "star dynamic-paths {}/road.gr --changes {}/changes.txt --sink 1 -o @.tsv",
    ),
    ("completions", "completions bash"),
];

/// Those of a build that draws.
#[cfg(feature = "plot")]
const PICTURES: &[(&str, &str)] = &[
    ("plot map", "plot map {}/grid.spg --coordinates {}/grid.csv --source 1 -o @.svg"),
    ("plot matrix", "plot matrix {}/road.gr -o @.svg"),
    ("plot degrees", "plot degrees {}/grid.spg -o @.svg"),
    ("plot distances", "plot distances {}/grid.spg --source 1 -o @.svg"),
];
#[cfg(not(feature = "plot"))]
const PICTURES: &[(&str, &str)] = &[];

fn lines() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().chain(PICTURES).map(|&(_, line)| line)
}

/// The inputs of all of them.
fn inputs(folder: &Path) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let numbers = |n: usize| (0..n).map(|i| format!("{}\n", i % 1000)).collect::<String>();
    json_in(folder, "generate grid --side 120 --coordinates {}/grid.csv -o {}/grid.spg");
    json_in(folder, "convert {}/grid.spg {}/grid.tsv");
    json_in(folder, "prepare {}/grid.spg -o {}/grid.prepared");
    json_in(folder, "generate grid --side 6 --max-weight 9 -o {}/road.gr");
    json_in(folder, "apsp {}/road.gr --distances {}/distances.npy --next-hops {}/hops.npy");
    write("ids.txt", &numbers(90));
    write("pairs.txt", "0 14000\n7 9000\n");
    write("column.csv", &numbers(20_000));
    write("changes.txt", "insert 1 2 3\n");
    write(
        "least.star",
        "proc LEAST(T: table; X: slice(T); var Z: slice(T));\nbegin Z := MIN(T, X) end;\n",
    );
}

fn names_in(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The commands that help lists, those of commands too.
fn commands_of(words: &[&str]) -> Vec<String> {
    let help = starpath(words.iter().chain(&["--help"])).stdout;
    let listed = help.split_once("Commands:\n").map_or("", |(_, listed)| listed);
    let is_name = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let names = listed.lines().take_while(|line| !line.is_empty()).filter(is_name);
    let names = names.filter_map(|line| line.split_whitespace().next());
    let below = names.filter(|&name| name != "help").flat_map(|name| {
        let words = [words, &[name]].concat();
        match commands_of(&words) {
            none if none.is_empty() => vec![words.join(" ")],
            some => some,
        }
    });
    below.collect()
}

#[test]
fn every_command_has_a_line() {
    let listed: BTreeSet<_> = commands_of(&[]).into_iter().collect();
    let here = COMMANDS.iter().chain(PICTURES).map(|(name, _)| (*name).to_owned());
    let mut here: BTreeSet<_> = here.collect();
    if cfg!(not(feature = "plot")) {
        here.insert("plot".to_owned());
    }
    assert_eq!(here, listed);
}

/// How a run with this result ended: its code, standard output, and what it said.
fn run_to(folder: &Path, line: &str, output: &str) -> (Option<i32>, Vec<u8>, String) {
    let words = line.split_whitespace().map(|word| {
        let word = word.replace("{}", folder.to_str().unwrap());
        // standard output has no suffix
        let suffix = word.split_once('@').filter(|_| output == "-").map_or("", |parts| parts.1);
        word.replace(&format!("@{suffix}"), output)
    });
    let ran = Command::new(program()).args(words).stdin(Stdio::null()).output().unwrap();
    (ran.status.code(), ran.stdout, String::from_utf8_lossy(&ran.stderr).into_owned())
}

/// The suffix of a line's result, if it has one.
fn suffix(line: &str) -> Option<&str> {
    line.split_once('@').map(|(_, rest)| rest.split(' ').next().unwrap())
}

#[test]
fn results_go_to_files_links_pipes_and_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let inputs_folder = folder.path();
    inputs(inputs_folder);
    for (line, suffix) in lines().filter_map(|line| Some((line, suffix(line)?))) {
        let results = tempfile::tempdir().unwrap();
        let at = |name: &str| results.path().join(name).to_str().unwrap().to_owned();
        let run = |output: &str| {
            let (code, out, said) = run_to(inputs_folder, line, output);
            assert_eq!(code, Some(0), "{line}, to {output}: {said}");
            (out, said)
        };
        run(&at("file"));
        let file = fs::read(at("file") + suffix).unwrap();

        symlink(at("linked") + suffix, at("link") + suffix).unwrap();
        run(&at("link"));
        assert!(fs::read(at("linked") + suffix).unwrap() == file, "{line}: through a link");

        let pipe = at("pipe") + suffix;
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn(move || fs::read(pipe).unwrap());
        run(&at("pipe"));
        assert!(reader.join().unwrap() == file, "{line}: into a pipe");

        let (out, said) = run("-");
        assert!(out == file, "{line}: to standard output");
        assert!(!said.trim().is_empty(), "{line}: the report");
        let (out, said) = {
            let json = format!("{line} --json");
            let (code, out, said) = run_to(inputs_folder, &json, "-");
            assert_eq!(code, Some(0), "{json}: {said}");
            (out, said)
        };
        assert!(out == file && serde_json::from_str::<serde_json::Value>(&said).is_ok(), "{said}");

        if !Path::new("/dev/full").exists() {
            println!("SKIPPED: there is no /dev/full");
            continue;
        }
        symlink("/dev/full", at("full") + suffix).unwrap();
        let before = names_in(results.path());
        let (code, _, said) = run_to(inputs_folder, line, &at("full"));
        assert_eq!(code, Some(1), "{line}: {said}");
        assert!(said.contains("No space left"), "{line}: {said}");
        assert_eq!(names_in(results.path()), before, "{line}: onto a full disk");
    }
}

/// A reader that has seen enough ends a run without a word.
#[test]
fn closed_pipes_are_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    inputs(folder);
    for line in ["sssp {}/grid.spg --source 1 -o @.tsv", "prepare {}/grid.spg -o @.prepared"] {
        let words = line.split_whitespace().map(|word| match word.starts_with('@') {
            true => "-".to_owned(),
            false => word.replace("{}", folder.to_str().unwrap()),
        });
        let mut child = Command::new(program())
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!((ended.status.code(), &*said), (Some(0), ""), "{line}");
    }
}

/// What cannot go to standard output is refused by name.
#[test]
fn arrays_and_pairs_of_results_are_refused_there() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    inputs(folder);
    for (line, fragment) in [
        ("apsp {}/road.gr --next-hops -", "standard output: next hops"),
        ("sssp {}/road.gr --source 1 --predecessors -", "standard output: predecessors are"),
        ("closure {}/road.gr --packed -o -", "standard output: --packed is for .npy"),
        ("closure {}/road.gr --counts - -o -", "standard output is named for two results"),
        ("generate grid --side 3 --coordinates - -o -", "standard output is named for two results"),
        ("star compare {}/column.csv --word 3 -o -", "standard output: compare has three"),
        ("centrality {}/road.gr --resume -", "--resume -"),
        ("centrality {}/road.gr --measure betweenness --resume -", "--resume -"),
    ] {
        let run = run_in(folder, line);
        assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{line}: {run:?}");
        assert!(run.stderr.contains(fragment), "{line}: {run:?}");
    }
}

/// With less memory than it takes a command says so, at every limit, and leaves nothing behind.
/// Where a library's small piece is refused, the run ends at once. Then what it was writing stays
/// under the name that it had until it was complete.
#[test]
fn memory_that_is_refused_is_an_error() {
    if cfg!(not(target_os = "linux")) {
        println!("SKIPPED: ulimit -v is Linux's");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    inputs(folder.path());
    let (mut wrong, least) = (Vec::new(), floor_of_memory());
    for line in lines() {
        // from so much that it starts up to enough
        for limit in (0..).map(|step| least + (512 << step) - 512) {
            let Limited { code, said, left } = run_within(limit, folder.path(), line);
            let is_told = said.contains("memory") || said.contains("threads");
            match code {
                Some(0) => break,
                Some(1 | 2) if is_told && !said.contains("panicked") => {}
                code => wrong.push(format!("{line}: {limit} KiB: {code:?}: {said}")),
            }
            let is_ended_at_once = refused_at_once(&said).is_some();
            if left.iter().any(|name| !(is_ended_at_once && name.starts_with('.'))) {
                wrong.push(format!("{line}: {limit} KiB leave {left:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

/// What takes as much as a number a vertex is asked for before the work: it is an error of the
/// library's own, and does not end the run at once.
#[test]
fn memory_for_all_vertices_is_asked_for_before() {
    if cfg!(not(target_os = "linux")) {
        println!("SKIPPED: ulimit -v is Linux's");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (side, mut wrong) = (150, Vec::new());
    let small = size_of::<u32>() * side * side;
    json_in(folder.path(), &format!("generate grid --side {side} -o {{}}/grid.spg"));
    json_in(folder.path(), "prepare {}/grid.spg -o {}/grid.prepared");
    fs::write(folder.path().join("ids.txt"), "0\n9000\n").unwrap();
    fs::write(folder.path().join("pairs.txt"), "0 9000\n7 22000\n").unwrap();
    let least = floor_of_memory();
    for line in [
        "sssp {}/grid.spg --source 1 -o @.npy",
        "sssp {}/grid.spg --source 1 --algorithm dijkstra -o @.npy",
        "sssp {}/grid.spg --source 1 --algorithm bellman-ford -o @.npy",
        "sssp {}/grid.spg --source 1 --unweighted -o @.npy",
        "sssp {}/grid.spg --sources {}/ids.txt --nearest -o @.tsv",
        "path {}/grid.spg 1 9000",
        "path {}/grid.spg 1 9000 --k 3",
        "path {}/grid.spg --pairs {}/pairs.txt -o @.tsv",
        "path {}/grid.spg --pairs {}/pairs.txt --paths -o @.tsv",
        "path {}/grid.prepared 1 9000 --k 3",
        "sssp {}/grid.prepared --source 1 -o @.npy",
        "convert {}/grid.spg @.spg --largest-component strong --transform reciprocal",
        "customize {}/grid.prepared {}/grid.spg -o @.prepared",
        "prepare {}/grid.spg -o @.prepared",
        "closure {}/grid.spg --counts @.tsv",
        "centrality {}/grid.spg --measure diameter",
    ] {
        for limit in (0..).map(|step| least + 1024 * step) {
            let Limited { code, said, .. } = run_within(limit, folder.path(), line);
            if code == Some(0) {
                break;
            }
            assert_eq!(code, Some(1), "{line}: {limit} KiB: {said}");
            if refused_at_once(&said).is_some_and(|bytes| bytes >= small) {
                wrong.push(format!("{line}: {limit} KiB: {said}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

/// What lists lines without end is refused when memory has no room for more.
#[test]
fn a_list_without_end_is_an_error() {
    if cfg!(not(target_os = "linux")) {
        println!("SKIPPED: ulimit -v is Linux's");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    json_in(folder.path(), "generate grid --side 30 -o {}/grid.spg");
    let line = "ulimit -v 1000000 && \
                yes 1 | \"$0\" sssp grid.spg --sources /dev/stdin --nearest -o out.tsv";
    let ran = Command::new("sh")
        .args(["-c", line])
        .arg(program())
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(1), "{said}");
    assert!(said.contains("/dev/stdin: this takes") && said.contains("memory"), "{said}");
}

/// How a run with little memory ended, and what it left.
struct Limited {
    code: Option<i32>,
    said: String,
    left: BTreeSet<String>,
}

/// Runs a line on one thread within `limit` KiB of memory.
fn run_within(limit: u64, inputs: &Path, line: &str) -> Limited {
    let results = tempfile::tempdir().unwrap();
    let output = results.path().join("out").to_str().unwrap().to_owned();
    let words = line
        .split_whitespace()
        .map(|word| word.replace("{}", inputs.to_str().unwrap()).replace('@', &output));
    let ran = Command::new("sh")
        .args(["-c", &format!("ulimit -v {limit} && exec \"$0\" \"$@\"")])
        .arg(program())
        .args(words)
        .args(["--threads", "1", "--backend", "cpu"])
        .env("MALLOC_ARENA_MAX", "1")
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    Limited { code: ran.status.code(), said, left: names_in(results.path()) }
}

/// The size of the allocation whose refusal ended the process, from what the standard library said.
fn refused_at_once(said: &str) -> Option<usize> {
    said.split_once("memory allocation of ")?.1.split_whitespace().next()?.parse().ok()
}

/// The least limit, in KiB, with which the program says its version and starts its threads.
fn floor_of_memory() -> u64 {
    let starts = |limit: &u64| {
        Command::new("sh")
            .args(["-c", &format!("ulimit -v {limit} && exec \"$0\" star min /dev/null")])
            .arg(program())
            .args(["--threads", "1"])
            .env("MALLOC_ARENA_MAX", "1")
            .output()
            .is_ok_and(|ran| String::from_utf8_lossy(&ran.stderr).contains("one a line"))
    };
    (1..).map(|step| step * 1024).find(starts).unwrap()
}

/// Waits until a process has opened a file; where no system tells that, for a while.
fn wait_until_open(process: u32, file: &Path) {
    let opened = || {
        let mut links = fs::read_dir(format!("/proc/{process}/fd")).ok()?;
        let is_file = |link: io::Result<fs::DirEntry>| {
            link.is_ok_and(|link| fs::read_link(link.path()).is_ok_and(|to| to == file))
        };
        Some(links.any(is_file))
    };
    for _ in 0..1000 {
        std::thread::sleep(Duration::from_millis(20));
        if opened().unwrap_or(true) {
            return;
        }
    }
    panic!("{} is not opened", file.display());
}

/// Told to end while it waits for an input that does not come, a command ends, and leaves nothing.
#[test]
fn every_command_that_reads_ends_when_it_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    inputs(folder);
    for line in lines().filter(|line| line.contains("{}/")) {
        let results = tempfile::tempdir().unwrap();
        let output = results.path().join("out").to_str().unwrap().to_owned();
        let mut words: Vec<_> = line
            .split_whitespace()
            .map(|word| word.replace("{}", folder.to_str().unwrap()).replace('@', &output))
            .collect();
        // its first input is a pipe that no process writes into
        let input = words.iter_mut().find(|word| word.starts_with(folder.to_str().unwrap()));
        let input = input.unwrap();
        let suffix = input.rsplit_once('.').unwrap().1.to_owned();
        let pipe = results.path().join(format!("pipe.{suffix}"));
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        *input = pipe.to_str().unwrap().to_owned();
        let _writer = File::options().read(true).write(true).open(&pipe).unwrap();
        let mut child = Command::new(program())
            .args(&words)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        wait_until_open(child.id(), &pipe);
        let kill = || Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
        assert!(kill().unwrap().success());
        std::thread::sleep(Duration::from_millis(100));
        // one that cannot hear it while it waits hears the second
        let _ = kill();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{line}: {said}");
        assert_eq!(names_in(results.path()).len(), 1, "{line}");
    }
}
