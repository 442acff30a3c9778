//! Invalid queries are errors with a reason; no sum wraps, and no search hangs.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::common::{configs, solver, tree};
use graph_formats::{Csr, Distance, Interrupted, Weight};
use paths::certificate::check_negative_cycle;
use sssp::{
    Algorithm, Config, Delta, Goal, Queue, SearchWeight, Solver, SsspError, shortest_paths,
};

#[test]
fn negative_weights_are_named() {
    let graph = Csr::from_arcs(4, &[(0, 1, 1.0f64), (1, 3, -0.5), (2, 0, -2.0)]).unwrap();
    for algorithm in [Algorithm::Dijkstra(None), Algorithm::DeltaStepping(Delta::Auto)] {
        let refused = shortest_paths(&graph, 0, &Config::with(algorithm)).unwrap_err();
        assert!(
            matches!(&refused, SsspError::NegativeWeight { from: 1, to: 3, weight, .. } if weight == "-0.5")
        );
    }
    // −0 is not negative
    let graph = Csr::from_arcs(2, &[(0, 1, -0.0f32)]).unwrap();
    for config in configs(&graph) {
        assert_eq!(tree(&graph, 0, &config).unwrap().distance(1), Some(0.0));
    }
}

#[test]
fn negative_cycles_are_listed() {
    let arcs = [(0, 1, 2), (1, 2, -1), (2, 3, -1), (3, 1, 1), (3, 4, 5), (5, 5, -1)];
    let graph = Csr::from_arcs(6, &arcs.map(|(u, v, w): (u32, u32, i64)| (u, v, w))).unwrap();
    for config in configs(&graph) {
        let Err(SsspError::NegativeCycle { cycle }) = tree(&graph, 0, &config) else {
            panic!("{config:?} found no cycle");
        };
        check_negative_cycle(&graph, &cycle).unwrap();
        // the cycle 5 → 5 is unreachable from 0, and no cycle is reachable from 4
        assert_eq!(tree(&graph, 4, &config).unwrap().distances.n_reached(), 1);
    }
    let steep = Csr::from_arcs(2, &[(0, 1, i64::MIN / 2), (1, 0, i64::MIN / 2)]).unwrap();
    for config in configs(&steep) {
        let error = tree(&steep, 0, &config).unwrap_err();
        assert!(matches!(error, SsspError::NegativeCycle { .. }), "{config:?}: {error}");
    }
}

fn overflows<W: SearchWeight>(largest: W) {
    let farthest = largest.after(W::Distance::ZERO).unwrap();
    let graph = Csr::from_arcs(3, &[(0, 1, largest), (1, 2, largest)]).unwrap();
    for config in configs(&graph) {
        let mut solver = solver(&graph, &config);
        let error = solver.distances(0, Goal::All).unwrap_err();
        assert!(matches!(error, SsspError::Overflow { vertex: 2, .. }), "{config:?}: {error}");
        // the greatest distance as a cutoff leaves out no vertex
        let error = solver.distances(0, Goal::Within(W::Distance::UNREACHED)).unwrap_err();
        assert!(matches!(error, SsspError::Overflow { vertex: 2, .. }), "{config:?}: {error}");
        // within a limit, nothing overflows
        let near = solver.distances(0, Goal::Within(farthest)).unwrap();
        assert_eq!(near.n_reached(), 2, "{config:?}");
        let near = solver.distances(0, Goal::Target(1)).unwrap();
        assert_eq!(near.n_reached(), 2, "{config:?}");
    }
}

#[test]
fn overflow_names_the_vertex() {
    overflows(u64::MAX - 1);
    overflows(i64::MAX - 1);
    overflows(f32::MAX);
    overflows(f64::MAX);
    let deep = Csr::from_arcs(3, &[(0, 1, i64::MIN + 1), (1, 2, -2)]).unwrap();
    for config in configs(&deep) {
        let error = tree(&deep, 0, &config).unwrap_err();
        assert!(matches!(error, SsspError::Overflow { vertex: 2, .. }), "{config:?}: {error}");
    }
}

#[test]
fn thirty_two_bits_are_widened() {
    let arcs: Vec<_> = (0..100).map(|v| (v, v + 1, u32::MAX)).collect();
    let graph = Csr::from_arcs(101, &arcs).unwrap();
    for config in configs(&graph) {
        let tree = tree(&graph, 0, &config).unwrap();
        assert_eq!(tree.distance(100), Some(100 * u64::from(u32::MAX)), "{config:?}");
    }
}

#[test]
fn vertices_must_exist() {
    let empty = Csr::<u32>::from_arcs(0, &[]).unwrap();
    let two = Csr::from_arcs(2, &[(0, 1, 1u32)]).unwrap();
    for config in configs(&two) {
        let error = tree(&empty, 0, &config).unwrap_err();
        assert!(matches!(error, SsspError::NoSuchVertex { role: "source", n_vertices: 0, .. }));
        let mut solver = solver(&two, &config);
        let error = solver.distances(0, Goal::Target(2)).unwrap_err();
        assert!(matches!(error, SsspError::NoSuchVertex { role: "target", vertex: 2, .. }));
    }
}

#[test]
fn settings_must_fit() {
    let graph = Csr::from_arcs(2, &[(0, 1, 1u32 << 30)]).unwrap();
    let narrow = Config::with(Algorithm::DeltaStepping(Delta::Fixed(1.0)));
    assert!(matches!(Solver::new(&graph, &narrow).err(), Some(SsspError::BadDelta { .. })));
    let dial = Config::with(Algorithm::Dijkstra(Some(Queue::Dial)));
    assert!(matches!(Solver::new(&graph, &dial).err(), Some(SsspError::BadQueue { .. })));
    let floats = Csr::from_arcs(2, &[(0, 1, 1.5f64), (1, 0, 2.0)]).unwrap();
    assert!(matches!(Solver::new(&floats, &dial).err(), Some(SsspError::BadQueue { .. })));
    for config in configs(&floats) {
        let mut solver = solver(&floats, &config);
        let error = solver.distances(0, Goal::Within(f64::NAN)).unwrap_err();
        assert!(matches!(error, SsspError::BadCutoff(_)));
        assert_eq!(solver.distances(0, Goal::Within(-1.0)).unwrap().n_reached(), 0);
        assert_eq!(solver.distances(0, Goal::Within(f64::INFINITY)).unwrap().n_reached(), 2);
    }
    let negative = Csr::from_arcs(2, &[(0, 1, -1i32)]).unwrap();
    let mut solver = Solver::new(&negative, &Config::default()).unwrap();
    let error = solver.distances(0, Goal::Within(5)).unwrap_err();
    assert!(matches!(error, SsspError::NegativeWeight { what: "a cutoff", from: 0, to: 1, .. }));
    assert_eq!(solver.tree(0, Goal::Target(0)).unwrap().distance(1), Some(-1));
}

/// Calls `ask` on a long path with every configuration and the number of a call of its progress
/// callback, from the first to the third or the last.
fn at_some_calls(ask: impl Fn(&Csr<u32>, &Config, usize)) {
    let n = 200_000;
    let arcs: Vec<_> = (0..n - 1).map(|v| (v, v + 1, 1u32)).collect();
    let graph = Csr::from_arcs(n as usize, &arcs).unwrap();
    for config in configs(&graph) {
        let calls = AtomicUsize::new(0);
        let count = |_, _| {
            calls.fetch_add(1, Relaxed);
            ControlFlow::Continue(())
        };
        solver(&graph, &config).with_progress(&count).distances(0, Goal::All).unwrap();
        assert!(calls.load(Relaxed) > 0, "{config:?}");
        (1..=calls.load(Relaxed).min(3)).for_each(|call| ask(&graph, &config, call));
    }
}

/// Checks a search in a work space after an interrupted search.
fn assert_usable(mut solver: Solver<'_, u32>, config: &Config) {
    let near = solver.distances(7, Goal::Within(10)).unwrap();
    assert_eq!((near.get(17), near.get(18)), (Some(10), None), "{config:?}");
}

#[test]
fn searches_can_be_interrupted() {
    at_some_calls(|graph, config, last| {
        let calls = AtomicUsize::new(0);
        let stop = |_, _| match calls.fetch_add(1, Relaxed) + 1 {
            call if call == last => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let mut solver = solver(graph, config).with_progress(&stop);
        let error = solver.distances(0, Goal::All).err();
        assert_eq!(error, Some(Interrupted.into()), "{config:?}");
        assert_eq!(calls.load(Relaxed), last, "{config:?}");
        assert_usable(solver, config);
    });
}

/// The panic of a callback reaches the caller, no thread waits for one that panicked, and the
/// solver stays usable.
#[test]
fn a_callback_may_panic() {
    at_some_calls(|graph, config, last| {
        let calls = AtomicUsize::new(0);
        let panic = |_, _| match calls.fetch_add(1, Relaxed) + 1 {
            call if call == last => resume_unwind(Box::new("of the callback")),
            _ => ControlFlow::Continue(()),
        };
        let mut solver = solver(graph, config).with_progress(&panic);
        let searched = catch_unwind(AssertUnwindSafe(|| solver.distances(0, Goal::All).err()));
        let payload = searched.expect_err("it panics");
        assert_eq!(payload.downcast_ref(), Some(&"of the callback"), "{config:?}");
        assert_usable(solver, config);
    });
}
