//! The algorithms for the CPU with their settings, and the settings that a GPU shares.

use std::str::FromStr;

use graph_formats::{Csr, Weight, by_name};

use crate::SsspError;
use crate::delta::Delta;

/// An algorithm for the CPU and its settings; for a GPU there are [more](crate::gpu::Algorithm).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Algorithm {
    /// Vertices in the order of their distance, each settled once. `None` chooses the queue that
    /// measured fastest for such weights.
    Dijkstra(Option<Queue>),
    /// Level by level, where all arcs have the same weight.
    BreadthFirst,
    /// Buckets of distances Δ wide, one after the other, each in parallel.
    DeltaStepping(Delta),
    /// Rounds over all arcs until a round changes nothing.
    BellmanFord,
    /// Bellman-Ford that scans only vertices whose distance changed.
    BellmanFordQueue(QueueRule),
}

impl Algorithm {
    /// One value for each name; settings without a name have their defaults.
    pub const ALL: [Self; 8] = [
        Self::Dijkstra(None),
        Self::BreadthFirst,
        Self::BellmanFord,
        Self::BellmanFordQueue(QueueRule::Fifo),
        Self::BellmanFordQueue(QueueRule::Slf),
        Self::BellmanFordQueue(QueueRule::Lll),
        Self::BellmanFordQueue(QueueRule::SlfLll),
        Self::DeltaStepping(Delta::Auto),
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dijkstra(_) => "dijkstra",
            Self::BreadthFirst => "breadth-first",
            Self::DeltaStepping(_) => "delta-stepping",
            Self::BellmanFord => "bellman-ford",
            Self::BellmanFordQueue(rule) => rule.algorithm_name(),
        }
    }

    /// True for the algorithms that admit negative weights.
    pub(crate) fn admits_negative(self) -> bool {
        matches!(self, Self::BellmanFord | Self::BellmanFordQueue(_))
    }

    /// True if the algorithm is correct for the weights of `graph`.
    pub fn admits<W: Weight>(self, graph: &Csr<W>) -> bool {
        match self {
            Self::BreadthFirst => graph.n_arcs() == 0 || graph.weight_summary().common().is_some(),
            _ => self.admits_negative() || graph.first_negative().is_none(),
        }
    }
}

impl FromStr for Algorithm {
    type Err = SsspError;

    /// The algorithm of this name with default settings.
    fn from_str(name: &str) -> Result<Self, SsspError> {
        Ok(by_name("algorithm", name, &Self::ALL.map(|algorithm| (algorithm.name(), algorithm)))?)
    }
}

/// The priority queue of [`Algorithm::Dijkstra`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Queue {
    /// An implicit heap with four children per node; for every weight type.
    QuaternaryHeap,
    /// Dial's circular array with a bucket for every distance; for small integer weights.
    Dial,
    /// A radix heap: buckets by the highest bit that differs from the last minimum;
    /// for every weight type, floats by their bits.
    Radix,
}

impl Queue {
    /// The queues by name.
    pub const ALL: [(&'static str, Self); 3] =
        [("quaternary-heap", Self::QuaternaryHeap), ("dial", Self::Dial), ("radix", Self::Radix)];
}

impl FromStr for Queue {
    type Err = SsspError;

    fn from_str(name: &str) -> Result<Self, SsspError> {
        Ok(by_name("queue", name, &Self::ALL)?)
    }
}

/// Which vertex Bellman-Ford with a queue takes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QueueRule {
    /// First in, first out.
    #[default]
    Fifo,
    /// "Small label first": a vertex goes to the front if it is nearer than the first vertex.
    Slf,
    /// "Large label last": a first vertex farther than the mean goes to the back.
    Lll,
    /// Both.
    SlfLll,
}

impl QueueRule {
    /// Whether a vertex nearer than the first one goes to the front.
    pub(crate) fn small_first(self) -> bool {
        matches!(self, Self::Slf | Self::SlfLll)
    }

    /// Whether a first vertex farther than the mean goes to the back.
    pub(crate) fn large_last(self) -> bool {
        matches!(self, Self::Lll | Self::SlfLll)
    }

    /// The name of Bellman-Ford with this rule.
    pub(crate) fn algorithm_name(self) -> &'static str {
        match self {
            Self::Fifo => "bellman-ford-queue",
            Self::Slf => "bellman-ford-slf",
            Self::Lll => "bellman-ford-lll",
            Self::SlfLll => "bellman-ford-slf-lll",
        }
    }
}
