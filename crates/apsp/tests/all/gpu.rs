//! The solvers on a GPU against those on the CPU.

use std::slice;

use apsp::{Algorithm, ApspError, Config, Number, Pairs, PairsWeight, Solver};
use gpu_runtime::Gpu;
use graph_formats::Csr;
use paths::certificate::{check_all_pairs, check_next_hops};
use published::pairs::Form;
use test_support::{corner_cases, data, draws};

use crate::common::{identical, minus_zero_chain, minus_zeros, rounding_path, same};

/// Vertices up to which the corner cases are taken.
pub(crate) const MOST_VERTICES: usize = 300;

/// The first GPU, or `None` and a word about it.
pub(crate) fn gpu() -> Option<Gpu> {
    test_support::gpu(Gpu::open())
}

/// `n` GPUs; if there are fewer, one stands for several.
pub(crate) fn some_gpus(n: u32) -> Option<Vec<Gpu>> {
    gpu()?;
    let count = Gpu::count().unwrap();
    println!("{count} GPUs");
    Some((0..n).map(|i| Gpu::open_ordinal(i % count).unwrap()).collect())
}

/// A digraph with a cycle through all vertices and some arcs more, up to `heaviest`.
pub(crate) fn connected(n: u32, more: usize, heaviest: u64) -> Csr<u32> {
    let mut draw = draws(n.into());
    let mut arcs: Vec<_> = (0..n).map(|v| (v, (v + 1) % n, 1 + draw(heaviest) as u32)).collect();
    for _ in 0..more {
        let (u, v) = (draw(n.into()) as u32, draw(n.into()) as u32);
        arcs.push((u, v, 1 + draw(heaviest) as u32));
    }
    Csr::from_arcs(n as usize, &arcs).unwrap()
}

/// The same, so light that all sums are below the limit of 16 bits.
pub(crate) fn light(n: u32, more: usize) -> Csr<u32> {
    connected(n, more, 30_000 / u64::from(n))
}

/// The same, and a vertex too far away for 16 bits.
pub(crate) fn in_32_bits(n: u32, more: usize, heaviest: u64) -> Csr<u32> {
    let arcs = connected(n - 1, more, heaviest);
    let arcs: Vec<_> = arcs.arcs().chain([(0, n - 1, 100_000)]).collect();
    Csr::from_arcs(n as usize, &arcs).unwrap()
}

/// Weights of both signs and no negative cycle: slopes, and a cost beside them.
pub(crate) fn slope(n: u32) -> Csr<i32> {
    let height = |v: u32| (v * v % 101) as i32;
    let cost = |u: u32, v: u32| ((u * 31 + v * 17) % 23) as i32;
    let arcs: Vec<_> = (0..n)
        .flat_map(|u| [(u, (u * 5 + 1) % n), (u, (u + 7) % n), (u, (u * u + 3) % n)])
        .map(|(u, v)| (u, v, cost(u, v) + height(v) - height(u)))
        .collect();
    Csr::from_arcs(n as usize, &arcs).unwrap()
}

/// The same weights times a factor with which sums need 64 bits.
pub(crate) fn in_64_bits(graph: &Csr<i32>) -> Csr<i64> {
    let arcs: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, i64::from(w) << 36)).collect();
    Csr::from_arcs(graph.n_vertices(), &arcs).unwrap()
}

pub(crate) fn by_gpu<W: PairsWeight>(
    gpu: &Gpu,
    graph: &Csr<W>,
    config: &Config,
) -> Result<Pairs<W>, ApspError> {
    Solver::new(graph, config).on(slice::from_ref(gpu)).solve(None)
}

/// Solves with next hops, and compares both matrices with the CPU's, floats bit for bit; and
/// without, where floats may be rounded otherwise.
pub(crate) fn agree<W: PairsWeight>(
    gpu: &Gpu,
    name: &str,
    graph: &Csr<W>,
    config: &Config,
) -> Option<Pairs<W>> {
    let config = Config { next_hops: true, ..config.clone() };
    let pairs = match by_gpu(gpu, graph, &config) {
        Err(ApspError::NotOnGpu { .. } | ApspError::TooHeavy { .. }) => return None,
        pairs => pairs.unwrap_or_else(|error| panic!("{name}: {error}")),
    };
    let on_host = Config { algorithm: Algorithm::Johnson, next_hops: true, ..Config::default() };
    let expected = Solver::new(graph, &on_host).solve(None).unwrap();
    assert!(
        identical(pairs.distances().unwrap(), expected.distances().unwrap()),
        "{name}: distances"
    );
    assert!(pairs.next_hops() == expected.next_hops(), "{name}: next hops");
    let plain = Config { next_hops: false, ..config };
    let alone = by_gpu(gpu, graph, &plain).unwrap();
    assert!(
        same(alone.distances().unwrap(), expected.distances().unwrap()),
        "{name}: distances alone"
    );
    Some(pairs)
}

fn corner_cases_agrees<W: PairsWeight>(gpu: &Gpu) {
    for (name, graph) in
        corner_cases::<W>().iter().filter(|entry| entry.1.n_vertices() <= MOST_VERTICES)
    {
        agree(gpu, name, graph, &Config::default());
    }
}

#[test]
fn corner_cases_of_all_numbers() {
    let Some(gpu) = gpu() else { return };
    corner_cases_agrees::<u32>(&gpu);
    corner_cases_agrees::<i32>(&gpu);
    corner_cases_agrees::<f32>(&gpu);
    corner_cases_agrees::<u64>(&gpu);
    corner_cases_agrees::<i64>(&gpu);
    corner_cases_agrees::<f64>(&gpu);
}

#[test]
fn sizes_around_tiles_with_negative_arcs() {
    let Some(gpu) = gpu() else { return };
    let sizes = (1..=20).chain(60..=66).chain(126..=130).chain(254..=258).chain(383..=386);
    for n in sizes {
        let graph = slope(n);
        agree(&gpu, "slope", &graph, &Config::default()).unwrap();
        agree(
            &gpu,
            "slope of f32",
            &graph.clone().convert_weights::<f32>().unwrap(),
            &Config::default(),
        );
        let wide = agree(&gpu, "slope of i64", &in_64_bits(&graph), &Config::default()).unwrap();
        assert!(n < 3 || wide.plan.number == Some(Number::I64), "{n}");
        let doubles = graph.convert_weights::<f64>().unwrap();
        let doubles = agree(&gpu, "slope of f64", &doubles, &Config::default()).unwrap();
        assert_eq!(doubles.plan.number, Some(Number::F64));
        agree(&gpu, "cycle", &light(n, 3 * n as usize), &Config::default()).unwrap();
    }
}

#[test]
fn every_form_gives_the_same() {
    let Some(gpu) = gpu() else { return };
    let (graph, floats) = (slope(200), connected(200, 900, 50_000).convert_weights::<f32>());
    let floats = floats.unwrap();
    let (wide, doubles) = (in_64_bits(&graph), graph.clone().convert_weights::<f64>().unwrap());
    for algorithm in forms() {
        let tiles: &[_] = match algorithm.has_tiles() {
            true => &[None, Some(16), Some(32), Some(64)],
            false => &[None],
        };
        for &tile in tiles {
            let config = Config { algorithm, tile, ..Config::default() };
            let name = format!("{algorithm}, {tile:?}");
            agree(&gpu, &name, &graph, &config).unwrap();
            agree(&gpu, &name, &floats, &config).unwrap();
            // the published ones are of 32 bits
            let is_ours = matches!(algorithm, Algorithm::Auto | Algorithm::Blocked);
            assert_eq!(agree(&gpu, &name, &wide, &config).is_some(), is_ours, "{name}");
            assert_eq!(agree(&gpu, &name, &doubles, &config).is_some(), is_ours, "{name}");
        }
    }
}

/// Where tiles are few a block of 64 pivots is two launches, and else two blocks are three.
#[test]
fn launches_for_a_block_of_pivots() {
    let Some(gpu) = gpu() else { return };
    for (n, launches) in [(384, 12), (640, 20), (2048, 48)] {
        let pairs = by_gpu(&gpu, &slope(n), &Config::default()).unwrap();
        assert_eq!((pairs.report.launches, pairs.report.strips), (launches, 0));
    }
}

/// Many arcs of no weight.
pub(crate) fn plateaus(n: u32) -> Csr<u32> {
    let mut draw = draws(7);
    let end = |draw: &mut dyn FnMut(u64) -> u64| draw(n.into()) as u32;
    let arcs = (0..5 * n).map(|_| (end(&mut draw), end(&mut draw), draw(3) as u32));
    Csr::from_arcs(n as usize, &arcs.collect::<Vec<_>>()).unwrap()
}

#[test]
pub(crate) fn plateaus_of_no_weight_are_placed_by_levels() {
    let Some(gpu) = gpu() else { return };
    let graph = plateaus(500);
    let pairs = agree(&gpu, "plateaus", &graph, &Config::default()).unwrap();
    let (table, hops) = (pairs.distances().unwrap(), pairs.next_hops().unwrap());
    check_all_pairs(&graph, table).unwrap();
    check_next_hops(&graph, table, hops).unwrap();
}

#[test]
fn a_callback_ends_it() {
    let Some(gpu) = gpu() else { return };
    let graph = slope(1500);
    for memory in [u64::MAX, 7 << 20] {
        let stop = |done, _| {
            if done > 0 {
                std::ops::ControlFlow::Break(())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        };
        let gpu = gpu.with_memory_cap(memory);
        let ended =
            Solver::new(&graph, &Config::default()).on(slice::from_ref(&gpu)).solve(Some(&stop));
        assert!(matches!(ended, Err(ApspError::Interrupted(_))));
    }
}

/// The forms of Floyd-Warshall there are on a GPU.
fn forms() -> impl Iterator<Item = Algorithm> {
    let is_other = |form: &_| matches!(form, Algorithm::Johnson | Algorithm::Supernodes);
    Algorithm::ALL.into_iter().filter(move |form| !is_other(form))
}

/// A weight of −0.0 is one of 0 in every form, and in strips.
#[test]
fn zeros_have_no_sign() {
    let Some(gpu) = gpu() else { return };
    for graph in minus_zeros() {
        let expected = Solver::new(&graph, &Config::with(Algorithm::Johnson)).solve(None).unwrap();
        for algorithm in forms() {
            let found = by_gpu(&gpu, &graph, &Config::with(algorithm)).unwrap();
            assert!(
                identical(found.distances().unwrap(), expected.distances().unwrap()),
                "{algorithm}"
            );
            let config = Config::with(algorithm);
            agree(&gpu, "−0.0 with next hops", &graph, &config).unwrap();
        }
    }
    let small = gpu.with_memory_cap(7 << 20);
    let pairs = agree(&small, "−0.0 in strips", &minus_zero_chain(1500), &Config::default());
    assert!(pairs.unwrap().report.strips > 0);
}

/// With next hops distances of floats are the least sums from the end, whatever the GPU found.
#[test]
fn floats_with_next_hops_are_settled() {
    let Some(gpu) = gpu() else { return };
    let graph = rounding_path();
    for algorithm in forms() {
        let config = Config { next_hops: true, ..Config::with(algorithm) };
        let found = by_gpu(&gpu, &graph, &config).unwrap();
        assert_eq!(found.distances().unwrap().get(0, 3), Some(0.2 + (0.1 + 0.4)), "{algorithm}");
        let hops = found.next_hops().unwrap();
        assert_eq!(hops.get(0, 3), Some(1), "{algorithm}");
        check_next_hops(&graph, found.distances().unwrap(), hops).unwrap();
    }
    // many small ones, of which nearly all have a tight arc for each pair
    for n in 3..40 {
        let sevenths: Vec<_> =
            connected(n, n as usize, 9).arcs().map(|(u, v, w)| (u, v, w as f32 / 7.0)).collect();
        let graph = Csr::from_arcs(n as usize, &sevenths).unwrap();
        agree(&gpu, "sevenths", &graph, &Config::default()).unwrap();
    }
}

#[test]
fn what_it_does_not_take_it_says() {
    let Some(gpu) = gpu() else { return };
    let doubles = connected(10, 10, 9).convert_weights::<f64>().unwrap();
    let refused = by_gpu(&gpu, &doubles, &Config::with(Algorithm::Published(Form::Recursive)));
    assert!(matches!(refused, Err(ApspError::NotOnGpu { .. })));
    let cycle = Csr::from_arcs(3, &[(0, 1, -2i32), (1, 2, 1), (2, 0, 0)]).unwrap();
    let refused = by_gpu(&gpu, &cycle, &Config::default());
    assert!(matches!(refused, Err(ApspError::Search(sssp::SsspError::NegativeCycle { .. }))));
}

#[test]
fn a_city_whole_by_every_form() {
    let Some(gpu) = gpu() else { return };
    let Some(path) = data("dimacs/rome99.gr") else { return };
    let graph = graph_formats::read(&path).unwrap().csr.into_csr::<u32>().unwrap();
    let expected = agree(&gpu, "rome99", &graph, &Config::default()).unwrap();
    for algorithm in forms() {
        let config = Config { next_hops: true, ..Config::with(algorithm) };
        let found = by_gpu(&gpu, &graph, &config).unwrap();
        assert!(found.distances().unwrap() == expected.distances().unwrap(), "{algorithm}");
        assert!(found.next_hops() == expected.next_hops(), "{algorithm}");
        assert_eq!(found.distances().unwrap().sum(), expected.distances().unwrap().sum());
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
