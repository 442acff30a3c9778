//! The distances of all pairs, and the paths: read row by row, from memory or a folder.

use std::fmt;
use std::io::{self, Write};
use std::ops::AddAssign;
use std::time::Instant;

use bytemuck::allocation::try_zeroed_vec;
use bytemuck::cast_slice;
use graph_formats::npy::{Dtype, Scalar, write_header};
use graph_formats::{Distance, VertexId, Weight, parallel, tell};
use ndarray::Array2;
use paths::{DistanceTable, HopStorage, NextHops, Paths, Total};
use pivots::Share;
use sssp::Progress;

use crate::element::Element;
use crate::host::next_hops::Hop;
use crate::scratch::Mapped;
use crate::{ApspError, Plan};

/// The distances of all pairs of vertices, with next hops if the configuration asks for them. They
/// are a table in memory, or in a folder that stays locked while this value exists. A row of the
/// folder is read when the caller asks for it.
pub struct Pairs<W: Weight> {
    /// The algorithm that found them, and why.
    pub plan: Plan,
    /// The time that it took.
    pub report: Report,
    pub(crate) rows: Rows<W>,
}

/// Reads a row of a matrix as distances.
pub(crate) type ReadRow<D> = Box<dyn Fn(usize, &mut Vec<D>) + Send + Sync>;

/// The distances from all vertices, or some, to all.
pub(crate) struct Table<W: Weight>(Array2<W::Distance>);

impl<W: Weight> Table<W> {
    /// Bytes of the distances of a rank.
    pub(crate) fn bytes(share: Share) -> u128 {
        Self::bytes_of(share.n_rows(), share.blocks.n_rows)
    }

    fn bytes_of(n_sources: usize, n: usize) -> u128 {
        n_sources as u128 * n as u128 * size_of::<W::Distance>() as u128
    }

    /// Zeros, which the system gives out when they are first touched.
    pub(crate) fn new(n_sources: usize, n: usize) -> Result<Self, ApspError> {
        let cells = n_sources.checked_mul(n).and_then(|len| try_zeroed_vec(len).ok());
        let cells = cells.ok_or_else(|| ApspError::too_large(n, Self::bytes_of(n_sources, n)))?;
        Ok(Self(Array2::from_shape_vec((n_sources, n), cells).expect("as many cells")))
    }

    /// Writes each row, which `write` gets with its place, on all threads of the current rayon pool.
    pub(crate) fn fill(&mut self, write: &(dyn Fn(usize, &mut [W::Distance]) + Sync)) {
        let rows = self.rows(1).into_iter().enumerate();
        parallel::for_each_of(rows, &|(place, row)| write(place, row));
    }

    /// Consecutive parts of `at_a_time` rows.
    pub(crate) fn rows(&mut self, at_a_time: usize) -> Vec<&mut [W::Distance]> {
        let n = self.0.ncols().max(1);
        self.0.as_slice_mut().expect("row by row").chunks_mut(at_a_time * n).collect()
    }

    pub(crate) fn finish(self) -> DistanceTable<W> {
        DistanceTable::from_storage(self.0)
    }
}

/// Writes the distances of some numbers of a matrix.
pub(crate) fn decode<D: Distance, E: Element>(cells: &mut [D], numbers: &[E]) {
    cells.iter_mut().zip(numbers).for_each(|(cell, &number)| *cell = number.decode());
}

/// The place of the rows.
pub(crate) enum Rows<W: Weight> {
    Memory {
        distances: DistanceTable<W>,
        next_hops: Option<NextHops>,
    },
    Folder {
        n_vertices: usize,
        read_row: ReadRow<W::Distance>,
        /// The bytes of the numbers that memory would have.
        next_hops: Option<Mapped<u8>>,
    },
}

impl<W: Weight> Rows<W> {
    /// All of them, in memory.
    pub(crate) fn in_memory(distances: DistanceTable<W>, hops: Option<HopStorage>) -> Self {
        let vertices = |hops| NextHops::from_storage(hops).expect("vertices of the graph");
        Self::Memory { distances, next_hops: hops.map(vertices) }
    }

    fn n_vertices(&self) -> usize {
        match self {
            Self::Memory { distances, .. } => distances.n_sources(),
            Self::Folder { n_vertices, .. } => *n_vertices,
        }
    }

    /// The next hops, if the configuration asks for them.
    fn hops(&self) -> Option<HopRows<'_>> {
        let bytes = match self {
            Self::Memory { next_hops, .. } => match next_hops.as_ref()?.as_storage() {
                HopStorage::Narrow(hops) => cast_slice(slice_of(hops)),
                HopStorage::Wide(hops) => cast_slice(slice_of(hops)),
            },
            Self::Folder { next_hops, .. } => next_hops.as_ref()?.numbers(),
        };
        Some(HopRows { n_vertices: self.n_vertices(), bytes })
    }
}

/// Next hops in memory or in a folder, in 16 bits if [ids fit](NextHops::is_narrow), else in 32.
struct HopRows<'a> {
    n_vertices: usize,
    bytes: &'a [u8],
}

impl HopRows<'_> {
    /// The vertex after `from` on the path to `to`.
    fn get(&self, from: VertexId, to: VertexId) -> Option<VertexId> {
        let Self { n_vertices, bytes } = *self;
        let (from, to) = (from as usize, to as usize);
        let place = (from < n_vertices && to < n_vertices).then_some(from * n_vertices + to)?;
        match NextHops::is_narrow(n_vertices) {
            true => vertex(cast_slice::<_, u16>(bytes)[place]),
            false => vertex(cast_slice::<_, u32>(bytes)[place]),
        }
    }

    fn row(&self, source: VertexId) -> Vec<Option<VertexId>> {
        let n = self.n_vertices as VertexId;
        let n_known = if source < n { n } else { 0 };
        (0..n_known).map(|target| self.get(source, target)).collect()
    }

    fn path(&self, source: VertexId, target: VertexId) -> Option<Vec<VertexId>> {
        if source as usize >= self.n_vertices {
            return None;
        }
        let mut path = vec![source];
        let mut at = source;
        while at != target {
            at = self.get(at, target)?;
            path.push(at);
        }
        Some(path)
    }
}

/// The times of a solve, in milliseconds, and how a GPU was used. They include the time of numbers
/// that were tried and did not hold all distances. What did not occur, or was not measured, is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// The order of the vertices, for [supernodes](crate::Algorithm::Supernodes).
    pub order_ms: f64,
    /// Loading a GPU's kernels, which compiles them for the device, once in a process.
    pub jit_ms: f64,
    /// Copying the graph to GPUs.
    pub upload_ms: f64,
    /// Writing the matrix of its arcs.
    pub prepare_ms: f64,
    /// The distances: Floyd-Warshall, on GPUs by their clock, or the searches.
    pub solve_ms: f64,
    /// The phases of GPUs during `solve_ms`.
    pub phases: Phases,
    /// The next hops, if the configuration asks for them.
    pub next_hops_ms: f64,
    /// Making the table of distances, with the copy from GPUs and the check of numbers of 16 bits.
    pub download_ms: f64,
    /// Launches of kernels that found distances; 0 if strips passed through the GPU.
    pub launches: u64,
    /// Strips of rows that passed through GPUs, which could not hold the matrix.
    pub strips: u64,
    /// Strips of columns in which GPUs found next hops; 0 if the host found them.
    pub hop_strips: u64,
}

/// Milliseconds of a GPU's phases while [`Algorithm::Blocked`](crate::Algorithm::Blocked) closed a
/// matrix of more than one block of pivots, by the GPU's clock and in the mean of all GPUs. Phases
/// that overlap count in full.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phases {
    /// Closing blocks of pivots among themselves.
    pub closing_ms: f64,
    /// Copying closed blocks from or to other GPUs.
    pub sending_ms: f64,
    /// Updating the other rows with the pivots.
    pub updating_ms: f64,
    /// Neither closing nor updating.
    pub waiting_ms: f64,
}

impl Phases {
    /// The mean of several; zero for none.
    pub(crate) fn mean(all: &[Self]) -> Self {
        let of =
            |phase: fn(&Self) -> f64| all.iter().map(phase).sum::<f64>() / all.len().max(1) as f64;
        Self {
            closing_ms: of(|phases| phases.closing_ms),
            sending_ms: of(|phases| phases.sending_ms),
            updating_ms: of(|phases| phases.updating_ms),
            waiting_ms: of(|phases| phases.waiting_ms),
        }
    }
}

impl AddAssign for Phases {
    fn add_assign(&mut self, more: Self) {
        self.closing_ms += more.closing_ms;
        self.sending_ms += more.sending_ms;
        self.updating_ms += more.updating_ms;
        self.waiting_ms += more.waiting_ms;
    }
}

/// A summary of all distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary<D> {
    /// Ordered pairs with a distance; (v, v) counts.
    pub n_reachable_pairs: usize,
    /// The sum of all distances.
    pub sum: Total,
    /// The greatest distance; `None` if there are no vertices.
    pub max: Option<D>,
}

impl<W: Weight> Pairs<W> {
    /// The number of vertices, which is that of rows and columns.
    pub fn n_vertices(&self) -> usize {
        self.rows.n_vertices()
    }

    /// The distances from `source` in the order of the vertices; empty when there is no such
    /// vertex. O(n), and as much memory.
    pub fn row(
        &self,
        source: VertexId,
    ) -> impl ExactSizeIterator<Item = Option<W::Distance>> + use<W> {
        let mut row = Vec::new();
        if (source as usize) < self.n_vertices() {
            self.read_row(source as usize, &mut row);
        }
        row.into_iter().map(|d| Some(d).filter(|&d| d != W::Distance::UNREACHED))
    }

    /// The vertex after `source` on a shortest path to each vertex, `None` if there is no path, and
    /// for `source` itself. Empty if there is no such vertex, or there are no next hops. O(n).
    pub fn hops(&self, source: VertexId) -> Vec<Option<VertexId>> {
        self.rows.hops().map_or_else(Vec::new, |hops| hops.row(source))
    }

    /// The vertices of a shortest path, both ends included. `None` if there is no path, no such
    /// vertex, or no next hops. O(length of the path).
    pub fn path(&self, source: VertexId, target: VertexId) -> Option<Vec<VertexId>> {
        self.rows.hops()?.path(source, target)
    }

    /// Whether there are next hops.
    pub fn has_next_hops(&self) -> bool {
        self.rows.hops().is_some()
    }

    /// The table of distances, a row for each source and a column for each target; `None` if it is
    /// in a folder.
    pub fn distances(&self) -> Option<&DistanceTable<W>> {
        match &self.rows {
            Rows::Memory { distances, .. } => Some(distances),
            Rows::Folder { .. } => None,
        }
    }

    /// The next hops; `None` if there are none, or if they are in a folder.
    pub fn next_hops(&self) -> Option<&NextHops> {
        match &self.rows {
            Rows::Memory { next_hops, .. } => next_hops.as_ref(),
            Rows::Folder { .. } => None,
        }
    }

    /// The table of distances; `None` if it is in a folder.
    pub fn into_distances(self) -> Option<DistanceTable<W>> {
        match self.rows {
            Rows::Memory { distances, .. } => Some(distances),
            Rows::Folder { .. } => None,
        }
    }

    /// The distances and the paths; `None` without next hops, or if they are in a folder.
    pub fn into_paths(self) -> Option<Paths<W>> {
        match self.rows {
            Rows::Memory { distances, next_hops } => Paths::new(distances, next_hops?).ok(),
            Rows::Folder { .. } => None,
        }
    }

    /// Puts the distances from a vertex in `row`, [`Distance::UNREACHED`] for none.
    fn read_row(&self, u: usize, row: &mut Vec<W::Distance>) {
        match &self.rows {
            Rows::Memory { distances, .. } => {
                row.clear();
                row.extend(distances.as_storage().row(u));
            }
            Rows::Folder { read_row, .. } => read_row(u, row),
        }
    }
}

impl<W: Weight> Pairs<W> {
    /// The number of distances, their sum and the greatest. O(n²), one pass. `progress` counts
    /// rows.
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
        let n = self.n_vertices();
        for u in 0..n {
            tell(progress, u as u64, n as u64)?;
            self.read_row(u, &mut row);
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

    /// Writes a NumPy file (.npy) of the distances, a row for each source. Their type is u64, i64,
    /// f32 or f64, by the type of the weights. No path is the greatest value of an integer type, or
    /// infinity. `progress` counts rows. O(n²).
    ///
    /// # Errors
    /// When `out` fails, or the progress callback ends the work.
    pub fn write_npy(
        &self,
        out: &mut dyn Write,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError> {
        let mut row = Vec::new();
        write_rows(out, W::Distance::DTYPE, self.n_vertices(), progress, &mut |out, u| {
            self.read_row(u, &mut row);
            out.write_all(cast_slice(&row))
        })
    }

    /// Writes a NumPy file (.npy) of the next hops, a row for each source: u16, or u32 for 65,535
    /// vertices or more. No hop is the greatest value of the type. `progress` counts rows. O(n²).
    ///
    /// # Errors
    /// When there are no next hops, `out` fails, or the progress callback ends the work.
    pub fn write_next_hops_npy(
        &self,
        out: &mut dyn Write,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError> {
        let hops = self.rows.hops().ok_or(ApspError::NotAskedFor { what: "next hops" })?;
        let n = hops.n_vertices;
        let dtype = if NextHops::is_narrow(n) { u16::DTYPE } else { u32::DTYPE };
        let width = hops.bytes.len() / n.max(1);
        write_rows(out, dtype, n, progress, &mut |out, u| {
            out.write_all(&hops.bytes[u * width..(u + 1) * width])
        })
    }
}

/// Writes the file of a square array, row by row.
fn write_rows(
    out: &mut dyn Write,
    dtype: Dtype,
    n: usize,
    progress: Option<Progress<'_>>,
    write_row: &mut dyn FnMut(&mut dyn Write, usize) -> io::Result<()>,
) -> Result<(), ApspError> {
    write_header(out, dtype, &[n, n]).map_err(ApspError::Output)?;
    for u in 0..n {
        tell(progress, u as u64, n as u64)?;
        write_row(out, u).map_err(ApspError::Output)?;
    }
    Ok(())
}

/// The milliseconds since `start`.
pub(crate) fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

fn vertex<H: Hop + Into<VertexId>>(hop: H) -> Option<VertexId> {
    Some(hop).filter(|&hop| hop != H::NONE).map(Into::into)
}

/// The cells of a table that this crate has made, row by row.
pub(crate) fn slice_of<T>(table: &Array2<T>) -> &[T] {
    table.as_slice().expect("row by row")
}

impl<W: Weight> fmt::Debug for Pairs<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, report, .. } = self;
        let n_vertices = self.n_vertices();
        f.debug_struct("Pairs")
            .field("n_vertices", &n_vertices)
            .field("plan", plan)
            .field("report", report)
            .finish_non_exhaustive()
    }
}
