//! Square matrices of bits, line by line: what the bit engines of closure work on.

use graph_formats::{Csr, Weight};
use paths::Closure;
use rayon::prelude::*;

use crate::StarError;

/// Bits of a word.
pub(crate) const WORD: usize = u64::BITS as usize;

/// n lines of n bits, each in whole words: bit p of a line is bit p % 64 of its word p / 64.
/// There are no ones beyond the n-th bit of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BitMatrix {
    pub(crate) n: usize,
    /// Words from a line to the next, at least ⌈n / 64⌉.
    pub(crate) stride: usize,
    pub(crate) words: Vec<u64>,
}

impl BitMatrix {
    /// Zeros, in lines of ⌈n / 64⌉ words.
    ///
    /// # Errors
    /// [`StarError::TooLarge`] where memory cannot hold it.
    pub(crate) fn zeros(n: usize) -> Result<Self, StarError> {
        let stride = n.div_ceil(WORD);
        let too_large = StarError::TooLarge { what: "a closure", rows: n, columns: n };
        let fits = n.checked_mul(stride).filter(|&len| {
            // a vector of zeros would end the program where there is no memory
            Vec::<u64>::new().try_reserve_exact(len).is_ok()
        });
        fits.map(|len| Self { n, stride, words: vec![0; len] }).ok_or(too_large)
    }

    /// Line u has a one for every head of an arc out of u. O(n² / 64 + m), on all threads of
    /// the current rayon pool.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    pub(crate) fn of<W: Weight>(graph: &Csr<W>) -> Result<Self, StarError> {
        let mut matrix = Self::zeros(graph.n_vertices())?;
        let lines = matrix.words.par_chunks_exact_mut(matrix.stride.max(1));
        lines.zip(0..matrix.n as u32).for_each(|(line, u)| {
            for &v in &graph.column_indices()[graph.row(u)] {
                line[v as usize / WORD] |= 1 << (v as usize % WORD);
            }
        });
        Ok(matrix)
    }

    /// Line v has bit u where line u had bit v. O(n² / 10), by squares of 64 bits.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    pub(crate) fn transposed(&self) -> Result<Self, StarError> {
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
        Ok(result)
    }

    /// Line u as the vertices that u reaches.
    pub(crate) fn into_closure(mut self) -> Closure {
        let width = self.n.div_ceil(WORD);
        if width < self.stride {
            for line in 1..self.n {
                let from = line * self.stride;
                self.words.copy_within(from..from + width, line * width);
            }
        }
        self.words.truncate(self.n * width);
        Closure::from_storage(self.n, self.words).expect("no ones beyond the bits of a line")
    }
}

/// Exchanges bit j of word i and bit i of word j, for halves of the square, halves of these,
/// and so on.
fn transpose(square: &mut [u64; WORD]) {
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
            assert_eq!(matrix.transposed().unwrap(), BitMatrix::of(&graph.transposed()).unwrap());
            let closure = matrix.clone().into_closure();
            assert!(arcs.iter().all(|&(u, v, _)| closure.reaches(u, v)));
            // the same in lines that are farther apart
            let mut wide = BitMatrix { stride: matrix.stride + 2, words: Vec::new(), ..matrix };
            for line in matrix.words.chunks_exact(matrix.stride.max(1)) {
                wide.words.extend(line.iter().chain(&[0, 0]));
            }
            assert!(wide.into_closure() == closure);
        }
    }

    #[test]
    fn what_memory_cannot_hold_is_refused() {
        assert!(matches!(BitMatrix::zeros(1 << 40), Err(StarError::TooLarge { .. })));
    }
}
