//! What to solve with, and how far.

use std::num::NonZeroUsize;

use graph_formats::VertexId;
use search_parts::Team;

use crate::Algorithm;

/// What to solve with; `Config::default()` leaves all of it to the solver.
///
/// `A` is [`Algorithm`] for the CPU, and [`gpu::Algorithm`](crate::gpu::Algorithm) for a GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Config<A = Algorithm> {
    /// The algorithm; when `None`, the one that should be fastest on the graph, and
    /// [`Plan`](crate::Plan) says which and why.
    pub algorithm: Option<A>,
    /// Threads of the CPU to use at most; those of the current rayon pool when `None`,
    /// which are all processors unless somebody asked for others.
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

impl<A> Config<A> {
    /// The defaults, with this algorithm.
    pub fn with(algorithm: A) -> Self {
        Self { algorithm: Some(algorithm), ..Self::default() }
    }

    /// The same with an algorithm of another device.
    pub fn for_algorithm<B>(&self, algorithm: Option<B>) -> Config<B> {
        let &Self { threads, expected_searches, team, .. } = self;
        Config { algorithm, threads, expected_searches, team }
    }

    /// How many searches are expected.
    pub fn n_expected_searches(&self) -> usize {
        self.expected_searches.map_or(1, NonZeroUsize::get)
    }

    /// How many threads that makes on this machine.
    pub fn n_threads(&self) -> usize {
        self.threads.map_or_else(rayon::current_num_threads, NonZeroUsize::get)
    }
}

// not derived, for that would ask the same of `A`
impl<A> Default for Config<A> {
    fn default() -> Self {
        Self { algorithm: None, threads: None, expected_searches: None, team: Team::default() }
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
    /// Every vertex no farther than this one; all whose distances can be held, when no path leads
    /// to it.
    Target(VertexId),
    /// Every vertex no farther than this distance; all, for the greatest of its type.
    Within(D),
}
