//! The whole study of the STAR-machine, on sizes for a test.

use std::fs;

use bench::star::{Options, run};
use clap::Parser;

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    options: Options,
}

fn options(arguments: &str) -> Options {
    let arguments = format!("bench {arguments}");
    Program::try_parse_from(arguments.split_whitespace()).unwrap().options
}

const TINY: &str = "--operation-sizes 70,130 --long 1000 --calls 100 --paper-sizes 100,200 \
                    --sizes 300 --adapt-up-to 300 --large 400 --condensed-sizes 300 \
                    --processor-sizes 300 --runs 2 --name tiny";

#[test]
fn a_report_has_every_part() {
    let out = tempfile::tempdir().unwrap();
    let parts = "operations,published,engines,condensed,processor";
    let written = run(&options(&format!("{TINY} --parts {parts}")), out.path()).unwrap();
    let summary = fs::read_to_string(written.folder.join("summary.md")).unwrap();
    assert_eq!(summary, written.summary);
    let raw = fs::read_to_string(written.folder.join("raw.json")).unwrap();
    let raw: serde_json::Value = serde_json::from_str(&raw).unwrap();
    let has_gpu = raw["no_gpu"].is_null();

    let lines = |part: &str| raw[part].as_array().unwrap().clone();
    // nine operations at two sizes, seven on long slices; in a program an empty turn too
    let (plain, turns) = (9 + 9 + 7, 3);
    let expected = if has_gpu { 3 * plain + turns } else { plain };
    assert_eq!(lines("operations").len(), expected);
    for line in lines("operations") {
        assert_eq!(line["us"].as_array().unwrap().len(), 2, "{line}");
    }
    assert_eq!(lines("published").len(), 4);
    for of in lines("published") {
        assert!(of["column_unions"].as_u64().unwrap() > 100, "{of}");
        assert_eq!(of["lines"].as_array().unwrap().len(), if has_gpu { 6 } else { 3 }, "{of}");
    }
    assert_eq!(lines("engines").len(), if has_gpu { 6 } else { 0 });
    for line in lines("condensed") {
        assert_eq!(line["whole_ms"].as_array().unwrap().len(), 2, "{line}");
        assert!(line["n_pairs"].as_u64().unwrap() > 0, "{line}");
    }
    assert!(lines("processor").len() >= 4);
    assert!(lines("storage").is_empty());
    for expected in ["## Microseconds", "## The paper's closures", "components", "plain / blocked"]
    {
        assert!(summary.contains(expected), "{expected} in {summary}");
    }
    assert_eq!(summary.contains("SKIPPED: all that needs a GPU"), !has_gpu, "{summary}");
}

#[test]
fn algorithms_stand_beside_their_usual_forms() {
    let out = tempfile::tempdir().unwrap();
    let arguments = "--parts algorithms,printed --runs 2 --name algorithms --search-vertices 70 \
                     --forest-edges 300 --forest-vertices 90 --pairs-vertices 20 \
                     --changing-edges 200 --changing-vertices 60 --changes 60 \
                     --closure-vertices 100 --operation-sizes 100 --calls 30 --paper-sizes 100,150";
    let written = run(&options(arguments), out.path()).unwrap();
    let raw = fs::read_to_string(written.folder.join("raw.json")).unwrap();
    let raw: serde_json::Value = serde_json::from_str(&raw).unwrap();
    let has_gpu = raw["no_gpu"].is_null();
    let lines = |part: &serde_json::Value| part.as_array().unwrap().clone();
    for (algorithm, (on_host, all), bits) in [
        ("Dijkstra", (2, 3), 32),
        ("Kruskal", (2, 3), 16),
        ("Prim", (2, 3), 16),
        ("Floyd", (2, 4), 16),
        ("WARSHALL-C", (3, 5), 0),
    ] {
        let is_of = |line: &serde_json::Value| line["algorithm"] == algorithm;
        let lines: Vec<_> = lines(&raw["algorithms"]).into_iter().filter(is_of).collect();
        assert_eq!(lines.len(), if has_gpu { all } else { on_host }, "{algorithm}");
        for line in lines {
            assert_eq!((&line["bits"], &line["ms"][1].is_f64()), (&bits.into(), &true), "{line}");
            assert!(line["units"].as_u64().unwrap() > 10, "{line}");
        }
    }
    let kinds = ["an edge comes into the forest", "an edge of the forest goes", "the forest stays"];
    for kind in kinds {
        let is_of = |line: &&serde_json::Value| line["form"] == kind;
        let changes = raw["algorithms"].as_array().unwrap().iter().filter(is_of);
        let all: Vec<_> = changes.map(|line| line["ms"].as_array().unwrap().len()).collect();
        assert!(all.len() == if has_gpu { 2 } else { 1 } && all.iter().all(|&n| n > 2), "{all:?}");
    }
    assert!(written.summary.contains("| µs a tree edge |"), "{}", written.summary);
    // two machines, four operations; two procedures, two sizes
    let expected = if has_gpu { [8, 8, 8] } else { [0; 3] };
    let found = ["operations", "one_by_one", "closures"].map(|of| lines(&raw["printed"][of]).len());
    assert_eq!(found, expected);
    assert_eq!(written.summary.contains("µs a launch"), has_gpu);
}

#[test]
fn the_papers_figures_stand_beside_ours() {
    let out = tempfile::tempdir().unwrap();
    let arguments = "--operation-sizes 100 --long 0 --calls 10 --runs 1 --host-only --name paper \
                     --parts operations,storage";
    let written = run(&options(arguments), out.path()).unwrap();
    let svg = fs::read_to_string(written.folder.join("figure-6.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.matches(" cx=").count() == 11, "{svg}");
    let summary = written.summary;
    assert!(summary.contains("| K40, the paper |  18.6 |"), "{summary}");
    let row = summary.lines().find(|line| line.contains("matrix of 180,000")).unwrap();
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    assert_eq!(cells[2..5], ["3.78 GB", "4052160008", "4050720000"], "{summary}");
}

#[test]
fn what_cannot_be_measured_leaves_no_folder() {
    let out = tempfile::tempdir().unwrap();
    let arguments = "--parts condensed --condensed-sizes 3 --sparse 4 --host-only --name none";
    let error = run(&options(arguments), out.path()).unwrap_err().to_string();
    assert!(error.contains("3 vertices cannot have 4 arcs"), "{error}");
    assert!(!out.path().join("none").exists());
}
