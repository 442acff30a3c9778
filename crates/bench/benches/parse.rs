//! How fast graphs are read from files, in bytes a second.

#![allow(missing_docs)]

use std::fs;

use bench::graphs::Graph;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use graph_formats::{Csr, Ids, LoadedGraph, read, write_csr};

/// The arcs by the names of their ends, which formats without a number of vertices give numbers
/// without gaps.
fn arcs(graph: &Csr<u32>, ids: &Ids) -> Vec<(String, String, u32)> {
    let name = |vertex| ids.name(vertex).to_string();
    let mut arcs: Vec<_> = graph.arcs().map(|(u, v, weight)| (name(u), name(v), weight)).collect();
    arcs.sort_unstable();
    arcs
}

fn parse(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    for name in ["rmat-15", "grid-400"] {
        let graph =
            name.parse::<Graph>().and_then(|graph| graph.load_u32()).expect("a small graph");
        let mut group = criterion.benchmark_group(format!("parse/{name}"));
        group.sample_size(20);
        for suffix in ["gr", "wel", "mtx", "spg", "gr.gz"] {
            let path = folder.path().join(format!("{name}.{suffix}"));
            write_csr(&path, &graph, &Ids::FromOne).expect("a writable format");
            let LoadedGraph { csr, ids, .. } = read(&path).expect("our own file");
            let back: Csr<u32> = csr.into_csr().expect("our own weights");
            let same = arcs(&back, &ids) == arcs(&graph, &Ids::FromOne);
            assert!(same, "{suffix} does not give the graph back");

            let bytes = fs::metadata(&path).expect("just written").len();
            group.throughput(Throughput::Bytes(bytes));
            group.bench_function(suffix, |bencher| bencher.iter(|| read(&path)));
        }
        group.finish();
    }
}

criterion_group!(benches, parse);
criterion_main!(benches);
