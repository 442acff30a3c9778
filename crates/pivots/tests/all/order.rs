//! The order of the work, on relations. Each part has the rows of its blocks.

use std::cell::{Cell, RefCell};

use std::ops::ControlFlow;

use paths::Progress;
use pivots::{Blocks, Counts, Part, Share, Strip, close};

/// Rows of a relation of 16 vertices, a bit each, in blocks of two rows, and strips of one.
const N: usize = 16;
const ROWS: usize = 2;

/// A part that runs its work at once.
struct Rows {
    share: Share,
    rows: RefCell<[u16; N]>,
    panels: RefCell<[[u16; ROWS]; 2]>,
    /// Blocks closed, and received.
    closed: Cell<usize>,
    received: Cell<usize>,
}

#[derive(Debug, PartialEq, Eq)]
struct Interrupted;

impl Part for Rows {
    type Error = Interrupted;

    fn share(&self) -> Share {
        self.share
    }

    fn n_strips(&self, _block: usize) -> usize {
        ROWS
    }

    fn close(&self, block: usize, progress: Option<Progress<'_>>) -> Result<u64, Interrupted> {
        assert!(self.share.owns(block) && progress.is_none());
        assert!(self.closed.get() <= block, "block {block} is closed again");
        self.closed.set(block + 1);
        let mut rows = self.rows.borrow_mut();
        for pivot in block * ROWS..(block + 1) * ROWS {
            for row in block * ROWS..(block + 1) * ROWS {
                if rows[row] >> pivot & 1 == 1 {
                    rows[row] |= rows[pivot];
                }
            }
        }
        Ok(1)
    }

    fn receive(&self, block: usize, owner: Option<&Self>) -> Result<u64, Interrupted> {
        assert_eq!(self.received.replace(block + 1), block, "in the order of blocks");
        let owner = owner.expect("all parts are here");
        assert!(owner.share.owns(block) && owner.closed.get() == block + 1);
        self.panels.borrow_mut()[block % 2]
            .copy_from_slice(&owner.rows.borrow()[block * ROWS..(block + 1) * ROWS]);
        Ok(0)
    }

    fn free_before(&self, block: usize, parts: &[Self]) -> Result<(), Interrupted> {
        assert!(parts.iter().all(|part| part.received.get() == block + 1));
        Ok(())
    }

    fn update(&self, pivots: usize, strip: Strip) -> Result<u64, Interrupted> {
        assert!(self.share.owns(strip.block) && strip.block != pivots);
        assert_eq!(self.received.get(), pivots + 1);
        let mut rows = self.rows.borrow_mut();
        let row = &mut rows[strip.block * ROWS + strip.number];
        for (i, pivot) in self.panels.borrow()[pivots % 2].iter().enumerate() {
            if *row >> (pivots * ROWS + i) & 1 == 1 {
                *row |= pivot;
            }
        }
        Ok(2)
    }

    fn go_on(&self, is_ended: bool) -> Result<(), Interrupted> {
        if is_ended { Err(Interrupted) } else { Ok(()) }
    }
}

/// Parts with the relation of some arcs.
fn parts(n_parts: usize, rows: [u16; N]) -> Vec<Rows> {
    let blocks = Blocks { n_rows: N, block_rows: ROWS, n_parts };
    let part = |number| Rows {
        share: blocks.share(number),
        rows: RefCell::new(rows),
        panels: RefCell::default(),
        closed: Cell::new(0),
        received: Cell::new(0),
    };
    (0..n_parts).map(part).collect()
}

/// Paths that need every pivot, in several orders of the vertices, and arcs in no pattern.
fn relations() -> Vec<[u16; N]> {
    let path = |step: usize| {
        let mut rows = [0u16; N];
        (0..N - 1).for_each(|i| rows[i * step % N] |= 1 << ((i + 1) * step % N));
        rows
    };
    let scattered = |seed: usize| {
        let mut rows = [0u16; N];
        (0..20).for_each(|i| rows[(i * 7 + seed) % N] |= 1 << ((i * i * 5 + i * seed) % N));
        rows
    };
    [1, 3, 5, 15].map(path).into_iter().chain((0..8).map(scattered)).collect()
}

#[test]
fn any_number_of_parts_closes_a_relation() {
    for (rows, n_parts) in relations().into_iter().flat_map(|rows| [1, 2, 3, 8].map(|p| (rows, p)))
    {
        let mut expected = rows;
        for pivot in 0..N {
            for row in 0..N {
                if expected[row] >> pivot & 1 == 1 {
                    expected[row] |= expected[pivot];
                }
            }
        }
        let parts = parts(n_parts, rows);
        let counts = close(&parts, None).unwrap();
        let n_blocks = (N / ROWS) as u64;
        let strips = (n_blocks - 1) * N as u64;
        assert_eq!(counts, Counts { launches: n_blocks + 2 * strips, strips });
        for (row, expected) in expected.into_iter().enumerate() {
            let owner = &parts[row / ROWS % n_parts];
            assert_eq!(owner.rows.borrow()[row], expected, "row {row} of {n_parts} parts");
        }
    }
}

/// The next block is closed before other strips are updated with the pivots.
#[test]
fn the_next_block_comes_first() {
    let parts = parts(2, relations()[0]);
    // ended before the other strips: the strips of block 1 have been updated with pivots 0
    let end = |strips: u64, total: u64| {
        assert_eq!((strips, total), (ROWS as u64, ((N / ROWS - 1) * N) as u64));
        ControlFlow::Break(())
    };
    assert_eq!(close(&parts, Some(&end)), Err(Interrupted));
    // and it is closed
    assert_eq!([&parts[0], &parts[1]].map(|part| part.closed.get()), [1, 2]);
}
