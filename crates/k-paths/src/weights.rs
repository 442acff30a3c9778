//! The function of this crate, compiled once for each weight type.
//!
//! As in `sssp`, the method of [`PathWeight`] has no type parameters. So its code is generated
//! here, for six weight types, and the crates above link to it.

use graph_formats::{Csr, Progress, VertexId, Weight};
use search_parts::SearchError;

use crate::spur::ToTarget;
use crate::yen::{Answer, Found, Question};

/// The `k` shortest simple paths from `source` to `target`, or all if there are fewer. They are
/// sorted by length, then by their vertices, compared one by one.
///
/// A simple path has no vertex twice. It is identified by its vertices: of parallel arcs it takes
/// the lightest. From a vertex to itself there is one path, without arcs. Lengths of floats are the
/// least sums; if different sums are rounded to the same length, the order is fixed, but not by
/// vertices.
///
/// `to_target` returns the distance of a vertex to `target`, or `None` if there is no path, or none
/// whose length the distance type holds. It is called for the vertices that the searches reach,
/// several times for each. Distances are the least sums, of floats in any order of additions. A
/// search may notice wrong distances, which is an error. Either the distance of an arc's tail
/// exceeds the arc's weight plus the distance of its head, or no path has the promised length.
/// Distances that are too small cost time, but change no path.
///
/// For paths of l arcs, O(k·l) rows of arcs and usually about k searches; at most O(k·l) searches
/// of O(m + n log n). O(n + k·l) memory. `progress` gets the number of paths found.
///
/// # Errors
/// Those of [`check`](crate::check()), and [`SearchError::Interrupted`] if `progress` ended the
/// work. [`SearchError::NoDistances`] when a search notices wrong distances.
/// [`SearchError::Overflow`] if one of the `k` paths has a length that its type cannot hold.
/// [`SearchError::NoMemory`] when the system refuses the memory.
pub fn k_shortest_paths<W: PathWeight>(
    graph: &Csr<W>,
    source: VertexId,
    target: VertexId,
    k: usize,
    mut to_target: impl FnMut(VertexId) -> Option<W::Distance>,
    progress: Option<Progress<'_>>,
) -> Result<Found<W::Distance>, SearchError> {
    W::answer(&Question { graph, source, target, k, progress }, &mut to_target)
}

/// A weight type of a graph to find paths in: one of the six. The trait is sealed, as [`Weight`]
/// is.
pub trait PathWeight: Weight {
    #[doc(hidden)]
    fn answer(question: &Question<'_, Self>, to_target: ToTarget<'_, Self>) -> Answer<Self>;
}

macro_rules! path_weights {
    ($($weight:ty)*) => {$(
        impl PathWeight for $weight {
            fn answer(question: &Question<'_, Self>, to_target: ToTarget<'_, Self>) -> Answer<Self> {
                question.answer(to_target)
            }
        }
    )*};
}

path_weights! { u32 i32 u64 i64 f32 f64 }
