//! The algorithm of Floyd and Warshall on the machine: distances and next hops by certificate,
//! and what it costs.

use graph_formats::{Csr, VertexId};
use ndarray::Array2;
use paths::certificate::check_next_hops;
use paths::{DistanceTable, HopStorage, NextHops};
use proptest::prelude::*;
use star_machine::algorithms::{Edge, FLOYD, Runner, Task, WeightMatrix, floyd};
use star_machine::{Counting, Host, StarError, Table};
use test_support::{arbitrary_graph, corner_cases};

use crate::common::{arcs, of_text, ran, replaced};

fn task(graph: &Csr<u32>) -> Task {
    floyd(&WeightMatrix::entering(graph.n_vertices(), &arcs(graph)).unwrap()).unwrap()
}

/// Row u of field v at (u, v).
pub(crate) fn matrix(table: &Table) -> Array2<u64> {
    let n = table.rows();
    let bits = table.columns().checked_div(n).unwrap_or(0);
    let mut matrix = Array2::zeros((n, n));
    for (v, mut column) in matrix.columns_mut().into_iter().enumerate() {
        let field = table.field(v * bits..(v + 1) * bits).unwrap();
        for (u, value) in column.iter_mut().enumerate() {
            *value = field.row(u).unwrap().to_u64().unwrap();
        }
    }
    matrix
}

/// Whether the text leaves the distances of all pairs, and next hops along paths that have them.
pub(crate) fn is_right(graph: &Csr<u32>, text: &str) -> bool {
    let (task, mut m) = (of_text(&task(graph), text), Host::new());
    let mut run = ran(&task, &mut m).unwrap();
    let (distances, hops) = (run.table("D").unwrap(), run.table("N").unwrap());
    let none = (1 << (distances.columns() / distances.rows().max(1))) - 1;
    let (distances, mut hops) = (matrix(&distances), matrix(&hops).mapv(|hop| hop as u16));
    for ((place, hop), distance) in hops.indexed_iter_mut().zip(&distances) {
        if place.0 == place.1 || *distance == none {
            *hop = u16::MAX;
        }
    }
    let distances = distances.mapv(|distance| if distance == none { u64::MAX } else { distance });
    let hops = NextHops::from_storage(HopStorage::Narrow(hops));
    hops.is_ok_and(|hops| {
        check_next_hops(graph, &DistanceTable::from_storage(distances), &hops).is_ok()
    })
}

#[test]
fn distances_and_hops_of_corner_cases() {
    for (name, graph) in corner_cases::<u32>().iter().filter(|entry| entry.1.n_vertices() <= 70) {
        assert!(is_right(graph, FLOYD), "{name}");
    }
}

#[test]
fn flaws_are_noticed() {
    // a cycle one way, where two paths together are longer than any path; a loop, parallel arcs,
    // arcs of weight 0, and a vertex that only leads there
    let mut arcs: Vec<_> = (0..9).map(|v| (v, (v + 1) % 9, 1)).collect();
    arcs.extend([(2, 2, 1), (9, 4, 1), (0, 1, 1), (10, 11, 0), (11, 10, 0), (10, 9, 1)]);
    let graph = Csr::from_arcs(12, &arcs).unwrap();
    assert!(is_right(&graph, FLOYD));
    for flaw in [
        [" and not C;", ";"],
        ["ROW(j, D.field(j)) := zero;", ""],
        ["ROW(k, D.field(j))", "ROW(j, D.field(k))"],
        ["v := WORD(j);", "v := WORD(0);"],
        ["ADDC(K, X, w; S)", "ADDC(D.field(j), X, w; S)"],
        ["SETMIN(S, D.field(j), X)", "HIT(S, D.field(j), X)"],
        ["SETMIN(S, D.field(j), X)", "(not SETMAX(S, D.field(j), X))"],
        ["TMERGE(S, B; D.field(j))", "TCOPY(S; D.field(j))"],
        ["TMERGE(H, B; N.field(j))", "v := WORD(k); WMERGE(v, B; N.field(j))"],
        ["TMERGE(H, B; N.field(j))", "TMERGE(H, X; N.field(j))"],
        ["TMERGE(H, B; N.field(j))", ""],
        ["for k := 0 to", "for k := 1 to"],
    ] {
        let is_right = is_right(&graph, &replaced(FLOYD, flaw));
        assert!(!is_right, "{flaw:?} is not noticed");
    }
}

/// The same by hand: how many paths are extended by one, all iterations together, and the ones of
/// what these weigh.
pub(crate) fn paths_through(arcs: &[Edge], n: usize, ones: impl Fn(i64) -> u32) -> (u64, u64) {
    let mut d = Array2::from_elem((n, n), None);
    let less = |a: Option<i64>, b: i64| Some(a.map_or(b, |a| a.min(b)));
    for &(u, v, w) in arcs {
        let place = &mut d[(u as usize, v as usize)];
        *place = less(*place, w);
    }
    d.diag_mut().fill(Some(0));
    let (mut n_paths, mut n_ones) = (0, 0);
    for k in 0..n {
        let (to, from) = (d.column(k).to_owned(), d.row(k).to_owned());
        n_paths += from.iter().flatten().count() as u64;
        n_ones += from.iter().flatten().map(|&w| u64::from(ones(w))).sum::<u64>();
        for ((u, v), place) in d.indexed_iter_mut() {
            if let (Some(a), Some(b)) = (to[u], from[v]) {
                *place = less(*place, a + b);
            }
        }
    }
    (n_paths, n_ones)
}

#[test]
fn what_a_pair_costs() {
    for (name, graph) in corner_cases::<u32>().iter().filter(|entry| entry.1.n_vertices() <= 40) {
        let task = task(graph);
        let mut m = Counting::new(Host::new());
        let mut run = ran(&task, &mut m).unwrap();
        let n = graph.n_vertices() as u64;
        let mut per_field = |name| run.table(name).unwrap().columns() as u64 / n.max(1);
        let (h, l) = (per_field("D"), per_field("N"));
        let (n_paths, ones) = paths_through(&arcs(graph), n as usize, |w| w.count_ones());
        // sums, what they better, two changes of a table
        let each = 5 * h + 7 * h + 1 + 6 * h + 6 * l;
        let expected = n * (1 + 1 + l) + n * (2 * h + 2 * l) + n * n + n_paths * each + ones;
        assert_eq!(m.cost().total(), expected, "{name}");
    }
}

#[test]
fn what_it_does_not_take_is_refused() {
    let negative = WeightMatrix::entering(2, &[(0 as VertexId, 1, -1)]);
    assert!(matches!(negative, Err(StarError::Negative { weight: -1 })));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn distances_and_hops_of_arbitrary_graphs(
        graph in prop_oneof![
            arbitrary_graph::<u32>(12, 40, 0..=9),
            arbitrary_graph::<u32>(12, 40, 0..=1),
        ],
    ) {
        prop_assert!(is_right(&graph, FLOYD));
    }
}
