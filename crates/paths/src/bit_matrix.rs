//! Square matrices of bits, stored by lines, for the closure by operations on words.

use graph_formats::{Csr, Weight, ensure_granted};
use rayon::prelude::*;

use crate::Closure;
use crate::closure::WORD;

/// n lines of n bits, each in whole words: bit p of a line is bit p % 64 of its word p / 64. Bits
/// of a line beyond the n-th are ignored.
///
/// ```
/// use graph_formats::Csr;
/// use paths::BitMatrix;
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 1u32), (2, 0, 1)])?;
/// let mut matrix = BitMatrix::of(&graph).expect("a line is one word");
/// assert_eq!(matrix.lines_mut(), [0b010, 0b000, 0b001]);
/// let reversed = matrix.transposed().expect("as large").into_closure();
/// assert!(reversed.reaches(1, 0) && reversed.reaches(0, 2));
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BitMatrix {
    n: usize,
    /// Words from a line to the next, at least ⌈n / 64⌉.
    stride: usize,
    words: Vec<u64>,
}

impl BitMatrix {
    /// A matrix of zeros, in lines of ⌈n / 64⌉ words; `None` if it does not fit the memory.
    pub fn zeros(n: usize) -> Option<Self> {
        let stride = n.div_ceil(WORD);
        // `vec!` would end the program if memory is refused
        let bytes = |len: usize| len.checked_mul(size_of::<u64>());
        let fits = n
            .checked_mul(stride)
            .filter(|&len| bytes(len).is_some_and(|bytes| ensure_granted(bytes).is_ok()));
        fits.map(|len| Self { n, stride, words: vec![0; len] })
    }

    /// The adjacency matrix: line u has a one for every head of an arc out of u. `None` if it does
    /// not fit the memory. O(n² / 64 + m), on all threads of the current rayon pool.
    pub fn of<W: Weight>(graph: &Csr<W>) -> Option<Self> {
        let mut matrix = Self::zeros(graph.n_vertices())?;
        let lines = matrix.words.par_chunks_exact_mut(matrix.stride.max(1));
        lines.zip(0..matrix.n as u32).for_each(|(line, u)| {
            for &v in &graph.column_indices()[graph.row(u)] {
                line[v as usize / WORD] |= 1 << (v as usize % WORD);
            }
        });
        Some(matrix)
    }

    /// n lines that begin `stride` words apart; `None` unless a line has room for n bits, and
    /// `words` has n · `stride` words.
    pub fn from_words(n: usize, stride: usize, words: Vec<u64>) -> Option<Self> {
        let fits = stride >= n.div_ceil(WORD) && n.checked_mul(stride) == Some(words.len());
        fits.then_some(Self { n, stride, words })
    }

    /// How many lines there are, and bits in each.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Words from a line to the next.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The words, line after line.
    pub fn lines_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// The words, line after line.
    pub fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// The transposed matrix; `None` if both do not fit the memory. O(n² / 10), by squares of 64
    /// bits, on all threads of the current rayon pool.
    pub fn transposed(&self) -> Option<Self> {
        let mut result = Self::zeros(self.n)?;
        let stride = result.stride;
        let bands = result.words.par_chunks_mut((WORD * stride).max(1)).enumerate();
        bands.for_each(|(from, band)| {
            for to in 0..stride {
                let lines = self.words.chunks_exact(self.stride).skip(to * WORD).take(WORD);
                let mut square = [0; WORD];
                square.iter_mut().zip(lines).for_each(|(word, line)| *word = line[from]);
                transpose(&mut square);
                let lines = band.chunks_exact_mut(stride).zip(square);
                lines.for_each(|(line, word)| line[to] = word);
            }
        });
        Some(result)
    }

    /// The closure in which u reaches the ones of line u. In place, O(n); O(n² / 64) if lines have
    /// more words than they need.
    pub fn into_closure(mut self) -> Closure {
        let (width, used) = (self.n.div_ceil(WORD), self.n % WORD);
        for line in 0..self.n {
            if width < self.stride {
                let from = line * self.stride;
                self.words.copy_within(from..from + width, line * width);
            }
            if used > 0 {
                self.words[line * width + width - 1] &= (1 << used) - 1;
            }
        }
        self.words.truncate(self.n * width);
        Closure::from_storage(self.n, self.words).expect("no ones beyond the bits of a line")
    }
}

/// Exchanges bit j of word i and bit i of word j, for halves of the square, halves of these,
/// and so on.
pub(crate) fn transpose(square: &mut [u64; WORD]) {
    let (mut half, mut low) = (WORD / 2, u64::MAX >> (WORD / 2));
    while half > 0 {
        for i in (0..WORD).filter(|i| i & half == 0) {
            let exchanged = (square[i] >> half ^ square[i + half]) & low;
            square[i] ^= exchanged << half;
            square[i + half] ^= exchanged;
        }
        half /= 2;
        low ^= low << half;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_exchanges_rows_and_columns_at_every_size() {
        for n in (0..=70).chain([127, 128, 129]) {
            let arcs: Vec<_> =
                (0..n).flat_map(|u| [(u, u * 7 % n, 1u32), (u, (u * u + 3) % n, 1)]).collect();
            let graph = Csr::from_arcs(n as usize, &arcs).unwrap();
            let matrix = BitMatrix::of(&graph).unwrap();
            let reversed = BitMatrix::of(&graph.transposed()).unwrap().into_closure();
            assert!(matrix.transposed().unwrap().into_closure() == reversed);
            let closure = matrix.clone().into_closure();
            assert!(arcs.iter().all(|&(u, v, _)| closure.reaches(u, v)));
            // the same in lines that are farther apart, with ones beyond their bits
            let (stride, mut words) = (matrix.stride(), Vec::new());
            for line in matrix.into_words().chunks_exact(stride.max(1)) {
                words.extend(line.iter().chain(&[u64::MAX; 2]));
                if n % 64 > 0 {
                    let last = words.len() - 3;
                    words[last] |= u64::MAX << (n % 64);
                }
            }
            let wide = BitMatrix::from_words(n as usize, stride + 2, words).unwrap();
            assert!(wide.transposed().unwrap().into_closure() == reversed);
            assert!(wide.into_closure() == closure);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(BitMatrix::zeros(1 << 40).is_none());
        assert!(BitMatrix::from_words(65, 1, vec![0; 65]).is_none());
        assert!(BitMatrix::from_words(65, 2, vec![0; 129]).is_none());
        assert!(BitMatrix::from_words(usize::MAX, usize::MAX, vec![0]).is_none());
        assert!(BitMatrix::from_words(0, 2, Vec::new()).is_some());
    }
}
