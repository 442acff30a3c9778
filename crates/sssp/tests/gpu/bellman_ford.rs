//! Edge-parallel Bellman-Ford: every variant against the oracle, bit for bit.

use std::num::NonZeroU32;

use graph_formats::Csr;
use paths::oracle;
use published::{EdgeOrder, Form, Loads, Stores};
use sssp::gpu::Algorithm;
use sssp::{Config, Goal, SearchWeight, Solver, SsspError};

use crate::common::{corner_case_tests, gpu, refusal};
use crate::graphs;
use crate::laws::{self, agree};

/// All loads and stores, with the edges as stored and in segments of several lengths.
fn all_variants() -> Vec<Config<Algorithm>> {
    let segments = [1, 7, 64, 4096]
        .map(|vertices| EdgeOrder::Segments { vertices: NonZeroU32::new(vertices).unwrap() });
    let mut variants = Vec::new();
    for edges in [EdgeOrder::AsStored].into_iter().chain(segments) {
        for loads in [Loads::Plain, Loads::ReadOnly] {
            for stores in [Stores::Atomic, Stores::Racing] {
                let form = Form::BellmanFord { edges, loads, stores };
                variants.push(Config::with(Algorithm::Published(form)));
            }
        }
    }
    variants
}

/// The variants that admit negative weights.
fn variants() -> Vec<Config<Algorithm>> {
    let takes_any = |config: &Config<Algorithm>| match config.algorithm {
        Some(Algorithm::Published(form)) => form.admits_negative(),
        _ => false,
    };
    all_variants().into_iter().filter(takes_any).collect()
}

/// The variants that admit the graph.
struct Variants;

impl laws::Solvers for Variants {
    fn configs<W: SearchWeight>(&self, graph: &Csr<W>) -> Vec<Config<Algorithm>> {
        if graph.first_negative().is_none() { all_variants() } else { variants() }
    }
}

corner_case_tests! { |gpu, name, graph| agree(gpu, name, graph, &Variants);
corner_cases_u32 u32, corner_cases_i32 i32, corner_cases_f32 f32, corner_cases_f64 f64 }

#[test]
fn generated_graphs() {
    laws::for_graphs(graphs::two_kinds(12, 100), |gpu, name, graph| {
        laws::agree_on_types(gpu, name, graph, &Variants);
    });
}

/// Intermediate distances in a race differ from run to run, but the result does not. Negative
/// weights are refused, since distances could fall without end.
#[test]
fn a_race_ends_right_each_time() {
    let Some(gpu) = gpu() else { return };
    let graph = graphs::skewed(14);
    let racing = Config::with(Algorithm::Published(Form::BellmanFord {
        edges: EdgeOrder::AsStored,
        loads: Loads::Plain,
        stores: Stores::Racing,
    }));
    let expected = oracle::tree(&graph, 0, None).unwrap().distances;
    let mut solver = Solver::on_gpu(&gpu, &graph, &racing).unwrap();
    for _ in 0..50 {
        assert!(solver.distances(0, Goal::All).unwrap().answer == expected);
    }
    let negative = Csr::from_arcs(3, &[(0, 1, 4i32), (1, 2, -1)]).unwrap();
    assert!(matches!(refusal(&gpu, &negative, &racing), SsspError::NegativeWeight { .. }));
}

#[test]
fn sums_that_do_not_fit_are_added_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    laws::large_sums_are_right(&gpu, &Variants);
    agree(&gpu, "deep path", &graphs::deep_path(-2_000_000_000), &Variants);
}

#[test]
fn negative_weights() {
    laws::negative_weights_agree(&variants());
    // each of 90,000 iterations would be reported
    laws::a_cycle_is_found_early(&variants()[..1], |n_reports, _| n_reports < 5000);
}

#[test]
fn goals_are_kept() {
    laws::goals_are_kept(&variants()[..1], |found| {
        assert!(found.work.rounds > 1 && found.plan.device.is_some());
        assert!(found.device_times.unwrap().prepare_ms > 0.0);
    });
}

#[test]
fn what_it_cannot_do_is_refused() {
    laws::wide_and_large_are_refused(&variants(), |_, error| matches!(error, SsspError::Gpu(_)));
}
