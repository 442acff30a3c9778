//! The graphs that are benchmarked, by name.
//!
//! Skewed, meshed and geometric graphs always together, for what helps one kind may
//! harm another; and real road networks where their files are at hand.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Error, Result, bail, ensure};
use graph_formats::generate::{
    GeometricConfig, GraphOptions, GridConfig, RmatConfig, geometric, grid, rmat,
};
use graph_formats::permute::Relabelling;
use graph_formats::{Csr, read};

/// Neighbours of a vertex of a geometric graph, on average: enough to join all but a
/// few vertices.
const GEOMETRIC_DEGREE: f64 = 16.0;
/// The generators number vertices with 32 bits.
pub(crate) const MAX_SCALE: u32 = 31;

const NAMES: &str = "rmat-S or geometric-S (2^S vertices, S from 1 to 31), grid-K (K from 2 to \
                     65535 vertices a side), new-york, delaware or rome99";

/// A graph to solve.
///
/// ```
/// use bench::workloads::Workload;
///
/// let workload: Workload = "grid-20".parse()?;
/// assert_eq!(workload, Workload::Grid { side: 20 });
/// assert_eq!(workload.load()?.n_vertices(), 400);
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Undirected R-MAT of 2^`scale` vertices, edge factor 16, weights 1 … 255.
    Rmat {
        /// The binary logarithm of the number of vertices.
        scale: u32,
    },
    /// An undirected square grid, weights 1 … 255.
    Grid {
        /// Vertices along a side.
        side: u32,
    },
    /// 2^`scale` random points, each joined with some 16 near ones; weights 1 … 255 grow
    /// with the length. Vertices are numbered breadth-first, so that neighbours lie near
    /// one another in memory, as they do in the files of road networks.
    Geometric {
        /// The binary logarithm of the number of vertices.
        scale: u32,
    },
    /// The roads of New York, weighed by length; from a file.
    NewYork,
    /// The roads of Delaware, some of no length, not all connected; from a file.
    Delaware,
    /// The streets of Rome, weighed by length; from a file.
    Rome99,
}

impl Workload {
    /// What the report has where nothing is asked for.
    pub const DEFAULTS: [Self; 5] = [
        Self::Rmat { scale: 18 },
        Self::Rmat { scale: 20 },
        Self::Grid { side: 1024 },
        Self::Geometric { scale: 18 },
        Self::NewYork,
    ];

    /// Makes the graph, or reads it.
    ///
    /// # Errors
    /// When the file of a real graph is missing or wrong, or there is not enough memory.
    pub fn load(self) -> Result<Csr<u32>> {
        self.load_with(GraphOptions::default())
    }

    /// The same with other weights or another seed, unless it is read.
    pub(crate) fn load_with(self, options: GraphOptions) -> Result<Csr<u32>> {
        let graph = match self {
            Self::Rmat { scale } => rmat(&RmatConfig { scale, options, ..Default::default() })?,
            Self::Grid { side } => grid(&GridConfig { side, options })?,
            Self::Geometric { scale } => {
                let n_vertices = 1 << scale;
                let radius = (GEOMETRIC_DEGREE / (std::f64::consts::PI * n_vertices as f64)).sqrt();
                let drawn = geometric(&GeometricConfig { n_vertices, radius, options })?;
                Relabelling::breadth_first(&drawn, 0)?.apply(&drawn)?
            }
            Self::NewYork | Self::Delaware | Self::Rome99 => {
                let path = self.file().context("real graphs have files")?;
                let hint = "is STARPATH_DATA the folder of the real graphs?";
                read(&path).context(hint)?.csr.into_csr()?
            }
        };
        ensure!(graph.n_arcs() > 0, "{self} has no arcs: nothing to measure");
        Ok(graph)
    }

    /// Where the file of a real graph should be: in the folder that the environment
    /// variable `STARPATH_DATA` names, or else in `../shared/data` beside the workspace.
    pub fn file(self) -> Option<PathBuf> {
        let name = match self {
            Self::NewYork => "dimacs/USA-road-d.NY.gr.gz",
            Self::Delaware => "dimacs/DE.gr",
            Self::Rome99 => "dimacs/rome99.gr",
            _ => return None,
        };
        let folder = std::env::var_os("STARPATH_DATA").map(PathBuf::from);
        let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        Some(folder.unwrap_or_else(beside).join(name))
    }

    /// False for a real graph whose file is not there.
    pub fn is_available(self) -> bool {
        self.file().is_none_or(|file| file.is_file())
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rmat { scale } => write!(f, "rmat-{scale}"),
            Self::Grid { side } => write!(f, "grid-{side}"),
            Self::Geometric { scale } => write!(f, "geometric-{scale}"),
            Self::NewYork => f.write_str("new-york"),
            Self::Delaware => f.write_str("delaware"),
            Self::Rome99 => f.write_str("rome99"),
        }
    }
}

impl FromStr for Workload {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let (kind, size) = match name.rsplit_once('-') {
            Some((kind, size)) => (kind, size.parse::<u32>().ok()),
            None => (name, None),
        };
        match (kind, size) {
            ("rmat", Some(scale @ 1..=MAX_SCALE)) => Ok(Self::Rmat { scale }),
            ("grid", Some(side @ 2..=65_535)) => Ok(Self::Grid { side }),
            ("geometric", Some(scale @ 1..=MAX_SCALE)) => Ok(Self::Geometric { scale }),
            ("new", None) if name == "new-york" => Ok(Self::NewYork),
            ("delaware", None) => Ok(Self::Delaware),
            ("rome99", None) => Ok(Self::Rome99),
            _ => bail!("there is no graph {name:?}: expected {NAMES}"),
        }
    }
}
