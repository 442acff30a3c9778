//! Tables, nearest sources and components over ranks are those of one process.

use collectives::Threads;
use graph_formats::generate::{GraphOptions, RmatConfig, rmat};
use graph_formats::{AnyCsr, Csr, DisjointSets, VertexId, Weight, with_csr};
use partitioned::{Part, PartitionedError, components, nearest, table, tree, tree_part};
use paths::Number;
use proptest::prelude::*;
use sssp::{Config, Goal, any};
use test_support::{arbitrary_graph, streets, undirected};

/// All of several sources and targets, by this many ranks and in one process.
fn check(n_ranks: usize, graph: &AnyCsr, sources: &[VertexId], targets: &[VertexId]) {
    let limits = [None, Some(Number::F64(6.0)), Some(Number::F64(-1.0))];
    let is_integer = graph.kind().distance().is_integer();
    for cutoff in limits.into_iter().take(if is_integer { 2 } else { 3 }) {
        let mut solver = any::solver(graph, &Config::default(), None).unwrap();
        cutoff.iter().for_each(|&cutoff| solver.set_cutoff(cutoff).unwrap());
        let (expected_table, expected_nearest) =
            (solver.table(sources, targets).unwrap(), solver.nearest(sources).unwrap());
        let found = Threads::run(n_ranks, |ranks| {
            let part = Part::of_graph(ranks, Some(graph))?;
            let table = table(ranks, &part, sources, targets, cutoff, None)?.tree;
            let nearest = nearest(ranks, &part, sources, cutoff, None)?.tree;
            Ok::<_, PartitionedError>(table.zip(nearest))
        });
        let (table, nearest) = found.unwrap().into_iter().find_map(|found| found).unwrap();
        assert_eq!(table, expected_table.answer, "{n_ranks} ranks, {cutoff:?}");
        assert_eq!(nearest, expected_nearest.answer, "{n_ranks} ranks, {cutoff:?}");
    }
}

fn check_components(n_ranks: usize, graph: &AnyCsr) {
    let mut sets = with_csr!(graph, |graph| DisjointSets::joined_by(graph));
    let found = Threads::run(n_ranks, |ranks| {
        let part = Part::of_graph(ranks, Some(graph))?;
        Ok::<_, PartitionedError>((part.deal(), components(ranks, &part)?))
    });
    for (rank, (deal, roots)) in found.unwrap().into_iter().enumerate() {
        assert_eq!(roots.len(), deal.len(rank));
        for (place, root) in roots.into_iter().enumerate() {
            assert_eq!(root, sets.root(deal.vertex_at(rank, place)), "{n_ranks} ranks");
        }
    }
}

fn check_any<W: Weight>(graph: &Csr<W>, seeds: &[u32], n_ranks: usize)
where
    AnyCsr: From<Csr<W>>,
{
    let vertex = |&seed: &u32| seed % graph.n_vertices() as VertexId;
    let vertices: Vec<_> = seeds.iter().map(vertex).collect();
    let (sources, targets) = vertices.split_at(vertices.len() / 2);
    for graph in [graph.clone(), undirected(graph)] {
        let graph = graph.into();
        check(n_ranks, &graph, sources, targets);
        check_components(n_ranks, &graph);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn any_graph_and_vertices(
        integers in arbitrary_graph::<u32>(40, 60, 0..=2),
        equal in arbitrary_graph::<i64>(40, 60, 3..=3),
        floats in arbitrary_graph::<f32>(60, 200, 0..=40),
        seeds in prop::collection::vec(0u32..1000, 0..8),
        n_ranks in 1usize..6,
    ) {
        check_any(&integers, &seeds, n_ranks);
        check_any(&equal, &seeds, n_ranks);
        check_any(&floats, &seeds, n_ranks);
    }
}

#[test]
fn hubs_and_streets() {
    for (weights, n_ranks) in [(1..=255, 3), (1..=1, 5)] {
        let options = GraphOptions { weights, ..GraphOptions::default() };
        let config = RmatConfig { scale: 9, options, ..RmatConfig::default() };
        let graph = rmat(&config).unwrap().into();
        check(n_ranks, &graph, &[0, 77, 300, 77], &[5, 500]);
        check_components(n_ranks, &graph);
    }
    let graph = streets(20).into();
    check(4, &graph, &[399, 7], &[0, 210, 7]);
    check_components(2, &graph);
}

/// The parts of a tree are the tree's rows, by the vertices that each rank has.
#[test]
fn parts_of_a_tree_make_it() {
    for graph in [AnyCsr::from(streets(12)), AnyCsr::from(streets(12).unweighted::<u32>())] {
        for goal in [Goal::All, Goal::Target(50), Goal::Within(Number::U64(900))] {
            let parts = Threads::run(3, |ranks| {
                let part = Part::of_graph(ranks, Some(&graph))?;
                let own = tree_part(ranks, &part, 9, goal, None)?.tree;
                let (mut distances, mut predecessors) = (Vec::new(), Vec::new());
                own.in_blocks(ranks, &part, 7, |of_block, tails| {
                    distances.extend(of_block.iter());
                    predecessors.extend_from_slice(tails);
                })?;
                let n_arcs = own.arcs_to(ranks, &part, 50)?;
                if let Some(whole) = own.gather(ranks, &part)? {
                    assert!(distances.into_iter().eq(whole.distances.iter()));
                    assert_eq!(predecessors, whole.predecessors.as_storage());
                    assert_eq!(n_arcs, whole.path_to(50).map_or(0, |path| path.len() - 1));
                } else {
                    assert!(distances.is_empty() && predecessors.is_empty());
                }
                Ok::<_, PartitionedError>((
                    part.deal(),
                    own,
                    tree(ranks, &part, 9, goal, None)?.tree,
                ))
            });
            let parts = parts.unwrap();
            let whole = parts[0].2.as_ref().unwrap();
            for (rank, (deal, own, _)) in parts.iter().enumerate() {
                assert_eq!(own.limit, whole.limit);
                for place in 0..deal.len(rank) {
                    let vertex = deal.vertex_at(rank, place);
                    assert_eq!(own.distances.get(place), whole.distance(vertex));
                    let predecessor = own.predecessors.get(place as VertexId);
                    assert_eq!(predecessor, whole.predecessors.get(vertex));
                }
            }
        }
    }
}
