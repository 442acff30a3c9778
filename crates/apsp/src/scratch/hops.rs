//! The first vertex after u on a shortest path to v, for all u and v, from the distances.
//!
//! An arc (u, x) of weight w is tight for v when w + d(x, v) = d(u, v). Of the heads of tight
//! arcs the smallest is taken. Where all weights are positive, x is nearer to v than u is, so
//! that hops end at v. O(n m), along rows of the matrix. Rows are written one after another
//! into `hops.bin`, and the journal counts them.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::path::Path;

use bytemuck::Pod;
use graph_formats::{Csr, VertexId, Weight};
use rayon::prelude::*;
use sssp::{Progress, SsspError};

use super::map::{Mapped, write};
use super::{Scratch, ScratchError};
use crate::ApspError;
use crate::host::Element;

/// Rows that are found together.
const ROWS: usize = 64;
/// Parts after which the journal is written.
const PARTS: usize = 8;

/// How a vertex is stored.
pub(super) trait Hop: Pod + PartialEq + Send + Sync {
    /// What stands for none.
    const NONE: Self;
    fn of(vertex: VertexId) -> Self;
    fn vertex(self) -> Option<VertexId>;
}

macro_rules! hop {
    ($($number:ty),*) => {$(
        impl Hop for $number {
            const NONE: Self = <$number>::MAX;
            fn of(vertex: VertexId) -> Self {
                vertex as $number
            }
            fn vertex(self) -> Option<VertexId> {
                (self != Self::NONE).then_some(VertexId::from(self))
            }
        }
    )*};
}
hop!(u16, u32);

/// Whether the ids of `n` vertices fit 16 bits, and one value more for none.
pub(super) fn are_short(n: usize) -> bool {
    n < usize::from(u16::MAX)
}

/// An error where the rule does not hold: weights that are not positive integers.
pub(super) fn check_weights<W: Weight>(graph: &Csr<W>) -> Result<(), ApspError> {
    let is_positive = |weight: &W| weight.to_i128().is_some_and(|weight| weight > 0);
    match graph.weights().iter().find(|weight| !is_positive(weight)) {
        Some(weight) => Err(ApspError::NoNextHops { weight: weight.to_string() }),
        None => Ok(()),
    }
}

/// The hops of `u`, from its row of distances and those of the vertices that it has arcs to.
fn row_of_hops<'a, E: Element, H: Hop>(
    u: VertexId,
    arcs: impl Iterator<Item = (VertexId, E)>,
    row: impl Fn(VertexId) -> &'a [E],
    hops: &mut [H],
) {
    hops.fill(H::NONE);
    let mut arcs: Vec<_> = arcs.collect();
    arcs.sort_by_key(|arc| arc.0);
    for (x, weight) in arcs {
        let distances = row(u).iter().zip(row(x));
        for (hop, (&all, &rest)) in hops.iter_mut().zip(distances) {
            // what is infinite grows by any weight, and is not equal then
            if *hop == H::NONE && weight.plus(rest) == all {
                *hop = H::of(x);
            }
        }
    }
    // around a circle there is no shorter way than to stay
    hops[u as usize] = H::NONE;
}

/// Writes what the folder has not yet of the hops of the closed matrix; returns all.
pub(super) fn write_hops<W: Weight, E: Element + Pod, H: Hop>(
    scratch: &mut Scratch<E>,
    graph: &Csr<W>,
    number: impl Fn(W) -> E + Sync,
    progress: Option<Progress<'_>>,
) -> Result<Mapped<H>, ApspError> {
    let n = graph.n_vertices();
    let path = scratch.folder.path().join("hops.bin");
    let failed = |source| ScratchError::Write { path: path.clone(), source };
    let mut done = scratch.journal.hop_rows.min(n);
    let mut file = open_at(&path, done as u64 * n as u64 * size_of::<H>() as u64)?;
    let mut hops = vec![H::NONE; ROWS.min(n) * n];
    let mut since_journal = 0;
    while done < n {
        if progress.is_some_and(|tell| tell(done as u64, n as u64).is_break()) {
            return Err(SsspError::Interrupted.into());
        }
        let rows = ROWS.min(n - done);
        let part = &mut hops[..rows * n];
        part.par_chunks_mut(n).enumerate().for_each(|(i, hops)| {
            let u = (done + i) as VertexId;
            let arcs = graph.arcs_from(u).map(|(v, weight)| (v, number(weight)));
            row_of_hops(u, arcs, |x| scratch.row(x as usize), hops);
        });
        write(&mut file, part).map_err(failed)?;
        done += rows;
        since_journal += rows;
        if since_journal * PARTS >= n || done == n {
            file.sync_all().map_err(failed)?;
            scratch.journal.hop_rows = done;
            scratch.journal.write(scratch.folder.path())?;
            since_journal = 0;
        }
    }
    Ok(Mapped::open(path, n * n)?)
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
