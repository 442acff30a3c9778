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
    /// Chooses the algorithm that is estimated to be fastest; [`Plan`](crate::Plan) names it.
    #[default]
    Auto,
    /// Blocked Floyd-Warshall over the matrix of distances, so that a number is read once for many
    /// sums: O(n³) for any number of arcs.
    Blocked,
    /// Floyd-Warshall in the [form](Form) of a paper. The CPU has [`Form::FloydWarshall`] and
    /// [`Form::Recursive`] only.
    Published(Form),
    /// A search from every vertex: O(n (n + m) log n), after making negative weights
    /// non-negative by potentials.
    Johnson,
    /// For sparse graphs with small separators, such as grids, meshes and roads: eliminates
    /// vertices in an order that adds few shortcuts, as dense matrices of supernodes. O(n · arcs
    /// and shortcuts). It works in memory, on the CPU or one GPU, which holds the matrix: n²
    /// numbers of 2 to 8 bytes, or 2 n² if some arc has no reverse arc. Weights must be at least
    /// zero.
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

    /// Whether it can take tiles of several sides on a GPU.
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
    /// The side of a tile, if the algorithm [has tiles](Algorithm::has_tiles). `None` is the side
    /// that is best for the algorithm.
    pub tile: Option<u32>,
    /// Whether to find next hops too, and so the paths.
    pub next_hops: bool,
    /// Threads to use. `None` is the number of threads of the current rayon pool, by default one
    /// for each CPU core.
    pub threads: Option<NonZeroUsize>,
    /// Bytes of the host's memory that a solver may use, results included, the graph not counted.
    /// `None` is what the system grants. The memory of a GPU is limited by
    /// [`with_memory_cap`](gpu_runtime::Gpu::with_memory_cap).
    pub memory: Option<u64>,
}

impl Config {
    /// The defaults, with this algorithm.
    pub fn with(algorithm: Algorithm) -> Self {
        Self { algorithm, ..Self::default() }
    }

    /// The number of threads on this machine.
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
