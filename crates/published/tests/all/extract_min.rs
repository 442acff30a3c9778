//! The reduction at the start of each step of Dijkstra's algorithm, alone.

use std::num::NonZeroU32;

use gpu_runtime::Gpu;
use graph_formats::Csr;
use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
use paths::oracle;
use published::{BlockSize, DijkstraByLaunches, ExtractMin, Reduction};
use search_parts::SearchError;
use test_support::gpu;

#[test]
fn the_least_label_is_found_at_its_first_place() {
    let Some(gpu) = gpu(Gpu::open()) else { return };
    let scattered = |n: usize, range: u32| -> Vec<u32> {
        (0..n as u32).map(|v| (v ^ 0x2a5a).wrapping_mul(2_654_435_761) % range + 3).collect()
    };
    for (name, reduction) in Reduction::ALL {
        for n in [1, 2, 3, 5, 31, 513, 1000, 8192, 8193, 65_537, 524_289, 1_000_003] {
            // many or few places with the minimum
            for range in [1, 2, 1 << 10, u32::MAX - 3] {
                let labels = scattered(n, range);
                let expected = labels.iter().copied().zip(0..).min();
                let mut extraction = ExtractMin::new(&gpu, reduction, &labels).unwrap();
                for _ in 0..2 {
                    let found = extraction.run().unwrap();
                    assert_eq!(found, expected, "{name}, {n} labels up to {range}");
                }
            }
            let mut labels = vec![u32::MAX; n];
            assert_eq!(ExtractMin::new(&gpu, reduction, &labels).unwrap().run().unwrap(), None);
            labels[n - 1] = u32::MAX - 1;
            let mut extraction = ExtractMin::new(&gpu, reduction, &labels).unwrap();
            assert_eq!(extraction.run().unwrap(), Some((u32::MAX - 1, n - 1)));
            let microseconds = extraction.mean_us(NonZeroU32::new(10).unwrap()).unwrap();
            assert!(microseconds > 0.0 && microseconds.is_finite());
        }
        assert_eq!(ExtractMin::new(&gpu, reduction, &[]).unwrap().run().unwrap(), None);
    }
}

#[test]
fn labels_that_do_not_fit_are_refused() {
    let Some(gpu) = gpu(Gpu::open()) else { return };
    let small = gpu.with_memory_cap(100_000);
    for (name, reduction) in Reduction::ALL {
        let refused = ExtractMin::new(&small, reduction, &vec![1; 100_000]);
        assert!(matches!(refused, Err(SearchError::Gpu(_))), "{name}");
    }
}

/// The loop with a launch for each step, against the oracle.
#[test]
fn three_kernels_settle_all_vertices() {
    let Some(gpu) = gpu(Gpu::open()) else { return };
    let graphs = [
        rmat(&RmatConfig { scale: 9, ..RmatConfig::default() }).unwrap(),
        grid(&GridConfig { side: 21, ..GridConfig::default() }).unwrap(),
        Csr::from_arcs(5, &[(0, 0, 1u32), (0, 1, 0), (0, 1, 9), (1, 3, 4), (3, 1, 0)]).unwrap(),
        Csr::from_arcs(1, &[]).unwrap(),
    ];
    for graph in &graphs {
        for (_, block) in BlockSize::ALL {
            let mut solver = DijkstraByLaunches::new(&gpu, graph, block).unwrap();
            let n = graph.n_vertices() as u32;
            for source in [0, n / 2, n - 1] {
                let expected = oracle::tree(graph, source, None).unwrap().distances;
                let (found, settled) = solver.distances(source).unwrap();
                assert!(found == expected, "{block:?}, from {source}");
                assert_eq!(settled, expected.n_reached() as u64);
            }
            let beyond = solver.distances(n);
            assert!(matches!(beyond, Err(SearchError::NoSuchVertex { .. })));
        }
    }
    let far = Csr::from_arcs(3, &[(0, 1, u32::MAX - 1), (1, 2, 5)]).unwrap();
    let found = DijkstraByLaunches::new(&gpu, &far, BlockSize::default())
        .and_then(|mut solver| solver.distances(0));
    assert!(matches!(found, Err(SearchError::NotOnGpu { .. })));
}
