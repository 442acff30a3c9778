//! What to solve with.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use graph_formats::{UnknownName, by_name};
use published::pairs::Form;

/// How to find all distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// The one that should be fastest on this graph; [`Plan`](crate::Plan) says which.
    #[default]
    Auto,
    /// Floyd-Warshall over the matrix of distances, a block of vertices at a time, so that each
    /// number is read once for many sums: O(n³) whatever the arcs.
    Blocked,
    /// The same in the [form](Form) of a paper. On the CPU [`Form::FloydWarshall`] and
    /// [`Form::Recursive`] only.
    Published(Form),
    /// A search from every vertex: O(n (n + m) log n), after making negative weights
    /// non-negative by potentials.
    Johnson,
    /// For sparse graphs with small separators, such as grids, meshes and roads: the dense matrices
    /// of supernodes, by an order of the vertices in which eliminating them joins few others. O(n ·
    /// arcs of that). In memory, by the processor or one GPU, which holds the matrix, n² numbers of 2 to
    /// 8 bytes, twice as many where arcs do not lead both ways. Weights are at least zero.
    Supernodes,
}

impl Algorithm {
    /// All of them, [`Auto`](Algorithm::Auto) first.
    pub const ALL: [Self; 9] = [
        Self::Auto,
        Self::Published(Form::FloydWarshall),
        Self::Blocked,
        Self::Published(Form::BlockedProduct),
        Self::Published(Form::BlockedTwoLevel),
        Self::Published(Form::BlockedOutOfCore),
        Self::Published(Form::Recursive),
        Self::Johnson,
        Self::Supernodes,
    ];

    /// Whether it has tiles of several sides, on a GPU.
    pub fn has_tiles(self) -> bool {
        matches!(self, Self::Published(form) if form.has_tiles())
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Blocked => "blocked",
            Self::Published(form) => form.name(),
            Self::Johnson => "johnson",
            Self::Supernodes => "supernodes",
        }
    }
}

/// What to solve with. `Config::default()` leaves everything to the solver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The side of a tile, where the algorithm [has tiles](Algorithm::has_tiles); its best when
    /// `None`.
    pub tile: Option<u32>,
    /// Whether to find next hops too, and so the paths.
    pub next_hops: bool,
    /// Threads to use; those of the current rayon pool when `None`,
    /// which are all processors unless somebody asked for others.
    pub threads: Option<NonZeroUsize>,
    /// Bytes of the host's memory that a solver may hold, results included, the graph not counted.
    /// What there is when `None`. A GPU's are bounded by
    /// [`with_memory_cap`](gpu_runtime::Gpu::with_memory_cap).
    pub memory: Option<u64>,
}

impl Config {
    /// The defaults, with this algorithm.
    pub fn with(algorithm: Algorithm) -> Self {
        Self { algorithm, ..Self::default() }
    }

    /// How many threads that makes on this machine.
    pub fn n_threads(&self) -> usize {
        self.threads.map_or_else(rayon::current_num_threads, NonZeroUsize::get)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        by_name("algorithm", name, &Self::ALL.map(|algorithm| (algorithm.name(), algorithm)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.name().parse::<Algorithm>().unwrap(), algorithm);
        }
        let error = "floyd".parse::<Algorithm>().unwrap_err().to_string();
        assert!(error.contains("'floyd'") && error.contains("blocked"), "{error}");
    }
}
