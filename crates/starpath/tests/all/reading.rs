//! How graph files are read: the flags for what a file does not say, and the notes on what
//! reading decided.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
#[cfg(unix)]
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Run, json_in, program, run_in};

const TRIANGLE: &str = "1 2\n2 3\n3 1\n";

/// A folder with one file of this name.
fn folder_with(name: &str, content: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), content).unwrap();
    folder
}

fn write(folder: &Path, name: &str, content: &str) {
    fs::write(folder.join(name), content).unwrap();
}

/// What a run says on standard error; it must succeed.
#[track_caller]
fn said(folder: &Path, line: &str) -> String {
    let run = run_in(folder, line);
    assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
    run.stderr
}

/// Every command that reads a graph takes every flag for reading one.
#[test]
fn every_command_reads_alike() {
    let folder = folder_with("list", "# from and to\n1 2 5\n2 3 4\n3 4 9\n");
    let folder = folder.path();
    write(folder, "vertices", "1\n2\n3\n4\n5\n");
    write(folder, "ids", "1\n");
    let flags = "--format txt --undirected --header no --columns 1,2,3 --vertices {}/vertices";
    for line in [
        "info {}/list",
        "convert {}/list {}/out.spg",
        "sssp {}/list --source 4",
        "sssp {}/list --sources {}/ids --targets {}/ids",
        "sssp {}/list --sources {}/ids --nearest",
        "path {}/list 4 1",
        "apsp {}/list",
        "apsp {}/list --scratch {}/work",
        "closure {}/list",
    ] {
        let report = json_in(folder, &format!("{line} {flags}"));
        assert_eq!((&report["vertices"], &report["edges"]), (&5.into(), &6.into()), "{line}");
    }
    assert_eq!(json_in(folder, &format!("path {{}}/list 4 1 {flags}"))["distance"], 18);
    assert_eq!(json_in(folder, &format!("path {{}}/list 5 1 {flags}"))["distance"], Value::Null);
}

#[test]
fn headers_are_read_and_said() {
    let folder = folder_with("g.el", "3 2\n1 2\n2 3\n");
    let folder = folder.path();
    let info = json_in(folder, "info {}/g.el");
    assert_eq!((&info["vertices"], &info["edges"]), (&3.into(), &2.into()));
    assert_eq!((&info["first_id"], &info["last_id"]), (&1.into(), &3.into()));
    let note = info["notes"][0].as_str().unwrap();
    assert!(note.contains("g.el: the first line is read as a header"), "{note}");
    // on standard error, quiet or not; in info among the rest
    for quiet in ["", " --quiet"] {
        let text = said(folder, &format!("sssp {{}}/g.el --source 1{quiet}"));
        assert_eq!(text, format!("starpath: note: {note}\n"));
    }
    let run = run_in(folder, "info {}/g.el");
    assert_eq!(run.stderr, "");
    assert!(run.stdout.contains(&format!("note         {note}\n")), "{}", run.stdout);
    // by force
    let arcs = json_in(folder, "info {}/g.el --header no");
    assert_eq!((&arcs["vertices"], &arcs["edges"]), (&3.into(), &3.into()));
    assert_eq!(arcs.get("notes"), None);
    assert_eq!(json_in(folder, "info {}/g.el --header yes --base 1")["first_id"], 1);
    write(folder, "no.el", "1 2\n2 3\n");
    let run = run_in(folder, "info {}/no.el --header yes");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("no.el:1"), "{}", run.stderr);
}

#[test]
fn ids_that_do_not_occur_are_no_vertices() {
    let folder = folder_with("x.el", "1 2\n2 3\n4 5\n");
    let run = run_in(folder.path(), "sssp {}/x.el --source 0");
    assert_eq!(run.code, Some(1));
    let expected = "x.el: its vertices are numbered from 1 to 5\n";
    assert!(run.stderr.ends_with(expected), "{}", run.stderr);
    assert!(run.stderr.starts_with("starpath: source 0 is not in "), "{}", run.stderr);
    // declared by force, it is one
    let zero = json_in(folder.path(), "sssp {}/x.el --source 0 --base 0");
    assert_eq!((&zero["vertices"], &zero["reached"]), (&6.into(), &1.into()));
    assert_eq!(run_in(folder.path(), "info {}/x.el --base 1").code, Some(0));
}

#[test]
fn lines_are_arcs_unless_undirected() {
    let folder = folder_with("x.wel", "0 1 5\n1 2 4\n");
    let folder = folder.path();
    assert_eq!(json_in(folder, "path {}/x.wel 2 0")["distance"], Value::Null);
    assert_eq!(json_in(folder, "path {}/x.wel 2 0 --undirected")["distance"], 9);
    assert_eq!(json_in(folder, "info {}/x.wel --undirected")["direction"], "undirected");
    for help in ["--help", "sssp --help", "info --help"] {
        assert!(run_in(folder, help).stdout.contains("--undirected"), "{help}");
    }
    // in any format
    write(folder, "x.gr", "p sp 3 2\na 1 2 5\na 2 3 4\n");
    assert_eq!(json_in(folder, "path {}/x.gr 3 1")["distance"], Value::Null);
    assert_eq!(json_in(folder, "path {}/x.gr 3 1 --undirected")["distance"], 9);
    json_in(folder, "convert {}/x.gr {}/x.spg");
    assert_eq!(json_in(folder, "path {}/x.spg 3 1 --undirected")["distance"], 9);
}

/// GraphML, a network of Pajek and a matrix are read with the names of their vertices.
#[test]
fn networks_of_other_programs_are_read() {
    let folder = folder_with(
        "x.graphml",
        "<graphml><key id='k' for='edge' attr.name='weight'/><graph edgedefault='undirected'>\
         <node id='Ulm'/><node id='Bonn'/><edge source='Ulm' target='Bonn'><data key='k'>7</data>\
         </edge></graph></graphml>",
    );
    let folder = folder.path();
    write(folder, "x.net", "*Vertices 2\n1 \"Ulm\"\n2 \"Bonn\"\n*Edges\n1 2 7\n");
    write(folder, "x.csv", ",Ulm,Bonn\nUlm,0,7\nBonn,7,0\n");
    for graph in ["x.graphml", "x.net", "x.csv --format matrix"] {
        let answer = json_in(folder, &format!("path {{}}/{graph} Ulm Bonn"));
        assert_eq!((&answer["distance"], &answer["notes"]), (&7.into(), &Value::Null), "{graph}");
    }
    let run = run_in(folder, "convert {}/x.net {}/out.net");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("graphs cannot be written in this format"), "{}", run.stderr);
}

#[test]
fn vertex_files_declare_vertices() {
    let folder = folder_with("x.e", "1 2 0.5\n2 7 0.25\n");
    let folder = folder.path();
    write(folder, "x.v", "1\n2\n7\n9\n");
    let format = "--format txt";
    let info = json_in(folder, &format!("info {{}}/x.e {format}"));
    assert_eq!((&info["vertices"], &info["last_id"]), (&4.into(), &9.into()));
    let alone = json_in(folder, &format!("sssp {{}}/x.e --source 9 {format}"));
    assert_eq!(alone["reached"], 1);
    // a file that is read is not written
    let line = format!("sssp {{}}/x.e --source 9 {format} --vertices {{}}/v.tsv -o {{}}/v.tsv");
    write(folder, "v.tsv", "1\n2\n7\n");
    let run = run_in(folder, &line);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let missing = run_in(folder, &format!("info {{}}/x.e {format} --vertices {{}}/none"));
    assert_eq!(missing.code, Some(1));
    assert!(missing.stderr.contains("none"), "{}", missing.stderr);
}

/// Names that are words come back everywhere, in JSON as strings.
#[test]
fn tables_of_words() {
    let table =
        "pre,post,type,length\nAVAL,PVCR,chemical,3\nPVCR,AVAL,gap,1\nPVCR,\"VB 1\",gap,4\n";
    let folder = folder_with("worm.csv", table);
    let folder = folder.path();
    let columns = "--columns pre,post,length";
    let path = json_in(folder, &format!("path {{}}/worm.csv AVAL PVCR {columns}"));
    assert_eq!((&path["distance"], &path["path"]), (&3.into(), &json!(["AVAL", "PVCR"])));
    assert_eq!((&path["source"], &path["target"]), (&"AVAL".into(), &"PVCR".into()));
    let run = run_in(folder, &format!("path {{}}/worm.csv AVAL PVCR {columns}"));
    assert!(run.stdout.ends_with("AVAL to PVCR: 3, 1 arc\nAVAL PVCR\n"), "{}", run.stdout);
    let absent = run_in(folder, &format!("path {{}}/worm.csv aval PVCR {columns}"));
    assert_eq!(absent.code, Some(1));
    let like = "its 3 vertices have words as names; the first is AVAL, the last VB 1";
    assert!(absent.stderr.contains(like), "{}", absent.stderr);
    let info = json_in(folder, &format!("info {{}}/worm.csv {columns}"));
    assert_eq!((&info["first_id"], &info["last_id"]), (&"AVAL".into(), &"VB 1".into()));

    write(folder, "ids", "\"VB 1\"\n AVAL\n");
    let table = format!("sssp {{}}/worm.csv {columns} --sources {{}}/ids --targets {{}}/ids");
    json_in(folder, &format!("{table} -o {{}}/t.tsv"));
    assert_eq!(
        fs::read_to_string(folder.join("t.tsv")).unwrap(),
        "source\tVB 1\tAVAL\nVB 1\t0\t\nAVAL\t7\t0\n"
    );
    json_in(folder, &format!("{table} -o {{}}/t.npy"));
    assert_eq!(fs::read_to_string(folder.join("t.npy.rows.ids")).unwrap(), "VB 1\nAVAL\n");

    // saved matrices are asked by the same words
    let save = "--distances {}/d.npy --next-hops {}/h.npy";
    json_in(folder, &format!("apsp {{}}/worm.csv {columns} {save}"));
    let asked = json_in(folder, "query {}/d.npy {}/h.npy AVAL PVCR");
    for field in ["source", "target", "distance", "path"] {
        assert_eq!(asked[field], path[field], "{field}");
    }
    // and .spg keeps them
    let kept = json_in(folder, &format!("convert {{}}/worm.csv {{}}/worm.spg {columns}"));
    assert_eq!(kept["names"], "kept");
    assert_eq!(json_in(folder, "path {}/worm.spg AVAL PVCR")["path"], path["path"]);
    let listed = said(folder, "convert {}/worm.spg {}/worm.gr");
    assert!(listed.contains("worm.gr.ids has these"), "{listed}");
    assert_eq!(fs::read_to_string(folder.join("worm.gr.ids")).unwrap(), "AVAL\nPVCR\nVB 1\n");
}

/// A third column without a name is a weight, and that is said.
#[test]
fn weights_by_their_place_are_said() {
    let folder = folder_with("x.csv", "0,1,7\n1,2,8\n");
    let text = said(folder.path(), "sssp {}/x.csv --source 0");
    assert!(text.contains("column 3 is read as the weight"), "{text}");
    assert_eq!(said(folder.path(), "sssp {}/x.csv --source 0 --columns 1,2,3"), "");
}

/// Runs the program with this on its standard input.
fn piped(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = Command::new(program())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn standard_input_is_a_graph() {
    let folder = tempfile::tempdir().unwrap();
    let made = json_in(folder.path(), "generate grid --side 20 -o {}/g.gr");
    for suffix in ["gr", "mtx", "wel", "spg", "wsg"] {
        json_in(folder.path(), &format!("convert {{}}/g.gr {{}}/g.{suffix}.x.{suffix}"));
        let bytes = fs::read(folder.path().join(format!("g.{suffix}.x.{suffix}"))).unwrap();
        let run = piped(&["info", "-", "--format", suffix, "--json"], &bytes);
        assert_eq!(run.code, Some(0), "{suffix}: {}", run.stderr);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["edges"], made["edges"], "{suffix}");
    }
    let run = piped(&["sssp", "-", "--format", "el", "--source", "9"], b"1 2\n2 3\n");
    assert_eq!(run.code, Some(1));
    let message = "source 9 is not in standard input: its vertices are numbered from 1 to 3";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    let run = piped(&["info", "-"], b"");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("--format"), "{}", run.stderr);
    let run = piped(&["info", "-", "--format", "gr"], b"p sp 2 1\na 1 3 7\n");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("from 1 to 2"), "{}", run.stderr);
}

/// Ctrl-C ends a run that waits for its standard input.
#[cfg(unix)]
#[test]
fn interrupts_end_the_wait_for_input() {
    let mut child = Command::new(program())
        .args(["info", "-", "--format", "gr"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let since = Instant::now();
    // its input stays open
    while child.try_wait().unwrap().is_none() && since.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let ended = child.try_wait().unwrap();
    if ended.is_none() {
        child.kill().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "starpath: interrupted\n");
}

/// By any suffix that is known.
#[test]
fn suffixes() {
    let folder = folder_with("g.edges", TRIANGLE);
    let folder = folder.path();
    let answer = json_in(folder, "sssp {}/g.edges --source 1");
    for name in ["g.e", "g.edgelist", "g.txt", "g.el"] {
        fs::copy(folder.join("g.edges"), folder.join(name)).unwrap();
        let again = json_in(folder, &format!("sssp {{}}/{name} --source 1"));
        assert_eq!(again["distance_sum"], answer["distance_sum"], "{name}");
    }
    // METIS files have several suffixes, and are written
    json_in(folder, "generate grid --side 3 -o {}/grid.metis");
    assert_eq!(json_in(folder, "info {}/grid.metis")["direction"], "undirected");
    assert_eq!(json_in(folder, "info {}/grid.metis --format metis")["vertices"], 9);
}

/// What gzip has packed is always read, and what zstd has if the program was built for it.
#[test]
fn compression() {
    let folder = folder_with("g.edges", TRIANGLE);
    let folder = folder.path();
    let answer = json_in(folder, "sssp {}/g.edges --source 1");
    json_in(folder, "convert {}/g.edges {}/g.wel.gz");
    let again = json_in(folder, "sssp {}/g.wel.gz --source 1");
    assert_eq!(again["distance_sum"], answer["distance_sum"]);
    // a frame of zstd with one raw block: that is all of the format that this needs
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0x20, TRIANGLE.len() as u8];
    frame.extend(&((TRIANGLE.len() as u32) << 3 | 1).to_le_bytes()[..3]);
    frame.extend(TRIANGLE.as_bytes());
    fs::write(folder.join("g.edges.zst"), &frame).unwrap();
    let run = run_in(folder, "info {}/g.edges.zst");
    if run.stderr.contains("build with --features compression") {
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
        println!("SKIPPED: the program was built without the feature compression");
        return;
    }
    let again = json_in(folder, "sssp {}/g.edges.zst --source 1");
    assert_eq!(again["distance_sum"], answer["distance_sum"]);
    fs::write(folder.join("cut.edges.zst"), &frame[..frame.len() - 4]).unwrap();
    let cut = run_in(folder, "info {}/cut.edges.zst");
    assert_eq!(cut.code, Some(1), "{}", cut.stderr);
    assert!(cut.stderr.contains("cut.edges.zst"), "{}", cut.stderr);
}

/// What is no graph is refused with a message and its name, whatever the format.
#[test]
fn junk_is_refused_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let junk: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    fs::write(folder.join("junk"), junk).unwrap();
    write(folder, "empty", "");
    let formats = "gr mtx graph el wel csv tsv txt matrix net graphml sg wsg spg";
    for format in formats.split(' ') {
        for name in ["junk", "empty", "."] {
            let run = run_in(folder, &format!("info {{}}/{name} --format {format}"));
            assert_eq!(run.code, Some(1), "{format} {name}: {}", run.stderr);
            assert!(run.stderr.starts_with("starpath: ") && run.stdout.is_empty(), "{run:?}");
            assert!(!run.stderr.contains("panicked"), "{run:?}");
        }
    }
}

/// What pandas writes for a frame without names.
#[test]
fn columns_named_by_numbers() {
    let folder = folder_with("x.csv", "0,1\n5,6\n6,7\n");
    let folder = folder.path();
    let text = said(folder, "sssp {}/x.csv --source 5");
    assert!(text.contains("x.csv: the first line is read as an arc"), "{text}");
    assert_eq!(json_in(folder, "info {}/x.csv --header yes")["edges"], 2);
    assert_eq!(said(folder, "sssp {}/x.csv --source 5 --header no"), "");
    write(folder, "roads.csv", "u,v,length,weight\n5,6,2,9\n");
    assert_eq!(json_in(folder, "path {}/roads.csv 5 6")["distance"], 9);
}
