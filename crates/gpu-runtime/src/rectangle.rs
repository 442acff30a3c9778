//! Some columns of some rows among the elements of an array.

/// Where rows lie in an array that each begin `stride` elements after the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// The first element of the first row.
    pub first: usize,
    /// How many rows,
    pub n_rows: usize,
    /// and elements of each.
    pub n_columns: usize,
    /// Elements from row to row.
    pub stride: usize,
}
