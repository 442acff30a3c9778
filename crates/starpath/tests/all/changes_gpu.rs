//! `--changes` on a GPU, beside the CPU: `sssp`, `apsp` and `closure`.

use std::fs;
use std::path::Path;

use serde_json::Value;
use test_support::gpu;

use crate::support::{json_in, run_in};

/// The commands, their results in the folder of a backend, and what their reports say of both alike.
const COMMANDS: [(&str, &str, &[&str]); 3] = [
    (
        "sssp {}/u.gr --source 1",
        "-o {}/@/d.tsv --predecessors {}/@/p.npy",
        &["reached", "distance_sum", "max_distance"],
    ),
    (
        "apsp {}/u.gr --check 9",
        "--distances {}/@/all.npy --next-hops {}/@/h.npy",
        &["reachable_pairs", "distance_sum", "max_distance"],
    ),
    ("closure {}/u.gr", "-o {}/@/c.npy --packed --counts {}/@/n.tsv", &["reachable_pairs"]),
];

/// Two batches of this graph: arcs go, come and get other weights, and so do vertices. With the
/// new ones there are more than a block of 256 has.
fn write_changes(folder: &Path, direction: &str) {
    let line = format!("generate uniform --vertices 255 --edges 900 {direction} -o {{}}/u.gr");
    json_in(folder, &line);
    let graph = fs::read_to_string(folder.join("u.gr")).unwrap();
    let arcs = graph.lines().filter_map(|line| line.strip_prefix("a "));
    let arcs: Vec<Vec<u32>> =
        arcs.map(|arc| arc.split(' ').map(|word| word.parse().unwrap()).collect()).collect();
    // an edge once, and none of vertex 9
    let arcs = arcs.iter().filter(|arc| arc[0] < arc[1] && arc[0] != 9 && arc[1] != 9);
    let mut first = "insert-vertex new\ninsert new 1 5\n".to_owned();
    let mut second =
        "insert-vertex newer\ninsert newer new 1\ninsert 2 newer 3\ndelete-vertex 9\n".to_owned();
    for (place, arc) in arcs.take(60).enumerate() {
        let [u, v, w] = arc[..] else { panic!("{arc:?}") };
        match place % 6 {
            0 => first += &format!("delete {u} {v}\n"),
            1 => first += &format!("reweight {u} {v} {}\n", w + 100),
            2 => first += &format!("reweight {u} {v} 1\n"),
            3 => second += &format!("delete {u} {v}\n"),
            4 => second += &format!("reweight {u} {v} {}\n", w / 2 + 1),
            _ => second += &format!("reweight {u} {v} {}\n", w + 1),
        }
    }
    fs::write(folder.join("first.txt"), first).unwrap();
    fs::write(folder.join("second.txt"), second).unwrap();
}

/// Whether there is a GPU.
fn is_there(folder: &Path, line: &str) -> bool {
    let run = run_in(folder, line);
    if run.code != Some(0) {
        assert!(run.stderr.contains("backend cuda: "), "{run:?}");
        gpu::<(), _>(Err(run.stderr.trim()));
    }
    run.code == Some(0)
}

#[test]
fn a_gpu_follows_changes_as_the_cpu_does() {
    for direction in ["--directed", ""] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        write_changes(folder, direction);
        let files = "--changes {}/first.txt --changes {}/second.txt";
        for (command, outputs, alike) in COMMANDS {
            let line = |backend: &str| {
                fs::create_dir_all(folder.join(backend)).unwrap();
                let outputs = outputs.replace('@', backend);
                format!("{command} {files} {outputs} --backend {backend}")
            };
            if !is_there(folder, &line("cuda")) {
                return;
            }
            let [here, there] = ["cpu", "cuda"].map(|backend| json_in(folder, &line(backend)));
            let effects = |report: &Value, of: &str| {
                let batches = report["batches"].as_array().unwrap().clone();
                batches.into_iter().map(|batch| batch[of].clone()).collect::<Vec<_>>()
            };
            assert_eq!((&here["backend"], &there["backend"]), (&"cpu".into(), &"cuda".into()));
            assert!(there["device"].is_string() && there["download_ms"].is_number(), "{there}");
            for field in ["vertices", "edges"].iter().chain(alike) {
                assert_eq!(here[field], there[field], "{command} {direction}: {field}");
            }
            for field in ["changes", "changed", "new_pairs", "gone_pairs"] {
                let [here, there] = [&here, &there].map(|report| effects(report, field));
                assert_eq!(here, there, "{command} {direction}: {field}");
            }
        }
        let files = fs::read_dir(folder.join("cpu")).unwrap().map(|file| file.unwrap().file_name());
        let files: Vec<_> = files.collect();
        assert!(files.len() >= 10, "{files:?}");
        for file in files {
            let [here, there] =
                ["cpu", "cuda"].map(|backend| fs::read(folder.join(backend).join(&file)).unwrap());
            assert!(here == there, "{direction}: {file:?}");
        }
    }
}

/// What a GPU does not follow is refused, with what to do.
#[test]
fn a_gpu_says_what_it_does_not_follow() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("roads.csv"), "from,to,weight\na,b,5\nb,c,-2\n").unwrap();
    fs::write(folder.join("works.txt"), "insert c a 4\n").unwrap();
    fs::write(folder.join("more.txt"), "insert b a -6\n").unwrap();
    let on = |command: &str, options: &str| {
        format!("{command} {{}}/roads.csv --backend cuda --changes {{}}/works.txt {options}")
    };
    let pairs = on("apsp", "--distances {}/d.npy");
    if !is_there(folder, &pairs) {
        return;
    }
    let written = fs::read(folder.join("d.npy")).unwrap();
    for (line, says) in [
        (on("sssp", "--source a"), "the arc from b to c has -2; follow them on the CPU"),
        (on("apsp", "--algorithm johnson"), "only distances by the algorithm blocked stay on GPUs"),
        (format!("{pairs} --changes {{}}/more.txt"), "more.txt: negative cycle: "),
        (format!("{pairs} --memory 70"), "and 70 are allowed"),
    ] {
        let run = run_in(folder, &line);
        assert_eq!(run.code, Some(1), "{line}: {run:?}");
        assert!(run.stderr.contains(says), "{line}: {run:?}");
        assert_eq!(fs::read(folder.join("d.npy")).unwrap(), written, "{line}");
    }
}
