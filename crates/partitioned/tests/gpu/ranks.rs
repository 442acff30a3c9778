//! Trees by ranks with a GPU each, or one that they share, against those of a CPU.

use std::fmt::Debug;
use std::ops::{ControlFlow, RangeInclusive};

use collectives::{Communicator, Threads};
use gpu_runtime::{Gpu, GpuError};
use graph_formats::generate::{Duplicates, GraphOptions, UniformConfig, uniform};
use graph_formats::{AnyCsr, Csr, Direction, Interrupted, VertexId, Weight};
use partitioned::{Part, PartitionedError, nearest, table, tree};
use paths::{AnyTree, Number};
use sssp::{Config, Goal, SsspError, any};
use test_support::{corner_cases, some_vertices};

use crate::{some_graphs, turn};

/// A part of the graph on a GPU; ranks take those of this machine in turn.
fn on_gpu(
    ranks: &dyn Communicator,
    graph: &AnyCsr,
    bytes: Option<u64>,
) -> Result<Part, PartitionedError> {
    let mut part = Part::of_graph(ranks, Some(graph))?;
    let gpu = Gpu::open_ordinal(ranks.rank() as u32 % Gpu::count().unwrap()).unwrap();
    let gpu = bytes.map_or(gpu.clone(), |bytes| gpu.with_memory_cap(bytes));
    part.move_to_gpu(ranks, &gpu)?;
    Ok(part)
}

/// The trees of rank 0.
fn over(
    n_ranks: usize,
    graph: &AnyCsr,
    bytes: Option<u64>,
    asked: &[(VertexId, Goal<Number>)],
) -> Vec<Result<AnyTree, String>> {
    let found = Threads::run(n_ranks, |ranks| {
        let part = on_gpu(ranks, graph, bytes)?;
        let tree = |&(source, goal)| match tree(ranks, &part, source, goal, None) {
            Ok(found) => Ok(found.tree),
            Err(error) => Err(error.to_string()),
        };
        Ok::<_, PartitionedError>(asked.iter().map(tree).collect::<Vec<_>>())
    });
    let found = found.unwrap().swap_remove(0).into_iter();
    found.map(|tree| tree.map(|tree| tree.expect("rank 0 has it"))).collect()
}

fn check<W: Weight>(graph: &Csr<W>, numbers_of_ranks: RangeInclusive<usize>)
where
    AnyCsr: From<Csr<W>>,
{
    let last = graph.n_vertices() as VertexId - 1;
    let mut asked = Vec::new();
    for source in some_vertices(graph, 2) {
        let limit = Number::F64(6.0);
        asked.extend([Goal::All, Goal::Target(last), Goal::Within(limit)].map(|to| (source, to)));
    }
    let graph = AnyCsr::from(graph.clone());
    let mut solver = any::solver(&graph, &Config::default(), None).unwrap();
    let expected: Vec<_> = asked.iter().map(|&(source, goal)| solver.tree(source, goal)).collect();
    for n_ranks in numbers_of_ranks {
        for (found, expected) in over(n_ranks, &graph, None, &asked).iter().zip(&expected) {
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert!(*found == expected.answer, "{n_ranks} ranks"),
                (Err(_), Err(SsspError::Overflow { .. })) => (),
                (found, expected) => panic!("{n_ranks} ranks: {found:?}, not {expected:?}"),
            }
        }
    }
}

#[test]
fn trees_are_those_of_a_cpu() {
    let _turn = turn();
    if test_support::gpu(Gpu::open()).is_none() {
        return;
    }
    for (name, graph) in corner_cases::<u32>() {
        if graph.n_vertices() > 0 {
            println!("{name}");
            check(&graph, 3..=3);
        }
    }
    for graph in some_graphs(255) {
        check(&graph, 3..=3);
        check(&graph.map_weights(|_| 3u32).unwrap(), 5..=5);
        check(&graph.map_weights(|weight| weight as f32 / 8.0).unwrap(), 3..=3);
        check(&graph.map_weights(|weight| f64::from(weight) / 8.0).unwrap(), 3..=3);
        check(&graph.map_weights(|weight| u64::from(weight) << 33).unwrap(), 3..=3);
    }
    // sums beyond 32 bits
    for graph in some_graphs(u32::MAX) {
        check(&graph, 3..=3);
    }
    // NCCL brings what two GPUs send each other; it takes a second to connect
    let graph = some_graphs(255).swap_remove(1);
    check(&graph, 1..=2);
    check(&graph.map_weights(|_| 3u32).unwrap(), 1..=2);
    check(&graph.map_weights(|weight| u64::from(weight) << 33).unwrap(), 2..=2);
}

/// What a question has as its answer on CPUs, and on GPUs.
fn check_answers<T: PartialEq + Debug + Send>(
    graph: &AnyCsr,
    ask: impl Fn(&Threads, &Part) -> Result<Option<T>, PartitionedError> + Sync,
) {
    let answers = |n_ranks, is_on_gpu: bool| {
        let all = Threads::run(n_ranks, |ranks| {
            let part = match is_on_gpu {
                true => on_gpu(ranks, graph, None)?,
                false => Part::of_graph(ranks, Some(graph))?,
            };
            ask(ranks, &part)
        });
        all.unwrap().swap_remove(0).expect("rank 0 has it")
    };
    let expected = answers(1, false);
    for n_ranks in [1, 3] {
        assert_eq!(answers(n_ranks, true), expected, "{n_ranks} ranks");
    }
}

#[test]
fn tables_and_nearest_sources_are_those_of_a_cpu() {
    let _turn = turn();
    if test_support::gpu(Gpu::open()).is_none() {
        return;
    }
    let vertices = [1, 700, 3, 2000, 700];
    for graph in some_graphs(255).into_iter().filter(|graph| graph.n_vertices() > 2000) {
        let equal = graph.map_weights(|_| 2u32).unwrap();
        for graph in [AnyCsr::from(graph), AnyCsr::from(equal)] {
            check_answers(&graph, |ranks, part| {
                let found = table(ranks, part, &vertices[..2], &vertices, None, None)?;
                Ok(found.tree)
            });
            check_answers(&graph, |ranks, part| {
                Ok(nearest(ranks, part, &vertices, Some(Number::F64(300.0)), None)?.tree)
            });
            let all: Vec<_> = (0..graph.n_vertices() as VertexId).rev().step_by(3).collect();
            check_answers(&graph, |ranks, part| Ok(nearest(ranks, part, &all, None, None)?.tree));
        }
    }
}

/// In one step a hub sends more than there is room for as entries: keys are sent instead.
#[test]
fn a_hub_of_many_vertices_reaches_all() {
    let _turn = turn();
    if test_support::gpu(Gpu::open()).is_none() {
        return;
    }
    let edges: Vec<_> = (1..60_000u32).map(|leaf| (0, leaf, leaf % 7 + 1)).collect();
    let graph = Csr::from_edges(60_000, &edges).unwrap();
    let sources = [(0, Goal::All), (7, Goal::All)];
    let alone = AnyCsr::from(graph);
    let mut solver = any::solver(&alone, &Config::default(), None).unwrap();
    for n_ranks in [2, 3] {
        for (found, (source, goal)) in
            over(n_ranks, &alone, None, &sources).into_iter().zip(sources)
        {
            assert!(found.unwrap() == solver.tree(source, goal).unwrap().answer, "{n_ranks} ranks");
        }
    }
}

/// Trees by three ranks of which each GPU holds half of its arcs.
fn check_halves<W: Weight>(graph: &Csr<W>, bytes_of_arc: usize)
where
    AnyCsr: From<Csr<W>>,
{
    let bytes = (bytes_of_arc * graph.n_arcs() / 6) as u64;
    let asked = some_vertices(graph, 3).into_iter().map(|source| (source, Goal::All));
    let asked: Vec<_> = asked.collect();
    let graph = AnyCsr::from(graph.clone());
    let mut solver = any::solver(&graph, &Config::default(), None).unwrap();
    for (found, &(source, goal)) in over(3, &graph, Some(bytes), &asked).iter().zip(&asked) {
        let expected = solver.tree(source, goal).unwrap().answer;
        assert!(*found.as_ref().unwrap() == expected, "from {source}");
    }
}

#[test]
fn arcs_beyond_the_gpus_are_read_in_host_memory() {
    let _turn = turn();
    if test_support::gpu(Gpu::open()).is_none() {
        return;
    }
    for direction in [Direction::Directed, Direction::Undirected] {
        let duplicates = Duplicates::Keep;
        let options =
            GraphOptions { duplicates, direction, weights: 1..=255, ..Default::default() };
        let config = UniformConfig { n_vertices: 2000, n_edges: 900_000, options };
        let graph = uniform(&config).unwrap();
        check_halves(&graph, 8);
        check_halves(&graph.map_weights(|_| 3u32).unwrap(), 4);
        check_halves(&graph.map_weights(|weight| weight as f32 / 8.0).unwrap(), 8);
        check_halves(&graph.map_weights(|weight| f64::from(weight) / 8.0).unwrap(), 16);
        check_halves(&graph.map_weights(|weight| u64::from(weight) << 33).unwrap(), 16);
        // weights that `f64` rounds
        let large = |weight| (1 << 56) + u64::from(weight % 16);
        check_halves(&graph.map_weights(large).unwrap(), 16);
        // sums beyond 32 bits
        check_halves(&graph.map_weights(|weight| weight << 24).unwrap(), 8);
    }
}

#[test]
fn an_error_of_one_rank_is_one_of_all() {
    let _turn = turn();
    if test_support::gpu(Gpu::open()).is_none() {
        return;
    }
    let graph = AnyCsr::from(some_graphs(255).swap_remove(1));
    let found = Threads::run(3, |ranks| {
        let bytes = (ranks.rank() == 1).then_some(4096);
        Ok::<_, PartitionedError>(on_gpu(ranks, &graph, bytes).map(|_| ()))
    });
    for (rank, found) in found.unwrap().into_iter().enumerate() {
        match (rank, found.unwrap_err()) {
            (1, PartitionedError::Search(SsspError::Gpu(error))) => {
                assert!(matches!(*error, GpuError::OutOfMemory { .. }), "{error}");
            }
            (0 | 2, PartitionedError::OnRank { rank: 1, .. }) => (),
            (rank, error) => panic!("rank {rank}: {error:?}"),
        }
    }
    let found = Threads::run(3, |ranks| {
        let part = on_gpu(ranks, &graph, None)?;
        let stop = |steps, _| match ranks.rank() == 2 && steps > 1 {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let ended = tree(ranks, &part, 0, Goal::All, Some(&stop)).map(|_| ());
        // the next search is right again
        tree(ranks, &part, 0, Goal::All, None)?;
        Ok::<_, PartitionedError>(ended)
    });
    for (rank, found) in found.unwrap().into_iter().enumerate() {
        let error = found.unwrap_err();
        let is_own = matches!(error, PartitionedError::Search(SsspError::Interrupted(Interrupted)));
        assert_eq!(is_own, rank == 2, "{error:?}");
    }
}
