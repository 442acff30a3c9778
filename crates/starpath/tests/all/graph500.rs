//! `graph500`: what the benchmark reports, of the graph that `generate graph500` writes.

use serde_json::Value;

use crate::support::{json_in, run_in};

fn numbers(report: &Value, keys: &[&str]) -> Vec<f64> {
    keys.iter().map(|key| report[key].as_f64().unwrap()).collect()
}

#[test]
fn statistics_agree_with_each_other_and_with_the_graph() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let report = json_in(folder, "graph500 --scale 7");
    assert_eq!((&report["drawn_edges"], &report["roots"]), (&2048.into(), &64.into()));
    for kernel in ["bfs", "sssp"] {
        let searched = &report[kernel];
        let order = ["min", "first_quartile", "median", "third_quartile", "max"];
        for field in ["time_ms", "traversed_edges", "teps"] {
            assert!(numbers(&searched[field], &order).is_sorted(), "{kernel}: {searched}");
        }
        let edges = numbers(&searched["traversed_edges"], &["min", "mean", "max"]);
        assert!(edges.is_sorted() && edges[0] > 0.0 && edges[2] <= 2048.0, "{searched}");
        let rates = numbers(&searched["teps"], &["min", "harmonic_mean", "max"]);
        assert!(rates.is_sorted() && rates[0] > 0.0, "{searched}");
        // loops and parallel edges are not stored, but each edge is stored twice
        let arcs = numbers(searched, &["arcs_per_second"])[0];
        assert!(arcs < 2.0 * rates[1] && arcs > rates[1] / 2.0, "{searched}");
    }

    let written = json_in(folder, "generate graph500 --scale 7 -o {}/g.tsv");
    assert_eq!(written["edges"], report["edges"]);
    let info = json_in(folder, "info {}/g.tsv");
    assert_eq!((&info["self_loops"], &info["parallel_arcs"]), (&0.into(), &0.into()));
    let all = json_in(folder, "generate graph500 --scale 7 --keep-duplicates -o {}/all.spg");
    let info = json_in(folder, "info {}/all.spg");
    let loops = info["self_loops"].as_u64().unwrap();
    assert_eq!((all["edges"].as_u64(), &info["weights"]), (Some(4096 - loops), &"f32".into()));
}

#[test]
fn kernels_and_roots_are_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let report = json_in(folder, "graph500 --scale 5 --kernel bfs --roots 1");
    assert_eq!((&report["roots"], report.get("sssp")), (&1.into(), None));
    assert_eq!(report["bfs"]["time_ms"]["stddev"], 0.0);
    // fewer vertices than roots
    let report = json_in(folder, "graph500 --scale 2 --kernel sssp");
    assert!(report["roots"].as_u64().unwrap() <= 4 && report.get("bfs").is_none(), "{report}");
    let text = run_in(folder, "graph500 --scale 5 --roots 3").stdout;
    assert!(text.contains("kernel 2") && text.contains("3 searches, all valid"), "{text}");

    for (line, fragment) in [
        ("graph500 --scale 0", "expected 1 to 31"),
        ("graph500 --scale 3 --edge-factor 0", "no edge joins two vertices"),
        ("graph500 --scale 5 --roots 0", "--roots"),
        ("graph500 --scale 5 --repeat 3", "--roots says how many"),
        ("generate graph500 --scale 32 -o {}/g.spg", "expected 1 to 31"),
    ] {
        let run = run_in(folder, line);
        assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{line}: {run:?}");
        assert!(run.stderr.contains(fragment), "{line}: {run:?}");
    }
}
