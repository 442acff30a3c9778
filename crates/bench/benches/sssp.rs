//! Every solver of the roster, peers included, in arcs a second.

#![allow(missing_docs)]

use std::ops::ControlFlow;
use std::time::Duration;

use bench::measure::{certified, check};
use bench::roster::{Peers, Race, Sweep, roster};
use bench::workloads::{Workload, source};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn sssp(criterion: &mut Criterion) {
    let threads = std::thread::available_parallelism().expect("a number of processors");
    for workload in [
        Workload::Rmat { scale: 14 },
        Workload::Grid { side: 128 },
        Workload::Geometric { scale: 14 },
    ] {
        let graph = workload.load().expect("a small graph");
        let source = source(&graph);
        let certified = certified(&graph, source, threads.get()).expect("a right answer");
        let peers = Peers::of(&graph);
        let give_up = |_: u64, _: u64| ControlFlow::Continue(());
        let race = Race { graph: &graph, source, peers: &peers, give_up: &give_up };

        let mut group = criterion.benchmark_group(format!("sssp/{workload}"));
        group.throughput(Throughput::Elements(graph.n_arcs() as u64));
        group.sample_size(10).warm_up_time(Duration::from_millis(300));
        group.measurement_time(Duration::from_secs(1));
        for entry in roster(255, threads, Sweep::Short, None) {
            let mut contender = entry.prepare(&race).expect("a solver for small whole weights");
            let solved = (contender.solve)().expect("an answer");
            check(&entry.name, &certified, &solved.distances).expect("the right answer");
            group.bench_function(&entry.name, |bencher| {
                bencher.iter_custom(|n| {
                    let solve = || (contender.solve)().expect("an answer").elapsed;
                    std::iter::repeat_with(solve).take(n as usize).sum()
                })
            });
        }
        group.finish();
    }
}

criterion_group!(benches, sssp);
criterion_main!(benches);
