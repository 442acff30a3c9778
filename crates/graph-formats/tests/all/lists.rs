//! Edge lists and tables as people have them: headers, directions, names, columns.

use std::fmt::Write as _;
use std::fs;
use std::ops::ControlFlow;

use graph_formats::Format::{Csv, El, Tsv, Txt, Wel};
use graph_formats::{
    Base, Comment, Csr, Direction, EdgeListOptions, Format, GraphError, Header, IdKind, Ids,
    LoadedGraph, Name, NamesLost, Note, ReadOptions, Words, names_lost, parse, parse_with, read,
    read_with, write, write_ids,
};
use proptest::collection::vec;
use proptest::prelude::*;

pub(crate) fn with(
    format: Format,
    text: &str,
    edge_list: EdgeListOptions,
) -> Result<LoadedGraph, String> {
    let options = ReadOptions { format: Some(format), edge_list, ..Default::default() };
    parse_with(text.as_bytes(), &options).map_err(|error| error.to_string())
}

pub(crate) fn header(choice: Header) -> EdgeListOptions {
    EdgeListOptions { header: choice, ..Default::default() }
}

fn undirected(format: Format) -> ReadOptions {
    ReadOptions { format: Some(format), direction: Direction::Undirected, ..Default::default() }
}

/// The arcs by the names of their ends.
pub(crate) fn arcs(graph: &LoadedGraph) -> Vec<(String, String, f64)> {
    let csr = graph.csr.clone().into_csr::<f64>().unwrap();
    let name = |v| graph.ids.name(v).to_string();
    csr.arcs().map(|(u, v, w)| (name(u), name(v), w)).collect()
}

pub(crate) fn named(arcs: &[(&str, &str, f64)]) -> Vec<(String, String, f64)> {
    arcs.iter().map(|&(u, v, w)| (u.to_owned(), v.to_owned(), w)).collect()
}

fn shape(graph: &LoadedGraph) -> (usize, usize, &Ids) {
    (graph.csr.n_vertices(), graph.csr.n_arcs(), &graph.ids)
}

/// A published list of 62,586 vertices and 147,892 arcs was read as 147,893 vertices.
#[test]
fn a_header_is_no_arc() {
    let (n, m) = (62_586u64, 147_892u64);
    let mut list = format!("{n} {m}\n");
    for i in 0..m {
        writeln!(list, "{} {}", (i * 7919) % n, (i * 104_729 + 1) % n).unwrap();
    }
    let graph = parse(El, list.as_bytes()).unwrap();
    assert_eq!(shape(&graph), (n as usize, m as usize, &Ids::FromZero));
    assert_eq!(graph.notes, [Note::Header { n_vertices: n, n_lines: m, first: 0 }]);

    let weighted = with(Wel, "4 2\n1 2 9\n% x\n2 3 8\n", Default::default()).unwrap();
    assert_eq!(shape(&weighted), (4, 2, &Ids::FromOne));
    assert_eq!(
        weighted.notes[0].to_string(),
        "the first line is read as a header: 4 vertices, counted from 1, on 2 lines"
    );
}

#[test]
fn a_first_line_that_does_not_fit_is_an_arc() {
    let read = |text: &str| with(El, text, Default::default()).unwrap();
    // an id beyond, one line too few, no line at all
    for text in ["1 1\n0 1\n", "3 2\n2 3\n", "2 0\n", "5 7\n", "2 1\n2 0\n", "1 1\n2 1\n"] {
        let graph = read(text);
        assert_eq!(
            (graph.csr.n_arcs(), &graph.notes[..]),
            (text.lines().count(), &[][..]),
            "{text}"
        );
    }
    // out of proportion to the file
    assert_eq!(read("4000000000 1\n0 1\n").csr.n_vertices(), 3);
    // one that fits, as the rule has it
    assert_eq!(shape(&read("2 1\n0 1\n")), (2, 1, &Ids::FromZero));
    assert_eq!(shape(&read("2 1\n1 2\n")), (2, 1, &Ids::FromOne));
    let weighted = with(Wel, "5 3\n1 2 9\n2 3 8\n", Default::default()).unwrap_err();
    assert!(
        weighted.starts_with("<memory>:1: the first line has two numbers, the lines after it 3")
    );
    assert!(weighted.ends_with("the header promises 3 lines, the file has 2"), "{weighted}");
}

#[test]
fn a_header_is_had_or_left_by_force() {
    let no = with(El, "2 1\n0 1\n", header(Header::No)).unwrap();
    assert_eq!((shape(&no), &no.notes[..]), ((3, 2, &Ids::FromZero), &[][..]));
    let yes = with(El, "5 0\n", header(Header::Yes)).unwrap();
    assert_eq!(shape(&yes), (5, 0, &Ids::FromOne));
    for (text, expected) in [
        ("3 5\n0 1\n", "<memory>:1: the header promises 5 lines, the file has 1"),
        ("# x\n1 1\n0 1\n", "<memory>:2: the header promises 1 vertices, but there is an id 1"),
        ("0 1 7\n0 1 7\n", "<memory>:1: expected a header `<vertices> <lines>`, found `0`"),
        (
            "4000000000 1\n0 1\n",
            "<memory>:1: the header promises 4000000000 vertices, which a file of",
        ),
        ("5000000000 1\n0 1\n", "<memory>:1: 5000000000 vertices are more than 32-bit ids"),
    ] {
        let error = with(El, text, header(Header::Yes)).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn only_ids_that_occur_are_vertices() {
    let ids = |text: &str| with(El, text, Default::default()).unwrap().ids;
    assert_eq!(ids("0 1\n2 0\n"), Ids::FromZero);
    assert_eq!(ids("1 2\n3 1\n"), Ids::FromOne);
    assert_eq!(ids("0 2\n"), Ids::Listed(vec![0, 2]));
    assert_eq!(ids("2 3\n"), Ids::Listed(vec![2, 3]));
    assert_eq!(ids("7 7\n"), Ids::Listed(vec![7]));
    let far = u64::MAX;
    assert_eq!(ids(&format!("{far} 5\n3 {far}\n")), Ids::Listed(vec![3, 5, far]));
    let from_one = with(El, "1 2\n3 1\n", Default::default()).unwrap();
    assert_eq!(from_one.ids.vertex(0, 3), None);
    assert_eq!(arcs(&from_one), named(&[("1", "2", 1.0), ("3", "1", 1.0)]));
    let gaps = with(El, "9 4\n70 9\n", Default::default()).unwrap();
    assert_eq!(arcs(&gaps), named(&[("9", "4", 1.0), ("70", "9", 1.0)]));
}

#[test]
fn a_base_by_force_makes_all_ids_vertices() {
    let base = |base, text: &str| {
        with(El, text, EdgeListOptions { base: Some(base), ..Default::default() })
    };
    assert_eq!(shape(&base(Base::Zero, "2 5\n").unwrap()), (6, 1, &Ids::FromZero));
    assert_eq!(shape(&base(Base::One, "2 5\n").unwrap()), (5, 1, &Ids::FromOne));
    assert_eq!(shape(&base(Base::Zero, "4 2\n1 2\n2 3\n").unwrap()), (4, 2, &Ids::FromZero));
    assert_eq!(shape(&base(Base::Zero, "4 2\n1 2\n2 4\n").unwrap()), (5, 3, &Ids::FromZero));
    let error = base(Base::One, "3 1\n# x\n0 1\n").unwrap_err();
    assert_eq!(error, "<memory>:3: expected a vertex from 1 on, found `0`");
    let error = base(Base::Zero, "1 18446744073709551615\n").unwrap_err();
    assert!(error.contains("more than 32-bit ids can number"), "{error}");
    let error = with(Csv, "a,b\n", EdgeListOptions { base: Some(Base::One), ..Default::default() });
    assert!(error.unwrap_err().contains("ids are names"));
}

#[test]
fn an_undirected_list_is_read_both_ways() {
    let read = |text: &str| parse_with(text.as_bytes(), &undirected(Wel)).unwrap();
    let graph = read("0 1 3\n1 2 4\n2 2 5\n");
    let expected = Csr::from_edges(3, &[(0, 1, 3u32), (1, 2, 4), (2, 2, 5)]).unwrap();
    assert_eq!(graph, LoadedGraph::new(expected, Ids::FromZero));

    // an edge from both its ends is one edge, said once; equal lines are parallel edges
    let both = read("0 1 3\n1 0 3\n0 1 3\n");
    assert_eq!(both.csr, Csr::from_edges(2, &[(0, 1, 3u32), (0, 1, 3)]).unwrap().into());
    assert_eq!(both.notes, [Note::EdgesFromBothEnds { n_arcs: 1 }]);
    // of different weights they are two
    let two = read("0 1 3\n1 0 4\n");
    assert_eq!(two.csr, Csr::from_edges(2, &[(0, 1, 3u32), (1, 0, 4)]).unwrap().into());
    assert_eq!(two.notes, []);
}

#[test]
fn a_file_of_vertices_declares_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("x.e"), "10 30 0.5\n30 20 1.5\n").unwrap();
    fs::write(at("x.v"), "# ids\n40\n10\n20\n\n30\n20\n").unwrap();
    let format = Some(Format::Txt);
    let options = ReadOptions { format, ..Default::default() };
    let graph = read_with(at("x.e"), &options, &|_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(shape(&graph), (4, 2, &Ids::Listed(vec![10, 20, 30, 40])));
    assert!(graph.notes.contains(&Note::VertexFile { path: at("x.v"), n_vertices: 4 }));

    fs::write(at("x.v"), "1\n2\n3\n").unwrap();
    let error =
        read_with(at("x.e"), &options, &|_, _| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(error.contains("x.e:1: vertex `10` is not in") && error.ends_with("x.v"), "{error}");
    fs::write(at("x.v"), "1\n2 3\n").unwrap();
    let error =
        read_with(at("x.e"), &options, &|_, _| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(
        error.ends_with("x.v:2: expected a vertex, found `2 3`") || error.contains("x.e:1"),
        "{error}"
    );

    // a given file, with names, and with a list that has no arcs at all
    fs::write(at("names"), "AVAL\n\"A,B\"\nADEL\n").unwrap();
    let vertices = |text: &str| {
        with(Csv, text, EdgeListOptions { vertices: Some(at("names")), ..Default::default() })
    };
    let graph = vertices("source,target\n\"A,B\",AVAL\n").unwrap();
    assert_eq!((graph.csr.n_vertices(), arcs(&graph)), (3, named(&[("A,B", "AVAL", 1.0)])));
    assert_eq!(vertices("\n").unwrap().csr.n_vertices(), 3);
    assert!(
        vertices("AVAL,AVAR\n").unwrap_err().starts_with("<memory>:1: vertex `AVAR` is not in")
    );
    let missing = EdgeListOptions { vertices: Some(at("none")), ..Default::default() };
    assert!(with(El, "0 1\n", missing).unwrap_err().contains("none: No such file"));
}

#[test]
fn words_are_names() {
    let text = "AVAL,\"A, \"\"B\"\"\",2\r\n 007 , AVAL,3\nÉ,007,4\n";
    let graph = with(Csv, text, Default::default()).unwrap();
    let words: Words = ["007", "A, \"B\"", "AVAL", "É"].into_iter().collect();
    assert_eq!(shape(&graph), (4, 3, &Ids::Words(words)));
    let expected = [("007", "AVAL", 3.0), ("AVAL", "A, \"B\"", 2.0), ("É", "007", 4.0)];
    assert_eq!(arcs(&graph), named(&expected));
    assert_eq!(graph.ids.vertex("AVAL", 4), Some(2));
    assert_eq!(graph.ids.vertex(7, 4), None);

    // numbers first: a note tells of a word after them
    let mixed = with(Tsv, "1\t2\n2\tN/A\n", Default::default()).unwrap();
    assert_eq!(mixed.notes, [Note::Words { word: "N/A".into() }]);
    assert_eq!(mixed.ids.name(2), Name::Word("N/A"));
    // a line of unknown names is a heading only above a number
    assert_eq!(with(Csv, "p,q,n\nx,y,5\n", Default::default()).unwrap().csr.n_arcs(), 1);
    assert_eq!(with(Csv, "p,q\nx,y\n", Default::default()).unwrap().csr.n_arcs(), 2);
    assert_eq!(with(Csv, "from,to\nx,y\n", header(Header::No)).unwrap().csr.n_arcs(), 2);
    assert_eq!(with(Csv, "p,q\nx,y\n", header(Header::Yes)).unwrap().csr.n_arcs(), 1);
}

#[test]
fn words_and_numbers_are_the_same_over_all_pieces_of_a_file() {
    let (n, m) = (5_000u64, 150_000u64);
    let pairs = || (0..m).map(|i| ((i * 31) % n, (i * 17 + 3) % n));
    let words: String = pairs().map(|(u, v)| format!("n{u:04},n{v:04}\n")).collect();
    let numbers: String = pairs().map(|(u, v)| format!("\"{u}\",{v}\n")).collect();
    let words = with(Csv, &words, Default::default()).unwrap();
    let numbers = with(Csv, &numbers, Default::default()).unwrap();
    assert_eq!(words.csr, numbers.csr);
    assert_eq!((words.ids.name(77), &numbers.ids), (Name::Word("n0077"), &Ids::FromZero));
}

#[test]
fn malformed_tables_are_refused_with_their_line() {
    for (text, expected) in [
        ("a,\"b\n", "1: expected the quote that closes this field, found the end of the line"),
        ("0,1\n\"0\"x,1\n", "2: expected the end of the quoted field, found `x`"),
        ("0,1\n0\n", "2: expected a vertex, found the end of the line"),
        ("0,1,2\n0,1\n", "2: expected a weight, found the end of the line"),
        ("0,1\n0,1,1,2\n", "2: expected the end of the line, found `,`"),
        ("a,b,1\nb,c,x\n", "2: expected a weight, found `x`"),
        ("a,b,1\nb,,2\n", "2: expected a vertex, found `,`"),
        ("a,b,1\nb,\u{7},2\n", "2: expected a vertex, found `\\u{7}`"),
        ("0;1;0,5\n", "1: expected a weight, found `0,5`"),
        ("source,target,x\n0,1\n", "2: expected 3 columns, as the first line names; found 2"),
        ("source,target\n", "2: expected an arc"),
        ("1,99999999999999999999\n", "1: expected a vertex, found `99999999999999999999`"),
    ] {
        let error = with(Csv, text, Default::default()).unwrap_err();
        assert!(error.starts_with(&format!("<memory>:{expected}")), "{text:?}\n gives {error}");
    }
    let late = "1,2\n".repeat(100_000) + "1,x\n";
    let error = with(Csv, &late, Default::default()).unwrap_err();
    assert!(error.starts_with("<memory>:100001: expected a vertex, found `x`"), "{error}");
    let invalid = parse(Csv, b"a,\xFF\n").unwrap_err().to_string();
    assert!(invalid.starts_with("<memory>:1: expected UTF-8, found"), "{invalid}");
}

#[test]
fn choices_for_edge_lists_are_refused_elsewhere() {
    let error = with(Format::Gr, "p sp 1 0\n", header(Header::No)).unwrap_err();
    assert!(error.ends_with("are of edge lists, not of .gr"), "{error}");
    for wrong in ["", "a", "a,", ",b", "a,b,c,d", "0,1", "a,b,"] {
        assert!(wrong.parse::<graph_formats::Columns>().is_err(), "{wrong}");
    }
}

#[test]
fn names_are_kept_or_their_change_is_known() {
    let words = || Ids::Words(["x"].into_iter().collect());
    for (format, ids, lost) in [
        (Format::Gr, Ids::FromZero, Some(NamesLost::Shifted { from: 0, to: 1 })),
        (Format::Wsg, Ids::FromOne, Some(NamesLost::Shifted { from: 1, to: 0 })),
        (Format::Sg, Ids::FromZero, None),
        (Format::Mtx, words(), Some(NamesLost::Renumbered { first: 1 })),
        (Format::Spg, words(), None),
        (Format::Csv, words(), None),
    ] {
        assert_eq!(names_lost(format, &ids), lost, "{format:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.ids");
    write_ids(&path, &Ids::Listed(vec![4, 7]), 2).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "4\n7\n");
    let graph = LoadedGraph::new(Csr::from_arcs(1, &[(0, 0, 1u32)]).unwrap(), words());
    let error = write(folder.path().join("x.wel"), &graph).unwrap_err();
    assert!(matches!(error, GraphError::NotRepresentable { .. }), "{error}");
}

proptest! {
    #[test]
    fn tables_of_words_come_back(
        list in vec(("\\PC{1,4}", "\\PC{1,4}", any::<i32>()), 1..12),
        suffix in prop::sample::select(vec!["csv", "tsv", "csv.gz"]),
    ) {
        let words: Words = list.iter().flat_map(|arc| [arc.0.trim(), arc.1.trim()]).collect();
        prop_assume!(list.iter().all(|arc| !arc.0.trim().is_empty() && !arc.1.trim().is_empty()));
        prop_assume!(words.iter().any(|word| !word.bytes().all(|byte| byte.is_ascii_digit())));
        let vertex = |word: &str| words.position(word.trim()).unwrap() as u32;
        let arcs: Vec<_> = list.iter().map(|(u, v, w)| (vertex(u), vertex(v), *w)).collect();
        let csr = Csr::from_arcs(words.len(), &arcs).unwrap();
        let graph = LoadedGraph::new(csr, Ids::Words(words));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("x.{suffix}"));
        write(&path, &graph).unwrap();
        let found = read(&path).unwrap();
        prop_assert_eq!(&found.ids, &graph.ids);
        prop_assert_eq!(found.csr.into_csr::<i64>().unwrap(), graph.csr.into_csr::<i64>().unwrap());
    }

    #[test]
    fn a_written_undirected_list_is_read_back_undirected(
        edges in vec((0..9u32, 0..9u32, 0..3u32), 1..20),
    ) {
        let graph = Csr::from_edges(9, &edges).unwrap();
        let text: String = graph.arcs().map(|(u, v, w)| format!("{u} {v} {w}\n")).collect();
        let edge_list = EdgeListOptions { base: Some(Base::Zero), ..Default::default() };
        let options = ReadOptions { edge_list, ..undirected(Wel) };
        let found = parse_with(text.as_bytes(), &options).unwrap();
        let last = edges.iter().map(|edge| edge.0.max(edge.1)).max().unwrap();
        let expected = Csr::from_edges(last as usize + 1, &edges).unwrap();
        prop_assert_eq!(found.csr, expected.into());
    }

    #[test]
    fn random_tables_are_survived(
        text in "([a-c0-9\"#%,;\t \r\n.-]|source|target|\"\"|,,){0,80}",
        choice in 0..3u8,
        by in prop::option::of(prop::sample::select(vec!["1,2", "source,target", "2,1,3", "a,b"])),
        both_ways in any::<bool>(),
        base in prop::option::of(any::<bool>()),
        marks in 0..3u8,
        kind in 0..3u8,
    ) {
        let direction = if both_ways { Direction::Undirected } else { Direction::Directed };
        let edge_list = EdgeListOptions {
            header: [Header::Auto, Header::Yes, Header::No][usize::from(choice)],
            base: base.map(|one| if one { Base::One } else { Base::Zero }),
            columns: by.map(|by| by.parse().unwrap()),
            vertices: None,
            comment: [Comment::Auto, Comment::None, Comment::Mark(b'#')][usize::from(marks)],
            ids: [IdKind::Auto, IdKind::Numbers, IdKind::Names][usize::from(kind)],
        };
        for format in [El, Wel, Txt, Csv, Tsv] {
            let (format, edge_list) = (Some(format), edge_list.clone());
            let options = ReadOptions { format, direction, edge_list };
            let Ok(graph) = parse_with(text.as_bytes(), &options) else { continue };
            for v in 0..graph.csr.n_vertices().min(9) as u32 {
                let name = graph.ids.name(v);
                prop_assert_eq!(graph.ids.vertex(name, graph.csr.n_vertices()), Some(v));
            }
        }
    }
}
