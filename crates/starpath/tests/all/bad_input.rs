//! What must fail: with the right exit code, a message that says what to do, nothing on
//! standard output, and no file left behind.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use test_support::data_folder;

use crate::support::{Run, run_in};

/// A command line with `{}` for the folder, its exit code, and what the message has.
type Case = (&'static str, i32, &'static [&'static str]);

const CASES: &[Case] = &[
    // the command line
    ("", 2, &["Usage: starpath"]),
    ("solve {}/road.gr", 2, &["solve", "--help"]),
    ("distances {}/road.gr", 2, &["distances", "--help"]),
    ("sssp {}/road.gr", 2, &["--source", "--sources"]),
    ("sssp {}/road.gr --source one", 1, &["source one", "numbered from 1 to 3"]),
    ("sssp {}/road.gr --source 1 --target abc", 1, &["target abc", "numbered from 1 to 3"]),
    ("sssp {}/road.gr --source=-1", 1, &["source -1", "numbered from 1 to 3"]),
    ("sssp {}/road.gr --source 1 --gpus 2 --backend cuda", 2, &["--targets", "--partitioned"]),
    (
        "sssp {}/road.gr --sources {}/two.txt --targets {}/two.txt --gpus 2",
        2,
        &["--gpus is for --backend cuda"],
    ),
    ("closure {}/road.gr --gpus 2", 2, &["--gpus is for --backend cuda"]),
    ("closure {}/road.gr --gpus none --backend cuda", 2, &["none", "expected 1, 2"]),
    // how a graph is read
    ("info {}/road.gr --format gif", 2, &["gif", "gr", "spg"]),
    ("info {}/road.gr --ids names", 2, &["--ids is for edge lists", "gr"]),
    ("info {}/road.gr --header yes", 2, &["--header is for edge lists and matrices"]),
    ("info {}/floats.wel --format matrix --base 1", 2, &["--base is for edge lists", "matrix"]),
    ("info {}/road.spg --map --undirected", 2, &["--undirected", "--map"]),
    ("sssp {}/road.gr --source 1 --base 0", 2, &["--base is for edge lists"]),
    ("path {}/road.gr 1 2 --columns 1,2", 2, &["--columns is for edge lists"]),
    ("apsp {}/road.gr --vertices {}/two.txt", 2, &["--vertices is for edge lists"]),
    ("closure {}/floats.wel --format mtx --comment none", 2, &["--comment", "mtx"]),
    ("convert {}/floats.wel {}/out.spg --header maybe", 2, &["maybe", "yes", "no"]),
    ("info {}/floats.wel --base 2", 2, &["2", "0", "1"]),
    ("info {}/floats.wel --columns 1", 2, &["source,target", "number from 1"]),
    ("info -", 2, &["--format"]),
    ("info {}/road --format gr", 1, &["road", "No such file"]),
    ("sssp {}/road.gr --source 1 --algorithm dijsktra", 2, &["dijsktra", "'dijkstra'"]),
    ("sssp {}/road.gr --source 1 --queue stack", 2, &["stack", "radix"]),
    ("sssp {}/road.gr --source 1 --delta wide", 2, &["wide", "median"]),
    ("sssp {}/road.gr --source 1 --delta 0", 2, &["delta 0", "positive"]),
    (
        "path {}/road.gr 1 3 --algorithm dijkstra --delta 8",
        2,
        &["--delta is for delta-stepping", "dijkstra"],
    ),
    (
        "sssp {}/road.gr --source 1 --algorithm bellman-ford --queue dial",
        2,
        &["--queue", "dijkstra"],
    ),
    (
        "sssp {}/road.gr --source 1 --segment 64 --backend cuda",
        2,
        &["--segment is for bellman-ford", "auto"],
    ),
    (
        "sssp {}/road.gr --source 1 --segment 64 --algorithm bellman-ford --backend cpu",
        2,
        &["--segment", "--backend cuda"],
    ),
    (
        "path {}/road.gr 1 3 --read-only-loads --algorithm bellman-ford",
        2,
        &["--read-only-loads", "--backend cuda"],
    ),
    ("path {}/road.gr 1 3 --k 0", 2, &["--k", "0"]),
    ("path {}/road.gr 1 3 --k many", 2, &["--k", "many"]),
    ("path {}/road.gr 1 3 --k 2 --algorithm dijkstra", 2, &["--k", "--algorithm"]),
    ("path {}/road.gr 1 3 --k 2 --racing-stores", 2, &["--k", "--racing-stores"]),
    ("path {}/road.gr 1 3 --k 2 --backend cuda", 1, &["path --k runs on the CPU", "auto"]),
    ("path {}/road.gr 1 9 --k 2", 1, &["target 9", "numbered from 1 to 3"]),
    ("sssp {}/missing.gr --source 1 --algorithm crauser --backend cpu", 2, &["GPU", "dijkstra"]),
    (
        "path {}/missing.gr 1 3 --algorithm delta-stepping-buckets --delta 4 --backend cpu",
        2,
        &["runs on a GPU only", "delta-stepping is the most similar"],
    ),
    (
        "path {}/road.gr 1 3 --algorithm bellman-ford-spmv --product ell --backend cpu",
        2,
        &["runs on a GPU only", "bellman-ford is the most similar"],
    ),
    (
        "sssp {}/road.gr --source 1 --algorithm dijkstra --product ell",
        2,
        &["--product is for bellman-ford-spmv", "dijkstra"],
    ),
    (
        "sssp {}/road.gr --source 1 --product csr-balanced --algorithm delta-stepping",
        2,
        &["--product is for bellman-ford-spmv", "delta-stepping"],
    ),
    (
        "sssp {}/road.gr --source 1 --reduction-block 512 --algorithm crauser",
        2,
        &["--reduction-block is for dijkstra", "crauser"],
    ),
    (
        "sssp {}/road.gr --source 1 --reduction-block 512 --algorithm dijkstra",
        2,
        &["--reduction-block", "--backend cuda"],
    ),
    ("sssp {}/road.gr --source 1 --product dense", 2, &["dense", "csr-vector"]),
    ("sssp {}/road.gr --source 1 --segment few", 2, &["--segment", "few"]),
    ("sssp {}/road.gr --source 1 --target 2 --cutoff 3", 2, &["--target", "--cutoff"]),
    ("sssp {}/road.gr --source 1 --cutoff far", 2, &["--cutoff far", "u64"]),
    ("sssp {}/road.gr --source 1 --cutoff -1", 2, &["--cutoff -1", "u64"]),
    ("sssp {}/road.gr --source 1 --threads 0", 2, &["--threads"]),
    ("sssp {}/road.gr --source 1 --repeat 0", 2, &["--repeat"]),
    ("sssp {}/road.gr --source 1 --sources {}/two.txt --nearest", 2, &["--sources"]),
    ("sssp {}/road.gr --sources {}/two.txt", 2, &["--targets", "--nearest", "--cutoff"]),
    ("sssp {}/road.gr --sources {}/two.txt --cutoff 3 --gpus 2", 2, &["--targets"]),
    ("sssp {}/road.gr --sources {}/two.txt --cutoff far", 2, &["--cutoff far", "u64"]),
    ("sssp {}/road.gr --sources {}/two.txt --cutoff 3 -o {}/out.npy", 2, &["out.npy", ".tsv"]),
    ("path {}/road.gr 1 2 --cutoff 3", 2, &["--k"]),
    ("sssp {}/road.gr --sources {}/two.txt --nearest --targets {}/two.txt", 2, &["--nearest"]),
    ("sssp {}/road.gr --source 1 --nearest", 2, &["--sources"]),
    ("sssp {}/minus.gr --sources {}/two.txt --cutoff 3", 1, &["cutoff", "from 2 to 3"]),
    ("sssp {}/road.gr --sources {}/two.txt --nearest --algorithm dijkstra", 2, &["--nearest"]),
    ("sssp {}/road.gr --source 1 --backend tpu", 2, &["tpu", "cuda"]),
    ("completions cobol", 2, &["cobol", "bash"]),
    // output files
    ("sssp {}/road.gr --source 1 -o {}/out.xlsx", 2, &["out.xlsx", ".tsv", ".npy"]),
    ("apsp {}/road.gr --distances {}/out.xlsx", 2, &["out.xlsx", ".tsv", ".npy"]),
    ("apsp {}/road.gr --tile 16", 2, &["--tile", "recursive", "--backend cuda"]),
    ("apsp {}/road.gr --algorithm floyd", 2, &["floyd", "blocked", "johnson"]),
    ("apsp {}/road.gr --memory 64MB", 2, &["64MB", "512M"]),
    ("apsp {}/road.gr --memory 0", 2, &["--memory", "at least one byte"]),
    ("apsp {}/road.gr --memory 1K", 1, &["--scratch", "1024 are allowed"]),
    ("apsp {}/road.gr --resume", 2, &["--scratch"]),
    ("apsp {}/road.gr --check 0", 2, &["--check"]),
    ("apsp {}/road.gr --scratch {}/new --repeat 2", 2, &["--repeat"]),
    ("apsp {}/road.gr --scratch {}/new --next-hops {}/out.tsv", 2, &["out.tsv", ".npy"]),
    ("apsp {}/road.gr --scratch {}/new --memory 1K", 1, &["at least", "1024 are allowed"]),
    ("apsp {}/road.gr --scratch {}/new --algorithm johnson", 1, &["johnson", "blocked"]),
    ("apsp {}/road.gr --scratch {}/new --algorithm supernodes", 1, &["supernodes", "blocked"]),
    ("apsp {}/road.gr --scratch {}", 1, &["is not a scratch folder", "empty folder"]),
    ("apsp {}/road.gr --scratch {}/road.gr", 1, &["road.gr"]),
    ("sssp {}/missing.gr --source 1 -o {}/out.xlsx", 2, &["out.xlsx", ".tsv", ".npy"]),
    ("sssp {}/road.gr --source 1 -o {}/none/out.tsv", 1, &["out.tsv", "does not exist"]),
    ("sssp {}/missing.gr --source 1 -o {}/none/out.tsv", 1, &["out.tsv", "does not exist"]),
    ("sssp {}/road.gr --source 1 -o {}/folder.tsv", 1, &["folder.tsv", "name a file"]),
    ("sssp {}/road.gr --sources {}/two.txt --nearest -o {}/out.npy", 2, &["out.npy", ".tsv"]),
    ("convert {}/road.gr {}/out.doc", 2, &["out.doc", ".spg"]),
    ("convert {}/road.gr {}/out.graph", 1, &["out.graph", "undirected"]),
    ("convert {}/road.gr {}/out.gr.zst", 2, &["out.gr.zst", ".gz after it"]),
    ("convert {}/road.gr {}/none/out.spg", 1, &["out.spg", "does not exist"]),
    ("convert {}/floats.wel {}/out.gr", 1, &["out.gr", ".spg"]),
    ("convert {}/road.gr {}/road.gr", 2, &["road.gr", "is an input"]),
    ("convert {}/cut.gr.gz {}/out.spg", 1, &["cut.gr.gz", "ends early"]),
    ("sssp {}/road.gr --source 1 -o {}/o.npy --predecessors {}/o.npy", 2, &["two results"]),
    ("sssp {}/road.gr --source 1 --predecessors {}/o.tsv", 2, &["o.tsv", "predecessors", ".npy"]),
    // closures
    ("closure {}/road.gr --algorithm bfs", 2, &["bfs", "components"]),
    ("closure {}/road.gr --algorithm lop3 --backend cpu", 1, &["lop3", "GPU", "blocked"]),
    ("closure {}/road.gr --algorithm components --no-condense", 2, &["--no-condense", "auto"]),
    ("closure {}/road.gr --packed", 2, &["--packed", "--output"]),
    ("closure {}/road.gr --packed -o {}/out.tsv", 2, &["out.tsv", ".npy"]),
    ("closure {}/road.gr --counts {}/out.npy", 2, &["out.npy", ".tsv"]),
    ("closure {}/road.gr --counts {}/out.tsv -o {}/out.tsv", 2, &["out.tsv", "two results"]),
    // the STAR-machine
    ("star sort {}/ages.csv", 2, &["sort", "--help"]),
    ("star min", 2, &["TABLE.csv"]),
    ("star min {}/ages.csv --word 3", 2, &["no --word", "--help"]),
    ("star min {}/ages.csv {}/ages.csv", 2, &["one table"]),
    ("star match {}/ages.csv", 2, &["--word"]),
    ("star match {}/ages.csv {}/ages.csv --word 1", 2, &["one table"]),
    ("star hit {}/ages.csv", 2, &["two tables"]),
    ("star setmin {}/ages.csv {}/ages.csv --word 3", 2, &["no --word"]),
    ("star add {}/ages.csv", 2, &["--word", "second table"]),
    ("star add {}/ages.csv {}/ages.csv --word 3", 2, &["one of the two"]),
    ("star match {}/ages.csv --word -3", 2, &["-3"]),
    ("star match {}/ages.csv --word 18446744073709551616", 2, &["18446744073709551616"]),
    ("star match {}/ages.csv --word 256 --bits 8", 1, &["--word 256", "--bits 9"]),
    ("star min {}/ages.csv --bits 5", 1, &["ages.csv:3", "42", "5 bits", "--bits 6"]),
    ("star min {}/ages.csv --bits 0", 2, &["--bits"]),
    ("star min {}/ages.csv --bits 65", 2, &["--bits"]),
    ("star hit {}/ages.csv {}/two.txt", 1, &["two.txt", "2 numbers", "3 rows", "ages.csv"]),
    ("star min {}/wrong.csv", 1, &["wrong.csv:2", "'-4'", "unsigned integer"]),
    ("star min {}/half.csv", 1, &["half.csv:1", "'1.5'"]),
    ("star min {}/header.csv", 1, &["header.csv:1", "'age'"]),
    ("star min {}/pairs.csv", 1, &["pairs.csv:2", "'3,4'", "integer a line"]),
    ("star min {}/beyond.csv", 1, &["beyond.csv:1", "18446744073709551616"]),
    ("star min {}/blank.txt", 1, &["blank.txt", "one a line"]),
    ("star min {}/missing.csv", 1, &["missing.csv", "No such file"]),
    ("star min {}/binary.mtx", 1, &["binary.mtx"]),
    ("star min {}/ages.csv --rows 3", 1, &["no row 3", "3 rows"]),
    ("star min {}/ages.csv --rows 2-1", 2, &["2-1", "10-19"]),
    ("star min {}/ages.csv --rows ages", 2, &["ages", "10-19"]),
    ("star min {}/ages.csv --rows {}/ages.csv", 1, &["ages.csv:3", "42", "expected 1"]),
    ("star min {}/ages.csv --rows {}/missing.csv", 1, &["missing.csv"]),
    ("star min {}/ages.csv -o {}/out.npy", 2, &["out.npy", ".csv"]),
    ("star min {}/ages.csv -o {}/ages.csv", 2, &["ages.csv", "is an input"]),
    ("star min {}/ages.csv -o {}/none/out.csv", 1, &["out.csv", "does not exist"]),
    ("star compare {}/ages.csv --word 3 -o {}/out.csv", 2, &["three results", "--json"]),
    // generators
    ("generate star -o {}/out.gr", 2, &["star"]),
    ("generate grid --side 3", 2, &["--output"]),
    ("generate grid --side 3 --backend cuda -o {}/out.gr", 1, &["generate grid runs on the CPU"]),
    ("generate grid --side 3 -o {}/out.docx", 2, &["out.docx", ".gr"]),
    ("generate grid --side 70000 -o {}/out.gr", 2, &["4900000000 vertices"]),
    ("generate rmat --scale 40 -o {}/out.gr", 2, &["scale", "40"]),
    ("generate rmat --scale 3 --min-weight 9 --max-weight 2 -o {}/out.gr", 2, &["weight"]),
    ("generate uniform --vertices 5000000000 --edges 1 -o {}/out.gr", 2, &["5000000000"]),
    ("generate geometric --vertices 5 --radius nan -o {}/out.gr", 2, &["radius"]),
    ("generate uniform --vertices 0 --edges 5 -o {}/out.gr", 2, &["vertices"]),
    // graph files
    ("info {}/missing.gr", 1, &["missing.gr", "No such file"]),
    ("info {}/folder.gr", 1, &["folder.gr", "directory"]),
    ("info {}/road", 2, &["road", ".gr", ".spg", "--format"]),
    ("info {}/cut.gr.gz", 1, &["cut.gr.gz", "ends early"]),
    ("info {}/not.gr.gz", 1, &["not.gr.gz", "gzip"]),
    ("info {}/range.gr", 1, &["range.gr:2", "from 1 to 2", "3"]),
    ("info {}/short.gr", 1, &["short.gr", "2"]),
    ("info {}/huge.gr", 1, &["huge.gr"]),
    ("info {}/nan.wel", 1, &["nan.wel:2", "nan"]),
    ("info {}/infinite.wel", 1, &["infinite.wel:1", "inf"]),
    ("info {}/empty.wel", 1, &["empty.wel"]),
    ("info {}/empty.spg", 1, &["empty.spg"]),
    ("info {}/binary.mtx", 1, &["binary.mtx"]),
    // vertices
    ("sssp {}/road.gr --source 0", 1, &["source 0", "from 1 to 3"]),
    ("sssp {}/road.gr --source 4", 1, &["source 4", "from 1 to 3"]),
    ("sssp {}/road.gr --source 1 --target 9", 1, &["target 9", "from 1 to 3"]),
    ("sssp {}/road.gr --source 18446744073709551615", 1, &["from 1 to 3"]),
    ("sssp {}/none.gr --source 1", 1, &["source 1", "empty"]),
    ("sssp {}/sparse.tsv --source 5", 1, &["source 5", "between 10 and 90000000000"]),
    ("path {}/road.gr 1 7", 1, &["target 7", "from 1 to 3"]),
    ("sssp {}/sparse.tsv --source 10 -o {}/sparse.tsv", 2, &["is an input"]),
    // lists of ids
    ("sssp {}/road.gr --sources {}/absent.txt --nearest", 1, &["absent.txt", "No such file"]),
    ("sssp {}/road.gr --sources {}/blank.txt --nearest", 1, &["blank.txt:2", "no comments"]),
    ("sssp {}/road.gr --sources {}/empty.txt --nearest", 1, &["empty.txt", "one a line"]),
    ("sssp {}/road.gr --sources {}/bad.txt --nearest", 1, &["bad.txt:3", "two"]),
    ("sssp {}/road.gr --sources {}/far.txt --nearest", 1, &["far.txt:2", "from 1 to 3"]),
    ("sssp {}/road.gr --sources {}/two.txt --targets {}/far.txt", 1, &["far.txt:2"]),
    ("sssp {}/road.gr --sources {}/two.txt --targets {}/bad.txt -o {}/out.tsv", 1, &["bad.txt:3"]),
    // weights
    ("sssp {}/minus.gr --source 1 --algorithm dijkstra", 1, &["from 2 to 3", "bellman-ford"]),
    ("sssp {}/minus.gr --source 1 --algorithm delta-stepping", 1, &["from 2 to 3", "-4"]),
    ("path {}/minus.gr 1 3 --k 2", 1, &["one path", "from 2 to 3 has -4", "ask for one"]),
    ("path {}/minus.gr 1 3 --algorithm dijkstra", 1, &["from 2 to 3", "bellman-ford"]),
    ("sssp {}/cycle.gr --source 1", 1, &["negative cycle: ", "2 -> 3", "3 -> 2"]),
    ("sssp {}/cycle.gr --source 1 -o {}/out.tsv", 1, &["negative cycle: "]),
    ("path {}/cycle.gr 1 2", 1, &["negative cycle: ", "2 -> 3"]),
    ("sssp {}/minus.gr --sources {}/two.txt --nearest", 1, &["from 2 to 3", "--targets"]),
    ("sssp {}/cycle.gr --sources {}/two.txt --targets {}/two.txt", 1, &["negative cycle: "]),
    ("sssp {}/minus.gr --source 1 --cutoff 3", 1, &["cutoff", "from 2 to 3"]),
    ("sssp {}/wide.wel --source 10 -o {}/out.npy", 1, &["vertex 12", "overflows u64"]),
    ("sssp {}/wide.wel --source 10 --algorithm dijkstra", 1, &["vertex 12", "overflows u64"]),
    ("sssp {}/wide.wel --source 10 --algorithm bellman-ford", 1, &["vertex 12", "overflows"]),
    ("sssp {}/wide.wel --source 10 --algorithm bellman-ford-queue", 1, &["vertex 12"]),
    ("sssp {}/wide.wel --source 10 --algorithm delta-stepping", 1, &["vertex 12", "overflows"]),
    ("sssp {}/road.gr --source 1 --delta -3", 2, &["delta -3"]),
    ("sssp {}/road.gr --source 1 --delta nan", 2, &["delta NaN"]),
    ("sssp {}/floats.wel --source 0 --queue dial --algorithm dijkstra", 1, &["dial"]),
    ("sssp {}/floats.wel --source 0 --cutoff nan", 1, &["cutoff"]),
];

fn write_inputs(folder: &Path) {
    let write = |name: &str, content: &str| fs::write(folder.join(name), content).unwrap();
    let road = "p sp 3 2\na 1 2 5\na 2 3 4\n";
    write("road.gr", road);
    write("range.gr", "p sp 2 1\na 1 3 7\n");
    write("short.gr", "p sp 3 2\na 1 2 5\n");
    write("huge.gr", "p sp 4000000000 4000000000\na 1 2 5\n");
    write("none.gr", "p sp 0 0\n");
    write("minus.gr", "p sp 3 2\na 1 2 5\na 2 3 -4\n");
    write("cycle.gr", "p sp 4 4\na 1 2 5\na 2 3 -4\na 3 2 3\na 3 4 1\n");
    write("nan.wel", "0 1 2\n1 2 nan\n");
    write("infinite.wel", "0 1 inf\n");
    write("floats.wel", "0 1 0.5\n1 2 0.25\n");
    write("wide.wel", "10 11 18446744073709551600\n11 12 100\n");
    write("sparse.tsv", "10\t90000000000\t3\n");
    write("ages.csv", "# years\n1\n42\n0\n");
    write("wrong.csv", "1\n-4\n");
    write("half.csv", "1.5\n");
    write("header.csv", "age\n1\n");
    write("pairs.csv", "1\n3,4\n");
    write("beyond.csv", "18446744073709551616\n");
    write("empty.wel", "");
    write("empty.spg", "");
    write("two.txt", "1\n2\n");
    write("blank.txt", "\n# no line\n");
    write("empty.txt", "\n \n");
    write("bad.txt", "1\n\ntwo\n");
    write("far.txt", "1\n99\n");
    write("not.gr.gz", road);
    fs::write(folder.join("binary.mtx"), [0xFF, 0, 0xFE, 7, 10, 0x80]).unwrap();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(road.repeat(1000).as_bytes()).unwrap();
    let whole = encoder.finish().unwrap();
    fs::write(folder.join("cut.gr.gz"), &whole[..whole.len() / 2]).unwrap();
    fs::create_dir(folder.join("folder.gr")).unwrap();
    fs::create_dir(folder.join("folder.tsv")).unwrap();
}

fn names_in(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// What is wrong with a failed run.
fn complaints(run: &Run, code: i32, fragments: &[&str]) -> Vec<String> {
    let mut wrong = Vec::new();
    if run.code != Some(code) {
        wrong.push(format!("exit code {:?}, expected {code}", run.code));
    }
    if !run.stdout.is_empty() {
        wrong.push(format!("standard output has {}", run.stdout));
    }
    if run.stderr.contains("panicked") {
        wrong.push("it panicked".to_owned());
    }
    if !run.stderr.starts_with("starpath: ") && code == 1 {
        wrong.push("the message does not start with the program's name".to_owned());
    }
    let missing = fragments.iter().filter(|fragment| !run.stderr.contains(**fragment));
    wrong.extend(missing.map(|fragment| format!("the message has no '{fragment}'")));
    wrong
}

#[test]
fn failures_say_what_to_do_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    write_inputs(folder.path());
    let before = names_in(folder.path());
    let mut failures = Vec::new();
    for &(line, code, fragments) in CASES {
        for line in [line.to_owned(), format!("{line} --json")] {
            let run = run_in(folder.path(), &line);
            let mut wrong = complaints(&run, code, fragments);
            if names_in(folder.path()) != before {
                wrong.push("it left a file".to_owned());
            }
            if !wrong.is_empty() {
                failures.push(format!("`{line}`: {}\n{}", wrong.join("; "), run.stderr));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A failed run does not touch the file that stood there before.
#[test]
fn files_that_exist_survive_failures() {
    let folder = tempfile::tempdir().unwrap();
    write_inputs(folder.path());
    let kept = folder.path().join("kept.tsv");
    fs::write(&kept, "precious").unwrap();
    for line in [
        "sssp {}/cycle.gr --source 1 -o {}/kept.tsv",
        "sssp {}/missing.gr --source 1 -o {}/kept.tsv",
        "sssp {}/road.gr --source 9 -o {}/kept.tsv",
        "sssp {}/wide.wel --source 10 -o {}/kept.tsv",
    ] {
        assert_eq!(run_in(folder.path(), line).code, Some(1), "{line}");
        assert_eq!(fs::read_to_string(&kept).unwrap(), "precious", "{line}");
    }
}

/// Every malformed matrix of the data folder is refused with its name and line.
#[test]
fn malformed_matrices_are_refused() {
    let Some(data) = data_folder() else { return };
    let folder = data.join("mtx/suitesparse-reader");
    let malformed = [
        "mangled1",
        "mangled2",
        "mangled3",
        "mangled4",
        "mangled5",
        "mangled6",
        "mangled7",
        "mangled8",
        "mangled_bool",
        "mangled_int32",
        "mangled_skew",
        "complex",
        "empty",
    ];
    let mut accepted = Vec::new();
    for name in malformed {
        let run = run_in(&folder, &format!("info {{}}/{name}.mtx --json"));
        if run.code == Some(0) {
            accepted.push(name);
            continue;
        }
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{name}");
        let (_, place) = run.stderr.split_once(&format!("{name}.mtx:")).expect("the file's name");
        assert!(place.starts_with(|c: char| c.is_ascii_digit() || c == ' '), "{}", run.stderr);
    }
    assert_eq!(accepted, [""; 0]);
}

/// A line that does not end is an error wherever a text is read, and no abort. So is a device that
/// gives zeros for ever.
#[cfg(unix)]
#[test]
fn endless_lines_are_refused() {
    use std::os::unix::fs::symlink;

    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_inputs(folder);
    for format in ["gr", "mtx", "graph", "el", "wel", "txt", "csv", "tsv", "sg", "wsg", "spg", "co"]
    {
        symlink("/dev/zero", folder.join(format!("zero.{format}"))).unwrap();
    }
    for line in [
        "info {}/zero.gr",
        "info {}/zero.mtx",
        "info {}/zero.graph",
        "info {}/zero.el",
        "info {}/zero.wel",
        "info {}/zero.txt",
        "info {}/zero.csv",
        "info {}/zero.tsv",
        "info {}/zero.sg",
        "info {}/zero.wsg",
        "info {}/zero.spg",
        "info {}/floats.wel --vertices {}/zero.txt",
        "sssp {}/road.gr --sources {}/zero.txt --nearest",
        "sssp {}/road.gr --sources {}/two.txt --targets {}/zero.txt",
        "path {}/road.gr --pairs {}/zero.txt",
        "prepare {}/road.gr --coordinates {}/zero.co -o {}/road.prepared",
        "prepare {}/road.gr --coordinates {}/zero.csv -o {}/road.prepared",
        "customize {}/zero.spg {}/road.gr -o {}/road.prepared",
        "query {}/zero.csv {}/zero.csv 1 2",
        "centrality {}/road.gr --resume {}/zero.txt",
        "star min {}/zero.csv",
        "star run {}/zero.txt",
        "star dynamic-closure {}/road.gr --changes {}/zero.txt",
        "apsp {}/road.gr --scratch {}/zero.txt",
    ] {
        let run = run_in(folder, line);
        let wrong = complaints(&run, 1, &["zero."]);
        assert!(wrong.is_empty() && run.stderr.len() < 300, "{line}: {wrong:?} {run:?}");
    }
}
