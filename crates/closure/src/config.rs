//! How a closure is to be found.

use std::fmt;
use std::str::FromStr;

use graph_formats::{UnknownName, by_name};

/// An algorithm for the transitive closure. All give the same result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// Chooses the algorithm that is estimated to be fastest; [`Plan`](crate::Plan) names it.
    #[default]
    Auto,
    /// Strongly connected components, and unions of lines of bits in their order: O(n + m), and
    /// n / 64 for a line.
    Components,
    /// Warshall's algorithm, a block of vertices at a time: O(n³ / 256) on the CPU, by the tables
    /// of the Four Russians; on a GPU the fastest of the next three forms.
    Blocked,
    /// Blocks by tables of unions. On a GPU only; on the CPU, `Blocked` works this way.
    FourRussians,
    /// The same by functions of three bits, 32 at a time. On a GPU only.
    Lop3,
    /// Blocks by products of binary matrices. On a GPU only, and fast if it has units for them.
    MatrixUnits,
}

impl Algorithm {
    /// All of them, [`Auto`](Algorithm::Auto) first.
    pub const ALL: [Self; 6] = [
        Self::Auto,
        Self::Components,
        Self::Blocked,
        Self::FourRussians,
        Self::Lop3,
        Self::MatrixUnits,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Components => "components",
            Self::Blocked => "blocked",
            Self::FourRussians => "four-russians",
            Self::Lop3 => "lop3",
            Self::MatrixUnits => "matrix-units",
        }
    }

    /// Whether it runs on GPUs only.
    pub fn is_for_gpu(self) -> bool {
        matches!(self, Self::FourRussians | Self::Lop3 | Self::MatrixUnits)
    }

    /// About how long this many threads of the CPU take at most. A GPU pays if its opening and
    /// closing take less. Components take no time, because no GPU has them; forms that exist on
    /// GPUs alone take infinite time.
    pub fn seconds_on_cpu(self, n_vertices: usize, threads: usize) -> f64 {
        match self {
            Self::Components => 0.0,
            only if only.is_for_gpu() => f64::INFINITY,
            _ => (n_vertices as f64).powi(3) / (PAIRS_PER_SECOND * threads as f64),
        }
    }
}

/// Pairs a second of one thread in a closure by words of bits: half of what a core with AVX2 does at
/// its best.
const PAIRS_PER_SECOND: f64 = 1e12;

/// How a closure is to be found. `Config::default()` leaves everything to the solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Whether [`Algorithm::Auto`] may condense strongly connected components. If not, it works on
    /// lines of bits alone.
    pub condense: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { algorithm: Algorithm::Auto, condense: true }
    }
}

impl Config {
    /// The defaults, with this algorithm.
    pub fn with(algorithm: Algorithm) -> Self {
        Self { algorithm, ..Self::default() }
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
        let error = "bfs".parse::<Algorithm>().unwrap_err().to_string();
        assert!(error.contains("'bfs'") && error.contains("blocked"), "{error}");
    }
}
