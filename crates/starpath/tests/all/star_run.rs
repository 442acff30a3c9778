//! `starpath star run`: programs in the language Star, with arguments from the command line.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use test_support::gpu;

#[cfg(unix)]
use crate::support::interrupt;
use crate::support::{json_in, run_in};

const SEARCH: &str = "\
proc LEAST(T: table; X: slice(T); var Z: slice(T));
begin Z := MIN(T, X) end;

proc SEARCH(T: table; X: slice(T); v: word(T); i: integer;
            var Z: slice(T); var F: table(T); var w: word(T); var e, n: integer);
/* Z marks the rows equal to v, F has v there, w is row i, e the first such row, n how many. */
begin
  Z := MATCH(T, X, v);
  WCOPY(v, Z; F);
  w := ROW(i, T);
  e := FND(Z);
  n := NUMB(Z)
end;
";

/// The transitive closure, with positions from 1 as in the paper.
const REACH: &str = "\
proc REACH(n: integer; var P: table);
var X: slice(P);  v, w: word(P);  i, k: integer;
begin
  for k := 1 to n do
  begin
    X := COL(k, P);  w := ROW(k, P);
    while SOME(X) do
    begin
      i := STEP(X);
      v := ROW(i, P);  v := v or w;  ROW(i, P) := v
    end
  end
end;
";

const ENDLESS: &str = "\
proc ENDLESS(var X: slice);
begin SET(X);  while SOME(X) do SET(X) end;
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("search.star", SEARCH);
    write("reach.star", REACH);
    write("endless.star", ENDLESS);
    write("kruskal.star", star_machine::algorithms::KRUSKAL);
    write("wrong.star", "proc P(var X: slice);\nbegin\n  X := 1 +\nend;\n");
    write("empty.star", "");
    write("array.star", "proc P(A: array); begin end");
    write("no-result.star", "proc P(X: slice); begin end");
    write("sizes.star", "proc P(var F: table; var Z: slice; var w: word); begin SET(Z) end");
    write("numbers.csv", "5\n2 # first of the two\n7\n\n2\n0\n");
    write("marked.csv", "1\n1\n1\n0\n0\n");
    write("bits.csv", "0b010\n0b01\n");
    write("letters.csv", "0b010\n0b01x\n");
    // the edges {0, 1} of weight 3, {1, 2} of weight 1 and {0, 2} of weight 2
    write("from.csv", "0\n1\n0\n");
    write("to.csv", "1\n2\n2\n");
    write("weights.csv", "3\n1\n2\n");
    folder
}

fn star(folder: &Path, line: &str) -> Value {
    json_in(folder, &format!("star run {{}}/{line}"))
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

const OF_SEARCH: &str = "search.star --table T={}/numbers.csv --slice X=all --word v=2";

#[test]
fn results_have_what_the_program_gives() {
    let folder = folder();
    let folder = folder.path();
    let report = star(folder, &format!("{OF_SEARCH} --integer i=2"));
    let results = json!({"Z": [1, 3], "F": [0, 2, 0, 2, 0], "w": 7, "e": 1, "n": 2});
    assert_eq!(report["results"], results);
    assert_eq!((&report["command"], &report["procedure"]), (&json!("star run"), &json!("SEARCH")));
    assert_eq!(report["backend"], "cpu");
    let sizes = [
        json!({"name": "T", "type": "table", "rows": 5, "bits": 3}),
        json!({"name": "X", "type": "slice", "rows": 5}),
        json!({"name": "v", "type": "word", "bits": 3}),
        json!({"name": "i", "type": "integer"}),
    ];
    assert_eq!(report["arguments"].as_array().unwrap()[..4], sizes);
    let none = star(folder, &format!("{OF_SEARCH}:3 --integer i=0 --repeat 3").replace("2:", "6:"));
    assert_eq!((&none["results"]["e"], &none["results"]["Z"]), (&json!(-1), &json!([])));
    assert!(none["solve_min_ms"].is_number());
    // a procedure that is named, other ways to say which rows, and other bits
    for (rows, found) in [
        ("{}/marked.csv", json!([1])),
        ("0,2-3", json!([3])),
        ("none", json!([])),
        ("all:5", json!([4])),
    ] {
        let line = format!("search.star LEAST --table T={{}}/numbers.csv:9 --slice X={rows}");
        let report = star(folder, &line);
        assert_eq!(report["results"], json!({"Z": found}), "{rows}");
        assert_eq!(report["arguments"][0]["bits"], 9);
    }
}

#[test]
fn positions_count_from_one_where_asked() {
    let folder = folder();
    let folder = folder.path();
    let line = format!("{OF_SEARCH} --from-one --integer i=3").replace("=all", "=1,3-4");
    let results = star(folder, &line)["results"].clone();
    // a number of rows is what the text calls it
    assert_eq!(results, json!({"Z": [4], "F": [0, 0, 0, 2, 0], "w": 7, "e": 4, "n": 1}));
    let line = line.replace("v=2", "v=6");
    assert_eq!(star(folder, &line)["results"]["e"], 0, "none");
    // 1 → 2 → 3
    fs::write(folder.join("arcs.csv"), "0b010\n0b001\n0b000\n").unwrap();
    let reach = "reach.star --from-one --integer n=3 --table P={}/arcs.csv";
    assert_eq!(star(folder, reach)["results"]["P"], json!([3, 1, 0]));
}

/// Rows of more bits than a number has, in and out and in again.
#[test]
fn wide_tables_are_read_as_they_are_written() {
    let folder = folder();
    let folder = folder.path();
    let n = 70;
    let arc = |i: usize| (0..n).map(|j| if j == i + 1 { '1' } else { '0' }).collect::<String>();
    let path: String = (0..n).map(|i| format!("0b{}\n", arc(i))).collect();
    fs::write(folder.join("path.csv"), path).unwrap();
    let later = |i: usize| (0..n).map(|j| if j > i { '1' } else { '0' }).collect::<String>();
    let expected: String = (0..n).map(|i| format!("0b{}\n", later(i))).collect();
    for (table, out) in [("path", "once"), ("once", "twice")] {
        let line = format!("reach.star --from-one --integer n=70 --table P={{}}/{table}.csv");
        let report = star(folder, &format!("{line} -o P={{}}/{out}.csv"));
        assert_eq!(report["results"], json!({}), "they are in the file");
        assert_eq!(read(folder, &format!("{out}.csv")), expected, "{out}");
    }
}

#[test]
fn what_is_written_can_be_read() {
    let folder = folder();
    let folder = folder.path();
    let files = ["Z", "F", "w", "e"].map(|name| format!(" -o {name}={{}}/{name}.csv")).concat();
    let report = star(folder, &format!("{OF_SEARCH} --integer i=2{files}"));
    assert_eq!(report["results"], json!({"n": 2}));
    let written = ["Z", "F", "w", "e"].map(|name| read(folder, &format!("{name}.csv")));
    assert_eq!(written, ["0\n1\n0\n1\n0\n", "0\n2\n0\n2\n0\n", "7\n", "1\n"]);
    let least = "search.star LEAST --table T={}/F.csv --slice X={}/Z.csv";
    assert_eq!(star(folder, least)["results"], json!({"Z": [1, 3]}));
    let sizes = star(folder, "sizes.star --table F=2x70 --slice Z=none:3 --word w=0b01");
    let zeros = format!("0b{}", "0".repeat(70));
    assert_eq!(sizes["results"], json!({"F": [zeros, zeros], "Z": [0, 1, 2], "w": 1}));
}

/// Tables of which nothing is said have the same number of bits, so that they can be compared.
#[test]
fn kruskal_finds_a_forest_and_says_what_it_cost() {
    let folder = folder();
    let line = "kruskal.star --table L={}/from.csv --table R={}/to.csv \
                --table W={}/weights.csv:16 --slice X=all";
    let report = star(folder.path(), &format!("{line} --cost"));
    assert_eq!(report["results"], json!({"T": [1, 2]}));
    let bits = [0, 1, 2].map(|number| report["arguments"][number]["bits"].as_u64().unwrap());
    assert_eq!(bits, [2, 2, 16]);
    let operations = report["operations"].as_object().unwrap();
    let kinds = operations.iter().filter(|(kind, _)| *kind != "total");
    let sum: u64 = kinds.map(|(_, count)| count.as_u64().unwrap()).sum();
    assert_eq!(operations["total"], sum);
    // MATCH costs 2 k, and nothing else here anything
    let text = "proc P(T: table; X: slice(T); v: word(T); var Z: slice(T));\n\
                begin Z := MATCH(T, X, v) end";
    fs::write(folder.path().join("match.star"), text).unwrap();
    let line = "match.star --table T=100x7 --slice X=all --word v=0 --cost";
    assert_eq!(star(folder.path(), line)["operations"]["total"], 14);
    assert!(star(folder.path(), &line.replace(" --cost", ""))["operations"].is_null());
}

#[test]
fn people_see_what_was_run() {
    let folder = folder();
    let line = format!("star run {{}}/{OF_SEARCH} --integer i=2 --cost");
    let run = run_in(folder.path(), &line);
    let said = "SEARCH(T: 5x3, X: 5, v: 3, i, Z: 5, F: 5x3, w: 3, e, n): ";
    assert!(run.stdout.starts_with(said), "{run:?}");
    let results = "\nZ: 2 rows: 1 3\nF: 5 rows: 0 2 0 2 0\nw: 7\ne: 1\nn: 2\n";
    assert!(run.stdout.contains(results), "{run:?}");
    assert!(run.stdout.contains("operations on the abstract machine\n"), "{run:?}");
    let list = run_in(folder.path(), &line.replace("--cost", "--list")).stdout;
    assert!(list.starts_with("SEARCH(T: 5x3,") && list.ends_with("  end\n"), "{list}");
    let listing = star(folder.path(), &format!("{OF_SEARCH} --integer i=2 --list"));
    let lines = listing["listing"].as_array().unwrap();
    assert!(lines.iter().all(|line| list.contains(line.as_str().unwrap())), "{listing}");
    assert_eq!(lines.len() as u64, listing["steps"].as_u64().unwrap() + 2);
    assert!(listing["results"].is_null());
}

/// A command line after `star run {}/`, its exit code, and what the message has.
const REFUSED: &[(&str, i32, &[&str])] = &[
    ("missing.star", 1, &["missing.star", "No such file"]),
    ("wrong.star", 1, &["wrong.star:4:1: "]),
    ("empty.star", 1, &["empty.star:1:1: a procedure is expected"]),
    ("search.star NEAREST", 2, &["search.star", "NEAREST", "LEAST, SEARCH"]),
    ("array.star", 2, &["P(A: array)", "A is an array"]),
    // what is given for parameters
    (
        "search.star LEAST",
        2,
        &["T has no value", "--table T=FILE.csv", "LEAST(T: table; X: slice(T)"],
    ),
    ("search.star LEAST --table T=5x3", 2, &["X has no value", "--slice X="]),
    (
        "search.star LEAST --table Q=5x3",
        2,
        &["--table Q", "no parameter of this name", "var Z: slice(T)"],
    ),
    ("search.star LEAST --slice T=all", 2, &["T of LEAST is of type table", "--table"]),
    ("search.star LEAST --table T=5x3 --table T=5x3", 2, &["--table T is given twice"]),
    ("search.star LEAST --table T", 2, &["--table", "name of a parameter"]),
    ("search.star LEAST --table T=", 2, &["--table"]),
    ("search.star LEAST --table T={}/none.csv", 1, &["none.csv", "No such file"]),
    ("search.star LEAST --table T={}/search.star", 1, &["search.star:1", "unsigned integer"]),
    ("search.star LEAST --table T={}/numbers.csv:65", 2, &["--table T", "1 to 64 bits, found 65"]),
    ("search.star LEAST --table T={}/numbers.csv:0", 2, &["1 to 64 bits, found 0"]),
    (
        "search.star LEAST --table T={}/numbers.csv:2",
        1,
        &["numbers.csv:1: 5", "2 bits", "numbers.csv:3"],
    ),
    (
        "search.star LEAST --table T={}/bits.csv",
        1,
        &["bits.csv:2", "2 bits", "the first row has 3"],
    ),
    ("search.star LEAST --table T={}/letters.csv", 1, &["letters.csv:2", "'0b01x'"]),
    (
        "search.star LEAST --table T=5x3 --slice X=5",
        1,
        &["--slice X", "no row 5", "numbered from 0"],
    ),
    ("search.star LEAST --table T=5x3 --slice X=0 --from-one", 1, &["no row 0", "numbered from 1"]),
    ("search.star LEAST --table T=5x3 --slice X=some", 2, &["--slice X: 'some'", "list"]),
    (
        "search.star LEAST --table T=5x3 --slice X={}/numbers.csv",
        1,
        &["numbers.csv:1", "expected 1"],
    ),
    (
        "search.star LEAST --table T=4x3 --slice X={}/marked.csv",
        1,
        &["search.star:1:", "X: 5", "T: 4x3", "5 bits", "4 are expected"],
    ),
    ("endless.star --slice X=all", 2, &["the number of rows is not known", "--slice X=all:ROWS"]),
    ("endless.star", 2, &["X has no size", "--slice X=none:ROWS"]),
    ("sizes.star --slice Z=none:1 --word w=0:1", 2, &["F has no size", "--table F=ROWSxBITS"]),
    ("sizes.star --table F=1x1 --slice Z=all:1", 2, &["w has no size", "--word w=0:BITS"]),
    (
        "sizes.star --table F=1x1 --slice Z=all:1 --word w=3",
        2,
        &["the number of bits is not known", "--word w=NUMBER:BITS"],
    ),
    ("sizes.star --table F=1x1 --slice Z=all:1 --word w=4:2", 1, &["2 bits", "--word w=4:3"]),
    ("sizes.star --table F=1x1 --slice Z=all:1 --word w=-1:2", 2, &["unsigned integer"]),
    (
        "sizes.star --table F=3000000000x1 --slice Z=all:1 --word w=1:1",
        1,
        &["3000000000", "more than fit"],
    ),
    (
        "sizes.star --table F=1x1 --slice Z=all:3000000000 --word w=1:1",
        1,
        &["3000000000", "more than fit"],
    ),
    (
        "search.star --table T=5x3 --slice X=all --word v=1 --integer i=-2",
        2,
        &["--integer i=-2", "-1 for none"],
    ),
    (
        "search.star --table T=5x3 --slice X=all --word v=1 --integer i=2147483648",
        2,
        &["2147483647"],
    ),
    // what happens in a run
    (
        "search.star --table T=5x3 --slice X=all --word v=1 --integer i=5",
        1,
        &["search.star:10:8: ", "no row 5"],
    ),
    (
        "search.star --table T=5x3 --slice X=all --word v=1 --integer i=-1 -o Z={}/z.csv",
        1,
        &["search.star:10:8: ", "holds none"],
    ),
    (
        "endless.star --slice X=all:9 --most-turns 1000 -o X={}/x.csv",
        1,
        &["1000 iterations", "--most-turns"],
    ),
    // files of results
    ("endless.star --slice X=all:9 -o Y={}/x.csv", 2, &["-o Y", "results of ENDLESS are X"]),
    ("search.star LEAST -o X={}/x.csv", 2, &["-o X", "results of LEAST are Z"]),
    ("no-result.star -o X={}/x.csv", 2, &["P has no results", "var"]),
    ("search.star LEAST -o Z={}/x.npy", 2, &["x.npy", ".csv"]),
    ("search.star LEAST -o {}/x.csv", 2, &["--output", "name of a parameter"]),
    ("search.star LEAST --table T={}/numbers.csv -o Z={}/numbers.csv", 2, &["is an input"]),
    ("search.star LEAST --slice X={}/marked.csv -o Z={}/marked.csv", 2, &["is an input"]),
    ("search.star LEAST -o Z={}/none/x.csv", 1, &["x.csv", "does not exist"]),
    ("search.star -o Z={}/x.csv -o F={}/x.csv", 2, &["-o F", "twice"]),
    ("search.star -o Z={}/x.csv -o Z={}/y.csv", 2, &["-o Z", "twice"]),
    ("search.star LEAST --list --cost", 2, &["--list", "--cost"]),
];

#[test]
fn failures_say_what_to_do_and_leave_nothing() {
    let folder = folder();
    let names = || {
        let entries = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = entries.collect();
        names.sort();
        names
    };
    let before = names();
    let mut failures = Vec::new();
    for &(line, code, fragments) in REFUSED {
        let run = run_in(folder.path(), &format!("star run {{}}/{line}"));
        let is_said = fragments.iter().all(|fragment| run.stderr.contains(fragment));
        let is_clean = run.stdout.is_empty() && names() == before;
        if run.code != Some(code) || !is_said || !is_clean || !run.stderr.starts_with("starpath: ")
        {
            failures.push(format!("`{line}`: {:?}, {}", run.code, run.stderr));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Ctrl-C ends a program that would not end, and no file appears.
#[cfg(unix)]
#[test]
fn an_endless_program_is_stopped() {
    let folder = folder();
    let args = ["star", "run", "endless.star", "--slice", "X=all:9", "-o", "X=x.csv"];
    interrupt(folder.path(), &args);
    assert!(!folder.path().join("x.csv").exists());
}

/// Programs and procedures give on a GPU what they give on the CPU.
#[test]
fn a_gpu_gives_the_same() {
    let folder = folder();
    let folder = folder.path();
    let search = format!("run {{}}/{OF_SEARCH} --integer i=2 --cost --repeat 2");
    let kruskal = "run {}/kruskal.star --table L={}/from.csv --table R={}/to.csv \
                   --table W={}/weights.csv --slice X=all --cost";
    let lines = [&*search, kruskal, "min {}/numbers.csv", "add {}/numbers.csv --word 3 --rows 0,1"];
    for line in lines {
        let run = run_in(folder, &format!("star {line} --backend cuda --json"));
        if run.code != Some(0) {
            assert!(run.stderr.starts_with("starpath: backend cuda: "), "{}", run.stderr);
            gpu::<(), _>(Err(run.stderr.trim()));
            return;
        }
        let there: Value = serde_json::from_str(&run.stdout).unwrap();
        let here = json_in(folder, &format!("star {line}"));
        assert_eq!((&there["backend"], &here["backend"]), (&json!("cuda"), &json!("cpu")));
        assert!(there["device"].is_string());
        for field in ["results", "found", "numbers", "operations"] {
            assert_eq!(there[field], here[field], "{line}: {field}");
        }
    }
}
