//! `starpath aggregate`: its report, its files, and what it refuses.

use std::fs;
use std::path::Path;

use ndarray::Array1;
use serde_json::json;

use crate::support::{json_in, read_npy, run_in};

/// Streets a, b, c and d in a row, of lengths 2, 2 and 1; from d a way leads to e, but none back.
fn streets() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("streets.csv", "a,b,2\nb,a,2\nb,c,2\nc,b,2\nc,d,1\nd,c,1\nd,e,1\n");
    write("shops.txt", "a\na\nd\n");
    write("jobs.txt", "a 3\na,6\n\nd\t6\n");
    write("kinds.txt", "a 3 food\na 6 \"hard ware\"\nd 6 food\n");
    folder
}

fn lines(folder: &Path, options: &str) -> Vec<String> {
    json_in(folder, &format!("aggregate {{}}/streets.csv {options} -o {{}}/out.tsv"));
    let text = fs::read_to_string(folder.join("out.tsv")).unwrap();
    text.lines().map(|line| line.replace('\t', " ")).collect()
}

#[test]
fn statistics_of_streets() {
    let folder = streets();
    let folder = folder.path();
    let found = lines(folder, "--points {}/shops.txt --cutoff 3");
    assert_eq!(found, ["vertex count", "a 2", "b 3", "c 1", "d 1", "e 0"]);
    let found = lines(folder, "--points {}/shops.txt --cutoff 3 --side in");
    assert_eq!(found, ["vertex count", "a 2", "b 3", "c 1", "d 1", "e 1"]);
    let jobs = "--points {}/jobs.txt --cutoff 4 --statistic";
    let found = lines(folder, &format!("{jobs} sum --decay linear"));
    assert_eq!(found, ["vertex sum", "a 9", "b 6", "c 4.5", "d 6", "e 0"]);
    let found = lines(folder, &format!("{jobs} sum --decay gravity --beta 0"));
    assert_eq!(found, ["vertex sum", "a 9", "b 15", "c 15", "d 6", "e 0"]);
    let found = lines(folder, &format!("{jobs} mean"));
    assert_eq!(found, ["vertex mean", "a 4.5", "b 5", "c 5", "d 6", "e "]);
    let found = lines(folder, "--points {}/kinds.txt --cutoff 3 --statistic minimum");
    assert_eq!(found, ["vertex food hard ware", "a 3 6", "b 3 6", "c 6 ", "d 6 ", "e  "]);
}

#[test]
fn report_and_array() {
    let folder = streets();
    let folder = folder.path();
    let line = "aggregate {}/streets.csv --points {}/jobs.txt --cutoff 3.5 --statistic mean";
    let report = json_in(folder, &format!("{line} -o {{}}/out.npy --repeat 2"));
    let expected = json!({
        "command": "aggregate", "backend": "cpu", "vertices": 5, "statistic": "mean",
        "cutoff": 3.5, "points": 3, "greatest": 6.0, "vertex": "c",
    });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&report[field], value, "{field}");
    }
    let array: Array1<f64> = read_npy(folder.join("out.npy"));
    assert_eq!(array.as_slice().unwrap()[..4], [4.5, 5.0, 6.0, 6.0]);
    assert!(array[4].is_nan());
    assert_eq!(fs::read_to_string(folder.join("out.npy.ids")).unwrap(), "a\nb\nc\nd\ne\n");
    let said = run_in(folder, line).stdout;
    assert!(said.contains("3 points within 3.5 of each vertex"), "{said}");
    assert!(said.contains("the greatest mean is 6, at c"), "{said}");
}

#[test]
fn what_is_wrong_is_named() {
    let folder = streets();
    let folder = folder.path();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write("strange.txt", "a\nz\n");
    write("mixed.txt", "a 1\nb\n");
    write("word.txt", "a 1\nb two\n");
    write("infinite.txt", "a inf\n");
    write("four.txt", "a 1 b c\n");
    write("none.txt", "\n");
    write("negative.gr", "p sp 2 1\na 1 2 -3\n");
    write("one.txt", "1\n");
    let shops = "aggregate {}/streets.csv --points {}/shops.txt";
    for (code, line, expected) in [
        (2, "aggregate {}/streets.csv --cutoff 3", "--points"),
        (2, shops, "--cutoff"),
        (2, "{shops} --cutoff -1", "expected a number of at least 0"),
        (2, "{shops} --cutoff nan", "expected a number of at least 0"),
        (2, "{shops} --cutoff 3 --decay linear", "--decay is for --statistic sum and mean"),
        (2, "{shops} --cutoff 3 --statistic sum --decay gravity", "needs --beta"),
        (2, "{shops} --cutoff 3 --statistic sum --beta 1", "--beta is for --decay gravity"),
        (2, "{shops} --cutoff 3 --statistic mean", "needs values; write one after each vertex"),
        (2, "{shops} --cutoff 3 -o {}/shops.txt", "unknown result format"),
        (1, "{shops} --cutoff 3 --backend cuda", "aggregate runs on the CPU"),
        (1, "aggregate {}/streets.csv --points {}/none.txt --cutoff 3", "no points"),
        (
            1,
            "aggregate {}/streets.csv --points {}/strange.txt --cutoff 3",
            "strange.txt:2: vertex z",
        ),
        (1, "aggregate {}/streets.csv --points {}/mixed.txt --cutoff 3", "mixed.txt:2: `b` has 1"),
        (
            1,
            "aggregate {}/streets.csv --points {}/word.txt --cutoff 3",
            "word.txt:2: expected a num",
        ),
        (1, "aggregate {}/streets.csv --points {}/infinite.txt --cutoff 3", "infinite.txt:1"),
        (1, "aggregate {}/streets.csv --points {}/four.txt --cutoff 3", "four.txt:1"),
        (1, "aggregate {}/negative.gr --points {}/one.txt --cutoff 3", "from 1 to 2 has -3"),
        (
            2,
            "aggregate {}/streets.csv --points {}/kinds.txt --cutoff 3 -o {}/out.npy",
            ".npy cannot hold names of categories",
        ),
    ] {
        let line = line.replace("{shops}", shops);
        let run = run_in(folder, &line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{line}: {}", run.stderr);
        assert!(run.stdout.is_empty() && !folder.join("out.npy").exists(), "{line}");
    }
}
