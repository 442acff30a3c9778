//! Lowered and new arcs: all pairs through them.
//!
//! A shortest path of the new graph that takes such arcs goes to the tail u of the first of them as
//! before. From its head v on, it takes arcs of any kind. So first the heads are closed as
//! pivots, by Floyd-Warshall on the old distances from heads over new arcs to heads, and their rows
//! are found: a min-plus product of k rows. Then d(i, j) is the least of the old distance and
//! d(i, u) + w + d(v, j) over all k arcs, d(i, u) being old.
//!
//! By the triangle inequality, an arc helps row i only if d(i, u) + w < d(i, v), and column j only if
//! w + d(v, j) < d(u, j). Only these are looked at, in an order that skips most (`behind.rs`). For
//! next hops those where the two are equal count too, for there a path as short as before may be the
//! one to take.
//!
//! O(k³ + k² n), O(k n) looks, and about the pairs that are nearer; at most all of each arc's rows
//! and columns.
//!
//! Reference: floyd-1962, ramalingam-reps-1996

use graph_formats::{ArcChange, Distance, DynamicGraph, VertexId, Weight, parallel, tell};
use sssp::Progress;

use super::behind::{self, Column, is_worth, n_rows, walk};
use super::table::{Ends, Old, PAIRS_A_REPORT, bytes_of_old, rows_of};
use crate::ApspError;

/// An arc as it is now.
pub(super) struct Arc<D> {
    from: usize,
    to: usize,
    weight: D,
}

/// The sum, where there are both.
fn sum<D: Distance>(first: D, second: D) -> D {
    let reached = |distance: D| Some(distance).filter(|&distance| distance != D::UNREACHED);
    let sum = reached(first).and_then(|first| second.after(first));
    reached(second).and(sum).unwrap_or(D::UNREACHED)
}

/// Whether a sum is less than a distance, or with `ties` as much.
fn is_used<D: Distance>(sum: D, distance: D, ties: bool) -> bool {
    if ties { sum <= distance } else { sum < distance }
}

/// The arcs that are shorter than the distance of their ends, or with `ties` as short.
pub(super) fn arcs<W: Weight>(
    changed: &[ArcChange<W>],
    ends: Ends<'_, W::Distance>,
    ties: bool,
) -> Vec<Arc<W::Distance>> {
    let arc = |arc: &ArcChange<W>| {
        let (from, to) = (arc.from as usize, arc.to as usize);
        let weight = arc.after?.after(W::Distance::ZERO)?;
        let distance = ends.row(from)[to];
        let is_used = weight < distance || ties && weight == distance && from != to;
        is_used.then_some(Arc { from, to, weight })
    };
    changed.iter().filter_map(arc).collect()
}

/// The distances from the heads of arcs over one of them or more to heads.
pub(super) struct Pivots<D> {
    /// A row for each arc.
    closed: Vec<D>,
    /// Those that are less than the distance before: of each arc, the others.
    shorter: Vec<Vec<usize>>,
}

impl<D> Pivots<D> {
    pub(super) fn n_shorter(&self) -> usize {
        self.shorter.iter().map(Vec::len).sum()
    }
}

/// Closes the heads. `None` if there is a negative cycle. O(k³).
pub(super) fn closed<D: Distance>(arcs: &[Arc<D>], ends: Ends<'_, D>) -> Option<Pivots<D>> {
    let k = arcs.len();
    let pairs = arcs.iter().flat_map(|first| arcs.iter().map(move |second| (first, second)));
    let over =
        |(first, second): (&Arc<D>, &Arc<D>)| sum(ends.row(first.to)[second.from], second.weight);
    let mut closed: Vec<D> = pairs.map(over).collect();
    for pivot in 0..k {
        if (0..k).any(|at| closed[at * k + at] < D::ZERO) {
            return None;
        }
        let through = closed[pivot * k..][..k].to_vec();
        for row in closed.chunks_exact_mut(k).filter(|row| row[pivot] != D::UNREACHED) {
            let first = row[pivot];
            for (cell, &second) in row.iter_mut().zip(&through) {
                let sum = sum(first, second);
                *cell = if sum < *cell { sum } else { *cell };
            }
        }
    }
    if (0..k).any(|at| closed[at * k + at] < D::ZERO) {
        return None;
    }
    let is_shorter = |&(at, other): &(usize, usize)| {
        closed[at * k + other] < ends.row(arcs[at].to)[arcs[other].to]
    };
    let of_row =
        |at| (0..k).map(|other| (at, other)).filter(is_shorter).map(|pair| pair.1).collect();
    let shorter = (0..k).map(of_row).collect();
    Some(Pivots { closed, shorter })
}

/// Of each row the arcs that help it, by their place, with the distances to their heads over them.
pub(super) fn used<D: Distance>(
    arcs: &[Arc<D>],
    n: usize,
    cells: &[D],
    ties: bool,
) -> Vec<Vec<(u32, D)>> {
    rows_of(n, cells, |distances| {
        let through = |(at, arc): (u32, &Arc<D>)| {
            let before = distances[arc.from];
            let first = arc.weight.after(before).filter(|_| before != D::UNREACHED)?;
            is_used(first, distances[arc.to], ties).then_some((at, first))
        };
        (0..).zip(arcs).filter_map(through).collect()
    })
}

/// What rows are relaxed through.
pub(super) struct Lowered<D> {
    ties: bool,
    pub(super) arcs: Vec<Arc<D>>,
    /// Of each arc the columns that it helps.
    columns: Vec<Vec<Column<D>>>,
}

impl<D: Distance> Lowered<D> {
    /// Of these arcs. `used` has those of all rows, where they are known: for few rows the columns
    /// are not put in order.
    pub(super) fn new<W: Weight<Distance = D>>(
        arcs: Vec<Arc<D>>,
        pivots: &Pivots<D>,
        graph: &DynamicGraph<W>,
        ends: Ends<'_, D>,
        used: Option<&[Vec<(u32, D)>]>,
        ties: bool,
    ) -> Self {
        let k = arcs.len();
        let n_rows = used.map(|used| n_rows(k, used.iter().flatten().map(|&(at, _)| at as usize)));
        let columns = parallel::map(k, &|at| {
            let mut rest = ends.row(arcs[at].to).to_vec();
            for &other in &pivots.shorter[at] {
                let first = pivots.closed[at * k + other];
                for (cell, &second) in rest.iter_mut().zip(ends.row(arcs[other].to)) {
                    let sum = sum(first, second);
                    *cell = if sum < *cell { sum } else { *cell };
                }
            }
            for (rest, &whole) in rest.iter_mut().zip(ends.row(arcs[at].from)) {
                if !is_used(sum(arcs[at].weight, *rest), whole, ties) {
                    *rest = D::UNREACHED;
                }
            }
            let n_rows = n_rows.as_ref().map(|n_rows| n_rows[at]);
            behind::columns(&rest, is_worth(n_rows, graph).then_some(graph))
        });
        Self { ties, arcs, columns }
    }

    /// How many pairs of rows that use these arcs may be looked at, again for each arc.
    pub(super) fn n_pairs(&self, used: &[Vec<(u32, D)>]) -> usize {
        used.iter().map(|used| self.n_pairs_of(used)).sum()
    }

    fn n_pairs_of(&self, used: &[(u32, D)]) -> usize {
        used.iter().map(|&(at, _)| self.columns[at as usize].len()).sum()
    }

    /// Relaxes all pairs of some rows, which use these arcs. `old` gets the distances before of those
    /// that are nearer now, `touched` the columns of these, and of pairs that have a path as short,
    /// too. `ask` asks for bytes.
    pub(super) fn relax(
        &self,
        cells: &mut [D],
        used: &[Vec<(u32, D)>],
        old: &mut Old<D>,
        touched: &mut [Vec<VertexId>],
        ask: &dyn Fn(u128) -> Result<(), ApspError>,
        progress: Option<Progress<'_>>,
    ) -> Result<(), ApspError> {
        let n = cells.len() / used.len().max(1);
        let rows = cells.chunks_mut(n.max(1)).zip(touched).zip(used).enumerate();
        let mut rows: Vec<_> = rows.filter(|(_, (_, used))| !used.is_empty()).collect();
        let n_rows = rows.len();
        while !rows.is_empty() {
            tell(progress, (n_rows - rows.len()) as u64, n_rows as u64)?;
            let rest = rows.split_off(rows.len().min((PAIRS_A_REPORT / n).max(1)));
            let block = std::mem::replace(&mut rows, rest);
            let most = |row: &(_, (_, &Vec<_>))| self.n_pairs_of(row.1.1).min(n);
            ask(bytes_of_old::<D>(block.iter().map(most).sum()))?;
            old.extend(parallel::map_of(block, &|(row, ((distances, touched), used))| {
                (row, self.relax_row(distances, touched, used))
            }));
        }
        Ok(())
    }

    fn relax_row(
        &self,
        row: &mut [D],
        touched: &mut Vec<VertexId>,
        used: &[(u32, D)],
    ) -> Vec<(VertexId, D)> {
        let mut old = Vec::new();
        for &(at, first) in used {
            walk(&self.columns[at as usize], |column, rest| {
                let cell = &mut row[column as usize];
                let Some(sum) = rest.after(first).filter(|sum| sum <= cell) else { return false };
                if sum < *cell {
                    old.push((column, *cell));
                    *cell = sum;
                } else if self.ties {
                    touched.push(column);
                }
                true
            });
        }
        // of several the first is the one before
        old.sort_by_key(|&(column, _)| column);
        old.dedup_by_key(|&mut (column, _)| column);
        if self.ties {
            touched.extend(old.iter().map(|&(column, _)| column));
            touched.sort_unstable();
            touched.dedup();
        }
        old
    }
}
