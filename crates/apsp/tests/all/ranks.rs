//! The matrix of several ranks, which are threads here, against that of one, bit for bit.

use std::fmt::Debug;
use std::io::Write;
use std::ops::ControlFlow;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};

use apsp::any::broadcast;
use apsp::{Algorithm, ApspError, Config, Number, Pairs, PairsWeight, Solver};
use collectives::{Alone, Communicator, RanksError, Threads};
use gpu_runtime::Gpu;
use graph_formats::generate::{UniformConfig, uniform};
use graph_formats::{Csr, Distance, Interrupted};
use ndarray::Array2;
use paths::DistanceTable;
use proptest::prelude::*;
use published::pairs::Form;
use test_support::{arbitrary_graph, corner_cases};

use crate::common::{identical, minus_zeros, rounding_path, same};
use crate::gpu::{in_32_bits, in_64_bits, light, slope, some_gpus};

#[test]
fn a_graph_that_is_not_valid_is_an_error_of_the_rank_that_receives_it() {
    let send = |kind: u8, is_undirected: u8, column: u32| {
        Threads::run(2, |ranks| {
            let ranks: &dyn Communicator = ranks;
            if !ranks.is_root() {
                return broadcast(ranks, None).map(drop);
            }
            ranks.broadcast(0, &mut [kind, is_undirected])?;
            ranks.broadcast_vec(0, vec![0u64, 1, 1])?;
            ranks.broadcast_vec(0, vec![column])?;
            ranks.broadcast_vec(0, vec![1u32]).map(drop)
        })
    };
    assert_eq!(send(0, 0, 1).map(drop), Ok(()));
    assert!(matches!(send(0, 0, 9), Err(RanksError::Invalid { rank: 0, .. })));
    assert!(matches!(send(0, 1, 1), Err(RanksError::Invalid { rank: 0, .. })));
    assert!(send(6, 0, 1).is_err());
}

/// What several ranks find, gathered at rank 0.
pub(crate) struct Found<W: PairsWeight> {
    pub(crate) distances: DistanceTable<W>,
    /// The file of next hops, empty where they were not asked for.
    hops: Vec<u8>,
    /// What the matrix was of.
    pub(crate) number: Option<Number>,
}

impl<W: PairsWeight> Found<W> {
    /// Whether it is what one process has found, to the last bit.
    fn is(&self, pairs: &Pairs<W>) -> bool {
        let mut hops = Vec::new();
        if pairs.next_hops().is_some() {
            pairs.write_next_hops_npy(&mut hops, None).unwrap();
        }
        identical(&self.distances, pairs.distances().unwrap()) && self.hops == hops
    }
}

pub(crate) fn by_ranks<W: PairsWeight>(
    size: usize,
    graph: &Csr<W>,
    config: &Config,
) -> Result<Found<W>, ApspError> {
    by_ranks_on(None, size, graph, config)
}

/// The same, where they have a GPU each of these.
pub(crate) fn by_ranks_on<W: PairsWeight>(
    gpus: Option<&[Gpu]>,
    size: usize,
    graph: &Csr<W>,
    config: &Config,
) -> Result<Found<W>, ApspError> {
    let n = graph.n_vertices();
    let one_thread = Config { threads: Some(1.try_into().unwrap()), ..config.clone() };
    let found = Threads::run(size, |ranks| {
        let solver = Solver::new(graph, &one_thread);
        let own = gpus.map(|gpus| slice::from_ref(&gpus[ranks.rank()]));
        let found = own.map_or(solver, |own| solver.on(own)).solve_over(ranks, None)?;
        let summary = found.summary(ranks)?;
        let mut cells = Vec::new();
        found.gather_rows(ranks, |source, row| {
            assert_eq!((source as usize * n, row.len()), (cells.len(), n));
            cells.extend_from_slice(row);
            ControlFlow::Continue(())
        })?;
        assert!(ranks.rank() == 0 || cells.is_empty());
        let mut hops = Vec::new();
        if config.next_hops {
            let out = (ranks.rank() == 0).then_some(&mut hops as &mut dyn Write);
            found.write_next_hops_npy(ranks, out, None)?;
        }
        Ok::<_, ApspError>((cells, hops, summary, found.plan))
    })?;
    let [(cells, hops, summary, plan), others @ ..] = &found[..] else { panic!("no ranks") };
    for (_, _, other, other_plan) in others {
        assert_eq!((other, other_plan), (summary, plan));
    }
    let table = DistanceTable::from_storage(Array2::from_shape_vec((n, n), cells.clone()).unwrap());
    assert_eq!(summary.n_reachable_pairs, table.n_reachable_pairs());
    let reached = cells.iter().copied().filter(|&d| d != W::Distance::UNREACHED);
    let max =
        reached.fold(None, |max, d| if max.is_none_or(|max| max < d) { Some(d) } else { max });
    assert_eq!(summary.max, max);
    Ok(Found { distances: table, hops: hops.clone(), number: plan.number })
}

/// One rank and several, with every algorithm that several have, with next hops and without.
fn agree<W: PairsWeight>(name: &str, sizes: impl IntoIterator<Item = usize>, graph: &Csr<W>) {
    let sizes: Vec<_> = sizes.into_iter().collect();
    for algorithm in [Algorithm::Blocked, Algorithm::Johnson, Algorithm::Auto] {
        agree_by(algorithm, name, &sizes, graph);
    }
}

fn agree_by<W: PairsWeight>(algorithm: Algorithm, name: &str, sizes: &[usize], graph: &Csr<W>) {
    for next_hops in [false, true] {
        let config = Config { next_hops, ..Config::with(algorithm) };
        let expected = Solver::new(graph, &config).solve(None);
        for &size in sizes {
            match (by_ranks(size, graph, &config), &expected) {
                (Ok(found), Ok(expected)) => {
                    assert!(found.is(expected), "{name}, {algorithm}, {size}, {next_hops}");
                    assert_eq!(found.number, expected.plan.number);
                }
                (Err(error), Err(expected)) => {
                    // the rank that ended first has it, or heard of it from rank 0
                    assert!(error.to_string().ends_with(&expected.to_string()), "{error}");
                }
                (found, expected) => {
                    panic!("{name}, {algorithm}, {size}: {:?} {expected:?}", found.err())
                }
            }
        }
    }
}

#[test]
fn corner_cases_are_the_same() {
    fn of<W: PairsWeight>(sizes: &[usize]) {
        for (name, graph) in corner_cases::<W>() {
            if graph.n_vertices() <= 500 {
                agree(name, sizes.iter().copied(), &graph);
            }
        }
    }
    of::<u32>(&[1, 2, 3]);
    of::<i64>(&[2]);
    of::<f32>(&[3]);
    for graph in minus_zeros() {
        agree("minus zeros", [2, 3], &graph);
    }
    agree("a path that rounds", [2, 4], &rounding_path());
}

/// Several blocks of columns for each rank, and arcs without weight between most vertices: hops by
/// levels, of which the last block has many.
#[test]
fn levels_are_the_same() {
    let arcs = (0..800u32).flat_map(|u| {
        let weight = |step: u32| u32::from((u * step).is_multiple_of(5));
        [1, 1, 7, 90].map(|step| (u, (u + step) % 800, weight(step)))
    });
    let graph = Csr::from_arcs(800, &arcs.collect::<Vec<_>>()).unwrap();
    agree("plateaus", [2, 3], &graph);
    agree("slope", [4], &slope(550));
    agree("slope of floats", [3], &slope(400).convert_weights::<f64>().unwrap());
}

/// Several blocks for each rank, and a last one that is not whole; every kind of number, of floats
/// those whose sums round.
#[test]
fn large_matrices_are_the_same() {
    fn of<W: PairsWeight>(number: Number, n: usize, sizes: &[usize], weight: impl Fn(u32) -> W) {
        let config =
            UniformConfig { n_vertices: n, n_edges: 4 * n as u64, ..UniformConfig::default() };
        let graph = uniform(&config).unwrap();
        let arcs: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, weight(w))).collect();
        let graph = Csr::from_arcs(n, &arcs).unwrap();
        agree("uniform", sizes.iter().copied(), &graph);
        let found = by_ranks(2, &graph, &Config::with(Algorithm::Blocked)).unwrap();
        assert_eq!(found.number, Some(number));
    }
    of(Number::U16, 1010, &[2, 4], |w| w);
    of(Number::I32, 700, &[3], |w| w * 40_000);
    of(Number::I64, 500, &[2], |w| i64::from(w) << 40);
    of(Number::F32, 700, &[4], |w| w as f32 / 7.0);
    of(Number::F64, 500, &[3], |w| f64::from(w) / 7.0);
}

/// More sources on each rank than it searches from until errors are told; arcs lead to higher
/// vertices, so that no cycle is negative.
#[test]
fn searches_in_turns_are_the_same() {
    let arcs = (0..2200u32).flat_map(|u| [1, 7, 90].map(|step| (u, u + step, 50 - u as i32 % 60)));
    let arcs: Vec<_> = arcs.filter(|&(_, v, _)| v < 2200).collect();
    agree_by(Algorithm::Johnson, "ascending", &[2], &Csr::from_arcs(2200, &arcs).unwrap());
}

proptest! {
    #[test]
    fn all_graphs_are_the_same(graph in arbitrary_graph::<i32>(60, 300, -2..=20), size in 1usize..5) {
        agree("arbitrary", [size], &graph);
    }
}

/// What only rank 0 knows, all hear of; what only another hears of ends all.
#[test]
fn an_error_on_one_rank_is_one_on_all() {
    fn errors<T: Debug + Send>(
        size: usize,
        work: impl Fn(&dyn Communicator) -> Result<T, ApspError> + Sync,
    ) -> Vec<String> {
        let error = |ranks: &Threads| Ok::<_, ()>(work(ranks).unwrap_err().to_string());
        Threads::run(size, error).unwrap()
    }
    let cycle = Csr::from_arcs(300, &[(0, 1, 2), (1, 2, -3), (2, 0, 0)]).unwrap();
    for algorithm in [Algorithm::Blocked, Algorithm::Johnson] {
        let config = Config::with(algorithm);
        let found = errors(3, |ranks| Solver::new(&cycle, &config).solve_over(ranks, None));
        let expected = Solver::new(&cycle, &config).solve(None).unwrap_err().to_string();
        assert_eq!(found[0], expected);
        assert_eq!(found[1..], [(); 2].map(|()| format!("rank 0: {expected}")));
    }

    let graph = Csr::from_arcs(2000, &[(0, 1, 2), (1, 2, 3)]).unwrap();
    for algorithm in [Algorithm::Blocked, Algorithm::Johnson] {
        let found = errors(4, |ranks| {
            let (calls, is_last) = (AtomicU64::new(0), ranks.rank() == 3);
            let stop = |_, _| match calls.fetch_add(1, Ordering::Relaxed) {
                2.. if is_last => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            };
            Solver::new(&graph, &Config::with(algorithm)).solve_over(ranks, Some(&stop))
        });
        assert_eq!(found, vec![Interrupted.to_string(); 4], "{algorithm}");
    }

    let found = errors(3, |ranks| {
        let memory = (ranks.rank() == 1).then_some(1000);
        let config = Config { memory, ..Config::with(Algorithm::Blocked) };
        Solver::new(&graph, &config).solve_over(ranks, None)
    });
    assert!(found[1].contains("and 1000 are allowed"), "{found:?}");
    assert_eq!([&found[0], &found[2]], [&format!("rank 1: {}", found[1]); 2]);

    for form in [Form::FloydWarshall, Form::Recursive] {
        let config = Config::with(Algorithm::Published(form));
        let found = errors(2, |ranks| Solver::new(&graph, &config).solve_over(ranks, None));
        assert!(found.iter().all(|error| error.contains("with several ranks")), "{found:?}");
        assert!(Solver::new(&cycle, &config).solve_over(&Alone, None).is_err());
    }
}

/// Rank 0 may have enough of the rows.
#[test]
fn rows_end_where_they_are_taken() {
    let graph = Csr::from_arcs(500, &[(0, 1, 2u32)]).unwrap();
    let taken = Threads::run(3, |ranks| {
        let found = Solver::new(&graph, &Config::default()).solve_over(ranks, None)?;
        let mut n_taken = 0;
        found.gather_rows(ranks, |source, _| {
            n_taken += 1;
            if source == 100 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok::<_, ApspError>(n_taken)
    });
    assert_eq!(taken.unwrap(), [101, 0, 0]);
}

/// Ranks find what one process finds with as many GPUs, bit for bit, and what one finds with one.
/// Where there are fewer GPUs than ranks, rows come through the host's memory, else by NCCL.
#[test]
fn ranks_with_a_gpu_each() {
    fn check<W: PairsWeight>(gpus: &[Gpu], graph: &Csr<W>, number: Option<Number>) {
        for next_hops in [false, true] {
            let config = Config { next_hops, ..Config::default() };
            let one = Solver::new(graph, &config).on(&gpus[..1]).solve(None).unwrap();
            for size in 1..=gpus.len() {
                let expected = Solver::new(graph, &config).on(&gpus[..size]).solve(None).unwrap();
                let found = by_ranks_on(Some(gpus), size, graph, &config).unwrap();
                assert!(found.is(&expected), "{size} by {number:?}");
                let is_one = same(&found.distances, one.distances().unwrap());
                assert!(is_one && expected.next_hops() == one.next_hops(), "{size} by {number:?}");
                let used = found.number;
                assert_eq!(used, expected.plan.number);
                assert!(number.is_none_or(|number| used == Some(number)), "{used:?}");
            }
        }
    }
    let Some(gpus) = some_gpus(3) else { return };
    check(&gpus, &light(3000, 9000), None);
    check(&gpus, &in_32_bits(2500, 9000, 50_000), Some(Number::I32));
    check(&gpus, &slope(2500).convert_weights::<f32>().unwrap(), Some(Number::F32));
    check(&gpus, &in_64_bits(&slope(1500)), Some(Number::I64));
    check(&gpus, &slope(1500).convert_weights::<f64>().unwrap(), Some(Number::F64));
    // fewer blocks than ranks, and no vertex
    for n in [0, 1, 100] {
        check(&gpus, &Csr::<u32>::from_arcs(n, &[]).unwrap(), None);
    }
}

#[test]
fn errors_of_ranks_with_a_gpu_each() {
    fn errors(config: &Config, own: [Option<&[Gpu]>; 2], stop: u64) -> Vec<String> {
        let graph = in_32_bits(5000, 9000, 50_000);
        let work = |ranks: &Threads| {
            let tell = |done: u64, _| match ranks.rank() {
                1 if done >= stop => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            };
            let solver = Solver::new(&graph, config);
            let solver = own[ranks.rank()].map_or(solver, |gpus| solver.on(gpus));
            Ok::<_, ()>(solver.solve_over(ranks, Some(&tell)).unwrap_err().to_string())
        };
        Threads::run(2, work).unwrap()
    }
    let Some(gpus) = some_gpus(2) else { return };
    let (config, each) = (Config::default(), [Some(&gpus[..1]), Some(&gpus[1..])]);
    for stop in [1, 5, 9] {
        let found = errors(&config, each, stop);
        assert_eq!(found, vec![Interrupted.to_string(); 2], "{stop}");
    }
    for found in [
        errors(&Config::with(Algorithm::Published(Form::Recursive)), each, u64::MAX),
        errors(&config, [Some(&gpus[..]); 2], u64::MAX),
        errors(&config, [Some(&gpus[..1]), None], u64::MAX),
    ] {
        assert!(found.iter().all(|error| error.contains("with several ranks")), "{found:?}");
    }
    let small = gpus[1].with_memory_cap(20 << 20);
    let found = errors(&config, [each[0], Some(slice::from_ref(&small))], u64::MAX);
    assert!(found.iter().all(|error| error.contains("this rank's share")), "{found:?}");
}
