//! The dynamic algorithms of the STAR-machine, one change after another, beside those that take a
//! batch: `closure`, `apsp` and `sssp --changes` find the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use test_support::draws;

use crate::support::json_in;

const N: u64 = 8;

/// The fields of each line of a result but the first, which names them.
fn lines(folder: &Path, name: &str) -> BTreeSet<Vec<String>> {
    let text = fs::read_to_string(folder.join(name)).unwrap();
    let fields = |line: &str| line.split('\t').map(str::to_owned).collect();
    text.lines().skip(1).map(fields).collect()
}

/// Writes a graph on a path of all vertices, changes of different pairs, and both the other way
/// round.
fn write(folder: &Path, draw: &mut dyn FnMut(u64) -> u64) {
    let mut arcs: BTreeMap<(u64, u64), u64> = (1..N).map(|v| ((v - 1, v), 1 + draw(9))).collect();
    for _ in 0..2 * N {
        let (from, to) = (draw(N), draw(N));
        if from != to {
            arcs.insert((from, to), 1 + draw(9));
        }
    }
    let mut changed = BTreeSet::new();
    let [mut graph, mut reversed, mut changes, mut back] = [const { String::new() }; 4];
    for (&(from, to), weight) in &arcs {
        writeln!(graph, "{from} {to} {weight}").unwrap();
        writeln!(reversed, "{to} {from} {weight}").unwrap();
    }
    for _ in 0..6 {
        let (from, to, weight) = (draw(N), draw(N), 1 + draw(9));
        if from == to || !changed.insert((from, to)) {
            continue;
        }
        let (what, weight) = match arcs.contains_key(&(from, to)) {
            true => ("delete", String::new()),
            false => ("insert", weight.to_string()),
        };
        writeln!(changes, "{what} {from} {to} {weight}").unwrap();
        writeln!(back, "{what} {to} {from} {weight}").unwrap();
    }
    let files = [("g.el", graph), ("r.el", reversed), ("c.txt", changes), ("b.txt", back)];
    files.into_iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
}

#[test]
fn batches_find_what_the_star_machine_finds() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for seed in 1..=8 {
        let mut draw = draws(seed);
        write(folder, &mut draw);
        json_in(folder, "star dynamic-closure {}/g.el --changes {}/c.txt -o {}/star.tsv");
        json_in(folder, "closure {}/g.el --changes {}/c.txt -o {}/closure.tsv");
        assert_eq!(lines(folder, "star.tsv"), lines(folder, "closure.tsv"), "seed {seed}");

        let sink = draw(N);
        let star = format!("star dynamic-paths {{}}/g.el --changes {{}}/c.txt --sink {sink}");
        json_in(folder, &format!("{star} -o {{}}/star.tsv"));
        json_in(folder, "apsp {}/g.el --changes {}/c.txt --distances {}/pairs.tsv");
        let tree = format!("sssp {{}}/r.el --changes {{}}/b.txt --source {sink}");
        json_in(folder, &format!("{tree} -o {{}}/tree.tsv"));
        let star = lines(folder, "star.tsv");
        let to_sink: BTreeSet<_> = star.iter().map(|line| line[..2].to_vec()).collect();
        let pairs = lines(folder, "pairs.tsv").into_iter();
        let pairs = pairs.map(|row| vec![row[0].clone(), row[1 + sink as usize].clone()]);
        let pairs: BTreeSet<_> = pairs.filter(|line| !line[1].is_empty()).collect();
        assert_eq!(to_sink, pairs, "seed {seed}, sink {sink}");
        // the tree has one of the next vertices
        let tree = lines(folder, "tree.tsv");
        assert!(tree.is_subset(&star), "seed {seed}, sink {sink}: {tree:?} {star:?}");
        assert_eq!(tree.len(), pairs.len(), "seed {seed}, sink {sink}");
    }
}
