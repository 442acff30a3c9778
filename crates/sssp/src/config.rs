//! What to solve with, and how far.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use graph_formats::VertexId;

use crate::SsspError;
use crate::error::{by_name, unknown};
use crate::gpu_config::{EdgeOrder, Product, Reads, ReductionBlock};

/// Every published variant, and [`Auto`](Algorithm::Auto).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// The one that should be fastest on this graph; [`Plan`](crate::Plan) says which.
    #[default]
    Auto,
    /// Vertices in the order of their distance, each settled once.
    Dijkstra,
    /// Rounds over all arcs until one changes nothing.
    BellmanFord,
    /// Bellman-Ford that looks only at vertices whose distance changed, first in
    /// first out.
    BellmanFordQueue,
    /// The queue with "smallest label first" insertion.
    BellmanFordSlf,
    /// The queue with "large label last" extraction.
    BellmanFordLll,
    /// The queue with both.
    BellmanFordSlfLll,
    /// Buckets of distances Δ wide, one after the other, each in parallel.
    DeltaStepping,
    /// Dijkstra's algorithm that settles at once every vertex whose distance is provably
    /// final, by the criteria of Crauser and others. On a GPU.
    Crauser,
    /// Bellman-Ford as products of the graph's matrix with the vector of distances, over
    /// (min, +). On a GPU.
    BellmanFordSpmv,
    /// Δ-stepping in the form that was published for GPUs: buckets by an index of each
    /// vertex, requests placed by prefix sums. On a GPU.
    DeltaSteppingBuckets,
}

impl Algorithm {
    /// All of them, [`Auto`](Algorithm::Auto) first.
    pub const ALL: [Self; 11] = [
        Self::Auto,
        Self::Dijkstra,
        Self::BellmanFord,
        Self::BellmanFordQueue,
        Self::BellmanFordSlf,
        Self::BellmanFordLll,
        Self::BellmanFordSlfLll,
        Self::DeltaStepping,
        Self::Crauser,
        Self::BellmanFordSpmv,
        Self::DeltaSteppingBuckets,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Dijkstra => "dijkstra",
            Self::BellmanFord => "bellman-ford",
            Self::BellmanFordQueue => "bellman-ford-queue",
            Self::BellmanFordSlf => "bellman-ford-slf",
            Self::BellmanFordLll => "bellman-ford-lll",
            Self::BellmanFordSlfLll => "bellman-ford-slf-lll",
            Self::DeltaStepping => "delta-stepping",
            Self::Crauser => "crauser",
            Self::BellmanFordSpmv => "bellman-ford-spmv",
            Self::DeltaSteppingBuckets => "delta-stepping-buckets",
        }
    }

    /// True for the algorithms that admit negative weights.
    pub fn admits_negative(self) -> bool {
        !matches!(
            self,
            Self::Dijkstra | Self::Crauser | Self::DeltaStepping | Self::DeltaSteppingBuckets
        )
    }

    /// True for all that the CPU runs; a GPU runs every one.
    pub fn runs_on_cpu(self) -> bool {
        self.on_cpu() == self
    }

    /// The nearest to it that the CPU runs: itself, or one of the same family.
    pub fn on_cpu(self) -> Self {
        match self {
            Self::Crauser => Self::Dijkstra,
            Self::BellmanFordSpmv => Self::BellmanFord,
            Self::DeltaSteppingBuckets => Self::DeltaStepping,
            runs_there => runs_there,
        }
    }

    /// True for those that go by buckets of distances, as wide as [`Config::delta`] says.
    pub fn has_buckets(self) -> bool {
        matches!(self, Self::DeltaStepping | Self::DeltaSteppingBuckets)
    }
}

/// How wide the buckets of Δ-stepping are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Delta {
    /// Chosen from weights, degrees and threads: see [`crate::delta`].
    #[default]
    Auto,
    /// This width, in units of the weights.
    Fixed(f64),
    /// The median of the weights.
    MedianWeight,
    /// The mean of the weights.
    MeanWeight,
    /// The sum of the weights divided by the number of vertices, (1/n)·Σc as the
    /// paper prints it.
    WeightPerVertex,
    /// The largest weight divided by the largest out-degree.
    MaxWeightPerDegree,
}

impl Delta {
    /// The rules by name; [`Delta::Fixed`] is written as its number.
    pub const RULES: [(&'static str, Self); 5] = [
        ("auto", Self::Auto),
        ("median", Self::MedianWeight),
        ("mean", Self::MeanWeight),
        ("per-vertex", Self::WeightPerVertex),
        ("max-per-degree", Self::MaxWeightPerDegree),
    ];
}

/// The priority queue of [`Algorithm::Dijkstra`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Queue {
    /// The one that measured best for weights like these.
    #[default]
    Auto,
    /// An implicit heap with four children a place; for every weight type.
    QuaternaryHeap,
    /// Dial's circular array with a bucket for every distance; for integers whose
    /// largest is small.
    Dial,
    /// A radix heap: buckets by the highest bit that differs from the last minimum;
    /// for every weight type, floats by their bits.
    Radix,
}

impl Queue {
    /// The queues by name.
    pub const ALL: [(&'static str, Self); 4] = [
        ("auto", Self::Auto),
        ("quaternary-heap", Self::QuaternaryHeap),
        ("dial", Self::Dial),
        ("radix", Self::Radix),
    ];
}

/// What to solve with. `Config::default()` lets the solver choose everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The bucket width, where it is Δ-stepping.
    pub delta: Delta,
    /// The queue, where it is Dijkstra's.
    pub queue: Queue,
    /// The order of the edges, where it is Bellman-Ford on a GPU.
    pub edge_order: EdgeOrder,
    /// How distances are read, where it is Bellman-Ford on a GPU.
    pub reads: Reads,
    /// How products are made, where it is Bellman-Ford by products.
    pub product: Product,
    /// Threads of a reducing block, where it is Dijkstra's algorithm on a GPU.
    pub reduction_block: ReductionBlock,
    /// Threads to use at most; all processors when `None`.
    pub threads: Option<NonZeroUsize>,
    /// How many searches are going to be made, one after the other; one when `None`. What
    /// makes each of them faster is prepared where so many make up for it: the short arcs of a
    /// dense graph apart, and on a GPU trials of which algorithm is fastest. Answers are the
    /// same. A [table](crate::Solver::table) on a GPU, whose searches run together, is one.
    pub expected_searches: Option<NonZeroUsize>,
    /// When several threads share a search: for tests, whose graphs are small.
    #[doc(hidden)]
    pub team: Team,
}

/// When the threads of a search work together.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Team {
    /// Where there is enough for each to do.
    #[default]
    WhereItPays,
    /// From the first bucket on, and all that were asked for, until they mostly wait.
    Always,
}

impl Config {
    /// The defaults, with this algorithm.
    pub fn with(algorithm: Algorithm) -> Self {
        Self { algorithm, ..Self::default() }
    }

    /// How many searches are expected.
    pub fn n_expected_searches(&self) -> usize {
        self.expected_searches.map_or(1, NonZeroUsize::get)
    }

    /// How many threads that makes on this machine.
    pub fn n_threads(&self) -> usize {
        self.threads
            .or_else(|| std::thread::available_parallelism().ok())
            .map_or(1, NonZeroUsize::get)
    }
}

/// How far to go. Whatever the algorithm, the answer has every vertex within the
/// limit and none beyond it.
///
/// Where weights are negative, a path may come back from beyond any limit. There a
/// target is found with all the rest, and a cutoff is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Goal<D> {
    /// Every vertex that can be reached.
    #[default]
    All,
    /// Every vertex no farther than this one; all, when it cannot be reached.
    Target(VertexId),
    /// Every vertex no farther than this distance; all, for the greatest of its type.
    Within(D),
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = SsspError;

    fn from_str(name: &str) -> Result<Self, SsspError> {
        Self::ALL
            .into_iter()
            .find(|a| a.name() == name)
            .ok_or_else(|| unknown("algorithm", name, Self::ALL.iter().map(|a| a.name())))
    }
}

impl fmt::Display for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Self::RULES.iter().find(|rule| rule.1 == *self) {
            Some((name, _)) => f.write_str(name),
            None if let Self::Fixed(width) = self => width.fmt(f),
            None => unreachable!("every rule is in the table"),
        }
    }
}

impl FromStr for Delta {
    type Err = SsspError;

    fn from_str(name: &str) -> Result<Self, SsspError> {
        if let Ok(width) = name.parse() {
            check_width(width)?;
            return Ok(Self::Fixed(width));
        }
        by_name("delta", name, &Self::RULES)
    }
}

impl FromStr for Queue {
    type Err = SsspError;

    fn from_str(name: &str) -> Result<Self, SsspError> {
        by_name("queue", name, &Self::ALL)
    }
}

/// An error when no graph could have buckets this wide.
pub(crate) fn check_width(width: f64) -> Result<(), SsspError> {
    if width.is_finite() && width > 0.0 {
        return Ok(());
    }
    Err(SsspError::BadDelta { delta: width, reason: "it must be a positive number".to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.name().parse::<Algorithm>().unwrap(), algorithm);
        }
        for (name, rule) in Delta::RULES {
            assert_eq!(name.parse::<Delta>().unwrap(), rule);
            assert_eq!(rule.to_string(), name);
        }
        assert_eq!("2.5".parse::<Delta>().unwrap(), Delta::Fixed(2.5));
        for bad in ["0", "-3", "nan", "inf"] {
            assert!(matches!(bad.parse::<Delta>(), Err(SsspError::BadDelta { .. })), "{bad}");
        }
        let error = "dijsktra".parse::<Algorithm>().unwrap_err().to_string();
        assert!(error.contains("dijsktra") && error.contains("dijkstra"), "{error}");
    }
}
