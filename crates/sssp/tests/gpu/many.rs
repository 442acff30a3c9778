//! Tables of distances from many sources, several searches at once, against the CPU's.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use gpu_runtime::Gpu;
use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
use graph_formats::{Csr, VertexId};
use paths::DistanceTable;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sssp::gpu::Algorithm;
use sssp::{Config, Goal, SearchWeight, Solver, SsspError};
use test_support::{arbitrary_graph, corner_cases};

use crate::common::{gpu, gpu_alone, reweighted};

fn host_table<W: SearchWeight>(
    graph: &Csr<W>,
    sources: &[VertexId],
    targets: &[VertexId],
) -> DistanceTable<W> {
    Solver::new(graph, &Config::default()).unwrap().table(sources, targets).unwrap().answer
}

/// Both processors give the same table, twice from one solver.
fn agree<W: SearchWeight>(
    gpu: &Gpu,
    name: &str,
    graph: &Csr<W>,
    config: &Config<Algorithm>,
    sources: &[VertexId],
    targets: &[VertexId],
) {
    let expected = host_table(graph, sources, targets);
    let mut solver = Solver::on_gpu(gpu, graph, config).unwrap();
    for _ in 0..2 {
        let found = solver.table(sources, targets).unwrap();
        assert!(found.answer == expected, "{name}, {}, {} sources", W::KIND, sources.len());
    }
}

fn corner_cases_agrees<W: SearchWeight>(config: &Config<Algorithm>, n_sources: usize) {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in corner_cases::<W>() {
        let sources: Vec<_> =
            graph.vertices().take(n_sources).chain(graph.vertices().take(2)).collect();
        let targets: Vec<_> = graph.vertices().rev().step_by(2).chain([0; 2]).collect();
        if graph.n_vertices() > 0 {
            agree(&gpu, name, &graph, config, &sources, &targets);
        }
    }
}

#[test]
fn corner_cases_u32() {
    corner_cases_agrees::<u32>(&Config::default(), 300);
}

#[test]
fn corner_cases_i64() {
    corner_cases_agrees::<i64>(&Config::default(), 300);
}

#[test]
fn corner_cases_u64() {
    corner_cases_agrees::<u64>(&Config::default(), 300);
}

#[test]
fn corner_cases_f64() {
    corner_cases_agrees::<f64>(&Config::default(), 300);
}

#[test]
fn corner_cases_f32() {
    corner_cases_agrees::<f32>(&Config::default(), 300);
}

#[test]
fn corner_cases_by_bellman_ford() {
    // one search follows the other, and on the long path each has 10^4 launches
    corner_cases_agrees::<i32>(&Config::with(Algorithm::BELLMAN_FORD), 10);
}

#[test]
fn generated_graphs_with_more_sources_than_teams() {
    let Some(gpu) = gpu() else { return };
    let dense = rmat(&RmatConfig { scale: 12, ..RmatConfig::default() }).unwrap();
    let sparse = grid(&GridConfig { side: 60, ..GridConfig::default() }).unwrap();
    for (name, graph) in [("rmat", dense), ("grid", sparse)] {
        let sources: Vec<_> = graph.vertices().step_by(7).collect();
        let targets: Vec<_> = graph.vertices().collect();
        let config = Config::default();
        agree(&gpu, name, &graph, &config, &sources, &targets);
        agree(&gpu, name, &graph, &config, &sources[..3], &targets[..2]);
        let doubles = reweighted(&graph, |w| f64::from(w) / 3.0);
        agree(&gpu, name, &doubles, &config, &sources, &targets);
        let heavy = reweighted(&graph, |w| u64::from(w) << 40);
        agree(&gpu, name, &heavy, &config, &sources, &targets);
        let beyond_32_bits = reweighted(&graph, |w| w << 23);
        agree(&gpu, name, &beyond_32_bits, &config, &sources, &targets);
        // room for few teams
        let small = gpu.with_memory_cap(8_000_000);
        agree(&small, name, &graph, &config, &sources, &targets);
    }
}

#[test]
fn arbitrary_graphs() {
    let Some(gpu) = gpu() else { return };
    let graphs = (arbitrary_graph::<u32>(40, 400, 0..=9), 1..40usize, 1..40usize);
    let law = |(graph, n_sources, n_targets): (Csr<u32>, usize, usize)| {
        let n = graph.n_vertices();
        let some = |count, step| (0..count).map(move |i| (i * step % n) as VertexId);
        let sources: Vec<_> = some(n_sources, 17).collect();
        let targets: Vec<_> = some(n_targets, 5).collect();
        let mut solver = Solver::on_gpu(&gpu, &graph, &Config::default()).unwrap();
        let found = solver.table(&sources, &targets).unwrap();
        let expected = host_table(&graph, &sources, &targets);
        prop_assert!(found.answer == expected);
        Ok(())
    };
    let config = ProptestConfig { cases: 100, failure_persistence: None, ..Default::default() };
    TestRunner::new(config).run(&graphs, law).unwrap();
}

#[test]
fn sums_beyond_32_bits_are_right() {
    let Some(gpu) = gpu() else { return };
    let heavy: Vec<_> = (0..40).map(|v| (v, v + 1, 4_000_000_000u32 - v)).collect();
    let graph = Csr::from_edges(50, &heavy).unwrap();
    let all: Vec<_> = graph.vertices().collect();
    agree(&gpu, "heavy path", &graph, &Config::default(), &all, &all);
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
    let path: Vec<_> = (0..5).map(|v| (v, v + 1, i64::MAX / 3)).collect();
    let graph = Csr::from_arcs(6, &path).unwrap();
    let mut solver = Solver::on_gpu(&gpu, &graph, &Config::default()).unwrap();
    let overflow = SsspError::Overflow { vertex: 4, kind: "i64" };
    assert_eq!(solver.table(&[4, 0], &[1, 5]).unwrap_err(), overflow);
    assert_eq!(solver.table(&[4, 1], &[2, 4]).unwrap().row(1).nth(1), Some(Some(i64::MAX / 3 * 3)));
}

#[test]
fn without_memory_for_more_searches_they_follow_one_another() {
    let Some(gpu) = gpu() else { return };
    let graph = rmat(&RmatConfig { scale: 12, ..RmatConfig::default() }).unwrap();
    let all: Vec<_> = graph.vertices().step_by(100).collect();
    // from too little for the graph to enough for several searches
    let mut n_solved = 0;
    for cap in (1..40).map(|n| n * 100_000) {
        let small = gpu.with_memory_cap(cap);
        match Solver::on_gpu(&small, &graph, &Config::default()) {
            Ok(mut solver) => {
                let found = solver.table(&all, &all);
                let expected = host_table(&graph, &all, &all);
                assert!(found.unwrap().answer == expected, "{cap} bytes");
                n_solved += 1;
            }
            Err(error) => assert!(matches!(error, SsspError::Gpu(_)), "{error}"),
        }
    }
    assert!(n_solved > 5, "{n_solved}");
}

#[test]
fn few_targets_end_searches_early() {
    let Some(gpu) = gpu() else { return };
    let graph = grid(&GridConfig { side: 300, ..GridConfig::default() }).unwrap();
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
    let graph = grid(&GridConfig { side: 20, ..GridConfig::default() }).unwrap();
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
    assert!(matches!(solver.table(&all, &all), Err(SsspError::Interrupted)));
    // and goes on afterwards
    stops.store(false, Relaxed);
    assert!(solver.distances(0, Goal::All).is_ok());
}
