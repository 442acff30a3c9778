//! Names of vertices: in results that are arrays, and in files that a graph is converted to.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{json_in, run_in, starpath};

/// Ids that are listed: 10 → 77 → 900, and 900 → 77.
const SPARSE: &str = "source\ttarget\tweight\n10\t77\t3\n77\t900\t4\n900\t77\t5\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("sparse.tsv"), SPARSE.replace("900", "90000000000")).unwrap();
    fs::write(folder.path().join("road.gr"), "p sp 3 2\na 1 2 5\na 2 3 4\n").unwrap();
    json_in(folder.path(), "generate grid --side 2 -o {}/grid.spg");
    folder
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

fn names_in(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// What a run adds to a folder.
#[track_caller]
fn added(folder: &Path, line: &str) -> Vec<String> {
    let before = names_in(folder);
    json_in(folder, line);
    names_in(folder).difference(&before).cloned().collect()
}

#[test]
fn arrays_have_the_names_that_they_do_not_hold() {
    let folder = folder();
    let folder = folder.path();
    let (sparse, counted) = ("10\n77\n90000000000\n", "1\n2\n3\n");
    for (line, sparse_source, road_source) in [
        ("sssp {}/GRAPH --source S -o {}/a.npy", "10", "1"),
        ("apsp {}/GRAPH --distances {}/a.npy", "", ""),
        ("apsp {}/GRAPH --distances {}/a.npy --scratch {}/work-GRAPH", "", ""),
        ("apsp {}/GRAPH --next-hops {}/a.npy", "", ""),
        ("closure {}/GRAPH -o {}/a.npy", "", ""),
        ("closure {}/GRAPH -o {}/a.npy --packed", "", ""),
    ] {
        let run = |graph: &str, source: &str| {
            json_in(folder, &line.replace("GRAPH", graph).replace(" S ", &format!(" {source} ")))
        };
        run("sparse.tsv", sparse_source);
        assert_eq!(read(folder, "a.npy.ids"), sparse, "{line}");
        run("road.gr", road_source);
        assert_eq!(read(folder, "a.npy.ids"), counted, "{line}");
        // vertices 0 to n − 1 need no names, and those of an earlier run are none of theirs
        run("grid.spg", "0");
        assert!(!folder.join("a.npy.ids").exists(), "{line}");
    }
}

#[test]
fn tables_have_names_of_rows_and_of_columns() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("from.txt"), "3\n1\n").unwrap();
    fs::write(folder.join("to.txt"), "0\n1\n2\n").unwrap();
    let table = "--sources {}/from.txt --targets {}/to.txt -o {}/t.npy";
    // the columns of this one are 0, 1 and 2
    assert_eq!(added(folder, &format!("sssp {{}}/grid.spg {table}")), ["t.npy", "t.npy.rows.ids"]);
    assert_eq!(read(folder, "t.npy.rows.ids"), "3\n1\n");
    fs::write(folder.join("to.txt"), "1\n2\n").unwrap();
    assert_eq!(added(folder, &format!("sssp {{}}/road.gr {table}")), ["t.npy.columns.ids"]);
    assert_eq!(read(folder, "t.npy.columns.ids"), "1\n2\n");
    // another array of the same name takes them away
    json_in(folder, "sssp {}/grid.spg --source 0 -o {}/t.npy");
    assert!(names_in(folder).iter().all(|name| !name.starts_with("t.npy.")));
}

/// Whatever ends a run, names do not change without their array.
#[test]
fn failures_leave_names_alone() {
    let folder = folder();
    let folder = folder.path();
    json_in(folder, "sssp {}/sparse.tsv --source 10 -o {}/a.npy");
    let before = (fs::read(folder.join("a.npy")).unwrap(), read(folder, "a.npy.ids"));
    assert_eq!(run_in(folder, "sssp {}/road.gr --source 9 -o {}/a.npy").code, Some(1));
    assert_eq!((fs::read(folder.join("a.npy")).unwrap(), read(folder, "a.npy.ids")), before);
    // a file that is read is not taken for one of names
    let run = run_in(
        folder,
        "sssp {}/sparse.tsv --sources {}/a.npy.ids --targets {}/a.npy.ids -o {}/a.npy",
    );
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("a.npy.ids is an input"), "{}", run.stderr);
    fs::create_dir(folder.join("b.npy.ids")).unwrap();
    let run = run_in(folder, "sssp {}/sparse.tsv --source 10 -o {}/b.npy");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("b.npy.ids") && !folder.join("b.npy").exists(), "{}", run.stderr);
}

#[test]
fn queries_need_names_of_one_run() {
    let folder = folder();
    let folder = folder.path();
    let save = "--distances {}/d.npy --next-hops {}/h.npy";
    json_in(folder, &format!("apsp {{}}/sparse.tsv {save}"));
    let ask = "query {}/d.npy {}/h.npy 10 90000000000";
    assert_eq!(json_in(folder, ask)["distance"], 7);
    // as earlier versions left them: beside the next hops only
    fs::rename(folder.join("d.npy.ids"), folder.join("kept")).unwrap();
    assert_eq!(json_in(folder, ask)["distance"], 7);
    fs::write(folder.join("d.npy.ids"), "10\n78\n90000000000\n").unwrap();
    let other = run_in(folder, ask);
    assert_eq!(other.code, Some(1));
    assert!(other.stderr.contains("d.npy.ids and"), "{}", other.stderr);
    fs::remove_file(folder.join("h.npy.ids")).unwrap();
    assert_eq!(run_in(folder, ask).code, Some(1));
}

#[test]
fn convert_says_how_names_map() {
    let folder = folder();
    let folder = folder.path();
    let convert = |from: &str, to: &str| {
        let run = run_in(folder, &format!("convert {{}}/{from} {{}}/{to}"));
        assert_eq!(run.code, Some(0), "{from} {to}: {}", run.stderr);
        let report = json_in(folder, &format!("convert {{}}/{from} {{}}/{to}"));
        assert_eq!(report["notes"].is_null(), run.stderr.is_empty(), "{report}");
        (run.stderr, report["names"].as_str().unwrap().to_owned())
    };
    for (from, to) in [
        ("road.gr", "a.spg"),
        ("sparse.tsv", "b.spg"),
        ("grid.spg", "c.spg"),
        ("road.gr", "a.mtx"),
        ("grid.spg", "c.wsg"),
    ] {
        assert_eq!(convert(from, to), (String::new(), "kept".to_owned()), "{from} {to}");
        assert!(!folder.join(format!("{to}.ids")).exists());
    }
    // .spg keeps every name
    assert_eq!(json_in(folder, "path {}/b.spg 10 90000000000")["distance"], 7);
    assert_eq!(json_in(folder, "info {}/a.spg")["first_id"], 1);

    let (said, names) = convert("road.gr", "a.wsg");
    assert_eq!(names, "shifted");
    assert!(said.starts_with("starpath: note: "), "{said}");
    assert!(said.contains("vertex 1 of the input is vertex 0 there"), "{said}");
    let (said, names) = convert("grid.spg", "c.gr");
    assert_eq!(names, "shifted");
    assert!(said.contains("vertex 0 of the input is vertex 1 there"), "{said}");

    for to in ["b.gr", "b.mtx", "b.wsg"] {
        let (said, names) = convert("sparse.tsv", to);
        assert_eq!(names, "listed");
        assert!(said.contains(&format!("{to}.ids has these")), "{said}");
        assert_eq!(read(folder, &format!("{to}.ids")), "10\n77\n90000000000\n");
    }
    // an edge list has the names, but only of vertices with arcs
    fs::write(folder.join("four.gr"), "p sp 4 1\na 2 4 7\n").unwrap();
    let (said, names) = convert("four.gr", "four.wel");
    assert_eq!((&*names, said.contains("2 vertices left out")), ("kept", true), "{said}");
    assert_eq!(json_in(folder, "path {}/four.wel 2 4")["distance"], 7);
    // the names of an earlier graph do not stay beside one that needs none
    convert("road.gr", "b.gr");
    assert!(!folder.join("b.gr.ids").exists());
}

/// Names with what files have uses of their own for, in the order of their bytes.
const ODD: [&str; 8] =
    ["\"quoted\"", "#1", "#1 # x", "%, x", "Route", "Route #9", "\u{a0}wide\u{a0}", "é \"\""];

/// A table of the arcs from each odd name to the next, all of weight 1 but the first of 7.
fn odd(folder: &Path) {
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let rows = ODD.windows(2).enumerate().map(|(i, pair)| {
        let weight = if i == 0 { 7 } else { 1 };
        format!("{},{},{weight}\n", quoted(pair[0]), quoted(pair[1]))
    });
    fs::write(folder.join("odd.csv"), format!("from,to,weight\n{}", rows.collect::<String>()))
        .unwrap();
}

/// Rows of a table that began with `#` vanished.
#[test]
fn comments_in_tables_are_asked_for() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("x.csv"), "name,to\n#a,#b\n#b,#c\n").unwrap();
    let info = json_in(folder, "info {}/x.csv --header yes");
    assert_eq!((&info["edges"], &info["first_id"]), (&2.into(), &"#a".into()));
    let info = json_in(folder, "info {}/x.csv --comment #");
    let note = "x.csv: 2 lines are comments";
    assert!(info["notes"][0].as_str().unwrap().ends_with(note), "{info}");
    assert_eq!((&info["edges"], &info["first_id"]), (&1.into(), &"name".into()));

    fs::write(folder.join("x.el"), "# from SNAP\n0 1\n").unwrap();
    let info = json_in(folder, "info {}/x.el");
    assert!(info["notes"][0].as_str().unwrap().ends_with("1 line is a comment"));
    assert_eq!(run_in(folder, "info {}/x.el --comment none").code, Some(1));
    for (line, fragment) in [
        ("info {}/x.el --comment //", "one punctuation character"),
        ("info {}/road.gr --comment #", "--comment is for edge lists"),
    ] {
        let run = run_in(folder, line);
        assert_eq!(run.code, Some(2), "{line}");
        assert!(run.stderr.contains(fragment), "{line}: {}", run.stderr);
    }
}

/// `Route #9` in a list of ids was cut to `Route`, which exists.
#[test]
fn lists_of_ids_are_read_as_they_stand() {
    let folder = folder();
    let folder = folder.path();
    odd(folder);
    // names that begin with a quote are quoted, the others as they stand
    let list: String =
        ODD.map(|name| name.replace("\"quoted\"", "\"\"\"quoted\"\"\"") + "\n").concat();
    fs::write(folder.join("all"), &list).unwrap();
    json_in(folder, "sssp {}/odd.csv --sources {}/all --targets {}/all -o {}/t.tsv");
    let table = read(folder, "t.tsv");
    let first = table.lines().nth(1).unwrap();
    assert_eq!(first, "\"quoted\"\t0\t7\t8\t9\t10\t11\t12\t13");
    // what arrays have beside them is such a list
    json_in(folder, "sssp {}/odd.csv --sources {}/all --targets {}/all -o {}/t.npy");
    assert_eq!(read(folder, "t.npy.rows.ids"), list);
    json_in(folder, "sssp {}/odd.csv --sources {}/t.npy.rows.ids --nearest -o {}/n.tsv");

    fs::write(folder.join("commented"), "Route\n# the long one\n").unwrap();
    let run = run_in(folder, "sssp {}/odd.csv --sources {}/commented --nearest");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("commented:2: vertex # the long one is not in"), "{}", run.stderr);
    assert!(run.stderr.ends_with("; a file of ids has no comments\n"), "{}", run.stderr);
}

/// In every file that the program writes and reads again.
#[test]
fn odd_names_come_back_from_every_file() {
    let folder = folder();
    let folder = folder.path();
    odd(folder);
    let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    json_in(folder, "apsp {}/odd.csv --distances {}/d.npy --next-hops {}/h.npy");
    for suffix in ["tsv", "csv", "spg", "gr"] {
        json_in(folder, &format!("convert {{}}/odd.csv {{}}/c.{suffix}"));
    }
    assert_eq!(read(folder, "c.gr.ids"), read(folder, "h.npy.ids"));
    json_in(folder, "prepare {}/odd.csv -o {}/odd.prepared");
    for (place, to) in ODD.iter().enumerate().skip(1) {
        let distance = 6 + place;
        for file in ["c.tsv", "c.csv", "c.spg", "odd.prepared"] {
            let run = starpath(["path", &at(file), ODD[0], to, "--json"]);
            let report: Value = serde_json::from_str(&run.stdout).unwrap();
            assert_eq!((&report["distance"], &report["target"]), (&distance.into(), &(*to).into()));
        }
        let run = starpath(["query", &at("d.npy"), &at("h.npy"), ODD[0], to, "--json"]);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((&report["distance"], &report["target"]), (&distance.into(), &(*to).into()));
    }
}

/// Pairs of names that have blanks and commas in them.
#[test]
fn pairs_are_set_apart_by_tabs_or_quoted() {
    let folder = folder();
    let folder = folder.path();
    odd(folder);
    json_in(folder, "prepare {}/odd.csv -o {}/odd.prepared");
    let pairs = "#1\tRoute #9\n#1 Route\n \"#1 # x\" , \"é \"\"\"\"\" \n%, x\t\u{a0}wide\u{a0}\n";
    fs::write(folder.join("pairs"), pairs).unwrap();
    let expected = "source\ttarget\tdistance\n#1\tRoute #9\t4\n#1\tRoute\t3\n\
                    #1 # x\té \"\"\t5\n%, x\t\u{a0}wide\u{a0}\t3\n";
    for graph in ["odd.prepared", "odd.csv"] {
        json_in(folder, &format!("path {{}}/{graph} --pairs {{}}/pairs -o {{}}/o.tsv"));
        assert_eq!(read(folder, "o.tsv"), expected);
        // a path that is written is a line of ids, as pairs are read
        json_in(folder, &format!("path {{}}/{graph} --pairs {{}}/pairs --paths -o {{}}/o.tsv"));
        let table = read(folder, "o.tsv");
        let path = table.lines().nth(3).unwrap().rsplit('\t').next().unwrap();
        assert!(path.starts_with("\"#1 # x\" "), "{path}");
        assert!(path.ends_with(" \"é \"\"\"\"\""), "{path}");
        let from_file = path.split("\" ").next().unwrap().to_owned() + "\",#1\n";
        fs::write(folder.join("back"), from_file).unwrap();
        assert_eq!(json_in(folder, &format!("path {{}}/{graph} --pairs {{}}/back"))["pairs"], 1);
    }
    fs::write(folder.join("pairs"), "#1 Route #9\n").unwrap();
    let run = run_in(folder, "path {}/odd.prepared --pairs {}/pairs");
    assert!(run.stderr.contains("pairs:1: expected two vertex ids"), "{}", run.stderr);
}

/// `06001` and `6001` were one vertex.
#[test]
fn leading_zeros_are_part_of_a_name() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("x.csv"), "from,to,weight\n06001,6002,3\n6001,6002,4\n").unwrap();
    fs::write(folder.join("from"), "6001\n06001\n").unwrap();
    fs::write(folder.join("to"), "6002\n").unwrap();
    let table = "sssp {}/x.csv --sources {}/from --targets {}/to -o {}/t.tsv";
    json_in(folder, table);
    assert_eq!(read(folder, "t.tsv"), "source\t6002\n6001\t4\n06001\t3\n");
    // both are one where that is said, in the lists of ids too
    json_in(folder, &format!("{table} --ids numbers"));
    assert_eq!(read(folder, "t.tsv"), "source\t6002\n6001\t3\n6001\t3\n");
    assert_eq!(json_in(folder, "path {}/x.csv 06001 06002 --ids numbers")["distance"], 3);
    // a graph whose ids are numbers has no vertex of another spelling
    let run = run_in(folder, "sssp {}/road.gr --source 01");
    assert!(run.stderr.starts_with("starpath: source 01 is not in "), "{}", run.stderr);
    json_in(folder, "apsp {}/road.gr --distances {}/d.npy --next-hops {}/h.npy");
    assert_eq!(run_in(folder, "query {}/d.npy {}/h.npy 01 2").code, Some(1));

    fs::write(folder.join("x.el"), "1 2\n01 2\n").unwrap();
    let run = run_in(folder, "info {}/x.el");
    assert!(
        run.stderr.contains("x.el:2: ") && run.stderr.contains("--ids names"),
        "{}",
        run.stderr
    );
    assert_eq!(json_in(folder, "info {}/x.el --ids names")["vertices"], 3);
    assert_eq!(json_in(folder, "info {}/x.el --ids numbers")["vertices"], 2);
    let run = run_in(folder, "info {}/road.gr --ids names");
    assert!(run.stderr.contains("--ids is for edge lists"), "{}", run.stderr);
}
