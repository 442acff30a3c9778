//! The function of this crate, and where the code for it is generated.
//!
//! As in `sssp`, the method of [`PathWeight`] has no type parameters, so that the code is generated
//! here, once for each of the six weight types, and all crates above link to it.

use graph_formats::{Csr, Progress, VertexId, Weight};
use search_parts::SearchError;

use crate::spur::ToTarget;
use crate::yen::{Answer, Found, Question};

/// The `k` shortest simple paths from `source` to `target`, or all where there are fewer: by
/// length, and those of equal length in the order of their vertices, compared one by one.
///
/// A simple path passes no vertex twice, and is its sequence of vertices: of parallel arcs it
/// takes the lightest. From a vertex to itself there is one, which has no arcs. Lengths of floats
/// are the least sums; where sums that differ are rounded to the same, the order is fixed, but not
/// by vertices.
///
/// `to_target` has the distance of any vertex to `target`, `None` where there is no path, or none
/// whose length the distance type can hold. It is asked about those that the searches come to, each
/// several times. Distances are the least sums, of floats in any order of additions. Other numbers
/// are an error when a search notices them: where the number of an arc's tail exceeds the arc's
/// weight plus the number of its head, or where no path has the length that they promise. Numbers
/// that are too small cost time, but change no path.
///
/// With l arcs on a path, O(k·l) rows of arcs and about k searches as a rule; at most O(k·l) of
/// O(m + n log n). O(n + k·l) memory. `progress` is told of paths.
///
/// # Errors
/// As [`check`](crate::check()), and where `progress` ended the work. [`SearchError::NoDistances`]
/// when a search notices numbers that are no distances. [`SearchError::Overflow`] where one of the
/// `k` paths has a length that its type cannot hold. [`SearchError::NoMemory`] when the system
/// refuses the memory.
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

/// A weight type that paths are found for: each of the six. The trait is sealed, as [`Weight`] is.
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
