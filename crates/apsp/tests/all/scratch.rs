//! Matrices in a folder: the answers of those in memory, whatever interrupts them, and
//! nothing overwritten that is another's.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use apsp::{Algorithm, ApspError, Config, Pairs, PairsWeight, ScratchError, ScratchFolder, Solver};
use graph_formats::{Csr, Weight};
use paths::certificate::check_negative_cycle;
use paths::oracle;
use proptest::prelude::*;
use sssp::SsspError;
use test_support::{arbitrary_graph, corner_cases};

/// Arcs with weights of both signs and no negative cycle: each goes up or down a slope, and
/// costs at least nothing beside it.
fn slope(n: u32) -> Csr<i64> {
    let height = |v: u32| i64::from(v * v % 101);
    let cost = |u: u32, v: u32| i64::from((u * 31 + v * 17) % 23);
    let arcs: Vec<_> = (0..n)
        .flat_map(|u| [(u, (u * 5 + 1) % n), (u, (u + 7) % n), (u, (u * u + 3) % n)])
        .map(|(u, v)| (u, v, cost(u, v) + height(v) - height(u)))
        .collect();
    Csr::from_arcs(n as usize, &arcs).unwrap()
}

/// Arcs with weights from 1 to 50.
pub(crate) fn streets(n: u32) -> Csr<u32> {
    let arcs: Vec<_> = (0..n)
        .flat_map(|u| [(u, (u * 7 + 1) % n), (u, (u + 11) % n), (u, (u * u + 5) % n)])
        .map(|(u, v)| (u, v, 1 + (u * 31 + v * 17) % 50))
        .collect();
    Csr::from_arcs(n as usize, &arcs).unwrap()
}

pub(crate) fn scratch(path: &Path) -> ScratchFolder {
    ScratchFolder::new(path)
}

pub(crate) fn resumed(path: &Path) -> ScratchFolder {
    ScratchFolder { resume: true, ..scratch(path) }
}

pub(crate) fn solve<W: PairsWeight>(
    scratch: &ScratchFolder,
    graph: &Csr<W>,
) -> Result<Pairs<W>, ApspError> {
    Solver::new(graph, &Config::default()).in_folder(scratch).solve(None)
}

/// With next hops, and so with floats that do not depend on who finds them.
pub(crate) fn with_hops() -> Config {
    Config { next_hops: true, ..Config::with(Algorithm::Blocked) }
}

/// What is in memory and what is in a folder are the same, in rows, in sums and in paths.
fn agree<W: PairsWeight>(name: &str, graph: &Csr<W>) {
    let folder = tempfile::tempdir().unwrap();
    let expected = match Solver::new(graph, &with_hops()).solve(None) {
        Ok(found) => found,
        Err(ApspError::TooHeavy { .. }) => {
            let refused = solve(&scratch(folder.path()), graph);
            assert!(matches!(refused, Err(ApspError::TooHeavy { .. })), "{name}");
            return;
        }
        Err(error) => panic!("{name}: {error}"),
    };
    let (expected, hops) = (expected.distances().unwrap(), expected.next_hops().unwrap());
    let found =
        Solver::new(graph, &with_hops()).in_folder(&scratch(folder.path())).solve(None).unwrap();
    for u in graph.vertices() {
        assert!(found.row(u).eq(expected.row(u as usize)), "{name}, row {u}");
        let row = found.hops(u);
        assert!(row.into_iter().eq(graph.vertices().map(|v| hops.get(u, v))), "{name}, hops {u}");
    }
    let beyond = graph.n_vertices() as u32;
    assert!(found.row(beyond).len() == 0 && found.hops(beyond).is_empty());
    let summary = found.summary(None).unwrap();
    assert_eq!(summary.n_reachable_pairs, expected.n_reachable_pairs(), "{name}");
    if Weight::to_i128(W::Distance::ZERO).is_some() {
        assert_eq!(summary.sum, expected.sum(), "{name}");
        let greatest = (0..expected.n_sources()).flat_map(|u| expected.row(u)).flatten();
        assert_eq!(summary.max, greatest.max_by(|a, b| Weight::order(*a, *b)), "{name}");
    }
}

fn corner_cases_agrees<W: PairsWeight>(first: usize) {
    let corner_cases = corner_cases::<W>();
    let small = corner_cases.iter().filter(|entry| entry.1.n_vertices() <= 50);
    for (name, graph) in small.skip(first).step_by(6) {
        agree(name, graph);
    }
}

#[test]
fn corner_cases_of_all_types() {
    corner_cases_agrees::<u32>(0);
    corner_cases_agrees::<i32>(1);
    corner_cases_agrees::<u64>(2);
    corner_cases_agrees::<i64>(3);
    corner_cases_agrees::<f32>(4);
    corner_cases_agrees::<f64>(5);
}

#[test]
fn sizes_around_tiles_and_blocks_with_negative_arcs() {
    for n in [1, 2, 63, 64, 65, 127, 128, 129, 191, 255, 256, 257, 300, 511, 513] {
        agree("slope", &slope(n));
    }
    for n in [129, 257] {
        agree("slope of i32", &slope(n).convert_weights::<i32>().unwrap());
        agree("slope of f32", &slope(n).convert_weights::<f32>().unwrap());
        agree("slope of f64", &slope(n).convert_weights::<f64>().unwrap());
        // sums that need 64 bits
        let arcs: Vec<_> = slope(n).arcs().map(|(u, v, w)| (u, v, w << 33)).collect();
        agree("steep slope", &Csr::from_arcs(n as usize, &arcs).unwrap());
    }
}

/// Blocks of 256 pivots, of which the last has 128, and the least memory.
#[test]
fn wide_blocks_and_narrow_memory() {
    let graph = streets(1100);
    agree("streets", &graph);
    let folder = tempfile::tempdir().unwrap();
    // each thread takes some
    let threads = std::num::NonZeroUsize::new(2);
    let config = Config { memory: Some(1 << 20), threads, ..Config::default() };
    let found =
        Solver::new(&graph, &config).in_folder(&scratch(folder.path())).solve(None).unwrap();
    let expected = Solver::new(&graph, &Config::with(Algorithm::Johnson))
        .solve(None)
        .unwrap()
        .into_distances()
        .unwrap();
    assert!(graph.vertices().all(|u| found.row(u).eq(expected.row(u as usize))));

    let config = Config { memory: Some(100 << 10), ..Config::default() };
    let other = folder.path().join("other");
    let refused = Solver::new(&graph, &config).in_folder(&scratch(&other)).solve(None).unwrap_err();
    let ApspError::ScratchMemory { least, .. } = refused else { panic!("{refused}") };
    assert!(!other.exists(), "nothing is made in vain");
    let config = Config { memory: u64::try_from(u128::from(least)).ok(), ..Config::default() };
    Solver::new(&graph, &config).in_folder(&scratch(&other)).solve(None).unwrap();
}

/// Arcs that add nothing, on cycles too, and floats of which each sum is rounded.
#[test]
fn next_hops_are_those_of_a_matrix_in_memory() {
    let plateaus: Vec<_> = (0..150u32)
        .flat_map(|u| [(u, (u * 7 + 1) % 150), (u, (u + 11) % 150), (u, (u * u + 5) % 150)])
        .map(|(u, v)| (u, v, u32::from((u + v) % 4 == 0)))
        .collect();
    let plateaus = Csr::from_arcs(150, &plateaus).unwrap();
    agree("plateaus", &plateaus);
    let rough: Vec<_> = slope(150).arcs().map(|(u, v, w)| (u, v, (w + 1) as f32 / 7.0)).collect();
    agree("sevenths", &Csr::from_arcs(150, &rough).unwrap());

    let folder = tempfile::tempdir().unwrap();
    drop(
        Solver::new(&plateaus, &with_hops())
            .in_folder(&scratch(folder.path()))
            .solve(None)
            .unwrap(),
    );
    let without = solve(&resumed(folder.path()), &plateaus).unwrap();
    assert_eq!(without.hops(0), []);
    let nothing = without.write_next_hops_npy(&mut Vec::new(), None);
    assert!(matches!(nothing, Err(ApspError::NotAskedFor { .. })));
    // found in an instant where they are
    drop(without);
    let again = Solver::new(&plateaus, &with_hops())
        .in_folder(&resumed(folder.path()))
        .solve(None)
        .unwrap();
    assert_eq!(again.hops(0).len(), 150);
}

/// Runs that are ended at each report of progress, in the matrix, in settling floats and
/// among next hops, give the same files as one that is not.
#[test]
fn a_run_ended_at_any_report_goes_on() {
    let sevenths: Vec<_> =
        slope(300).arcs().map(|(u, v, w)| (u, v, (w + 1) as f64 / 7.0)).collect();
    let graph = Csr::from_arcs(300, &sevenths).unwrap();
    let files = ["matrix.bin", "panels.bin", "hops.bin"];
    let read = |folder: &Path| files.map(|name| fs::read(folder.join(name)).unwrap());
    let whole = tempfile::tempdir().unwrap();
    Solver::new(&graph, &with_hops()).in_folder(&scratch(whole.path())).solve(None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut ended = 0;
    loop {
        // some reports more each time, so that all of them are the last one once, or nearly
        let heard = AtomicU64::new(0);
        let stop = |_, total| {
            let count = u64::from(total != 384);
            let over = heard.fetch_add(count, Ordering::Relaxed) > ended * 5;
            if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let run = resumed(folder.path());
        match Solver::new(&graph, &with_hops()).in_folder(&run).solve(Some(&stop)) {
            Ok(_) => break,
            Err(ApspError::Interrupted(_)) => ended += 1,
            Err(error) => panic!("{error}"),
        }
        assert!(ended < 1000, "no end of it");
    }
    assert!(ended >= 5, "ended {ended} times only");
    assert!(read(whole.path()) == read(folder.path()));
}

/// What a run began with may be too wide for the memory of the next one, which is told how
/// much would do before it begins.
#[test]
fn memory_that_is_too_little_to_go_on_is_named() {
    let graph = streets(1100);
    let folder = tempfile::tempdir().unwrap();
    let threads = std::num::NonZeroUsize::new(2);
    let config = |memory| Config { memory, threads, ..Config::default() };
    let stop = |done, total| match (done, total) {
        (2000.., 5760) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let ended =
        Solver::new(&graph, &config(None)).in_folder(&scratch(folder.path())).solve(Some(&stop));
    assert!(matches!(ended, Err(ApspError::Interrupted(_))), "{ended:?}");
    let files = ["journal", "matrix.bin", "panels.bin"];
    let read = || files.map(|name| fs::read(folder.path().join(name)).unwrap());
    let before = read();
    let refused = Solver::new(&graph, &config(Some(700 << 10)))
        .in_folder(&resumed(folder.path()))
        .solve(None);
    let Err(ApspError::ScratchMemory { least, .. }) = refused else { panic!("{refused:?}") };
    assert!(read() == before);
    let config = config(u64::try_from(u128::from(least)).ok());
    let found =
        Solver::new(&graph, &config).in_folder(&resumed(folder.path())).solve(None).unwrap();
    let expected =
        Solver::new(&graph, &Config::default()).solve(None).unwrap().into_distances().unwrap();
    assert!(graph.vertices().all(|u| found.row(u).eq(expected.row(u as usize))));
}

/// No vertex has no rows, and its files hold nothing.
#[test]
fn no_vertices_have_no_paths() {
    let graph = Csr::<f32>::from_arcs(0, &[]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let found =
        Solver::new(&graph, &with_hops()).in_folder(&scratch(folder.path())).solve(None).unwrap();
    assert!(found.hops(0).is_empty() && found.row(0).len() == 0);
    assert_eq!(found.summary(None).unwrap().n_reachable_pairs, 0);
    drop(found);
    Solver::new(&graph, &with_hops()).in_folder(&resumed(folder.path())).solve(None).unwrap();
}

#[test]
fn a_callback_ends_the_summary() {
    let folder = tempfile::tempdir().unwrap();
    let found = solve(&scratch(folder.path()), &streets(10)).unwrap();
    let stop = |done, _| if done == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let ended = found.summary(Some(&stop));
    assert!(matches!(ended, Err(ApspError::Interrupted(_))), "{ended:?}");
}

#[test]
fn a_folder_of_another_run_is_refused_and_left_alone() {
    let graph = streets(130);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("new").join("folder");
    let found = solve(&scratch(&at), &graph).unwrap();
    let matrix = fs::read(at.join("matrix.bin")).unwrap();
    let refused = |scratch: &ScratchFolder, graph: &Csr<u32>| match solve(scratch, graph) {
        Err(ApspError::Scratch(error)) => error,
        other => panic!("{other:?}"),
    };

    let error = refused(&resumed(&at), &graph);
    assert!(matches!(error, ScratchError::Locked { .. }), "{error}");
    drop(found);

    let error = refused(&scratch(&at), &graph);
    assert!(matches!(error, ScratchError::Started { .. }), "{error}");
    assert!(error.to_string().contains("resume it"), "{error}");
    for again in [scratch(&at), resumed(&at)] {
        let error = refused(&again, &streets(131));
        assert!(matches!(error, ScratchError::OtherRun { .. }), "{error}");
        assert!(error.to_string().contains("another folder"), "{error}");
    }
    assert!(fs::read(at.join("matrix.bin")).unwrap() == matrix);
    // finished: there is nothing to be done, nor harm
    solve(&resumed(&at), &graph).unwrap();

    let error = refused(&scratch(folder.path()), &graph);
    assert!(matches!(error, ScratchError::Foreign { .. }), "{error}");
    // no lock either
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn damaged_folders_are_refused() {
    let graph = streets(130);
    type Harm<'a> = &'a dyn Fn(&Path);
    let damage: [(&str, Harm<'_>, &str); 6] = [
        ("journal", &|file| fs::write(file, "garbage").unwrap(), "version"),
        ("journal", &|file| fs::write(file, "").unwrap(), "version"),
        ("journal", &|file| fs::write(file, [0xFF; 100_000]).unwrap(), "version"),
        (
            "journal",
            &|file| {
                let text = fs::read_to_string(file).unwrap().replace("block 128", "block 256");
                fs::write(file, text).unwrap();
            },
            "damaged",
        ),
        (
            "matrix.bin",
            &|file| fs::File::options().write(true).open(file).unwrap().set_len(4096).unwrap(),
            "bytes",
        ),
        ("panels.bin", &|file| fs::remove_file(file).unwrap(), "panels.bin"),
    ];
    for (name, harm, expected) in damage {
        let folder = tempfile::tempdir().unwrap();
        solve(&scratch(folder.path()), &graph).unwrap();
        harm(&folder.path().join(name));
        let bytes = fs::read(folder.path().join(name)).ok();
        let error = solve(&resumed(folder.path()), &graph).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains(expected), "{name}: {error}");
        assert_eq!(fs::read(folder.path().join(name)).ok(), bytes, "{name} is left as it was");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = solve(&scratch(&file), &graph).unwrap_err();
    assert!(matches!(error, ApspError::Scratch(ScratchError::Open { .. })), "{error}");
}

#[test]
fn what_needs_no_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = scratch(folder.path());
    let graph = Csr::from_arcs(3, &[(0, 1, 1i32), (1, 2, -3), (2, 0, 1)]).unwrap();
    match solve(&folder, &graph) {
        Err(ApspError::Search(SsspError::NegativeCycle { cycle })) => {
            check_negative_cycle(&graph, &cycle).unwrap();
        }
        other => panic!("{other:?}"),
    }
    let graph = streets(10);
    let johnson =
        Solver::new(&graph, &Config::with(Algorithm::Johnson)).in_folder(&folder).solve(None);
    assert!(matches!(johnson, Err(ApspError::NotInFolder { .. })));
    // what is refused before the first arc is stored does not spoil the folder
    solve(&folder, &graph).unwrap();
}

#[test]
fn memory_is_not_exceeded_in_silence() {
    let graph = streets(200);
    let with = |algorithm, memory| Config { memory: Some(memory), ..Config::with(algorithm) };
    for algorithm in [Algorithm::Blocked, Algorithm::Johnson] {
        for next_hops in [false, true] {
            let with = |memory| Config { next_hops, ..with(algorithm, memory) };
            let refused = Solver::new(&graph, &with(1)).solve(None).unwrap_err();
            assert!(refused.to_string().contains("in a folder"), "{refused}");
            let ApspError::OverMemory { bytes, .. } = refused else { panic!("{refused}") };
            let n = if next_hops || algorithm == Algorithm::Blocked { 10 } else { 8 };
            let bytes = u128::from(bytes);
            assert!((200 * 200 * n..300 * 300 * n).contains(&bytes), "{bytes}");
            let bytes = u64::try_from(bytes).unwrap();
            Solver::new(&graph, &with(bytes)).solve(None).unwrap();
            let refused = Solver::new(&graph, &with(bytes - 1)).solve(None).unwrap_err();
            assert!(matches!(refused, ApspError::OverMemory { .. }), "{refused}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..Default::default() })]

    #[test]
    fn arbitrary_graphs(graph in arbitrary_graph::<i32>(140, 400, -1..=9)) {
        let folder = tempfile::tempdir().unwrap();
        match (solve(&scratch(folder.path()), &graph), oracle::floyd_warshall(&graph)) {
            (Ok(found), Ok(expected)) => {
                for u in graph.vertices() {
                    prop_assert!(found.row(u).eq(expected.row(u as usize)));
                }
            }
            (Err(ApspError::Search(SsspError::NegativeCycle { cycle })), Err(_)) => {
                prop_assert!(check_negative_cycle(&graph, &cycle).is_ok());
            }
            (found, expected) => prop_assert!(false, "{found:?} and {expected:?}"),
        }
    }
}
