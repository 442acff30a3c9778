//! Which columns of an edge list are which, by their names and by their places.

use graph_formats::Format::{Csv, Tsv, Txt, Wel};
use graph_formats::{EdgeListOptions, Header, Note};

use crate::lists::{arcs, header, named, with};

fn columns(columns: &str) -> EdgeListOptions {
    EdgeListOptions { columns: Some(columns.parse().unwrap()), ..Default::default() }
}

#[test]
fn columns_are_found_by_their_names() {
    let table = "id;Weight;pre_id;type;post_id\n1;0.5;7;x;9\n2;2.5;9;\"a;b\";7\n";
    let graph = with(Csv, table, Default::default()).unwrap();
    assert_eq!(arcs(&graph), named(&[("7", "9", 0.5), ("9", "7", 2.5)]));
    let unread = Note::UnreadColumns { names: vec!["id".into(), "type".into()], weighted: true };
    assert_eq!(graph.notes, [unread]);

    let count = with(Tsv, "\tsource\ttarget\n0\t7\t9\n", Default::default()).unwrap();
    assert_eq!(arcs(&count), named(&[("7", "9", 1.0)]));
    assert!(count.notes[0].to_string().ends_with("; without a weight, all arcs weigh 1"));

    let by = |by: &str| with(Csv, table, columns(by)).map(|graph| arcs(&graph));
    assert_eq!(by("pre_id,post_id,ID").unwrap(), named(&[("7", "9", 1.0), ("9", "7", 2.0)]));
    assert_eq!(by("5,3").unwrap(), named(&[("7", "9", 1.0), ("9", "7", 1.0)]));
    assert_eq!(
        by("pre,post_id").unwrap_err(),
        "<memory>:1: no column is called `pre`; the columns are id, Weight, pre_id, type, post_id"
    );
    assert_eq!(
        by("1,6").unwrap_err(),
        "<memory>:2: there is no column 6; there are 5, counted from 1"
    );
    assert!(by("3,3").unwrap_err().contains("must be different columns"));
    // also in a list that is no table
    let graph = with(Txt, "1 9 2 5\n2 9 1 6\n", columns("1,3,4")).unwrap();
    assert_eq!(arcs(&graph), named(&[("1", "2", 5.0), ("2", "1", 6.0)]));
}

/// pandas names columns 0, 1 and so on, after an unnamed one that numbers the rows.
#[test]
fn columns_may_be_named_by_numbers() {
    let forced = |text: &str| with(Csv, text, header(Header::Yes)).unwrap();
    let names =
        |names: &[&str]| Note::Heading { names: names.iter().copied().map(Into::into).collect() };
    for two in ["0,1\n5,6\n6,7\n", "2,2\n5,6\n6,7\n", "x,y\n5,6\n6,7\n"] {
        let graph = forced(two);
        assert_eq!(arcs(&graph), named(&[("5", "6", 1.0), ("6", "7", 1.0)]), "{two}");
        assert!(matches!(&graph.notes[..], [Note::Heading { .. }]), "{:?}", graph.notes);
    }
    assert_eq!(arcs(&forced("0,1,2\n5,6,7\n")), named(&[("5", "6", 7.0)]));

    let auto = |text: &str| with(Csv, text, Default::default()).unwrap();
    // over words, or after an empty name, it cannot be an arc
    for (text, arc) in [
        ("0,1\na,b\n", ("a", "b", 1.0)),
        ("0,1,2\na,b,5\n", ("a", "b", 5.0)),
        (",0,1\n0,5,6\n", ("5", "6", 1.0)),
        (",0,1,2\n0,5,6,7\n", ("5", "6", 7.0)),
        (",a,b\n0,5,6\n", ("5", "6", 1.0)),
    ] {
        assert_eq!(arcs(&auto(text)), named(&[arc]), "{text}");
    }
    assert_eq!(
        auto(",0,1\n0,5,6\n").notes,
        [
            names(&["", "0", "1"]),
            Note::UnreadColumns { names: vec![String::new()], weighted: false }
        ]
    );
    // otherwise it may be one, and a note says so, unless the caller decides
    let graph = auto("0,1\n5,6\n");
    assert_eq!((graph.csr.n_arcs(), &graph.notes[..]), (2, &[Note::MaybeHeading][..]));
    let graph = with(Csv, "0,1\n5,6\n", header(Header::No)).unwrap();
    assert_eq!((graph.csr.n_arcs(), &graph.notes[..]), (2, &[][..]));
}

#[test]
fn a_weight_comes_before_a_length() {
    for heading in ["from,to,length,weight", "from,to,cost,W"] {
        let graph = with(Csv, &format!("{heading}\n5,6,2,9\n"), Default::default()).unwrap();
        assert_eq!(arcs(&graph), named(&[("5", "6", 9.0)]), "{heading}");
    }
    let length = with(Csv, "distance,from,to,length\n1,5,6,2\n", Default::default()).unwrap();
    assert_eq!(arcs(&length), named(&[("5", "6", 2.0)]));
}

#[test]
fn no_column_is_a_weight_in_silence() {
    let notes = |format, text: &str| with(format, text, Default::default()).unwrap().notes;
    let third = [Note::WeightColumn { number: 3, name: None }];
    assert_eq!(notes(Csv, "0,1,5\n"), third);
    assert_eq!(notes(Txt, "0 1 5\n"), third);
    assert_eq!(notes(Wel, "0 1 5\n"), []);
    assert_eq!(notes(Csv, "source,target,weight\n0,1,5\n"), []);
    let names: Vec<String> = ["a", "b", "strength"].map(Into::into).into();
    assert_eq!(
        notes(Csv, "a,b,strength\n0,1,5\n"),
        [Note::Heading { names }, Note::WeightColumn { number: 3, name: Some("strength".into()) }]
    );
    for (format, text) in [(Csv, "0,1,5,6\n"), (Csv, "a,b,c,d\n0,1,5,6\n"), (Wel, "0 1 5 6\n")] {
        let error = with(format, text, Default::default()).unwrap_err();
        assert!(error.contains("there are 4 columns; name those of source, target"), "{error}");
        assert!(error.contains("--columns"), "{error}");
    }
}
