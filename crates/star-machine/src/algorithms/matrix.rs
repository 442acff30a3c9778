//! Graphs as matrices of weights, in tables.

use graph_formats::VertexId;

use super::{Edge, Value, bits, vertex};
use crate::{StarError, Table};

/// A field for each vertex, with a row for each vertex: the weight of the arc between them, all
/// ones where there is none. Of parallel arcs the lightest counts.
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
    least: i64,
    table: Table,
}

impl WeightMatrix {
    /// Row v of field u is the arc from u to v: `OUT`. Weights have enough bits for the length of
    /// every path, and for a greater number.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`] for a vertex that is not there, [`StarError::Negative`] for a
    /// negative weight, [`StarError::TooHeavy`] and [`StarError::TooLarge`] where the weights or the
    /// table do not fit.
    pub fn leaving(n_vertices: usize, arcs: &[Edge]) -> Result<Self, StarError> {
        Self::new(n_vertices, arcs.iter().copied())
    }

    /// Row u of field v is the arc from u to v: `IN`.
    ///
    /// # Errors
    /// As [`leaving`](Self::leaving).
    pub fn entering(n_vertices: usize, arcs: &[Edge]) -> Result<Self, StarError> {
        Self::new(n_vertices, arcs.iter().map(|&(u, v, w)| (v, u, w)))
    }

    /// Each edge in both directions. Weights have enough bits for each of them, and for a greater
    /// number; where some are negative, the least has the code 0, as in an
    /// [`EdgeList`](super::EdgeList).
    ///
    /// # Errors
    /// As [`SignedMatrix::leaving`].
    pub fn symmetric(n_vertices: usize, edges: &[Edge]) -> Result<Self, StarError> {
        let n = n_vertices;
        edges.iter().try_for_each(|&(u, v, _)| ends(n, u, v))?;
        let least = edges.iter().map(|edge| edge.2).min().unwrap_or(0).min(0);
        let codes = edges.iter().map(|&(u, v, w)| (u, v, w.abs_diff(least)));
        let greatest = codes.clone().map(|edge| edge.2).max().unwrap_or(0);
        let bits = field_bits(u128::from(greatest) + 1)?;
        let turned = codes.clone().map(|(u, v, code)| (v, u, code));
        let table = fields(n, bits, codes.chain(turned))?;
        Ok(Self { n_vertices, bits, least, table })
    }

    fn new(n: usize, arcs: impl Iterator<Item = Edge> + Clone) -> Result<Self, StarError> {
        let mut greatest = 0;
        for (u, v, w) in arcs.clone() {
            ends(n, u, v)?;
            let w = u64::try_from(w).map_err(|_| StarError::Negative { weight: w })?;
            greatest = greatest.max(w);
        }
        let longest = u128::from(greatest) * n.saturating_sub(1) as u128;
        let bits = field_bits(longest + 1)?;
        let table = fields(n, bits, arcs.map(|(u, v, w)| (u, v, w as u64)))?;
        Ok(Self { n_vertices: n, bits, least: 0, table })
    }

    /// Vertices.
    pub fn n_vertices(&self) -> usize {
        self.n_vertices
    }

    /// Bits of a weight, and of a distance.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The weight whose code is 0.
    pub fn least(&self) -> i64 {
        self.least
    }

    /// The table.
    pub fn value(&self) -> Value {
        Value::Table(self.table.clone())
    }
}

/// The same with weights that may be negative, in two's complement, with 0111…1 where there is no
/// arc.
///
/// ```
/// use star_machine::algorithms::SignedMatrix;
///
/// let matrix = SignedMatrix::leaving(3, &[(0, 1, -3), (1, 2, 4)])?;
/// // three arcs of weight 4 are less than the code of no path; negative sums fit as well
/// assert_eq!((matrix.bits(), matrix.number(0b11101)), (5, -3));
/// # Ok::<(), star_machine::StarError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedMatrix {
    n_vertices: usize,
    bits: usize,
    table: Table,
}

impl SignedMatrix {
    /// Row v of field u is the arc from u to v. Weights have enough bits for the sum of as many of
    /// them as there are vertices, and for a greater number.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`] for a vertex that is not there, [`StarError::TooHeavy`] and
    /// [`StarError::TooLarge`] where the weights or the table do not fit.
    pub fn leaving(n_vertices: usize, arcs: &[Edge]) -> Result<Self, StarError> {
        Self::new(n_vertices, arcs.iter().copied(), n_vertices)
    }

    /// Row u of field v is the arc from u to v. Weights have enough bits for the sum of twice as
    /// many of them as there are vertices, and for a greater number.
    ///
    /// # Errors
    /// As [`leaving`](Self::leaving).
    pub fn entering(n_vertices: usize, arcs: &[Edge]) -> Result<Self, StarError> {
        let turned = arcs.iter().map(|&(u, v, w)| (v, u, w));
        Self::new(n_vertices, turned, n_vertices.saturating_mul(2))
    }

    /// A matrix with enough bits for the sum of `n_weights` weights.
    fn new(
        n: usize,
        arcs: impl Iterator<Item = Edge> + Clone,
        n_weights: usize,
    ) -> Result<Self, StarError> {
        arcs.clone().try_for_each(|(u, v, _)| ends(n, u, v))?;
        let greatest = arcs.clone().map(|arc| arc.2.unsigned_abs()).max().unwrap_or(0);
        let sum = u128::from(greatest) * n_weights as u128;
        // one bit more, for the sign
        let bits = field_bits(2 * (sum + 1) + 1)?;
        // differences from the least number are in order; flipping the sign bit gives the code
        let least = 1 << (bits - 1);
        let codes = arcs.map(|(u, v, w)| (u, v, (w as u64).wrapping_add(least)));
        let mut table = fields(n, bits, codes)?;
        for field in 0..n {
            let mut signs = table.col(field * bits)?;
            signs.not_assign();
            table.set_col(field * bits, &signs)?;
        }
        Ok(Self { n_vertices: n, bits, table })
    }

    /// Vertices.
    pub fn n_vertices(&self) -> usize {
        self.n_vertices
    }

    /// Bits of a weight, and of a distance.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The number with this code.
    pub fn number(&self, code: u64) -> i64 {
        let rest = u64::BITS as usize - self.bits;
        (code << rest) as i64 >> rest
    }

    /// The table.
    pub fn value(&self) -> Value {
        Value::Table(self.table.clone())
    }
}

/// An error where an end of an arc is not a vertex.
pub(super) fn ends(n: usize, u: VertexId, v: VertexId) -> Result<(), StarError> {
    vertex(u, n).and_then(|_| vertex(v, n)).map(drop)
}

/// Bits for the numbers up to this one.
pub(super) fn field_bits(greatest: u128) -> Result<usize, StarError> {
    let too_heavy = |_| StarError::TooHeavy { bits: 128 - greatest.leading_zeros() as usize };
    u64::try_from(greatest).map(bits).map_err(too_heavy)
}

/// A table of fields. Each row of a field holds the least of the codes given for it, all ones where
/// there is none.
pub(super) fn fields(
    n: usize,
    bits: usize,
    codes: impl Iterator<Item = (VertexId, VertexId, u64)>,
) -> Result<Table, StarError> {
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
    for (field, row, code) in codes {
        let (field, row) = (field as usize, row as usize);
        if code >= read(words, field, row) {
            continue;
        }
        for (place, j) in (field * bits..(field + 1) * bits).rev().enumerate() {
            let word = &mut words[j * stride + row / 64];
            *word = *word & !(1 << (row % 64)) | (code >> place & 1) << (row % 64);
        }
    }
    Ok(table)
}
