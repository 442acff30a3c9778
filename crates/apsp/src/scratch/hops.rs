//! The next hops of a closed matrix in a folder: those that a matrix in memory has.
//!
//! Rows are written one after another into `hops.bin`. Where all weights are positive
//! integers that is all, and the journal counts the rows. Else pairs may be left behind arcs
//! that add nothing, and are placed in all rows then, as [`next_hops`](crate::host::next_hops)
//! says; the journal hears of the end only, for rows that were not yet all placed could not
//! be told from others. A run that is ended before finds them all again, which is O(n m).
//!
//! Floats are settled first, column by column in the matrix. What a column becomes does not
//! depend on what stood in it, so that this too may be done again from any state. The journal
//! is written before the first column changes, and when the last has. A matrix of which only some
//! columns are settled is no answer, so a resumed run settles the rest. The arcs that settled
//! distances lead along are found before, and kept in `marks.bin`: from a matrix of which some
//! columns are settled they would not be found with certainty.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::path::Path;

use bytemuck::Pod;
use graph_formats::{Csr, Distance, VertexId, Weight, tell};
use sssp::Progress;

use super::journal::State;
use super::map::{Mapped, create, write};
use super::sums::{Part, go_on};
use super::{Scratch, ScratchError};
use crate::element::Element;
use crate::host::next_hops::{Finder, Hop, Rows, bytes_of_levels, may_need_levels};
use crate::host::settle::Settler;
use crate::host::useful_arcs::{bytes_of_arcs, greatest, marked, marks, rounds, slack};
use crate::{ApspError, PairsWeight};

/// The file of marks.
const MARKS: &str = "marks.bin";
/// Rows that are found together.
const ROWS: usize = 64;
/// Parts after which the journal is written.
const PARTS: usize = 8;
/// Columns that are settled together.
const COLUMNS: usize = 256;

impl<D: Distance, E: Element> Rows<D> for Scratch<E> {
    type Cell = E;

    fn row(&self, from: VertexId) -> &[E] {
        self.row(from as usize)
    }

    fn distance(&self, cell: E) -> D {
        cell.decode()
    }
}

/// Bytes of the rows of hops that are found together.
pub(super) fn bytes_of_rows<H>(n: usize) -> u128 {
    (ROWS.min(n) * n * size_of::<H>()) as u128
}

/// Bytes that the work on next hops takes beside these, or settling floats.
pub(super) fn bytes_of_work<W: Weight>(graph: &Csr<W>) -> u128 {
    let n = graph.n_vertices();
    let column = if rounds(graph) { n * size_of::<W::Distance>() } else { 0 };
    let levels = if may_need_levels(graph) { bytes_of_levels(n, n) } else { 0 };
    bytes_of_arcs(graph) + (column * COLUMNS.min(n)) as u128 + levels
}

/// Of all hops.
fn finder<'a, W: Weight, E: Element>(
    arcs: &'a Csr<W>,
    by_levels: bool,
    distances: &'a Scratch<E>,
) -> Finder<'a, W, Scratch<E>> {
    Finder { arcs, by_levels, columns: 0..arcs.n_vertices(), distances }
}

/// Writes what the folder has not yet of the hops of the closed matrix; returns all.
pub(super) fn write_hops<W: PairsWeight, E: Element, H: Hop + Pod>(
    scratch: &mut Scratch<E>,
    graph: &Csr<W>,
    progress: Option<Progress<'_>>,
) -> Result<Mapped<H>, ApspError> {
    let n = graph.n_vertices();
    let path = scratch.folder.path().join("hops.bin");
    let failed = |source| ScratchError::Write { path: path.clone(), source };
    let mut done = scratch.journal.hop_rows.min(n);
    let mut file = open_at(&path, done as u64 * n as u64 * size_of::<H>() as u64)?;
    if done == n {
        return Ok(intact_hops(scratch, Mapped::open(path, n * n)?)?);
    }
    let arcs = useful(scratch, graph, progress)?;
    let (by_levels, may_be_left) = (graph.first_negative().is_some(), may_need_levels(graph));
    let mut part = vec![H::NONE; ROWS.min(n) * n];
    let mut since_journal = 0;
    while done < n {
        tell(progress, done as u64, n as u64)?;
        let rows = ROWS.min(n - done);
        let part = &mut part[..rows * n];
        finder(&arcs, by_levels, scratch).fill_rows(done as VertexId, part);
        write(&mut file, part).map_err(failed)?;
        scratch.sums.take((Part::Hops, 0), done..done + rows, &|row| {
            &part[(row - done) * n..(row - done + 1) * n]
        });
        done += rows;
        since_journal += rows;
        if !may_be_left && since_journal * PARTS >= n {
            file.sync_all().map_err(failed)?;
            scratch.sums.flush()?;
            scratch.hop_rows_done(done)?;
            since_journal = 0;
        }
    }
    file.sync_all().map_err(failed)?;
    let mut hops = intact_hops(scratch, Mapped::open(path, n * n)?)?;
    if may_be_left {
        finder(&arcs, by_levels, scratch).place_left(hops.numbers_mut(), progress)?;
        hops.flush()?;
        scratch.sums.take((Part::Hops, 0), 0..n, &|row| hops.part(row * n..(row + 1) * n));
    }
    scratch.sums.flush()?;
    scratch.hop_rows_done(n)?;
    Ok(hops)
}

/// The next hops, if each row is as it was written.
fn intact_hops<E: Element, H: Pod + Sync>(
    scratch: &Scratch<E>,
    hops: Mapped<H>,
) -> Result<Mapped<H>, ScratchError> {
    let n = scratch.journal.n_vertices;
    let row = |row: usize| hops.part(row * n..(row + 1) * n);
    match scratch.sums.first_damaged((Part::Hops, 0), 0..n, &row) {
        Some(row) => Err(ScratchError::of_row(hops.path(), row)),
        None => Ok(hops),
    }
}

/// Settles the rest of a matrix that a run before has begun to settle.
pub(super) fn settle_rest<W: PairsWeight, E: Element>(
    scratch: &mut Scratch<E>,
    graph: &Csr<W>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    if scratch.journal.matrix == State::Settling {
        useful(scratch, graph, progress)?;
    }
    Ok(())
}

/// The arcs that begin a shortest path; settles the matrix, if its sums are rounded and it is
/// not settled.
fn useful<W: PairsWeight, E: Element>(
    scratch: &mut Scratch<E>,
    graph: &Csr<W>,
    progress: Option<Progress<'_>>,
) -> Result<Csr<W>, ApspError> {
    let all: Vec<VertexId> = graph.vertices().collect();
    let marks = if scratch.journal.matrix == State::Settling {
        read_marks(scratch, graph.n_arcs())?
    } else {
        let slack = match rounds(graph) {
            true => slack(graph, greatest(graph, &all, &*scratch)),
            false => 0.0,
        };
        marks(graph, &all, &*scratch, slack)
    };
    let arcs = marked(graph, &marks);
    if rounds(graph) && scratch.journal.matrix != State::Settled {
        if scratch.journal.matrix != State::Settling {
            write_marks(scratch, &marks)?;
            scratch.set_state(State::Settling)?;
        }
        drop(marks);
        settle(scratch, &arcs, progress)?;
        scratch.check_matrix(progress)?;
    }
    Ok(arcs)
}

/// Settles the matrix along these arcs, whatever stands in it.
fn settle<W: PairsWeight, E: Element>(
    scratch: &mut Scratch<E>,
    arcs: &Csr<W>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    let (n, step) = (arcs.n_vertices(), scratch.journal.n_blocks() + 1);
    let seed = scratch.sums.seed();
    let mut sums: Vec<u32> = (0..n).map(|u| seed.begin(Part::Matrix, step, u)).collect();
    let settler = Settler::new(arcs, rayon::current_num_threads());
    for first in (0..n).step_by(COLUMNS) {
        let columns = settler.columns(first..(first + COLUMNS).min(n), progress)?;
        for (u, found) in columns.columns().into_iter().enumerate() {
            let cells = &mut scratch.row_mut(u)[first..first + found.len()];
            cells.iter_mut().zip(found).for_each(|(cell, &found)| *cell = E::encode(found));
            sums[u] = go_on(sums[u], cells);
        }
    }
    scratch.matrix.flush()?;
    for (u, sum) in sums.into_iter().enumerate() {
        let sum = go_on(sum, &scratch.row(u)[n..]);
        scratch.sums.set(Part::Matrix, u, sum);
    }
    let Scratch { journal, matrix, sums, .. } = scratch;
    let side = journal.side;
    let row = |row: usize| matrix.part(row * side..(row + 1) * side);
    sums.take((Part::Matrix, step), n..side, &row);
    sums.flush()?;
    Ok(scratch.set_state(State::Settled)?)
}

/// Keeps which arcs are marked, a bit each.
fn write_marks<E>(scratch: &mut Scratch<E>, marks: &[u8]) -> Result<(), ScratchError> {
    let byte = |marks: &[u8]| marks.iter().rev().fold(0, |byte, mark| byte << 1 | mark);
    let bytes: Vec<u8> = marks.chunks(8).map(byte).collect();
    create(&scratch.folder.path().join(MARKS), |out| write(out, &bytes))?;
    let sum = scratch.sums.seed().sum(Part::Marks, 0, 0, &bytes);
    scratch.sums.set(Part::Marks, 0, sum);
    scratch.sums.flush()
}

/// Which of so many arcs are marked: 1 or 0.
fn read_marks<E>(scratch: &Scratch<E>, n_arcs: usize) -> Result<Vec<u8>, ScratchError> {
    let file = Mapped::<u8>::open(scratch.folder.path().join(MARKS), n_arcs.div_ceil(8))?;
    let bytes = file.numbers();
    if scratch.sums.seed().sum(Part::Marks, 0, 0, bytes) != scratch.sums.get(Part::Marks, 0) {
        return Err(ScratchError::of_row(file.path(), 0));
    }
    Ok((0..n_arcs).map(|arc| bytes[arc / 8] >> (arc % 8) & 1).collect())
}

/// The file, to be written from `bytes` on; what is there must be as long.
fn open_at(path: &Path, bytes: u64) -> Result<File, ScratchError> {
    let open = || -> io::Result<(File, u64)> {
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        let found = file.metadata()?.len();
        if found >= bytes {
            // rows that the journal does not know of
            file.set_len(bytes)?;
            file.seek(SeekFrom::Start(bytes))?;
        }
        Ok((file, found))
    };
    match open() {
        Ok((file, found)) if found >= bytes => Ok(file),
        Ok((_, found)) => {
            let problem = format!("has {found} bytes, fewer than the {bytes} of the journal");
            Err(ScratchError::Damaged { path: path.to_owned(), problem })
        }
        Err(source) => Err(ScratchError::Open { path: path.to_owned(), source }),
    }
}
