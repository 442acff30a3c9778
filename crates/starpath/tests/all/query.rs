//! Saved matrices and what is answered from them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use ndarray::{Array2, array};
use serde_json::Value;

use crate::support::{json_in, read_npy, run_in, write_npy};

const NONE: u16 = u16::MAX;
const SAVE: &str = "apsp {}/road.gr --distances {}/dist.npy --next-hops {}/hops.npy";
const ASK: &str = "query {}/dist.npy {}/hops.npy";

/// 1 → 2 → 3 → 1, a dearer 1 → 3, and 4 → 1: no arc leads to 4.
fn road() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let road = "p sp 4 5\na 1 2 5\na 2 3 4\na 3 1 7\na 1 3 11\na 4 1 1\n";
    fs::write(folder.path().join("road.gr"), road).unwrap();
    folder
}

fn names_in(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn queries_answer_as_searches_do() {
    let folder = road();
    let folder = folder.path();
    for algorithm in ["blocked", "johnson"] {
        json_in(folder, &format!("{SAVE} --algorithm {algorithm}"));
        let hops: Array2<u16> = read_npy(folder.join("hops.npy"));
        let expected =
            array![[NONE, 1, 1, NONE], [2, NONE, 2, NONE], [0, 0, NONE, NONE], [0, 0, 0, NONE]];
        assert_eq!(hops, expected);
        assert_eq!(fs::read_to_string(folder.join("hops.npy.ids")).unwrap(), "1\n2\n3\n4\n");
    }
    for from in 1..=4 {
        for to in 1..=4 {
            let pair = format!("{from} {to}");
            if to == 4 && from != 4 {
                // that there is none is an answer
                for line in [format!("{ASK} {pair}"), format!("path {{}}/road.gr {pair}")] {
                    let run = run_in(folder, &line);
                    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
                    let sentence = format!("\nno path leads from {from} to 4\n");
                    assert!(run.stdout.ends_with(&sentence), "{}", run.stdout);
                }
            }
            let (asked, found) = (
                json_in(folder, &format!("{ASK} {pair}")),
                json_in(folder, &format!("path {{}}/road.gr {pair}")),
            );
            for field in ["distance", "path", "source", "target", "vertices"] {
                assert_eq!(asked[field], found[field], "{pair}: {field}");
            }
            assert_eq!(asked["command"], "query");
        }
    }
    let people = run_in(folder, &format!("{ASK} 4 3"));
    assert!(people.stdout.ends_with("4 to 3: 10, 3 arcs\n4 1 2 3\n"), "{}", people.stdout);
}

#[test]
fn every_weight_type_can_be_asked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (graph, distance) in
        [("0 1 0.5\n1 2 0.25\n", Value::from(0.75)), ("0 1 5\n1 2 -7\n", Value::from(-2))]
    {
        fs::write(folder.join("road.wel"), graph).unwrap();
        json_in(folder, "apsp {}/road.wel --distances {}/dist.npy --next-hops {}/hops.npy");
        let report = json_in(folder, &format!("{ASK} 0 2"));
        assert_eq!(report["distance"], distance);
        assert_eq!(report["path"], serde_json::json!([0, 1, 2]));
        let none = json_in(folder, &format!("{ASK} 2 0"));
        assert_eq!((&none["distance"], &none["path"]), (&Value::Null, &Value::Null));
    }
}

/// The names of an earlier run do not stay beside hops that they are not of.
#[test]
fn names_come_and_go_with_the_hops() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("neurons.tsv"), "10\t90000000000\t3\n90000000000\t77\t4\n").unwrap();
    let save = |graph: &str| {
        json_in(
            folder,
            &format!("apsp {{}}/{graph} --distances {{}}/dist.npy --next-hops {{}}/hops.npy"),
        )
    };
    save("neurons.tsv");
    let report = json_in(folder, &format!("{ASK} 10 77"));
    assert_eq!(report["path"], serde_json::json!([10, 90_000_000_000u64, 77]));
    let unknown = run_in(folder, &format!("{ASK} 10 5"));
    assert!(unknown.code == Some(1) && unknown.stderr.contains("target 5"), "{}", unknown.stderr);
    fs::write(folder.join("plain.wel"), "0 1 1\n1 2 1\n").unwrap();
    save("plain.wel");
    assert!(!folder.join("hops.npy.ids").exists());
    assert_eq!(json_in(folder, &format!("{ASK} 0 2"))["distance"], 2);
}

#[test]
fn outputs_are_refused_before_the_work() {
    let folder = road();
    let before = names_in(folder.path());
    for (line, code, fragments) in [
        ("apsp {}/road.gr --next-hops {}/hops.tsv", 2, ["hops.tsv", ".npy only"]),
        ("apsp {}/road.gr --next-hops {}/a.npy --distances {}/a.npy", 2, ["a.npy", "two files"]),
        ("apsp {}/road.gr --next-hops {}/none/a.npy", 1, ["a.npy", "does not exist"]),
        ("apsp {}/missing.gr --next-hops {}/a.npy", 1, ["missing.gr", "No such file"]),
        ("closure {}/road.gr -o {}/a.xlsx", 2, ["a.xlsx", ".tsv"]),
        ("closure {}/missing.gr", 1, ["missing.gr", "No such file"]),
        ("query {}/a.npy", 2, ["HOPS.npy", "FROM"]),
        ("query {}/a.npy {}/b.npy 1 2", 1, ["a.npy", "No such file"]),
        ("query {}/road.gr {}/road.gr 1 2", 1, ["road.gr", "not a .npy file"]),
        ("query {} {} 1 2", 1, ["starpath: ", "directory"]),
    ] {
        let run = run_in(folder.path(), line);
        assert_eq!((run.code, run.stdout.as_str()), (Some(code), ""), "{line}: {}", run.stderr);
        for fragment in fragments {
            assert!(run.stderr.contains(fragment), "{line}: no {fragment} in {}", run.stderr);
        }
        assert_eq!(names_in(folder.path()), before, "{line}");
    }
}

/// Two graphs with one shortest path of one length between two vertices, which nothing but their
/// digests tells apart.
#[test]
fn arrays_of_different_graphs_are_refused() {
    let folder = road();
    let folder = folder.path();
    json_in(folder, SAVE);
    let beside = |name: &str| folder.join(format!("{name}.graph"));
    let mark = fs::read_to_string(beside("dist.npy")).unwrap();
    let lines: Vec<_> = mark.lines().collect();
    assert!(matches!(lines[..], [hash, "graph road.gr"] if hash.len() == 7 + 64), "{mark}");
    assert_eq!(fs::read_to_string(beside("hops.npy")).unwrap(), mark);

    let other = "p sp 4 5\na 1 2 5\na 2 3 4\na 3 1 70\na 1 3 11\na 4 1 1\n";
    fs::write(folder.join("other.gr"), other).unwrap();
    json_in(folder, "apsp {}/other.gr --distances {}/other.npy");
    let asked = || run_in(folder, "query {}/other.npy {}/hops.npy 1 3");
    let refused = asked();
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    for fragment in ["other.npy is for other.gr (sha256 ", "hops.npy for road.gr (", "of one run"] {
        assert!(refused.stderr.contains(fragment), "no {fragment} in {}", refused.stderr);
    }
    // what is no such file is said, and what is not there says nothing
    fs::write(beside("other.npy"), "road.gr\n").unwrap();
    assert!(asked().stderr.contains("other.npy.graph: expected the lines"), "{}", asked().stderr);
    fs::remove_file(beside("other.npy")).unwrap();
    assert_eq!(asked().code, Some(0), "{}", asked().stderr);

    // another run on the same graph, in a file of another name
    fs::copy(folder.join("road.gr"), folder.join("same.gr")).unwrap();
    json_in(folder, "apsp {}/same.gr --distances {}/other.npy --algorithm johnson");
    assert_eq!(asked().code, Some(0), "{}", asked().stderr);
    // another array takes the place of this one
    json_in(folder, "sssp {}/road.gr --source 1 -o {}/other.npy");
    assert!(!beside("other.npy").exists());
}

/// What a query of damaged files says; it must fail, and not by a panic.
#[track_caller]
fn complaint(folder: &Path, pair: &str) -> String {
    let run = run_in(folder, &format!("{ASK} {pair} --json"));
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{}", run.stderr);
    assert!(run.stderr.starts_with("starpath: "), "{}", run.stderr);
    run.stderr
}

#[test]
fn damaged_matrices_are_refused() {
    let folder = road();
    let folder = folder.path();
    let (dist, hops) = (folder.join("dist.npy"), folder.join("hops.npy"));
    let fresh = || json_in(folder, SAVE);
    fresh();
    let narrow: Array2<u16> = read_npy(&hops);
    let wide: Array2<u64> = read_npy(&dist);
    // hops in a cycle, to nowhere, to no vertex
    let mut wrong = narrow.clone();
    wrong[(1, 2)] = 0;
    write_npy(&hops, &wrong);
    assert!(complaint(folder, "1 3").contains("do not lead to 3"));
    wrong[(1, 2)] = NONE;
    write_npy(&hops, &wrong);
    assert!(complaint(folder, "1 3").contains("do not lead to 3"));
    wrong[(1, 2)] = 4;
    write_npy(&hops, &wrong);
    assert!(complaint(folder, "1 3").contains("but the matrix has 4 vertices"));
    // one run's distances, another's hops
    fresh();
    fs::write(folder.join("other.gr"), "p sp 4 5\na 1 2 5\na 2 3 4\na 3 1 7\na 1 3 1\na 4 1 1\n")
        .unwrap();
    json_in(folder, "apsp {}/other.gr --distances {}/other.npy");
    fs::remove_file(folder.join("other.npy.graph")).unwrap();
    let other = run_in(folder, "query {}/other.npy {}/hops.npy 1 3");
    assert_eq!(other.code, Some(1));
    assert!(other.stderr.contains("do not add up to 1, the distance in"), "{}", other.stderr);
    // shapes and types
    write_npy(&hops, &Array2::<u16>::zeros((4, 5)));
    assert!(complaint(folder, "1 3").contains("a square matrix"));
    write_npy(&hops, &ndarray::Array1::<u16>::zeros(16));
    assert!(complaint(folder, "1 3").contains("a square matrix"));
    write_npy(&hops, &Array2::<u16>::zeros((3, 3)));
    assert!(complaint(folder, "1 3").contains("for 4 vertices"));
    write_npy(&hops, &Array2::<u32>::zeros((4, 4)));
    assert!(complaint(folder, "1 3").contains("next hops of type u16"));
    write_npy(&hops, &wide);
    assert!(complaint(folder, "1 3").contains("expected u16 or u32"));
    write_npy(&hops, &narrow);
    let rows = fs::read(&hops).unwrap();
    let place = rows.windows(5).position(|word| word == b"False").unwrap();
    fs::write(&hops, [&rows[..place], b"True ", &rows[place + 5..]].concat()).unwrap();
    assert!(complaint(folder, "1 3").contains("a square matrix"), "columns after each other");
    fresh();
    write_npy(&dist, &narrow);
    assert!(complaint(folder, "1 3").contains("expected u64 or i64 or f32 or f64"));
    write_npy(&dist, &Array2::from_elem((4, 4), f64::NAN));
    assert!(complaint(folder, "1 3").contains("not a distance"));
    // names
    fresh();
    for (ids, fragment) in [
        ("1\n2\n3\n", "it has 3 ids, and the matrix 4"),
        ("1\n2\n2\n4\n", "hops.npy.ids:3"),
        ("1\n2\nthree\n4\n", "name different vertices"),
        ("1\n2\n\n4\n", "an empty line"),
        ("", "it has 0 ids, and the matrix 4"),
    ] {
        fs::write(folder.join("hops.npy.ids"), ids).unwrap();
        assert!(complaint(folder, "1 3").contains(fragment));
    }
    fresh();
    fs::write(folder.join("dist.npy.ids"), "1\n2\n3\n5\n").unwrap();
    assert!(complaint(folder, "1 3").contains("two files of one run"));
    // a header that promises more than there is, in either length of headers
    fresh();
    let whole = fs::read(&hops).unwrap();
    let entries = &whole[whole.len() - 32..];
    for side in ["4", "4294967295", "18446744073709551615"] {
        for version in [1u8, 2] {
            let text = format!(
                "{{'descr': '<u2', 'fortran_order': False, 'shape': ({side}, {side}), }}\n"
            );
            let length = (text.len() as u32).to_le_bytes();
            let length = &length[..if version == 1 { 2 } else { 4 }];
            let bytes = [b"\x93NUMPY", &[version, 0][..], length, text.as_bytes(), entries];
            fs::write(&hops, bytes.concat()).unwrap();
            if side == "4" {
                assert_eq!(json_in(folder, &format!("{ASK} 1 3"))["distance"], 9);
            } else {
                assert!(complaint(folder, "1 3").contains("bytes"));
            }
        }
    }
}

/// Whatever stands in the files, a query ends with an answer or a message.
#[test]
fn garbage_never_panics() {
    let folder = road();
    let folder = folder.path();
    json_in(folder, SAVE);
    for name in ["dist.npy", "hops.npy"] {
        let path = folder.join(name);
        let whole = fs::read(&path).unwrap();
        let cut = (0..whole.len()).step_by(23).map(|length| whole[..length].to_vec());
        let changed = (0..whole.len()).step_by(5).map(|place| {
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << (place % 8);
            bytes
        });
        for bytes in cut.chain(changed) {
            fs::write(&path, bytes).unwrap();
            let run = run_in(folder, &format!("{ASK} 4 3"));
            assert!(matches!(run.code, Some(0 | 1)), "{run:?}");
            assert!(!run.stderr.contains("panicked"), "{run:?}");
        }
        fs::write(&path, whole).unwrap();
    }
}
