//! The same answers as the CPU's.

mod aggregates;

use std::ops::ControlFlow;
use std::slice::from_ref;

use gpu_runtime::{Gpu, GpuError};
use graph_formats::generate::{GeometricConfig, GraphOptions, GridConfig, geometric, grid};
use graph_formats::{Csr, Direction, Interrupted, VertexId, Weight as _, read};
use paths::{DistanceTable, oracle};
use proptest::prelude::*;
use test_support::{arbitrary_graph, corner_cases, data, forest, some_vertices};

use super::metric::AnyKeys;
use super::{
    DeviceHierarchy, DeviceMetric, SOURCES_PER_PART, metrics_on, shared_table, shared_totals,
};
use crate::metric::{AnyArcs, Metric};
use crate::{Hierarchy, HierarchyError, Lengths, MetricWeight, Order, Totals};

/// The first GPU, or `None` and a word about it.
fn gpu() -> Option<Gpu> {
    test_support::gpu(Gpu::open())
}

fn hierarchy_of<W: MetricWeight>(graph: &Csr<W>) -> Hierarchy {
    Hierarchy::new(graph, &Order::by_landmarks(graph).unwrap()).unwrap()
}

/// Compares keys bit by bit, but for the sign of zero.
fn check_keys<W: MetricWeight>(on_gpu: &DeviceMetric<W>, metric: &Metric<W>) {
    match (&on_gpu.keys, &metric.arcs) {
        (AnyKeys::U32(keys), AnyArcs::U32(arcs)) => {
            assert!(keys.keys.download().unwrap() == arcs.keys.as_flattened());
        }
        (AnyKeys::U64(keys), AnyArcs::U64(arcs)) => {
            assert!(keys.keys.download().unwrap() == arcs.keys.as_flattened());
        }
        (AnyKeys::F64(keys), AnyArcs::F64(arcs)) => {
            let bits = |&key: &f64| (key + 0.0).to_bits();
            let found = keys.keys.download().unwrap();
            assert!(found.iter().map(bits).eq(arcs.keys.as_flattened().iter().map(bits)));
        }
        _ => panic!("keys of another type than the CPU's"),
    }
}

/// The totals as they are of rows, added up one after the other.
fn totals_of<W: MetricWeight>(metric: &Metric<W>, sources: &[VertexId], n: usize) -> Totals {
    let mut totals = Totals::new::<W>(n);
    for row in metric.distances(sources).unwrap() {
        for (v, distance) in row.reached() {
            let (v, length) = (v as usize, distance.to_f64());
            totals.n_sources[v] += 1;
            totals.reciprocals[v] += if length > 0.0 { 1.0 / length } else { 0.0 };
            match &mut totals.lengths {
                Lengths::Integers { sums, greatest } => {
                    let length = distance.to_i128().unwrap();
                    sums[v] += length as u128;
                    greatest[v] = greatest[v].max(length as u64);
                }
                Lengths::Floats { sums, greatest } => {
                    sums[v] += length.into();
                    greatest[v] = greatest[v].max(length);
                }
            }
        }
    }
    totals
}

/// Compares all that both answer about these vertices.
fn check<W: MetricWeight>(gpu: &Gpu, graph: &Csr<W>, hierarchy: &Hierarchy, vertices: &[VertexId]) {
    let device = DeviceHierarchy::new(hierarchy, graph, gpu).unwrap();
    let (metric, mut on_gpu) = match (hierarchy.customize(graph), device.customize(graph)) {
        (Ok(metric), Ok(on_gpu)) => (metric, on_gpu),
        (Err(error), Err(on_gpu)) => return assert_eq!(error, on_gpu),
        (_, Err(HierarchyError::NotOnGpu { .. })) => {
            assert!(graph.weight_summary().sum_of_sizes > u64::MAX as f64 / 2.1);
            return;
        }
        _ => panic!("one refuses what the other takes"),
    };
    check_keys(&on_gpu, &metric);
    let of_cpu = metrics_on(hierarchy, graph, &[gpu.clone(), gpu.clone()]).unwrap();
    of_cpu.iter().for_each(|on_gpu| check_keys(on_gpu, &metric));
    let expected = metric.distances(vertices);
    let found = on_gpu.distances(vertices, None);
    assert!(found == expected, "{:?}", (found.err(), expected.err()));
    let targets: Vec<_> = vertices.iter().rev().copied().step_by(2).collect();
    let cells = |table: Result<DistanceTable<W>, _>| table.map(DistanceTable::into_storage);
    let found = cells(on_gpu.table(vertices, &targets, None));
    let expected_table = cells(metric.table(vertices, &targets));
    assert!(found == expected_table, "{:?}", found.err());
    check_labels(&on_gpu, &metric, vertices);
    let several = (0..3).map(|_| device.customize(graph));
    let mut several = several.collect::<Result<Vec<_>, _>>().unwrap();
    for n_gpus in [2, 3] {
        let shared = cells(shared_table(&mut several[..n_gpus], vertices, &targets, None));
        assert_eq!(shared.is_ok(), expected_table.is_ok());
        assert!(shared.is_err() || shared == expected_table, "{n_gpus}");
    }
    match expected {
        Ok(_) => {
            let expected = totals_of(&metric, vertices, graph.n_vertices());
            assert!(on_gpu.totals(vertices, None).unwrap() == expected);
            // and in two parts
            let mut totals = Totals::new::<W>(graph.n_vertices());
            for part in vertices.chunks(vertices.len().div_ceil(2).max(1)) {
                on_gpu.add_totals(&mut totals, part, None).unwrap();
            }
            assert!(totals == expected);
            let mut totals = Totals::new::<W>(graph.n_vertices());
            shared_totals(&mut several, &mut totals, vertices, None).unwrap();
            assert!(totals == expected);
        }
        Err(_) => assert!(on_gpu.totals(vertices, None).is_err()),
    }
}

/// Compares the distances of all pairs of these vertices by labels.
fn check_labels<W: MetricWeight>(
    on_gpu: &DeviceMetric<W>,
    metric: &Metric<W>,
    vertices: &[VertexId],
) {
    let to_each = |&source: &VertexId| vertices.iter().map(move |&target| (source, target));
    let pairs: Vec<_> = vertices.iter().take(40).flat_map(to_each).collect();
    let (expected, mut labels) = (metric.labels().unwrap().pairs(&pairs), on_gpu.labels().unwrap());
    for _ in 0..2 {
        let found = labels.pairs(&pairs);
        assert!(found == expected, "{:?}", (found.err(), expected.as_ref().err()));
        labels.renew(on_gpu).unwrap();
    }
    let n = metric.graph().n_vertices() as VertexId;
    for (role, pair) in [("source", (n, 0)), ("target", (0, n))] {
        let error = HierarchyError::NoSuchVertex { role, vertex: n, n_vertices: n as usize };
        assert!(n == 0 || labels.pairs(&[pair, pair]) == Err(error));
    }
}

fn check_corner_cases<W: MetricWeight>() {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in corner_cases::<W>() {
        println!("{name}");
        check(&gpu, &graph, &hierarchy_of(&graph), &some_vertices(&graph, 9));
    }
}

#[test]
fn corner_cases_of_all_types() {
    check_corner_cases::<u32>();
    check_corner_cases::<i32>();
    check_corner_cases::<u64>();
    check_corner_cases::<i64>();
    check_corner_cases::<f32>();
    check_corner_cases::<f64>();
}

/// More sources than share a sweep, and some of them twice.
#[test]
fn grids_and_points_with_one_way_arcs_and_without() {
    let Some(gpu) = gpu() else { return };
    for direction in [Direction::Directed, Direction::Undirected] {
        let options = GraphOptions { weights: 0..=50, direction, ..Default::default() };
        let square =
            grid(&GridConfig { side: 40, options: options.clone(), ..Default::default() }).unwrap();
        let points = GeometricConfig { n_vertices: 2_000, options, ..Default::default() };
        for graph in [square, geometric(&points).unwrap()] {
            check(&gpu, &graph, &hierarchy_of(&graph), &some_vertices(&graph, 1_300));
        }
    }
}

/// Weights that need keys of 64 bits, and floats with digits after the point.
#[test]
fn wide_sums_and_fractions() {
    let Some(gpu) = gpu() else { return };
    let square: Csr<u32> = grid(&GridConfig { side: 30, ..Default::default() }).unwrap();
    let arcs: Vec<_> = square
        .vertices()
        .flat_map(|v| square.row(v).map(move |arc| (v, arc)))
        .map(|(v, arc)| (v, square.column_indices()[arc], square.weight(arc)))
        .collect();
    let vertices = some_vertices(&square, 300);
    let wide = arcs.iter().map(|&(v, w, weight)| (v, w, u64::from(weight) << 30));
    let wide = Csr::from_arcs(900, &wide.collect::<Vec<_>>()).unwrap();
    check(&gpu, &wide, &hierarchy_of(&wide), &vertices);
    let floats = arcs.iter().map(|&(v, w, weight)| (v, w, weight as f32 / 7.0));
    let floats = Csr::from_arcs(900, &floats.collect::<Vec<_>>()).unwrap();
    check(&gpu, &floats, &hierarchy_of(&floats), &vertices);
}

/// Floats whose sums are floats of 64 bits only.
#[test]
fn an_overflow_is_named() {
    let Some(gpu) = gpu() else { return };
    let graph = Csr::from_arcs(3, &[(0, 1, f32::MAX), (1, 2, f32::MAX)]).unwrap();
    let hierarchy = hierarchy_of(&graph);
    let device = DeviceHierarchy::new(&hierarchy, &graph, &gpu).unwrap();
    let mut metric = device.customize(&graph).unwrap();
    let kind = graph_formats::WeightKind::F32;
    let overflow = HierarchyError::Overflow { source_vertex: 0, target: 2, kind };
    assert_eq!(metric.totals(&[1, 0], None), Err(overflow.clone()));
    assert_eq!(metric.distances(&[1, 0], None), Err(overflow.clone()));
    assert_eq!(metric.table(&[1, 0], &[2], None).map(|_| ()), Err(overflow));
}

/// Vertices that join arbitrarily to one before them, in several trees.
#[test]
fn trees() {
    let Some(gpu) = gpu() else { return };
    for seed in 0..3 {
        let graph = forest(9_000, 1_000, seed);
        check(&gpu, &graph, &hierarchy_of(&graph), &some_vertices(&graph, 200));
    }
}

/// Other weights in the place of those that were there, of narrower and wider keys.
#[test]
fn weights_are_put_in_again() {
    let Some(gpu) = gpu() else { return };
    let graphs = [3u64, 1 << 40, 5].map(|factor| {
        let edges = (1..200u32).map(|v| (v / 3, v, factor * u64::from(v % 7)));
        Csr::from_edges(200, &edges.collect::<Vec<_>>()).unwrap()
    });
    let hierarchy = hierarchy_of(&graphs[0]);
    let device = DeviceHierarchy::new(&hierarchy, &graphs[0], &gpu).unwrap();
    let mut metric = device.customize(&graphs[2]).unwrap();
    for graph in &graphs {
        metric.customize(graph.weights()).unwrap();
        check_keys(&metric, &hierarchy.customize(graph).unwrap());
        let expected = oracle::dijkstra(graph, 7).unwrap();
        assert_eq!(metric.distances(&[7], None).unwrap(), [expected]);
    }
    let other = Csr::from_edges(200, &[(0, 1, 1u64)]).unwrap();
    assert_eq!(device.customize(&other).err(), Some(HierarchyError::AnotherGraph));
    let refused = metrics_on(&hierarchy, &other, &[gpu]).err();
    assert_eq!(refused, Some(HierarchyError::AnotherGraph));
}

/// Some weights at a time, also so large that keys become wider; a copy and what is refused change
/// nothing.
#[test]
fn some_weights_change() {
    let Some(gpu) = gpu() else { return };
    let graph: Csr<u64> = grid(&GridConfig { side: 20, ..Default::default() })
        .and_then(Csr::<u32>::convert_weights)
        .unwrap();
    let hierarchy = hierarchy_of(&graph);
    let device = DeviceHierarchy::new(&hierarchy, &graph, &gpu).unwrap();
    let (mut on_gpu, mut metric) =
        (device.customize(&graph).unwrap(), hierarchy.customize(&graph).unwrap());
    let last = graph.n_arcs() - 1;
    for changes in [
        &[(3, 900), (700, 0), (last, 40)][..],
        &[(3, 1), (3, 2), (700, 90)],
        &[],
        &[(5, 1 << 40)],
        &(0..last).step_by(2).map(|arc| (arc, arc as u64 % 91)).collect::<Vec<_>>(),
    ] {
        let mut copy = on_gpu.try_clone().unwrap();
        let mut of_cpu = metrics_on(&hierarchy, metric.graph(), from_ref(&gpu)).unwrap().remove(0);
        let before = metric.clone();
        on_gpu.update(changes).unwrap();
        metric.update(changes).unwrap();
        of_cpu.update(changes).unwrap();
        check_keys(&of_cpu, &metric);
        check_keys(&on_gpu, &metric);
        check_keys(&copy, &before);
        for refused in [&[(7, 7), (last + 1, 7)][..], &[(7, u64::MAX)]] {
            assert!(on_gpu.update(refused).is_err());
        }
        assert!(on_gpu.customize(&vec![7; last]).is_err());
        check_keys(&on_gpu, &metric);
        copy.update(changes).unwrap();
        assert!(copy.totals(&[0, 9], None) == on_gpu.totals(&[0, 9], None));
        let expected = oracle::dijkstra(metric.graph(), 9).unwrap();
        assert_eq!(on_gpu.distances(&[9], None).unwrap(), [expected]);
    }
}

/// More sources than a part has, on any number of GPUs, also in several calls.
#[test]
fn totals_of_several_parts() {
    let Some(gpu) = gpu() else { return };
    let square: Csr<u32> = grid(&GridConfig { side: 20, ..Default::default() }).unwrap();
    check_parts(&gpu, &square);
    let arcs = square.vertices().flat_map(|v| square.row(v).map(move |arc| (v, arc)));
    let third = |(v, arc)| (v, square.column_indices()[arc], square.weight(arc) as f32 / 3.0);
    check_parts(&gpu, &Csr::from_arcs(400, &arcs.map(third).collect::<Vec<_>>()).unwrap());
}

fn check_parts<W: MetricWeight>(gpu: &Gpu, graph: &Csr<W>) {
    let (n, hierarchy) = (graph.n_vertices(), hierarchy_of(graph));
    let device = DeviceHierarchy::new(&hierarchy, graph, gpu).unwrap();
    let mut on_gpus = [(); 3].map(|()| device.customize(graph).unwrap());
    let sources: Vec<VertexId> = graph.vertices().cycle().take(3 * SOURCES_PER_PART + 77).collect();
    let mut expected = Totals::new::<W>(n);
    for part in sources.chunks(SOURCES_PER_PART) {
        let found = on_gpus[0].totals(part, None).unwrap();
        for v in 0..n {
            expected.n_sources[v] += found.n_sources[v];
            expected.reciprocals[v] += found.reciprocals[v];
            match (&mut expected.lengths, &found.lengths) {
                (
                    Lengths::Integers { sums, greatest },
                    Lengths::Integers { sums: more, greatest: others },
                ) => (sums[v], greatest[v]) = (sums[v] + more[v], greatest[v].max(others[v])),
                (
                    Lengths::Floats { sums, greatest },
                    Lengths::Floats { sums: more, greatest: others },
                ) => {
                    sums[v] += more[v];
                    greatest[v] = greatest[v].max(others[v]);
                }
                _ => unreachable!("both are of weights of one type"),
            }
        }
    }
    for n_gpus in 1..=3 {
        for at_a_time in [1, 2, 4] {
            let mut found = Totals::new::<W>(n);
            for sources in sources.chunks(at_a_time * SOURCES_PER_PART) {
                shared_totals(&mut on_gpus[..n_gpus], &mut found, sources, None).unwrap();
            }
            assert!(found == expected, "{n_gpus} {at_a_time}");
        }
    }
}

#[test]
fn ends_memory_and_vertices_are_checked() {
    let Some(gpu) = gpu() else { return };
    let graph: Csr<u32> = grid(&GridConfig { side: 50, ..Default::default() }).unwrap();
    let hierarchy = hierarchy_of(&graph);
    let device = DeviceHierarchy::new(&hierarchy, &graph, &gpu).unwrap();
    let mut metric = device.customize(&graph).unwrap();
    let all: Vec<_> = graph.vertices().collect();
    let end = |done: u64, _: u64| {
        if done < 600 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    assert_eq!(metric.totals(&all, Some(&end)), Err(Interrupted.into()));
    let found = metric.map_distances(&all, Some(&end), |_, _| ());
    assert_eq!(found, Err(Interrupted.into()));
    // and what comes after is right all the same
    let expected = oracle::dijkstra(&graph, 9).unwrap();
    assert_eq!(metric.distances(&[9], None).unwrap(), [expected]);
    let none = HierarchyError::NoSuchVertex { role: "source", vertex: 2_500, n_vertices: 2_500 };
    assert_eq!(metric.totals(&[0, 2_500], None), Err(none));
    // totals of another graph, and of floats
    for (mut totals, found) in [(Totals::new::<u32>(3), 3), (Totals::new::<f32>(2_500), 0)] {
        let (what, expected) = ("totals", 2_500);
        let others = HierarchyError::NotAllVertices { what, expected, found };
        assert_eq!(metric.add_totals(&mut totals, &[0], None), Err(others));
    }

    let refused = |error: HierarchyError| {
        assert!(
            matches!(&error, HierarchyError::Gpu(error) if matches!(**error, GpuError::OutOfMemory { .. }))
        );
    };
    refused(DeviceHierarchy::new(&hierarchy, &graph, &gpu.with_memory_cap(1 << 10)).err().unwrap());
    // room for fewer sources at a time, and then for fewer than a warp has
    let expected = metric.totals(&all, None).unwrap();
    for (cap, is_enough) in [(9 << 20, true), (6 << 20, false)] {
        let device = DeviceHierarchy::new(&hierarchy, &graph, &gpu.with_memory_cap(cap)).unwrap();
        let mut metric = device.customize(&graph).unwrap();
        match metric.totals(&all, None) {
            Ok(totals) => assert!(is_enough && totals == expected),
            Err(error) => {
                assert!(!is_enough);
                refused(error);
            }
        }
    }
}

#[test]
fn new_york() {
    let Some(gpu) = gpu() else { return };
    let Some(path) = data("dimacs/USA-road-d.NY.gr.gz") else { return };
    let graph: Csr<u32> = read(path).unwrap().csr.into_csr().unwrap();
    check(&gpu, &graph, &hierarchy_of(&graph), &some_vertices(&graph, 600));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn arbitrary_graphs(graph in arbitrary_graph::<i32>(40, 120, 0..=9)) {
        if let Some(gpu) = gpu() {
            let vertices: Vec<_> = graph.vertices().collect();
            check(&gpu, &graph, &hierarchy_of(&graph), &vertices);
        }
    }

    #[test]
    fn larger_graphs_of_floats(graph in arbitrary_graph::<f32>(300, 400, 0..=9)) {
        if let Some(gpu) = gpu() {
            check(&gpu, &graph, &hierarchy_of(&graph), &some_vertices(&graph, 20));
        }
    }
}
