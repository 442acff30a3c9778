//! Names of vertices as people have them, with `#`, `%`, quotes, blanks and zeros in them: none
//! vanishes, none becomes another, and what is written is read back.

use std::fs;
use std::path::Path;

use graph_formats::Format::{Csv, El, Tsv, Txt};
use graph_formats::{
    Comment, Csr, EdgeListOptions, Format, Header, Ids, LoadedGraph, Note, Words, id_line,
    id_of_line, parse_with, read, read_coordinates, write, write_coordinates, write_ids,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn with(format: Format, text: &str, options: EdgeListOptions) -> Result<LoadedGraph, String> {
    parse_with(format, text.as_bytes(), &options).map_err(|error| error.to_string())
}

fn comment(comment: Comment) -> EdgeListOptions {
    EdgeListOptions { comment, ..Default::default() }
}

fn words(words: &[&str]) -> Ids {
    Ids::Words(words.iter().copied().collect())
}

/// What the lines of comment of a text are counted as.
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
         '%' passes over such lines"
    );
}

#[test]
fn comments_of_a_table_are_asked_for_and_counted() {
    let table = "# made by hand\nfrom,to\n#a,b\n%b,c\n\n#c,d\n";
    let graph = with(Csv, table, comment(Comment::Mark(b'#'))).unwrap();
    assert_eq!((graph.csr.n_arcs(), &graph.ids), (1, &words(&["%b", "c"])));
    assert_eq!(graph.notes, [Note::Comments { n_lines: 3 }]);
    assert_eq!(graph.notes[0].to_string(), "3 lines are passed over as comments");
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

/// A word of printable characters, often of those that files have uses of their own for.
fn name() -> impl Strategy<Value = String> {
    let name = prop_oneof!["\\PC{1,6}", "[#%\"1-2 ,;x\u{a0}]{1,5}"];
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
