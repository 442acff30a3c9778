//! Tests of the promise that the end of a run may tear a block in any way, and of runs that go on in
//! other numbers than they would begin with.

use std::fs;
use std::path::Path;

use bytemuck::cast_slice;
use collectives::Alone;
use graph_formats::{Csr, Weight};
use rayon::ThreadPoolBuilder;

use super::close::Rank;
use super::cpu::CpuEngine;
use super::folder::Folder;
use super::journal::{Journal, State};
use super::matrix::Scratch;
use super::{ScratchError, ScratchFolder, digest};
use crate::element::Element;
use crate::host::MinPlus;
use crate::job::Job;
use crate::{Algorithm, ApspError, Config, Number, Solver};

const N: u32 = 300;

fn arcs() -> impl Iterator<Item = (u32, u32)> {
    (0..N).flat_map(|u| [(u * 5 + 1) % N, (u + 7) % N, (u * u + 3) % N].map(|v| (u, v)))
}

/// Lengths whose sums round otherwise in another order.
fn rounded() -> Csr<f64> {
    let arcs = arcs().map(|(u, v)| (u, v, 0.1 + f64::from(u * 31 + v * 17).sqrt() / 3.0));
    Csr::from_arcs(N as usize, &arcs.collect::<Vec<_>>()).unwrap()
}

/// The run in this folder, or a new one.
fn open<E: Element, W: Weight>(path: &Path, numbers: Number, graph: &Csr<W>) -> Scratch<E> {
    let new = Journal::new(digest(graph, None).unwrap(), numbers, N as usize, 128);
    let journal = Journal::read(path).unwrap().unwrap_or(new);
    let job = Job { ranks: &Alone, graph, config: &Config::default(), progress: None };
    Scratch::open(Folder::lock(path).unwrap(), journal, &job).unwrap()
}

/// What the CPU alone does to it.
fn by_cpu<W: Weight, E: MinPlus, T>(
    scratch: &mut Scratch<E>,
    graph: &Csr<W>,
    work: impl FnOnce(&mut Scratch<E>, Rank<'_, W, E>) -> T,
) -> T {
    let pool = ThreadPoolBuilder::new().build().unwrap();
    let Journal { side, block, .. } = scratch.journal;
    let mut engine = CpuEngine::new(&pool, side, block).unwrap();
    let job = Job { ranks: &Alone, graph, config: &Config::default(), progress: None };
    work(scratch, Rank { job: &job, engine: &mut engine, pool: &pool })
}

/// Finishes `n_blocks` blocks, and then does the first step of the next.
fn close_some<W: Weight, E: MinPlus>(scratch: &mut Scratch<E>, graph: &Csr<W>, n_blocks: usize) {
    by_cpu(scratch, graph, |scratch, mut rank| {
        while let Some(pivots) = scratch.journal.pivots() {
            if !scratch.journal.panels_ready {
                scratch.write_panels(&pivots, &mut rank).unwrap();
            }
            if scratch.journal.blocks_done == n_blocks {
                break;
            }
            scratch.lower(&pivots, &mut rank).unwrap();
        }
    });
}

/// The bytes of the closed matrix.
fn closed(path: &Path) -> Vec<u8> {
    let graph = rounded();
    let mut scratch = open::<f64, _>(path, Number::F64, &graph);
    by_cpu(&mut scratch, &graph, |scratch, rank| scratch.close(rank).unwrap());
    cast_slice(scratch.matrix.numbers()).to_vec()
}

/// Numbers as if they were drawn.
struct Random(u64);

impl Random {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % below
    }
}

/// Leaves each number of the matrix as before the block whose panels are ready, as after it, or
/// after some of its sums; returns how many are others than before.
fn tear<E: Element>(scratch: &mut Scratch<E>, random: &mut Random) -> usize {
    let (side, pivots) = (scratch.journal.side, scratch.journal.pivots().unwrap());
    let width = pivots.len();
    let (row_panel, column_panel) = scratch.panels.numbers().split_at(width * side);
    let mut torn = 0;
    for (at, number) in scratch.matrix.numbers_mut().iter_mut().enumerate() {
        let (i, j) = (at / side, at % side);
        let before = *number;
        if pivots.contains(&i) {
            if random.below(2) == 0 {
                *number = row_panel[(i - pivots.start) * side + j];
            }
        } else if random.below(3) > 0 {
            let sums = 0..random.below(width as u64 + 1) as usize;
            let sums = sums.map(|k| column_panel[i * width + k].plus(row_panel[k * side + j]));
            *number = sums.fold(before, E::smaller);
        }
        torn += usize::from(before != *number);
    }
    torn
}

/// In every block the process ends when the matrix is torn.
#[test]
fn a_matrix_torn_number_by_number_is_closed_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let whole = closed(folder.path());
    for seed in 1..4u64 {
        let folder = tempfile::tempdir().unwrap();
        let mut random = Random(seed);
        let mut torn = 0;
        for block in 0..3 {
            // the block that the folder already knows to be ready is done first
            let mut scratch = open::<f64, _>(folder.path(), Number::F64, &rounded());
            close_some(&mut scratch, &rounded(), block);
            torn += tear(&mut scratch, &mut random);
        }
        assert!(torn > 1000, "only {torn} numbers were changed");
        assert!(closed(folder.path()) == whole, "seed {seed}");
    }
}

/// Panels that were not finished do not count.
#[test]
fn unfinished_panels_are_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let whole = closed(folder.path());
    let folder = tempfile::tempdir().unwrap();
    let mut scratch = open::<f64, _>(folder.path(), Number::F64, &rounded());
    let (row_panel, column_panel) = scratch.panels.numbers_mut().split_at_mut(5000);
    row_panel.fill(-7.0);
    column_panel.fill(f64::NAN);
    drop(scratch);
    assert!(closed(folder.path()) == whole);
}

/// A journal that says "filling" stands for any content of the other files.
#[test]
fn an_unfinished_matrix_is_filled_again() {
    let folder = tempfile::tempdir().unwrap();
    let whole = closed(folder.path());
    let folder = tempfile::tempdir().unwrap();
    let scratch = open::<f64, _>(folder.path(), Number::F64, &rounded());
    Journal { matrix: State::Filling, ..scratch.journal.clone() }.write(folder.path()).unwrap();
    drop(scratch);
    fs::write(folder.path().join("matrix.bin"), "half").unwrap();
    fs::remove_file(folder.path().join("panels.bin")).unwrap();
    assert!(closed(folder.path()) == whole);
}

/// A bit that changes in a block that is torn is seen, or does no harm. Here arcs have whole
/// weights, some below zero, and not every vertex is reached.
#[test]
fn a_torn_matrix_with_a_changed_bit_is_refused_or_closed_the_same() {
    let height = |v: u32| i64::from(v * v % 101);
    let weight = |u: u32, v: u32| i64::from((u * 31 + v * 17) % 23) + height(v) - height(u);
    let arcs = arcs().filter(|arc| arc.1 % 3 > 0).map(|(u, v)| (u, v, weight(u, v)));
    let graph = Csr::from_arcs(N as usize, &arcs.collect::<Vec<_>>()).unwrap();
    let close = |path: &Path| -> Result<Vec<i64>, ApspError> {
        let mut scratch = open::<i32, _>(path, Number::I32, &graph);
        by_cpu(&mut scratch, &graph, Scratch::close)?;
        Ok(scratch.matrix.numbers().iter().map(|number| number.decode()).collect())
    };
    let folder = tempfile::tempdir().unwrap();
    let whole = close(folder.path()).unwrap();
    let mut random = Random(3);
    let (mut refused, mut harmless) = (0, 0);
    for case in 0..90 {
        let folder = tempfile::tempdir().unwrap();
        let mut scratch = open::<i32, _>(folder.path(), Number::I32, &graph);
        close_some(&mut scratch, &graph, case % 3);
        tear(&mut scratch, &mut random);
        // of a distance that is not the pivots' own; high bits only make it greater, mostly, and
        // lowering puts that right
        let (side, pivots) = (scratch.journal.side, scratch.journal.pivots().unwrap());
        let at = loop {
            let [i, j] = [0; 2].map(|_| random.below(N.into()) as usize);
            let number = scratch.matrix.numbers()[i * side + j];
            if !pivots.contains(&i) && number != i32::INFINITE {
                break i * side + j;
            }
        };
        scratch.matrix.numbers_mut()[at] ^= 1 << random.below(if case % 4 == 0 { 32 } else { 6 });
        drop(scratch);
        match close(folder.path()) {
            Ok(found) => {
                assert!(found == whole, "case {case}: a wrong answer");
                harmless += 1;
            }
            Err(ApspError::Scratch(ScratchError::Damaged { .. })) => refused += 1,
            Err(error) => panic!("case {case}: {error}"),
        }
    }
    assert!(refused > 5 && harmless > 5, "{refused} refused, {harmless} harmless");
}

/// A run is begun on a GPU by a version that had 32 bits there, and goes on on the CPU. A new run
/// on these weights would be in 16 bits there: the numbers that the folder holds decide.
#[test]
fn wider_numbers_are_gone_on_with() {
    let arcs = arcs().map(|(u, v)| (u, v, 1 + (u * 31 + v * 17) % 50));
    let graph = Csr::from_arcs(N as usize, &arcs.collect::<Vec<_>>()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut begun = open::<i32, _>(folder.path(), Number::I32, &graph);
    // the first block is done, the panels of the second are ready
    close_some(&mut begun, &graph, 1);
    drop(begun);

    let scratch = ScratchFolder { resume: true, ..ScratchFolder::new(folder.path()) };
    assert!(scratch.holds_run());
    let config = Config { next_hops: true, ..Config::default() };
    let found = Solver::new(&graph, &config).in_folder(&scratch).solve(None).unwrap();
    assert_eq!(found.plan.number, Some(Number::I32));
    let config = Config { next_hops: true, ..Config::with(Algorithm::Johnson) };
    let expected = Solver::new(&graph, &config).solve(None).unwrap();
    let hops = expected.next_hops().unwrap();
    for u in graph.vertices() {
        assert!(found.row(u).eq(expected.distances().unwrap().row(u as usize)), "row {u}");
        let row = found.hops(u).into_iter();
        assert!(row.eq(graph.vertices().map(|v| hops.get(u, v))), "hops {u}");
    }
}
