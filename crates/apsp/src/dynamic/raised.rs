//! Pairs whose paths raised and deleted arcs were on: found in the old matrix, and searched for
//! again.
//!
//! An arc (u, v) of weight w was on a shortest path from i to j only if d(i, u) + w = d(i, v) and
//! d(i, v) + d(v, j) = d(i, j). Then w + d(v, j) = d(u, j), too. So a few numbers tell which rows
//! and columns to look at, and an order of the columns skips most (`behind.rs`). Pairs that no such
//! arc was on keep their distances. All others are reset, those too that have another path as short.
//!
//! In each row the reset pairs are searched for by Dijkstra's method. It starts at the arcs from
//! vertices whose distances stand: those that end at the pairs, or where most pairs are reset those
//! that begin at the others, which is a search from the source. Its keys are the increases over the
//! old distances, which are potentials: weights may be negative. O(n k) to look, then O(a log a) a
//! row for the a arcs at reset pairs.
//!
//! Sums of floats that are rounded are taken as equal within a slack, so that pairs are reset too
//! often, never too seldom.
//!
//! Where many pairs are lost, arcs heavier than the distance of their ends are left out first: they
//! are on no shortest path unless that pair is lost too.
//!
//! Reference: ramalingam-reps-1996, dijkstra-1959

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use graph_formats::{
    ArcChange, Csr, Distance, DynamicGraph, Interrupted, NoMemory, VertexId, Weight,
    ensure_granted, parallel, tell,
};
use sssp::Progress;

use super::behind::{self, Column, is_worth, n_rows, walk};
use super::table::{Ends, Old, PAIRS_A_REPORT, ROWS, of_rows, rows_of};

/// An arc as it was.
#[derive(Clone, Copy)]
pub(super) struct Arc<D> {
    from: usize,
    to: usize,
    weight: D,
}

/// Whether a sum is a distance. Both are of paths.
fn is_tight<D: Distance>(sum: Option<D>, distance: D, slack: f64) -> bool {
    sum.is_some_and(|sum| {
        sum == distance || slack > 0.0 && sum.to_f64() <= distance.to_f64() + slack
    })
}

/// The raised and deleted arcs that no parallel one stands in for, with the weights before. `graph`
/// has the weights that they have now.
pub(crate) fn gone<W: Weight>(
    changed: &[ArcChange<W>],
    graph: &DynamicGraph<W>,
) -> Vec<(VertexId, VertexId, W)> {
    let before = |arc: &ArcChange<W>| Some((arc.from, arc.to, arc.before?));
    let mut arcs: Vec<_> =
        changed.iter().filter(|arc| arc.from != arc.to).filter_map(before).collect();
    arcs.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then_with(|| a.2.order(b.2)));
    arcs.dedup_by_key(|arc| (arc.0, arc.1));
    arcs.retain(|&(from, to, before)| graph.weight(from, to).is_none_or(|now| before < now));
    arcs
}

/// Those that were on shortest paths. `ends` has the old distances.
pub(super) fn arcs<W: Weight>(
    gone: &[(VertexId, VertexId, W)],
    ends: Ends<'_, W::Distance>,
    slack: f64,
) -> Vec<Arc<W::Distance>> {
    let of_paths = gone.iter().filter_map(|&(from, to, weight)| {
        let weight = weight.after(W::Distance::ZERO)?;
        let (from, to) = (from as usize, to as usize);
        is_tight(Some(weight), ends.row(from)[to], slack).then_some(Arc { from, to, weight })
    });
    of_paths.collect()
}

/// Of each row the arcs that a shortest path from its vertex may have had, by their place.
pub(super) fn used<D: Distance>(
    arcs: &[Arc<D>],
    n: usize,
    cells: &[D],
    slack: f64,
) -> Vec<Vec<usize>> {
    rows_of(n, cells, |distances| {
        let is_on = |arc: &Arc<D>| {
            let before = distances[arc.from];
            before != D::UNREACHED && is_tight(arc.weight.after(before), distances[arc.to], slack)
        };
        (0..arcs.len()).filter(|&at| is_on(&arcs[at])).collect()
    })
}

/// What tells which pairs are lost.
pub(super) struct Lost<D> {
    pub(super) arcs: Vec<Arc<D>>,
    /// Of each arc the columns to which a shortest path from its tail may have begun with it.
    columns: Vec<Vec<Column<D>>>,
    slack: f64,
}

impl<D: Distance> Lost<D> {
    /// Of these arcs. `used` has those of all rows, where they are known: for few rows the columns
    /// are not put in order. `ends` has the old distances.
    pub(super) fn new<W: Weight<Distance = D>>(
        arcs: Vec<Arc<D>>,
        graph: &DynamicGraph<W>,
        ends: Ends<'_, D>,
        used: Option<&[Vec<usize>]>,
        slack: f64,
    ) -> Self {
        let n_rows = used.map(|used| n_rows(arcs.len(), used.iter().flatten().copied()));
        let columns = parallel::map(arcs.len(), &|at| {
            let Arc { from, to, weight } = arcs[at];
            let mut rest = ends.row(to).to_vec();
            for (rest, &whole) in rest.iter_mut().zip(ends.row(from)) {
                if *rest != D::UNREACHED && !is_tight(weight.after(*rest), whole, slack) {
                    *rest = D::UNREACHED;
                }
            }
            let n_rows = n_rows.as_ref().map(|n_rows| n_rows[at]);
            behind::columns(&rest, is_worth(n_rows, graph).then_some(graph))
        });
        Self { arcs, columns, slack }
    }

    /// Of each row, the first being that of vertex `first`, the columns, ascending, to which a
    /// shortest path may have had one of the arcs. `used` has those of each row.
    pub(super) fn find(
        &self,
        first: usize,
        n: usize,
        cells: &[D],
        used: &[Vec<usize>],
        progress: Option<Progress<'_>>,
    ) -> Result<Vec<Vec<VertexId>>, Interrupted> {
        let of_row = |place: usize| {
            let distances = &cells[place * n..][..n];
            let mut lost = Vec::new();
            for &at in &used[place] {
                let through = distances[self.arcs[at].to];
                walk(&self.columns[at], |column, rest| {
                    let whole = distances[column as usize];
                    let is_on = is_tight(rest.after(through), whole, self.slack);
                    if is_on && column as usize != first + place {
                        lost.push(column);
                    }
                    is_on
                });
            }
            lost.sort_unstable();
            lost.dedup();
            lost
        };
        of_rows(used.len(), progress, of_row)
    }
}

/// The arcs that may be on shortest paths when these pairs are lost. O(m).
///
/// # Errors
/// When the system refuses the memory.
pub(super) fn useful<W: Weight>(
    graph: &DynamicGraph<W>,
    cells: &[W::Distance],
    lost: &[Vec<VertexId>],
) -> Result<DynamicGraph<W>, NoMemory> {
    let n = graph.n_vertices();
    let of_rows = parallel::map(n.div_ceil(ROWS), &|task| {
        let mut arcs = Vec::new();
        for from in task * ROWS..n.min((task + 1) * ROWS) {
            let (row, mut lost) = (&cells[from * n..][..n], &lost[from][..]);
            for &(to, weight) in graph.arcs_from(from as VertexId) {
                while let [first, rest @ ..] = lost
                    && *first < to
                {
                    lost = rest;
                }
                let is_lost = lost.first() == Some(&to);
                if is_lost || weight.after(W::Distance::ZERO) <= Some(row[to as usize]) {
                    arcs.push((from as VertexId, to, weight));
                }
            }
        }
        arcs
    });
    let arcs = of_rows.concat();
    ensure_granted(2 * size_of_val(&arcs[..]))?;
    DynamicGraph::new(&Csr::from_arcs(n, &arcs).expect("arcs of a graph"))
}

/// Whether so few of a row's pairs stand that arcs are looked at from these.
pub(super) fn is_most(n_lost: usize, n: usize) -> bool {
    n_lost > n / 2
}

/// A search for lost pairs.
pub(super) struct Search<'a, W: Weight> {
    pub(super) graph: &'a DynamicGraph<W>,
    pub(super) lost: &'a [Vec<VertexId>],
    pub(super) progress: Option<Progress<'a>>,
}

/// The work space of a row.
struct Space<W: Weight> {
    /// Of lost pairs the old distance.
    old: Vec<W::Distance>,
    queue: BinaryHeap<Reverse<(<W::Distance as Distance>::Key, VertexId)>>,
}

impl<W: Weight> Search<'_, W> {
    /// Resets all lost pairs and finds them again. `old` gets what they were.
    pub(super) fn search(
        &self,
        cells: &mut [W::Distance],
        old: &mut Old<W::Distance>,
    ) -> Result<(), Interrupted> {
        let n = self.graph.n_vertices();
        let make = || Space { old: vec![W::Distance::UNREACHED; n], queue: BinaryHeap::new() };
        let spaces = parallel::WorkSpaces::new(&make);
        let mut rows: Vec<_> = cells.chunks_mut(n.max(1)).enumerate().collect();
        rows.retain(|(row, _)| !self.lost[*row].is_empty());
        let n_rows = rows.len();
        let mut rows = rows.into_iter().peekable();
        while rows.peek().is_some() {
            tell(self.progress, (n_rows - rows.len()) as u64, n_rows as u64)?;
            let block = rows.by_ref().take((PAIRS_A_REPORT / n).max(1)).collect();
            old.extend(parallel::map_of(block, &|(row, distances)| {
                (row, spaces.with(|space| self.search_row(distances, &self.lost[row], space)))
            }));
        }
        Ok(())
    }

    fn search_row(
        &self,
        row: &mut [W::Distance],
        lost: &[VertexId],
        space: &mut Space<W>,
    ) -> Vec<(VertexId, W::Distance)> {
        let unreached = W::Distance::UNREACHED;
        let reset = |&to: &VertexId| (to, std::mem::replace(&mut row[to as usize], unreached));
        let before: Vec<_> = lost.iter().map(reset).collect();
        before.iter().for_each(|&(to, distance)| space.old[to as usize] = distance);
        if is_most(lost.len(), row.len()) {
            let vertices = 0..row.len() as VertexId;
            let standing = vertices.filter(|&from| row[from as usize] != unreached);
            standing.collect::<Vec<_>>().into_iter().for_each(|from| space.leave(self, row, from));
        } else {
            for &to in lost {
                for &(from, weight) in self.graph.arcs_to(to) {
                    space.reach(row, to, weight, row[from as usize]);
                }
            }
        }
        while let Some(Reverse((key, from))) = space.queue.pop() {
            if key == excess(row[from as usize], space.old[from as usize]) {
                space.leave(self, row, from);
            }
        }
        lost.iter().for_each(|&to| space.old[to as usize] = unreached);
        before
    }
}

impl<W: Weight> Space<W> {
    /// Goes over all arcs from a vertex.
    fn leave(&mut self, search: &Search<'_, W>, row: &mut [W::Distance], from: VertexId) {
        let distance = row[from as usize];
        for &(to, weight) in search.graph.arcs_from(from) {
            self.reach(row, to, weight, distance);
        }
    }

    /// Goes over an arc, from a vertex at this distance, if it ends at a lost pair.
    fn reach(&mut self, row: &mut [W::Distance], to: VertexId, weight: W, distance: W::Distance) {
        let (cell, old) = (&mut row[to as usize], self.old[to as usize]);
        if old == W::Distance::UNREACHED || distance == W::Distance::UNREACHED {
            return;
        }
        if let Some(sum) = weight.after(distance).filter(|sum| sum < cell) {
            *cell = sum;
            self.queue.push(Reverse((excess(sum, old), to)));
        }
    }
}

/// How much farther it is than before.
fn excess<D: Distance>(distance: D, before: D) -> D::Key {
    let excess = match distance.to_i128().zip(before.to_i128()) {
        Some((distance, before)) => D::from_i128(distance - before),
        None => D::from_f64(distance.to_f64() - before.to_f64()),
    };
    // what is rounded may be nearer
    excess.filter(|excess| !excess.is_negative()).unwrap_or(D::ZERO).to_key()
}
