//! `starpath star NAME GRAPH`: the graph algorithms of the STAR-machine.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Run, json_in, run_in};

/// A triangle with a tail; the other way round it is not connected.
const ARCS: &str = "0 1 3\n1 2 4\n2 0 5\n2 3 1\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("g.el", ARCS);
    write("cycle.el", "0 1 3\n1 2 -4\n2 1 1\n");
    write("negative.el", "0 1 -3\n1 2 4\n2 0 5\n2 3 1\n");
    write("heavy.el", "0 1 1\n1 2 9223372036854775807\n");
    write("extreme.el", "0 1 -9223372036854775808\n1 2 5\n");
    write("new.tsv", "insert 0 3 1\n");
    write("extreme.txt", "insert 1 2 9223372036854775807\ndelete 1 2 5\n");
    write("floats.el", "0 1 0.5\n1 2 1.25\n");
    write("whole.wel", "0 1 3.0\n1 2 -4.0\n");
    write(
        "changes.txt",
        "# a road\ninsert 0 3 1\n\ndelete 2 3\ninsert-vertex new\ninsert new 1 2\n",
    );
    write("arcs.txt", "insert 3 0 2\ndelete 2 3\n");
    write("loops.el", "1 1\n2 2\n1 2\n3 1\n3 2\n");
    write("loop.txt", "delete 1 1\n\ninsert 3 3\ndelete 3 2\ndelete 1 2\n");
    write("ties.txt", "insert 3 0 2\ninsert 1 3 5\n");
    write("minus.txt", "insert 0 2 -1\n");
    write("none.txt", "insert 0 3 1\ndelete 0 2 4\n");
    write("wrong.txt", "insert 0 3 1\nforget 0 2\n");
    write("strange.txt", "insert 0 17 1\n");
    folder
}

/// The command, with its files in the folder of the test.
fn line(args: &str) -> String {
    let place = |word: &str| match word.contains('.') {
        true => format!("{{}}/{word}"),
        false => word.to_owned(),
    };
    let words: Vec<_> = args.split(' ').map(place).collect();
    format!("star {}", words.join(" "))
}

fn fields(report: &Value, names: &[&str]) -> Value {
    names.iter().map(|name| ((*name).to_owned(), report[*name].clone())).collect()
}

#[test]
fn answers_are_right() {
    let folder = folder();
    for (args, expected) in [
        ("dijkstra g.el --source 0", json!({"reached": 4, "distance_sum": 18})),
        ("bellman-ford g.el --source 0", json!({"reached": 4, "distance_sum": 18})),
        ("bellman-ford cycle.el --source 0", json!({"negative_cycle": [1, 2]})),
        ("floyd g.el", json!({"reachable_pairs": 13, "distance_sum": 50})),
        ("floyd negative.el", json!({"reachable_pairs": 13, "distance_sum": 26})),
        ("floyd whole.wel", json!({"reachable_pairs": 6, "distance_sum": -2})),
        ("floyd cycle.el", json!({"negative_cycle": [1, 2]})),
        (
            "kruskal g.el --undirected",
            json!({"forest": {"weight": 8, "edges": 3, "components": 1}}),
        ),
        ("prim g.el --undirected --root 2", json!({"forest": {"weight": 8, "edges": 3}})),
        ("edmonds g.el", json!({"forest": {"weight": 10, "edges": 3, "components": 1}})),
        ("edmonds g.el --root 0", json!({"forest": {"weight": 8, "edges": 3}})),
        (
            "gabow g.el --undirected --root 2 --degree 3",
            json!({"forest": {"weight": 10, "edges": 3}}),
        ),
        (
            "gabow g.el --undirected --root 2 --degree 9 --at-most",
            json!({"forest": {"weight": 8, "edges": 3}}),
        ),
        (
            "gabow negative.el --undirected --root 2 --degree 9 --at-most",
            json!({"forest": {"weight": 2, "edges": 3}}),
        ),
        (
            "dijkstra heavy.el --source 0",
            json!({"reached": 3, "distance_sum": 9_223_372_036_854_775_809_u64}),
        ),
    ] {
        let line = line(args);
        let report = json_in(folder.path(), &line);
        let names: Vec<_> = expected.as_object().unwrap().keys().map(String::as_str).collect();
        let mut found = fields(&report, &names);
        if let Some(Value::Array(cycle)) = found.get_mut("negative_cycle") {
            // wherever it begins
            cycle.sort_by_key(Value::to_string);
        }
        assert_eq!(found, expected, "{args:?}");
        assert_eq!((&report["backend"], &report["command"]), (&json!("cpu"), &json!("star")));
        assert!(report.get("operations").is_none());
        let counted = json_in(folder.path(), &format!("{line} --cost"));
        assert!(counted["operations"]["total"].as_u64() > Some(10));
    }
}

#[test]
fn results_are_written_with_the_names_of_vertices() {
    let folder = folder();
    for (args, expected) in [
        (
            "dijkstra g.el --source 1",
            "vertex\tdistance\tpredecessor\n0\t9\t2\n1\t0\t\n2\t4\t1\n3\t5\t2\n",
        ),
        ("edmonds g.el --root 0", "source\ttarget\tweight\n0\t1\t3\n1\t2\t4\n2\t3\t1\n"),
        (
            "dynamic-mst g.el --undirected --changes changes.txt",
            "source\ttarget\tweight\n0\t1\t3\n1\t2\t4\nnew\t1\t2\n0\t3\t1\n",
        ),
        ("dynamic-closure loops.el --changes loop.txt", "from\tto\n2\t2\n3\t1\n3\t3\n"),
        (
            "dynamic-paths g.el --sink 0 --changes ties.txt",
            "vertex\tdistance\tnext\n0\t0\t\n1\t7\t2\n1\t7\t3\n2\t3\t3\n3\t2\t0\n",
        ),
    ] {
        json_in(folder.path(), &line(&format!("{args} -o out.tsv")));
        let written = fs::read_to_string(folder.path().join("out.tsv")).unwrap();
        let mut lines: Vec<_> = written.lines().collect();
        let mut expected: Vec<_> = expected.lines().collect();
        lines[1..].sort_unstable();
        expected[1..].sort_unstable();
        assert_eq!(lines, expected, "{args:?}");
    }
}

#[test]
fn each_change_is_reported() {
    let folder = folder();
    let args = "dynamic-mst g.el --undirected --changes changes.txt --cost";
    let report = json_in(folder.path(), &line(args));
    assert_eq!(report["forest"], json!({"weight": 10, "edges": 4, "components": 1}));
    let changes = report["changes"].as_array().unwrap();
    let lines: Vec<_> = changes.iter().map(|change| &change["change"]).collect();
    let expected = ["insert 0 3 1", "delete 2 3", "insert-vertex new", "insert new 1 2"];
    assert_eq!(lines, expected);
    let total: u64 = changes.iter().filter_map(|change| change["operations"].as_u64()).sum();
    assert!(total > 0 && report["recompute_operations"].as_u64() > Some(0));
    let args = "dynamic-mst extreme.el --undirected --changes extreme.txt";
    let report = json_in(folder.path(), &line(args));
    assert_eq!(report["forest"], json!({"weight": -1, "edges": 2, "components": 1}));
}

#[test]
fn closures_and_paths_follow_changes() {
    let folder = folder();
    for (args, expected) in [
        // 3 joins the others, then nothing leads to it; the others are a cycle
        ("dynamic-closure g.el --changes arcs.txt", json!({"reachable_pairs": 12})),
        (
            "dynamic-paths g.el --sink 0 --changes arcs.txt",
            json!({"reached": 4, "distance_sum": 16, "arcs": 3}),
        ),
    ] {
        let report = json_in(folder.path(), &line(args));
        let names: Vec<_> = expected.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(fields(&report, &names), expected, "{args}");
        assert_eq!(report["changes"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = folder();
    for (args, expected) in [
        ("kruskal g.el", "for undirected graphs, but no arc of weight 3 leads back from 1 to 0"),
        ("floyd extreme.el", "take 67 bits, and at most 64 are supported; scale the weights down"),
        ("dynamic-paths g.el --sink 0 --changes minus.txt", "no weight may be negative"),
        ("dijkstra g.el --source 9", "the source 9 is not in"),
        ("dijkstra cycle.el --source 0", "has weight -4"),
        ("dijkstra floats.el --source 0", "0 -> 1 weighs 0.5, but the STAR-machine needs whole"),
        ("edmonds g.el --root 3", "the root does not reach every vertex"),
        ("gabow g.el --undirected --root 2 --degree 4", "no spanning tree"),
        ("gabow g.el --undirected --root 2 --degree 0", "no spanning tree"),
        ("dynamic-mst g.el --undirected --changes none.txt", "delete 0 2 4: "),
        ("dynamic-mst g.el --undirected --changes wrong.txt", "wrong.txt:2: 'forget 0 2' is no"),
        ("dynamic-mst g.el --undirected --changes strange.txt", "strange.txt:1: the vertex 17"),
        ("dynamic-mst g.el --undirected --changes absent.txt", "absent.txt: "),
        ("dynamic-closure g.el --changes changes.txt", "changes.txt"),
        ("dynamic-paths g.el --sink 0 --changes none.txt", "delete 0 2 4: "),
        ("dynamic-paths g.el --sink 0 --changes arcs.txt -o out.npy", ".npy cannot hold"),
        ("dynamic-closure g.el --changes arcs.txt -o arcs.txt", "unknown result format"),
        ("kruskal g.el --undirected -o out.npy", ".npy cannot hold"),
        ("kruskal g.el --undirected -o g.el", "g.el"),
        ("dynamic-mst g.el --undirected --changes new.tsv -o new.tsv", "new.tsv"),
    ] {
        let Run { code, stderr, .. } = run_in(folder.path(), &line(args));
        assert!(matches!(code, Some(1 | 2)) && stderr.contains(expected), "{args}: {stderr}");
    }
    let kept = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!((kept("g.el"), kept("new.tsv")), (ARCS.to_owned(), "insert 0 3 1\n".to_owned()));
}
