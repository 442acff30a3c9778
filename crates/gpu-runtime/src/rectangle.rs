//! Some columns of some rows among the elements of an array.

/// Rows in an array, each of which begins `stride` elements after the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// The first element of the first row.
    pub first: usize,
    /// The number of rows.
    pub n_rows: usize,
    /// The number of elements of each row.
    pub n_columns: usize,
    /// Elements from the start of a row to the start of the next.
    pub stride: usize,
}
