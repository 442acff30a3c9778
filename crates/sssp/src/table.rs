//! A table of distances between many sources and many targets, to be filled.

use graph_formats::VertexId;
use paths::Progress;

/// The rows and columns of a table, and its cells.
pub(crate) struct Table<'a, D> {
    /// A row each.
    pub(crate) sources: &'a [VertexId],
    /// A column each.
    pub(crate) targets: &'a [VertexId],
    /// Row by row, at least one cell.
    pub(crate) cells: &'a mut [D],
    /// Gets the number of rows done, and of all.
    pub(crate) progress: Option<Progress<'a>>,
}
