//! Prepared graphs: what is asked of them has the answers of the graph itself, and files that are
//! none are refused by name.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{json_in, run_in};

/// A folder with `streets.gr`, its pairs, and `streets.prepared`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert_eq!(run_in(at, "generate grid --side 30 -o {}/streets.spg").code, Some(0));
    assert_eq!(run_in(at, "convert {}/streets.spg {}/streets.gr").code, Some(0));
    let places = (0..900).map(|i| format!("{},{},{}\n", i + 1, i % 30, i / 30));
    fs::write(at.join("places.csv"), format!("vertex,x,y\n{}", places.collect::<String>()))
        .unwrap();
    let pairs: String = (1..=200).map(|i| format!("{} {}\n", i * 4, 901 - i * 3)).collect();
    fs::write(at.join("pairs.txt"), pairs).unwrap();
    let prepared = json_in(at, "prepare {}/streets.gr -o {}/streets.prepared");
    assert_eq!((&prepared["vertices"], &prepared["command"]), (&900.into(), &"prepare".into()));
    assert!(prepared["hierarchy_arcs"].as_u64().unwrap() > 1740, "{prepared}");
    folder
}

/// What the graph and what the prepared graph answer.
fn both(at: &Path, line: &str) -> [Value; 2] {
    ["streets.gr", "streets.prepared"].map(|graph| json_in(at, &line.replace("GRAPH", graph)))
}

#[test]
fn paths_and_tables_are_those_of_the_graph() {
    let folder = folder();
    let at = folder.path();
    let [searched, asked] = both(at, "path {}/GRAPH 1 900");
    assert_eq!(asked["algorithm"], "hierarchy");
    assert_eq!(searched["distance"], asked["distance"]);
    assert_eq!(asked["path"][0], 1);
    let [searched, asked] = both(at, "path {}/GRAPH 1 900 --algorithm dijkstra");
    assert_eq!((&searched["path"], &asked["algorithm"]), (&asked["path"], &"dijkstra".into()));
    let mapped = json_in(at, "path {}/streets.prepared 1 900 --map");
    assert_eq!(mapped["distance"], searched["distance"]);
    let [searched, asked] = both(at, "path {}/GRAPH 7 450 --k 4");
    assert_eq!(searched["paths"], asked["paths"]);

    fs::write(at.join("some.txt"), "1\n30\n450\n900\n30\n").unwrap();
    let lists = "--sources {}/some.txt --targets {}/some.txt";
    let [searched, asked] = both(at, &format!("sssp {{}}/GRAPH {lists} -o {{}}/GRAPH.tsv"));
    assert_eq!((&asked["algorithm"], &asked["targets"]), (&"hierarchy".into(), &5.into()));
    assert_eq!(searched["distance_sum"], asked["distance_sum"]);
    let table = |graph: &str| fs::read_to_string(at.join(format!("{graph}.tsv"))).unwrap();
    assert_eq!(table("streets.gr"), table("streets.prepared"));
    for line in [
        "sssp {}/GRAPH --source 3",
        "sssp {}/GRAPH --source 3 --cutoff 500",
        "sssp {}/GRAPH --sources {}/some.txt --nearest",
    ] {
        let [searched, asked] = both(at, line);
        for field in ["distance_sum", "within_cutoff", "reached"] {
            assert_eq!(searched[field], asked[field], "{line}");
        }
    }
    let [searched, asked] = both(at, "centrality {}/GRAPH");
    assert_eq!(
        (&searched["algorithm"], &asked["algorithm"]),
        (&"rows".into(), &"hierarchy".into())
    );
    for field in ["radius", "centre", "diameter", "mean_distance", "wiener_index"] {
        assert_eq!(searched[field], asked[field], "{field}");
    }
}

#[test]
fn pairs_are_answered_line_by_line() {
    let folder = folder();
    let at = folder.path();
    let line = "path {}/streets.prepared --pairs {}/pairs.txt -o {}/out.tsv";
    let report = json_in(at, line);
    assert_eq!((&report["pairs"], &report["reached"]), (&200.into(), &200.into()));
    let query = &report["query_us"];
    assert!(query["mean"].as_f64().unwrap() > 0.0 && query["p99"].as_f64().is_some());
    let rows = fs::read_to_string(at.join("out.tsv")).unwrap();
    let rows: Vec<Vec<&str>> = rows.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows[0], ["source", "target", "distance"]);
    assert_eq!((rows.len(), rows[1][0], rows[1][1]), (201, "4", "898"));
    let one = json_in(at, "path {}/streets.gr 4 898");
    assert_eq!(rows[1][2], one["distance"].to_string());

    json_in(at, &format!("{line} --paths"));
    let rows = fs::read_to_string(at.join("out.tsv")).unwrap();
    let path = rows.lines().nth(1).unwrap().split('\t').nth(3).unwrap();
    assert!(path.starts_with("4 ") && path.ends_with(" 898"), "{path}");

    let refused = |pairs: &str| {
        fs::write(at.join("bad.txt"), pairs).unwrap();
        let run = run_in(at, "path {}/streets.prepared --pairs {}/bad.txt");
        assert_eq!(run.code, Some(1), "{pairs}");
        run.stderr
    };
    assert!(refused("1 2\n3\n").contains("bad.txt:2: expected two vertex ids, found `3`"));
    assert!(refused("1 2 3\n").contains("bad.txt:1: expected two vertex ids"));
    assert!(refused("1 901\n").contains("bad.txt:1: target 901 is not in"));
    assert!(refused("\n").contains("no pair of vertex ids"));
}

/// Distances of pairs are those of the hierarchy, and paths those of single searches.
#[test]
fn pairs_of_a_graph_that_is_not_prepared_are_searched() {
    let folder = folder();
    let at = folder.path();
    let read = |name: &str| fs::read_to_string(at.join(name)).unwrap();
    let several: String = (1..=200).map(|i| format!("{} {}\n", i % 7 + 1, i * 4)).collect();
    fs::write(at.join("several.txt"), several).unwrap();
    for (pairs, searches) in [("pairs.txt", 200), ("several.txt", 7)] {
        let [searched, asked] =
            both(at, &format!("path {{}}/GRAPH --pairs {{}}/{pairs} -o {{}}/GRAPH.tsv"));
        assert_eq!((&searched["searches"], &asked["searches"]), (&searches.into(), &Value::Null));
        assert!(searched["query_us"].is_null() && searched["algorithm"] == "dijkstra");
        for field in ["pairs", "reached", "distance_sum", "max_distance"] {
            assert_eq!(searched[field], asked[field], "{pairs}: {field}");
        }
        assert_eq!(read("streets.gr.tsv"), read("streets.prepared.tsv"), "{pairs}");
        let distances = read("streets.gr.tsv");
        for threads in [1, 3] {
            let line = format!("path {{}}/streets.gr --pairs {{}}/{pairs} -o {{}}/paths.tsv");
            json_in(at, &format!("{line} --paths --threads {threads}"));
            let lines = read("paths.tsv");
            for (line, without) in lines.lines().zip(distances.lines()).skip(1) {
                let (begin, path) = line.rsplit_once('\t').unwrap();
                let ids: Vec<&str> = without.split('\t').collect();
                assert_eq!(begin, without);
                assert!(path.starts_with(&format!("{} ", ids[0])), "{line}");
                assert!(path.ends_with(&format!(" {}", ids[1])), "{line}");
            }
            let one = json_in(at, "path {}/streets.gr 4 898")["path"].to_string();
            let first = lines.lines().nth(1).unwrap().rsplit('\t').next().unwrap();
            let is_one = first.replace(' ', ",") == one.trim_matches(['[', ']']);
            assert!(is_one || pairs == "several.txt", "{first}, {one}");
        }
    }
    // negative weights, and a pair without a path
    fs::write(at.join("debt.csv"), "from,to,w\nA,B,3\nB,C,-4\n").unwrap();
    fs::write(at.join("debt.txt"), "A C\nC A\nA A\n").unwrap();
    let report = json_in(at, "path {}/debt.csv --pairs {}/debt.txt --paths -o {}/debt.tsv");
    assert_eq!((&report["reached"], &report["distance_sum"]), (&2.into(), &(-1).into()));
    let table = "source\ttarget\tdistance\tpath\nA\tC\t-1\tA B C\nC\tA\t\t\nA\tA\t0\tA\n";
    assert_eq!(read("debt.tsv"), table);
    let said = run_in(at, "path {}/debt.csv --pairs {}/debt.txt").stdout;
    assert!(said.contains("by 2 searches, one for each source"), "{said}");
    let refused = run_in(at, "path {}/debt.csv --pairs {}/debt.txt --backend cuda");
    assert!(refused.stderr.contains("path --pairs runs on the CPU"), "{refused:?}");
    fs::write(at.join("cycle.csv"), "from,to,w\nA,B,3\nB,A,-4\nB,C,1\n").unwrap();
    let cycle = run_in(at, "path {}/cycle.csv --pairs {}/debt.txt");
    assert_eq!(cycle.code, Some(1));
    assert!(cycle.stderr.contains("negative cycle"), "{cycle:?}");
}

#[test]
fn new_weights_are_those_of_a_fresh_preparation() {
    let folder = folder();
    let at = folder.path();
    let text = fs::read_to_string(at.join("streets.gr")).unwrap();
    let changed: String = text
        .lines()
        .enumerate()
        .map(|(i, line)| match line.rsplit_once(' ') {
            Some((arc, weight)) if line.starts_with('a') => {
                let weight: u32 = weight.parse().unwrap();
                format!("{arc} {}\n", if i % 3 == 0 { weight * 7 } else { weight })
            }
            _ => format!("{line}\n"),
        })
        .collect();
    fs::write(at.join("rush.gr"), &changed).unwrap();
    let line = "customize {}/streets.prepared {}/rush.gr -o {}/rush.prepared";
    assert_eq!(json_in(at, line)["command"], "customize");
    json_in(at, "prepare {}/rush.gr --coordinates {}/places.csv -o {}/fresh.prepared");
    let sums = ["rush", "fresh", "streets"].map(|name| {
        let line = format!("path {{}}/{name}.prepared --pairs {{}}/pairs.txt");
        json_in(at, &line)["distance_sum"].clone()
    });
    assert_eq!(sums[0], sums[1]);
    assert_ne!(sums[0], sums[2]);

    let last = changed.trim_end().lines().count() - 1;
    let fewer: Vec<&str> = changed.lines().take(last).collect();
    let fewer = fewer.join("\n").replace("p sp 900 3480", "p sp 900 3479");
    fs::write(at.join("fewer.gr"), fewer + "\n").unwrap();
    let run = run_in(at, "customize {}/streets.prepared {}/fewer.gr -o {}/fewer.prepared");
    assert!(
        run.stderr.contains("fewer.gr: its arcs are not those of the prepared graph"),
        "{run:?}"
    );
    let run = run_in(at, "customize {}/streets.prepared {}/streets.spg -o {}/x.prepared");
    assert!(run.stderr.contains("name their vertices differently"), "{run:?}");
    let run = run_in(at, "customize {}/streets.gr {}/rush.gr -o {}/x.prepared");
    assert!(run.stderr.contains("streets.gr: this graph is not prepared"), "{run:?}");
    assert!(!at.join("fewer.prepared").exists() && !at.join("x.prepared").exists());
}

#[test]
fn roads_are_closed_and_opened() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(
        at.join("towns.csv"),
        "from,to,weight\nrome,milan,570\nmilan,turin,140\nrome,turin,900\n",
    )
    .unwrap();
    json_in(at, "prepare {}/towns.csv --undirected -o {}/towns.prepared");
    let customize =
        "customize {}/towns.prepared {}/towns.prepared --changes {}/works.txt -o {}/works.prepared";
    fs::write(at.join("works.txt"), "# works\ndelete rome milan\nreweight turin milan 150\n")
        .unwrap();
    assert_eq!(json_in(at, customize)["changes"], 2);
    let distance = |name: &str, from: &str, to: &str| {
        json_in(at, &format!("path {{}}/{name}.prepared {from} {to}"))["distance"].clone()
    };
    assert_eq!(distance("works", "rome", "milan"), 1050);
    assert_eq!(distance("towns", "rome", "milan"), 570);
    fs::write(at.join("open.txt"), "insert milan rome 600\n").unwrap();
    json_in(
        at,
        "customize {}/works.prepared {}/works.prepared --changes {}/open.txt -o {}/open.prepared",
    );
    assert_eq!(distance("open", "milan", "rome"), 600);
    // both files at once
    let both = customize.replace("-o {}/works", "--changes {}/open.txt -o {}/both");
    assert_eq!(json_in(at, &both)["changes"], 3);
    assert_eq!(distance("both", "milan", "turin"), 150);
    assert!(
        fs::read(at.join("both.prepared")).unwrap() == fs::read(at.join("open.prepared")).unwrap()
    );

    let before = fs::read(at.join("works.prepared")).unwrap();
    let refused = [
        ("delete rome milan\ndelete rome milan\n", "works.txt:2: an earlier line changes the same"),
        ("delete rome turin 5\n", "works.txt:1: there is no such arc of weight 5"),
        ("delete rome naples\n", "naples"),
        ("reweight rome turin -5\n", "-5"),
    ];
    for (changes, reason) in refused {
        fs::write(at.join("works.txt"), changes).unwrap();
        let run = run_in(at, customize);
        assert!(run.code != Some(0) && run.stderr.contains(reason), "{run:?}");
        assert_eq!(fs::read(at.join("works.prepared")).unwrap(), before);
    }
    let (arcs, far) = ("insert 1 900 5\n", "works.txt:1: neither a road nor a shortcut");
    let folder = self::folder();
    fs::write(folder.path().join("works.txt"), arcs).unwrap();
    let run = run_in(
        folder.path(),
        "customize {}/streets.prepared {}/streets.gr --changes {}/works.txt -o {}/x.prepared",
    );
    assert!(run.stderr.contains(far) && !folder.path().join("x.prepared").exists(), "{run:?}");
}

#[test]
fn names_are_kept_and_the_file_is_a_graph() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("towns.csv"), "from,to,weight\nrome,milan,570\nmilan,turin,140\n").unwrap();
    json_in(at, "prepare {}/towns.csv --undirected -o {}/towns.prepared");
    let path = json_in(at, "path {}/towns.prepared turin rome");
    assert_eq!(path["path"].as_array().unwrap(), &["turin", "milan", "rome"]);
    let [info, plain] = ["info {}/towns.prepared", "info {}/towns.csv --undirected"]
        .map(|line| json_in(at, line)["edges"].clone());
    assert_eq!(info, plain);
    let run = run_in(at, "path {}/towns.prepared turin rome --unweighted");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("is prepared for its weights"), "{}", run.stderr);
}

#[test]
fn what_is_no_prepared_graph_is_refused_by_name() {
    let folder = folder();
    let at = folder.path();
    let whole = fs::read(at.join("streets.prepared")).unwrap();
    let refused = |bytes: &[u8]| {
        fs::write(at.join("bad.prepared"), bytes).unwrap();
        let run = run_in(at, "path {}/bad.prepared 1 2");
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.stderr.contains("bad.prepared: "), "{}", run.stderr);
        run.stderr
    };
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    assert!(refused(&flipped).contains("the checksum of its content does not match"));
    assert!(refused(&whole[..whole.len() / 2]).contains("the header promises"));
    assert!(refused(b"p sp 2 1\na 1 2 7\n").contains("a header takes 128 bytes"));
    assert!(refused(&[]).contains("a header takes 128 bytes"));

    let run = run_in(at, "path {}/bad.prepared 1 2 --map");
    assert_eq!((run.code, run.stderr.contains("bad.prepared: ")), (Some(1), true), "{run:?}");
    let run = run_in(at, "path {}/streets.gr 1 2 --map");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("--map is for .spg and .prepared files"), "{}", run.stderr);

    let run = run_in(at, "prepare {}/streets.gr -o {}/streets.spg");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("file that ends in .prepared"), "{}", run.stderr);
    let run = run_in(at, "convert {}/streets.gr {}/plain.prepared");
    assert_eq!(run.code, Some(2), "{}", run.stderr);

    json_in(at, "generate rmat --scale 15 -o {}/web.spg");
    let run = run_in(at, "prepare {}/web.spg -o {}/web.prepared");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("no small separators"), "{}", run.stderr);
    fs::write(at.join("debt.csv"), "from,to,w\n1,2,3\n2,3,-4\n").unwrap();
    let run = run_in(at, "prepare {}/debt.csv -o {}/debt.prepared");
    assert!(run.stderr.contains("the arc from 2 to 3 has -4"), "{}", run.stderr);
    assert!(!at.join("web.prepared").exists() && !at.join("debt.prepared").exists());
}

/// Tables and measures from a GPU are those of the CPU.
#[test]
fn a_gpu_answers_as_the_cpu_does() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("some.txt"), "1\n30\n450\n900\n30\n").unwrap();
    let lists = "--sources {}/some.txt --targets {}/some.txt";
    let table = format!("sssp {{}}/streets.prepared {lists} -o {{}}/out.tsv");
    let run = run_in(at, &format!("{table} --backend cuda --gpus all"));
    if run.code != Some(0) {
        assert!(run.stderr.contains("backend cuda: "), "{}", run.stderr);
        println!("SKIPPED: {}", run.stderr.trim());
        return;
    }
    let found = fs::read_to_string(at.join("out.tsv")).unwrap();
    json_in(at, &table);
    assert_eq!(found, fs::read_to_string(at.join("out.tsv")).unwrap());
    let measures = ["cpu", "cuda"].map(|backend| {
        let line = format!("centrality {{}}/streets.prepared -o {{}}/{backend}.tsv");
        let report = json_in(at, &format!("{line} --backend {backend}"));
        (report["wiener_index"].clone(), report["diameter"].clone(), report["algorithm"].clone())
    });
    assert_eq!(measures[0], measures[1]);
    assert_eq!(measures[0].2, "hierarchy");
}
