//! `starpath sssp --changes`.

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
    assert_eq!((report["changes"].as_u64(), report["changed"].as_u64()), (Some(3), Some(2)));
    assert_eq!(
        (report["algorithm"].as_str(), report["new_search"].as_bool()),
        (Some("dynamic"), Some(false))
    );
    let table = "vertex\tdistance\tpredecessor\na\t0\t\nb\t5\ta\nc\t3\ta\nd\t4\tc\n";
    assert_eq!(fs::read_to_string(folder.join("d.tsv")).unwrap(), table);
    // as edges, and by all arcs of one vertex
    fs::write(folder.join("changes.txt"), "delete-vertex b\n").unwrap();
    let report = json_in(folder, &format!("{LINE} --undirected -o {{}}/d.tsv"));
    assert_eq!((report["reached"].as_u64(), report["changed"].as_u64()), (Some(3), Some(3)));
    let run = run_in(folder, LINE);
    assert!(run.stdout.contains("1 change took"), "{run:?}");
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
    assert_eq!((number("reachable_pairs"), number("changes")), (Some(6), Some(2)));
    assert_eq!((number("new_pairs"), number("gone_pairs")), (Some(4), Some(4)));
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
