//! Next hops and the certificates of all pairs: right answers pass, wrong ones do not.

use graph_formats::Csr;
use ndarray::{Array2, array};
use paths::certificate::{Violation, check_all_pairs, check_next_hops, check_triangles};
use paths::{DistanceTable, HopStorage, NextHops, NextHopsError, Paths, oracle};
use proptest::prelude::*;
use test_support::{arbitrary_graph, corner_cases};

const NONE: u16 = u16::MAX;
const FAR: u64 = u64::MAX;

/// 0 →2 1 →0 2 →0 1: a cycle of weight zero; then 2 →3 3 and a heavier 0 →9 3.
fn graph() -> Csr<u32> {
    let arcs = [(0, 1, 2), (1, 2, 0), (2, 1, 0), (2, 3, 3), (0, 3, 9)];
    Csr::from_arcs(4, &arcs).unwrap()
}

const RIGHT: [[u64; 4]; 4] = [[0, 2, 2, 5], [FAR, 0, 0, 3], [FAR, 0, 0, 3], [FAR, FAR, FAR, 0]];
const HOPS: [[u16; 4]; 4] =
    [[NONE, 1, 1, 1], [NONE, NONE, 2, 2], [NONE, 1, NONE, 3], [NONE, NONE, NONE, NONE]];

fn table(changes: &[(usize, usize, u64)]) -> DistanceTable<u32> {
    let mut table = Array2::from(RIGHT.to_vec());
    changes.iter().for_each(|&(u, v, d)| table[(u, v)] = d);
    DistanceTable::from_storage(table)
}

fn hops(changes: &[(usize, usize, u16)]) -> NextHops {
    let mut hops = Array2::from(HOPS.to_vec());
    changes.iter().for_each(|&(u, v, x)| hops[(u, v)] = x);
    NextHops::from_storage(HopStorage::Narrow(hops)).unwrap()
}

#[test]
fn the_oracle_gives_the_canonical_hops() {
    let distances = oracle::floyd_warshall(&graph()).unwrap();
    assert_eq!(distances, table(&[]));
    assert_eq!(oracle::next_hops(&graph(), &distances), hops(&[]));
    let paths = Paths::new(distances, hops(&[])).unwrap();
    assert_eq!(paths.path(0, 3), Some(vec![0, 1, 2, 3]));
    assert_eq!((paths.path(1, 0), paths.path(2, 2)), (None, Some(vec![2])));
    assert_eq!((paths.path(4, 4), paths.path(0, 9), paths.distance(9, 0)), (None, None, None));
}

#[test]
fn wrong_tables_are_rejected() {
    let check = |changes: &[(usize, usize, u64)]| check_all_pairs(&graph(), &table(changes));
    check(&[]).unwrap();
    assert_violation!(check(&[(0, 3, 6)]), PairTooFar { from: 0, to: 3, hop: 1, .. });
    assert_violation!(check(&[(0, 3, 4)]), Unrealised { vertex: 3, source_vertex: 0, .. });
    assert_violation!(check(&[(0, 3, FAR)]), PairMissed { from: 0, to: 3, hop: 1, .. });
    assert_violation!(check(&[(3, 0, 7)]), PairMissed { from: 2, to: 0, hop: 3, .. });
    // 1 and 2 support each other, and no path leads on to 0
    assert_violation!(
        check(&[(1, 0, 7), (2, 0, 7)]),
        Unrealised { vertex: 0, source_vertex: 1, .. }
    );
    assert_violation!(check(&[(2, 2, 1)]), SourceDistance { source_vertex: 2, .. });
    assert_violation!(check(&[(2, 2, FAR)]), SourceDistance { distance: None, .. });
    // a plateau and the distances to it, lowered: an arc supports each
    assert_violation!(
        check(&[(0, 3, 4), (1, 3, 2), (2, 3, 2)]),
        Unrealised { vertex: 3, source_vertex: 0, .. }
    );
    let wide = DistanceTable::<u32>::from_storage(Array2::zeros((4, 5)));
    assert_violation!(
        check_all_pairs(&graph(), &wide),
        NotAllPairs { n_vertices: 4, rows: 4, columns: 5 }
    );
    let float = Csr::from_arcs(2, &[(0, 1, 0.5f32)]).unwrap();
    let table = DistanceTable::from_storage(array![[0.0, f32::NAN], [f32::INFINITY, 0.0]]);
    assert_violation!(check_all_pairs(&float, &table), Unrealised { vertex: 1, .. });
}

#[test]
fn wrong_hops_are_rejected() {
    let check =
        |changes: &[(usize, usize, u16)]| check_next_hops(&graph(), &table(&[]), &hops(changes));
    check(&[]).unwrap();
    assert_violation!(check(&[(0, 3, 3)]), HopNotTight { from: 0, to: 3, hop: 3, .. });
    assert_violation!(check(&[(0, 3, 2)]), HopWithoutArc { from: 0, to: 3, hop: 2 });
    assert_violation!(check(&[(0, 3, 0)]), HopWithoutArc { from: 0, to: 3, hop: 0 });
    assert_violation!(check(&[(0, 2, 3)]), HopUnreached { from: 0, to: 2, hop: 3 });
    assert_violation!(check(&[(0, 3, NONE)]), NoHop { from: 0, to: 3 });
    assert_violation!(check(&[(3, 0, 2)]), HopWithoutPath { from: 3, to: 0, hop: 2 });
    assert_violation!(check(&[(1, 1, 2)]), HopWithoutPath { from: 1, to: 1, hop: 2 });
    // round and round on a cycle that costs nothing
    assert_violation!(check(&[(2, 3, 1)]), HopCycle { from: 1 | 2, to: 3 });
    // distances are looked at too
    let verdict = check_next_hops(&graph(), &table(&[(0, 3, 6)]), &hops(&[]));
    assert_violation!(verdict, PairTooFar { from: 0, to: 3, hop: 1, .. });
    let verdict = check_next_hops(&graph(), &table(&[(0, 3, FAR)]), &hops(&[(0, 3, NONE)]));
    assert_violation!(verdict, PairMissed { from: 0, to: 3, hop: 1, .. });
    let small = NextHops::from_storage(HopStorage::Narrow(Array2::from_elem((3, 3), NONE)));
    let verdict = check_next_hops(&graph(), &table(&[]), &small.unwrap());
    assert_violation!(verdict, WrongLength { what: "next hops", expected: 4, found: 3 });
    // another shortest path is as good
    let square = Csr::from_arcs(4, &[(0, 1, 1u32), (0, 2, 1), (1, 3, 1), (2, 3, 1)]).unwrap();
    let distances = oracle::floyd_warshall(&square).unwrap();
    let HopStorage::Narrow(mut other) = oracle::next_hops(&square, &distances).as_storage().clone()
    else {
        panic!("four vertices are few")
    };
    other[(0, 3)] = 2;
    let other = NextHops::from_storage(HopStorage::Narrow(other)).unwrap();
    check_next_hops(&square, &distances, &other).unwrap();
}

#[test]
fn matrices_of_no_hops_are_refused() {
    let narrow = |hops| NextHops::from_storage(HopStorage::Narrow(hops));
    assert_eq!(
        narrow(Array2::from_elem((2, 3), NONE)).unwrap_err(),
        NextHopsError::NotSquare { rows: 2, columns: 3 }
    );
    assert_eq!(
        narrow(array![[NONE, NONE], [2, NONE]]).unwrap_err(),
        NextHopsError::NoSuchVertex { from: 1, to: 0, hop: 2, n_vertices: 2 }
    );
    let wide = NextHops::from_storage(HopStorage::Wide(Array2::from_elem((2, 2), u32::MAX)));
    assert_eq!(
        wide.unwrap_err(),
        NextHopsError::WrongWidth { n_vertices: 2, expected: 16, found: 32 }
    );
    assert!(NextHops::is_narrow(65_534) && !NextHops::is_narrow(65_535));
    let other = Paths::new(DistanceTable::<u32>::from_storage(Array2::zeros((4, 3))), hops(&[]));
    assert_eq!(
        other.unwrap_err(),
        NextHopsError::OtherDistances { n_vertices: 4, rows: 4, columns: 3 }
    );
    assert_eq!(narrow(Array2::from_elem((0, 0), NONE)).unwrap().n_vertices(), 0);
}

#[test]
fn corrupt_hops_end() {
    let follow = |changes| Paths::new(table(&[]), hops(changes)).unwrap().path(0, 3);
    assert_eq!(follow(&[(2, 3, 1)]), None);
    assert_eq!(follow(&[(0, 3, 0)]), None);
    assert_eq!(follow(&[(1, 3, NONE)]), None);
    assert_eq!(follow(&[(0, 3, 3)]), Some(vec![0, 3]));
}

#[test]
fn shorter_ways_round_are_found() {
    let check = |changes: &[(usize, usize, u64)]| check_triangles(&table(changes), 10_000, 7);
    check(&[]).unwrap();
    assert_violation!(check(&[(0, 3, 6)]), Triangle { from: 0, via: 1 | 2, to: 3, .. });
    assert_violation!(check(&[(0, 3, FAR)]), Triangle { from: 0, to: 3, distance: None, .. });
    assert_violation!(check(&[(1, 1, 1)]), SourceDistance { source_vertex: 1, .. });
    let wide = DistanceTable::<u32>::from_storage(Array2::zeros((4, 5)));
    assert_violation!(check_triangles(&wide, 9, 1), NotAllPairs { .. });
    let float = |last: f32| {
        let table = array![[0.0, 0.1, last], [9.0, 0.0, 0.2], [9.0, 9.0, 0.0]];
        check_triangles(&DistanceTable::<f32>::from_storage(table), 10_000, 7)
    };
    float(0.3).unwrap();
    float(0.300_000_2).unwrap();
    assert_violation!(float(0.3001), Triangle { from: 0, via: 1, to: 2, .. });
    assert_violation!(float(f32::NAN), Triangle { .. });
    check_triangles(&DistanceTable::<i32>::from_storage(Array2::zeros((0, 0))), 9, 1).unwrap();
}

#[test]
fn the_corner_cases_is_certified() {
    for (name, graph) in corner_cases::<i64>().iter().filter(|entry| entry.1.n_vertices() <= 70) {
        let distances = oracle::floyd_warshall(graph).unwrap();
        let hops = oracle::next_hops(graph, &distances);
        check_all_pairs(graph, &distances).unwrap_or_else(|e| panic!("{name}: {e}"));
        check_next_hops(graph, &distances, &hops).unwrap_or_else(|e| panic!("{name}: {e}"));
        check_triangles(&distances, 1000, 1).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// Distances are unique: any change to any of them is noticed.
    #[test]
    fn every_change_of_a_table_is_rejected(
        graph in arbitrary_graph::<i32>(7, 24, -1..=3),
        (u, v) in (0usize..7, 0usize..7),
        changed in prop::option::of(-3i64..12),
    ) {
        let Ok(right) = oracle::floyd_warshall(&graph) else { return Ok(()) };
        let n = graph.n_vertices();
        let mut wrong = right.as_storage().clone();
        wrong[(u % n, v % n)] = changed.unwrap_or(i64::MAX);
        let wrong = DistanceTable::from_storage(wrong);
        let verdict = check_all_pairs(&graph, &wrong);
        prop_assert_eq!(verdict.is_ok(), wrong == right, "{:?}", verdict);
    }

    /// Hops pass exactly when each path, followed, has the length that is claimed.
    #[test]
    fn changed_hops_pass_only_as_paths(
        graph in arbitrary_graph::<u32>(7, 24, 0..=2),
        changes in prop::collection::vec((0usize..7, 0usize..7, 0u16..8), 1..4),
    ) {
        let n = graph.n_vertices();
        let distances = oracle::floyd_warshall(&graph).unwrap();
        let hops = oracle::next_hops(&graph, &distances);
        check_next_hops(&graph, &distances, &hops).unwrap();
        let HopStorage::Narrow(mut wrong) = hops.as_storage().clone() else { unreachable!() };
        for (u, v, hop) in changes {
            wrong[(u % n, v % n)] = if usize::from(hop) < n { hop } else { NONE };
        }
        let wrong = NextHops::from_storage(HopStorage::Narrow(wrong)).unwrap();
        let paths = Paths::new(distances.clone(), wrong.clone()).unwrap();
        let cheapest = |u, v| graph.arcs_from(u).filter(|arc| arc.0 == v).map(|arc| arc.1).min();
        let walked = |u, v| -> Option<u64> {
            let path = paths.path(u, v)?;
            path.windows(2).map(|arc| cheapest(arc[0], arc[1]).map(u64::from)).sum()
        };
        let pairs = || graph.vertices().flat_map(|u| graph.vertices().map(move |v| (u, v)));
        let sound = pairs().all(|(u, v)| {
            let has_way = u != v && paths.distance(u, v).is_some();
            walked(u, v) == paths.distance(u, v) && has_way == wrong.get(u, v).is_some()
        });
        let verdict = check_next_hops(&graph, &distances, &wrong);
        prop_assert_eq!(verdict.is_ok(), sound, "{:?}", verdict);
    }
}
