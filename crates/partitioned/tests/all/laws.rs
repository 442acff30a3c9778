//! Distances and predecessors are those of the solver of `sssp`, on any number of ranks.

use std::ops::ControlFlow;

use collectives::Threads;
use graph_formats::generate::{GraphOptions, RmatConfig, rmat};
use graph_formats::{AnyCsr, Csr, Interrupted, VertexId, Weight};
use partitioned::{Part, PartitionedError, tree};
use paths::{AnyTree, Number};
use proptest::prelude::*;
use sssp::{Config, Goal, SsspError, any};
use test_support::{arbitrary_graph, corner_cases, some_vertices, streets, undirected};

/// The tree of rank 0, found by this many ranks.
pub(crate) fn over(
    n_ranks: usize,
    graph: &AnyCsr,
    source: VertexId,
    goal: Goal<Number>,
) -> Result<AnyTree, PartitionedError> {
    let found = Threads::run(n_ranks, |ranks| {
        let part = Part::of_graph(ranks, Some(graph))?;
        tree(ranks, &part, source, goal, None)
    })?;
    Ok(found.into_iter().find_map(|found| found.tree).expect("rank 0 has it"))
}

/// Compares with one process; errors too.
fn check(n_ranks: usize, graph: &AnyCsr, source: VertexId, goal: Goal<Number>) {
    let mut solver = any::solver(graph, &Config::default(), None).unwrap();
    let expected = solver.tree(source, goal).map(|found| found.answer);
    match (over(n_ranks, graph, source, goal), expected) {
        (Ok(found), Ok(expected)) => {
            assert_eq!(found.distances, expected.distances, "{n_ranks} ranks, {goal:?}");
            assert!(found == expected, "{n_ranks} ranks, {goal:?}: {found:?}, not {expected:?}");
        }
        (Err(PartitionedError::Search(SsspError::Overflow { kind, .. })), Err(expected)) => {
            assert!(
                matches!(expected, SsspError::Overflow { kind: same, .. } if same == kind),
                "{expected}"
            );
        }
        (found, expected) => panic!("{n_ranks} ranks, {goal:?}: {found:?}, not {expected:?}"),
    }
}

/// All goals from a source.
fn check_goals(n_ranks: usize, graph: &AnyCsr, source: VertexId, other: VertexId) {
    check(n_ranks, graph, source, Goal::All);
    check(n_ranks, graph, source, Goal::Target(other));
    for limit in [-1.0, 0.0, 6.0] {
        if graph.kind().distance().is_integer() && limit < 0.0 {
            continue;
        }
        check(n_ranks, graph, source, Goal::Within(Number::F64(limit)));
    }
}

fn check_any<W: Weight>(graph: &Csr<W>, source: u32, n_ranks: usize)
where
    AnyCsr: From<Csr<W>>,
{
    let n = graph.n_vertices() as VertexId;
    let (source, other) = (source % n, (source / 3 + 1) % n);
    for graph in [graph.clone(), undirected(graph)] {
        check_goals(n_ranks, &graph.into(), source, other);
    }
}

/// A law for each weight type: with few weights, which have ties and zeros, and with many.
macro_rules! laws {
    ($($name:ident, $weight:ty;)*) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(24))]
            $(
                #[test]
                fn $name(
                    few in arbitrary_graph::<$weight>(40, 90, 0..=2),
                    many in arbitrary_graph::<$weight>(60, 400, 0..=40),
                    equal in arbitrary_graph::<$weight>(40, 90, 3..=3),
                    source: u32,
                    n_ranks in 1usize..6,
                ) {
                    check_any(&few, source, n_ranks);
                    check_any(&many, source, n_ranks);
                    check_any(&equal, source, n_ranks);
                }
            )*
        }
    };
}

laws! {
    weights_of_u32, u32;
    weights_of_i32, i32;
    weights_of_u64, u64;
    weights_of_i64, i64;
    weights_of_f32, f32;
    weights_of_f64, f64;
}

#[test]
fn corner_cases_have_the_trees_of_one_process() {
    for (at, (_, graph)) in corner_cases::<u64>().into_iter().enumerate() {
        // long paths take as many steps as they have vertices
        let n_ranks = if graph.n_vertices() < 5000 { 1 + at % 5 } else { 2 };
        for source in some_vertices(&graph, 2) {
            check(n_ranks, &graph.clone().into(), source, Goal::All);
            check(n_ranks, &undirected(&graph).into(), source, Goal::All);
        }
    }
}

/// Dense enough to defer arcs, to push and pull them, and with hubs.
#[test]
fn hubs_and_deferred_arcs() {
    for (weights, edge_factor, n_ranks) in [(1..=255, 16, 3), (1..=100_000, 24, 2), (1..=1, 16, 5)]
    {
        let options = GraphOptions { weights, ..GraphOptions::default() };
        let config = RmatConfig { scale: 9, edge_factor, options, ..RmatConfig::default() };
        let graph: AnyCsr = rmat(&config).unwrap().into();
        for source in [0, 77, 300] {
            check_goals(n_ranks, &graph, source, 5);
        }
    }
}

#[test]
fn streets_have_the_trees_of_one_process() {
    let graph = AnyCsr::from(streets(40));
    for n_ranks in 1..=4 {
        check_goals(n_ranks, &graph, 7, 1111);
    }
}

#[test]
fn distances_that_overflow_are_errors() {
    let large = u64::MAX / 2;
    let arcs = [(0, 1, large), (1, 2, large), (2, 3, 7), (0, 4, 1)];
    let graph = AnyCsr::from(Csr::from_arcs(6, &arcs).unwrap());
    let halves = arcs.map(|(u, v, w)| (u, v, (w / 2) as i64 + 1));
    let signed = AnyCsr::from(Csr::from_arcs(6, &halves).unwrap());
    let floats = arcs.map(|(u, v, w)| (u, v, if w == large { 3e38f32 } else { 1.0 }));
    let floats = AnyCsr::from(Csr::from_arcs(6, &floats).unwrap());
    let equal = arcs.map(|(u, v, _)| (u, v, large));
    let equal = AnyCsr::from(Csr::from_arcs(6, &equal).unwrap());
    for graph in [graph, signed, floats, equal] {
        for n_ranks in 1..=3 {
            check(n_ranks, &graph, 0, Goal::All);
            check(n_ranks, &graph, 0, Goal::Target(3));
            check(n_ranks, &graph, 0, Goal::Target(4));
            // no path leads there, so that other distances may overflow
            let tree = over(n_ranks, &graph, 0, Goal::Target(5)).unwrap();
            assert_eq!(tree.path_to(4), Some(vec![0, 4]));
            assert_eq!((tree.path_to(3), tree.predecessors.get(3)), (None, None));
            check(n_ranks, &graph, 0, Goal::Within(Number::F64(5.0)));
        }
    }
}

#[test]
fn what_is_wrong_is_an_error_on_all_ranks() {
    let graph = AnyCsr::from(Csr::from_arcs(3, &[(0, 1, 5i32), (1, 2, -7)]).unwrap());
    let message = over(3, &graph, 0, Goal::All).unwrap_err().to_string();
    assert!(message.contains("arc 1 -> 2 has weight -7"), "{message}");
    let graph = AnyCsr::from(Csr::from_arcs(3, &[(0, 1, 5u32)]).unwrap());
    for (source, goal) in [(3, Goal::All), (0, Goal::Target(9))] {
        let message = over(2, &graph, source, goal).unwrap_err().to_string();
        assert!(message.contains("does not exist: the graph has 3 vertices"), "{message}");
    }
}

#[test]
fn one_rank_ends_the_search_of_all() {
    let graph = AnyCsr::from(streets(20));
    let unweighted = AnyCsr::from(graph.unweighted());
    for graph in [graph, unweighted] {
        let results = Threads::run(3, |ranks| {
            let part = Part::of_graph(ranks, Some(&graph))?;
            let stop = |done: u64, _| match ranks_stop(part.rank(), done) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            };
            let found = tree(ranks, &part, 0, Goal::All, Some(&stop));
            assert!(
                matches!(found, Err(PartitionedError::Search(SsspError::Interrupted(Interrupted)))),
                "{found:?}"
            );
            Ok::<_, PartitionedError>(())
        });
        results.unwrap();
    }
}

fn ranks_stop(rank: usize, done: u64) -> bool {
    rank == 1 && done > 20
}
