//! `starpath sssp --changes` and `starpath closure --changes`.

use std::fs;

use crate::support::{json_in, run_in};

const LINE: &str = "sssp {}/roads.csv --source a --changes {}/changes.txt";

#[test]
fn distances_are_those_after_the_changes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("roads.csv"), "from,to,weight\na,b,5\nb,c,2\nc,d,4\na,d,20\n").unwrap();
    let changes = "# b is passed by\ninsert a c 3\n\nreweight c d 1\ndelete b c\n";
    fs::write(folder.join("changes.txt"), changes).unwrap();
    let report = json_in(folder, &format!("{LINE} -o {{}}/d.tsv"));
    let batch = &report["batches"][0];
    assert_eq!((batch["changes"].as_u64(), batch["changed"].as_u64()), (Some(3), Some(2)));
    assert_eq!(
        (report["algorithm"].as_str(), batch["new_search"].as_bool()),
        (Some("dynamic"), Some(false))
    );
    let table = "vertex\tdistance\tpredecessor\na\t0\t\nb\t5\ta\nc\t3\ta\nd\t4\tc\n";
    assert_eq!(fs::read_to_string(folder.join("d.tsv")).unwrap(), table);
    // as edges, and by all arcs of one vertex
    fs::write(folder.join("changes.txt"), "delete-vertex b\n").unwrap();
    let report = json_in(folder, &format!("{LINE} --undirected -o {{}}/d.tsv"));
    let changed = report["batches"][0]["changed"].as_u64();
    assert_eq!((report["reached"].as_u64(), changed), (Some(3), Some(3)));
    let run = run_in(folder, LINE);
    assert!(run.stdout.contains("changes.txt: 1 change took"), "{run:?}");
    assert!(run.stdout.contains("a reaches 2 vertices"), "{run:?}");
}

/// Nothing is written, and the line is named.
#[test]
fn bad_changes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("roads.csv"), "from,to,weight\na,b,5\nb,c,2\n").unwrap();
    for (changes, part) in [
        ("delete b c\nclose a b", "line 2: 'close a b' is no change: write insert u v [w]"),
        ("insert a e 1", "line 1: 'insert a e 1' is no change: 'e' is no vertex"),
        ("insert a c 0.5", "'0.5' is no weight of this graph"),
        ("\ndelete c a", "changes.txt:2: there is no such arc"),
        ("delete a b 7", "changes.txt:1: there is no such arc of weight 7"),
        ("delete a b\ninsert a b 2", "changes.txt:2: an earlier line changes the same"),
        ("insert-vertex a", "'a' is a vertex already"),
        ("insert a c 99999999999", "changes.txt:1: 99999999999 is no weight of this graph"),
    ] {
        fs::write(folder.join("changes.txt"), changes).unwrap();
        let run = run_in(folder, &format!("{LINE} -o {{}}/d.tsv"));
        assert_eq!(run.code, Some(1), "{changes}: {run:?}");
        assert!(run.stderr.contains(part), "{changes}: {run:?}");
        assert!(!folder.join("d.tsv").exists());
    }
    fs::write(folder.join("changes.txt"), "reweight a b nan").unwrap();
    fs::write(folder.join("roads.csv"), "from,to,weight\na,b,0.5\nb,c,2\n").unwrap();
    let run = run_in(folder, LINE);
    assert!(run.stderr.contains("changes.txt:1: NaN is no weight of this graph"), "{run:?}");
    let run = run_in(folder, &format!("{LINE} --target c"));
    assert_eq!(run.code, Some(2), "{run:?}");
    fs::remove_file(folder.join("changes.txt")).unwrap();
    let run = run_in(folder, LINE);
    assert!(run.stderr.contains("changes.txt: No such file"), "{run:?}");
}

#[test]
fn closures_are_those_after_the_changes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("links.csv"), "from,to\na,b\nb,c\nc,d\n").unwrap();
    fs::write(folder.join("changes.txt"), "delete b c\ninsert d a\n").unwrap();
    let line = "closure {}/links.csv --changes {}/changes.txt";
    let report = json_in(folder, &format!("{line} -o {{}}/c.tsv --counts {{}}/n.tsv"));
    let number = |name: &str| report[name].as_u64();
    let of_batch = |name: &str| report["batches"][0][name].as_u64();
    assert_eq!((number("reachable_pairs"), of_batch("changes")), (Some(6), Some(2)));
    assert_eq!((of_batch("new_pairs"), of_batch("gone_pairs")), (Some(4), Some(4)));
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let [found, counts] = [text("c.tsv"), text("n.tsv")];
    // the changed graph by itself
    fs::write(folder.join("links.csv"), "from,to\na,b\nc,d\nd,a\n").unwrap();
    json_in(folder, "closure {}/links.csv -o {}/c.tsv --counts {}/n.tsv");
    assert_eq!([found, counts], [text("c.tsv"), text("n.tsv")]);
    let run = run_in(folder, line);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("changes.txt:1: there is no such arc"), "{run:?}");
    fs::write(folder.join("changes.txt"), "insert b c").unwrap();
    let run = run_in(folder, line);
    assert!(run.stdout.contains("1 change took"), "{run:?}");
}

/// Each file is made after the one before, and may name its new vertices.
#[test]
fn several_files_are_made_in_turn() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    write("roads.csv", "from,to,weight\na,b,5\nb,c,2\nc,b,1\n");
    write("first.txt", "insert-vertex d\ninsert c d 4\ninsert a c 9");
    write("second.txt", "# again\n");
    write("third.txt", "insert-vertex e\nreweight c d 1\ninsert d e 1\ndelete a b\n");
    let files = ["first", "second", "third"].map(|name| format!("--changes {{}}/{name}.txt"));
    let files = files.join(" ");
    write("changed.csv", "from,to,weight\na,c,9\nb,c,2\nc,b,1\nc,d,1\nd,e,1\n");
    for (command, of_batch) in [("sssp --source a", "changed"), ("closure", "new_pairs")] {
        let report = json_in(folder, &format!("{command} {{}}/roads.csv {files} -o {{}}/t.tsv"));
        let batches = report["batches"].as_array().unwrap();
        let changes: Vec<_> = batches.iter().map(|batch| batch["changes"].as_u64()).collect();
        assert_eq!(changes, [Some(3), Some(0), Some(4)]);
        let effects: Vec<_> = batches.iter().map(|batch| batch[of_batch].as_u64()).collect();
        // of the first d is new, and of the third all but a
        let expected = if command == "closure" { [3, 0, 4] } else { [1, 0, 4] };
        assert_eq!(effects, expected.map(Some), "{report}");
        json_in(folder, &format!("{command} {{}}/changed.csv -o {{}}/expected.tsv"));
        let lines = |name: &str| {
            let mut lines: Vec<_> = text(name).lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(lines("t.tsv"), lines("expected.tsv"), "{command}");
        let run = run_in(folder, &format!("{command} {{}}/roads.csv {files}"));
        assert_eq!(run.stdout.matches(".txt: ").count(), 3, "{run:?}");
        let run = run_in(folder, &format!("{command} {{}}/roads.csv {files} --repeat 2"));
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains("--repeat is for one graph"), "{run:?}");
        // a line of the last that cannot be made, before anything is found
        write("bad.txt", "\ndelete a b");
        let line = format!("{command} {{}}/roads.csv {files} --changes {{}}/bad.txt -o {{}}/b.tsv");
        let run = run_in(folder, &line);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.stderr.contains("bad.txt:2: there is no such arc"), "{run:?}");
        write("bad.txt", "insert-vertex e");
        let run = run_in(folder, &line);
        assert!(run.stderr.contains("'e' is a vertex already"), "{run:?}");
        assert!(!folder.join("b.tsv").exists());
    }
}

/// A new vertex has the name of its line in every result.
#[test]
fn new_vertices_have_names() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("roads.csv"), "from,to,weight\nb,c,5\nc,d,2\n").unwrap();
    let changes = "insert-vertex a\ninsert d a 4\ninsert-vertex e\ninsert a e\ndelete-vertex c\n\
                   insert b d 7\n";
    fs::write(folder.join("changes.txt"), changes).unwrap();
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let report = json_in(
        folder,
        "sssp {}/roads.csv --source b --changes {}/changes.txt -o {}/d.tsv --predecessors {}/p.npy",
    );
    assert_eq!((report["vertices"].as_u64(), report["edges"].as_u64()), (Some(5), Some(3)));
    let table = "vertex\tdistance\tpredecessor\nb\t0\t\nd\t7\tb\na\t11\td\ne\t12\ta\n";
    assert_eq!((text("d.tsv").as_str(), text("p.npy.ids").as_str()), (table, "b\nc\nd\na\ne\n"));
    let report = json_in(folder, "closure {}/roads.csv --changes {}/changes.txt -o {}/c.tsv");
    assert_eq!((report["vertices"].as_u64(), report["edges"].as_u64()), (Some(5), Some(3)));
    assert_eq!(text("c.tsv"), "from\tto\nb\td\nb\ta\nb\te\nd\ta\nd\te\na\te\n");
    // an error has the name, too
    fs::write(folder.join("changes.txt"), "insert-vertex a\ninsert a a -1\ninsert b a 1\n")
        .unwrap();
    fs::write(folder.join("roads.csv"), "from,to,weight\nb,c,5\nc,d,-2\n").unwrap();
    let run = run_in(folder, "sssp {}/roads.csv --source b --changes {}/changes.txt");
    assert!(run.stderr.contains("changes.txt: negative cycle: a -> a has"), "{run:?}");
}
