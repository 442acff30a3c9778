//! `starpath closure`: by every algorithm the same, and what its files hold.

use std::fs;
use std::path::Path;

use ndarray::Array2;

use crate::support::{json_in, read_npy, run_in};

/// Those of the processor.
const ALGORITHMS: [&str; 6] =
    ["auto", "components", "blocked", "warshall", "warshall-c", "warshall-adapt"];

/// A cycle of three with a way in, in a folder of its own.
fn road() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = "p sp 4 5\na 1 2 5\na 2 3 4\na 3 2 4\na 2 1 9\na 4 1 1\n";
    fs::write(folder.path().join("road.gr"), text).unwrap();
    folder
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn closures_have_the_pairs_of_at_least_one_arc() {
    let folder = road();
    let folder = folder.path();
    let report = json_in(folder, "closure {}/road.gr -o {}/all.tsv --repeat 2");
    assert_eq!((&report["command"], &report["reachable_pairs"]), (&"closure".into(), &12.into()));
    for field in ["backend", "vertices", "edges", "load_ms", "solve_ms"] {
        assert!(!report[field].is_null(), "{field}");
    }
    assert_eq!(report["algorithm"], "components");
    let lines = read(folder, "all.tsv");
    assert_eq!(lines.lines().count(), 13);
    assert!(lines.starts_with("from\tto\n1\t1\n1\t2\n1\t3\n2\t1\n"), "{lines}");
    json_in(folder, "closure {}/road.gr -o {}/all.npy");
    let joined: Array2<bool> = read_npy(folder.join("all.npy"));
    assert_eq!(joined, Array2::from_shape_fn((4, 4), |(_, v)| v != 3));
    let people = run_in(folder, "closure {}/road.gr");
    assert!(people.stdout.ends_with("12 pairs have a path\n"), "{}", people.stdout);
    fs::write(folder.join("none.gr"), "p sp 0 0\n").unwrap();
    for options in ["", "--packed"] {
        let line = format!("closure {{}}/none.gr --counts {{}}/n.tsv -o {{}}/n.npy {options}");
        assert_eq!(json_in(folder, &line)["reachable_pairs"], 0);
        assert_eq!(read(folder, "n.tsv"), "vertex\treaches\treached_by\n");
    }
    assert_eq!(json_in(folder, "apsp {}/none.gr --next-hops {}/n.npy")["vertices"], 0);
}

/// Counts of one component need no bits of all pairs: 360,000 vertices were 13 GB.
#[test]
fn counts_alone_take_memory_for_the_graph() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    json_in(folder, "generate grid --side 600 -o {}/grid.spg");
    let report = json_in(folder, "closure {}/grid.spg --counts {}/counts.tsv");
    assert_eq!(report["reachable_pairs"], 360_000u64 * 360_000);
    let counts = read(folder, "counts.tsv");
    assert_eq!(counts.lines().count(), 360_001);
    assert!(counts.lines().skip(1).all(|line| line.ends_with("\t360000\t360000")));
    // what needs more than there is says so before
    json_in(folder, "generate uniform --vertices 3000000 --edges 1 -o {}/large.spg");
    let run = run_in(folder, "closure {}/large.spg");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("bytes of memory, more than the system grants"), "{run:?}");
    assert!(run.stderr.contains("--counts"), "{run:?}");
}

#[test]
fn counts_alone_are_those_of_the_bits() {
    let folder = road();
    let folder = folder.path();
    json_in(folder, "generate uniform --vertices 90 --edges 100 --directed -o {}/u.gr");
    for graph in ["road.gr", "u.gr"] {
        json_in(folder, &format!("closure {{}}/{graph} --counts {{}}/alone.tsv"));
        json_in(folder, &format!("closure {{}}/{graph} --counts {{}}/c.tsv -o {{}}/pairs.tsv"));
        assert_eq!(read(folder, "alone.tsv"), read(folder, "c.tsv"), "{graph}");
    }
}

#[test]
fn every_algorithm_writes_the_same() {
    let folder = road();
    let folder = folder.path();
    // more than a word of vertices, and not a whole number of bytes
    json_in(folder, "generate uniform --vertices 77 --edges 90 --directed -o {}/u.gr");
    for algorithm in ALGORITHMS {
        let line = format!("closure {{}}/u.gr --algorithm {algorithm} -o {{}}/{algorithm}.tsv");
        let report = json_in(folder, &line);
        if algorithm != "auto" {
            assert_eq!(report["algorithm"], algorithm);
        }
        let (found, expected) = (format!("{algorithm}.tsv"), "components.tsv");
        json_in(folder, "closure {}/u.gr --algorithm components -o {}/components.tsv");
        assert!(read(folder, &found) == read(folder, expected), "{algorithm}");
    }
}

#[test]
fn packed_arrays_and_counts_hold_what_the_booleans_hold() {
    let folder = road();
    let folder = folder.path();
    for n in [1usize, 7, 8, 9, 64, 77, 130] {
        let edges = n + n / 4;
        let line =
            format!("generate uniform --vertices {n} --edges {edges} --directed -o {{}}/u.gr");
        json_in(folder, &line);
        json_in(folder, "closure {}/u.gr -o {}/all.npy --counts {}/counts.tsv");
        json_in(folder, "closure {}/u.gr -o {}/packed.npy --packed");
        let joined: Array2<bool> = read_npy(folder.join("all.npy"));
        let packed: Array2<u8> = read_npy(folder.join("packed.npy"));
        assert_eq!((joined.dim(), packed.dim()), ((n, n), (n, n.div_ceil(8))));
        for ((u, v), &joined) in joined.indexed_iter() {
            assert_eq!(packed[[u, v / 8]] >> (v % 8) & 1 == 1, joined, "{u}, {v} of {n}");
        }
        let bits: u32 = packed.iter().map(|byte| byte.count_ones()).sum();
        assert_eq!(bits as usize, joined.iter().filter(|&&joined| joined).count());
        let counts = read(folder, "counts.tsv");
        let mut lines = counts.lines();
        assert_eq!(lines.next(), Some("vertex\treaches\treached_by"));
        for v in 0..n {
            let reaches = joined.row(v).iter().filter(|&&joined| joined).count();
            let reached_by = joined.column(v).iter().filter(|&&joined| joined).count();
            let expected = format!("{}\t{reaches}\t{reached_by}", v + 1);
            assert_eq!(lines.next(), Some(&*expected));
        }
        assert_eq!(lines.next(), None);
    }
}

#[test]
fn explain_says_which_way_and_why() {
    let folder = road();
    let said = |options| {
        let run = run_in(folder.path(), &format!("closure {{}}/road.gr --explain {options}"));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stderr
    };
    let auto = said("");
    assert!(auto.contains("components: 2 components") && auto.contains("threads"), "{auto}");
    assert!(said("--algorithm blocked").contains("blocked: chosen by the caller"));
    assert!(
        said("--no-condense --threads 1").contains("blocked: components are not to be condensed")
    );
}
