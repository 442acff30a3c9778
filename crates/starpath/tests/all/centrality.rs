//! `starpath centrality`: its report, its files, and what it refuses.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use test_support::{data_folder, gpu};

#[cfg(unix)]
use crate::support::interrupt;
use crate::support::{json_in, run_in};

/// A path of three vertices by edges, and one more vertex.
fn path() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = "p sp 4 4\na 1 2 5\na 2 1 5\na 2 3 4\na 3 2 4\n";
    fs::write(folder.path().join("path.gr"), text).unwrap();
    folder
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn measures_and_report_of_a_path() {
    let folder = path();
    let folder = folder.path();
    let report = json_in(folder, "centrality {}/path.gr --hops -o {}/c.tsv --repeat 2");
    let expected = json!({
        "command": "centrality", "algorithm": "bit-parallel", "backend": "cpu", "lengths": "hops",
        "vertices": 4, "edges": 4, "sources": 4, "reachable_pairs": 6, "connected": false,
        "radius": 0, "centre": 1, "diameter": 2, "periphery": 2, "hop_plot": [4, 8, 10],
        "wiener_index": 4,
    });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&report[field], value, "{field}");
    }
    assert_eq!(report["mean_distance"].as_f64(), Some(8.0 / 6.0));
    assert!(report["solve_ms"].is_number() && report["solve_min_ms"].is_number());
    let lines = read(folder, "c.tsv");
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines[0], "vertex\tcloseness\tharmonic\teccentricity");
    assert_eq!(lines[2], "2\t0.6666666666666666\t2\t1");
    assert_eq!(lines[4], "4\t0\t0\t0");
    // weights, and measures in another order
    let line = "centrality {}/path.gr --measure eccentricity,closeness --uncorrected -o {}/w.tsv";
    let report = json_in(folder, line);
    assert_eq!((&report["lengths"], &report["diameter"]), (&json!("weights"), &json!(9)));
    assert_eq!((&report["wiener_index"], &report["hop_plot"]), (&json!(18), &Value::Null));
    let lines = read(folder, "w.tsv");
    assert!(lines.starts_with("vertex\teccentricity\tcloseness\n1\t9\t0.14285714"), "{lines}");
    let people = run_in(folder, "centrality {}/path.gr --hops");
    for part in ["4 vertices, 4 arcs", "radius 0 of 1 vertex, diameter 2 of 2 vertices", "not all"]
    {
        assert!(people.stdout.contains(part), "{}", people.stdout);
    }
    fs::write(folder.join("none.gr"), "p sp 0 0\n").unwrap();
    assert_eq!(json_in(folder, "centrality {}/none.gr -o {}/n.tsv")["diameter"], Value::Null);
    assert_eq!(read(folder, "n.tsv"), "vertex\tcloseness\tharmonic\teccentricity\n");
}

#[test]
fn sides_threads_and_samples() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate rmat --scale 9 --directed -o {}/r.gr");
    let of = |options: &str| {
        json_in(folder, &format!("centrality {{}}/r.gr {options} -o {{}}/c.tsv"));
        read(folder, "c.tsv")
    };
    for lengths in ["", "--hops"] {
        let (out, into) = (of(lengths), of(&format!("{lengths} --side in")));
        assert!(out != into, "arcs have a direction");
        for threads in [1, 2, 5] {
            assert!(of(&format!("{lengths} --threads {threads}")) == out);
        }
        assert!(of(&format!("{lengths} --sample 512")) == out, "a sample of all");
        let some = of(&format!("{lengths} --sample 99 --seed 7"));
        assert!(some != out && some == of(&format!("{lengths} --sample 99 --seed 7")));
        assert!(some != of(&format!("{lengths} --sample 99 --seed 8")));
    }
    let report = json_in(folder, "centrality {}/r.gr --sample 99");
    assert_eq!((&report["sources"], &report["wiener_index"]), (&json!(99), &Value::Null));
    assert!(report["sampling_error"].as_f64().is_some_and(|error| (0.2..0.3).contains(&error)));
    let people = run_in(folder, "centrality {}/r.gr --sample 99");
    assert!(people.stdout.contains("99 samples of 100"), "{}", people.stdout);
}

/// Counted from each vertex alone, the sums are the same.
#[test]
fn real_graphs_have_the_sums_of_all_pairs() {
    let Some(data) = data_folder() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["dimacs/rome99.gr", "mtx/ca-GrQc.mtx", "mtx/cage8.mtx", "metis/power.graph"] {
        let graph = data.join(name);
        let graph = graph.display();
        let all = json_in(folder, &format!("apsp {graph}"));
        let found = json_in(folder, &format!("centrality {graph} --side in"));
        let n = all["vertices"].as_u64().unwrap();
        let pairs = found["reachable_pairs"].as_u64().unwrap();
        assert_eq!(all["reachable_pairs"], pairs + n, "{name}");
        let sum = all["distance_sum"].as_f64().unwrap();
        let mean = found["mean_distance"].as_f64().unwrap();
        assert!((mean - sum / pairs as f64).abs() <= 1e-9 * mean, "{name}: {mean}");
        let out = json_in(folder, &format!("centrality {graph} --side out"));
        assert_eq!(out["diameter"], found["diameter"], "{name}");
    }
}

#[test]
fn betweenness_within_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate rmat --scale 9 --directed -o {}/r.gr");
    let line = "centrality {}/r.gr --hops --measure betweenness -o {}/c.tsv";
    let values = || -> Vec<f64> {
        let lines = read(folder, "c.tsv");
        assert_eq!(lines.lines().next(), Some("vertex\tbetweenness"));
        lines
            .lines()
            .skip(1)
            .map(|line| line.split('\t').nth(1).unwrap().parse().unwrap())
            .collect()
    };
    json_in(folder, line);
    let exact = values();
    let line = format!("{line} --error 0.02");
    let report = json_in(folder, &format!("{line} --failure 0.05 --threads 1"));
    assert_eq!(
        (&report["algorithm"], &report["lengths"]),
        (&json!("random paths"), &json!("hops"))
    );
    assert_eq!((&report["error"], &report["failure"]), (&json!(0.02), &json!(0.05)));
    let samples = report["samples"].as_u64().unwrap();
    assert!((800..10_000).contains(&samples), "{samples}");
    let found = values();
    assert!(found.iter().zip(&exact).all(|(a, b)| (a - b).abs() <= 0.02));
    json_in(folder, &format!("{line} --failure 0.05 --threads 5"));
    assert_eq!(values(), found);
    json_in(folder, &format!("{line} --failure 0.05 --seed 2"));
    assert_ne!(values(), found);
    let people = run_in(folder, &line);
    assert!(people.stdout.contains("with a probability of 0.9 "), "{}", people.stdout);
    if gpu(gpu_runtime::Gpu::open()).is_some() {
        json_in(folder, &format!("{line} --failure 0.05 --backend cuda"));
        assert_eq!(values(), found);
    }
}

#[test]
fn whole_numbers_beyond_2_to_the_53_are_not_rounded() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("far.wel"), "0 1 9007199254740993\n1 2 9007199254740993\n").unwrap();
    let line = "centrality {}/far.wel --measure eccentricity,closeness -o {}/plain.tsv";
    let report = json_in(folder, line);
    let (far, twice) = (9_007_199_254_740_993_u64, 18_014_398_509_481_986_u64);
    assert_eq!((&report["diameter"], &report["wiener_index"]), (&json!(twice), &json!(4 * far)));
    let alone = json_in(folder, "centrality {}/far.wel --measure diameter");
    assert_eq!(alone["diameter"], json!(twice));
    assert!(read(folder, "plain.tsv").contains("\n1\t9007199254740993\t"));
    json_in(folder, "prepare {}/far.wel -o {}/far.prepared");
    let line = "centrality {}/far.prepared --measure eccentricity,closeness -o {}/prepared.tsv";
    json_in(folder, line);
    assert_eq!(read(folder, "plain.tsv"), read(folder, "prepared.tsv"));
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = path();
    let folder = folder.path();
    fs::write(folder.join("debt.gr"), "p sp 2 1\na 1 2 -3\n").unwrap();
    fs::write(folder.join("zero.gr"), "p sp 2 1\na 1 2 0\n").unwrap();
    for (options, code, parts) in [
        ("path.gr --measure fame", 2, &["fame", "closeness"][..]),
        ("path.gr --measure closeness,closeness", 2, &["closeness twice"]),
        ("path.gr --measure harmonic --uncorrected", 2, &["--uncorrected is for"]),
        ("path.gr --sample 0", 2, &["--sample"]),
        ("path.gr --seed 3", 2, &["--sample"]),
        ("path.gr --side up", 2, &["up", "out", "in"]),
        ("path.gr --measure betweenness,closeness --resume {}/s", 2, &["--resume", "each with"]),
        ("path.gr --measure edge-betweenness,closeness", 2, &["is of edges", "once for each"]),
        ("zero.gr --measure closeness,betweenness", 1, &["from 1 to 2 has weight 0", "--hops"]),
        ("zero.gr --measure betweenness", 1, &["from 1 to 2 has weight 0", "--hops"]),
        ("debt.gr --measure betweenness", 1, &["from 1 to 2 has -3", "--hops"]),
        ("path.gr --measure betweenness --error 0.1", 2, &["--hops", "--sample N"]),
        ("path.gr --hops --error 0.1", 2, &["--measure betweenness alone"]),
        ("path.gr --measure betweenness --error 1", 2, &["above 0 and below 1"]),
        ("path.gr --measure betweenness --error 0.1 --sample 3", 2, &["--error", "--sample"]),
        ("path.gr --measure betweenness --failure 0.1", 2, &["--error"]),
        ("path.gr --measure betweenness --error 0.1 --side in", 2, &["leave out", "--side"]),
        ("path.gr --measure diameter,closeness", 2, &["diameter cannot be combined"]),
        ("path.gr --measure diameter -o {}/c.tsv", 2, &["one exact number"]),
        ("path.gr --resume {}/state --repeat 3", 2, &["--repeat", "--resume"]),
        ("path.gr --resume {}/debt.gr", 1, &["debt.gr is not the state", "name another file"]),
        ("path.gr --resume {}/no/state", 1, &["no"]),
        ("debt.gr --measure diameter", 1, &["from 1 to 2 has -3", "--hops"]),
        ("path.gr --gpus 2", 2, &["--gpus is for --backend cuda"]),
        ("path.gr --memory 2G", 2, &["--memory is for --backend cuda"]),
        ("path.gr -o {}/c.npy", 2, &[".npy cannot hold"]),
        ("path.gr -o {}/path.gr", 2, &["path.gr"]),
        ("path.gr -o {}/no/c.tsv", 1, &["no"]),
        ("debt.gr", 1, &["from 1 to 2 has -3", "--hops"]),
        ("nothing.gr", 1, &["nothing.gr"]),
    ] {
        let run = run_in(folder, &format!("centrality {{}}/{options}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(code), ""), "{options}: {}", run.stderr);
        assert!(parts.iter().all(|part| run.stderr.contains(part)), "{options}: {}", run.stderr);
    }
    assert_eq!(json_in(folder, "centrality {}/debt.gr --hops")["diameter"], 1);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 3, "no file is left behind");
}

#[test]
fn a_diameter_alone() {
    let folder = path();
    let folder = folder.path();
    let report = json_in(folder, "centrality {}/path.gr --measure diameter --repeat 2");
    assert_eq!((&report["diameter"], &report["lengths"]), (&json!(9), &json!("weights")));
    let ends = [report["from"].as_u64(), report["to"].as_u64()];
    assert!(ends == [Some(1), Some(3)] || ends == [Some(3), Some(1)], "{report}");
    assert!(report["searches"].as_u64().is_some_and(|n| n > 0));
    let people = run_in(folder, "centrality {}/path.gr --measure diameter --hops");
    assert!(people.stdout.contains("diameter 2 in hops, from "), "{}", people.stdout);
    fs::write(folder.join("none.gr"), "p sp 0 0\n").unwrap();
    let report = json_in(folder, "centrality {}/none.gr --measure diameter");
    assert_eq!((&report["diameter"], &report["searches"]), (&Value::Null, &json!(0)));
    let Some(data) = data_folder() else { return };
    for name in ["snap/wiki-Vote.txt", "mtx/ca-GrQc.mtx"] {
        let graph = data.join(name);
        let graph = graph.display();
        let all = json_in(folder, &format!("centrality {graph} --hops"));
        let alone = json_in(folder, &format!("centrality {graph} --hops --measure diameter"));
        assert_eq!(all["diameter"], alone["diameter"], "{name}");
    }
}

#[test]
fn betweenness_alone() {
    let folder = path();
    let folder = folder.path();
    let line = "centrality {}/path.gr --measure betweenness -o {}/b.tsv --resume {}/state";
    let report = json_in(folder, line);
    // two of the six ordered pairs of others go through the vertex in the middle
    assert_eq!((&report["vertex"], report["greatest"].as_f64()), (&json!(2), Some(2.0 / 6.0)));
    assert_eq!((&report["lengths"], &report["sources"]), (&json!("weights"), &json!(4)));
    let table = "vertex\tbetweenness\n1\t0\n2\t0.3333333333333333\n3\t0\n4\t0\n";
    assert_eq!(read(folder, "b.tsv"), table);
    assert_eq!(json_in(folder, line)["greatest"], report["greatest"]);
    assert_eq!(read(folder, "b.tsv"), table);
    let people = run_in(folder, "centrality {}/path.gr --measure betweenness --hops --sample 2");
    for part in ["paths in hops from 2 vertices", "greatest betweenness", "99 samples of 100"] {
        assert!(people.stdout.contains(part), "{}", people.stdout);
    }
    fs::write(folder.join("none.gr"), "p sp 0 0\n").unwrap();
    let report = json_in(folder, "centrality {}/none.gr --measure betweenness");
    assert_eq!(report["greatest"], Value::Null);
    // the inner vertices of a path are one fewer than its arcs
    let Some(data) = data_folder() else { return };
    for name in ["snap/wiki-Vote.txt", "mtx/ca-GrQc.mtx"] {
        let graph = data.join(name);
        let graph = graph.display();
        let all = json_in(folder, &format!("centrality {graph} --hops"));
        let line = format!("centrality {graph} --hops --measure betweenness -o {{}}/b.tsv");
        let n = json_in(folder, &line)["vertices"].as_f64().unwrap();
        let table = read(folder, "b.tsv");
        let values = table.lines().skip(1).map(|line| line.split('\t').nth(1).unwrap());
        let sum: f64 = values.map(|value| value.parse::<f64>().unwrap()).sum();
        let pairs = all["reachable_pairs"].as_f64().unwrap();
        let inner = (all["mean_distance"].as_f64().unwrap() - 1.0) * pairs;
        let found = sum * (n - 1.0) * (n - 2.0);
        assert!((found - inner).abs() <= 1e-9 * inner, "{name}: {found} {inner}");
    }
}

/// A line for each edge, or each arc.
#[test]
fn betweenness_of_edges() {
    let folder = path();
    let folder = folder.path();
    let line = "centrality {}/path.gr --measure edge-betweenness -o {}/e.tsv";
    let report = json_in(folder, line);
    assert_eq!((&report["from"], &report["to"]), (&json!(1), &json!(2)), "{report}");
    let third = 1.0 / 3.0;
    assert_eq!(report["greatest"], json!(third));
    assert_eq!(
        read(folder, "e.tsv"),
        format!("from\tto\tedge-betweenness\n1\t2\t{third}\n2\t3\t{third}\n")
    );
    let people = run_in(folder, "centrality {}/path.gr --measure edge-betweenness --hops");
    assert!(people.stdout.contains("of the edge from 1 to 2"), "{}", people.stdout);
    fs::write(folder.join("arcs.wel"), "7 8 1\n8 9 1\n").unwrap();
    json_in(folder, "centrality {}/arcs.wel --measure edge-betweenness -o {}/a.tsv");
    assert_eq!(read(folder, "a.tsv").lines().nth(2), Some(&*format!("8\t9\t{third}")));
}

/// On a GPU as on the CPU, alone and with other measures.
#[test]
fn betweenness_on_a_gpu() {
    let folder = path();
    let folder = folder.path();
    for measures in
        ["betweenness --hops", "closeness,betweenness --hops", "betweenness", "edge-betweenness"]
    {
        let line = format!("centrality {{}}/path.gr --measure {measures} --json");
        let run = run_in(folder, &format!("{line} --backend cuda -o {{}}/gpu.tsv"));
        if run.code != Some(0) {
            assert!(run.stderr.contains("backend cuda: "), "{}", run.stderr);
            gpu::<(), _>(Err(run.stderr.trim()));
            return;
        }
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["backend"], json!("cuda"), "{report}");
        run_in(folder, &format!("{line} -o {{}}/cpu.tsv"));
        assert_eq!(read(folder, "gpu.tsv"), read(folder, "cpu.tsv"));
    }
}

/// Measures that are found together are those that are found alone, in the order asked for.
#[test]
fn betweenness_and_others_at_once() {
    let folder = path();
    let folder = folder.path();
    for options in ["", "--hops", "--sample 3 --seed 2", "--side in"] {
        let find = |measures: &str| {
            let line =
                format!("centrality {{}}/path.gr --measure {measures} {options} -o {{}}/t.tsv");
            (json_in(folder, &line), read(folder, "t.tsv"))
        };
        let (both, table) = find("harmonic,betweenness,eccentricity");
        let (alone, betweenness) = find("betweenness");
        let (others, harmonic) = find("harmonic,eccentricity");
        for field in ["greatest", "vertex", "sampling_error"] {
            assert_eq!(both[field], alone[field], "{options}: {field}");
        }
        for field in ["diameter", "mean_distance", "wiener_index", "reachable_pairs"] {
            assert_eq!(both[field], others[field], "{options}: {field}");
        }
        assert_eq!(
            both["algorithm"],
            format!("{}, brandes", others["algorithm"].as_str().unwrap())
        );
        for ((row, harmonic), betweenness) in
            table.lines().zip(harmonic.lines()).zip(betweenness.lines())
        {
            let others: Vec<&str> = harmonic.split('\t').collect();
            let value = betweenness.split('\t').nth(1).unwrap();
            assert_eq!(row, [others[0], others[1], value, others[2]].join("\t"), "{options}");
        }
    }
    let said = run_in(folder, "centrality {}/path.gr --measure closeness,betweenness --sample 2");
    for part in ["diameter", "greatest betweenness", "betweenness by at most as much"] {
        assert!(said.stdout.contains(part), "{}", said.stdout);
    }
}

/// The state of a run that is done gives the same, and that of another graph nothing.
#[test]
fn runs_are_resumed() {
    let folder = path();
    let folder = folder.path();
    let line = "centrality {}/path.gr --resume {}/state -o {}/c.tsv";
    let first = json_in(folder, line);
    let table = read(folder, "c.tsv");
    let again = json_in(folder, line);
    assert_eq!(first["wiener_index"], again["wiener_index"]);
    assert_eq!(read(folder, "c.tsv"), table);
    let other = run_in(folder, "centrality {}/path.gr --hops --resume {}/state");
    assert_eq!(other.code, Some(1));
    assert!(other.stderr.contains("state is the state of a run for Weights"));
}

/// While it searches, by hops and by weights.
#[cfg(unix)]
#[test]
fn interrupted_runs_leave_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate grid --side 400 -o {}/g.spg");
    interrupt(folder, &["centrality", "g.spg", "--hops", "-o", "c.tsv"]);
    interrupt(folder, &["centrality", "g.spg", "-o", "c.tsv"]);
    let betweenness = ["centrality", "g.spg", "--measure", "betweenness", "-o", "c.tsv"];
    interrupt(folder, &betweenness);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
}

/// 0.1 + 0.2 is not 0.3, but as long.
#[test]
fn betweenness_is_stated_as_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // 1 - 2 - 3 - 4 - 5
    fs::write(folder.join("path.csv"), "1,2\n2,3\n3,4\n4,5\n").unwrap();
    let line = "centrality {}/path.csv --undirected --hops -o {}/b.tsv --measure";
    for (options, [ends, sides, middle]) in [
        ("betweenness", [0.0, 0.5, 4.0 / 6.0]),
        ("betweenness --convention starpath", [0.0, 0.5, 4.0 / 6.0]),
        ("betweenness --convention networkx", [0.0, 0.5, 4.0 / 6.0]),
        ("betweenness --convention cugraph", [0.0, 0.5, 4.0 / 6.0]),
        ("betweenness --convention igraph", [0.0, 3.0, 4.0]),
        ("betweenness,eccentricity --convention gapbs", [0.0, 0.75, 1.0]),
        ("betweenness --endpoints", [0.4, 0.7, 0.8]),
        ("betweenness --endpoints --convention networkx", [0.4, 0.7, 0.8]),
    ] {
        let report = json_in(folder, &format!("{line} {options}"));
        assert_eq!(report["greatest"].as_f64(), Some(middle), "{options}");
        let table = read(folder, "b.tsv");
        let value = |row: &str| row.split('\t').nth(1).unwrap().parse::<f64>().unwrap();
        let found: Vec<_> = table.lines().skip(1).map(value).collect();
        assert_eq!(found, [ends, sides, middle, sides, ends], "{options}");
    }
    let report = json_in(folder, &format!("{line} edge-betweenness --convention igraph"));
    assert_eq!(report["greatest"].as_f64(), Some(6.0));
    // one source has no value
    let one = format!("{line} betweenness --sample 1 --convention networkx");
    let report = json_in(folder, &one);
    assert!(report.get("sampling_error").is_none() && read(folder, "b.tsv").contains("NaN"));
    let report = json_in(folder, &format!("{line} betweenness --sample 3 --convention igraph"));
    assert!(report.get("sampling_error").is_none());
    for (options, part) in [
        ("closeness --convention igraph", "for --measure betweenness"),
        ("edge-betweenness --convention gapbs", "for vertices"),
        ("betweenness --error 0.1 --convention igraph", "leave out --convention"),
        ("closeness --endpoints", "for --measure betweenness"),
        ("betweenness --error 0.1 --endpoints", "leave out --endpoints"),
        ("betweenness --endpoints --convention gapbs", "starpath, networkx and cugraph"),
    ] {
        let run = run_in(folder, &format!("{line} {options}"));
        assert_eq!(run.code, Some(2), "{options}: {run:?}");
        assert!(run.stderr.contains(part), "{options}: {run:?}");
    }
}

#[test]
fn ties_of_floats_are_counted_where_that_is_asked_for() {
    let folder = path();
    let folder = folder.path();
    let arcs = "from,to,weight\na,b,0.1\nb,d,0.2\na,c,0.2\nc,d,0.1\na,e,0.15\ne,d,0.15\n";
    fs::write(folder.join("floats.csv"), arcs).unwrap();
    let line = "centrality {}/floats.csv --measure betweenness -o {}/b.tsv";
    let values = |options: &str| {
        json_in(folder, &format!("{line} {options}"));
        let table = read(folder, "b.tsv");
        let value = |row: &str| row.split('\t').nth(1).unwrap().parse::<f64>().unwrap();
        table.lines().skip(1).map(value).collect::<Vec<_>>()
    };
    let pairs = 4.0 * 3.0;
    for (options, [b, c, e]) in [
        ("", [0.0, 0.0, 1.0]),
        ("--tie-tolerance 0", [0.0, 0.0, 1.0]),
        ("--tie-tolerance 1e-12", [1.0 / 3.0; 3]),
    ] {
        let expected = [0.0, b, c, 0.0, e].map(|value| value / pairs);
        let found = values(options);
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    }
    for (options, code, part) in [
        ("floats.csv --measure betweenness --tie-tolerance 1", 2, "less than 1"),
        ("floats.csv --measure betweenness --tie-tolerance -1", 2, "--tie-tolerance"),
        ("floats.csv --tie-tolerance 1e-9", 2, "for --measure betweenness"),
        ("floats.csv --measure betweenness --hops --tie-tolerance 1e-9", 2, "--hops"),
        ("path.gr --measure betweenness --tie-tolerance 1e-9", 2, "are u32, whose sums are exact"),
    ] {
        let run = run_in(folder, &format!("centrality {{}}/{options}"));
        assert_eq!(run.code, Some(code), "{options}: {run:?}");
        assert!(run.stderr.contains(part), "{options}: {run:?}");
    }
}
