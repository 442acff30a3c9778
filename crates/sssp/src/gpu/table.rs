//! A table for a GPU to fill.

use graph_formats::VertexId;
use paths::Progress;

/// A row of `targets`, of which there is at least one, for each of `sources`.
pub(super) struct Table<'a, D> {
    pub(super) sources: &'a [VertexId],
    pub(super) targets: &'a [VertexId],
    /// Called with the number of rows that are done.
    pub(super) progress: Option<Progress<'a>>,
    /// The distances, row by row.
    pub(super) cells: &'a mut [D],
}
