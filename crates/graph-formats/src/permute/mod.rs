//! Orders of edges and of vertices that caches like, each a bijection that carries
//! values along and results back.
//!
//! [`SegmentOrder`] moves the arcs of a [`Coo`](crate::Coo) and leaves vertices their
//! numbers; [`Relabelling`] gives the vertices of a [`Csr`](crate::Csr) new numbers.

mod relabel;
mod segments;

pub use relabel::Relabelling;
pub use segments::SegmentOrder;

use crate::GraphError;

/// That `values` has one entry for each of the `expected` things permuted.
fn check_length(what: &'static str, expected: usize, found: usize) -> Result<(), GraphError> {
    if found != expected {
        return Err(GraphError::LengthMismatch { what, expected, found });
    }
    Ok(())
}
