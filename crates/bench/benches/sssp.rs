//! Every solver of the study `sssp`, libraries included, in arcs a second.

#![allow(missing_docs)]

use std::time::Duration;

use bench::each_search;
use bench::graphs::Graph;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn sssp(criterion: &mut Criterion) {
    for name in ["rmat-14", "grid-128", "geometric-14"] {
        let graph: Graph = name.parse().expect("a name");
        let n_arcs = graph.load_u32().expect("a small graph").n_arcs() as u64;
        let mut group = criterion.benchmark_group(format!("sssp/{name}"));
        group.throughput(Throughput::Elements(n_arcs));
        group.sample_size(10).warm_up_time(Duration::from_millis(300));
        group.measurement_time(Duration::from_secs(1));
        let timed = each_search(&graph, |solver, search| {
            group.bench_function(solver, |bencher| {
                bencher.iter_custom(|n| {
                    let ms = (0..n).map(|_| search().expect("the right answer")).sum::<f64>();
                    Duration::from_secs_f64(ms / 1e3)
                })
            });
        });
        timed.expect("threads");
        group.finish();
    }
}

criterion_group!(benches, sssp);
criterion_main!(benches);
