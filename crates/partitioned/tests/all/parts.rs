//! Parts from a graph in memory, from draws and from a file are the same.

use std::fs;

use collectives::{Communicator, Threads};
use graph_formats::generate::{
    Duplicates, GraphOptions, RmatConfig, UniformConfig, VertexNumbering, rmat, uniform,
};
use graph_formats::{AnyCsr, Csr, Direction, Ids, LoadedGraph, write};
use partitioned::{Part, PartitionedError};

/// The parts, by rank, as text: all that they have.
fn parts(
    n_ranks: usize,
    part: impl Fn(&Threads) -> Result<Part, PartitionedError> + Sync,
) -> Vec<String> {
    Threads::run(n_ranks, |ranks| part(ranks).map(|part| format!("{part:?}"))).unwrap()
}

fn of_graph(n_ranks: usize, graph: &AnyCsr) -> Vec<String> {
    parts(n_ranks, |ranks| Part::of_graph(ranks, Some(graph)))
}

#[test]
fn drawn_parts_are_those_of_the_generator() {
    for direction in [Direction::Directed, Direction::Undirected] {
        for duplicates in [Duplicates::Drop, Duplicates::Keep] {
            let options =
                GraphOptions { direction, duplicates, seed: 5, ..GraphOptions::default() };
            let config = RmatConfig {
                scale: 7,
                numbering: VertexNumbering::AsDrawn,
                options: options.clone(),
                ..RmatConfig::default()
            };
            let graph = rmat(&config).unwrap().into();
            let draws = config.draws().unwrap();
            for n_ranks in 1..=4 {
                let drawn = parts(n_ranks, |ranks| Part::drawn(ranks, &draws));
                assert_eq!(drawn, of_graph(n_ranks, &graph));
            }
            let config = UniformConfig { n_vertices: 90, n_edges: 300, options };
            let graph = uniform(&config).unwrap().into();
            let draws = config.draws().unwrap();
            let drawn = parts(3, |ranks| Part::drawn(ranks, &draws));
            assert_eq!(drawn, of_graph(3, &graph));
        }
    }
}

#[test]
fn parts_of_a_file_are_those_of_its_graph() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.spg");
    let edges: Vec<_> = (0..300u32).map(|e| (e * 7 % 60, e * e % 59, e % 11)).collect();
    let scaled =
        |by: f64| -> Vec<_> { edges.iter().map(|&(u, v, w)| (u, v, f64::from(w) * by)).collect() };
    let signed: Vec<_> = edges.iter().map(|&(u, v, w)| (u, v, i64::from(w))).collect();
    let ones: Vec<_> = edges.iter().map(|&(u, v, _)| (u, v, 1u32)).collect();
    let graphs: [AnyCsr; 6] = [
        Csr::from_edges(60, &edges).unwrap().into(),
        Csr::from_arcs(61, &edges).unwrap().into(),
        Csr::from_arcs(60, &scaled(0.5)).unwrap().into(),
        Csr::from_edges(60, &signed).unwrap().into(),
        Csr::from_edges(60, &ones).unwrap().into(),
        Csr::<u32>::from_arcs(0, &[]).unwrap().into(),
    ];
    for graph in graphs {
        write(
            &path,
            &LoadedGraph { csr: graph.clone(), ..LoadedGraph::new(empty(), Ids::FromZero) },
        )
        .unwrap();
        for n_ranks in 1..=4 {
            let read = parts(n_ranks, |ranks| Part::read(ranks, &path, false));
            assert_eq!(read, of_graph(n_ranks, &graph));
            let read = parts(n_ranks, |ranks| Part::read(ranks, &path, true));
            assert_eq!(read, of_graph(n_ranks, &graph.unweighted().into()));
        }
    }
}

fn empty() -> Csr<u32> {
    Csr::from_arcs(0, &[]).unwrap()
}

#[test]
fn files_that_cannot_be_read_are_errors_on_all_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.spg");
    let read = || {
        let parts = Threads::run(3, |ranks| {
            Ok::<_, PartitionedError>(Part::read(ranks, &path, false).unwrap_err().to_string())
        });
        let messages = parts.unwrap();
        assert!(messages.iter().all(|message| message == &messages[0]), "{messages:?}");
        messages.into_iter().next().unwrap()
    };
    assert!(read().contains("graph.spg"), "no such file");
    let negative = Csr::from_arcs(40, &[(0, 1, 5i32), (30, 2, -7)]).unwrap();
    write(&path, &LoadedGraph::new(negative, Ids::FromZero)).unwrap();
    assert!(read().contains("arc 30 -> 2 has weight -7"), "{}", read());

    let graph = Csr::from_edges(40, &[(0, 1, 5u32), (30, 2, 7), (30, 9, 8)]).unwrap();
    write(&path, &LoadedGraph::new(graph, Ids::FromZero)).unwrap();
    let bytes = fs::read(&path).unwrap();
    let n_offsets = 41 * 8;
    let heads = (128 + n_offsets as usize).next_multiple_of(64);
    let damaged = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        fs::write(&path, bytes).unwrap();
        read()
    };
    assert!(damaged(heads, 99).contains("the graph does not have"));
    assert!(damaged(heads, 7).contains("has no reverse"));
    assert!(damaged(128 + 8 * 20 + 1, 9).contains("do not ascend"));
    assert!(damaged(60, 1).contains("header is damaged"));
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    assert!(read().contains("the header promises"));
    fs::write(&path, &bytes[..50]).unwrap();
    assert!(read().contains("shorter than a header"));
}

#[test]
fn another_file_of_one_rank_is_an_error_on_all() {
    let folder = tempfile::tempdir().unwrap();
    // as large as each other
    let paths = [3u32, 4].map(|head| {
        let path = folder.path().join(format!("{head}.spg"));
        let graph = Csr::from_arcs(40, &[(0, 1, 5u32), (30, head, 7)]).unwrap();
        write(&path, &LoadedGraph::new(graph, Ids::FromZero)).unwrap();
        path
    });
    let messages = Threads::run(3, |ranks| {
        let path = &paths[ranks.rank() / 2];
        Ok::<_, PartitionedError>(Part::read(ranks, path, false).unwrap_err().to_string())
    });
    for message in messages.unwrap() {
        assert!(message.contains("rank 2 sees another file than rank 0"), "{message}");
    }
}
