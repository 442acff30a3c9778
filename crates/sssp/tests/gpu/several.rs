//! Tables by several GPUs, each with a share of the sources. If there are too few, one GPU is
//! opened several times.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use gpu_runtime::Gpu;
use graph_formats::{Csr, Interrupted, VertexId};
use published::Form;
use sssp::gpu::Algorithm;
use sssp::{Config, Goal, SearchWeight, Solver, SsspError};

use crate::common::{gpu, gpu_alone};
use crate::{graphs, laws};

/// Opens `n` GPUs.
fn several(n: u32) -> Vec<Gpu> {
    let count = Gpu::count().unwrap();
    println!("{count} GPUs");
    (0..n).map(|i| Gpu::open_ordinal(i % count).unwrap()).collect()
}

/// Checks that two and three GPUs have the results of one, twice with one solver.
fn agree<W: SearchWeight>(graph: &Csr<W>, config: &Config<Algorithm>, sources: &[VertexId]) {
    let all = several(3);
    let targets: Vec<_> = graph.vertices().rev().step_by(2).collect();
    let mut alone = Solver::on_gpu(&all[0], graph, config).unwrap();
    let expected = alone.table(sources, &targets).unwrap();
    for n_gpus in [2, 3] {
        let mut solver = Solver::on_gpus(&all[..n_gpus], graph, config).unwrap();
        for _ in 0..2 {
            let found = solver.table(sources, &targets).unwrap();
            let name = format!("{n_gpus} GPUs, {} sources, {}", sources.len(), W::KIND);
            assert!(found.answer == expected.answer, "{name}");
            assert!(found.device_times.is_some_and(|times| times.solve_ms > 0.0));
        }
        let found = solver.distances(0, Goal::All).map(|found| found.answer);
        assert_eq!(found, alone.distances(0, Goal::All).map(|found| found.answer));
    }
}

#[test]
fn the_table_is_that_of_one() {
    let Some(_gpu) = gpu() else { return };
    for (_, graph) in graphs::two_kinds(12, 60)() {
        let sources: Vec<_> = graph.vertices().step_by(7).collect();
        let config = Config::default();
        agree(&graph, &config, &sources);
        // fewer sources than GPUs, and one more
        agree(&graph, &config, &sources[..1]);
        agree(&graph, &config, &sources[..4]);
        agree(&graphs::thirds(&graph), &config, &sources);
        agree(&graphs::reweighted(&graph, |w| u64::from(w) << 40), &config, &sources);
        agree(&graphs::reweighted(&graph, |w| w << 23), &config, &sources);
        // searches run one after the other
        agree(&graph, &Config::with(Algorithm::Published(Form::BELLMAN_FORD)), &sources[..7]);
    }
}

/// An overflow on one GPU is the error of the table.
#[test]
fn an_error_on_one_ends_all() {
    let Some(_gpu) = gpu() else { return };
    let two = several(2);
    laws::overflow_ends_a_table(|graph| Solver::on_gpus(&two, graph, &Config::default()).unwrap());
    let graph = graphs::square(2);
    let none = Solver::on_gpus(&[], &graph, &Config::default());
    assert!(matches!(none.err(), Some(SsspError::NotOnGpu { .. })));
}

#[test]
fn progress_is_of_all_and_can_end_it() {
    let Some(_gpu) = gpu_alone() else { return };
    let graph = graphs::square(20);
    let all: Vec<_> = graph.vertices().collect();
    for stop_at in [0, 200, u64::MAX] {
        let most = AtomicU64::new(0);
        let tell = |done, total| {
            assert_eq!(total, 400);
            most.fetch_max(done, Relaxed);
            if done >= stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let solver = Solver::on_gpus(&several(2), &graph, &Config::default()).unwrap();
        let mut solver = solver.with_progress(&tell);
        match solver.table(&all, &all) {
            Ok(_) => assert_eq!((stop_at, most.load(Relaxed)), (u64::MAX, 400)),
            Err(error) => {
                assert_eq!(error, Interrupted.into());
                assert!(stop_at < 400);
            }
        }
    }
}
