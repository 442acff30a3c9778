//! Tables of distances from many sources, several searches at once, against the CPU's.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId};
use published::Form;
use sssp::gpu::Algorithm;
use sssp::{Config, Goal, SearchWeight, Solver, SsspError};
use test_support::arbitrary_graph;

use crate::common::{Both, corner_case_tests, gpu, gpu_alone};
use crate::{graphs, laws};

/// Checks that GPU and CPU have the same table, twice with one solver.
fn agree<W: SearchWeight>(mut both: Both<'_, W>, sources: &[VertexId], targets: &[VertexId]) {
    for _ in 0..2 {
        both.table(sources, targets);
    }
}

fn by_default<'g, W: SearchWeight>(gpu: &Gpu, name: &str, graph: &'g Csr<W>) -> Both<'g, W> {
    Both::new(gpu, name, graph, &Config::default())
}

/// Tables from a number of sources, of which two are repeated.
fn agree_from<W: SearchWeight>(both: Both<'_, W>, graph: &Csr<W>, n_sources: usize) {
    let sources: Vec<_> =
        graph.vertices().take(n_sources).chain(graph.vertices().take(2)).collect();
    let targets: Vec<_> = graph.vertices().rev().step_by(2).chain([0; 2]).collect();
    if graph.n_vertices() > 0 {
        agree(both, &sources, &targets);
    }
}

corner_case_tests! { |gpu, name, graph| agree_from(by_default(gpu, name, graph), graph, 300);
corner_cases_u32 u32, corner_cases_i64 i64, corner_cases_u64 u64, corner_cases_f64 f64, corner_cases_f32 f32 }

#[test]
fn corner_cases_by_bellman_ford() {
    laws::for_corner_cases::<i32>(|gpu, name, graph| {
        let config = Config::with(Algorithm::Published(Form::BELLMAN_FORD));
        // searches run one after the other, and on the long path each has 10^4 launches
        agree_from(Both::new(gpu, name, graph, &config), graph, 10);
    });
}

#[test]
fn generated_graphs_with_more_sources_than_teams() {
    laws::for_graphs(graphs::two_kinds(12, 60), |gpu, name, graph| {
        let sources: Vec<_> = graph.vertices().step_by(7).collect();
        let targets: Vec<_> = graph.vertices().collect();
        agree(by_default(gpu, name, graph), &sources, &targets);
        agree(by_default(gpu, name, graph), &sources[..3], &targets[..2]);
        agree(by_default(gpu, name, &graphs::thirds(graph)), &sources, &targets);
        let wide = graphs::reweighted(graph, |w| u64::from(w) << 40);
        agree(by_default(gpu, name, &wide), &sources, &targets);
        let beyond_32_bits = graphs::reweighted(graph, |w| w << 23);
        agree(by_default(gpu, name, &beyond_32_bits), &sources, &targets);
        let room_for_few_teams = gpu.with_memory_cap(8_000_000);
        agree(by_default(&room_for_few_teams, name, graph), &sources, &targets);
    });
}

#[test]
fn arbitrary_graphs() {
    let graphs = (arbitrary_graph::<u32>(40, 400, 0..=9), 1..40usize, 1..40usize);
    laws::for_arbitrary(100, graphs, |gpu, (graph, n_sources, n_targets)| {
        let n = graph.n_vertices();
        let some = |count, step| (0..count).map(move |i| (i * step % n) as VertexId);
        let sources: Vec<_> = some(n_sources, 17).collect();
        let targets: Vec<_> = some(n_targets, 5).collect();
        agree(by_default(gpu, "arbitrary", &graph), &sources, &targets);
    });
}

#[test]
fn sums_beyond_32_bits_are_right() {
    let Some(gpu) = gpu() else { return };
    let graph = graphs::heavy_path(50);
    let all: Vec<_> = graph.vertices().collect();
    agree(by_default(&gpu, "heavy path", &graph), &all, &all);
    // single searches too, before the table and after
    let mut solver = Solver::on_gpu(&gpu, &graph, &Config::default()).unwrap();
    for _ in 0..2 {
        let distances = solver.distances(0, Goal::Target(3)).unwrap();
        assert_eq!(distances.get(3), Some(11_999_999_997));
        let table = solver.table(&all, &all).unwrap();
        assert_eq!(table.row(0).nth(3), Some(Some(11_999_999_997)));
    }
}

/// A sum too large for the type of distances is an error if it is the shortest path's.
#[test]
fn sums_beyond_the_type_are_refused() {
    let Some(gpu) = gpu() else { return };
    laws::overflow_ends_a_table(|graph| Solver::on_gpu(&gpu, graph, &Config::default()).unwrap());
}

#[test]
fn without_memory_for_more_searches_they_follow_one_another() {
    let Some(gpu) = gpu() else { return };
    let graph = graphs::skewed(12);
    let all: Vec<_> = graph.vertices().step_by(100).collect();
    let mut host = Solver::new(&graph, &Config::default()).unwrap();
    let expected = host.table(&all, &all).unwrap().answer;
    laws::with_any_memory(&gpu, &graph, |mut solver, cap| {
        assert!(solver.table(&all, &all).unwrap().answer == expected, "{cap} bytes");
    });
}

#[test]
fn few_targets_end_searches_early() {
    let Some(gpu) = gpu() else { return };
    let graph = graphs::square(300);
    let mut solver = Solver::on_gpu(&gpu, &graph, &Config::default()).unwrap();
    let all: Vec<_> = graph.vertices().collect();
    let whole = solver.table(&[0, 1], &all).unwrap().work.relaxations;
    let near: Vec<_> = (0..60).collect();
    let part = solver.table(&[0, 1], &near).unwrap().work.relaxations;
    assert!(part < whole / 2, "{part} relaxations of {whole}");
}

#[test]
fn a_table_reports_progress_and_can_be_ended() {
    let Some(gpu) = gpu_alone() else { return };
    let graph = graphs::square(20);
    let all: Vec<_> = graph.vertices().collect();
    let seen = AtomicU64::new(0);
    let tell = |done, total| {
        assert_eq!(total, 400);
        seen.store(done, Relaxed);
        ControlFlow::Continue(())
    };
    let config = Config::default();
    let mut solver = Solver::on_gpu(&gpu, &graph, &config).unwrap().with_progress(&tell);
    solver.table(&all, &all).unwrap();
    assert_eq!(seen.load(Relaxed), 400);
    let stops = AtomicBool::new(true);
    let stop = |_, _| {
        if stops.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut solver = Solver::on_gpu(&gpu, &graph, &config).unwrap().with_progress(&stop);
    assert!(matches!(solver.table(&all, &all), Err(SsspError::Interrupted(_))));
    // the solver stays usable
    stops.store(false, Relaxed);
    assert!(solver.distances(0, Goal::All).is_ok());
}
