//! The closure against the oracle, and by its laws, by every algorithm.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use closure::{Algorithm, ClosureError, Config, closure, counts};
use graph_formats::{Csr, VertexId, read, with_csr};
use paths::{Closure, oracle};
use proptest::prelude::*;
use test_support::{arbitrary_graph, corner_cases, data, scattered};

/// Those of the CPU.
fn algorithms() -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL.into_iter().filter(|algorithm| !algorithm.is_for_gpu())
}

fn by(algorithm: Algorithm, graph: &Csr<u32>) -> Closure {
    closure(graph, &Config::with(algorithm), None).unwrap().closure
}

#[test]
fn corner_cases_agrees() {
    for (name, graph) in corner_cases::<u32>().iter().filter(|entry| entry.1.n_vertices() <= 1000) {
        let expected = oracle::closure(graph);
        for algorithm in algorithms() {
            assert!(by(algorithm, graph) == expected, "{name}, {algorithm}");
        }
    }
}

#[test]
fn sizes_around_words_and_blocks_agree() {
    let words = [63, 64, 65, 127, 128, 129, 447, 448, 449, 511, 512, 513];
    let blocks = [255, 256, 257, 575, 576, 577, 767, 768, 769];
    for (n, degree) in words.into_iter().chain(blocks).flat_map(|n| [(n, 1), (n, 2), (n, 5)]) {
        let graph = scattered(n, degree);
        let expected = oracle::closure(&graph);
        for algorithm in [Algorithm::Components, Algorithm::Blocked] {
            assert!(by(algorithm, &graph) == expected, "{n} vertices, {algorithm}");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let graph = scattered(900, 2);
    let expected = by(Algorithm::Blocked, &graph);
    for threads in [1, 2, 3, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for algorithm in [Algorithm::Blocked, Algorithm::Components] {
            let config = Config::with(algorithm);
            let found = pool.install(|| closure(&graph, &config, None)).unwrap();
            assert!(found.closure == expected && found.plan.threads == threads);
        }
    }
}

#[test]
fn long_paths_need_no_deep_stack() {
    let path = |n: VertexId| {
        let arcs: Vec<_> = (0..n - 1).map(|v| (v, v + 1, 1u32)).collect();
        Csr::from_arcs(n as usize, &arcs).unwrap()
    };
    for (algorithm, n) in [(Algorithm::Components, 10_000), (Algorithm::Blocked, 2000)] {
        let found = by(algorithm, &path(n));
        assert_eq!(found.n_pairs(), (n as usize - 1) * n as usize / 2);
        assert!(found.reaches(0, n - 1) && !found.reaches(n - 1, 0) && !found.reaches(7, 7));
    }
}

#[test]
fn real_graphs_agree_with_the_oracle() {
    // a vertex, and how many it reaches, itself included, by shared/data/reference.json
    let known =
        [("snap/wiki-Vote.txt", 30, 2316), ("connectome/larva_unmatched_full.csv.gz", 29, 2924)];
    for (name, source, n_reached) in known {
        let Some(path) = data(name) else { continue };
        let loaded = read(path).unwrap();
        let source = loaded.ids.vertex(source, loaded.csr.n_vertices()).unwrap();
        with_csr!(&loaded.csr, |graph| {
            let expected = oracle::closure(graph);
            let others = expected.reached_from(source).filter(|&v| v != source).count();
            assert_eq!(others + 1, n_reached, "{name}");
            for algorithm in algorithms() {
                let found = closure(graph, &Config::with(algorithm), None).unwrap();
                assert!(found.closure == expected, "{name}, {algorithm}");
            }
        });
    }
}

#[test]
fn progress_is_told_and_can_end_it() {
    let graph = scattered(600, 1);
    for algorithm in algorithms() {
        let config = Config::with(algorithm);
        let (last, total) = (AtomicU64::new(0), AtomicU64::new(0));
        let tell = |done, all| {
            assert!(done >= last.swap(done, Ordering::Relaxed) && done < all);
            total.store(all, Ordering::Relaxed);
            ControlFlow::Continue(())
        };
        closure(&graph, &config, Some(&tell)).unwrap();
        assert!(total.into_inner() > 0, "{algorithm} tells nothing");
        let stopped = closure(&graph, &config, Some(&|_, _| ControlFlow::Break(())));
        assert!(matches!(stopped, Err(ClosureError::Interrupted(_))), "{algorithm} goes on");
    }
}

#[test]
fn forms_for_a_gpu_are_refused_with_a_way_out() {
    for algorithm in Algorithm::ALL.into_iter().filter(|a| a.is_for_gpu()) {
        let refused = closure(&scattered(5, 1), &Config::with(algorithm), None);
        let message = refused.unwrap_err().to_string();
        assert!(message.contains(algorithm.name()) && message.contains("blocked"), "{message}");
    }
}

#[test]
fn auto_takes_the_shorter_way() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let plan = |graph: &Csr<u32>, condense| {
        let config = Config { condense, ..Config::default() };
        let found = pool.install(|| closure(graph, &config, None)).unwrap();
        assert!(found.closure == oracle::closure(graph));
        found.plan
    };
    // in an order every vertex leads to the next 60, but one union for each is enough
    let order = (0..3000).flat_map(|u| (u + 1..3000.min(u + 61)).map(move |v| (u, v, 1u32)));
    let order = Csr::from_arcs(3000, &order.collect::<Vec<_>>()).unwrap();
    let one_component = scattered(2000, 5);
    for graph in [&order, &one_component, &scattered(2000, 1), &scattered(3, 1)] {
        let plan = plan(graph, true);
        assert_eq!(plan.algorithm, "components", "{plan}");
    }
    // from one half to the other half every arc is a union
    let half = 1500;
    let arcs = (0..half).flat_map(|u| (half..2 * half).map(move |v| (u, v, 1u32)));
    let halves = Csr::from_arcs(2 * half as usize, &arcs.collect::<Vec<_>>()).unwrap();
    let some = (0..half).flat_map(|u| (half..half + 300).map(move |v| (u, v, 1u32)));
    let some = Csr::from_arcs(2 * half as usize, &some.collect::<Vec<_>>()).unwrap();
    for (graph, condense) in [(&halves, true), (&some, true), (&one_component, false)] {
        let plan = plan(graph, condense);
        assert_eq!(plan.algorithm, "blocked", "{plan}");
        assert!(plan.to_string().starts_with("blocked: "), "{plan}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn arbitrary_graphs(graph in arbitrary_graph::<u32>(150, 250, 0..=1)) {
        let expected = oracle::closure(&graph);
        for algorithm in algorithms() {
            prop_assert!(by(algorithm, &graph) == expected, "{}", algorithm);
        }
        prop_assert_eq!(counts(&graph, None).unwrap(), expected.counts());
        for u in graph.vertices() {
            let row = graph.vertices().filter(|&v| expected.reaches(u, v));
            prop_assert!(expected.reached_from(u).eq(row));
        }
        prop_assert_eq!(expected.reached_from(150).count(), 0);
    }

    #[test]
    fn laws(
        graph in arbitrary_graph::<u32>(600, 900, 1..=1),
        more in (0..600 as VertexId, 0..600 as VertexId),
    ) {
        let n = graph.n_vertices();
        for algorithm in [Algorithm::Components, Algorithm::Blocked] {
            let found = by(algorithm, &graph);
            let pairs = || graph.vertices().flat_map(|u| found.reached_from(u).map(move |v| (u, v)));
            // its own closure
            let arcs: Vec<_> = pairs().map(|(u, v)| (u, v, 1)).collect();
            prop_assert!(by(algorithm, &Csr::from_arcs(n, &arcs).unwrap()) == found);
            // of the reversed arcs, the reversed closure
            let reversed = by(algorithm, &graph.transposed());
            prop_assert_eq!(reversed.n_pairs(), found.n_pairs());
            prop_assert!(pairs().all(|(u, v)| reversed.reaches(v, u)));
            // more arcs, no fewer pairs
            let arcs: Vec<_> = graph
                .arcs()
                .chain([(more.0 % n as VertexId, more.1 % n as VertexId, 1)])
                .collect();
            let more = by(algorithm, &Csr::from_arcs(n, &arcs).unwrap());
            prop_assert!(pairs().all(|(u, v)| more.reaches(u, v)));
        }
    }
}

/// Counts without bits of pairs are those of the closure: of components of one vertex and of many,
/// and of more than one block of them.
#[test]
fn counts_are_those_of_the_closure() {
    let sizes = [(63, 1), (64, 2), (65, 1), (513, 1), (2000, 1), (2000, 2)];
    for (n, degree) in sizes {
        let graph = scattered(n, degree);
        assert_eq!(counts(&graph, None).unwrap(), oracle::closure(&graph).counts());
    }
    // a path of 9,000 components, beyond one block, of which every hundredth is a cycle of three
    let (mut arcs, mut n) = (Vec::new(), 0u32);
    for component in 0..9000 {
        let size = if component % 100 == 0 { 3 } else { 1 };
        arcs.extend((0..size).filter(|_| size > 1).map(|i| (n + i, n + (i + 1) % size, 1u32)));
        n += size;
        arcs.push((n - 1, n, 1));
    }
    let graph = Csr::from_arcs(n as usize + 1, &arcs).unwrap();
    assert_eq!(counts(&graph, None).unwrap(), by(Algorithm::Components, &graph).counts());
}
