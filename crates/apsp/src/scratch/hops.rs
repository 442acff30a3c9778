//! The next hops of a closed matrix in a folder: those that a matrix in memory has.
//!
//! Rows are written one after another into `hops.bin`. Where all weights are positive integers that
//! is all, and the journal counts the rows. Else pairs may be left behind arcs that add nothing.
//! They are placed in all rows then, as [`next_hops`](crate::host::next_hops) says. The journal is
//! written at the end only, for rows that were not yet all placed could not be told from others. A
//! run that is ended before finds them all again, which is O(n m).
//!
//! Floats are settled first, column by column in the matrix. What a column becomes does not
//! depend on what stood in it, so that this too may be done again from any state. The journal
//! is written before the first column changes, and when the last has. A matrix of which only some
//! columns are settled is no answer, so a resumed run settles the rest. The arcs that settled
//! distances lead along are found before, and kept in `marks.bin`: from a matrix of which some
//! columns are settled they would not be found with certainty.

use bytemuck::Pod;
use graph_formats::{Csr, Distance, VertexId, Weight, tell};
use paths::NextHops;
use sssp::Progress;

use super::ScratchError;
use super::journal::State;
use super::map::{Mapped, Output};
use super::matrix::Scratch;
use super::sums::{Section, go_on};
use crate::ApspError;
use crate::element::Element;
use crate::host::next_hops::{Finder, Hop, Rows, bytes_of_levels, may_need_levels};
use crate::host::settle::Settler;
use crate::host::useful_arcs::{bytes_of_arcs, greatest, marked, marks, rounds, slack};
use crate::potentials::RaisedWeight;

pub(super) const HOPS: &str = "hops.bin";
pub(super) const MARKS: &str = "marks.bin";
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

/// Bytes of a row of the hops of `n` vertices.
pub(super) fn bytes_of_row(n: usize) -> u128 {
    let hop = if NextHops::is_narrow(n) { size_of::<u16>() } else { size_of::<u32>() };
    n as u128 * hop as u128
}

/// Bytes of the rows of hops that are found together.
pub(super) fn bytes_of_rows(n: usize) -> u128 {
    ROWS.min(n) as u128 * bytes_of_row(n)
}

/// Bytes that the work on next hops takes beside these, or settling floats.
pub(super) fn bytes_of_work<W: Weight>(graph: &Csr<W>) -> u128 {
    let n = graph.n_vertices();
    let column = if rounds(graph) { n * size_of::<W::Distance>() } else { 0 };
    let levels = if may_need_levels(graph) { bytes_of_levels(n, n) } else { 0 };
    bytes_of_arcs(graph) + (column * COLUMNS.min(n)) as u128 + levels
}

/// Writes what the folder has not yet of the hops of the closed matrix; returns all.
pub(super) fn write_hops<W: RaisedWeight, E: Element, H: Hop + Pod>(
    scratch: &mut Scratch<E>,
    graph: &Csr<W>,
    progress: Option<Progress<'_>>,
) -> Result<Mapped<H>, ApspError> {
    let n = graph.n_vertices();
    let mut done = scratch.journal.hop_rows.min(n);
    let bytes = done * n * size_of::<H>();
    let mut out = Output::append(scratch.folder.path().join(HOPS), bytes as u64)?;
    if done == n {
        return Ok(intact_hops(scratch)?);
    }
    let arcs = useful_arcs(scratch, graph, progress)?;
    let (by_levels, may_be_left) = (graph.first_negative().is_some(), may_need_levels(graph));
    let mut part = vec![H::NONE; ROWS.min(n) * n];
    while done < n {
        tell(progress, done as u64, n as u64)?;
        let rows = done..n.min(done + ROWS);
        let part = &mut part[..rows.len() * n];
        let finder = Finder { arcs: &arcs, by_levels, columns: 0..n, distances: &*scratch };
        finder.fill_rows(done as VertexId, part);
        out.write(part)?;
        done = rows.end;
        scratch.sums.record((Section::Hops, 0), rows, part);
        if !may_be_left && (done - scratch.journal.hop_rows) * PARTS >= n {
            out.sync()?;
            scratch.sums.flush()?;
            scratch.journal.hop_rows = done;
            scratch.write_journal()?;
        }
    }
    out.sync()?;
    let mut hops = intact_hops(scratch)?;
    if may_be_left {
        let finder = Finder { arcs: &arcs, by_levels, columns: 0..n, distances: &*scratch };
        finder.place_left(hops.numbers_mut(), progress)?;
        hops.flush()?;
        scratch.sums.record((Section::Hops, 0), 0..n, hops.numbers());
    }
    scratch.sums.flush()?;
    scratch.journal.hop_rows = n;
    scratch.write_journal()?;
    Ok(hops)
}

/// The next hops of all rows, if each is as it was written.
fn intact_hops<E: Element, H: Pod + Sync>(scratch: &Scratch<E>) -> Result<Mapped<H>, ScratchError> {
    let n = scratch.journal.n_vertices;
    let hops = Mapped::open(scratch.folder.path().join(HOPS), n * n)?;
    scratch.sums.check((Section::Hops, 0), 0..n, &hops, n)?;
    Ok(hops)
}

/// The arcs that begin a shortest path; settles the matrix, or the rest of it, if its sums are
/// rounded and it is not settled.
pub(super) fn useful_arcs<W: RaisedWeight, E: Element>(
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
            scratch.journal.matrix = State::Settling;
            scratch.write_journal()?;
        }
        drop(marks);
        settle(scratch, &arcs, progress)?;
        scratch.check(progress)?;
    }
    Ok(arcs)
}

/// Settles the matrix along these arcs, whatever stands in it.
fn settle<W: RaisedWeight, E: Element>(
    scratch: &mut Scratch<E>,
    arcs: &Csr<W>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    let Scratch { journal, matrix, sums, .. } = scratch;
    let (n, side, step) = (arcs.n_vertices(), journal.side, journal.n_blocks() + 1);
    let seed = sums.seed();
    let mut so_far: Vec<u32> = (0..n).map(|u| seed.begin(Section::Matrix, step, u)).collect();
    let settler = Settler::new(arcs, rayon::current_num_threads());
    for first in (0..n).step_by(COLUMNS) {
        let columns = settler.columns(first..(first + COLUMNS).min(n), progress)?;
        for (u, found) in columns.columns().into_iter().enumerate() {
            let cells = &mut matrix.rows_mut(u..u + 1, side)[first..first + found.len()];
            cells.iter_mut().zip(found).for_each(|(cell, &found)| *cell = E::encode(found));
            so_far[u] = go_on(so_far[u], cells);
        }
    }
    matrix.flush()?;
    for (u, sum) in so_far.into_iter().enumerate() {
        let padding = &matrix.rows(u..u + 1, side)[n..];
        sums.set(Section::Matrix, u, go_on(sum, padding));
    }
    sums.record((Section::Matrix, step), n..side, matrix.rows(n..side, side));
    sums.flush()?;
    journal.matrix = State::Settled;
    Ok(scratch.write_journal()?)
}

/// Keeps which arcs are marked, a bit each.
fn write_marks<E: Element>(scratch: &mut Scratch<E>, marks: &[u8]) -> Result<(), ScratchError> {
    let byte = |marks: &[u8]| marks.iter().rev().fold(0, |byte, mark| byte << 1 | mark);
    let bytes: Vec<u8> = marks.chunks(8).map(byte).collect();
    let mut out = Output::create(scratch.folder.path().join(MARKS))?;
    out.write(&bytes)?;
    out.sync()?;
    scratch.sums.record((Section::Marks, 0), 0..1, &bytes);
    scratch.sums.flush()
}

/// For each of `n_arcs` arcs, 1 if it is marked, else 0.
fn read_marks<E: Element>(scratch: &Scratch<E>, n_arcs: usize) -> Result<Vec<u8>, ScratchError> {
    let n_bytes = n_arcs.div_ceil(8);
    let file = Mapped::<u8>::open(scratch.folder.path().join(MARKS), n_bytes)?;
    scratch.sums.check((Section::Marks, 0), 0..1, &file, n_bytes)?;
    let bytes = file.numbers();
    Ok((0..n_arcs).map(|arc| bytes[arc / 8] >> (arc % 8) & 1).collect())
}
