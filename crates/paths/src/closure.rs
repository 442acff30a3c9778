//! Which vertices reach which: one bit per pair.

use graph_formats::VertexId;
use rayon::prelude::*;

use crate::bit_matrix::transpose;

/// Bits of a word of storage.
pub(crate) const WORD: usize = u64::BITS as usize;
/// Squares of 64 bits that one task counts the columns of: the words of some cache lines.
const SQUARES_PER_TASK: usize = 32;

/// The transitive closure of a graph: the pairs (u, v) with a path of at least one arc
/// from u to v. A vertex reaches itself only along a cycle.
///
/// Takes n² / 8 bytes.
///
/// ```
/// use graph_formats::Csr;
/// use paths::oracle;
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 1u32), (1, 2, 1), (2, 1, 1)])?;
/// let closure = oracle::closure(&graph);
/// assert!(closure.reaches(0, 2) && closure.reaches(1, 1));
/// assert!(!closure.reaches(0, 0) && !closure.reaches(2, 0));
/// assert_eq!(closure.n_pairs(), 6);
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closure {
    n_vertices: usize,
    /// Rows of whole words; bit v % 64 of word v / 64 of row u is the pair (u, v).
    words: Vec<u64>,
}

impl Closure {
    /// The relation of `n_vertices` vertices without any pair.
    pub fn without_pairs(n_vertices: usize) -> Self {
        Self { n_vertices, words: vec![0; n_vertices * n_vertices.div_ceil(WORD)] }
    }

    /// A relation as solvers store it: rows of whole words, where bit v % 64 of word v / 64
    /// of row u is the pair (u, v). `None` unless there are n rows of ⌈n / 64⌉ words without
    /// a bit beyond the vertices.
    pub fn from_storage(n_vertices: usize, words: Vec<u64>) -> Option<Self> {
        let row = n_vertices.div_ceil(WORD);
        let used = n_vertices % WORD;
        let is_clean = |row: &[u64]| used == 0 || row.last().is_none_or(|last| last >> used == 0);
        let fits =
            words.len() == n_vertices.checked_mul(row)? && words.chunks(row.max(1)).all(is_clean);
        fits.then_some(Self { n_vertices, words })
    }

    /// Adds the pair (u, v).
    ///
    /// # Panics
    /// When there is no vertex `u` or `v`.
    pub fn insert(&mut self, u: VertexId, v: VertexId) {
        assert!((v as usize) < self.n_vertices, "no vertex {v} among {}", self.n_vertices);
        let place = self.word_of(u, v);
        self.words[place] |= 1 << (v as usize % WORD);
    }

    /// Makes it a relation of this many vertices: new ones are in no pair, and those with the greatest
    /// numbers leave with their pairs. O(n² / 64), and the memory of the larger relation.
    ///
    /// ```
    /// use paths::Closure;
    ///
    /// let mut closure = Closure::without_pairs(64);
    /// closure.insert(1, 63);
    /// closure.resize(65);
    /// assert!(closure.reaches(1, 63) && !closure.reaches(1, 64));
    /// closure.resize(63);
    /// assert_eq!(closure, Closure::without_pairs(63));
    /// ```
    pub fn resize(&mut self, n_vertices: usize) {
        let (before, now) = (self.n_vertices.div_ceil(WORD), n_vertices.div_ceil(WORD));
        let n_words = n_vertices * now;
        if n_vertices > self.n_vertices {
            self.words.reserve_exact(n_words - self.words.len());
            self.words.resize(n_words, 0);
            for row in (0..self.n_vertices).rev().filter(|_| before < now) {
                self.words.copy_within(row * before..(row + 1) * before, row * now);
                self.words[row * now + before..(row + 1) * now].fill(0);
            }
        } else if n_vertices < self.n_vertices {
            let used = n_vertices % WORD;
            for row in 0..n_vertices {
                self.words.copy_within(row * before..row * before + now, row * now);
                if used > 0 {
                    self.words[(row + 1) * now - 1] &= (1 << used) - 1;
                }
            }
            self.words.truncate(n_words);
        }
        self.n_vertices = n_vertices;
    }

    /// How many vertices the graph has.
    pub fn n_vertices(&self) -> usize {
        self.n_vertices
    }

    /// Whether a path of at least one arc leads from `u` to `v`; false for vertices that
    /// do not exist.
    pub fn reaches(&self, u: VertexId, v: VertexId) -> bool {
        let exist = (u.max(v) as usize) < self.n_vertices;
        exist && self.words[self.word_of(u, v)] >> (v as usize % WORD) & 1 == 1
    }

    /// The vertices that paths of at least one arc lead to from `u`, ascending; none for a
    /// vertex that does not exist. O(n / 64 + vertices).
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use paths::oracle;
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 1u32), (1, 2, 1), (2, 1, 1)])?;
    /// assert_eq!(oracle::closure(&graph).reached_from(0).collect::<Vec<_>>(), [1, 2]);
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    pub fn reached_from(&self, u: VertexId) -> impl Iterator<Item = VertexId> + '_ {
        let row = self.n_vertices.div_ceil(WORD);
        let words = self.words.get(u as usize * row..).unwrap_or_default();
        words.iter().take(row).zip((0..).step_by(WORD)).flat_map(|(&word, first)| {
            let rest = |word: &u64| Some(word & (word - 1)).filter(|&rest| rest != 0);
            let bits = std::iter::successors(Some(word).filter(|&word| word != 0), rest);
            bits.map(move |word| first + word.trailing_zeros())
        })
    }

    /// How many vertices are reached from each, and how many reach it. O(n² / 10), on all
    /// threads of the current rayon pool.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use paths::oracle;
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 1u32), (1, 2, 1), (2, 1, 1)])?;
    /// assert_eq!(oracle::closure(&graph).counts(), [(2, 0), (2, 3), (2, 3)]);
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    pub fn counts(&self) -> Vec<(VertexId, VertexId)> {
        let width = self.n_vertices.div_ceil(WORD).max(1);
        let rows = self.words.par_chunks_exact(width);
        let reached = rows.map(|row| row.iter().map(|word| word.count_ones()).sum());
        let mut counts: Vec<_> = reached.map(|reached| (reached, 0)).collect();
        // a square of 64 rows, transposed, has the ones of each column in a word; the squares of
        // a task are side by side, for their words share cache lines
        counts.par_chunks_mut(WORD * SQUARES_PER_TASK).enumerate().for_each(|(task, counts)| {
            for band in self.words.chunks(WORD * width) {
                for (beside, counts) in counts.chunks_mut(WORD).enumerate() {
                    let mut square = [0; WORD];
                    let rows = square.iter_mut().zip(band.chunks_exact(width));
                    rows.for_each(|(word, row)| *word = row[task * SQUARES_PER_TASK + beside]);
                    transpose(&mut square);
                    let reaching = counts.iter_mut().zip(square);
                    reaching.for_each(|((_, reaching), word)| *reaching += word.count_ones());
                }
            }
        });
        counts
    }

    /// The bits, as [`from_storage`](Self::from_storage) takes them.
    pub fn as_storage(&self) -> &[u64] {
        &self.words
    }

    /// The bits, to be changed. Those beyond the vertices must stay zero.
    pub fn as_storage_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// How many ordered pairs are joined. O(n² / 64).
    pub fn n_pairs(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn word_of(&self, u: VertexId, v: VertexId) -> usize {
        u as usize * self.n_vertices.div_ceil(WORD) + v as usize / WORD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_vertices_that_stay_are_kept() {
        let of = |n: VertexId, is_kept: &dyn Fn(VertexId) -> bool| {
            let mut closure = Closure::without_pairs(n as usize);
            let pairs = (0..200).flat_map(|u| [(u, u * 7 % 200), (u * u % 200, u)]);
            let kept = pairs.filter(|&(u, v)| is_kept(u) && is_kept(v));
            kept.for_each(|(u, v)| closure.insert(u, v));
            closure
        };
        let sizes = [0, 1, 63, 64, 65, 127, 128, 129, 200];
        for (before, now) in sizes.into_iter().flat_map(|n| sizes.map(|other| (n, other))) {
            let mut closure = of(before, &|vertex| vertex < before);
            closure.resize(now as usize);
            assert_eq!(closure, of(now, &|vertex| vertex < before.min(now)));
        }
    }
}
