//! A table that a GPU is to fill.

use graph_formats::VertexId;
use paths::Progress;

/// A row of `targets`, of which there is one at least, for each of `sources`.
pub(super) struct Table<'a, D> {
    pub(super) sources: &'a [VertexId],
    pub(super) targets: &'a [VertexId],
    /// Hears how many rows are done.
    pub(super) progress: Option<Progress<'a>>,
    /// Row by row.
    pub(super) cells: &'a mut [D],
}
