//! A graph that is written and read again is the same graph, as far as the format can
//! say; and what other tools write is read as they mean it.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::sync::Mutex;

use graph_formats::{
    AnyCsr, Comment, Csr, Direction, EdgeListOptions, Format, GraphError, Ids, LoadedGraph, Name,
    Note, ReadOptions, Weight, WeightKind, parse, parse_with, read, read_with, with_csr, write_csr,
};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

use crate::common::read_until;

const MAX_VERTICES: usize = 30;

/// A graph, directed or not, of up to [`MAX_VERTICES`] vertices, and names for them.
fn graphs<W: Weight>(
    weights: impl Strategy<Value = W> + Clone + 'static,
) -> impl Strategy<Value = (Csr<W>, Ids)> {
    (0..MAX_VERTICES, any::<bool>()).prop_flat_map(move |(n, undirected)| {
        let ends = 0..n.max(1) as u32;
        let most = if n == 0 { 0 } else { 3 * MAX_VERTICES };
        let arcs = vec((ends.clone(), ends, weights.clone()), 0..=most);
        let names = prop_oneof![
            Just(Ids::FromZero),
            Just(Ids::FromOne),
            btree_set(any::<u64>(), n).prop_map(|names| Ids::Listed(names.into_iter().collect())),
            btree_set("[a-zé]{1,9}", n)
                .prop_map(|names| Ids::Words(names.iter().map(String::as_str).collect())),
        ];
        (arcs, names).prop_map(move |(arcs, names)| {
            let graph =
                if undirected { Csr::from_edges(n, &arcs) } else { Csr::from_arcs(n, &arcs) };
            (graph.unwrap(), names)
        })
    })
}

/// The graph after it has been a file of this name, and compressed as well.
fn through<W: Weight>(suffix: &str, graph: &Csr<W>, ids: &Ids) -> LoadedGraph {
    let folder = tempfile::tempdir().unwrap();
    let [plain, packed] = ["", ".gz"].map(|gz| {
        let path = folder.path().join(format!("x.{suffix}{gz}"));
        write_csr(&path, graph, ids).unwrap();
        read(&path).unwrap()
    });
    assert_eq!(plain, packed);
    plain
}

fn arcs_of<W: Weight>(graph: AnyCsr) -> Vec<(u32, u32, W)> {
    graph.into_csr::<W>().unwrap().arcs().collect()
}

/// The formats that keep weights exactly, with all that they keep.
fn survives<W: Weight>(graph: &Csr<W>, ids: &Ids) -> Result<(), TestCaseError>
where
    AnyCsr: From<Csr<W>>,
{
    let whole = LoadedGraph::new(graph.clone(), ids.clone());
    prop_assert_eq!(through("spg", graph, ids), whole);

    let is_simple = |v| graph.arcs_from(v).map(|arc| arc.0).collect::<Vec<_>>();
    let is_simple = |v| is_simple(v).windows(2).all(|pair| pair[0] != pair[1]);
    if graph.vertices().all(is_simple) {
        let matrix = through("mtx", graph, ids);
        prop_assert_eq!(&matrix.csr, &AnyCsr::from(graph.clone()), "direction and type are kept");
        prop_assert_eq!(matrix.ids, Ids::FromOne);
    } else {
        let folder = tempfile::tempdir().unwrap();
        prop_assert!(write_csr(folder.path().join("x.mtx"), graph, ids).is_err());
    }

    if graph.n_arcs() > 0 && !matches!(ids, Ids::Words(_)) {
        let list = through("wel", graph, ids);
        let found: Vec<_> = arcs_of::<W>(list.csr)
            .into_iter()
            .map(|(u, v, w)| (list.ids.name(u), list.ids.name(v), w))
            .collect();
        let expected: Vec<_> =
            graph.arcs().map(|(u, v, w)| (ids.name(u), ids.name(v), w)).collect();
        prop_assert_eq!(found, expected);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn u32_graphs_survive((graph, ids) in graphs(any::<u32>())) { survives(&graph, &ids)?; }
    #[test]
    fn u64_graphs_survive((graph, ids) in graphs(any::<u64>())) { survives(&graph, &ids)?; }
    #[test]
    fn i64_graphs_survive((graph, ids) in graphs(any::<i64>())) { survives(&graph, &ids)?; }
    #[test]
    fn f32_graphs_survive((graph, ids) in graphs(finite_f32())) { survives(&graph, &ids)?; }
    #[test]
    fn f64_graphs_survive((graph, ids) in graphs(finite_f64())) { survives(&graph, &ids)?; }

    #[test]
    fn integers_survive_dimacs_and_gapbs((graph, ids) in graphs(any::<i32>())) {
        survives(&graph, &ids)?;
        let roads = through("gr", &graph, &ids);
        prop_assert_eq!(roads.ids, Ids::FromOne);
        prop_assert_eq!(arcs_of::<i32>(roads.csr), graph.arcs().collect::<Vec<_>>());
        let serialised = through("wsg", &graph, &ids);
        prop_assert_eq!(serialised.ids, Ids::FromZero);
        let serialised = serialised.csr.into_csr::<i32>().unwrap();
        prop_assert_eq!(serialised, graph);
    }

    #[test]
    fn unweighted_graphs_survive_gapbs((graph, ids) in graphs(Just(1u32))) {
        prop_assert_eq!(through("sg", &graph, &ids).csr, AnyCsr::U32(graph));
    }

    #[test]
    fn undirected_graphs_survive_metis((graph, ids) in graphs(prop_oneof![Just(1u32), 1..9u32])) {
        let edges: Vec<_> = graph.arcs().filter(|&(u, v, _)| u < v).collect();
        let graph = Csr::from_edges(graph.n_vertices(), &edges).unwrap();
        let found = through("graph", &graph, &ids);
        prop_assert_eq!(found, LoadedGraph::new(graph, Ids::FromOne));
    }

    #[test]
    fn metis_files_are_read_as_they_are_meant(
        n in 1..MAX_VERTICES,
        edges in vec((0..MAX_VERTICES as u32, 0..MAX_VERTICES as u32, 1..9u32), 0..MAX_VERTICES),
        sizes in any::<bool>(),
        vertex_weights in prop::option::of(1..4usize),
        edge_weights in any::<bool>(),
    ) {
        let n_vertices = n as u32;
        let edges: Vec<_> = edges
            .into_iter()
            .map(|(u, v, w)| (u % n_vertices, v % n_vertices, if edge_weights { w } else { 1 }))
            .filter(|&(u, v, _)| u != v)
            .collect();
        let graph = Csr::from_edges(n, &edges).unwrap();
        let flags = [sizes, vertex_weights.is_some(), edge_weights].map(u8::from);
        let mut text = format!("% made up\n{n} {} {}{}{}", edges.len(), flags[0], flags[1], flags[2]);
        if let Some(count) = vertex_weights {
            write!(text, " {count}").unwrap();
        }
        text.push('\n');
        for u in graph.vertices() {
            let before = vec!["7"; usize::from(sizes) + vertex_weights.unwrap_or(0)];
            text.push_str(&before.join(" "));
            for (v, w) in graph.arcs_from(u) {
                write!(text, " {}", v + 1).unwrap();
                if edge_weights {
                    write!(text, " {w}").unwrap();
                }
            }
            text.push_str("\n% between\n");
        }
        let found = parse(Format::Graph, text.as_bytes()).unwrap();
        prop_assert_eq!(found, LoadedGraph::new(graph, Ids::FromOne));
    }

    #[test]
    fn edge_lists_are_read_whatever_parts_their_fields(
        arcs in vec((0..MAX_VERTICES as u32, 0..MAX_VERTICES as u32, 0..9u32), 1..MAX_VERTICES),
        separator in prop::sample::select(vec![" ", "\t", ",", ";", " , ", "  ; "]),
        end in prop::sample::select(vec!["\n", "\r\n", " \n", "\n\n# x\n", "\n  # x\n"]),
        format in prop::sample::select(vec![Format::Csv, Format::Tsv]),
        heading in prop::sample::select(vec!["", "from|to|weight\n", "\u{FEFF}u|v|w\n", "# c\n\"pre\"|\"post\"|\"cost\"\n"]),
    ) {
        let mut text = heading.replace('|', separator);
        for (u, v, w) in &arcs {
            write!(text, "{u}{separator}{v}{separator}{w}{end}").unwrap();
        }
        let csr = Csr::from_arcs(MAX_VERTICES, &arcs).unwrap();
        let edge_list = EdgeListOptions { comment: Comment::Mark(b'#'), ..Default::default() };
        let options = ReadOptions { format: Some(format), edge_list, ..Default::default() };
        let found = parse_with(text.as_bytes(), &options).unwrap();
        let names = |v| found.ids.name(v).to_string().parse().unwrap();
        let back: Vec<_> = arcs_of::<u32>(found.csr.clone())
            .into_iter()
            .map(|(u, v, w)| (names(u), names(v), w))
            .collect();
        prop_assert_eq!(back, csr.arcs().collect::<Vec<_>>());
        let is_said = |note: &Note| matches!(note, Note::WeightColumn { .. });
        prop_assert_eq!(found.notes.iter().any(is_said), heading.is_empty());
    }

    #[test]
    fn sparse_ids_map_back(arcs in vec((any::<u64>(), any::<u64>()), 1..MAX_VERTICES)) {
        let text: String = arcs.iter().map(|(u, v)| format!("{u} {v}\n")).collect();
        let found = parse(Format::El, text.as_bytes()).unwrap();
        let name = |v| match found.ids.name(v) {
            Name::Number(name) => name,
            Name::Word(word) => panic!("{word} was a number"),
        };
        let arcs_back = arcs_of::<u32>(found.csr.clone()).into_iter();
        let mut back: Vec<_> = arcs_back.map(|(u, v, _)| (name(u), name(v))).collect();
        let mut arcs = arcs;
        back.sort_unstable();
        arcs.sort_unstable();
        prop_assert_eq!(back, arcs);
    }
}

fn finite_f32() -> impl Strategy<Value = f32> + Clone {
    use prop::num::f32::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    NORMAL | SUBNORMAL | ZERO | POSITIVE | NEGATIVE
}

fn finite_f64() -> impl Strategy<Value = f64> + Clone {
    use prop::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    NORMAL | SUBNORMAL | ZERO | POSITIVE | NEGATIVE
}

#[test]
fn skew_symmetric_matrices_turn_the_sign_and_symmetric_ones_do_not() {
    let arcs = |symmetry: &str| {
        let text = format!(
            "%%matrixmarket MATRIX coordinate Integer {symmetry}\n% x\n\n3 3 2\n2 1 5\n\n3 2 -6\n"
        );
        let graph = parse(Format::Mtx, text.as_bytes()).unwrap().csr.into_csr::<i32>().unwrap();
        (graph.direction(), graph.arcs().collect::<Vec<_>>())
    };
    let turned = vec![(0, 1, -5), (1, 0, 5), (1, 2, 6), (2, 1, -6)];
    assert_eq!(arcs("skew-symmetric"), (Direction::Directed, turned));
    let same = vec![(0, 1, 5), (1, 0, 5), (1, 2, -6), (2, 1, -6)];
    assert_eq!(arcs("symmetric"), (Direction::Undirected, same));
    assert_eq!(arcs("general"), (Direction::Directed, vec![(1, 0, 5), (2, 1, -6)]));
}

#[test]
fn values_of_an_integer_type_are_kept_exactly_beside_some_with_a_point() {
    let weights = |kind: &str, first: &str, second: &str| {
        let text = format!(
            "%%MatrixMarket matrix coordinate real general\n%%GraphBLAS type {kind}\n\
             2 2 2\n1 2 {first}\n2 1 {second}\n"
        );
        let csr = parse(Format::Mtx, text.as_bytes()).unwrap().csr;
        with_csr!(csr, |csr| csr.weights().iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let greatest = u64::MAX.to_string();
    assert_eq!(weights("uint64_t", &greatest, "1.0"), [greatest.as_str(), "1"]);
    assert_eq!(weights("uint64_t", "9007199254740993", "1.0"), ["9007199254740993", "1"]);
    assert_eq!(weights("int64_t", "1e0", "9007199254740993.0"), ["1", "9007199254740993"]);
    let greatest = i64::MAX.to_string();
    assert_eq!(weights("int64_t", &greatest, "-2.0"), [greatest.as_str(), "-2"]);
}

#[test]
fn lines_that_begin_with_two_percent_signs_are_comments_but_for_the_known_one() {
    let header = "%%MatrixMarket matrix coordinate unsigned-integer general";
    let comments = "%%\n%% x\n%%GraphBLAS\n%%GraphBLAS GrB_INT64\n%%graphblas TYPE int16_t\n";
    let text = format!("{header}\n{comments}2 2 1\n%%MatrixMarket\n1 2 7\n");
    let csr = parse(Format::Mtx, text.as_bytes()).unwrap().csr;
    assert_eq!((csr.kind(), csr.n_arcs()), (WeightKind::I32, 1));
}

#[test]
fn weights_take_the_smallest_type_over_all_pieces_of_a_file() {
    let kind = |first: &str, last: &str| {
        let body = "0 1 7\n".repeat(200_000);
        let text = format!("0 1 {first}\n{body}0 1 {last}\n");
        parse(Format::Wel, text.as_bytes()).map(|graph| graph.csr.kind().to_string())
    };
    assert_eq!(kind("7", "7").unwrap(), "u32");
    assert_eq!(kind("-7", "7").unwrap(), "i32");
    assert_eq!(kind("7", "-2147483649").unwrap(), "i64");
    assert_eq!(kind("4294967296", "7").unwrap(), "u64");
    assert_eq!(kind("18446744073709551615", "9.0").unwrap(), "f64");
    let error = kind("18446744073709551615", "-7").unwrap_err().to_string();
    assert!(error.starts_with("<memory>:200002: no integer type holds both"), "{error}");
}

#[test]
fn the_rows_of_a_long_metis_file_are_its_vertices() {
    let n = 100_000;
    let mut text = format!("{n} {n}\n");
    for v in 0..n {
        let comment = if v % 7 == 0 { "% seven\n" } else { "" };
        writeln!(text, "{comment}{} {}", (v + n - 1) % n + 1, (v + 1) % n + 1).unwrap();
    }
    let ring = parse(Format::Graph, text.as_bytes()).unwrap().csr.into_csr::<u32>().unwrap();
    assert_eq!((ring.n_vertices(), ring.direction()), (n, Direction::Undirected));
    assert!(ring.arcs_from(77_777).eq([(77_776, 1), (77_778, 1)]));
}

#[test]
fn reading_can_be_ended() {
    let folder = tempfile::tempdir().unwrap();
    let arcs: Vec<_> = (0..300_000).map(|v| (v, v + 1, v)).collect();
    let graph = Csr::from_arcs(300_001, &arcs).unwrap();
    for name in ["x.gr", "x.mtx", "x.wel", "x.wel.gz", "x.wsg", "x.spg"] {
        let path = folder.path().join(name);
        write_csr(&path, &graph, &Ids::FromZero).unwrap();
        for last in [1, 2, 3] {
            let read = read_until(&path, last);
            assert!(matches!(read, Err(GraphError::Interrupted(_))), "{name}, {last}: {read:?}");
        }
    }
}

#[test]
fn progress_ends_at_the_size_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let arcs: Vec<_> = (0..60_000).map(|v| (v, v + 1, v)).collect();
    let graph = Csr::from_arcs(60_001, &arcs).unwrap();
    for name in ["x.gr", "x.mtx", "x.wel", "x.wel.gz", "x.wsg", "x.spg"] {
        let path = folder.path().join(name);
        write_csr(&path, &graph, &Ids::FromZero).unwrap();
        let size = std::fs::metadata(&path).unwrap().len();
        let reports = Mutex::new(Vec::new());
        let report = |done, total| {
            reports.lock().unwrap().push((done, total));
            ControlFlow::Continue(())
        };
        read_with(&path, &ReadOptions::default(), &report).unwrap();
        let reports = reports.into_inner().unwrap();
        assert!(reports.iter().all(|&(done, total)| done <= total && total == size), "{name}");
        assert_eq!(reports.iter().map(|report| report.0).max(), Some(size), "{name}");
    }
}

#[test]
fn lists_in_which_every_arc_has_its_reverse_are_undirected() {
    for (format, text, expected) in [
        (Format::Gr, "p sp 3 4\na 1 2 5\na 2 1 5\na 2 3 0\na 3 2 0\n", Direction::Undirected),
        (Format::Gr, "p sp 3 3\na 1 2 5\na 2 1 5\na 2 3 0\n", Direction::Directed),
        (Format::Gr, "p sp 3 0\n", Direction::Directed),
        (Format::Wel, "0 1 5\n1 0 5\n1 1 2\n", Direction::Undirected),
        (Format::Wel, "0 1 5\n1 0 4\n", Direction::Directed),
        (Format::Wel, "0 1 5\n0 1 5\n1 0 5\n", Direction::Directed),
        (Format::El, "0 1\n0 1\n1 0\n1 0\n", Direction::Undirected),
        (Format::El, "1 1\n2 2\n", Direction::Directed),
        (Format::Csv, "a,b\nb,a\n", Direction::Undirected),
        // a matrix says which it is
        (
            Format::Mtx,
            "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 5\n2 1 5\n",
            Direction::Directed,
        ),
    ] {
        let csr = parse(format, text.as_bytes()).unwrap().csr;
        assert_eq!(with_csr!(csr, |graph| graph.direction()), expected, "{text}");
    }
}
