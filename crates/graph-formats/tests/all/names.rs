//! Names of vertices as people have them, with `#`, `%`, quotes, blanks and zeros in them: none
//! vanishes, none becomes another, and what is written is read back.

use std::fs;
use std::path::Path;

use graph_formats::Format::{Csv, El, Tsv, Txt};
use graph_formats::{
    Comment, Csr, EdgeListOptions, Header, IdKind, Ids, LoadedGraph, Note, Words, id_line,
    id_of_line, read, read_coordinates, write, write_coordinates, write_ids,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::lists::with;

fn comment(comment: Comment) -> EdgeListOptions {
    EdgeListOptions { comment, ..Default::default() }
}

fn kind(ids: IdKind) -> EdgeListOptions {
    EdgeListOptions { ids, ..Default::default() }
}

fn words(words: &[&str]) -> Ids {
    Ids::Words(words.iter().copied().collect())
}

/// The number of comment lines in the notes.
fn n_comments(graph: &LoadedGraph) -> Option<u64> {
    graph.notes.iter().find_map(|note| match note {
        Note::Comments { n_lines } => Some(*n_lines),
        _ => None,
    })
}

#[test]
fn rows_of_a_table_are_no_comments() {
    for format in [Csv, Tsv] {
        let table = "name,to\n#a,#b\n#b,%c\n%c,#a\n";
        let options = EdgeListOptions { header: Header::Yes, ..Default::default() };
        let graph = with(format, table, options).unwrap();
        assert_eq!((graph.csr.n_arcs(), &graph.ids), (3, &words(&["#a", "#b", "%c"])));
        assert_eq!(n_comments(&graph), None);
        // also in the first line
        let graph = with(format, "#from,to\n#a,#b\n", Default::default()).unwrap();
        assert_eq!((graph.csr.n_arcs(), graph.ids.vertex("#from", 4)), (2, Some(2)));
        assert_eq!(graph.notes, [Note::NoComment { mark: '#' }]);
        let none = with(format, "#from,to\n#a,#b\n", comment(Comment::None)).unwrap();
        assert_eq!((none.csr, &none.notes[..]), (graph.csr, &[][..]));
    }
    let error = with(Csv, "% made by hand\nfrom,to\na,b\n", Default::default()).unwrap_err();
    assert_eq!(
        error,
        "<memory>:1: the first line starts with % and has other fields than the next; --comment \
         '%' skips such lines"
    );
}

#[test]
fn comments_of_a_table_are_asked_for_and_counted() {
    let table = "# made by hand\nfrom,to\n#a,b\n%b,c\n\n#c,d\n";
    let graph = with(Csv, table, comment(Comment::Mark(b'#'))).unwrap();
    assert_eq!((graph.csr.n_arcs(), &graph.ids), (1, &words(&["%b", "c"])));
    assert_eq!(graph.notes, [Note::Comments { n_lines: 3 }]);
    assert_eq!(graph.notes[0].to_string(), "3 lines are comments");
}

#[test]
fn comments_of_a_list_are_counted() {
    let list = "# Nodes: 3\n0 1\n% y\n # z\n1 2\n# end";
    for format in [El, Txt] {
        let graph = with(format, list, Default::default()).unwrap();
        assert_eq!((graph.csr.n_arcs(), n_comments(&graph)), (2, Some(4)));
    }
    let error = with(El, list, comment(Comment::None)).unwrap_err();
    assert_eq!(error, "<memory>:1: expected a vertex, found `#`");
    let error = with(El, list, comment(Comment::Mark(b'#'))).unwrap_err();
    assert_eq!(error, "<memory>:3: expected a vertex, found `%`");
    // in every piece of a file that is read by several threads
    let long = "# x\n0 1\n".repeat(50_000);
    assert_eq!(n_comments(&with(El, &long, Default::default()).unwrap()), Some(50_000));
}

#[test]
fn a_file_of_vertices_has_names_as_they_stand() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("names");
    fs::write(&path, "Route\nRoute #9\n#1\nA, B\n\"C \"\"D\"\"\"\n\"E\" F\n").unwrap();
    let options = || EdgeListOptions { vertices: Some(path.clone()), ..Default::default() };
    let graph = with(Csv, "Route #9,#1\n\"A, B\",\"C \"\"D\"\"\"\n", options()).unwrap();
    let expected = words(&["Route", "Route #9", "#1", "A, B", "C \"D\"", "\"E\" F"]);
    assert_eq!((&graph.ids, n_comments(&graph)), (&expected, None));
    // beside a list, or where they are asked for, comments are counted with those of the list
    fs::write(&path, "# ids\n0\n1\n2\n").unwrap();
    let graph = with(El, "# arcs\n0 1\n", options()).unwrap();
    assert_eq!((graph.csr.n_vertices(), n_comments(&graph)), (3, Some(2)));
    let options = EdgeListOptions { comment: Comment::Mark(b'#'), ..options() };
    assert_eq!(n_comments(&with(Csv, "0,1\n", options).unwrap()), Some(1));
}

/// Counties: `06001` and 6001 were one vertex.
#[test]
fn ids_with_leading_zeros_are_names() {
    for table in ["06001,6001,3\n6001,6002,4\n", "\"06001\",\"6001\",3\n\"6001\",6002,4\n"] {
        let graph = with(Csv, table, Default::default()).unwrap();
        assert_eq!((graph.csr.n_arcs(), &graph.ids), (2, &words(&["06001", "6001", "6002"])));
        let note = "ids are read as names, because `06001` has leading zeros; --ids numbers ignores \
                    leading zeros";
        assert!(graph.notes.iter().any(|said| said.to_string() == note), "{:?}", graph.notes);
        assert_eq!(graph.ids.vertex(6001, 3), graph.ids.vertex("6001", 3));
        assert_eq!(graph.ids.vertex("006001", 3), None);
        let numbers = with(Csv, table, kind(IdKind::Numbers)).unwrap();
        assert_eq!((numbers.csr.n_arcs(), &numbers.ids), (2, &Ids::Listed(vec![6001, 6002])));
    }
    // what has another spelling is another vertex, wherever it is asked for
    for ids in [Ids::FromZero, Ids::FromOne, Ids::Listed(vec![0, 7, 9])] {
        for name in ["00", "07", "01", "+1", ""] {
            assert_eq!(ids.vertex(name, 9), None, "{name}");
        }
    }
    assert_eq!(Ids::FromZero.vertex("0", 1), Some(0));
}

#[test]
fn lists_have_numbers_unless_told() {
    for (format, list) in [(El, "6001 7\n6001 06001\n"), (Txt, "6001 7\n06001 6001\n")] {
        let error = with(format, list, Default::default()).unwrap_err();
        assert_eq!(
            error,
            "<memory>:2: expected a vertex, found `06001`; --ids numbers ignores leading zeros, \
             --ids names keeps them as a part of the name"
        );
        let numbers = with(format, list, kind(IdKind::Numbers)).unwrap();
        assert_eq!(numbers.ids, Ids::Listed(vec![7, 6001]));
        let names = with(format, list, kind(IdKind::Names)).unwrap();
        assert_eq!(names.ids, words(&["06001", "6001", "7"]));
    }
    let names = with(Txt, "\"Route #9\" b 5\n", kind(IdKind::Names)).unwrap();
    assert_eq!(names.ids, words(&["Route #9", "b"]));
    // a zero is a zero, in every column
    assert_eq!(with(El, "0 1\n1 0\n", Default::default()).unwrap().ids, Ids::FromZero);
    assert_eq!(with(Csv, "0,1,007\n", Default::default()).unwrap().ids, Ids::FromZero);
}

/// Names that the first lines do not show.
#[test]
fn ids_are_names_where_that_is_said() {
    let hint = "--ids names reads all ids as names";
    let late = "1,2\n".repeat(100_000) + "1,x\n";
    let error = with(Csv, &late, Default::default()).unwrap_err();
    assert_eq!(error, format!("<memory>:100001: expected a vertex, found `x`; {hint}"));
    assert_eq!(with(Csv, &late, kind(IdKind::Names)).unwrap().ids, words(&["1", "2", "x"]));
    let padded = "1,2\n".repeat(100_000) + "1,02\n";
    let error = with(Csv, &padded, Default::default()).unwrap_err();
    assert!(
        error.ends_with(
            "found `02`; --ids numbers ignores leading zeros, --ids names keeps them as a part of the name"
        ),
        "{error}"
    );
    assert_eq!(with(Csv, &padded, kind(IdKind::Numbers)).unwrap().ids, Ids::FromOne);

    let wide = "18446744073709551615,18446744073709551616\n";
    assert!(with(Csv, wide, Default::default()).unwrap_err().ends_with(hint));
    assert_eq!(with(Csv, wide, kind(IdKind::Names)).unwrap().csr.n_vertices(), 2);
    let error = with(Csv, "a,b\n", kind(IdKind::Numbers)).unwrap_err();
    assert!(error.starts_with("<memory>:1: expected a vertex, found `a`"), "{error}");
}

#[test]
fn files_beside_a_graph_keep_leading_zeros() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("names"), "06001\n6001\n").unwrap();
    let options = |ids| EdgeListOptions { vertices: Some(at("names")), ids, ..Default::default() };
    let graph = with(Csv, "06001,6001\n", options(IdKind::Auto)).unwrap();
    assert_eq!(graph.ids, words(&["06001", "6001"]));
    let numbers = with(Csv, "06001,6001\n", options(IdKind::Numbers)).unwrap();
    assert_eq!(numbers.ids, Ids::Listed(vec![6001]));
    fs::write(at("names"), "6001\n6002\n").unwrap();
    let error = with(Csv, "06001,6002\n", options(IdKind::Auto)).unwrap_err();
    assert!(error.starts_with("<memory>:1: vertex `06001` is not in"), "{error}");
    let names = with(El, "6001 6002\n", options(IdKind::Names)).unwrap();
    assert_eq!(names.ids, words(&["6001", "6002"]));

    fs::write(at("x.csv"), "06001,1,2\n6001,3,4\n").unwrap();
    fs::write(at("x.co"), "v 06001 1 2\nv 6001 3 4\n").unwrap();
    for name in ["x.csv", "x.co"] {
        let positions = read_coordinates(at(name), &graph.ids, 2).unwrap();
        assert_eq!(positions, [[1.0, 2.0], [3.0, 4.0]]);
        assert!(read_coordinates(at(name), &Ids::Listed(vec![6001]), 1).is_err());
    }
}

/// A word of printable characters, often of those that files have uses of their own for.
fn name() -> impl Strategy<Value = String> {
    let name = prop_oneof!["\\PC{1,6}", "[#%\"0-2 ,;x\u{a0}]{1,5}", "0{1,3}[1-9]{0,2}"];
    name.prop_map(|name| name.trim_ascii().to_owned())
        .prop_filter("a name", |name| !name.is_empty())
}

/// The names in a file of ids.
fn ids_of(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| id_of_line(line).into_owned()).collect()
}

proptest! {
    #[test]
    fn an_id_comes_back_from_its_line(name in "[\"# \\PC]{1,6}") {
        let line = id_line(name.as_str().into());
        prop_assert_eq!(id_of_line(&line), name);
    }

    /// Through every file that has names: tables, lists of ids and positions.
    #[test]
    fn names_come_back(
        arcs in vec((name(), name(), 0..9u32), 1..12),
        suffix in prop::sample::select(vec!["csv", "tsv", "spg"]),
    ) {
        let names: Words = arcs.iter().flat_map(|(u, v, _)| [&**u, v]).collect();
        // numbers that are spelled as numbers are read as numbers
        let is_number = |name: &str| name.parse().is_ok_and(|n: u64| n.to_string() == name);
        prop_assume!(!names.iter().all(is_number));
        let n = names.len();
        let vertex = |name: &str| names.position(name).unwrap() as u32;
        let arcs: Vec<_> = arcs.iter().map(|(u, v, w)| (vertex(u), vertex(v), *w)).collect();
        let graph = LoadedGraph::new(Csr::from_arcs(n, &arcs).unwrap(), Ids::Words(names.clone()));
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let table = at(&format!("x.{suffix}"));
        write(&table, &graph).unwrap();
        let found = read(&table).unwrap();
        prop_assert_eq!(&found.ids, &graph.ids);
        prop_assert_eq!(found.csr.into_csr::<i64>().unwrap(), graph.csr.into_csr::<i64>().unwrap());

        write_ids(at("x.ids"), &found.ids, n).unwrap();
        prop_assert!(ids_of(&at("x.ids")).iter().eq(names.iter()));
        let vertices = Some(at("x.ids"));
        let options = EdgeListOptions { vertices, ..Default::default() };
        let first = names.get(0).replace('"', "\"\"");
        let declared = with(Csv, &format!("from,to\n\"{first}\",\"{first}\"\n"), options);
        prop_assert_eq!(declared.unwrap().ids, graph.ids);

        let positions: Vec<_> = (0..n).map(|v| [v as f64, -1.0]).collect();
        write_coordinates(at("x.at.csv"), &found.ids, &positions).unwrap();
        prop_assert_eq!(read_coordinates(at("x.at.csv"), &found.ids, n).unwrap(), positions);
    }
}
