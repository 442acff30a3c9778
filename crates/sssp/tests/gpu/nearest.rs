//! The nearest of many sources, to the bit the CPU's, and certified.

use gpu_runtime::Gpu;
use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
use graph_formats::{Csr, VertexId, Weight};
use paths::certificate::check_nearest;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sssp::{Config, Goal, SearchWeight, Solver, SsspError};
use test_support::{arbitrary_graph, corner_cases};

use crate::common::{as_floats, coarse, corner_case_tests, gpu, reweighted};

/// Both processors give the same owners, from one solver for all of these sources.
fn agree<W: SearchWeight>(gpu: &Gpu, name: &str, graph: &Csr<W>, sources: &[Vec<VertexId>]) {
    let mut solver = Solver::on_gpu(gpu, graph, &Config::default()).unwrap();
    let mut host = Solver::new(graph, &Config::default()).unwrap();
    for sources in sources {
        let found = solver.nearest(sources).unwrap();
        let expected = host.nearest(sources).unwrap();
        assert!(found.answer == expected.answer, "{name}, {}, {} sources", W::KIND, sources.len());
        check_nearest(graph, sources, &found).unwrap();
        assert!(sources.is_empty() || found.work.settled > 0, "it was searched there");
    }
}

/// One, a few in no order and twice, many, all and none of its vertices.
fn some_sources<W: Weight>(graph: &Csr<W>) -> Vec<Vec<VertexId>> {
    let n = graph.n_vertices() as VertexId;
    let every = |step| graph.vertices().rev().step_by(step).collect::<Vec<_>>();
    let one: Vec<_> = graph.vertices().take(1).collect();
    let few: Vec<_> = [7, 1, 3, 1].into_iter().filter(|&v| v < n).collect();
    vec![one, few, every(37), every(3), every(1), Vec::new()]
}

fn corner_cases_agrees<W: SearchWeight>() {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in corner_cases::<W>() {
        agree(&gpu, name, &graph, &some_sources(&graph));
    }
}

corner_case_tests! { corner_cases_agrees: corner_cases_u32 u32, corner_cases_i64 i64, corner_cases_u64 u64, corner_cases_f32 f32, corner_cases_f64 f64 }

#[test]
fn generated_graphs() {
    let Some(gpu) = gpu() else { return };
    let dense = rmat(&RmatConfig { scale: 13, ..RmatConfig::default() }).unwrap();
    let sparse = grid(&GridConfig { side: 150, ..GridConfig::default() }).unwrap();
    for (name, graph) in [("rmat", dense), ("grid", sparse)] {
        let sources = some_sources(&graph);
        agree(&gpu, name, &graph, &sources);
        // ties, and plateaus
        agree(&gpu, name, &reweighted(&graph, |_| 1u32), &sources);
        agree(&gpu, name, &coarse(&graph, 100), &sources);
        agree(&gpu, name, &reweighted(&graph, |w| f64::from(w / 100)), &sources);
        agree(&gpu, name, &as_floats(&graph), &sources);
        agree(&gpu, name, &reweighted(&graph, |w| f64::from(w) / 7.0), &sources);
        agree(&gpu, name, &reweighted(&graph, |w| u64::from(w) << 35), &sources);
        agree(&gpu, name, &reweighted(&graph, |w| w << 24), &sources);
    }
}

#[test]
fn arbitrary_graphs() {
    let Some(gpu) = gpu() else { return };
    let graphs = (arbitrary_graph::<u32>(40, 400, 0..=2), any::<bool>(), 1..40usize);
    let law = |(directed, both_ways, n_sources): (Csr<u32>, bool, usize)| {
        let edges: Vec<_> = directed.arcs().collect();
        let n = directed.n_vertices();
        let graph = if both_ways { Csr::from_edges(n, &edges) } else { Csr::from_arcs(n, &edges) };
        let graph = graph.unwrap();
        let sources: Vec<_> = (0..n_sources).map(|i| (i * 17 % n) as VertexId).collect();
        let mut solver = Solver::on_gpu(&gpu, &graph, &Config::default()).unwrap();
        let found = solver.nearest(&sources).unwrap();
        let mut host = Solver::new(&graph, &Config::default()).unwrap();
        prop_assert!(found.answer == host.nearest(&sources).unwrap().answer);
        Ok(())
    };
    let config = ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() };
    TestRunner::new(config).run(&graphs, law).unwrap();
}

/// Other questions before and after do not disturb it, nor it them.
#[test]
fn questions_in_turn() {
    let Some(gpu) = gpu() else { return };
    let graph = grid(&GridConfig { side: 50, ..GridConfig::default() }).unwrap();
    let mut device = Solver::on_gpu(&gpu, &graph, &Config::default()).unwrap();
    let mut host = Solver::new(&graph, &Config::default()).unwrap();
    for source in [0, 1234] {
        let sources = [source, 77, 2000];
        let found = device.nearest(&sources).unwrap();
        assert!(found.answer == host.nearest(&sources).unwrap().answer);
        let found = device.tree(source, Goal::All).unwrap();
        assert!(found.answer == host.tree(source, Goal::All).unwrap().answer);
        let found = device.table(&sources, &sources).unwrap();
        assert!(found.answer == host.table(&sources, &sources).unwrap().answer);
    }
    let refused = device.nearest(&[0, 2500]);
    assert!(matches!(refused, Err(SsspError::NoSuchVertex { vertex: 2500, .. })));
}
