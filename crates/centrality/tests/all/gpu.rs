//! Measures by GPUs, as they are defined.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use centrality::{
    ApproximateBetweenness, ApproximateConfig, Betweenness, CentralityError, Config, Lengths,
    MeasureWeight, Side, Sources, approximate_betweenness, approximate_betweenness_on_gpus,
    arc_betweenness, arc_betweenness_on_gpus, betweenness, betweenness_on_gpus, totals,
    totals_by_hierarchy, totals_on_gpus,
};
use gpu_runtime::Gpu;
use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
use graph_formats::{Csr, Direction, VertexId};
use hierarchy::{Hierarchy, Order};
use test_support::{corner_cases, gpu, scattered, undirected};

use crate::approximate::{graphs, layers};
use crate::measures::{check_totals, configs};
use crate::ranks;

/// `n` GPUs, or `None` and a line that says so. If there are fewer, some are taken twice.
fn some_gpus(n: u32) -> Option<Vec<Gpu>> {
    let found = Gpu::count().unwrap_or(0).max(1);
    gpu((0..n).map(|i| Gpu::open_ordinal(i % found)).collect())
}

/// By searches and by sweeps of a hierarchy.
fn check<W: MeasureWeight>(gpus: &[Gpu], graph: &Csr<W>) {
    let hierarchy = Hierarchy::new(graph, &Order::by_landmarks(graph).unwrap()).unwrap();
    for config in configs() {
        check_totals(graph, &config, &totals_on_gpus(gpus, graph, &config, None).unwrap());
        let swept = totals_by_hierarchy(&hierarchy, gpus, graph, &config, None).unwrap();
        check_totals(graph, &config, &swept);
    }
}

#[test]
fn measures_of_corner_cases() {
    let Some(gpus) = some_gpus(1) else { return };
    for (name, graph) in corner_cases::<u32>() {
        if graph.n_vertices() <= 64 {
            println!("{name}");
            check(&gpus, &graph);
        }
    }
}

#[test]
fn measures_do_not_depend_on_the_number_of_gpus() {
    for n in 1..=2 {
        let Some(gpus) = some_gpus(n) else { return };
        check(&gpus, &scattered(300, 2));
        let floats: Vec<_> = scattered(200, 4).arcs().map(|(u, v, w)| (u, v, w as f64)).collect();
        check(&gpus, &Csr::from_arcs(200, &floats).unwrap());
        let graph = rmat(&RmatConfig { scale: 11, ..Default::default() }).unwrap();
        for config in configs() {
            let found = totals_on_gpus(&gpus, &graph, &config, None).unwrap();
            let expected = totals(&graph, &config, None).unwrap();
            assert_eq!(found, expected, "{n} GPUs, {config:?}");
        }
    }
}

fn find<W: MeasureWeight>(gpu: &Gpu, graph: &Csr<W>, config: &Config) -> Betweenness {
    betweenness_on_gpus(std::slice::from_ref(gpu), graph, config, None).unwrap()
}

fn check_near(found: &Betweenness, expected: &Betweenness) {
    assert_eq!(found.n_sources(), expected.n_sources());
    let most = expected.raw().into_iter().fold(1.0, f64::max);
    for (v, (a, b)) in found.raw().iter().zip(expected.raw()).enumerate() {
        assert!((a - b).abs() <= 1e-11 * b.max(1e-3 * most), "{v}: {a} {b}");
    }
}

/// As on the CPU, up to the order of sums, and the same in every run.
fn check_betweenness<W: MeasureWeight>(gpu: &Gpu, graph: &Csr<W>, config: &Config) {
    let found = find(gpu, graph, config);
    check_near(&found, &betweenness(graph, config, None).unwrap());
    assert_eq!(find(gpu, graph, config), found);
    let gpus = std::slice::from_ref(gpu);
    let found = arc_betweenness_on_gpus(gpus, graph, config, None).unwrap();
    check_near(&found, &arc_betweenness(graph, config, None).unwrap());
    assert_eq!(arc_betweenness_on_gpus(gpus, graph, config, None).unwrap(), found);
}

/// Of all sources, and of samples on both sides.
fn configs_of_betweenness() -> Vec<Config> {
    let sample = |n| Sources::Sample { n: NonZeroUsize::new(n).unwrap(), seed: 5 };
    let of = |sources, side| Config { sources, side, endpoints: true, ..Config::default() };
    vec![
        of(Sources::All, Side::Out),
        of(sample(40), Side::In),
        of(sample(33), Side::Out),
        of(Sources::Listed(vec![0]), Side::In),
    ]
}

fn star(n: VertexId) -> Csr<u32> {
    Csr::from_edges(n as usize, &(1..n).map(|v| (0, v, 1)).collect::<Vec<_>>()).unwrap()
}

fn path(n: VertexId) -> Csr<u32> {
    Csr::from_edges(n as usize, &(1..n).map(|v| (v - 1, v, 1)).collect::<Vec<_>>()).unwrap()
}

fn ring(n: VertexId) -> Csr<u32> {
    let edges: Vec<_> = (0..n).map(|v| (v, (v + 1) % n, 1)).collect();
    Csr::from_edges(n as usize, &edges).unwrap()
}

/// With arcs both ways between all, each vertex twice.
fn complete(n: VertexId) -> Csr<u32> {
    let arcs = (0..n).flat_map(|u| (0..n).flat_map(move |v| [(u, v, 1); 2]));
    Csr::from_arcs(n as usize, &arcs.collect::<Vec<_>>()).unwrap()
}

#[test]
fn betweenness_of_corner_cases() {
    let Some(gpus) = some_gpus(1) else { return };
    for (name, graph) in corner_cases::<u32>() {
        println!("{name}");
        for config in configs_of_betweenness() {
            let is_exact = config.sources == Sources::All;
            let exists = !matches!(&config.sources, Sources::Listed(_)) || graph.n_vertices() > 0;
            if exists && !(is_exact && graph.n_vertices() > 2000) {
                check_betweenness(&gpus[0], &graph, &config);
            }
        }
    }
}

/// Rows of one piece and of several in either direction, loops and parallel arcs, levels that are
/// few and many, and graphs that are not connected.
#[test]
fn betweenness_of_many_kinds() {
    let Some(gpus) = some_gpus(1) else { return };
    let mut graphs = vec![star(700), star(3000), path(900), complete(20), complete(200)];
    for direction in [Direction::Directed, Direction::Undirected] {
        let mut config = RmatConfig { scale: 11, ..Default::default() };
        config.options.direction = direction;
        graphs.push(rmat(&config).unwrap());
        let mut config = GridConfig { side: 30, ..Default::default() };
        config.options.direction = direction;
        graphs.push(grid(&config).unwrap());
    }
    for degree in [1, 2, 5] {
        graphs.push(scattered(800, degree));
        graphs.push(undirected(&scattered(500, degree)));
    }
    // a hub at each end of a long path
    let hubs = (0..400).flat_map(|v| [(0, v + 1000, 1), (999, v + 1400, 1)]);
    let road = (1..1000).map(|v| (v - 1, v, 1));
    graphs.push(Csr::from_edges(1800, &road.chain(hubs).collect::<Vec<_>>()).unwrap());
    // only out of a hub, and only into one
    let out = (0..600).map(|v| (600, v, 1)).chain((0..600).map(|v| (v, 601, 1)));
    graphs.push(Csr::from_arcs(602, &out.collect::<Vec<_>>()).unwrap());
    for (at, graph) in graphs.iter().enumerate() {
        println!("{at}: {} vertices, {} arcs", graph.n_vertices(), graph.n_arcs());
        for config in configs_of_betweenness() {
            check_betweenness(&gpus[0], graph, &config);
        }
    }
}

/// 4^599 is beyond floats, and so are the paths through the middle of other batches.
#[test]
fn numbers_of_paths_on_a_gpu_do_not_overflow() {
    let Some(gpus) = some_gpus(1) else { return };
    let layer = |i| 4 * i..4 * i + 4;
    let between = |i: VertexId| layer(i).flat_map(move |u| layer(i + 1).map(move |v| (u, v, 1)));
    let arcs: Vec<_> = (0..599).flat_map(between).collect();
    check_betweenness(&gpus[0], &Csr::from_arcs(2400, &arcs).unwrap(), &Config::default());
}

/// With less and less memory batches are fewer and narrower, until one source is too many.
#[test]
fn betweenness_within_less_memory() {
    let Some(gpus) = some_gpus(1) else { return };
    let graph = rmat(&RmatConfig { scale: 13, ..Default::default() }).unwrap();
    let sources = Sources::Sample { n: NonZeroUsize::new(100).unwrap(), seed: 1 };
    let config = Config { sources, ..Config::default() };
    let expected = betweenness(&graph, &config, None).unwrap();
    let mut refused = false;
    for megabytes in [64, 16, 6, 4, 3, 2, 1] {
        let gpu = gpus[0].with_memory_cap(megabytes << 20);
        match betweenness_on_gpus(std::slice::from_ref(&gpu), &graph, &config, None) {
            Ok(found) => check_near(&found, &expected),
            Err(error) => {
                assert!(error.to_string().contains("a batch of sources"), "{error}");
                refused = true;
            }
        }
    }
    assert!(refused);
}

/// With ties, and with weights of each type.
#[test]
fn betweenness_in_weights() {
    let Some(gpus) = some_gpus(1) else { return };
    let mut graphs = vec![scattered(700, 4), undirected(&scattered(500, 3))];
    graphs.push(rmat(&RmatConfig { scale: 10, ..Default::default() }).unwrap());
    graphs.push(grid(&GridConfig { side: 25, ..Default::default() }).unwrap());
    for (at, graph) in graphs.iter().enumerate() {
        println!("{at}: {} vertices, {} arcs", graph.n_vertices(), graph.n_arcs());
        for config in configs_of_betweenness() {
            let config = Config { lengths: Lengths::Weights, ..config };
            let few = graph.map_weights(|weight| weight % 3 + 1).unwrap();
            check_betweenness(&gpus[0], &few, &config);
            let some = graph.map_weights(|weight| weight + 1).unwrap();
            check_betweenness(&gpus[0], &some, &config);
            // sums beyond 32 bits, and those of other types
            let large = graph.map_weights(|weight| (weight % 5 + 1) << 28).unwrap();
            check_betweenness(&gpus[0], &large, &config);
            let wide = large.map_weights(|weight| i64::from(weight) << 20).unwrap();
            check_betweenness(&gpus[0], &wide, &config);
            check_betweenness(&gpus[0], &few.map_weights(|weight| weight as f32).unwrap(), &config);
            let tenths = few.map_weights(|weight| f64::from(weight) / 10.0).unwrap();
            check_betweenness(&gpus[0], &tenths, &Config { tie_tolerance: 1e-12, ..config });
        }
    }
}

/// Weights that a float of 32 bits does not notice, and paths that it cannot count.
#[test]
fn what_is_too_small_or_too_much_is_as_on_the_cpu() {
    let Some(gpus) = some_gpus(1) else { return };
    let config = Config { lengths: Lengths::Weights, ..Config::default() };
    let small = Csr::from_arcs(4, &[(0, 1, 1e9f32), (1, 2, 1e-3), (2, 3, 1.0)]).unwrap();
    let found = betweenness_on_gpus(&gpus, &small, &config, None).unwrap_err();
    assert_eq!(found.to_string(), betweenness(&small, &config, None).unwrap_err().to_string());
    let layer = |i| 4 * i..4 * i + 4;
    let between = |i: VertexId| layer(i).flat_map(move |u| layer(i + 1).map(move |v| (u, v, 7u32)));
    let arcs: Vec<_> = (0..549).flat_map(between).collect();
    check_betweenness(&gpus[0], &Csr::from_arcs(2200, &arcs).unwrap(), &config);
}

/// More than a part of sources for each GPU.
#[test]
fn betweenness_does_not_depend_on_the_number_of_gpus() {
    let graph = rmat(&RmatConfig { scale: 12, ..Default::default() }).unwrap();
    for lengths in [Lengths::Hops, Lengths::Weights] {
        let config = Config { lengths, ..Config::default() };
        let mut one = None;
        for n in 1..=3 {
            let Some(gpus) = some_gpus(n) else { return };
            let found = betweenness_on_gpus(&gpus, &graph, &config, None).unwrap();
            let of_arcs = arc_betweenness_on_gpus(&gpus, &graph, &config, None).unwrap();
            assert_eq!(
                one.get_or_insert_with(|| (found.clone(), of_arcs.clone())),
                &(found, of_arcs)
            );
        }
    }
}

/// Ranks with a GPU each find what one GPU finds.
#[test]
fn ranks_share_parts_on_gpus() {
    let Some(gpus) = some_gpus(1) else { return };
    let gpu = [gpus[0].with_memory_cap(2 << 30)];
    let graph = rmat(&RmatConfig { scale: 12, ..Default::default() }).unwrap();
    for lengths in [Lengths::Hops, Lengths::Weights] {
        let config = Config { lengths, ..Config::default() };
        ranks::check(graph.clone(), &gpu, &config, &[2, 3]);
    }
}

/// Ended after a launch, again and again, with a state in a file.
#[test]
fn betweenness_on_a_gpu_goes_on_where_it_ended() {
    let Some(gpus) = some_gpus(1) else { return };
    let folder = tempfile::tempdir().unwrap();
    let graph = ring(12_000);
    let gpu = gpus[0].with_memory_cap(64 << 20);
    let expected = find(&gpu, &graph, &Config::default());
    let state = folder.path().join("state");
    let config = Config { checkpoint: Some(state), ..Config::default() };
    let mut n_runs = 0;
    let found = loop {
        let first = AtomicU64::new(u64::MAX);
        let step = |done, total| {
            let _ = first.compare_exchange(u64::MAX, done, Relaxed, Relaxed);
            match done > first.load(Relaxed) + 4500 && done < total {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        n_runs += 1;
        match betweenness_on_gpus(std::slice::from_ref(&gpu), &graph, &config, Some(&step)) {
            Ok(found) => break found,
            Err(CentralityError::Interrupted(_)) => {}
            Err(error) => panic!("{error}"),
        }
    };
    assert!(n_runs > 1);
    assert_eq!(found, expected);
}

/// A run by two GPUs that is ended goes on with one, and then on the CPU.
#[test]
fn hops_go_on_with_fewer_gpus() {
    let Some(gpus) = some_gpus(2) else { return };
    let folder = tempfile::tempdir().unwrap();
    let graph = rmat(&RmatConfig { scale: 17, edge_factor: 3, ..Default::default() }).unwrap();
    let plain = Config { threads: NonZeroUsize::new(2), ..Config::default() };
    let expected = totals_on_gpus(&gpus, &graph, &plain, None).unwrap();
    assert_eq!(totals(&graph, &plain, None).unwrap(), expected);
    let config = Config { checkpoint: Some(folder.path().join("state")), ..plain };
    let ended = |gpus: &[Gpu], end: u64| {
        let first = AtomicU64::new(u64::MAX);
        let step = |done, _| {
            let _ = first.compare_exchange(u64::MAX, done, Relaxed, Relaxed);
            if done > end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let found = totals_on_gpus(gpus, &graph, &config, Some(&step)).unwrap_err();
        assert!(matches!(found, CentralityError::Interrupted(_)));
        first.into_inner()
    };
    // two GPUs keep a state after 32,768 sources, and one after 16,384
    assert!(ended(&gpus, 40_000) < 32_768);
    assert!(ended(&gpus[..1], 60_000) >= 32_768);
    let step = |done, _| {
        assert!(done >= 49_152);
        ControlFlow::Continue(())
    };
    assert_eq!(totals(&graph, &config, Some(&step)).unwrap(), expected);
}

#[test]
fn no_gpu_is_refused() {
    let none = betweenness_on_gpus(&[], &path(3), &Config::default(), None).unwrap_err();
    assert!(none.to_string().contains("no GPU was given"), "{none}");
}

fn approximate(gpu: &Gpu, graph: &Csr<u32>, config: &ApproximateConfig) -> ApproximateBetweenness {
    approximate_betweenness_on_gpus(std::slice::from_ref(gpu), graph, config, None).unwrap()
}

/// The same pairs and paths as on the CPU.
#[test]
fn random_paths_are_those_of_the_cpu() {
    let Some(gpus) = some_gpus(1) else { return };
    let config = ApproximateConfig { error: 0.02, ..ApproximateConfig::default() };
    let corner_cases = corner_cases::<u32>().into_iter().map(|(_, graph)| graph);
    // 4^999 is beyond floats, and left to the CPU; 4^27 is rounded
    let others = [path(900), star(3000), complete(40), layers(1000), layers(29)];
    for (at, graph) in graphs().into_iter().chain(others).chain(corner_cases).enumerate() {
        println!("{at}: {} vertices, {} arcs", graph.n_vertices(), graph.n_arcs());
        let expected = approximate_betweenness(&graph, &config, None).unwrap();
        assert_eq!(approximate(&gpus[0], &graph, &config), expected);
    }
}

/// With less and less memory blocks are fewer, until one is too many.
#[test]
fn random_paths_within_less_memory() {
    let Some(gpus) = some_gpus(1) else { return };
    let graph = rmat(&RmatConfig { scale: 13, ..Default::default() }).unwrap();
    let config = ApproximateConfig { error: 0.03, ..ApproximateConfig::default() };
    let expected = approximate_betweenness(&graph, &config, None).unwrap();
    let mut refused = false;
    for megabytes in [64, 16, 8, 7, 6, 5, 1] {
        let gpu = gpus[0].with_memory_cap(megabytes << 20);
        let gpus = std::slice::from_ref(&gpu);
        match approximate_betweenness_on_gpus(gpus, &graph, &config, None) {
            Ok(found) => assert_eq!(found, expected),
            Err(error) => {
                assert!(error.to_string().contains("the search of a pair"), "{error}");
                refused = true;
            }
        }
    }
    assert!(refused);
}
