//! Graphs as lists of edges, in tables.

use graph_formats::VertexId;

use super::{Edge, Value, bits, vertex};
use crate::{Slice, StarError, Table};

/// Edges, or arcs, as rows: the codes of their ends, and their weights.
///
/// Where some weights are negative, the least has the code 0, and the code of every other is its
/// difference from it: sums of equally many weights compare as the sums of their codes do.
///
/// ```
/// use star_machine::algorithms::EdgeList;
///
/// let edges = EdgeList::new(4, &[(0, 1, -3), (3, 2, 4)])?;
/// assert_eq!((edges.code_bits(), edges.weight_bits(), edges.least()), (2, 3, -3));
/// # Ok::<(), star_machine::StarError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeList {
    n_vertices: usize,
    ends: [Table; 2],
    weights: Table,
    least: i64,
}

impl EdgeList {
    /// The list of these edges of a graph with `n_vertices` vertices. O(m (log n + h)) for weights
    /// of h bits.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`] for a vertex that is not there, [`StarError::TooLarge`] where the
    /// list does not fit.
    pub fn new(n_vertices: usize, edges: &[Edge]) -> Result<Self, StarError> {
        Self::with_codes(n_vertices, edges, n_vertices)
    }

    /// As [`new`](Self::new), with codes for `n_codes` vertices, of which the graph's are the
    /// first.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_codes(
        n_vertices: usize,
        edges: &[Edge],
        n_codes: usize,
    ) -> Result<Self, StarError> {
        let least = edges.iter().map(|edge| edge.2).min().unwrap_or(0).min(0);
        let code = |v: VertexId| vertex(v, n_vertices).map(u64::from);
        // the difference of two signed 64-bit numbers fits into 64 bits without a sign
        let weights: Vec<_> = edges.iter().map(|edge| edge.2.abs_diff(least)).collect();
        let greatest = weights.iter().copied().max().unwrap_or(0);
        let column = |of: fn(&Edge) -> VertexId| {
            let codes = edges.iter().map(|edge| code(of(edge))).collect::<Result<Vec<_>, _>>()?;
            Table::from_values(&codes, bits(n_codes.saturating_sub(1) as u64))
        };
        Ok(Self {
            n_vertices,
            ends: [column(|edge| edge.0)?, column(|edge| edge.1)?],
            weights: Table::from_values(&weights, bits(greatest))?,
            least,
        })
    }

    /// Vertices.
    pub fn n_vertices(&self) -> usize {
        self.n_vertices
    }

    /// Edges.
    pub fn n_edges(&self) -> usize {
        self.weights.rows()
    }

    /// Bits of the code of a vertex.
    pub fn code_bits(&self) -> usize {
        self.ends[0].columns()
    }

    /// Bits of the code of a weight.
    pub fn weight_bits(&self) -> usize {
        self.weights.columns()
    }

    /// The weight whose code is 0.
    pub fn least(&self) -> i64 {
        self.least
    }

    /// The arguments `L`, `R`, `W` and `X`, which marks all edges.
    ///
    /// # Errors
    /// Where there is no memory.
    pub fn values(&self) -> Result<[Value; 4], StarError> {
        let [tails, heads] = self.ends.clone().map(Value::Table);
        let marks = Slice::ones(self.n_edges())?;
        Ok([tails, heads, Value::Table(self.weights.clone()), Value::Slice(marks)])
    }

    /// `Z`: no edge.
    pub(super) fn none(&self) -> Result<Value, StarError> {
        Slice::zeros(self.n_edges()).map(Value::Slice)
    }
}
