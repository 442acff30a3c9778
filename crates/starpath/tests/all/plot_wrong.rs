//! What `starpath plot` refuses: with a message that says what to do, and no file left behind.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use crate::support::run_in;

/// The files in a folder.
fn names(folder: &Path) -> BTreeSet<OsString> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

#[cfg(feature = "plot")]
#[test]
fn wrong_input_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write("g.gr", "p sp 3 2\na 1 2 5\na 2 3 1\n");
    write("w.csv", "a,b\nb,c\n");
    write("good.co", "p aux sp co 3\nv 1 0 0\nv 2 1 0\nv 3 2 0\n");
    write("missing.co", "p aux sp co 2\nv 1 0 0\nv 3 2 0\n");
    write("nan.co", "v 1 0 0\nv 2 nan 0\nv 3 2 0\n");
    write("nan.csv", "1,0,0\n2,0,inf\n3,2,0\n");
    write("count.co", "p aux sp co 4\nv 1 0 0\nv 2 1 0\nv 3 2 0\n");
    write("four.co", "p aux sp co 4\nv 1 0 0\nv 2 1 0\nv 3 2 0\nv 4 2 0\n");
    write("twice.co", "v 1 0 0\nv 2 1 0\nv 2 2 0\n");
    write("short.co", "v 1 0\n");
    write("word.co", "v one 0 0\n");
    write("other.co", "p sp 3 2\n");
    write("two.csv", "1,0\n2,0\n3,0\n");
    write("four.csv", "1,0,0,0\n");
    write("lost.csv", "id,x,y,z\n1,0,0,0\n2,0,0\n");
    write("turned.csv", "id,lat,east\n1,0,0\n2,0,0\n3,0,0\n");
    write("words.csv", "a,0,0\nb,1,0\nd,2,0\n");
    write("none.csv", "");
    write("far.csv", "1,0,0\n2,0,91\n3,2,0\n");
    write("polar.csv", "1,0,90\n2,0,90\n3,2,90\n");
    write("places.txt", "1 0 0\n2 0 0\n3 0 0\n");
    let array = |name: &str, header: &str, bytes: &[u8]| {
        let text = format!("{header:<117}\n");
        let start = [b"\x93NUMPY\x01\x00", (text.len() as u16).to_le_bytes().as_slice()].concat();
        fs::write(folder.join(name), [&start, text.as_bytes(), bytes].concat()).unwrap();
    };
    let of = |descr: &str, shape: &str| {
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}")
    };
    array("wide.npy", &of("<u8", "(1, 2)"), &[0; 16]);
    array("cut.npy", &of("<u8", "(2, 2)"), &[0; 31]);
    array("bytes.npy", &of("|u1", "(2, 2)"), &[0; 4]);
    array("nan.npy", &of("<f8", "(1, 1)"), &f64::NAN.to_le_bytes());
    array("bool.npy", &of("|b1", "(2, 2)"), &[1, 0, 2, 1]);
    array("open.npy", &of("|b1", "(3, 3)"), &[1, 0, 0, 1, 1, 1, 0, 1, 1]);
    array("fine.npy", &of("<u8", "(1, 1)"), &[0; 8]);
    array("closed.npy", &of("|b1", "(1, 1)"), &[1]);
    let map =
        |rest: &str| format!("map {{}}/g.gr --source 1 -o {{}}/out.svg --coordinates {{}}/{rest}");
    let cases: &[(String, i32, &[&str])] = &[
        (map("missing.co"), 1, &["no coordinates for vertex 2"]),
        (map("nan.co"), 1, &["nan.co:2", "finite", "nan"]),
        (map("nan.csv"), 1, &["nan.csv:2", "finite", "inf"]),
        (map("count.co"), 1, &["count.co:1", "4 vertices", "3"]),
        (map("four.co"), 1, &["four.co:5", "no vertex `4`"]),
        (map("twice.co"), 1, &["twice.co:3", "vertex 2 has coordinates already"]),
        (map("short.co"), 1, &["short.co:1", "end of the line"]),
        (map("word.co"), 1, &["word.co:1", "a vertex", "one"]),
        (map("other.co"), 1, &["other.co:1", "p aux sp co"]),
        (map("two.csv"), 1, &["two.csv:1", "three fields"]),
        (map("four.csv"), 1, &["four.csv:1", "three fields", "found 4"]),
        (map("lost.csv"), 1, &["lost.csv:3", "4 columns", "found 3"]),
        (map("turned.csv"), 1, &["turned.csv:1", "longitude", "lat"]),
        (map("words.csv"), 1, &["words.csv:1", "no vertex `a`"]),
        (map("none.csv"), 1, &["no coordinates for vertex 1 and 2 more"]),
        (map("far.csv --geographic"), 1, &["far.csv", "0, 91"]),
        (map("polar.csv --geographic"), 1, &["polar.csv", "pole"]),
        (map("places.txt"), 1, &["places.txt", ".co, .csv or .tsv"]),
        (map("absent.co"), 1, &["absent.co"]),
        (map("good.co --target 4"), 1, &["target 4", "numbered from 1 to 3"]),
        (map("good.co --step 0"), 2, &["--step", "greater than 0"]),
        (map("good.co --step 0.1"), 2, &["--step 0.1", "10 bands", "try --step"]),
        (map("good.co --size 10x10"), 2, &["--size", "400"]),
        (
            "map {}/g.gr --source 9 --coordinates {}/good.co -o {}/out.svg".into(),
            1,
            &["source 9", "numbered from 1 to 3"],
        ),
        (
            "map {}/g.gr --source 1 --coordinates {}/good.co -o {}/out.pdf".into(),
            2,
            &[".svg or .png"],
        ),
        (
            "map {}/g.gr --source 1 --coordinates {}/good.co -o {}/no/out.svg".into(),
            1,
            &["does not exist"],
        ),
        ("map {}/g.gr --source 1 -o {}/out.svg".into(), 2, &["--coordinates"]),
        ("matrix {}/wide.npy -o {}/out.svg".into(), 1, &["wide.npy", "a square matrix"]),
        ("matrix {}/cut.npy -o {}/out.svg".into(), 1, &["cut.npy", "bytes"]),
        ("matrix {}/bytes.npy -o {}/out.svg".into(), 1, &["|u1", "booleans or u64"]),
        ("matrix {}/nan.npy -o {}/out.svg".into(), 1, &["NaN", "not a distance"]),
        ("matrix {}/bool.npy -o {}/out.svg".into(), 1, &["2", "not a boolean"]),
        (
            "matrix {}/open.npy -o {}/out.svg".into(),
            1,
            &["not a matrix of shortest paths", "1 reaches"],
        ),
        ("matrix {}/fine.npy --closure -o {}/out.svg".into(), 2, &["--closure needs a graph"]),
        ("matrix {}/fine.npy --undirected -o {}/out.svg".into(), 2, &["--undirected", "matrix"]),
        ("matrix {}/closed.npy --unit m -o {}/out.svg".into(), 2, &["no distances", "--unit"]),
        ("distances {}/closed.npy -o {}/out.svg".into(), 2, &["a closure has no distances"]),
        ("distances {}/fine.npy --source 0 -o {}/out.svg".into(), 2, &["fine.npy", "npy"]),
        ("degrees {}/g.gr -o {}/out".into(), 2, &[".svg or .png"]),
        ("degrees {}/g.gr -o {}/out.svg --backend cuda".into(), 1, &["plot degrees"]),
    ];
    let before = names(folder);
    for (line, code, parts) in cases {
        let run = run_in(folder, &format!("plot {line}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(*code), ""), "{line}: {}", run.stderr);
        for part in *parts {
            assert!(run.stderr.contains(part), "{line}: no {part:?} in {}", run.stderr);
        }
        assert_eq!(names(folder), before, "{line} has left a file");
    }
}

/// A program that draws nothing says at once how to get one that does.
#[cfg(not(feature = "plot"))]
#[test]
fn a_build_without_pictures_says_so() {
    let folder = tempfile::tempdir().unwrap();
    for line in ["", "--help", "map", "matrix {}/g.gr -o {}/a.svg --json", "--size 10x10 -- x"] {
        let run = run_in(folder.path(), &format!("plot {line}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{line}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{line}: {}", run.stderr);
        let way = "cargo install --locked --path crates/starpath --features plot";
        assert!(run.stderr.contains(way), "{line}: {}", run.stderr);
        assert!(names(folder.path()).is_empty(), "{line}");
    }
    assert!(run_in(folder.path(), "help").stdout.contains("only with the feature plot"));
}

#[test]
fn coordinates_are_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (line, part) in [
        ("-o {}/a.spg --coordinates {}/a.co", ".csv only"),
        ("-o {}/a.csv --coordinates {}/./a.csv", "two results"),
        ("-o {}/a.spg --coordinates {}/no/a.csv", "does not exist"),
    ] {
        let run = run_in(folder, &format!("generate grid --side 3 {line}"));
        assert!(run.code != Some(0) && run.stderr.contains(part), "{line}: {}", run.stderr);
        assert!(names(folder).is_empty(), "{line} has left a file");
    }
}
