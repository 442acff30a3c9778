//! Graphs of which a part lies in host memory, because GPUs may use little of theirs.

use gpu_runtime::{Gpu, GpuError};
use graph_formats::generate::{Duplicates, EdgeDraws, GraphOptions, RmatConfig, rmat};
use graph_formats::{Csr, Direction};
use partitioned::gpu::{DistancesOnGpus, LevelsOnGpus};
use search_parts::SearchError;
use sssp::{Config, Goal, SearchWeight, Solver};
use test_support::some_vertices;

use super::{check, check_levels, levels_of, query, sets_of_gpus, some_graphs, turn};

/// Less than what a search with weights needs, and one by levels of a graph of a thousand vertices.
const WEIGHTED: u64 = 1 << 17;
const BY_LEVELS: u64 = 1 << 14;

/// GPUs that may use what a search needs at least, and this much beside; `too_little` is less.
fn capped<T>(
    gpus: &[Gpu],
    too_little: u64,
    beside: u64,
    place: impl Fn(&[Gpu]) -> Result<T, SearchError>,
) -> Vec<Gpu> {
    let capped = |bytes| gpus.iter().map(|gpu| gpu.with_memory_cap(bytes)).collect::<Vec<_>>();
    let Some(SearchError::Gpu(error)) = place(&capped(too_little)).err() else {
        panic!("not refused with {too_little} bytes")
    };
    let GpuError::OutOfMemory { required, .. } = *error else { panic!("{error}") };
    // a part is left to the driver, and parts differ by a vertex
    capped(required / 63 * 64 + (1 << 12) + beside)
}

/// Searches of a graph of whose arcs these parts of eight are on GPUs.
fn check_parts<W: SearchWeight>(gpus: &[Gpu], graph: &Csr<W>, has_zeros: bool) {
    let of_gpu = graph.n_arcs() as u64 * 8 / gpus.len() as u64;
    for eighths in [0, 2, 6] {
        let place = |gpus: &[Gpu]| DistancesOnGpus::new(gpus, graph);
        let gpus = capped(gpus, WEIGHTED, of_gpu / 8 * eighths, place);
        let memory = place(&gpus).unwrap().memory();
        assert!(memory[0].host > 0 || graph.n_arcs() < 50_000, "{memory:?}");
        check(&gpus, graph, has_zeros);
    }
}

#[test]
fn distances_with_arcs_in_host_memory_are_those_of_a_cpu() {
    let _turn = turn();
    for gpus in sets_of_gpus() {
        for graph in some_graphs(255) {
            check_parts(&gpus, &graph, false);
        }
        // both directions, with hubs
        for graph in [&some_graphs(255)[1], &some_graphs(255)[7]] {
            check_parts(&gpus, &graph.map_weights(|w| w as i32 - 1).unwrap(), true);
            check_parts(&gpus, &graph.map_weights(|w| u64::from(w) << 33).unwrap(), false);
            check_parts(&gpus, &graph.map_weights(|w| i64::from(w) << 33).unwrap(), false);
            check_parts(&gpus, &graph.map_weights(|w| w as f32 / 7.0).unwrap(), false);
            check_parts(&gpus, &graph.map_weights(|w| f64::from(w) / 7.0).unwrap(), false);
            // no limit divides them
            check_parts(&gpus, &graph.map_weights(|_| 3u32).unwrap(), false);
        }
    }
}

#[test]
fn levels_with_arcs_in_host_memory_are_those_of_a_cpu() {
    let _turn = turn();
    for gpus in sets_of_gpus() {
        for graph in some_graphs(255).iter().filter(|graph| graph.n_vertices() >= 1000) {
            let of_gpu = graph.n_arcs() as u64 * 4 / gpus.len() as u64;
            for eighths in [0, 2, 6] {
                let place = |gpus: &[Gpu]| LevelsOnGpus::new(gpus, graph);
                let gpus = capped(&gpus, BY_LEVELS, of_gpu / 8 * eighths, place);
                let memory = place(&gpus).unwrap().memory();
                assert!(memory[0].host > 0 || graph.n_arcs() < 50_000, "{memory:?}");
                check_levels(&gpus, graph);
            }
        }
    }
}

#[test]
fn drawn_arcs_in_host_memory_are_those_of_the_cpus_graph() {
    let _turn = turn();
    for gpus in sets_of_gpus() {
        for direction in [Direction::Directed, Direction::Undirected] {
            for duplicates in [Duplicates::Drop, Duplicates::Keep] {
                let options = GraphOptions { seed: 6, direction, duplicates, ..Default::default() };
                let config = RmatConfig { scale: 11, options, ..Default::default() };
                let (draws, graph) = (config.draws().unwrap(), rmat(&config).unwrap());
                let of_part = graph.n_arcs() as u64 * 8 / gpus.len() as u64;
                for eighths in [1, 5] {
                    check_drawn(&gpus, &draws, &graph, of_part / 8 * eighths);
                }
            }
        }
    }
}

fn check_drawn(gpus: &[Gpu], draws: &EdgeDraws, graph: &Csr<u32>, beside: u64) {
    let place = |gpus: &[Gpu]| LevelsOnGpus::drawn(gpus, draws);
    let mut levels = place(&capped(gpus, BY_LEVELS, beside / 2, place)).unwrap();
    assert_eq!(levels.n_arcs(), graph.n_arcs() as u64);
    assert!(levels.memory().iter().any(|memory| memory.host > 0));
    let place = |gpus: &[Gpu]| DistancesOnGpus::drawn(gpus, draws);
    let mut searches = place(&capped(gpus, WEIGHTED, beside, place)).unwrap();
    assert_eq!(searches.n_arcs(), graph.n_arcs() as u64);
    assert!(searches.memory().iter().any(|memory| memory.host > 0));
    let mut solver = Solver::new(graph, &Config::default()).unwrap();
    for source in some_vertices(graph, 3) {
        levels.search(&query(source, u32::MAX)).unwrap();
        assert_eq!(levels.levels().unwrap(), levels_of(graph, source));
        assert_eq!(levels.wrong().unwrap(), 0);
        searches.search(&query(source, u64::MAX)).unwrap();
        let expected = solver.distances(source, Goal::All).unwrap().answer;
        assert_eq!(searches.distances::<u32>().unwrap().as_storage(), expected.as_storage());
        assert_eq!(searches.wrong().unwrap(), 0);
    }
}

/// Sums that 32 bits do not hold need more memory, so more arcs go to that of the host.
#[test]
fn arcs_make_room_for_wider_keys() {
    let _turn = turn();
    for gpus in sets_of_gpus() {
        let options = GraphOptions { weights: 1 << 30..=u32::MAX, ..Default::default() };
        let config = RmatConfig { scale: 13, edge_factor: 60, options, ..Default::default() };
        let graph = rmat(&config).unwrap();
        let place = |gpus: &[Gpu]| DistancesOnGpus::new(gpus, &graph);
        let beside = graph.n_arcs() as u64 * 5 / gpus.len() as u64;
        let gpus = capped(&gpus, WEIGHTED, beside, place);
        let mut searches = place(&gpus).unwrap();
        let before: u64 = searches.memory().iter().map(|memory| memory.host).sum();
        let source = some_vertices(&graph, 1)[0];
        searches.search(&query(source, u64::MAX)).unwrap();
        let expected = Solver::new(&graph, &Config::default()).unwrap();
        let expected = { expected }.distances(source, Goal::All).unwrap().answer;
        assert_eq!(searches.distances::<u32>().unwrap().as_storage(), expected.as_storage());
        let after: u64 = searches.memory().iter().map(|memory| memory.host).sum();
        assert!(before <= after && after > 0, "{before} {after}");
    }
}
