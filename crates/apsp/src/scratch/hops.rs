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
//! hears of it before the first column changes, and when the last has: a matrix of which some
//! columns are settled is nobody's answer, and whoever resumes such a run settles the rest.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::path::Path;

use bytemuck::Pod;
use graph_formats::{Csr, Distance, VertexId, Weight};
use sssp::{Progress, SsspError};

use super::journal::State;
use super::map::{Mapped, write};
use super::{Scratch, ScratchError};
use crate::element::Element;
use crate::host::next_hops::{Finder, Hop, Rows, bytes_of_levels, may_need_levels};
use crate::host::settle::Settler;
use crate::host::useful_arcs::{bytes_of_arcs, greatest, marked, marks, rounds, slack};
use crate::{ApspError, PairsWeight};

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
        return Ok(Mapped::open(path, n * n)?);
    }
    let arcs = useful(scratch, graph, progress)?;
    let (by_levels, may_be_left) = (graph.first_negative().is_some(), may_need_levels(graph));
    let mut part = vec![H::NONE; ROWS.min(n) * n];
    let mut since_journal = 0;
    while done < n {
        if progress.is_some_and(|tell| tell(done as u64, n as u64).is_break()) {
            return Err(SsspError::Interrupted.into());
        }
        let rows = ROWS.min(n - done);
        let part = &mut part[..rows * n];
        finder(&arcs, by_levels, scratch).fill_rows(done as VertexId, part);
        write(&mut file, part).map_err(failed)?;
        done += rows;
        since_journal += rows;
        if !may_be_left && since_journal * PARTS >= n {
            file.sync_all().map_err(failed)?;
            scratch.hop_rows_done(done)?;
            since_journal = 0;
        }
    }
    file.sync_all().map_err(failed)?;
    let mut hops = Mapped::open(path, n * n)?;
    if may_be_left {
        finder(&arcs, by_levels, scratch).place_left(hops.numbers_mut(), progress)?;
        hops.flush()?;
    }
    scratch.hop_rows_done(n)?;
    Ok(hops)
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
    let n = graph.n_vertices();
    let all: Vec<VertexId> = graph.vertices().collect();
    let slack = match rounds(graph) {
        true => slack(graph, greatest(graph, &all, &*scratch)),
        false => 0.0,
    };
    let arcs = marked(graph, &marks(graph, &all, &*scratch, slack));
    if rounds(graph) && scratch.journal.matrix != State::Settled {
        scratch.set_state(State::Settling)?;
        let settler = Settler::new(&arcs, rayon::current_num_threads());
        for first in (0..n).step_by(COLUMNS) {
            let columns = settler.columns(first..(first + COLUMNS).min(n), progress)?;
            for (u, found) in columns.columns().into_iter().enumerate() {
                let cells = &mut scratch.row_mut(u)[first..];
                cells.iter_mut().zip(found).for_each(|(cell, &found)| *cell = E::encode(found));
            }
        }
        scratch.matrix.flush()?;
        scratch.set_state(State::Settled)?;
    }
    Ok(arcs)
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
