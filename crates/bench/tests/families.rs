//! The whole study of the families, on graphs for a test and without a GPU.

use std::collections::BTreeMap;
use std::fs;

use bench::families::{Options, run};
use clap::Parser;

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    options: Options,
}

fn options(arguments: &str) -> Options {
    let arguments = format!("bench {arguments} --backend cpu --threads 2 --runs 2");
    Program::try_parse_from(arguments.split_whitespace()).unwrap().options
}

/// The timed runs of each solver: part, graph and solver.
fn runs(raw: &str) -> BTreeMap<[String; 3], usize> {
    let mut lines = raw.lines();
    let columns = lines.next().unwrap().split(',').count();
    let mut runs = BTreeMap::new();
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields.len(), columns, "{line}");
        assert!(fields[7].parse::<f64>().unwrap() >= 0.0, "{line}");
        *runs.entry([0, 2, 5].map(|column| fields[column].to_owned())).or_insert(0) += 1;
    }
    runs
}

#[test]
fn families_are_measured_side_by_side() {
    let out = tempfile::tempdir().unwrap();
    let graphs = "rmat-6,grid-9,grid-12+seed-3,layered-90+reals,torus-6+negative";
    let arguments = format!("--parts families --graphs {graphs} --name tiny");
    let written = run(&options(&arguments), out.path()).unwrap();
    let file = |name: &str| fs::read_to_string(written.folder.join(name));
    let runs = runs(&file("raw.csv").unwrap());
    let solver = |graph: &str, solver: &str| {
        runs.get(&["families", graph, solver].map(str::to_owned)).copied()
    };
    for graph in graphs.split(',') {
        assert_eq!(solver(graph, "host/auto"), Some(2), "{graph}");
        assert_eq!(solver(graph, "host/bellman-ford"), Some(2), "{graph}");
        assert_eq!(solver(graph, "host/bellman-ford-slf-lll"), Some(2), "{graph}");
        let is_negative = graph.contains("negative");
        assert_eq!(solver(graph, "host/dijkstra").is_none(), is_negative, "{graph}");
        assert!(file(&format!("{graph}.svg")).unwrap().contains("host/auto"), "{graph}");
    }
    // where Boost is, it takes part on graphs of u32
    assert_eq!(solver("layered-90+reals", "boost/dijkstra"), None);
    let summary = file("summary.md").unwrap();
    assert_eq!(solver("grid-9", "boost/dijkstra").is_none(), summary.contains("SKIPPED: boost"));
    assert!(file("grid-by-size.svg").unwrap().contains("host/dijkstra"));
    assert!(file("rmat-by-size.svg").is_err(), "one size makes no line");
    assert_eq!(summary, written.summary);
    for expected in ["### torus-6+negative", "needs weights of at least zero", "by size: grid"] {
        assert!(summary.contains(expected), "{expected} in {summary}");
    }
    assert!(run(&options(&arguments), out.path()).is_err(), "the folder is there already");
}

#[test]
fn the_least_label_is_found_by_all() {
    let out = tempfile::tempdir().unwrap();
    let arguments = "--parts extract-min --labels 1,10,1000 --extractions 20 --name labels";
    let written = run(&options(arguments), out.path()).unwrap();
    let runs = runs(&fs::read_to_string(written.folder.join("raw.csv")).unwrap());
    assert_eq!(runs.len(), 3 * 2, "a loop and a heap: {runs:?}");
    for expected in ["| loop on the host ", "| the paper ", "Only microseconds"] {
        assert!(written.summary.contains(expected), "{expected} in {}", written.summary);
    }
}

#[test]
fn auto_is_set_beside_every_single_choice() {
    let out = tempfile::tempdir().unwrap();
    let graphs = "uniform-60-3+heavy+seed-2,star-30+zeros,path-40+to-7,tree-31,complete-8+to-1,\
                  caterpillar-41,small-world-30+to-65536,geometric-5+squared,hypercube-4,\
                  ladder-21,attachment-40-3+reals,bipartite-30-3+negative";
    let arguments = format!("--parts auto --graphs {graphs} --name auto");
    let written = run(&options(&arguments), out.path()).unwrap();
    let runs = runs(&fs::read_to_string(written.folder.join("raw.csv")).unwrap());
    for graph in graphs.split(',') {
        let of = runs.iter().filter(|(key, _)| key[1] == graph);
        let solvers: Vec<&str> = of.map(|(key, _)| key[2].as_str()).collect();
        let not_negative = ["dijkstra/radix", "delta-stepping/1-thread"];
        let of_them = if graph.contains("negative") { &[][..] } else { &not_negative[..] };
        for solver in ["auto", "bellman-ford"].iter().chain(of_them) {
            assert!(solvers.contains(solver), "{solver} in {solvers:?}");
        }
        assert!(written.summary.contains(&format!("| {graph} ")), "{graph}");
    }
    assert!(written.summary.contains("best single choice, on the cpu"));
}

#[test]
fn graphs_have_names_or_are_refused() {
    let parse = |name: &str| {
        Program::try_parse_from(["bench", "--graphs", name]).map(|program| program.options.graphs)
    };
    for name in [
        "rmat-9+heavy+seed-7",
        "uniform-10-2+to-5",
        "new-york+squared",
        "torus-3+reals",
        "attachment-9-2",
    ] {
        assert_eq!(parse(name).unwrap()[0].to_string(), name);
    }
    for (name, says) in [
        ("ring-7", "expected rmat-S"),
        ("torus-2", "not from 3"),
        ("hypercube-27", "not from 1 to 26"),
        ("bipartite-1-4", "from 2"),
        ("complete-100000", "too many edges"),
        ("path-1", "not from 2"),
        ("grid-9+to-0", "+to-0"),
        ("grid-9+loud", "+loud"),
    ] {
        let error = parse(name).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn what_cannot_be_measured_leaves_no_folder() {
    let out = tempfile::tempdir().unwrap();
    let arguments = "--parts families --graphs grid-9 --patience 0 --name none";
    let error = run(&options(arguments), out.path()).unwrap_err().to_string();
    assert!(error.contains("--patience"), "{error}");
    assert!(!out.path().join("none").exists());
}
