//! Next hops from finished distances: by a rule, so that every algorithm gives the same.
//!
//! The hop from u to v is the smallest x strictly nearer to v whose arc (u, x, w) is tight:
//! w + d(x, v) = d(u, v). For row u of the hops each arc reads along row x of the distances,
//! at the columns that have no hop yet, and rows are shared among threads. Pairs that have
//! none in the end lie behind arcs that add nothing. They are placed by levels: in each pass
//! over the rows those with a tight arc to an x that the pass before has placed for the same
//! v, and of several the smallest. With a negative arc anywhere in the graph nearer means
//! nothing, and levels place all pairs, starting at d(v, v). What a pass places does not
//! count before the next, so that neither the order of rows nor threads decide. O(n m), and
//! O(n m / 64) for each level after the first; 3 n² / 8 bytes beside the hops.
//!
//! What differs from the published forms: these keep a matrix of predecessors, or of last
//! vertices between, and write it with the distances in every step. That takes twice the
//! traffic, and which of equal paths it names depends on the order of the steps.
//!
//! Reference: floyd-1962, origin-out-of-core

use graph_formats::{Csr, Distance, VertexId, Weight};
use ndarray::Array2;
use rayon::prelude::*;
use sssp::{Progress, SsspError};

/// Bits of a word.
const WORD: usize = u64::BITS as usize;
/// Rows between two reports of progress.
const ROWS_A_REPORT: usize = 256;

/// Distances by rows, wherever a matrix lies and whatever it keeps them as.
pub(crate) trait Rows<D>: Sync {
    /// What stands for a distance.
    type Cell: Copy + Sync;

    /// The distances from `from`, at least one a vertex.
    fn row(&self, from: VertexId) -> &[Self::Cell];

    /// The distance, or [`Distance::UNREACHED`].
    fn distance(&self, cell: Self::Cell) -> D;

    fn get(&self, from: VertexId, to: VertexId) -> D {
        self.distance(self.row(from)[to as usize])
    }
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

/// Whether pairs may be left to levels: where weights are positive integers there are none,
/// for every arc leads nearer then.
pub(crate) fn may_need_levels<W: Weight>(graph: &Csr<W>) -> bool {
    graph.weight_summary().least.to_i128().is_none_or(|least| least <= 0)
}

/// Bytes for the levels of `n` vertices.
pub(crate) fn bytes_of_levels(n: usize) -> u128 {
    3 * n as u128 * n.div_ceil(WORD) as u128 * size_of::<u64>() as u128
}

/// Fills `hops`, n rows of n. Of the arcs of the graph those are enough that begin a
/// shortest path; `by_levels` says that an arc of the whole graph is negative.
pub(crate) fn next_hops<W: Weight, H: Hop>(
    arcs: &Csr<W>,
    by_levels: bool,
    distances: &impl Rows<W::Distance>,
    hops: &mut [H],
    progress: Option<Progress<'_>>,
) -> Result<(), SsspError> {
    let n = arcs.n_vertices();
    let blocks = hops.chunks_mut(n.max(1) * ROWS_A_REPORT).enumerate();
    for (block, hops) in blocks {
        let first = block * ROWS_A_REPORT;
        tell(progress, first, n)?;
        fill_rows(arcs, by_levels, distances, first as VertexId, hops);
    }
    place_left(arcs, by_levels, distances, hops, progress)
}

/// The part of [`next_hops`] that needs no other hops, for some rows from `first` on. Where
/// no pair [may be left](may_need_levels), it is all.
pub(crate) fn fill_rows<W: Weight, H: Hop>(
    arcs: &Csr<W>,
    by_levels: bool,
    distances: &impl Rows<W::Distance>,
    first: VertexId,
    hops: &mut [H],
) {
    let n = arcs.n_vertices();
    let rows = hops.par_chunks_mut(n).zip(first..n as VertexId);
    rows.for_each_init(Vec::new, |left, (hops, from)| {
        hops.fill(H::NONE);
        if !by_levels {
            nearer(arcs, from, distances, hops, left);
        }
    });
}

/// The rest of it, when all rows are filled.
pub(crate) fn place_left<W: Weight, H: Hop>(
    arcs: &Csr<W>,
    by_levels: bool,
    distances: &impl Rows<W::Distance>,
    hops: &mut [H],
    progress: Option<Progress<'_>>,
) -> Result<(), SsspError> {
    let n_words = arcs.n_vertices().div_ceil(WORD);
    Levels { arcs, distances, n_words }.place(by_levels, hops, progress)
}

fn tell(progress: Option<Progress<'_>>, done: usize, total: usize) -> Result<(), SsspError> {
    match progress {
        Some(tell) if tell(done as u64, total as u64).is_break() => Err(SsspError::Interrupted),
        _ => Ok(()),
    }
}

/// For each destination the smallest vertex that is strictly nearer and has a tight arc.
/// `left` is a work space.
fn nearer<W: Weight, R: Rows<W::Distance>, H: Hop>(
    arcs: &Csr<W>,
    from: VertexId,
    distances: &R,
    hops: &mut [H],
    left: &mut Vec<VertexId>,
) {
    let whole = distances.row(from);
    let distance_of = |row: &[R::Cell], to: VertexId| distances.distance(row[to as usize]);
    left.clear();
    left.extend(arcs.vertices().filter(|&to| distance_of(whole, to) != W::Distance::UNREACHED));
    for (hop, weight) in arcs.arcs_from(from) {
        if left.is_empty() {
            return;
        }
        let beyond = distances.row(hop);
        left.retain(|&to| {
            let (whole, rest) = (distance_of(whole, to), distance_of(beyond, to));
            let is_tight = rest < whole && weight.after(rest) == Some(whole);
            if is_tight {
                hops[to as usize] = H::of(hop);
            }
            !is_tight
        });
    }
}

/// What the passes by levels need.
struct Levels<'a, W: Weight, R> {
    arcs: &'a Csr<W>,
    distances: &'a R,
    /// Words of a row of bits.
    n_words: usize,
}

/// A bit for each pair: row u, column v.
type Bits = Vec<u64>;

impl<W: Weight, R: Rows<W::Distance>> Levels<'_, W, R> {
    /// Gives a hop to every pair that has none and has a path.
    fn place<H: Hop>(
        &self,
        by_levels: bool,
        hops: &mut [H],
        progress: Option<Progress<'_>>,
    ) -> Result<(), SsspError> {
        let n = self.arcs.n_vertices();
        let is_left = |from: VertexId, to: usize, hop: H| {
            let reached = self.distances.get(from, to as VertexId) != W::Distance::UNREACHED;
            hop == H::NONE && reached && from as usize != to
        };
        let some_left = hops
            .par_chunks(n.max(1))
            .zip(0..n as VertexId)
            .any(|(row, from)| row.iter().enumerate().any(|(to, &hop)| is_left(from, to, hop)));
        if !some_left {
            return Ok(());
        }
        let mut left = self.bits(hops, is_left);
        let mut last =
            self.bits(hops, |from, to, hop| from as usize == to || (!by_levels && hop != H::NONE));
        let mut placed = vec![0; last.len()];
        let mut n_left = count(&left);
        let n_all = n_left;
        while n_left > 0 {
            tell(progress, (n_all - n_left) as usize, n_all as usize)?;
            let rows = hops.par_chunks_mut(n).zip(left.par_chunks_mut(self.n_words));
            let rows = rows.zip(placed.par_chunks_mut(self.n_words)).zip(0..n as VertexId);
            rows.for_each(|(((hops, left), placed), from)| {
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

    /// The pairs of which `is` holds.
    fn bits<H: Hop>(&self, hops: &[H], is: impl Fn(VertexId, usize, H) -> bool + Sync) -> Bits {
        let n = self.arcs.n_vertices();
        let mut bits = vec![0u64; n * self.n_words];
        let rows = bits.par_chunks_mut(self.n_words).zip(hops.par_chunks(n));
        rows.zip(0..n as VertexId).for_each(|((bits, hops), from)| {
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
            let last = &last[hop as usize * self.n_words..][..self.n_words];
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
        next_hops(&graph, true, &Padded(cells), &mut hops, None).unwrap();
        let none = u32::MAX;
        let expected = [none, 1, 2, 2, none, none, 2, 2, none, 1, none, 3, none, none, none, none];
        assert_eq!(hops, expected);
    }
}
