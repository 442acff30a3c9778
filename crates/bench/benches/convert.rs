//! How fast a graph is converted to its other storage forms and orders, in arcs a second.

#![allow(missing_docs)]

use bench::graphs::Graph;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use graph_formats::permute::{Relabelling, SegmentOrder};
use graph_formats::{Csr, Ell};

/// Vertices whose distances a cache level holds.
const SEGMENT: u32 = 4096;

fn convert(criterion: &mut Criterion) {
    for name in ["rmat-15", "grid-400", "geometric-15"] {
        let graph =
            name.parse::<Graph>().and_then(|graph| graph.load_u32()).expect("a small graph");
        let coo = graph.to_coo();
        let order = SegmentOrder::new(&coo, SEGMENT).expect("segments of some vertices");
        let sorted = order.apply(&coo).expect("its own arcs");
        let by_degree = Relabelling::by_descending_degree(&graph);
        // a hub makes padded rows too long to be worth it, and refused
        let max_slots = 4 * (graph.n_vertices() + graph.n_arcs());
        let has_ell = Ell::from_csr(&graph, max_slots).is_ok();

        let transposed = graph.transposed();
        assert!(transposed.transposed().arcs().eq(graph.arcs()));
        assert!(Csr::from_coo(&coo).unwrap().arcs().eq(graph.arcs()));
        assert_eq!(order.restore(sorted.weights()).expect("its own weights"), coo.weights());
        let renamed = by_degree.apply(&graph).expect("its own vertices");
        let restored = by_degree.clone().inverse().apply(&renamed).expect("its own vertices");
        assert_eq!(restored, graph);

        let mut group = criterion.benchmark_group(format!("convert/{name}"));
        group.sample_size(20).throughput(Throughput::Elements(graph.n_arcs() as u64));
        group.bench_function("csr-to-coo", |bencher| bencher.iter(|| graph.to_coo()));
        group.bench_function("coo-to-csr", |bencher| bencher.iter(|| Csr::from_coo(&coo)));
        group.bench_function("transposed", |bencher| bencher.iter(|| graph.transposed()));
        group.bench_function("segment-order", |bencher| {
            bencher.iter(|| SegmentOrder::new(&coo, SEGMENT))
        });
        group.bench_function("segment-apply", |bencher| bencher.iter(|| order.apply(&coo)));
        if has_ell {
            group
                .bench_function("ell", |bencher| bencher.iter(|| Ell::from_csr(&graph, max_slots)));
        }
        group.bench_function("order-by-degree", |bencher| {
            bencher.iter(|| Relabelling::by_descending_degree(&graph))
        });
        group.bench_function("order-breadth-first", |bencher| {
            bencher.iter(|| Relabelling::breadth_first(&graph, 0))
        });
        group.bench_function("relabel", |bencher| bencher.iter(|| by_degree.apply(&graph)));
        group.finish();
    }
}

criterion_group!(benches, convert);
criterion_main!(benches);
