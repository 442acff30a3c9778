//! Configuration of a solver, and the goal of a search.

use std::num::NonZeroUsize;

use graph_formats::VertexId;
use search_parts::Team;

use crate::Algorithm;

/// Configuration of a solver; with `Config::default()` the solver chooses everything.
///
/// `A` is [`Algorithm`] for the CPU, and [`gpu::Algorithm`](crate::gpu::Algorithm) for a GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Config<A = Algorithm> {
    /// The algorithm. `None` chooses the one that should be fastest on the graph;
    /// [`Plan`](crate::Plan) has the choice and its reason.
    pub algorithm: Option<A>,
    /// The most CPU threads to use. `None` takes those of the current rayon pool, by default one
    /// for each core.
    pub threads: Option<NonZeroUsize>,
    /// Expected number of searches, one after the other; `None` means one. With enough of them,
    /// the solver prepares more: a copy of the short arcs of a dense graph, and on a GPU trials of
    /// which algorithm is fastest. Results are the same. A [table](crate::Solver::table) on a GPU
    /// counts as one search, since its searches run together.
    pub expected_searches: Option<NonZeroUsize>,
    /// When several threads share a search. Tests set it, since their graphs are small.
    #[doc(hidden)]
    pub team: Team,
}

impl<A> Config<A> {
    /// The defaults with this algorithm.
    pub fn with(algorithm: A) -> Self {
        Self { algorithm: Some(algorithm), ..Self::default() }
    }

    /// The same configuration with an algorithm of another device.
    pub fn for_algorithm<B>(&self, algorithm: Option<B>) -> Config<B> {
        let &Self { threads, expected_searches, team, .. } = self;
        Config { algorithm, threads, expected_searches, team }
    }

    /// The number of expected searches.
    pub(crate) fn n_expected_searches(&self) -> usize {
        self.expected_searches.map_or(1, NonZeroUsize::get)
    }

    /// The most threads to use on this machine.
    pub fn n_threads(&self) -> usize {
        self.threads.map_or_else(rayon::current_num_threads, NonZeroUsize::get)
    }
}

// not derived, because that would require `A: Default`
impl<A> Default for Config<A> {
    fn default() -> Self {
        Self { algorithm: None, threads: None, expected_searches: None, team: Team::default() }
    }
}

/// How far to search. With every algorithm, the result has all vertices within the limit and none
/// beyond it.
///
/// With negative weights, a path may return from beyond any limit. Then a target needs the whole
/// search, and a cutoff is an error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Goal<D> {
    /// Every reachable vertex.
    #[default]
    All,
    /// Every vertex no farther than this one. If it is unreachable, every vertex whose distance
    /// its type can hold.
    Target(VertexId),
    /// Every vertex no farther than this distance; all vertices for the greatest of its type.
    Within(D),
}
