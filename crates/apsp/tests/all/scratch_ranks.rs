//! Matrices in a folder that ranks share, which are threads here: the bytes that one process
//! leaves there, whichever ranks are ended, and however many go on.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};

use apsp::{Algorithm, ApspError, Config, Pairs, PairsWeight, ScratchFolder, Solver};
use collectives::{Communicator, Threads};
use gpu_runtime::Gpu;
use graph_formats::Csr;

use crate::gpu::{connected, some_gpus};
use crate::scratch::{resumed, scratch, streets, with_hops};

/// The result of rank 0, and the errors of the others.
fn by_ranks<W: PairsWeight>(
    size: usize,
    graph: &Csr<W>,
    config: impl Fn(&Threads) -> Config + Sync,
    folder: impl Fn(&Threads) -> ScratchFolder + Sync,
    stop: impl Fn(&Threads) -> bool + Sync,
) -> (Result<Pairs<W>, ApspError>, Vec<String>) {
    let work = |ranks: &Threads| {
        let (config, folder) = (config(ranks), folder(ranks));
        let tell =
            |_, _| if stop(ranks) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let solver = Solver::new(graph, &config).in_folder(&folder);
        Ok::<_, ()>(solver.solve_over(ranks, Some(&tell)))
    };
    let mut found = Threads::run(size, work).unwrap().into_iter();
    let first = found.next().unwrap().map(|found| found.expect("rank 0 answers"));
    let others = found.map(|found| match found {
        Ok(None) => String::new(),
        Ok(Some(_)) => panic!("only rank 0 answers"),
        Err(error) => error.to_string(),
    });
    (first, others.collect())
}

/// The same, where all are told the same.
fn solve_by<W: PairsWeight>(
    size: usize,
    graph: &Csr<W>,
    config: &Config,
    folder: &ScratchFolder,
) -> Pairs<W> {
    let (found, _) = by_ranks(size, graph, |_| config.clone(), |_| folder.clone(), |_| false);
    found.unwrap()
}

fn files(folder: &Path, names: &[&str]) -> Vec<Vec<u8>> {
    names.iter().map(|name| fs::read(folder.join(name)).unwrap()).collect()
}

/// Lengths whose sums are rounded.
fn sevenths(n: u32) -> Csr<f64> {
    let arcs: Vec<_> = streets(n).arcs().map(|(u, v, w)| (u, v, f64::from(w) / 7.0)).collect();
    Csr::from_arcs(n as usize, &arcs).unwrap()
}

/// Numbers of all widths, blocks of pivots of which the last is narrower, and more ranks than
/// there are blocks.
#[test]
fn ranks_leave_the_bytes_of_one_process() {
    fn check<W: PairsWeight>(graph: &Csr<W>) {
        let whole = tempfile::tempdir().unwrap();
        let config = Config::default();
        let expected =
            Solver::new(graph, &config).in_folder(&scratch(whole.path())).solve(None).unwrap();
        for size in 1..=4 {
            let folder = tempfile::tempdir().unwrap();
            let found = solve_by(size, graph, &config, &scratch(folder.path()));
            let names = ["matrix.bin", "panels.bin", "journal"];
            assert!(files(folder.path(), &names) == files(whole.path(), &names), "{size}");
            assert_eq!(found.summary(None).unwrap(), expected.summary(None).unwrap());
            assert!(graph.vertices().all(|u| found.row(u).eq(expected.row(u))), "{size}");
        }
    }
    check(&streets(1100));
    check(&streets(300).convert_weights::<f32>().unwrap());
    check(&sevenths(600));
    let wide: Vec<_> = streets(300).arcs().map(|(u, v, w)| (u, v, i64::from(w) << 33)).collect();
    check(&Csr::from_arcs(300, &wide).unwrap());
    check(&streets(5));
    check(&Csr::<u32>::from_arcs(0, &[]).unwrap());
}

/// Each report of progress on one of the ranks is once the last one; another number of ranks goes on.
#[test]
fn other_ranks_go_on() {
    let graph = sevenths(300);
    let whole = tempfile::tempdir().unwrap();
    let config = Config::with(Algorithm::Blocked);
    drop(Solver::new(&graph, &config).in_folder(&scratch(whole.path())).solve(None).unwrap());
    let names = ["matrix.bin", "panels.bin"];
    let expected = files(whole.path(), &names);
    let mut n_at_work = 0;
    for last in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let (size, rank) = (2 + last % 3, last / 3 % 2);
        let heard = AtomicU64::new(0);
        let stop = |ranks: &Threads| {
            ranks.rank() == rank && heard.fetch_add(1, Ordering::Relaxed) >= last as u64 / 6
        };
        let of = |folder: &Path| resumed(folder);
        let (found, others) =
            by_ranks(size, &graph, |_| config.clone(), |_| of(folder.path()), stop);
        let Err(error) = found else { break };
        assert!(matches!(error, ApspError::Interrupted(_)), "{error}");
        assert_eq!(others, vec![error.to_string(); size - 1]);
        let journal = fs::read_to_string(folder.path().join("journal")).unwrap_or_default();
        n_at_work += usize::from(journal.contains("panels ready"));
        solve_by(1 + last % 4, &graph, &config, &of(folder.path()));
        assert!(files(folder.path(), &names) == expected, "{last}");
    }
    assert!(n_at_work > 5, "only {n_at_work} ended within a block");
}

/// Rank 0 finds next hops, and settles what a run before has begun to settle.
#[test]
fn next_hops_are_those_of_one_process() {
    let graph = sevenths(200);
    let whole = tempfile::tempdir().unwrap();
    drop(Solver::new(&graph, &with_hops()).in_folder(&scratch(whole.path())).solve(None).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let at_work = || fs::read_to_string(folder.path().join("journal")).unwrap_or_default();
    let stop = |_: &Threads| at_work().contains("matrix settling");
    let (found, _) = by_ranks(3, &graph, |_| with_hops(), |_| scratch(folder.path()), stop);
    assert!(matches!(found, Err(ApspError::Interrupted(_))), "{found:?}");
    drop(solve_by(2, &graph, &Config::default(), &resumed(folder.path())));
    let names = ["matrix.bin"];
    assert!(files(folder.path(), &names) == files(whole.path(), &names));
    let found = solve_by(2, &graph, &with_hops(), &resumed(folder.path()));
    assert_eq!(found.hops(0).len(), 200);
    let names = ["matrix.bin", "hops.bin", "journal"];
    assert!(files(folder.path(), &names) == files(whole.path(), &names));
}

/// What one rank cannot do, none does, and the folder is as it was.
#[test]
fn an_error_on_one_rank_is_one_on_all() {
    let graph = streets(300);
    let here = tempfile::tempdir().unwrap();
    let at = here.path().join("work");
    let refused = |config: &(dyn Fn(&Threads) -> Config + Sync),
                   folder: &(dyn Fn(&Threads) -> ScratchFolder + Sync)| {
        let (found, others) = by_ranks(3, &graph, config, folder, |_| false);
        let found = found.unwrap_err().to_string();
        Vec::from_iter([found].into_iter().chain(others))
    };
    let any = |_: &Threads| Config::default();
    let little = |ranks: &Threads| Config {
        memory: (ranks.rank() == 1).then_some(10_000),
        ..Config::default()
    };
    let messages = refused(&little, &|_| scratch(&at));
    assert!(messages.iter().all(|said| said.contains("and 10000 are allowed")), "{messages:?}");
    assert!(!at.exists(), "nothing is made in vain");

    // another machine may have a folder of this name, even with a run in it
    for other in ["none", "other"] {
        if other == "other" {
            drop(solve_by(
                2,
                &streets(200),
                &Config::default(),
                &scratch(&here.path().join(other)),
            ));
        }
        let path = |ranks: &Threads| match ranks.rank() {
            2 => here.path().join(other),
            _ => at.clone(),
        };
        let messages = refused(&any, &|ranks| scratch(&path(ranks)));
        assert!(messages.iter().all(|said| said.contains("all ranks see")), "{messages:?}");
        assert!(messages[0].starts_with("rank 2: "), "{messages:?}");
        assert!(!at.join("journal").exists());
    }
    let found = solve_by(3, &graph, &Config::default(), &scratch(&at));
    let expected = files(&at, &["matrix.bin", "journal"]);
    let messages = refused(&any, &|_| resumed(&at));
    assert!(messages.iter().all(|said| said.contains("another process")), "{messages:?}");
    drop(found);
    let messages = refused(&any, &|_| scratch(&at));
    assert!(messages.iter().all(|said| said.contains("resume it")), "{messages:?}");
    let johnson = |_: &Threads| Config::with(Algorithm::Johnson);
    let messages = refused(&johnson, &|_| resumed(&at));
    assert!(messages.iter().all(|said| said.contains("cannot keep its matrix")), "{messages:?}");
    fs::remove_file(at.join("panels.bin")).unwrap();
    let messages = refused(&any, &|_| resumed(&at));
    assert!(messages.iter().all(|said| said.contains("panels.bin")), "{messages:?}");
    assert!(files(&at, &["matrix.bin", "journal"]) == expected);
}

/// Ranks with a GPU each, of which another number goes on.
#[test]
fn ranks_with_a_gpu_each() {
    fn by_gpus(gpus: &[Gpu], graph: &Csr<u32>, path: &Path, stop: u64) -> Vec<bool> {
        let config = Config { memory: Some(24 << 20), ..Config::default() };
        let work = |ranks: &Threads| {
            let tell = |done, _| {
                if done > stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let (gpu, folder) = (slice::from_ref(&gpus[ranks.rank()]), resumed(path));
            let solver = Solver::new(graph, &config).on(gpu).in_folder(&folder);
            Ok::<_, ()>(solver.solve_over(ranks, Some(&tell)).is_ok())
        };
        Threads::run(gpus.len(), work).unwrap()
    }
    let Some(gpus) = some_gpus(3) else { return };
    let graph = connected(1100, 4400, 50);
    let whole = tempfile::tempdir().unwrap();
    let config = Config::default();
    drop(Solver::new(&graph, &config).in_folder(&scratch(whole.path())).solve(None).unwrap());
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(by_gpus(&gpus[..2], &graph, folder.path(), 2000), [false; 2]);
    assert_eq!(by_gpus(&gpus, &graph, folder.path(), u64::MAX), [true; 3]);
    assert!(files(folder.path(), &["matrix.bin"]) == files(whole.path(), &["matrix.bin"]));
}
