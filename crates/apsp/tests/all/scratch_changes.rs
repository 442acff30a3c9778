//! Folders that follow changes, beside pairs of the changed graph; and that a batch that fails, or is
//! ended at any moment, leaves the state before it or after it.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use apsp::any::digest;
use apsp::{
    Algorithm, ApspError, Config, Pairs, PairsWeight, ScratchError, ScratchFolder, Solver, Updated,
};
use graph_formats::{Change, Csr, Direction, DynamicGraph, VertexId, Weight};
use sssp::{Progress, SsspError};
use tempfile::TempDir;

use crate::dynamic::{Walk, slope, walk};
use crate::scratch::{resumed, solve, streets};
use crate::scratch_damage::{copy, copy_to, flip};

/// Pairs in a folder that follow changes.
pub(crate) struct FolderPairs<W: Weight> {
    folder: TempDir,
    config: Config,
    pub(crate) graph: DynamicGraph<W>,
}

impl<W: PairsWeight> FolderPairs<W> {
    pub(crate) fn new(graph: &Csr<W>, config: &Config) -> Result<Self, ApspError> {
        let folder = tempfile::tempdir().unwrap();
        drop(Solver::new(graph, config).in_folder(&resumed(folder.path())).solve(None)?);
        Ok(Self { folder, config: config.clone(), graph: DynamicGraph::new(graph).unwrap() })
    }

    pub(crate) fn update(
        &mut self,
        changes: &[Change<W>],
        progress: Option<Progress<'_>>,
    ) -> Result<Updated, ApspError> {
        let graph = self.graph.to_csr().unwrap();
        let scratch = resumed(self.folder.path());
        let solver = Solver::new(&graph, &self.config);
        let (after, updated) = solver.in_folder(&scratch).update(changes, progress)?;
        self.graph = DynamicGraph::new(&after).unwrap();
        Ok(updated)
    }

    pub(crate) fn pairs(&self) -> Pairs<W> {
        let graph = self.graph.to_csr().unwrap();
        let scratch = resumed(self.folder.path());
        Solver::new(&graph, &self.config).in_folder(&scratch).solve(None).unwrap()
    }
}

fn in_folder<W>(
    name: &'static str,
    weight: fn(&mut dyn FnMut(u64) -> u64, VertexId, VertexId) -> W,
) -> Walk<W> {
    Walk { batches: 6, in_folder: true, ..walk(name, weight) }
}

#[test]
fn a_folder_follows_positive_weights() {
    in_folder("u32", |draw, _, _| 1 + draw(9) as u32).all(2);
    in_folder("i64", |draw, _, _| (1 + draw(9) as i64) << 40).all(1);
}

#[test]
fn a_folder_follows_floats_that_are_exact() {
    in_folder("f32", |draw, _, _| 1.0 + draw(9) as f32).all(1);
    in_folder("f64", |draw, _, _| 1.0 + draw(4) as f64).all(1);
}

/// Cycles of weight zero, too.
#[test]
fn a_folder_follows_weights_of_zero() {
    in_folder("zeros", |draw, _, _| draw(3) as u32).all(2);
    in_folder("nearly all zeros", |draw, _, _| u64::from(draw(6) == 0)).all(2);
}

#[test]
fn a_folder_follows_negative_weights() {
    in_folder("slope", slope).all(2);
    in_folder("slope of i32", |draw, u, v| slope(draw, u, v) as i32).all(1);
    in_folder("slope of floats", |draw, u, v| slope(draw, u, v) as f32).all(1);
}

fn assert_solved<W: PairsWeight>(graph: &Csr<W>, found: &Pairs<W>) {
    let expected = Solver::new(graph, &Config::with(Algorithm::Johnson)).solve(None).unwrap();
    let expected = expected.distances().unwrap();
    assert!(graph.vertices().all(|u| found.row(u).eq(expected.row(u as usize))));
}

/// Some arcs of every kind.
fn changes(graph: &Csr<u32>) -> Vec<Change<u32>> {
    let mut seen = std::collections::HashSet::new();
    let arcs = graph.arcs().filter(|&(u, v, _)| seen.insert((u, v))).step_by(11);
    let mut changes: Vec<_> = (0..)
        .zip(arcs)
        .map(|(at, (from, to, weight))| match at % 4 {
            0 => Change::Delete { from, to, weight: None },
            1 => Change::Reweight { from, to, weight: weight + 20 },
            2 => Change::Reweight { from, to, weight: weight / 2 },
            _ => Change::Reweight { from, to, weight: 0 },
        })
        .collect();
    let n = graph.n_vertices() as VertexId;
    changes.push(Change::InsertVertex);
    changes.push(Change::Insert { from: 3, to: n, weight: 1 });
    changes.push(Change::Insert { from: n, to: n - 1, weight: 2 });
    changes
}

/// With the least memory each block is one row. Less is refused before the folder is made.
#[test]
fn blocks_of_rows_are_as_memory_allows() {
    let graph = streets(383);
    let changes = changes(&graph);
    let at = tempfile::tempdir().unwrap();
    let run = at.path().join("run");
    let config = |memory| Config { memory, ..Config::default() };
    let update = |memory: Option<u64>| {
        let scratch = resumed(&run);
        Solver::new(&graph, &config(memory)).in_folder(&scratch).update(&changes, None)
    };
    let refused = update(Some(1000)).unwrap_err();
    let ApspError::ChangesMemory { least, .. } = refused else { panic!("{refused}") };
    assert!(!run.exists());
    let least = u64::try_from(u128::from(least)).unwrap();
    assert!(matches!(update(Some(least - 1)), Err(ApspError::ChangesMemory { .. })));
    let mut answers = Vec::new();
    for memory in [None, Some(least), Some(least + 100_000)] {
        drop(fs::remove_dir_all(&run));
        drop(solve(&resumed(&run), &graph).unwrap());
        let scratch = resumed(&run);
        let (after, updated) = update(memory).unwrap();
        // one more vertex takes a longer row
        assert_solved(&after, &solve(&scratch, &after).unwrap());
        answers.push((after, updated));
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert!(answers[0].1.n_searched > 0 && answers[0].1.n_nearer > 0, "{:?}", answers[0].1);
}

/// A folder that is empty, and one whose run has not ended, is closed first.
#[test]
fn a_folder_is_closed_first() {
    let graph = streets(200);
    let changes = changes(&graph);
    for calls in [0, 1, 4] {
        let folder = tempfile::tempdir().unwrap();
        let left = AtomicUsize::new(calls);
        let stop = |_, _| match left.fetch_sub(1, Relaxed) {
            0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let scratch = resumed(folder.path());
        let config = Config::default();
        let solver = || Solver::new(&graph, &config).in_folder(&scratch);
        if calls > 0 {
            assert!(solver().solve(Some(&stop)).is_err());
        }
        let (after, _) = solver().update(&changes, None).unwrap();
        assert_solved(&after, &solve(&scratch, &after).unwrap());
        assert_eq!(scratch.graph().unwrap().unwrap(), digest(&after.into(), None).unwrap());
    }
}

#[test]
fn vertices_come_to_a_graph_without_any() {
    let graph = Csr::<i32>::from_arcs(0, &[]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let scratch = resumed(folder.path());
    let config = Config::default();
    let insert = Change::Insert { from: 1, to: 0, weight: 7 };
    let batches = [vec![], vec![Change::InsertVertex, Change::InsertVertex, insert], vec![]];
    let mut graph = graph;
    for batch in batches {
        (graph, _) = Solver::new(&graph, &config).in_folder(&scratch).update(&batch, None).unwrap();
        assert_solved(&graph, &solve(&scratch, &graph).unwrap());
    }
    assert_eq!(solve(&scratch, &graph).unwrap().row(1).collect::<Vec<_>>(), [Some(7), Some(0)]);
}

/// Distances that do not fit into the numbers of the folder have others.
#[test]
fn numbers_are_as_wide_as_distances() {
    let graph = Csr::from_arcs(4, &[(0, 1, 1u32), (1, 2, 3), (2, 3, 4), (3, 0, 5)]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let scratch = resumed(folder.path());
    let numbers = || fs::read_to_string(folder.path().join("journal")).unwrap();
    drop(solve(&scratch, &graph).unwrap());
    assert!(numbers().contains("numbers u16"), "{}", numbers());
    let mut graph = graph;
    for (weight, name) in [(40_000, "i32"), (u32::MAX, "i64"), (1, "i64")] {
        let heavy = [Change::Reweight { from: 1, to: 2, weight }];
        let config = Config::default();
        (graph, _) = Solver::new(&graph, &config).in_folder(&scratch).update(&heavy, None).unwrap();
        assert!(numbers().contains(&format!("numbers {name}")), "{}", numbers());
        assert_solved(&graph, &solve(&scratch, &graph).unwrap());
    }
}

/// The files of a folder, and what is in them.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            let bytes = if name == "lock" { Vec::new() } else { fs::read(entry.path()).unwrap() };
            (name, bytes)
        })
        .collect();
    files.sort();
    files
}

/// A bad batch of any kind, one that cannot be followed, and one that is ended at any moment.
#[test]
fn what_fails_leaves_the_folder_as_it_was() {
    let arcs = [(0, 1, 3i64), (1, 2, 4), (2, 3, 5), (0, 3, 20), (3, 4, -2), (4, 4, 1)];
    let graph = Csr::from_arcs(6, &arcs).unwrap();
    let config = Config { next_hops: true, ..Config::default() };
    let folder = tempfile::tempdir().unwrap();
    let scratch = resumed(folder.path());
    let solver = || Solver::new(&graph, &config).in_folder(&scratch);
    drop(solver().solve(None).unwrap());
    let before = files(folder.path());
    let insert = |from, to, weight| Change::Insert { from, to, weight };
    let good = [Change::Delete { from: 1, to: 2, weight: None }, insert(2, 0, 1), insert(0, 5, 1)];
    for (bad, says) in [
        (Change::Delete { from: 5, to: 2, weight: None }, "change 3: there is no arc 5 -> 2"),
        (insert(2, 0, 2), "change 3: an earlier change is of 2 -> 0 too"),
        (insert(4, 3, 1), "negative cycle"),
        (insert(5, 5, -1), "negative cycle"),
        (insert(4, 0, i64::MAX / 8), "sums of weights may be too large for their type; find all"),
    ] {
        let error = solver().update(&[good.to_vec(), vec![bad]].concat(), None).unwrap_err();
        assert!(error.to_string().contains(says), "{bad}: {error}");
        assert!(files(folder.path()) == before, "{bad}");
    }
    let on_gpu = Solver::new(&graph, &config).on(&[]).in_folder(&scratch).update(&good, None);
    assert!(matches!(on_gpu, Err(ApspError::NotOnGpu { .. })), "{on_gpu:?}");
    let johnson = Config::with(Algorithm::Johnson);
    let johnson = Solver::new(&graph, &johnson).in_folder(&scratch).update(&good, None);
    assert!(matches!(johnson, Err(ApspError::NotInFolder { .. })), "{johnson:?}");
    for calls in 0.. {
        let left = AtomicUsize::new(calls);
        let stop = |_, _| match left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)) {
            Ok(_) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        };
        match solver().update(&good, Some(&stop)) {
            Ok(_) => {
                assert!(calls > 3, "{calls}");
                break;
            }
            Err(ApspError::Interrupted(_) | ApspError::Search(SsspError::Interrupted(_))) => {
                assert!(files(folder.path()) == before, "{calls}");
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn rounded_floats_are_refused() {
    let graph = Csr::from_arcs(3, &[(0, 1, 1.0), (1, 2, 2.0)]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let scratch = resumed(folder.path());
    let config = Config::default();
    let solver = || Solver::new(&graph, &config).in_folder(&scratch);
    let third = Change::Insert { from: 2, to: 0, weight: 1.0 / 3.0 };
    let error = solver().update(&[third], None).unwrap_err();
    assert!(matches!(error, ApspError::NotFollowed { .. }), "{error}");
    let whole = Change::Insert { from: 2, to: 0, weight: 3.0 };
    solver().update(&[whole], None).unwrap();
}

#[test]
fn the_folder_of_another_graph_is_refused() {
    let graph = streets(130);
    let folder = tempfile::tempdir().unwrap();
    let scratch = resumed(folder.path());
    drop(solve(&scratch, &graph).unwrap());
    let before = files(folder.path());
    let config = Config::default();
    let change = [Change::Reweight { from: 0, to: 1, weight: 9 }];
    let other = graph.map_weights(|w| w + 1).unwrap();
    for other in [other, streets(129)] {
        let other = Solver::new(&other, &config).in_folder(&scratch);
        let error = other.update(&change, None).unwrap_err();
        assert!(matches!(error, ApspError::Scratch(ScratchError::OtherRun { .. })), "{error}");
        assert!(files(folder.path()) == before);
    }
    // after a batch it is another graph's
    let solver = || Solver::new(&graph, &config).in_folder(&scratch);
    solver().update(&change, None).unwrap();
    let error = solver().update(&change, None).unwrap_err();
    assert!(matches!(error, ApspError::Scratch(ScratchError::OtherRun { .. })), "{error}");
}

/// The state of a run that is killed at each of its steps: while files are written, when the journal
/// is, and after each move.
#[test]
fn a_killed_batch_leaves_the_state_before_or_after_it() {
    let graph = streets(130);
    let config = Config { next_hops: true, ..Config::default() };
    let before = tempfile::tempdir().unwrap();
    let of = |folder: &Path| Solver::new(&graph, &config).in_folder(&resumed(folder)).solve(None);
    drop(of(before.path()).unwrap());
    let after = copy(before.path());
    let scratch = resumed(after.path());
    let solver = || Solver::new(&graph, &config).in_folder(&scratch);
    let (changed, _) = solver().update(&changes(&graph), None).unwrap();
    assert!(!after.path().join("hops.bin").exists() && !after.path().join("next").exists());
    let names = ["matrix.bin", "panels.bin", "sums.bin", "journal"];
    let [digest_before, digest_after] =
        [graph.clone(), changed.clone()].map(|graph| digest(&graph.into(), None).unwrap());
    let killed = |n_written: usize, n_moved: usize| {
        let folder = copy(before.path());
        let next = folder.path().join("next");
        fs::create_dir(&next).unwrap();
        names[..n_written].iter().for_each(|name| {
            fs::copy(after.path().join(name), next.join(name)).unwrap();
        });
        for name in &names[..n_moved] {
            fs::rename(next.join(name), folder.path().join(name)).unwrap();
        }
        folder
    };
    // before the journal all is as before
    for n_written in 0..names.len() {
        let folder = killed(n_written, 0);
        if n_written > 0 {
            fs::write(folder.path().join("next").join(names[n_written - 1]), "half").unwrap();
            fs::write(folder.path().join("next/journal.new"), "half").unwrap();
        }
        assert_eq!(resumed(folder.path()).graph().unwrap().unwrap(), digest_before);
        assert!(files(folder.path()) == files(before.path()), "{n_written} files");
    }
    for n_moved in 0..=names.len() {
        let folder = killed(names.len(), n_moved);
        assert_eq!(resumed(folder.path()).graph().unwrap().unwrap(), digest_after);
        match n_moved {
            // with the old hops, which are those of no row
            4 => assert!(!folder.path().join("next").exists()),
            _ => assert!(files(folder.path()) == files(after.path()), "{n_moved} moves"),
        }
        let scratch = resumed(folder.path());
        let found = Solver::new(&changed, &config).in_folder(&scratch).solve(None).unwrap();
        assert_solved(&changed, &found);
    }
    // a state that is deleted has no journal any more
    let folder = killed(names.len(), 0);
    fs::remove_file(folder.path().join("next/journal")).unwrap();
    fs::remove_file(folder.path().join("next/matrix.bin")).unwrap();
    assert_solved(&graph, &of(folder.path()).unwrap());
}

/// A bit that has changed comes into no new row.
#[test]
fn a_flipped_bit_is_found() {
    let graph = streets(300);
    let run = tempfile::tempdir().unwrap();
    drop(solve(&ScratchFolder::new(run.path()), &graph).unwrap());
    let change = [Change::Reweight { from: 17, to: 120, weight: 1 }];
    let change = match graph.arcs_from(17).any(|(to, _)| to == 120) {
        true => change,
        false => [Change::Insert { from: 17, to: 120, weight: 1 }],
    };
    // in 16 bits: a row of an end, another one, and the last
    for row in [17, 120, 5, 299] {
        let folder = tempfile::tempdir().unwrap();
        copy_to(run.path(), folder.path());
        flip(&folder.path().join("matrix.bin"), row * 384 * 16 + 7);
        let before = files(folder.path());
        let scratch = resumed(folder.path());
        let config = Config::default();
        let solver = || Solver::new(&graph, &config).in_folder(&scratch);
        let error = solver().update(&change, None).unwrap_err().to_string();
        assert!(error.contains(&format!("row {row} is not as it was written")), "{error}");
        assert!(files(folder.path()) == before, "row {row}");
    }
}

/// Rows in several blocks of searches, and threads that share them.
#[test]
fn a_folder_of_a_larger_graph_follows() {
    let weight = |draw: &mut dyn FnMut(u64) -> u64, _, _| 1 + draw(1000) as u32;
    let large = Walk { n: 250, arcs: 1200, batches: 2, ..in_folder("large", weight) };
    assert!(large.go(3).0 > 0);
    Walk { arcs: 400, direction: Direction::Undirected, ..large }.go(4);
}
