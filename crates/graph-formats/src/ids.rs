//! How a file names its vertices, and how those names map to 0 … n − 1.

use crate::VertexId;

/// The names that a file gives to the vertices 0 … n − 1.
///
/// ```
/// use graph_formats::Ids;
///
/// let ids = Ids::Listed(vec![10, 700, 8_419_602]);
/// assert_eq!(ids.vertex(700, 3), Some(1));
/// assert_eq!(ids.name(2), 8_419_602);
/// assert_eq!(Ids::FromOne.vertex(1, 3), Some(0));
/// assert_eq!(Ids::FromOne.vertex(4, 3), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Ids {
    /// Vertex `v` is written as `v`.
    #[default]
    FromZero,
    /// Vertex `v` is written as `v + 1`, as DIMACS, Matrix Market and METIS do.
    FromOne,
    /// Vertex `v` is written as the `v`-th entry; the list ascends strictly.
    Listed(Vec<u64>),
}

impl Ids {
    /// What the file calls `vertex`. O(1).
    ///
    /// # Panics
    /// Never for a vertex of the graph that these ids came with.
    pub fn name(&self, vertex: VertexId) -> u64 {
        match self {
            Self::FromZero => u64::from(vertex),
            Self::FromOne => u64::from(vertex) + 1,
            Self::Listed(names) => names[vertex as usize],
        }
    }

    /// The vertex that the file calls `name`, in a graph of `n_vertices`; `None` when
    /// there is none. O(1), or O(log n) for listed names.
    pub fn vertex(&self, name: u64, n_vertices: usize) -> Option<VertexId> {
        let index = match self {
            Self::FromZero => name,
            Self::FromOne => name.checked_sub(1)?,
            Self::Listed(names) => names.binary_search(&name).ok()? as u64,
        };
        VertexId::try_from(index).ok().filter(|_| index < n_vertices as u64)
    }
}
