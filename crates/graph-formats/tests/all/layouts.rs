//! Laws of the storage formats and of the orders: nothing is lost by a conversion and its inverse.

use graph_formats::generate::{RmatConfig, rmat};
use graph_formats::permute::{Relabelling, SegmentOrder};
use graph_formats::{AnyCsr, Coo, Csr, Direction, Ell, GraphError, Weight};
use proptest::prelude::*;

type Arc = (u32, u32, i32);

/// Multigraphs with loops, isolated vertices, and now and then no vertex at all.
fn arcs() -> impl Strategy<Value = (usize, Vec<Arc>)> {
    (0usize..40).prop_flat_map(|n| {
        let vertex = 0..(n as u32).max(1);
        let most = if n == 0 { 0 } else { 120 };
        let arcs = prop::collection::vec((vertex.clone(), vertex, -50i32..50), 0..=most);
        (Just(n), arcs)
    })
}

fn graph() -> impl Strategy<Value = Csr<i32>> {
    (arcs(), any::<bool>()).prop_map(|((n, arcs), undirected)| {
        if undirected { Csr::from_edges(n, &arcs) } else { Csr::from_arcs(n, &arcs) }.unwrap()
    })
}

fn coo() -> impl Strategy<Value = Coo<i32>> {
    arcs().prop_map(|(n, arcs)| {
        let column = |of: fn(&Arc) -> u32| arcs.iter().map(of).collect();
        let weights = arcs.iter().map(|arc| arc.2).collect();
        Coo::new(n, column(|arc| arc.0), column(|arc| arc.1), weights).unwrap()
    })
}

/// A graph, and a random relabelling of it.
fn relabelled() -> impl Strategy<Value = (Csr<i32>, Relabelling)> {
    (graph(), any::<u64>()).prop_map(|(graph, seed)| {
        let relabelling = Relabelling::random(graph.n_vertices(), seed).unwrap();
        (graph, relabelling)
    })
}

proptest! {
    #[test]
    fn ell_holds_what_csr_holds(graph in graph()) {
        let ell = Ell::from_csr(&graph, usize::MAX).unwrap();
        prop_assert_eq!((ell.n_vertices(), ell.n_arcs()), (graph.n_vertices(), graph.n_arcs()));
        for v in graph.vertices() {
            prop_assert!(ell.arcs_from(v).eq(graph.arcs_from(v)));
            for k in graph.out_degree(v)..ell.width() {
                let slot = k * graph.n_vertices() + v as usize;
                prop_assert_eq!((ell.column_indices()[slot], ell.weights()[slot]), (v, 0));
            }
        }
        prop_assert_eq!(ell.to_csr(), graph);
    }

    #[test]
    fn edges_once_are_half_the_arcs((n, arcs) in arcs()) {
        let graph = Csr::from_edges(n, &arcs).unwrap();
        let once = graph.undirected_edges().unwrap();
        prop_assert_eq!(once.n_arcs(), arcs.len());
        prop_assert!(once.arcs().all(|(u, v, _)| u <= v));
        let mut given: Vec<_> =
            arcs.into_iter().map(|(u, v, weight)| (u.min(v), u.max(v), weight)).collect();
        given.sort_unstable();
        prop_assert!(once.arcs().eq(given));
        prop_assert_eq!(Csr::from_undirected_edges(&once).unwrap(), graph);
    }

    #[test]
    fn segments_are_grouped_by_end_and_then_by_start(arcs in coo(), length in 1u32..50) {
        let order = SegmentOrder::new(&arcs, length).unwrap();
        let mut positions = order.old_positions().to_vec();
        let group = |&old: &usize| {
            (arcs.destinations()[old] / length, arcs.sources()[old] / length, old)
        };
        prop_assert!(positions.is_sorted_by_key(group), "groups ascend, and are stable inside");
        positions.sort_unstable();
        prop_assert!(positions.into_iter().eq(0..arcs.n_arcs()), "a bijection");

        let sorted = order.apply(&arcs).unwrap();
        prop_assert_eq!(Csr::from_coo(&sorted).unwrap(), Csr::from_coo(&arcs).unwrap());
        prop_assert_eq!(&order.restore(sorted.sources()).unwrap(), arcs.sources());
        prop_assert_eq!(&order.restore(sorted.weights()).unwrap(), arcs.weights());
    }

    #[test]
    fn relabelling_is_undone_by_its_inverse((graph, relabelling) in relabelled()) {
        let renamed = relabelling.apply(&graph).unwrap();
        prop_assert_eq!(renamed.direction(), graph.direction());
        prop_assert_eq!(&relabelling.clone().inverse().apply(&renamed).unwrap(), &graph);

        let new_id = |v: u32| relabelling.new_ids()[v as usize];
        let mut expected: Vec<_> =
            graph.arcs().map(|(u, v, weight)| (new_id(u), new_id(v), weight)).collect();
        expected.sort_unstable();
        prop_assert!(renamed.arcs().eq(expected));

        let names: Vec<_> = graph.vertices().map(|v| format!("vertex {v}")).collect();
        let carried = relabelling.permute(&names).unwrap();
        for v in graph.vertices() {
            prop_assert_eq!(&carried[new_id(v) as usize], &names[v as usize]);
        }
        prop_assert_eq!(relabelling.restore(&carried).unwrap(), names);
    }

    #[test]
    fn degrees_descend_and_searches_widen((graph, _) in relabelled(), start in 0u32..40) {
        let by_degree = Relabelling::by_descending_degree(&graph);
        let key = |&v: &u32| (std::cmp::Reverse(graph.out_degree(v)), v);
        prop_assert!(by_degree.old_ids().is_sorted_by_key(key));

        let search = Relabelling::breadth_first(&graph, start);
        prop_assert_eq!(search.is_ok(), (start as usize) < graph.n_vertices());
        if let Ok(search) = search {
            prop_assert_eq!(search.old_ids()[0], start);
            let renamed = search.apply(&graph).unwrap();
            // the finder of a vertex is its lowest neighbour below it; finders ascend with the
            // vertices that they find, and the start of a search has none
            let mut meeters = vec![None; graph.n_vertices()];
            for (u, v, _) in renamed.arcs().filter(|&(u, v, _)| u < v) {
                meeters[v as usize].get_or_insert(u);
            }
            prop_assert!(meeters.into_iter().flatten().is_sorted());
        }
    }
}

#[test]
fn ell_takes_no_more_slots_than_it_may() {
    let star: Vec<_> = (1..1000).map(|leaf| (0, leaf, 1u32)).collect();
    let graph = Csr::from_edges(1000, &star).unwrap();
    assert!(matches!(
        Ell::from_csr(&graph, 998_999),
        Err(GraphError::EllTooWide { slots, n_arcs: 1998, row: 0, width: 999 }) if slots == 999_000.into()
    ));
    assert_eq!(Ell::from_csr(&graph, 999_000).unwrap().to_csr(), graph);
}

#[test]
fn a_sample_begins_the_random_order() {
    for n_vertices in [0, 1, 100, 5000] {
        let whole = Relabelling::random(n_vertices, 7).unwrap();
        for n in [0, 1, 63, 500, 4999, 6000] {
            let mut expected = whole.old_ids()[..n.min(n_vertices)].to_vec();
            expected.sort_unstable();
            assert_eq!(Relabelling::first_of_random(n_vertices, n, 7).unwrap(), expected);
        }
    }
}

#[test]
fn rows_beyond_one_task_keep_their_places() {
    let graph = rmat(&RmatConfig { scale: 14, edge_factor: 4, ..Default::default() }).unwrap();
    let relabelling = Relabelling::random(graph.n_vertices(), 9).unwrap();
    let renamed = relabelling.apply(&graph).unwrap();
    assert_ne!(renamed, graph);
    assert_eq!(relabelling.inverse().apply(&renamed).unwrap(), graph);
}

#[test]
fn what_does_not_match_is_refused() {
    let arcs = Coo::new(3, vec![0, 1], vec![1, 2], vec![1u32, 1]).unwrap();
    assert!(matches!(
        SegmentOrder::new(&arcs, 0),
        Err(GraphError::BadParameter { name: "vertices_per_segment", .. })
    ));
    let order = SegmentOrder::new(&arcs, 2).unwrap();
    assert!(matches!(order.permute(&[1]), Err(GraphError::LengthMismatch { expected: 2, .. })));
    assert!(matches!(order.restore(&[1; 3]), Err(GraphError::LengthMismatch { found: 3, .. })));

    let graph = Csr::from_coo(&arcs).unwrap();
    assert_eq!(graph.direction(), Direction::Directed);
    assert!(matches!(
        graph.undirected_edges(),
        Err(GraphError::BadParameter { name: "direction", .. })
    ));
    for ids in [vec![0, 0, 1], vec![0, 1, 3], vec![u32::MAX, 0, 1]] {
        assert!(matches!(
            Relabelling::from_new_ids(ids),
            Err(GraphError::BadParameter { name: "new_ids", .. })
        ));
    }
    let pair = Relabelling::from_new_ids(vec![1, 0]).unwrap();
    assert!(matches!(pair.apply(&graph), Err(GraphError::LengthMismatch { .. })));
    assert!(matches!(pair.permute(&[1; 3]), Err(GraphError::LengthMismatch { .. })));
    assert!(matches!(Relabelling::random(1 << 32, 1), Err(GraphError::TooManyVertices { .. })));
}

#[test]
fn equal_weights_are_stored_once() {
    let given = Csr::new(vec![0, 2, 3], vec![0, 1, 0], vec![2.5f32; 3]).unwrap();
    assert_eq!(given.stored_weights(), [2.5]);
    assert_eq!(given, Csr::with_equal_weights(vec![0, 2, 3], vec![0, 1, 0], 2.5).unwrap());
    assert_eq!(given.transposed().transposed(), given);
    assert_eq!(given.weights(), [2.5; 3]);
    assert_eq!(given.clone().unweighted::<i32>().stored_weights(), [1]);
    let whole = given.convert_weights::<f64>().unwrap();
    assert_eq!((whole.stored_weights(), whole.weight(2)), (&[2.5][..], 2.5));
    assert!(matches!(
        whole.convert_weights::<u32>(),
        Err(GraphError::WeightOutOfRange { arc: 0, .. })
    ));
    for odd in [0.0, -1.0] {
        let graph = Csr::with_equal_weights(vec![0, 1, 2], vec![1, 0], odd).unwrap();
        assert_eq!(graph, Csr::from_arcs(2, &[(0, 1, odd), (1, 0, odd)]).unwrap());
        assert_eq!(graph.weights(), [odd; 2]);
    }
    let odd = Csr::with_equal_weights(vec![0, 1], vec![0], f32::NAN);
    assert!(matches!(odd, Err(GraphError::WeightNotFinite { .. })));
    let none = Csr::with_equal_weights(vec![0, 0], vec![], 3).unwrap();
    assert_eq!(none, Csr::from_arcs(1, &[] as &[(u32, u32, i64)]).unwrap());
}

/// Weights that are not negative have the same bits as unsigned ones, so that nothing is copied.
#[test]
fn unsigned_weights_are_the_same_memory() {
    fn check<S: Weight>(arcs: &[(u32, u32, S)], unsigned: &[(u32, u32, S::Unsigned)]) {
        for graph in [Csr::from_arcs(3, arcs), Csr::from_edges(3, arcs)] {
            let graph = graph.unwrap();
            let same = graph.as_unsigned().expect("no weight is negative");
            let expected = match graph.direction() {
                Direction::Directed => Csr::from_arcs(3, unsigned),
                Direction::Undirected => Csr::from_edges(3, unsigned),
            };
            let expected = expected.unwrap();
            assert_eq!(same, expected);
            assert_eq!(same.weight_summary(), expected.weight_summary());
            assert_eq!(same.stored_weights(), expected.stored_weights());
            assert_eq!(same.row_offsets().as_ptr(), graph.row_offsets().as_ptr());
            assert_eq!(same.column_indices().as_ptr(), graph.column_indices().as_ptr());
            assert_eq!(same.weights().as_ptr().cast(), graph.weights().as_ptr());
            // it stays where it is when the other is gone
            let address = graph.weights().as_ptr();
            drop(graph);
            assert_eq!(same.weights(), expected.weights());
            assert_eq!(same.weights().as_ptr().cast(), address);
        }
    }
    check(
        &[(0, 1, 5i32), (1, 2, 7), (0, 2, i32::MAX)],
        &[(0, 1, 5), (1, 2, 7), (0, 2, (1 << 31) - 1)],
    );
    check(&[(0, 1, 5i64), (1, 2, 0)], &[(0, 1, 5), (1, 2, 0)]);
    check(&[(0, 1, 5u64), (1, 2, u64::MAX - 1)], &[(0, 1, 5), (1, 2, u64::MAX - 1)]);
    check(&[(0, 1, 0.5f32), (1, 2, -0.0)], &[(0, 1, 0.5), (1, 2, -0.0)]);
    // one for all, stored once, and no arcs
    check(&[(0, 1, 5i32), (1, 2, 5), (0, 2, 5)], &[(0, 1, 5), (1, 2, 5), (0, 2, 5)]);
    check::<i64>(&[], &[]);
    let negative = Csr::from_arcs(3, &[(0, 1, 5i64), (1, 2, -1)]).unwrap();
    assert!(negative.as_unsigned().is_none());
}

#[test]
fn graphs_of_any_type_are_what_they_hold() {
    let graph = Csr::from_arcs(4, &[(0, 1, 5i32), (1, 0, 5), (2, 3, -1), (3, 2, -1)]).unwrap();
    let any = AnyCsr::from(graph.clone());
    assert_eq!((any.direction(), any.common_weight()), (Direction::Directed, None));
    assert_eq!(any.first_negative(), Some((2, 3, "-1".to_owned())));
    assert_eq!((graph.ends(0), graph.ends(3)), ((0, 1), (3, 2)));
    let arcs = any.unweighted();
    assert_eq!(arcs, graph.clone().unweighted());
    assert_eq!(arcs.column_indices().as_ptr(), graph.column_indices().as_ptr());
    assert_eq!(AnyCsr::from(arcs).common_weight(), Some(1.0));
    assert_eq!(any.transposed().unwrap(), AnyCsr::from(graph.transposed()));
    let undirected = any.into_undirected().unwrap();
    assert_eq!(undirected.direction(), Direction::Undirected);
    assert_eq!(undirected, AnyCsr::from(graph.into_undirected().unwrap()));
    let one_way = AnyCsr::from(Csr::from_arcs(2, &[(0, 1, 0.5f32)]).unwrap());
    assert_eq!(one_way.common_weight(), Some(0.5));
    assert!(matches!(one_way.into_undirected(), Err(GraphError::NotUndirected { from: 0, .. })));
}
