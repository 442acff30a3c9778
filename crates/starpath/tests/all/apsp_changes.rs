//! `starpath apsp --changes`: beside a run on the changed graph, and with saved distances.

use std::fs;
use std::path::Path;

use crate::support::{json_in, run_in};

const ROADS: &str = "from,to,weight\nb,c,5\nc,d,2\nd,b,4\nb,d,9\n";
const WORKS: &str = "reweight b c 8\ninsert-vertex a\ninsert d a 3\n";
const OTHER_WORKS: &str = "# and back\ninsert a c 1\ndelete c d\n";

/// A folder with a graph, two files of changes, and its distances and next hops.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("roads.csv", ROADS);
    write("works.txt", WORKS);
    write("more.txt", OTHER_WORKS);
    json_in(folder.path(), "apsp {}/roads.csv --distances {}/d.npy --next-hops {}/h.npy");
    folder
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What a line of the table says, which has the names in another order.
fn distances(folder: &Path, name: &str) -> Vec<(String, String, String)> {
    let text = String::from_utf8(read(folder, name)).unwrap();
    let mut lines = text.lines().map(|line| line.split('\t').map(str::to_owned));
    let targets: Vec<_> = lines.next().unwrap().skip(1).collect();
    let mut all = Vec::new();
    for mut line in lines {
        let source = line.next().unwrap();
        all.extend(targets.iter().cloned().zip(line).map(|(to, d)| (source.clone(), to, d)));
    }
    all.sort();
    all
}

const LINE: &str = "apsp {}/roads.csv --changes {}/works.txt --changes {}/more.txt";

#[test]
fn distances_are_those_after_the_changes() {
    let folder = folder();
    let folder = folder.path();
    let report = json_in(folder, &format!("{LINE} --distances {{}}/t.tsv --check 4"));
    let size = (report["vertices"].as_u64(), report["edges"].as_u64());
    assert_eq!((size, report["checked_rows"].as_u64()), ((Some(4), Some(5)), Some(4)));
    let batches = report["batches"].as_array().unwrap();
    let changes: Vec<_> = batches.iter().map(|batch| batch["changes"].as_u64()).collect();
    assert_eq!(changes, [Some(3), Some(2)]);
    assert!(batches.iter().all(|batch| batch["new_solve"].is_null()), "{report}");
    let changed = "from,to,weight\nb,c,8\nd,b,4\nb,d,9\nd,a,3\na,c,1\n";
    fs::write(folder.join("changed.csv"), changed).unwrap();
    json_in(folder, "apsp {}/changed.csv --distances {}/expected.tsv");
    assert_eq!(distances(folder, "t.tsv"), distances(folder, "expected.tsv"));
    let run = run_in(folder, LINE);
    assert!(run.stdout.contains("works.txt: 3 changes took"), "{run:?}");
    // an undirected graph, and where there is nothing to change
    fs::write(folder.join("none.txt"), "# nothing").unwrap();
    let line = "apsp {}/roads.csv --undirected --changes {}/works.txt --changes {}/none.txt";
    json_in(folder, &format!("{line} --check 9"));
}

/// Next hops lead along shortest paths, to new vertices too.
#[test]
fn saved_distances_follow_changes_in_place() {
    let folder = folder();
    let folder = folder.path();
    let line = |files: &str| {
        format!("apsp {{}}/roads.csv {files} --distances {{}}/d.npy --next-hops {{}}/h.npy")
    };
    // the same twice: the second time the distances are those after the changes
    let files = "--changes {}/works.txt --saved {}/d.npy";
    for is_saved in [false, true] {
        let report = json_in(folder, &line(files));
        assert_eq!(report["batches"][0]["saved"].as_bool(), Some(is_saved), "{report}");
        let route = json_in(folder, "query {}/d.npy {}/h.npy b a");
        assert_eq!((route["distance"].as_u64(), &route["path"][1]), (Some(12), &"d".into()));
    }
    assert_eq!(read(folder, "d.npy.ids"), b"b\nc\nd\na\n");
    let both = format!("{files} --changes {{}}/more.txt");
    let report = json_in(folder, &line(&both));
    assert_eq!(report["batches"][0]["saved"].as_bool(), Some(true));
    assert_eq!(report["batches"][1]["saved"].as_bool(), Some(false));
    // as if they were solved
    json_in(folder, &format!("{LINE} --distances {{}}/e.npy --next-hops {{}}/g.npy"));
    for (found, expected) in [("d.npy", "e.npy"), ("h.npy", "g.npy")] {
        for beside in ["", ".ids", ".graph"] {
            let [found, expected] = [found, expected].map(|name| format!("{name}{beside}"));
            assert_eq!(read(folder, &found), read(folder, &expected), "{found}");
        }
    }
    // without a mark the distances say it
    fs::remove_file(folder.join("d.npy.graph")).unwrap();
    let report = json_in(folder, &line(&both));
    assert_eq!(report["batches"][1]["saved"].as_bool(), Some(true));
    let run = run_in(folder, &line(&both));
    assert!(run.stdout.contains("ms, for the distances were found after them"), "{run:?}");
}

/// Files come into place one after the other. Wherever a run is ended, `query` takes no hops of
/// another graph, and the same command makes it whole.
#[test]
fn a_run_that_is_ended_leaves_nothing_between() {
    let folder = folder();
    let folder = folder.path();
    let line = "apsp {}/roads.csv --changes {}/works.txt --saved {}/d.npy --distances {}/d.npy \
                --next-hops {}/h.npy";
    let order = ["h.npy.ids", "h.npy.graph", "h.npy", "d.npy", "d.npy.ids", "d.npy.graph"];
    let before = order.map(|name| read(folder, name));
    json_in(folder, line);
    let after = order.map(|name| read(folder, name));
    for n_placed in 0..=order.len() {
        let files = after[..n_placed].iter().chain(&before[n_placed..]);
        order
            .iter()
            .zip(files)
            .for_each(|(name, file)| fs::write(folder.join(name), file).unwrap());
        let run = run_in(folder, "query {}/d.npy {}/h.npy b c");
        let right = [(0, "b to c: 5,"), (order.len(), "b to c: 8,")];
        match right.iter().find(|(place, _)| *place == n_placed) {
            Some((_, says)) => assert!(run.stdout.contains(says), "{n_placed}: {run:?}"),
            // only the names of one vertex differ at first
            None => assert_eq!(run.code, Some(1), "{n_placed}: {run:?}"),
        }
        json_in(folder, line);
        assert_eq!(order.map(|name| read(folder, name)), after, "{n_placed}");
    }
}

/// Everything stays as it was, and the error says what to do.
#[test]
fn what_is_not_of_the_graph_is_refused() {
    let folder = folder();
    let folder = folder.path();
    let saved = ["d.npy", "d.npy.graph"].map(|name| read(folder, name));
    let refused = |line: &str, code: i32, part: &str| {
        let run = run_in(folder, line);
        assert_eq!(run.code, Some(code), "{line}: {run:?}");
        assert!(run.stderr.contains(part), "{line}: {run:?}");
        assert_eq!(saved, ["d.npy", "d.npy.graph"].map(|name| read(folder, name)), "{line}");
    };
    let line = |files: &str| {
        format!("apsp {{}}/roads.csv {files} --saved {{}}/d.npy --distances {{}}/d.npy")
    };
    // a bad line of the second file, before anything is solved
    fs::write(folder.join("bad.txt"), "\ndelete b c\ndelete c b").unwrap();
    let bad = line("--changes {}/works.txt --changes {}/bad.txt");
    refused(&bad, 1, "bad.txt:3: there is no such arc");
    fs::write(folder.join("bad.txt"), "insert-vertex a").unwrap();
    refused(&bad, 1, "line 1: 'insert-vertex a' is no change: 'a' is a vertex already");
    fs::write(folder.join("roads.csv"), "from,to,weight\nb,c,5\nc,d,2\nd,b,4\nb,d,8\n").unwrap();
    let works = line("--changes {}/works.txt");
    refused(&works, 1, "d.npy is for roads.csv (sha256");
    fs::rename(folder.join("d.npy.graph"), folder.join("mark")).unwrap();
    fs::write(folder.join("roads.csv"), "from,to,weight\nb,c,6\nc,d,2\nd,b,4\nb,d,9\n").unwrap();
    let run = run_in(folder, &works);
    let says = "before the changes or after the first of their files: the distance from b to c is";
    assert!(run.code == Some(1) && run.stderr.contains(says), "{run:?}");
    fs::write(folder.join("roads.csv"), "from,to,weight\nb,c,6.5\nc,d,2\n").unwrap();
    let run = run_in(folder, &works);
    assert!(run.code == Some(1) && run.stderr.contains("expected f64"), "{run:?}");
    fs::rename(folder.join("mark"), folder.join("d.npy.graph")).unwrap();
    fs::write(folder.join("roads.csv"), ROADS).unwrap();
    refused(&format!("{works} --memory 70"), 1, "and 70 are allowed");
    refused(&format!("{works} --backend cuda"), 2, "--saved is for the CPU");
    refused(&format!("{works} --repeat 2"), 2, "--repeat is for one graph");
    refused(&format!("{works} --scratch {{}}/s"), 2, "cannot be used with");
    refused("apsp {}/roads.csv --saved {}/d.npy", 2, "--changes");
    let onto = "apsp {}/roads.csv --changes {}/works.tsv --distances {}/works.tsv";
    fs::write(folder.join("works.tsv"), WORKS).unwrap();
    refused(onto, 2, "works.tsv is an input of this command");
}

const IN_FOLDER: &str = "apsp {}/roads.csv --scratch {}/work --distances {}/d.npy --next-hops \
                         {}/h.npy --changes {}/works.txt";

/// A folder follows file after file, and has what is found in memory.
#[test]
fn a_folder_follows_changes() {
    let folder = folder();
    let folder = folder.path();
    json_in(folder, "apsp {}/roads.csv --scratch {}/work");
    let saved = |line: &str| -> Vec<_> {
        let report = json_in(folder, line);
        let batches = report["batches"].as_array().unwrap();
        batches.iter().map(|batch| batch["saved"].as_bool().unwrap()).collect()
    };
    let both = format!("{IN_FOLDER} --changes {{}}/more.txt");
    assert_eq!(saved(IN_FOLDER), [false]);
    assert_eq!(saved(IN_FOLDER), [true]);
    assert_eq!(saved(&format!("{both} --check 4")), [true, false]);
    json_in(folder, &format!("{LINE} --distances {{}}/e.npy --next-hops {{}}/g.npy"));
    let are_right = || {
        for (found, expected) in [("d.npy", "e.npy"), ("h.npy", "g.npy")] {
            for beside in ["", ".ids", ".graph"] {
                let [found, expected] = [found, expected].map(|name| format!("{name}{beside}"));
                assert_eq!(read(folder, &found), read(folder, &expected), "{found}");
            }
        }
    };
    are_right();
    let run = run_in(folder, &both);
    assert!(run.stdout.contains("ms, for the distances were found after them"), "{run:?}");
    // an empty folder has the matrix of the graph after all files
    fs::remove_dir_all(folder.join("work")).unwrap();
    assert_eq!(saved(&both), [true, true]);
    are_right();
}

/// The folder stays as it was, and the error says what to do.
#[test]
fn what_a_folder_does_not_follow_is_refused() {
    let folder = folder();
    let folder = folder.path();
    json_in(folder, "apsp {}/roads.csv --scratch {}/work");
    let matrix = read(folder, "work/matrix.bin");
    let refused = |line: &str, code: i32, part: &str| {
        let run = run_in(folder, line);
        assert_eq!(run.code, Some(code), "{line}: {run:?}");
        assert!(run.stderr.contains(part), "{line}: {run:?}");
        assert_eq!(read(folder, "work/matrix.bin"), matrix, "{line}");
    };
    fs::write(folder.join("bad.txt"), "\ndelete b c\ndelete c b").unwrap();
    let bad = format!("{IN_FOLDER} --changes {{}}/bad.txt");
    refused(&bad, 1, "bad.txt:3: there is no such arc");
    refused(&format!("{IN_FOLDER} --memory 70"), 1, "and 70 are allowed; allow more memory, or");
    refused(&format!("{IN_FOLDER} --backend cuda"), 1, "--changes with --scratch runs on the CPU");
    refused(&format!("{IN_FOLDER} --saved {{}}/d.npy"), 2, "cannot be used with");
    refused(&format!("{IN_FOLDER} --algorithm johnson"), 1, "johnson cannot keep its matrix");
    fs::write(folder.join("roads.csv"), ROADS.replace("b,d,9", "b,d,8")).unwrap();
    refused(IN_FOLDER, 1, "work holds a run on another graph, not on");
    // floats whose sums are rounded, in a folder of their own
    fs::write(folder.join("roads.csv"), ROADS.replace("b,d,9", "b,d,0.1")).unwrap();
    let work = folder.join("work");
    fs::rename(&work, folder.join("other")).unwrap();
    json_in(folder, "apsp {}/roads.csv --scratch {}/work");
    let run = run_in(folder, IN_FOLDER);
    let says = "sums of floats are rounded; find all pairs of the changed graph in an empty folder \
                (--scratch DIR)";
    assert!(run.code == Some(1) && run.stderr.contains(says), "{run:?}");
    fs::remove_dir_all(&work).unwrap();
    json_in(folder, &format!("{IN_FOLDER} --check 4"));
}

/// An error is that of the graph after the changes, with their file.
#[test]
fn a_negative_cycle_names_its_file() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("roads.csv"), ROADS.replace("b,c,5", "b,c,-5")).unwrap();
    fs::write(folder.join("more.txt"), "reweight d b 2").unwrap();
    let run = run_in(folder, LINE);
    assert_eq!(run.code, Some(0), "{run:?}");
    fs::write(folder.join("more.txt"), "insert a c 1\ninsert c a -2").unwrap();
    for line in [LINE.to_owned(), format!("{LINE} --scratch {{}}/work")] {
        // the folder follows the first file
        json_in(folder, "apsp {}/roads.csv --scratch {}/work --resume");
        let run = run_in(folder, &line);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.stderr.contains("more.txt: negative cycle: "), "{run:?}");
    }
}
