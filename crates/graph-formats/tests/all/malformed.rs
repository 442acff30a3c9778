//! An error in a file is reported with its line, and nothing else happens.

use std::io::Write;

use graph_formats::{
    AtomicFile, Csr, Format, GraphError, Ids, LoadedGraph, parse, read, write, write_csr,
};

use crate::common::triangle;

#[test]
fn text_files_are_refused_at_the_line() {
    use Format::{Csv, El, Gr, Graph, Graphml, Matrix, Mtx, Net, Wel};
    let graphml = |lines: &str| format!("<graphml>\n{lines}</graphml>\n");
    let mtx = |header: &str, rest: &str| format!("%%MatrixMarket matrix {header}\n{rest}");
    let cases: &[(Format, String, &str)] = &[
        (Gr, "".into(), "1: expected a line `p sp <vertices> <arcs>` or an arc, found neither"),
        (Gr, "c only\n\n".into(), "3: expected a line `p sp <vertices> <arcs>` or an arc"),
        (Gr, "p max 3 1\na 1 2 3\n".into(), "1: expected a line `p sp <vertices> <arcs>`"),
        (Gr, "p sp 3\n".into(), "1: expected the number of arcs, found the end of the line"),
        (Gr, "p sp 3 x\n".into(), "1: expected the number of arcs, found `x`"),
        (Gr, "p sp 3 1 9\n".into(), "1: expected the end of the line, found `9`"),
        (Gr, "c\np sp 2 2\na 1 2 3\n".into(), "2: the header promises 2 arcs, the file has 1"),
        (Gr, "p sp 2 0\na 1 2 3\n".into(), "1: the header promises 0 arcs, the file has 1"),
        (Gr, "p sp 2 1\na 0 2 3\n".into(), "2: expected a vertex from 1 to 2, found `0`"),
        (Gr, "p sp 2 1\n\na 1 3 3\n".into(), "3: expected a vertex from 1 to 2, found `3`"),
        (Gr, "p sp 2 1\na 1 2\n".into(), "2: expected a weight, found the end of the line"),
        (Gr, "p sp 2 1\na 1 2 3 4\n".into(), "2: expected the end of the line, found `4`"),
        (Gr, "p sp 2 1\na 1 2 nan\n".into(), "2: expected a finite weight, found `nan`"),
        (Gr, "p sp 2 1\na 1 2 1e999\n".into(), "2: expected a finite weight, found `1e999`"),
        (
            Gr,
            "p sp 2 1\na 1 2 18446744073709551616\n".into(),
            "2: expected an integer of at most 64 bits, found `18446744073709551616`",
        ),
        (
            Gr,
            "p sp 2 2\na 1 2 18446744073709551615\na 2 1 -1\n".into(),
            "3: no integer type holds both the weights -1 and 18446744073709551615",
        ),
        (Gr, "p sp 2 1\np sp 2 1\n".into(), "2: expected an arc `a <source> <destination>"),
        (Gr, "a 0 1 1\nabc\n".into(), "2: expected an arc"),
        (Gr, "a 0 -1 1\n".into(), "1: expected a vertex, found `-1`"),
        (Gr, "a 0 1,5 1\n".into(), "1: expected a weight, found `,`"),
        (Gr, "p sp 5000000000 1\na 1 2 3\n".into(), "1: 5000000000 vertices are more than 32-bit"),
        (
            Gr,
            "p sp 4000000000 0\n".into(),
            "1: the header promises 4000000000 vertices, which a file of",
        ),
        (Gr, "p sp 3 1000000000000000\n".into(), "1: the header promises 1000000000000000 arcs"),
        (
            Gr,
            "p sp 0 1\na 1 1 1\n".into(),
            "2: expected no vertex, as the graph has none, found `1`",
        ),
        (Gr, "p edge 2 2\ne 1 2\n".into(), "1: the header promises 2 edges, the file has 1"),
        (Gr, "p edge 2 1\na 1 2\n".into(), "2: expected an edge `e <vertex> <vertex>`, found `a`"),
        (Gr, "p edge 2 1\ne 1 2 3\n".into(), "2: expected the end of the line, found `3`"),
        (Gr, "p sp 2 1\ne 1 2\n".into(), "2: expected an arc `a <source>"),
        (Mtx, "".into(), "1: expected `%%MatrixMarket`, which opens every such file"),
        (Mtx, "2 2 1\n1 2 3\n".into(), "1: expected `%%MatrixMarket`"),
        (Mtx, mtx("array real general", "1 1\n3\n"), "1: expected `coordinate`, a sparse matrix"),
        (Mtx, mtx("coordinate complex general", ""), "1: expected `pattern`, `integer` or `real`"),
        (Mtx, mtx("coordinate real hermitian", ""), "1: expected `general`, `symmetric` or"),
        (Mtx, mtx("coordinate pattern skew-symmetric", ""), "1: expected `general` or `symmetric`"),
        (Mtx, mtx("coordinate real general", ""), "2: expected the number of rows"),
        (Mtx, mtx("coordinate real general", "% x\n2 3 0\n"), "3: expected a square matrix"),
        (
            Mtx,
            mtx("coordinate real general", "2 2 2\n1 2 .5\n"),
            "2: the header promises 2 entries",
        ),
        (
            Mtx,
            mtx("coordinate real general", "2 2 1\n1 3 .5\n"),
            "3: expected a vertex from 1 to 2",
        ),
        (
            Mtx,
            mtx("coordinate real general", "2 2 1\n1 2\n"),
            "3: expected a weight, found the end",
        ),
        (
            Mtx,
            mtx("coordinate pattern general", "2 2 1\n1 2 1\n"),
            "3: expected the end of the line",
        ),
        (Mtx, mtx("coordinate integer general", "2 2 1\n1 2 1.5\n"), "3: expected an integer"),
        (
            Mtx,
            mtx("coordinate integer skew-symmetric", "2 2 1\n2 2 1\n"),
            "3: expected an entry off the diagonal",
        ),
        (
            Mtx,
            mtx("coordinate integer skew-symmetric", "2 2 1\n2 1 9223372036854775809\n"),
            "3: expected a value whose negation fits the type",
        ),
        (
            Mtx,
            mtx("coordinate integer skew-symmetric", "%%GraphBLAS type int8_t\n2 2 1\n2 1 -128\n"),
            "4: expected a value of type int8_t, found `-128`",
        ),
        (
            Mtx,
            mtx("coordinate real general", "%%GraphBLAS type int8_t\n2 2 1\n2 1 0.5\n"),
            "4: expected a value of type int8_t, found `0.5`",
        ),
        (
            Mtx,
            mtx("coordinate real general", "%%GraphBLAS type float\n2 2 1\n2 1 1e39\n"),
            "4: expected a value of type float, found `1e39`",
        ),
        (
            Mtx,
            mtx("coordinate real general", "%%GraphBLAS type uint64_t\n2 2 2\n1 2 1\n2 1 7.5\n"),
            "5: expected a value of type uint64_t, found `7.5`",
        ),
        (
            Mtx,
            mtx(
                "coordinate real general",
                "%%GraphBLAS type uint64_t\n2 2 1\n1 2 1844674407370955161.6e1\n",
            ),
            "4: expected a value of type uint64_t, found `1844674407370955161.6e1`",
        ),
        (
            Mtx,
            mtx("coordinate real general", "% x\n3 3 3\n1 2 1\n\n% y\n3 1 2\n  % z\n1 2 1\n"),
            "9: the entry (1, 2) is already on line 4",
        ),
        (
            Mtx,
            mtx("coordinate pattern symmetric", "3 3 3\n2 1\n3 3\n1 2\n"),
            "5: the entry (1, 2) is already on line 3",
        ),
        (
            Mtx,
            mtx("coordinate unsigned-integer general", "2 2 1\n1 2 -1\n"),
            "3: expected an integer without a sign, found `-1`",
        ),
        (
            Mtx,
            mtx("coordinate unsigned-integer general", "%%GraphBLAS type no_t\n2 2 0\n"),
            "2: expected bool, a type such as int32_t",
        ),
        (Graph, "".into(), "1: expected the number of vertices, found the end of the line"),
        (Graph, "2 1 2\n2\n1\n".into(), "1: expected a format of up to three digits 0 or 1"),
        (Graph, "2 1 0011\n2\n1\n".into(), "1: expected a format of up to three digits 0 or 1"),
        (
            Graph,
            "2 1 10 0\n1 2\n1 1\n".into(),
            "1: expected a number of vertex weights that agrees",
        ),
        (
            Graph,
            "% x\n3 1\n2\n1\n".into(),
            "2: the header promises 3 vertices, a line each; the file has 2",
        ),
        (Graph, "2 1\n2\n1\n1\n".into(), "4: expected no more than blank lines after the last"),
        (
            Graph,
            "2 2\n2\n1\n".into(),
            "1: the header promises 4 neighbours (two an edge), the file has 2",
        ),
        (Graph, "2 1\n2\n3\n".into(), "3: expected a vertex from 1 to 2, found `3`"),
        (Graph, "2 1\n1\n2\n".into(), "2: expected a neighbour other than the vertex itself"),
        (Graph, "2 1 1\n2\n1 5\n".into(), "2: expected a weight, found the end of the line"),
        (
            Graph,
            "2 1 1\n2 4\n% x\n1 5\n".into(),
            "2: vertex 1 lists 2 with weight 4, but 2 does not",
        ),
        (Graph, "3 1\n\n% x\n3 1\n\n".into(), "4: vertex 2 lists 1 with weight 1, but 1 does not"),
        (
            Graph,
            "2 1 10\n\n1\n".into(),
            "2: expected a weight or size of the vertex, found the end",
        ),
        (El, "".into(), "1: expected an arc `<source> <destination> [<weight>]`, found none"),
        (El, "# x\n% y\n".into(), "3: expected an arc `<source> <destination> [<weight>]`"),
        (El, "1\n".into(), "1: expected a vertex, found the end of the line"),
        (
            El,
            "1 2\n1 2 3\n".into(),
            "1: the first line has two numbers, the lines after it 3; read as",
        ),
        (El, "0 1\n1 2\n1 2 3\n".into(), "3: expected the end of the line, found `3`"),
        (Wel, "1 2 3\n1 2\n".into(), "2: expected a weight, found the end of the line"),
        (Wel, "1 2 3\n1 2 3 4\n".into(), "2: expected the end of the line, found `4`"),
        (Wel, "1 2 3\n1 -2 3\n".into(), "2: expected a vertex, found `-2`"),
        (Wel, "a b c\n1 2 3\n".into(), "1: expected a vertex, found `a`"),
        (Wel, "1 2 inf\n".into(), "1: expected a finite weight, found `inf`"),
        (
            El,
            "0 1\n1 b\n".into(),
            "2: expected a vertex, found `b`; --ids names reads all ids as names; --format tsv",
        ),
        (
            El,
            "source target\n1 2\n".into(),
            "1: expected a vertex, found `source`; --ids names reads",
        ),
        (
            El,
            "1 2 road\n".into(),
            "1: expected a weight, found `road`; --columns 1,2 reads no weight",
        ),
        (El, "\u{0}1\u{0} \u{0}2".into(), "1: the text is in UTF-16; convert it to UTF-8"),
        (Net, "".into(), "1: expected a line `*Vertices <vertices>`, found the end of the line"),
        (Net, "*Network x\n1 2\n".into(), "2: expected a line `*Vertices <vertices>`, found `1`"),
        (Net, "*Vertices 2\n1 a\n3 b\n".into(), "3: expected a vertex from 1 to 2, found `3`"),
        (Net, "*Vertices 2\n1 a\n\n1 b\n".into(), "4: vertex 1 has a line already"),
        (Net, "*Vertices 2\n1 \"a\n".into(), "2: expected the quote that closes this label"),
        (Net, "*Vertices 2\n1 a\n*Matrix\n".into(), "3: expected *Arcs, *Edges, *Arcslist or"),
        (Net, "*Vertices 2\n*Arcs\n1 2 nan\n".into(), "3: expected a finite weight, found `nan`"),
        (Net, "*Vertices 2\n*Arcs\n1\n".into(), "3: expected a vertex from 1 to 2, found the end"),
        (Net, "*Vertices 900000000\n".into(), "1: the header promises 900000000 vertices"),
        (Matrix, "".into(), "1: expected a row of a matrix, found the end of the line"),
        (Matrix, "0 1\n2 0\n0 0\n".into(), "3: expected no more than 2 rows, as many as columns"),
        (Matrix, "0 1 2\n2 0 3\n".into(), "3: expected 3 rows, as many as columns, found 2"),
        (Matrix, "0,1\n2\n".into(), "2: expected 2 weights, found 1"),
        (Matrix, "0,1\n2,0,\n".into(), "2: expected 2 weights, found 3"),
        (Matrix, "0,1\n2,inf\n".into(), "2: expected a finite weight, found `inf`"),
        (Matrix, ",a,b\na,0,1\nc,1,0\n".into(), "3: expected the row of `b`, as the first line"),
        (Matrix, "a,a\n0,1\n1,0\n".into(), "1: two columns are named `a`"),
        (
            Matrix,
            "a,b\n0,1,2,3\n".into(),
            "2: expected 2 columns, as the first line names; found 4",
        ),
        (Graphml, "0 1\n".into(), "2: expected a <graph>, found the end"),
        (Graphml, "\n<svg/>".into(), "2: expected <graphml>, found <svg>"),
        (
            Graphml,
            graphml(
                "<key id='w' attr.name='weight'/><graph edgedefault='directed'>\n<node id='a'/>\n\
                 <edge source='a' target='a'><data key='w'>1\n<edge/></data></edge></graph>",
            ),
            "5: expected a weight, found <edge>",
        ),
        (Graphml, "<graphml>\n<graph>".into(), "2: expected an attribute edgedefault of <graph>"),
        (
            Graphml,
            "<graphml>\n<graph edgedefault='x'>".into(),
            "2: expected directed or undirected, found `x`",
        ),
        (
            Graphml,
            "<graphml>\n<graph edgedefault='directed'>\n".into(),
            "3: the file ends before its last tag",
        ),
        (
            Graphml,
            graphml("<graph edgedefault='directed'>\n<node/></graph>"),
            "3: expected an attribute id of <node>",
        ),
        (
            Graphml,
            graphml("<graph edgedefault='directed'>\n<node id='a'>\n</nodes>"),
            "4: this is not XML: ",
        ),
        (
            Graphml,
            graphml("<graph edgedefault='directed'>\n<node id='a'/>\n<node id='a'/></graph>"),
            "4: there are two nodes `a`",
        ),
        (
            Graphml,
            graphml(
                "<graph edgedefault='directed'>\n<node id='a'/>\n<edge source='a' target='b'/></graph>",
            ),
            "4: the file has no node `b`",
        ),
        (
            Graphml,
            graphml(
                "<key id='w' for='edge' attr.name='weight'/>\n<graph edgedefault='directed'>\n\
                 <node id='a'/><edge source='a' target='a'>\n<data key='w'>\nten</data></edge></graph>",
            ),
            "5: expected a weight, found `ten`",
        ),
        (
            Graphml,
            graphml(
                "<key id='w' for='edge' attr.name='weight'/>\n<graph edgedefault='directed'>\n\
                 <node id='a'/><edge source='a' target='a'><data key='w'>1</data></edge>\n\
                 <edge source='a' target='a'/></graph>",
            ),
            "5: the edge on line 4 has a `weight`, the one on line 5 has none",
        ),
        (
            Graphml,
            graphml("<graph edgedefault='directed'><node id='a'>\n<graph edgedefault='directed'/>"),
            "3: expected one <graph>, and none inside another",
        ),
        (
            Graphml,
            graphml("<graph edgedefault='directed'>\n<hyperedge/></graph>"),
            "3: expected no <hyperedge>",
        ),
        (
            Graphml,
            format!("<?xml version='1.0' encoding='ISO-8859-1'?>{}", graphml("")),
            "1: expected a text in UTF-8, found the encoding ISO-8859-1",
        ),
        (Csv, "1,,2\n".into(), "1: expected a vertex, found `,`"),
        (Csv, "1,2,\n".into(), "1: expected a weight, found the end of the line"),
        (Csv, "1,2\n1,2,\n".into(), "2: expected a weight, found the end of the line"),
        (Csv, "0,1\n1,2\n1,2,\n".into(), "3: expected the end of the line, found `,`"),
        (
            Csv,
            "1,99999999999999999999\n".into(),
            "1: expected a vertex, found `99999999999999999999`",
        ),
        (Csv, "1,2\n1,\u{1}\n".into(), "2: expected a vertex, found `\\u{1}`"),
    ];
    for (format, content, expected) in cases {
        let error = parse(*format, content.as_bytes()).unwrap_err().to_string();
        let expected = format!("<memory>:{expected}");
        assert!(error.starts_with(&expected), "{content:?}\n gives {error}\n  not {expected}");
    }
}

#[test]
fn the_line_is_right_far_into_a_file() {
    let mut lines: Vec<_> = (0..200_000).map(|i| format!("{i} {} 1", i + 1)).collect();
    lines[177_776] = "1 2 three".into();
    lines[199_000] = "also wrong".into();
    let error = parse(Format::Wel, lines.join("\n").as_bytes()).unwrap_err();
    let expected = "expected a weight, found `three`; --columns 1,2 reads no weight";
    assert_eq!(error.to_string(), format!("<memory>:177777: {expected}"));
}

#[test]
fn paths_that_cannot_be_read_or_written_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let graph = triangle();
    let io = |result: Result<(), GraphError>, name: &str| match result.unwrap_err() {
        GraphError::Io { path, .. } => assert_eq!(path, at(name)),
        other => panic!("{other}"),
    };
    std::fs::create_dir(at("folder.gr")).unwrap();
    io(read(at("missing.gr")).map(drop), "missing.gr");
    io(read(at("folder.gr")).map(drop), "folder.gr");
    io(write(at("folder.gr"), &graph), "folder.gr");
    io(write(at("no/folder/x.gr"), &graph), "no/folder/x.gr");
    for unknown in ["x", "x.doc", "x.gz", ".gr", "x.gr.zip"] {
        assert!(matches!(read(at(unknown)), Err(GraphError::UnknownFormat { .. })), "{unknown}");
    }
    for read_only in ["x.edges", "x.el", "x.e.gz", "x.metis.bz2", "x.txt"] {
        let error = write(at(read_only), &graph).unwrap_err().to_string();
        assert!(
            error
                .contains("expected one of .gr, .mtx, .graph, .wel, .csv, .tsv, .sg, .wsg or .spg"),
            "{error}"
        );
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing was left");
}

#[test]
fn what_a_format_cannot_hold_is_refused_and_nothing_written() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, graph: LoadedGraph, part: &str| {
        let error = write(folder.path().join(name), &graph).unwrap_err();
        assert!(matches!(error, GraphError::NotRepresentable { .. }), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    };
    let one = |weight: i64| {
        LoadedGraph::new(Csr::from_arcs(2, &[(0, 1, weight)]).unwrap(), Ids::FromZero)
    };
    let float = Csr::from_arcs(2, &[(0, 1, 1.0)]).unwrap();
    let float = LoadedGraph::new(float, Ids::FromZero);
    let empty = Csr::<u32>::from_arcs(2, &[]).unwrap();
    let empty = LoadedGraph::new(empty, Ids::FromZero);
    refused("x.gr", float.clone(), "weight 1.0 is a float, .gr holds integers");
    refused("x.wsg", float.clone(), "weight 1.0 is a float, .wsg holds integers");
    refused("x.wsg", one(1 << 31), "weight 2147483648 is beyond the 32 bits, with a sign");
    refused("x.graph", float, "weight 1.0 is a float, .graph holds positive integers");
    refused("x.graph", one(0), "weight 0 is not positive, .graph holds positive integers");
    refused("x.graph", one(7), "arc 0 -> 1 of weight 7 has no arc back");
    let pendant = Csr::from_edges(2, &[(0, 1, 2u32), (1, 1, 3)]).unwrap();
    refused(
        "x.graph",
        LoadedGraph::new(pendant, Ids::FromZero),
        "vertex 1, counted from 0, has an arc",
    );
    refused("x.sg", one(2), ".sg has no weights, and one is 2; write a .wsg file instead");
    refused("x.wel", empty, "an edge list cannot say how many vertices there are");
    let two = Csr::from_arcs(2, &[(0, 1, 1u32)]).unwrap();
    for names in [vec![4], vec![4, 4], vec![1, 2, 3]] {
        assert!(write_csr(folder.path().join("x.wel"), &two, &Ids::Listed(names)).is_err());
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_atomic_file_replaces_its_target_only_when_committed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    std::fs::write(&path, "old").unwrap();
    let mut dropped = AtomicFile::create(&path).unwrap();
    dropped.write_all(b"half").unwrap();
    dropped.flush().unwrap();
    drop(dropped);
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    let mut kept = AtomicFile::create(&path).unwrap();
    kept.write_all(b"new").unwrap();
    kept.commit().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"new");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn links_and_devices_are_written_through() {
    use std::os::unix::fs::FileTypeExt;
    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("target"), folder.path().join("link"));
    std::fs::write(&target, "old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let mut file = AtomicFile::create(&link).unwrap();
    file.write_all(b"new").unwrap();
    file.commit().unwrap();
    assert_eq!(std::fs::read(&target).unwrap(), b"new");
    assert!(link.is_symlink());
    std::fs::create_dir(folder.path().join("inner")).unwrap();
    let dangling = folder.path().join("dangling");
    std::os::unix::fs::symlink("inner/second", &dangling).unwrap();
    std::os::unix::fs::symlink("../new", folder.path().join("inner/second")).unwrap();
    let mut file = AtomicFile::create(&dangling).unwrap();
    file.write_all(b"first").unwrap();
    file.commit().unwrap();
    assert!(dangling.is_symlink());
    assert_eq!(std::fs::read(folder.path().join("new")).unwrap(), b"first");
    let cycle = folder.path().join("cycle");
    std::os::unix::fs::symlink("cycle", &cycle).unwrap();
    let error = AtomicFile::create(&cycle).unwrap_err().to_string();
    assert!(error.contains("symbolic links"), "{error}");
    let mut null = AtomicFile::create("/dev/null").unwrap();
    null.write_all(b"x").unwrap();
    null.commit().unwrap();
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}
