//! `starpath star`: procedures of the STAR-machine on columns of numbers.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{json_in, run_in};

/// Two columns of five numbers.
fn columns() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), "# first\n5\n2\n7\n\n2 # again\n0\n").unwrap();
    fs::write(folder.path().join("b.csv"), "5\n3\n6\n2\n1\n").unwrap();
    folder
}

fn star(folder: &Path, line: &str) -> Value {
    json_in(folder, &format!("star {line}"))
}

#[test]
fn searches_find_rows() {
    let folder = columns();
    let folder = folder.path();
    let found = |line: &str| star(folder, line)["found"].clone();
    assert_eq!(found("match {}/a.csv --word 2"), json!({"found": [1, 3]}));
    assert_eq!(found("match {}/a.csv --word 2 --rows 0,2-4"), json!({"found": [3]}));
    assert_eq!(found("match {}/a.csv --word 99"), json!({"found": []}));
    let parts = json!({"less": [4], "equal": [1, 3], "greater": [0, 2]});
    assert_eq!(found("compare {}/a.csv --word 2"), parts);
    assert_eq!(found("min {}/a.csv"), json!({"found": [4]}));
    assert_eq!(found("min {}/a.csv --rows 0-3"), json!({"found": [1, 3]}));
    assert_eq!(found("max {}/a.csv"), json!({"found": [2]}));
    assert_eq!(found("hit {}/a.csv {}/b.csv"), json!({"found": [0, 3]}));
    assert_eq!(found("setmin {}/a.csv {}/b.csv"), json!({"found": [1, 4]}));
    assert_eq!(found("setmax {}/a.csv {}/b.csv"), json!({"found": [2]}));
}

#[test]
fn sums_and_differences_say_what_does_not_fit() {
    let folder = columns();
    let folder = folder.path();
    let sums = star(folder, "add {}/a.csv --word 3");
    assert_eq!((&sums["numbers"], &sums["bits"]), (&json!([0, 5, 2, 5, 3]), &json!(3)));
    assert_eq!(sums["found"], json!({"carry": [0, 2]}));
    let sums = star(folder, "add {}/a.csv --word 3 --bits 4 --rows 0,1");
    assert_eq!(
        (&sums["numbers"], &sums["found"]),
        (&json!([8, 5, 0, 0, 0]), &json!({"carry": []}))
    );
    let sums = star(folder, "add {}/a.csv {}/b.csv --bits 8");
    assert_eq!(sums["numbers"], json!([10, 5, 13, 4, 1]));
    let less = star(folder, "subtract {}/a.csv {}/b.csv");
    assert_eq!(less["numbers"], json!([0, 7, 1, 0, 7]));
    assert_eq!(less["found"], json!({"borrow": [1, 4]}));
    let less = star(folder, "subtract {}/a.csv --word 2");
    assert_eq!(less["numbers"], json!([3, 0, 5, 0, 6]));
    fs::write(folder.join("wide.csv"), format!("{}\n1\n", u64::MAX)).unwrap();
    let sums = star(folder, "add {}/wide.csv --word 1");
    assert_eq!((&sums["numbers"], &sums["bits"]), (&json!([0, 2]), &json!(64)));
    assert_eq!(sums["found"], json!({"carry": [0]}));
}

/// By the paper: MATCH costs two operations a bit, whatever the rows, and so on. A comparison costs
/// two more for each one of the word, and two at the end.
#[test]
fn cost_is_that_of_the_abstract_machine() {
    let folder = columns();
    let folder = folder.path();
    let rows: String = (0..3000).map(|row| format!("{}\n", row % 8)).collect();
    fs::write(folder.join("many.csv"), rows).unwrap();
    for (procedure, total) in [("match", 20), ("compare", 24)] {
        for table in ["a", "many"] {
            let line = format!("{procedure} {{}}/{table}.csv --word 2 --bits 10 --repeat 3");
            let report = star(folder, &line);
            assert_eq!(report["operations"]["total"], total, "{procedure}, {table}");
            assert_eq!(report["operations"]["column_reads"], 10);
        }
    }
    assert_eq!(star(folder, "min {}/many.csv --bits 10")["operations"]["total"], 30);
    assert_eq!(star(folder, "setmin {}/a.csv {}/b.csv --bits 10")["operations"]["total"], 70);
    assert_eq!(star(folder, "hit {}/a.csv {}/b.csv --bits 10")["operations"]["total"], 40);
    assert_eq!(star(folder, "subtract {}/a.csv {}/b.csv --bits 10")["operations"]["total"], 100);
}

#[test]
fn what_is_written_can_be_asked_about() {
    let folder = columns();
    let folder = folder.path();
    star(folder, "match {}/a.csv --word 2 -o {}/found.csv");
    assert_eq!(fs::read_to_string(folder.join("found.csv")).unwrap(), "0\n1\n0\n1\n0\n");
    let least = star(folder, "min {}/b.csv --rows {}/found.csv");
    assert_eq!((&least["found"]["found"], &least["taking_part"]), (&json!([3]), &json!(2)));
    let sums = star(folder, "add {}/a.csv {}/b.csv --bits 5 -o {}/sums.csv");
    assert!(sums["numbers"].is_null(), "they are in the file");
    assert_eq!(fs::read_to_string(folder.join("sums.csv")).unwrap(), "10\n5\n13\n4\n1\n");
    assert_eq!(star(folder, "max {}/sums.csv")["found"]["found"], json!([2]));
}

#[test]
fn people_see_rows_and_cost() {
    let folder = columns();
    let run = run_in(folder.path(), "star compare {}/a.csv --word 2");
    assert!(run.stdout.starts_with("5 rows of 3 bits, 5 take part; compare took "), "{run:?}");
    assert!(run.stdout.contains("\nless: 1 row: 4\nequal: 2 rows: 1 3\n"), "{run:?}");
    let operations = "\n10 operations on the abstract machine\n   3 columns read\n   7 bitwise\n";
    assert!(run.stdout.ends_with(operations), "{run:?}");
    let sums = run_in(folder.path(), "star add {}/a.csv --word 1 --bits 4").stdout;
    assert!(sums.contains("carry: 0 rows\nnumbers: 6 3 8 3 1\n"), "{sums}");
    let rows = "1\n".repeat(3000);
    fs::write(folder.path().join("many.csv"), rows).unwrap();
    let many = run_in(folder.path(), "star max {}/many.csv").stdout;
    assert!(many.contains("found: 3,000 rows: 0 1 2 3") && many.contains(" 19 ..\n"), "{many}");
}
