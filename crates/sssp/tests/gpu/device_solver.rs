//! Graphs whose arrays are on the GPU: the results equal those of other solvers, and invalid arrays
//! are errors.

use gpu_runtime::{Gpu, GpuError};
use graph_formats::{Csr, VertexId, Weight};
use sssp::gpu::{Arrays, DeviceSolver, Indices, OnDevice, converted};
use sssp::{Config, Goal, SearchWeight, Solver, SsspError};
use test_support::arbitrary_graph;

use crate::common::{corner_case_tests, gpu};
use crate::{graphs, laws};

type Made<W> = Result<DeviceSolver<W>, SsspError>;

/// A solver of these arrays, with indices of 32 or 64 bits.
fn of_arrays<W: SearchWeight>(
    gpu: &Gpu,
    offsets: &[u64],
    ends: &[u64],
    weights: &[W],
    is_wide: bool,
) -> Made<W> {
    let weights = gpu.upload(weights)?;
    let narrow = |values: &[u64]| values.iter().map(|&value| value as u32).collect::<Vec<_>>();
    if is_wide {
        let (offsets, ends) = (gpu.upload(offsets)?, gpu.upload(ends)?);
        let (offsets, ends) = (Indices::U64(&offsets), Indices::U64(&ends));
        return DeviceSolver::new(gpu, &Arrays { offsets, ends, weights: &weights });
    }
    let (offsets, ends) = (gpu.upload(&narrow(offsets))?, gpu.upload(&narrow(ends))?);
    let (offsets, ends) = (Indices::U32(&offsets), Indices::U32(&ends));
    DeviceSolver::new(gpu, &Arrays { offsets, ends, weights: &weights })
}

fn solver<W: SearchWeight>(gpu: &Gpu, graph: &Csr<W>, is_wide: bool) -> Made<W> {
    let ends: Vec<_> = graph.column_indices().iter().map(|&end| u64::from(end)).collect();
    let offsets = graph.row_offsets();
    of_arrays(gpu, offsets, &ends, graph.weights(), is_wide)
}

fn downloaded<T: Weight>(found: Result<OnDevice<T>, SsspError>) -> Vec<T> {
    found.unwrap().download().unwrap()
}

/// Checks that the tree is that of the CPU.
fn same_tree<W: SearchWeight>(
    name: &str,
    device: &mut DeviceSolver<W>,
    host: &mut Solver<'_, W>,
    (source, goal): (VertexId, Goal<W::Distance>),
) {
    let expected = host.tree(source, goal).unwrap();
    let found = downloaded(device.distances::<W::Distance>(source, goal, None));
    assert_eq!(found, expected.distances.as_storage(), "{name}, from {source}, {goal:?}");
    let found = device.predecessors().unwrap().download().unwrap();
    assert_eq!(found, expected.predecessors.as_storage(), "{name}, from {source}, {goal:?}");
}

/// Checks that trees and a table are those of the CPU, or that the graph is refused with the right
/// error.
fn agree<W: SearchWeight>(gpu: &Gpu, name: &str, graph: &Csr<W>) {
    let name = format!("{name}, {}", W::KIND);
    let sources = graphs::some_sources(graph);
    let mut host = Solver::new(graph, &Config::default()).unwrap();
    for is_wide in [false, true] {
        let mut device = match solver(gpu, graph, is_wide) {
            Err(SsspError::NegativeWeight { from, to, .. }) => {
                let (_, at, end) = graph.first_negative().expect("a negative weight");
                assert_eq!((from, to), (at, end), "{name}");
                continue;
            }
            Err(SsspError::NotOnGpu { reason }) => {
                assert!(reason.contains("too large for a distance"), "{name}: {reason}");
                assert!(graph.weight_summary().sum_of_sizes > 1e18, "{name}: {reason}");
                continue;
            }
            device => device.unwrap(),
        };
        assert_eq!((device.n_vertices(), device.n_arcs()), (graph.n_vertices(), graph.n_arcs()));
        for &source in &sources {
            same_tree(&name, &mut device, &mut host, (source, Goal::All));
        }
        let table = host.table(&sources, &sources).unwrap();
        let found = downloaded(device.table::<W::Distance>(&sources, &sources, None));
        assert_eq!(found, table.answer.into_storage().into_raw_vec_and_offset().0, "{name}");
    }
}

corner_case_tests! { agree;
corner_cases_u32 u32, corner_cases_i32 i32, corner_cases_u64 u64, corner_cases_i64 i64, corner_cases_f32 f32, corner_cases_f64 f64 }

#[test]
fn generated_graphs() {
    laws::for_graphs(graphs::two_kinds(13, 150), |gpu, _, graph| {
        agree(gpu, "undirected", graph);
        agree(gpu, "one way", &graphs::one_way(graph));
        agree(gpu, "floats", &graphs::as_floats(graph));
        agree(gpu, "plateaus", &graphs::coarse(graph, 300));
        agree(gpu, "sums of 64 bits", &graphs::reweighted(graph, |w| w << 23));
        agree(gpu, "weights of 64 bits", &graphs::reweighted(graph, |w| i64::from(w) << 40));
        agree(gpu, "narrow weights of 64 bits", &graphs::reweighted(graph, u64::from));
        agree(gpu, "doubles", &graphs::thirds(graph));
        let counted = graphs::reweighted(graph, |_| 1u32);
        agree(gpu, "arcs counted", &counted);
        agree(gpu, "arcs counted one way", &graphs::one_way(&counted));
        agree(gpu, "arcs counted in floats", &graphs::reweighted(graph, |_| 1f32));
        agree(gpu, "arcs counted in 64 bits", &graphs::reweighted(graph, |_| 1i64));
    });
}

#[test]
fn arbitrary_graphs() {
    for weights in [0..=9, 1..=1] {
        laws::for_arbitrary(100, arbitrary_graph::<u32>(40, 400, weights), |gpu, graph| {
            agree(gpu, "arbitrary", &graph);
        });
    }
}

/// Long arcs are deferred exactly if every arc has a reverse of the same weight.
#[test]
fn reverses_are_found() {
    let Some(gpu) = gpu() else { return };
    let graph = graphs::skewed(14);
    let mut arcs: Vec<_> = graph.arcs().collect();
    let relaxations = |graph: &Csr<u32>| {
        let mut solver = solver(&gpu, graph, false).unwrap();
        solver.distances::<u64>(0, Goal::All, None).unwrap().work.relaxations
    };
    let n = graph.n_vertices();
    let whole = relaxations(&Csr::from_arcs(n, &arcs).unwrap());
    assert!(whole < graph.n_arcs() as u64 / 2, "{whole} of {}", graph.n_arcs());
    // one arc whose weight differs from its reverse's
    arcs.iter_mut().find(|arc| arc.0 != arc.1).unwrap().2 += 1;
    let directed = relaxations(&Csr::from_arcs(n, &arcs).unwrap());
    assert!(directed > graph.n_arcs() as u64 / 2, "{directed} of {}", graph.n_arcs());
}

#[test]
fn goals_and_types() {
    let Some(gpu) = gpu() else { return };
    let graph = graphs::square(60);
    let mut host = Solver::new(&graph, &Config::default()).unwrap();
    let mut device = solver(&gpu, &graph, false).unwrap();
    for goal in [Goal::Target(41), Goal::Within(900), Goal::Within(0), Goal::Target(0)] {
        same_tree("square", &mut device, &mut host, (0, goal));
    }
    let counted = graphs::reweighted(&graph, |_| 1u32);
    let mut by_arcs = Solver::new(&counted, &Config::default()).unwrap();
    let mut by_levels = solver(&gpu, &counted, false).unwrap();
    for goal in [Goal::Target(41), Goal::Within(9), Goal::Within(0), Goal::Target(0), Goal::All] {
        same_tree("arcs counted", &mut by_levels, &mut by_arcs, (0, goal));
    }
    let all = downloaded(device.distances::<u64>(0, Goal::All, None));
    let as_doubles: Vec<_> = all.iter().map(|&d| d as f64).collect();
    assert_eq!(downloaded(device.distances::<f64>(0, Goal::All, None)), as_doubles);
    let as_floats: Vec<_> = all.iter().map(|&d| d as f32).collect();
    assert_eq!(downloaded(device.distances::<f32>(0, Goal::All, None)), as_floats);
    let as_integers: Vec<_> = all.iter().map(|&d| d as i32).collect();
    assert_eq!(downloaded(device.distances::<i32>(0, Goal::All, None)), as_integers);

    let parts = Csr::from_arcs(4, &[(0, 1, 0.5f64), (1, 2, 2.5)]).unwrap();
    let mut device = solver(&gpu, &parts, true).unwrap();
    let inexact = device.distances::<i64>(0, Goal::All, None);
    assert!(matches!(inexact, Err(SsspError::NotExact { .. })));
    let infinity = f64::INFINITY;
    let all = downloaded(device.distances::<f64>(1, Goal::All, None));
    assert_eq!(all, [infinity, 0.0, 2.5, infinity]);
    assert_eq!(downloaded(device.distances::<f64>(1, Goal::Within(-1.0), None)), [infinity; 4]);
    assert_eq!(device.predecessors().unwrap().download().unwrap(), [VertexId::MAX; 4]);
    let counted = Csr::from_arcs(4, &[(0, 1, 1f64), (1, 2, 1.0)]).unwrap();
    let mut by_levels = solver(&gpu, &counted, true).unwrap();
    for (limit, expected) in [(1.5, [0.0, 1.0, infinity, infinity]), (-1.0, [infinity; 4])] {
        let found = downloaded(by_levels.distances::<f64>(0, Goal::Within(limit), None));
        assert_eq!(found, expected);
    }
    assert_eq!(by_levels.predecessors().unwrap().download().unwrap(), [VertexId::MAX; 4]);
    assert_eq!(downloaded(device.distances::<f64>(1, Goal::Within(-0.0), None))[1], 0.0);
    let whole = downloaded(device.table::<i64>(&[3], &[3, 0], None));
    assert_eq!(whole, [0, i64::MAX]);
    let refused = device.distances::<f64>(1, Goal::Within(f64::NAN), None);
    assert!(matches!(refused, Err(SsspError::BadCutoff(_))));
    for refused in [
        device.distances::<f64>(4, Goal::All, None),
        device.distances(0, Goal::Target(4), None),
        device.table(&[0, 4], &[0], None),
    ] {
        assert!(matches!(refused, Err(SsspError::NoSuchVertex { vertex: 4, .. })));
    }
}

#[test]
fn lengths_become_distances() {
    let Some(gpu) = gpu() else { return };
    let whole = gpu.upload(&[0u64, 7, 1 << 40, u64::MAX / 2]).unwrap();
    let greatest = u64::MAX / 2 - 1;
    let found = converted::<_, f64>(&gpu, &whole, greatest).unwrap().download().unwrap();
    assert_eq!(found, [0.0, 7.0, (1u64 << 40) as f64, f64::INFINITY]);
    let found = converted::<_, i64>(&gpu, &whole, greatest).unwrap().download().unwrap();
    assert_eq!(found, [0, 7, 1 << 40, i64::MAX]);
    let narrow = converted::<_, u32>(&gpu, &whole, greatest);
    assert!(matches!(narrow, Err(SsspError::NotExact { .. })));
    let floats = gpu.upload(&[0.0, 0.1, f64::INFINITY]).unwrap();
    let found = converted::<_, f32>(&gpu, &floats, f64::MAX).unwrap();
    assert_eq!(found.download().unwrap(), [0.0, 0.1f32, f32::INFINITY]);
    let again = converted::<_, f64>(&gpu, &found, f32::MAX).unwrap().download().unwrap();
    assert_eq!(again, [0.0, f64::from(0.1f32), f64::INFINITY]);
    let far = gpu.upload(&[1e300]).unwrap();
    assert!(matches!(converted::<_, f32>(&gpu, &far, f64::MAX), Err(SsspError::NotExact { .. })));
    let none = gpu.upload::<u32>(&[]).unwrap();
    assert_eq!(converted::<_, f64>(&gpu, &none, 9).unwrap().len(), 0);
}

#[test]
fn what_is_no_graph_is_named() {
    let Some(gpu) = gpu() else { return };
    let refused = |offsets: &[u64], ends: &[u64], weights: &[f32], text: &str| {
        for is_wide in [false, true] {
            let solver = of_arrays(&gpu, offsets, ends, weights, is_wide);
            let message = solver.err().expect("it is no graph").to_string();
            assert!(message.contains(text), "{message}, not {text}");
        }
    };
    refused(&[], &[], &[], "there are no offsets");
    refused(&[0], &[0], &[1.0], "no vertex");
    refused(&[0, 1], &[0], &[], "1 ends of arcs, but 0 weights");
    refused(&[1, 1], &[0], &[1.0], "vertex 0 are those at 1..1");
    refused(&[0, 2, 1, 3], &[0, 1, 2], &[1.0; 3], "vertex 1 are those at 2..1");
    refused(&[0, 1, 2], &[0, 1, 1], &[1.0; 3], "vertex 1 are those at 1..2");
    refused(&[0, 1, 2], &[0, 2], &[1.0; 2], "arc 1 ends at 2");
    refused(&[0, 1, 2], &[0, 1], &[1.0, f32::NAN], "arc 1 has weight NaN");
    refused(&[0, 0, 1, 2], &[0, 1], &[1.0, -2.0], "arc 2 -> 1 has weight -2");
    let far = of_arrays(&gpu, &[0, 1], &[1 << 32], &[1u32], true).err().unwrap().to_string();
    assert!(far.contains("arc 0 ends at 4294967296"), "{far}");
    let many = solver(&gpu, &Csr::from_arcs(2, &[(0, 1, u64::MAX - 1)]).unwrap(), false);
    assert!(many.err().unwrap().to_string().contains("too large for a distance"));
    let small = gpu.with_memory_cap(3000);
    let graph = Csr::from_arcs(40, &[(0, 1, 1u32)]).unwrap();
    let refused = solver(&small, &graph, false).err().expect("there is too little memory");
    let SsspError::Gpu(error) = refused else { panic!("{refused}") };
    assert!(matches!(*error, GpuError::OutOfMemory { .. }), "{error}");
}
