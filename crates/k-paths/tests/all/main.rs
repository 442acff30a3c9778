//! The k shortest simple paths, compared with all simple paths of small graphs and with the
//! textbook form of Yen's algorithm.

use std::collections::HashSet;
use std::ops::ControlFlow;

use graph_formats::generate::{GridConfig, grid};
use graph_formats::{Csr, Interrupted, Progress, VertexId, Weight, read};
use k_paths::{Found, Path, PathWeight, SearchError, check, k_shortest_paths};
use paths::oracle;
use proptest::prelude::*;
use test_support::{
    arbitrary_graph, corner_cases, data, large_detours, road_with_detours, small_graph_tests,
    streets, undirected,
};

type Paths<W> = Vec<Path<<W as Weight>::Distance>>;
/// The source and the target.
type Ends = (VertexId, VertexId);

/// Finds paths by the distances of the oracle.
fn find<W: PathWeight>(
    graph: &Csr<W>,
    source: VertexId,
    target: VertexId,
    k: usize,
    progress: Option<Progress<'_>>,
) -> Result<Found<W::Distance>, SearchError> {
    let to_target = oracle::dijkstra(&graph.transposed(), target).unwrap();
    k_shortest_paths(graph, source, target, k, |vertex| to_target.get(vertex), progress)
}

fn k_shortest<W: PathWeight>(graph: &Csr<W>, (source, target): Ends, k: usize) -> Paths<W> {
    find(graph, source, target, k, None).unwrap().paths
}

/// The length of a path, by the lightest of parallel arcs; `None` if it is not a path.
fn length<W: Weight>(graph: &Csr<W>, vertices: &[VertexId]) -> Option<W::Distance> {
    vertices.windows(2).try_fold(W::Distance::ZERO, |length, step| {
        let arcs = graph.arcs_from(step[0]).filter(|arc| arc.0 == step[1]);
        arcs.map(|arc| arc.1).min_by(|a, b| a.order(*b))?.after(length)
    })
}

/// Appends all simple paths that begin with `begin`.
fn go_on<W: Weight>(
    graph: &Csr<W>,
    target: VertexId,
    begin: &mut Vec<VertexId>,
    found: &mut Paths<W>,
) {
    let last = *begin.last().unwrap();
    if last == target {
        let vertices = begin.clone();
        found.push(Path { length: length(graph, &vertices).unwrap(), vertices });
        return;
    }
    let mut ends = graph.ends_from(last).to_vec();
    ends.sort_unstable();
    ends.dedup();
    for end in ends {
        if !begin.contains(&end) {
            begin.push(end);
            go_on(graph, target, begin, found);
            begin.pop();
        }
    }
}

/// All simple paths, sorted by length, then by vertices.
fn all_simple_paths<W: Weight>(graph: &Csr<W>, source: VertexId, target: VertexId) -> Paths<W> {
    let mut found = Vec::new();
    go_on(graph, target, &mut vec![source], &mut found);
    found.sort_by(|a, b| a.length.order(b.length).then_with(|| a.vertices.cmp(&b.vertices)));
    found
}

/// Yen's algorithm: a whole search for each vertex of each path, on a copy of the graph without the
/// banned arcs.
fn textbook<W: PathWeight>(graph: &Csr<W>, (source, target): Ends, k: usize) -> Paths<W> {
    let shortest = |begin: &[VertexId], banned: &HashSet<VertexId>| {
        let (&spur, before) = begin.split_last().unwrap();
        let arcs: Vec<_> = graph
            .arcs()
            .filter(|(from, to, _)| !before.contains(from) && !before.contains(to))
            .filter(|(from, to, _)| *from != spur || !banned.contains(to))
            .collect();
        let rest = Csr::from_arcs(graph.n_vertices(), &arcs).unwrap();
        let tree = oracle::tree(&rest, spur, None).unwrap();
        let vertices = [before, &tree.path_to(target)?].concat();
        Some(Path { length: length(graph, &vertices).unwrap(), vertices })
    };
    let mut found: Paths<W> = Vec::from_iter(shortest(&[source], &HashSet::new()));
    let mut candidates: Paths<W> = Vec::new();
    while let Some(last) = found.last().filter(|_| found.len() < k) {
        for spur in 0..last.vertices.len() - 1 {
            let begin = &last.vertices[..=spur];
            let same = found.iter().filter(|path| path.vertices.starts_with(begin));
            let banned = same.map(|path| path.vertices[spur + 1]).collect();
            candidates.extend(shortest(begin, &banned).filter(|path| !candidates.contains(path)));
        }
        let Some(least) =
            (0..candidates.len()).min_by(|&a, &b| candidates[a].length.order(candidates[b].length))
        else {
            break;
        };
        found.push(candidates.swap_remove(least));
    }
    found
}

/// The laws of every result: paths are simple, distinct and sorted, their lengths are right, and
/// the first is as short as the distance.
fn check_laws<W: PathWeight>(graph: &Csr<W>, source: VertexId, target: VertexId, paths: &Paths<W>) {
    for path in paths {
        let ends = (path.vertices.first(), path.vertices.last());
        assert_eq!(ends, (Some(&source), Some(&target)));
        let distinct: HashSet<_> = path.vertices.iter().collect();
        assert_eq!(distinct.len(), path.vertices.len(), "a vertex twice: {path:?}");
        assert_eq!(length(graph, &path.vertices), Some(path.length));
    }
    assert!(paths.is_sorted_by(|a, b| a.length <= b.length));
    let distinct: HashSet<_> = paths.iter().map(|path| &path.vertices).collect();
    assert_eq!(distinct.len(), paths.len(), "a path twice");
    let distances = oracle::dijkstra(graph, source).unwrap();
    assert_eq!(paths.first().map(|path| path.length), distances.get(target));
}

/// For each k, the result is the first k of all simple paths.
fn check_against_all<W: PathWeight>(graph: &Csr<W>) {
    for target in graph.vertices() {
        let all = all_simple_paths(graph, 0, target);
        for k in [1, 2, 3, 7, all.len(), all.len() + 1, usize::MAX] {
            let found = k_shortest(graph, (0, target), k);
            assert_eq!(found, &all[..k.min(all.len())], "{k} to {target}");
        }
        check_laws(graph, 0, target, &all);
    }
}

small_graph_tests! { check_against_all;
all_of_u32 u32, all_of_i32 i32, all_of_u64 u64, all_of_i64 i64, all_of_f32 f32, all_of_f64 f64 }

/// Compares only lengths, to the last bit, and checks the laws: sums of such weights are rounded.
fn check_lengths<W: PathWeight>(graph: &Csr<u32>, weights: &[f64]) {
    let weight = |at: u32| W::from_f64(weights[at as usize]).unwrap();
    let arcs: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, weight(w))).collect();
    let graph = Csr::from_arcs(graph.n_vertices(), &arcs).unwrap();
    for graph in [undirected(&graph), graph] {
        for target in graph.vertices() {
            let lengths = |paths: &Paths<W>| paths.iter().map(|p| p.length).collect::<Vec<_>>();
            let all = lengths(&all_simple_paths(&graph, 0, target));
            for k in [1, 4, usize::MAX] {
                let found = k_shortest(&graph, (0, target), k);
                check_laws(&graph, 0, target, &found);
                assert_eq!(lengths(&found), &all[..k.min(all.len())], "{k} to {target}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn rounded_lengths_are_the_least(graph in arbitrary_graph::<u32>(6, 18, 0..=7)) {
        let weights = [0.0, 0.1, 0.2, 0.3, 0.7, 1e-9, 3e9, 1e17];
        check_lengths::<f32>(&graph, &weights);
        check_lengths::<f64>(&graph, &weights);
    }

    #[test]
    fn laws_of_larger_graphs(graph in arbitrary_graph::<u32>(30, 90, 0..=4)) {
        for graph in [undirected(&graph), graph] {
            let target = graph.n_vertices() as VertexId - 1;
            check_laws(&graph, 0, target, &k_shortest(&graph, (0, target), 20));
        }
    }

    #[test]
    fn textbooks_have_the_same_lengths(graph in arbitrary_graph::<u32>(12, 40, 0..=9)) {
        let target = graph.n_vertices() as VertexId - 1;
        let lengths = |paths: Paths<u32>| paths.iter().map(|p| p.length).collect::<Vec<_>>();
        let expected = lengths(textbook(&graph, (0, target), 10));
        prop_assert_eq!(lengths(k_shortest(&graph, (0, target), 10)), expected);
    }
}

#[test]
fn corner_cases_of_all_types() {
    fn check<W: PathWeight>() {
        for (name, graph) in corner_cases::<W>() {
            let n = graph.n_vertices() as VertexId;
            for target in graph.vertices().filter(|v| [0, n / 2, n - 1].contains(v)) {
                match find(&graph, 0, target, 5, None) {
                    Ok(found) => check_laws(&graph, 0, target, &found.paths),
                    // two arcs of the largest weights overflow their own type
                    Err(SearchError::Overflow { vertex, .. }) => {
                        assert_eq!((name, vertex), ("largest weights", target));
                    }
                    Err(error) => panic!("{name}: {error}"),
                }
            }
        }
    }
    check::<u32>();
    check::<i64>();
    check::<f32>();
    check::<f64>();
}

/// All paths of a grid that never turn back are equally long: the first by vertices are found
/// without a search of the others.
#[test]
fn ties_are_in_the_order_of_their_vertices() {
    let side = 40;
    let graph = streets(side);
    let found = k_shortest(&graph, (0, 1599), 200);
    check_laws(&graph, 0, 1599, &found);
    assert!(found.iter().all(|path| path.length == 78));
    assert!(found.is_sorted_by(|a, b| a.vertices < b.vertices));
    // right to the end of the row, then down
    let first = (0..side).chain((2..=side).map(|row| row * side - 1));
    assert_eq!(found[0].vertices, first.collect::<Vec<_>>());
    let small = streets(4);
    let all = all_simple_paths(&small, 0, 15);
    assert_eq!(k_shortest(&small, (0, 15), 184), all);
    assert_eq!(all.len(), 184, "the paths from corner to corner of four streets by four");
}

/// A larger graph, whose paths have many vertices.
#[test]
fn grids_of_weights() {
    let graph = grid(&GridConfig { side: 12, ..GridConfig::default() }).unwrap();
    let lengths = |paths: Paths<u32>| paths.iter().map(|p| p.length).collect::<Vec<_>>();
    let expected = textbook(&graph, (0, 143), 12);
    let found = k_shortest(&graph, (0, 143), 12);
    check_laws(&graph, 0, 143, &found);
    assert_eq!(lengths(found), lengths(expected));
}

/// A city, between some pairs of vertices.
#[test]
fn rome() {
    let Some(path) = data("dimacs/rome99.gr") else { return };
    let graph: Csr<u32> = read(path).unwrap().csr.into_csr().unwrap();
    let lengths = |paths: &Paths<u32>| paths.iter().map(|p| p.length).collect::<Vec<_>>();
    for (source, target) in [(0, 3352), (500, 3000), (2500, 1000)] {
        let found = k_shortest(&graph, (source, target), 10);
        check_laws(&graph, source, target, &found);
        assert_eq!(lengths(&found), lengths(&textbook(&graph, (source, target), 10)));
        assert_eq!(k_shortest(&graph, (source, target), 200)[..10], found);
    }
}

#[test]
fn fewer_paths_than_k() {
    let graph = Csr::from_arcs(4, &[(0, 1, 5u32), (0, 1, 2), (1, 2, 1), (0, 0, 0), (1, 0, 0)]);
    let graph = graph.unwrap();
    let path = |length, vertices: &[VertexId]| Path { length, vertices: vertices.to_vec() };
    assert_eq!(k_shortest(&graph, (0, 2), 9), [path(3, &[0, 1, 2])], "parallel arcs are one");
    assert_eq!(k_shortest(&graph, (0, 0), 9), [path(0, &[0])], "no turn comes back");
    assert_eq!(k_shortest(&graph, (0, 3), 9), [], "no way");
    assert_eq!(k_shortest(&graph, (0, 2), 0), [], "none asked for");
}

#[test]
fn wrong_arguments_are_refused() {
    let graph = Csr::from_arcs(3, &[(0, 1, 1i32), (1, 2, -1)]).unwrap();
    let refused = |source, target| {
        let no_distance = |_| unreachable!("no distance is asked for");
        let refused = k_shortest_paths(&graph, source, target, 2, no_distance, None).map(|_| ());
        assert_eq!(refused, check(&graph, source, target));
        refused
    };
    let negative = refused(0, 2);
    assert!(matches!(negative, Err(SearchError::NegativeWeight { from: 1, to: 2, .. })));
    let source = refused(3, 2);
    assert!(matches!(source, Err(SearchError::NoSuchVertex { role: "source", vertex: 3, .. })));
    let target = refused(0, 4);
    assert!(matches!(target, Err(SearchError::NoSuchVertex { role: "target", vertex: 4, .. })));
}

/// A path that overflows is left out if k others exist; else it is an error.
#[test]
fn no_length_wraps() {
    fn check<W: PathWeight>(large: W) {
        for graph in large_detours(large) {
            let two = k_shortest(&graph, (0, 3), 2);
            assert_eq!((&two[0].vertices[..], &two[1].vertices[..]), (&[0, 1, 3][..], &[0, 3][..]));
            let three = find(&graph, 0, 3, 3, None);
            assert!(matches!(three, Err(SearchError::Overflow { vertex: 3, .. })), "{three:?}");
        }
        // the only path to 2 overflows, the one to 1 does not
        let graph = Csr::from_arcs(3, &[(0, 1, large), (1, 2, large)]).unwrap();
        assert_eq!(k_shortest(&graph, (0, 1), 9).len(), 1);
        let to_2 = [None, large.after(W::Distance::ZERO), Some(W::Distance::ZERO)];
        let none = k_shortest_paths(&graph, 0, 2, 1, |vertex| to_2[vertex as usize], None);
        assert!(matches!(none, Err(SearchError::Overflow { vertex: 2, .. })), "{none:?}");
    }
    check::<u64>(u64::MAX - 1);
    check::<i64>(i64::MAX - 1);
    check::<f32>(f32::MAX);
    check::<f64>(f64::MAX);
    // a sum that the wider distance type holds is a path
    let arcs = [(0, 1, u32::MAX), (1, 2, u32::MAX), (0, 2, 1)];
    let graph = Csr::from_arcs(3, &arcs).unwrap();
    assert_eq!(k_shortest(&graph, (0, 2), 2)[1].length, 2 * u64::from(u32::MAX));
}

#[test]
fn the_callback_may_end_it() {
    let graph = streets(4);
    let stop = |done, total| match (done, total) {
        (3, 50) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    assert_eq!(find(&graph, 0, 15, 50, Some(&stop)), Err(Interrupted.into()));
    assert_eq!(find(&graph, 0, 15, 49, Some(&stop)).map(|found| found.paths.len()), Ok(49));
}

/// A search costs what it reaches: on a long road with a detour at every vertex, k paths take about
/// k searches of some vertices each.
#[test]
fn work_is_about_a_search_for_each_path() {
    let graph = road_with_detours(20_000);
    let target = 600;
    let Found { paths: found, work } = find(&graph, 0, target, 50, None).unwrap();
    assert_eq!(found[1].length, u64::from(target) + 2);
    assert!(work.settled < 60 * u64::from(target), "{} settled", work.settled);
    assert_eq!(oracle::dijkstra(&graph, 0).unwrap().get(target), Some(found[0].length));
}

/// Numbers that are not distances give the right paths or an error.
#[test]
fn numbers_that_are_no_distances() {
    // 0 -> 1 -> 3 is shorter than 0 -> 2 -> 3
    let graph = Csr::from_arcs(4, &[(0, 1, 1u32), (1, 3, 1), (0, 2, 2), (2, 3, 2)]).unwrap();
    let by = |numbers: [u64; 4]| {
        let number = |vertex| Some(numbers[vertex as usize]);
        k_shortest_paths(&graph, 0, 3, 3, number, None).map(|found| found.paths)
    };
    let right = by([2, 1, 2, 0]).unwrap();
    assert_eq!(right.iter().map(|path| path.length).collect::<Vec<_>>(), [2, 4]);
    assert_eq!(by([0; 4]).unwrap(), right);
    for wrong in [[2, 1, 2, 1], [9, 1, 2, 0], [2, 5, 2, 0]] {
        assert!(matches!(by(wrong), Err(SearchError::NoDistances { target: 3 })), "{wrong:?}");
    }
    let law = |(graph, numbers): (Csr<u32>, Vec<Option<u64>>)| {
        let target = graph.n_vertices() as VertexId - 1;
        let numbers = |vertex: VertexId| numbers[vertex as usize];
        match k_shortest_paths(&graph, 0, target, 5, numbers, None) {
            Ok(found) => {
                for path in &found.paths {
                    prop_assert_eq!(length(&graph, &path.vertices), Some(path.length));
                }
            }
            Err(error) => prop_assert!(matches!(error, SearchError::NoDistances { .. }), "{error}"),
        }
        Ok(())
    };
    let number = prop::option::weighted(0.9, 0..20u64);
    let numbers = prop::collection::vec(number, 12);
    let config = ProptestConfig { cases: 500, failure_persistence: None, ..Default::default() };
    let all = (arbitrary_graph::<u32>(12, 50, 0..=4), numbers);
    proptest::test_runner::TestRunner::new(config).run(&all, law).unwrap();
}
