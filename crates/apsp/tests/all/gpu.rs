//! The solvers on a GPU against those on the CPU.

use apsp::{
    Algorithm, ApspError, Config, GpuPairs, ScratchFolder, all_pairs, all_pairs_in,
    all_pairs_in_on_gpu, all_pairs_on_gpu,
};
use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight};
use paths::certificate::{check_all_pairs, check_next_hops};
use paths::oracle;
use paths::zoo::zoo;

use crate::common::{data, same};

/// Vertices up to which entries of the zoo are taken.
const MOST_VERTICES: usize = 300;

/// The first GPU, or `None` and a word about it.
fn gpu() -> Option<Gpu> {
    match Gpu::open() {
        Ok(gpu) => Some(gpu),
        Err(reason) => {
            let required = std::env::var_os("STARPATH_REQUIRE_GPU").is_some_and(|v| v == "1");
            assert!(!required, "STARPATH_REQUIRE_GPU=1, but {reason}");
            println!("SKIPPED: {reason}");
            None
        }
    }
}

/// Numbers that differ from case to case, and are the same in every run.
fn draws(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    }
}

/// A digraph with a circle through all vertices and some arcs more, up to `heaviest`.
fn connected(n: u32, more: usize, heaviest: u64) -> Csr<u32> {
    let mut draw = draws(n.into());
    let mut arcs: Vec<_> = (0..n).map(|v| (v, (v + 1) % n, 1 + draw(heaviest) as u32)).collect();
    for _ in 0..more {
        let (u, v) = (draw(n.into()) as u32, draw(n.into()) as u32);
        arcs.push((u, v, 1 + draw(heaviest) as u32));
    }
    Csr::from_arcs(n as usize, &arcs).unwrap()
}

/// The same, and a vertex too far away for 16 bits.
fn in_32_bits(n: u32, more: usize, heaviest: u64) -> Csr<u32> {
    let arcs = connected(n - 1, more, heaviest);
    let arcs: Vec<_> = arcs.arcs().chain([(0, n - 1, 100_000)]).collect();
    Csr::from_arcs(n as usize, &arcs).unwrap()
}

/// Weights of both signs and no negative cycle: slopes, and a cost beside them.
fn slope(n: u32) -> Csr<i32> {
    let height = |v: u32| (v * v % 101) as i32;
    let cost = |u: u32, v: u32| ((u * 31 + v * 17) % 23) as i32;
    let arcs: Vec<_> = (0..n)
        .flat_map(|u| [(u, (u * 5 + 1) % n), (u, (u + 7) % n), (u, (u * u + 3) % n)])
        .map(|(u, v)| (u, v, cost(u, v) + height(v) - height(u)))
        .collect();
    Csr::from_arcs(n as usize, &arcs).unwrap()
}

/// Solves with next hops, and compares both matrices with the CPU's.
fn agree<W: Weight>(gpu: &Gpu, name: &str, graph: &Csr<W>, config: &Config) -> Option<GpuPairs<W>>
where
    W::Distance: Weight<Distance = W::Distance>,
{
    let config = Config { next_hops: true, ..config.clone() };
    let pairs = match all_pairs_on_gpu(gpu, graph, &config, None) {
        Err(ApspError::NotOnGpu { .. } | ApspError::TooHeavy { .. }) => return None,
        pairs => pairs.unwrap_or_else(|error| panic!("{name}: {error}")),
    };
    let on_host = Config { algorithm: Algorithm::Johnson, next_hops: true, ..Config::default() };
    let expected = all_pairs(graph, &on_host, None).unwrap();
    assert!(same(&pairs.found.distances, &expected.distances), "{name}: distances");
    assert!(pairs.found.next_hops == expected.next_hops, "{name}: next hops");
    let plain = Config { next_hops: false, ..config };
    let alone = all_pairs_on_gpu(gpu, graph, &plain, None).unwrap();
    assert!(same(&alone.found.distances, &expected.distances), "{name}: distances alone");
    Some(pairs)
}

fn zoo_agrees<W: Weight>(gpu: &Gpu)
where
    W::Distance: Weight<Distance = W::Distance>,
{
    for (name, graph) in zoo::<W>().iter().filter(|entry| entry.1.n_vertices() <= MOST_VERTICES) {
        agree(gpu, name, graph, &Config::default());
    }
}

#[test]
fn zoo_of_all_numbers() {
    let Some(gpu) = gpu() else { return };
    zoo_agrees::<u32>(&gpu);
    zoo_agrees::<i32>(&gpu);
    zoo_agrees::<f32>(&gpu);
    zoo_agrees::<u64>(&gpu);
    zoo_agrees::<i64>(&gpu);
}

#[test]
fn sizes_around_tiles_with_negative_arcs() {
    let Some(gpu) = gpu() else { return };
    let sizes = (1..=20).chain(60..=66).chain(126..=130).chain(254..=258).chain(383..=386);
    for n in sizes {
        let graph = slope(n);
        agree(&gpu, "slope", &graph, &Config::default()).unwrap();
        agree(&gpu, "slope of f32", &graph.convert_weights::<f32>().unwrap(), &Config::default());
        agree(&gpu, "circle", &connected(n, 3 * n as usize, 255), &Config::default()).unwrap();
    }
}

#[test]
fn every_form_gives_the_same() {
    let Some(gpu) = gpu() else { return };
    let (graph, floats) = (slope(200), connected(200, 900, 50_000).convert_weights::<f32>());
    let floats = floats.unwrap();
    let forms = Algorithm::ALL.into_iter().filter(|&form| form != Algorithm::Johnson);
    for algorithm in forms {
        let tiles: &[_] = match algorithm {
            Algorithm::BlockedProduct | Algorithm::BlockedTwoLevel | Algorithm::Recursive => {
                &[None, Some(16), Some(32), Some(64)]
            }
            _ => &[None],
        };
        for &tile in tiles {
            let config = Config { algorithm, tile, ..Config::default() };
            let name = format!("{algorithm}, {tile:?}");
            agree(&gpu, &name, &graph, &config).unwrap();
            agree(&gpu, &name, &floats, &config).unwrap();
        }
    }
}

#[test]
fn four_launches_a_block_of_pivots() {
    let Some(gpu) = gpu() else { return };
    for blocks in [3, 5] {
        let graph = slope(128 * blocks);
        let pairs = all_pairs_on_gpu(&gpu, &graph, &Config::default(), None).unwrap();
        assert_eq!((pairs.launches, pairs.strips), (u64::from(4 * blocks) - 1, 0));
    }
}

#[test]
fn plateaus_of_no_weight_are_placed_by_levels() {
    let Some(gpu) = gpu() else { return };
    let mut draw = draws(7);
    let arcs: Vec<_> =
        (0..2400).map(|_| (draw(500) as u32, draw(500) as u32, draw(3) as u32)).collect();
    let graph = Csr::from_arcs(500, &arcs).unwrap();
    let pairs = agree(&gpu, "plateaus", &graph, &Config::default()).unwrap();
    let (table, hops) = (&pairs.found.distances, pairs.found.next_hops.as_ref().unwrap());
    check_all_pairs(&graph, table).unwrap();
    check_next_hops(&graph, table, hops).unwrap();
}

/// The bulk is in strips: of the sizes that fit, of ones that end in a shorter block.
#[test]
fn strips_where_memory_is_little() {
    let Some(gpu) = gpu() else { return };
    for (n, memory) in [(1500, 6 << 20), (1500, 8 << 20), (2100, 12 << 20)] {
        let config = Config { memory: Some(memory), ..Config::default() };
        let heavy = in_32_bits(n, 4 * n as usize, 50_000);
        let pairs = agree(&gpu, "i32 in strips", &heavy, &config).unwrap();
        assert!(pairs.strips > 0, "{n} in {memory}");
        let floats = heavy.convert_weights::<f32>().unwrap();
        assert!(agree(&gpu, "f32 in strips", &floats, &config).unwrap().strips > 0);
        agree(&gpu, "negative in strips", &slope(n), &config).unwrap();
        agree(&gpu, "narrow, perhaps in strips", &connected(n, 4 * n as usize, 255), &config);
    }
    let graph = in_32_bits(1500, 3000, 255);
    let config = Config { memory: Some(1 << 20), ..Config::default() };
    let refused = all_pairs_on_gpu(&gpu, &graph, &config, None);
    assert!(matches!(refused, Err(ApspError::Gpu(_))), "{:?}", refused.err());
}

/// As many vertices as the network of neurons of the origin text, in less memory than its
/// matrix has.
#[test]
fn a_network_of_12529_vertices_in_little_memory() {
    let Some(gpu) = gpu() else { return };
    let graph = in_32_bits(12_529, 90_000, 8192);
    let mut tables = Vec::new();
    for memory in [512u64 << 20, 64 << 20] {
        let config = Config { memory: Some(memory), ..Config::default() };
        let pairs = all_pairs_on_gpu(&gpu, &graph, &config, None).unwrap();
        assert!(pairs.strips > 0, "in {memory} bytes");
        println!("{memory} bytes: {} strips, {:.0} ms", pairs.strips, pairs.times.solve_ms);
        tables.push(pairs.found.distances);
    }
    assert!(tables[0] == tables[1]);
    for source in [0, 777, 12_528] {
        let expected = oracle::dijkstra(&graph, source).unwrap();
        assert!(tables[0].row(source as usize).eq((0..12_529).map(|v| expected.get(v))));
    }
}

#[test]
fn a_callback_ends_it() {
    let Some(gpu) = gpu() else { return };
    let graph = slope(1500);
    for memory in [None, Some(6 << 20)] {
        let stop = |done, _| {
            if done > 0 {
                std::ops::ControlFlow::Break(())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        };
        let config = Config { memory, ..Config::default() };
        let ended = all_pairs_on_gpu(&gpu, &graph, &config, Some(&stop));
        assert!(matches!(ended, Err(ApspError::Search(sssp::SsspError::Interrupted))));
    }
}

#[test]
fn what_it_does_not_take_it_says() {
    let Some(gpu) = gpu() else { return };
    let doubles = connected(10, 10, 9).convert_weights::<f64>().unwrap();
    let refused = all_pairs_on_gpu(&gpu, &doubles, &Config::default(), None);
    assert!(matches!(refused, Err(ApspError::NotOnGpu { .. })));
    let cycle = Csr::from_arcs(3, &[(0, 1, -2i32), (1, 2, 1), (2, 0, 0)]).unwrap();
    let refused = all_pairs_on_gpu(&gpu, &cycle, &Config::default(), None);
    assert!(matches!(refused, Err(ApspError::Search(sssp::SsspError::NegativeCycle { .. }))));
}

#[test]
fn a_city_whole_by_every_form() {
    let Some(gpu) = gpu() else { return };
    let Some(path) = data("dimacs/rome99.gr") else { return };
    let graph = graph_formats::read(&path).unwrap().csr.into_csr::<u32>().unwrap();
    let expected = agree(&gpu, "rome99", &graph, &Config::default()).unwrap().found;
    for algorithm in Algorithm::ALL.into_iter().filter(|&form| form != Algorithm::Johnson) {
        let config = Config { next_hops: true, ..Config::with(algorithm) };
        let found = all_pairs_on_gpu(&gpu, &graph, &config, None).unwrap().found;
        assert!(found.distances == expected.distances, "{algorithm}");
        assert!(found.next_hops == expected.next_hops, "{algorithm}");
        assert_eq!(found.distances.sum(), expected.distances.sum());
    }
}

#[test]
fn a_brain_whole() {
    let Some(gpu) = gpu() else { return };
    let Some(path) = data("connectome/larva_unmatched_full.csv.gz") else { return };
    let counts = graph_formats::read(&path).unwrap().csr.into_csr::<f64>().unwrap();
    let with = |weight: fn(f64) -> f32| {
        let arcs: Vec<_> = counts.arcs().map(|(u, v, count)| (u, v, weight(count))).collect();
        Csr::from_arcs(counts.n_vertices(), &arcs).unwrap()
    };
    let units = with(|_| 1.0);
    agree(&gpu, "synapses as floats", &units, &Config::default()).unwrap();
    let units = units.convert_weights::<u32>().unwrap();
    agree(&gpu, "synapses", &units, &Config::default()).unwrap();
    agree(&gpu, "inverse counts", &with(|count| 1.0 / count as f32), &Config::default()).unwrap();
}

#[test]
fn a_matrix_in_a_folder_passes_through() {
    let Some(gpu) = gpu() else { return };
    let folder = tempfile::tempdir().unwrap();
    for (case, graph) in
        [in_32_bits(700, 2100, 50_000), in_32_bits(1500, 6000, 50_000)].iter().enumerate()
    {
        let config = Config { memory: Some(24 << 20), next_hops: true, ..Config::default() };
        let by_gpu = ScratchFolder::new(folder.path().join(format!("gpu{case}")));
        let by_cpu = ScratchFolder::new(folder.path().join(format!("cpu{case}")));
        // ended after some strips, and gone on with
        let stop = |done, _| match done {
            0..=7 => std::ops::ControlFlow::Continue(()),
            _ => std::ops::ControlFlow::Break(()),
        };
        let ended = all_pairs_in_on_gpu(&gpu, &by_gpu, graph, &config, Some(&stop));
        assert!(matches!(ended, Err(ApspError::Search(sssp::SsspError::Interrupted))));
        let again = ScratchFolder { resume: true, ..by_gpu };
        let found = all_pairs_in_on_gpu(&gpu, &again, graph, &config, None).unwrap();
        let expected = all_pairs_in(&by_cpu, graph, &config, None).unwrap();
        assert_eq!(found.summary(), expected.summary());
        let matrix =
            |scratch: &ScratchFolder| std::fs::read(scratch.path.join("matrix.bin")).unwrap();
        assert!(matrix(&again) == matrix(&by_cpu), "the matrices differ");
        for u in [0, 5, 699] {
            assert!(found.row(u).eq(expected.row(u)));
        }
    }
}
