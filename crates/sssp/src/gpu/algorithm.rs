//! The algorithms for a GPU with their settings.

use std::str::FromStr;

use graph_formats::by_name;
use published::{BlockSize, Form, Layout};

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
    /// Bellman-Ford that scans only vertices whose distance changed.
    BellmanFordQueue(QueueRule),
    /// A [form](published::Form) of another paper.
    Published(Form<Delta>),
}

impl Algorithm {
    /// One value for each name; settings without a name have their defaults.
    pub const ALL: [Self; 12] = [
        Self::BreadthFirst,
        Self::Published(Form::Dijkstra(BlockSize::Threads512)),
        Self::Published(Form::BELLMAN_FORD),
        Self::BellmanFordQueue(QueueRule::Fifo),
        Self::BellmanFordQueue(QueueRule::Slf),
        Self::BellmanFordQueue(QueueRule::Lll),
        Self::BellmanFordQueue(QueueRule::SlfLll),
        Self::DeltaStepping(Delta::Auto),
        Self::Published(Form::Crauser),
        Self::Published(Form::Eager(Delta::Auto)),
        Self::Published(Form::BellmanFordSpmv(Layout::CsrBalanced)),
        Self::Published(Form::DeltaSteppingBuckets(Delta::Auto)),
    ];

    /// Those that `auto` tries beside Δ-stepping if the graph has few hops.
    pub(super) const FOR_FEW_HOPS: [Self; 4] = [
        Self::Published(Form::BellmanFordSpmv(Layout::CsrBalanced)),
        Self::Published(Form::BELLMAN_FORD),
        Self::Published(Form::Crauser),
        Self::BellmanFordQueue(QueueRule::Slf),
    ];

    /// Those that `auto` tries with negative weights, which Δ-stepping does not admit. Without trials
    /// it takes the first.
    pub(super) const FOR_ANY_SIGN: [Self; 4] = [
        Self::BellmanFordQueue(QueueRule::Lll),
        Self::BellmanFordQueue(QueueRule::Fifo),
        Self::Published(Form::BellmanFordSpmv(Layout::CsrBalanced)),
        Self::Published(Form::BELLMAN_FORD),
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::BreadthFirst => "breadth-first",
            Self::DeltaStepping(_) => "delta-stepping",
            Self::BellmanFordQueue(rule) => rule.algorithm_name(),
            Self::Published(form) => form.name(),
        }
    }

    /// True for the algorithms that admit negative weights.
    pub(super) fn admits_negative(self) -> bool {
        match self {
            Self::BreadthFirst | Self::DeltaStepping(_) => false,
            Self::BellmanFordQueue(_) => true,
            Self::Published(form) => form.admits_negative(),
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
