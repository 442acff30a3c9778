//! Measures by GPUs, as they are defined.

use centrality::{MeasureWeight, totals, totals_by_hierarchy, totals_on_gpus};
use gpu_runtime::Gpu;
use graph_formats::Csr;
use graph_formats::generate::{RmatConfig, rmat};
use hierarchy::{Hierarchy, Order};
use test_support::{corner_cases, gpu, scattered};

use crate::measures::{check_totals, configs};

/// `n` GPUs, or `None` and a line that says so. If there are fewer, some are taken twice.
fn some_gpus(n: u32) -> Option<Vec<Gpu>> {
    let found = Gpu::count().unwrap_or(0).max(1);
    gpu((0..n).map(|i| Gpu::open_ordinal(i % found)).collect())
}

/// By searches and by sweeps of a hierarchy.
fn check<W: MeasureWeight>(gpus: &[Gpu], graph: &Csr<W>) {
    let hierarchy = Hierarchy::new(graph, &Order::by_landmarks(graph).unwrap()).unwrap();
    for config in configs() {
        check_totals(graph, &config, &totals_on_gpus(gpus, graph, &config, None).unwrap());
        let swept = totals_by_hierarchy(&hierarchy, gpus, graph, &config, None).unwrap();
        check_totals(graph, &config, &swept);
    }
}

#[test]
fn measures_of_corner_cases() {
    let Some(gpus) = some_gpus(1) else { return };
    for (name, graph) in corner_cases::<u32>() {
        if graph.n_vertices() <= 64 {
            println!("{name}");
            check(&gpus, &graph);
        }
    }
}

#[test]
fn measures_do_not_depend_on_the_number_of_gpus() {
    for n in 1..=2 {
        let Some(gpus) = some_gpus(n) else { return };
        check(&gpus, &scattered(300, 2));
        let floats: Vec<_> = scattered(200, 4).arcs().map(|(u, v, w)| (u, v, w as f64)).collect();
        check(&gpus, &Csr::from_arcs(200, &floats).unwrap());
        let graph = rmat(&RmatConfig { scale: 11, ..Default::default() }).unwrap();
        for config in configs() {
            let found = totals_on_gpus(&gpus, &graph, &config, None).unwrap();
            let expected = totals(&graph, &config, None).unwrap();
            assert_eq!(found, expected, "{n} GPUs, {config:?}");
        }
    }
}
