//! Searches over all GPUs of this machine, and over one of them, against those of a CPU.

mod host_memory;
mod ranks;
mod searches;

use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gpu_runtime::{Gpu, GpuError};
use graph_formats::generate::{
    Duplicates, GraphOptions, RmatConfig, UniformConfig, VertexNumbering, rmat, uniform,
};
use graph_formats::{Csr, Direction, DisjointSets, VertexId, Weight};
use partitioned::gpu::{DistancesOnGpus, LevelsOnGpus};
use search_parts::{Query, SearchError};
use sssp::{Config, Goal, Solver};
use test_support::{corner_cases, some_vertices};

/// A test's turn. Parts that share a GPU wait for each other, and what another test asks of the driver
/// between their launches, such as to free memory, may wait for the first and hold up the second.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first GPU alone, two and three parts that share it, and all GPUs if there are several.
fn sets_of_gpus() -> Vec<Vec<Gpu>> {
    let open = || (0..Gpu::count()?.max(1)).map(Gpu::open_ordinal).collect::<Result<Vec<_>, _>>();
    let Some(all) = test_support::gpu(open()) else { return Vec::new() };
    let shared = |n_parts: usize| (0..n_parts).map(|_| Gpu::open_ordinal(0).unwrap()).collect();
    let mut sets = vec![all[..1].to_vec(), shared(2), shared(3)];
    match all.len() {
        1 => println!("SKIPPED: several GPUs, for there is one"),
        _ => sets.push(all),
    }
    sets
}

fn query<D>(source: VertexId, limit: D) -> Query<'static, D> {
    Query { source, targets: &[], limit, progress: None }
}

/// The levels on a CPU; `u32::MAX` for none.
fn levels_of<W: Weight>(graph: &Csr<W>, source: VertexId) -> Vec<u32> {
    let ones = graph.map_weights(|_| 1u32).unwrap();
    let found = Solver::new(&ones, &Config::default()).unwrap().distances(source, Goal::All);
    let level = |distance: Option<u64>| distance.map_or(u32::MAX, |level| level as u32);
    found.unwrap().answer.iter().map(level).collect()
}

/// Graphs with hubs, deep and shallow, sparse and dense, with parallel arcs and loops, and weights up to
/// this one.
fn some_graphs(greatest: u32) -> Vec<Csr<u32>> {
    let mut graphs = Vec::new();
    for (seed, direction) in [(1, Direction::Directed), (2, Direction::Undirected)] {
        let weights = seed as u32..=greatest;
        let options = GraphOptions { seed, direction, weights, ..Default::default() };
        for (scale, edge_factor) in [(5, 2), (11, 16), (10, 60)] {
            let options = options.clone();
            let numbering = VertexNumbering::AsDrawn;
            let config =
                RmatConfig { scale, edge_factor, options, numbering, ..Default::default() };
            graphs.push(rmat(&config).unwrap());
        }
        let options = GraphOptions { duplicates: Duplicates::Keep, ..options };
        for (n_vertices, n_edges) in [(1, 2), (2500, 3000), (2000, 60_000)] {
            let config = UniformConfig { n_vertices, n_edges, options: options.clone() };
            graphs.push(uniform(&config).unwrap());
        }
    }
    graphs
}

/// The first vertex of the component of each.
fn components_of<W: Weight>(graph: &Csr<W>) -> Vec<VertexId> {
    let mut sets = DisjointSets::joined_by(graph);
    graph.vertices().map(|vertex| sets.root(vertex)).collect()
}

/// Components of this graph, and searches by levels, up to one and to the last vertex too.
fn check_levels<W: Weight>(gpus: &[Gpu], graph: &Csr<W>) {
    let mut searches = LevelsOnGpus::new(gpus, graph).unwrap();
    assert_eq!(searches.components().unwrap(), components_of(graph));
    for source in some_vertices(graph, 3) {
        let expected = levels_of(graph, source);
        searches.search(&query(source, u32::MAX)).unwrap();
        assert_eq!(searches.levels().unwrap(), expected);
        assert_eq!(searches.wrong().unwrap(), 0);
        for limit in [0, 1] {
            searches.search(&query(source, limit)).unwrap();
            let found = searches.levels().unwrap();
            let within = expected.iter().map(|&level| if level > limit { u32::MAX } else { level });
            assert!(found.into_iter().eq(within), "from {source}");
        }
        let target = graph.n_vertices() as VertexId - 1;
        searches.search(&Query { targets: &[target], ..query(source, u32::MAX) }).unwrap();
        let level = |levels: &[u32]| levels[target as usize];
        assert_eq!(level(&searches.levels().unwrap()), level(&expected));
    }
}

#[test]
fn levels_are_those_of_a_cpu() {
    let _turn = turn();
    let corners = corner_cases::<u32>().into_iter().map(|(_, graph)| graph);
    let graphs: Vec<_> = corners.chain(some_graphs(255)).collect();
    for gpus in sets_of_gpus() {
        graphs
            .iter()
            .filter(|graph| graph.n_vertices() > 0)
            .for_each(|graph| check_levels(&gpus, graph));
    }
}

/// Searches of this graph, and from the source to the last vertex and up to half its distance.
fn check<W: sssp::SearchWeight>(gpus: &[Gpu], graph: &Csr<W>, has_zeros: bool) {
    let mut solver = Solver::new(graph, &Config::default()).unwrap();
    let mut searches = DistancesOnGpus::new(gpus, graph).unwrap();
    for source in some_vertices(graph, 3) {
        let expected = solver.distances(source, Goal::All).unwrap().answer;
        searches.search(&query(source, u64::MAX)).unwrap();
        let found = searches.distances::<W>().unwrap();
        assert_eq!(found.as_storage(), expected.as_storage(), "{:?} from {source}", W::KIND);
        if !has_zeros {
            assert_eq!(searches.wrong().unwrap(), 0);
        }
        let target = graph.n_vertices() as VertexId - 1;
        searches.search(&Query { targets: &[target], ..query(source, u64::MAX) }).unwrap();
        assert_eq!(searches.distances::<W>().unwrap().get(target), expected.get(target));
    }
}

#[test]
fn distances_are_those_of_a_cpu() {
    let _turn = turn();
    for gpus in sets_of_gpus() {
        for (name, graph) in corner_cases::<u32>() {
            if graph.n_vertices() > 0 {
                println!("{name}");
                check(&gpus, &graph, true);
            }
        }
        for graph in some_graphs(255) {
            check(&gpus, &graph, false);
            check(&gpus, &graph.map_weights(|w| w as i32 - 1).unwrap(), true);
            check(&gpus, &graph.map_weights(|w| u64::from(w) << 33).unwrap(), false);
            check(&gpus, &graph.map_weights(|w| i64::from(w) << 33).unwrap(), false);
            check(&gpus, &graph.map_weights(|w| w as f32 / 7.0).unwrap(), false);
            check(&gpus, &graph.map_weights(|w| f64::from(w) / 7.0).unwrap(), false);
        }
        // sums beyond 32 bits
        for graph in some_graphs(u32::MAX) {
            check(&gpus, &graph, false);
        }
    }
}

#[test]
fn drawn_graphs_have_the_distances_of_the_cpus() {
    let _turn = turn();
    for gpus in sets_of_gpus() {
        for direction in [Direction::Directed, Direction::Undirected] {
            for duplicates in [Duplicates::Drop, Duplicates::Keep] {
                let options = GraphOptions { seed: 5, direction, duplicates, ..Default::default() };
                let config = RmatConfig { scale: 12, options, ..Default::default() };
                let (draws, graph) = (config.draws().unwrap(), rmat(&config).unwrap());
                let mut levels = LevelsOnGpus::drawn(&gpus, &draws).unwrap();
                let mut distances = DistancesOnGpus::drawn(&gpus, &draws).unwrap();
                assert_eq!(levels.n_arcs(), graph.n_arcs() as u64);
                assert_eq!(distances.n_arcs(), graph.n_arcs() as u64);
                let mut solver = Solver::new(&graph, &Config::default()).unwrap();
                for source in some_vertices(&graph, 3) {
                    levels.search(&query(source, u32::MAX)).unwrap();
                    assert_eq!(levels.levels().unwrap(), levels_of(&graph, source));
                    distances.search(&query(source, u64::MAX)).unwrap();
                    let expected = solver.distances(source, Goal::All).unwrap().answer;
                    let found = distances.distances::<u32>().unwrap();
                    assert_eq!(found.as_storage(), expected.as_storage());
                }
            }
        }
    }
}

#[test]
fn a_search_that_was_ended_leaves_the_next_one_right() {
    let _turn = turn();
    let graph = rmat(&RmatConfig { scale: 12, ..Default::default() }).unwrap();
    let source = graph.vertices().max_by_key(|&v| graph.out_degree(v)).unwrap();
    for gpus in sets_of_gpus() {
        let mut levels = LevelsOnGpus::new(&gpus, &graph).unwrap();
        let mut distances = DistancesOnGpus::new(&gpus, &graph).unwrap();
        for n_turns in 0..4 {
            let ends = |done, _| match done >= n_turns {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            };
            let ended = Query { progress: Some(&ends), ..query(source, u32::MAX) };
            if n_turns < 2 {
                let found = levels.search(&ended);
                assert!(matches!(found, Err(SearchError::Interrupted(_))), "{found:?}");
            }
            let ended = Query { progress: Some(&ends), ..query(source, u64::MAX) };
            let found = distances.search(&ended);
            assert!(matches!(found, Err(SearchError::Interrupted(_))), "{found:?}");
        }
        levels.search(&query(source, u32::MAX)).unwrap();
        assert_eq!(levels.wrong().unwrap(), 0);
        distances.search(&query(source, u64::MAX)).unwrap();
        assert_eq!(distances.wrong().unwrap(), 0);
    }
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let _turn = turn();
    for gpus in sets_of_gpus() {
        let graph = rmat(&RmatConfig { scale: 12, ..Default::default() }).unwrap();
        let twice = [gpus[0].clone(), gpus[0].clone()];
        let refused = LevelsOnGpus::new(&twice, &graph).err().map(|error| error.to_string());
        assert!(refused.is_some_and(|text| text.contains("twice")));
        let refused = LevelsOnGpus::new(&[], &graph).err();
        assert!(matches!(refused, Some(SearchError::NotOnGpu { .. })));
        let signed = graph.map_weights(|w| w as i32 - 100).unwrap();
        let refused = DistancesOnGpus::new(&gpus, &signed).err();
        assert!(matches!(refused, Some(SearchError::NegativeWeight { .. })));
        // one of them has less memory
        let mut small = gpus.clone();
        let last = small.pop().unwrap().with_memory_cap(1 << 15);
        small.push(last);
        for refused in
            [LevelsOnGpus::new(&small, &graph).err(), DistancesOnGpus::new(&small, &graph).err()]
        {
            let Some(SearchError::Gpu(error)) = refused else { panic!("{refused:?}") };
            assert!(matches!(*error, GpuError::OutOfMemory { .. }), "{error}");
        }
        let mut levels = LevelsOnGpus::new(&gpus, &graph).unwrap();
        let refused = levels.search(&query(graph.n_vertices() as VertexId, u32::MAX));
        assert!(matches!(refused, Err(SearchError::NoSuchVertex { .. })));
    }
}
