//! Laws of shortest paths that need no oracle.

use crate::common::{configs, solver, tree};
use graph_formats::permute::Relabelling;
use graph_formats::{Csr, VertexId};
use paths::certificate::{check_distances, check_tree};
use proptest::prelude::*;
use sssp::{Algorithm, Config, Delta, Goal, SearchWeight};
use test_support::arbitrary_graph;

fn graph() -> impl Strategy<Value = Csr<u32>> {
    arbitrary_graph::<u32>(30, 120, 0..=50)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn renumbering_vertices_renumbers_the_distances(graph in graph(), seed: u64) {
        let relabelling = Relabelling::random(graph.n_vertices(), seed).unwrap();
        let renamed = relabelling.apply(&graph).unwrap();
        let source = relabelling.new_ids()[0];
        for config in configs(&graph) {
            let before = tree(&graph, 0, &config).unwrap();
            let after = tree(&renamed, source, &config).unwrap();
            for v in graph.vertices() {
                let renamed = relabelling.new_ids()[v as usize];
                prop_assert_eq!(before.distance(v), after.distance(renamed));
            }
        }
    }

    #[test]
    fn scaling_weights_scales_distances(graph in graph(), factor in 1u32..1000) {
        let arcs: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, w * factor)).collect();
        let scaled = Csr::from_arcs(graph.n_vertices(), &arcs).unwrap();
        for config in configs(&graph) {
            let before = tree(&graph, 0, &config).unwrap();
            let after = tree(&scaled, 0, &config).unwrap();
            for v in graph.vertices() {
                prop_assert_eq!(before.distance(v).map(|d| d * u64::from(factor)), after.distance(v));
            }
        }
    }

    #[test]
    fn another_arc_never_lengthens_a_path(
        graph in graph(), u: VertexId, v: VertexId, weight in 0u32..50,
    ) {
        let n = graph.n_vertices() as VertexId;
        let mut arcs: Vec<_> = graph.arcs().collect();
        arcs.push((u % n, v % n, weight));
        let more = Csr::from_arcs(graph.n_vertices(), &arcs).unwrap();
        for config in configs(&more) {
            let before = tree(&graph, 0, &config).unwrap();
            let after = tree(&more, 0, &config).unwrap();
            for v in graph.vertices() {
                let (before, after) = (before.distance(v), after.distance(v));
                prop_assert!(before.is_none() || after.is_some_and(|d| Some(d) <= before));
            }
        }
    }

    #[test]
    fn a_goal_gives_all_within_it_and_nothing_beyond(graph in graph(), target: VertexId) {
        let target = target % graph.n_vertices() as VertexId;
        for config in configs(&graph) {
            let mut solver = solver(&graph, &config);
            let all = solver.tree(0, Goal::All).unwrap();
            check_tree(&graph, &all).unwrap();
            for limit in [0, 1, 17, 40, u64::MAX - 1] {
                let tree = solver.tree(0, Goal::Within(limit)).unwrap();
                check_tree(&graph, &tree).unwrap();
                check_distances(&graph, 0, Some(limit), &tree.distances).unwrap();
                prop_assert_eq!(&tree.distances, &all.distances.clone().within(limit));
            }
            let tree = solver.tree(0, Goal::Target(target)).unwrap();
            check_tree(&graph, &tree).unwrap();
            prop_assert_eq!(tree.limit, all.distance(target));
            let expected = match tree.limit {
                Some(limit) => all.answer.distances.within(limit),
                None => all.answer.distances,
            };
            prop_assert_eq!(&tree.distances, &expected);
        }
    }
}

/// Whether vertices are settled about in the order of their distance.
fn is_ordered(config: &Config) -> bool {
    use Algorithm::{BellmanFord, BellmanFordQueue};
    !matches!(config.algorithm, None | Some(BellmanFord | BellmanFordQueue(_)))
}

#[test]
fn stopping_early_saves_work() {
    let arcs: Vec<_> = (0..9_999).flat_map(|v| [(v, v + 1, 3u32), (v + 1, v, 3)]).collect();
    let graph = Csr::from_arcs(10_000, &arcs).unwrap();
    for config in configs(&graph).iter().filter(|c| is_ordered(c)) {
        let mut solver = solver(&graph, config);
        let work = solver.distances(0, Goal::Target(10)).unwrap().work;
        let wide = config.algorithm == Some(Algorithm::DeltaStepping(Delta::Fixed(1e12)));
        assert!(wide || work.relaxations < 1000, "{config:?}: {work:?}");
        let work = solver.distances(0, Goal::Within(30)).unwrap().work;
        assert!(work.relaxations < 1000, "{config:?}: {work:?}");
    }
}

/// The key of −0 as a limit must not be that of a large distance.
#[test]
fn a_cutoff_of_zero_of_either_sign_or_below_saves_work() {
    fn saves<W: SearchWeight>(cutoffs: [(W::Distance, usize); 3]) {
        let arcs: Vec<_> = (0..9_999).map(|v| (v, v + 1, W::ONE)).collect();
        let graph = Csr::from_arcs(10_000, &arcs).unwrap();
        for config in configs(&graph).iter().filter(|c| is_ordered(c)) {
            let mut solver = solver(&graph, config);
            for (cutoff, n_reached) in cutoffs {
                let distances = solver.distances(0, Goal::Within(cutoff)).unwrap();
                assert_eq!(distances.n_reached(), n_reached);
                assert!(distances.work.relaxations < 10, "{config:?}: {:?}", distances.work);
            }
        }
    }
    saves::<f32>([(0.0, 1), (-0.0, 1), (-1.0, 0)]);
    saves::<f64>([(0.0, 1), (-0.0, 1), (-1.0, 0)]);
}
