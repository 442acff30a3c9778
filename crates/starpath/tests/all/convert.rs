//! What `convert` changes on request: the vertices of a graph, and its weights.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::support::{json_in, run_in};

/// A folder with `g.csv`: a cycle of a, b, c, from which an arc leads to a path of d, e, f and g,
/// and apart from these two vertices.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let arcs = "b,c,0.5\nc,a,0.25\na,b,1\na,d,0.5\nd,e,0.5\ne,f,1\nf,g,1\nx,y,1\ny,x,1\n";
    fs::write(folder.path().join("g.csv"), format!("from,to,weight\n{arcs}")).unwrap();
    folder
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn the_largest_component_is_kept_with_its_names() {
    let folder = folder();
    let folder = folder.path();
    let strong = json_in(folder, "convert {}/g.csv {}/s.csv --largest-component strong");
    assert_eq!((&strong["vertices"], &strong["edges"]), (&json!(3), &json!(3)));
    assert_eq!((&strong["removed_vertices"], &strong["removed_arcs"]), (&json!(6), &json!(6)));
    let mut lines: Vec<_> = read(folder, "s.csv").lines().map(str::to_owned).collect();
    lines[1..].sort();
    assert_eq!(lines[1..], ["a,b,1.0", "b,c,0.5", "c,a,0.25"]);
    let weak = json_in(folder, "convert {}/g.csv {}/w.spg --largest-component weak");
    assert_eq!((&weak["vertices"], &weak["removed_vertices"]), (&json!(7), &json!(2)));
    assert_eq!(json_in(folder, "path {}/w.spg c g")["distance"], json!(3.75 - 0.5));
    assert!(json_in(folder, "convert {}/g.csv {}/w.spg").get("removed_arcs").is_none());

    // of equally large ones that of the smallest vertex; numbers keep their names
    fs::write(folder.join("two.gr"), "p sp 5 4\na 2 3 7\na 3 2 7\na 4 5 8\na 5 4 8\n").unwrap();
    for kind in ["strong", "weak"] {
        let line = format!("convert {{}}/two.gr {{}}/two.csv --largest-component {kind}");
        assert_eq!(json_in(folder, &line)["vertices"], 2, "{kind}");
        assert_eq!(json_in(folder, "path {}/two.csv 2 3")["distance"], 7, "{kind}");
    }
    json_in(folder, "convert {}/two.gr {}/two.spg --largest-component weak");
    assert_eq!(json_in(folder, "info {}/two.spg")["direction"], "undirected");
    // a connected graph stays as it is, and so does one without vertices
    json_in(folder, "generate grid --side 9 -o {}/grid.spg");
    json_in(folder, "convert {}/grid.spg {}/whole.spg --largest-component strong");
    let bytes = |name: &str| fs::read(folder.join(name)).unwrap();
    assert!(bytes("grid.spg") == bytes("whole.spg"));
    fs::write(folder.join("none.gr"), "p sp 0 0\n").unwrap();
    let none = json_in(folder, "convert {}/none.gr {}/none.spg --largest-component strong");
    assert_eq!((&none["vertices"], &none["removed_vertices"]), (&json!(0), &json!(0)));
}

#[test]
fn weights_become_lengths() {
    let folder = folder();
    let folder = folder.path();
    json_in(folder, "convert {}/g.csv {}/log.spg --transform minus-log");
    let info = json_in(folder, "info {}/log.spg");
    assert_eq!((&info["weights"], &info["min_weight"]), (&json!("f64"), &json!(0.0)));
    // the most probable path has probability 1/4 · 1 · 1/2
    let path = json_in(folder, "path {}/log.spg c d");
    assert_eq!(path["path"], json!(["c", "a", "d"]));
    assert!((path["distance"].as_f64().unwrap() - 8f64.ln()).abs() < 1e-12, "{path}");
    json_in(folder, "convert {}/g.csv {}/one.spg --transform reciprocal");
    assert_eq!(json_in(folder, "path {}/one.spg c d")["distance"], 6.0);

    json_in(folder, "generate grid --side 9 -o {}/grid.spg");
    json_in(folder, "convert {}/grid.spg {}/r.spg --transform reciprocal");
    let info = json_in(folder, "info {}/r.spg");
    assert_eq!((&info["direction"], &info["edges"]), (&json!("undirected"), &json!(288)));
    json_in(folder, "convert {}/grid.spg {}/hops.spg --unweighted --transform reciprocal");
    assert_eq!(json_in(folder, "info {}/hops.spg")["equal_weights"], true);
}

#[test]
fn weights_without_a_value_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (weight, function, part) in [
        ("0", "minus-log", "--transform minus-log: the arc from a to b has weight 0; expected"),
        ("0", "reciprocal", "the arc from a to b has weight 0; expected weights above zero"),
        ("-2", "reciprocal", "the arc from a to b has weight -2; expected"),
        ("1e-310", "reciprocal", "too small for a reciprocal"),
    ] {
        fs::write(folder.join("g.csv"), format!("from,to,w\nb,a,1\na,b,{weight}\n")).unwrap();
        let run = run_in(folder, &format!("convert {{}}/g.csv {{}}/o.spg --transform {function}"));
        assert_eq!((run.code, &*run.stdout), (Some(1), ""), "{run:?}");
        assert!(run.stderr.contains(part), "{run:?}");
    }
    fs::write(folder.join("g.csv"), "from,to,w\na,b,4\n").unwrap();
    json_in(folder, "convert {}/g.csv {}/o.csv --transform minus-log");
    assert!(read(folder, "o.csv").contains("-1.38629"));
    for line in ["--largest-component some", "--transform double"] {
        assert_eq!(run_in(folder, &format!("convert {{}}/g.csv {{}}/o.spg {line}")).code, Some(2));
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), 2, "g.csv and o.csv");
}
