//! Tests of the promise that the end of a run may tear a block in any way.

use std::path::Path;

use bytemuck::cast_slice;
use collectives::Alone;
use graph_formats::Csr;
use rayon::ThreadPoolBuilder;

use super::close::{Block, Team};
use super::folder::Folder;
use super::host::Host;
use super::journal::{Journal, State};
use super::{Scratch, side_of};
use crate::Number;

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
    let folder = Folder::lock(path).unwrap();
    let new = || Journal {
        graph: "a graph".to_owned(),
        numbers: Number::F64,
        n_vertices: N as usize,
        side: side_of(N as usize),
        block: 128,
        matrix: State::Filling,
        blocks_done: 0,
        panels_ready: false,
        hop_rows: 0,
    };
    let journal =
        folder.journal("a graph", N as usize, Number::F64, true).unwrap().unwrap_or_else(new);
    Scratch::open(folder, journal, &graph(), &Alone, None).unwrap()
}

/// What the processor alone does to it.
fn by_host(scratch: &mut Scratch<f64>, work: impl FnOnce(&mut Scratch<f64>, Team<'_, f64>)) {
    let mut engine = Host::new(scratch.journal.side, scratch.journal.block).unwrap();
    let pool = ThreadPoolBuilder::new().build().unwrap();
    work(scratch, Team { engine: &mut engine, pool: &pool, ranks: &Alone });
}

fn closed(mut scratch: Scratch<f64>) -> Vec<u8> {
    by_host(&mut scratch, |scratch, team| scratch.close(team, None).unwrap());
    cast_slice(scratch.matrix.numbers()).to_vec()
}

/// Each number of the matrix is left as before the block, as after it, or after some of its
/// sums; then the process ends. This in every block.
#[test]
fn a_matrix_torn_number_by_number_is_closed_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let whole = closed(open(folder.path()));
    for seed in 1..4u64 {
        let folder = tempfile::tempdir().unwrap();
        let mut state = seed;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        let mut torn = 0;
        for _ in 0..3 {
            let mut scratch = open(folder.path());
            let side = scratch.journal.side;
            // the block that the folder already knows to be ready is done first
            by_host(&mut scratch, |scratch, mut team| {
                let block = scratch.next_block().unwrap();
                if block.panels_ready {
                    scratch.lower(&block.pivots, &mut team, &|_| Ok(())).unwrap();
                }
                let block = scratch.next_block().unwrap();
                scratch.write_panels(&block.pivots, &mut team).unwrap();
            });
            let Block { pivots, .. } = scratch.next_block().unwrap();
            let width = pivots.len();
            let (row_panel, column_panel) = scratch.panels.numbers().split_at(width * side);
            for (at, number) in scratch.matrix.numbers_mut().iter_mut().enumerate() {
                let (i, j) = (at / side, at % side);
                let before = *number;
                if pivots.contains(&i) {
                    if random(2) == 0 {
                        *number = row_panel[(i - pivots.start) * side + j];
                    }
                } else if random(3) > 0 {
                    let sums = 0..random(width as u64 + 1) as usize;
                    let sums = sums.map(|k| column_panel[i * width + k] + row_panel[k * side + j]);
                    *number = sums.fold(before, |least, sum| if sum < least { sum } else { least });
                }
                torn += usize::from(before != *number);
            }
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
