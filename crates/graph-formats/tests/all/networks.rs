//! GraphML, Pajek's networks, DIMACS edges and matrices as other programs write them; and any file
//! read as undirected.

use std::fs;
use std::ops::ControlFlow;

use graph_formats::Format::{Gr, Graphml, Matrix, Mtx, Net};
use graph_formats::{
    Csr, Direction, EdgeListOptions, Format, GraphError, Header, Ids, LoadedGraph, Note,
    ReadOptions, parse, parse_with, read, read_with, write, write_attached,
};
use proptest::prelude::*;

use crate::lists::{arcs, named, with};

fn graph(format: Format, text: &str) -> LoadedGraph {
    parse(format, text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn direction(graph: &LoadedGraph) -> Direction {
    graph.csr.direction()
}

/// As OSMnx writes it with NetworkX: ids are numbers, and lengths are strings.
#[test]
fn a_road_network_in_graphml_has_its_ids_and_lengths() {
    let text = r#"<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d6" for="edge" attr.name="name" attr.type="string" />
  <key id="d5" for="edge" attr.name="length" attr.type="string" />
  <key id="d2" for="node" attr.name="length" attr.type="double" />
  <key id="d0" for="graph" attr.name="crs" attr.type="string" />
  <graph edgedefault="directed">
    <node id="53085390"><data key="d2">-122.2</data></node>
    <node id="53085387" />
    <edge source="53085387" target="53085390" id="0">
      <data key="d5">12.5</data>
      <data key="d6">A &amp; &lt;B&gt;</data>
    </edge>
    <edge source="53085390" target="53085387" id="0">
      <data key="d5"> 13.25
      </data>
    </edge>
    <data key="d0">epsg:4326</data>
  </graph>
</graphml>
"#;
    let found = graph(Graphml, text);
    assert_eq!(found.ids, Ids::Listed(vec![53_085_387, 53_085_390]));
    assert_eq!(found.csr, Csr::from_arcs(2, &[(0, 1, 12.5), (1, 0, 13.25)]).unwrap().into());
    assert_eq!(found.notes, [Note::WeightKey { name: "length".to_owned() }]);
}

/// NetworkX has a key for each type of an attribute.
#[test]
fn weights_of_graphml_are_those_of_all_keys_of_that_name() {
    let text = r#"<graphml xmlns:g="http://graphml.graphdrawing.org/xmlns">
  <key id="d1" for="edge" attr.name="weight" attr.type="double" />
  <key id="d0" for="edge" attr.name="weight" attr.type="long"><default>7</default></key>
  <key id="d2" for="edge" attr.name="length"><default>99</default></key>
  <graph edgedefault="undirected">
    <node id="c" /><node id="a &amp; b" /><node id="d" /><node id="z" />
    <edge source="a &amp; b" target="c"><data key="d0">3</data><data key="d2">1</data></edge>
    <edge source="c" target="d"><data key="d1">0.5</data></edge>
    <edge source="d" target="d" />
    <edge source="a &amp; b" target="z" directed="true"><data key="d0"><![CDATA[4]]></data></edge>
  </graph>
</graphml>"#;
    let found = graph(Graphml, text);
    let expected = [
        ("a & b", "c", 3.0),
        ("a & b", "z", 4.0),
        ("c", "a & b", 3.0),
        ("c", "d", 0.5),
        ("d", "c", 0.5),
        ("d", "d", 7.0),
    ];
    assert_eq!(arcs(&found), named(&expected));
    assert_eq!((direction(&found), &found.notes[..]), (Direction::Directed, &[][..]));

    let path = r#"<graphml><graph edgedefault="undirected"><node id="0"/><node id="1"/>
        <edge source="1" target="0"/></graph></graphml>"#;
    let found = graph(Graphml, path);
    assert_eq!(found.csr, Csr::from_edges(2, &[(0, 1, 1u32)]).unwrap().into());
    assert_eq!((found.ids, found.notes), (Ids::FromZero, vec![Note::NoWeight]));
}

#[test]
fn graphml_is_read_compressed_in_any_pieces_and_refused_if_a_tag_is_too_long() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let n = 60_000;
    let mut text = "<graphml><key id='w' for='edge' attr.name='weight'/>\n\
                    <graph edgedefault='directed'>\n"
        .to_owned();
    (0..n).for_each(|v| text += &format!("<node id='n{v:06}'/>\n"));
    for v in 1..n {
        text += &format!(
            "<edge source='n{:06}' target='n{v:06}'><data key='w'>{v}</data></edge>\n",
            v / 2
        );
    }
    let whole = format!("{text}</graph></graphml>");
    let mut zipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut zipped, whole.as_bytes()).unwrap();
    fs::write(at("tree.graphml.gz"), zipped.finish().unwrap()).unwrap();
    let found = read(at("tree.graphml.gz")).unwrap();
    let expected: Vec<_> = (1..n).map(|v| (v / 2, v, v)).collect();
    assert_eq!(found.csr, Csr::from_arcs(n as usize, &expected).unwrap().into());
    assert_eq!(found.ids.vertex("n000123", n as usize), Some(123));

    let wrong = whole.replace("<data key='w'>59000<", "<data key='w'>x<");
    let error = parse(Graphml, wrong.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, format!("<memory>:{}: expected a weight, found `x`", 2 + n + 59_000));

    let long = format!("<graphml>\n<graph edgedefault='{}'", "x".repeat(20 << 20));
    let error = parse(Graphml, long.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "<memory>:2: a tag or a text is longer than 16777216 bytes");
    fs::write(at("wide.graphml"), [0xFF, 0xFE, b'<', 0]).unwrap();
    let error = read(at("wide.graphml")).unwrap_err().to_string();
    assert!(error.contains("wide.graphml:1: the text is in UTF-16"), "{error}");
}

#[test]
fn labels_of_pajek_are_names_if_they_tell_vertices_apart() {
    let found = graph(
        Net,
        "*Network roads\n% a comment\n*Vertices 4\n2 \"b b\" 0.5 0.5 ic Red\n1 c\n3 a\n\
         4 \"d\"\n*Arcs :1 \"first\"\n1 2 5 c Blue\n2 1\n*EDGES\n3 4 -2.5 l \"x\"\n4 4\n\
         *Arcslist\n1 3 4\n*Edgeslist\n2 3\n",
    );
    let expected = [
        ("a", "b b", 1.0),
        ("a", "d", -2.5),
        ("b b", "a", 1.0),
        ("b b", "c", 1.0),
        ("c", "a", 1.0),
        ("c", "b b", 5.0),
        ("c", "d", 1.0),
        ("d", "a", -2.5),
        ("d", "d", 1.0),
    ];
    assert_eq!((arcs(&found), &found.notes[..]), (named(&expected), &[][..]));

    // as NetworkX writes numbers
    let numbers =
        graph(Net, "*vertices 2\n1 1 0.0 0.0 ellipse\n2 0 0.0 0.0 ellipse\n*arcs\n1 2 1.0\n");
    assert_eq!(numbers.csr, Csr::from_arcs(2, &[(1, 0, 1.0)]).unwrap().into());
    assert_eq!(numbers.ids, Ids::FromZero);

    let edges = graph(Net, "*Vertices 3\n*Edges\n1 2 3\n1 2 3\n");
    let expected = Csr::from_edges(3, &[(0, 1, 3u32), (0, 1, 3)]).unwrap();
    assert_eq!(edges, LoadedGraph::new(expected, Ids::FromOne));

    for (vertices, vertex) in [("1 a\n2 b\n3 a\n", 3), ("1 a\n3 b\n", 2), ("1 a\n2 \"\"\n3 b\n", 2)]
    {
        let found = graph(Net, &format!("*Vertices 3\n{vertices}*Arcs\n1 3\n"));
        assert_eq!((found.ids, found.notes), (Ids::FromOne, vec![Note::Labels { vertex }]));
    }
}

#[test]
fn matrices_are_tables_of_weights_with_or_without_names() {
    let expected = [("0", "1", 5.0), ("1", "2", -2.0), ("2", "0", 0.5)];
    for text in ["0 5 0\n0 0 -2\n0.5 0 0\n", "# x\n,5,\n,,-2\n5e-1,,0.0", "\t5\t\n\t\t-2\n.5\t\t\n"]
    {
        let found = graph(Matrix, text);
        assert_eq!((arcs(&found), &found.notes[..]), (named(&expected), &[][..]), "{text}");
        assert_eq!(found.ids, Ids::FromZero);
    }
    // of a row and a column of names, of one of them, and of R's, with no field above the names
    let expected = [("a", "c", 1.0), ("b", "c", 5.0), ("c", "a", -2.0)];
    for text in [
        ",b,c,a\nb,0,5,0\nc,0,0,-2\na,0,1,0\n",
        "b;c;a\n0;5;0\n0;0;-2\n0;1;0\n",
        "\"b\" \"c\" \"a\"\n\"b\" 0 5 0\n\"c\" 0 0 -2\n\"a\" 0 1 0\n",
        "name,b,c,a\nb,0,5,0\nc,0,0,-2\na,0,1,0\n",
    ] {
        let found = graph(Matrix, text);
        assert_eq!((arcs(&found), &found.notes[..]), (named(&expected), &[][..]), "{text}");
    }
    let symmetric = graph(Matrix, "0,2,0\n2,0,3\n0,3,4\n");
    let edges = Csr::from_edges(3, &[(0, 1, 2u32), (1, 2, 3), (2, 2, 4)]).unwrap();
    assert_eq!(symmetric.csr, edges.into());

    // names that are numbers, or weights
    let text = ",10,20\n10,,3\n20,4,\n";
    let found = graph(Matrix, text);
    assert_eq!(arcs(&found), named(&[("10", "20", 3.0), ("20", "10", 4.0)]));
    assert_eq!(found.notes, [Note::NamedRows]);
    let header = |header| EdgeListOptions { header, ..Default::default() };
    assert_eq!(with(Matrix, text, header(Header::No)).unwrap().csr.n_arcs(), 6);
    let found = with(Matrix, "10,20\n0,3\n4,0\n", header(Header::Yes)).unwrap();
    assert_eq!(arcs(&found), named(&[("10", "20", 3.0), ("20", "10", 4.0)]));
    let base = EdgeListOptions { base: Some(graph_formats::Base::One), ..Default::default() };
    assert!(with(Matrix, text, base).unwrap_err().contains("are of edge lists, not of .matrix"));
}

#[test]
fn dimacs_edges_are_edges_from_either_or_both_ends() {
    let expected = Csr::from_edges(3, &[(0, 1, 1u32), (1, 2, 1)]).unwrap();
    let once = graph(Gr, "c x\np edge 3 2\nn 1 4\ne 2 1\ne 2 3\n");
    assert_eq!(once, LoadedGraph::new(expected.clone(), Ids::FromOne));
    let twice = graph(Gr, "p col 3 4\ne 2 1\ne 2 3\ne 1 2\ne 3 2\n");
    assert_eq!(twice.csr, expected.into());
    assert_eq!(twice.notes, [Note::EdgesFromBothEnds { n_arcs: 2 }]);
    let folder = tempfile::tempdir().unwrap();
    let error = write(folder.path().join("x.col"), &once).unwrap_err();
    assert!(matches!(error, GraphError::UnknownFormat { .. }));
    fs::write(folder.path().join("x.col"), "p edge 1 0\n").unwrap();
    assert_eq!(read(folder.path().join("x.col")).unwrap().csr.n_vertices(), 1);
}

#[test]
fn a_matrix_market_file_may_begin_with_one_percent_sign() {
    let text = "%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 7\n";
    assert_eq!(graph(Mtx, text), graph(Mtx, &format!("%{text}")));
}

fn undirected(format: Option<Format>) -> ReadOptions {
    ReadOptions { format, direction: Direction::Undirected, ..Default::default() }
}

/// The arcs of a directed graph are edges on demand, in every format; the edges of a file stay.
#[test]
fn every_format_is_read_as_undirected_on_demand() {
    let folder = tempfile::tempdir().unwrap();
    let list = [(0, 1, 1u32), (1, 0, 1), (1, 2, 1), (2, 2, 1), (3, 1, 1), (3, 4, 1)];
    let directed = Csr::from_arcs(5, &list).unwrap();
    let edges = [(0, 1, 1), (1, 2, 1), (2, 2, 1), (3, 1, 1), (3, 4, 1)];
    let expected = Csr::from_edges(5, &edges).unwrap();
    for suffix in ["gr", "mtx", "wel", "csv", "tsv", "sg", "wsg", "spg"] {
        let path = folder.path().join(format!("x.{suffix}"));
        for graph in [&directed, &expected] {
            write(&path, &LoadedGraph::new(graph.clone(), Ids::FromZero)).unwrap();
            let found = read_with(&path, &undirected(None), &|_, _| ControlFlow::Continue(()));
            assert_eq!(found.unwrap().csr.into_csr::<u32>().unwrap(), expected, "{suffix}");
        }
    }
    let texts = [
        (Net, "*Vertices 5\n*Arcs\n1 2\n2 1\n2 3\n3 3\n4 2\n*Edges\n4 5\n"),
        (Matrix, "0 1 0 0 0\n1 0 1 0 0\n0 0 1 0 0\n0 1 0 0 1\n0 0 0 0 0\n"),
        (
            Graphml,
            "<graphml><graph edgedefault='directed'><node id='0'/><node id='1'/><node id='2'/>\
             <node id='3'/><node id='4'/><edge source='0' target='1'/><edge source='1' target='0'/>\
             <edge source='1' target='2'/><edge source='2' target='2'/><edge source='3' \
             target='1'/><edge source='3' target='4'/></graph></graphml>",
        ),
    ];
    for (format, text) in texts {
        let found = parse_with(text.as_bytes(), &undirected(Some(format))).unwrap();
        assert_eq!(found.csr.into_csr::<u32>().unwrap(), expected, "{format:?}");
    }
    let metis = parse_with(b"2 1\n2\n1\n", &undirected(Some(Format::Graph))).unwrap();
    assert_eq!((metis.csr.n_arcs(), metis.notes), (2, vec![]));

    // what was prepared for arcs is not for edges
    let path = folder.path().join("x.prepared");
    write_attached(&path, &directed, &Ids::FromZero, *b"COLOURS1", &[]).unwrap();
    let error = read_with(&path, &undirected(None), &|_, _| ControlFlow::Continue(()));
    assert!(error.unwrap_err().to_string().contains("prepared for arcs of one direction"));
}

proptest! {
    /// Rows of a binary file are in any order, and their edges are the same.
    #[test]
    fn rows_in_any_order_give_the_same_edges(
        arcs in prop::collection::vec((0..4u32, 0..4u32, 0..3u32), 1..12).prop_shuffle(),
    ) {
        let mut rows: Vec<Vec<(u32, u32)>> = vec![Vec::new(); 4];
        arcs.iter().for_each(|&(u, v, w)| rows[u as usize].push((v, w)));
        let ends: Vec<u64> = rows.iter().scan(0, |end, row| {
            *end += row.len() as u64;
            Some(*end)
        }).collect();
        let offsets = [&[0], &ends[..]].concat();
        let all = rows.concat();
        let columns: Vec<u32> = all.iter().map(|arc| arc.0).collect();
        let weights: Vec<u32> = all.iter().map(|arc| arc.1).collect();
        let unsorted = Csr::new(offsets, columns, weights).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let read = |graph: Csr<u32>| {
            let path = folder.path().join("x.spg");
            write(&path, &LoadedGraph::new(graph, Ids::FromZero)).unwrap();
            read_with(&path, &undirected(None), &|_, _| ControlFlow::Continue(())).unwrap().csr
        };
        prop_assert_eq!(read(unsorted), read(Csr::from_arcs(4, &arcs).unwrap()));
    }
}

/// What others put into a file does not end an edge early.
#[test]
fn elements_of_graphml_that_are_not_known_are_passed_over() {
    let text = "<graphml><key id='w' attr.name='weight'/><key id='c' attr.name='colour'/>\
                <graph edgedefault='directed'><node id='a'><edge/><data key='w'>7</data></node>\
                <edge source='a' target='a'><data key='c'><edge/><key/><default>3</default></data>\
                <data key='w'>5</data></edge></graph></graphml>";
    let found = parse(Graphml, text.as_bytes()).unwrap();
    assert!(found.csr.n_arcs() == 1);
    assert_eq!(found.csr.into_csr::<u32>().unwrap().weights(), [5]);
}
