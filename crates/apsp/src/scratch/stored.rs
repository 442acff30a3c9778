//! The distances of all pairs in a folder, read row by row.

use std::fmt;
use std::io::{self, Write};

use graph_formats::{Distance, VertexId, Weight};
use paths::Total;
use sssp::{Progress, SsspError};

use super::map::{Mapped, write};
use crate::host::next_hops::Hop;
use crate::npy::{npy_kind, write_header};
use crate::{ApspError, Plan};

/// Turns a row of the matrix into distances.
pub(super) type ReadRow<D> = Box<dyn Fn(usize, &mut Vec<D>) + Send + Sync>;

/// The next hops of all pairs, in 16 bits where ids fit.
pub(super) enum Hops {
    Narrow(Mapped<u16>),
    Wide(Mapped<u32>),
}

/// The distances of all pairs of vertices, in a folder that stays locked as long as this
/// lives. Rows are read when they are asked for; no table of them is held.
pub struct StoredPairs<W: Weight> {
    pub(super) n_vertices: usize,
    pub(super) plan: Plan,
    pub(super) read_row: ReadRow<W::Distance>,
    pub(super) hops: Option<Hops>,
}

/// What one pass over all distances tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary<D> {
    /// Ordered pairs with a distance; (v, v) counts.
    pub n_reachable_pairs: usize,
    /// The sum of all distances.
    pub sum: Total,
    /// The greatest; `None` where there are no vertices.
    pub max: Option<D>,
}

impl<W: Weight> StoredPairs<W> {
    /// How many rows, and columns.
    pub fn n_vertices(&self) -> usize {
        self.n_vertices
    }

    /// What found them, and why that.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The distances from `source` in the order of the vertices; empty when there is no such
    /// vertex. O(n), and as much memory.
    pub fn row(
        &self,
        source: VertexId,
    ) -> impl ExactSizeIterator<Item = Option<W::Distance>> + use<W> {
        let mut row = Vec::new();
        if (source as usize) < self.n_vertices {
            (self.read_row)(source as usize, &mut row);
        }
        row.into_iter().map(|d| Some(d).filter(|&d| d != W::Distance::UNREACHED))
    }

    /// The vertex after `source` on a shortest path to each vertex, `None` where there is no
    /// path and for `source` itself; empty when there is no such vertex, or next hops were
    /// not asked for.
    pub fn next_hops(&self, source: VertexId) -> Vec<Option<VertexId>> {
        let n = self.n_vertices;
        let row = if (source as usize) < n {
            source as usize * n..(source as usize + 1) * n
        } else {
            0..0
        };
        match &self.hops {
            Some(Hops::Narrow(hops)) => hops.numbers()[row].iter().map(vertex).collect(),
            Some(Hops::Wide(hops)) => hops.numbers()[row].iter().map(vertex).collect(),
            None => Vec::new(),
        }
    }

    /// How many distances there are, their sum and the greatest. O(n²), one pass. `progress`
    /// hears of rows.
    ///
    /// # Errors
    /// When the progress callback ends the work.
    pub fn summary(
        &self,
        progress: Option<Progress<'_>>,
    ) -> Result<Summary<W::Distance>, ApspError> {
        let is_integer = W::Distance::ZERO.to_i128().is_some();
        let sum = if is_integer { Total::Integer(0) } else { Total::Float(0.0) };
        let mut summary = Summary { n_reachable_pairs: 0, sum, max: None };
        let mut row = Vec::new();
        let n = self.n_vertices;
        for u in 0..n {
            tell(progress, u, n)?;
            (self.read_row)(u, &mut row);
            for &distance in row.iter().filter(|&&d| d != W::Distance::UNREACHED) {
                summary.n_reachable_pairs += 1;
                match &mut summary.sum {
                    Total::Integer(sum) => *sum += distance.to_i128().unwrap_or_default(),
                    Total::Float(sum) => *sum += distance.to_f64(),
                }
                if summary.max.is_none_or(|max| max < distance) {
                    summary.max = Some(distance);
                }
            }
        }
        Ok(summary)
    }

    /// Writes a NumPy file (.npy) of the distances, a row for each source: u64, i64, f32 or
    /// f64, as the weights ask for, where the greatest value of an integer type and the
    /// infinity of a float stand for no path. `progress` hears of rows. O(n²).
    ///
    /// # Errors
    /// When `out` fails, or the progress callback ends the work.
    pub fn write_npy(
        &self,
        out: &mut impl Write,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError> {
        let mut row = Vec::new();
        self.write_rows(out, npy_kind::<W>(), progress, |out, u| {
            (self.read_row)(u, &mut row);
            write(out, &row)
        })
    }

    /// Writes a NumPy file (.npy) of the next hops, a row for each source: u16, or u32 where
    /// there are 65,535 vertices or more; the greatest value stands for none. `progress`
    /// hears of rows. O(n²).
    ///
    /// # Errors
    /// When next hops were not asked for, `out` fails, or the progress callback ends the
    /// work.
    pub fn write_next_hops_npy(
        &self,
        out: &mut impl Write,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError> {
        let n = self.n_vertices;
        match &self.hops {
            Some(Hops::Narrow(hops)) => self.write_rows(out, "u2", progress, |out, u| {
                write(out, &hops.numbers()[u * n..(u + 1) * n])
            }),
            Some(Hops::Wide(hops)) => self.write_rows(out, "u4", progress, |out, u| {
                write(out, &hops.numbers()[u * n..(u + 1) * n])
            }),
            None => Err(ApspError::NotAskedFor { what: "next hops" }),
        }
    }

    fn write_rows<O: Write>(
        &self,
        out: &mut O,
        kind: &str,
        progress: Option<Progress<'_>>,
        mut write_row: impl FnMut(&mut O, usize) -> io::Result<()>,
    ) -> Result<(), ApspError> {
        let n = self.n_vertices;
        write_header(out, kind, n).map_err(ApspError::Output)?;
        for u in 0..n {
            tell(progress, u, n)?;
            write_row(out, u).map_err(ApspError::Output)?;
        }
        Ok(())
    }
}

fn tell(progress: Option<Progress<'_>>, done: usize, total: usize) -> Result<(), ApspError> {
    match progress {
        Some(tell) if tell(done as u64, total as u64).is_break() => {
            Err(SsspError::Interrupted.into())
        }
        _ => Ok(()),
    }
}

fn vertex<H: Hop + Into<VertexId>>(hop: &H) -> Option<VertexId> {
    Some(*hop).filter(|&hop| hop != H::NONE).map(Into::into)
}

impl<W: Weight> fmt::Debug for StoredPairs<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredPairs")
            .field("n_vertices", &self.n_vertices)
            .field("plan", &self.plan)
            .finish_non_exhaustive()
    }
}
