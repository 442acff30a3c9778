//! Real graphs, every algorithm, through the program: reached vertices, sum and maximum
//! of distances as `reference.json` beside the graphs has them.

use std::fs;
use std::path::{Path, PathBuf};

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId, read};
use rayon::prelude::*;
use serde_json::Value;
use sssp::Algorithm;
use test_support::{data_folder, gpu};

use crate::support::starpath;

/// Relative error of a sum of floats.
const TOLERANCE: f64 = 1e-9;

/// Where a graph of the list is stored, compressed or not.
fn stored(data: &Path, name: &str) -> PathBuf {
    let plain = data.join(name);
    if plain.exists() { plain } else { data.join(format!("{name}.gz")) }
}

/// Equal; for floats within the tolerance.
fn agree(found: &Value, expected: &Value) -> bool {
    if found == expected {
        return true;
    }
    match (found.as_f64(), expected.as_f64()) {
        (Some(found), Some(expected)) => (found - expected).abs() <= TOLERANCE * expected.abs(),
        _ => false,
    }
}

fn check(path: &Path, algorithm: &str, expected: &Value) {
    let source = expected["src"].to_string();
    let path = path.to_str().expect("names of graphs are UTF-8");
    let run = starpath([
        "sssp",
        path,
        "--source",
        &source,
        "--algorithm",
        algorithm,
        "--json",
        "--quiet",
    ]);
    if algorithm == "breadth-first" && run.stderr.contains("one weight above zero") {
        return;
    }
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{path}, {algorithm}");
    let report: Value = serde_json::from_str(&run.stdout).expect("an object");
    if algorithm != "auto" {
        assert_eq!(report["algorithm"], algorithm, "{path}");
    }
    compare(path, &report, expected);
}

/// How many ids occur in a file that does not say how many vertices there are, where the
/// reference counts all from 0 to the greatest.
fn occurring_ids(path: &str) -> Option<Value> {
    let counts = [("wiki-Vote.txt", 7115), ("23rd.gr", 2212), ("4.el", 13), ("4.wel", 13)];
    let found = counts.into_iter().find(|(name, _)| path.ends_with(name));
    found.map(|(_, count)| count.into())
}

/// The report has the numbers of the reference.
fn compare(path: &str, report: &Value, expected: &Value) {
    for (field, reference) in [
        ("vertices", "n"),
        ("edges", "arcs"),
        ("reached", "reached"),
        ("distance_sum", "dsum"),
        ("max_distance", "dmax"),
    ] {
        let occurring = if field == "vertices" { occurring_ids(path) } else { None };
        let expected = occurring.unwrap_or_else(|| expected[reference].clone());
        assert!(
            agree(&report[field], &expected),
            "{path}, {}: {field} is {}, expected {expected}",
            report["algorithm"],
            report[field],
        );
    }
}

/// Every graph that the GPU solver takes, on a GPU.
#[test]
fn every_graph_on_a_gpu() {
    let Some(_) = gpu(Gpu::open()) else { return };
    let Some(data) = data_folder() else { return };
    let text = fs::read_to_string(data.join("reference.json")).expect("reference.json");
    let reference: Value = serde_json::from_str(&text).expect("reference.json is JSON");
    let mut n_solved = 0;
    for (name, expected) in reference["results"].as_object().expect("results by graph") {
        let path = stored(&data, name);
        let path = path.to_str().expect("names of graphs are UTF-8");
        if expected["src"].is_null() {
            continue;
        }
        let source = expected["src"].to_string();
        let run = starpath(["sssp", path, "--source", &source, "--backend", "cuda", "--json"]);
        if run.code == Some(1) && run.stderr.contains("GPU solver cannot be used") {
            println!("{}", run.stderr);
            continue;
        }
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{path}");
        let report: Value = serde_json::from_str(&run.stdout).expect("an object");
        assert_eq!(report["backend"], "cuda");
        println!("{path}: {} ms on {}", report["solve_ms"], report["device"]);
        compare(path, &report, expected);
        tables_agree(path, &source);
        n_solved += 1;
    }
    assert!(n_solved >= 10, "{n_solved} graphs solved");
}

/// Both processors find the same table, small as it is.
fn tables_agree(path: &str, source: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let list = folder.path().join("list.txt");
    fs::write(&list, format!("{source}\n{source}\n")).expect("a file");
    let list = list.to_str().expect("names of temporary files are UTF-8");
    let table = |backend: &str| -> Value {
        let many = ["sssp", path, "--sources", list, "--targets", list];
        let run = starpath(many.into_iter().chain(["--backend", backend, "--json"]));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{path}");
        serde_json::from_str(&run.stdout).expect("an object")
    };
    let (device, host) = (table("cuda"), table("cpu"));
    assert!(device["upload_ms"].is_number() && device["prepare_ms"].is_number(), "{device}");
    for field in ["reached", "distance_sum", "max_distance"] {
        assert_eq!(device[field], host[field], "{path}: {field}");
    }
}

#[test]
fn every_graph_and_algorithm() {
    let Some(data) = data_folder() else { return };
    let text = fs::read_to_string(data.join("reference.json")).expect("reference.json");
    let reference: Value = serde_json::from_str(&text).expect("reference.json is JSON");
    let graphs = reference["results"].as_object().expect("results by graph");
    assert!(graphs.len() >= 23, "{} graphs", graphs.len());
    graphs.into_iter().par_bridge().for_each(|(name, expected)| {
        let path = stored(&data, name);
        if expected["src"].is_null() {
            negative_weights(&path);
            return;
        }
        let named = Algorithm::ALL.into_par_iter().map(Algorithm::name);
        named.chain(["auto"]).for_each(|algorithm| check(&path, algorithm, expected));
    });
}

/// The published numbers of two well-known road networks.
#[test]
fn known_road_networks() {
    let Some(data) = data_folder() else { return };
    for (name, reached, sum, max) in [
        ("dimacs/rome99.gr", 3353u64, 116_006_476u64, 69102u64),
        ("dimacs/USA-road-d.NY.gr", 264_346, 186_686_642_878, 1_440_081),
    ] {
        let path = stored(&data, name);
        let path = path.to_str().expect("names of graphs are UTF-8");
        let run = starpath(["sssp", path, "--source", "1", "--json"]);
        let report: Value = serde_json::from_str(&run.stdout).expect("an object");
        assert_eq!(report["reached"], reached);
        assert_eq!(report["distance_sum"], sum);
        assert_eq!(report["max_distance"], max);
    }
}

/// Directed graphs are no METIS files, whatever their suffix.
#[test]
fn directed_metis_files_are_refused() {
    let Some(data) = data_folder() else { return };
    for name in ["gapbs/4.graph", "gapbs/4w.graph"] {
        let path = data.join(name);
        let path = path.to_str().expect("names of graphs are UTF-8");
        let run = starpath(["sssp", path, "--source", "1", "--json"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{name}");
        assert!(run.stderr.starts_with("starpath: ") && run.stderr.contains(name), "{run:?}");
    }
}

/// Algorithms that admit negative weights report a cycle that is there; the others name
/// an arc that is there.
fn negative_weights(path: &Path) {
    let graph = read(path).expect("a graph");
    let (ids, csr) = (graph.ids, graph.csr.into_csr::<f64>().expect("any weight is an f64"));
    let vertex = |word: &str| {
        ids.vertex(word, csr.n_vertices()).unwrap_or_else(|| panic!("'{word}' is no vertex"))
    };
    let path = path.to_str().expect("names of graphs are UTF-8");
    for algorithm in Algorithm::ALL {
        let name = algorithm.name();
        let run = starpath(["sssp", path, "--source", "1", "--algorithm", name, "--json"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{path}, {name}");
        if algorithm.admits(&csr) {
            let (_, list) = run.stderr.split_once("negative cycle: ").expect("a negative cycle");
            let end = list.find(|c: char| c.is_alphabetic()).expect("a sentence after the list");
            let cycle: Vec<_> = list[..end].trim().split(" -> ").map(vertex).collect();
            assert_eq!(cycle.first(), cycle.last(), "{list}");
            assert!(turn(&csr, &cycle) < 0.0, "{name}: {list}");
        } else {
            assert!(run.stderr.contains("at least zero"), "{name}: {}", run.stderr);
            assert!(run.stderr.contains("bellman-ford"), "{name}: {}", run.stderr);
        }
    }
}

/// The length of one turn round a cycle, by the cheapest of parallel arcs.
fn turn(graph: &Csr<f64>, cycle: &[VertexId]) -> f64 {
    let arc = |pair: &[VertexId]| {
        let arcs = graph.arcs_from(pair[0]).filter(|arc| arc.0 == pair[1]).map(|arc| arc.1);
        arcs.min_by(f64::total_cmp).unwrap_or_else(|| panic!("no arc {} -> {}", pair[0], pair[1]))
    };
    cycle.windows(2).map(arc).sum()
}
