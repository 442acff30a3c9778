//! What to solve with on a GPU: settings that the CPU has no use for.

use std::num::NonZeroU32;
use std::str::FromStr;

use crate::SsspError;
use crate::error::by_name;

/// In which order [`Algorithm::BellmanFord`](crate::Algorithm::BellmanFord) on a GPU relaxes
/// the edges. The answer is the same.
///
/// Edges may be sorted by the segment of the vertex where they end, and then of that where
/// they start, so that neighbouring threads touch few distances. That is done once for a
/// solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EdgeOrder {
    /// By segments of 2^16 vertices, or of a 64th of the graph's where that is more. Of the
    /// sizes that were tried, that measured best on graphs of 2^18 to 2^26 vertices, or
    /// nearly so: see docs/benchmarking.md.
    #[default]
    Auto,
    /// Row by row.
    AsStored,
    /// By segments.
    Segments {
        /// Vertices of a segment.
        vertices: NonZeroU32,
    },
}

impl EdgeOrder {
    /// Vertices of a segment on a graph of `n_vertices`; `None` for the order as stored.
    ///
    /// ```
    /// use sssp::EdgeOrder;
    ///
    /// let length = |n| EdgeOrder::Auto.segment(n).map(|length| length.get());
    /// assert_eq!((length(1000), length(1 << 24)), (Some(1 << 16), Some(1 << 18)));
    /// ```
    pub fn segment(self, n_vertices: usize) -> Option<NonZeroU32> {
        const LEAST: u32 = 1 << 16;
        match self {
            Self::Auto => {
                let part = u32::try_from(n_vertices.div_ceil(64)).unwrap_or(LEAST);
                NonZeroU32::new(part.checked_next_power_of_two().unwrap_or(LEAST).max(LEAST))
            }
            Self::AsStored => None,
            Self::Segments { vertices } => Some(vertices),
        }
    }
}

/// How [`Algorithm::BellmanFord`](crate::Algorithm::BellmanFord) on a GPU reads distances.
/// The answer is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reads {
    /// As what other threads write meanwhile.
    #[default]
    Plain,
    /// Through the cache for data that nobody writes, which may see them an iteration
    /// late; costs one more iteration, of plain reads, at the end.
    ReadOnly,
}

/// How [`Algorithm::BellmanFordSpmv`](crate::Algorithm::BellmanFordSpmv) stores the matrix and
/// shares a product among threads. The answer is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Product {
    /// Rows stored one after the other, and of each thread as many arcs as of the others.
    #[default]
    CsrBalanced,
    /// A thread a row.
    CsrScalar,
    /// A warp a row, or as many of its lanes as an average row has arcs, rounded up to a
    /// power of two.
    CsrVector,
    /// Rows padded to the length of the longest and stored side by side, a thread a row.
    Ell,
}

impl Product {
    /// All of them by name.
    pub const ALL: [(&'static str, Self); 4] = [
        ("csr-balanced", Self::CsrBalanced),
        ("csr-scalar", Self::CsrScalar),
        ("csr-vector", Self::CsrVector),
        ("ell", Self::Ell),
    ];
}

/// Threads of a block that finds the least of its labels together, in
/// [`Algorithm::Dijkstra`](crate::Algorithm::Dijkstra) on a GPU. The answer is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReductionBlock {
    /// 128 threads.
    Threads128,
    /// 256 threads.
    Threads256,
    /// 512 threads.
    #[default]
    Threads512,
    /// 1024 threads.
    Threads1024,
}

impl ReductionBlock {
    /// All of them by name.
    pub const ALL: [(&'static str, Self); 4] = [
        ("128", Self::Threads128),
        ("256", Self::Threads256),
        ("512", Self::Threads512),
        ("1024", Self::Threads1024),
    ];

    /// How many threads.
    pub fn threads(self) -> u32 {
        match self {
            Self::Threads128 => 128,
            Self::Threads256 => 256,
            Self::Threads512 => 512,
            Self::Threads1024 => 1024,
        }
    }
}

impl FromStr for Product {
    type Err = SsspError;

    fn from_str(name: &str) -> Result<Self, SsspError> {
        by_name("product", name, &Self::ALL)
    }
}

impl FromStr for ReductionBlock {
    type Err = SsspError;

    fn from_str(name: &str) -> Result<Self, SsspError> {
        by_name("reduction block", name, &Self::ALL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        for (name, product) in Product::ALL {
            assert_eq!(name.parse(), Ok(product));
        }
        for (name, block) in ReductionBlock::ALL {
            assert_eq!(name.parse(), Ok(block));
            assert_eq!(block.threads().to_string(), name);
        }
        let error = "384".parse::<ReductionBlock>().unwrap_err().to_string();
        assert!(error.contains("384") && error.contains("512"), "{error}");
    }
}
