//! The oracles agree with each other and with enumeration, and the certificates accept
//! what they say.

use graph_formats::{Components, Csr, VertexId, Weight};
use paths::certificate::{check_distances, check_nearest, check_negative_cycle, check_tree};
use paths::oracle::{self, OracleError};
use paths::spanning::minimum_spanning_forest;
use paths::{Distances, Total};
use proptest::prelude::*;
use test_support::{arbitrary_graph, corner_cases};

/// The least sum over all simple paths, each walked by itself.
fn enumerate<W: Weight>(graph: &Csr<W>, source: VertexId) -> Distances<W::Distance> {
    fn walk<W: Weight>(
        graph: &Csr<W>,
        at: VertexId,
        sum: W::Distance,
        passed: &mut Vec<VertexId>,
        least: &mut [Option<W::Distance>],
    ) {
        if passed.contains(&at) {
            return;
        }
        let known = &mut least[at as usize];
        *known = Some(known.map_or(sum, |d| if sum < d { sum } else { d }));
        passed.push(at);
        for (v, weight) in graph.arcs_from(at) {
            walk(graph, v, weight.after(sum).unwrap(), passed, least);
        }
        passed.pop();
    }
    let mut least = vec![None; graph.n_vertices()];
    walk(graph, source, W::Distance::ZERO, &mut Vec::new(), &mut least);
    Distances::from_iter(least)
}

fn oracles_agree<W: Weight>(graph: &Csr<W>) -> Result<(), TestCaseError> {
    let table = oracle::floyd_warshall(graph).unwrap();
    for source in graph.vertices() {
        let distances = oracle::dijkstra(graph, source).unwrap();
        prop_assert_eq!(&distances, &oracle::bellman_ford(graph, source).unwrap());
        prop_assert_eq!(&distances, &Distances::from_iter(table.row(source as usize)));
        prop_assert_eq!(&distances, &enumerate(graph, source));
        check_distances(graph, source, None, &distances).unwrap();
        trees_pass(graph, source, &distances);
    }
    Ok(())
}

/// The canonical tree is certified, without a limit and with each distance as the limit.
fn trees_pass<W: Weight>(graph: &Csr<W>, source: VertexId, distances: &Distances<W::Distance>) {
    check_tree(graph, &oracle::tree(graph, source, None).unwrap()).unwrap();
    for (_, limit) in distances.reached() {
        let tree = oracle::tree(graph, source, Some(limit)).unwrap();
        check_tree(graph, &tree).unwrap();
        check_distances(graph, source, Some(limit), &tree.distances).unwrap();
    }
}

fn negative_weights_agree<W: Weight>(graph: &Csr<W>) -> Result<(), TestCaseError> {
    let table = oracle::floyd_warshall(graph);
    let mut cyclic = false;
    for source in graph.vertices() {
        match oracle::bellman_ford(graph, source) {
            Ok(distances) => {
                check_distances(graph, source, None, &distances).unwrap();
                check_tree(graph, &oracle::tree(graph, source, None).unwrap()).unwrap();
                prop_assert_eq!(&distances, &enumerate(graph, source));
                if let Ok(table) = &table {
                    prop_assert_eq!(distances, Distances::from_iter(table.row(source as usize)));
                }
            }
            Err(OracleError::NegativeCycle { cycle }) => {
                check_negative_cycle(graph, &cycle).unwrap();
                cyclic = true;
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
    prop_assert_eq!(cyclic, table.is_err());
    if let Err(error) = table {
        let OracleError::NegativeCycle { cycle } = error else { panic!("{error}") };
        check_negative_cycle(graph, &cycle).unwrap();
    }
    Ok(())
}

/// The owner is the smallest source whose own distance is the least.
fn nearest_is_nearest<W: Weight>(
    graph: &Csr<W>,
    sources: &[VertexId],
) -> Result<(), TestCaseError> {
    let nearest = oracle::nearest(graph, sources).unwrap();
    check_nearest(graph, sources, &nearest).unwrap();
    let mut ascending = sources.to_vec();
    ascending.sort_unstable();
    let all: Vec<_> =
        ascending.into_iter().map(|s| (s, oracle::dijkstra(graph, s).unwrap())).collect();
    for v in graph.vertices() {
        let first = all
            .iter()
            .filter_map(|(s, distances)| Some((distances.get(v)?, *s)))
            .reduce(|best, next| if next.0 < best.0 { next } else { best });
        prop_assert_eq!(nearest.distance(v).zip(nearest.source_of(v)), first);
    }
    Ok(())
}

/// The predecessor of a vertex that has a tight arc from a nearer one is the smallest.
fn strict_predecessors_are_smallest<W: Weight>(graph: &Csr<W>) -> Result<(), TestCaseError> {
    let tree = oracle::tree(graph, 0, None).unwrap();
    for v in graph.vertices() {
        let smallest = graph.vertices().find(|&u| {
            graph.arcs_from(u).any(|(to, weight)| {
                to == v
                    && tree.distance(u) < tree.distance(v)
                    && tree.distance(u).and_then(|d| weight.after(d)) == tree.distance(v)
                    && tree.distance(u).is_some()
            })
        });
        if smallest.is_some() {
            prop_assert_eq!(tree.predecessors.get(v), smallest);
        }
    }
    Ok(())
}

fn corner_cases_passes<W: Weight>() {
    for (name, graph) in corner_cases::<W>() {
        let Some(last) = graph.vertices().last() else { continue };
        for source in [0, last] {
            let tree = oracle::tree(&graph, source, None).unwrap();
            // 10,000 rounds are too slow for every run
            if graph.n_vertices() <= 1_000 {
                let rounds = oracle::bellman_ford(&graph, source).unwrap();
                assert_eq!(tree.distances, rounds, "{name}");
            }
            check_tree(&graph, &tree).unwrap_or_else(|violation| panic!("{name}: {violation}"));
            check_distances(&graph, source, None, &tree.distances).unwrap();
            let farthest = tree.distances.reached().last().map(|(v, _)| v).unwrap();
            assert_eq!(tree.path_to(farthest).unwrap().last(), Some(&farthest), "{name}");
        }
        let nearest = oracle::nearest(&graph, &[last, 0]).unwrap();
        check_nearest(&graph, &[0, last], &nearest).unwrap();
        if graph.n_vertices() <= 70 {
            let table = oracle::floyd_warshall(&graph).unwrap();
            for source in graph.vertices() {
                let row = Distances::from_iter(table.row(source as usize));
                assert_eq!(row, oracle::dijkstra(&graph, source).unwrap(), "{name}");
            }
        }
    }
}

macro_rules! laws_of {
    ($($t:ident),*) => {$(
        mod $t {
            use super::*;

            proptest! {
                #[test]
                fn oracles_agree(graph in arbitrary_graph::<$t>(6, 20, 0..=3)) {
                    super::oracles_agree(&graph)?;
                }

                #[test]
                fn nearest_is_nearest(
                    graph in arbitrary_graph::<$t>(12, 40, 0..=3),
                    sources in prop::collection::vec(0u32..12, 0..5),
                ) {
                    let n = graph.n_vertices() as u32;
                    let sources: Vec<_> = sources.into_iter().map(|s| s % n).collect();
                    super::nearest_is_nearest(&graph, &sources)?;
                }

                #[test]
                fn strict_predecessors_are_smallest(
                    graph in arbitrary_graph::<$t>(12, 40, 0..=3),
                ) {
                    super::strict_predecessors_are_smallest(&graph)?;
                }
            }

            #[test]
            fn corner_cases_passes() {
                super::corner_cases_passes::<$t>();
            }
        }
    )*};
}

laws_of!(u32, i32, u64, i64, f32, f64);

macro_rules! signed_laws_of {
    ($($name:ident: $t:ty),*) => {$(
        proptest! {
            #[test]
            fn $name(graph in arbitrary_graph::<$t>(6, 12, -2..=6)) {
                negative_weights_agree(&graph)?;
            }
        }
    )*};
}

signed_laws_of! {
    negative_weights_agree_i32: i32,
    negative_weights_agree_i64: i64,
    negative_weights_agree_f32: f32,
    negative_weights_agree_f64: f64
}

/// Weights whose sums round, and some so small beside others that they vanish.
fn rounding(graph: &Csr<f32>) -> Csr<f32> {
    let scale = |w: f32| if w as i32 % 3 == 0 { w * 1e7 } else { w * 0.1 };
    let arcs: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, scale(w))).collect();
    Csr::from_arcs(graph.n_vertices(), &arcs).unwrap()
}

proptest! {
    #[test]
    fn rounded_sums_are_certified_exactly(
        graph in arbitrary_graph::<f32>(12, 60, 0..=20),
        sources in prop::collection::vec(0u32..12, 1..4),
    ) {
        let graph = rounding(&graph);
        let sources: Vec<_> =
            sources.into_iter().map(|s| s % graph.n_vertices() as u32).collect();
        let distances = oracle::dijkstra(&graph, sources[0]).unwrap();
        prop_assert_eq!(&distances, &oracle::bellman_ford(&graph, sources[0]).unwrap());
        trees_pass(&graph, sources[0], &distances);
        let nearest = oracle::nearest(&graph, &sources).unwrap();
        check_nearest(&graph, &sources, &nearest).unwrap();
    }

    #[test]
    fn closure_is_what_paths_say(graph in arbitrary_graph::<u32>(70, 90, 1..=1)) {
        let closure = oracle::closure(&graph);
        let mut n_pairs = 0;
        for u in graph.vertices() {
            let onwards: Vec<_> =
                graph.arcs_from(u).map(|(x, _)| oracle::dijkstra(&graph, x).unwrap()).collect();
            for v in graph.vertices() {
                let joined = onwards.iter().any(|distances| distances.get(v).is_some());
                prop_assert_eq!(closure.reaches(u, v), joined);
                n_pairs += usize::from(joined);
            }
        }
        prop_assert_eq!(closure.n_pairs(), n_pairs);
        prop_assert!(!closure.reaches(0, 70));
    }

    /// Vertices share a component if each reaches the other, and no arc leads to a greater number.
    #[test]
    fn components_reach_each_other(graph in arbitrary_graph::<u32>(12, 30, 1..=1)) {
        let (components, closure) = (Components::of(&graph), oracle::closure(&graph));
        let numbers: Vec<_> = graph.vertices().map(|v| components.component_of(v)).collect();
        for u in graph.vertices() {
            for v in graph.vertices() {
                let is_shared = numbers[u as usize] == numbers[v as usize];
                let (there, back) = (closure.reaches(u, v), closure.reaches(v, u));
                prop_assert_eq!(is_shared, u == v || (there && back));
                prop_assert!(!there || numbers[u as usize] >= numbers[v as usize]);
            }
            prop_assert!(components.members(numbers[u as usize]).contains(&u));
        }
        let n_members = (0..components.n_components()).map(|at| components.members(at).len());
        prop_assert_eq!(n_members.sum::<usize>(), graph.n_vertices());
    }

    /// An edge is left out only when the forest joins its ends by edges no heavier, and without any
    /// one of its edges the forest falls apart.
    #[test]
    fn forest_is_minimal(graph in arbitrary_graph::<i32>(12, 40, -5..=5)) {
        let forest = minimum_spanning_forest(&graph);
        let sum: i32 = forest.edges.iter().map(|edge| edge.2).sum();
        prop_assert_eq!(forest.total, Total::Integer(sum.into()));
        for (u, v, weight) in graph.arcs() {
            let cheaper: Vec<_> = forest
                .edges
                .iter()
                .filter(|edge| edge.2 <= weight)
                .map(|edge| (edge.0, edge.1, 1))
                .collect();
            let cheaper = Csr::<u32>::from_edges(graph.n_vertices(), &cheaper).unwrap();
            prop_assert!(oracle::dijkstra(&cheaper, u).unwrap().get(v).is_some());
        }
        for at in 0..forest.edges.len() {
            let mut others = forest.edges.clone();
            let (u, v, _) = others.remove(at);
            let others = Csr::from_edges(graph.n_vertices(), &others).unwrap();
            prop_assert!(u != v && !oracle::closure(&others).reaches(u, v));
        }
    }
}

/// On a plateau, levels decide before ids do, and no predecessors run in a cycle.
#[test]
fn plateaus_are_placed_breadth_first() {
    // 0 →3 4 enters a plateau of 1, 2, 3, 4 with cycles 4 → 3 → 2 → 4 and 4 → 1 → 2
    let arcs = [(0, 4, 3u32), (4, 3, 0), (3, 2, 0), (2, 4, 0), (4, 1, 0), (1, 2, 0), (2, 1, 0)];
    let graph = Csr::from_arcs(5, &arcs).unwrap();
    let tree = oracle::tree(&graph, 0, None).unwrap();
    let expected = [None, Some(4), Some(1), Some(4), Some(0)];
    assert_eq!(tree.predecessors, expected.into_iter().collect());
    check_tree(&graph, &tree).unwrap();
}

/// With a negative arc anywhere, levels count from the source alone.
#[test]
fn negative_arcs_make_levels_count_from_the_source() {
    let arcs = [(0, 3, 2i32), (3, 2, 0), (0, 1, 1), (1, 2, 1), (4, 4, -1)];
    let predecessor = |arcs: &[_]| {
        let graph = Csr::from_arcs(5, arcs).unwrap();
        oracle::tree(&graph, 0, None).unwrap().predecessors.get(2)
    };
    assert_eq!(predecessor(&arcs[..4]), Some(1));
    assert_eq!(predecessor(&arcs), Some(1));
    let nearer_but_deeper = [(0, 3, 2i32), (3, 2, 0), (0, 5, 0), (5, 1, 1), (1, 2, 1), (4, 4, -1)];
    let graph = Csr::from_arcs(6, &nearer_but_deeper).unwrap();
    assert_eq!(oracle::tree(&graph, 0, None).unwrap().predecessors.get(2), Some(3));
    let graph = Csr::from_arcs(6, &nearer_but_deeper[..5]).unwrap();
    assert_eq!(oracle::tree(&graph, 0, None).unwrap().predecessors.get(2), Some(1));
}
