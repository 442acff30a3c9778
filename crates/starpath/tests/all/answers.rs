//! What a search answers: how far it went, the path or that there is none, and how long it took.

use std::fs;

use serde_json::Value;

use crate::support::{json_in, run_in};

/// A directed graph with a vertex that cannot be reached: 1 → 2 → 3 → 1, 1 → 3, 4 → 1.
const ROAD: &str = "p sp 4 5\na 1 2 5\na 2 3 4\na 3 1 7\na 1 3 11\na 4 1 1\n";

fn road() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("road.gr"), ROAD).unwrap();
    fs::write(folder.path().join("sources.txt"), "3\n1\n").unwrap();
    fs::write(folder.path().join("targets.txt"), "2\n4\n3\n").unwrap();
    folder
}

#[test]
fn target_and_cutoff_limit_the_answer() {
    let folder = road();
    let folder = folder.path();
    for algorithm in ["dijkstra", "delta-stepping", "bellman-ford", "bellman-ford-slf-lll"] {
        let run = |rest: &str| {
            json_in(folder, &format!("sssp {{}}/road.gr --source 1 --algorithm {algorithm} {rest}"))
        };
        let near = run("--target 2");
        assert_eq!((&near["target"], &near["distance"]), (&2.into(), &5.into()));
        assert_eq!(near["path_arcs"], 1);
        // it stopped there, and so says nothing of what the source reaches
        assert_eq!(near["complete"], false);
        for field in ["reached", "distance_sum", "max_distance", "within_cutoff"] {
            assert_eq!(near.get(field), None, "{field}: {near}");
        }
        assert_eq!(run("--target 3")["path_arcs"], 2);
        let never = run("--target 4");
        assert_eq!((&never["complete"], &never["reached"]), (&true.into(), &3.into()));
        assert_eq!((&never["distance"], &never["path_arcs"]), (&Value::Null, &Value::Null));
        for (cutoff, within) in [(0, 1), (8, 2), (9, 3)] {
            let found = run(&format!("--cutoff {cutoff}"));
            assert_eq!((&found["complete"], &found["cutoff"]), (&false.into(), &cutoff.into()));
            assert_eq!(found["within_cutoff"], within);
            assert_eq!(found.get("reached"), None, "{found}");
        }
        assert_eq!(run("")["complete"], true);
    }
    let people = |rest: &str| {
        let run = run_in(folder, &format!("sssp {{}}/road.gr --source 1 {rest}"));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stdout
    };
    let near = people("--target 2");
    assert!(
        near.ends_with("\n2 is 5 away, by a path of 1 arc; the search stopped there\n"),
        "{near}"
    );
    assert!(!near.contains("reaches"), "{near}");
    let never = people("--target 4");
    assert!(never.ends_with("\nno path leads from 1 to 4\n"), "{never}");
    let within = people("--cutoff 8");
    assert!(
        within.ends_with("\n2 vertices are at most 8 away from 1; the search went no further\n"),
        "{within}"
    );
}

/// The road is 1 → 2 (5), 2 → 3 (4), 3 → 1 (7), 1 → 3 (11), 4 → 1 (1).
#[test]
fn a_cutoff_limits_searches_from_many_sources() {
    let folder = road();
    let folder = folder.path();
    let written = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
    let sources = "sssp {}/road.gr --sources {}/sources.txt";
    let report = json_in(folder, &format!("{sources} --cutoff 7 -o {{}}/w.tsv"));
    assert_eq!([&report["sources"], &report["cutoff"], &report["reached"]], [2, 7, 4]);
    let lines = "3\t1\t7\t3\n3\t3\t0\t\n1\t1\t0\t\n1\t2\t5\t1\n";
    assert_eq!(written("w.tsv"), format!("source\tvertex\tdistance\tpredecessor\n{lines}"));
    let stepping = format!("{sources} --cutoff 7 --algorithm delta-stepping -o {{}}/w.tsv");
    assert_eq!(json_in(folder, &stepping)["reached"], 4);
    assert!(written("w.tsv").ends_with(lines));

    let report =
        json_in(folder, &format!("{sources} --targets {{}}/targets.txt --cutoff 8 -o {{}}/t.tsv"));
    assert_eq!((&report["reached"], &report["cutoff"]), (&2.into(), &8.into()));
    assert_eq!(written("t.tsv"), "source\t2\t4\t3\n3\t\t\t0\n1\t5\t\t\n");
    let report = json_in(folder, &format!("{sources} --nearest --cutoff 4 -o {{}}/n.tsv"));
    assert_eq!((&report["reached"], &report["cutoff"]), (&2.into(), &4.into()));
    assert_eq!(written("n.tsv"), "vertex\tsource\tdistance\n1\t1\t0\n3\t3\t0\n");

    let paths = json_in(folder, "path {}/road.gr 1 3 --k 5 --cutoff 10");
    assert_eq!((&paths["paths"].as_array().unwrap().len(), &paths["cutoff"]), (&1, &10.into()));
    for (line, said) in [
        (
            format!("{sources} --cutoff 7"),
            "2 sources: 4 pairs of a source and a vertex have a path of at most 7",
        ),
        (
            format!("{sources} --nearest --cutoff 4"),
            "2 vertices are reached from the nearest of 2 by a path of at most 4",
        ),
        ("path {}/road.gr 1 3 --k 5 --cutoff 10".into(), "and there are no more of at most 10"),
        ("path {}/road.gr 1 3 --k 5 --cutoff 8".into(), "no path of at most 8 leads from 1 to 3"),
    ] {
        let run = run_in(folder, &line);
        assert!(run.stdout.contains(said), "{line}: {}", run.stdout);
    }
}

/// Arcs of negative weight may lead back from beyond the target: that search is complete.
#[test]
fn searches_with_negative_weights_do_not_stop() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("minus.wel"), "0 1 5\n0 2 7\n2 1 -3\n1 3 9\n").unwrap();
    let report = json_in(folder.path(), "sssp {}/minus.wel --source 0 --target 1");
    assert_eq!((&report["distance"], &report["complete"]), (&4.into(), &true.into()));
    assert_eq!(report["reached"], 4);
}

/// A median of two and a difference are measured no finer than the times they come from.
#[test]
fn times_are_reported_to_the_microsecond() {
    let folder = road();
    for line in [
        "sssp {}/road.gr --source 1 --repeat 4",
        "sssp {}/road.gr --sources {}/sources.txt --targets {}/targets.txt --repeat 4",
        "path {}/road.gr 1 3 --repeat 4",
        "apsp {}/road.gr --repeat 4",
        "closure {}/road.gr --repeat 4",
        "convert {}/road.gr {}/road.spg",
        "info {}/road.gr",
    ] {
        let report = json_in(folder.path(), line);
        let times = report.as_object().unwrap().iter().filter(|field| field.0.ends_with("_ms"));
        for (name, time) in times.filter(|field| !field.1.is_null()) {
            let digits = time.to_string();
            let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            assert!(decimals <= 3 && !digits.contains('e'), "{line}: {name} is {digits}");
        }
    }
}

#[test]
fn path_lists_the_vertices() {
    let folder = road();
    let report = json_in(folder.path(), "path {}/road.gr 4 3");
    assert_eq!(report["distance"], 10);
    assert_eq!(report["path"], serde_json::json!([4, 1, 2, 3]));
    let same = json_in(folder.path(), "path {}/road.gr 2 2");
    assert_eq!((&same["distance"], &same["path"]), (&0.into(), &serde_json::json!([2])));
    let people = run_in(folder.path(), "path {}/road.gr 4 3");
    assert!(people.stdout.ends_with("\n4 1 2 3\n"), "{}", people.stdout);
}

#[test]
fn path_lists_the_shortest() {
    let folder = road();
    let paths = |line: &str| {
        let report = json_in(folder.path(), line);
        assert_eq!((&report["algorithm"], &report["backend"]), (&"yen".into(), &"cpu".into()));
        report["paths"].clone()
    };
    let two = serde_json::json!([
        { "distance": 9, "path": [1, 2, 3] },
        { "distance": 11, "path": [1, 3] },
    ]);
    assert_eq!(paths("path {}/road.gr 1 3 --k 10"), two);
    assert_eq!(paths("path {}/road.gr 1 3 --k 2 --repeat 3 --threads 1"), two);
    assert_eq!(paths("path {}/road.gr 1 3 --k 1"), serde_json::json!([two[0]]));
    let same = serde_json::json!([{ "distance": 0, "path": [2] }]);
    assert_eq!(paths("path {}/road.gr 2 2 --k 3"), same);
    assert_eq!(paths("path {}/road.gr 1 4 --k 3"), serde_json::json!([]));
    let people = |line: &str| run_in(folder.path(), line).stdout;
    let all = people("path {}/road.gr 1 3 --k 3");
    let expected = "\n1 to 3: 2 paths, and there are no more\n9, 2 arcs: 1 2 3\n11, 1 arc: 1 3\n";
    assert!(all.ends_with(expected), "{all}");
    let first = people("path {}/road.gr 1 3 --k 1");
    assert!(first.ends_with("\n1 to 3: 1 path\n9, 2 arcs: 1 2 3\n"), "{first}");
    let none = people("path {}/road.gr 1 4 --k 3");
    assert!(none.ends_with("\nno path leads from 1 to 4\n"), "{none}");
}

/// Each choice among parallel arcs is a path of its own; the shortest paths are the same.
#[test]
fn parallel_arcs_are_alternatives_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let ferries = "a,b,2\nb,c,5\na,b,3\nb,c,5\na,c,9\nc,c,1\nb,c,1e30\n";
    fs::write(folder.join("f.csv"), format!("from,to,weight\n{ferries}")).unwrap();
    let found = |line: &str| {
        let report = json_in(folder, line);
        let paths = report["paths"].as_array().unwrap().clone();
        let of = |field: &str| paths.iter().map(|path| path[field].clone()).collect::<Vec<_>>();
        (serde_json::json!(of("distance")), of("path"))
    };
    let line = "path {}/f.csv a c --k 5";
    assert_eq!(found(line).0, serde_json::json!([7.0, 9.0]));
    let (lengths, paths) = found(&format!("{line} --parallel-arcs"));
    assert_eq!(lengths, serde_json::json!([7.0, 7.0, 8.0, 8.0, 9.0]));
    assert!(paths[..4].iter().all(|path| *path == serde_json::json!(["a", "b", "c"])));
    assert_eq!(paths[4], serde_json::json!(["a", "c"]));
    // an undirected graph, and a prepared one, which is then searched
    let edges = "from,to,weight\na,b,2\nb,c,5\na,b,3\na,c,9\n";
    fs::write(folder.join("e.csv"), edges).unwrap();
    json_in(folder, "prepare {}/e.csv --undirected -o {}/e.prepared");
    for graph in ["e.csv --undirected", "e.prepared"] {
        let line = format!("path {{}}/{graph} c a --k 9");
        assert_eq!(found(&line).0, serde_json::json!([7, 9]), "{graph}");
        let line = format!("{line} --parallel-arcs");
        assert_eq!(found(&line).0, serde_json::json!([7, 8, 9]), "{graph}");
        assert_eq!(json_in(folder, &line)["algorithm"], "yen", "{graph}");
    }
    fs::write(folder.join("debt.csv"), "from,to,weight\na,b,2\na,b,-1\n").unwrap();
    let run = run_in(folder, "path {}/debt.csv a b --k 2 --parallel-arcs");
    assert!(run.stderr.contains("from a to b has -1"), "{run:?}");
    let run = run_in(folder, "path {}/e.csv a b --parallel-arcs");
    assert!(run.code == Some(2) && run.stderr.contains("--k"), "{run:?}");
}
