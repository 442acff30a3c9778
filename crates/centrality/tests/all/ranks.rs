//! Measures by several ranks, which are threads here, against those of one, bit for bit.

use std::fs;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use centrality::{
    Betweenness, CentralityError, Config, Lengths, Side, Sources, Totals, Workers, any,
};
use collectives::{Communicator, Threads};
use gpu_runtime::Gpu;
use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
use graph_formats::{AnyCsr, Csr, with_csr};
use hierarchy::{Hierarchy, Order};
use paths::Progress;
use proptest::prelude::*;
use test_support::{arbitrary_graph, undirected};

/// What is shared: betweenness of vertices and of arcs, and totals by searches and by sweeps.
#[derive(Debug, PartialEq)]
pub(crate) struct Found {
    of_vertices: Betweenness,
    of_arcs: Betweenness,
    totals: Totals,
    swept: Totals,
}

fn find(
    graph: &AnyCsr,
    hierarchy: &Hierarchy,
    workers: Workers<'_>,
    config: &Config,
) -> Result<Found, CentralityError> {
    Ok(Found {
        of_vertices: any::betweenness(graph, workers, config, None)?,
        of_arcs: any::arc_betweenness(graph, workers, config, None)?,
        totals: any::totals(graph, None, workers, config, None)?,
        swept: any::totals(graph, Some(hierarchy), workers, config, None)?,
    })
}

/// On each rank, with another number of threads on each.
pub(crate) fn check(graph: impl Into<AnyCsr>, gpus: &[Gpu], config: &Config, sizes: &[usize]) {
    let graph = graph.into();
    let hierarchy = with_csr!(&graph, |graph| {
        Hierarchy::new(graph, &Order::by_landmarks(graph).unwrap()).unwrap()
    });
    let expected = find(&graph, &hierarchy, gpus.into(), config).unwrap();
    for &size in sizes {
        let found = Threads::run(size, |ranks| {
            let threads = NonZeroUsize::new(1 + ranks.rank() % 3);
            let workers = Workers { ranks, gpus };
            find(&graph, &hierarchy, workers, &Config { threads, ..config.clone() })
        });
        for found in found.unwrap() {
            assert!(found == expected, "{size} ranks, {config:?}");
        }
    }
}

fn sample(n: usize) -> Sources {
    Sources::Sample { n: NonZeroUsize::new(n).unwrap(), seed: 7 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// There may be fewer sources than ranks.
    #[test]
    fn ranks_find_what_one_finds(
        whole in arbitrary_graph::<u32>(70, 200, 1..=9),
        floats in arbitrary_graph::<f32>(60, 150, 1..=9),
        n in 1..60usize,
    ) {
        // sums of these are rounded
        let floats = floats.map_weights(|weight| weight * 0.3).unwrap();
        for lengths in [Lengths::Hops, Lengths::Weights] {
            for (sources, side) in [(Sources::All, Side::Out), (sample(n), Side::In)] {
                let endpoints = lengths == Lengths::Hops;
                let config = Config { lengths, sources, side, endpoints, ..Config::default() };
                let sizes = [1, 2, 3, 4, 5];
                check(whole.clone(), &[], &config, &sizes);
                check(undirected(&whole), &[], &config, &sizes);
                check(floats.clone(), &[], &config, &sizes);
                check(undirected(&floats), &[], &config, &sizes);
            }
        }
    }
}

/// Several parts and steps for each rank.
#[test]
fn ranks_share_many_parts() {
    let flat = rmat(&RmatConfig { scale: 10, ..Default::default() }).unwrap();
    let deep = grid(&GridConfig { side: 27, ..Default::default() }).unwrap();
    for lengths in [Lengths::Hops, Lengths::Weights] {
        let config = Config { lengths, ..Config::default() };
        check(flat.clone(), &[], &config, &[2, 3]);
        check(deep.clone().convert_weights::<f32>().unwrap(), &[], &config, &[3, 4]);
    }
}

#[test]
fn sweeps_are_shared() {
    let graph = grid(&GridConfig { side: 70, ..Default::default() }).unwrap();
    let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph).unwrap()).unwrap();
    let graph = AnyCsr::from(graph.convert_weights::<f64>().unwrap());
    let config = Config { lengths: Lengths::Weights, ..Config::default() };
    let sweep =
        |workers: Workers<'_>| any::totals(&graph, Some(&hierarchy), workers, &config, None);
    let expected = sweep(Workers::default()).unwrap();
    let found = Threads::run(2, |ranks| sweep(Workers { ranks, gpus: &[] })).unwrap();
    assert!(found.iter().all(|found| *found == expected));
}

/// Which rank ends a run, and where.
type End<'a> = (usize, &'a (dyn Fn(u64) -> bool + Sync));

/// The result on each rank, of which one may end the run.
fn run<T: Send>(
    size: usize,
    (ended_by, is_end): End<'_>,
    find: impl Fn(Workers<'_>, Option<Progress<'_>>) -> Result<T, CentralityError> + Sync,
) -> Vec<Result<T, CentralityError>> {
    let run = |ranks: &Threads| {
        let is_last = ranks.rank() == ended_by;
        let step = |done, _| match is_last && is_end(done) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        Ok::<_, ()>(find(Workers { ranks, gpus: &[] }, Some(&step)))
    };
    Threads::run(size, run).unwrap()
}

/// Ended by one rank after the other, by one more of them each time.
fn check_going_on<T: Send + PartialEq>(
    file: &Path,
    find: impl Fn(Workers<'_>, Option<&Path>, Option<Progress<'_>>) -> Result<T, CentralityError> + Sync,
) {
    let expected = find(Workers::default(), None, None).unwrap();
    let mut begins = Vec::new();
    for (size, ended_by) in [(3, 2), (2, 1), (4, 0), (1, 0)] {
        let first = AtomicU64::new(u64::MAX);
        let is_end = |done| {
            let _ = first.compare_exchange(u64::MAX, done, Relaxed, Relaxed);
            done > first.load(Relaxed) + 100
        };
        let found = run(size, (ended_by, &is_end), |workers, progress| {
            // only rank 0 has a file
            let file = Some(file).filter(|_| workers.ranks.is_root());
            find(workers, file, progress)
        });
        for found in found {
            assert!(matches!(found, Err(CentralityError::Interrupted(_))), "{size} ranks");
        }
        begins.push(first.into_inner());
    }
    assert!(begins.is_sorted() && begins[3] > 0, "{begins:?}");
    let state = fs::read(file).unwrap();
    for size in [3, 1] {
        fs::write(file, &state).unwrap();
        let is_end = |done| {
            assert!(done >= begins[3]);
            false
        };
        for found in
            run(size, (0, &is_end), |workers, progress| find(workers, Some(file), progress))
        {
            assert!(found.unwrap() == expected);
        }
    }
}

#[test]
fn other_ranks_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let graph = AnyCsr::from(rmat(&RmatConfig { scale: 11, ..Default::default() }).unwrap());
    for lengths in [Lengths::Hops, Lengths::Weights] {
        let config = |file: Option<&Path>| Config {
            lengths,
            threads: NonZeroUsize::new(1),
            checkpoint: file.map(Path::to_owned),
            ..Config::default()
        };
        let file = folder.path().join(format!("{lengths:?} between"));
        check_going_on(&file, |workers, file, progress| {
            any::betweenness(&graph, workers, &config(file), progress)
        });
    }
    let floats = grid(&GridConfig { side: 40, ..Default::default() }).unwrap();
    let floats = AnyCsr::from(floats.convert_weights::<f32>().unwrap());
    check_going_on(&folder.path().join("totals"), |workers, file, progress| {
        let config = Config {
            lengths: Lengths::Weights,
            checkpoint: file.map(Path::to_owned),
            ..Config::default()
        };
        any::totals(&floats, None, workers, &config, progress)
    });
}

#[test]
fn what_fails_on_one_rank_fails_on_all() {
    let graph = AnyCsr::from(Csr::from_edges(3, &[(0, 1, 1u32), (1, 2, 1)]).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let config = Config { checkpoint: Some(folder.path().join("no/state")), ..Config::default() };
    let never: End<'_> = (0, &|_| false);
    let found = run(3, never, |workers, _| any::betweenness(&graph, workers, &config, None));
    assert!(matches!(found[0], Err(CentralityError::Graph(_))), "{:?}", found[0]);
    for found in &found[1..] {
        let Err(CentralityError::OnRank { rank: 0, message }) = found else { panic!("{found:?}") };
        assert!(message.contains("no/state"), "{message}");
    }
    let bad = Config { tie_tolerance: 1.0, ..Config::default() };
    for found in run(2, never, |workers, _| any::betweenness(&graph, workers, &bad, None)) {
        assert!(matches!(found, Err(CentralityError::BadTolerance(_))));
    }
}
