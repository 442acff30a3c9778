//! Files that ranks write together have the bytes of those of one process.

use std::fs;
use std::ops::ControlFlow;

use collectives::{Communicator, Threads};
use graph_formats::generate::{
    Duplicates, Graph500Config, GraphOptions, RmatConfig, UniformConfig, graph500, rmat, uniform,
};
use graph_formats::{AnyCsr, Direction, Ids, LoadedGraph, write};
use partitioned::{PartitionedError, write_drawn, write_graph500};

/// Compares the file of the graph with that which `write` makes, over 1 to 5 ranks.
fn check(
    graph: impl Into<AnyCsr>,
    write_parts: impl Fn(&Threads, &std::path::Path) -> Result<u64, PartitionedError> + Sync,
) {
    let folder = tempfile::tempdir().unwrap();
    let [one, many] = ["one.spg", "many.spg"].map(|name| folder.path().join(name));
    let graph = LoadedGraph { csr: graph.into(), ..LoadedGraph::new(empty(), Ids::FromZero) };
    write(&one, &graph).unwrap();
    for n_ranks in 1..=5 {
        let counts = Threads::run(n_ranks, |ranks| write_parts(ranks, &many)).unwrap();
        assert_eq!(counts, vec![graph.csr.n_arcs() as u64; n_ranks]);
        assert!(fs::read(&one).unwrap() == fs::read(&many).unwrap(), "{n_ranks} ranks");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}

fn empty() -> graph_formats::Csr<u32> {
    graph_formats::Csr::from_arcs(0, &[]).unwrap()
}

#[test]
fn drawn_graphs() {
    for (direction, duplicates, weights) in [
        (Direction::Directed, Duplicates::Drop, 1..=9),
        (Direction::Undirected, Duplicates::Keep, 0..=9),
        (Direction::Undirected, Duplicates::Drop, 3..=3),
        (Direction::Undirected, Duplicates::Drop, 0..=0),
    ] {
        let options = GraphOptions { direction, duplicates, weights, seed: 5 };
        let config = RmatConfig { scale: 6, options: options.clone(), ..RmatConfig::default() };
        let draws = config.draws().unwrap();
        check(rmat(&config).unwrap(), |ranks, path| write_drawn(ranks, &draws, path, None));
        // more ranks than vertices, and no arcs
        for (n_vertices, n_edges) in [(90, 200), (3, 5), (4, 0)] {
            let config = UniformConfig { n_vertices, n_edges, options: options.clone() };
            let draws = config.draws().unwrap();
            check(uniform(&config).unwrap(), |ranks, path| write_drawn(ranks, &draws, path, None));
        }
    }
}

#[test]
fn graphs_of_graph500() {
    for duplicates in [Duplicates::Drop, Duplicates::Keep] {
        let config = Graph500Config { scale: 6, duplicates, ..Default::default() };
        let draws = config.draws().unwrap();
        check(graph500(&config).unwrap(), |ranks, path| {
            write_graph500(ranks, &draws, duplicates, path, None)
        });
    }
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_on_all_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none/graph.spg");
    let draws = RmatConfig { scale: 4, ..RmatConfig::default() }.draws().unwrap();
    let messages = Threads::run(3, |ranks| {
        let error = write_drawn(ranks, &draws, &path, None).unwrap_err();
        Ok::<_, PartitionedError>(error.to_string())
    });
    let messages = messages.unwrap();
    assert!(messages.iter().all(|message| message.contains("graph.spg")), "{messages:?}");
}

#[test]
fn a_callback_ends_it_on_all_ranks_and_leaves_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.spg");
    fs::write(&path, "as it was").unwrap();
    let draws = RmatConfig { scale: 4, ..RmatConfig::default() }.draws().unwrap();
    // before edges are drawn, and when all is written
    for is_last in [false, true] {
        let messages = Threads::run(3, |ranks| {
            let ends = ranks.rank() == 1;
            let progress = |drawn, total| match ends && (drawn == total) == is_last {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            };
            let error = write_drawn(ranks, &draws, &path, Some(&progress)).unwrap_err();
            Ok::<_, PartitionedError>(error.to_string())
        });
        assert_eq!(messages.unwrap(), ["interrupted"; 3]);
        assert_eq!(fs::read_to_string(&path).unwrap(), "as it was");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
