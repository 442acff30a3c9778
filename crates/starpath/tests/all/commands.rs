//! The commands together: what one writes, the next reads, and the answers agree.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use ndarray::{Array1, Array2};
use serde_json::Value;

#[cfg(unix)]
use crate::support::interrupt;
use crate::support::{json_in, program, read_npy, run_in, starpath};

const HEAD: [&str; 8] =
    ["command", "algorithm", "backend", "threads", "vertices", "edges", "load_ms", "solve_ms"];

/// A directed graph with a vertex that cannot be reached: 1 → 2 → 3 → 1, 1 → 3, 4 → 1.
const ROAD: &str = "p sp 4 5\na 1 2 5\na 2 3 4\na 3 1 7\na 1 3 11\na 4 1 1\n";

fn road() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("road.gr"), ROAD).unwrap();
    fs::write(folder.path().join("sources.txt"), "\n3\n1\n").unwrap();
    fs::write(folder.path().join("targets.txt"), "\u{feff}2\n 4 \n\"3\"\n").unwrap();
    folder
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[track_caller]
fn assert_fields(report: &Value, fields: &[&str]) {
    for field in HEAD.iter().chain(fields) {
        assert!(report.get(field).is_some(), "no {field} in {report}");
    }
}

#[test]
fn graphs_survive_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let shapes = [
        "rmat --scale 7 --edge-factor 8 --keep-duplicates",
        "rmat --scale 6 --edge-factor 4 --directed --seed 9",
        "grid --side 12",
        "uniform --vertices 100 --edges 400",
        "geometric --vertices 200 --radius 0.15 --min-weight 10 --max-weight 900",
        "grid --side 9 --min-weight 1 --max-weight 1",
        "grid --side 5 --dimensions 3",
    ];
    for shape in shapes {
        let made = json_in(folder, &format!("generate {shape} -o {{}}/a.spg"));
        assert_fields(&made, &["seed", "write_ms", "output"]);
        let info = json_in(folder, "info {}/a.spg");
        assert_eq!((&info["vertices"], &info["edges"]), (&made["vertices"], &made["edges"]));
        let mut formats = vec!["gr", "gr.gz", "wel", "wsg", "spg", "spg.gz"];
        // a matrix has one value at each place
        if info["parallel_arcs"] == 0 {
            formats.extend(["mtx", "mtx.gz"]);
        } else {
            let refused = run_in(folder, "convert {}/a.spg {}/b.mtx");
            assert_eq!(refused.code, Some(1), "{shape}");
            assert!(refused.stderr.contains("several arcs to one vertex"), "{}", refused.stderr);
        }
        if info["max_weight"] == 1 {
            formats.push("sg");
        }
        let answer = json_in(folder, "sssp {}/a.spg --source 3");
        for format in formats {
            let converted = json_in(folder, &format!("convert {{}}/a.spg {{}}/b.{format}"));
            assert_fields(&converted, &["write_ms", "output"]);
            // .gr and .mtx count from 1
            let counts_from_one = format.starts_with("gr") || format.starts_with("mtx");
            let source = if counts_from_one { 4 } else { 3 };
            let again = json_in(folder, &format!("sssp {{}}/b.{format} --source {source}"));
            for field in ["edges", "reached", "distance_sum", "max_distance"] {
                assert_eq!(again[field], answer[field], "{shape}, {format}: {field}");
            }
            let described = json_in(folder, &format!("info {{}}/b.{format}"));
            for field in ["edges", "weights", "weight_sum", "self_loops", "parallel_arcs"] {
                assert_eq!(described[field], info[field], "{shape}, {format}: {field}");
            }
        }
    }
}

#[test]
fn the_seed_alone_decides() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, flags) in
        [("a", "--threads 1"), ("b", "--threads 4"), ("c", "--seed 1"), ("d", "--seed 2")]
    {
        json_in(folder, &format!("generate rmat --scale 8 -o {{}}/{name}.gr {flags}"));
    }
    assert_eq!(read(folder, "a.gr"), read(folder, "b.gr"));
    assert_eq!(read(folder, "a.gr"), read(folder, "c.gr"));
    assert_ne!(read(folder, "a.gr"), read(folder, "d.gr"));
}

#[test]
fn info_describes() {
    let folder = tempfile::tempdir().unwrap();
    let graph = "p sp 7 6\na 1 2 5\na 1 2 3\na 2 2 9\na 4 3 2\na 6 6 1\na 2 4 0\n";
    fs::write(folder.path().join("odd.gr"), graph).unwrap();
    let info = json_in(folder.path(), "info {}/odd.gr");
    assert_fields(&info, &["auto"]);
    for (field, value) in [
        ("vertices", 7),
        ("edges", 6),
        ("min_weight", 0),
        ("max_weight", 9),
        ("weight_sum", 20),
        ("self_loops", 2),
        ("parallel_arcs", 1),
        ("min_degree", 0),
        ("max_degree", 2),
        ("isolated", 3),
        ("components", 4),
        ("largest_component", 4),
        ("first_id", 1),
        ("last_id", 7),
    ] {
        assert_eq!(info[field], value, "{field}: {info}");
    }
    assert_eq!((&info["direction"], &info["weights"]), (&"directed".into(), &"u32".into()));
    fs::write(folder.path().join("none.gr"), "p sp 0 0\n").unwrap();
    assert_eq!(json_in(folder.path(), "info {}/none.gr")["min_weight"], Value::Null);
}

#[test]
fn one_source() {
    let folder = road();
    let folder = folder.path();
    let report = json_in(folder, "sssp {}/road.gr --source 1 --repeat 3 -o {}/tree.tsv");
    assert_fields(
        &report,
        &["prepare_ms", "solve_min_ms", "predecessors_ms", "relaxations", "source"],
    );
    assert_eq!((&report["command"], &report["source"]), (&"sssp".into(), &1.into()));
    assert_eq!((&report["reached"], &report["distance_sum"]), (&3.into(), &14.into()));
    assert_eq!((&report["max_distance"], &report["backend"]), (&9.into(), &"cpu".into()));
    assert!(report.get("target").is_none());
    assert_eq!(
        read(folder, "tree.tsv"),
        "vertex\tdistance\tpredecessor\n1\t0\t\n2\t5\t1\n3\t9\t2\n"
    );
    json_in(folder, "sssp {}/road.gr --source 1 -o {}/tree.npy");
    let distances: Array1<u64> = read_npy(folder.join("tree.npy"));
    assert_eq!(distances.to_vec(), [0, 5, 9, u64::MAX]);
    let both = "sssp {}/road.gr --source 1 -o {}/tree.npy --predecessors {}/before.npy";
    json_in(folder, both);
    let before: Array1<u32> = read_npy(folder.join("before.npy"));
    assert_eq!(before.to_vec(), [u32::MAX, 0, 1, u32::MAX]);
    assert_eq!(read(folder, "before.npy.ids"), "1\n2\n3\n4\n");
    json_in(folder, "sssp {}/road.gr --source 1 --target 2 --predecessors {}/before.npy");
    let before: Array1<u32> = read_npy(folder.join("before.npy"));
    assert_eq!(before.to_vec(), [u32::MAX, 0, u32::MAX, u32::MAX]);
}

#[test]
fn arcs_are_counted_where_weights_are_left_out() {
    let folder = road();
    let folder = folder.path();
    let report = json_in(folder, "sssp {}/road.gr --unweighted --source 1 -o {}/hops.tsv");
    assert_eq!(
        (&report["algorithm"], &report["max_distance"]),
        (&"breadth-first".into(), &1.into())
    );
    assert_eq!(
        read(folder, "hops.tsv"),
        "vertex\tdistance\tpredecessor\n1\t0\t\n2\t1\t1\n3\t1\t1\n"
    );
    json_in(folder, "generate grid --side 9 -o {}/grid.spg");
    json_in(folder, "convert {}/grid.spg {}/hops.spg --unweighted");
    let info = json_in(folder, "info {}/hops.spg");
    assert_eq!((&info["equal_weights"], &info["weight_sum"]), (&true.into(), &info["edges"]));
    assert!(run_in(folder, "info {}/hops.spg").stdout.contains("u32, all 1: stored once\n"));
    let size = |name| fs::metadata(folder.join(name)).unwrap().len();
    assert!(size("hops.spg") < size("grid.spg"), "the weights are there once");
}

#[test]
fn every_weight_type_has_its_array() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("float.wel"), "0 1 0.5\n2 0 1\n").unwrap();
    json_in(folder, "sssp {}/float.wel --source 0 -o {}/a.npy");
    let distances: Array1<f64> = read_npy(folder.join("a.npy"));
    assert_eq!(distances.to_vec(), [0.0, 0.5, f64::INFINITY]);
    fs::write(folder.join("signed.wel"), "0 1 -5\n2 0 1\n").unwrap();
    json_in(folder, "sssp {}/signed.wel --source 0 -o {}/b.npy");
    let distances: Array1<i64> = read_npy(folder.join("b.npy"));
    assert_eq!(distances.to_vec(), [0, -5, i64::MAX]);
}

#[test]
fn sums_beyond_64_bits_are_exact() {
    let folder = tempfile::tempdir().unwrap();
    let weight = u64::MAX - 1000;
    let graph = format!("0 1 {weight}\n0 2 {weight}\n0 3 {weight}\n");
    fs::write(folder.path().join("large.wel"), graph).unwrap();
    let run = run_in(folder.path(), "sssp {}/large.wel --source 0 --json");
    let sum = 3 * u128::from(weight);
    assert!(run.stdout.contains(&format!("\"distance_sum\":{sum},")), "{}", run.stdout);
}

#[test]
fn sparse_names_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let graph = "10\t90000000000\t3\n90000000000\t77\t4\n";
    fs::write(folder.path().join("neurons.tsv"), graph).unwrap();
    let report = json_in(folder.path(), "path {}/neurons.tsv 10 77");
    assert_eq!(report["path"], serde_json::json!([10, 90_000_000_000u64, 77]));
}

#[test]
fn tables_agree_with_single_runs() {
    let folder = road();
    let folder = folder.path();
    let table = "sssp {}/road.gr --sources {}/sources.txt --targets {}/targets.txt";
    let report = json_in(folder, &format!("{table} -o {{}}/table.tsv --repeat 2"));
    assert_fields(&report, &["solve_min_ms"]);
    assert_eq!((&report["sources"], &report["targets"]), (&2.into(), &3.into()));
    assert_eq!((&report["reached"], &report["distance_sum"]), (&4.into(), &26.into()));
    assert_eq!(read(folder, "table.tsv"), "source\t2\t4\t3\n3\t12\t\t0\n1\t5\t\t9\n");
    json_in(folder, &format!("{table} -o {{}}/table.npy"));
    let array: Array2<u64> = read_npy(folder.join("table.npy"));
    assert_eq!(array, ndarray::array![[12, u64::MAX, 0], [5, u64::MAX, 9]]);
}

#[test]
fn nearest_agrees_with_single_runs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate geometric --vertices 300 --radius 0.09 -o {}/g.gr");
    let sources = [7u64, 60, 211];
    let list = sources.map(|source| source.to_string()).join("\n");
    fs::write(folder.join("sources.txt"), list).unwrap();
    // the smallest id wins where two are equally near
    let mut expected = BTreeMap::new();
    for source in sources {
        json_in(folder, &format!("sssp {{}}/g.gr --source {source} -o {{}}/one.tsv"));
        for line in read(folder, "one.tsv").lines().skip(1) {
            let mut words = line.split('\t').map(|word| word.parse::<u64>());
            let (vertex, distance) = (words.next().unwrap(), words.next().unwrap());
            let found = (distance.unwrap(), source);
            let best = expected.entry(vertex.unwrap()).or_insert(found);
            *best = found.min(*best);
        }
    }
    let report =
        json_in(folder, "sssp {}/g.gr --sources {}/sources.txt --nearest -o {}/nearest.tsv");
    assert_eq!(report["reached"], expected.len());
    let mut lines = vec!["vertex\tsource\tdistance".to_owned()];
    lines.extend(expected.iter().map(|(vertex, (d, source))| format!("{vertex}\t{source}\t{d}")));
    assert_eq!(read(folder, "nearest.tsv").lines().collect::<Vec<_>>(), lines);
    assert!(expected.values().any(|found| found.1 != sources[0]), "one source has all");
}

#[test]
fn explain_and_human_output() {
    let folder = road();
    let run = run_in(folder.path(), "sssp {}/road.gr --source 1 --explain");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("1 reaches 3 vertices; distances sum to 14, the greatest is 9"));
    assert!(run.stderr.contains("arcs relaxed") && run.stderr.contains("backend: cpu"));
    let algorithm = json_in(folder.path(), "sssp {}/road.gr --source 1")["algorithm"].to_string();
    assert!(run.stderr.contains(algorithm.trim_matches('"')), "{}", run.stderr);
    let quiet = run_in(folder.path(), "sssp {}/road.gr --source 1 --explain --json");
    assert!(serde_json::from_str::<Value>(&quiet.stdout).is_ok() && !quiet.stderr.is_empty());
    let table = "sssp {}/road.gr --sources {}/sources.txt --targets {}/targets.txt";
    assert!(run_in(folder.path(), table).stdout.contains("4 pairs have a path"));
}

/// What the CPU does not run goes to a GPU by itself, with its settings, and there is no
/// falling back where a machine has none.
#[test]
fn what_needs_a_gpu_finds_it_or_says_so() {
    let folder = road();
    for solver in [
        "crauser",
        "bellman-ford-spmv --product csr-balanced",
        "delta-stepping-buckets --delta 4",
        "eager --delta 4",
    ] {
        let line = format!("sssp {{}}/road.gr --source 1 --algorithm {solver} --json");
        let run = run_in(folder.path(), &line);
        if run.code == Some(0) {
            let report: Value = serde_json::from_str(&run.stdout).unwrap();
            assert_eq!((&report["backend"], &report["distance_sum"]), (&"cuda".into(), &14.into()));
        } else {
            let no_gpu = run_in(folder.path(), "sssp {}/road.gr --source 1 --backend cuda");
            assert_eq!((run.code, no_gpu.code), (Some(1), Some(1)), "{line}: {}", run.stderr);
            assert!(run.stderr.contains("runs on a GPU only"), "{line}: {}", run.stderr);
        }
    }
}

#[test]
fn help_ends_with_an_example() {
    let commands = [
        "info",
        "generate",
        "generate rmat",
        "generate grid",
        "generate uniform",
        "generate geometric",
        "convert",
        "sssp",
        "path",
        "apsp",
        "query",
        "closure",
        "plot",
        "plot map",
        "plot matrix",
        "plot degrees",
        "plot distances",
        "star",
        "star match",
        "star compare",
        "star min",
        "star max",
        "star hit",
        "star setmin",
        "star setmax",
        "star add",
        "star subtract",
        "star run",
        "completions",
        "",
    ];
    let is_built = |command: &&str| cfg!(feature = "plot") || !command.starts_with("plot");
    for command in commands.into_iter().filter(is_built) {
        let run = starpath(command.split_whitespace().chain(["--help"]));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{command}");
        let (_, example) = run.stdout.rsplit_once("Example:\n").expect(command);
        assert!(example.contains(&format!("  starpath {command}")), "{command}: {example}");
    }
    assert_eq!(starpath(["--version"]).code, Some(0));
}

#[test]
fn completions_name_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let run = starpath(["completions", shell]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{shell}");
        assert!(run.stdout.contains("sssp") && run.stdout.contains("delta-stepping"), "{shell}");
    }
}

/// `starpath … | head -1` ends quietly.
#[test]
fn a_closed_output_is_no_failure() {
    let mut child = Command::new(program())
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::with_capacity(16, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Ctrl-C ends a run with the shell's code for it, and no file appears.
#[cfg(unix)]
#[test]
fn interrupts_leave_nothing() {
    let folder = road();
    let inputs = fs::read_dir(folder.path()).unwrap().count();
    let run = ["sssp", "road.gr", "--source", "1", "-o", "out.tsv", "--repeat", "1000000000"];
    interrupt(folder.path(), &run);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), inputs);
}

/// A cube goes by supernodes where the choice is left, and a graph without small separators not.
#[test]
fn sparse_graphs_go_by_supernodes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let cube = "generate grid --side 13 --dimensions 3 -o {}/cube.spg --coordinates {}/cube.csv";
    json_in(folder, cube);
    assert_eq!(read(folder, "cube.csv").lines().nth(1), Some("0,0,0,0"));
    assert!(read(folder, "cube.csv").starts_with("vertex,x,y,z\n"));
    let report = json_in(folder, "apsp {}/cube.spg --backend cpu --check 5");
    assert_eq!(report["algorithm"], "supernodes");
    assert_fields(&report, &["order_ms", "numbers"]);
    assert_eq!(report["checked_rows"], 5);
    let other = json_in(folder, "apsp {}/cube.spg --backend cpu --algorithm blocked");
    for field in ["reachable_pairs", "distance_sum", "max_distance"] {
        assert_eq!(report[field], other[field], "{field}");
    }
    assert_eq!(other.get("order_ms"), None);
    json_in(folder, "generate uniform --vertices 2100 --edges 30000 -o {}/dense.spg");
    let report = json_in(folder, "apsp {}/dense.spg --backend cpu");
    assert_ne!(report["algorithm"], "supernodes");
}

#[test]
fn all_pairs_by_either_algorithm() {
    let folder = road();
    let folder = folder.path();
    let of_matrix = [Some("u16"), Some("proven")];
    for (algorithm, expected) in
        [("blocked", of_matrix), ("johnson", [None; 2]), ("supernodes", of_matrix)]
    {
        let report = json_in(
            folder,
            &format!(
                "apsp {{}}/road.gr --algorithm {algorithm} --distances {{}}/all.npy --check 9"
            ),
        );
        assert_eq!(report["checked_rows"], 4);
        assert_fields(&report, &["reachable_pairs", "distance_sum", "max_distance"]);
        assert_eq!(report["algorithm"], algorithm);
        assert_eq!(["numbers", "certainty"].map(|name| report[name].as_str()), expected);
        let distances: Array2<u64> = read_npy(folder.join("all.npy"));
        const NONE: u64 = u64::MAX;
        let expected = [[0, 5, 9, NONE], [11, 0, 4, NONE], [7, 12, 0, NONE], [1, 6, 10, 0]];
        assert_eq!(distances, Array2::from(expected.to_vec()));
        assert_eq!((&report["reachable_pairs"], &report["distance_sum"]), (&13.into(), &65.into()));
    }
    json_in(folder, "apsp {}/road.gr --distances {}/all.tsv");
    let lines = read(folder, "all.tsv");
    assert_eq!(lines.lines().next(), Some("source\t1\t2\t3\t4"));
    assert_eq!(lines.lines().nth(3), Some("3\t7\t12\t0\t"));
}
