//! The published closures of whole graphs against the oracle, on the host and on a GPU.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use gpu_runtime::GpuError;
use graph_formats::{read, with_csr};
use paths::oracle;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use star_machine::{StarError, Warshall};
use test_support::{arbitrary_graph, corner_cases, data, scattered};

use crate::both::gpu;

#[test]
fn corner_cases_agree() {
    for (name, graph) in corner_cases::<u32>().iter().filter(|entry| entry.1.n_vertices() <= 1000) {
        let expected = oracle::closure(graph);
        // the machine reads and writes rows bit by bit
        let is_for_small = |form| form == Warshall::Rows && graph.n_vertices() > 100;
        for form in Warshall::ALL.into_iter().filter(|&form| !is_for_small(form)) {
            assert!(form.closure(graph, None).unwrap() == expected, "{name}, {form:?}");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let graph = scattered(600, 2);
    let expected = oracle::closure(&graph);
    for threads in [1, 2, 3, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| Warshall::Adapted.closure(&graph, None)).unwrap() == expected);
    }
}

#[test]
fn a_real_graph_agrees_with_the_oracle() {
    let Some(path) = data("connectome/larva_unmatched_full.csv.gz") else { return };
    with_csr!(&read(path).unwrap().csr, |graph| {
        assert!(Warshall::Adapted.closure(graph, None).unwrap() == oracle::closure(graph));
    });
}

#[test]
fn progress_is_told_and_can_end_it() {
    let graph = scattered(300, 1);
    for form in Warshall::ALL {
        let (last, total) = (AtomicU64::new(0), AtomicU64::new(0));
        let tell = |done, all| {
            assert!(done >= last.swap(done, Ordering::Relaxed) && done < all);
            total.store(all, Ordering::Relaxed);
            ControlFlow::Continue(())
        };
        form.closure(&graph, Some(&tell)).unwrap();
        assert_eq!(total.into_inner(), 300, "{form:?}");
        let stopped = form.closure(&graph, Some(&|_, _| ControlFlow::Break(())));
        assert!(matches!(stopped, Err(StarError::Interrupted(_))), "{form:?} goes on");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn arbitrary_graphs(graph in arbitrary_graph::<u32>(150, 250, 0..=1)) {
        let expected = oracle::closure(&graph);
        for form in Warshall::ALL {
            prop_assert!(form.closure(&graph, None).unwrap() == expected, "{form:?}");
        }
    }
}

#[test]
fn gpu_agrees_with_the_oracle() {
    let Some(gpu) = gpu() else { return };
    let scattered = [63, 64, 65, 255, 256, 257, 511, 513]
        .into_iter()
        .flat_map(|n| [1, 2, 5].map(|degree| ("scattered", scattered(n, degree))));
    let corner_cases = corner_cases::<u32>().into_iter().filter(|c| c.1.n_vertices() <= 1000);
    for (name, graph) in corner_cases.chain(scattered) {
        let expected = oracle::closure(&graph);
        for form in Warshall::ALL {
            let found = form.closure_on_gpu(&gpu, &graph, None).unwrap();
            assert!(found.closure == expected, "{name}, {} vertices, {form:?}", graph.n_vertices());
        }
    }
}

#[test]
fn gpu_agrees_on_arbitrary_graphs() {
    let Some(gpu) = gpu() else { return };
    let config = ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() };
    let ran = TestRunner::new(config).run(&arbitrary_graph::<u32>(400, 700, 0..=1), |graph| {
        let found = Warshall::Columns.closure_on_gpu(&gpu, &graph, None).unwrap();
        prop_assert!(found.closure == oracle::closure(&graph));
        Ok(())
    });
    ran.unwrap();
}

#[test]
fn gpu_agrees_on_real_graphs() {
    let Some(gpu) = gpu() else { return };
    for name in ["snap/wiki-Vote.txt", "connectome/larva_unmatched_full.csv.gz"] {
        let Some(path) = data(name) else { continue };
        with_csr!(&read(path).unwrap().csr, |graph| {
            let expected = oracle::closure(graph);
            // the n² unions of rows are the machine's to count, not to run on every day
            for form in [Warshall::Columns, Warshall::Adapted] {
                let found = form.closure_on_gpu(&gpu, graph, None).unwrap();
                assert!(found.closure == expected, "{name}, {form:?}");
            }
        });
    }
}

#[test]
fn gpu_launches_as_documented_and_can_be_ended() {
    let Some(gpu) = gpu() else { return };
    let graph = scattered(1300, 3);
    let small = gpu.with_memory_cap(1 << 12);
    for (form, launches) in Warshall::ALL.into_iter().zip([1, 1, 1300]) {
        assert_eq!(form.closure_on_gpu(&gpu, &graph, None).unwrap().launches, launches, "{form:?}");
        let stopped = form.closure_on_gpu(&gpu, &graph, Some(&|_, _| ControlFlow::Break(())));
        assert!(matches!(stopped, Err(StarError::Interrupted(_))), "{form:?} goes on");
        let refused = form.closure_on_gpu(&small, &graph, None);
        assert!(matches!(refused, Err(StarError::Gpu(GpuError::OutOfMemory { .. }))), "{form:?}");
    }
}
