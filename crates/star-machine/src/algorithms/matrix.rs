//! Graphs as matrices of weights, in tables.

use graph_formats::VertexId;

use super::{Value, bits};
use crate::{StarError, Table};

/// A field for each vertex, with a row for each other: what the arc between them weighs, all ones
/// where there is none. Of parallel arcs the lightest counts.
///
/// ```
/// use star_machine::algorithms::WeightMatrix;
///
/// let matrix = WeightMatrix::leaving(3, &[(0, 1, 3), (1, 2, 4), (0, 1, 2)])?;
/// // a path of two arcs of 4 weighs less than no path
/// assert_eq!(matrix.bits(), 4);
/// # Ok::<(), star_machine::StarError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightMatrix {
    n_vertices: usize,
    bits: usize,
    table: Table,
}

impl WeightMatrix {
    /// Row v of field u is the arc from u to v: `OUT`. Weights have bits enough for the length of
    /// every path, and for a number that is greater.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`] for a vertex that is not there, [`StarError::Negative`] for a
    /// negative weight, [`StarError::TooLarge`] where the table does not fit.
    pub fn leaving(
        n_vertices: usize,
        arcs: &[(VertexId, VertexId, i64)],
    ) -> Result<Self, StarError> {
        Self::new(n_vertices, arcs.iter().copied())
    }

    /// Row u of field v is the arc from u to v: `IN`.
    ///
    /// # Errors
    /// As [`leaving`](Self::leaving).
    pub fn entering(
        n_vertices: usize,
        arcs: &[(VertexId, VertexId, i64)],
    ) -> Result<Self, StarError> {
        Self::new(n_vertices, arcs.iter().map(|&(u, v, w)| (v, u, w)))
    }

    fn new(
        n: usize,
        arcs: impl Iterator<Item = (VertexId, VertexId, i64)> + Clone,
    ) -> Result<Self, StarError> {
        let mut greatest = 0;
        for (u, v, w) in arcs.clone() {
            if let Some(index) = [u as usize, v as usize].into_iter().find(|&v| v >= n) {
                return Err(StarError::OutOfRange { what: "vertex", index, len: n });
            }
            let w = u64::try_from(w).map_err(|_| StarError::Negative { weight: w })?;
            greatest = greatest.max(w);
        }
        let longest = u128::from(greatest) * n.saturating_sub(1) as u128 + 1;
        let (rows, columns) = (n, n.saturating_mul(128 - longest.leading_zeros() as usize));
        let Ok(longest) = u64::try_from(longest) else {
            return Err(StarError::TooLarge { what: "a matrix of weights", rows, columns });
        };
        let bits = bits(longest);
        let mut table = Table::zeros(n, n.saturating_mul(bits))?;
        table.as_words_mut().fill(u64::MAX);
        let (stride, n_columns) = (table.stride(), table.columns());
        let words = table.as_words_mut();
        // beyond the rows there are zeros
        for column in 0..n_columns {
            words[(column + 1) * stride - 1] &= crate::values::tail(n);
        }
        let read = |words: &[u64], field: usize, row: usize| {
            (field * bits..(field + 1) * bits)
                .fold(0, |value, j| value << 1 | words[j * stride + row / 64] >> (row % 64) & 1)
        };
        for (field, row, weight) in arcs {
            let (field, row, weight) = (field as usize, row as usize, weight as u64);
            if weight >= read(words, field, row) {
                continue;
            }
            for (place, j) in (field * bits..(field + 1) * bits).rev().enumerate() {
                let word = &mut words[j * stride + row / 64];
                *word = *word & !(1 << (row % 64)) | (weight >> place & 1) << (row % 64);
            }
        }
        Ok(Self { n_vertices: n, bits, table })
    }

    /// Vertices.
    #[must_use]
    pub fn n_vertices(&self) -> usize {
        self.n_vertices
    }

    /// Bits of a weight, and of a distance.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The table.
    #[must_use]
    pub fn value(&self) -> Value {
        Value::Table(self.table.clone())
    }
}
