//! Matrices in a folder: the answers of those in memory, whatever interrupts them, and
//! nothing overwritten that is another's.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use apsp::{
    Algorithm, ApspError, Config, ScratchError, ScratchFolder, StoredPairs, all_pairs, all_pairs_in,
};
use graph_formats::{Csr, Distance, Weight};
use paths::certificate::check_negative_cycle;
use paths::oracle;
use paths::zoo::{arbitrary_graph, zoo};
use proptest::prelude::*;
use sssp::SsspError;

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
fn streets(n: u32) -> Csr<u32> {
    let arcs: Vec<_> = (0..n)
        .flat_map(|u| [(u, (u * 7 + 1) % n), (u, (u + 11) % n), (u, (u * u + 5) % n)])
        .map(|(u, v)| (u, v, 1 + (u * 31 + v * 17) % 50))
        .collect();
    Csr::from_arcs(n as usize, &arcs).unwrap()
}

fn scratch(path: &Path) -> ScratchFolder {
    ScratchFolder::new(path)
}

fn resumed(path: &Path) -> ScratchFolder {
    ScratchFolder { resume: true, ..scratch(path) }
}

fn solve<W: Weight>(scratch: &ScratchFolder, graph: &Csr<W>) -> Result<StoredPairs<W>, ApspError>
where
    W::Distance: Weight<Distance = W::Distance>,
{
    all_pairs_in(scratch, graph, &Config::default(), None)
}

/// What is in memory and what is in a folder are the same, in rows, in sums and as a file;
/// floats within their rounding.
fn agree<W: Weight>(name: &str, graph: &Csr<W>)
where
    W::Distance: Weight<Distance = W::Distance>,
{
    let folder = tempfile::tempdir().unwrap();
    let blocked = Config::with(Algorithm::Blocked);
    let expected = match all_pairs(graph, &blocked, None) {
        Ok(found) => found.distances,
        Err(ApspError::TooHeavy { .. }) => {
            let refused = solve(&scratch(folder.path()), graph);
            assert!(matches!(refused, Err(ApspError::TooHeavy { .. })), "{name}");
            return;
        }
        Err(error) => panic!("{name}: {error}"),
    };
    let found = solve(&scratch(folder.path()), graph).unwrap();
    let is_float = Distance::to_i128(<W::Distance as Distance>::ZERO).is_none();
    let close = |a: Option<W::Distance>, b: Option<W::Distance>| match (a, b) {
        (Some(a), Some(b)) if is_float => {
            let (a, b) = (Distance::to_f64(a), Distance::to_f64(b));
            (a - b).abs() <= 1e-5 * a.abs().max(b.abs())
        }
        _ => a == b,
    };
    for u in graph.vertices() {
        let same = found.row(u).zip(expected.row(u as usize)).all(|(a, b)| close(a, b));
        assert!(same && found.row(u).len() == graph.n_vertices(), "{name}, row {u}");
    }
    assert_eq!(found.row(graph.n_vertices() as u32).len(), 0);
    let summary = found.summary();
    assert_eq!(summary.n_reachable_pairs, expected.n_reachable_pairs(), "{name}");
    if !is_float {
        assert_eq!(summary.sum, expected.sum(), "{name}");
        let greatest = (0..expected.n_sources()).flat_map(|u| expected.row(u)).flatten();
        assert_eq!(summary.max, greatest.max_by(|a, b| Distance::order(*a, *b)), "{name}");
    }
}

/// On every sixth graph of the zoo, from `first` on: each run waits for the disk.
fn zoo_agrees<W: Weight>(first: usize)
where
    W::Distance: Weight<Distance = W::Distance>,
{
    let zoo = zoo::<W>();
    let small = zoo.iter().filter(|entry| entry.1.n_vertices() <= 50);
    for (name, graph) in small.skip(first).step_by(6) {
        agree(name, graph);
    }
}

#[test]
fn zoo_of_all_types() {
    zoo_agrees::<u32>(0);
    zoo_agrees::<i32>(1);
    zoo_agrees::<u64>(2);
    zoo_agrees::<i64>(3);
    zoo_agrees::<f32>(4);
    zoo_agrees::<f64>(5);
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
    let config = Config { memory: Some(1 << 20), ..Config::default() };
    let found = all_pairs_in(&scratch(folder.path()), &graph, &config, None).unwrap();
    let expected = all_pairs(&graph, &Config::with(Algorithm::Johnson), None).unwrap().distances;
    assert!(graph.vertices().all(|u| found.row(u).eq(expected.row(u as usize))));

    let config = Config { memory: Some(100 << 10), ..Config::default() };
    let other = folder.path().join("other");
    let refused = all_pairs_in(&scratch(&other), &graph, &config, None).unwrap_err();
    let ApspError::ScratchMemory { least, .. } = refused else { panic!("{refused}") };
    assert!(!other.exists(), "nothing is made in vain");
    let config = Config { memory: u64::try_from(least).ok(), ..Config::default() };
    all_pairs_in(&scratch(&other), &graph, &config, None).unwrap();
}

/// Next hops lead along arcs, each as much nearer as it costs, and the smallest is taken.
#[test]
fn next_hops_are_the_smallest_tight_arcs() {
    let graph = streets(150);
    let folder = tempfile::tempdir().unwrap();
    let config = Config { next_hops: true, ..Config::default() };
    let found = all_pairs_in(&scratch(folder.path()), &graph, &config, None).unwrap();
    let rows: Vec<Vec<_>> = graph.vertices().map(|u| found.row(u).collect()).collect();
    for u in graph.vertices() {
        let hops = found.next_hops(u);
        assert_eq!(hops.len(), 150);
        for v in graph.vertices() {
            let tight = |&(x, w): &(u32, u32)| {
                let rest = rows[x as usize][v as usize];
                v != u
                    && rest.is_some_and(|d| Some(d + u64::from(w)) == rows[u as usize][v as usize])
            };
            let smallest = graph.arcs_from(u).filter(tight).map(|arc| arc.0).min();
            assert_eq!(hops[v as usize], smallest, "from {u} to {v}");
        }
    }
    drop(found);
    let without = solve(&resumed(folder.path()), &graph).unwrap();
    assert_eq!(without.next_hops(0), []);
    let mut out = Vec::new();
    assert!(matches!(
        without.write_next_hops_npy(&mut out, None),
        Err(ApspError::NotAskedFor { .. })
    ));
    let free = Csr::from_arcs(2, &[(0, 1, 0u32)]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let refused = all_pairs_in(&scratch(folder.path()), &free, &config, None);
    assert!(matches!(refused, Err(ApspError::NoNextHops { .. })));
}

/// Runs that are ended at each report of progress give the same files as one that is not.
#[test]
fn a_run_ended_at_any_report_goes_on() {
    let graph = slope(300).convert_weights::<f64>().unwrap();
    let files = ["matrix.bin", "panels.bin"];
    let read = |folder: &Path| files.map(|name| fs::read(folder.join(name)).unwrap());
    let whole = tempfile::tempdir().unwrap();
    solve(&scratch(whole.path()), &graph).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut ended = 0;
    loop {
        // a report more each time: every report of the blocks is the last one once
        let heard = AtomicU64::new(0);
        let stop = |_, total| {
            let count = u64::from(total != 384);
            let over = heard.fetch_add(count, Ordering::Relaxed) > ended % 7;
            if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let run = resumed(folder.path());
        match all_pairs_in(&run, &graph, &Config::default(), Some(&stop)) {
            Ok(_) => break,
            Err(ApspError::Search(SsspError::Interrupted)) => ended += 1,
            Err(error) => panic!("{error}"),
        }
        assert!(ended < 1000, "no end of it");
    }
    assert!(ended >= 5, "ended {ended} times only");
    assert!(read(whole.path()) == read(folder.path()));
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
    assert!(error.to_string().contains("--resume"), "{error}");
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
    assert!(!folder.path().join("journal").exists());
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
    let circle = Csr::from_arcs(3, &[(0, 1, 1i32), (1, 2, -3), (2, 0, 1)]).unwrap();
    match solve(&folder, &circle) {
        Err(ApspError::Search(SsspError::NegativeCycle { cycle })) => {
            check_negative_cycle(&circle, &cycle).unwrap();
        }
        other => panic!("{other:?}"),
    }
    let graph = streets(10);
    let johnson = all_pairs_in(&folder, &graph, &Config::with(Algorithm::Johnson), None);
    assert!(matches!(johnson, Err(ApspError::NotInFolder { .. })));
    // what is refused before the first arc is stored does not spoil the folder
    solve(&folder, &graph).unwrap();
}

#[test]
fn memory_is_not_exceeded_in_silence() {
    let graph = streets(200);
    // 256² numbers of 4 bytes and 200² distances of 8
    let bytes = 256 * 256 * 4 + 200 * 200 * 8;
    let with = |algorithm, memory| Config { memory: Some(memory), ..Config::with(algorithm) };
    all_pairs(&graph, &with(Algorithm::Blocked, bytes), None).unwrap();
    all_pairs(&graph, &with(Algorithm::Johnson, 200 * 200 * 8), None).unwrap();
    for (algorithm, memory) in [(Algorithm::Blocked, bytes), (Algorithm::Johnson, 200 * 200 * 8)] {
        let error = all_pairs(&graph, &with(algorithm, memory - 1), None).unwrap_err();
        assert!(matches!(error, ApspError::OverMemory { .. }), "{error}");
        assert!(error.to_string().contains("--scratch"), "{error}");
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
