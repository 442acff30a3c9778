//! The algorithms for a GPU with their settings.

use std::fmt;
use std::str::FromStr;

use published::{BlockSize, EdgeOrder, Layout, Loads, Stores};
use search_parts::by_name;

use crate::SsspError;
use crate::algorithm::QueueRule;
use crate::delta::Delta;

/// Configuration of a solver on a GPU.
pub type Config = crate::Config<Algorithm>;

/// An algorithm for a GPU and its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Algorithm {
    /// Level by level, where all arcs have the same weight.
    BreadthFirst,
    /// Near and far lists of vertices, by distance; on dense graphs long arcs are deferred.
    DeltaStepping(Delta),
    /// Δ-stepping in the form published for GPUs: each vertex has the index of its bucket, and
    /// requests are placed by prefix sums.
    DeltaSteppingBuckets(Delta),
    /// Vertices in the order of their distance; a reduction finds the nearest.
    Dijkstra(BlockSize),
    /// Dijkstra's algorithm that settles at once every vertex whose distance is provably
    /// final, by the criteria of Crauser and others.
    Crauser,
    /// Dijkstra's algorithm that settles at once every vertex at most this look-ahead beyond the
    /// nearest, and settles it again if its distance falls.
    Eager(Delta),
    /// Launches over all edges until one changes nothing.
    BellmanFord {
        /// The order of the edges.
        edges: EdgeOrder,
        /// How distances are read.
        loads: Loads,
        /// How distances are written.
        stores: Stores,
    },
    /// Bellman-Ford that scans only vertices whose distance changed.
    BellmanFordQueue(QueueRule),
    /// Bellman-Ford as products of the graph's matrix with the vector of distances, over (min, +);
    /// the layout is the matrix's.
    BellmanFordSpmv(Layout),
}

impl Algorithm {
    /// Bellman-Ford with default settings.
    pub const BELLMAN_FORD: Self =
        Self::BellmanFord { edges: EdgeOrder::Auto, loads: Loads::Plain, stores: Stores::Atomic };

    /// One value for each name; settings without a name have their defaults.
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

    /// The algorithm of this name with default settings.
    fn from_str(name: &str) -> Result<Self, SsspError> {
        by_name("algorithm", name, &Self::ALL.map(|algorithm| (algorithm.name(), algorithm)))
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
    }
}
