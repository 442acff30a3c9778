//! The algorithms of a GPU, each with its settings.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use search_parts::by_name;

use crate::SsspError;
use crate::algorithm::QueueRule;
use crate::delta::Delta;

/// What to solve with on a GPU.
pub type Config = crate::Config<Algorithm>;

/// An algorithm for a GPU and its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Algorithm {
    /// Level by level, where all arcs have the same weight.
    BreadthFirst,
    /// Near and far lists of vertices, by distance; short arcs apart where the graph is dense.
    DeltaStepping(Delta),
    /// Δ-stepping in the form that was published for GPUs: buckets by an index of each
    /// vertex, requests placed by prefix sums.
    DeltaSteppingBuckets(Delta),
    /// Vertices in the order of their distance, the nearest found by a reduction.
    Dijkstra(BlockSize),
    /// Dijkstra's algorithm that settles at once every vertex whose distance is provably
    /// final, by the criteria of Crauser and others.
    Crauser,
    /// Dijkstra's algorithm that settles at once every vertex at most this look-ahead beyond the
    /// nearest, and again where that was too early.
    Eager(Delta),
    /// Launches over all edges until one changes nothing.
    BellmanFord {
        /// The order of the edges.
        edges: EdgeOrder,
        /// How distances are read,
        loads: Loads,
        /// and how they are written.
        stores: Stores,
    },
    /// Bellman-Ford that looks only at vertices whose distance changed.
    BellmanFordQueue(QueueRule),
    /// Bellman-Ford as products of the graph's matrix, stored like this, with the vector of
    /// distances, over (min, +).
    BellmanFordSpmv(Layout),
}

impl Algorithm {
    /// Bellman-Ford with default settings.
    pub const BELLMAN_FORD: Self =
        Self::BellmanFord { edges: EdgeOrder::Auto, loads: Loads::Plain, stores: Stores::Atomic };

    /// One by each name, where settings have none of their own with their defaults.
    pub const ALL: [Self; 12] = [
        Self::BreadthFirst,
        Self::Dijkstra(BlockSize::Threads512),
        Self::BELLMAN_FORD,
        Self::BellmanFordQueue(QueueRule::Fifo),
        Self::BellmanFordQueue(QueueRule::Slf),
        Self::BellmanFordQueue(QueueRule::Lll),
        Self::BellmanFordQueue(QueueRule::SlfLll),
        Self::DeltaStepping(Delta::Auto),
        Self::Crauser,
        Self::Eager(Delta::Auto),
        Self::BellmanFordSpmv(Layout::CsrBalanced),
        Self::DeltaSteppingBuckets(Delta::Auto),
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::BreadthFirst => "breadth-first",
            Self::DeltaStepping(_) => "delta-stepping",
            Self::DeltaSteppingBuckets(_) => "delta-stepping-buckets",
            Self::Dijkstra(_) => "dijkstra",
            Self::Crauser => "crauser",
            Self::Eager(_) => "eager",
            Self::BellmanFord { .. } => "bellman-ford",
            Self::BellmanFordQueue(rule) => rule.algorithm_name(),
            Self::BellmanFordSpmv(_) => "bellman-ford-spmv",
        }
    }

    /// True for the algorithms that admit negative weights.
    pub fn admits_negative(self) -> bool {
        match self {
            Self::BellmanFord { stores, .. } => stores == Stores::Atomic,
            Self::BellmanFordQueue(_) | Self::BellmanFordSpmv(_) => true,
            _ => false,
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = SsspError;

    /// The one of this name with default settings.
    fn from_str(name: &str) -> Result<Self, SsspError> {
        by_name("algorithm", name, &Self::ALL.map(|algorithm| (algorithm.name(), algorithm)))
    }
}

/// In which order [`Algorithm::BellmanFord`] relaxes the edges. The answer is the same.
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
    /// use sssp::gpu::EdgeOrder;
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

/// How [`Algorithm::BellmanFord`] reads distances.
/// The answer is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Loads {
    /// As what other threads write meanwhile.
    #[default]
    Plain,
    /// Through the cache for data that nobody writes, which may see them an iteration
    /// late; costs one more iteration, of plain reads, at the end.
    ReadOnly,
}

/// How [`Algorithm::BellmanFord`] writes distances.
/// The answer is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stores {
    /// By an atomic minimum.
    #[default]
    Atomic,
    /// As the article has it: without looking whether another thread has stored less meanwhile,
    /// which later launches mend. For weights that are not negative.
    Racing,
}

/// How [`Algorithm::BellmanFordSpmv`] stores the matrix and
/// shares a product among threads. The answer is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
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

impl Layout {
    /// All of them by name.
    pub const ALL: [(&'static str, Self); 4] = [
        ("csr-balanced", Self::CsrBalanced),
        ("csr-scalar", Self::CsrScalar),
        ("csr-vector", Self::CsrVector),
        ("ell", Self::Ell),
    ];
}

/// Threads of a block that finds the least of its labels together, in
/// [`Algorithm::Dijkstra`]. The answer is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockSize {
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

impl BlockSize {
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

impl FromStr for Layout {
    type Err = SsspError;

    fn from_str(name: &str) -> Result<Self, SsspError> {
        by_name("product", name, &Self::ALL)
    }
}

impl FromStr for BlockSize {
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
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.name().parse::<Algorithm>().unwrap(), algorithm);
        }
        for (name, layout) in Layout::ALL {
            assert_eq!(name.parse(), Ok(layout));
        }
        for (name, block) in BlockSize::ALL {
            assert_eq!(name.parse(), Ok(block));
            assert_eq!(block.threads().to_string(), name);
        }
        let error = "384".parse::<BlockSize>().unwrap_err().to_string();
        assert!(error.contains("384") && error.contains("512"), "{error}");
    }
}
