//! Laws of all solvers on a GPU.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use gpu_runtime::Gpu;
use graph_formats::{Csr, Interrupted, WeightKind};
use paths::Tree;
use paths::certificate::{check_negative_cycle, check_tree};
use paths::oracle::{self, OracleError};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sssp::gpu::Config;
use sssp::{Found, Goal, SearchWeight, Solver, SsspError, Work};
use test_support::{arbitrary_graph, corner_cases};

use crate::common::{Both, gpu, gpu_alone, refusal};
use crate::graphs::{self, Named};

/// The solvers under test: a list of configurations, or a type that chooses those for a graph.
pub(crate) trait Solvers {
    /// The configurations that admit this graph.
    fn configs<W: SearchWeight>(&self, graph: &Csr<W>) -> Vec<Config>;

    /// Checks further properties of a search that found a tree.
    fn check<W: SearchWeight>(&self, _: &Csr<W>, _: &Found<Tree<W>>, _name: &str) {}
}

impl<List: AsRef<[Config]>> Solvers for List {
    fn configs<W: SearchWeight>(&self, _: &Csr<W>) -> Vec<Config> {
        self.as_ref().to_vec()
    }
}

/// All solvers against the oracle, from some sources, with one solver for each configuration.
pub(crate) fn agree<W: SearchWeight>(gpu: &Gpu, name: &str, graph: &Csr<W>, by: &impl Solvers) {
    let sources = graphs::some_sources(graph);
    let expected: Vec<_> = sources.iter().map(|&s| oracle::tree(graph, s, None).unwrap()).collect();
    let configs = by.configs(graph);
    assert!(!configs.is_empty(), "{name}: nothing is tested");
    for config in &configs {
        let mut solver = Solver::on_gpu(gpu, graph, config).unwrap();
        for (&source, expected) in sources.iter().zip(&expected) {
            let found = solver.tree(source, Goal::All).unwrap();
            let name = format!("{name}, {}, from {source}, {config:?}", W::KIND);
            assert!(found.answer == *expected, "{name}");
            by.check(graph, &found, &name);
        }
    }
}

/// The same; but graphs with integer weights of more than 32 bits must be refused.
pub(crate) fn agree_if_narrow<W: SearchWeight>(
    gpu: &Gpu,
    name: &str,
    graph: &Csr<W>,
    by: &impl Solvers,
) {
    let fits = |w: &W| w.to_f64() <= f64::from(u32::MAX);
    if W::KIND == WeightKind::F32 || graph.weights().iter().all(fits) {
        agree(gpu, name, graph, by);
    }
}

/// Checks that all of `configs` have the oracle's tree, or its error.
pub(crate) fn agree_or_fail_alike<W: SearchWeight>(gpu: &Gpu, graph: &Csr<W>, configs: &[Config]) {
    let expected = oracle::tree(graph, 0, None);
    for config in configs {
        match (Solver::on_gpu(gpu, graph, config).unwrap().tree(0, Goal::All), &expected) {
            (Ok(tree), Ok(expected)) => {
                assert!(tree.answer == *expected, "{config:?}");
                check_tree(graph, &tree).unwrap();
            }
            (Err(SsspError::NegativeCycle { cycle }), Err(OracleError::NegativeCycle { .. })) => {
                check_negative_cycle(graph, &cycle).unwrap();
            }
            (Err(SsspError::Overflow { .. }), Err(OracleError::Overflow { .. })) => {}
            (found, expected) => panic!("{config:?}: {found:?} for {expected:?}"),
        }
    }
}

/// Checks `law` on every corner case.
pub(crate) fn for_corner_cases<W: SearchWeight>(law: impl Fn(&Gpu, &str, &Csr<W>)) {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in corner_cases::<W>() {
        law(&gpu, name, &graph);
    }
}

/// Checks `law` on graphs; without a GPU they are not made.
pub(crate) fn for_graphs(graphs: impl Fn() -> Named, law: impl Fn(&Gpu, &str, &Csr<u32>)) {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in graphs() {
        law(&gpu, name, &graph);
    }
}

/// Checks `law` on a number of arbitrary values.
pub(crate) fn for_arbitrary<S: Strategy>(cases: u32, values: S, law: impl Fn(&Gpu, S::Value)) {
    let Some(gpu) = gpu() else { return };
    let config = ProptestConfig { cases, failure_persistence: None, ..Default::default() };
    let law = |value| {
        law(&gpu, value);
        Ok(())
    };
    TestRunner::new(config).run(&values, law).unwrap();
}

/// Checks a number of arbitrary graphs.
pub(crate) fn agree_on_arbitrary<W: SearchWeight>(
    cases: u32,
    graphs: impl Strategy<Value = Csr<W>>,
    configs: &[Config],
) {
    for_arbitrary(cases, graphs, |gpu, graph| agree_or_fail_alike(gpu, &graph, configs));
}

/// Negative weights, with and without a negative cycle, as integers and as floats; cycles far from
/// the source, of an undirected edge, and of a self-loop.
pub(crate) fn negative_weights_agree(configs: &[Config]) {
    for_arbitrary(64, arbitrary_graph::<i32>(12, 40, -3..=20), |gpu, graph| {
        agree_or_fail_alike(gpu, &graph, configs);
        agree_or_fail_alike(gpu, &graph.clone().convert_weights::<f32>().unwrap(), configs);
        agree_or_fail_alike(gpu, &graph.convert_weights::<f64>().unwrap(), configs);
    });
    let Some(gpu) = gpu() else { return };
    let of_one = Csr::from_arcs(1, &[(0, 0, -0.5f64)]).unwrap();
    for config in configs {
        is_negative_cycle(&gpu, &graphs::cycle_far_away(), config);
        is_negative_cycle(&gpu, &graphs::cycle_of_an_edge(), config);
        is_negative_cycle(&gpu, &of_one, config);
    }
}

/// Integers and floats of all magnitudes, directed and undirected graphs, small plateaus, and one
/// plateau of all vertices.
pub(crate) fn agree_on_plateaus(gpu: &Gpu, name: &str, graph: &Csr<u32>, by: &impl Solvers) {
    agree(gpu, name, graph, by);
    agree(gpu, name, &graphs::one_way(graph), by);
    let floats = graphs::as_floats(graph);
    agree(gpu, name, &floats, by);
    agree(gpu, name, &graphs::one_way(&floats), by);
    agree(gpu, name, &graphs::coarse(graph, 100), by);
    agree(gpu, name, &graphs::coarse(graph, 300), by);
}

/// Unsigned and signed integers, and floats of both widths whose sums round, in directed and
/// undirected graphs.
pub(crate) fn agree_on_types(gpu: &Gpu, name: &str, graph: &Csr<u32>, by: &impl Solvers) {
    agree(gpu, name, graph, by);
    agree(gpu, name, &graphs::one_way(graph), by);
    let thirds = graphs::thirds(graph);
    agree(gpu, name, &thirds, by);
    agree(gpu, name, &graphs::one_way(&thirds).convert_weights::<f32>().unwrap(), by);
    agree(gpu, name, &graph.clone().convert_weights::<i32>().unwrap(), by);
}

/// Sums of more than 32 bits are correct, and sums beyond the greatest float are errors.
pub(crate) fn large_sums_are_right(gpu: &Gpu, by: &impl Solvers) {
    agree(gpu, "sums of a heavy path", &graphs::heavy_path(41), by);
    // the greatest sums are of no shortest path
    let dear = [(0, 1, u32::MAX), (1, 2, u32::MAX), (0, 2, 7), (2, 1, 1)];
    agree(gpu, "sums of a dear detour", &Csr::from_arcs(3, &dear).unwrap(), by);
    let endless = graphs::even_path(2, f32::MAX);
    for config in by.configs(&endless) {
        let found = Solver::on_gpu(gpu, &endless, &config).unwrap().tree(0, Goal::All);
        assert!(matches!(found, Err(SsspError::Overflow { vertex: 2, .. })), "{found:?}");
    }
}

/// The error names the first vertex whose distance overflows, on GPU and CPU.
pub(crate) fn overflow_is_told<W: SearchWeight>(
    gpu: &Gpu,
    third: W,
    kind: &'static str,
    config: &Config,
) {
    let graph = graphs::even_path(6, third);
    let mut both = Both::new(gpu, "path", &graph, config);
    for source in 0..4 {
        let found = both.try_ask(|solver| solver.distances(source, Goal::All));
        let overflow = SsspError::Overflow { vertex: source + 4, kind };
        assert!(source > 2 || found.err() == Some(overflow), "{kind} from {source}");
        both.tree(source, Goal::Target(source + 2));
    }
}

/// The same for tables: the path from one source overflows, and that from another just fits.
pub(crate) fn overflow_ends_a_table(solver: impl for<'g> FnOnce(&'g Csr<i64>) -> Solver<'g, i64>) {
    let graph = graphs::even_path(5, i64::MAX / 3);
    let mut solver = solver(&graph);
    let overflow = SsspError::Overflow { vertex: 4, kind: "i64" };
    for sources in [[4, 0], [0, 4]] {
        assert_eq!(solver.table(&sources, &[1, 5]).unwrap_err(), overflow);
    }
    let table = solver.table(&[4, 1], &[2, 4]).unwrap();
    assert_eq!(table.row(1).nth(1), Some(Some(i64::MAX / 3 * 3)));
}

/// Checks that the search lists a negative cycle.
pub(crate) fn is_negative_cycle<W: SearchWeight>(gpu: &Gpu, graph: &Csr<W>, config: &Config) {
    expect_cycle(&mut Solver::on_gpu(gpu, graph, config).unwrap(), graph, config);
}

/// Checks that a cycle in a large graph is listed early, by the number of reports and the most
/// rounds reported.
pub(crate) fn a_cycle_is_found_early(configs: &[Config], is_early: impl Fn(u64, u64) -> bool) {
    let Some(gpu) = gpu() else { return };
    let graph = graphs::cycle_in_a_square();
    for config in configs {
        let (calls, most) = (AtomicU64::new(0), AtomicU64::new(0));
        let tell = |done, _| {
            calls.fetch_add(1, Relaxed);
            most.fetch_max(done, Relaxed);
            ControlFlow::Continue(())
        };
        let mut solver = Solver::on_gpu(&gpu, &graph, config).unwrap().with_progress(&tell);
        expect_cycle(&mut solver, &graph, config);
        let (calls, most) = (calls.load(Relaxed), most.load(Relaxed));
        assert!(is_early(calls, most), "{config:?}: {calls} reports of up to {most} rounds");
    }
}

fn expect_cycle<W: SearchWeight>(solver: &mut Solver<'_, W>, graph: &Csr<W>, by: &Config) {
    match solver.distances(0, Goal::All) {
        Err(SsspError::NegativeCycle { cycle }) => check_negative_cycle(graph, &cycle).unwrap(),
        other => panic!("{by:?}: {other:?}"),
    }
}

/// A search of very many steps reports progress, with `total` or 0 if that is unknown. It can be
/// ended before it has reported `most` of a complete search's work, and then reports no more; the
/// solver stays usable.
pub(crate) fn tells_and_ends<W: SearchWeight>(
    graph: &Csr<W>,
    configs: &[Config],
    total: u64,
    most: impl Fn(&Work) -> u64,
) {
    let Some(gpu) = gpu_alone() else { return };
    let expected = oracle::tree(graph, 0, None).unwrap();
    for config in configs {
        let (told, n_ends) = (AtomicU64::new(0), AtomicU64::new(0));
        let ends = AtomicBool::new(false);
        let tell = |done, of| {
            assert_eq!(of, total, "{config:?}");
            assert!(told.fetch_max(done, Relaxed) <= done, "{config:?}");
            if ends.load(Relaxed) {
                n_ends.fetch_add(1, Relaxed);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let mut solver = Solver::on_gpu(&gpu, graph, config).unwrap().with_progress(&tell);
        let found = solver.tree(0, Goal::All).unwrap();
        assert!(found.answer == expected, "{config:?}");
        check_tree(graph, &found).unwrap();
        assert!(told.swap(0, Relaxed) >= 256, "{config:?}");
        ends.store(true, Relaxed);
        assert_eq!(solver.distances(0, Goal::All).err(), Some(Interrupted.into()));
        assert_eq!(n_ends.load(Relaxed), 1, "{config:?}");
        assert!(told.swap(0, Relaxed) < most(&found.work), "{config:?}");
        ends.store(false, Relaxed);
        assert!(solver.tree(0, Goal::All).unwrap().answer == expected, "{config:?}");
    }
}

/// Results are within targets and cutoffs, and have times of the device.
pub(crate) fn goals_are_kept(configs: &[Config], check: impl Fn(&Found<Tree<u32>>)) {
    let Some(gpu) = gpu() else { return };
    let graph = graphs::square(60);
    for config in configs {
        let mut both = Both::new(&gpu, "square", &graph, config);
        for goal in [Goal::Target(41), Goal::Within(900), Goal::Within(0)] {
            let found = both.tree(0, goal);
            assert_eq!(Some(found.plan.algorithm), config.algorithm.map(|asked| asked.name()));
            let times = found.device_times.unwrap();
            assert!(times.solve_ms > 0.0 && times.upload_ms > 0.0, "{times:?}");
            check(&found);
        }
    }
}

/// Integer weights of 64 bits, and graphs that do not fit the memory, have the right errors.
pub(crate) fn wide_and_large_are_refused(
    configs: &[Config],
    is_right: impl Fn(&Config, &SsspError) -> bool,
) {
    let Some(gpu) = gpu() else { return };
    for config in configs {
        let wide = refusal(&gpu, &graphs::even_path(1, 1u64), config);
        assert!(matches!(wide, SsspError::NotOnGpu { .. }), "{wide}");
        assert!(wide.to_string().contains("u64") && wide.to_string().contains("CPU"), "{wide}");
        let large = refusal(&gpu.with_memory_cap(10_000), &graphs::square(60), config);
        assert!(is_right(config, &large), "{large}");
    }
}

/// With memory from too little for the graph to enough for several searches, every solver that
/// could be made passes `check`.
pub(crate) fn with_any_memory<W: SearchWeight>(
    gpu: &Gpu,
    graph: &Csr<W>,
    check: impl Fn(Solver<'_, W>, u64),
) {
    let mut n_solved = 0;
    for cap in (1..40).map(|n| n * 100_000) {
        match Solver::on_gpu(&gpu.with_memory_cap(cap), graph, &Config::default()) {
            Ok(solver) => {
                check(solver, cap);
                n_solved += 1;
            }
            Err(error) => assert!(matches!(error, SsspError::Gpu(_)), "{error}"),
        }
    }
    assert!(n_solved > 5, "{n_solved}");
}
