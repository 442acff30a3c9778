//! The matrix of pairs that are followed: its parts, what a batch has changed of it, and a larger
//! one.

use graph_formats::{Distance, Interrupted, VertexId, Weight, parallel, tell};
use ndarray::{Array2, s};
use paths::{DistanceTable, HopStorage, NextHops};
use sssp::Progress;

use crate::host::next_hops::Hop;
use crate::pairs::{Rows, Table};
use crate::{ApspError, Pairs, hops};

/// Rows that a task takes.
pub(super) const ROWS: usize = 16;
/// Pairs between two reports of progress.
pub(super) const PAIRS_A_REPORT: usize = 1 << 22;

/// Rows, and of some of their columns the distances before they changed.
pub(super) type Old<D> = Vec<(usize, Vec<(VertexId, D)>)>;

/// Bytes for the distances before of this number of pairs, and for their columns.
pub(super) fn bytes_of_old<D>(n_pairs: usize) -> u128 {
    n_pairs as u128 * (size_of::<(VertexId, D)>() + size_of::<VertexId>()) as u128
}

/// The rows of vertices at the ends of changed arcs.
#[derive(Clone, Copy)]
pub(super) struct Ends<'a, D> {
    /// How long they are.
    pub(super) n: usize,
    pub(super) cells: &'a [D],
    /// Whose they are, ascending; `None` if they are all rows of the matrix.
    pub(super) vertices: Option<&'a [VertexId]>,
}

impl<'a, D> Ends<'a, D> {
    /// The whole matrix.
    pub(super) fn all(n: usize, cells: &'a [D]) -> Self {
        Self { n, cells, vertices: None }
    }

    /// The row of one of the vertices.
    pub(super) fn row(self, vertex: usize) -> &'a [D] {
        let place = match self.vertices {
            Some(vertices) => vertices.partition_point(|&other| (other as usize) < vertex),
            None => vertex,
        };
        &self.cells[place * self.n..][..self.n]
    }
}

/// What a function makes of each row of a part of the matrix, by all threads.
pub(super) fn rows_of<D: Sync, T: Send>(
    n: usize,
    cells: &[D],
    of_row: impl Fn(&[D]) -> T + Sync,
) -> Vec<T> {
    let tasks: Vec<_> = cells.chunks((ROWS * n).max(1)).collect();
    let found = parallel::map(tasks.len(), &|task| {
        tasks[task].chunks_exact(n).map(&of_row).collect::<Vec<_>>()
    });
    found.into_iter().flatten().collect()
}

/// What a function makes of each of `n` rows, by all threads.
pub(super) fn of_rows<T: Send>(
    n: usize,
    progress: Option<Progress<'_>>,
    of_row: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, Interrupted> {
    let mut all = Vec::with_capacity(n);
    while all.len() < n {
        tell(progress, all.len() as u64, n as u64)?;
        let first = all.len();
        let rows = (PAIRS_A_REPORT / n).max(1).min(n - first);
        let found = parallel::map(rows.div_ceil(ROWS), &|task| {
            let rows = (task * ROWS..rows.min((task + 1) * ROWS)).map(|row| of_row(first + row));
            rows.collect::<Vec<_>>()
        });
        all.extend(found.into_iter().flatten());
    }
    Ok(all)
}

/// Puts distances back, the latest first.
pub(super) fn take_back<D: Distance>(cells: &mut [D], old: Old<D>) {
    let n = side(cells);
    for (row, old) in old.into_iter().rev() {
        old.into_iter().for_each(|(to, before)| cells[row * n + to as usize] = before);
    }
}

/// The side of the matrix.
fn side<D>(cells: &[D]) -> usize {
    cells.len().isqrt()
}

/// The distances and the next hops.
pub(super) fn parts<W: Weight>(
    pairs: &mut Pairs<W>,
) -> (&mut DistanceTable<W>, &mut Option<NextHops>) {
    match &mut pairs.rows {
        Rows::Memory { distances, next_hops } => (distances, next_hops),
        Rows::Folder { .. } => unreachable!("pairs that are followed are in memory"),
    }
}

/// The distances, row by row.
pub(super) fn cells<W: Weight>(pairs: &mut Pairs<W>) -> &mut [W::Distance] {
    let distances = parts(pairs).0.as_storage_mut();
    distances.as_slice_mut().expect("tables are kept row by row")
}

/// The greatest distance.
pub(super) fn greatest_of<D: Distance>(cells: &[D]) -> f64 {
    let reached = cells.iter().filter(|&&distance| distance != D::UNREACHED);
    reached.map(|distance| distance.to_f64()).fold(0.0, f64::max)
}

/// The greatest distance of the pairs that have changed.
pub(super) fn greatest<D: Distance>(cells: &[D], old: &Old<D>) -> f64 {
    let n = side(cells);
    let of_row = |(row, old): &(usize, Vec<(VertexId, D)>)| {
        let new = old.iter().map(|(to, _)| cells[row * n + *to as usize]);
        greatest_of(&new.collect::<Vec<_>>())
    };
    old.iter().map(of_row).fold(0.0, f64::max)
}

/// The same table, kept row by row.
pub(super) fn by_rows<D: Copy>(table: Array2<D>) -> Array2<D> {
    if table.is_standard_layout() { table } else { table.as_standard_layout().into_owned() }
}

/// Bytes of the distances of `n` vertices.
pub(super) fn bytes_of<W: Weight>(n: usize) -> u64 {
    u64::try_from(Table::<W>::bytes(crate::host::all_rows(n))).unwrap_or(u64::MAX)
}

/// Bytes of these pairs for `n` vertices.
pub(super) fn bytes<W: Weight>(pairs: &Pairs<W>, n: usize) -> u128 {
    let share = crate::host::all_rows(n);
    let hops = if pairs.has_next_hops() { hops::bytes_of_hops(share) } else { 0 };
    Table::<W>::bytes(share) + hops
}

/// The same pairs, and of more vertices, which have no arcs. O(n²).
pub(super) fn larger<W: Weight>(pairs: &Pairs<W>, n: usize) -> Result<Pairs<W>, ApspError> {
    let before = pairs.n_vertices();
    let mut distances = Table::<W>::new(n, n)?.finish();
    let cells = distances.as_storage_mut();
    cells.fill(W::Distance::UNREACHED);
    cells.diag_mut().fill(W::Distance::ZERO);
    let old = pairs.distances().map(DistanceTable::as_storage);
    old.into_iter().for_each(|old| cells.slice_mut(s![..before, ..before]).assign(old));
    let next_hops = pairs.next_hops().map(|old| match (old.as_storage(), NextHops::is_narrow(n)) {
        (HopStorage::Narrow(old), true) => HopStorage::Narrow(larger_hops(old, n, |hop| hop)),
        (HopStorage::Narrow(old), false) => {
            HopStorage::Wide(larger_hops(old, n, |hop| match hop {
                u16::MAX => u32::MAX,
                hop => hop.into(),
            }))
        }
        (HopStorage::Wide(old), _) => HopStorage::Wide(larger_hops(old, n, |hop| hop)),
    });
    let rows = Rows::in_memory(distances, next_hops);
    Ok(Pairs { plan: pairs.plan.clone(), report: pairs.report, rows })
}

fn larger_hops<H: Hop, L: Hop>(old: &Array2<H>, n: usize, hop: impl Fn(H) -> L) -> Array2<L> {
    let before = old.nrows();
    let mut larger = Array2::from_elem((n, n), L::NONE);
    larger.slice_mut(s![..before, ..before]).zip_mut_with(old, |new, &old| *new = hop(old));
    larger
}
