//! The nearest of many sources: bit for bit the CPU's, and certified.

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId, Weight};
use paths::certificate::check_nearest;
use sssp::{Config, Goal, SearchWeight, SsspError};

use crate::common::{Both, corner_case_tests, gpu};
use crate::{graphs, laws};

/// Checks that GPU and CPU have the same nearest sources, with one solver for all lists of sources.
fn agree<W: SearchWeight>(gpu: &Gpu, name: &str, graph: &Csr<W>) {
    let mut both = Both::new(gpu, name, graph, &Config::default());
    for sources in some_sources(graph) {
        let found = both.ask(|solver| solver.nearest(&sources));
        check_nearest(graph, &sources, &found).unwrap();
        assert!(sources.is_empty() || found.work.settled > 0, "searched on the device");
    }
}

/// Lists of sources: one vertex, a few unsorted and repeated, many, all and none.
fn some_sources<W: Weight>(graph: &Csr<W>) -> Vec<Vec<VertexId>> {
    let n = graph.n_vertices() as VertexId;
    let every = |step| graph.vertices().rev().step_by(step).collect::<Vec<_>>();
    let one: Vec<_> = graph.vertices().take(1).collect();
    let few: Vec<_> = [7, 1, 3, 1].into_iter().filter(|&v| v < n).collect();
    vec![one, few, every(37), every(3), every(1), Vec::new()]
}

corner_case_tests! { agree;
corner_cases_u32 u32, corner_cases_i64 i64, corner_cases_u64 u64, corner_cases_f32 f32, corner_cases_f64 f64 }

#[test]
fn generated_graphs() {
    laws::for_graphs(graphs::two_kinds(13, 150), |gpu, name, graph| {
        agree(gpu, name, graph);
        // ties, and plateaus
        agree(gpu, name, &graphs::reweighted(graph, |_| 1u32));
        agree(gpu, name, &graphs::coarse(graph, 100));
        agree(gpu, name, &graphs::reweighted(graph, |w| f64::from(w / 100)));
        agree(gpu, name, &graphs::as_floats(graph));
        agree(gpu, name, &graphs::reweighted(graph, |w| f64::from(w) / 7.0));
        agree(gpu, name, &graphs::reweighted(graph, |w| u64::from(w) << 35));
        agree(gpu, name, &graphs::reweighted(graph, |w| w << 24));
    });
}

#[test]
fn arbitrary_graphs() {
    let graphs = (graphs::arbitrary(40, 0..=2, 1..2, u32::pow), 1..40usize);
    laws::for_arbitrary(200, graphs, |gpu, (graph, n_sources)| {
        let n = graph.n_vertices();
        let sources: Vec<_> = (0..n_sources).map(|i| (i * 17 % n) as VertexId).collect();
        let mut both = Both::new(gpu, "arbitrary", &graph, &Config::default());
        let found = both.ask(|solver| solver.nearest(&sources));
        check_nearest(&graph, &sources, &found).unwrap();
    });
}

/// Other queries before and after give the same results.
#[test]
fn questions_in_turn() {
    let Some(gpu) = gpu() else { return };
    let graph = graphs::square(50);
    let mut both = Both::new(&gpu, "square", &graph, &Config::default());
    for source in [0, 1234] {
        let sources = [source, 77, 2000];
        both.ask(|solver| solver.nearest(&sources));
        both.tree(source, Goal::All);
        both.table(&sources, &sources);
    }
    let refused = both.device.nearest(&[0, 2500]);
    assert!(matches!(refused, Err(SsspError::NoSuchVertex { vertex: 2500, .. })));
}
