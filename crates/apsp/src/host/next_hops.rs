//! Next hops from finished distances: by a rule, so that every algorithm gives the same.
//!
//! The hop from u to v is the smallest x strictly nearer to v whose arc (u, x, w) is tight:
//! w + d(x, v) = d(u, v). For row u of the hops each arc reads along row x of the distances,
//! at the columns that have no hop yet, and rows are shared among threads. Pairs that have
//! none in the end lie behind arcs that add nothing. They are placed by levels: in each pass
//! over the rows those with a tight arc to an x that the pass before has placed for the same
//! v, and of several the smallest. With a negative arc anywhere in the graph nearer means
//! nothing, and levels place all pairs, starting at d(v, v). What a pass places does not
//! count before the next, so that neither the order of rows nor threads decide. All hops to v
//! follow from column v of the distances, so that any columns will do. O(c m) for c of them, and
//! O(c m / 64) for each level after the first; 3 c n / 8 bytes beside the hops.
//!
//! What differs from the published forms: these keep a matrix of predecessors, or of last
//! vertices between, and write it with the distances in every step. That takes twice the
//! traffic, and which of equal paths it names depends on the order of the steps.
//!
//! Reference: floyd-1962, origin-out-of-core

use std::ops::Range;

use graph_formats::{Csr, Distance, VertexId, Weight, parallel, tell};
use ndarray::Array2;
use rayon::prelude::*;
use sssp::{Progress, SsspError};

/// Bits of a word.
const WORD: usize = u64::BITS as usize;
/// Pairs between two reports of progress.
const PAIRS_A_REPORT: usize = 1 << 20;

/// Distances by rows, wherever a matrix lies and whatever it keeps them as.
pub(crate) trait Rows<D>: Sync {
    /// What stands for a distance.
    type Cell: Copy + Sync;

    /// The distances from `from`, at least one a column.
    fn row(&self, from: VertexId) -> &[Self::Cell];

    /// The distance, or [`Distance::UNREACHED`].
    fn distance(&self, cell: Self::Cell) -> D;
}

impl<D: Distance> Rows<D> for Array2<D> {
    type Cell = D;

    fn row(&self, from: VertexId) -> &[D] {
        let n = self.ncols();
        let cells = self.as_slice().expect("tables are kept row by row");
        &cells[from as usize * n..][..n]
    }

    fn distance(&self, cell: D) -> D {
        cell
    }
}

/// A vertex as a matrix of hops keeps it.
pub(crate) trait Hop: Copy + Ord + Send + Sync {
    /// None: greater than any vertex.
    const NONE: Self;

    fn of(vertex: VertexId) -> Self;
}

impl Hop for u16 {
    const NONE: Self = Self::MAX;

    fn of(vertex: VertexId) -> Self {
        vertex as Self
    }
}

impl Hop for u32 {
    const NONE: Self = Self::MAX;

    fn of(vertex: VertexId) -> Self {
        vertex
    }
}

/// A bit for each pair: row u, column v.
type Bits = Vec<u64>;

/// Whether pairs may be left to levels: where weights are positive integers there are none,
/// for every arc leads nearer then.
pub(crate) fn may_need_levels<W: Weight>(graph: &Csr<W>) -> bool {
    graph.weight_summary().least.to_i128().is_none_or(|least| least <= 0)
}

/// Bytes for the levels of the pairs of `n` vertices and `n_columns` others.
pub(crate) fn bytes_of_levels(n: usize, n_columns: usize) -> u128 {
    3 * n as u128 * n_columns.div_ceil(WORD) as u128 * size_of::<u64>() as u128
}

/// What next hops are found from, for some of the vertices as destinations: no hop depends on
/// those to any other.
pub(crate) struct Finder<'a, W: Weight, R> {
    /// Of the arcs of the graph those are enough that begin a shortest path.
    pub(crate) arcs: &'a Csr<W>,
    /// Whether an arc of the whole graph is negative.
    pub(crate) by_levels: bool,
    /// The destinations,
    pub(crate) columns: Range<usize>,
    /// and from all vertices the distances to them.
    pub(crate) distances: &'a R,
}

impl<W: Weight, R: Rows<W::Distance>> Finder<'_, W, R> {
    /// Fills `hops`, a row for each vertex.
    pub(crate) fn find<H: Hop>(
        &self,
        hops: &mut [H],
        progress: Option<Progress<'_>>,
    ) -> Result<(), SsspError> {
        let n = self.arcs.n_vertices();
        let width = self.columns.len().max(1);
        let n_rows = (PAIRS_A_REPORT / width).max(1);
        for (block, hops) in hops.chunks_mut(n_rows * width).enumerate() {
            let first = block * n_rows;
            tell(progress, first as u64, n as u64)?;
            self.fill_rows(first as VertexId, hops);
        }
        self.place_left(hops, progress)
    }

    /// The part of it that needs no other hops, for some rows from `first` on. Where no pair
    /// [may be left](may_need_levels), it is all.
    pub(crate) fn fill_rows<H: Hop>(&self, first: VertexId, hops: &mut [H]) {
        let n = self.arcs.n_vertices() as VertexId;
        let rows = hops.chunks_mut(self.columns.len().max(1)).zip(first..n);
        parallel::for_each_with(rows, &|left, (hops, from)| {
            hops.fill(H::NONE);
            if !self.by_levels {
                self.fill_row(from, hops, left);
            }
        });
    }

    /// For each destination the smallest vertex that is strictly nearer and has a tight arc.
    /// `left` is a work space.
    fn fill_row<H: Hop>(&self, from: VertexId, hops: &mut [H], left: &mut Vec<u32>) {
        let Self { arcs, distances, .. } = self;
        let whole = distances.row(from);
        left.clear();
        let is_reached = |to: u32| distances.distance(whole[to as usize]) != W::Distance::UNREACHED;
        left.extend((0..hops.len() as u32).filter(|&to| is_reached(to)));
        let found = |to: u32, hop| hops[to as usize] = H::of(hop);
        nearest_hops(arcs.arcs_from(from), *distances, from, left, found);
    }

    /// The rest, when all rows are filled: gives a hop to every pair that has none and has a
    /// path.
    pub(crate) fn place_left<H: Hop>(
        &self,
        hops: &mut [H],
        progress: Option<Progress<'_>>,
    ) -> Result<(), SsspError> {
        let (n, width) = (self.arcs.n_vertices(), self.columns.len().max(1));
        let n_words = self.n_words();
        let is_own = |from: VertexId, to: usize| from as usize == self.columns.start + to;
        let is_left = |from: VertexId, to: usize, hop: H| {
            let distance = self.distances.distance(self.distances.row(from)[to]);
            hop == H::NONE && distance != W::Distance::UNREACHED && !is_own(from, to)
        };
        let has_left = |from: usize| {
            let mut row = hops[from * width..(from + 1) * width].iter().enumerate();
            row.any(|(to, &hop)| is_left(from as VertexId, to, hop))
        };
        if parallel::find_first(hops.len() / width, ROWS_PER_TASK, &|mut rows| {
            rows.find(|&from| has_left(from))
        })
        .is_none()
        {
            return Ok(());
        }
        let mut left = self.bits(hops, is_left);
        let mut last = self
            .bits(hops, |from, to, hop| is_own(from, to) || (!self.by_levels && hop != H::NONE));
        let mut placed = vec![0; last.len()];
        let mut n_left = count(&left);
        let n_all = n_left;
        while n_left > 0 {
            tell(progress, n_all - n_left, n_all)?;
            let rows = hops.chunks_mut(width).zip(left.chunks_mut(n_words));
            let rows = rows.zip(placed.chunks_mut(n_words)).zip(0..n as VertexId);
            parallel::for_each_of(rows, &|(((hops, left), placed), from)| {
                placed.fill(0);
                self.step(from, &last, hops, left, placed);
            });
            std::mem::swap(&mut last, &mut placed);
            let before = n_left;
            n_left = count(&left);
            if n_left == before {
                break;
            }
        }
        Ok(())
    }

    /// Words of a row of bits.
    fn n_words(&self) -> usize {
        self.columns.len().div_ceil(WORD)
    }

    /// The pairs of which `is` holds.
    fn bits<H: Hop>(&self, hops: &[H], is: impl Fn(VertexId, usize, H) -> bool + Sync) -> Bits {
        let n = self.arcs.n_vertices();
        let mut bits = vec![0u64; n * self.n_words()];
        let rows = bits.chunks_mut(self.n_words()).zip(hops.chunks(self.columns.len()));
        parallel::for_each_of(rows.zip(0..n as VertexId), &|((bits, hops), from)| {
            for (to, &hop) in hops.iter().enumerate() {
                bits[to / WORD] |= u64::from(is(from, to, hop)) << (to % WORD);
            }
        });
        bits
    }

    /// Of the pairs that are left in a row, those with a tight arc to the last level.
    fn step<H: Hop>(
        &self,
        from: VertexId,
        last: &[u64],
        hops: &mut [H],
        left: &mut [u64],
        placed: &mut [u64],
    ) {
        if left.iter().all(|&word| word == 0) {
            return;
        }
        let whole = self.distances.row(from);
        for (hop, weight) in self.arcs.arcs_from(from) {
            let rest = self.distances.row(hop);
            let last = &last[hop as usize * self.n_words()..][..self.n_words()];
            for (word, &last) in last.iter().enumerate() {
                let mut candidates = left[word] & last;
                while candidates != 0 {
                    let bit = candidates & candidates.wrapping_neg();
                    candidates ^= bit;
                    let to = word * WORD + bit.trailing_zeros() as usize;
                    // a vertex of the last level has a distance
                    if weight.after(self.distances.distance(rest[to]))
                        == Some(self.distances.distance(whole[to]))
                    {
                        hops[to] = H::of(hop);
                        left[word] ^= bit;
                        placed[word] |= bit;
                    }
                }
            }
        }
    }
}

/// Of these arcs from `from`, ascending, the first that is tight for each of the destinations
/// `left` and leads strictly nearer. Those for which `found` was not called stay in `left`.
pub(crate) fn nearest_hops<W: Weight, R: Rows<W::Distance>>(
    arcs: impl Iterator<Item = (VertexId, W)>,
    distances: &R,
    from: VertexId,
    left: &mut Vec<u32>,
    mut found: impl FnMut(u32, VertexId),
) {
    let whole = distances.row(from);
    let distance_of = |row: &[R::Cell], to: u32| distances.distance(row[to as usize]);
    for (hop, weight) in arcs {
        if left.is_empty() {
            return;
        }
        let beyond = distances.row(hop);
        left.retain(|&to| {
            let (whole, rest) = (distance_of(whole, to), distance_of(beyond, to));
            let is_tight = rest < whole && weight.after(rest) == Some(whole);
            if is_tight {
                found(to, hop);
            }
            !is_tight
        });
    }
}

/// Rows that a task looks at together.
const ROWS_PER_TASK: usize = 16;

fn count(bits: &[u64]) -> u64 {
    bits.par_iter().map(|word| u64::from(word.count_ones())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of 32 bits in rows that end in padding; large ones are no path.
    struct Padded(Vec<i32>);

    const PITCH: usize = 128;
    const NONE: i32 = i32::MAX / 2;

    impl Rows<i64> for Padded {
        type Cell = i32;

        fn row(&self, from: VertexId) -> &[i32] {
            &self.0[from as usize * PITCH..][..PITCH]
        }

        fn distance(&self, cell: i32) -> i64 {
            if cell < i32::MAX / 4 { cell.into() } else { i64::UNREACHED }
        }
    }

    #[test]
    fn rows_may_be_padded_and_of_other_numbers() {
        let arcs = [(0, 1, 2), (1, 2, 0), (2, 1, 0), (2, 3, -3), (0, 3, 9), (0, 2, 2)];
        let graph = Csr::<i32>::from_arcs(4, &arcs).unwrap();
        let distances =
            [[0, 2, 2, -1], [NONE, 0, 0, -3], [NONE - 9, 0, 0, -3], [NONE, NONE, NONE, 0]];
        let mut cells = vec![NONE; 4 * PITCH];
        for (row, distances) in cells.chunks_mut(PITCH).zip(distances) {
            row[..4].copy_from_slice(&distances);
        }
        let mut hops = [7u32; 16];
        let distances = &Padded(cells);
        let finder = Finder { arcs: &graph, by_levels: true, columns: 0..4, distances };
        finder.find(&mut hops, None).unwrap();
        let none = u32::MAX;
        let expected = [none, 1, 2, 2, none, none, 2, 2, none, 1, none, 3, none, none, none, none];
        assert_eq!(hops, expected);
    }
}
