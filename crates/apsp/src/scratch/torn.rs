//! Tests of the promise that the end of a run may tear a block in any way.

use std::path::Path;

use bytemuck::cast_slice;
use collectives::Alone;
use graph_formats::{Csr, Weight};
use rayon::ThreadPoolBuilder;

use super::close::Team;
use super::folder::Folder;
use super::host::Host;
use super::journal::{Journal, State};
use super::{Scratch, ScratchError, side_of};
use crate::element::Element;
use crate::host::MinPlus;
use crate::{ApspError, Number};

const N: u32 = 300;

/// Lengths whose sums round otherwise in another order.
fn graph() -> Csr<f64> {
    let arcs = (0..N).flat_map(|u| {
        let heads = [(u * 5 + 1) % N, (u + 7) % N, (u * u + 3) % N];
        heads.map(|v| (u, v, 0.1 + f64::from(u * 31 + v * 17).sqrt() / 3.0))
    });
    Csr::from_arcs(N as usize, &arcs.collect::<Vec<_>>()).unwrap()
}

/// The run in this folder, or a new one.
fn open(path: &Path) -> Scratch<f64> {
    open_as(path, Number::F64, &graph())
}

/// The same of any graph.
fn open_as<E: Element, W: Weight>(path: &Path, numbers: Number, graph: &Csr<W>) -> Scratch<E> {
    let folder = Folder::lock(path).unwrap();
    let new = || Journal {
        graph: "a graph".to_owned(),
        numbers,
        n_vertices: N as usize,
        side: side_of(N as usize),
        block: 128,
        matrix: State::Filling,
        blocks_done: 0,
        panels_ready: false,
        hop_rows: 0,
    };
    let journal = folder.journal("a graph", N as usize, numbers, true).unwrap().unwrap_or_else(new);
    Scratch::open(folder, journal, graph, &Alone, None).unwrap()
}

/// What the processor alone does to it.
fn by_host<E: MinPlus>(scratch: &mut Scratch<E>, work: impl FnOnce(&mut Scratch<E>, Team<'_, E>)) {
    let mut engine = Host::new(scratch.journal.side, scratch.journal.block).unwrap();
    let pool = ThreadPoolBuilder::new().build().unwrap();
    work(scratch, Team { engine: &mut engine, pool: &pool, ranks: &Alone });
}

fn closed(mut scratch: Scratch<f64>) -> Vec<u8> {
    by_host(&mut scratch, |scratch, team| scratch.close(&graph(), team, None).unwrap());
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
    let (side, pivots) = (scratch.journal.side, scratch.next_block().unwrap().pivots);
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
            *number = sums.fold(before, E::lesser);
        }
        torn += usize::from(before != *number);
    }
    torn
}

/// In every block the process ends when the matrix is torn.
#[test]
fn a_matrix_torn_number_by_number_is_closed_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let whole = closed(open(folder.path()));
    for seed in 1..4u64 {
        let folder = tempfile::tempdir().unwrap();
        let mut random = Random(seed);
        let mut torn = 0;
        for _ in 0..3 {
            let mut scratch = open(folder.path());
            // the block that the folder already knows to be ready is done first
            by_host(&mut scratch, |scratch, mut team| {
                let block = scratch.next_block().unwrap();
                if block.panels_ready {
                    scratch.lower(&graph(), &block, &mut team, &|_| Ok(())).unwrap();
                }
                let block = scratch.next_block().unwrap();
                scratch.write_panels(&block.pivots, &mut team).unwrap();
            });
            torn += tear(&mut scratch, &mut random);
        }
        assert!(torn > 1000, "only {torn} numbers were changed");
        assert!(closed(open(folder.path())) == whole, "seed {seed}");
    }
}

/// Panels that were not finished do not count.
#[test]
fn unfinished_panels_are_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let whole = closed(open(folder.path()));
    let folder = tempfile::tempdir().unwrap();
    let mut scratch = open(folder.path());
    let (row_panel, column_panel) = scratch.panels.numbers_mut().split_at_mut(5000);
    row_panel.fill(-7.0);
    column_panel.fill(f64::NAN);
    drop(scratch);
    assert!(closed(open(folder.path())) == whole);
}

/// A journal that says "filling" stands for any content of the other files.
#[test]
fn an_unfinished_matrix_is_filled_again() {
    let folder = tempfile::tempdir().unwrap();
    let whole = closed(open(folder.path()));
    let folder = tempfile::tempdir().unwrap();
    let scratch = open(folder.path());
    Journal { matrix: State::Filling, ..scratch.journal.clone() }.write(folder.path()).unwrap();
    drop(scratch);
    std::fs::write(folder.path().join("matrix.bin"), "half").unwrap();
    std::fs::remove_file(folder.path().join("panels.bin")).unwrap();
    assert!(closed(open(folder.path())) == whole);
}

/// A bit that changes in a block that is torn is seen, or does no harm. Here arcs have whole
/// weights, some below zero, and not every vertex is reached.
#[test]
fn a_torn_matrix_with_a_changed_bit_is_refused_or_closed_the_same() {
    let height = |v: u32| i64::from(v * v % 101);
    let arcs = graph().arcs().filter(|arc| arc.1 % 3 > 0).collect::<Vec<_>>();
    let weight = |u: u32, v: u32| i64::from((u * 31 + v * 17) % 23) + height(v) - height(u);
    let arcs: Vec<_> = arcs.iter().map(|&(u, v, _)| (u, v, weight(u, v))).collect();
    let graph = Csr::from_arcs(N as usize, &arcs).unwrap();
    let distances = |scratch: &Scratch<i32>| -> Vec<i64> {
        scratch.matrix.numbers().iter().map(|number| number.decode()).collect()
    };
    let folder = tempfile::tempdir().unwrap();
    let mut whole = open_as::<i32, _>(folder.path(), Number::I32, &graph);
    by_host(&mut whole, |scratch, team| scratch.close(&graph, team, None).unwrap());
    let whole = distances(&whole);
    let mut random = Random(3);
    let (mut refused, mut harmless) = (0, 0);
    for case in 0..90 {
        let folder = tempfile::tempdir().unwrap();
        let mut scratch = open_as::<i32, _>(folder.path(), Number::I32, &graph);
        for _ in 0..case % 3 {
            by_host(&mut scratch, |scratch, mut team| {
                let block = scratch.next_block().unwrap();
                scratch.write_panels(&block.pivots, &mut team).unwrap();
                scratch.lower(&graph, &block, &mut team, &|_| Ok(())).unwrap();
            });
        }
        let pivots = scratch.next_block().unwrap().pivots;
        by_host(&mut scratch, |scratch, mut team| {
            scratch.write_panels(&pivots, &mut team).unwrap()
        });
        tear(&mut scratch, &mut random);
        // of a distance that is not the pivots' own; high bits only make it greater, mostly, and
        // lowering puts that right
        let mut place = || [0; 2].map(|_| random.below(N.into()) as usize);
        let side = scratch.journal.side;
        let at = loop {
            let [i, j] = place();
            let number = scratch.matrix.numbers()[i * side + j];
            if !pivots.contains(&i) && number != i32::INFINITE {
                break i * side + j;
            }
        };
        scratch.matrix.numbers_mut()[at] ^= 1 << random.below(if case % 4 == 0 { 32 } else { 6 });
        drop(scratch);
        let mut scratch = open_as::<i32, _>(folder.path(), Number::I32, &graph);
        let mut ended = Ok(());
        by_host(&mut scratch, |scratch, team| ended = scratch.close(&graph, team, None));
        match ended {
            Ok(()) => {
                assert!(distances(&scratch) == whole, "case {case}: a wrong answer");
                harmless += 1;
            }
            Err(ApspError::Scratch(ScratchError::Damaged { .. })) => refused += 1,
            Err(error) => panic!("case {case}: {error}"),
        }
    }
    assert!(refused > 5 && harmless > 5, "{refused} refused, {harmless} harmless");
}
