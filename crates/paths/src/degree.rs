//! How many edges of a spanning tree are at one vertex.

/// How many edges of a spanning tree are to be at its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Degree {
    /// So many.
    Exactly(usize),
    /// So many or fewer.
    AtMost(usize),
}
