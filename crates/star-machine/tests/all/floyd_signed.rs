//! The algorithm of Floyd and Warshall where weights may be negative: distances and next hops by
//! certificate where the oracle has any, else a negative cycle by certificate, and what it costs.

use graph_formats::Csr;
use paths::certificate::{check_negative_cycle, check_next_hops};
use paths::oracle::{self, OracleError};
use paths::{DistanceTable, HopStorage, NextHops};
use proptest::prelude::*;
use star_machine::algorithms::{FLOYD_SIGNED, Runner, SignedMatrix, cycle_of_hops, floyd_signed};
use star_machine::{Counting, Host, StarError, Table};
use test_support::{arbitrary_graph, corner_cases};

use crate::common::{arcs, of_text, ran, replaced};
use crate::floyd::{matrix, paths_through};

fn entering(graph: &Csr<i64>) -> SignedMatrix {
    SignedMatrix::entering(graph.n_vertices(), &arcs(graph)).unwrap()
}

/// Whether the text finds distances and next hops, or a negative cycle, as the oracle does.
pub(crate) fn is_right(graph: &Csr<i64>, text: &str) -> bool {
    let into = entering(graph);
    let task = floyd_signed(&into).unwrap();
    let (task, mut m) = (of_text(&task, text), Host::new());
    let mut run = ran(&task, &mut m).unwrap();
    let (hops, walk) = (run.table("N").unwrap(), run.int("c").unwrap().zip(run.int("d").unwrap()));
    let expected = match oracle::floyd_warshall(graph) {
        Ok(distances) => distances,
        Err(OracleError::NegativeCycle { .. }) => {
            let cycle = walk.and_then(|(c, d)| cycle_of_hops(&hops, c, d));
            return cycle.is_some_and(|cycle| check_negative_cycle(graph, &cycle).is_ok());
        }
        Err(other) => panic!("{other}"),
    };
    let none = (1 << (into.bits() - 1)) - 1;
    let distances = matrix(&run.table("D").unwrap()).mapv(|code| match into.number(code) {
        distance if distance == none => i64::MAX,
        distance => distance,
    });
    let mut hops = matrix(&hops).mapv(|hop| hop as u16);
    for ((place, hop), distance) in hops.indexed_iter_mut().zip(&distances) {
        if place.0 == place.1 || *distance == i64::MAX {
            *hop = u16::MAX;
        }
    }
    let (distances, hops) =
        (DistanceTable::from_storage(distances), NextHops::from_storage(HopStorage::Narrow(hops)));
    let is_right = |hops| check_next_hops(graph, &distances, &hops).is_ok();
    walk.is_none() && distances == expected && hops.is_ok_and(is_right)
}

#[test]
fn distances_and_hops_of_corner_cases() {
    for (name, graph) in corner_cases::<i64>().iter().filter(|entry| entry.1.n_vertices() <= 70) {
        if *name != "largest weights" {
            assert!(is_right(graph, FLOYD_SIGNED), "{name}");
        }
    }
}

/// Graphs on which a text is tried. Some have potentials, so that weights are of either sign.
/// Others have cycles of negative weight. One of these is a loop, one lies behind a way that the
/// walk begins and ends with, and some lead next hops in cycles if it goes on after the first.
fn graphs() -> Vec<Csr<i64>> {
    let height = |v: u32| i64::from(v * v % 7) - 3;
    let arcs: Vec<_> = (0..9)
        .flat_map(|u| [(u, (u * 5 + 1) % 9, 1), (u, (u + 1) % 9, 2), (u, u, 0)])
        .map(|(u, v, w)| (u, v, w + height(v) - height(u)))
        .chain([(9, 4, -2), (10, 9, 0), (0, 1, 50)])
        .collect();
    let chain: Vec<_> = (0..6).map(|v| (v, v + 1, -1)).collect();
    let cycle = [(0, 1, 1), (1, 4, 1), (4, 3, -5), (3, 1, 1), (1, 2, 1), (2, 0, 1)];
    let several = [(1, 2, -1), (2, 1, 0), (1, 0, 1), (3, 1, 1), (0, 3, -3)];
    let all = (0..6).flat_map(|u| (0..6).filter(move |&v| v != u).map(move |v| (u, v, -4)));
    [
        Csr::from_arcs(11, &arcs),
        Csr::from_arcs(7, &chain),
        Csr::from_arcs(5, &cycle),
        Csr::from_arcs(4, &several),
        Csr::from_arcs(2, &[(0, 1, 3), (1, 1, -1)]),
        Csr::from_arcs(6, &all.collect::<Vec<_>>()),
    ]
    .into_iter()
    .map(Result::unwrap)
    .collect()
}

#[test]
fn flaws_are_noticed() {
    let graphs = graphs();
    assert!(graphs.iter().all(|graph| is_right(graph, FLOYD_SIGNED)));
    for flaw in [
        ["inf := not FRST(w);", "SET(inf);"],
        ["if GREAT(w, inf) then begin c := j;  d := j end;", ""],
        ["ROW(j, D.field(j)) := zero;", ""],
        ["v := WORD(j);", "v := WORD(0);"],
        ["if c >= 0 then exit;", ""],
        ["F := not MATCH(K, X, inf);", "F := X;"],
        ["w := ROW(k, D.field(j));", "w := ROW(j, D.field(k));"],
        ["if GREAT(w, inf) then begin c := j;  d := k;  exit end;", ""],
        ["d := k;  exit", "d := j;  exit"],
        ["w := ROW(j, S);", "w := ROW(k, S);"],
        ["SETMINS(S, D.field(j), F)", "SETMIN(S, D.field(j), F)"],
        ["SETMINS(S, D.field(j), F)", "not SETMAXS(S, D.field(j), F)"],
        ["TMERGE(S, B; D.field(j))", "TCOPY(S; D.field(j))"],
        ["TMERGE(H, B; N.field(j))", ""],
        ["for k := 0 to", "for k := 1 to"],
    ] {
        let text = replaced(FLOYD_SIGNED, flaw);
        let are_right = graphs.iter().all(|graph| is_right(graph, &text));
        assert!(!are_right, "{flaw:?} is not noticed");
    }
}

#[test]
fn what_a_pair_costs() {
    for (name, graph) in corner_cases::<i64>().iter().filter(|entry| entry.1.n_vertices() <= 40) {
        if *name == "largest weights" || oracle::floyd_warshall(graph).is_err() {
            continue;
        }
        let task = floyd_signed(&entering(graph)).unwrap();
        let mut m = Counting::new(Host::new());
        let mut run = ran(&task, &mut m).unwrap();
        let n = graph.n_vertices() as u64;
        let mut per_field = |name| run.table(name).unwrap().columns() as u64 / n.max(1);
        let (h, l) = (per_field("D"), per_field("N"));
        let ones = |w: i64| (w as u64 & (u64::MAX >> (64 - h))).count_ones();
        let (n_paths, ones) = paths_through(&arcs(graph), n as usize, ones);
        // sums, the way back, what they better, two changes of a table
        let each = 5 * h + 1 + 7 * h + 6 * h + 6 * l;
        let vertex = 2 * h + 2 * l + 2 * h + 1;
        let expected = 2 + n * (1 + 1 + 1 + l) + n * vertex + n * n + n_paths * each + ones;
        assert_eq!(m.cost().total(), expected, "{name}");
    }
}

#[test]
fn sums_of_two_paths_do_not_wrap() {
    let n = 7;
    for w in [1, 4, 5, -4, (1 << 58) - 1] {
        // all the way round, and back at once: together twice as long as any path
        let arcs: Vec<_> = (0..n).map(|v| (v, (v + 1) % n, w)).collect();
        let into = SignedMatrix::entering(n as usize, &arcs).unwrap();
        let two_paths = u128::from(2 * w.unsigned_abs()) * u128::from(n - 1);
        assert!(1u128 << (into.bits() - 1) > two_paths + 1);
        assert!(is_right(&Csr::from_arcs(n as usize, &arcs).unwrap(), FLOYD_SIGNED), "{w}");
    }
    let heavy = SignedMatrix::entering(7, &[(0, 1, i64::MIN)]);
    assert!(matches!(heavy, Err(StarError::TooHeavy { .. })));
    let away = SignedMatrix::entering(2, &[(0, 2, 1)]);
    assert!(matches!(away, Err(StarError::OutOfRange { what: "vertex", index: 2, len: 2 })));
}

#[test]
fn a_cycle_is_followed_where_there_is_one() {
    // field v has, in row u, the next hop from u to v
    let hops = |rows: &[u64]| Table::from_values(rows, 6).unwrap();
    // 0 to 1 to 2, and back through 1
    let through = hops(&[0b00_01_01, 0b00_01_10, 0b01_01_10]);
    assert_eq!(cycle_of_hops(&through, 0, 2), Some(vec![1, 2]));
    // a loop; nobody gets to 2, or back from it; no vertex at all
    assert_eq!(cycle_of_hops(&through, 0, 0), Some(vec![0]));
    assert_eq!(cycle_of_hops(&hops(&[0b00_01_01, 0b00_01_00, 0b01_01_10]), 0, 2), None);
    assert_eq!(cycle_of_hops(&hops(&[0b00_01_10, 0b01_01_10, 0b01_01_10]), 0, 2), None);
    assert_eq!(cycle_of_hops(&through, 0, 3), None);
    assert_eq!(cycle_of_hops(&Table::zeros(0, 0).unwrap(), 0, 0), None);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn distances_or_cycles_of_arbitrary_graphs(
        graph in prop_oneof![
            arbitrary_graph::<i64>(12, 30, -3..=9),
            arbitrary_graph::<i64>(12, 30, -1..=9),
        ],
    ) {
        prop_assert!(is_right(&graph, FLOYD_SIGNED));
    }

    #[test]
    fn hops_where_weights_are_shifted_by_potentials(
        graph in arbitrary_graph::<i64>(16, 50, 0..=4),
        potentials in prop::collection::vec(-9..=9i64, 16),
    ) {
        let at = |v: u32| potentials[v as usize];
        let arcs: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, w + at(u) - at(v))).collect();
        let graph = Csr::from_arcs(graph.n_vertices(), &arcs).unwrap();
        prop_assert!(is_right(&graph, FLOYD_SIGNED));
    }
}
