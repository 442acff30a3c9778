//! Cache-friendly orders of edges and of vertices. Each is a bijection that carries values to the
//! new order and results back.
//!
//! [`SegmentOrder`] moves the arcs of a [`Coo`](crate::Coo) and keeps the numbers of vertices;
//! [`Relabelling`] gives the vertices of a [`Csr`](crate::Csr) new numbers.

mod relabel;
mod segments;

pub use relabel::Relabelling;
pub use segments::SegmentOrder;

use crate::GraphError;

/// Checks that there is one value for each of the `expected` elements.
fn check_length(what: &'static str, expected: usize, found: usize) -> Result<(), GraphError> {
    if found != expected {
        return Err(GraphError::LengthMismatch { what, expected, found });
    }
    Ok(())
}
