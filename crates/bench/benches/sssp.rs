//! Every solver of the study `sssp`, libraries included, in arcs a second.

#![allow(missing_docs)]

use std::ops::ControlFlow;
use std::time::Duration;

use bench::field::Field;
use bench::graphs::Graph;
use bench::records::Record;
use bench::studies::sssp::roster;
use bench::study::Bench;
use bench::verify::Task;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn sssp(criterion: &mut Criterion) {
    let bench = Bench::with_defaults().expect("threads");
    for name in ["rmat-14", "grid-128", "geometric-14"] {
        let graph =
            name.parse::<Graph>().and_then(|graph| graph.load_u32()).expect("a small graph");
        let task = Task::new(&graph).expect("a right answer");
        let field = Field { bench: &bench, task: &task, ask: &|_, _| ControlFlow::Continue(()) };

        let mut group = criterion.benchmark_group(format!("sssp/{name}"));
        group.throughput(Throughput::Elements(graph.n_arcs() as u64));
        group.sample_size(10).warm_up_time(Duration::from_millis(300));
        group.measurement_time(Duration::from_secs(1));
        let record = |solver: &str| Some(Record::of(&[("solver", &solver)]));
        for mut contender in roster(&field, false, &record) {
            group.bench_function(contender.record.label("solver"), |bencher| {
                bencher.iter_custom(|n| {
                    let mut ms = || (contender.run)().expect("the right answer")[0].1;
                    Duration::from_secs_f64((0..n).map(|_| ms()).sum::<f64>() / 1e3)
                })
            });
        }
        group.finish();
    }
}

criterion_group!(benches, sssp);
criterion_main!(benches);
