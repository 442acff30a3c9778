//! Distances of 64 bits by the default solver: trees bit for bit the CPU's, and overflows.

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId};
use sssp::{Config, Goal, SearchWeight, Solver, SsspError};

use crate::Stepping;
use crate::common::{Both, gpu};
use crate::graphs;
use crate::laws::{self, agree};

/// A dense graph, a narrow one, and a random geometric one.
fn generated() -> graphs::Named {
    let mut graphs = graphs::two_kinds(13, 120)();
    graphs.push(("geometric", graphs::points(9_000, graphs::RADIUS)));
    graphs
}

/// Checks that the device searches by Δ-stepping, without a fallback to the CPU.
fn agree_there<W: SearchWeight>(gpu: &Gpu, name: &str, graph: &Csr<W>) {
    agree(gpu, name, graph, &Stepping);
    let mut solver = Solver::on_gpu(gpu, graph, &Config::default()).unwrap();
    let found = solver.distances(0, Goal::All).unwrap();
    assert!(found.plan.to_string().starts_with("delta-stepping"), "{}", found.plan);
    let times = found.device_times.unwrap();
    // the phases are of the last launch; the solve time includes a vain one before it
    assert!(times.phases_ms.iter().sum::<f64>() > 0.0, "{name}: {times:?}");
}

#[test]
fn doubles() {
    laws::for_graphs(generated, |gpu, name, graph| {
        // sums that are rounded
        agree_there(gpu, name, &graphs::reweighted(graph, |w| f64::from(w) / 7.0));
        agree_there(gpu, name, &graphs::reweighted(graph, |w| (f64::from(w) / 9.0).exp2() - 1.0));
        // plateaus, and the least positive weights
        agree_there(gpu, name, &graphs::reweighted(graph, |w| f64::from(w / 100)));
        agree_there(gpu, name, &graphs::reweighted(graph, |w| f64::from(w) * 5e-324));
        agree_there(gpu, name, &graphs::reweighted(graph, |w| f64::from(w) * 1e300));
    });
}

#[test]
fn whole_weights_of_64_bits() {
    laws::for_graphs(generated, |gpu, name, graph| {
        agree_there(gpu, name, &graphs::reweighted(graph, |w| u64::from(w).pow(5)));
        agree_there(gpu, name, &graphs::reweighted(graph, |w| u64::from(w / 100) << 40));
        agree_there(gpu, name, &graphs::reweighted(graph, |w| i64::from(w).pow(6)));
    });
}

#[test]
fn weights_of_32_bits_whose_sums_have_more() {
    let Some(gpu) = gpu() else { return };
    agree_there(&gpu, "heavy path", &graphs::heavy_path(41));
    for (name, graph) in generated() {
        agree_there(&gpu, name, &graphs::reweighted(&graph, |w| (w << 24) - 1));
        agree_there(&gpu, name, &graphs::reweighted(&graph, |w| (w << 22) as i32));
        agree_there(&gpu, name, &graphs::reweighted(&graph, |w| u64::from(w / 100) << 30));
    }
}

#[test]
fn arbitrary_graphs() {
    let graphs = graphs::arbitrary(40, 0..=9, 0..19, |w, power| i64::from(w).pow(power));
    laws::agree_on_arbitrary(200, graphs, &[Config::default()]);
}

/// Near targets, and a cutoff at this limit, take less than half of a complete search.
fn stops_early<W: SearchWeight>(gpu: &Gpu, graph: &Csr<W>, limit: W::Distance) {
    let mut both = Both::new(gpu, "square", graph, &Config::default());
    let goals = [Goal::Target(41), Goal::Target(20 * 200 + 3), Goal::Within(limit)];
    let (part, whole) = both.goals(0, &goals);
    assert!(part < whole / 2, "{}: {part} relaxations of {whole}", W::KIND);
}

#[test]
fn targets_and_cutoffs_stop_early() {
    let Some(gpu) = gpu() else { return };
    let graph = graphs::square(200);
    stops_early(&gpu, &graphs::reweighted(&graph, |w| f64::from(w) / 7.0), 900.0 / 7.0);
    stops_early(&gpu, &graphs::reweighted(&graph, |w| i64::from(w) << 33), 900 << 33);
    // distances within the goals have more than 32 bits too
    stops_early(&gpu, &graphs::reweighted(&graph, |w| w << 24), 900 << 24);
}

/// The error names the vertex; a vertex with another, shorter path is no error.
fn overflow_is_told<W: SearchWeight>(gpu: &Gpu, third: W, kind: &'static str) {
    laws::overflow_is_told(gpu, third, kind, &Config::default());
    let path = graphs::even_path(6, third);
    let mut device = Solver::on_gpu(gpu, &path, &Config::default()).unwrap();
    let overflow = SsspError::Overflow { vertex: 5, kind };
    assert_eq!(device.nearest(&[6, 1]).unwrap_err(), overflow);
    // with a shorter path around
    let round = (0..7).map(|v: VertexId| (7, v, W::ONE)).chain([(0, 7, W::ONE)]);
    let graph = Csr::from_arcs(8, &path.arcs().chain(round).collect::<Vec<_>>()).unwrap();
    let mut both = Both::new(gpu, "shorter way", &graph, &Config::default());
    both.tree(0, Goal::All);
    both.table(&[0, 7], &graph.vertices().collect::<Vec<_>>());
}

#[test]
fn what_is_too_large_is_told() {
    let Some(gpu) = gpu() else { return };
    overflow_is_told(&gpu, u64::MAX / 3 - 1, "u64");
    overflow_is_told(&gpu, i64::MAX / 3 - 1, "i64");
    overflow_is_told(&gpu, f64::MAX / 3.1, "f64");
    overflow_is_told(&gpu, f32::MAX / 3.1, "f32");
}

#[test]
fn without_memory_for_wider_keys_the_cpu_searches() {
    let Some(gpu) = gpu() else { return };
    let graph = graphs::reweighted(&graphs::skewed(12), |w| (w << 24) - 1);
    let mut host = Solver::new(&graph, &Config::default()).unwrap();
    let some: Vec<_> = graph.vertices().step_by(300).collect();
    let expected = host.tree(0, Goal::All).unwrap().answer;
    let table = host.table(&some, &some).unwrap().answer;
    laws::with_any_memory(&gpu, &graph, |mut solver, cap| {
        assert!(solver.tree(0, Goal::All).unwrap().answer == expected, "{cap} bytes");
        assert!(solver.table(&some, &some).unwrap().answer == table, "{cap} bytes");
    });
}
